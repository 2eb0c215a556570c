// SPDX-License-Identifier: BSD-2-Clause
/* The verdict for people: who, what, why, and how far to trust it. */
#include "analyzer/verdict/paper_verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/methods/ganesha.h"
#include "userspace/common/output.h"

static void print_finding(const struct frame *frame, const struct paper_finding *f)
{
	const struct frame_metric *m = frame_metric(frame, f->metric);
	char ratio[32] = "";

	if (f->peers > 0)
		snprintf(ratio, sizeof(ratio), " (%.2f x)", f->value / f->peers);
	printf("  %-8s %.*f%s%s, peers' median %.*f%s%s%s\n", m->name, m->decimals, f->value,
	       *m->unit ? " " : "", m->unit, m->decimals, f->peers, *m->unit ? " " : "", m->unit,
	       ratio);
	printf("           odd in %u of %u %s, divergence up to %.2f x threshold (%s)\n",
	       f->flagged, f->judged, strcmp(f->method, "ganesha") ? "windows" : "seconds", f->key,
	       f->method);
}

static void print_indictment(const struct paper_verdict *v, const struct paper_indictment *in,
			     size_t rank)
{
	char from[TIME_TEXT_LEN], to[TIME_TEXT_LEN];

	if (rank == 1)
		printf("\nfurther servers that meet the vote, by divergence over threshold:\n\n");
	if (rank)
		printf("%zu. ", rank + 1);
	if (in->rule->cause == CAUSE_NONE)
		printf("%s limps, and no cause is known\n", v->frame->nodes[in->node]);
	else
		printf("%s limps: %s\n", v->frame->nodes[in->node],
		       cause_table[in->rule->cause].word);
	printf("  rule %u: %s\n", in->rule->number, in->rule->why);
	printf("  from %s to %s\n", output_time(in->onset_ns, from), output_time(in->last_ns, to));
	for (size_t i = 0; i < in->n; i++)
		print_finding(v->frame, &v->judgement->findings[in->first + i]);
}

/* One more word of a list, wrapped under 100 columns. Returns the column after it. */
static size_t put(size_t column, const char *comma, const char *word)
{
	column += (size_t)printf("%s", comma);
	if (column + strlen(word) > 96)
		column = (size_t)printf("\n ") - 1;
	return column + (size_t)printf(" %s", word);
}

enum covered { COVERED_NOBODY, COVERED_ALIKE, COVERED_JUDGED };

static enum covered covered(const struct coverage *c)
{
	if (!c->judged)
		return COVERED_NOBODY;
	return c->alike == c->windows ? COVERED_ALIKE : COVERED_JUDGED;
}

/* "on       rkB/s, await": the metrics of one kind, and a notice; nothing if there is none. */
static void print_metrics(const char *what, const struct paper_verdict *v, enum covered kind,
			  const char *notice)
{
	const struct judgement *j = v->judgement;
	size_t column = 0;

	for (size_t i = 0; i < j->n_coverage; i++) {
		const char *comma = column ? "," : what;

		if (covered(&j->coverage[i]) == kind)
			column = put(column, comma,
				     frame_metric(v->frame, j->coverage[i].metric)->name);
	}
	if (column && notice)
		put(column, "", notice);
	if (column)
		printf("\n");
}

/* The first of n rows and all that follow in its group, as one list; returns how many. */
static size_t print_unjudged_group(const struct paper_verdict *v, const struct paper_unjudged *u,
				   size_t n)
{
	const struct judgement *j = v->judgement;
	size_t column = 0, rows = 0;
	char why[80];
	enum { SHOWN = 20 };

	column = (size_t)printf("not judged");
	for (size_t i = 0, k = 0; u->partly && i < j->n_coverage && i < 64; i++)
		if (u->coverage >> i & 1)
			column = put(column, k++ ? "," : " on",
				     frame_metric(v->frame, j->coverage[i].metric)->name);
	for (; rows < n && u[rows].partly == u->partly && !strcmp(u[rows].why, u->why) &&
	       (!u->partly || u[rows].coverage == u->coverage);
	     rows++)
		if (rows < SHOWN)
			column = put(column, rows ? "," : ":", u[rows].node);
	if (rows > SHOWN) {
		snprintf(why, sizeof(why), "and %zu more", rows - SHOWN);
		column = put(column, ",", why);
	}
	snprintf(why, sizeof(why), "(%s)", u->why);
	put(column, "", why);
	printf("\n");
	return rows;
}

static void print_unjudged(const struct paper_verdict *v)
{
	size_t at = 0;
	enum { GROUPS = 10 };

	for (int i = 0; i < GROUPS && at < v->n_unjudged; i++)
		at += print_unjudged_group(v, v->unjudged + at, v->n_unjudged - at);
	if (at < v->n_unjudged)
		printf("not judged on other metrics: %zu more (--json has them all)\n",
		       v->n_unjudged - at);
}

