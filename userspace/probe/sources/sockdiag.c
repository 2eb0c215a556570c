// SPDX-License-Identifier: BSD-2-Clause
/*
 * TCP sockets by NETLINK_SOCK_DIAG. The counters of each socket as it was in the pass before are
 * kept by its cookie; what they grew by is added to its remote host. Totals begin with 0 at the
 * first pass, and a socket that appears later counts in full.
 */
#include "sockdiag.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/map.h"

#define MAX_SOCKETS	  32768	       /* kept by cookie; those beyond only count as sockets */
#define IDLE_NS		  600000000000 /* as tcp.bpf.c: then there is room for another host */
#define REPLY_BYTES	  32768
#define INFINITE_SSTHRESH 0x7fffffff

/* Of the kernel's include/net/tcp_states.h. */
enum { ESTABLISHED = 1, TIME_WAIT = 6, CLOSE = 7, LISTEN = 10, CLOSING = 11 };

/* The words of struct socket_sums that are a socket's own. */
enum { COUNTERS = 8 };

struct known {
	uint64_t cookie;
	uint64_t c[COUNTERS];
	uint32_t place; /* of its host: a socket stays where it was first counted */
	int64_t waits_ns; /* since when it waits for an acknowledgement, and none came; 0: it does not */
};

struct table {
	struct known *at;
	size_t n, room;
	struct map by_cookie;
};

struct host {
	struct remote_record rec;
	uint32_t min;	 /* smallest window since the records were taken last */
	int64_t used_ns; /* the last pass that saw a socket of it */
	bool used;
};

struct tcp_totals {
	struct tcp_record tcp;
	uint32_t min;
	struct host host[MAX_REMOTES + 1]; /* the last: those that found no room */
	uint32_t lives;
};

struct sockdiag {
	const uint16_t *ports;
	size_t n_ports;
	int fd; /* or -errno */
	uint32_t seq;
	struct table before, now;
	/* There were more sockets than can be kept, in this pass and in the one before. */
	bool crowded, was_crowded;
	uint8_t listened[65536 / 8];
	int64_t pass_ns, last_pass_ns; /* when this and the last pass began */
	char *reply;
	struct tcp_totals *work; /* the pass thread's own */
	pthread_mutex_t lock;
	struct tcp_totals *done; /* after the last whole pass */
};

struct sockdiag *sockdiag_new(const uint16_t *ports, size_t n_ports)
{
	struct sockdiag *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->fd = -ENOTCONN;
	d->ports = ports;
	d->n_ports = n_ports;
	pthread_mutex_init(&d->lock, NULL);
	d->reply = malloc(REPLY_BYTES);
	d->work = calloc(1, sizeof(*d->work));
	d->done = calloc(1, sizeof(*d->done));
	if (!d->reply || !d->work || !d->done) {
		sockdiag_free(d);
		errno = ENOMEM;
		return NULL;
	}
	return d;
}

void sockdiag_open(struct sockdiag *d)
{
	d->fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (d->fd < 0)
		d->fd = -errno;
}

void sockdiag_free(struct sockdiag *d)
{
	if (!d)
		return;
	if (d->fd >= 0)
		close(d->fd);
	pthread_mutex_destroy(&d->lock);
	free(d->before.at);
	map_release(&d->before.by_cookie);
	free(d->now.at);
	map_release(&d->now.by_cookie);
	free(d->reply);
	free(d->work);
	free(d->done);
	free(d);
}

/* ---- sockets by cookie ---- */

static struct known *recall(const struct table *t, uint64_t cookie)
{
	size_t at = map_find(i, &t->by_cookie, map_hash_number(cookie), t->at[i].cookie == cookie);

	return at == MAP_NONE ? NULL : &t->at[at];
}

/* The socket in this pass's table; NULL when there are too many. */
static struct known *remember(struct sockdiag *d, uint64_t cookie)
{
	struct table *t = &d->now;
	struct known *k = t->n < MAX_SOCKETS ? recall(t, cookie) : NULL;

	if (!k && t->n < MAX_SOCKETS)
		k = map_append(&t->by_cookie, map_hash_number(cookie),
			       array_refill(&t->at, &t->n, &t->room), &t->n);
	if (!k) {
		d->crowded = true;
		return NULL;
	}
	k->cookie = cookie;
	return k;
}

/* ---- remote hosts ---- */

static bool listened(const struct sockdiag *d, uint16_t port)
{
	return d->listened[port / 8] >> port % 8 & 1;
}

