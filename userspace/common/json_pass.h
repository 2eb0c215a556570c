/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where values of JSON end, for those who pass over them (json_scan.h): nine tenths of an event of Spark. Strings are gone
 * over eight bytes at a time, all else byte by byte. To find quotes and brackets of 64 bytes at once, as simdjson does
 * (Langdale and Lemire, Parsing gigabytes of JSON per second, VLDB Journal 28, 2019), is no faster: four fifths of an event
 * are in strings, and what is between them is short.
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
