/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What user space itself reads at the moment of a sweep: the clock, what the kernel keeps nowhere an
 * eBPF program can read generically (interfaces), and, where kernel
 * memory cannot be used, the same counters from /proc and /sys. Files stay open; nothing is
 * allocated.
 */
#ifndef LIMPET_READING_H
#define LIMPET_READING_H

#include <pthread.h>

#include "gauges.h"
#include "userspace/probe/profile/profile.h"
#include "userspace/common/options.h"
#include "targets.h"

struct netdev_counters {
	char name[INSTANCE_LEN];
	uint64_t rx_bytes, rx_packets, rx_errors, rx_dropped;
	uint64_t tx_bytes, tx_packets, tx_errors, tx_dropped;
};

struct reading {
	uint64_t seq;
	int64_t due_ns, wall_ns; /* the second it was for, and when it really was */
	uint64_t mono_ns;
	uint64_t missed_events; /* probe_missed_events(), asked when the sweep is merged */
	size_t n_netdevs;
	struct netdev_counters netdev[MAX_NETDEVS];
	struct gauges gauges; /* filled when the sweep is merged, and so is this: */
	struct profile_totals profile;
	size_t n_disks;			/* places of disks in use… */
	bool disk_unwatched[MAX_DISKS]; /* …of which these are not watched any more */
	/* From /sys/block/DISK/stat, for disks whose place in memory is not known. io_ticks in ms. */
	bool disk_ok[MAX_DISKS];
	struct disk_counters disk[MAX_DISKS];
	/* From /proc/stat and /proc/vmstat, unless host counters come from memory. */
	bool host_ok;
	struct host_record host;
};

struct reader {
	int stat_fd, vmstat_fd, net_dev_fd;
	pthread_mutex_t lock;
	struct string_list
		netdevs;	 /* of the lock, the caller's: only these; none: every one but lo */
	size_t netdevs_left;	 /* found no room in the last reading */
	bool host;		 /* fill `host` */
	struct procfile_buf buf; /* /proc/stat has a line per processor and all interrupts */
};

/* `netdevs` must outlive the reader, or be replaced. 0 or -errno with `why`. */
int reader_open(struct reader *r, const struct netns *ns, const struct string_list *netdevs,
		char *why);
void reader_close(struct reader *r);

/* Others from now on, while another thread may be reading: the ones before are free afterwards. */
void reader_set_netdevs(struct reader *r, const struct string_list *netdevs);
/* How many of these there are now. */
size_t reader_count_netdevs(const struct reader *r, const struct string_list *netdevs);

/* Fills everything but seq, due_ns, missed_events, gauges and the disks. */
void reader_read(struct reader *r, struct reading *out);

/* Fills host alone; false when /proc/stat or /proc/vmstat cannot be read. */
bool reader_read_host(struct reader *r, struct host_record *host);

#endif
