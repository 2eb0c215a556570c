// SPDX-License-Identifier: BSD-2-Clause
/* Looks at the threads: what each waits for, and one that stays asleep as it was. */
#include "profile.h"
#include "stacks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"

/* Different stacks a minute: a server was seen with some 40. */
#define STACKS_MOST 512
/* 4.5 MiB. Threads beyond are looked at, but those that sleep on are unknown. */
#define SLEEPERS_MOST 98304
/* As many are there before those that have gone are looked for. */
#define SLEEPERS_FIRST 192

/* What a thread slept in when its stack was seen last. */
struct sleeper {
	uint32_t tid;
	uint32_t look;
	uint8_t reason;
	uint64_t stack; /* its hash */
};

struct sleepers {
	struct sleeper *at;
	size_t n, room, most; /* most: to be there before it is tidied */
	struct map by_tid;
};

struct profile {
	struct profile_opts o;
	struct members members;
	char **cgroups; /* of the members */
	struct functions functions;
	struct stacks stacks;
	struct user_stacks *user; /* NULL: they are not asked for */
	uint64_t user_lost;	  /* samples, since the start */
	struct member *member;	  /* whose threads are looked at now */
	struct profile_totals totals;
	struct sleepers sleepers;
	size_t threads;	     /* of the last look */
	uint32_t look;	     /* its number */
	size_t members_told; /* left out, when it was said last */
	bool gone_told;
	char said[160];
};

static void free_names(char **names, size_t n)
{
	for (size_t i = 0; names && i < n; i++)
		free(names[i]);
	free(names);
}

int profile_set_cgroups(struct profile *p, const char *const *cgroups, size_t n)
{
	char **names = calloc(n + 1, sizeof(*names));
	bool all = names != NULL;

	for (size_t i = 0; all && i < n; i++) {
		names[i] = strdup(cgroups[i]);
		all = names[i] != NULL;
	}
	if (!all) {
		free_names(names, n);
		return -ENOMEM;
	}
	free_names(p->cgroups, p->members.n_cgroups);
	p->cgroups = names;
	p->members.cgroups = (const char *const *)names;
	p->members.n_cgroups = n;
	return 0;
}

void profile_set_pids(struct profile *p, const uint32_t *pids, size_t n)
{
	members_set_named(&p->members, pids, n);
}

struct profile *profile_new(const struct profile_opts *o)
{
	struct profile *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return NULL;
	p->o = *o;
	p->members =
		(struct members){.follow = o->follow, .sample = o->sample, .source = o->source};
	p->functions = (struct functions){.name = o->name, .source = o->source};
	p->user = o->collect ? user_stacks_new(o->walked) : NULL;
	err = stacks_init(&p->stacks, STACKS_MOST);
	if (!err && o->collect && !p->user)
		err = -ENOMEM;
	err = err ? err : profile_set_cgroups(p, o->cgroups, o->n_cgroups);
	for (size_t i = 0; !err && i < o->n_pids; i++)
		err = members_add(&p->members, o->pids[i]);
	if (err) {
		profile_free(p);
		errno = -err;
		return NULL;
	}
	return p;
}

static void sleepers_release(struct sleepers *s)
{
	map_release(&s->by_tid);
	free(s->at);
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	members_release(&p->members);
	free_names(p->cgroups, p->members.n_cgroups);
	functions_release(&p->functions);
	stacks_release(&p->stacks);
	user_stacks_free(p->user);
	sleepers_release(&p->sleepers);
	free(p);
}

const char *profile_refresh(struct profile *p)
{
	struct members *m = &p->members;

	members_refresh(m);
	if (m->left_out > p->members_told) {
		snprintf(p->said, sizeof(p->said),
			 "threads of %zu processes of --cgroup are not looked at: %s", m->left_out,
			 m->n == MEMBERS_MOST ? "more than 128 cannot be followed"
					      : "the kernel does not let them be followed");
		p->members_told = m->left_out;
		return p->said;
	}
	if (!m->n && !m->n_cgroups && !p->gone_told) {
		p->gone_told = true;
		return "the processes of --pid have gone: what threads wait for is known no "
		       "longer";
	}
	return NULL;
}

/* ---- sleepers ---- */

