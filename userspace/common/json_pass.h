/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where values of JSON end, for those who pass over them (json_scan.h): nine tenths of an event of Spark. Objects and
 * lists are gone over in blocks of 64 bytes, of which quotes and brackets are found at once, as simdjson does (Langdale and
 * Lemire, Parsing gigabytes of JSON per second, VLDB Journal 28, 2019); a block with a backslash byte by byte.
 */
#ifndef LIMPET_JSON_PASS_H
#define LIMPET_JSON_PASS_H

/* The quote that ends a string, from behind the one that began it; NULL: it does not end. */
const char *json_string_end(const char *p, const char *end);

/* Behind the bracket that closes the one at p; NULL. Of which kind it is is not looked at. */
const char *json_nested_end(const char *p, const char *end);

/* Behind a number or a word: where something else begins. */
const char *json_plain_end(const char *p, const char *end);

#endif
