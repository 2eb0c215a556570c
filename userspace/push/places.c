// SPDX-License-Identifier: BSD-2-Clause
/* Where logs of jobs lie: see places.h. */
#include "places.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/text_clean.h"

#define DEPTH_MAX  12
#define FIRST_LINE 256 /* of a longer one so much */
/* Nobody has written for so long: looked at once in so many looks; and what has no end of line by then is a line. */
#define SILENT_NS    (600 * NS_PER_S)
#define SILENT_LOOKS 6
#define SETTLED_NS   (60 * NS_PER_S)
#define GONE_MAX     1000

#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)

/* Where engines and file systems write what the analyzer reads (limpet-inputs(5), LOGS). */
static const struct {
	const char *name, *path;
} usual[] = {
	{"hadoop", "/var/log/hadoop"},
	{"hadoop-hdfs", "/var/log/hadoop-hdfs"},
	{"hadoop-yarn", "/var/log/hadoop-yarn"},
	{"hadoop-mapreduce", "/var/log/hadoop-mapreduce"},
	{"hadoop-opt", "/opt/hadoop/logs"},
	{"spark", "/var/log/spark"},
	{"spark-events", "/var/log/spark-events"},
	{"spark-opt", "/opt/spark/logs"},
	{"darshan", "/var/log/darshan"},
	{"ganesha", "/var/log/ganesha"},
	{"limpet", "/var/log/limpet"},
};

static const char *const packed_ends[] = {".gz", ".zst", ".xz", ".bz2"};

/* ---- the places ---- */

static int add_place(struct places *p, const char *name, size_t len, const char *path,
		     bool asked_for)
{
	struct place *at;

	for (size_t i = 0; i < p->n; i++)
		if (strlen(p->at[i].name) == len && !strncmp(p->at[i].name, name, len)) {
			if (asked_for)
				return fail("'--logs %.*s=%s': there is another place of this name",
					    (int)len, name, path);
			return 0; /* instead of the usual one */
		}
	if (p->n == PLACES_MAX)
		return fail("--logs: more than %d places", PLACES_MAX);
	at = &p->at[p->n++];
	*at = (struct place){.path = path, .asked_for = asked_for};
	memcpy(at->name, name, len);
	return 0;
}

int places_init(struct places *p, const struct string_list *given, bool defaults)
{
	memset(p, 0, sizeof(*p));
	pthread_mutex_init(&p->lock, NULL);
	for (size_t i = 0; i < given->n; i++) {
		const char *s = given->at[i], *path = strchr(s, '=');
		size_t len = path ? (size_t)(path - s) : 0;

		if (!len || len >= sizeof(p->at->name) || *s == '.' || path[1] != '/' ||
		    strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") <
			    len)
			return fail("'--logs %s': NAME=PATH is needed: a name of up to %zu "
				    "letters, digits, "
				    "'.', '_' and '-', and a path that begins with '/'",
				    s, sizeof(p->at->name) - 1);
		if (add_place(p, s, len, path + 1, true))
			return -1;
	}
	for (size_t i = 0; defaults && i < sizeof(usual) / sizeof(*usual); i++)
		if (add_place(p, usual[i].name, strlen(usual[i].name), usual[i].path, false))
			return -1;
	return 0;
}

static void forget_logs(struct places *p)
{
	for (size_t i = 0; i < p->n_logs; i++)
		free(p->logs[i].path);
	p->n_logs = p->n_gone = 0;
	map_clear(&p->by_path);
	p->epoch++;
}

void places_release(struct places *p)
{
	forget_logs(p);
	free(p->logs);
	map_release(&p->by_path);
	pthread_mutex_destroy(&p->lock);
}

/* ---- who a log is ---- */

/* Of a file that grows the first line is complete once and for all, and then tells it from another one with its inode. */
static void find_identity(int fd, const struct stat *st, unsigned int cuts, int64_t now_ns,
			  char identity[WIRE_IDENTITY_LEN])
{
	char line[FIRST_LINE];
	ssize_t n = pread(fd, line, sizeof(line), 0);
	const char *end = n > 0 ? memchr(line, '\n', (size_t)n) : NULL;
	bool settled = now_ns - ns_of_timespec(st->st_mtim) > SETTLED_NS;
	int len;

	*identity = '\0';
	if (n <= 0 || (!end && n < FIRST_LINE && !settled))
		return;
	n = end ? end - line : n;
	len = snprintf(identity, WIRE_IDENTITY_LEN, "%llx-%llx-%08lx",
		       (unsigned long long)st->st_dev, (unsigned long long)st->st_ino,
		       crc32(0, (const unsigned char *)line, (unsigned int)n));
	if (cuts)
		snprintf(identity + len, (size_t)(WIRE_IDENTITY_LEN - len), ".%u", cuts);
}

