// SPDX-License-Identifier: BSD-2-Clause
/* Looks into columns. */
#include "history.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

void history_release(struct history *h)
{
	for (size_t i = 0; i < h->n_rows; i++)
		free(h->rows[i].at);
	for (size_t i = 0; i < h->n_nodes; i++)
		free(h->nodes[i].at);
	free(h->rows);
	free(h->nodes);
	free(h->dists);
	*h = (struct history){0};
}

void history_begin(struct history *h, int64_t first_ns, int64_t bin_ns)
{
	h->first_ns = first_ns;
	h->bin_ns = bin_ns > 0 ? bin_ns : 1;
	h->room = h->most_columns ? h->most_columns : HISTORY_COLUMNS;
}

/* ---- rows ----------------------------------------------------------------------------------------- */

static bool is_row(const struct history_row *r, size_t node, const char *disk, size_t s)
{
	return r->node == node && r->signal == s && !strcmp(r->disk, disk);
}

const struct history_row *history_find(const struct history *h, size_t node, const char *disk,
				       size_t s)
{
	const struct node_rows *n = node < h->n_nodes ? &h->nodes[node] : NULL;

	for (size_t i = 0; n && i < n->n; i++)
		if (is_row(&h->rows[n->at[i]], node, disk, s))
			return &h->rows[n->at[i]];
	return NULL;
}

/* Cells a is of the column before b: the larger z stands, every mark. */
static struct history_cell worse(struct history_cell a, struct history_cell b)
{
	uint8_t marks = a.marks | b.marks;
	uint16_t evidence = a.evidence > b.evidence ? a.evidence : b.evidence;

	if (!a.marks || (b.marks && b.z > a.z))
		a = b;
	a.marks = marks;
	a.evidence = evidence;
	return a;
}

/* Two columns become one. */
static void fold(struct history *h)
{
	for (size_t i = 0; i < h->n_rows; i++) {
		struct history_cell *at = h->rows[i].at;

		for (size_t c = 0; c < h->columns; c += 2) {
			struct history_cell none = {0};

			at[c / 2] = worse(at[c], c + 1 < h->columns ? at[c + 1] : none);
		}
		memset(at + (h->columns + 1) / 2, 0,
		       (h->room - (h->columns + 1) / 2) * sizeof(*at));
	}
	h->columns = (h->columns + 1) / 2;
	h->bin_ns *= 2;
}

/* Many rows have fewer columns, so that memory is bounded. */
static void fit(struct history *h)
{
	size_t most = h->most_bytes ? h->most_bytes : HISTORY_BYTES;

	while (h->room / 2 >= HISTORY_COLUMNS_MIN &&
	       (h->n_rows + 1) * h->room * sizeof(struct history_cell) > most) {
		while (h->columns > h->room / 2)
			fold(h);
		h->room /= 2;
		for (size_t i = 0; i < h->n_rows; i++) {
			void *less = realloc(h->rows[i].at, h->room * sizeof(*h->rows[i].at));

			if (less)
				h->rows[i].at = less;
		}
	}
}

static struct node_rows *rows_of(struct history *h, size_t node)
{
	if (array_extend(&h->nodes, h->n_nodes, node + 1))
		return NULL;
	if (node >= h->n_nodes)
		h->n_nodes = node + 1;
	return &h->nodes[node];
}

/* Its row's number, a new one if need be; SIZE_MAX: out of memory. */
static size_t row_of(struct history *h, size_t node, const char *disk, size_t s)
{
	size_t next = h->cursor + 1 < h->n_rows ? h->cursor + 1 : 0;
	const struct history_row *found;
	struct history_cell *cells;
	struct history_row *row;
	struct node_rows *of;
	size_t *at;

	if (next < h->n_rows && is_row(&h->rows[next], node, disk, s))
		return next;
	if (h->cursor < h->n_rows && is_row(&h->rows[h->cursor], node, disk, s))
		return h->cursor;
	found = history_find(h, node, disk, s);
	if (found)
		return (size_t)(found - h->rows);
	fit(h);
	of = rows_of(h, node);
	cells = calloc(h->room, sizeof(*cells));
	at = of && cells ? array_add(&of->at, &of->n) : NULL;
	row = at ? array_add(&h->rows, &h->n_rows) : NULL;
	if (!row) {
		if (at)
			of->n--;
		free(cells);
		return SIZE_MAX;
	}
	*at = h->n_rows - 1;
	*row = (struct history_row){.node = node, .signal = s, .set = SIZE_MAX, .at = cells};
	snprintf(row->disk, sizeof(row->disk), "%s", disk);
	return *at;
}

