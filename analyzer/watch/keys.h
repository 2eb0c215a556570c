/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys of a terminal, byte by byte. A cursor key is a sequence of several bytes that may come in pieces, so
 * the place in it is kept. Escape is the first byte of a sequence: it is a key if nothing follows for a while.
 */
#ifndef LIMPET_WATCH_KEYS_H
#define LIMPET_WATCH_KEYS_H

#include <stdbool.h>

/* Others are their own byte. */
enum {
	KEY_NONE = 0, /* the sequence goes on, or is unknown */
	KEY_UP = 256,
	KEY_DOWN,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_HOME,
	KEY_END,
	KEY_ESCAPE,
};
enum { KEYS_WAIT_MS = 100 };

/* Zeroed at first. */
struct keys {
	enum { KEYS_PLAIN, KEYS_ESCAPE, KEYS_SEQUENCE } state;
	unsigned int number; /* of a sequence: the last one, less than 1000 */
};
int keys_take(struct keys *k, unsigned char byte);
/* Whether it matters that nothing comes for KEYS_WAIT_MS; and what it means. */
static inline bool keys_wait(const struct keys *k)
{
	return k->state == KEYS_ESCAPE;
}
int keys_waited(struct keys *k);

#endif
