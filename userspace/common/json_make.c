// SPDX-License-Identifier: BSD-2-Clause
/* json_make.h */
#include "json_make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

json_t *number_json(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

json_t *time_json(int64_t wall_ns)
{
	char buf[TIME_TEXT_LEN];

	return json_string(output_time_utc(wall_ns, buf));
}

json_t *words_json(const char *s)
{
	json_t *text = json_string(s ? s : "");
	char *clean = text || !s ? NULL : strdup(s);

	if (clean) {
		text = json_string(output_clean(s, clean, strlen(s) + 1));
		free(clean);
	}
	return text;
}

json_t *words_or_null_json(const char *s)
{
	return s && *s ? words_json(s) : json_null();
}

json_t *append_json(json_t *to, json_t *each)
{
	if (to && !json_array_append_new(to, each))
		return to;
	if (!to)
		json_decref(each);
	json_decref(to);
	return NULL;
}

char *line_of_json(json_t *one, unsigned int digits)
{
	char *text = one ? json_dumps(one, JSON_COMPACT | JSON_REAL_PRECISION(digits)) : NULL;

	json_decref(one);
	return text;
}
