/* SPDX-License-Identifier: BSD-2-Clause */
/* The terminal: its own screen while we are there, and as it was when we are gone. */
#ifndef LIMPET_WATCH_TERMINAL_H
#define LIMPET_WATCH_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Whether standard output is a terminal that can place text: not TERM=dumb or none. */
bool terminal_fits(void);
/* The alternate screen, no cursor, keys one by one and not shown; and back again. Either may be called
 * again. leave() is also called at exit. */
void terminal_enter(void);
void terminal_leave(void);
/* 24 x 80 where the terminal does not say. */
void terminal_size(size_t *rows, size_t *cols);
/* The next key that waits, -1: none; -2: there will be none any more. */
int terminal_key(void);

#endif
