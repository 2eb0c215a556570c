// SPDX-License-Identifier: BSD-2-Clause
/* What this kernel offers (BTF) and what this process may do (capabilities). */
#include "features.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>
#include <time.h>

static bool has_tracepoint(const struct btf *btf, const char *name)
{
	char type[64];

	snprintf(type, sizeof(type), "btf_trace_%s", name);
	return btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF) > 0;
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

/* Offset of a member of a named struct in bits; -1 if there is none. */
static int member_bit(const struct btf *btf, const char *type, const char *member)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	for (uint32_t i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(t)[i].name_off), member))
			return (int)btf_member_bit_offset(t, i);
	return -1;
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
	{"PGSTEAL_KSWAPD", VM_PGSTEAL},
	{"PGSTEAL_DIRECT", VM_PGSTEAL},
	{"PGSTEAL_KHUGEPAGED", VM_PGSTEAL},
	{"PGSTEAL_PROACTIVE", VM_PGSTEAL},
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

/*
 * struct tick_sched says whether the processor idles in a bit field up to 6.8, in a flag word since
 * (a478ffb2ae23 "tick: Move individual bit features to debuggable mask accesses"), where
 * TS_FLAG_IDLE_ACTIVE is a macro, BIT(2).
 */
static bool ask_tick(const struct btf *btf, struct kernel_layout *l)
{
	int bit = member_bit(btf, "tick_sched", "idle_active");

	if (bit < 0) {
		bit = member_bit(btf, "tick_sched", "flags");
		bit = bit < 0 ? -1 : bit + 2;
	}
	if (bit < 0)
		return false;
	l->tick_active_byte = (uint32_t)bit / 8;
	l->tick_active_mask = 1U << bit % 8;
	return true;
}

static const char *ask_layout(const struct btf *btf, struct kernel_layout *l)
{
	int64_t rq = percpu_offset(btf, "runqueues"), stat = percpu_offset(btf, "kernel_cpustat");
	int64_t vm = percpu_offset(btf, "vm_event_states");
	int64_t tick = percpu_offset(btf, "tick_cpu_sched");
	int64_t offset = percpu_offset(btf, "this_cpu_off");
	int parent = member_offset(btf, "kernfs_node", "parent");

	/* Renamed in 6.15 (633488947ef6 "kernfs: Use RCU to access kernfs_node::parent."). */
	if (parent < 0)
		parent = member_offset(btf, "kernfs_node", "__parent");
	if (rq < 0 || stat < 0 || vm < 0 || tick < 0 || !ask_tick(btf, l))
		return "this kernel's BTF does not say where its per-processor counters are";
	if (member_offset(btf, "sched_entity", "cfs_rq") < 0)
		return "this kernel's tasks do not lead to their run queue (no group scheduling)";
	ask_vm_events(btf, l);
	l->runqueues = (uint32_t)rq;
	l->kernel_cpustat = (uint32_t)stat;
	l->vm_event_states = (uint32_t)vm;
	l->tick_cpu_sched = (uint32_t)tick;
	l->this_cpu_off = offset > 0 && parent >= 0 ? (uint32_t)offset : 0;
	l->kernfs_parent = parent < 0 ? 0 : (uint32_t)parent;
	l->usable = 1;
	return NULL;
}

/* The coarse clock ticks once a jiffy. */
static unsigned int ask_hz(void)
{
	struct timespec t;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &t) || t.tv_sec || t.tv_nsec <= 0)
		return 0;
	return (unsigned int)((1000000000 + t.tv_nsec / 2) / t.tv_nsec);
}

int features_ask(struct features *f)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int io_stat, stats, ancestors;

	memset(f, 0, sizeof(*f));
	f->hz = ask_hz();
	if (!btf)
		return -ENOENT;
	f->btf = true;
	f->typed_block = has_tracepoint(btf, "block_rq_complete");
	f->typed_sched = has_tracepoint(btf, "sched_switch");
	f->typed_retransmit = has_tracepoint(btf, "tcp_retransmit_skb");
	f->typed_close = has_tracepoint(btf, "inet_sock_set_state");
	f->iter_task_file = btf__find_by_name_kind(btf, "bpf_iter__task_file", BTF_KIND_STRUCT) > 0;
	f->typed_process_exit = has_tracepoint(btf, "sched_process_exit");
	f->typed_process_free = has_tracepoint(btf, "sched_process_free");
	f->iter_task = btf__find_by_name_kind(btf, "bpf_iter__task", BTF_KIND_STRUCT) > 0;
	f->iter_tcp = btf__find_by_name_kind(btf, "bpf_iter__tcp", BTF_KIND_STRUCT) > 0;
	ancestors = member_offset(btf, "cgroup", "ancestors");
	if (ancestors < 0) {
		f->cgroup_ancestors_are_ids = true;
		ancestors = member_offset(btf, "cgroup", "ancestor_ids");
	}
	f->cgroup_ancestors_offset = ancestors < 0 ? 0 : (uint32_t)ancestors;
	io_stat = enumerator(btf, "__RQF_IO_STAT");
	stats = enumerator(btf, "__RQF_STATS");
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
	/* Since 6.10 (99dc422335d8 "block: support to account io_ticks precisely"), which this later
	 * function stands for: a kernel between them is read once more than it needs. */
	f->in_flight_kept = btf__find_by_name_kind(btf, "bdev_count_inflight", BTF_KIND_FUNC) > 0;
	f->layout_why = ask_layout(btf, &f->layout);
	btf__free(btf);
	return 0;
}

/* Every capability is dropped after attach; this is what each is for. */
static const struct {
	cap_value_t cap;
	const char *name;
} needed[] = {
	{CAP_BPF, "CAP_BPF"},		  /* load programs, create maps */
	{CAP_PERFMON, "CAP_PERFMON"},	  /* attach to tracepoints, read kernel memory */
	{CAP_SYS_NICE, "CAP_SYS_NICE"},	  /* punctual samples: SCHED_FIFO */
	{CAP_SYS_ADMIN, "CAP_SYS_ADMIN"}, /* enter a network namespace; only then */
};

void features_missing_caps(char *buf, size_t size, bool netns)
{
	cap_t caps = cap_get_proc();
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; caps && i < sizeof(needed) / sizeof(*needed); i++) {
		cap_flag_value_t have = CAP_CLEAR;

		cap_get_flag(caps, needed[i].cap, CAP_EFFECTIVE, &have);
		if (have == CAP_SET || used >= size || (needed[i].cap == CAP_SYS_ADMIN && !netns))
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
					 needed[i].name);
	}
	cap_free(caps);
}

int features_drop_caps(void)
{
	cap_t none = cap_init();
	int err = 0;

	if (!none || cap_set_proc(none))
		err = -errno;
	cap_free(none);
	return err;
}
