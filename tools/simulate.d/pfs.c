// SPDX-License-Identifier: BSD-2-Clause
/* A parallel file system, second by second: clients, servers, and the network of queues. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "server.h"

struct cluster {
	const struct setup *s;
	unsigned int nodes, root; /* root: the server of "/", or nodes if that is not recorded */
	struct server *servers;
	struct visit *visits;
	struct client *clients;
	struct ar1 demand, weather;
};

static int cluster_init(struct cluster *c, const struct setup *s)
{
	struct rng choice = stream(s->cluster_seed, FOR_CHOICE, 0);

	*c = (struct cluster){.s = s, .nodes = setup_nodes(s)};
	c->servers = calloc(c->nodes, sizeof(*c->servers));
	c->visits = calloc(c->nodes, sizeof(*c->visits));
	c->clients = calloc(s->clients, sizeof(*c->clients));
	if (!c->servers || !c->visits || !c->clients)
		return -ENOMEM;
	c->root = s->lustre ? s->servers : (unsigned int)rng_below(&choice, s->servers);
	for (unsigned int i = 0; i < c->nodes; i++)
		server_init(&c->servers[i], s, i);
	for (unsigned int i = 0; i < s->clients; i++)
		client_init(&c->clients[i], stream(s->seed, FOR_CLIENT, i));
	ar1_init(&c->demand, stream(s->seed, FOR_COMMON, 0), 0.9, 0.04);
	ar1_init(&c->weather, stream(s->seed, FOR_COMMON, 1), 0.8, 0.3);
	return 0;
}

static void cluster_release(struct cluster *c)
{
	free(c->servers);
	free(c->visits);
	free(c->clients);
}

/* Shares of the load add up to the number of servers. */
static void balance(struct visit *v, unsigned int n)
{
	double sum = 0;

	for (unsigned int i = 0; i < n; i++)
		sum += v[i].ratio;
	for (unsigned int i = 0; i < n; i++)
		v[i].ratio *= n / sum;
}

/* Which server holds how much of all that waits at servers. */
static void find_slowest(struct moment *m, const struct cluster *c)
{
	double sum = 0, most = 0, n = c->s->servers;

	for (unsigned int i = 0; i < c->s->servers; i++) {
		const struct visit *v = &c->visits[i];
		double here = 0;

		for (int k = 0; k < STATIONS; k++)
			here += queue_length(m->rounds * v->ratio * v->demand[k]);
		sum += here;
		if (here > most) {
			most = here;
			m->slowest = &c->servers[i];
		}
	}
	m->dominance = sum > 0 && n > 1 ? fmax(0, (most / sum - 1 / n) / (1 - 1 / n)) : 0;
}

static void one_second(struct cluster *c, struct run *r, unsigned int t)
{
	const struct setup *s = c->s;
	double demand = ar1_factor(&c->demand), shared_s;
	struct phase mix;
	struct moment m = {.mix = &mix, .clients = s->clients, .servers = s->servers};

	m.weather = ar1_factor(&c->weather);
	m.working = clients_second(c->clients, s->clients, s->workload, t, &mix);
	for (unsigned int i = 0; i < c->nodes; i++) {
		c->servers[i].effect = fault_effect(s, i, t);
		server_demand(&c->servers[i], &mix, &c->visits[i]);
	}
	balance(c->visits, s->servers);
	if (s->mds)
		c->visits[s->servers] = (struct visit){0};
	/* A round is a request to every server. A client has one interface for both ways. */
	shared_s = s->servers * (mix.size_kb + 0.3) / NIC_KB_S;
	m.rounds = queue_solve(c->visits, s->servers, mix.window * demand, fmax(1, m.working),
			       m.working ? shared_s : 0, s->servers * mix.think_s);
	m.lookups = m.rounds * s->servers * mix.root;
	m.client_load = m.working ? m.rounds * shared_s / m.working : 0;
	find_slowest(&m, c);
	for (unsigned int i = 0; i < c->nodes; i++) {
		float *total = run_at(r, i, t);

		server_disk(&c->servers[i], &m, &c->visits[i], total);
		server_net(&c->servers[i], &m, &c->visits[i], i == c->root, total);
		server_host(&c->servers[i], &m, &c->visits[i], i == c->root, t, total);
	}
}

int pfs_simulate(const struct setup *s, struct run *r)
{
	struct cluster c;
	int err = cluster_init(&c, s);

	for (unsigned int t = 0; !err && t < s->seconds; t++)
		one_second(&c, r, t);
	cluster_release(&c);
	return err;
}
