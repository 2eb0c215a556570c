/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verdict: indictments gathered per node, ranked, with the cause, and printed as text (under
 * 100 columns) or JSON with the same content.
 */
#ifndef LIMPET_PAPER_VERDICT_H
#define LIMPET_PAPER_VERDICT_H

#include "analyzer/methods/checklist.h"
#include "judgement.h"
#include "analyzer/methods/model/model.h"
#include "paper_unjudged.h"

/* One indicted node. */
struct paper_indictment {
	size_t node;
	const struct rule *rule;
	double key;		   /* largest divergence over threshold of its metrics */
	int64_t onset_ns, last_ns; /* from the first to the last of its findings */
	int64_t decided_ns;	   /* when the first of its votes was complete */
	size_t first, n;	   /* its findings: judgement.findings[first .. first+n), by key */
};

struct paper_verdict {
	const struct frame *frame;
	const struct model *model;
	const struct judgement *judgement;
	const char *cannot;		   /* why nothing could be judged, or NULL */
	struct paper_indictment *indicted; /* by key, largest first */
	size_t n_indicted;
	struct paper_unjudged *unjudged; /* on some metrics or on all */
	size_t n_unjudged;
	size_t n_judged; /* servers that could be judged on any metric: n */
	double runs;	 /* training time in runs as long as the one judged: r */
	double odd;	 /* chance of an odd window among them: 1 - (r/(r+1))^n; not of an alarm */
};

/* Sorts the judgement's findings. `cannot` as below: then nothing was judged. 0 or -ENOMEM. Frame,
 * model, judgement and `cannot` must outlive it. */
int paper_verdict_make(struct paper_verdict *v, const struct frame *f, const struct model *m,
		       struct judgement *j, const char *cannot);
void paper_verdict_release(struct paper_verdict *v);

/* Whether some server of the model or the data could be judged on nothing at all. */
bool paper_verdict_incomplete(const struct paper_verdict *v);

/* "3 servers are needed, …" or NULL if the frame, of which all was looked at, can be judged at all:
 * `common` of its intervals and `n_useful` of its windows have data on enough servers of one group.
 * buf holds the sentence. */
const char *paper_verdict_cannot(const struct frame *f, const struct params *p, size_t common,
				 size_t n_useful, char *buf, size_t size);

/* If nothing could be judged, the text is only who was not; the caller says why. */
void paper_verdict_text(const struct paper_verdict *v);
/* With what table_report() says of a table. 0 or -ENOMEM. */
int paper_verdict_json(const struct paper_verdict *v, const struct table *t);

#endif
