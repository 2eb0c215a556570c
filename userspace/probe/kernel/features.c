// SPDX-License-Identifier: BSD-2-Clause
/* What this kernel offers, by its BTF. */
#include "features.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "userspace/common/clock.h"

static bool has_tracepoint(const struct btf *btf, const char *name)
{
	char type[64];

	snprintf(type, sizeof(type), "btf_trace_%s", name);
	return btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF) > 0;
}

/* Of a tracepoint; without the first, which is the tracepoint's own. -1: there is none. */
static int tracepoint_arguments(const struct btf *btf, const char *name)
{
	const struct btf_type *t;
	char type[64];
	int id;

	snprintf(type, sizeof(type), "btf_trace_%s", name);
	id = btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF);
	t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;
	t = t ? btf__type_by_id(btf, t->type) : NULL;
	t = t && btf_is_ptr(t) ? btf__type_by_id(btf, t->type) : NULL;
	return t && btf_is_func_proto(t) ? (int)btf_vlen(t) - 1 : -1;
}

/* Value of an enumerator, in named and anonymous enums alike; -1 if there is none. */
static int enumerator(const struct btf *btf, const char *name)
{
	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		const struct btf_enum *e;

		if (!btf_is_enum(t))
			continue;
		e = btf_enum(t);
		for (int i = 0; i < btf_vlen(t); i++, e++)
			if (!strcmp(btf__name_by_offset(btf, e->name_off), name))
				return e->val;
	}
	return -1;
}

/* Structs and unions without a name, one in another: the kernel has three at most. */
#define NESTED 8

/* Offset of a member in bits, also where it is in an anonymous struct or union; -1 if there is none. */
static int member_of(const struct btf *btf, const struct btf_type *t, const char *member, int depth)
{
	for (uint32_t i = 0; t && btf_is_composite(t) && i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *name = btf__name_by_offset(btf, m->name_off);
		int bit = (int)btf_member_bit_offset(t, i), within = -1;

		if (!strcmp(name, member))
			return bit;
		if (!*name && depth < NESTED)
			within = member_of(btf, btf__type_by_id(btf, m->type), member, depth + 1);
		if (within >= 0)
			return bit + within;
	}
	return -1;
}

/* The same of a named struct. */
static int member_bit(const struct btf *btf, const char *type, const char *member)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);

	return id > 0 ? member_of(btf, btf__type_by_id(btf, (uint32_t)id), member, 0) : -1;
}

/* The same in bytes. */
static int member_offset(const struct btf *btf, const char *type, const char *member)
{
	int bit = member_bit(btf, type, member);

	return bit < 0 ? -1 : bit / 8;
}

/* Offset of a per-CPU variable in its section; -1 if this kernel does not have it. */
static int64_t percpu_offset(const struct btf *btf, const char *name)
{
	int section = btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC);
	const struct btf_type *t = section > 0 ? btf__type_by_id(btf, (uint32_t)section) : NULL;
	const struct btf_var_secinfo *v = t ? btf_var_secinfos(t) : NULL;

	for (int i = 0; t && i < btf_vlen(t); i++, v++) {
		const struct btf_type *var = btf__type_by_id(btf, v->type);

		if (var && !strcmp(btf__name_by_offset(btf, var->name_off), name))
			return v->offset;
	}
	return -1;
}

/* Of enum cpu_usage_stat, as host.bpf.c has them. */
enum { CPUTIME_IDLE_ = 5, CPUTIME_IOWAIT_ = 6 };

