// SPDX-License-Identifier: BSD-2-Clause
/* The table of Ganesha's workloads: RandWriter, Sort, Nutch. */
#include <math.h>
#include <string.h>

#include "hadoop.h"

#define MB 1024.0

/* Per stage: cpu_s, read, write, copies, fetch, crawl. RandWriter and Sort's sizes are such that a job
 * takes some minutes on 5 slaves, as in the paper; Nutch alternates between crawling and small jobs on
 * what was crawled. */
const struct workload hadoop_workloads[] = {
	{"randwriter", {{6, 0, {{9, 0, 300 * MB, 300 * MB, 0, 0}}, 0.1}}},
	{"sort",
	 {{10,
	   2,
	   {{6, 64 * MB, 64 * MB, 0, 0, 0},
	    {2, 0, 320 * MB, 0, 320 * MB, 0},
	    {16, 320 * MB, 320 * MB, 160 * MB, 0, 0}},
	   0.15}}},
	{"nutch",
	 {{3,
	   1,
	   {{4, 8 * MB, 4 * MB, 0, 0, 0},
	    {1, 0, 4 * MB, 0, 6 * MB, 0},
	    {3, 4 * MB, 8 * MB, 8 * MB, 0, 0}},
	   0.4},
	  {4,
	   1,
	   {{25, 2 * MB, 30 * MB, 10 * MB, 0, 40 * MB},
	    {2, 0, 20 * MB, 0, 30 * MB, 0},
	    {10, 20 * MB, 30 * MB, 30 * MB, 0, 0}},
	   0.6},
	  {3,
	   2,
	   {{12, 60 * MB, 20 * MB, 0, 0, 0},
	    {1, 0, 20 * MB, 0, 20 * MB, 0},
	    {8, 20 * MB, 40 * MB, 40 * MB, 0, 0}},
	   0.4}}},
};

const char hadoop_workload_names[] = "randwriter, sort, nutch";

const struct workload *hadoop_workload(const char *name)
{
	for (size_t i = 0; i < sizeof(hadoop_workloads) / sizeof(*hadoop_workloads); i++)
		if (!strcmp(hadoop_workloads[i].name, name))
			return &hadoop_workloads[i];
	return NULL;
}

double work_seconds(const struct work *w, double disk_kb_s)
{
	/* A task reads, computes and writes at once: the longest of the three. Nobody outside sends
	 * more than 2 MB/s to one crawler. */
	return fmax(fmax(w->cpu_s, (w->read_kb + w->write_kb) / disk_kb_s),
		    fmax(fmax(w->copies_kb, w->fetch_kb) / 60000, w->crawl_kb / 2048));
}
