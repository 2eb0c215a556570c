// SPDX-License-Identifier: BSD-2-Clause
/* limpet-probe record: wires selection, kernel side, sampler, merge and sinks, and runs them. */
#include "commands.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "jsonl.h"
#include "merge.h"
#include "sampler.h"
#include "version.h"

struct record_opts {
	struct selection_opts sel;
	const char *dir, *host;
	bool json;
};

const struct option_def record_options[] = {
	{'o', "output", OPT_STRING, offsetof(struct record_opts, dir), "DIR",
	 "write HOST-YYYYMMDD.limpet files into this folder", 0, 0},
	{'j', "json", OPT_FLAG, offsetof(struct record_opts, json), NULL,
	 "print a JSON object a second on stdout", 0, 0},
	{0, "host", OPT_STRING, offsetof(struct record_opts, host), "NAME",
	 "name of this server in the data (default: the host name)", 0, 0},
	SELECTION_OPTIONS(struct record_opts),
	{0, NULL, OPT_FLAG, 0, NULL, NULL, 0, 0},
};

struct session {
	struct record_opts o;
	unsigned int interval_s, count; /* count 0: until stopped */
	char host[HOST_LEN];
	struct selection sel;
	struct probe *probe;
	struct reader reader;
	struct merge *merge;
	struct sampler *sampler;
	struct series_writer *writer;
	struct second second;
	int stop_fd, hangup_fd; /* SIGINT and SIGTERM; SIGHUP */
	unsigned int written;
	bool done;
};

static int parse_words(struct session *s, int n, char **words)
{
	const char *wrong;

	s->interval_s = 1;
	if (n > 2) {
		fail("'%s': only an interval and a count may follow", words[3]);
		return EXIT_USAGE;
	}
	if (n > 0 && parse_uint(words[1], 1, 3600, &s->interval_s)) {
		fail("'%s' is not an interval in seconds from 1 to 3600", words[1]);
		return EXIT_USAGE;
	}
	if (n > 1 && parse_uint(words[2], 1, 1U << 31, &s->count)) {
		fail("'%s' is not a count of samples", words[2]);
		return EXIT_USAGE;
	}
	if (!s->o.dir && !s->o.json) {
		fail("nowhere to record to: give '-o DIR', '-j' or both");
		return EXIT_USAGE;
	}
	if (s->o.host)
		snprintf(s->host, sizeof(s->host), "%.*s", HOST_LEN - 1, s->o.host);
	else if (gethostname(s->host, sizeof(s->host) - 1))
		strcpy(s->host, "localhost");
	wrong = series_check_host(s->o.host ? s->o.host : s->host);
	if (wrong) {
		fail("'--host %s': %s", s->host, wrong);
		return EXIT_USAGE;
	}
	return 0;
}

