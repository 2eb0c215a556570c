// SPDX-License-Identifier: BSD-2-Clause
/*
 * TCP: all selected sockets together, and by remote host and local port. A counter's total may step
 * back for a moment while a socket closes; it counts from its highest value so far, and so nothing
 * is counted twice and nothing is lost over a run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "userspace/common/array.h"
#include "userspace/common/map.h"

#define SHOWN_REMOTES 32		/* rows a second; the others share one */
#define MAX_KNOWN     (4 * MAX_REMOTES) /* the kernel side forgets a host sooner than we do: */
#define FORGET_NS     900000000000	/* 15 minutes after its last record, there 10 */

/* The words of struct socket_sums: counters, of which the first two are 64 bits wide in the kernel
 * and the others 32, and what adds up pass by pass. */
enum { C_RX, C_TX, C_SEGS_IN, C_SEGS_OUT, C_DATA_IN, C_DATA_OUT, C_RETRANS, C_OOO, COUNTERS };
enum {
	L_SOCKETS,
	L_ACTIVE,
	L_LN_CWND,
	L_SRTT,
	L_SSTHRESH,
	L_SSTHRESH_N,
	L_UNREAD,
	L_STALLED,
	LOOKS
};
_Static_assert(sizeof(struct socket_sums) == (COUNTERS + LOOKS) * sizeof(uint64_t), "its words");

/* More segments than any host can move in a second: a difference beyond is a step back. */
#define MAX_SEGMENTS_S (1U << 26)

struct totals {
	uint64_t c[COUNTERS]; /* highest so far */
	uint64_t l[LOOKS];
	uint8_t back[COUNTERS]; /* looks for which a counter has been below what it was */
};

/* What one second brought; UNKNOWN in `c` where nobody counts. */
struct growth {
	uint64_t c[COUNTERS], l[LOOKS];
	uint32_t cwnd[CWND_BUCKETS], cwnd_min;
};

struct remote {
	struct remote_record now;
	bool fresh; /* `now` has not been merged yet */
	bool known; /* `before` and `cwnd` are of this life of it */
	struct totals before;
	uint32_t cwnd[REMOTE_CWND_BUCKETS];
	uint64_t seen_ns;
	struct growth growth;
};

struct remotes {
	struct remote *at;
	size_t n, room;
	struct map by_key;
	uint32_t epoch; /* of the totals below */
	struct totals before;
	struct tcp_record taken; /* the one they were taken from: its looks and walks */
	uint32_t cwnd[CWND_BUCKETS];
	int64_t carried[COUNTERS]; /* what all sockets grew by more than the rows of hosts so far */
};

struct remotes *remotes_new(void)
{
	return calloc(1, sizeof(struct remotes));
}

void remotes_free(struct remotes *r)
{
	if (!r)
		return;
	map_release(&r->by_key);
	free(r->at);
	free(r);
}

/* A host that finds no memory or room here is left to the row of the others. */
void remotes_record(struct remotes *r, const struct remote_record *rec)
{
	uint64_t hash = map_hash(&rec->key, sizeof(rec->key));
	size_t known = map_find(i, &r->by_key, hash,
				!memcmp(&r->at[i].now.key, &rec->key, sizeof(rec->key)));
	struct remote *at = known == MAP_NONE ? NULL : &r->at[known];

	if (!at && r->n < MAX_KNOWN)
		at = map_append(&r->by_key, hash, array_refill(&r->at, &r->n, &r->room), &r->n);
	if (!at)
		return;
	at->known &= at->now.head.index == rec->head.index;
	at->now = *rec;
	at->fresh = true;
}

/* ---- differences ---- */

/*
 * A total that steps back while a socket closes is back where it was after a look or two. One that
 * stays back has lost something for good (an event that was missed, which `lost` tells): what it is
 * now is where it goes on from.
 */
#define BACK_FOR_GOOD 5

static uint64_t advance(uint64_t *high, uint8_t *back, uint64_t now, int counter, double dt)
{
	uint64_t most = dt < 31 ? (uint64_t)(MAX_SEGMENTS_S * (dt < 1 ? 1 : dt)) : INT32_MAX;
	uint64_t more;

	if (now == UNKNOWN)
		return UNKNOWN;
	if (counter <= C_TX)
		more = now > *high ? now - *high : 0;
	else
		more = (uint32_t)(now - *high);
	if (counter <= C_TX ? now < *high : more > most) {
		if (++*back >= BACK_FOR_GOOD) {
			*high = now;
			*back = 0;
		}
		return 0;
	}
	*back = 0;
	*high = now;
	return more;
}

