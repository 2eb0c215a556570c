/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whose logs are judged. A log says what it likes of any server, and whoever sends it has no more than a token of its own host: so the
 * logs of a host are kept, and judged once the administrator has said that it may speak of other servers (`limpet serve trust HOST`). A host
 * that is trusted has an empty file of its name in DIR/trusted.
 */
#ifndef LIMPET_SERVE_TRUSTED_H
#define LIMPET_SERVE_TRUSTED_H

#include "userspace/common/options.h"

/* 0 or -errno with the sentence. Of one that is trusted already, or is none, nothing is to do. */
int trusted_add(const char *dir, const char *host, char why[WHY_LEN]);
int trusted_remove(const char *dir, const char *host, char why[WHY_LEN]);
bool trusted_is(const char *dir, const char *host);

/* Those that are not in `known` yet go there, and the folders of their logs to fn, which may end it. 0, -ENOMEM, or what fn returned. */
int trusted_new(const char *dir, struct string_list *known,
		int (*fn)(void *arg, const char *folder), void *arg);

/* How many hosts have logs here that are not judged. */
size_t trusted_not(const char *dir);

#endif
