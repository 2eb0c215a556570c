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

#include "userspace/common/options.h"
#include "internal.h"
#include "userspace/probe/rights/rights.h"

/*
 * Each family: its program on a typed tracepoint and the twin on the raw one (compat.bpf.h), or an
 * iterator or a program that user space runs, which have no twin. `instead` is what there is without.
 */
static const struct family_row {
	const char *name, *typed, *raw, *target, *instead;
	size_t feature; /* the bool in struct features that says whether `typed` can load; 0: choose() */
	size_t why; /* the text in struct features that says why it cannot; 0: there is none */
} families[PROBE_FAMILIES] = {
	[PROBE_BLOCK] = {"block", "block_typed", "block_raw", "block_rq_complete",
			 "no latency histograms of disks", offsetof(struct features, typed_block),
			 0},
	[PROBE_REQUEUE] = {"requeue", "requeue_typed", "requeue_raw", "block_rq_requeue",
			   "no requeue/s of disks", offsetof(struct features, typed_requeue), 0},
	[PROBE_SCHED] = {"sched", "sched_typed", "sched_raw", "sched_switch", "no run-queue delays",
			 offsetof(struct features, typed_sched), 0},
	[PROBE_TCP] = {"tcp", "tcp_seed", NULL, "iter/tcp", "TCP sockets are asked for by netlink",
		       offsetof(struct features, iter_tcp), 0},
	[PROBE_TCP_PID] = {"tcp-pid", "tcp_seed_pid", NULL, "iter/task_file",
			   "--pid cannot be: all TCP sockets of the namespace are looked at",
			   offsetof(struct features, iter_task_file), 0},
	[PROBE_TCP_STATE] = {"tcp-state", "tcp_state", NULL, "tp_btf/inet_sock_set_state",
			     "TCP sockets are asked for by netlink",
			     offsetof(struct features, typed_state), 0},
	[PROBE_RETRANSMIT] = {"retransmit", "retransmit_typed", "retransmit_raw",
			      "tcp_retransmit_skb", "no retrans/s of all sockets",
			      offsetof(struct features, typed_retransmit), 0},
	[PROBE_TASK] = {"process", "task_pass", NULL, "iter/task", "no processes",
			offsetof(struct features, iter_task), 0},
	[PROBE_TASK_EXIT] = {"process-exit", "task_exit_typed", "task_exit_raw",
			     "sched_process_exit",
			     "processes that come and go within a second are missed",
			     offsetof(struct features, typed_process_exit), 0},
	[PROBE_TASK_FREE] = {"process-free", "task_free_typed", "task_free_raw",
			     "sched_process_free", "what processes use while they exit is missed",
			     offsetof(struct features, typed_process_free), 0},
	[PROBE_HOST] = {"host", "sweep_host", NULL, "kernel memory",
			"host counters are read from /proc", 0,
			offsetof(struct features, host_why)},
	[PROBE_DISK_STATS] = {"disk-stats", "read_disks", NULL, "kernel memory",
			      "statistics of disks are read from /sys", 0,
			      offsetof(struct features, disk_stats_why)},
	[PROBE_ORIGIN] = {"origin", "", NULL, "control groups of requests",
			  "all bytes of disks without their origin", 0,
			  offsetof(struct features, origin_why)},
	[PROBE_TCP_CGROUP] = {"tcp-cgroup", "", NULL, "control groups of sockets",
			      "--cgroup selects no TCP sockets: all of the namespace are looked at",
			      0, offsetof(struct features, sock_cgroup_why)},
	[PROBE_THREADS] = {"threads", "thread_look", NULL, "iter/task",
			   "nothing of what threads wait for", offsetof(struct features, iter_task),
			   0},
	[PROBE_USER_STACKS] = {"user-stacks", "cpu_clock", NULL, "cpu-clock",
			       "nothing of what threads compute", offsetof(struct features, btf),
			       0},
};

