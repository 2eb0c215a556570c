// SPDX-License-Identifier: BSD-2-Clause
/*
 * A MapReduce cluster, second by second. Every running task would go at the speed of its own needs;
 * a resource that is asked for more than it has slows all who ask by the same factor, and a task goes
 * at the speed of the scarcest of its resources, here or on the slaves it talks to.
 */
#include "hadoop.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "hadoop_logs.h"
#include "tcp.h"

#define NIC_KB_S  115000.0
#define FETCHERS  5  /* connections of a shuffle */
#define GIVE_UP_S 60 /* HDFS: a copy that does not move is sent elsewhere */

/* The two slaves that are worst at something: whoever is asked about the others needs no more. */
struct worst {
	unsigned int slave;
	double value, next;
};

struct hadoop {
	const struct setup *s;
	struct slave *slaves;
	unsigned int job, maps, maps_left, maps_running, reduces_left, pause;
	unsigned int jobs;	   /* begun */
	double fetched_kb;	   /* asked, or done, of all slaves in this second */
	struct worst sender, loss; /* the least factor of what is sent; the most that is lost */
	bool hung;		   /* a task of this run has hung */
	struct rng tasks;
	struct ar1 web; /* how fast the world outside answers */
};

static const struct job *job_of(const struct hadoop *h)
{
	return &h->s->workload->jobs[h->job];
}

static void job_begin(struct hadoop *h, unsigned int t)
{
	const struct setup *s = h->s;

	h->maps = h->maps_left = s->maps ? s->maps : job_of(h)->maps * s->servers;
	h->reduces_left =
		s->reduces && job_of(h)->reduces ? s->reduces : job_of(h)->reduces * s->servers;
	h->jobs++;
	if (s->logs)
		hadoop_logs_job(s->logs, t, h->maps_left, h->reduces_left);
}

static unsigned int other_slave(struct hadoop *h, unsigned int self)
{
	return (self + 1 + (unsigned int)rng_below(&h->tasks, h->s->servers - 1)) % h->s->servers;
}

static void task_begin(struct hadoop *h, unsigned int second, unsigned int i, struct task *t,
		       enum stage stage)
{
	*t = (struct task){.stage = stage, .running = true};
	t->size = lognormal(&h->tasks, job_of(h)->spread);
	t->copy_to[0] = other_slave(h, i);
	t->copy_to[1] = other_slave(h, i);
	/* HADOOP-1036: the first task that begins on the slave during the fault never ends. */
	if (h->slaves[i].effect.hang > 0 && !h->hung) {
		t->hung = true;
		h->hung = true;
	}
	if (h->s->logs)
		hadoop_logs_begin(h->s->logs, second, i, t);
}

/* The job tracker: free slots take what is left; slaves ask in an order that changes. */
static void schedule(struct hadoop *h, unsigned int second)
{
	unsigned int n = h->s->servers, first = (unsigned int)rng_below(&h->tasks, n);

	for (unsigned int k = 0; k < n * SLOTS; k++) {
		unsigned int i = (first + k) % n, slot = k / n;
		struct task *t = &h->slaves[i].tasks[slot];
		/* A slave asks with its heartbeat: not every second. */
		bool asks = rng_uniform(&h->tasks) < 0.4;

		if (t->running || !asks)
			continue;
		if (slot < MAP_SLOTS && h->maps_left) {
			h->maps_left--;
			task_begin(h, second, i, t, STAGE_MAP);
		} else if (slot >= MAP_SLOTS && h->reduces_left) {
			h->reduces_left--;
			task_begin(h, second, i, t, STAGE_SHUFFLE);
		}
	}
}

/* Speed of a task on its own: the share of its stage done in a second. */
static double own_speed(const struct hadoop *h, const struct task *t, double disk_kb_s)
{
	const struct work *w = &job_of(h)->work[t->stage];
	double seconds = work_seconds(w, disk_kb_s) * t->size;

	return seconds > 0 ? 1 / seconds : 1;
}

