/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What people and programs ask of the service, in a thread of its own: pages, /api/v1, events, metrics. It reads the board and
 * DIR/incidents.db, and changes nothing.
 *
 * Who may: where there is a file of users, those, by their passwords, and over TLS where others than this host reach the address; whom a proxy
 * on this host names, where the header is told in which it does; programs with DIR/token; and where there are neither users nor a proxy, all
 * who ask from this host. /metrics and /healthz are for everybody. A request by a name that is not this host's is refused (http_hosts.h).
 */
#ifndef LIMPET_ASK_FRONT_H
#define LIMPET_ASK_FRONT_H

#include "board.h"
#include "analyzer/history/store.h"
#include "analyzer/http/tls.h"
#include "userspace/common/options.h"

struct roster;

struct front_opts {
	const char *listen;		 /* [ADDR:]PORT; a port alone is on 127.0.0.1 */
	const struct string_list *names; /* other names of this host */
	const char *dir;		 /* of the service */
	struct board *board;		 /* outlives it */
	struct history_store *history;	 /* likewise; NULL: there is none */
	struct roster *roster;		 /* likewise */
	const char *users;		 /* a file (users.h); NULL */
	const char *proxy_user;		 /* a header; NULL */
	struct tls_files tls;
	/* How the service judges, for judging again. */
	char *const *sources;
	size_t n_sources;
	const char *peers; /* a file; NULL */
	double interval_s, budget;
};

struct front;

/* 0; -EINVAL: what was told makes no sense; another -errno; with the sentence. */
int front_start(struct front **f, const struct front_opts *o, char why[WHY_LEN]);
void front_stop(struct front *f); /* takes NULL */
/* The users and the certificate are read again, soon. From any thread; takes NULL. */
void front_reload(struct front *f);

#endif
