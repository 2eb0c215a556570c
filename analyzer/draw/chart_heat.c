// SPDX-License-Identifier: BSD-2-Clause
/* chart.h: many over time, a line each. */
#include "chart.h"

#include "axis.h"
#include "html.h"

/* Runs of one level, or of marked columns (level 0). */
static void draw_level(FILE *to, const struct chart_strip *s, size_t n, size_t columns,
		       uint8_t level)
{
	for (size_t i = 0; i < n; i++) {
		size_t end;

		for (size_t c = 0; c < columns; c = end + 1) {
			end = c;
			while (end < columns && (!level	      ? s[i].marked[end]
						 : level == 1 ? s[i].level[end] >= 1
							      : s[i].level[end] == level))
				end++;
			if (end > c)
				fprintf(to, level ? "M%zu %zu.5h%zu" : "M%zu %zu.92h%zu", c, i,
					end - c);
		}
	}
}

/* What is told of a line where the pointer is on it. */
static void put_tips(FILE *to, const struct chart_strip *s, size_t n, size_t columns)
{
	for (size_t i = 0; i < n; i++) {
		fprintf(to, "<rect y=\"%zu\" width=\"%zu\" height=\"1\" class=\"tip\"><title>", i,
			columns);
		html_text(to, s[i].name);
		html_enclose(to, ": ", s[i].why, "</title></rect>\n");
	}
}

static void draw_strips(FILE *to, const struct chart_heat *c, const struct chart_strip *s, size_t n,
			bool named)
{
	fprintf(to,
		"<div class=\"draw%s\"><svg height=\"%.5grem\" viewBox=\"0 0 %zu %zu\" "
		"preserveAspectRatio=\"none\" shape-rendering=\"crispEdges\" "
		"role=\"img\"><title>%zu "
		"servers over time, the worst at the top</title>\n",
		named ? "" : " rest", named ? 1.25 * (double)n : 0.125 * (double)n, c->span.columns,
		n, n);
	for (uint8_t level = 1; level < c->n_levels; level++) {
		fprintf(to, "<path class=\"%s\" stroke-width=\"%s\" d=\"", c->levels[level].class,
			named ? ".84" : "1");
		draw_level(to, s, n, c->span.columns, level);
		fprintf(to, "\"/>\n");
	}
	if (named) {
		fprintf(to, "<path class=\"odd\" stroke-width=\".14\" d=\"");
		draw_level(to, s, n, c->span.columns, 0);
		fprintf(to, "\"/>\n");
		put_tips(to, s, n, c->span.columns);
	}
	fprintf(to, "</svg></div>\n");
}

static void put_names(FILE *to, const struct chart_strip *s, size_t n)
{
	fprintf(to, "<ol>");
	for (size_t i = 0; i < n; i++) {
		fprintf(to, "<li title=\"");
		html_text(to, s[i].name);
		fprintf(to, s[i].strong ? "\"><b>" : "\">");
		html_text(to, s[i].name);
		fprintf(to, s[i].strong ? "</b></li>" : "</li>");
	}
	fprintf(to, "</ol>\n");
}

static void put_key(FILE *to, const struct chart_heat *c)
{
	fprintf(to, "<div class=\"key\">");
	for (size_t i = 1; i < c->n_levels; i++)
		fprintf(to,
			"<span><svg viewBox=\"0 0 16 8\" aria-hidden=\"true\"><path class=\"%s\" "
			"stroke-width=\"12\" d=\"M0 4h16\"/></svg>%s</span>",
			c->levels[i].class, c->levels[i].words);
	fprintf(to,
		"<span><svg viewBox=\"0 0 16 8\" aria-hidden=\"true\"><path class=\"odd\" "
		"stroke-width=\"2\" d=\"M0 7h16\"/></svg>%s</span><span>empty: %s</span></div>\n",
		c->marked, c->empty);
}

void chart_heat(FILE *to, const struct chart_heat *c)
{
	put_key(to, c);
	fprintf(to, "<div class=\"heat\">\n");
	put_names(to, c->strips, c->named);
	draw_strips(to, c, c->strips, c->named, true);
	fprintf(to, "<ol class=\"why\">");
	for (size_t i = 0; i < c->named; i++)
		html_enclose(to, "<li>", c->strips[i].why, "</li>");
	fprintf(to, "</ol>\n");
	if (c->rest) {
		fprintf(to, "<div class=\"rest-of\">%zu more</div>\n", c->rest);
		draw_strips(to, c, c->strips + c->named, c->rest, false);
		fprintf(to, "<div class=\"why rest-of\">a line each</div>\n");
	}
	fprintf(to, "<div></div><div class=\"axis\">");
	axis_labels_begin(to);
	axis_time(to, c->span.first_ns,
		  c->span.first_ns + (int64_t)c->span.columns * c->span.bin_ns);
	axis_labels_end(to);
	fprintf(to, "</div>\n</div>\n");
}
