// SPDX-License-Identifier: BSD-2-Clause
/* method_states.h: from sources to the servers that states are of, and to what a method makes of them. */
#include "method_states.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/input/peers.h"
#include "analyzer/input/source.h"
#include "method.h"
#include "userspace/common/options.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

struct named {
	const char *name;
	size_t number;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static void mark(const struct states *s, bool *there)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].node < s->nodes.n)
			there[s->at[i].node] = true;
	for (size_t i = 0; s->no_peer && i < s->nodes.n; i++)
		there[i] &= !s->no_peer[i];
}

static int list(struct state_nodes *n, struct verdict *v, const struct states *s)
{
	struct named *order = calloc(s->nodes.n + 1, sizeof(*order));
	bool *there = calloc(s->nodes.n + 1, sizeof(*there));
	int err = -ENOMEM;

	v->nodes = calloc(s->nodes.n + 1, sizeof(*v->nodes));
	v->judged = calloc(s->nodes.n + 1, sizeof(*v->judged));
	if (!order || !there || !v->nodes || !v->judged)
		goto out;
	mark(s, there);
	for (size_t i = 0; i < s->nodes.n; i++) {
		n->row[i] = SIZE_MAX;
		n->group[i] = PEERS_NONE;
		if (there[i])
			order[v->n_nodes++] = (struct named){s->nodes.at[i], i};
	}
	sort(order, v->n_nodes, by_name);
	for (size_t i = 0; i < v->n_nodes; i++) {
		snprintf(v->nodes[i], sizeof(v->nodes[i]), "%s", order[i].name);
		n->row[order[i].number] = i;
	}
	err = 0;
out:
	free(order);
	free(there);
	return err;
}

static int group(struct state_nodes *n, const struct verdict *v, const struct states *s,
		 const char *path)
{
	struct peers_file *peers = NULL;
	int err = path ? peers_load(&peers, path) : 0;

	if (err)
		return err;
	if (peers)
		peers_warn(peers, (const char(*)[HOST_LEN])v->nodes, v->n_nodes, path);
	for (size_t i = 0; i < s->nodes.n; i++)
		if (n->row[i] != SIZE_MAX)
			n->group[i] = peers_group(peers, s->nodes.at[i]);
	peers_free(peers);
	return 0;
}

int state_nodes_list(struct state_nodes *n, struct verdict *v, const struct states *s,
		     const char *peers)
{
	int err;

	n->row = calloc(s->nodes.n + 1, sizeof(*n->row));
	n->group = calloc(s->nodes.n + 1, sizeof(*n->group));
	if (!n->row || !n->group)
		return -ENOMEM;
	err = list(n, v, s);
	return err ? err : group(n, v, s, peers);
}

void state_nodes_release(struct state_nodes *n)
{
	free(n->row);
	free(n->group);
	*n = (struct state_nodes){0};
}

static int by_score(const void *a, const void *b)
{
	const struct incident *x = a, *y = b;

	return ORDER(y->findings[0].z, x->findings[0].z) ?: ORDER(x->node, y->node);
}

void state_incidents_sort(struct verdict *v)
{
	sort(v->incidents, v->n_incidents, by_score);
}

/* ---- from sources to verdict ---------------------------------------------------------------------------------- */

/* What was odd about the logs, line by line. */
static int note_states(struct verdict *v, const struct states *s)
{
	struct text lines TEXT_SCOPED = {0};

	states_report(&lines, s);
	return lines.failed ? -ENOMEM : verdict_note_lines(v, text_of(&lines));
}

static int judge_sources(struct verdict *v, const struct sources *s, judge_states judge,
			 const struct analysis_opts *o)
{
	struct state_nodes nodes = {0};
	int err = state_nodes_list(&nodes, v, &s->states, o->peers);

	if (!err)
		err = judge(v, &s->states, &nodes, o);
	if (!err)
		err = note_states(v, &s->states);
	if (!err)
		err = method_note_sources(v, s);
	state_nodes_release(&nodes);
	return err;
}

int method_states(struct verdict *v, const char *method, judge_states judge,
		  const struct analysis_opts *o, char *const *paths, size_t n_paths)
{
	struct sources s = {0};
	int err;

	*v = (struct verdict){0};
	err = sources_open(&s, paths, n_paths, &o->table, &o->logs);
	if (!err)
		err = judge_sources(v, &s, judge, o);
	else if (err == -ENODATA) /* sources_open() said so */
		err = 0;
	if (!v->cannot.why && !v->n_nodes)
		v->cannot.why = s.n || s.tabular ? CANNOT_NO_STATE : CANNOT_EMPTY_SOURCE;
	snprintf(v->method, sizeof(v->method), "%s", method);
	if (err == -ENOMEM)
		fail("out of memory");
	if (err)
		verdict_release(v);
	sources_release(&s);
	return err;
}
