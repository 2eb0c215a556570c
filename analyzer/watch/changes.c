// SPDX-License-Identifier: BSD-2-Clause
/* changes.h: the wording of events. */
#include "changes.h"

#include <errno.h>

#include "analyzer/output/finding.h"
#include "analyzer/verdict/sentences.h"
#include "userspace/common/output.h"

static void put_incident(struct change *c, const struct verdict *a)
{
	bool over = c->event.kind == EVENT_OVER || c->event.kind == EVENT_CLEARED;
	const struct incident *x;
	struct text said TEXT_SCOPED = {0};
	char at[TIME_TEXT_LEN];

	/* Not against it any more: acknowledged, gone, or the rules found another reason. */
	if (c->event.incident < 0) {
		text_add(&c->text, "%s: nothing against it any more", c->server);
		return;
	}
	x = &a->incidents[c->event.incident];
	c->cause = cause_table[x->cause].word;
	verdict_headline(&c->text, a, (size_t)c->event.incident);
	text_add(&c->text, " (%s %s", over ? "until" : "since",
		 output_time(over ? x->last_ns : x->onset_ns, at));
	if (x->n_findings && !over)
		text_enclose(&c->text, "; ", words_finding(&said, a, &x->findings[0]), "");
	text_enclose(&c->text, "; ", sentence_confidence(&said, x), "");
	text_enclose(&c->text, "; ", sentence_times(&said, x), "");
	text_put(&c->text, ")");
}

static void put_judging(struct change *c, const struct verdict *a)
{
	struct text why TEXT_SCOPED = {0};

	if (a->cannot.why)
		sentence_cannot(&c->text, &a->cannot);
	else if (c->event.kind == EVENT_CANNOT)
		text_put(&c->text, "no server could be judged");
	else
		text_add(&c->text, "%zu of %zu servers", verdict_judged(a), a->n_nodes);
	if (c->event.kind == EVENT_JUDGING)
		text_enclose(&c->text, "; not judged: ", sentence_not_judged(&why, a), "");
}

/* The first resource that is not proven. */
static void put_proving(struct change *c, const struct verdict *a)
{
	bool unproven = c->event.kind == EVENT_UNPROVEN;

	for (int r = RESOURCE_NONE + 1; unproven && r < RESOURCES && !c->text.len; r++)
		sentence_unproven_all(&c->text, a, (enum resource)r, true);
	if (!unproven)
		text_put(&c->text, "no server is unproven any more");
}

static void put_silence(struct change *c, const struct verdict *a)
{
	(void)a;
	c->cause = notice_words[NOTICE_SILENT];
	text_add(&c->text,
		 c->event.kind == EVENT_SILENT ? "%s stopped reporting" : "%s reports again",
		 c->server);
}

static void put_notice(struct change *c, const struct verdict *a)
{
	const struct notice *m = &a->notices[c->event.notice];

	c->cause = notice_words[m->kind];
	sentence_notice(&c->text, a, m);
}

static void put_straggler(struct change *c, const struct verdict *a)
{
	const struct straggler *s;

	if (c->event.straggler < 0) {
		text_add(&c->text, "%zu more tasks hold up their job", c->event.more);
		return;
	}
	s = &a->stragglers[c->event.straggler];
	for (size_t k = a->n_task_causes; k--;)
		if (s->causes >> k & 1)
			c->cause = a->task_causes[k].word;
	sentence_straggler(&c->text, a, s);
}

static void put_decision(struct change *c, const struct verdict *a)
{
	const struct straggler_job *j = &a->jobs[c->event.job];

	c->cause = j->decided_by;
	sentence_job(&c->text, j);
}

const struct event_row event_rows[EVENT_KINDS] = {
	[EVENT_JUDGING] = {"judging", true, put_judging, COLOUR_GOOD},
	[EVENT_CANNOT] = {"cannot-judge", true, put_judging, COLOUR_WARN},
	[EVENT_UNPROVEN] = {"unproven", true, put_proving, COLOUR_WARN},
	[EVENT_PROVEN] = {"proven", true, put_proving, COLOUR_GOOD},
	[EVENT_SUSPICIOUS] = {"suspicious", false, put_incident, COLOUR_WARN},
	[EVENT_CLEARED] = {"cleared", false, put_incident, COLOUR_GOOD},
	[EVENT_OPENED] = {"opened", true, put_incident, COLOUR_BAD},
	[EVENT_CHANGED] = {"changed", true, put_incident, COLOUR_BAD},
	[EVENT_HELD] = {"held", true, put_incident, COLOUR_BAD},
	[EVENT_RESUMED] = {"resumed", true, put_incident, COLOUR_BAD},
	[EVENT_OVER] = {"over", true, put_incident, COLOUR_GOOD},
	[EVENT_SILENT] = {"silent", true, put_silence, COLOUR_WARN},
	[EVENT_REPORTING] = {"reporting", true, put_silence, COLOUR_GOOD},
	[EVENT_NOTICE] = {"notice", false, put_notice, COLOUR_NONE},
	[EVENT_STRAGGLER] = {"straggler", false, put_straggler, COLOUR_NONE},
	[EVENT_DECISION] = {"decision", false, put_decision, COLOUR_NONE},
};

int change_event(void *arg, const struct verdict *a, const struct track_event *e)
{
	const struct change_to *to = arg;
	struct change c = {.event = *e, .cause = "", .status = STATUS_UNJUDGED};
	struct text said TEXT_SCOPED = {0};
	int err = -ENOMEM;

	output_clean(e->server, c.server, sizeof(c.server));
	if (e->node < a->n_nodes)
		c.status = verdict_status(a, e->node, true);
	event_rows[e->kind].put(&c, a);
	said = c.text;
	c.text = (struct text){0};
	text_put_clean(&c.text, text_of(&said));
	if (!said.failed && !c.text.failed)
		err = to->fn(to->arg, a, &c);
	text_release(&c.text);
	return err;
}
