// SPDX-License-Identifier: BSD-2-Clause
/* limpet-probe check: loads and attaches everything for a moment and tells what worked. */
#include "probe_commands.h"
#include "userspace/probe/sources/reading.h"
#include "userspace/probe/rights/rights.h"
#include "userspace/probe/kernel/trust.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
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
	[PROBE_BLOCK] = "latency histograms, device time, origin of reads and writes",
	[PROBE_REQUEUE] = "requeue/s of disks",
	[PROBE_SCHED] = "run-queue delay",
	[PROBE_TCP] = "sockets, congestion windows, round-trip times, bytes, segments",
	[PROBE_TCP_PID] = "sockets of the selected processes",
	[PROBE_TCP_STATE] = "connections that come and go",
	[PROBE_RETRANSMIT] = "retrans/s",
	[PROBE_TASK] = "%CPU, kB_rd/s, kB_wr/s of the busiest processes",
	[PROBE_TASK_EXIT] = "processes that come and go within a second",
	[PROBE_TASK_FREE] = "what a process uses while it exits",
	[PROBE_HOST] = "processors, scheduler, memory events: agree with /proc",
	[PROBE_DISK_STATS] = "statistics of disks: agree with /sys",
	[PROBE_ORIGIN] = "own-rkB/s, foreign-wkB/s and the like",
	[PROBE_TCP_CGROUP] = "sockets of the selected control groups",
	[PROBE_THREADS] = "what the server's threads wait for",
	[PROBE_USER_STACKS] = "what they compute: stacks of user space",
};

static bool check_kernel(const struct selection *sel)
{
	char buf[160], caps[128];
	struct features f;
	int err = features_ask(&f);

	line("BTF", !err,
	     err ? "no /sys/kernel/btf/vmlinux: CONFIG_DEBUG_INFO_BTF is needed"
		 : "/sys/kernel/btf/vmlinux");
	rights_missing(caps, sizeof(caps), sel->netns.fd >= 0);
	snprintf(buf, sizeof(buf), "%s%s", caps[0] ? "missing: " : "all that are needed", caps);
	line("capability", !caps[0], buf);
	if (err)
		return false;
	snprintf(buf, sizeof(buf), "start time flags %u and %u, from %s", f.rqf_io_stat_bit,
		 f.rqf_stats_bit, f.rqf_source);
	line("request", true, buf);
	return true;
}

/* As `record` ends them, for good. A kernel that lacks one of the means still records. */
static bool end_rights(void)
{
	struct rights r = {.ruleset = -1};
	char why[WHY_LEN], buf[160];
	bool ok = !rights_prepare(&r, -1, -1, why) && !rights_end(&r, why);

	snprintf(buf, sizeof(buf),
		 "ABI %d: /proc, /sys and the folder of --options are read, DIR is written",
		 r.landlock);
	line("landlock", r.landlock,
	     r.landlock ? buf
			: "not in this kernel, or not among its 'lsm=': files are as the user's "
			  "rights have it");
	line("seccomp", rights_calls_filtered(),
	     rights_calls_filtered() ? "what a recorder never calls is refused"
				     : "this kernel has no CONFIG_SECCOMP_FILTER");
	line("rights", ok,
	     !ok ? why
	     : rights_bounding_empty()
		     ? "ended: no capabilities, no new privileges, empty bounding "
		       "set"
		     : "ended: no capabilities, no new privileges (the bounding "
		       "set stays without CAP_SETPCAP)");
	rights_release(&r);
	return ok;
}

static int check_family(const struct family_status *st, const char *gives)
{
	char buf[512];

	if (st->left_out)
		return 0;
	if (st->ok)
		snprintf(buf, sizeof(buf), "%s: %s", st->how, gives);
	else
		snprintf(buf, sizeof(buf), "%s; %s", st->why, st->instead);
	line(st->name, st->ok, buf);
	return !st->ok;
}

