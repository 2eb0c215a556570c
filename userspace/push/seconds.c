// SPDX-License-Identifier: BSD-2-Clause
/* From seconds in a series file to frames: see seconds.h. */
#include "seconds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/wire/wire.h"

/* Taken out of the file at once: of 128 busy disks a second has 2 MB of histograms. */
#define BATCH	    10
#define BATCH_BYTES (2 << 20) /* of memory */
/* What ends a reading that finds more. */
#define TOO_MANY 1
/* So long the probe may take to write the last second of a day, once it is over. */
#define DAY_END_NS  (5 * NS_PER_S)
#define KEEP_NS	    (60 * NS_PER_S)
#define FRAME_LEVEL 6

struct batch_second {
	int64_t boot;
	struct second s;
};

/* Instances whose identity the encoder has. */
struct seconds_name {
	enum metric_family family;
	char name[INSTANCE_LEN];
};

struct seconds {
	const char *dir, *host;
	char *path;
	struct series_reader *reader;
	struct wire_encoder *encoder; /* of the run that began at boot */
	int64_t day, boot, opened_ns;
	struct stat file;
	/* That day had none after that one: it is over. */
	int64_t done_day, done_after_ns;
	int64_t skipped_ns; /* a second that no frame can hold */
	/* Read together. */
	struct batch_second at[BATCH];
	size_t n, cursor;
	size_t fit;	/* so many are read together: by what the ones before took */
	char **cgroups; /* of the rows */
	size_t n_cgroups;
	char *missing;
	/* What the file says once. */
	struct seconds_name *names;
	size_t n_names;
	bool unknown; /* a row has a name that is not there */
	const char **own;
	size_t n_own;
	uint32_t pids[SERIES_MAX_PIDS];
	size_t n_pids;
};

/* ---- life ---- */

struct seconds *seconds_new(const char *dir, const char *host)
{
	struct seconds *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->dir = dir;
	s->host = host;
	s->done_day = -1;
	s->fit = BATCH;
	return s;
}

/* A server with many disks has seconds of a megabyte. */
static void fit_batch(struct seconds *s)
{
	const struct second *first = &s->at[0].s;
	size_t bytes = first->n_rows * sizeof(*first->rows) + 1;

	for (size_t i = 0; i < first->n_rows; i++)
		bytes += ((first->rows[i].lat != NULL) + (first->rows[i].dev != NULL)) *
			 sizeof(struct lat_hist);
	s->fit = BATCH_BYTES / bytes;
	s->fit = s->fit < 1 ? 1 : s->fit > BATCH ? BATCH : s->fit;
	for (size_t i = s->fit; i < BATCH; i++) {
		second_release(&s->at[i].s);
		second_init(&s->at[i].s);
	}
}

static void forget_batch(struct seconds *s)
{
	if (s->n)
		fit_batch(s);
	for (size_t i = 0; i < s->n; i++)
		second_clear(&s->at[i].s);
	for (size_t i = 0; i < s->n_cgroups; i++)
		free(s->cgroups[i]);
	s->n = s->n_cgroups = s->cursor = 0;
}

static void forget_told(struct seconds *s)
{
	for (size_t i = 0; i < s->n_own; i++)
		free((char *)s->own[i]);
	free(s->missing);
	s->missing = NULL;
	s->n_own = s->n_pids = s->n_names = 0;
}

static void seconds_close(struct seconds *s)
{
	series_reader_free(s->reader);
	wire_encoder_free(s->encoder);
	free(s->path);
	s->reader = NULL;
	s->encoder = NULL;
	s->path = NULL;
	forget_told(s);
}

void seconds_free(struct seconds *s)
{
	if (!s)
		return;
	forget_batch(s);
	seconds_close(s);
	for (size_t i = 0; i < BATCH; i++)
		second_release(&s->at[i].s);
	free(s->cgroups);
	free(s->names);
	free(s->own);
	free(s);
}

/* ---- the file ---- */

static int take_own(void *arg, const char *path)
{
	struct seconds *s = arg;
	char *copy = strdup(path);

	if (copy && !array_put(&s->own, &s->n_own, copy))
		return 0;
	free(copy);
	return -ENOMEM;
}

static int take_pid(void *arg, const char *pid)
{
	struct seconds *s = arg;

	if (s->n_pids < SERIES_MAX_PIDS)
		s->pids[s->n_pids++] = (uint32_t)strtoul(pid, NULL, 10);
	return 0;
}

static int take_missing(void *arg, const char *text)
{
	struct seconds *s = arg;
	char *old = s->missing;
	int n = asprintf(&s->missing, "%s%s%s", old ? old : "", old ? "\n" : "", text);

	if (n < 0)
		s->missing = NULL;
	free(old);
	return n < 0 ? -ENOMEM : 0;
}

