// SPDX-License-Identifier: BSD-2-Clause
/*
 * `limpet watch --once`: what is there, through the same as `limpet diagnose`, so that both say the same of
 * it; and what changed on the way.
 */
#include "once.h"

#include <errno.h>
#include <time.h>

#include "analyzer/engine/examine.h"
#include "userspace/common/options.h"
#include "userspace/common/clock.h"

struct once {
	const struct once_to *to;
	struct changes *changes;
};

static int tell(struct once *o, const struct verdict *a)
{
	return changes_update(o->changes, a, o->to->on_change, o->to->arg);
}

static int step(void *arg, struct robust *r)
{
	struct once *o = arg;
	struct verdict a;
	int err = *o->to->stop ? -ECANCELED : robust_verdict(r, &a);

	if (err)
		return err;
	err = tell(o, &a);
	verdict_release(&a);
	return err;
}

static int64_t begin_of(const struct watch_opts *w, char *const *paths, size_t n_paths)
{
	struct timespec now;
	int64_t newest;

	if (w->from_ns != INT64_MIN || w->back_s < 0)
		return w->from_ns;
	clock_gettime(CLOCK_REALTIME, &now);
	newest = watch_newest(paths, n_paths, ns_of_timespec(now));
	return newest == INT64_MIN ? newest : newest - ns_of_s(w->back_s);
}

int once(const struct watch_opts *w, char *const *paths, size_t n_paths, const struct once_to *to)
{
	struct once o = {.to = to, .changes = changes_new()};
	struct examine_opts e = {.from_ns = begin_of(w, paths, n_paths),
				 .to_ns = INT64_MAX,
				 .params = w->params,
				 .peers = w->peers,
				 .offsets = w->offsets,
				 .acknowledged = w->acknowledged,
				 .threads = 1,
				 .table = {.strict = w->strict},
				 .step = to->on_change ? step : NULL,
				 .arg = &o};
	struct verdict a;
	int err = o.changes ? examine(&e, paths, n_paths, &a) : -ENOMEM;

	if (!err) {
		err = to->on_change ? tell(&o, &a) : 0;
		if (!err && to->verdict)
			err = to->verdict(to->arg, &a);
		verdict_release(&a);
	}
	changes_free(o.changes);
	return err;
}
