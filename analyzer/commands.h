/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands of limpet: each a row of the table in main.c, each in a file of its own. */
#ifndef LIMPET_COMMANDS_H
#define LIMPET_COMMANDS_H

#include "../userspace/options.h"

extern const struct command cmd_train, cmd_diagnose, cmd_show;

#endif
