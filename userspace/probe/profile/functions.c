// SPDX-License-Identifier: BSD-2-Clause
/* Addresses and the functions they are in. */
#include "functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_FIRST 1024
/* Of 40 bytes each, and the names. When five eighths are taken, the kernel is asked anew. */
#define PLACES_MOST 16384

static void forget_all(struct functions *f)
{
	for (size_t i = 0; i < f->size; i++)
		free(f->at[i].name);
}

void functions_release(struct functions *f)
{
	forget_all(f);
	free(f->at);
	f->at = NULL;
	f->size = f->n = 0;
}

static struct function *place_of(struct function *at, size_t size, uint64_t address)
{
	size_t i = (size_t)(address * 0x9e3779b97f4a7c15ULL >> 40) & (size - 1);

	while (at[i].address && at[i].address != address)
		i = (i + 1) & (size - 1);
	return &at[i];
}

static int make_room(struct functions *f)
{
	size_t size = f->size ? 2 * f->size : PLACES_FIRST;
	struct function *at;

	if (4 * (f->n + 1) <= 3 * f->size)
		return 0;
	if (f->size == PLACES_MOST)
		return -ENOSPC;
	at = calloc(size, sizeof(*at));
	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < f->size; i++)
		if (f->at[i].address)
			*place_of(at, size, f->at[i].address) = f->at[i];
	free(f->at);
	f->at = at;
	f->size = size;
	return 0;
}

void functions_renew(struct functions *f)
{
	if (f->size < PLACES_MOST || 8 * f->n < 5 * f->size)
		return;
	forget_all(f);
	memset(f->at, 0, f->size * sizeof(*f->at));
	f->n = 0;
}

uint64_t functions_hash(uint64_t before, const char *text)
{
	uint64_t h = before ? before : 14695981039346656037ULL; /* FNV-1a */

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211ULL;
	h = (h ^ ';') * 1099511628211ULL;
	return h ? h : 1;
}

const struct function *function_at(struct functions *f, uint64_t address)
{
	char name[FUNCTION_LEN], *copy;
	struct function *fn;

	if (!address || make_room(f))
		return NULL;
	fn = place_of(f->at, f->size, address);
	if (fn->address)
		return fn;
	/* Addresses on stacks are where a call returns to, which may be the begin of the next function. */
	if (f->name(f->source, address - 1, name))
		return NULL;
	name[strcspn(name, " ;")] = '\0';
	copy = strdup(name);
	if (!copy)
		return NULL;
	f->n++;
	*fn = (struct function){.address = address,
				.says = wait_says(name),
				.starts = wait_starts(name),
				.name = copy,
				.hash = functions_hash(0, name)};
	return fn;
}
