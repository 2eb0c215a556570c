// SPDX-License-Identifier: BSD-2-Clause
/*
 * The files that stay within reach, by Landlock: whoever the probe runs as, root too, opens nothing
 * but what is listed here. Without a wrapper in glibc, and with the names of later kernels than the
 * headers of Debian 12 know: what this kernel does not know is not asked of it, as the kernel's
 * Documentation/userspace-api/landlock.rst has it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rights.h"

#define READ_FILE   LANDLOCK_ACCESS_FS_READ_FILE
#define READ_DIR    LANDLOCK_ACCESS_FS_READ_DIR
#define ALL_OF_ABI1 ((1ULL << 13) - 1) /* from EXECUTE to MAKE_SYM */
#define REFER	    (1ULL << 13)       /* since ABI 2 (Linux 5.19): links from folder to folder */
#define TRUNCATE    (1ULL << 14)       /* 3 (6.2) */
#define IOCTL_DEV   (1ULL << 15)       /* 5 (6.10) */
#define TCP	    3ULL	       /* 4 (6.7): bind and connect */
#define SCOPES	    3ULL	       /* 6 (6.12): abstract unix sockets and signals */

/* struct landlock_ruleset_attr as of ABI 6; an older kernel takes it where the rest is 0. */
struct ruleset {
	uint64_t fs, net, scoped;
};

/* SQLite makes, reads, writes, cuts and removes files there; the old day's are looked for. */
#define FOLDER                                                                                \
	(READ_FILE | READ_DIR | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | TRUNCATE)

static const struct {
	const char *path;
	uint64_t access;
} readable[] = {
	{"/proc", READ_FILE | READ_DIR}, /* cgroups and start of processes that come */
	{"/sys", READ_FILE | READ_DIR},	 /* disks that come and come back */
	{"/dev/urandom", READ_FILE},	 /* what SQLite salts its log with */
};

static struct ruleset handled(int abi)
{
	struct ruleset a = {.fs = ALL_OF_ABI1};

	if (abi >= 2)
		a.fs |= REFER;
	if (abi >= 3)
		a.fs |= TRUNCATE;
	if (abi >= 4)
		a.net = TCP;
	if (abi >= 5)
		a.fs |= IOCTL_DEV;
	if (abi >= 6)
		a.scoped = SCOPES;
	return a;
}

static int allow(int ruleset, int fd, uint64_t access)
{
	struct landlock_path_beneath_attr a = {.allowed_access = access, .parent_fd = fd};

	return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &a, 0) ? -errno
											  : 0;
}

static int allow_path(int ruleset, const char *path, uint64_t access)
{
	int fd = open(path, O_PATH | O_CLOEXEC), err;

	if (fd < 0) /* what is not there cannot be read */
		return errno == ENOENT ? 0 : -errno;
	err = allow(ruleset, fd, access);
	close(fd);
	return err;
}

int rights_landlock_new(int folder, int options, int *abi)
{
	long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	struct ruleset a;
	int ruleset, err = 0;

	/* Not built in, not among the modules the kernel was booted with, or forbidden. */
	*abi = version > 0 ? (int)version : 0;
	if (!*abi)
		return -1;
	a = handled(*abi);
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &a, sizeof(a), 0);
	if (ruleset < 0)
		return -errno;
	for (size_t i = 0; !err && i < sizeof(readable) / sizeof(*readable); i++)
		err = allow_path(ruleset, readable[i].path, readable[i].access);
	if (!err && folder >= 0)
		err = allow(ruleset, folder, FOLDER & a.fs);
	if (!err && options >= 0)
		err = allow(ruleset, options, READ_FILE);
	if (!err)
		return ruleset;
	close(ruleset);
	return err;
}

int rights_landlock_enter(int ruleset)
{
	if (ruleset < 0)
		return 0;
	return syscall(SYS_landlock_restrict_self, ruleset, 0) ? -errno : 0;
}
