// SPDX-License-Identifier: BSD-2-Clause
/* Times as tables print them: numbers of any unit, or dates. */

#include "internal.h"

#include <errno.h>
#include <string.h>

#include "userspace/common/clock.h"

#define SECONDS_MAX 9000000000 /* the year 2255: its nanoseconds still are an int64_t */

/* Digits behind a point, of that unit. */
static int64_t parse_fraction(const char **p, const char *end, int64_t unit)
{
	int64_t part = 0;

	for (; *p < end && **p >= '0' && **p <= '9'; (*p)++) {
		unit /= 10;
		part += (**p - '0') * unit;
	}
	return part;
}

/*
 * A number is in the unit that puts it nearest to our time: 10^11 seconds are the year 5138, 10^11
 * milliseconds 1973; and so on by factors of 1000.
 */
static int epoch_ns(const char *p, const char *end, int64_t *ns)
{
	static const struct {
		double below;
		int64_t unit;
	} units[] = {{1e11, NS_PER_S}, {1e14, NS_PER_MS}, {1e17, NS_PER_US}, {9.2e18, 1}};
	int64_t whole = 0, part = 0, unit = NS_PER_S;
	double v;

	for (const char *q = p; q < end; q++)
		if ((*q < '0' || *q > '9') && *q != '.') { /* an exponent, or nonsense */
			if (number_parse(p, (size_t)(end - p), &v) != NUMBER_VALUE || !(v >= 0))
				return -EINVAL;
			for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
				if (v < units[i].below && v * (double)units[i].unit < 9.0e18) {
					*ns = (int64_t)(v * (double)units[i].unit);
					return 0;
				}
			return -EINVAL;
		}
	if (p == end || *p == '.')
		return -EINVAL;
	for (; p < end && *p != '.'; p++) {
		if (whole > INT64_MAX / 10 - 1)
			return -EINVAL;
		whole = whole * 10 + (*p - '0');
	}
	for (size_t i = sizeof(units) / sizeof(*units); i-- > 0;)
		if ((double)whole < units[i].below)
			unit = units[i].unit;
	if (whole > SECONDS_MAX * (NS_PER_S / unit))
		return -EINVAL;
	if (p < end) {
		p++;
		part = parse_fraction(&p, end, unit);
	}
	*ns = whole * unit + part;
	return p == end ? 0 : -EINVAL;
}

/* Exactly `n` digits. */
static bool digits(const char **p, const char *end, int n, int *out)
{
	*out = 0;
	for (; n > 0; n--, (*p)++) {
		if (*p == end || **p < '0' || **p > '9')
			return false;
		*out = *out * 10 + (**p - '0');
	}
	return true;
}

static bool one(const char **p, const char *end, const char *of)
{
	if (*p == end || !strchr(of, **p))
		return false;
	(*p)++;
	return true;
}

static bool one_or_two(const char **p, const char *end, int *out)
{
	bool two = end - *p >= 2 && (*p)[1] >= '0' && (*p)[1] <= '9';

	return digits(p, end, two ? 2 : 1, out);
}

