/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP sockets without eBPF: the kernel's socket monitoring (NETLINK_SOCK_DIAG, what ss(8) uses) is
 * asked for every socket of a network namespace, and what it tells becomes the records that
 * tcp.bpf.c makes. What this cannot see is what a socket counted between the last pass and its end,
 * and sockets that lived only between two passes. And it costs more: every socket is copied out.
 */
#ifndef LIMPET_SOCKDIAG_H
#define LIMPET_SOCKDIAG_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/record.h"

struct sockdiag;

/* Only sockets with one of these local ports; none: all. NULL with errno ENOMEM. */
struct sockdiag *sockdiag_new(const uint16_t *ports, size_t n_ports);
void sockdiag_free(struct sockdiag *d); /* takes NULL */

/* Opens what is asked, of the network namespace that the caller is in: while a socket may be made. Where
 * that fails, each pass does. */
void sockdiag_open(struct sockdiag *d);

/* One look at every socket of that namespace; always from the same thread. 0 or -errno, and what was seen
 * before it failed does not count. */
int sockdiag_pass(struct sockdiag *d);

/* Gives the records of sweep `seq` to `fn`, REC_REMOTEs and a REC_TCP, as they are after the last
 * whole pass; from any thread. Nothing before the first pass. */
void sockdiag_records(struct sockdiag *d, uint64_t seq,
		      void (*fn)(void *arg, const struct record_head *rec), void *arg);

#endif
