// SPDX-License-Identifier: BSD-2-Clause
/* Which servers limped in the last days, how often and how long: as a page, and for programs. Of what was told (incidents.db). */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"
#include "analyzer/draw/html.h"
#include "analyzer/output/words.h"
#include "analyzer/report/page.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/json_make.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"

enum { DAYS = 7, DAYS_MAX = 366 };
/* Of the strip, %: what is shorter is drawn as long, and what adds less to it is not. */
#define STRIP_LEAST 0.4
#define STRIP_STEP  0.05

/* An incident, as far as it lies in the days. */
struct told_spell {
	char cause[32];
	int64_t from_ns, to_ns;
};

struct limped {
	char server[HOST_LEN];
	size_t first, n;      /* of the spells */
	int64_t ns, until_ns; /* in which there was any; the end of the last */
	bool open;
};

struct summary {
	unsigned int days;
	int64_t from_ns, to_ns;
	int64_t until_ns; /* what is open was so until then: further nothing was judged; it may lie before all */
	struct told_spell *spells; /* by server, then time */
	size_t n_spells;
	struct limped *servers; /* the longest first */
	size_t n_servers;
};

static void summary_release(struct summary *s)
{
	free(s->spells);
	free(s->servers);
}

/* ---- what was told ------------------------------------------------------------------------------------- */

static void put_column(sqlite3_stmt *st, int k, char *to, size_t size)
{
	const char *text = (const char *)sqlite3_column_text(st, k);

	snprintf(to, size, "%s", text ? text : "");
}

/* They come by server, then time. Spells of one server may overlap: what two have in common counts once. */
static int take_spell(struct summary *s, const char *server, const struct told_spell *one,
		      bool open)
{
	struct limped *l = s->n_servers ? &s->servers[s->n_servers - 1] : NULL;
	int64_t from_ns;

	if (!l || strcmp(l->server, server) != 0) {
		l = array_add(&s->servers, &s->n_servers);
		if (!l)
			return -ENOMEM;
		*l = (struct limped){.first = s->n_spells, .until_ns = INT64_MIN};
		snprintf(l->server, sizeof(l->server), "%s", server);
	}
	from_ns = one->from_ns > l->until_ns ? one->from_ns : l->until_ns;
	l->n++;
	l->open |= open;
	l->ns += one->to_ns > from_ns ? one->to_ns - from_ns : 0;
	l->until_ns = one->to_ns > l->until_ns ? one->to_ns : l->until_ns;
	return array_put(&s->spells, &s->n_spells, *one);
}

/* 0, -ENOMEM, or -EIO. */
static int read_spells(struct summary *s, sqlite3 *db)
{
	sqlite3_stmt *st = NULL;
	int err = 0, rc = SQLITE_DONE;

	if (!db ||
	    sqlite3_prepare_v2(
		    db,
		    "SELECT server, cause, max(coalesce(onset_ns, opened_ns), ?1) AS since, "
		    "min(coalesce(over_ns, ?3), ?2), over_ns IS NULL FROM incident WHERE "
		    "suspicious = 0 AND (over_ns IS NULL OR over_ns > ?1) AND opened_ns < ?2 ORDER "
		    "BY server, since",
		    -1, &st, NULL))
		return -EIO;
	sqlite3_bind_int64(st, 1, s->from_ns);
	sqlite3_bind_int64(st, 2, s->to_ns);
	sqlite3_bind_int64(st, 3, s->until_ns);
	while (!err && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct told_spell one = {.from_ns = sqlite3_column_int64(st, 2),
					 .to_ns = sqlite3_column_int64(st, 3)};
		char server[HOST_LEN];

		put_column(st, 0, server, sizeof(server));
		put_column(st, 1, one.cause, sizeof(one.cause));
		err = take_spell(s, server, &one, sqlite3_column_int(st, 4));
	}
	sqlite3_finalize(st);
	return !err && rc != SQLITE_DONE ? -EIO : err;
}

COMPARISON(by_length, struct limped, ORDER(b->ns, a->ns) ?: strcmp(a->server, b->server))

/* Whether it has not been answered. */
static bool summary_asked(struct front *f, struct listener_request *r, struct summary *s)
{
	const struct snapshot *now = front_now(f, r);
	char text[512];
	int err;

	*s = (struct summary){.days = DAYS};
	if (!now)
		return false;
	if (front_query(r, "days", text, sizeof(text)) && parse_uint(text, 1, DAYS_MAX, &s->days)) {
		listener_refuse(r, 400, 0, "'days' is a number from 1 to %d", DAYS_MAX);
		return false;
	}
	s->to_ns = now->made_ns;
	s->from_ns = s->to_ns - s->days * NS_PER_DAY;
	s->until_ns =
		now->until_ns != INT64_MIN && now->until_ns < s->to_ns ? now->until_ns : s->to_ns;
	err = read_spells(s, front_db(f));
	if (!err) {
		sort(s->servers, s->n_servers, by_length);
		return true;
	}
	summary_release(s);
	listener_refuse(r, 503, 1000,
			err == -ENOMEM ? "out of memory" : "incidents cannot be read at present");
	return false;
}

/* ---- for programs -------------------------------------------------------------------------------------- */

/* Each cause of a server once. */
static bool is_first_of_cause(const struct summary *s, const struct limped *l, size_t i)
{
	for (size_t k = l->first; k < i; k++)
		if (!strcmp(s->spells[k].cause, s->spells[i].cause))
			return false;
	return true;
}

