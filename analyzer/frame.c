// SPDX-License-Identifier: BSD-2-Clause
/* Builds the frame: sizes the grid, then lets each file fill its node's rows. */
#include "frame.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "windows.h"
#include "../userspace/options.h"

#define VALUE_MAX 1e18 /* larger ones are damage, and their sums would overflow */

/* One second of one family of one node while its instances come in. */
struct filler {
	struct frame *f;
	size_t node;
	uint8_t *seen; /* n_times: 1 << family, DUPLICATE */
	bool open;
	size_t column;
	enum metric_family family;
	int64_t boot;
	uint64_t seq;
	double sum[M_COUNT], weight[M_COUNT];
};

enum { DUPLICATE = 0x80 };

static int64_t slot_of(int64_t wall_ns, unsigned int interval_ms)
{
	return wall_ns / ((int64_t)interval_ms * 1000000);
}

int64_t frame_time(const struct frame *f, size_t column)
{
	return f->first_ns + (int64_t)column * f->interval_ms * 1000000;
}

/* The second is complete: its values go to the grid. */
static void filler_flush(struct filler *l)
{
	struct frame *f = l->f;
	uint8_t *seen;

	if (!l->open)
		return;
	l->open = false;
	seen = &l->seen[l->column];
	if (*seen & (1 << l->family) && !(*seen & DUPLICATE)) {
		*seen |= DUPLICATE;
		f->duplicates++;
	}
	if (!*seen)
		f->present[l->column]++;
	*seen |= (uint8_t)(1 << l->family);
	for (int m = 0; m < M_COUNT; m++) {
		double *cell;

		if (!f->v[m] || metrics[m].family != l->family)
			continue;
		cell = &f->v[m][l->node * f->n_times + l->column];
		if (!(l->weight[m] > 0))
			*cell = NAN;
		else
			*cell = metrics[m].agg == AGG_MEAN ? l->sum[m] / l->weight[m] : l->sum[m];
	}
}

static void filler_add(struct filler *l, const double v[M_COUNT])
{
	for (int m = 0; m < M_COUNT; m++) {
		double w = 1;

		if (!l->f->v[m] || metrics[m].family != l->family || isnan(v[m]))
			continue;
		if (fabs(v[m]) > VALUE_MAX) {
			l->f->damaged++;
			continue;
		}
		switch (metrics[m].agg) {
		case AGG_SUM: l->sum[m] += v[m]; break;
		case AGG_MAX: l->sum[m] = l->weight[m] > 0 ? fmax(l->sum[m], v[m]) : v[m]; break;
		case AGG_MEAN:
			if (metrics[m].weight >= 0 && !isnan(v[metrics[m].weight]))
				w = fmin(fmax(v[metrics[m].weight], 0), VALUE_MAX);
			l->sum[m] += w * v[m];
			break;
		}
		l->weight[m] += w;
	}
}

static int on_row(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct filler *l = arg;
	enum metric_family family = row->family;
	int64_t column =
		slot_of(t->wall_ns, l->f->interval_ms) - slot_of(l->f->first_ns, l->f->interval_ms);

	if (t->wall_ns < l->f->first_ns || column < 0 || (size_t)column >= l->f->n_times)
		return 0;
	if (!l->open || l->family != family || l->boot != t->boot || l->seq != t->seq ||
	    l->column != (size_t)column) {
		filler_flush(l);
		l->open = true;
		l->family = family;
		l->boot = t->boot;
		l->seq = t->seq;
		l->column = (size_t)column;
		memset(l->sum, 0, sizeof(l->sum));
		memset(l->weight, 0, sizeof(l->weight));
		if (family == FAM_HOST)
			l->f->lost += t->lost;
	}
	filler_add(l, row->v);
	return 0;
}

/* Nodes in order; the sources are sorted by host already. */
static int list_nodes(struct frame *f, const struct sources *s)
{
	f->nodes = calloc(s->n ? s->n : 1, sizeof(*f->nodes));
	if (!f->nodes)
		return -ENOMEM;
	f->interval_ms = s->n ? s->at[0].interval_ms : 1000;
	for (size_t i = 0; i < s->n; i++) {
		const struct source_file *file = &s->at[i];

		if (file->interval_ms != f->interval_ms) {
			fail("'%s' is recorded every %u ms, '%s' every %u ms: peers need one "
			     "interval",
			     s->at[0].path, f->interval_ms, file->path, file->interval_ms);
			return -EINVAL;
		}
		if (!f->n_nodes || strcmp(f->nodes[f->n_nodes - 1], file->host))
			memcpy(f->nodes[f->n_nodes++], file->host, HOST_LEN);
	}
	if (f->n_nodes > FRAME_NODES_MAX) {
		fail("%zu hosts are too many: at most %d", f->n_nodes, FRAME_NODES_MAX);
		return -E2BIG;
	}
	return 0;
}

/* First and last second to be loaded; -ENODATA if there is none. */
static int find_span(struct frame *f, const struct sources *s, const struct frame_opts *o)
{
	int64_t first = INT64_MAX, last = INT64_MIN, step = (int64_t)f->interval_ms * 1000000;
	int64_t from = o->from_ns > 0 ? o->from_ns : 0, slots;
	char a[TIME_TEXT_LEN], b[TIME_TEXT_LEN];

	for (size_t i = 0; i < s->n; i++) {
		int64_t begin = s->at[i].first_ns > from ? s->at[i].first_ns : from;
		int64_t end = s->at[i].last_ns < o->to_ns ? s->at[i].last_ns : o->to_ns - 1;

		if (!s->at[i].seconds || end < begin)
			continue;
		first = begin < first ? begin : first;
		last = end > last ? end : last;
	}
	if (first > last) {
		fail("no recorded second lies in the time asked for");
		return -ENODATA;
	}
	f->first_ns = first / step * step;
	slots = last / step - first / step + 1;
	if (last - first > (int64_t)FRAME_DAYS_MAX * 86400 * 1000000000) {
		fail("the recordings span %s to %s: more than %d days, so a clock was wrong; "
		     "choose a part with --from and --to",
		     output_time(first, a), output_time(last, b), FRAME_DAYS_MAX);
		return -E2BIG;
	}
	f->n_times = (size_t)slots;
	return 0;
}

