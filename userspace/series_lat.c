// SPDX-License-Identifier: BSD-2-Clause
/* The coding of latency histograms in the series file: pairs of varints, empty buckets skipped. */
#include "series_schema.h"

#include <errno.h>
#include <string.h>

static size_t put_varint(unsigned char *buf, uint32_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		buf[n++] = (unsigned char)(v | 0x80);
	buf[n++] = (unsigned char)v;
	return n;
}

size_t series_lat_encode(const struct lat_hist *lat, unsigned char *buf)
{
	const uint32_t *flat = &lat->n[0][0][0];
	uint32_t skipped = 0;
	size_t len = 0;

	for (size_t i = 0; i < LAT_FLAT; i++) {
		if (!flat[i]) {
			skipped++;
			continue;
		}
		len += put_varint(buf + len, skipped);
		len += put_varint(buf + len, flat[i]);
		skipped = 0;
	}
	return len;
}

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
	const unsigned char *end = buf + len;
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