static json_t *limped_json(const struct summary *s, const struct limped *l)
{
	json_t *causes = json_array();

	for (size_t i = l->first; i < l->first + l->n; i++)
		if (is_first_of_cause(s, l, i))
			causes = append_json(causes, words_json(s->spells[i].cause));
	return json_pack("{s:o, s:I, s:f, s:b, s:o}", "server", words_json(l->server), "incidents",
			 (json_int_t)l->n, "limped_s", s_of_ns(l->ns), "open", l->open, "causes",
			 causes);
}

void api_summary(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	json_t *all = json_array(), *answer;
	struct summary s;

	if (!summary_asked(f, r, &s)) {
		json_decref(all);
		return;
	}
	for (size_t i = 0; i < s.n_servers; i++)
		all = append_json(all, limped_json(&s, &s.servers[i]));
	answer = all ? api_head(f->now) : NULL;
	if (!answer || json_object_set(answer, "servers", all) ||
	    json_object_set_new(answer, "from", time_json(s.from_ns))) {
		json_decref(answer);
		answer = NULL;
	}
	json_decref(all);
	summary_release(&s);
	front_json(r, 200, answer);
}

/* ---- for people ---------------------------------------------------------------------------------------- */

/* When, as a strip over the days. */
static void put_strip(FILE *to, const struct summary *s, const struct limped *l)
{
	double span = (double)(s->to_ns - s->from_ns), drawn = 0;

	fputs("<svg class=\"strip\" aria-hidden=\"true\">", to);
	for (unsigned int day = 1; day < s->days && s->days <= 31; day++)
		fprintf(to, "<line x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"100%%\"/>",
			100.0 * day / s->days, 100.0 * day / s->days);
	for (size_t i = l->first; i < l->first + l->n; i++) {
		const struct told_spell *one = &s->spells[i];
		double from = 100 * (double)(one->from_ns - s->from_ns) / span,
		       width = fmax(100 * (double)(one->to_ns - one->from_ns) / span, STRIP_LEAST);

		if (from + width < drawn + STRIP_STEP)
			continue;
		drawn = from + width;
		fprintf(to, "<rect x=\"%.2f%%\" width=\"%.2f%%\" height=\"100%%\"/>", from, width);
	}
	fputs("</svg>", to);
}

static void put_limped(FILE *to, const struct summary *s, const struct limped *l)
{
	char span[WORDS_LEN], *path = evhttp_encode_uri(l->server);
	struct text causes TEXT_SCOPED = {0}, part TEXT_SCOPED = {0};

	html_enclose(to, "<tr><td><a href=\"/servers/", path ? path : "", "\">");
	html_enclose(to, "", l->server, "</a></td>");
	free(path);
	text_add(&part, "%zu", l->n);
	report_cell(to, "n", "incidents", text_of(&part));
	report_cell(to, "n", "limped", words_span(l->ns, span));
	text_reset(&part);
	text_add(&part, "%.1f %%", 100 * (double)l->ns / (double)(s->to_ns - s->from_ns));
	report_cell(to, "n", "of the time", text_of(&part));
	for (size_t i = l->first; i < l->first + l->n; i++)
		if (is_first_of_cause(s, l, i))
			text_add(&causes, "%s%s", causes.len ? ", " : "", s->spells[i].cause);
	report_cell(to, "", "", text_of(&causes));
	report_cell(to, "", "", l->open ? "still so" : "");
	fputs("<td class=\"all\">", to);
	put_strip(to, s, l);
	fputs("</td></tr>\n", to);
}

static void put_days(FILE *to, const struct summary *s)
{
	static const unsigned int days[] = {1, 7, 31, 365};

	fputs("<p class=\"spans\">", to);
	for (size_t i = 0; i < sizeof(days) / sizeof(*days); i++)
		fprintf(to, "<a%s href=\"/summary?days=%u\">%u day%s</a> ",
			days[i] == s->days ? " aria-current=\"true\"" : "", days[i], days[i],
			days[i] > 1 ? "s" : "");
	fputs("</p>\n", to);
}

static void put_summary(FILE *to, const struct summary *s, const struct verdict *a)
{
	fputs("<header>\n<h1>", to);
	html_say(to, s->n_servers ? "%zu %s limped" : "No server limped", s->n_servers,
		 s->n_servers == 1 ? "server" : "servers");
	fputs("</h1>\n", to);
	fputs("<p class=\"lead\">", to);
	html_say(to, "%zu incident%s in the last %u day%s; %zu servers are known now.", s->n_spells,
		 s->n_spells == 1 ? "" : "s", s->days, s->days == 1 ? "" : "s", a->n_nodes);
	if (s->until_ns <= s->from_ns)
		html_text(to, " Nothing could be judged in this time.");
	fputs("</p>\n", to);
	put_days(to, s);
	fputs("</header>\n", to);
	if (!s->n_servers)
		return;
	fputs("<table><thead><tr><th>server</th><th class=\"n\">incidents</th><th "
	      "class=\"n\">limped</th><th class=\"n\">of the time</th><th>causes</th><th></th>"
	      "<th>when</th></tr></thead>\n<tbody>\n",
	      to);
	for (size_t i = 0; i < s->n_servers; i++)
		put_limped(to, s, &s->servers[i]);
	fputs("</tbody></table>\n", to);
}

void page_summary(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	struct summary s;
	struct html_page p;
	FILE *to;

	if (!summary_asked(f, r, &s))
		return;
	to = page_begin(&p, "limpet: which servers limped");
	if (to) {
		put_nav(to, f->now);
		put_summary(to, &s, &f->now->verdict);
	}
	page_end(&p, r);
	summary_release(&s);
}
