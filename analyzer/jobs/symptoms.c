// SPDX-License-Identifier: BSD-2-Clause
/*
 * The symptom of tasks: one that takes long beside the others of its cell, which are the tasks of the same job, kind and stage.
 *
 * While a task runs, its duration is projected: its age over its progress, where that is told and is 5 % or more;
 * otherwise its age, which is less than its duration, and so counts only where it is more than is usual. What ended
 * well stands beside it with its duration. It takes long where that is 1.5 times the median and beyond how far the
 * cell scatters, in three of five looks, one every three seconds: AutoDiagn's factor and interval, and a vote, as one look
 * at a task that has just begun says little. Where nothing begins, ends or reports for longer than an hour, looks become
 * rarer with it: a task that lasts for years, as a wrong time makes it last, costs some thousand looks.
 *
 * It has to take 1.3 times as long as those that began with it, too (within half of its time before and after): the first tasks of
 * a job are slow on all servers, as each is still to be set up, and hold up nothing more than each other.
 *
 * What ended is known: it is a straggler by its duration among all of its cell, whatever was projected. One that
 * was killed or failed took as long as it ran, at least.
 *
 * For one who watches only the last looks count, and only of tasks that still run: with three of these it is one now.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyzer/stat/stats.h"
#include "stragglers.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

#define FACTOR	      1.5
#define SCATTERS      1
#define BESIDE	      1.3 /* the ratio that indicts a server */
#define EVERY_NS      (3 * NS_PER_S)
#define QUIET_NS      (3600 * NS_PER_S) /* after so long without news looks become rarer */
#define SELDOM	      64		/* for t more a look every t / 64 */
#define PROGRESS      0.05
#define SCATTER_LEAST 0.1 /* ln: of tasks that are all alike a tenth more or less is nothing */
#define AGE_NS	      (10 * NS_PER_S)
#define VOTES	      3
#define OF_LOOKS      5
#define WORK_MAX      ((uint64_t)1 << 30) /* values that are looked at: minutes */
enum {
	OTHERS = 5, /* in a cell, with which one is compared */
	/* About, of those that began with it, evenly: a median of more is the same. */
	BESIDE_MAX = 256,
};

struct task_cell {
	struct stragglers *g;
	struct found_task *at; /* by start */
	size_t n;
	const uint32_t *reports; /* of states.progress, by id, then time */
	size_t n_reports;
	struct cell_task {
		size_t report; /* the next */
		double done;
		uint8_t votes;
	} * tasks;
	double *ended, *some;  /* ln of durations, in order; room for all twice */
	size_t n_ended, n_new; /* behind those: that are to be put in order yet */
	int64_t event_ns;      /* the last time at which something began, ended or reported */
	uint64_t *work;
};

static const struct state *state_of(const struct task_cell *c, size_t i)
{
	return &c->g->s->at[c->at[i].state];
}

static double seconds(const struct state *x)
{
	return fmax(0.001, (double)(x->end_ns - x->start_ns) / NS_PER_S);
}

struct usual {
	double median, scatter; /* ln */
	size_t n;
};

/* Of values in any order; some has room for twice as many. */
static struct usual usual_of(double *some, size_t n)
{
	struct usual u = {.median = stats_quantile(some, n, 0.5), .n = n};

	for (size_t i = 0; i < n; i++)
		some[n + i] = fabs(some[i] - u.median);
	u.scatter = fmax(SCATTER_LEAST, 1.4826 * stats_quantile(some + n, n, 0.5));
	return u;
}

static bool is_long(const struct usual *u, double ln)
{
	double more = ln - u->median;

	return u->n > OTHERS && more >= log(FACTOR) && more >= SCATTERS * u->scatter;
}

/* ---- while it runs ----------------------------------------------------------------------------------------- */

