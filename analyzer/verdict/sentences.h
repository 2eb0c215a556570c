/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a verdict says, as sentences: made of kinds and fields here and nowhere else, for those who read, and
 * never read back. Names in them are as they were recorded: outputs clean what they print.
 */
#ifndef LIMPET_SENTENCES_H
#define LIMPET_SENTENCES_H

#include "status.h"

enum { SENTENCE_LEN = 1280 };

/* All return buf; "" where there is nothing to say. */

/* "sdb: others read 31.0 MiB/s of 36.9", "send side, to 3 of 3 hosts that carry data" */
const char *sentence_detail(const struct verdict *a, const struct incident *in,
			    char buf[SENTENCE_LEN]);
/* What jobs feel of it; "" where nothing is known. */
const char *sentence_impact(const struct verdict *a, const struct incident *in,
			    char buf[SENTENCE_LEN]);
const char *sentence_guess(const struct guess *g, char buf[SENTENCE_LEN]);
/* "only 3 peers to compare with; only 40 s of data" */
const char *sentence_doubts(const struct incident *in, char buf[SENTENCE_LEN]);
/* Why an incident indicts nobody; "" of one that does. */
const char *sentence_suspicion(const struct incident *in, char buf[SENTENCE_LEN]);
/* Why a server is suspicious, unproven or was not judged; "" of one that is indicted or well. */
const char *sentence_status(const struct verdict *a, size_t node, bool now, char buf[SENTENCE_LEN]);
/* "1 is indicted, 4 are well, 1 could not be judged" */
const char *sentence_statuses(const struct verdict *a, bool now, char buf[SENTENCE_LEN]);
/* Why a resource is unproven: "a disk that takes 2 x as long would not have been seen: a ratio of 4.10 x was needed
 * in read latency" */
const char *sentence_unproven(const struct verdict *a, const struct unproven *u,
			      char buf[SENTENCE_LEN]);
/* All of one resource of servers that are well otherwise: "disk of 3 of 5 servers: 2.51 x to 4.10 x was needed in
 * read latency"; "" if it is proven. */
const char *sentence_unproven_all(const struct verdict *a, enum resource resource, bool now,
				  char buf[SENTENCE_LEN]);
/* The first few that could not be judged: "oss-6 (no data), oss-7 (no data), and 3 more" */
const char *sentence_not_judged(const struct verdict *a, char buf[SENTENCE_LEN]);
/* Of a verdict that indicts nobody: "no server limps" only if all were judged and are well;
 * "no server is seen to limp, but …" if they are unproven. */
const char *sentence_nobody(const struct verdict *a, bool now, char buf[SENTENCE_LEN]);
/* "comes and goes: 5 times since 2026-11-21T01:00:00Z, 33 % of the time"; "" of one that came once. */
const char *sentence_times(const struct incident *in, char buf[SENTENCE_LEN]);
/* "95 % sure"; "" where it is not told. */
const char *sentence_confidence(const struct incident *in, char buf[SENTENCE_LEN]);
const char *sentence_unjudged(const struct unjudged *u, char buf[SENTENCE_LEN]);
/* "3 servers are needed, and 2 have data" */
const char *sentence_cannot(const struct cannot *c, char buf[SENTENCE_LEN]);
/* Names the server, where the notice is of one. */
const char *sentence_notice(const struct verdict *a, const struct notice *m,
			    char buf[SENTENCE_LEN]);

/* "T on oss-3 runs for 31 s, others 10.0 s; its server limps": the first cause explains most */
const char *sentence_straggler(const struct verdict *a, const struct straggler *s,
			       char buf[SENTENCE_LEN]);

/* One of the verdict's notes, or of what the reader said. */
const char *sentence_note(const struct note *n, char buf[SENTENCE_LEN]);

/* ---- constants, not in buf ---- */

/* What a server with this incident does: "limps", "was suspicious". */
const char *sentence_verb(const struct incident *in);
/* What a share is of: "CPU time"; NULL of SHARE_NONE. */
const char *sentence_share(enum share of);
/* Why a finding of ruled_out did not indict. */
const char *sentence_why_not(const struct verdict *a, const struct finding *f);
/* The i-th kind of fault that nobody would have noticed; NULL after the last. */
const char *sentence_unseen(const struct verdict *a, size_t i);

#endif
