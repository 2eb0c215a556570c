// SPDX-License-Identifier: BSD-2-Clause
/* Stacks and their counts. */
#include "stacks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/sort.h"

int stacks_init(struct stacks *s, size_t most)
{
	*s = (struct stacks){.at = calloc(2 * most, sizeof(*s->at)), .most = most};
	return s->at ? 0 : -ENOMEM;
}

void stacks_forget(struct stacks *s)
{
	for (size_t i = 0; i < 2 * s->most; i++)
		free(s->at[i].text);
	memset(s->at, 0, 2 * s->most * sizeof(*s->at));
	s->n = 0;
}

void stacks_release(struct stacks *s)
{
	if (s->at)
		stacks_forget(s);
	free(s->at);
	memset(s, 0, sizeof(*s));
}

static struct stack *place_of(struct stacks *s, uint64_t hash)
{
	size_t i = (size_t)(hash >> 20) % (2 * s->most);

	while (s->at[i].hash && s->at[i].hash != hash)
		i = (i + 1) % (2 * s->most);
	return &s->at[i];
}

bool stacks_count(struct stacks *s, uint64_t hash)
{
	struct stack *k = place_of(s, hash);

	k->count += k->hash != 0;
	return k->hash != 0;
}

bool stacks_room(struct stacks *s)
{
	s->more += s->n == s->most;
	return s->n < s->most;
}

void stacks_add(struct stacks *s, uint64_t hash, const char *text)
{
	struct stack *k = place_of(s, hash);
	char *copy = s->n < s->most ? strdup(text) : NULL;

	if (!copy) {
		s->more++;
		return;
	}
	*k = (struct stack){hash, 1, copy};
	s->n++;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct stack *)a)->text, ((const struct stack *)b)->text);
}

/* Those that were not met are forgotten: their places are of use to others once all are put anew. */
static size_t tidy(struct stacks *s, struct stack *kept)
{
	size_t n = 0;

	for (size_t i = 0; i < 2 * s->most; i++) {
		if (s->at[i].hash && s->at[i].count)
			kept[n++] = s->at[i];
		else
			free(s->at[i].text);
	}
	memset(s->at, 0, 2 * s->most * sizeof(*s->at));
	s->n = n;
	for (size_t i = 0; i < n; i++) {
		struct stack *k = place_of(s, kept[i].hash);

		*k = kept[i];
		k->count = 0;
	}
	return n;
}

/* Neighbours are alike, which packs well. */
static void print(FILE *f, struct stack *kept, size_t n, uint64_t more)
{
	sort(kept, n, by_text);
	for (size_t i = 0; i < n; i++) {
		if (ftell(f) < STACKS_TEXT_MOST)
			fprintf(f, "%s %llu\n", kept[i].text, (unsigned long long)kept[i].count);
		else
			more += kept[i].count;
	}
	if (more)
		fprintf(f, "[more stacks] %llu\n", (unsigned long long)more);
}

char *stacks_take(struct stacks *s)
{
	struct stack *kept = calloc(s->most, sizeof(*kept));
	size_t n = kept ? tidy(s, kept) : 0, size;
	char *text = NULL;
	FILE *f = n || s->more ? open_memstream(&text, &size) : NULL;

	if (f) {
		print(f, kept, n, s->more);
		s->more = 0;
	}
	free(kept);
	if (f && fclose(f)) {
		free(text);
		text = NULL;
	}
	return text;
}
