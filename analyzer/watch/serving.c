// SPDX-License-Identifier: BSD-2-Clause
/* exposition.h: the newest text, for the thread that answers. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "exposition.h"
#include "userspace/common/clock.h"
#include "userspace/common/http.h"

struct exposition {
	struct http *http;
	bool started;
	pthread_mutex_t lock; /* over what follows */
	uint64_t version;
	int64_t updated_ns; /* CLOCK_MONOTONIC */
	char *text[FORMATS];
	size_t len[FORMATS];
};

struct exposition *exposition_new(const char *listen, const struct string_list *names, bool *usage)
{
	struct exposition *x = calloc(1, sizeof(*x));
	char why[WHY_LEN];
	int err;

	*usage = false;
	if (!x) {
		fail("out of memory");
		return NULL;
	}
	err = http_new(&x->http, listen, names, why);
	if (err) {
		*usage = err == -EINVAL;
		fail("%s", why);
		free(x);
		return NULL;
	}
	pthread_mutex_init(&x->lock, NULL);
	return x;
}

void exposition_free(struct exposition *x)
{
	if (!x)
		return;
	http_free(x->http);
	pthread_mutex_destroy(&x->lock);
	for (int f = 0; f < FORMATS; f++)
		free(x->text[f]);
	free(x);
}

static uint64_t version_of(void *arg)
{
	struct exposition *x = arg;
	uint64_t version;

	pthread_mutex_lock(&x->lock);
	version = x->version;
	pthread_mutex_unlock(&x->lock);
	return version;
}

/* An interval may be long, and so may what is read again after a start. */
#define HANGS_NS (300 * NS_PER_S)

static bool is_healthy(void *arg)
{
	struct exposition *x = arg;
	bool healthy;

	pthread_mutex_lock(&x->lock);
	healthy = clock_ns(CLOCK_MONOTONIC) - x->updated_ns < HANGS_NS;
	pthread_mutex_unlock(&x->lock);
	return healthy;
}

static char *copy_of(void *arg, enum openmetrics_format format, size_t *len)
{
	struct exposition *x = arg;
	char *copy;

	pthread_mutex_lock(&x->lock);
	*len = x->len[format];
	copy = malloc(*len + 1);
	if (copy)
		memcpy(copy, x->text[format], *len + 1);
	pthread_mutex_unlock(&x->lock);
	return copy;
}

static int start(struct exposition *x)
{
	const struct http_source from = {
		.page = "<!DOCTYPE html><title>limpet watch</title>\n"
			"<p>limpet watch: the verdicts as <a href=\"/metrics\">metrics</a>.\n",
		.version = version_of,
		.text = copy_of,
		.healthy = is_healthy,
		.arg = x,
	};
	char why[WHY_LEN];
	int err = http_start(x->http, &from, why);

	x->started = !err;
	if (err)
		fail("%s", why);
	return err;
}

int exposition_update(struct exposition *x, const struct exposed *e)
{
	char *text[FORMATS] = {0};
	size_t len[FORMATS];
	int err = 0;

	for (int f = 0; f < FORMATS; f++) {
		text[f] = exposition_text(e, (enum openmetrics_format)f, &len[f]);
		err = text[f] ? err : -ENOMEM;
	}
	pthread_mutex_lock(&x->lock);
	for (int f = 0; f < FORMATS && !err; f++) {
		char *old = x->text[f];

		x->text[f] = text[f];
		x->len[f] = len[f];
		text[f] = old;
	}
	x->version += !err;
	x->updated_ns = clock_ns(CLOCK_MONOTONIC);
	pthread_mutex_unlock(&x->lock);
	for (int f = 0; f < FORMATS; f++)
		free(text[f]);
	if (err)
		fail("out of memory");
	return err || x->started ? err : start(x);
}
