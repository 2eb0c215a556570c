// SPDX-License-Identifier: BSD-2-Clause
/*
 * engine/tables, from a table to what is printed: whatever the values and times are, the verdict is of numbers, and
 * of times that are in order. The input is no text, which would hardly become rows enough: after five bytes
 * of options each four bytes are some rows of all nodes, one of which may be another than its peers.
 */
#include "fuzz.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/engine/tables/examine_table.h"
#include "analyzer/output/verdict_print.h"

enum { NODES_MAX = 12, ROWS_MAX = 1300, T0 = 1700000000, OPTIONS = 5, SPAN = 4 };
enum { GIVEN = 1, FLOOR = 2, INSTANCES = 4, EXPLAIN = 8, KNOWN = 16 };

#define N_OF(a) (sizeof(a) / sizeof(*(a)))

static const char *const cells[] = {"",	      "0",	"-5",	"nan",	"inf",	"1e308",
				    "-1e308", "1e-308", "1e17", "1e18", "1e19", "1e-9",
				    "5e-324", "100",	"1",	"3"};
static const double steps[] = {0, 1, .001, 5, 30, 60, 3600, 86400, 1e8, -1, -60, -86400};
static const double factors[] = {1, 1.3, 2, 3, 30, 1e6, 1e-6, 0.5};

static unsigned int seed;

/* 10, within a fifth or so. */
static double noise(void)
{
	double sum = 0;

	for (int i = 0; i < 4; i++) {
		seed = seed * 1103515245 + 12345;
		sum += (double)(seed >> 16) / 65536 - 0.5;
	}
	return 10 * exp(0.3 * sum);
}

static void put_cell(FILE *to, unsigned int which, double factor)
{
	if (which < N_OF(cells))
		fprintf(to, ",%s", cells[which]);
	else
		fprintf(to, ",%.4g", noise() * factor);
}

/* Some rows: how many, the step to them, which node is another, what it has. */
static void put_rows(FILE *to, const uint8_t *in, unsigned int nodes, unsigned int flags, double *t,
		     size_t *rows)
{
	unsigned int count = in[0] % 64 + 1, other = in[2] % 16;

	for (; count && *rows < ROWS_MAX; count--, ++*rows) {
		*t = fmin(fmax(*t + steps[in[1] % N_OF(steps)], 0), 4e9);
		for (unsigned int i = 0; i < nodes; i++) {
			bool is = i == other;

			if ((is && in[2] & 128) || (!is && in[2] & 64))
				continue;
			fprintf(to, "%.3f,n%u", *t, i);
			if (flags & INSTANCES)
				fprintf(to, ",d%u", i % 2);
			put_cell(to, is || in[2] & 32 ? in[3] & 127 : 127,
				 is ? factors[in[1] / 16 % N_OF(factors)] : 1);
			put_cell(to, is && in[3] & 128 ? in[3] & 15 : 127, 1);
			fputc('\n', to);
		}
	}
}

static char *make_text(const uint8_t *in, size_t size, size_t *len)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, len);
	unsigned int nodes = in[0] % NODES_MAX + 1, flags = in[1];
	const char *signal = flags & KNOWN ? "await" : "lat";
	size_t rows = 0;
	double t = T0;

	MUST(to);
	seed = 7;
	fprintf(to, "time,node%s,%s,load\n", flags & INSTANCES ? ",instance" : "", signal);
	for (size_t i = OPTIONS; i + SPAN <= size; i += SPAN)
		put_rows(to, in + i, nodes, flags, &t, &rows);
	fclose(to);
	return text;
}

/* No number that is none, on its own or with a unit. */
static void check_words(const char *text)
{
	static const char *const none[] = {"nan", "inf"};

	for (size_t k = 0; k < N_OF(none); k++)
		for (const char *at = text; (at = strstr(at, none[k])); at++)
			MUST((at > text && isalpha((unsigned char)at[-1])) ||
			     isalpha((unsigned char)at[3]));
}

static void check_printed(const struct verdict *a, bool explain)
{
	FILE *out = stdout;
	char *text = NULL;
	size_t len;

	stdout = open_memstream(&text, &len);
	MUST(stdout);
	verdict_text(a, explain);
	MUST(!verdict_json(a, explain));
	fclose(stdout);
	stdout = out;
	check_words(text);
	free(text);
}

static void check_verdict(const struct verdict *a)
{
	for (size_t i = 0; i < a->n_incidents; i++) {
		const struct incident *in = &a->incidents[i];

		MUST(in->node < a->n_nodes && in->n_findings);
		MUST(in->onset_ns <= in->last_ns);
		MUST(in->duty >= 0 && in->duty <= 1);
		for (size_t k = 0; k < in->n_findings; k++) {
			const struct finding *e = &in->findings[k];

			MUST(e->node == in->node && e->signal < a->n_signals);
			MUST(isfinite(e->value) && isfinite(e->peers));
			MUST(isfinite(e->score) && isfinite(e->lower) && e->ratio > 0);
			MUST(e->onset_ns <= e->last_ns && e->window_s >= 0);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const double hops[] = {1, 4, 30, 3600}, budgets[] = {1e-6, 0.05, 10, 1};
	struct analysis_opts o = ANALYSIS_DEFAULT;
	struct sources s = {.tabular = true};
	struct verdict a = {0};
	char *text;
	size_t len;
	int err;

	if (size < OPTIONS + SPAN)
		return 0;
	o.from_ns = INT64_MIN;
	o.signal = data[1] & KNOWN ? NULL : "lat";
	o.given = data[1] & GIVEN ? "load" : NULL;
	o.floor = data[1] & FLOOR ? data[2] / 16.0 : 0;
	o.explain = data[1] & EXPLAIN;
	o.table.instance = data[1] & INSTANCES ? "instance" : NULL;
	o.interval_s = hops[data[3] % N_OF(hops)];
	o.budget = budgets[data[4] % N_OF(budgets)];
	text = make_text(data, size, &len);
	fuzz_begin();
	err = table_read(&s.table, fuzz_file(text, len), &o.table);
	free(text);
	if (!err)
		err = table_finish(&s.table, &o.table);
	if (!err)
		err = examine_table(&o, &s, &a);
	if (err) {
		fuzz_check_refusal(err);
	} else {
		check_verdict(&a);
		check_printed(&a, o.explain);
		verdict_release(&a);
	}
	sources_release(&s);
	return 0;
}
