// SPDX-License-Identifier: BSD-2-Clause
/* Hosts by group and address, each with the two servers that exchange most with it. */
#include "talkers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Less than 1 MiB is no traffic; a hundredth of what is exchanged here is a login elsewhere. */
#define LONE_KB	   1024
#define LONE_SHARE 0.01

bool talker_is_lone(const char *addr, double here, double elsewhere)
{
	/* '(': many together are no host */
	return here >= LONE_KB && *addr != '(' && elsewhere <= LONE_SHARE * here;
}

double talker_kb(const struct interval_remote *r)
{
	double rx = r && isfinite(r->rx_kb) ? r->rx_kb : 0;

	return rx + (r && isfinite(r->tx_kb) ? r->tx_kb : 0);
}

struct talker {
	const char *addr; /* NULL: a free place */
	int32_t group;
	uint32_t hash;
	size_t node; /* added last */
	double kb;   /* with that */
	double most; /* with any one before */
	size_t most_node;
	double second; /* with any but that one, before */
};

struct talkers {
	struct talker *at; /* a power of two of places, half of them free at least */
	size_t n, cap;
};

struct talkers *talkers_new(void)
{
	return calloc(1, sizeof(struct talkers));
}

void talkers_free(struct talkers *t)
{
	if (t)
		free(t->at);
	free(t);
}

void talkers_clear(struct talkers *t)
{
	if (t->n)
		memset(t->at, 0, t->cap * sizeof(*t->at));
	t->n = 0;
}

/* FNV-1a. */
static uint32_t hash_of(int32_t group, const char *addr)
{
	uint32_t h = 2166136261U ^ (uint32_t)group;

	for (; *addr; addr++)
		h = (h ^ (unsigned char)*addr) * 16777619U;
	return h;
}

/* Where it is, or a free place. */
static struct talker *place(const struct talkers *t, int32_t group, const char *addr, uint32_t hash)
{
	size_t i = hash & (t->cap - 1);

	while (t->at[i].addr && (t->at[i].hash != hash || t->at[i].group != group ||
				 strcmp(t->at[i].addr, addr) != 0))
		i = (i + 1) & (t->cap - 1);
	return &t->at[i];
}

static int widen(struct talkers *t)
{
	struct talkers more = {.n = t->n, .cap = t->cap ? 2 * t->cap : 256};

	if (2 * (t->n + 1) <= t->cap)
		return 0;
	more.at = calloc(more.cap, sizeof(*more.at));
	if (!more.at)
		return -ENOMEM;
	for (size_t i = 0; i < t->cap; i++)
		if (t->at[i].addr)
			*place(&more, t->at[i].group, t->at[i].addr, t->at[i].hash) = t->at[i];
	free(t->at);
	*t = more;
	return 0;
}

static void turn_to(struct talker *x, size_t node)
{
	if (x->kb > x->most) {
		x->second = x->most;
		x->most = x->kb;
		x->most_node = x->node;
	} else if (x->kb > x->second) {
		x->second = x->kb;
	}
	x->node = node;
	x->kb = 0;
}

int talkers_add(struct talkers *t, size_t node, int32_t group, const struct interval *h)
{
	for (size_t k = 0; k < h->n_remotes; k++) {
		const char *addr = h->remotes[k].addr;
		uint32_t hash = hash_of(group, addr);
		struct talker *x;

		if (widen(t))
			return -ENOMEM;
		x = place(t, group, addr, hash);
		if (!x->addr) {
			*x = (struct talker){
				.addr = addr, .group = group, .hash = hash, .node = node};
			t->n++;
		}
		if (x->node != node)
			turn_to(x, node);
		x->kb += talker_kb(&h->remotes[k]);
	}
	return 0;
}

bool talkers_lone(const struct talkers *t, size_t node, int32_t group,
		  const struct interval_remote *r)
{
	const struct talker *x;
	double here = 0, elsewhere = 0;

	if (!t->n)
		return false;
	x = place(t, group, r->addr, hash_of(group, r->addr));
	if (!x->addr)
		return false;
	if (x->node == node)
		here = x->kb;
	else
		elsewhere = x->kb;
	if (x->most > 0 && x->most_node == node) {
		here = fmax(here, x->most);
		elsewhere = fmax(elsewhere, x->second);
	} else {
		elsewhere = fmax(elsewhere, x->most);
	}
	return talker_is_lone(r->addr, here, elsewhere);
}
