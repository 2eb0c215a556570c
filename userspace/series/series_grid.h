/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Some seconds of one run of the probe in memory, by columns: what a chunk of the series file is
 * made from and read into. series_grid.c holds and fills it, series_pack.c makes bytes of it,
 * series_unpack.c adds what bytes hold, both through series_zip.c.
 */
#ifndef LIMPET_SERIES_GRID_H
#define LIMPET_SERIES_GRID_H

#include "series_schema.h"
#include "series_code.h"
#include "userspace/common/map.h"

/* Longest chunk that is written, and that is read. */
#define GRID_SECONDS	 60
#define GRID_SECONDS_MAX CODE_INTS_MAX
#define GRID_HISTS	 3 /* HIST_LAT, HIST_DEV, HIST_RUNQ: 1 << index */
/* Of one family in a second that is read. */
#define GRID_ROWS_MAX 1024

struct grid_time {
	int64_t seq, wall_ns, mono_ns, late_ns, lost;
	double interval_s;
};

struct grid_hist {
	unsigned char *present; /* by second */
	uint32_t **bucket;	/* by bucket, then second; NULL: empty throughout */
};

struct grid_row {
	enum metric_family family;
	char instance[INSTANCE_LEN];
	int64_t device;		/* row of table `device`; 0: none */
	unsigned char *present; /* by second */
	/* By place in the family, then second; NULL: never measured. By metric: grid_values(). */
	double *column[METRICS_OF_FAMILY];
	struct grid_hist *hist[GRID_HISTS];
};

struct grid {
	int64_t boot; /* when this run of the probe began */
	size_t n, cap;
	struct grid_time *time;
	size_t n_rows[FAM_COUNT], cap_rows[FAM_COUNT];
	struct grid_row **rows[FAM_COUNT];
	unsigned int sections; /* bits of enum series_section that the chunk read last has */
	/* Sections that this limpet does not know are passed over: of a message. A chunk of a file with one is refused, for what is
	 * folded would lose it. */
	bool newer;
	int unknown;	    /* they had a metric that this limpet does not know */
	size_t used, limit; /* bytes of memory, for what is read may be hostile */
	size_t inflated;    /* bytes of the sections read */
	int full;	    /* the limit was reached: -ENOMEM is no lack of memory */

	struct grid_block *blocks, *spare; /* in use; of a grid that is used again */
	struct series_inflater *inflater;  /* not owned; NULL: each section has one of its own */
	struct map by_name;		   /* of `all`, by family and instance */
	struct grid_row **all;
	size_t n_all, cap_all;
};

/* Room for cap seconds; 0 or -ENOMEM. */
int grid_init(struct grid *g, size_t cap, size_t limit);
void grid_release(struct grid *g); /* takes one that is zeroed */
/* The same as a release and grid_init(), but memory is kept for what comes, some MB at most. */
int grid_renew(struct grid *g, size_t cap, size_t limit);

/* Zeroed memory that lives as long as the grid; NULL beyond the limit too. */
void *grid_alloc(struct grid *g, size_t size);

/* Buckets of a histogram; the family that has it. */
size_t grid_hist_buckets(int hist);
enum metric_family grid_hist_family(int hist);

/* Found or added; NULL: no memory. */
struct grid_row *grid_row_get(struct grid *g, enum metric_family family, const char *instance);
/* NULL: it is not there. */
struct grid_row *grid_row_find(struct grid *g, enum metric_family family, const char *instance);
/* Leaves out, of what is packed, the rows that are there in no second. */
void grid_drop_absent(struct grid *g, enum metric_family family);
/* Found or added, of a metric of the row's family. NULL: no memory. */
double *grid_column(struct grid *g, struct grid_row *row, int metric);
/* NULL where it was never measured, as metrics of other families never are in this row. */
static inline const double *grid_values(const struct grid_row *row, int metric)
{
	int first = metric_first[row->family], next = metric_first[row->family + 1];

	return metric >= first && metric < next ? row->column[metric - first] : NULL;
}
struct grid_hist *grid_hist_get(struct grid *g, struct grid_row *row, int hist);
uint32_t *grid_bucket(struct grid *g, struct grid_hist *h, size_t bucket);

/* Adds one second; g must have room. -EEXIST: an instance twice. */
int grid_add(struct grid *g, const struct second *s);

