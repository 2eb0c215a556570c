/* SPDX-License-Identifier: BSD-2-Clause */
/* The URL of a Prometheus as the user writes it (prometheus.h), and the queries made of it. For prometheus.c. */
#ifndef LIMPET_PROMETHEUS_URL_H
#define LIMPET_PROMETHEUS_URL_H

#include <stdint.h>

#include "prometheus_counters.h"
#include "userspace/common/text.h"

enum { PROMETHEUS_LABELS_MAX = 16, PROMETHEUS_WHY_LEN = 400 };

struct prometheus_url {
	char *base; /* http://HOST:PORT/PATH; NULL: nothing was parsed */
	struct matcher {
		char *label, *value;
		const char *op;
	} matcher[PROMETHEUS_LABELS_MAX];
	size_t n;
};

/* source: prometheus_is(). 0, -ENOMEM, or -EINVAL with `why`; to be released either way. */
int prometheus_url_parse(struct prometheus_url *u, const char *source,
			 char why[PROMETHEUS_WHY_LEN]);
void prometheus_url_release(struct prometheus_url *u);

/* A piece of time that is asked for; of all but the first, without its beginning. */
struct asked_span {
	int64_t from_ns, to_ns;
};

/* The URL that asks for a counter: METRIC{LABELS}[RANGE] at the end of that time. 0 or -ENOMEM. */
int prometheus_query(const struct prometheus_url *u, enum counter row, const struct asked_span *of,
		     struct text *url);

#endif
