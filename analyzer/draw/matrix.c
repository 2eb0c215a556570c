// SPDX-License-Identifier: BSD-2-Clause
/* lanes.h: a heat map, and bars of parts. */
#include <math.h>

#include "lanes.h"

enum { CELL = 15, NAMES = 30 /* % of the width */, BAR = 11 /* px */ };

void matrix(struct svg *d, const struct matrix *m)
{
	double most = 0, wide = (100.0 - NAMES) / (double)(m->n_columns ? m->n_columns : 1);
	char words[SVG_WORDS];

	if (!d->body)
		return;
	for (size_t i = 0; i < m->n_rows * m->n_columns; i++)
		most = m->at[i] > most ? m->at[i] : most;
	for (size_t c = 0; c < m->n_columns && m->heads; c++)
		svg_label(d, NAMES + wide * (double)c, SVG_SOFT, "%s", m->columns[c]);
	d->y += m->heads ? SVG_LINE : 0;
	for (size_t r = 0; r < m->n_rows; r++) {
		/* a name ends where its cells begin */
		fprintf(d->body, "<svg x=\"0\" y=\"%.1f\" width=\"%d%%\" height=\"%d\">", d->y,
			NAMES - 1, SVG_LINE);
		{
			struct svg name = {.body = d->body};

			svg_label(&name, 0, SVG_PLAIN, "%s", m->rows[r]);
		}
		fputs("</svg>\n", d->body);
		for (size_t c = 0; c < m->n_columns; c++) {
			double v = m->at[r * m->n_columns + c];

			svg_bar(d, svg_level(v, most), NAMES + wide * (double)c,
				NAMES + wide * (double)(c + 1) - (m->n_columns < 60 ? 0.15 : 0),
				d->y, CELL - 1);
			svg_bar_title(d, "%s, %s: %s", m->rows[r], m->columns[c],
				      svg_bytes(v, words));
		}
		d->y += CELL;
	}
	svg_text(d, 0, SVG_SOFT, "the darkest: %s", svg_bytes(most, words));
}

struct parts {
	const struct svg_key *keys;
	size_t n;
};

static double sum(const struct parts *p, const double *values)
{
	double s = 0;

	for (size_t i = 0; i < p->n; i++)
		s += p->keys[i].class && values[i] > 0 ? values[i] : 0;
	return s;
}

/* One bar: parts in a row, as long as their sum beside the longest. */
static void bar(struct svg *d, const char *name, const struct parts *p, const double *values,
		double most, const char *(*words_of)(double value, char buf[SVG_WORDS]))
{
	char words[SVG_WORDS];
	double x = 0;

	for (size_t i = 0; i < p->n; i++) {
		double wide = values[i] > 0 && most > 0 ? 82 * values[i] / most : 0;

		if (!p->keys[i].class || !(wide > 0))
			continue;
		svg_bar(d, p->keys[i].class, x, x + wide, d->y, BAR - 1);
		svg_bar_title(d, "%s, %s: %s", name, p->keys[i].words, words_of(values[i], words));
		x += wide;
	}
	d->y += BAR;
}

void stage_bars(struct svg *d, const struct stage_bars *s, size_t n, const struct svg_key *parts,
		size_t n_parts)
{
	const struct parts p = {parts, n_parts};
	double bytes = 0, seconds = 0;
	char words[SVG_WORDS];

	for (size_t i = 0; i < n; i++) {
		bytes = fmax(bytes, sum(&p, s[i].bytes));
		seconds = fmax(seconds, sum(&p, s[i].seconds));
	}
	for (size_t i = 0; i < n && d->body; i++) {
		svg_text(d, 0, SVG_PLAIN, "%s", s[i].name);
		d->y -= 3;
		svg_label(d, 84, SVG_SOFT, "%s", svg_bytes(sum(&p, s[i].bytes), words));
		d->y += 3;
		bar(d, s[i].name, &p, s[i].bytes, bytes, svg_bytes);
		svg_label(d, 84, SVG_SOFT, "%s", svg_span(sum(&p, s[i].seconds), words));
		bar(d, s[i].name, &p, s[i].seconds, seconds, svg_span);
		d->y += 8;
	}
}
