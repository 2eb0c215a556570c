/* SPDX-License-Identifier: BSD-2-Clause */
#include "states.h"

#include <stdlib.h>
#include <string.h>

#define STATE_KIND_ROW(NAME, WORD, ROLE, FLOOR, WHAT) \
	[STATE_##NAME] = {.word = (WORD), .role = STATE_##ROLE, .floor_s = (FLOOR), .what = (WHAT)},
const struct state_row state_rows[STATE_KIND_COUNT] = {STATE_KINDS(STATE_KIND_ROW)};

enum state_kind state_by_word(const char *word)
{
	enum state_kind k = 0;

	while (k < STATE_KIND_COUNT && strcmp(state_rows[k].word, word) != 0)
		k++;
	return k;
}

void states_release(struct states *s)
{
	struct names *const names[] = {&s->nodes,   &s->jobs,  &s->ids,
				       &s->classes, &s->items, &s->files};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		names_release(names[i]);
	free(s->at);
	free(s->job);
	free(s->progress);
	free(s->wait);
	free(s->no_peer);
	free(s->notes);
	*s = (struct states){0};
}
