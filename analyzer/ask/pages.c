// SPDX-License-Identifier: BSD-2-Clause
/*
 * Pages for people, whole without a script: what limps now, every server, an incident with its evidence. With one they are asked for anew
 * whenever there is a new verdict.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"
#include "sent.h"
#include "analyzer/draw/html.h"
#include "analyzer/draw/svg.h"
#include "analyzer/output/words.h"
#include "analyzer/report/page.h"
#include "analyzer/report/style.h"
#include "analyzer/verdict/sentences.h"
#include "userspace/common/options.h"
#include "userspace/common/output.h"

/* Of incidents of before. */
#define PAST 20

static const char own_style[] =
	"nav{display:flex;gap:1.2rem;align-items:baseline;font-size:.875rem;margin-bottom:1.2rem;"
	"flex-wrap:wrap}time{white-space:nowrap}\n"
	"@media(max-width:44rem){nav{gap:.2rem .8rem}}\n"
	"nav b{font-size:1rem}a{color:inherit}nav a,td a,li a{text-decoration-color:var(--rule)}\n"
	"a:focus-visible,.silence input:focus-within{outline:2px solid "
	"var(--own);outline-offset:2px}\n"
	/* as wide as the window is: of 500 tiles all are to be seen at once */
	"@media(min-width:84rem){#servers .tiles{width:calc(50vw + 50% - 1.5rem)}}\n"
	"#servers .note{margin:.6rem 0 .2rem}#servers h3 small{font-weight:400;color:var(--soft)}\n"
	".tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(8.5rem,1fr));gap:.4rem;"
	"list-style:none;padding:0;max-width:none}\n"
	".tiles.plain{grid-template-columns:repeat(auto-fill,minmax(5.6rem,1fr));gap:.25rem}\n"
	".tiles li{margin:0}.tiles a{display:block;padding:.35rem .6rem;border:1px solid "
	"var(--rule);border-left:.4rem solid var(--rule);"
	"text-decoration:none;font-size:.8125rem;line-height:1.3;height:100%}\n"
	".tiles b{display:block}.tiles a{overflow-wrap:anywhere}\n"
	".tiles.plain a{padding:.2rem .4rem;border-left-color:var(--peers)}\n"
	".tiles "
	".indicted{border-color:var(--own);border-left-color:var(--own);background:var(--own);"
	"color:var(--paper)}\n"
	".tiles .suspicious{border-color:var(--own);border-left-color:var(--own)}\n"
	".tiles .unproven{border-style:dashed;border-left-style:double;border-color:var(--soft)}\n"
	".tiles .not-judged{border-style:dotted dotted dotted solid;border-width:2px 2px 2px "
	".4rem;border-color:var(--ink);background:var(--cell)}\n"
	"@media print{.tiles .indicted,.tiles .not-judged{print-color-adjust:exact}}\n"
	".silence{margin:.4rem 0 .8rem;font-size:.875rem}li .silence,td "
	".silence{display:inline;margin:0}\n"
	"@media(min-width:44rem){.roster td:first-child{width:24%}.roster "
	"td:nth-child(3){width:22%}.roster td:nth-child(4){width:12rem}}\n"
	".silence select,.silence input,.silence "
	"button{font:inherit;color:inherit;background:var(--paper);"
	"border:1px solid var(--soft);padding:.15rem .4rem}.silence "
	"input{width:14rem;max-width:100%}\n"
	".strip{width:100%;min-width:8rem;height:1.1rem;background:var(--cell)}.strip "
	"rect{fill:var(--own)}"
	".strip line{stroke:var(--paper)}\n"
	".ends{display:flex;justify-content:space-between;margin:0;max-width:none}.ends+ul{margin:"
	"0;padding-left:1.1rem}\n"
	".spans a{margin-right:.9rem}.spans "
	"[aria-current]{font-weight:600;text-decoration:none}\n"
	".spoken{position:absolute;clip-path:inset(50%)}\n"
	".stale{border:1px solid var(--own);padding:.5rem .8rem}\n";

