// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which column tells the rows of one server and time apart: the one of --instance, else one that is called as such
 * columns are, if there are such rows. Where there are and no column is known, the table is refused.
 */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "userspace/common/sort.h"

/* The more exact ones first: a table may have several. */
static const struct instance_name {
	const char *name;
	bool numbers; /* whole numbers are names there, too; else a column of numbers is a metric */
} instance_names[] = {
	/* sysstat, iostat -o JSON, node_exporter, blktrace, smartctl */
	{"device", true},
	{"disk_device", true},
	{"dev", true},
	{"block_device", true},
	{"disk", false},
	{"disk_name", true},
	{"drive", true},
	/* Ceph, Lustre, GlusterFS, BeeGFS */
	{"osd", true},
	{"osd_id", true},
	{"ceph_daemon", true},
	{"ost", true},
	{"ost_name", true},
	{"mdt", true},
	{"target", false},
	{"brick", true},
	/* arrays and volumes */
	{"lun", true},
	{"volume", false},
	{"mountpoint", false},
	{"mount", false},
	/* network, processors */
	{"interface", false},
	{"iface", false},
	{"nic", true},
	{"cpu", false},
	/* limpet show, and others */
	{"instance", true},
};
enum { INSTANCE_NAMES = sizeof(instance_names) / sizeof(*instance_names) };
const size_t table_no_guess = INSTANCE_NAMES;

size_t table_guess_rank(const char *column)
{
	return index_if(i, INSTANCE_NAMES, !strcasecmp(instance_names[i].name, column));
}

/* Text is a name; a number may be one, too, but no measurement is. */
static void look_at(struct table_guess *g, const char *name, size_t len)
{
	double v;

	if (number_parse(name, len, &v) == NUMBER_TEXT)
		g->text = true;
	else if (!instance_names[g->rank].numbers || !(v >= 0) || v != floor(v))
		g->measured = true;
}

uint32_t table_guess(struct table *t, const char *column, const char *name, size_t len)
{
	struct table_guess *g = &t->guess;
	int64_t number;

	if (!*g->column) {
		snprintf(g->column, sizeof(g->column), "%s", column);
		g->rank = table_guess_rank(column);
	}
	if (!len || name_check(name, len, TABLE_INSTANCE_MAX))
		return TABLE_GUESSED;
	number = names_find_n(&t->instances, name, len);
	if (number < 0) {
		look_at(g, name, len);
		number = g->measured ? 0 : names_add_n(&t->instances, name, len);
	}
	/* more names than there may be are none of disks */
	return TABLE_GUESSED | (number < 0 ? 0 : (uint32_t)number);
}

/* ---- whether it is one ------------------------------------------------------------------------ */

/* Of rows in order of node, metric and time: times of a node and metric, and how many have rows of several names. */
struct instance_count {
	size_t times, several;
};

static bool same_time(const struct sample *a, const struct sample *b)
{
	return a->time_ns == b->time_ns && a->node == b->node && a->metric == b->metric;
}

static struct instance_count count_times(const struct table *t)
{
	struct instance_count c = {0};

	for (size_t i = 0, end; i < t->n; i = end) {
		bool several = false;

		for (end = i; end < t->n && same_time(&t->at[i], &t->at[end]); end++)
			several |= t->at[end].instance != t->at[i].instance;
		c.times++;
		c.several += several;
	}
	return c;
}

/* The guess becomes what it was taken for, or nothing; a column of names is no metric, whatever numbers it has. */
static void settle(struct table *t, bool taken)
{
	int64_t metric = taken || t->guess.text ? names_find(&t->metrics, t->guess.column) : -1;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct sample s = t->at[i];

		if (metric >= 0 && s.metric == (uint32_t)metric)
			continue;
		if (s.instance & TABLE_GUESSED)
			s.instance = taken ? s.instance & ~TABLE_GUESSED : 0;
		t->at[n++] = s;
	}
	t->n = n;
}

enum { SEVERAL = 10 }; /* one of so many times has rows that it tells apart */

int table_settle(struct table *t, const struct table_opts *o)
{
	const struct table_guess *g = &t->guess;
	struct instance_count c = {0};
	bool taken;

	if (!g->measured)
		c = count_times(t);
	taken = c.several && SEVERAL * c.several >= c.times;
	settle(t, taken);
	t->merge |= taken;
	t->guess.taken = taken;
	if (taken)
		return table_note(t, "column '%s' tells disks of a server apart: --instance %s",
				  g->column, g->column);
	if (o->metrics.n || (!g->text && names_find(&t->metrics, g->column) >= 0))
		return 0;
	t->ignored_columns++;
	return table_note(t, "left out: columns %s", g->column);
}

/* ---- rows that nothing tells apart --------------------------------------------------------------- */

/* Those of a server's rows that come again for half of the times or more, a twentieth of them with another value: a
 * table that is given twice has the same. */
static bool is_ambiguous(const struct table_repeats *r)
{
	return r->again && 2 * r->again >= r->times && 20 * r->differ >= r->times;
}

/* "; of text are: slot, serial" */
static void list_columns(const struct names *texts, char *to, size_t size)
{
	enum { NAMED = 6 };
	size_t len = 0;

	*to = 0;
	for (size_t i = 0; i < texts->n && i < NAMED && len < size; i++)
		len += (size_t)snprintf(to + len, size - len, "%s%s",
					i ? ", " : "; columns of text are: ", texts->at[i]);
	if (texts->n > NAMED && len < size)
		snprintf(to + len, size - len, " and %zu more", texts->n - NAMED);
}

int table_refuse(const struct table *t, const struct table_opts *o, const struct table_repeats *of)
{
	const char *by = o->instance ? o->instance : t->guess.taken ? t->guess.column : NULL;
	const struct table_repeats *r = of;
	char list[700];

	while (r < of + t->metrics.n && !is_ambiguous(r))
		r++;
	/* two servers of one name, of which sar knows no better */
	if (r == of + t->metrics.n || t->sysstat)
		return 0;
	list_columns(&t->texts, list, sizeof(list));
	if (by)
		fail("each server and %s has %.0f rows at one time: another column must tell them "
		     "apart; give it with --instance%s",
		     by, (double)r->rows / (double)r->times, list);
	else
		fail("each server has %.0f rows at one time: which column tells them apart? Give "
		     "it with --instance%s",
		     (double)r->rows / (double)r->times, list);
	return -EINVAL;
}
