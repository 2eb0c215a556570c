// SPDX-License-Identifier: BSD-2-Clause
/* Scores for people, under 100 columns: a table over runs, one over servers, and a line per run. */
#include "evaluate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "userspace/common/output.h"
#include "userspace/common/sort.h"
#include "userspace/common/text.h"

enum { SHARE_LEN = 32, WIDTH = 99 };

/* " 90 60-98": a share in per cent and its interval, rounded outwards; "-" where there is none. */
static const char *share(struct rate r, char buf[SHARE_LEN])
{
	struct bounds w = rate_wilson(r);
	double percent = 100 * rate_value(r);
	char value[8];

	if (!r.n)
		return "  -";
	snprintf(value, sizeof(value), "%.0f", percent);
	/* "0" is never and "100" is always; not nearly so */
	if (r.k && percent < 0.5)
		strcpy(value, "<1");
	if (r.k < r.n && percent > 99.5)
		strcpy(value, ">99");
	snprintf(buf, SHARE_LEN, "%3s %2u-%-3u", value, (unsigned int)floor(100 * w.lo),
		 (unsigned int)ceil(100 * w.hi));
	return buf;
}

/* A number of `decimals`, or "-". */
static const char *number_text(double v, int decimals, char buf[SHARE_LEN])
{
	if (!isfinite(v))
		return "-";
	snprintf(buf, SHARE_LEN, "%.*f", decimals, v);
	return buf;
}

static void print_words(const struct group *g)
{
	char fault[20], workload[10];

	printf("%-19s %-9s ", g->fault ? output_plain(g->fault, fault, sizeof(fault)) : "any",
	       g->workload ? output_plain(g->workload, workload, sizeof(workload)) : "any");
}

static void print_runs_row(struct group *g)
{
	struct score *s = &g->score;
	char runs[24], a[SHARE_LEN], b[SHARE_LEN], c[SHARE_LEN], d[SHARE_LEN], med[SHARE_LEN],
		max[SHARE_LEN];

	snprintf(runs, sizeof(runs), "%zu+%zu", s->faulty, s->fault_free);
	print_words(g);
	printf("%7s  %-10s  %-10s  %-10s  %-10s %5s %5s\n", runs, share(s->rate[RATE_ITP], a),
	       share(s->rate[RATE_IFP], b), share(s->rate[RATE_DTP], c),
	       share(s->rate[RATE_DFP], d), number_text(score_ttd(s, 0.5), 0, med),
	       number_text(score_ttd(s, 1), 0, max));
}

static void print_servers_row(struct group *g)
{
	struct score *s = &g->score;
	char a[SHARE_LEN], b[SHARE_LEN], c[SHARE_LEN], p[SHARE_LEN], r[SHARE_LEN], m[SHARE_LEN];

	print_words(g);
	printf("%7zu %5zu  %-10s  %-10s  %-10s %5s %6s %5s\n", s->tp + s->fp + s->tn + s->fn,
	       s->not_judged, share(s->rate[RATE_TP], a), share(s->rate[RATE_FP], b),
	       share(s->rate[RATE_ALARM_SERVERS], c),
	       number_text(rate_value(s->rate[RATE_PRECISION]), 2, p),
	       number_text(rate_value(s->rate[RATE_RECALL]), 2, r),
	       number_text(score_mcc(s), 2, m));
}

static void print_more_row(struct group *g)
{
	struct score *s = &g->score;
	char a[SHARE_LEN], b[SHARE_LEN], c[SHARE_LEN], d[SHARE_LEN], e[SHARE_LEN], runs[24];

	snprintf(runs, sizeof(runs), "%zu+%zu", s->failed_faulty, s->failed_fault_free);
	print_words(g);
	printf("%7s  %-10s  %-10s  %-10s  %-10s  %s\n", runs, share(s->rate[RATE_60S], a),
	       share(s->rate[RATE_DIRECTION], b), share(s->rate[RATE_GUESS], c),
	       share(s->rate[RATE_UNPROVEN], d), share(s->rate[RATE_CLEAR], e));
}

