// SPDX-License-Identifier: BSD-2-Clause
/*
 * What Prometheus answers to /api/v1/query_range, or promtool prints: series, each with labels. The label that --node names
 * is the server ("instance"), the one of --instance its disk; the metric is called as it is, or as the file.
 */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prometheus.h"
#include "userspace/common/clock.h"
#include "userspace/metrics/metrics.h"

struct exported_series {
	struct table *t;
	struct lines *l;
	const char *path;
	const struct table_opts *o;
	bool file; /* the file's name is the node's */
	struct names
		targets; /* as the label says them: until all are known samples have their numbers, from `first` on */
	size_t first;
	struct sample at;
};

static bool is_prometheus(const unsigned char *head, size_t n)
{
	static const char matrix[] = "\"resultType\"", error[] = "\"errorType\"";

	/* promtool prints the list alone; jq -S puts "data" in front of "status" */
	if (json_begins(head, n, "[{\"metric\":{") || json_begins(head, n, "{\"data\":{\"result"))
		return true;
	return (json_begins(head, n, "{\"status\":\"success\"") &&
		memmem(head, n, matrix, sizeof(matrix) - 1)) ||
	       (json_begins(head, n, "{\"status\":\"error\"") &&
		memmem(head, n, error, sizeof(error) - 1));
}

static int node_of(struct exported_series *p, const json_t *labels)
{
	const char *label = p->o->node ? p->o->node : "instance";
	const char *node = json_string_value(json_object_get(labels, label));

	if (p->file)
		return 0;
	if (!node)
		return lines_bad(p->l, "a series has no label '%s'; name the server's with --node",
				 label);
	return table_name(p->l, &p->targets, "a node", node, strlen(node), HOST_LEN - 1,
			  &p->at.node);
}

/* Servers are called without their ports, unless two of one host are there. */
static int name_nodes(struct exported_series *p)
{
	bool ports = p->o->node && strcmp(p->o->node, "instance") != 0;
	uint32_t *node = calloc(p->targets.n + 1, sizeof(*node));
	struct names hosts = {0};
	int err = node ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->targets.n && !err && !ports; i++) {
		const char *name = p->targets.at[i];

		if (names_add_n(&hosts, name, prometheus_host_len(name)) < 0)
			err = -ENOMEM;
		ports = hosts.n <= i;
	}
	for (size_t i = 0; i < p->targets.n && !err; i++) {
		const char *name = p->targets.at[i];

		err = table_name(p->l, &p->t->nodes, "a node", name,
				 ports ? strlen(name) : prometheus_host_len(name), HOST_LEN - 1,
				 &node[i]);
	}
	for (size_t i = p->first; i < p->t->n && !err; i++) {
		struct sample *s = &p->t->at[i];

		s->node = node[s->node];
		err = table_hear(p->t, p->o, s->node, s->time_ns);
	}
	names_release(&hosts);
	free(node);
	return err;
}

/* Without --instance: of labels that are called as its columns are, the one with the best name. */
static int instance_of(struct exported_series *p, json_t *labels)
{
	const char *key, *best = NULL, *label = p->o->instance;
	size_t rank = table_no_guess;
	const json_t *v;
	json_t *any;

	p->at.instance = 0;
	json_object_foreach(labels, key, any) {
		/* "instance" is the server here, whatever it is elsewhere */
		if (!strcmp(key, p->o->node ? p->o->node : "instance") ||
		    table_guess_rank(key) >= rank)
			continue;
		rank = table_guess_rank(key);
		best = key;
	}
	v = json_object_get(labels, label ? label : best ? best : "");
	if (label && !json_is_string(v))
		return lines_bad(p->l, "a series has no label '%s'", label);
	if (label)
		return table_name(p->l, &p->t->instances, "an instance", json_string_value(v),
				  json_string_length(v), TABLE_INSTANCE_MAX, &p->at.instance);
	if (json_is_string(v))
		p->at.instance =
			table_guess(p->t, best, json_string_value(v), json_string_length(v));
	return 0;
}

