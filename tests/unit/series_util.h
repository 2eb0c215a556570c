/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the tests of the series file: a folder of their own, seconds whose every value follows from
 * their number, so that what is read can be checked, and the sqlite3 shell in a function.
 */
#ifndef LIMPET_SERIES_UTIL_H
#define LIMPET_SERIES_UTIL_H

#include <ftw.h>
#include <sched.h>
#include <sys/mount.h>

#include "userspace/series/series_grid.h"

#define T0 1795230000LL /* 2026-11-21T03:00:00Z */
#define NS 1000000000LL

struct fixture {
	char dir[256];
	mode_t umask;
};

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void remove_tree(const char *dir)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline int fixture_setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));
	const char *tmp = getenv("TMPDIR");

	if (!fx)
		return -1;
	/* In memory where there is some, for a disk's fsync() is slow and not what is tested. */
	if (!tmp)
		tmp = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	snprintf(fx->dir, sizeof(fx->dir), "%s/limpet-series.XXXXXX", tmp);
	fx->umask = umask(022);
	umask(fx->umask);
	*state = fx;
	return mkdtemp(fx->dir) ? 0 : -1;
}

static inline int fixture_teardown(void **state)
{
	struct fixture *fx = *state;

	remove_tree(fx->dir);
	free(fx);
	return 0;
}

static inline const char *path_with(struct fixture *fx, int64_t sec, const char *suffix)
{
	static char path[4][400];
	static int turn;
	time_t t = (time_t)sec;
	struct tm tm;
	char date[16];

	gmtime_r(&t, &tm);
	strftime(date, sizeof(date), "%Y%m%d", &tm);
	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/s3-%s.limpet%s", fx->dir, date, suffix);
	return path[turn];
}

#define day_path(fx, sec) path_with(fx, sec, "")
#define wal_path(fx, sec) path_with(fx, sec, "-wal")
#define shm_path(fx, sec) path_with(fx, sec, "-shm")

static inline struct series_writer *writer(struct fixture *fx, const char *host)
{
	struct series_writer_opts o = {
		.dir = fx->dir, .host = host, .interval_ms = 1000, .tool = "test 1"};
	struct series_writer *w = NULL;

	if (series_writer_new(&w, &o))
		fail_msg("%s", series_error());
	return w;
}

#define INTERVAL_S 1.0001

/* Some values are not measured, some whole numbers, some not, some zero; of rates some are counts
 * over the interval, as they should be, and some are not. */
static inline double value_of(uint64_t seq, int m)
{
	double v = (double)(seq % 1000) * (m % 3 ? 1 : 1.0001) + m;

	if ((seq + (uint64_t)m) % 11 == 0)
		return NAN;
	if ((seq + (uint64_t)m) % 13 == 0)
		return 0;
	return metrics[m].kind == KIND_RATE ? v / (INTERVAL_S * metrics[m].per) : v;
}

/* What series.h promises. */
static inline int same_value(double v, double x, int m)
{
	double error = fabs(v - x);

	if (isnan(x))
		return isnan(v);
	if (metrics[m].kind == KIND_RATE)
		return error <= 1e-9 * fabs(x);
	return x == floor(x) && fabs(x) <= WHOLE_MAX ? v == x : error <= fabs(x) / 65536;
}

static inline void fill_flat(uint32_t *n, size_t buckets, uint64_t seq)
{
	for (uint64_t i = 0; i < 20; i++)
		n[(seq * 7 + i * 97) % buckets] = (uint32_t)(seq + i * i * i + 1);
}

static inline void fill_hists(struct second_row *row, uint64_t seq)
{
	if (row->lat)
		fill_flat(&row->lat->n[0][0][0], LAT_FLAT, seq);
	if (row->dev)
		fill_flat(&row->dev->n[0][0][0], LAT_FLAT, seq + 3);
	if (row->runq)
		fill_flat(row->runq->n, RUNQ_BUCKETS, seq);
}

