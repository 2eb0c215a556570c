// SPDX-License-Identifier: BSD-2-Clause
/* The kernel side as one handle: open, configure, load, attach, sweep, consume. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "options.h"
#include "probe_inside.h"

/* Each family: its program on a typed tracepoint and the twin on the raw one (compat.bpf.h), or an
 * iterator, which has no twin. */
static const struct family_row {
	const char *name, *typed, *raw, *target;
	size_t feature; /* the bool in struct features that says whether `typed` can load */
} families[PROBE_FAMILIES] = {
	[PROBE_BLOCK] = {"block", "block_typed", "block_raw", "block_rq_complete",
			 offsetof(struct features, typed_block)},
	[PROBE_SCHED] = {"sched", "sched_typed", "sched_raw", "sched_switch",
			 offsetof(struct features, typed_sched)},
	[PROBE_TCP] = {"tcp", "tcp_pass", NULL, "iter/tcp", offsetof(struct features, iter_tcp)},
	[PROBE_TCP_CLOSE] = {"tcp-close", "tcp_close_typed", "tcp_close_raw", "inet_sock_set_state",
			     offsetof(struct features, typed_close)},
	[PROBE_RETRANSMIT] = {"retransmit", "retransmit_typed", "retransmit_raw",
			      "tcp_retransmit_skb", offsetof(struct features, typed_retransmit)},
	[PROBE_TASK] = {"process", "task_pass", NULL, "iter/task",
			offsetof(struct features, iter_task)},
	[PROBE_TASK_EXIT] = {"process-exit", "task_exit_typed", "task_exit_raw",
			     "sched_process_exit", offsetof(struct features, typed_process_exit)},
	[PROBE_TASK_FREE] = {"process-free", "task_free_typed", "task_free_raw",
			     "sched_process_free", offsetof(struct features, typed_process_free)},
};

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	if (!getenv("LIMPET_DEBUG"))
		return 0;
	(void)level;
	return vfprintf(stderr, fmt, ap);
}

static const char *load_hint(int err)
{
	return err == -EPERM || err == -EACCES ? " (needs root, or CAP_BPF and CAP_PERFMON)"
					       : " (LIMPET_DEBUG=1 shows the kernel's words)";
}

/* The program of a family that fits this kernel and the wish of the user; NULL with a reason. */
static const char *choose(const struct family_row *row, const struct features *f,
			  enum attach_mode mode, struct family_status *st)
{
	bool typed = *((const bool *)f + row->feature);

	if (!row->raw) {
		snprintf(st->how, sizeof(st->how), "%s", row->target);
		if (!typed)
			snprintf(st->why, sizeof(st->why), "this kernel has no '%s'", row->target);
		return typed ? row->typed : NULL;
	}
	if (mode == ATTACH_TYPED && !typed) {
		snprintf(st->why, sizeof(st->why), "BTF has no typed tracepoint '%s'", row->target);
		return NULL;
	}
	typed = typed && mode != ATTACH_RAW;
	snprintf(st->how, sizeof(st->how), "%s/%s", typed ? "tp_btf" : "raw_tp", row->target);
	return typed ? row->typed : row->raw;
}

/* Room for four sweeps, each record with its header; or what LIMPET_RING_BYTES says, for looking at
 * what happens when there is too little. A power of two, and whole pages. */
static uint32_t ring_bytes(const struct probe_opts *o)
{
	size_t need = 4 * ((o->disk_slots + 1) * (sizeof(struct disk_slot) + 16) +
			   MAX_REMOTES * (sizeof(struct remote_record) + 8) + 16384);
	uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE), ring = page < 65536 ? 65536 : page;
	const char *wish = getenv("LIMPET_RING_BYTES");
	unsigned int bytes;

	if (wish && !parse_uint(wish, page, 1U << 30, &bytes)) {
		need = bytes;
		ring = page;
	}
	while (ring < need)
		ring *= 2;
	return ring;
}

/* Opens the object and sets everything that must be known before load. */
static struct probe_bpf *configure(const struct probe_opts *o, const struct features *f)
{
	struct probe_bpf *s = probe_bpf__open();
	int cpus = libbpf_num_possible_cpus();

