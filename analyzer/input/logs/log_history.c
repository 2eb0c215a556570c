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
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hadoop_attempt.h"
#include "hadoop_ids.h"
#include "log_parts.h"
#include "userspace/common/array.h"

enum {
	RECORD_MAX = 1 << 20,  /* a stack trace has some KiB */
	TASKS_MAX = 1 << 20,   /* of which it is remembered where their input lies … */
	PLACES_MAX = 64 << 20, /* … in so many bytes */
};

/* Keys that are heeded. */
/* clang-format off */
#define KEYS(X) \
	X(JOBID) X(JOBNAME) X(SUBMIT_TIME) X(LAUNCH_TIME) \
	X(TOTAL_MAPS) X(TOTAL_REDUCES) X(JOB_STATUS) X(TASKID) \
	X(TASK_TYPE) X(SPLITS) X(TASK_ATTEMPT_ID) X(START_TIME) \
	X(FINISH_TIME) X(SHUFFLE_FINISHED) X(SORT_FINISHED) X(TRACKER_NAME) \
	X(HOSTNAME) X(TASK_STATUS) X(STATE_STRING) X(COUNTERS) \
	X(LOCALITY) X(AVATAAR)
/* clang-format on */
#define KEY_ENUM(NAME) K_##NAME,
#define KEY_NAME(NAME) {#NAME, sizeof(#NAME) - 1},
enum key { KEYS(KEY_ENUM) KEY_COUNT };
static const struct {
	const char *name;
	size_t len;
} keys[KEY_COUNT] = {KEYS(KEY_NAME)};

struct text {
	char *s;
	size_t len;
};

struct history {
	struct log *l;
	bool meta;	   /* records end in " ." */
	bool has_locality; /* attempts say it themselves */
	uint32_t job;	   /* of the last Job record */
	char *record;	   /* of which not all lines came yet */
	size_t n;
	struct names tasks, places;
	uint32_t *place; /* of each of `tasks` */
	size_t place_bytes;
	struct text value[KEY_COUNT]; /* of the record that is parsed; s NULL: it has none */
};

static const char *const types[] = {"Meta ", "Job ", "Task ", "MapAttempt ", "ReduceAttempt "};
enum type { META, JOB, TASK, MAP_ATTEMPT, REDUCE_ATTEMPT, TYPE_COUNT };

/* Of a line that begins a record; TYPE_COUNT: it does not. */
static enum type type_of(const char *s, size_t len)
{
	enum type t = 0;
	const char *key;

	for (; t < TYPE_COUNT; t++)
		if (len > strlen(types[t]) && !memcmp(s, types[t], strlen(types[t])))
			break;
	if (t == TYPE_COUNT)
		return t;
	key = s + strlen(types[t]);
	while (isupper((unsigned char)*key) || *key == '_')
		key++;
	return key[0] == '=' && key[1] == '"' ? t : TYPE_COUNT;
}

static bool is_history(const char *head, size_t n)
{
	for (const char *line = head, *nl; line < head + n; line = nl + 1) {
		nl = memchr(line, '\n', (size_t)(head + n - line));
		if (!nl)
			nl = head + n;
		if (type_of(line, (size_t)(nl - line)) != TYPE_COUNT)
			return true;
	}
	return false;
}

static bool is_value(const struct history *h, enum key k, const char *text)
{
	return h->value[k].len == strlen(text) && !memcmp(h->value[k].s, text, h->value[k].len);
}

static int64_t time_of(const struct history *h, enum key k)
{
	return h->value[k].s ? hadoop_ms(h->value[k].s, h->value[k].len) : -1;
}

/* ---- records ----------------------------------------------------------------------------------------- */

/* The value that begins at s, unescaped in place; where it ended. NULL: it is not closed. */
static char *take_value(char *s, char *end, struct text *v)
{
	char *to = memchr(s, '"', (size_t)(end - s)), *back, *p;

	back = to ? memchr(s, '\\', (size_t)(to - s)) : NULL;
	if (!back) {
		*v = (struct text){s, to ? (size_t)(to - s) : 0};
		return to ? to + 1 : NULL;
	}
	for (to = p = back; p < end && *p != '"'; p++) {
		if (*p == '\\' && p + 1 < end)
			p++;
		*to++ = *p;
	}
	*v = (struct text){s, (size_t)(to - s)};
	return p < end ? p + 1 : NULL;
}

