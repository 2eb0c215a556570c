/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts made by hand for the tests, and what is printed of them. */
#ifndef LIMPET_VERDICTS_H
#define LIMPET_VERDICTS_H

#include "unit.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/output/verdict_print.h"
#include "userspace/common/array.h"

enum { SERVERS = 6, WIDEST = 99 };
#define AT(seconds) (1763694000000000000LL + (seconds)*1000000000LL) /* 2025-11-21T03:00:00Z */

/* What fn prints on standard output; the caller frees it. */
static inline char *printed(int (*fn)(const struct verdict *, bool), const struct verdict *a,
			    bool explain)
{
	FILE *file = tmpfile();
	int kept = dup(STDOUT_FILENO);
	char *text;
	long len;

	assert_non_null(file);
	fflush(stdout);
	assert_true(kept >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
	assert_int_equal(fn(a, explain), 0);
	fflush(stdout);
	assert_true(dup2(kept, STDOUT_FILENO) >= 0);
	close(kept);
	len = lseek(fileno(file), 0, SEEK_END);
	text = calloc(1, (size_t)len + 1);
	assert_non_null(text);
	assert_int_equal(pread(fileno(file), text, (size_t)len, 0), len);
	fclose(file);
	return text;
}

static inline int as_text(const struct verdict *a, bool explain)
{
	verdict_text(a, explain);
	return 0;
}

/* Every line is printable and narrow. */
static inline void check_lines(const char *text)
{
	size_t column = 0;

	for (; *text; text++) {
		column = *text == '\n' ? 0 : column + 1;
		if (column > WIDEST || (*text != '\n' && (*text < ' ' || *text > '~')))
			fail_msg("wide or unprintable: '%.120s'", text + 1 - column);
	}
}

static inline void check_text(const struct verdict *a, const char *expected)
{
	char *text = printed(as_text, a, false);

	check_lines(text);
	assert_string_equal(text, expected);
	free(text);
}

static inline json_t *read_back(const struct verdict *a, bool explain)
{
	char *text = printed(verdict_json, a, explain);
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fail_msg("not JSON: %s at line %d", error.text, error.line);
	free(text);
	return root;
}

/* oss-1 … oss-6, judged on reads and writes, ten minutes. All is freed with the verdict. */
static inline struct verdict group(void)
{
	struct verdict a = {.n_nodes = SERVERS,
			    .from_ns = AT(0),
			    .to_ns = AT(600),
			    .interval_s = 10,
			    .window_s = 30,
			    .n_windows = 58};

	a.nodes = calloc(SERVERS, sizeof(*a.nodes));
	a.judged = calloc(SERVERS, sizeof(*a.judged));
	assert_true(a.nodes && a.judged);
	for (int i = 0; i < SERVERS; i++) {
		snprintf(a.nodes[i], HOST_LEN, "oss-%d", i + 1);
		a.judged[i] = true;
	}
	assert_int_equal(verdict_series_signals(&a), 0);
	a.signals[SIG_READ].judged = a.signals[SIG_WRITE].judged = a.signals[SIG_RETRANS].judged =
		true;
	return a;
}

static inline struct finding latency(void)
{
	return (struct finding){.signal = SIG_READ_DEVICE,
				.node = 2,
				.disk = "sdb",
				.value = 31.4,
				.peers = 9.8,
				.ratio = 3.081,
				.usual = 1.04,
				.z = 18.55,
				.spread = 1.0625,
				.w1 = 3.31,
				.p99 = 88,
				.p99_peers = 21,
				.flagged = 12,
				.judged = 14,
				.n_peers = 5,
				.onset_ns = AT(130),
				.decided_ns = AT(180),
				.last_ns = AT(600),
				.open = true};
}

static inline struct finding foreign(void)
{
	return (struct finding){.signal = SIG_FOREIGN_READ,
				.node = 2,
				.disk = "sdb",
				.value = 31744,
				.peers = 12,
				.ratio = 31.63,
				.usual = 1,
				.z = 57,
				.spread = 1.0625,
				.w1 = NAN,
				.p99 = NAN,
				.p99_peers = NAN,
				.flagged = 14,
				.judged = 14,
				.n_peers = 5,
				.onset_ns = AT(120),
				.decided_ns = AT(170),
				.last_ns = AT(600),
				.open = true};
}

static inline struct incident *indict(struct verdict *a, size_t node, enum cause cause)
{
	struct incident *in;

	a->incidents = realloc(a->incidents, (a->n_incidents + 1) * sizeof(*a->incidents));
	assert_non_null(a->incidents);
	in = &a->incidents[a->n_incidents++];
	*in = (struct incident){.node = node,
				.cause = cause,
				.culprit.share = NAN,
				.confidence = 0.95,
				.open = true,
				.onset_ns = AT(120),
				.decided_ns = AT(170),
				.last_ns = AT(600)};
	return in;
}

static inline void give(struct incident *in, struct finding e)
{
	in->findings = realloc(in->findings, (in->n_findings + 1) * sizeof(e));
	assert_non_null(in->findings);
	in->findings[in->n_findings++] = e;
}

static inline void notice(struct verdict *a, struct notice r)
{
	a->notices = realloc(a->notices, (a->n_notices + 1) * sizeof(r));
	assert_non_null(a->notices);
	a->notices[a->n_notices++] = r;
}

static inline void add_unjudged(struct verdict *a, size_t node, size_t s, enum unjudged_why why)
{
	struct unjudged *u = array_add(&a->unjudged, &a->n_unjudged);

	assert_non_null(u);
	*u = (struct unjudged){.node = node, .signal = s, .why = why, .n = 7, .needed = 30};
}

/* oss-3 with a process that reads its disk. */
static inline struct verdict hogged(void)
{
	struct verdict a = group();
	struct incident *in = indict(&a, 2, CAUSE_DISK_HOG);

	in->detail = (struct detail){.kind = DETAIL_FOREIGN_IO,
				     .direction = DIRECTION_READ,
				     .disk = "sdb",
				     .kb_s = 31 * 1024,
				     .of_kb_s = 36.9 * 1024};
	in->culprit = (struct culprit){.name = "fio:1234",
				       .cgroup = "/user.slice",
				       .share = 0.84,
				       .of = SHARE_READ_WRITTEN};
	give(in, foreign());
	give(in, latency());
	return a;
}

static inline void explain_some(struct verdict *a)
{
	struct finding e = foreign();

	a->ruled_out = calloc(3, sizeof(*a->ruled_out));
	a->looks = calloc(2, sizeof(*a->looks));
	assert_true(a->ruled_out && a->looks);
	e.signal = SIG_SRTT;
	*e.disk = 0;
	e.value = 1.5;
	e.peers = 0.6;
	e.score = 31.6;
	e.needs = 9;
	e.lower = 20;
	e.window_s = 60;
	e.window_end_ns = AT(400);
	a->ruled_out[a->n_ruled_out++] = e;
	e = latency();
	e.node = 5;
	e.score = 7;
	e.needs = 9;
	e.lower = 1.1;
	e.window_s = 60;
	e.window_end_ns = AT(400);
	a->ruled_out[a->n_ruled_out++] = e;
	e.signal = SIG_DISK_KB;
	e.value = 50000;
	e.peers = 16000;
	a->ruled_out[a->n_ruled_out++] = e;
	a->looks[a->n_looks++] = (struct explained_look){.from_ns = AT(0),
							 .to_ns = AT(30),
							 .node = 2,
							 .disk = "sdb",
							 .signal = SIG_READ,
							 .value = 31.4,
							 .peers = 9.8,
							 .d = 1.164,
							 .sigma = 0.0606,
							 .z = 18.55,
							 .ratio = 3.081,
							 .flagged = true,
							 .odd = true};
	a->looks[a->n_looks++] = (struct explained_look){.from_ns = AT(10),
							 .to_ns = AT(40),
							 .node = 3,
							 .signal = SIG_RUNQ,
							 .value = NAN,
							 .peers = NAN,
							 .d = NAN,
							 .sigma = NAN,
							 .z = NAN,
							 .ratio = NAN};
}

#endif
