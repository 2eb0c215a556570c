// SPDX-License-Identifier: BSD-2-Clause
/*
 * loopdev add N | remove N: makes or removes /dev/loopN. losetup can only take the lowest free
 * number; a test that takes a loop device away and gives it back needs one nobody else will grab.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

int main(int argc, char **argv)
{
	int add = argc == 3 && !strcmp(argv[1], "add"), fd;

	if (!add && (argc != 3 || strcmp(argv[1], "remove"))) {
		fprintf(stderr, "usage: loopdev add|remove N\n");
		return 2;
	}
	fd = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (fd >= 0 && ioctl(fd, add ? LOOP_CTL_ADD : LOOP_CTL_REMOVE, atol(argv[2])) >= 0)
		return 0;
	fprintf(stderr, "cannot %s loop%s: %s\n", argv[1], argv[2], strerror(errno));
	return 1;
}
