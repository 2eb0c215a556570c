/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Folded stacks of many minutes and servers added up, and printed: as text, a line each with the count
 * last, or as a profile of pprof (github.com/google/pprof, profile.proto), compressed with gzip.
 */
#ifndef LIMPET_STACK_PROFILE_H
#define LIMPET_STACK_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/symbols/symbols.h"

/* Different stacks; more are refused: a probe keeps 512 a minute. */
#define STACK_PROFILE_MOST 1000000

struct stack_line {
	char *text; /* first, to sort by; frames, the outermost first, with ';' between them */
	uint64_t count;
};

/* The file that a frame of user space is in. */
struct stack_place {
	char *frame; /* first, likewise */
	uint8_t build_id[BUILD_ID_LEN];
	uint64_t offset; /* of one without a name */
	bool named;
	bool several; /* files have a function of that name */
};

struct stack_profile {
	struct stack_place *places; /* by frame, each once, likewise */
	size_t n_places, sorted_places;
	struct stack_line *at;	/* by text, each once, after stack_profile_sort() */
	size_t n, sorted;	/* so many are sorted */
	int64_t from_ns, to_ns; /* of the minutes added */
};

void stack_profile_release(struct stack_profile *p);

/* Lines "a;b;c COUNT\n"; what is no such line is passed over. 0, -ENOMEM or -E2BIG. */
int stack_profile_add(struct stack_profile *p, const char *outermost, int64_t from_ns,
		      int64_t to_ns, const char *folded, size_t len);

/* Notes the file of a frame that lines have; `named`: it is a function's. 0, -ENOMEM, -E2BIG. */
int stack_profile_place(struct stack_profile *p, const struct user_place *at, const char *frame,
			bool named);

/* Sorts, and adds up those that are alike. */
void stack_profile_sort(struct stack_profile *p);

/* After sorting. 0 or a negative errno. */
int stack_profile_print(const struct stack_profile *p, FILE *f);
/* After sorting. Looks at threads and processor time are values of two kinds. The file is replaced in one step
 * (output_replace()). 0, or a negative errno after a message. */
int stack_profile_pprof(const struct stack_profile *p, const char *path);

#endif
