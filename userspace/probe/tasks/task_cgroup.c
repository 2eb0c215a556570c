// SPDX-License-Identifier: BSD-2-Clause
/* The control group of a process by its number. */
#include "task_cgroup.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "userspace/common/clock.h"

#define ASK_AGAIN 30 /* uses: a move within cgroup v1 changes nothing we see */
#define ROOT_ID	  1  /* of every hierarchy */

/* The beginning of a file of a process as a string; -1: it has none. */
static ssize_t slurp(const char *proc, uint32_t pid, const char *name, char *buf, size_t size)
{
	char path[256];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%u/%s", proc, pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, buf, size - 1);
	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n;
}

/* Whether the process of that number started then: field 22 of its stat, in clock ticks. */
static bool same_process(const char *proc, uint32_t pid, uint64_t start_ns)
{
	unsigned long long ticks;
	long hz = sysconf(_SC_CLK_TCK);
	char buf[1024];
	const char *at;

	if (slurp(proc, pid, "stat", buf, sizeof(buf)) <= 0)
		return false;
	at = strrchr(buf, ')'); /* what is in parentheses is the name, and may be anything */
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (!at || sscanf(at, "%llu", &ticks) != 1 || hz <= 0)
		return false;
	return ticks == start_ns / (uint64_t)(NS_PER_S / hz);
}

/* Whether the controllers of a line of /proc/PID/cgroup ("cpu,cpuacct") have this one. */
static bool has_controller(const char *list, size_t len, const char *name)
{
	size_t want = strlen(name);
	const char *end = list + len;

	if (!want)
		return !len; /* the unified hierarchy has none there */
	while (list < end) {
		const char *comma = memchr(list, ',', (size_t)(end - list));
		size_t n = (size_t)((comma ? comma : end) - list);

		if (n == want && !memcmp(list, name, n))
			return true;
		list += n + 1;
	}
	return false;
}

/* The path of the hierarchy with that controller in the text of /proc/PID/cgroup; "" if none. */
static const char *path_in(const char *text, const char *controller, size_t *len)
{
	while (*text) {
		const char *end = strchrnul(text, '\n');
		const char *list = memchr(text, ':', (size_t)(end - text));
		const char *path = list ? memchr(list + 1, ':', (size_t)(end - list - 1)) : NULL;

		if (path && has_controller(list + 1, (size_t)(path - list - 1), controller)) {
			*len = (size_t)(end - path - 1);
			return path + 1;
		}
		text = *end ? end + 1 : end;
	}
	*len = 0;
	return text;
}

static void choose(const char *text, char path[CGROUP_LEN])
{
	static const char *const order[] = {"blkio", "memory", "", "name=systemd"};
	const char *best = "";
	size_t best_len = 0;

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		size_t len;
		const char *p = path_in(text, order[i], &len);

		if (len > best_len && best_len < 2) {
			best = p;
			best_len = len;
		}
	}
	if (best_len < CGROUP_LEN)
		snprintf(path, CGROUP_LEN, "%.*s", (int)best_len, best);
	else
		snprintf(path, CGROUP_LEN, "...%.*s", CGROUP_LEN - 4,
			 best + best_len - (CGROUP_LEN - 4));
}

static bool ask(const char *proc, struct task_cgroup *g)
{
	char text[8192];

	if (slurp(proc, g->pid, "cgroup", text, sizeof(text)) <= 0 ||
	    !same_process(proc, g->pid, g->start_ns))
		return false;
	choose(text, g->path);
	return true;
}

/* Another process that is known and in the same v2 group, which is not the root (where on a v1 host
 * everybody is). */
static const struct task_cgroup *in_group(const struct task_cgroups *c, uint64_t id)
{
	for (int i = 0; i < CGROUPS_KNOWN && id > ROOT_ID; i++)
		if (c->known[i].pid && c->known[i].id == id)
			return &c->known[i];
	return NULL;
}

void task_cgroup(struct task_cgroups *c, const char *proc, uint32_t pid, uint64_t start_ns,
		 uint64_t id, bool gone, char path[CGROUP_LEN])
{
	struct task_cgroup new = {.pid = pid, .start_ns = start_ns, .id = id};
	const struct task_cgroup *other;
	struct task_cgroup *g = NULL;

	for (int i = 0; i < CGROUPS_KNOWN; i++)
		if (c->known[i].pid == pid && c->known[i].start_ns == start_ns)
			g = &c->known[i];
	if (g && (gone || (g->id == id && ++g->uses % ASK_AGAIN))) {
		memcpy(path, g->path, CGROUP_LEN);
		return;
	}
	path[0] = '\0';
	if (gone || !ask(proc, &new)) {
		other = in_group(c, id);
		if (other)
			memcpy(path, other->path, CGROUP_LEN);
		return;
	}
	if (!g)
		g = &c->known[c->next++ % CGROUPS_KNOWN];
	*g = new;
	memcpy(path, g->path, CGROUP_LEN);
}
