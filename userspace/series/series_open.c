// SPDX-License-Identifier: BSD-2-Clause
/*
 * Opening a series file for reading, which may come from anywhere: its header is checked before
 * SQLite sees it, and whatever it holds, reading ends (series_bounds.c).
 */
#include "series_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUSY_MS 2000
/* Of the schema: the longest statement that makes a table has 2,000 characters and 40 columns. */
#define SQL_MAX	    16384
#define COLUMNS_MAX 200
/* As SQLite has them. */
#define PAGE_LEAST 512

int series_read_failed(const struct series_reader *r, int rc)
{
	if (r->left.no_heap || (rc & 0xff) == SQLITE_NOMEM)
		return series_damaged(r, "reading it takes more memory than a series file needs");
	if ((rc & 0xff) == SQLITE_INTERRUPT)
		return series_damaged(r, "reading it takes more work than a series file needs");
	return series_sql_fail(r->db, rc, "cannot read", r->path);
}

int series_damaged(const struct series_reader *r, const char *fmt, ...)
{
	char what[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return series_fail(-EBADMSG, "cannot read '%s': it is damaged: %s", r->path, what);
}

/* What can be said before SQLite opens the file; it fills r->seen. */
static int check_header(struct series_reader *r, int64_t wal)
{
	unsigned char h[100];
	int fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	uint32_t page_size, pages;
	ssize_t n;

	if (fd < 0)
		return series_fail(-errno, "cannot open '%s': %s", r->path, strerror(errno));
	n = fstat(fd, &r->seen) ? -1 : pread(fd, h, sizeof(h), 0);
	close(fd);
	if (!S_ISREG(r->seen.st_mode))
		return series_fail(-EINVAL, "cannot read '%s': it is not a regular file", r->path);
	if (series_check_size(r))
		return -EBADMSG;
	/* The rest is what the last checkpoint left, and with a -wal may be empty or behind. */
	if (wal && n <= 0)
		return 0;
	if (!n)
		return series_fail(-ENODATA, "cannot read '%s': it is empty", r->path);
	if (n < (ssize_t)sizeof(h) || memcmp(h, "SQLite format 3", 16))
		return series_fail(-EINVAL, "cannot read '%s': it is not a series file", r->path);
	page_size = (uint32_t)h[16] << 8 | (uint32_t)h[17] << 16;
	pages = (uint32_t)h[28] << 24 | (uint32_t)h[29] << 16 | (uint32_t)h[30] << 8 | h[31];
	if (page_size < PAGE_LEAST || page_size & (page_size - 1))
		return series_damaged(r, "its pages of %u bytes are none of a series file",
				      page_size);
	if (!wal && r->seen.st_size < (int64_t)pages * page_size)
		return series_damaged(r, "truncated: its %lld bytes are not %u pages of %u bytes",
				      (long long)r->seen.st_size, pages, page_size);
	return 0;
}

/* A URI, which alone can say "immutable"; every byte is escaped, for the path may have any. */
static char *make_uri(const char *path, int immutable)
{
	char *uri = malloc(3 * strlen(path) + 32), *at = uri;

	if (!uri)
		return NULL;
	at = stpcpy(at, "file:");
	for (; *path; path++)
		at += sprintf(at, "%%%02X", (unsigned int)(unsigned char)*path);
	strcpy(at, immutable ? "?immutable=1" : "");
	return uri;
}

/*
 * What a hostile file could do is taken away: no functions in its schema (its views are never
 * named, and triggers run on writing only), no huge values, no memory mapping, where a file cut
 * short would be SIGBUS. The last statement makes SQLite look at the file.
 */
static int open_db(struct series_reader *r)
{
	char *uri = make_uri(r->path, r->immutable);
	int rc;

	if (!uri)
		return SQLITE_NOMEM;
	rc = sqlite3_open_v2(uri, &r->db,
			     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	free(uri);
	if (rc)
		return rc;
	sqlite3_limit(r->db, SQLITE_LIMIT_LENGTH, SERIES_VALUE_MAX);
	sqlite3_limit(r->db, SQLITE_LIMIT_SQL_LENGTH, SQL_MAX);
	sqlite3_limit(r->db, SQLITE_LIMIT_COLUMN, COLUMNS_MAX);
	sqlite3_limit(r->db, SQLITE_LIMIT_EXPR_DEPTH, 100);
	sqlite3_limit(r->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(r->db, SQLITE_LIMIT_WORKER_THREADS, 0);
	sqlite3_extended_result_codes(r->db, 1);
	sqlite3_busy_timeout(r->db, BUSY_MS);
	series_bound_opening(r);
	return series_sql(r->db, NULL,
			  "PRAGMA trusted_schema=OFF; PRAGMA mmap_size=0; PRAGMA cell_size_check=1;"
			  "PRAGMA temp_store=MEMORY; PRAGMA automatic_index=OFF; SELECT 1 FROM "
			  "sqlite_master");
}

/*
 * Without a -wal nobody writes, and the file is read as it lies, without leaving a -shm and a -wal
 * of our own beside it; should a writer come meanwhile, series_check_unchanged() tells.
 */
static int open_file(struct series_reader *r)
{
	int64_t wal = series_wal_size(r);
	int rc, err = check_header(r, wal);

	if (err)
		return err;
	r->immutable = !wal;
	series_heap_take(r);
	rc = open_db(r);
	if (wal && ((rc & 0xff) == SQLITE_CANTOPEN || (rc & 0xff) == SQLITE_READONLY))
		return series_fail(
			-EACCES,
			"cannot read '%s': its latest seconds are in '%s-wal', which can only be "
			"read in a folder that can be written (copy both there)",
			r->path, r->path);
	return rc ? series_read_failed(r, rc) : 0;
}

int series_check_unchanged(struct series_reader *r)
{
	const struct stat *seen = &r->seen;
	struct stat now;

	if (!r->immutable)
		return 0;
	if (!stat(r->path, &now) && now.st_ino == seen->st_ino && now.st_dev == seen->st_dev &&
	    now.st_size == seen->st_size && now.st_mtim.tv_sec == seen->st_mtim.tv_sec &&
	    now.st_mtim.tv_nsec == seen->st_mtim.tv_nsec)
		return 0;
	return series_fail(-ESTALE, "'%s' was written to while it was read (try again)", r->path);
}

int series_reader_new(struct series_reader **out, const char *path)
{
	struct series_reader *r = calloc(1, sizeof(*r));
	int err;

	*out = NULL;
	if (!r)
		return series_no_memory();
	r->path = strdup(path);
	err = r->path ? open_file(r) : series_no_memory();
	if (!err)
		err = series_check(r);
	if (err)
		series_reader_free(r);
	else
		*out = r;
	return err;
}

void series_reader_free(struct series_reader *r)
{
	if (!r)
		return;
	sqlite3_close(r->db);
	series_heap_give(r);
	series_inflater_release(&r->inflater);
	free(r->metrics.def);
	free(r->cgroups);
	free(r->pids);
	free(r->missing);
	free(r->path);
	free(r);
}

const char *series_reader_host(const struct series_reader *r)
{
	return r->host;
}

unsigned int series_reader_interval_ms(const struct series_reader *r)
{
	return r->interval_ms;
}
