// SPDX-License-Identifier: BSD-2-Clause
/* The table of the live view: servers side by side, the odd ones first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"
#include "analyzer/output/words.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"
#include "userspace/common/times.h"

#define KB_IN_MB (1024 / 1e6)
enum { NAME_COLS = 15, CELL_COLS = 8, SIGNALS_EACH = 2 };

/* From the left, as many as have room; of several signals and disks a server shows the one that stands
 * out most. `by`: what is shown is the printed value times this. */
static const struct view_column {
	const char *head, *unit;
	int signals[SIGNALS_EACH];
	double by;
} columns[] = {
	{"read", "ms", {SIG_READ, SIG_READ_AWAIT}, 1},
	{"write", "ms", {SIG_WRITE, SIG_WRITE_AWAIT}, 1},
	{"device", "ms", {SIG_READ_DEVICE, SIG_WRITE_DEVICE}, 1},
	{"resent", "%", {SIG_RETRANS, SIG_RETRANS_IN}, 1},
	{"reorder", "%", {SIG_OOO, SIG_OOO}, 1},
	{"others'", "IO MB/s", {SIG_FOREIGN_READ, SIG_FOREIGN_WRITE}, KB_IN_MB},
	{"others'", "netMB/s", {SIG_FOREIGN_RX, SIG_FOREIGN_TX}, KB_IN_MB},
	{"runwait", "ms", {SIG_RUNQ, SIG_RUNQ}, 1},
	{"disk", "MB/s", {SIG_DISK_KB, SIG_DISK_KB}, KB_IN_MB},
	{"rx", "MB/s", {SIG_NET_RX, SIG_NET_RX}, KB_IN_MB},
	{"tx", "MB/s", {SIG_NET_TX, SIG_NET_TX}, KB_IN_MB},
	{"acks", "a segm.", {SIG_PURE_ACK, SIG_PURE_ACK}, 1},
	{"srtt", "ms", {SIG_SRTT, SIG_SRTT}, 1},
	{"queue", "", {SIG_QUEUE, SIG_QUEUE}, 1},
	{"CPU", "%", {SIG_CPU, SIG_CPU}, 1},
	{"mempres", "%", {SIG_MEM_PRESSURE, SIG_MEM_PRESSURE}, 1},
	{"swap", "pages/s", {SIG_SWAP, SIG_SWAP}, 1},
};
enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

struct view_line {
	size_t node;
	const char *name;
	unsigned int odd; /* signals that are, of all */
	enum { INDICTED, SUSPICIOUS, THE_REST } rank;
	const struct incident *against; /* of the verdict; NULL: none */
	bool silent;
	int64_t since_ns; /* its trouble; INT64_MAX: it has none */
	int64_t heard_ns; /* INT64_MIN: never */
};

/* ---- cells ------------------------------------------------------------------------------------------*/

/* What is odd goes before what is not, then the column's first signal, then what is worse. */
static double prominence(const struct observation *k, int which)
{
	double z = isfinite(k->z) ? fmax(-1e6, fmin(k->z, 1e6)) : 0;

	return (looks_odd(k) ? 1e9 : which * -1e7) + z;
}

/* NULL: not judged in the last interval. */
static const struct last_look *cell_of(const struct watch *w, size_t node,
				       const struct view_column *c)
{
	const struct last_look *best = NULL;
	int64_t now = robust_now(w->robust);
	double most = -INFINITY;

	for (size_t i = 0; node < w->looks.n && i < w->looks.nodes[node].n; i++) {
		const struct last_look *l = &w->looks.nodes[node].at[i];
		int which = 0;

		while (which < SIGNALS_EACH && (int)l->look.signal != c->signals[which])
			which++;
		if (l->look.to_ns != now || which == SIGNALS_EACH ||
		    prominence(&l->look, which) <= most)
			continue;
		best = l;
		most = prominence(&l->look, which);
	}
	return best;
}

