// SPDX-License-Identifier: BSD-2-Clause
/* watch/watch.h on logs that grow: at the end it knows what `limpet diagnose` knows of all of them. */
#include "growing_logs.h"

#include "analyzer/watch/watch.h"
#include "analyzer/methods/examine_sources.h"
#include "analyzer/output/verdict_print.h"

#define RECORDED "tests/data/hadoop-hang/logs"
#define STEP_NS	 (10 * NS_PER_S)

struct told {
	size_t opened, over;
	char first[HOST_LEN];
	int64_t at_ns;
};

static int hear(void *arg, const struct verdict *a, const struct track_event *e)
{
	struct told *t = arg;

	(void)a;
	if (e->kind == EVENT_OPENED && !t->opened++) {
		snprintf(t->first, sizeof(t->first), "%s", e->server);
		t->at_ns = e->at_ns;
	}
	t->over += e->kind == EVENT_OVER;
	return 0;
}

/* All of a verdict that its incidents say, and who was judged. */
static char *words_of(const struct verdict *a)
{
	char *all = NULL, *more;

	assert_true(asprintf(&all, "%lld %lld ", (long long)a->from_ns, (long long)a->to_ns) > 0);
	for (size_t i = 0; i < a->n_nodes; i++) {
		assert_true(asprintf(&more, "%s%s%s ", all, a->nodes[i], a->judged[i] ? "" : "?") >
			    0);
		free(all);
		all = more;
	}
	for (size_t i = 0; i < a->n_incidents; i++) {
		char *one = verdict_incident_json(a, i);

		assert_true(asprintf(&more, "%s\n%s", all, one) > 0);
		free(one);
		free(all);
		all = more;
	}
	return all;
}

static char *diagnosed(const char *folder)
{
	struct analysis_opts o = ANALYSIS_DEFAULT;
	char *const paths[] = {(char *)folder};
	struct verdict a;
	char *words;

	assert_int_equal(examine(&a, &o, paths, 1, NULL), 0);
	words = words_of(&a);
	verdict_release(&a);
	return words;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A line of each state, in order. */
static char *listed(const struct states *s)
{
	char **line = calloc(s->n + 1, sizeof(*line)), *all, *at;
	size_t len = 1;

	assert_non_null(line);
	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];

		assert_true(asprintf(&line[i], "%lld %lld %s %s %s %s %s %d %lld\n",
				     (long long)x->start_ns, (long long)x->end_ns,
				     state_rows[x->kind].word, s->nodes.at[x->node],
				     s->ids.at[x->id],
				     x->peer == STATE_NONE ? "" : s->nodes.at[x->peer],
				     x->job == STATE_NONE ? "" : s->jobs.at[x->job], x->outcome,
				     (long long)x->bytes) > 0);
		len += strlen(line[i]);
	}
	qsort(line, s->n, sizeof(*line), by_text);
	all = at = malloc(len);
	assert_non_null(all);
	*at = 0;
	for (size_t i = 0; i < s->n; i++) {
		at = stpcpy(at, line[i]);
		free(line[i]);
	}
	free(line);
	return all;
}

/* All states of the logs, read whole. */
static char *listed_whole(const char *folder)
{
	const struct table_opts table = {0};
	const struct log_opts logs = {0};
	char *const paths[] = {(char *)folder};
	struct sources s = {0};
	char *list;

	assert_int_equal(sources_open(&s, paths, 1, &table, &logs), 0);
	list = listed(&s.states);
	sources_release(&s);
	return list;
}

static void same_lines(const char *got, const char *want)
{
	for (unsigned int n = 1; *want; n++) {
		size_t len = strcspn(want, "\n");

		if (strncmp(got, want, len + 1))
			fail_msg("state %u: %.*s, not %.*s", n, (int)strcspn(got, "\n"), got,
				 (int)len, want);
		got += len + 1;
		want += len + 1;
	}
	assert_string_equal(got, "");
}

struct box {
	char whole[64], grown[64];
	struct growing *g;
	struct analysis_opts o;
	struct watch *w;
	struct told told;
	int64_t now_ns;
};

static void steps(struct box *b, unsigned int n)
{
	for (; n; n--) {
		b->now_ns += STEP_NS;
		assert_true(watch_step(b->w, b->now_ns) >= 0);
	}
}

