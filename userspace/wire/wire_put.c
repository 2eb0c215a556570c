// SPDX-License-Identifier: BSD-2-Clause
/* Headers and fields of frames; and frames of copies and of lines, which are not more than that. wire.h documents every byte. */
#include <errno.h>
#include <string.h>

#include "internal.h"

void wire_put_varint(struct text *t, uint64_t v)
{
	char byte;

	for (; v >= 0x80; v >>= 7) {
		byte = (char)(v | 0x80);
		text_put_bytes(t, &byte, 1);
	}
	byte = (char)v;
	text_put_bytes(t, &byte, 1);
}

void wire_put_field(struct text *t, enum wire_field field, const char *at, size_t len)
{
	wire_put_varint(t, field);
	wire_put_varint(t, len);
	if (len)
		text_put_bytes(t, at, len);
}

static void put_number(unsigned char *at, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (unsigned char)(v >> 8 * i);
}

int wire_put_frame(struct text *to, enum wire_kind kind, const char *host, int64_t wall_ns,
		   const struct text *body)
{
	unsigned char head[WIRE_HEAD_MAX] = WIRE_MAGIC;
	size_t host_len = strlen(host), len = WIRE_FIXED + host_len, was = to->len;

	head[AT_VERSION] = WIRE_VERSION;
	head[AT_KIND] = (unsigned char)kind;
	head[AT_HOST_LEN] = (unsigned char)host_len;
	put_number(head + AT_LENGTH, body->len, 4);
	put_number(head + AT_SUM, wire_sum(text_of(body), body->len), 4);
	put_number(head + AT_TIME, (uint64_t)wall_ns, 8);
	memcpy(head + WIRE_FIXED, host, host_len);
	put_number(head + len, wire_sum(head, len), 4);
	text_put_bytes(to, (const char *)head, len + 4);
	text_put_bytes(to, text_of(body), body->len);
	if (!body->failed && !to->failed)
		return 0;
	to->len = was;
	return series_fail(-ENOMEM, "out of memory");
}

static int check(const char *host, int64_t wall_ns, const struct text *body)
{
	const char *wrong = series_check_host(host);

	if (wrong)
		return series_fail(-EINVAL, "'%s': %s", host, wrong);
	if (wall_ns < 0)
		return series_fail(-EINVAL, "it is before 1970");
	return body->len > WIRE_BODY_MAX
		       ? series_fail(-E2BIG, "%zu bytes are more than a frame may have", body->len)
		       : 0;
}

int wire_put_copy(const char *host, int64_t wall_ns, const void *part, size_t len, struct text *to)
{
	struct text body TEXT_SCOPED = {0};
	int err;

	wire_put_field(&body, FIELD_COPY, part, len);
	err = check(host, wall_ns, &body);
	return err ? err : wire_put_frame(to, WIRE_COPY, host, wall_ns, &body);
}

bool wire_path_valid(const char *path)
{
	const char *at = path;

	if (!*path || strlen(path) >= WIRE_PATH_LEN)
		return false;
	for (;;) {
		size_t len = strcspn(at, "/");

		if (!len || (len <= 2 && !strncmp(at, "..", len)))
			return false;
		for (size_t i = 0; i < len; i++)
			if ((unsigned char)at[i] < ' ' || at[i] == 0x7f)
				return false;
		if (!at[len])
			return true;
		at += len + 1;
	}
}

bool wire_identity_valid(const char *identity)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
	size_t len = strspn(identity, letters);

	return len && len < WIRE_IDENTITY_LEN && !identity[len];
}

int wire_put_lines(const char *host, int64_t wall_ns, const struct wire_lines *l, struct text *to)
{
	struct text body TEXT_SCOPED = {0}, offset TEXT_SCOPED = {0};
	int err;

	if (!wire_path_valid(l->path) || !wire_identity_valid(l->identity) || l->len > INT64_MAX ||
	    l->offset > INT64_MAX - l->len)
		return series_fail(-EINVAL, "'%s' is no name of a log", l->path);
	wire_put_field(&body, FIELD_PATH, l->path, strlen(l->path));
	wire_put_field(&body, FIELD_IDENTITY, l->identity, strlen(l->identity));
	wire_put_varint(&offset, l->offset);
	wire_put_field(&body, FIELD_OFFSET, text_of(&offset), offset.len);
	if (l->len)
		wire_put_field(&body, FIELD_BYTES, l->at, l->len);
	if (offset.failed)
		text_fail(&body);
	err = check(host, wall_ns, &body);
	return err ? err : wire_put_frame(to, WIRE_LINES, host, wall_ns, &body);
}