static enum key key_of(const char *s, size_t len)
{
	enum key k = 0;

	while (k < KEY_COUNT && (keys[k].len != len || memcmp(keys[k].name, s, len)))
		k++;
	return k;
}

/* Fills h->value; false: it is cut off, or none. */
static bool take_values(struct history *h, char *s, char *end)
{
	memset(h->value, 0, sizeof(h->value));
	for (;;) {
		struct text v = {0};
		char *is;
		enum key k;

		while (s < end && isspace((unsigned char)*s))
			s++;
		if (s == end || (*s == '.' && s + 1 == end))
			return true;
		is = memchr(s, '=', (size_t)(end - s));
		if (!is || is + 1 == end || is[1] != '"')
			return false;
		k = key_of(s, (size_t)(is - s));
		s = take_value(is + 2, end, &v);
		if (!s)
			return false;
		if (k < KEY_COUNT)
			h->value[k] = v;
	}
}

/* ---- jobs -------------------------------------------------------------------------------------------- */

static void job_record(struct history *h)
{
	struct log *l = h->l;
	const struct text *v = h->value;
	uint32_t job = v[K_JOBID].s ? log_job(l, v[K_JOBID].s, v[K_JOBID].len) : STATE_NONE;
	struct state_job *j;
	int64_t n;

	h->job = job;
	if (job == STATE_NONE)
		return;
	if (v[K_JOBNAME].s)
		l->s->job[job].name = log_class(l, v[K_JOBNAME].s, v[K_JOBNAME].len);
	j = &l->s->job[job];
	if (time_of(h, K_SUBMIT_TIME) > 0)
		j->submit_ns = time_of(h, K_SUBMIT_TIME);
	if (time_of(h, K_LAUNCH_TIME) > 0)
		j->launch_ns = time_of(h, K_LAUNCH_TIME);
	if (time_of(h, K_FINISH_TIME) > 0)
		j->finish_ns = time_of(h, K_FINISH_TIME);
	n = v[K_TOTAL_MAPS].s ? log_number(v[K_TOTAL_MAPS].s, v[K_TOTAL_MAPS].len) : -1;
	if (n >= 0 && n < UINT32_MAX)
		j->maps = (uint32_t)n;
	n = v[K_TOTAL_REDUCES].s ? log_number(v[K_TOTAL_REDUCES].s, v[K_TOTAL_REDUCES].len) : -1;
	if (n >= 0 && n < UINT32_MAX)
		j->reduces = (uint32_t)n;
	if (v[K_JOB_STATUS].s &&
	    hadoop_outcome(v[K_JOB_STATUS].s, v[K_JOB_STATUS].len) != OUTCOME_OPEN)
		j->outcome = hadoop_outcome(v[K_JOB_STATUS].s, v[K_JOB_STATUS].len);
}

/* ---- where a task's input lies ------------------------------------------------------------------------- */

static int64_t add(struct history *h, struct names *set, const struct text *v)
{
	char name[LOG_ITEM_LEN];

	if (!v->s || !v->len || v->len >= sizeof(name) || memchr(v->s, 0, v->len))
		return -1;
	memcpy(name, v->s, v->len);
	name[v->len] = 0;
	errno = 0;
	if (names_find(set, name) < 0)
		h->place_bytes += v->len;
	return h->place_bytes > PLACES_MAX ? -1 : names_add(set, name);
}

