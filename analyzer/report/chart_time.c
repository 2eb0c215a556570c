// SPDX-License-Identifier: BSD-2-Clause
/* A signal of one server over time, over the band of its peers. */
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/draw/axis.h"
#include "html.h"
#include "userspace/common/output.h"
#include "analyzer/output/flow.h"
#include "userspace/common/sort.h"

enum { TOP = 20, BOTTOM = 950, RUG = 984 };

/* What is drawn, by column; NaN: nothing. */
struct lines {
	double own[HISTORY_COLUMNS], med[HISTORY_COLUMNS], low[HISTORY_COLUMNS],
		high[HISTORY_COLUMNS];
	size_t n, peers;
	struct axis y;
};

/* Where a peer is in this column. Its latency was compared under its own load: what counts is its ratio
 * to its peers, here on top of what this server was compared with. */
static double peer_value(const struct verdict_signal *s, const struct history_cell *own,
			 const struct history_cell *peer)
{
	if (!s->relative)
		return peer->value;
	return (double)own->peers * peer->value / peer->peers;
}

static void fill_column(const struct report *r, const struct history_row *row, const size_t *others,
			size_t n, double *v, size_t c, struct lines *l)
{
	const struct verdict_signal *s = verdict_signal(r->a, row->signal);
	const struct history_cell *own = &row->at[c];
	size_t m = 0, cut;

	l->own[c] = l->med[c] = l->low[c] = l->high[c] = NAN;
	if (!own->marks)
		return;
	l->own[c] = own->value;
	l->med[c] = own->peers;
	for (size_t i = 0; i < n; i++) {
		const struct history_cell *peer = &r->h->rows[others[i]].at[c];
		double x = peer->marks ? peer_value(s, own, peer) : NAN;

		if (isfinite(x))
			v[m++] = x;
	}
	if (m > l->peers)
		l->peers = m;
	if (!m)
		return;
	sort(v, m, by_double);
	cut = m > HISTORY_ALL ? m / 10 : 0;
	l->low[c] = v[cut];
	l->high[c] = v[m - 1 - cut];
}

/* 0 if there is no memory: then nothing is drawn. */
static int fill(const struct report *r, const struct history_row *row, struct lines *l)
{
	size_t *others = malloc((r->h->n_rows + 1) * sizeof(*others)), n = 0;
	double *v = malloc((r->h->n_rows + 1) * sizeof(*v));

	l->n = r->h->columns;
	for (size_t i = 0; i < r->h->n_rows && others && r->bands; i++)
		if (&r->h->rows[i] != row && r->h->rows[i].set == row->set &&
		    row->set != SIZE_MAX && !report_incident(r->a, r->h->rows[i].node))
			others[n++] = i;
	for (size_t c = 0; c < l->n && others && v; c++)
		fill_column(r, row, others, n, v, c, l);
	l->y = axis_start(verdict_signal(r->a, row->signal)->linear, BOTTOM, TOP);
	for (size_t c = 0; c < l->n && others && v; c++) {
		axis_take(&l->y, l->own[c]);
		axis_take(&l->y, l->med[c]);
		axis_take(&l->y, l->low[c]);
		axis_take(&l->y, l->high[c]);
	}
	axis_finish(&l->y);
	free(v);
	free(others);
	return others && v;
}

static double x_of(const struct lines *l, size_t c)
{
	return 1000 * ((double)c + 0.5) / (double)l->n;
}

static void draw_line(FILE *to, const struct lines *l, const double *v, const char *class)
{
	bool down = false;

	fprintf(to, "<path class=\"%s\" d=\"", class);
	for (size_t c = 0; c < l->n; c++) {
		bool here = isfinite(v[c]);

		if (here)
			fprintf(to, "%c%.1f %.0f", down ? 'L' : 'M', x_of(l, c),
				axis_at(&l->y, v[c]));
		/* alone it is a dot */
		if (here && !down && (c + 1 == l->n || !isfinite(v[c + 1])))
			fprintf(to, "h.1");
		down = here;
	}
	fprintf(to, "\"/>\n");
}

