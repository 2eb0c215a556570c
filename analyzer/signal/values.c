// SPDX-License-Identifier: BSD-2-Clause
/* What a window's intervals say of one disk or server, as a number; latencies are in values_latency.c. */
#include "analyzer/engine/inside.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Headers of a TCP segment over Ethernet and IPv4 with time stamps, as an interface counts them. */
#define HEADER_KB (66.0 / 1024)
/* Fewer data segments than this tell nothing about shares of a thousandth. */
#define SEGMENTS_MIN 300
#define IDLE_C	     64.0 /* kB/s */
/* Run-queue delays of so few switches have no 90 % quantile. */
#define SWITCHES_MIN 100

double value_shown(enum signal s, double value)
{
	if (s == SIG_IDLE)
		return 1 / value - IDLE_C;
	return s == SIG_CWND ? 1 / value : value;
}

/* Sums over the window of a server. */
static struct acc total(const struct robust *r, size_t node, enum node_acc a)
{
	struct acc sum = {0};

	for (unsigned int b = 0; b < r->span; b++) {
		const struct interval *h = node_interval(r, node, b);

		if (!h)
			continue;
		sum.sum += h->acc[a].sum;
		sum.n += h->acc[a].n;
	}
	return sum;
}

static double mean(const struct robust *r, size_t node, enum node_acc a)
{
	struct acc sum = total(r, node, a);

	return sum.n > 0 ? sum.sum / sum.n : NAN;
}

static double disk_mean(const struct robust *r, size_t disk, enum disk_acc a)
{
	const struct disk *d = &r->disks[disk];
	struct acc sum = {0};

	for (unsigned int b = 0; b < r->span; b++) {
		const struct interval_disk *h =
			interval_find_disk(node_interval(r, d->node, b), d->name);

		if (!h)
			continue;
		sum.sum += h->acc[a].sum;
		sum.n += h->acc[a].n;
	}
	return sum.n > 0 ? sum.sum / sum.n : NAN;
}

static double or_zero(double x)
{
	return isnan(x) ? 0 : x;
}

static int by_talk(const void *a, const void *b)
{
	const struct talker *x = a, *y = b;
	int c = strcmp(x->addr, y->addr);

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (c)
		return c;
	return x->node < y->node ? -1 : x->node > y->node;
}

int value_talkers(struct robust *r)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < r->n_nodes; i++)
		for (unsigned int b = 0; b < r->span; b++) {
			const struct interval *h = node_interval(r, i, b);

			n += h ? h->n_remotes : 0;
		}
	if (n > r->cap_talkers) {
		struct talker *more = realloc(r->talkers, n * sizeof(*more));

		if (!more)
			return -ENOMEM;
		r->talkers = more;
		r->cap_talkers = n;
	}
	r->n_talkers = 0;
	for (size_t i = 0; i < r->n_nodes; i++)
		for (unsigned int b = 0; b < r->span; b++) {
			const struct interval *h = node_interval(r, i, b);

			for (size_t k = 0; h && k < h->n_remotes; k++)
				r->talkers[r->n_talkers++] =
					(struct talker){r->nodes[i].group, h->remotes[k].addr, i};
		}
	if (r->n_talkers)
		qsort(r->talkers, r->n_talkers, sizeof(*r->talkers), by_talk);
	for (size_t i = 0; i < r->n_talkers; i++)
		if (!kept || by_talk(&r->talkers[kept - 1], &r->talkers[i]))
			r->talkers[kept++] = r->talkers[i];
	r->n_talkers = kept;
	return 0;
}

/* Whether any other server of the group had traffic with this host in the window. */
static bool shared(const struct robust *r, size_t node, const char *addr)
{
	const struct talker key = {r->nodes[node].group, addr, node},
			    *at = bsearch(&key, r->talkers, r->n_talkers, sizeof(key), by_talk),
			    *end = r->talkers + r->n_talkers;

	if (!at)
		return true; /* not to be: it is this server's own */
	return (at > r->talkers && at[-1].group == key.group && !strcmp(at[-1].addr, addr)) ||
	       (at + 1 < end && at[1].group == key.group && !strcmp(at[1].addr, addr));
}

/* kB of hosts that talk to this server alone: a client of the file system talks to others too. */
static double lone_kb(const struct robust *r, size_t node, bool receive)
{
	double sum = 0;

	for (unsigned int b = 0; b < r->span; b++) {
		const struct interval *h = node_interval(r, node, b);

		for (size_t k = 0; h && k < h->n_remotes; k++) {
			double kb = receive ? h->remotes[k].rx_kb : h->remotes[k].tx_kb;

			/* what is small needs no search, and many hosts together are no host */
			if (kb > 256 && *h->remotes[k].addr != '(' &&
			    !shared(r, node, h->remotes[k].addr))
				sum += kb;
		}
	}
	return sum;
}

/* What the interfaces carried besides the file system's sockets, and what those carried with hosts
 * that no other server knows. kB/s. */
static double foreign(const struct robust *r, size_t node, bool receive)
{
	double all = mean(r, node, receive ? NA_RX_KB : NA_TX_KB),
	       own = mean(r, node, receive ? NA_FS_RX_KB : NA_FS_TX_KB),
	       segments = mean(r, node, receive ? NA_SEGS_IN : NA_SEGS_OUT),
	       seconds = total(r, node, NA_FS_RX_KB).n, rest;

	if (isnan(all) || isnan(own) || isnan(segments))
		return NAN;
	/* segments sent again are not in the bytes acknowledged */
	rest = all - own - segments * HEADER_KB;
	if (!receive)
		rest -= or_zero(mean(r, node, NA_RETRANS)) * 1448 / 1024;
	rest = rest < 0.05 * own ? 0 : rest;
	return rest + (seconds > 0 ? lone_kb(r, node, receive) / seconds : 0);
}

