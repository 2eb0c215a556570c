// SPDX-License-Identifier: BSD-2-Clause
/* Stacks of user space: counted and written by the probe, read and named by the analyzer. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/symbols/user_frames.h"
#include "unit.h"
#include "userspace/probe/profile/user_stacks.h"

#define ID_A "0102030405060708090a0b0c0d0e0f1011121314"
#define ID_B "ff00000000000000000000000000000000000000"

static struct user_stacks *stacks;
static struct functions functions;
static struct cpu_sample sample;
static size_t bytes;

static int name(void *source, uint64_t address, char to[FUNCTION_LEN])
{
	(void)source;
	if (address >= 0x9000)
		return -ENOENT;
	snprintf(to, FUNCTION_LEN, "fn_%x", (unsigned int)(address >> 8));
	return 0;
}

static void begin(const char *comm)
{
	memset(&sample, 0xee, sizeof(sample));
	memset(sample.comm, 0, sizeof(sample.comm));
	memcpy(sample.comm, comm, strnlen(comm, sizeof(sample.comm)));
	sample.n_user = sample.n_kernel = 0;
	bytes = offsetof(struct cpu_sample, frames);
}

static void add_bytes(const void *at, size_t n)
{
	memcpy((char *)&sample + bytes, at, n);
	bytes += n;
}

/* `id`: its first byte; those of A go on counting. */
static void user(int kind, int id, uint64_t offset)
{
	struct user_frame f = {.kind = kind, .build_id = {(uint8_t)id}, .offset = offset};

	for (int i = 0; id == 1 && i < BUILD_ID_LEN; i++)
		f.build_id[i] = (uint8_t)(i + 1);
	add_bytes(&f, sizeof(f));
	sample.n_user++;
}

static void kernel(uint64_t address)
{
	add_bytes(&address, sizeof(address));
	sample.n_kernel++;
}

static void add(void)
{
	user_stacks_add(stacks, &functions, &sample, bytes);
}

static int setup(void **state)
{
	(void)state;
	functions = (struct functions){.name = name};
	stacks = user_stacks_new(USER_FRAMES);
	return !stacks;
}

static int teardown(void **state)
{
	(void)state;
	user_stacks_free(stacks);
	functions_release(&functions);
	return 0;
}

static void check_text(uint64_t lost, const char *want)
{
	char *got = user_stacks_take(stacks, lost);

	assert_string_equal(got ? got : "", want);
	free(got);
}

static void test_stacks_are_counted(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		begin("srv");
		user(USER_FRAME_IN_FILE, 1, 0x1a2b);
		user(USER_FRAME_IN_FILE, 255, 0x10);
		/* The innermost where it is, in the first byte of its function; where another returns to. */
		kernel(0x1200 + (uint64_t)i);
		kernel(0x1300);
		add();
	}
	begin("a b;c");
	user(USER_FRAME_IN_FILE, 1, 0x1a2c);
	add();
	check_text(0, " 0 " ID_B "\n 1 " ID_A "\na?b?c;@1+1a2c 1\n"
		      "srv;@0+10;@1+1a2b;fn_12;fn_12 3\n");
	check_text(0, "");
	/* Files keep their numbers. */
	begin("srv");
	user(USER_FRAME_IN_FILE, 255, 0x10);
	add();
	check_text(0, " 0 " ID_B "\n 1 " ID_A "\nsrv;@0+10 1\n");
}

static void test_frames_that_are_in_no_file(void **state)
{
	(void)state;
	/* Code made at run time, at other addresses, of other depth, in two processes: one stack. */
	for (int i = 0; i < 2; i++) {
		begin("java");
		user(USER_FRAME_ADDRESS, 0, 0x7f00 + (uint64_t)i);
		for (int k = 0; k <= i; k++)
			user(USER_FRAME_ADDRESS, 0, 0x7f80);
		user(USER_FRAME_IN_FILE, 1, 0x10);
		add();
	}
	begin("");
	kernel(0xffff);
	add();
	begin("none");
	add();
	check_text(0, " 0 " ID_A "\n?;[unknown] 1\njava;@0+10;[no build id] 2\nnone 1\n");
}

