/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where seconds go: the series file, JSON Lines on stdout, frames, OpenMetrics over HTTP; any of them, or
 * all.
 */
#ifndef LIMPET_SINKS_H
#define LIMPET_SINKS_H

#include "userspace/common/http.h"
#include "frames.h"
#include "openmetrics.h"
#include "userspace/second/second.h"
#include "userspace/probe/sources/targets.h"

struct sinks_opts {
	const char *dir;		 /* of series files, or NULL */
	bool json;			 /* on stdout */
	const char *frames;		 /* a file or pipe for them, "-" is stdout; or NULL */
	const char *listen;		 /* [ADDR:]PORT for HTTP, or NULL */
	const struct string_list *hosts; /* names it may be asked by, beside this host's */
	unsigned int keep_days;
	uint64_t keep_bytes;
	const char *host;
	unsigned int interval_ms;
	/* What is the file system's own; must outlive sinks_start(). */
	const struct cgroup_ref *cgroups;
	size_t n_cgroups; /* at most MAX_CGROUPS */
	const uint32_t *pids;
	size_t n_pids;
	/* For the identities that are written with the data. */
	const struct netdevs *netdevs;
	int stop_fd; /* readable: do not wait for a reader that takes nothing */
};

struct sinks {
	struct sinks_opts o;
	struct series_writer *writer;
	struct frames *frames;
	struct openmetrics *metrics;
	struct http *http;
	int folder;	   /* descriptor of dir, opened before rights ended; -1: none */
	int identities_in; /* seconds until identities are written again */
	uint64_t dropped;  /* seconds, as last told */
	bool kept;	   /* the disk is full or failing, and that was told */
	bool no_stacks;	   /* the same of stacks, which are not kept */
};

/* Sends messages about its own doing to warn(); 0 or an exit status after a message. */

/* What needs rights: the folder, which may have to be made, the file of frames, and the HTTP socket, for a low port.
 * Whatever it returns, sinks_close() is for afterwards. */
int sinks_open(struct sinks *s, const struct sinks_opts *o);
/* What needs files that are out of reach later, and memory that loading programs needs, too. */
int sinks_prepare(struct sinks *s);
/* What must go without, as later: the first file, the HTTP thread. */
int sinks_start(struct sinks *s);

/* `*done`: the reader of stdout has seen enough. */
int sinks_write(struct sinks *s, const struct second *second, bool *done);

/* What is to be written waits for this descriptor, until it polls writable: sinks_flush() then. -1: nothing does. */
int sinks_waiting(const struct sinks *s);
int sinks_flush(struct sinks *s);

/* Stacks of threads, into the series file; others have no place for them. NULL: there are none. */
void sinks_write_stacks(struct sinks *s, enum series_stacks kind, int64_t from_ns, int64_t to_ns,
			const char *folded);

/* Devices may have been exchanged: write with the next second what they are. */
void sinks_refresh(struct sinks *s);

/* Of a reload: other bounds of what is kept; other groups that are the file system's own, which the file
 * says from its next second on. */
void sinks_set_bounds(struct sinks *s, unsigned int keep_days, uint64_t keep_bytes);
void sinks_set_cgroups(struct sinks *s, const struct cgroup_ref *cgroups, size_t n);
void sinks_set_pids(struct sinks *s, const uint32_t *pids, size_t n);

/* Stops serving, packs and closes the file. */
int sinks_close(struct sinks *s);

#endif
