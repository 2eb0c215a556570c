// SPDX-License-Identifier: BSD-2-Clause
/* safe_open.h: whose links are followed, which folders are written into, what stays after a failure. */
#include "safe_util.h"

static const char *content(const char *name)
{
	static char text[64];
	FILE *f = fopen(in_top(name), "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	text[n] = 0;
	if (f)
		fclose(f);
	return text;
}

static int replace(const char *name, const char *text)
{
	*why = 0;
	return safe_replace(in_top(name), text, strlen(text), why);
}

static void make_link(const char *target, const char *name, uid_t owner)
{
	unlink(in_top(name));
	assert_int_equal(symlink(target, in_top(name)), 0);
	if (!geteuid())
		assert_int_equal(lchown(in_top(name), owner, owner), 0);
}

static int make_folder(void **state)
{
	return make_top(state) || mkdir(in_top("folder"), 0755);
}

static void a_file_is_made_and_replaced(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(replace("new", "one"), 0);
	assert_string_equal(content("new"), "one");
	assert_int_equal(stat(in_top("new"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(replace("new", "two"), 0);
	assert_string_equal(content("new"), "two");
	assert_int_equal(replace("folder/../folder//new", "three"), 0);
	assert_string_equal(content("folder/new"), "three");
}

static void a_relative_path_is_of_the_working_folder(void **state)
{
	char *was = getcwd(NULL, 0);

	(void)state;
	assert_int_equal(chdir(top), 0);
	assert_int_equal(safe_replace("bare", "b", 1, why), 0);
	assert_int_equal(chdir(was), 0);
	free(was);
	assert_string_equal(content("bare"), "b");
}

static void ones_own_links_are_followed(void **state)
{
	int fd;

	(void)state;
	replace("target", "old");
	make_link("target", "link", geteuid());
	assert_int_equal(replace("link", "through"), 0);
	assert_string_equal(content("target"), "through");
	make_link("folder", "way", geteuid());
	assert_int_equal(replace("way/far", "far"), 0);
	assert_string_equal(content("folder/far"), "far");
	make_link(in_top("folder"), "way", geteuid());
	assert_int_equal(replace("way/absolute", "a"), 0);
	assert_string_equal(content("folder/absolute"), "a");
	/* one that leads to no file yet */
	make_link("folder/fresh", "link", geteuid());
	assert_int_equal(replace("link", "fresh"), 0);
	assert_string_equal(content("folder/fresh"), "fresh");
	fd = safe_open_file(in_top("link"), why);
	assert_true(fd >= 0 && !close(fd));
	make_link("loop", "loop", geteuid());
	assert_int_equal(replace("loop", "x"), -ELOOP);
}

static void links_of_others_are_not(void **state)
{
	(void)state;
	if (geteuid())
		SKIP("only root can make a link of another user's");
	replace("precious", "precious");
	make_link("precious", "link", NOBODY);
	assert_int_equal(replace("link", "x"), -ELOOP);
	assert_non_null(strstr(why, "'link' is a symbolic link of user 65534"));
	assert_string_equal(content("precious"), "precious");
	assert_int_equal(safe_open_file(in_top("link"), why), -ELOOP);
	make_link("folder", "way", NOBODY);
	assert_int_equal(replace("way/x", "x"), -ELOOP);
	assert_int_equal(safe_make_folder(in_top("way"), true, why), -ELOOP);
	/* nor one behind one's own */
	make_link("link", "own", 0);
	assert_int_equal(replace("own", "x"), -ELOOP);
	assert_string_equal(content("precious"), "precious");
}

static void root_writes_where_only_it_may(void **state)
{
	(void)state;
	if (geteuid())
		SKIP("what root does only root can show");
	chmod(in_top("folder"), 0777);
	assert_int_equal(replace("folder/open", "x"), -EPERM);
	assert_non_null(strstr(why, "others may write"));
	assert_int_equal(access(in_top("folder/open"), F_OK), -1);
	chmod(in_top("folder"), 0775);
	assert_int_equal(chown(in_top("folder"), 0, NOBODY), 0);
	assert_int_equal(replace("folder/open", "x"), -EPERM);
	assert_int_equal(chown(in_top("folder"), 0, getegid()), 0);
	chmod(in_top("folder"), 01777);
	assert_int_equal(replace("folder/open", "sticky"), 0);
	assert_string_equal(content("folder/open"), "sticky");
	chmod(in_top("folder"), 0755);
}

static int open_kept(mode_t mode, uid_t owner, gid_t group)
{
	int fd;

	assert_int_equal(chown(in_top("folder"), owner, group), 0);
	assert_int_equal(chmod(in_top("folder"), mode), 0);
	fd = safe_make_folder(in_top("folder"), true, why);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static void a_kept_folder_is_ours_alone(void **state)
{
	(void)state;
	assert_int_equal(open_kept(0755, geteuid(), getegid()), 0);
	assert_int_equal(open_kept(0775, geteuid(), getegid()), 0);
	assert_int_equal(open_kept(01777, geteuid(), getegid()), -EPERM);
	if (!geteuid()) {
		assert_int_equal(open_kept(0770, 0, NOBODY), -EPERM);
		assert_int_equal(open_kept(0755, NOBODY, NOBODY), -EPERM);
		assert_non_null(strstr(why, "run as that user"));
	}
	assert_int_equal(open_kept(0755, geteuid(), getegid()), 0);
	assert_int_equal(safe_make_folder(in_top("new"), true, why), -ENOTDIR);
	assert_int_equal(safe_make_folder("", true, why), -ENOENT);
}

static void what_stood_there_stays_after_a_failure(void **state)
{
	(void)state;
	assert_int_equal(replace("none/new", "x"), -ENOENT);
	assert_int_equal(replace("folder", "x"), -EISDIR);
	assert_int_equal(replace("folder/", "x"), -EISDIR);
	assert_int_equal(replace("new/x", "x"), -ENOTDIR);
	assert_string_equal(content("new"), "two");
}

static void pipes_and_devices_are_written_as_they_are(void **state)
{
	int ends[2];
	char got[8] = "", path[64];

	(void)state;
	assert_int_equal(safe_replace("/dev/null", "x", 1, why), 0);
	assert_int_equal(pipe(ends), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[1]);
	assert_int_equal(safe_replace(path, "piped", 5, why), 0);
	assert_int_equal(read(ends[0], got, sizeof(got)), 5);
	assert_string_equal(got, "piped");
	close(ends[0]);
	close(ends[1]);
	if (!geteuid()) {
		assert_int_equal(mkfifo(in_top("fifo"), 0666), 0);
		assert_int_equal(chown(in_top("fifo"), NOBODY, NOBODY), 0);
		assert_int_equal(replace("fifo", "x"), -EPERM);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_made_and_replaced),
		cmocka_unit_test(a_relative_path_is_of_the_working_folder),
		cmocka_unit_test(ones_own_links_are_followed),
		cmocka_unit_test(links_of_others_are_not),
		cmocka_unit_test(root_writes_where_only_it_may),
		cmocka_unit_test(a_kept_folder_is_ours_alone),
		cmocka_unit_test(what_stood_there_stays_after_a_failure),
		cmocka_unit_test(pipes_and_devices_are_written_as_they_are),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_top);
}
