// SPDX-License-Identifier: BSD-2-Clause
/* text.h: text that grows, and paragraphs of it. */
#include "text.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "text_clean.h"

enum { WIDTH = 96 };

static atomic_int lost; /* texts that failed, of all threads, but for those that were taken */

bool text_lost(void)
{
	return lost > 0;
}

void text_fail(struct text *t)
{
	lost += !t->failed;
	t->failed = true;
}

void text_release(struct text *t)
{
	free(t->at);
	*t = (struct text){0};
}

void text_reset(struct text *t)
{
	t->len = 0;
	t->failed = false;
	if (t->at)
		*t->at = 0;
}

char *text_take(struct text *t, size_t *len)
{
	char *at;

	text_put(t, ""); /* a string, even of nothing */
	if (t->failed) {
		lost--;
		text_release(t);
	}
	if (len)
		*len = t->len;
	at = t->at;
	*t = (struct text){0};
	return at;
}

const char *text_from(const struct text *t, size_t from)
{
	return t->at ? t->at + (from < t->len ? from : t->len) : "";
}

const char *text_of(const struct text *t)
{
	return text_from(t, 0);
}

/* ---- additions -------------------------------------------------------------------------------------- */

static inline bool has_room(const struct text *t, size_t n)
{
	return t->cap - t->len > n && !t->failed;
}

/* Whether n bytes and a NUL have room now. */
static bool text_grow(struct text *t, size_t n)
{
	const size_t most = SIZE_MAX / 4;
	size_t cap = n < most && t->cap < most ? 2 * (t->cap + n) + 64 : 0;
	char *at;

	if (has_room(t, n) || t->failed)
		return !t->failed;
	at = cap ? realloc(t->at, cap) : NULL;
	if (!at) {
		text_fail(t);
		return false;
	}
	t->at = at;
	t->cap = cap;
	return true;
}

void text_put_bytes(struct text *t, const char *s, size_t n)
{
	if (!has_room(t, n) && !text_grow(t, n))
		return;
	memcpy(t->at + t->len, s, n);
	t->len += n;
	t->at[t->len] = 0;
}

void text_put(struct text *t, const char *s)
{
	text_put_bytes(t, s, strlen(s));
}

void text_vadd(struct text *t, const char *format, va_list args)
{
	va_list again;
	int n;

	if (!text_grow(t, 0))
		return;
	va_copy(again, args);
	n = vsnprintf(t->at + t->len, t->cap - t->len, format, args);
	if (n < 0)
		text_fail(t);
	else if ((size_t)n >= t->cap - t->len && text_grow(t, (size_t)n))
		vsnprintf(t->at + t->len, t->cap - t->len, format, again);
	va_end(again);
	t->len += t->failed ? 0 : (size_t)n;
	t->at[t->len] = 0;
}

void text_add(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_vadd(t, format, args);
	va_end(args);
}

/* As people are shown it; a tie becomes `tie`. */
static void text_put_shown(struct text *t, const char *s, bool terminal, const char *tie)
{
	char shown[TEXT_SHOWN_LEN];

	while (*s) {
		bool tied = text_is_tie(*s);

		s += tied ? 1 : text_shown(s, terminal, shown);
		text_put(t, tied ? tie : shown);
	}
}

void text_put_plain(struct text *t, const char *s)
{
	text_put_shown(t, s, true, " ");
}

void text_put_seen(struct text *t, const char *s)
{
	text_put_shown(t, s, false, " ");
}

void text_put_clean(struct text *t, const char *s)
{
	size_t n;

	for (; *s; s += n ?: 1) {
		n = text_character(s, strnlen(s, 4));
		text_put_bytes(t, n ? s : text_is_tie(*s) ? " " : "?", n ?: 1);
	}
}

void text_enclose(struct text *t, const char *before, const char *s, const char *after)
{
	if (*s)
		text_add(t, "%s%s%s", before, s, after);
}

void text_put_more(struct text *t, size_t n, size_t named)
{
	if (n > named)
		text_add(t, ", and %zu more", n - named);
}

const char *text_plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- output ----------------------------------------------------------------------------------------- */

void text_print(struct text *t, FILE *to, const char *label, size_t first, size_t hang)
{
	struct text shown TEXT_SCOPED = {0};
	const char *s, *end;
	size_t column = first;
	bool begun = false; /* a word stands on this line */

	text_put_shown(&shown, text_of(t), true, TEXT_TIE);
	s = text_of(&shown);
	fprintf(to, "%-*s", (int)first, label);
	for (; *(s += strspn(s, " ")); begun = true) {
		bool apart = begun && !strchr(";:,)", *s);

		end = s + strcspn(s, " ");
		if (apart && column + 1 + (size_t)(end - s) > WIDTH)
			column = (size_t)fprintf(to, "\n%*s", (int)hang, "") - 1;
		else if (apart)
			column += (size_t)fprintf(to, " ");
		for (; s < end; column++) {
			if (column > WIDTH) /* a word longer than a line */
				column = (size_t)fprintf(to, "\n%*s", (int)hang, "") - 1;
			putc(text_is_tie(*s) ? ' ' : *s, to);
			s++;
		}
	}
	putc('\n', to);
	text_release(t);
}

void text_say(size_t first, size_t hang, const char *format, ...)
{
	struct text t = {0};
	va_list args;

	va_start(args, format);
	text_vadd(&t, format, args);
	va_end(args);
	text_print(&t, stdout, "", first, hang);
}