/* Run by user space: those that no kernel can lack anything for, and those that go with a family. */
static const struct called_row {
	const char *name;
	bool always;
	enum probe_family families[2]; /* any of them */
} called[] = {
	{"sweep_disks", true, {0}},
	{"sweep_tcp", true, {0}},
	{"look_tcp", false, {PROBE_TCP, PROBE_TCP}},
	{"sweep_runq", true, {0}},
	{"sweep_end", true, {0}},
	{"find_disk", false, {PROBE_DISK_STATS, PROBE_DISK_STATS}},
	{"number_of_disk", false, {PROBE_DISK_STATS, PROBE_DISK_STATS}},
	{"learn", false, {PROBE_HOST, PROBE_DISK_STATS}},
	{"learn_parked", false, {PROBE_HOST, PROBE_DISK_STATS}},
	{"name_function", false, {PROBE_THREADS, PROBE_THREADS}},
};

/*
 * libbpf tells what a program lacks only in what it prints: behind the verifier's log stands which
 * field the instruction that it stumbled over wanted. Kept for the next explain().
 */
static char lacking[96];
/* The program that libbpf spoke of last: when a load fails, the one that the kernel refused. */
static char refused[64];

static void find_refused(const char *text)
{
	static const char words[] = "libbpf: prog '";
	const char *end;

	if (strncmp(text, words, strlen(words)))
		return;
	text += strlen(words);
	end = strchr(text, '\'');
	if (end)
		snprintf(refused, sizeof(refused), "%.*s", (int)(end - text), text);
}

static void find_lacking(const char *text)
{
	static const char words[] = "failed to resolve CO-RE relocation <";
	const char *at = strstr(text, words), *end;

	at = at ? strstr(at, "] ") : NULL;
	end = at ? strchr(at, '(') : NULL;
	if (!end || end - at < 4)
		return;
	at += strlen("] ");
	if (!strncmp(at, "struct ", strlen("struct ")))
		at += strlen("struct ");
	snprintf(lacking, sizeof(lacking), "%.*s", (int)(end - at - 1), at);
}

static int on_libbpf(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char *text = NULL;

	if (getenv("LIMPET_DEBUG")) {
		va_list again;

		va_copy(again, ap);
		vfprintf(stderr, fmt, again);
		va_end(again);
	}
	if (level == LIBBPF_WARN && vasprintf(&text, fmt, ap) >= 0) {
		find_lacking(text);
		find_refused(text);
		free(text);
	}
	return 0;
}

/* Of four sweeps with some 16 disks. */
#define RING_USUAL (1U << 20)

static const char *load_hint(int err)
{
	return err == -EPERM || err == -EACCES ? " (needs root, or CAP_BPF and CAP_PERFMON)"
					       : " (LIMPET_DEBUG=1 shows the kernel's words)";
}

static void explain(struct family_status *st, const char *what, const char *name, int err)
{
	if (*lacking)
		snprintf(st->why, WHY_LEN, "this kernel has no field '%s'", lacking);
	else
		snprintf(st->why, WHY_LEN, "cannot %s '%s': %s%s", what, name, strerror(-err),
			 load_hint(err));
}

static const char *leave_out(struct family_status *st, const char *option)
{
	st->left_out = true;
	snprintf(st->why, WHY_LEN, "left out (%s)", option);
	return NULL;
}

/* The program of a family that fits this kernel and the wish of the user; NULL with a reason. */
static const char *choose(const struct family_row *row, const struct features *f,
			  enum attach_mode mode, struct family_status *st)
{
	bool typed = *((const bool *)f + row->feature);