/* ---- looks ---------------------------------------------------------------------------------------- */

ssize_t history_put(struct history *h, const struct history_entity *k, int64_t end_ns,
		    struct history_cell cell)
{
	int64_t since = end_ns - 1 - h->first_ns;
	size_t row = row_of(h, k->node, k->disk, k->signal), c;
	struct history_cell *at;

	if (row == SIZE_MAX)
		return -ENOMEM;
	h->cursor = row;
	since = since < 0 ? 0 : since;
	while ((uint64_t)(since / h->bin_ns) >= h->room)
		fold(h);
	c = (size_t)(since / h->bin_ns);
	if (c >= h->columns)
		h->columns = c + 1;
	at = &h->rows[row].at[c];
	*at = worse(*at, cell);
	return (ssize_t)row;
}

/* A distribution of that entity and signal to be overwritten, a new one, or NULL: full. */
static struct history_dist *dist_of(struct history *h, const struct observation *l)
{
	const struct history_dist *found = history_dist(h, l->node, l->disk, l->signal);
	struct history_dist *d;

	if (found)
		return &h->dists[found - h->dists];
	if (h->n_dists == HISTORY_DISTS)
		return NULL;
	d = array_add(&h->dists, &h->n_dists);
	if (!d)
		return NULL;
	d->node = l->node;
	d->signal = l->signal;
	snprintf(d->disk, sizeof(d->disk), "%s", l->disk);
	return d;
}

/* Means have none. */
static bool has_histogram(size_t s)
{
	return s == SIG_READ || s == SIG_WRITE || s == SIG_READ_DEVICE || s == SIG_WRITE_DEVICE;
}

/* While anything stands against it, the window with the largest z in its newest interval is the one to show. */
static void take_dist(struct history *h, const struct observation *l)
{
	double z = l->z;
	struct history_dist *d;

	if (!has_histogram(l->signal) || l->level == EVIDENCE_NONE || !(z > 0))
		return;
	d = dist_of(h, l);
	/* much the same is not worth the work */
	if (!d || z < 1.05 * d->z)
		return;
	d->z = z;
	d->from_ns = l->to_ns - ns_of_s(robust_window_s(h->engine));
	d->to_ns = l->to_ns;
	if (history_take(h->engine, d))
		h->failed = true;
}

/* A score that is high enough for too small an effect, or in a group of too few, indicts nobody. */
static uint16_t evidence_percent(double score, double needs, bool indicts)
{
	double percent = needs > 0 && score > 0 ? floor(100 * score / needs) : 0;

	return (uint16_t)(indicts ? fmax(100, fmin(percent, UINT16_MAX)) : fmin(percent, 99));
}

void history_observe(void *arg, const struct observation *o)
{
	struct history *h = arg;
	struct history_cell cell = {
		.z = (float)o->z,
		.value = (float)signal_shown(&signals[o->signal], o->value),
		.peers = (float)signal_shown(&signals[o->signal], o->peers),
		.marks = (uint8_t)(MARK_JUDGED | (o->worse ? MARK_FLAGGED : 0) |
				   (o->level == EVIDENCE_INDICTED ? MARK_ODD : 0)),
		.evidence = evidence_percent(o->score, o->needs, o->level == EVIDENCE_INDICTED)};

	if (h->failed)
		return;
	if (!h->room) {
		int64_t interval_ns = ns_of_s(h->engine ? robust_interval_s(h->engine) : 4);

		history_begin(h, o->to_ns - interval_ns, interval_ns);
	}
	if (history_put(h, &(struct history_entity){o->node, o->disk, o->signal}, o->to_ns, cell) <
	    0)
		h->failed = true;
	else if (h->engine)
		take_dist(h, o);
}

