// SPDX-License-Identifier: BSD-2-Clause
/* changes.h: verdicts one after the other, and what is new in each. */
#include "changes_parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/verdict/sentences.h"
#include "userspace/common/output.h"
#include "analyzer/output/finding.h"
#include "userspace/common/sort.h"
#include "userspace/common/clock.h"
#include "userspace/common/array.h"

const char *const change_words[CHANGE_KINDS] = {
	[CHANGE_JUDGING] = "judging",
	[CHANGE_CANNOT] = "cannot-judge",
	[CHANGE_UNPROVEN] = "unproven",
	[CHANGE_PROVEN] = "proven",
	[CHANGE_SUSPICIOUS] = "suspicious",
	[CHANGE_CLEARED] = "cleared",
	[CHANGE_OPENED] = "opened",
	[CHANGE_CAUSE] = "changed",
	[CHANGE_HELD] = "held",
	[CHANGE_RESUMED] = "resumed",
	[CHANGE_OVER] = "over",
	[CHANGE_SILENT] = "silent",
	[CHANGE_REPORTING] = "reporting",
	[CHANGE_NOTICE] = "notice",
	[CHANGE_STRAGGLER] = "straggler",
};

const bool change_alerts[CHANGE_KINDS] = {
	[CHANGE_JUDGING] = true, [CHANGE_CANNOT] = true, [CHANGE_OPENED] = true,
	[CHANGE_CAUSE] = true,	 [CHANGE_HELD] = true,	 [CHANGE_RESUMED] = true,
	[CHANGE_OVER] = true,	 [CHANGE_SILENT] = true, [CHANGE_REPORTING] = true,
};

struct changes *changes_new(void)
{
	return calloc(1, sizeof(struct changes));
}

void changes_free(struct changes *c)
{
	if (!c)
		return;
	free(c->told);
	free(c->notices);
	free(c->tasks);
	free(c);
}

bool changes_notice_now(const struct verdict *a, const struct notice *m)
{
	int64_t lately = ns_of_s(2 * a->notices_s);

	return m->to_ns >= a->to_ns - lately;
}

bool changes_silent_now(const struct verdict *a, size_t node)
{
	for (size_t i = 0; i < a->n_notices; i++)
		if (a->notices[i].kind == NOTICE_SILENT && a->notices[i].node == node &&
		    changes_notice_now(a, &a->notices[i]))
			return true;
	return false;
}

/* ---- telling --------------------------------------------------------------------------------------*/

struct change change_begin(const struct verdict *a, enum change_kind kind, size_t node)
{
	struct change c = {.kind = kind,
			   .at_ns = a->to_ns,
			   .node = node,
			   .cause = "",
			   .status = STATUS_UNJUDGED,
			   .incidents = -1,
			   .notice = -1,
			   .straggler = -1};

	if (node >= a->n_nodes)
		return c;
	output_clean(a->nodes[node], c.server, sizeof(c.server));
	c.status = verdict_status(a, node, true);
	return c;
}

int change_tell(const struct telling *t, struct change *c)
{
	struct text said TEXT_SCOPED = c->text;
	int err = -ENOMEM;

	c->text = (struct text){0};
	text_put_plain(&c->text, text_of(&said));
	if (!said.failed && !c->text.failed)
		err = t->fn ? t->fn(t->arg, t->a, c) : 0;
	text_release(&c->text);
	return err;
}

static int tell_incident(const struct telling *t, enum change_kind kind, const struct incident *x,
			 bool open)
{
	struct change c = change_begin(t->a, kind, x->node);
	bool over = kind == CHANGE_OVER || kind == CHANGE_CLEARED;
	struct text said TEXT_SCOPED = {0};
	char at[TIME_TEXT_LEN];

	c.incidents = x - t->a->incidents;
	c.open = open;
	c.cause = cause_table[x->cause].word;
	verdict_headline(&c.text, t->a, (size_t)c.incidents);
	text_add(&c.text, " (%s %s", over ? "until" : "since",
		 output_time(over ? x->last_ns : x->onset_ns, at));
	if (x->n_findings && !over)
		text_enclose(&c.text, "; ", words_finding(&said, t->a, &x->findings[0]), "");
	text_enclose(&c.text, "; ", sentence_confidence(&said, x), "");
	text_enclose(&c.text, "; ", sentence_times(&said, x), "");
	text_put(&c.text, ")");
	return change_tell(t, &c);
}

/* ---- incidents ----------------------------------------------------------------------------------*/

