// SPDX-License-Identifier: BSD-2-Clause
/* lanes.h: bars over time in lines, the lines in rows. */
#include "lanes.h"

#include <math.h>

#include "html.h"

enum { STRIP = 8 }; /* px */

static double at(const struct lanes *l, double s)
{
	return 100 * fmin(fmax((s - l->from_s) / (l->to_s - l->from_s), 0), 1);
}

/* Runs of one level. */
static void strip(struct svg *d, const struct lanes *l, const struct lane_row *r)
{
	size_t end;

	fprintf(d->body, "<g><title>how many at once: the darkest are %.0f", l->most);
	if (r->name) {
		html_enclose(d->body, " (", r->name, ")");
	}
	fputs("</title>\n", d->body);
	for (size_t c = 0; c < LANE_COLUMNS; c = end) {
		const char *class = svg_level(r->density[c], l->most);

		for (end = c + 1;
		     end < LANE_COLUMNS && svg_level(r->density[end], l->most) == class;)
			end++;
		svg_bar(d, class, 100.0 * (double)c / LANE_COLUMNS,
			100.0 * (double)end / LANE_COLUMNS, d->y, STRIP - 1);
		fputs("</rect>\n", d->body);
	}
	fputs("</g>\n", d->body);
	d->y += STRIP;
}

void lanes(struct svg *d, const struct lanes *l)
{
	double top = d->y;

	if (!d->body || !(l->to_s > l->from_s))
		return;
	for (size_t i = 0; i < l->n_rows; i++) {
		const struct lane_row *r = &l->rows[i];

		if (r->name)
			svg_text(d, 0, SVG_SOFT, "%s", r->name);
		if (r->density)
			strip(d, l, r);
		for (size_t b = r->first; b < r->first + r->n; b++) {
			const struct lane_bar *x = &l->bars[b];
			double gap = l->line_px > 3 ? 1 : 0;

			svg_bar(d, x->class, at(l, x->from_s), at(l, x->to_s),
				d->y + l->line_px * (double)x->line, l->line_px - gap);
			l->tell(d, b, l->arg);
		}
		d->y += l->line_px * (double)r->lines + 3;
	}
	svg_seconds(d, l->from_s, l->to_s, top);
}
