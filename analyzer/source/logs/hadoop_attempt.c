// SPDX-License-Identifier: BSD-2-Clause
/* hadoop_source.h: attempts become states. */
#include "hadoop_source.h"
#include "log_words.h"

enum state_kind hadoop_kind_by_type(struct piece type)
{
	static const struct log_word words[] = {
		LOG_WORD("MAP", STATE_MAP),
		LOG_WORD("REDUCE", STATE_REDUCE),
		LOG_WORD("SETUP", STATE_SETUP),
		LOG_WORD("JOB_SETUP", STATE_SETUP),
		LOG_WORD("CLEANUP", STATE_CLEANUP),
		LOG_WORD("JOB_CLEANUP", STATE_CLEANUP),
		LOG_WORD("TASK_CLEANUP", STATE_CLEANUP),
	};

	return (enum state_kind)log_word_among(words, type.s, type.len, STATE_KIND_COUNT);
}

enum state_outcome hadoop_outcome(struct piece word)
{
	static const struct log_word words[] = {
		LOG_WORD("SUCCESS", OUTCOME_OK), LOG_WORD("SUCCEEDED", OUTCOME_OK),
		LOG_WORD("FAILED", OUTCOME_FAILED), LOG_WORD("KILLED", OUTCOME_KILLED)};

	return (enum state_outcome)log_word_among(words, word.s, word.len, OUTCOME_OPEN);
}

bool hadoop_attempt_named(struct log *l, struct hadoop_attempt *a, enum state_kind kind,
			  struct piece id)
{
	*a = (struct hadoop_attempt){.kind = kind,
				     .node = STATE_NONE,
				     .cls = STATE_NONE,
				     .container = STATE_NONE,
				     .bytes = -1,
				     .records = -1,
				     .outcome = OUTCOME_OPEN};
	if (kind == STATE_KIND_COUNT)
		return false;
	a->job = hadoop_job_of(l, id);
	a->id = log_id(l, id);
	a->item = log_item(l, id);
	return a->job != STATE_NONE && a->id != STATE_NONE;
}

void hadoop_resources(struct state *x, int64_t cpu_ms, int64_t memory_bytes)
{
	if (cpu_ms > 0)
		x->cpu_s = (float)((double)cpu_ms / 1000);
	if (memory_bytes > 0)
		x->memory_mib = (float)((double)memory_bytes / (1 << 20));
}

static void fill_from_attempt(struct state *x, const struct hadoop_attempt *a)
{
	if (!x)
		return;
	x->job = a->job;
	x->cls = a->cls == STATE_NONE ? x->cls : a->cls;
	x->bytes = a->bytes < 0 ? x->bytes : a->bytes;
	x->records = a->records < 0 ? x->records : a->records;
	x->speculative |= a->speculative;
	x->silent = a->silent;
	x->gone = a->gone;
	x->container = a->container == STATE_NONE ? x->container : a->container;
	hadoop_resources(x, a->cpu_ms, a->memory_bytes);
}

void hadoop_reduce_parts(struct log *l, struct state whole, int64_t shuffled_ns, int64_t sorted_ns,
			 uint32_t item)
{
	const int64_t at[] = {whole.start_ns, shuffled_ns, sorted_ns, whole.end_ns};
	static const enum state_kind kinds[] = {STATE_SHUFFLE_WAIT, STATE_SORT, STATE_REDUCER};

	for (size_t i = 0; i < 3; i++) {
		struct state *x = state_whole(l, kinds[i], whole.id, false, whole.node, at[i],
					      at[i + 1], whole.outcome);

		if (!x)
			continue;
		x->job = whole.job;
		x->cls = whole.cls;
		x->bytes = whole.bytes;
		x->records = whole.records;
		x->speculative = whole.speculative;
		if (kinds[i] == STATE_REDUCER)
			x->in = item;
		else
			x->out = item;
	}
}

void hadoop_attempt(struct log *l, const struct hadoop_attempt *a)
{
	struct state *x;

	if (a->outcome == OUTCOME_OPEN || !a->end_ns)
		x = a->start_ns ? state_begin(l, a->kind, a->id, a->node, a->start_ns) : NULL;
	else if (a->start_ns)
		x = state_whole(l, a->kind, a->id, false, a->node, a->start_ns, a->end_ns,
				a->outcome);
	else
		x = state_end(l, a->kind, a->id, a->node, a->end_ns, a->outcome);
	fill_from_attempt(x, a);
	if (x && a->kind == STATE_MAP)
		x->out = a->item;
	if (x && a->kind == STATE_REDUCE && a->outcome == OUTCOME_OK && a->shuffled_ns &&
	    a->sorted_ns)
		hadoop_reduce_parts(l, *x, a->shuffled_ns, a->sorted_ns, a->item);
}