/* At most 7 characters. */
static void view_number(double v, char buf[16])
{
	if (!isfinite(v))
		snprintf(buf, 16, "-");
	else if (fabs(v) >= 9.9995e9)
		snprintf(buf, 16, "%.0e", v);
	else if (fabs(v) >= 999999.5)
		snprintf(buf, 16, "%.0fM", v / 1e6);
	else
		snprintf(buf, 16, "%.*f", fabs(v) >= 99.95 ? 0 : fabs(v) >= 9.995 ? 1 : 2, v);
}

static double shown(const struct last_look *l, const struct view_column *c)
{
	return l->look.value * c->by;
}

static void draw_cell(struct screen *s, size_t row, size_t col, const struct last_look *l,
		      const struct view_column *c)
{
	enum screen_look look = LOOK_PLAIN;
	char value[16] = "-", mark = ' ';

	if (l) {
		view_number(shown(l, c), value);
		if (looks_odd(&l->look)) {
			mark = signals[l->look.signal].role == ROLE_LOAD ? '+' : '*';
			look = signals[l->look.signal].role == ROLE_LOCAL ? LOOK_BAD : LOOK_WARN;
		} else if (l->look.z >= 2 && l->look.ratio >= 1.15 &&
			   signals[l->look.signal].role != ROLE_LOAD) {
			look = LOOK_WARN;
		}
	}
	screen_put(s, row, col, l ? look : LOOK_DIM, "%*s%c", CELL_COLS - 1, value, mark);
}

static double median(const struct watch *w, const struct view_column *c, double *scratch)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_heard; i++) {
		const struct last_look *l = cell_of(w, i, c);

		if (l && isfinite(l->look.value))
			scratch[n++] = shown(l, c);
	}
	if (!n)
		return NAN;
	sort(scratch, n, by_double);
	return n % 2 ? scratch[n / 2] : (scratch[n / 2 - 1] + scratch[n / 2]) / 2;
}

/* ---- lines ------------------------------------------------------------------------------------------*/

COMPARISON(by_trouble, struct view_line,
	   ORDER(a->rank, b->rank) ?: ORDER(a->against, b->against) ?: ORDER(b->silent, a->silent)
		   ?: ORDER(b->odd, a->odd) ?: strverscmp(a->name, b->name))

COMPARISON(by_line_name, struct view_line, strverscmp(a->name, b->name) ?: ORDER(a->node, b->node))

COMPARISON(by_since, struct view_line, ORDER(a->since_ns, b->since_ns) ?: by_trouble(a, b))

COMPARISON(by_heard, struct view_line, ORDER(a->heard_ns, b->heard_ns) ?: by_line_name(a, b))

static int64_t since_of(const struct view_line *l)
{
	return l->since_ns;
}

static int64_t heard_of(const struct view_line *l)
{
	return l->heard_ns;
}

/* Orders, with the age that they are by as the first column. */
static const struct view_order {
	const char *word; /* below "server" */
	int (*by)(const void *, const void *);
	const char *head; /* of the column; NULL: there is none */
	int64_t (*time)(const struct view_line *l);
} orders[] = {
	{"odd first", by_trouble, NULL, NULL},
	{"by name", by_line_name, NULL, NULL},
	{"oldest trouble", by_since, "trouble", since_of},
	{"oldest data", by_heard, "data", heard_of},
};
const size_t view_n_orders = sizeof(orders) / sizeof(*orders);

static void fill_line(struct view_line *l, const struct watch *w, size_t node)
{
	const struct incident *against = verdict_against(&w->verdict, watch_row(w, node), true);
	int64_t now = robust_now(w->robust);

	*l = (struct view_line){.node = node,
				.name = robust_node_name(w->robust, node),
				.rank = !against	     ? THE_REST
					: against->suspicion ? SUSPICIOUS
							     : INDICTED,
				.against = against,
				.silent = !w->here[node],
				.heard_ns = w->heard_ns[node]};
	l->since_ns = against ? against->onset_ns : l->silent ? l->heard_ns : INT64_MAX;
	for (size_t i = 0; node < w->looks.n && i < w->looks.nodes[node].n; i++)
		l->odd += w->looks.nodes[node].at[i].look.to_ns == now &&
			  looks_odd(&w->looks.nodes[node].at[i].look);
}