static size_t count_groups(const struct evaluation *all, enum group_kind kind)
{
	return count_if(i, all->n_groups, all->groups[i].kind == kind);
}

/* Whether groups of this kind say anything that those before have not said. */
static bool shown(const struct evaluation *all, enum group_kind kind)
{
	size_t cells = count_groups(all, GROUP_CELL);

	if (kind == GROUP_CELL)
		return true;
	if (kind != GROUP_ALL && count_groups(all, kind) < 2)
		return false;
	if (kind == GROUP_CLUSTER)
		return true;
	return cells > 1 && count_groups(all, kind) < cells;
}

static void print_cluster(const char *cluster)
{
	char buf[64];

	if (*cluster)
		printf("cluster %s\n", output_plain(cluster, buf, sizeof(buf)));
}

/* The cells of each cluster under its name; clusters come as the truth has them. */
static void print_cells(struct evaluation *all, void (*row)(struct group *g))
{
	for (size_t c = 0; c < all->n_groups; c++) {
		if (all->groups[c].kind != GROUP_CLUSTER)
			continue;
		print_cluster(all->groups[c].cluster);
		for (size_t i = 0; i < all->n_groups; i++)
			if (all->groups[i].kind == GROUP_CELL &&
			    !strcmp(all->groups[i].cluster, all->groups[c].cluster))
				row(&all->groups[i]);
	}
}

static void print_table(struct evaluation *all, void (*row)(struct group *g))
{
	print_cells(all, row);
	for (size_t i = 0; i < all->n_groups; i++) {
		struct group *g = &all->groups[i];

		if (g->kind == GROUP_CELL || g->kind == GROUP_INTENSITY || !shown(all, g->kind))
			continue;
		if (g->kind != all->groups[i - 1].kind)
			printf("\n");
		if (g->kind == GROUP_CLUSTER)
			print_cluster(g->cluster);
		row(g);
	}
}

/* What a fault must be to be found: of each that was tried with more than one intensity. */
static void print_power(const struct evaluation *all)
{
	char a[SHARE_LEN], b[SHARE_LEN], word[20];

	for (size_t i = 0; i < all->n_groups; i++) {
		const struct group *g = &all->groups[i];
		size_t n = 0;

		for (size_t k = 0; k < all->n_groups && g->kind == GROUP_FAULT; k++)
			n += all->groups[k].kind == GROUP_INTENSITY &&
			     !strcmp(all->groups[k].fault, g->fault);
		if (n < 2)
			continue;
		printf("\n%-19s %9s %7s  %-10s  %-10s  %s\n", "fault", "intensity", "runs", "ITP %",
		       "unproven %", "clear %");
		for (size_t k = 0; k < all->n_groups; k++) {
			const struct score *s = &all->groups[k].score;
			char c[SHARE_LEN];

			if (all->groups[k].kind != GROUP_INTENSITY ||
			    strcmp(all->groups[k].fault, g->fault))
				continue;
			printf("%-19s %9s %7zu  %-10s  %-10s  %s\n",
			       output_plain(g->fault, word, sizeof(word)), all->groups[k].intensity,
			       s->faulty, share(s->rate[RATE_ITP], a),
			       share(s->rate[RATE_UNPROVEN], b), share(s->rate[RATE_CLEAR], c));
		}
		printf("half are found from %s on, nine tenths from %s on\n",
		       number_text(evaluate_power(all, g->fault, 0.5), 2, a),
		       number_text(evaluate_power(all, g->fault, 0.9), 2, b));
	}
}

/* " +oss3 disk-busy 128 s": one server of a run's line. */
static int put_incident(const struct incidents *a, char *buf, size_t size)
{
	char node[HOST_LEN];

	return snprintf(buf, size, " %s%s%s %s %.0f s", a->hit ? "+" : "", a->alarm ? "!" : "",
			output_plain(a->node, node, sizeof(node)), cause_table[a->cause].word,
			a->after_s);
}