static double progress_at(struct task_cell *c, size_t i, int64_t now_ns)
{
	const struct states *s = c->g->s;
	const struct state *x = state_of(c, i);
	struct cell_task *t = &c->tasks[i];

	for (; t->report < c->n_reports; t->report++) {
		const struct state_progress *p = &s->progress[c->reports[t->report]];

		if (p->id != x->id || p->kind != x->kind || p->time_ns > now_ns)
			break;
		t->done = p->done;
		c->event_ns = now_ns;
	}
	return t->done;
}

/* NaN: too young to say. */
static double projected(struct task_cell *c, size_t i, int64_t now_ns, double median_s)
{
	int64_t age_ns = now_ns - state_of(c, i)->start_ns;
	double age_s = (double)age_ns / NS_PER_S, done = progress_at(c, i, now_ns);

	if (done >= PROGRESS && age_s > 0)
		return age_s / fmin(1, done);
	return age_ns >= AGE_NS && age_s > median_s ? age_s : NAN;
}

/*
 * ln of the median of those that began with it; NaN: too few did. takes_s: of it. What runs counts with its age: as long as
 * that, at least.
 */
static double beside(struct task_cell *c, size_t i, double takes_s, int64_t now_ns)
{
	int64_t half_ns = (int64_t)(takes_s / 2 * NS_PER_S), own = state_of(c, i)->start_ns;
	size_t from = search_first(k, c->n, state_of(c, k)->start_ns < own - half_ns), n = 0;
	size_t to = search_first(k, c->n, state_of(c, k)->start_ns <= own + half_ns);
	size_t step = (to - from) / BESIDE_MAX + 1;

	for (size_t k = from; k < to; k += step) {
		const struct state *x = state_of(c, k);
		int64_t end = x->end_ns < now_ns ? x->end_ns : now_ns;

		if (k != i && end > x->start_ns)
			c->some[n++] = log((double)(end - x->start_ns) / NS_PER_S);
	}
	return n < OTHERS ? NAN : stats_quantile(c->some, n, 0.5);
}

static bool stands_out(struct task_cell *c, size_t i, const struct usual *u, double takes_s,
		       int64_t now_ns)
{
	return is_long(u, log(takes_s)) &&
	       !(log(takes_s) - beside(c, i, takes_s, now_ns) < log(BESIDE));
}

static void note_look(struct found_task *t, int64_t now_ns, double takes_s, double usual_s)
{
	if (!t->flagged++) {
		t->onset_ns = now_ns;
		t->takes_s = takes_s;
		t->usual_s = usual_s;
	}
	t->last_ns = now_ns;
	if (takes_s * t->usual_s > t->takes_s * usual_s) {
		t->takes_s = takes_s;
		t->usual_s = usual_s;
	}
}

/* One look at those that run: `open` of n. */
static void look(struct task_cell *c, const uint32_t *open, size_t n, int64_t now_ns,
		 double *takes_s)
{
	double median_s = c->n_ended ? exp(c->ended[c->n_ended / 2]) : 0;
	struct usual u;
	size_t k = c->n_ended;

	memcpy(c->some, c->ended, k * sizeof(*c->some));
	for (size_t i = 0; i < n; i++) {
		takes_s[i] = projected(c, open[i], now_ns, median_s);
		if (!isnan(takes_s[i]))
			c->some[k++] = log(takes_s[i]);
	}
	u = usual_of(c->some, k);
	for (size_t i = 0; i < n; i++) {
		struct found_task *t = &c->at[open[i]];
		uint8_t *votes = &c->tasks[open[i]].votes;
		bool is;

		if (isnan(takes_s[i]))
			continue;
		is = stands_out(c, open[i], &u, takes_s[i], now_ns);
		t->judged++;
		*votes = (uint8_t)(*votes << 1 | is);
		if (is)
			note_look(t, now_ns, takes_s[i], exp(u.median));
		t->straggler |= __builtin_popcount(*votes & ((1 << OF_LOOKS) - 1)) >= VOTES;
	}
	*c->work += k + n;
}