/* What a task asks of everybody at `speed`; adds up. */
static void ask(struct hadoop *h, unsigned int i, const struct task *t, double speed)
{
	const struct work *w = &job_of(h)->work[t->stage];
	double x = speed * t->size, share = w->fetch_kb * x / h->s->servers;
	struct slave *me = &h->slaves[i];

	me->asked[R_CPU] += t->hung ? 1 : w->cpu_s * x;
	if (t->hung)
		return;
	me->asked[R_DISK] += (w->read_kb + w->write_kb) * x;
	me->asked[R_RX] += share * (h->s->servers - 1) + w->crawl_kb * x;
	me->asked[R_TX] += 2 * w->copies_kb * x;
	for (int c = 0; c < 2 && w->copies_kb > 0; c++) {
		h->slaves[t->copy_to[c]].asked[R_RX] += w->copies_kb * x;
		h->slaves[t->copy_to[c]].asked[R_DISK] += w->copies_kb * x;
	}
	h->fetched_kb += share; /* of all; of its own it needs no interface */
	me->asked[R_TX] -= share;
}

/* kB/s of one connection between two slaves: loss on either side counts. */
static double lossy_kb_s(double tx_loss, double rx_loss)
{
	return tcp_rate_kb(fmin(0.95, 1 - (1 - tx_loss) * (1 - rx_loss)), HADOOP_RTT_S);
}
static double link_kb_s(const struct slave *a, const struct slave *b)
{
	return lossy_kb_s(a->effect.tx_loss, b->effect.rx_loss);
}

double slave_fetch_kb_s(const struct slave *from, const struct slave *to)
{
	double share = fmin(from->factor[R_TX], to->factor[R_RX]) / FETCHERS;

	/* A thread of the sender's daemon answers. */
	return fmin(link_kb_s(from, to), NIC_KB_S * share) * from->factor[R_CPU];
}

/* The worst value of all but this slave's. */
static double others(const struct worst *w, unsigned int slave)
{
	return w->slave == slave ? w->next : w->value;
}

static void find_worst(struct hadoop *h)
{
	h->sender = (struct worst){.value = 1, .next = 1};
	h->loss = (struct worst){0};
	for (unsigned int k = 0; k < h->s->servers; k++) {
		double tx = h->slaves[k].factor[R_TX], lost = h->slaves[k].effect.tx_loss;

		if (tx < h->sender.value)
			h->sender = (struct worst){k, tx, h->sender.value};
		else
			h->sender.next = fmin(h->sender.next, tx);
		if (lost > h->loss.value)
			h->loss = (struct worst){k, lost, h->loss.value};
		else
			h->loss.next = fmax(h->loss.next, lost);
	}
}

/* How much of `speed` the task reaches. */
static double reached(const struct hadoop *h, unsigned int i, const struct task *t, double speed)
{
	const struct work *w = &job_of(h)->work[t->stage];
	const struct slave *me = &h->slaves[i];
	double f = me->factor[R_CPU], x = speed * t->size;

	if (w->read_kb + w->write_kb > 0)
		f = fmin(f, me->factor[R_DISK]);
	if (w->fetch_kb + w->crawl_kb > 0)
		f = fmin(f, me->factor[R_RX]);
	/* The outside world is reached over the same lossy interface. */
	if (w->crawl_kb > 0)
		f = fmin(f, 4 * tcp_rate_kb(me->effect.rx_loss, HADOOP_RTT_S) / (w->crawl_kb * x));
	for (int c = 0; c < 2 && w->copies_kb > 0; c++) {
		const struct slave *to = &h->slaves[t->copy_to[c]];

		f = fmin(f, fmin(to->factor[R_DISK], fmin(to->factor[R_RX], me->factor[R_TX])));
		f = fmin(f, link_kb_s(me, to) / (w->copies_kb * x));
	}
	if (w->fetch_kb > 0) {
		f = fmin(f, others(&h->sender, i));
		f = fmin(f, FETCHERS * lossy_kb_s(others(&h->loss, i), me->effect.rx_loss) /
				    (w->fetch_kb * x / h->s->servers));
	}
	return fmin(1, f);
}