	if (!s)
		return NULL;
	s->rodata->rqf_io_stat_bit = f->rqf_io_stat_bit;
	s->rodata->rqf_stats_bit = f->rqf_stats_bit;
	s->rodata->n_disks = (uint32_t)o->disk_slots;
	s->rodata->layout = f->layout;
	s->rodata->n_cgroups = (uint32_t)o->n_cgroups;
	for (size_t i = 0; i < o->n_cgroups; i++) {
		s->rodata->cgroup_level[i] = o->cgroups[i].level;
		s->rodata->cgroup_id[i] = o->cgroups[i].id;
		s->rodata->writeback_anonymous |= o->cgroups[i].v1;
	}
	s->rodata->cgroup_ancestors_offset = f->cgroup_ancestors_offset;
	s->rodata->cgroup_ancestors_are_ids = f->cgroup_ancestors_are_ids;
	s->rodata->netns_inum = o->netns->inum;
	s->rodata->n_ports = (uint32_t)o->n_ports;
	for (size_t i = 0; i < o->n_ports; i++)
		s->rodata->ports[i] = o->ports[i];
	s->rodata->n_pids = (uint32_t)o->n_pids;
	for (size_t i = 0; i < o->n_pids; i++)
		s->rodata->pids[i] = o->pids[i];
	s->bss->tcp_epoch = 1;
	for (int i = 1; i < (int)(sizeof(s->rodata->ln_q20) / sizeof(*s->rodata->ln_q20)); i++)
		s->rodata->ln_q20[i] = (uint32_t)lround(log(i) * (1 << 20));
	s->rodata->n_cpus = cpus > 0 ? (uint32_t)cpus : 1;
	bpf_map__set_max_entries(s->maps.cpu_slots, s->rodata->n_cpus);
	bpf_map__set_max_entries(s->maps.disk_slots, (uint32_t)o->disk_slots + 1);
	bpf_map__set_max_entries(s->maps.records, ring_bytes(o));
	probe_size_tasks(s, !o->no_processes);
	return s;
}

/* Run by user space, and loaded whatever families are. */
static const char *const called[] = {"sweep", "find_disk", "learn"};

/* Loads the families in `want`; 0 or -errno. */
static int load(struct probe *p, const struct probe_opts *o, const struct features *f,
		const char *const chosen[PROBE_FAMILIES])
{
	struct bpf_program *prog;
	int err;

	probe_bpf__destroy(p->skel);
	p->skel = configure(o, f);
	if (!p->skel)
		return -errno;
	bpf_object__for_each_program(prog, p->skel->obj)
	{
		bool wanted = false;

		for (size_t i = 0; i < sizeof(called) / sizeof(*called); i++)
			wanted |= !strcmp(bpf_program__name(prog), called[i]);
		for (int i = 0; i < PROBE_FAMILIES; i++)
			wanted |= chosen[i] && !strcmp(bpf_program__name(prog), chosen[i]);
		if (!strcmp(bpf_program__name(prog), "tcp_pass_pid"))
			wanted = probe_pids_wanted(p, o, chosen);
		bpf_program__set_autoload(prog, wanted);
	}
	err = probe_bpf__load(p->skel);
	return err;
}

/* All at once if the kernel takes it; else each alone, to find which one it refuses. */
static int load_what_works(struct probe *p, const struct probe_opts *o, const struct features *f,
			   const char *chosen[PROBE_FAMILIES])
{
	const char *none[PROBE_FAMILIES] = {NULL};
	int err = load(p, o, f, chosen);
	bool blamed;

	if (!err)
		return 0;
	blamed = o->n_pids && !p->pids_why[0];
	if (blamed) {
		snprintf(p->pids_why, WHY_LEN, "cannot load 'tcp_pass_pid': %s%s", strerror(-err),
			 load_hint(err));
		err = load(p, o, f, chosen);
		if (!err)
			return 0;
	}
	err = load(p, o, f, none);
	if (err)
		return err;
	for (int i = 0; i < PROBE_FAMILIES; i++) {
		const char *one[PROBE_FAMILIES] = {NULL};

		one[i] = chosen[i];
		err = chosen[i] ? load(p, o, f, one) : 0;
		if (err) {
			snprintf(p->status[i].why, WHY_LEN, "cannot load '%s': %s%s", chosen[i],
				 strerror(-err), load_hint(err));
			chosen[i] = NULL;
		}
	}
	/* Another family was refused, and the look at processes may be innocent. */
	if (blamed) {
		char why[WHY_LEN];

		memcpy(why, p->pids_why, sizeof(why));
		p->pids_why[0] = '\0';
		if (!load(p, o, f, chosen))
			return 0;
		memcpy(p->pids_why, why, sizeof(why));
	}
	return load(p, o, f, chosen);
}

