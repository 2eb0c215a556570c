// SPDX-License-Identifier: BSD-2-Clause
/*
 * series.h: any file is refused with a reason that names it, or gives rows that are valid, the same
 * each time, the same in two parts, and of some metrics the same as of all. fuzz_mutate_series.c makes the inputs: of a database few
 * random bytes are of interest, and checksums are in the way.
 */
#include "fuzz.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/series/series.h"
#include "userspace/series/series_schema.h"

struct seen {
	enum metric_family family;
	int64_t last_ns, from_ns, to_ns;
	uint64_t rows, digest;
	/* Of the metrics that read_wanted() reads, also when all are read. */
	uint64_t some;
};

static const bool *wanted(void)
{
	static bool some[M_COUNT];

	for (int m = 0; m < M_COUNT; m += 3)
		some[m] = true;
	return some;
}

static uint64_t digest(const void *at, size_t n)
{
	uint64_t h = 14695981039346656037ULL;
	const unsigned char *p = at;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 1099511628211ULL;
	return h;
}

static void mix(struct seen *s, const void *at, size_t n)
{
	/* In any order, so that two parts of the time can be added up. */
	s->digest += digest(at, n);
}

static void mix_some(struct seen *s, const struct second_row *row)
{
	double v[M_COUNT];

	for (int m = 0; m < M_COUNT; m++)
		v[m] = wanted()[m] && !isnan(second_value(row, m)) ? second_value(row, m) : 0;
	s->some += digest(v, sizeof(v)) ^ digest(row->instance, sizeof(row->instance));
}

static int see_row(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct seen *s = arg;

	MUST((unsigned int)row->family < FAM_COUNT && series_instance_valid(row->instance));
	MUST(t->wall_ns >= s->from_ns && t->wall_ns < s->to_ns);
	MUST(row->family >= s->family);
	MUST(row->family != s->family || t->wall_ns >= s->last_ns);
	MUST(!isinf(t->interval_s));
	for (int m = 0; m < M_COUNT; m++)
		MUST(!isinf(second_value(row, m)) &&
		     (metrics[m].family == row->family || isnan(second_value(row, m))));
	s->family = row->family;
	s->last_ns = t->wall_ns;
	s->rows++;
	mix(s, &t->wall_ns, sizeof(t->wall_ns));
	mix(s, row->values, sizeof(row->values));
	mix_some(s, row);
	if (row->lat)
		mix(s, row->lat, sizeof(*row->lat));
	if (row->dev)
		mix(s, row->dev, sizeof(*row->dev));
	if (row->runq)
		mix(s, row->runq, sizeof(*row->runq));
	return 0;
}

static int see_device(void *arg, const struct device_identity *id)
{
	(void)arg;
	MUST((unsigned int)id->family < FAM_COUNT && *id->name);
	MUST(series_instance_valid(id->name));
	MUST(memchr(id->model, 0, sizeof(id->model)) && memchr(id->driver, 0, sizeof(id->driver)) &&
	     memchr(id->firmware, 0, sizeof(id->firmware)) &&
	     memchr(id->detail, 0, sizeof(id->detail)));
	MUST(id->rotational >= -1 && id->rotational <= 1);
	return 0;
}

static int see_stacks(void *arg, int64_t from_ns, int64_t to_ns, const char *folded, size_t len)
{
	(void)arg;
	MUST(from_ns >= 0 && to_ns >= from_ns && len <= SERIES_STACKS_MAX);
	for (size_t i = 0; i < len; i++)
		MUST(folded[i] == '\n' || (folded[i] >= ' ' && folded[i] <= '~'));
	return 0;
}

static int see_cgroup(void *arg, const char *path)
{
	int *n = arg;

	MUST(*path == '/' && strlen(path) < SERIES_CGROUP_LEN && ++*n <= SERIES_MAX_CGROUPS);
	for (; *path; path++)
		MUST(*path >= ' ' && *path <= '~');
	return 0;
}

static void check_err(int err, const char *path)
{
	MUST(!getenv("FUZZ_TAKEN"));
	MUST(err < 0 && err > -4096);
	MUST(*series_error() && strstr(series_error(), path));
}

static int read_part(struct series_reader *r, int64_t from, int64_t to, struct seen *s)
{
	s->family = 0;
	s->last_ns = INT64_MIN;
	s->from_ns = from;
	s->to_ns = to;
	return series_reader_rows(r, from, to, SERIES_ALL, HIST_LAT | HIST_DEV | HIST_RUNQ, see_row,
				  s);
}

static void read_rows(struct series_reader *r, const char *path, int64_t first, int64_t last)
{
	struct seen all = {0}, parts = {0}, some = {0};
	int64_t middle = first + (last - first) / 2;
	int err = read_part(r, 0, INT64_MAX, &all);

	if (err)
		check_err(err, path);
	series_reader_want(r, wanted());
	if (!read_part(r, 0, INT64_MAX, &some))
		MUST(err || (all.rows == some.rows && all.some == some.some));
	else
		MUST(err);
	series_reader_want(r, NULL);
	/* A part may be fine where the whole is not. */
	if (read_part(r, 0, middle, &parts) || read_part(r, middle, INT64_MAX, &parts))
		return;
	MUST(err || (all.rows == parts.rows && all.digest == parts.digest));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	struct series_reader *r;
	int64_t first = 0, last = 0;
	uint64_t seconds = 0;
	int err = series_reader_new(&r, path), cgroups = 0;

	if (err) {
		MUST(!r);
		check_err(err, path);
		return 0;
	}
	MUST(!series_check_host(series_reader_host(r)));
	MUST(series_reader_interval_ms(r) >= 1 && series_reader_interval_ms(r) <= 3600000);
	err = series_reader_span(r, &seconds, &first, &last);
	if (err)
		check_err(err, path);
	else if (seconds)
		MUST(first >= 0 && first <= last);
	err = series_reader_devices(r, see_device, NULL);
	if (err)
		check_err(err, path);
	for (int kind = 0; kind < STACKS_KINDS; kind++) {
		err = series_reader_stacks(r, kind, 0, INT64_MAX, see_stacks, NULL);
		if (err)
			check_err(err, path);
	}
	MUST(!series_reader_cgroups(r, see_cgroup, &cgroups));
	read_rows(r, path, first < 0 ? 0 : first, last < first ? first : last);
	series_reader_free(r);
	return 0;
}
