// SPDX-License-Identifier: BSD-2-Clause
/* Own usual offsets kept between runs, in a JSON file: believes nothing that it reads. */

#include "examine.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/source/frame/frame.h"
#include "userspace/common/json_bounded.h"
#include "analyzer/source/tables/table.h"
#include "userspace/common/options.h"
#include "userspace/common/safe_open.h"
#include "userspace/common/version.h"

/*
 * {"format": "limpet-offsets", "version": 1, "tool": …,
 *  "servers": {SERVER: {DISK: {SIGNAL: OFFSET}}}}
 *
 * DISK is "" for what is measured of the server itself, SIGNAL a word of the table of signals, OFFSET
 * the natural logarithm of the ratio to the peers. A word that is no signal (of another version) is
 * passed over; everything else that is not as above is refused.
 */
enum { OFFSETS_VERSION = 1 };

/* 100,000 servers with 20 signals of 40 bytes each are 80 MB. */
#define BYTES_MAX (128u << 20)
/* Those a probe tells apart, the one for all others, and as many that were replaced. */
enum { DISKS_MAX = 2 * MAX_DISKS + 2 };
/* An offset is clipped to ln 1.5 when it is learned; a ratio of more than e is none. */
#define OFFSET_MAX 1.0

static int __attribute__((format(printf, 2, 3))) refuse(const char *path, const char *fmt, ...)
{
	char why[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return fail("cannot use the offsets '%s': %s (without it they are learned anew)", path,
		    why);
}

/* ---- reading ---------------------------------------------------------------------------------------- */

static int check_disk(const char *path, const char *server, const char *disk, json_t *signals_of)
{
	const char *word;
	json_t *v;

	if (strlen(disk) >= INSTANCE_LEN || !json_is_object(signals_of))
		return refuse(path,
			      "'%s' has something else than an offset for each signal of a disk",
			      server);
	json_object_foreach(signals_of, word, v) {
		double x = json_number_value(v);

		if (!json_is_number(v) || !(x >= 0 && x <= OFFSET_MAX))
			return refuse(path, "'%.32s' of '%s' is not a number from 0 to %g", word,
				      server, OFFSET_MAX);
	}
	return 0;
}

static int check_offsets(const char *path, json_t *root)
{
	const char *format = json_string_value(json_object_get(root, "format"));
	json_t *version = json_object_get(root, "version"), *of, *disks;
	json_t *servers = json_object_get(root, "servers");
	const char *server, *disk;
	int err;

	if (!format || strcmp(format, "limpet-offsets") != 0)
		return refuse(path, "it is not a file of offsets");
	if (!json_is_integer(version) || json_integer_value(version) != OFFSETS_VERSION)
		return refuse(path, "it is not of version %d", OFFSETS_VERSION);
	if (!json_is_object(servers) || json_object_size(servers) > SOURCE_HOSTS_MAX)
		return refuse(path, "it has no servers, or more than %d", SOURCE_HOSTS_MAX);
	json_object_foreach(servers, server, disks) {
		if (!*server || name_check(server, strlen(server), HOST_LEN - 1))
			return refuse(path, "one of its servers has no valid name");
		if (!json_is_object(disks) || json_object_size(disks) > DISKS_MAX)
			return refuse(path, "'%s' has no disks, or more than %d", server,
				      DISKS_MAX);
		json_object_foreach(disks, disk, of) {
			err = check_disk(path, server, disk, of);
			if (err)
				return err;
		}
	}
	return 0;
}

/* The checked file. *root NULL where there is none. */
static int read_offsets(const char *path, json_t **root)
{
	char why[JSON_WHY_LEN], cannot[SAFE_WHY_LEN];
	int fd = safe_open_file(path, cannot), err = 0;
	struct stat st;

	*root = NULL;
	if (fd == -ENOENT)
		return 0;
	if (fd < 0) {
		fail("cannot open the offsets '%s': %s", path, cannot);
		return fd;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return refuse(path, "it is not a file");
	}
	*root = json_bounded_read(fd, BYTES_MAX, &err, why);
	close(fd);
	if (!*root) {
		refuse(path, "%s", why);
		return err;
	}
	err = check_offsets(path, *root);
	if (err) {
		json_decref(*root);
		*root = NULL;
	}
	return err;
}

static int set_server(struct robust *r, const char *server, json_t *disks)
{
	const char *disk, *word;
	json_t *of, *v;

	json_object_foreach(disks, disk, of) {
		json_object_foreach(of, word, v) {
			int s = signal_by_word(word);

			if (s >= 0 && robust_set_offset(r, server, disk, (enum signal)s,
							json_number_value(v))) {
				fail("out of memory");
				return -ENOMEM;
			}
		}
	}
	return 0;
}

int offsets_load(struct robust *r, size_t from, const char *path)
{
	json_t *root, *servers;
	int err = read_offsets(path, &root);

	if (err || !root)
		return err;
	servers = json_object_get(root, "servers");
	/* only of servers that are there: others can be many */
	for (size_t i = from; i < robust_nodes(r) && !err; i++) {
		const char *name = robust_node_name(r, i);
		json_t *disks = json_object_get(servers, name);

		if (disks)
			err = set_server(r, name, disks);
	}
	json_decref(root);
	return err;
}

/* ---- writing ---------------------------------------------------------------------------------------- */

/* The object at key, made if it is not there; NULL: out of memory. */
static json_t *object_at(json_t *in, const char *key)
{
	json_t *o = json_object_get(in, key);

	if (!o && !json_object_set_new(in, key, json_object()))
		o = json_object_get(in, key);
	return o;
}

/* What a run has learned, beside what was there. */
struct offsets_merge {
	json_t *servers; /* those before, changed */
	json_t *now;	 /* only those of this run */
};

static int put_offset(json_t *servers, const char *node, const char *disk, enum signal s,
		      double offset)
{
	json_t *o = object_at(object_at(servers, node), disk);

	return json_object_set_new(o, signals[s].word, json_real(offset)) ? -ENOMEM : 0;
}

static int merge_one(void *arg, const char *node, const char *disk, enum signal s, double offset)
{
	struct offsets_merge *m = arg;
	json_t *name = json_string(disk); /* refuses what is not UTF-8, as JSON does */

	json_decref(name);
	if (!name || !isfinite(offset))
		return 0;
	offset = fmin(OFFSET_MAX, fmax(0, offset));
	return put_offset(m->now, node, disk, s, offset)
		       ?: put_offset(m->servers, node, disk, s, offset);
}

/* Disks are replaced, and servers: of what would be too much to be read again only that of this run is
 * kept. */
static int prune(struct offsets_merge *m)
{
	const char *server;
	json_t *disks;

	if (json_object_size(m->servers) > SOURCE_HOSTS_MAX) {
		json_decref(m->servers);
		m->servers = json_incref(m->now);
	}
	json_object_foreach(m->now, server, disks) {
		json_t *was = json_object_get(m->servers, server);

		if (json_object_size(was) > DISKS_MAX && json_object_set(m->servers, server, disks))
			return -ENOMEM;
	}
	return 0;
}

static int write_file(const char *path, json_t *servers)
{
	json_t *root =
		json_pack("{s:s, s:i, s:s, s:O}", "format", "limpet-offsets", "version",
			  OFFSETS_VERSION, "tool", "limpet " LIMPET_VERSION, "servers", servers);

	return json_replace(path, root, 6, true);
}

int offsets_save(const struct robust *r, const char *path)
{
	struct offsets_merge m = {0};
	json_t *root;
	int err = read_offsets(path, &root);

	if (err)
		return err;
	/* servers that are not there today are not forgotten */
	m.servers = root ? json_incref(json_object_get(root, "servers")) : json_object();
	m.now = json_object();
	if (!m.servers || !m.now)
		err = -ENOMEM;
	err = err ?: robust_offsets(r, merge_one, &m) ?: prune(&m);
	if (err)
		fail("out of memory");
	else
		err = write_file(path, m.servers);
	json_decref(m.now);
	json_decref(m.servers);
	json_decref(root);
	return err;
}
