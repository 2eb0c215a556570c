// SPDX-License-Identifier: BSD-2-Clause
/* limpet-probe: the program on every server. */
#include "probe_commands.h"

static const struct command commands[] = {
	{"record", "[interval [count]]", "record this server, a second at a time", record_options,
	 cmd_record},
	{"check", "", "tell what this host can do, family by family, and why not", check_options,
	 cmd_check},
	{0},
};

int main(int argc, char **argv)
{
	return commands_dispatch("limpet-probe", "watches one server of a parallel file system",
				 commands, argc, argv);
}
