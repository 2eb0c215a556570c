// SPDX-License-Identifier: BSD-2-Clause
/* The stacks of series files, gathered. */
#include "show_stacks.h"

#include <errno.h>

struct reading {
	struct stack_profile *profile;
	const char *host;
};

static int on_stacks(void *arg, int64_t from_ns, int64_t to_ns, const char *folded, size_t len)
{
	struct reading *g = arg;

	return stack_profile_add(g->profile, g->host, from_ns, to_ns, folded, len);
}

int show_stacks_read(struct stack_profile *p, struct series_reader *r, int64_t from_ns,
		     int64_t to_ns)
{
	struct reading g = {p, series_reader_host(r)};

	return series_reader_stacks(r, from_ns, to_ns, on_stacks, &g);
}