static inline void fill_second(struct second *s, uint64_t seq, int64_t wall_ns)
{
	static const char *const names[FAM_COUNT] = {
		"loop3", "eth0", "", "", "[2001:db8::1]>24007", "fio:1234"};
	static const unsigned int hists[FAM_COUNT] = {
		[FAM_DISK] = HIST_LAT | HIST_DEV, [FAM_HOST] = HIST_RUNQ};

	second_clear(s);
	s->seq = seq;
	s->wall_ns = wall_ns;
	s->mono_ns = seq * NS + 1;
	s->late_ns = 1000;
	s->interval_s = INTERVAL_S;
	s->lost = seq % 3;
	for (int f = 0; f < FAM_COUNT; f++) {
		struct second_row *row = second_add_row(s, f, names[f], hists[f]);

		for (int m = 0; m < M_COUNT; m++)
			if ((int)metrics[m].family == f)
				second_set(row, m, value_of(seq, m));
		fill_hists(row, seq);
	}
}

/* The next second of a file that is being written. */
static inline void append_second(struct series_writer *w, uint64_t seq, int64_t sec)
{
	struct second s;

	second_init(&s);
	fill_second(&s, seq, sec * NS);
	if (series_writer_append(w, &s))
		fail_msg("%s", series_error());
	second_release(&s);
}

static inline void write_seconds(struct fixture *fx, uint64_t seq, int n, int64_t sec)
{
	struct series_writer *w = writer(fx, "s3");

	for (int i = 0; i < n; i++)
		append_second(w, seq + (uint64_t)i, sec + i);
	series_writer_free(w);
}

struct found {
	int rows[FAM_COUNT];
	int wrong; /* rows with a value, time or histogram that is not what was written */
	int hists[GRID_HISTS];
	int64_t last_ns[FAM_COUNT];
};

static inline int hist_is_wrong(const struct second_row *row, uint64_t seq, struct found *found)
{
	static struct lat_hist lat, dev;
	static struct runq_hist runq;
	struct second_row want = {.lat = &lat, .dev = &dev, .runq = &runq};

	memset(&lat, 0, sizeof(lat));
	memset(&dev, 0, sizeof(dev));
	memset(&runq, 0, sizeof(runq));
	fill_hists(&want, seq);
	found->hists[0] += row->lat != NULL;
	found->hists[1] += row->dev != NULL;
	found->hists[2] += row->runq != NULL;
	return (row->lat && (row->family != FAM_DISK || memcmp(row->lat, &lat, sizeof(lat)))) ||
	       (row->dev && (row->family != FAM_DISK || memcmp(row->dev, &dev, sizeof(dev)))) ||
	       (row->runq && (row->family != FAM_HOST || memcmp(row->runq, &runq, sizeof(runq))));
}

static inline int check_row(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct found *found = arg;
	int wrong = 0;

	if ((unsigned int)row->family >= FAM_COUNT || !series_instance_valid(row->instance))
		fail_msg("a row of family %d, instance '%s'", (int)row->family, row->instance);
	found->rows[row->family]++;
	for (int m = 0; m < M_COUNT; m++) {
		double x = metrics[m].family == row->family ? value_of(t->seq, m) : NAN;

		if (isinf(second_value(row, m)))
			fail_msg("an infinite value of %s", metrics[m].name);
		wrong |= !same_value(second_value(row, m), x, m);
	}
	if (t->wall_ns < found->last_ns[row->family])
		fail_msg("rows are not in the order of time");
	found->last_ns[row->family] = t->wall_ns;
	wrong |= t->mono_ns != t->seq * NS + 1 || t->lost != t->seq % 3;
	wrong |= t->interval_s != INTERVAL_S;
	found->wrong += wrong | hist_is_wrong(row, t->seq, found);
	return 0;
}

#define ALL_HISTS (HIST_LAT | HIST_DEV | HIST_RUNQ)

