// SPDX-License-Identifier: BSD-2-Clause
/* svg.h: the frame of drawings, their text, keys, bars and axes of time. */
#include "svg.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "html.h"

/* Fills are Okabe and Ito's, which those who see colours otherwise tell apart; lighter on dark. */
static const char style[] =
	".flow{--paper:#fffffc;--ink:#1b1b1a;--soft:#5c5c58;--rule:#d9d8d2;--f0:#0072b2;"
	"--f1:#cbc9c0;--f2:#56b4e9;--f3:#009e73;--f4:#cc79a7;--f5:#e69f00;--f6:#d55e00;"
	"--f7:#8a6d00;--d1:#f6ddb0;--d2:#efb36a;--d3:#e2772e;--d4:#b8400c;--d5:#641c06;"
	"display:block;font:12px system-ui,'Noto Sans','Liberation Sans',sans-serif;"
	"font-variant-numeric:tabular-nums}"
	"@media(prefers-color-scheme:dark){.flow{--paper:#161615;--ink:#ecece6;--soft:#a5a59e;"
	"--rule:#3a3a37;--f0:#4aa3df;--f1:#5c5c57;--f2:#9bd6f5;--f3:#35c79a;--f4:#e09cc3;"
	"--f5:#f0b53a;--f6:#ff8a4c;--f7:#cdb23f;--d1:#4a3720;--d2:#7d521f;--d3:#c26a26;"
	"--d4:#ff9863;--d5:#ffe2c8}}"
	"@media print{.flow{--paper:#fff;--ink:#000;--soft:#444}}"
	".flow text{fill:var(--ink)}.flow .soft{fill:var(--soft)}.flow .bold{font-weight:600}"
	".flow .paper{fill:var(--paper)}"
	".flow .tick{stroke:var(--soft);stroke-width:1;stroke-opacity:.35;pointer-events:none}"
	".f0{fill:var(--f0)}.f1{fill:var(--f1)}.f2{fill:var(--f2)}.f3{fill:var(--f3)}"
	".f4{fill:var(--f4)}.f5{fill:var(--f5)}.f6{fill:var(--f6)}.f7{fill:var(--f7)}"
	".d1{fill:var(--d1)}.d2{fill:var(--d2)}.d3{fill:var(--d3)}.d4{fill:var(--d4)}"
	".d5{fill:var(--d5)}.d0{fill:var(--rule);fill-opacity:.35}"
	".path{stroke:var(--ink);stroke-width:1.5}";

const char *svg_sheet(void)
{
	return style;
}

void svg_style(FILE *to)
{
	fprintf(to, "<style>%s</style>\n", style);
}

int svg_begin(struct svg *d)
{
	*d = (struct svg){0};
	d->body = open_memstream(&d->text, &d->len);
	return d->body ? 0 : -ENOMEM;
}

int svg_end(struct svg *d, FILE *to, const char *title, bool alone)
{
	bool failed = !d->body || ferror(d->body);

	if (d->body)
		failed |= fclose(d->body) != 0;
	d->body = NULL;
	if (!failed) {
		fprintf(to,
			"<svg %sclass=\"flow\" role=\"img\" width=\"100%%\" "
			"height=\"%.0f\">\n<title>",
			alone ? "xmlns=\"http://www.w3.org/2000/svg\" " : "",
			d->y + (alone ? 24 : 0));
		html_text(to, title);
		fputs("</title>\n", to);
		if (alone) {
			svg_style(to);
			fputs("<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n"
			      "<svg x=\"2%\" y=\"12\" width=\"96%\">\n",
			      to);
		}
		fwrite(d->text, 1, d->len, to);
		fputs(alone ? "</svg>\n</svg>\n" : "</svg>\n", to);
	}
	free(d->text);
	d->text = NULL;
	return failed ? -ENOMEM : 0;
}

static void put_text(struct svg *d, double x, enum svg_letter letter, const char *format,
		     va_list args)
{
	static const char *const classes[] = {
		[SVG_PLAIN] = "", [SVG_BOLD] = " class=\"bold\"", [SVG_SOFT] = " class=\"soft\""};

	if (!d->body)
		return;
	fprintf(d->body, "<text x=\"%.2f%%\" y=\"%.1f\"%s>", x, d->y + SVG_LINE - 4,
		classes[letter]);
	html_vsay(d->body, format, args);
	fputs("</text>\n", d->body);
}

