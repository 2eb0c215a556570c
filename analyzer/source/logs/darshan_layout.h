/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which servers store a job's files: by the records of Lustre in a Darshan log, or else as --layout says
 * (log_layout.h). A file has spans, each of an extent
 * of it, striped over servers as RAID 0: byte b of the file is on server b / size mod count, in each span counted
 * from the beginning of the file (lov_stripe_number() of Lustre).
 *
 * A storage target of Lustre is called after where its file system is mounted and its number in hexadecimal, as Lustre
 * itself does: "scratch1-OST000e". Darshan does not say the name of the file system.
 */
#ifndef LIMPET_DARSHAN_LAYOUT_H
#define LIMPET_DARSHAN_LAYOUT_H

#include "darshan_file.h"
#include "log_source.h"

/* Servers of one stripe set, as Lustre has them at most (LOV_MAX_STRIPE_COUNT). */
enum { LAYOUT_STRIPES_MAX = 2000 };
/* Bytes of a stripe, of which Lustre has at most 4 GiB: more is damage. */
#define LAYOUT_STRIPE_MAX ((int64_t)1 << 40)

struct layout_span {
	int64_t from, to; /* of the file */
	int64_t size;	  /* of a stripe */
	size_t first;	  /* of darshan_layout.server */
	uint32_t count;
};

struct layout_file {
	uint64_t id;  /* of Darshan's records */
	size_t first; /* of darshan_layout.span */
	uint32_t n;
};

struct darshan_name {
	uint64_t id;
	size_t at; /* of darshan_layout.text */
};

struct darshan_layout {
	struct darshan_name *name; /* by id */
	size_t n_names;
	char *text;
	size_t n_text;
	struct layout_file *file; /* by id; the first of one counts */
	size_t n_files;
	struct layout_span *span;
	size_t n_spans;
	uint32_t *server; /* of states.nodes; STATE_NONE: it is not known */
	size_t n_servers;
};

/* Names and Lustre's records of a log. 0, -ENOMEM; what is cut off is noted. */
int darshan_layout_read(struct darshan_layout *y, struct log *l, struct darshan_file *f);
void darshan_layout_release(struct darshan_layout *y); /* takes a zeroed one */

/* The path of a record; NULL: it has none. */
const char *darshan_name_of(const struct darshan_layout *y, uint64_t id);

/* NULL: nobody says where it lies. */
const struct layout_file *darshan_layout_of(const struct darshan_layout *y, uint64_t id);

/* The server of all of it; STATE_NONE: there are several, or it is not known. */
uint32_t layout_one_server(const struct darshan_layout *y, const struct layout_file *file);

/* What of an access is on one server. */
struct layout_part {
	uint32_t server;
	int64_t bytes;
};

/*
 * The parts of bytes [at, at + len), len > 0, each server once, in the order in which it comes to them; at most
 * LAYOUT_PARTS_MAX. 0: they are not known, or more.
 */
enum { LAYOUT_PARTS_MAX = 64 };
size_t layout_parts(const struct darshan_layout *y, const struct layout_file *file, int64_t at,
		    int64_t len, struct layout_part *parts);

#endif
