/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inside of the probe handle. probe.c opens, loads and attaches; probe_run.c runs the programs
 * that user space calls and hands over what they leave behind.
 */
#ifndef LIMPET_PROBE_KERNEL_INTERNAL_H
#define LIMPET_PROBE_KERNEL_INTERNAL_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <pthread.h>

#include "probe.h"
#include "probe.skel.h"

struct probe {
	struct probe_bpf *skel;
	struct bpf_link *links[PROBE_FAMILIES];
	int prog_fd[PROBE_FAMILIES]; /* the skeleton's; only where the family works */
	struct ring_buffer *ring;
	unsigned int sweeps_kept;
	struct family_status status[PROBE_FAMILIES];
	struct features features;
	struct host_record host; /* of the sweep last consumed */
	probe_record_fn fn;
	void *arg;
	/* probe_tcp.c: of the selected processes that are still there. */
	struct bpf_link *pid_links[MAX_PIDS];
	int pid_fds[MAX_PIDS];
	size_t n_pids;
	bool seeded;		     /* connections that were there before have been found */
	uint32_t groups_changed;     /* enum seeding: how to look for theirs, at the next walk */
	uint32_t reselect;	     /* other processes or ports, at the next walk */
	int64_t searched_ns;	     /* when all sockets were gone through last, monotonic */
	int64_t search_cpu_ns;	     /* what that took */
	uint64_t missed_before;	     /* beginnings that the kernel had not shown when it began */
	pthread_mutex_t wanted_lock; /* of what follows */
	uint32_t wanted_pids[MAX_PIDS];
	size_t n_wanted;
	/* probe_tasks.c: threads that are gone, and who gets the samples during a look. */
	struct ring_buffer *gone;
	int crowded_fd; /* -1: there is none */
	task_sample_fn task_fn;
	void *task_arg;
	/* probe_user_stacks.c: the clocks of processors, and who gets the samples. */
	struct bpf_link **clocks;
	int n_clocks;
	struct ring_buffer *cpu_samples;
	cpu_sample_fn cpu_fn;
	void *cpu_arg;
};

/* Sizes the maps of the task programs before load, or leaves them out. */
void probe_size_tasks(struct probe_bpf *s, bool wanted);

/* After they have been attached. */
void probe_open_tasks(struct probe *p);

/* Sizes the maps of the program that samples before load, or leaves them out; starts a clock on each processor
 * after it. */
void probe_size_user_stacks(struct probe_bpf *s, bool wanted);
void probe_open_user_stacks(struct probe *p);
void probe_close_user_stacks(struct probe *p);

/* Which of the TCP families can do without those that are not `chosen`: takes the others out of them
 * and says why. */
void probe_tcp_choose(struct probe *p, const char *chosen[]);

/* Whose bytes are the file system's own: before load, and after it. */
void probe_size_cgroups(struct probe_bpf *s, const struct cgroup_ref *cgroups, size_t n);

/* Sizes the tables of connections before load; selects by process, or by group. */
void probe_tcp_size(struct probe_bpf *s, const struct probe_opts *o);

/* The local ports and the processes: before load, and after it. */
void probe_tcp_select(struct probe_bpf *s, const uint16_t *ports, size_t n_ports,
		      const uint32_t *pids, size_t n_pids);

/* Attaches the program that looks at descriptors to every selected process, after load. */
void probe_pids_attach(struct probe *p, const struct probe_opts *o);
void probe_pids_release(struct probe *p);

/* Runs one that user space calls; what it leaves in its context comes back in `args`. 0 or -errno. */
int probe_run_program(const struct bpf_program *prog, void *args, uint32_t size);

/* How often the kernel left out the family's program, for it ran already; 0 where the family does not work. */
uint64_t probe_missed_runs(const struct probe *p, enum probe_family family);

/* Runs an iterator that writes nothing over all it goes through. 0 or -errno. */
int probe_iterate(const struct bpf_link *link);

/* Finds the memory of processors that were on line once and are not now. */
void probe_learn_parked(struct probe *p);

/* A ring_buffer callback; `probe` is the handle. */
int probe_on_record(void *probe, void *data, size_t size);

#endif
