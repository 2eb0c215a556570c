// SPDX-License-Identifier: BSD-2-Clause
/* asking.h: the same question again and again. */
#include "asking.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/methods/examine_sources.h"
#include "analyzer/source/tables/prometheus.h"
#include "userspace/common/clock.h"

struct asking {
	struct analysis_opts o;
	char *const *paths;
	size_t n_paths;
	int64_t begin_ns; /* of what is judged */
	int64_t next_ns, wait_ns;
	bool answered; /* once at least */
};

int asking_is(char *const *paths, size_t n_paths)
{
	size_t n = 0;

	for (size_t i = 0; i < n_paths; i++)
		n += prometheus_is(paths[i]);
	if (!n || n == n_paths)
		return n > 0;
	fail("a Prometheus is watched alone: run another 'limpet watch' for '%s'",
	     paths[prometheus_is(paths[0]) ? 1 : 0]);
	return -EINVAL;
}

int asking_new(struct asking **out, const struct session_opts *o, char *const *paths,
	       size_t n_paths)
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
	if (failed)
		a->wait_ns = 2 * a->wait_ns < ASKING_WAIT_NS ? 2 * a->wait_ns : ASKING_WAIT_NS;
	else
		a->wait_ns = ASKING_EVERY_NS > ASKING_SHARE * took_ns ? ASKING_EVERY_NS
								      : ASKING_SHARE * took_ns;
	a->next_ns = now_ns + a->wait_ns;
}

int asking_step(struct asking *a, struct track_events *events, int64_t now_ns)
{
	int64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct verdict v;
	int err;

	/* a clock that was set back must not keep us waiting */
	if (now_ns < a->next_ns && a->next_ns - now_ns <= a->wait_ns)
		return 0;
	move_begin(a, now_ns - ASKING_LATE_NS);
	err = examine(&v, &a->o, a->paths, a->n_paths, NULL);
	ask_later(a, now_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID) - began, err != 0);
	if (err)
		return err == -ENOMEM || !a->answered ? err : 0;
	a->answered = true;
	err = track_levels(events, &v);
	verdict_release(&v);
	return err;
}
