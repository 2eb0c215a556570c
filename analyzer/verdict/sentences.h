/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a verdict says, as sentences: made of kinds and fields here and nowhere else, for those who read, and
 * never read back. Names in them are as they were recorded: outputs clean what they print.
 */
#ifndef LIMPET_SENTENCES_H
#define LIMPET_SENTENCES_H

#include "status.h"
#include "userspace/common/text.h"

/* All add their sentence to a text and return it, until more is added; "" where there is nothing to say. */

/* "sdb: other programs read 31.0 of 36.9 MiB/s", "send side, to 3 of 3 hosts that carry data". in: the incident, whose other
 * disks with the same are named; NULL: it is of none. */
const char *sentence_detail(struct text *t, const struct verdict *a, const struct detail *d,
			    const struct incident *in);
/* What jobs feel of it; "" where nothing is known. */
const char *sentence_impact(struct text *t, const struct verdict *a, const struct incident *in);
const char *sentence_guess(struct text *t, const struct guess *g);
/* "only 3 peers to compare with; only 40 s of data" */
const char *sentence_doubts(struct text *t, const struct incident *in);
/* Why an incident indicts nobody; "" of one that does. */
const char *sentence_suspicion(struct text *t, const struct incident *in);
/* Why a server is suspicious, unproven or was not judged; "" of one that is indicted or well. */
const char *sentence_status(struct text *t, const struct verdict *a, size_t node, bool now);
/* "1 is indicted, 4 are well, 1 could not be judged" */
const char *sentence_statuses(struct text *t, const struct verdict *a, bool now);
/* Why a resource is unproven: "a disk that takes 2 x as long would not have been seen: a ratio of 4.10 x was needed
 * in read latency" */
const char *sentence_unproven(struct text *t, const struct verdict *a, const struct unproven *u);
/* All of one resource of servers that are well otherwise: "disk of 3 of 5 servers: faults below 2.51 x to 4.10 x in
 * read latency would be missed"; "" if it is proven. */
const char *sentence_unproven_all(struct text *t, const struct verdict *a, enum resource resource,
				  bool now);
/* The longest few gaps: "no data of any server from … to … (16 min), of oss-3 from … to … (2 h), and 1 more"; "" if there is none. */
const char *sentence_gaps(struct text *t, const struct verdict *a);
/* The first few that could not be judged: "oss-6 (no data), oss-7 (no data), and 3 more" */
const char *sentence_not_judged(struct text *t, const struct verdict *a);
/* Of a verdict that indicts nobody: "no server limps" only if all were judged and are well;
 * "no server is seen to limp, but …" if they are unproven. */
const char *sentence_nobody(struct text *t, const struct verdict *a, bool now);
/* "; s3, s4 stopped reporting": what a sentence about all ends with. */
const char *sentence_silent(struct text *t, const struct verdict *a, bool now);
/* "comes and goes: 5 times since 2026-11-21T01:00:00Z, 33 % of the time"; "" of one that came once. */
const char *sentence_times(struct text *t, const struct incident *in);
/* "95 % sure"; "" where it is not told. */
const char *sentence_confidence(struct text *t, const struct incident *in);
const char *sentence_unjudged(struct text *t, const struct unjudged *u);
/* "3 servers are needed, and 2 have data" */
const char *sentence_cannot(struct text *t, const struct cannot *c);
/* Names the server, where the notice is of one. */
const char *sentence_notice(struct text *t, const struct verdict *a, const struct notice *m);

/* "T on oss-3 runs for 31 s, others 10.0 s; its server limps": the first cause explains most */
/* "job JOB: 3 of 8 tasks are late; DECISION" */
const char *sentence_job(struct text *t, const struct straggler_job *j);
/* How much of straggling the inputs of tasks explain; "" where nothing was compared. */
const char *sentence_straggling(struct text *t, const struct straggling *s);
const char *sentence_straggler(struct text *t, const struct verdict *a, const struct straggler *s);
/* "tasks on oss-3: 301 s (73 %), 220 s more than such tasks take elsewhere" */
const char *sentence_wait(struct text *t, const struct verdict *a, const struct straggler_job *j,
			  const struct job_wait *w);

/* One of the verdict's notes, or of what the reader said. */
const char *sentence_note(struct text *t, const struct note *n);

/* ---- constants ---- */

/* What a server with this incident does: "limps", "was suspicious". */
const char *sentence_verb(const struct incident *in);
/* What a share is of: "CPU time"; NULL of SHARE_NONE. */
const char *sentence_share(enum share of);
/* Why a finding of ruled_out did not indict. */
const char *sentence_why_not(const struct verdict *a, const struct finding *f);
/* The i-th kind of fault that nobody would have noticed; NULL after the last. */
const char *sentence_unseen(const struct verdict *a, size_t i);

#endif