static void take_identity(struct place_log *log, const char *identity)
{
	if (!strcmp(log->identity, identity))
		return;
	snprintf(log->identity, sizeof(log->identity), "%s", identity);
	log->version++;
}

void places_was_cut(struct place_log *log)
{
	char *end = strchr(log->identity, '.');

	if (end)
		*end = '\0';
	log->cuts++;
	snprintf(log->identity + strlen(log->identity),
		 sizeof(log->identity) - strlen(log->identity), ".%u", log->cuts);
	log->version++;
}

/* ---- opening ---- */

/* A path below a folder, component by component, so that no link leads out of it. */
static int open_below(int folder, const char *below)
{
	char name[NAME_MAX + 1];
	int at = folder;

	for (;;) {
		size_t len = strcspn(below, "/");
		bool last = !below[len];
		int fd;

		if (len > NAME_MAX)
			fd = -1, errno = ENAMETOOLONG;
		else {
			memcpy(name, below, len);
			name[len] = '\0';
			fd = openat(at, name, last ? OPEN_FLAGS : OPEN_FLAGS | O_DIRECTORY);
		}
		if (at != folder)
			close(at);
		if (fd < 0 || last)
			return fd < 0 ? -errno : fd;
		at = fd;
		below += len + 1;
	}
}

int places_open(struct places *p, struct place_log *log)
{
	const struct place *place = &p->at[log->place];
	char identity[WIRE_IDENTITY_LEN];
	struct stat st;
	int folder, fd;

	/* The place itself may be a link: whoever runs this has chosen it. */
	folder = open(place->path, (OPEN_FLAGS & ~O_NOFOLLOW) | (*log->below ? O_DIRECTORY : 0));
	if (folder < 0)
		return -errno;
	fd = *log->below ? open_below(folder, log->below) : folder;
	if (fd != folder)
		close(folder);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -ESTALE;
	}
	if (st.st_dev != log->dev || st.st_ino != log->ino)
		log->cuts = 0;
	else if (st.st_size < log->size)
		log->cuts++;
	log->dev = st.st_dev;
	log->ino = st.st_ino;
	log->size = st.st_size;
	log->mtime_ns = ns_of_timespec(st.st_mtim);
	find_identity(fd, &st, log->cuts, clock_ns(CLOCK_REALTIME), identity);
	if (strcmp(identity, log->identity)) {
		take_identity(log, identity);
		close(fd);
		return -ESTALE;
	}
	return fd;
}

/* ---- looking ---- */

struct look {
	struct places *p;
	size_t place;
	int64_t now_ns; /* by the wall clock */
	char path[WIRE_PATH_LEN];
	size_t name; /* length of NAME/ in it */
};

static bool ends_packed(const char *name)
{
	const char *end = strrchr(name, '.');

	for (size_t i = 0; end && i < sizeof(packed_ends) / sizeof(*packed_ends); i++)
		if (!strcmp(end, packed_ends[i]))
			return true;
	return false;
}

static bool is_clean(const char *path)
{
	char copy[WIRE_PATH_LEN];

	snprintf(copy, sizeof(copy), "%s", path);
	return !strcmp(text_clean(copy), path);
}

static struct place_log *log_of(struct look *l)
{
	struct places *p = l->p;
	uint64_t hash = map_hash(l->path, strlen(l->path));
	size_t at = map_find(i, &p->by_path, hash, !strcmp(p->logs[i].path, l->path));
	struct place_log *new;
	char *path;

	if (at != MAP_NONE)
		return &p->logs[at];
	if (p->n_logs == PLACES_LOGS) {
		p->full = true;
		return NULL;
	}
	path = strdup(l->path);
	new = path ? map_append(&p->by_path, hash, array_add(&p->logs, &p->n_logs), &p->n_logs)
		   : NULL;
	if (!new) {
		free(path);
		return NULL;
	}
	new->path = path;
	new->below = path + l->name;
	new->place = l->place;
	new->packed = ends_packed(path);
	return new;
}

static bool look_may_skip(const struct look *l, const struct place_log *log)
{
	return log->mtime_ns && l->now_ns - log->mtime_ns > SILENT_NS && log->identity[0] &&
	       l->p->looks % SILENT_LOOKS;
}