void svg_label(struct svg *d, double x, enum svg_letter letter, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_text(d, x, letter, format, args);
	va_end(args);
}

void svg_text(struct svg *d, double x, enum svg_letter letter, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_text(d, x, letter, format, args);
	va_end(args);
	d->y += SVG_LINE;
}

void svg_keys(struct svg *d, const struct svg_key *k, size_t n)
{
	enum { COLUMNS = 3, SQUARE = 9 };

	for (size_t i = 0; i < n && d->body; i++) {
		double x = 100.0 / COLUMNS * (double)(i % COLUMNS);

		fprintf(d->body,
			"<svg x=\"%.0f%%\" y=\"%.1f\" width=\"%d%%\" height=\"%d\"><rect "
			"class=\"%s\" "
			"y=\"3\" width=\"%d\" height=\"%d\"/><text x=\"%d\" y=\"%d\">",
			x, d->y, 100 / COLUMNS, SVG_LINE, k[i].class, SQUARE, SQUARE, SQUARE + 5,
			SVG_LINE - 4);
		html_text(d->body, k[i].words);
		fputs("</text></svg>\n", d->body);
		if (i % COLUMNS == COLUMNS - 1 || i + 1 == n)
			d->y += SVG_LINE;
	}
}

const char *svg_level(double part, double most)
{
	static const char *const classes[SVG_LEVELS + 1] = {"d0", "d1", "d2", "d3", "d4", "d5"};

	return classes[part > 0 ? (int)fmin(ceil(SVG_LEVELS * part / most), SVG_LEVELS) : 0];
}

void svg_bar(struct svg *d, const char *class, double x, double to_x, double y, double height)
{
	if (!d->body)
		return;
	/* what is shorter than a pixel of a wide page is drawn as one */
	fprintf(d->body,
		"<rect class=\"%s\" x=\"%.3f%%\" y=\"%.4g\" width=\"%.3f%%\" height=\"%.4g\">",
		class, x, y, fmax(to_x - x, 0.07), height);
}

void svg_bar_title(struct svg *d, const char *format, ...)
{
	va_list args;

	if (!d->body)
		return;
	fputs("<title>", d->body);
	va_start(args, format);
	html_vsay(d->body, format, args);
	va_end(args);
	fputs("</title></rect>\n", d->body);
}

/* A round number of seconds, so that there are at most six of them. */
static double step_of(double span_s)
{
	static const double round[] = {1, 2, 5};
	double ten = 1e-3;

	if (!(span_s > 0))
		return 1;
	for (;; ten *= 10)
		for (size_t i = 0; i < sizeof(round) / sizeof(*round); i++)
			if (span_s / (round[i] * ten) <= 6)
				return round[i] * ten;
}

void svg_seconds(struct svg *d, double from_s, double to_s, double y)
{
	double step = step_of(to_s - from_s);
	char words[SVG_WORDS];

	for (double t = ceil(from_s / step) * step; d->body && to_s > from_s && t <= to_s;
	     t += step) {
		double at = 100 * (t - from_s) / (to_s - from_s);

		fprintf(d->body,
			"<line class=\"tick\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%.1f\" "
			"y2=\"%.1f\"/>\n",
			at, at, y, d->y + 3);
		/* at the edges a label would be cut */
		if (at > 95)
			continue;
		fprintf(d->body, "<text class=\"soft\" x=\"%.2f%%\" y=\"%.1f\"%s>%s</text>\n", at,
			d->y + SVG_LINE - 1, at < 3 ? "" : " text-anchor=\"middle\"",
			svg_span(t, words));
	}
	d->y += SVG_LINE + 4;
}

const char *svg_bytes(double bytes, char buf[SVG_WORDS])
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
	size_t u = 0;

	if (!isfinite(bytes))
		return "-";
	for (; bytes >= 999.5 && u + 1 < sizeof(units) / sizeof(*units); u++)
		bytes /= 1000;
	snprintf(buf, SVG_WORDS, "%.3g %s", bytes, units[u]);
	return buf;
}

const char *svg_span(double s, char buf[SVG_WORDS])
{
	if (!isfinite(s))
		return "-";
	if (s < 1 && s > 0)
		snprintf(buf, SVG_WORDS, "%.3g s", s);
	else if (s < 6000)
		snprintf(buf, SVG_WORDS, s < 100 && s != floor(s) ? "%.1f s" : "%.0f s", s);
	else
		snprintf(buf, SVG_WORDS, "%.0f min", s / 60);
	return buf;
}
