// SPDX-License-Identifier: BSD-2-Clause
#include "logs_kept.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "userspace/common/array.h"
#include "userspace/common/database.h"
#include "userspace/common/map.h"
#include "userspace/common/safe_open.h"
#include "userspace/common/text_clean.h"
#include "userspace/wire/wire.h"

#define QUOTA_BYTES ((uint64_t)4 << 30)
#define QUOTA_FILES 20000
/* Of what was put aside: PATH.1, PATH.2 …, the first that is free. */
#define KEPT_ASIDE ".999"
#define ASIDES_MAX 999

/* What a host has: counted when it is first heard, and again where its quota seems to be used up. */
struct host_usage {
	char host[HOST_LEN];
	uint64_t bytes;
	size_t files;
};

struct logs_kept {
	sqlite3 *db;
	int folder; /* DIR/logs */
	struct logs_quota quota;
	sqlite3_stmt *identity_of, *path_of, *paths_of, *put, *rename;
	struct host_usage *hosts;
	size_t n_hosts;
	struct map by_host;
};

/* ---- names ---- */

static const char *path_part_check(const char *at, size_t len)
{
	if (!len)
		return "a path of a log has an empty part";
	if (len > NAME_MAX - sizeof(KEPT_ASIDE))
		return "a path of a log has a part that is too long";
	if ((len == 1 && at[0] == '.') || (len == 2 && at[0] == '.' && at[1] == '.'))
		return "a path of a log has a part '.' or '..'";
	return NULL;
}

const char *logs_kept_check(const char *path)
{
	size_t len = strlen(path);
	const char *wrong = NULL, *at = path;
	int deep = 0;

	if (len >= WIRE_PATH_LEN - sizeof(KEPT_ASIDE))
		return "a path of a log is too long";
	for (size_t i = 0, step; i < len; i += step) {
		step = text_character(path + i, len - i);
		if (!step)
			return "a path of a log is not text";
	}
	do {
		size_t part = strcspn(at, "/");

		wrong = path_part_check(at, part);
		at += part;
	} while (!wrong && ++deep && *at++);
	return !wrong && deep > LOG_DEEP_MAX ? "a path of a log has too many parts" : wrong;
}

/* ---- files ---- */

static int folder_enter(int folder, const char *name, bool make)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(folder, name, flags);

	if (fd < 0 && errno == ENOENT && make && (!mkdirat(folder, name, 0750) || errno == EEXIST))
		fd = openat(folder, name, flags);
	return fd < 0 ? -errno : fd;
}

/* The folder that a checked path is in, component by component, through no link; *name is the last one. */
static int folder_open(const struct logs_kept *k, const char *host, const char *path, bool make,
		       const char **name)
{
	int fd = folder_enter(k->folder, host, make), next;
	const char *slash;
	char part[NAME_MAX + 1];

	for (; fd >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		next = folder_enter(fd, part, make);
		close(fd);
		fd = next;
	}
	*name = path;
	return fd;
}

/* -ENOENT; -EINVAL: what is there is no file. */
static int file_size(int folder, const char *name, uint64_t *size)
{
	struct stat st;

	*size = 0;
	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	*size = (uint64_t)st.st_size;
	return 0;
}

static int size_of(const struct logs_kept *k, const char *host, const char *path, uint64_t *size)
{
	const char *name;
	int folder = folder_open(k, host, path, false, &name), err;

	*size = 0;
	if (folder < 0)
		return folder;
	err = file_size(folder, name, size);
	close(folder);
	return err;
}

/* All of it, or nothing. */
static int file_append(int folder, const char *name, const struct log_piece *p)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
			0640);
	size_t done = 0;
	int err = 0;

	if (fd < 0)
		return -errno;
	while (!err && done < p->len) {
		ssize_t n = pwrite(fd, (const char *)p->bytes + done, p->len - done,
				   (off_t)(p->at + done));

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			err = n ? -errno : -ENOSPC;
	}
	if (err && ftruncate(fd, (off_t)p->at))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

