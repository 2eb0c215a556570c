// SPDX-License-Identifier: BSD-2-Clause
/* Writing seconds: one transaction each, into the file of that second's UTC day. */
#include "series_writer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "userspace/common/clock.h"

#define MAX_DAYS  (253402300800LL / 86400) /* year 10000 */
#define MINUTE_NS (60 * NS_PER_S)
/* Chunks of fewer seconds compress less: with an interval of 10 s they are of ten minutes. */
#define FOLD_MIN      30
#define BACKLOG_BYTES (4 << 20)

/* Everything of one second, within a transaction. */
static int insert_second(struct series_writer *w, struct grid *g)
{
	struct series_packed packed;
	int rc = series_devices_store(w), err;

	if (!rc)
		rc = series_devices_resolve(w, g);
	if (rc)
		return rc;
	err = series_pack(&packed, g, &w->metrics, w->next_id, 0);
	if (err)
		return err == -E2BIG ? SQLITE_TOOBIG : SQLITE_NOMEM;
	rc = series_insert_chunk(w, &packed, g, w->next_id);
	series_packed_release(&packed);
	return rc;
}

/* Before the second: what is packed then is whole minutes of the clock. */
static void fold_if_due(struct series_writer *w, int64_t wall_ns)
{
	int64_t minute = wall_ns / MINUTE_NS;
	int begins = minute != w->minute;

	w->minute = minute;
	if (w->n_plain < GRID_SECONDS && (!begins || w->n_plain < FOLD_MIN))
		return;
	series_fold(w);
	if (begins && w->keep_bytes)
		series_keep(w);
}

int series_write_grid(struct series_writer *w, struct grid *g)
{
	int rc, err = series_day_open(w, g->time[0].wall_ns / NS_PER_DAY);

	if (err)
		return err;
	g->boot = w->started_ns;
	fold_if_due(w, g->time[0].wall_ns);
	rc = series_run(w->begin);
	if (!rc)
		rc = insert_second(w, g);
	if (!rc)
		rc = series_run(w->commit);
	if (!rc) {
		w->next_id++;
		w->n_plain++;
		return 0;
	}
	err = series_sql_fail(w->db, rc, "cannot write", w->path);
	/* After an I/O error the connection may hold on to what is gone: start anew. */
	series_day_close(w);
	return err;
}

static int write_second(struct series_writer *w, const struct second *s)
{
	struct grid g;
	int err = grid_init(&g, 1, WRITER_GRID_LIMIT);

	if (!err)
		err = grid_add(&g, s);
	if (err)
		err = err == -EEXIST ? series_fail(err,
						   "cannot write second %llu: it has two rows of "
						   "one instance",
						   (unsigned long long)s->seq)
				     : series_no_memory();
	else
		err = series_write_grid(w, &g);
	grid_release(&g);
	return err;
}

static int keep(struct series_writer *w, const struct second *s)
{
	int err = series_backlog_push(w, s);

	if (!err) {
		w->has_seq = 1;
		w->last_seq = s->seq;
	}
	return err;
}

static int keep_or_write(struct series_writer *w, const struct second *s)
{
	int err;

	if (w->n_kept) {
		err = keep(w, s);
		return err ? err : series_backlog_drain(w);
	}
	err = write_second(w, s);
	if (!series_backlog_for(err))
		return err;
	snprintf(w->why_kept, sizeof(w->why_kept), "%s", series_error());
	err = keep(w, s);
	if (err)
		return err;
	return series_fail(SERIES_KEPT, "%s", w->why_kept);
}

int series_writer_append(struct series_writer *w, const struct second *s)
{
	unsigned long long seq = s->seq;
	int err;

	if (s->wall_ns < 0 || s->wall_ns / NS_PER_DAY >= MAX_DAYS || (int64_t)s->seq < 0 ||
	    (int64_t)s->mono_ns < 0 || (int64_t)s->lost < 0)
		return series_fail(-EINVAL, "cannot write second %llu: its time is out of range",
				   seq);
	if (w->has_seq && s->seq <= w->last_seq)
		return series_fail(
			-EEXIST,
			"cannot write second %llu: the series of '%s' has come to second "
			"%llu already",
			seq, w->host, (unsigned long long)w->last_seq);
	err = series_missing_take(w, s->missing);
	if (!err)
		err = keep_or_write(w, s);
	if (err >= 0) {
		w->has_seq = 1;
		w->last_seq = s->seq;
	}
	return err;
}

