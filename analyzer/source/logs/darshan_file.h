/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Darshan log as a container (darshan-log-format.h of Darshan 3.1 to 3.5): a header, the job's record, names of
 * files, and a region of records for each module, each compressed. All of it is little endian or big endian, as the
 * machine was that wrote it.
 *
 *	at 0     char version[8], int64 magic 6567223, uint8 compression (0 zlib, 1 bzip2, 2 none)
 *	at 20    until 3.40: uint32 modules that dropped records, {uint64 offset, length} of the names, 16 times of modules,
 *	         16 times uint32 version of a module's records
 *	at 24    since 3.41: the same with uint64 modules, 64 times
 *	behind   the job, until the names begin: uid, start, end, processes, job (since 3.41 start and end with
 *	         nanoseconds), 1,024 bytes of text, the command line, a line "TYPE\tPATH" of each mounted file system
 *
 * A region is a series of compressed streams, one behind the other; records are cut by them anywhere.
 */
#ifndef LIMPET_DARSHAN_FILE_H
#define LIMPET_DARSHAN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Modules that are read. */
enum darshan_module {
	DARSHAN_POSIX,
	DARSHAN_MPIIO,
	DARSHAN_LUSTRE,
	DARSHAN_STDIO,
	DARSHAN_DXT_POSIX,
	DARSHAN_DXT_MPIIO,
	DARSHAN_MODULES
};

enum {
	DARSHAN_HEAD = 24,	 /* bytes that tell a Darshan log */
	DARSHAN_MOUNTS_MAX = 64, /* Darshan itself notes 64 */
	DARSHAN_NAME_MAX = 4096, /* bytes of a path with its NUL */
};

/* Bytes that all of a log's regions may have when they are uncompressed: what was read until then stays. A job of 2,048
 * processes that each filled its 2 MiB of trace has 4 GiB; LOG_STATES_MAX states have 256 MiB. */
#define DARSHAN_BYTES_MAX ((uint64_t)1 << 30)

struct darshan_map {
	uint64_t at, len; /* of the file */
	uint32_t version; /* of its records */
	bool dropped;	  /* there was no room for some of its records */
};

struct darshan_mount {
	const char *type, *path;
};

struct darshan_file {
	const unsigned char *data;
	size_t n;
	bool swapped;
	bool since_3_41;
	uint8_t compression;
	uint64_t left; /* of DARSHAN_BYTES_MAX */
	struct darshan_map names, module[DARSHAN_MODULES];
	int64_t job, start_ns, end_ns;
	/* What stands behind the job, cut at its end; the fields below point into it. */
	char text[8192];
	const char *command;
	struct darshan_mount mount[DARSHAN_MOUNTS_MAX];
	size_t n_mounts;
};

/* Whether n ≥ DARSHAN_HEAD bytes begin one of 3.x. */
bool darshan_is(const unsigned char *data, size_t n);

/* Reads header and job of n bytes, which must stay. NULL, or a sentence that says why it is none. */
const char *darshan_open(struct darshan_file *f, const unsigned char *data, size_t n);

const char *darshan_module_name(enum darshan_module m);

/* ---- regions --------------------------------------------------------------------------------------- */

struct darshan_region;

/* NULL: no memory. */
struct darshan_region *darshan_region(struct darshan_file *f, const struct darshan_map *map);
/* Fills n bytes; false: there are not as many. */
bool darshan_take(struct darshan_region *r, void *to, size_t n);
/* Whether it ended before a record did, or is damaged. */
bool darshan_cut(const struct darshan_region *r);
void darshan_region_close(struct darshan_region *r); /* takes NULL */

/* Numbers in the order of the machine that wrote them. */
int64_t darshan_word(const struct darshan_file *f, const unsigned char *at);
double darshan_real(const struct darshan_file *f, const unsigned char *at);

#endif
