// SPDX-License-Identifier: BSD-2-Clause
/* log_source.h: half events become states; the rules for what is begun twice, ends alone, or was lost. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "log_parts.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"

static size_t slot_of(const struct reading *r, unsigned int kind, uint32_t id)
{
	uint64_t h = ((uint64_t)kind << 32 | id) * 0x9e3779b97f4a7c15;

	return (h ^ h >> 32) & r->mask;
}

/* Its slot; an empty one where it is not there. */
static uint32_t *find(const struct states *s, unsigned int kind, uint32_t id)
{
	const struct reading *r = s->reading;
	size_t i = slot_of(r, kind, id);

	while (r->slot[i]) {
		const struct state *st = &s->at[r->slot[i] - 1];

		if (st->id == id && st->kind == kind)
			break;
		i = (i + 1) & r->mask;
	}
	return &r->slot[i];
}

int pairs_again(struct states *s)
{
	struct reading *r = s->reading;
	size_t slots = 4096;
	uint32_t *slot;

	while (slots < 2 * (s->n + 1))
		slots *= 2;
	slot = calloc(slots, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(r->slot);
	r->slot = slot;
	r->mask = slots - 1;
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].kind != STATE_DEAD)
			*find(s, s->at[i].kind, s->at[i].id) = (uint32_t)(i + 1);
	return 0;
}

/* Room for one more, in the array and in the table of pairs. */
static int room(struct log *l)
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

		if (array_extend(&s->at, s->n, cap))
			goto no_memory;
		s->cap = cap;
	}
	if ((!r->slot || 2 * (s->n + 1) > r->mask) && pairs_again(s))
		goto no_memory;
	return 0;
no_memory:
	reading_failed(s);
	return -ENOMEM;
}

/* A new one at the end of the array; not among the pairs yet. */
static struct state *add(struct log *l, enum state_kind kind, uint32_t id, uint32_t node,
			 int64_t start_ns)
{
	struct state *st = &l->s->at[l->s->n++];

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
	st->lost = false;
	st->progress = st->cpu_s = st->memory_mib = NAN;
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
	*find(s, st->kind, st->id) = (uint32_t)(s->n + 1);
	r->was[s->n] = before + 1;
	st = add(l, st->kind, st->id, node, start_ns);
	st->job = s->at[before].job;
	st->cls = s->at[before].cls;
	return st;
}

static struct state *begin(struct log *l, enum state_kind kind, uint32_t id, uint32_t node,
			   int64_t start_ns)
{
	struct states *s = l->s;
	struct state *st;
	uint32_t *slot;

	if (id == STATE_NONE || node == STATE_NONE || room(l))
		return NULL;
	slot = find(s, kind, id);
	if (!*slot) {
		*slot = (uint32_t)(s->n + 1);
		return add(l, kind, id, node, start_ns);
	}
	st = &s->at[*slot - 1];
	if (st->rank > l->source->rank)
		return NULL;
	if (st->rank < l->source->rank)
		return open_again(l, st, node, start_ns);
	if (st->start_ns == start_ns)
		return st->outcome == OUTCOME_OPEN ? st : NULL;
	s->counts.starts_twice++;
	if (st->outcome == OUTCOME_OK)
		return begin_beside(l, *slot - 1, node, start_ns);
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
	uint32_t *slot = find(s, st->kind, st->id);

	if (before) {
		*slot = (uint32_t)(before - s->at + 1);
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
	struct state *st = id == STATE_NONE ? NULL : state_find(s, kind, id), *before;

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
	const struct state *st = id == STATE_NONE ? NULL : state_find(l->s, kind, id);
	char name[LOG_ID_LEN];

	log_seen(l, end_ns);
	if (end_ns < start_ns) {
		l->s->counts.negative++;
		return NULL;
	}
	if (again && st && (st->start_ns != start_ns || st->end_ns != end_ns)) {
		int len = snprintf(name, sizeof(name), "%s#%lld", l->s->ids.at[id],
				   (long long)(end_ns / NS_PER_MS));

		id = log_id(l, name, len < (int)sizeof(name) ? (size_t)len : sizeof(name));
	}
	/* the same event again: its begin and end are the same again, and nothing */
	begin(l, kind, id, node, start_ns);
	return state_end(l, kind, id, node, end_ns, outcome);
}

struct state *state_find(struct states *s, enum state_kind kind, uint32_t id)
{
	uint32_t *slot = s->reading && s->reading->slot ? find(s, kind, id) : NULL;

	return slot && *slot ? &s->at[*slot - 1] : NULL;
}

void state_drop(struct log *l, enum state_kind kind, uint32_t id)
{
	struct state *st = id == STATE_NONE ? NULL : state_find(l->s, kind, id);

	if (st && st->rank <= l->source->rank)
		drop(l->s, st);
}

void state_progress(struct log *l, enum state_kind kind, uint32_t id, uint32_t node, float done,
		    int64_t time_ns)
{
	struct states *s = l->s;
	struct reading *r = s->reading;
	struct state *st = id == STATE_NONE ? NULL : state_find(s, kind, id);

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
	if (s->n_progress == s->cap_progress) {
		size_t cap = s->cap_progress ? 2 * s->cap_progress : 1024;

		if (array_extend(&s->progress, s->n_progress, cap)) {
			reading_failed(s);
			return;
		}
		s->cap_progress = cap;
	}
	s->progress[s->n_progress++] = (struct state_progress){
		.id = id, .node = node, .kind = (uint8_t)kind, .done = done, .time_ns = time_ns};
}
