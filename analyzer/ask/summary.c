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

/* LISTED: of a server's incidents, the newest. */
enum { DAYS = 7, DAYS_MAX = 366, LISTED = 5 };
/* Of the strip, %: what is shorter is drawn as long, and what adds less to it is not. */
#define STRIP_LEAST 0.4
#define STRIP_STEP  0.05

/* An incident, as far as it lies in the days; one that was open when it was heard of last may end before them. */
struct told_spell {
	char id[24], cause[32];
	int64_t from_ns, to_ns;
};

struct limped {
	char server[HOST_LEN];
	size_t first, n;      /* of the spells */
	int64_t ns, until_ns; /* in which there was any; the end of the last */
	bool open, now;	      /* and is so by the verdict of now, which can judge */
};

struct summary {
	unsigned int days;
	int64_t from_ns, to_ns;
	const struct snapshot *now;
	struct told_spell *spells;  /* by server, then time */
	size_t n_spells, n_within;  /* in the days */
	struct limped *servers;	    /* the longest first */
	size_t n_servers, n_limped; /* in the days */
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
		      bool open, bool now)
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
	l->now |= now;
	l->ns += one->to_ns > from_ns ? one->to_ns - from_ns : 0;
	l->until_ns = one->to_ns > l->until_ns ? one->to_ns : l->until_ns;
	return array_put(&s->spells, &s->n_spells, *one);
}

