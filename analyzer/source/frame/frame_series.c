// SPDX-License-Identifier: BSD-2-Clause
/* Fills the frame from series files: lays out the grid, then lets each file fill its node's rows. */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/source/source_hosts.h"
#include "userspace/common/options.h"
#include "userspace/common/clock.h"

/* ---- the grid ---------------------------------------------------------------------------------*/

static int list_nodes(struct frame *f, const struct sources *s)
{
	struct source_host *host;
	size_t n;
	int err = sources_hosts(s, &host, &n);

	if (err)
		return err;
	f->nodes = calloc(n + 1, sizeof(*f->nodes));
	f->interval_ms = s->n ? s->at[0].interval_ms : 1000;
	f->n_nodes = f->nodes ? n : 0;
	for (size_t i = 0; i < f->n_nodes; i++)
		memcpy(f->nodes[i], host[i].name, HOST_LEN);
	free(host);
	if (!f->nodes)
		return -ENOMEM;
	if (n > SOURCE_HOSTS_MAX) {
		fail("%zu hosts are too many: at most %d", n, SOURCE_HOSTS_MAX);
		return -E2BIG;
	}
	return 0;
}

static int list_metrics(struct frame *f, const struct frame_opts *o)
{
	for (size_t i = 0; o->asked && i < o->asked->n; i++)
		if (metric_by_name(o->asked->at[i]) < 0)
			return fail("series files have no metric '%s' (see 'limpet show')",
				    o->asked->at[i]);
	f->metrics = calloc(M_COUNT, sizeof(*f->metrics));
	if (!f->metrics)
		return -ENOMEM;
	for (int m = 0; m < M_COUNT; m++) {
		struct frame_metric *to = &f->metrics[f->n_metrics];

		/* a name that two families have is that of the first */
		if (!o->wanted[m] || metric_by_name(metrics[m].name) != m)
			continue;
		frame_name(to, metrics[m].name);
		to->asked = is_asked_for(o, to->name);
		f->n_metrics++;
	}
	return 0;
}

/* From the first to the last second to be loaded. */
static int find_span(struct frame *f, const struct sources *s, const struct frame_opts *o)
{
	int64_t step = (int64_t)f->interval_ms * NS_PER_MS;
	struct source_span span;
	int err = sources_span(s, o->from_ns, o->to_ns, &span);

	if (err)
		return err;
	f->first_ns = span.first_ns / step * step;
	f->n_times = (size_t)(span.last_ns / step - span.first_ns / step + 1);
	/* No overflow: times < 3.5e10 (400 days of 1 ms), nodes <= 1e5. */
	if (f->n_times * f->n_nodes > FRAME_SPARSE_CELLS &&
	    f->n_times * f->n_nodes / FRAME_SPARSE_FACTOR > span.seconds) {
		fail("%llu recorded seconds are spread over %zu intervals: a clock was wrong, or "
		     "choose a part with --from and --to",
		     (unsigned long long)span.seconds, f->n_times);
		return -E2BIG;
	}
	return 0;
}

int frame_open_series(struct frame *f, const struct sources *s, const struct frame_opts *o)
{
	int err = list_nodes(f, s);

	f->cells->sources = s;
	f->cells->progress = o->progress;
	f->cells->from_ns = o->from_ns;
	f->cells->to_ns = o->to_ns;
	return err ?: list_metrics(f, o) ?: find_span(f, s, o);
}

/* ---- a file -----------------------------------------------------------------------------------*/

/* Bits of there[]; the others: 1 << family. */
enum { SECOND = 1 << FAM_COUNT, DUPLICATE = 0x80 };
_Static_assert(SECOND < DUPLICATE, "a cell's bits are a byte");

/* What the frame takes from series files. */
struct wanted_metrics {
	bool read[M_COUNT];    /* its metrics, and what their means are weighted by */
	unsigned int families; /* of its metrics, and which seconds there are: bits */
	size_t n[FAM_COUNT];
	struct wanted_metric {
		int known;   /* enum metric_id */
		size_t slot; /* its number in the frame */
	} of[FAM_COUNT][M_COUNT];
};

