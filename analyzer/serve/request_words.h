/* SPDX-License-Identifier: BSD-2-Clause */
/* What a request of a sender says apart from its frames: names and numbers. Every byte may be hostile. */
#ifndef LIMPET_SERVE_REQUEST_WORDS_H
#define LIMPET_SERVE_REQUEST_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "userspace/series/series.h"

/* {"host": "oss-3"}: 0, or -EINVAL. */
int enrolment_host(const void *body, size_t len, char host[HOST_LEN]);

/* "HOST-YYYYMMDD.limpet": 0, or -EINVAL. */
int series_file_host(const char *file, char host[HOST_LEN]);
/* The UTC day of such a name, since the epoch; -1: it is none. */
int64_t series_file_day(const char *file);

/* A number of ns, digits alone: 0, or -EINVAL. */
int origin_ns(const char *text, int64_t *ns);

#endif
