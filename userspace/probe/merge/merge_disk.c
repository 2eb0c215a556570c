// SPDX-License-Identifier: BSD-2-Clause
/*
 * Disks: iostat's metrics from the kernel's own statistics, and what those cannot tell (histograms,
 * device time, origin) from the completion hook.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "internal.h"
#include "userspace/common/clock.h"

/* What the kernel's statistics of one disk say at both ends of a second. */
struct ends {
	const struct disk_counters *now, *before;
	double ticks_ms; /* of io_ticks */
};

/* From memory, or from /sys; both ends must come from the same place and the same disk. */
static bool find_ends(const struct merge *m, size_t i, struct ends *e)
{
	const struct disk_record *now = &m->now->disk[i], *before = &m->before->disk[i];
	const struct reading *a = &m->now->reading, *b = &m->before->reading;

	/* A processor more or less in one of the sums would look like a burst. */
	if (now->state == DISK_HERE && before->state == DISK_HERE &&
	    now->cpus_seen == before->cpus_seen) {
		e->now = &now->stats;
		e->before = &before->stats;
		e->ticks_ms = m->hz ? 1000.0 / m->hz : NAN;
	} else if (i < m->o.disk_slots && a->disk_ok[i] && b->disk_ok[i]) {
		e->now = &a->disk[i];
		e->before = &b->disk[i];
		e->ticks_ms = 1;
	} else {
		return false;
	}
	/* A disk that went and came back between counts from 0 again. */
	for (int op = 0; op < OP_COUNT; op++)
		if (e->now->ios[op] < e->before->ios[op] || e->now->ns[op] < e->before->ns[op])
			return false;
	return true;
}

static uint64_t delta(const __u64 *now, const __u64 *before, int op)
{
	return now[op] - before[op];
}

struct op_rates {
	double ios, kb, merges, ns;
	double timed, timed_ns; /* of them, those that did not fail */
};

static double await_ms(struct op_rates r)
{
	return ratio(r.timed_ns / NS_PER_MS, r.timed);
}

/* What the completion hook saw of one disk, at both ends of a second. */
struct hook {
	const struct disk_record *a, *b;
	const struct lat_record *lat_a, *lat_b;
};

/* `h` knows which failed; NULL: the hook does not run. */
static struct op_rates rates_of(const struct ends *e, const struct hook *h, int op, double dt)
{
	uint64_t ios = delta(e->now->ios, e->before->ios, op);
	uint64_t ns = delta(e->now->ns, e->before->ns, op);
	bool known = h && op < LAT_OPS;
	double failed = known ? (double)delta(h->a->failed_ios, h->b->failed_ios, op) : 0;
	double failed_ns = known ? (double)delta(h->a->failed_ns, h->b->failed_ns, op) : 0;

	if (e->now->ios[op] == UNKNOWN)
		return (struct op_rates){NAN, NAN, NAN, 0, 0, 0};
	return (struct op_rates){
		.ios = (double)ios / dt,
		.kb = (double)delta(e->now->sectors, e->before->sectors, op) / 2 / dt,
		.merges = (double)delta(e->now->merges, e->before->merges, op) / dt,
		/* A request may end in one second here, and in the next there. */
		.timed = fmax(0, (double)ios - failed),
		.timed_ns = fmax(0, (double)ns - failed_ns),
		.ns = (double)ns,
	};
}

/* As iostat -x computes them, but for the times of requests that failed. */
static void derive_stats(const struct ends *e, const struct hook *h, double dt,
			 struct second_row *row)
{
	struct op_rates r = rates_of(e, h, OP_READ, dt), w = rates_of(e, h, OP_WRITE, dt);
	struct op_rates d = rates_of(e, h, OP_DISCARD, dt), f = rates_of(e, h, OP_FLUSH, dt);
	double ticks = (double)(int64_t)(e->now->io_ticks - e->before->io_ticks) * e->ticks_ms;

