// SPDX-License-Identifier: BSD-2-Clause
/* Which servers and disks of a table are of two kinds, by what they are and do (internal.h). */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyzer/source/peers.h"
#include "analyzer/stat/stats.h"
#include "analyzer/verdict/status.h"
#include "userspace/common/scratch.h"
#include "userspace/common/sort.h"

/* ---- levels ---------------------------------------------------------------------------------- */

/* In equal parts of a time: what a server or disk had in them. */
struct parts_levels {
	const struct table *t;
	const struct table_column *c; /* NULL: of a load */
	double from, to;
	double *room;
};

enum { PART_VALUES = 4 }; /* in each part, or nothing is known of it */

static double level_ln(const struct parts_levels *x, double value)
{
	return x->c ? table_ln(&(struct table_panel){.column = x->c}, value)
		    : (value > 0 ? log(value) : NAN);
}

/* Adds the values of samples [begin, end) in part `part` to the n in x->room. */
static size_t part_values(const struct parts_levels *x, size_t begin, size_t end, size_t part,
			  size_t n)
{
	for (size_t i = begin; i < end; i++) {
		const struct sample *at = &x->t->at[i];
		double share = ((double)at->time_ns - x->from) / (x->to - x->from);
		size_t of = share < 1 ? (size_t)(share * KINDS_TIMES) : KINDS_TIMES - 1;
		double ln = of == part ? level_ln(x, at->value) : NAN;

		if (isfinite(ln))
			x->room[n++] = ln;
	}
	return n;
}

static double part_level(const struct parts_levels *x, size_t n)
{
	return n >= PART_VALUES ? stats_quantile(x->room, n, 0.5) : NAN;
}

/* Of n runs of one metric, by node: the time, and the most samples of a node. */
static size_t course_span(struct parts_levels *x, const struct table_run *r, size_t n)
{
	size_t most = 0, own = 0;

	x->from = INFINITY;
	x->to = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		x->from = fmin(x->from, (double)x->t->at[r[i].begin].time_ns);
		x->to = fmax(x->to, (double)x->t->at[r[i].end - 1].time_ns);
		own = i && r[i].node == r[i - 1].node ? own : 0;
		own += r[i].end - r[i].begin;
		most = own > most ? own : most;
	}
	return most;
}

/* The levels of all servers, each with all that it has of a metric: j->a->n_nodes of KINDS_TIMES, or NULL: out of memory. */
static double *server_levels(const struct job *j, const struct table_column *c, uint32_t metric,
			     struct scratch *room)
{
	const struct table_runs *r = &j->runs;
	size_t n = j->a->n_nodes, i = search_first(k, r->n, r->at[k].metric < metric);
	size_t last = search_first(k, r->n, r->at[k].metric <= metric);
	struct parts_levels x = {.t = j->t, .c = c};
	double *at = scratch_array(room, n * KINDS_TIMES, sizeof(*at));

	x.room = scratch_array(room, course_span(&x, r->at + i, last - i), sizeof(*x.room));
	if (room->failed)
		return NULL;
	for (size_t k = 0; k < n * KINDS_TIMES; k++)
		at[k] = NAN;
	for (size_t end; i < last && x.to > x.from; i = end) {
		double *own = at + j->row[r->at[i].node] * KINDS_TIMES;

		for (end = i + 1; end < last && r->at[end].node == r->at[i].node;)
			end++;
		for (size_t part = 0; part < KINDS_TIMES; part++) {
			size_t values = 0;

			for (size_t k = i; k < end; k++)
				values =
					part_values(&x, r->at[k].begin, r->at[k].end, part, values);
			own[part] = part_level(&x, values);
		}
	}
	return at;
}

/* ---- what load does --------------------------------------------------------------------------- */

/* ln: differences by which loads have nothing in common, and by which a kind differs at one load. */
static const double LOADS_APART = 1.386, KIND_APART = 0.2231; /* 4, 1.25 */

