/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Daemons of file systems by name: for a server of which the probe was not told what is the file system's own,
 * and for those that serve from kernel threads, which are in the root control group.
 */
#ifndef LIMPET_DAEMONS_H
#define LIMPET_DAEMONS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a name is in a list of n; an entry that ends with '*' stands for any rest. What follows the last
 * ':' of the name, its number in recordings ("nfsd:812"), does not count. */
bool name_among(const char *const *list, size_t n, const char *name);
/* Names as the kernel has them, cut after 15 characters, with or without a number. */
bool daemon_known(const char *name);

#endif
