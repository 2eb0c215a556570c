// SPDX-License-Identifier: BSD-2-Clause
/* Lists the files behind the command line's words: series files, asked whose they are, or tables. */
#include "source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/source/tables/prometheus.h"
#include "source_bad.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/output.h"

/* What is found, before it is known whether it is read. */
struct finding_sources {
	struct sources *s;
	const struct table_opts *o;
	char **table; /* paths */
	size_t n_tables;
	size_t n_empty; /* of those that are bad */
	int deep;	/* folders below the one that is looked through */
};

static int bad_source(struct finding_sources *f, const char *path, const char *why, int code)
{
	char server[HOST_LEN];

	source_names(path, server);
	fail("cannot read '%s': %s%s%s%s", path, why, *server ? "; '" : "", server,
	     *server ? "' is left out" : "");
	f->n_empty += code == -ENODATA;
	return source_leave_out(f->s, path, server, why);
}

static int add_series(void *arg, const char *path)
{
	struct finding_sources *f = arg;
	struct sources *s = f->s;
	struct source_file one = {0};
	char why[400];
	const char *bad;
	int err;

	one.path = strdup(path);
	if (!one.path)
		return -ENOMEM;
	bad = source_look(&one, why, sizeof(why), &err);
	if (!bad) {
		struct source_file *at = array_add(&s->at, &s->n);

		if (at)
			*at = one;
		else
			free(one.path);
		return at ? 0 : -ENOMEM;
	}
	free(one.path);
	return err == -ENOMEM ? err : bad_source(f, path, bad, err);
}

static int add_table(struct finding_sources *f, const char *path)
{
	char **at = array_add(&f->table, &f->n_tables);

	if (at)
		*at = strdup(path);
	return at && *at ? 0 : -ENOMEM;
}

static bool ends_with(const char *name, const char *suffix)
{
	size_t n = strlen(name), len = strlen(suffix);

	return n > len && !strcmp(name + n - len, suffix);
}

int source_is_series(const struct dirent *e)
{
	return ends_with(e->d_name, SERIES_SUFFIX);
}

/* A log may have a table's name. */
static int is_table(const struct dirent *e)
{
	return table_named(e->d_name);
}

bool source_is_beside(const char *path)
{
	return ends_with(path, SERIES_SUFFIX "-wal") || ends_with(path, SERIES_SUFFIX "-shm") ||
	       ends_with(path, SERIES_SUFFIX "-journal");
}

/* A table's file: of a folder only a regular one. */
static int add_table_file(struct finding_sources *f, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return bad_source(f, path, strerror(errno), -errno);
	if (!S_ISREG(st.st_mode))
		return bad_source(f, path,
				  S_ISFIFO(st.st_mode) ? "it is a FIFO, not a regular file"
						       : "it is not a regular file",
				  -EINVAL);
	return add_table(f, path);
}

static int is_folder(const struct dirent *e)
{
	return e->d_name[0] != '.' && e->d_type == DT_DIR;
}

/* The series files of a folder, and of the folders in it. */
static int add_series_of(void *arg, const char *path)
{
	struct finding_sources *f = arg;
	int err;

	source_each(path, source_is_series, alphasort, add_series, f, &err);
	if (err || !f->deep)
		return err;
	f->deep--;
	source_each(path, is_folder, alphasort, add_series_of, f, &err);
	f->deep++;
	return err;
}

static int add_table_of(void *arg, const char *path)
{
	return states_is_log(path) ? 0 : add_table_file(arg, path);
}

/* Its series files; if it has none, its tables; if it has neither, series files of folders in it; and logs. */
static int add_folder(struct finding_sources *f, const char *path)
{
	size_t logs = f->s->n_logs, bad = f->s->n_bad, series = f->s->n;
	int err = source_logs_of_folder(f->s, path, SOURCE_LOGS_DEEP), n;

	if (err)
		return err;
	n = source_each(path, source_is_series, alphasort, add_series, f, &err);
	if (!n)
		n = source_each(path, is_table, alphasort, add_table_of, f, &err);
	if (n < 0)
		return bad_source(f, path, strerror(errno), -errno);
	if (!n)
		err = add_series_of(f, path);
	if (!err && !n && f->s->n == series && f->s->n_logs == logs && f->s->n_bad == bad)
		err = bad_source(f, path,
				 "the folder has no *" SERIES_SUFFIX
				 " file, no table (*.csv, *.jsonl; name files of other kinds) and "
				 "no log of jobs",
				 -ENOENT);
	return err;
}

/* One of our own descriptors, as a shell's <(…) is: whoever gave it to us writes to it. */
static bool is_descriptor(const char *path)
{
	return !strncmp(path, "/dev/fd/", 8) || !strcmp(path, "/dev/stdin") ||
	       !strncmp(path, "/proc/self/fd/", 14);
}

/* Whether a regular file is a table: by its beginning, unless it has the name of a series file. */
static bool looks_like_table(const char *path)
{
	unsigned char head[512];
	ssize_t n;
	int fd;

	if (ends_with(path, SERIES_SUFFIX))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	n = fd < 0 ? -1 : read(fd, head, sizeof(head));
	if (fd >= 0)
		close(fd);
	return n > 0 && table_is(head, (size_t)n);
}

static int add_path(struct finding_sources *f, const char *path)
{
	struct stat st;

	if (!strcmp(path, "-") || is_descriptor(path) || prometheus_is(path))
		return add_table(f, path);
	if (source_is_beside(path))
		return 0;
	if (stat(path, &st))
		return bad_source(f, path, strerror(errno), -errno);
	if (S_ISDIR(st.st_mode) && states_is_log(path))
		return source_log(f->s, path);
	if (S_ISDIR(st.st_mode) && !ends_with(path, SERIES_SUFFIX))
		return add_folder(f, path);
	if (!S_ISREG(st.st_mode) && !ends_with(path, SERIES_SUFFIX))
		return add_table_file(f, path);
	if (!ends_with(path, SERIES_SUFFIX) && states_is_log(path))
		return source_log(f->s, path);
	return looks_like_table(path) ? add_table(f, path) : add_series(f, path);
}

