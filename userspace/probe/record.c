// SPDX-License-Identifier: BSD-2-Clause
/* limpet-probe record: wires selection, kernel side, sampler, merge and sinks, and runs them. */
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "ownership.h"
#include "userspace/common/text.h"
#include "userspace/probe/kernel/trust.h"

#define DISKS_EVERY 10 /* seconds */
/* Of a watchdog: a second is merged with the sweep after it, and one may be left out. */
#define SILENT_INTERVALS 4

/* What is asked for makes sense: a place to record to, a name. */
static int check_request(struct session *s)
{
	const struct record_opts *o = &s->r.o;
	const char *wrong;

	if (!o->dir && !o->json && !o->frames && !o->listen) {
		fail("nowhere to record to: give '-o DIR', '-j', '--frames FILE' or '--listen "
		     "PORT'");
		return EXIT_USAGE;
	}
	if (o->json && o->frames && !strcmp(o->frames, "-")) {
		fail("'-j' and '--frames -' cannot both have standard output");
		return EXIT_USAGE;
	}
	if (o->host)
		snprintf(s->host, sizeof(s->host), "%.*s", HOST_LEN - 1, o->host);
	else if (gethostname(s->host, sizeof(s->host) - 1))
		strcpy(s->host, "localhost");
	wrong = series_check_host(o->host ? o->host : s->host);
	if (wrong) {
		fail("'--host %s': %s", s->host, wrong);
		return EXIT_USAGE;
	}
	return 0;
}

static int64_t speed_of(void *arg, const char *name)
{
	return netdev_speed(arg, name);
}

/* Signals arrive as readable events; SIGPIPE is left to EPIPE. */
static int open_signals(struct session *s)
{
	sigset_t stop, hangup;

	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	sigemptyset(&hangup);
	sigaddset(&hangup, SIGHUP);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	sigprocmask(SIG_BLOCK, &hangup, NULL);
	signal(SIGPIPE, SIG_IGN);
	s->stop_fd = signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK);
	s->hangup_fd = signalfd(-1, &hangup, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->stop_fd >= 0 && s->hangup_fd >= 0)
		return 0;
	fail("cannot receive signals: %s", strerror(errno));
	return EXIT_FAILED;
}

static int open_sinks(struct session *s)
{
	struct sinks_opts o = {
		.dir = s->r.o.dir,
		.json = s->r.o.json,
		.frames = s->r.o.frames,
		.listen = s->r.o.listen,
		.hosts = &s->r.o.hosts,
		.keep_days = s->r.o.keep_days,
		.keep_bytes = s->r.o.keep_bytes,
		.host = s->host,
		.interval_ms = s->r.interval_s * 1000,
		.cgroups = s->sel.cgroups,
		.n_cgroups = s->sel.n_cgroups,
		.pids = s->sel.pids,
		.n_pids = s->sel.n_pids,
		.netdevs = &s->netdevs,
		.stop_fd = s->stop_fd,
	};

	return sinks_open(&s->sinks, &o);
}

/* What this host cannot measure, for the record; `why` there is no eBPF at all, if there is none. */
static int note_missing(struct session *s, const char *why)
{
	const struct family_status *st = probe_status(s->probe);
	struct text t = {0};

	if (!s->probe)
		text_add(&t, "eBPF: %s; /proc and /sys are read\n", why);
	for (int i = 0; s->probe && i < PROBE_FAMILIES; i++)
		if (!st[i].ok && !st[i].left_out)
			text_add(&t, "%s: %s; %s\n", st[i].name, st[i].why, st[i].instead);
	s->missing = text_take(&t, NULL);
	if (!s->missing) {
		fail("%s", strerror(ENOMEM));
		return EXIT_FAILED;
	}
	s->second.missing = *s->missing ? s->missing : NULL;
	return 0;
}

static void say_missing(const struct session *s)
{
	for (const char *at = s->second.missing; at && *at; at += strcspn(at, "\n") + 1)
		warn("%.*s", (int)strcspn(at, "\n"), at);
}

