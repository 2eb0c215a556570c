// SPDX-License-Identifier: BSD-2-Clause
/*
 * From bytes as they come to frames. What is read may be damaged or hostile: no length is believed before its checksum is
 * right and it is below its bound. wire_fields.c reads what a body says.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "internal.h"

int wire_decoder_new(struct wire_decoder **out)
{
	struct wire_decoder *d = calloc(1, sizeof(*d));
	int err = d ? series_second_new(&d->second) : series_fail(-ENOMEM, "out of memory");

	if (err) {
		wire_decoder_free(d);
		d = NULL;
	} else {
		d->kinds = 1U << WIRE_SECOND;
	}
	*out = d;
	return err;
}

void wire_decoder_free(struct wire_decoder *d)
{
	if (!d)
		return;
	series_second_free(d->second);
	free(d->body);
	free(d);
}

/* ---- the header ---- */

static uint64_t get_number(const unsigned char *at, int bytes)
{
	uint64_t v = 0;

	for (int i = bytes; i-- > 0;)
		v = v << 8 | at[i];
	return v;
}

/* Of a header so far as it is there: how long it is. */
static size_t head_len(const struct wire_decoder *d)
{
	return d->n_head < WIRE_FIXED ? WIRE_FIXED : WIRE_FIXED + d->head[AT_HOST_LEN] + 4U;
}

/* What can be said of the first bytes: another version may have a header of another length. */
static int check_beginning(const struct wire_decoder *d)
{
	size_t n = d->n_head < 4 ? d->n_head : 4;

	if (memcmp(d->head, WIRE_MAGIC, n) != 0)
		return series_fail(-EBADMSG,
				   "these are no frames, or one is damaged in its header");
	if (d->n_head > AT_VERSION && d->head[AT_VERSION] != WIRE_VERSION)
		return series_fail(-EPROTONOSUPPORT,
				   "a frame is of version %u, and this limpet reads version %d",
				   d->head[AT_VERSION], WIRE_VERSION);
	if (d->n_head > AT_HOST_LEN && (!d->head[AT_HOST_LEN] || d->head[AT_HOST_LEN] >= HOST_LEN))
		return series_fail(-EBADMSG, "a frame is damaged in its header");
	return 0;
}

static int check_head(struct wire_decoder *d)
{
	size_t host = d->head[AT_HOST_LEN], len = WIRE_FIXED + host;
	uint64_t wall_ns = get_number(d->head + AT_TIME, 8);

	if (get_number(d->head + len, 4) != wire_sum(d->head, len))
		return series_fail(-EBADMSG, "a frame is damaged in its header");
	memcpy(d->host, d->head + WIRE_FIXED, host);
	d->host[host] = '\0';
	if (strlen(d->host) != host || series_check_host(d->host) || wall_ns > INT64_MAX)
		return series_fail(-EBADMSG, "a frame has no valid host, or no valid time");
	d->wall_ns = (int64_t)wall_ns;
	d->sum = (uint32_t)get_number(d->head + AT_SUM, 4);
	d->len = get_number(d->head + AT_LENGTH, 4);
	if (d->len > WIRE_BODY_MAX)
		return series_fail(-EMSGSIZE,
				   "a frame of '%s' has %zu bytes, more than any may have", d->host,
				   d->len);
	return 0;
}

/* The header's next bytes. 1: it is complete, and right. */
static int take_head(struct wire_decoder *d, const unsigned char **at, size_t *n)
{
	int err = 0;

	while (!err && *n && d->n_head < head_len(d)) {
		size_t want = head_len(d) - d->n_head, some = want < *n ? want : *n;

		memcpy(d->head + d->n_head, *at, some);
		d->n_head += some;
		*at += some;
		*n -= some;
		err = check_beginning(d);
	}
	if (!err && d->n_head > AT_HOST_LEN && d->n_head == head_len(d))
		err = check_head(d);
	else if (!err)
		return 0;
	return err ? err : 1;
}

/* ---- the body ---- */

/* Grows with what has come, so that a length alone takes no memory. */
static int take_body(struct wire_decoder *d, const unsigned char **at, size_t *n)
{
	size_t want = d->len - d->n_body, some = want < *n ? want : *n;

	if (array_extend(&d->body, d->cap, d->n_body + some))
		return series_fail(-ENOMEM, "out of memory");
	d->cap = d->n_body + some > d->cap ? d->n_body + some : d->cap;
	if (some)
		memcpy(d->body + d->n_body, *at, some);
	d->n_body += some;
	*at += some;
	*n -= some;
	return d->n_body == d->len;
}

static void begin_frame(struct wire_decoder *d)
{
	d->complete = d->headed = d->unpacked = false;
	d->n_head = d->n_body = 0;
}

/* 1: a whole frame is there, of whatever kind. */
static int take_frame(struct wire_decoder *d, const unsigned char **at, size_t *n)
{
	int got = 1;

	if (d->complete)
		begin_frame(d);
	if (!d->headed) {
		got = take_head(d, at, n);
		d->headed = got > 0;
	}
	if (got > 0)
		got = take_body(d, at, n);
	d->complete = got > 0;
	return got;
}

void wire_decoder_kinds(struct wire_decoder *d, unsigned int kinds)
{
	d->kinds = kinds;
}

enum wire_kind wire_decoder_kind(const struct wire_decoder *d)
{
	return (enum wire_kind)d->head[AT_KIND];
}

static bool is_wanted(const struct wire_decoder *d)
{
	unsigned int kind = d->head[AT_KIND];

	return kind < WIRE_KINDS && d->kinds >> kind & 1;
}

int wire_decoder_take(struct wire_decoder *d, const void *from, size_t n, size_t *taken)
{
	const unsigned char *at = from;
	size_t left = n;
	int got;

	*taken = 0;
	if (d->broken)
		return series_fail(d->broken, "%s", d->why);
	do
		got = take_frame(d, &at, &left);
	while (got > 0 && !is_wanted(d) && left);
	*taken = n - left;
	if (got > 0 && !is_wanted(d))
		return 0;
	if (got > 0 && wire_sum(d->body, d->len) != d->sum)
		return series_fail(-EILSEQ, "a frame of '%s' is damaged", d->host);
	if (got < 0 && got != -ENOMEM) {
		d->broken = got;
		series_copy_text(d->why, sizeof(d->why), series_error());
	}
	return got;
}

bool wire_decoder_midway(const struct wire_decoder *d)
{
	return !d->complete && d->n_head;
}

const char *wire_decoder_host(const struct wire_decoder *d)
{
	return d->host;
}

int64_t wire_decoder_wall_ns(const struct wire_decoder *d)
{
	return d->wall_ns;
}