static const char script[] =
	"'use strict';\n"
	"(() => {\n"
	"  let busy = false, again = false, last = 0;\n"
	/* a long span costs the service much, and changes little */
	"  const rest = /[?&]span=(6h|1d|7d)/.test(location.search) || location.pathname === "
	"'/summary' ? 60000 : 0;\n"
	/* what changed is spoken once; an element that is replaced with the page would be spoken each time, or never */
	"  const spoken = document.createElement('p');\n"
	"  spoken.className = 'spoken'; spoken.setAttribute('role', 'status');\n"
	"  document.body.append(spoken);\n"
	/* somebody copies from the page, or writes into a form of it; but what is left so would stand there as if it were so still */
	"  let since = 0;\n"
	"  const filled = () => [...document.querySelectorAll('main input:not([type=hidden])')]"
	".some((e) => e.value !== e.defaultValue);\n"
	"  const inUse = () => {\n"
	"    const now = !getSelection().isCollapsed || document.activeElement?.closest('form') || "
	"filled();\n"
	"    since = now ? since || Date.now() : 0;\n"
	"    return now && Date.now() - since < 300000;\n"
	"  };\n"
	"  async function renew() {\n"
	"    if (busy) { again = true; return; }\n"
	"    if (inUse() || Date.now() - last < rest) return;\n"
	"    last = Date.now();\n"
	"    busy = true;\n"
	"    try {\n"
	"      const answer = await fetch(location.href, {headers: {Accept: 'text/html'}});\n"
	"      if (answer.ok) {\n"
	"        const page = new DOMParser().parseFromString(await answer.text(), 'text/html');\n"
	"        const old = document.querySelector('main'), main = page.querySelector('main');\n"
	"        const at = document.activeElement?.getAttribute('href');\n"
	"        if (main && !inUse() && old.innerHTML !== main.innerHTML) {\n"
	"          old.replaceWith(document.adoptNode(main));\n"
	"          if (document.title !== page.title) spoken.textContent = page.title;\n"
	"          document.title = page.title;\n"
	"          if (at) { const to = [...document.querySelectorAll('a')].find((a) => "
	"a.getAttribute('href') === at); if (to) to.focus(); }\n"
	"        }\n"
	"        document.documentElement.dataset.live = 'yes';\n"
	"      } else lost(answer.status === 404 ? 'knows this no more' : 'cannot answer "
	"now');\n"
	"    } catch { lost('does not answer'); }\n"
	"    busy = false;\n"
	"    if (again) { again = false; renew(); }\n"
	"  }\n"
	"  function lost(why) {\n"
	"    const p = document.getElementById('lost') || document.createElement('p');\n"
	"    p.id = 'lost'; p.className = 'stale'; p.setAttribute('role', 'status');\n"
	"    const words = `The service ${why}: this is what it said last.`;\n"
	"    if (p.textContent !== words) p.textContent = words;\n"
	"    if (!p.parentNode) document.querySelector('main').prepend(p);\n"
	"  }\n"
	"  const events = new EventSource('/api/v1/events');\n"
	"  events.addEventListener('verdict', renew);\n"
	"  events.addEventListener('change', renew);\n"
	"  events.onopen = renew;\n"
	"  events.onerror = () => lost('does not answer');\n"
	"})();\n";

/* ---- the frame of a page ------------------------------------------------------------------------------- */

static const char *const headers[] = {"Content-Security-Policy",
				      "default-src 'none'; style-src 'self'; script-src 'self'; "
				      "connect-src 'self'; base-uri 'none'; form-action 'self'; "
				      "frame-ancestors 'none'",
				      "X-Content-Type-Options",
				      "nosniff",
				      "Referrer-Policy",
				      "no-referrer",
				      "Cache-Control",
				      "no-store",
				      NULL};

/* Whether it is renewed when something changes; and without a script, which would wipe what is in a form. */
enum page_life { PAGE_STILL, PAGE_WITH_FORM, PAGE_LIVE };

static FILE *page_head(struct html_page *p, const char *title, enum page_life life)
{
	*p = (struct html_page){0};
	p->to = open_memstream(&p->bytes, &p->len);
	if (!p->to)
		return NULL;
	html_enclose(p->to,
		     "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		     "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
		     title, "</title>\n<link rel=\"stylesheet\" href=\"/style.css\">\n");
	if (life != PAGE_STILL)
		fputs("<script src=\"/limpet.js\" defer></script>\n", p->to);
	if (life == PAGE_LIVE)
		fputs("<noscript><meta http-equiv=\"refresh\" content=\"15\"></noscript>\n", p->to);
	fputs("</head>\n<body>\n<main>\n", p->to);
	return p->to;
}

FILE *page_begin(struct html_page *p, const char *title)
{
	return page_head(p, title, PAGE_LIVE);
}

