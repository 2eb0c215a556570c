// SPDX-License-Identifier: BSD-2-Clause
/* What the charts of a report show: a signal of one server over time, and the distribution of a latency. */
#include "page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/draw/chart.h"
#include "analyzer/output/words.h"
#include "userspace/common/clock.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"

/* ---- over time -------------------------------------------------------------------------------------- */

/* Where a peer is in this column. Its latency was compared under its own load: what counts is its ratio
 * to its peers, here on top of what this server was compared with. */
static double peer_value(const struct verdict_signal *s, const struct history_cell *own,
			 const struct history_cell *peer)
{
	if (!s->relative)
		return peer->value;
	return (double)own->peers * peer->value / peer->peers;
}

/* Of several intervals each server has the one that was worst for it, and so have its peers: their median is of these. */
static bool is_folded(const struct report *r)
{
	return s_of_ns(r->h->bin_ns) > 1.5 * r->a->interval_s;
}

static void fill_column(const struct report *r, const struct history_row *row, const size_t *others,
			size_t n, double *v, size_t c, struct chart_lines *l)
{
	const struct verdict_signal *s = verdict_signal(r->a, row->signal);
	const struct history_cell *own = &row->at[c];
	size_t m = 0, cut;

	l->own[c] = l->med[c] = l->low[c] = l->high[c] = NAN;
	if (!own->marks)
		return;
	l->own[c] = own->value;
	l->med[c] = own->peers;
	for (size_t i = 0; i < n; i++) {
		const struct history_cell *peer = &r->h->rows[others[i]].at[c];
		double x = peer->marks ? peer_value(s, own, peer) : NAN;

		if (isfinite(x))
			v[m++] = x;
	}
	if (m > l->peers)
		l->peers = m;
	if (!m)
		return;
	sort(v, m, by_double);
	cut = m > HISTORY_ALL ? m / 10 : 0;
	l->low[c] = v[cut];
	l->high[c] = v[m - 1 - cut];
	if (is_folded(r))
		l->med[c] = (v[(m - 1) / 2] + v[m / 2]) / 2;
}

int report_lines(const struct report *r, const struct history_row *row, struct chart_lines *l)
{
	size_t *others = malloc((r->h->n_rows + 1) * sizeof(*others)), n = 0;
	double *v = malloc((r->h->n_rows + 1) * sizeof(*v));

	for (size_t i = 0; i < r->h->n_rows && others && r->bands; i++)
		if (&r->h->rows[i] != row && r->h->rows[i].set == row->set &&
		    row->set != SIZE_MAX && !report_incident(r->a, r->h->rows[i].node))
			others[n++] = i;
	for (size_t c = 0; c < r->h->columns && others && v; c++)
		fill_column(r, row, others, n, v, c, l);
	for (size_t c = 0; c < r->h->columns; c++)
		l->flagged[c] = (row->at[c].marks & MARK_FLAGGED) != 0;
	free(v);
	free(others);
	return others && v ? 0 : -ENOMEM;
}

/* The worst column in words. */
static void describe(struct text *text, const struct report *r, const struct history_row *row)
{
	const struct verdict_signal *s = verdict_signal(r->a, row->signal);
	const struct history_cell *w = &row->at[row->worst];
	char a[WORDS_LEN], b[WORDS_LEN], t[TIME_TEXT_LEN];

	text_add(text, "At its worst, near %s: %s, peers' median %s.",
		 output_time(r->h->first_ns + (int64_t)row->worst * r->h->bin_ns, t),
		 words_value(s, w->value, a), words_value(s, w->peers, b));
}

static void date(struct chart_time *c, const struct finding *e)
{
	c->dated = true;
	if (!e->chronic)
		c->events[0] = (struct chart_event){"onset", e->onset_ns};
	if (e->decided_ns)
		c->events[1] = (struct chart_event){"decided", e->decided_ns};
}