/* Names as they are shown, so that a '?' finds what has no better sign, and "<U+200B>" what nobody sees. */
static bool is_listed(const char *name, const char *part)
{
	char shown[VIEW_NAME_LEN], wanted[VIEW_NAME_LEN];

	return strcasestr(output_plain(name, shown, sizeof(shown)),
			  output_plain(part, wanted, sizeof(wanted))) != NULL;
}

/* What is listed, in order; the caller frees it. NULL: out of memory. */
static struct view_line *lines_listed(const struct watch *w, const struct view_choice *choice,
				      size_t *n)
{
	struct view_line *lines = calloc(w->n_heard + 1, sizeof(*lines));

	*n = 0;
	for (size_t i = 0; lines && i < w->n_heard; i++)
		if (is_listed(robust_node_name(w->robust, i), choice->part))
			fill_line(&lines[(*n)++], w, i);
	if (lines)
		sort(lines, *n, orders[choice->order].by);
	return lines;
}

/* Columns of values begin after the one of an age. */
static size_t values_col(const struct view_order *o)
{
	return NAME_COLS + (o->head ? CELL_COLS : 0);
}

static void draw_age(struct screen *s, size_t row, int64_t from_ns, int64_t now_ns)
{
	char span[WORDS_LEN] = "-";
	bool any = from_ns != INT64_MIN && from_ns != INT64_MAX;

	if (any)
		words_span(now_ns - from_ns, span);
	screen_put(s, row, NAME_COLS, any ? LOOK_PLAIN : LOOK_DIM, "%*.*s", CELL_COLS - 1,
		   CELL_COLS - 1, span);
}

/* In one row where two have no room. */
static size_t draw_heads(struct screen *s, size_t row, size_t n, const struct view_order *o,
			 bool both)
{
	size_t from = values_col(o);

	screen_put(s, row, 0, LOOK_BOLD, "%s", both ? "server" : o->word);
	if (both)
		screen_put(s, row + 1, 0, LOOK_BOLD, "%s", o->word);
	if (o->head)
		screen_put(s, row, NAME_COLS, LOOK_BOLD, "%*s", CELL_COLS - 1, o->head);
	for (size_t c = 0; c < n; c++) {
		size_t col = from + c * CELL_COLS;

		screen_put(s, row, col, LOOK_BOLD, "%*s", CELL_COLS - 1, columns[c].head);
		if (both)
			screen_put(s, row + 1, col, LOOK_DIM, "%*s", CELL_COLS - 1,
				   columns[c].unit);
	}
	return both ? 2 : 1;
}

static void draw_line(struct screen *s, size_t row, const struct view_line *l,
		      const struct watch *w, size_t n, const struct view_order *o, bool chosen,
		      int64_t now_ns)
{
	static const enum screen_look looks[] = {
		[INDICTED] = LOOK_BAD, [SUSPICIOUS] = LOOK_WARN, [THE_REST] = LOOK_PLAIN};
	enum screen_look look = l->silent && !l->against ? LOOK_DIM : looks[l->rank];
	char name[NAME_COLS], clock[16];
	size_t from = values_col(o);

	output_plain(l->name, name, sizeof(name));
	screen_put(s, row, 0, chosen ? LOOK_BAR : look, "%s", name);
	if (o->head)
		draw_age(s, row, o->time(l), now_ns);
	if (l->silent && l->heard_ns == INT64_MIN)
		screen_put(s, row, from, LOOK_WARN, "  nothing heard of it");
	else if (l->silent)
		screen_put(s, row, from, LOOK_WARN, "  silent since %s %s",
			   view_clock(l->heard_ns, clock), time_zone_shown());
	for (size_t c = 0; c < n && !l->silent; c++)
		draw_cell(s, row, from + c * CELL_COLS, cell_of(w, l->node, &columns[c]),
			  &columns[c]);
}

