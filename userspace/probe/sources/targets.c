// SPDX-License-Identifier: BSD-2-Clause
/* From the names of disks, network namespaces and cgroups to the kernel's numbers. */
#include "targets.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "userspace/common/clock.h"

static int because(char *why, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static int because(char *why, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, WHY_LEN, fmt, ap);
	va_end(ap);
	return err;
}

/* First line of a sysfs file, without trailing blanks; "" if there is none. */
static void read_line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	size_t n;

	buf[0] = '\0';
	if (!f)
		return;
	if (!fgets(buf, (int)size, f))
		buf[0] = '\0';
	fclose(f);
	for (n = strlen(buf); n && (buf[n - 1] == '\n' || buf[n - 1] == ' '); n--)
		buf[n - 1] = '\0';
}

static void read_attribute(const char *disk, const char *attribute, char *buf, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/block/%s/%s", disk, attribute);
	read_line(path, buf, size);
}

static int64_t disk_size_bytes(const char *disk)
{
	char buf[32];

	read_attribute(disk, "size", buf, sizeof(buf));
	return strtoll(buf, NULL, 10) * 512;
}

/* ---- disks ---- */

/* The head is called nvme1n2, its path by the controller 0 nvme1c0n2. */
size_t disk_paths(const struct disk *d, int fds[], size_t max)
{
	unsigned int subsystem, space, a, b, c;
	struct dirent *e;
	char path[300];
	size_t n = 0;
	int len = 0;
	DIR *dir;

	if (sscanf(d->name, "nvme%un%u%n", &subsystem, &space, &len) != 2 || d->name[len])
		return 0;
	dir = opendir("/sys/block");
	while (dir && n < max && (e = readdir(dir))) {
		len = 0;
		if (sscanf(e->d_name, "nvme%uc%un%u%n", &a, &b, &c, &len) != 3 || e->d_name[len] ||
		    a != subsystem || c != space)
			continue;
		snprintf(path, sizeof(path), "/sys/block/%s/stat", e->d_name);
		fds[n] = open(path, O_RDONLY | O_CLOEXEC);
		n += fds[n] >= 0;
	}
	if (dir)
		closedir(dir);
	return n;
}

static bool has_requests(const struct disk *d)
{
	int fds[MAX_PATHS];
	char path[128];
	size_t n;

	/* Of its queues of requests; a bio-based disk has none. */
	snprintf(path, sizeof(path), "/sys/block/%s/mq", d->name);
	if (!access(path, F_OK))
		return true;
	n = disk_paths(d, fds, MAX_PATHS);
	for (size_t i = 0; i < n; i++)
		close(fds[i]);
	return n > 0;
}

static int disk_attach_sysfs(struct disk *d)
{
	char path[128], buf[32];
	unsigned int major, minor;

	read_attribute(d->name, "dev", buf, sizeof(buf));
	if (sscanf(buf, "%u:%u", &major, &minor) != 2 || disk_size_bytes(d->name) <= 0)
		return -ENODEV;
	snprintf(path, sizeof(path), "/sys/block/%s/stat", d->name);
	d->stat_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (d->stat_fd < 0)
		return -errno;
	d->dev = major << 20 | minor;
	d->has_requests = has_requests(d);
	return 0;
}

/*
 * What a device node or a link to one is called, to be freed; NULL: as it is. The service sees the
 * links of /dev/disk but not the nodes they lead to, whose names are all that is wanted of them:
 * "../../sdb" of the link is /dev/sdb.
 */
static char *device_of(const char *name)
{
	char target[PATH_MAX], *real = NULL;
	const char *at = target;
	ssize_t n;

	if (!strchr(name, '/'))
		return NULL;
	real = realpath(name, NULL);
	n = real ? 0 : readlink(name, target, sizeof(target) - 1);
	if (n <= 0)
		return real;
	target[n] = '\0';
	while (!strncmp(at, "../", 3))
		at += 3;
	return strdup(at);
}

