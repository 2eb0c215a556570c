// SPDX-License-Identifier: BSD-2-Clause
/* Addresses and the functions they are in. */
#include "functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_FIRST 1024
/* Of 16 bytes each. A kernel whose stacks have more addresses than three quarters of them is asked anew. */
#define PLACES_MOST 16384

void functions_release(struct functions *f)
{
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
	if (f->size == PLACES_MOST) {
		memset(f->at, 0, f->size * sizeof(*f->at));
		f->n = 0;
		return 0;
	}
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

const struct function *function_at(struct functions *f, uint64_t address)
{
	char name[FUNCTION_LEN];
	struct function *fn;

	if (!address || make_room(f))
		return NULL;
	fn = place_of(f->at, f->size, address);
	if (fn->address)
		return fn;
	/* Addresses on stacks are where a call returns to, which may be the begin of the next function. */
	if (f->name(f->source, address - 1, name))
		return NULL;
	f->n++;
	*fn = (struct function){
		.address = address, .says = wait_says(name), .starts = wait_starts(name)};
	return fn;
}
