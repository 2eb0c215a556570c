// SPDX-License-Identifier: BSD-2-Clause
/*
 * A table with a column for each server, of one metric that is called as the file: what Grafana downloads of a panel, "Series
 * joined by time". Its cells may have units; its columns may be named by labels: {instance="oss1:9100", device="sda"}.
 */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "userspace/metrics/metrics.h"
#include "userspace/common/sort.h"

enum { SERVERS_LEAST = 3 };

/* What Grafana appends to a number, in the units that limpet's metrics have: of each kind the first one. */
static const struct unit {
	const char *name, *kind;
	double times;
} units[] = {
	{"ms", "ms", 1},
	{"ns", "ms", 1e-6},
	{"\xc2\xb5s", "ms", 1e-3}, /* micro sign */
	{"\xce\xbcs", "ms", 1e-3}, /* Greek mu */
	{"us", "ms", 1e-3},
	{"s", "ms", 1e3},
	{"min", "ms", 6e4},
	{"mins", "ms", 6e4},
	{"hour", "ms", 3.6e6},
	{"hours", "ms", 3.6e6},
	{"%", "%", 1},
	{"KiB", "kB", 1},
	{"B", "kB", 1.0 / 1024},
	{"kB", "kB", 1e3 / 1024},
	{"MB", "kB", 1e6 / 1024},
	{"GB", "kB", 1e9 / 1024},
	{"TB", "kB", 1e12 / 1024},
	{"MiB", "kB", 1024},
	{"GiB", "kB", 1048576},
	{"TiB", "kB", 1073741824},
	{"KiB/s", "kB/s", 1},
	{"B/s", "kB/s", 1.0 / 1024},
	{"kB/s", "kB/s", 1e3 / 1024},
	{"MB/s", "kB/s", 1e6 / 1024},
	{"GB/s", "kB/s", 1e9 / 1024},
	{"MiB/s", "kB/s", 1024},
	{"GiB/s", "kB/s", 1048576},
	{"io/s", "1/s", 1},
	{"ops/s", "1/s", 1},
	{"rd/s", "1/s", 1},
	{"wr/s", "1/s", 1},
	{"req/s", "1/s", 1},
	{"K io/s", "1/s", 1e3},
	{"K ops/s", "1/s", 1e3},
	{"K rd/s", "1/s", 1e3},
	{"K wr/s", "1/s", 1e3},
	{"K req/s", "1/s", 1e3},
	{"K", "", 1e3},
	{"Mil", "", 1e6},
	{"Bil", "", 1e9},
};

struct server_column {
	bool read;
	uint32_t node, instance;
};

struct columns {
	struct table *t;
	struct lines *l;
	const struct table_opts *o;
	struct field *f;
	struct server_column *c;
	size_t n, time;
	const char *kind; /* of the units; NULL: no cell had one yet */
	bool bare;	  /* a number but 0 had none */
	struct sample at;
};

/* ---- names ------------------------------------------------------------------------------------- */

/* The value of a label in {label="value", ...}; false: it is not there. */
static bool label_of(const char *legend, const char *label, char *to, size_t size)
{
	size_t len = strlen(label);

	for (const char *p = strchr(legend, '{'); p; p = strpbrk(p, "{,")) {
		const char *end;

		p += 1 + strspn(p + 1, " ");
		if (strncmp(p, label, len) || strncmp(p + len, "=\"", 2))
			continue;
		p += len + 2;
		end = strchr(p, '"');
		if (!end || (size_t)(end - p) >= size)
			return false;
		snprintf(to, size, "%.*s", (int)(end - p), p);
		return true;
	}
	return false;
}

static int name_column(struct columns *s, size_t i)
{
	char label[TABLE_INSTANCE_MAX + 1];
	const char *name = s->f[i].s;
	int err;

	s->c[i].read = true;
	if (label_of(name, "instance", label, sizeof(label)) ||
	    label_of(name, "host", label, sizeof(label)) ||
	    label_of(name, "node", label, sizeof(label)))
		name = label;
	err = table_name(s->l, &s->t->nodes, "a node", name, strlen(name), HOST_LEN - 1,
			 &s->c[i].node);
	if (!err && label_of(s->f[i].s, "device", label, sizeof(label))) {
		s->t->merge = true;
		err = table_name(s->l, &s->t->instances, "an instance", label, strlen(label),
				 TABLE_INSTANCE_MAX, &s->c[i].instance);
	}
	for (size_t k = 0; k < i && !err; k++)
		if (s->c[k].read && s->c[k].node == s->c[i].node &&
		    s->c[k].instance == s->c[i].instance)
			err = lines_bad(s->l, "two columns are of '%.80s'", s->f[i].s);
	return err;
}

