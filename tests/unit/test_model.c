// SPDX-License-Identifier: BSD-2-Clause
/* model.h: what is saved comes back exactly; what is damaged is refused. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/methods/method.h"
#include "analyzer/methods/model/model.h"

static char path[] = "/tmp/limpet-model.XXXXXX";

static int setup(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/limpet-model.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static void make(struct model *m)
{
	static char nodes[3][HOST_LEN] = {"a", "b", "c"};
	struct frame f = {.n_nodes = 3, .n_times = 100, .interval_ms = 1000, .nodes = nodes};
	struct params p = PARAMS_DEFAULT;
	struct trained *t;

	assert_int_equal(model_init(m, &f, (int32_t[]){0, 1, -1}, &p), 0);
	m->n_windows = 2;
	t = model_add(m, "kl", "await");
	t->windows = 2;
	t->value[0] = 0.1 + 0.2;
	t->value[1] = 1.0 / 3;
}

static void saved_comes_back_exactly(void **state)
{
	struct model a, b;
	const struct trained *t;

	(void)state;
	make(&a);
	assert_int_equal(model_save(&a, path), 0);
	assert_int_equal(model_load(&b, path, method_trained), 0);
	assert_int_equal(b.n_nodes, 3);
	assert_string_equal(b.nodes[2], "c");
	assert_int_equal(b.to_ns, a.to_ns);
	assert_true(b.params.t_min == a.params.t_min && b.params.window == 64);
	t = model_find(&b, "kl", "await");
	assert_non_null(t);
	assert_int_equal(t->windows, 2);
	assert_true(t->value[0] == 0.1 + 0.2 && t->value[1] == 1.0 / 3 && isnan(t->value[2]));
	assert_true(b.group[0] == 0 && b.group[1] == 1 && b.group[2] == -1);
	assert_null(b.ganesha);
	assert_null(model_find(&b, "cwnd", "cwnd-ln"));
	model_release(&a);
	model_release(&b);
}

static void write_text(const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	fclose(f);
}

/* The good model with one piece replaced. */
static void check_replaced(const char *good, const char *what, const char *by, int want)
{
	char text[4096];
	const char *at = strstr(good, what);
	struct model m;

	assert_non_null(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - good), good, by, at + strlen(what));
	write_text(text, strlen(text));
	assert_int_equal(model_load(&m, path, method_trained), want);
	model_release(&m);
}

static void damage_is_refused(void **state)
{
	static const char *const replace[][2] = {
		{"limpet-model", "other"},
		{"\"version\": 2", "\"version\": 1"},
		{"\"version\": 2", "\"version\": \"2\""},
		{"\"interval_ms\": 1000", "\"interval_ms\": 0"},
		{"\"interval_ms\": 1000", "\"interval_ms\": 1e3"},
		{"\"smooth\": 5", "\"smooth\": -5"},
		{"\"window\": 64", "\"window\": 1000000"},
		{"\"shift\": 32", "\"shift\": 65"},
		{"\"slack\": 1.0", "\"slack\": NaN"},
		{"\"slack\": 1.0", "\"slack\": 1e999"},
		{"\"slack\": 1.0", "\"slack\": \"1\""},
		{"\"t_min\": 0.", "\"t_min\": -0."},
		{"\"a\"", "\"b\""},
		{"\"a\"", "\"z\""},
		{"\"a\"", "7"},
		{"\"a\"", "\"a\\u0007b\""},
		{"\"a\"", "\"\""},
		{"\"a\",", ""},
		{"\"await\"", "\"\""},
		{"\"groups\": [", "\"groups\": [0,"},
		{"-1", "-2"},
		{"-1", "1e9"},
		{"\"kl\"", "\"later\""},
		{"0.33333333333333331", "-1"},
		{"0.33333333333333331", "\"x\""},
		{"0.33333333333333331", "1, 2"},
		{"\"windows\": 2", "\"windows\": -1"},
		{"{", "[["},
	};
	char good[4096] = "";
	struct model m;
	FILE *f;

	(void)state;
	make(&m);
	assert_int_equal(model_save(&m, path), 0);
	model_release(&m);
	f = fopen(path, "r");
	good[fread(good, 1, sizeof(good) - 1, f)] = 0;
	fclose(f);
	for (size_t i = 0; i < sizeof(replace) / sizeof(*replace); i++)
		check_replaced(good, replace[i][0], replace[i][1], -EINVAL);
	for (size_t len = 0; len < strlen(good) - 1; len++) { /* cut short anywhere */
		write_text(good, len);
		assert_int_equal(model_load(&m, path, method_trained), -EINVAL);
	}
}

static void deep_nesting_is_refused(void **state)
{
	enum { DEEP = 1000000 };
	char *text = malloc(DEEP);
	struct model m;

	(void)state;
	memset(text, '[', DEEP);
	write_text(text, DEEP);
	assert_int_equal(model_load(&m, path, method_trained), -EINVAL);
	free(text);
	assert_int_equal(model_load(&m, "/dev/zero", method_trained), -EINVAL);
	assert_int_equal(model_load(&m, "/nonexistent", method_trained), -EINVAL);
}

static void model_must_fit_the_data(void **state)
{
	char nodes[3][HOST_LEN] = {"a", "c", "d"};
	struct frame f = {.n_nodes = 2, .interval_ms = 1000, .nodes = nodes};
	struct model m;
	size_t *index;

	(void)state;
	make(&m);
	assert_int_equal(model_fit(&m, &f, true, &index), 0);
	assert_int_equal(index[0], 0);
	assert_int_equal(index[1], 2);
	free(index);
	f.n_nodes = 3;
	assert_int_equal(model_fit(&m, &f, true, &index), -EINVAL);
	assert_int_equal(model_fit(&m, &f, false, &index), 0); /* not by node: any will do */
	assert_true(index[0] == 0 && index[1] == 2 && index[2] == SIZE_MAX);
	free(index);
	f.n_nodes = 2;
	assert_non_null(model_add(&m, "kl", "latency"));
	assert_int_equal(model_fit(&m, &f, true, &index), 0); /* nothing was learnt of it */
	free(index);
	m.trained[m.n_trained - 1].windows = 3;
	assert_int_equal(model_fit(&m, &f, true, &index), -EINVAL); /* no such column here */
	m.n_trained--;
	free(m.trained[m.n_trained].value);
	f.interval_ms = 500;
	assert_int_equal(model_fit(&m, &f, true, &index), -EINVAL);
	model_release(&m);
}

static void failed_write_leaves_the_old_model(void **state)
{
	struct model m, old;

	(void)state;
	make(&m);
	assert_int_equal(model_save(&m, path), 0);
	assert_int_not_equal(model_save(&m, "/nonexistent/model"), 0);
	assert_int_equal(model_save(&m, "/dev/full"), -ENOSPC);
	assert_int_equal(model_load(&old, path, method_trained), 0);
	model_release(&old);
	model_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(saved_comes_back_exactly, setup, teardown),
		cmocka_unit_test_setup_teardown(damage_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(deep_nesting_is_refused, setup, teardown),
		cmocka_unit_test(model_must_fit_the_data),
		cmocka_unit_test_setup_teardown(failed_write_leaves_the_old_model, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