/* One threshold out of reach on every server is one line. */
static bool blind_everywhere(const struct paper_verdict *v, size_t first)
{
	const struct judgement *j = v->judgement;
	size_t n = 0;

	while (first + n < j->n_blind && j->blind[first + n].metric == j->blind[first].metric &&
	       j->blind[first + n].threshold == j->blind[first].threshold)
		n++;
	return n > 1 && n == v->frame->n_nodes;
}

static void print_blind(const struct paper_verdict *v)
{
	const struct judgement *j = v->judgement;
	size_t lines = 0;
	enum { SHOWN = 20 };

	for (size_t i = 0; i < j->n_blind && lines < SHOWN; i++, lines++) {
		const struct blind *b = &j->blind[i];

		if (blind_everywhere(v, i)) {
			printf("blind to %s on every server: threshold %.2f",
			       frame_metric(v->frame, b->metric)->name, b->threshold);
			if (b->most > 0)
				printf(", the largest possible is %.2f", b->most);
			printf("\n");
			i += v->frame->n_nodes - 1;
			continue;
		}
		printf("blind to %s on %s: threshold %.2f", frame_metric(v->frame, b->metric)->name,
		       v->frame->nodes[b->node], b->threshold);
		if (b->most > 0)
			printf(", the largest possible divergence is %.2f", b->most);
		printf("\n");
	}
	if (lines == SHOWN && j->n_blind > SHOWN)
		printf("and more (--json has all %zu)\n", j->n_blind);
}

static bool judged_by(const struct paper_verdict *v, const char *method)
{
	for (size_t i = 0; i < v->judgement->n_coverage; i++)
		if (!strcmp(v->judgement->coverage[i].method, method))
			return true;
	return false;
}

static void print_methods(const struct paper_verdict *v)
{
	const struct params *p = &v->model->params;
	const struct judgement *j = v->judgement;
	const struct ganesha *g = v->model->ganesha;

	if (judged_by(v, "kl") || judged_by(v, "cwnd"))
		printf("method   window %u, shift %u, smoothed over %u (cwnd: %u), %u bins; %u of "
		       "%u "
		       "windows; %s\n",
		       p->window, p->shift, p->smooth, p->cwnd_smooth, p->bins, j->votes,
		       2 * j->votes - 1, j->two_sided ? "two-sided" : "worse only");
	if (p->partition && judged_by(v, "kl"))
		printf("         each server against %u others, drawn anew in each window\n",
		       p->partition);
	if (g && judged_by(v, "ganesha")) {
		printf("ganesha  %zu profiles of %zu metrics, threshold %.3f; ", g->k, g->d,
		       g->distance * p->slack);
		if (j->weighted)
			printf("weighted count of alarms over %.2f\n", g->alarm_count);
		else
			printf("%u alarms in a row\n", g->consecutive);
	}
}

/* What the closed form of the thresholds means for false alarms. */
static void print_chance(const struct paper_verdict *v)
{
	if (!judged_by(v, "kl"))
		return;
	printf("by chance: trained for r = %.2f times the judged time, some healthy server of %zu "
	       "has "
	       "an odd\n  window with probability about 1 - (r/(r+1))^n = %.2f per metric at slack "
	       "1; that alone is no\n  alarm: an indictment needs %u of %u windows\n",
	       v->runs, v->n_judged, v->odd, v->judgement->votes, 2 * v->judgement->votes - 1);
}

static void print_trust(const struct paper_verdict *v)
{
	const struct model *m = v->model;
	const struct params *p = &m->params;
	char from[TIME_TEXT_LEN], to[TIME_TEXT_LEN], of[32] = "";

	if (v->n_judged < m->n_nodes)
		snprintf(of, sizeof(of), " of %zu", m->n_nodes);
	printf("\njudged   %s to %s, %zu%s servers, %zu windows\n",
	       output_time(v->frame->first_ns, from),
	       output_time(frame_time(v->frame, v->frame->n_times), to), v->n_judged, of,
	       v->judgement->n_useful);
	if (m->n_trained || m->ganesha)
		printf("trained  %s to %s, %zu windows, slack %g\n", output_time(m->from_ns, from),
		       output_time(m->to_ns, to), m->n_windows, p->slack);
	else
		printf("trained  not at all; windows of %u intervals, shift %u; %u of %u windows\n",
		       p->window, p->shift, v->judgement->votes, 2 * v->judgement->votes - 1);
	print_methods(v);
	print_metrics("on      ", v, COVERED_JUDGED, NULL);
	print_metrics("no difference in", v, COVERED_ALIKE,
		      "(all servers alike, within the floor)");
	print_metrics("abstain ", v, COVERED_NOBODY, NULL);
	print_unjudged(v);
	print_blind(v);
	frame_report(v->frame);
	print_chance(v);
}

void paper_verdict_text(const struct paper_verdict *v)
{
	if (v->cannot) {
		print_unjudged(v);
		return;
	}
	if (!v->n_indicted && paper_verdict_incomplete(v))
		printf("no server limps, of the %zu that could be judged\n", v->n_judged);
	else if (!v->n_indicted)
		printf("no server limps\n");
	for (size_t i = 0; i < v->n_indicted; i++)
		print_indictment(v, &v->indicted[i], i);
	print_trust(v);
}
