// SPDX-License-Identifier: BSD-2-Clause
/* history_text.h: records of Hadoop's job history: TYPE KEY="VALUE" KEY="VALUE" … . */
#include <pthread.h>
#include <string.h>

#include "history_text.h"
#include "log_words.h"
#include "userspace/common/clock.h"

#define KEY_WORD(NAME) LOG_WORD(#NAME, K_##NAME),
static const struct log_word keys[K_COUNT] = {HISTORY_KEYS(KEY_WORD)};

static const struct log_word types[HISTORY_NONE] = {
	LOG_WORD("Meta ", HISTORY_META),
	LOG_WORD("Job ", HISTORY_JOB),
	LOG_WORD("Task ", HISTORY_TASK),
	LOG_WORD("MapAttempt ", HISTORY_MAP_ATTEMPT),
	LOG_WORD("ReduceAttempt ", HISTORY_REDUCE_ATTEMPT),
};

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
static const struct log_word counters[] = {
	LOG_WORD("HDFS_BYTES_READ", HDFS_READ),
	LOG_WORD("HDFS bytes read", HDFS_READ),
	LOG_WORD("MAP_INPUT_BYTES", MAP_BYTES),
	LOG_WORD("Map input bytes", MAP_BYTES),
	LOG_WORD("MAP_INPUT_RECORDS", MAP_RECORDS),
	LOG_WORD("Map input records", MAP_RECORDS),
	LOG_WORD("REDUCE_SHUFFLE_BYTES", SHUFFLED),
	LOG_WORD("Reduce shuffle bytes", SHUFFLED),
	LOG_WORD("FILE_BYTES_READ", FILE_READ),
	LOG_WORD("Local bytes read", FILE_READ),
	LOG_WORD("REDUCE_INPUT_RECORDS", REDUCE_RECORDS),
	LOG_WORD("Reduce input records", REDUCE_RECORDS),
	LOG_WORD("CPU_MILLISECONDS", CPU_MS),
	LOG_WORD("CPU time spent (ms)", CPU_MS),
	LOG_WORD("PHYSICAL_MEMORY_BYTES", MEMORY),
	LOG_WORD("Physical memory (bytes) snapshot", MEMORY),
};

static struct log_words key_words, counter_words;

static void index_words(void)
{
	log_words_index(&key_words, keys, K_COUNT);
	log_words_index(&counter_words, counters, sizeof(counters) / sizeof(*counters));
}

void history_init(void)
{
	static pthread_once_t indexed = PTHREAD_ONCE_INIT;

	pthread_once(&indexed, index_words);
}

enum history_type history_type(const char *s, size_t len)
{
	enum history_type t = 0;
	const char *key;

	while (t < HISTORY_NONE && (*s != *types[t].text || len <= types[t].len ||
				    memcmp(s, types[t].text, types[t].len)))
		t++;
	if (t == HISTORY_NONE)
		return t;
	key = s + types[t].len;
	while ((*key >= 'A' && *key <= 'Z') || *key == '_')
		key++;
	return key[0] == '=' && key[1] == '"' ? t : HISTORY_NONE;
}

int64_t history_time(struct piece v)
{
	/* Of a task that was never launched it is 0. */
	return ns_of_ms(log_number(v)) ?: -1;
}

/* The value that begins at s, unescaped in place; where it ended. NULL: it is not closed. */
static char *take_value(char *s, char *end, struct piece *v)
{
	char *to = memchr(s, '"', (size_t)(end - s)), *back, *p;

	back = to ? memchr(s, '\\', (size_t)(to - s)) : NULL;
	if (!back) {
		*v = piece(s, to ? (size_t)(to - s) : 0);
		return to ? to + 1 : NULL;
	}
	for (to = p = back; p < end && *p != '"'; p++) {
		if (*p == '\\' && p + 1 < end)
			p++;
		*to++ = *p;
	}
	*v = piece(s, (size_t)(to - s));
	return p < end ? p + 1 : NULL;
}

bool history_values(struct piece v[K_COUNT], enum history_type type, char *s, size_t len)
{
	char *end = s + len;

	s += types[type].len;
	memset(v, 0, K_COUNT * sizeof(*v));
	/* a record of several lines ends with the last one's end */
	while (end > s && history_blank(end[-1]))
		end--;
	for (;;) {
		struct piece value;
		char *is;
		int k;

		while (s < end && history_blank(*s))
			s++;
		if (s == end || (*s == '.' && s + 1 == end))
			return true;
		is = memchr(s, '=', (size_t)(end - s));
		if (!is || is + 1 == end || is[1] != '"')
			return false;
		k = log_words_find(&key_words, s, (size_t)(is - s), K_COUNT);
		s = take_value(is + 2, end, &value);
		if (!s)
			return false;
		if (k < K_COUNT)
			v[k] = value;
	}
}

/* ---- counters ------------------------------------------------------------------------------------------ */

static void set_counter(const char *name, size_t len, const char *value, size_t value_len,
			int64_t at[COUNTER_COUNT])
{
	int counter = log_words_find(&counter_words, name, len, COUNTER_COUNT);

	if (counter < COUNTER_COUNT)
		at[counter] = log_number(piece(value, value_len));
}

static void take_old(const char *s, const char *end, int64_t at[COUNTER_COUNT])
{
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
}

static void take_new(const char *s, const char *end, int64_t at[COUNTER_COUNT])
{
	while (s < end && (s = memchr(s, '[', (size_t)(end - s)))) {
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

struct history_volumes history_volumes(struct piece text, enum state_kind kind)
{
	const char *s = text.len ? text.s : "", *end = s + text.len;
	int64_t at[COUNTER_COUNT];
	struct history_volumes v;

	for (size_t i = 0; i < COUNTER_COUNT; i++)
		at[i] = -1;
	if (s < end && *s != '{')
		take_old(s, end, at);
	else
		take_new(s, end, at);
	v.cpu_ms = at[CPU_MS];
	v.memory_bytes = at[MEMORY];
	if (kind == STATE_MAP) {
		v.bytes = at[HDFS_READ] >= 0 ? at[HDFS_READ] : at[MAP_BYTES];
		v.records = at[MAP_RECORDS];
	} else {
		v.bytes = at[SHUFFLED] >= 0 ? at[SHUFFLED] : at[FILE_READ];
		v.records = at[REDUCE_RECORDS];
	}
	return v;
}
