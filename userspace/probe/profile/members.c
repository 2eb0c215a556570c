// SPDX-License-Identifier: BSD-2-Clause
/* Who belongs to the server: processes that end, and come anew in a control group. */
#include "members.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Folders in folders of a group, and of each group how many at all: what systemd and containers make. */
#define DEPTH_MOST   6
#define FOLDERS_MOST 256

void clean_comm(char comm[16])
{
	comm[15] = '\0';
	if (!*comm)
		strcpy(comm, "?");
	for (char *c = comm; *c; c++)
		*c = *c > ' ' && *c < 127 && *c != ';' ? *c : '?';
}

static void read_comm(struct member *one)
{
	char path[32], comm[sizeof(one->comm)] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/comm", one->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, comm, sizeof(comm) - 1) <= 0)
		strcpy(comm, "?");
	if (fd >= 0)
		close(fd);
	comm[strcspn(comm, "\n")] = '\0';
	clean_comm(comm);
	memcpy(one->comm, comm, sizeof(comm));
}

static int add(struct members *m, uint32_t pid, bool named)
{
	int pidfd, follow;

	for (size_t i = 0; i < m->n; i++) {
		if (m->at[i].pid == pid) {
			m->at[i].here = true;
			return 0;
		}
	}
	if (m->n == MEMBERS_MOST)
		return -ENOSPC;
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0)
		return -errno;
	follow = m->follow(m->source, pid);
	if (follow < 0) {
		close(pidfd);
		return follow;
	}
	m->at[m->n] = (struct member){
		.pid = pid, .pidfd = pidfd, .follow = follow, .named = named, .here = true};
	read_comm(&m->at[m->n++]);
	return 0;
}

int members_add(struct members *m, uint32_t pid)
{
	return add(m, pid, true);
}

static void drop(struct members *m, size_t i)
{
	if (m->at[i].tgid && m->sample)
		m->sample(m->source, m->at[i].tgid, false);
	close(m->at[i].pidfd);
	close(m->at[i].follow);
	m->at[i] = m->at[--m->n];
}

void members_release(struct members *m)
{
	while (m->n)
		drop(m, m->n - 1);
}

static bool is_among(uint32_t pid, const uint32_t *pids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

void members_set_named(struct members *m, const uint32_t *pids, size_t n)
{
	/* One that is in a group, too, comes back with the next refresh. */
	for (size_t i = m->n; i-- > 0;)
		if (m->at[i].named && !is_among(m->at[i].pid, pids, n))
			drop(m, i);
	for (size_t i = 0; i < n; i++)
		add(m, pids[i], true);
	for (size_t i = 0; i < m->n; i++)
		m->at[i].named = is_among(m->at[i].pid, pids, n);
}

static void drop_ended(struct members *m)
{
	struct pollfd polled[MEMBERS_MOST];

	for (size_t i = 0; i < m->n; i++)
		polled[i] = (struct pollfd){.fd = m->at[i].pidfd, .events = POLLIN};
	if (poll(polled, (nfds_t)m->n, 0) <= 0)
		return;
	for (size_t i = m->n; i-- > 0;)
		if (polled[i].revents)
			drop(m, i);
}

/* One number a line. 0 stands for a process of another namespace. */
static void add_processes(struct members *m, int dir)
{
	int fd = openat(dir, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	unsigned int pid;

	while (f && fscanf(f, "%u", &pid) == 1) {
		int err = pid ? add(m, pid, false) : 0;

		/* One that has just ended is no loss. */
		m->left_out += err && err != -ESRCH;
	}
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
}

/* Takes the descriptor. */
static void add_folder(struct members *m, int dir, int depth, unsigned int *folders)
{
	DIR *d = dir < 0 ? NULL : fdopendir(dir);
	struct dirent *e;

	if (!d) {
		if (dir >= 0)
			close(dir);
		return;
	}
	add_processes(m, dirfd(d));
	while (depth < DEPTH_MOST && (e = readdir(d))) {
		if (e->d_type != DT_DIR || *e->d_name == '.' || ++*folders > FOLDERS_MOST)
			continue;
		add_folder(m, openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
			   depth + 1, folders);
	}
	closedir(d);
}

void members_refresh(struct members *m)
{
	drop_ended(m);
	for (size_t i = 0; i < m->n; i++)
		read_comm(&m->at[i]); /* it may have executed another program */
	if (!m->n_cgroups)
		return;
	m->left_out = 0;
	for (size_t i = 0; i < m->n; i++)
		m->at[i].here = m->at[i].named;
	for (size_t i = 0; i < m->n_cgroups; i++) {
		unsigned int folders = 0;

		add_folder(m, open(m->cgroups[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0, &folders);
	}
	for (size_t i = m->n; i-- > 0;)
		if (!m->at[i].here)
			drop(m, i);
}
