// SPDX-License-Identifier: BSD-2-Clause
/* The rows of a table of servers, as its kind says. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "habits.h"
#include "queue.h"
#include "table_kind.h"

#define HOUR_S	      3600.0
#define DAY_S	      86400.0
#define REQUEST_BYTES 262144.0
#define USUAL_BYTES_S 50e6
#define LOAD_NOISE    0.3 /* of a row's load, without memory; 0.1 where a queue answers to it */
#define RHO_MOST      0.97
#define STARTS_S      600.0 /* within so long servers were started */
#define STOPPED_S     120.0
#define PACES	      0.3 /* deviation of how quickly caches fill */

enum { NUMBER_ONE = 1, NUMBER_NODE, NUMBER_JOB, NUMBER_DRIFT }; /* streams that are no server's */

struct host {
	struct rng noise, load, requests, events;
	struct path wander, hits;
	double level, share, white, hit, pace_s, clock_s; /* for good */
	double starts_s, stops_s, job_s;
	double full; /* of its cache, 0 … 1 */
	double burst_left_s, burst, gap_left_s, job, bytes_left;
	bool in_job;
	/* of this step */
	double x, y, n, utilization; /* ln load, ln latency or service in ms; requests */
};

struct table {
	const struct table_order *o;
	const struct table_kind *kind;
	double step_s, hours, think_s;
	unsigned int one;
	struct host *hosts;
	struct visit *visits;
	struct rng drift;
	double drifted;
};

/* Kinds of the same seed have nothing in common: FNV-1a of the name. */
static uint64_t seed_of(const struct table_order *o)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (const char *c = o->kind->name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
	return rng_mix(hash) + o->seed;
}

static struct rng common(const struct table_order *o, uint64_t number)
{
	return stream(seed_of(o), FOR_CHOICE, number);
}

static unsigned int the_one(const struct table_order *o)
{
	struct rng r = common(o, NUMBER_ONE);

	return (unsigned int)rng_below(&r, o->servers);
}

unsigned int table_node(const struct table_order *o)
{
	struct rng r = common(o, NUMBER_NODE);
	unsigned int one = the_one(o);

	return o->servers < 2
		       ? 0
		       : (unsigned int)(one + 1 + rng_below(&r, o->servers - 1)) % o->servers;
}

static double between(struct rng *r, double low, double high)
{
	return low + (high - low) * rng_uniform(r);
}

static void host_init(struct host *h, const struct table *t, unsigned int i)
{
	const struct table_kind *k = t->kind;
	uint64_t seed = seed_of(t->o);
	struct rng r = stream(seed, FOR_HARDWARE, i), job = common(t->o, NUMBER_JOB);
	unsigned int rack = k->rack ? i / k->rack : i;

	*h = (struct host){
		.noise = stream(seed, FOR_TABLE, 4 * (uint64_t)i),
		.load = stream(seed, FOR_TABLE, 4 * (uint64_t)i + 1),
		.requests = stream(seed, FOR_TABLE, 4 * (uint64_t)i + 2),
		.events = stream(seed, FOR_TABLE, 4 * (uint64_t)i + 3),
		.level = k->lasting * rng_normal(&r),
		.share = k->load_lasting * rng_normal(&r),
		.white =
			k->white * pow(k->white_range > 0 ? k->white_range : 1, between(&r, -1, 1)),
		.hit = between(&r, k->hit[0], k->hit[1]),
		.pace_s = k->warm_s * lognormal(&r, PACES),
		.clock_s = round(between(&r, -k->clock_s, k->clock_s)),
		.starts_s = between(&r, 0, STARTS_S),
		.stops_s = between(&r, 0.2, 0.8) * t->hours * HOUR_S,
		.job_s = between(k->job_together > 0 ? &job : &r, 0, k->job.period_s),
		.full = k->warm_s > 0 && !(k->restart > 0) ? 0 : 1,
	};
	if (i == t->one && k->load > 0)
		h->share += log(k->load);
	path_init(&h->wander, &k->wander,
		  &(struct path_of){seed, FOR_WANDER, i, rack, k->shared, t->step_s});
	path_init(&h->hits, &k->hits, &(struct path_of){seed, FOR_HITS, i, i, 0, t->step_s});
}

