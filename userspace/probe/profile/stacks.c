// SPDX-License-Identifier: BSD-2-Clause
/* Stacks and their counts. */
#include "stacks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/sort.h"
#include "userspace/common/text.h"

int stacks_init(struct stacks *s, size_t most)
{
	*s = (struct stacks){.at = calloc(most, sizeof(*s->at)), .most = most};
	return s->at ? 0 : -ENOMEM;
}

void stacks_forget(struct stacks *s)
{
	while (s->n)
		free(s->at[--s->n].text);
	map_clear(&s->by_hash);
}

void stacks_release(struct stacks *s)
{
	stacks_forget(s);
	map_release(&s->by_hash);
	free(s->at);
	memset(s, 0, sizeof(*s));
}

bool stacks_count(struct stacks *s, uint64_t hash)
{
	size_t at = map_find(i, &s->by_hash, hash, s->at[i].hash == hash);

	if (at == MAP_NONE)
		return false;
	s->at[at].count++;
	return true;
}

bool stacks_room(struct stacks *s)
{
	s->more += s->n == s->most;
	return s->n < s->most;
}

void stacks_add(struct stacks *s, uint64_t hash, const char *text)
{
	char *copy = s->n < s->most ? strdup(text) : NULL;

	if (!copy || map_add(&s->by_hash, hash)) {
		free(copy);
		s->more++;
		return;
	}
	s->at[s->n++] = (struct stack){hash, 1, copy};
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct stack *)a)->text, ((const struct stack *)b)->text);
}

/* Those that were not met are forgotten, and make room; of the others a copy. How many they are. */
static size_t tidy(struct stacks *s, struct stack *kept)
{
	size_t met = s->n;

	s->n = 0;
	map_clear(&s->by_hash);
	for (size_t i = 0; i < met; i++) {
		struct stack k = s->at[i];

		if (!k.count) {
			free(k.text);
			continue;
		}
		kept[s->n] = k;
		k.count = 0;
		map_add(&s->by_hash, k.hash);
		s->at[s->n++] = k;
	}
	return s->n;
}

/* Neighbours are alike, which packs well. */
static void print(struct text *t, struct stack *kept, size_t n, uint64_t more)
{
	sort(kept, n, by_text);
	for (size_t i = 0; i < n; i++) {
		if (t->len < STACKS_TEXT_MOST)
			text_add(t, "%s %llu\n", kept[i].text, (unsigned long long)kept[i].count);
		else
			more += kept[i].count;
	}
	if (more)
		text_add(t, "[more stacks] %llu\n", (unsigned long long)more);
}

char *stacks_take(struct stacks *s)
{
	struct stack *kept = calloc(s->most, sizeof(*kept));
	size_t n = kept ? tidy(s, kept) : 0;
	bool any = n || s->more;
	struct text t = {0};

	if (any)
		print(&t, kept, n, s->more);
	s->more = 0;
	free(kept);
	return any ? text_take(&t, NULL) : NULL;
}
