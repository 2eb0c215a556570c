// SPDX-License-Identifier: BSD-2-Clause
/* Which nodes the states are of, and who is compared with whom; and in the end, which were not judged and why. */
#include "internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/source/peers.h"
#include "userspace/common/clock.h"

/* ---- nodes -------------------------------------------------------------------------------------- */

/*
 * Which nodes the states are of, and who is compared with whom: as --peers says; without it, nodes that worked together.
 * Those that share no job and no transfer, directly or through others, are of two clusters, and each is
 * judged by itself.
 */

/* Servers: nodes that are charged with something, or have the data of it. Clients are none. */
static void mark_servers(const struct states *s, bool *there)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];

		if (x->node < s->nodes.n)
			there[x->node] = true;
		if (x->peer < s->nodes.n && states_peer_serves(x->kind))
			there[x->peer] = true;
	}
	for (size_t i = 0; s->no_peer && i < s->nodes.n; i++)
		there[i] &= !s->no_peer[i];
}

static int list(struct states_job *j)
{
	const struct names *names = &j->s->nodes;
	bool *there = scratch_array(&j->room, names->n, sizeof(*there));
	int err;

	j->row = scratch_array(&j->room, names->n, sizeof(*j->row));
	j->group = scratch_array(&j->room, names->n, sizeof(*j->group));
	j->reasons = scratch_array(&j->room, names->n, sizeof(*j->reasons));
	if (j->room.failed)
		return -ENOMEM;
	mark_servers(j->s, there);
	err = verdict_list_servers(j->a, names->at, names->n, there, j->row);
	for (size_t i = 0; i < j->s->n && !err; i++) {
		const struct state *x = &j->s->at[i];
		size_t row = states_row(j, x->node);

		if (row != SIZE_MAX && state_rows[x->kind].role != STATE_TELLS)
			j->reasons[row].ended |= x->outcome == OUTCOME_OK;
	}
	return err;
}

double state_seconds(const struct state *x)
{
	return (double)(x->end_ns - x->start_ns) / 1e9;
}

size_t states_row(const struct states_job *j, uint32_t node)
{
	return node < j->s->nodes.n ? j->row[node] : SIZE_MAX;
}

