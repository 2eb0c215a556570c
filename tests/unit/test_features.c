// SPDX-License-Identifier: BSD-2-Clause
/* What is found in a kernel's BTF: of kernels that are made up here, as old and new ones are. */
#include <bpf/btf.h>
#include <stdlib.h>

#include "unit.h"

#include "userspace/probe/kernel/features.h"

/* The rest of what leads to host counters, in every kernel. */
static int add_common(struct btf *btf)
{
	int u64 = btf__add_int(btf, "u64", 8, 0);

	assert_true(u64 > 0);
	btf__add_struct(btf, "cfs_rq", 8);
	btf__add_field(btf, "rq", u64, 0, 0);
	btf__add_struct(btf, "sched_entity", 16);
	btf__add_field(btf, "load", u64, 0, 0);
	btf__add_field(btf, "cfs_rq", u64, 64, 0);
	return u64;
}

struct variable {
	const char *name;
	uint32_t offset;
};

static void add_variables(struct btf *btf, int type, const struct variable *v, size_t n)
{
	int ids[8];

	for (size_t i = 0; i < n; i++)
		ids[i] = btf__add_var(btf, v[i].name, BTF_VAR_GLOBAL_ALLOCATED, type);
	btf__add_datasec(btf, ".data..percpu", 4096);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(btf__add_datasec_var_info(btf, ids[i], v[i].offset, 8), 0);
}

static void old_kernel(struct btf *btf, const char *idle)
{
	static const struct variable v[] = {{"runqueues", 64},
					    {"kernel_cpustat", 512},
					    {"vm_event_states", 1024},
					    {"tick_cpu_sched", 2048}};
	int u64 = add_common(btf);

	btf__add_struct(btf, "kernel_cpustat", 80);
	btf__add_field(btf, "cpustat", u64, 0, 0);
	btf__add_struct(btf, "tick_sched", 64);
	btf__add_field(btf, "flags", u64, 0, 0);
	btf__add_field(btf, "idle_entrytime", u64, 128, 0);
	btf__add_field(btf, idle, u64, 192, 0);
	btf__add_field(btf, "iowait_sleeptime", u64, 256, 0);
	add_variables(btf, u64, v, 4);
}

/* As cf6444c3e1bb "tick/sched: Unify idle cputime accounting" has it. */
static void new_kernel(struct btf *btf, bool steal)
{
	static const struct variable v[] = {
		{"runqueues", 64}, {"kernel_cpustat", 512}, {"vm_event_states", 1024}};
	int u64 = add_common(btf);

	btf__add_struct(btf, "kernel_cpustat", 104);
	btf__add_field(btf, "idle_dyntick", u64, 0, 0);
	btf__add_field(btf, "idle_elapse", u64, 8, 0);
	btf__add_field(btf, "idle_entrytime", u64, 64, 0);
	if (steal)
		btf__add_field(btf, "idle_stealtime", u64, 128, 0);
	btf__add_field(btf, "cpustat", u64, 192, 0);
	add_variables(btf, u64, v, 3);
}

static void idle_time_of_old_kernels(void **state)
{
	struct btf *btf = btf__new_empty();
	struct features f;

	(void)state;
	old_kernel(btf, "idle_sleeptime");
	features_of(btf, &f);
	assert_string_equal(f.host_why, "");
	assert_int_equal(f.layout.runqueues, 64);
	assert_int_equal(f.layout.cpustat, 512);
	assert_int_equal(f.layout.idle_since, 2048 + 16);
	assert_int_equal(f.layout.idle, 2048 + 24);
	assert_int_equal(f.layout.iowait, 2048 + 32);
	assert_int_equal(f.layout.idle_flag_byte, 2048);
	assert_int_equal(f.layout.idle_flag_mask, 1 << 2);
	assert_int_equal(f.layout.idle_steal, 0);
	btf__free(btf);
}

static void idle_time_of_new_kernels(void **state)
{
	(void)state;
	for (int steal = 0; steal < 2; steal++) {
		struct btf *btf = btf__new_empty();
		struct features f;

		new_kernel(btf, steal);
		features_of(btf, &f);
		assert_string_equal(f.host_why, "");
		assert_int_equal(f.layout.cpustat, 512 + 24);
		assert_int_equal(f.layout.idle, 512 + 24 + 8 * 5);
		assert_int_equal(f.layout.iowait, 512 + 24 + 8 * 6);
		assert_int_equal(f.layout.idle_flag_byte, 512 + 1);
		assert_int_equal(f.layout.idle_since, 512 + 8);
		assert_int_equal(f.layout.idle_steal, steal ? 512 + 16 : 0);
		btf__free(btf);
	}
}

static void what_is_missing_is_said_by_name(void **state)
{
	struct btf *btf = btf__new_empty(), *none = btf__new_empty();
	struct features f;

	(void)state;
	old_kernel(btf, "idle_sleeptime_of_another_name");
	features_of(btf, &f);
	assert_string_equal(f.host_why, "this kernel has no field 'tick_sched.idle_sleeptime'");
	assert_string_equal(f.disk_stats_why, "this kernel has no field 'kernfs_node.__parent'");
	assert_string_equal(f.origin_why, "this kernel has no field 'request.bio'");
	assert_int_equal(f.layout.usable, 1);
	btf__free(btf);
	features_of(none, &f);
	assert_string_equal(f.host_why, "this kernel has no per-processor variable 'runqueues'");
	assert_string_equal(f.disk_stats_why, f.host_why);
	assert_int_equal(f.layout.usable, 0);
	btf__free(none);
}

/* struct cgroup { int level; union { struct { u64 first; }; struct { u64 gap; u64 ancestors[]; }; }; } */
static void members_of_unions_without_a_name_are_found(void **state)
{
	static const char *const path[][2] = {{"request", "bio"},
					      {"bio", "bi_blkg"},
					      {"blkcg_gq", "blkcg"},
					      {"blkcg", "css"},
					      {"cgroup_subsys_state", "cgroup"},
					      {"kernfs_node", "id"}};
	struct btf *btf = btf__new_empty();
	int u64 = btf__add_int(btf, "u64", 8, 0), one, two, both;
	struct features f;

	(void)state;
	for (size_t i = 0; i < sizeof(path) / sizeof(*path); i++) {
		btf__add_struct(btf, path[i][0], 8);
		btf__add_field(btf, path[i][1], u64, 0, 0);
	}
	one = btf__add_struct(btf, NULL, 8);
	btf__add_field(btf, "first", u64, 0, 0);
	two = btf__add_struct(btf, NULL, 16);
	btf__add_field(btf, "gap", u64, 0, 0);
	btf__add_field(btf, "ancestors", u64, 64, 0);
	both = btf__add_union(btf, NULL, 16);
	btf__add_field(btf, NULL, one, 0, 0);
	btf__add_field(btf, NULL, two, 0, 0);
	btf__add_struct(btf, "cgroup", 32);
	btf__add_field(btf, "level", u64, 0, 0);
	btf__add_field(btf, "kn", u64, 64, 0);
	btf__add_field(btf, NULL, both, 128, 0);
	features_of(btf, &f);
	assert_string_equal(f.origin_why, "");
	assert_int_equal(f.cgroup_ancestors_offset, 16 + 8);
	btf__free(btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_time_of_old_kernels),
		cmocka_unit_test(idle_time_of_new_kernels),
		cmocka_unit_test(what_is_missing_is_said_by_name),
		cmocka_unit_test(members_of_unions_without_a_name_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
