// SPDX-License-Identifier: BSD-2-Clause
/* darshan_file.h: header and job, and regions as zlib and bzip2 give them. */
#include "darshan_file.h"

#include <bzlib.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "userspace/common/clock.h"

#define MAGIC 6567223

enum {
	JOB_TEXT = 1024, /* metadata behind the job's numbers */
	OLD_MODULES = 16,
	NEW_MODULES = 64,
	COMPRESSED_ZLIB = 0,
	COMPRESSED_BZIP2 = 1,
	COMPRESSED_NOT = 2,
	/* of DARSHAN_BYTES_MAX: as long as a stream takes to begin, of one byte too */
	STREAM_COSTS = 64,
};

/* A time of a log lies before the year 2200: later is damage, and would not fit nanoseconds. */
#define TIME_MAX_S INT64_C(7258118400)

/* The number of each module in a header: H5D came with 3.20, PNETCDF_VAR with 3.41, each before others. */
static const struct {
	const char *name;
	uint8_t until_3_10, until_3_32, since_3_41;
} modules[DARSHAN_MODULES] = {
	[DARSHAN_POSIX] = {"POSIX", 1, 1, 1},
	[DARSHAN_MPIIO] = {"MPI-IO", 2, 2, 2},
	[DARSHAN_LUSTRE] = {"LUSTRE", 6, 7, 8},
	[DARSHAN_STDIO] = {"STDIO", 7, 8, 9},
	[DARSHAN_DXT_POSIX] = {"DXT_POSIX", 8, 9, 10},
	[DARSHAN_DXT_MPIIO] = {"DXT_MPIIO", 9, 10, 11},
};

const char *darshan_module_name(enum darshan_module m)
{
	return modules[m].name;
}

int64_t darshan_word(const struct darshan_file *f, const unsigned char *at)
{
	uint64_t w;

	memcpy(&w, at, sizeof(w));
	return (int64_t)(f->swapped ? be64toh(w) : le64toh(w));
}

double darshan_real(const struct darshan_file *f, const unsigned char *at)
{
	int64_t w = darshan_word(f, at);
	double d;

	memcpy(&d, &w, sizeof(d));
	return d;
}

static uint32_t half_word(const struct darshan_file *f, const unsigned char *at)
{
	uint32_t w;

	memcpy(&w, at, sizeof(w));
	return f->swapped ? be32toh(w) : le32toh(w);
}

/* ---- the header ---------------------------------------------------------------------------------------- */

static bool magic_is(const unsigned char *data, bool swapped)
{
	const struct darshan_file f = {.swapped = swapped};

	return darshan_word(&f, data + 8) == MAGIC;
}

bool darshan_is(const unsigned char *data, size_t n)
{
	return n >= DARSHAN_HEAD && data[0] == '3' && data[1] == '.' &&
	       (magic_is(data, false) || magic_is(data, true));
}

/* "3.21" is 21; 0: none that is known. */
static unsigned int minor_version(const unsigned char *data)
{
	unsigned int minor = 0;

	for (size_t i = 2; i < 8 && data[i] >= '0' && data[i] <= '9'; i++)
		minor = 10 * minor + (data[i] - '0');
	return minor;
}

/* What of it lies in the file. */
static struct darshan_map map_at(const struct darshan_file *f, size_t at)
{
	struct darshan_map m = {.at = (uint64_t)darshan_word(f, f->data + at),
				.len = (uint64_t)darshan_word(f, f->data + at + 8)};

	if (m.at > f->n)
		return (struct darshan_map){.dropped = true};
	m.dropped = m.len > f->n - m.at;
	m.len = m.dropped ? f->n - m.at : m.len;
	return m;
}