static int allocate(struct frame *f, const struct sources *s, const bool *wanted)
{
	size_t n_metrics = 0, cells;
	uint64_t recorded = 0;

	for (int m = 0; m < M_COUNT; m++)
		n_metrics += wanted[m];
	/* No overflow: times < 3.5e10 (400 days of 1 ms), nodes <= 1e5, metrics < 100. */
	cells = f->n_times * f->n_nodes;
	if (cells * (n_metrics ? n_metrics : 1) > FRAME_CELLS_MAX) {
		fail("%zu hosts over %zu intervals are too much to hold at once; choose a part "
		     "with --from and --to",
		     f->n_nodes, f->n_times);
		return -E2BIG;
	}
	for (size_t i = 0; i < s->n; i++)
		recorded += s->at[i].seconds;
	if (cells * n_metrics > FRAME_SPARSE_CELLS && cells / FRAME_SPARSE_FACTOR > recorded) {
		fail("%llu recorded seconds are spread over %zu intervals: a clock was wrong, or "
		     "choose a part with --from and --to",
		     (unsigned long long)recorded, f->n_times);
		return -E2BIG;
	}
	f->present = calloc(f->n_times, sizeof(*f->present));
	if (!f->present)
		return -ENOMEM;
	for (int m = 0; m < M_COUNT; m++) {
		if (!wanted[m])
			continue;
		f->v[m] = malloc(cells * sizeof(double));
		if (!f->v[m])
			return -ENOMEM;
		for (size_t i = 0; i < cells; i++)
			f->v[m][i] = NAN;
	}
	return 0;
}

/* Those of the metrics wanted; and those every second has, which tell what seconds there are. */
static unsigned int families(const struct frame *f)
{
	unsigned int mask = 1U << FAM_DISK | 1U << FAM_NET | 1U << FAM_TCP | 1U << FAM_HOST;

	for (int m = 0; m < M_COUNT; m++)
		mask |= f->v[m] ? 1U << metrics[m].family : 0U;
	return mask;
}

static int read_file(struct filler *l, const struct source_file *file, const struct frame_opts *o)
{
	struct series_reader *r = NULL;
	int err = series_reader_new(&r, file->path);

	if (!err)
		err = series_reader_rows(r, o->from_ns, o->to_ns, families(l->f), 0, on_row, l);
	if (err)
		fail("%s", series_error());
	filler_flush(l);
	series_reader_free(r);
	return err;
}

static int read_all(struct frame *f, const struct sources *s, const struct frame_opts *o)
{
	struct filler l = {.f = f};
	int err = 0;

	l.seen = malloc(f->n_times);
	if (!l.seen)
		return -ENOMEM;
	for (size_t i = 0; i < s->n && !err; i++) {
		if (i && strcmp(s->at[i].host, s->at[i - 1].host))
			l.node++;
		if (!i || strcmp(s->at[i].host, s->at[i - 1].host))
			memset(l.seen, 0, f->n_times);
		err = read_file(&l, &s->at[i], o);
	}
	free(l.seen);
	return err;
}

int frame_load(struct frame *f, const struct sources *s, const struct frame_opts *o)
{
	int err;

	*f = (struct frame){0};
	err = list_nodes(f, s);
	if (!err)
		err = find_span(f, s, o);
	if (!err)
		err = allocate(f, s, o->wanted);
	if (!err)
		err = read_all(f, s, o);
	if (err == -ENOMEM)
		fail("out of memory");
	if (err)
		frame_release(f);
	return err;
}

void frame_release(struct frame *f)
{
	for (int m = 0; m < M_COUNT; m++)
		free(f->v[m]);
	free(f->present);
	free(f->nodes);
	*f = (struct frame){0};
}

size_t frame_common(const struct frame *f, uint32_t nodes)
{
	size_t n = 0;

	for (size_t t = 0; t < f->n_times; t++)
		n += f->present[t] >= nodes;
	return n;
}

size_t frame_windows(const struct frame *f, uint32_t nodes, unsigned int window, unsigned int shift)
{
	size_t n = windows_count(f->n_times, window, shift), useful = 0;

	for (size_t w = 0; w < n; w++) {
		unsigned int there = 0;

		for (unsigned int s = 0; s < window; s++)
			there += f->present[w * shift + s] >= nodes;
		useful += windows_enough(there, window);
	}
	return useful;
}

bool frame_has(const struct frame *f, size_t node)
{
	for (int m = 0; m < M_COUNT; m++)
		for (size_t t = 0; f->v[m] && t < f->n_times; t++)
			if (!isnan(frame_row(f, m, node)[t]))
				return true;
	return false;
}

size_t frame_alive(const struct frame *f)
{
	size_t alive = 0;

	for (size_t i = 0; i < f->n_nodes; i++)
		alive += frame_has(f, i);
	return alive;
}

void frame_report(const struct frame *f)
{
	if (f->duplicates)
		printf("%llu seconds were recorded more than once (clock set back?): the last "
		       "counts\n",
		       (unsigned long long)f->duplicates);
	if (f->lost)
		printf("%llu records were lost by the probes\n", (unsigned long long)f->lost);
	if (f->damaged)
		printf("%llu values are damaged and count as missing\n",
		       (unsigned long long)f->damaged);
}