static double mean_level(const double *course, const size_t *of, size_t n)
{
	double sum = 0;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t t = 0; t < KINDS_TIMES; t++)
			if (isfinite(course[of[i] * KINDS_TIMES + t])) {
				sum += course[of[i] * KINDS_TIMES + t];
				k++;
			}
	return k ? sum / (double)k : NAN;
}

/* What is left of a difference (ln) where b has `more` load (ln): a value grows with its square at most. NaN: it may be of the load. */
static double beside_load(double apart, double more)
{
	if (isnan(more))
		return NAN;
	if (fabs(more) >= LOADS_APART)
		return apart;
	return fabs(apart) - 2 * fmax(0, copysign(1, apart) * more) >= KIND_APART ? apart : NAN;
}

/* Two kinds of servers, in numbers of the verdict's. */
struct two {
	size_t *a, *b;
	size_t n_a, n_b;
};

static double servers_apart(const struct two *x, const double *levels, const double *loads,
			    double *room)
{
	double apart = kinds_apart(levels, x->a, x->n_a, x->b, x->n_b, room);

	if (isnan(apart) || !loads)
		return apart;
	return beside_load(apart,
			   mean_level(loads, x->b, x->n_b) - mean_level(loads, x->a, x->n_a));
}

/* A column that servers may be told apart by. */
static bool tells_kinds(const struct job *j, const struct table_column *c)
{
	return c->row.role == ROLE_LOCAL && !j->t->events;
}

static int column_levels(const struct job *j, const struct table_column *c, struct scratch *room,
			 const double **levels, const double **loads)
{
	*levels = server_levels(j, c, c->metric, room);
	*loads = c->given >= 0 ? server_levels(j, NULL, (uint32_t)c->given, room) : NULL;
	return room->failed ? -ENOMEM : 0;
}

/* ---- servers, by name -------------------------------------------------------------------------- */

/* Servers by what names say of them. */
struct by_name {
	uint32_t *kind;
	size_t kinds;
	size_t *group; /* of a kind: itself, or one before it from which it is not apart */
	bool *apart;   /* of two kinds: kinds x kinds */
	struct two two;
	double *room;
	signed char *side;
	/* The widest, ln, and its column: of kinds that are apart; and of such as may be slow. */
	double effect, slow_effect;
	const char *column, *slow_column;
	size_t slow, quick; /* the latter's kinds */
	bool doubtful;	    /* of the former: names do not say why one should be slower */
};

static size_t gather_kind(const struct job *j, const struct by_name *x, size_t kind, size_t *to)
{
	size_t n = 0;

	for (size_t i = 0; i < j->a->n_nodes; i++)
		if (x->kind[i] == kind)
			to[n++] = i;
	return n;
}

static bool of_metadata(const struct job *j, const size_t *of, size_t n)
{
	size_t metadata = count_if(i, n, peers_metadata(j->a->nodes[of[i]]));

	return 2 * metadata > n;
}

/*
 * Up to a third of all that are slower may as well be at fault, whatever they are called: that is for the evidence to say. No
 * server of metadata has what the others have to do.
 */
static bool may_be_slow(const struct job *j, const struct two *x, double apart)
{
	size_t slower = apart > 0 ? x->n_b : x->n_a;

	return 3 * slower <= j->a->n_nodes &&
	       of_metadata(j, x->a, x->n_a) == of_metadata(j, x->b, x->n_b);
}

/* One that is quicker is in nobody's way, and nobody could judge it by itself. */
static bool may_stay(const struct two *x, double apart)
{
	return (apart > 0 ? x->n_a : x->n_b) == 1;
}

