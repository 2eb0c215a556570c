// SPDX-License-Identifier: BSD-2-Clause
/* Looks at the threads of single processes, and the names of the kernel's functions. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

int probe_follow_threads(void *probe, uint32_t pid)
{
	union bpf_iter_link_info info = {.task = {.pid = pid}};
	LIBBPF_OPTS(bpf_link_create_opts, opts, .iter_info = &info, .iter_info_len = sizeof(info));
	struct probe *p = probe;
	int fd = bpf_link_create(p->prog_fd[PROBE_THREADS], 0, BPF_TRACE_ITER, &opts);

	return fd < 0 ? -errno : fd;
}

/* Bytes of the sample that a buffer begins with; 0: more of it is to come. */
static size_t length_of(const char *at, size_t left)
{
	struct thread_sample head;
	size_t len = offsetof(struct thread_sample, call);

	if (left < len)
		return 0;
	memcpy(&head, at, len);
	if (head.state == THREAD_ASLEEP)
		len = offsetof(struct thread_sample, frame) + head.n_frames * sizeof(*head.frame);
	return len <= left ? len : 0;
}

/* Hands over the whole samples in buf; those of `used` bytes that are left begin the next. */
static size_t hand_over(char *buf, size_t used, thread_sample_fn fn, void *arg)
{
	struct thread_sample s;
	size_t at = 0, len;

	while ((len = length_of(buf + at, used - at))) {
		memcpy(&s, buf + at, len);
		fn(arg, &s);
		at += len;
	}
	memmove(buf, buf + at, used - at);
	return used - at;
}

int probe_look_at_threads(void *probe, int follow, thread_sample_fn fn, void *arg)
{
	char buf[32768]; /* as much as the kernel gathers before it hands it over */
	int fd = bpf_iter_create(follow), err = 0;
	size_t used = 0;
	ssize_t n;

	(void)probe;
	if (fd < 0)
		return -errno;
	for (;;) {
		n = read(fd, buf + used, sizeof(buf) - used);
		if (n > 0)
			used = hand_over(buf, used + (size_t)n, fn, arg);
		else if (!n || (errno != EINTR && errno != EAGAIN))
			break;
	}
	if (n < 0)
		err = -errno;
	close(fd);
	return err;
}

int probe_name_function(void *probe, uint64_t address, char name[FUNCTION_LEN])
{
	struct probe *p = probe;
	int err;

	p->skel->bss->function_address = address;
	err = probe_run_program(p->skel->progs.name_function, NULL, 0);
	if (!err)
		memcpy(name, p->skel->bss->function_name, FUNCTION_LEN);
	return err;
}

size_t probe_frames_walked(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_max_stack", "re");
	unsigned int walked;

	/* PERF_MAX_STACK_DEPTH, where it has not been changed. */
	if (!f || fscanf(f, "%u", &walked) != 1)
		walked = 127;
	if (f)
		fclose(f);
	return walked;
}
