// SPDX-License-Identifier: BSD-2-Clause
/* changes.h: accounts one after the other, and what is new in each. */
#include "changes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/output.h"
#include "analyzer/output/flow.h"

const char *const change_words[CHANGE_KINDS] = {
	[CHANGE_JUDGING] = "judging", [CHANGE_CANNOT] = "cannot-judge",
	[CHANGE_OPENED] = "opened",   [CHANGE_CAUSE] = "changed",
	[CHANGE_HELD] = "held",	      [CHANGE_RESUMED] = "resumed",
	[CHANGE_OVER] = "over",	      [CHANGE_REMARK] = "remark",
};

/* One server's open accusation as it was told last. */
struct told {
	bool open, held;
	int64_t onset_ns;
	char cause[64], who[INSTANCE_LEN];
};

struct told_remark {
	enum remark_kind kind;
	size_t node;
	char about[sizeof(((struct remark *)NULL)->text)]; /* up to where it tells numbers */
	int64_t to_ns;
	bool there; /* in the account at hand */
};

struct changes {
	bool any, cannot;
	size_t judged;
	struct told *told; /* by server */
	size_t n_told;
	struct told_remark *remarks; /* by kind, server and text */
	size_t n_remarks, cap_remarks;
};

struct telling {
	const struct account *a;
	int (*fn)(void *arg, const struct account *a, const struct change *change);
	void *arg;
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
	free(c->remarks);
	free(c);
}

const struct accusation *changes_open(const struct account *a, size_t node)
{
	for (size_t i = 0; i < a->n_accused; i++)
		if (a->accused[i].node == node && a->accused[i].open)
			return &a->accused[i];
	return NULL;
}

bool changes_remark_now(const struct account *a, const struct remark *m)
{
	int64_t lately = (int64_t)(2 * a->window_s * 1e9);

	return m->to_ns >= a->to_ns - lately;
}

/* What is not printable ASCII becomes '?', and the tie of words_*() a blank. */
static void clean(char *s)
{
	for (; *s; s++)
		*s = *s == *TIE ? ' ' : *s >= ' ' && *s <= '~' ? *s : '?';
}

const char *changes_evidence(const struct evidence *e, char *buf, size_t size)
{
	char name[WORDS_LEN], own[WORDS_LEN], peers[WORDS_LEN], ratio[WORDS_LEN], z[WORDS_LEN];

	snprintf(buf, size, "%s %s, peers' median %s: %s%s (z %s), %u of %u windows",
		 words_signal(e->signal, e->disk, e->what, name),
		 words_value(e->signal, e->value, own), words_value(e->signal, e->peers, peers),
		 words_ratio(e->ratio, ratio), e->ratio > 1 && e->value < e->peers ? " less" : "",
		 words_score(e->z, z), e->flagged, e->judged);
	clean(buf);
	return buf;
}

/* ---- telling --------------------------------------------------------------------------------------*/

static struct change begin(const struct account *a, enum change_kind kind, size_t node)
{
	struct change c = {
		.kind = kind, .at_ns = a->to_ns, .node = node, .accused = -1, .remark = -1};

	if (node < a->n_nodes)
		output_clean(a->nodes[node], c.server, sizeof(c.server));
	return c;
}

static int tell(const struct telling *t, struct change *c)
{
	clean(c->text);
	return t->fn ? t->fn(t->arg, t->a, c) : 0;
}

static int tell_accused(const struct telling *t, enum change_kind kind, const struct accusation *x,
			bool open)
{
	struct change c = begin(t->a, kind, x->node);
	char line[HEADLINE_LEN], why[CHANGE_TEXT_LEN / 2] = "", at[TIME_TEXT_LEN];

	c.accused = x - t->a->accused;
	c.open = open;
	snprintf(c.cause, sizeof(c.cause), "%s", x->cause);
	if (x->n_evidence && kind != CHANGE_OVER)
		changes_evidence(&x->evidence[0], why, sizeof(why));
	snprintf(c.text, sizeof(c.text), "%.500s (%s %s%s%.400s%s)",
		 account_headline(t->a, (size_t)c.accused, line, sizeof(line)),
		 kind == CHANGE_OVER ? "until" : "since",
		 output_time(kind == CHANGE_OVER ? x->last_ns : x->onset_ns, at), *why ? "; " : "",
		 why, x->confidence == CONFIDENCE_LOW ? "; low confidence" : "");
	return tell(t, &c);
}