static int day_path(const struct seconds *s, int64_t day, char **path)
{
	time_t t = (time_t)(day * 86400);
	struct tm tm;
	char date[16];

	gmtime_r(&t, &tm);
	strftime(date, sizeof(date), "%Y%m%d", &tm);
	return asprintf(path, "%s/%s-%s" SERIES_SUFFIX, s->dir, s->host, date) < 0 ? -ENOMEM : 0;
}

/* Another file may stand there by now, and what was said once is said again from time to time. */
static bool is_open(const struct seconds *s, int64_t day, int64_t now_ns)
{
	struct stat st;

	return s->reader && s->day == day && now_ns >= s->opened_ns &&
	       now_ns - s->opened_ns < KEEP_NS && !stat(s->path, &st) &&
	       st.st_dev == s->file.st_dev && st.st_ino == s->file.st_ino;
}

static int seconds_open(struct seconds *s, int64_t day, int64_t now_ns)
{
	int err;

	if (is_open(s, day, now_ns))
		return 0;
	seconds_close(s);
	err = day_path(s, day, &s->path);
	if (err) {
		s->path = NULL;
		return series_fail(err, "out of memory");
	}
	if (stat(s->path, &s->file))
		return series_fail(-errno, "cannot read '%s': %s", s->path, strerror(errno));
	err = series_reader_new(&s->reader, s->path);
	if (!err && strcmp(series_reader_host(s->reader), s->host))
		err = series_fail(-EPERM, "'%s' is of host '%s'", s->path,
				  series_reader_host(s->reader));
	if (!err)
		err = series_reader_cgroups(s->reader, take_own, s);
	if (!err)
		err = series_reader_pids(s->reader, take_pid, s);
	if (!err)
		err = series_reader_missing(s->reader, take_missing, s);
	if (err) {
		seconds_close(s);
		return err;
	}
	series_reader_follow(s->reader);
	s->day = day;
	s->opened_ns = now_ns;
	return 0;
}

/* ---- rows ---- */

/* Seconds of one run of the probe, as many as fit; more is for the next time. */
static int take_time(struct seconds *s, const struct series_time *t)
{
	struct batch_second *b;

	if (s->n == s->fit || (s->n && s->at[0].boot != t->boot))
		return TOO_MANY;
	b = &s->at[s->n++];
	b->boot = t->boot;
	b->s.wall_ns = t->wall_ns;
	b->s.mono_ns = t->mono_ns;
	b->s.seq = t->seq;
	b->s.lost = t->lost;
	b->s.interval_s = t->interval_s;
	return 0;
}

static struct second *find_second(struct seconds *s, const struct series_time *t)
{
	for (size_t i = 0; i < s->n; i++) {
		size_t at = (s->cursor + i) % s->n;
		struct batch_second *b = &s->at[at];

		if (b->s.wall_ns != t->wall_ns || b->s.seq != t->seq || b->boot != t->boot)
			continue;
		s->cursor = at;
		return &b->s;
	}
	return NULL;
}

/* A copy that stays while the batch does. */
static const char *keep_cgroup(struct seconds *s, const char *cgroup)
{
	char *copy;

	for (size_t i = 0; i < s->n_cgroups; i++)
		if (!strcmp(s->cgroups[i], cgroup))
			return s->cgroups[i];
	copy = strdup(cgroup);
	if (copy && !array_put(&s->cgroups, &s->n_cgroups, copy))
		return copy;
	free(copy);
	return NULL;
}

static void note_unknown(struct seconds *s, const struct second_row *row)
{
	if (s->unknown || (row->family != FAM_DISK && row->family != FAM_NET))
		return;
	for (size_t i = 0; i < s->n_names; i++)
		if (s->names[i].family == row->family && !strcmp(s->names[i].name, row->instance))
			return;
	s->unknown = true;
}

static int take_row(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct seconds *s = arg;
	struct second *second;
	struct second_row *to;

	if (!row)
		return take_time(s, t);
	second = find_second(s, t);
	if (!second)
		return 0; /* of a run that comes next */
	to = second_add_row(second, row->family, row->instance,
			    (row->lat ? HIST_LAT : 0) | (row->dev ? HIST_DEV : 0) |
				    (row->runq ? HIST_RUNQ : 0));
	if (!to)
		return series_fail(-ENOMEM, "out of memory");
	memcpy(to->values, row->values, sizeof(to->values));
	if (row->lat)
		*to->lat = *row->lat;
	if (row->dev)
		*to->dev = *row->dev;
	if (row->runq)
		*to->runq = *row->runq;
	if (row->cgroup && *row->cgroup && !(to->cgroup = keep_cgroup(s, row->cgroup)))
		return series_fail(-ENOMEM, "out of memory");
	note_unknown(s, row);
	return 0;
}

/* Fills the batch: all that is new, mostly; where that is more than fits, what comes first of it. */
static int seconds_read(struct seconds *s, int64_t after_ns)
{
	const unsigned int hists = HIST_LAT | HIST_DEV | HIST_RUNQ;
	int err;

	forget_batch(s);
	err = series_reader_rows(s->reader, after_ns + 1, INT64_MAX, SERIES_SECONDS | SERIES_ALL,
				 hists, take_row, s);
	if (err != TOO_MANY)
		return err;
	return series_reader_rows(s->reader, after_ns + 1, s->at[s->n - 1].s.wall_ns + 1,
				  SERIES_ALL, hists, take_row, s);
}

