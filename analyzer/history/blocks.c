// SPDX-License-Identifier: BSD-2-Clause
#include "blocks.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define BLOCK_VERSION 1
#define BLOCK_LEVEL   1 /* of zstd: a block of 1,000 servers must not hold up the judge */
/* Of a row, at most. */
#define ROW_BYTES (1 + HOST_LEN + 1 + INSTANCE_LEN + 8 + BLOCK_CELLS * 13)

/* ---- to bytes ------------------------------------------------------------------------------------------ */

static uint8_t *put_u32(uint8_t *to, uint32_t n)
{
	n = htole32(n);
	memcpy(to, &n, 4);
	return to + 4;
}

static uint8_t *put_f32(uint8_t *to, float x)
{
	uint32_t n;

	memcpy(&n, &x, 4);
	return put_u32(to, n);
}

static uint8_t *put_name(uint8_t *to, const char *name)
{
	size_t len = strlen(name);

	*to++ = (uint8_t)len;
	memcpy(to, name, len);
	return to + len;
}

static uint8_t *put_row(uint8_t *to, const struct history *h, const struct history_row *row,
			const char *server)
{
	to = put_name(to, server);
	to = put_name(to, row->disk);
	to = put_u32(to, (uint32_t)row->set);
	to = put_u32(to, (uint32_t)((uint64_t)row->set >> 32));
	for (size_t c = 0; c < BLOCK_CELLS; c++) {
		const struct history_cell *cell = &row->at[c];

		*to++ = c < h->columns ? cell->marks : 0;
		if (c >= h->columns || !cell->marks)
			continue;
		to = put_f32(to, cell->value);
		to = put_f32(to, cell->peers);
		to = put_f32(to, cell->z);
	}
	return to;
}

int block_pack(const struct history *h, char (*names)[HOST_LEN], size_t signal, void **bytes,
	       size_t *len)
{
	uint8_t *raw, *to;
	size_t n = 0, most;

	for (size_t i = 0; i < h->n_rows; i++)
		n += h->rows[i].signal == signal;
	if (!n)
		return -ENOENT;
	if (1 + n * ROW_BYTES > BLOCK_BYTES)
		return -E2BIG;
	raw = malloc(1 + n * ROW_BYTES);
	most = ZSTD_compressBound(1 + n * ROW_BYTES);
	*bytes = raw ? malloc(most) : NULL;
	if (!*bytes) {
		free(raw);
		return -ENOMEM;
	}
	to = raw;
	*to++ = BLOCK_VERSION;
	for (size_t i = 0; i < h->n_rows; i++)
		if (h->rows[i].signal == signal)
			to = put_row(to, h, &h->rows[i], names[h->rows[i].node]);
	*len = ZSTD_compress(*bytes, most, raw, (size_t)(to - raw), BLOCK_LEVEL);
	free(raw);
	if (!ZSTD_isError(*len))
		return 0;
	free(*bytes);
	return -ENOMEM;
}

/* ---- from bytes ---------------------------------------------------------------------------------------- */

struct block_bytes {
	const uint8_t *at;
	size_t left;
};

static bool take(struct block_bytes *b, void *to, size_t n)
{
	if (b->left < n)
		return false;
	memcpy(to, b->at, n);
	b->at += n;
	b->left -= n;
	return true;
}

static bool take_u32(struct block_bytes *b, uint32_t *n)
{
	if (!take(b, n, 4))
		return false;
	*n = le32toh(*n);
	return true;
}

static bool take_f32(struct block_bytes *b, float *x)
{
	uint32_t n;

	if (!take_u32(b, &n))
		return false;
	memcpy(x, &n, 4);
	return true;
}

static bool take_name(struct block_bytes *b, char *to, size_t size)
{
	uint8_t len;

	if (!take(b, &len, 1) || len >= size || !take(b, to, len))
		return false;
	to[len] = '\0';
	return strlen(to) == len;
}

static bool take_row(struct block_bytes *b, struct block_row *row)
{
	uint32_t low, high;

	*row = (struct block_row){0};
	if (!take_name(b, row->server, sizeof(row->server)) || !*row->server ||
	    !take_name(b, row->disk, sizeof(row->disk)) || !take_u32(b, &low) ||
	    !take_u32(b, &high))
		return false;
	row->set = (size_t)((uint64_t)high << 32 | low);
	for (size_t c = 0; c < BLOCK_CELLS; c++) {
		struct history_cell *cell = &row->at[c];

		if (!take(b, &cell->marks, 1))
			return false;
		if (cell->marks && (!take_f32(b, &cell->value) || !take_f32(b, &cell->peers) ||
				    !take_f32(b, &cell->z)))
			return false;
	}
	return true;
}

int block_unpack(const void *bytes, size_t len, int (*fn)(void *arg, const struct block_row *row),
		 void *arg)
{
	unsigned long long size = ZSTD_getFrameContentSize(bytes, len);
	struct block_row row;
	struct block_bytes b;
	uint8_t version = 0;
	uint8_t *raw;
	size_t n;
	int err = 0;

	if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || !size ||
	    size > BLOCK_BYTES)
		return -EINVAL;
	raw = malloc(size);
	if (!raw)
		return -ENOMEM;
	n = ZSTD_decompress(raw, size, bytes, len);
	b = (struct block_bytes){raw, ZSTD_isError(n) ? 0 : n};
	if (!take(&b, &version, 1) || version != BLOCK_VERSION)
		err = -EINVAL;
	while (b.left && !err)
		err = take_row(&b, &row) ? fn(arg, &row) : -EINVAL;
	free(raw);
	return err;
}
