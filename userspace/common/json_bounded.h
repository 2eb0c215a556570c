/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON from outside: what it takes in memory is bounded by how long the text may be. */
#ifndef LIMPET_JSON_BOUNDED_H
#define LIMPET_JSON_BOUNDED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { JSON_WHY_LEN = 200 };

/*
 * All that can be read from fd, which stays open: one JSON text of at most `most` bytes, in which no key
 * is there twice in one object, and nothing nested deeper than jansson takes (2,048). It is refused if
 * what it holds would take more than JSON_PER_BYTE bytes in memory for each of its own (and
 * JSON_LEAST): {} is three bytes of text with its comma and 224 in memory; a list of one-digit numbers,
 * the densest there is in our own files, needs 20 for each [D].
 *
 * The caller's reference; NULL: *err is the negative errno and `why` a few words, safe on a terminal,
 * for after "cannot use 'FILE': ". Not for two threads at once: jansson's allocator is the process's.
 */
enum { JSON_PER_BYTE = 24, JSON_LEAST = 1 << 20 };
json_t *json_bounded_read(int fd, size_t most, int *err, char why[JSON_WHY_LEN]);
/* The same where a key may be there twice, of which the last counts: Hadoop's ResourceManager writes such. */
json_t *json_bounded_read_lax(int fd, size_t most, int *err, char why[JSON_WHY_LEN]);

/* Replaces the file in one step (output.h) by the text of `root`, indented, numbers with so many digits
 * (17: they come back exactly), and a newline; sorted: keys in order. Takes the reference; NULL: there was
 * no memory for it. 0, or negative errno after a message. */
int json_replace(const char *path, json_t *root, unsigned int digits, bool sorted);

#endif
