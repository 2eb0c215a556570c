// SPDX-License-Identifier: BSD-2-Clause
/* Counters that a Prometheus scraped, as a table (prometheus.h). */
#include "prometheus.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"
#include "prometheus_url.h"
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
	ANSWER_SMALL = 1 << 20,
};
/* So much time is asked for at first; half of it where that is too much, twice as much after an answer that was small. */
#define PIECE_FIRST_NS NS_PER_HOUR
#define PIECE_LEAST_NS (60 * NS_PER_S)
#define PIECE_MOST_NS  (7 * NS_PER_DAY)

struct prometheus {
	struct table *t;
	const struct table_opts *o;
	const char *source;
	bool closed;	/* the connection is of no use any more */
	char *name;	/* a copy, where it is kept */
	struct lines l; /* for messages: of no line */
	struct fetch *fetch;
	struct prometheus_url url;
	int64_t from_ns, to_ns, piece_ns; /* what is asked for; so much at a time */
	int64_t asked_ns;		  /* all before is there; 0: nothing is */
	int64_t first_ns;		  /* what is wanted begins there */
	int exporter;			  /* of which all is, once anything is there */
	struct names targets, instances;  /* as the labels say them; instance 0 is "" */
	struct counter_series *series;
	size_t n_series, n_answers, n_scrapes;
	struct map by_key; /* of series */
};

