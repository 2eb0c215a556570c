/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of JSON as our outputs write them, with jansson. All return a reference of the caller's, for json_pack()'s "o" and
 * the like; NULL: out of memory.
 */
#ifndef LIMPET_JSON_MAKE_H
#define LIMPET_JSON_MAKE_H

#include <jansson.h>
#include <stdint.h>

/* null where it is not known. */
json_t *number_json(double v);
json_t *time_json(int64_t wall_ns);
/* Of what is not UTF-8 a copy that is; NULL is "". */
json_t *words_json(const char *s);
/* null where there are none. */
json_t *words_or_null_json(const char *s);

/* Takes `each`, and `to`, which has it then; an array that could not be made or grow is NULL. */
json_t *append_json(json_t *to, json_t *each);

/* One line without a newline, made with malloc(); numbers with so many digits (0: they come back exactly). Takes the
 * reference; NULL: there was no memory, for it either. */
char *line_of_json(json_t *one, unsigned int digits);

#endif
