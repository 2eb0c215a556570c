// SPDX-License-Identifier: BSD-2-Clause
/* hadoop_source.h: times of lines. */

#include "hadoop_source.h"

#include <string.h>

#include "userspace/common/clock.h"

/*
 * Digits where the pattern has 0, otherwise what it has itself: 8 bytes at once. Beside a pattern byte of 0 a digit
 * leaves 0 … 9, and what is the same 0; to which as much is added that what is more has its high bit set.
 */
static bool are_like(const char *s, const char *pattern)
{
	const uint64_t high = 0x8080808080808080U;
	uint64_t is, want, zero, literal;

	memcpy(&is, s, 8);
	memcpy(&want, pattern, 8);
	is ^= want;
	zero = want ^ 0x3030303030303030U; /* a byte of 0 where the pattern has '0' */
	literal = (zero + 0x7f7f7f7f7f7f7f7fU) & high;
	return !((is | (is + 0x7676767676767676U + literal / 128 * 9)) & high);
}

/* The same of a pattern of eight bytes or more; the last ones are looked at twice. */
static bool is_like(const char *s, const char *pattern)
{
	size_t n = strlen(pattern), i = 0;

	for (; i + 8 < n; i += 8)
		if (!are_like(s + i, pattern + i))
			return false;
	return are_like(s + n - 8, pattern + n - 8);
}

static int two(const char *s)
{
	return 10 * (s[0] - '0') + s[1] - '0';
}

/* Days since 1970 of the Gregorian calendar, years from March on, so that a leap day is their last; -1: no such day, or
 * one of no log: nanoseconds end in 2262. */
static int64_t days(int year, int month, int day)
{
	int months = (month + 9) % 12, years = year - (month < 3);

	if (year < 1970 || year > 2200 || month < 1 || month > 12 || day < 1 || day > 31)
		return -1;
	return 365 * (int64_t)years + years / 4 - years / 100 + years / 400 +
	       (153 * months + 2) / 5 + day - 1 - 719468;
}

size_t hadoop_stamp(const char *s, size_t len, int64_t *ns)
{
	const char *hour, *pid;
	size_t bytes = 24, apart = 3; /* of hours, minutes and seconds, two digits each */
	int64_t day, ms = 0;

	if (len > 23 && is_like(s, "0000-00-00 00:00:00,000")) {
		hour = s + 11;
		day = days(100 * two(s) + two(s + 2), two(s + 5), two(s + 8));
		ms = 10 * two(s + 20) + s[22] - '0';
	} else if (len > 17 && is_like(s, "00/00/00 00:00:00")) {
		hour = s + 9;
		day = days(2000 + two(s), two(s + 3), two(s + 6));
		bytes = 18;
	} else if (len > 14 && is_like(s, "000000 000000 ") &&
		   (pid = memchr(s + 14, ' ', len - 14))) {
		day = days(2000 + two(s), two(s + 2), two(s + 4));
		hour = s + 7;
		apart = 2;
		bytes = (size_t)(pid + 1 - s);
	} else {
		return 0;
	}
	*ns = ((day * 24 + two(hour)) * 60 + two(hour + apart)) * 60 * NS_PER_S +
	      two(hour + 2 * apart) * NS_PER_S + ms * NS_PER_MS;
	return day < 0 ? 0 : bytes;
}

bool hadoop_stamped(const char *head, size_t n)
{
	int64_t ns;

	for (const char *line = head, *nl; line < head + n; line = nl + 1) {
		nl = memchr(line, '\n', (size_t)(head + n - line));
		nl = nl ? nl : head + n;
		if (hadoop_stamp(line, (size_t)(nl - line), &ns))
			return true;
	}
	return false;
}
