// SPDX-License-Identifier: BSD-2-Clause
/* Charts on pages: what stands against a server in an incident, and its signals over any time that is kept. */
#include <stdlib.h>
#include <string.h>

#include "pages.h"
#include "analyzer/draw/html.h"
#include "analyzer/output/words.h"
#include "analyzer/report/page.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

/* Around an incident: so much before its onset and after its end, and a part of its length. */
#define AROUND_NS   (600 * NS_PER_S)
#define AROUND_PART 4
/* Of the table of signals, and by what the worst are chosen. */
#define LATELY_NS NS_PER_HOUR

static const struct span_row {
	const char *word, *name;
	int64_t ns;
} span_rows[] = {{"1h", "1 hour", NS_PER_HOUR},
		 {"6h", "6 hours", 6 * NS_PER_HOUR},
		 {"1d", "1 day", NS_PER_DAY},
		 {"7d", "7 days", 7 * NS_PER_DAY}};
enum { SPAN_ROWS = sizeof(span_rows) / sizeof(*span_rows) };

/* Since when anything is known of what was read. */
static int64_t known_from(const struct history *h)
{
	size_t first = h->columns;

	for (size_t i = 0; i < h->n_rows; i++)
		for (size_t c = 0; c < first; c++)
			if (h->rows[i].at[c].marks)
				first = c;
	return h->first_ns + (int64_t)first * h->bin_ns;
}

/* As series_read(), of all servers; where much of the time is before what is known, without that. */
static int chart_read(const struct drawing *j, struct history *h, size_t signal, int64_t from_ns,
		      int64_t to_ns)
{
	int err = series_read(j, h, NULL, signal, from_ns, to_ns);
	int64_t known_ns = err ? from_ns : known_from(h);

	if (known_ns - from_ns <= (to_ns - from_ns) / 4 || known_ns >= to_ns)
		return err;
	history_release(h);
	return series_read(j, h, NULL, signal, known_ns, to_ns);
}

/* One chart. Whether there was anything to draw. */
static bool put_chart(FILE *to, const struct drawing *j, const struct history_entity *k,
		      int64_t from_ns, int64_t to_ns, const struct finding *e)
{
	const struct history_row *row = NULL;
	struct history h;
	const struct report of = {.a = &j->s->verdict, .h = &h, .bands = true};

	if (!chart_read(j, &h, k->signal, from_ns, to_ns))
		row = series_row(&h, k->node, k->disk, k->signal);
	if (row)
		report_time(to, &of, row, e);
	history_release(&h);
	return row != NULL;
}

int draw_incident(const struct drawing *j, FILE *to)
{
	const struct incident *in = j->q.in;
	int64_t around_ns = (in->last_ns - in->onset_ns) / AROUND_PART, to_ns, from_ns;
	size_t n = 0;

	around_ns = around_ns > AROUND_NS ? around_ns : AROUND_NS;
	to_ns = in->last_ns + around_ns;
	to_ns = to_ns < j->s->until_ns ? to_ns : j->s->until_ns;
	from_ns = in->onset_ns > around_ns ? in->onset_ns - around_ns : 0;
	if (from_ns >= to_ns)
		return 0;
	fputs("<div class=\"charts\">\n", to);
	for (size_t i = 0; i < in->n_findings && n < REPORT_CHARTS; i++) {
		const struct finding *e = &in->findings[i];
		const struct history_entity k = {e->node, e->disk, e->signal};

		n += put_chart(to, j, &k, from_ns, to_ns, e);
	}
	fputs("</div>\n", to);
	return 0;
}

/* ---- a server ------------------------------------------------------------------------------------------ */

static void put_query(FILE *to, const char *span, const char *signal, const char *disk)
{
	char *is = evhttp_encode_uri(disk);

	fprintf(to, "?span=%s", span);
	if (*signal && is) {
		html_enclose(to, "&amp;signal=", signal, "&amp;disk=");
		html_text(to, is);
	}
	fputs("#charts", to);
	free(is);
}

static void put_spans(FILE *to, const struct series_query *q)
{
	fputs("<p class=\"spans\">", to);
	for (size_t i = 0; i < SPAN_ROWS; i++) {
		fprintf(to, "<a%s href=\"",
			q->span == &span_rows[i] ? " aria-current=\"true\"" : "");
		put_query(to, span_rows[i].word, q->signal, q->disk);
		fprintf(to, "\">%s</a> ", span_rows[i].name);
	}
	if (*q->signal) {
		fputs("<a href=\"", to);
		put_query(to, q->span->word, "", "");
		fputs("\">the worst signals</a>", to);
	}
	fputs("</p>\n", to);
}

