// SPDX-License-Identifier: BSD-2-Clause
/*
 * A service that is killed and starts again: of the recording it had kept a part, and has the rest as frames. What it tells from
 * there on is what one that was never away tells, with the same ids; and nothing is told twice.
 */
#include "watch_util.h"

#include <dirent.h>
#include <glob.h>
#include <unistd.h>

#include "analyzer/options/analysis.h"
#include "analyzer/watch/watch.h"

#define RECORDED "tests/data/disk-hog/series"
#define HOP_NS	 (4 * NS_PER_S)
#define EVENTS	 64

struct told {
	int64_t at_ns, onset_ns, decided_ns;
	uint64_t id;
	enum track_event_kind kind;
	char server[HOST_LEN];
	enum cause cause;
	bool suspicious;
	char process[INSTANCE_LEN];
};

struct run {
	struct told at[EVENTS];
	size_t n;
};

static int take(void *arg, const struct verdict *a, const struct track_event *e)
{
	struct run *r = arg;
	struct told *t = &r->at[r->n++];

	assert_true(r->n < EVENTS);
	memset(t, 0, sizeof(*t));
	t->at_ns = e->at_ns;
	t->kind = e->kind;
	t->id = e->id;
	snprintf(t->server, sizeof(t->server), "%s", e->server);
	if (e->incident >= 0) {
		const struct incident *x = &a->incidents[e->incident];

		t->onset_ns = x->onset_ns;
		t->decided_ns = x->decided_ns;
		t->cause = x->cause;
		t->suspicious = x->suspicion != SUSPICION_NONE;
		verdict_process(&x->culprit, t->process);
	}
	return 0;
}

/* Frames of the whole recording; those that were kept are passed over. */
static FILE *frames(void)
{
	char command[4096];
	const char *o = getenv("O");

	snprintf(command, sizeof(command), "exec %s/replay/grow - -- %s/*.limpet",
		 o ? o : ".output", RECORDED);
	return popen(command, "r");
}

/* What another run had told by then stands against servers still. */
static void resume(struct track_events *to, const struct run *before, int64_t until_ns)
{
	for (size_t i = 0; i < before->n && before->at[i].at_ns <= until_ns; i++) {
		const struct told *t = &before->at[i];
		bool last = true;

		for (size_t k = i + 1; k < before->n && before->at[k].at_ns <= until_ns; k++)
			last &= strcmp(before->at[k].server, t->server) != 0;
		if (!last || !t->id || t->kind == EVENT_OVER || t->kind == EVENT_CLEARED)
			continue;
		assert_int_equal(
			track_resume(to, &(struct track_open_incident){.server = t->server,
								       .id = t->id,
								       .suspicious = t->suspicious,
								       .cause = t->cause,
								       .process = t->process}),
			0);
	}
}

/* kept_ns: until then it was kept; INT64_MIN: nothing was. told_ns: what another run told last. */
static void run_it(struct run *r, const struct run *before, int64_t from_ns, int64_t kept_ns,
		   int64_t told_ns)
{
	struct analysis_opts o = ANALYSIS_DEFAULT;
	char *folder = RECORDED;
	FILE *f = frames();
	struct watch_received in = {.fd = fileno(f),
				    .series = &folder,
				    .n_series = kept_ns == INT64_MIN ? 0 : 1,
				    .from_ns = from_ns,
				    .to_ns = kept_ns,
				    .told_ns = told_ns};
	struct watch *w;

	memset(r, 0, sizeof(*r));
	o.from_ns = from_ns;
	assert_non_null(f);
	assert_int_equal(watch_of_received(&w, &o, &in), 0);
	assert_int_equal(track_subscribe(w->events, take, r), 0);
	if (before)
		resume(w->events, before, told_ns);
	while (!w->ended)
		assert_true(watch_step(w, clock_ns(CLOCK_REALTIME)) >= 0);
	watch_free(w);
	pclose(f);
}

static int64_t first_second(void)
{
	struct series_reader *r;
	int64_t first, last;
	uint64_t n;

	assert_int_equal(series_reader_new(&r, RECORDED "/oss-s1-20261121.limpet"), 0);
	assert_int_equal(series_reader_span(r, &n, &first, &last), 0);
	series_reader_free(r);
	return first - first % HOP_NS;
}

/* Events of incidents after a time. */
static void of_incidents(struct run *to, const struct run *from, int64_t after_ns)
{
	to->n = 0;
	for (size_t i = 0; i < from->n; i++)
		if (from->at[i].id && from->at[i].at_ns > after_ns)
			to->at[to->n++] = from->at[i];
}

static void assert_same(const struct run *whole, const struct run *again, int64_t told_ns)
{
	struct run wanted, got;

	of_incidents(&wanted, whole, told_ns);
	of_incidents(&got, again, told_ns);
	assert_int_equal(wanted.n, got.n);
	for (size_t i = 0; i < wanted.n; i++)
		assert_memory_equal(&wanted.at[i], &got.at[i], sizeof(wanted.at[i]));
	print_message("%zu of %zu events came after, and are the same\n", wanted.n, whole->n);
}

/* Whenever it is killed: before the fault, amid it, before and after it is told. */
static void the_same_whenever_it_is_killed(void **state)
{
	struct run whole, again;
	int64_t begin_ns = first_second();
	size_t opened = 0;

	(void)state;
	run_it(&whole, NULL, begin_ns, INT64_MIN, INT64_MIN);
	for (size_t i = 0; i < whole.n; i++)
		opened += whole.at[i].kind == EVENT_OPENED;
	assert_int_equal(opened, 1);
	for (int64_t kept_s = 20; kept_s < 140; kept_s += 12)
		for (int64_t lead_s = 0; lead_s <= 40; lead_s += 20) {
			int64_t kept_ns = begin_ns + kept_s * NS_PER_S, told_ns = INT64_MIN;

			/* The one before had told what it told until it was killed, a little after what was kept. */
			for (size_t i = 0; i < whole.n; i++)
				if (whole.at[i].at_ns <= kept_ns + lead_s * NS_PER_S)
					told_ns = whole.at[i].at_ns;
			run_it(&again, &whole, begin_ns, kept_ns, told_ns);
			assert_same(&whole, &again, told_ns);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_whenever_it_is_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