static void draw_rest(struct screen *s, size_t row, const struct view_line *lines, size_t n,
		      size_t top, size_t fit)
{
	size_t odd = 0;

	for (size_t i = 0; i < n; i++)
		if (i < top || i >= top + fit)
			odd += lines[i].odd || lines[i].silent || lines[i].against;
	n -= fit;
	if (odd)
		screen_put(s, row, 0, LOOK_DIM, "... and %zu more, %zu of them marked", n, odd);
	else
		screen_put(s, row, 0, LOOK_DIM, "... and %zu more, all alike", n);
}

/* Follows the chosen server, moves as the keys say, and keeps it among the `fit` lines shown. Whether it is one of them. */
static bool choose_line(struct view_choice *choice, const struct view_line *lines, size_t n,
			size_t fit)
{
	long at = -1;

	for (size_t i = 0; choice->any && i < n; i++)
		if (lines[i].node == choice->node)
			at = (long)i;
	choice->listed = n;
	choice->fit = fit;
	if (n && (choice->move || at >= 0)) {
		/* the first key down chooses the first line */
		at += choice->move;
		at = at < 0 ? 0 : at >= (long)n ? (long)n - 1 : at;
		choice->any = true;
		choice->node = lines[at].node;
		if ((size_t)at < choice->top)
			choice->top = (size_t)at;
		if (fit && (size_t)at >= choice->top + fit)
			choice->top = (size_t)at + 1 - fit;
	}
	choice->move = 0;
	if (choice->top + fit > n)
		choice->top = n > fit ? n - fit : 0;
	return at >= 0;
}

bool view_choose(struct view_choice *choice, const struct watch *w, bool first)
{
	size_t n;
	struct view_line *lines = lines_listed(w, choice, &n);
	bool chosen = lines && choose_line(choice, lines, n, choice->fit);

	if (lines && !chosen && first && n) {
		choice->any = chosen = true;
		choice->node = lines[choice->top].node;
	}
	free(lines);
	return chosen;
}

size_t view_table(struct screen *s, size_t row, size_t most, const struct watch *w,
		  struct view_choice *choice, int64_t now_ns)
{
	/* of few rows all are for servers but one */
	enum { LITTLE = 9 };
	const struct view_order *o = &orders[choice->order];
	size_t room = s->cols > values_col(o) ? (s->cols - values_col(o)) / CELL_COLS : 0;
	double *scratch = calloc(w->n_heard + 1, sizeof(*scratch));
	size_t n, fit, used = 0;
	struct view_line *lines = lines_listed(w, choice, &n);

	if (!lines || !scratch || most < 2 || !w->n_heard)
		goto out;
	room = room > COLUMNS ? COLUMNS : room;
	used = draw_heads(s, row, room, o, most >= LITTLE);
	if (most >= LITTLE)
		screen_put(s, row + used, 0, LOOK_DIM, "median of all");
	for (size_t c = 0; c < room && most >= LITTLE; c++) {
		char value[16];

		view_number(median(w, &columns[c], scratch), value);
		screen_put(s, row + used, values_col(o) + c * CELL_COLS, LOOK_DIM, "%*s ",
			   CELL_COLS - 1, value);
	}
	used += most >= LITTLE;
	fit = n <= most - used ? n : most - used - (most - used > 1);
	choose_line(choice, lines, n, fit);
	for (size_t i = choice->top; i < choice->top + fit; i++)
		draw_line(s, row + used++, &lines[i], w, room, o,
			  choice->any && lines[i].node == choice->node, now_ns);
	if (!n)
		screen_put(s, row + used++, 0, LOOK_WARN, "no server's name has this in it");
	else if (used < most && fit < n)
		draw_rest(s, row + used++, lines, n, choice->top, fit);
out:
	free(lines);
	free(scratch);
	return used;
}
