/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of bench/analyzer share. */
#ifndef LIMPET_BENCH_ANALYZER_H
#define LIMPET_BENCH_ANALYZER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analyzer/stat/rng.h"
#include "analyzer/stat/stats.h"
#include "userspace/common/options.h"

enum { SMOOTH = 5 };

static inline double clock_ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static inline double cpu_ms(void)
{
	return clock_ms(CLOCK_PROCESS_CPUTIME_ID);
}

static inline void *need(size_t n, size_t size)
{
	void *mem = calloc(n, size);

	if (!mem) {
		fail("out of memory");
		exit(1);
	}
	return mem;
}

/* NAME, the least, the median, in ms. Sorts. */
static inline void print_times(const char *name, double *ms, size_t n)
{
	stats_sort(ms, n);
	printf("%s\t%.6f\t%.6f\n", name, ms[0], stats_sorted_median(ms, n));
}

/* The most that was resident of this program: getrusage() tells what its parent had, too. */
static inline void print_memory(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	unsigned long kib;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %lu", &kib) == 1)
			printf("rss_mib\t%.1f\n", (double)kib / 1024);
	if (f)
		fclose(f);
}

/* n smoothed samples about 20 ms of node i; if `odd`, every 50th node is 1.1 to 2 times slower. */
void make_samples(struct rng *r, size_t i, bool odd, double *x, size_t n);

int bench_whole(size_t n, size_t n_metrics, size_t windows, unsigned int threads);
int bench_read(size_t rounds, const char *folder);
int bench_robust(char *folder);
int bench_evidence(size_t n, size_t signals, size_t pushes, unsigned int k_min);
int bench_em(size_t n, size_t rounds, const char *path);

#endif
