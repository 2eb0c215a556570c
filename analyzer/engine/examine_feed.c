// SPDX-License-Identifier: BSD-2-Clause
/* examine.h: the items of a feed, one after the other, into the engine. */
#include "examine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"

static bool is_acknowledged(const struct analysis_opts *o, const char *name)
{
	for (size_t i = 0; i < o->acknowledged.n; i++)
		if (!strcmp(o->acknowledged.at[i], name))
			return true;
	return false;
}

/* Numbers of servers are the engine's: both count them as they appear, and names are unique. */
static int take_server(struct examine_feed *e, const struct feed_item *item)
{
	const char *name = item->named.name;
	ssize_t node = robust_node(e->robust, name, peers_group(e->peers, name));
	size_t known = e->n, servers = item->named.servers;
	int err;

	if (node < 0)
		return (int)node;
	if (is_acknowledged(e->o, name))
		robust_acknowledge(e->robust, (size_t)node);
	if (item->server + 1 < servers)
		return 0;
	err = array_extend(&e->at, known, servers);
	if (err)
		return err;
	e->n = servers;
	err = e->o->offsets ? offsets_load(e->robust, known, e->o->offsets) : 0;
	/* Should the file have been damaged since the start, that is said, and ends nothing: offsets are learned anew. */
	if (err && (!known || err == -ENOMEM))
		return err;
	return e->servers ? e->servers(e->arg, servers) : 0;
}

static int take_interval(struct examine_feed *e, const struct feed_item *item)
{
	int err = e->stop && *e->stop ? -ECANCELED
				      : robust_push(e->robust, item->from_ns, e->at, e->n);

	if (!err && e->interval)
		err = e->interval(e->arg, e->at, e->n);
	for (size_t i = 0; i < e->n; i++)
		e->at[i] = NULL;
	return err;
}

static int take_identity(struct examine_feed *e, const struct feed_item *item)
{
	return robust_identity(e->robust, item->server, item->identity);
}

static int take_own(struct examine_feed *e, const struct feed_item *item)
{
	return robust_own(e->robust, item->server, item->own);
}

static int take_row(struct examine_feed *e, const struct feed_item *item)
{
	e->at[item->server] = item->interval;
	return 0;
}

int examine_feed(struct examine_feed *e, struct feed *f)
{
	static int (*const take[])(struct examine_feed *, const struct feed_item *) = {
		[FEED_SERVER] = take_server, [FEED_IDENTITY] = take_identity, [FEED_OWN] = take_own,
		[FEED_ROW] = take_row,	     [FEED_TICK] = take_interval,
	};
	struct feed_item item;
	int err;

	while (!(err = feed_next(f, &item)) && item.kind != FEED_END && item.kind != FEED_NOT_YET) {
		err = take[item.kind](e, &item);
		if (err == -ENOMEM)
			fail("out of memory");
		if (err < 0)
			break;
	}
	return err;
}
