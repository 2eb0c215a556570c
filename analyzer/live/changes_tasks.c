// SPDX-License-Identifier: BSD-2-Clause
/* changes.h: tasks that hold up their job, each told once; the worst first. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "changes_parts.h"
#include "analyzer/verdict/sentences.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

/* 1: it is news, 0, or -ENOMEM. */
static int keep(struct changes *c, const char *task, int64_t now_ns)
{
	size_t at = search_first(i, c->n_tasks, strcmp(c->tasks[i].task, task) < 0);
	bool known = at < c->n_tasks && !strcmp(c->tasks[at].task, task);
	struct told_task *k = known ? &c->tasks[at] : array_insert(&c->tasks, &c->n_tasks, at);

	if (!k)
		return -ENOMEM;
	snprintf(k->task, sizeof(k->task), "%s", task);
	k->at_ns = now_ns;
	return !known;
}

static void forget(struct changes *c, int64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n_tasks; i++)
		if (c->tasks[i].at_ns >= now_ns - CHANGES_AGAIN_NS)
			c->tasks[kept++] = c->tasks[i];
	c->n_tasks = kept;
}

static int tell_task(const struct telling *t, size_t i)
{
	const struct straggler *s = &t->a->stragglers[i];
	struct change c = change_begin(t->a, CHANGE_STRAGGLER, s->node);

	c.straggler = (ssize_t)i;
	for (size_t k = t->a->n_task_causes; k--;)
		if (s->causes >> k & 1)
			c.cause = t->a->task_causes[k].word;
	sentence_straggler(&c.text, t->a, s);
	return change_tell(t, &c);
}

static int tell_rest(const struct telling *t, size_t n)
{
	struct change c = change_begin(t->a, CHANGE_STRAGGLER, SIZE_MAX);

	text_add(&c.text, "%zu more tasks hold up their job", n);
	return change_tell(t, &c);
}

int changes_tasks(struct changes *c, const struct telling *t)
{
	const struct verdict *a = t->a;
	size_t *order = calloc(a->n_stragglers + 1, sizeof(*order)), n = 0;
	int err = order ? 0 : -ENOMEM, news;

	if (!err)
		stragglers_worst_first(a->stragglers, a->n_stragglers, order);
	for (size_t i = 0; i < a->n_stragglers && !err; i++) {
		news = keep(c, a->stragglers[order[i]].task, a->to_ns);
		err = news < 0 ? news : 0;
		if (news > 0 && n++ < CHANGES_TASKS)
			err = tell_task(t, order[i]);
	}
	if (!err && n > CHANGES_TASKS)
		err = tell_rest(t, n - CHANGES_TASKS);
	if (!err)
		forget(c, a->to_ns);
	free(order);
	return err;
}
