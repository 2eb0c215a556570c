// SPDX-License-Identifier: BSD-2-Clause
/* Tables of text, wide, long or of state durations, line by line. */
#include "table_csv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"

/* The number of a key's name, mostly the same as in the line before. */
static int key(struct csv *s, enum role role, struct names *names, const char *what, size_t max,
	       uint32_t *number)
{
	const struct field *f;

	if (s->at[role] < 0)
		return 0;
	f = &s->f[s->at[role]];
	if (*number < names->n && !strcmp(names->at[*number], f->s))
		return 0;
	return table_name(s->l, names, what, f->s, f->len, max, number);
}

struct csv_rows {
	uint32_t node, instance;
	uint64_t n; /* so far */
};

/* Lines without a time follow each other, each node's and instance's on their own. */
static int time_of_row(struct csv *s)
{
	uint64_t hash = map_hash_number((uint64_t)s->line.node << 32 | s->line.instance);
	size_t at = map_find(i, &s->by_key, hash,
			     s->rows_of[i].node == s->line.node &&
				     s->rows_of[i].instance == s->line.instance);
	struct csv_rows *rows = at == MAP_NONE ? NULL : &s->rows_of[at];

	if (!rows && s->n_rows_of < TABLE_NAMES_MAX) {
		rows = map_append(&s->by_key, hash, array_add(&s->rows_of, &s->n_rows_of),
				  &s->n_rows_of);
		if (rows)
			*rows = (struct csv_rows){.node = s->line.node,
						  .instance = s->line.instance};
	}
	if (!rows) {
		fail("out of memory, or more than %d nodes and instances", TABLE_NAMES_MAX);
		return -ENOMEM;
	}
	s->line.time_ns = ns_of_s((double)rows->n++ * s->o->interval_s);
	return 0;
}

/* As key(), of what may be the instance's. */
static void guess(struct csv *s)
{
	const struct field *f = &s->f[s->guess];
	uint32_t was = s->line.instance & ~TABLE_GUESSED;

	if (was && was < s->t->instances.n && !strcmp(s->t->instances.at[was], f->s))
		return;
	s->line.instance = table_guess(s->t, s->c[s->guess].name, f->s, f->len);
}

static int keys(struct csv *s)
{
	const struct field *time;
	int err = key(s, NODE, &s->t->nodes, "a node", HOST_LEN - 1, &s->line.node);

	if (s->guess >= 0)
		guess(s);
	if (!err)
		err = key(s, INSTANCE, &s->t->instances, "an instance", TABLE_INSTANCE_MAX,
			  &s->line.instance);
	if (err)
		return err;
	if (s->rows)
		return time_of_row(s);
	time = &s->f[s->at[TIME]];
	if (time->len && time->len < sizeof(s->time) && !strcmp(time->s, s->time))
		return 0;
	if (lines_time(s->l, time->s, time->len, &s->line.time_ns))
		return -EINVAL;
	snprintf(s->time, sizeof(s->time), "%s", time->len < sizeof(s->time) ? time->s : "");
	return 0;
}

/* One that had numbers must go on so; one of text only is left out at the end. */
static int mixed(const struct csv *s, const struct column *c, const char *text)
{
	if (text)
		return lines_bad(s->l, "'%.40s' in column '%s' is no number", text, c->name);
	return lines_bad(s->l,
			 "column '%s' has a number here and something else in line %llu; choose "
			 "columns with --metric",
			 c->name, (unsigned long long)c->text);
}

static size_t digits(const char *s)
{
	return strspn(s, "0123456789");
}

/* Whether this comma or point of a number cannot part thousands. */
static bool is_decimal(const char *number, const char *at)
{
	const char *first = number + strspn(number, "+-");

	return digits(at + 1) != 3 || at - first > 3 || at == first || *first == '0';
}

