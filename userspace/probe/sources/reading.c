// SPDX-License-Identifier: BSD-2-Clause
/* Counters read from /proc at the moment of a sweep. */
#include "reading.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "userspace/common/clock.h"

/* ---- life ---- */

int reader_open(struct reader *r, const struct netns *ns, const struct string_list *netdevs,
		char *why)
{
	struct reading *first = calloc(1, sizeof(*first));
	int err = 0;

	memset(r, 0, sizeof(*r));
	r->netdevs = *netdevs;
	pthread_mutex_init(&r->lock, NULL);
	r->stat_fd = procfile_open("/proc/stat");
	r->vmstat_fd = procfile_open("/proc/vmstat");
	r->net_dev_fd = netns_open_proc(ns, "dev");
	if (procfile_buf_init(&r->buf) || !first) {
		err = -ENOMEM;
		snprintf(why, WHY_LEN, "out of memory");
	} else if (r->stat_fd < 0) {
		err = -ENOENT;
		snprintf(why, WHY_LEN, "cannot open '/proc/stat'");
	} else if (r->net_dev_fd < 0) {
		err = r->net_dev_fd;
		snprintf(why, WHY_LEN, "cannot read '/proc/net/dev' in the network namespace: %s",
			 strerror(-err));
	} else {
		reader_read(r, first);
		if (netdevs->n && first->n_netdevs < string_list_distinct(netdevs)) {
			err = -ENODEV;
			snprintf(why, WHY_LEN, "only %zu of the %zu interfaces asked for exist",
				 first->n_netdevs, string_list_distinct(netdevs));
		}
		if (r->netdevs_left)
			warn("%zu of %zu interfaces are left out; name those that carry the "
			     "traffic with '--netdev'",
			     r->netdevs_left, r->netdevs_left + first->n_netdevs);
	}
	free(first);
	if (err)
		reader_close(r);
	return err;
}

void reader_close(struct reader *r)
{
	procfile_close(&r->stat_fd);
	procfile_close(&r->vmstat_fd);
	procfile_close(&r->net_dev_fd);
	procfile_buf_release(&r->buf);
}

void reader_set_netdevs(struct reader *r, const struct string_list *netdevs)
{
	pthread_mutex_lock(&r->lock);
	r->netdevs = *netdevs;
	pthread_mutex_unlock(&r->lock);
}

/* ---- processors and memory events: the fallback for host.bpf.c ---- */

/* The "cpu" line: user nice system idle iowait irq softirq steal, in 1/100 s (guest is in user). */
static bool parse_stat(const char *text, struct host_record *h)
{
	const uint64_t tick_ns = (uint64_t)(NS_PER_S / sysconf(_SC_CLK_TCK));
	uint64_t v[CPU_STATES];

	if (!text || strncmp(text, "cpu ", 4) ||
	    procfile_numbers(text + 4, v, CPU_STATES) != CPU_STATES)
		return false;
	for (int i = 0; i < CPU_STATES; i++)
		h->cpu_ns[i] = v[i] * tick_ns;
	return procfile_number(text, "ctxt ", &h->switches) &&
	       procfile_number(text, "procs_running ", &h->nr_running) &&
	       procfile_number(text, "procs_blocked ", &h->nr_blocked);
}