/* ---- accusations ----------------------------------------------------------------------------------*/

/* The process without its number: a hog of many short processes is one. */
static void culprit_of(const struct accusation *x, char who[INSTANCE_LEN])
{
	account_process(&x->culprit, who);
}

/* The last one that was open at this server; the story may have been joined to an older one. */
static const struct accusation *last_of(const struct account *a, size_t node)
{
	const struct accusation *last = NULL;

	for (size_t i = 0; i < a->n_accused; i++)
		if (a->accused[i].node == node && (!last || a->accused[i].last_ns > last->last_ns))
			last = &a->accused[i];
	return last;
}

static int end(const struct telling *t, size_t node, struct told *was)
{
	const struct accusation *x = last_of(t->a, node);
	struct change c;

	*was = (struct told){0};
	if (x)
		return tell_accused(t, CHANGE_OVER, x, false);
	/* Not accused any more: acknowledged, or the rules found another reason. */
	c = begin(t->a, CHANGE_OVER, node);
	snprintf(c.text, sizeof(c.text), "%s: nothing against it any more", c.server);
	return tell(t, &c);
}

static int compare(const struct telling *t, const struct accusation *x, struct told *was)
{
	struct told now = {.open = true, .held = x->held, .onset_ns = x->onset_ns};
	enum change_kind kind = CHANGE_KINDS;

	snprintf(now.cause, sizeof(now.cause), "%s", x->cause);
	culprit_of(x, now.who);
	if (!was->open)
		kind = CHANGE_OPENED;
	else if (strcmp(now.cause, was->cause) || (*now.who && strcmp(now.who, was->who)))
		kind = CHANGE_CAUSE;
	else if (now.held != was->held)
		kind = now.held ? CHANGE_HELD : CHANGE_RESUMED;
	if (!*now.who)
		snprintf(now.who, sizeof(now.who), "%s", was->who);
	*was = now;
	return kind < CHANGE_KINDS ? tell_accused(t, kind, x, true) : 0;
}

static int accusations(struct changes *c, const struct telling *t)
{
	const struct account *a = t->a;
	struct told *more;
	int err = 0;

	if (a->n_nodes > c->n_told) {
		more = realloc(c->told, a->n_nodes * sizeof(*more));
		if (!more)
			return -ENOMEM;
		memset(more + c->n_told, 0, (a->n_nodes - c->n_told) * sizeof(*more));
		c->told = more;
		c->n_told = a->n_nodes;
	}
	for (size_t i = 0; i < c->n_told && !err; i++)
		if (c->told[i].open && !changes_open(a, i))
			err = end(t, i, &c->told[i]);
	/* in the account's order: the strongest first */
	for (size_t i = 0; i < a->n_accused && !err; i++)
		if (a->accused[i].open && a->accused[i].node < c->n_told &&
		    changes_open(a, a->accused[i].node) == &a->accused[i])
			err = compare(t, &a->accused[i], &c->told[a->accused[i].node]);
	return err;
}

/* ---- remarks, and what can be judged ----------------------------------------------------------------*/

/* As the engine tells them apart. */
static struct told_remark key_of(const struct remark *m)
{
	struct told_remark k = {.kind = m->kind, .node = m->node, .to_ns = m->to_ns};

	snprintf(k.about, sizeof(k.about), "%.*s", (int)account_about(m->text), m->text);
	return k;
}

