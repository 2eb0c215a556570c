// SPDX-License-Identifier: BSD-2-Clause
/*
 * Whose loss it is. A lossy connection has two ends, and both see it: the matrix of servers and remote
 * hosts tells. A row of lossy connections is the server's, a column is the remote host's, a single one
 * may be of either. Where the remote host is one of the servers it is of the one that loses with more of the others.
 */
#include "rules_parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/sort.h"

/* Lost of what is sent; displaced of what is received; sent again for what is received. */
enum side { SEND, RECV, UNHEARD };

/*
 * data: segments in which a share can be seen at all: of 100, one lost is 1 %.
 * events: fewer lost ones are chance whatever their share.
 * floor, times: a connection is lossy if it loses more than `times` what the least lossy quarter of all
 * connections does, plus `floor`. A quarter and not the median: with two clients of which one is lossy,
 * half of all connections are. Congestion that all share raises the quarter, so that nobody is lossy.
 * floor 0.2 %: twice what a healthy network loses now and then; of what is received more, as a request
 * is answered by many segments, any of which may be lost (see the signals' own floors).
 * chance: by so many standard deviations more than that, since what is lost are counts. The root of a count
 * has a deviation of a half, whatever the count. 2.33: one connection in a hundred.
 * noticed: a remote host that is lossy is worth a notice from here on: with 1 % lost throughput has fallen by more
 * than half within a millisecond of round trip. Clients do different work, unlike servers: of answers of one
 * segment to a client that writes, 0.1 to 0.4 % are sent again and none was lost (a tail loss probe, when the
 * acknowledgement waits behind what the client sends), of bulk data to one that reads 0.03 %.
 */
static const struct {
	double data, per_second, events, floor[3], times, chance, noticed;
} enough = {100, 1, 5, {0.002, 0.002, 0.003}, 3, 2.33, 0.01};

static double lost(const struct interval_remote *r, enum side side)
{
	return side == RECV ? r->ooo : r->retrans;
}

static double data(const struct interval_remote *r, enum side side)
{
	return side == SEND ? r->data_out : r->data_in;
}

static bool carries(const struct interval_remote *r, unsigned int seconds, enum side side)
{
	return isfinite(lost(r, side)) &&
	       data(r, side) >= fmax(enough.data, enough.per_second * seconds);
}

static double rate(const struct interval_remote *r, enum side side)
{
	return lost(r, side) / data(r, side);
}

/* The lower quartile of all connections' rates in the group; 0 of none. */
static int quarter(const struct scene *s, int32_t group, enum side side, double *q)
{
	size_t n = 0, most = 0;
	double *x;

	for (size_t i = 0; i < s->n_nodes; i++)
		most += s->nodes[i].now.n_remotes;
	x = calloc(most + 1, sizeof(*x));
	if (!x)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_nodes; i++) {
		const struct interval *h = &s->nodes[i].now;

		for (size_t k = 0; k < h->n_remotes && s->nodes[i].group == group; k++)
			if (carries(&h->remotes[k], h->seconds, side))
				x[n++] = rate(&h->remotes[k], side);
	}
	sort(x, n, by_double);
	*q = n ? x[(n - 1) / 4] : 0;
	free(x);
	return 0;
}

static bool lossy(const struct interval_remote *r, unsigned int seconds, enum side side,
		  double usual)
{
	double k = lost(r, side),
	       most = (enough.times * usual + enough.floor[side]) * data(r, side);

	return carries(r, seconds, side) && k >= enough.events &&
	       sqrt(k) - sqrt(most) > enough.chance / 2;
}

static int by_addr(const void *addr, const void *r)
{
	return strcmp(addr, ((const struct interval_remote *)r)->addr);
}

static const struct interval_remote *remote_of(const struct interval *h, const char *addr)
{
	return h->n_remotes ? search(addr, h->remotes, h->n_remotes, by_addr) : NULL;
}

bool links_lone(const struct scene *s, const struct scene_node *me, const struct interval_remote *r)
{
	double elsewhere = 0;
	size_t peers = 0;

	if (!talker_is_lone(r->addr, talker_kb(r), 0))
		return false;
	for (size_t i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->nodes[i];

		if (n == me || n->group != me->group || !n->now.seconds)
			continue;
		peers++;
		elsewhere = fmax(elsewhere, talker_kb(remote_of(&n->now, r->addr)));
	}
	return peers >= 2 && talker_is_lone(r->addr, talker_kb(r), elsewhere);
}

/* With how many servers of the group this remote host is lossy and loses a share of `least` or more, of those
 * it exchanges data with. */
