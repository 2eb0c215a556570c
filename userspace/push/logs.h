/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The logs of this host, for one receiver: how much of each the receiver has, and frames of lines from there on. Of a log that is
 * being written only whole lines are sent. Packed logs (.gz, .zst, .xz, .bz2) go as they are, once they rest.
 */
#ifndef LIMPET_PUSH_LOGS_H
#define LIMPET_PUSH_LOGS_H

#include "answer.h"
#include "places.h"
#include "userspace/common/text.h"

struct logs;

/* The strings and places stay the caller's. NULL: out of memory. */
struct logs *logs_new(struct places *places, const char *host);
void logs_free(struct logs *l); /* takes NULL */

/* What the receiver has is not known any more. */
void logs_forget(struct logs *l);

/* Adds frames to an empty `body`: how many, 0: nothing is to be sent now; a negative errno. */
int logs_next(struct logs *l, struct text *body);

/* What the receiver said to these frames. false: that is no answer to them. */
bool logs_answered(struct logs *l, struct answer *a);

#endif
