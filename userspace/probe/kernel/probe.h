/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel side as one handle: open, configure, load and attach; run a sweep or a TCP pass;
 * receive the records. Which family works on this kernel, and why one does not, is kept by family.
 */
#ifndef LIMPET_PROBE_H
#define LIMPET_PROBE_H

#include "features.h"
#include "userspace/probe/profile/profile.h"
#include "userspace/probe/sources/targets.h"
#include "userspace/probe/tasks/tasks.h"

enum probe_family {
	PROBE_BLOCK,
	PROBE_REQUEUE,
	PROBE_SCHED,
	PROBE_TCP,
	PROBE_TCP_PID,	 /* the sockets of selected processes only */
	PROBE_TCP_STATE, /* connections that come and go; without it there is no PROBE_TCP */
	PROBE_RETRANSMIT,
	PROBE_TASK,
	PROBE_TASK_EXIT,   /* threads that go away between two looks… */
	PROBE_TASK_FREE,   /* …to their very end */
	PROBE_HOST,	   /* the counters of /proc/stat and /proc/vmstat, from kernel memory */
	PROBE_DISK_STATS,  /* those of /sys/block/DISK/stat, from there too */
	PROBE_ORIGIN,	   /* whose a disk's bytes are */
	PROBE_TCP_CGROUP,  /* the sockets of selected cgroups only */
	PROBE_THREADS,	   /* what the threads of --pid and --cgroup wait for */
	PROBE_USER_STACKS, /* what they compute */
	PROBE_FAMILIES
};

struct family_status {
	const char *name, *instead; /* what there is where it is not ok */
	bool ok;
	bool left_out;	   /* not ok, and nobody wanted it */
	char how[64];	   /* "tp_btf/block_rq_complete" */
	char why[WHY_LEN]; /* if not ok */
};

/* AUTO takes the typed tracepoint where BTF has it, else the raw one. */
enum attach_mode { ATTACH_AUTO, ATTACH_TYPED, ATTACH_RAW };

/* AUTO takes eBPF and kernel memory where they work, else /proc and /sys; the others insist. */
enum source_mode { SOURCE_AUTO, SOURCE_BPF, SOURCE_PROC };

struct probe_opts {
	size_t disk_slots; /* disks that can be watched: probe_set_disk() */
	const struct cgroup_ref *cgroups;
	size_t n_cgroups;
	const struct netns *netns;
	const uint16_t *ports;
	size_t n_ports;
	const uint32_t *pids; /* only sockets of these processes; none: of any */
	size_t n_pids;
	size_t connections; /* there are now: how many there may be is sized by that */
	enum attach_mode attach;
	bool no_sched;	   /* leave the switch hook out: no run-queue delays */
	bool no_processes; /* leave the tasks out */
	bool no_profile;   /* and what threads wait for */
	bool user_stacks;  /* and what they compute, which is left out otherwise */
};

struct probe;

/* Gets each record of a sweep in order; `rec` starts with a struct record_head, `size` is checked. */
typedef void (*probe_record_fn)(void *arg, const struct record_head *rec);

/*
 * 0 with whatever families work; -errno with a sentence in `why` when nothing can be loaded. The
 * pieces of `opts` must outlive the handle.
 */
int probe_new(struct probe **p, const struct probe_opts *opts, probe_record_fn fn, void *arg,
	      char *why);
void probe_free(struct probe *p); /* takes NULL */

/* PROBE_FAMILIES of them; of NULL: what there is without a kernel side, that is none. */
const struct family_status *probe_status(const struct probe *p);

/* It loaded, but does not work: what it reads is wrong, or has gone. */
void probe_distrust(struct probe *p, enum probe_family family, const char *why);

/* Sweeps whose records find room at the same time, 4 at most. */
unsigned int probe_sweeps_kept(const struct probe *p);

/* Runs the sweep; its records wait in the ring buffer for probe_consume(). 0 or -errno. */
int probe_sweep(struct probe *p, uint64_t seq);

/* Hands over what waits, up to the end of one sweep; from one thread only. */
int probe_consume(struct probe *p);

