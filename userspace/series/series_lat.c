// SPDX-License-Identifier: BSD-2-Clause
/* Latency histograms of schema 1: pairs of varints, empty buckets skipped. */
#include "series_schema.h"

#include <errno.h>
#include <string.h>

/* Advances *at; -EBADMSG at the end of the buffer or beyond 32 bits. */
static int get_varint(const unsigned char **at, const unsigned char *end, uint32_t *v)
{
	uint64_t sum = 0;

	for (unsigned int shift = 0; shift < 35; shift += 7) {
		if (*at == end)
			return -EBADMSG;
		sum |= (uint64_t)(**at & 0x7f) << shift;
		if (!(*(*at)++ & 0x80)) {
			*v = (uint32_t)sum;
			return sum > UINT32_MAX ? -EBADMSG : 0;
		}
	}
	return -EBADMSG;
}

int series_lat_decode(struct lat_hist *lat, const unsigned char *buf, size_t len)
{
	uint32_t *flat = &lat->n[0][0][0];
	const unsigned char *end = len ? buf + len : buf; /* NULL: empty */
	uint32_t skipped, count;
	size_t at = 0;

	memset(lat, 0, sizeof(*lat));
	while (buf < end) {
		if (get_varint(&buf, end, &skipped) || get_varint(&buf, end, &count))
			return -EBADMSG;
		if (!count || skipped >= LAT_FLAT - at)
			return -EBADMSG;
		at += skipped;
		flat[at++] = count;
	}
	return 0;
}
