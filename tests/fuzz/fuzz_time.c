// SPDX-License-Identifier: BSD-2-Clause
/* options.h, times.h: the strict parsers of times, sizes and numbers. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "userspace/common/clock.h"
#include "userspace/common/options.h"
#include "userspace/common/output.h"
#include "userspace/common/times.h"

/* Of people, a year that clocks are put forward and back in. */
static const struct time_here here = {.now_ns = 1795262400 * NS_PER_S},
			      local = {.now_ns = 1795262400 * NS_PER_S, .local = true};

/* Whatever was said, it is one time, and a refusal has a reason. */
static void said(const char *s, const struct time_here *of)
{
	char why[WHY_LEN] = "", text[TIME_TEXT_LEN], again_why[WHY_LEN];
	int64_t ns = 77, again;

	if (time_said(s, of, &ns, why)) {
		MUST(ns == 77 && *why && strlen(why) < WHY_LEN - 1);
		return;
	}
	if (*s == '@')
		MUST(ns >= 0);
	/* What a year of four digits shows is said again, to the millisecond. */
	if (ns < 0 || ns > INT64_MAX - NS_PER_DAY)
		return;
	time_here.shown = of && of->local;
	output_time(ns, text);
	MUST(!time_said(text, NULL, &again, again_why) && again == ns / NS_PER_MS * NS_PER_MS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *s = malloc(size + 1);
	const char *rest = s;
	unsigned int n;
	uint64_t bytes;
	int64_t seconds;
	double v;

	if (!s)
		return 0;
	memcpy(s, data, size);
	s[size] = 0;
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	said(s, NULL);
	said(s, &here);
	said(s, &local);
	if (time_offset(&rest, &seconds))
		MUST(rest == s + (s[3] == ':' ? 6 : 5) && llabs(seconds) < 15 * 3600);
	if (!parse_uint(s, 3, 70000, &n))
		MUST(n >= 3 && n <= 70000 && strspn(s, "0123456789") == strlen(s));
	if (!parse_double(s, -1e6, 1e6, &v))
		MUST(v >= -1e6 && v <= 1e6);
	if (!parse_size(s, 1, 1e15, &bytes))
		MUST(bytes >= 1 && bytes <= 1000000000000000);
	free(s);
	return 0;
}
