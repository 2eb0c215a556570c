// SPDX-License-Identifier: BSD-2-Clause
/*
 * table.h, and frame.h above it: any text, also compressed, is refused with file and line, or
 * becomes finite samples in order and then a grid that holds them. An input that begins with one of
 * the letters A to P is read with options: 1: two counters, 2: a column "instance", 4: no times, 8:
 * two metrics only (the letter is not part of the table). sysstat's files are left out: sadf reads
 * them, and its output is such a text.
 */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/source/frame/frame.h"
#include "analyzer/source/tables/internal.h"

enum { COUNTERS = 1, INSTANCE = 2, ROWS = 4, METRICS_ONLY = 8 };

static void set_options(struct table_opts *o, unsigned int bits)
{
	static const char *counters[] = {"c", "bytes"}, *only[] = {"await", "x"};

	*o = (struct table_opts){0};
	if (bits & COUNTERS)
		o->counters = (struct string_list){counters, 2};
	if (bits & INSTANCE)
		o->instance = "instance";
	if (bits & ROWS) {
		o->time = "@row";
		o->interval_s = 1;
	}
	if (bits & METRICS_ONLY)
		o->metrics = (struct string_list){only, 2};
}

static void check_names(const struct names *s, size_t max)
{
	MUST(s->n <= TABLE_NAMES_MAX);
	for (size_t i = 0; i < s->n; i++) {
		MUST(strlen(s->at[i]) < max);
		MUST(names_find(s, s->at[i]) == (int64_t)i); /* none is there twice */
		for (const char *c = s->at[i]; *c; c++)
			MUST((unsigned char)*c >= ' ' && *c != 0x7f);
	}
}

static int compare(const struct sample *a, const struct sample *b)
{
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->metric != b->metric)
		return a->metric < b->metric ? -1 : 1;
	if (a->instance != b->instance)
		return a->instance < b->instance ? -1 : 1;
	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static void check_samples(const struct table *t, bool finished)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct sample *s = &t->at[i];

		MUST(isfinite(s->value));
		MUST(s->node < t->nodes.n && s->metric < t->metrics.n);
		uint32_t instance = s->instance & ~(finished ? 0 : TABLE_GUESSED);

		MUST(instance < t->instances.n || (!instance && !t->instances.n));
		if (finished && i)
			MUST(compare(s - 1, s) < (t->events ? 1 : 0));
	}
	if (finished && t->n)
		MUST(t->step_ns > 0 && t->step_ns % 1000000 == 0);
}

/* Every cell is a number a sample, or several, can have made, or is missing. */
static void check_cells(struct frame *f, const struct table *t)
{
	size_t there = 0;

	MUST(!frame_slice(f, 0, f->n_times));
	for (size_t n = 0; n < f->n_nodes; n++)
		for (size_t m = 0; m < f->n_metrics; m++)
			for (size_t c = 0; c < f->n_times; c++) {
				double v = frame_row(f, m, n)[c];

				MUST(!isinf(v));
				there += !isnan(v);
			}
	MUST(there <= t->n);
	for (size_t n = 0; n < f->n_nodes; n++)
		MUST(f->n_seen[n] <= f->n_times);
}

static void check_frame(struct sources *s)
{
	struct frame_opts o = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
	struct frame f;
	int err;

	fuzz_begin();
	err = frame_open(&f, s, &o);
	if (err) {
		fuzz_check_refusal(err);
		return;
	}
	MUST(f.n_nodes >= 1 && f.n_nodes <= SOURCE_HOSTS_MAX);
	MUST(f.n_metrics >= 1 && f.n_metrics <= FRAME_METRICS_MAX);
	MUST(f.n_times >= 1 && f.interval_ms >= 1);
	MUST(f.n_times <= FRAME_CELLS_MAX / f.n_metrics / f.n_nodes);
	for (size_t i = 0; i < f.n_nodes; i++) {
		MUST(!i || strcmp(f.nodes[i - 1], f.nodes[i]) < 0);
		MUST(!name_check(f.nodes[i], strlen(f.nodes[i]), HOST_LEN - 1));
	}
	if (f.n_times * f.n_metrics * f.n_nodes < 1 << 20)
		check_cells(&f, &s->table);
	frame_release(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool with_options = size && data[0] >= 'A' && data[0] <= 'P';
	struct sources s = {.tabular = true};
	struct text notes = {0};
	struct table_opts o;
	const char *path;
	int err;

	set_options(&o, with_options ? data[0] - 'A' : 0);
	data += with_options;
	size -= with_options;
	if (size >= 2 &&
	    ((data[0] == 0x96 && data[1] == 0xd5) || (data[0] == 0xd5 && data[1] == 0x96)))
		return 0;
	path = fuzz_file(data, size);
	fuzz_begin();
	err = table_read(&s.table, path, &o);
	if (err) {
		fuzz_check_refusal(err);
		MUST(strstr(fuzz_said.last, path));
	}
	check_names(&s.table.nodes, HOST_LEN);
	check_names(&s.table.metrics, METRIC_NAME_LEN);
	check_names(&s.table.instances, TABLE_INSTANCE_MAX + 1);
	check_samples(&s.table, false);
	fuzz_begin();
	if (!err)
		err = table_finish(&s.table, &o);
	if (!err) {
		check_samples(&s.table, true);
		table_report(&notes, &s.table);
		fputs(text_of(&notes), stdout);
		text_release(&notes);
		check_frame(&s);
	} else if (fuzz_said.failures) {
		fuzz_check_refusal(err);
	}
	sources_release(&s);
	return 0;
}
