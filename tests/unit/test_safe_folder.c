// SPDX-License-Identifier: BSD-2-Clause
/* safe_open.h: the folder a program keeps files in, made where it is missing, with all above it. */
#include "safe_util.h"

#include <sys/syscall.h>

/* libc's, for the objects of this program: what another program makes just before comes first. */
static enum { NOTHING, A_FOLDER, A_LINK } comes_first;
int mkdirat(int fd, const char *name, mode_t mode)
{
	if (comes_first == A_FOLDER)
		assert_int_equal(syscall(SYS_mkdirat, fd, name, mode), 0);
	if (comes_first == A_LINK)
		assert_int_equal(symlinkat("behind", fd, name), 0);
	comes_first = NOTHING;
	return (int)syscall(SYS_mkdirat, fd, name, mode);
}

/* 0, or the error; what is opened is the folder of that name. */
static bool held;
static int opened(const char *path)
{
	struct stat got, there;
	int fd;

	*why = 0;
	fd = safe_make_folder(path, held, why);
	if (fd < 0)
		return fd;
	assert_int_equal(fstat(fd, &got), 0);
	assert_int_equal(stat(path, &there), 0);
	assert_true(S_ISDIR(got.st_mode) && got.st_ino == there.st_ino);
	close(fd);
	return 0;
}

static int mode_of(const char *name)
{
	struct stat st;

	assert_int_equal(stat(in_top(name), &st), 0);
	return (int)(st.st_mode & 07777);
}

static void make(const char *name, mode_t mode, uid_t owner)
{
	assert_int_equal(mkdir(in_top(name), 0755), 0);
	assert_int_equal(chown(in_top(name), owner, owner), 0);
	assert_int_equal(chmod(in_top(name), mode), 0);
}

static void only_the_last_is_made(void **state)
{
	(void)state;
	assert_int_equal(opened(in_top("a")), 0);
	assert_int_equal(mode_of("a"), 0750);
	assert_int_equal(opened(in_top("a")), 0);
	assert_int_equal(opened(in_top("a/b///")), 0);
	assert_int_equal(opened(in_top("a/./../a/c")), 0);
	assert_int_equal(opened(in_top("x/y")), -ENOENT);
	assert_int_not_equal(access(in_top("x"), F_OK), 0);
	assert_int_equal(opened(""), -ENOENT);
	close(open(in_top("file"), O_CREAT | O_WRONLY, 0600));
	assert_int_equal(opened(in_top("file")), -ENOTDIR);
	assert_int_equal(opened(in_top("file/below")), -ENOTDIR);
}

static void another_may_make_it_at_the_same_moment(void **state)
{
	(void)state;
	comes_first = A_FOLDER;
	assert_int_equal(opened(in_top("race")), 0);
	assert_int_equal(comes_first, NOTHING);
	/* What then stands there is looked at as what stood there before. */
	comes_first = A_LINK;
	assert_int_equal(opened(in_top("link")), 0);
	assert_int_equal(mode_of("behind"), 0750);
}

static void a_relative_path_has_folders_above_it_too(void **state)
{
	char before[256];

	(void)state;
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(top), 0);
	assert_int_equal(opened("relative"), 0);
	assert_int_equal(opened("."), 0);
	assert_int_equal(mkdir("open", 0755) || chmod("open", 0777) || mkdir("open/in", 0755) ||
				 chdir("open/in"),
			 0);
	assert_int_equal(opened("."), -EPERM);
	assert_int_equal(opened("below"), -EPERM);
	assert_int_equal(chdir(before), 0);
}

static void what_others_may_write_is_refused(void **state)
{
	(void)state;
	if (geteuid())
		SKIP("needs root, for files of other users");
	make("shared", 0777, 0);
	make("group", 0770, 0);
	assert_int_equal(chown(in_top("group"), 0, NOBODY), 0);
	make("sticky", 01777, 0);
	make("theirs", 0755, NOBODY);
	assert_int_equal(opened(in_top("shared")), -EPERM);
	assert_non_null(strstr(why, "0777"));
	assert_non_null(strstr(why, "shared"));
	assert_int_equal(opened(in_top("shared/below")), -EPERM);
	assert_int_not_equal(access(in_top("shared/below"), F_OK), 0);
	assert_int_equal(opened(in_top("group")), -EPERM);
	assert_int_equal(opened(in_top("group/below")), -EPERM);
	assert_int_equal(opened(in_top("theirs")), -EPERM);
	assert_non_null(strstr(why, "65534"));
	assert_int_equal(opened(in_top("theirs/below")), -EPERM);
	/* /tmp itself is not for keeping files in; a folder of ours in it is. */
	assert_int_equal(opened(in_top("sticky")), -EPERM);
	assert_int_equal(opened(in_top("sticky/below")), 0);
	make("sticky/theirs", 0755, NOBODY);
	assert_int_equal(opened(in_top("sticky/theirs")), -EPERM);
}

static void whose_the_folders_above_are_does_not_matter_to_one_that_is_held(void **state)
{
	(void)state;
	if (geteuid())
		SKIP("needs root, for files of other users");
	make("home", 0755, NOBODY);
	make("home/ours", 0755, 0);
	make("home/shared", 0777, NOBODY);
	held = true;
	assert_int_equal(opened(in_top("home/ours")), 0);
	assert_int_equal(opened(in_top("home/new")), 0);
	assert_int_equal(opened(in_top("home")), -EPERM);
	assert_int_equal(opened(in_top("home/shared/new")), -EPERM);
	held = false;
	assert_int_equal(opened(in_top("home/ours")), -EPERM);
}

static void links_lead_where_their_owner_says(void **state)
{
	(void)state;
	if (geteuid())
		SKIP("needs root, for links of other users");
	make("aim", 0755, 0);
	assert_int_equal(symlink("aim", in_top("ours")), 0);
	assert_int_equal(symlink(in_top("aim"), in_top("theirs-to-aim")), 0);
	assert_int_equal(lchown(in_top("theirs-to-aim"), NOBODY, NOBODY), 0);
	assert_int_equal(symlink("missing", in_top("dangling")), 0);
	assert_int_equal(symlink("loop", in_top("loop")), 0);
	assert_int_equal(opened(in_top("ours")), 0);
	assert_int_equal(opened(in_top("ours/below")), 0);
	assert_int_equal(opened(in_top("theirs-to-aim")), -ELOOP);
	assert_int_equal(opened(in_top("theirs-to-aim/below")), -ELOOP);
	assert_int_equal(opened(in_top("dangling")), 0);
	assert_int_equal(mode_of("missing"), 0750);
	assert_int_equal(opened(in_top("loop")), -ELOOP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_last_is_made),
		cmocka_unit_test(another_may_make_it_at_the_same_moment),
		cmocka_unit_test(a_relative_path_has_folders_above_it_too),
		cmocka_unit_test(what_others_may_write_is_refused),
		cmocka_unit_test(links_lead_where_their_owner_says),
		cmocka_unit_test(whose_the_folders_above_are_does_not_matter_to_one_that_is_held),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
