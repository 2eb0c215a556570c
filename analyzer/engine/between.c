// SPDX-License-Identifier: BSD-2-Clause
/* Loss between servers, from both ends of each link. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "inside.h"
#include "userspace/common/sort.h"

/* Of this many links of a server with others one is left out, at least one: a link alone tells of neither end. */
enum { LEFT_OUT = 5 };

/* What one server counted with another: segments. */
struct end {
	size_t node, other;
	struct both_ends own, peer;
	double lost; /* at both ends, of what is looked at */
};

static double or_zero(double x)
{
	return isfinite(x) ? x : 0;
}

static int by_ends(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	return ORDER(x->node, y->node) ?: ORDER(x->other, y->other);
}

static int by_lost(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	return ORDER(y->lost, x->lost) ?: ORDER(x->other, y->other);
}

static void add(struct both_ends *to, const struct both_ends *x)
{
	to->retrans += x->retrans;
	to->data_out += x->data_out;
	to->ooo += x->ooo;
	to->data_in += x->data_in;
}

/* The ends of all servers' links with each other, in order; of a server with several addresses one end. */
static size_t gather(const struct robust *r, struct end *at)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < r->n_nodes; i++) {
		const struct interval *h = node_interval(r, i, 0);

		for (size_t k = 0; h && k < h->n_remotes; k++) {
			const struct interval_remote *x = &h->remotes[k];
			size_t other = addresses_owner(r->addresses, r->nodes[i].group, x->addr);

			if (other == SIZE_MAX || other == i)
				continue;
			at[n++] = (struct end){.node = i,
					       .other = other,
					       .own = {true, or_zero(x->retrans),
						       or_zero(x->data_out), or_zero(x->ooo),
						       or_zero(x->data_in)}};
		}
	}
	sort(at, n, by_ends);
	for (size_t i = 0; i < n; i++) {
		if (kept && !by_ends(&at[kept - 1], &at[i]))
			add(&at[kept - 1].own, &at[i].own);
		else
			at[kept++] = at[i];
	}
	return kept;
}

static void meet(struct end *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct end key = {.node = at[i].other, .other = at[i].node};
		const struct end *peer = search(&key, at, n, by_ends);

		if (peer)
			at[i].peer = peer->own;
	}
}

/* One server's n ends, without the worst. Its segments sent again and its peers' to it are added up; so are its segments out of
 * order and its peers' from it. */
static void sum(struct end *at, size_t n, struct both_ends *to)
{
	size_t out = (n + LEFT_OUT - 1) / LEFT_OUT;

	to->any = true;
	for (size_t i = 0; i < n; i++)
		at[i].lost = at[i].own.retrans + at[i].peer.retrans;
	sort(at, n, by_lost);
	for (size_t i = 0; i < n; i++) {
		to->retrans += i < out ? -at[i].own.retrans : at[i].peer.retrans;
		to->data_out += i < out ? -at[i].own.data_out : at[i].peer.data_out;
		at[i].lost = at[i].own.ooo;
	}
	sort(at, n, by_lost);
	for (size_t i = 0; i < out; i++) {
		to->ooo -= at[i].own.ooo;
		to->data_in -= at[i].own.data_in;
	}
}

int between_servers(struct robust *r)
{
	struct end *at;
	size_t most = 0, n;
	int err = 0;

	for (size_t i = 0; i < r->n_nodes && !err; i++) {
		const struct interval *h = node_interval(r, i, 0);

		*node_ends(r, i, 0) = (struct both_ends){0};
		most += h ? h->n_remotes : 0;
		if (h && r->nodes[i].group >= 0)
			err = addresses_add(r->addresses, i, r->nodes[i].group, h);
	}
	err = err ? err : addresses_settle(r->addresses);
	at = err ? NULL : calloc(most + 1, sizeof(*at));
	if (!at)
		return err ? err : -ENOMEM;
	n = gather(r, at);
	meet(at, n);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && at[end].node == at[i].node; end++)
			;
		sum(at + i, end - i, node_ends(r, at[i].node, 0));
	}
	free(at);
	return 0;
}
