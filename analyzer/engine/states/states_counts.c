// SPDX-License-Identifier: BSD-2-Clause
/* What is counted, beside the counts of the peers: attempts that fail or do not end, and slow packets. */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

/* ---- attempts ----------------------------------------------------------------------------------- */

/*
 * Attempts that fail, and attempts that do not end, or ended and were lost with their server: how many of a node's, beside the share of its peers' in the same
 * jobs, by the binomial distribution. A task that was killed has lost a race against its twin: that is no failure.
 *
 * What was given up for its silence hung, however long it was. Length alone is none, for data are skewed: a task that takes long, and
 * runs at the end of the log, or was killed with its job, may have more to do than all others. It hung if another attempt of the
 * same task overtook it elsewhere. A map hung, too, if its progress stands still for longer than that of any on other servers
 * did: however much there is to read, what is read is told, by default every half minute. A log that ends tells nothing. A reduce
 * may wait for others' maps.
 *
 * How sure that is: one attempt is not enough, as a program may hang, too, and two are. Spark's lost heartbeats are not, however
 * many, as its driver may have paused, and all tasks of an executor are lost with one.
 * An executor that never registered may have been late: it is enough only if the application went on for long beyond what all the
 * others took to register, and all the others worked meanwhile, but not it. How often healthy ones do not register is not known (of some 28 that logs have all did), so
 * it is this that decides, and not STUCK_LEAST. Less than enough makes suspicious at most.
 *
 * A program that fails, fails anywhere. What failed on one server and then ended well on another did not fail by its
 * program: it counts as attempts that hang do.
 */

/* A share of others' that is 0 of some tens may be this (failures), and this (hangs): in 18,800 attempts of healthy
 * traces and runs none failed or hung, which leaves 0.00016 with 95 %; programs fail by themselves more often than that. */
#define FAILED_LEAST 0.005
#define STUCK_LEAST  0.00016
/* Hits that say something; fewer where no program can have failed. */
enum { FAILED_FEW = 3, FAILED_ELSEWHERE = 2, STUCK_OTHERS = 4 };
/* Maps of the same job on other servers that told on the way how far they were: else this job's maps do not tell it. */
enum { STANDS_OTHERS = 2 };
/* Of an attempt that has not ended well: so many times as long as the longest that did, and so long at least. */
#define STUCK_TIMES 3
#define STUCK_S	    30
#define STANDS_S    120 /* four reports */
/* And of an executor that is waited for, to be enough. */
#define AWAITED_TIMES 10
enum { STUCK_ENOUGH = 2 }; /* attempts */
#define ATTEMPTS_TIMES 2   /* what is expected; fewer say nothing */
#define MOST_FAILED    0.5 /* of all attempts: then the job fails, whatever the node */

/* A node's attempts of one job, then of all. */
struct counted {
	uint32_t job, node;
	int32_t group;
	enum state_kind kind;
	double n, hits, expected, longest_s;
	bool moved; /* its progress was told on the way */
	float stood_s,
		stands_s; /* its progress stood still: the longest, and to its end; 0: nobody said it */
	double program;		   /* of the hits those that may be its */
	double rare;		   /* expected, were it of the least share */
	unsigned int sure;	   /* of the hits so many are no lost heartbeats */
	bool elsewhere;		   /* its task ended well on another server */
	struct state_span awaited; /* an executor, in vain for long */
	struct state_span time;
	int64_t onset_ns,
		hit_ns; /* when the first hit began, and the last one ended; 0: there is none */
};

/* A task some attempt of which failed, or hung: what its attempts' names begin with. */
struct failed {
	const char *task;
	size_t length;
	uint32_t node; /* where */
	bool elsewhere;
};

struct counting {
	struct states_job *j;
	size_t signal, n;
	struct counted *at;    /* by group, job and kind, then node */
	struct counted *all;   /* of each node */
	struct failed *failed; /* by name */
	size_t n_failed;
	bool stuck;
};

