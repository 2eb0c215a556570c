// SPDX-License-Identifier: BSD-2-Clause
#include "mail.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/output/finding.h"
#include "analyzer/verdict/next_steps.h"
#include "userspace/common/clock.h"

bool mail_is_address(const char *s)
{
	size_t n = strlen(s);

	if (!n || n > 254 || *s == '-')
		return false;
	for (; *s; s++)
		if (*s <= ' ' || *s > '~' || strchr("(),:;<>[]\"\\", *s))
			return false;
	return true;
}

/* Lines of mail have a bound: 998 bytes. */
static void put_item(struct text *t, const char *of, const char *s)
{
	struct text plain TEXT_SCOPED = {0};

	text_put_plain(&plain, s);
	text_add(t, "- %s%s%.900s", of, *of ? ": " : "", text_of(&plain));
}

void mail_body(struct text *t, const struct verdict *a, const struct incident *in)
{
	const struct next_step *step;
	size_t n = next_steps(in->cause, &step), told = 0;

	text_put(t, in->n_findings ? "\nEvidence:\n" : "");
	for (size_t i = 0; i < in->n_findings; i++) {
		struct text said TEXT_SCOPED = {0};

		words_finding(&said, a, &in->findings[i]);
		put_item(t, "", text_of(&said));
		text_put(t, "\n");
	}
	for (; n; n--, step++) {
		struct text command TEXT_SCOPED = {0};

		if (!*next_step_command(&command, a, in, step))
			continue;
		text_put(t, told++ ? ""
				   : "\nWhat may help; words in capitals are yours to fill in:\n");
		put_item(t, step->system, text_of(&command));
		text_add(t, " (%s)\n", step->what);
	}
}

static void put_headers(struct text *t, const struct mail_opts *o, const struct mail *m)
{
	time_t seconds = (time_t)(m->at_ns / NS_PER_S);
	char host[256] = "localhost", date[64] = "";
	struct tm tm;

	gethostname(host, sizeof(host) - 1);
	if (gmtime_r(&seconds, &tm))
		strftime(date, sizeof(date), "%a, %d %b %Y %T +0000", &tm);
	for (size_t i = 0; i < o->to.n; i++)
		text_add(t, "%s%s", i ? ",\n " : "To: ", o->to.at[i]);
	text_put(t, "\nSubject: [limpet");
	if (o->site) {
		text_put(t, " ");
		text_put_plain(t, o->site);
	}
	text_add(t, "] %.160s\n", m->line);
	text_add(t, "Date: %s\n", date);
	if (m->incident)
		text_add(t,
			 "Message-ID: <limpet.%016" PRIx64 ".%" PRIx64 "@%s>\n"
			 "References: <limpet.%016" PRIx64 "@%s>\n",
			 m->incident, (uint64_t)m->at_ns, host, m->incident, host);
	text_put(t, "Auto-Submitted: auto-generated\nMIME-Version: 1.0\n"
		    "Content-Type: text/plain; charset=us-ascii\n\n");
}

void mail_message(struct text *t, const struct mail_opts *o, const struct mail *m)
{
	put_headers(t, o, m);
	text_add(t, "%.990s\n%s", m->line, m->body);
	if (!o->url || !*o->url)
		return;
	text_add(t, "\n%.900s", o->url);
	if (m->incident)
		text_add(t, "%sincidents/%016" PRIx64, o->url[strlen(o->url) - 1] == '/' ? "" : "/",
			 m->incident);
	text_put(t, "\n");
}