static void grow(struct growth *g, struct totals *before, const struct socket_sums *sums, double dt)
{
	const uint64_t *now = (const uint64_t *)sums;

	for (int i = 0; i < COUNTERS; i++)
		g->c[i] = advance(&before->c[i], &before->back[i], now[i], i, dt);
	for (int i = 0; i < LOOKS; i++) {
		uint64_t look = now[COUNTERS + i];

		g->l[i] = look > before->l[i] ? look - before->l[i] : 0;
		if (look > before->l[i])
			before->l[i] = look;
	}
}

static void grow_cwnd(struct growth *g, uint32_t *before, const uint32_t *now, size_t n)
{
	for (size_t i = 0; i < n; i++)
		g->cwnd[i] = now[i] - before[i];
	memcpy(before, now, n * sizeof(*now));
}

static void start_from(struct totals *before, const struct socket_sums *sums)
{
	memcpy(before, sums, sizeof(*sums));
	memset(before->back, 0, sizeof(before->back));
}

static void grow_remote(struct remote *r, bool full_count, uint64_t mono_ns, double dt)
{
	const uint32_t *min = r->now.cwnd_min;

	if (!r->known && full_count) {
		memset(&r->before, 0, sizeof(r->before));
		memset(r->cwnd, 0, sizeof(r->cwnd));
	} else if (!r->known) {
		start_from(&r->before, &r->now.sums);
		memcpy(r->cwnd, r->now.cwnd, sizeof(r->cwnd));
	}
	r->known = true;
	r->seen_ns = mono_ns;
	grow(&r->growth, &r->before, &r->now.sums, dt);
	grow_cwnd(&r->growth, r->cwnd, r->now.cwnd, REMOTE_CWND_BUCKETS);
	r->growth.cwnd_min = min[r->now.head.seq & 1];
}

/* Totals that begin anew: what they are now is what growth counts from. */
static void begin(struct remotes *r, const struct tcp_record *tcp, uint64_t mono_ns)
{
	start_from(&r->before, &tcp->sums);
	r->taken = *tcp;
	memcpy(r->cwnd, tcp->cwnd, sizeof(r->cwnd));
	memset(r->carried, 0, sizeof(r->carried));
	for (size_t i = 0; i < r->n; i++) {
		if (!r->at[i].fresh)
			continue;
		r->at[i].known = r->at[i].fresh = false;
		grow_remote(&r->at[i], false, mono_ns, 1);
	}
	r->epoch = tcp->head.index;
}

/* What a second is measured by: its looks, its walks, those that could tell how long nobody has read;
 * the share of sockets at work that a look reads; its length. */
struct measure {
	double passes, walks, timed, share, dt;
};

/* ---- rows ---- */

/* `base` is M_CWND_LN or M_REM_CWND_LN: both families have the same metrics in the same order. */
static void fill(struct second_row *row, int base, const struct growth *g, uint32_t buckets,
		 uint32_t sub_bits, const struct measure *by)
{
	static const struct {
		enum metric_id id;
		double per;
	} counters[COUNTERS] = {
		[C_RX] = {M_TCP_RXKB_S, 1024},	[C_TX] = {M_TCP_TXKB_S, 1024},
		[C_SEGS_IN] = {M_ISEG_S, 1},	[C_SEGS_OUT] = {M_OSEG_S, 1},
		[C_DATA_IN] = {M_IDSEG_S, 1},	[C_DATA_OUT] = {M_ODSEG_S, 1},
		[C_RETRANS] = {M_RETRANS_S, 1}, [C_OOO] = {M_OOO_S, 1},
	};
	double active = (double)g->l[L_ACTIVE];
	int to = base - M_CWND_LN;

	for (int i = 0; i < COUNTERS; i++)
		second_set(row, to + (int)counters[i].id,
			   rate(g->c[i], 0, counters[i].per, by->dt));
	second_set(row, to + M_TCPSCK, ratio((double)g->l[L_SOCKETS], by->walks));
	second_set(row, to + M_TCP_ACTIVE, ratio(active, by->passes * by->share));
	second_set(row, to + M_TCP_UNREAD, ratio((double)g->l[L_UNREAD], by->timed));
	second_set(row, to + M_TCP_STALLED, ratio((double)g->l[L_STALLED], by->timed));
	second_set(row, to + M_CWND_LN, ratio((double)g->l[L_LN_CWND] / (1 << 20), active));
	second_set(row, to + M_SRTT, ratio((double)g->l[L_SRTT] / 1000, active));
	second_set(row, to + M_SSTHRESH,
		   ratio((double)g->l[L_SSTHRESH], (double)g->l[L_SSTHRESH_N]));
	second_set(row, to + M_CWND_MEDIAN, bucket_quantile(g->cwnd, buckets, sub_bits, 0.5));
	if (g->cwnd_min)
		second_set(row, to + M_CWND_MIN, g->cwnd_min);
}

