// SPDX-License-Identifier: BSD-2-Clause
/* Running the kernel side: sweeps, finding disks; receiving the records. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

int probe_run_program(const struct bpf_program *prog, void *args, uint32_t size)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = size);

	return bpf_prog_test_run_opts(bpf_program__fd(prog), &opts);
}

/* Reading drives it to the end. */
int probe_iterate(const struct bpf_link *link)
{
	int fd = bpf_iter_create(bpf_link__fd(link)), err = 0;
	char buf[64];
	ssize_t n;

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

/* In this order: what a part brings up to date, a later one submits. */
int probe_sweep(struct probe *p, uint64_t seq)
{
	const struct {
		const struct bpf_program *prog;
		bool runs;
	} parts[] = {
		{p->skel->progs.read_disks, p->status[PROBE_DISK_STATS].ok},
		{p->skel->progs.sweep_disks, true},
		{p->skel->progs.sweep_tcp, true},
		{p->skel->progs.sweep_runq, true},
		{p->skel->progs.sweep_host, p->status[PROBE_HOST].ok},
		{p->skel->progs.sweep_end, true},
	};
	struct sweep_args args = {.seq = seq};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i].runs)
			err = probe_run_program(parts[i].prog, &args, sizeof(args));
	return err;
}

unsigned int probe_sweeps_kept(const struct probe *p)
{
	return p->sweeps_kept;
}

int probe_on_record(void *probe, void *data, size_t size)
{
	static const size_t sizes[REC_TYPES] = {
		[REC_DISK] = sizeof(struct disk_record),
		[REC_LAT] = sizeof(struct lat_record),
		[REC_TCP] = sizeof(struct tcp_record),
		[REC_REMOTE] = sizeof(struct remote_record),
		[REC_RUNQ] = sizeof(struct runq_record),
		[REC_HOST] = sizeof(struct host_record),
		[REC_END] = sizeof(struct end_record),
	};
	const struct record_head *head = data;
	struct probe *p = probe;

	if (size < sizeof(*head) || head->type >= REC_TYPES || size != sizes[head->type] ||
	    !sizes[head->type])
		return 0;
	if (head->type == REC_HOST)
		p->host = *(const struct host_record *)data;
	p->fn(p->arg, head);
	/* A negative value ends this call of consume, with the record taken: one sweep at a time. */
	return head->type == REC_END ? -ECANCELED : 0;
}

int probe_consume(struct probe *p)
{
	int err = ring_buffer__consume(p->ring);

	return err < 0 && err != -ECANCELED ? err : 0;
}

int probe_consume_to(struct probe *p, probe_record_fn fn, void *arg)
{
	probe_record_fn usual = p->fn;
	void *usual_arg = p->arg;
	int err;

	p->fn = fn;
	p->arg = arg;
	err = probe_consume(p);
	p->fn = usual;
	p->arg = usual_arg;
	return err;
}

const struct host_record *probe_host(const struct probe *p)
{
	return &p->host;
}

uint64_t probe_missed_runs(const struct probe *p, enum probe_family family)
{
	struct bpf_prog_info info = {0};
	uint32_t size = sizeof(info);

	if (!p->status[family].ok || p->prog_fd[family] < 0 ||
	    bpf_obj_get_info_by_fd(p->prog_fd[family], &info, &size))
		return 0;
	return info.recursion_misses;
}

uint64_t probe_missed_events(const struct probe *p)
{
	uint64_t missed = 0;

	for (int i = 0; i < PROBE_FAMILIES; i++)
		missed += probe_missed_runs(p, i);
	return missed;
}

/* ---- processors ---- */

void probe_learn_cpus(struct probe *p)
{
	int n = libbpf_num_possible_cpus();

	if (!p->status[PROBE_HOST].ok && !p->status[PROBE_DISK_STATS].ok)
		return;
	for (int cpu = 0; cpu < n; cpu++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU,
			    .cpu = (uint32_t)cpu);

		/* One that is off line is refused; the switch hook learns it when it comes. */
		bpf_prog_test_run_opts(bpf_program__fd(p->skel->progs.learn), &opts);
	}
}

void probe_learn_parked(struct probe *p)
{
	struct bpf_link *link;

	if (!p->status[PROBE_HOST].ok && !p->status[PROBE_DISK_STATS].ok)
		return;
	/* Without it /proc and /sys disagree where there are such processors, and are read then. */
	link = bpf_program__attach_iter(p->skel->progs.learn_parked, NULL);
	if (link)
		probe_iterate(link);
	bpf_link__destroy(link);
}

/* ---- disks ---- */

static void forget_dev(struct dev_entry *table, uint32_t slot)
{
	for (size_t i = 0; i < DEV_TABLE; i++) {
		if (table[i].dev && table[i].slot == slot)
			table[i].dev = 0;
	}
}

/* The slot before the number, which makes the entry count. */
static int enter_dev(struct dev_entry *table, uint32_t dev, uint32_t slot)
{
	for (uint32_t i = 0; i < DEV_PROBES; i++) {
		struct dev_entry *e = &table[(dev_hash(dev) + i) & (DEV_TABLE - 1)];

		if (e->dev && e->dev != dev)
			continue;
		e->slot = slot;
		__atomic_store_n(&e->dev, dev, __ATOMIC_RELEASE);
		return 0;
	}
	return -ENOSPC;
}