static int open_series(struct session *s)
{
	struct series_writer_opts o = {
		.dir = s->o.dir,
		.host = s->host,
		.interval_ms = s->interval_s * 1000,
		.tool = "limpet-probe " LIMPET_VERSION,
	};
	struct device_identity id;
	int err;

	if (!s->o.dir)
		return 0;
	err = series_writer_new(&s->writer, &o);
	if (err) {
		fail("%s%s", series_error(),
		     err == -EACCES && !geteuid()
			     ? " (root without capabilities: the folder must be root's own)"
			     : "");
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < s->sel.n_disks; i++) {
		disk_identity(&s->sel.disks[i], &id);
		if (series_writer_identity(s->writer, &id)) {
			fail("%s", series_error());
			return EXIT_FAILED;
		}
	}
	return 0;
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

static int open_probe(struct session *s)
{
	const struct family_status *st;
	struct probe_opts po;
	char why[WHY_LEN];
	int working = 0;

	selection_probe_opts(&s->sel, &po);
	if (reader_open(&s->reader, &s->sel.netns, s->o.sel.netdevs.at, s->o.sel.netdevs.n, why)) {
		fail("%s", why);
		return EXIT_FAILED;
	}
	/* The merge needs the families' status, the probe the merge to give records to. */
	s->merge = merge_new(s->sel.disks, s->sel.n_disks, s->sel.n_cgroups > 0);
	if (!s->merge || probe_new(&s->probe, &po, merge_record, s->merge, why)) {
		fail("%s", s->merge ? why : strerror(errno));
		fail("'limpet-probe check' tells what this host can do");
		return EXIT_FAILED;
	}
	st = probe_status(s->probe);
	merge_set_status(s->merge, st);
	for (int i = 0; i < PROBE_FAMILIES; i++) {
		working += st[i].ok;
		if (!st[i].ok)
			warn("no %s metrics: %s", st[i].name, st[i].why);
	}
	if (!working) {
		fail("nothing can be measured here");
		return EXIT_FAILED;
	}
	return 0;
}

static int start_sampler(struct session *s)
{
	struct sampler_opts o = {
		.probe = s->probe,
		.reader = &s->reader,
		.disks = s->sel.disks,
		.n_disks = s->sel.n_disks,
		.netns = &s->sel.netns,
		.interval_s = s->interval_s,
	};
	char why[WHY_LEN];

	if (sampler_start(&s->sampler, &o, why)) {
		fail("%s", why);
		return EXIT_FAILED;
	}
	/* Everything privileged has been done; each thread drops for itself. */
	features_drop_caps();
	return 0;
}

static int write_second(struct session *s)
{
	int err;

	if (s->writer && series_writer_append(s->writer, &s->second)) {
		fail("%s", series_error());
		return EXIT_FAILED;
	}
	if (s->o.json) {
		err = jsonl_write(stdout, s->host, &s->second, s->stop_fd);
		if (err == -EINTR)
			return 0; /* a signal, and a reader that takes nothing */
		if (err == -EPIPE) {
			s->done = true; /* the reader has seen enough */
			return 0;
		}
		if (err) {
			fail("cannot write to stdout: %s", strerror(-err));
			return EXIT_FAILED;
		}
	}
	s->written++;
	s->done |= s->count && s->written >= s->count;
	return 0;
}

static int on_signal(struct session *s)
{
	struct signalfd_siginfo info;

	if (read(s->stop_fd, &info, sizeof(info)) == sizeof(info))
		s->done = true;
	if (read(s->hangup_fd, &info, sizeof(info)) == sizeof(info) && s->writer) {
		/* somebody moved the files: open them anew */
		series_writer_free(s->writer);
		s->writer = NULL;
		return open_series(s);
	}
	return 0;
}

static int drain(struct session *s)
{
	const char *trouble = sampler_trouble(s->sampler);
	struct reading reading;
	int status = 0;

	if (trouble)
		warn("%s", trouble);
	while (!status && !s->done && sampler_take(s->sampler, &reading)) {
		int got;

		probe_consume(s->probe);
		got = merge_finish(s->merge, &reading, &s->second);
		if (got == -ENODATA)
			warn("the records of one second were lost");
		else if (got < 0)
			status = -fail("cannot merge a second: %s", strerror(-got));
		else if (got)
			status = write_second(s);
		if (!status)
			status = on_signal(s);
	}
	return status;
}

static int run(struct session *s)
{
	struct pollfd p[3] = {{.fd = sampler_fd(s->sampler), .events = POLLIN},
			      {.fd = s->stop_fd, .events = POLLIN},
			      {.fd = s->hangup_fd, .events = POLLIN}};
	int status = 0;

	while (!status && !s->done) {
		if (poll(p, 3, -1) < 0 && errno != EINTR) {
			fail("cannot wait: %s", strerror(errno));
			return EXIT_FAILED;
		}
		if (p[0].revents)
			status = drain(s);
		if (!status && (p[1].revents || p[2].revents))
			status = on_signal(s);
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
	sampler_stop(s->sampler);
	if (series_writer_free(s->writer)) {
		fail("%s", series_error());
		status = EXIT_FAILED;
	}
	for (size_t i = 0; !status && s->sampler && i < s->sel.n_disks; i++) {
		if (s->sel.disks[i].stat_fd < 0) {
			fail("disk '%s' had gone when the recording ended", s->sel.disks[i].name);
			status = EXIT_FAILED;
		}
	}
	probe_free(s->probe);
	merge_free(s->merge);
	reader_close(&s->reader);
	selection_release(&s->sel, &s->o.sel);
	second_release(&s->second);
	if (s->stop_fd >= 0)
		close(s->stop_fd);
	if (s->hangup_fd >= 0)
		close(s->hangup_fd);
	return status;
}

int cmd_record(int argc, char **argv)
{
	static const struct command cmd = {"record", "[interval [count]]",
					   "record this server, a second at a time.",
					   record_options, cmd_record};
	struct session s = {.stop_fd = -1, .hangup_fd = -1, .reader = {-1, -1, {NULL, 0}}};
	int n = options_parse(&cmd, &s.o, argc, argv), status;

	if (n < 0)
		return n == -ECANCELED ? EXIT_DONE : EXIT_USAGE;
	second_init(&s.second);
	s.sel.netns.fd = -1;
	status = parse_words(&s, n, argv);
	status = status ? status : selection_resolve(&s.sel, &s.o.sel);
	status = status ? status : open_signals(&s);
	status = status ? status : open_probe(&s);
	status = status ? status : start_sampler(&s);
	/* Last, without capabilities, as every later day's file will be opened. */
	status = status ? status : open_series(&s);
	status = status ? status : run(&s);
	return finish(&s, status);
}
