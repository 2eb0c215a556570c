/* SPDX-License-Identifier: BSD-2-Clause */
/* The socket that a server listens on, from an address as people give it. */
#ifndef LIMPET_LISTEN_ADDRESS_H
#define LIMPET_LISTEN_ADDRESS_H

/*
 * `listen`: "9810" (on `addr`), "192.0.2.1:9810", "0.0.0.0:9810", "[::1]:9810". A socket that does not block; -EINVAL: that is no
 * address; another -errno when it cannot be listened on; `why`, of WHY_LEN, has the sentence.
 */
int listen_address(const char *listen, const char *addr, int backlog, char *why);

#endif
