// SPDX-License-Identifier: BSD-2-Clause
/*
 * `limpet watch --once`: what is there, through the same as `limpet diagnose`, so that both say the same of
 * it; and what changed on the way.
 */
#include "once.h"

#include <errno.h>

#include "analyzer/methods/examine_sources.h"
#include "userspace/common/clock.h"

struct once {
	const struct once_to *to;
	struct track_events *events;
};

static int step(void *arg, struct robust *r)
{
	struct once *o = arg;
	struct verdict a;
	int err = *o->to->stop ? -ECANCELED : robust_verdict(r, &a);

	if (err)
		return err;
	err = track_levels(o->events, &a);
	verdict_release(&a);
	return err;
}

int once(const struct analysis_opts *a, double back_s, char *const *paths, size_t n_paths,
	 const struct once_to *to)
{
	struct once o = {.to = to, .events = track_events_new()};
	struct change_to words = {to->on_change, to->arg};
	struct examine_hooks hooks = {.step = to->on_change ? step : NULL, .arg = &o};
	struct analysis_opts opts = *a;
	struct verdict v;
	int err = o.events ? 0 : -ENOMEM;

	if (a->from_ns == INT64_MIN && back_s >= 0)
		opts.from_ns = watch_begin(paths, n_paths, back_s);
	if (!err && to->on_change)
		err = track_subscribe(o.events, change_event, &words);
	if (!err)
		err = examine(&v, &opts, paths, n_paths, &hooks);
	if (!err) {
		err = to->on_change ? track_levels(o.events, &v) : 0;
		if (!err)
			err = to->verdict(to->arg, &v);
		verdict_release(&v);
	}
	track_events_free(o.events);
	return err;
}