/* ---- tables -----------------------------------------------------------------------------------*/

/* What a bad one had given is taken back. Whose it is is known where a file is a node. */
static int read_table(struct finding_sources *f, const char *path)
{
	struct table *t = &f->s->table;
	size_t had = t->n;
	char server[HOST_LEN] = "";
	int err = table_read(t, path, f->o);

	if (!err || err == -ENOMEM || err == -E2BIG || err == -ECANCELED)
		return err;
	table_take_back(t, had);
	f->n_empty += err == -ENODATA;
	if (f->o->node && !strcmp(f->o->node, "@file"))
		snprintf(server, sizeof(server), "%.*s", (int)strcspn(source_base(path), "."),
			 source_base(path));
	return source_leave_out(f->s, path, server, said_last());
}

/* As sources_clocks(): nodes whose first line is of another time than those of most others. */
static int check_table_clocks(struct finding_sources *f)
{
	struct table *t = &f->s->table;
	struct source_when *at = calloc(t->nodes.n + 1, sizeof(*at));
	struct source_when *known = calloc(t->nodes.n + 1, sizeof(*known));
	size_t kept = 0, n = 0;
	int err = at && known ? 0 : -ENOMEM;

	for (size_t i = 0; i < t->nodes.n && !err; i++)
		at[i] = (struct source_when){i, i, INT64_MAX, false};
	for (size_t i = 0; i < t->n && !err; i++) {
		struct source_when *w = &at[t->at[i].node];

		w->first_ns = t->at[i].time_ns < w->first_ns ? t->at[i].time_ns : w->first_ns;
	}
	/* one without values is of no time */
	for (size_t i = 0; i < t->nodes.n && !err; i++)
		if (at[i].first_ns < INT64_MAX)
			known[n++] = at[i];
	err = err ?: source_clocks_away(known, n, t->nodes.n);
	for (size_t i = 0; i < n && !err; i++)
		at[known[i].host].away = known[i].away;
	free(known);
	for (size_t i = 0; i < t->nodes.n && !err; i++) {
		char when[TIME_TEXT_LEN], why[200];

		if (!at[i].away)
			continue;
		snprintf(why, sizeof(why),
			 "its clock was wrong: its lines begin at %s, those of most other servers "
			 "do not",
			 output_time(at[i].first_ns, when));
		fail("'%s' is left out: %s", t->nodes.at[i], why);
		err = source_leave_out(f->s, NULL, t->nodes.at[i], why);
	}
	for (size_t i = 0; i < t->n && !err; i++)
		if (!at[t->at[i].node].away)
			t->at[kept++] = t->at[i];
	t->n = err ? t->n : kept;
	free(at);
	return err;
}

static int read_tables(struct finding_sources *f)
{
	size_t good = 0;
	int err = 0;

	for (size_t i = 0; i < f->n_tables && !err; i++) {
		const char *path = f->table[i];
		size_t bad = f->s->n_bad;

		if (f->s->n) {
			fail("'%s' is a table and '%s' a series file: one command takes one of the "
			     "two",
			     strcmp(path, "-") ? path : "standard input", f->s->at[0].path);
			err = source_leave_out(f->s, path, "",
					       "it is a table, and other sources are series files");
			continue;
		}
		err = read_table(f, path);
		good += !err && bad == f->s->n_bad;
	}
	f->s->tabular = good > 0;
	if (!err && good)
		err = check_table_clocks(f);
	return err || !good ? err : table_finish(&f->s->table, f->o);
}

int sources_open(struct sources *s, char *const *paths, size_t n_paths, const struct table_opts *o,
		 const struct log_opts *logs)
{
	static const struct table_opts none;
	struct finding_sources f = {.s = s, .o = o ? o : &none, .deep = SOURCE_LOGS_DEEP};
	int err = 0;

	*s = (struct sources){.strict = f.o->strict};
	if (logs) {
		err = states_options(&s->states, logs);
		states_now(&s->states, clock_ns(CLOCK_REALTIME));
	}
	for (size_t i = 0; i < n_paths && !err; i++)
		err = add_path(&f, paths[i]);
	err = err ?: read_tables(&f);
	if (!err && s->n)
		err = sources_check_series(s);
	if (!err && s->n_logs)
		err = source_logs_zone(s, logs) ?: states_finish(&s->states);
	if (!err && s->n && s->n_logs)
		err = sources_processes(s);
	if (!err && !s->n && !s->tabular && !s->n_logs) {
		err = s->n_bad && f.n_empty == s->n_bad ? -ENODATA : -EBADMSG;
		if (s->n_bad != 1)
			fail(s->n_bad ? "none of the sources can be read" : "there is no source");
	}
	if (err == -ENOMEM)
		fail("out of memory");
	if (err)
		sources_release(s);
	for (size_t i = 0; i < f.n_tables; i++)
		free(f.table[i]);
	free(f.table);
	return err;
}

void sources_release(struct sources *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->at[i].path);
		free(s->at[i].why);
	}
	for (size_t i = 0; i < s->n_bad; i++) {
		free(s->bad[i].path);
		free(s->bad[i].why);
	}
	for (size_t i = 0; i < s->n_logs; i++)
		free(s->logs[i]);
	free(s->logs);
	free(s->at);
	free(s->bad);
	text_release(&s->notes);
	table_release(&s->table);
	states_release(&s->states);
	*s = (struct sources){0};
}
