// SPDX-License-Identifier: BSD-2-Clause
/* watch/watch.h: nothing comes any more. A real recording, and a clock that goes on after its end. */
#include "watch_util.h"

#include "analyzer/options/analysis.h"
#include "analyzer/watch/watch.h"

static char *const recorded[] = {"tests/data/disk-hog/series"};

struct told_words {
	char text[4096];
};

static int hear_words(void *arg, const struct verdict *a, const struct change *c)
{
	struct told_words *t = arg;
	size_t len = strlen(t->text);

	(void)a;
	snprintf(t->text + len, sizeof(t->text) - len, "%s %s; ", event_rows[c->event.kind].word,
		 c->server);
	return 0;
}

struct scene {
	struct analysis_opts o;
	struct watch *w;
	struct told_words told;
	struct change_to to;
	int64_t end_ns; /* of the recording */
};

static void begin(struct scene *s)
{
	struct watch *w;

	*s = (struct scene){.o = ANALYSIS_DEFAULT};
	s->o.from_ns = INT64_MIN;
	assert_int_equal(watch_new(&w, &s->o, 1e6, recorded, 1), 0);
	s->w = w;
	s->to = (struct change_to){hear_words, &s->told};
	assert_int_equal(track_subscribe(w->events, change_event, &s->to), 0);
	s->end_ns = watch_begin(recorded, 1, 0);
}

static void end(struct scene *s)
{
	watch_free(s->w);
}

static void step(struct scene *s, int64_t after_s)
{
	assert_true(watch_step(s->w, s->end_ns + after_s * NS) >= 0);
}

static size_t well(const struct verdict *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n_nodes; i++)
		n += v->judged[i];
	return n;
}

static const struct incident *open_one(const struct verdict *v)
{
	assert_int_equal(v->n_incidents, 1);
	assert_string_equal(verdict_node(v, v->incidents[0].node), "oss-s3");
	assert_true(v->incidents[0].open);
	return &v->incidents[0];
}

/* What was told stands, and nothing is called well. */
static void after_a_minute_it_says_so(void **state)
{
	struct scene s;
	uint64_t id;

	(void)state;
	begin(&s);
	step(&s, 6);
	assert_false(s.w->unheard);
	assert_int_equal(well(&s.w->verdict), 6);
	id = open_one(&s.w->verdict)->id;
	assert_non_null(strstr(s.told.text, "opened oss-s3; "));
	for (int t = 7; t <= 50; t++)
		step(&s, t);
	assert_int_equal(s.w->verdict.cannot.why, CANNOT_NOT);
	*s.told.text = '\0';
	for (int t = 51; t <= 90; t++)
		step(&s, t);
	assert_string_equal(s.told.text, "cannot-judge ; ");
	assert_int_equal(s.w->verdict.cannot.why, CANNOT_UNHEARD);
	assert_int_equal(watch_reporting(s.w), 0);
	/* against one there is something */
	assert_int_equal(well(&s.w->verdict), 1);
	assert_true(open_one(&s.w->verdict)->id == id);
	/* an hour, and a day */
	for (int t = 91; t <= 86400; t += 60)
		step(&s, t);
	assert_string_equal(s.told.text, "cannot-judge ; ");
	assert_true(open_one(&s.w->verdict)->id == id);
	end(&s);
}

static void a_recording_of_last_week_is_unheard_at_once(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	step(&s, 7 * 86400);
	assert_int_equal(s.w->verdict.cannot.why, CANNOT_UNHEARD);
	assert_true(s.w->verdict.cannot.to_ns <= s.end_ns + 8 * NS);
	open_one(&s.w->verdict);
	end(&s);
}

static void a_clock_that_jumps_makes_nobody_unheard(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	step(&s, 6);
	step(&s, 3600);
	step(&s, 3601);
	step(&s, 10);
	assert_int_equal(s.w->verdict.cannot.why, CANNOT_NOT);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(after_a_minute_it_says_so),
		cmocka_unit_test(a_recording_of_last_week_is_unheard_at_once),
		cmocka_unit_test(a_clock_that_jumps_makes_nobody_unheard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
