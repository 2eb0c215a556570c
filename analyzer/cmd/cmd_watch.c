// SPDX-License-Identifier: BSD-2-Clause
/* limpet watch: judges while the probes record, and shows it. */
#include "commands.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/output.h"
#include "analyzer/live/session.h"

#define AT(field) offsetof(struct session_opts, field)

static const struct option_def options[] = {
	{0, "plain", OPT_FLAG, AT(plain), NULL, "lines, also on a terminal", 0, 0},
	{'j', "json", OPT_FLAG, AT(json), NULL, "lines, each of them a JSON object", 0, 0},
	{0, "once", OPT_FLAG, AT(watch.once), NULL,
	 "what is there, with all that changed in it, and no more", 0, 0},
	{0, "back", OPT_DOUBLE, AT(watch.back_s), "SECONDS",
	 "begin so long before the newest second that is there\n"
	 "                             (600; with --once: all of it)",
	 0, 1e9},
	{0, "strict", OPT_FLAG, AT(watch.strict), NULL,
	 "with --once: a source that cannot be read is an error", 0, 0},
	{0, "from", OPT_TIME, AT(watch.from_ns), "TIME", "begin there instead", 0, 0},
	{0, "hop", OPT_DOUBLE, AT(watch.params.interval_s), "SECONDS",
	 "look so often (10); a window is three of them", 1, 3600},
	{0, "peers", OPT_STRING, AT(watch.peers), "FILE",
	 "groups of peers: a line of server names each", 0, 0},
	{0, "acknowledge", OPT_LIST, AT(watch.acknowledged), "NODE",
	 "its trouble is known: shown, not indicted (repeatable)", 0, 0},
	{0, "offsets", OPT_STRING, AT(watch.offsets), "FILE",
	 "keep each server's usual offset there between runs", 0, 0},
	{0, "alert", OPT_STRING, AT(alert), "PROGRAM",
	 "run it when a server begins to limp and when that is over", 0, 0},
	{0, "alert-interval", OPT_UINT, AT(alert_interval_s), "SECONDS",
	 "at most once in so many seconds for one server (300)", 0, 86400},
	{0, "listen", OPT_STRING, AT(listen), "[ADDR:]PORT",
	 "the verdicts as OpenMetrics over HTTP (on 127.0.0.1)", 0, 0},
	{0, "allow-host", OPT_LIST, AT(hosts), "NAME",
	 "another name it may be asked by; .DOMAIN: all in it (repeatable)", 0, 0},
	{0},
};

static int run(int argc, char **argv)
{
	struct session_opts o = {
		.watch = {.params = ROBUST_PARAMS_DEFAULT, .from_ns = INT64_MIN, .back_s = -1},
		.alert_interval_s = 300};
	int n = options_parse(&cmd_watch, &o, argc, argv), status = EXIT_USAGE;

	if (n < 0)
		return n == -ECANCELED ? EXIT_DONE : EXIT_USAGE;
	if (n < 1)
		fail("a FOLDER is needed (see 'limpet watch --help')");
	else if (floor(o.watch.params.interval_s * 1000) != o.watch.params.interval_s * 1000)
		fail("'--hop %g': whole milliseconds are needed", o.watch.params.interval_s);
	else
		status = session_run(&o, argv + 1, (size_t)n);
	string_list_release(&o.watch.acknowledged);
	string_list_release(&o.hosts);
	return output_finish(status);
}

const struct command cmd_watch = {
	.name = "watch",
	.args = "FOLDER…",
	.summary = "judges while the probes record: a live view, lines, alerts, metrics",
	.options = options,
	.run = run,
};
