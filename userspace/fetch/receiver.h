/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * To whom is sent, and how he is known: a file for each receiver in one folder, NAME.conf, of lines
 *
 *	url=https://10.1.0.7:9811     pin=…     token=…     ca=FILE     cert=FILE     key=FILE
 *
 * url is needed; by pin (exchange.h) the receiver's key is known, without it by an authority: that of ca, or those of the
 * system; who we are says token, or cert with key. Lines that begin with '#' are passed over. Such a file is ours or root's, and
 * nobody else may read it.
 */
#ifndef LIMPET_FETCH_RECEIVER_H
#define LIMPET_FETCH_RECEIVER_H

#include "userspace/common/options.h"
#include "fetch.h"
#include "userspace/wire/exchange.h"

enum { RECEIVERS_MAX = 4, URL_MAX_LEN = 512, PATH_MAX_LEN = 512 };

struct receiver {
	char file[PATH_MAX_LEN]; /* that says so */
	char url[URL_MAX_LEN];	 /* "https://ADDRESS:PORT", without a slash at its end */
	char pin[EXCHANGE_PIN_LEN + 1], token[EXCHANGE_TOKEN_LEN + 1];
	char ca[PATH_MAX_LEN], cert[PATH_MAX_LEN], key[PATH_MAX_LEN];
};

struct receivers {
	struct receiver at[RECEIVERS_MAX];
	size_t n;
};

/* Those of a folder, by name; none where there is no folder. 0, or -1 after a message. */
int receivers_read(struct receivers *r, const char *dir);

/* The line of enrolment (exchange.h): url, pin and the token of enrolment. -EINVAL with `why`. */
int receiver_of_line(struct receiver *r, const char *line, char why[WHY_LEN]);

/* Makes the folder where only its last part is missing, and looks whether files can be made in it. 0, or -1 after a message. */
int receivers_folder(const char *dir);

/* Writes its file into the folder, which is made where only its last part is missing, and fills r->file. Who owns the folder owns the
 * file. 0, or -1 after a message. */
int receiver_write(struct receiver *r, const char *dir);

/* A handle for requests to it; NULL with `why`. */
struct fetch *receiver_fetch(const struct receiver *r, const volatile sig_atomic_t *stop,
			     char why[WHY_LEN]);

#endif
