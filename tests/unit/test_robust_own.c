// SPDX-License-Identifier: BSD-2-Clause
/* The file system's own control groups: from series files to the culprit that is not one of them. */
#include "robust_fleet.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/engine/internal.h"
#include "analyzer/rules/internal.h"
#include "userspace/series/series.h"
#include "series_util.h"
#include "robust_intervals.h"

/* ---- whose a process is --------------------------------------------------------------------------- */

#define POD   "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0123456789abcdef.slice"
#define SCOPE "/cri-containerd-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.scope"

static void by_control_group(void **state)
{
	static const struct {
		const char *own[3], *cgroup, *name;
		bool is_own;
	} cases[] = {
		/* nothing was told: by name */
		{{NULL}, "/fs/brick", "brickd:1", false},
		{{NULL}, "/user.slice", "glusterfsd:1", true},
		{{NULL}, "", "ceph-osd:1", true},
		{{NULL}, "", "mfschunkserver:1", true},
		{{NULL}, "", "orangefs-server:1", true},
		{{NULL}, "", "beegfs-storage/:1", true},
		/* the group, and below */
		{{"/fs/brick"}, "/fs/brick", "brickd:1", true},
		{{"/fs/brick"}, "/fs/brick/worker", "fio:1", true},
		{{"/fs/brick/"}, "/fs/brick/worker", "fio:1", true},
		{{"/fs/brick"}, "/fs/brick2", "brickd:1", false},
		{{"/fs/brick"}, "/fs", "brickd:1", false},
		{{"/fs/brick"}, "/user.slice/fs/brick", "fio:1", false},
		/* what is elsewhere is not the file system's, whatever it is called */
		{{"/fs/brick"}, "/jobs/7", "java:1", false},
		/* any of several */
		{{"/a", "/b/c"}, "/b/c", "fio:1", true},
		{{"/a", "/b/c"}, "/a/x", "fio:1", true},
		{{"/a", "/b/c"}, "/b", "java:1", false},
		/* of kernel threads and of whom nothing is known the group says nothing */
		{{"/fs/brick"}, "/", "nfsd:7", true},
		{{"/fs/brick"}, "/", "md0_resync:7", false},
		{{"/fs/brick"}, "", "glusterfsd:7", true},
		{{"/fs/brick"}, "", "fio:7", false},
		/* nor does the root */
		{{"/"}, "/user.slice", "fio:1", false},
		{{"/"}, "/system.slice", "glusterfsd:1", true},
		/* a process that was told, wherever it is; others by name */
		{{"pid:12"}, "/user.slice", "brickd:12", true},
		{{"pid:12"}, "/user.slice", "brickd:112", false},
		{{"pid:12"}, "/user.slice", "brickd:1", false},
		{{"pid:12"}, "/user.slice", "12", false},
		{{"pid:12"}, "/user.slice", "ceph-osd:13", true},
		{{"pid:1"}, "/user.slice", "brickd:12", false},
		{{"/a", "pid:12"}, "/b", "fio:12", true},
		{{"/a", "pid:12"}, "/b", "java:13", false},
		/* what is too long was cut at its beginning */
		{{POD SCOPE}, "...pod0123456789abcdef.slice" SCOPE, "fio:1", true},
		{{POD SCOPE}, "...pod0123456789abcdef.slice" SCOPE "/x", "fio:1", true},
		{{POD}, "...pod0123456789abcdef.slice" SCOPE, "fio:1", true},
		{{POD}, "...pod0123456789abcdee.slice" SCOPE, "fio:1", false},
		{{POD}, "...pod0123456789abcdee.slice" SCOPE, "minio:1", true},
		{{"/a.slice"}, "....slice" SCOPE, "fio:1", false}, /* too little in common */
		{{"/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.scope"}, "..." SCOPE, "fio:1", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct scene_node n = {.own_cgroups = cases[i].own};
		struct interval_process p = {0};

		while (n.n_own < 3 && cases[i].own[n.n_own])
			n.n_own++;
		snprintf(p.name, sizeof(p.name), "%s", cases[i].name);
		snprintf(p.cgroup, sizeof(p.cgroup), "%s", cases[i].cgroup);
		if (culprit_is_own(&n, &p) != cases[i].is_own)
			fail_msg("%s in '%s': %s", p.name, p.cgroup,
				 cases[i].is_own ? "not own" : "own");
	}
}

static void by_namesakes(void **state)
{
	static const char *const own[] = {"/fs/s1"};
	struct interval_process here[] = {{.name = "glusterfsd:10", .cgroup = "/fs/s1"},
					  {.name = "fio:11", .cgroup = "/fs/s1"},
					  {.name = "glusterfsd:20", .cgroup = "/fs/s2"},
					  {.name = "ceph-osd:21", .cgroup = "/fs/s2"},
					  {.name = "fio:22", .cgroup = "/jobs"},
					  {.name = "glusterd:23", .cgroup = "/fs/s2"}};
	static const bool is_own[] = {true, true, true, false, false, false};
	struct scene_node n = {.own_cgroups = own, .n_own = 1};

	(void)state;
	for (int before = 0; before < 2; before++) {
		n.now = n.before = (struct interval){0};
		*(before ? &n.before : &n.now) =
			(struct interval){.processes = here, .n_processes = 6};
		for (size_t i = 0; i < 6; i++)
			if (culprit_is_own(&n, &here[i]) != is_own[i])
				fail_msg("%s in '%s'", here[i].name, here[i].cgroup);
	}
	n.now = n.before = (struct interval){0};
	assert_false(culprit_is_own(&n, &here[2]));
}

/* A process that was told has others of its name: its workers. */
static void by_namesakes_of_a_process(void **state)
{
	static const char *const own[] = {"pid:10"};
	struct interval_process here[] = {{.name = "brickd:10", .cgroup = "/user.slice"},
					  {.name = "brickd:11", .cgroup = "/user.slice"},
					  {.name = "brick:12", .cgroup = "/user.slice"}};
	struct scene_node n = {
		.own_cgroups = own, .n_own = 1, .now = {.processes = here, .n_processes = 3}};

	(void)state;
	assert_true(culprit_is_own(&n, &here[0]) && culprit_is_own(&n, &here[1]));
	assert_false(culprit_is_own(&n, &here[2]));
}

/* ---- through the engine --------------------------------------------------------------------------- */

static void no_more_than_bounded(void **state)
{
	struct fleet_of f;
	char path[32];

	(void)state;
	fleet_begin(&f, 6);
	for (int i = 0; i < 10000; i++) {
		snprintf(path, sizeof(path), "/%d", i % 5000);
		assert_int_equal(robust_own(f.r, 0, path), 0);
	}
	assert_int_equal(f.r->nodes[0].n_own, SERIES_MAX_CGROUPS);
	fleet_lasts(&f, 20);
	fleet_end(&f);
}

/* ---- from the files ------------------------------------------------------------------------------- */

static void record(struct fixture *fx, const char *host, int64_t sec, const char *const *own,
		   size_t n)
{
	run_with_cgroups(fx, host, 0, sec, 20, own, n);
}

static struct kept k;

static void gathered_of_all_files_once(void **state)
{
	static const char *const one[] = {"/a", "/b"}, *const later[] = {"/b", "/c"};
	const struct feed_opts o = {
		.to_ns = INT64_MAX, .interval_s = 10, .threads = 2, .stretch = 1};
	static const uint32_t pids[] = {4711};
	const struct series_writer_opts told = {.pids = pids, .n_pids = 1};
	struct fixture *fx = *state;
	struct feed_counts out;

	record(fx, "one", T0, one, 2);
	record(fx, "one", T0 + 86400, later, 2);
	run_told(fx, "two", 0, T0, 20, told);
	assert_int_equal(gather_dir(fx->dir, &o, &k, &out), 0);
	assert_int_equal(k.owns, 4);
	for (size_t i = 0; i < 4; i++) {
		static const char *const own[] = {"/a", "/b", "pid:4711", "/c"};

		assert_string_equal(k.own[i], own[i]);
		assert_string_equal(k.host[k.owner[i]], i == 2 ? "two" : "one");
	}
}

static void followed_as_they_come(void **state)
{
	static const char *const one[] = {"/a"}, *const later[] = {"/a", "/c"};
	const struct feed_opts o = {.to_ns = INT64_MAX, .interval_s = 10, .threads = 1};
	struct fixture *fx = *state;
	char *paths[] = {fx->dir};
	struct feed *f;

	memset(&k, 0, sizeof(k));
	assert_int_equal(feed_of_growing(&f, paths, 1, &o), 0);
	record(fx, "one", T0, one, 1);
	assert_int_equal(keep_until(&k, f, (T0 + 26) * NS), 2);
	assert_int_equal(k.owns, 1);
	assert_string_equal(k.own[0], "/a");
	record(fx, "one", T0 + 30, later, 2);
	assert_int_equal(keep_until(&k, f, (T0 + 56) * NS), 3);
	assert_int_equal(k.owns, 2);
	assert_string_equal(k.own[1], "/c");
	feed_free(f);
}

#define FILES(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_control_group),	     cmocka_unit_test(by_namesakes),
		cmocka_unit_test(by_namesakes_of_a_process), cmocka_unit_test(no_more_than_bounded),
		FILES(gathered_of_all_files_once),	     FILES(followed_as_they_come),
	};

	return cmocka_run_group_tests_name("robust: own control groups", tests, NULL, NULL);
}