static void make_key(const struct sockdiag *d, const struct inet_diag_msg *m,
		     struct remote_key *key)
{
	uint16_t port = ntohs(m->id.idiag_sport);

	memset(key, 0, sizeof(*key));
	if (m->idiag_family == AF_INET6) {
		memcpy(key->addr, m->id.idiag_dst, 16);
	} else {
		key->addr[10] = key->addr[11] = 0xff;
		memcpy(key->addr + 12, m->id.idiag_dst, 4);
	}
	key->port = d->n_ports || listened(d, port) ? port : 0;
}

static uint32_t host_of(struct sockdiag *d, const struct inet_diag_msg *m)
{
	struct remote_key key;
	struct host *h = d->work->host;
	uint32_t room = MAX_REMOTES;

	make_key(d, m, &key);
	for (uint32_t i = 0; i < MAX_REMOTES; i++) {
		if (h[i].used && !memcmp(&h[i].rec.key, &key, sizeof(key)))
			return i;
		if (!h[i].used && room == MAX_REMOTES)
			room = i;
	}
	if (room < MAX_REMOTES) {
		memset(&h[room], 0, sizeof(h[room]));
		h[room].used = true;
		h[room].used_ns = d->pass_ns;
		h[room].rec.key = key;
		h[room].rec.head.index = ++d->work->lives;
	}
	return room;
}

/* ---- one socket ---- */

static bool selected(const struct sockdiag *d, uint16_t port)
{
	for (size_t i = 0; i < d->n_ports; i++)
		if (d->ports[i] == port)
			return true;
	return !d->n_ports;
}

static void count_window(uint32_t *counts, uint32_t n, uint32_t sub_bits, uint32_t cwnd)
{
	uint32_t b = bucket_of(cwnd, sub_bits);

	counts[b < n ? b : n - 1]++;
}

static void add_window(struct sockdiag *d, struct host *h, const struct tcp_info *info)
{
	struct socket_sums *sums[2] = {&d->work->tcp.sums, &h->rec.sums};
	uint32_t cwnd = info->tcpi_snd_cwnd ? info->tcpi_snd_cwnd : 1;

	for (int i = 0; i < 2; i++) {
		sums[i]->active++;
		sums[i]->ln_cwnd_q20 += (uint64_t)lround(log(cwnd) * (1 << 20));
		sums[i]->srtt_us += info->tcpi_rtt;
		if (info->tcpi_snd_ssthresh < INFINITE_SSTHRESH) {
			sums[i]->ssthresh += info->tcpi_snd_ssthresh;
			sums[i]->ssthresh_n++;
		}
	}
	if (!d->work->min || cwnd < d->work->min)
		d->work->min = cwnd;
	if (!h->min || cwnd < h->min)
		h->min = cwnd;
	count_window(d->work->tcp.cwnd, CWND_BUCKETS, CWND_SUB_BITS, cwnd);
	count_window(h->rec.cwnd, REMOTE_CWND_BUCKETS, REMOTE_CWND_SUB_BITS, cwnd);
}

/* Whether a data segment was sent since the last pass began, where the kernel says how many ms ago, or
 * one is on its way. */
static bool active(const struct sockdiag *d, const struct tcp_info *info)
{
	return d->last_pass_ns &&
	       (info->tcpi_unacked || (int64_t)info->tcpi_last_data_sent * NS_PER_MS <=
					      clock_ns(CLOCK_MONOTONIC) - d->last_pass_ns);
}

/* As UNREAD_NS says. */
static bool is_unread(const struct sockdiag *d, const struct inet_diag_msg *m,
		      const struct tcp_info *info)
{
	return m->idiag_rqueue && listened(d, ntohs(m->id.idiag_sport)) &&
	       info->tcpi_last_data_recv >= UNREAD_NS / NS_PER_MS;
}

/* Since when a socket has had data to send of which nothing was acknowledged; 0: it has none. */
static int64_t waits_since(const struct sockdiag *d, const struct tcp_info *info,
			   const struct known *before)
{
	if (!info->tcpi_unacked && !info->tcpi_notsent_bytes)
		return 0;
	return before && before->waits_ns && before->c[1] == info->tcpi_bytes_acked
		       ? before->waits_ns
		       : d->pass_ns;
}

