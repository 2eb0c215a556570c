/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text that grows: sentences, paragraphs, pages of metrics. It is always a string: text_of() ends with a NUL
 * whatever was added, and a zeroed struct is an empty text.
 *
 *	struct text t TEXT_SCOPED = {0};
 *
 *	text_add(&t, "%zu server%s of %s", n, text_plural(n), group);
 *	puts(text_of(&t));
 *
 * Nobody asks each addition whether there was memory. After the first one that had none nothing more is added, and
 * that is remembered twice: in the text (`failed`; text_take() gives NULL) and for the program (text_lost(), which
 * output_finish() asks, so that no command ends well with half a sentence).
 */
#ifndef LIMPET_TEXT_H
#define LIMPET_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct text {
	char *at; /* NULL: nothing was added yet */
	size_t len, cap;
	bool failed; /* something is missing: there was no memory */
};

/* ---- life ------------------------------------------------------------------------------------------- */

/* Of a local variable: it is released where its block ends. */
#define TEXT_SCOPED __attribute__((cleanup(text_release)))
/* Empty, with nothing to free, and not failed. */
void text_release(struct text *t);
/* Empty and not failed; the memory is kept for what comes. What was lost stays lost for the program. */
void text_reset(struct text *t);
/* The string, which the caller frees; t is empty then. NULL: out of memory, which is the caller's to tell. len may be
 * NULL. */
char *text_take(struct text *t, size_t *len);
/* Something that belongs into it had no memory elsewhere. */
void text_fail(struct text *t);
/* Whether any text of this program lacked memory, and nobody was told by text_take(). */
bool text_lost(void);

/* ---- what is there; until the next addition ------------------------------------------------------------ */

const char *text_of(const struct text *t);
/* What was added since the length was `from`. */
const char *text_from(const struct text *t, size_t from);

/* ---- additions: of what is not of the text itself -------------------------------------------------------- */

/* A blank at which no line ends, between a number and its unit: ASCII's unit separator, which no name of an input
 * may hold (text_clean.h). A blank in output for people (text_put_plain(), text_print()), in HTML &nbsp;. */
#define TEXT_TIE "\037"
static inline bool text_is_tie(char c)
{
	return c == *TEXT_TIE;
}

void text_put(struct text *t, const char *s);
void text_put_bytes(struct text *t, const char *s, size_t n);
void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vadd(struct text *t, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
/* For a terminal: printable ASCII, what text_shown() makes of anything else (text_clean.h). A tie becomes a blank,
 * here and in the two below. */
void text_put_plain(struct text *t, const char *s);
/* For people who read UTF-8: letters of any script as they are. */
void text_put_seen(struct text *t, const char *s);
/* For programs, and for what is shown later: text as it is, '?' for each byte that is none. */
void text_put_clean(struct text *t, const char *s);
/* A part of a sentence that may have nothing to say, with the words around it; nothing where it is "". */
void text_enclose(struct text *t, const char *before, const char *s, const char *after);
/* ", and 3 more" of n things of which the first `named` have been named; nothing if that is all. */
void text_put_more(struct text *t, size_t n, size_t named);
/* The s of a plural. */
const char *text_plural(size_t n);

/* ---- output ----------------------------------------------------------------------------------------- */

/*
 * Prints the text as a paragraph under 100 columns, as text_put_plain() makes it, and releases it. Lines end at
 * blanks, never at a tie; several blanks are one. A blank before a closing mark (;:,)) is not printed, and no line ends
 * there: a part of a sentence that may follow another begins with " ; ". The paragraph begins with the label, in a
 * field of `first` columns; all lines after the first begin `hang` columns to the right.
 */
void text_print(struct text *t, FILE *to, const char *label, size_t first, size_t hang);
/* A paragraph of a format, without a label. */
void text_say(size_t first, size_t hang, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
