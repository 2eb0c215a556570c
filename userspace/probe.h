/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel side as one handle: open, configure, load and attach; run a sweep or a TCP pass;
 * receive the records. Which family works on this kernel, and why one does not, is kept by family.
 */
#ifndef LIMPET_PROBE_H
#define LIMPET_PROBE_H

#include "features.h"
#include "targets.h"

enum probe_family { PROBE_BLOCK, PROBE_SCHED, PROBE_TCP, PROBE_RETRANSMIT, PROBE_FAMILIES };

struct family_status {
	const char *name;
	bool ok;
	char how[64];	   /* "tp_btf/block_rq_complete" */
	char why[WHY_LEN]; /* if not ok */
};

/* AUTO takes the typed tracepoint where BTF has it, else the raw one. */
enum attach_mode { ATTACH_AUTO, ATTACH_TYPED, ATTACH_RAW };

struct probe_opts {
	const struct disk *disks;
	size_t n_disks;
	const struct cgroup_ref *cgroups;
	size_t n_cgroups;
	const struct netns *netns;
	const uint16_t *ports;
	size_t n_ports;
	enum attach_mode attach;
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

const struct family_status *probe_status(const struct probe *p); /* PROBE_FAMILIES of them */

/* Runs the sweep; its records wait in the ring buffer for probe_consume(). 0 or -errno. */
int probe_sweep(struct probe *p, uint64_t seq);

/* Hands over what waits, up to the end of one sweep; from one thread only. */
int probe_consume(struct probe *p);

/* Looks once at every TCP socket of the network namespace the calling thread is in. */
int probe_tcp_pass(struct probe *p);

/*
 * Events so far that the kernel did not hand to a program, because the program was just running on
 * that processor (an interrupt completing I/O in the middle of another completion).
 */
uint64_t probe_missed_events(const struct probe *p);

/* The disk in a slot has another number now. */
void probe_set_disk(struct probe *p, size_t slot, uint32_t dev);

/* Kernel memory of maps and variables, in bytes. */
size_t probe_map_bytes(const struct probe *p);

#endif