static inline int read_rows(struct series_reader *r, unsigned int hists, struct found *found)
{
	memset(found, 0, sizeof(*found));
	return series_reader_rows(r, 0, INT64_MAX, SERIES_ALL, hists, check_row, found);
}

/* Opens, reads everything that can be read, closes. */
static inline int read_file(const char *path, struct found *found)
{
	struct series_reader *r;
	int64_t from, to;
	uint64_t n;
	int err = series_reader_new(&r, path);

	memset(found, 0, sizeof(*found));
	if (err)
		return err;
	err = series_reader_span(r, &n, &from, &to);
	if (!err)
		err = read_rows(r, ALL_HISTS, found);
	series_reader_free(r);
	return err;
}

static inline int count_seconds(const char *path)
{
	struct found found;

	if (read_file(path, &found))
		fail_msg("%s", series_error());
	return found.rows[FAM_HOST];
}

/* What a hostile or older program could do to the file. */
static inline void sql(const char *path, const char *text)
{
	sqlite3 *db;
	char *error = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
	sqlite3_exec(db, text, NULL, NULL, &error);
	if (error)
		fail_msg("%s: %s", text, error);
	sqlite3_close(db);
}

static inline int64_t query(const char *path, const char *text)
{
	sqlite3 *db;
	sqlite3_stmt *st;
	int64_t v;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, text, -1, &st, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	v = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return v;
}

static inline int fill_file(const char *path, size_t size)
{
	FILE *f = fopen(path, "w");
	int bad = !f;

	while (!bad && size--)
		bad = fputc('x', f) == EOF;
	return (f ? fclose(f) : 0) || bad;
}

/* In a child, where cmocka's asserts do not reach: the line is the exit status. */
#define CHILD_CHECK(x)                                                                       \
	do {                                                                                 \
		if (!(x)) {                                                                  \
			fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #x, series_error()); \
			return 1;                                                            \
		}                                                                            \
	} while (0)

static inline int remount(struct fixture *fx, int read_only)
{
	return mount("none", fx->dir, "none", MS_REMOUNT | (read_only ? MS_RDONLY : 0), "size=1m");
}

/* Runs fn in a child that has a file system of 1 MiB at fx->dir; nothing to clean up. */
static inline void in_small_tmpfs(struct fixture *fx, int (*fn)(struct fixture *fx))
{
	enum { CANNOT_MOUNT = 77 };
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (unshare(CLONE_NEWNS) || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
		    mount("none", fx->dir, "tmpfs", 0, "size=1m"))
			_exit(CANNOT_MOUNT);
		_exit(fn(fx));
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_MOUNT)
		SKIP("cannot mount a small tmpfs (sudo make check)");
	assert_int_equal(status, 0);
}

/* A run of n seconds from `sec` on, numbered from seq, whose probe was told what o says. */
static inline void run_told(struct fixture *fx, const char *host, uint64_t seq, int64_t sec, int n,
			    struct series_writer_opts o)
{
	struct series_writer *w = NULL;
	struct second s;

	o.dir = fx->dir;
	o.host = host;
	o.interval_ms = 1000;
	o.tool = "test 1";
	if (series_writer_new(&w, &o))
		fail_msg("%s", series_error());
	second_init(&s);
	for (int i = 0; i < n; i++) {
		fill_second(&s, seq + (uint64_t)i, (sec + i) * NS);
		assert_int_equal(series_writer_append(w, &s), 0);
	}
	second_release(&s);
	assert_int_equal(series_writer_free(w), 0);
}

static inline void run_with_cgroups(struct fixture *fx, const char *host, uint64_t seq, int64_t sec,
				    int n, const char *const *cgroups, size_t n_cgroups)
{
	run_told(fx, host, seq, sec, n,
		 (struct series_writer_opts){.cgroups = cgroups, .n_cgroups = n_cgroups});
}

#endif