static size_t servers_lossy(const struct scene *s, int32_t group, const char *addr, enum side side,
			    double usual, double least, size_t *carry)
{
	size_t n = 0;

	*carry = 0;
	for (size_t i = 0; i < s->n_nodes; i++) {
		const struct interval *h = &s->nodes[i].now;
		const struct interval_remote *r;

		if (s->nodes[i].group != group)
			continue;
		r = remote_of(h, addr);
		if (!r || !carries(r, h->seconds, side))
			continue;
		(*carry)++;
		n += lossy(r, h->seconds, side, usual) && rate(r, side) >= least;
	}
	return n;
}

/* Lossy with at least two servers and with more than half of its servers. */
static bool client_lossy(const struct scene *s, int32_t group, const char *addr, enum side side,
			 double usual)
{
	size_t carry, n = servers_lossy(s, group, addr, side, usual, 0, &carry);

	return n >= 2 && 2 * n > carry;
}

/* The server of the group that this remote host is; NULL: a client, or not known. */
static const struct scene_node *server_of(const struct scene *s, int32_t group, const char *addr)
{
	size_t i = addresses_owner(s->addresses, group, addr);

	return i < s->n_nodes ? &s->nodes[i] : NULL;
}

/* What is lost on the way out of one end comes to the other out of order, and the other way round. */
static enum side seen_there(enum side side)
{
	return side == SEND ? RECV : SEND;
}

/* The other server's end of a connection of `me` with it; NULL: it has said nothing of it. */
static const struct interval_remote *far_end(const struct scene *s, const struct scene_node *me,
					     const struct scene_node *other)
{
	for (size_t k = 0; k < other->now.n_remotes; k++)
		if (server_of(s, other->group, other->now.remotes[k].addr) == me)
			return &other->now.remotes[k];
	return NULL;
}

/* Whether a connection between servers loses on this side of `me`, as either end sees it. usual: by side. */
static bool link_lossy(const struct scene *s, const struct scene_node *me,
		       const struct interval_remote *r, const struct scene_node *other,
		       enum side side, const double *usual)
{
	const struct interval_remote *far;
	enum side there = seen_there(side);

	if (side == UNHEARD || lossy(r, me->now.seconds, side, usual[side]))
		return lossy(r, me->now.seconds, side, usual[side]);
	far = far_end(s, me, other);
	return far && lossy(far, other->now.seconds, there, usual[there]);
}

/* Whether what `me` sends comes to the other server out of order. */
static bool heard(const struct scene *s, const struct scene_node *me,
		  const struct scene_node *other, const double *usual)
{
	const struct interval_remote *far = other ? far_end(s, me, other) : NULL;

	return far && lossy(far, other->now.seconds, RECV, usual[RECV]);
}

/* With which share of the other servers one loses. */
static double servers_share(const struct scene *s, const struct scene_node *n, enum side side,
			    const double *usual)
{
	size_t all = 0, bad = 0;

	for (size_t k = 0; k < n->now.n_remotes; k++) {
		const struct interval_remote *r = &n->now.remotes[k];
		const struct scene_node *other = server_of(s, n->group, r->addr);

		if (!other || other == n || !carries(r, n->now.seconds, side))
			continue;
		all++;
		bad += link_lossy(s, n, r, other, side, usual);
	}
	return all ? (double)bad / (double)all : 0;
}

static enum link_verdict verdict(const struct link_side *l, size_t clients, size_t carry)
{
	if (l->lossy >= 2 && 2 * l->lossy > l->carry)
		return LINK_NODE;
	if (l->lossy == 1)
		return carry == 1 ? LINK_ONLY : LINK_ONE;
	if (l->lossy)
		return LINK_ONE;
	if (clients)
		return LINK_CLIENT;
	return carry ? LINK_CLEAN : LINK_UNKNOWN;
}

/* Whose a lossy connection of `me` is, which loses with a share `own` of the other servers. */
enum blame { BLAME_ME, BLAME_CLIENT, BLAME_SERVER };

static enum blame blame(const struct scene *s, const struct scene_node *me,
			const struct interval_remote *r, const struct scene_node *other,
			enum side side, const double *usual, double own)
{
	enum side there = side == UNHEARD ? UNHEARD : seen_there(side);

	if (!other)
		return client_lossy(s, me->group, r->addr, side, usual[side]) ? BLAME_CLIENT
									      : BLAME_ME;
	return servers_share(s, other, there, usual) > own ? BLAME_SERVER : BLAME_ME;
}

