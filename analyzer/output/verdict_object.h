/* SPDX-License-Identifier: BSD-2-Clause */
/* A verdict as a value of JSON, of which parts may be taken: what verdict_json() prints. */
#ifndef LIMPET_VERDICT_OBJECT_H
#define LIMPET_VERDICT_OBJECT_H

#include <jansson.h>

#include "analyzer/verdict/verdict.h"

/* A reference of the caller's; NULL: out of memory. */
json_t *verdict_object(const struct verdict *a, bool explain);

#endif
