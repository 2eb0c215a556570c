// SPDX-License-Identifier: BSD-2-Clause
/* watch/watch.h: the kept offsets of servers that are there from the start, and of those that come later. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/watch/watch.h"
#include "userspace/series/series.h"
#include "series_util.h"
#include "robust_intervals.h"

struct wanted {
	const char *node;
	double offset;
};

static int find(void *arg, const char *node, const char *disk, enum signal s, double offset)
{
	struct wanted *f = arg;

	if (!strcmp(f->node, node) && s == SIG_RUNQ && !*disk)
		f->offset = offset;
	return 0;
}

static double offset_of(const struct watch *w, const char *node)
{
	struct wanted f = {node, NAN};

	assert_int_equal(robust_offsets(w->robust, find, &f), 0);
	return f.offset;
}

static void keep(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

#define KEPT                                                                               \
	"{\"format\":\"limpet-offsets\",\"version\":1,\"servers\":{"                       \
	"\"first\":{\"\":{\"runq\":0.3}},\"late\":{\"\":{\"runq\":0.2}},\"later\":{\"\":{" \
	"\"runq\":0.1}}}}"

/* A watch that has seen one server when others begin to write. */
static struct watch *begun(struct fixture *fx, struct analysis_opts *o, char *const *paths)
{
	struct watch *w;

	*o = ANALYSIS_DEFAULT;
	o->from_ns = INT64_MIN;
	o->offsets = strdup(path_with(fx, T0, ".offsets"));
	assert_non_null(o->offsets);
	keep(o->offsets, KEPT);
	assert_int_equal(watch_new(&w, o, 3600, paths, 1), 0);
	assert_int_equal(watch_step(w, (T0 - 10) * NS), 0);
	write_host(fx, "first", 1, 20, T0);
	assert_int_equal(watch_step(w, (T0 + 26) * NS), 20 / 4);
	assert_true(fabs(offset_of(w, "first") - 0.3) < 0.05);
	assert_true(isnan(offset_of(w, "late")));
	return w;
}

static void end(struct watch *w, struct analysis_opts *o)
{
	watch_free(w);
	free((char *)(uintptr_t)o->offsets);
}

static void those_that_come_later_have_theirs(void **state)
{
	struct fixture *fx = *state;
	char *paths[] = {fx->dir};
	struct analysis_opts o;
	struct watch *w = begun(fx, &o, paths);

	write_host(fx, "late", 1, 20, T0 + 20);
	assert_true(watch_step(w, (T0 + 56) * NS) > 0);
	assert_true(fabs(offset_of(w, "late") - 0.2) < 0.05);
	/* what was there keeps what it has, not what the file has */
	keep(o.offsets, "{\"format\":\"limpet-offsets\",\"version\":1,\"servers\":{"
			"\"first\":{\"\":{\"runq\":0.9}},\"later\":{\"\":{\"runq\":0.1}}}}");
	write_host(fx, "later", 1, 20, T0 + 50);
	assert_true(watch_step(w, (T0 + 90) * NS) > 0);
	assert_true(fabs(offset_of(w, "later") - 0.1) < 0.05);
	assert_true(fabs(offset_of(w, "first") - 0.3) < 0.05);
	end(w, &o);
}

/* Refused at the start, a file that was damaged later is no reason to stop watching. */
static void damaged_meanwhile(void **state)
{
	struct fixture *fx = *state;
	char *paths[] = {fx->dir};
	struct analysis_opts o;
	struct watch *w = begun(fx, &o, paths);

	keep(o.offsets, "{\"format\":");
	write_host(fx, "late", 1, 20, T0 + 20);
	assert_true(watch_step(w, (T0 + 56) * NS) > 0);
	assert_true(isnan(offset_of(w, "late")));
	end(w, &o);
}

#define FILES(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILES(those_that_come_later_have_theirs),
		FILES(damaged_meanwhile),
	};

	return cmocka_run_group_tests_name("watch: kept offsets", tests, NULL, NULL);
}
