// SPDX-License-Identifier: BSD-2-Clause
/* The kernel side as one handle: open, configure, load, attach, sweep, consume. */
#include "probe.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "../bpf/record.h"
#include "probe.skel.h"

struct probe {
	struct probe_bpf *skel;
	struct bpf_link *links[PROBE_FAMILIES];
	int prog_fd[PROBE_FAMILIES]; /* the skeleton's; only where the family works */
	struct ring_buffer *ring;
	struct family_status status[PROBE_FAMILIES];
	int n_disks;
	probe_record_fn fn;
	void *arg;
};

/* Each family: its program on a typed tracepoint and the twin on the raw one (compat.bpf.h). */
static const struct family_row {
	const char *name, *typed, *raw, *tracepoint;
	size_t feature; /* the bool in struct features that says whether `typed` can load */
} families[PROBE_FAMILIES] = {
	[PROBE_BLOCK] = {"block", "block_typed", "block_raw", "block_rq_complete",
			 offsetof(struct features, typed_block)},
	[PROBE_SCHED] = {"sched", "sched_typed", "sched_raw", "sched_switch",
			 offsetof(struct features, typed_sched)},
	[PROBE_TCP] = {"tcp", "tcp_pass", NULL, NULL, offsetof(struct features, iter_tcp)},
	[PROBE_RETRANSMIT] = {"retransmit", "retransmit_typed", "retransmit_raw",
			      "tcp_retransmit_skb", offsetof(struct features, typed_retransmit)},
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
	return err == -EPERM || err == -EACCES ? " (needs root, or CAP_BPF, CAP_PERFMON and "
						 "CAP_NET_ADMIN)"
					       : " (LIMPET_DEBUG=1 shows the kernel's words)";
}

/* The program of a family that fits this kernel and the wish of the user; NULL with a reason. */
static const char *choose(const struct family_row *row, const struct features *f,
			  enum attach_mode mode, struct family_status *st)
{
	bool typed = *((const bool *)f + row->feature);

	if (!row->raw) {
		snprintf(st->how, sizeof(st->how), "iter/tcp");
		if (!typed)
			snprintf(st->why, sizeof(st->why), "this kernel has no TCP iterator");
		return typed ? row->typed : NULL;
	}
	if (mode == ATTACH_TYPED && !typed) {
		snprintf(st->why, sizeof(st->why), "BTF has no typed tracepoint '%s'",
			 row->tracepoint);
		return NULL;
	}
	typed = typed && mode != ATTACH_RAW;
	snprintf(st->how, sizeof(st->how), "%s/%s", typed ? "tp_btf" : "raw_tp", row->tracepoint);
	return typed ? row->typed : row->raw;
}

/* Opens the object and sets everything that must be known before load. */
static struct probe_bpf *configure(const struct probe_opts *o, const struct features *f)
{
	struct probe_bpf *s = probe_bpf__open();
	size_t need =
		4 * (o->n_disks * sizeof(struct disk_record) + sizeof(struct tcp_record) + 4096);
	uint32_t ring = 65536;

	if (!s)
		return NULL;
	s->rodata->rqf_io_stat_bit = f->rqf_io_stat_bit;
	s->rodata->rqf_stats_bit = f->rqf_stats_bit;
	s->rodata->n_disks = (uint32_t)o->n_disks;
	for (size_t i = 0; i < o->n_disks; i++)
		s->bss->disk_dev[i] = o->disks[i].dev;
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
	for (int i = 1; i < (int)(sizeof(s->rodata->ln_q20) / sizeof(*s->rodata->ln_q20)); i++)
		s->rodata->ln_q20[i] = (uint32_t)lround(log(i) * (1 << 20));
	s->rodata->n_cpus = (uint32_t)libbpf_num_possible_cpus();
	if (s->rodata->n_cpus > MAX_CPUS)
		s->rodata->n_cpus = MAX_CPUS;
	while (ring < need)
		ring *= 2;
	bpf_map__set_max_entries(s->maps.records, ring);
	return s;
}

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
		bool wanted = !strcmp(bpf_program__name(prog), "sweep");

		for (int i = 0; i < PROBE_FAMILIES; i++)
			wanted |= chosen[i] && !strcmp(bpf_program__name(prog), chosen[i]);
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

	if (!err)
		return 0;
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

