/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables made by hand, from text to verdict. */
#ifndef LIMPET_ROBUST_TABLES_H
#define LIMPET_ROBUST_TABLES_H

#include "table_util.h"

#include "analyzer/engine/tables/examine_table.h"
#include "analyzer/verdict/sentences.h"

enum { T0 = 1700000000, NODES = 6 };

static char sentence[SENTENCE_LEN];

static FILE *text;
static char *text_at;
static size_t text_len;

static inline void begin(const char *header)
{
	text_at = NULL;
	text = open_memstream(&text_at, &text_len);
	assert_non_null(text);
	fprintf(text, "%s\n", header);
	srand(7);
}

/* About 1, within 10 %. */
static inline double noise(void)
{
	return exp(0.2 * (rand() / (double)RAND_MAX - 0.5));
}

static inline struct analysis_opts usual(void)
{
	return (struct analysis_opts){.from_ns = INT64_MIN,
				      .to_ns = INT64_MAX,
				      .interval_s = ANALYSIS_DEFAULT.interval_s,
				      .budget = BUDGET_DEFAULT,
				      .signal = "lat",
				      .given = "load"};
}

/* Judges what was written since begin(). */
static inline int judge(const struct analysis_opts *o, struct verdict *a)
{
	struct sources s = {.tabular = true};
	int err, old = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);

	assert_int_equal(fclose(text), 0);
	*a = (struct verdict){0};
	if (read_text(&s.table, text_at, &o->table))
		fail_msg("%s", sentence);
	free(text_at);
	dup2(null, STDERR_FILENO);
	err = examine_table(o, &s, a);
	dup2(old, STDERR_FILENO);
	close(old);
	close(null);
	table_release(&s.table);
	return err;
}

/* This one is indicted, or nobody; and nobody else is so much as suspicious. */
static inline void only(const struct verdict *a, const char *node)
{
	if (a->n_incidents != (node ? 1 : 0))
		fail_msg("%zu indicted or suspicious, the first is %s", a->n_incidents,
			 a->n_incidents ? a->nodes[a->incidents[0].node] : "nobody");
	if (!node)
		return;
	assert_string_equal(a->nodes[a->incidents[0].node], node);
	assert_int_equal(a->incidents[0].suspicious, SUSPICION_NONE);
}

/*
 * Latency as the load makes it. `seconds` of NODES servers; server 2 is `slow` from `since` on,
 * and has `hot` times the load.
 */
static inline void write_servers(double slow, int since, double hot, int seconds)
{
	begin("time,node,load,lat");
	for (int s = 0; s < seconds; s++)
		for (int i = 0; i < NODES; i++) {
			double load = 1e6 * pow(2, 4.0 * rand() / RAND_MAX) * (i == 2 ? hot : 1);
			double lat =
				5 * sqrt(load / 1e6) * noise() * (i == 2 && s >= since ? slow : 1);

			fprintf(text, "%d,n%d,%.0f,%.3f\n", T0 + s, i, load, lat);
		}
}

#endif
