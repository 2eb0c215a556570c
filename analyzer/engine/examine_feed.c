// SPDX-License-Identifier: BSD-2-Clause
/* examine.h: the items of a feed, one after the other, into the engine. */
#include "examine.h"

#include <errno.h>

#include "userspace/common/array.h"

/* Numbers of servers are the engine's: both count them as they appear, and names are unique. */
static int take_server(struct examine_feed *e, const struct feed_item *item)
{
	const char *name = item->named.name;
	ssize_t node = robust_node(e->robust, name, peers_group(e->peers, name));
	size_t known = e->n, servers = item->named.servers;
	int err;

	if (node < 0)
		return (int)node;
	if (string_list_has(&e->o->acknowledged, name))
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
	return e->hooks->ready ? e->hooks->ready(e->hooks->arg, e->robust) : 0;
}

static int take_interval(struct examine_feed *e, const struct feed_item *item)
{
	int err = e->stop && *e->stop ? -ECANCELED
				      : robust_push(e->robust, item->from_ns, e->at, e->n);

	if (!err && e->hooks->step)
		err = e->hooks->step(e->hooks->arg, e->robust);
	for (size_t i = 0; i < e->n; i++)
		e->at[i] = NULL;
	return err;
}

static int take(struct examine_feed *e, const struct feed_item *item)
{
	switch (item->kind) {
	case FEED_SERVER: return take_server(e, item);
	case FEED_IDENTITY: return robust_identity(e->robust, item->server, item->identity);
	case FEED_OWN: return robust_own(e->robust, item->server, item->own);
	case FEED_TICK: return take_interval(e, item);
	case FEED_ROW: e->at[item->server] = item->interval; return 0;
	default: return 0;
	}
}

int examine_feed(struct examine_feed *e, struct feed *f)
{
	struct feed_item item;
	int err;

	while (!(err = feed_next(f, &item)) && item.kind != FEED_END && item.kind != FEED_NOT_YET) {
		err = take(e, &item);
		if (err == -ENOMEM)
			fail("out of memory");
		if (err < 0)
			break;
	}
	e->ended = !err && item.kind == FEED_END;
	return err;
}
