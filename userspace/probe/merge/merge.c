// SPDX-License-Identifier: BSD-2-Clause
/* Two sweeps, and the second between them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "userspace/common/clock.h"

static int sweep_alloc(struct sweep *s, size_t n_disks)
{
	s->disk = calloc(n_disks + 1, sizeof(*s->disk));
	s->lat = calloc(n_disks + 1, sizeof(*s->lat));
	return s->disk && s->lat ? 0 : -ENOMEM;
}

struct merge *merge_new(const struct merge_opts *o)
{
	struct merge *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->o = *o;
	m->now = &m->sweeps[0];
	m->before = &m->sweeps[1];
	m->remotes = remotes_new();
	if (!m->remotes || sweep_alloc(m->now, o->disk_slots) ||
	    sweep_alloc(m->before, o->disk_slots)) {
		merge_free(m);
		errno = ENOMEM;
		return NULL;
	}
	return m;
}

void merge_set_probe(struct merge *m, const struct probe *p)
{
	m->status = probe_status(p);
	m->records = p != NULL;
	m->hz = p ? probe_hz(p) : 0;
}

void merge_free(struct merge *m)
{
	if (!m)
		return;
	for (int i = 0; i < 2; i++) {
		free(m->sweeps[i].disk);
		free(m->sweeps[i].lat);
	}
	remotes_free(m->remotes);
	free(m);
}

/* The place of a disk's record; -1 if it is none of ours. */
static ssize_t place_of(const struct merge *m, uint32_t index)
{
	return index == OTHER_DISK	 ? (ssize_t)m->o.disk_slots
	       : index < m->o.disk_slots ? (ssize_t)index
					 : -1;
}

/* Netlink's comes after the kernel side's, which has counted what was sent again. */
static void take_tcp(struct tcp_record *now, const struct tcp_record *rec)
{
	uint64_t retransmits = rec->retransmits == UNKNOWN ? now->retransmits : rec->retransmits;

	*now = *rec;
	now->retransmits = retransmits;
}

void merge_record(void *merge, const struct record_head *rec)
{
	struct merge *m = merge;
	ssize_t i;

	switch (rec->type) {
	case REC_DISK:
		i = place_of(m, rec->index);
		if (i >= 0)
			m->now->disk[i] = *(const struct disk_record *)rec;
		break;
	case REC_LAT:
		i = place_of(m, rec->index);
		if (i >= 0)
			m->now->lat[i] = *(const struct lat_record *)rec;
		break;
	case REC_REMOTE: remotes_record(m->remotes, (const struct remote_record *)rec); break;
	case REC_TCP: take_tcp(&m->now->tcp, (const struct tcp_record *)rec); break;
	case REC_RUNQ: m->now->runq = *(const struct runq_record *)rec; break;
	case REC_HOST: m->now->host = *(const struct host_record *)rec; break;
	case REC_END: m->now->end = *(const struct end_record *)rec; break;
	}
}

double bucket_quantile(const uint32_t *counts, uint32_t n, uint32_t sub_bits, double q)
{
	uint64_t total = 0, below = 0;
	double rank;

	for (uint32_t b = 0; b < n; b++)
		total += counts[b];
	rank = (double)total * q;
	for (uint32_t b = 0; b < n; b++) {
		double low = (double)bucket_low(b, sub_bits);
		double width = (double)bucket_low(b + 1, sub_bits) - low;

		if (counts[b] && (double)(below + counts[b]) >= rank)
			return width <= 1 ? low : low + width * (rank - (double)below) / counts[b];
		below += counts[b];
	}
	return NAN;
}

/* A record that is lost next time must not look like a counter that went back. */
static void carry_over(struct sweep *to, const struct sweep *from, size_t n_disks)
{
	struct disk_record *disk = to->disk;
	struct lat_record *lat = to->lat;

	memcpy(to, from, offsetof(struct sweep, reading));
	to->disk = disk;
	to->lat = lat;
	memcpy(disk, from->disk, (n_disks + 1) * sizeof(*disk));
	memcpy(lat, from->lat, (n_disks + 1) * sizeof(*lat));
}

/*
 * All records of this sweep have arrived. Where one has not, the counters of the sweep before would
 * pass for this one's: a second with too little, and one with too much after it. So there is none, and
 * the next one is as long as both.
 */
static bool is_complete(struct merge *m, uint64_t seq)
{
	const struct end_record *end = &m->now->end;
	uint64_t lost = m->lost_records;

	if (end->head.seq != seq || end->head.type != REC_END)
		return false;
	m->lost_records = end->lost_records;
	return end->lost_records == lost;
}

int merge_finish(struct merge *m, const struct reading *reading, struct second *out)
{
	struct sweep *swap = m->before;
	double dt;
	int err;

	m->now->reading = *reading;
	if (m->records && !is_complete(m, reading->seq))
		return -ENODATA;
	second_clear(out);
	out->seq = reading->seq;
	out->wall_ns = reading->due_ns;
	out->late_ns = reading->wall_ns - reading->due_ns;
	out->mono_ns = reading->mono_ns;
	out->lost = m->now->end.lost_records - m->before->end.lost_records +
		    reading->missed_events - m->before->reading.missed_events +
		    m->now->tcp.rows_refused - m->before->tcp.rows_refused;
	dt = s_of_ns((int64_t)(reading->mono_ns - m->before->reading.mono_ns));
	out->interval_s = dt;
	if (m->started) {
		err = merge_add_disks(m, dt, out);
		err = err ? err : merge_add_netdevs(m, dt, out);
		err = err ? err : merge_add_tcp(m, dt, out);
		err = err ? err : merge_add_host(m, dt, out);
		if (err)
			return err;
	} else {
		err = merge_add_tcp(m, dt, out); /* it has a history of its own to begin */
		second_clear(out);
	}
	m->before = m->now;
	m->now = swap;
	carry_over(m->now, m->before, m->o.disk_slots);
	if (!m->started) {
		m->started = true;
		return 0;
	}
	return 1;
}