void series_writer_backlog(const struct series_writer *w, uint64_t *seconds, uint64_t *dropped)
{
	*seconds = w->n_kept;
	*dropped = w->dropped;
}

/* ---- life ----------------------------------------------------------------------------------- */

static void read_boot_id(struct series_writer *w)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (f && fgets(w->boot_id, sizeof(w->boot_id), f))
		w->boot_id[strcspn(w->boot_id, "\n")] = 0;
	if (f)
		fclose(f);
}

int series_writer_new(struct series_writer **out, const struct series_writer_opts *opts)
{
	const char *wrong = series_check_host(opts->host);
	struct series_writer *w;
	int err;

	*out = NULL;
	if (wrong)
		return series_fail(-EINVAL, "host '%s': %s", opts->host, wrong);
	if (!opts->interval_ms)
		return series_fail(-EINVAL, "the interval must not be 0");
	w = calloc(1, sizeof(*w));
	if (!w)
		return series_no_memory();
	w->lock_fd = -1;
	w->day = -1;
	w->kept_end = &w->kept;
	w->kept_max = opts->backlog_bytes ? opts->backlog_bytes : BACKLOG_BYTES;
	w->keep_days = opts->keep_days;
	w->keep_bytes = opts->keep_bytes;
	w->notify = opts->notify;
	w->notify_arg = opts->notify_arg;
	w->interval_ms = opts->interval_ms;
	snprintf(w->host, sizeof(w->host), "%s", opts->host);
	w->dir = strdup(opts->dir);
	w->tool = strdup(opts->tool ? opts->tool : "");
	if (asprintf(&w->lock_path, "%s/.%s.lock", opts->dir, opts->host) < 0)
		w->lock_path = NULL;
	w->started_ns = clock_ns(CLOCK_REALTIME);
	read_boot_id(w);
	err = w->dir && w->tool && w->lock_path
		      ? series_cgroups_take(w, opts->cgroups, opts->n_cgroups)
		      : series_no_memory();
	if (!err)
		err = series_pids_take(w, opts->pids, opts->n_pids);
	if (!err)
		err = series_lock_take(w);
	if (err)
		series_writer_free(w);
	else
		*out = w;
	return err;
}

void series_writer_set_bounds(struct series_writer *w, unsigned int keep_days, uint64_t keep_bytes)
{
	w->keep_days = keep_days;
	w->keep_bytes = keep_bytes;
	w->told_large = 0;
}

/* A file says it when it is opened. */
/* The open file goes on as another run's. */
static int begin_anew(struct series_writer *w, int err)
{
	if (err)
		return err;
	if (w->db)
		series_fold(w);
	series_day_close(w);
	return 0;
}

int series_writer_set_cgroups(struct series_writer *w, const char *const *cgroups, size_t n_cgroups)
{
	return begin_anew(w, series_cgroups_take(w, cgroups, n_cgroups));
}

int series_writer_set_pids(struct series_writer *w, const uint32_t *pids, size_t n_pids)
{
	return begin_anew(w, series_pids_take(w, pids, n_pids));
}

int series_writer_free(struct series_writer *w)
{
	int err = 0;

	if (!w)
		return 0;
	if (w->n_kept) {
		err = series_backlog_drain(w);
		snprintf(w->why_kept, sizeof(w->why_kept), "%s", series_error());
		if (err)
			err = series_fail(err < 0 ? err : -ENOSPC,
					  "%zu seconds are lost that could not be written: %s",
					  w->n_kept, w->why_kept);
	}
	if (w->db)
		series_fold(w);
	series_day_close(w);
	if (w->lock_path)
		series_lock_drop(w);
	series_backlog_free(w);
	series_devices_free(w);
	free(w->metrics.def);
	free(w->cgroups);
	free(w->pids);
	free(w->missing);
	free(w->lock_path);
	free(w->dir);
	free(w->tool);
	free(w);
	return err;
}
