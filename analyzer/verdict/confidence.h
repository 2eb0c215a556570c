/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How likely it is that an incident is right: that the server it names limps. One table, of what was found when
 * incidents of known truth were counted.
 */
#ifndef LIMPET_CONFIDENCE_H
#define LIMPET_CONFIDENCE_H

#include "verdict.h"

/* What it is told by. */
struct confidence_basis {
	double margin; /* score over what it must reach; NaN: not known */
	double peers;  /* how many; 0: not known */
	double df;     /* degrees of freedom of the score; NaN: not known */
	size_t doubts; /* the rules have so many */
	bool suspicious;
};

/* 0 … 1. */
double confidence_of(const struct confidence_basis *b);
/* The same of an incident, by its first finding and its doubts; also for one without findings. */
double confidence_of_incident(const struct incident *in);

#endif
