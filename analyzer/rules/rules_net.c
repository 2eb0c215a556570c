// SPDX-License-Identifier: BSD-2-Clause
/* Rules about the network: others' bytes, and loss, by side; the connections tell whose it is. */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/sort.h"

/* ---- connections: whose loss it is -------------------------------------------------------------- */

/*
 * Whose loss it is. A lossy connection has two ends, and both see it: the matrix of servers and remote
 * hosts tells. A row of lossy connections is the server's, a column is the remote host's, a single one
 * may be of either. Where the remote host is one of the servers it is of the one that loses with more of the others.
 */

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

/* Whether a remote host exchanges bytes with this server only: clients of a file system that is spread
 * over servers use all of them. Its traffic is others', whoever it is, but for that of another server, which is the
 * file system's own: copies go from one to the next. */
static bool links_lone(const struct scene *s, const struct scene_node *me,
		       const struct interval_remote *r)
{
	double elsewhere = 0;
	size_t peers = 0;

	if (!talker_is_lone(r->addr, talker_kb(r), 0) ||
	    addresses_owner(s->addresses, me->group, r->addr) != SIZE_MAX)
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
	return find_if(k, other->now.remotes, other->now.n_remotes,
		       server_of(s, other->group, other->now.remotes[k].addr) == me);
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

	*l = (struct link_side){.rate = NAN};
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

	return err ?: quarter(s, group, RECV, &usual[RECV]);
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
	return any_of(i, node,
		      s->nodes[i].group == s->nodes[node].group &&
			      lossy_here(&s->nodes[i], remote_of(&s->nodes[i].now, addr), usual));
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

/* ---- others' bytes ------------------------------------------------------------------------------ */

/* What is compared with here, and why. */

/* foreign network bytes of so many times the file system's own come before whatever is slow besides:
 * they are no noise, latency can be */
#define FLOOD 1
/* of traffic with a host that uses this server alone, the share that the file system's own disk bytes
 * grew by: it is a client's */
#define DEMAND 0.3
/* with loss, foreign bytes below this share of the file system's are its own segments sent again and
 * acknowledgements */
#define RESENT 0.25
/* a share of lost segments at which throughput has fallen by more than any disk that is slow by less
 * than the next: 1 % halves it within ms */
#define LOSS_SURE 0.01
#define DISK_SURE 2
/* of two directions the one that loses so many times more is the only one */
#define DIRECTION 4
/* a server whose congestion windows are this many times smaller than its peers' is losing what it sends:
 * 2.5 times measured at 0.1 %, and 1.2 where as much was sent again because requests and
 * acknowledgements were lost on the way in */
#define WINDOWS 1.6
/* segments that come out of order for each one lost: those of one congestion window under loss, 5
 * measured at 5 % */
#define OOO_PER_LOSS 5

/* A signal's value without what hosts exchange that this server alone knows: lone_kb() tells more of these. */
static double net_value(const struct interval *h, const void *arg)
{
	return value_of_node(*(const enum signal *)arg, h, (struct lone){0});
}

/* By direction: received, sent. */
static const enum signal foreign[] = {SIG_FOREIGN_RX, SIG_FOREIGN_TX},
			 sockets[] = {SIG_NET_RX, SIG_NET_TX};

/* Whether the file system's own disk work grew along with this traffic: then it is a client's, be it one
 * that uses this server alone. Who only fills the link makes no work for disks. */
static bool is_demand(const struct facts *f, double kb)
{
	double more = disk_own_kb(&f->me->now, "") - facts_or0(facts_peers(f, facts_own_kb, NULL));

	return kb > 0 && more >= DEMAND * kb;
}

/* What its peers exchange with the file system's clients and it does not, without `lone`. Clients that it
 * alone knows by these addresses (a second network, a gateway) are what is missing then. kB/s. */
static double missing_kb(const struct facts *f, bool tx, double lone)
{
	double shared = facts_or0(net_value(&f->me->now, &sockets[tx])) - lone;

	return fmax(0, facts_or0(facts_peers(f, net_value, &sockets[tx])) - fmax(0, shared));
}

/* The same from hosts that talk to this server only, over sockets taken for the file system's (a probe
 * that was told no ports takes all), kB/s. *who: the one with the most. */
static double lone_kb(const struct facts *f, bool tx, const struct interval_remote **who)
{
	const struct interval *h = &f->me->now;
	double sum = 0, most = 0;

	for (size_t k = 0; k < h->n_remotes; k++) {
		const struct interval_remote *r = &h->remotes[k];
		double kb = facts_or0(tx ? r->tx_kb : r->rx_kb);

		if (!links_lone(f->s, f->me, r))
			continue;
		sum += kb;
		if (who && kb > most) {
			most = kb;
			*who = r;
		}
	}
	sum = h->seconds ? sum / h->seconds : 0;
	sum = fmax(0, sum - missing_kb(f, tx, sum));
	return is_demand(f, sum) ? 0 : sum;
}

static double own_kb(const struct facts *f, bool tx)
{
	return fmax(0, facts_or0(net_value(&f->me->now, &sockets[tx])) - lone_kb(f, tx, NULL));
}

static const struct link_side *side_of(const struct facts *f, bool send)
{
	return send ? &f->links.send : &f->links.recv;
}

static bool blames(const struct link_side *l)
{
	return l->verdict == LINK_NODE || l->verdict == LINK_ONLY;
}

/* Others' bytes beyond the peers' (headers and acknowledgements are in both), kB/s; 0: not up, or what
 * loss makes of the file system's own. */
static double foreign_excess(const struct facts *f, bool tx)
{
	const enum signal *s = &foreign[tx];
	double excess;

	if (!facts_up(f, *s))
		return 0;
	excess = facts_or0(net_value(&f->me->now, s)) - facts_or0(facts_peers(f, net_value, s));
	excess += lone_kb(f, tx, NULL);
	if (blames(side_of(f, tx)) && excess < RESENT * own_kb(f, tx))
		return 0;
	return excess > signals[*s].floor ? excess : 0;
}

bool rule_network_hog(const struct facts *f)
{
	return (f->indicted & FOR_NETWORK_HOG) &&
	       (foreign_excess(f, false) > 0 || foreign_excess(f, true) > 0);
}

bool rule_flood(const struct facts *f)
{
	if (!rule_network_hog(f))
		return false;
	return foreign_excess(f, false) >= fmax(1024, FLOOD * own_kb(f, false)) ||
	       foreign_excess(f, true) >= fmax(1024, FLOOD * own_kb(f, true));
}

void tell_network_hog(const struct facts *f, struct incident *a)
{
	double rx = foreign_excess(f, false), tx = foreign_excess(f, true);
	/* What goes one way is acknowledged the other: 1/20 of the bytes at most. */
	bool in = rx * 10 >= tx, out = tx * 10 >= rx;
	const struct interval_process *p = culprit_newcomer(f);
	const struct interval_remote *who = NULL;

	a->culprit = (struct culprit){
		.share = NAN, .of = in ? SHARE_RECEIVED : SHARE_SENT, .remote = true};
	lone_kb(f, !in, &who);
	if (who) {
		double all = acc_mean(f->me->now.acc[in ? NA_RX_KB : NA_TX_KB]);

		snprintf(a->culprit.name, sizeof(a->culprit.name), "%s", who->addr);
		if (all > 0)
			a->culprit.share = fmin(1, (in ? who->rx_kb : who->tx_kb) /
							   (all * f->me->now.seconds));
	}
	a->detail = (struct detail){.kind = DETAIL_TRAFFIC,
				    .direction = in && out ? DIRECTION_BOTH
						 : in	   ? DIRECTION_RECEIVE
							   : DIRECTION_SEND,
				    .kb_s = in ? rx : tx,
				    .host_known = who != NULL};
	if (p && !who) {
		a->guess.kind = GUESS_PROCESS;
		snprintf(a->guess.process, sizeof(a->guess.process), "%s", p->name);
	}
}

/* ---- loss --------------------------------------------------------------------------------------- */

/*
 * Whether requests, and acknowledgements of what was answered, are lost on the way in. Where a request is one
 * segment nothing that arrives is out of order. All that shows is that answers are sent again that had
 * arrived: about as often as requests come and are lost, and the windows stay as they are, for TCP finds out
 * that it was not needed. What is lost on the way out makes them smaller. More is sent again than was
 * received: no loss of requests does that.
 */
static bool unheard(const struct facts *f)
{
	const struct link_side *l = &f->links.unheard;
	const enum signal windows = SIG_CWND;
	double shrunk = net_value(&f->me->now, &windows) / facts_peers(f, net_value, &windows);

	return facts_up(f, SIG_RETRANS_IN) && blames(l) && l->rate < 1 && shrunk < WINDOWS;
}

/* Which sides lose: what was worse than the peers', where the matrix of connections puts it here. */
static void sides(const struct facts *f, bool *send, bool *recv)
{
	const struct link_side *s = &f->links.send, *r = &f->links.recv;
	bool measured = isfinite(acc_mean(f->me->now.acc[NA_OOO]));

	*send = facts_up(f, SIG_RETRANS) && (blames(s) || s->verdict == LINK_UNKNOWN);
	*send |= blames(s) && 2 * s->heard > s->lossy;
	*recv = (facts_up(f, SIG_OOO) || facts_up(f, SIG_PURE_ACK)) && blames(r);
	*recv |= (facts_up(f, SIG_OOO) || (facts_up(f, SIG_PURE_ACK) && !measured)) &&
		 r->verdict == LINK_UNKNOWN;
	if (*send && *recv && isfinite(s->rate) && isfinite(r->rate)) {
		double lost = r->rate / OOO_PER_LOSS;

		if (lost >= DIRECTION * s->rate)
			*send = false;
		else if (s->rate >= DIRECTION * lost)
			*recv = false;
	}
	if (!*recv && unheard(f)) {
		*recv = true;
		*send = false;
	}
}

/* The side of the connections that tells of loss on the way in. */
static const struct link_side *recv_side(const struct facts *f)
{
	return blames(&f->links.recv) || !unheard(f) ? &f->links.recv : &f->links.unheard;
}

/* The share of what is received that is a lost segment's doing, for each one lost. */
static double seen_per_loss(const struct facts *f)
{
	return recv_side(f) == &f->links.recv ? OOO_PER_LOSS : 1;
}

bool rule_loss(const struct facts *f)
{
	bool send, recv;

	if (!(f->indicted & FOR_PACKET_LOSS))
		return false;
	sides(f, &send, &recv);
	/* a port that carries more than others drops more of it: that is its load */
	if (facts_more_traffic(f)) {
		send &= f->links.send.rate >= LOSS_SURE;
		recv &= recv_side(f)->rate >= LOSS_SURE * seen_per_loss(f);
	}
	return send || recv;
}

/* Loss that is beyond doubt and large, beside a disk that is a little slow. */
bool rule_loss_sure(const struct facts *f)
{
	const struct link_side *in = recv_side(f);
	bool send, recv;
	double ratio;

	if (!rule_loss(f))
		return false;
	sides(f, &send, &recv);
	facts_worst_is_write(f, &ratio);
	if (ratio >= DISK_SURE)
		return false;
	return (send && f->links.send.verdict == LINK_NODE && f->links.send.rate >= LOSS_SURE) ||
	       (recv && in->verdict == LINK_NODE && in->rate >= LOSS_SURE);
}

void tell_loss(const struct facts *f, struct incident *a)
{
	const struct link_side *of;
	bool send, recv;

	sides(f, &send, &recv);
	of = send ? &f->links.send : recv_side(f);
	a->detail = (struct detail){.kind = DETAIL_LOSS,
				    .direction = send && recv ? DIRECTION_BOTH
						 : send	      ? DIRECTION_SEND
							      : DIRECTION_RECEIVE,
				    .lossy = of->lossy,
				    .hosts = of->carry};
	if (of->verdict == LINK_ONLY) {
		struct doubt end = {.kind = DOUBT_ONE_HOST};

		snprintf(end.host, sizeof(end.host), "%s", of->remote);
		doubt(a, end);
	} else if (of->verdict == LINK_UNKNOWN) {
		doubt(a, (struct doubt){.kind = DOUBT_CONNECTIONS});
	}
}
