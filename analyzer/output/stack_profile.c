// SPDX-License-Identifier: BSD-2-Clause
/* Folded stacks: adding up, printing as text. */
#include "stack_profile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/sort.h"

/* Before the lines of another minute are sorted into the others, for most of them are there already. */
#define UNSORTED_MOST 65536

void stack_profile_release(struct stack_profile *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->at[i].text);
	for (size_t i = 0; i < p->n_places; i++)
		free(p->places[i].frame);
	free(p->at);
	free(p->places);
	memset(p, 0, sizeof(*p));
}

static void sort_places(struct stack_profile *p)
{
	size_t n = 0;

	sort(p->places, p->n_places, by_string);
	for (size_t i = 0; i < p->n_places; i++) {
		struct stack_place *k = &p->places[i], *last = n ? &p->places[n - 1] : NULL;

		if (last && !strcmp(last->frame, k->frame)) {
			last->several |= k->several ||
					 memcmp(last->build_id, k->build_id, BUILD_ID_LEN) != 0;
			free(k->frame);
		} else {
			p->places[n++] = *k;
		}
	}
	p->n_places = p->sorted_places = n;
}

int stack_profile_place(struct stack_profile *p, const struct user_place *at, const char *frame,
			bool named)
{
	struct stack_place *k;
	char *copy;

	if (p->n_places - p->sorted_places > UNSORTED_MOST)
		sort_places(p);
	if (p->n_places == STACK_PROFILE_MOST)
		return -E2BIG;
	copy = strdup(frame);
	k = copy ? array_add(&p->places, &p->n_places) : NULL;
	if (!k) {
		free(copy);
		return -ENOMEM;
	}
	*k = (struct stack_place){.frame = copy, .offset = at->offset, .named = named};
	memcpy(k->build_id, at->build_id, BUILD_ID_LEN);
	return 0;
}

void stack_profile_sort(struct stack_profile *p)
{
	size_t n = 0;

	sort_places(p);

	sort(p->at, p->n, by_string);
	for (size_t i = 0; i < p->n; i++) {
		if (n && !strcmp(p->at[n - 1].text, p->at[i].text)) {
			p->at[n - 1].count += p->at[i].count;
			free(p->at[i].text);
		} else {
			p->at[n++] = p->at[i];
		}
	}
	p->n = p->sorted = n;
}

/* "a;b COUNT" without the line's end: where the count begins; NULL: it is no such line. */
static const char *count_of(const char *line, size_t len, uint64_t *count)
{
	const char *blank = memrchr(line, ' ', len), *c;

	if (!blank || blank == line || blank + 1 == line + len || line + len - blank > 19)
		return NULL;
	*count = 0;
	for (c = blank + 1; c < line + len && *c >= '0' && *c <= '9'; c++)
		*count = 10 * *count + (uint64_t)(*c - '0');
	return c == line + len ? blank : NULL;
}

static int add_line(struct stack_profile *p, const char *outermost, const char *line, size_t len)
{
	struct stack_line *l;
	const char *blank;
	uint64_t count;
	char *text;

	blank = count_of(line, len, &count);
	if (!blank || !count)
		return 0;
	if (p->n - p->sorted > UNSORTED_MOST)
		stack_profile_sort(p);
	if (p->n == STACK_PROFILE_MOST)
		return -E2BIG;
	if (asprintf(&text, "%s;%.*s", outermost, (int)(blank - line), line) < 0)
		return -ENOMEM;
	l = array_add(&p->at, &p->n);
	if (!l) {
		free(text);
		return -ENOMEM;
	}
	*l = (struct stack_line){text, count};
	return 0;
}

int stack_profile_add(struct stack_profile *p, const char *outermost, int64_t from_ns,
		      int64_t to_ns, const char *folded, size_t len)
{
	const char *end = folded + len;
	int err = 0;

	p->from_ns = !p->to_ns || from_ns < p->from_ns ? from_ns : p->from_ns;
	p->to_ns = to_ns > p->to_ns ? to_ns : p->to_ns;
	while (!err && folded < end) {
		const char *stop = memchr(folded, '\n', (size_t)(end - folded));

		stop = stop ? stop : end;
		err = add_line(p, outermost, folded, (size_t)(stop - folded));
		folded = stop + 1;
	}
	return err;
}

int stack_profile_print(const struct stack_profile *p, FILE *f)
{
	for (size_t i = 0; i < p->n; i++)
		fprintf(f, "%s %llu\n", p->at[i].text, (unsigned long long)p->at[i].count);
	return ferror(f) ? -EIO : 0;
}
