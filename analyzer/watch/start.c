// SPDX-License-Identifier: BSD-2-Clause
/* Where to begin: the newest second that is there. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch.h"
#include "userspace/series/series.h"

static int64_t newest_of(const char *path, int64_t now_ns)
{
	struct series_reader *r = NULL;
	int64_t first, last, newest = INT64_MIN;
	uint64_t total = 0;

	if (!series_reader_new(&r, path) && !series_reader_span(r, &total, &first, &last) &&
	    total) {
		/* A clock that was ahead: what it wrote before may be of now. */
		if (last <= now_ns)
			newest = last;
		else if (first <= now_ns)
			newest = now_ns;
	}
	series_reader_free(r);
	return newest;
}

int64_t watch_newest(char *const *paths, size_t n_paths, int64_t now_ns)
{
	int64_t newest = INT64_MIN, one;

	for (size_t i = 0; i < n_paths; i++) {
		struct dirent **names = NULL;
		int n = scandir(paths[i], &names, source_is_series, NULL);

		if (n < 0)
			one = newest_of(paths[i], now_ns);
		newest = n < 0 && one > newest ? one : newest;
		for (int k = 0; k < n; k++) {
			char *file = NULL;

			if (asprintf(&file, "%s/%s", paths[i], names[k]->d_name) >= 0) {
				one = newest_of(file, now_ns);
				newest = one > newest ? one : newest;
				free(file);
			}
			free(names[k]);
		}
		free(names);
	}
	return newest;
}