static int metric_of(struct exported_series *p, const json_t *labels, bool *wanted)
{
	const json_t *v = json_object_get(labels, "__name__");
	const char *name = json_string_value(v);
	char of_file[METRIC_NAME_LEN];
	size_t len;
	int err;

	if (!name) {
		err = table_metric_of_file(p->l, p->path, of_file);
		if (err)
			return err;
		name = of_file;
	}
	len = strlen(name);
	*wanted = table_wanted(p->o, name);
	if (!*wanted)
		return 0;
	err = table_name(p->l, &p->t->metrics, "a metric", name, len, METRIC_NAME_LEN - 1,
			 &p->at.metric);
	if (!err && name == of_file)
		err = table_note_unit(p->t, name);
	if (err || len <= 6 || strcmp(name + len - 6, "_total"))
		return err;
	if (names_add(&p->t->rates, name) < 0)
		return -ENOMEM;
	return table_note(p->t, "'%s' is a counter: its rate per second is compared", name);
}

static int value(struct exported_series *p, const json_t *pair)
{
	const json_t *time = json_array_get(pair, 0), *v = json_array_get(pair, 1);
	double s = json_number_value(time);
	struct sample sample = p->at;
	enum number number;

	if (!json_is_number(time) || !(s >= 0 && s < 9e9) || !json_is_string(v))
		return lines_bad(p->l, "a value is not [seconds, \"number\"]");
	sample.time_ns = llround(s * 1e3) * NS_PER_MS; /* Prometheus has no finer times */
	number = number_parse(json_string_value(v), json_string_length(v), &sample.value);
	if (number == NUMBER_TEXT)
		return lines_bad(p->l, "'%.40s' is no number", json_string_value(v));
	p->t->lines++;
	return table_value(p->t, p->l, &sample, number);
}

static int element(void *own, const char *list, json_t *series)
{
	struct exported_series *p = own;
	json_t *labels = json_object_get(series, "metric");
	const json_t *values = json_object_get(series, "values"), *pair;
	bool wanted = true;
	size_t i;
	int err;

	(void)list;
	if (json_object_get(series, "value"))
		return lines_bad(p->l, "this is of one time only: ask for a range, "
				       "/api/v1/query_range?query=...&start=...&end=...&step=15");
	if (!json_is_object(labels) || !json_is_array(values))
		return lines_bad(p->l, "a series without labels, or without values");
	err = node_of(p, labels) ?: instance_of(p, labels) ?: metric_of(p, labels, &wanted);
	if (err || !wanted)
		return err;
	json_array_foreach(values, i, pair) {
		err = value(p, pair);
		if (err)
			return err;
	}
	return 0;
}

static int member(void *own, const char *key, const char *text)
{
	struct exported_series *p = own;

	if (!strcmp(key, "error"))
		return lines_bad(p->l, "Prometheus answered with an error: %.200s", text);
	if (!strcmp(key, "resultType") && strcmp(text, "matrix") && strcmp(text, "vector"))
		return lines_bad(p->l,
				 "the result is a '%.40s': limpet reads a range of series, "
				 "what /api/v1/query_range answers",
				 text);
	return 0;
}

static int read_prometheus(struct table *t, struct lines *l, const char *path,
			   const struct table_opts *o)
{
	struct exported_series p = {
		.t = t, .l = l, .path = path, .o = o, .at.bytes = __builtin_nanf("")};
	int err = table_kind(t, l, false);

	if (!err && o->time)
		err = fail("'%s' is of Prometheus, which has its times ('--time %s')", l->name,
			   o->time);
	p.file = o->node && !strcmp(o->node, "@file");
	if (!err && p.file)
		err = table_node_of_file(t, l, path, &p.at.node);
	t->merge |= o->instance != NULL;
	p.first = t->n;
	if (!err)
		err = json_document(l, &(struct json_document){(const char *[]){"result", "", NULL},
							       element, member, &p, false});
	if (!err && !p.file)
		err = name_nodes(&p);
	if (err)
		t->n = p.first;
	names_release(&p.targets);
	return err;
}

const struct table_format format_prometheus = {
	.name = "Prometheus's JSON",
	.is = is_prometheus,
	.read = read_prometheus,
};
