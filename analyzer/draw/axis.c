// SPDX-License-Identifier: BSD-2-Clause
/* axis.h: logarithmic axes, and labels of time. */
#include "axis.h"

#include <math.h>
#include <time.h>

#include "html.h"
#include "userspace/common/clock.h"
#include "userspace/common/text.h"
#include "userspace/common/times.h"

struct axis axis_start(double c, int begin, int end)
{
	return (struct axis){.c = c, .lo = INFINITY, .hi = -INFINITY, .begin = begin, .end = end};
}

void axis_take(struct axis *a, double v)
{
	if (!(v + a->c > 0) || !isfinite(v))
		return;
	a->lo = fmin(a->lo, log(v + a->c));
	a->hi = fmax(a->hi, log(v + a->c));
}

void axis_finish(struct axis *a)
{
	double middle, half;

	if (!(a->lo <= a->hi))
		a->lo = a->hi = log(a->c > 0 ? a->c : 1);
	middle = (a->lo + a->hi) / 2;
	half = fmax(1.04 * (a->hi - a->lo), log(2)) / 2;
	a->lo = middle - half;
	a->hi = middle + half;
	/* nothing is less than nothing */
	if (a->c > 0)
		a->lo = fmax(a->lo, log(a->c));
}

double axis_at(const struct axis *a, double v)
{
	double part = (log(fmax(v + a->c, 1e-300)) - a->lo) / (a->hi - a->lo);

	return a->begin + fmin(fmax(part, 0), 1) * (a->end - a->begin);
}

static void try_tick(const struct axis *a, double v, double apart, double *out, size_t *n)
{
	if (*n == AXIS_TICKS || !(v + a->c > 0) || log(v + a->c) < a->lo - 1e-9 ||
	    log(v + a->c) > a->hi + 1e-9)
		return;
	for (size_t i = 0; i < *n; i++)
		if (fabs(axis_at(a, out[i]) - axis_at(a, v)) < apart)
			return;
	out[(*n)++] = v;
}

size_t axis_ticks(const struct axis *a, double apart, double out[AXIS_TICKS])
{
	static const double round[] = {1, 3, 5, 2, 1.5, 7, 4, 6, 8, 9, 2.5};
	size_t n = 0;
	int last = (int)ceil(a->hi / log(10)), first = last - 12;

	if (a->c > 0)
		try_tick(a, 0, apart, out, &n);
	for (size_t i = 0; i < sizeof(round) / sizeof(*round); i++)
		for (int k = last; k >= first; k--)
			try_tick(a, round[i] * pow(10, k), apart, out, &n);
	return n;
}

static const char *axis_label(double v, char buf[32])
{
	const char *unit = "";

	if (v >= 1e6) {
		unit = v >= 1e9 ? TEXT_TIE "G" : TEXT_TIE "M";
		v /= v >= 1e9 ? 1e9 : 1e6;
	}
	if (v >= 1000)
		snprintf(buf, 32, "%.0f%s", v, unit);
	else
		snprintf(buf, 32, "%.4g%s", v, unit);
	return buf;
}

void axis_labels_begin(FILE *to)
{
	fputs("<svg class=\"labels\" aria-hidden=\"true\">", to);
}

void axis_labels_end(FILE *to)
{
	fputs("</svg>\n", to);
}

void axis_values(FILE *to, const struct axis *a, const double *ticks, size_t n, char class)
{
	char label[32];

	for (size_t i = 0; i < n; i++) {
		if (class == 'x')
			fprintf(to, "<text class=\"x\" x=\"%.2f%%\" y=\"100%%\" dy=\"1.2em\">",
				axis_at(a, ticks[i]) / 10);
		else
			fprintf(to, "<text class=\"y\" y=\"%.2f%%\" dx=\"-.45em\" dy=\".35em\">",
				axis_at(a, ticks[i]) / 10);
		html_text(to, axis_label(ticks[i], label));
		fprintf(to, "</text>");
	}
}

/* ---- time ----------------------------------------------------------------------------------------- */

enum { MAX_LABELS = 6 };

static int64_t step_of(double span_s)
{
	static const int steps[] = {1,	 2,    5,    10,   20,	  30,	 60,	120,   300,   600,
				    900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800};
	const size_t n = sizeof(steps) / sizeof(*steps);
	int64_t step = steps[n - 1];

	for (size_t i = 0; i < n; i++)
		if (span_s / steps[i] <= MAX_LABELS)
			return steps[i];
	while (span_s / (double)step > MAX_LABELS)
		step *= 2;
	return step;
}

void axis_time(FILE *to, int64_t from_ns, int64_t to_ns)
{
	double span_s = s_of_ns(to_ns - from_ns);
	int64_t step = step_of(span_s), first = from_ns / NS_PER_S;
	int odd = 0;
	struct tm tm;

	time_shown(first, &tm);
	/* full hours are those of the zone */
	first = (first + tm.tm_gmtoff) / step * step - tm.tm_gmtoff;
	for (int64_t t = first; t * NS_PER_S <= to_ns; t += step) {
		double at = 100 * (double)(t * NS_PER_S - from_ns) / (double)(to_ns - from_ns);
		char text[64];

		if (at < 2 || at > 98)
			continue;
		time_shown(t, &tm);
		if (step < 60)
			strftime(text, sizeof(text), "%H:%M:%S", &tm);
		else if (span_s > 86400)
			strftime(text, sizeof(text), "%m-%d %H:%M", &tm);
		else
			strftime(text, sizeof(text), "%H:%M", &tm);
		fprintf(to, "<text class=\"x%s\" x=\"%.2f%%\" y=\"100%%\" dy=\"1.2em\">%s</text>",
			odd++ % 2 ? " odd-tick" : "", at, text);
	}
}