static void instance_name(char *name, const struct remote_key *key)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	bool v4 = !memcmp(key->addr, mapped, sizeof(mapped));
	char addr[INET6_ADDRSTRLEN], port[8] = "*";

	inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? key->addr + 12 : key->addr, addr, sizeof(addr));
	if (key->port)
		snprintf(port, sizeof(port), "%u", key->port);
	snprintf(name, INSTANCE_LEN, v4 ? "%s>%s" : "[%s]>%s", addr, port);
}

static uint64_t bytes_of(const struct remote *r)
{
	return r->growth.c[C_RX] == UNKNOWN ? 0 : r->growth.c[C_RX] + r->growth.c[C_TX];
}

/* The busiest first; the slot for all that found no room never stands alone. */
static int busier(const void *x, const void *y)
{
	const struct remote *a = *(struct remote *const *)x, *b = *(struct remote *const *)y;
	uint64_t sockets_a = a->growth.l[L_SOCKETS], sockets_b = b->growth.l[L_SOCKETS];

	if (a->now.key.other != b->now.key.other)
		return a->now.key.other - b->now.key.other;
	if (bytes_of(a) != bytes_of(b))
		return bytes_of(a) > bytes_of(b) ? -1 : 1;
	if (sockets_a != sockets_b)
		return sockets_a > sockets_b ? -1 : 1;
	return memcmp(&a->now.key, &b->now.key, sizeof(a->now.key));
}

static bool grew(const struct growth *g)
{
	uint64_t any = g->l[L_SOCKETS];

	for (int i = 0; i < COUNTERS; i++)
		any |= g->c[i] == UNKNOWN ? 0 : g->c[i];
	return any > 0;
}

/* Those with a record since they were merged last, grown; and forgets those long without one. */
static size_t gather(struct remotes *r, const struct tcp_record *tcp, uint64_t mono_ns, double dt,
		     struct remote **list)
{
	size_t n = 0;

	for (size_t i = r->n; i-- > 0;) {
		if (r->at[i].fresh || mono_ns - r->at[i].seen_ns <= FORGET_NS)
			continue;
		map_remove(&r->by_key, i);
		r->at[i] = r->at[--r->n];
	}
	for (size_t i = 0; i < r->n; i++) {
		struct remote *at = &r->at[i];

		if (!at->fresh)
			continue;
		/* Where hosts have found no room, one may be new here only. */
		grow_remote(at, !tcp->remotes_refused, mono_ns, dt);
		at->fresh = false;
		if (grew(&at->growth))
			list[n++] = at;
	}
	qsort(list, n, sizeof(*list), busier);
	return n;
}

static void add_up(struct growth *sum, const struct growth *g)
{
	for (int i = 0; i < LOOKS; i++)
		sum->l[i] += g->l[i];
	for (int i = 0; i < REMOTE_CWND_BUCKETS; i++)
		sum->cwnd[i] += g->cwnd[i];
	if (g->cwnd_min && (!sum->cwnd_min || g->cwnd_min < sum->cwnd_min))
		sum->cwnd_min = g->cwnd_min;
}

/*
 * One row for the others. Its counters are what all sockets together grew by beyond the rows, so
 * that the family's sums are right even where a socket moved from one host's total to another's.
 * What a row has before the whole has it (a socket was closing) is kept for the next second.
 */