/* Where the job begins; 0: the file is too short. */
static size_t take_header(struct darshan_file *f, unsigned int minor)
{
	size_t n = f->since_3_41 ? NEW_MODULES : OLD_MODULES, at = f->since_3_41 ? 32 : 24;
	size_t versions = at + 16 * (n + 1), end = versions + 4 * n;
	uint64_t dropped;

	if (f->n < end)
		return 0;
	dropped = f->since_3_41 ? (uint64_t)darshan_word(f, f->data + 24)
				: half_word(f, f->data + 20);
	f->names = map_at(f, at);
	for (int m = 0; m < DARSHAN_MODULES; m++) {
		size_t i = f->since_3_41 ? modules[m].since_3_41
			   : minor >= 20 ? modules[m].until_3_32
					 : modules[m].until_3_10;

		f->module[m] = map_at(f, at + 16 * (i + 1));
		f->module[m].version = half_word(f, f->data + versions + 4 * i);
		f->module[m].dropped |= dropped >> i & 1;
	}
	return end;
}

/* ---- the job ------------------------------------------------------------------------------------------- */

/* "COMMAND\nTYPE\tPATH\nTYPE\tPATH…" */
static void take_text(struct darshan_file *f)
{
	char *at = NULL, *line = strchr(f->text, '\n');

	f->command = f->text;
	if (!line)
		return;
	*line = 0;
	for (line = strtok_r(line + 1, "\n", &at); line && f->n_mounts < DARSHAN_MOUNTS_MAX;
	     line = strtok_r(NULL, "\n", &at)) {
		char *path = strchr(line, '\t');

		if (!path || path[1] != '/')
			continue;
		*path = 0;
		f->mount[f->n_mounts++] = (struct darshan_mount){.type = line, .path = path + 1};
	}
}

/* Seconds, and since 3.41 nanoseconds behind them; -1: no time of a log. */
static int64_t time_at(const struct darshan_file *f, const unsigned char *at)
{
	int64_t s = darshan_word(f, at), ns = f->since_3_41 ? darshan_word(f, at + 8) : 0;

	if (s < 0 || s > TIME_MAX_S)
		return -1;
	return s * NS_PER_S + (ns > 0 && ns < NS_PER_S ? ns : 0);
}

static const char *take_job(struct darshan_file *f, size_t at)
{
	struct darshan_map map = {.at = at, .len = f->names.at > at ? f->names.at - at : 0};
	size_t words = f->since_3_41 ? 7 : 5, got = 0;
	unsigned char job[7 * 8 + JOB_TEXT];
	struct darshan_region *r = darshan_region(f, &map);
	bool whole = r && darshan_take(r, job, words * 8 + JOB_TEXT);

	while (whole && got < sizeof(f->text) - 1 && darshan_take(r, &f->text[got], 1))
		got++;
	darshan_region_close(r);
	if (!whole)
		return "it ends before it says which job it is of";
	f->start_ns = time_at(f, job + 8);
	f->end_ns = time_at(f, job + (f->since_3_41 ? 24 : 16));
	if (f->start_ns < 0 || f->end_ns < 0)
		return "it does not say when its job began";
	f->job = darshan_word(f, job + 8 * (words - 1));
	take_text(f);
	return NULL;
}

const char *darshan_open(struct darshan_file *f, const unsigned char *data, size_t n)
{
	unsigned int minor = minor_version(data);
	size_t at;

	*f = (struct darshan_file){.data = data, .n = n, .left = DARSHAN_BYTES_MAX};
	f->swapped = !magic_is(data, false);
	f->since_3_41 = minor >= 41;
	f->compression = data[16];
	if (minor < 10)
		return "it is of Darshan before 3.1, which limpet does not read: "
		       "darshan-convert makes a newer log of it";
	if (f->compression > COMPRESSED_NOT)
		return "it is compressed in a way that is not known";
	at = take_header(f, minor);
	return at ? take_job(f, at) : "it ends in its header";
}

/* ---- regions ------------------------------------------------------------------------------------------- */

struct darshan_region {
	struct darshan_file *file;
	const unsigned char *in;
	size_t left; /* of `in` */
	z_stream zlib;
	bz_stream bzip2;
	bool open, cut;
	size_t at, end; /* of `out` */
	unsigned char out[1 << 16];
};