static int on_record(void *ctx, void *data, size_t size)
{
	static const size_t sizes[] = {
		[REC_DISK] = sizeof(struct disk_record),
		[REC_TCP] = sizeof(struct tcp_record),
		[REC_SCHED] = sizeof(struct sched_record),
		[REC_END] = sizeof(struct end_record),
	};
	const struct record_head *head = data;
	struct probe *p = ctx;

	if (size >= sizeof(*head) && head->type < sizeof(sizes) / sizeof(*sizes) &&
	    size == sizes[head->type] && sizes[head->type])
		p->fn(p->arg, head);
	/* A negative value ends this call of consume, with the record taken: one sweep at a time. */
	return head->type == REC_END ? -ECANCELED : 0;
}

int probe_new(struct probe **out, const struct probe_opts *o, probe_record_fn fn, void *arg,
	      char *why)
{
	struct probe *p = calloc(1, sizeof(*p));
	const char *chosen[PROBE_FAMILIES];
	struct features f;
	int err;

	*out = NULL;
	if (!p)
		return -ENOMEM;
	libbpf_set_print(quiet);
	p->fn = fn;
	p->arg = arg;
	p->n_disks = (int)o->n_disks;
	err = features_ask(&f);
	if (err) {
		snprintf(why, WHY_LEN,
			 "this kernel has no BTF (/sys/kernel/btf/vmlinux; needs "
			 "CONFIG_DEBUG_INFO_BTF=y, as in Debian's kernels)");
		goto out;
	}
	for (int i = 0; i < PROBE_FAMILIES; i++) {
		p->status[i].name = families[i].name;
		chosen[i] = choose(&families[i], &f, o->attach, &p->status[i]);
	}
	err = load_what_works(p, o, &f, chosen);
	if (err) {
		char caps[128];

		features_missing_caps(caps, sizeof(caps));
		snprintf(why, WHY_LEN, "cannot load the eBPF programs: %s%s%s%s", strerror(-err),
			 load_hint(err), caps[0] ? "; missing here: " : "", caps);
		goto out;
	}
	attach(p, chosen);
	p->ring = ring_buffer__new(bpf_map__fd(p->skel->maps.records), on_record, p, NULL);
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
	for (int i = 0; i < PROBE_FAMILIES; i++)
		bpf_link__destroy(p->links[i]);
	probe_bpf__destroy(p->skel);
	free(p);
}

const struct family_status *probe_status(const struct probe *p)
{
	return p->status;
}

int probe_sweep(struct probe *p, uint64_t seq)
{
	struct sweep_args args = {.seq = seq};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &args, .ctx_size_in = sizeof(args));

	return bpf_prog_test_run_opts(bpf_program__fd(p->skel->progs.sweep), &opts);
}

int probe_consume(struct probe *p)
{
	int err = ring_buffer__consume(p->ring);

	return err < 0 && err != -ECANCELED ? err : 0;
}

int probe_tcp_pass(struct probe *p)
{
	char buf[64]; /* the iterator writes nothing; reading drives it to the end */
	ssize_t n;
	int fd, err = 0;

	if (!p->status[PROBE_TCP].ok)
		return -EOPNOTSUPP;
	fd = bpf_iter_create(bpf_link__fd(p->links[PROBE_TCP]));
	if (fd < 0)
		return -errno;
	do
		n = read(fd, buf, sizeof(buf));
	while (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)));
	if (n < 0)
		err = -errno;
	close(fd);
	return err;
}

uint64_t probe_missed_events(const struct probe *p)
{
	uint64_t missed = 0;

	for (int i = 0; i < PROBE_FAMILIES; i++) {
		struct bpf_prog_info info = {0};
		uint32_t size = sizeof(info);

		if (p->status[i].ok && !bpf_obj_get_info_by_fd(p->prog_fd[i], &info, &size))
			missed += info.recursion_misses;
	}
	return missed;
}

void probe_set_disk(struct probe *p, size_t slot, uint32_t dev)
{
	p->skel->bss->disk_dev[slot] = dev;
}

size_t probe_map_bytes(const struct probe *p)
{
	struct bpf_map *map;
	size_t bytes = 0;

	bpf_object__for_each_map(map, p->skel->obj)
	{
		size_t n = bpf_map__max_entries(map);

		bytes += bpf_map__type(map) == BPF_MAP_TYPE_RINGBUF ? n
								    : n * bpf_map__value_size(map);
	}
	return bytes;
}