/* Which of the kernel's events make up which of ours; the kernel has one per memory zone of some. */
static const struct {
	const char *name;
	enum vm_event event;
} vm_sources[] = {
	{"PGPGIN", VM_PGPGIN},
	{"PGPGOUT", VM_PGPGOUT},
	{"PSWPIN", VM_PSWPIN},
	{"PSWPOUT", VM_PSWPOUT},
	{"PGFAULT", VM_PGFAULT},
	{"PGMAJFAULT", VM_PGMAJFAULT},
	{"PGFREE", VM_PGFREE},
	{"PGSCAN_KSWAPD", VM_PGSCAN_KSWAPD},
	{"PGSCAN_DIRECT", VM_PGSCAN_DIRECT},
	/* Those by cause leave out what memory cgroups reclaim at their limits; these do not. */
	{"PGSTEAL_ANON", VM_PGSTEAL},
	{"PGSTEAL_FILE", VM_PGSTEAL},
	{"ALLOCSTALL_DMA", VM_ALLOCSTALL},
	{"ALLOCSTALL_DMA32", VM_ALLOCSTALL},
	{"ALLOCSTALL_NORMAL", VM_ALLOCSTALL},
	{"ALLOCSTALL_MOVABLE", VM_ALLOCSTALL},
	{"ALLOCSTALL_DEVICE", VM_ALLOCSTALL},
};

static void ask_vm_events(const struct btf *btf, struct kernel_layout *l)
{
	for (size_t i = 0; i < sizeof(vm_sources) / sizeof(*vm_sources); i++) {
		int index = enumerator(btf, vm_sources[i].name);

		if (index < 0)
			continue;
		l->vm_index[l->n_vm_sources] = (uint32_t)index;
		l->vm_event[l->n_vm_sources++] = vm_sources[i].event;
	}
}

/* ---- what this kernel lacks is said by name ---- */

static bool lacks(char *why, const char *kind, const char *of, const char *name)
{
	snprintf(why, FEATURE_WHY, "this kernel has no %s '%s%s%s'", kind, of, *of ? "." : "",
		 name);
	return false;
}

/* Adds the offset of a member in bytes to *at. */
static bool add_member(const struct btf *btf, const char *type, const char *member, uint32_t *at,
		       char *why)
{
	int offset = member_offset(btf, type, member);

	if (offset < 0)
		return lacks(why, "field", type, member);
	*at += (uint32_t)offset;
	return true;
}

static bool set_percpu(const struct btf *btf, const char *name, uint32_t *at, char *why)
{
	int64_t offset = percpu_offset(btf, name);

	if (offset < 0)
		return lacks(why, "per-processor variable", "", name);
	*at = (uint32_t)offset;
	return true;
}

/* ---- host counters ---- */

/*
 * Up to 7.1 struct tick_sched has the idle time of a processor that stops its tick. It says whether
 * such a time is going on in a bit field up to 6.8, in a flag word since (a478ffb2ae23 "tick: Move
 * individual bit features to debuggable mask accesses"), where TS_FLAG_IDLE_ACTIVE is a macro, BIT(2).
 */
static bool ask_tick(const struct btf *btf, struct kernel_layout *l, char *why)
{
	uint32_t tick;
	int bit;

	if (!set_percpu(btf, "tick_cpu_sched", &tick, why))
		return false;
	l->idle = l->iowait = l->idle_since = tick;
	if (!add_member(btf, "tick_sched", "idle_sleeptime", &l->idle, why) ||
	    !add_member(btf, "tick_sched", "iowait_sleeptime", &l->iowait, why) ||
	    !add_member(btf, "tick_sched", "idle_entrytime", &l->idle_since, why))
		return false;
	bit = member_bit(btf, "tick_sched", "idle_active");
	if (bit < 0) {
		bit = member_bit(btf, "tick_sched", "flags");
		bit = bit < 0 ? -1 : bit + 2;
	}
	if (bit < 0)
		return lacks(why, "field", "tick_sched", "flags");
	l->idle_flag_byte = tick + (uint32_t)bit / 8;
	l->idle_flag_mask = 1U << bit % 8;
	return true;
}

/*
 * Since 7.2 struct kernel_cpustat has it (cf6444c3e1bb "tick/sched: Unify idle cputime accounting"):
 * in the same counters as a processor's that never stops its tick.
 */
