/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parameters of the trained methods: given to `train`, kept in the model, obeyed by `diagnose`
 * (which may override slack and votes only: they do not change what was measured).
 */
#ifndef LIMPET_PARAMS_H
#define LIMPET_PARAMS_H

#include "analyzer/options/analysis.h"
#include "analyzer/stat/hist.h"

struct params {
	unsigned int smooth;	  /* samples of the trailing mean [R: 5] */
	unsigned int window;	  /* smoothed samples in a window [R: 64] */
	unsigned int shift;	  /* samples between the starts of two windows [R: 32] */
	unsigned int bins;	  /* of a histogram [D: 10] */
	unsigned int votes;	  /* k: odd in k of the last 2k-1 windows indicts [R: 3] */
	unsigned int cwnd_smooth; /* samples of the trailing mean of cwnd-ln [R: 31] */
	unsigned int partition;	  /* kl: peers a server is compared with; 0: all [P: slides] */
	double slack;		  /* thresholds are this much wider than training needed [P: 1] */
	double t_min;		  /* no divergence threshold below this; 0: params_t_min() */
};

#define PARAMS_DEFAULT                      \
	((struct params){.smooth = 5,       \
			 .window = 64,      \
			 .shift = 32,       \
			 .bins = 10,        \
			 .votes = 3,        \
			 .cwnd_smooth = 31, \
			 .slack = 1.0})

enum { SMOOTH_MAX = 3600, PARTITION_MIN = 4 };

/* NULL, or what is wrong as one sentence. */
const char *params_check(const struct params *p);

/*
 * What chance alone makes of the divergence of two equal nodes, about (B-1)/N_eff: smoothing over
 * m samples leaves N_eff = N/m independent ones [D].
 */
double params_t_min(const struct params *p);

/*
 * The largest divergence two histograms of N samples can have when each count is raised by one
 * half: all samples of one in a bin where the other has none; N/(N+B/2) ln((N+1/2)/(1/2)).
 */
double params_d_max(const struct params *p);

#endif
