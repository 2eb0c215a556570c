// SPDX-License-Identifier: BSD-2-Clause
/* All servers over time: how far each is from its peers in its worst local signal. */
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/draw/axis.h"
#include "html.h"
#include "analyzer/output/flow.h"
#include "userspace/common/sort.h"

/* Colours of a cell: judged; apart; far apart but by too little to count; flagged, by z. */
enum { JUDGED = 1, FLAGGED = 4, LEVELS = 7 };
static const struct {
	const char *class, *words;
} levels[LEVELS] = {
	{NULL, "not judged"},	   {"c0", "as its peers (z below 2)"},
	{"c1", "z 2 to 4"},	   {"c2", "z from 4, but too small, or over"},
	{"c3", "worse: z 4 to 8"}, {"c4", "8 to 16"},
	{"c5", "16 and more"},
};

/* One server's line. */
struct strip {
	size_t node;
	bool incidents, voted;
	size_t flagged; /* columns */
	const struct history_row *worst;
	uint8_t *level; /* columns */
	bool *odd;
};

static uint8_t level_of(const struct history_cell *c)
{
	if (!c->marks)
		return 0;
	if (c->marks & MARK_FLAGGED)
		return c->z >= 16 ? 6 : c->z >= 8 ? 5 : FLAGGED;
	return c->z >= 4 ? 3 : c->z >= 2 ? 2 : JUDGED;
}

static bool worse_row(const struct history_row *a, const struct history_row *b)
{
	const struct history_cell *x = &a->at[a->worst], *y = &b->at[b->worst];
	int flag_x = x->marks & MARK_FLAGGED, flag_y = y->marks & MARK_FLAGGED;

	return flag_x != flag_y ? flag_x > flag_y : x->z > y->z;
}

static void fill(struct strip *s, const struct report *r)
{
	const struct history *h = r->h;
	const struct node_rows *of = s->node < h->n_nodes ? &h->nodes[s->node] : NULL;

	s->incidents = report_incident(r->a, s->node);
	for (size_t i = 0; of && i < of->n; i++) {
		const struct history_row *row = &h->rows[of->at[i]];
		bool local = verdict_signal(r->a, row->signal)->role == ROLE_LOCAL;

		for (size_t c = 0; c < h->columns; c++) {
			uint8_t level = level_of(&row->at[c]);

			if (!local)
				level = level ? JUDGED : 0;
			else
				s->odd[c] |= (row->at[c].marks & (MARK_ODD | MARK_CHRONIC)) != 0;
			if (level > s->level[c])
				s->level[c] = level;
		}
		if (local && (!s->worst || worse_row(row, s->worst)))
			s->worst = row;
	}
	for (size_t c = 0; c < h->columns; c++) {
		s->voted |= s->odd[c];
		s->flagged += s->level[c] >= FLAGGED;
	}
}

static int by_strip(const void *a, const void *b)
{
	const struct strip *x = a, *y = b;

	if (x->incidents != y->incidents)
		return x->incidents ? -1 : 1;
	if (x->voted != y->voted)
		return x->voted ? -1 : 1;
	if (x->flagged != y->flagged)
		return x->flagged > y->flagged ? -1 : 1;
	if (!x->worst || !y->worst)
		return (y->worst != NULL) - (x->worst != NULL) ?: x->node < y->node ? -1 : 1;
	if (worse_row(x->worst, y->worst))
		return -1;
	return worse_row(y->worst, x->worst) ? 1 : x->node < y->node ? -1 : 1;
}

/* Runs of one level, or of odd (level 0). */
static void draw_level(FILE *to, const struct strip *s, size_t n, size_t columns, uint8_t level)
{
	for (size_t i = 0; i < n; i++) {
		size_t end;

		for (size_t c = 0; c < columns; c = end + 1) {
			end = c;
			while (end < columns && (!level		   ? s[i].odd[end]
						 : level == JUDGED ? s[i].level[end] >= JUDGED
								   : s[i].level[end] == level))
				end++;
			if (end > c)
				fprintf(to, level ? "M%zu %zu.5h%zu" : "M%zu %zu.92h%zu", c, i,
					end - c);
		}
	}
}

static void draw(FILE *to, const struct strip *s, size_t n, const struct history *h, bool named)
{
	fprintf(to,
		"<div class=\"draw%s\" style=\"height:%.5grem\"><svg viewBox=\"0 0 %zu %zu\" "
		"preserveAspectRatio=\"none\" shape-rendering=\"crispEdges\" "
		"role=\"img\"><title>%zu "
		"servers over time, the worst at the top</title>\n",
		named ? "" : " rest", named ? 1.25 * (double)n : 0.125 * (double)n, h->columns, n,
		n);
	for (uint8_t level = JUDGED; level < LEVELS; level++) {
		fprintf(to, "<path class=\"%s\" stroke-width=\"%s\" d=\"", levels[level].class,
			named ? ".84" : "1");
		draw_level(to, s, n, h->columns, level);
		fprintf(to, "\"/>\n");
	}
	if (named) {
		fprintf(to, "<path class=\"vote\" stroke-width=\".14\" d=\"");
		draw_level(to, s, n, h->columns, 0);
		fprintf(to, "\"/>\n");
	}
	fprintf(to, "</svg></div>\n");
}

