// SPDX-License-Identifier: BSD-2-Clause
/* Compares kernel memory with /proc and /sys once, before it is used instead of them. */
#include "trust.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "userspace/common/clock.h"

/* /proc/stat shows whole ticks, rounded down for each processor's each state. */
#define TICKS 2
#define TRIES 3

static const char *const cpu_names[CPU_STATES] = {"user",   "nice", "system",  "idle",
						  "iowait", "irq",  "softirq", "steal"};

static bool within(uint64_t v, uint64_t low, uint64_t high, uint64_t slack)
{
	return v + slack >= low && v <= high + slack;
}

/* /proc/stat takes the idle time of one that is off line from elsewhere than while it was on. */
static bool any_off_line(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN) < sysconf(_SC_NPROCESSORS_CONF);
}

static bool host_agrees(const struct host_record *m, const struct host_record *low,
			const struct host_record *high, char *why)
{
	uint64_t tick_ns = (uint64_t)(NS_PER_S / sysconf(_SC_CLK_TCK));
	uint64_t slack = TICKS * tick_ns * (uint64_t)sysconf(_SC_NPROCESSORS_CONF);

	for (int i = 0; i < CPU_STATES; i++) {
		uint64_t v = m->cpu_ns[i], from = low->cpu_ns[i], to = high->cpu_ns[i];

		/* An idle period counts as one or the other by what waits for I/O just now. */
		if (i == CPU_IOWAIT || (i == CPU_IDLE && any_off_line()))
			continue;
		if (i == CPU_IDLE) {
			v += m->cpu_ns[CPU_IOWAIT];
			from += low->cpu_ns[CPU_IOWAIT];
			to += high->cpu_ns[CPU_IOWAIT];
		}
		if (within(v, from, to, slack))
			continue;
		snprintf(why, WHY_LEN, "%s is %.2f s in kernel memory, %.2f s in /proc/stat",
			 cpu_names[i], s_of_ns((int64_t)m->cpu_ns[i]),
			 s_of_ns((int64_t)low->cpu_ns[i]));
		return false;
	}
	if (!within(m->switches, low->switches, high->switches, 0)) {
		snprintf(why, WHY_LEN, "context switches are %llu in kernel memory, %llu in /proc",
			 (unsigned long long)m->switches, (unsigned long long)low->switches);
		return false;
	}
	for (int i = 0; i < VM_EVENTS; i++) {
		/* Pages in and out are shown in KiB, rounded down. */
		uint64_t odd = i == VM_PGPGIN || i == VM_PGPGOUT;

		if (low->vm[i] == UNKNOWN || within(m->vm[i], low->vm[i], high->vm[i], odd))
			continue;
		snprintf(why, WHY_LEN, "memory event %d is %llu in kernel memory, %llu in /proc", i,
			 (unsigned long long)m->vm[i], (unsigned long long)low->vm[i]);
		return false;
	}
	return true;
}

/* The tick-less kernel keeps a busy processor's time elsewhere (virtual time accounting). */
static bool full_dynticks(void)
{
	FILE *f = fopen("/sys/devices/system/cpu/nohz_full", "re");
	char buf[64] = "";
	bool any = f && fgets(buf, sizeof(buf), f) && strspn(buf, "0123456789");

	if (f)
		fclose(f);
	return any;
}

struct disks_seen {
	struct disk_record *record;
	size_t n;
};

static void keep_disk(void *arg, const struct record_head *head)
{
	struct disks_seen *seen = arg;

	if (head->type == REC_DISK && head->index < seen->n)
		seen->record[head->index] = *(const struct disk_record *)head;
}

static bool disk_agrees(const struct disk_record *m, const struct disk_counters *low,
			const struct disk_counters *high)
{
	if (m->state != DISK_HERE)
		return false;
	for (int op = 0; op < OP_COUNT; op++)
		if (!within(m->stats.ios[op], low->ios[op], high->ios[op], 0) ||
		    !within(m->stats.merges[op], low->merges[op], high->merges[op], 0) ||
		    !within(m->stats.sectors[op], low->sectors[op], high->sectors[op], 0) ||
		    !within(m->stats.ns[op], low->ns[op], high->ns[op] + NS_PER_MS, 0))
			return false;
	return true;
}

