// SPDX-License-Identifier: BSD-2-Clause
/*
 * source.h: what tasks took of the processors, as the probes of their servers saw their processes. Logs say which process
 * or container an attempt was (states.h); where they do not say what it took, the recording does: the rows of that
 * process, second by second, as far as they lie within the attempt. A row is there for the busiest only, so this is
 * what it took at least.
 */

#include "source_bad.h"

#include <errno.h>
#include <math.h>

#include "userspace/common/array.h"
#include "userspace/common/sort.h"

/* What is looked for: a container's name, or the number of a process where container is NULL. */
struct wanted_process {
	const char *node, *container;
	uint32_t pid;
	struct state *state;
	double cpu_s;
	bool seen;
};

/* Of processor time, or between two looks, in a row: more is no number of seconds. */
#define SECOND_MOST 1e6

struct joining {
	struct wanted_process *at; /* by node, container or pid, begin */
	size_t n;
	size_t from, to; /* those of the file that is read */
	/* Seconds up to there are counted, by files of the same server before this one; and by this one. */
	int64_t before_ns, done_ns;
};

static int by_name(const void *a, const void *b)
{
	const struct wanted_process *x = a, *y = b;
	int of_node = strcmp(x->node, y->node);

	if (of_node)
		return of_node;
	if (x->container && y->container)
		return strcmp(x->container, y->container);
	return ORDER(x->container != NULL, y->container != NULL) ?: ORDER(x->pid, y->pid);
}

COMPARISON(by_name_and_time, struct wanted_process,
	   by_name(a, b) ?: ORDER(a->state->start_ns, b->state->start_ns))

static int want(struct joining *j, struct states *s, size_t i, const char *container, uint32_t pid)
{
	return array_put(&j->at, &j->n,
			 (struct wanted_process){.node = s->nodes.at[s->at[i].node],
						 .container = container,
						 .pid = pid,
						 .state = &s->at[i]});
}

static int want_all(struct joining *j, struct states *s)
{
	int err = 0;

	for (size_t i = 0; i < s->n && !err; i++) {
		const struct state *x = &s->at[i];
		uint32_t in = x->kind == STATE_RUN ? x->id : x->container;

		if (!isnan(x->cpu_s) || x->node == STATE_NONE)
			continue;
		if (in != STATE_NONE)
			err = want(j, s, i, s->ids.at[in], 0);
		if (x->pid && !err)
			err = want(j, s, i, NULL, x->pid);
	}
	sort(j->at, j->n, by_name_and_time);
	return err;
}

/* Of one process at one time: an attempt and its container, and the two before, that ended in this second. */
enum { AT_ONCE = 4 };

/* The second up to wall_ns, as far as states of this name lie in it; false: there are none before its end. */
static bool join_second(struct joining *j, struct wanted_process key, const struct series_time *t,
			double cpu_s)
{
	struct state second_end = {.start_ns = t->wall_ns};
	int64_t length = ns_of_s(t->interval_s), from = t->wall_ns - length;
	size_t i;
	bool any = false;

	key.state = &second_end;
	i = j->from +
	    search_first(k, j->to - j->from, by_name_and_time(&j->at[j->from + k], &key) < 0);
	for (size_t n = 0; n < AT_ONCE && i-- > j->from && !by_name(&j->at[i], &key); n++) {
		struct wanted_process *w = &j->at[i];
		int64_t begin = w->state->start_ns > from ? w->state->start_ns : from;
		int64_t end = w->state->end_ns < t->wall_ns ? w->state->end_ns : t->wall_ns;

		any = true;
		if (end <= begin)
			continue;
		w->cpu_s += cpu_s * (double)(end - begin) / (double)length;
		w->seen = true;
	}
	return any;
}

static int on_row(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct joining *j = arg;
	const char *number = strrchr(row->instance, ':');
	const char *group = row->cgroup ? strstr(row->cgroup, "/container_") : NULL;
	double cpu_s = second_value(row, M_P_CPU) / 100 * t->interval_s;
	struct wanted_process key = {.node = j->at[j->from].node};

	/* of a second in two files the first one's counts; and what a damaged file may say */
	if (t->wall_ns <= j->before_ns)
		return 0;
	j->done_ns = t->wall_ns > j->done_ns ? t->wall_ns : j->done_ns;
	if (!number || !(cpu_s > 0 && cpu_s < SECOND_MOST) ||
	    !(t->interval_s > 0 && t->interval_s < SECOND_MOST))
		return 0;
	if (group) {
		char name[LOG_ID_LEN];
		size_t len = strcspn(group + 1, "/");

		if (len < sizeof(name)) {
			memcpy(name, group + 1, len);
			name[len] = '\0';
			key.container = name;
			if (join_second(j, key, t, cpu_s))
				return 0;
		}
	}
	key.container = NULL;
	key.pid = (uint32_t)strtoul(number + 1, NULL, 10);
	if (key.pid)
		join_second(j, key, t, cpu_s);
	return 0;
}

/* A file that cannot be read costs what is in it; whoever reads all of it says so. */
static int read_processes(struct joining *j, const struct source_file *f)
{
	bool processor[M_COUNT] = {[M_P_CPU] = true};
	int64_t first = INT64_MAX, last = INT64_MIN;
	struct series_reader *r = NULL;
	int err;

	for (size_t i = j->from; i < j->to; i++) {
		const struct state *x = j->at[i].state;

		first = x->start_ns < first ? x->start_ns : first;
		last = x->end_ns > last ? x->end_ns : last;
	}
	last += 2 * NS_PER_S;
	if (f->why || !f->seconds || f->last_ns < first || f->first_ns > last)
		return 0;
	err = series_reader_new(&r, f->path);
	if (!err) {
		series_reader_want(r, processor);
		err = series_reader_rows(r, first, last, 1U << FAM_PROCESS, 0, on_row, j);
	}
	series_reader_free(r);
	return err == -ENOMEM ? err : 0;
}

int sources_processes(struct sources *s)
{
	struct joining j = {0};
	int err = want_all(&j, &s->states);

	for (size_t i = 0; i < s->n && !err; i++) {
		const char *host = s->at[i].host;

		j.before_ns = i && !strcmp(host, s->at[i - 1].host) ? j.done_ns : INT64_MIN;
		j.done_ns = j.before_ns;
		j.from = search_first(k, j.n, strcmp(j.at[k].node, host) < 0);
		j.to = run_end(k, j.from, j.n, !strcmp(j.at[k].node, host));
		if (j.from < j.to)
			err = read_processes(&j, &s->at[i]);
	}
	/* A row is found by the one name or the other, so that what both found is added up. */
	for (size_t i = 0; i < j.n && !err; i++)
		if (j.at[i].seen)
			j.at[i].state->cpu_s =
				(isnan(j.at[i].state->cpu_s) ? 0 : j.at[i].state->cpu_s) +
				(float)j.at[i].cpu_s;
	free(j.at);
	return err;
}
