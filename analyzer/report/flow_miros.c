// SPDX-License-Identifier: BSD-2-Clause
/*
 * flow_pictures.h: heat maps of bytes (map inputs, reduce outputs, shuffles; thesis, 5.3.2): servers into and out of maps,
 * from server to server, into and out of reduces; and how equally the partition shares bytes among reduces.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/stat/stats.h"
#include "flow_parts_drawn.h"
#include "userspace/common/sort.h"

/* What is summed up of each node. */
enum { MAPS_IN, MAPS_OUT, REDUCES_IN, REDUCES_OUT, SIDES };

struct miros {
	const struct job_flow *f;
	double *bytes; /* of each node SIDES */
	size_t *order; /* nodes, those with most bytes first */
	size_t *place; /* of each node in that; SIZE_MAX: it has none */
	const char **names;
	double *between; /* n x n */
	size_t n, more;
	double *reduces; /* bytes into each */
	size_t n_reduces;
};

static void add_bytes(double *to, double bytes)
{
	*to = (isnan(*to) ? 0 : *to) + bytes;
}

/* What an edge carries, to the server it begins on. */
static void add_edge(const struct miros *m, const struct flow_edge *x, int side)
{
	const struct job_flow *f = m->f;
	size_t node = f->s->at[f->tasks[f->vertices[x->from].task].state].node;

	add_bytes(&m->bytes[SIDES * node + (size_t)side], (double)x->bytes);
}

/* What the edges carry: out of a map's output, into and out of a reduce. */
static void sum_edges(struct miros *m)
{
	const struct job_flow *f = m->f;

	for (size_t e = 0; e < f->n_edges; e++) {
		const struct flow_edge *x = &f->edges[e];
		uint8_t from = f->vertices[x->from].kind, to = f->vertices[x->to].kind;

		if (x->bytes < 0)
			continue;
		if (from == FLOW_MAP && to == FLOW_MAP_OUTPUT)
			add_edge(m, x, MAPS_IN);
		else if (from == FLOW_MAP_OUTPUT)
			add_edge(m, x, MAPS_OUT);
		else if (from == FLOW_SHUFFLE_WAIT) {
			add_edge(m, x, REDUCES_IN);
			m->reduces[m->n_reduces++] = (double)x->bytes;
		} else if (to == FLOW_WRITE && !x->guess)
			add_edge(m, x, from == FLOW_REDUCER ? REDUCES_OUT : MAPS_OUT);
	}
}

static double total(const struct miros *m, size_t node)
{
	double sum = 0;

	for (size_t k = SIDES * node; k < SIDES * (node + 1); k++)
		sum += isnan(m->bytes[k]) ? 0 : m->bytes[k];
	return sum;
}

static int by_bytes(const void *a, const void *b, void *arg)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return ORDER(total(arg, y), total(arg, x)) ?: ORDER(x, y);
}

static void rank(struct miros *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->f->s->nodes.n; i++) {
		m->place[i] = SIZE_MAX;
		if (total(m, i) > 0)
			m->order[n++] = i;
	}
	sort_with(m->order, n, by_bytes, m);
	m->more = n > FLOW_HEAT_MAX ? n - FLOW_HEAT_MAX : 0;
	m->n = n - m->more;
	for (size_t i = 0; i < m->n; i++) {
		m->place[m->order[i]] = i;
		m->names[i] = m->f->s->nodes.at[m->order[i]];
	}
}

static void sum_between(struct miros *m)
{
	const struct job_flow *f = m->f;

	for (size_t v = 0; v < f->n_vertices; v++) {
		const struct state *x;
		size_t from, to;

		if (f->vertices[v].kind != FLOW_SHUFFLE || f->vertices[v].state == STATE_NONE)
			continue;
		x = &f->s->at[f->vertices[v].state];
		from = m->place[x->node];
		to = x->peer == STATE_NONE ? SIZE_MAX : m->place[x->peer];
		if (from != SIZE_MAX && to != SIZE_MAX && x->bytes >= 0)
			add_bytes(&m->between[from * m->n + to], (double)x->bytes);
	}
}