static FILE *page_with_form(struct html_page *p, const struct front *f, const char *title)
{
	return page_head(p, title, front_has_forms(f) ? PAGE_WITH_FORM : PAGE_LIVE);
}

static bool page_sent(struct html_page *p, struct listener_request *r, int status)
{
	struct text t = {0};
	bool well;

	if (p->to)
		fputs("</main>\n</body>\n</html>\n", p->to);
	well = p->to && !(ferror(p->to) | fclose(p->to)) && p->bytes;
	if (well) {
		text_put_bytes(&t, p->bytes, p->len);
		listener_reply(r, status, "text/html; charset=utf-8", headers, &t);
	}
	free(p->bytes);
	return well;
}

void page_end(struct html_page *p, struct listener_request *r)
{
	if (!page_sent(p, r, 200))
		listener_refuse(r, 503, 1000, "out of memory");
}

static bool page_of_refusal(struct listener_request *r, int status, const char *what,
			    const char *why, const char *way, const char *name)
{
	struct html_page p;
	FILE *to = page_head(&p, "limpet: refused", PAGE_STILL);

	if (to) {
		fprintf(to, "<header>\n<h1>%s</h1>\n</header>\n", what);
		html_enclose(to, "<p class=\"lead\" role=\"alert\">", why, "</p>\n");
		html_enclose(to, "<p><a href=\"", way, "\">");
		fprintf(to, "%s</a></p>\n", name);
	}
	return page_sent(&p, r, status);
}

bool page_refuse(struct listener_request *r, int status, const char *why, const char *back)
{
	return page_of_refusal(r, status, "That was not done", why, back, "Back to the page");
}

bool page_show_refusal(void *arg, struct listener_request *r, int status, const char *why)
{
	(void)arg;
	return front_is_browser(r) && strncmp(r->path, "/api/", 5) != 0 &&
	       page_of_refusal(r, status, "This page cannot be shown", why, "/", "All servers");
}

void page_style(void *arg, struct listener_request *r)
{
	struct text t = {0};

	(void)arg;
	text_put(&t, html_style());
	text_put(&t, svg_sheet());
	text_put(&t, own_style);
	listener_reply(r, 200, "text/css; charset=utf-8", NULL, &t);
}

void page_script(void *arg, struct listener_request *r)
{
	struct text t = {0};

	(void)arg;
	text_put(&t, script);
	listener_reply(r, 200, "text/javascript; charset=utf-8", NULL, &t);
}

/* ---- pieces -------------------------------------------------------------------------------------------- */

void put_link(FILE *to, const char *before, const char *path, const char *name)
{
	char *encoded = evhttp_encode_uri(name);

	fprintf(to, "<a%s href=\"%s", before, path);
	html_text(to, encoded ? encoded : "");
	fputs("\">", to);
	free(encoded);
}

void put_nav(FILE *to, const struct snapshot *s)
{
	char until[TIME_TEXT_LEN], made[TIME_TEXT_LEN];

	fputs("<nav aria-label=\"limpet\"><b><a href=\"/\">limpet</a></b> <a "
	      "href=\"/#servers\">servers</a> <a href=\"/#incidents\">incidents</a> <a "
	      "href=\"/jobs\">jobs</a> <a href=\"/summary\">7 days</a> "
	      "<a href=\"/api/v1/openapi.json\">API</a> <span>",
	      to);
	if (s->until_ns != INT64_MIN)
		html_enclose(to, "judged until <time>", output_time(s->until_ns, until),
			     "</time>, ");
	html_enclose(to, "now <time>", output_time(s->made_ns, made), "</time></span></nav>\n");
	if (*s->trouble)
		html_enclose(to, "<p class=\"stale\">", s->trouble, "</p>\n");
}

/* What is said of all: that somebody limps, that nobody does as far as can be seen, or that nobody knows. Returns how many bytes of it
 * are the name that it begins with. */
