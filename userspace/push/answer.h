/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a receiver answers (exchange.h), every byte of which may be hostile: numbers that no receiver can mean are refused here,
 * words come out as text for a terminal.
 */
#ifndef LIMPET_PUSH_ANSWER_H
#define LIMPET_PUSH_ANSWER_H

#include "userspace/common/json_scan.h"
#include "userspace/common/options.h"
#include "userspace/series/series.h"
#include "userspace/wire/exchange.h"

struct answer {
	int64_t live_ns;	     /* of seconds; -1: it does not say */
	struct series_cursor cursor; /* of a series; kept 0: it does not say */
	unsigned int wait_ms;	     /* at most EXCHANGE_WAIT_MAX_MS */
	char token[EXCHANGE_TOKEN_LEN + 1], error[WHY_LEN];
	struct json_scan logs; /* for answer_log() */
};

/* How much of a log it has. */
struct answer_log {
	struct json_part path, identity; /* between the quotes, still escaped */
	int64_t size;
};

/* -EBADMSG: this is no answer. `a` points into the text. */
int answer_read(struct answer *a, const char *text, size_t len);

/* The next log. 1: there is one; 0: there is none any more; -EBADMSG. */
int answer_log(struct answer *a, struct answer_log *log);

#endif