static bool others(struct remotes *r, const struct growth *all, struct remote *const *list,
		   size_t shown, size_t n, struct growth *sum)
{
	bool some = n > shown;

	memset(sum, 0, sizeof(*sum));
	for (int i = 0; i < COUNTERS; i++) {
		if (all->c[i] == UNKNOWN) {
			sum->c[i] = UNKNOWN;
			continue;
		}
		r->carried[i] += (int64_t)all->c[i];
		for (size_t k = 0; k < shown; k++)
			r->carried[i] -= (int64_t)list[k]->growth.c[i];
		sum->c[i] = r->carried[i] > 0 ? (uint64_t)r->carried[i] : 0;
		some |= sum->c[i] > 0;
	}
	for (size_t k = shown; k < n; k++)
		add_up(sum, &list[k]->growth);
	for (int i = 0; some && i < COUNTERS; i++)
		if (sum->c[i] != UNKNOWN)
			r->carried[i] -= (int64_t)sum->c[i];
	return some;
}

static int add_remotes(struct remotes *r, const struct growth *all, struct remote *const *list,
		       size_t n, const struct measure *by, struct second *out)
{
	char name[INSTANCE_LEN];
	struct growth sum;
	size_t shown = 0;

	while (shown < n && shown < SHOWN_REMOTES && !list[shown]->now.key.other)
		shown++;
	for (size_t i = 0; i <= shown; i++) {
		const struct growth *g = i < shown ? &list[i]->growth : &sum;
		struct second_row *row;

		if (i < shown)
			instance_name(name, &list[i]->now.key);
		else if (others(r, all, list, shown, n, &sum))
			strcpy(name, "(other)");
		else
			break;
		row = second_add_row(out, FAM_REMOTE, name, 0);
		if (!row)
			return -ENOMEM;
		fill(row, M_REM_CWND_LN, g, REMOTE_CWND_BUCKETS, REMOTE_CWND_SUB_BITS, by);
	}
	return 0;
}

/* ---- all ---- */

static int add_sockets(struct merge *m, const struct measure *by, struct second *out,
		       struct second_row *row)
{
	const struct tcp_record *now = &m->now->tcp;
	struct remote *list[MAX_KNOWN];
	struct remotes *r = m->remotes;
	struct growth all;
	size_t n;

	grow(&all, &r->before, &now->sums, by->dt);
	r->taken = *now;
	grow_cwnd(&all, r->cwnd, now->cwnd, CWND_BUCKETS);
	all.cwnd_min = now->cwnd_min[now->head.seq & 1];
	fill(row, M_CWND_LN, &all, CWND_BUCKETS, CWND_SUB_BITS, by);
	n = gather(r, now, m->now->reading.mono_ns, by->dt, list);
	return add_remotes(r, &all, list, n, by, out);
}

static struct measure measure_of(const struct tcp_record *now, const struct tcp_record *before,
				 double dt)
{
	double share = ratio((double)(now->looked - before->looked),
			     (double)(now->at_work - before->at_work));

	return (struct measure){(double)(now->passes - before->passes),
				(double)(now->walks - before->walks),
				(double)(now->timed - before->timed), isnan(share) ? 1 : share, dt};
}

int merge_add_tcp(struct merge *m, double dt, struct second *out)
{
	const struct tcp_record *now = &m->now->tcp, *before = &m->before->tcp;
	bool traced = m->status[PROBE_RETRANSMIT].ok;
	const struct measure second = measure_of(now, before, dt);
	/* A second without a walk is left to the next. */
	const struct measure by = measure_of(now, &m->remotes->taken, dt);
	struct second_row *row;
	size_t place;
	int err = 0;

	if (!now->passes && !traced)
		return 0;
	row = second_add_row(out, FAM_TCP, "", 0);
	if (!row)
		return -ENOMEM;
	place = out->n_rows - 1;
	if (now->passes)
		second_set(row, M_TCP_LOOKS, ratio(second.passes * second.share, dt));
	if (now->head.index != m->remotes->epoch) {
		/* A host whose record is missing now would count from 0 later. */
		if (m->now->end.lost_records == m->before->end.lost_records)
			begin(m->remotes, now, m->now->reading.mono_ns);
	} else if (now->head.index && by.passes > 0 && by.walks > 0) {
		err = add_sockets(m, &by, out, row);
	}
	if (traced) /* add_sockets() may have moved the row */
		second_set(&out->rows[place], M_RETRANS_S,
			   rate(now->retransmits, before->retransmits, 1, dt));
	return err;
}
