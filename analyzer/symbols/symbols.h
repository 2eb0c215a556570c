/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names for places in files that are known by build id: from the functions of a file with that build id, in the
 * folders that are given, or in /usr/lib/debug/.build-id; from all of them until one has all functions and one says
 * where in memory a place of the file is. C++ names stay as the compiler made them.
 */
#ifndef LIMPET_SYMBOLS_H
#define LIMPET_SYMBOLS_H

#include "user_frames.h"

struct symbols;

/* `folders`: looked through now, with those in them. NULL: no memory. Says what it cannot read. */
struct symbols *symbols_new(const char *const *folders, size_t n);
void symbols_free(struct symbols *s); /* takes NULL */

/* A user_name_fn; `symbols` is the handle. Valid until the next call. */
const char *symbols_name(void *symbols, const struct user_place *at);

#endif
