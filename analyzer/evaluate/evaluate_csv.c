// SPDX-License-Identifier: BSD-2-Clause
/* Scores as CSV (RFC 4180): a line per group, or per run. What is not defined is empty. */
#include "evaluate.h"

#include <math.h>
#include <stdio.h>

#include "userspace/common/output.h"

/* Between quotes. */
static void put_quoted(const char *s)
{
	for (; *s; s++)
		printf("%s%c", *s == '"' ? "\"" : "", *s);
}

static void put_word(const char *s)
{
	putchar(',');
	output_csv(s);
}

static void put_number(double v)
{
	putchar(',');
	if (isfinite(v))
		printf("%.6g", v);
}

static void put_group(struct group *g)
{
	struct score *s = &g->score;

	printf("%s", group_kind_names[g->kind]);
	put_word(g->cluster);
	put_word(g->fault);
	put_word(g->workload);
	put_word(g->intensity);
	printf(",%zu,%zu,%zu,%zu,%zu,%zu", s->faulty, s->fault_free, s->cannot_faulty,
	       s->cannot_fault_free, s->failed_faulty, s->failed_fault_free);
	for (int i = 0; i < RATE_COUNT; i++) {
		struct bounds w = rate_wilson(s->rate[i]);

		printf(",%zu,%zu", s->rate[i].k, s->rate[i].n);
		put_number(rate_value(s->rate[i]));
		put_number(w.lo);
		put_number(w.hi);
	}
	printf(",%zu,%zu,%zu,%zu,%zu", s->tp, s->fp, s->tn, s->fn, s->not_judged);
	put_number(score_mcc(s));
	printf(",%zu", s->n_ttd);
	put_number(score_ttd(s, 0.5));
	put_number(score_ttd(s, 1));
	printf("\n");
}

static void put_run(const struct evaluated *e)
{
	const struct labelled *l = e->label;

	output_csv(l->file);
	printf(",%zu", l->line);
	put_word(l->source);
	put_word(l->cluster);
	put_word(l->fault);
	put_word(l->workload);
	printf(",\"");
	for (size_t i = 0; i < l->n_nodes + l->n_acting; i++) {
		printf("%s", i ? " " : "");
		put_quoted(l->nodes[i]);
	}
	printf("\",%s", evaluate_word(e));
	put_number(e->state == RUN_FAILED ? NAN : e->outcome.ttd_s);
	printf(",\"");
	for (size_t i = 0; i < e->n_incidents; i++) {
		printf("%s", i ? " " : "");
		put_quoted(e->incidents[i].node);
		printf(":%s:%g", cause_table[e->incidents[i].cause].word, e->incidents[i].after_s);
	}
	printf("\"");
	put_word(e->why);
	printf("\n");
}

void evaluate_csv(struct evaluation *all, bool runs)
{
	if (runs) {
		printf("file,line,source,cluster,fault,workload,node,verdict,ttd_s,indicted,why\n");
		for (size_t i = 0; i < all->n_runs; i++)
			put_run(&all->runs[i]);
		return;
	}
	printf("group,cluster,fault,workload,intensity,runs_faulty,runs_fault_free,cannot_faulty,"
	       "cannot_fault_free,failed_faulty,failed_fault_free");
	for (int i = 0; i < RATE_COUNT; i++) {
		const char *name = score_rate_names[i];

		printf(",%s_k,%s_n,%s,%s_lo,%s_hi", name, name, name, name, name);
	}
	printf(",true_positives,false_positives,true_negatives,false_negatives,not_judged,mcc,"
	       "detected,ttd_median_s,ttd_max_s\n");
	for (size_t i = 0; i < all->n_groups; i++)
		put_group(&all->groups[i]);
}