/* Without eBPF; with it the families tell. */
static void say_unselected(const struct session *s)
{
	bool groups = false;

	for (size_t i = 0; i < s->sel.n_cgroups; i++)
		groups |= !s->sel.cgroups[i].v1;
	if (s->sel.n_pids || groups)
		warn("%s: only eBPF can tell whose sockets are; all %sare looked at",
		     s->sel.n_pids ? groups ? "--pid, --cgroup" : "--pid" : "--cgroup",
		     s->sel.n_ports ? "of --port " : "");
}

static int load_probe(struct session *s)
{
	const struct family_status *st;
	struct probe_opts po;
	char why[WHY_LEN];
	size_t left = 0;
	int working = 0;

	if (s->sel.source == SOURCE_PROC) {
		say_unselected(s);
		return note_missing(s, "left out (--source proc)");
	}
	selection_probe_opts(&s->sel, &po);
	if (probe_new(&s->probe, &po, merge_record, s->merge, why)) {
		if (s->sel.source == SOURCE_AUTO) {
			warn("%s", why);
			warn("recording what /proc and /sys tell; 'limpet-probe check' tells more");
			say_unselected(s);
			return note_missing(s, why);
		}
		fail("%s", why);
		fail("'limpet-probe check' tells what this host can do");
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < s->sel.n_others; i++)
		left += probe_add_other(s->probe, s->sel.others[i]) != 0;
	if (left)
		warn("%zu disks find no place in the table, and are left out", left);
	trust_memory(s->probe, &s->reader, s->sel.disks, s->sel.n_disks);
	st = probe_status(s->probe);
	for (int i = 0; i < PROBE_HOST; i++)
		working += st[i].ok;
	if (note_missing(s, NULL))
		return EXIT_FAILED;
	say_missing(s);
	if (s->sel.source == SOURCE_BPF && !(working && st[PROBE_HOST].ok)) {
		fail("not everything can be had from eBPF and kernel memory here");
		return EXIT_FAILED;
	}
	return 0;
}

static int open_probe(struct session *s)
{
	struct merge_opts o = {
		.disks = s->sel.disks,
		.n_others = s->sel.n_others,
		.labelled = s->sel.n_cgroups > 0,
		.speed_mbps = speed_of,
		.speed_arg = &s->netdevs,
	};
	struct probe_opts po;
	char why[WHY_LEN];
	int status;

	selection_probe_opts(&s->sel, &po);
	o.disk_slots = s->disk_slots = po.disk_slots;
	if (reader_open(&s->reader, &s->sel.netns, &s->r.o.sel.netdevs, why)) {
		fail("%s", why);
		return EXIT_FAILED;
	}
	if (gauges_open(&s->gauges)) {
		fail("%s", strerror(ENOMEM));
		return EXIT_FAILED;
	}
	netdevs_open(&s->netdevs, &s->sel.netns);
	/* The probe needs the merge to give records to. */
	s->merge = merge_new(&o);
	if (!s->merge) {
		fail("%s", strerror(errno));
		return EXIT_FAILED;
	}
	status = load_probe(s);
	s->reader.host = !probe_status(s->probe)[PROBE_HOST].ok;
	merge_set_probe(s->merge, s->probe);
	return status;
}

static int open_tasks(struct session *s)
{
	struct tasks_opts o = {
		.look = probe_look_at_tasks,
		.source = s->probe,
		.interval_s = s->r.interval_s,
		.proc = "/proc",
	};

	if (!probe_status(s->probe)[PROBE_TASK].ok)
		return 0;
	s->tasks = tasks_new(&o);
	if (s->tasks)
		return 0;
	fail("%s", strerror(ENOMEM));
	return EXIT_FAILED;
}

