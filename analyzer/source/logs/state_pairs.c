// SPDX-License-Identifier: BSD-2-Clause
/* log_source.h: half events become states; the rules for what is begun twice, ends alone, or was lost. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "internal.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"

/* What leads to the state: of a list, or, where it is not there, its end, which is 0. id < r->n_ids. */
static uint32_t *find_pair(const struct states *s, unsigned int kind, uint32_t id)
{
	const struct reading *r = s->reading;
	uint32_t *at = &r->of_id[id];

	while (*at && r->pair[*at - 1].kind != kind)
		at = &r->pair[*at - 1].next;
	return at;
}

int pairs_again(struct states *s)
{
	struct reading *r = s->reading;
	uint32_t *of_id = NULL;

	if (array_extend(&of_id, 0, s->ids.n + 1))
		return -ENOMEM;
	free(r->of_id);
	r->of_id = of_id;
	r->n_ids = s->ids.n + 1;
	for (size_t i = 0; i < s->n; i++) {
		const struct state *st = &s->at[i];

		if (st->kind == STATE_DEAD)
			continue;
		r->pair[i] = (struct pair){of_id[st->id], st->kind};
		of_id[st->id] = (uint32_t)(i + 1);
	}
	return 0;
}

/* Room for one more, in the array and in the lists, of which one is the id's. */
static int room(struct log *l, uint32_t id)
{
	struct states *s = l->s;
	struct reading *r = s->reading;

	if (r->err)
		return r->err;
	if (s->n >= LOG_STATES_MAX) {
		if (!r->full_states)
			log_note(l, "there are more than %d states: the others are left out",
				 LOG_STATES_MAX);
		r->full_states = true;
		return -E2BIG;
	}
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 1024;

		if (array_extend(&s->at, s->n, cap) || array_extend(&r->pair, s->n, cap))
			goto no_memory;
		s->cap = cap;
	}
	if (id >= r->n_ids) {
		size_t ids = 2 * r->n_ids > id ? 2 * r->n_ids : (size_t)id + 1024;

		if (array_extend(&r->of_id, r->n_ids, ids))
			goto no_memory;
		r->n_ids = ids;
	}
	return 0;
no_memory:
	reading_failed(s);
	return -ENOMEM;
}

/* A new one at the end of the array, and of its id's list, or in it. */
static struct state *new_state(struct log *l, uint32_t *at, enum state_kind kind, uint32_t id,
			       uint32_t node, int64_t start_ns)
{
	struct state *st = &l->s->at[l->s->n++];
	struct pair *pair = &l->s->reading->pair[l->s->n - 1];

	*pair = (struct pair){*at ? l->s->reading->pair[*at - 1].next : 0, (uint8_t)kind};
	*at = (uint32_t)l->s->n;

	*st = (struct state){
		.start_ns = start_ns,
		.end_ns = start_ns,
		.bytes = -1,
		.records = -1,
		.offset = l->offset,
		.node = node,
		.peer = STATE_NONE,
		.job = STATE_NONE,
		.id = id,
		.cls = STATE_NONE,
		.in = STATE_NONE,
		.out = STATE_NONE,
		.file = l->file,
		.progress = NAN,
		.cpu_s = NAN,
		.memory_mib = NAN,
		.container = STATE_NONE,
		.kind = (uint8_t)kind,
		.outcome = OUTCOME_OPEN,
		.clock = l->source->clock,
		.rank = l->source->rank,
	};
	return st;
}

static struct state *open_again(struct log *l, struct state *st, uint32_t node, int64_t start_ns)
{
	st->start_ns = st->end_ns = start_ns;
	st->node = node;
	st->outcome = OUTCOME_OPEN;
	st->clock = l->source->clock;
	st->rank = l->source->rank;
	st->file = l->file;
	st->offset = l->offset;
	st->lost = st->silent = st->gone = false;
	st->progress = st->cpu_s = st->memory_mib = NAN;
	st->container = STATE_NONE;
	st->pid = 0;
	return st;
}

/* What ended well, and begins again: a state of its own, until it is known how that one ends. */
static struct state *begin_beside(struct log *l, uint32_t before, uint32_t node, int64_t start_ns)
{
	struct states *s = l->s;
	struct reading *r = s->reading;
	struct state *st = &s->at[before];

	if (array_extend(&r->was, r->n_was, s->cap)) {
		reading_failed(s);
		return NULL;
	}
	r->n_was = s->cap;
	r->was[s->n] = before + 1;
	st = new_state(l, find_pair(s, st->kind, st->id), st->kind, st->id, node, start_ns);
	st->job = s->at[before].job;
	st->cls = s->at[before].cls;
	return st;
}

static struct state *begin(struct log *l, enum state_kind kind, uint32_t id, uint32_t node,
			   int64_t start_ns)
{
	struct states *s = l->s;
	struct state *st;
	uint32_t *at;

	if (id == STATE_NONE || node == STATE_NONE || room(l, id))
		return NULL;
	at = find_pair(s, kind, id);
	if (!*at)
		return new_state(l, at, kind, id, node, start_ns);
	st = &s->at[*at - 1];
	if (st->rank > l->source->rank)
		return NULL;
	if (st->rank < l->source->rank)
		return open_again(l, st, node, start_ns);
	if (st->start_ns == start_ns)
		return st->outcome == OUTCOME_OPEN ? st : NULL;
	s->counts.starts_twice++;
	if (st->outcome == OUTCOME_OK)
		return begin_beside(l, *at - 1, node, start_ns);
	return open_again(l, st, node, start_ns);
}

