// SPDX-License-Identifier: BSD-2-Clause
/* Totals by server and address, and which of them are two ends of one connection. */
#include "addresses.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/map.h"
#include "userspace/common/sort.h"

/*
 * LEAST_KB, each way: two totals of that size that fit are no chance. They fit within APART_KB and APART_SHARE: the two ends are
 * read up to a second apart, so that what crosses meanwhile is in one only. Measured on servers of a Hadoop at work: 0.24 % of
 * 13 MB at most between the ends of one connection, 1.5 % and more between any others. FARTHER times that may nothing else be.
 * LINKS: with as many addresses, maps and what is looked for among them they take 350 MB; of more nothing is known.
 * ALIKE: more of nearly one size are not told apart. FORGOTTEN_KB: who has said less lately is no more known.
 */
#define LEAST_KB     4096
#define APART_KB     64
#define APART_SHARE  0.002
#define FARTHER	     3
#define FORGOTTEN_KB 1
enum { LINKS = 1 << 21, ALIKE = 1000, FIRST_LOOK = 4 };
/* Looks are no further apart; from then on totals forget by half, so that a second that was missed once does not part two ends
 * for ever. */
enum { APART_INTERVALS = 900 };

struct address {
	char name[INSTANCE_LEN];
	int32_t group;
	size_t owner;
	size_t links; /* large ones, of servers that know it */
};

/* What a server said to an address, and heard. */
struct link {
	uint32_t node, address;
	double tx_kb, rx_kb;
};

struct addresses {
	struct address *at;
	size_t n;
	struct link *links;
	size_t n_links;
	struct map by_name, by_link;
	size_t intervals, next; /* at which it is found out again */
};

struct addresses *addresses_new(void)
{
	struct addresses *t = calloc(1, sizeof(*t));

	if (t)
		t->next = FIRST_LOOK;
	return t;
}

void addresses_free(struct addresses *t)
{
	if (!t)
		return;
	free(t->at);
	free(t->links);
	map_release(&t->by_name);
	map_release(&t->by_link);
	free(t);
}

static uint64_t hash_name(int32_t group, const char *name)
{
	return map_hash_after((uint32_t)group, name, strlen(name));
}

static uint64_t hash_link(uint32_t node, uint32_t address)
{
	return map_hash_number((uint64_t)node << 32 | address);
}

static size_t address_find(const struct addresses *t, int32_t group, const char *name)
{
	return map_find(i, &t->by_name, hash_name(group, name),
			t->at[i].group == group && !strcmp(t->at[i].name, name));
}

static struct address *address_add(struct addresses *t, int32_t group, const char *name)
{
	struct address *x =
		map_append(&t->by_name, hash_name(group, name), array_add(&t->at, &t->n), &t->n);

	if (!x)
		return NULL;
	memcpy(x->name, name, strlen(name) + 1);
	x->group = group;
	x->owner = SIZE_MAX;
	return x;
}

/* The link of a server with an address, found or added. 0, -ENOMEM, or -E2BIG: there are too many. */
static int link_get(struct addresses *t, uint32_t node, int32_t group, const char *name,
		    struct link **link)
{
	size_t address = address_find(t, group, name), at;
	uint64_t hash;
	struct link *l;

	if (address == MAP_NONE) {
		address = t->n;
		if (address == LINKS)
			return -E2BIG;
		if (!address_add(t, group, name))
			return -ENOMEM;
	}
	hash = hash_link(node, (uint32_t)address);
	at = map_find(i, &t->by_link, hash,
		      t->links[i].node == node && t->links[i].address == address);
	if (at != MAP_NONE) {
		*link = &t->links[at];
		return 0;
	}
	if (t->n_links == LINKS)
		return -E2BIG;
	l = map_append(&t->by_link, hash, array_add(&t->links, &t->n_links), &t->n_links);
	if (!l)
		return -ENOMEM;
	*l = (struct link){.node = node, .address = (uint32_t)address};
	*link = l;
	return 0;
}

int addresses_add(struct addresses *t, size_t node, int32_t group, const struct interval *h)
{
	for (size_t k = 0; k < h->n_remotes; k++) {
		const struct interval_remote *r = &h->remotes[k];
		struct link *l;
		int err;

		/* '(': many together are no host */
		if (*r->addr == '(' || !(r->tx_kb > 0 || r->rx_kb > 0))
			continue;
		err = link_get(t, (uint32_t)node, group, r->addr, &l);
		if (err == -ENOMEM)
			return err;
		if (err)
			continue;
		l->tx_kb += isfinite(r->tx_kb) ? r->tx_kb : 0;
		l->rx_kb += isfinite(r->rx_kb) ? r->rx_kb : 0;
	}
	return 0;
}

/* ---- whose is what ----------------------------------------------------------------------------------*/

/* A large link, and what is to be looked for at the other end. */
struct large {
	struct link l;
	int32_t group;
};

/* A server that an address may belong to, by one of its peers. */
struct address_vote {
	uint32_t address, node;
};

COMPARISON(by_received, struct large,
	   ORDER(a->group, b->group) ?: ORDER(a->l.rx_kb, b->l.rx_kb)
		   ?: ORDER(a->l.node, b->l.node) ?: ORDER(a->l.address, b->l.address))

