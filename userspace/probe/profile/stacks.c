// SPDX-License-Identifier: BSD-2-Clause
/* Stacks and their counts. */
#include "stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/sort.h"

#define PLACES (sizeof(((struct stacks *)0)->at) / sizeof(struct stack))

void stacks_release(struct stacks *s)
{
	for (size_t i = 0; i < PLACES; i++)
		free(s->at[i].text);
	memset(s, 0, sizeof(*s));
}

static struct stack *place_of(struct stacks *s, uint64_t hash)
{
	size_t i = (size_t)(hash >> 20) % PLACES;

	while (s->at[i].hash && s->at[i].hash != hash)
		i = (i + 1) % PLACES;
	return &s->at[i];
}

bool stacks_count(struct stacks *s, uint64_t hash)
{
	struct stack *k = place_of(s, hash);

	k->count += k->hash != 0;
	return k->hash != 0;
}

void stacks_add(struct stacks *s, uint64_t hash, const char *text)
{
	struct stack *k = place_of(s, hash);
	char *copy = s->n < STACKS_MOST ? strdup(text) : NULL;

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

	for (size_t i = 0; i < PLACES; i++) {
		if (s->at[i].hash && s->at[i].count)
			kept[n++] = s->at[i];
		else
			free(s->at[i].text);
	}
	memset(s->at, 0, sizeof(s->at));
	s->n = n;
	for (size_t i = 0; i < n; i++) {
		struct stack *k = place_of(s, kept[i].hash);

		*k = kept[i];
		k->count = 0;
	}
	return n;
}

char *stacks_take(struct stacks *s)
{
	struct stack kept[STACKS_MOST];
	size_t n = tidy(s, kept), size;
	char *text = NULL;
	FILE *f = n || s->more ? open_memstream(&text, &size) : NULL;

	if (!f)
		return NULL;
	/* Neighbours are alike, which packs well. */
	sort(kept, n, by_text);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s %llu\n", kept[i].text, (unsigned long long)kept[i].count);
	if (s->more)
		fprintf(f, "[more stacks] %llu\n", (unsigned long long)s->more);
	s->more = 0;
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}
