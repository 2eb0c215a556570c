// SPDX-License-Identifier: BSD-2-Clause
/* The options of `record`: of the command line and of a file. */
#include "record_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/options_file.h"

const struct option_def record_options[] = {
	{'o', "output", OPT_STRING, offsetof(struct record_opts, dir), "DIR",
	 "write HOST-YYYYMMDD.limpet files into this folder", 0, 0},
	{'j', "json", OPT_FLAG, offsetof(struct record_opts, json), NULL,
	 "print a JSON object a second on stdout", 0, 0},
	{0, "frames", OPT_STRING, offsetof(struct record_opts, frames), "FILE",
	 "write a frame a second into a new file, a pipe or '-', for 'limpet watch -'", 0, 0},
	{0, "listen", OPT_STRING, offsetof(struct record_opts, listen), "[ADDR:]PORT",
	 "serve the metrics over HTTP, for Prometheus (ADDR: 127.0.0.1)", 0, 0},
	{0, "allow-host", OPT_LIST, offsetof(struct record_opts, hosts), "NAME",
	 "another name it may be asked by; .DOMAIN: all in it (again for more)", 0, 0},
	{0, "keep-days", OPT_UINT, offsetof(struct record_opts, keep_days), "DAYS",
	 "keep the files of so many days (default: all)", 1, 100000},
	{0, "keep-size", OPT_SIZE, offsetof(struct record_opts, keep_bytes), "SIZE",
	 "remove the oldest files beyond so many bytes (500M, 2G)", 1 << 20, 1e18},
	{0, "host", OPT_STRING, offsetof(struct record_opts, host), "NAME",
	 "name of this server in the data (default: the host name)", 0, 0},
	{0, "options", OPT_STRING, offsetof(struct record_opts, file), "FILE",
	 "more options are in this file, which SIGHUP has read again", 0, 0},
	SELECTION_OPTIONS(struct record_opts),
	{0, NULL, OPT_FLAG, 0, NULL, NULL, 0, 0},
};

/* ---- both ---- */

static int take_words(struct record_request *r, int n, char **words)
{
	r->interval_s = 1;
	if (n > 2) {
		fail("'%s': only an interval and a count may follow", words[3]);
		return EXIT_USAGE;
	}
	if (n > 0 && parse_uint(words[1], 1, MAX_INTERVAL_S, &r->interval_s)) {
		fail("'%s' is not an interval in seconds from 1 to %d", words[1], MAX_INTERVAL_S);
		return EXIT_USAGE;
	}
	if (n > 1 && parse_uint(words[2], 1, 1U << 31, &r->count)) {
		fail("'%s' is not a count of samples", words[2]);
		return EXIT_USAGE;
	}
	return 0;
}

static void release_lists(struct record_opts *o)
{
	selection_opts_release(&o->sel);
	string_list_release(&o->hosts);
	memset(o, 0, sizeof(*o));
}

int record_request_read(struct record_request *r, const struct record_line *line, bool again)
{
	static const struct command cmd = {
		"record",	"[interval [count]]", "record this server, a second at a time.",
		record_options, cmd_record,	      NULL};
	const struct options_file file = {offsetof(struct record_opts, file),
					  "LIMPET_PROBE_OPTIONS", again};
	int n;

	memset(r, 0, sizeof(*r));
	n = options_and_file(&cmd, &r->o, sizeof(r->o), &file, line->argc, line->argv, &r->read);
	if (n >= 0)
		return take_words(r, n, r->read.argv);
	return n == -ECANCELED ? n : n == -EIO ? EXIT_FAILED : EXIT_USAGE;
}

void record_request_release(struct record_request *r)
{
	release_lists(&r->o);
	options_read_release(&r->read);
}
