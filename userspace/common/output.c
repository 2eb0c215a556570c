// SPDX-License-Identifier: BSD-2-Clause
/* Standard output that reports its errors, files replaced in one step, times and names as text. */
#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "options.h"
#include "safe_open.h"
#include "text.h"
#include "text_clean.h"
#include "times.h"
#include "clock.h"

static int shown = -1; /* per cent; -1: no line stands there */

void output_progress(const char *what, double part)
{
	int percent = part >= 1 ? 100 : part > 0 ? (int)(100 * part) : 0;

	if (percent == shown || !isatty(STDERR_FILENO))
		return;
	shown = percent;
	fprintf(stderr, "\r%s: %d %%", what, percent);
}

void output_progress_end(void)
{
	if (shown >= 0)
		fprintf(stderr, "\r%40s\r", "");
	shown = -1;
}

int output_finish(int status)
{
	errno = 0;
	if (fflush(stdout) || ferror(stdout)) {
		if (errno != EPIPE)
			fail("cannot write the output%s%s", errno ? ": " : "",
			     errno ? strerror(errno) : "");
		return EXIT_FAILED;
	}
	if (text_lost()) {
		fail("out of memory: the output lacks some of its text");
		return EXIT_FAILED;
	}
	return status;
}

int output_replace(const char *path, const char *text, size_t len)
{
	char why[SAFE_WHY_LEN];
	int err = safe_replace(path, text, len, why);

	if (err)
		fail("cannot write '%s': %s", path, why);
	return err;
}

/* The zone as it is shown, or UTC. */
static const char *put_time(int64_t wall_ns, bool people, char buf[TIME_TEXT_LEN])
{
	time_t s = (time_t)(wall_ns / NS_PER_S);
	long ms = (long)(wall_ns % NS_PER_S / NS_PER_MS), ahead;
	struct tm tm;
	size_t n;

	if (ms < 0) {
		ms += 1000;
		s--;
	}
	if (people)
		time_shown(s, &tm);
	else
		gmtime_r(&s, &tm);
	ahead = tm.tm_gmtoff / 60;
	n = strftime(buf, TIME_TEXT_LEN, "%Y-%m-%dT%H:%M:%S", &tm);
	if (ms)
		n += (size_t)snprintf(buf + n, TIME_TEXT_LEN - n, ".%03d", (int)(ms % 1000));
	if (people && time_here.shown)
		snprintf(buf + n, TIME_TEXT_LEN - n, "%c%02d:%02d", ahead < 0 ? '-' : '+',
			 abs((int)ahead) / 60 % 100, abs((int)ahead) % 60);
	else
		snprintf(buf + n, TIME_TEXT_LEN - n, "Z");
	return buf;
}

const char *output_time(int64_t wall_ns, char buf[TIME_TEXT_LEN])
{
	return put_time(wall_ns, true, buf);
}

const char *output_time_utc(int64_t wall_ns, char buf[TIME_TEXT_LEN])
{
	return put_time(wall_ns, false, buf);
}

void output_csv(const char *s)
{
	bool quote = s && strpbrk(s, ",\"\r\n");

	if (quote)
		putchar('"');
	for (; s && *s; s++) {
		if (*s == '"')
			putchar('"');
		putchar(*s);
	}
	if (quote)
		putchar('"');
}

const char *output_clean(const char *s, char *buf, size_t size)
{
	text_clean(text_fit(buf, size, s));
	for (char *c = buf; (c = strpbrk(c, ",\"\\"));)
		*c = '?';
	return buf;
}

const char *output_plain(const char *s, char *buf, size_t size)
{
	char one[TEXT_SHOWN_LEN], *to = buf;

	*to = 0;
	while (*s) {
		s += text_shown(s, true, one);
		if (strlen(one) >= size - (size_t)(to - buf))
			break;
		to = stpcpy(to, one);
	}
	return buf;
}
