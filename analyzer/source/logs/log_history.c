// SPDX-License-Identifier: BSD-2-Clause
/*
 * The job history of Hadoop 0.18 to 1.x: text, a record a line or more.
 *
 *	TYPE KEY="VALUE" KEY="VALUE" … .
 *
 * with TYPE Meta, Job, Task, MapAttempt or ReduceAttempt; in values \ escapes the next character. A record
 * ends with a line that ends in " .", before 0.20 (no record Meta) in a quote. Values may hold newlines
 * (stack traces). A reduce's shuffle and sort end at times of their own, so that it has three parts besides.
 * Times are milliseconds since 1970 by each TaskTracker's clock.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hadoop_source.h"
#include "history_text.h"

enum { RECORD_MAX = 1 << 20 }; /* a stack trace has some KiB */

struct history_log {
	struct log *l;
	bool meta;	   /* records end in " ." */
	bool has_locality; /* attempts say it themselves */
	uint32_t job;	   /* of the last Job record */
	char *text;	   /* of a record of which not all lines came yet */
	size_t n;
	enum history_type type;	     /* of that */
	struct piece value[K_COUNT]; /* of the record that is read */
	int64_t newest_ns;	     /* of its times so far */
	struct history_places places;
};

static bool is_history(const char *head, size_t n)
{
	for (const char *line = head, *nl; line < head + n; line = nl + 1) {
		nl = memchr(line, '\n', (size_t)(head + n - line));
		if (!nl)
			nl = head + n;
		if (history_type(line, (size_t)(nl - line)) != HISTORY_NONE)
			return true;
	}
	return false;
}

/* ---- jobs -------------------------------------------------------------------------------------------- */

static void job_record(struct history_log *h)
{
	struct log *l = h->l;
	const struct piece *v = h->value;
	uint32_t job = log_job(l, v[K_JOBID]);
	struct state_job *j;
	int64_t n;

	h->job = job;
	if (job == STATE_NONE)
		return;
	if (v[K_JOBNAME].s)
		l->s->job[job].name = log_class(l, v[K_JOBNAME]);
	j = &l->s->job[job];
	if (history_time(v[K_SUBMIT_TIME]) > 0)
		j->submit_ns = history_time(v[K_SUBMIT_TIME]);
	if (history_time(v[K_LAUNCH_TIME]) > 0)
		j->launch_ns = history_time(v[K_LAUNCH_TIME]);
	if (history_time(v[K_FINISH_TIME]) > 0)
		j->finish_ns = history_time(v[K_FINISH_TIME]);
	n = log_number(v[K_TOTAL_MAPS]);
	if (n >= 0 && n < UINT32_MAX)
		j->maps = (uint32_t)n;
	n = log_number(v[K_TOTAL_REDUCES]);
	if (n >= 0 && n < UINT32_MAX)
		j->reduces = (uint32_t)n;
	if (hadoop_outcome(v[K_JOB_STATUS]) != OUTCOME_OPEN)
		j->outcome = hadoop_outcome(v[K_JOB_STATUS]);
}

/* ---- attempts ------------------------------------------------------------------------------------------ */

static enum state_kind kind_of(const struct history_log *h, enum history_type type)
{
	enum state_kind kind = hadoop_kind_by_type(h->value[K_TASK_TYPE]);

	if (kind != STATE_KIND_COUNT)
		return kind;
	return type == HISTORY_MAP_ATTEMPT ? STATE_MAP : STATE_REDUCE;
}

/* What is neither well nor killed failed. */
static enum state_outcome outcome_of(const struct history_log *h)
{
	enum state_outcome is = hadoop_outcome(h->value[K_TASK_STATUS]);

	return is == OUTCOME_OPEN ? OUTCOME_FAILED : is;
}

static uint32_t node_of(struct history_log *h)
{
	const struct piece *v = h->value;

	return log_node(h->l, v[K_HOSTNAME].len ? v[K_HOSTNAME] : v[K_TRACKER_NAME]);
}

/* A TaskTracker's log, which was read before, takes setup and cleanup for maps or reduces. */
static void no_map(struct log *l, uint32_t id)
{
	static const enum state_kind kinds[] = {STATE_MAP, STATE_REDUCE};

	for (size_t i = 0; i < 2; i++) {
		const struct state *st = state_find(l->s, kinds[i], id);

		if (st && st->rank < l->source->rank)
			state_drop(l, kinds[i], id);
	}
}