static void draw_band(FILE *to, const struct lines *l)
{
	size_t end;

	fprintf(to, "<path class=\"band\" d=\"");
	for (size_t c = 0; c < l->n; c = end + 1) {
		end = c;
		while (end < l->n && isfinite(l->low[end]))
			end++;
		for (size_t i = c; i < end; i++)
			fprintf(to, "%c%.1f %.0f", i == c ? 'M' : 'L', x_of(l, i),
				axis_at(&l->y, l->high[i]));
		for (size_t i = end; i > c; i--)
			fprintf(to, "L%.1f %.0f", x_of(l, i - 1), axis_at(&l->y, l->low[i - 1]));
		if (end > c)
			fprintf(to, "z");
	}
	fprintf(to, "\"/>\n");
}

static void draw_flags(FILE *to, const struct history_row *row, size_t n)
{
	size_t end;

	fprintf(to, "<path class=\"flag\" d=\"");
	for (size_t c = 0; c < n; c = end + 1) {
		end = c;
		while (end < n && row->at[end].marks & MARK_FLAGGED)
			end++;
		if (end > c)
			fprintf(to, "M%.1f %dH%.1f", 1000.0 * (double)c / (double)n, RUG,
				1000.0 * (double)end / (double)n);
	}
	fprintf(to, "\"/>\n");
}

/* ---- labels --------------------------------------------------------------------------------------- */

static double percent_of(const struct history *h, int64_t ns)
{
	double span = (double)h->columns * (double)h->bin_ns;

	return 100 * (double)(ns - h->first_ns) / span;
}

/* "HH:MM:SS", of more than a day "MM-DD HH:MM". */
static const char *clock_of(const struct history *h, int64_t ns, char buf[TIME_TEXT_LEN])
{
	char full[TIME_TEXT_LEN];
	bool days = (double)h->columns * (double)h->bin_ns > 86400e9;

	output_time(ns, full);
	if (strlen(full) < 19)
		snprintf(buf, TIME_TEXT_LEN, "%s", full);
	else if (days)
		snprintf(buf, TIME_TEXT_LEN, "%.5s %.5s", full + 5, full + 11);
	else
		snprintf(buf, TIME_TEXT_LEN, "%.8s", full + 11);
	return buf;
}

/* Above the drawing, so that nothing is covered; left of its line where there is no room at the right. */
static void label_event(FILE *to, const struct history *h, int row, const char *what, int64_t ns)
{
	double at = percent_of(h, ns);
	char t[TIME_TEXT_LEN];

	if (at < 0 || at > 100)
		return;
	fprintf(to, "<span class=\"e %s\" style=\"left:%.2f%%\">%s %s</span>",
		at > 50 ? row ? "l second" : "l"
		: row	? "second"
			: "",
		at, what, clock_of(h, ns, t));
}

static void label_events(FILE *to, const struct history *h, const struct finding *e)
{
	if (!e->chronic)
		label_event(to, h, 0, "onset", e->onset_ns);
	if (e->decided_ns)
		label_event(to, h, 1, e->chronic ? "indicted" : "odd by vote", e->decided_ns);
}

static void draw_events(FILE *to, const struct history *h, const struct finding *e)
{
	double at[] = {e->chronic ? -1 : percent_of(h, e->onset_ns),
		       e->decided_ns ? percent_of(h, e->decided_ns) : -1};

	for (size_t i = 0; i < 2; i++)
		if (at[i] >= 0 && at[i] <= 100)
			fprintf(to, "<path class=\"when\" d=\"M%.1f 0V1000\"/>\n", 10 * at[i]);
}

static void label_values(FILE *to, const struct axis *y, const double *ticks, size_t n)
{
	char label[32];

	for (size_t i = 0; i < n; i++) {
		fprintf(to, "<span class=\"y\" style=\"top:%.2f%%\">", axis_at(y, ticks[i]) / 10);
		html_text(to, axis_label(ticks[i], label));
		fprintf(to, "</span>");
	}
}

#define SWATCH "<span><svg viewBox=\"0 0 16 8\" aria-hidden=\"true\"><path class="