static int table_init(struct table *t, const struct table_order *o)
{
	const struct table_kind *k = o->kind;
	double queue, n = k->loop == LOOP_STRIPE ? o->servers : 1;

	*t = (struct table){.o = o, .kind = k, .one = the_one(o)};
	t->step_s = o->step_s > 0 ? o->step_s : k->step_s;
	t->hours = o->hours > 0 ? o->hours : k->hours;
	t->drift = common(o, NUMBER_DRIFT);
	t->hosts = calloc(o->servers, sizeof(*t->hosts));
	t->visits = calloc(o->servers, sizeof(*t->visits));
	if (!t->hosts || !t->visits)
		return -ENOMEM;
	/* Clients spend so long on their own that the servers are as busy as the kind says. */
	if (k->loop != LOOP_OPEN) {
		queue = queue_length(k->utilization);
		t->think_s = (k->window - queue) * n * k->ms / 1e3 / k->utilization;
	}
	for (unsigned int i = 0; i < o->servers; i++)
		host_init(&t->hosts[i], t, i);
	return 0;
}

/* ---- a step of one server ---------------------------------------------------------------------- */

static double noise(struct host *h, const struct table_kind *k, double at_s)
{
	double e = rng_normal(&h->noise), side = rng_exponential(&h->noise), by_day = 1;
	double hour = fmod(at_s, DAY_S) / HOUR_S;

	if (k->white_day > 0 && hour >= 6 && hour < 18)
		by_day = k->white_day;
	if (k->tail == TAIL_STUDENT)
		e /= sqrt(side); /* chi-square of 2 degrees of freedom, halved */
	else if (k->tail == TAIL_EXPONENTIAL)
		e = side;
	return h->white * by_day * e;
}

/* What all do: a day of load, which begins at midnight with the least. */
static double day(const struct table *t, unsigned int i, double at_s)
{
	double late_h = i == t->one ? t->kind->daily_shift_h : 0;

	return -t->kind->daily * cos(2 * M_PI * (at_s / DAY_S - late_h / 24));
}

/* Jobs and bursts, as logarithms. */
static double events(struct host *h, const struct table *t, double at_s)
{
	const struct table_kind *k = t->kind;
	double begins = rng_uniform(&h->events), length = rng_uniform(&h->events),
	       height = rng_exponential(&h->events), heavy = rng_uniform(&h->events), sum = 0;
	bool on = k->job.period_s > 0 && duty_on(&k->job, at_s + k->job.period_s - h->job_s);

	h->burst_left_s -= t->step_s;
	if (h->burst_left_s <= 0) {
		h->burst = 0;
		if (begins < k->bursts_h * t->step_s / HOUR_S) {
			h->burst_left_s = length * k->burst[0];
			h->burst = height * k->burst[1];
		}
	}
	if (on && !h->in_job)
		h->job = log(k->job_factor) * (k->job_together > 0 ? 0.5 + heavy : 1);
	h->in_job = on;
	if (on)
		sum += h->job;
	return sum + h->burst;
}

/* The logarithm of the mean of the row's requests over that of a hit. NaN: there was none. */
static double requests(struct host *h, const struct table *t, double at_s)
{
	const struct table_kind *k = t->kind;
	double wander = path_next(&h->hits), hit, sum = 0;

	if (!(k->requests > 0))
		return 0;
	if (k->warm_s > 0) {
		if (k->restart > 0 ? at_s < h->stops_s : at_s < h->starts_s)
			h->full = k->restart > 0 ? 1 : 0;
		else if (k->restart > 0 && &t->hosts[t->one] != h)
			h->full = 1;
		else if (k->restart > 0 && at_s < h->stops_s + STOPPED_S)
			h->full = 0;
		else
			h->full = cache_fills(h->full, h->pace_s, t->step_s);
	}
	hit = cache_hits(h->hit, wander, h->full);
	h->n = k->poisson > 0 ? poisson(&h->requests, k->requests * exp(h->x)) : k->requests;
	for (double i = 0; i < h->n; i++) {
		bool miss = k->peak > 0 && rng_uniform(&h->requests) >= hit;

		sum += (miss ? k->peak : 1) * lognormal(&h->requests, k->single);
	}
	return h->n > 0 ? log(sum / h->n) : NAN;
}

static void host_step(struct host *h, const struct table *t, unsigned int i, double at_s)
{
	const struct table_kind *k = t->kind;
	const struct table_order *o = t->o;
	double e = rng_normal(&h->load), ramp = k->ramp_s > 0 ? fmin(1, at_s / k->ramp_s) : 1;
	bool queue = k->utilization > 0, fleet = k->fleet > 0 && at_s >= t->hours * HOUR_S / 2;

	h->x = h->share + day(t, i, at_s) + (queue ? 0.1 : LOAD_NOISE) * e;
	h->y = log(k->ms) + ramp * h->level + noise(h, k, at_s) + path_next(&h->wander) +
	       k->exponent * h->x + t->drifted + events(h, t, at_s);
	if (fleet)
		h->y += log(k->fleet);
	if (k->trend > 0)
		h->y += log(k->trend) * at_s / (t->hours * HOUR_S);
	h->y += requests(h, t, at_s);
	h->utilization = k->utilization;
	if (o->slow > 0 && i == o->node && at_s >= o->slow_from_h * HOUR_S &&
	    duty_on(&o->duty, at_s - o->slow_from_h * HOUR_S)) {
		h->y += log(o->slow);
		h->utilization *= o->slow;
	}
}

