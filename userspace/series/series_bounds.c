// SPDX-License-Identifier: BSD-2-Clause
/*
 * What reading one series file may take, whatever it holds: steps, processor time and memory of
 * SQLite, bytes unpacked, rows given. Absolute numbers, each of what the largest honest file needs,
 * and what is there on the disk; never the size that a file claims.
 */
#include "series_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/*
 * The largest honest file is a day of a server that keeps every limit of the probe busy: 128 disks
 * and 256 remote hosts take 1.0 MB a minute packed, 1.4 GB a day (tools/series-size). Made up to 4 GB
 * for seconds that wait to be packed and for a clock that is set back.
 */
#define FILE_MAX (4LL << 30)
/* A writer starts its -wal anew every 4 MiB, but not while somebody reads: 256 MiB are a reader that
 * holds on for hours. SQLite reads all of it before the first row, and cannot be stopped. */
#define WAL_MAX (256LL << 20)
/* Files of SQLite's have no long holes but where pages are free. A copy that leaves those out
 * (cp --sparse) or a file system that packs is far from 32 to 1. */
#define SPARSE_FROM  (256LL << 20)
#define SPARSE_RATIO 32
/* In more pieces than that a file is taken for one without holes. */
#define EXTENTS_MAX 4096

/* How often progress() looks. */
#define PROGRESS_STEPS 1000
/* To open and check a file, whose schema has a dozen entries: 3,000 are needed. */
#define STEPS_OPEN 50000
/* A row of table device or chunk takes up to 25 steps, and there are 382,000 at most. */
#define STEPS_BASE     16000000
#define STEPS_PER_BYTE 3
/* Processor time within SQLite during one call: a step can take long (a chain of pages that is a
 * ring). 1.4 GB are read in 3 s; a hundred MB/s is what a slow machine does. A virtual machine counts
 * time that its host takes away as the program's: 80 kB took 4 s where the host gave a tenth. */
#define CPU_BASE_NS	10000000000LL
#define CPU_NS_PER_BYTE 10
/* SQLite's memory for one file: its page cache is 2 MB, its schema 0.1 MB, and a row of chunk up to
 * three values of VALUE_MAX. */
#define HEAP_PER_READER (48LL << 20)
/* What a writer in the same process, and SQLite itself, have besides. */
#define HEAP_BASE (64LL << 20)
/* A keeper's cache is 128 KiB, its schema and statements as much. */
#define HEAP_PER_KEEPER (1LL << 20)
/* Inflated sections: those of the largest day are 2.6 GB out of 1.4 GB; those of idle disks are 20
 * times what they are packed, but small. */
#define UNZIP_BASE     ((uint64_t)512 << 20)
#define UNZIP_PER_BYTE 8
/* Columns of numbers in memory. A day of 460 rows a second of 25 metrics, all constant, is 8 GB out
 * of a few MB; with histograms 43 GB out of 1.4 GB. */
#define GRID_BASE     ((uint64_t)10 << 30)
#define GRID_PER_BYTE 40
/*
 * 463 rows are in a second of the largest server (129 disks, 64 interfaces, 257 remote hosts, 11
 * processes, tcp and host), and 86,400 seconds in a day: 40 million. Those of idle disks pack to 0.4
 * bytes each, those of hosts all alike to 0.1. Those of 128 busy disks have histograms, which count
 * as more rows, and take 70 bytes each.
 */
#define ROWS_MAX      (48LL << 20)
#define ROWS_BASE     (2LL << 20)
#define ROWS_PER_BYTE 16
/* Processes may be others each second: 660 a minute, most of them there in one second only. */
#define CELLS_MAX (200LL << 20)

/* ---- what is there ---------------------------------------------------------------------------- */

/* Bytes of an open file that are in no hole. A file system that cannot tell has none. */
static int64_t count_data(int fd, int64_t size)
{
	int64_t real = 0, at = 0, end;

	for (int n = 0; at < size; n++, at = end) {
		at = lseek(fd, at, SEEK_DATA);
		if (at < 0 && errno == ENXIO)
			break; /* a hole to the end */
		end = at < 0 || n == EXTENTS_MAX ? -1 : lseek(fd, at, SEEK_HOLE);
		if (end <= at)
			return size;
		real += end - at;
	}
	return real < size ? real : size;
}

/*
 * Blocks alone do not tell what is there: ZFS counts them late, Lustre has none of a file that is archived,
 * some file systems pack. So where there are few of them the file is asked for its holes.
 */
static int64_t real_size(const char *path, const char *suffix, const struct stat *st)
{
	int64_t real = st->st_size;
	char *name;
	int fd;

	if ((int64_t)st->st_blocks * 512 >= st->st_size / 4 ||
	    asprintf(&name, "%s%s", path, suffix) < 0)
		return real;
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	free(name);
	if (fd < 0)
		return real;
	real = count_data(fd, st->st_size);
	close(fd);
	return real;
}

/* 0 where there is none. */
static int stat_wal(const struct series_reader *r, struct stat *st)
{
	char *wal;
	int none = 1;

	if (asprintf(&wal, "%s-wal", r->path) >= 0) {
		none = stat(wal, st);
		free(wal);
	}
	if (none)
		*st = (struct stat){0};
	return none;
}

