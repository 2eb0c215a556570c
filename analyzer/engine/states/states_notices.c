// SPDX-License-Identifier: BSD-2-Clause
/* What makes tasks slow and is no one server's fault: said in a notice. */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"
#include "userspace/common/text_clean.h"

/* ---- inputs ------------------------------------------------------------------------------------- */

/*
 * What makes tasks slow and is no server's fault: larger inputs than the others', and inputs that are elsewhere. Both are
 * what cells keep apart, so nobody is indicted for them; here they are said.
 */

/* Bytes beside others', from which on it is skew; one task alone must stand out more, as the last block of a file and
 * the like differ by this. */
static const double SKEWED = 1.5, SKEWED_ALONE = 3;
/* That much longer it takes; and no longer than that for a byte, or it is not the bytes. */
static const double LONGER = 1.3;
enum { FEW_TASKS = 3, FEW_OTHERS = 8, FEW_REMOTE = 5 };

/* One task that ended well; then sums of a node's. */
struct done {
	uint32_t job, row;
	int32_t group;
	enum state_kind kind;
	int not_local; /* task_not_local() */
	double n, bytes, seconds;
};

static bool is_told(enum state_kind kind)
{
	return kind == STATE_MAP || kind == STATE_REDUCER || kind == STATE_TASK;
}

static int by_job(const struct done *x, const struct done *y)
{
	return ORDER(x->group, y->group) ?: ORDER(x->job, y->job) ?: ORDER(x->kind, y->kind);
}

COMPARISON(done_in_order, struct done, by_job(a, b) ?: ORDER(a->row, b->row))

static size_t gather_done(const struct states_job *j, struct done *d)
{
	size_t n = 0;

	for (size_t i = 0; i < j->s->n; i++) {
		const struct state *x = &j->s->at[i];
		size_t row = states_compared_row(j, x->node);

		if (!is_told(x->kind) || x->outcome != OUTCOME_OK || row == SIZE_MAX ||
		    x->job >= j->s->jobs.n || x->end_ns <= x->start_ns)
			continue;
		d[n++] = (struct done){.job = x->job,
				       .row = (uint32_t)row,
				       .group = j->group[row],
				       .kind = x->kind,
				       .not_local = task_not_local(j->s, x),
				       .n = 1,
				       .bytes = (double)x->bytes,
				       .seconds = state_seconds(x)};
	}
	sort(d, n, done_in_order);
	return n;
}

/* Of tasks of one job and kind, of which d is one. */
static int tell(struct states_job *j, const struct done *d, struct notice m)
{
	m.from_ns = j->a->from_ns;
	m.to_ns = j->a->to_ns;
	m.work = state_rows[d->kind].word;
	m.detail.kind = DETAIL_STATE;
	text_fit(m.detail.job, sizeof(m.detail.job), j->s->jobs.at[d->job]);
	return verdict_add_notice(j->a, &m);
}

/* Tasks of one job and kind, by node: the node whose have the most bytes. */
static int skew(struct states_job *j, const struct done *d, size_t n)
{
	struct done all = {0}, most = {0}, others;
	double ratio, longer;
	size_t next;

	for (size_t i = 0; i < n; i = next) {
		struct done own = d[i];

		for (next = i + 1; next < n && d[next].row == d[i].row; next++) {
			own.n++;
			own.bytes += d[next].bytes;
			own.seconds += d[next].seconds;
		}
		all.n += own.n;
		all.bytes += own.bytes;
		all.seconds += own.seconds;
		if (!(most.n > 0) || own.bytes / own.n > most.bytes / most.n)
			most = own;
	}
	others = (struct done){.n = all.n - most.n,
			       .bytes = all.bytes - most.bytes,
			       .seconds = all.seconds - most.seconds};
	if (others.n < FEW_OTHERS || !(others.bytes > 0))
		return 0;
	ratio = most.bytes / most.n / (others.bytes / others.n);
	longer = most.seconds / most.n / (others.seconds / others.n);
	if (ratio < (most.n < FEW_TASKS ? SKEWED_ALONE : SKEWED) || longer < LONGER ||
	    longer > LONGER * ratio)
		return 0;
	return tell(j, d,
		    (struct notice){.kind = NOTICE_SKEW,
				    .node = most.row,
				    .ratio = ratio,
				    .latency = longer,
				    .servers = (size_t)most.n});
}

