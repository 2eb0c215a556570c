// SPDX-License-Identifier: BSD-2-Clause
/* From cumulative counters to the rates of one second. */
#include "merge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sweep {
	struct disk_record disk[MAX_DISKS];
	struct tcp_record tcp;
	struct sched_record sched;
	struct end_record end;
	struct reading reading;
};

struct merge {
	const struct disk *disks;
	size_t n_disks;
	const struct family_status *status;
	bool labelled; /* cgroups were given: origins mean something */
	bool started;
	struct sweep *now, *before;
	struct sweep sweeps[2];
};

struct merge *merge_new(const struct disk *disks, size_t n_disks, bool labelled)
{
	struct merge *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->disks = disks;
	m->n_disks = n_disks;
	m->labelled = labelled;
	m->now = &m->sweeps[0];
	m->before = &m->sweeps[1];
	return m;
}

void merge_set_status(struct merge *m, const struct family_status *status)
{
	m->status = status;
}

void merge_free(struct merge *m)
{
	free(m);
}

void merge_record(void *merge, const struct record_head *rec)
{
	struct merge *m = merge;

	switch (rec->type) {
	case REC_DISK:
		if (rec->index < m->n_disks)
			m->now->disk[rec->index] = *(const struct disk_record *)rec;
		break;
	case REC_TCP: m->now->tcp = *(const struct tcp_record *)rec; break;
	case REC_SCHED: m->now->sched = *(const struct sched_record *)rec; break;
	case REC_END: m->now->end = *(const struct end_record *)rec; break;
	}
}

