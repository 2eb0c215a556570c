/* SPDX-License-Identifier: BSD-2-Clause */
/* Intervals as they are given, kept, so that two ways of getting them can be compared. */
#ifndef LIMPET_ROBUST_HOPS_H
#define LIMPET_ROBUST_HOPS_H

#include "analyzer/input/gather.h"

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
	int fail_at; /* interval() fails at this interval; 0: never */
};

static inline int keep_begin(void *arg, const char *const *hosts, size_t n)
{
	struct kept *k = arg;

	k->begun++;
	k->hosts = n;
	for (size_t i = 0; i < n && i < 8; i++)
		snprintf(k->host[i], HOST_LEN, "%s", hosts[i]);
	return 0;
}

static inline int keep_identity(void *arg, size_t node, const struct device_identity *id)
{
	struct kept *k = arg;

	assert_true(node < k->hosts);
	assert_true(id->family == FAM_DISK || id->family == FAM_NET);
	k->identities++;
	return 0;
}

static inline int keep_own(void *arg, size_t node, const char *cgroup)
{
	struct kept *k = arg;

	assert_true(node < k->hosts);
	if (k->owns < 4) {
		snprintf(k->own[k->owns], sizeof(k->own[0]), "%s", cgroup);
		k->owner[k->owns] = node;
	}
	k->owns++;
	return 0;
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

static inline int keep_interval(void *arg, int64_t from_ns, const struct interval *const *at,
				size_t n)
{
	struct kept *k = arg;
	bool any = false;

	assert_int_equal(n, k->hosts);
	assert_true(!k->intervals || from_ns > k->last_ns);
	k->last_ns = from_ns;
	k->intervals++;
	if (k->fail_at && k->intervals == (size_t)k->fail_at)
		return -ENOSPC;
	for (size_t i = 0; i <= n && k->n < 8000; i++) {
		struct kept_interval *to = &k->at[k->n];
		const struct interval *h = i < n ? at[i] : NULL;

		if ((i < n && !h) || (i == n && any))
			continue;
		*to = (struct kept_interval){.from_ns = from_ns, .host = i < n ? i : SIZE_MAX};
		k->n++;
		if (!h)
			continue;
		any = true;
		assert_true(h->from_ns == from_ns && h->seconds);
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
	return 0;
}

static inline struct gather_to keep_in(struct kept *k)
{
	memset(k, 0, sizeof(*k));
	return (struct gather_to){keep_begin, keep_identity, keep_own, keep_interval, k};
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

static inline int gather_dir(const char *dir, const struct gather_opts *o, struct kept *k,
			     struct gathered *out)
{
	struct gather_to to = keep_in(k);
	char *paths[] = {(char *)(uintptr_t)dir};
	struct sources s;
	int err = sources_open(&s, paths, 1, NULL, NULL);

	if (!err)
		err = gather_series(&s, o, &to, out);
	sources_release(&s);
	return err;
}

#endif