/* Tasks of one job and kind whose data were elsewhere, beside those whose were not. */
static int remote(struct states_job *j, const struct done *d, size_t n)
{
	struct done far = {0}, near = {0};
	double longer;

	for (size_t i = 0; i < n; i++) {
		struct done *to = d[i].not_local > 0 ? &far : &near;

		to->n += d[i].not_local >= 0;
		to->seconds += d[i].not_local >= 0 ? d[i].seconds : 0;
	}
	if (far.n < FEW_REMOTE || near.n < FEW_REMOTE || d->kind != STATE_MAP)
		return 0;
	longer = far.seconds / far.n / (near.seconds / near.n);
	if (longer < LONGER)
		return 0;
	return tell(j, d,
		    (struct notice){.kind = NOTICE_REMOTE,
				    .node = SIZE_MAX,
				    .ratio = longer,
				    .servers = (size_t)far.n,
				    .of = (size_t)(far.n + near.n)});
}

/* ---- all servers' tasks take longer ------------------------------------------------------------- */

/*
 * All servers' tasks take longer than before: what engine/notices.c asks of recordings, asked of logs. Then no server stands out
 * beside its peers, and without this nobody would hear of it. Compared is each task with those of its cell that had ended before:
 * of the same program (jobs of one name with as many maps and reduces; else of the same job), kind, class, half octave of bytes, turn in
 * its slot, and with a reduce beside it or without. More tasks at a time explain as much as they are more.
 */

/*
 * On the usual server twice as long, and on nearly all half as long again: a tenth of the servers may have work that the trouble leaves
 * alone. For a minute at least. On healthy clusters of six slaves, with several jobs at a time, the largest of such stretches were 1.4
 * times, and 2.2 times for half a minute on half of the servers.
 */
static const double SLOW_RATIO = 2, SLOW_RATIO_EACH = 1.5, NEARLY_ALL = 0.9, SLOW_S = 60;
/* Whose median is no single task's. */
enum { FEW_TIMED = 3 };

struct timed_task {
	uint32_t program, cls, node;
	int32_t group;
	int16_t octave;
	uint8_t kind, turn;
	bool beside, ended;
	int64_t from, to;
	double ln, load; /* ln of seconds, and of how many tasks ran in the meantime */
	double r;	 /* ln ln of its cell's median; then: of its cell's before */
	uint32_t cell;
};

struct fleet_look {
	struct states_job *j;
	struct timed_task *at;
	size_t n;
	double *some;
	uint32_t *program; /* of each job */
};

/* ---- programs -------------------------------------------------------------------------------------- */

COMPARISON_WITH(by_program, uint32_t, struct state_job,
		ORDER(with[*a].name, with[*b].name) ?: ORDER(with[*a].maps, with[*b].maps)
			?: ORDER(with[*a].reduces, with[*b].reduces))

/* Of each job; without a name it is one of its own. */
static uint32_t *programs(struct scratch *room, const struct states *s)
{
	uint32_t *program = s->job ? states_alike(room, s->jobs.n, by_program, s->job)
				   : scratch_array(room, s->jobs.n, sizeof(*program));

	for (uint32_t i = 0; i < s->jobs.n && program; i++)
		if (!s->job || s->job[i].name == STATE_NONE)
			program[i] = i;
	return program;
}

/* ---- tasks ----------------------------------------------------------------------------------------- */

/* Sum of max(0, t - x) over ascending x, of which sums[i] is that of the first i. */
static __int128 before(const int64_t *x, const __int128 *sums, size_t n, int64_t t)
{
	size_t k = search_first(mid, n, x[mid] < t);

	return (__int128)k * t - sums[k];
}

/* How many tasks ran on average while each of these did, all of one group: reduces are counted, and then left out. */
static int loads(struct fleet_look *f)
{
	struct scratch room SCRATCH_SCOPED = {0};
	int64_t *from = scratch_array(&room, f->n, sizeof(*from));
	int64_t *to = scratch_array(&room, f->n, sizeof(*to));
	__int128 *begun = scratch_array(&room, f->n + 1, sizeof(*begun));
	__int128 *ended = scratch_array(&room, f->n + 1, sizeof(*ended));
	size_t n = 0, kept = 0;

	if (room.failed)
		return -ENOMEM;
	for (size_t i = 0; i < f->n; i++)
		if (f->at[i].kind != STATE_REDUCER) {
			from[n] = f->at[i].from;
			to[n++] = f->at[i].to;
		}
	sort(from, n, by_int64);
	sort(to, n, by_int64);
	for (size_t i = 0; i < n; i++) {
		begun[i + 1] = begun[i] + from[i];
		ended[i + 1] = ended[i] + to[i];
	}
	for (size_t i = 0; i < f->n; i++) {
		struct timed_task x = f->at[i];
		__int128 ran = before(from, begun, n, x.to) - before(from, begun, n, x.from) -
			       (before(to, ended, n, x.to) - before(to, ended, n, x.from));

		x.load = log(fmax(1, (double)ran / (double)(x.to - x.from)));
		if (x.kind != STATE_REDUCE)
			f->at[kept++] = x;
	}
	f->n = kept;
	return 0;
}

