// SPDX-License-Identifier: BSD-2-Clause
/*
 * One writer per host and folder: .HOST.lock in the folder, held with flock(2), so that it dies
 * with its process and no stale one can keep a writer out. A file of its own, since SQLite takes
 * fcntl(2) locks on the database and NFS makes one kind of both.
 */
#include "series_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* Not when the folder was moved away or the lock file was removed. */
static int is_ours(const struct series_writer *w)
{
	struct stat held, there;

	return w->lock_fd >= 0 && !fstat(w->lock_fd, &held) && !stat(w->lock_path, &there) &&
	       held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

static int refused(const struct series_writer *w)
{
	char pid[16] = "";
	ssize_t n = pread(w->lock_fd, pid, sizeof(pid) - 1, 0);

	pid[n > 0 ? strspn(pid, "0123456789") : 0] = 0;
	return series_fail(-EBUSY,
			   "cannot write in '%s': another probe%s%s already writes the series of "
			   "host '%s' there (give one of them another --host or folder)",
			   w->dir, *pid ? ", process " : "", pid, w->host);
}

int series_lock_take(struct series_writer *w)
{
	int err;

	/* Again when it was removed between open() and flock(): by a writer that ended. */
	while (!is_ours(w)) {
		if (w->lock_fd >= 0)
			close(w->lock_fd);
		w->lock_fd = open(w->lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
		if (w->lock_fd < 0)
			return series_fail(-errno, "cannot write in '%s': %s", w->dir,
					   strerror(errno));
		if (flock(w->lock_fd, LOCK_EX | LOCK_NB)) {
			err = errno == EWOULDBLOCK ? refused(w)
						   : series_fail(-errno, "cannot lock '%s': %s",
								 w->lock_path, strerror(errno));
			close(w->lock_fd);
			w->lock_fd = -1;
			return err;
		}
		/* For refused(); a full disk is no reason to fail here. The width makes it cover
		 * what a killed writer left. */
		dprintf(w->lock_fd, "%-10d\n", (int)getpid());
	}
	return 0;
}

void series_lock_drop(struct series_writer *w)
{
	if (is_ours(w))
		unlink(w->lock_path);
	if (w->lock_fd >= 0)
		close(w->lock_fd);
	w->lock_fd = -1;
}