	second_set(row, M_R_S, r.ios);
	second_set(row, M_W_S, w.ios);
	second_set(row, M_D_S, d.ios);
	second_set(row, M_F_S, f.ios);
	second_set(row, M_RKB_S, r.kb);
	second_set(row, M_WKB_S, w.kb);
	second_set(row, M_DKB_S, d.kb);
	second_set(row, M_RRQM_S, r.merges);
	second_set(row, M_WRQM_S, w.merges);
	second_set(row, M_DRQM_S, d.merges);
	second_set(row, M_R_AWAIT, await_ms(r));
	second_set(row, M_W_AWAIT, await_ms(w));
	second_set(row, M_D_AWAIT, await_ms(d));
	second_set(row, M_F_AWAIT, await_ms(f));
	second_set(row, M_AWAIT, ratio((r.timed_ns + w.timed_ns) / NS_PER_MS, r.timed + w.timed));
	second_set(row, M_AQU_SZ, (r.ns + w.ns + d.ns + f.ns) / NS_PER_S / dt);
	/* What was in flight at the end is counted up to then, and counted again by the next
	 * completion: a little more or less than the time there was. */
	second_set(row, M_UTIL, fmin(100, fmax(0, ticks / 10 / dt)));
}

static uint64_t timed(const __u32 (*a)[LAT_BUCKETS], const __u32 (*b)[LAT_BUCKETS])
{
	uint64_t n = 0;

	for (int size = 0; size < LAT_SIZES; size++)
		for (int k = 0; k < LAT_BUCKETS; k++)
			n += a[size][k] - b[size][k];
	return n;
}

static uint64_t hook_ios(const struct hook *h, int op)
{
	uint64_t n = h->a->ios[op] - h->b->ios[op];

	return op < LAT_OPS ? n + timed(h->lat_a->lat[op], h->lat_b->lat[op]) : n;
}

/* For a disk without statistics: a queue with iostats=0, "(other)". */
static void derive_hook(const struct hook *h, double dt, struct second_row *row)
{
	const struct disk_record *a = h->a, *b = h->b;

	second_set(row, M_R_S, (double)hook_ios(h, OP_READ) / dt);
	second_set(row, M_W_S, (double)hook_ios(h, OP_WRITE) / dt);
	second_set(row, M_D_S, (double)hook_ios(h, OP_DISCARD) / dt);
	second_set(row, M_F_S, (double)hook_ios(h, OP_FLUSH) / dt);
	second_set(row, M_RKB_S, rate(a->bytes[OP_READ], b->bytes[OP_READ], 1024, dt));
	second_set(row, M_WKB_S, rate(a->bytes[OP_WRITE], b->bytes[OP_WRITE], 1024, dt));
	second_set(row, M_DKB_S, rate(a->bytes[OP_DISCARD], b->bytes[OP_DISCARD], 1024, dt));
}

static double device_ms(const struct hook *h, int op)
{
	return ratio((double)(h->a->dev_ns[op] - h->b->dev_ns[op]) / 1e6,
		     (double)timed(h->lat_a->dev[op], h->lat_b->dev[op]));
}

static void subtract(struct lat_hist *out, const __u32 (*a)[LAT_SIZES][LAT_BUCKETS],
		     const __u32 (*b)[LAT_SIZES][LAT_BUCKETS])
{
	for (int op = 0; op < LAT_OPS; op++)
		for (int size = 0; size < LAT_SIZES; size++)
			for (int k = 0; k < LAT_BUCKETS; k++)
				out->n[op][size][k] = a[op][size][k] - b[op][size][k];
}

static void derive_origin(const struct disk_record *a, const struct disk_record *b, double dt,
			  struct second_row *row)
{
	second_set(row, M_FOREIGN_RKB_S,
		   rate(a->foreign_bytes[OP_READ], b->foreign_bytes[OP_READ], 1024, dt));
	second_set(row, M_FOREIGN_WKB_S,
		   rate(a->foreign_bytes[OP_WRITE], b->foreign_bytes[OP_WRITE], 1024, dt));
	second_set(row, M_UNKNOWN_WKB_S,
		   rate(a->unknown_bytes[OP_WRITE], b->unknown_bytes[OP_WRITE], 1024, dt));
}

