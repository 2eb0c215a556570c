/* SPDX-License-Identifier: BSD-2-Clause */
/* limpet states without a list: a line of sums for each state and server. */
#ifndef LIMPET_STATES_SUMS_H
#define LIMPET_STATES_SUMS_H

#include "analyzer/source/logs/states.h"

/* Of these n states, which come in order of time and leave in another one. 0, or negative after a message. */
int states_print_sums(const struct states *s, size_t *at, size_t n);

#endif
