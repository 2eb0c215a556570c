// SPDX-License-Identifier: BSD-2-Clause
/* Looks at the TCP sockets: of a network namespace, or of the processes or groups that were selected. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"
#include "userspace/common/clock.h"
#include "userspace/common/options.h"

/* Rows for connections: four times those there are now, a power of two within these. A row is 96
 * bytes of kernel memory. */
#define LEAST_ROWS (1U << 15)
#define MOST_ROWS  (1U << 20)

/*
 * All sockets are gone through again for one whose beginning was not seen: after a pause, which is longer where
 * a search costs much, so that it takes a thousandth of a processor at most. Where the kernel counts beginnings
 * that were not seen: sooner, for a hundredth at most.
 */
#define PAUSE_NS    (30 * NS_PER_S)
#define PAUSE_TIMES 1000
#define KNOWN_NS    NS_PER_S
#define KNOWN_TIMES 100

/* struct probe, reselect */
#define RESELECT_PORTS 1
#define RESELECT_PIDS  2

static void without(struct probe *p, const char *chosen[], enum probe_family family,
		    const char *why)
{
	if (!chosen[family])
		return;
	chosen[family] = NULL;
	snprintf(p->status[family].why, WHY_LEN, "%s", why);
}

void probe_tcp_choose(struct probe *p, const char *chosen[])
{
	if (!chosen[PROBE_TCP_STATE])
		without(p, chosen, PROBE_TCP, "needs 'inet_sock_set_state'");
	if (!chosen[PROBE_TCP]) {
		without(p, chosen, PROBE_TCP_STATE, "of no use without the family 'tcp'");
		without(p, chosen, PROBE_TCP_PID, "needs the family 'tcp'");
		without(p, chosen, PROBE_TCP_CGROUP, "needs the family 'tcp'");
	}
}

/* What LIMPET_TCP_ROWS says, for looking at what happens when there are too few; else 0. */
static uint32_t wished_rows(void)
{
	const char *wish = getenv("LIMPET_TCP_ROWS");
	unsigned int rows;

	return wish && !parse_uint(wish, 1, MOST_ROWS, &rows) ? rows : 0;
}

void probe_tcp_size(struct probe_bpf *s, const struct probe_opts *o)
{
	uint32_t rows = wished_rows() ? 1 : LEAST_ROWS, want = wished_rows();

	if (!want)
		want = 4 * o->connections < MOST_ROWS ? (uint32_t)(4 * o->connections) : MOST_ROWS;
	while (rows < want)
		rows *= 2;
	s->rodata->sock_capacity = rows;
	s->bss->rows_vacant = rows;
	bpf_map__set_max_entries(s->maps.sock_rows, rows);
	bpf_map__set_max_entries(s->maps.sock_counts, rows);
	bpf_map__set_max_entries(s->maps.sock_rings, rows);
	bpf_map__set_max_entries(s->maps.remotes, MAX_REMOTES + 1);
}

void probe_tcp_select(struct probe_bpf *s, const uint16_t *ports, size_t n_ports,
		      const uint32_t *pids, size_t n_pids)
{
	for (size_t i = 0; i < n_ports; i++)
		s->bss->ports[i] = ports[i];
	s->bss->n_ports = (uint32_t)n_ports;
	for (size_t i = 0; i < n_pids; i++)
		s->bss->pids[i] = pids[i];
	s->bss->n_pids = (uint32_t)n_pids;
}

static struct bpf_link *attach_to(struct probe *p, uint32_t pid)
{
	union bpf_iter_link_info info = {.task = {.pid = pid}};
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &info, .link_info_len = sizeof(info));

	return bpf_program__attach_iter(p->skel->progs.tcp_seed_pid, &opts);
}

/* 0, or -errno with errno set. */
static int follow_process(struct probe *p, uint32_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0), err;
	struct bpf_link *link = fd < 0 ? NULL : attach_to(p, pid);

	if (!link) {
		err = errno;
		if (fd >= 0)
			close(fd);
		errno = err;
		return -err;
	}
	p->pid_links[p->n_pids] = link;
	p->pid_fds[p->n_pids++] = fd;
	return 0;
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
		char why[WHY_LEN];

		if (!follow_process(p, o->pids[i]))
			continue;
		snprintf(why, sizeof(why), "cannot follow process %u: %s", o->pids[i],
			 strerror(errno));
		probe_distrust(p, PROBE_TCP_PID, why);
		probe_pids_release(p);
		return;
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

/* Gives a row to what has none. Not `all`: of descriptors of processes. */
static int find(struct probe *p, enum seeding how, bool all)
{
	int64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t missed = probe_missed_runs(p, PROBE_TCP_STATE);
	int err = 0;

	p->skel->bss->finding++;
	p->skel->bss->seeding = how;
	p->skel->bss->wanting = 0;
	/* Listeners of processes first: what they have accepted is of their ports. */
	for (size_t i = 0; !err && i < p->n_pids; i++)
		err = probe_iterate(p->pid_links[i]);
	if (!err && all)
		err = probe_iterate(p->links[PROBE_TCP]);
	p->skel->bss->seeding = SEED_NONE;
	if (all) {
		p->searched_ns = clock_ns(CLOCK_MONOTONIC);
		p->search_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
		p->missed_before = missed;
	}
	return err;
}

