// SPDX-License-Identifier: BSD-2-Clause
/* stragglers.h: in which order diagnosers run. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "stragglers.h"

/* Whether all that it names has run. */
static bool ready(const char *const *word, size_t n, const char *after, const bool *done)
{
	while (after && *after) {
		size_t len = strcspn(after, ","), i = 0;

		while (i < n && (strlen(word[i]) != len || memcmp(word[i], after, len) != 0))
			i++;
		if (i == n || !done[i])
			return false;
		after += len + (after[len] == ',');
	}
	return true;
}

ssize_t diagnosers_order(const char *const *word, const char *const *after, size_t n, size_t *order)
{
	bool done[TASK_CAUSES_MAX] = {0};
	size_t i;

	for (size_t k = 0; k < n && n <= TASK_CAUSES_MAX; k++) {
		for (i = 0; i < n && (done[i] || !ready(word, n, after[i], done));)
			i++;
		if (i == n) { /* the first that is left */
			for (i = 0; done[i];)
				i++;
			return (ssize_t)i;
		}
		order[k] = i;
		done[i] = true;
	}
	return -1;
}
