// SPDX-License-Identifier: BSD-2-Clause
/* One examination of series files: intervals, engine, verdict, in this order. */
#include "examine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/source/peers.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/options.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"

/* ---- the items of a feed, one after the other, into the engine ---------------------------------- */

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
	int64_t to_ns = item->from_ns + ns_of_s(e->o->interval_s);
	int err = e->stop && *e->stop ? -ECANCELED
				      : robust_push(e->robust, item->from_ns, e->at, e->n);

	for (size_t i = 0; i < e->n && e->gaps && !err; i++)
		if (e->at[i] && e->at[i]->seconds)
			err = gaps_heard(e->gaps, i, item->from_ns, to_ns, 0);
	if (!err && e->hooks->step)
		err = e->hooks->step(e->hooks->arg, e->robust);
	for (size_t i = 0; i < e->n; i++)
		e->at[i] = NULL;
	return err;
}

static int take_item(struct examine_feed *e, const struct feed_item *item)
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
		err = take_item(e, &item);
		if (err == -ENOMEM)
			fail("out of memory");
		if (err < 0)
			break;
	}
	e->ended = !err && item.kind == FEED_END;
	return err;
}

/* ---- series files ------------------------------------------------------------------------------- */

/* Nobody of that name: misspelt, or not recorded. */
static void warn_acknowledged(const struct analysis_opts *o, const struct verdict *a)
{
	for (size_t i = 0; i < o->acknowledged.n; i++) {
		if (!any_of(k, a->n_nodes, !strcmp(a->nodes[k], o->acknowledged.at[i])))
			warn("no server is called '%s', which is acknowledged",
			     o->acknowledged.at[i]);
	}
}

/* A day: no two clocks that are right differ by that. */
#define ELSEWHERE_NS NS_PER_DAY

struct host_span {
	const char *host;
	int64_t from, to;
};

/* Of hosts that have any seconds; at has room for s->n. */
static size_t spans(const struct sources *s, struct host_span *at)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct source_file *f = &s->at[i];
		struct host_span *h;

		if (!f->seconds)
			continue;
		if (!n || strcmp(at[n - 1].host, f->host))
			at[n++] = (struct host_span){f->host, f->first_ns, f->last_ns};
		h = &at[n - 1];
		h->from = f->first_ns < h->from ? f->first_ns : h->from;
		h->to = f->last_ns > h->to ? f->last_ns : h->to;
	}
	return n;
}

/* A server all of whose seconds lie a day or more from those of most others: a clock that is wrong, or an
 * old file among the new. */
static int note_clocks(const struct sources *s, struct verdict *a)
{
	struct host_span *h = calloc(s->n + 1, sizeof(*h));
	size_t n = h ? spans(s, h) : 0;
	int err = h ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !err; i++) {
		struct note note = {.kind = NOTE_CLOCK, .from_ns = h[i].from, .to_ns = h[i].to};
		size_t away = count_if(k, n,
				       h[k].from - h[i].to > ELSEWHERE_NS ||
					       h[i].from - h[k].to > ELSEWHERE_NS);

		snprintf(note.host, sizeof(note.host), "%s", h[i].host);
		if (n > 2 && 2 * away > n - 1)
			err = verdict_note(a, &note);
	}
	free(h);
	return err;
}

/* All of the files that are left, from the beginning. */
static int examine_files(struct examine_feed *e, const struct sources *s, struct feed_counts *met)
{
	const struct analysis_opts *o = e->o;
	const struct feed_opts opts = {.from_ns = o->from_ns,
				       .to_ns = o->to_ns,
				       .interval_s = o->interval_s,
				       .threads = o->threads,
				       .progress = o->progress};
	const struct robust_params params = examine_params(o);
	struct feed *f;
	int err;

	*met = (struct feed_counts){0};
	gaps_release(e->gaps);
	robust_free(e->robust);
	e->n = 0;
	e->robust = robust_new(&params);
	if (!e->robust)
		return -ENOMEM;
	err = feed_of_series(&f, s, &opts) ?: examine_feed(e, f);
	if (f)
		feed_counts(f, met);
	feed_free(f);
	output_progress_end();
	return err;
}

/* Anew, without the files that are found to be damaged: half of such a file must not count, for which half
 * it is depends on how much is read at once. ready() is called again then. */
static int examine_readable(struct examine_feed *e, struct sources *s, struct feed_counts *met)
{
	const struct analysis_opts *o = e->o;
	int err = 0;

	do {
		ssize_t dropped;

		if (err || e->hooks->step)
			err = sources_verify(s, o->from_ns, o->to_ns);
		dropped = err ? err : sources_drop_unreadable(s);
		if (dropped < 0)
			return (int)dropped;
		err = examine_files(e, s, met);
	} while (err == -EBADMSG);
	return err;
}

static int examine_all(struct examine_feed *e, struct sources *s, struct verdict *a)
{
	const struct analysis_opts *o = e->o;
	struct feed_counts met = {0};
	int err = sources_clocks(s, o->from_ns, o->to_ns) ?: examine_readable(e, s, &met);

	/* nothing was recorded: that is a verdict, too */
	if (err && err != -ENODATA)
		return err;
	err = robust_verdict(e->robust, a) ?: gaps_verdict(e->gaps, a);
	peers_labels(e->peers, a->groups, a->n_groups);
	if (err)
		return err;
	a->lost = met.lost;
	a->duplicates = met.duplicates;
	a->damaged = met.damaged;
	warn_acknowledged(o, a);
	err = note_clocks(s, a);
	if (!err && o->offsets && a->n_nodes)
		err = offsets_save(e->robust, o->offsets);
	if (!err && e->hooks->done)
		e->hooks->done(e->hooks->arg, e->robust);
	return err;
}

struct robust_params examine_params(const struct analysis_opts *o)
{
	struct robust_params p = ROBUST_PARAMS_DEFAULT;

	p.interval_s = o->interval_s;
	p.budget = o->budget;
	p.explain = o->explain;
	p.listed = o->peers;
	return p;
}

int examine_series(struct verdict *a, const struct analysis_opts *o, struct sources *s,
		   struct peers_file *peers, const struct examine_hooks *hooks)
{
	static const struct examine_hooks none;
	struct gaps gaps = {0};
	struct examine_feed e = {
		.o = o, .peers = peers, .hooks = hooks ? hooks : &none, .gaps = &gaps};
	int err = examine_all(&e, s, a);

	robust_free(e.robust);
	gaps_release(&gaps);
	free(e.at);
	return err;
}