static int __attribute__((format(printf, 2, 3)))
bad(const struct prometheus *p, const char *fmt, ...)
{
	char message[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	return fail("cannot read '%s': %s", p->source, message);
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
	const char *instance = p->instances.at[s->instance];
	json_t *v;

	json_object_foreach(labels, key, v) {
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
		      const struct asked_span *of, double weight, int64_t *before_ns)
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
	if (x.time_ns < *before_ns)
		return bad(p, "it answered with times that are not in order");
	if (x.time_ns == *before_ns) /* written twice */
		return 0;
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
		err = label_name(p, labels, of->instance, "a disk", &p->instances,
				 TABLE_INSTANCE_MAX, &instance);
	if (err && err != -ENOENT)
		return err;
	*s = series_get(p, row, target, instance);
	return *s ? 0 : -ENOMEM;
}

static int add_series(struct prometheus *p, enum counter row, json_t *one,
		      const struct asked_span *of)
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
	err = err ?: find_series(p, row, labels, &s);
	if (err)
		return err;
	had = s->n;
	json_array_foreach(values, i, pair) {
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
	if (s->answer != p->n_answers) {
		s->first_ns = first_ns;
		s->last_ns = last_ns;
	}
	s->answer = p->n_answers;
	s->first_ns = first_ns < s->first_ns ? first_ns : s->first_ns;
	s->last_ns = last_ns > s->last_ns ? last_ns : s->last_ns;
	s->labels = labels;
	return 0;
}

/* What the server said instead of an answer. */
static int refused(struct prometheus *p, long status, json_t *root)
{
	const char *error = json_string_value(json_object_get(root, "error"));

	if (status == 401 || status == 403) {
		p->closed = true; /* the token may be another one the next time */
		return bad(p, "it refuses (status %ld)%s", status,
			   p->o->token_file ? "" : ": it wants a token, --token-file FILE");
	}
	if (status >= 300 && status < 400)
		return bad(p, "it redirects (status %ld): give the address it redirects to",
			   status);
	if (error)
		return bad(p, "it says: %.300s", error);
	if (status >= 500)
		return bad(p, "it is not ready (status %ld)", status);
	return bad(p,
		   "it answers, but not as a Prometheus does (status %ld of /api/v1/query): is the "
		   "path in front of /api missing?",
		   status);
}

/* Prometheus refuses what is too much for it with 422, and 503 when it takes too long; a proxy gives up with 504. */
static bool is_too_much(long status)
{
	return status == 422 || status == 503 || status == 504;
}

static int take_answer(struct prometheus *p, enum counter row, json_t *root,
		       const struct asked_span *of)
{
	json_t *data = json_object_get(root, "data"), *result = json_object_get(data, "result");
	json_t *warnings = json_object_get(root, "warnings"), *one;
	const char *type = json_string_value(json_object_get(data, "resultType"));
	size_t i;
	int err = 0;

	if (!type || strcmp(type, "matrix") != 0 || !json_is_array(result))
		return bad(p, "it answered with something else than series ('%.40s')",
			   type ? type : "");
	if (json_is_true(json_object_get(root, "isPartial")))
		return bad(p,
			   "its answer has a part of the data only: a store of it does not answer");
	p->n_answers++;
	json_array_foreach(warnings, i, one) {
		if (json_is_string(one) && !err)
			err = table_note(p->t, "'%s' warns: %.200s", p->source,
					 json_string_value(one));
	}
	json_array_foreach(result, i, one)
		err = err ?: add_series(p, row, one, of);
	for (i = 0; i < p->n_series; i++)
		p->series[i].labels = NULL; /* they go with the answer */
	return err;
}

/* One counter in [from, to]. -EAGAIN: ask for less. */
static int ask(struct prometheus *p, enum counter row, const struct asked_span *of)
{
	struct text url TEXT_SCOPED = {0};
	char why[WHY_LEN] = "", json_why[JSON_WHY_LEN];
	bool least = of->to_ns - of->from_ns <= PIECE_LEAST_NS;
	struct stat st = {0};
	json_t *root = NULL;
	long status = 0;
	int fd, err = prometheus_query(&p->url, row, of, &url);

	if (err)
		return err;
	fd = fetch_get(p->fetch, text_of(&url), ANSWER_MAX, &status, why);
	if ((fd == -E2BIG || fd == -ETIMEDOUT) && !least)
		return -EAGAIN;
	if (fd < 0 && p->o->stop && *p->o->stop)
		return -ECANCELED;
	if (fd == -ENOMEM)
		return fd;
	if (fd < 0)
		return bad(p, "%s", why);
	if (!fstat(fd, &st) && st.st_size < ANSWER_SMALL && p->piece_ns < PIECE_MOST_NS)
		p->piece_ns *= 2;
	root = json_bounded_read(fd, ANSWER_MAX, &err, json_why);
	close(fd);
	if (err == -ENOMEM && !root)
		return err;
	if (is_too_much(status) && !least)
		err = -EAGAIN;
	else if (status != 200 || !root || json_object_get(root, "error"))
		err = refused(p, status, root);
	else
		err = take_answer(p, row, root, of);
	json_decref(root);
	return err;
}

/* A counter, in pieces that the server and we can bear. */
static int ask_counter(struct prometheus *p, enum counter row)
{
	struct asked_span of = {.from_ns = p->from_ns};
	int err = 0;

	while (of.from_ns < p->to_ns && !err) {
		of.to_ns =
			p->to_ns - of.from_ns > p->piece_ns ? of.from_ns + p->piece_ns : p->to_ns;
		err = ask(p, row, &of);
		if (err == -EAGAIN) {
			p->piece_ns = (of.to_ns - of.from_ns) / 2 > PIECE_LEAST_NS
					      ? (of.to_ns - of.from_ns) / 2
					      : PIECE_LEAST_NS;
			err = 0;
		} else {
			of.from_ns = of.to_ns;
		}
	}
	return err;
}

static int ask_all(struct prometheus *p)
{
	int err = 0, last = p->n_scrapes ? p->exporter : EXPORTERS - 1;

	p->piece_ns = PIECE_FIRST_NS;
	p->exporter = p->n_scrapes ? p->exporter : 0;
	for (;; p->exporter++) {
		for (int row = 0; row < COUNTERS && !err; row++)
			if ((int)prometheus_counters[row].of->exporter == p->exporter)
				err = ask_counter(p, (enum counter)row);
		if (err || p->n_scrapes || p->exporter == last)
			return err;
	}
}

/* ---- series into the table ----------------------------------------------------------------------- */

COMPARISON(by_time, struct scrape, ORDER(a->time_ns, b->time_ns))

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

static void order_all(struct prometheus *p)
{
	for (size_t i = 0; i < p->n_series; i++)
		series_order(&p->series[i]);
}

/* "io3:9100" without the port; an address of IPv6 with one is in brackets. */
size_t prometheus_host_len(const char *target)
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
		if (p->series[i].n)
			seen[p->series[i].target] |= 1ULL << p->series[i].counter;
	for (size_t i = 0, had; i < p->targets.n && !err && !ports; i++) {
		const char *name = p->targets.at[i];
		int64_t at;

		had = hosts_of.n;
		at = names_add_n(&hosts_of, name, prometheus_host_len(name));
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
		size_t len = ports ? strlen(name) : prometheus_host_len(name);
		int64_t at;

		if (len >= HOST_LEN)
			err = bad(p,
				  "the server's name '%.80s' is longer than %d bytes: leave it out "
				  "with '?instance!=NAME', or take another label with --node",
				  name, HOST_LEN - 1);
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
	uint32_t *instance = calloc(p->instances.n + 1, sizeof(*instance));
	int err = node && instance ? name_nodes(p, node) : -ENOMEM;

	for (size_t i = 0; i < p->instances.n && !err; i++) {
		int64_t at = names_add(&p->t->instances, p->instances.at[i]);

		err = at < 0 ? -ENOMEM : 0;
		instance[i] = (uint32_t)at;
	}
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
				      ?: make_values(
						 p, s, c,
						 (struct sample){.node = node[s->target],
								 .instance = instance[s->instance],
								 .metric = NO_METRIC,
								 .bytes = __builtin_nanf("")});
		}
	}
	free(node);
	free(instance);
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
	if (p->from_ns >= p->to_ns)
		return bad(p, "there is no time from %s on", output_time(p->from_ns, from));
	p->first_ns = p->from_ns;
	if (p->asked_ns - PROMETHEUS_AGAIN_NS > p->from_ns)
		p->from_ns = p->asked_ns - PROMETHEUS_AGAIN_NS;
	return 0;
}