/* Days since 1970-01-01 of the Gregorian calendar: years counted from March on. */
static int64_t days(int year, int month, int day)
{
	int64_t y = month <= 2 ? year - 1 : year, era = y / 400, of_era = y - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* "", "Z", " UTC", "+01:00", "+0100", "+01": seconds to take off. */
static int zone(const char *p, const char *end, int64_t *off)
{
	int hours, minutes = 0, sign;

	*off = 0;
	if (p < end && *p == ' ')
		p++;
	if (p == end || (end - p == 1 && (*p == 'Z' || *p == 'z')) ||
	    (end - p == 3 && !memcmp(p, "UTC", 3)))
		return 0;
	sign = *p == '-' ? -1 : 1;
	if (!one(&p, end, "+-") || !digits(&p, end, 2, &hours))
		return -EINVAL;
	if (p < end) {
		one(&p, end, ":");
		if (!digits(&p, end, 2, &minutes))
			return -EINVAL;
	}
	*off = sign * (hours * 3600 + minutes * 60);
	return p == end && hours < 24 && minutes < 60 ? 0 : -EINVAL;
}

/* "2018-01-28", "2018/01/28", "28.01.2018", "28-01-2018", "1/28/18": of the last two kinds a file's other dates tell the order. */
static int day(const char **p, const char *end, enum time_order *order, int *year, int *month,
	       int *of_month)
{
	const char *from = *p;
	bool month_first;
	int first, second;
	char sep[2] = "";

	if (digits(p, end, 4, year)) {
		sep[0] = *p < end ? **p : 0;
		return one(p, end, "-/") && digits(p, end, 2, month) && one(p, end, sep) &&
				       digits(p, end, 2, of_month)
			       ? 0
			       : -EINVAL;
	}
	*p = from;
	if (!one_or_two(p, end, &first))
		return -EINVAL;
	sep[0] = *p < end ? **p : 0;
	if (!one(p, end, "./-") || !one_or_two(p, end, &second) || !one(p, end, sep))
		return -EINVAL;
	from = *p;
	if (!digits(p, end, 4, year)) {
		*p = from;
		if (*sep == '-' || !digits(p, end, 2, year)) /* 26-11-27: nobody knows the year */
			return -EINVAL;
		*year += 2000;
	}
	if (*order == TIME_ORDER_UNKNOWN && (*sep == '.' || first > 12 || second > 12))
		*order = *sep == '.' ? TIME_DOTTED : first > 12 ? TIME_DAY_FIRST : TIME_MONTH_FIRST;
	if (*sep != '.' && *order == TIME_ORDER_UNKNOWN && first != second)
		return -EDOM;
	month_first = *sep != '.' && *order == TIME_MONTH_FIRST;
	*month = month_first ? first : second;
	*of_month = month_first ? second : first;
	return 0;
}

/* "19:26", "19:26:05", "19:26:05.25", "7:26 PM" */
static bool hours(const char **p, const char *end, int hms[3], int64_t *part)
{
	const char *half;

	if (!one_or_two(p, end, &hms[0]) || !one(p, end, ":") || !digits(p, end, 2, &hms[1]))
		return false;
	if (one(p, end, ":")) {
		if (!digits(p, end, 2, &hms[2]))
			return false;
		if (one(p, end, ".,"))
			*part = parse_fraction(p, end, NS_PER_S);
	}
	half = *p + (*p < end && **p == ' ');
	if (end - half >= 2 && strchr("AaPp", *half) && (half[1] == 'M' || half[1] == 'm')) {
		if (hms[0] < 1 || hms[0] > 12)
			return false;
		hms[0] = hms[0] % 12 + (*half == 'P' || *half == 'p' ? 12 : 0);
		*p = half + 2;
	}
	return hms[0] <= 23 && hms[1] <= 59 && hms[2] <= 60;
}

static int date(const char *p, const char *end, enum time_order *order, int64_t *ns, bool *local)
{
	static const int last[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int year, month, of_month, hms[3] = {0};
	int64_t off = 0, part = 0, all;
	int err = day(&p, end, order, &year, &month, &of_month);

	if (err)
		return err;
	if (p < end) {
		if (one(&p, end, ",") && (p == end || *p != ' '))
			return -EINVAL;
		if (!one(&p, end, "T ") || !hours(&p, end, hms, &part))
			return -EINVAL;
		*local |= p == end;
		if (zone(p, end, &off))
			return -EINVAL;
	}
	if (month < 1 || month > 12 || of_month < 1 || of_month > last[month - 1] ||
	    (month == 2 && of_month == 29 && (year % 4 || (year % 100 == 0 && year % 400))))
		return -EINVAL;
	all = days(year, month, of_month) * 86400 + hms[0] * 3600 + hms[1] * 60 + hms[2] - off;
	if (all < 0 || all > SECONDS_MAX)
		return -EINVAL;
	*ns = all * NS_PER_S + part;
	return 0;
}

/* A date begins with digits and another character but a point, or has a second one. */
static bool is_date(const char *s, const char *end)
{
	const char *after = s;

	while (after < end && *after >= '0' && *after <= '9')
		after++;
	return after < end && after > s && after - s <= 4 &&
	       (*after == '-' || *after == '/' ||
		(*after == '.' && memchr(after + 1, '.', (size_t)(end - after - 1))));
}

static int parse(const char *s, size_t len, enum time_order *order, int64_t *ns, bool *local)
{
	return is_date(s, s + len) ? date(s, s + len, order, ns, local) : epoch_ns(s, s + len, ns);
}

int time_parse(const char *s, size_t len, enum time_order *order, int64_t *ns)
{
	bool local = false;

	return parse(s, len, order, ns, &local);
}

int lines_time(struct lines *l, const char *s, size_t len, int64_t *ns)
{
	int err = parse(s, len, &l->order, ns, &l->local);

	if (err == -EDOM)
		return lines_bad(l,
				 "'%.40s': which is the month? write dates as 2026-11-21 19:26:00 "
				 "(sysstat does so with S_TIME_FORMAT=ISO)",
				 s);
	return err ? lines_bad(l, "'%.40s' is no time%s", s, l->hint ?: "") : 0;
}
