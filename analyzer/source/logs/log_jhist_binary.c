// SPDX-License-Identifier: BSD-2-Clause
/*
 * Hadoop's job history since 3.0 by default (.jhist): "Avro-Binary", a line of schema, then events in Avro's
 * binary form by that schema, without the blocks of an Avro file. libavro reads them; a schema from outside may be
 * anything, so its depth and the memory that one event takes are bounded here.
 */
#include <avro.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "jhist.h"

enum {
	SCHEMA_MAX = 1 << 20,	/* bytes; Hadoop's has 15 KiB */
	SCHEMA_DEPTH = 12,	/* of Hadoop's it is 8 */
	SCHEMA_TYPES = 100000,	/* seen on the way, again where they are named again */
	EVENT_MEMORY = 1 << 26, /* counters of a job have some KiB */
	COUNTERS_DEPTH = 8,
};

/*
 * libavro's allocator is the process's; limpet reads logs in one thread. libavro does not free a string that the end of
 * the file cuts off: what is left on the list after a file is freed then.
 */
struct avro_block {
	_Alignas(max_align_t) LIST_ENTRY(avro_block) link;
};

static LIST_HEAD(, avro_block) blocks = LIST_HEAD_INITIALIZER(blocks);
static size_t memory_left;

static void *bounded(void *own, void *at, size_t had, size_t want)
{
	struct avro_block *b = at ? (struct avro_block *)at - 1 : NULL, *to;

	(void)own;
	if (want > had && want - had > memory_left)
		return NULL;
	if (b)
		LIST_REMOVE(b, link);
	if (!want) {
		memory_left += had;
		free(b);
		return NULL;
	}
	to = realloc(b, sizeof(*b) + want);
	if (!to) {
		if (b)
			LIST_INSERT_HEAD(&blocks, b, link);
		return NULL;
	}
	LIST_INSERT_HEAD(&blocks, to, link);
	memory_left = memory_left + had - want;
	return to + 1;
}

static void free_rest(void)
{
	struct avro_block *b;

	while ((b = LIST_FIRST(&blocks))) {
		LIST_REMOVE(b, link);
		free(b);
	}
}

/* Whether a schema has an end: one that contains itself would be followed as deep as data say. */
static bool is_finite(avro_schema_t s, int depth, size_t *types)
{
	bool record;
	size_t n;

	if (!s || depth > SCHEMA_DEPTH || ++*types > SCHEMA_TYPES)
		return false;
	switch (avro_typeof(s)) {
	case AVRO_LINK: return is_finite(avro_schema_link_target(s), depth + 1, types);
	case AVRO_ARRAY: return is_finite(avro_schema_array_items(s), depth + 1, types);
	case AVRO_MAP: return is_finite(avro_schema_map_values(s), depth + 1, types);
	case AVRO_UNION:
	case AVRO_RECORD:
		record = avro_typeof(s) == AVRO_RECORD;
		n = record ? avro_schema_record_size(s) : avro_schema_union_size(s);
		for (size_t i = 0; i < n; i++)
			if (!is_finite(record ? avro_schema_record_field_get_by_index(s, (int)i)
					      : avro_schema_union_branch(s, (int)i),
				       depth + 1, types))
				return false;
		return true;
	default: return true;
	}
}

/* ---- an event ---------------------------------------------------------------------------------------- */

/* What a union holds, or the value itself. */
static bool inside(avro_value_t *v)
{
	avro_value_t branch;

	while (avro_value_get_type(v) == AVRO_UNION) {
		if (avro_value_get_current_branch(v, &branch))
			return false;
		*v = branch;
	}
	return true;
}

static int64_t avro_number(avro_value_t *v)
{
	int64_t n = -1;
	int32_t small;

	if (avro_value_get_type(v) == AVRO_INT64)
		avro_value_get_long(v, &n);
	else if (avro_value_get_type(v) == AVRO_INT32 && !avro_value_get_int(v, &small))
		n = small;
	return n;
}

