// SPDX-License-Identifier: BSD-2-Clause
/* unpack.h: a row for each program, with the four calls of its library. */
#include "unpack.h"

#include <bzlib.h>
#include <errno.h>
#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "userspace/common/sort.h"

enum { WINDOW_LOG = 27, MEMORY = 1 << 27, TIMES_FROM = 1 << 28 };

struct unpack {
	const struct packer *by;
	lzma_stream xz;
	bz_stream bzip2;
	ZSTD_DStream *zstd;
	bool begun; /* a stream, which has not ended */
	unsigned int times_most;
	uint64_t in, out;
	const char *why;
};

/* One step of the library: 1: the stream ended, 0, or negative errno. */
struct packer {
	const char *name;
	unsigned char magic[UNPACK_MAGIC];
	size_t n_magic;
	int (*begin)(struct unpack *u);
	int (*step)(struct unpack *u, const unsigned char **in, size_t *n, unsigned char **to,
		    size_t *room);
	void (*end)(struct unpack *u);
};

/* ---- xz ---------------------------------------------------------------------------------------- */

static int xz_failed(struct unpack *u, lzma_ret ret)
{
	u->why = ret == LZMA_MEMLIMIT_ERROR ? "it needs more than 128 MiB of memory"
					    : "it is damaged";
	return ret == LZMA_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

static int xz_begin(struct unpack *u)
{
	lzma_ret ret = lzma_stream_decoder(&u->xz, MEMORY, 0);

	return ret == LZMA_OK ? 0 : xz_failed(u, ret);
}

static int xz_step(struct unpack *u, const unsigned char **in, size_t *n, unsigned char **to,
		   size_t *room)
{
	lzma_ret ret;

	u->xz.next_in = *in;
	u->xz.avail_in = *n;
	u->xz.next_out = *to;
	u->xz.avail_out = *room;
	ret = lzma_code(&u->xz, LZMA_RUN);
	*in = u->xz.next_in;
	*n = u->xz.avail_in;
	*to = u->xz.next_out;
	*room = u->xz.avail_out;
	if (ret == LZMA_OK || ret == LZMA_BUF_ERROR)
		return 0;
	return ret == LZMA_STREAM_END ? 1 : xz_failed(u, ret);
}

static void xz_end(struct unpack *u)
{
	lzma_end(&u->xz);
}

/* ---- bzip2 ------------------------------------------------------------------------------------- */

static int bzip2_begin(struct unpack *u)
{
	BZ2_bzDecompressEnd(&u->bzip2);
	u->bzip2 = (bz_stream){0};
	return BZ2_bzDecompressInit(&u->bzip2, 0, 0) == BZ_OK ? 0 : -ENOMEM;
}

static int bzip2_step(struct unpack *u, const unsigned char **in, size_t *n, unsigned char **to,
		      size_t *room)
{
	unsigned int had = *n < UINT32_MAX ? (unsigned int)*n : UINT32_MAX;
	unsigned int most = *room < UINT32_MAX ? (unsigned int)*room : UINT32_MAX;
	int ret;

	u->bzip2.next_in = (char *)*in;
	u->bzip2.avail_in = had;
	u->bzip2.next_out = (char *)*to;
	u->bzip2.avail_out = most;
	ret = BZ2_bzDecompress(&u->bzip2);
	*in += had - u->bzip2.avail_in;
	*n -= had - u->bzip2.avail_in;
	*to += most - u->bzip2.avail_out;
	*room -= most - u->bzip2.avail_out;
	if (ret == BZ_OK)
		return 0;
	return ret == BZ_STREAM_END ? 1 : ret == BZ_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

static void bzip2_end(struct unpack *u)
{
	BZ2_bzDecompressEnd(&u->bzip2);
}

/* ---- zstd -------------------------------------------------------------------------------------- */

static int zstd_begin(struct unpack *u)
{
	u->zstd = u->zstd ? u->zstd : ZSTD_createDStream();
	return u->zstd && !ZSTD_isError(ZSTD_initDStream(u->zstd)) &&
			       !ZSTD_isError(ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax,
								    WINDOW_LOG))
		       ? 0
		       : -ENOMEM;
}

static int zstd_step(struct unpack *u, const unsigned char **in, size_t *n, unsigned char **to,
		     size_t *room)
{
	ZSTD_inBuffer from = {*in, *n, 0};
	ZSTD_outBuffer out = {*to, *room, 0};
	size_t left = ZSTD_decompressStream(u->zstd, &out, &from);

	*in += from.pos;
	*n -= from.pos;
	*to += out.pos;
	*room -= out.pos;
	if (!ZSTD_isError(left))
		return left == 0;
	u->why = ZSTD_getErrorName(left);
	return -EBADMSG;
}

static void zstd_end(struct unpack *u)
{
	ZSTD_freeDStream(u->zstd);
}

/* ---- all --------------------------------------------------------------------------------------- */

static const struct packer packers[] = {
	{"xz", {0xfd, '7', 'z', 'X', 'Z', 0}, 6, xz_begin, xz_step, xz_end},
	{"zstd", {0x28, 0xb5, 0x2f, 0xfd}, 4, zstd_begin, zstd_step, zstd_end},
	/* pzstd begins with a frame of its own, which is passed over */
	{"zstd", {0x50, 0x2a, 0x4d, 0x18}, 4, zstd_begin, zstd_step, zstd_end},
	{"bzip2", {'B', 'Z', 'h'}, 3, bzip2_begin, bzip2_step, bzip2_end},
};

static const struct packer *packer_of(const unsigned char *head, size_t n)
{
	return find_if(i, packers, sizeof(packers) / sizeof(*packers),
		       n >= packers[i].n_magic &&
			       !memcmp(head, packers[i].magic, packers[i].n_magic));
}

/* Of bzip2's three letters a table could begin with: a block's first byte, or the last's, follows. */
const char *unpack_name(const unsigned char *head, size_t n)
{
	const struct packer *by = packer_of(head, n);

	if (by && by->begin == bzip2_begin &&
	    (n < 5 || head[3] < '1' || head[3] > '9' || (head[4] != 0x31 && head[4] != 0x17)))
		return NULL;
	return by ? by->name : NULL;
}

struct unpack *unpack_new(const unsigned char *head, size_t n, unsigned int times_most)
{
	struct unpack *u = unpack_name(head, n) ? calloc(1, sizeof(*u)) : NULL;

	if (!u) {
		errno = unpack_name(head, n) ? ENOMEM : EINVAL;
		return NULL;
	}
	u->by = packer_of(head, n);
	u->times_most = times_most;
	u->xz = (lzma_stream)LZMA_STREAM_INIT;
	u->why = "it is damaged";
	return u;
}

void unpack_free(struct unpack *u)
{
	if (u)
		u->by->end(u);
	free(u);
}

long unpack(struct unpack *u, const unsigned char **in, size_t *n, void *to, size_t room)
{
	unsigned char *at = to;
	int err = 0;

	while (!err && at == to && *n) {
		size_t had = *n;

		if (!u->begun && !**in && u->by->begin == xz_begin) { /* padding between streams */
			++*in;
			--*n;
			continue;
		}
		if (!u->begun)
			err = u->by->begin(u);
		u->begun = true;
		err = err ?: u->by->step(u, in, n, &at, &room);
		u->in += had - *n;
		if (!err && had == *n && at == to)
			err = -EBADMSG;
		if (err > 0) {
			u->begun = false;
			err = 0;
		}
	}
	/* what a library has still to give when it has taken all */
	if (!err && at == to && u->begun)
		err = u->by->step(u, in, n, &at, &room);
	u->begun &= err <= 0;
	u->out += (size_t)(at - (unsigned char *)to);
	if (err >= 0 && u->times_most && u->out > TIMES_FROM && u->out / u->times_most > u->in) {
		u->why = "it becomes many times as long as no measurements do";
		return -EBADMSG;
	}
	return err < 0 ? err : at - (unsigned char *)to;
}

const char *unpack_why(const struct unpack *u)
{
	return u->why;
}

bool unpack_between(const struct unpack *u)
{
	return !u->begun;
}
