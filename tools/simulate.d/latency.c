// SPDX-License-Identifier: BSD-2-Clause
/* Times of single requests and of single switches, drawn from what the queues say. */
#include "latency.h"

#include <math.h>

#include "userspace/common/clock.h"

#define QUEUE_LONGEST	128.0 /* nr_requests */
#define TRANSFER_SPREAD 0.1
#define SEEK_SPREAD	0.3
#define DEEP_SPREAD	0.2
#define DISPATCH_S	12e-6 /* from the queue to the driver */
#define WAKE_S		8e-6  /* from runnable to running on an idle processor */
#define WAKE_SPREAD	0.6

int latency_size(double kb)
{
	return kb <= 16 ? 0 : kb <= 128 ? 1 : 2;
}

static void count(struct lat_hist *h, const struct flow *f, double s)
{
	uint32_t b = bucket_of((uint64_t)(fmax(0, s) * NS_PER_S) >> LAT_SHIFT, LAT_SUB_BITS);

	h->n[f->op][f->size][b < LAT_BUCKETS ? b : LAT_BUCKETS - 1]++;
}

/* A request's own service: a transfer, and where the head moves half of it seeking and half waiting for
 * the sector, which is anywhere in the turn. */
static double own_service(const struct disk_now *d, struct rng *r)
{
	double service = d->service_s, transfer, s;

	if (d->hit > 0) {
		if (rng_uniform(r) < d->hit)
			return d->hit_s * lognormal(r, TRANSFER_SPREAD);
		service = (service - d->hit * d->hit_s) / (1 - d->hit);
	}
	transfer = fmax(0.02 * service, service - d->seek * d->seek_s);
	s = transfer * lognormal(r, TRANSFER_SPREAD);

	if (rng_uniform(r) < d->seek)
		s += d->seek_s * (0.5 * lognormal(r, SEEK_SPREAD) + rng_uniform(r));
	return s;
}

/* What the clock shows: how many of its ticks fell into the time. */
static double ticked(double s, double tick_s, struct rng *r)
{
	return tick_s > 0 ? floor(s / tick_s + rng_uniform(r)) * tick_s : s;
}

/* What is ahead of it. M/M/1: nothing with probability 1 - rho, else an exponential time of mean
 * service / (1 - rho); those that came together, from none to all. */
static double ahead(enum flow_kind kind, double service, double rho, double batch, struct rng *r)
{
	double q;

	if (kind == FLOW_BURST)
		return service * fmin(DEVICE_DEPTH, rng_uniform(r) * DEVICE_DEPTH / (1 - rho));
	q = rng_uniform(r) * fmax(0, batch - 1);
	if (rng_uniform(r) < rho)
		q += rng_exponential(r) / (1 - rho);
	return service * fmin(QUEUE_LONGEST, q);
}

struct drawn {
	double whole, device;
};

static struct drawn draw(const struct disk_now *d, const struct flow *f, struct rng *r)
{
	double own, wait;

	if (f->kind == FLOW_DEEP) {
		own = lognormal(r, DEEP_SPREAD);
		return (struct drawn){own, own};
	}
	own = own_service(d, r);
	wait = ahead(f->kind, d->service_s, fmin(0.99, d->rho), d->batch, r);
	return (struct drawn){own + wait, own + fmin(wait, (DEVICE_DEPTH - 1) * d->service_s)};
}

/* In the device alone, when it is the scheduler that holds requests back: the device's own queue, at
 * its own pace. */
static double unheld(const struct disk_now *d, const struct flow *f, struct rng *r)
{
	struct disk_now free = *d;

	free.service_s /= d->held;
	free.seek_s /= d->held;
	free.hit_s /= d->held;
	free.rho /= d->held;
	return draw(&free, f, r).device;
}

double latency_draw(const struct disk_now *d, struct flow *f, struct rng *r, struct lat_hist *lat,
		    struct lat_hist *dev)
{
	/* The same numbers twice: first for their sum, then for what they count. */
	struct rng again = *r, held = *r, clock = *r;
	double sum = 0, in_device = 0, shown = 0;

	held.s[0] ^= 0x9e3779b97f4a7c15;
	clock.s[0] ^= 0xd1b54a32d192ed03;
	for (unsigned int i = 0; i < f->n; i++)
		sum += draw(d, f, r).whole;
	for (unsigned int i = 0; i < f->n; i++) {
		struct drawn x = draw(d, f, &again);
		double scale = f->sum_s / sum, whole = x.whole * scale, device = x.device * scale;

		/* of a disk that was idle nothing is known but the sum */
		if (!(sum > 0) || !isfinite(scale))
			whole = device = f->sum_s / f->n;

		if (d->held > 1 && f->kind != FLOW_DEEP)
			device = fmin(device, unheld(d, f, &held));
		device = fmax(device / 2, fmin(device, whole - DISPATCH_S));
		if (d->tick_s > 0) {
			whole = ticked(whole, d->tick_s, &clock);
			device = fmin(whole, ticked(device, d->tick_s, &clock));
		}
		count(lat, f, whole);
		count(dev, f, device);
		in_device += device;
		shown += whole;
	}
	if (d->tick_s > 0)
		f->sum_s = shown;
	return in_device;
}

/* Share of the switches that waited less than s. */
static double waited(double s, double busy, double wait_s)
{
	double quick = s > 0 ? 0.5 * erfc(-log(s / WAKE_S) / WAKE_SPREAD / sqrt(2)) : 0;

	return (1 - busy) * quick + busy * -expm1(-s / wait_s);
}

static double bucket_s(uint32_t b)
{
	return s_of_ns((int64_t)(bucket_low(b, RUNQ_SUB_BITS) << RUNQ_SHIFT));
}

double runq_draw(unsigned int n, double busy, double wait_s, struct rng *r, struct runq_hist *out)
{
	/* Systematic sampling: n points at equal steps of probability, begun at random. */
	double offset = rng_uniform(r), sum = 0, last = 0;

	for (uint32_t b = 0; b < RUNQ_BUCKETS && last < n; b++) {
		double to = b + 1 < RUNQ_BUCKETS ? waited(bucket_s(b + 1), busy, wait_s) : 1;
		double below = fmin(n, floor(n * to + offset));

		out->n[b] = (uint32_t)(below - last);
		sum += (below - last) * (bucket_s(b) + bucket_s(b + 1)) / 2;
		last = below;
	}
	return n ? sum / n * 1e3 : NAN;
}
