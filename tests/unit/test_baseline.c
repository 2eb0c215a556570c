// SPDX-License-Identifier: BSD-2-Clause
/* method_baseline.h: the three formulas by hand, and whole diagnoses without a model. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/methods/method.h"
#include "analyzer/verdict/verdict.h"
#include "analyzer/methods/method_baseline.h"

static double spare[16];

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fabs(b);
}

static void twice_the_median_of_the_others(void **state)
{
	const double x[] = {1, 2, 4, 8, 100};

	(void)state;
	assert_true(near(baseline_ratio(x, 5, 100, 0, spare), 6));  /* of 1 2 4 8 */
	assert_true(near(baseline_ratio(x, 5, 1, 0, spare), 12));   /* of 2 4 8 100 */
	assert_true(near(baseline_ratio(x, 5, 100, 9, spare), 12)); /* 3 + 9 */
	assert_true(near(baseline_ratio((double[]){0, 0, 0}, 3, 0, 0, spare) + 1, 1));
}

static void hdfs_takes_the_largest_of_three(void **state)
{
	/* median 10; deviations 2 0 1 0 90: their median 1 */
	const double close[] = {8, 10, 10, 11, 100};
	/* median 10; deviations 9 5 0 30 90: their median 9 */
	const double wide[] = {1, 5, 10, 40, 100};

	(void)state;
	assert_true(near(baseline_hdfs(close, 5, 100, 1, spare), 30));
	assert_true(near(baseline_hdfs(close, 5, 100, 50, spare), 50));
	assert_true(near(baseline_hdfs(wide, 5, 100, 1, spare), 10 + 3 * 1.4826 * 9));
	assert_true(near(baseline_hdfs(wide, 5, 1, 1, spare), 10 + 3 * 1.4826 * 9));
	/* of an even number the middle two: 7.5; deviations 6.5 2.5 2.5 32.5: 4.5 */
	assert_true(near(baseline_hdfs(wide, 4, 40, 1, spare), 7.5 + 3 * 1.4826 * 4.5));
}

static void ceph_wants_ten_deviations(void **state)
{
	const double x[] = {8, 10, 10, 13, 100}; /* median 10; deviations 2 0 0 3 90: 2 */

	(void)state;
	assert_true(near(baseline_ceph(x, 5, 100, 1, spare), 30));
	assert_true(near(baseline_ceph(x, 5, 100, 4, spare), 50));
}

static void the_key_is_how_far_over_the_limit(void **state)
{
	(void)state;
	assert_true(near(baseline_key(6, 3), 2) && near(baseline_key(3, 3), 1));
	assert_true(baseline_key(1, 0) == 1e9);
	assert_true(near(baseline_key(-1, -2), 1.5)); /* over it, below 0 */
}

/* ---- whole diagnoses ------------------------------------------------------------------------------*/

static char path[64];

/* A table of five servers over 400 s; await of s3 is `bad` times as large, in column "await". */
static int make_table(double bad)
{
	FILE *f;
	int fd;

	strcpy(path, "/tmp/limpet-baseline.XXXXXX");
	fd = mkstemp(path);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		return -1;
	fprintf(f, "time,node,await\n");
	for (int t = 0; t < 400; t++)
		for (int i = 1; i <= 5; i++)
			fprintf(f, "%d,s%d,%g\n", 1795230000 + t, i,
				(20 + (t * 7 + i * 3) % 5) * (i == 3 ? bad : 1));
	return fclose(f);
}

static int remove_table(void **state)
{
	(void)state;
	return unlink(path);
}

/* As `limpet diagnose` does it. */
static int make(struct verdict *v, const struct analysis_opts *o, char *const *paths)
{
	const struct method *chosen[METHODS_MAX + 1];
	int err = methods_choose(o, chosen);

	return err ? err : methods_make(v, chosen, o, paths, 1);
}

/* How many servers `method` indicts, without a model; s3 is the first if there are any. */
static size_t indicted(const char *method)
{
	struct analysis_opts o = ANALYSIS_DEFAULT;
	char *const paths[] = {path};
	struct verdict v;
	size_t n;

	o.method = method;
	assert_int_equal(make(&v, &o, paths), 0);
	assert_int_equal(v.cannot.why, CANNOT_NOT);
	assert_int_equal(verdict_judged(&v), 5);
	assert_int_equal(v.n_nodes, 5);
	n = v.n_incidents;
	if (n) {
		assert_string_equal(verdict_node(&v, v.incidents[0].node), "s3");
		assert_int_equal(v.incidents[0].cause, CAUSE_DISK_BUSY);
		assert_true(v.incidents[0].findings[0].z > 1);
	}
	verdict_release(&v);
	return n;
}

