// SPDX-License-Identifier: BSD-2-Clause
/*
 * Hadoop's job history since 0.21 as JSON (.jhist): "Avro-Json", a line of schema, then a line an event, with
 * blank ones between. Avro writes a value of a union with its type: {"string": "NODE_LOCAL"}.
 */
#include <string.h>

#include "jhist.h"
#include "userspace/common/json_scan.h"

enum { COUNTERS_DEPTH = 8 };

/* A counter is an object with a name and a value; whatever it stands in is gone through. */
static void counters(struct json_scan *j, struct jhist_event *e, int depth)
{
	struct json_part key, name = {0};
	int64_t value = -1;

	if (depth == COUNTERS_DEPTH) {
		scan_skip(j);
	} else if (scan_next(j) == '[') {
		for (scan_enter(j, '['); scan_element(j);)
			counters(j, e, depth + 1);
	} else if (scan_enter(j, '{')) {
		while (scan_key(j, &key))
			if (part_is(key, "name"))
				scan_string(j, &name);
			else if (part_is(key, "value"))
				scan_int(j, &value);
			else
				counters(j, e, depth + 1);
		if (name.at)
			jhist_count(e, name.at, name.len, value);
	}
}

/* Goes into {"string": …}, and says so. */
static bool into_union(struct json_scan *j)
{
	struct json_part type;

	return scan_next(j) == '{' && scan_enter(j, '{') && scan_key(j, &type);
}

static void leave_union(struct json_scan *j)
{
	struct json_part key;

	while (scan_key(j, &key))
		scan_skip(j);
}

/* A text that may be longer than there is room for, a stack trace: as much of it as fits, and no half escape. */
static size_t as_much_as_fits(struct json_part v, char to[LOG_ID_LEN])
{
	size_t n = 0, more;

	for (; n < v.len; n += more) {
		more = v.at[n] != '\\' ? 1 : n + 1 < v.len && v.at[n + 1] == 'u' ? 6 : 2;
		if (n + more > v.len || n + more >= LOG_ID_LEN)
			break;
	}
	return part_text((struct json_part){v.at, n}, to, LOG_ID_LEN);
}

static void field(struct json_scan *j, struct json_part key, struct jhist_event *e)
{
	enum jhist_field f = jhist_field_of(key.at, key.len);
	struct json_part v;
	bool in_union;

	if (part_is(key, "counters")) {
		counters(j, e, 0);
		return;
	}
	if (f == JHIST_FIELDS) {
		scan_skip(j);
		return;
	}
	in_union = into_union(j);
	if (f >= JHIST_TEXTS)
		scan_int(j, &e->number[f]);
	else if (scan_string(j, &v) &&
		 (f == JHIST_ERROR ? as_much_as_fits(v, e->text[f])
				   : part_text(v, e->text[f], LOG_ID_LEN)) == SIZE_MAX)
		*e->text[f] = '\0';
	if (in_union)
		leave_union(j);
}

/* {"type": …, "event": {"org.apache.hadoop.mapreduce.jobhistory.RECORD": {…}}} */
static bool event(struct json_scan *j, struct jhist_event *e)
{
	struct json_part key, record;
	const char *dot;
	bool found = false;

	for (scan_enter(j, '{'); scan_key(j, &key);) {
		if (!part_is(key, "event") || !scan_enter(j, '{')) {
			if (!part_is(key, "event"))
				scan_skip(j);
			continue;
		}
		for (; scan_key(j, &record); found = true) {
			dot = memrchr(record.at, '.', record.len);
			dot = dot ? dot + 1 : record.at;
			jhist_begin(e, dot, (size_t)(record.at + record.len - dot));
			for (scan_enter(j, '{'); scan_key(j, &key);)
				field(j, key, e);
		}
	}
	return scan_end(j) && found;
}

static int jhist_line(struct log *l, char *line, size_t len)
{
	struct json_scan j = json_scan(line, len);

	if (l->line_number <= 2 || !len)
		return 0; /* what it is, and its schema */
	if (event(&j, l->own))
		jhist_take(l, l->own);
	else
		l->s->counts.junk++;
	return 0;
}

static bool jhist_is(const char *head, size_t n)
{
	return n > 10 && !memcmp(head, "Avro-Json", 9) && (head[9] == '\n' || head[9] == '\r');
}

const struct log_source log_jhist = {
	.rank = LOG_RANK_HISTORY,
	.clock = CLOCK_OF_JOB,
	.is = jhist_is,
	.own_size = sizeof(struct jhist_event),
	.line = jhist_line,
};
