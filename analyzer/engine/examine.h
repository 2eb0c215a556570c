/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One examination of series files, from open sources to a verdict, by the engine. What opens them, and
 * chooses between this and engine/tables, stands above both (methods/examine_sources.h).
 */
#ifndef LIMPET_ROBUST_EXAMINE_H
#define LIMPET_ROBUST_EXAMINE_H

#include <signal.h>
#include <stddef.h>

#include "analyzer/source/feed.h"
#include "analyzer/source/peers.h"
#include "robust.h"
#include "analyzer/verdict/gaps.h"
#include "analyzer/options/analysis.h"

/* For those that watch the engine at work; each may be NULL. */
struct examine_hooks {
	/* Called with the engine when there are servers that are new, and what is kept of them was loaded: before the first
	 * interval, to observe it; again, if all begins anew because a file was found to be damaged. An error ends it. */
	int (*ready)(void *arg, struct robust *r);
	/* Called after each interval; an error ends it. Files are read once before then, as what was told
	 * of a file that is found to be damaged cannot be taken back. */
	int (*step)(void *arg, struct robust *r);
	/* Called with the engine after the last interval. */
	void (*done)(void *arg, struct robust *r);
	/* Called with the states of jobs' logs, where there are some, after all was judged. */
	void (*states)(void *arg, const struct states *s);
	/* Called with the verdict and what it is about, after all was judged. */
	void (*judged)(void *arg, const struct verdict *a, const struct sources *s);
	void *arg;
};

/* The sources (open, series files) through the engine; some may be dropped on the way. peers: NULL, all are. 0,
 * also where nothing could be judged (verdict.cannot); negative errno after a message, but of -ENOMEM.
 * hooks: NULL is none. */
int examine_series(struct verdict *a, const struct analysis_opts *o, struct sources *s,
		   struct peers_file *peers, const struct examine_hooks *hooks);

/*
 * The items of a feed of recordings into the engine: `diagnose` until END, `watch` each time until NOT_YET. Zeroed at
 * first; robust, o, hooks (ready and step are called) and, may be NULL, peers are the caller's.
 */
struct examine_feed {
	struct robust *robust;
	const struct analysis_opts *o;
	const struct examine_hooks *hooks;
	struct peers_file *peers;
	/* Not 0: the next interval ends it, with -ECANCELED; NULL. */
	const volatile sig_atomic_t *stop;
	struct gaps *gaps; /* filled; may be NULL */
	/* The next interval, for step() the last one: by server, NULL where it said nothing. The caller frees it. */
	const struct interval **at;
	size_t n;   /* servers */
	bool ended; /* the feed said END */
};
/* 0, or negative errno after a message; what a hook returns ends it, without a message but for -ENOMEM. -EBADMSG is
 * without one, too (feed.h). */
int examine_feed(struct examine_feed *e, struct feed *f);

/* The engine's, where the options say something of them. */
struct robust_params examine_params(const struct analysis_opts *o);

/* offsets.c: JSON, keyed by server, disk and signal. Both 0 or negative errno after a message; a file
 * that is not there yet is fine to read. Loaded for the servers from number `from` on, before their first
 * interval; saved after the last. */
int offsets_load(struct robust *r, size_t from, const char *path);
int offsets_save(const struct robust *r, const char *path);

#endif
