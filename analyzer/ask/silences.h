/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Alerts that people do not want: of one server, of one incident (an acknowledgement), or of all (maintenance), from one time until another.
 * Judging, pages and events go on as they are; the program of --alert and Alertmanagers are not told what begins meanwhile, and are when
 * it is still so at the end.
 *
 * They are in DIR/silences.db. Each thread has a handle of its own, and hears what another wrote at its next silences_refresh().
 */
#ifndef LIMPET_ASK_SILENCES_H
#define LIMPET_ASK_SILENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "userspace/common/options.h"
#include "userspace/series/series.h"

enum { SILENCE_WHO = 64, SILENCE_WHY = 200, SILENCES_MAX = 10000 };

struct silence {
	int64_t number;
	char server[HOST_LEN]; /* "": all, and that nothing can be judged; or of an incident */
	uint64_t incident;     /* 0: of no single one */
	int64_t from_ns, until_ns;
	char who[SILENCE_WHO], why[SILENCE_WHY];
};

struct silences;

/* 0 or -errno with the sentence; likewise all that follow. */
int silences_open(struct silences **s, const char *dir, char why[WHY_LEN]);
void silences_close(struct silences *s); /* takes NULL */

/* Gives it its number. -ENOSPC: there are too many. */
int silences_add(struct silences *s, struct silence *one, char why[WHY_LEN]);
/* It ends now, or never begins. -ENOENT: none is so called, or it is over. */
int silences_end(struct silences *s, int64_t number, int64_t now_ns, char why[WHY_LEN]);

/* Those that are not over, as they were at the last refresh; the newest last. */
int silences_refresh(struct silences *s, int64_t now_ns, char why[WHY_LEN]);
const struct silence *silences_known(const struct silences *s, size_t *n);

/* The one of these that keeps silent what is told of a server ("": of none) and an incident (0: of none); NULL. */
const struct silence *silence_of(const struct silence *at, size_t n, const char *server,
				 uint64_t incident, int64_t now_ns);

#endif