/* The kernel counts the bytes of others; or the table of processes tells, in which the file system's are known. */
static void say_origin(const struct session *s)
{
	const struct selection *sel = &s->sel;

	if (sel->n_cgroups && probe_status(s->probe)[PROBE_ORIGIN].ok)
		return;
	if (!s->tasks)
		warn("own and others' I/O on the disks cannot be told apart: %s",
		     sel->n_cgroups ? "processes are not recorded either"
				    : "give --cgroup, and record processes");
	else if (!sel->n_cgroups && !sel->n_pids && !ownership_daemon_runs("/proc"))
		warn("own and others' I/O on the disks cannot be told apart: give --cgroup or "
		     "--pid, for no daemon runs here that is known to be a file system's");
}

/* The threads that sample end theirs in sampler_start(), the one that serves inherits main's. */
static int end_rights(struct session *s)
{
	char why[WHY_LEN];

	if (!rights_end(&s->rights, why))
		return 0;
	fail("%s", why);
	return EXIT_FAILED;
}

/* The folder that the file of --options is in; -1: there is none. */
static int options_folder(const struct session *s)
{
	char *real = s->r.o.file ? realpath(s->r.o.file, NULL) : NULL;
	char *slash = real ? strrchr(real, '/') : NULL;
	int fd = -1;

	if (slash) {
		slash[slash == real] = '\0';
		fd = open(real, O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	free(real);
	return fd;
}

static int prepare_rights(struct session *s)
{
	int options = options_folder(s);
	char why[WHY_LEN];
	int err = rights_prepare(&s->rights, s->sinks.folder, options, why);

	if (options >= 0)
		close(options);
	if (err) {
		fail("%s", why);
		return EXIT_FAILED;
	}
	if (!s->rights.landlock)
		warn("this kernel has no Landlock: what user %u may read and write stays within "
		     "reach",
		     geteuid());
	return 0;
}

static int start_sampler(struct session *s)
{
	const struct family_status *st = probe_status(s->probe);
	struct sampler_opts o = {
		.probe = s->probe,
		.learn_cpus = !st[PROBE_SCHED].ok && (st[PROBE_HOST].ok || st[PROBE_DISK_STATS].ok),
		.reader = &s->reader,
		.disks = s->sel.disks,
		.n_disks = s->sel.n_disks,
		.max_disks = s->disk_slots,
		.netns = &s->sel.netns,
		.ports = s->sel.ports,
		.n_ports = s->sel.n_ports,
		.interval_s = s->r.interval_s,
		.rights = &s->rights,
	};
	char why[WHY_LEN];

	if (!sampler_start(&s->sampler, &o, why))
		return 0;
	fail("%s", why);
	return EXIT_FAILED;
}

static int start_profiler(struct session *s)
{
	struct profiler_opts o = {
		.probe = s->probe,
		.pids = s->sel.pids,
		.n_pids = s->sel.n_pids,
		.cgroups = s->r.o.sel.cgroups.at,
		.n_cgroups = s->r.o.sel.cgroups.n,
		.rights = &s->rights,
	};
	char why[WHY_LEN];

	if (!probe_status(s->probe)[PROBE_THREADS].ok || !profiler_start(&s->profiler, &o, why))
		return 0;
	fail("%s", why);
	return EXIT_FAILED;
}

static void write_stacks(struct session *s, bool all)
{
	struct profiler_stacks t;

	if (!s->profiler || !profiler_take_stacks(s->profiler, all, &t))
		return;
	sinks_write_stacks(&s->sinks, STACKS_MET, t.from_ns, t.to_ns, t.folded);
	sinks_write_stacks(&s->sinks, STACKS_USER, t.from_ns, t.to_ns, t.user);
	free(t.folded);
	free(t.user);
}

static int write_second(struct session *s)
{
	int status = sinks_write(&s->sinks, &s->second, &s->done);

	if (!status && !s->done)
		s->written++;
	s->done |= s->r.count && s->written >= s->r.count;
	return status;
}

static void on_signal(struct session *s)
{
	struct signalfd_siginfo info;

	if (read(s->stop_fd, &info, sizeof(info)) == sizeof(info))
		s->done = true;
	/* Files that were moved away are begun anew without being told. */
	if (read(s->hangup_fd, &info, sizeof(info)) == sizeof(info)) {
		sinks_refresh(&s->sinks);
		reload(s);
	}
}

static void look_at_tasks(struct session *s)
{
	const char *trouble;
	int err = s->tasks ? tasks_look(s->tasks) : 0;

	if (err && !s->tasks_failed)
		warn("cannot look at the processes: %s", strerror(-err));
	s->tasks_failed = err != 0;
	trouble = s->tasks ? tasks_trouble(s->tasks) : NULL;
	if (trouble)
		warn("%s", trouble);
}

/* Those of a reload, one at a time too. */
static void hand_over(struct session *s)
{
	if (sampler_add_disk(s->sampler, &s->coming[s->n_coming - 1]))
		return;
	s->n_coming--;
	s->sel.n_disks++;
	sinks_refresh(&s->sinks);
}

/* One new disk at a time, which is watched from the next second or the one after on. */
static void look_for_disks(struct session *s)
{
	struct disk found;
	int err;

	if (s->n_coming) {
		hand_over(s);
		return;
	}
	if (s->disks_in-- > 0)
		return;
	s->disks_in = DISKS_EVERY / (int)s->r.interval_s;
	if (!selection_new_disks(&s->sel, &found, 1))
		return;
	err = sampler_add_disk(s->sampler, &found);
	if (!err) {
		s->sel.n_disks++;
		warn("disk '%s' is new", found.name);
		s->disks_in = 2 / (int)s->r.interval_s;
		sinks_refresh(&s->sinks);
		return;
	}
	if (err == -ENOSPC && !s->disks_full)
		warn("no place for disk '%s': restart to record it", found.name);
	s->disks_full = err == -ENOSPC;
	disk_close(&found);
}

static void follow_cgroups(struct session *s)
{
	for (size_t i = 0; s->probe && i < s->sel.n_cgroups; i++) {
		if (!cgroup_ref_is_new(&s->sel.cgroups[i]))
			continue;
		probe_set_cgroup(s->probe, i, s->sel.cgroups[i].id);
		warn("cgroup '%s' was made anew, and is followed", s->sel.cgroups[i].path);
	}
}

static int drain(struct session *s)
{
	const char *trouble = sampler_trouble(s->sampler);
	struct reading *reading;
	int status = 0;

	if (trouble) {
		warn("%s", trouble);
		sinks_refresh(&s->sinks);
	}
	look_for_disks(s);
	follow_cgroups(s);
	trouble = s->profiler ? profiler_trouble(s->profiler) : NULL;
	if (trouble)
		warn("%s", trouble);
	if (s->tasks)
		tasks_spread(s->tasks, sampler_waiting(s->sampler));
	while (!status && !s->done && (reading = sampler_take(s->sampler))) {
		int got;

		if (s->probe) {
			look_at_tasks(s);
			probe_consume(s->probe);
			/* A call per program, and rarely anything but 0: every tenth second. */
			if (!(reading->seq % 10))
				s->missed_events = probe_missed_events(s->probe);
			reading->missed_events = s->missed_events;
		}
		gauges_read(&s->gauges, &reading->gauges);
		if (s->profiler)
			profiler_totals(s->profiler, &reading->profile);
		sampler_tcp_records(s->sampler, reading->seq, merge_record, s->merge);
		got = merge_finish(s->merge, reading, &s->second);
		sampler_done(s->sampler);
		if (got > 0 && s->tasks && tasks_add_rows(s->tasks, &s->second))
			got = -ENOMEM;
		if (got == -ENODATA)
			warn("the records of one second were lost");
		else if (got < 0)
			status = -fail("cannot merge a second: %s", strerror(-got));
		else if (got)
			status = write_second(s);
		write_stacks(s, false);
		/* Not before there is a second: a sampler that hangs shall be found out. */
		if (got > 0)
			notify_alive(&s->notify);
		on_signal(s);
	}
	return status;
}

static int run(struct session *s)
{
	struct pollfd p[5] = {{.fd = sampler_fd(s->sampler), .events = POLLIN},
			      {.fd = s->stop_fd, .events = POLLIN},
			      {.fd = s->hangup_fd, .events = POLLIN},
			      {.fd = s->tasks ? probe_tasks_fd(s->probe) : -1, .events = POLLIN},
			      {.events = POLLOUT}};
	int status = 0;

	while (!status && !s->done) {
		int n;

		p[4].fd = sinks_waiting(&s->sinks);
		n = poll(p, 5, s->tasks && s->r.interval_s > 1 ? 1000 : -1);
		if (n < 0 && errno != EINTR) {
			fail("cannot wait: %s", strerror(errno));
			return EXIT_FAILED;
		}
		if (s->tasks && (n <= 0 || p[3].revents))
			tasks_collect(s->tasks);
		if (n <= 0)
			continue;
		if (p[4].revents)
			status = sinks_flush(&s->sinks);
		if (!status && p[0].revents)
			status = drain(s);
		if (!status && (p[1].revents || p[2].revents))
			on_signal(s);
		if (!status && sampler_failed(s->sampler)) {
			fail("no sweep works any more; what was recorded is kept");
			status = EXIT_FAILED;
		}
	}
	return status;
}

static int finish(struct session *s, int status)
{
	const char *trouble = s->sampler ? sampler_trouble(s->sampler) : NULL;

	if (trouble)
		warn("%s", trouble);
	notify_stopping(&s->notify);
	sampler_stop(s->sampler);
	write_stacks(s, true);
	profiler_stop(s->profiler);
	if (sinks_close(&s->sinks))
		status = EXIT_FAILED;
	for (size_t i = 0; !status && s->sampler && i < s->sel.n_disks && !s->sel.every_disk; i++) {
		if (s->sel.disks[i].stat_fd < 0 && !s->sel.disks[i].unwatched) {
			fail("disk '%s' had gone when the recording ended", s->sel.disks[i].name);
			status = EXIT_FAILED;
		}
	}
	tasks_free(s->tasks);
	probe_free(s->probe);
	merge_free(s->merge);
	reader_close(&s->reader);
	gauges_close(&s->gauges);
	netdevs_close(&s->netdevs);
	selection_release(&s->sel);
	reload_release(s);
	record_request_release(&s->r);
	second_release(&s->second);
	free(s->missing);
	rights_release(&s->rights);
	notify_close(&s->notify);
	if (s->stop_fd >= 0)
		close(s->stop_fd);
	if (s->hangup_fd >= 0)
		close(s->hangup_fd);
	return status;
}

int cmd_record(int argc, char **argv)
{
	struct session s = {.line = {argc, argv},
			    .stop_fd = -1,
			    .hangup_fd = -1,
			    .netdevs = {.fd = -1},
			    .sel.netns.fd = -1,
			    .sinks.folder = -1,
			    .rights.ruleset = -1,
			    .notify.fd = -1};
	int status = record_request_read(&s.r, &s.line, false);

	if (status) {
		record_request_release(&s.r);
		return status == -ECANCELED ? EXIT_DONE : status;
	}
	second_init(&s.second);
	status = check_request(&s);
	status = status ? status : open_signals(&s);
	status = status ? status : selection_resolve(&s.sel, &s.r.o.sel);
	status = status ? status : open_sinks(&s);
	status = status ? status : open_probe(&s);
	status = status ? status : open_tasks(&s);
	if (!status)
		say_origin(&s);
	status = status ? status : sinks_prepare(&s.sinks);
	notify_open(&s.notify, SILENT_INTERVALS * s.r.interval_s);
	/* Everything is attached and open: from here on each thread ends its rights. */
	status = status ? status : prepare_rights(&s);
	status = status ? status : start_profiler(&s);
	status = status ? status : start_sampler(&s);
	status = status ? status : end_rights(&s);
	/* Last, without rights, as every later day's file will be opened. */
	status = status ? status : sinks_start(&s.sinks);
	if (!status)
		notify_ready(&s.notify);
	status = status ? status : run(&s);
	return finish(&s, status);
}
