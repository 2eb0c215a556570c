// SPDX-License-Identifier: BSD-2-Clause
/* log_source.h: the zone of logs in local time, where a jobs' history tells it. */
#include <errno.h>
#include <stdlib.h>

#include "internal.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

enum { ENDS_MIN = 3, ZONE_WEST = -12 * 4, ZONE_EAST = 14 * 4 };

/* Logs of one zone end within that of each other: a server whose clock is an hour wrong must not tell for the others. */
#define TOGETHER_NS (10 * 60 * NS_PER_S)

/* Zones are whole or half hours from UTC, but for Nepal, Eucla and the Chatham Islands. */
static bool is_zone(int quarters)
{
	static const int odd[] = {5 * 4 + 3, 8 * 4 + 3, 12 * 4 + 3, 13 * 4 + 3};

	if (quarters < ZONE_WEST || quarters > ZONE_EAST || abs(quarters) < 4)
		return false;
	return !(quarters % 2) || any_of(i, sizeof(odd) / sizeof(*odd), quarters == odd[i]);
}

static bool is_told(const struct stem *x)
{
	return x->local && x->ends && x->last_ns > INT64_MIN;
}

/* Whether one of those that tell ends then, too. */
static bool ends_with_one(const struct reading *r, int64_t last_ns)
{
	return any_of(i, r->stems.n,
		      is_told(&r->stem[i]) && llabs(r->stem[i].last_ns - last_ns) <= TOGETHER_NS);
}

bool states_zone(const struct states *s, int64_t *ns)
{
	const struct reading *r = s->reading;
	size_t ends = 0;
	int quarters = 0;

	for (size_t i = 0; r && i < r->stems.n; i++) {
		const struct stem *x = &r->stem[i];

		if (!is_told(x))
			continue;
		if (ends && x->quarters != quarters)
			return false;
		quarters = x->quarters;
		ends += x->ends;
	}
	if (!r || r->n_zone || ends < ENDS_MIN || !is_zone(quarters))
		return false;
	*ns = quarters * ZONE_QUARTER_NS;
	return !any_of(i, r->stems.n,
		       r->stem[i].local && r->stem[i].last_ns > INT64_MIN &&
			       !ends_with_one(r, r->stem[i].last_ns));
}

int states_in_zone(struct states *s, int64_t ns, const struct states *by)
{
	struct reading *r = reading_of(s);
	int64_t minutes = llabs(ns) / (60 * NS_PER_S);
	size_t told;

	if (!r || array_put(&r->zone, &r->n_zone, ((struct zone){.ns = ns})))
		return -ENOMEM;
	told = index_if(i, by->reading->stems.n, is_told(&by->reading->stem[i]));
	text_add(&s->notes,
		 "log times without a zone are read as %c%02d:%02d: so those of '%s' and of the "
		 "jobs' history agree (--zone says another)\n",
		 ns < 0 ? '-' : '+', (int)(minutes / 60), (int)(minutes % 60),
		 by->reading->stems.at[told]);
	s->n_notes++;
	return s->notes.failed ? -ENOMEM : 0;
}