/* ---- what a host has ---- */

/* The statement with its first two texts; the caller resets it. */
static sqlite3_stmt *texts_bind(sqlite3_stmt *s, const char *one, const char *two)
{
	sqlite3_bind_text(s, 1, one, -1, SQLITE_STATIC);
	if (two)
		sqlite3_bind_text(s, 2, two, -1, SQLITE_STATIC);
	return s;
}

static int usage_count(struct logs_kept *k, struct host_usage *u, char *why)
{
	sqlite3_stmt *s = texts_bind(k->paths_of, u->host, NULL);
	uint64_t size;
	int rc;

	u->bytes = u->files = 0;
	while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
		if (size_of(k, u->host, (const char *)sqlite3_column_text(s, 0), &size))
			continue;
		u->bytes += size;
		u->files++;
	}
	rc = rc == SQLITE_DONE ? 0 : database_fail(k->db, why);
	sqlite3_reset(s);
	return rc;
}

static struct host_usage *usage_of(struct logs_kept *k, const char *host, char *why)
{
	uint64_t hash = map_hash(host, strlen(host));
	size_t at = map_find(i, &k->by_host, hash, !strcmp(k->hosts[i].host, host));
	struct host_usage *new;

	if (at != MAP_NONE)
		return &k->hosts[at];
	new = map_append(&k->by_host, hash, array_add(&k->hosts, &k->n_hosts), &k->n_hosts);
	if (!new) {
		snprintf(why, WHY_LEN, "out of memory");
		return NULL;
	}
	snprintf(new->host, sizeof(new->host), "%s", host);
	if (!usage_count(k, new, why))
		return new;
	map_remove(&k->by_host, --k->n_hosts);
	return NULL;
}

static bool usage_allows(const struct logs_kept *k, const struct host_usage *u, size_t bytes,
			 bool file)
{
	return u->bytes + bytes <= k->quota.bytes && u->files + file <= k->quota.files;
}

/* ---- which log it is ---- */

enum log_known { LOG_UNKNOWN, LOG_SAME, LOG_OTHER };

static enum log_known identity_known(struct logs_kept *k, const struct log_piece *p)
{
	sqlite3_stmt *s = texts_bind(k->identity_of, p->host, p->path);
	enum log_known known = LOG_UNKNOWN;

	if (sqlite3_step(s) == SQLITE_ROW) {
		const char *is = (const char *)sqlite3_column_text(s, 0);

		known = is && !strcmp(is, p->identity) ? LOG_SAME : LOG_OTHER;
	}
	sqlite3_reset(s);
	return known;
}

/* Where a log of this identity is; false: nowhere. */
static bool path_known(struct logs_kept *k, const struct log_piece *p, char path[WIRE_PATH_LEN])
{
	sqlite3_stmt *s = texts_bind(k->path_of, p->host, p->identity);
	bool known = sqlite3_step(s) == SQLITE_ROW;

	if (known)
		snprintf(path, WIRE_PATH_LEN, "%s", (const char *)sqlite3_column_text(s, 0));
	sqlite3_reset(s);
	return known;
}

static int statement_run(struct logs_kept *k, sqlite3_stmt *s, char *why)
{
	int err = sqlite3_step(s) == SQLITE_DONE ? 0 : database_fail(k->db, why);

	sqlite3_reset(s);
	return err;
}

/* What lies in the way of a log's name, or of its folders, is for that log alone to say. */
static int log_cannot(int err, char *why)
{
	snprintf(why, WHY_LEN, "cannot keep a log: %s", strerror(-err));
	return err == -EISDIR || err == -ENOTDIR || err == -ELOOP || err == -ENOTEMPTY ? -EINVAL
										       : err;
}

/* The rows of a log's path are those of another one. */
static int row_rename(struct logs_kept *k, const char *host, const char *from, const char *to,
		      char *why)
{
	texts_bind(k->rename, host, from);
	sqlite3_bind_text(k->rename, 3, to, -1, SQLITE_STATIC);
	return statement_run(k, k->rename, why);
}