static bool parse_vmstat(const char *text, struct host_record *h)
{
	static const struct {
		const char *prefix; /* all lines that begin with it are added up */
		enum vm_event event;
		unsigned int times;
	} rows[] = {
		{"pgpgin ", VM_PGPGIN, 2}, /* shown in KiB, counted in sectors */
		{"pgpgout ", VM_PGPGOUT, 2},
		{"pswpin ", VM_PSWPIN, 1},
		{"pswpout ", VM_PSWPOUT, 1},
		{"pgfault ", VM_PGFAULT, 1},
		{"pgmajfault ", VM_PGMAJFAULT, 1},
		{"pgfree ", VM_PGFREE, 1},
		{"pgscan_kswapd ", VM_PGSCAN_KSWAPD, 1},
		{"pgscan_direct ", VM_PGSCAN_DIRECT, 1},
		{"pgsteal_anon ", VM_PGSTEAL, 1},
		{"pgsteal_file ", VM_PGSTEAL, 1},
		{"allocstall_", VM_ALLOCSTALL, 1},
	};
	bool any[VM_EVENTS] = {false};

	if (!text)
		return false;
	memset(h->vm, 0, sizeof(h->vm));
	for (const char *line = text; line && *line;) {
		const char *end = strchr(line, '\n'), *value = strchr(line, ' ');
		uint64_t v;

		for (size_t i = 0; value && i < sizeof(rows) / sizeof(*rows); i++) {
			if (strncmp(line, rows[i].prefix, strlen(rows[i].prefix)) ||
			    procfile_numbers(value, &v, 1) != 1)
				continue;
			h->vm[rows[i].event] += v * rows[i].times;
			any[rows[i].event] = true;
		}
		line = end ? end + 1 : NULL;
	}
	for (int i = 0; i < VM_EVENTS; i++)
		if (!any[i])
			h->vm[i] = UNKNOWN;
	return true;
}

bool reader_read_host(struct reader *r, struct host_record *h)
{
	memset(h, 0, sizeof(*h));
	h->cpus_seen = UNKNOWN;
	return parse_stat(procfile_read(&r->buf, r->stat_fd), h) &&
	       parse_vmstat(procfile_read(&r->buf, r->vmstat_fd), h);
}

/* ---- interfaces ---- */

static bool netdev_wanted(const struct reader *r, const char *name)
{
	for (size_t i = 0; i < r->netdevs.n; i++)
		if (!strcmp(r->netdevs.at[i], name))
			return true;
	return !r->netdevs.n && strcmp(name, "lo");
}

static bool read_netdevs(struct reader *r, struct reading *out)
{
	char *text = procfile_read(&r->buf, r->net_dev_fd), *save = NULL;

	out->n_netdevs = 0;
	r->netdevs_left = 0;
	if (!text)
		return false;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct netdev_counters *d = &out->netdev[out->n_netdevs];
		char *name = line + strspn(line, " "), *colon = strchr(line, ':');
		uint64_t v[12];

		if (!colon)
			continue;
		*colon = '\0';
		if (!netdev_wanted(r, name))
			continue;
		if (out->n_netdevs == MAX_NETDEVS) {
			r->netdevs_left++;
			continue;
		}
		if (strlen(name) >= sizeof(d->name) || procfile_numbers(colon + 1, v, 12) != 12)
			continue;
		strcpy(d->name, name);
		d->rx_bytes = v[0];
		d->rx_packets = v[1];
		d->rx_errors = v[2];
		d->rx_dropped = v[3];
		d->tx_bytes = v[8];
		d->tx_packets = v[9];
		d->tx_errors = v[10];
		d->tx_dropped = v[11];
		out->n_netdevs++;
	}
	return true;
}

size_t reader_count_netdevs(const struct reader *r, const struct string_list *netdevs)
{
	struct reader other = {.net_dev_fd = r->net_dev_fd, .netdevs = *netdevs};
	struct reading *now = calloc(1, sizeof(*now));
	size_t n = 0;

	if (now && !procfile_buf_init(&other.buf) && read_netdevs(&other, now))
		n = now->n_netdevs + other.netdevs_left;
	procfile_buf_release(&other.buf);
	free(now);
	return n;
}

void reader_read(struct reader *r, struct reading *out)
{
	out->wall_ns = clock_ns(CLOCK_REALTIME);
	out->mono_ns = (uint64_t)clock_ns(CLOCK_MONOTONIC);
	pthread_mutex_lock(&r->lock);
	read_netdevs(r, out);
	pthread_mutex_unlock(&r->lock);
	out->host_ok = r->host && reader_read_host(r, &out->host);
}
