// SPDX-License-Identifier: BSD-2-Clause
/* All servers over time: how far each is from its peers in its worst local signal. */
#include "page.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/draw/chart.h"
#include "analyzer/draw/html.h"
#include "analyzer/output/words.h"
#include "userspace/common/sort.h"
#include "userspace/common/times.h"

/* Colours of a cell: judged; apart; far apart but by too little to count; bad, by z. */
enum { JUDGED = 1, FLAGGED = 4, LEVELS = 7 };
static const struct chart_level levels[LEVELS] = {
	{NULL, "not judged"},	    {"c0", "as its peers (z below 2)"},
	{"c1", "z 2 to 4"},	    {"c2", "z from 4, but too small, or over"},
	{"c3", "worse: z below 8"}, {"c4", "8 to 16"},
	{"c5", "16 and more"},
};

/* One server's line. */
struct strip {
	size_t node;
	bool incidents, enough; /* enough: evidence to indict, at some time */
	size_t flagged;		/* columns */
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

static void strip_fill(struct strip *s, const struct report *r)
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
				s->odd[c] |= (row->at[c].marks & MARK_ODD) != 0;
			if (level > s->level[c])
				s->level[c] = level;
		}
		if (local && (!s->worst || history_worse(row, s->worst)))
			s->worst = row;
	}
	for (size_t c = 0; c < h->columns; c++) {
		s->enough |= s->odd[c];
		s->flagged += s->level[c] >= FLAGGED;
	}
}

static int by_strip(const void *a, const void *b)
{
	const struct strip *x = a, *y = b;
	bool both = x->worst && y->worst;
	int worse = both ? history_worse(y->worst, x->worst) - history_worse(x->worst, y->worst)
			 : ORDER(y->worst != NULL, x->worst != NULL);

	return ORDER(y->incidents, x->incidents) ?: ORDER(y->enough, x->enough)
		       ?: ORDER(y->flagged, x->flagged) ?: worse ?: ORDER(x->node, y->node);
}

static bool is_apart(const struct strip *s)
{
	return s->worst && s->worst->at[s->worst->worst].z >= 2;
}

static void reason(struct text *why, const struct report *r, const struct history_row *row)
{
	char name[WORDS_LEN], z[WORDS_LEN];

	if (!row)
		text_put(why, "not judged");
	else
		text_add(why, "%s, z" TEXT_TIE "%s",
			 words_signal(verdict_signal(r->a, row->signal), row->disk, name),
			 words_score(row->at[row->worst].z, z));
}

/* The strips as they are drawn; why[]: room for the reasons of those with names. */
static void strips_of(const struct report *r, const struct strip *s, size_t named, size_t n,
		      struct chart_strip *out, struct text *why)
{
	for (size_t i = 0; i < n; i++) {
		out[i] = (struct chart_strip){.name = verdict_node(r->a, s[i].node),
					      .strong = s[i].incidents,
					      .level = s[i].level,
					      .marked = s[i].odd};
		if (i < named) {
			reason(&why[i], r, s[i].worst);
			out[i].why = text_of(&why[i]);
		}
	}
}

static void put_strips(FILE *to, const struct report *r, const struct strip *s, size_t n)
{
	struct text *why = calloc(REPORT_NAMED, sizeof(*why));
	struct chart_strip *strips = calloc(n + 1, sizeof(*strips));
	struct chart_heat c = {.span = {r->h->first_ns, r->h->bin_ns, r->h->columns},
			       .levels = levels,
			       .n_levels = LEVELS,
			       .marked = "enough to indict",
			       .empty = "not judged",
			       .strips = strips,
			       .named = n < REPORT_NAMED ? n : REPORT_NAMED};
	size_t shown = c.named;

	if (!why || !strips)
		goto out;
	/* of those who were as their peers throughout nothing is to be seen */
	while (shown < n && shown < c.named + REPORT_REST && is_apart(&s[shown]))
		shown++;
	c.rest = shown - c.named;
	strips_of(r, s, c.named, shown, strips, why);
	chart_heat(to, &c);
	if (shown < n)
		fprintf(to, "<p class=\"note\">%zu more are left out: %s.</p>\n", n - shown,
			is_apart(&s[shown]) ? "there is no room for them"
					    : "they were as their peers throughout, or not judged");
out:
	for (size_t i = 0; why && i < REPORT_NAMED; i++)
		text_release(&why[i]);
	free(why);
	free(strips);
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
		strip_fill(&s[i], r);
	}
	sort(s, n, by_strip);
	fprintf(to, "<section>\n<h2>All servers over time</h2>\n<p class=\"note\">");
	html_say(to,
		 "The signal of a server that is furthest from its peers at the time, in terms of "
		 "what the peers differ among each other (z). Who was worse for longest stands "
		 "first. Times are %s; a column is %s.",
		 time_zone_shown(), words_span(r->h->bin_ns, span));
	fprintf(to, "</p>\n");
	put_strips(to, r, s, n);
	fprintf(to, "</section>\n");
out:
	free(s);
	free(level);
	free(odd);
}