static void judge_side(const struct scene *s, const struct scene_node *me, enum side side,
		       const double *usual, struct link_side *l)
{
	const struct interval *h = &me->now;
	double sum = 0, of = 0, own = servers_share(s, me, side, usual);
	size_t clients = 0, carry = 0;
	const char *client = NULL, *one = NULL;

	*l = (struct link_side){.rate = NAN, .usual = usual[side]};
	for (size_t k = 0; k < h->n_remotes; k++) {
		const struct interval_remote *r = &h->remotes[k];
		const struct scene_node *other = server_of(s, me->group, r->addr);
		enum blame whose = BLAME_ME;
		bool bad;

		if (other == me || !carries(r, h->seconds, side) || links_lone(s, me, r))
			continue;
		carry++;
		bad = other ? link_lossy(s, me, r, other, side, usual)
			    : lossy(r, h->seconds, side, usual[side]);
		if (bad)
			whose = blame(s, me, r, other, side, usual, own);
		if (whose == BLAME_CLIENT) {
			clients++;
			client = r->addr;
		}
		if (whose != BLAME_ME)
			continue;
		l->carry++;
		if (!bad)
			continue;
		l->lossy++;
		l->heard += side == SEND && heard(s, me, other, usual);
		one = r->addr;
		sum += lost(r, side);
		of += data(r, side);
	}
	if (of > 0)
		l->rate = sum / of;
	l->verdict = verdict(l, clients, carry);
	l->remote = one ? one : client;
}

int links_judge(const struct scene *s, const struct scene_node *me, struct links *l)
{
	double usual[3];
	int err = 0;

	for (int side = SEND; side <= UNHEARD && !err; side++)
		err = quarter(s, me->group, (enum side)side, &usual[side]);
	if (err)
		return err;
	judge_side(s, me, SEND, usual, &l->send);
	judge_side(s, me, RECV, usual, &l->recv);
	judge_side(s, me, UNHEARD, usual, &l->unheard);
	return 0;
}

/* What there is to say of a remote host that is lossy with most servers; false: it is not, or loses too
 * little to be worth a word. */
static bool client_notice(const struct scene *s, int32_t group, const char *addr,
			  const double usual[2], struct notice *r)
{
	for (int side = SEND; side <= RECV; side++) {
		size_t carry, n = servers_lossy(s, group, addr, (enum side)side, usual[side],
						enough.noticed, &carry);

		if (n < 2 || 2 * n <= carry)
			continue;
		*r = (struct notice){.kind = NOTICE_CLIENT,
				     .node = SIZE_MAX,
				     .direction = side == SEND ? DIRECTION_SEND : DIRECTION_RECEIVE,
				     .servers = n,
				     .of = carry};
		snprintf(r->host, sizeof(r->host), "%s", addr);
		return true;
	}
	return false;
}

static int both_quarters(const struct scene *s, int32_t group, double usual[2])
{
	int err = quarter(s, group, SEND, &usual[SEND]);

	return err ? err : quarter(s, group, RECV, &usual[RECV]);
}

bool links_client(const struct scene *s, const struct scene_node *me, const char *addr,
		  struct notice *r)
{
	double usual[2];

	return !both_quarters(s, me->group, usual) && client_notice(s, me->group, addr, usual, r);
}

static bool lossy_here(const struct scene_node *n, const struct interval_remote *r,
		       const double usual[2])
{
	return r && (lossy(r, n->now.seconds, SEND, usual[SEND]) ||
		     lossy(r, n->now.seconds, RECV, usual[RECV]));
}

/* Whether an earlier server of the group has been asked about this remote host. */
static bool asked(const struct scene *s, size_t node, const char *addr, const double usual[2])
{
	for (size_t i = 0; i < node; i++)
		if (s->nodes[i].group == s->nodes[node].group &&
		    lossy_here(&s->nodes[i], remote_of(&s->nodes[i].now, addr), usual))
			return true;
	return false;
}

int links_clients(const struct scene *s, int (*fn)(void *arg, const struct notice *r), void *arg)
{
	double usual[2] = {0, 0};
	int err = 0;

	for (size_t i = 0; i < s->n_nodes; i++) {
		const struct scene_node *me = &s->nodes[i];

		if (!i || me->group != s->nodes[i - 1].group)
			err = both_quarters(s, me->group, usual);
		for (size_t k = 0; k < me->now.n_remotes && !err; k++) {
			const char *addr = me->now.remotes[k].addr;
			struct notice r;

			if (lossy_here(me, &me->now.remotes[k], usual) &&
			    !server_of(s, me->group, addr) && !asked(s, i, addr, usual) &&
			    client_notice(s, me->group, addr, usual, &r))
				err = fn(arg, &r);
		}
		if (err)
			break;
	}
	return err;
}