/* The file of another log, and what is known of it, take the first name PATH.N that is free. In this order: after a power failure amid
 * it the worst is a file without a row, which is put aside in turn. */
static int log_put_aside(struct logs_kept *k, const struct log_piece *p, int folder,
			 const char *name, char *why)
{
	char aside[NAME_MAX + 1], path[WIRE_PATH_LEN];
	struct stat st;
	int n = 1;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : log_cannot(-errno, why);
	if (S_ISDIR(st.st_mode))
		return log_cannot(-EISDIR, why);
	do
		snprintf(aside, sizeof(aside), "%s.%d", name, n);
	while (!fstatat(folder, aside, &st, AT_SYMLINK_NOFOLLOW) && ++n <= ASIDES_MAX);
	snprintf(path, sizeof(path), "%s.%d", p->path, n);
	if (n > ASIDES_MAX)
		return log_cannot(-ENOTEMPTY, why);
	if (renameat(folder, name, folder, aside) || fsync(folder))
		return log_cannot(-errno, why);
	return row_rename(k, p->host, p->path, path, why);
}

/* This log is there under another name: it was renamed, as rotation does. It gets the name that it has now. */
static int log_move(struct logs_kept *k, const struct log_piece *p, const char *from, char *why)
{
	const char *name, *old;
	int folder = folder_open(k, p->host, p->path, true, &name), err;
	int before = folder < 0 ? folder : folder_open(k, p->host, from, false, &old);

	err = before < 0 ? log_cannot(before, why) : log_put_aside(k, p, folder, name, why);
	if (!err && renameat(before, old, folder, name))
		err = log_cannot(-errno, why);
	if (!err)
		err = row_rename(k, p->host, from, p->path, why);
	if (folder >= 0)
		close(folder);
	if (before >= 0)
		close(before);
	return err;
}

/* A new log at this path. */
static int log_begin(struct logs_kept *k, const struct log_piece *p, int folder, const char *name,
		     char *why)
{
	int err = log_put_aside(k, p, folder, name, why);

	if (err)
		return err;
	texts_bind(k->put, p->host, p->path);
	sqlite3_bind_text(k->put, 3, p->identity, -1, SQLITE_STATIC);
	return statement_run(k, k->put, why);
}

/* ---- life ---- */

static const char logs_tables[] =
	"CREATE TABLE IF NOT EXISTS logs(host TEXT NOT NULL, path TEXT "
	"NOT NULL, identity TEXT NOT NULL,"
	" PRIMARY KEY(host, path)) WITHOUT ROWID;"
	"CREATE INDEX IF NOT EXISTS logs_identity ON logs(host, identity);";

static int statements_prepare(struct logs_kept *k, char *why)
{
	k->identity_of =
		database_ask(k->db, why, "SELECT identity FROM logs WHERE host = ?1 AND path = ?2");
	k->path_of = database_ask(
		k->db, why, "SELECT path FROM logs WHERE host = ?1 AND identity = ?2 LIMIT 1");
	k->paths_of = database_ask(k->db, why, "SELECT path FROM logs WHERE host = ?1");
	k->put = database_ask(k->db, why, "INSERT OR REPLACE INTO logs VALUES (?1, ?2, ?3)");
	k->rename = database_ask(
		k->db, why, "UPDATE OR REPLACE logs SET path = ?3 WHERE host = ?1 AND path = ?2");
	return k->identity_of && k->path_of && k->paths_of && k->put && k->rename ? 0 : -EIO;
}

