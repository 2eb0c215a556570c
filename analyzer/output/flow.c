// SPDX-License-Identifier: BSD-2-Clause
/* flow.h: words over lines. */
#include "flow.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "userspace/second/second.h"
#include "userspace/common/output.h"
#include "userspace/common/clock.h"

enum { WIDTH = 96 };

static void next_line(struct flow *f)
{
	printf("\n%*s", (int)f->hang, "");
	f->column = f->hang;
	f->begun = false;
}

static void put_word(struct flow *f, const char *at, size_t len)
{
	bool glued = f->begun && strchr(";:,)", *at);

	if (f->begun && !glued && f->column + 1 + len > WIDTH)
		next_line(f);
	if (f->begun && !glued)
		f->column += (size_t)printf(" ");
	for (size_t i = 0; i < len; i++) {
		if (f->column > WIDTH) /* a word longer than a line */
			next_line(f);
		putchar(at[i] >= '!' && at[i] <= '~' ? at[i] : at[i] == *TIE ? ' ' : '?');
		f->column++;
	}
	f->begun = true;
}

void flow_text(struct flow *f, const char *text)
{
	while (*(text += strspn(text, " "))) {
		size_t len = strcspn(text, " ");

		put_word(f, text, len);
		text += len;
	}
}

void flow(struct flow *f, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	flow_text(f, text);
}

struct flow flow_start(size_t first, size_t hang)
{
	printf("%*s", (int)first, "");
	return (struct flow){.column = first, .hang = hang};
}

struct flow flow_label(const char *label, size_t hang)
{
	printf("%-*s", (int)hang, label);
	return (struct flow){.column = hang, .hang = hang};
}

void flow_end(void)
{
	printf("\n");
}

void flow_say(size_t first, size_t hang, const char *format, ...)
{
	struct flow f = flow_start(first, hang);
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	flow_text(&f, text);
	flow_end();
}

/* "31.4 ms"; "-": not known. */
const char *words_value(const struct verdict_signal *s, double v, char buf[WORDS_LEN])
{
	if (!isfinite(v))
		return "-";
	if (fabs(v) < 1e15)
		snprintf(buf, WORDS_LEN, "%.*f%s%s", s->decimals, v, *s->unit ? TIE : "", s->unit);
	else
		snprintf(buf, WORDS_LEN, "%.3g%s%s", v, *s->unit ? TIE : "", s->unit);
	return buf;
}

/* "3.20 x" */
const char *words_ratio(double r, char buf[WORDS_LEN])
{
	if (!isfinite(r))
		return "-";
	if (fabs(r) < 1e6)
		snprintf(buf, WORDS_LEN, "%.*f" TIE "x", r < 10 ? 2 : r < 100 ? 1 : 0, r);
	else
		snprintf(buf, WORDS_LEN, "%.2g" TIE "x", r);
	return buf;
}

const char *words_score(double z, char buf[WORDS_LEN])
{
	if (!isfinite(z))
		return "-";
	snprintf(buf, WORDS_LEN, fabs(z) < 1000 ? "%.1f" : "%.3g", z);
	return buf;
}

/* "50 s", "12 min", "3 h 20 min" */
const char *words_span(int64_t ns, char buf[WORDS_LEN])
{
	long long s = ns > 0 ? (long long)(ns / NS_PER_S) : 0;

	if (s < 600)
		snprintf(buf, WORDS_LEN, "%lld" TIE "s", s);
	else if (s < 36000)
		snprintf(buf, WORDS_LEN, "%lld" TIE "min", (s + 30) / 60);
	else
		snprintf(buf, WORDS_LEN, "%lld" TIE "h", (s + 1800) / 3600);
	return buf;
}

/* "read latency of sdb" */
const char *words_signal(const struct verdict_signal *s, const char *disk, char buf[WORDS_LEN])
{
	char clean[INSTANCE_LEN];

	output_clean(disk, clean, sizeof(clean));
	snprintf(buf, WORDS_LEN, "%s%s%s", s->name, *clean ? " of " : "", clean);
	return buf;
}