static struct sleeper *sleeper_find(const struct profile *p, uint32_t tid)
{
	const struct sleepers *s = &p->sleepers;
	size_t at = map_find(i, &s->by_tid, map_hash_number(tid), s->at[i].tid == tid);

	return at == MAP_NONE ? NULL : &s->at[at];
}

static struct sleeper *sleeper_add(struct sleepers *s, uint32_t tid)
{
	struct sleeper *new = map_append(&s->by_tid, map_hash_number(tid),
					 array_refill(&s->at, &s->n, &s->room), &s->n);

	if (new)
		new->tid = tid;
	return new;
}

static bool is_lately_met(const struct profile *p, const struct sleeper *s)
{
	return p->look - s->look < 2;
}

/* Forgets those that have not been met for two looks, and those for which there is no memory. As many as are left may come
 * before the next time. */
static int sleepers_tidy(struct profile *p)
{
	struct sleepers kept = {.most = SLEEPERS_FIRST};
	size_t n = 0;

	for (size_t i = 0; i < p->sleepers.n; i++)
		n += is_lately_met(p, &p->sleepers.at[i]);
	if (n >= SLEEPERS_MOST)
		return -ENOSPC;
	if (2 * n > kept.most)
		kept.most = 2 * n < SLEEPERS_MOST ? 2 * n : SLEEPERS_MOST;
	for (size_t i = 0; i < p->sleepers.n; i++) {
		const struct sleeper *s = &p->sleepers.at[i];
		struct sleeper *new = is_lately_met(p, s) ? sleeper_add(&kept, s->tid) : NULL;

		if (new)
			*new = *s;
	}
	sleepers_release(&p->sleepers);
	p->sleepers = kept;
	return 0;
}

/* NULL: there is no room for it. */
static struct sleeper *sleeper_get(struct profile *p, uint32_t tid)
{
	struct sleeper *s = sleeper_find(p, tid);

	if (s)
		return s;
	return p->sleepers.n >= p->sleepers.most && sleepers_tidy(p)
		       ? NULL
		       : sleeper_add(&p->sleepers, tid);
}

/* ---- looks ---- */

/* What is known of a stack: outermost of it, and of a thread that is awake all there is. */
enum {
	STACK_WHOLE,
	STACK_DEEPER,
	STACK_STARTS_NOWHERE,
	STACK_NONE,
	STACK_ON_CPU,
	STACK_READY,
	STACK_STOPPED
};
static const char *const stack_words[] = {
	[STACK_WHOLE] = "",
	[STACK_DEEPER] = "[deeper]",
	[STACK_STARTS_NOWHERE] = "[starts nowhere]",
	[STACK_NONE] = "[no stack]",
	[STACK_ON_CPU] = "[on a processor]",
	[STACK_READY] = "[runnable]",
	[STACK_STOPPED] = "[stopped]",
};

/* Frames of a thread asleep, the innermost first; and what they say together. */
struct walked {
	const char *name[THREAD_FRAMES];
	const char *innermost; /* of what its function does not tell; NULL */
	int n, word;
	uint8_t says;
	uint64_t hash;
};

static void walk(struct profile *p, const struct thread_sample *s, struct walked *w)
{
	bool starts = false, cut = s->n_frames == THREAD_FRAMES || s->n_frames >= p->o.walked;

	*w = (struct walked){.says = WAIT_SAYS_NOTHING};
	for (; w->n < s->n_frames; w->n++) {
		const struct function *f = function_at(&p->functions, s->frame[w->n]);

		if (!f)
			break;
		w->name[w->n] = f->name;
		w->says = f->says < w->says ? f->says : w->says;
		w->hash = w->hash * 31 + f->hash;
		starts = f->starts;
	}
	w->word = !w->n		       ? STACK_NONE
		  : w->n < s->n_frames ? STACK_STARTS_NOWHERE
		  : starts	       ? STACK_WHOLE
		  : cut		       ? STACK_DEEPER
				       : STACK_STARTS_NOWHERE;
}

