// SPDX-License-Identifier: BSD-2-Clause
/* All servers over time: the evidence against each, in the local signal that says most, beside what is needed to indict. */
#include "page.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/draw/chart.h"
#include "analyzer/draw/html.h"
#include "analyzer/output/words.h"
#include "userspace/common/output.h"
#include "userspace/common/scratch.h"
#include "userspace/common/sort.h"
#include "userspace/common/times.h"

/*
 * Of what is needed, %. Of 500 simulated servers that were well 10 minutes long 1 % of the cells came to QUIET: what is below has the
 * colour of what was judged.
 */
enum { QUIET = 60, JUDGED = 1, LEVELS = 7 };
static const uint16_t from_percent[LEVELS] = {0, 0, QUIET, 80, 100, 200, 400};
static const struct chart_level levels[LEVELS] = {
	{NULL, "not judged"}, {"c0", "below 0.6: as good as none"},
	{"c1", "0.6 to 0.8"}, {"c2", "0.8 to 1"},
	{"c3", "1 to 2"},     {"c4", "2 to 4"},
	{"c5", "4 and more"},
};

/* One server's line. */
struct strip {
	size_t node;
	bool incidents;
	size_t loud;		       /* columns that are not quiet */
	const struct history_row *row; /* with the most evidence; NULL: none of it was judged */
	size_t most;		       /* its column of that */
	uint8_t *level;		       /* columns */
	bool *odd;
};

static uint8_t level_of(const struct history_cell *c)
{
	uint8_t level = c->marks ? LEVELS - 1 : 0;

	while (level && c->evidence < from_percent[level])
		level--;
	return level;
}

static uint16_t most_of(const struct strip *s)
{
	return s->row ? s->row->at[s->most].evidence : 0;
}

static bool is_odd(const struct strip *s)
{
	return s->incidents || s->loud;
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
			if (local && row->at[c].marks &&
			    (!s->row || row->at[c].evidence > most_of(s))) {
				s->row = row;
				s->most = c;
			}
		}
	}
	for (size_t c = 0; c < h->columns; c++)
		s->loud += s->level[c] > JUDGED;
}

COMPARISON(by_strip, struct strip,
	   ORDER(b->incidents, a->incidents) ?: ORDER(most_of(b), most_of(a))
		   ?: ORDER(b->row != NULL, a->row != NULL) ?: ORDER(a->node, b->node))

static void reason(struct text *why, const struct report *r, const struct strip *s)
{
	char name[WORDS_LEN];

	if (!s->row)
		text_put(why, "not judged");
	else
		text_add(why, "%s, %.2f",
			 words_signal(verdict_signal(r->a, s->row->signal), s->row->disk, name),
			 most_of(s) / 100.0);
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
			reason(&why[i], r, &s[i]);
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
			       .marked = "1 and more: indicts",
			       .empty = "not judged",
			       .strips = strips,
			       .named = n < REPORT_NAMED ? n : REPORT_NAMED};
	size_t shown = c.named;

	if (!why || !strips)
		goto out;
	/* nothing is to be seen of servers that were as their peers throughout; an incident of logs may have no column either, but it is one */
	while (shown < n && shown < c.named + REPORT_REST && is_odd(&s[shown]))
		shown++;
	c.rest = shown - c.named;
	strips_of(r, s, c.named, shown, strips, why);
	chart_heat(to, &c);
	if (shown < n)
		fprintf(to, "<p class=\"note\">%zu more are left out: %s.</p>\n", n - shown,
			is_odd(&s[shown]) ? "there is no room for them"
					  : "they were as their peers throughout, or not judged");
out:
	for (size_t i = 0; why && i < REPORT_NAMED; i++)
		text_release(&why[i]);
	free(why);
	free(strips);
}

/* For those that do not see it, and where reasons have no room beside it: who was not quiet. */
static void put_table(FILE *to, const struct report *r, const struct strip *s, size_t n)
{
	size_t rows = 0, loud = 0;

	for (size_t i = 0; i < n; i++)
		loud += s[i].loud > 0;
	if (!loud)
		return;
	fputs("<details>\n<summary>The same as a table</summary>\n<table><thead><tr><th>server</th>"
	      "<th>signal</th><th class=\"n\">most evidence</th><th class=\"n\">at</th>"
	      "<th class=\"n\">0.6 or more</th></tr></thead>\n<tbody>\n",
	      to);
	for (size_t i = 0; i < n && rows < REPORT_NAMED; i++) {
		int64_t end_ns = r->h->first_ns + (int64_t)(s[i].most + 1) * r->h->bin_ns;
		char words[WORDS_LEN], t[TIME_TEXT_LEN];

		if (!s[i].loud)
			continue;
		rows++;
		html_enclose(to, "<tr><td>", verdict_node(r->a, s[i].node), "</td>");
		report_cell(to, "all", "",
			    words_signal(verdict_signal(r->a, s[i].row->signal), s[i].row->disk,
					 words));
		snprintf(words, sizeof(words), "%.2f", most_of(&s[i]) / 100.0);
		report_cell(to, "n", "most evidence", words);
		report_cell(to, "n", "at", output_time(end_ns, t));
		report_cell(to, "n", "0.6 or more for",
			    words_span((int64_t)s[i].loud * r->h->bin_ns, words));
		fputs("</tr>\n", to);
	}
	fputs("</tbody></table>\n", to);
	if (loud > rows)
		fprintf(to, "<p class=\"note\">and %zu more</p>\n", loud - rows);
	fputs("</details>\n", to);
}

void report_heat(FILE *to, const struct report *r)
{
	size_t n = r->a->n_nodes, columns = r->h->columns;
	struct scratch room SCRATCH_SCOPED = {0};
	struct strip *s = scratch_array(&room, n, sizeof(*s));
	uint8_t *level = scratch_array(&room, n * columns, 1);
	bool *odd = scratch_array(&room, n * columns, sizeof(*odd));
	char span[WORDS_LEN];

	if (!n || !columns || room.failed)
		return;
	for (size_t i = 0; i < n; i++) {
		s[i].node = i;
		s[i].level = level + i * columns;
		s[i].odd = odd + i * columns;
		strip_fill(&s[i], r);
	}
	sort(s, n, by_strip);
	fprintf(to, "<section>\n<h2>All servers over time</h2>\n<p class=\"note\">");
	html_say(to,
		 "Evidence against a server by the time, in the signal that says most, beside what "
		 "is needed: from 1 on it indicts. Less than 0.6 is as good as none. The most "
		 "evidence stands first. Times are %s; a column is %s.",
		 time_zone_shown(), words_span(r->h->bin_ns, span));
	fprintf(to, "</p>\n");
	put_strips(to, r, s, n);
	put_table(to, r, s, n);
	fprintf(to, "</section>\n");
}
