// SPDX-License-Identifier: BSD-2-Clause
/* states.h: what an attempt's class says of where its data were. */
#include <string.h>

#include "states.h"

/* Hadoop's words for where data are, and Spark's, which stand after the stage. */
static const struct {
	const char *word;
	int not_local;
} words[] = {{"NODE_LOCAL", 0}, {"PROCESS_LOCAL", 0}, {"RACK_LOCAL", 1},
	     {"OFF_SWITCH", 1}, {"ANY", 1},	      {"NO_PREF", -1}};

/* The row of a class's last word, which begins after `stage` bytes and a blank; -1: it is none of them, and all is stage. */
static int place_of(const char *cls, size_t *stage)
{
	const char *blank = strrchr(cls, ' '), *word = blank ? blank + 1 : cls;

	*stage = blank ? (size_t)(blank - cls) : 0;
	for (int i = 0; i < (int)(sizeof(words) / sizeof(*words)); i++)
		if (!strcmp(word, words[i].word))
			return i;
	*stage = strlen(cls);
	return -1;
}

size_t task_stage_len(const char *cls)
{
	size_t stage;

	place_of(cls, &stage);
	return stage;
}

int task_not_local(const struct states *s, const struct state *task)
{
	size_t stage;
	int place = place_of(task->cls < s->classes.n ? s->classes.at[task->cls] : "", &stage);

	return place < 0 ? -1 : words[place].not_local;
}
