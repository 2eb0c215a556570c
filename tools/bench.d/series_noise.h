/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A busy server that does not exist: seconds of disks, remote hosts, processes and all the rest,
 * with the noise of real ones. Counts are Poisson-like about a load that wanders, latencies and what
 * follows from them scatter by a few per cent, memory drifts; what hardly ever happens hardly ever
 * happens. For measuring what a series file takes.
 */
#ifndef LIMPET_SERIES_NOISE_H
#define LIMPET_SERIES_NOISE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/second/second.h"

#define NOISE_BEGIN 1795219200 /* 2026-11-21T00:00:00Z */

struct noise {
	int disks, remotes, processes;
	unsigned int interval_ms;
	uint64_t state, seq, mono_ns;
	double load; /* about 1 */
	double mem_kb, dirty_kb, ldavg;
};

static inline double noise_uniform(struct noise *n)
{
	n->state = n->state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (double)(n->state >> 11) / 9007199254740992.0;
}

static inline double noise_normal(struct noise *n)
{
	return sqrt(-2 * log(1 - noise_uniform(n))) * cos(6.283185307179586 * noise_uniform(n));
}

/* A whole number about mean. */
static inline double noise_count(struct noise *n, double mean)
{
	double limit = exp(-mean), p = 1, k = 0;

	if (mean > 30)
		return fmax(0, round(mean + sqrt(mean) * noise_normal(n)));
	while ((p *= noise_uniform(n)) > limit)
		k++;
	return k;
}

static inline void noise_init(struct noise *n, int disks, int remotes, int processes,
			      unsigned int interval_ms)
{
	*n = (struct noise){.disks = disks,
			    .remotes = remotes,
			    .processes = processes,
			    .interval_ms = interval_ms,
			    .state = 4711,
			    .mono_ns = 100000000000ULL,
			    .load = 1,
			    .mem_kb = 3e6,
			    .dirty_kb = 2e5,
			    .ldavg = 2};
}

/* `buckets` neighbouring ones about `centre`, of a bell of n events. */
static inline void noise_hist(struct noise *s, uint32_t *n, double centre, double width,
			      double events)
{
	for (int b = 0; b < 256; b++) {
		double x = (b - centre) / width, mean = events * exp(-x * x / 2) / (2.5066 * width);

		n[b] = mean < 1e-4 ? 0 : (uint32_t)noise_count(s, mean);
	}
}

static inline void noise_disk(struct noise *n, struct second_row *row, double dt)
{
	double r = noise_count(n, 120 * n->load * dt), w = noise_count(n, 260 * n->load * dt);
	double rb = r * 65536 - 4096 * noise_count(n, 2 * r), ms = 2.5 * n->load;
	double wb = w * 40960 + 4096 * noise_count(n, 3 * w);

	for (int m = FIRST_DISK; m < FIRST_NET; m++)
		second_set(row, m, 0);
	second_set(row, M_R_S, r / dt), second_set(row, M_W_S, w / dt);
	second_set(row, M_F_S, noise_count(n, 2 * dt) / dt);
	second_set(row, M_RKB_S, rb / 1024 / dt), second_set(row, M_WKB_S, wb / 1024 / dt);
	second_set(row, M_RRQM_S, noise_count(n, 3 * dt) / dt),
		second_set(row, M_WRQM_S, noise_count(n, 90 * dt) / dt);
	second_set(row, M_IOPS, (r + w) / dt);
	second_set(row, M_RAREQ_SZ, rb / 1024 / r), second_set(row, M_WAREQ_SZ, wb / 1024 / w);
	second_set(row, M_AREQ_SZ, (rb + wb) / 1024 / (r + w));
	second_set(row, M_R_AWAIT, ms * exp(0.1 * noise_normal(n)));
	second_set(row, M_W_AWAIT, 2 * ms * exp(0.1 * noise_normal(n)));
	second_set(row, M_F_AWAIT,
		   second_value(row, M_F_S) > 0 ? 8 * exp(0.3 * noise_normal(n)) : 0);
	second_set(row, M_AWAIT,
		   (second_value(row, M_R_AWAIT) * r + second_value(row, M_W_AWAIT) * w) / (r + w));
	second_set(row, M_R_DEV, 0.8 * ms * exp(0.1 * noise_normal(n)));
	second_set(row, M_W_DEV, 0.9 * ms * exp(0.1 * noise_normal(n)));
	second_set(row, M_AQU_SZ, second_value(row, M_AWAIT) * second_value(row, M_IOPS) / 1000);
	second_set(row, M_UTIL, fmin(100, 60 * n->load * exp(0.05 * noise_normal(n))));
	/* About 40 buckets of each in use: two of the six histograms of reads and writes. */
	for (int i = 0; i < 2; i++) {
		struct lat_hist *h = i ? row->dev : row->lat;

		noise_hist(n, h->n[0][1], 80 - 3 * i, 4, r);
		noise_hist(n, h->n[1][1], 88 - 3 * i, 4, 0.8 * w);
		noise_hist(n, h->n[1][0], 76 - 3 * i, 5, 0.2 * w);
	}
}

