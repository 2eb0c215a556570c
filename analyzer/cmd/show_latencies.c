// SPDX-License-Identifier: BSD-2-Clause
/* show_latencies.h */
#include "show_latencies.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/interval/interval.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"

/* The shortest text that reads back as the same number; buf of 32. */
const char *show_exact(double v, char *buf)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, 32, "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	return buf;
}

static const char *const operations[LAT_OPS] = {"read", "write"};
static const char *const sizes[LAT_SIZES] = {"16", "128", "larger"};

/* How many, and in ms: geometric and arithmetic mean, every request in the middle of its bucket, and p99. */
static void print_histogram(const uint32_t at[LAT_BUCKETS])
{
	double n = 0, ln = 0, ms = 0;
	uint64_t wide[LAT_BUCKETS];
	char number[32];

	for (unsigned int b = 0; b < LAT_BUCKETS; b++) {
		double middle = lat_middle_ms(b);

		wide[b] = at[b];
		n += at[b];
		ln += at[b] * log(middle);
		ms += at[b] * middle;
	}
	printf(",%.0f", n);
	if (!(n > 0)) {
		printf(",,,");
		return;
	}
	printf(",%s", show_exact(exp(ln / n), number));
	printf(",%s", show_exact(ms / n, number));
	printf(",%s", show_exact(hist_quantile(wide, 0, LAT_BUCKETS, LAT_SUB_BITS, 0.99) *
					 (1 << LAT_SHIFT) / 1e6,
				 number));
}

void show_latencies(const char *host, const struct series_time *t, const struct second_row *row)
{
	char when[TIME_TEXT_LEN], name[4 * INSTANCE_LEN], number[32];

	output_time(t->wall_ns, when);
	output_clean(row->instance, name, sizeof(name));
	for (int op = 0; op < LAT_OPS; op++)
		for (int size = 0; size < LAT_SIZES; size++) {
			const uint32_t *whole = row->lat->n[op][size];

			if (!any_of(b, LAT_BUCKETS, whole[b]))
				continue;
			printf("%s,%s,%s,%s,%s,%s", when, host, name, operations[op], sizes[size],
			       isfinite(t->interval_s) ? show_exact(t->interval_s, number) : "");
			print_histogram(whole);
			if (row->dev)
				print_histogram(row->dev->n[op][size]);
			else
				printf(",,,,");
			printf("\n");
		}
}
