/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which address is which server's, where servers are each other's clients. No recording says its own addresses, but
 * a connection has two ends that count the same bytes: what server a sent to address x and had from it is what
 * the server with that address had from, and sent to, one of a's. Two totals that fit crosswise, of two peers or more, tell.
 * Clients, which are not recorded, fit nothing.
 */
#ifndef LIMPET_SIGNAL_ADDRESSES_H
#define LIMPET_SIGNAL_ADDRESSES_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/interval/interval.h"

struct addresses;
struct addresses *addresses_new(void);	  /* NULL: out of memory */
void addresses_free(struct addresses *t); /* takes NULL */
/* What a server said in an interval: each interval of each server once. 0 or -ENOMEM. */
int addresses_add(struct addresses *t, size_t node, int32_t group, const struct interval *h);
/* After an interval of all servers: now and then it is found out anew whose is what. 0 or -ENOMEM. */
int addresses_settle(struct addresses *t);
/* The server with this address, of this group; SIZE_MAX: none, or not known. t may be NULL. */
size_t addresses_owner(const struct addresses *t, int32_t group, const char *addr);
/* How many are remembered: those with which little was said for hours are not. */
size_t addresses_count(const struct addresses *t);

#endif