static void attempt_begins(struct history_log *h, enum state_kind kind, uint32_t id)
{
	struct log *l = h->l;
	const struct piece *v = h->value;
	uint32_t job = hadoop_job_of(l, v[K_TASK_ATTEMPT_ID]), cls = STATE_NONE;
	uint32_t node = node_of(h);
	struct state *st;

	h->has_locality |= v[K_LOCALITY].len > 0;
	if (kind == STATE_MAP)
		cls = log_class(l, v[K_LOCALITY]);
	if (kind == STATE_SETUP || kind == STATE_CLEANUP)
		no_map(l, id);
	st = state_begin(l, kind, id, node, history_time(h->value[K_START_TIME]));
	if (!st)
		return;
	st->job = job == STATE_NONE ? h->job : job;
	st->cls = cls;
	st->speculative = piece_is(v[K_AVATAAR], "SPECULATIVE");
}

static void reduce_lost(struct history_log *h, uint32_t id)
{
	static const enum state_kind kinds[] = {STATE_SHUFFLE_WAIT, STATE_SORT, STATE_REDUCER};

	for (size_t i = 0; i < 3; i++) {
		struct state *st = state_find(h->l->s, kinds[i], id);

		if (st)
			st->lost = true;
	}
}

static void attempt_ends(struct history_log *h, enum state_kind kind, uint32_t id)
{
	struct log *l = h->l;
	const struct piece *v = h->value;
	bool map = kind == STATE_MAP;
	const char *near = map && !h->has_locality ? history_locality(&h->places, v) : "";
	uint32_t cls = log_class(l, piece_of(near)), node = node_of(h), in = STATE_NONE;
	uint32_t out = log_item(l, v[K_TASK_ATTEMPT_ID]);
	int64_t finished = history_time(v[K_FINISH_TIME]);
	int64_t shuffled = history_time(v[K_SHUFFLE_FINISHED]);
	int64_t sorted = history_time(v[K_SORT_FINISHED]);
	struct history_volumes volumes;
	struct state *st;

	if (map && v[K_STATE_STRING].len && memchr(v[K_STATE_STRING].s, ':', v[K_STATE_STRING].len))
		in = log_item(l, v[K_STATE_STRING]);
	if (outcome_of(h) == OUTCOME_FAILED)
		log_error(l, node, finished, v[K_ERROR]);
	st = state_end(l, kind, id, node, finished, outcome_of(h));
	if (st && st->outcome == OUTCOME_FAILED)
		st->silent = log_error_is_silence(v[K_ERROR]);
	if (!st && kind == STATE_REDUCE) {
		st = state_find(l->s, kind, id);
		if (st && st->lost)
			reduce_lost(h, id);
		return;
	}
	if (!st || (!map && kind != STATE_REDUCE))
		return;
	volumes = history_volumes(v[K_COUNTERS], kind);
	st->bytes = volumes.bytes;
	st->records = volumes.records;
	hadoop_resources(st, volumes.cpu_ms, volumes.memory_bytes);
	st->in = in;
	st->out = out;
	st->cls = st->cls == STATE_NONE ? cls : st->cls;
	if (kind == STATE_REDUCE && shuffled > 0 && sorted > 0)
		hadoop_reduce_parts(l, *st, shuffled, sorted, out);
}

/* Its times are 0: the server did not take it. It failed when the record was written, which is after all before. */
static bool never_launched(struct history_log *h, enum state_kind kind, uint32_t id)
{
	const struct piece *v = h->value;
	const struct piece *at = v[K_FINISH_TIME].s ? &v[K_FINISH_TIME] : &v[K_START_TIME];
	uint32_t node = node_of(h);
	struct state *st;

	if (at->len != 1 || *at->s != '0' || h->newest_ns <= 0 || node == STATE_NONE)
		return false;
	if (at == &v[K_START_TIME] || outcome_of(h) != OUTCOME_FAILED)
		return true;
	log_error(h->l, node, h->newest_ns, v[K_ERROR]);
	st = state_whole(h->l, kind, id, false, node, h->newest_ns, h->newest_ns, OUTCOME_FAILED);
	if (st)
		st->job = h->job;
	return true;
}