/* A share of segments in %, NaN where there were too few. */
static double share(const struct robust *r, size_t node, enum node_acc a, enum node_acc of)
{
	struct acc n = total(r, node, of);

	return n.sum >= SEGMENTS_MIN && total(r, node, a).n > 0
		       ? 100 * total(r, node, a).sum / n.sum
		       : NAN;
}

static double runq(const struct robust *r, size_t node)
{
	uint64_t at[RUNQ_BUCKETS], n = 0;

	memset(at, 0, sizeof(at));
	for (unsigned int b = 0; b < r->span; b++) {
		const struct interval *h = node_interval(r, node, b);

		for (unsigned int i = 0; h && i < RUNQ_BUCKETS; i++)
			at[i] += h->runq[i];
		n += h ? h->n_runq : 0;
	}
	if (n < SWITCHES_MIN)
		return mean(r, node, NA_RUNQ_DELAY);
	return hist_quantile(at, 0, RUNQ_BUCKETS, RUNQ_SUB_BITS, 0.9) * (1 << RUNQ_SHIFT) / 1e6;
}

static double pure_acks(const struct robust *r, size_t node)
{
	double in = total(r, node, NA_DATA_IN).sum, out = total(r, node, NA_SEGS_OUT).sum,
	       data = total(r, node, NA_DATA_OUT).sum;

	/* where a server mostly sends, its acknowledgements ride on data */
	return in >= SEGMENTS_MIN && in > data ? fmax(0, out - data) / in : NAN;
}

/* File system's and others', all disks: kB/s. */
static double disks_kb(const struct robust *r, size_t node)
{
	const struct node *n = &r->nodes[node];
	double sum = NAN;

	for (size_t i = 0; i < n->n_disks; i++) {
		size_t d = n->disks[i];

		sum = or_zero(sum) + fmax(0, or_zero(disk_mean(r, d, DA_READ_KB)) +
						     or_zero(disk_mean(r, d, DA_WRITE_KB)) -
						     or_zero(disk_mean(r, d, DA_FOREIGN_READ_KB)) -
						     or_zero(disk_mean(r, d, DA_FOREIGN_WRITE_KB)));
	}
	return sum;
}

static double idle(const struct robust *r, size_t node)
{
	double disk = disks_kb(r, node), rx = mean(r, node, NA_FS_RX_KB),
	       tx = mean(r, node, NA_FS_TX_KB);

	if (isnan(disk) && isnan(rx))
		return NAN;
	return 1 / (IDLE_C + or_zero(disk) + or_zero(rx) + or_zero(tx));
}

static double disk_number(const struct robust *r, enum signal s, size_t disk)
{
	double reads = or_zero(disk_mean(r, disk, DA_READS)),
	       writes = or_zero(disk_mean(r, disk, DA_WRITES)),
	       kb = or_zero(disk_mean(r, disk, DA_READ_KB)) +
		    or_zero(disk_mean(r, disk, DA_WRITE_KB)),
	       others = or_zero(disk_mean(r, disk, DA_FOREIGN_READ_KB)) +
			or_zero(disk_mean(r, disk, DA_FOREIGN_WRITE_KB));

	/* a disk that is not there has no demand of 0 */
	if (isnan(disk_mean(r, disk, DA_READS)) && isnan(disk_mean(r, disk, DA_WRITES)))
		return NAN;
	switch ((int)s) {
	case SIG_QUEUE: return disk_mean(r, disk, DA_QUEUE);
	case SIG_FOREIGN_READ: return disk_mean(r, disk, DA_FOREIGN_READ_KB);
	case SIG_FOREIGN_WRITE: return disk_mean(r, disk, DA_FOREIGN_WRITE_KB);
	/* whose an operation was is not known: as many as of the bytes */
	case SIG_DISK_OPS: return (reads + writes) * (kb > 0 ? fmax(0, 1 - others / kb) : 1);
	case SIG_DISK_KB: return fmax(0, kb - others);
	}
	return NAN;
}

double value_number(const struct robust *r, enum signal s, size_t member)
{
	double x;

	if (signals[s].level == LEVEL_DISK)
		return disk_number(r, s, member);
	switch ((int)s) {
	case SIG_RETRANS: return share(r, member, NA_RETRANS, NA_DATA_OUT);
	case SIG_OOO: return share(r, member, NA_OOO, NA_DATA_IN);
	case SIG_PURE_ACK: return pure_acks(r, member);
	case SIG_SRTT: return mean(r, member, NA_SRTT);
	case SIG_CWND: return exp(-mean(r, member, NA_CWND_LN));
	case SIG_FOREIGN_RX: return foreign(r, member, true);
	case SIG_FOREIGN_TX: return foreign(r, member, false);
	case SIG_NET_RX: return mean(r, member, NA_FS_RX_KB);
	case SIG_NET_TX: return mean(r, member, NA_FS_TX_KB);
	case SIG_RUNQ: return runq(r, member);
	case SIG_CPU:
		x = 100 - mean(r, member, NA_IDLE) - or_zero(mean(r, member, NA_IOWAIT));
		return fmax(0, x) + 0 * x; /* NaN stays */
	case SIG_STEAL: return mean(r, member, NA_STEAL);
	case SIG_MEM_PRESSURE: return mean(r, member, NA_MEM_SOME);
	case SIG_MEM_STALL:
		return mean(r, member, NA_SCAN_DIRECT) + mean(r, member, NA_ALLOC_STALL);
	case SIG_SWAP: return mean(r, member, NA_SWAP_IN) + mean(r, member, NA_SWAP_OUT);
	case SIG_IDLE: return idle(r, member);
	case SIG_UNREAD: return mean(r, member, NA_UNREAD);
	}
	return NAN;
}