/*
 * The hook completed I/O and the statistics stood still: they are switched off. Unless a request is
 * on its way between the two, which the statistics still have in flight.
 */
static bool stats_off(const struct ends *e, const struct hook *h)
{
	uint64_t seen = 0, counted = 0;

	for (int op = 0; op < OP_COUNT; op++) {
		seen += hook_ios(h, op);
		counted += e->now->ios[op] - e->before->ios[op];
	}
	return seen && !counted && !e->now->in_flight;
}

/* Which histograms there are: none of a disk that has no requests of its own, or whose requests came without
 * times. */
static unsigned int measured(const struct hook *h)
{
	uint64_t untimed = 0, whole = 0, device = 0;

	for (int op = 0; op < LAT_OPS; op++) {
		untimed += delta(h->a->untimed, h->b->untimed, op);
		whole += timed(h->lat_a->lat[op], h->lat_b->lat[op]);
		device += timed(h->lat_a->dev[op], h->lat_b->dev[op]);
	}
	return (whole || !untimed ? HIST_LAT : 0) | (device || !(whole + untimed) ? HIST_DEV : 0);
}

static int add_disk(const struct merge *m, size_t i, const char *name, double dt,
		    struct second *out)
{
	const struct hook h = {&m->now->disk[i], &m->before->disk[i], &m->now->lat[i],
			       &m->before->lat[i]};
	bool other = i == m->o.disk_slots, hook = m->status[PROBE_BLOCK].ok;
	struct ends e = {0};
	bool stats = !other && find_ends(m, i, &e);
	/* The hook cannot tell an idle disk from one that is away; the statistics can. */
	bool seen = hook && (other || (stats && m->o.disks[i].has_requests));
	struct second_row *row = second_add_row(out, FAM_DISK, name, seen ? measured(&h) : 0);

	if (!row)
		return -ENOMEM;
	if (stats && !(hook && stats_off(&e, &h)))
		derive_stats(&e, hook ? &h : NULL, dt, row);
	else if (seen)
		derive_hook(&h, dt, row);
	second_set(row, M_IOPS, second_value(row, M_R_S) + second_value(row, M_W_S));
	second_set(row, M_RAREQ_SZ, ratio(second_value(row, M_RKB_S), second_value(row, M_R_S)));
	second_set(row, M_WAREQ_SZ, ratio(second_value(row, M_WKB_S), second_value(row, M_W_S)));
	second_set(row, M_AREQ_SZ,
		   ratio(second_value(row, M_RKB_S) + second_value(row, M_WKB_S),
			 second_value(row, M_IOPS)));
	if (!seen)
		return 0;
	second_set(row, M_R_DEV, device_ms(&h, OP_READ));
	second_set(row, M_W_DEV, device_ms(&h, OP_WRITE));
	if (m->o.labelled && m->status[PROBE_ORIGIN].ok)
		derive_origin(h.a, h.b, dt, row);
	second_set(row, M_ERR_S, rate(h.a->errors, h.b->errors, 1, dt));
	if (m->status[PROBE_REQUEUE].ok)
		second_set(row, M_REQUEUE_S, rate(h.a->requeues, h.b->requeues, 1, dt));
	if (row->lat)
		subtract(row->lat, h.lat_a->lat, h.lat_b->lat);
	if (row->dev)
		subtract(row->dev, h.lat_a->dev, h.lat_b->dev);
	return 0;
}

int merge_add_disks(const struct merge *m, double dt, struct second *out)
{
	int err = 0;

	for (size_t i = 0; !err && i < m->now->reading.n_disks; i++)
		if (!m->now->reading.disk_unwatched[i])
			err = add_disk(m, i, m->o.disks[i].name, dt, out);
	if (!err && m->o.n_others)
		err = add_disk(m, m->o.disk_slots, "(other)", dt, out);
	return err;
}
