// SPDX-License-Identifier: BSD-2-Clause
/* Spark's event logs that are compressed with what limpet does not undo: known by their first bytes, and refused. */
#include <errno.h>
#include <string.h>

#include "log_source.h"

static const struct {
	const char *begins, *codec;
} codecs[] = {
	{"LZ4Block", "lz4"},	  /* LZ4BlockOutputStream */
	{"\x82SNAPPY", "snappy"}, /* SnappyOutputStream */
	/* a block that is compressed, of LZFOutputStream; the first one always is */
	{"ZV\x01", "lzf"},
};

static const char *codec_of(const char *bytes, size_t n)
{
	for (size_t i = 0; i < sizeof(codecs) / sizeof(*codecs); i++)
		if (n > strlen(codecs[i].begins) &&
		    !memcmp(bytes, codecs[i].begins, strlen(codecs[i].begins)))
			return codecs[i].codec;
	return NULL;
}

static bool codec_is(const char *head, size_t n)
{
	return codec_of(head, n);
}

static int codec_part(struct log *l, const char *bytes, size_t n)
{
	log_note(l,
		 "it is compressed with %s, which limpet does not read: have Spark write zstd "
		 "(spark.eventLog.compression.codec)",
		 codec_of(bytes, n) ? codec_of(bytes, n) : "another codec");
	return -EBADMSG;
}

const struct log_source log_spark_codec = {
	.rank = LOG_RANK_HISTORY,
	.clock = CLOCK_OF_JOB,
	.is = codec_is,
	.part = codec_part,
};
