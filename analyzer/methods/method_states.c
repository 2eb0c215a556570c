// SPDX-License-Identifier: BSD-2-Clause
/* method_states.h: from sources to the servers that states are of, and to what a method makes of them. */
#include "method_states.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/source/peers.h"
#include "analyzer/source/source.h"
#include "method.h"
#include "userspace/common/options.h"

static void mark_charged(const struct states *s, bool *there)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].node < s->nodes.n)
			there[s->at[i].node] = true;
	for (size_t i = 0; s->no_peer && i < s->nodes.n; i++)
		there[i] &= !s->no_peer[i];
}

static int list(struct state_nodes *n, struct verdict *v, const struct states *s)
{
	bool *there = calloc(s->nodes.n + 1, sizeof(*there));
	int err = -ENOMEM;

	if (there) {
		mark_charged(s, there);
		err = verdict_list_servers(v, s->nodes.at, s->nodes.n, there, n->row);
	}
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
		n->group[i] =
			n->row[i] == SIZE_MAX ? PEERS_NONE : peers_group(peers, s->nodes.at[i]);
	peers_free(peers);
	return 0;
}

int state_nodes_list(struct state_nodes *n, struct verdict *v, const struct states *s,
		     const char *peers)
{
	n->row = calloc(s->nodes.n + 1, sizeof(*n->row));
	n->group = calloc(s->nodes.n + 1, sizeof(*n->group));
	if (!n->row || !n->group)
		return -ENOMEM;
	return list(n, v, s) ?: group(n, v, s, peers);
}

void state_nodes_release(struct state_nodes *n)
{
	free(n->row);
	free(n->group);
	*n = (struct state_nodes){0};
}

/* ---- from sources to verdict ---------------------------------------------------------------------------------- */

/* What was odd about the logs, line by line. */
static int note_states(struct verdict *v, const struct states *s)
{
	struct text lines TEXT_SCOPED = {0};

	states_report(&lines, s);
	return lines.failed ? -ENOMEM : verdict_note_lines(v, text_of(&lines));
}

static int judge_sources(struct verdict *v, const struct sources *s, const struct method *m,
			 const struct analysis_opts *o)
{
	struct state_nodes nodes = {0};
	int err = state_nodes_list(&nodes, v, &s->states, o->peers);

	err = err ?: m->judge_states(v, &s->states, &nodes, o) ?: note_states(v, &s->states);
	err = err ?: method_note_sources(v, s);
	state_nodes_release(&nodes);
	return err;
}

int method_states(struct verdict *v, const struct method *const *chosen,
		  const struct analysis_opts *o, char *const *paths, size_t n_paths)
{
	struct sources s = {0};
	int err;

	*v = (struct verdict){0};
	err = sources_open(&s, paths, n_paths, &o->table, &o->logs);
	if (!err)
		err = method_options_meant(o, &s, READS_STATES)
			      ?: judge_sources(v, &s, chosen[0], o);
	else if (err == -ENODATA) /* sources_open() said so */
		err = 0;
	if (!v->cannot.why && !v->n_nodes)
		v->cannot.why = s.n || s.tabular ? CANNOT_NO_STATE : CANNOT_EMPTY_SOURCE;
	snprintf(v->method, sizeof(v->method), "%s", chosen[0]->name);
	if (err == -ENOMEM)
		fail("out of memory");
	if (err)
		verdict_release(v);
	sources_release(&s);
	return err;
}
