/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `limpet evaluate` holds: every labelled run with what became of it, and the scores of groups of
 * runs. The command fills it; the outputs print it.
 */
#ifndef LIMPET_EVALUATE_H
#define LIMPET_EVALUATE_H

#include "analyzer/verdict/verdict.h"
#include "score.h"
#include "truth.h"
#include "userspace/common/options.h"

/* A server that was indicted in a run. */
struct incidents {
	char node[HOST_LEN];
	enum cause cause;
	struct guess guess;
	enum direction direction;
	/* hit: indicted for what happened during its fault. alarm: indicted while it had none. */
	bool faulty, hit, alarm;
	double after_s; /* from the fault's onset (else the run's start) until the vote was complete:
			 * the first that counts as a hit, else the first at all */
};

enum run_state { RUN_JUDGED, RUN_CANNOT, RUN_FAILED };

struct evaluated {
	const struct labelled *label;
	enum run_state state;
	char *why; /* owned: why it could not be judged, or failed; or NULL */
	struct outcome outcome;
	struct incidents *incidents; /* owned: in the order of the verdict's ranking */
	size_t n_incidents;
};

/* Runs that have these words in common; NULL: any. */
enum group_kind {
	GROUP_CELL,
	GROUP_FAULT,
	GROUP_WORKLOAD,
	GROUP_CLUSTER,
	GROUP_INTENSITY, /* of a fault, where it has one */
	GROUP_ALL,
	GROUP_KINDS
};

extern const char *const group_kind_names[GROUP_KINDS];

struct group {
	enum group_kind kind;
	const char *cluster, *fault, *workload, *intensity;
	struct score score;
};

struct evaluation {
	const char *method; /* as asked for, "robust" by default; NULL: the models' */
	bool top;	    /* only the first of a verdict's ranking counts */
	struct evaluated *runs;
	size_t n_runs, n_failed;
	struct group *groups; /* by kind, then as the truth has them */
	size_t n_groups;
};

/*
 * Holds a verdict against its label. 0; -ENOMEM; or -EINVAL after a message, if the label cannot be of
 * this run: a server that is not there, a fault outside of the time recorded.
 */
struct evaluate_how {
	bool top;    /* only the first of the verdict's ranking counts */
	bool causes; /* the methods asked for can name causes */
};
int evaluate_run(struct evaluated *e, const struct labelled *label, const struct verdict *a,
		 struct evaluate_how how);
/* A run that could not be read or does not fit its label: missed by a method of these words. 0 or
 * -ENOMEM. *e may hold what was found before. */
int evaluate_failed(struct evaluated *e, const struct labelled *label, enum vocabulary words,
		    struct evaluate_how how, const char *why);

/* Scores all runs once they are there. 0 or -ENOMEM. */
int evaluate_groups(struct evaluation *all);
void evaluation_release(struct evaluation *all); /* takes a zeroed one */

/* The least intensity of a fault from which on, at each that was tried, so large a share of its runs are found; NaN: none. */
double evaluate_power(const struct evaluation *all, const char *fault, double share);

/* "hit", "miss", "clean", "alarm", …: one word for a run. */
const char *evaluate_word(const struct evaluated *e);

/* With `runs` a line (an object) per run as well; in CSV, instead. */
void evaluate_text(struct evaluation *all, bool runs);
void evaluate_csv(struct evaluation *all, bool runs);
int evaluate_json(struct evaluation *all, bool runs); /* 0 or -ENOMEM */

#endif
