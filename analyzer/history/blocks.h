/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ten minutes of one signal of all servers, as bytes: a row for each server or disk, with a cell for each minute; or a hundred minutes, with a
 * cell for each ten-minute block (a wide block). Compressed by zstd (RFC 8878); in it, of numbers the smallest byte first:
 *
 *	u8 version (1), then rows to the end: u8 length, server; u8 length, disk; u64 set; of each cell u8 marks, f32 value, f32
 *	peers, f32 z
 *
 * A cell without marks is 1 byte. Sets and cells are those of history.h; all ones: not known.
 */
#ifndef LIMPET_HISTORY_BLOCKS_H
#define LIMPET_HISTORY_BLOCKS_H

#include "history.h"

#define BLOCK_CELL_NS (60 * NS_PER_S)
enum { BLOCK_CELLS = 10 };
#define BLOCK_NS     (BLOCK_CELLS * BLOCK_CELL_NS)
#define BLOCK_BYTES  ((size_t)64 << 20) /* unpacked */
#define WIDE_CELL_NS BLOCK_NS
#define WIDE_NS	     (BLOCK_CELLS * WIDE_CELL_NS)

struct block_row {
	char server[HOST_LEN], disk[INSTANCE_LEN];
	size_t set;
	struct history_cell at[BLOCK_CELLS];
};

/* What h, of BLOCK_CELLS columns or fewer, has of a signal; names: of its servers. For the caller to free(). 0; -ENOENT: there is nothing; -E2BIG: it
 * would be more than BLOCK_BYTES; -ENOMEM. */
int block_pack(const struct history *h, char (*names)[HOST_LEN], size_t signal, void **bytes,
	       size_t *len);

/* fn for each row; what it returns but 0 ends it. 0, that, -ENOMEM, or -EINVAL: these are no such bytes. */
int block_unpack(const void *bytes, size_t len, int (*fn)(void *arg, const struct block_row *row),
		 void *arg);

#endif
