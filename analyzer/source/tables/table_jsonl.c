// SPDX-License-Identifier: BSD-2-Clause
/*
 * JSON Lines: an object a line, whose keys are what columns are in CSV. One with the keys metric and
 * value is one measurement; of any other every number is one, its key the metric. A JSON array of such objects is the same.
 */
#include "internal.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "userspace/metrics/metrics.h"

/* jansson takes up to 224 bytes for three: {}, */
enum { LINE_MAX_BYTES = 1 << 16, NAMED_MAX = 8 };

struct jsonl {
	struct table *t;
	struct lines *l;
	const struct table_opts *o;
	bool file;		     /* the file's name is the node's */
	bool any;		     /* a line was read */
	struct sample at;	     /* what a line's values have in common */
	const char *time, *node;     /* keys of this line */
	const char *instance;	     /* NULL: none */
	char guess[METRIC_NAME_LEN]; /* the first line's key that may be the instance's; "": none */
	struct names left_out;	     /* keys whose values are no numbers */
	uint64_t remote;	     /* lines of what limpet show prints */
};

static bool is_jsonl(const unsigned char *head, size_t n)
{
	return json_begins(head, n, "{");
}

/* The value of the key asked for, or of the first of `usual` (ends with NULL) that is there. */
static const json_t *pick(const json_t *line, const char *asked, const char *const *usual,
			  const char **key)
{
	const json_t *v = asked ? json_object_get(line, asked) : NULL;

	*key = asked;
	for (; !asked && !v && *usual; usual++) {
		v = json_object_get(line, *usual);
		*key = *usual;
	}
	return v;
}

static int time_of(struct jsonl *j, const json_t *line)
{
	const json_t *v = pick(line, j->o->time, table_times, &j->time);
	char text[64] = "";

	if (!v)
		return lines_bad(j->l, "there is no key '%s'", j->o->time ? j->o->time : "time");
	if (json_is_string(v))
		snprintf(text, sizeof(text), "%s", json_string_value(v));
	else if (json_is_integer(v))
		snprintf(text, sizeof(text), "%lld", (long long)json_integer_value(v));
	else if (json_is_real(v))
		snprintf(text, sizeof(text), "%.6f", json_real_value(v));
	return lines_time(j->l, text, strlen(text), &j->at.time_ns);
}

/* The number of the name that is v, as a key or the name of a metric. */
static int name_of(struct jsonl *j, const json_t *v, const char *key, struct names *names,
		   const char *what, size_t max, uint32_t *number)
{
	if (!json_is_string(v))
		return lines_bad(j->l, "there is no key '%s' with the name of %s", key, what);
	return table_name(j->l, names, what, json_string_value(v), json_string_length(v), max,
			  number);
}

/* Without --instance: of the first line's keys the one with the best name of those that are called as its are. */
static void choose_guess(struct jsonl *j, json_t *line)
{
	size_t best = table_no_guess;
	const char *key;
	json_t *v;

	json_object_foreach(line, key, v) {
		size_t rank = table_guess_rank(key);

		if (rank >= best || (j->o->time && !strcmp(key, j->o->time)) ||
		    (j->o->node && !strcmp(key, j->o->node)))
			continue;
		best = rank;
		snprintf(j->guess, sizeof(j->guess), "%s", key);
	}
}

/* What may be the instance of a line: text, or a number as it is printed. */
static uint32_t guess(struct jsonl *j, const json_t *v)
{
	char number[32];

	if (json_is_string(v))
		return table_guess(j->t, j->guess, json_string_value(v), json_string_length(v));
	snprintf(number, sizeof(number), "%.9g", json_number_value(v));
	return table_guess(j->t, j->guess, number, json_is_number(v) ? strlen(number) : 0);
}