/* Logs before 1.x do not say how far a map was from its input, but where that was. */
static int task_record(struct history *h)
{
	size_t had = h->tasks.n;
	int64_t place, task;

	if (h->has_locality || !h->value[K_SPLITS].len)
		return 0;
	place = add(h, &h->places, &h->value[K_SPLITS]);
	task = place < 0 ? -1 : add(h, &h->tasks, &h->value[K_TASKID]);
	if (task < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	if (array_extend(&h->place, had, h->tasks.n))
		return -ENOMEM;
	h->place[task] = (uint32_t)place;
	return 0;
}

/* "/rack/host" of an attempt against "/rack/host,/rack/host" of its input, as 1.x words it. */
static const char *locality(const char *places, const struct text *host)
{
	const char *rack = memrchr(host->s, '/', host->len), *word = "OFF_SWITCH";
	size_t rack_len = rack ? (size_t)(rack - host->s) + 1 : 0;

	for (const char *p = places, *end; *p; p = *end ? end + 1 : end) {
		end = strchrnul(p, ',');
		if ((size_t)(end - p) == host->len && !memcmp(p, host->s, host->len))
			return "NODE_LOCAL";
		if (rack_len && (size_t)(end - p) > rack_len && !memcmp(p, host->s, rack_len) &&
		    !memchr(p + rack_len, '/', (size_t)(end - p) - rack_len))
			word = "RACK_LOCAL";
	}
	return word;
}

static uint32_t class_by_place(struct history *h)
{
	char name[LOG_ITEM_LEN];
	const struct text *id = &h->value[K_TASKID];
	const char *word;
	int64_t task;

	if (h->has_locality || !id->s || id->len >= sizeof(name) || !h->value[K_HOSTNAME].len)
		return STATE_NONE;
	memcpy(name, id->s, id->len);
	name[id->len] = 0;
	task = names_find(&h->tasks, name);
	if (task < 0)
		return STATE_NONE;
	word = locality(h->places.at[h->place[task]], &h->value[K_HOSTNAME]);
	return log_class(h->l, word, strlen(word));
}

/* ---- counters ------------------------------------------------------------------------------------------ */

/* What is heeded of them: the name in {(group)(…)[(NAME)(…)(value)]}, and in "group.name:value," of 0.18. */
enum {
	HDFS_READ,
	MAP_BYTES,
	MAP_RECORDS,
	SHUFFLED,
	FILE_READ,
	REDUCE_RECORDS,
	CPU_MS,
	MEMORY,
	COUNTER_COUNT
};
static const struct {
	const char *name, *old;
} counters[COUNTER_COUNT] = {
	[HDFS_READ] = {"HDFS_BYTES_READ", "HDFS bytes read"},
	[MAP_BYTES] = {"MAP_INPUT_BYTES", "Map input bytes"},
	[MAP_RECORDS] = {"MAP_INPUT_RECORDS", "Map input records"},
	[SHUFFLED] = {"REDUCE_SHUFFLE_BYTES", "Reduce shuffle bytes"},
	[FILE_READ] = {"FILE_BYTES_READ", "Local bytes read"},
	[REDUCE_RECORDS] = {"REDUCE_INPUT_RECORDS", "Reduce input records"},
	[CPU_MS] = {"CPU_MILLISECONDS", "CPU time spent (ms)"},
	[MEMORY] = {"PHYSICAL_MEMORY_BYTES", "Physical memory (bytes) snapshot"},
};

static void set_counter(const char *name, size_t len, const char *value, size_t value_len,
			int64_t at[COUNTER_COUNT])
{
	for (size_t i = 0; i < COUNTER_COUNT; i++)
		if ((len == strlen(counters[i].name) && !memcmp(name, counters[i].name, len)) ||
		    (len == strlen(counters[i].old) && !memcmp(name, counters[i].old, len)))
			at[i] = log_number(value, value_len);
}

static void take_counters(const struct text *v, int64_t at[COUNTER_COUNT])
{
	const char *s = v->len ? v->s : "", *end = s + v->len;

	for (size_t i = 0; i < COUNTER_COUNT; i++)
		at[i] = -1;
	if (s < end && *s != '{') {
		for (const char *stop, *dot, *colon; s < end; s = stop + 1) {
			stop = memchr(s, ',', (size_t)(end - s));
			stop = stop ? stop : end;
			colon = memrchr(s, ':', (size_t)(stop - s));
			dot = colon ? memrchr(s, '.', (size_t)(colon - s)) : NULL;
			dot = dot ? dot + 1 : s;
			if (colon)
				set_counter(dot, (size_t)(colon - dot), colon + 1,
					    (size_t)(stop - colon - 1), at);
		}
		return;
	}
	while (s && s < end && (s = memchr(s, '[', (size_t)(end - s)))) {
		const char *close = memchr(s, ']', (size_t)(end - s)), *name = s + 2, *to, *value;

		if (!close || close - s < 4)
			return;
		to = memchr(name, ')', (size_t)(close - name));
		value = memrchr(s, '(', (size_t)(close - s));
		if (to && value && close > value + 2)
			set_counter(name, (size_t)(to - name), value + 1,
				    (size_t)(close - value - 2), at);
		s = close;
	}
}

/* ---- attempts ------------------------------------------------------------------------------------------ */

static enum state_kind kind_of(const struct history *h, enum type type)
{
	const struct text *word = &h->value[K_TASK_TYPE];
	enum state_kind kind = word->s ? hadoop_kind_by_type(word->s, word->len) : STATE_KIND_COUNT;

	if (kind != STATE_KIND_COUNT)
		return kind;
	return type == MAP_ATTEMPT ? STATE_MAP : STATE_REDUCE;
}

/* What is neither well nor killed failed. */
static enum state_outcome outcome_of(const struct history *h)
{
	const struct text *word = &h->value[K_TASK_STATUS];
	enum state_outcome is = word->s ? hadoop_outcome(word->s, word->len) : OUTCOME_OPEN;

	return is == OUTCOME_OPEN ? OUTCOME_FAILED : is;
}

static uint32_t node_of(struct history *h)
{
	const struct text *host = &h->value[K_HOSTNAME], *tracker = &h->value[K_TRACKER_NAME];

	if (host->len)
		return log_node(h->l, host->s, host->len);
	return tracker->len ? log_node(h->l, tracker->s, tracker->len) : STATE_NONE;
}

/* A TaskTracker's log, which was read before, takes setup and cleanup for maps or reduces. */
static void no_map(struct log *l, uint32_t id)
{
	static const enum state_kind kinds[] = {STATE_MAP, STATE_REDUCE};

	for (size_t i = 0; i < 2; i++) {
		const struct state *st = id == STATE_NONE ? NULL : state_find(l->s, kinds[i], id);

		if (st && st->rank < l->source->rank)
			state_drop(l, kinds[i], id);
	}
}

static void attempt_begins(struct history *h, enum state_kind kind, uint32_t id)
{
	struct log *l = h->l;
	const struct text *v = h->value, *name = &v[K_TASK_ATTEMPT_ID];
	uint32_t job = hadoop_job_of(l, name->s, name->len), cls = STATE_NONE;
	uint32_t node = node_of(h);
	struct state *st;

	if (v[K_LOCALITY].len) {
		h->has_locality = true;
		cls = kind == STATE_MAP ? log_class(l, v[K_LOCALITY].s, v[K_LOCALITY].len) : cls;
	}
	if (kind == STATE_SETUP || kind == STATE_CLEANUP)
		no_map(l, id);
	st = state_begin(l, kind, id, node, time_of(h, K_START_TIME));
	if (!st)
		return;
	st->job = job == STATE_NONE ? h->job : job;
	st->cls = cls;
	st->speculative = is_value(h, K_AVATAAR, "SPECULATIVE");
}

static void reduce_lost(struct history *h, uint32_t id)
{
	static const enum state_kind kinds[] = {STATE_SHUFFLE_WAIT, STATE_SORT, STATE_REDUCER};

	for (size_t i = 0; i < 3; i++) {
		struct state *st = state_find(h->l->s, kinds[i], id);

		if (st)
			st->lost = true;
	}
}

static void attempt_ends(struct history *h, enum state_kind kind, uint32_t id)
{
	struct log *l = h->l;
	const struct text *v = h->value;
	bool map = kind == STATE_MAP;
	uint32_t cls = map ? class_by_place(h) : STATE_NONE, node = node_of(h), in = STATE_NONE;
	uint32_t out = log_item(l, v[K_TASK_ATTEMPT_ID].s, v[K_TASK_ATTEMPT_ID].len);
	int64_t count[COUNTER_COUNT], shuffled = time_of(h, K_SHUFFLE_FINISHED);
	struct state *st;

	if (map &&
	    memchr(v[K_STATE_STRING].s ? v[K_STATE_STRING].s : "", ':', v[K_STATE_STRING].len))
		in = log_item(l, v[K_STATE_STRING].s, v[K_STATE_STRING].len);
	st = state_end(l, kind, id, node, time_of(h, K_FINISH_TIME), outcome_of(h));
	if (!st && kind == STATE_REDUCE) {
		st = id == STATE_NONE ? NULL : state_find(l->s, kind, id);
		if (st && st->lost)
			reduce_lost(h, id);
		return;
	}
	if (!st || (!map && kind != STATE_REDUCE))
		return;
	take_counters(&v[K_COUNTERS], count);
	st->bytes = map ? (count[HDFS_READ] >= 0 ? count[HDFS_READ] : count[MAP_BYTES])
		    : count[SHUFFLED] >= 0 ? count[SHUFFLED]
					   : count[FILE_READ];
	st->records = count[map ? MAP_RECORDS : REDUCE_RECORDS];
	hadoop_resources(st, count[CPU_MS], count[MEMORY]);
	st->in = in;
	st->out = out;
	st->cls = st->cls == STATE_NONE ? cls : st->cls;
	if (kind == STATE_REDUCE && shuffled > 0 && time_of(h, K_SORT_FINISHED) > 0)
		hadoop_reduce_parts(l, *st, shuffled, time_of(h, K_SORT_FINISHED), out);
}

static void attempt_record(struct history *h, enum type type)
{
	const struct text *name = &h->value[K_TASK_ATTEMPT_ID];
	uint32_t id = name->s ? log_id(h->l, name->s, name->len) : STATE_NONE;
	enum state_kind kind = kind_of(h, type);
	bool begins = time_of(h, K_START_TIME) >= 0, ends = time_of(h, K_FINISH_TIME) >= 0;

	if (id == STATE_NONE || (!begins && !ends)) {
		h->l->s->counts.junk++;
		return;
	}
	if (begins)
		attempt_begins(h, kind, id);
	if (ends)
		attempt_ends(h, kind, id);
}

static int take_record(struct history *h, char *s, size_t len)
{
	enum type type = type_of(s, len);

	if (!take_values(h, s + strlen(types[type]), s + len)) {
		h->l->s->counts.junk++;
		return 0;
	}
	if (type == META)
		h->meta = true;
	else if (type == JOB)
		job_record(h);
	else if (type == TASK)
		return task_record(h);
	else
		attempt_record(h, type);
	return 0;
}

/* ---- lines --------------------------------------------------------------------------------------------- */

static bool ends_record(const struct history *h, const char *s, size_t len)
{
	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	if (len > 1 && s[len - 1] == '.' && s[len - 2] == ' ')
		return true;
	return !h->meta && len && s[len - 1] == '"';
}

/* What came of a record that is not all there. */
static void forget(struct history *h)
{
	h->l->s->counts.junk += h->n > 0;
	h->n = 0;
}

static int append(struct history *h, const char *line, size_t len)
{
	if (h->n + len + 1 > RECORD_MAX) {
		forget(h);
		return 0;
	}
	if (!h->record) {
		h->record = malloc(RECORD_MAX + 1);
		if (!h->record)
			return -ENOMEM;
	}
	memcpy(h->record + h->n, line, len);
	h->record[h->n + len] = '\n';
	h->n += len + 1;
	h->record[h->n] = 0;
	return 0;
}

static int history_line(struct log *l, char *line, size_t len)
{
	struct history *h = l->own;
	bool begins = type_of(line, len) != TYPE_COUNT;
	int err;

	if (begins || !h->n) {
		forget(h);
		if (!begins) {
			l->s->counts.junk += len > 0;
			return 0;
		}
		if (ends_record(h, line, len))
			return take_record(h, line, len);
	}
	err = append(h, line, len);
	if (err || begins || !h->n || !ends_record(h, line, len))
		return err;
	len = h->n;
	h->n = 0;
	return take_record(h, h->record, len);
}

static int history_open(struct log *l)
{
	struct history *h = calloc(1, sizeof(*h));

	if (!h)
		return -ENOMEM;
	h->l = l;
	h->job = STATE_NONE;
	h->tasks.max = h->places.max = TASKS_MAX;
	l->own = h;
	return 0;
}

static int history_end(struct log *l)
{
	forget(l->own);
	return 0;
}

static void history_close(struct log *l)
{
	struct history *h = l->own;

	if (!h)
		return;
	names_release(&h->tasks);
	names_release(&h->places);
	free(h->place);
	free(h->record);
	free(h);
}

static void history_renumber(struct log *l, const struct log_numbers *now)
{
	struct history *h = l->own;

	h->job = log_renumbered(now->jobs, h->job);
}

const struct log_source log_hadoop_history = {
	.name = "job history of Hadoop 0.18 to 1.x",
	.rank = LOG_RANK_HISTORY,
	.clock = CLOCK_OF_NODE,
	.is = is_history,
	.open = history_open,
	.line = history_line,
	.end = history_end,
	.close = history_close,
	.renumber = history_renumber,
};
