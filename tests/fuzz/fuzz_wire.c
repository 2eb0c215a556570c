// SPDX-License-Identifier: BSD-2-Clause
/*
 * wire.h: any bytes are refused with a reason, or are frames that say what is valid; and they are the same in whatever
 * pieces they come. An input is a byte and then: 0, a stream; 1, 2 or 3, 8 bytes of its time and the body of one frame of that
 * kind, whose checksums are made here, for no mutation would come past them.
 */
#include "fuzz.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/wire/wire.h"
#include "userspace/wire/internal.h"

#define HOST "s1"

struct heard {
	uint64_t frames, damaged, digest;
	int err;
};

static void mix(struct heard *h, const void *at, size_t n)
{
	const unsigned char *p = at;

	for (size_t i = 0; i < n; i++)
		h->digest = (h->digest ^ p[i]) * 1099511628211ULL;
}

static int see_row(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct heard *h = arg;

	MUST((unsigned int)row->family < FAM_COUNT && series_instance_valid(row->instance));
	MUST(t->wall_ns >= 0 && !isinf(t->interval_s));
	for (int m = 0; m < M_COUNT; m++)
		MUST(!isinf(second_value(row, m)) &&
		     (metrics[m].family == row->family || isnan(second_value(row, m))));
	mix(h, row->instance, strlen(row->instance));
	mix(h, row->values, sizeof(row->values));
	return 0;
}

static void check_text(const char *text, size_t size)
{
	MUST(memchr(text, 0, size));
	for (; *text; text++)
		MUST(*text >= ' ' && *text <= '~');
}

static int see_device(void *arg, const struct device_identity *id)
{
	MUST((unsigned int)id->family < FAM_COUNT && *id->name && series_instance_valid(id->name));
	check_text(id->model, sizeof(id->model));
	check_text(id->firmware, sizeof(id->firmware));
	check_text(id->driver, sizeof(id->driver));
	check_text(id->detail, sizeof(id->detail));
	MUST(id->rotational >= -1 && id->rotational <= 1);
	mix(arg, id, sizeof(*id));
	return 0;
}

static int see_line(void *arg, const char *line)
{
	check_text(line, SERIES_CGROUP_LEN);
	MUST(*line);
	mix(arg, line, strlen(line));
	return 0;
}

static void see_second(struct wire_decoder *d, struct heard *h)
{
	MUST(wire_decoder_time(d)->wall_ns == wire_decoder_wall_ns(d));
	MUST(wire_decoder_interval_ms(d) >= 1 && wire_decoder_interval_ms(d) <= 3600000);
	check_text(wire_decoder_tool(d), WIRE_TOOL_LEN);
	MUST(!wire_decoder_rows(d, HIST_LAT | HIST_DEV | HIST_RUNQ, see_row, h));
	MUST(!wire_decoder_devices(d, see_device, h));
	MUST(!wire_decoder_cgroups(d, see_line, h));
	MUST(!wire_decoder_pids(d, see_line, h));
	MUST(!wire_decoder_missing(d, see_line, h));
}

/* Nothing in it leads out of a folder. */
static void check_path(const char *path)
{
	MUST(*path && *path != '/' && strlen(path) < WIRE_PATH_LEN);
	MUST(strncmp(path, "../", 3) && strcmp(path, "..") && !strstr(path, "/../"));
	MUST(strlen(path) < 3 || strcmp(path + strlen(path) - 3, "/.."));
	for (; *path; path++)
		MUST((unsigned char)*path >= ' ' && *path != 0x7f);
}

static void see_lines(const struct wire_lines *l, struct heard *h)
{
	check_path(l->path);
	MUST(*l->identity && strlen(l->identity) < WIRE_IDENTITY_LEN && !strchr(l->identity, '/'));
	MUST(l->offset <= INT64_MAX && l->len <= INT64_MAX - l->offset);
	mix(h, l->path, strlen(l->path));
	mix(h, l->at, l->len);
}

static int see_kind(struct wire_decoder *d, struct heard *h)
{
	const struct wire_lines *l;
	const void *part;
	size_t len;
	int err;

	switch (wire_decoder_kind(d)) {
	case WIRE_SECOND:
		err = wire_decoder_unpack(d);
		if (!err)
			see_second(d, h);
		return err;
	case WIRE_COPY:
		err = wire_decoder_copy(d, &part, &len);
		if (!err)
			mix(h, part, len);
		return err;
	default:
		err = wire_decoder_lines(d, &l);
		if (!err)
			see_lines(l, h);
		return err;
	}
}

static void see_frame(struct wire_decoder *d, struct heard *h)
{
	int err = see_kind(d, h);

	MUST(!series_check_host(wire_decoder_host(d)) && wire_decoder_wall_ns(d) >= 0);
	MUST(!err || err == -EILSEQ);
	h->frames += !err;
	h->damaged += err != 0;
	if (err)
		MUST(strstr(series_error(), wire_decoder_host(d)));
}

/* In pieces of at most `step` bytes. */
static struct heard hear(const uint8_t *at, size_t n, size_t step)
{
	struct wire_decoder *d;
	struct heard h = {0};

	MUST(!wire_decoder_new(&d));
	wire_decoder_kinds(d, ~0U);
	while (n && !h.err) {
		size_t some = n < step ? n : step, taken;
		int got = wire_decoder_take(d, at, some, &taken);

		MUST(taken <= some && (taken || got < 0));
		MUST(got || taken == some);
		at += taken;
		n -= taken;
		if (got > 0)
			see_frame(d, &h);
		else if (got == -EILSEQ)
			h.damaged++;
		else
			h.err = got;
	}
	MUST(!h.err || h.err == -EBADMSG || h.err == -EPROTONOSUPPORT || h.err == -EMSGSIZE);
	if (getenv("FUZZ_TAKEN"))
		MUST(h.frames && !h.damaged && !h.err);
	wire_decoder_free(d);
	return h;
}

static void put_le(unsigned char *at, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (unsigned char)(v >> 8 * i);
}

static size_t make_frame(unsigned char *to, unsigned int kind, const uint8_t *from, size_t n)
{
	size_t host = strlen(HOST), head = WIRE_FIXED + host, time = n < 8 ? n : 8;
	const uint8_t *body = from + time;

	n -= time;
	memset(to + AT_TIME, 0, 8);
	memcpy(to + AT_TIME, from, time);
	memcpy(to, WIRE_MAGIC, 4);
	to[AT_VERSION] = WIRE_VERSION;
	to[AT_KIND] = (unsigned char)kind;
	to[AT_HOST_LEN] = (unsigned char)host;
	to[AT_FLAGS] = 0;
	put_le(to + AT_LENGTH, n, 4);
	put_le(to + AT_SUM, wire_sum(body, n), 4);
	memcpy(to + WIRE_FIXED, HOST, host);
	put_le(to + head, wire_sum(to, head), 4);
	memcpy(to + head + 4, body, n);
	return head + 4 + n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *made = NULL;
	struct heard whole, pieces;
	size_t step;

	if (!size)
		return 0;
	step = data[0] < WIRE_KINDS ? 7 : data[0];
	if (data[0] && data[0] < WIRE_KINDS) {
		made = malloc(size + WIRE_HEAD_MAX);
		MUST(made);
		size = make_frame(made, data[0], data + 1, size - 1);
		data = made;
	} else {
		data++;
		size--;
	}
	whole = hear(data, size, SIZE_MAX);
	pieces = hear(data, size, step);
	MUST(whole.frames == pieces.frames && whole.damaged == pieces.damaged);
	MUST(whole.digest == pieces.digest && whole.err == pieces.err);
	free(made);
	return 0;
}
