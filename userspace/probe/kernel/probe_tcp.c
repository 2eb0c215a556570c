// SPDX-License-Identifier: BSD-2-Clause
/* Passes over the TCP sockets: of a network namespace, or of the processes that were selected. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe_inside.h"

void probe_pids_choose(struct probe *p, const char *chosen[])
{
	const char *close = chosen[PROBE_TCP_CLOSE], *again = chosen[PROBE_RETRANSMIT];
	const char *why = NULL;

	/* Only a typed program can look up whose a socket is. */
	if ((close && strcmp(close, "tcp_close_typed")) ||
	    (again && strcmp(again, "retransmit_typed")))
		why = "needs typed tracepoints (tp_btf)";
	else if (!chosen[PROBE_TCP])
		why = "no TCP iterator";
	if (!why || !chosen[PROBE_TCP_PID])
		return;
	chosen[PROBE_TCP_PID] = NULL;
	snprintf(p->status[PROBE_TCP_PID].why, WHY_LEN, "%s", why);
}

static struct bpf_link *attach_to(struct probe *p, uint32_t pid)
{
	union bpf_iter_link_info info = {.task = {.pid = pid}};
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &info, .link_info_len = sizeof(info));

	return bpf_program__attach_iter(p->skel->progs.tcp_pass_pid, &opts);
}

void probe_pids_attach(struct probe *p, const struct probe_opts *o)
{
	if (!p->status[PROBE_TCP_PID].ok)
		return;
	if (!p->status[PROBE_TCP].ok) {
		probe_distrust(p, PROBE_TCP_PID, "no TCP iterator");
		return;
	}
	for (size_t i = 0; i < o->n_pids; i++) {
		int fd = (int)syscall(SYS_pidfd_open, o->pids[i], 0);
		struct bpf_link *link = fd < 0 ? NULL : attach_to(p, o->pids[i]);

		if (!link) {
			char why[WHY_LEN];

			snprintf(why, sizeof(why), "cannot follow process %u: %s", o->pids[i],
				 strerror(errno));
			probe_distrust(p, PROBE_TCP_PID, why);
			if (fd >= 0)
				close(fd);
			probe_pids_release(p);
			return;
		}
		p->pid_links[p->n_pids] = link;
		p->pid_fds[p->n_pids++] = fd;
	}
	p->skel->bss->by_pid = 1;
}

static void release_one(struct probe *p, size_t i)
{
	bpf_link__destroy(p->pid_links[i]);
	close(p->pid_fds[i]);
	p->n_pids--;
	p->pid_links[i] = p->pid_links[p->n_pids];
	p->pid_fds[i] = p->pid_fds[p->n_pids];
}

void probe_pids_release(struct probe *p)
{
	while (p->n_pids)
		release_one(p, p->n_pids - 1);
}

/* The iterator writes nothing; reading drives it to the end. */
static int iterate(const struct bpf_link *link)
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

/* Before each pass, for a number may come to stand for another process. */
static void forget_gone(struct probe *p)
{
	struct pollfd polled[MAX_PIDS];
	size_t n = p->n_pids;

	for (size_t i = 0; i < n; i++)
		polled[i] = (struct pollfd){.fd = p->pid_fds[i], .events = POLLIN};
	if (poll(polled, (nfds_t)n, 0) <= 0)
		return;
	for (size_t i = n; i-- > 0;)
		if (polled[i].revents)
			release_one(p, i);
}

int probe_tcp_pass(struct probe *p)
{
	int err = 0;

	if (!p->status[PROBE_TCP].ok)
		return -EOPNOTSUPP;
	if (!p->skel->bss->by_pid)
		return iterate(p->links[PROBE_TCP]);
	forget_gone(p);
	p->skel->bss->pass_parts = (uint32_t)p->n_pids;
	for (size_t i = 0; !err && i < p->n_pids; i++) {
		p->skel->bss->pass_part = (uint32_t)i;
		err = iterate(p->pid_links[i]);
	}
	if (p->n_pids)
		return err;
	p->skel->bss->by_pid = 0;
	p->skel->bss->tcp_epoch++;
	return -ESRCH;
}