int disk_open(struct disk *d, const char *name, char *why)
{
	char *real = device_of(name);
	const char *base = real ? real : name;
	char path[PATH_MAX];
	int err;

	memset(d, 0, sizeof(*d));
	d->stat_fd = -1;
	if (!strncmp(base, "/dev/", 5))
		base += 5;
	if (!*base || strlen(base) >= sizeof(d->name)) {
		err = because(why, -ENODEV, "'%s' is not a disk", name);
		goto out;
	}
	strcpy(d->name, base);
	for (char *c = d->name; *c; c++)
		if (*c == '/')
			*c = '!'; /* as sysfs spells it */
	snprintf(path, sizeof(path), "/sys/block/%s", d->name);
	if (access(path, F_OK)) {
		snprintf(path, sizeof(path), "/sys/class/block/%s/partition", d->name);
		err = access(path, F_OK)
			      ? because(why, -ENODEV, "no disk '%s' (see /sys/block)", name)
			      : because(why, -EINVAL, "'%s' is a partition; give the whole disk",
					name);
		goto out;
	}
	err = disk_attach_sysfs(d);
	if (err)
		because(why, err, "disk '%s' has no medium or no statistics", name);
out:
	free(real);
	return err;
}

void disk_close(struct disk *d)
{
	if (d->stat_fd >= 0)
		close(d->stat_fd);
	d->stat_fd = -1;
}

/* Made of other disks (dm, md, bcache), which are watched themselves: no I/O shall count twice. */
static bool is_stacked(const char *disk)
{
	char path[PATH_MAX];
	struct dirent *e;
	bool any = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/block/%s/slaves", disk);
	dir = opendir(path);
	while (dir && !any && (e = readdir(dir)))
		any = e->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return any;
}

/* By its name: a disk that a server would have. */
static bool is_usual(const char *name)
{
	static const char *const not_servers[] = {"loop", "ram", "zram", "sr", "fd", "nbd"};

	for (size_t i = 0; i < sizeof(not_servers) / sizeof(*not_servers); i++)
		if (!strncmp(name, not_servers[i], strlen(not_servers[i])))
			return false;
	return *name != '.';
}

bool disk_is_away(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/block/%s", name);
	return is_usual(name) && access(path, F_OK);
}

int disk_find_all(int (*fn)(void *arg, struct disk *d), void *arg)
{
	DIR *dir = opendir("/sys/block");
	char why[WHY_LEN];
	struct dirent *e;
	int stop = 0;

	if (!dir)
		return -errno;
	while (!stop && (e = readdir(dir))) {
		struct disk found;

		if (is_usual(e->d_name) && !is_stacked(e->d_name) &&
		    !disk_open(&found, e->d_name, why))
			stop = fn(arg, &found);
	}
	closedir(dir);
	return stop;
}

#define STAT_FIELDS 17 /* Documentation/block/stat.rst: 11 up to 4.17, 15 up to 5.4 */

static void stat_to_counters(const uint64_t v[STAT_FIELDS], int got, struct disk_counters *c)
{
	static const int first[] = {[OP_READ] = 0, [OP_WRITE] = 4, [OP_DISCARD] = 11};
	static const int fields[] = {[OP_DISCARD] = 15, [OP_FLUSH] = 17};

	for (int op = OP_READ; op <= OP_DISCARD; op++) {
		c->ios[op] = v[first[op]];
		c->merges[op] = v[first[op] + 1];
		c->sectors[op] = v[first[op] + 2];
		c->ns[op] = v[first[op] + 3] * NS_PER_MS;
	}
	c->ios[OP_FLUSH] = v[15];
	c->ns[OP_FLUSH] = v[16] * NS_PER_MS;
	c->merges[OP_FLUSH] = c->sectors[OP_FLUSH] = 0;
	c->in_flight = v[8];
	c->io_ticks = v[9];
	for (int op = OP_DISCARD; op <= OP_FLUSH; op++)
		if (got < fields[op])
			c->ios[op] = c->merges[op] = c->sectors[op] = c->ns[op] = UNKNOWN;
}