COMPARISON(by_group, struct timed_task, ORDER(a->group, b->group))

/* All tasks, by group. */
static void gather_timed(struct fleet_look *f)
{
	const struct states *s = f->j->s;

	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];
		size_t row = states_compared_row(f->j, x->node);
		bool ended = x->outcome == OUTCOME_OK;

		if (!(state_is_task(x->kind) || x->kind == STATE_REDUCER) || row == SIZE_MAX ||
		    x->job >= s->jobs.n || x->end_ns <= x->start_ns ||
		    (!ended && x->outcome != OUTCOME_OPEN))
			continue;
		f->at[f->n++] = (struct timed_task){.program = f->program[x->job],
						    .cls = x->cls,
						    .node = (uint32_t)row,
						    .group = f->j->group[row],
						    .octave = states_octave(x),
						    .kind = x->kind,
						    .turn = beside_turn(f->j->beside, i),
						    .beside = beside_reduce(f->j->beside, x),
						    .ended = ended,
						    .from = x->start_ns,
						    .to = x->end_ns,
						    .ln = log(state_seconds(x))};
	}
	sort(f->at, f->n, by_group);
}

/* ---- cells ------------------------------------------------------------------------------------------- */

COMPARISON(in_cells, struct timed_task,
	   ORDER(a->program, b->program) ?: ORDER(a->kind, b->kind) ?: ORDER(a->cls, b->cls)
		   ?: ORDER(a->octave, b->octave) ?: ORDER(a->turn, b->turn)
		   ?: ORDER(a->beside, b->beside))

COMPARISON(by_time, struct timed_task,
	   ORDER(a->from, b->from) ?: ORDER(a->to, b->to) ?: ORDER(a->node, b->node))

COMPARISON(by_node, struct timed_task, ORDER(a->node, b->node) ?: ORDER(a->r, b->r))

/* Numbers the cells; r: beside the median of its cell, all of the time. */
static void beside_cells(struct fleet_look *f)
{
	uint32_t cell = 0;
	size_t next;

	sort(f->at, f->n, in_cells);
	for (size_t i = 0; i < f->n; i = next, cell++) {
		size_t n = 0;
		double median;

		for (next = i; next < f->n && !in_cells(&f->at[next], &f->at[i]); next++)
			if (f->at[next].ended)
				f->some[n++] = f->at[next].ln;
		median = stats_quantile(f->some, n, 0.5);
		for (size_t k = i; k < next; k++) {
			f->at[k].cell = cell;
			f->at[k].r = f->at[k].ln - median;
			if (isnan(median) || (!f->at[k].ended && f->at[k].r < 0))
				f->at[k].r = 0;
		}
	}
}

/* The stretch of time, by starts, whose tasks' r are the most above the mean together. at in order of time. */
static void slow_stretch(const struct fleet_look *f, size_t *from, size_t *to)
{
	double mean = 0, sum = 0, most = 0;
	size_t first = 0;

	for (size_t i = 0; i < f->n; i++)
		mean += f->at[i].r / (double)f->n;
	*from = *to = 0;
	for (size_t i = 0; i < f->n; i++) {
		if (sum <= 0) {
			sum = 0;
			first = i;
		}
		sum += f->at[i].r - mean;
		if (sum > most) {
			most = sum;
			*from = first;
			*to = i + 1;
		}
	}
}

