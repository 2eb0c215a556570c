// SPDX-License-Identifier: BSD-2-Clause
/* log_source.h: names of logs that were rotated: log4j's, logrotate's and Spark's. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "log_source.h"

enum {
	NUMBER_DIGITS = 4, /* "x.log.12"; more are a day */
	DAY_DIGITS = 8,
};

static size_t without(const char *path, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len > n && !memcmp(path + len - n, end, n) ? len - n : len;
}

static bool ends_in_log(const char *path, size_t len)
{
	return without(path, len, ".log") < len || without(path, len, ".out") < len;
}

/* Digits and lines at the end, which a dot, or of a day a line, parts from the name of a log: where the name ends. */
static size_t name_len(const char *path, size_t len)
{
	size_t at = len, digits = 0;

	while (at && (isdigit((unsigned char)path[at - 1]) || path[at - 1] == '-'))
		digits += path[--at] != '-';
	if (at == len || at < 2)
		return len;
	if (path[at - 1] == '.')
		return at - 1;
	return path[at] == '-' && digits >= DAY_DIGITS && ends_in_log(path, at) ? at : len;
}

static size_t plain_len(const char *path)
{
	static const char *const packed[] = {".gz", ".xz", ".bz2", ".zst"};
	size_t len = strlen(path);

	for (size_t i = 0; i < sizeof(packed) / sizeof(*packed); i++)
		len = without(path, len, packed[i]);
	return without(path, len, ".inprogress");
}

size_t log_stem_len(const char *path)
{
	return name_len(path, plain_len(path));
}

/* Which of the names of one log is older: days before numbers, the greatest number first, the bare name last. */
static int by_age(const char *x, size_t n, const char *y, size_t m)
{
	size_t a = plain_len(x) - n, b = plain_len(y) - m; /* of the suffix */
	bool number_a = a <= NUMBER_DIGITS + 1, number_b = b <= NUMBER_DIGITS + 1;

	if (!a || !b)
		return (a == 0) - (b == 0);
	if (number_a != number_b)
		return number_a ? 1 : -1;
	if (number_a) {
		long p = strtol(x + n + 1, NULL, 10), q = strtol(y + m + 1, NULL, 10);

		return (q > p) - (q < p);
	}
	/* behind what parts them from the name */
	return strncmp(x + n + 1, y + m + 1, (a < b ? a : b) - 1) ?: (a > b) - (a < b);
}

int log_order(const char *x, const char *y)
{
	size_t n = log_stem_len(x), m = log_stem_len(y), least = n < m ? n : m;
	int order = memcmp(x, y, least);

	if (order || n != m)
		return order ? order : n < m ? -1 : 1;
	order = by_age(x, n, y, m);
	return order ? order : strcmp(x, y);
}
