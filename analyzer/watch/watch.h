/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `limpet watch`: files that grow, series of servers and logs of jobs, through the engine of `robust` into a verdict
 * after every interval, and what is new in it. Knows no terminal and no network: cmd_watch.c gives it the time, and shows.
 */
#ifndef LIMPET_WATCH_H
#define LIMPET_WATCH_H

#include <signal.h>

#include "changes.h"
#include "looks.h"
#include "analyzer/source/follow_logs.h"
#include "analyzer/source/peers.h"
#include "analyzer/engine/examine.h"
#include "userspace/common/clock.h"

/*
 * States of jobs are judged at most every three seconds, as AutoDiagn does, and for a twentieth of the time: what
 * there is to judge is bounded (follow_logs.h), and so is a look.
 */
#define WATCH_JOBS_NS	 (3 * NS_PER_S)
#define WATCH_JOBS_SHARE 20

/*
 * What is over is forgotten so long after its end, or memory and the time for an interval would grow with the
 * number of verdicts that there ever were. A day: what a night's or a day's work brings with it is one
 * incident still [D]. Looked at now and then, so that it may be an hour more.
 */
#define WATCH_KEEP_NS	NS_PER_DAY
#define WATCH_FORGET_NS (WATCH_KEEP_NS / 24)

/* Each observation of the engine, as it is made. */
typedef void watch_observe_fn(void *arg, const struct robust *r, const struct observation *o);

struct watch {
	const struct analysis_opts *o;
	struct peers_file *peers;
	struct feed *feed; /* series files that grow, or frames */
	bool stream;	   /* frames, from standard input */
	bool received;	   /* which a service receives, after what it kept */
	bool ended;	   /* which have ended: there will be no more */
	struct follow_logs *logs;
	struct watch_jobs {
		bool any;	     /* states are known */
		size_t states, open; /* of the last look */
		int64_t at_ns;	     /* of it, as the step was told */
		int64_t rest_ns;     /* before the next one */
		bool news;	     /* lines since then */
		bool behind,
			lay_there; /* what lay there at the start is read still; the newest lines are of that */
		int64_t age_ns; /* since the last of them, by steps (unheard.h) */
	} jobs;
	struct robust *robust;
	struct examine_feed into; /* the engine */
	struct examine_hooks hooks;
	struct looks looks;
	watch_observe_fn *observe; /* of what a service receives; NULL */
	void *observe_arg;
	struct roster *roster;	      /* likewise: what counts of the tables of jobs (roster.h) */
	struct track_history history; /* for logs to ask */
	struct track_events *events;
	struct verdict verdict; /* after the last interval */
	int64_t *heard_ns;	/* by server: end of the last interval in which it said something */
	bool *here;		/* by server: in the last interval */
	size_t n_heard;
	bool caught_up, stale_verdict;
	int64_t told_ns; /* events of before were told by another run; INT64_MIN: none were */
	uint64_t intervals;
	int64_t now_ns;	   /* of the step that is under way */
	int64_t age_ns;	   /* how long ago the last interval came in that a server has */
	bool unheard;	   /* in the last verdict: nothing of any server for too long */
	int64_t forgot_ns; /* end of the interval after which that was done last */
	const volatile sig_atomic_t *stop; /* not 0: a step ends early, with -ECANCELED; NULL */
};

/*
 * A path "-" is standard input, and what comes there are frames (feed.h); beside it there may be logs, alone or in folders,
 * but no series files. All of what is in them is told as it comes.
 */
#define WATCH_STREAM "-"

/* Begins at o->from_ns; INT64_MIN: back_s before the newest second, 600 if it is below 0, of frames with the first. Options and paths are
 * the caller's and stay. 0, or negative errno after a message. */
int watch_new(struct watch **w, const struct analysis_opts *o, double back_s, char *const *paths,
	      size_t n_paths);

/* What a service receives (analyzer/serve): frames through fd, in order of time, after what was kept of those before. */
struct watch_received {
	int fd;
	/* Kept: series files or folders of them, which are taken in at once, from from_ns to before to_ns; the frames go on there.
	 * None, or nothing in them: the frames begin with the first. */
	char *const *series;
	size_t n_series;
	int64_t from_ns, to_ns;
	/* Sources beside that: files and folders of recordings and logs that grow. What of them is older than to_ns is among `series`. */
	char *const *sources;
	size_t n_sources;
	/* What happened before was told already (track_resume()); INT64_MIN: nothing was. */
	int64_t told_ns;
	const volatile sig_atomic_t *stop; /* as in struct watch */
	watch_observe_fn *observe;	   /* NULL: none */
	void *observe_arg;
	struct roster *roster; /* NULL: none */
};
int watch_of_received(struct watch **w, const struct analysis_opts *o,
		      const struct watch_received *in);

/* Of what is received: one more folder of logs that grow, which need not be there yet. 0 or -ENOMEM after a message. */
int watch_follow_logs(struct watch *w, const char *folder);

void watch_free(struct watch *w); /* takes NULL */

/* Takes in what is complete by now_ns. Returns how many intervals it was, or negative errno after a message.
 * The first step takes in what lies back, and tells only what is so at its end. */
ssize_t watch_step(struct watch *w, int64_t now_ns);

/* Whether what was judged has come to where events are new; before, nothing is told. */
bool watch_told_all(const struct watch *w);

/* The end of what was judged: of the last interval, or of the logs; INT64_MIN: nothing was. */
int64_t watch_until(const struct watch *w);

/* What the verdict numbers a server of the engine: where jobs have servers of their own it is another number. */
size_t watch_row(const struct watch *w, size_t server);

/* What is wrong with files or logs at present; NULL: nothing is. Until the next step. */
const char *watch_trouble(struct watch *w);

/* Servers that said something in the last interval. */
size_t watch_reporting(const struct watch *w);
/* Own usual offsets, if a file is named for them. 0 or negative errno after a message. */
int watch_save(const struct watch *w);

/* start.c: the time back_s before the newest second of the series files at these paths that is not after now; INT64_MIN:
 * there is none. What cannot be read is passed over. */
int64_t watch_begin(char *const *paths, size_t n_paths, double back_s);

#endif
