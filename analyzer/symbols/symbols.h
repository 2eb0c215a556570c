/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names for places in files that are known by build id: from the functions of a file with that build id, in the
 * folders that are given, or in /usr/lib/debug/.build-id; from all of them until one has all functions and one says
 * where in memory a place of the file is. A recording has build ids and offsets, and no paths: under what name a file
 * lies says nothing. C++ names stay as the compiler made them.
 */
#ifndef LIMPET_SYMBOLS_H
#define LIMPET_SYMBOLS_H

#include "user_frames.h"

struct symbols;

/* `folders`: looked through now, with those in them. NULL: no memory. Says what it cannot read. */
struct symbols *symbols_new(const char *const *folders, size_t n);
void symbols_free(struct symbols *s); /* takes NULL */

/* Of struct user_names; `symbols` is the handle. A file's name is that under which a program or a library, not
 * its debugging symbols, was found. */
const char *symbols_function(void *symbols, const struct user_place *at);
const char *symbols_file(void *symbols, const struct user_place *at);

#endif