static bool ask_idle_elapse(const struct btf *btf, struct kernel_layout *l, uint32_t cpustat,
			    char *why)
{
	l->idle = l->cpustat + 8 * CPUTIME_IDLE_;
	l->iowait = l->cpustat + 8 * CPUTIME_IOWAIT_;
	l->idle_since = l->idle_flag_byte = l->idle_steal = cpustat;
	if (!add_member(btf, "kernel_cpustat", "idle_entrytime", &l->idle_since, why) ||
	    !add_member(btf, "kernel_cpustat", "idle_elapse", &l->idle_flag_byte, why))
		return false;
	l->idle_flag_mask = 0xff;
	if (member_offset(btf, "kernel_cpustat", "idle_stealtime") < 0)
		l->idle_steal = 0;
	else
		add_member(btf, "kernel_cpustat", "idle_stealtime", &l->idle_steal, why);
	return true;
}

static void ask_host(const struct btf *btf, struct kernel_layout *l, char *why)
{
	uint32_t cpustat;
	bool ok = set_percpu(btf, "kernel_cpustat", &cpustat, why) &&
		  set_percpu(btf, "vm_event_states", &l->vm_event_states, why);

	l->cpustat = cpustat;
	ok = ok && add_member(btf, "kernel_cpustat", "cpustat", &l->cpustat, why);
	if (ok && member_bit(btf, "kernel_cpustat", "idle_elapse") >= 0)
		ok = ask_idle_elapse(btf, l, cpustat, why);
	else if (ok)
		ok = ask_tick(btf, l, why);
	if (ok) {
		ask_vm_events(btf, l);
		why[0] = '\0';
	}
}

/* ---- disks ---- */

/* Renamed in 6.15 (633488947ef6 "kernfs: Use RCU to access kernfs_node::parent."). */
static void ask_disks(const struct btf *btf, struct kernel_layout *l, char *why)
{
	if ((add_member(btf, "kernfs_node", "parent", &l->kernfs_parent, why) ||
	     add_member(btf, "kernfs_node", "__parent", &l->kernfs_parent, why)) &&
	    set_percpu(btf, "this_cpu_off", &l->this_cpu_off, why))
		why[0] = '\0';
}

/* What leads on, from struct to struct. "": all of it is there. */
static bool ask_path(const struct btf *btf, const char *const path[][2], size_t n, char *why)
{
	uint32_t at = 0;

	for (size_t i = 0; i < n; i++)
		if (!add_member(btf, path[i][0], path[i][1], &at, why))
			return false;
	return true;
}
#define ASK_PATH(btf, path, why) ask_path(btf, path, sizeof(path) / sizeof(*(path)), why)

/* From a request and from a socket to the control group each was made in, and to those above it. */
static void ask_cgroups(const struct btf *btf, struct features *f)
{
	static const char *const request[][2] = {
		{"request", "bio"},
		{"bio", "bi_blkg"},
		{"blkcg_gq", "blkcg"},
		{"blkcg", "css"},
		{"cgroup_subsys_state", "cgroup"},
	};
	static const char *const sock[][2] = {
		{"sock", "sk_cgrp_data"},
		{"sock_cgroup_data", "cgroup"},
	};
	static const char *const group[][2] = {
		{"cgroup", "level"},
		{"cgroup", "kn"},
		{"kernfs_node", "id"},
	};
	char why[FEATURE_WHY] = "";
	bool groups = ASK_PATH(btf, group, why);

	if (groups && !add_member(btf, "cgroup", "ancestors", &f->cgroup_ancestors_offset, why)) {
		int ids = member_offset(btf, "cgroup", "ancestor_ids");

		f->cgroup_ancestors_are_ids = true;
		f->cgroup_ancestors_offset = ids < 0 ? 0 : (uint32_t)ids;
		groups = ids >= 0;
	}
	if (ASK_PATH(btf, request, f->origin_why))
		strcpy(f->origin_why, groups ? "" : why);
	if (ASK_PATH(btf, sock, f->sock_cgroup_why))
		strcpy(f->sock_cgroup_why, groups ? "" : why);
}

