/* SPDX-License-Identifier: BSD-2-Clause */
/* Intervals as they are given, kept, so that two ways of getting them can be compared. */
#ifndef LIMPET_ROBUST_HOPS_H
#define LIMPET_ROBUST_HOPS_H

#include "analyzer/source/feed.h"

struct kept_interval {
	int64_t from_ns;
	size_t host; /* SIZE_MAX: nobody had it */
	unsigned int seconds, boots;
	uint64_t lost, events, n_runq;
	double sums; /* of everything, so that nothing may differ */
	double reads_kb, cpu_s;
	char cgroup[128];
};

struct kept {
	struct kept_interval at[8000];
	size_t n, intervals, begun, hosts, identities, owns;
	char own[4][64]; /* control groups, as they came */
	size_t owner[4];
	char host[8][HOST_LEN];
	int64_t last_ns;
	bool any; /* since the last TICK: rows */
};

static inline void keep_server(struct kept *k, const struct feed_item *item)
{
	size_t i = item->server;

	assert_true(!k->any && i == k->hosts && i < item->named.servers);
	if (i < 8)
		snprintf(k->host[i], HOST_LEN, "%s", item->named.name);
	k->hosts = i + 1;
	k->begun += k->hosts == item->named.servers;
}

static inline void keep_identity(struct kept *k, const struct feed_item *item)
{
	assert_true(item->server < k->hosts);
	assert_true(item->identity->family == FAM_DISK || item->identity->family == FAM_NET);
	k->identities++;
}

static inline void keep_own(struct kept *k, const struct feed_item *item)
{
	assert_true(item->server < k->hosts);
	if (k->owns < 4) {
		snprintf(k->own[k->owns], sizeof(k->own[0]), "%s", item->own);
		k->owner[k->owns] = item->server;
	}
	k->owns++;
}

static inline double sums_of(const struct interval *h)
{
	double sum = 0;

	for (size_t i = 0; i < NODE_ACCS; i++)
		sum += h->acc[i].sum * (double)(i + 1) + h->acc[i].n;
	for (size_t d = 0; d < h->n_disks; d++) {
		for (size_t i = 0; i < DISK_ACCS; i++)
			sum += h->disks[d].acc[i].sum * (double)(i + 1) + h->disks[d].acc[i].n;
		for (size_t i = 0; i < h->disks[d].n_lat; i++) {
			const struct interval_lat *l = &h->disks[d].lat[i];

			for (size_t b = 0; b < l->n; b++)
				sum += (double)(l->first + b) * l->at[b] * (l->cell + 9);
		}
	}
	for (size_t i = 0; i < h->n_remotes; i++)
		sum += h->remotes[i].data_out + 2 * h->remotes[i].tx_kb;
	return sum;
}

static inline struct kept_interval *keep_next(struct kept *k, const struct feed_item *item)
{
	struct kept_interval *to;

	assert_true(item->known_ns == item->to_ns && item->to_ns > item->from_ns);
	assert_true(k->n < sizeof(k->at) / sizeof(*k->at));
	to = &k->at[k->n++];
	*to = (struct kept_interval){.from_ns = item->from_ns, .host = item->server};
	return to;
}

static inline void keep_row(struct kept *k, const struct feed_item *item)
{
	const struct kept_interval *last = k->any ? &k->at[k->n - 1] : NULL;
	const struct interval *h = item->interval;
	struct kept_interval *to;

	assert_true(item->server < k->hosts);
	assert_true(!last || (last->from_ns == item->from_ns && last->host < item->server));
	to = keep_next(k, item);
	k->any = true;
	assert_true(h->from_ns == item->from_ns && h->seconds);
	to->seconds = h->seconds;
	to->boots = h->boots;
	to->lost = h->lost;
	to->n_runq = h->n_runq;
	to->sums = sums_of(h);
	to->reads_kb = h->n_disks ? h->disks[0].acc[DA_READ_KB].sum : NAN;
	for (size_t d = 0; d < h->n_disks; d++)
		for (size_t j = 0; j < h->disks[d].n_lat; j++)
			to->events += h->disks[d].lat[j].count;
	if (h->n_processes) {
		to->cpu_s = h->processes[0].cpu_s;
		memcpy(to->cgroup, h->processes[0].cgroup, sizeof(to->cgroup));
	}
}