/* What the task did at last: the same sums as in ask(), by kind. */
static void account(struct hadoop *h, unsigned int i, const struct task *t, double speed)
{
	const struct work *w = &job_of(h)->work[t->stage];
	double x = speed * t->size, share = w->fetch_kb * x / h->s->servers;
	struct slave *me = &h->slaves[i];

	me->cpu += t->hung ? me->factor[R_CPU] : w->cpu_s * x;
	if (t->hung)
		return;
	/* What a map reads was mostly written long ago; a reduce reads what it has just spilt, of
	 * which the page cache holds the larger part. */
	me->read_kb += w->read_kb * x * (t->stage == STAGE_REDUCE ? 0.4 : 0.9);
	me->dirty_kb += w->write_kb * x;
	me->rx_kb += share * (h->s->servers - 1) + w->crawl_kb * x;
	me->tx_kb += 2 * w->copies_kb * x + w->crawl_kb * x / 40;
	for (int c = 0; c < 2; c++) {
		h->slaves[t->copy_to[c]].rx_kb += w->copies_kb * x;
		h->slaves[t->copy_to[c]].dirty_kb += w->copies_kb * x;
	}
	h->fetched_kb += share;
	me->tx_kb -= share;
}

/* The next stage of a task that has done this one. */
static void advance(struct hadoop *h, unsigned int second, unsigned int i, struct task *t,
		    double speed)
{
	double before = t->done;

	t->stalled = speed > 0.002 ? 0 : t->stalled + 1;
	if (t->stalled >= GIVE_UP_S) {
		t->copy_to[0] = other_slave(h, i);
		t->copy_to[1] = other_slave(h, i);
		t->stalled = 0;
	}
	t->done += speed;
	if (h->s->logs)
		hadoop_logs_progress(h->s->logs, second, h->slaves, i, t,
				     &job_of(h)->work[t->stage], before, t->done);
	if (t->hung || t->done < 1)
		return;
	if (t->stage == STAGE_SHUFFLE) {
		t->stage = STAGE_REDUCE;
		t->done = 0;
	} else {
		t->running = false;
	}
}

static void slave_begin(struct hadoop *h, unsigned int i, unsigned int second)
{
	struct slave *v = &h->slaves[i];
	double noise = ar1_factor(&v->disk) * spikes_factor(&v->slow);

	v->effect = fault_effect(h->s, i, second);
	v->has[R_CPU] = CORES * (1 - v->effect.cpu_share);
	v->has[R_DISK] = v->disk_kb_s / noise * (1 - v->effect.disk_share) * 0.85;
	v->has[R_RX] = v->has[R_TX] = NIC_KB_S;
	for (int k = 0; k < RESOURCES; k++)
		v->asked[k] = 0;
	v->cpu = v->read_kb = v->write_kb = v->rx_kb = v->tx_kb = 0;
}

/* A reduce copies map outputs as they come: it cannot be further than the maps are. */
static double shuffle_limit(const struct hadoop *h, const struct task *t, double speed)
{
	double ready = 1 - (h->maps_left + h->maps_running) / fmax(1, h->maps);

	return t->stage == STAGE_SHUFFLE ? fmin(speed, fmax(0, ready - t->done)) : speed;
}

static double wanted_speed(const struct hadoop *h, const struct slave *v, const struct task *t)
{
	double speed = own_speed(h, t, v->disk_kb_s);

	if (t->hung)
		return 0;
	if (job_of(h)->work[t->stage].crawl_kb > 0)
		speed *= fmin(1, 0.6 * exp(h->web.x));
	return shuffle_limit(h, t, speed);
}

