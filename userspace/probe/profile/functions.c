// SPDX-License-Identifier: BSD-2-Clause
/* Addresses and the functions they are in. */
#include "functions.h"

#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"

/* Of 32 bytes each, and the names. When five sixths are taken, the kernel is asked anew. */
#define FUNCTIONS_MOST 12288

static void functions_forget(struct functions *f)
{
	while (f->n)
		free(f->at[--f->n].name);
	map_clear(&f->by_address);
}

void functions_release(struct functions *f)
{
	functions_forget(f);
	map_release(&f->by_address);
	free(f->at);
	f->at = NULL;
	f->room = 0;
}

void functions_renew(struct functions *f)
{
	if (6 * f->n >= 5 * FUNCTIONS_MOST)
		functions_forget(f);
}

const struct function *function_at(struct functions *f, uint64_t address)
{
	uint64_t hash = map_hash_number(address);
	size_t at = map_find(i, &f->by_address, hash, f->at[i].address == address);
	char name[FUNCTION_LEN], *copy;
	struct function *fn;

	if (at != MAP_NONE)
		return &f->at[at];
	/* Addresses on stacks are where a call returns to, which may be the begin of the next function. */
	if (!address || f->n == FUNCTIONS_MOST || f->name(f->source, address - 1, name))
		return NULL;
	name[strcspn(name, " ;")] = '\0';
	copy = strdup(name);
	fn = copy ? map_append(&f->by_address, hash, array_refill(&f->at, &f->n, &f->room), &f->n)
		  : NULL;
	if (!fn) {
		free(copy);
		return NULL;
	}
	*fn = (struct function){.address = address,
				.says = wait_says(name),
				.starts = wait_starts(name),
				.name = copy,
				.hash = map_hash(name, strlen(name))};
	return fn;
}