/* Of what is kept: what is not wanted any more, and what is asked for again. */
static void drop_scrapes(struct prometheus *p)
{
	p->n_scrapes = 0;
	for (size_t i = 0; i < p->n_series; i++) {
		struct counter_series *s = &p->series[i];
		size_t from = search_first(k, s->n, s->at[k].time_ns < p->first_ns);
		size_t to = search_first(k, s->n, s->at[k].time_ns < p->from_ns);

		s->n = to - from;
		if (s->n && from)
			memmove(s->at, s->at + from, s->n * sizeof(*s->at));
		p->n_scrapes += s->n;
	}
}

static int open_fetch(struct prometheus *p)
{
	char why[WHY_LEN];

	p->fetch = fetch_new(&(struct fetch_opts){.token_file = p->o->token_file,
						  .ca_file = p->o->ca_file,
						  .stop = p->o->stop},
			     why);
	return p->fetch ? 0 : bad(p, "%s", why);
}

static int no_series(const struct prometheus *p)
{
	char from[TIME_TEXT_LEN], to[TIME_TEXT_LEN];

	bad(p,
	    "between %s and %s it has none of the counters of node_exporter, Ceph or Lustre (%s "
	    "…)%s",
	    output_time(p->first_ns, from), output_time(p->to_ns, to),
	    prometheus_counters[READS].name, p->url.n ? " with these labels" : "");
	return -ENODATA;
}

static int64_t newest_scrape(const struct prometheus *p)
{
	int64_t newest_ns = p->first_ns;

	for (size_t i = 0; i < p->n_series; i++) {
		const struct counter_series *s = &p->series[i];

		if (s->n && s->at[s->n - 1].time_ns > newest_ns)
			newest_ns = s->at[s->n - 1].time_ns;
	}
	return newest_ns;
}

static int note_old(struct prometheus *p)
{
	char newest[TIME_TEXT_LEN];

	return table_note(
		p->t,
		"'%s' has nothing newer than %s, %lld min before the end of what was asked for",
		p->source, output_time(p->asked_ns, newest),
		(long long)((p->to_ns - p->asked_ns) / (60 * NS_PER_S)));
}

static void close_prometheus(struct prometheus *p)
{
	prometheus_url_release(&p->url);
	free(p->name);
	for (size_t i = 0; i < p->n_series; i++)
		free(p->series[i].at);
	free(p->series);
	map_release(&p->by_key);
	names_release(&p->targets);
	names_release(&p->instances);
	fetch_free(p->fetch);
}

static int read_prometheus(struct prometheus *p)
{
	char why[PROMETHEUS_WHY_LEN];
	int err = p->url.base ? 0 : prometheus_url_parse(&p->url, p->source, why);

	if (err)
		prometheus_url_release(&p->url);
	if (err == -EINVAL)
		bad(p, "%s", why);
	err = err ?: choose_times(p);
	if (!err)
		drop_scrapes(p);
	if (!err && !p->fetch)
		err = open_fetch(p);
	if (!err && !p->instances.n && names_add(&p->instances, "") < 0)
		err = -ENOMEM;
	err = err ?: ask_all(p);
	order_all(p); /* also what an error left */
	if (!err && !p->n_scrapes)
		err = no_series(p);
	err = err ?: table_kind(p->t, &p->l, false) ?: make_table(p);
	if (err)
		return err;
	p->asked_ns = newest_scrape(p);
	if (p->to_ns - p->asked_ns > PROMETHEUS_STALE_NS)
		err = note_old(p);
	p->t->merge = true;
	p->t->lines += p->n_scrapes;
	return err;
}

/* ---- again and again ------------------------------------------------------------------------------- */

struct prometheus_kept {
	struct prometheus *at;
	size_t n;
};

struct prometheus_kept *prometheus_keep(void)
{
	return calloc(1, sizeof(struct prometheus_kept));
}

void prometheus_forget(struct prometheus_kept *k)
{
	for (size_t i = 0; k && i < k->n; i++)
		close_prometheus(&k->at[i]);
	if (k)
		free(k->at);
	free(k);
}

/* The one of that source, which is new the first time; NULL: out of memory. */
static struct prometheus *kept_of(struct prometheus_kept *k, const char *source)
{
	struct prometheus *p;
	char *name;

	for (size_t i = 0; i < k->n; i++)
		if (!strcmp(k->at[i].name, source))
			return &k->at[i];
	name = strdup(source);
	p = name ? array_add(&k->at, &k->n) : NULL;
	if (p)
		*p = (struct prometheus){.name = name};
	else
		free(name);
	return p;
}

int prometheus_read(struct table *t, const char *source, const struct table_opts *o)
{
	struct prometheus once = {0}, *p = o->kept ? kept_of(o->kept, source) : &once;
	int err;

	if (!p)
		return -ENOMEM;
	p->t = t;
	p->o = o;
	p->source = source;
	p->l = (struct lines){.name = source};
	err = read_prometheus(p);
	if (p->closed) {
		fetch_free(p->fetch);
		p->fetch = NULL;
		p->closed = false;
	}
	close_prometheus(&once);
	return err;
}
