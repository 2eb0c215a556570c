// SPDX-License-Identifier: BSD-2-Clause
/* Counters that a Prometheus scraped, as a table (prometheus.h). */
#include "prometheus.h"

#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"
#include "prometheus_counters.h"
#include "userspace/common/array.h"
#include "userspace/fetch/fetch.h"
#include "userspace/common/json_bounded.h"
#include "userspace/common/map.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"

/* ---- state --------------------------------------------------------------------------------------- */

struct scrape {
	int64_t time_ns;
	double value;
};

/* One counter of one server and instance. */
struct counter_series {
	uint32_t target, instance;
	enum counter counter;
	struct scrape *at; /* in order of time, once each, after series_order() */
	size_t n;
	/* What the answer that is read now gave, by series of its own: no two may be of one time. */
	size_t answer;
	int64_t first_ns, last_ns;
	json_t *labels; /* of the one that gave them; until the answer ends */
};

enum {
	ANSWER_MAX = 32 << 20, /* bytes; one of a typical hour of 1,000 servers has 8 MB */
	MATCHERS_MAX = 16,
	LABEL_VALUE_MAX = 1024,
};
#define CHUNK_MOST_NS  NS_PER_HOUR
#define CHUNK_LEAST_NS (60 * NS_PER_S)

struct matcher {
	char *label, *value;
	const char *op;
};

struct prometheus {
	struct table *t;
	const struct table_opts *o;
	const char *source;
	struct lines l; /* for messages: of no line */
	struct fetch *fetch;
	char *base; /* http://HOST:PORT/PATH */
	struct matcher matcher[MATCHERS_MAX];
	size_t n_matchers;
	int64_t from_ns, to_ns, piece_ns;
	struct names targets; /* as the label says them */
	struct counter_series *series;
	size_t n_series, n_answers, n_scrapes;
	struct map by_key; /* of series */
};

/* One piece of time that is asked for: of all but the first, without its beginning. */
struct piece {
	int64_t from_ns, to_ns;
};

static int bad(const struct prometheus *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int bad(const struct prometheus *p, const char *fmt, ...)
{
	char message[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	fail("cannot read '%s': %s", p->source, message);
	return -EINVAL;
}

/* ---- the URL ------------------------------------------------------------------------------------- */

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
	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++)
		if (!strncmp(source, schemes[i].name, strlen(schemes[i].name)))
			return &schemes[i];
	return NULL;
}

bool prometheus_is(const char *source)
{
	return scheme_of(source) != NULL;
}

static bool is_label(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalpha((unsigned char)s[i]) && s[i] != '_' &&
		    (!i || !isdigit((unsigned char)s[i])))
			return false;
	return len > 0;
}