bool probe_set_disk(struct probe *p, size_t slot, const struct disk *d)
{
	bool memory = p->status[PROBE_DISK_STATS].ok;
	struct find_disk_args args = {
		.fd = !memory || d->stat_fd < 0 ? ~0U : (uint32_t)d->stat_fd,
		.slot = (uint32_t)slot,
		.dev = d->dev,
	};

	forget_dev(p->skel->bss->dev_table, (uint32_t)slot);
	if (d->dev)
		enter_dev(p->skel->bss->dev_table, d->dev, (uint32_t)slot);
	p->skel->bss->disk_gone[slot] = 0;
	/* Also where it is not trusted, for then the slot is to forget what it had. */
	if (bpf_program__fd(p->skel->progs.find_disk) < 0 ||
	    probe_run_program(p->skel->progs.find_disk, &args, sizeof(args)))
		return false;
	return args.found;
}

static uint32_t number_of(struct probe *p, int fd)
{
	struct find_disk_args args = {.fd = (uint32_t)fd};

	if (bpf_program__fd(p->skel->progs.number_of_disk) < 0 ||
	    probe_run_program(p->skel->progs.number_of_disk, &args, sizeof(args)))
		return 0;
	return args.found ? args.dev : 0;
}

size_t probe_set_paths(struct probe *p, size_t slot, const struct disk *d)
{
	struct dev_entry *table = p->skel->bss->dev_table;
	uint32_t devs[MAX_PATHS + 1] = {d->dev};
	int fds[MAX_PATHS];
	size_t found = disk_paths(d, fds, MAX_PATHS), n = 1;

	for (size_t i = 0; i < found; i++) {
		devs[n] = number_of(p, fds[i]);
		n += devs[n] != 0;
		close(fds[i]);
	}
	if (!found)
		return 0;
	/* Those that are still there stay where they are: a hook may be looking for one. */
	for (size_t i = 0; i < DEV_TABLE; i++) {
		size_t k = 0;

		while (k < n && table[i].dev != devs[k])
			k++;
		if (table[i].dev && table[i].slot == slot && k == n)
			table[i].dev = 0;
	}
	for (size_t k = 1; k < n; k++)
		enter_dev(table, devs[k], (uint32_t)slot);
	return n - 1;
}

static void set_cgroup(struct probe_bpf *skel, size_t i, const struct cgroup_ref *c)
{
	skel->bss->cgroup_level[i] = c->level;
	skel->bss->cgroup_use[i] = (c->requests ? 1U << CGROUP_OF_REQUESTS : 0) |
				   (c->v1 ? 0 : 1U << CGROUP_OF_SOCKETS);
	skel->bss->cgroup_id[i] = skel->bss->cgroup_before[i] = c->id;
}

void probe_size_cgroups(struct probe_bpf *s, const struct cgroup_ref *cgroups, size_t n)
{
	for (size_t i = 0; i < n; i++)
		set_cgroup(s, i, &cgroups[i]);
	s->bss->n_cgroups = (uint32_t)n;
}

/* What was found of groups before does not hold any more. */
static void forget_verdicts(struct probe *p)
{
	__atomic_fetch_add(&p->skel->bss->verdicts_of, 1, __ATOMIC_RELEASE);
}

void probe_set_cgroups(struct probe *p, const struct cgroup_ref *cgroups, size_t n)
{
	probe_size_cgroups(p->skel, cgroups, n);
	forget_verdicts(p);
	__atomic_store_n(&p->groups_changed, SEED_BEFORE, __ATOMIC_RELEASE);
}

void probe_set_cgroup(struct probe *p, size_t i, uint64_t id)
{
	uint32_t none = SEED_NONE;

	p->skel->bss->cgroup_before[i] = p->skel->bss->cgroup_id[i];
	p->skel->bss->cgroup_id[i] = id;
	forget_verdicts(p);
	/* What it has connected since is as young as it; but of groups that are new to us, not yet looked for,
	 * it holds what was before. */
	__atomic_compare_exchange_n(&p->groups_changed, &none, SEED_AGAIN, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
}

int probe_add_other(struct probe *p, uint32_t dev)
{
	/* In the object, the slot for the others comes after those in use. */
	return enter_dev(p->skel->bss->dev_table, dev, p->skel->rodata->n_disks);
}

bool probe_disk_gone(const struct probe *p, size_t slot)
{
	return p->skel->bss->disk_gone[slot];
}

size_t probe_map_bytes(const struct probe *p)
{
	struct bpf_map *map;
	size_t bytes = 0;

	bpf_object__for_each_map(map, p->skel->obj)
	{
		size_t n = bpf_map__autocreate(map) ? bpf_map__max_entries(map) : 0;

		bytes += bpf_map__type(map) == BPF_MAP_TYPE_RINGBUF
				 ? n
				 : n * (bpf_map__value_size(map) + bpf_map__key_size(map));
	}
	return bytes;
}

bool probe_must_poke_disks(const struct probe *p)
{
	return !p->features.in_flight_kept;
}

unsigned int probe_hz(const struct probe *p)
{
	return p->features.hz;
}
