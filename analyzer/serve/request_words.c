// SPDX-License-Identifier: BSD-2-Clause
#include "request_words.h"

#include <errno.h>
#include <stdio.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include "userspace/common/json_scan.h"

#define FILE_END "-YYYYMMDD.limpet"

int enrolment_host(const void *body, size_t len, char host[HOST_LEN])
{
	struct wanted {
		struct json_part host;
	} wanted = {0};
	static const struct json_field fields[] = {JSON_FIELD("host", STRING, struct wanted, host),
						   JSON_FIELDS_END};
	struct json_scan j = json_scan(body, len);

	if (!scan_fields(&j, fields, &wanted) || !scan_end(&j) || !wanted.host.at ||
	    part_text(wanted.host, host, HOST_LEN) != wanted.host.len || series_check_host(host))
		return -EINVAL;
	return 0;
}

int series_file_host(const char *file, char host[HOST_LEN])
{
	size_t end = strlen(FILE_END), len = strlen(file);
	const char *day = file + len - end + 1;

	if (len <= end || len - end >= HOST_LEN || day[-1] != '-' ||
	    strspn(day, "0123456789") != 8 || strcmp(day + 8, ".limpet") != 0)
		return -EINVAL;
	memcpy(host, file, len - end);
	host[len - end] = '\0';
	return series_check_host(host) ? -EINVAL : 0;
}

int origin_ns(const char *text, int64_t *ns)
{
	size_t len = strlen(text);
	int64_t v = 0;

	if (!len || len > 19 || strspn(text, "0123456789") != len)
		return -EINVAL;
	for (; *text; text++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *text - '0', &v))
			return -EINVAL;
	*ns = v;
	return 0;
}

int64_t series_file_day(const char *file)
{
	size_t len = strlen(file), tail = strlen("YYYYMMDD" SERIES_SUFFIX);
	struct tm tm = {0};

	if (len < tail ||
	    sscanf(file + len - tail, "%4d%2d%2d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday) != 3)
		return -1;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	return (int64_t)timegm(&tm) / 86400;
}