/* As `record` will use it: memory compared with /proc, then swept without capabilities. */
static int check_families(struct selection *sel, struct reader *reader)
{
	const struct family_status *st;
	struct probe_opts po;
	struct probe *probe;
	char why[WHY_LEN], buf[160];
	int missing = 0, err;
	bool ended;

	selection_probe_opts(sel, &po);
	if (probe_new(&probe, &po, ignore_record, NULL, why)) {
		line("eBPF", false, why);
		end_rights();
		return PROBE_FAMILIES;
	}
	trust_memory(probe, reader, sel->disks, sel->n_disks);
	st = probe_status(probe);
	for (int i = 0; i < PROBE_FAMILIES; i++)
		missing += check_family(&st[i], family_gives[i]);
	snprintf(buf, sizeof(buf), "%zu KiB of kernel memory for %zu disks",
		 probe_map_bytes(probe) / 1024, sel->n_disks);
	line("maps", true, buf);
	ended = end_rights();
	err = probe_sweep(probe, 1);
	line("sweep", !err, err ? strerror(-err) : "runs without capabilities");
	probe_free(probe);
	return missing + !ended + !!err;
}

static bool check_proc(const struct selection *sel, const struct selection_opts *o,
		       struct reader *reader)
{
	struct sched_param param = {.sched_priority = 10};
	char why[WHY_LEN];
	bool ok = !reader_open(reader, &sel->netns, &o->netdevs, why);
	bool fifo = !sched_setscheduler(0, SCHED_FIFO, &param);

	line("proc", ok,
	     ok ? "/proc: interfaces, load, memory, pressure; all else where eBPF cannot" : why);
	line("realtime", fifo,
	     fifo ? "samples are punctual under load"
		  : "no SCHED_FIFO: samples may be late under "
		    "load (late_ns tells)");
	return ok;
}

static void check_netdevs(const struct selection *sel, struct reader *reader)
{
	struct reading *reading = calloc(1, sizeof(*reading));
	struct device_identity id;
	struct netdevs devs;
	char buf[192];

	if (reading && !netdevs_open(&devs, &sel->netns)) {
		reader_read(reader, reading);
		for (size_t i = 0; i < reading->n_netdevs; i++) {
			netdev_identity(&devs, reading->netdev[i].name, &id);
			if (id.speed_mbps > 0)
				snprintf(buf, sizeof(buf), "%s: %s, %lld Mbit/s", id.name,
					 id.driver, (long long)id.speed_mbps);
			else
				snprintf(buf, sizeof(buf), "%s: %s, speed unknown", id.name,
					 id.driver[0] ? id.driver : "driver unknown");
			line("interface", true, buf);
		}
		netdevs_close(&devs);
	}
	free(reading);
}

static void check_selection(const struct selection *sel)
{
	for (size_t i = 0; i < sel->n_disks; i++) {
		struct device_identity id;
		char buf[192];

		disk_identity(sel->disks[i].name, &id);
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
		     : sel->cgroups[i].requests ? "v2: reads and writes by owner, and TCP sockets"
						: "v2: TCP sockets by owner");
}

int cmd_check(int argc, char **argv)
{
	static const struct command cmd = {
		"check",
		"",
		"tell what this host can do, family by family, and why not.",
		check_options,
		cmd_check,
		NULL};
	struct check_opts o = {0};
	struct selection sel = {.netns.fd = -1};
	int n = options_parse(&cmd, &o, argc, argv), status;

	if (n < 0) {
		selection_release(&sel);
		selection_opts_release(&o.sel);
		return n == -ECANCELED ? EXIT_DONE : EXIT_USAGE;
	}
	if (n > 0) {
		fail("'%s': 'check' takes options only", argv[1]);
		return EXIT_USAGE;
	}
	status = selection_resolve(&sel, &o.sel);
	if (!status) {
		struct reader reader = {0};
		bool btf, proc;

		check_selection(&sel);
		proc = check_proc(&sel, &o.sel, &reader);
		if (proc)
			check_netdevs(&sel, &reader);
		btf = check_kernel(&sel);
		status = EXIT_FAILED;
		if (!proc || !btf)
			end_rights();
		else if (!check_families(&sel, &reader))
			status = EXIT_DONE;
		if (proc)
			reader_close(&reader);
	}
	selection_release(&sel);
	selection_opts_release(&o.sel);
	return status;
}
