// SPDX-License-Identifier: BSD-2-Clause
/* verdict.h: hostile and large verdicts, what --explain adds, JSON read back, the table of signals. */
#include "robust_verdicts.h"

/* Names are whatever a process calls itself. */
static void test_hostile(void **state)
{
	struct verdict a = hogged();
	struct culprit *c = &a.incidents[0].culprit;
	struct finding *e = &a.incidents[0].findings[0];
	struct text line TEXT_SCOPED = {0};
	char *text;
	json_t *root;

	(void)state;
	strcpy(c->name, "\033[2J\"x\\\xff:y:77");
	memset(c->cgroup, 'c', sizeof(c->cgroup) - 1);
	memset(a.incidents[0].detail.disk, 'd', INSTANCE_LEN - 1);
	a.incidents[0].guess.kind = GUESS_PROCESS;
	memset(a.incidents[0].guess.process, '\n', INSTANCE_LEN - 1);
	a.incidents[0].doubts[0].kind = DOUBT_ONE_HOST;
	memset(a.incidents[0].doubts[0].host, '\xc3', INSTANCE_LEN - 1);
	a.incidents[0].n_doubts = 1;
	a.incidents[0].confidence = 0.6;
	strcpy(e->disk, "\t\xc3\x28");
	e->value = e->ratio = INFINITY;
	e->peers = 1e300;
	e->z = 1e200;
	e->flagged = UINT32_MAX;
	e->last_ns = INT64_MIN;
	e->usual = NAN;
	a.incidents[0].node = 77; /* no such server */
	verdict_note_lines(&a, "\xf0\x28\x8c\n\n\033]0;x\007");
	assert_null(strpbrk(verdict_headline(&line, &a, 0), "\"\\"));
	assert_memory_equal(text_of(&line), "? limps:", 8);
	for (int explain = 0; explain < 2; explain++) {
		text = printed(as_text, &a, explain);
		check_lines(text);
		assert_null(strchr(text, 033));
		assert_non_null(strstr(text, "(pid 77,"));
		free(text);
		root = read_back(&a, explain);
		json_decref(root);
	}
	verdict_release(&a);
}

static void test_explain(void **state)
{
	struct verdict a = group();
	char *text;

	(void)state;
	explain_some(&a);
	text = printed(as_text, &a, true);
	check_lines(text);
	assert_non_null(strstr(text, "\nworse than the peers, but ruled out:\n"
				     "  - oss-3: round-trip time"));
	assert_non_null(strstr(text, ": a symptom, which victims show as well\n"));
	assert_non_null(strstr(text, ": the evidence does not suffice\n"));
	assert_non_null(strstr(text, ": demand, not a fault\n"));
	assert_non_null(strstr(text, "\nread latency                 read          may indict "));
	assert_non_null(strstr(text, "\n2025-11-21T03:00:00Z oss-3          sdb     read         "
				     "     31.4      9.8   3.081   18.55 indicts\n"));
	assert_non_null(strstr(text, "\n2025-11-21T03:00:10Z oss-4          -       runq         "
				     "        -        -       -       -\n"));
	free(text);
	a.looks[0].signal = SIG_SRTT; /* a symptom indicts nobody */
	text = printed(as_text, &a, true);
	assert_non_null(strstr(text, "18.55 supports\n"));
	assert_null(strstr(text, " indicts\n"));
	free(text);
	verdict_release(&a);
}

/* Most signals were judged; and one of which less is worse. */
static void test_signals(void **state)
{
	struct verdict a = group();
	struct finding e = foreign();
	char *text;

	(void)state;
	e.signal = SIG_IDLE;
	*e.disk = 0;
	e.value = 100;
	e.peers = 50000;
	e.ratio = 45.4;
	give(indict(&a, 2, CAUSE_HUNG), e);
	for (int i = 0; i < SIG_COUNT; i++)
		a.signals[i].judged = i != SIG_QUEUE && i != SIG_STEAL;
	text = printed(as_text, &a, false);
	assert_non_null(strstr(text, " 45.4 x less"));
	assert_null(strstr(text, "added to both"));
	assert_non_null(strstr(text, "\nsignals  all but queue, processors stolen\n"));
	free(text);
	a.signals[SIG_QUEUE].judged = a.signals[SIG_STEAL].judged = true;
	text = printed(as_text, &a, false);
	assert_non_null(strstr(text, "\nsignals  all\n"));
	free(text);
	verdict_release(&a);
}

/* A group as large as they come: lists are cut, lines stay narrow, JSON has all. */
static void test_many(void **state)
{
	enum { MANY = 500 };
	struct verdict a = group();
	json_t *root;
	char *text;

	(void)state;
	a.n_nodes = MANY;
	a.nodes = realloc(a.nodes, MANY * sizeof(*a.nodes));
	a.judged = realloc(a.judged, MANY * sizeof(*a.judged));
	assert_true(a.nodes && a.judged);
	for (size_t i = 0; i < MANY; i++) {
		snprintf(a.nodes[i], HOST_LEN, "a-rather-long-name-of-a-server-%zu.example.org", i);
		a.judged[i] = i % 2;
		for (int s = 0; i % 2 == 0 && s < SIG_COUNT; s++)
			add_unjudged(&a, i, (size_t)s, i % 4 ? UNJUDGED_TOO_FEW : UNJUDGED_NO_DATA);
	}
	text = printed(as_text, &a, false);
	check_lines(text);
	assert_non_null(strstr(text, "and 105 more"));
	free(text);
	root = read_back(&a, false);
	assert_int_equal(json_array_size(json_object_get(root, "not_judged")), MANY / 2);
	json_decref(root);
	verdict_release(&a);
}

