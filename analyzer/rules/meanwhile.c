// SPDX-License-Identifier: BSD-2-Clause
/* meanwhile.h: one test of what the tracker kept. */
#include "meanwhile.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/stat/stats.h"

/* A mean needs so many intervals, and a yardstick so many peers. */
enum { LEAST_INTERVALS = 4, LEAST_PEERS = 3 };
/* Peers' means over two minutes were 0.12 to 0.25 apart (ln; device times and retransmissions of a healthy Hadoop of six).
 * What is seen of few peers is joined with that, and can only widen it. */
#define EXPECTED    0.2
#define EXPECTED_DF 4
static const double RATIO = 1.3; /* of a signal that has none of its own */
/* Everywhere: of ten servers one may be idle. Before: as long as loads stay alike. */
static const double NEARLY_ALL = 0.9;
enum { BEFORE_STEPS = 20 };

/* In the order of the rules (METHOD.md, From findings to a cause). */
static const struct asked {
	enum signal signal;
	enum cause cause;
} asked[] = {
	{SIG_FOREIGN_READ, CAUSE_DISK_HOG},	   {SIG_FOREIGN_WRITE, CAUSE_DISK_HOG},
	{SIG_SWAP, CAUSE_MEMORY_PRESSURE},	   {SIG_READ_DEVICE, CAUSE_DEVICE_SLOW},
	{SIG_WRITE_DEVICE, CAUSE_DEVICE_SLOW},	   {SIG_READ, CAUSE_IO_SCHEDULER},
	{SIG_WRITE, CAUSE_IO_SCHEDULER},	   {SIG_OOO, CAUSE_PACKET_LOSS},
	{SIG_RETRANS, CAUSE_PACKET_LOSS},	   {SIG_RETRANS_IN, CAUSE_PACKET_LOSS},
	{SIG_MEM_PRESSURE, CAUSE_MEMORY_PRESSURE}, {SIG_RUNQ, CAUSE_CPU_HOG},
	{SIG_FOREIGN_RX, CAUSE_NETWORK_HOG},	   {SIG_FOREIGN_TX, CAUSE_NETWORK_HOG},
};
enum { ASKED = sizeof(asked) / sizeof(*asked) };

static size_t row_of(enum signal signal)
{
	size_t i = 0;

	while (i < ASKED && asked[i].signal != signal)
		i++;
	return i;
}

void meanwhile_add(struct track_history *h, size_t server, enum signal signal,
		   const struct track_point *x)
{
	size_t row = row_of(signal);

	h->signals = ASKED;
	if (row < ASKED)
		track_history_add(h, server, row, x);
}

/* From half minute to half minute of one server and signal; n 0: too little. */
static struct track_mean mean_of(struct track_history *h, size_t server, size_t row, int64_t from,
				 int64_t to)
{
	struct track_mean m = track_history(h, server, row, from, to);

	return m.n < LEAST_INTERVALS ? (struct track_mean){0} : m;
}

static double gate_of(const struct signal_row *signal)
{
	return signal->ratio > 0 ? signal->ratio : RATIO;
}

/* One signal: the server beside its peers. */
static bool ask(struct track_history *h, size_t node, size_t row, int64_t from, int64_t to,
		double *some, struct meanwhile *odd)
{
	/* The signals share the chance of a wrong cause. */
	static const struct look_params p = {
		.chance = BUDGET_CAUSE / ASKED, .prior = EXPECTED, .prior_df = EXPECTED_DF};
	struct track_mean own = mean_of(h, node, row, from, to);
	const struct signal_row *signal = &signals[asked[row].signal];
	size_t n = 0;

	for (size_t i = 0; own.n > 0 && i < track_history_servers(h); i++) {
		struct track_mean peer =
			i == node ? (struct track_mean){0} : mean_of(h, i, row, from, to);

		if (peer.n > 0)
			some[n++] = peer.d;
	}
	if (n < LEAST_PEERS)
		return false;
	*odd = (struct meanwhile){.cause = asked[row].cause,
				  .signal = asked[row].signal,
				  .value = own.value,
				  .peers = own.peers,
				  .evidence = evidence_mean(own.d, some, n, &p),
				  .from_ns = own.from_ns,
				  .to_ns = own.to_ns};
	odd->evidence.n = (unsigned int)own.n;
	return odd->evidence.level == EVIDENCE_INDICTED &&
	       exp(odd->evidence.effect) > gate_of(signal) && own.value - own.peers > signal->floor;
}

bool meanwhile_cause(struct track_history *h, size_t node, int64_t from_ns, int64_t to_ns,
		     struct meanwhile *odd)
{
	double *some = calloc(track_history_servers(h) + 1, sizeof(*some));
	struct meanwhile one;
	bool found = false;

	for (size_t row = 0; row < ASKED && some && !h->failed; row++) {
		if (found && asked[row].cause != odd->cause)
			break;
		if (!ask(h, node, row, track_history_step(h, from_ns), track_history_step(h, to_ns),
			 some, &one))
			continue;
		if (!found || one.evidence.t > odd->evidence.t)
			*odd = one;
		found = true;
	}
	free(some);
	return found;
}

/* ---- the same of all servers ------------------------------------------------------------------------- */

/* One signal of each server beside what it was before; some: room for all of them. */
static bool rose(struct track_history *h, size_t row, int64_t from, int64_t to, double *some,
		 struct meanwhile_rise *rise)
{
	const struct signal_row *signal = &signals[asked[row].signal];

	*rise = (struct meanwhile_rise){.signal = asked[row].signal};
	for (size_t i = 0; i < track_history_servers(h); i++) {
		struct track_mean now = mean_of(h, i, row, from, to),
				  was = mean_of(h, i, row, from - 1 - BEFORE_STEPS, from - 2);
		double ratio = (now.value + signal->c) / (was.value + signal->c);

		if (!(now.n > 0) || !(was.n > 0))
			continue;
		/* from nothing to something is a rise without a number */
		some[rise->of++] = isfinite(ratio) ? ratio : 1;
		rise->servers += ratio > gate_of(signal) && now.value - was.value > signal->floor;
	}
	rise->ratio = stats_quantile(some, rise->of, 0.5);
	return rise->of > LEAST_PEERS && (double)rise->servers >= NEARLY_ALL * (double)rise->of;
}

bool meanwhile_rose(struct track_history *h, int64_t from_ns, int64_t to_ns,
		    struct meanwhile_rise *rise)
{
	double *some = calloc(track_history_servers(h) + 1, sizeof(*some)), most = 0;
	int64_t from = track_history_step(h, from_ns) + 1, to = track_history_step(h, to_ns);
	struct meanwhile_rise one;

	for (size_t row = 0; row < ASKED && some && !h->failed; row++) {
		double times;

		if (!rose(h, row, from, to, some, &one))
			continue;
		times = log(one.ratio) / log(gate_of(&signals[one.signal]));
		if (times <= most)
			continue;
		most = times;
		*rise = one;
	}
	free(some);
	return most > 0;
}
