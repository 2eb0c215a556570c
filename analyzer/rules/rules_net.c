// SPDX-License-Identifier: BSD-2-Clause
/* Rules about the network: others' bytes, and loss, by side. */
#include "rules_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bytes of others on the interfaces, kB/s, without those of hosts that it alone knows: of them there is
 * more to say (lone_kb()). */
static double foreign(const struct interval *h, const void *arg)
{
	return value_of_node(*(const bool *)arg ? SIG_FOREIGN_TX : SIG_FOREIGN_RX, h,
			     (struct lone){0});
}

static double own_disk_kb(const struct interval *h, const void *arg)
{
	(void)arg;
	return disk_own_kb(h, "");
}

/* Whether the file system's own disk work grew along with this traffic: then it is a client's, be it one
 * that uses this server alone. Who only fills the link makes no work for disks. */
static bool is_demand(const struct facts *f, double kb)
{
	double more = disk_own_kb(&f->me->now, "") - facts_or0(facts_peers(f, own_disk_kb, NULL));

	return kb > 0 && more >= rule_bound.demand * kb;
}

static double socket_kb(const struct interval *h, const void *arg)
{
	return value_of_node(*(const bool *)arg ? SIG_NET_TX : SIG_NET_RX, h, (struct lone){0});
}

/* What its peers exchange with the file system's clients and it does not, without `lone`. Clients that it
 * alone knows by these addresses (a second network, a gateway) are what is missing then. kB/s. */
static double missing_kb(const struct facts *f, bool tx, double lone)
{
	double shared = facts_or0(socket_kb(&f->me->now, &tx)) - lone;

	return fmax(0, facts_or0(facts_peers(f, socket_kb, &tx)) - fmax(0, shared));
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
	double all = facts_or0(socket_kb(&f->me->now, &tx));

	return fmax(0, all - lone_kb(f, tx, NULL));
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
	double excess;

	if (!facts_up(f, tx ? SIG_FOREIGN_TX : SIG_FOREIGN_RX))
		return 0;
	excess = facts_or0(foreign(&f->me->now, &tx)) - facts_or0(facts_peers(f, foreign, &tx));
	excess += lone_kb(f, tx, NULL);
	if (blames(side_of(f, tx)) && excess < rule_bound.resent * own_kb(f, tx))
		return 0;
	return excess > signals[tx ? SIG_FOREIGN_TX : SIG_FOREIGN_RX].floor ? excess : 0;
}

bool rule_network_hog(const struct facts *f)
{
	bool indicted = facts_indicted(f, SIG_FOREIGN_RX) || facts_indicted(f, SIG_FOREIGN_TX);

	return indicted && (foreign_excess(f, false) > 0 || foreign_excess(f, true) > 0);
}

bool rule_flood(const struct facts *f)
{
	if (!rule_network_hog(f))
		return false;
	return foreign_excess(f, false) >= fmax(1024, rule_bound.flood * own_kb(f, false)) ||
	       foreign_excess(f, true) >= fmax(1024, rule_bound.flood * own_kb(f, true));
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

/* ---- loss ------------------------------------------------------------------------------------------- */

static double windows(const struct interval *h, const void *arg)
{
	(void)arg;
	return value_of_node(SIG_CWND, h, (struct lone){0});
}

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
	double shrunk = windows(&f->me->now, NULL) / facts_peers(f, windows, NULL);

	return facts_up(f, SIG_RETRANS_IN) && blames(l) && l->rate < 1 &&
	       shrunk < rule_bound.windows;
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
		double lost = r->rate / rule_bound.ooo_per_loss;

		if (lost >= rule_bound.direction * s->rate)
			*send = false;
		else if (s->rate >= rule_bound.direction * lost)
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
	return recv_side(f) == &f->links.recv ? rule_bound.ooo_per_loss : 1;
}

bool rule_loss(const struct facts *f)
{
	bool send, recv;

	if (!facts_indicted(f, SIG_RETRANS) && !facts_indicted(f, SIG_RETRANS_IN) &&
	    !facts_indicted(f, SIG_OOO) && !facts_indicted(f, SIG_PURE_ACK))
		return false;
	sides(f, &send, &recv);
	/* a port that carries more than others drops more of it: that is its load */
	if (facts_more_traffic(f)) {
		send &= f->links.send.rate >= rule_bound.loss_sure;
		recv &= recv_side(f)->rate >= rule_bound.loss_sure * seen_per_loss(f);
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
	if (ratio >= rule_bound.disk_sure)
		return false;
	return (send && f->links.send.verdict == LINK_NODE &&
		f->links.send.rate >= rule_bound.loss_sure) ||
	       (recv && in->verdict == LINK_NODE && in->rate >= rule_bound.loss_sure);
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