/* Tasks that began in [from, to), beside those of their cell that had ended before: kept are the first ones of at. */
static size_t beside_before(struct fleet_look *f, int64_t from, int64_t to)
{
	size_t kept = 0, next;

	sort(f->at, f->n, in_cells);
	for (size_t i = 0; i < f->n; i = next) {
		double ln, load, floor_s = state_rows[f->at[i].kind].floor_s;
		size_t n = 0, k;

		for (next = i; next < f->n && f->at[next].cell == f->at[i].cell; next++)
			if (f->at[next].ended && f->at[next].to <= from)
				f->some[n++] = f->at[next].ln;
		if (n < STATES_CELL_OTHERS)
			continue;
		ln = stats_quantile(f->some, n, 0.5);
		for (k = i, n = 0; k < next; k++)
			if (f->at[k].ended && f->at[k].to <= from)
				f->some[n++] = f->at[k].load;
		load = stats_quantile(f->some, n, 0.5);
		for (k = i; k < next; k++) {
			struct timed_task x = f->at[k];

			x.r = x.ln - ln - fmax(0, x.load - load);
			if (exp(x.ln) - exp(ln) < floor_s)
				x.r = fmin(x.r, 0);
			if (x.from >= from && x.from < to && (x.ended || x.r > 0))
				f->at[kept++] = x;
		}
	}
	return kept;
}

/* ---- servers ----------------------------------------------------------------------------------------- */

/* Of n tasks, each beside what was before: on how many servers they took longer, and by how much on most of them. */
static double slowed(struct fleet_look *f, size_t n, size_t *servers, size_t *of)
{
	size_t next, m;

	sort(f->at, n, by_node);
	*servers = *of = 0;
	for (size_t i = 0; i < n; i = next) {
		for (next = i, m = 0; next < n && f->at[next].node == f->at[i].node; next++)
			f->some[*of + m++] = f->at[next].r;
		if (m < FEW_TIMED)
			continue;
		f->some[*of] = stats_quantile(&f->some[*of], m, 0.5);
		*servers += f->some[(*of)++] >= log(SLOW_RATIO_EACH);
	}
	return exp(stats_quantile(f->some, *of, 0.5));
}

/* The word of what most of n tasks are. */
static enum state_kind mostly(const struct timed_task *at, size_t n)
{
	size_t count[STATE_KIND_COUNT] = {0};
	enum state_kind most = STATE_MAP;

	for (size_t i = 0; i < n; i++)
		if (++count[at[i].kind] > count[most])
			most = at[i].kind;
	return most;
}

static int one_group(struct fleet_look *f)
{
	struct notice m = {.kind = NOTICE_FLEET,
			   .node = SIZE_MAX,
			   .replaces = true,
			   .signal = SIGNAL_ALL,
			   .detail = {.kind = DETAIL_STATE}};
	size_t first, last, n;
	int err = loads(f);

	if (err)
		return err;
	beside_cells(f);
	sort(f->at, f->n, by_time);
	slow_stretch(f, &first, &last);
	if (last <= first)
		return 0;
	m.from_ns = f->at[first].from;
	m.to_ns = last < f->n ? f->at[last].from : f->j->a->to_ns;
	if (s_of_ns(m.to_ns - m.from_ns) < SLOW_S)
		return 0;
	n = beside_before(f, m.from_ns, m.to_ns);
	m.work = state_rows[mostly(f->at, n)].word;
	m.ratio = slowed(f, n, &m.servers, &m.of);
	if (m.of < STATES_NODES || m.ratio < SLOW_RATIO ||
	    (double)m.servers < NEARLY_ALL * (double)m.of)
		return 0;
	return verdict_add_notice(f->j->a, &m);
}

static int fleet(struct states_job *j)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct fleet_look all = {.j = j,
				 .at = scratch_array(&room, j->s->n, sizeof(*all.at)),
				 .some = scratch_array(&room, j->s->n, sizeof(*all.some)),
				 .program = programs(&room, j->s)};
	size_t next;
	int err = 0;

	if (!all.at || !all.some || !all.program)
		return -ENOMEM;
	gather_timed(&all);
	for (size_t i = 0; i < all.n && !err; i = next) {
		struct fleet_look one = all;

		next = run_end(m, i, all.n, all.at[m].group == all.at[i].group);
		one.at = &all.at[i];
		one.n = next - i;
		err = one_group(&one);
	}
	return err;
}

/* ---- all ---------------------------------------------------------------------------------------- */

int states_notices(struct states_job *j)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct done *d = scratch_array(&room, j->s->n, sizeof(*d));
	size_t n = d ? gather_done(j, d) : 0, next;
	int err = d ? fleet(j) : -ENOMEM;

	for (size_t i = 0; i < n && !err; i = next) {
		bool bytes = true;

		for (next = i; next < n && !by_job(&d[next], &d[i]); next++)
			bytes &= d[next].bytes >= 0;
		if (bytes)
			err = skew(j, &d[i], next - i);
		err = err ?: remote(j, &d[i], next - i);
	}
	return err;
}