int disk_read_stat(struct disk *d, struct disk_counters *c)
{
	char buf[512], *at = buf, *end;
	ssize_t n = d->stat_fd < 0 ? -1 : pread(d->stat_fd, buf, sizeof(buf) - 1, 0);
	uint64_t v[STAT_FIELDS] = {0};
	int got = 0;

	if (n > 0) {
		buf[n] = '\0';
		for (; got < STAT_FIELDS; got++, at = end) {
			v[got] = strtoull(at, &end, 10);
			if (end == at)
				break;
		}
		if (got >= 11 && disk_size_bytes(d->name) > 0) {
			stat_to_counters(v, got, c);
			return 0;
		}
	}
	disk_close(d);
	return -ENODEV;
}

void disk_poke(const struct disk *d)
{
	char buf[512];

	if (d->stat_fd >= 0 && pread(d->stat_fd, buf, sizeof(buf), 0) < 0)
		return; /* gone: the sweep will tell */
}

bool disk_came_back(struct disk *d)
{
	return d->stat_fd < 0 && !disk_attach_sysfs(d);
}

void disk_identity(const char *name, struct device_identity *id)
{
	char buf[32];

	memset(id, 0, sizeof(*id));
	id->family = FAM_DISK;
	snprintf(id->name, sizeof(id->name), "%s", name);
	read_attribute(name, "device/model", id->model, sizeof(id->model));
	read_attribute(name, "device/firmware_rev", id->firmware, sizeof(id->firmware));
	if (!id->firmware[0])
		read_attribute(name, "device/rev", id->firmware, sizeof(id->firmware));
	read_attribute(name, "queue/rotational", buf, sizeof(buf));
	id->rotational = buf[0] == '1' ? 1 : buf[0] == '0' ? 0 : -1;
	id->size_bytes = disk_size_bytes(name);
	id->speed_mbps = -1;
}

/* ---- network namespaces ---- */

int netns_open(struct netns *n, const char *name, char *why)
{
	char path[PATH_MAX];
	struct statfs fs;
	struct stat st;
	int own = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);

	n->fd = -1;
	if (own < 0 || fstat(own, &st))
		return because(why, -errno, "cannot open '/proc/thread-self/ns/net': %s",
			       strerror(errno));
	n->inum = (uint32_t)st.st_ino;
	close(own);
	if (!name)
		return 0;
	snprintf(path, sizeof(path), "%s%s", strchr(name, '/') ? "" : "/run/netns/", name);
	n->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (n->fd < 0)
		return because(why, -errno, "no network namespace '%s': cannot open '%s': %s", name,
			       path, strerror(errno));
	if (fstatfs(n->fd, &fs) || fs.f_type != NSFS_MAGIC || fstat(n->fd, &st) ||
	    ioctl(n->fd, NS_GET_NSTYPE) != CLONE_NEWNET) {
		netns_close(n);
		return because(why, -EINVAL, "'%s' is not a network namespace", path);
	}
	n->inum = (uint32_t)st.st_ino;
	return 0;
}

void netns_close(struct netns *n)
{
	if (n->fd >= 0)
		close(n->fd);
	n->fd = -1;
}

/* Opens something inside the namespace; what it is stays that namespace's. */
struct opening {
	const char *path; /* NULL: a socket */
	int domain, type, protocol;
};

static int netns_make(const struct netns *n, const struct opening *o)
{
	int own = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	int fd;

	if (own < 0)
		return -errno;
	if (n->fd >= 0 && setns(n->fd, CLONE_NEWNET)) {
		fd = -errno;
		goto out;
	}
	fd = o->path ? open(o->path, O_RDONLY | O_CLOEXEC)
		     : socket(o->domain, o->type | SOCK_CLOEXEC, o->protocol);
	if (fd < 0)
		fd = -errno;
	if (n->fd >= 0 && setns(own, CLONE_NEWNET)) {
		if (fd >= 0)
			close(fd);
		fd = -errno;
	}
out:
	close(own);
	return fd;
}

int netns_open_proc(const struct netns *n, const char *file)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/thread-self/net/%s", file);
	return netns_make(n, &(struct opening){.path = path});
}

