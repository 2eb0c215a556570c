// SPDX-License-Identifier: BSD-2-Clause
/* times.h */
#include "times.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

enum { DAY_S = 86400 };

struct time_here time_here;

/* A day and a clock, as they were said. */
struct said_time {
	int64_t day;	 /* since 1970 */
	int64_t back;	 /* of today and yesterday: days before today */
	bool date, word; /* YYYY-MM-DD; today or yesterday */
	bool clock, zone;
	int64_t clock_ns, ahead_s; /* of the day; the zone's, of UTC */
};

/* ---- the string, from left to right ------------------------------------------------------------- */

static bool take_word(const char **s, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*s, word, n) != 0)
		return false;
	*s += n;
	return true;
}

/* A number of `least` to `most` digits. */
static bool take_number(const char **s, int least, int most, int *v)
{
	int n = 0;

	for (*v = 0; n < most && isdigit((unsigned char)**s); n++)
		*v = *v * 10 + *(*s)++ - '0';
	return n >= least;
}

static bool take_date(const char **s, int64_t *day)
{
	int year, month, of_month;
	struct tm tm = {0};

	if (!take_number(s, 4, 4, &year) || !take_word(s, "-") || !take_number(s, 1, 2, &month) ||
	    !take_word(s, "-") || !take_number(s, 1, 2, &of_month) || month < 1 || month > 12)
		return false;
	tm.tm_year = year - 1900;
	tm.tm_mon = month - 1;
	tm.tm_mday = of_month;
	*day = timegm(&tm) / DAY_S;
	return tm.tm_mday == of_month; /* there is no 31 February */
}

static bool take_clock(const char **s, int64_t *ns)
{
	int hour, minute, second = 0, digit;
	int64_t part = 0;

	if (!take_number(s, 1, 2, &hour) || !take_word(s, ":") || !take_number(s, 2, 2, &minute))
		return false;
	if (take_word(s, ":")) {
		if (!take_number(s, 2, 2, &second))
			return false;
		part = take_word(s, ".") ? NS_PER_S / 10 : 0;
	}
	if (part && !isdigit((unsigned char)**s))
		return false;
	*ns = (hour * 3600 + minute * 60 + second) * NS_PER_S;
	for (; part && take_number(s, 1, 1, &digit); part /= 10)
		*ns += digit * part;
	return hour < 24 && minute < 60 && second < 60;
}

bool time_offset(const char **s, int64_t *seconds)
{
	int sign = **s == '-' ? -1 : 1, hours, minutes;

	if (!take_word(s, "+") && !take_word(s, "-"))
		return false;
	if (!take_number(s, 2, 2, &hours))
		return false;
	take_word(s, ":");
	if (!take_number(s, 2, 2, &minutes) || hours > 14 || minutes > 59)
		return false;
	*seconds = sign * (hours * 3600 + minutes * 60);
	return true;
}

/* Whether nothing else stands there. */
static bool take_zone(const char *s, struct said_time *t)
{
	if (!*s)
		return true;
	take_word(&s, " ");
	t->zone = take_word(&s, "Z") || take_word(&s, "UTC") || time_offset(&s, &t->ahead_s);
	return t->zone && !*s;
}

static bool take_day_and_clock(const char *s, struct said_time *t)
{
	const char *from = s;

	if (take_word(&s, "today") || take_word(&s, "yesterday")) {
		t->word = true;
		t->back = *from == 'y';
	} else {
		t->date = take_date(&s, &t->day);
		if (!t->date)
			s = from;
	}
	from = s;
	if (t->date || t->word) {
		t->clock = (t->date && take_word(&s, "T")) ||
			   (*s == ' ' && isdigit((unsigned char)s[1]) && take_word(&s, " "));
		if (!t->clock)
			return take_zone(s, t);
	}
	t->clock = take_clock(&s, &t->clock_ns);
	return t->clock && take_zone(s, t);
}

