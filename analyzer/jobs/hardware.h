/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What hardware servers have, from a file of the user, as the logs of jobs do not say it: a line a server, NAME CORES
 * MEMORY, the memory in bytes or with K, M, G, T behind (powers of 1,024); "#" begins a comment. A name that is there twice is an
 * error.
 */
#ifndef LIMPET_HARDWARE_H
#define LIMPET_HARDWARE_H

#include <stdint.h>

struct hardware {
	uint64_t cores, memory_bytes;
};

struct hardware_file;

/* 0, or negative errno after a message that names file and line. */
int hardware_load(struct hardware_file **h, const char *path);
void hardware_free(struct hardware_file *h); /* takes NULL */
/* NULL: the file does not say, or is NULL. */
const struct hardware *hardware_of(const struct hardware_file *h, const char *node);

#endif
