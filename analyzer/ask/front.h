/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What people and programs ask of the service, in a thread of its own: pages, /api/v1, events, metrics. It reads the board and
 * DIR/incidents.db, and changes nothing.
 *
 * There is no password and no TLS: on an address that others reach, pages and API are for those who ask from this host, and
 * others have /metrics and /healthz alone. A request by a name that is not this host's is refused (http_hosts.h).
 */
#ifndef LIMPET_ASK_FRONT_H
#define LIMPET_ASK_FRONT_H

#include "board.h"
#include "analyzer/history/store.h"
#include "userspace/common/options.h"

struct front_opts {
	const char *listen;		 /* [ADDR:]PORT; a port alone is on 127.0.0.1 */
	const struct string_list *names; /* other names of this host */
	const char *dir;		 /* of the service */
	struct board *board;		 /* outlives it */
	struct history_store *history;	 /* likewise; NULL: there is none */
};

struct front;

/* 0; -EINVAL: what was told makes no sense; another -errno; with the sentence. */
int front_start(struct front **f, const struct front_opts *o, char why[WHY_LEN]);
void front_stop(struct front *f); /* takes NULL */

#endif