/* The rest of "-2h30m", behind its sign. */
static bool take_span(const char *s, int64_t *ns)
{
	static const struct {
		const char *word;
		int64_t seconds;
	} units[] = {{"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600}, {"d", DAY_S}, {"w", 7 * DAY_S}};
	int64_t part;
	size_t k;
	int n;

	*ns = 0;
	do {
		if (!take_number(&s, 1, 6, &n))
			return false;
		for (k = 0; k < sizeof(units) / sizeof(*units); k++)
			if (take_word(&s, units[k].word))
				break;
		if (k == sizeof(units) / sizeof(*units) ||
		    __builtin_mul_overflow(n * units[k].seconds, NS_PER_S, &part) ||
		    __builtin_add_overflow(*ns, part, ns))
			return false;
	} while (*s);
	return true;
}

/* ---- zones -------------------------------------------------------------------------------------- */

/* How far the local clock is ahead of UTC at this time. */
static int64_t ahead_at(int64_t seconds)
{
	time_t t = (time_t)seconds;
	struct tm tm;

	return localtime_r(&t, &tm) ? tm.tm_gmtoff : 0;
}

/* The times at which the local clock shows `clock` (seconds as if it were UTC), in order. How many: 0 to 2. */
static int local_times(int64_t clock, int64_t at[2])
{
	int64_t before = ahead_at(clock - DAY_S), after = ahead_at(clock + DAY_S);
	int n = 0;

	if (ahead_at(clock - before) == before)
		at[n++] = clock - before;
	if (after != before && ahead_at(clock - after) == after)
		at[n++] = clock - after;
	return n;
}

/* Of a clock that is skipped: when it was put forward. */
static int64_t put_forward(int64_t clock)
{
	int64_t before = ahead_at(clock - DAY_S);
	int64_t last = clock - ahead_at(clock + DAY_S), next = clock - before;

	while (next - last > 1) {
		int64_t middle = last + (next - last) / 2;

		if (ahead_at(middle) == before)
			last = middle;
		else
			next = middle;
	}
	return next;
}

static void put_local(int64_t seconds, char *to, size_t size)
{
	time_t t = (time_t)seconds;
	struct tm tm;

	if (!localtime_r(&t, &tm) || !strftime(to, size, "%Y-%m-%dT%H:%M:%S", &tm))
		snprintf(to, size, "?");
	else
		snprintf(to + strlen(to), size - strlen(to), "%c%02ld:%02ld",
			 tm.tm_gmtoff < 0 ? '-' : '+', labs(tm.tm_gmtoff) / 3600,
			 labs(tm.tm_gmtoff) / 60 % 60);
}

static int local_to_utc(const struct said_time *t, int64_t clock, int64_t *seconds,
			char why[WHY_LEN])
{
	char first[40], second[40];
	int64_t at[2];
	int n = local_times(clock, at);

	if (n == 2 && t->clock) {
		put_local(at[0], first, sizeof(first));
		put_local(at[1], second, sizeof(second));
		snprintf(why, WHY_LEN, "the local clock shows this time twice: say %s or %s", first,
			 second);
		return -EINVAL;
	}
	if (n) {
		*seconds = at[0];
		return 0;
	}
	/* the first second of a day that begins with what is skipped; by the clock before */
	*seconds = clock - ahead_at(clock - DAY_S);
	if (!t->clock && *seconds + ahead_at(*seconds) < clock + DAY_S)
		return 0;
	put_local(put_forward(clock), first, sizeof(first));
	snprintf(why, WHY_LEN,
		 "this local time does not exist, as clocks were put forward: the next one is %s",
		 first);
	return -EINVAL;
}

void time_shown(int64_t seconds, struct tm *tm)
{
	time_t t = (time_t)seconds;

	if (!time_here.shown || !localtime_r(&t, tm))
		gmtime_r(&t, tm);
}

const char *time_zone_shown(void)
{
	return time_here.shown ? "local time" : "UTC";
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static int64_t day_of(int64_t seconds)
{
	return seconds / DAY_S - (seconds % DAY_S < 0);
}

/* Of a clock alone that is not reached today, `ahead_s` of UTC. */
static void still_to_come(const char *s, const struct said_time *t, const struct time_here *here,
			  int64_t ahead_s, char why[WHY_LEN])
{
	int64_t now = here->now_ns / NS_PER_S + ahead_s;
	int64_t minute = (now - day_of(now) * DAY_S) / 60;

	snprintf(why, WHY_LEN,
		 "%.40s%s is still to come (it is %02d:%02d): say 'yesterday %.40s'%s", s,
		 t->zone       ? ""
		 : here->local ? " local time"
			       : " UTC",
		 (int)(minute / 60), (int)(minute % 60), s,
		 here->may_local && !here->local && !t->zone
			 ? ", or --local-time if you mean local time"
			 : "");
}

static int parse_day_and_clock(const char *s, const struct time_here *here, int64_t *ns,
			       char why[WHY_LEN])
{
	struct said_time t = {0};
	int64_t seconds, at, now, ahead_s = 0;
	bool local;

	if (!take_day_and_clock(s, &t) || (!here && !t.date))
		return -EINVAL;
	local = here && here->local && !t.zone;
	if (!t.date) {
		now = here->now_ns / NS_PER_S;
		ahead_s = local ? ahead_at(now) : t.ahead_s;
		t.day = day_of(now + ahead_s) - t.back;
	}
	seconds = t.day * DAY_S + t.clock_ns / NS_PER_S - t.ahead_s;
	if (local && local_to_utc(&t, seconds, &seconds, why))
		return -EINVAL;
	/* from 1677 to 2262 is what fits */
	if (__builtin_mul_overflow(seconds, NS_PER_S, &at) ||
	    __builtin_add_overflow(at, t.clock_ns % NS_PER_S, &at))
		return -EINVAL;
	if (!t.date && !t.word && at > here->now_ns) {
		still_to_come(s, &t, here, ahead_s, why);
		return -EINVAL;
	}
	*ns = at;
	return 0;
}

int time_said(const char *s, const struct time_here *here, int64_t *ns, char why[WHY_LEN])
{
	int64_t span;
	double sec;

	snprintf(why, WHY_LEN, "%s",
		 here ? "a time such as 2026-11-21T03:00:00Z, '2026-11-21 19:26', 19:26+01:00, "
			"'yesterday 19:00', today, now, -10m or @1795230000 is needed"
		      : "a time such as 2026-11-21T03:00:00Z or @1795230000 is needed");
	if (*s == '@') {
		if (parse_double(s + 1, 0, 9e9, &sec))
			return -EINVAL;
		*ns = ns_of_s(sec);
		return 0;
	}
	if (here && !strcmp(s, "now")) {
		*ns = here->now_ns;
		return 0;
	}
	if (here && *s == '-')
		return take_span(s + 1, &span) && !__builtin_sub_overflow(here->now_ns, span, ns)
			       ? 0
			       : -EINVAL;
	return parse_day_and_clock(s, here, ns, why);
}