static void attach(struct probe *p, const char *const chosen[PROBE_FAMILIES])
{
	for (int i = 0; i < PROBE_FAMILIES; i++) {
		struct family_status *st = &p->status[i];
		struct bpf_program *prog;

		if (!chosen[i])
			continue;
		prog = bpf_object__find_program_by_name(p->skel->obj, chosen[i]);
		p->prog_fd[i] = bpf_program__fd(prog);
		p->links[i] = bpf_program__attach(prog);
		st->ok = p->links[i] != NULL;
		if (!st->ok)
			snprintf(st->why, sizeof(st->why), "cannot attach '%s': %s%s", st->how,
				 strerror(errno), load_hint(-errno));
	}
}

int probe_new(struct probe **out, const struct probe_opts *o, probe_record_fn fn, void *arg,
	      char *why)
{
	struct probe *p = calloc(1, sizeof(*p));
	const char *chosen[PROBE_FAMILIES];
	struct features *f;
	int err;

	*out = NULL;
	if (!p)
		return -ENOMEM;
	libbpf_set_print(quiet);
	p->fn = fn;
	p->arg = arg;
	f = &p->features;
	err = features_ask(f);
	if (err) {
		snprintf(why, WHY_LEN,
			 "this kernel has no BTF (/sys/kernel/btf/vmlinux; needs "
			 "CONFIG_DEBUG_INFO_BTF=y, as in Debian's kernels)");
		goto out;
	}
	for (int i = 0; i < PROBE_FAMILIES; i++) {
		p->status[i].name = families[i].name;
		chosen[i] = choose(&families[i], f, o->attach, &p->status[i]);
		p->prog_fd[i] = -1;
	}
	if (o->no_sched) {
		snprintf(p->status[PROBE_SCHED].why, WHY_LEN, "left out (--no-sched)");
		chosen[PROBE_SCHED] = NULL;
	}
	for (int i = PROBE_TASK; o->no_processes && i <= PROBE_TASK_FREE; i++) {
		snprintf(p->status[i].why, WHY_LEN, "left out (--no-processes)");
		chosen[i] = NULL;
	}
	err = load_what_works(p, o, f, chosen);
	if (err) {
		char caps[128];

		features_missing_caps(caps, sizeof(caps), o->netns->fd >= 0);
		snprintf(why, WHY_LEN, "cannot load the eBPF programs: %s%s%s%s", strerror(-err),
			 load_hint(err), caps[0] ? "; missing here: " : "", caps);
		goto out;
	}
	attach(p, chosen);
	p->skel->bss->closes_counted = p->status[PROBE_TCP_CLOSE].ok;
	probe_pids_attach(p, o);
	probe_open_tasks(p);
	probe_learn_cpus(p);
	p->ring = ring_buffer__new(bpf_map__fd(p->skel->maps.records), probe_on_record, p, NULL);
	if (!p->ring) {
		err = -errno;
		snprintf(why, WHY_LEN, "cannot map the ring buffer: %s", strerror(errno));
	}
out:
	if (err)
		probe_free(p);
	else
		*out = p;
	return err;
}

void probe_free(struct probe *p)
{
	if (!p)
		return;
	ring_buffer__free(p->ring);
	ring_buffer__free(p->gone);
	probe_pids_release(p);
	for (int i = 0; i < PROBE_FAMILIES; i++)
		bpf_link__destroy(p->links[i]);
	probe_bpf__destroy(p->skel);
	free(p);
}

/* What there is without eBPF. */
static const struct family_status none[PROBE_FAMILIES] = {
	[PROBE_BLOCK] = {"block", false, "", "no eBPF"},
	[PROBE_SCHED] = {"sched", false, "", "no eBPF"},
	[PROBE_TCP] = {"tcp", false, "", "no eBPF"},
	[PROBE_TCP_CLOSE] = {"tcp-close", false, "", "no eBPF"},
	[PROBE_RETRANSMIT] = {"retransmit", false, "", "no eBPF"},
	[PROBE_TASK] = {"process", false, "", "no eBPF"},
	[PROBE_TASK_EXIT] = {"process-exit", false, "", "no eBPF"},
	[PROBE_TASK_FREE] = {"process-free", false, "", "no eBPF"},
};

const struct family_status *probe_status(const struct probe *p)
{
	return p ? p->status : none;
}
