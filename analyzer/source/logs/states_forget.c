// SPDX-License-Identifier: BSD-2-Clause
/* log_source.h: states of long ago go, and names that nothing has any more. */
#include <errno.h>
#include <stdlib.h>

#include "internal.h"
#include "userspace/common/sort.h"

/* Numbers of one set of names before and after. */
struct kept_names {
	struct names *set, kept;
	/* Of each: 1 while it is only known that it is wanted; STATE_NONE: it goes. */
	uint32_t *now;
};

static int kept_init(struct kept_names *k, struct names *set)
{
	*k = (struct kept_names){.set = set, .kept.max = set->max};
	k->now = malloc((set->n + 1) * sizeof(*k->now));
	for (size_t i = 0; k->now && i < set->n; i++)
		k->now[i] = STATE_NONE;
	return k->now ? 0 : -ENOMEM;
}

static void want(struct kept_names *k, uint32_t number)
{
	if (number < k->set->n)
		k->now[number] = 1;
}

static int kept_numbers(struct kept_names *k)
{
	for (size_t i = 0; i < k->set->n; i++) {
		int64_t n = k->now[i] == STATE_NONE ? 0 : names_add(&k->kept, k->set->at[i]);

		if (n < 0)
			return -ENOMEM;
		k->now[i] = k->now[i] == STATE_NONE ? STATE_NONE : (uint32_t)n;
	}
	return 0;
}

static void kept_use(struct kept_names *k)
{
	names_release(k->set);
	*k->set = k->kept;
	k->kept = (struct names){0};
}

static void kept_release(struct kept_names *k)
{
	names_release(&k->kept);
	free(k->now);
}

struct forgetting {
	struct states *s;
	int64_t before_ns;
	bool *stays;	  /* of each state */
	int64_t *last_ns; /* of each job */
	size_t n;	  /* states that stay */
	struct kept_names jobs, ids, items, files;
};

static void last_of_jobs(struct forgetting *f)
{
	const struct states *s = f->s;

	for (size_t i = 0; i < s->jobs.n; i++) {
		const struct state_job *j = &s->job[i];
		int64_t last = j->submit_ns > j->launch_ns ? j->submit_ns : j->launch_ns;

		f->last_ns[i] = j->finish_ns > last ? j->finish_ns : last;
	}
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].job < s->jobs.n && s->at[i].end_ns > f->last_ns[s->at[i].job])
			f->last_ns[s->at[i].job] = s->at[i].end_ns;
}

/* Of too many those that ended before the time at which the last `most` begin to. */
static int bound(struct forgetting *f, size_t most)
{
	const struct states *s = f->s;
	int64_t *end = malloc((f->n + 1) * sizeof(*end)), since;
	size_t n = 0;

	if (!end)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++)
		if (f->stays[i])
			end[n++] = s->at[i].end_ns;
	sort(end, n, by_int64);
	since = end[n - most];
	free(end);
	for (size_t i = 0; i < s->n; i++)
		if (f->stays[i] && s->at[i].end_ns < since) {
			f->stays[i] = false;
			f->n--;
		}
	return 0;
}

static int choose_remaining(struct forgetting *f, size_t most)
{
	const struct states *s = f->s;

	last_of_jobs(f);
	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];

		f->stays[i] = (x->job < s->jobs.n ? f->last_ns[x->job] : x->end_ns) >= f->before_ns;
		f->n += f->stays[i];
	}
	return f->n > most ? bound(f, most) : 0;
}

/* Jobs of which only their own times are known stay as long. */
static void want_names(struct forgetting *f)
{
	const struct states *s = f->s;

	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];

		if (!f->stays[i])
			continue;
		want(&f->jobs, x->job);
		want(&f->ids, x->id);
		want(&f->ids, x->container);
		want(&f->items, x->in);
		want(&f->items, x->out);
		want(&f->files, x->file);
	}
	for (size_t i = 0; i < s->jobs.n; i++)
		if (f->last_ns[i] >= f->before_ns)
			want(&f->jobs, (uint32_t)i);
	for (const struct open_log *o = s->reading->logs; o; o = o->next)
		want(&f->files, o->log.file);
}

static void renumber_states(struct forgetting *f)
{
	struct states *s = f->s;
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct state x = s->at[i];

		if (!f->stays[i])
			continue;
		x.job = log_renumbered(f->jobs.now, x.job);
		x.id = log_renumbered(f->ids.now, x.id);
		x.container = log_renumbered(f->ids.now, x.container);
		x.in = log_renumbered(f->items.now, x.in);
		x.out = log_renumbered(f->items.now, x.out);
		x.file = log_renumbered(f->files.now, x.file);
		s->at[kept++] = x;
	}
	s->n = kept;
	for (size_t i = 0; i < s->n_progress; i++) {
		s->progress[i].id = log_renumbered(f->ids.now, s->progress[i].id);
		s->progress[i].file = log_renumbered(f->files.now, s->progress[i].file) & 0xffffff;
	}
	keep_those(x, s->progress, &s->n_progress, x->id != STATE_NONE);
	for (size_t i = 0; i < s->n_wait; i++)
		s->wait[i].job = log_renumbered(f->jobs.now, s->wait[i].job);
	keep_those(x, s->wait, &s->n_wait, x->job != STATE_NONE);
	keep_those(x, s->error, &s->n_error, x->time_ns >= f->before_ns);
}

/* What is kept of each job and of each file. */
static void renumber_rows(struct forgetting *f)
{
	struct states *s = f->s;

	for (size_t i = 0; i < s->jobs.n; i++)
		if (f->jobs.now[i] != STATE_NONE)
			s->job[f->jobs.now[i]] = s->job[i];
	for (size_t i = 0; i < s->files.n; i++)
		if (f->files.now[i] != STATE_NONE)
			s->reading->stem_of[f->files.now[i]] = s->reading->stem_of[i];
	for (struct open_log *o = s->reading->logs; o; o = o->next)
		o->log.file = log_renumbered(f->files.now, o->log.file);
}

static int forget(struct forgetting *f, size_t most)
{
	struct kept_names *const all[] = {&f->jobs, &f->ids, &f->items, &f->files};
	struct states *s = f->s;
	int err = choose_remaining(f, most);

	if (err || f->n == s->n)
		return err;
	want_names(f);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all) && !err; i++)
		err = kept_numbers(all[i]);
	if (err)
		return err;
	renumber_states(f);
	renumber_rows(f);
	logs_renumber(s, &(struct log_numbers){.jobs = f->jobs.now, .ids = f->ids.now});
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		kept_use(all[i]);
	return pairs_again(s);
}

int states_forget(struct states *s, int64_t before_ns, size_t most)
{
	struct forgetting f = {.s = s, .before_ns = before_ns};
	int err;

	if (!s->reading)
		return 0;
	f.stays = calloc(s->n + 1, sizeof(*f.stays));
	f.last_ns = calloc(s->jobs.n + 1, sizeof(*f.last_ns));
	err = f.stays && f.last_ns ? 0 : -ENOMEM;
	err = kept_init(&f.jobs, &s->jobs) ?: err;
	err = kept_init(&f.ids, &s->ids) ?: err;
	err = kept_init(&f.items, &s->items) ?: err;
	err = kept_init(&f.files, &s->files) ?: err;
	err = err ?: forget(&f, most);
	kept_release(&f.jobs);
	kept_release(&f.ids);
	kept_release(&f.items);
	kept_release(&f.files);
	free(f.stays);
	free(f.last_ns);
	return err;
}
