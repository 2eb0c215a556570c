// SPDX-License-Identifier: BSD-2-Clause
/* The verdict for people: who, what, why, and how far to trust it. */
#include "verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output.h"

static void print_finding(const struct finding *f)
{
	const struct metric *m = &metrics[f->metric];
	char ratio[32] = "";

	if (f->peers > 0)
		snprintf(ratio, sizeof(ratio), " (%.2f x)", f->value / f->peers);
	printf("  %-8s %.*f %s, peers' median %.*f %s%s\n", m->name, m->decimals, f->value, m->unit,
	       m->decimals, f->peers, m->unit, ratio);
	printf("           odd in %u of %u windows, divergence up to %.2f x threshold (%s)\n",
	       f->flagged, f->judged, f->key, f->method);
}

static void print_indictment(const struct verdict *v, const struct indictment *in, size_t rank)
{
	char from[TIME_TEXT_LEN], to[TIME_TEXT_LEN];

	if (rank == 1)
		printf("\nfurther servers that meet the vote, by divergence over threshold:\n\n");
	if (rank)
		printf("%zu. ", rank + 1);
	printf("%s limps: %s\n", v->frame->nodes[in->node], in->rule->cause);
	printf("  rule %u: %s\n", in->rule->number, in->rule->why);
	printf("  from %s to %s\n", output_time(in->onset_ns, from), output_time(in->last_ns, to));
	for (size_t i = 0; i < in->n; i++)
		print_finding(&v->judgement->findings[in->first + i]);
}

/* "kl: rkB/s, await" wrapped under 100 columns. */
static void print_metrics(const char *what, const struct judgement *j, bool judged)
{
	size_t column = 0;

	for (size_t i = 0; i < j->n_coverage; i++) {
		const struct coverage *c = &j->coverage[i];
		const char *name = metrics[c->metric].name;

		if (!!c->judged != judged)
			continue;
		if (!column)
			column = (size_t)printf("%s", what);
		else
			column += (size_t)printf(",");
		if (column + strlen(name) > 96)
			column = (size_t)printf("\n ") - 1;
		column += (size_t)printf(" %s", name);
	}
	if (column)
		printf("\n");
}

static void print_blind(const struct verdict *v)
{
	const struct judgement *j = v->judgement;
	enum { SHOWN = 20 };

	for (size_t i = 0; i < j->n_blind && i < SHOWN; i++) {
		const struct blind *b = &j->blind[i];

		printf("blind to %s on %s: threshold %.2f", metrics[b->metric].name,
		       v->frame->nodes[b->node], b->threshold);
		if (b->most > 0)
			printf(", the largest possible divergence is %.2f", b->most);
		printf("\n");
	}
	if (j->n_blind > SHOWN)
		printf("blind %zu times more (--json has them all)\n", j->n_blind - SHOWN);
}

static void print_trust(const struct verdict *v)
{
	const struct model *m = v->model;
	const struct params *p = &m->params;
	char from[TIME_TEXT_LEN], to[TIME_TEXT_LEN];

	printf("\njudged   %s to %s, %zu servers, %zu windows\n",
	       output_time(v->frame->first_ns, from),
	       output_time(frame_time(v->frame, v->frame->n_times), to), v->frame->n_nodes,
	       v->judgement->n_useful);
	printf("trained  %s to %s, %zu windows, slack %g\n", output_time(m->from_ns, from),
	       output_time(m->to_ns, to), m->n_windows, p->slack);
	printf("method   window %u, shift %u, smoothed over %u (cwnd: %u), %u bins; %u of %u "
	       "windows; %s\n",
	       p->window, p->shift, p->smooth, p->cwnd_smooth, p->bins, v->judgement->votes,
	       2 * v->judgement->votes - 1, v->judgement->two_sided ? "two-sided" : "worse only");
	print_metrics("on      ", v->judgement, true);
	print_metrics("abstain ", v->judgement, false);
	print_blind(v);
	frame_report(v->frame);
	printf("false alarms: trained for r = %.2f times the judged time, some healthy server of "
	       "%zu "
	       "is\n  odd in some window with probability about 1 - (r/(r+1))^n = %.2f per metric "
	       "at slack 1;\n  an indictment needs %u of %u windows\n",
	       v->runs, v->frame->n_nodes, v->alarm, v->judgement->votes,
	       2 * v->judgement->votes - 1);
}

void verdict_text(const struct verdict *v)
{
	if (!v->n_indicted)
		printf("no server limps\n");
	for (size_t i = 0; i < v->n_indicted; i++)
		print_indictment(v, &v->indicted[i], i);
	print_trust(v);
}
