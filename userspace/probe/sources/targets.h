/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is watched: disks, a network namespace, cgroups; from the names users give to the numbers
 * the kernel side compares. Every failure leaves a sentence in `why`.
 */
#ifndef LIMPET_TARGETS_H
#define LIMPET_TARGETS_H

#include <limits.h>

#include "userspace/common/options.h"
#include "userspace/series/series.h"

struct disk {
	char name[INSTANCE_LEN]; /* as in /sys/block, "/" spelt "!" */
	uint32_t dev;		 /* major << 20 | minor */
	int stat_fd;		 /* /sys/block/NAME/stat, or -1 while the disk is away */
	bool in_memory;		 /* the kernel side has found its statistics (probe_set_disk()) */
	bool has_requests;	 /* of its own or its paths', to be timed; else it is bio-based */
	bool unwatched;		 /* nobody wants it any more; its place is kept */
};

/* Takes "loop3", "/dev/loop3" or a link to it. 0, or -ENODEV and the like with `why`. */
int disk_open(struct disk *d, const char *name, char *why);
void disk_close(struct disk *d);

/*
 * A disk of native NVMe multipath hands its requests to hidden disks, one a path. Opens their
 * /sys/block/PATH/stat, for the caller to close; returns how many, `max` at most.
 */
#define MAX_PATHS 16
size_t disk_paths(const struct disk *d, int fds[], size_t max);

/* Calls back with whole disks a server would keep data on: no loop, RAM, zram, optical or empty ones,
 * and none that is made of other disks (dm, md).
 * What is called owns the disk; a positive return stops and is returned. Else 0, or -errno. */
int disk_find_all(int (*fn)(void *arg, struct disk *d), void *arg);

/* Not there now; by its name disk_find_all() might find it when it comes. */
bool disk_is_away(const char *name);

/* The kernel's statistics, io_ticks in ms. 0; or -ENODEV when the disk is gone (or a loop device
 * without its file); stat_fd is then -1. */
int disk_read_stat(struct disk *d, struct disk_counters *stat);

/* Reads the statistics for the sake of what that does to them (probe_must_poke_disks()). */
void disk_poke(const struct disk *d);

/* Looks whether a disk that was away is back, perhaps under another number. */
bool disk_came_back(struct disk *d);

void disk_identity(const char *name, struct device_identity *id);

struct netns {
	int fd; /* -1: the namespace this process is in, which needs no entering */
	uint32_t inum;
};

/* Takes the name of a namespace in /run/netns, a path, or NULL for the one we are in. */
int netns_open(struct netns *n, const char *name, char *why);
void netns_close(struct netns *n);

/* Opens a file in /proc/thread-self/net as seen from inside; what it shows stays that namespace's.
 * Returns the descriptor or -errno. */
int netns_open_proc(const struct netns *n, const char *file);

/* TCP sockets there are in it, about; 0: unknown. */
size_t netns_connections(const struct netns *n);

/* A socket of that namespace, or -errno. */
int netns_socket(const struct netns *n, int domain, int type, int protocol);

/*
 * What interfaces are: asked of the driver through a socket inside the namespace, which stays open.
 */
#define MAX_NETDEVS 64

struct netdevs {
	int fd;
	/* Speeds asked for lately: a driver may have to ask its firmware. */
	size_t n_known;
	struct netdev_speed {
		char name[INSTANCE_LEN];
		int64_t mbps;
		unsigned int uses;
	} known[MAX_NETDEVS];
};

int netdevs_open(struct netdevs *n, const struct netns *ns); /* 0 or -errno */
void netdevs_close(struct netdevs *n);
void netdev_identity(const struct netdevs *n, const char *name, struct device_identity *id);

/* Mbit/s, -1 if unknown; asked anew at every 60th call. */
int64_t netdev_speed(struct netdevs *n, const char *name);

struct cgroup_ref {
	uint64_t id;
	uint32_t level;
	bool v1;       /* its hierarchy is cgroup v1's: no sockets are known by it */
	bool requests; /* its hierarchy has the block controller: disks' requests are known by it */
	/* Below the root of the hierarchy, as /proc/PID/cgroup has it; "/" of the root. */
	char path[SERIES_CGROUP_LEN];
	char folder[PATH_MAX];
};

/* Takes the path of a cgroup folder in the hierarchy that has the block controller, or of cgroup v2 where that
 * controller is v1's. */
int cgroup_ref_open(struct cgroup_ref *c, const char *path, char *why);

/* Whether its folder was removed and made anew since: `id` is the new one's then. */
bool cgroup_ref_is_new(struct cgroup_ref *c);

#endif
