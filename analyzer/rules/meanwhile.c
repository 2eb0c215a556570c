// SPDX-License-Identifier: BSD-2-Clause
/* meanwhile.h: one test of what the tracker kept. */
#include "meanwhile.h"
#include "speaks.h"

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

/*
 * In the order of the rules (METHOD.md, From findings to a cause). Signals that are left out name a cause only beside other
 * facts.
 */
static const struct asked {
	enum cause cause;
	uint64_t signals;
} asked[] = {
	{CAUSE_DISK_HOG, FOR_DISK_HOG},
	{CAUSE_MEMORY_PRESSURE, ONE(SIG_SWAP)},
	{CAUSE_DEVICE_SLOW, FOR_DEVICE_SLOW},
	{CAUSE_IO_SCHEDULER, FOR_IO_SCHEDULER & ~MEANS},
	{CAUSE_PACKET_LOSS, FOR_PACKET_LOSS & ~ONE(SIG_PURE_ACK)},
	{CAUSE_MEMORY_PRESSURE, ONE(SIG_MEM_PRESSURE)},
	{CAUSE_CPU_HOG, FOR_CPU_HOG},
	{CAUSE_NETWORK_HOG, FOR_NETWORK_HOG},
};
enum { ASKED = sizeof(asked) / sizeof(*asked) };

static uint64_t asked_signals(void)
{
	uint64_t all = 0;

	for (size_t i = 0; i < ASKED; i++)
		all |= asked[i].signals;
	return all;
}

void meanwhile_add(struct track_history *h, size_t server, enum signal signal,
		   const struct track_point *x)
{
	h->signals = SIG_COUNT;
	if (asked_signals() & ONE(signal))
		track_history_add(h, server, signal, x);
}

/* From half minute to half minute of one server and signal; n 0: too little. */
static struct track_mean mean_of(struct track_history *h, size_t server, size_t signal,
				 int64_t from, int64_t to)
{
	struct track_mean m = track_history(h, server, signal, from, to);

	return m.n < LEAST_INTERVALS ? (struct track_mean){0} : m;
}

static double gate_of(const struct signal_row *row)
{
	return row->ratio > 0 ? row->ratio : RATIO;
}

/* One signal: the server beside its peers. */
static bool ask(struct track_history *h, size_t node, enum signal signal, int64_t from, int64_t to,
		double *some, struct meanwhile *odd)
{
	/* The signals share the chance of a wrong cause. */
	const struct look_params p = {.chance =
					      BUDGET_CAUSE / __builtin_popcountll(asked_signals()),
				      .prior = EXPECTED,
				      .prior_df = EXPECTED_DF};
	struct track_mean own = mean_of(h, node, signal, from, to);
	const struct signal_row *row = &signals[signal];
	size_t n = 0;

	for (size_t i = 0; own.n > 0 && i < track_history_servers(h); i++) {
		struct track_mean peer =
			i == node ? (struct track_mean){0} : mean_of(h, i, signal, from, to);

		if (peer.n > 0)
			some[n++] = peer.d;
	}
	if (n < LEAST_PEERS)
		return false;
	*odd = (struct meanwhile){.signal = signal,
				  .value = own.value,
				  .peers = own.peers,
				  .evidence = evidence_mean(own.d, some, n, &p),
				  .from_ns = own.from_ns,
				  .to_ns = own.to_ns};
	odd->evidence.n = (unsigned int)own.n;
	return odd->evidence.level == EVIDENCE_INDICTED &&
	       exp(odd->evidence.effect) > gate_of(row) && own.value - own.peers > row->floor;
}

bool meanwhile_cause(struct track_history *h, size_t node, int64_t from_ns, int64_t to_ns,
		     struct meanwhile *odd)
{
	double *some = calloc(track_history_servers(h) + 1, sizeof(*some));
	int64_t from = track_history_step(h, from_ns), to = track_history_step(h, to_ns);
	struct meanwhile one;
	bool found = false;

	for (size_t i = 0; i < ASKED && !found && some && !h->failed; i++)
		for (enum signal s = 0; s < SIG_COUNT; s++) {
			if (!(asked[i].signals & ONE(s)) || !ask(h, node, s, from, to, some, &one))
				continue;
			if (!found || one.evidence.t > odd->evidence.t)
				*odd = one;
			odd->cause = asked[i].cause;
			found = true;
		}
	free(some);
	return found;
}

/* ---- the same of all servers ------------------------------------------------------------------------- */

/* One signal of each server beside what it was before; some: room for all of them. */
static bool rose(struct track_history *h, enum signal signal, int64_t from, int64_t to,
		 double *some, struct meanwhile_rise *rise)
{
	const struct signal_row *row = &signals[signal];

	*rise = (struct meanwhile_rise){.signal = signal};
	for (size_t i = 0; i < track_history_servers(h); i++) {
		struct track_mean now = mean_of(h, i, signal, from, to),
				  was = mean_of(h, i, signal, from - 1 - BEFORE_STEPS, from - 2);
		double ratio = (now.value + row->c) / (was.value + row->c);

		if (!(now.n > 0) || !(was.n > 0))
			continue;
		/* from nothing to something is a rise without a number */
		some[rise->of++] = isfinite(ratio) ? ratio : 1;
		rise->servers += ratio > gate_of(row) && now.value - was.value > row->floor;
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

	for (size_t i = 0; i < ASKED && some && !h->failed; i++)
		for (enum signal s = 0; s < SIG_COUNT; s++) {
			double times;

			if (!(asked[i].signals & ONE(s)) || !rose(h, s, from, to, some, &one))
				continue;
			times = log(one.ratio) / log(gate_of(&signals[s]));
			if (times <= most)
				continue;
			most = times;
			*rise = one;
		}
	free(some);
	return most > 0;
}
