// SPDX-License-Identifier: BSD-2-Clause
/*
 * Probes that were started anew: a run that no interval of the server had before. What was measured is
 * compared as ever; a gap that a restart leaves is silence, and indicts nobody.
 */
#include <errno.h>

#include "inside.h"

static bool is_known(const struct runs *s, int64_t boot)
{
	for (size_t i = 0; i < s->n && i < RUNS_KEPT; i++)
		if (s->boot[i] == boot)
			return true;
	return false;
}

/*
 * A run is known by the time at which it began. That is also when the probe was started, if it lies
 * between what it wrote before and the end of this interval; else a clock was set, and it was in this interval.
 */
static int64_t began(const struct robust *r, const struct runs *s, const struct interval *h,
		     int64_t boot)
{
	return boot > s->from_ns && boot < h->from_ns + interval_ns(r) ? boot : h->from_ns;
}

static int tell(struct robust *r, size_t node, int64_t at_ns)
{
	struct notice m = {.kind = NOTICE_REBOOT, .node = node, .from_ns = at_ns, .to_ns = at_ns};

	/* of several starts it is one, until the last */
	return track_notice(r->track, &m);
}

int restarts_note(struct robust *r, size_t node, const struct interval *h)
{
	struct runs *s = &r->nodes[node].runs;
	int err = 0;

	for (unsigned int i = 0; i < h->boots && i < INTERVAL_BOOTS && !err; i++) {
		if (is_known(s, h->boot[i]))
			continue;
		s->boot[s->n++ % RUNS_KEPT] = h->boot[i];
		if (s->n > 1)
			err = tell(r, node, began(r, s, h, h->boot[i]));
	}
	s->from_ns = h->from_ns;
	return err;
}
