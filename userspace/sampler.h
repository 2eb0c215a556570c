/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clockwork: a real-time thread that does nothing but read and sweep on the wall-clock second,
 * and a normal one, inside the network namespace, that looks at the TCP sockets ten times a second.
 */
#ifndef LIMPET_SAMPLER_H
#define LIMPET_SAMPLER_H

#include "probe.h"
#include "reading.h"

struct sampler;

struct sampler_opts {
	struct probe *probe;
	struct reader *reader;
	struct disk *disks;
	size_t n_disks;
	const struct netns *netns;
	unsigned int interval_s;
};

/* Starts both threads; the pieces must outlive the handle. 0 or -errno with `why`. */
int sampler_start(struct sampler **s, const struct sampler_opts *opts, char *why);
void sampler_stop(struct sampler *s); /* joins and frees; takes NULL */

/* Becomes readable when a sweep has been made. */
int sampler_fd(const struct sampler *s);

/* Takes the oldest reading whose sweep is in the ring buffer; false if there is none. */
bool sampler_take(struct sampler *s, struct reading *out);

/* What the sampler had to say since last asked, NULL if nothing: "disk 'loop3' has gone". */
const char *sampler_trouble(struct sampler *s);

/* No sweep has worked for a while: there is no use in going on. */
bool sampler_failed(const struct sampler *s);

#endif
