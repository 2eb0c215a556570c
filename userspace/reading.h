/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What user space itself reads at the moment of a sweep: the counters that are not in kernel
 * memory in a readable form (interfaces) or cheaper from /proc and /sys. Files stay open.
 */
#ifndef LIMPET_READING_H
#define LIMPET_READING_H

#include "targets.h"

#define MAX_NETDEVS 64

struct netdev_counters {
	char name[INSTANCE_LEN];
	uint64_t rx_bytes, rx_packets, tx_bytes, tx_packets;
};

struct cpu_ticks {
	uint64_t user, system, iowait, total; /* user includes nice, system irq and softirq */
};

struct reading {
	uint64_t seq;
	int64_t due_ns, wall_ns; /* the second it was for, and when it really was */
	uint64_t mono_ns;
	uint64_t missed_events; /* probe_missed_events() */
	bool disk_ok[MAX_DISKS];
	struct disk_stat disk[MAX_DISKS];
	size_t n_netdevs;
	struct netdev_counters netdev[MAX_NETDEVS];
	bool cpu_ok, net_ok;
	struct cpu_ticks cpu;
};

struct reader {
	int proc_stat_fd, net_dev_fd;
	struct string_names {
		const char *const *at;
		size_t n;
	} netdevs; /* only these; none: every one but lo */
};

/* 0 or -errno with `why`. */
int reader_open(struct reader *r, const struct netns *ns, const char *const *netdevs,
		size_t n_netdevs, char *why);
void reader_close(struct reader *r);

/* Fills everything but seq, due_ns and missed_events. A disk that is away has disk_ok false. */
void reader_read(struct reader *r, struct disk *disks, size_t n_disks, struct reading *out);

#endif
