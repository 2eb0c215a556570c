// SPDX-License-Identifier: BSD-2-Clause
/* Where to begin: the newest second that is there. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch.h"
#include "userspace/series/series.h"

static void take_newest(const char *path, int64_t now_ns, int64_t *newest)
{
	struct series_reader *r = NULL;
	int64_t first, last;
	uint64_t total = 0;

	if (!series_reader_new(&r, path) && !series_reader_span(r, &total, &first, &last) &&
	    total && first <= now_ns) {
		/* A clock that was ahead: what it wrote before may be of now. */
		last = last <= now_ns ? last : now_ns;
		*newest = last > *newest ? last : *newest;
	}
	series_reader_free(r);
}

int64_t watch_begin(char *const *paths, size_t n_paths, double back_s)
{
	int64_t newest = INT64_MIN, now_ns = clock_ns(CLOCK_REALTIME);

	for (size_t i = 0; i < n_paths; i++) {
		struct dirent **names = NULL;
		int n = scandir(paths[i], &names, source_is_series, NULL);

		if (n < 0)
			take_newest(paths[i], now_ns, &newest);
		for (int k = 0; k < n; k++) {
			char *file = NULL;

			if (asprintf(&file, "%s/%s", paths[i], names[k]->d_name) >= 0) {
				take_newest(file, now_ns, &newest);
				free(file);
			}
			free(names[k]);
		}
		free(names);
	}
	return newest == INT64_MIN ? newest : newest - ns_of_s(back_s);
}