static inline void keep_tick(struct kept *k, const struct feed_item *item)
{
	assert_true(!k->intervals || item->from_ns > k->last_ns);
	assert_true(!k->any || k->at[k->n - 1].from_ns == item->from_ns);
	k->last_ns = item->from_ns;
	k->intervals++;
	if (!k->any)
		keep_next(k, item)->host = SIZE_MAX;
	k->any = false;
}

/* All items until END or NOT_YET: how many intervals they were, or a negative errno. */
static inline ssize_t keep_all(struct kept *k, struct feed *f)
{
	size_t before = k->intervals;
	struct feed_item item;
	int err;

	while (!(err = feed_next(f, &item)) && item.kind != FEED_END && item.kind != FEED_NOT_YET) {
		if (item.kind == FEED_SERVER)
			keep_server(k, &item);
		else if (item.kind == FEED_IDENTITY)
			keep_identity(k, &item);
		else if (item.kind == FEED_OWN)
			keep_own(k, &item);
		else if (item.kind == FEED_ROW)
			keep_row(k, &item);
		else
			keep_tick(k, &item);
	}
	return err ? err : (ssize_t)(k->intervals - before);
}

/* Of a feed that grows, by this time. */
static inline ssize_t keep_until(struct kept *k, struct feed *f, int64_t now_ns)
{
	feed_now(f, now_ns);
	return keep_all(k, f);
}

static inline bool same_double(double a, double b)
{
	return (isnan(a) && isnan(b)) || a == b;
}

static inline void assert_same(const struct kept *a, const struct kept *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		const struct kept_interval *x = &a->at[i], *y = &b->at[i];

		if (x->from_ns != y->from_ns || x->host != y->host || x->seconds != y->seconds ||
		    x->boots != y->boots || x->lost != y->lost || x->events != y->events ||
		    x->n_runq != y->n_runq || !same_double(x->sums, y->sums) ||
		    strcmp(x->cgroup, y->cgroup))
			fail_msg("interval %zu (%lld s) differs: %u and %u seconds", i,
				 (long long)(x->from_ns / NS), x->seconds, y->seconds);
	}
}

/* Seconds [sec, sec + n) of a host, continued after `seq`. */
static inline void write_host(struct fixture *fx, const char *host, uint64_t seq, int n,
			      int64_t sec)
{
	struct device_identity id = {.family = FAM_PROCESS,
				     .name = "fio:1234",
				     .rotational = -1,
				     .size_bytes = -1,
				     .speed_mbps = -1,
				     .detail = "/jobs/7"};
	struct device_identity disk = {.family = FAM_DISK,
				       .name = "loop3",
				       .model = "disk 1",
				       .rotational = 1,
				       .size_bytes = 5,
				       .speed_mbps = -1};
	struct series_writer *w = writer(fx, host);
	struct second s;

	second_init(&s);
	assert_int_equal(series_writer_identity(w, &id), 0);
	assert_int_equal(series_writer_identity(w, &disk), 0);
	for (int i = 0; i < n; i++) {
		fill_second(&s, seq + (uint64_t)i, (sec + i) * NS);
		if (series_writer_append(w, &s))
			fail_msg("%s", series_error());
	}
	second_release(&s);
	series_writer_free(w);
}

static inline int gather_sources(const struct sources *s, const struct feed_opts *o, struct kept *k,
				 struct feed_counts *out)
{
	struct feed *f;
	ssize_t n = feed_of_series(&f, s, o);

	memset(k, 0, sizeof(*k));
	if (!n)
		n = keep_all(k, f);
	if (f)
		feed_counts(f, out);
	feed_free(f);
	return n < 0 ? (int)n : 0;
}

static inline int gather_dir(const char *dir, const struct feed_opts *o, struct kept *k,
			     struct feed_counts *out)
{
	char *paths[] = {(char *)(uintptr_t)dir};
	struct sources s;
	int err = sources_open(&s, paths, 1, NULL, NULL);

	if (!err)
		err = gather_sources(&s, o, k, out);
	sources_release(&s);
	return err;
}

#endif