/* The same, with another receiver. */
int probe_consume_to(struct probe *p, probe_record_fn fn, void *arg);

/*
 * Looks once at the windows of the connections at work and, in a walk, at everything else of all of
 * them. The first look finds those that were there before, in the network namespace the calling thread
 * is in, or of the selected processes. 0; -ESRCH when the last of these has gone, and from this look on
 * it is every socket; another -errno.
 */
int probe_tcp_look(struct probe *p, struct look_args *args);

/* Looks at all threads: struct tasks_opts, look(); `probe` is the handle. */
int probe_look_at_tasks(void *probe, bool with_pass, task_sample_fn fn, void *arg, uint64_t *lost);

/* For struct profile_opts; `probe` is the handle, whose PROBE_THREADS works. From one thread. */
int probe_follow_threads(void *probe, uint32_t pid);
int probe_look_at_threads(void *probe, int follow, thread_sample_fn fn, void *arg);
int probe_name_function(void *probe, uint64_t address, char name[FUNCTION_LEN]);

/* Frames of a stack that the kernel walks at most (kernel.perf_event_max_stack), which it does not let be changed
 * while a program is loaded that asks for stacks. */
size_t probe_frames_walked(void);

/* The same of stacks of user space; `probe` is the handle, whose PROBE_USER_STACKS works. */
void probe_sample_process(void *probe, uint32_t tgid, bool yes);
uint64_t probe_collect_samples(void *probe, cpu_sample_fn fn, void *arg);

/*
 * Readable when threads have ended so fast that probe_look_at_tasks() should come before its time;
 * -1: there is none.
 */
int probe_tasks_fd(const struct probe *p);

/*
 * Events so far that the kernel did not hand to a program, because the program was just running on
 * that processor (an interrupt completing I/O in the middle of another completion).
 */
uint64_t probe_missed_events(const struct probe *p);

/*
 * The disk in a slot came, has another number, or (dev 0) is gone. True if its statistics were found
 * in kernel memory, so that sweeps give them; else, and always without PROBE_DISK_STATS, they must be
 * read from stat_fd.
 */
bool probe_set_disk(struct probe *p, size_t slot, const struct disk *d);

/*
 * The paths of a disk of NVMe multipath, as they are now: their requests count for its slot. How many
 * were found; 0 of any other disk.
 */
size_t probe_set_paths(struct probe *p, size_t slot, const struct disk *d);

/* Others in the place of those of probe_opts, of which there was one at least; at least one, as well. */
void probe_set_cgroups(struct probe *p, const struct cgroup_ref *cgroups, size_t n);

/*
 * Other ports or processes in the place of those of probe_opts, from the next walk on: connections that are
 * selected no longer end for us, and what is found has counted nothing yet. Of processes there was one and
 * is one at least, and PROBE_TCP_PID works; of ports PROBE_TCP does.
 */
void probe_set_ports(struct probe *p, const uint16_t *ports, size_t n);
void probe_set_pids(struct probe *p, const uint32_t *pids, size_t n);

/* A cgroup of probe_opts was made anew; what the one before still writes stays own. */
void probe_set_cgroup(struct probe *p, size_t i, uint64_t id);

/* A disk without a slot of its own. -ENOSPC: more of them than there is room for. */
int probe_add_other(struct probe *p, uint32_t dev);

/* Whether the last sweep found the disk of a slot gone; only where its statistics are in memory. */
bool probe_disk_gone(const struct probe *p, size_t slot);

/* Finds the memory of each processor that is on line; probe_new() has done it, and the switch hook
 * does it for those that come. Only needed where that hook does not run. */
void probe_learn_cpus(struct probe *p);

/* The host counters of the sweep last consumed. */
const struct host_record *probe_host(const struct probe *p);

/* Whether somebody must read /sys/block/DISK/stat for %util to be right (features.h). */
bool probe_must_poke_disks(const struct probe *p);

unsigned int probe_hz(const struct probe *p); /* of jiffies; 0: unknown */

/* Kernel memory of maps and variables, in bytes. */
size_t probe_map_bytes(const struct probe *p);

#endif
