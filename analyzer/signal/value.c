// SPDX-License-Identifier: BSD-2-Clause
/* What sums of intervals say of one disk or server, as a number; latencies are in value_latency.c. */
#include "value.h"

#include <math.h>
#include <string.h>

/* Headers of a TCP segment over Ethernet and IPv4 with time stamps, as an interface counts them. */
#define HEADER_KB (66.0 / 1024)
/* Data of a full one. */
#define SEGMENT_KB (1448.0 / 1024)
/* Likewise of requests, which wait longer for one that is lost. */
#define REQUESTS_MIN 13
/* Reads of windows: one connection that was at work for a second and looked at ten times. */
#define READS_MIN 10
/* Run-queue delays of so few switches have no 90 % quantile. */
#define SWITCHES_MIN 100

static double mean(const struct interval *h, enum node_acc a)
{
	return acc_mean(h->acc[a]);
}

static double or_zero(double x)
{
	return isfinite(x) ? x : 0;
}

/* ---- disks ------------------------------------------------------------------------------------------- */

static double all_kb(const struct acc at[DISK_ACCS])
{
	return or_zero(acc_mean(at[DA_READ_KB])) + or_zero(acc_mean(at[DA_WRITE_KB]));
}

static double own_kb(const struct acc at[DISK_ACCS])
{
	return fmax(0, all_kb(at) - (or_zero(acc_mean(at[DA_FOREIGN_READ_KB])) +
				     or_zero(acc_mean(at[DA_FOREIGN_WRITE_KB]))));
}

/* Whose an operation was is not known: as many as of the bytes. */
static double own_ops(const struct acc at[DISK_ACCS])
{
	double kb = all_kb(at), others = or_zero(acc_mean(at[DA_FOREIGN_READ_KB])) +
					 or_zero(acc_mean(at[DA_FOREIGN_WRITE_KB]));

	return (or_zero(acc_mean(at[DA_READS])) + or_zero(acc_mean(at[DA_WRITES]))) *
	       (kb > 0 ? fmax(0, 1 - others / kb) : 1);
}

double value_of_disk(enum signal s, const struct acc at[DISK_ACCS])
{
	/* a disk that is not there has no demand of 0 */
	if (!at || (!(at[DA_READS].n > 0) && !(at[DA_WRITES].n > 0)))
		return NAN;
	switch ((int)s) {
	case SIG_QUEUE: return acc_mean(at[DA_QUEUE]);
	case SIG_FOREIGN_READ: return acc_mean(at[DA_FOREIGN_READ_KB]);
	case SIG_FOREIGN_WRITE: return acc_mean(at[DA_FOREIGN_WRITE_KB]);
	case SIG_DISK_OPS: return own_ops(at);
	case SIG_DISK_KB: return own_kb(at);
	}
	return NAN;
}

static bool is_meant(const struct interval_disk *d, const char *disk)
{
	return !*disk || !strcmp(d->name, disk);
}

double disk_rate(const struct interval *h, const char *disk, enum disk_acc which)
{
	double sum = NAN;

	for (size_t i = 0; i < h->n_disks; i++) {
		double x = acc_mean(h->disks[i].acc[which]);

		if (is_meant(&h->disks[i], disk) && isfinite(x))
			sum = or_zero(sum) + x;
	}
	return sum;
}

struct acc disk_acc(const struct interval *h, const char *disk, enum disk_acc which)
{
	struct acc all = {0};

	for (size_t i = 0; i < h->n_disks; i++) {
		const struct acc *a = &h->disks[i].acc[which];

		if (!is_meant(&h->disks[i], disk) || !(a->n > 0) || !isfinite(a->sum))
			continue;
		all.sum += a->sum;
		all.n += a->n;
	}
	return all;
}

double disk_kb(const struct interval *h, const char *disk)
{
	return or_zero(disk_rate(h, disk, DA_READ_KB)) + or_zero(disk_rate(h, disk, DA_WRITE_KB));
}

double disk_foreign_kb(const struct interval *h, const char *disk, bool write)
{
	return or_zero(disk_rate(h, disk, write ? DA_FOREIGN_WRITE_KB : DA_FOREIGN_READ_KB));
}

double disk_ops(const struct interval *h, const char *disk)
{
	return or_zero(disk_rate(h, disk, DA_READS)) + or_zero(disk_rate(h, disk, DA_WRITES));
}

double disk_own_kb(const struct interval *h, const char *disk)
{
	double sum = 0;

	for (size_t i = 0; i < h->n_disks; i++)
		sum += is_meant(&h->disks[i], disk) ? own_kb(h->disks[i].acc) : 0;
	return sum;
}

double disk_own_ops(const struct interval *h)
{
	double sum = 0;

	for (size_t i = 0; i < h->n_disks; i++)
		sum += own_ops(h->disks[i].acc);
	return sum;
}

/* ---- servers ----------------------------------------------------------------------------------------- */

double work_kb(const struct interval *h)
{
	double rx = mean(h, NA_FS_RX_KB), tx = mean(h, NA_FS_TX_KB);

	return !h->n_disks && isnan(rx) ? NAN : disk_own_kb(h, "") + or_zero(rx) + or_zero(tx);
}

/* What the interfaces carried besides the file system's sockets, and what those carried with hosts that no
 * other server knows. kB/s. */
