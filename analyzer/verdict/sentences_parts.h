/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIMPET_SENTENCES_PARTS_H
#define LIMPET_SENTENCES_PARTS_H

/* What the files of sentences share. */
#include "sentences.h"

/* Adds to what stands in buf; what does not fit is cut off. */
void sentence_add(char buf[SENTENCE_LEN], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* What a detail says, of this incident or of none. */
void sentence_add_detail(char *buf, const struct verdict *a, const struct detail *d,
			 const struct incident *in);
/* The s of a plural. */
const char *sentence_s(size_t n);

#endif
