/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine of `robust`, the method that needs no training: takes intervals as they come, keeps the last
 * window of each server, compares every signal, follows who deviates since when, and gives a verdict
 * at any time. It reads no files and prints nothing: examine.c feeds it.
 *
 *   intervals of all servers -> cells (signals) -> compare -> panel -> evidence -> track -> rules -> verdict
 */
#ifndef LIMPET_ROBUST_H
#define LIMPET_ROBUST_H

#include <sys/types.h>

#include "analyzer/verdict/verdict.h"
#include "analyzer/interval/interval.h"
#include "analyzer/evidence/evidence.h"
#include "analyzer/panel/panel.h"

#define ROBUST_NAME "robust" /* as a method; of its verdicts */

/*
 * An interval is 4 s: four of them, the shortest time that indicts, fit in the 20 s in which a disk that became
 * three times slower should be named, and a burst of 10 s fills at most three. A window, 32 s, is what
 * distributions are shown of, and how often notices are looked for.
 */
enum { WINDOW_INTERVALS = 8 };

struct robust_params {
	double interval_s; /* 4 */
	double budget;	   /* false indictments per group of peers and observed week */
	bool explain;
	bool listed; /* groups were, by people */
};
#define ROBUST_PARAMS_DEFAULT ((struct robust_params){.interval_s = 4, .budget = BUDGET_SERIES})

struct robust;
struct track_history;

struct robust *robust_new(const struct robust_params *p); /* NULL: out of memory */
void robust_free(struct robust *r);			  /* takes NULL */

/* Adds a server of a group of peers (0: all are), or finds it. Its number, or -ENOMEM. */
ssize_t robust_node(struct robust *r, const char *name, int32_t group);
/* What is known of a server's disk or interface; may come again, and late. 0 or -ENOMEM. */
int robust_identity(struct robust *r, size_t node, const struct device_identity *id);
/* Processes in or below this control group (a path as theirs are), or this process ("pid:1234"), are the
 * file system's own on this server; may come again, and others besides. 0 or -ENOMEM. */
int robust_own(struct robust *r, size_t node, const char *cgroup);
/* An operator knows of this server: shown, not indicted. */
void robust_acknowledge(struct robust *r, size_t node);
/* The own usual offsets kept from a run before and for the next one (offsets.c). Set after the servers and
 * before the first interval; disks that are not known yet are remembered. 0 or -ENOMEM; what fn returned. */
int robust_set_offset(struct robust *r, const char *node, const char *disk, enum signal s,
		      double offset);
int robust_offsets(const struct robust *r,
		   int (*fn)(void *arg, const char *node, const char *disk, enum signal s,
			     double offset),
		   void *arg);

/*
 * The next interval: at[i] of server i, NULL or seconds == 0 where it said nothing; n may be less than the
 * number of servers. from_ns: whole intervals, ascending; what lies between is taken as silence. What is
 * pushed is copied. 0, -ENOMEM, or -EINVAL if it does not follow.
 */
int robust_push(struct robust *r, int64_t from_ns, const struct interval *const *at, size_t n);

/* What there is to say after the last interval; *a is the caller's. 0 or -ENOMEM. */
int robust_verdict(struct robust *r, struct verdict *a);

/*
 * For who goes on for weeks: drops incidents that are over and whose last bad interval ended before this time,
 * notices that were last so before it, and what was ruled out before it. What is open stays, whole: its earlier
 * spells are one as long as a later spell of the same incident is there. Verdicts are then of what is left, and equal else.
 */
void robust_forget(struct robust *r, int64_t before_ns);

/* ---- for those who draw: every observation, as it is made ------------------------------------------ */

/* fn is called within robust_push() for every entity and signal that was compared. The engine keeps none of
 * them then, whatever `explain` says. */
void robust_observe(struct robust *r, void (*fn)(void *arg, const struct observation *o),
		    void *arg);

/* Keeps in h from now on what logs of jobs may ask (rules/meanwhile.h); h outlives the engine, or NULL. */
void robust_history(struct robust *r, struct track_history *h);

/* Panels have numbers from 0; so have the members of each. Both may become more with each interval, and keep their
 * numbers. One that is hidden holds disks of unlike models, and is there besides those that hold their peers. NULL: no
 * such panel. */
const struct panel *robust_panel(const struct robust *r, size_t i);
/* The panel that this disk (or, disk "", server) is in with its peers; SIZE_MAX: none. */
size_t robust_panel_of(const struct robust *r, size_t node, const char *disk, enum signal s);
/* The latencies of a member of a panel of disks, of one operation (OP_READ, OP_WRITE) and part, all sizes and
 * loads, in the window now held. Returns how many events that are. */
uint64_t robust_latency(const struct robust *r, size_t panel, size_t member, int op,
			enum lat_part part, uint64_t at[LAT_BUCKETS]);

/* ---- for the benchmark: what the time goes to ----------------------------------------------------- */

enum robust_stage {
	STAGE_VALUES,	/* intervals kept, and the signals' values of the newest */
	STAGE_COMPARE,	/* each entity with its peers */
	STAGE_EVIDENCE, /* what adds up, against the yardstick */
	STAGE_RULES,	/* incidents, and what the rules say of them */
	ROBUST_STAGES
};
/* From now on the processor time of the thread that pushes is added up there, s; NULL: no more. */
void robust_measure(struct robust *r, double stages_s[ROBUST_STAGES]);

size_t robust_nodes(const struct robust *r);
const char *robust_node_name(const struct robust *r, size_t node);
int32_t robust_node_group(const struct robust *r, size_t node); /* of peers */
double robust_interval_s(const struct robust *r);
double robust_window_s(const struct robust *r);
int64_t robust_now(const struct robust *r); /* end of the last interval; INT64_MIN: none */

#endif
