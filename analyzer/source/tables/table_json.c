// SPDX-License-Identifier: BSD-2-Clause
/* JSON that is one document, read as the bytes come: of a list only one element is in memory (internal.h). */
#include "internal.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NESTED_MAX = 16, WORD_MAX = 256 };

struct json_walk {
	struct lines *l;
	const struct json_document *d;
	const char *list;	   /* of which elements are given, or NULL */
	char open[NESTED_MAX + 1]; /* the brackets that are */
	size_t depth, list_depth;
	bool string, escaped, done;
	char word[WORD_MAX]; /* the string that is read, or was read last */
	size_t n_word;
	char key[WORD_MAX]; /* of the value that follows; "": none */
	char *element;	    /* text of an element */
	size_t n, nested;   /* of it; brackets that are open in it: 0: none is read */
};

bool json_begins(const unsigned char *head, size_t n, const char *begin)
{
	for (size_t i = 0; i < n && *begin; i++) {
		if (strchr(" \t\r\n", head[i]))
			continue;
		if (head[i] != (unsigned char)*begin++)
			return false;
	}
	return !*begin;
}

static int give(struct json_walk *w)
{
	json_error_t error;
	json_t *e = json_loadb(w->element, w->n, JSON_REJECT_DUPLICATES, &error);
	int err = e ? w->d->element(w->d->own, w->list, e)
		    : lines_bad(w->l, "this is no JSON object");

	json_decref(e);
	w->n = 0;
	return err;
}

/* A character of an element: it ends with the bracket that closes it. */
static int inside(struct json_walk *w, char c)
{
	if (w->n >= TABLE_LINE_MAX)
		return lines_bad(w->l, "an object longer than %d bytes", TABLE_LINE_MAX);
	w->element[w->n++] = c;
	if (w->string) {
		w->string = w->escaped || c != '"';
		w->escaped = !w->escaped && c == '\\';
		return 0;
	}
	w->string = c == '"';
	w->nested += c == '{' || c == '[';
	w->nested -= c == '}' || c == ']';
	return w->nested ? 0 : give(w);
}

static int end_of_string(struct json_walk *w)
{
	w->string = false;
	w->word[w->n_word] = '\0';
	return *w->key && w->d->member ? w->d->member(w->d->own, w->key, w->word) : 0;
}

static int open_bracket(struct json_walk *w, char c)
{
	bool in_list = w->list && w->depth == w->list_depth;

	if (in_list && c == '{') {
		w->nested = 1;
		w->element[w->n++] = c;
		return 0;
	}
	if (in_list)
		return lines_bad(w->l, "this is no JSON object");
	if (w->depth == NESTED_MAX)
		return lines_bad(w->l, "nested deeper than %d brackets", NESTED_MAX);
	w->open[w->depth++] = c;
	for (size_t i = 0; c == '[' && !w->list && w->d->lists[i]; i++)
		if (!strcmp(w->d->lists[i], w->key)) {
			w->list = w->d->lists[i];
			w->list_depth = w->depth;
		}
	*w->key = '\0';
	return 0;
}

static int close_bracket(struct json_walk *w, char c)
{
	if (!w->depth || w->open[w->depth - 1] != (c == '}' ? '{' : '['))
		return lines_bad(w->l, "a bracket closes that is not open");
	if (w->list && w->depth == w->list_depth)
		w->list = NULL;
	w->done = !--w->depth;
	*w->key = '\0';
	return 0;
}

static int outside(struct json_walk *w, char c)
{
	if (w->string) {
		if (c == '"' && !w->escaped)
			return end_of_string(w);
		w->escaped = !w->escaped && c == '\\';
		if (w->n_word < WORD_MAX - 1)
			w->word[w->n_word++] = c;
		return 0;
	}
	if (strchr(" \t\r\n", c) && c)
		return 0;
	if (w->done && (c == '{' || c == '['))
		return lines_bad(w->l, "another JSON document begins: there may be one a file");
	if (w->done || (!w->depth && c != '{' && c != '['))
		return lines_bad(w->l, "this is no JSON document");
	switch (c) {
	case '{':
	case '[': return open_bracket(w, c);
	case '}':
	case ']': return close_bracket(w, c);
	case ':': memcpy(w->key, w->word, sizeof(w->key)); return 0;
	case ',': *w->key = '\0'; return 0;
	}
	if (w->list && w->depth == w->list_depth)
		return lines_bad(w->l, "this is no JSON object");
	w->string = c == '"';
	w->n_word = 0;
	return w->string || (c && strchr("+-.0123456789aeflnrstuE", c))
		       ? 0
		       : lines_bad(w->l, "this is no JSON document");
}

int json_document(struct lines *l, const struct json_document *d)
{
	struct json_walk w = {.l = l, .d = d, .element = malloc(TABLE_LINE_MAX)};
	bool begun = false;
	int err = w.element ? 0 : -ENOMEM;
	ssize_t n;
	char *at;

	l->line = 1;
	while (!err && (n = lines_bytes(l, &at)) != 0) {
		if (n < 0)
			err = (int)n;
		if (n >= 3 && !begun && !memcmp(at, "\xef\xbb\xbf", 3)) {
			at += 3;
			n -= 3;
		}
		begun = true;
		for (ssize_t i = 0; i < n && !err; i++) {
			err = w.nested ? inside(&w, at[i]) : outside(&w, at[i]);
			l->line += at[i] == '\n';
		}
	}
	if (!err && !w.done && d->may_grow && w.list && w.depth == w.list_depth && !w.nested)
		err = 1;
	else if (!err && !w.done)
		err = lines_bad(l, "the file ends in the middle of its JSON: it is cut off");
	free(w.element);
	return err;
}