/* "TCP: inuse N …", and "TCP6: inuse N". */
static size_t in_use(const struct netns *n, const char *file, const char *protocol)
{
	int fd = netns_open_proc(n, file);
	char text[512], *at;
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (got <= 0)
		return 0;
	text[got] = '\0';
	at = strstr(text, protocol);
	return at ? strtoul(at + strlen(protocol), NULL, 10) : 0;
}

size_t netns_connections(const struct netns *n)
{
	return in_use(n, "sockstat", "\nTCP: inuse ") + in_use(n, "sockstat6", "TCP6: inuse ");
}

int netns_socket(const struct netns *n, int domain, int type, int protocol)
{
	return netns_make(n, &(struct opening){NULL, domain, type, protocol});
}

/* ---- cgroups ---- */

/*
 * The kernel knows a group by its depth below the root of its hierarchy: count the folders between
 * the path and the first folder up that is no cgroup or another hierarchy. Inside a cgroup
 * namespace that would count from the namespace's root, so the probe belongs in the initial one.
 * `root`: how much of the path is the hierarchy's root.
 */
static int cgroup_level(const char *real, dev_t dev, uint32_t *level, size_t *root)
{
	char up[PATH_MAX];
	struct statfs fs;
	struct stat st;

	snprintf(up, sizeof(up), "%s", real);
	for (*level = 0;; (*level)++) {
		char *slash = strrchr(up, '/');

		*root = strlen(up);
		if (!slash || slash == up)
			return 0;
		*slash = '\0';
		if (statfs(up, &fs) || stat(up, &st))
			return -errno;
		if ((fs.f_type != CGROUP_SUPER_MAGIC && fs.f_type != CGROUP2_SUPER_MAGIC) ||
		    st.st_dev != dev)
			return 0;
	}
}

static bool has_block_controller(const char *cgroup, bool v1)
{
	char path[PATH_MAX], controllers[256];

	if (v1) {
		snprintf(path, sizeof(path), "%s/blkio.reset_stats", cgroup);
		return !access(path, F_OK);
	}
	snprintf(path, sizeof(path), "%s/cgroup.controllers", cgroup);
	read_line(path, controllers, sizeof(controllers));
	for (char *save, *word = strtok_r(controllers, " ", &save); word;
	     word = strtok_r(NULL, " ", &save))
		if (!strcmp(word, "io"))
			return true;
	return false;
}

int cgroup_ref_open(struct cgroup_ref *c, const char *path, char *why)
{
	char *real = realpath(path, NULL);
	struct statfs fs;
	struct stat st;
	size_t root;
	int err = 0;

	if (!real || statfs(real, &fs) || stat(real, &st)) {
		err = because(why, -errno, "no cgroup '%s': %s", path, strerror(errno));
	} else if (fs.f_type != CGROUP_SUPER_MAGIC && fs.f_type != CGROUP2_SUPER_MAGIC) {
		err = because(why, -EINVAL, "'%s' is not a cgroup folder", path);
	} else {
		c->v1 = fs.f_type == CGROUP_SUPER_MAGIC;
		c->id = st.st_ino;
		snprintf(c->folder, sizeof(c->folder), "%s", real);
		err = cgroup_level(real, st.st_dev, &c->level, &root);
		if (!err)
			snprintf(c->path, sizeof(c->path), "%s", c->level ? real + root : "/");
	}
	c->requests = !err && has_block_controller(real, c->v1);
	/* A hierarchy of v2 without it is for sockets; one with it must hand it down to the group. */
	if (!err && !c->requests) {
		real[root] = '\0';
		if (c->v1 || has_block_controller(real, false))
			err = because(
				why, -EINVAL,
				"'%s' is not in the hierarchy that has the block controller (%s)",
				path,
				c->v1 ? "look under /sys/fs/cgroup/blkio"
				      : "for a systemd service: systemctl set-property UNIT "
					"IOAccounting=yes");
	}
	free(real);
	return err;
}

bool cgroup_ref_is_new(struct cgroup_ref *c)
{
	struct stat st;

	if (stat(c->folder, &st) || st.st_ino == c->id)
		return false;
	c->id = st.st_ino;
	return true;
}