static void look_at_file(struct look *l, int dir, const char *name, const struct stat *known)
{
	struct place_log *log = log_of(l);
	struct stat st;
	bool same;
	int fd;

	if (!log)
		return;
	if (!known && look_may_skip(l, log)) {
		log->there = true;
		return;
	}
	if (known)
		st = *known;
	else if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return;
	if (!S_ISREG(st.st_mode))
		return;
	log->there = true;
	log->left = !is_clean(log->path)					       ? LOG_NAMED
		    : st.st_size > PLACES_LOG_MAX				       ? LOG_LARGE
		    : l->now_ns - ns_of_timespec(st.st_mtim) > PLACES_AGE_S * NS_PER_S ? LOG_OLD
										       : LOG_SENT;
	same = st.st_dev == log->dev && st.st_ino == log->ino && st.st_size >= log->size;
	if (log->left != LOG_SENT || (same && *log->identity)) {
		log->size = st.st_size;
		log->mtime_ns = ns_of_timespec(st.st_mtim);
		return;
	}
	/* A new one, another one, or one that was cut short: who is it? */
	fd = places_open(l->p, log);
	if (fd >= 0)
		close(fd);
}

static void look_in_folder(struct look *l, int fd, size_t used, int depth)
{
	DIR *dir = fdopendir(fd);
	const struct dirent *e;

	if (!dir) {
		close(fd);
		return;
	}
	while ((e = readdir(dir))) {
		size_t len = strlen(e->d_name);
		unsigned char type = e->d_type;
		struct stat st;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    used + len + 1 >= sizeof(l->path))
			continue;
		if (type == DT_UNKNOWN) {
			if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW))
				continue;
			type = S_ISREG(st.st_mode) ? DT_REG : S_ISDIR(st.st_mode) ? DT_DIR : DT_LNK;
		}
		memcpy(l->path + used, e->d_name, len + 1);
		if (type == DT_REG) {
			look_at_file(l, fd, e->d_name, NULL);
		} else if (type == DT_DIR && depth < DEPTH_MAX) {
			int below = openat(fd, e->d_name, OPEN_FLAGS | O_DIRECTORY);

			strcpy(l->path + used + len, "/");
			if (below >= 0)
				look_in_folder(l, below, used + len + 1, depth + 1);
		}
	}
	closedir(dir);
}

static void look_at_place(struct look *l)
{
	struct place *place = &l->p->at[l->place];
	int fd = open(place->path, OPEN_FLAGS & ~O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		if (!place->told && place->asked_for)
			warn("cannot read the logs in '%s': %s", place->path, strerror(errno));
		place->told = true;
		if (fd >= 0)
			close(fd);
		return;
	}
	place->told = false;
	if (S_ISDIR(st.st_mode)) {
		l->name = (size_t)snprintf(l->path, sizeof(l->path), "%s/", place->name);
		look_in_folder(l, fd, l->name, 0);
		return;
	}
	/* NAME/FILE; nothing stands below that. */
	snprintf(l->path, sizeof(l->path), "%s/%s", place->name, strrchr(place->path, '/') + 1);
	l->name = strlen(l->path);
	if (S_ISREG(st.st_mode))
		look_at_file(l, -1, NULL, &st);
	close(fd);
}

/* Once, and when there are ten times as many. */
static void tell_left(struct places *p)
{
	static const char *const why[LOG_LEFT_WAYS] = {
		NULL, "silent for a week", "larger than 1 GiB", "of names that are no text"};

	for (int i = LOG_SENT + 1; i < LOG_LEFT_WAYS; i++) {
		if (!p->left[i] || p->left[i] < 10 * p->told_left[i])
			continue;
		p->told_left[i] = p->left[i];
		warn("logs are left out: %zu %s", p->left[i], why[i]);
	}
	if (p->full && !p->told_left[LOG_SENT]++)
		warn("there are more than %d logs: the others are left out", PLACES_LOGS);
}

void places_look(struct places *p)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC);
	struct look l = {.p = p, .now_ns = clock_ns(CLOCK_REALTIME)};

	if (!p->n || (p->looked_ns && now - p->looked_ns < PLACES_LOOK_S * NS_PER_S))
		return;
	p->looked_ns = now;
	if (p->n_gone > GONE_MAX && p->n_gone > p->n_logs / 2)
		forget_logs(p);
	for (size_t i = 0; i < p->n_logs; i++)
		p->logs[i].there = false;
	for (l.place = 0; l.place < p->n; l.place++)
		look_at_place(&l);
	p->n_gone = 0;
	memset(p->left, 0, sizeof(p->left));
	for (size_t i = 0; i < p->n_logs; i++)
		if (p->logs[i].there)
			p->left[p->logs[i].left]++;
		else
			p->n_gone++;
	p->looks++;
	tell_left(p);
}