static void print_run(const struct evaluated *e)
{
	char fault[20], workload[10], one[2 * HOST_LEN];
	bool more = e->n_incidents || e->why;
	int column = printf("%5zu %-19s %-9s %-*s", e->label->line,
			    output_plain(e->label->fault, fault, sizeof(fault)),
			    output_plain(e->label->workload, workload, sizeof(workload)),
			    more ? 10 : 0, evaluate_word(e));

	for (size_t i = 0; i < e->n_incidents; i++) {
		int n = put_incident(&e->incidents[i], one, sizeof(one));

		if (i && column + n > WIDTH - 10) {
			printf(" +%zu more", e->n_incidents - i);
			break;
		}
		column += printf("%s", one);
	}
	if (e->why && (int)strlen(e->why) < WIDTH - column)
		printf(" %s", e->why);
	else if (e->why)
		printf(" %.*s...", WIDTH - column - 4, e->why);
	printf("\n");
}

static void print_each(const struct evaluation *all)
{
	const char *file = "";

	for (size_t i = 0; i < all->n_runs; i++) {
		const struct evaluated *e = &all->runs[i];

		if (strcmp(file, e->label->file)) {
			file = e->label->file;
			printf("%s\n line %-19s %-9s %-10s indicted\n", file, "fault", "workload",
			       "verdict");
		}
		print_run(e);
	}
	printf("+ for its fault, ! while it had none; the time from the fault's onset (else the "
	       "run's start)\nuntil the vote was complete\n\n");
}

static void print_legend(const struct evaluation *all)
{
	const struct score *s = &all->groups[all->n_groups - 1].score; /* of all runs */
	size_t faulty = s->cannot_faulty - s->failed_faulty;
	size_t cannot = faulty + s->cannot_fault_free - s->failed_fault_free;

	printf("\nruns: with a fault + without; shares in %% with Wilson's 95 %% interval; TTD: "
	       "median and largest\ntime from the fault's onset until the last faulty server's "
	       "vote was complete, in runs that count\nfor ITP; judged, not: servers that could be "
	       "judged and not; alarms: servers indicted in runs\nwithout a fault; 60 s: as ITP, "
	       "and within 60 s of onset; side: of packet loss on the right servers,\nsaid to be "
	       "on the side where it was; guess: right guesses at what is behind a right "
	       "cause;\nunproven: of runs in which nobody was indicted, those that say a fault "
	       "would not have been seen;\nclear: runs with a fault of which every server is "
	       "called well\n");
	if (all->top)
		printf("only the first of each verdict's ranking counts\n");
	if (cannot)
		printf("%zu run%s could not be judged, %zu with a fault: missed; the others count "
		       "neither way\n",
		       cannot, text_plural(cannot), faulty);
	if (all->n_failed)
		printf("%zu of %zu runs failed: missed where there was a fault, else counted "
		       "neither way\n",
		       all->n_failed, all->n_runs);
}

void evaluate_text(struct evaluation *all, bool runs)
{
	if (runs)
		print_each(all);
	if (!all->n_groups)
		return;
	printf("%-19s %-9s %7s  %-10s  %-10s  %-10s  %-10s %5s %5s\n", "fault", "workload", "runs",
	       "ITP %", "IFP %", "DTP %", "DFP %", "TTD s", "max s");
	print_table(all, print_runs_row);
	printf("\n%-19s %-9s %7s %5s  %-10s  %-10s  %-10s %5s %6s %5s\n", "fault", "workload",
	       "judged", "not", "TP %", "FP %", "alarms %", "prec", "recall", "MCC");
	print_table(all, print_servers_row);
	printf("\n%-19s %-9s %7s  %-10s  %-10s  %-10s  %-10s  %s\n", "fault", "workload", "failed",
	       "60 s %", "side %", "guess %", "unproven %", "clear %");
	print_table(all, print_more_row);
	print_power(all);
	print_legend(all);
}
