// SPDX-License-Identifier: BSD-2-Clause
/*
 * slowdisk: an nbdkit plugin that makes a sparse file behave like a disk with one head.
 *
 * Used by tools/testbed, in this stack:
 *
 *	image file -> slowdisk (nbdkit) -> nbdfuse -> loop device -> I/O scheduler -> ext4
 *
 * so that await, queue depth and utilisation in the kernel's disk statistics are those of a slow
 * disk, on a machine that has only fast ones. All connections share the head: who connects a
 * second time keeps the disk busy without passing through the server's own block device.
 *
 * Service time = FIXED + seek + length / RATE, first come first served:
 *
 *	contiguous with the last request	no seek
 *	within NEAR_BYTES of it			the gap passes under the head, at RATE
 *	elsewhere				SEEK x 0.4..1.6, growing with the distance
 *
 * Plugin parameters: file= (the image), size=, params= (a file with three numbers, "RATE SEEK
 * FIXED": MB/s, microseconds, microseconds). Replace the params file to change a live disk.
 */
#define NBDKIT_API_VERSION 2
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <nbdkit-plugin.h>

#define THREAD_MODEL NBDKIT_THREAD_MODEL_PARALLEL
#define UNUSED	     __attribute__((unused))
#define NSEC_PER_SEC 1000000000LL

/* FUSE and nbdkit serve requests with several threads, so a sequential stream arrives slightly out
 * of order; that must not cost a seek each time. */
#define NEAR_BYTES (1 << 20)

static char *image_path, *params_path;
static int64_t disk_bytes;
static char *image;

/* The head, and what it needs to know: all under head_lock. */
static pthread_mutex_t head_lock = PTHREAD_MUTEX_INITIALIZER;
static double rate_mbps = 80; /* 1 MB/s moves one byte a microsecond */
static double seek_us = 5000;
static double fixed_us = 100;
static struct timespec params_mtime;
static ino_t params_ino;
static uint64_t last_end;
static int64_t head_free_ns; /* when the head has served all it was given */

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/* Reads the params file if it was replaced. One that cannot be parsed is looked at again by the
 * next request, so a half-written file is never taken for the final word. */
static void reload_params(void)
{
	double rate, seek, fixed;
	struct stat st;
	FILE *f;

	if (!params_path || stat(params_path, &st))
		return;
	if (st.st_ino == params_ino && st.st_mtim.tv_sec == params_mtime.tv_sec &&
	    st.st_mtim.tv_nsec == params_mtime.tv_nsec)
		return;
	f = fopen(params_path, "re");
	if (!f)
		return;
	if (fscanf(f, "%lf %lf %lf", &rate, &seek, &fixed) == 3 && rate > 0 && seek >= 0 &&
	    fixed >= 0) {
		rate_mbps = rate;
		seek_us = seek;
		fixed_us = fixed;
		params_ino = st.st_ino;
		params_mtime = st.st_mtim;
	}
	fclose(f);
}

static double travel_us(uint64_t offset)
{
	uint64_t gap = offset > last_end ? offset - last_end : last_end - offset;
	double seek = seek_us * (0.4 + 1.2 * (double)gap / (double)disk_bytes);

	if (!gap)
		return 0;
	if (gap <= NEAR_BYTES && (double)gap / rate_mbps < seek)
		return (double)gap / rate_mbps;
	return seek;
}

/* Queues one request behind those that came before; returns the time at which it is done. */
static int64_t head_reserve(uint32_t len, uint64_t offset)
{
	int64_t now, done;
	double us;

	pthread_mutex_lock(&head_lock);
	reload_params();
	us = fixed_us + travel_us(offset) + len / rate_mbps;
	last_end = offset + len;
	now = now_ns();
	if (head_free_ns < now)
		head_free_ns = now;
	head_free_ns += (int64_t)(us * 1000);
	done = head_free_ns;
	pthread_mutex_unlock(&head_lock);
	return done;
}

static void sleep_until(int64_t ns)
{
	struct timespec ts = {.tv_sec = ns / NSEC_PER_SEC, .tv_nsec = ns % NSEC_PER_SEC};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

static int slowdisk_config(const char *key, const char *value)
{
	if (!strcmp(key, "size")) {
		disk_bytes = nbdkit_parse_size(value);
		return disk_bytes > 0 ? 0 : -1;
	}
	if (!strcmp(key, "file")) {
		image_path = nbdkit_absolute_path(value);
		return image_path ? 0 : -1;
	}
	if (!strcmp(key, "params")) {
		params_path = nbdkit_absolute_path(value);
		return params_path ? 0 : -1;
	}
	nbdkit_error("unknown parameter '%s'", key);
	return -1;
}

static int slowdisk_config_complete(void)
{
	if (image_path && disk_bytes > 0)
		return 0;
	nbdkit_error("file= and size= are needed");
	return -1;
}

static int slowdisk_get_ready(void)
{
	int fd = open(image_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0) {
		nbdkit_error("cannot open '%s': %m", image_path);
		return -1;
	}
	if (ftruncate(fd, disk_bytes)) {
		nbdkit_error("cannot size '%s': %m", image_path);
		close(fd);
		return -1;
	}
	image = mmap(NULL, disk_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (image == MAP_FAILED) {
		nbdkit_error("cannot map '%s': %m", image_path);
		return -1;
	}
	return 0;
}

static void slowdisk_unload(void)
{
	free(image_path);
	free(params_path);
}

static void *slowdisk_open(int readonly UNUSED)
{
	return NBDKIT_HANDLE_NOT_NEEDED;
}

static int64_t slowdisk_get_size(void *handle UNUSED)
{
	return disk_bytes;
}

/* The copy comes before the sleep: a page fault on the image then hides in the service time, where
 * it would otherwise add the noise of the machine's real disk. */
static int slowdisk_pread(void *handle UNUSED, void *buf, uint32_t len, uint64_t offset,
			  uint32_t flags UNUSED)
{
	int64_t done = head_reserve(len, offset);

	memcpy(buf, image + offset, len);
	sleep_until(done);
	return 0;
}

static int slowdisk_pwrite(void *handle UNUSED, const void *buf, uint32_t len, uint64_t offset,
			   uint32_t flags UNUSED)
{
	int64_t done = head_reserve(len, offset);

	memcpy(image + offset, buf, len);
	sleep_until(done);
	return 0;
}

/* Nothing outlives the testbed, so there is nothing to make durable. */
static int slowdisk_flush(void *handle UNUSED, uint32_t flags UNUSED)
{
	return 0;
}

static int slowdisk_can_multi_conn(void *handle UNUSED)
{
	return true;
}

static struct nbdkit_plugin plugin = {
	.name = "slowdisk",
	.longname = "a disk with one head, for limpet's testbed",
	.config = slowdisk_config,
	.config_complete = slowdisk_config_complete,
	.config_help = "file=<IMAGE> size=<SIZE> [params=<FILE with RATE SEEK FIXED>]",
	.magic_config_key = "file",
	.get_ready = slowdisk_get_ready,
	.unload = slowdisk_unload,
	.open = slowdisk_open,
	.get_size = slowdisk_get_size,
	.pread = slowdisk_pread,
	.pwrite = slowdisk_pwrite,
	.flush = slowdisk_flush,
	.can_multi_conn = slowdisk_can_multi_conn,
};

NBDKIT_REGISTER_PLUGIN(plugin)
