// SPDX-License-Identifier: BSD-2-Clause
/* Servers that are each other's clients: whose address is whose, and which of them loses. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/engine/robust.h"
#include "analyzer/signal/addresses.h"
#include "analyzer/stat/rng.h"

enum { N = 6, CLIENTS = 2, SECONDS = 4 };
#define T0 (1700000000LL * 1000000000)

/* What server i exchanges with server j is no round number, and in the long run another than with the next; its own end is
 * told in kb[i][j]. */
struct net {
	struct rng rng;
	double kb[N][N + CLIENTS];
	bool like_clients; /* all clients do the same with all servers, as much each way */
	double loss[N], busy;
	bool thin; /* one that loses sends, and gets, ten segments in an interval */
	bool pair; /* the first two copy to each other, and to no other server */
	struct interval at[N];
	struct interval_remote remotes[N][N + CLIENTS];
};

static void name_of(char *to, size_t i)
{
	snprintf(to, INSTANCE_LEN, i < N ? "10.1.0.%zu" : "10.2.0.%zu", i + 1);
}

/* The share of segments that is lost between two, either way. */
static double lost_between(const struct net *n, size_t i, size_t j)
{
	return fmax(n->loss[i], j < N ? n->loss[j] : 0);
}

static void interval(struct net *n, int64_t now)
{
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < N + CLIENTS; j++)
			n->kb[i][j] = n->like_clients ? 3000
						      : (500 + 4000 * rng_uniform(&n->rng)) *
								(1 + (double)(i + N * j) / N);
	for (size_t i = 0; i < 2 && n->pair; i++) {
		for (size_t j = 2; j < N; j++)
			n->kb[i][j] = n->kb[j][i] = 3;
		n->kb[i][1 - i] *= 8;
	}
	for (size_t i = 0; i < N; i++) {
		struct interval *h = &n->at[i];
		double out = 0, in = 0, again = 0, ooo = 0, tx_kb = 0, rx_kb = 0;

		*h = (struct interval){.from_ns = now,
				       .seconds = SECONDS,
				       .remotes = n->remotes[i],
				       .boots = 1,
				       .boot = {T0}};
		for (size_t j = 0; j < N + CLIENTS; j++) {
			struct interval_remote *r = &n->remotes[i][h->n_remotes];
			double p = lost_between(n, i, j), busy = n->busy * rng_uniform(&n->rng);

			if (i == j)
				continue;
			h->n_remotes++;
			*r = (struct interval_remote){.tx_kb = n->kb[i][j],
						      .rx_kb = n->like_clients ? 3000
							       : j < N	       ? n->kb[j][i]
									       : 700};
			name_of(r->addr, j);
			r->data_out = r->segs_out = n->thin && p > 0 ? 2 : r->tx_kb / 10;
			r->data_in = n->thin && p > 0 ? 2 : r->rx_kb / 10;
			r->retrans = floor((p + busy) * r->data_out);
			r->ooo = floor(4 * p * r->data_in);
			out += r->data_out, in += r->data_in, again += r->retrans, ooo += r->ooo;
			tx_kb += r->tx_kb, rx_kb += r->rx_kb;
		}
		h->acc[NA_TX_KB] = h->acc[NA_FS_TX_KB] = (struct acc){tx_kb, SECONDS};
		h->acc[NA_RX_KB] = h->acc[NA_FS_RX_KB] = (struct acc){rx_kb, SECONDS};
		h->acc[NA_SEGS_IN] = (struct acc){in, SECONDS};
		h->acc[NA_DATA_OUT] = (struct acc){out, SECONDS};
		h->acc[NA_SEGS_OUT] = (struct acc){out, SECONDS};
		h->acc[NA_DATA_IN] = (struct acc){in, SECONDS};
		h->acc[NA_RETRANS] = (struct acc){again, SECONDS};
		h->acc[NA_OOO] = (struct acc){ooo, SECONDS};
	}
}

static void each_has_its_own(void **state)
{
	struct addresses *t = addresses_new();
	struct net n = {0};
	char addr[INSTANCE_LEN];

	(void)state;
	rng_seed(&n.rng, 1);
	for (int k = 0; k < 8; k++) {
		interval(&n, T0);
		for (size_t i = 0; i < N; i++)
			assert_int_equal(addresses_add(t, i, 3, &n.at[i]), 0);
		assert_int_equal(addresses_settle(t), 0);
	}
	for (size_t i = 0; i < N + CLIENTS; i++) {
		name_of(addr, i);
		assert_int_equal(addresses_owner(t, 3, addr), i < N ? i : SIZE_MAX);
		assert_int_equal(addresses_owner(t, 2, addr), SIZE_MAX);
	}
	assert_int_equal(addresses_owner(t, 3, "10.9.9.9"), SIZE_MAX);
	assert_int_equal(addresses_owner(NULL, 3, "10.1.0.1"), SIZE_MAX);
	addresses_free(t);
}