static void begin(struct box *b, unsigned int seed)
{
	char *const paths[] = {b->grown};
	struct growing *whole;

	*b = (struct box){.whole = "/tmp/limpet-logs-XXXXXX", .grown = "/tmp/limpet-logs-XXXXXX"};
	b->o = ANALYSIS_DEFAULT;
	b->o.from_ns = INT64_MIN;
	assert_non_null(mkdtemp(b->whole));
	assert_non_null(mkdtemp(b->grown));
	whole = growing_new(RECORDED, b->whole, 1);
	growing_until(whole, INT64_MAX);
	growing_free(whole);
	b->g = growing_new(RECORDED, b->grown, seed);
	assert_int_equal(watch_new(&b->w, &b->o, -1, paths, 1), 0);
	assert_int_equal(track_subscribe(b->w->events, hear, &b->told), 0);
	b->now_ns = b->g->from_ns;
}

static void end(struct box *b)
{
	char command[200];

	watch_free(b->w);
	growing_free(b->g);
	snprintf(command, sizeof(command), "rm -r '%s' '%s'", b->whole, b->grown);
	assert_int_equal(system(command), 0);
}

/* What was followed is what the logs say that are whole. */
static void states_of_the_whole(const struct box *b)
{
	char *want = listed_whole(b->whole);
	char *got = listed(follow_logs_states(b->w->logs));

	same_lines(got, want);
	free(want);
	free(got);
}

static void grow_and_compare(enum rotation how, unsigned int seed)
{
	struct box b;
	char *want, *got;

	begin(&b, seed);
	while (b.now_ns < b.g->to_ns) {
		growing_until(b.g, b.now_ns);
		if (growing_random(b.g, 2))
			growing_rotate(b.g, how);
		/* also several rotations between two looks, and two looks between them */
		if (growing_random(b.g, 4))
			steps(&b, 1);
		else
			b.now_ns += STEP_NS;
	}
	growing_until(b.g, INT64_MAX);
	steps(&b, 20); /* what has not changed for long is looked at seldom */
	states_of_the_whole(&b);
	want = diagnosed(b.whole);
	got = words_of(&b.w->verdict);
	assert_string_equal(got, want);
	assert_string_equal(b.told.first, "node-flint");
	assert_true(b.told.at_ns < b.g->to_ns);
	free(want);
	free(got);
	end(&b);
}

static void logs_that_only_grow(void **state)
{
	(void)state;
	for (unsigned int seed = 1; seed < 3; seed++)
		grow_and_compare(ROTATE_NOT, seed);
}

static void logs_that_are_renamed(void **state)
{
	(void)state;
	for (unsigned int seed = 1; seed < 4; seed++)
		grow_and_compare(ROTATE_RENAME, seed);
}

static void logs_that_are_copied_and_cut_off(void **state)
{
	(void)state;
	for (unsigned int seed = 1; seed < 4; seed++)
		grow_and_compare(ROTATE_COPY, seed);
}

/* One map that ends in 2058, of a server that works on. */
static void write_years_ahead(const struct box *b)
{
	const char *map =
		"MapAttempt TASK_TYPE=\"MAP\" TASK_ATTEMPT_ID=\"attempt_9_0001_m_000000_0\"";
	char path[200], text[600];
	int n = snprintf(text, sizeof(text),
			 "Meta VERSION=\"1\" .\n"
			 "%s START_TIME=\"%lld\" HOSTNAME=\"node-kelp\" .\n"
			 "%s FINISH_TIME=\"2795375578865\" TASK_STATUS=\"SUCCESS\" "
			 "HOSTNAME=\"node-kelp\" .\n",
			 map, (long long)(b->now_ns / NS_PER_MS), map);

	snprintf(path, sizeof(path), "%s/job_9_0001_history", b->grown);
	growing_append(path, text, (size_t)n);
}

