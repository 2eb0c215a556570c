// SPDX-License-Identifier: BSD-2-Clause
/* changes.h: servers that have other numbers in the next verdict. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "changes_parts.h"
#include "userspace/common/array.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"

static bool same_order(const struct changes *c, const struct verdict *a)
{
	for (size_t i = 0; i < c->n_told; i++)
		if (i >= a->n_nodes || strcmp(c->told[i].server, a->nodes[i]))
			return false;
	return true;
}

struct place {
	const char *server;
	size_t number;
};

static int by_server(const void *a, const void *b)
{
	return strcmp(((const struct place *)a)->server, ((const struct place *)b)->server);
}

/* now: of each number that was told, the new one; SIZE_MAX: it is not in the verdict. 0 or -ENOMEM. */
static int renumber(const struct changes *c, const struct verdict *a, size_t *now)
{
	struct place *at = calloc(a->n_nodes + 1, sizeof(*at)), *found, want;

	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < a->n_nodes; i++)
		at[i] = (struct place){a->nodes[i], i};
	sort(at, a->n_nodes, by_server);
	for (size_t i = 0; i < c->n_told; i++) {
		want.server = c->told[i].server;
		found = search(&want, at, a->n_nodes, by_server);
		now[i] = found ? found->number : SIZE_MAX;
	}
	free(at);
	return 0;
}

static int in_order_of_notices(const void *a, const void *b)
{
	return notice_compare(&((const struct told_notice *)a)->of,
			      &((const struct told_notice *)b)->of);
}

static void renumber_notices(struct changes *c, const size_t *now)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n_notices; i++) {
		struct told_notice k = c->notices[i];

		if (k.of.node < c->n_told)
			k.of.node = now[k.of.node];
		if (k.of.node != SIZE_MAX || c->notices[i].of.node == SIZE_MAX)
			c->notices[kept++] = k;
	}
	c->n_notices = kept;
	sort(c->notices, kept, in_order_of_notices);
}

static int gone(const struct telling *t, const struct told *was)
{
	struct change c = change_begin(
		t->a, was->status == STATUS_SUSPICIOUS ? CHANGE_CLEARED : CHANGE_OVER, SIZE_MAX);

	if (was->status != STATUS_SUSPICIOUS && was->status != STATUS_INDICTED)
		return 0;
	output_clean(was->server, c.server, sizeof(c.server));
	text_add(&c.text, "%s: nothing against it any more", c.server);
	return change_tell(t, &c);
}

static int follow_numbers(struct changes *c, const struct telling *t)
{
	const struct verdict *a = t->a;
	size_t *now;
	struct told *told;
	int err;

	if (same_order(c, a))
		return 0;
	now = calloc(c->n_told + 1, sizeof(*now));
	told = calloc(a->n_nodes + 1, sizeof(*told));
	err = now && told ? renumber(c, a, now) : -ENOMEM;
	for (size_t i = 0; i < c->n_told && !err; i++) {
		if (now[i] != SIZE_MAX)
			told[now[i]] = c->told[i];
		else
			err = gone(t, &c->told[i]);
	}
	if (err) {
		free(told);
	} else {
		renumber_notices(c, now);
		free(c->told);
		c->told = told;
		c->n_told = a->n_nodes;
	}
	free(now);
	return err;
}

int changes_servers(struct changes *c, const struct telling *t)
{
	const struct verdict *a = t->a;
	int err = follow_numbers(c, t);

	if (!err && a->n_nodes > c->n_told) {
		if (array_extend(&c->told, c->n_told, a->n_nodes))
			return -ENOMEM;
		c->n_told = a->n_nodes;
	}
	for (size_t i = 0; i < c->n_told && !err; i++)
		snprintf(c->told[i].server, sizeof(c->told[i].server), "%s", a->nodes[i]);
	return err;
}