static inline void noise_tcp(struct noise *n, struct second_row *row, double dt, double share)
{
	int to = metric_first[row->family] - FIRST_TCP; /* both have the same metrics */
	double load = share * n->load, tx = noise_count(n, 700 * load * dt);
	double rx = noise_count(n, 350 * load * dt);
	double sockets = fmax(1, round(8 * share));

	second_set(row, to + M_CWND_LN, 3.2 + 0.1 * noise_normal(n));
	second_set(row, to + M_CWND_MIN, 10 + noise_count(n, 1));
	second_set(row, to + M_CWND_MEDIAN, 24 + 2 * noise_count(n, 1));
	second_set(row, to + M_SSTHRESH, round(sockets * (20 + noise_normal(n))) / sockets);
	second_set(row, to + M_SRTT, 0.4 * exp(0.15 * noise_normal(n)));
	second_set(row, to + M_RETRANS_S, noise_count(n, 0.02 * dt) / dt);
	second_set(row, to + M_OOO_S, noise_count(n, 0.02 * dt) / dt);
	second_set(row, to + M_TCP_RXKB_S, rx * 1448 / 1024 / dt);
	second_set(row, to + M_TCP_TXKB_S, (tx * 1448 + noise_count(n, 4 * tx)) / 1024 / dt);
	second_set(row, to + M_ISEG_S, (rx + noise_count(n, tx / 2)) / dt);
	second_set(row, to + M_OSEG_S, (tx + noise_count(n, rx / 2)) / dt);
	second_set(row, to + M_IDSEG_S, rx / dt);
	second_set(row, to + M_ODSEG_S, tx / dt);
	second_set(row, to + M_TCPSCK, sockets);
	second_set(row, to + M_TCP_ACTIVE, fmax(1, sockets - noise_count(n, 0.3)));
}

static inline void noise_net(struct noise *n, struct second_row *row, double dt)
{
	double rx = noise_count(n, 3500 * n->load * dt), tx = noise_count(n, 7000 * n->load * dt);

	second_set(row, M_RXPCK_S, rx / dt), second_set(row, M_TXPCK_S, tx / dt);
	second_set(row, M_RXKB_S, rx * 1500 / 1024 / dt);
	second_set(row, M_TXKB_S, (tx * 1500 - noise_count(n, tx)) / 1024 / dt);
	second_set(row, M_RXERR_S,
		   second_set(row, M_TXERR_S,
			      second_set(row, M_RXDROP_S, second_set(row, M_TXDROP_S, 0))));
	second_set(row, M_IFUTIL,
		   fmax(second_value(row, M_RXKB_S), second_value(row, M_TXKB_S)) * 1024 * 8 /
			   1e10 * 100);
}

static inline void noise_host(struct noise *n, struct second_row *row, double dt)
{
	double cpu = 8 * n->load;

	for (int m = FIRST_HOST; m < FIRST_REMOTE; m++)
		second_set(row, m, 0);
	second_set(row, M_USER, cpu * exp(0.1 * noise_normal(n)));
	second_set(row, M_SYSTEM, cpu * exp(0.1 * noise_normal(n)));
	second_set(row, M_IOWAIT, 5 * exp(0.3 * noise_normal(n)));
	second_set(row, M_STEAL, noise_uniform(n) < 0.2 ? 0.1 * noise_uniform(n) : 0);
	second_set(row, M_IDLE,
		   100 - second_value(row, M_USER) - second_value(row, M_SYSTEM) -
			   second_value(row, M_IOWAIT) - second_value(row, M_STEAL));
	second_set(row, M_CSWCH_S, noise_count(n, 9000 * n->load * dt) / dt);
	second_set(row, M_RUNQ_SZ, noise_count(n, 1.5));
	second_set(row, M_BLOCKED, noise_count(n, 1));
	second_set(row, M_PLIST_SZ, 320 + noise_count(n, 2));
	n->ldavg += 0.02 * noise_normal(n);
	second_set(row, M_LDAVG_1, round(100 * fabs(n->ldavg)) / 100);
	second_set(row, M_LDAVG_5, round(20 * fabs(n->ldavg)) / 20);
	second_set(row, M_RUNQ_DELAY, 0.05 * exp(0.2 * noise_normal(n)));
	second_set(row, M_RUNQ_P99, 0.6 * exp(0.2 * round(noise_normal(n))));
	second_set(row, M_PGPGIN_S, 4 * noise_count(n, 1900 * dt) / dt);
	second_set(row, M_PGPGOUT_S, 4 * noise_count(n, 3000 * dt) / dt);
	second_set(row, M_FAULT_S, noise_count(n, 400 * dt) / dt);
	second_set(row, M_MAJFLT_S, noise_count(n, 0.05 * dt) / dt);
	second_set(row, M_PGFREE_S, noise_count(n, 5000 * dt) / dt);
	second_set(row, M_BREAD_S, 15000 * exp(0.1 * noise_normal(n)));
	second_set(row, M_BWRTN_S, 24000 * exp(0.1 * noise_normal(n)));
	n->mem_kb += round(400 * noise_normal(n));
	n->dirty_kb = fabs(n->dirty_kb + round(2000 * noise_normal(n)));
	second_set(row, M_KBMEMFREE, n->mem_kb);
	second_set(row, M_KBAVAIL, n->mem_kb + 4e6 + round(100 * noise_normal(n)));
	second_set(row, M_KBDIRTY, n->dirty_kb);
	second_set(row, M_SCPU, fabs(round(100 * (1 + 0.3 * noise_normal(n))) / 100));
	second_set(row, M_SIO, fabs(round(100 * (3 + noise_normal(n))) / 100));
	second_set(row, M_FIO, fabs(round(100 * (2 + noise_normal(n))) / 100));
	noise_hist(n, row->runq->n, 40, 6, 9000 * n->load * dt);
}