/* What leads to a processor's memory, and with that to the counters there. */
static void ask_layout(const struct btf *btf, struct features *f)
{
	struct kernel_layout *l = &f->layout;
	uint32_t at = 0;

	if (set_percpu(btf, "runqueues", &l->runqueues, f->host_why) &&
	    add_member(btf, "sched_entity", "cfs_rq", &at, f->host_why) &&
	    add_member(btf, "cfs_rq", "rq", &at, f->host_why)) {
		l->usable = 1;
		ask_host(btf, l, f->host_why);
		ask_disks(btf, l, f->disk_stats_why);
	} else {
		memcpy(f->disk_stats_why, f->host_why, sizeof(f->host_why));
	}
	ask_cgroups(btf, f);
}

/* The coarse clock ticks once a jiffy. */
static unsigned int ask_hz(void)
{
	struct timespec t;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &t) || t.tv_sec || t.tv_nsec <= 0)
		return 0;
	return (unsigned int)((NS_PER_S + t.tv_nsec / 2) / t.tv_nsec);
}

static void ask_request_flags(const struct btf *btf, struct features *f)
{
	int io_stat = enumerator(btf, "__RQF_IO_STAT"), stats = enumerator(btf, "__RQF_STATS");

	if (io_stat >= 0 && stats >= 0) {
		f->rqf_io_stat_bit = (uint32_t)io_stat;
		f->rqf_stats_bit = (uint32_t)stats;
		f->rqf_source = "BTF";
	} else {
		/* Macros up to 6.10 (include/linux/blk-mq.h), with these values since 5.x. */
		f->rqf_io_stat_bit = 13;
		f->rqf_stats_bit = 17;
		f->rqf_source = "the kernels whose flags are macros";
	}
}

void features_of(const struct btf *btf, struct features *f)
{
	memset(f, 0, sizeof(*f));
	f->typed_block = has_tracepoint(btf, "block_rq_complete");
	f->typed_requeue = has_tracepoint(btf, "block_rq_requeue");
	f->typed_sched = has_tracepoint(btf, "sched_switch");
	f->typed_retransmit = has_tracepoint(btf, "tcp_retransmit_skb");
	/* Since 6.17, which also fires where they did not leave. */
	f->retransmit_has_err = tracepoint_arguments(btf, "tcp_retransmit_skb") > 2;
	f->typed_state = has_tracepoint(btf, "inet_sock_set_state");
	f->iter_task_file = btf__find_by_name_kind(btf, "bpf_iter__task_file", BTF_KIND_STRUCT) > 0;
	f->typed_process_exit = has_tracepoint(btf, "sched_process_exit");
	f->typed_process_free = has_tracepoint(btf, "sched_process_free");
	f->iter_task = btf__find_by_name_kind(btf, "bpf_iter__task", BTF_KIND_STRUCT) > 0;
	f->iter_tcp = btf__find_by_name_kind(btf, "bpf_iter__tcp", BTF_KIND_STRUCT) > 0;
	ask_request_flags(btf, f);
	/* Since 6.10 (99dc422335d8 "block: support to account io_ticks precisely"), which this later
	 * function stands for: a kernel between them is read once more than it needs. */
	f->in_flight_kept = btf__find_by_name_kind(btf, "bdev_count_inflight", BTF_KIND_FUNC) > 0;
	ask_layout(btf, f);
}

int features_ask(struct features *f)
{
	struct btf *btf = btf__load_vmlinux_btf();

	memset(f, 0, sizeof(*f));
	if (btf)
		features_of(btf, f);
	f->btf = btf != NULL;
	f->hz = ask_hz();
	btf__free(btf);
	return f->btf ? 0 : -ENOENT;
}