struct darshan_region *darshan_region(struct darshan_file *f, const struct darshan_map *map)
{
	struct darshan_region *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->file = f;
	r->in = f->data + map->at;
	r->left = map->len;
	return r;
}

static void stream_end(struct darshan_region *r)
{
	if (r->open && r->file->compression == COMPRESSED_ZLIB)
		inflateEnd(&r->zlib);
	else if (r->open)
		BZ2_bzDecompressEnd(&r->bzip2);
	r->open = false;
}

static bool stream_begin(struct darshan_region *r)
{
	uint64_t *left = &r->file->left;

	r->zlib = (z_stream){0};
	r->bzip2 = (bz_stream){0};
	*left -= *left < STREAM_COSTS ? *left : STREAM_COSTS;
	r->open = r->file->compression == COMPRESSED_ZLIB
			  ? inflateInit(&r->zlib) == Z_OK
			  : BZ2_bzDecompressInit(&r->bzip2, 0, 0) == BZ_OK;
	return r->open;
}

/* As much as one stream gives, at most n. */
static size_t unpacked(struct darshan_region *r, unsigned char *to, size_t n)
{
	unsigned int had = (unsigned int)(r->left < UINT32_MAX ? r->left : UINT32_MAX), left;
	bool end;
	int code;

	if (r->file->compression == COMPRESSED_ZLIB) {
		r->zlib.next_in = (unsigned char *)r->in;
		r->zlib.avail_in = had;
		r->zlib.next_out = to;
		r->zlib.avail_out = (unsigned int)n;
		code = inflate(&r->zlib, Z_NO_FLUSH);
		left = r->zlib.avail_in;
		n -= r->zlib.avail_out;
		end = code == Z_STREAM_END;
		r->cut = !end && code != Z_OK;
	} else {
		r->bzip2.next_in = (char *)r->in;
		r->bzip2.avail_in = had;
		r->bzip2.next_out = (char *)to;
		r->bzip2.avail_out = (unsigned int)n;
		code = BZ2_bzDecompress(&r->bzip2);
		left = r->bzip2.avail_in;
		n -= r->bzip2.avail_out;
		end = code == BZ_STREAM_END;
		r->cut = !end && code != BZ_OK;
	}
	r->in += had - left;
	r->left -= had - left;
	if (end)
		stream_end(r);
	else if (!n && left == had)
		r->cut = true; /* it wants more than there is */
	return n;
}

static size_t some(struct darshan_region *r, unsigned char *to, size_t n)
{
	if (r->file->compression == COMPRESSED_NOT) {
		n = n < r->left ? n : r->left;
		memcpy(to, r->in, n);
		r->in += n;
		r->left -= n;
		return n;
	}
	r->cut = !r->open && !stream_begin(r);
	return r->cut ? 0 : unpacked(r, to, n);
}

/* More bytes in `out`, which is empty; false: there are none. */
static bool region_fill(struct darshan_region *r)
{
	uint64_t *left = &r->file->left;

	r->at = r->end = 0;
	/* what is open may still give bytes that it has taken in */
	while (!r->end && !r->cut && (r->left || r->open)) {
		r->end = some(r, r->out, sizeof(r->out));
		r->cut |= r->end > *left;
		*left -= r->end < *left ? r->end : *left;
	}
	return r->end;
}

bool darshan_take(struct darshan_region *r, void *to, size_t n)
{
	unsigned char *at = to;
	size_t got = 0;

	while (got < n && (r->at < r->end || region_fill(r))) {
		size_t more = r->end - r->at < n - got ? r->end - r->at : n - got;

		memcpy(at + got, r->out + r->at, more);
		r->at += more;
		got += more;
	}
	r->cut |= got && got < n;
	return got == n;
}

bool darshan_cut(const struct darshan_region *r)
{
	return r->cut;
}

void darshan_region_close(struct darshan_region *r)
{
	if (!r)
		return;
	stream_end(r);
	free(r);
}
