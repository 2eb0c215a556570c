// SPDX-License-Identifier: BSD-2-Clause
/* options.h: the strict parsers of times, sizes and numbers. */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *s = malloc(size + 1);
	unsigned int n;
	uint64_t bytes;
	int64_t ns;
	double v;

	if (!s)
		return 0;
	memcpy(s, data, size);
	s[size] = 0;
	/* Years of four digits, and what fits: 1677 to 2262. */
	if (!time_said(s, NULL, &ns, why))
		MUST(*s == '@' ? ns >= 0 : ns % 1000000000 == 0);
	if (!parse_uint(s, 3, 70000, &n))
		MUST(n >= 3 && n <= 70000 && strspn(s, "0123456789") == strlen(s));
	if (!parse_double(s, -1e6, 1e6, &v))
		MUST(v >= -1e6 && v <= 1e6);
	if (!parse_size(s, 1, 1e15, &bytes))
		MUST(bytes >= 1 && bytes <= 1000000000000000);
	free(s);
	return 0;
}