/* "job=oss", "host=~io.*": percent-encoded or as they are. */
static int add_matcher(struct prometheus *p, const char *at, size_t len)
{
	static const char *const ops[] = {"!=", "!~", "=~", "="};
	struct matcher *m = &p->matcher[p->n_matchers];
	size_t name = strcspn(at, "=!"), value, i = 0;

	if (p->n_matchers == MATCHERS_MAX)
		return bad(p, "more than %d labels", MATCHERS_MAX);
	name = name < len ? name : len;
	while (i < sizeof(ops) / sizeof(*ops) && strncmp(at + name, ops[i], strlen(ops[i])))
		i++;
	if (!is_label(at, name) || i == sizeof(ops) / sizeof(*ops))
		return bad(p,
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
	p->n_matchers++;
	return m->label && m->value ? 0 : -ENOMEM;
}

static bool chooses(const struct prometheus *p, const char *label)
{
	for (size_t i = 0; i < p->n_matchers; i++)
		if (!strcmp(p->matcher[i].label, label))
			return true;
	return false;
}

static int parse_url(struct prometheus *p)
{
	const struct scheme *s = scheme_of(p->source);
	const char *rest = p->source + strlen(s->name);
	size_t host = strcspn(rest, "/?#"), path = strcspn(rest, "?#");
	int err = 0;

	if (!host)
		return bad(p, "it names no host: prometheus://HOST:9090");
	if (memchr(rest, '@', host))
		return bad(p, "a password does not belong into a command: --token-file FILE, or "
			      "~/.netrc");
	while (path > host && rest[path - 1] == '/')
		path--;
	if (asprintf(&p->base, "%s%.*s", s->http, (int)path, rest) < 0) {
		p->base = NULL;
		return -ENOMEM;
	}
	rest += strcspn(rest, "?#");
	if (*rest == '#')
		return bad(p, "'%.60s' is no part of a source", rest);
	while (*rest && !err) {
		size_t len = strcspn(++rest, "&");

		err = len ? add_matcher(p, rest, len) : 0;
		rest += len;
	}
	return err;
}

/* ---- a query ------------------------------------------------------------------------------------- */

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

/* METRIC{…}[RANGE], and the end of it as the time. */
static int make_url(const struct prometheus *p, enum counter row, const struct piece *of,
		    struct text *url)
{
	const struct counter_row *c = &prometheus_counters[row];
	struct text q TEXT_SCOPED = {0};
	bool any = false;
	char *escaped;

	text_put(&q, c->name);
	for (size_t i = 0; i < p->n_matchers; i++)
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

/* ---- an answer ----------------------------------------------------------------------------------- */

static struct counter_series *series_get(struct prometheus *p, enum counter row, uint32_t target,
					 uint32_t instance)
{
	const uint32_t key[] = {row, target, instance};
	uint64_t hash = map_hash((const char *)key, sizeof(key));
	size_t at = map_find(i, &p->by_key, hash,
			     p->series[i].counter == row && p->series[i].target == target &&
				     p->series[i].instance == instance);
	struct counter_series *new;

	if (at != MAP_NONE)
		return &p->series[at];
	new = map_append(&p->by_key, hash, array_add(&p->series, &p->n_series), &p->n_series);
	if (new)
		*new = (struct counter_series){
			.target = target, .instance = instance, .counter = row};
	return new;
}

/* The first label that two series of one server and instance differ in. */
static int not_told_apart(const struct prometheus *p, const struct counter_series *s,
			  json_t *labels)
{
	const char *target = p->targets.at[s->target], *key;
	const char *instance = p->t->instances.at[s->instance];
	json_t *v;

	json_object_foreach(labels, key, v)
	{
		const char *other = json_string_value(json_object_get(s->labels, key));
		const char *mine = json_string_value(v);

		if (mine && other && strcmp(mine, other) != 0)
			return bad(p,
				   "'%s' has two series of %s%s%s at one time, whose label '%s' is "
				   "'%.60s' and '%.60s': choose one with '?%s=%.60s', or another "
				   "label for the server with --node",
				   target, prometheus_counters[s->counter].name,
				   *instance ? " and " : "", instance, key, other, mine, key,
				   other);
	}
	return bad(p, "'%s' has two series of %s%s%s at one time", target,
		   prometheus_counters[s->counter].name, *instance ? " and " : "", instance);
}

static int add_scrape(struct prometheus *p, struct counter_series *s, const json_t *pair,
		      const struct piece *of, double weight, int64_t *before_ns)
{
	const char *text = json_string_value(json_array_get(pair, 1));
	const json_t *time = json_array_get(pair, 0);
	double at_s = json_number_value(time);
	struct scrape x;

	if (!text || !json_is_number(time) || json_array_size(pair) != 2)
		return bad(p, "it answered with a value that is not [TIME, \"VALUE\"]");
	x.time_ns = fabs(at_s) < 9e9 ? llround(at_s * 1e3) * NS_PER_MS : 0;
	if (x.time_ns < of->from_ns || x.time_ns > of->to_ns)
		return bad(p, "it answered with a time that was not asked for (%.3f)", at_s);
	if (x.time_ns <= *before_ns)
		return bad(p, "it answered with times that are not in order");
	*before_ns = x.time_ns;
	if (x.time_ns == of->from_ns && x.time_ns > p->from_ns)
		return 0;
	switch (number_parse(text, strlen(text), &x.value)) {
	case NUMBER_TEXT: return bad(p, "it answered with '%.40s', which is no number", text);
	case NUMBER_MISSING: return 0; /* NaN marks where a series ended */
	case NUMBER_VALUE: break;
	}
	if (!isfinite(x.value)) {
		p->t->damaged++;
		return 0;
	}
	if (++p->n_scrapes > TABLE_SAMPLES_MAX) {
		bad(p, "more than %zu values: choose series with '?LABEL=VALUE', or less time",
		    TABLE_SAMPLES_MAX);
		return -E2BIG;
	}
	x.value *= weight;
	return array_put(&s->at, &s->n, x);
}

/* A label as a name of `names`; -ENOENT: the series has none. */
static int label_name(struct prometheus *p, json_t *labels, const char *label, const char *what,
		      struct names *names, size_t max, uint32_t *number)
{
	const char *value = json_string_value(json_object_get(labels, label));
	size_t len = value ? strlen(value) : 0;
	const char *wrong = name_check(value ? value : "", len, max);
	int64_t at;

	if (!len)
		return -ENOENT;
	if (wrong)
		return bad(p, "the name of %s in the label '%s' %s", what, label, wrong);
	at = names_add(names, value);
	if (at < 0 && errno == E2BIG)
		return bad(p, "more than %d names in the label '%s'", TABLE_NAMES_MAX, label);
	*number = (uint32_t)at;
	return at < 0 ? -ENOMEM : 0;
}

/* The bound of a histogram's bucket, which is what its requests count. */
static int bound_of(struct prometheus *p, json_t *labels, const char *label, double *bound)
{
	const char *value = json_string_value(json_object_get(labels, label));

	if (value && number_parse(value, strlen(value), bound) == NUMBER_VALUE && *bound > 0 &&
	    isfinite(*bound))
		return 0;
	return bad(p, "a bucket whose label '%s' is '%.40s', which is no bound", label,
		   value ? value : "");
}

/* Whose the series is; server and instance may be one label. */
static int find_series(struct prometheus *p, enum counter row, json_t *labels,
		       struct counter_series **s)
{
	const struct counter_kind *of = prometheus_counters[row].of;
	const char *server = p->o->node ? p->o->node : of->server;
	uint32_t target = 0, instance = 0;
	int err = label_name(p, labels, server, "a server", &p->targets, HOST_LEN + 6, &target);

	if (err == -ENOENT)
		return bad(p, "a series of %s has no label '%s'", prometheus_counters[row].name,
			   server);
	if (!err && of->instance && strcmp(of->instance, server) != 0)
		err = label_name(p, labels, of->instance, "a disk", &p->t->instances,
				 TABLE_INSTANCE_MAX, &instance);
	if (err && err != -ENOENT)
		return err;
	*s = series_get(p, row, target, instance);
	return *s ? 0 : -ENOMEM;
}

static int add_series(struct prometheus *p, enum counter row, json_t *one, const struct piece *of)
{
	const struct counter_row *c = &prometheus_counters[row];
	json_t *labels = json_object_get(one, "metric"), *values = json_object_get(one, "values");
	int64_t first_ns, last_ns = INT64_MIN;
	struct counter_series *s = NULL;
	double weight = 1;
	size_t had, i;
	json_t *pair;
	int err = 0;

	if (!json_is_object(labels) || !json_is_array(values))
		return bad(p, "it answered with a series that has no labels or no values");
	if (c->by_bound)
		err = bound_of(p, labels, c->of->bucket, &weight);
	if (!err)
		err = find_series(p, row, labels, &s);
	if (err)
		return err;
	had = s->n;
	json_array_foreach(values, i, pair)
	{
		err = add_scrape(p, s, pair, of, weight, &last_ns);
		if (err)
			return err;
	}
	if (s->n == had || c->of->bucket)
		return 0;
	first_ns = s->at[had].time_ns;
	last_ns = s->at[s->n - 1].time_ns;
	if (s->answer == p->n_answers && first_ns <= s->last_ns && s->first_ns <= last_ns)
		return not_told_apart(p, s, labels);
	if (s->answer != p->n_answers)
		s->first_ns = first_ns;
	s->answer = p->n_answers;
	s->first_ns = first_ns < s->first_ns ? first_ns : s->first_ns;
	s->last_ns = last_ns;
	s->labels = labels;
	return 0;
}

/* What the server said instead of an answer. */
static int refused(struct prometheus *p, long status, json_t *root)
{
	const char *error = json_string_value(json_object_get(root, "error"));

	if (status == 401 || status == 403)
		return bad(p, "it refuses (status %ld)%s", status,
			   p->o->token_file ? "" : ": it wants a token, --token-file FILE");
	if (status >= 300 && status < 400)
		return bad(p, "it sends us elsewhere (status %ld): name that address", status);
	if (error)
		return bad(p, "it says: %.300s", error);
	return bad(p,
		   "it answers, but not as a Prometheus does (status %ld of /api/v1/query): is the "
		   "path in front of /api missing?",
		   status);
}

/* Prometheus refuses what is too much for it with 422, and 503 when it takes too long. */
static bool is_too_much(long status)
{
	return status == 422 || status == 503;
}

static int take_answer(struct prometheus *p, enum counter row, json_t *root, const struct piece *of)
{
	json_t *data = json_object_get(root, "data"), *result = json_object_get(data, "result");
	json_t *warnings = json_object_get(root, "warnings"), *one;
	const char *type = json_string_value(json_object_get(data, "resultType"));
	size_t i;
	int err = 0;

	if (!type || strcmp(type, "matrix") != 0 || !json_is_array(result))
		return bad(p, "it answered with something else than series ('%.40s')",
			   type ? type : "");
	p->n_answers++;
	json_array_foreach(warnings, i, one) if (json_is_string(one) && !err) err =
		table_note(p->t, "'%s' warns: %.200s", p->source, json_string_value(one));
	json_array_foreach(result, i, one)
	{
		err = err ?: add_series(p, row, one, of);
	}
	for (i = 0; i < p->n_series; i++)
		p->series[i].labels = NULL; /* they go with the answer */
	return err;
}

/* One counter in [from, to]. -EAGAIN: ask for less. */
static int ask(struct prometheus *p, enum counter row, const struct piece *of)
{
	struct text url TEXT_SCOPED = {0};
	char why[WHY_LEN] = "", json_why[JSON_WHY_LEN];
	bool least = of->to_ns - of->from_ns <= CHUNK_LEAST_NS;
	json_t *root = NULL;
	long status = 0;
	int fd, err = make_url(p, row, of, &url);

	if (err)
		return err;
	fd = fetch_get(p->fetch, text_of(&url), ANSWER_MAX, &status, why);
	if (fd == -E2BIG && !least)
		return -EAGAIN;
	if (fd == -ENOMEM)
		return fd;
	if (fd < 0)
		return bad(p, "%s", why);
	root = json_bounded_read(fd, ANSWER_MAX, &err, json_why);
	close(fd);
	if (err == -ENOMEM && !root)
		return err;
	if (is_too_much(status) && !least)
		err = -EAGAIN;
	else if (status != 200 || !root)
		err = refused(p, status, root);
	else
		err = take_answer(p, row, root, of);
	json_decref(root);
	return err;
}

/* A counter, in pieces that the server and we can bear. */
static int ask_counter(struct prometheus *p, enum counter row)
{
	struct piece of = {.from_ns = p->from_ns};
	int err = 0;

	while (of.from_ns < p->to_ns && !err) {
		of.to_ns =
			p->to_ns - of.from_ns > p->piece_ns ? of.from_ns + p->piece_ns : p->to_ns;
		err = ask(p, row, &of);
		if (err == -EAGAIN) {
			p->piece_ns = (of.to_ns - of.from_ns) / 2 > CHUNK_LEAST_NS
					      ? (of.to_ns - of.from_ns) / 2
					      : CHUNK_LEAST_NS;
			err = 0;
		} else {
			of.from_ns = of.to_ns;
		}
	}
	return err;
}

static int ask_all(struct prometheus *p)
{
	int err = 0;

	p->piece_ns = CHUNK_MOST_NS;
	for (int exporter = 0; exporter < EXPORTERS && !p->n_scrapes; exporter++)
		for (int row = 0; row < COUNTERS && !err; row++)
			if ((int)prometheus_counters[row].exporter == exporter)
				err = ask_counter(p, (enum counter)row);
	return err;
}

/* ---- series into the table ----------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	return ORDER(((const struct scrape *)a)->time_ns, ((const struct scrape *)b)->time_ns);
}

/* In order of time; what a scrape says of several series, which are buckets, together. */
static void series_order(struct counter_series *s)
{
	size_t n = 0;

	sort(s->at, s->n, by_time);
	for (size_t i = 0; i < s->n; i++)
		if (n && s->at[i].time_ns == s->at[n - 1].time_ns)
			s->at[n - 1].value += s->at[i].value;
		else
			s->at[n++] = s->at[i];
	s->n = n;
}

/* "io3:9100" without the port; an address of IPv6 with one is in brackets. */
static size_t without_port(const char *target)
{
	const char *colon = strrchr(target, ':');

	if (!colon || colon == target || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])
		return strlen(target);
	if (memchr(target, ':', (size_t)(colon - target)) && colon[-1] != ']')
		return strlen(target);
	return (size_t)(colon - target);
}

/* The table's node of each target: with ports where two targets would be one and have the same counter. */
static int name_nodes(struct prometheus *p, uint32_t *node)
{
	uint64_t *seen = calloc(p->targets.n + 1, sizeof(*seen)); /* counters, a bit each */
	struct names hosts_of = {0};
	bool ports = p->o->node && strcmp(p->o->node, "instance") != 0;
	int err = seen ? 0 : -ENOMEM;

	_Static_assert(COUNTERS <= 64, "a bit each");
	for (size_t i = 0; i < p->n_series && !err; i++)
		seen[p->series[i].target] |= 1ULL << p->series[i].counter;
	for (size_t i = 0, had; i < p->targets.n && !err && !ports; i++) {
		const char *name = p->targets.at[i];
		int64_t at;

		had = hosts_of.n;
		at = names_add_n(&hosts_of, name, without_port(name));
		if (at < 0)
			err = -ENOMEM;
		else if ((size_t)at == had)
			node[at] = seen[i];
		else if (node[at] & seen[i])
			ports = true;
		else
			node[at] |= seen[i];
	}
	for (size_t i = 0; i < p->targets.n && !err; i++) {
		const char *name = p->targets.at[i];
		size_t len = ports ? strlen(name) : without_port(name);
		int64_t at;

		if (len >= HOST_LEN)
			err = bad(p, "the name of a server is longer than %d bytes", HOST_LEN - 1);
		at = err ? 0 : names_add_n(&p->t->nodes, name, len);
		if (at < 0)
			err = -ENOMEM;
		node[i] = (uint32_t)at;
	}
	names_release(&hosts_of);
	free(seen);
	return err;
}

/* The last value at that time or before; NULL: that scrape lacks it. Scrapes are asked for in order of time. */
static const struct scrape *scrape_at(const struct counter_series *s, size_t *at, int64_t time_ns)
{
	while (*at < s->n && s->at[*at].time_ns < time_ns)
		++*at;
	return *at < s->n && s->at[*at].time_ns == time_ns ? &s->at[*at] : NULL;
}

/* A column that has no value anywhere is none. */
#define NO_METRIC UINT32_MAX

static int make_values(struct prometheus *p, const struct counter_series *s,
		       const struct prometheus_column *row, struct sample sample)
{
	const struct counter_series *by = NULL;
	size_t at = 0;
	int err = 0;

	if (row->by != COUNTERS) {
		const uint32_t key[] = {row->by, s->target, s->instance};
		size_t found = map_find(i, &p->by_key, map_hash((const char *)key, sizeof(key)),
					p->series[i].counter == row->by &&
						p->series[i].target == s->target &&
						p->series[i].instance == s->instance);

		if (found == MAP_NONE)
			return 0;
		by = &p->series[found];
	}
	for (size_t i = 1; i < s->n && !err; i++) {
		const struct scrape *a = &s->at[i - 1], *b = &s->at[i];
		double grown = s_of_ns(b->time_ns - a->time_ns);

		if (b->time_ns - a->time_ns > PROMETHEUS_STALE_NS)
			continue;
		if (b->value < a->value) {
			p->t->resets += !by; /* once a counter */
			continue;
		}
		if (by) {
			const struct scrape *before = scrape_at(by, &at, a->time_ns);
			const struct scrape *now = before ? scrape_at(by, &at, b->time_ns) : NULL;

			/* of nothing there is no mean */
			if (!now || now->value <= before->value)
				continue;
			grown = now->value - before->value;
		}
		if (sample.metric == NO_METRIC) {
			int64_t metric = names_add(&p->t->metrics, row->name);

			if (metric < 0)
				return -ENOMEM;
			sample.metric = (uint32_t)metric;
		}
		sample.time_ns = b->time_ns;
		sample.value = (b->value - a->value) / grown * row->factor;
		err = table_value(p->t, &p->l, &sample, NUMBER_VALUE);
	}
	return err;
}

static int make_table(struct prometheus *p)
{
	uint32_t *node = calloc(p->targets.n + 1, sizeof(*node));
	int err = node ? name_nodes(p, node) : -ENOMEM;

	for (size_t i = 0; i < p->n_series && !err; i++)
		series_order(&p->series[i]);
	for (const struct prometheus_column *c = prometheus_columns; c->name && !err; c++) {
		if (!table_wanted(p->o, c->name))
			continue;
		for (size_t i = 0; i < p->n_series && !err; i++) {
			const struct counter_series *s = &p->series[i];

			if (s->counter != c->of)
				continue;
			if (s->n)
				err = table_hear(p->t, p->o, node[s->target],
						 s->at[s->n - 1].time_ns);
			err = err
				      ?: make_values(p, s, c,
						     (struct sample){.node = node[s->target],
								     .instance = s->instance,
								     .metric = NO_METRIC,
								     .bytes = __builtin_nanf("")});
		}
	}
	free(node);
	return err;
}

/* ---- all of it ----------------------------------------------------------------------------------- */

static int choose_times(struct prometheus *p)
{
	int64_t now_ns = clock_ns(CLOCK_REALTIME);
	char from[TIME_TEXT_LEN];

	p->to_ns = p->o->to_ns > 0 && p->o->to_ns < now_ns ? p->o->to_ns : now_ns;
	p->from_ns = p->o->from_ns > 0 ? p->o->from_ns : p->to_ns - PROMETHEUS_DEFAULT_NS;
	/* whole milliseconds, as Prometheus counts */
	p->to_ns -= p->to_ns % NS_PER_MS;
	p->from_ns -= p->from_ns % NS_PER_MS;
	if (p->from_ns < p->to_ns)
		return 0;
	return bad(p, "there is no time from %s on", output_time(p->from_ns, from));
}

static int open_prometheus(struct prometheus *p)
{
	char why[WHY_LEN];
	int err = parse_url(p);

	if (!err)
		err = choose_times(p);
	if (err)
		return err;
	p->fetch = fetch_new(
		&(struct fetch_opts){.token_file = p->o->token_file, .ca_file = p->o->ca_file},
		why);
	return p->fetch ? 0 : bad(p, "%s", why);
}

static int no_series(const struct prometheus *p)
{
	char from[TIME_TEXT_LEN], to[TIME_TEXT_LEN];

	bad(p,
	    "between %s and %s it has none of the counters of node_exporter, Ceph or Lustre (%s "
	    "…)%s",
	    output_time(p->from_ns, from), output_time(p->to_ns, to),
	    prometheus_counters[READS].name, p->n_matchers ? " with these labels" : "");
	return -ENODATA;
}

static void close_prometheus(struct prometheus *p)
{
	for (size_t i = 0; i < p->n_matchers; i++) {
		free(p->matcher[i].label);
		free(p->matcher[i].value);
	}
	for (size_t i = 0; i < p->n_series; i++)
		free(p->series[i].at);
	free(p->series);
	free(p->base);
	map_release(&p->by_key);
	names_release(&p->targets);
	fetch_free(p->fetch);
}

int prometheus_read(struct table *t, const char *source, const struct table_opts *o)
{
	struct prometheus p = {.t = t, .o = o, .source = source, .l = {.name = source}};
	int err = open_prometheus(&p);

	if (!err && !t->instances.n && names_add(&t->instances, "") < 0)
		err = -ENOMEM;
	if (!err)
		err = ask_all(&p);
	if (!err && !p.n_scrapes)
		err = no_series(&p);
	if (!err)
		err = table_kind(t, &p.l, false);
	if (!err)
		err = make_table(&p);
	if (!err)
		t->merge = true;
	t->lines += p.n_scrapes;
	close_prometheus(&p);
	return err;
}