size_t states_compared_row(const struct states_job *j, uint32_t node)
{
	size_t row = states_row(j, node);

	return row == SIZE_MAX || j->group[row] < 0 ? SIZE_MAX : row;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static int listed(struct states_job *j)
{
	struct peers_file *p = NULL;
	int err = peers_load(&p, j->o->peers);

	if (err)
		return err;
	peers_warn(p, (const char(*)[HOST_LEN])j->a->nodes, j->a->n_nodes, j->o->peers);
	for (size_t i = 0; i < j->a->n_nodes; i++)
		j->group[i] = peers_group(p, j->a->nodes[i]);
	j->n_groups = peers_groups(p);
	err = verdict_set_groups(j->a, j->n_groups, j->group);
	peers_labels(p, j->a->groups, j->a->n_groups);
	peers_free(p);
	return err;
}

static size_t root(size_t *of, size_t i)
{
	while (of[i] != i)
		i = of[i] = of[of[i]];
	return i;
}

/* of: nodes, then jobs. */
static void join_all(const struct states_job *j, size_t *of)
{
	const struct states *s = j->s;
	size_t n = j->a->n_nodes, row, peer;

	for (size_t i = 0; i < s->n; i++) {
		row = states_row(j, s->at[i].node);
		peer = states_row(j, s->at[i].peer);
		if (row != SIZE_MAX && s->at[i].job < s->jobs.n)
			of[root(of, row)] = root(of, n + s->at[i].job);
		if (row != SIZE_MAX && peer != SIZE_MAX)
			of[root(of, row)] = root(of, peer);
	}
}

/* Nodes that nothing connects with any other are one more group: a log may say nothing of whom they worked with. */
static int components(struct states_job *j)
{
	struct scratch room SCRATCH_SCOPED = {0};
	size_t n = j->a->n_nodes, all = n + j->s->jobs.n;
	size_t *of = scratch_array(&room, all, sizeof(*of));
	size_t *count = scratch_array(&room, all, sizeof(*count));
	int32_t *number = scratch_array(&room, all, sizeof(*number)), singles = -1, groups = 0;

	if (room.failed)
		return -ENOMEM;
	for (size_t i = 0; i < all; i++) {
		of[i] = i;
		number[i] = -1;
	}
	join_all(j, of);
	for (size_t i = 0; i < n; i++)
		count[root(of, i)]++;
	for (size_t i = 0; i < n; i++) {
		size_t r = root(of, i);
		int32_t *at = count[r] > 1 ? &number[r] : &singles;

		if (*at < 0)
			*at = groups++;
		j->group[i] = *at;
	}
	j->n_groups = (size_t)groups;
	return groups > 1 ? verdict_set_groups(j->a, j->n_groups, j->group) : 0;
}

/* Each line is a note. */
static int tell_groups(struct states_job *j)
{
	struct text t TEXT_SCOPED = {0};

	if (j->s->counts.away)
		text_add(&t, "%" PRIu64 " " STATES_AWAY "\n", j->s->counts.away);
	if (j->n_groups > 1)
		text_add(&t,
			 "the logs are of %zu clusters: their servers share no job and no "
			 "transfer, and each is judged by itself\n",
			 j->n_groups);
	text_put(&t, text_of(&j->s->nameless));
	return t.failed ? -ENOMEM : verdict_note_lines(j->a, text_of(&t));
}

static int gather_groups(struct states_job *j)
{
	size_t n = j->a->n_nodes;

	j->group_first = scratch_array(&j->room, j->n_groups + 1, sizeof(*j->group_first));
	j->by_group = scratch_array(&j->room, n, sizeof(*j->by_group));
	if (j->room.failed)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (j->group[i] >= 0)
			j->group_first[j->group[i]]++;
	for (size_t g = 1; g <= j->n_groups; g++)
		j->group_first[g] += j->group_first[g - 1];
	for (size_t i = n; i-- > 0;)
		if (j->group[i] >= 0)
			j->by_group[--j->group_first[j->group[i]]] = (uint32_t)i;
	return 0;
}

size_t states_in_group(const struct states_job *j, int32_t group)
{
	return j->group_first[group + 1] - j->group_first[group];
}

int states_nodes(struct states_job *j)
{
	int err = list(j);

	if (j->o->peers)
		err = err ?: listed(j);
	else
		err = err ?: components(j) ?: tell_groups(j);
	return err ?: gather_groups(j);
}

/* ---- nodes that were not judged ----------------------------------------------------------------- */

static struct unjudged why_not(const struct states_job *j, size_t i)
{
	const struct state_reason *r = &j->reasons[i];
	struct unjudged x = {.node = i, .signal = SIGNAL_ALL};

	if (j->group[i] < 0)
		x.why = UNJUDGED_NO_GROUP;
	else if (states_in_group(j, j->group[i]) < STATES_NODES)
		x.why = UNJUDGED_FEW_SERVERS;
	else if (!r->compared)
		x.why = r->ended ? UNJUDGED_FEW_LIKE : UNJUDGED_NONE_ENDED;
	else if (r->values < STATES_VALUES) {
		x.why = UNJUDGED_FEW_VALUES;
		x.n = r->values;
		x.needed = STATES_VALUES;
		x.window_s = s_of_ns(j->a->to_ns - j->a->from_ns);
	} else {
		x.why = UNJUDGED_FEW_PEERS;
		x.needed = STATES_VALUES;
	}
	return x;
}

int states_unjudged(struct states_job *j)
{
	struct verdict *a = j->a;
	int err = 0;

	for (size_t i = 0; i < a->n_nodes && !err; i++) {
		struct unjudged why = why_not(j, i);

		a->judged[i] = j->reasons[i].judged;
		if (!a->judged[i])
			err = verdict_add_unjudged(a, &why);
	}
	/* all was done by nodes that are nobody's peers: Spark's driver, which is its own executor */
	if (!err && !a->n_nodes && j->s->n)
		a->cannot = (struct cannot){.why = CANNOT_UNJUDGED,
					    .server = {.why = UNJUDGED_FEW_SERVERS}};
	if (!err)
		verdict_nobody_judged(a);
	return err;
}