COMPARISON(by_address, struct address_vote,
	   ORDER(a->address, b->address) ?: ORDER(a->node, b->node))

static double apart(double kb)
{
	return APART_KB + APART_SHARE * kb;
}

/* How far two links are from being one seen from both ends: 1 is as far as that may be. */
static double distance(const struct link *a, const struct link *b)
{
	return fmax(fabs(a->tx_kb - b->rx_kb) / apart(a->tx_kb),
		    fabs(a->rx_kb - b->tx_kb) / apart(a->rx_kb));
}

/* The only one that is the other end of x; NULL: there is none, or what is nearly one, too. */
static const struct link *other_end(const struct large *at, size_t n, const struct large *x)
{
	double low = x->l.tx_kb - FARTHER * apart(x->l.tx_kb),
	       high = x->l.tx_kb + FARTHER * apart(x->l.tx_kb);
	const struct link *found = NULL;
	size_t first = search_first(
		i, n, at[i].group < x->group || (at[i].group == x->group && at[i].l.rx_kb < low));

	for (size_t i = first; i < n && at[i].group == x->group && at[i].l.rx_kb <= high; i++) {
		const struct link *l = &at[i].l;

		if (i - first == ALIKE)
			return NULL;
		if (l->node == x->l.node || l->address == x->l.address ||
		    distance(&x->l, l) > FARTHER)
			continue;
		if (found)
			return NULL;
		found = l;
	}
	return found && distance(&x->l, found) <= 1 ? found : NULL;
}

/* An address is a server's by two peers, and by half of those that know it well; no other has as many. */
static void decide(struct addresses *t, const struct address_vote *v, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		struct address *x = &t->at[v[i].address];
		size_t most = 0, of = 0, node = SIZE_MAX;

		for (end = i; end < n && v[end].address == v[i].address; end++) {
			of = end > i && v[end].node == v[end - 1].node ? of + 1 : 1;
			if (of > most) {
				most = of;
				node = v[end].node;
			}
		}
		if (most >= 2 && 2 * most > end - i && 2 * most >= x->links)
			x->owner = node;
	}
}

static int find_out(struct addresses *t)
{
	struct large *at = calloc(t->n_links + 1, sizeof(*at));
	struct address_vote *v = calloc(t->n_links + 1, sizeof(*v));
	size_t n = 0, votes = 0;
	int err = at && v ? 0 : -ENOMEM;

	for (size_t i = 0; i < t->n; i++)
		t->at[i].owner = SIZE_MAX, t->at[i].links = 0;
	for (size_t i = 0; i < t->n_links && !err; i++)
		if (t->links[i].tx_kb >= LEAST_KB && t->links[i].rx_kb >= LEAST_KB)
			at[n++] = (struct large){t->links[i], t->at[t->links[i].address].group};
	sort(at, n, by_received);
	for (size_t i = 0; i < n; i++) {
		const struct link *end = other_end(at, n, &at[i]);

		t->at[at[i].l.address].links++;
		if (end)
			v[votes++] = (struct address_vote){at[i].l.address, end->node};
	}
	sort(v, votes, by_address);
	if (!err)
		decide(t, v, votes);
	free(at);
	free(v);
	return err;
}

/* Clients come and go: links that say next to nothing any more go, and addresses that have none. 0 or -ENOMEM. */
static int forget_half(struct addresses *t)
{
	uint32_t *now = calloc(t->n + 1, sizeof(*now));
	size_t links = 0, kept = 0;

	if (!now)
		return -ENOMEM;
	for (size_t i = 0; i < t->n_links; i++) {
		struct link l = t->links[i];

		l.tx_kb /= 2;
		l.rx_kb /= 2;
		if (l.tx_kb + l.rx_kb < FORGOTTEN_KB)
			continue;
		now[l.address] = 1;
		t->links[links++] = l;
	}
	for (size_t i = 0; i < t->n; i++)
		if (now[i]) {
			now[i] = (uint32_t)kept;
			t->at[kept++] = t->at[i];
		}
	t->n = kept;
	t->n_links = links;
	map_clear(&t->by_name);
	map_clear(&t->by_link);
	for (size_t i = 0; i < kept; i++)
		map_add(&t->by_name, hash_name(t->at[i].group, t->at[i].name));
	for (size_t i = 0; i < links; i++) {
		struct link *l = &t->links[i];

		l->address = now[l->address];
		map_add(&t->by_link, hash_link(l->node, l->address));
	}
	free(now);
	return 0;
}

int addresses_settle(struct addresses *t)
{
	bool forget = t->intervals >= APART_INTERVALS;
	int err;

	if (++t->intervals < t->next)
		return 0;
	/* totals that are twice as large tell more; addresses of servers that stay do not change */
	t->next += forget ? APART_INTERVALS : t->intervals;
	err = find_out(t);
	if (!err && forget && t->n)
		err = forget_half(t);
	return err;
}

size_t addresses_count(const struct addresses *t)
{
	return t->n;
}

size_t addresses_owner(const struct addresses *t, int32_t group, const char *addr)
{
	size_t at = t ? address_find(t, group, addr) : MAP_NONE;

	return at == MAP_NONE ? SIZE_MAX : t->at[at].owner;
}
