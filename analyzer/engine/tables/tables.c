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
	size_t *count;
	int err = 0;

	if (j->o->peers)
		err = peers_load(&p, j->o->peers);
	if (err)
		return err;
	if (p)
		peers_warn(p, (const char(*)[HOST_LEN])j->a->nodes, j->a->n_nodes, j->o->peers);
	j->n_groups = peers_groups(p);
	for (size_t i = 0; i < j->a->n_nodes && p; i++)
		j->group[i] = peers_group(p, j->a->nodes[i]);
	err = p ? 0 : table_groups(j);
	if (!err && (p || j->n_groups > 1))
		err = verdict_set_groups(j->a, j->n_groups, j->group);
	peers_labels(p, j->a->groups, j->a->n_groups);
	count = calloc(j->n_groups + 1, sizeof(*count));
	/* at first only whether it has a value in this time */
	for (size_t i = 0; i < j->runs.n; i++)
		j->in_group[j->row[j->runs.at[i].node]] = 1;
	for (size_t i = 0; i < j->a->n_nodes && count; i++) {
		if (j->group[i] < 0)
			j->in_group[i] = 0;
		else
			count[j->group[i]] += j->in_group[i];
	}
	for (size_t i = 0; i < j->a->n_nodes && count; i++)
		if (j->in_group[i])
			j->in_group[i] = count[j->group[i]];
	err = count ? err : -ENOMEM;
	free(count);
	peers_free(p);
	return err;
}

/* ---- columns --------------------------------------------------------------------------------- */

static int panels_judge(struct job *j)
{
	int err = 0;

	for (size_t i = 0; i < j->columns.n && !err; i++) {
		struct table_column *c = &j->columns.at[i];

		c->signal = j->a->n_signals;
		err = verdict_add_row(j->a, &c->row) ?: table_panels(j, c);
	}
	return err ?: table_track(j);
}

/* ---- all ------------------------------------------------------------------------------------- */

static int examine_columns(struct job *j)
{
	struct verdict *a = j->a;
	int err = list_nodes(j) ?: table_runs(&j->runs, j->t, j->o->from_ns, j->o->to_ns)
			?: group_nodes(j);

	if (!err && !j->runs.n && j->t->n) {
		a->cannot.why = CANNOT_NO_VALUE;
		table_span(j->t, &a->cannot.from_ns, &a->cannot.to_ns);
	} else if (!err && !j->runs.n) {
		a->cannot.why = CANNOT_NO_NUMBER;
	} else if (!err && !j->columns.n) {
		a->cannot.why = CANNOT_NO_DIRECTION;
	}
	return err ?: panels_judge(j) ?: table_unjudged(j) ?: table_silence(j) ?: table_hint(j);
}

static void job_release(struct job *j)
{
	for (size_t i = 0; i < j->n_panels; i++)
		table_panel_release(&j->panels[i]);
	free(j->panels);
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

	err = err ?: examine_columns(&j) ?: table_notes(&j);
	if (err == -ENOMEM)
		fail("out of memory");
	if (err)
		verdict_release(a);
	job_release(&j);
	return err;
}