static void pair_look(const struct job *j, struct by_name *x, size_t k, size_t m,
		      const double *levels, const double *loads, const char *column)
{
	double apart;

	x->two.n_a = gather_kind(j, x, k, x->two.a);
	x->two.n_b = gather_kind(j, x, m, x->two.b);
	apart = servers_apart(&x->two, levels, loads, x->room);
	if (isnan(apart) || may_stay(&x->two, apart))
		return;
	if (may_be_slow(j, &x->two, apart)) {
		if (fabs(apart) > x->slow_effect) {
			x->slow_effect = fabs(apart);
			x->slow_column = column;
			x->slow = apart > 0 ? m : k;
			x->quick = apart > 0 ? k : m;
		}
		return;
	}
	x->apart[k * x->kinds + m] = true;
	x->doubtful |= of_metadata(j, x->two.a, x->two.n_a) == of_metadata(j, x->two.b, x->two.n_b);
	if (fabs(apart) > x->effect) {
		x->effect = fabs(apart);
		x->column = column;
	}
}

static int column_look(const struct job *j, struct by_name *x, const struct table_column *c)
{
	struct scratch room SCRATCH_SCOPED = {0};
	const double *levels, *loads;
	int err = column_levels(j, c, &room, &levels, &loads);

	for (size_t m = 1; m < x->kinds && !err; m++)
		for (size_t k = 0; k < m; k++)
			pair_look(j, x, k, m, levels, loads, c->row.name);
	return err;
}

/* Kinds that nothing holds apart are one group, and so are those between them. */
static void join_kinds(struct job *j, struct by_name *x)
{
	size_t groups = 0;

	for (size_t k = 0; k < x->kinds; k++)
		x->group[k] = k;
	for (size_t m = 1; m < x->kinds; m++)
		for (size_t k = 0; k < m; k++) {
			size_t from = x->group[m], to = x->group[k];

			for (size_t i = 0; i < x->kinds && !x->apart[k * x->kinds + m]; i++)
				x->group[i] = x->group[i] == from ? to : x->group[i];
		}
	for (size_t k = 0; k < x->kinds; k++) {
		for (size_t i = 0; i < j->a->n_nodes && x->group[k] == k; i++)
			if (x->group[x->kind[i]] == k)
				j->group[i] = (int32_t)groups;
		groups += x->group[k] == k;
	}
	j->n_groups = groups;
}

static int groups_note(struct job *j, const struct by_name *x)
{
	struct text t TEXT_SCOPED = {0};

	text_add(&t,
		 "%zu groups of servers by their names, as %s of one is at least %.3g x that of "
		 "another throughout; servers are compared within their group (--peers says who is "
		 "in one)\n",
		 j->n_groups, x->column, exp(x->effect));
	for (size_t g = 0; g < j->n_groups; g++) {
		for (size_t i = 0; i < j->a->n_nodes; i++)
			x->side[i] = j->group[i] == (int32_t)g;
		text_add(&t, "group %zu of %zu: ", g + 1, j->n_groups);
		verdict_put_side(&t, j->a, x->side, 1);
		text_put(&t, "\n");
	}
	j->a->kinds = j->n_groups;
	j->a->kinds_doubtful = x->doubtful;
	return t.failed ? -ENOMEM : verdict_note_lines(j->a, text_of(&t));
}

/* Of those that may be slow, or of another kind: that is for people to say. */
static int slow_note(struct job *j, const struct by_name *x)
{
	if (!x->slow_column)
		return 0;
	for (size_t i = 0; i < j->a->n_nodes; i++)
		x->side[i] = x->kind[i] == x->slow ? 1 : x->kind[i] == x->quick ? -1 : 0;
	j->asked = true;
	return verdict_note_groups(j->a, x->slow_column, exp(x->slow_effect), x->side, true);
}

