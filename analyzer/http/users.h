/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * People with passwords, of HTTP's Basic scheme (RFC 7617). The file has a line "NAME:HASH" for each, as `htpasswd -B` and the like write them: a
 * hash of crypt(5) that is strong enough (yescrypt, bcrypt, SHA-2, …); blank lines and lines that begin with '#' are for people.
 *
 * A hash takes a tenth of a second, on purpose, and whoever asks for one holds up all others meanwhile. So a password that was right is
 * remembered, by a keyed hash; of wrong ones, or ones not seen yet, one address has a look a second, and all together have a quarter of the time: what is
 * above is told to come later. A hash that takes longer than USERS_SLOWEST_S is refused when the file is read.
 */
#ifndef LIMPET_HTTP_USERS_H
#define LIMPET_HTTP_USERS_H

#include <stdbool.h>

#include "userspace/common/options.h"

/* No user is called so. */
#define USERS_NOBODY "token"

enum { USER_NAME = 64, USERS_MAX = 1000, USERS_ADDRESSES = 256 };
#define USERS_SLOWEST_S 0.5

struct users;

/* 0 or -errno with the sentence. */
int users_load(struct users **u, const char *path, char why[WHY_LEN]);
void users_free(struct users *u); /* takes NULL */

enum users_answer { USERS_KNOWN, USERS_UNKNOWN, USERS_LATER };
/* authorization: the header, or NULL; address: of who asks. What it says, and the name. From one thread at a time. */
enum users_answer users_check(struct users *u, const char *authorization, const char *address,
			      char name[USER_NAME]);

#endif
