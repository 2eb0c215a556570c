// SPDX-License-Identifier: BSD-2-Clause
/* The two formats' differences in a table, and which of them to give. */
#include "metrics_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "clock.h"
#include "text_clean.h"

void mt_put(struct metrics_text *t, const char *s)
{
	text_put(&t->text, s);
}

/* A byte that is no text by its number, so that two names stay two. */
static char *put_character(char *to, const char *from, size_t len, size_t *n)
{
	char at[5] = "", shown[TEXT_SHOWN_LEN];

	memcpy(at, from, len < 4 ? len : 4);
	*n = text_shown(at, false, shown);
	if (!strcmp(shown, "?"))
		return to + sprintf(to, "\\\\x%02x", (unsigned char)*from);
	return stpcpy(to, shown);
}

char *mt_escape(char *to, const char *from, size_t len)
{
	for (size_t i = 0, n = 1; i < len; i += n, n = 1) {
		unsigned char c = (unsigned char)from[i];

		if (c == '\n')
			to = stpcpy(to, "\\n");
		else if (c < ' ' || c == 0x7f)
			to += sprintf(to, "\\\\x%02x", c);
		else if (c > 0x7f || c == '<')
			to = put_character(to, from + i, len - i, &n);
		else {
			if (c == '"' || c == '\\')
				*to++ = '\\';
			*to++ = (char)c;
		}
	}
	*to = 0;
	return to;
}

/* ---- families and samples ------------------------------------------------------------------ */

/* The older format names the samples of counters and infos in TYPE and HELP, and knows no info. */
static const struct {
	const char *name, *old_name, *suffix;
} types[] = {
	[MT_COUNTER] = {"counter", "counter", "_total"},
	[MT_GAUGE] = {"gauge", "gauge", ""},
	[MT_HISTOGRAM] = {"histogram", "histogram", ""},
	[MT_INFO] = {"info", "gauge", "_info"},
};

const char *mt_suffix(enum mt_type type)
{
	return types[type].suffix;
}

static void put_line(struct metrics_text *t, const char *what, const char *name, const char *suffix,
		     const char *value)
{
	text_add(&t->text, "%s%s%s %s\n", what, name, suffix, value);
}

void mt_family(struct metrics_text *t, const struct mt_family *f)
{
	bool old = t->format == FORMAT_PROMETHEUS;
	const char *suffix = old ? types[f->type].suffix : "";

	put_line(t, "# TYPE ", f->name, suffix,
		 old ? types[f->type].old_name : types[f->type].name);
	if (*f->unit && !old)
		put_line(t, "# UNIT ", f->name, suffix, f->unit);
	put_line(t, "# HELP ", f->name, suffix, f->help);
}

void mt_sample(struct metrics_text *t, const char *name, const char *suffix, const char *labels,
	       const char *more)
{
	mt_put(t, name);
	mt_put(t, suffix);
	if (*labels || *more) {
		mt_put(t, "{");
		mt_put(t, labels);
		mt_put(t, *labels && *more ? "," : "");
		mt_put(t, more);
		mt_put(t, "}");
	}
	mt_put(t, " ");
}

/* A label value of any length, in pieces. */
static void put_escaped(struct metrics_text *t, const char *value)
{
	char piece[MT_ESCAPED(128)];

	for (size_t n; *value; value += n) {
		n = strnlen(value, 128);
		/* no character is cut */
		for (int k = 0; k < 3 && ((unsigned char)value[n] & 0xc0) == 0x80; k++)
			n--;
		mt_escape(piece, value, n);
		mt_put(t, piece);
	}
}

void mt_labels(struct metrics_text *t, const char *name, const char *const (*labels)[2], size_t n)
{
	mt_put(t, name);
	for (size_t i = 0; i < n; i++) {
		mt_put(t, i ? "," : "{");
		mt_put(t, labels[i][0]);
		mt_put(t, "=\"");
		put_escaped(t, labels[i][1]);
		mt_put(t, "\"");
	}
	mt_put(t, n ? "} " : " ");
}

/* ---- values -------------------------------------------------------------------------------- */

void mt_u64(struct metrics_text *t, uint64_t v)
{
	char digits[24], *at = digits + sizeof(digits) - 2;

	memcpy(at, "\n", 2);
	do
		*--at = (char)('0' + v % 10);
	while (v /= 10);
	mt_put(t, at);
}

void mt_double(struct metrics_text *t, double v, int digits)
{
	text_add(&t->text, "%.*g\n", digits, v);
}

void mt_ns(struct metrics_text *t, uint64_t ns)
{
	text_add(&t->text, "%" PRIu64 ".%09" PRIu64 "\n", ns / NS_PER_S, ns % NS_PER_S);
}

char *mt_end(struct metrics_text *t, size_t *len)
{
	if (t->format == FORMAT_OPENMETRICS)
		mt_put(t, "# EOF\n");
	return text_take(&t->text, len);
}

/* ---- which format -------------------------------------------------------------------------- */

static const struct {
	const char *content_type, *media, *versions[3];
} formats[FORMATS] = {
	[FORMAT_OPENMETRICS] = {"application/openmetrics-text; version=1.0.0; charset=utf-8",
				"application/openmetrics-text",
				{"1.0.0", "0.0.1"}},
	[FORMAT_PROMETHEUS] = {"text/plain; version=0.0.4; charset=utf-8", "text/plain", {"0.0.4"}},
};

const char *openmetrics_content_type(enum openmetrics_format format)
{
	return formats[format].content_type;
}

/* The word at s, without blanks around, up to one of `ends`; moves s there. */
static const char *word(const char **s, const char *ends, size_t *len)
{
	const char *from = *s + strspn(*s, " \t");

	*s = from + strcspn(from, ends);
	*len = (size_t)(*s - from);
	while (*len && (from[*len - 1] == ' ' || from[*len - 1] == '\t'))
		(*len)--;
	return from;
}

static bool is(const char *w, size_t len, const char *what)
{
	return strlen(what) == len && !strncasecmp(w, what, len);
}

static bool version_fits(enum openmetrics_format format, const char *w, size_t len)
{
	if (len > 2 && *w == '"' && w[len - 1] == '"') {
		w++;
		len -= 2;
	}
	for (const char *const *v = formats[format].versions; *v; v++)
		if (is(w, len, *v))
			return true;
	return false;
}

/* The quality an Accept header gives to a format; 0: does not name it. */
static double quality(const char *accept, enum openmetrics_format format)
{
	double best = 0;

	while (*accept) {
		size_t len;
		const char *w = word(&accept, ",;", &len);
		bool fits = is(w, len, formats[format].media);
		double q = 1;

		while (*accept == ';') {
			accept++;
			w = word(&accept, ",;", &len);
			if (len > 2 && is(w, 2, "q="))
				q = atof(w + 2);
			else if (len > 8 && is(w, 8, "version="))
				fits &= version_fits(format, w + 8, len - 8);
		}
		if (fits && q > best)
			best = q;
		accept += *accept == ',';
	}
	return best;
}

enum openmetrics_format openmetrics_negotiate(const char *accept)
{
	double q = accept ? quality(accept, FORMAT_OPENMETRICS) : 0;

	return q > 0 && q >= quality(accept, FORMAT_PROMETHEUS) ? FORMAT_OPENMETRICS
								: FORMAT_PROMETHEUS;
}
