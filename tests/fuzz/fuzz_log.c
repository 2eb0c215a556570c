// SPDX-License-Identifier: BSD-2-Clause
/*
 * log_source.h and all sources: any bytes, also compressed, are a log or are refused; what was read becomes states
 * in order, whose names are text and whose numbers are those of names, whatever the log says. Read in one go,
 * and finished twice, as logs are that are followed.
 */
#include "fuzz.h"

#include <math.h>
#include <string.h>

#include "analyzer/source/logs/log_source.h"
#include "analyzer/source/tables/table.h"

static void check_names(const struct names *s, size_t max)
{
	for (size_t i = 0; i < s->n; i++)
		MUST(!name_check(s->at[i], strlen(s->at[i]), max));
}

static bool is_of(uint32_t i, const struct names *names)
{
	return i == STATE_NONE || i < names->n;
}

static void check_state(const struct states *s, const struct state *st)
{
	MUST(st->kind < STATE_KIND_COUNT && st->outcome < OUTCOME_COUNT);
	MUST(st->end_ns >= st->start_ns);
	MUST(st->node < s->nodes.n && st->id < s->ids.n && st->file < s->files.n);
	MUST(is_of(st->peer, &s->nodes) && is_of(st->job, &s->jobs));
	MUST(is_of(st->cls, &s->classes) && is_of(st->in, &s->items) && is_of(st->out, &s->items));
	MUST(st->bytes >= -1 && st->records >= -1);
	MUST(isnan(st->progress) || (st->progress >= 0 && st->progress <= 1));
}

static void check(const struct states *s)
{
	for (size_t i = 0; i < s->n; i++) {
		check_state(s, &s->at[i]);
		MUST(!i || s->at[i - 1].start_ns <= s->at[i].start_ns);
	}
	for (size_t i = 1; i < s->n_progress; i++)
		MUST(s->progress[i - 1].time_ns <= s->progress[i].time_ns);
	check_names(&s->nodes, HOST_LEN - 1);
	check_names(&s->jobs, LOG_ID_LEN - 1);
	check_names(&s->ids, LOG_ID_LEN - 1);
	check_names(&s->items, LOG_ITEM_LEN - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct states s = {0};
	struct text notes = {0};
	const char *path = fuzz_file(data, size);
	int err;

	fuzz_begin();
	err = states_read(&s, path);
	if (err)
		fuzz_check_refusal(err);
	MUST(!states_finish(&s));
	check(&s);
	MUST(!states_finish(&s));
	check(&s);
	states_report(&notes, &s);
	fputs(text_of(&notes), stdout);
	text_release(&notes);
	states_release(&s);
	return 0;
}