int logs_kept_new(struct logs_kept **out, const char *dir, const struct logs_quota *quota,
		  char why[WHY_LEN])
{
	struct logs_kept *k = calloc(1, sizeof(*k));
	char path[PATH_MAX], reason[SAFE_WHY_LEN];
	int err;

	*out = NULL;
	if (!k || snprintf(path, sizeof(path), "%s/logs", dir) >= (int)sizeof(path)) {
		snprintf(why, WHY_LEN, k ? "the name of the folder is too long" : "out of memory");
		free(k);
		return -ENAMETOOLONG;
	}
	k->quota.bytes = quota->bytes ? quota->bytes : QUOTA_BYTES;
	k->quota.files = quota->files ? quota->files : QUOTA_FILES;
	k->folder = -1;
	err = database_open(&k->db, dir, "logs.db", logs_tables, why);
	if (!err)
		err = statements_prepare(k, why);
	if (!err) {
		k->folder = safe_make_folder(path, false, reason);
		err = k->folder < 0 ? k->folder : 0;
		if (err)
			snprintf(why, WHY_LEN, "cannot use '%.100s': %.120s", path, reason);
	}
	if (err) {
		logs_kept_free(k);
		return err;
	}
	*out = k;
	return 0;
}

void logs_kept_free(struct logs_kept *k)
{
	if (!k)
		return;
	sqlite3_finalize(k->identity_of);
	sqlite3_finalize(k->path_of);
	sqlite3_finalize(k->paths_of);
	sqlite3_finalize(k->put);
	sqlite3_finalize(k->rename);
	sqlite3_close(k->db);
	if (k->folder >= 0)
		close(k->folder);
	map_release(&k->by_host);
	free(k->hosts);
	free(k);
}

/* ---- taking ---- */

static int log_take_bytes(struct logs_kept *k, const struct log_piece *p, enum log_known known,
			  struct host_usage *u, char *why)
{
	const char *name;
	int folder = folder_open(k, p->host, p->path, true, &name), err = 0;
	uint64_t before = 0, after = 0;

	if (folder < 0)
		return log_cannot(folder, why);
	if (known != LOG_SAME)
		err = log_begin(k, p, folder, name, why);
	else
		file_size(folder, name, &before);
	if (!err) {
		err = file_append(folder, name, p);
		if (err)
			err = log_cannot(err, why);
		file_size(folder, name, &after);
		u->bytes += after - before;
		u->files += known != LOG_SAME;
	}
	close(folder);
	return err;
}

/* Once more counted before it is refused, for somebody may have made room. */
static int usage_check(struct logs_kept *k, struct host_usage *u, size_t bytes, bool file,
		       char *why)
{
	int err = 0;

	if (!usage_allows(k, u, bytes, file))
		err = usage_count(k, u, why);
	if (err || usage_allows(k, u, bytes, file))
		return err;
	snprintf(why, WHY_LEN,
		 "the logs of '%s' have all the room that a host may have here (%llu MiB, %zu "
		 "files)",
		 u->host, (unsigned long long)(k->quota.bytes >> 20), k->quota.files);
	return -EDQUOT;
}

int logs_kept_take(struct logs_kept *k, const struct log_piece *p, uint64_t *size,
		   char why[WHY_LEN])
{
	const char *wrong = logs_kept_check(p->path);
	char from[WIRE_PATH_LEN] = "";
	struct host_usage *u;
	enum log_known known;
	int err = 0;

	*size = 0;
	if (wrong) {
		snprintf(why, WHY_LEN, "%s", wrong);
		return -EINVAL;
	}
	known = identity_known(k, p);
	if (known == LOG_SAME)
		err = size_of(k, p->host, p->path, size);
	else if (path_known(k, p, from) && size_of(k, p->host, from, size))
		*from = '\0';
	if (err && err != -ENOENT) {
		snprintf(why, WHY_LEN, "cannot look at a log: %s", strerror(-err));
		return err;
	}
	if (!p->len || p->at != *size)
		return 0;
	if (*from) {
		err = log_move(k, p, from, why);
		if (err)
			return err;
		known = LOG_SAME;
	}
	u = usage_of(k, p->host, why);
	err = u ? usage_check(k, u, p->len, known != LOG_SAME, why) : -EIO;
	if (!err)
		err = log_take_bytes(k, p, known, u, why);
	if (!err)
		*size += p->len;
	return err;
}
