// SPDX-License-Identifier: BSD-2-Clause
/* limpet: reads what the probes recorded, compares the servers, names the one that limps. */
#include <signal.h>
#include <string.h>

#include "analyzer/serve/serve_metrics.h"
#include "analyzer/watch/exposition.h"
#include "commands.h"
#include "userspace/common/output.h"

int main(int argc, char **argv)
{
	const struct command table[] = {cmd_train,    cmd_diagnose,  cmd_watch,	 cmd_report,
					cmd_evaluate, cmd_show,	     cmd_states, cmd_flow,
					cmd_serve,    {.name = NULL}};

	if (argc == 2 && !strcmp(argv[1], "--dump-metrics")) {
		exposition_dump();
		serve_metrics_dump();
		return output_finish(EXIT_DONE);
	}
	signal(SIGPIPE, SIG_DFL); /* `limpet show | head` ends quietly, whoever started us */
	return commands_dispatch("limpet", "finds the one slow server of a parallel file system",
				 table, argc, argv);
}
