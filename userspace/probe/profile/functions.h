/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions that addresses on stacks are in. The kernel is asked once for each address, and what it
 * said is remembered: some hundreds on a server.
 */
#ifndef LIMPET_FUNCTIONS_H
#define LIMPET_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "userspace/common/map.h"
#include "wait_reasons.h"

struct function {
	uint64_t address;
	uint8_t says;  /* wait_says() */
	bool starts;   /* wait_starts() */
	char *name;    /* without the module */
	uint64_t hash; /* of it: map_hash() */
};

struct functions {
	/* 0 with the name of the function that an address is in; or -errno. */
	int (*name)(void *source, uint64_t address, char name[FUNCTION_LEN]);
	void *source;
	struct function *at;
	size_t n, room;
	struct map by_address;
};

void functions_release(struct functions *f);

/* Makes room where little is left; what function_at() gave ends with it. */
void functions_renew(struct functions *f);

/* Of an address; NULL without memory or room, or where the kernel cannot be asked. The name lives until
 * functions_renew(), the rest until the next call. */
const struct function *function_at(struct functions *f, uint64_t address);

#endif
