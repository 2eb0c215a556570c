// SPDX-License-Identifier: BSD-2-Clause
/* blocks.h: bytes that are no block are refused, those that are have names and cells. First the bytes as they are, then compressed. */
#include "fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "analyzer/history/blocks.h"

static int see(void *arg, const struct block_row *row)
{
	(void)arg;
	MUST(*row->server && strlen(row->server) < sizeof(row->server));
	MUST(strlen(row->disk) < sizeof(row->disk));
	return 0;
}

static void unpack(const void *bytes, size_t len)
{
	int err = block_unpack(bytes, len, see, NULL);

	MUST(!err || err == -EINVAL || err == -ENOMEM);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t most = ZSTD_compressBound(size), len;
	void *packed = malloc(most);

	fuzz_begin();
	unpack(data, size);
	MUST(packed);
	len = ZSTD_compress(packed, most, data, size, 1);
	MUST(!ZSTD_isError(len));
	unpack(packed, len);
	free(packed);
	return 0;
}
