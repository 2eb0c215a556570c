// SPDX-License-Identifier: BSD-2-Clause
/*
 * How far tasks were, as `limpet-push progress` heard it from the master of their jobs (userspace/push/progress.h has the lines).
 * A first line says that somebody began to ask: what was open before and is not told again has ended, nobody knows when.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hadoop_source.h"
#include "userspace/common/clock.h"
#include "userspace/common/json_scan.h"

struct told {
	int64_t version, t_ms, start_ms, end_ms;
	struct json_part job, id, kind, server, cls, container, progress, outcome;
};

#define ROW(KEY, WANTED, MEMBER) JSON_FIELD(KEY, WANTED, struct told, MEMBER)
static const struct json_field fields[] = {ROW("limpet-progress", INT, version),
					   ROW("t", INT, t_ms),
					   ROW("start", INT, start_ms),
					   ROW("end", INT, end_ms),
					   ROW("job", STRING, job),
					   ROW("id", STRING, id),
					   ROW("kind", STRING, kind),
					   ROW("server", STRING, server),
					   ROW("class", STRING, cls),
					   ROW("container", STRING, container),
					   ROW("progress", VALUE, progress),
					   ROW("outcome", STRING, outcome),
					   JSON_FIELDS_END};
#undef ROW

static struct piece text_of_part(struct json_part v, char buf[LOG_ID_LEN])
{
	size_t n = v.at ? part_text(v, buf, LOG_ID_LEN) : SIZE_MAX;

	return n == SIZE_MAX ? piece(NULL, 0) : piece(buf, n);
}

static bool is_time(int64_t ms)
{
	return ms > 0 && ms < INT64_MAX / 1000000;
}

struct progress_log {
	size_t first; /* state that may be open since somebody began to ask, of states.at */
};

/* Another one begins to ask. */
static void begun_anew(struct log *l)
{
	struct progress_log *o = l->own;
	size_t first = o->first <= l->s->n ? o->first : 0; /* some may have been forgotten */

	o->first = l->s->n;
	for (size_t i = l->s->n; i-- > first;) {
		const struct state *x = &l->s->at[i];

		if (x->file == l->file && x->outcome == OUTCOME_OPEN &&
		    state_is_task((enum state_kind)x->kind))
			state_drop(l, (enum state_kind)x->kind, x->id);
	}
}

static enum state_outcome outcome_of(struct json_part word)
{
	for (int i = OUTCOME_OK; i < OUTCOME_OPEN; i++)
		if (part_is(word, outcome_words[i]))
			return (enum state_outcome)i;
	return OUTCOME_OPEN;
}

static void take(struct log *l, const struct told *a)
{
	char buf[LOG_ID_LEN], word[LOG_ID_LEN];
	struct piece p = text_of_part(a->kind, word);
	enum state_kind kind = p.len ? state_by_word(p.s) : STATE_KIND_COUNT;
	enum state_outcome outcome = a->outcome.at ? outcome_of(a->outcome) : OUTCOME_OPEN;
	uint32_t id = log_id(l, text_of_part(a->id, buf));
	uint32_t node = log_node(l, text_of_part(a->server, buf));
	bool number = a->progress.at && strchr("-0123456789", *a->progress.at);
	double done = number ? strtod(a->progress.at, NULL) : NAN;
	struct state *x;

	if (kind == STATE_KIND_COUNT || !state_is_task(kind) || id == STATE_NONE ||
	    node == STATE_NONE || !is_time(a->start_ms) || !is_time(a->t_ms)) {
		l->s->counts.junk++;
		return;
	}
	log_seen(l, a->t_ms * 1000000);
	x = state_begin(l, kind, id, node, a->start_ms * 1000000);
	x = x ?: state_find(l->s, kind, id);
	if (x && x->rank <= l->source->rank) {
		uint32_t job = log_job(l, text_of_part(a->job, buf));
		uint32_t cls = a->cls.at ? log_class(l, text_of_part(a->cls, buf)) : STATE_NONE;
		uint32_t container =
			a->container.at ? log_id(l, text_of_part(a->container, buf)) : STATE_NONE;

		x = state_find(l->s, kind, id);
		if (x) {
			x->job = job != STATE_NONE ? job : x->job;
			x->cls = cls != STATE_NONE ? cls : x->cls;
			x->container = container != STATE_NONE ? container : x->container;
		}
	}
	if (isfinite(done))
		state_progress(l, kind, id, node, (float)done, a->t_ms * 1000000);
	if (outcome != OUTCOME_OPEN && is_time(a->end_ms))
		state_end(l, kind, id, node, a->end_ms * 1000000, outcome);
}

static int progress_line(struct log *l, char *line, size_t len)
{
	struct json_scan j = json_scan(line, len);
	struct told a = {0};

	if (l->cut || !len)
		return 0;
	if (!scan_fields(&j, fields, &a) || !scan_end(&j))
		l->s->counts.junk++;
	else if (a.version)
		begun_anew(l);
	else if (!a.id.at && is_time(a.t_ms)) /* nothing is new */
		log_seen(l, a.t_ms * 1000000);
	else
		take(l, &a);
	return 0;
}

static bool progress_is(const char *head, size_t n)
{
	static const char says[] = "{\"limpet-progress\":";

	return n >= sizeof(says) - 1 && !memcmp(head, says, sizeof(says) - 1);
}

const struct log_source log_progress = {
	.rank = LOG_RANK_DAEMON,
	.clock = CLOCK_OF_JOB,
	.is = progress_is,
	.own_size = sizeof(struct progress_log),
	.line = progress_line,
};
