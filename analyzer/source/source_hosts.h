/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the readers of many series files share, whether they make intervals of them (gather.c) or columns
 * (frame/frame_series.c): which hosts there are, the time they span, and threads. Hosts are read in parallel,
 * the files of one host one after the other, so that of a second that came twice the first counts; no result
 * depends on the number of threads.
 */
#ifndef LIMPET_SOURCE_HOSTS_H
#define LIMPET_SOURCE_HOSTS_H

#include "source.h"

/* Times after 2116 are damage, and so far from the end of the clock that sums do not overflow. */
#define SOURCE_LAST_NS (INT64_MAX / 2)

struct source_host {
	const char *name;	  /* the sources' */
	size_t first, end;	  /* its files in sources */
	unsigned int interval_ms; /* the least of its files */
};
/* In order of name; the caller frees *hosts. 0 or -ENOMEM. */
int sources_hosts(const struct sources *s, struct source_host **hosts, size_t *n);

/* First and last second in [from_ns, to_ns) that the files may have, and how many seconds those files
 * have together. 0, or after a message -ENODATA if there is none, or -E2BIG. */
struct source_span {
	int64_t first_ns, last_ns;
	uint64_t seconds;
};
int sources_span(const struct sources *s, int64_t from_ns, int64_t to_ns, struct source_span *out);

/*
 * Calls fn(arg, i) once for each i below n, on as many threads as are wanted. The first error ends it, but
 * for -EBADMSG, a damaged file: the others are tried too, so that all are found at once. 0 or the error.
 */
struct source_work {
	size_t n;
	unsigned int threads;
	int (*fn)(void *arg, size_t i);
	void *arg;
	bool progress;	 /* is shown, as a share of all: */
	double from, to; /* what is done before and after this */
};
int sources_parallel(const struct source_work *w);

#endif