static void without_a_model(void **state)
{
	(void)state;
	assert_int_equal(make_table(2.5), 0);
	assert_int_equal(indicted("ratio"), 1);
	assert_int_equal(indicted("hdfs"), 0); /* 3 x the median is needed */
	/* all other means within 1 ms, which is the floor: 22 + 10 is passed by 55 */
	assert_int_equal(indicted("ceph"), 1);
	assert_int_equal(indicted("hdfs,ratio,ceph"), 1);
	remove_table(NULL);
	assert_int_equal(make_table(3.5), 0);
	assert_int_equal(indicted("hdfs"), 1);
	remove_table(NULL);
	assert_int_equal(make_table(0.2), 0); /* faster is no fault */
	assert_int_equal(indicted("hdfs,ratio,ceph"), 0);
}

static void trained_methods_need_one(void **state)
{
	struct analysis_opts o = ANALYSIS_DEFAULT;
	char *const paths[] = {path};
	struct verdict v;

	(void)state;
	assert_int_equal(make_table(1), 0);
	o.method = "ratio,kl";
	assert_int_equal(make(&v, &o, paths), -EINVAL);
	o.method = "ratio";
	o.model = "/nonexistent/model.json"; /* which would have windows of its own */
	o.window = 30;
	assert_int_equal(make(&v, &o, paths), -EINVAL);
	o.model = NULL;
	o.shift = 31; /* not the whole of the time would be looked at */
	assert_int_equal(make(&v, &o, paths), -EINVAL);
	o.shift = 10;
	assert_int_equal(make(&v, &o, paths), 0);
	assert_true(v.window_s == 30 && v.interval_s == 10);
	assert_int_equal(v.n_windows, 38); /* of 400 */
	verdict_release(&v);
	o.shift = 0;
	assert_int_equal(make(&v, &o, paths), 0);
	assert_true(v.interval_s == 15);
	verdict_release(&v);
}

static void chosen_by_name_or_default(void **state)
{
	const struct method *chosen[METHODS_MAX + 1];
	struct analysis_opts o = ANALYSIS_DEFAULT;

	(void)state;
	assert_int_equal(methods_choose(&o, chosen), 0);
	assert_string_equal(chosen[0]->name, "robust");
	assert_null(chosen[1]);
	o.model = "model.json"; /* which is not read here */
	assert_int_equal(methods_choose(&o, chosen), 0);
	assert_null(chosen[0]);
	assert_true(methods_trained(chosen));
	o.method = "robust"; /* it heeds no model */
	assert_int_equal(methods_choose(&o, chosen), -EINVAL);
	o.model = NULL;
	assert_int_equal(methods_choose(&o, chosen), 0);
	assert_false(methods_trained(chosen));
	o.method = "ratio,hdfs,ratio";
	assert_int_equal(methods_choose(&o, chosen), 0);
	assert_string_equal(chosen[1]->name, "hdfs");
	assert_null(chosen[2]);
	o.method = "ratio,robust";
	assert_int_equal(methods_choose(&o, chosen), -EINVAL);
	o.method = "robust,ratio";
	assert_int_equal(methods_choose(&o, chosen), -EINVAL);
	o.method = "no-such";
	assert_int_equal(methods_choose(&o, chosen), -EINVAL);
}

/* Each option that not every method heeds is refused by some, and by its row alone. */
static void options_that_fit(void **state)
{
	static const struct {
		struct analysis_opts o;
		bool robust;
	} given[] = {
		{{.offsets = "f"}, true},     {{.signal = "a"}, true}, {{.given = "a"}, true},
		{{.floor = 1}, true},	      {{.budget = 1}, true},   {{.slack = 2}, false},
		{{.votes = 2}, false},	      {{.window = 9}, false},  {{.shift = 9}, false},
		{{.two_sided = true}, false},
	};
	const struct method *chosen[METHODS_MAX + 1];
	struct analysis_opts o = ANALYSIS_DEFAULT;

	(void)state;
	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++) {
		o = given[i].o;
		o.interval_s = ANALYSIS_DEFAULT.interval_s;
		o.budget = o.budget ? o.budget : BUDGET_SERIES;
		o.method = "robust";
		assert_int_equal(methods_choose(&o, chosen), given[i].robust ? 0 : -EINVAL);
		o.method = "ratio,kl";
		assert_int_equal(methods_choose(&o, chosen), given[i].robust ? -EINVAL : 0);
	}
	/* only ganesha counts so */
	o = ANALYSIS_DEFAULT;
	o.weighted = true;
	o.method = "ratio,kl";
	assert_int_equal(methods_choose(&o, chosen), -EINVAL);
	o.method = "kl,ganesha";
	assert_int_equal(methods_choose(&o, chosen), 0);
	o = ANALYSIS_DEFAULT;
	o.interval_s = 5;
	assert_int_equal(methods_choose(&o, chosen), 0);
	o.method = "hdfs";
	assert_int_equal(methods_choose(&o, chosen), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twice_the_median_of_the_others),
		cmocka_unit_test(hdfs_takes_the_largest_of_three),
		cmocka_unit_test(ceph_wants_ten_deviations),
		cmocka_unit_test(the_key_is_how_far_over_the_limit),
		cmocka_unit_test_teardown(without_a_model, remove_table),
		cmocka_unit_test_teardown(trained_methods_need_one, remove_table),
		cmocka_unit_test(chosen_by_name_or_default),
		cmocka_unit_test(options_that_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