/* What has ended since the last look takes its places. */
static void merge_ended(struct task_cell *c)
{
	double *new = c->ended + c->n_ended;
	size_t i = c->n_ended, k = c->n_new, n = i + k;

	if (!k)
		return;
	sort(new, k, by_double);
	for (size_t at = n; at--;)
		c->some[at] = !k || (i && c->ended[i - 1] > new[k - 1]) ? c->ended[--i] : new[--k];
	memcpy(c->ended, c->some, n * sizeof(*c->ended));
	c->n_ended = n;
	c->n_new = 0;
	*c->work += n;
}

/* Those of `open` that still run; what ended well is among the cell's. */
static size_t running(struct task_cell *c, uint32_t *open, size_t n, int64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const struct state *x = state_of(c, open[i]);

		if (x->end_ns > now_ns || (x->outcome == OUTCOME_OPEN && x->end_ns >= now_ns))
			open[kept++] = open[i];
		else if (x->outcome == OUTCOME_OK)
			c->ended[c->n_ended + c->n_new++] = log(seconds(x));
	}
	return kept;
}

/* The last look at what runs: later ones would change nothing that is told. */
static int64_t last_look(const struct task_cell *c)
{
	int64_t last_ns = state_of(c, 0)->start_ns;

	if (!c->g->running)
		return INT64_MAX;
	for (size_t i = 0; i < c->n; i++)
		if (state_of(c, i)->outcome == OUTCOME_OPEN && state_of(c, i)->end_ns > last_ns)
			last_ns = state_of(c, i)->end_ns;
	return last_ns;
}

static int64_t next_look(const struct task_cell *c, int64_t now_ns)
{
	int64_t rare_ns = (now_ns - c->event_ns - QUIET_NS) / SELDOM;

	return now_ns + (rare_ns > EVERY_NS ? rare_ns : EVERY_NS);
}

static int replay(struct task_cell *c)
{
	struct scratch room SCRATCH_SCOPED = {0};
	uint32_t *open = scratch_array(&room, c->n, sizeof(*open));
	double *takes_s = scratch_array(&room, c->n, sizeof(*takes_s));
	int64_t last_ns = last_look(c), now_ns = c->g->running ? last_ns - (OF_LOOKS - 1) * EVERY_NS
							       : state_of(c, 0)->start_ns;
	size_t next = 0, n = 0;

	if (room.failed)
		return -ENOMEM;
	c->event_ns = now_ns;
	for (; (next < c->n || n) && now_ns <= last_ns && *c->work < WORK_MAX;
	     now_ns = next_look(c, now_ns)) {
		size_t had = n, began = next;

		n = running(c, open, n, now_ns);
		for (; next < c->n && state_of(c, next)->start_ns <= now_ns; next++)
			open[n++] = (uint32_t)next;
		n = running(c, open, n, now_ns);
		c->event_ns = n != had || next != began ? now_ns : c->event_ns;
		merge_ended(c);
		if (n)
			look(c, open, n, now_ns, takes_s);
		else if (next < c->n && state_of(c, next)->start_ns > now_ns && !c->g->running)
			now_ns = c->event_ns = state_of(c, next)->start_ns - EVERY_NS;
	}
	return 0;
}

/* ---- when it has ended --------------------------------------------------------------------------------------- */

static void judge_ended(struct task_cell *c)
{
	struct usual u;

	memcpy(c->some, c->ended, c->n_ended * sizeof(*c->some));
	u = usual_of(c->some, c->n_ended);
	for (size_t i = 0; i < c->n; i++) {
		const struct state *x = state_of(c, i);
		struct found_task *t = &c->at[i];
		bool is = stands_out(c, i, &u, seconds(x), INT64_MAX);

		if (x->outcome == OUTCOME_OPEN)
			continue;
		t->straggler = is || (t->straggler && x->outcome != OUTCOME_OK);
		t->judged += !t->judged;
		t->usual_s = isnan(t->usual_s) ? exp(u.median) : t->usual_s;
		if (!t->straggler || !is)
			continue;
		if (!t->flagged)
			t->onset_ns = t->last_ns = x->end_ns;
		t->flagged += !t->flagged;
		t->takes_s = seconds(x);
		t->usual_s = exp(u.median);
	}
}