int64_t series_wal_size(const struct series_reader *r)
{
	struct stat st;

	stat_wal(r, &st);
	return st.st_size;
}

int series_check_size(const struct series_reader *r)
{
	int64_t size = r->seen.st_size, real = real_size(r->path, "", &r->seen);
	int64_t wal = series_wal_size(r);

	if (size > SPARSE_FROM && size / SPARSE_RATIO > real)
		return series_damaged(r, "of its %lld bytes all but %lld are a hole",
				      (long long)size, (long long)real);
	if (size > FILE_MAX)
		return series_damaged(r, "%lld bytes are more than a day takes", (long long)size);
	if (wal > WAL_MAX)
		return series_damaged(r, "its '-wal' has %lld bytes, more than a writer leaves",
				      (long long)wal);
	return 0;
}

/* ---- steps and processor time ----------------------------------------------------------------- */

static int64_t thread_cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Memory that this connection holds, without the values of a row. */
static int64_t heap_of(sqlite3 *db)
{
	static const int what[] = {SQLITE_DBSTATUS_CACHE_USED, SQLITE_DBSTATUS_SCHEMA_USED,
				   SQLITE_DBSTATUS_STMT_USED};
	int64_t sum = 0;
	int now, high;

	for (size_t i = 0; i < sizeof(what) / sizeof(*what); i++)
		if (!sqlite3_db_status(db, what[i], &now, &high, 0))
			sum += now;
	return sum;
}

static int progress(void *arg)
{
	struct series_reader *r = arg;

	r->left.steps -= PROGRESS_STEPS;
	if (r->left.steps < 0)
		return 1;
	if (heap_of(r->db) > HEAP_PER_READER)
		r->left.no_heap = 1;
	return r->left.no_heap ||
	       (r->cpu_from_ns && thread_cpu_ns() - r->cpu_from_ns > r->left.cpu_ns);
}

void series_bound_opening(struct series_reader *r)
{
	sqlite3_progress_handler(r->db, PROGRESS_STEPS, progress, r);
	series_set_budget(r);
	r->left.steps = STEPS_OPEN;
	r->cpu_from_ns = thread_cpu_ns();
}

void series_set_budget(struct series_reader *r)
{
	struct stat st, wal;
	int64_t size = stat(r->path, &st) ? 0 : real_size(r->path, "", &st), rows;

	if (!stat_wal(r, &wal))
		size += real_size(r->path, "-wal", &wal);
	size = size < FILE_MAX + WAL_MAX ? size : FILE_MAX + WAL_MAX;
	rows = ROWS_BASE + ROWS_PER_BYTE * size;
	r->left = (struct series_left){
		.steps = STEPS_BASE + STEPS_PER_BYTE * size,
		.cpu_ns = CPU_BASE_NS + CPU_NS_PER_BYTE * size,
		.unzip = UNZIP_BASE + UNZIP_PER_BYTE * (uint64_t)size,
		.grid = GRID_BASE + GRID_PER_BYTE * (uint64_t)size,
		.rows = size + (rows < ROWS_MAX ? rows : ROWS_MAX),
		.cells = CELLS_MAX,
	};
	r->cpu_from_ns = 0;
}

bool series_cpu_begin(struct series_reader *r)
{
	if (r->cpu_from_ns)
		return false;
	r->cpu_from_ns = thread_cpu_ns();
	return true;
}

int series_cpu_end(struct series_reader *r, bool began, int rc)
{
	if (began) {
		r->left.cpu_ns -= thread_cpu_ns() - r->cpu_from_ns;
		r->cpu_from_ns = 0;
	}
	return r->left.cpu_ns < 0 ? SQLITE_INTERRUPT : rc;
}

int series_step(struct series_reader *r, sqlite3_stmt *st)
{
	bool began = series_cpu_begin(r);

	return series_cpu_end(r, began, sqlite3_step(st));
}

int series_query(struct series_reader *r, int64_t *v, const char *fmt, ...)
{
	bool began = series_cpu_begin(r);
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = series_vsql(r->db, v, fmt, ap);
	va_end(ap);
	return series_cpu_end(r, began, rc);
}

/* ---- SQLite's memory -------------------------------------------------------------------------- */

static pthread_mutex_t heap_lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t heap_readers, heap_keepers;

/*
 * SQLite has one limit for a process: as much for each file that is open as one needs. progress()
 * sees to it that a file does not live on the others' share.
 */
static void bound_heap(int readers, int keepers)
{
	pthread_mutex_lock(&heap_lock);
	heap_readers += readers;
	heap_keepers += keepers;
	sqlite3_hard_heap_limit64(heap_readers ? HEAP_BASE + heap_readers * HEAP_PER_READER +
							 heap_keepers * HEAP_PER_KEEPER
					       : 0);
	pthread_mutex_unlock(&heap_lock);
}

void series_heap_keeper(int more)
{
	bound_heap(0, more);
}

void series_heap_take(struct series_reader *r)
{
	r->has_heap = 1;
	bound_heap(1, 0);
}

void series_heap_give(struct series_reader *r)
{
	if (r->has_heap)
		bound_heap(-1, 0);
	r->has_heap = 0;
}
