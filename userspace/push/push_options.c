// SPDX-License-Identifier: BSD-2-Clause
/* The options of limpet-push: of the command line and of a file. */
#include "push_commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "userspace/common/options_file.h"

#define RECEIVERS_OPTION                                                                        \
	{                                                                                       \
		0, "receivers", OPT_STRING, offsetof(struct push_opts, receivers), "DIR",       \
			"a file for each receiver is in this folder (" PUSH_RECEIVERS ")", 0, 0 \
	}
#define HOST_OPTION                                                                      \
	{                                                                                \
		0, "host", OPT_STRING, offsetof(struct push_opts, host), "NAME",         \
			"name of this server in the data (default: the host name)", 0, 0 \
	}

const struct option_def push_options[] = {
	{0, "series", OPT_STRING, offsetof(struct push_opts, series), "DIR",
	 "the probe's series files are in this folder (" PUSH_SERIES ")", 0, 0},
	{0, "logs", OPT_LIST, offsetof(struct push_opts, logs), "NAME=PATH",
	 "send the logs in this folder, or this file, as NAME/… (again for more)", 0, 0},
	{0, "no-logs", OPT_FLAG, offsetof(struct push_opts, no_logs), NULL,
	 "send no logs but those of --logs", 0, 0},
	RECEIVERS_OPTION,
	HOST_OPTION,
	{0, "options", OPT_STRING, offsetof(struct push_opts, file), "FILE",
	 "more options are in this file", 0, 0},
	{0, NULL, OPT_FLAG, 0, NULL, NULL, 0, 0},
};

const struct option_def enroll_options[] = {
	RECEIVERS_OPTION,
	HOST_OPTION,
	{0, NULL, OPT_FLAG, 0, NULL, NULL, 0, 0},
};

int push_opts_read(struct push_opts *o, const struct command *cmd, int argc, char **argv)
{
	static const struct options_file file = {offsetof(struct push_opts, file),
						 "LIMPET_PUSH_OPTIONS", false};
	struct options_read read;
	int n;

	memset(o, 0, sizeof(*o));
	n = options_and_file(cmd, o, sizeof(*o), &file, argc, argv, &read);
	o->read = read;
	if (n > 0) {
		fail("'%s': nothing but options may stand here (see '%s %s --help')", read.argv[1],
		     program_name, cmd->name);
		n = -EINVAL;
	}
	if (!o->series)
		o->series = PUSH_SERIES;
	if (!o->receivers)
		o->receivers = PUSH_RECEIVERS;
	return n == -ECANCELED ? n : n == -EIO ? EXIT_FAILED : n < 0 ? EXIT_USAGE : 0;
}

void push_opts_release(struct push_opts *o)
{
	string_list_release(&o->logs);
	options_read_release(&o->read);
	memset(o, 0, sizeof(*o));
}

int push_host(const char *given, char host[HOST_LEN])
{
	const char *wrong;

	memset(host, 0, HOST_LEN);
	if (given)
		snprintf(host, HOST_LEN, "%.*s", HOST_LEN - 1, given);
	else if (gethostname(host, HOST_LEN - 1))
		strcpy(host, "localhost");
	wrong = series_check_host(given ? given : host);
	if (!wrong)
		return 0;
	fail("'--host %s': %s", given ? given : host, wrong);
	return EXIT_USAGE;
}