static void a_time_years_ahead_does_not_end_the_watch(void **state)
{
	struct box b;
	char *want, *got;
	bool told = false;

	(void)state;
	begin(&b, 1);
	while (b.now_ns < b.g->to_ns) {
		growing_until(b.g, b.now_ns);
		if (!told && b.now_ns > b.g->from_ns + 60 * NS_PER_S)
			write_years_ahead(&b);
		told |= b.now_ns > b.g->from_ns + 60 * NS_PER_S;
		steps(&b, 1);
		if (told && b.now_ns < b.g->from_ns + 100 * NS_PER_S)
			assert_non_null(strstr(watch_trouble(b.w), "1 " STATES_AWAY));
		if (!told)
			assert_null(watch_trouble(b.w));
	}
	growing_until(b.g, INT64_MAX);
	steps(&b, 20);
	assert_null(watch_trouble(b.w));
	assert_int_equal(follow_logs_states(b.w->logs)->counts.away, 1);
	states_of_the_whole(&b);
	want = diagnosed(b.whole);
	got = words_of(&b.w->verdict);
	assert_string_equal(got, want);
	assert_string_equal(b.told.first, "node-flint");
	free(want);
	/* and so without watching */
	want = diagnosed(b.grown);
	assert_string_equal(got, want);
	free(want);
	free(got);
	end(&b);
}

/* Nothing is read twice: what does not grow costs no line. */
static void a_look_reads_only_what_is_new(void **state)
{
	struct box b;
	uint64_t lines;
	const struct states *s;

	(void)state;
	begin(&b, 1);
	growing_until(b.g, b.g->from_ns + 60 * NS_PER_S);
	steps(&b, 2);
	s = follow_logs_states(b.w->logs);
	lines = s->counts.lines;
	assert_true(lines > 1000);
	steps(&b, 5);
	assert_int_equal(s->counts.lines, lines);
	for (size_t i = 0; i < b.g->n; i++)
		if (strstr(b.g->file[i].path, "tasktracker"))
			growing_append(b.g->file[i].path, "\nx\n", 3);
	steps(&b, 1);
	/* each had a part of a line */
	assert_int_equal(follow_logs_states(b.w->logs)->counts.lines, lines + 12);
	end(&b);
}

/* Logs alone of which nothing new comes for an hour tell nothing of now: they cannot judge, what they said stands, and a new line ends that. */
static void logs_that_say_nothing_more(void **state)
{
	struct box b;
	size_t open;

	(void)state;
	begin(&b, 1);
	growing_until(b.g, b.g->to_ns - 20 * NS_PER_S);
	b.now_ns = b.g->to_ns - 20 * NS_PER_S;
	steps(&b, 350);
	assert_int_equal(b.w->verdict.cannot.why, CANNOT_NOT);
	open = b.w->verdict.n_incidents;
	assert_true(open > 0);
	steps(&b, 30);
	assert_int_equal(b.w->verdict.cannot.why, CANNOT_UNHEARD);
	assert_int_equal(b.w->verdict.cannot.to_ns, b.w->verdict.to_ns);
	assert_int_equal(b.w->verdict.n_incidents, open);
	assert_int_equal(b.told.over, 0);
	growing_until(b.g, INT64_MAX);
	steps(&b, 20); /* what has not changed for long is looked at seldom */
	assert_int_equal(b.w->verdict.cannot.why, CANNOT_NOT);
	end(&b);
}

/* What lay there is as old as it says, until something new comes, whose own time may be of another zone. */
static void logs_of_yesterday(void **state)
{
	struct box b;

	(void)state;
	begin(&b, 1);
	growing_until(b.g, b.g->to_ns - 100 * NS_PER_S);
	b.now_ns = b.g->to_ns + NS_PER_DAY;
	steps(&b, 1);
	assert_int_equal(b.w->verdict.cannot.why, CANNOT_UNHEARD);
	growing_until(b.g, INT64_MAX);
	steps(&b, 20); /* what has not changed for long is looked at seldom */
	assert_int_equal(b.w->verdict.cannot.why, CANNOT_NOT);
	end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logs_that_only_grow),
		cmocka_unit_test(logs_that_are_renamed),
		cmocka_unit_test(logs_that_are_copied_and_cut_off),
		cmocka_unit_test(a_time_years_ahead_does_not_end_the_watch),
		cmocka_unit_test(a_look_reads_only_what_is_new),
		cmocka_unit_test(logs_that_say_nothing_more),
		cmocka_unit_test(logs_of_yesterday),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
