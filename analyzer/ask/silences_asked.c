// SPDX-License-Identifier: BSD-2-Clause
/* Silences, asked for: /api/v1/silences and what pages have of them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"
#include "sent.h"
#include "analyzer/draw/html.h"
#include "userspace/common/clock.h"
#include "userspace/common/json_make.h"
#include "userspace/common/output.h"

#define HOURS_MAX 8760

/* ---- one ----------------------------------------------------------------------------------------------- */

static bool end_of(const struct sent *s, struct silence *one, char why[WHY_LEN])
{
	const json_t *number = s->object ? json_object_get(s->object, "hours") : NULL;
	unsigned int hours = 0;
	bool said = sent_has(s, "hours");

	if (said == sent_has(s, "until")) {
		snprintf(why, WHY_LEN, "either 'until' or 'hours' is needed");
		return false;
	}
	if (json_is_integer(number) && json_integer_value(number) > 0 &&
	    json_integer_value(number) <= HOURS_MAX)
		hours = (unsigned int)json_integer_value(number);
	else if (said && (number || parse_uint(sent_text(s, "hours"), 1, HOURS_MAX, &hours))) {
		snprintf(why, WHY_LEN, "'hours' is a number from 1 to %d", HOURS_MAX);
		return false;
	}
	/* it is refused later if it begins in more than a year */
	one->until_ns =
		one->from_ns +
		(one->from_ns < INT64_MAX - HOURS_MAX * NS_PER_HOUR ? hours * NS_PER_HOUR : 0);
	return said || sent_time(s, "until", &one->until_ns, why);
}

/* What it is about. 0, or the status and why. */
static int subject_of(const struct front *f, const struct sent *s, struct silence *one,
		      char why[WHY_LEN])
{
	const char *server = sent_text(s, "server"), *id = sent_text(s, "incident");
	const struct verdict *a = &f->now->verdict;
	const struct incident *in;

	if (!*server == !*id) {
		snprintf(why, WHY_LEN,
			 "either 'server' (\"all\": all of them) or 'incident' is needed");
		return 400;
	}
	if (*server) {
		snprintf(one->server, sizeof(one->server), "%s",
			 strcmp(server, "all") ? server : "");
		snprintf(why, WHY_LEN, "no such server");
		return !*one->server || front_server(a, server) < a->n_nodes ? 0 : 404;
	}
	snprintf(why, WHY_LEN, "no open incident has this id");
	in = incident_known(a, id);
	if (!in || !in->open)
		return 404;
	one->incident = in->id;
	snprintf(one->server, sizeof(one->server), "%s", verdict_node(a, in->node));
	return 0;
}

/* 0, or the status and why. */
static int silence_of_sent(const struct front *f, const struct listener_request *r,
			   const struct sent *s, struct silence *one, char why[WHY_LEN])
{
	int64_t now_ns = clock_ns(CLOCK_REALTIME);
	int status;

	*one = (struct silence){.from_ns = now_ns - now_ns % NS_PER_S};
	snprintf(one->who, sizeof(one->who), "%s", r->caller);
	status = subject_of(f, s, one, why);
	if (status)
		return status;
	if (!sent_time(s, "from", &one->from_ns, why) || !end_of(s, one, why))
		return 400;
	if (one->until_ns <= one->from_ns || one->until_ns <= now_ns ||
	    one->until_ns > now_ns + HOURS_MAX * NS_PER_HOUR) {
		snprintf(why, WHY_LEN, "it ends after it begins, after now and within a year");
		return 400;
	}
	if (strlen(sent_text(s, "why")) >= SILENCE_WHY) {
		snprintf(why, WHY_LEN, "'why' is longer than %d bytes", SILENCE_WHY - 1);
		return 400;
	}
	snprintf(one->why, sizeof(one->why), "%s", sent_text(s, "why"));
	return 0;
}

static json_t *silence_json(const struct silence *one)
{
	char id[24];

	snprintf(id, sizeof(id), "%016" PRIx64, one->incident);
	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "number", (json_int_t)one->number,
			 "server", words_or_null_json(one->server), "incident",
			 one->incident ? json_string(id) : json_null(), "from",
			 time_json(one->from_ns), "until", time_json(one->until_ns), "who",
			 words_json(one->who), "why", words_or_null_json(one->why));
}

/* ---- the API ------------------------------------------------------------------------------------------- */

static void refuse_error(struct listener_request *r, const struct sent *s, int err, const char *why)
{
	sent_refuse(r, s,
		    err == -ENOENT   ? 404
		    : err == -ENOSPC ? 409
				     : 503,
		    err == -ENOENT || err == -ENOSPC ? 0 : 1000, why);
}

static int have_silences(const struct front *f, char why[WHY_LEN])
{
	if (f->silences)
		return 0;
	snprintf(why, WHY_LEN, "silences.db cannot be used: the service has said why");
	return -EIO;
}

void api_silences(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	const struct snapshot *s = front_now(f, r);
	json_t *all = json_array(), *answer;
	char why[WHY_LEN];
	const struct silence *at;
	size_t n;
	int err;

	if (!s) {
		json_decref(all);
		return;
	}
	err = have_silences(f, why);
	if (!err)
		err = silences_refresh(f->silences, clock_ns(CLOCK_REALTIME), why);
	if (err) {
		json_decref(all);
		refuse_error(r, NULL, err, why);
		return;
	}
	at = silences_known(f->silences, &n);
	for (size_t i = 0; i < n; i++)
		all = append_json(all, silence_json(&at[i]));
	answer = all ? api_head(s) : NULL;
	if (!answer || json_object_set(answer, "silences", all)) {
		json_decref(answer);
		answer = NULL;
	}
	json_decref(all);
	front_json(r, 200, answer);
}