static void read_counters(const struct tcp_info *info, uint64_t *c)
{
	c[0] = info->tcpi_bytes_received;
	c[1] = info->tcpi_bytes_acked;
	c[2] = info->tcpi_segs_in;
	c[3] = info->tcpi_segs_out;
	c[4] = info->tcpi_data_segs_in;
	c[5] = info->tcpi_data_segs_out;
	c[6] = info->tcpi_total_retrans;
	c[7] = info->tcpi_rcv_ooopack;
}

/* Adds what a socket has counted since `from`; segments have 32 bits and may have wrapped. */
static void add_growth(struct sockdiag *d, uint32_t place, const uint64_t *c, const uint64_t *from)
{
	uint64_t *all = (uint64_t *)&d->work->tcp.sums;
	uint64_t *one = (uint64_t *)&d->work->host[place].rec.sums;

	d->work->host[place].used_ns = d->pass_ns;
	for (int i = 0; i < COUNTERS; i++) {
		uint64_t more = i < 2 ? (c[i] > from[i] ? c[i] - from[i] : 0)
				      : (uint32_t)c[i] - (uint32_t)from[i];

		if (i >= 2 && more > INT32_MAX)
			more = 0;
		all[i] += more;
		one[i] += more;
	}
}

static uint64_t cookie_of(const struct inet_diag_msg *m)
{
	return (uint64_t)m->id.idiag_cookie[1] << 32 | m->id.idiag_cookie[0];
}

/* The first pass is where totals begin; a socket that appears later counts in full. */
static bool counts_in_full(const struct sockdiag *d)
{
	return d->last_pass_ns && !d->crowded && !d->was_crowded;
}

static const uint64_t zero[COUNTERS];

static void add_socket(struct sockdiag *d, const struct inet_diag_msg *m,
		       const struct tcp_info *info)
{
	const struct known *before = recall(&d->before, cookie_of(m));
	struct known *now = remember(d, cookie_of(m));
	uint32_t place = before ? before->place : now ? host_of(d, m) : MAX_REMOTES;
	struct host *h = &d->work->host[place];
	int64_t waits_ns = waits_since(d, info, before);

	h->used_ns = d->pass_ns;
	d->work->tcp.remotes_refused += place == MAX_REMOTES;
	if (now) {
		now->place = place;
		now->waits_ns = waits_ns;
		read_counters(info, now->c);
		add_growth(d, place, now->c,
			   before	       ? before->c
			   : counts_in_full(d) ? zero
					       : now->c);
	}
	if (m->idiag_state != ESTABLISHED)
		return;
	d->work->tcp.sums.sockets++;
	h->rec.sums.sockets++;
	if (is_unread(d, m, info)) {
		d->work->tcp.sums.unread++;
		h->rec.sums.unread++;
	}
	if (waits_ns && d->pass_ns - waits_ns >= (int64_t)UNREAD_NS) {
		d->work->tcp.sums.stalled++;
		h->rec.sums.stalled++;
	}
	if (active(d, info))
		add_window(d, h, info);
}

static void take_socket(struct sockdiag *d, const struct nlmsghdr *h)
{
	const struct inet_diag_msg *m = NLMSG_DATA(h);
	int left = (int)h->nlmsg_len - (int)NLMSG_LENGTH(sizeof(*m));
	uint16_t port = ntohs(m->id.idiag_sport);
	struct tcp_info info = {0};

	if (left < 0)
		return;
	if (m->idiag_state == LISTEN) {
		d->listened[port / 8] |= (uint8_t)(1 << port % 8);
		return;
	}
	if (!selected(d, port))
		return;
	for (const struct rtattr *a = (const struct rtattr *)(m + 1); RTA_OK(a, left);
	     a = RTA_NEXT(a, left)) {
		size_t n = RTA_PAYLOAD(a);

		if (a->rta_type != INET_DIAG_INFO)
			continue;
		/* Older kernels tell less, newer ones more. */
		memcpy(&info, RTA_DATA(a), n < sizeof(info) ? n : sizeof(info));
		add_socket(d, m, &info);
		return;
	}
}

/* ---- passes ---- */

static int ask(struct sockdiag *d, int family)
{
	struct {
		struct nlmsghdr h;
		struct inet_diag_req_v2 r;
	} q = {
		.h = {.nlmsg_len = sizeof(q),
		      .nlmsg_type = SOCK_DIAG_BY_FAMILY,
		      .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		      .nlmsg_seq = ++d->seq},
		.r = {.sdiag_family = (uint8_t)family,
		      .sdiag_protocol = IPPROTO_TCP,
		      .idiag_ext = 1 << (INET_DIAG_INFO - 1),
		      /* Nothing above: requests, and what is merely bound, which takes long. */
		      .idiag_states = ((2U << CLOSING) - 2) & ~(1U << TIME_WAIT | 1U << CLOSE)},
	};

	return send(d->fd, &q, sizeof(q), 0) == sizeof(q) ? 0 : -errno;
}

