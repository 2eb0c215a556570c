/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The subcommands of limpet: each a row of the table in main.c, each in a file of its own.
 *
 * Exit status: 0 done, 1 failed, 2 usage, 4 could not judge (or train). `diagnose --exit-code`
 * besides: 3 a server is indicted; 4 none is, but some server the model knows could be judged on
 * nothing at all. A server judged on some metrics changes nothing.
 */
#ifndef LIMPET_COMMANDS_H
#define LIMPET_COMMANDS_H

#include "userspace/common/options.h"

extern const struct command cmd_train, cmd_diagnose, cmd_report, cmd_watch, cmd_show, cmd_evaluate,
	cmd_states, cmd_flow, cmd_serve;

#endif