/* What one sweep and the two readings around it say; what has agreed once is trusted. */
struct comparison {
	struct disks_seen seen;
	struct disk_counters *low, *high;
	bool host, disks;
	char host_why[WHY_LEN], disks_why[WHY_LEN];
};

static void judge_host(struct comparison *c, const struct host_record *m,
		       const struct host_record *low, const struct host_record *high)
{
	if (m->cpus_seen)
		c->host = host_agrees(m, low, high, c->host_why);
	else
		snprintf(c->host_why, WHY_LEN, "no processor's memory could be read");
}

static void judge_disks(struct comparison *c, const struct disk *disks)
{
	c->disks = true;
	for (size_t i = 0; c->disks && i < c->seen.n; i++) {
		if (!disks[i].in_memory || disk_agrees(&c->seen.record[i], &c->low[i], &c->high[i]))
			continue;
		c->disks = false;
		snprintf(c->disks_why, WHY_LEN, "the statistics of '%s' are others in /sys",
			 disks[i].name);
	}
}

static void compare(struct comparison *c, struct probe *p, struct reader *r, struct disk *disks)
{
	struct host_record before, after;
	bool host = reader_read_host(r, &before), read = true;

	for (size_t i = 0; i < c->seen.n; i++)
		read &= !disk_read_stat(&disks[i], &c->low[i]);
	if (probe_sweep(p, 0)) {
		snprintf(c->host_why, WHY_LEN, "the sweep does not run");
		memcpy(c->disks_why, c->host_why, sizeof(c->host_why));
		return;
	}
	/* Now, for what stayed in the buffer would be taken for the next sweep's. */
	probe_consume_to(p, keep_disk, &c->seen);
	host = reader_read_host(r, &after) && host;
	for (size_t i = 0; i < c->seen.n; i++)
		read &= !disk_read_stat(&disks[i], &c->high[i]);
	if (host && !c->host)
		judge_host(c, probe_host(p), &before, &after);
	else if (!c->host)
		snprintf(c->host_why, WHY_LEN, "/proc cannot be read to compare with");
	if (read && !c->disks)
		judge_disks(c, disks);
	else if (!c->disks)
		snprintf(c->disks_why, WHY_LEN, "/sys cannot be read to compare with");
}

void trust_memory(struct probe *p, struct reader *r, struct disk *disks, size_t n)
{
	const struct family_status *st = probe_status(p);
	struct comparison c = {.seen = {calloc(n + 1, sizeof(*c.seen.record)), n},
			       .low = calloc(n + 1, sizeof(*c.low)),
			       .high = calloc(n + 1, sizeof(*c.high))};

	if (st[PROBE_HOST].ok && full_dynticks())
		probe_distrust(p, PROBE_HOST,
			       "processors with nohz_full keep their time elsewhere");
	for (size_t i = 0; i < n; i++)
		disks[i].in_memory = probe_set_disk(p, i, &disks[i]);
	/* What is not used needs no trust. */
	c.host = !st[PROBE_HOST].ok;
	c.disks = !st[PROBE_DISK_STATS].ok;
	if (!c.seen.record || !c.low || !c.high) {
		strcpy(c.host_why, "out of memory");
		strcpy(c.disks_why, "out of memory");
	} else {
		/* /proc/stat adds up processor by processor, which is no one moment. */
		for (int try = 0; !(c.host && c.disks) && try < TRIES; try++)
			compare(&c, p, r, disks);
	}
	if (st[PROBE_HOST].ok && !c.host)
		probe_distrust(p, PROBE_HOST, c.host_why);
	if (st[PROBE_DISK_STATS].ok && !c.disks)
		probe_distrust(p, PROBE_DISK_STATS, c.disks_why);
	free(c.seen.record);
	free(c.low);
	free(c.high);
}