static int dump(struct sockdiag *d, int family)
{
	int err = ask(d, family);

	while (!err) {
		ssize_t got = recv(d->fd, d->reply, REPLY_BYTES, 0);
		unsigned int left = got > 0 ? (unsigned int)got : 0;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EPIPE;
		for (const struct nlmsghdr *h = (const struct nlmsghdr *)d->reply;
		     NLMSG_OK(h, left); h = NLMSG_NEXT(h, left)) {
			if (h->nlmsg_seq != d->seq)
				continue; /* of a pass that failed half way */
			if (h->nlmsg_type == NLMSG_DONE)
				return 0;
			if (h->nlmsg_type == NLMSG_ERROR)
				return ((const struct nlmsgerr *)NLMSG_DATA(h))->error;
			if (h->nlmsg_type == SOCK_DIAG_BY_FAMILY)
				take_socket(d, h);
		}
	}
	return err;
}

static void keep_smaller(uint32_t *min, uint32_t other)
{
	if (other && (!*min || other < *min))
		*min = other;
}

static void publish(struct sockdiag *d)
{
	struct tcp_totals *w = d->work;
	struct table swap = d->before;

	d->before = d->now;
	d->now = swap;
	d->last_pass_ns = d->pass_ns;
	d->was_crowded = d->crowded;
	w->tcp.passes++;
	w->tcp.walks++;
	w->tcp.timed++;
	w->tcp.head.index = 1;
	w->tcp.retransmits = UNKNOWN;
	pthread_mutex_lock(&d->lock);
	/* Smallest windows that nobody has taken yet. */
	keep_smaller(&w->min, d->done->min);
	for (uint32_t i = 0; i <= MAX_REMOTES; i++) {
		if (w->host[i].rec.head.index == d->done->host[i].rec.head.index)
			keep_smaller(&w->host[i].min, d->done->host[i].min);
		if (d->pass_ns - w->host[i].used_ns > IDLE_NS)
			w->host[i].used = false;
	}
	memcpy(d->done, w, sizeof(*w));
	pthread_mutex_unlock(&d->lock);
}

static void forget_pass(struct sockdiag *d)
{
	pthread_mutex_lock(&d->lock);
	memcpy(d->work, d->done, sizeof(*d->work));
	pthread_mutex_unlock(&d->lock);
}

int sockdiag_pass(struct sockdiag *d)
{
	int err;

	if (d->fd < 0)
		return d->fd;
	d->pass_ns = clock_ns(CLOCK_MONOTONIC);
	d->crowded = false;
	d->now.n = 0;
	map_clear(&d->now.by_cookie);
	d->work->min = 0;
	for (int i = 0; i <= MAX_REMOTES; i++)
		d->work->host[i].min = 0;
	/* IPv6 first: its listeners take IPv4 connections too. */
	err = dump(d, AF_INET6);
	if (err == -ENOENT || err == -EAFNOSUPPORT)
		err = 0;
	err = err ? err : dump(d, AF_INET);
	if (err)
		forget_pass(d);
	else
		publish(d);
	return err;
}

void sockdiag_records(struct sockdiag *d, uint64_t seq,
		      void (*fn)(void *arg, const struct record_head *rec), void *arg)
{
	struct tcp_totals *t = d->done;

	pthread_mutex_lock(&d->lock);
	for (int i = 0; t->tcp.passes && i <= MAX_REMOTES; i++) {
		struct host *h = &t->host[i];

		/* One whose sockets have gone is given until it is forgotten: it may be the first
		 * time that it is taken. */
		if (!h->used_ns || !(h->used || i == MAX_REMOTES))
			continue;
		h->rec.head.type = REC_REMOTE;
		h->rec.head.seq = seq;
		h->rec.key.other = i == MAX_REMOTES;
		h->rec.cwnd_min[seq & 1] = h->min;
		h->min = 0;
		fn(arg, &h->rec.head);
	}
	if (t->tcp.passes) {
		t->tcp.head.type = REC_TCP;
		t->tcp.head.seq = seq;
		t->tcp.cwnd_min[seq & 1] = t->min;
		t->min = 0;
		fn(arg, &t->tcp.head);
	}
	pthread_mutex_unlock(&d->lock);
}