/* With one more; `any`: there was one before, whose times count from 1970 on. */
static struct state_span span_with(bool any, struct state_span x, struct state_span more)
{
	return (struct state_span){any && x.from_ns < more.from_ns ? x.from_ns : more.from_ns,
				   x.to_ns > more.to_ns ? x.to_ns : more.to_ns};
}

/* Keeps what so many hits of a node, beside so many that were expected, say of it; unless sure it is suspicious at most. */
static int keep_counted(struct states_job *j, size_t signal, size_t node, const struct evidence *e,
			const struct count *count, double ratio, struct state_span time, bool sure)
{
	struct finding_about about = states_about(j, signal, node);
	struct state_found f;

	if (e->level == EVIDENCE_NONE)
		return 0;
	about.value = count->hits;
	about.peers = count->expected;
	about.ratio = ratio;
	about.flagged = (unsigned int)count->hits;
	about.judged = (unsigned int)count->of;
	about.onset_ns = time.from_ns;
	about.last_ns = time.to_ns;
	f = states_found(signal, &about, e);
	f.brief = !sure && f.level == EVIDENCE_INDICTED;
	if (f.brief)
		f.level = EVIDENCE_SUSPICIOUS;
	return states_keep(j, f);
}

static int by_job(const struct counted *x, const struct counted *y)
{
	return ORDER(x->group, y->group) ?: ORDER(x->job, y->job) ?: ORDER(x->kind, y->kind);
}

COMPARISON(in_order, struct counted, by_job(a, b) ?: ORDER(a->node, b->node))

/* Setting a job up, and cleaning up after it, is an attempt as any other, and so is starting an executor. */
static bool is_attempt(enum state_kind kind)
{
	return state_is_task(kind) || kind == STATE_SETUP || kind == STATE_CLEANUP ||
	       kind == STATE_EXECUTOR;
}

/* ---- tasks that failed, and did not elsewhere --------------------------------------------------- */

/* The name of a Hadoop's attempt without its number; 0: it has none. */
static size_t task_length(const char *id)
{
	const char *last = strncmp(id, "attempt_", 8) ? NULL : strrchr(id, '_');

	return last ? (size_t)(last - id) : 0;
}

static int by_name(const struct failed *x, const struct failed *y)
{
	size_t n = x->length < y->length ? x->length : y->length;

	return memcmp(x->task, y->task, n) ?: ORDER(x->length, y->length);
}

COMPARISON(by_task, struct failed, by_name(a, b) ?: ORDER(a->node, b->node))

static struct failed failed_of(const struct counting *w, const struct state *x)
{
	const char *id = x->id < w->j->s->ids.n ? w->j->s->ids.at[x->id] : "";

	return (struct failed){id, task_length(id), x->node, false};
}

/* Did not end well: of hangs also what did not end, or was killed. */
static bool is_bad(const struct counting *w, const struct state *x)
{
	return x->outcome == OUTCOME_FAILED || (w->stuck && x->outcome != OUTCOME_OK);
}

static int find_failed(struct counting *w)
{
	const struct states *s = w->j->s;

	for (size_t i = 0; i < s->n; i++) {
		struct failed x = failed_of(w, &s->at[i]);

		if (is_attempt(s->at[i].kind) && is_bad(w, &s->at[i]) && x.length &&
		    array_put(&w->failed, &w->n_failed, x))
			return -ENOMEM;
	}
	sort(w->failed, w->n_failed, by_task);
	/* Once for a task and server, so that no name of a log has more rows than there are servers. */
	w->n_failed = keep_first(w->failed, w->n_failed, by_task);
	for (size_t i = 0; i < s->n && w->n_failed; i++) {
		struct failed x = failed_of(w, &s->at[i]);

		if (!is_attempt(s->at[i].kind) || s->at[i].outcome != OUTCOME_OK || !x.length)
			continue;
		for (size_t k = search_first(m, w->n_failed, by_name(&w->failed[m], &x) < 0);
		     k < w->n_failed && !by_name(&w->failed[k], &x); k++)
			w->failed[k].elsewhere |= w->failed[k].node != x.node;
	}
	return 0;
}

