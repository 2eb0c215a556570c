// SPDX-License-Identifier: BSD-2-Clause
/* Where seconds go: file, stdout, frames, HTTP. */
#include "sinks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "userspace/common/http_library.h"
#include "jsonl.h"
#include "userspace/common/clock.h"
#include "userspace/common/options.h"
#include "userspace/probe/rights/rights.h"
#include "userspace/common/safe_open.h"
#include "userspace/common/version.h"

/* Disks and cards are exchanged, and not everybody sends a SIGHUP. */
#define IDENTITIES_EVERY 3600 /* seconds */

/* ---- life ---- */

static int open_folder(const char *path)
{
	char why[SAFE_WHY_LEN];
	int fd = safe_make_folder(path, rights_confine_files(), why);

	if (fd < 0)
		fail("cannot write in '%s': %s", path, why);
	return fd;
}

int sinks_open(struct sinks *s, const struct sinks_opts *o)
{
	char why[WHY_LEN];
	int err;

	memset(s, 0, sizeof(*s));
	s->o = *o;
	s->folder = o->dir ? open_folder(o->dir) : -1;
	if (o->dir && s->folder < 0)
		return EXIT_FAILED;
	err = o->frames ? frames_open(&s->frames, o->frames) : 0;
	if (err || !o->listen)
		return err;
	err = http_new(&s->http, o->listen, o->hosts, why);
	if (err) {
		fail("%s", why);
		return err == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	}
	if (openmetrics_new(&s->metrics, o->host)) {
		fail("%s", strerror(ENOMEM));
		return EXIT_FAILED;
	}
	return 0;
}

static void told_by_series(void *arg, const char *text)
{
	(void)arg;
	warn("%s", text);
}

static int open_frames(struct sinks *s)
{
	struct wire_encoder_opts o = {.host = s->o.host,
				      .tool = "limpet-probe " LIMPET_VERSION,
				      .interval_ms = s->o.interval_ms,
				      .boot_ns = clock_ns(CLOCK_REALTIME)};

	if (frames_begin(s->frames, &o))
		return EXIT_FAILED;
	sinks_set_cgroups(s, s->o.cgroups, s->o.n_cgroups);
	sinks_set_pids(s, s->o.pids, s->o.n_pids);
	return 0;
}

static int open_series(struct sinks *s)
{
	const char *cgroups[MAX_CGROUPS];
	struct series_writer_opts o = {
		.dir = s->o.dir,
		.host = s->o.host,
		.interval_ms = s->o.interval_ms,
		.tool = "limpet-probe " LIMPET_VERSION,
		.cgroups = cgroups,
		.n_cgroups = s->o.n_cgroups,
		.pids = s->o.pids,
		.n_pids = s->o.n_pids,
		.keep_days = s->o.keep_days,
		.keep_bytes = s->o.keep_bytes,
		.notify = told_by_series,
	};
	int err;

	for (size_t i = 0; i < o.n_cgroups; i++)
		cgroups[i] = s->o.cgroups[i].path;
	err = s->o.dir ? series_writer_new(&s->writer, &o) : 0;
	if (!err)
		return 0;
	fail("%s", series_error());
	return EXIT_FAILED;
}

int sinks_prepare(struct sinks *s)
{
	char why[WHY_LEN];

	if (!s->http || !http_library_load(why))
		return 0;
	fail("%s", why);
	return EXIT_FAILED;
}

static uint64_t metrics_version(void *arg)
{
	return openmetrics_seconds(arg);
}

static char *metrics_text(void *arg, enum openmetrics_format format, size_t *len)
{
	return openmetrics_text(arg, format, len);
}

int sinks_start(struct sinks *s)
{
	const struct http_source from = {
		.page = "<!DOCTYPE html><title>limpet-probe</title>\n"
			"<p>limpet-probe: the <a href=\"/metrics\">metrics</a> of this server.\n",
		.version = metrics_version,
		.text = metrics_text,
		.arg = s->metrics,
	};
	char why[WHY_LEN];
	/* Before the series file, which is told the same groups when it is made. */
	int status = s->frames ? open_frames(s) : 0;

	status = status ? status : open_series(s);
	if (!status && s->http && http_start(s->http, &from, why)) {
		fail("%s", why);
		status = EXIT_FAILED;
	}
	return status;
}

int sinks_close(struct sinks *s)
{
	int status = 0;

	http_free(s->http);
	openmetrics_free(s->metrics);
	/* Before a reader of frames is waited for: who ends us meanwhile ends no file in the middle. */
	if (series_writer_free(s->writer)) {
		fail("%s", series_error());
		status = EXIT_FAILED;
	}
	if (frames_close(s->frames, FRAMES_CLOSE_MS, s->o.stop_fd))
		status = EXIT_FAILED;
	if (s->folder >= 0)
		close(s->folder);
	memset(s, 0, sizeof(*s));
	s->folder = -1;
	return status;
}

void sinks_set_bounds(struct sinks *s, unsigned int keep_days, uint64_t keep_bytes)
{
	s->o.keep_days = keep_days;
	s->o.keep_bytes = keep_bytes;
	if (s->writer)
		series_writer_set_bounds(s->writer, keep_days, keep_bytes);
}

