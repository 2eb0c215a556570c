// SPDX-License-Identifier: BSD-2-Clause
/* asking.h: the same question again and again. */
#include "asking.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/methods/examine_sources.h"
#include "analyzer/source/tables/prometheus.h"
#include "userspace/common/clock.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"

struct asking {
	struct analysis_opts o;
	char *const *paths;
	size_t n_paths;
	int64_t begin_ns; /* of what is judged */
	int64_t next_ns, wait_ns;
	bool answered;	  /* once at least */
	bool failed, old; /* the last look; what it found */
};

int asking_is(char *const *paths, size_t n_paths)
{
	size_t n = count_if(i, n_paths, prometheus_is(paths[i]));

	if (!n || n == n_paths)
		return n > 0;
	fail("a Prometheus is watched alone: run another 'limpet watch' for '%s'",
	     paths[prometheus_is(paths[0]) ? 1 : 0]);
	return -EINVAL;
}

int asking_new(struct asking **out, const struct session_opts *o, char *const *paths,
	       size_t n_paths, const volatile sig_atomic_t *stop)
{
	struct asking *a = calloc(1, sizeof(*a));
	double back_s = o->back_s < 0 ? ASKING_BACK_S : o->back_s;

	*out = NULL;
	if (!a)
		return -ENOMEM;
	*a = (struct asking){.o = o->a, .paths = paths, .n_paths = n_paths};
	a->begin_ns = o->a.from_ns != INT64_MIN
			      ? o->a.from_ns
			      : clock_ns(CLOCK_REALTIME) - ASKING_LATE_NS - ns_of_s(back_s);
	a->o.table.stop = stop;
	a->o.table.kept = prometheus_keep();
	if (!a->o.table.kept) {
		free(a);
		return -ENOMEM;
	}
	*out = a;
	return 0;
}

void asking_free(struct asking *a)
{
	if (!a)
		return;
	prometheus_forget(a->o.table.kept);
	free(a);
}

/* What has passed is forgotten by the hour, so that most looks begin where the one before began. */
static void move_begin(struct asking *a, int64_t to_ns)
{
	while (to_ns - a->begin_ns > ASKING_MOST_NS + NS_PER_HOUR)
		a->begin_ns += NS_PER_HOUR;
	a->o.from_ns = a->begin_ns;
	a->o.to_ns = to_ns;
}

static void ask_later(struct asking *a, int64_t now_ns, int64_t took_ns, bool failed)
{
	int64_t wait_ns = failed ? 2 * a->wait_ns : ASKING_SHARE * took_ns;

	if (failed && wait_ns > ASKING_WAIT_NS)
		wait_ns = ASKING_WAIT_NS;
	a->wait_ns = wait_ns > ASKING_EVERY_NS ? wait_ns : ASKING_EVERY_NS;
	a->next_ns = now_ns + a->wait_ns;
}

/* What may be missing from the verdict is no news that something is over. */
static bool is_whole(const struct verdict *v)
{
	return !v->cannot.why && !any_of(i, v->n_notes, v->notes[i].kind == NOTE_LEFT_OUT);
}

/* What was told stays so while there is nothing new. */
static int tell(struct asking *a, struct track_events *events, struct verdict *v, int64_t to_ns)
{
	char at[TIME_TEXT_LEN];
	bool old = to_ns - v->to_ns > PROMETHEUS_STALE_NS;

	if (!is_whole(v) && a->answered)
		return 0;
	if (old != a->old)
		warn(old ? "there are no values newer than %s: nothing is judged until there are"
			 : "there are values again, to %s",
		     output_time(v->to_ns, at));
	a->old = old;
	a->answered = true;
	return old ? 0 : track_events_tell(events, v);
}

int asking_step(struct asking *a, struct track_events *events, int64_t now_ns)
{
	int64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID), to_ns = now_ns - ASKING_LATE_NS;
	struct verdict v;
	bool failed;
	int err;

	/* a clock that was set back must not keep us waiting */
	if (now_ns < a->next_ns && a->next_ns - now_ns <= a->wait_ns)
		return 0;
	move_begin(a, to_ns);
	err = examine(&v, &a->o, a->paths, a->n_paths, NULL);
	if (err == -E2BIG && a->answered)
		a->begin_ns = to_ns - (to_ns - a->begin_ns) / 2;
	failed = err || !is_whole(&v);
	if (a->failed && !failed)
		warn("all sources are read again");
	a->failed = failed;
	ask_later(a, now_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID) - began, failed);
	if (err && a->o.table.stop && *a->o.table.stop)
		return -ECANCELED;
	if (err)
		return err == -ENOMEM || !a->answered ? err : 0;
	err = tell(a, events, &v, to_ns);
	verdict_release(&v);
	return err;
}