static double foreign(const struct interval *h, bool receive, double lone_kb)
{
	double all = mean(h, receive ? NA_RX_KB : NA_TX_KB),
	       own = mean(h, receive ? NA_FS_RX_KB : NA_FS_TX_KB),
	       segments = mean(h, receive ? NA_SEGS_IN : NA_SEGS_OUT),
	       seconds = h->acc[NA_FS_RX_KB].n, rest;

	if (isnan(all) || isnan(own) || isnan(segments))
		return NAN;
	/* segments sent again are not in the bytes acknowledged */
	rest = all - own - segments * HEADER_KB;
	if (!receive)
		rest -= or_zero(mean(h, NA_RETRANS)) * SEGMENT_KB;
	rest = rest < 0.05 * own ? 0 : rest;
	return rest + (seconds > 0 ? lone_kb / seconds : 0);
}

/* A share of segments in %, NaN where there were fewer than `least`. */
static double share(const struct interval *h, enum node_acc a, enum node_acc of, double least)
{
	return h->acc[of].sum >= least && h->acc[a].n > 0 ? 100 * h->acc[a].sum / h->acc[of].sum
							  : NAN;
}

/* More than one for each segment received: lost on the way out, which says nothing of the way in. */
static double unheard(const struct interval *h)
{
	double x = share(h, NA_RETRANS, NA_DATA_IN, REQUESTS_MIN);

	return x <= 100 ? x : NAN;
}

/* A mean over reads of sockets' windows, which may be few where not all are looked at ten times a second:
 * NaN then. Recordings before there was tcp-looks do not say how many. */
static double of_windows(const struct interval *h, enum node_acc a)
{
	double reads = h->acc[NA_ACTIVE].sum * mean(h, NA_LOOKS);

	return reads < READS_MIN ? NAN : mean(h, a);
}

static double runq(const struct interval *h)
{
	uint64_t at[RUNQ_BUCKETS];

	if (h->n_runq < SWITCHES_MIN)
		return mean(h, NA_RUNQ_DELAY);
	for (int b = 0; b < RUNQ_BUCKETS; b++)
		at[b] = h->runq[b];
	return hist_quantile(at, 0, RUNQ_BUCKETS, RUNQ_SUB_BITS, 0.9) * (1 << RUNQ_SHIFT) / 1e6;
}

static double pure_acks(const struct interval *h)
{
	double in = h->acc[NA_DATA_IN].sum, out = h->acc[NA_SEGS_OUT].sum,
	       data = h->acc[NA_DATA_OUT].sum;

	/* where a server mostly sends, its acknowledgements ride on data */
	return in >= SEGMENTS_MIN && in > data ? fmax(0, out - data) / in : NAN;
}

static double busy(const struct interval *h)
{
	double x = 100 - mean(h, NA_IDLE) - or_zero(mean(h, NA_IOWAIT));

	return fmax(0, x) + 0 * x; /* NaN stays */
}

/* How many at a time; NaN where nobody looked at threads. */
static double threads_in(const struct interval *h, enum node_acc share)
{
	return mean(h, NA_THREADS) * mean(h, share) / 100;
}

double value_event(enum signal s, const struct interval *h)
{
	enum node_acc of = s == SIG_RETRANS ? NA_DATA_OUT : NA_DATA_IN;

	return signals[s].events > 0 && h->acc[of].sum > 0 ? 100 / h->acc[of].sum : 0;
}

/*
 * A server that hands data on (to a replica, down a pipeline) reads no more of it while the next one takes none:
 * for each connection of its own that stalls, one that it does not read is no fault of its.
 */
static double unread(const struct interval *h)
{
	double own = mean(h, NA_UNREAD), stalled = mean(h, NA_STALLED);

	if (isnan(stalled))
		return own;
	return own < stalled ? 0 : own - stalled;
}

double value_of_node(enum signal s, const struct interval *h, struct lone lone)
{
	switch ((int)s) {
	case SIG_RETRANS: return share(h, NA_RETRANS, NA_DATA_OUT, SEGMENTS_MIN);
	case SIG_RETRANS_IN: return unheard(h);
	case SIG_OOO: return share(h, NA_OOO, NA_DATA_IN, SEGMENTS_MIN);
	case SIG_PURE_ACK: return pure_acks(h);
	case SIG_SRTT: return of_windows(h, NA_SRTT);
	case SIG_CWND: return exp(-of_windows(h, NA_CWND_LN));
	case SIG_FOREIGN_RX: return foreign(h, true, lone.rx_kb);
	case SIG_FOREIGN_TX: return foreign(h, false, lone.tx_kb);
	case SIG_NET_RX: return mean(h, NA_FS_RX_KB);
	case SIG_NET_TX: return mean(h, NA_FS_TX_KB);
	case SIG_RUNQ: return runq(h);
	case SIG_CPU: return busy(h);
	case SIG_STEAL: return mean(h, NA_STEAL);
	case SIG_MEM_PRESSURE: return mean(h, NA_MEM_SOME);
	case SIG_MEM_STALL: return mean(h, NA_SCAN_DIRECT) + mean(h, NA_ALLOC_STALL);
	case SIG_SWAP: return mean(h, NA_SWAP_IN) + mean(h, NA_SWAP_OUT);
	case SIG_IDLE: return 1 / (signals[s].inverse_c + work_kb(h));
	case SIG_UNREAD: return unread(h);
	case SIG_STALLED: return mean(h, NA_STALLED);
	case SIG_WAIT_DISK: return threads_in(h, NA_THR_DISK);
	case SIG_WAIT_LOCK: return threads_in(h, NA_THR_LOCK);
	case SIG_WAIT_NET: return threads_in(h, NA_THR_NET);
	case SIG_WAIT_MEM: return threads_in(h, NA_THR_MEM);
	case SIG_ON_CPU: return threads_in(h, NA_THR_CPU);
	}
	return NAN;
}
