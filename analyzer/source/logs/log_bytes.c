// SPDX-License-Identifier: BSD-2-Clause
/* log_bytes.h: zlib reads what is plain or gzip; what it says is plain, and packed otherwise, is undone behind it. */
#include "log_bytes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "analyzer/source/tables/unpack.h"

enum { IN = 1 << 17 }; /* of the file at a time, where it is packed */

struct log_bytes {
	gzFile gz;
	bool direct, known;
	struct unpack *unpack;
	unsigned char in[IN];
	size_t at, end;
	char *folder; /* of a rolled log */
	unsigned long part;
};

/* ---- files ------------------------------------------------------------------------------------------- */

static int open_path(const char *path)
{
	bool given = !strcmp(path, "-") || !strncmp(path, "/dev/fd/", 8);
	struct stat st;
	int fd, err;

	if (!strcmp(path, "-"))
		fd = dup(STDIN_FILENO);
	else
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (!given && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		err = S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
		close(fd);
		return err;
	}
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

static int open_file(struct log_bytes *b, const char *path)
{
	int fd = open_path(path);

	if (fd < 0)
		return fd;
	b->gz = gzdopen(fd, "rb");
	if (!b->gz) {
		close(fd);
		return -ENOMEM;
	}
	b->direct = gzdirect(b->gz);
	b->known = false;
	b->at = b->end = 0;
	return 0;
}

/* The file of the folder with the lowest number above `part`: its path, made with malloc(), and its number. */
static char *next_part(const char *folder, unsigned long *part)
{
	unsigned long best = 0;
	struct dirent *e;
	char *path = NULL, name[NAME_MAX + 1] = "", *end;
	DIR *d = opendir(folder);

	while (d && (e = readdir(d))) {
		unsigned long n;

		if (strncmp(e->d_name, "events_", 7))
			continue;
		n = strtoul(e->d_name + 7, &end, 10);
		if (*end == '_' && n > *part && (!best || n < best)) {
			best = n;
			snprintf(name, sizeof(name), "%s", e->d_name);
		}
	}
	if (d)
		closedir(d);
	if (best && asprintf(&path, "%s/%s", folder, name) < 0)
		path = NULL;
	if (path)
		*part = best;
	return path;
}

bool log_bytes_folder(const char *path)
{
	const char *base = strrchr(path, '/');
	struct stat st;

	return !strncmp(base ? base + 1 : path, "eventlog_v2_", 12) && !stat(path, &st) &&
	       S_ISDIR(st.st_mode);
}

/* The next file of a rolled log: 1, 0 there is none yet. */
static int open_next(struct log_bytes *b)
{
	unsigned long part = b->part;
	char *path = b->folder ? next_part(b->folder, &part) : NULL;
	gzFile had = b->gz;
	int err;

	if (!path)
		return 0;
	err = open_file(b, path);
	free(path);
	if (err)
		return err;
	if (had)
		gzclose_r(had);
	b->part = part;
	unpack_free(b->unpack);
	b->unpack = NULL;
	return 1;
}

struct log_bytes *log_bytes_open(const char *path, int *err)
{
	struct log_bytes *b = calloc(1, sizeof(*b));

	*err = -ENOMEM;
	if (!b)
		return NULL;
	if (log_bytes_folder(path)) {
		b->folder = strdup(path);
		*err = b->folder ? open_next(b) : -ENOMEM;
	} else {
		*err = open_file(b, path);
	}
	if (*err >= 0) {
		*err = 0;
		return b;
	}
	log_bytes_close(b);
	return NULL;
}

void log_bytes_close(struct log_bytes *b)
{
	if (!b)
		return;
	if (b->gz)
		gzclose_r(b->gz);
	unpack_free(b->unpack);
	free(b->folder);
	free(b);
}

bool log_bytes_plain(const struct log_bytes *b)
{
	return b->direct && b->known && !b->unpack && b->at == b->end && !b->folder;
}

/* ---- bytes ------------------------------------------------------------------------------------------- */

static ssize_t log_file_read(struct log_bytes *b, void *to, size_t n)
{
	int got, code = Z_OK;

	errno = 0;
	got = gzread(b->gz, to, (unsigned int)n);
	if (got > 0)
		return got;
	gzerror(b->gz, &code);
	if (code == Z_ERRNO)
		return errno ? -errno : -EIO;
	if (code != Z_OK && code != Z_STREAM_END)
		return -EBADMSG;
	if (b->direct)
		gzclearerr(b->gz); /* it may grow */
	return 0;
}

/* What it is, by its first bytes; they stay in `in`. */
static ssize_t know(struct log_bytes *b)
{
	ssize_t got = log_file_read(b, b->in + b->end, IN - b->end);

	if (got <= 0)
		return got;
	b->end += (size_t)got;
	b->known = true;
	unpack_free(b->unpack);
	b->unpack = unpack_name(b->in, b->end) ? unpack_new(b->in, b->end, 0) : NULL;
	return b->unpack || !unpack_name(b->in, b->end) ? got : -ENOMEM;
}

static ssize_t read_packed(struct log_bytes *b, void *to, size_t n)
{
	for (;;) {
		const unsigned char *in = b->in + b->at;
		size_t left = b->end - b->at;
		ssize_t got = unpack(b->unpack, &in, &left, to, n);

		b->at = b->end - left;
		if (got)
			return got;
		got = log_file_read(b, b->in, IN);
		if (got <= 0)
			return got;
		b->at = 0;
		b->end = (size_t)got;
	}
}

static ssize_t read_part(struct log_bytes *b, void *to, size_t n)
{
	ssize_t got = b->known ? 1 : know(b);

	if (got <= 0)
		return got;
	if (b->unpack)
		return read_packed(b, to, n);
	if (b->at == b->end)
		return log_file_read(b, to, n);
	n = n < b->end - b->at ? n : b->end - b->at;
	memcpy(to, b->in + b->at, n);
	b->at += n;
	return (ssize_t)n;
}

ssize_t log_bytes_read(struct log_bytes *b, void *to, size_t n)
{
	ssize_t got = b->gz ? read_part(b, to, n) : 0;
	int more;

	while (!got && b->folder) {
		more = open_next(b);
		if (more <= 0)
			return more;
		got = read_part(b, to, n);
	}
	return got;
}

bool log_bytes_cut(const struct log_bytes *b)
{
	return b->unpack && !unpack_between(b->unpack);
}

/* ---- from the middle on ------------------------------------------------------------------------------- */

/* Up to the offset, whatever it is compressed with. */
static int pass(struct log_bytes *b, uint64_t offset)
{
	char some[4096];

	while (offset) {
		ssize_t got =
			log_bytes_read(b, some, offset < sizeof(some) ? offset : sizeof(some));

		if (got <= 0)
			return got < 0 ? (int)got : -ENODATA;
		offset -= (uint64_t)got;
	}
	return 0;
}

static int go_to(struct log_bytes *b, const char *path, uint64_t offset)
{
	struct stat st;
	ssize_t got;

	if (b->folder || !offset)
		return b->folder ? -EISDIR : 0;
	got = know(b);
	if (got <= 0)
		return got < 0 ? (int)got : -ENODATA;
	if (!b->direct || b->unpack)
		return pass(b, offset);
	b->at = b->end;
	if (stat(path, &st))
		return -errno;
	if ((uint64_t)st.st_size < offset)
		return -ENODATA;
	return gzseek(b->gz, (z_off_t)offset, SEEK_SET) < 0 ? -EIO : 0; /* plain: it seeks */
}

struct log_bytes *log_bytes_open_at(const char *path, uint64_t offset, int *err)
{
	struct log_bytes *b = log_bytes_open(path, err);

	if (!b)
		return NULL;
	*err = go_to(b, path, offset);
	if (!*err)
		return b;
	log_bytes_close(b);
	return NULL;
}
