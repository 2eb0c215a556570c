// SPDX-License-Identifier: BSD-2-Clause
/* The first line of a table: which column is the time, the node, a metric. */
#include "table_csv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The first column of that name, or -1. */
static ssize_t find_column(const struct csv *s, const char *name, bool exact)
{
	for (size_t i = 0; i < s->n; i++)
		if (exact ? !strcmp(s->c[i].name, name) : !strcasecmp(s->c[i].name, name))
			return (ssize_t)i;
	return -1;
}

/* usual: what it is called where it is not asked for. */
static int give(struct csv *s, enum role role, const char *asked, const char *const *usual,
		const char *option)
{
	ssize_t i = asked ? find_column(s, asked, true) : -1;

	for (size_t k = 0; !asked && i < 0 && usual[k]; k++)
		i = find_column(s, usual[k], false);
	if (i < 0 && asked)
		return lines_bad(s->l, "there is no column '%s'", asked);
	if (i < 0)
		return lines_bad(s->l, "there is no column '%s'; name one with %s", usual[0],
				 option);
	if (s->c[i].role != IGNORED)
		return lines_bad(s->l, "column '%s' cannot be two things", s->c[i].name);
	s->c[i].role = role;
	s->at[role] = i;
	return 0;
}

/* What limpet show --csv prints. */
static bool is_shown(const struct csv *s)
{
	return find_column(s, "family", true) >= 0 && find_column(s, "instance", true) >= 0;
}

/* Time, node and instance. */
static int give_keys(struct csv *s)
{
	const struct table_opts *o = s->o;
	int err = 0;

	s->rows = o->time && !strcmp(o->time, "@row");
	s->file = o->node && !strcmp(o->node, "@file");
	if (s->rows && !(o->interval_s > 0))
		return fail(
			"'--time @row' needs '--interval SECONDS': how far apart the lines are");
	if (!s->rows)
		err = give(s, TIME, o->time, table_times,
			   "--time, or --time @row if there is none");
	if (!err && !s->file)
		err = give(s, NODE, o->node, table_nodes,
			   "--node, or --node @file if there is none; @column if each column is "
			   "a server");
	if (!err && (o->instance || is_shown(s)))
		err = give(s, INSTANCE, o->instance ? o->instance : "instance", NULL, NULL);
	return err;
}

/* Long and state durations have two columns of their own; else what is left is a metric each. */
static int give_values(struct csv *s, bool *events)
{
	static const char *const pairs[][2] = {{"state", "duration"}, {"metric", "value"}};

	for (size_t i = 0; i < 2; i++) {
		ssize_t name = find_column(s, pairs[i][0], false),
			value = find_column(s, pairs[i][1], false);

		if (name < 0 || value < 0 || s->c[name].role || s->c[value].role)
			continue;
		s->c[s->at[NAME] = name].role = NAME;
		s->c[s->at[VALUE] = value].role = VALUE;
		s->is_long = true;
		*events = i == 0;
		s->at[BYTES] = *events ? find_column(s, "bytes", false) : -1;
		if (s->at[BYTES] >= 0 && s->c[s->at[BYTES]].role)
			s->at[BYTES] = -1;
		if (s->at[BYTES] >= 0)
			s->c[s->at[BYTES]].role = BYTES;
		if (s->rows)
			return lines_bad(s->l, "such a table needs a column of times");
		return 0;
	}
	s->at[FAMILY] = s->at[INSTANCE] < 0 ? -1 : find_column(s, "family", true);
	if (s->at[FAMILY] >= 0 && s->c[s->at[FAMILY]].role)
		s->at[FAMILY] = -1;
	for (size_t i = 0; i < s->n; i++) {
		struct column *c = &s->c[i];
		int err;

		if (c->role || !*c->name || !table_wanted(s->o, c->name))
			continue;
		err = table_name(s->l, &s->t->metrics, "a metric", c->name, strlen(c->name),
				 METRIC_NAME_LEN - 1, &c->metric);
		if (err)
			return err;
		c->role = METRIC;
		for (size_t k = 0; k < i; k++)
			if (s->c[k].role == METRIC && s->c[k].metric == c->metric)
				return lines_bad(s->l, "two columns are named '%s'", c->name);
	}
	return 0;
}

/* Without --instance: of columns that are called as its are, the one with the best name. */
static void guess(struct csv *s)
{
	size_t best = table_no_guess;

	for (size_t i = 0; i < s->n; i++) {
		size_t rank = table_guess_rank(s->c[i].name);

		if ((s->c[i].role != IGNORED && s->c[i].role != METRIC) || rank >= best)
			continue;
		best = rank;
		s->guess = (ssize_t)i;
	}
}

int csv_header(struct csv *s)
{
	ssize_t n = lines_next(s->l, s->f, TABLE_COLUMNS_MAX);
	bool events = false;
	int err;

	/* "sep=;", which tells a spreadsheet what separates */
	if (n > 0 && n <= 2 && !strncmp(s->f[0].s, "sep=", 4)) {
		s->l->sep = s->f[0].s[4] ? s->f[0].s[4] : s->l->sep;
		n = lines_next(s->l, s->f, TABLE_COLUMNS_MAX);
	}
	if (!n)
		fail("'%s' has no line of column names", s->l->name);
	if (n <= 0)
		return n ? (int)n : -EINVAL;
	s->n = (size_t)n;
	s->columns = table_grafana_is(s->f, s->n, s->o);
	if (s->columns)
		return 0;
	s->c = calloc(s->n, sizeof(*s->c));
	if (!s->c)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++) {
		const char *name = s->f[i].s;
		const char *wrong;

		if (!i && *name == '#' && !s->f[i].quoted)
			name += 1 + strspn(name + 1, " ");
		wrong = name_check(name, strlen(name), METRIC_NAME_LEN - 1);
		if (wrong)
			return lines_bad(s->l, "the name of column %zu %s", i + 1, wrong);
		snprintf(s->c[i].name, sizeof(s->c[i].name), "%s", name);
	}
	err = give_keys(s) ?: give_values(s, &events) ?: table_kind(s->t, s->l, events);
	if (err)
		return err;
	if (s->at[INSTANCE] < 0 && !s->rows && !events)
		guess(s);
	s->t->merge |= s->at[INSTANCE] >= 0;
	return 0;
}