/* Of a server that goes, and of clients that went before it, nothing stays; the others are still known after that. */
static void who_goes_is_forgotten(void **state)
{
	struct addresses *t = addresses_new();
	struct net n = {0};
	char addr[INSTANCE_LEN];

	(void)state;
	rng_seed(&n.rng, 2);
	for (int k = 0; k < 20000; k++) {
		interval(&n, T0);
		for (size_t i = k < 8 ? 0 : 1; i < N; i++) {
			struct interval *h = &n.at[i];

			if (k >= 8) { /* without the first server and the clients */
				h->remotes++;
				h->n_remotes = N - 2;
			}
			assert_int_equal(addresses_add(t, i, 3, h), 0);
		}
		assert_int_equal(addresses_settle(t), 0);
	}
	for (size_t i = 0; i < N + CLIENTS; i++) {
		name_of(addr, i);
		assert_int_equal(addresses_owner(t, 3, addr), i && i < N ? i : SIZE_MAX);
	}
	assert_int_equal(addresses_count(t), N - 1);
	addresses_free(t);
}

/* Clients of a striped file system do the same with each server: nothing tells which total is whose. */
static void alike_are_nobodys(void **state)
{
	struct addresses *t = addresses_new();
	struct net n = {.like_clients = true};
	char addr[INSTANCE_LEN];

	(void)state;
	for (int k = 0; k < 8; k++) {
		interval(&n, T0);
		for (size_t i = 0; i < N; i++)
			assert_int_equal(addresses_add(t, i, 0, &n.at[i]), 0);
		assert_int_equal(addresses_settle(t), 0);
	}
	for (size_t i = 0; i < N + CLIENTS; i++) {
		name_of(addr, i);
		assert_int_equal(addresses_owner(t, 0, addr), SIZE_MAX);
	}
	addresses_free(t);
}

static void judge(struct verdict *a, double loss, double busy, struct net later)
{
	struct robust_params p = ROBUST_PARAMS_DEFAULT;
	struct robust *r = robust_new(&p);
	struct net n = {.busy = busy};
	const struct interval *at[N];
	char name[8];

	rng_seed(&n.rng, 7);
	for (size_t i = 0; i < N; i++) {
		snprintf(name, sizeof(name), "s%zu", i);
		assert_int_equal(robust_node(r, name, 0), (int)i);
	}
	for (int k = 0; k < 40; k++) {
		n.loss[2] = k < 20 ? 0 : loss;
		n.thin = later.thin && k >= 20;
		n.pair = later.pair && k >= 20;
		interval(&n, T0 + k * SECONDS * 1000000000LL);
		for (size_t i = 0; i < N; i++)
			at[i] = &n.at[i];
		assert_int_equal(robust_push(r, T0 + k * SECONDS * 1000000000LL, at, N), 0);
	}
	assert_int_equal(robust_verdict(r, a), 0);
	robust_free(r);
}

/* A busy box sends a little again with everybody; a fifth of each peer's links loses because of one. */
static void one_loses_with_all(void **state)
{
	struct verdict a;

	(void)state;
	judge(&a, 0.05, 0.03, (struct net){0});
	assert_int_equal(a.n_incidents, 1);
	assert_int_equal(a.incidents[0].node, 2);
	assert_int_equal(a.incidents[0].cause, CAUSE_PACKET_LOSS);
	assert_int_equal(a.incidents[0].suspicion, SUSPICION_NONE);
	assert_int_equal(a.incidents[0].detail.direction, DIRECTION_BOTH);
	assert_int_equal(a.incidents[0].detail.lossy, N - 1 + CLIENTS);
	/* its address is no client's */
	assert_int_equal(a.n_notices, 0);
	verdict_release(&a);
}

static void busy_ones_are_well(void **state)
{
	struct verdict a;

	(void)state;
	judge(&a, 0, 0.03, (struct net){0});
	assert_int_equal(a.n_incidents, 0);
	assert_int_equal(a.n_notices, 0);
	verdict_release(&a);
}

/* Half of all is lost, so that hardly anything is sent: of ten segments an interval no interval tells. */
static void one_loses_half(void **state)
{
	struct verdict a;

	(void)state;
	judge(&a, 0.5, 0.03, (struct net){.thin = true});
	assert_int_equal(a.n_incidents, 1);
	assert_int_equal(a.incidents[0].node, 2);
	assert_int_equal(a.incidents[0].cause, CAUSE_PACKET_LOSS);
	verdict_release(&a);
}

/* A host that only one server knows is others', but not if it is a server itself. */
static void copies_are_the_file_systems_own(void **state)
{
	struct verdict a;

	(void)state;
	judge(&a, 0, 0, (struct net){.pair = true});
	assert_int_equal(a.n_incidents, 0);
	verdict_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_loses_half),
		cmocka_unit_test(each_has_its_own),
		cmocka_unit_test(who_goes_is_forgotten),
		cmocka_unit_test(alike_are_nobodys),
		cmocka_unit_test(copies_are_the_file_systems_own),
		cmocka_unit_test(one_loses_with_all),
		cmocka_unit_test(busy_ones_are_well),
	};

	return cmocka_run_group_tests_name("robust_between", tests, NULL, NULL);
}