static void put_names(FILE *to, const struct report *r, const struct strip *s, size_t n)
{
	fprintf(to, "<ol>");
	for (size_t i = 0; i < n; i++) {
		const char *name = verdict_node(r->a, s[i].node);

		fprintf(to, "<li title=\"");
		html_text(to, name);
		fprintf(to, s[i].incidents ? "\"><b>" : "\">");
		html_text(to, name);
		fprintf(to, s[i].incidents ? "</b></li>" : "</li>");
	}
	fprintf(to, "</ol>\n");
}

static void put_reasons(FILE *to, const struct report *r, const struct strip *s, size_t n)
{
	char name[WORDS_LEN], z[WORDS_LEN];

	fprintf(to, "<ol class=\"why\">");
	for (size_t i = 0; i < n; i++) {
		const struct history_row *row = s[i].worst;

		fprintf(to, "<li>");
		if (row)
			html_say(to, "%s, z" TIE "%s",
				 words_signal(verdict_signal(r->a, row->signal), row->disk, name),
				 words_score(row->at[row->worst].z, z));
		else
			fprintf(to, "not judged");
		fprintf(to, "</li>");
	}
	fprintf(to, "</ol>\n");
}

static void put_key(FILE *to)
{
	fprintf(to, "<div class=\"key\">");
	for (size_t i = 1; i < LEVELS; i++)
		fprintf(to,
			"<span><svg viewBox=\"0 0 16 8\" aria-hidden=\"true\"><path class=\"%s\" "
			"stroke-width=\"12\" d=\"M0 4h16\"/></svg>%s</span>",
			levels[i].class, levels[i].words);
	fprintf(to, "<span><svg viewBox=\"0 0 16 8\" aria-hidden=\"true\"><path class=\"vote\" "
		    "stroke-width=\"2\" d=\"M0 7h16\"/></svg>odd by vote</span>"
		    "<span>empty: not judged</span></div>\n");
}

static bool is_apart(const struct strip *s)
{
	return s->worst && s->worst->at[s->worst->worst].z >= 2;
}

static void put(FILE *to, const struct report *r, const struct strip *s, size_t n)
{
	const struct history *h = r->h;
	size_t named = n < REPORT_NAMED ? n : REPORT_NAMED, rest = 0;

	fprintf(to, "<div class=\"heat\">\n");
	put_names(to, r, s, named);
	draw(to, s, named, h, true);
	put_reasons(to, r, s, named);
	/* of those who were as their peers throughout nothing is to be seen */
	while (named + rest < n && rest < REPORT_REST && is_apart(&s[named + rest]))
		rest++;
	if (rest) {
		fprintf(to, "<div class=\"rest-of\">%zu more</div>\n", rest);
		draw(to, s + named, rest, h, false);
		fprintf(to, "<div class=\"why rest-of\">a line each</div>\n");
	}
	fprintf(to, "<div></div><div class=\"axis\">");
	axis_time(to, h->first_ns, h->first_ns + (int64_t)h->columns * h->bin_ns);
	fprintf(to, "</div>\n</div>\n");
	if (named + rest < n)
		fprintf(to, "<p class=\"note\">%zu more are left out: %s.</p>\n", n - named - rest,
			is_apart(&s[named + rest])
				? "there is no room for them"
				: "they were as their peers throughout, or not judged");
}

void report_heat(FILE *to, const struct report *r)
{
	size_t n = r->a->n_nodes, columns = r->h->columns;
	struct strip *s = calloc(n + 1, sizeof(*s));
	uint8_t *level = calloc(n * columns + 1, 1);
	bool *odd = calloc(n * columns + 1, sizeof(*odd));
	char span[WORDS_LEN];

	if (!n || !columns || !s || !level || !odd)
		goto out;
	for (size_t i = 0; i < n; i++) {
		s[i].node = i;
		s[i].level = level + i * columns;
		s[i].odd = odd + i * columns;
		fill(&s[i], r);
	}
	sort(s, n, by_strip);
	fprintf(to, "<section>\n<h2>All servers over time</h2>\n<p class=\"note\">");
	html_say(to,
		 "The signal of a server that is furthest from its peers at the time, in terms of "
		 "what the peers differ among each other (z). Who was worse for longest stands "
		 "first. "
		 "Times are UTC; a column is %s.",
		 words_span(r->h->bin_ns, span));
	fprintf(to, "</p>\n");
	put_key(to);
	put(to, r, s, n);
	fprintf(to, "</section>\n");
out:
	free(s);
	free(level);
	free(odd);
}