static size_t headline(struct text *t, const struct snapshot *s)
{
	const struct verdict *a = &s->verdict;
	const struct status_counts of = verdict_statuses(a, true);
	struct text said TEXT_SCOPED = {0};
	size_t first = SIZE_MAX, n = 0;

	for (size_t i = 0; i < a->n_incidents; i++)
		if (a->incidents[i].open && !a->incidents[i].suspicion) {
			first = n++ ? first : i;
		}
	if (n == 1)
		text_add(t, "%s limps: %s", verdict_node(a, a->incidents[first].node),
			 cause_table[a->incidents[first].cause].word);
	else if (n)
		text_add(t, "%zu servers limp", n);
	else if (s->rebuilding)
		text_put(t, "Rebuilding: nothing is judged yet");
	else if (!a->n_nodes)
		text_put(t, "No server has sent data yet");
	else if (!s->can_judge)
		text_put(t, "Cannot judge");
	else if (of.of[STATUS_SUSPICIOUS] ||
		 (of.of[STATUS_UNJUDGED] && of.of[STATUS_UNJUDGED] < a->n_nodes))
		/* how many are what is told below */
		text_add(t, "No server is indicted%s", sentence_silent(&said, a, true));
	else
		text_add(t, "N%s", sentence_nobody(&said, a, true) + 1);
	return n == 1 ? strlen(verdict_node(a, a->incidents[first].node)) : 0;
}

static void put_headline(FILE *to, const struct snapshot *s)
{
	struct text t TEXT_SCOPED = {0}, said TEXT_SCOPED = {0}, counts TEXT_SCOPED = {0},
		      name TEXT_SCOPED = {0};
	const struct verdict *a = &s->verdict;
	const bool heard = a->n_nodes > 0, old = heard && !s->rebuilding && !s->can_judge;
	const char *lacks;
	size_t named;

	named = headline(&t, s);
	text_put_bytes(&name, text_of(&t), named);
	fputs(old ? "<header>\n<h1>When last heard: " : "<header>\n<h1>", to);
	html_enclose(to, named ? "<span>" : "", text_of(&name), named ? "</span>" : "");
	html_enclose(to, "", text_of(&t) + named, "</h1>\n");
	if (old)
		html_enclose(to, "<p class=\"lead\">What is so now is not known: ",
			     a->cannot.why ? sentence_cannot(&said, &a->cannot)
					   : "no server could be judged",
			     ".</p>\n");
	else if (!heard && !s->rebuilding)
		fputs("<p class=\"lead\">To let one send: <code>limpet serve "
		      "enroll</code></p>\n",
		      to);
	text_add(&counts, "<p class=\"lead\">Of %zu servers ", a->n_nodes);
	if (heard)
		html_enclose(to, text_of(&counts), sentence_statuses(&said, a, true), ".</p>\n");
	for (int r = RESOURCE_NONE + 1; r < RESOURCES; r++)
		if (*(lacks = sentence_unproven_all(&said, a, (enum resource)r, true)))
			html_enclose(to, "<p>Unproven: ", lacks, ".</p>\n");
	fputs("</header>\n", to);
}

static void put_case(FILE *to, const struct front *f, const struct listener_request *r,
		     const struct verdict *a, size_t i)
{
	char id[24], name[HOST_LEN];

	snprintf(id, sizeof(id), "%016lx", (unsigned long)a->incidents[i].id);
	report_case(to, a, i, "h2");
	put_silences(to, f, r, NULL, a->incidents[i].id);
	fputs("<p>", to);
	put_link(to, "", "/incidents/", id);
	html_say(to, "Evidence, charts and commands for %s",
		 output_clean(verdict_node(a, a->incidents[i].node), name, sizeof(name)));
	fputs("</a></p>\n", to);
}

static void put_cases(FILE *to, const struct front *f, const struct listener_request *r,
		      bool suspicious)
{
	const struct verdict *a = &f->now->verdict;

	for (size_t i = 0; i < a->n_incidents; i++)
		if (a->incidents[i].open &&
		    (a->incidents[i].suspicion != SUSPICION_NONE) == suspicious)
			put_case(to, f, r, a, i);
}

static void put_notices(FILE *to, const struct verdict *a, size_t node)
{
	bool any = false;

	for (size_t i = 0; i < a->n_notices; i++) {
		struct text said TEXT_SCOPED = {0};

		if (!verdict_notice_now(a, &a->notices[i]) ||
		    (node != SIZE_MAX && a->notices[i].node != node))
			continue;
		fputs(any ? "" : "<section>\n<h2>Noticed, and no fault of a server</h2>\n<ul>\n",
		      to);
		any = true;
		html_enclose(to, "<li>", sentence_notice(&said, a, &a->notices[i]), "</li>\n");
	}
	fputs(any ? "</ul>\n</section>\n" : "", to);
}

