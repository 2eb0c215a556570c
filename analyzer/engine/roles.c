// SPDX-License-Identifier: BSD-2-Clause
/*
 * Disks of one model that do different work: where a server has several, the
 * one with the system or the journal on it may be slower at any load than those
 * with data, on all servers alike. That is what a disk of this name is for, and
 * no fault.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "userspace/common/sort.h"

/* A member that was compared. */
struct named {
	const char *name;
	bool several; /* disks has its server */
	size_t member;
	double d;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return strcmp(x->name, y->name) ?: ORDER(x->d, y->d);
}

/* What it is worse by than half of those of its name on other servers; they are
 * in order of d. The lower of two middle ones, so that of three bad disks of
 * one name two are still seen. */
static double common(const struct named *at, size_t n, size_t own)
{
	size_t middle = (n - 2) / 2;

	return fmax(0, at[middle + (middle >= own)].d);
}

/* The peers' value that is shown is then that of their like. */
static void take_off(const struct peerset *set, struct compared *c, double by)
{
	double k = signals[set->signal].kind == KIND_NUMBER ? signals[set->signal].c : 0;

	c->d -= by;
	c->peers = (c->peers + k) * exp(by) - k;
}

int roles_apply(const struct robust *r, const struct peerset *set, struct compared *c)
{
	struct named *at;
	size_t n = 0;

	if (signals[set->signal].level != LEVEL_DISK || set->class == ANY_CLASS)
		return 0;
	at = calloc(set->panel.n + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	for (size_t m = 0; m < set->panel.n; m++) {
		const struct disk *d = &r->disks[set->panel.members[m].number];

		if (isnan(c[m].d))
			continue;
		at[n++] = (struct named){d->name, r->nodes[d->node].n_disks > 1, m, c[m].d};
	}
	sort(at, n, by_name);
	for (size_t first = 0, end; first < n; first = end) {
		for (end = first + 1; end < n && !strcmp(at[end].name, at[first].name);)
			end++;
		if (end - first < 3) /* two of one name are no role */
			continue;
		for (size_t i = first; i < end; i++)
			if (at[i].several)
				take_off(set, &c[at[i].member],
					 common(at + first, end - first, i - first));
	}
	free(at);
	return 0;
}
