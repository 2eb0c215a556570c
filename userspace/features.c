// SPDX-License-Identifier: BSD-2-Clause
/* What this kernel offers (BTF) and what this process may do (capabilities). */
#include "features.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>

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

/* Offset of a member of a named struct in bytes; -1 if there is none. */
static int member_offset(const struct btf *btf, const char *type, const char *member)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	for (uint32_t i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(t)[i].name_off), member))
			return (int)btf_member_bit_offset(t, i) / 8;
	return -1;
}

int features_ask(struct features *f)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int io_stat, stats, ancestors;

	memset(f, 0, sizeof(*f));
	if (!btf)
		return -ENOENT;
	f->btf = true;
	f->typed_block = has_tracepoint(btf, "block_rq_complete");
	f->typed_sched = has_tracepoint(btf, "sched_switch");
	f->typed_retransmit = has_tracepoint(btf, "tcp_retransmit_skb");
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
	{CAP_NET_ADMIN, "CAP_NET_ADMIN"}, /* the TCP iterator */
	{CAP_SYS_ADMIN, "CAP_SYS_ADMIN"}, /* enter a network namespace */
};

void features_missing_caps(char *buf, size_t size)
{
	cap_t caps = cap_get_proc();
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; caps && i < sizeof(needed) / sizeof(*needed); i++) {
		cap_flag_value_t have = CAP_CLEAR;

		cap_get_flag(caps, needed[i].cap, CAP_EFFECTIVE, &have);
		if (have == CAP_SET || used >= size)
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