static void test_deep_stacks_and_samples_that_make_no_sense(void **state)
{
	char *got;

	(void)state;
	begin("deep");
	for (int i = 0; i < USER_FRAMES; i++)
		user(USER_FRAME_IN_FILE, 1, ~0ULL);
	for (int i = 0; i < THREAD_FRAMES; i++)
		kernel(0x1200);
	add();
	assert_int_equal(bytes, sizeof(sample));
	got = user_stacks_take(stacks, 0);
	assert_non_null(strstr(got, "\ndeep;[deeper];@0+ffffffffffffffff;@0+"));
	assert_non_null(strstr(got, "@0+ffffffffffffffff;[deeper];fn_11;fn_11;"));
	assert_non_null(strstr(got, ";fn_11;fn_12 1\n"));
	free(got);
	begin("srv");
	user(USER_FRAME_IN_FILE, 1, 1);
	bytes--;
	add();
	bytes = 3;
	add();
	begin("srv");
	sample.n_user = USER_FRAMES + 1;
	bytes = sizeof(sample);
	add();
	begin("srv");
	sample.n_kernel = THREAD_FRAMES + 1;
	bytes = sizeof(sample);
	add();
	check_text(0, "");
}

/* kernel.perf_event_max_stack = 3 */
static void test_stacks_that_the_kernel_is_told_to_cut(void **state)
{
	(void)state;
	user_stacks_free(stacks);
	stacks = user_stacks_new(3);
	assert_non_null(stacks);
	for (int frames = 2; frames < 4; frames++) {
		begin("srv");
		for (int i = 0; i < frames; i++)
			user(USER_FRAME_IN_FILE, 1, 1);
		for (int i = 0; i < 5 - frames; i++)
			kernel(0x1200);
		add();
	}
	for (int frames = 2; frames < 4; frames++) {
		begin("java");
		for (int i = 0; i < frames; i++)
			user(USER_FRAME_ADDRESS, 0, 1);
		add();
	}
	check_text(0, " 0 " ID_A "\njava;[deeper];[no build id] 1\njava;[no build id] 1\n"
		      "srv;@0+1;@0+1;[deeper];fn_11;fn_11;fn_12 1\n"
		      "srv;[deeper];@0+1;@0+1;@0+1;fn_11;fn_12 1\n");
}

static void test_stacks_without_room_take_none_of_files(void **state)
{
	char *got;

	(void)state;
	for (size_t i = 0; i < USER_STACKS_MOST + 2; i++) {
		begin("srv");
		user(USER_FRAME_IN_FILE, i < USER_STACKS_MOST ? 1 : 255, 16 * i);
		add();
	}
	got = user_stacks_take(stacks, 0);
	assert_non_null(got);
	assert_non_null(strstr(got, " 0 " ID_A "\n"));
	assert_null(strstr(got, ID_B));
	assert_non_null(strstr(got, "\n[more stacks] 2\n"));
	free(got);
}

static void test_too_many_stacks_and_files(void **state)
{
	size_t n = USER_STACKS_MOST + 5;
	char *got, want[64];

	(void)state;
	for (size_t i = 0; i < n; i++) {
		begin("srv");
		user(USER_FRAME_IN_FILE, 1, 16 * i);
		add();
	}
	got = user_stacks_take(stacks, 7);
	assert_non_null(strstr(got, "\n[more stacks] 5\n"));
	assert_non_null(strstr(got, "\n[lost samples] 7\n"));
	free(got);
	check_text(9, "[lost samples] 2\n");
	for (size_t i = 0; i < USER_FILES_MOST + 3; i++) {
		begin("srv");
		user(USER_FRAME_IN_FILE, (int)(2 + i / 256), 0);
		((struct user_frame *)sample.frames)->build_id[1] = (uint8_t)i;
		add();
	}
	/* Two without room, and none that has a build id. */
	begin("srv");
	user(USER_FRAME_ADDRESS, 0, 1);
	for (int i = 0; i < 2; i++)
		user(USER_FRAME_IN_FILE, 255, (uint64_t)i);
	user(USER_FRAME_IN_FILE, 2, 0);
	((struct user_frame *)sample.frames)[3].build_id[1] = 0;
	add();
	got = user_stacks_take(stacks, 9);
	assert_non_null(got);
	snprintf(want, sizeof(want), "srv;@%d+0 1\n", USER_FILES_MOST - 1);
	assert_non_null(strstr(got, want));
	assert_non_null(strstr(got, "srv;[more files] 1\n"));
	assert_non_null(strstr(got, "srv;@1+0;[more files];[no build id] 1\n"));
	assert_null(strstr(got, "srv;[no build id] 1\n"));
	free(got);
	/* And begun anew. */
	begin("srv");
	user(USER_FRAME_IN_FILE, 255, 3);
	add();
	check_text(9, " 0 " ID_B "\nsrv;@0+3 1\n");
}

