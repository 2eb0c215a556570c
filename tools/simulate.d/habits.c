// SPDX-License-Identifier: BSD-2-Clause
/* What real servers do besides working: options, and the mixtures that have a name. */
#include "habits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "userspace/common/options.h"

#define MS_S 1e-3

/*
 * Amounts are decisions: healthy drives of one host differ by 5 to 25 % for hours, on quiet clusters by a
 * few per cent; arrays answer half of what is asked from their caches, and those fill in minutes; the load
 * of a day swings by half about its mean; kernels' clocks tick every 4 ms (HZ = 250), and many counters
 * are in MB.
 */
static const struct {
	const char *name;
	struct habits habits;
} likes[] = {
	{"wander", {.wander = {{{0.05, 60}, {0.05, 600}, {0.05, 3600}, {0.05, 36000}}}}},
	{"racks", {.wander = {{{0.07, 600}, {0.07, 3600}}}, .rack = 2, .shared = 0.8}},
	{"cache", {.cache = 0.5, .hits = {{{0.1, 600}, {0.1, 6000}}}}},
	{"warm-up", {.cache = 0.5, .warm_s = 600}},
	{"daily", {.daily = 0.5}},
	{"ticks", {.tick_s = 4 * MS_S}},
	{"units", {.unit_kb = 1024}},
};

enum { LIKES = sizeof(likes) / sizeof(*likes) };

/* Wanders of several kinds are one sum; what both have otherwise is the later one's. */
static int add(struct habits *h, const struct habits *more)
{
	size_t n = 0;

	while (n < WANDERS_MAX && h->wander.term[n].sd > 0)
		n++;
	for (size_t k = 0; k < WANDERS_MAX && more->wander.term[k].sd > 0; k++) {
		if (n == WANDERS_MAX)
			return -1;
		h->wander.term[n++] = more->wander.term[k];
	}
	if (more->rack)
		h->rack = more->rack, h->shared = more->shared;
	if (more->cache > 0)
		h->cache = more->cache;
	if (more->hits.term[0].sd > 0)
		h->hits = more->hits;
	h->warm_s = fmax(h->warm_s, more->warm_s);
	h->daily = fmax(h->daily, more->daily);
	h->tick_s = fmax(h->tick_s, more->tick_s);
	h->unit_kb = fmax(h->unit_kb, more->unit_kb);
	return 0;
}

static int bad_like(const char *text)
{
	char names[256] = "";
	size_t n = 0;

	for (size_t k = 0; k < LIKES; k++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s, ", likes[k].name);
	return fail("'--like %s' is not some of %sall, each once and with commas between", text,
		    names);
}

static int read_like(const char *text, struct habits *h)
{
	unsigned int seen = 0;

	for (const char *at = text;; at++) {
		size_t len = strcspn(at, ","), k;
		bool all = len == 3 && !strncmp(at, "all", 3), any = false;

		for (k = 0; k < LIKES; k++) {
			if (!all &&
			    (strlen(likes[k].name) != len || strncmp(at, likes[k].name, len) != 0))
				continue;
			if (seen & 1u << k || add(h, &likes[k].habits))
				return bad_like(text);
			seen |= 1u << k;
			any = true;
		}
		if (!any)
			return bad_like(text);
		at += len;
		if (!*at)
			return 0;
	}
}

static int settle_texts(const struct habit_opts *o, struct habits *h)
{
	if (o->wander && read_wanders("wander", o->wander, &h->wander))
		return -1;
	if (o->hits && read_wanders("hits", o->hits, &h->hits))
		return -1;
	if (o->warm && read_time_s("warm-up", o->warm, &h->warm_s))
		return -1;
	if (o->job && read_duty("job", o->job, &h->job))
		return -1;
	if (o->layout && !strcmp(o->layout, "file"))
		h->layout = LAYOUT_FILE;
	else if (o->layout && strcmp(o->layout, "stripe") != 0)
		return fail("'--layout %s' is neither stripe nor file", o->layout);
	return 0;
}

int habits_settle(const struct habit_opts *o, struct habits *h)
{
	*h = (struct habits){.unread = o->unread};
	if ((o->like && read_like(o->like, h)) || settle_texts(o, h))
		return -1;
	if (o->rack)
		h->rack = o->rack, h->shared = 0.8;
	if (o->shared > 0)
		h->shared = o->shared;
	if (o->cache > 0)
		h->cache = o->cache;
	h->job_share = o->job_share > 0 ? o->job_share : 0.15;
	h->daily = o->daily > 0 ? o->daily : h->daily;
	h->tick_s = o->tick_ms > 0 ? o->tick_ms * MS_S : h->tick_s;
	h->unit_kb = o->unit_kb > 0 ? o->unit_kb : h->unit_kb;
	if (h->rack && !(h->wander.term[0].sd > 0))
		return fail("'--rack' needs '--wander': it is what servers share");
	if (o->shared > 0 && !h->rack)
		return fail("'--shared' needs '--rack'");
	if (!(h->cache > 0) && (h->warm_s > 0 || h->hits.term[0].sd > 0))
		return fail("'--warm-up' and '--hits' need '--cache'");
	if (o->job_share > 0 && !o->job)
		return fail("'--job-share' needs '--job'");
	return 0;
}

double cache_fills(double full, double pace_s, double step_s)
{
	return full + (1 - full) * -expm1(-step_s / pace_s);
}

double cache_hits(double share, double wander, double full)
{
	return full / (1 + exp(-(log(share / (1 - share)) + wander)));
}