/* 0, -ENOMEM, or -EIO. What is not over was so until it was heard of last: the row has that of when it was told. */
static int read_spells(struct summary *s, sqlite3 *db)
{
	sqlite3_stmt *st = NULL;
	int err = 0, rc = SQLITE_DONE;

	if (!db || sqlite3_prepare_v2(
			   db,
			   "SELECT server, cause, id, max(coalesce(onset_ns, opened_ns), ?1) AS "
			   "since, coalesce(over_ns, last_ns, opened_ns), over_ns IS NULL FROM "
			   "incident WHERE suspicious = 0 AND (over_ns IS NULL OR over_ns > ?1) "
			   "AND opened_ns < ?2 ORDER BY server, since",
			   -1, &st, NULL))
		return -EIO;
	sqlite3_bind_int64(st, 1, s->from_ns);
	sqlite3_bind_int64(st, 2, s->to_ns);
	while (!err && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct told_spell one = {.from_ns = sqlite3_column_int64(st, 3),
					 .to_ns = sqlite3_column_int64(st, 4)};
		bool open = sqlite3_column_int(st, 5);
		const struct incident *known;
		char server[HOST_LEN];

		put_column(st, 0, server, sizeof(server));
		put_column(st, 1, one.cause, sizeof(one.cause));
		put_column(st, 2, one.id, sizeof(one.id));
		known = open ? incident_known(&s->now->verdict, one.id) : NULL;
		if (known)
			one.to_ns = known->last_ns;
		one.to_ns = one.to_ns < s->to_ns ? one.to_ns : s->to_ns;
		s->n_within += one.to_ns > s->from_ns;
		err = take_spell(s, server, &one, open, known && known->open && s->now->can_judge);
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

	*s = (struct summary){.days = DAYS, .now = now};
	if (!now)
		return false;
	if (front_query(r, "days", text, sizeof(text)) && parse_uint(text, 1, DAYS_MAX, &s->days)) {
		listener_refuse(r, 400, 0, "'days' is a number from 1 to %d", DAYS_MAX);
		return false;
	}
	s->to_ns = now->made_ns;
	s->from_ns = s->to_ns - s->days * NS_PER_DAY;
	err = read_spells(s, front_db(f));
	if (!err) {
		sort(s->servers, s->n_servers, by_length);
		s->n_limped = count_if(i, s->n_servers, s->servers[i].ns > 0);
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

/* What put_spells() says in words, as a strip over the days. */
static void put_strip(FILE *to, const struct summary *s, const struct limped *l)
{
	double span = (double)(s->to_ns - s->from_ns), drawn = 0;

	fputs("<svg class=\"strip\" aria-hidden=\"true\">", to);
	for (unsigned int day = 1; day < s->days && s->days <= 31; day++)
		fprintf(to, "<line x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"100%%\"/>",
			100.0 * day / s->days, 100.0 * day / s->days);
	for (size_t i = l->first; i < l->first + l->n; i++) {
		const struct told_spell *one = &s->spells[i];
		double width = fmax(100 * (double)(one->to_ns - one->from_ns) / span, STRIP_LEAST),
		       from = fmin(100 * (double)(one->from_ns - s->from_ns) / span, 100 - width);

		if (one->to_ns <= s->from_ns || from + width < drawn + STRIP_STEP)
			continue;
		drawn = from + width;
		fprintf(to, "<rect x=\"%.2f%%\" width=\"%.2f%%\" height=\"100%%\"/>", from, width);
	}
	fputs("</svg>", to);
}

/* The days that the strip is of; of one day, with its hours. */
static void put_ends(FILE *to, const struct summary *s)
{
	char first[TIME_TEXT_LEN], last[TIME_TEXT_LEN];
	int length = s->days > 1 ? 10 : 16;

	fputs("<p class=\"ends\"><small>", to);
	html_say(to, "%.*s", length, output_time(s->from_ns, first));
	fputs("</small> <small>", to);
	html_say(to, "%.*s", length, output_time(s->to_ns, last));
	fputs("</small></p>\n", to);
}

/* The newest incidents of a server, each with its page. */
static void put_spells(FILE *to, const struct summary *s, const struct limped *l)
{
	size_t end = l->first + l->n, left = l->n > LISTED ? l->n - LISTED : 0;

	fputs("<ul>\n", to);
	for (size_t i = end; i-- > l->first + left;) {
		const struct told_spell *one = &s->spells[i];
		char at[TIME_TEXT_LEN], span[WORDS_LEN];
		bool within = one->to_ns > s->from_ns;

		fputs("<li>", to);
		put_link(to, "", "/incidents/", one->id);
		html_say(to, "%s %s", within ? "from" : "until",
			 output_time(within ? one->from_ns : one->to_ns, at));
		fputs("</a>", to);
		if (within)
			html_say(to, ", %s", words_span(one->to_ns - one->from_ns, span));
		html_say(to, ": %s", one->cause);
		fputs("</li>\n", to);
	}
	if (left)
		fprintf(to, "<li>and %zu before</li>\n", left);
	fputs("</ul>\n", to);
}

static void add_share(struct text *t, const struct summary *s, const struct limped *l)
{
	double percent = 100 * (double)l->ns / (double)(s->to_ns - s->from_ns);

	if (percent < 0.1)
		text_put(t, l->ns ? "under 0.1 %" : "0 %");
	else
		text_add(t, "%.1f %%", percent);
}

static void put_limped(FILE *to, const struct summary *s, const struct limped *l)
{
	char span[WORDS_LEN];
	struct text causes TEXT_SCOPED = {0}, part TEXT_SCOPED = {0};

	fputs("<tr><td>", to);
	put_link(to, "", "/servers/", l->server);
	html_enclose(to, "", l->server, "</a></td>");
	text_add(&part, "%zu", l->n);
	report_cell(to, "n", "incidents", text_of(&part));
	report_cell(to, "n", "limped", words_span(l->ns, span));
	text_reset(&part);
	add_share(&part, s, l);
	report_cell(to, "n", "of the time", text_of(&part));
	for (size_t i = l->first; i < l->first + l->n; i++)
		if (is_first_of_cause(s, l, i))
			text_add(&causes, "%s%s", causes.len ? ", " : "", s->spells[i].cause);
	report_cell(to, "", "causes", text_of(&causes));
	report_cell(to, "", "now", l->now ? "still so" : l->open ? "so when last heard" : "over");
	fputs("<td class=\"all\">", to);
	put_strip(to, s, l);
	put_ends(to, s);
	put_spells(to, s, l);
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

/* Where nobody limped in the days: who did when they were heard of last, or what is known. */
static void put_nobody(FILE *to, const struct summary *s, bool judged)
{
	const struct limped *l = s->servers;
	char at[TIME_TEXT_LEN];

	if (s->n_servers == 1)
		html_say(to, "%s limped when last heard, on %.10s", l->server,
			 output_time(l->until_ns, at));
	else if (s->n_servers)
		html_say(to, "%zu servers limped when last heard", s->n_servers);
	else
		fputs(judged ? "No server limped" : "No server is known to have limped", to);
}

static void put_summary(FILE *to, const struct summary *s)
{
	const struct snapshot *now = s->now;
	bool judged = now->until_ns != INT64_MIN && now->until_ns > s->from_ns;
	char days[32] = "day";

	if (s->days > 1)
		snprintf(days, sizeof(days), "%u days", s->days);
	fputs("<header>\n<h1>", to);
	if (s->n_limped)
		html_say(to, "%zu %s limped", s->n_limped, s->n_limped == 1 ? "server" : "servers");
	else
		put_nobody(to, s, judged);
	fputs("</h1>\n<p class=\"lead\">", to);
	if (s->n_within || judged)
		html_say(to, "%zu incident%s in the last %s; ", s->n_within,
			 s->n_within == 1 ? "" : "s", days);
	html_say(to, "%zu servers are known now.", now->verdict.n_nodes);
	if (now->until_ns == INT64_MIN)
		html_text(to, " Nothing has been judged since the service started.");
	else if (!judged && !s->n_within)
		html_say(to, " Nothing could be judged in the last %s.", days);
	fputs("</p>\n", to);
	put_days(to, s);
	fputs("</header>\n", to);
	if (!s->n_servers)
		return;
	fputs("<table><thead><tr><th>server</th><th class=\"n\">incidents</th><th "
	      "class=\"n\">limped</th><th class=\"n\">of the time</th><th>causes</th><th>now</th>"
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
		put_summary(to, &s);
	}
	page_end(&p, r);
	summary_release(&s);
}