/* ---- cells ----------------------------------------------------------------------------------------------------- */

COMPARISON_WITH(by_task_and_time, uint32_t, struct state_progress,
		ORDER(with[*a].id, with[*b].id) ?: ORDER(with[*a].kind, with[*b].kind)
			?: ORDER(with[*a].time_ns, with[*b].time_ns)
			?: ORDER(with[*a].done, with[*b].done))

static bool before(const struct task_cell *c, size_t k, const struct state *x)
{
	const struct state_progress *p = &c->g->s->progress[c->reports[k]];

	return p->id < x->id || (p->id == x->id && p->kind < x->kind);
}

static int one_cell(struct task_cell *c)
{
	struct scratch room SCRATCH_SCOPED = {0};
	int err;

	c->tasks = scratch_array(&room, c->n, sizeof(*c->tasks));
	c->ended = scratch_array(&room, c->n, sizeof(*c->ended));
	c->some = scratch_array(&room, 2 * c->n, sizeof(*c->some));
	if (room.failed)
		return -ENOMEM;
	for (size_t i = 0; i < c->n; i++) {
		const struct state *x = state_of(c, i);

		c->tasks[i].report = search_first(k, c->n_reports, before(c, k, x));
	}
	err = replay(c);
	if (!c->g->running)
		judge_ended(c);
	/* for one who watches, what runs and stands out in the last looks */
	for (size_t i = 0; i < c->n && c->g->running; i++)
		c->at[i].straggler &= state_of(c, i)->outcome == OUTCOME_OPEN;
	return err;
}

/* Reports of tasks that run are enough where only these are asked for. */
static int take_reports(const struct stragglers *g, uint32_t *reports, size_t *n)
{
	struct scratch room SCRATCH_SCOPED = {0};
	const struct states *s = g->s;
	bool *wanted = scratch_array(&room, s->ids.n, sizeof(*wanted));

	if (!wanted)
		return -ENOMEM;
	for (size_t i = 0; i < g->n; i++) {
		const struct state *x = &s->at[g->at[i].state];

		if (x->id < s->ids.n)
			wanted[x->id] |= !g->running || x->outcome == OUTCOME_OPEN;
	}
	for (size_t i = 0; i < s->n_progress; i++)
		if (s->progress[i].id < s->ids.n && wanted[s->progress[i].id])
			reports[(*n)++] = (uint32_t)i;
	sort_with(reports, *n, by_task_and_time, s->progress);
	return 0;
}

static bool any_open(const struct stragglers *g, size_t from, size_t to)
{
	while (from < to && g->s->at[g->at[from].state].outcome != OUTCOME_OPEN)
		from++;
	return from < to;
}

int find_long(struct stragglers *g)
{
	struct scratch room SCRATCH_SCOPED = {0};
	uint32_t *reports = scratch_array(&room, g->s->n_progress, sizeof(*reports));
	uint64_t work = 0;
	size_t n_reports = 0;
	int err = reports ? take_reports(g, reports, &n_reports) : -ENOMEM;

	for (size_t i = 0, end; i < g->n && !err; i = end) {
		struct task_cell c = {.g = g,
				      .at = &g->at[i],
				      .reports = reports,
				      .n_reports = n_reports,
				      .work = &work};

		end = run_end(m, i, g->n, g->at[m].cell == g->at[i].cell);
		c.n = end - i;
		if (!g->running || any_open(g, i, end))
			err = one_cell(&c);
	}
	return err;
}
