/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scores of labelled runs: counts in, rates with intervals out. Pure arithmetic; who was indicted
 * rightly is decided elsewhere (evaluate_run.c) and comes in as a struct outcome.
 */
#ifndef LIMPET_SCORE_H
#define LIMPET_SCORE_H

#include <stdbool.h>
#include <stddef.h>

/* k of n. */
struct rate {
	size_t k, n;
};

/*
 * One run, as judged, against its label. A server is judged if a vote on any metric was possible.
 * An alarm is an indictment of a server that had no fault at the time: one without a fault, or one
 * with, decided before its fault began or begun after it had ended; a server with both an alarm and
 * a hit has both [D].
 */
struct outcome {
	bool cannot;	   /* nothing could be judged */
	bool failed;	   /* it could not even be read: cannot, too */
	bool clear;	   /* every server was called well */
	bool unproven;	   /* nobody was more than unproven, and somebody was */
	size_t faulty;	   /* servers with the fault; 0: a fault-free run */
	size_t hit;	   /* of those, indicted for what happened during the fault */
	size_t named;	   /* of those, with the right cause as well */
	bool cause_known;  /* the fault is one of those the method has a cause for */
	bool directed;	   /* packets were lost one way or both, and the method can say which */
	size_t direction;  /* of the hit, with the right direction */
	size_t guessed;	   /* of the named, with a guess at more than the cause */
	size_t guess;	   /* of the guessed, with the right guess */
	size_t missed;	   /* servers with the fault, judged, without a hit */
	size_t free;	   /* judged servers without the fault */
	size_t alarmed;	   /* of those, indicted */
	size_t untimely;   /* servers with the fault that have an alarm */
	size_t misnamed;   /* alarms (of both kinds) with a cause other than "none" */
	size_t not_judged; /* servers, with the fault or without */
	double ttd_s;	   /* from the fault's onset until the last faulty server's indictment was
			    * complete; NaN if not all were indicted */
};

/*
 * What is counted. Of Kasick et al., FAST'10, [R] recalled from the full paper, of which only the
 * slides were at hand:
 *   ITP  runs with a fault in which every faulty server was indicted; a run that could not be judged
 *        is a miss, and so is one that failed (no recording is dropped): failed runs are counted apart
 *        besides
 *   IFP  runs with or without a fault in which a server was indicted that had none; of those that
 *        could be judged [D], since a run without a judgement is no proof of restraint
 *   DTP  as ITP, and every faulty server with the right cause; of runs whose fault has one
 *   DFP  as IFP, and with any cause other than "none"
 * Of Pan et al., Ganesha, section 5.2 [P], over servers instead of runs:
 *   TP   faulty servers that were indicted, of all faulty ones
 *   FP   fault-free servers that were indicted, of the judged ones [D], in runs with a fault
 *   false-alarm rate: indicted servers of the judged ones in fault-free runs; and, ours, the runs
 *        with any
 * Over judged servers of all runs: precision and recall.
 * Ours:
 *   60 s       as ITP, and within 60 s of the fault's onset
 *   direction  runs with packet loss on the servers that were indicted, every one of them with the
 *              side on which packets are lost; of methods that tell sides
 *   guess      servers with the right cause and a guess at what is behind it: the guess is right
 *   unproven   runs that were judged and in which nobody was indicted: the answer was "unproven"
 *   clear      runs with a fault of which every server was called well
 */
/* clang-format off */
#define SCORE_RATES(X) \
	X(ITP, "itp") X(IFP, "ifp") X(DTP, "dtp") X(DFP, "dfp") X(TP, "tp") X(FP, "fp") \
	X(ALARM_SERVERS, "false_alarm_servers") X(ALARM_RUNS, "false_alarm_runs") \
	X(PRECISION, "precision") X(RECALL, "recall") X(60S, "within_60s") \
	X(DIRECTION, "direction") X(GUESS, "guess") X(UNPROVEN, "unproven") \
	X(CLEAR, "clear")
/* clang-format on */
#define SCORE_RATE_ENUM(NAME, WORD) RATE_##NAME,
enum score_rate { SCORE_RATES(SCORE_RATE_ENUM) RATE_COUNT };

/* As they are called in CSV and JSON. */
extern const char *const score_rate_names[RATE_COUNT];

struct score {
	size_t faulty, fault_free;		 /* runs */
	size_t cannot_faulty, cannot_fault_free; /* of those, runs that could not be judged */
	size_t failed_faulty, failed_fault_free; /* of those, runs that failed */
	struct rate rate[RATE_COUNT];
	size_t tp, fp, tn, fn; /* judged servers; an alarm of a faulty server is one more fp */
	size_t not_judged;     /* servers, in none of the four */
	double *ttd_s;	       /* of runs that are hits */
	size_t n_ttd;
};

/* Adds one run; 0 or -ENOMEM. */
int score_add(struct score *s, const struct outcome *o);
void score_release(struct score *s); /* takes a zeroed one */

/* k/n; NaN if n is 0. */
double rate_value(struct rate r);

/*
 * The 95 % interval of Wilson (1927) of a binomial share: the shares p whose own standard error
 * reaches k/n. Its ends are exactly 0 for none and 1 for all; both NaN if n is 0.
 */
struct bounds {
	double lo, hi;
};
struct bounds rate_wilson(struct rate r);

/* Matthews' correlation coefficient of the four counts; NaN where a row or column of them is 0. */
double score_mcc(const struct score *s);

/* The q-quantile of the times to detection (type 7, numpy's); NaN if there is none. Permutes. */
double score_ttd(struct score *s, double q);

#endif
