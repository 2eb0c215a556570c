// SPDX-License-Identifier: BSD-2-Clause
/* Numbers as tables print them, exact and whatever the locale is. */

#include "internal.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "userspace/common/sort.h"

static const char *const missing[] = {"", "-", "nan", "+nan", "-nan", "na", "n/a", "null", "none"};
static const char *const infinite[] = {"inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"};

static bool in_list(const char *s, const char *const *list, size_t n)
{
	return any_of(i, n, !strcasecmp(s, list[i]));
}

/* For the few that the fast way cannot do exactly. */
static double slow(const char *s)
{
	static locale_t c;

	if (!c)
		c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	return c ? strtod_l(s, NULL, c) : strtod(s, NULL);
}

/*
 * Up to 15 digits are a whole number that a double holds, and powers of ten up to 10^22 are too: one
 * division or multiplication of the two rounds once, as strtod() does (W. Clinger, "How to read
 * floating point numbers accurately", 1990 [R]).
 */
enum number number_parse(const char *s, size_t len, double *v)
{
	static const double tens[] = {1e0,  1e1,  1e2,	1e3,  1e4,  1e5,  1e6,	1e7,
				      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
				      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	const char *p = s, *end = s + len;
	uint64_t whole = 0;
	int digits = 0, shift = 0, any = 0, exponent = 0;
	bool minus = false, less = false;

	if (p < end && (*p == '-' || *p == '+'))
		minus = *p++ == '-';
	for (; p < end && *p >= '0' && *p <= '9'; p++, any++)
		if (digits || *p != '0')
			whole = ++digits <= 18 ? whole * 10 + (uint64_t)(*p - '0') : whole;
	if (p < end && *p == '.')
		for (p++; p < end && *p >= '0' && *p <= '9'; p++, any++, shift++)
			if (digits || *p != '0')
				whole = ++digits <= 18 ? whole * 10 + (uint64_t)(*p - '0') : whole;
	if (!any)
		goto word;
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		if (p < end && (*p == '-' || *p == '+'))
			less = *p++ == '-';
		if (p == end)
			return NUMBER_TEXT;
		for (; p < end && *p >= '0' && *p <= '9'; p++)
			exponent = exponent < 10000 ? exponent * 10 + *p - '0' : exponent;
	}
	if (p != end)
		return NUMBER_TEXT;
	exponent = (less ? -exponent : exponent) - shift;
	if (digits > 15 || exponent < -22 || exponent > 22) {
		*v = slow(s);
		return NUMBER_VALUE;
	}
	*v = exponent < 0 ? (double)whole / tens[-exponent] : (double)whole * tens[exponent];
	*v = minus ? -*v : *v;
	return NUMBER_VALUE;
word:
	if (in_list(s, missing, sizeof(missing) / sizeof(*missing)))
		return NUMBER_MISSING;
	if (!in_list(s, infinite, sizeof(infinite) / sizeof(*infinite)))
		return NUMBER_TEXT;
	*v = *s == '-' ? -__builtin_inf() : __builtin_inf();
	return NUMBER_VALUE;
}
