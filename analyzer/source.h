/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where data comes from: series files, or folders of them. Opened once to learn whose they are and
 * which time they span, then read one at a time: the number of open files stays one.
 */
#ifndef LIMPET_SOURCE_H
#define LIMPET_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "../userspace/series.h"

struct source_file {
	char *path;
	char host[HOST_LEN];
	unsigned int interval_ms;
	uint64_t seconds;
	int64_t first_ns, last_ns; /* of the seconds; meaningless where seconds is 0 */
};

struct sources {
	struct source_file *at; /* by host, then first_ns, then path */
	size_t n, cap;
};

/* Files as they are; of a folder every *.limpet in it (an empty one is an error).
 * 0, or negative errno after a message. */
int sources_open(struct sources *s, char *const *paths, size_t n_paths);
void sources_release(struct sources *s);

#endif