/* Where commas do not part fields, one in a number may be its decimal point: csv_commas() decides when all are known. */
static enum number csv_number(const struct csv *s, struct column *c, const struct field *f,
			      double *v)
{
	enum number n = number_parse(f->s, f->len, v);
	char *comma = s->l->sep == ',' ? NULL : strchr(f->s, ',');
	const char *point = strchr(f->s, '.');
	size_t whole, part;

	if (n == NUMBER_VALUE) {
		c->points |= point != NULL;
		c->pointed |= point && is_decimal(f->s, point);
		c->whole |= *v > 0 || *v < 0;
	}
	if (n != NUMBER_TEXT || !comma || point)
		return n;
	whole = digits(f->s + strspn(f->s, "+-"));
	part = digits(comma + 1);
	*comma = '.';
	n = whole && part ? number_parse(f->s, f->len, v) : n;
	*comma = ',';
	c->commas += n == NUMBER_VALUE;
	c->decimal |= n == NUMBER_VALUE && is_decimal(f->s, comma);
	return n;
}

enum { COMMAS_ENOUGH = 20 };

static int unsure(const struct csv *s, const struct column *c)
{
	return fail("'%s': column '%s' has numbers with commas, of which it is not known whether "
		    "they are decimal points: write points, as 'tr , . <FILE' does",
		    s->l->name, c->name);
}

static int unsure_points(const struct csv *s, const struct column *c)
{
	return fail(
		"'%s': column '%s' has points, and other numbers of the file have decimal commas: "
		"points may part thousands there; write decimal points in all columns, or none",
		s->l->name, c->name);
}

/*
 * Commas are decimal ones if one of the file cannot part thousands, or its dates are dotted, as nobody writes them who parts
 * thousands with commas. Of 1,234 alone that is not known: if all of the column's many are so, it is believed, but not if another
 * server's file has 987. Beside decimal commas, 1.042 alone may be thousands, too.
 */
static int csv_commas(const struct csv *s)
{
	bool decimal = s->l->order == TIME_DOTTED, any = false;
	int err = 0;

	for (size_t i = 0; i < s->n; i++) {
		decimal |= s->c[i].decimal;
		any |= s->c[i].commas > 0;
	}
	for (size_t i = 0; i < s->n && s->l->sep != ',' && !err; i++) {
		const struct column *c = &s->c[i];
		bool guess = c->commas >= COMMAS_ENOUGH && !c->whole && !decimal;

		if ((c->commas && (c->points || !(decimal || guess))) ||
		    (guess && names_find(&s->t->whole, c->name) >= 0) ||
		    (c->whole && !decimal && names_find(&s->t->commas, c->name) >= 0))
			return unsure(s, c);
		if (any && decimal && c->points && !c->pointed)
			return unsure_points(s, c);
		if ((guess && names_add(&s->t->commas, c->name) < 0) ||
		    (c->whole && !c->commas && !decimal && names_add(&s->t->whole, c->name) < 0))
			return -ENOMEM;
		if (c->commas)
			err = table_note(s->t, "column '%s': commas are read as decimal points",
					 c->name);
	}
	return err;
}

static int wide(struct csv *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct column *c = &s->c[i];
		bool any = (ssize_t)i == s->guess; /* it may have both: "all", "0", "1" */
		int err = 0;

		if (c->role != METRIC)
			continue;
		switch (csv_number(s, c, &s->f[i], &s->line.value)) {
		case NUMBER_MISSING:
			/* limpet show leaves empty what is another family's */
			s->t->missing += s->at[FAMILY] < 0;
			break;
		case NUMBER_TEXT:
			if (c->numbers && !any)
				return mixed(s, c, s->f[i].s);
			c->text = c->text ? c->text : s->l->line;
			break;
		case NUMBER_VALUE:
			if (c->text && !any)
				return mixed(s, c, NULL);
			c->numbers++;
			s->line.metric = c->metric;
			err = table_value(s->t, s->l, &s->line, NUMBER_VALUE);
			break;
		}
		if (err)
			return err;
	}
	return 0;
}

