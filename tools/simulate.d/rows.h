/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of a second that are not of the machine but of those who use it: the clients, which share what
 * the file system's sockets moved, and the processes, which share processors and disk.
 */
#ifndef LIMPET_SIM_ROWS_H
#define LIMPET_SIM_ROWS_H

#include "userspace/series/series.h"
#include "sim.h"

/* Names what rows are about, each with its control group. 0, or negative errno as the writer's. */
int rows_identify(const struct setup *s, struct series_writer *out);

/* The control group of the file system's daemon, as a probe is told. */
const char *rows_own_cgroup(const struct setup *s);

/*
 * Adds the rows of server `server` in second t, x being its totals. `sec` has the four rows of the
 * families before, which clients and processes add up to: counts of clients exactly. 0 or -ENOMEM.
 */
int rows_add(const struct setup *s, unsigned int server, unsigned int t, const double *x,
	     struct second *sec);

#endif
