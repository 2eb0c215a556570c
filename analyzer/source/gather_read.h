/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The intervals of one host over a stretch of time, from its series files: shared by gather.c, which takes
 * stretch after stretch, and follow.c, which reads the last one again and again.
 */
#ifndef LIMPET_ROBUST_GATHER_READ_H
#define LIMPET_ROBUST_GATHER_READ_H

#include "feed_fill.h"

struct stretch {
	int64_t from_ns, interval_ns; /* from_ns: a multiple of interval_ns */
	size_t n;		      /* intervals */
};

int64_t stretch_end(const struct stretch *s);
/* Whether a file may have seconds in it. */
bool stretch_has(const struct stretch *s, uint64_t seconds, int64_t first_ns, int64_t last_ns);

/* Who has the seconds of an interval: the first that came. */
struct second_owner {
	int64_t boot;
	uint64_t seq;
	uint32_t file; /* number of the file that it is from, from 1 on; 0: nobody */
};

/* What is known of a host besides its seconds: what stands behind its disks and interfaces, by family
 * and name; and the file system's own control groups, those of all its files. */
struct identities {
	struct identity {
		struct device_identity id;
		bool fresh; /* not given yet */
	} * at;
	size_t n;
	char *own[SERIES_MAX_CGROUPS];
	size_t n_own, own_given;
};
void identities_release(struct identities *l);
size_t identities_bytes(const struct identities *l); /* about the memory they take */
/* Adds to the feed what is new of its server. 0 or -ENOMEM. */
int identities_add(struct identities *l, struct feed *f, size_t server);

struct host_intervals {
	struct stretch of;
	struct interval *at;
	struct second_owner *owner; /* of.n x slots */
	size_t slots;
	uint32_t files; /* read so far */
	int64_t step_ns;
	uint64_t duplicates, seconds; /* over all files; lost and damaged stand in the intervals */
	int64_t last_ns;	      /* of the seconds taken; INT64_MIN: none */
};

/* Zeroed intervals; interval_ms is the least of the host's files. 0, -ENOMEM, or -E2BIG: an interval
 * would have too many seconds. */
int host_intervals_init(struct host_intervals *h, const struct stretch *of,
			unsigned int interval_ms);
void host_intervals_release(struct host_intervals *h); /* takes a zeroed one; zeroes it */

/* Adds what the file has in the stretch and in [o->from_ns, o->to_ns). Negative
 * errno, with the message in series_error(): what is in h then is in part this file's. */
int host_intervals_read(struct host_intervals *h, const char *path, const struct feed_opts *o,
			struct identities *ids);

struct wire_decoder;
/* The same of one frame, unpacked, whose second is within the stretch; *twice: somebody had it already, and it does not
 * count. 0 or -ENOMEM. */
int host_intervals_take(struct host_intervals *h, struct wire_decoder *d, struct identities *ids,
			bool *twice);

/* Seconds come more often from now on than host_intervals_init() was told: as there. */
int host_intervals_refine(struct host_intervals *h, unsigned int interval_ms);

/* After the last file. */
void host_intervals_finish(struct host_intervals *h);

/* To a later stretch: intervals that are in both are kept, what is before is released. 0 or -ENOMEM, when
 * nothing changed. */
int host_intervals_move(struct host_intervals *h, const struct stretch *to);

/* Seconds (intervals) that interval i has. */
size_t host_intervals_taken(const struct host_intervals *h, size_t i);

/* About the memory that the intervals hold; and what one of them holds of its own. */
size_t host_intervals_bytes(const struct host_intervals *h);
size_t host_intervals_bytes_of(const struct host_intervals *h, size_t i);

int64_t gather_floor(int64_t ns, int64_t interval_ns);

#endif
