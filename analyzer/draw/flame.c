// SPDX-License-Identifier: BSD-2-Clause
/* lanes.h: a flame graph, the outermost frame above. */
#include <math.h>
#include <string.h>

#include "html.h"
#include "lanes.h"

/* %: of the width, below which a frame is not drawn, and below which it has no name on it. */
#define WIDTH_LEAST 0.2
#define WIDTH_NAMED 4
#define DEEPEST	    128

struct flame_frame {
	const char *name;
	size_t len;
	double width, own, peers;
};

/* The frame at `at` of the texts of lines [from, *to): those that have it, and what they add up to. */
static struct flame_frame gather(const struct flame_line *lines, size_t from, size_t *to, size_t at)
{
	struct flame_frame f = {.name = lines[from].text + at};
	size_t i;

	f.len = strcspn(f.name, ";");
	for (i = from; i < *to; i++) {
		const char *other = lines[i].text + at;

		if (strcspn(other, ";") != f.len || memcmp(other, f.name, f.len) != 0)
			break;
		f.own += lines[i].own;
		f.peers += lines[i].peers;
		f.width += fmax(0, lines[i].own - lines[i].peers);
	}
	*to = i;
	return f;
}

/* The more of it is not the peers', the stronger. */
static const char *class_of(const struct flame_frame *f)
{
	static const char *const levels[] = {"d1", "d2", "d3", "d4"};
	double more = f->own > 0 ? (f->own - f->peers) / f->own : 0;

	return levels[more > 0.9 ? 3 : more > 0.6 ? 2 : more > 0.3 ? 1 : 0];
}

static void put_frame(struct svg *d, const struct flame_frame *f, double x, double to_x, double y)
{
	svg_bar(d, class_of(f), x, to_x, y, SVG_LINE - 1);
	svg_bar_title(d, "%.*s: %.1f %% of all here, %.1f %% at the peers'", (int)f->len, f->name,
		      100 * f->own, 100 * f->peers);
	if (!d->body || to_x - x < WIDTH_NAMED)
		return;
	/* A drawing of its own cuts off what is too long. */
	fprintf(d->body,
		"<svg x=\"%.3f%%\" y=\"%.1f\" width=\"%.3f%%\" height=\"%d\"><text x=\"2\" "
		"y=\"%d\">",
		x, y, to_x - x, SVG_LINE, SVG_LINE - 4);
	html_say(d->body, "%.*s", (int)f->len, f->name);
	fputs("</text></svg>\n", d->body);
}

/* Draws what stands from `at` on in lines [from, to), which begin alike; returns how deep. */
static int put_level(struct svg *d, const struct flame_line *lines, size_t from, size_t to,
		     size_t at, double x, double scale, int depth)
{
	int deepest = depth;

	while (from < to && depth < DEEPEST) {
		size_t end = to, inner = from;
		struct flame_frame f = gather(lines, from, &end, at);
		double to_x = x + f.width * scale, ends = 0;
		int below;

		if (to_x - x >= WIDTH_LEAST) {
			put_frame(d, &f, x, to_x, d->y + depth * SVG_LINE);
			/* Stacks that end in this frame come first, and have nothing below it. */
			for (; inner < end && !lines[inner].text[at + f.len]; inner++)
				ends += fmax(0, lines[inner].own - lines[inner].peers);
			below = put_level(d, lines, inner, end, at + f.len + 1, x + ends * scale,
					  scale, depth + 1);
			deepest = below > deepest ? below : deepest;
		}
		x = to_x;
		from = end;
	}
	return deepest;
}

void flame(struct svg *d, const struct flame_line *lines, size_t n)
{
	double all = 0;

	for (size_t i = 0; i < n; i++)
		all += fmax(0, lines[i].own - lines[i].peers);
	if (all > 0)
		d->y += SVG_LINE * put_level(d, lines, 0, n, 0, 0, 100 / all, 0);
}
