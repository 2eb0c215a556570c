/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clockwork: a real-time thread that does nothing but read and sweep on the wall-clock second,
 * and a normal one, inside the network namespace, that looks at the TCP sockets ten times a second.
 */
#ifndef LIMPET_SAMPLER_H
#define LIMPET_SAMPLER_H

#include "userspace/probe/kernel/probe.h"
#include "userspace/probe/sources/reading.h"
#include "userspace/probe/rights/rights.h"

struct sampler;

struct sampler_opts {
	struct probe *probe; /* NULL: from /proc and /sys alone */
	bool learn_cpus;     /* nothing else tells of processors that come */
	struct reader *reader;
	struct disk *disks; /* [max_disks] */
	size_t n_disks, max_disks;
	const struct netns *netns;
	const uint16_t *ports; /* of TCP sockets, where eBPF cannot look at them */
	size_t n_ports;
	unsigned int interval_s;
	const struct rights *rights; /* each thread ends its own before its work */
};

/*
 * Starts both threads, and returns when they have ended their rights; the pieces must outlive the
 * handle. 0 or -errno with `why`.
 */
int sampler_start(struct sampler **s, const struct sampler_opts *opts, char *why);
void sampler_stop(struct sampler *s); /* joins and frees; takes NULL */

/* Becomes readable when a sweep has been made. */
int sampler_fd(const struct sampler *s);

/* The oldest reading whose sweep is in the ring buffer, NULL if there is none; the caller's until
 * sampler_done(). */
struct reading *sampler_take(struct sampler *s);
void sampler_done(struct sampler *s);

unsigned int sampler_waiting(const struct sampler *s); /* readings that can be taken */

/*
 * Where eBPF cannot look at TCP sockets: gives their records for sweep `seq` to `fn`, before that
 * sweep is merged. From the thread that consumes.
 */
void sampler_tcp_records(struct sampler *s, uint64_t seq, probe_record_fn fn, void *arg);

/*
 * Another disk, which from a later reading on (reading.n_disks) is the last of `disks`; the sampler
 * owns it. From one thread. -ENOSPC: there is no place left; -EAGAIN: the one before is not yet
 * taken.
 */
int sampler_add_disk(struct sampler *s, const struct disk *d);

/* A disk in its place is watched from a later reading on, or no longer: then it is forgotten, and comes
 * back as if it had been away. From one thread. */
void sampler_watch_disk(struct sampler *s, size_t place, bool watch);

/* What the sampler had to say since last asked, NULL if nothing: "disk 'loop3' has gone". */
const char *sampler_trouble(struct sampler *s);

/* No sweep has worked for a while: there is no use in going on. */
bool sampler_failed(const struct sampler *s);

#endif
