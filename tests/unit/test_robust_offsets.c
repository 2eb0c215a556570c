// SPDX-License-Identifier: BSD-2-Clause
/* examine.h, offsets_load() and offsets_save(): what is kept comes back; what is damaged is refused. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/engine/examine.h"

static char path[64];
static const char *const names[] = {"a", "b", "c", "d", "e"};

static int setup(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/limpet-offsets.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 || close(fd) ? -1 : unlink(path);
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static struct robust *engine(void)
{
	struct robust_params p = ROBUST_PARAMS_DEFAULT;
	struct robust *r = robust_new(&p);

	assert_non_null(r);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_int_equal(robust_node(r, names[i], 0), i);
	return r;
}

static void write_text(const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static char *read_text(void)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 1 << 20);

	assert_true(f && text);
	assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
	fclose(f);
	return text;
}

struct found {
	const char *node;
	enum signal signal;
	double offset;
	size_t n;
};

static int find(void *arg, const char *node, const char *disk, enum signal s, double offset)
{
	struct found *f = arg;

	(void)disk;
	f->n++;
	if (!strcmp(f->node, node) && f->signal == s)
		f->offset = offset;
	return 0;
}

static double learned(const struct robust *r, const char *node, enum signal s)
{
	struct found f = {.node = node, .signal = s, .offset = NAN};

	assert_int_equal(robust_offsets(r, find, &f), 0);
	return f.offset;
}

static void kept_comes_back(void **state)
{
	struct robust *a = engine(), *b = engine();

	(void)state;
	assert_int_equal(robust_set_offset(a, "b", "", SIG_RUNQ, 0.25), 0);
	assert_int_equal(robust_set_offset(a, "c", "", SIG_RETRANS, 0.1), 0);
	assert_true(fabs(learned(a, "b", SIG_RUNQ) - 0.25) < 0.01);
	assert_int_equal(offsets_save(a, path), 0);
	assert_true(isnan(learned(b, "b", SIG_RUNQ)));
	assert_int_equal(offsets_load(b, 0, path), 0);
	assert_true(fabs(learned(b, "b", SIG_RUNQ) - learned(a, "b", SIG_RUNQ)) < 0.01);
	assert_true(fabs(learned(b, "c", SIG_RETRANS) - 0.1) < 0.01);
	assert_true(isnan(learned(b, "a", SIG_RUNQ)));
	robust_free(a);
	robust_free(b);
}

static void no_file_is_fine(void **state)
{
	struct robust *r = engine();

	(void)state;
	assert_int_equal(offsets_load(r, 0, path), 0);
	robust_free(r);
}

/* Servers and disks that are not there today are still known tomorrow. */
static void others_are_kept(void **state)
{
	static const char text[] = "{\"format\":\"limpet-offsets\",\"version\":1,\"servers\":{"
				   "\"gone\":{\"sda\":{\"read\":0.3}},"
				   "\"b\":{\"sdz\":{\"write\":0.2},\"\":{\"runq\":0.1}}}}";
	struct robust *r = engine();
	char *after;

	(void)state;
	write_text(text, sizeof(text) - 1);
	assert_int_equal(robust_set_offset(r, "b", "", SIG_RUNQ, 0.3), 0);
	assert_int_equal(offsets_save(r, path), 0);
	after = read_text();
	assert_non_null(strstr(after, "\"gone\""));
	assert_non_null(strstr(after, "\"sdz\""));
	assert_null(strstr(after, "0.1\n"));
	assert_non_null(strstr(after, "\"runq\": 0.3"));
	free(after);
	robust_free(r);
}

/* Replaced disks do not pile up for ever, and what is written can be read. */
static void too_many_disks_are_dropped(void **state)
{
	struct robust *r = engine();
	char *text = NULL, *after;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	assert_non_null(f);
	fprintf(f, "{\"format\":\"limpet-offsets\",\"version\":1,\"servers\":{\"b\":{");
	for (int i = 0; i < 2 * MAX_DISKS + 2; i++)
		fprintf(f, "%s\"sd%d\":{\"read\":0.1}", i ? "," : "", i);
	fprintf(f, "}}}");
	fclose(f);
	write_text(text, size);
	free(text);
	assert_int_equal(robust_set_offset(r, "b", "", SIG_RUNQ, 0.3), 0);
	assert_int_equal(offsets_save(r, path), 0);
	after = read_text();
	assert_null(strstr(after, "\"sd7\""));
	assert_non_null(strstr(after, "\"runq\""));
	free(after);
	assert_int_equal(offsets_load(r, 0, path), 0);
	robust_free(r);
}

