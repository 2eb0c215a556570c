// SPDX-License-Identifier: BSD-2-Clause
/* hadoop_stamp.h */
#include "hadoop_stamp.h"

#include <string.h>
#include <time.h>

#include "userspace/common/clock.h"

/* Digits where the pattern has 0, otherwise what it has itself. */
static bool is_stamp(const char *s, size_t n)
{
	static const char pattern[] = "0000-00-00 00:00:00,000";

	if (n < sizeof(pattern) - 1)
		return false;
	for (size_t i = 0; i < sizeof(pattern) - 1; i++)
		if (pattern[i] == '0' ? s[i] < '0' || s[i] > '9' : s[i] != pattern[i])
			return false;
	return true;
}

int64_t hadoop_stamp(const struct log *l, const char *line, size_t len)
{
	struct tm tm = {0};
	int64_t s;

	if (!is_stamp(line, len))
		return -1;
	tm.tm_year = (int)log_number(line, 4) - 1900;
	tm.tm_mon = (int)log_number(line + 5, 2) - 1;
	tm.tm_mday = (int)log_number(line + 8, 2);
	tm.tm_hour = (int)log_number(line + 11, 2);
	tm.tm_min = (int)log_number(line + 14, 2);
	tm.tm_sec = (int)log_number(line + 17, 2);
	s = timegm(&tm);
	if (s <= 0 || s >= INT64_MAX / NS_PER_S)
		return -1;
	return log_utc(l, s * NS_PER_S + log_number(line + 20, 3) * NS_PER_MS);
}

bool hadoop_stamped(const char *head, size_t n)
{
	for (const char *line = head, *nl; line < head + n; line = nl + 1) {
		if (is_stamp(line, (size_t)(head + n - line)))
			return true;
		nl = memchr(line, '\n', (size_t)(head + n - line));
		if (!nl)
			break;
	}
	return false;
}