/* One second of one family of one node while its instances come in. */
struct filler {
	const struct frame *f;
	const struct wanted_metrics *wanted;
	size_t node, fresh; /* columns from `fresh` on were never held: they are counted */
	bool open;
	size_t column; /* of the slice */
	enum metric_family family;
	struct series_time time;
	double sum[M_COUNT], weight[M_COUNT]; /* by place in wanted->of */
	uint64_t duplicates, lost, damaged;
};

/* The second is complete: its values go to the grid. */
static void filler_flush(struct filler *l)
{
	const struct frame_cells *c = l->f->cells;
	size_t cell = l->node * c->stride + l->column;
	uint8_t *there = &c->there[cell];

	if (!l->open)
		return;
	l->open = false;
	if (*there & (1 << l->family))
		return;
	*there |= (uint8_t)(1 << l->family);
	for (size_t i = 0; i < l->wanted->n[l->family]; i++) {
		const struct wanted_metric *m = &l->wanted->of[l->family][i];
		double *to = &c->v[m->slot][cell];

		if (!(l->weight[i] > 0))
			*to = NAN;
		else
			*to = metrics[m->known].agg == AGG_MEAN ? l->sum[i] / l->weight[i]
								: l->sum[i];
	}
}

static void filler_add(struct filler *l, const struct second_row *row)
{
	for (size_t i = 0; i < l->wanted->n[l->family]; i++) {
		const struct metric *m = &metrics[l->wanted->of[l->family][i].known];
		double x = second_value(row, l->wanted->of[l->family][i].known), w = 1;

		if (isnan(x))
			continue;
		if (fabs(x) > VALUE_MAX) {
			l->damaged += l->column + l->f->cells->at >= l->fresh;
			continue;
		}
		switch (m->agg) {
		case AGG_SUM: l->sum[i] += x; break;
		case AGG_MAX: l->sum[i] = l->weight[i] > 0 ? fmax(l->sum[i], x) : x; break;
		case AGG_MEAN:
			if (m->weight >= 0 && !isnan(second_value(row, m->weight)))
				w = fmin(fmax(second_value(row, m->weight), 0), VALUE_MAX);
			l->sum[i] += w * x;
			break;
		}
		l->weight[i] += w;
	}
}

/* SIZE_MAX: of none that is held. */
static size_t column_of(const struct frame *f, int64_t wall_ns)
{
	int64_t step = (int64_t)f->interval_ms * NS_PER_MS;
	int64_t column = wall_ns / step - f->first_ns / step - (int64_t)f->cells->at;

	if (wall_ns < f->first_ns || column < 0 || (size_t)column >= f->cells->held)
		return SIZE_MAX;
	return (size_t)column;
}

/* A second that is recorded, whatever was measured in it; before any of the rows. */
static void on_second(struct filler *l, const struct series_time *t)
{
	const struct frame_cells *c = l->f->cells;
	size_t column = column_of(l->f, t->wall_ns);
	bool fresh = column != SIZE_MAX && column + c->at >= l->fresh;
	uint8_t *there;

	if (column == SIZE_MAX)
		return;
	there = &c->there[l->node * c->stride + column];
	if (fresh)
		l->lost += t->lost;
	if (*there & SECOND) {
		l->duplicates += !(*there & DUPLICATE) && fresh;
		*there |= DUPLICATE;
	}
	*there |= SECOND;
}

/* Whether what is open is of this second and family. */
static bool is_open(const struct filler *l, const struct series_time *t, enum metric_family family)
{
	return l->open && l->time.seq == t->seq && l->time.boot == t->boot && l->family == family;
}

static int on_row(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct filler *l = arg;
	size_t column;

	if (!row) {
		on_second(l, t);
		return 0;
	}
	/* An instance more of the second before. */
	if (is_open(l, t, row->family) && l->time.wall_ns == t->wall_ns) {
		filler_add(l, row);
		return 0;
	}
	column = column_of(l->f, t->wall_ns);
	if (column == SIZE_MAX)
		return 0;
	if (!is_open(l, t, row->family) || l->column != column) {
		filler_flush(l);
		l->open = true;
		l->family = row->family;
		l->time = *t;
		l->column = column;
		memset(l->sum, 0, l->wanted->n[l->family] * sizeof(*l->sum));
		memset(l->weight, 0, l->wanted->n[l->family] * sizeof(*l->weight));
	}
	filler_add(l, row);
	return 0;
}