/* ---- before -------------------------------------------------------------------------------------------- */

/* What was told: of a server, or (NULL) of all. */
struct before {
	const char *server, *but; /* an incident that is not wanted; NULL */
	unsigned int skip;	  /* of the newest */
};

/* The newest first, PAST of them and one more. NULL: they cannot be read now. */
static sqlite3_stmt *ask_before(struct front *f, const struct before *b)
{
	sqlite3 *db = front_db(f);
	sqlite3_stmt *st = NULL;

	if (!db || sqlite3_prepare_v2(
			   db,
			   "SELECT id, headline, coalesce(onset_ns, opened_ns), over_ns, last_ns "
			   "FROM incident WHERE (?1 IS NULL OR server = ?1) AND id IS NOT ?2"
			   " ORDER BY opened_ns DESC, id LIMIT ?3 OFFSET ?4",
			   -1, &st, NULL))
		return NULL;
	sqlite3_bind_text(st, 1, b->server, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(st, 2, b->but, -1, SQLITE_TRANSIENT);
	sqlite3_bind_int(st, 3, PAST + 1);
	sqlite3_bind_int(st, 4, (int)b->skip);
	return st;
}

static void put_row(FILE *to, const struct snapshot *s, sqlite3_stmt *st)
{
	const char *id = (const char *)sqlite3_column_text(st, 0) ?: "",
		   *line = (const char *)sqlite3_column_text(st, 1);
	bool over = sqlite3_column_type(st, 3) != SQLITE_NULL,
	     now = !over && s->can_judge && incident_known(&s->verdict, id);
	char from[TIME_TEXT_LEN], until[TIME_TEXT_LEN];

	output_time(sqlite3_column_int64(st, over ? 3 : 4), until);
	fputs("<tr><td>", to);
	put_link(to, "", "/incidents/", id);
	html_text(to, line ? line : "");
	fputs("</a></td>", to);
	html_enclose(to, "<td class=\"n\" data-h=\"since\"><time>",
		     output_time(sqlite3_column_int64(st, 2), from), "</time></td>");
	html_enclose(to,
		     over  ? "<td class=\"n\" data-h=\"until\"><time>"
		     : now ? "<td class=\"n\">still so"
			   : "<td class=\"n\">last seen <time>",
		     now ? "" : until, now ? "</td></tr>\n" : "</time></td></tr>\n");
}

static void put_before(FILE *to, struct front *f, const struct listener_request *r, struct before b)
{
	char text[16];
	sqlite3_stmt *st;
	unsigned int n = 0;

	if (!front_query(r, "skip", text, sizeof(text)) || parse_uint(text, 0, INT32_MAX, &b.skip))
		b.skip = 0;
	st = ask_before(f, &b);
	while (st && sqlite3_step(st) == SQLITE_ROW && n++ < PAST) {
		if (n == 1)
			fprintf(to,
				"<section id=\"incidents\">\n<h2>%sncidents</h2>\n"
				"<table><thead><tr><th>incident</th><th class=\"n\">since</th>"
				"<th class=\"n\">until</th></tr></thead>\n<tbody>\n",
				b.but ? "Other i" : "I");
		put_row(to, f->now, st);
	}
	sqlite3_finalize(st);
	if (!n)
		return;
	fputs("</tbody></table>\n<p>", to);
	if (b.skip)
		fprintf(to, "<a href=\"?skip=%u#incidents\">newer</a> ",
			b.skip > PAST ? b.skip - PAST : 0);
	if (n > PAST)
		fprintf(to, "<a href=\"?skip=%u#incidents\">older</a>", b.skip + PAST);
	fputs("</p>\n</section>\n", to);
}

/* ---- pages --------------------------------------------------------------------------------------------- */

void page_home(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	const struct snapshot *s = *r->rest ? NULL : front_now(f, r);
	struct text title TEXT_SCOPED = {0};
	struct html_page p;
	FILE *to;

	/* "/" begins every path */
	if (*r->rest) {
		listener_refuse(r, 404, 0, "no such path");
		return;
	}
	if (!s)
		return;
	text_put(&title, "limpet: ");
	headline(&title, s);
	to = page_begin(&p, text_of(&title));
	if (to) {
		put_nav(to, s);
		put_headline(to, s);
		put_silences(to, f, r, "", 0);
		put_cases(to, f, r, false);
		put_cases(to, f, r, true);
		put_jobs(to, f, &s->verdict);
		put_tiles(to, &s->verdict);
		put_notices(to, &s->verdict, SIZE_MAX);
		put_before(to, f, r, (struct before){0});
		put_silence_form(to, f, r, "all", NULL);
	}
	page_end(&p, r);
}

static void answer_server(struct drawing *j)
{
	const struct verdict *a = &j->s->verdict;
	const size_t node = j->q.node;
	const enum status status = verdict_status(a, node, true);
	const bool bad = status == STATUS_INDICTED || status == STATUS_SUSPICIOUS;
	const char *is = status_table[status].one;
	struct text title TEXT_SCOPED = {0}, said TEXT_SCOPED = {0};
	char clean[HOST_LEN];
	struct html_page p;
	FILE *to;

	output_clean(a->nodes[node], clean, sizeof(clean));
	text_add(&title, "limpet: %s %s", clean, is);
	to = page_with_form(&p, j->f, text_of(&title));
	if (to) {
		put_nav(to, j->s);
		html_enclose(to, bad ? "<header>\n<h1><b>" : "<header>\n<h1><span>", clean,
			     bad ? "</b> " : "</span> ");
		html_enclose(to, "", is, "</h1>\n");
		if (*sentence_status(&said, a, node, true))
			html_enclose(to, "<p class=\"lead\">", text_of(&said), "</p>\n");
		fputs("</header>\n", to);
		for (size_t i = 0; i < a->n_incidents; i++)
			if (a->incidents[i].node == node)
				put_case(to, j->f, &j->r, a, i);
		put_silences(to, j->f, &j->r, a->nodes[node], 0);
		put_silence_form(to, j->f, &j->r, a->nodes[node], NULL);
		fwrite(j->bytes, 1, j->len, to);
		put_notices(to, a, node);
		put_before(to, j->f, &j->r, (struct before){.server = a->nodes[node]});
	}
	page_end(&p, &j->r);
}

/* Of a server of which this run has heard nothing; nobody has ever, and it is refused. */
static void answer_past(struct front *f, struct listener_request *r, const char *name)
{
	const struct before b = {.server = name};
	sqlite3_stmt *st = *name ? ask_before(f, &b) : NULL;
	bool known = st && sqlite3_step(st) == SQLITE_ROW;
	struct html_page p;
	char clean[HOST_LEN];
	FILE *to;

	sqlite3_finalize(st);
	if (!known) {
		listener_refuse(r, 404, 0, "no such server");
		return;
	}
	to = page_begin(&p, "limpet: a server of before");
	if (to) {
		put_nav(to, f->now);
		html_enclose(to, "<header>\n<h1><span>", output_clean(name, clean, sizeof(clean)),
			     f->now->rebuilding
				     ? "</span> is not read yet</h1>\n</header>\n"
				     : "</span> has sent nothing of late</h1>\n</header>\n");
		put_before(to, f, r, b);
	}
	page_end(&p, r);
}

void page_server(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	const struct snapshot *s = front_now(f, r);
	struct drawing j = {.draw = draw_server, .answer = answer_server};
	char name[HOST_LEN];

	if (!s)
		return;
	if (!front_rest(r, name, sizeof(name)))
		*name = '\0';
	j.q.node = front_server(&s->verdict, name);
	if (j.q.node == s->verdict.n_nodes) {
		answer_past(f, r, name);
		return;
	}
	read_span_asked(&j.q, s, r);
	drawing_begin(f, r, &j);
}

/* Numbers of what was found, by their names in JSON; words NULL: they are in the signal's unit. */
static const struct kept_column {
	const char *key, *head;
	const char *(*words)(double v, char buf[WORDS_LEN]);
} kept_columns[] = {{"value", "value", NULL},		{"peers_median", "peers' median", NULL},
		    {"ratio", "ratio", words_ratio},	{"ratio_at_least", "at least", words_ratio},
		    {"score", "evidence", words_score}, {"score_needed", "needed", words_score}};
enum { KEPT_COLUMNS = sizeof(kept_columns) / sizeof(*kept_columns) };

static const char *text_of_key(const json_t *of, const char *key)
{
	return json_string_value(json_object_get(of, key)) ?: "";
}

static void put_kept_finding(FILE *to, const json_t *one)
{
	struct verdict_signal s = {.decimals = 2};
	char text[WORDS_LEN];

	snprintf(s.name, sizeof(s.name), "%s", text_of_key(one, "name"));
	snprintf(s.unit, sizeof(s.unit), "%s", text_of_key(one, "unit"));
	html_enclose(to, "<tr><td>", words_signal(&s, text_of_key(one, "disk"), text), "</td>");
	for (size_t i = 0; i < KEPT_COLUMNS; i++) {
		const struct kept_column *c = &kept_columns[i];
		const json_t *number = json_object_get(one, c->key);
		double v = json_is_number(number) ? json_number_value(number) : NAN;

		report_cell(to, "n", c->head,
			    c->words ? c->words(v, text) : words_quantity(&s, v, text));
	}
	fputs("</tr>\n", to);
}

static void put_kept_findings(FILE *to, const json_t *all)
{
	size_t i;
	json_t *one;

	if (!json_array_size(all))
		return;
	fputs("<section>\n<h2>Evidence</h2>\n<table class=\"findings\"><thead><tr><th>signal</th>",
	      to);
	for (i = 0; i < KEPT_COLUMNS; i++)
		fprintf(to, "<th class=\"n\">%s</th>", kept_columns[i].head);
	fputs("</tr></thead>\n<tbody>\n", to);
	json_array_foreach((json_t *)all, i, one) {
		put_kept_finding(to, one);
	}
	fputs("</tbody></table>\n</section>\n", to);
}

/* An incident of another run, of which only what was told is known. */
static void put_kept(FILE *to, const json_t *kept)
{
	const bool over = json_is_string(json_object_get(kept, "over"));
	const struct {
		const char *key, *name;
	} facts[] = {{"server", "server"},
		     {"cause", "cause"},
		     {"why", "why"},
		     {"from", "since"},
		     {"to", over ? "until" : "last seen"},
		     {"detail", "what"}};

	html_enclose(to, "<h1>", json_string_value(json_object_get(kept, "text")) ?: "",
		     "</h1>\n<dl>\n");
	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
		const char *value = json_string_value(json_object_get(kept, facts[i].key));

		if (value)
			fprintf(to, "<dt>%s</dt>", facts[i].name);
		if (value)
			html_enclose(to, "<dd>", value, "</dd>\n");
	}
	fputs("</dl>\n<p class=\"note\">It was told by an earlier run of the service.</p>\n", to);
	put_kept_findings(to, json_object_get(kept, "findings"));
}