static void counters(avro_value_t *v, struct jhist_event *e, int depth)
{
	avro_type_t type;
	avro_value_t child;
	const char *field, *name = NULL;
	size_t n = 0, len = 0;
	int64_t value = -1;

	if (depth == COUNTERS_DEPTH || !inside(v))
		return;
	type = avro_value_get_type(v);
	if ((type != AVRO_RECORD && type != AVRO_ARRAY) || avro_value_get_size(v, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		field = NULL;
		if (avro_value_get_by_index(v, i, &child, &field))
			return;
		if (type == AVRO_RECORD && field && !strcmp(field, "name") &&
		    avro_value_get_type(&child) == AVRO_STRING)
			avro_value_get_string(&child, &name, &len);
		else if (type == AVRO_RECORD && field && !strcmp(field, "value"))
			value = avro_number(&child);
		else
			counters(&child, e, depth + 1);
	}
	if (name)
		jhist_count(e, name, strlen(name), value);
}

static void field(avro_value_t *v, const char *name, struct jhist_event *e)
{
	enum jhist_field f = jhist_field_of(name, strlen(name));
	const char *text;
	size_t len;

	if (!strcmp(name, "counters")) {
		counters(v, e, 0);
		return;
	}
	if (f == JHIST_FIELDS || !inside(v))
		return;
	if (f >= JHIST_TEXTS)
		e->number[f] = avro_number(v);
	else if (avro_value_get_type(v) == AVRO_STRING && !avro_value_get_string(v, &text, &len) &&
		 (f == JHIST_ERROR || strlen(text) < LOG_ID_LEN))
		snprintf(e->text[f], LOG_ID_LEN, "%s", text);
}

/* The record in the field "event". */
static bool event(avro_value_t *whole, struct jhist_event *e)
{
	avro_value_t record, v;
	const char *name;
	size_t n;

	if (avro_value_get_type(whole) != AVRO_RECORD ||
	    avro_value_get_by_name(whole, "event", &record, NULL) || !inside(&record) ||
	    avro_value_get_type(&record) != AVRO_RECORD || avro_value_get_size(&record, &n))
		return false;
	name = avro_schema_name(avro_value_get_schema(&record));
	jhist_begin(e, name, strlen(name));
	for (size_t i = 0; i < n; i++) {
		if (avro_value_get_by_index(&record, i, &v, &name))
			return false;
		field(&v, name, e);
	}
	return true;
}

/* ---- the file ---------------------------------------------------------------------------------------- */

static void take_events(struct log *l, avro_schema_t schema, const char *bytes, size_t n,
			uint64_t offset)
{
	avro_value_iface_t *class = avro_generic_class_from_schema(schema);
	avro_reader_t reader = avro_reader_memory(bytes, (int64_t)n);
	struct jhist_event *e = calloc(1, sizeof(*e));
	avro_value_t v;
	size_t len = 0;

	if (!class || !reader || !e || avro_generic_value_new(class, &v)) {
		log_note(l, "its schema is none that can be read");
		goto out;
	}
	/* a reader does not say how far it is: what it has read is as long as it would be written */
	while (len < n && !avro_value_reset(&v) && !avro_value_read(reader, &v)) {
		size_t more = 0;

		l->offset = offset + len;
		if (event(&v, e))
			jhist_take(l, e);
		else
			l->s->counts.junk++;
		avro_value_sizeof(&v, &more);
		len += more;
		memory_left = memory_left < EVENT_MEMORY ? memory_left : EVENT_MEMORY;
		if (!more)
			break;
	}
	if (len < n)
		log_note(l, "from byte %llu on it is damaged or cut off: it is read up to there",
			 (unsigned long long)(offset + len));
	avro_value_decref(&v);
out:
	if (class)
		avro_value_iface_decref(class);
	if (reader)
		avro_reader_free(reader);
	free(e);
}

static int binary_whole(struct log *l, const unsigned char *data, size_t n)
{
	const char *text = (const char *)data, *end = text + n;
	const char *schema_at = memchr(text, '\n', n), *datums;
	avro_schema_t schema = NULL;
	size_t types = 0, len;

	schema_at = schema_at ? schema_at + 1 : end;
	datums = memchr(schema_at, '\n', (size_t)(end - schema_at));
	len = (size_t)((datums ? datums : end) - schema_at);
	if (!datums || len > SCHEMA_MAX) {
		log_note(l, "it ends before its schema does");
		return -EBADMSG;
	}
	memory_left = EVENT_MEMORY;
	avro_set_allocator(bounded, NULL);
	if (avro_schema_from_json_length(schema_at, len, &schema) || !is_finite(schema, 0, &types))
		log_note(l, "its schema is none that can be read");
	else
		take_events(l, schema, datums + 1, (size_t)(end - datums - 1),
			    (uint64_t)(datums + 1 - text));
	if (schema)
		avro_schema_decref(schema);
	free_rest();
	return 0;
}

static bool binary_is(const char *head, size_t n)
{
	return n > 12 && !memcmp(head, "Avro-Binary", 11) && (head[11] == '\n' || head[11] == '\r');
}

const struct log_source log_jhist_binary = {
	.rank = LOG_RANK_HISTORY,
	.clock = CLOCK_OF_JOB,
	.is = binary_is,
	.whole = binary_whole,
};
