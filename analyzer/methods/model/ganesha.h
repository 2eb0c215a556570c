/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What method `ganesha` learns (Pan et al., CMU-PDL-08-112; the black-box half of Kahuna): the
 * profiles, K Gaussians over the normalised vectors of one second, and the thresholds.
 *
 * The paper fixes K, the five restarts of k-means and the 20 alarms; it does not tell the decay and
 * the thresholds, so they are our decisions [D], each with its reason here.
 */
#ifndef LIMPET_GANESHA_H
#define LIMPET_GANESHA_H

#include <jansson.h>
#include <stddef.h>

#include "analyzer/source/frame/frame.h"

enum {
	GANESHA_K_MAX = 64,
	GANESHA_METRICS_MAX = 256,
	GANESHA_CONSECUTIVE_MAX = 3600,
	GANESHA_K = 6,		  /* [P] */
	GANESHA_RESTARTS = 5,	  /* of k-means [P Fig. 6] */
	GANESHA_CONSECUTIVE = 20, /* alarms in a row that indict [P Fig. 7] */
	GANESHA_ITERATIONS = 500, /* of EM, at most */
	/* Profiles are learnt from about so many vectors; of more, a seeded random part. A profile
	 * of 14 metrics has 119 parameters: more data would not change it. */
	GANESHA_VECTORS = 100000,
};

/* EM ends when ln L per vector changes by less, relative to 1 + |ln L|. */
#define GANESHA_TOLERANCE 1e-6

/*
 * Floor of sigma, in ln units: a metric that was constant in training must not make a change of 1 %
 * a matter of many sigmas.
 */
#define GANESHA_SIGMA_MIN 0.01

/*
 * Added to the diagonal of every covariance: no profile is narrower than a tenth of the metric's
 * whole spread. Within a profile some metrics are constant (no %iowait while nothing is read),
 * and without it the first second with any would be infinitely far from all profiles.
 */
#define GANESHA_RIDGE 0.01

/*
 * Decay of a histogram each second. 1/(1 - lambda) = 100 seconds are what it remembers: long
 * enough to hold "moderately long durations" (section 3) of similar behaviour, so that two
 * healthy nodes differ little by chance (see ganesha_chance()), short enough for a fault of some
 * minutes to fill it.
 */
#define GANESHA_LAMBDA 0.99

/* Decay of the weighted count of alarms: 1/(1 - decay) = 20 seconds, as many as in a row. */
#define GANESHA_ALARM_DECAY 0.95

/* Share of the training vectors that may be further from their profile than `unknown`. */
#define GANESHA_UNKNOWN_SHARE 0.001

struct ganesha {
	size_t d, k;			  /* metrics, profiles */
	char (*metrics)[METRIC_NAME_LEN]; /* d */
	double *sigma;			  /* d: of ln(x + 1) in training, floored */
	double *mean;			  /* k x d, of ln(x + 1) / sigma */
	double *cov;			  /* k x d x d, regularised */
	double lambda;			  /* decay of a histogram of labels, each second */
	double unknown;			  /* over this Mahalanobis distance: "unknown" */
	double distance;		  /* threshold of the root of JSD */
	unsigned int consecutive;	  /* alarms in a row that indict */
	double alarm_decay, alarm_count;  /* the weighted count that indicts instead */
	size_t vectors;			  /* it was trained on */
	size_t seconds;			  /* of training in which alarms were looked for */
	double log_likelihood;		  /* per vector, at the end of EM */
	unsigned int iterations;
};

/* All zero but for the constants above; NULL: out of memory. */
struct ganesha *ganesha_new(size_t k, size_t d);
void ganesha_free(struct ganesha *g); /* takes NULL */

/* The part of a model file; NULL: out of memory. */
json_t *ganesha_json(const struct ganesha *g);
/* Reads it back, believing nothing: NULL, with what is wrong in why (a sentence's end), or
 * "out of memory". */
struct ganesha *ganesha_load(const json_t *o, char *why, size_t size);

/*
 * What a value in the metric's own unit is multiplied by before the logarithm: the paper counts
 * bytes where sysstat has kB/s (rxkB/s, txkB/s) and blocks of 512 bytes (bread/s, bwrtn/s).
 */
double ganesha_scale(const struct frame_metric *m);

/* Fig. 4 without sigma: ln(x + 1); NaN where there is none (x <= -1). */
double ganesha_log(double scaled);

/*
 * Learns profiles from n vectors of ln(x + 1) (n x d, complete; normalised in place): sigma,
 * k-means, EM, and `unknown` [Fig. 6]. Fewer different vectors than K make fewer profiles. n > 0.
 * NULL with errno ENOMEM, or EDOM: no covariance (cannot happen to finite vectors).
 */
struct ganesha *ganesha_learn(double *x, size_t n, size_t d);

/*
 * The root of JSD that two nodes of the same behaviour differ by in the mean, by chance alone,
 * with K profiles: (K - 1)/(4 N), N = (1 + lambda)/(1 - lambda) independent seconds in a
 * histogram. [D] No threshold is below it: an idle cluster, whose nodes do not differ at all,
 * would teach 0.
 */
double ganesha_chance(double lambda, size_t labels);

#endif