double bucket_median(const uint32_t *counts, uint32_t n, uint32_t sub_bits)
{
	uint64_t total = 0, below = 0;
	double half;

	for (uint32_t b = 0; b < n; b++)
		total += counts[b];
	half = (double)total / 2;
	for (uint32_t b = 0; b < n; b++) {
		double low = (double)bucket_low(b, sub_bits);
		double width = (double)bucket_low(b + 1, sub_bits) - low;

		if (counts[b] && (double)(below + counts[b]) >= half)
			return width <= 1 ? low : low + width * (half - (double)below) / counts[b];
		below += counts[b];
	}
	return NAN;
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

static double mean_ms(const struct disk_record *a, const struct disk_record *b, int first, int last)
{
	uint64_t ns = 0, ios = 0;

	for (int op = first; op <= last; op++) {
		ns += a->lat_ns[op] - b->lat_ns[op];
		ios += (a->ios[op] - b->ios[op]) - (a->untimed[op] - b->untimed[op]);
	}
	return ratio((double)ns / 1e6, (double)ios);
}

static void derive_disk(const struct merge *m, size_t i, double dt, struct second_row *row)
{
	const struct disk_record *a = &m->now->disk[i], *b = &m->before->disk[i];
	double *v = row->v;

	v[M_R_S] = (double)(a->ios[OP_READ] - b->ios[OP_READ]) / dt;
	v[M_W_S] = (double)(a->ios[OP_WRITE] - b->ios[OP_WRITE]) / dt;
	v[M_D_S] = (double)(a->ios[OP_DISCARD] - b->ios[OP_DISCARD]) / dt;
	v[M_F_S] = (double)(a->ios[OP_FLUSH] - b->ios[OP_FLUSH]) / dt;
	v[M_RKB_S] = (double)(a->bytes[OP_READ] - b->bytes[OP_READ]) / 1024 / dt;
	v[M_WKB_S] = (double)(a->bytes[OP_WRITE] - b->bytes[OP_WRITE]) / 1024 / dt;
	v[M_IOPS] = v[M_R_S] + v[M_W_S];
	v[M_R_AWAIT] = mean_ms(a, b, OP_READ, OP_READ);
	v[M_W_AWAIT] = mean_ms(a, b, OP_WRITE, OP_WRITE);
	v[M_AWAIT] = mean_ms(a, b, OP_READ, OP_WRITE);
	/* Little's law, as iostat does it: request time spent per time. */
	v[M_AQU_SZ] = (double)(a->lat_ns[OP_READ] - b->lat_ns[OP_READ] + a->lat_ns[OP_WRITE] -
			       b->lat_ns[OP_WRITE]) /
		      1e9 / dt;
	if (m->labelled) {
		v[M_FOREIGN_RKB_S] =
			(double)(a->foreign_bytes[OP_READ] - b->foreign_bytes[OP_READ]) / 1024 / dt;
		v[M_FOREIGN_WKB_S] =
			(double)(a->foreign_bytes[OP_WRITE] - b->foreign_bytes[OP_WRITE]) / 1024 /
			dt;
		v[M_UNKNOWN_WKB_S] =
			(double)(a->unknown_bytes[OP_WRITE] - b->unknown_bytes[OP_WRITE]) / 1024 /
			dt;
	}
	for (int op = 0; op < LAT_OPS; op++)
		for (int size = 0; size < LAT_SIZES; size++)
			for (int k = 0; k < LAT_BUCKETS; k++)
				row->lat->n[op][size][k] =
					a->lat[op][size][k] - b->lat[op][size][k];
}

static int add_disks(const struct merge *m, double dt, struct second *out)
{
	bool block = m->status[PROBE_BLOCK].ok;

	for (size_t i = 0; i < m->n_disks; i++) {
		const struct reading *a = &m->now->reading, *b = &m->before->reading;
		bool here = a->disk_ok[i] && b->disk_ok[i];
		struct second_row *row =
			second_add_row(out, FAM_DISK, m->disks[i].name, block && here);

		if (!row)
			return -ENOMEM;
		if (block && here)
			derive_disk(m, i, dt, row);
		if (here && a->disk[i].io_ticks_ms >= b->disk[i].io_ticks_ms)
			row->v[M_UTIL] = fmin(
				100, (double)(a->disk[i].io_ticks_ms - b->disk[i].io_ticks_ms) /
					     10 / dt);
	}
	return 0;
}

static int add_netdevs(const struct merge *m, double dt, struct second *out)
{
	const struct reading *a = &m->now->reading, *b = &m->before->reading;

	for (size_t i = 0; i < a->n_netdevs; i++) {
		const struct netdev_counters *now = &a->netdev[i], *before = NULL;
		struct second_row *row = second_add_row(out, FAM_NET, now->name, 0);

		if (!row)
			return -ENOMEM;
		for (size_t k = 0; k < b->n_netdevs; k++)
			if (!strcmp(b->netdev[k].name, now->name))
				before = &b->netdev[k];
		/* A new interface, or one made again under the same name: no rate yet. */
		if (!before || now->rx_bytes < before->rx_bytes || now->tx_bytes < before->tx_bytes)
			continue;
		row->v[M_RXKB_S] = (double)(now->rx_bytes - before->rx_bytes) / 1024 / dt;
		row->v[M_TXKB_S] = (double)(now->tx_bytes - before->tx_bytes) / 1024 / dt;
		row->v[M_RXPCK_S] = (double)(now->rx_packets - before->rx_packets) / dt;
		row->v[M_TXPCK_S] = (double)(now->tx_packets - before->tx_packets) / dt;
	}
	return 0;
}

static int add_tcp(const struct merge *m, double dt, struct second *out)
{
	const struct tcp_record *a = &m->now->tcp, *b = &m->before->tcp;
	double passes = (double)(a->passes - b->passes);
	double active = (double)(a->active - b->active);
	struct second_row *row;
	uint32_t cwnd[CWND_BUCKETS];

	if (!m->status[PROBE_TCP].ok && !m->status[PROBE_RETRANSMIT].ok)
		return 0;
	row = second_add_row(out, FAM_TCP, "", 0);
	if (!row)
		return -ENOMEM;
	if (m->status[PROBE_RETRANSMIT].ok)
		row->v[M_RETRANS_S] = (double)(a->retransmits - b->retransmits) / dt;
	row->v[M_TCPSCK] = ratio((double)(a->established - b->established), passes);
	row->v[M_TCP_ACTIVE] = ratio(active, passes);
	row->v[M_CWND_LN] = ratio((double)(a->ln_cwnd_q20 - b->ln_cwnd_q20) / (1 << 20), active);
	for (int i = 0; i < CWND_BUCKETS; i++)
		cwnd[i] = a->cwnd[i] - b->cwnd[i];
	row->v[M_CWND_MEDIAN] = bucket_median(cwnd, CWND_BUCKETS, CWND_SUB_BITS);
	if (a->cwnd_min[a->head.seq & 1])
		row->v[M_CWND_MIN] = a->cwnd_min[a->head.seq & 1];
	return 0;
}

static int add_host(const struct merge *m, double dt, struct second *out)
{
	const struct sched_record *a = &m->now->sched, *b = &m->before->sched;
	const struct cpu_ticks *c = &m->now->reading.cpu, *d = &m->before->reading.cpu;
	struct second_row *row = second_add_row(out, FAM_HOST, "", 0);
	double ticks = (double)c->total - (double)d->total;

	if (!row)
		return -ENOMEM;
	if (m->status[PROBE_SCHED].ok) {
		row->v[M_CSWCH_S] = (double)(a->switches - b->switches) / dt;
		/* The sweeping thread itself runs, and does not count (as in sar). */
		if (a->cpus_seen)
			row->v[M_RUNQ_SZ] = a->nr_running ? (double)(a->nr_running - 1) : 0;
	}
	if (m->now->reading.cpu_ok && m->before->reading.cpu_ok && ticks > 0) {
		row->v[M_USER] = 100 * ((double)c->user - (double)d->user) / ticks;
		row->v[M_SYSTEM] = 100 * ((double)c->system - (double)d->system) / ticks;
		/* iowait may run backwards (proc(5)). */
		row->v[M_IOWAIT] = fmax(0, 100 * ((double)c->iowait - (double)d->iowait) / ticks);
	}
	return 0;
}

int merge_finish(struct merge *m, const struct reading *reading, struct second *out)
{
	struct sweep *swap = m->before;
	double dt;
	int err;

	m->now->reading = *reading;
	if (m->now->end.head.seq != reading->seq || m->now->end.head.type != REC_END)
		return -ENODATA;
	second_clear(out);
	out->seq = reading->seq;
	out->wall_ns = reading->due_ns;
	out->late_ns = reading->wall_ns - reading->due_ns;
	out->mono_ns = reading->mono_ns;
	out->lost = m->now->end.lost_records - m->before->end.lost_records +
		    reading->missed_events - m->before->reading.missed_events;
	dt = (double)(reading->mono_ns - m->before->reading.mono_ns) / 1e9;
	out->interval_s = dt;
	if (m->started) {
		err = add_disks(m, dt, out);
		err = err ? err : add_netdevs(m, dt, out);
		err = err ? err : add_tcp(m, dt, out);
		err = err ? err : add_host(m, dt, out);
		if (err)
			return err;
	}
	m->before = m->now;
	m->now = swap;
	/* A record that is lost next time must not look like a counter that went back. */
	*m->now = *m->before;
	if (!m->started) {
		m->started = true;
		return 0;
	}
	return 1;
}
