// SPDX-License-Identifier: BSD-2-Clause
/* What else the verdict says of a table: which servers and instances were judged, why others were not, what was met. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "userspace/common/clock.h"

/* Why a server could not be judged, the best of what its columns say. */
struct reason {
	size_t values;
	double span_s; /* in so much time */
	/* of the column in which it was compared most often: intervals, how many are needed, and how long they are */
	size_t intervals;
	unsigned int needed;
	double interval_s;
	bool judged, compared;
	enum unjudged_why unlogged; /* 0: all values have a logarithm */
	double step_s,
		peers_s; /* its values and those of its peers come so often, too seldom for their intervals; 0: often enough */
	bool alone;	 /* no peer under its load in most intervals, in some column */
	size_t slow, of; /* two groups; 0: none */
};

static bool is_judged(const struct table_panel *p, size_t i)
{
	return !p->few && p->panel.track.at[i].tested && !panel_is_alone(&p->panel, i) &&
	       !p->panel.track.group.halves;
}

static void reason_add(struct reason *r, const struct table_panel *p, size_t i)
{
	const struct evidence_group *group = &p->panel.track.group;
	const struct track_entity *st = &p->panel.track.at[i];
	const struct table_entity *e = &p->e[i];

	r->values += e->values;
	r->span_s = fmax(r->span_s, s_of_ns(p->end_ns - p->begin_ns));
	if (st->judged >= r->intervals) {
		r->intervals = st->judged;
		r->needed = 1U << (p->shortest - 1);
		r->interval_s = s_of_ns(p->interval_ns);
	}
	if (e->step_ns > (double)p->interval_ns) {
		r->step_s = e->step_ns / 1e9;
		r->peers_s = p->step_ns / 1e9;
	}
	r->unlogged = e->unlogged ? e->unlogged : r->unlogged;
	r->compared |= st->judged > 0;
	r->alone |= panel_is_alone(&p->panel, i);
	r->judged |= is_judged(p, i);
	if (group->halves) {
		r->slow = group->slow;
		r->of = group->of;
	}
}

static enum unjudged_why why_not_instance(const struct table_panel *p, size_t i)
{
	return p->few			      ? UNJUDGED_FEW_SERVERS
	       : !p->e[i].values	      ? UNJUDGED_NO_VALUE
	       : panel_is_alone(&p->panel, i) ? UNJUDGED_LOAD
	       : p->panel.track.group.halves  ? UNJUDGED_HALVES
					      : UNJUDGED_FEW_PEERS;
}

/* An instance has peers of its own, and so a status. */
static int instance_add(struct verdict *a, const struct table_panel *p, size_t i)
{
	struct part x = {.node = p->e[i].node, .judged = is_judged(p, i)};

	if (!*p->e[i].name)
		return 0; /* that is the server itself */
	x.why = why_not_instance(p, i);
	snprintf(x.disk, sizeof(x.disk), "%s", p->e[i].name);
	return verdict_part(a, &x);
}

/* Whether a node was judged; else why not. */
static bool why_not(const struct job *j, size_t i, const struct reason *r, struct unjudged *x)
{
	if (j->group[i] < 0)
		x->why = UNJUDGED_NO_GROUP;
	else if (!r->values && r->unlogged)
		x->why = r->unlogged;
	else if (j->in_group[i] && j->in_group[i] < TABLE_SERVERS)
		x->why = UNJUDGED_FEW_SERVERS;
	else if (!r->values)
		x->why = UNJUDGED_NO_VALUE;
	else if (r->judged)
		return false; /* in some column */
	else if (r->alone)
		x->why = UNJUDGED_LOAD;
	else if (r->of) {
		x->why = UNJUDGED_HALVES;
		x->n = r->slow;
	} else if (r->step_s > 0 && r->values >= EVIDENCE_VALUES) {
		x->why = UNJUDGED_SELDOM;
		x->window_s = r->step_s;
		x->peers_s = r->peers_s;
	} else if (!r->compared)
		x->why = UNJUDGED_FEW_PEERS;
	else if (r->intervals >= r->needed)
		x->why = UNJUDGED_TOO_FEW; /* never so many of them in one window */
	else if (r->values >= EVIDENCE_VALUES) {
		x->why = UNJUDGED_FEW_WINDOWS;
		x->n = r->intervals;
		x->needed = r->needed;
		x->window_s = r->interval_s;
	} else {
		x->why = UNJUDGED_FEW_VALUES;
		x->n = r->values;
		x->needed = EVIDENCE_VALUES;
		x->window_s = r->span_s;
	}
	return true;
}

static int servers_unjudged(struct job *j, const struct reason *reasons)
{
	struct verdict *a = j->a;
	int err = 0;

	for (size_t i = 0; i < a->n_nodes && !err; i++) {
		struct unjudged x = {.node = i, .signal = SIGNAL_ALL};

		a->judged[i] = !why_not(j, i, &reasons[i], &x);
		if (!a->judged[i])
			err = verdict_add_unjudged(a, &x);
	}
	return err;
}

int table_unjudged(struct job *j)
{
	struct verdict *a = j->a;
	struct reason *reasons = calloc(a->n_nodes + 1, sizeof(*reasons));
	int err = reasons ? 0 : -ENOMEM;

	for (size_t k = 0; k < j->n_panels && !err; k++) {
		const struct table_panel *p = &j->panels[k];

		for (size_t i = 0; i < p->n && !err; i++) {
			if (!p->few)
				reason_add(&reasons[p->e[i].node], p, i);
			err = instance_add(a, p, i);
		}
	}
	err = err ? err : servers_unjudged(j, reasons);
	free(reasons);
	for (size_t k = 0; k < j->n_panels && !err; k++)
		err = panel_unjudged(&j->panels[k].panel, a);
	if (err)
		return err;
	panel_unjudged_sort(a);
	verdict_nobody_judged(a);
	return 0;
}

/* The one server's disks may be each other's peers, where a column names them. */
static int note_disks(struct job *j)
{
	const struct table *t = j->t;
	const char *column = j->o->table.instance ?: t->guess.taken ? t->guess.column : NULL;
	struct text line TEXT_SCOPED = {0};

	/* instance 0 has no name */
	if (t->nodes.n != 1 || !column || t->instances.n <= TABLE_SERVERS)
		return 0;
	text_add(&line,
		 "there is one server; --node %s compares what '%s' tells apart on it, each as if "
		 "it were a server",
		 column, column);
	return line.failed ? -ENOMEM : verdict_note_lines(j->a, text_of(&line));
}

/* What was met while the table was read, and what was not judged. */
int table_notes(struct job *j)
{
	const struct table_opts *o = &j->o->table;
	char *columns = j->columns.unknown;
	struct text lines TEXT_SCOPED = {0};
	int err;

	table_report(&lines, j->t);
	if (o->interval_s > 0 && (!o->time || strcmp(o->time, "@row") != 0))
		text_put(&lines, "'--interval' does not change what is judged: this method has "
				 "intervals of its own\n");
	err = lines.failed ? -ENOMEM : verdict_note_lines(j->a, text_of(&lines));
	err = err ?: note_disks(j);
	if (!err && columns)
		err = verdict_note(j->a, &(struct note){.kind = NOTE_COLUMNS, .text = columns});
	if (!err && j->t->duplicates)
		err = verdict_note(j->a, &(struct note){.kind = NOTE_REPEATED});
	j->a->duplicates = j->t->duplicates;
	j->a->damaged = j->t->damaged;
	return err;
}
