// SPDX-License-Identifier: BSD-2-Clause
/* The stacks of series files, gathered. */
#include "show_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct stacks_reading {
	struct stack_profile *met, *computed;
	struct symbols *symbols;
	const char *host;
	bool places; /* are noted */
	int err;     /* of them */
};

/* A sentence for what a profile refused. */
static int said(int err)
{
	if (err == -E2BIG)
		return series_fail(err,
				   "there are more than %d different stacks: show a shorter time, "
				   "or fewer servers",
				   STACK_PROFILE_MOST);
	return err ? series_fail(err, "%s", strerror(-err)) : 0;
}

static int on_met(void *arg, int64_t from_ns, int64_t to_ns, const char *folded, size_t len)
{
	struct stacks_reading *g = arg;

	return said(stack_profile_add(g->met, g->host, from_ns, to_ns, folded, len));
}

static void note(struct stacks_reading *g, const struct user_place *at, const char *frame,
		 bool named)
{
	if (!g->err)
		g->err = stack_profile_place(g->computed, at, frame, named);
}

static const char *name_function(void *arg, const struct user_place *at)
{
	struct stacks_reading *g = arg;
	const char *name = g->symbols ? symbols_function(g->symbols, at) : NULL;

	if (name && g->places)
		note(g, at, name, true);
	return name;
}

static const char *name_file(void *arg, const struct user_place *at)
{
	struct stacks_reading *g = arg;
	const char *name = g->symbols ? symbols_file(g->symbols, at) : NULL;
	char text[USER_UNNAMED_LEN];

	if (g->places)
		note(g, at, user_place_text(at, name, text), false);
	return name;
}

static int on_computed(void *arg, int64_t from_ns, int64_t to_ns, const char *text, size_t len)
{
	struct stacks_reading *g = arg;
	const struct user_names names = {name_function, name_file, g};
	char *folded = user_frames_fold(text, len, &names);
	int err = folded ? stack_profile_add(g->computed, g->host, from_ns, to_ns, folded,
					     strlen(folded))
			 : -ENOMEM;

	free(folded);
	return said(err ? err : g->err);
}

int show_stacks_read(struct series_reader *r, int64_t from_ns, int64_t to_ns,
		     struct symbols *symbols, struct stack_profile *met,
		     struct stack_profile *computed, bool places)
{
	struct stacks_reading g = {met, computed, symbols, series_reader_host(r), places, 0};
	int err = series_reader_stacks(r, STACKS_MET, from_ns, to_ns, on_met, &g);

	return err ?: series_reader_stacks(r, STACKS_USER, from_ns, to_ns, on_computed, &g);
}