/* Two columns of servers' bytes, of which `side` is the first. */
static void draw_sides(struct svg *d, const struct miros *m, size_t side, const char *what)
{
	static const char *const heads[] = {"in", "out"};
	double *at = malloc((2 * m->n + 1) * sizeof(*at));

	if (!at)
		return;
	for (size_t i = 0; i < m->n; i++)
		memcpy(at + 2 * i, m->bytes + SIDES * m->order[i] + side, 2 * sizeof(*at));
	d->y += 6;
	svg_text(d, 0, SVG_BOLD, "%s", what);
	matrix(d, &(struct matrix){.rows = m->names,
				   .columns = heads,
				   .n_rows = m->n,
				   .n_columns = 2,
				   .at = at,
				   .heads = true});
	free(at);
}

/* Jain's index (Jain, Chiu and Hawe, DEC-TR-301, 1984): 1 where all have as much, 1/n where one has all. */
static void draw_equity(struct svg *d, struct miros *m)
{
	double sum = 0, squares = 0, most = 0, median;
	char words[SVG_WORDS];

	if (!m->n_reduces)
		return;
	for (size_t i = 0; i < m->n_reduces; i++) {
		sum += m->reduces[i];
		squares += m->reduces[i] * m->reduces[i];
		most = fmax(most, m->reduces[i]);
	}
	median = stats_quantile(m->reduces, m->n_reduces, 0.5);
	if (!(median > 0))
		return;
	d->y += 6;
	svg_text(d, 0, SVG_BOLD, "Equity of the partition");
	svg_text(d, 0, SVG_PLAIN, "%zu reduces got %s each (median),", m->n_reduces,
		 svg_bytes(median, words));
	svg_text(d, 0, SVG_PLAIN, "the largest %.2f times that; Jain's index %.3f", most / median,
		 sum * sum / ((double)m->n_reduces * squares));
}

static void draw_miros(struct svg *d, struct miros *m)
{
	draw_sides(d, m, MAPS_IN, "Maps");
	d->y += 6;
	svg_text(d, 0, SVG_BOLD, "Shuffles, from each server to each");
	if (m->f->missing & FLOW_NO_SHUFFLES) {
		svg_text(d, 0, SVG_SOFT, "No log says which server sent what to which:");
		svg_text(d, 0, SVG_SOFT, "clienttrace lines of TaskTrackers' logs do.");
	} else {
		matrix(d, &(struct matrix){.rows = m->names,
					   .columns = m->names,
					   .n_rows = m->n,
					   .n_columns = m->n,
					   .at = m->between});
		svg_text(d, 0, SVG_SOFT, "from the server of the line, to those in the same order");
	}
	draw_sides(d, m, REDUCES_IN, "Reduces");
	if (m->more)
		svg_text(d, 0, SVG_SOFT, "%zu more servers, with fewer bytes, are not drawn",
			 m->more);
	draw_equity(d, m);
}

int flow_draw_miros(struct svg *d, const struct job_flow *f)
{
	size_t n = f->s->nodes.n + 1;
	struct miros m = {.f = f,
			  .bytes = malloc(SIDES * n * sizeof(double)),
			  .order = malloc(n * sizeof(size_t)),
			  .place = malloc(n * sizeof(size_t)),
			  .names = calloc(n, sizeof(char *)),
			  .reduces = malloc((f->n_tasks + 1) * sizeof(double))};
	int err = m.bytes && m.order && m.place && m.names && m.reduces ? 0 : -ENOMEM;

	for (size_t i = 0; i < SIDES * n && !err; i++)
		m.bytes[i] = NAN;
	if (!err) {
		sum_edges(&m);
		rank(&m);
		m.between = malloc((m.n * m.n + 1) * sizeof(*m.between));
		err = m.between ? 0 : -ENOMEM;
	}
	if (!err && m.n) {
		for (size_t i = 0; i < m.n * m.n; i++)
			m.between[i] = NAN;
		sum_between(&m);
		draw_miros(d, &m);
	} else if (!err) {
		svg_text(d, 0, SVG_SOFT, "No log says how many bytes its maps and reduces took.");
	}
	free(m.bytes);
	free(m.order);
	free(m.place);
	free(m.names);
	free(m.reduces);
	free(m.between);
	return err;
}
