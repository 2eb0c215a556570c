// SPDX-License-Identifier: BSD-2-Clause
/* words.h: numbers and names of a verdict as words. */
#include "words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "userspace/second/second.h"
#include "userspace/common/output.h"
#include "userspace/common/clock.h"

/* "31.4 ms"; "-": not known. */
const char *words_value(const struct verdict_signal *s, double v, char buf[WORDS_LEN])
{
	if (!isfinite(v))
		return "-";
	if (fabs(v) < 1e15)
		snprintf(buf, WORDS_LEN, "%.*f%s%s", s->decimals, v, *s->unit ? TEXT_TIE : "",
			 s->unit);
	else
		snprintf(buf, WORDS_LEN, "%.3g%s%s", v, *s->unit ? TEXT_TIE : "", s->unit);
	return buf;
}

const char *words_quantity(const struct verdict_signal *s, double v, char buf[WORDS_LEN])
{
	static const struct {
		const char *unit, *larger;
		double times; /* the larger unit has so many of the unit */
	} scales[] = {{"kB/s", "MiB/s", 1024},
		      {"MiB/s", "GiB/s", 1024},
		      {"us", "ms", 1000},
		      {"ms", "s", 1000}};
	const char *unit = s->unit;
	double size = fabs(v);
	int digits;

	if (!isfinite(v))
		return "-";
	for (size_t i = 0; i < sizeof(scales) / sizeof(*scales); i++)
		if (!strcmp(unit, scales[i].unit) && size >= scales[i].times) {
			unit = scales[i].larger;
			size /= scales[i].times;
		}
	if (size < pow(10, -s->decimals) / 2)
		return "0";
	digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
	if (unit == s->unit && digits > s->decimals)
		digits = s->decimals;
	snprintf(buf, WORDS_LEN, "%.*f%s%s", size < 1 ? s->decimals : digits, v < 0 ? -size : size,
		 *unit ? TEXT_TIE : "", unit);
	return buf;
}

/* "3.20 x" */
const char *words_ratio(double r, char buf[WORDS_LEN])
{
	if (!isfinite(r))
		return "-";
	if (fabs(r) < 1e6)
		snprintf(buf, WORDS_LEN, "%.*f" TEXT_TIE "x", r < 10 ? 2 : r < 100 ? 1 : 0, r);
	else
		snprintf(buf, WORDS_LEN, "%.2g" TEXT_TIE "x", r);
	return buf;
}

const char *words_score(double z, char buf[WORDS_LEN])
{
	if (!isfinite(z))
		return "-";
	snprintf(buf, WORDS_LEN, fabs(z) < 1000 ? "%.1f" : "%.3g", z);
	return buf;
}

enum { DAY_S = 86400 };

/* "50 s", "12 min", "3 h", "5 days", "2.1 years" */
const char *words_span(int64_t ns, char buf[WORDS_LEN])
{
	long long s = ns > 0 ? (long long)(ns / NS_PER_S) : 0;

	if (s < 600)
		snprintf(buf, WORDS_LEN, "%lld" TEXT_TIE "s", s);
	else if (s < 36000)
		snprintf(buf, WORDS_LEN, "%lld" TEXT_TIE "min", (s + 30) / 60);
	else if (s < 2 * DAY_S)
		snprintf(buf, WORDS_LEN, "%lld" TEXT_TIE "h", (s + 1800) / 3600);
	else if (s < 730 * DAY_S)
		snprintf(buf, WORDS_LEN, "%lld" TEXT_TIE "days", (s + DAY_S / 2) / DAY_S);
	else
		snprintf(buf, WORDS_LEN, "%.1f" TEXT_TIE "years", (double)s / (365.25 * DAY_S));
	return buf;
}

const char *const role_words[] = {
	[ROLE_LOCAL] = "indicts", [ROLE_SYMPTOM] = "supports", [ROLE_LOAD] = "demand"};
const char *const may_words[] = {
	[ROLE_LOCAL] = "may indict", [ROLE_SYMPTOM] = "supports", [ROLE_LOAD] = "demand"};

/* "read latency of sdb" */
const char *words_signal(const struct verdict_signal *s, const char *disk, char buf[WORDS_LEN])
{
	char clean[INSTANCE_LEN];

	output_clean(disk, clean, sizeof(clean));
	snprintf(buf, WORDS_LEN, "%s%s%s", s->name, *clean ? " of " : "", clean);
	return buf;
}
