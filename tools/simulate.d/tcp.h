/* SPDX-License-Identifier: BSD-2-Clause */
/* What TCP makes of loss: throughput, congestion window, acknowledgements. */
#ifndef LIMPET_SIM_TCP_H
#define LIMPET_SIM_TCP_H

#define TCP_SEGMENT_KB (1448 / 1024.0) /* payload of a full segment, timestamps on */
#define TCP_HEADER_KB  (66 / 1024.0)   /* Ethernet, IP, TCP with timestamps */
#define TCP_RTO_S      0.2	       /* Linux's least */
/* Of what would be timeouts in Reno, Linux mends the larger part with tail loss probes and RACK [D];
 * this part is left. */
#define TCP_TIMEOUTS 0.3

/*
 * kB/s of one connection whose segments are lost with probability p: Padhye, Firoiu, Towsley and
 * Kurose, SIGCOMM '98, equation 30 without the window's limit,
 *   1 / (rtt sqrt(2bp/3) + T_0 min(1, 3 sqrt(3bp/8)) p (1 + 32 p^2))   segments/s, b = 1,
 * with T_0 = TCP_TIMEOUTS * TCP_RTO_S. Infinite where p is 0.
 */
double tcp_rate_kb(double p, double rtt_s);

/* The window loss allows, segments: sqrt(3 / 2p) (Mathis, Semke, Mahdavi and Ott, 1997), at least 1;
 * CUBIC in a LAN is in its Reno-friendly region. At most `most`. */
double tcp_window(double p, double most);

/*
 * Pure acknowledgements per data segment: one half (delayed ACKs), or one while the receiver
 * acknowledges at once, which is while segments are out of order (half a window) and for the 16
 * quick ones after: a share min(1, p (window / 2 + 16)) of the time.
 */
double tcp_acks(double p, double window);

#endif