/* ---- frames ---- */

static int take_identity(void *arg, const struct device_identity *id)
{
	struct seconds *s = arg;
	struct seconds_name *name;
	size_t i = 0;

	if (id->family != FAM_DISK && id->family != FAM_NET)
		return 0;
	while (i < s->n_names &&
	       (s->names[i].family != id->family || strcmp(s->names[i].name, id->name)))
		i++;
	if (i == s->n_names) {
		name = array_add(&s->names, &s->n_names);
		if (!name)
			return series_fail(-ENOMEM, "out of memory");
		name->family = id->family;
		memcpy(name->name, id->name, sizeof(name->name));
	}
	return wire_encoder_identity(s->encoder, id);
}

/* The encoder of this run. Of another run the file may know other metrics than it did when it was opened. */
static int seconds_begin_run(struct seconds *s)
{
	const struct wire_encoder_opts o = {.host = s->host,
					    .tool = "limpet-push",
					    .interval_ms = series_reader_interval_ms(s->reader),
					    .boot_ns = s->at[0].boot,
					    .level = FRAME_LEVEL};
	int err = wire_encoder_new(&s->encoder, &o);

	if (!err)
		err = wire_encoder_set_cgroups(s->encoder, s->own, s->n_own);
	if (!err)
		err = wire_encoder_set_pids(s->encoder, s->pids, s->n_pids);
	if (!err)
		err = series_reader_devices(s->reader, take_identity, s);
	s->boot = s->at[0].boot;
	return err;
}

static int seconds_encode(struct seconds *s, size_t most, struct text *to, int64_t *last_ns)
{
	uint64_t lost = 0;
	int n = 0;

	for (size_t i = 0; i < s->n; i++) {
		size_t was = to->len;
		int err;

		s->at[i].s.missing = s->missing;
		err = wire_encode(s->encoder, &s->at[i].s, lost, to);
		/* What no frame can hold is lost, and the next one says so. */
		if (err == -E2BIG) {
			lost += 1 + s->at[i].s.lost;
			s->skipped_ns = s->at[i].s.wall_ns;
			continue;
		}
		if (err)
			return err;
		/* What that frame described has not been said; a new encoder says it. */
		if (n && to->len > most) {
			to->len = was;
			wire_encoder_free(s->encoder);
			s->encoder = NULL;
			break;
		}
		lost = 0;
		*last_ns = s->at[i].s.wall_ns;
		n++;
	}
	return n;
}

/* Of one file. */
static int seconds_of_day(struct seconds *s, int64_t day, int64_t after_ns, int64_t now_ns,
			  size_t most, struct text *to, int64_t *last_ns)
{
	int err = seconds_open(s, day, now_ns);

	if (!err)
		err = seconds_read(s, after_ns);
	if (!err && s->n && s->encoder && s->at[0].boot != s->boot) {
		seconds_close(s);
		err = seconds_open(s, day, now_ns);
		if (!err)
			err = seconds_read(s, after_ns);
	}
	if (!err && s->n && !s->encoder)
		err = seconds_begin_run(s);
	else if (!err && s->n && s->unknown)
		err = series_reader_devices(s->reader, take_identity, s);
	s->unknown = false;
	err = err ? err : seconds_encode(s, most, to, last_ns);
	forget_batch(s);
	if (err < 0)
		seconds_close(s);
	/* No file, or none that anything was written to. */
	return err == -ENOENT || err == -ENODATA ? 0 : err;
}

int seconds_next(struct seconds *s, int64_t after_ns, int64_t now_ns, size_t most, struct text *to,
		 int64_t *last_ns)
{
	int64_t today = now_ns / NS_PER_DAY, day;
	int n = 0;

	if (after_ns < (today - 1) * NS_PER_DAY)
		after_ns = (today - 1) * NS_PER_DAY - 1;
	if (after_ns < s->skipped_ns)
		after_ns = s->skipped_ns;
	for (day = (after_ns + 1) / NS_PER_DAY; !n && day <= today; day++) {
		bool over = now_ns >= (day + 1) * NS_PER_DAY + DAY_END_NS;

		if (s->done_day == day && s->done_after_ns == after_ns)
			continue;
		n = seconds_of_day(s, day, after_ns, now_ns, most, to, last_ns);
		if (n == -ESTALE)
			n = seconds_of_day(s, day, after_ns, now_ns, most, to, last_ns);
		/* What is damaged of a day that is over must not hold up the one that is not; its copy says that it is damaged. */
		if (n < 0 && n != -ENOMEM && over && day < today)
			n = 0;
		if (!n && over) {
			s->done_day = day;
			s->done_after_ns = after_ns;
		} else if (!n) {
			break;
		}
	}
	return n;
}
