/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which word of a table a piece of text is. Lines of logs are made of few words (keys, counters, operations); each is
 * found by its length and two of its bytes, and then compared, instead of with all rows in turn.
 */
#ifndef LIMPET_LOG_WORDS_H
#define LIMPET_LOG_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A table has at most so many rows. */
enum { LOG_WORDS_MAX = 63 };

struct log_word {
	const char *text;
	uint8_t len; /* at least 1 */
	uint8_t is;  /* for who asks */
};
#define LOG_WORD(TEXT, IS)                     \
	{                                      \
		(TEXT), sizeof(TEXT) - 1, (IS) \
	}

struct log_words {
	const struct log_word *row;
	uint8_t first[64];		 /* row + 1 of those with one sum; 0: none */
	uint8_t next[LOG_WORDS_MAX + 1]; /* of each row + 1 */
};

/* Two bytes in the middle and at the end differ where beginnings are the same. */
static inline unsigned int log_word_sum(const char *s, size_t len)
{
	return ((unsigned int)len * 7 + (unsigned char)s[len / 2] * 5 +
		(unsigned char)s[len - 1] * 3) &
	       63;
}

static inline void log_words_index(struct log_words *w, const struct log_word *row, size_t n)
{
	*w = (struct log_words){.row = row};
	for (size_t i = n; i-- > 0;) {
		uint8_t *first = &w->first[log_word_sum(row[i].text, row[i].len)];

		w->next[i + 1] = *first;
		*first = (uint8_t)(i + 1);
	}
}

/* What the word is; `none`: it is none of the table. */
static inline int log_words_find(const struct log_words *w, const char *s, size_t len, int none)
{
	unsigned int at = len ? w->first[log_word_sum(s, len)] : 0;

	for (; at; at = w->next[at])
		if (w->row[at - 1].len == len && !memcmp(w->row[at - 1].text, s, len))
			return w->row[at - 1].is;
	return none;
}

/* The same of few rows, an array of them, in turn. */
#define log_word_among(rows, s, len, none) \
	log_word_in_turn((rows), sizeof(rows) / sizeof(*(rows)), (s), (len), (none))

static inline int log_word_in_turn(const struct log_word *row, size_t n, const char *s, size_t len,
				   int none)
{
	for (size_t i = 0; i < n; i++)
		if (row[i].len == len && !memcmp(row[i].text, s, len))
			return row[i].is;
	return none;
}

#endif