#define FILE_OF(servers) "{\"format\":\"limpet-offsets\",\"version\":1,\"servers\":" servers "}"

/* Signals of another version, and servers that are not looked at, are passed over. */
static void unknown_is_passed_over(void **state)
{
	static const char text[] = FILE_OF("{\"x\":{},\"b\":{\"\":{\"no-such\":0.2,\"table\":0.1,"
					   "\"runq\":0.2}}}");
	struct robust *r = engine();

	(void)state;
	write_text(text, sizeof(text) - 1);
	assert_int_equal(offsets_load(r, 0, path), 0);
	assert_true(fabs(learned(r, "b", SIG_RUNQ) - 0.2) < 0.01);
	robust_free(r);
}

static void damaged_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"{}",
		"\"x\"",
		"{\"format\":\"limpet-model\",\"version\":1,\"servers\":{}}",
		"{\"format\":\"limpet-offsets\",\"version\":2,\"servers\":{}}",
		"{\"format\":\"limpet-offsets\",\"version\":1}",
		FILE_OF("[]"),
		FILE_OF("{\"b\":{},\"b\":{}}"),
		FILE_OF("{\"\":{}}"),
		FILE_OF("{\"b\":[]}"),
		FILE_OF("{\"b\":{\"sda\":0.1}}"),
		FILE_OF("{\"b\":{\"sda\":{\"read\":\"x\"}}}"),
		FILE_OF("{\"b\":{\"sda\":{\"read\":-0.1}}}"),
		FILE_OF("{\"b\":{\"sda\":{\"read\":1.5}}}"),
		FILE_OF("{\"b\":{\"sda\":{\"read\":1e999}}}"),
		FILE_OF("{\"b\":{\"sda\":{\"read\":NaN}}}"),
		FILE_OF("{\"b\\n\":{}}"),
		FILE_OF("{\"b\":{\"1234567890123456789012345678901234567890123456789012345678\":{}}"
			"}"),
	};
	struct robust *r = engine();

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		write_text(texts[i], strlen(texts[i]));
		if (offsets_load(r, 0, path) >= 0)
			fail_msg("taken: %s", texts[i]);
		/* nor is it written over */
		assert_true(offsets_save(r, path) < 0);
	}
	assert_true(isnan(learned(r, "b", SIG_RUNQ)));
	robust_free(r);
}

/* Empty objects, 2 MiB of them, would be a hundred times as much in memory. */
static void dense_is_refused(void **state)
{
	size_t n = 1 << 20, len = 0;
	char *text = malloc(n * 2 + 3);
	struct robust *r = engine();

	(void)state;
	assert_non_null(text);
	text[len++] = '[';
	for (size_t i = 0; i < n - 1; i++, len += 3)
		if (len + 5 < n * 2)
			memcpy(text + len, "{},", 3);
		else
			break;
	memcpy(text + len, "{}]", 3);
	write_text(text, len + 3);
	assert_int_equal(offsets_load(r, 0, path), -EINVAL);
	free(text);
	/* nested without end */
	text = malloc(n);
	assert_non_null(text);
	memset(text, '[', n);
	write_text(text, n);
	assert_int_equal(offsets_load(r, 0, path), -EINVAL);
	free(text);
	robust_free(r);
}

/* A folder and a pipe that nobody writes to: refused, not waited for. */
static void not_a_file(void **state)
{
	struct robust *r = engine();

	(void)state;
	assert_int_equal(mkdir(path, 0700), 0);
	assert_true(offsets_load(r, 0, path) < 0);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_true(offsets_load(r, 0, path) < 0);
	assert_int_equal(unlink(path), 0);
	assert_true(offsets_save(r, "/no/such/folder/offsets") < 0);
	robust_free(r);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(kept_comes_back),	   T(no_file_is_fine),
		T(others_are_kept),	   T(too_many_disks_are_dropped),
		T(unknown_is_passed_over), T(damaged_is_refused),
		T(dense_is_refused),	   T(not_a_file),
	};

	return cmocka_run_group_tests_name("robust offsets", tests, NULL, NULL);
}
