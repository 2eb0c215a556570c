/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where data comes from, told apart by content, never by name:
 *   series files of limpet-probe, or folders of them: opened once to learn whose they are and which
 *     time they span, then read one at a time: the number of open files stays one a thread;
 *   tables (table.h): CSV, state durations, both also compressed with gzip and from standard input
 *     ("-"), and sysstat's binary files through sadf: read whole into memory.
 * One command takes one of the two.
 */
#ifndef LIMPET_SOURCE_H
#define LIMPET_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "userspace/common/options.h"
#include "userspace/series/series.h"
#include "analyzer/input/tables/table.h"

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
	struct table table; /* empty where these are series files */
	bool tabular;
};

/* Files as they are; of a folder every *.limpet in it, or, where there is none, every *.csv and
 * *.csv.gz (none of them is an error). o: how tables are read; NULL: with no options.
 * 0, or negative errno after a message. */
int sources_open(struct sources *s, char *const *paths, size_t n_paths, const struct table_opts *o);
void sources_release(struct sources *s);

#endif
