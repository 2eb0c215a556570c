// SPDX-License-Identifier: BSD-2-Clause
/* chart.h: one over time, over the band of its peers; and the key of its lines. */
#include "chart.h"

#include <math.h>
#include <string.h>

#include "axis.h"
#include "html.h"
#include "userspace/common/output.h"

enum { TOP = 20, BOTTOM = 950, RUG = 984 };

static double x_of(const struct chart_time *l, size_t c)
{
	return 1000 * ((double)c + 0.5) / (double)l->span.columns;
}

static void draw_line(FILE *to, const struct chart_time *l, const struct axis *y, const double *v,
		      const char *class)
{
	bool down = false;

	fprintf(to, "<path class=\"%s\" d=\"", class);
	for (size_t c = 0; c < l->span.columns; c++) {
		bool here = isfinite(v[c]);

		if (here)
			fprintf(to, "%c%.1f %.0f", down ? 'L' : 'M', x_of(l, c), axis_at(y, v[c]));
		/* alone it is a dot */
		if (here && !down && (c + 1 == l->span.columns || !isfinite(v[c + 1])))
			fprintf(to, "h.1");
		down = here;
	}
	fprintf(to, "\"/>\n");
}

static void draw_band(FILE *to, const struct chart_time *l, const struct axis *y)
{
	size_t end;

	fprintf(to, "<path class=\"band\" d=\"");
	for (size_t c = 0; c < l->span.columns; c = end + 1) {
		end = c;
		while (end < l->span.columns && isfinite(l->low[end]))
			end++;
		for (size_t i = c; i < end; i++)
			fprintf(to, "%c%.1f %.0f", i == c ? 'M' : 'L', x_of(l, i),
				axis_at(y, l->high[i]));
		for (size_t i = end; i > c; i--)
			fprintf(to, "L%.1f %.0f", x_of(l, i - 1), axis_at(y, l->low[i - 1]));
		if (end > c)
			fprintf(to, "z");
	}
	fprintf(to, "\"/>\n");
}

static void draw_flags(FILE *to, const bool *flagged, size_t n)
{
	size_t end;

	fprintf(to, "<path class=\"flag\" d=\"");
	for (size_t c = 0; c < n; c = end + 1) {
		end = c;
		while (end < n && flagged[end])
			end++;
		if (end > c)
			fprintf(to, "M%.1f %dH%.1f", 1000.0 * (double)c / (double)n, RUG,
				1000.0 * (double)end / (double)n);
	}
	fprintf(to, "\"/>\n");
}

/* ---- labels --------------------------------------------------------------------------------------- */

/* %; below 0: it has no place in the drawing. */
static double event_at(const struct chart_time *c, int i)
{
	double span = (double)c->span.columns * (double)c->span.bin_ns;
	double at = 100 * (double)(c->events[i].ns - c->span.first_ns) / span;

	return c->events[i].what && at <= 100 ? at : -1;
}

/* "HH:MM:SS", of more than a day "MM-DD HH:MM". */
static const char *clock_of(const struct chart_span *h, int64_t ns, char buf[TIME_TEXT_LEN])
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
static void label_events(FILE *to, const struct chart_time *c)
{
	static const char *const tops[2] = {"-2.7em", "-1.4em"}, *const lines[2] = {"-1.8em",
										    "-.5em"};
	char t[TIME_TEXT_LEN];

	for (int i = 0; i < 2; i++) {
		double at = event_at(c, i);

		if (at >= 0)
			fprintf(to,
				"<line class=\"when\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%s\" "
				"y2=\"0\"/><text class=\"e%s\" x=\"%.2f%%\" y=\"%s\" "
				"dx=\"%sem\">%s %s</text>",
				at, at, tops[i], at > 50 ? " l" : "", at, lines[i],
				at > 50 ? "-.35" : ".35", c->events[i].what,
				clock_of(&c->span, c->events[i].ns, t));
	}
}

static void draw_events(FILE *to, const struct chart_time *c)
{
	for (int i = 0; i < 2; i++)
		if (event_at(c, i) >= 0)
			fprintf(to, "<path class=\"when\" d=\"M%.1f 0V1000\"/>\n",
				10 * event_at(c, i));
}

#define SWATCH "<span><svg viewBox=\"0 0 16 8\" aria-hidden=\"true\"><path class="

void chart_key(FILE *to, const struct chart_key *k)
{
	fprintf(to, "<div class=\"key\">" SWATCH "\"own\" d=\"M0 4h16\"/></svg>");
	html_text(to, k->name);
	fprintf(to, "</span>");
	if (k->peers)
		fprintf(to, SWATCH "\"band\" d=\"M0 0h16v8h-16z\"/></svg>%s%zu peers</span>",
			k->most ? "80&nbsp;% of " : "", k->peers);
	fprintf(to, SWATCH "\"med\" d=\"M0 4h16\"/></svg>%s</span>", k->median);
	if (k->flagged)
		fprintf(to, SWATCH "\"flag\" d=\"M0 4h16\"/></svg>bad</span>");
	fprintf(to, "</div>\n");
}

static struct axis axis_of(const struct chart_time *c)
{
	struct axis y = axis_start(c->linear, BOTTOM, TOP);

	for (size_t i = 0; i < c->span.columns; i++) {
		axis_take(&y, c->own[i]);
		axis_take(&y, c->median[i]);
		axis_take(&y, c->low[i]);
		axis_take(&y, c->high[i]);
	}
	axis_finish(&y);
	return y;
}

static void put_heading(FILE *to, const struct chart_time *c, const struct axis *y)
{
	html_enclose(to, "<figure>\n<figcaption><h3>", c->heading, "</h3>");
	html_text(to, c->unit);
	fprintf(to, ", logarithmic");
	if (y->c > 0)
		fprintf(to, " above %g", y->c);
	fprintf(to, "</figcaption>\n");
	chart_key(to, &c->key);
	fprintf(to,
		"<div class=\"plot%s\"><svg viewBox=\"0 0 1000 1000\" "
		"preserveAspectRatio=\"none\" role=\"img\"><title>",
		c->dated ? " dated" : "");
	html_text(to, c->title);
	html_enclose(to, "</title><desc>", c->text, "</desc>\n");
}

void chart_time(FILE *to, const struct chart_time *c)
{
	struct axis y = axis_of(c);
	double ticks[AXIS_TICKS];
	size_t n = axis_ticks(&y, 130, ticks);

	put_heading(to, c, &y);
	fprintf(to, "<path class=\"grid\" d=\"M0 1000H1000");
	for (size_t i = 0; i < n; i++)
		fprintf(to, "M0 %.0fH1000", axis_at(&y, ticks[i]));
	fprintf(to, "\"/>\n");
	draw_band(to, c, &y);
	draw_line(to, c, &y, c->median, "med");
	draw_events(to, c);
	draw_line(to, c, &y, c->own, "own");
	draw_flags(to, c->flagged, c->span.columns);
	fprintf(to, "</svg>\n");
	axis_labels_begin(to);
	axis_values(to, &y, ticks, n, 'y');
	axis_time(to, c->span.first_ns,
		  c->span.first_ns + (int64_t)c->span.columns * c->span.bin_ns);
	label_events(to, c);
	axis_labels_end(to);
	fprintf(to, "</div>\n</figure>\n");
}
