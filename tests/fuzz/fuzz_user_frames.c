// SPDX-License-Identifier: BSD-2-Clause
/* user_frames.h: what a recording says of stacks of user space. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/symbols/user_frames.h"

static const char *name(void *arg, const struct user_place *at)
{
	(void)arg;
	return at->offset & 1 ? "odd" : NULL;
}

static const char *no_name(void *arg, const struct user_place *at)
{
	(void)arg;
	(void)at;
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct user_names names = {name, no_name, NULL};
	/* As a series file gives it: printable. */
	char *text = malloc(size + 1), *folded;
	size_t lines = 0;

	if (!text)
		return 0;
	for (size_t i = 0; i < size; i++) {
		text[i] = data[i] == '\n' ? '\n' : (char)(' ' + data[i] % 95);
		lines += text[i] == '\n';
	}
	folded = user_frames_fold(text, size, &names);
	MUST(folded);
	/* A word in each line; a frame, of two characters and a ';', becomes as many as a number has. */
	MUST(strlen(folded) <=
	     size + (lines + 1) * (sizeof(USER_FRAMES_WORD) + sizeof("[starts nowhere]") + 2) +
		     20 * size);
	for (char *line = folded; *line; line = strchr(line, '\n') + 1)
		MUST(strchr(line, '\n') && strstr(line, USER_FRAMES_WORD));
	free(folded);
	free(text);
	return 0;
}
