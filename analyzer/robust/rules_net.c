// SPDX-License-Identifier: BSD-2-Clause
/* Rules about the network: others' bytes, and loss, by side. */
#include "rules_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bytes of others on the interfaces, kB/s: all of them less the file system's sockets'. */
static double foreign(const struct hop *h, const void *arg)
{
	bool tx = *(const bool *)arg;
	double all = facts_rate(h->acc[tx ? NA_TX_KB : NA_RX_KB]);
	double own = facts_rate(h->acc[tx ? NA_FS_TX_KB : NA_FS_RX_KB]);

	return isfinite(all) && isfinite(own) ? fmax(0, all - own) : NAN;
}

static double own_kb(const struct facts *f, bool tx)
{
	return facts_or0(facts_rate(f->me->now.acc[tx ? NA_FS_TX_KB : NA_FS_RX_KB]));
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
	if (blames(side_of(f, tx)) && excess < rule_bound.resent * own_kb(f, tx))
		return 0;
	return excess > 0 ? excess : 0;
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

void tell_network_hog(const struct facts *f, struct accusation *a)
{
	double rx = foreign_excess(f, false), tx = foreign_excess(f, true);
	/* What goes one way is acknowledged the other: 1/20 of the bytes at most. */
	bool in = rx * 10 >= tx, out = tx * 10 >= rx;
	const struct hop_process *p = culprit_newcomer(f);

	a->culprit = (struct culprit){
		.share = NAN, .of = in ? "bytes received" : "bytes sent", .remote = true};
	snprintf(a->detail, sizeof(a->detail), "%s: %.1f MiB/s %s%s, address not recorded",
		 in && out ? "read and write"
		 : in	   ? "write"
			   : "read",
		 (in ? rx : tx) / 1024,
		 in && out ? "received and more sent, of others"
		 : in	   ? "received from others"
			   : "sent to others",
		 "");
	if (p)
		snprintf(a->guess, sizeof(a->guess), "by process %s, which began then", p->name);
}

/* ---- loss ------------------------------------------------------------------------------------------- */

/* Which sides lose: what was worse than the peers', where the matrix of connections puts it here. */
static void sides(const struct facts *f, bool *send, bool *recv)
{
	const struct link_side *s = &f->links.send, *r = &f->links.recv;
	bool measured = isfinite(facts_rate(f->me->now.acc[NA_OOO]));

	*send = facts_up(f, SIG_RETRANS) && (blames(s) || s->verdict == LINK_UNKNOWN);
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
}

bool rule_loss(const struct facts *f)
{
	bool send, recv;

	if (!facts_indicted(f, SIG_RETRANS) && !facts_indicted(f, SIG_OOO) &&
	    !facts_indicted(f, SIG_PURE_ACK))
		return false;
	sides(f, &send, &recv);
	return send || recv;
}

/* Loss that is beyond doubt and large, beside a disk that is a little slow. */
bool rule_loss_sure(const struct facts *f)
{
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
	       (recv && f->links.recv.verdict == LINK_NODE &&
		f->links.recv.rate >= rule_bound.loss_sure);
}

static const char *hosts(const struct link_side *l, char *to, size_t size, const char *preposition)
{
	*to = 0;
	if (l->carry)
		snprintf(to, size, ", %s %zu of %zu host%s that carr%s data", preposition, l->lossy,
			 l->carry, l->carry == 1 ? "" : "s", l->carry == 1 ? "ies" : "y");
	return to;
}

void tell_loss(const struct facts *f, struct accusation *a)
{
	const struct link_side *s = &f->links.send, *r = &f->links.recv, *of;
	bool send, recv;
	char text[96];

	sides(f, &send, &recv);
	of = send ? s : r;
	snprintf(a->detail, sizeof(a->detail), "%s%s",
		 send && recv ? "both directions"
		 : send	      ? "send side"
			      : "receive side",
		 hosts(of, text, sizeof(text),
		       send && recv ? "with"
		       : send	    ? "to"
				    : "from"));
	if (of->verdict == LINK_ONLY)
		doubt(a, "only one host carries data: the loss may be at %s", of->remote);
	else if (of->verdict == LINK_UNKNOWN)
		doubt(a, "connections are not told apart: it may be a client's loss");
}