void report_key(FILE *to, const char *name, size_t peers, const char *median, bool flagged)
{
	fprintf(to, "<div class=\"key\">" SWATCH "\"own\" d=\"M0 4h16\"/></svg>");
	html_text(to, name);
	fprintf(to, "</span>");
	if (peers)
		fprintf(to, SWATCH "\"band\" d=\"M0 0h16v8h-16z\"/></svg>%s%zu peers</span>",
			peers > HISTORY_ALL ? "80&nbsp;% of " : "", peers);
	fprintf(to, SWATCH "\"med\" d=\"M0 4h16\"/></svg>%s</span>", median);
	if (flagged)
		fprintf(to, SWATCH "\"flag\" d=\"M0 4h16\"/></svg>flagged</span>");
	fprintf(to, "</div>\n");
}

static void put_heading(FILE *to, const struct report *r, const struct history_row *row, double c)
{
	const struct verdict_signal *s = verdict_signal(r->a, row->signal);
	char name[WORDS_LEN];

	fprintf(to, "<figcaption><h3>");
	html_text(to, words_signal(s, row->disk, name));
	fprintf(to, "</h3>");
	html_say(to, "%s, ", *s->unit ? s->unit : "as recorded");
	fprintf(to, "logarithmic");
	if (c > 0)
		fprintf(to, " above %g", c);
	fprintf(to, "</figcaption>\n");
}

static void put_title(FILE *to, const struct report *r, const struct history_row *row)
{
	const struct verdict_signal *s = verdict_signal(r->a, row->signal);
	const struct history_cell *w = &row->at[row->worst];
	char name[WORDS_LEN], a[WORDS_LEN], b[WORDS_LEN], t[TIME_TEXT_LEN];

	fprintf(to, "<title>");
	html_text(to, verdict_node(r->a, row->node));
	html_say(to, ": %s over time", words_signal(s, row->disk, name));
	fprintf(to, "</title><desc>");
	html_say(to, "At its worst, near %s: %s, peers' median ",
		 output_time(r->h->first_ns + (int64_t)row->worst * r->h->bin_ns, t),
		 words_value(s, w->value, a));
	html_text(to, words_value(s, w->peers, b));
	fprintf(to, ".</desc>\n");
}

void report_time(FILE *to, const struct report *r, const struct history_row *row,
		 const struct finding *e)
{
	struct lines *l = calloc(1, sizeof(*l));
	double ticks[AXIS_TICKS];
	bool flagged = false;
	size_t n;

	if (!l || !fill(r, row, l)) {
		free(l);
		return;
	}
	for (size_t c = 0; c < l->n; c++)
		flagged |= (row->at[c].marks & MARK_FLAGGED) != 0;
	fprintf(to, "<figure>\n");
	put_heading(to, r, row, l->y.c);
	report_key(to, verdict_node(r->a, row->node), l->peers, "their median", flagged);
	fprintf(to,
		"<div class=\"plot%s\"><svg viewBox=\"0 0 1000 1000\" "
		"preserveAspectRatio=\"none\" role=\"img\">",
		e ? " dated" : "");
	put_title(to, r, row);
	n = axis_ticks(&l->y, 130, ticks);
	fprintf(to, "<path class=\"grid\" d=\"M0 1000H1000");
	for (size_t i = 0; i < n; i++)
		fprintf(to, "M0 %.0fH1000", axis_at(&l->y, ticks[i]));
	fprintf(to, "\"/>\n");
	draw_band(to, l);
	draw_line(to, l, l->med, "med");
	if (e)
		draw_events(to, r->h, e);
	draw_line(to, l, l->own, "own");
	draw_flags(to, row, l->n);
	fprintf(to, "</svg>\n");
	label_values(to, &l->y, ticks, n);
	axis_time(to, r->h->first_ns, r->h->first_ns + (int64_t)l->n * r->h->bin_ns);
	if (e)
		label_events(to, r->h, e);
	fprintf(to, "</div>\n</figure>\n");
	free(l);
}
