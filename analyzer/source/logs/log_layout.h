/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which servers store which files, as --layout says it where a log does not: what these tools print of each file, one
 * after the other, after a line "# file: PATH", as getfattr has it (its PATH is without the first slash):
 *
 *	getfattr -n trusted.glusterfs.pathinfo -e text FILE	GlusterFS: the bricks' servers
 *	beegfs-ctl --getentryinfo FILE				BeeGFS: chunk size and servers
 *	pvfs2-viewdist -f FILE					OrangeFS: strip size and servers
 *
 * Other lines are passed over.
 */
#ifndef LIMPET_LOG_LAYOUT_H
#define LIMPET_LOG_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/source/tables/table.h"

struct listed_file {
	int64_t stripe; /* bytes; 0: not striped */
	size_t first;	/* of layouts.server_of */
	uint32_t n;	/* servers, in the order of the stripes */
	bool unknown; /* which of them does an access: copies, erasure codes, other distributions */
};

struct layouts {
	struct names path, server;
	struct listed_file *file; /* of each path */
	size_t n_files;
	uint32_t *server_of; /* of layouts.server */
	size_t n_servers;
};

/* Adds a file's lines. 0, or -EIO, -ENOMEM; -EINVAL: it says it of no file. After a message, but for -ENOMEM. */
int layouts_read(struct layouts *y, const char *path);
void layouts_release(struct layouts *y); /* takes a zeroed one */

/* NULL: it was not said. */
const struct listed_file *layouts_find(const struct layouts *y, const char *path);

#endif