/* The histograms of second t of a row, where they are present, into memory of the caller's. */
void grid_get_hist(const struct grid_row *row, int hist, size_t t, uint32_t *flat);
/* All that are present then, as a row has them; its pointers are to `to`, or NULL. */
struct grid_hists {
	struct lat_hist lat, dev;
	struct runq_hist runq;
};
void grid_give_hists(struct grid_hists *to, struct second_row *row, const struct grid_row *from,
		     size_t t);

/* ---- bytes ---------------------------------------------------------------------------------- */

/* A whole number of a double. */
#define WHOLE_MAX 9007199254740992.0
/* Of the 52 bits of a double's fraction, what is kept of a gauge and what is cut off. */
#define FLOAT_BITS 15
#define FLOAT_CUT  (52 - FLOAT_BITS)
/* Longest section, before compression. */
#define SECTION_MAX (8 << 20)

enum column_type { COLUMN_WHOLE, COLUMN_FLOAT, COLUMN_STATES };
enum column_state { STATE_CODED, STATE_ZERO, STATE_NAN, STATE_RAW };

/* A chunk has a value for each of these; the families' come first, by their number. */
enum series_section { SEC_HEAD = FAM_COUNT, SEC_HIST, SECTIONS };

/* Not of a chunk: tables of stacks, by enum series_stacks. */
#define SEC_STACKS(kind) (255 - (int)(kind))
extern const char *const series_stack_tables[STACKS_KINDS];

/* "head", "disk", …, "hist" */
const char *series_section_name(int section);

#define METRIC_NUMBERS_MAX 65536

/* Numbers of metrics in a file; index 0 is not used. */
struct series_metric_def {
	int metric;		   /* or one of: */
#define METRIC_UNKNOWN	      (-1) /* this limpet does not know it */
#define METRIC_NONE	      (-2) /* the file has no such number */
#define METRIC_FIRST_UNWANTED (-3)
	int rate;
	double per;
};

struct series_metrics {
	struct series_metric_def *def;
	size_t n;	     /* numbers are below that */
	int number[M_COUNT]; /* for writing */
};

/* What `metric` is where the values of m are to be passed over; and the other way round. */
static inline int metric_unwanted(int m)
{
	return METRIC_FIRST_UNWANTED - m;
}

/* A row of table metric. */
struct series_metric_row {
	int64_t id;
	const char *family, *name, *kind;
	double per;
	int64_t adler;
};
/* series_check.c: adds it to m. -EBADMSG: it cannot be right; -ENOMEM. */
int series_metric_take(struct series_metrics *m, const struct series_metric_row *row);

/* Numbers of our own, for what is not in a file yet; def has M_COUNT + 1 places. */
void series_metrics_own(struct series_metrics *m, struct series_metric_def *def);

struct series_packed {
	struct code_out section[SECTIONS]; /* len 0: there is none */
};

void series_packed_release(struct series_packed *p);

/* level: of zlib, 0 stores. 0, -ENOMEM, or -E2BIG: take fewer seconds. */
int series_pack(struct series_packed *p, const struct grid *g, const struct series_metrics *m,
		int64_t id, int level);

struct series_blob {
	const void *at;
	size_t len;
};

/* In place: the length of what is in o, then a zlib stream of it; level 0 stores. */
int series_zip(struct code_out *o, int level);
/* What inflating needs again and again, zeroed to begin with. */
struct series_inflater {
	void *stream;	   /* of zlib */
	unsigned char *at; /* a section's bytes */
	size_t cap;
};

void series_inflater_release(struct series_inflater *f);
/* Leaves `in` behind the section's number, its bytes in f until the next call. 0 or a negative errno. */
int series_unzip(struct series_inflater *f, struct code_in *in, int section,
		 const struct series_blob *b, int64_t id);

/* Of one chunk: reads the head only, and adds its seconds to g->time. -EBADMSG; -ENOMEM also for
 * more than g's limit. */
int series_unpack_head(struct grid *g, const struct series_blob *head, int64_t id, size_t *n);
/* Then one by one: the section of a family, then SEC_HIST; `at` is the first of the n seconds. Of
 * the histograms those in `hists`, and of rows that are there only. Of metrics that are unwanted
 * rows have no column, and what follows the last wanted value is not looked at. */
int series_unpack_section(struct grid *g, const struct series_metrics *m, int section,
			  const struct series_blob *b, int64_t id, size_t at, size_t n,
			  unsigned int hists);

#endif