void probe_set_ports(struct probe *p, const uint16_t *ports, size_t n)
{
	struct probe_bpf *s = p->skel;

	/* The hooks may see both for a moment: what they take too much is dropped, the rest is found. */
	s->bss->n_ports = n ? s->bss->n_ports : 0;
	for (size_t i = 0; i < n; i++)
		s->bss->ports[i] = ports[i];
	__atomic_store_n(&s->bss->n_ports, (uint32_t)n, __ATOMIC_RELEASE);
	__atomic_or_fetch(&p->reselect, RESELECT_PORTS, __ATOMIC_RELEASE);
}

void probe_set_pids(struct probe *p, const uint32_t *pids, size_t n)
{
	/* The thread that looks takes them over. */
	pthread_mutex_lock(&p->wanted_lock);
	memcpy(p->wanted_pids, pids, n * sizeof(*pids));
	p->n_wanted = n;
	pthread_mutex_unlock(&p->wanted_lock);
	__atomic_or_fetch(&p->reselect, RESELECT_PIDS, __ATOMIC_RELEASE);
}

/* Those that cannot be followed have gone. What is told by ports that they listen on is learnt anew. */
static void take_pids(struct probe *p)
{
	struct probe_bpf *s = p->skel;

	probe_pids_release(p);
	pthread_mutex_lock(&p->wanted_lock);
	for (size_t i = 0; i < p->n_wanted; i++) {
		s->bss->pids[i] = p->wanted_pids[i];
		follow_process(p, p->wanted_pids[i]);
	}
	s->bss->n_pids = (uint32_t)p->n_wanted;
	pthread_mutex_unlock(&p->wanted_lock);
	memset(s->bss->listened, 0, sizeof(s->bss->listened));
	s->bss->by_pid = 1;
}

/* Finds what is selected now, and drops what has not been found. */
static int reselect(struct probe *p, uint32_t what)
{
	int err;

	if (what & RESELECT_PIDS)
		take_pids(p);
	/* What MPTCP sockets an earlier walk has found does not hold. */
	p->skel->bss->finding += 2;
	err = find(p, SEED_BEFORE, true);
	if (err)
		return err;
	p->skel->bss->dropping = 1;
	err = probe_iterate(p->links[PROBE_TCP]);
	p->skel->bss->dropping = 0;
	return err;
}

/*
 * Whether a connection may have begun unseen. The kernel runs no program inside itself, and counts that. It does
 * not count storage on a socket that could not be had.
 */
static bool may_have_missed(struct probe *p)
{
	bool known = probe_missed_runs(p, PROBE_TCP_STATE) != p->missed_before;
	int64_t least = known ? KNOWN_NS : PAUSE_NS;
	int64_t pause = p->search_cpu_ns * (known ? KNOWN_TIMES : PAUSE_TIMES);

	return clock_ns(CLOCK_MONOTONIC) - p->searched_ns >= (pause > least ? pause : least);
}

/* Before each walk: processes may have been given sockets, or have gone; room may have become free. */
static int follow(struct probe *p)
{
	bool missed = may_have_missed(p);
	bool room = (missed || p->skel->bss->wanting) && p->skel->bss->rows_vacant > 0;
	enum seeding how = __atomic_exchange_n(&p->groups_changed, SEED_NONE, __ATOMIC_ACQUIRE);
	bool all = room || (how && p->skel->rodata->by_cgroup);
	uint32_t other = __atomic_exchange_n(&p->reselect, 0, __ATOMIC_ACQUIRE);
	int err = other ? reselect(p, other) : 0;

	if (err)
		return err;
	how = how ? how : SEED_AGAIN;
	if (!p->skel->bss->by_pid)
		return all ? find(p, how, true) : 0;
	forget_gone(p);
	if (p->n_pids)
		return find(p, how, all);
	p->skel->bss->by_pid = 0;
	if (p->skel->rodata->by_cgroup)
		return all ? find(p, how, true) : 0;
	err = find(p, SEED_BEFORE, true);
	return err ? err : -ESRCH;
}

int probe_tcp_look(struct probe *p, struct look_args *args)
{
	int err = 0, followed = 0;

	if (!p->status[PROBE_TCP].ok)
		return -EOPNOTSUPP;
	if (!p->seeded)
		err = find(p, SEED_BEFORE, true);
	else if (args->walk)
		followed = follow(p);
	if (err)
		return err;
	p->seeded = true;
	p->skel->bss->seeded = 1;
	err = probe_run_program(p->skel->progs.look_tcp, args, sizeof(*args));
	return err ? err : followed;
}