static int put_look(struct history *h, const struct explained_look *l)
{
	struct history_cell cell = {.z = (float)l->z,
				    .value = (float)l->value,
				    .peers = (float)l->peers,
				    .marks = (uint8_t)(MARK_JUDGED |
						       (l->flagged ? MARK_FLAGGED : 0) |
						       (l->odd ? MARK_ODD : 0)),
				    .evidence = evidence_percent(l->evidence, l->needs, l->odd)};
	const struct history_entity k = {l->node, l->disk, l->signal};

	/* those that were not judged are there, too */
	return isfinite(l->z) && history_put(h, &k, l->to_ns, cell) < 0 ? -ENOMEM : 0;
}

static bool is_worse(const struct history_cell *a, const struct history_cell *b)
{
	int flag_a = a->marks & MARK_FLAGGED, flag_b = b->marks & MARK_FLAGGED;

	if (!a->marks || !b->marks || flag_a != flag_b)
		return a->marks && (!b->marks || flag_a > flag_b);
	return a->z > b->z;
}

static void find_worst(struct history_row *r, size_t columns)
{
	for (size_t c = 0; c < columns; c++)
		if (is_worse(&r->at[c], &r->at[r->worst]))
			r->worst = c;
}

void history_worsts(struct history *h)
{
	for (size_t i = 0; i < h->n_rows; i++)
		find_worst(&h->rows[i], h->columns);
}

void history_finish(struct history *h)
{
	history_worsts(h);
	for (size_t i = 0; i < h->n_rows; i++)
		h->rows[i].set = (size_t)h->rows[i].signal;
	if (h->engine)
		history_sets(h, h->engine);
}

int history_of_looks(struct history *h, const struct verdict *a)
{
	int64_t bin = a->n_looks ? a->looks[0].to_ns - a->looks[0].from_ns : 1;
	int err = 0;

	history_begin(h, a->from_ns, bin);
	for (size_t i = 0; i < a->n_looks && !err; i++)
		err = put_look(h, &a->looks[i]);
	if (!err)
		history_finish(h);
	return err;
}

static int renumber(struct history *h, const size_t *map, size_t n, size_t of)
{
	struct node_rows *nodes = NULL;

	if (array_extend(&nodes, 0, of + 1))
		return -ENOMEM;
	for (size_t i = 0; i < h->n_nodes; i++) {
		if (i < n)
			nodes[map[i]] = h->nodes[i];
		else
			free(h->nodes[i].at);
	}
	free(h->nodes);
	h->nodes = nodes;
	h->n_nodes = of;
	for (size_t i = 0; i < h->n_rows; i++)
		h->rows[i].node = map[h->rows[i].node];
	for (size_t i = 0; i < h->n_dists; i++)
		h->dists[i].node = map[h->dists[i].node];
	return 0;
}

/* Sets of states are by signal; no other has so large a number. */
#define STATE_SETS (SIZE_MAX / 2)

int history_join(struct history *h, const size_t *map, size_t n, const struct verdict *a)
{
	int64_t until = h->first_ns + (int64_t)h->columns * h->bin_ns;
	size_t recorded = h->n_rows;
	int err = renumber(h, map, n, a->n_nodes);

	for (size_t i = 0; i < a->n_looks && !err; i++)
		if (a->looks[i].to_ns > h->first_ns && a->looks[i].to_ns <= until)
			err = put_look(h, &a->looks[i]);
	for (size_t i = recorded; i < h->n_rows; i++) {
		h->rows[i].set = STATE_SETS + h->rows[i].signal;
		find_worst(&h->rows[i], h->columns);
	}
	return err;
}

const struct history_dist *history_dist(const struct history *h, size_t node, const char *disk,
					size_t s)
{
	return find_if(i, h->dists, h->n_dists,
		       h->dists[i].node == node && h->dists[i].signal == s &&
			       !strcmp(h->dists[i].disk, disk));
}

bool history_worse(const struct history_row *a, const struct history_row *b)
{
	return is_worse(&a->at[a->worst], &b->at[b->worst]);
}
