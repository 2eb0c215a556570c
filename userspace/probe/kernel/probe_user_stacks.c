// SPDX-License-Identifier: BSD-2-Clause
/* A clock on each processor that samples what the server computes; the samples. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"

/* Samples are collected ten times a second: room for those of half a second, of 32 frames each. libbpf maps it
 * twice, and all of it is resident. */
#define SAMPLE_USUAL (offsetof(struct cpu_sample, frames) + 32 * sizeof(struct user_frame))
#define RING_LEAST   65536U
#define RING_MOST    (1U << 20)

void probe_size_user_stacks(struct probe_bpf *s, bool wanted)
{
	size_t need = s->rodata->n_cpus * SAMPLE_USUAL * CPU_CLOCK_HZ / 2;
	uint32_t ring = RING_LEAST;

	while (ring < need && ring < RING_MOST)
		ring *= 2;
	bpf_map__set_autocreate(s->maps.sampled_groups, wanted);
	bpf_map__set_autocreate(s->maps.cpu_samples, wanted);
	bpf_map__set_autocreate(s->maps.cpu_sample_room, wanted);
	bpf_map__set_max_entries(s->maps.cpu_samples, ring);
}

static int open_clock(int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = CPU_CLOCK_HZ,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* 0, -ENODEV where the processor is off line, or another -errno. One that goes off line takes its clock along
 * (perf_event_exit_cpu_context() removes it for good), and another would need rights that have ended by then. */
static int start_clock(struct probe *p, int cpu)
{
	struct bpf_link *link;
	int fd = open_clock(cpu);

	if (fd < 0)
		return fd;
	link = bpf_program__attach_perf_event(p->skel->progs.cpu_clock, fd);
	if (!link) {
		int err = -errno;

		close(fd);
		return err;
	}
	p->clocks[p->n_clocks++] = link;
	return 0;
}

static int on_sample(void *probe, void *data, size_t size)
{
	struct probe *p = probe;

	if (size >= offsetof(struct cpu_sample, frames))
		p->cpu_fn(p->cpu_arg, data, size);
	return 0;
}

void probe_open_user_stacks(struct probe *p)
{
	struct family_status *st = &p->status[PROBE_USER_STACKS];
	int cpus = (int)p->skel->rodata->n_cpus, err = 0;

	if (!st->ok)
		return;
	p->clocks = calloc((size_t)cpus, sizeof(*p->clocks));
	if (!p->clocks)
		err = -ENOMEM;
	for (int cpu = 0; !err && cpu < cpus; cpu++) {
		err = start_clock(p, cpu);
		err = err == -ENODEV ? 0 : err;
	}
	if (!err) {
		p->cpu_samples = ring_buffer__new(bpf_map__fd(p->skel->maps.cpu_samples), on_sample,
						  p, NULL);
		err = p->cpu_samples ? 0 : -errno;
	}
	if (!err)
		return;
	probe_close_user_stacks(p);
	st->ok = false;
	snprintf(
		st->why, WHY_LEN, "cannot start the clock of a processor: %s%s", strerror(-err),
		err == -EACCES || err == -EPERM
			? " (needs CAP_PERFMON, and a system call filter that lets perf_event_open "
			  "pass)"
			: "");
}

void probe_close_user_stacks(struct probe *p)
{
	for (int i = 0; i < p->n_clocks; i++)
		bpf_link__destroy(p->clocks[i]);
	free(p->clocks);
	ring_buffer__free(p->cpu_samples);
	p->clocks = NULL;
	p->cpu_samples = NULL;
	p->n_clocks = 0;
}

/* A process that finds no room is not sampled: there are as many places as processes that are followed. */
void probe_sample_process(void *probe, uint32_t tgid, bool yes)
{
	struct probe *p = probe;
	int fd = bpf_map__fd(p->skel->maps.sampled_groups);
	uint32_t one = 1;

	if (yes)
		bpf_map_update_elem(fd, &tgid, &one, BPF_ANY);
	else
		bpf_map_delete_elem(fd, &tgid);
}

uint64_t probe_collect_samples(void *probe, cpu_sample_fn fn, void *arg)
{
	struct probe *p = probe;

	p->cpu_fn = fn;
	p->cpu_arg = arg;
	ring_buffer__consume(p->cpu_samples);
	return p->skel->bss->cpu_samples_lost;
}