void report_time(FILE *to, const struct report *r, const struct history_row *row,
		 const struct finding *e)
{
	const struct verdict_signal *s = verdict_signal(r->a, row->signal);
	const char *node = verdict_node(r->a, row->node);
	struct chart_lines *l = calloc(1, sizeof(*l));
	struct text title TEXT_SCOPED = {0}, text TEXT_SCOPED = {0};
	char heading[WORDS_LEN];
	struct chart_time c;

	/* without memory nothing is drawn */
	if (!l || report_lines(r, row, l)) {
		free(l);
		return;
	}
	words_signal(s, row->disk, heading);
	text_add(&title, "%s: %s over time", node, heading);
	describe(&text, r, row);
	c = (struct chart_time){
		.heading = heading,
		.unit = *s->unit ? s->unit : "as recorded",
		.title = text_of(&title),
		.text = text_of(&text),
		.key = {.name = node,
			.peers = l->peers,
			.most = l->peers > HISTORY_ALL,
			.median = "their median"},
		.span = {r->h->first_ns, r->h->bin_ns, r->h->columns},
		.own = l->own,
		.median = l->med,
		.low = l->low,
		.high = l->high,
		.flagged = l->flagged,
		.linear = s->linear,
	};
	for (size_t i = 0; i < r->h->columns; i++)
		c.key.flagged |= l->flagged[i];
	if (e)
		date(&c, e);
	chart_time(to, &c);
	free(l);
}

/* ---- distributions ---------------------------------------------------------------------------------- */

static double ms_of(double unit)
{
	return unit * (1 << LAT_SHIFT) / 1e6;
}

static double quantile(const uint64_t *at, double q)
{
	return ms_of(hist_quantile(at, 0, LAT_BUCKETS, LAT_SUB_BITS, q));
}

static void shares(const uint64_t *at, float out[LAT_BUCKETS])
{
	double all = 0, sum = 0;

	for (size_t b = 0; b < LAT_BUCKETS; b++)
		all += (double)at[b];
	for (size_t b = 0; b < LAT_BUCKETS; b++) {
		sum += (double)at[b];
		out[b] = all > 0 ? (float)(sum / all) : 0;
	}
}

static void caption(struct text *text, const struct verdict_signal *s, const struct history_dist *d)
{
	char t[TIME_TEXT_LEN], half[WORDS_LEN], half_of[WORDS_LEN], most[WORDS_LEN],
		most_of[WORDS_LEN];

	text_add(text,
		 "share of requests that took at most so many ms, logarithmic; %g" TEXT_TIE
		 "s from %s. "
		 "Half of them within %s (peers %s); 99" TEXT_TIE "%% within %s (peers %s).",
		 s_of_ns(d->to_ns - d->from_ns), output_time(d->from_ns, t),
		 words_value(s, quantile(d->own, 0.5), half),
		 words_value(s, quantile(d->peers, 0.5), half_of),
		 words_value(s, quantile(d->own, 0.99), most),
		 words_value(s, quantile(d->peers, 0.99), most_of));
}

void report_latency(FILE *to, const struct report *r, const struct history_dist *d)
{
	const struct verdict_signal *s = verdict_signal(r->a, d->signal);
	struct text heading TEXT_SCOPED = {0}, text TEXT_SCOPED = {0};
	char name[WORDS_LEN];
	float own[LAT_BUCKETS], peers[LAT_BUCKETS];
	double end[LAT_BUCKETS];

	shares(d->own, own);
	shares(d->peers, peers);
	for (unsigned int b = 0; b < LAT_BUCKETS; b++)
		end[b] = ms_of((double)bucket_low(b + 1, LAT_SUB_BITS));
	text_add(&heading, "%s: distribution", words_signal(s, d->disk, name));
	caption(&text, s, d);
	chart_latency(to, &(struct chart_latency){
				  .heading = text_of(&heading),
				  .caption = text_of(&text),
				  .key = {.name = verdict_node(r->a, d->node),
					  .peers = d->n_peers,
					  .most = d->n_peers > HISTORY_ALL,
					  .median = "all their requests"},
				  .n = LAT_BUCKETS,
				  .end = end,
				  .own = own,
				  .peers = peers,
				  .low = d->low,
				  .high = d->high,
				  .own_half = quantile(d->own, 0.5),
				  .own_most = quantile(d->own, 0.99),
				  .peers_half = quantile(d->peers, 0.5),
				  .peers_most = quantile(d->peers, 0.99),
			  });
}