static int by_key(const struct told_remark *a, const struct told_remark *b)
{
	if (a->kind != b->kind)
		return (int)a->kind - (int)b->kind;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return strcmp(a->about, b->about);
}

/* Where it is, or is to be. */
static size_t place_of(const struct changes *c, const struct told_remark *k)
{
	size_t lo = 0, hi = c->n_remarks;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (by_key(&c->remarks[mid], k) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int keep_remark(struct changes *c, size_t at, const struct told_remark *k)
{
	if (c->n_remarks == c->cap_remarks) {
		size_t cap = c->cap_remarks ? 2 * c->cap_remarks : 16;
		struct told_remark *more = realloc(c->remarks, cap * sizeof(*more));

		if (!more)
			return -ENOMEM;
		c->remarks = more;
		c->cap_remarks = cap;
	}
	memmove(&c->remarks[at + 1], &c->remarks[at], (c->n_remarks - at) * sizeof(*c->remarks));
	c->remarks[at] = *k;
	c->n_remarks++;
	return 0;
}

/* What the account has no more, and was away for so long that it would be told again. */
static void forget_remarks(struct changes *c, int64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n_remarks; i++) {
		struct told_remark k = c->remarks[i];

		if (k.there || k.to_ns >= now_ns - CHANGES_AGAIN_NS)
			c->remarks[kept++] = k;
	}
	c->n_remarks = kept;
}

static int tell_remark(const struct telling *t, size_t i)
{
	const struct remark *m = &t->a->remarks[i];
	struct change c = begin(t->a, CHANGE_REMARK, m->node);
	bool named = !*c.server || strstr(m->text, t->a->nodes[m->node]);

	c.remark = (ssize_t)i;
	snprintf(c.cause, sizeof(c.cause), "%s", remark_words[m->kind]);
	snprintf(c.text, sizeof(c.text), "%s%s%s", named ? "" : c.server, named ? "" : ": ",
		 m->text);
	return tell(t, &c);
}

static int remarks(struct changes *c, const struct telling *t)
{
	int err = 0;

	for (size_t i = 0; i < c->n_remarks; i++)
		c->remarks[i].there = false;
	for (size_t i = 0; i < t->a->n_remarks && !err; i++) {
		struct told_remark now = key_of(&t->a->remarks[i]), *was;
		size_t at = place_of(c, &now);
		bool known = at < c->n_remarks && !by_key(&c->remarks[at], &now);
		bool news = known ? now.to_ns > c->remarks[at].to_ns + CHANGES_AGAIN_NS
				  : now.to_ns >= t->a->to_ns - CHANGES_AGAIN_NS;

		if (!known && (err = keep_remark(c, at, &now)))
			break;
		was = &c->remarks[at];
		was->there = true;
		was->to_ns = now.to_ns > was->to_ns ? now.to_ns : was->to_ns;
		if (news)
			err = tell_remark(t, i);
	}
	if (!err)
		forget_remarks(c, t->a->to_ns);
	return err;
}

static int judging(struct changes *c, const struct telling *t)
{
	const struct account *a = t->a;
	bool cannot = a->cannot || !account_judged(a);
	struct change now = begin(a, cannot ? CHANGE_CANNOT : CHANGE_JUDGING, SIZE_MAX);

	if (c->any && cannot == c->cannot)
		return 0;
	c->any = true;
	c->cannot = cannot;
	if (cannot)
		snprintf(now.text, sizeof(now.text), "%s",
			 a->cannot ? a->cannot : "no server could be judged");
	else
		snprintf(now.text, sizeof(now.text), "%zu of %zu servers", account_judged(a),
			 a->n_nodes);
	return tell(t, &now);
}

int changes_update(struct changes *c, const struct account *a,
		   int (*fn)(void *arg, const struct account *a, const struct change *change),
		   void *arg)
{
	struct telling t = {a, fn, arg};
	int err = judging(c, &t);

	if (!err)
		err = accusations(c, &t);
	return err ? err : remarks(c, &t);
}
