// SPDX-License-Identifier: BSD-2-Clause
/* Counters read from /proc and /sys at the moment of a sweep. */
#include "reading.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int reader_open(struct reader *r, const struct netns *ns, const char *const *netdevs,
		size_t n_netdevs, char *why)
{
	struct reading first;
	int err = 0;

	r->netdevs.at = netdevs;
	r->netdevs.n = n_netdevs;
	r->net_dev_fd = -1;
	r->proc_stat_fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	if (r->proc_stat_fd < 0) {
		err = -errno;
		snprintf(why, WHY_LEN, "cannot open '/proc/stat': %s", strerror(errno));
		goto out;
	}
	r->net_dev_fd = netns_open_proc(ns, "dev");
	if (r->net_dev_fd < 0) {
		err = r->net_dev_fd;
		snprintf(why, WHY_LEN, "cannot read '/proc/net/dev' in the network namespace: %s",
			 strerror(-err));
		goto out;
	}
	reader_read(r, NULL, 0, &first);
	if (n_netdevs && first.n_netdevs < n_netdevs) {
		err = -ENODEV;
		snprintf(why, WHY_LEN, "only %zu of the %zu interfaces asked for exist",
			 first.n_netdevs, n_netdevs);
	}
out:
	if (err)
		reader_close(r);
	return err;
}

void reader_close(struct reader *r)
{
	if (r->proc_stat_fd >= 0)
		close(r->proc_stat_fd);
	if (r->net_dev_fd >= 0)
		close(r->net_dev_fd);
	r->proc_stat_fd = r->net_dev_fd = -1;
}

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The "cpu" line: user nice system idle iowait irq softirq steal (guest is inside user). */
static bool read_cpu(int fd, struct cpu_ticks *cpu)
{
	unsigned long long v[8];
	char buf[256];
	ssize_t n = pread(fd, buf, sizeof(buf) - 1, 0);

	if (n <= 0)
		return false;
	buf[n] = '\0';
	if (sscanf(buf, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3],
		   &v[4], &v[5], &v[6], &v[7]) != 8)
		return false;
	cpu->user = v[0] + v[1];
	cpu->system = v[2] + v[5] + v[6];
	cpu->iowait = v[4];
	cpu->total = 0;
	for (int i = 0; i < 8; i++)
		cpu->total += v[i];
	return true;
}

static bool netdev_wanted(const struct reader *r, const char *name)
{
	for (size_t i = 0; i < r->netdevs.n; i++)
		if (!strcmp(r->netdevs.at[i], name))
			return true;
	return !r->netdevs.n && strcmp(name, "lo");
}

static bool read_netdevs(const struct reader *r, struct reading *out)
{
	char buf[65536], *save = NULL;
	ssize_t n = pread(r->net_dev_fd, buf, sizeof(buf) - 1, 0);

	out->n_netdevs = 0;
	if (n <= 0)
		return false;
	buf[n] = '\0';
	for (char *line = strtok_r(buf, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct netdev_counters *d = &out->netdev[out->n_netdevs];
		char *name = line + strspn(line, " "), *colon = strchr(line, ':');
		unsigned long long v[10];

		if (!colon || out->n_netdevs == MAX_NETDEVS)
			continue;
		*colon = '\0';
		if (strlen(name) >= sizeof(d->name) || !netdev_wanted(r, name))
			continue;
		if (sscanf(colon + 1, "%llu %llu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0],
			   &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[8], &v[9]) != 10)
			continue;
		strcpy(d->name, name);
		d->rx_bytes = v[0];
		d->rx_packets = v[1];
		d->tx_bytes = v[8];
		d->tx_packets = v[9];
		out->n_netdevs++;
	}
	return true;
}

void reader_read(struct reader *r, struct disk *disks, size_t n_disks, struct reading *out)
{
	memset(out, 0, sizeof(*out));
	out->wall_ns = (int64_t)clock_ns(CLOCK_REALTIME);
	out->mono_ns = clock_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < n_disks; i++)
		out->disk_ok[i] = !disk_read_stat(&disks[i], &out->disk[i]);
	out->cpu_ok = read_cpu(r->proc_stat_fd, &out->cpu);
	out->net_ok = read_netdevs(r, out);
}