static void attempt_record(struct history_log *h, enum history_type type)
{
	struct piece name = h->value[K_TASK_ATTEMPT_ID], split = h->value[K_STATE_STRING];
	enum state_kind kind;
	bool begins, ends;
	uint32_t id;

	/* what the record adds is looked for when more of it has been read */
	names_soon(&h->l->s->ids, name.s, name.len);
	names_soon(&h->l->s->items, name.s, name.len);
	names_soon(&h->l->s->items, split.s, split.len);
	kind = kind_of(h, type);
	begins = history_time(h->value[K_START_TIME]) >= 0;
	ends = history_time(h->value[K_FINISH_TIME]) >= 0;
	id = log_id(h->l, name);
	if (id == STATE_NONE || (!begins && !ends)) {
		h->l->s->counts.junk += id == STATE_NONE || !never_launched(h, kind, id);
		return;
	}
	if (begins)
		attempt_begins(h, kind, id);
	if (ends)
		attempt_ends(h, kind, id);
}

static void note_times(struct history_log *h)
{
	static const enum history_key keys[] = {K_SUBMIT_TIME, K_LAUNCH_TIME, K_START_TIME,
						K_FINISH_TIME};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (history_time(h->value[keys[i]]) > h->newest_ns)
			h->newest_ns = history_time(h->value[keys[i]]);
}

static int take_record(struct history_log *h, enum history_type type, char *s, size_t len)
{
	if (!history_values(h->value, type, s, len)) {
		h->l->s->counts.junk++;
		return 0;
	}
	note_times(h);
	if (type == HISTORY_META)
		h->meta = true;
	else if (type == HISTORY_JOB)
		job_record(h);
	else if (type == HISTORY_TASK)
		return h->has_locality ? 0 : history_place(&h->places, h->value);
	else
		attempt_record(h, type);
	return 0;
}

/* ---- lines --------------------------------------------------------------------------------------------- */

static bool ends_record(const struct history_log *h, const char *s, size_t len)
{
	while (len && history_blank(s[len - 1]))
		len--;
	if (len > 1 && s[len - 1] == '.' && s[len - 2] == ' ')
		return true;
	return !h->meta && len && s[len - 1] == '"';
}

/* What came of a record that is not all there. */
static void forget(struct history_log *h)
{
	h->l->s->counts.junk += h->n > 0;
	h->n = 0;
}

static int append(struct history_log *h, const char *line, size_t len)
{
	if (h->n + len + 1 > RECORD_MAX) {
		forget(h);
		return 0;
	}
	if (!h->text) {
		h->text = malloc(RECORD_MAX + 1);
		if (!h->text)
			return -ENOMEM;
	}
	memcpy(h->text + h->n, line, len);
	h->text[h->n + len] = '\n';
	h->n += len + 1;
	h->text[h->n] = 0;
	return 0;
}

static int history_line(struct log *l, char *line, size_t len)
{
	struct history_log *h = l->own;
	enum history_type type = history_type(line, len);
	bool begins = type != HISTORY_NONE;
	int err;

	if (begins || !h->n) {
		forget(h);
		if (!begins) {
			l->s->counts.junk += len > 0;
			return 0;
		}
		if (ends_record(h, line, len))
			return take_record(h, type, line, len);
		h->type = type;
	}
	err = append(h, line, len);
	if (err || begins || !h->n || !ends_record(h, line, len))
		return err;
	len = h->n;
	h->n = 0;
	return take_record(h, h->type, h->text, len);
}

static int history_open(struct log *l)
{
	struct history_log *h = l->own;

	h->l = l;
	h->job = STATE_NONE;
	history_init();
	return 0;
}

static int history_end(struct log *l)
{
	forget(l->own);
	return 0;
}

static void history_close(struct log *l)
{
	struct history_log *h = l->own;

	history_places_release(&h->places);
	free(h->text);
}

static void history_renumber(struct log *l, const struct log_numbers *now)
{
	struct history_log *h = l->own;

	h->job = log_renumbered(now->jobs, h->job);
}

const struct log_source log_hadoop_history = {
	.rank = LOG_RANK_HISTORY,
	.clock = CLOCK_OF_NODE,
	.is = is_history,
	.own_size = sizeof(struct history_log),
	.open = history_open,
	.line = history_line,
	.end = history_end,
	.close = history_close,
	.renumber = history_renumber,
};
