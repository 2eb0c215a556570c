/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file is written where only we may put it. Whoever may write into a folder on the way (/tmp) can
 * leave a symbolic link there that sends what is written to another file; the kernel's
 * fs.protected_symlinks hinders that in sticky folders only, and only where it is switched on. So
 * paths are walked here, component by component, with the folder held open:
 *
 *   - a symbolic link, at any place of the path, is followed if it is ours (the effective user's) or
 *     root's, else refused; the kernel's own links (/proc/self/fd/1, so /dev/stdout) are followed;
 *   - as root, nothing is written into a folder that others may write (its mode has write for others, or
 *     for a group that is not our own; with an ACL the group's bits are its mask) unless it is sticky, as
 *     /tmp is. In a
 *     sticky one a file can be made anew or replaced, but not one of another user's be written into.
 *
 * A folder is a file descriptor from then on: what is renamed or linked afterwards does not matter.
 * Functions return 0 or more, or a negative errno with the reason as a sentence without the path in
 * `why`, which is as it came from the file system: clean it before it is printed (warn() does).
 */
#ifndef LIMPET_SAFE_OPEN_H
#define LIMPET_SAFE_OPEN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum { SAFE_WHY_LEN = NAME_MAX + 160 };

enum safe_folder {
	SAFE_TEMP, /* one file is replaced in it in one step: the rules above */
	SAFE_KEPT, /* files in it are continued: nobody but its owner may write it, not even if it
		    * is sticky, and its owner is we or root; also where we are not root */
};

/*
 * The folder at path, of SAFE_KEPT, open for openat() and the like; for a program that opens files there for
 * as long as it runs: whoever may put another folder in the place of this one, or of one above, decides
 * what it opens. So each folder on the way, from the root, is one that others may not write, or a sticky
 * one above the last; and it is ours or root's, unless `held`: no file but those of the folder that is
 * opened here will be within reach (Landlock), and then its owner can but end what is written there.
 * Where just the last is missing, it is made, with mode 0750 less the umask. Negative: -ELOOP a link that is
 * not followed, or too many; -EPERM others may write it.
 */
int safe_make_folder(const char *path, bool held, char why[SAFE_WHY_LEN]);

/* The rules of its kind, for a folder that is open already. 0 or -EPERM. */
int safe_check_folder(int fd, enum safe_folder kind, char why[SAFE_WHY_LEN]);

/*
 * Where the last component of a path is, links followed. With folder_fd and name a file is made by
 * openat(…, O_CREAT | O_EXCL | O_NOFOLLOW) or renameat(). The folder is not checked yet. Closed by
 * safe_place_release().
 */
struct safe_place {
	int folder_fd;
	char name[NAME_MAX + 1];
	int there;  /* st is of what stands there */
	int kernel; /* it stands behind one of the kernel's own links: open it by name */
	struct stat st;
};

int safe_find(struct safe_place *p, const char *path, char why[SAFE_WHY_LEN]);
void safe_place_release(struct safe_place *p);

/* Opens a file for reading under the same rules of links, without waiting for who writes into a pipe
 * (O_NONBLOCK). -ENOENT: there is none. */
int safe_open_file(const char *path, char why[SAFE_WHY_LEN]);

/*
 * Opens for writing, without waiting (O_NONBLOCK): a file that is made here, of mode 0640 less the umask, or a pipe
 * that is there and ours or root's, or what stands behind one of the kernel's own links. -EEXIST: a file is there;
 * -ENXIO: nobody reads the pipe.
 */
int safe_open_new(const char *path, char why[SAFE_WHY_LEN]);

/*
 * Writes len bytes to path: into a temporary file beside it, synced and renamed, so that after any
 * failure what was at path is still there. Pipes and devices cannot be replaced and are written as
 * they are; of pipes and sockets only those that are ours or root's. A new file has mode 0666
 * without the umask.
 */
int safe_replace(const char *path, const void *data, size_t len, char why[SAFE_WHY_LEN]);

#endif
