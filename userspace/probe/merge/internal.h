/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inside of the merge: two sweeps, and one file per family that turns their difference into rows
 * (merge_disk.c, merge_net.c, merge_tcp.c, merge_host.c).
 */
#ifndef LIMPET_MERGE_INTERNAL_H
#define LIMPET_MERGE_INTERNAL_H

#include <math.h>

#include "merge.h"

struct sweep {
	struct disk_record *disk; /* [disk_slots + 1]: the last is of OTHER_DISK */
	struct lat_record *lat;
	struct tcp_record tcp;
	struct runq_record runq;
	struct host_record host;
	struct end_record end;
	struct reading reading; /* last: the rest is carried over */
};

struct merge {
	struct merge_opts o;
	const struct family_status *status;
	bool records;	 /* sweeps bring records */
	unsigned int hz; /* of jiffies, for io_ticks; 0: unknown */
	bool started;
	uint64_t lost_records; /* end_record.lost_records when last looked at */
	struct sweep *now, *before;
	struct sweep sweeps[2];
	struct remotes *remotes; /* merge_tcp.c */
};

/* Rate of a counter, in units of `per`; NaN where it is unknown or went back. */
static inline double rate(uint64_t now, uint64_t before, double per, double dt)
{
	if (now == UNKNOWN || before == UNKNOWN || now < before)
		return NAN;
	return (double)(now - before) / per / dt;
}

static inline double ratio(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

/* 0 or -ENOMEM. */
int merge_add_disks(const struct merge *m, double dt, struct second *out);
int merge_add_netdevs(const struct merge *m, double dt, struct second *out);
int merge_add_tcp(struct merge *m, double dt, struct second *out);
int merge_add_host(const struct merge *m, double dt, struct second *out);
/* What threads wait for, into the host's row. */
void merge_profile(const struct merge *m, double dt, struct second_row *row);

/* The part of merge_tcp.c in the life of a merge. */
struct remotes *remotes_new(void);
void remotes_free(struct remotes *r);
/* A REC_REMOTE of the sweep now arriving. */
void remotes_record(struct remotes *r, const struct remote_record *rec);

#endif
