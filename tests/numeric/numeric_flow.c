// SPDX-License-Identifier: BSD-2-Clause
/*
 * The flow of a job behind a pipe, for flow_reference.py: states on standard input, a line each,
 *
 *   KIND ID NODE START_ms END_ms OUTCOME PEER IN OUT       "-": not said; times since the job's start
 *   job END_ms                                             the last line
 *
 * are answered by a line "VERTICES EDGES PATHS", and one for each segment: FROM_ms TO_ms WHY ID ("-": a wait).
 */
#include "pipe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/jobs/job_flow.h"
#include "userspace/common/array.h"

#define T0 INT64_C(1700000000000000000)
#define MS INT64_C(1000000)

static uint32_t name(struct names *n, const char *s)
{
	int64_t at = strcmp(s, "-") ? names_add(n, s) : (int64_t)STATE_NONE;

	if (at < 0)
		broken("a bad name");
	return (uint32_t)at;
}

static bool read_state(struct states *s)
{
	char kind[32], id[64], node[32], outcome[16], peer[32], in[64], out[64];
	long long from, to;
	struct state *x;

	if (scanf("%31s", kind) != 1)
		broken("no job");
	if (!strcmp(kind, "job")) {
		if (scanf("%lld", &to) != 1)
			broken("no end");
		s->job[0].submit_ns = T0;
		s->job[0].finish_ns = T0 + to * MS;
		return false;
	}
	if (scanf("%63s %31s %lld %lld %15s %31s %63s %63s", id, node, &from, &to, outcome, peer,
		  in, out) != 8)
		broken("a bad line");
	x = array_add(&s->at, &s->n);
	if (!x)
		broken("out of memory");
	*x = (struct state){.start_ns = T0 + from * MS,
			    .end_ns = T0 + to * MS,
			    .bytes = 1000,
			    .records = -1,
			    .node = name(&s->nodes, node),
			    .peer = name(&s->nodes, peer),
			    .id = name(&s->ids, id),
			    .cls = STATE_NONE,
			    .in = name(&s->items, in),
			    .out = name(&s->items, out),
			    .progress = NAN,
			    .kind = (uint8_t)state_by_word(kind),
			    .outcome = strcmp(outcome, "ok") ? OUTCOME_FAILED : OUTCOME_OK};
	if (x->kind == STATE_KIND_COUNT)
		broken("a bad kind");
	return true;
}

/* As states_finish(). */
static int by_start(const void *a, const void *b)
{
	const struct state *x = a, *y = b;

	return x->start_ns != y->start_ns
		       ? (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns)
	       : x->node != y->node ? (x->node > y->node) - (x->node < y->node)
	       : x->kind != y->kind ? x->kind - y->kind
				    : (x->id > y->id) - (x->id < y->id);
}

int main(void)
{
	struct states s = {0};
	struct job_flow f;

	s.job = calloc(1, sizeof(*s.job));
	if (!s.job || names_add(&s.jobs, "job") < 0)
		broken("out of memory");
	while (read_state(&s))
		;
	qsort(s.at, s.n, sizeof(*s.at), by_start);
	if (job_flow_make(&f, &s, 0))
		broken("no flow");
	printf("%zu %zu %.0f\n", f.n_vertices, f.n_edges, f.paths);
	for (size_t i = 0; i < f.n_path; i++)
		printf("%lld %lld %s %s\n", (long long)((f.path[i].from_ns - T0) / MS),
		       (long long)((f.path[i].to_ns - T0) / MS), flow_whys[f.path[i].why].word,
		       f.path[i].state == STATE_NONE ? "-" : s.ids.at[s.at[f.path[i].state].id]);
	job_flow_release(&f);
	states_release(&s);
	return 0;
}