int table_groups(struct job *j)
{
	struct scratch room SCRATCH_SCOPED = {0};
	size_t n = j->a->n_nodes;
	struct by_name x = {.kind = scratch_array(&room, n, sizeof(*x.kind))};
	int err = 0;

	if (room.failed)
		return -ENOMEM;
	x.kinds = n ? peers_kinds(x.kind, (const char(*)[HOST_LEN])j->a->nodes, n, KINDS_LEAST) : 0;
	if (x.kinds < 2)
		return 0;
	x.group = scratch_array(&room, x.kinds, sizeof(*x.group));
	x.apart = scratch_array(&room, x.kinds * x.kinds, sizeof(*x.apart));
	x.two.a = scratch_array(&room, n, sizeof(*x.two.a));
	x.two.b = scratch_array(&room, n, sizeof(*x.two.b));
	x.room = scratch_array(&room, n, sizeof(*x.room));
	x.side = scratch_array(&room, n, sizeof(*x.side));
	if (room.failed)
		return -ENOMEM;
	for (size_t i = 0; i < j->columns.n && !err; i++)
		if (tells_kinds(j, &j->columns.at[i]))
			err = column_look(j, &x, &j->columns.at[i]);
	if (err)
		return err;
	join_kinds(j, &x);
	return (j->n_groups > 1 ? groups_note(j, &x) : 0) ?: slow_note(j, &x);
}

/* ---- servers that nothing tells apart but their values ------------------------------------------ */

/* Those with values of a column in two, by these; NaN: not so. */
static double split_servers(const struct job *j, const double *levels, const double *loads,
			    struct two *x, struct scratch *room)
{
	size_t n = j->a->n_nodes, some = 0;
	size_t *of = scratch_array(room, n, sizeof(*of));
	double *at = scratch_array(room, n * KINDS_TIMES, sizeof(*at)), apart;
	bool *slow = scratch_array(room, n, sizeof(*slow));

	x->a = scratch_array(room, n, sizeof(*x->a));
	x->b = scratch_array(room, n, sizeof(*x->b));
	if (room->failed)
		return NAN;
	for (size_t i = 0; i < n; i++) {
		if (!j->in_group[i])
			continue;
		memcpy(at + some * KINDS_TIMES, levels + i * KINDS_TIMES,
		       KINDS_TIMES * sizeof(*at));
		of[some++] = i;
	}
	apart = kinds_split(at, some, slow);
	x->n_a = x->n_b = 0;
	for (size_t i = 0; i < some; i++) {
		if (slow[i])
			x->b[x->n_b++] = of[i];
		else
			x->a[x->n_a++] = of[i];
	}
	return isnan(apart) ? NAN : servers_apart(x, levels, loads, at);
}

static int hint_of(struct job *j, const struct table_column *c, bool *said)
{
	struct scratch room SCRATCH_SCOPED = {0};
	signed char *side = scratch_array(&room, j->a->n_nodes, sizeof(*side));
	const double *levels, *loads;
	struct two x;
	double apart;
	int err = column_levels(j, c, &room, &levels, &loads);

	apart = err ? NAN : split_servers(j, levels, loads, &x, &room);
	if (room.failed)
		return -ENOMEM;
	if (isnan(apart))
		return 0;
	*said = true;
	for (size_t i = 0; i < x.n_a; i++)
		side[x.a[i]] = -1;
	for (size_t i = 0; i < x.n_b; i++)
		side[x.b[i]] = 1;
	return verdict_note_groups(j->a, c->row.name, exp(apart), side, true);
}

int table_hint(struct job *j)
{
	bool said = j->asked;
	int err = 0;

	if (j->o->peers || j->n_groups > 1 || verdict_indicts(j->a) ||
	    verdict_statuses(j->a, false).of[STATUS_WELL] == j->a->n_nodes)
		return 0;
	for (size_t i = 0; i < j->columns.n && !err && !said; i++)
		if (tells_kinds(j, &j->columns.at[i]))
			err = hint_of(j, &j->columns.at[i], &said);
	return err;
}

/* ---- disks ------------------------------------------------------------------------------------- */

/* Of n disks, or what their load was: n of KINDS_TIMES; NULL: out of memory. */
static double *disk_levels(const struct job *j, const struct table_column *c,
			   const struct table_entity *const *e, size_t n, bool load,
			   struct scratch *room)
{
	struct parts_levels x = {.t = j->t, .c = load ? NULL : c};
	struct table_run *runs = scratch_array(room, n, sizeof(*runs));
	double *at = scratch_array(room, n * KINDS_TIMES, sizeof(*at));
	size_t some = 0;

