// SPDX-License-Identifier: BSD-2-Clause
/* safe_open.h: paths walked by hand, folders that others may write, files replaced in one step. */
#include "safe_open.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#define MAX_LINKS 40 /* as the kernel */
#define TRIES	  100

static int __attribute__((format(printf, 3, 4)))
because(char why[SAFE_WHY_LEN], int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, SAFE_WHY_LEN, fmt, ap);
	va_end(ap);
	return err;
}

static int system_says(char why[SAFE_WHY_LEN], int err)
{
	return because(why, err, "%s", strerror(-err));
}

static bool is_trusted(uid_t owner)
{
	return owner == 0 || owner == geteuid();
}

/* ---- the way ---------------------------------------------------------------------------------- */

struct walk {
	int fd; /* the folder come to */
	int links;
	bool above;	     /* folders above the last are looked at as well, */
	bool held;	     /* but not whose they are */
	char rest[PATH_MAX]; /* what is to go from there */
	char *why;
};

static int step_to(struct walk *w, int fd)
{
	if (fd < 0)
		return system_says(w->why, -errno);
	close(w->fd);
	w->fd = fd;
	return 0;
}

static int begin(struct walk *w, const char *path, char *why)
{
	*w = (struct walk){.fd = -1, .why = why};
	if (!*path)
		return system_says(why, -ENOENT);
	if (strlen(path) >= sizeof(w->rest))
		return system_says(why, -ENAMETOOLONG);
	strcpy(w->rest, path);
	w->fd = open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return w->fd < 0 ? system_says(why, -errno) : 0;
}

/* The next component goes from rest to name; *last: nothing but slashes may follow. "" at the end. */
static int next_name(struct walk *w, char name[NAME_MAX + 1], bool *last)
{
	char *from = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(from, "/");

	if (len > NAME_MAX)
		return system_says(w->why, -ENAMETOOLONG);
	memcpy(name, from, len);
	name[len] = 0;
	from += len;
	*last = from[strspn(from, "/")] == 0;
	memmove(w->rest, from, strlen(from) + 1);
	return 0;
}

