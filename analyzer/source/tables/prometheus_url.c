// SPDX-License-Identifier: BSD-2-Clause
/* prometheus_url.h: what the user wrote, and the queries made of it. */
#include "prometheus_url.h"

#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prometheus.h"
#include "userspace/common/sort.h"

static int __attribute__((format(printf, 2, 3)))
bad(char why[PROMETHEUS_WHY_LEN], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, PROMETHEUS_WHY_LEN, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static const struct scheme {
	const char *name, *http;
} schemes[] = {
	{"prometheus://", "http://"},
	{"prometheus+http://", "http://"},
	{"prometheus+https://", "https://"},
	{"http://", "http://"},
	{"https://", "https://"},
};

static const struct scheme *scheme_of(const char *source)
{
	return find_if(i, schemes, sizeof(schemes) / sizeof(*schemes),
		       !strncmp(source, schemes[i].name, strlen(schemes[i].name)));
}

bool prometheus_is(const char *source)
{
	return scheme_of(source) != NULL;
}

static bool is_label(const char *s, size_t len)
{
	return len > 0 && !any_of(i, len,
				  !isalpha((unsigned char)s[i]) && s[i] != '_' &&
					  (!i || !isdigit((unsigned char)s[i])));
}

/* "job=oss", "host=~io.*": percent-encoded or as they are. */
static int add_matcher(struct prometheus_url *p, const char *at, size_t len,
		       char why[PROMETHEUS_WHY_LEN])
{
	static const char *const ops[] = {"!=", "!~", "=~", "="};
	struct matcher *m = &p->matcher[p->n];
	size_t name = strcspn(at, "=!"), value, i;

	if (p->n == PROMETHEUS_LABELS_MAX)
		return bad(why, "more than %d labels", PROMETHEUS_LABELS_MAX);
	name = name < len ? name : len;
	i = index_if(k, sizeof(ops) / sizeof(*ops), !strncmp(at + name, ops[k], strlen(ops[k])));
	if (!is_label(at, name) || i == sizeof(ops) / sizeof(*ops))
		return bad(why,
			   "'%.*s' does not choose series: LABEL=VALUE, LABEL!=VALUE, "
			   "LABEL=~REGEX and LABEL!~REGEX do",
			   (int)len, at);
	value = name + strlen(ops[i]);
	m->op = ops[i];
	m->label = strndup(at, name);
	m->value = NULL;
	if (value <= len) {
		char *unescaped = curl_easy_unescape(NULL, at + value, (int)(len - value), NULL);

		m->value = unescaped ? strdup(unescaped) : NULL;
		curl_free(unescaped);
	}
	p->n++;
	return m->label && m->value ? 0 : -ENOMEM;
}

static bool chooses(const struct prometheus_url *p, const char *label)
{
	return any_of(i, p->n, !strcmp(p->matcher[i].label, label));
}

int prometheus_url_parse(struct prometheus_url *p, const char *source, char why[PROMETHEUS_WHY_LEN])
{
	const struct scheme *s = scheme_of(source);
	const char *rest = source + strlen(s->name);
	size_t host = strcspn(rest, "/?#"), path = strcspn(rest, "?#");
	int err = 0;

	if (!host)
		return bad(why, "it names no host: prometheus://HOST:9090");
	if (memchr(rest, '@', host))
		return bad(why, "a password does not belong into a command: --token-file FILE, or "
				"~/.netrc");
	while (path > host && rest[path - 1] == '/')
		path--;
	if (asprintf(&p->base, "%s%.*s", s->http, (int)path, rest) < 0) {
		p->base = NULL;
		return -ENOMEM;
	}
	rest += strcspn(rest, "?#");
	if (*rest == '#')
		return bad(why, "'%.60s' is no part of a source", rest);
	while (*rest && !err) {
		size_t len = strcspn(++rest, "&");

		err = len ? add_matcher(p, rest, len, why) : 0;
		rest += len;
	}
	return err;
}

static void put_matcher(struct text *q, bool *any, const char *label, const char *op,
			const char *value)
{
	text_add(q, "%s%s%s\"", *any ? "," : "{", label, op);
	for (; *value; value++)
		text_add(q, "%s%c", strchr("\\\"", *value) ? "\\" : "", *value);
	text_put(q, "\"");
	*any = true;
}

static void put_fixed(struct text *q, bool *any, const char *label, const char *rest)
{
	text_add(q, "%s%s%s", *any ? "," : "{", label, rest);
	*any = true;
}

int prometheus_query(const struct prometheus_url *p, enum counter row, const struct asked_span *of,
		     struct text *url)
{
	const struct counter_row *c = &prometheus_counters[row];
	struct text q TEXT_SCOPED = {0};
	bool any = false;
	char *escaped;

	text_put(&q, c->name);
	for (size_t i = 0; i < p->n; i++)
		/* a label of disks is none of interfaces, nor of the host */
		if (strcmp(p->matcher[i].label, "device") != 0 ||
		    (c->of->instance && !c->of->always))
			put_matcher(&q, &any, p->matcher[i].label, p->matcher[i].op,
				    p->matcher[i].value);
	if (c->of->only && (c->of->always || !chooses(p, c->of->instance)))
		put_fixed(&q, &any, c->of->instance, c->of->only);
	if (c->where)
		put_fixed(&q, &any, "", c->where);
	text_add(&q, "%s[%" PRId64 "ms]", any ? "}" : "", (of->to_ns - of->from_ns) / NS_PER_MS);
	escaped = curl_easy_escape(NULL, text_of(&q), (int)q.len);
	if (!escaped || q.failed) {
		curl_free(escaped);
		return -ENOMEM;
	}
	text_add(url, "%s/api/v1/query?query=%s&time=%.3f", p->base, escaped,
		 (double)of->to_ns / NS_PER_S);
	curl_free(escaped);
	return url->failed ? -ENOMEM : 0;
}

void prometheus_url_release(struct prometheus_url *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->matcher[i].label);
		free(p->matcher[i].value);
	}
	free(p->base);
	*p = (struct prometheus_url){0};
}