static int keys(struct jsonl *j, const json_t *line)
{
	const json_t *node = pick(line, j->file ? NULL : j->o->node, table_nodes, &j->node);
	const char *instance = j->instance;
	int err = time_of(j, line);

	if (!err && !j->file)
		err = name_of(j, node, j->o->node ? j->o->node : "node", &j->t->nodes, "a node",
			      HOST_LEN - 1, &j->at.node);
	if (!err && *j->guess)
		j->at.instance = guess(j, json_object_get(line, j->guess));
	if (!err && instance)
		err = name_of(j, json_object_get(line, instance), instance, &j->t->instances,
			      "an instance", TABLE_INSTANCE_MAX, &j->at.instance);
	return err;
}

static enum number number_of(const json_t *v, double *to)
{
	if (json_is_number(v)) {
		*to = json_number_value(v);
		return NUMBER_VALUE;
	}
	if (json_is_string(v))
		return number_parse(json_string_value(v), json_string_length(v), to);
	return json_is_null(v) ? NUMBER_MISSING : NUMBER_TEXT;
}

static int value(struct jsonl *j, const char *metric, size_t len, const json_t *v)
{
	struct sample s = j->at;
	enum number number = number_of(v, &s.value);
	int err;

	if (number == NUMBER_TEXT)
		return lines_bad(j->l, "what '%.80s' has here is no number", metric);
	err = table_name(j->l, &j->t->metrics, "a metric", metric, len, METRIC_NAME_LEN - 1,
			 &s.metric);
	return err ?: table_value(j->t, j->l, &s, number);
}

/* Whether the key is no metric: one of those that name the line, or what limpet show says of a second. */
static bool is_of_line(const struct jsonl *j, const char *key, bool shown)
{
	static const char *const of_second[] = {"seq", "mono_ns", "lost", "interval_s"};

	for (size_t i = 0; shown && i < sizeof(of_second) / sizeof(*of_second); i++)
		if (!strcmp(key, of_second[i]))
			return true;
	return !*key || !strcmp(key, j->time) || (!j->file && !strcmp(key, j->node)) ||
	       (j->instance && !strcmp(key, j->instance)) || (shown && !strcmp(key, "family"));
}

/* A key without a number is left out; one that has a number elsewhere is damaged. */
static int every_number(struct jsonl *j, json_t *line, bool shown)
{
	const char *key;
	json_t *v;
	int err = 0;

	json_object_foreach(line, key, v) {
		size_t len = strlen(key);
		double number;

		if (is_of_line(j, key, shown) || !table_wanted(j->o, key))
			continue;
		if (!strcmp(key, j->guess)) /* it may have both: "all", 0, 1 */
			err = number_of(v, &number) == NUMBER_VALUE ? value(j, key, len, v) : 0;
		else if (names_find(&j->t->metrics, key) >= 0 ||
			 number_of(v, &number) != NUMBER_TEXT)
			err = names_find(&j->left_out, key) < 0
				      ? value(j, key, len, v)
				      : lines_bad(j->l,
						  "'%.80s' has a number here and had text before",
						  key);
		else if (!name_check(key, len, METRIC_NAME_LEN - 1) &&
			 names_add(&j->left_out, key) < 0)
			err = lines_bad(j->l, "more than %d keys without a number",
					TABLE_NAMES_MAX);
		if (err)
			return err;
	}
	return 0;
}

static int object(struct jsonl *j, json_t *line)
{
	const json_t *metric = json_object_get(line, "metric");
	const json_t *v = json_object_get(line, "value");
	const char *family = json_string_value(json_object_get(line, "family"));
	const char *name = json_string_value(metric);
	bool shown; /* what limpet show prints */
	int err;

	if (family && !j->instance && json_object_get(line, "instance"))
		j->instance = "instance";
	if (!j->any && !j->instance)
		choose_guess(j, line);
	j->any = true;
	j->t->lines++;
	shown = j->instance && family;
	if (shown && !strcmp(family, "remote")) {
		j->remote++;
		return 0;
	}
	err = keys(j, line) ?: table_hear(j->t, j->o, j->at.node, j->at.time_ns);
	if (err)
		return err;
	if (!metric || !v)
		return every_number(j, line, shown);
	if (!name || !*name)
		return lines_bad(j->l, "there is no name of a metric");
	return table_wanted(j->o, name) ? value(j, name, json_string_length(metric), v) : 0;
}

