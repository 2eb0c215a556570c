// SPDX-License-Identifier: BSD-2-Clause
/*
 * Examines a table (examine.h): one column, or all that are known, of servers compared in cells of
 * another column, and gives the verdict on it.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examine_table.h"
#include "internal.h"
#include "analyzer/source/frame/frame.h"
#include "analyzer/source/peers.h"
#include "userspace/common/array.h"
#include "userspace/common/options.h"
#include "userspace/common/sort.h"
#include "userspace/common/clock.h"

/* ---- nodes and their groups ------------------------------------------------------------------ */

static int list_nodes(struct job *j)
{
	const struct names *names = &j->t->nodes;

	j->row = calloc(names->n + 1, sizeof(*j->row));
	j->group = calloc(names->n + 1, sizeof(*j->group));
	j->in_group = calloc(names->n + 1, sizeof(*j->in_group));
	if (!j->row || !j->group || !j->in_group)
		return -ENOMEM;
	return verdict_list_servers(j->a, names->at, names->n, NULL, j->row);
}

static int group_nodes(struct job *j)
{
	struct peers_file *p = NULL;
	bool *there; /* of each node: it has a value in this time */
	size_t *count;
	int err = 0;

	if (j->o->peers)
		err = peers_load(&p, j->o->peers);
	if (err)
		return err;
	if (p)
		peers_warn(p, (const char(*)[HOST_LEN])j->a->nodes, j->a->n_nodes, j->o->peers);
	count = calloc(peers_groups(p) + 1, sizeof(*count));
	there = calloc(j->a->n_nodes + 1, sizeof(*there));
	if (!count || !there) {
		err = -ENOMEM;
		goto out;
	}
	for (size_t i = 0; i < j->runs.n; i++)
		there[j->row[j->runs.at[i].node]] = true;
	for (size_t i = 0; i < j->a->n_nodes; i++) {
		j->group[i] = peers_group(p, j->a->nodes[i]);
		if (j->group[i] >= 0)
			count[j->group[i]] += there[i];
	}
	for (size_t i = 0; i < j->a->n_nodes; i++)
		j->in_group[i] = j->group[i] >= 0 && there[i] ? count[j->group[i]] : 0;
out:
	free(there);
	free(count);
	peers_free(p);
	return err;
}

/* Disks of one name on so many servers are peers of each other. */
enum { SAME_NAME_PEERS = 4 };

/* ---- columns --------------------------------------------------------------------------------- */

/* The panels of a column. */
static int column_panels(struct job *j, struct table_column *c, struct table_sets *sets)
{
	int err;

	c->signal = j->a->n_signals;
	err = verdict_add_row(j->a, &c->row);
	if (!err)
		err = table_sets(sets, j->t, &j->runs, c->metric, c->given, j->row, j->group,
				 SAME_NAME_PEERS);
	for (size_t i = 0; i < sets->n && !err; i++) {
		struct table_panel *p = array_refill(&j->panels, &j->n_panels, &j->cap_panels);

		if (!p)
			return -ENOMEM;
		*p = (struct table_panel){
			.t = j->t, .column = c, .e = sets->at[i].e, .n = sets->at[i].n};
		/* In a group of one server or two nobody is judged, and no disk of theirs by the other ones. */
		p->few = j->in_group[p->e->node] < TABLE_SERVERS;
	}
	return err;
}

static int panels_judge(struct job *j)
{
	int err = 0;

	j->sets = calloc(j->columns.n + 1, sizeof(*j->sets));
	if (!j->sets)
		return -ENOMEM;
	for (size_t i = 0; i < j->columns.n && !err; i++)
		err = column_panels(j, &j->columns.at[i], &j->sets[i]);
	return err ? err : table_track(j);
}

/* ---- all ------------------------------------------------------------------------------------- */

static int examine_columns(struct job *j)
{
	struct verdict *a = j->a;
	int err = list_nodes(j);

	if (!err)
		err = table_runs(&j->runs, j->t, j->o->from_ns, j->o->to_ns);
	if (!err)
		err = group_nodes(j);
	if (!err && !j->runs.n)
		a->cannot.why = j->t->n ? CANNOT_NO_VALUE : CANNOT_NO_NUMBER;
	else if (!err && !j->columns.n)
		a->cannot.why = CANNOT_NO_DIRECTION;
	if (!err)
		err = panels_judge(j);
	if (!err)
		err = table_unjudged(j);
	return err ? err : table_silence(j);
}

static void job_release(struct job *j)
{
	for (size_t i = 0; i < j->n_panels; i++)
		table_panel_release(&j->panels[i]);
	free(j->panels);
	for (size_t i = 0; i < j->columns.n && j->sets; i++)
		table_sets_release(&j->sets[i]);
	free(j->sets);
	table_columns_release(&j->columns);
	panel_values_release(&j->values);
	free(j->explained.at);
	free(j->runs.at);
	free(j->row);
	free(j->group);
	free(j->in_group);
	free(j->known);
	track_free(j->track);
}

int examine_table(const struct analysis_opts *o, const struct sources *s, struct verdict *a)
{
	struct job j = {.o = o, .t = &s->table, .a = a};
	int err = table_columns(&j.columns, j.t, o);

	*a = (struct verdict){.method = ROBUST_NAME, .names_causes = true};

	if (!err)
		err = examine_columns(&j);
	if (!err)
		err = table_notes(&j, j.columns.unknown);
	if (err == -ENOMEM)
		fail("out of memory");
	if (err)
		verdict_release(a);
	job_release(&j);
	return err;
}
