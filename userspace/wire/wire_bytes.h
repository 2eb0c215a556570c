/* SPDX-License-Identifier: BSD-2-Clause */
/* What the encoder and the decoder of frames share; nobody else needs it. The format is in wire.h. */
#ifndef LIMPET_WIRE_BYTES_H
#define LIMPET_WIRE_BYTES_H

#include <zlib.h>

#include "wire.h"

#define WIRE_MAGIC	  "lmpw"
#define WIRE_FIXED	  24 /* bytes of the header before the host's name */
#define WIRE_INTERVAL_MAX 3600000
#define WIRE_TOOL_LEN	  64 /* with the NUL */

enum wire_kind { WIRE_SECOND = 1 };

/* Places in the header. */
enum { AT_VERSION = 4, AT_KIND, AT_HOST_LEN, AT_FLAGS, AT_LENGTH = 8, AT_SUM = 12, AT_TIME = 16 };

enum wire_field {
	FIELD_SECOND = 1,
	FIELD_INTERVAL,
	FIELD_TOOL,
	FIELD_DEVICE,
	FIELD_CGROUPS,
	FIELD_PIDS,
	FIELD_MISSING,
	WIRE_FIELDS
};

static inline uint32_t wire_sum(const void *at, size_t n)
{
	return (uint32_t)crc32(0, at, (uInt)n);
}

#endif