static void run_tasks(struct hadoop *h, unsigned int second)
{
	unsigned int n = h->s->servers;

	h->maps_running = 0;
	h->fetched_kb = 0;
	for (unsigned int k = 0; k < n * MAP_SLOTS; k++)
		h->maps_running += h->slaves[k / MAP_SLOTS].tasks[k % MAP_SLOTS].running;
	for (unsigned int k = 0; k < n * SLOTS; k++) {
		struct task *t = &h->slaves[k / SLOTS].tasks[k % SLOTS];

		if (t->running)
			ask(h, k / SLOTS, t, wanted_speed(h, &h->slaves[k / SLOTS], t));
	}
	for (unsigned int k = 0; k < n * RESOURCES; k++) {
		struct slave *v = &h->slaves[k / RESOURCES];
		unsigned int r = k % RESOURCES;

		if (r == R_TX)
			v->asked[r] = fmax(0, v->asked[r] + h->fetched_kb);
		v->factor[r] = v->asked[r] > v->has[r] ? v->has[r] / v->asked[r] : 1;
	}
	find_worst(h);
	h->fetched_kb = 0;
	for (unsigned int k = 0; k < n * SLOTS; k++) {
		unsigned int i = k / SLOTS;
		struct task *t = &h->slaves[i].tasks[k % SLOTS];
		double speed;

		if (!t->running)
			continue;
		speed = wanted_speed(h, &h->slaves[i], t);
		speed *= speed > 0 ? reached(h, i, t, speed) : 0;
		account(h, i, t, speed);
		advance(h, second, i, t, speed);
	}
	for (unsigned int i = 0; i < n; i++)
		h->slaves[i].tx_kb = fmax(0, h->slaves[i].tx_kb + h->fetched_kb);
}

/* A job that has nothing left to begin and nothing running is done; the next comes after a pause. */
static void job_tracker(struct hadoop *h, unsigned int second)
{
	bool busy = h->maps_left || h->reduces_left;

	for (unsigned int k = 0; k < h->s->servers * SLOTS; k++)
		busy |= h->slaves[k / SLOTS].tasks[k % SLOTS].running;
	if (h->pause) {
		if (!--h->pause && (!h->s->jobs || h->jobs < h->s->jobs))
			job_begin(h, second);
	} else if (!busy) {
		if (h->s->logs && h->maps)
			hadoop_logs_job_end(h->s->logs, second);
		h->maps = 0;
		h->job++;
		if (h->job == JOBS_MAX || !job_of(h)->maps)
			h->job = 0;
		h->pause = 4 + (unsigned int)(8 * rng_uniform(&h->tasks));
	}
	schedule(h, second);
}

static int hadoop_init(struct hadoop *h, const struct setup *s)
{
	*h = (struct hadoop){.s = s, .tasks = stream(s->seed, FOR_TASKS, 0), .pause = 3};
	h->slaves = calloc(s->servers, sizeof(*h->slaves));
	if (!h->slaves)
		return -ENOMEM;
	ar1_init(&h->web, stream(s->seed, FOR_COMMON, 2), 0.97, 0.5);
	for (unsigned int i = 0; i < s->servers; i++)
		slave_init(&h->slaves[i], s, i);
	return 0;
}

int hadoop_simulate(const struct setup *s, struct run *r)
{
	struct hadoop h;
	int err = hadoop_init(&h, s);

	for (unsigned int t = 0; !err && t < s->seconds; t++) {
		ar1_factor(&h.web);
		for (unsigned int i = 0; i < s->servers; i++)
			slave_begin(&h, i, t);
		job_tracker(&h, t);
		run_tasks(&h, t);
		for (unsigned int i = 0; r->v && i < s->servers; i++) {
			float *total = run_at(r, i, t);

			slave_totals(&h.slaves[i], total);
		}
		if (s->logs)
			hadoop_logs_second(s->logs);
		if (!r->v && s->jobs && h.jobs == s->jobs && !h.maps)
			break;
	}
	free(h.slaves);
	return err;
}
