// SPDX-License-Identifier: BSD-2-Clause
/* seen.h: sums in steps of half a minute, and one test. */
#include "seen.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/array.h"

/* A step, and three days of them. */
#define STEP_NS ((int64_t)30 * 1000000000)
enum { STEPS_MAX = 3 * 24 * 3600 / 30 };
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

struct step {
	float d, value, peers, n; /* sums over intervals */
	int32_t number;		  /* from first_ns on: places are used again after three days */
};

/* Means over several. */
struct mean {
	double d, value, peers, n;
	int64_t first, last; /* step with intervals */
};

/* One signal of one server; `last` is the newest interval, of several disks the worst. */
struct seen_place {
	struct step *at;
	size_t n;
	struct seen_look last;
	bool open;
};

static size_t row_of(enum signal signal)
{
	size_t i = 0;

	while (i < ASKED && asked[i].signal != signal)
		i++;
	return i;
}

/* The newest interval into its step. */
static void settle(struct seen *s, struct seen_place *p)
{
	int64_t step = (p->last.from_ns - s->first_ns) / STEP_NS, at = step % STEPS_MAX;
	struct step *to;

	if (!p->open)
		return;
	p->open = false;
	if (p->last.from_ns < s->first_ns || step > INT32_MAX)
		return;
	if (array_extend(&p->at, p->n, at + 1)) {
		s->failed = true;
		return;
	}
	p->n = (size_t)at + 1 > p->n ? (size_t)at + 1 : p->n;
	to = &p->at[at];
	if (to->number != step)
		*to = (struct step){.number = (int32_t)step};
	to->d += (float)p->last.d;
	to->value += (float)p->last.value;
	to->peers += (float)p->last.peers;
	to->n++;
}

void seen_add(struct seen *s, const struct seen_look *look)
{
	size_t row = row_of(look->signal), at = look->node * ASKED + row;
	struct seen_place *p;

	if (row == ASKED || s->failed)
		return;
	if (array_extend(&s->at, s->n, at + 1)) {
		s->failed = true;
		return;
	}
	s->n = at + 1 > s->n ? at + 1 : s->n;
	s->first_ns = s->any ? s->first_ns : look->from_ns;
	s->any = true;
	p = &s->at[at];
	if (p->open && p->last.from_ns == look->from_ns && p->last.d >= look->d)
		return;
	if (p->open && p->last.from_ns != look->from_ns)
		settle(s, p);
	p->last = *look;
	p->open = true;
}

void seen_release(struct seen *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->at[i].at);
	free(s->at);
	*s = (struct seen){0};
}

/* ---- the question ----------------------------------------------------------------------------------- */

/* From step to step of one server and signal; n 0: too little. */
static struct mean mean_of(struct seen *s, size_t node, size_t row, int64_t from, int64_t to)
{
	struct mean m = {0};
	struct seen_place *p;

	if (node * ASKED + row >= s->n)
		return m;
	p = &s->at[node * ASKED + row];
	settle(s, p);
	if (from < 0)
		from = 0;
	if (from < to - STEPS_MAX + 1)
		from = to - STEPS_MAX + 1;
	for (int64_t i = from; i <= to; i++) {
		const struct step *at = &p->at[i % STEPS_MAX];

		if ((size_t)(i % STEPS_MAX) >= p->n || at->number != i || !(at->n > 0))
			continue;
		m.first = m.n > 0 ? m.first : i;
		m.last = i;
		m.d += at->d;
		m.value += at->value;
		m.peers += at->peers;
		m.n += at->n;
	}
	if (m.n < LEAST_INTERVALS)
		return (struct mean){0};
	m.d /= m.n;
	m.value /= m.n;
	m.peers /= m.n;
	return m;
}

static double gate_of(const struct signal_row *signal)
{
	return signal->ratio > 0 ? signal->ratio : RATIO;
}

/* One signal: the server beside its peers. */
static bool ask(struct seen *s, size_t node, size_t row, int64_t from, int64_t to, double *some,
		struct seen_odd *odd)
{
	/* The signals share the chance of a wrong cause. */
	static const struct look_params p = {
		.chance = BUDGET_CAUSE / ASKED, .prior = EXPECTED, .prior_df = EXPECTED_DF};
	struct mean own = mean_of(s, node, row, from, to);
	const struct signal_row *signal = &signals[asked[row].signal];
	size_t n = 0;

	for (size_t i = 0; own.n > 0 && i * ASKED < s->n; i++) {
		struct mean peer = i == node ? (struct mean){0} : mean_of(s, i, row, from, to);

		if (peer.n > 0)
			some[n++] = peer.d;
	}
	if (n < LEAST_PEERS)
		return false;
	*odd = (struct seen_odd){.cause = asked[row].cause,
				 .signal = asked[row].signal,
				 .value = own.value,
				 .peers = own.peers,
				 .evidence = evidence_mean(own.d, some, n, &p),
				 .from_ns = s->first_ns + own.first * STEP_NS,
				 .to_ns = s->first_ns + (own.last + 1) * STEP_NS};
	odd->evidence.n = (unsigned int)own.n;
	return odd->evidence.level == EVIDENCE_INDICTED &&
	       exp(odd->evidence.effect) > gate_of(signal) && own.value - own.peers > signal->floor;
}

bool seen_ask(struct seen *s, size_t node, int64_t from_ns, int64_t to_ns, struct seen_odd *odd)
{
	double *some = calloc(s->n / ASKED + 2, sizeof(*some));
	struct seen_odd one;
	bool found = false;

	for (size_t row = 0; row < ASKED && some && !s->failed; row++) {
		if (found && asked[row].cause != odd->cause)
			break;
		if (!ask(s, node, row, (from_ns - s->first_ns) / STEP_NS,
			 (to_ns - s->first_ns) / STEP_NS, some, &one))
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
static bool rose(struct seen *s, size_t row, int64_t from, int64_t to, double *some,
		 struct seen_rise *rise)
{
	const struct signal_row *signal = &signals[asked[row].signal];

	*rise = (struct seen_rise){.signal = asked[row].signal};
	for (size_t i = 0; i * ASKED < s->n; i++) {
		struct mean now = mean_of(s, i, row, from, to),
			    was = mean_of(s, i, row, from - 1 - BEFORE_STEPS, from - 2);
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

bool seen_rose(struct seen *s, int64_t from_ns, int64_t to_ns, struct seen_rise *rise)
{
	double *some = calloc(s->n / ASKED + 2, sizeof(*some)), most = 0;
	int64_t from = (from_ns - s->first_ns) / STEP_NS + 1, to = (to_ns - s->first_ns) / STEP_NS;
	struct seen_rise one;

	for (size_t row = 0; row < ASKED && some && !s->failed; row++) {
		double times;

		if (!rose(s, row, from, to, some, &one))
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
