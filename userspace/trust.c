// SPDX-License-Identifier: BSD-2-Clause
/* Compares kernel memory with /proc and /sys once, before it is used instead of them. */
#include "trust.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* /proc/stat shows whole ticks, rounded down for each processor's each state. */
#define TICKS 2
#define TRIES 3

static const char *const cpu_names[CPU_STATES] = {"user",   "nice", "system",  "idle",
						  "iowait", "irq",  "softirq", "steal"};

static bool within(uint64_t v, uint64_t low, uint64_t high, uint64_t slack)
{
	return v + slack >= low && v <= high + slack;
}

static bool host_agrees(const struct host_record *m, const struct host_record *low,
			const struct host_record *high, char *why)
{
	uint64_t tick_ns = 1000000000ULL / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t slack = TICKS * tick_ns * (uint64_t)sysconf(_SC_NPROCESSORS_CONF);

	for (int i = 0; i < CPU_STATES; i++) {
		uint64_t v = m->cpu_ns[i], from = low->cpu_ns[i], to = high->cpu_ns[i];

		/* An idle period counts as one or the other by what waits for I/O just now. */
		if (i == CPU_IOWAIT)
			continue;
		if (i == CPU_IDLE) {
			v += m->cpu_ns[CPU_IOWAIT];
			from += low->cpu_ns[CPU_IOWAIT];
			to += high->cpu_ns[CPU_IOWAIT];
		}
		if (within(v, from, to, slack))
			continue;
		snprintf(why, WHY_LEN, "%s is %.2f s in kernel memory, %.2f s in /proc/stat",
			 cpu_names[i], (double)m->cpu_ns[i] / 1e9, (double)low->cpu_ns[i] / 1e9);
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
		    !within(m->stats.ns[op], low->ns[op], high->ns[op] + 1000000, 0))
			return false;
	return true;
}

static bool compare(struct probe *p, struct reader *r, struct disk *disks, struct disks_seen *seen,
		    struct disk_counters *low, struct disk_counters *high, char *why)
{
	struct host_record before, after;
	bool ok = reader_read_host(r, &before);

	for (size_t i = 0; i < seen->n; i++)
		ok &= !disk_read_stat(&disks[i], &low[i]);
	if (probe_sweep(p, 0)) {
		snprintf(why, WHY_LEN, "the sweep does not run");
		return false;
	}
	/* Now, for what stayed in the buffer would be taken for the next sweep's. */
	probe_consume_to(p, keep_disk, seen);
	ok = ok && reader_read_host(r, &after);
	for (size_t i = 0; i < seen->n; i++)
		ok &= !disk_read_stat(&disks[i], &high[i]);
	if (!ok) {
		snprintf(why, WHY_LEN, "/proc or /sys cannot be read to compare with");
		return false;
	}
	if (!probe_host(p)->cpus_seen) {
		snprintf(why, WHY_LEN, "no processor's memory could be read");
		return false;
	}
	for (size_t i = 0; i < seen->n; i++) {
		if (disks[i].in_memory && !disk_agrees(&seen->record[i], &low[i], &high[i])) {
			snprintf(why, WHY_LEN, "the statistics of '%s' differ", disks[i].name);
			return false;
		}
	}
	return host_agrees(probe_host(p), &before, &after, why);
}

bool trust_memory(struct probe *p, struct reader *r, struct disk *disks, size_t n, char *why)
{
	struct disks_seen seen = {calloc(n + 1, sizeof(*seen.record)), n};
	struct disk_counters *low = calloc(n + 1, sizeof(*low));
	struct disk_counters *high = calloc(n + 1, sizeof(*high));
	bool ok = false;

	if (probe_layout_why(p)) {
		snprintf(why, WHY_LEN, "%s", probe_layout_why(p));
	} else if (full_dynticks()) {
		snprintf(why, WHY_LEN, "processors with nohz_full keep their time elsewhere");
	} else if (!seen.record || !low || !high) {
		snprintf(why, WHY_LEN, "out of memory");
	} else {
		for (size_t i = 0; i < n; i++)
			disks[i].in_memory = probe_set_disk(p, i, &disks[i], true);
		/* /proc/stat adds up processor by processor, which is no one moment. */
		for (int try = 0; !ok && try < TRIES; try++)
			ok = compare(p, r, disks, &seen, low, high, why);
	}
	free(seen.record);
	free(low);
	free(high);
	return ok;
}
