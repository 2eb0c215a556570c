// SPDX-License-Identifier: BSD-2-Clause
/* task_cgroup.h: the control group of a process, in each kind of hierarchy, as it moves. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "userspace/probe/tasks/task_cgroup.h"

#define S 1000000000ULL

static char proc[] = "/tmp/limpet-tasks.XXXXXX";

static void put(uint32_t pid, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%u", proc, pid);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%u/%s", proc, pid, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void groups_are_found_in_each_kind_of_hierarchy(void **state)
{
	static const struct {
		const char *text, *path;
	} cases[] = {
		{"0::/system.slice/glusterd.service\n", "/system.slice/glusterd.service"},
		{"0::/\n", "/"},
		{"12:memory:/mem\n5:cpu,blkio:/blk\n1:name=systemd:/sd\n0::/uni\n", "/blk"},
		{"12:memory:/mem\n5:blkio:/\n1:name=systemd:/sd\n0::/uni\n", "/mem"},
		{"12:memory:/\n5:blkio:/\n1:name=systemd:/sd\n0::/uni\n", "/uni"},
		{"12:memory:/\n5:blkio:/\n1:name=systemd:/sd:x\n0::/\n", "/sd:x"},
		{"12:memory:/\n5:blkio:/\n", "/"},
		{"7:blkio2:/no\n8:xmemory:/no\n", ""},
		{"no colons at all\n\n::\n:", ""},
		{"3:blkio", ""},
	};
	char stat[256];
	long hz = sysconf(_SC_CLK_TCK);

	(void)state;
	assert_non_null(mkdtemp(proc));
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct task_cgroups known = {0};
		char path[CGROUP_LEN] = "?";

		put(100 + i, "cgroup", cases[i].text);
		snprintf(stat, sizeof(stat),
			 "%u (a) b (c) 9 8) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 %ld 0\n",
			 100 + i, 5 * hz + 3);
		put(100 + i, "stat", stat);
		task_cgroup(&known, proc, 100 + i, 5 * S + 3 * (S / (uint64_t)hz) + 1, 1, false,
			    path);
		assert_string_equal(path, cases[i].path);
		/* Another one has the number by now. */
		task_cgroup(&known, proc, 100 + i, 6 * S, 1, false, path);
		assert_string_equal(path, "");
		/* Gone already: what was known is. */
		task_cgroup(&known, proc, 100 + i, 5 * S + 3 * (S / (uint64_t)hz) + 1, 1, true,
			    path);
		assert_string_equal(path, cases[i].path);
	}
}

static void long_paths_keep_their_end_and_moves_are_followed(void **state)
{
	struct task_cgroups known = {0};
	char text[400], path[CGROUP_LEN],
		stat[] = "7 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 0 0\n";

	(void)state;
	put(7, "stat", stat);
	strcpy(text, "0::");
	memset(text + 3, 'x', 300);
	strcpy(text + 303, "/the-end\n");
	put(7, "cgroup", text);
	task_cgroup(&known, proc, 7, 0, 1, false, path);
	assert_int_equal(strlen(path), CGROUP_LEN - 1);
	assert_memory_equal(path, "...x", 4);
	assert_string_equal(path + CGROUP_LEN - 9, "/the-end");
	put(7, "cgroup", "0::/elsewhere\n");
	task_cgroup(&known, proc, 7, 0, 2, false, path);
	assert_string_equal(path, "/elsewhere");
	for (uint32_t pid = 1000; pid < 1200; pid++) { /* more than are remembered */
		put(pid, "stat", stat);
		put(pid, "cgroup", "0::/many\n");
		task_cgroup(&known, proc, pid, 0, 1, false, path);
		assert_string_equal(path, "/many");
	}
	task_cgroup(&known, proc, 999999, 0, 1, false, path);
	assert_string_equal(path, "");
	/* One that came and went in a group we know, and in one we do not. */
	put(8, "stat", stat);
	put(8, "cgroup", "0::/service\n");
	task_cgroup(&known, proc, 8, 0, 55, false, path);
	task_cgroup(&known, proc, 999999, 0, 55, true, path);
	assert_string_equal(path, "/service");
	task_cgroup(&known, proc, 999999, 0, 56, true, path);
	assert_string_equal(path, "");
}

static int remove_proc(void **state)
{
	char cmd[128];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", proc);
	return strchr(proc, 'X') ? 0 : system(cmd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_are_found_in_each_kind_of_hierarchy),
		cmocka_unit_test(long_paths_keep_their_end_and_moves_are_followed),
	};

	return cmocka_run_group_tests(tests, NULL, remove_proc);
}
