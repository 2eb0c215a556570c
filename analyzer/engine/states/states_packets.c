// SPDX-License-Identifier: BSD-2-Clause
/*
 * Packets that a DataNode says were slow (since Hadoop 2.x, where one took 300 ms or more): at its disk, in a flush, or on
 * the way to the next server, which then is the slow one. A healthy server has some, too, several at once: of five that
 * were well each had 1 to 10 in five minutes; one whose disk others used, 86. So it is bursts that are counted, beside
 * what its peers have for as many bytes, and at least as many as they.
 */
#include "states_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* So many times the variance that single ones would have: on healthy servers up to 2.6. */
static const double BURST = 5;
static const double LEAST = 1; /* bursts that any server may have */
static const double TIMES = 3; /* less is none: a disk of one model may be busier */

struct packets {
	double n, bytes;
	int64_t from_ns, to_ns;
};

bool states_packet(enum state_kind kind)
{
	return kind == STATE_DISK_SLOW || kind == STATE_FLUSH_SLOW || kind == STATE_MIRROR_SLOW;
}

static void count(const struct states_job *j, struct packets *of)
{
	for (size_t i = 0; i < j->s->n; i++) {
		const struct state *x = &j->s->at[i];
		size_t row = states_row(j, x->kind == STATE_MIRROR_SLOW ? x->peer : x->node);

		if (row == SIZE_MAX || j->group[row] < 0)
			continue;
		if (states_pipeline(x->kind) && x->bytes > 0)
			of[row].bytes += (double)x->bytes;
		if (!states_packet(x->kind))
			continue;
		if (!of[row].n || x->start_ns < of[row].from_ns)
			of[row].from_ns = x->start_ns;
		of[row].to_ns = x->end_ns > of[row].to_ns ? x->end_ns : of[row].to_ns;
		of[row].n++;
	}
}

static int judge(struct states_job *j, size_t signal, size_t node, const struct packets *x,
		 double expected, double all, size_t peers)
{
	const struct count count = {.hits = x->n, .expected = expected, .n_peers = peers};
	const struct count_params p = {.chance = states_chance(j, 1) / (double)(peers + 1),
				       .times = TIMES,
				       .burst = BURST,
				       .least = LEAST};
	struct evidence e = evidence_poisson(&count, &p);
	struct finding_about about = states_about(j, signal, node);
	struct state_found f;

	if (e.level == EVIDENCE_NONE)
		return 0;
	about.value = x->n;
	about.peers = expected;
	about.ratio = x->n / fmax(1, expected);
	about.flagged = (unsigned int)x->n;
	about.judged = (unsigned int)all;
	about.onset_ns = x->from_ns;
	about.last_ns = x->to_ns;
	f = states_found(signal, &about, &e);
	return states_keep(j, &f);
}

int states_packets(struct states_job *j, size_t signal)
{
	size_t nodes = j->a->n_nodes;
	struct packets *of = calloc(nodes + 1, sizeof(*of)), *all;
	size_t *in = calloc(j->n_groups + 1, sizeof(*in));
	int err;

	all = calloc(j->n_groups + 1, sizeof(*all));
	err = of && all && in ? 0 : -ENOMEM;
	if (!err)
		count(j, of);
	for (size_t i = 0; i < nodes && !err; i++) {
		if (j->group[i] < 0)
			continue;
		in[j->group[i]]++;
		all[j->group[i]].n += of[i].n;
		all[j->group[i]].bytes += of[i].bytes;
	}
	for (size_t i = 0; i < nodes && !err; i++) {
		const struct packets *g = j->group[i] < 0 ? NULL : &all[j->group[i]];
		double others, bytes, mean, by_bytes;

		if (!g || in[j->group[i]] < STATES_NODES)
			continue;
		j->a->signals[j->signals[signal].row].judged = true;
		others = g->n - of[i].n;
		bytes = g->bytes - of[i].bytes;
		mean = others / (double)(in[j->group[i]] - 1);
		by_bytes = bytes > 0 ? others / bytes * of[i].bytes : mean;
		if (of[i].n > 0)
			err = judge(j, signal, i, &of[i], fmax(mean, by_bytes), g->n,
				    in[j->group[i]] - 1);
	}
	free(of);
	free(all);
	free(in);
	return err;
}