static int read_series(struct filler *l, struct source_file *file)
{
	const struct frame *f = l->f;
	int64_t from = frame_time(f, f->cells->at), to;
	struct series_reader *r = NULL;
	int err;

	to = frame_time(f, f->cells->at + f->cells->held);
	from = from < f->cells->from_ns ? f->cells->from_ns : from;
	to = to > f->cells->to_ns ? f->cells->to_ns : to;
	if (!file->seconds || file->last_ns < from || file->first_ns >= to)
		return 0;
	err = series_reader_new(&r, file->path);
	if (!err)
		series_reader_want(r, l->wanted->read);
	err = err ?: series_reader_rows(r, from, to, l->wanted->families, 0, on_row, l);
	filler_flush(l);
	series_reader_free(r);
	if (!err || err == -ENOMEM)
		return err;
	/* nobody else reads this node's files */
	file->why = strdup(series_error());
	return file->why ? -EBADMSG : -ENOMEM;
}

/* ---- a slice ----------------------------------------------------------------------------------*/

struct frame_reading {
	struct frame *f;
	struct source_host *host; /* as the frame's nodes */
	struct wanted_metrics wanted;
	pthread_mutex_t lock; /* of the frame's counts */
};

static int read_node(void *arg, size_t node)
{
	struct frame_reading *r = arg;
	const struct frame_cells *c = r->f->cells;
	struct filler *l = calloc(1, sizeof(*l));
	int err = l ? 0 : -ENOMEM;

	if (err)
		return err;
	*l = (struct filler){.f = r->f, .wanted = &r->wanted, .node = node, .fresh = c->next};
	for (size_t i = r->host[node].first; i < r->host[node].end && !err; i++)
		err = read_series(l, &c->sources->at[i]);
	pthread_mutex_lock(&r->lock);
	r->f->duplicates += l->duplicates;
	r->f->lost += l->lost;
	r->f->damaged += l->damaged;
	pthread_mutex_unlock(&r->lock);
	free(l);
	return err;
}

static void want(struct wanted_metrics *w, int metric, size_t slot)
{
	enum metric_family family = metrics[metric].family;

	w->of[family][w->n[family]++] = (struct wanted_metric){metric, slot};
	w->families |= 1U << family;
	w->read[metric] = true;
	if (metrics[metric].agg == AGG_MEAN && metrics[metric].weight >= 0)
		w->read[metrics[metric].weight] = true;
}

static int hold(struct frame *f, size_t from, size_t to)
{
	struct frame_cells *c = f->cells;
	size_t held = to - from, cells = held * f->n_nodes;

	if (cells && cells > FRAME_CELLS_MAX / (f->n_metrics ? f->n_metrics : 1)) {
		fail("%zu hosts over %zu intervals are too much to hold at once; use a shorter "
		     "window",
		     f->n_nodes, held);
		return -E2BIG;
	}
	if (!c->v || held > c->stride) {
		int err = frame_cells_make(f, held);

		if (err)
			return err;
	}
	c->at = from;
	c->held = held;
	frame_cells_clear(f);
	return 0;
}

int frame_slice_series(struct frame *f, size_t from, size_t to)
{
	struct frame_reading r = {
		.f = f, .wanted.families = SERIES_SECONDS, .lock = PTHREAD_MUTEX_INITIALIZER};
	const struct frame_cells *c = f->cells;
	size_t n;
	int err = sources_hosts(c->sources, &r.host, &n) ?: hold(f, from, to);

	for (size_t m = 0; m < f->n_metrics; m++)
		want(&r.wanted, f->metrics[m].known, m);
	if (!err)
		err = sources_parallel(
			&(struct source_work){.n = n,
					      .threads = c->threads,
					      .fn = read_node,
					      .arg = &r,
					      .progress = c->progress,
					      .from = (double)from / (double)f->n_times,
					      .to = (double)to / (double)f->n_times});
	free(r.host);
	pthread_mutex_destroy(&r.lock);
	return err;
}