/* The process without its number: a hog of many short processes is one. */
static void culprit_of(const struct incident *x, char who[INSTANCE_LEN])
{
	verdict_process(&x->culprit, who);
}

/* The last one that was open at this server; the story may have been joined to an older one. Where there are
 * both, what indicts is not told by what is only suspicious, nor the other way round. */
static const struct incident *last_of(const struct verdict *a, size_t node, bool suspicious)
{
	const struct incident *last = NULL;

	for (size_t i = 0; i < a->n_incidents; i++)
		if (a->incidents[i].node == node &&
		    (a->incidents[i].suspicious != SUSPICION_NONE) == suspicious &&
		    (!last || a->incidents[i].last_ns > last->last_ns))
			last = &a->incidents[i];
	return last;
}

static int end(const struct telling *t, size_t node, struct told *was)
{
	bool suspicious = was->status == STATUS_SUSPICIOUS;
	enum change_kind kind = suspicious ? CHANGE_CLEARED : CHANGE_OVER;
	const struct incident *x = last_of(t->a, node, suspicious);
	struct change c;

	was->status = STATUS_WELL;
	was->held = false;
	was->onset_ns = 0;
	was->cause = 0;
	*was->who = 0;
	if (x)
		return tell_incident(t, kind, x, false);
	/* Not against it any more: acknowledged, or the rules found another reason. */
	c = change_begin(t->a, kind, node);
	text_add(&c.text, "%s: nothing against it any more", c.server);
	return change_tell(t, &c);
}

static int compare(const struct telling *t, const struct incident *x, struct told *was)
{
	struct told now = {
		.status = x->suspicious ? STATUS_SUSPICIOUS : STATUS_INDICTED,
		.held = x->held,
		.silent = was->silent,
		.onset_ns = x->onset_ns,
		.cause = x->cause,
	};
	enum change_kind kind = CHANGE_KINDS;

	culprit_of(x, now.who);
	if (now.status != was->status)
		kind = x->suspicious ? CHANGE_SUSPICIOUS : CHANGE_OPENED;
	else if (x->suspicious) /* what it may be is no news until it is sure */
		kind = CHANGE_KINDS;
	else if (now.cause != was->cause || (*now.who && strcmp(now.who, was->who)))
		kind = CHANGE_CAUSE;
	else if (now.held != was->held)
		kind = now.held ? CHANGE_HELD : CHANGE_RESUMED;
	if (!*now.who)
		snprintf(now.who, sizeof(now.who), "%s", was->who);
	snprintf(now.server, sizeof(now.server), "%s", was->server);
	*was = now;
	return kind < CHANGE_KINDS ? tell_incident(t, kind, x, true) : 0;
}

/* Also what was indicted and now is only suspicious, which is told then. */
static bool is_over(const struct told *was, const struct incident *x)
{
	return (was->status == STATUS_SUSPICIOUS && !x) ||
	       (was->status == STATUS_INDICTED && (!x || x->suspicious));
}

static int incidents(struct changes *c, const struct telling *t)
{
	const struct verdict *a = t->a;
	int err = 0;

	for (size_t i = 0; i < c->n_told && !err; i++)
		if (is_over(&c->told[i], verdict_against(a, i, true)))
			err = end(t, i, &c->told[i]);
	/* in the verdict's order: the strongest first */
	for (size_t i = 0; i < a->n_incidents && !err; i++)
		if (a->incidents[i].open && a->incidents[i].node < c->n_told &&
		    verdict_against(a, a->incidents[i].node, true) == &a->incidents[i])
			err = compare(t, &a->incidents[i], &c->told[a->incidents[i].node]);
	return err;
}

/* ---- notices, and what can be judged ----------------------------------------------------------------*/

/* Where it is, or is to be. */
static size_t place_of(const struct changes *c, const struct told_notice *k)
{
	return search_first(mid, c->n_notices, notice_compare(&c->notices[mid].of, &k->of) < 0);
}

static int keep_notice(struct changes *c, size_t at, const struct told_notice *k)
{
	struct told_notice *new = array_insert(&c->notices, &c->n_notices, at);

	if (!new)
		return -ENOMEM;
	*new = *k;
	return 0;
}

/* What the verdict has no more, and was away for so long that it would be told again. */
static void forget_notices(struct changes *c, int64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n_notices; i++) {
		struct told_notice k = c->notices[i];

		if (k.there || k.to_ns >= now_ns - CHANGES_AGAIN_NS)
			c->notices[kept++] = k;
	}
	c->n_notices = kept;
}