bool table_grafana_is(const struct field *f, size_t n, const struct table_opts *o)
{
	static const char *const others[] = {"metric", "value", "duration", "instance", NULL};
	const char *const *const not_servers[] = {table_nodes, others};

	if (o->node)
		return !strcmp(o->node, "@column");
	if (strcmp(f[0].s, "Time") || n < 1 + SERVERS_LEAST)
		return false;
	for (size_t i = 1; i < n; i++) {
		if (metric_by_name(f[i].s) >= 0)
			return false;
		for (size_t k = 0; k < 2; k++)
			for (const char *const *name = not_servers[k]; *name; name++)
				if (!strcasecmp(f[i].s, *name))
					return false;
	}
	return true;
}

static int header(struct columns *s)
{
	const char *time = s->o->time ? s->o->time : table_times[0];
	int err = 0;

	s->c = calloc(s->n, sizeof(*s->c));
	if (!s->c)
		return -ENOMEM;
	while (s->time < s->n && strcasecmp(s->f[s->time].s, time))
		s->time++;
	if (s->time == s->n)
		return lines_bad(s->l, "there is no column '%s'; name one with --time", time);
	for (size_t i = 0; i < s->n && !err; i++)
		err = i == s->time ? 0 : name_column(s, i);
	return err;
}

/* ---- cells ------------------------------------------------------------------------------------- */

static const struct unit *unit_of(const char *name)
{
	return find_if(i, units, sizeof(units) / sizeof(*units), !strcmp(units[i].name, name));
}

/* A number, with a unit or without. All cells are of one kind: "1.2 s" beside "950 ms". */
static int cell(struct columns *s, const struct field *f, enum number *number, double *v)
{
	const struct unit *u;
	size_t len;

	*number = number_parse(f->s, f->len, v);
	if (*number == NUMBER_VALUE) {
		s->bare |= *v > 0 || *v < 0;
		return 0;
	}
	if (*number == NUMBER_MISSING)
		return 0;
	len = strspn(f->s, "+-.0123456789");
	u = unit_of(f->s + len + strspn(f->s + len, " "));
	if (!u || !len)
		return lines_bad(s->l, "'%.40s' is no number, nor one with a unit that is known",
				 f->s);
	f->s[len] = '\0';
	*number = number_parse(f->s, len, v);
	if (*number != NUMBER_VALUE)
		return lines_bad(s->l, "'%.40s' is no number", f->s);
	if (s->kind && strcmp(s->kind, u->kind))
		return lines_bad(s->l, "a unit of %s beside one of %s",
				 *u->kind ? u->kind : "numbers", *s->kind ? s->kind : "numbers");
	s->kind = u->kind;
	*v *= u->times;
	return 0;
}

static int row(struct columns *s)
{
	const struct field *time = &s->f[s->time];
	int err = lines_time(s->l, time->s, time->len, &s->at.time_ns);

	s->t->lines++;
	for (size_t i = 0; i < s->n && !err; i++) {
		struct sample sample = s->at;
		enum number number;

		if (!s->c[i].read)
			continue;
		sample.node = s->c[i].node;
		sample.instance = s->c[i].instance;
		err = cell(s, &s->f[i], &number, &sample.value);
		/* of a server that has no value at a time of others' there may be no row at all */
		if (!err && number != NUMBER_MISSING)
			err = table_hear(s->t, s->o, sample.node, sample.time_ns);
		err = err ?: table_value(s->t, s->l, &sample, number);
	}
	return err;
}

static int note_columns(const struct columns *s, const char *metric)
{
	int err = 0;

	if (s->kind && *s->kind && s->bare)
		return lines_bad(s->l, "some cells have a unit (%s), and some have none", s->kind);
	if (!s->kind || !*s->kind)
		err = table_note_unit(s->t, metric);
	return err ? err
		   : table_note(s->t,
				"each column is a server, the metric is '%s', as the file is "
				"called%s%s",
				metric, s->kind && *s->kind ? ", in " : "", s->kind ? s->kind : "");
}

int table_grafana(struct table *t, struct lines *l, const char *path, const struct table_opts *o,
		  struct field *f, size_t n)
{
	struct columns s = {.t = t, .l = l, .o = o, .f = f, .n = n, .at.bytes = __builtin_nanf("")};
	char metric[METRIC_NAME_LEN];
	ssize_t got = 0;
	int err = table_kind(t, l, false) ?: table_metric_of_file(l, path, metric);

	if (!err)
		err = table_name(l, &t->metrics, "a metric", metric, strlen(metric),
				 METRIC_NAME_LEN - 1, &s.at.metric);
	err = err ?: header(&s);
	while (!err && (got = lines_next(l, f, TABLE_COLUMNS_MAX)) > 0)
		err = (size_t)got == n ? row(&s)
				       : lines_bad(l, "%zd fields, but %zu columns", got, n);
	if (!err)
		err = got < 0 ? (int)got : note_columns(&s, metric);
	free(s.c);
	return err;
}