static int body(struct jsonl *j)
{
	json_error_t error;
	char *text;
	size_t len;
	int got, err = 0;

	while (!err && (got = lines_whole(j->l, &text, &len)) != 0) {
		json_t *line;

		if (got < 0)
			return got;
		if (len > LINE_MAX_BYTES)
			return lines_bad(j->l, "longer than %d bytes", LINE_MAX_BYTES);
		line = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
		err = json_is_object(line)
			      ? object(j, line)
			      : lines_bad(j->l, "this is no JSON object: there is one a line, "
						"as 'jq -c . FILE' prints them");
		json_decref(line);
	}
	return err;
}

static int note_left_out(const struct jsonl *j)
{
	int err = 0;

	for (size_t i = 0; i < j->left_out.n && !err; i++)
		if (names_add(&j->t->texts, j->left_out.at[i]) < 0)
			err = -ENOMEM;
	for (size_t i = 0; i < j->left_out.n && i < NAMED_MAX && !err; i++)
		err = table_note(j->t, "left out: the key %s, which has no numbers",
				 j->left_out.at[i]);
	if (!err && j->left_out.n > NAMED_MAX)
		err = table_note(j->t, "left out: %zu more keys", j->left_out.n - NAMED_MAX);
	if (!err && j->remote)
		err = table_note(j->t, "left out: %llu lines of the family 'remote'",
				 (unsigned long long)j->remote);
	return err;
}

static int element(void *own, const char *list, json_t *e)
{
	(void)list;
	return object(own, e);
}

static int read_objects(struct table *t, struct lines *l, const char *path,
			const struct table_opts *o, bool array)
{
	struct jsonl j = {.t = t, .l = l, .o = o, .at.bytes = __builtin_nanf("")};
	int err = table_kind(t, l, false);

	if (!err && o->time && !strcmp(o->time, "@row"))
		err = fail("'%s' is JSON%s, which %s a time ('--time @row')", l->name,
			   array ? "" : " Lines", array ? "has" : "have");
	if (err)
		return err;
	j.file = o->node && !strcmp(o->node, "@file");
	if (j.file)
		err = table_node_of_file(t, l, path, &j.at.node);
	j.instance = o->instance;
	if (!err && array)
		err = json_document(l, &(struct json_document){(const char *[]){"", NULL}, element,
							       NULL, &j, false});
	else if (!err)
		err = body(&j);
	t->merge |= j.instance != NULL;
	err = err ?: note_left_out(&j);
	names_release(&j.left_out);
	return err;
}

static int read_jsonl(struct table *t, struct lines *l, const char *path,
		      const struct table_opts *o)
{
	const unsigned char *head;
	size_t n;
	int err = lines_peek(l, &head, &n);
	bool wrapped = !err && json_begins(head, n, "{\"data\":[{");

	err = err ? err : read_objects(t, l, path, o, false);
	if (err && err != -ENOMEM && wrapped && l->line <= 1)
		fail("'%s' is one object with a list in it, and limpet reads the list alone, as "
		     "'jq .data FILE' prints it",
		     l->name);
	return err;
}

static int read_array(struct table *t, struct lines *l, const char *path,
		      const struct table_opts *o)
{
	return read_objects(t, l, path, o, true);
}

static bool is_array(const unsigned char *head, size_t n)
{
	return json_begins(head, n, "[{");
}

const struct table_format format_jsonl = {
	.name = "JSON Lines",
	.suffix = ".jsonl",
	.is = is_jsonl,
	.read = read_jsonl,
};

const struct table_format format_json_array = {
	.name = "a JSON array of objects",
	.is = is_array,
	.read = read_array,
};
