// SPDX-License-Identifier: BSD-2-Clause
/* lanes.h: how many of each kind over time, one upon the other. */
#include <math.h>

#include "html.h"
#include "lanes.h"

enum { HEIGHT = 180 };

static double sum_at(const struct area *a, size_t column, size_t kinds)
{
	double sum = 0;

	for (size_t k = 0; k < kinds; k++)
		sum += a->kinds[k].n[column];
	return sum;
}

/* Steps along the top of the first `kinds`, and back along the top of those below the last. */
static void outline(struct svg *d, const struct area *a, size_t kind, double most)
{
	fprintf(d->body, "M0 %.2f", HEIGHT * (1 - sum_at(a, 0, kind) / most));
	for (size_t c = 0; c < a->columns; c++)
		fprintf(d->body, "V%.2fH%zu", HEIGHT * (1 - sum_at(a, c, kind + 1) / most), c + 1);
	for (size_t c = a->columns; c-- > 0;)
		fprintf(d->body, "V%.2fH%zu", HEIGHT * (1 - sum_at(a, c, kind) / most), c);
	fputs("z", d->body);
}

void area(struct svg *d, const struct area *a)
{
	double most = 0, top;

	if (!d->body || !a->columns)
		return;
	for (size_t c = 0; c < a->columns; c++)
		most = fmax(most, sum_at(a, c, a->n_kinds));
	if (!(most > 0))
		return;
	svg_text(d, 0, SVG_SOFT, "up to %.0f at once", most);
	top = d->y;
	fprintf(d->body,
		"<svg x=\"0\" y=\"%.1f\" width=\"100%%\" height=\"%d\" viewBox=\"0 0 %zu %d\" "
		"preserveAspectRatio=\"none\">\n",
		top, HEIGHT, a->columns, HEIGHT);
	for (size_t k = 0; k < a->n_kinds; k++) {
		fprintf(d->body, "<path class=\"%s\" d=\"", a->kinds[k].class);
		outline(d, a, k, most);
		html_enclose(d->body, "\"><title>", a->kinds[k].words, "</title></path>\n");
	}
	fputs("</svg>\n", d->body);
	d->y += HEIGHT;
	svg_seconds(d, a->from_s, a->to_s, top);
}