static int narrow(struct csv *s)
{
	const struct field *name = &s->f[s->at[NAME]], *value = &s->f[s->at[VALUE]];
	const char *what = s->t->events ? "a state" : "a metric";
	enum number number;
	int err;

	if (!name->len)
		return lines_bad(s->l, "there is no name of %s", what);
	if (!table_wanted(s->o, name->s))
		return 0;
	number = csv_number(s, &s->c[s->at[VALUE]], value, &s->line.value);
	if (number == NUMBER_TEXT)
		return mixed(s, &s->c[s->at[VALUE]], value->s);
	if (s->at[BYTES] >= 0) {
		const struct field *f = &s->f[s->at[BYTES]];
		double bytes = NAN;

		if (number_parse(f->s, f->len, &bytes) == NUMBER_TEXT)
			return mixed(s, &s->c[s->at[BYTES]], f->s);
		s->line.bytes = (float)bytes;
	}
	err = table_name(s->l, &s->t->metrics, what, name->s, name->len, METRIC_NAME_LEN - 1,
			 &s->line.metric);
	return err ?: table_value(s->t, s->l, &s->line, number);
}

/* Which columns had nothing that counts. */
static int note_ignored(struct csv *s)
{
	char list[700] = "";
	size_t len = 0, left_out = 0, untold = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct column *c = &s->c[i];
		const char *name = *c->name ? c->name : "(no name)";

		if ((ssize_t)i == s->guess ||
		    (c->role != IGNORED && (c->role != METRIC || c->numbers)) ||
		    (s->o->metrics.n && c->role == IGNORED) || (ssize_t)i == s->at[FAMILY] ||
		    (c->role == METRIC && s->at[FAMILY] >= 0 && !c->text))
			continue;
		left_out++;
		if (*c->name && (c->role == IGNORED || c->text) &&
		    names_add(&s->t->texts, c->name) < 0)
			return -ENOMEM;
		if (len + strlen(name) + 3 < sizeof(list))
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
						len ? ", " : "", name);
		else
			untold++;
	}
	if (!left_out)
		return 0;
	if (left_out > s->t->ignored_columns)
		s->t->ignored_columns = left_out;
	return untold ? table_note(s->t, "left out: columns %s and %zu more", list, untold)
		      : table_note(s->t, "left out: columns %s", list);
}

static int body(struct csv *s)
{
	ssize_t n;
	int err = 0;

	while (!err && (n = lines_next(s->l, s->f, TABLE_COLUMNS_MAX)) != 0) {
		if (n < 0)
			return (int)n;
		if ((size_t)n != s->n)
			return lines_bad(s->l, "%zd fields, but %zu columns", n, s->n);
		s->t->lines++;
		if (s->at[FAMILY] >= 0 && !strcmp(s->f[s->at[FAMILY]].s, "remote")) {
			s->remote++;
			continue;
		}
		err = keys(s) ?: table_hear(s->t, s->o, s->line.node, s->line.time_ns);
		if (!err)
			err = s->is_long ? narrow(s) : wide(s);
	}
	return err;
}

static int read_csv(struct table *t, struct lines *l, const char *path, const struct table_opts *o)
{
	struct csv s = {
		.t = t, .o = o, .l = l, .line = {.node = UINT32_MAX, .bytes = NAN}, .guess = -1};
	int err;

	memset(s.at, -1, sizeof(s.at));
	s.f = malloc(TABLE_COLUMNS_MAX * sizeof(*s.f));
	err = s.f ? csv_header(&s) : -ENOMEM;
	if (!err && s.columns) {
		err = table_grafana(t, l, path, o, s.f, s.n);
		free(s.f);
		return err;
	}
	if (!err && s.file)
		err = table_node_of_file(t, l, path, &s.line.node);
	err = err ?: body(&s) ?: csv_commas(&s) ?: note_ignored(&s);
	if (!err && s.remote)
		err = table_note(t, "left out: %llu lines of the family 'remote'",
				 (unsigned long long)s.remote);
	map_release(&s.by_key);
	free(s.rows_of);
	free(s.c);
	free(s.f);
	return err;
}

static bool is_csv(const unsigned char *head, size_t n)
{
	(void)head;
	return n > 0;
}

const struct table_format format_csv = {
	.name = "CSV",
	.suffix = ".csv",
	.is = is_csv,
	.read = read_csv,
};
