// SPDX-License-Identifier: BSD-2-Clause
/* common/program.h: what a program says is taken, and nothing that it does costs more than its answer. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "userspace/common/program.h"

static char path[] = "/tmp/limpet-program-XXXXXX";
static const struct program_bounds most = {60, (uint64_t)1 << 30, 1 << 20};
static char why[PROGRAM_WHY_LEN];
static char *out;
static size_t n_out;

/* A script that is run with this input. */
static int run(const char *script, const char *in, size_t n_in, const struct program_bounds *b)
{
	int fd, err;
	char *text;

	snprintf(path, sizeof(path), "/tmp/limpet-program-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_true(asprintf(&text, "#!/bin/sh\n%s\n", script) > 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(fchmod(fd, 0700), 0);
	close(fd);
	free(text);
	err = program_run(path, NULL, b, in, n_in, &out, &n_out, why);
	unlink(path);
	return err;
}

static void it_gets_its_input_and_is_heard(void **state)
{
	size_t n = 500000; /* more than a pipe holds, both ways at once */
	char *in = malloc(n);

	(void)state;
	assert_non_null(in);
	memset(in, 'x', n);
	assert_int_equal(run("cat", in, n, &most), 0);
	assert_int_equal(n_out, n);
	assert_memory_equal(out, in, n);
	free(out);
	/* it need not read what it is given */
	assert_int_equal(run("echo well", in, n, &most), 0);
	assert_string_equal(out, "well\n");
	free(out);
	free(in);
}

static void what_ends_badly_is_said(void **state)
{
	static const struct {
		const char *script, *why;
		int err;
	} cases[] = {
		{"echo half; exit 3", "ended with status 3", -ECHILD},
		{"echo half; kill -9 $$", "was ended by signal 9", -ECHILD},
		{"true", "said nothing", -ENODATA},
		{"exec yes", "said more than 1048576 bytes and was killed", -E2BIG},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(run(cases[i].script, "in", 2, &most), cases[i].err);
		assert_string_equal(why, cases[i].why);
		assert_null(out);
	}
	assert_int_equal(program_run("/nowhere", NULL, &most, "", 0, &out, &n_out, why),
			 emulated() ? -ECHILD : -ENOENT);
	assert_string_equal(why, emulated() ? "ended with status 127"
					    : "cannot be run: No such file or directory");
	assert_string_equal(program_check("/tmp", why), "it is no file");
	assert_null(program_check("/bin/sh", why));
}

/* Also a child of it, which has its output. */
static void one_that_does_not_end_is_killed(void **state)
{
	const struct program_bounds short_ = {1, (uint64_t)1 << 30, 1 << 20};

	(void)state;
	assert_int_equal(run("sleep 1000 & sleep 1000", "", 0, &short_), -ETIMEDOUT);
	assert_string_equal(why, "ran for 1 s and was killed");
	/* it closes its output, and goes on */
	assert_int_equal(run("exec >&-; sleep 1000", "", 0, &short_), -ETIMEDOUT);
}

/* The shell's string doubles until there is no memory for it. */
static void memory_is_bounded(void **state)
{
	const struct program_bounds little = {60, 64 << 20, 1 << 20};

	(void)state;
	if (emulated())
		return;
	assert_int_equal(run("read line; s=xxxxxxxxxxxxxxxx; while :; do s=$s$s; done 2>/dev/null",
			     "go\n", 3, &little),
			 -ECHILD);
}

/* What a program started with these lines in its script says. */
static int said(const char *script, struct program_how *how, char *text, size_t size)
{
	struct program p;
	ssize_t n, all = 0;
	int err;

	how->path = "/bin/sh";
	how->arguments = (char *[]){"sh", "-c", (char *)script, NULL};
	how->from = true;
	assert_int_equal(program_start(&p, how), 0);
	while ((n = read(p.from, text + all, size - 1 - (size_t)all)) > 0)
		all += n;
	text[all] = '\0';
	close(p.from);
	err = program_wait(&p, why);
	assert_int_equal(p.pid, 0);
	return err;
}

static void it_is_read_while_it_runs(void **state)
{
	char *own[] = {"LIMPET_A=1=2", "LIMPET_GONE", "LIMPET_NEW=x", NULL}, text[200];
	struct program_how how = {.environment = own};

	(void)state;
	setenv("LIMPET_A", "before", 1);
	setenv("LIMPET_GONE", "before", 1);
	setenv("LIMPET_GONE_NOT", "stays", 1);
	assert_int_equal(said("cat; echo $LIMPET_A,$LIMPET_GONE,$LIMPET_NEW,$LIMPET_GONE_NOT; env "
			      "| grep -c ^LIMPET_A=",
			      &how, text, sizeof(text)),
			 0);
	assert_string_equal(text, "1=2,,x,stays\n1\n");
	how = (struct program_how){.quiet = true};
	assert_int_equal(said("echo $LIMPET_A; echo unheard >&2; exit 5", &how, text, sizeof(text)),
			 -ECHILD);
	assert_string_equal(text, "before\n");
	assert_string_equal(why, "ended with status 5");
	/* files of ours are not its */
	assert_int_equal(said("ls /proc/self/fd | tr '\n' ' '", &how, text, sizeof(text)), 0);
	assert_string_equal(text, "0 1 2 3 ");
}

/* The time is the caller's. */
static void its_end_is_noted(void **state)
{
	char *argv[] = {"sleep", "1000", NULL};
	struct program_how how = {
		.path = "sleep", .search = true, .arguments = argv, .seconds = 7, .now_ns = 100};
	struct program p;
	int err;

	(void)state;
	assert_int_equal(program_start(&p, &how), 0);
	assert_int_equal(program_poll(&p, 7000000099, why), -EAGAIN);
	assert_false(p.killed);
	assert_int_equal(program_poll(&p, 7000000100, why), -EAGAIN);
	assert_true(p.killed);
	while ((err = program_poll(&p, 7000000100, why)) == -EAGAIN)
		usleep(1000);
	assert_int_equal(err, -ETIMEDOUT);
	assert_string_equal(why, "ran for 7 s and was killed");
	assert_true(p.pid == 0 && p.status == -1);
	/* one without a bound */
	how.seconds = 0;
	assert_int_equal(program_start(&p, &how), 0);
	assert_int_equal(program_poll(&p, INT64_MAX - 1, why), -EAGAIN);
	assert_false(p.killed);
	program_kill(&p);
	assert_int_equal(program_wait(&p, why), -ETIMEDOUT);
	/* one that has ended is neither killed nor heard again; its number, 0, would mean our own group */
	program_kill(&p);
	assert_int_equal(program_poll(&p, 0, why), -ESRCH);
	assert_string_equal(why, "does not run");
	how.search = false;
	if (!emulated())
		assert_int_equal(program_start(&p, &how), -ENOENT);
	assert_true(p.from == -1 && p.to == -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_gets_its_input_and_is_heard),
		cmocka_unit_test(what_ends_badly_is_said),
		cmocka_unit_test(one_that_does_not_end_is_killed),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(it_is_read_while_it_runs),
		cmocka_unit_test(its_end_is_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
