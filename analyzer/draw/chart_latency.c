// SPDX-License-Identifier: BSD-2-Clause
/* chart.h: distribution functions of one and of its peers. */
#include "chart.h"

#include "axis.h"
#include "html.h"

enum { TOP = 50, BOTTOM = 1000 };

static double y_of(double share)
{
	return BOTTOM + share * (TOP - BOTTOM);
}

static void draw_shares(FILE *to, const struct chart_latency *c, const struct axis *x,
			const float *share, const char *class)
{
	bool down = false;
	float last = -1;

	fprintf(to, "<path class=\"%s\" d=\"", class);
	for (size_t b = 0; b < c->n; b++) {
		/* what does not rise needs only its ends */
		if (b + 1 < c->n && share[b] == last && share[b + 1] == last)
			continue;
		last = share[b];
		fprintf(to, "%c%.1f %.1f", down ? 'L' : 'M', axis_at(x, c->end[b]), y_of(share[b]));
		down = true;
	}
	fprintf(to, "\"/>\n");
}

static void draw_band(FILE *to, const struct chart_latency *c, const struct axis *x)
{
	fprintf(to, "<path class=\"band\" d=\"");
	for (size_t b = 0; b < c->n; b++)
		fprintf(to, "%c%.1f %.1f", b ? 'L' : 'M', axis_at(x, c->end[b]), y_of(c->high[b]));
	for (size_t b = c->n; b > 0; b--)
		fprintf(to, "L%.1f %.1f", axis_at(x, c->end[b - 1]), y_of(c->low[b - 1]));
	fprintf(to, "z\"/>\n");
}

static struct axis range(const struct chart_latency *c)
{
	struct axis x = axis_start(0, 0, 1000);

	for (size_t b = 0; b < c->n; b++)
		if ((c->own[b] > 0.002 && (!b || c->own[b - 1] < 0.9995)) ||
		    (c->peers[b] > 0.002 && (!b || c->peers[b - 1] < 0.9995)))
			axis_take(&x, c->end[b]);
	axis_finish(&x);
	return x;
}

void chart_latency(FILE *to, const struct chart_latency *c)
{
	static const int parts[] = {0, 25, 50, 75, 99};
	double ticks[AXIS_TICKS];
	struct axis x = range(c);
	size_t n = axis_ticks(&x, 90, ticks);

	html_enclose(to, "<figure>\n<figcaption><h3>", c->heading, "</h3>");
	html_text(to, c->caption);
	fprintf(to, "</figcaption>\n");
	chart_key(to, &c->key);
	fprintf(to,
		"<div class=\"plot\"><svg viewBox=\"0 0 1000 1000\" "
		"preserveAspectRatio=\"none\" role=\"img\"><title>Latency distribution</title>\n"
		"<path class=\"grid\" d=\"");
	for (size_t i = 0; i < 5; i++)
		fprintf(to, "M0 %.1fH1000", y_of(parts[i] / 100.0));
	fprintf(to, "\"/>\n");
	draw_band(to, c, &x);
	draw_shares(to, c, &x, c->peers, "med");
	draw_shares(to, c, &x, c->own, "own");
	fprintf(to,
		"<path class=\"dot\" d=\"M%.1f %.1fh.1M%.1f %.1fh.1\"/>\n"
		"<path class=\"dot peer\" d=\"M%.1f %.1fh.1M%.1f %.1fh.1\"/>\n</svg>\n",
		axis_at(&x, c->own_half), y_of(0.5), axis_at(&x, c->own_most), y_of(0.99),
		axis_at(&x, c->peers_half), y_of(0.5), axis_at(&x, c->peers_most), y_of(0.99));
	axis_labels_begin(to);
	for (size_t i = 0; i < 5; i++)
		fprintf(to,
			"<text class=\"y\" y=\"%.2f%%\" dx=\"-.45em\" "
			"dy=\".35em\">%d&nbsp;%%</text>",
			y_of(parts[i] / 100.0) / 10, parts[i]);
	axis_values(to, &x, ticks, n, 'x');
	axis_labels_end(to);
	fprintf(to, "</div>\n</figure>\n");
}