void api_silence_add(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	const struct snapshot *now = front_now(f, r);
	struct silence one;
	char why[WHY_LEN];
	struct sent s;
	int status, err;

	if (!now)
		return;
	if (!sent_read(&s, r)) {
		sent_refuse(r, &s, 400, 0, "the body is neither an object of JSON nor a form");
	} else if (front_may_change(f, r, &s)) {
		status = silence_of_sent(f, r, &s, &one, why);
		err = status ? 0 : have_silences(f, why);
		if (!status && !err)
			err = silences_add(f->silences, &one, why);
		if (status)
			sent_refuse(r, &s, status, 0, why);
		else if (err)
			refuse_error(r, &s, err, why);
		else
			sent_answer(r, &s, silence_json(&one));
	}
	sent_release(&s);
}

void api_silence_end(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	unsigned int number = 0;
	char why[WHY_LEN], *end, digits[16];
	struct sent s;
	int err;

	snprintf(digits, sizeof(digits), "%s", r->rest);
	end = strchr(digits, '/');
	if (!end || strcmp(end, "/end") != 0 || strlen(r->rest) >= sizeof(digits)) {
		listener_refuse(r, 404, 0, "no such path: /api/v1/silences/NUMBER/end ends one");
		return;
	}
	*end = '\0';
	if (parse_uint(digits, 1, INT32_MAX, &number)) {
		listener_refuse(r, 404, 0, "no silence has this number");
		return;
	}
	sent_read(&s, r);
	if (front_may_change(f, r, &s)) {
		err = have_silences(f, why);
		if (!err)
			err = silences_end(f->silences, number, clock_ns(CLOCK_REALTIME), why);
		if (err)
			refuse_error(r, &s, err, why);
		else
			sent_answer(r, &s,
				    json_pack("{s:i, s:b}", "number", (int)number, "over", 1));
	}
	sent_release(&s);
}

/* ---- on pages ------------------------------------------------------------------------------------------ */

void put_silence_form(FILE *to, const struct front *f, const struct listener_request *r,
		      const char *server, const char *incident)
{
	static const struct {
		int hours;
		const char *name;
	} ends[] = {{1, "1 hour"}, {8, "8 hours"}, {24, "1 day"}, {168, "7 days"}};

	if (!front_has_forms(f))
		return;
	fputs("<form method=\"post\" action=\"/api/v1/silences\" class=\"silence\">", to);
	put_form_word(to, f, r);
	html_enclose(to,
		     incident ? "<input type=\"hidden\" name=\"incident\" value=\""
			      : "<input type=\"hidden\" name=\"server\" value=\"",
		     incident ? incident : server, "\">");
	fprintf(to, "<label>%s for ",
		incident		 ? "Acknowledge: no alerts of this incident"
		: !strcmp(server, "all") ? "Maintenance: no alerts of any server"
					 : "No alerts of this server");
	fputs("<select name=\"hours\">", to);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		fprintf(to, "<option value=\"%d\">%s</option>", ends[i].hours, ends[i].name);
	fprintf(to,
		"</select></label> <label>from <input type=\"datetime-local\" name=\"from\"> UTC "
		"(empty: now)</label> <label>because <input name=\"why\" maxlength=\"%d\" "
		"autocomplete=\"off\"></label> <button>%s</button></form>\n",
		SILENCE_WHY - 1, incident ? "Acknowledge" : "Silence");
}

static void put_silence(FILE *to, const struct front *f, const struct listener_request *r,
			const struct silence *one)
{
	char until[TIME_TEXT_LEN], from[TIME_TEXT_LEN];

	fputs("<li>", to);
	html_say(to, "No alerts of %s from %s until %s, says %s",
		 one->incident	? "this incident"
		 : *one->server ? one->server
				: "all servers",
		 output_time(one->from_ns, from), output_time(one->until_ns, until), one->who);
	if (*one->why)
		html_enclose(to, ": ", one->why, "");
	if (front_has_forms(f)) {
		fprintf(to,
			" <form method=\"post\" action=\"/api/v1/silences/%" PRId64
			"/end\" class=\"silence\">",
			one->number);
		put_form_word(to, f, r);
		fputs("<button>End it</button></form>", to);
	}
	fputs("</li>\n", to);
}

void put_silences(FILE *to, const struct front *f, const struct listener_request *r,
		  const char *server, uint64_t incident)
{
	int64_t now_ns = clock_ns(CLOCK_REALTIME);
	const struct silence *at;
	char why[WHY_LEN];
	bool any = false;
	size_t n;

	if (!f->silences)
		return;
	/* What was sent a moment ago is there; where it cannot be read, what was. */
	silences_refresh(f->silences, now_ns, why);
	at = silences_known(f->silences, &n);
	for (size_t i = 0; i < n; i++) {
		const struct silence *one = &at[i];

		if (one->until_ns <= now_ns || one->incident != incident ||
		    (server && strcmp(one->server, server) != 0))
			continue;
		fputs(any ? "" : "<ul class=\"silences\">\n", to);
		any = true;
		put_silence(to, f, r, one);
	}
	fputs(any ? "</ul>\n" : "", to);
}
