// SPDX-License-Identifier: BSD-2-Clause
/*
 * What requests of senders say, but for what is in their frames (fuzz_wire): the host that is to be enrolled, the name and the origin of a
 * series file, the path of a log, a query, the frames of a body. The first byte says which of them it is.
 */
#include "fuzz.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/serve/body_frames.h"
#include "analyzer/http/listener.h"
#include "analyzer/serve/logs_kept.h"
#include "analyzer/serve/request_words.h"
#include "userspace/common/text_clean.h"

static int see_enrolment(const char *text, size_t len)
{
	char host[HOST_LEN] = "";
	int err = enrolment_host(text, len, host);

	MUST(err || !series_check_host(host));
	MUST(err || memmem(text, len, host, strlen(host)));
	return err;
}

static int see_file(const char *text, size_t len)
{
	char host[HOST_LEN] = "";
	int err = series_file_host(text, host);

	(void)len;
	MUST(err || (!series_check_host(host) && !strchr(text, '/')));
	MUST(err || strlen(text) == strlen(host) + strlen("-YYYYMMDD.limpet"));
	return err;
}

static int see_origin(const char *text, size_t len)
{
	char again[32];
	int64_t ns = -1;
	int err = origin_ns(text, &ns);

	(void)len;
	snprintf(again, sizeof(again), "%019lld", (long long)ns);
	MUST(err || (ns >= 0 && !strcmp(again + 19 - strlen(text), text)));
	return err;
}

/* Walked along, it never leaves its folder, and each part is a name that a file can have. */
static int see_path(const char *text, size_t len)
{
	char clean[4096], *part, *rest = clean;
	int deep = 0;

	if (len >= sizeof(clean) || logs_kept_check(text))
		return -EINVAL;
	snprintf(clean, sizeof(clean), "%s", text);
	MUST(!strcmp(text_clean(clean), text));
	while ((part = strsep(&rest, "/"))) {
		MUST(*part && strlen(part) + 2 <= 255 && strcmp(part, ".") && strcmp(part, ".."));
		deep++;
	}
	MUST(deep <= LOG_DEEP_MAX && strlen(text) + 2 < WIRE_PATH_LEN);
	return 0;
}

static int see_query(const char *text, size_t len)
{
	struct listener_request r = {.query = text};
	char value[16];

	if (!listener_query(&r, "origin", value, sizeof(value)))
		return -EINVAL;
	MUST(memchr(value, 0, sizeof(value)) && !strchr(value, '&'));
	MUST(memmem(text, len, value, strlen(value)) && strstr(text, "origin="));
	return 0;
}

static int see_quote(const char *text, size_t len)
{
	struct text t = {0};
	const char *at;

	(void)len;
	listener_quote(&t, text);
	at = text_of(&t);
	MUST(*at == '"' && t.len >= 2 && at[t.len - 1] == '"');
	for (at++; at[1]; at++) {
		MUST((unsigned char)*at >= ' ' && *at != '"');
		if (*at == '\\') {
			at++;
			MUST(*at == '\\' || *at == '"');
		}
	}
	text_release(&t);
	return 0;
}

static int see_frames(const char *text, size_t len)
{
	struct body_frames f = {0};
	char why[WHY_LEN] = "";
	size_t sum = 0;
	int err = body_frames_split(&f, text, len, WIRE_LINES, why);

	MUST(!err || err == -EBADMSG || err == -EACCES);
	MUST(!err || *why);
	for (size_t i = 0; !err && i < f.n; i++) {
		const struct wire_lines *l;

		MUST(f.at[i].at == sum);
		sum += f.at[i].len;
		if (!body_frame_lines(&f, i, &l))
			MUST(!strstr(l->path, "../") && *l->path != '/');
	}
	MUST(err || (sum == len && (!len || !series_check_host(f.host))));
	body_frames_release(&f);
	return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int (*const see[])(const char *text, size_t len) = {
		see_enrolment, see_file, see_origin, see_path, see_query, see_quote, see_frames};
	size_t which = size ? data[0] % 16 : 0;
	char *text;
	int err;

	if (!size || which >= sizeof(see) / sizeof(*see))
		return 0;
	text = malloc(size);
	MUST(text);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	err = see[which](text, size - 1);
	MUST(!err || !getenv("FUZZ_TAKEN"));
	free(text);
	return 0;
}
