// SPDX-License-Identifier: BSD-2-Clause
/* limpet-push: sends what a server records to `limpet serve`. */
#include <curl/curl.h>
#include <malloc.h>

#include "push_commands.h"

#define KEPT_BYTES (4 << 20)

static const struct command commands[] = {
	{"run", "", "send what is recorded and logged here to the receivers", push_options, cmd_run,
	 NULL},
	{"check", "", "tell what would be sent where, and whether each receiver answers",
	 push_options, cmd_check, NULL},
	{"enroll", "LINE", "make a receiver known by the line that `limpet serve` printed",
	 enroll_options, cmd_enroll, NULL},
	{"progress", "", "ask the master of jobs how far their tasks are, and append it to a log",
	 progress_options, cmd_progress, NULL},
	{0},
};

int main(int argc, char **argv)
{
	/* A second takes a megabyte for some milliseconds: it is not given back to the kernel each time. Threads share it. */
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	/* Before there is any thread. */
	curl_global_init(CURL_GLOBAL_DEFAULT);
	return commands_dispatch("limpet-push",
				 "sends what a server records to one or two receivers", commands,
				 argc, argv);
}