/* Whether this attempt's task ended well on another server. */
static bool ended_elsewhere(const struct counting *w, const struct state *of)
{
	struct failed x = failed_of(w, of);
	const struct failed *found = search(&x, w->failed, w->n_failed, by_task);

	return found && found->elsewhere;
}

/* ---- maps that stand still ----------------------------------------------------------------------- */

struct standing {
	uint32_t id, state, file; /* file: that told it last */
	float done, longest_s, last_s;
	bool told, moved;
	int64_t since_ns;
};

COMPARISON(by_id, struct standing, ORDER(a->id, b->id))

static void moved_on(struct standing *x, float done, int64_t time_ns)
{
	x->last_s = (float)(time_ns - x->since_ns) / NS_PER_S;
	x->longest_s = fmaxf(x->longest_s, x->last_s);
	x->done = done;
	x->since_ns = time_ns;
}

/* Every map, in order of ids. */
static int find_standing(const struct states *s, struct scratch *room, struct standing **at,
			 size_t *n)
{
	struct standing *all = scratch_array(room, s->n, sizeof(*all)), *x;

	*n = 0;
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < s->n && s->n_progress; i++)
		if (s->at[i].kind == STATE_MAP && s->at[i].id != STATE_NONE)
			all[(*n)++] = (struct standing){.id = s->at[i].id,
							.state = (uint32_t)i,
							.since_ns = s->at[i].start_ns};
	sort(all, *n, by_id);
	for (size_t i = 0; i < s->n_progress && *n; i++) {
		const struct state_progress *p = &s->progress[i];

		x = p->kind == STATE_MAP ? search(&(struct standing){.id = p->id}, all, *n, by_id)
					 : NULL;
		if (!x || p->time_ns < x->since_ns)
			continue;
		x->told = true;
		x->file = p->file;
		x->moved |= p->done > 0 && p->done < 1;
		if (p->done != x->done)
			moved_on(x, p->done, p->time_ns);
	}
	for (size_t i = 0; i < *n; i++) {
		const struct state *st = &s->at[all[i].state];
		int64_t heard_ns = states_heard(s, all[i].file);
		bool through = all[i].done >= 1; /* what it still does nobody tells */

		moved_on(&all[i], 1, heard_ns < st->end_ns ? heard_ns : st->end_ns);
		all[i].last_s = through ? 0 : all[i].last_s;
	}
	*at = all;
	return 0;
}

/* The same, in the order of the attempts' states. */
static int standing_of_states(const struct states *s, struct scratch *room, struct standing **of)
{
	struct standing *all;
	size_t n;
	int err = find_standing(s, room, &all, &n);

	*of = scratch_array(room, s->n, sizeof(**of));
	for (size_t i = 0; i < n && *of && !err; i++)
		(*of)[all[i].state] = all[i];
	return *of ? err : -ENOMEM;
}

/* ---- counting ------------------------------------------------------------------------------------ */

