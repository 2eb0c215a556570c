/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `limpet-probe record` is asked for: the options of its command line, and behind them those of the
 * file of --options (userspace/common/options_file.h), which is read again whenever it is asked for again.
 */
#ifndef LIMPET_RECORD_OPTIONS_H
#define LIMPET_RECORD_OPTIONS_H

#include "probe_commands.h"
#include "userspace/common/options_file.h"

struct record_opts {
	struct selection_opts sel;
	const char *dir, *host, *listen, *file, *frames;
	struct string_list hosts;
	bool json;
	unsigned int keep_days;
	uint64_t keep_bytes;
};

/* The command line as it was given, strings not copied. */
struct record_line {
	int argc;
	char **argv; /* from "record" on */
};

struct record_request {
	struct record_opts o;
	unsigned int interval_s, count; /* count 0: until stopped */
	struct options_read read;	/* which strings of `o` are in */
};

/* Longer intervals, and 32 bits may not do for what is counted in between. */
#define MAX_INTERVAL_S 600

/*
 * 0, an exit status after a message, or -ECANCELED: help was asked for, and was given. `again`: a file that
 * is not there, or cannot be read, fails; else it is as an empty one, and that is said.
 */
int record_request_read(struct record_request *r, const struct record_line *line, bool again);
/* Its lists, and its text, to which no string of `o` may be in use any more. */
void record_request_release(struct record_request *r);

#endif
