// SPDX-License-Identifier: BSD-2-Clause
/* Hosts by group and address, each with the two servers that exchange most with it. */
#include "talkers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/map.h"

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
	const char *addr;
	int32_t group;
	size_t node; /* added last */
	double kb;   /* with that */
	double most; /* with any one before */
	size_t most_node;
	double second; /* with any but that one, before */
};

struct talkers {
	struct talker *at;
	size_t n, room;
	struct map by_addr;
};

struct talkers *talkers_new(void)
{
	return calloc(1, sizeof(struct talkers));
}

void talkers_free(struct talkers *t)
{
	if (!t)
		return;
	free(t->at);
	map_release(&t->by_addr);
	free(t);
}

void talkers_clear(struct talkers *t)
{
	map_clear(&t->by_addr);
	t->n = 0;
}

static struct talker *talker_find(const struct talkers *t, int32_t group, const char *addr,
				  uint64_t hash)
{
	size_t at = map_find(i, &t->by_addr, hash,
			     t->at[i].group == group && !strcmp(t->at[i].addr, addr));

	return at == MAP_NONE ? NULL : &t->at[at];
}

static uint64_t talker_hash(int32_t group, const char *addr)
{
	return map_hash_after((uint32_t)group, addr, strlen(addr));
}

/* Found or added; NULL: out of memory. */
static struct talker *talker_get(struct talkers *t, int32_t group, const char *addr, size_t node)
{
	uint64_t hash = talker_hash(group, addr);
	struct talker *x = talker_find(t, group, addr, hash);

	if (x)
		return x;
	x = map_append(&t->by_addr, hash, array_refill(&t->at, &t->n, &t->room), &t->n);
	if (x)
		*x = (struct talker){.addr = addr, .group = group, .node = node};
	return x;
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
		struct talker *x = talker_get(t, group, h->remotes[k].addr, node);

		if (!x)
			return -ENOMEM;
		if (x->node != node)
			turn_to(x, node);
		x->kb += talker_kb(&h->remotes[k]);
	}
	return 0;
}

bool talkers_lone(const struct talkers *t, size_t node, int32_t group,
		  const struct interval_remote *r)
{
	const struct talker *x = talker_find(t, group, r->addr, talker_hash(group, r->addr));
	double here = 0, elsewhere = 0;

	if (!x)
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