/* Each attempt alone: its length stands in longest_s, below 0 where it has not ended well. */
static int attempts(struct scratch *room, struct counting *w)
{
	const struct states *s = w->j->s;
	struct standing *standing;

	for (size_t i = 0; i < s->n; i++)
		w->n += is_attempt(s->at[i].kind);
	w->at = scratch_array(room, w->n, sizeof(*w->at));
	w->all = scratch_array(room, w->j->a->n_nodes, sizeof(*w->all));
	w->n = 0;
	if (standing_of_states(s, room, &standing) || room->failed)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];
		size_t row = states_compared_row(w->j, x->node);
		bool failed = x->outcome == OUTCOME_FAILED && !x->silent;

		if (!is_attempt(x->kind) || row == SIZE_MAX)
			continue;
		w->at[w->n++] =
			(struct counted){.job = x->job,
					 .node = (uint32_t)row,
					 .group = w->j->group[row],
					 .kind = x->kind,
					 .n = w->stuck || failed || x->outcome == OUTCOME_OK,
					 .hits = w->stuck ? x->lost || x->silent : failed,
					 .program = !w->stuck && failed && !ended_elsewhere(w, x),
					 .sure = x->lost || (x->silent && x->kind != STATE_TASK),
					 .elsewhere = w->stuck && ended_elsewhere(w, x),
					 .longest_s = x->outcome == OUTCOME_OK ? state_seconds(x)
									       : -state_seconds(x),
					 .stood_s = standing[i].told	   ? standing[i].longest_s
						    : x->kind == STATE_MAP ? (float)state_seconds(x)
									   : 0,
					 .moved = standing[i].moved,
					 .stands_s = standing[i].told && x->outcome != OUTCOME_OK
							     ? standing[i].last_s
							     : 0,
					 .time = {x->start_ns, x->end_ns}};
	}
	sort(w->at, w->n, in_order);
	return 0;
}

/* The longest of all, and the longest of the nodes but that one. */
struct longest {
	double first, second;
	uint32_t node;
};

static void longest_with(struct longest *l, uint32_t node, double s)
{
	if (s > l->first) {
		l->second = l->node == node ? l->second : l->first;
		l->first = s;
		l->node = node;
	} else if (l->node != node && s > l->second) {
		l->second = s;
	}
}

static double longest_of_others(const struct longest *l, uint32_t node)
{
	return l->node == node ? l->second : l->first;
}

/* Of a job's attempts the stuck ones: beyond the longest that ended well on other nodes, or stood still there. */
static void find_stuck(struct counted *c, size_t n)
{
	struct longest ended = {.node = UINT32_MAX}, stood = {.node = UINT32_MAX};
	size_t n_ended = 0, n_moved = 0, own = 0;

	for (size_t i = 0; i < n; i++) {
		n_ended += c[i].longest_s >= 0;
		n_moved += c[i].moved;
		longest_with(&ended, c[i].node, c[i].longest_s);
		longest_with(&stood, c[i].node, c[i].stood_s);
	}
	for (size_t i = 0; i < n; i++) {
		double longest = longest_of_others(&ended, c[i].node);
		double still = longest_of_others(&stood, c[i].node);
		bool stands;

		if (!i || c[i].node != c[i - 1].node) {
			own = 0;
			for (size_t k = i; k < n && c[k].node == c[i].node; k++)
				own += c[k].moved;
		}
		stands = n_moved >= own + STANDS_OTHERS &&
			 c[i].stands_s > fmax(STANDS_S, STUCK_TIMES * still);
		if (c[i].elsewhere || stands)
			c[i].sure = 1;
		if (n_ended < STUCK_OTHERS || c[i].longest_s >= 0 ||
		    (state_is_task(c[i].kind) && !c[i].elsewhere && !stands))
			continue;
		if (-c[i].longest_s > fmax(STUCK_S, STUCK_TIMES * longest))
			c[i].hits = 1;
		if (c[i].kind == STATE_EXECUTOR &&
		    -c[i].longest_s > fmax(STUCK_S, AWAITED_TIMES * longest))
			c[i].awaited = c[i].time;
	}
}

static void note_hit(struct counted *to, const struct state_span *time)
{
	if (!to->onset_ns || time->from_ns < to->onset_ns)
		to->onset_ns = time->from_ns;
	if (time->to_ns > to->hit_ns)
		to->hit_ns = time->to_ns;
}