static void test_json(void **state)
{
	struct verdict a = hogged();
	json_t *root, *who, *e, *c;

	(void)state;
	verdict_note_lines(&a, "one\ntwo");
	add_unjudged(&a, 3, SIG_WRITE, UNJUDGED_TOO_FEW);
	add_unjudged(&a, 4, SIGNAL_ALL, UNJUDGED_NO_DATA);
	explain_some(&a);
	root = read_back(&a, true);
	assert_string_equal(json_string_value(json_object_get(root, "verdict")), "indicted");
	assert_int_equal(json_array_size(json_object_get(root, "notes")), 2);
	assert_int_equal(json_array_size(json_object_get(root, "ruled_out")), 3);
	who = json_array_get(json_object_get(root, "incidents"), 0);
	assert_string_equal(json_string_value(json_object_get(who, "server")), "oss-3");
	assert_string_equal(json_string_value(json_object_get(who, "cause")), "disk-hog");
	assert_string_equal(json_string_value(json_object_get(who, "from")),
			    "2025-11-21T03:02:00Z");
	assert_true(json_is_null(json_object_get(who, "guess")));
	assert_string_equal(json_string_value(json_object_get(who, "direction")), "read");
	assert_string_equal(json_string_value(json_object_get(who, "disk")), "sdb");
	c = json_object_get(who, "culprit");
	assert_int_equal(json_integer_value(json_object_get(c, "pid")), 1234);
	assert_true(json_real_value(json_object_get(c, "share")) == 0.84);
	e = json_array_get(json_object_get(who, "findings"), 0);
	assert_string_equal(json_string_value(json_object_get(e, "signal")), "foreign-read");
	assert_true(json_real_value(json_object_get(e, "value")) == 31744);
	assert_true(json_is_null(json_object_get(e, "p99"))); /* NaN */
	e = json_array_get(json_object_get(root, "not_judged"), 1);
	assert_int_equal(json_array_size(json_object_get(e, "signals")), 0);
	e = json_array_get(json_object_get(root, "looks"), 1);
	assert_true(json_is_null(json_object_get(e, "score")));
	assert_true(json_is_null(json_object_get(root, "why")));
	assert_int_equal(json_integer_value(json_object_get(root, "schema")), VERDICT_SCHEMA);
	json_decref(root);
	root = read_back(&a, false);
	assert_null(json_object_get(root, "looks"));
	json_decref(root);
	verdict_release(&a);
}

static void test_process(void **state)
{
	static const struct {
		const char *name, *is;
		bool remote;
		long pid;
	} cases[] = {{"fio:1234", "fio", false, 1234},
		     {"a:b:7", "a:b", false, 7},
		     {"(rest)", "(rest)", false, -1},
		     {"x:", "x:", false, -1},
		     {"x:1y", "x:1y", false, -1},
		     {"x:99999999999", "x:99999999999", false, -1},
		     {"10.0.0.9:24007", "10.0.0.9:24007", true, -1},
		     {"", "", false, -1}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct culprit c = {.remote = cases[i].remote};
		char name[INSTANCE_LEN];

		strcpy(c.name, cases[i].name);
		assert_int_equal(verdict_process(&c, name), cases[i].pid);
		assert_string_equal(name, cases[i].is);
	}
}

/* The table of signals in the document is the program's. */
static void test_document(void **state)
{
	static const char *const roles[] = {"may indict", "supports", "demand"};
	FILE *file = fopen("analyzer/METHOD.md", "r");
	char *text = NULL, row[512], flash[32];
	size_t size = 0;

	(void)state;
	if (!file)
		SKIP("analyzer/METHOD.md is not below the current folder");
	assert_true(getdelim(&text, &size, 0, file) > 0);
	fclose(file);
	for (int i = 0; i < SIG_COUNT; i++) {
		const struct signal_row *s = &signals[i];

		snprintf(flash, sizeof(flash), " (flash %g)", s->floor_flash);
		snprintf(row, sizeof(row), "\n| `%s` | %s | %s | %s | %s | %g | %g%s | %g | %s |\n",
			 s->word, s->name, s->level == LEVEL_DISK ? "disk" : "server",
			 roles[s->role], *s->unit ? s->unit : "-",
			 s->kind == KIND_NUMBER ? s->c : 0, s->floor,
			 s->floor_flash > 0 ? flash : "", s->ratio > 0 ? s->ratio : 1.3, s->reason);
		if (!strstr(text, row))
			fail_msg("analyzer/METHOD.md lacks this row:%s", row);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostile),	 cmocka_unit_test(test_explain),
		cmocka_unit_test(test_many),	 cmocka_unit_test(test_json),
		cmocka_unit_test(test_process),	 cmocka_unit_test(test_signals),
		cmocka_unit_test(test_document),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
