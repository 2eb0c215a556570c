/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands of limpet-push, and the options that two of them have. */
#ifndef LIMPET_PUSH_COMMANDS_H
#define LIMPET_PUSH_COMMANDS_H

#include "userspace/common/options_file.h"
#include "userspace/series/series.h"

#define PUSH_SERIES    "/var/lib/limpet"
#define PUSH_RECEIVERS "/etc/limpet/receivers.d"

struct push_opts {
	const char *series, *receivers, *host, *file;
	struct string_list logs;
	bool no_logs;
	struct options_read read; /* which strings here are in */
};

extern const struct option_def push_options[], enroll_options[];

/* The command line, and the options of its file behind it. 0, an exit status, or -ECANCELED after --help. */
int push_opts_read(struct push_opts *o, const struct command *cmd, int argc, char **argv);
void push_opts_release(struct push_opts *o);

/* The name of this host in the data: that of --host, or the host's own. 0, or EXIT_USAGE after a message. */
int push_host(const char *given, char host[HOST_LEN]);

int cmd_run(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_enroll(int argc, char **argv);
int cmd_progress(int argc, char **argv);
extern const struct option_def progress_options[];

#endif
