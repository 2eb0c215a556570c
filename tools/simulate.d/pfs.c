// SPDX-License-Identifier: BSD-2-Clause
/* A parallel file system, second by second: clients, servers, and the network of queues. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "server.h"
#include "tcp.h"

struct cluster {
	const struct setup *s;
	unsigned int nodes, root; /* root: the server of "/", or nodes if that is not recorded */
	struct server *servers;
	struct visit *visits;
	struct client *clients;
	struct ar1 demand, weather;
	double per_client; /* rounds of each in the second before */
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
	ar1_init(&c->demand, stream(s->seed, FOR_COMMON, 0), 0.9, 0.04 * s->noise);
	ar1_init(&c->weather, stream(s->seed, FOR_COMMON, 1), 0.8, 0.3 * s->noise);
	return 0;
}

static void cluster_release(struct cluster *c)
{
	free(c->servers);
	free(c->visits);
	free(c->clients);
}

/* Shares of the load add up to the number of servers that are asked. */
static void balance(struct visit *v, unsigned int n, unsigned int asked)
{
	double sum = 0;

	for (unsigned int i = 0; i < n; i++)
		sum += v[i].ratio;
	for (unsigned int i = 0; i < n && sum > 0; i++)
		v[i].ratio *= asked / sum;
}

/* A server that answers nothing: every client soon waits for it, until it gives it up and goes on with
 * those that are left. Returns how many are asked, 0: all wait. */
static unsigned int without_hung(struct cluster *c, unsigned int t)
{
	const struct setup *s = c->s;
	unsigned int asked = s->servers;

	/* With files of its own nobody waits for it but who does already. */
	if (s->habits.layout == LAYOUT_FILE) {
		for (unsigned int i = 0; i < s->servers; i++)
			if (c->servers[i].effect.hang > 0)
				c->visits[i].ratio = 0;
		return asked;
	}

	for (unsigned int i = 0; i < s->servers; i++) {
		if (!(c->servers[i].effect.hang > 0))
			continue;
		if (fault_since(s, t) < GIVE_UP_S)
			return 0;
		c->visits[i].ratio = 0;
		asked--;
	}
	return asked;
}

/* The client whose packets are lost goes at the pace of its lossy connections, and the others do what
 * it leaves. Sets its share of the traffic and takes its part of the requests off. */
static void lossy_client(struct cluster *c, struct moment *m, struct phase *mix)
{
	double p = c->servers[0].effect.client_loss, wants = c->per_client * mix->size_kb, pace = 1;

	if (!(p > 0) || m->working < 2)
		return;
	if (wants > 0)
		pace = fmin(1, tcp_rate_kb(p, RTT_S) / wants);
	m->lossy = pace / (m->working - 1 + pace);
	mix->window *= (m->working - 1 + pace) / m->working;
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

/* Rounds per second: requests over all servers, which those that wait for one of them pace; or each
 * server's own requests, at the pace of its own answers. What comes out is the mean rate, and visits that
 * are of the servers' own rates: all that follows is alike for both. */
static double solve(struct cluster *c, const struct moment *m, double window)
{
	const struct setup *s = c->s;
	/* A client has one interface for both ways. */
	double request_s = m->working ? (m->mix->size_kb + 0.3) / NIC_KB_S : 0, n = s->servers,
	       channels = fmax(1, m->working), sum = 0;

	if (s->habits.layout == LAYOUT_STRIPE)
		return queue_solve(c->visits, s->servers, window, channels, n * request_s,
				   n * m->mix->think_s);
	for (unsigned int i = 0; i < s->servers; i++) {
		struct visit own = c->visits[i];

		/* so many as this server's share has tokens, and of the clients' interfaces a part */
		own.ratio = 1;
		c->visits[i].ratio = c->visits[i].ratio > 0
					     ? queue_solve(&own, 1, window * c->visits[i].ratio / n,
							   channels / n, request_s, m->mix->think_s)
					     : 0;
		sum += c->visits[i].ratio;
	}
	for (unsigned int i = 0; i < s->servers && sum > 0; i++)
		c->visits[i].ratio *= n / sum;
	return sum / n;
}

/* The load's rhythm: least at midnight, most at noon. */
static double day(const struct setup *s, unsigned int t)
{
	if (!(s->habits.daily > 0))
		return 1;
	return exp(-s->habits.daily * cos(2 * M_PI * (s->day_s + t) / 86400));
}

static void one_second(struct cluster *c, struct run *r, unsigned int t)
{
	const struct setup *s = c->s;
	double demand = ar1_factor(&c->demand), shared_s;
	unsigned int asked;
	struct phase mix;
	struct moment m = {.mix = &mix, .clients = s->clients, .servers = s->servers};

	m.weather = ar1_factor(&c->weather);
	m.working = clients_second(c->clients, s->clients, s->workload, t, &mix);
	for (unsigned int i = 0; i < c->nodes; i++) {
		c->servers[i].effect = fault_effect(s, i, t);
		server_demand(&c->servers[i], &s->habits, &mix, &c->visits[i]);
	}
	asked = without_hung(c, t);
	balance(c->visits, s->servers, asked ? asked : s->servers);
	lossy_client(c, &m, &mix);
	if (!asked)
		mix.window = 0;
	if (s->mds)
		c->visits[s->servers] = (struct visit){0};
	/* A round is a request to every server. A client has one interface for both ways. */
	shared_s = s->servers * (mix.size_kb + 0.3) / NIC_KB_S;
	m.rounds = solve(c, &m, mix.window * demand * day(s, t));
	c->per_client = m.working ? m.rounds / m.working : 0;
	m.lookups = m.rounds * s->servers * mix.root;
	m.client_load = m.working ? m.rounds * shared_s / m.working : 0;
	find_slowest(&m, c);
	for (unsigned int i = 0; i < c->nodes; i++) {
		float *total = run_at(r, i, t);
		bool root = i == c->root && !(c->servers[i].effect.hang > 0);

		server_disk(&c->servers[i], &m, &c->visits[i], total);
		server_net(&c->servers[i], &m, &c->visits[i], root, total);
		server_host(&c->servers[i], &m, &c->visits[i], root, t, total);
		total[T_UNREAD] =
			(float)server_unread(&c->servers[i], &m, &c->visits[i], fault_since(s, t));
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
