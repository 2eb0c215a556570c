// SPDX-License-Identifier: BSD-2-Clause
/* limpet-probe check: loads and attaches everything for a moment and tells what worked. */
#include "commands.h"
#include "reading.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct check_opts {
	struct selection_opts sel;
};

const struct option_def check_options[] = {
	SELECTION_OPTIONS(struct check_opts),
	{0, NULL, OPT_FLAG, 0, NULL, NULL, 0, 0},
};

static void line(const char *what, bool ok, const char *detail)
{
	printf("%-12s %-4s %s\n", what, ok ? "yes" : "NO", detail);
}

static void ignore_record(void *arg, const struct record_head *rec)
{
	(void)arg;
	(void)rec;
}

/* What each family gives, beside how it is attached. */
static const char *const family_gives[PROBE_FAMILIES] = {
	[PROBE_BLOCK] = "reads, writes, await, aqu-sz, latency histograms",
	[PROBE_SCHED] = "cswch/s, runq-sz",
	[PROBE_TCP] = "sockets, congestion windows",
	[PROBE_RETRANSMIT] = "retrans/s",
};

static bool check_kernel(void)
{
	char buf[160], caps[128];
	struct features f;
	int err = features_ask(&f);

	line("BTF", !err,
	     err ? "no /sys/kernel/btf/vmlinux: CONFIG_DEBUG_INFO_BTF is needed"
		 : "/sys/kernel/btf/vmlinux");
	features_missing_caps(caps, sizeof(caps));
	snprintf(buf, sizeof(buf), "%s%s", caps[0] ? "missing: " : "all that are needed", caps);
	line("capability", !caps[0], buf);
	if (err)
		return false;
	snprintf(buf, sizeof(buf), "start time flags %u and %u, from %s", f.rqf_io_stat_bit,
		 f.rqf_stats_bit, f.rqf_source);
	line("request", true, buf);
	return true;
}

static int check_families(const struct selection *sel)
{
	struct probe_opts po;
	struct probe *probe;
	char why[WHY_LEN], buf[512];
	const struct family_status *st;
	int missing = 0, err;

	selection_probe_opts(sel, &po);
	if (probe_new(&probe, &po, ignore_record, NULL, why)) {
		line("eBPF", false, why);
		return PROBE_FAMILIES;
	}
	st = probe_status(probe);
	for (int i = 0; i < PROBE_FAMILIES; i++) {
		if (st[i].ok)
			snprintf(buf, sizeof(buf), "%s: %s", st[i].how, family_gives[i]);
		else
			snprintf(buf, sizeof(buf), "%s", st[i].why);
		line(st[i].name, st[i].ok, buf);
		missing += !st[i].ok;
	}
	/* As `record` will: every capability is given up before the first sweep. */
	features_drop_caps();
	err = probe_sweep(probe, 1);
	line("sweep", !err, err ? strerror(-err) : "runs without capabilities");
	missing += !!err;
	snprintf(buf, sizeof(buf), "%zu KiB of kernel memory for %zu disks",
		 probe_map_bytes(probe) / 1024, sel->n_disks);
	line("memory", true, buf);
	probe_free(probe);
	return missing;
}

static int check_proc(const struct selection *sel, const struct selection_opts *o)
{
	struct reader reader;
	struct sched_param param = {.sched_priority = 10};
	char why[WHY_LEN];
	bool ok = !reader_open(&reader, &sel->netns, o->netdevs.at, o->netdevs.n, why);
	bool fifo = !sched_setscheduler(0, SCHED_FIFO, &param);

	line("proc", ok,
	     ok ? "/proc/stat, /proc/net/dev: %user, %system, %iowait, rxkB/s, txkB/s" : why);
	if (ok)
		reader_close(&reader);
	line("realtime", fifo,
	     fifo ? "samples are punctual under load"
		  : "no SCHED_FIFO: samples may be late under "
		    "load (late_ns tells)");
	return !ok;
}

static void check_selection(const struct selection *sel)
{
	for (size_t i = 0; i < sel->n_disks; i++) {
		struct device_identity id;
		char buf[192];

		disk_identity(&sel->disks[i], &id);
		snprintf(buf, sizeof(buf), "%s: %.1f GB, %s%s%s", id.name,
			 (double)id.size_bytes / 1e9,
			 id.rotational == 1   ? "rotational"
			 : id.rotational == 0 ? "not rotational"
					      : "kind unknown",
			 id.model[0] ? ", " : "", id.model);
		line("disk", true, buf);
	}
	if (!sel->n_disks)
		line("disk", false, "no disk found: give --disk");
	for (size_t i = 0; i < sel->n_cgroups; i++)
		line("cgroup", true,
		     sel->cgroups[i].v1
			     ? "v1: writeback of the page cache has no owner (unknown-wkB/s)"
			     : "v2: reads and writes by owner");
}

int cmd_check(int argc, char **argv)
{
	static const struct command cmd = {
		"check", "", "tell what this host can do, family by family, and why not.",
		check_options, cmd_check};
	struct check_opts o = {0};
	struct selection sel;
	int n = options_parse(&cmd, &o, argc, argv), status;

	if (n < 0)
		return n == -ECANCELED ? EXIT_DONE : EXIT_USAGE;
	if (n > 0) {
		fail("'%s': 'check' takes options only", argv[1]);
		return EXIT_USAGE;
	}
	status = selection_resolve(&sel, &o.sel);
	if (!status) {
		check_selection(&sel);
		bool btf = check_kernel(), proc = !check_proc(&sel, &o.sel);

		status = btf && !check_families(&sel) && proc ? EXIT_DONE : EXIT_FAILED;
	}
	selection_release(&sel, &o.sel);
	return status;
}