/* Attempts of one job and kind: what is expected of each node by the others' share. */
static void one_job(struct counting *w, struct counted *c, size_t n)
{
	double all = 0, hits = 0, program = 0, least;
	size_t next;

	if (w->stuck)
		find_stuck(c, n);
	for (size_t i = 0; i < n; i++) {
		all += c[i].n;
		hits += c[i].hits;
		program += c[i].program;
	}
	least = program > 0 ? FAILED_LEAST : STUCK_LEAST;
	if (!(all > 0) || hits > MOST_FAILED * all)
		return;
	for (size_t i = 0; i < n; i = next) {
		struct counted *to = &w->all[c[i].node];
		double own = 0, own_hits = 0, share;

		for (next = i; next < n && c[next].node == c[i].node; next++) {
			own += c[next].n;
			own_hits += c[next].hits;
			to->sure += c[next].hits > 0 ? c[next].sure : 0;
			if (c[next].awaited.to_ns)
				to->awaited = c[next].awaited;
			to->program += c[next].program;
			if (c[next].hits > 0)
				note_hit(to, &c[next].time);
			to->time = span_with(to->n > 0, to->time, c[next].time);
			to->n += c[next].n;
		}
		share = (hits - own_hits) / fmax(1, all - own);
		to->hits += own_hits;
		to->expected += share > least ? own * share : 0;
		to->rare += share > least ? 0 : own * least;
	}
}

/* Whether each other server of its group that is counted ended a task well while this one's executor was waited for, and it did not. */
static int others_worked(const struct counting *w, size_t node, bool *all)
{
	struct scratch room SCRATCH_SCOPED = {0};
	const struct states_job *j = w->j;
	const struct counted *c = &w->all[node];
	bool *worked = scratch_array(&room, j->a->n_nodes, sizeof(*worked));

	if (!worked)
		return -ENOMEM;
	for (size_t i = 0; i < j->s->n; i++) {
		const struct state *x = &j->s->at[i];
		size_t row = states_compared_row(j, x->node);

		if (row != SIZE_MAX && state_is_task(x->kind) && x->outcome == OUTCOME_OK &&
		    x->end_ns > c->awaited.from_ns && x->end_ns <= c->awaited.to_ns)
			worked[row] = true;
	}
	*all = !worked[node];
	for (size_t i = 0; i < j->a->n_nodes; i++)
		*all &= worked[i] || i == node || j->group[i] != j->group[node] ||
			!(w->all[i].n > 0);
	return 0;
}

static int judge_attempts(struct counting *w, size_t node, size_t peers)
{
	const struct counted *c = &w->all[node];
	const struct count count = {c->hits, c->expected + c->rare, c->n, peers};
	const struct count_params p = {.chance = states_chance(w->j, 1) / (double)(peers + 1),
				       .times = ATTEMPTS_TIMES,
				       .few = w->stuck	       ? 0
					      : c->program > 0 ? FAILED_FEW
							       : FAILED_ELSEWHERE};
	struct evidence e = evidence_binomial(&count, &p);
	bool sure = !w->stuck || c->sure >= STUCK_ENOUGH;

	if (!sure && c->awaited.to_ns && others_worked(w, node, &sure))
		return -ENOMEM;
	/* What hangs is old: its age is in its kind's look. */
	if (!w->stuck && c->hits >= ATTEMPTS_TIMES * count.expected && c->hits > 0)
		states_together_hit(w->j, node, &e, c->hit_ns);
	return keep_counted(w->j, w->signal, node, &e, &count, c->hits / count.expected,
			    (struct state_span){c->onset_ns ?: c->time.from_ns, c->time.to_ns},
			    sure);
}

int states_attempts(struct states_job *j, size_t signal)
{
	struct scratch room SCRATCH_SCOPED = {0};
	struct counting w = {
		.j = j, .signal = signal, .stuck = j->signals[signal].made == MADE_STUCK};
	size_t *in = scratch_array(&room, j->n_groups, sizeof(*in)), next;
	int err = find_failed(&w) ?: attempts(&room, &w);

	for (size_t i = 0; i < w.n && !err; i = next) {
		next = run_end(m, i, w.n, !by_job(&w.at[m], &w.at[i]));
		one_job(&w, &w.at[i], next - i);
	}
	for (size_t i = 0; i < j->a->n_nodes && !err; i++)
		if (w.all[i].n > 0)
			in[j->group[i]]++;
	for (size_t i = 0; i < j->a->n_nodes && !err; i++) {
		if (!(w.all[i].n > 0) || in[j->group[i]] < STATES_NODES)
			continue;
		j->a->signals[j->signals[signal].row].judged = true;
		err = judge_attempts(&w, i, in[j->group[i]] - 1);
	}
	free(w.failed);
	return err;
}

