// SPDX-License-Identifier: BSD-2-Clause
/* Writing seconds: one transaction each, into the file of that second's UTC day. */
#include "series_writer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAY_NS	 (86400LL * 1000000000)
#define MAX_DAYS (253402300800LL / 86400) /* year 10000 */

/* A statement that returns no rows, ready for the next time. */
static int step(sqlite3_stmt *st)
{
	int rc = sqlite3_step(st);

	sqlite3_reset(st);
	sqlite3_clear_bindings(st);
	return rc == SQLITE_DONE ? 0 : rc;
}

/* What is not measured stays NULL. */
static void bind_double(sqlite3_stmt *st, int at, double v)
{
	if (isfinite(v))
		sqlite3_bind_double(st, at, v);
}

static int insert_row(struct series_writer *w, int64_t second, const struct second_row *row)
{
	sqlite3_stmt *st = w->insert_row[row->family];
	int64_t device;
	int at = 3, rc = series_device_row(w, row->family, row->instance, &device);

	if (rc)
		return rc;
	sqlite3_bind_int64(st, 1, second);
	sqlite3_bind_int64(st, 2, device);
	for (int m = 0; m < M_COUNT; m++)
		if (metrics[m].family == row->family)
			bind_double(st, at++, row->v[m]);
	if (row->family == FAM_DISK && row->lat)
		sqlite3_bind_blob(st, at, w->blob, (int)series_lat_encode(row->lat, w->blob),
				  SQLITE_STATIC);
	return step(st);
}

static int insert_second(struct series_writer *w, const struct second *s)
{
	sqlite3_stmt *st = w->insert_second;
	int64_t second;
	int rc;

	sqlite3_bind_int64(st, 1, w->boot);
	sqlite3_bind_int64(st, 2, (int64_t)s->seq);
	sqlite3_bind_int64(st, 3, s->wall_ns);
	sqlite3_bind_int64(st, 4, (int64_t)s->mono_ns);
	sqlite3_bind_int64(st, 5, s->late_ns);
	bind_double(st, 6, s->interval_s);
	sqlite3_bind_int64(st, 7, (int64_t)s->lost);
	rc = step(st);
	second = sqlite3_last_insert_rowid(w->db);
	if (!rc)
		rc = series_devices_store(w);
	for (size_t i = 0; !rc && i < s->n_rows; i++)
		rc = insert_row(w, second, &s->rows[i]);
	return rc;
}

int series_writer_append(struct series_writer *w, const struct second *s)
{
	unsigned long long seq = s->seq;
	int rc, err;

	if (s->wall_ns < 0 || s->wall_ns / DAY_NS >= MAX_DAYS || (int64_t)s->seq < 0 ||
	    (int64_t)s->mono_ns < 0 || (int64_t)s->lost < 0)
		return series_fail(-EINVAL, "cannot write second %llu: its time is out of range",
				   seq);
	err = series_day_open(w, s->wall_ns / DAY_NS);
	if (err)
		return err;
	rc = series_sql(w->db, NULL, "BEGIN IMMEDIATE");
	if (!rc)
		rc = insert_second(w, s);
	if (!rc)
		rc = series_sql(w->db, NULL, "COMMIT");
	if (!rc)
		return 0;
	err = series_sql_fail(w->db, rc, "cannot write", w->path);
	if (err == -EEXIST)
		series_fail(err,
			    "cannot write '%s': second %llu is there already, or has two rows of "
			    "one instance",
			    w->path, seq);
	/* After an I/O error the connection may hold on to what is gone: start anew. */
	series_day_close(w);
	return err;
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
	struct timespec now;
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
	w->interval_ms = opts->interval_ms;
	snprintf(w->host, sizeof(w->host), "%s", opts->host);
	w->dir = strdup(opts->dir);
	w->tool = strdup(opts->tool ? opts->tool : "");
	if (asprintf(&w->lock_path, "%s/.%s.lock", opts->dir, opts->host) < 0)
		w->lock_path = NULL;
	clock_gettime(CLOCK_REALTIME, &now);
	w->started_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	read_boot_id(w);
	err = w->dir && w->tool && w->lock_path ? series_lock_take(w) : series_no_memory();
	if (err)
		series_writer_free(w);
	else
		*out = w;
	return err;
}

int series_writer_free(struct series_writer *w)
{
	if (!w)
		return 0;
	series_day_close(w);
	if (w->lock_path)
		series_lock_drop(w);
	free(w->devices);
	free(w->lock_path);
	free(w->dir);
	free(w->tool);
	free(w);
	return 0;
}
