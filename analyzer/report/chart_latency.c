// SPDX-License-Identifier: BSD-2-Clause
/* Latency distributions of one server and of its peers, in the worst window. */
#include "page.h"

#include <math.h>

#include "analyzer/draw/axis.h"
#include "html.h"
#include "userspace/common/output.h"
#include "analyzer/output/flow.h"
#include "userspace/common/clock.h"

enum { TOP = 50, BOTTOM = 1000 };

static double ms_of(double unit)
{
	return unit * (1 << LAT_SHIFT) / 1e6;
}

/* Where a bucket ends, ms. */
static double end_of(size_t bucket)
{
	return ms_of((double)bucket_low((unsigned int)bucket + 1, LAT_SUB_BITS));
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

static double y_of(double share)
{
	return BOTTOM + share * (TOP - BOTTOM);
}

static void draw(FILE *to, const struct axis *x, const float *share, const char *class)
{
	bool down = false;
	float last = -1;

	fprintf(to, "<path class=\"%s\" d=\"", class);
	for (size_t b = 0; b < LAT_BUCKETS; b++) {
		/* what does not rise needs only its ends */
		if (b + 1 < LAT_BUCKETS && share[b] == last && share[b + 1] == last)
			continue;
		last = share[b];
		fprintf(to, "%c%.1f %.1f", down ? 'L' : 'M', axis_at(x, end_of(b)), y_of(share[b]));
		down = true;
	}
	fprintf(to, "\"/>\n");
}

static void draw_band(FILE *to, const struct axis *x, const struct history_dist *d)
{
	fprintf(to, "<path class=\"band\" d=\"");
	for (size_t b = 0; b < LAT_BUCKETS; b++)
		fprintf(to, "%c%.1f %.1f", b ? 'L' : 'M', axis_at(x, end_of(b)), y_of(d->high[b]));
	for (size_t b = LAT_BUCKETS; b > 0; b--)
		fprintf(to, "L%.1f %.1f", axis_at(x, end_of(b - 1)), y_of(d->low[b - 1]));
	fprintf(to, "z\"/>\n");
}

static void put_quantile(FILE *to, const struct verdict_signal *s, const struct history_dist *d,
			 double q, const char *what)
{
	char a[WORDS_LEN], b[WORDS_LEN];

	html_say(to, "%s within %s (peers %s)", what, words_value(s, quantile(d->own, q), a),
		 words_value(s, quantile(d->peers, q), b));
}

static void put_words(FILE *to, const struct report *r, const struct history_dist *d)
{
	const struct verdict_signal *s = verdict_signal(r->a, d->signal);
	char name[WORDS_LEN], t[TIME_TEXT_LEN];

	fprintf(to, "<figcaption><h3>");
	html_say(to, "%s: distribution", words_signal(s, d->disk, name));
	fprintf(to, "</h3>share of requests that took at most so many ms, logarithmic; ");
	html_say(to, "%g" TIE "s from %s. ", s_of_ns(d->to_ns - d->from_ns),
		 output_time(d->from_ns, t));
	put_quantile(to, s, d, 0.5, "Half of them");
	put_quantile(to, s, d, 0.99, "; 99" TIE "%");
	fprintf(to, ".</figcaption>\n");
	report_key(to, verdict_node(r->a, d->node), d->n_peers, "all their requests", false);
}

static struct axis range(const float *own, const float *peers)
{
	struct axis x = axis_start(0, 0, 1000);

	for (size_t b = 0; b < LAT_BUCKETS; b++)
		if ((own[b] > 0.002 && (!b || own[b - 1] < 0.9995)) ||
		    (peers[b] > 0.002 && (!b || peers[b - 1] < 0.9995)))
			axis_take(&x, end_of(b));
	axis_finish(&x);
	return x;
}

void report_latency(FILE *to, const struct report *r, const struct history_dist *d)
{
	static const int parts[] = {0, 25, 50, 75, 99};
	float own[LAT_BUCKETS], peers[LAT_BUCKETS];
	double ticks[AXIS_TICKS];
	char label[32];
	struct axis x;
	size_t n;

	shares(d->own, own);
	shares(d->peers, peers);
	x = range(own, peers);
	n = axis_ticks(&x, 90, ticks);
	fprintf(to, "<figure>\n");
	put_words(to, r, d);
	fprintf(to,
		"<div class=\"plot\"><svg viewBox=\"0 0 1000 1000\" "
		"preserveAspectRatio=\"none\" role=\"img\"><title>Latency distribution</title>\n"
		"<path class=\"grid\" d=\"");
	for (size_t i = 0; i < 5; i++)
		fprintf(to, "M0 %.1fH1000", y_of(parts[i] / 100.0));
	fprintf(to, "\"/>\n");
	draw_band(to, &x, d);
	draw(to, &x, peers, "med");
	draw(to, &x, own, "own");
	fprintf(to,
		"<path class=\"dot\" d=\"M%.1f %.1fh.1M%.1f %.1fh.1\"/>\n"
		"<path class=\"dot peer\" d=\"M%.1f %.1fh.1M%.1f %.1fh.1\"/>\n</svg>\n",
		axis_at(&x, quantile(d->own, 0.5)), y_of(0.5), axis_at(&x, quantile(d->own, 0.99)),
		y_of(0.99), axis_at(&x, quantile(d->peers, 0.5)), y_of(0.5),
		axis_at(&x, quantile(d->peers, 0.99)), y_of(0.99));
	for (size_t i = 0; i < 5; i++)
		fprintf(to, "<span class=\"y\" style=\"top:%.2f%%\">%d&nbsp;%%</span>",
			y_of(parts[i] / 100.0) / 10, parts[i]);
	for (size_t i = 0; i < n; i++) {
		fprintf(to, "<span class=\"x\" style=\"left:%.2f%%\">", axis_at(&x, ticks[i]) / 10);
		html_text(to, axis_label(ticks[i], label));
		fprintf(to, "</span>");
	}
	fprintf(to, "</div>\n</figure>\n");
}