/* ---- the analyzer ---- */

static const char *name_place(void *arg, const struct user_place *at)
{
	static char text[64];

	(void)arg;
	if (at->build_id[0] != 1)
		return NULL;
	if (at->offset < 3)
		return at->offset == 1 ? "_start" : "__libc_start_main@@GLIBC_2.34";
	snprintf(text, sizeof(text), "%s_%llx", at->inner ? "at" : "in",
		 (unsigned long long)at->offset);
	return text;
}

static const char *name_file(void *arg, const struct user_place *at)
{
	(void)arg;
	return at->build_id[1] ? "lib.so" : NULL;
}

static void check_fold(const char *text, const char *want)
{
	const struct user_names names = {name_place, name_file, NULL};
	char *got = user_frames_fold(text, strlen(text), &names);

	assert_non_null(got);
	assert_string_equal(got, want);
	free(got);
}

static void test_names_of_frames(void **state)
{
	(void)state;
	check_fold(" 0 " ID_A "\n 17 " ID_B " /usr/sbin/x\nsrv;@17+1a2b;@0+10;@0+20 7\n",
		   "srv;[processor time];ff000000+0x1a2b;in_10;at_20 7\n");
	check_fold(" 0 " ID_A "\nsrv;@0+10;vfs_read;@x 7\nsrv;@0+10;[no build id];vfs_read 1\n",
		   "srv;[processor time];[starts nowhere];at_10;vfs_read;@x 7\n"
		   "srv;[processor time];[starts nowhere];in_10;[no build id];vfs_read 1\n");
	check_fold(" 0 " ID_A "\nsrv;@0+1;@0+10 1\nsrv;@0+2;@0+1 1\nsrv;[deeper];@0+10;@0+20 1\n"
		   "srv;[no build id];@0+10 1\n",
		   "srv;[processor time];_start;at_10 1\n"
		   "srv;[processor time];__libc_start_main@@GLIBC_2.34;_start 1\n"
		   "srv;[processor time];[deeper];in_10;at_20 1\n"
		   "srv;[processor time];[no build id];at_10 1\n");
	/* What is called from a file without a number is not where the thread was. */
	check_fold(" 0 " ID_A
		   "\nsrv;@0+10;[more files];vfs_read 1\nsrv;@0+10;[deeper];vfs_read 2\n",
		   "srv;[processor time];[starts nowhere];in_10;[more files];vfs_read 1\n"
		   "srv;[processor time];[starts nowhere];at_10;[deeper];vfs_read 2\n");
	check_fold(" 0 ffff000000000000000000000000000000000000\nsrv;@0+1a 1\n",
		   "srv;[processor time];lib.so+0x1a 1\n");
	check_fold("srv 3\n[more stacks] 7\n[lost samples] 2",
		   "srv;[processor time] 3\n[processor time];[more stacks] 7\n"
		   "[processor time];[lost samples] 2\n");
}

static void test_texts_that_make_no_sense(void **state)
{
	static const char *const lines[] = {
		" 0 0102",
		" 0 " ID_A "00",
		" 1024 " ID_A,
		" x " ID_A,
		" 99999999999999999999 " ID_A,
		" 0 g102030405060708090a0b0c0d0e0f1011121314",
		" 0",
		" ",
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		snprintf(text, sizeof(text), "%s\nsrv;@0+10;@1024+1 1\n", lines[i]);
		check_fold(text, "srv;[processor time];@0+10;@1024+1 1\n");
	}
	check_fold(" 0 " ID_A
		   "\nsrv;@0+;@0+g;@0+10x;@0;@;@0+11111111111111111;@0+0 1\n\n\nsrv\n 1\n",
		   "srv;[processor "
		   "time];@0+;@0+g;@0+10x;@0;@;@0+11111111111111111;__libc_start_main@@GLIBC_2.34 "
		   "1\n");
	check_fold("", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_stacks_are_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_frames_that_are_in_no_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_deep_stacks_and_samples_that_make_no_sense,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_stacks_that_the_kernel_is_told_to_cut, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_stacks_without_room_take_none_of_files, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_too_many_stacks_and_files, setup, teardown),
		cmocka_unit_test(test_names_of_frames),
		cmocka_unit_test(test_texts_that_make_no_sense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