static void put_known(FILE *to, const struct drawing *j)
{
	const struct verdict *a = &j->s->verdict;
	const struct incident *in = j->q.in;
	char id[24];

	snprintf(id, sizeof(id), "%016lx", (unsigned long)in->id);
	report_case(to, a, (size_t)(in - a->incidents), "h1");
	put_silences(to, j->f, &j->r, NULL, in->id);
	if (in->open) {
		put_silence_form(to, j->f, &j->r, NULL, id);
		report_next(to, a, in, "h2");
	}
	fputs("<section>\n<h2>Evidence</h2>\n", to);
	fwrite(j->bytes, 1, j->len, to);
	fputs("<h3>How it is computed</h3>\n", to);
	report_legend(to, in);
	report_findings(to, a, in);
	fputs("</section>\n", to);
}

static void answer_incident(struct drawing *j)
{
	const struct before b = {json_string_value(json_object_get(j->kept, "server")),
				 json_string_value(json_object_get(j->kept, "id")), 0};
	const char *title = json_string_value(json_object_get(j->kept, "text")) ?: "limpet";
	struct html_page p;
	FILE *to =
		j->q.in && j->q.in->open ? page_with_form(&p, j->f, title) : page_begin(&p, title);

	if (to) {
		put_nav(to, j->s);
		if (j->q.in)
			put_known(to, j);
		else
			put_kept(to, j->kept);
		put_before(to, j->f, &j->r, b);
	}
	page_end(&p, &j->r);
}

void page_incident(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	json_t *verdict = front_object(f, r);
	struct drawing j = {.answer = answer_incident};
	char id[32];

	if (!verdict)
		return;
	if (front_rest(r, id, sizeof(id)))
		j.kept = incident_of_id(f, id, verdict);
	if (!j.kept) {
		listener_refuse(r, 404, 0, "no incident has this id");
		return;
	}
	j.q.in = incident_known(&f->now->verdict, id);
	j.draw = j.q.in ? draw_incident : NULL;
	drawing_begin(f, r, &j);
}