	snprintf(st->how, sizeof(st->how), "%s", row->target);
	if (row->why) {
		snprintf(st->why, WHY_LEN, "%s", (const char *)f + row->why);
		return *st->why ? NULL : row->typed;
	}
	if (!row->raw) {
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

static bool any_cgroup(const struct probe_opts *o, enum cgroup_use use)
{
	for (size_t i = 0; i < o->n_cgroups; i++)
		if (use == CGROUP_OF_REQUESTS ? o->cgroups[i].requests : !o->cgroups[i].v1)
			return true;
	return false;
}

static void choose_all(struct probe *p, const struct probe_opts *o,
		       const char *chosen[PROBE_FAMILIES])
{
	struct family_status *st = p->status;

	for (int i = 0; i < PROBE_FAMILIES; i++) {
		st[i].name = families[i].name;
		st[i].instead = families[i].instead;
		chosen[i] = choose(&families[i], &p->features, o->attach, &st[i]);
		p->prog_fd[i] = -1;
	}
	if (o->no_sched)
		chosen[PROBE_SCHED] = leave_out(&st[PROBE_SCHED], "--no-sched");
	for (int i = PROBE_TASK; o->no_processes && i <= PROBE_TASK_FREE; i++)
		chosen[i] = leave_out(&st[i], "--no-processes");
#ifndef __x86_64__
	chosen[PROBE_DISK_STATS] = leave_out(&st[PROBE_DISK_STATS], "on x86-64 only");
#endif
	if (!any_cgroup(o, CGROUP_OF_REQUESTS))
		chosen[PROBE_ORIGIN] = leave_out(&st[PROBE_ORIGIN],
						 o->n_cgroups ? "--cgroup has no block controller"
							      : "no --cgroup");
	if (!any_cgroup(o, CGROUP_OF_SOCKETS))
		chosen[PROBE_TCP_CGROUP] = leave_out(&st[PROBE_TCP_CGROUP], "no --cgroup of v2");
	if (!o->n_pids)
		chosen[PROBE_TCP_PID] = leave_out(&st[PROBE_TCP_PID], "no --pid");
	if (!o->n_pids && !o->n_cgroups)
		chosen[PROBE_THREADS] = leave_out(&st[PROBE_THREADS], "no --pid, no --cgroup");
	if (o->no_profile)
		chosen[PROBE_THREADS] = leave_out(&st[PROBE_THREADS], "--no-profile");
	if (!o->user_stacks)
		chosen[PROBE_USER_STACKS] = leave_out(&st[PROBE_USER_STACKS], "no --user-stacks");
	if (o->attach == ATTACH_RAW && chosen[PROBE_TCP_STATE]) {
		chosen[PROBE_TCP_STATE] = NULL;
		snprintf(st[PROBE_TCP_STATE].why, WHY_LEN, "needs a typed tracepoint (tp_btf)");
	}
	probe_tcp_choose(p, chosen);
}

/* Of one sweep, each record with its header. */
static size_t sweep_bytes(const struct probe_opts *o)
{
	return (o->disk_slots + 1) * (sizeof(struct disk_slot) + 16) +
	       MAX_REMOTES * (sizeof(struct remote_record) + 8) + 16384;
}

/* What LIMPET_RING_BYTES says, for looking at what happens when there is too little room; else 0. */
static unsigned int wished_bytes(uint32_t page)
{
	const char *wish = getenv("LIMPET_RING_BYTES");
	unsigned int bytes;

	return wish && !parse_uint(wish, page, 1U << 30, &bytes) ? bytes : 0;
}

/* libbpf maps the buffer twice, and all of that is resident: with many disks fewer wait. */
static unsigned int sweeps_kept(const struct probe_opts *o, unsigned int wish)
{
	return wish || 4 * sweep_bytes(o) <= RING_USUAL ? 4 : 2;
}

/* Room for the sweeps that may wait, or what was wished. A power of two, and whole pages. */
static uint32_t ring_bytes(const struct probe_opts *o)
{
	uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE), ring = page < 65536 ? 65536 : page;
	unsigned int wish = wished_bytes(page);
	size_t need = wish ? wish : sweeps_kept(o, 0) * sweep_bytes(o);

	if (wish)
		ring = page;
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
	s->rodata->with_origin = any_cgroup(o, CGROUP_OF_REQUESTS) && !f->origin_why[0];
	s->rodata->by_cgroup = any_cgroup(o, CGROUP_OF_SOCKETS) && !f->sock_cgroup_why[0];
	probe_size_cgroups(s, o->cgroups, o->n_cgroups);
	for (size_t i = 0; i < o->n_cgroups; i++)
		s->rodata->writeback_anonymous |= o->cgroups[i].requests && o->cgroups[i].v1;
	s->rodata->cgroup_ancestors_offset = f->cgroup_ancestors_offset;
	s->rodata->cgroup_ancestors_are_ids = f->cgroup_ancestors_are_ids;
	s->rodata->netns_inum = o->netns->inum;
	probe_tcp_select(s, o->ports, o->n_ports, o->pids, o->n_pids);
	s->rodata->retransmit_has_err = f->retransmit_has_err;
	for (int i = 1; i < (int)(sizeof(s->rodata->ln_q20) / sizeof(*s->rodata->ln_q20)); i++)
		s->rodata->ln_q20[i] = (uint32_t)lround(log(i) * (1 << 20));
	s->rodata->n_cpus = cpus > 0 ? (uint32_t)cpus : 1;
	bpf_map__set_max_entries(s->maps.cpu_slots, s->rodata->n_cpus);
	bpf_map__set_max_entries(s->maps.disk_slots, (uint32_t)o->disk_slots + 1);
	bpf_map__set_max_entries(s->maps.records, ring_bytes(o));
	probe_size_tasks(s, !o->no_processes);
	bpf_map__set_autocreate(s->maps.threads_seen,
				!o->no_profile && (o->n_pids || o->n_cgroups));
	probe_size_user_stacks(s, o->user_stacks);
	probe_tcp_size(s, o);
	return s;
}

static bool is_wanted(const char *name, const char *const chosen[PROBE_FAMILIES])
{
	for (int i = 0; i < PROBE_FAMILIES; i++)
		if (chosen[i] && !strcmp(name, chosen[i]))
			return true;
	for (size_t i = 0; i < sizeof(called) / sizeof(*called); i++)
		if (!strcmp(name, called[i].name))
			return called[i].always || chosen[called[i].families[0]] ||
			       chosen[called[i].families[1]];
	return false;
}

/* Loads the families in `chosen`; 0 or -errno. */
static int load(struct probe *p, const struct probe_opts *o,
		const char *const chosen[PROBE_FAMILIES])
{
	struct bpf_program *prog;

	probe_bpf__destroy(p->skel);
	p->skel = configure(o, &p->features);
	if (!p->skel)
		return -errno;
	bpf_object__for_each_program(prog, p->skel->obj)
		bpf_program__set_autoload(prog, is_wanted(bpf_program__name(prog), chosen));
	lacking[0] = refused[0] = '\0';
	return probe_bpf__load(p->skel);
}

/* Gives up the families that need the program refused by the load that failed; false if there is none. */
static bool give_up(struct probe *p, const char *chosen[PROBE_FAMILIES], int err)
{
	const char *const none[PROBE_FAMILIES] = {NULL};
	bool found = false;

	if (!*refused || is_wanted(refused, none))
		return false;
	for (int i = 0; i < PROBE_FAMILIES; i++) {
		const char *one[PROBE_FAMILIES] = {NULL};

		one[i] = chosen[i];
		if (!chosen[i] || !is_wanted(refused, one))
			continue;
		explain(&p->status[i], "load", chosen[i], err);
		chosen[i] = NULL;
		found = true;
	}
	return found;
}

/* Loads each family alone, and gives up those that the kernel refuses. */
static int try_each(struct probe *p, const struct probe_opts *o, const char *chosen[PROBE_FAMILIES])
{
	const char *none[PROBE_FAMILIES] = {NULL};
	int err = load(p, o, none);

	if (err)
		return err;
	for (int i = 0; i < PROBE_FAMILIES; i++) {
		const char *one[PROBE_FAMILIES] = {NULL};

		one[i] = chosen[i];
		err = chosen[i] && *chosen[i] ? load(p, o, one) : 0;
		if (err) {
			explain(&p->status[i], "load", chosen[i], err);
			chosen[i] = NULL;
		}
	}
	return 0;
}

/*
 * All at once if the kernel takes it; else without the families that it refuses, one program after the other. If
 * libbpf does not say which program that is, each family is loaded alone.
 */
static int load_what_works(struct probe *p, const struct probe_opts *o,
			   const char *chosen[PROBE_FAMILIES])
{
	const char *loaded[PROBE_FAMILIES];
	int err = load(p, o, chosen);

	while (err && give_up(p, chosen, err))
		err = load(p, o, chosen);
	memcpy(loaded, chosen, sizeof(loaded));
	if (err && try_each(p, o, chosen))
		return err;
	/* Which of them there are decides whether that program can do its work. */
	probe_tcp_choose(p, chosen);
	return err || memcmp(loaded, chosen, sizeof(loaded)) ? load(p, o, chosen) : 0;
}

/* Programs that user space runs need no link, and the one of --pid has one for each process. */
static bool attaches(enum probe_family family)
{
	return family < PROBE_HOST && family != PROBE_TCP_PID;
}

static void attach(struct probe *p, const char *const chosen[PROBE_FAMILIES])
{
	for (int i = 0; i < PROBE_FAMILIES; i++) {
		struct family_status *st = &p->status[i];
		struct bpf_program *prog;

		if (!chosen[i])
			continue;
		prog = bpf_object__find_program_by_name(p->skel->obj, chosen[i]);
		p->prog_fd[i] = prog ? bpf_program__fd(prog) : -1;
		if (attaches(i))
			p->links[i] = bpf_program__attach(prog);
		st->ok = !attaches(i) || p->links[i];
		if (!st->ok)
			explain(st, "attach", st->how, -errno);
	}
}

int probe_new(struct probe **out, const struct probe_opts *o, probe_record_fn fn, void *arg,
	      char *why)
{
	struct probe *p = calloc(1, sizeof(*p));
	const char *chosen[PROBE_FAMILIES];
	int err;

	*out = NULL;
	if (!p)
		return -ENOMEM;
	libbpf_set_print(on_libbpf);
	p->fn = fn;
	p->arg = arg;
	p->crowded_fd = -1;
	pthread_mutex_init(&p->wanted_lock, NULL);
	err = features_ask(&p->features);
	if (err) {
		snprintf(why, WHY_LEN,
			 "this kernel has no BTF (/sys/kernel/btf/vmlinux; needs "
			 "CONFIG_DEBUG_INFO_BTF=y, as in Debian's kernels)");
		goto out;
	}
	p->sweeps_kept = sweeps_kept(o, wished_bytes((uint32_t)sysconf(_SC_PAGESIZE)));
	choose_all(p, o, chosen);
	err = load_what_works(p, o, chosen);
	if (err) {
		char caps[128];

		rights_missing(caps, sizeof(caps), o->netns->fd >= 0);
		snprintf(why, WHY_LEN, "cannot load the eBPF programs: %s%s%s%s", strerror(-err),
			 load_hint(err), caps[0] ? "; missing here: " : "", caps);
		goto out;
	}
	attach(p, chosen);
	if (p->status[PROBE_ORIGIN].ok && !p->status[PROBE_BLOCK].ok)
		probe_distrust(p, PROBE_ORIGIN, "no block");
	if (!p->status[PROBE_TCP].ok || !p->status[PROBE_TCP_STATE].ok) {
		if (p->status[PROBE_TCP].ok)
			probe_distrust(p, PROBE_TCP, "no tcp-state");
		p->status[PROBE_TCP_STATE].ok = false;
		if (p->status[PROBE_TCP_CGROUP].ok)
			probe_distrust(p, PROBE_TCP_CGROUP, "no tcp");
	}
	probe_pids_attach(p, o);
	probe_open_tasks(p);
	if (p->status[PROBE_USER_STACKS].ok && !p->status[PROBE_THREADS].ok)
		probe_distrust(p, PROBE_USER_STACKS, "no threads");
	probe_open_user_stacks(p);
	probe_learn_cpus(p);
	probe_learn_parked(p);
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
	if (p->crowded_fd >= 0)
		close(p->crowded_fd);
	probe_pids_release(p);
	probe_close_user_stacks(p);
	for (int i = 0; i < PROBE_FAMILIES; i++)
		bpf_link__destroy(p->links[i]);
	probe_bpf__destroy(p->skel);
	pthread_mutex_destroy(&p->wanted_lock);
	free(p);
}

void probe_distrust(struct probe *p, enum probe_family family, const char *why)
{
	p->status[family].ok = false;
	snprintf(p->status[family].why, WHY_LEN, "%s", why);
}

/* What there is without eBPF. */
static const struct family_status *status_without(void)
{
	static struct family_status none[PROBE_FAMILIES];

	for (int i = 0; i < PROBE_FAMILIES; i++) {
		none[i].name = families[i].name;
		none[i].instead = families[i].instead;
		strcpy(none[i].why, "no eBPF");
	}
	return none;
}

const struct family_status *probe_status(const struct probe *p)
{
	return p ? p->status : status_without();
}
