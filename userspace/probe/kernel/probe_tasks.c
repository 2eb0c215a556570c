// SPDX-License-Identifier: BSD-2-Clause
/* Looking at the threads: the pass of the task iterator, and those that are gone. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "internal.h"

/* Threads that have a mark of their own, of 4 bytes: four times those there are now, within these. */
#define LEAST_MARKS 16384
#define MOST_MARKS  131072

void probe_size_tasks(struct probe_bpf *s, bool wanted)
{
	uint32_t block = bpf_map__value_size(s->maps.tasks_seen) / sizeof(uint32_t);
	uint32_t marks = LEAST_MARKS;
	struct sysinfo info;

	bpf_map__set_autocreate(s->maps.tasks_seen, wanted);
	bpf_map__set_autocreate(s->maps.tasks_gone, wanted);
	if (!sysinfo(&info))
		while (marks < 4U * info.procs && marks < MOST_MARKS)
			marks *= 2;
	s->rodata->task_blocks = marks / block;
	bpf_map__set_max_entries(s->maps.tasks_seen, marks / block);
}

static int on_gone(void *probe, void *data, size_t size)
{
	struct probe *p = probe;

	if (size == sizeof(struct task_sample))
		p->task_fn(p->task_arg, data);
	return 0;
}

/*
 * Readable when the kernel side says that the buffer is half full, and not before: the buffer's own
 * descriptor is whenever anything is in it. 0 or -errno.
 */
static int open_crowded(struct probe *p)
{
	struct epoll_event on = {.events = EPOLLIN | EPOLLET};

	p->crowded_fd = epoll_create1(EPOLL_CLOEXEC);
	if (p->crowded_fd < 0 ||
	    epoll_ctl(p->crowded_fd, EPOLL_CTL_ADD, bpf_map__fd(p->skel->maps.tasks_gone), &on))
		return -errno;
	return 0;
}

/* Without it the rest of the family works: what ends between two passes is then not seen. */
void probe_open_tasks(struct probe *p)
{
	int err = 0;

	if (!p->status[PROBE_TASK_EXIT].ok && !p->status[PROBE_TASK_FREE].ok)
		return;
	p->gone = ring_buffer__new(bpf_map__fd(p->skel->maps.tasks_gone), on_gone, p, NULL);
	err = p->gone ? open_crowded(p) : -errno;
	for (int i = PROBE_TASK_EXIT; err && i <= PROBE_TASK_FREE; i++) {
		if (!p->status[i].ok)
			continue;
		p->status[i].ok = false;
		snprintf(p->status[i].why, WHY_LEN, "cannot map the ring buffer: %s",
			 strerror(-err));
	}
}

int probe_tasks_fd(const struct probe *p)
{
	return p ? p->crowded_fd : -1;
}

/* Hands over the whole samples in buf; those of `used` bytes that are left begin the next. */
static size_t hand_over(struct probe *p, char *buf, size_t used)
{
	struct task_sample s;
	size_t at = 0;

	for (; used - at >= sizeof(s); at += sizeof(s)) {
		memcpy(&s, buf + at, sizeof(s));
		p->task_fn(p->task_arg, &s);
	}
	memmove(buf, buf + at, used - at);
	return used - at;
}

static int pass(struct probe *p)
{
	char buf[32768]; /* as much as the kernel gathers before it hands it over */
	size_t used = 0;
	ssize_t n;
	int fd = bpf_iter_create(bpf_link__fd(p->links[PROBE_TASK])), err = 0;

	if (fd < 0)
		return -errno;
	for (;;) {
		n = read(fd, buf + used, sizeof(buf) - used);
		if (n > 0)
			used = hand_over(p, buf, used + (size_t)n);
		else if (!n || (errno != EINTR && errno != EAGAIN))
			break;
	}
	if (n < 0)
		err = -errno;
	close(fd);
	return err;
}

int probe_look_at_tasks(void *probe, bool with_pass, task_sample_fn fn, void *arg, uint64_t *lost)
{
	struct probe *p = probe;
	struct epoll_event said;
	int err;

	if (!p->status[PROBE_TASK].ok)
		return -EOPNOTSUPP;
	p->task_fn = fn;
	p->task_arg = arg;
	err = with_pass ? pass(p) : 0;
	/* After the pass: a thread that was freed cannot be met by a later one (task_table.h). */
	if (p->gone) {
		/* What is said from here on is about what this leaves. */
		epoll_wait(p->crowded_fd, &said, 1, 0);
		ring_buffer__consume(p->gone);
	}
	*lost = p->skel->bss->tasks_gone_lost;
	return err;
}