/* Counts a stack; returns what stands for it. */
static uint64_t count_stack(struct profile *p, const struct walked *w)
{
	const char *word = stack_words[w->word], *comm = p->member->comm;
	uint64_t hash =
		map_hash_after(map_hash_after(w->hash, comm, strlen(comm)), word, strlen(word));
	char text[sizeof(p->member->comm) + 32 + THREAD_FRAMES * FUNCTION_LEN], *end = text;

	if (stacks_count(&p->stacks, hash))
		return hash;
	end = stpcpy(end, comm);
	if (w->word != STACK_WHOLE)
		end = stpcpy(stpcpy(end, ";"), word);
	for (int i = w->n; i-- > 0;)
		end = stpcpy(stpcpy(end, ";"), w->name[i]);
	if (w->innermost)
		stpcpy(stpcpy(end, ";"), w->innermost);
	stacks_add(&p->stacks, hash, text);
	return hash;
}

static enum wait_reason met_asleep(struct profile *p, const struct thread_sample *s)
{
	struct sleeper *t = sleeper_get(p, s->tid);
	enum wait_reason reason;
	struct walked w;
	uint64_t stack;

	walk(p, s, &w);
	reason = wait_reason_of(s, w.says, w.word == STACK_WHOLE || w.word == STACK_DEEPER);
	if (wait_is_futex(w.says) && reason == WAIT_LOCK) {
		w.innermost = "[lock]";
		w.hash++;
	}
	stack = count_stack(p, &w);
	if (t)
		*t = (struct sleeper){s->tid, p->look, (uint8_t)reason, stack};
	return reason;
}

static enum wait_reason met_again(struct profile *p, const struct thread_sample *s)
{
	struct sleeper *t = sleeper_find(p, s->tid);

	if (t)
		t->look = p->look;
	if (!t || !stacks_count(&p->stacks, t->stack))
		p->stacks.more++;
	return t ? (enum wait_reason)t->reason : WAIT_UNKNOWN;
}

static void on_thread(void *arg, const struct thread_sample *s)
{
	static const struct {
		enum wait_reason reason;
		int word;
	} awake[] = {[THREAD_ON_CPU] = {WAIT_ON_CPU, STACK_ON_CPU},
		     [THREAD_RUNNABLE] = {WAIT_READY, STACK_READY},
		     [THREAD_STOPPED] = {WAIT_STOPPED, STACK_STOPPED}};
	enum wait_reason reason;
	struct profile *p = arg;
	struct sleeper *t;

	if (!p->member->tgid && p->user) {
		p->member->tgid = s->pid;
		p->o.sample(p->o.source, s->pid, true);
	}
	if (s->state == THREAD_ASLEEP) {
		reason = met_asleep(p, s);
	} else if (s->state == THREAD_STAYED) {
		reason = met_again(p, s);
	} else {
		reason = awake[s->state].reason;
		count_stack(p, &(struct walked){.word = awake[s->state].word});
		t = sleeper_find(p, s->tid);
		if (t)
			t->look = p->look;
	}
	p->threads++;
	p->totals.waits[reason]++;
}

int profile_look(struct profile *p)
{
	int err = 0;

	p->look++;
	p->threads = 0;
	functions_renew(&p->functions);
	for (size_t i = 0; i < p->members.n; i++) {
		int failed;

		p->member = &p->members.at[i];
		failed = p->o.look(p->o.source, p->members.at[i].follow, on_thread, p);

		/* One that has just ended is no trouble. */
		err = failed && failed != -ESRCH ? failed : err;
	}
	p->totals.looks++;
	p->totals.threads += p->threads;
	return err;
}

const struct profile_totals *profile_totals(const struct profile *p)
{
	return &p->totals;
}

char *profile_take_stacks(struct profile *p)
{
	return stacks_take(&p->stacks);
}

static void on_cpu_sample(void *arg, const struct cpu_sample *s, size_t size)
{
	struct profile *p = arg;

	user_stacks_add(p->user, &p->functions, s, size);
}

void profile_collect(struct profile *p)
{
	if (p->user)
		p->user_lost = p->o.collect(p->o.source, on_cpu_sample, p);
}

char *profile_take_user_stacks(struct profile *p)
{
	return p->user ? user_stacks_take(p->user, p->user_lost) : NULL;
}

size_t profile_threads(const struct profile *p)
{
	return p->threads;
}