/* ---- queues ------------------------------------------------------------------------------------ */

/* From services to latencies and, where clients wait for answers, to loads. */
static void queues(struct table *t)
{
	const struct table_kind *k = t->kind;
	unsigned int n = t->o->servers;
	double rounds = 0;

	for (unsigned int i = 0; i < n; i++) {
		struct host *h = &t->hosts[i];

		t->visits[i] = (struct visit){.ratio = exp(h->x)};
		t->visits[i].demand[ST_DISK] = exp(h->y) / 1e3;
		if (k->loop == LOOP_OPEN && k->utilization > 0)
			h->y -= log(1 - fmin(RHO_MOST, h->utilization * exp(h->x)));
	}
	if (k->loop == LOOP_OPEN)
		return;
	if (k->loop == LOOP_STRIPE)
		rounds = queue_solve(t->visits, n, k->window * n, 1, 0, t->think_s);
	for (unsigned int i = 0; i < n; i++) {
		struct host *h = &t->hosts[i];
		const struct visit *v = &t->visits[i];
		double rate;

		/* Of its own clients there are as many as it has shares. */
		if (k->loop == LOOP_OWN)
			rate = queue_solve(&(struct visit){.ratio = 1, .demand = {v->demand[0]}}, 1,
					   k->window * v->ratio, 1, 0, t->think_s);
		else
			rate = rounds * v->ratio;
		h->y -= log(1 - rate * v->demand[ST_DISK]);
		h->x = log(rate * REQUEST_BYTES / USUAL_BYTES_S);
	}
}

/* ---- rows -------------------------------------------------------------------------------------- */

static bool is_recorded(struct host *h, const struct table *t, unsigned int i, uint64_t step,
			double at_s)
{
	const struct table_kind *k = t->kind;
	double missing = rng_uniform(&h->events), gap = rng_uniform(&h->events),
	       length = rng_exponential(&h->events),
	       every = i == t->one ? k->one_every : k->others_every;

	h->gap_left_s -= t->step_s;
	if (gap < k->gaps_day * t->step_s / DAY_S)
		h->gap_left_s = length * HOUR_S;
	if (i == t->one &&
	    ((k->restart > 0 && at_s >= h->stops_s && at_s < h->stops_s + STOPPED_S) ||
	     at_s < k->late_h * HOUR_S))
		return false;
	return missing >= k->missing && h->gap_left_s <= 0 &&
	       (!(every > 1) || step % (uint64_t)every == 0);
}

static double whole(double value, double unit)
{
	return unit > 0 ? fmax(1, round(value / unit)) * unit : value;
}

static void row(struct host *h, const struct table *t, unsigned int i, double at_s, FILE *out)
{
	const struct table_kind *k = t->kind;
	double bytes_s = exp(h->x) * USUAL_BYTES_S, ms = whole(exp(h->y), k->round_ms);

	if (k->poisson > 0)
		bytes_s = h->n * REQUEST_BYTES / t->step_s;
	if (k->round_bytes > 0) {
		double bytes = bytes_s * t->step_s + h->bytes_left,
		       counted = floor(bytes / k->round_bytes) * k->round_bytes;

		h->bytes_left = bytes - counted;
		bytes_s = counted / t->step_s;
	}
	fprintf(out, "%" PRId64 ",s%02u,%.6g,", t->o->begin_s + (int64_t)(at_s + h->clock_s), i + 1,
		bytes_s);
	if (isnan(ms))
		fputc('\n', out);
	else
		fprintf(out, "%.6g\n", ms);
}

int table_make(const struct table_order *o, FILE *out)
{
	struct table t;
	int err = table_init(&t, o);
	uint64_t steps = err ? 0 : (uint64_t)(t.hours * HOUR_S / t.step_s);

	fputs("time,node,throughput,latency\n", out);
	for (uint64_t step = 0; step < steps && !ferror(out); step++) {
		double at_s = (double)step * t.step_s;

		t.drifted += t.kind->drift * sqrt(t.step_s / HOUR_S) * rng_normal(&t.drift);
		for (unsigned int i = 0; i < o->servers; i++)
			host_step(&t.hosts[i], &t, i, at_s);
		queues(&t);
		for (unsigned int i = 0; i < o->servers; i++)
			if (is_recorded(&t.hosts[i], &t, i, step, at_s))
				row(&t.hosts[i], &t, i, at_s, out);
	}
	free(t.hosts);
	free(t.visits);
	return err;
}