/* ---- slow packets ------------------------------------------------------------------------------- */

/*
 * Packets that a DataNode says were slow (since Hadoop 2.x, where one took 300 ms or more): at its disk, in a flush, or on
 * the way to the next server, which then is the slow one. A healthy server has some, too, several at once: of five that
 * were well each had 1 to 10 in five minutes; one whose disk others used, 86. So it is bursts that are counted, beside
 * what its peers have for as many bytes, and at least as many as they.
 */

/* So many times the variance that single ones would have: on healthy servers up to 2.6. */
static const double BURST = 5;
static const double LEAST = 1;	       /* bursts that any server may have */
static const double PACKETS_TIMES = 3; /* less is none: a disk of one model may be busier */

struct packets {
	double n, bytes;
	struct state_span time;
};

bool states_packet(enum state_kind kind)
{
	return kind == STATE_DISK_SLOW || kind == STATE_FLUSH_SLOW || kind == STATE_MIRROR_SLOW;
}

static void count_packets(const struct states_job *j, struct packets *of)
{
	for (size_t i = 0; i < j->s->n; i++) {
		const struct state *x = &j->s->at[i];
		size_t row =
			states_compared_row(j, x->kind == STATE_MIRROR_SLOW ? x->peer : x->node);

		if (row == SIZE_MAX)
			continue;
		if (states_pipeline(x->kind) && x->bytes > 0)
			of[row].bytes += (double)x->bytes;
		if (!states_packet(x->kind))
			continue;
		of[row].time = span_with(of[row].n > 0, of[row].time,
					 (struct state_span){x->start_ns, x->end_ns});
		of[row].n++;
	}
}

static int judge_packets(struct states_job *j, size_t signal, size_t node, const struct packets *x,
			 double expected, double all, size_t peers)
{
	struct count count = {.hits = x->n, .expected = expected, .n_peers = peers};
	const struct count_params p = {.chance = states_chance(j, 1) / (double)(peers + 1),
				       .times = PACKETS_TIMES,
				       .burst = BURST,
				       .least = LEAST};
	struct evidence e = evidence_poisson(&count, &p);

	count.of = all;
	return keep_counted(j, signal, node, &e, &count, x->n / fmax(1, expected), x->time, true);
}

int states_packets(struct states_job *j, size_t signal)
{
	struct scratch room SCRATCH_SCOPED = {0};
	size_t nodes = j->a->n_nodes;
	struct packets *of = scratch_array(&room, nodes, sizeof(*of));
	struct packets *all = scratch_array(&room, j->n_groups, sizeof(*all));
	int err = 0;

	if (room.failed)
		return -ENOMEM;
	count_packets(j, of);
	for (size_t i = 0; i < nodes; i++) {
		if (j->group[i] < 0)
			continue;
		all[j->group[i]].n += of[i].n;
		all[j->group[i]].bytes += of[i].bytes;
	}
	for (size_t i = 0; i < nodes && !err; i++) {
		const struct packets *g = j->group[i] < 0 ? NULL : &all[j->group[i]];
		size_t peers = g ? states_in_group(j, j->group[i]) - 1 : 0;
		double others, bytes, mean, by_bytes;

		if (peers + 1 < STATES_NODES)
			continue;
		j->a->signals[j->signals[signal].row].judged = true;
		others = g->n - of[i].n;
		bytes = g->bytes - of[i].bytes;
		mean = others / (double)peers;
		by_bytes = bytes > 0 ? others / bytes * of[i].bytes : mean;
		if (of[i].n > 0)
			err = judge_packets(j, signal, i, &of[i], fmax(mean, by_bytes), g->n,
					    peers);
	}
	return err;
}