void sinks_set_cgroups(struct sinks *s, const struct cgroup_ref *cgroups, size_t n)
{
	const char *paths[MAX_CGROUPS];

	for (size_t i = 0; i < n; i++)
		paths[i] = cgroups[i].path;
	if (s->frames && wire_encoder_set_cgroups(frames_encoder(s->frames), paths, n))
		warn("frames go on saying which cgroups were own before: %s", series_error());
	if (s->writer && series_writer_set_cgroups(s->writer, paths, n))
		warn("the file goes on saying which cgroups were own before: %s", series_error());
}

void sinks_set_pids(struct sinks *s, const uint32_t *pids, size_t n)
{
	if (s->frames && wire_encoder_set_pids(frames_encoder(s->frames), pids, n))
		warn("frames go on saying which processes were given before: %s", series_error());
	if (s->writer && series_writer_set_pids(s->writer, pids, n))
		warn("the file goes on saying which processes were given before: %s",
		     series_error());
}

/* ---- seconds ---- */

void sinks_refresh(struct sinks *s)
{
	s->identities_in = 0;
}

static int write_identities(struct sinks *s, const struct second *second)
{
	struct device_identity id;
	int err = 0;

	if (s->identities_in-- > 0)
		return 0;
	s->identities_in = IDENTITIES_EVERY * 1000 / (int)s->o.interval_ms;
	for (size_t i = 0; !err && i < second->n_rows; i++) {
		const struct second_row *row = &second->rows[i];

		if (row->family == FAM_DISK)
			disk_identity(row->instance, &id);
		else if (row->family == FAM_NET)
			netdev_identity(s->o.netdevs, row->instance, &id);
		else
			continue;
		err = s->writer ? series_writer_identity(s->writer, &id) : 0;
		if (!err && s->frames)
			err = wire_encoder_identity(frames_encoder(s->frames), &id);
	}
	return err;
}

/* Whose the processes of this second are. */
static int write_cgroups(struct sinks *s, const struct second *second)
{
	struct device_identity id = {
		.family = FAM_PROCESS, .rotational = -1, .size_bytes = -1, .speed_mbps = -1};
	int err = 0;

	for (size_t i = 0; !err && i < second->n_rows; i++) {
		const struct second_row *row = &second->rows[i];

		if (!row->cgroup || !*row->cgroup)
			continue;
		snprintf(id.name, sizeof(id.name), "%s", row->instance);
		snprintf(id.detail, sizeof(id.detail), "%s", row->cgroup);
		err = series_writer_identity(s->writer, &id);
	}
	return err;
}

/* A disk that is full or failing is told once when it begins, and once when it is over. */
static void tell_backlog(struct sinks *s, bool kept)
{
	uint64_t seconds, dropped;

	series_writer_backlog(s->writer, &seconds, &dropped);
	if (kept && !s->kept)
		warn("%s; seconds are kept in memory until they can be written", series_error());
	if (dropped && !s->dropped)
		warn("no more seconds fit in memory: the oldest are dropped from now on");
	if (!kept && s->kept) {
		warn("the seconds kept in memory are written%s",
		     dropped > s->dropped || s->dropped
			     ? "; some were dropped, which their 'lost' tells"
			     : "");
		dropped = 0;
	}
	s->dropped = kept ? dropped : 0;
	s->kept = kept;
}

static int write_series(struct sinks *s, const struct second *second)
{
	int got = write_cgroups(s, second);

	got = got ? got : series_writer_append(s->writer, second);
	if (got < 0) {
		fail("%s", series_error());
		return EXIT_FAILED;
	}
	tell_backlog(s, got == SERIES_KEPT);
	return 0;
}

static int write_json(struct sinks *s, const struct second *second, bool *done)
{
	int err = jsonl_write(stdout, s->o.host, second, s->o.stop_fd);

	if (!err || err == -EINTR) /* a signal, and a reader that takes nothing */
		return 0;
	if (err == -EPIPE) {
		*done = true;
		return 0;
	}
	fail("cannot write to stdout: %s", strerror(-err));
	return EXIT_FAILED;
}

int sinks_write(struct sinks *s, const struct second *second, bool *done)
{
	int status = 0;

	if (s->metrics)
		openmetrics_add(s->metrics, second);
	if ((s->writer || s->frames) && write_identities(s, second)) {
		fail("%s", series_error());
		return EXIT_FAILED;
	}
	if (s->writer)
		status = write_series(s, second);
	if (!status && s->frames)
		status = frames_write(s->frames, second);
	if (!status && s->o.json)
		status = write_json(s, second, done);
	return status;
}

int sinks_waiting(const struct sinks *s)
{
	return frames_waiting(s->frames);
}

int sinks_flush(struct sinks *s)
{
	return frames_flush(s->frames);
}

void sinks_write_stacks(struct sinks *s, enum series_stacks kind, int64_t from_ns, int64_t to_ns,
			const char *folded)
{
	int err = folded && s->writer && !s->kept
			  ? series_writer_stacks(s->writer, kind, from_ns, to_ns, folded)
			  : 0;

	if (err && !s->no_stacks)
		warn("stacks of threads are not written: %s", series_error());
	s->no_stacks = err != 0;
}
