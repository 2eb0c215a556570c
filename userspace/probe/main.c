// SPDX-License-Identifier: BSD-2-Clause
/* limpet-probe: the program on every server. */
#include <string.h>

#include "probe_commands.h"
#include "userspace/common/output.h"
#include "userspace/metrics/metrics.h"

static const struct command commands[] = {
	{"record", "[interval [count]]", "record this server, a second at a time", record_options,
	 cmd_record, NULL},
	{"check", "", "tell what this host can do, family by family, and why not", check_options,
	 cmd_check, NULL},
	{0},
};

int main(int argc, char **argv)
{
	/* Not told by --help: for tools/metrics. */
	if (argc == 2 && !strcmp(argv[1], "--dump-metrics")) {
		metrics_dump();
		return output_finish(EXIT_DONE);
	}
	return commands_dispatch("limpet-probe", "watches one server of a parallel file system",
				 commands, argc, argv);
}
