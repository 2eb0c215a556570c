/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether what is recorded can tell the file system's own I/O from that of others. */
#ifndef LIMPET_OWNERSHIP_H
#define LIMPET_OWNERSHIP_H

#include <stdbool.h>

/* Whether a process with the name of a file system's daemon (common/daemons.h) runs now. proc: "/proc". */
bool ownership_daemon_runs(const char *proc);

#endif