	if (room->failed)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		runs[i].node = (uint32_t)i; /* each by itself */
		runs[i].begin = load ? e[i]->given_begin : e[i]->begin;
		runs[i].end = load ? e[i]->given_end : e[i]->end;
		if (runs[i].begin < runs[i].end)
			runs[some++] = runs[i];
	}
	x.room = scratch_array(room, course_span(&x, runs, some), sizeof(*x.room));
	for (size_t i = 0; i < n && !room->failed; i++)
		for (size_t part = 0; part < KINDS_TIMES; part++) {
			size_t begin = load ? e[i]->given_begin : e[i]->begin;
			size_t end = load ? e[i]->given_end : e[i]->end;

			at[i * KINDS_TIMES + part] =
				x.to > x.from ? part_level(&x, part_values(&x, begin, end, part, 0))
					      : NAN;
		}
	return room->failed ? NULL : at;
}

/* Whether what tells the slower ones may be their load. */
static double disks_beside_load(double apart, const double *loads, const bool *slow, size_t n,
				size_t *of)
{
	size_t n_slow = 0, n_quick = 0;

	for (size_t i = 0; i < n; i++)
		of[slow[i] ? n - ++n_slow : n_quick++] = i;
	return beside_load(apart, mean_level(loads, of + n_quick, n_slow) -
					  mean_level(loads, of, n_quick));
}

/* Whether each server has as many of the kind of which there are fewer, and some of the other. By server. */
static bool shared_alike(const struct table_entity *const *e, size_t n, const bool *slow,
			 size_t *of)
{
	size_t count[2] = {0}, servers = 0;

	for (size_t i = 0; i < n; i++)
		count[slow[i]]++;
	for (size_t i = 0, end; i < n; i = end, servers++) {
		size_t own[2] = {0}, rarer;
		bool rare = count[1] <= count[0];

		for (end = i; end < n && e[end]->node == e[i]->node; end++)
			own[slow[end]]++;
		rarer = own[rare];
		if (!rarer || !own[!rare] || (servers && rarer != *of))
			return false;
		*of = rarer;
	}
	return servers >= TABLE_SERVERS;
}

static int disks_note(struct job *j, const struct table_column *c, double apart, size_t each,
		      bool slower)
{
	struct text t TEXT_SCOPED = {0};

	if (j->kinds_told)
		return 0;
	j->kinds_told = true;
	j->a->kinds = j->a->kinds > 2 ? j->a->kinds : 2;
	text_add(&t,
		 "each server has %zu disk%s of a %s kind: %s of one kind is at least %.3g x that "
		 "of the other throughout; disks are compared within their kind",
		 each, text_plural(each), slower ? "slower" : "quicker", c->row.name, exp(apart));
	return t.failed ? -ENOMEM : verdict_note_lines(j->a, text_of(&t));
}

int table_disk_kinds(struct job *j, const struct table_column *c,
		     const struct table_entity *const *e, size_t n, bool *kind)
{
	struct scratch room SCRATCH_SCOPED = {0};
	const double *levels, *loads = NULL;
	bool *slow = scratch_array(&room, n, sizeof(*slow));
	size_t *of = scratch_array(&room, n, sizeof(*of)), each = 0, n_slow = 0;
	double apart;

	if (j->o->peers || !tells_kinds(j, c) || n < 2 * KINDS_LEAST)
		return room.failed ? -ENOMEM : 0;
	levels = disk_levels(j, c, e, n, false, &room);
	if (c->given >= 0)
		loads = disk_levels(j, c, e, n, true, &room);
	if (room.failed)
		return -ENOMEM;
	apart = kinds_split(levels, n, slow);
	if (loads && !isnan(apart))
		apart = disks_beside_load(apart, loads, slow, n, of);
	if (isnan(apart) || !shared_alike(e, n, slow, &each))
		return 0;
	for (size_t i = 0; i < n; i++) {
		kind[i] = slow[i];
		n_slow += slow[i];
	}
	return disks_note(j, c, apart, each, 2 * n_slow <= n);
}
