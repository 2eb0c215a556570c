/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The maker of findings: what a finding is about, and the evidence for it, as a line that people can check. Nothing
 * else makes one, so that each has the same fields filled in the same way.
 */
#ifndef LIMPET_FINDING_MAKE_H
#define LIMPET_FINDING_MAKE_H

#include "analyzer/evidence/evidence.h"
#include "verdict.h"

struct finding_about {
	size_t signal, node;
	const char *disk; /* NULL: the server itself */
	bool symptom;
	double value, peers;
	double ratio;	 /* 0: as the evidence has it; without one value over peers */
	double baseline; /* ln; 0: none */
	unsigned int flagged, judged;
	int64_t onset_ns, last_ns;
	int64_t begun_ns;   /* 0: onset_ns */
	int64_t decided_ns; /* 0: last_ns */
	bool chronic, open, held;
	/* Of a paper's method, which has no evidence. */
	double score;
	unsigned int n_peers; /* 0: not known */
};

/* e NULL: by a paper's method. There are no histograms in it, and of the evidence's logarithms the exponentials. */
struct finding finding_make(const struct finding_about *about, const struct evidence *e);

#endif