/* A link of the kernel's own (/proc/self/fd/1) is no text that could be followed here. */
static bool is_kernels(int link_fd)
{
	struct statfs fs;

	return !fstatfs(link_fd, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

static int follow(struct walk *w, int link_fd)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(link_fd, "", target, sizeof(target) - 1);
	size_t rest = strlen(w->rest);

	if (n <= 0)
		return system_says(w->why, n ? -errno : -ENOENT);
	if (++w->links > MAX_LINKS)
		return system_says(w->why, -ELOOP);
	if ((size_t)n + rest + 1 >= sizeof(w->rest))
		return system_says(w->why, -ENAMETOOLONG);
	target[n] = 0;
	memmove(w->rest + n, w->rest, rest + 1); /* begins with a slash, or is empty */
	memcpy(w->rest, target, (size_t)n);
	if (*target != '/')
		return 0;
	return step_to(w, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/*
 * What `name` in the folder is: an O_PATH descriptor with *st of it, never of a symbolic link but
 * behind one of the kernel's own (*kernel). -EAGAIN: it was a link, and the walk goes on with where
 * that leads to. Another negative errno: the reason is told.
 */
static int look(struct walk *w, const char *name, struct stat *st, int *kernel)
{
	/* As a folder first, which has one that is mounted on demand mounted. */
	int fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC), err;

	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
		fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	*kernel = 0;
	if (fd < 0)
		return system_says(w->why, -errno);
	if (fstat(fd, st)) {
		err = system_says(w->why, -errno);
		close(fd);
		return err;
	}
	if (!S_ISLNK(st->st_mode))
		return fd;
	if (!is_trusted(st->st_uid)) {
		err = because(w->why, -ELOOP,
			      "'%s' is a symbolic link of user %u, which is not followed", name,
			      (unsigned int)st->st_uid);
	} else if (is_kernels(fd)) {
		int behind = openat(w->fd, name, O_PATH | O_CLOEXEC);

		*kernel = 1;
		if (behind >= 0 && !fstat(behind, st)) {
			close(fd);
			return behind;
		}
		err = system_says(w->why, -errno);
		if (behind >= 0)
			close(behind);
	} else {
		err = follow(w, fd);
		err = err ? err : -EAGAIN;
	}
	close(fd);
	return err;
}

/* Others than our own group. */
static bool is_shared(const struct stat *st)
{
	return st->st_mode & S_IWOTH || (st->st_mode & S_IWGRP && st->st_gid != getegid());
}

/* Who else can put another folder in the place of what is below. */
static int check_above(const struct walk *w, const char *name, const struct stat *st)
{
	if (!w->held && !is_trusted(st->st_uid))
		return because(w->why, -EPERM, "the folder '%s' belongs to user %u", name,
			       (unsigned int)st->st_uid);
	if (is_shared(st) && !(st->st_mode & S_ISVTX))
		return because(w->why, -EPERM,
			       "others may write into the folder '%s', whose mode is %04o "
			       "(chmod go-w, or +t where it is above)",
			       name, (unsigned int)st->st_mode & 07777);
	return 0;
}

/* A component that must be a folder. */
static int enter(struct walk *w, const char *name)
{
	struct stat st;
	int kernel, fd = look(w, name, &st, &kernel), err = 0;

	if (fd == -EAGAIN)
		return 0;
	if (fd < 0)
		return fd;
	if (!S_ISDIR(st.st_mode))
		err = system_says(w->why, -ENOTDIR);
	else if (w->above)
		err = check_above(w, name, &st);
	if (!err)
		return step_to(w, fd);
	close(fd);
	return err;
}

/* ---- folders ---------------------------------------------------------------------------------- */

int safe_check_folder(int fd, enum safe_folder kind, char why[SAFE_WHY_LEN])
{
	struct stat st;

	if (fstat(fd, &st))
		return system_says(why, -errno);
	if (kind == SAFE_KEPT && !is_trusted(st.st_uid))
		return because(why, -EPERM,
			       "the folder belongs to user %u (run as that user, or give another)",
			       (unsigned int)st.st_uid);
	if (kind == SAFE_KEPT && is_shared(&st))
		return because(why, -EPERM,
			       "others may write into the folder, whose mode is %04o (chmod go-w)",
			       (unsigned int)st.st_mode & 07777);
	if (kind == SAFE_TEMP && is_shared(&st) && !(st.st_mode & S_ISVTX) && !geteuid())
		return because(why, -EPERM,
			       "others may write into the folder, whose mode is %04o, and root "
			       "writes nothing there (chmod go-w, or +t)",
			       (unsigned int)st.st_mode & 07777);
	return 0;
}

/* From the root also where the path begins at the current folder: that has folders above it too. */
static int begin_at_root(struct walk *w, const char *path, char *why)
{
	char whole[2 * PATH_MAX], cwd[PATH_MAX];

	if (*path && *path != '/') {
		if (!getcwd(cwd, sizeof(cwd)))
			return system_says(why, -errno);
		snprintf(whole, sizeof(whole), "%s/%s", cwd, path);
		path = whole;
	}
	return begin(w, path, why);
}

/*
 * Another program that begins at the same moment may have made it since: then it is one that was there.
 * Where the new one is not ours (NFS that takes root for nobody) it does not stay.
 */
static int make(struct walk *w, const char *name)
{
	struct stat st;

	if (mkdirat(w->fd, name, 0750))
		return errno == EEXIST ? enter(w, name) : system_says(w->why, -errno);
	if (!fstatat(w->fd, name, &st, AT_SYMLINK_NOFOLLOW) && is_trusted(st.st_uid))
		return enter(w, name);
	unlinkat(w->fd, name, AT_REMOVEDIR);
	return because(w->why, -EPERM, "what we make there belongs to another user");
}

int safe_make_folder(const char *path, bool held, char why[SAFE_WHY_LEN])
{
	char name[NAME_MAX + 1];
	struct walk w = {.fd = -1};
	bool last;
	int err = begin_at_root(&w, path, why), fd = -1;

	w.above = true;
	w.held = held;
	while (!err && !(err = next_name(&w, name, &last)) && *name) {
		err = enter(&w, name);
		if (err == -ENOENT && last)
			err = make(&w, name);
	}
	if (!err) {
		fd = openat(w.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		err = fd < 0 ? system_says(why, -errno) : safe_check_folder(fd, SAFE_KEPT, why);
	}
	if (w.fd >= 0)
		close(w.fd);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

/* ---- files ------------------------------------------------------------------------------------ */

/* The last component: *found once it is known what stands there, or that nothing does. */
static int arrive(struct walk *w, struct safe_place *p, bool *found)
{
	int fd = look(w, p->name, &p->st, &p->kernel);

	if (fd == -EAGAIN)
		return 0;
	*found = fd >= 0 || fd == -ENOENT;
	p->there = fd >= 0;
	if (fd >= 0)
		close(fd);
	return *found ? 0 : fd;
}

int safe_find(struct safe_place *p, const char *path, char why[SAFE_WHY_LEN])
{
	bool last, found = false;
	struct walk w;
	int err = begin(&w, path, why);

	*p = (struct safe_place){.folder_fd = -1};
	while (!err && !found && !(err = next_name(&w, p->name, &last))) {
		if (!*p->name)
			err = system_says(why, -EISDIR);
		else if (!last)
			err = enter(&w, p->name);
		else if (*w.rest || !strcmp(p->name, ".") || !strcmp(p->name, ".."))
			err = system_says(why, -EISDIR);
		else
			err = arrive(&w, p, &found);
	}
	if (!err) {
		p->folder_fd = w.fd;
		return 0;
	}
	if (w.fd >= 0)
		close(w.fd);
	return err;
}

void safe_place_release(struct safe_place *p)
{
	if (p->folder_fd >= 0)
		close(p->folder_fd);
	p->folder_fd = -1;
}

int safe_open_file(const char *path, char why[SAFE_WHY_LEN])
{
	struct safe_place p;
	int err = safe_find(&p, path, why), flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int fd;

	if (err)
		return err;
	fd = openat(p.folder_fd, p.name, flags | (p.kernel ? 0 : O_NOFOLLOW));
	err = fd < 0 ? system_says(why, -errno) : fd;
	safe_place_release(&p);
	return err;
}

static int open_new(const struct safe_place *p, char *why)
{
	int flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, fd;

	if (!p->there) {
		int err = safe_check_folder(p->folder_fd, SAFE_TEMP, why);

		if (err)
			return err;
		flags |= O_CREAT | O_EXCL;
	} else if (!p->kernel && !S_ISFIFO(p->st.st_mode)) {
		return because(why, -EEXIST, "it is there already, and is no pipe");
	} else if (!p->kernel && !is_trusted(p->st.st_uid)) {
		return because(why, -EPERM, "it is a pipe of user %u", (unsigned int)p->st.st_uid);
	}
	fd = openat(p->folder_fd, p->name, flags | (p->kernel ? 0 : O_NOFOLLOW), 0640);
	if (fd < 0 && errno == ENXIO)
		return because(why, -ENXIO, "nobody reads the pipe");
	return fd < 0 ? system_says(why, -errno) : fd;
}

int safe_open_new(const char *path, char why[SAFE_WHY_LEN])
{
	struct safe_place p;
	int fd = safe_find(&p, path, why);

	if (fd)
		return fd;
	fd = open_new(&p, why);
	safe_place_release(&p);
	return fd;
}

/* 0 or a negative errno. */
static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return fsync(fd) ? -errno : 0;
}

/* Pipes and devices; and whatever our own standard output is. */
static int write_special(const struct safe_place *p, const void *data, size_t len, char *why)
{
	int flags = O_WRONLY | O_NOCTTY | O_CLOEXEC | (p->kernel ? O_TRUNC : O_NOFOLLOW), fd, err;
	struct stat st;

	if (S_ISDIR(p->st.st_mode))
		return system_says(why, -EISDIR);
	if (!p->kernel && (S_ISFIFO(p->st.st_mode) || S_ISSOCK(p->st.st_mode)) &&
	    !is_trusted(p->st.st_uid))
		return because(why, -EPERM, "it is a pipe or socket of user %u",
			       (unsigned int)p->st.st_uid);
	fd = openat(p->folder_fd, p->name, flags);
	if (fd < 0)
		return system_says(why, -errno);
	if (!fstat(fd, &st) && st.st_ino == p->st.st_ino && st.st_dev == p->st.st_dev)
		err = write_all(fd, data, len);
	else
		err = -ESTALE;
	if (err == -EINVAL || err == -EROFS) /* fsync() on a pipe */
		err = 0;
	close(fd);
	return err ? system_says(why, err) : 0;
}

/* A name that nobody can know before is not needed: one that is taken, by a link too, is passed over. */
static int create_beside(const struct safe_place *p, char temp[NAME_MAX + 1])
{
	for (unsigned int i = 0; i < TRIES; i++) {
		int keep = (int)strnlen(p->name, NAME_MAX - 32), fd;

		snprintf(temp, NAME_MAX + 1, ".%.*s.%d-%u", keep, p->name, (int)getpid(), i);
		fd = openat(p->folder_fd, temp,
			    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd < 0 ? -errno : fd;
	}
	return -EEXIST;
}

static int write_renamed(const struct safe_place *p, const void *data, size_t len, char *why)
{
	char temp[NAME_MAX + 1];
	mode_t mask = umask(0);
	int fd, err;

	umask(mask);
	fd = create_beside(p, temp);
	if (fd < 0)
		return system_says(why, fd);
	err = fchmod(fd, 0666 & ~mask) ? -errno : write_all(fd, data, len);
	if (close(fd) && !err)
		err = -errno;
	if (!err && renameat(p->folder_fd, temp, p->folder_fd, p->name))
		err = -errno;
	if (err) {
		unlinkat(p->folder_fd, temp, 0);
		return system_says(why, err);
	}
	/* So that the rename survives a power cut; not every file system can, so errors do not count. */
	fd = openat(p->folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	return 0;
}

int safe_replace(const char *path, const void *data, size_t len, char why[SAFE_WHY_LEN])
{
	struct safe_place p;
	int err = safe_find(&p, path, why);

	if (err)
		return err;
	if (p.there && (p.kernel || !S_ISREG(p.st.st_mode))) {
		err = write_special(&p, data, len, why);
	} else {
		err = safe_check_folder(p.folder_fd, SAFE_TEMP, why);
		if (!err)
			err = write_renamed(&p, data, len, why);
	}
	safe_place_release(&p);
	return err;
}
