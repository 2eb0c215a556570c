/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who may send: a row of serve.db for each host, with the hash of its token or the name in its certificate. The rows are in memory
 * too, where each request looks. What another process changes (`limpet serve approve`, `forget`, `line`) is in the database, and
 * senders_refresh() reads it.
 *
 *	            senders_line()              senders_enrol()
 *	  nobody ─────────────────> a token ────────────────────> a host, with a token of its own
 *	                            of enrolment                    │  ^ senders_enrol(), once
 *	                                                            v  │
 *	  nobody <───────────────────────────────────────────── approved, by senders_approve()
 *	            senders_forget(), from either
 *
 * All functions that return int: 0 or a negative errno, with the sentence in `why`.
 */
#ifndef LIMPET_SERVE_SENDERS_H
#define LIMPET_SERVE_SENDERS_H

#include <stdbool.h>
#include <stdint.h>

#include "userspace/common/database.h"
#include "userspace/series/series.h"
#include "userspace/wire/exchange.h"

/* DIR/serve.db, which several processes may have open: the service, and the commands that change its senders. */
int senders_database(sqlite3 **db, const char *dir, char why[WHY_LEN]);

struct sender {
	char host[HOST_LEN];
	char *token;	   /* its hash; NULL: it has none, but a certificate */
	char *certificate; /* a dNSName; NULL */
	int64_t since_ns, heard_ns;
	bool approved; /* may be enrolled anew */
};

struct senders;

/* With a database that outlives them. */
int senders_new(struct senders **s, sqlite3 *db, char why[WHY_LEN]);
void senders_free(struct senders *s); /* takes NULL */

/* A token of enrolment, for `uses` hosts and so many seconds. */
int senders_line(struct senders *s, unsigned int uses, unsigned int seconds,
		 char token[EXCHANGE_TOKEN_LEN + 1], char why[WHY_LEN]);

/* The host's own token, for a token of enrolment. -EACCES: that is none, or no more; -EEXIST: the name is taken; -EINVAL: it is
 * no name. Only where it is 0 a use is spent. */
int senders_enrol(struct senders *s, const char *enrolment, const char *host,
		  char token[EXCHANGE_TOKEN_LEN + 1], char why[WHY_LEN]);

/* -ENOENT: no sender has that name. */
int senders_approve(struct senders *s, const char *host, char why[WHY_LEN]);
int senders_forget(struct senders *s, const char *host, char why[WHY_LEN]);

/* The sender whose token this is, or NULL; until the next call of a function that may change senders. */
const struct sender *senders_by_token(const struct senders *s, const char *token);

/*
 * The host that the bearer of a certificate with these dNSNames may call itself. `host` is what it does call itself: one of the
 * names, or the first label of one, that no other sender has; the first time makes its row. Or NULL: it did not say; then
 * what it called itself last, or may. -EACCES: it may not.
 */
int senders_certified(struct senders *s, const char *const *names, size_t n, const char *host,
		      char is[HOST_LEN], char why[WHY_LEN]);

/* It was heard now. */
void senders_heard(struct senders *s, const char *host, int64_t now_ns);

/* When all were heard, for another thread to write with a database of its own. NULL: out of memory. */
struct heard_list;
struct heard_list *senders_heard_list(const struct senders *s);
/* Frees the list. */
int heard_list_write(struct heard_list *l, sqlite3 *db, char why[WHY_LEN]);

/* Reads the database again if another process, or another part of this one, has changed it. */
int senders_refresh(struct senders *s, char why[WHY_LEN]);

/* All of them, in order of their names. */
const struct sender *senders_all(const struct senders *s, size_t *n);

/* Of the senders, how many were heard at that time or later. */
size_t senders_heard_since(const struct senders *s, int64_t since_ns);

#endif
