// SPDX-License-Identifier: BSD-2-Clause
/* limpet watch: judges while the probes record, and shows it. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "userspace/common/output.h"
#include "userspace/common/sort.h"
#include "analyzer/output/colours.h"
#include "analyzer/watch/session.h"

#define AT(field) offsetof(struct session_opts, field)

static const struct option_def options[] = {
	{0, "plain", OPT_FLAG, AT(plain), NULL, "lines, also on a terminal", 0, 0},
	{'j', "json", OPT_FLAG, AT(json), NULL, "lines, each of them a JSON object", 0, 0},
	{0, "once", OPT_FLAG, AT(once), NULL,
	 "judge the data that is there, tell all changes, and end", 0, 0},
	{0, "exit-code", OPT_FLAG, AT(exit_code), NULL,
	 "with --once or '-': status 3: a server is indicted; 5, 4, 6 as of diagnose", 0, 0},
	{'q', "quiet", OPT_FLAG, AT(quiet), NULL,
	 "print nothing; at its end the status tells, as with --exit-code", 0, 0},
	COLOUR_OPTION(AT(color)),
	{0, "back", OPT_DOUBLE, AT(back_s), "SECONDS",
	 "begin so long before the newest second that is there\n"
	 "                             (600; with --once: all of it)",
	 0, 1e9},
	{0, "strict", OPT_FLAG, AT(a.table.strict), NULL,
	 "with --once: a source that cannot be read is an error", 0, 0},
	{0, "from", OPT_TIME, AT(a.from_ns), "TIME", "begin there instead", 0, 0},
	{0, "node", OPT_STRING, AT(a.table.node), "LABEL",
	 "of a Prometheus: which label is the server's name", 0, 0},
	{0, "token-file", OPT_STRING, AT(a.table.token_file), "FILE",
	 "of a Prometheus: the bearer token that it wants", 0, 0},
	{0, "ca-file", OPT_STRING, AT(a.table.ca_file), "FILE",
	 "of a Prometheus: trust these certificates, not the system's", 0, 0},
	ANALYSIS_PEERS(AT(a)),
	ANALYSIS_INTERVALS(AT(a)),
	LOG_OPTIONS(AT(a.logs)),
	{0, "alert", OPT_STRING, AT(alert), "PROGRAM",
	 "run it when a server begins to limp, and when it limps no more", 0, 0},
	{0, "alert-interval", OPT_UINT, AT(alert_interval_s), "SECONDS",
	 "at most once in so many seconds for one server (300)", 0, 86400},
	{0, "listen", OPT_STRING, AT(listen), "[ADDR:]PORT",
	 "the verdicts as OpenMetrics over HTTP (on 127.0.0.1)", 0, 0},
	{0, "allow-host", OPT_LIST, AT(hosts), "NAME",
	 "another host name for requests; .DOMAIN: all in it (repeatable)", 0, 0},
	ANALYSIS_LOCAL_TIME,
	{0},
};

/* Frames on standard input: what is asked for makes sense. 0 or an exit status after a message. */
static int check_stream(const struct session_opts *o, char *const *paths, size_t n)
{
	bool stream = any_of(i, n, !strcmp(paths[i], WATCH_STREAM));

	if (!stream)
		return 0;
	if (o->once)
		fail("'--once' is for files: 'limpet watch -' ends when its frames do");
	else if (o->back_s >= 0)
		fail("'--back' is for files: nothing lies back of what comes as frames");
	else if (isatty(STDIN_FILENO))
		fail("standard input is a terminal, and '-' wants the frames of 'limpet-probe "
		     "record --frames -'");
	else
		return 0;
	return EXIT_USAGE;
}

static int run_watch(int argc, char **argv)
{
	struct session_opts o = {.a = ANALYSIS_DEFAULT, .back_s = -1, .alert_interval_s = 300};
	size_t n;
	int status;

	o.a.from_ns = INT64_MIN;
	status = options_words(&cmd_watch, &o, argc, argv, "a FOLDER or LOG", &n);
	if (n && floor(o.a.interval_s * 1000) != o.a.interval_s * 1000)
		fail("'--hop %g': whole milliseconds are needed", o.a.interval_s);
	else if (n && o.back_s >= 0 && o.a.from_ns != INT64_MIN)
		fail("'--back' and '--from' exclude each other: each says where to begin");
	else if (n && !colours_choose(o.color) &&
		 !options_exclude("quiet", (const char *const[]){"plain", "json", "color", NULL}) &&
		 !check_stream(&o, argv + 1, n))
		status = session_run(&o, argv + 1, n);
	options_release(&cmd_watch, &o);
	return output_finish(status);
}

static const struct option_need needs[] = {
	{"exit-code", {"--once", "-"}},
	{"strict", {"--once"}},
	{"alert-interval", {"--alert"}},
	{"allow-host", {"--listen"}},
	{0},
};

const struct command cmd_watch = {
	.name = "watch",
	.args = "FOLDER|LOG|-|URL…",
	.summary = "judges while probes record and logs grow: a live view, lines, alerts, metrics",
	.options = options,
	.run = run_watch,
	.needs = needs,
};