struct state *state_begin(struct log *l, enum state_kind kind, uint32_t id, uint32_t node,
			  int64_t start_ns)
{
	log_seen(l, start_ns);
	return begin(l, kind, id, node, start_ns);
}

/* The state that `st` took the place of; NULL: there is none. */
static struct state *taken(const struct states *s, const struct state *st)
{
	const struct reading *r = s->reading;
	size_t i = (size_t)(st - s->at);

	return i < r->n_was && r->was[i] ? &s->at[r->was[i] - 1] : NULL;
}

static void drop(struct states *s, struct state *st)
{
	struct state *before = taken(s, st);
	struct pair *pair = s->reading->pair;
	uint32_t *at = find_pair(s, st->kind, st->id);

	*at = pair[st - s->at].next;
	if (before) {
		pair[before - s->at].next = *at;
		*at = (uint32_t)(before - s->at + 1);
		s->reading->was[st - s->at] = 0;
	}
	st->kind = STATE_DEAD;
}

/* It has ended before: what the new end says about it. */
static void end_again(struct states *s, struct state *st, int64_t end_ns,
		      enum state_outcome outcome)
{
	if (st->end_ns == end_ns && st->outcome == outcome)
		return;
	if (st->outcome == OUTCOME_OK && outcome != OUTCOME_OK)
		st->lost = true;
	else if (!st->lost)
		s->counts.ends_alone++;
}

/* Two logs say when it ended: how far their clocks, or zones, are apart. */
static void note_apart(struct log *l, const struct state *st, int64_t end_ns)
{
	struct open_log *o = (struct open_log *)l;

	if (st->outcome != OUTCOME_OPEN && o->n_apart < sizeof(o->apart) / sizeof(*o->apart))
		o->apart[o->n_apart++] = end_ns - st->end_ns;
}

struct state *state_end(struct log *l, enum state_kind kind, uint32_t id, uint32_t node,
			int64_t end_ns, enum state_outcome outcome)
{
	struct states *s = l->s;
	struct state *st = state_find(s, kind, id), *before;

	log_seen(l, end_ns);
	if (s->reading->err || id == STATE_NONE)
		return NULL;
	if (!st || st->rank < l->source->rank) {
		s->counts.ends_alone++;
		return NULL;
	}
	if (st->rank > l->source->rank) {
		note_apart(l, st, end_ns);
		return NULL;
	}
	if (st->outcome != OUTCOME_OPEN) {
		end_again(s, st, end_ns, outcome);
		return NULL;
	}
	before = taken(s, st);
	if (end_ns < st->start_ns || (before && outcome != OUTCOME_OK)) {
		s->counts.negative += end_ns < st->start_ns;
		if (before && outcome != OUTCOME_OK)
			before->lost = true;
		drop(s, st);
		return NULL;
	}
	if (before) {
		before->kind = STATE_DEAD;
		s->reading->was[st - s->at] = 0;
	}
	st->end_ns = end_ns;
	st->progress = NAN;
	st->outcome = (uint8_t)outcome;
	st->node = node == STATE_NONE ? st->node : node;
	st->offset = l->offset;
	st->file = l->file;
	return st;
}

struct state *state_whole(struct log *l, enum state_kind kind, uint32_t id, bool again,
			  uint32_t node, int64_t start_ns, int64_t end_ns,
			  enum state_outcome outcome)
{
	const struct state *st = state_find(l->s, kind, id);
	char name[LOG_ID_LEN];

	log_seen(l, end_ns);
	if (end_ns < start_ns) {
		l->s->counts.negative++;
		return NULL;
	}
	if (again && st && (st->start_ns != start_ns || st->end_ns != end_ns)) {
		int len = snprintf(name, sizeof(name), "%s#%lld", l->s->ids.at[id],
				   (long long)(end_ns / NS_PER_MS));

		id = log_id(l, piece(name, len < (int)sizeof(name) ? (size_t)len : sizeof(name)));
	}
	/* the same event again: its begin and end are the same again, and nothing */
	begin(l, kind, id, node, start_ns);
	return state_end(l, kind, id, node, end_ns, outcome);
}

struct state *state_find(struct states *s, enum state_kind kind, uint32_t id)
{
	const uint32_t *at = s->reading && id < s->reading->n_ids ? find_pair(s, kind, id) : NULL;

	return at && *at ? &s->at[*at - 1] : NULL;
}

void state_drop(struct log *l, enum state_kind kind, uint32_t id)
{
	struct state *st = state_find(l->s, kind, id);

	if (st && st->rank <= l->source->rank)
		drop(l->s, st);
}

void state_progress(struct log *l, enum state_kind kind, uint32_t id, uint32_t node, float done,
		    int64_t time_ns)
{
	struct states *s = l->s;
	struct reading *r = s->reading;
	struct state *st = state_find(s, kind, id);
	struct state_progress *p;

	log_seen(l, time_ns);
	if (r->err || id == STATE_NONE || node == STATE_NONE || !(done >= 0 && done <= 1))
		return;
	if (st && st->outcome == OUTCOME_OPEN)
		st->progress = done;
	if (s->n_progress >= LOG_PROGRESS_MAX) {
		if (!r->full_progress)
			log_note(l, "there are more than %d reports of progress: no more are kept",
				 LOG_PROGRESS_MAX);
		r->full_progress = true;
		return;
	}
	p = array_refill(&s->progress, &s->n_progress, &s->cap_progress);
	if (p)
		*p = (struct state_progress){.id = id,
					     .node = node,
					     .kind = kind,
					     .file = l->file & 0xffffff,
					     .done = done,
					     .time_ns = time_ns};
	else
		reading_failed(s);
}
