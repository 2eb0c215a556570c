/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommand that makes tables. */
#ifndef LIMPET_SIM_TABLE_MAIN_H
#define LIMPET_SIM_TABLE_MAIN_H

#include "userspace/common/options.h"

extern const struct command table_command;

#endif
