// SPDX-License-Identifier: BSD-2-Clause
/* The host: processors, scheduler, memory, and the sums over its disks. */
#include <errno.h>
#include <string.h>

#include "internal.h"
#include "userspace/common/clock.h"

/* From kernel memory, or from /proc; both ends must come from the same place. */
static const struct host_record *counters(const struct sweep *s)
{
	return s->reading.host_ok ? &s->reading.host : s->host.cpus_seen ? &s->host : NULL;
}

/* In percent of all states together, as sar does it; what runs backwards (iowait may) counts 0. */
static void derive_cpu(const struct host_record *a, const struct host_record *b,
		       struct second_row *row)
{
	double d[CPU_STATES], all = 0;

	for (int i = 0; i < CPU_STATES; i++) {
		d[i] = a->cpu_ns[i] > b->cpu_ns[i] ? (double)(a->cpu_ns[i] - b->cpu_ns[i]) : 0;
		all += d[i];
	}
	if (all <= 0)
		return;
	second_set(row, M_USER, 100 * d[CPU_USER] / all);
	second_set(row, M_NICE, 100 * d[CPU_NICE] / all);
	second_set(row, M_SYSTEM, 100 * (d[CPU_SYSTEM] + d[CPU_IRQ] + d[CPU_SOFTIRQ]) / all);
	second_set(row, M_IOWAIT, 100 * d[CPU_IOWAIT] / all);
	second_set(row, M_STEAL, 100 * d[CPU_STEAL] / all);
	second_set(row, M_IDLE, 100 * d[CPU_IDLE] / all);
}

static void derive_events(const struct host_record *a, const struct host_record *b, double dt,
			  struct second_row *row)
{
	static const struct {
		enum metric_id metric;
		enum vm_event event;
		double per;
	} rows[] = {
		{M_PGPGIN_S, VM_PGPGIN, 2},	    {M_PGPGOUT_S, VM_PGPGOUT, 2},
		{M_FAULT_S, VM_PGFAULT, 1},	    {M_MAJFLT_S, VM_PGMAJFAULT, 1},
		{M_PGFREE_S, VM_PGFREE, 1},	    {M_PGSCANK_S, VM_PGSCAN_KSWAPD, 1},
		{M_PGSCAND_S, VM_PGSCAN_DIRECT, 1}, {M_PGSTEAL_S, VM_PGSTEAL, 1},
		{M_PSWPIN_S, VM_PSWPIN, 1},	    {M_PSWPOUT_S, VM_PSWPOUT, 1},
		{M_ALLOCSTALL_S, VM_ALLOCSTALL, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		second_set(row, rows[i].metric,
			   rate(a->vm[rows[i].event], b->vm[rows[i].event], rows[i].per, dt));
}

static void derive_runq(const struct merge *m, struct second_row *row)
{
	const struct runq_record *a = &m->now->runq, *b = &m->before->runq;
	uint64_t switches = 0;

	for (int k = 0; k < RUNQ_BUCKETS; k++) {
		row->runq->n[k] = a->n[k] - b->n[k];
		switches += row->runq->n[k];
	}
	second_set(row, M_RUNQ_DELAY,
		   ratio((double)(a->delay_ns - b->delay_ns) / 1e6, (double)switches));
	second_set(row, M_RUNQ_P99,
		   bucket_quantile(row->runq->n, RUNQ_BUCKETS, RUNQ_SUB_BITS, 0.99) *
			   (1 << RUNQ_SHIFT) / 1e6);
}

static void derive_gauges(const struct gauges *a, const struct gauges *b, struct second_row *row)
{
	static const struct {
		enum pressure_kind kind;
		int some, full; /* metrics, or -1 */
	} rows[] = {
		{PRESSURE_CPU, M_SCPU, -1},
		{PRESSURE_IO, M_SIO, M_FIO},
		{PRESSURE_MEMORY, M_SMEM, M_FMEM},
	};
	double dt = s_of_ns((int64_t)(a->mono_ns - b->mono_ns));

	if (a->load_ok) {
		second_set(row, M_PLIST_SZ, (double)a->load.tasks);
		second_set(row, M_LDAVG_1, a->load.ldavg_1);
		second_set(row, M_LDAVG_5, a->load.ldavg_5);
	}
	if (a->memory_ok) {
		second_set(row, M_KBMEMFREE, (double)a->memory.free);
		second_set(row, M_KBAVAIL, (double)a->memory.available);
		second_set(row, M_KBDIRTY, (double)a->memory.dirty);
	}
	/* Where sweeps have waited, their gauges were read together. */
	for (size_t i = 0; dt > 0.01 && i < sizeof(rows) / sizeof(*rows); i++) {
		const struct pressure *p = &a->pressure[rows[i].kind];
		const struct pressure *q = &b->pressure[rows[i].kind];

		second_set(row, rows[i].some, rate(p->some_us, q->some_us, 1e4, dt));
		if (rows[i].full >= 0)
			second_set(row, rows[i].full, rate(p->full_us, q->full_us, 1e4, dt));
	}
}

/* In blocks of 512 bytes, over the watched disks: sar -b leaves out loop devices and others. */
static void sum_disks(const struct second *s, struct second_row *host)
{
	double read = NAN, written = NAN;

	for (size_t i = 0; i < s->n_rows; i++) {
		const struct second_row *row = &s->rows[i];

		if (row->family != FAM_DISK || isnan(second_value(row, M_RKB_S)))
			continue;
		read = (isnan(read) ? 0 : read) + 2 * second_value(row, M_RKB_S);
		written = (isnan(written) ? 0 : written) + 2 * second_value(row, M_WKB_S);
	}
	second_set(host, M_BREAD_S, read);
	second_set(host, M_BWRTN_S, written);
}

int merge_add_host(const struct merge *m, double dt, struct second *out)
{
	const struct host_record *a = counters(m->now), *b = counters(m->before);
	bool sched = m->status[PROBE_SCHED].ok;
	struct second_row *row = second_add_row(out, FAM_HOST, "", sched ? HIST_RUNQ : 0);

	if (!row)
		return -ENOMEM;
	/* A processor more or less in one of the sums would look like a burst. */
	if (a && b && a->cpus_seen == b->cpus_seen) {
		derive_cpu(a, b, row);
		derive_events(a, b, dt, row);
		second_set(row, M_CSWCH_S, rate(a->switches, b->switches, 1, dt));
	}
	if (a) {
		/* The sweeping thread itself runs, and does not count (as in sar). */
		second_set(row, M_RUNQ_SZ, a->nr_running ? (double)(a->nr_running - 1) : 0);
		second_set(row, M_BLOCKED, (double)a->nr_blocked);
	}
	if (sched)
		derive_runq(m, row);
	derive_gauges(&m->now->reading.gauges, &m->before->reading.gauges, row);
	sum_disks(out, row);
	merge_profile(m, dt, row);
	return 0;
}
