// SPDX-License-Identifier: BSD-2-Clause
/* One examination: sources, intervals, engine, verdict, in this order. */
#include "examine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/output.h"
#include "analyzer/input/peers.h"
#include "userspace/common/options.h"

struct examination {
	const struct examine_opts *o;
	struct robust *r;
	struct peers_file *peers;
	size_t *node; /* of the gatherer's numbers: the engine's */
	size_t n;
};

static bool is_acknowledged(const struct examine_opts *o, const char *name)
{
	for (size_t i = 0; i < o->acknowledged.n; i++)
		if (!strcmp(o->acknowledged.at[i], name))
			return true;
	return false;
}

static int begin(void *arg, const char *const *hosts, size_t n)
{
	struct examination *e = arg;
	int err = 0;

	for (size_t i = 0; i < n; i++) {
		ssize_t node = robust_node(e->r, hosts[i], peers_group(e->peers, hosts[i]));

		if (node < 0)
			return (int)node;
		if (is_acknowledged(e->o, hosts[i]))
			robust_acknowledge(e->r, (size_t)node);
	}
	if (e->o->offsets)
		err = offsets_load(e->r, 0, e->o->offsets);
	if (!err && e->o->ready)
		e->o->ready(e->o->arg, e->r);
	return err;
}

static int identity(void *arg, size_t node, const struct device_identity *id)
{
	struct examination *e = arg;

	return robust_identity(e->r, node, id);
}

static int own(void *arg, size_t node, const char *cgroup)
{
	struct examination *e = arg;

	return robust_own(e->r, node, cgroup);
}

static int interval(void *arg, int64_t from_ns, const struct interval *const *at, size_t n)
{
	struct examination *e = arg;

	return robust_push(e->r, from_ns, at, n);
}

/* Nobody of that name: misspelt, or not recorded. */
static void warn_acknowledged(const struct examine_opts *o, const struct verdict *a)
{
	for (size_t i = 0; i < o->acknowledged.n; i++) {
		size_t k = 0;

		while (k < a->n_nodes && strcmp(a->nodes[k], o->acknowledged.at[i]))
			k++;
		if (k == a->n_nodes)
			warn("no server is called '%s', which is acknowledged",
			     o->acknowledged.at[i]);
	}
}

/* A day: no two clocks that are right differ by that. */
#define ELSEWHERE_NS ((int64_t)86400 * 1000000000)

static void span_of(const struct sources *s, size_t first, int64_t *from, int64_t *to)
{
	*from = INT64_MAX;
	*to = INT64_MIN;
	for (size_t i = first; i < s->n && !strcmp(s->at[i].host, s->at[first].host); i++) {
		if (!s->at[i].seconds)
			continue;
		*from = s->at[i].first_ns < *from ? s->at[i].first_ns : *from;
		*to = s->at[i].last_ns > *to ? s->at[i].last_ns : *to;
	}
}

static bool is_first(const struct sources *s, size_t i)
{
	return !i || strcmp(s->at[i].host, s->at[i - 1].host) != 0;
}

/* A server all of whose seconds lie a day or more from those of most others: a clock that is wrong, or an
 * old file among the new. */
static int note_clocks(const struct sources *s, struct verdict *a)
{
	char from_text[TIME_TEXT_LEN], to_text[TIME_TEXT_LEN];
	size_t size;
	FILE *to = open_memstream(&a->notes, &size);

	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++) {
		int64_t from, until, f, u;
		size_t away = 0, others = 0;

		if (!is_first(s, i))
			continue;
		span_of(s, i, &from, &until);
		for (size_t k = 0; k < s->n; k++) {
			if (!is_first(s, k) || k == i)
				continue;
			span_of(s, k, &f, &u);
			others++;
			away += f <= u && (f - until > ELSEWHERE_NS || from - u > ELSEWHERE_NS);
		}
		if (from <= until && others > 1 && 2 * away > others)
			fprintf(to,
				"%s was recorded from %s to %s, most others were not: is its "
				"clock right?\n",
				s->at[i].host, output_time(from, from_text),
				output_time(until, to_text));
	}
	return fclose(to) ? -ENOMEM : 0;
}

static int examine_series(struct examination *e, const struct sources *s, struct verdict *a)
{
	const struct examine_opts *o = e->o;
	struct gather_opts g = {.from_ns = o->from_ns,
				.to_ns = o->to_ns,
				.interval_s = o->params.interval_s,
				.threads = o->threads,
				.progress = o->progress};
	struct gather_to to = {begin, identity, own, interval, e};
	struct gathered met = {0};
	int err = gather_series(s, &g, &to, &met);

	output_progress_end();
	/* nothing was recorded: that is a verdict, too */
	if (err && err != -ENODATA)
		return err;
	err = robust_verdict(e->r, a);
	if (err)
		return err;
	a->lost = met.lost;
	a->duplicates = met.duplicates;
	a->damaged = met.damaged;
	warn_acknowledged(o, a);
	if (note_clocks(s, a)) {
		verdict_release(a);
		return -ENOMEM;
	}
	if (o->offsets && a->n_nodes && (err = offsets_save(e->r, o->offsets)))
		verdict_release(a);
	if (!err && o->done)
		o->done(o->arg, e->r);
	return err;
}

/* -ENODATA of an empty folder: sources_open() said so. */
static int no_data(struct verdict *a)
{
	*a = (struct verdict){.cannot = strdup("the source is empty")};
	return a->cannot ? 0 : -ENOMEM;
}

int examine(const struct examine_opts *o, char *const *paths, size_t n_paths, struct verdict *a)
{
	struct examination e = {.o = o};
	struct sources s = {0};
	int err;

	*a = (struct verdict){0};
	err = o->peers ? peers_load(&e.peers, o->peers) : 0;
	if (!err)
		err = sources_open(&s, paths, n_paths, &o->table);
	if (err) {
		peers_free(e.peers);
		return err == -ENODATA ? no_data(a) : err;
	}
	if (s.tabular) {
		err = examine_table(o, &s, a);
	} else if (o->signal || o->given) {
		fail("'--signal' and '--given' are for tables: series files have their own "
		     "signals");
		err = -EINVAL;
	} else {
		e.r = robust_new(&o->params);
		err = e.r ? examine_series(&e, &s, a) : -ENOMEM;
	}
	if (err == -ENOMEM)
		fail("out of memory");
	robust_free(e.r);
	peers_free(e.peers);
	sources_release(&s);
	return err;
}