/* A signal that tells of the server's own trouble first, then what was worst. */
static int by_worst(const void *x, const void *y, void *arg)
{
	const struct history_row *a = *(const struct history_row *const *)x,
				 *b = *(const struct history_row *const *)y;
	const struct verdict *v = arg;
	bool a_local = verdict_signal(v, a->signal)->role == ROLE_LOCAL,
	     b_local = verdict_signal(v, b->signal)->role == ROLE_LOCAL;

	if (a_local != b_local)
		return a_local ? -1 : 1;
	if (history_worse(a, b))
		return -1;
	if (history_worse(b, a))
		return 1;
	return a->signal != b->signal ? (a->signal > b->signal) - (a->signal < b->signal)
				      : strcmp(a->disk, b->disk);
}

static void put_signal(FILE *to, const struct drawing *j, const struct history *h,
		       const struct history_row *row)
{
	const struct verdict_signal *of = verdict_signal(&j->s->verdict, row->signal);
	const struct history_cell *worst = &row->at[row->worst], *last = worst;
	char name[WORDS_LEN], is[WORDS_LEN], peers[WORDS_LEN], z[WORDS_LEN];

	for (size_t c = 0; c < h->columns; c++)
		last = row->at[c].marks ? &row->at[c] : last;
	fputs("<tr><td><a href=\"", to);
	put_query(to, j->q.span->word, of->word, row->disk);
	html_enclose(to, "\">", words_signal(of, row->disk, name), "</a></td>");
	report_cell(to, "n", "last", words_value(of, last->value, is));
	report_cell(to, "n", "peers", words_value(of, last->peers, peers));
	report_cell(to, "n", "furthest from peers", words_score(worst->z, z));
	report_cell(to, "", "", worst->marks & MARK_FLAGGED ? "above its peers at times" : "");
	fputs("</tr>\n", to);
}

static void put_signals(FILE *to, const struct drawing *j, const struct history *h,
			const struct history_row **rows)
{
	if (!h->n_rows)
		return;
	fputs("<h3>Signals of the last hour</h3>\n<table><thead><tr><th>signal</th><th "
	      "class=\"n\">last</th><th class=\"n\">peers</th><th class=\"n\">furthest "
	      "from peers</th><th>note</th></tr></thead>\n<tbody>\n",
	      to);
	for (size_t i = 0; i < h->n_rows; i++)
		put_signal(to, j, h, rows[i]);
	fputs("</tbody></table>\n", to);
}

/* The one that is asked for, or the worst. */
static void put_server_charts(FILE *to, const struct drawing *j, const struct history *h,
			      const struct history_row **rows)
{
	const struct series_query *q = &j->q;
	size_t signal = front_signal(&j->s->verdict, q->signal), n = 0;

	fputs("<div class=\"charts\">\n", to);
	if (*q->signal && signal < j->s->verdict.n_signals)
		n += put_chart(to, j, &(struct history_entity){q->node, q->disk, signal},
			       q->from_ns, q->to_ns, NULL);
	for (size_t i = 0; i < h->n_rows && !*q->signal && n < REPORT_CHARTS; i++)
		n += put_chart(to, j,
			       &(struct history_entity){q->node, rows[i]->disk, rows[i]->signal},
			       q->from_ns, q->to_ns, NULL);
	fputs(n ? "</div>\n" : "</div>\n<p>Nothing is known of it in that time.</p>\n", to);
}

void read_span_asked(struct series_query *q, const struct snapshot *s,
		     const struct listener_request *r)
{
	char word[8];

	q->span = &span_rows[0];
	for (size_t i = 0; i < SPAN_ROWS && front_query(r, "span", word, sizeof(word)); i++)
		if (!strcmp(span_rows[i].word, word))
			q->span = &span_rows[i];
	if (!front_query(r, "signal", q->signal, sizeof(q->signal)) ||
	    !front_query(r, "disk", q->disk, sizeof(q->disk)))
		*q->disk = '\0';
	q->to_ns = s->until_ns;
	/* INT64_MIN: nothing was judged, and nothing is drawn */
	q->from_ns = q->to_ns == INT64_MIN ? INT64_MIN : q->to_ns - q->span->ns;
}

int draw_server(const struct drawing *j, FILE *to)
{
	const struct verdict *a = &j->s->verdict;
	int64_t until_ns = j->s->until_ns;
	const struct history_row **rows = NULL;
	struct history h = {0};

	if (until_ns != INT64_MIN &&
	    !series_read(j, &h, a->nodes[j->q.node], SIZE_MAX, until_ns - LATELY_NS, until_ns))
		rows = malloc((h.n_rows + 1) * sizeof(*rows));
	if (rows) {
		for (size_t i = 0; i < h.n_rows; i++)
			rows[i] = &h.rows[i];
		sort_with(rows, h.n_rows, by_worst, (void *)(uintptr_t)a);
		fputs("<section id=\"charts\">\n<h2>Beside its peers</h2>\n", to);
		put_spans(to, &j->q);
		put_server_charts(to, j, &h, rows);
		put_signals(to, j, &h, rows);
		fputs("</section>\n", to);
	}
	free(rows);
	history_release(&h);
	return 0;
}
