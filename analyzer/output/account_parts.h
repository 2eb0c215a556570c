/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the text of an account: who was not judged, and what --explain adds (account_explain.c). */
#ifndef LIMPET_ACCOUNT_PARTS_H
#define LIMPET_ACCOUNT_PARTS_H

#include "analyzer/verdict/account.h"

/* Who was not judged on what, and why: grouped, the first ten groups. */
void account_abstained(const struct account *a);
/* Signals, what was flagged and not indicted, and every look. */
void account_explain(const struct account *a);

#endif
