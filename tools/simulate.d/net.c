// SPDX-License-Identifier: BSD-2-Clause
/*
 * One second of a server's interface and of the file system's sockets on it: payload, headers,
 * acknowledgements, the competing stream, loss and what it does to the congestion window.
 */
#include <math.h>

#include "server.h"
#include "tcp.h"

#define WINDOW_START 10.0  /* segments: what a socket that sends little stays at */
#define WINDOW_BULK  170.0 /* a reply of 256 kB and no loss */
#define LOSS_LEAST   1e-4
#define LOSS_INCAST  2e-3 /* at the clients' ports of the switch, when they are full */

/*
 * Replies of several servers meet at a client's port. If one server is the slow one, the others'
 * replies come together (they wait for it together) and its own come alone: their loss rises, its
 * falls. The direction is FAST'10's ("unintentional sync"), the amount ours [D].
 */
static double incast(const struct server *v, const struct moment *m)
{
	double p = LOSS_INCAST * pow(fmin(1, m->client_load), 3);

	p *= v == m->slowest ? 1 - 0.7 * m->dominance : 1 + 3 * m->dominance;
	return LOSS_LEAST + p * m->weather;
}

static void sockets(struct server *v, const struct moment *m, double rate, double loss,
		    float *total)
{
	double most = WINDOW_START +
		      (WINDOW_BULK - WINDOW_START) * m->mix->read * fmin(1, m->mix->size_kb / 256);
	double goal = log(tcp_window(loss, most)), noise = ar1_factor(&v->cwnd), sending;

	/* A socket has sent in this second unless it has waited for all of it. */
	sending = m->working * (1 - exp(-rate / fmax(1, m->working)));
	v->lncwnd += 0.5 * (goal - v->lncwnd);
	total[T_SOCKETS] = (float)m->clients;
	total[T_ACTIVE] = (float)sending;
	if (sending < 0.5) {
		total[T_LNCWND] = total[T_SRTT] = NAN;
		return;
	}
	/* The noise of an average over sockets, each with its own saw teeth. */
	total[T_LNCWND] = (float)fmax(0, v->lncwnd + log(noise) * (goal > 3 ? 1 : 0.3));
	/* One of them has the window that loss leaves it. */
	if (v->effect.client_loss > 0 && m->working)
		total[T_LNCWND] += (float)((fmin(0, log(tcp_window(v->effect.client_loss, most)) -
							    v->lncwnd)) /
					   m->working);
	total[T_SRTT] =
		(float)(1000 * RTT_S * (1 + 4 * m->client_load + 6 * v->effect.tx_share) * noise);
}

static void hog(const struct server *v, double in_kb, double out_kb, float *total)
{
	double rx = 0, tx = 0, acks = TCP_HEADER_KB / (2 * TCP_SEGMENT_KB);

	if (v->effect.rx_share > 0)
		rx = fmax(0, 0.97 - in_kb / v->nic_kb_s) * v->nic_kb_s;
	if (v->effect.tx_share > 0)
		tx = fmax(0, 0.97 - out_kb / v->nic_kb_s) * v->nic_kb_s;
	total[T_RXKB] += (float)(rx + acks * tx);
	total[T_TXKB] += (float)(tx + acks * rx);
	total[T_RXPCK] += (float)((rx + tx / 2) / (TCP_SEGMENT_KB + TCP_HEADER_KB));
	total[T_TXPCK] += (float)((tx + rx / 2) / (TCP_SEGMENT_KB + TCP_HEADER_KB));
}

/* One client's segments are lost both ways: it is seen at every server, with that client only. */
static void lossy_link(const struct moment *m, double p, double in, double out, float *total)
{
	double window = tcp_window(p, 45), again = out * m->lossy * p;
	double acks = in * m->lossy * (tcp_acks(p, window) - 0.5),
	       ooo = in * m->lossy * p * window / 2;

	total[T_CL_SHARE] = (float)m->lossy;
	total[T_CL_RETRANS] = (float)again;
	total[T_CL_OOO] = (float)ooo;
	total[T_CL_ACKS] = (float)acks;
	total[T_RETRANS] += (float)again;
	total[T_ODSEG] += (float)again;
	total[T_OSEG] += (float)(again + acks);
	total[T_OOO] += (float)ooo;
	total[T_TXPCK] += (float)(again + acks);
	total[T_TXKB] += (float)((TCP_SEGMENT_KB + TCP_HEADER_KB) * again + TCP_HEADER_KB * acks);
}

void server_net(struct server *v, const struct moment *m, const struct visit *visit, bool root,
		float *total)
{
	const struct effect *e = &v->effect;
	const struct phase *p = m->mix;
	double rate = m->rounds * visit->ratio, lookups = root ? m->lookups : 0;
	double in_kb = rate * ((1 - p->read) * p->size_kb + 0.2) + lookups * 0.35;
	double out_kb = rate * (p->read * p->size_kb + 0.1) + lookups * 0.25;
	/* Each message ends in a segment that is not full. */
	double in = in_kb / TCP_SEGMENT_KB + 0.7 * rate, out = out_kb / TCP_SEGMENT_KB + 0.7 * rate;
	/* Ten senders meet at the server's port, too. */
	double lost_in = e->rx_loss + LOSS_LEAST / 10 + (e->rx_share > 0 ? 1e-3 : 0) +
			 LOSS_INCAST * pow(fmin(1, in_kb / v->nic_kb_s), 3) * m->weather;
	double lost_out = e->tx_loss + (p->read > 0 ? incast(v, m) : LOSS_LEAST) +
			  (e->tx_share > 0 ? 1e-3 : 0);
	double in_window = tcp_window(lost_in, 45), out_window = tcp_window(lost_out, WINDOW_BULK);
	double acks_out = in * tcp_acks(lost_in, in_window),
	       acks_in = out * tcp_acks(lost_out, out_window);
	double again = out * fmin(1, lost_out), other = 2 * rng_exponential(&v->rng);

	if (e->rx_loss > 0) /* acknowledgements are lost too, but counted where they arrive */
		acks_in *= 1 - e->rx_loss;
	total[T_FS_RXKB] = (float)in_kb;
	total[T_FS_TXKB] = (float)out_kb;
	total[T_IDSEG] = (float)in;
	total[T_ODSEG] = (float)(out + again);
	total[T_ISEG] = (float)(in + acks_in);
	total[T_OSEG] = (float)(out + again + acks_out);
	total[T_RETRANS] = (float)again;
	total[T_OOO] = (float)(in * fmin(1, lost_in) * in_window / 2);
	total[T_RXPCK] = total[T_ISEG] + (float)(2 * other);
	total[T_TXPCK] = total[T_OSEG] + (float)(2 * other);
	total[T_RXKB] = (float)(in_kb + TCP_HEADER_KB * (in + acks_in) + other);
	total[T_TXKB] = (float)(out_kb + TCP_SEGMENT_KB * again +
				TCP_HEADER_KB * (out + again + acks_out) + other / 2);
	if (e->client_loss > 0)
		lossy_link(m, e->client_loss, in, out, total);
	hog(v, in_kb, out_kb, total);
	sockets(v, m, rate + lookups, lost_out, total);
}