static inline void noise_process(struct noise *n, struct second_row *row, double dt, int i)
{
	second_set(row, M_P_CPU, noise_count(n, 3e7 * dt / (i + 1)) / 1e7 / dt);
	second_set(row, M_P_RKB_S, i < 3 ? 4 * noise_count(n, 900 * dt / (i + 1)) / dt : 0);
	second_set(row, M_P_WKB_S, i < 4 ? 4 * noise_count(n, 700 * dt / (i + 1)) / dt : 0);
	second_set(row, M_P_CCWKB_S, 0);
}

/* The next second, at wall_s since the epoch. Returns 0, or -1: no memory. */
static inline int noise_second(struct noise *n, struct second *s, int64_t wall_s)
{
	static const char *const commands[] = {"glusterfsd", "fio", "kworker/3:1", "jbd2/sda1-8"};
	uint64_t step = n->interval_ms * 1000000ULL + (uint64_t)(60000 * noise_uniform(n));
	double dt = (double)step / 1e9;
	char name[INSTANCE_LEN];
	struct second_row *row = NULL;

	second_clear(s);
	n->load = fmin(1.6, fmax(0.4, n->load + 0.03 * noise_normal(n)));
	n->mono_ns += step;
	s->seq = n->seq++;
	s->wall_ns = wall_s * 1000000000;
	s->mono_ns = n->mono_ns;
	s->late_ns = (int64_t)(n->mono_ns - 100000000000ULL) % 1000000;
	s->interval_s = dt;
	s->lost = 0;
	for (int i = 0; i < n->disks; i++) {
		snprintf(name, sizeof(name), "sd%c%d", 'a' + i % 26, i / 26);
		row = second_add_row(s, FAM_DISK, name, HIST_LAT | HIST_DEV);
		if (!row)
			return -1;
		noise_disk(n, row, dt);
	}
	for (int i = 0; i < 2; i++) {
		row = second_add_row(s, FAM_NET, i ? "eth0" : "lo", 0);
		if (!row)
			return -1;
		noise_net(n, row, dt);
	}
	row = second_add_row(s, FAM_TCP, "", 0);
	if (!row)
		return -1;
	noise_tcp(n, row, dt, 10);
	row = second_add_row(s, FAM_HOST, "", HIST_RUNQ);
	if (!row)
		return -1;
	noise_host(n, row, dt);
	for (int i = 0; i < n->remotes; i++) {
		snprintf(name, sizeof(name), "10.0.0.%d>%d", i % 250, 24007 + i / 250);
		row = second_add_row(s, FAM_REMOTE, name, 0);
		if (!row)
			return -1;
		noise_tcp(n, row, dt, 1);
	}
	for (int i = 0; i < n->processes; i++) {
		/* Most stay, the last ones take turns. */
		int pid = i < n->processes / 2 ? 1000 + i : 2000 + (int)(noise_uniform(n) * 20);

		snprintf(name, sizeof(name), "%s:%d", commands[i % 4], pid * 10 + i);
		row = second_add_row(s, FAM_PROCESS, name, 0);
		if (!row)
			return -1;
		noise_process(n, row, dt, i);
	}
	return 0;
}

#endif