static int tell_notice(const struct telling *t, size_t i)
{
	const struct notice *m = &t->a->notices[i];
	struct change c = change_begin(t->a, CHANGE_NOTICE, m->node);

	c.notice = (ssize_t)i;
	c.cause = notice_words[m->kind];
	sentence_notice(&c.text, t->a, m);
	return change_tell(t, &c);
}

static int notices(struct changes *c, const struct telling *t)
{
	int err = 0;

	for (size_t i = 0; i < c->n_notices; i++)
		c->notices[i].there = false;
	for (size_t i = 0; i < t->a->n_notices && !err; i++) {
		struct told_notice now = {.of = t->a->notices[i], .to_ns = t->a->notices[i].to_ns},
				   *was;
		size_t at = place_of(c, &now);
		bool known = at < c->n_notices && !notice_compare(&c->notices[at].of, &now.of);
		bool news = known ? now.to_ns > c->notices[at].to_ns + CHANGES_AGAIN_NS
				  : now.to_ns >= t->a->to_ns - CHANGES_AGAIN_NS;

		if (!known && (err = keep_notice(c, at, &now)))
			break;
		was = &c->notices[at];
		was->there = true;
		was->to_ns = now.to_ns > was->to_ns ? now.to_ns : was->to_ns;
		/* a silence is told as that */
		if (news && t->a->notices[i].kind != NOTICE_SILENT)
			err = tell_notice(t, i);
	}
	if (!err)
		forget_notices(c, t->a->to_ns);
	return err;
}

/* A server that stops reporting, and one that begins again. */
static int silence(struct changes *c, const struct telling *t)
{
	int err = 0;

	for (size_t i = 0; i < c->n_told && !err; i++) {
		bool now = changes_silent_now(t->a, i);
		struct change x;

		if (now == c->told[i].silent)
			continue;
		c->told[i].silent = now;
		x = change_begin(t->a, now ? CHANGE_SILENT : CHANGE_REPORTING, i);
		x.cause = notice_words[NOTICE_SILENT];
		text_add(&x.text, now ? "%s stopped reporting" : "%s reports again", x.server);
		err = change_tell(t, &x);
	}
	return err;
}

static int judging(struct changes *c, const struct telling *t)
{
	const struct verdict *a = t->a;
	bool cannot = a->cannot.why || !verdict_judged(a);
	size_t judged = cannot ? 0 : verdict_judged(a);
	struct text why TEXT_SCOPED = {0};
	struct change now = change_begin(a, cannot ? CHANGE_CANNOT : CHANGE_JUDGING, SIZE_MAX);

	if (c->any && cannot == c->cannot &&
	    (cannot || (judged == c->judged && a->n_nodes == c->servers)))
		return 0;
	c->any = true;
	c->judged = judged;
	c->servers = a->n_nodes;
	c->cannot = cannot;
	if (a->cannot.why)
		sentence_cannot(&now.text, &a->cannot);
	else if (cannot)
		text_put(&now.text, "no server could be judged");
	else
		text_add(&now.text, "%zu of %zu servers", judged, a->n_nodes);
	if (!cannot)
		text_enclose(&now.text, "; not judged: ", sentence_not_judged(&why, a), "");
	return change_tell(t, &now);
}

/* Whether the all-clear holds; the first resource of which it does not. */
static int proving(struct changes *c, const struct telling *t)
{
	size_t n = verdict_statuses(t->a, true).of[STATUS_UNPROVEN];
	struct change now = change_begin(t->a, n ? CHANGE_UNPROVEN : CHANGE_PROVEN, SIZE_MAX);

	if ((n > 0) == c->unproven)
		return 0;
	c->unproven = n > 0;
	for (int r = RESOURCE_NONE + 1; n && r < RESOURCES && !now.text.len; r++)
		sentence_unproven_all(&now.text, t->a, (enum resource)r, true);
	if (!n)
		text_put(&now.text, "no server is unproven any more");
	return change_tell(t, &now);
}

int changes_update(struct changes *c, const struct verdict *a,
		   int (*fn)(void *arg, const struct verdict *a, const struct change *change),
		   void *arg)
{
	struct telling t = {a, fn, arg};
	int err = judging(c, &t);

	if (!err)
		err = proving(c, &t);
	if (!err)
		err = changes_servers(c, &t);
	if (!err)
		err = incidents(c, &t);
	if (!err)
		err = silence(c, &t);
	if (!err)
		err = notices(c, &t);
	return err ? err : changes_tasks(c, &t);
}
