// SPDX-License-Identifier: BSD-2-Clause
/* engine/tables: one column of a table judged given another, from text to verdict. */
#include "robust_tables.h"

static void a_slow_one_is_found_and_since_when(void **state)
{
	struct analysis_opts o = usual();
	const struct incident *in;
	struct verdict a;

	(void)state;
	write_servers(3, 600, 1, 1200);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, "n2");
	in = &a.incidents[0];
	assert_int_equal(in->cause, CAUSE_SLOW);
	assert_string_equal(sentence_detail(&a, in, sentence), "lat given load");
	assert_int_equal(in->onset_ns, (T0 + 600) * 1000000000LL);
	assert_true(in->decided_ns > in->onset_ns);
	assert_true(in->decided_ns <= (T0 + 600 + 5 * 30) * 1000000000LL);
	assert_true(in->open && !in->chronic && !in->held);
	assert_true(in->times == 1 && in->duty == 1);
	assert_int_equal(in->n_findings, 1);
	assert_true(in->findings[0].n_peers >= 4);
	assert_string_equal(verdict_signal(&a, in->findings[0].signal)->name, "lat");
	assert_true(fabs(in->findings[0].ratio - 3) < 0.3);
	assert_true(in->findings[0].lower > 1.5 && in->findings[0].lower < in->findings[0].ratio);
	/* but for those in which no peer has its load */
	assert_in_range(in->findings[0].flagged, 130, 150);
	assert_in_range(in->findings[0].judged, in->findings[0].flagged, 150);
	assert_int_equal(a.n_windows, 300);
	assert_true(a.interval_s == 4 && a.judged[0] && a.n_signals == 1 && a.signals[0].judged &&
		    !a.cannot.why);
	assert_int_equal(a.from_ns, T0 * 1000000000LL);
	assert_int_equal(a.n_unjudged, 0);
	verdict_release(&a);
}

static void load_is_no_fault(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	write_servers(1, 0, 1.8, 1200);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, NULL);
	assert_true(a.judged[2]);
	verdict_release(&a);
	/* with more than its peers ever have, nothing is said of it */
	write_servers(1, 0, 3, 1200);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, NULL);
	assert_true(!a.judged[2] && a.judged[1]);
	assert_true(a.n_unjudged == 1 && a.unjudged[0].why == UNJUDGED_LOAD);
	verdict_release(&a);
	/* the same without the load: then it looks slow */
	o.given = NULL;
	write_servers(1, 0, 3, 1200);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, "n2");
	assert_string_equal(sentence_detail(&a, &a.incidents[0], sentence), "lat");
	verdict_release(&a);
}

static void a_little_slower_all_the_time(void **state)
{
	static const double slow[] = {1.25, 1.3};
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	o.explain = true;
	for (size_t k = 0; k < sizeof(slow) / sizeof(*slow); k++) {
		write_servers(slow[k], 0, 1, 4800);
		assert_int_equal(judge(&o, &a), 0);
		only(&a, "n2");
		assert_true(fabs(a.incidents[0].findings[0].ratio - slow[k]) < 0.05);
		assert_true(
			fabs(a.incidents[0].findings[0].value / a.incidents[0].findings[0].peers -
			     slow[k]) < 0.05);
		assert_true(a.incidents[0].onset_ns <= (T0 + 60) * 1000000000LL);
		/* lasting for more than an hour, from the beginning */
		assert_true(a.incidents[0].chronic && a.incidents[0].findings[0].chronic);
		assert_in_range(a.n_looks, 1100 * NODES, 1200 * NODES);
		verdict_release(&a);
	}
	/* not long enough for that: no more than a suspicion */
	write_servers(1.25, 0, 1, 90);
	assert_int_equal(judge(&o, &a), 0);
	for (size_t i = 0; i < a.n_incidents; i++)
		assert_true(a.incidents[i].suspicious && a.incidents[i].node == 2);
	verdict_release(&a);
}

static void says_why_it_cannot_judge(void **state)
{
	static const struct {
		const char *header, *line;
		int nodes, seconds;
		const char *why;
	} cases[] = {
		{"time,node,load,lat", "%d,n%d,5,7\n", 2, 600, "fewer than 3 servers to compare"},
		{"time,node,load,lat", "%d,n%d,5,7\n", 6, 2,
		 "at most 2 values in a window of 4 s; 6 are needed"},
		{"time,node,load,lat", "%d,n%d,5,0\n", 6, 600, "zero has no logarithm"},
		{"time,node,load,lat", "%d,n%d,5,-3\n", 6, 600, "zero has no logarithm"},
		{"time,node,load,lat,z", "%d,n%d,5,,1\n", 6, 600, "no value of what is judged"},
	};
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		begin(cases[k].header);
		for (int s = 0; s < cases[k].seconds; s++)
			for (int i = 0; i < cases[k].nodes; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
				fprintf(text, cases[k].line, T0 + s, i);
#pragma GCC diagnostic pop
			}
		assert_int_equal(judge(&o, &a), 0);
		only(&a, NULL);
		sentence_cannot(&a.cannot, sentence);
		if (!strstr(sentence, cases[k].why))
			fail_msg("'%s' is not '%s'", sentence, cases[k].why);
		assert_int_equal(a.n_unjudged, cases[k].nodes);
		verdict_release(&a);
	}
}

static void all_equal_is_no_fault(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	begin("time,node,load,lat");
	for (int s = 0; s < 1200; s++)
		for (int i = 0; i < NODES; i++)
			fprintf(text, "%d,n%d,5,7\n", T0 + s, i);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, NULL);
	assert_true(a.judged[0] && !a.cannot.why);
	verdict_release(&a);
}

static void below_the_floor_is_nothing(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	for (int floor = 0; floor < 2; floor++) {
		write_servers(3, 0, 1, 400);
		o.floor = floor ? 100 : 0;
		assert_int_equal(judge(&o, &a), 0);
		only(&a, floor ? NULL : "n2");
		verdict_release(&a);
	}
	/* with a floor zeros are judged */
	o.floor = 1;
	begin("time,node,load,lat");
	for (int s = 0; s < 400; s++)
		for (int i = 0; i < NODES; i++)
			fprintf(text, "%d,n%d,5,%d\n", T0 + s, i, i == 2 ? 9 : 0);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, "n2");
	verdict_release(&a);
}

/* The line shows true values, and what was added to both of them before the ratio. */
static void zeros_are_shown_as_zeros(void **state)
{
	struct analysis_opts o = usual();
	const struct verdict_signal *s;
	const struct finding *e;
	struct verdict a;

	(void)state;
	o.signal = o.given = NULL;
	begin("time,node,foreign-rkB/s");
	for (int t = 0; t < 400; t++)
		for (int i = 0; i < NODES; i++)
			fprintf(text, "%d,n%d,%d\n", T0 + t, i, i == 2 ? 7168 : 0);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, "n2");
	e = &a.incidents[0].findings[0];
	s = verdict_signal(&a, e->signal);
	assert_true(s->added == 1024 && s->floor == 1024);
	assert_true(fabs(e->value - 7168) < 1e-6 && e->peers == 0);
	assert_true(fabs(e->ratio - (7168.0 + 1024) / (0 + 1024)) < 1e-9);
	verdict_release(&a);
	/* what no constant is known of has the floor for one */
	o.signal = "lat";
	o.floor = 2;
	begin("time,node,lat");
	for (int t = 0; t < 400; t++)
		for (int i = 0; i < NODES; i++)
			fprintf(text, "%d,n%d,%d\n", T0 + t, i, i == 2 ? 10 : 1);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, "n2");
	e = &a.incidents[0].findings[0];
	assert_true(verdict_signal(&a, e->signal)->added == 2);
	assert_true(fabs(e->value - 10) < 1e-9 && fabs(e->peers - 1) < 1e-9);
	assert_true(fabs(e->ratio - 4) < 1e-9);
	verdict_release(&a);
}

/* Among four a difference of twice or more is believed, with a doubt; less than that is suspicious. */
static void few_servers_need_more(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	for (int much = 0; much < 2; much++) {
		begin("time,node,load,lat");
		for (int s = 0; s < 1200; s++)
			for (int i = 0; i < 4; i++)
				fprintf(text, "%d,n%d,5,%.3f\n", T0 + s, i,
					noise() * (i != 1 ? 1
						   : much ? 3
							  : 1.6));
		assert_int_equal(judge(&o, &a), 0);
		assert_int_equal(a.n_incidents, 1);
		assert_string_equal(a.nodes[a.incidents[0].node], "n1");
		assert_int_equal(a.incidents[0].suspicious,
				 much ? SUSPICION_NONE : SUSPICION_PEERS);
		assert_string_equal(sentence_doubts(&a.incidents[0], sentence),
				    "only 3 peers to compare with");
		verdict_release(&a);
	}
}

/* limpet's own columns without --signal: await given its rate; demand and unknown ones not. */
static void known_columns_are_judged_unasked(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	o.signal = o.given = NULL;
	begin("time,node,r/s,r_await,cwnd-median,%steal,rkB/s,odd");
	for (int s = 0; s < 600; s++)
		for (int i = 0; i < NODES; i++)
			fprintf(text, "%d,n%d,%d,%.3f,%.3f,%.3f,%d,%d\n", T0 + s, i, 100,
				9 * noise() * (i == 1 ? 3 : 1), 50 * noise() / (i == 1 ? 4 : 1),
				noise() * (i == 4 ? 9 : 1), i == 5 ? 90000 : 100, i == 3 ? 700 : 1);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, "n1");
	assert_int_equal(a.incidents[0].n_findings, 2);
	assert_string_equal(verdict_signal(&a, a.incidents[0].findings[0].signal)->name, "r_await");
	assert_string_equal(sentence_detail(&a, &a.incidents[0], sentence), "r_await given r/s");
	assert_string_equal(verdict_signal(&a, a.incidents[0].findings[1].signal)->name,
			    "cwnd-median");
	assert_true(a.incidents[0].findings[1].symptom);
	assert_true(a.incidents[0].findings[1].value < a.incidents[0].findings[1].peers);
	assert_int_equal(a.n_ruled_out, 1);
	assert_string_equal(verdict_signal(&a, a.ruled_out[0].signal)->name, "%steal");
	assert_int_equal(a.notes[a.n_notes - 1].kind, NOTE_COLUMNS);
	assert_string_equal(a.notes[a.n_notes - 1].text, "r/s, rkB/s, odd");
	verdict_release(&a);
}

static void nothing_known_is_said(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	o.signal = o.given = NULL;
	write_servers(3, 0, 1, 100);
	assert_int_equal(judge(&o, &a), 0);
	assert_int_equal(a.cannot.why, CANNOT_NO_DIRECTION);
	assert_int_equal(a.notes[a.n_notes - 1].kind, NOTE_COLUMNS);
	assert_string_equal(a.notes[a.n_notes - 1].text, "load, lat");
	verdict_release(&a);
}

/* Who writes files twice as large takes longer; who takes longer for the same ones is slow. */
static void durations_given_bytes(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	o.signal = o.given = NULL;
	for (int with = 0; with < 2; with++) {
		begin(with ? "time,node,state,duration,bytes" : "time,node,state,duration");
		for (int s = 0; s < 6000; s += 2)
			for (int i = 0; i < NODES; i++) {
				int size = 1 << (rand() % 4 + (i == 2 ? 1 : 0));

				fprintf(text, "%d.%d,n%d,write,%.4f", T0 + s, i, i,
					size * noise() * (i == 4 ? 4 : 1));
				fprintf(text, with ? ",%d\n" : "\n", size * 1000);
			}
		assert_int_equal(judge(&o, &a), 0);
		if (with)
			only(&a, "n4"),
				assert_string_equal(sentence_detail(&a, &a.incidents[0], sentence),
						    "write given bytes");
		else
			assert_int_equal(a.n_incidents, 2);
		verdict_release(&a);
	}
}

static void who_is_known_is_not_indicted(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	o.acknowledged = (struct string_list){(const char *[]){"n2"}, 1};
	write_servers(3, 0, 1, 400);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, NULL);
	assert_int_equal(a.n_notices, 1);
	assert_true(a.notices[0].kind == NOTICE_ACKNOWLEDGED && a.notices[0].node == 2);
	verdict_release(&a);
}

static void groups_and_times_of_the_options(void **state)
{
	struct analysis_opts o = usual();
	char path[300];
	struct verdict a;

	(void)state;
	snprintf(path, sizeof(path), "%s", put("peers", "n0 n1 n2 n3\n", 12));
	o.peers = path;
	write_servers(3, 0, 1, 600);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, "n2");
	assert_true(a.judged[0] && !a.judged[4]);
	assert_int_equal(a.n_unjudged, 2);
	assert_int_equal(a.unjudged[0].why, UNJUDGED_NO_GROUP);
	verdict_release(&a);
	o.peers = NULL;
	o.to_ns = (T0 + 300) * 1000000000LL;
	write_servers(3, 300, 1, 900);
	assert_int_equal(judge(&o, &a), 0);
	only(&a, NULL);
	assert_int_equal(a.n_windows, 75);
	verdict_release(&a);
	o.from_ns = INT64_MIN;
	o.to_ns = T0 * 1000000000LL;
	write_servers(3, 300, 1, 900);
	assert_int_equal(judge(&o, &a), 0);
	assert_int_equal(a.cannot.why, CANNOT_NO_VALUE);
	verdict_release(&a);
}

static void columns_that_are_not_there(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	o.signal = "latency";
	write_servers(1, 0, 1, 100);
	assert_int_equal(judge(&o, &a), -EINVAL);
	verdict_release(&a);
	o.signal = "lat";
	o.given = "lat";
	write_servers(1, 0, 1, 100);
	assert_int_equal(judge(&o, &a), -EINVAL);
	verdict_release(&a);
}

/* Clocks at both ends of what a time can be, huge and missing values. */
static void hostile_values(void **state)
{
	struct analysis_opts o = usual();
	struct verdict a;

	(void)state;
	begin("time,node,load,lat");
	for (int s = 0; s < 100; s++)
		for (int i = 0; i < NODES; i++) {
			fprintf(text, "%d,n%d,1e308,1e300\n", T0 + s, i);
			fprintf(text, "%d,n%d,-1e308,1e-300\n", s, i);
			fprintf(text, "%lld,n%d,,1e17\n", 4102444800LL - s, i);
			fprintf(text, "%d,n%d,1e-308,\n", T0 + 100 + s, i);
		}
	assert_int_equal(judge(&o, &a), 0);
	only(&a, NULL);
	verdict_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_one_is_found_and_since_when),
		cmocka_unit_test(load_is_no_fault),
		cmocka_unit_test(a_little_slower_all_the_time),
		cmocka_unit_test(says_why_it_cannot_judge),
		cmocka_unit_test(all_equal_is_no_fault),
		cmocka_unit_test(below_the_floor_is_nothing),
		cmocka_unit_test(zeros_are_shown_as_zeros),
		cmocka_unit_test(few_servers_need_more),
		cmocka_unit_test(known_columns_are_judged_unasked),
		cmocka_unit_test(nothing_known_is_said),
		cmocka_unit_test(durations_given_bytes),
		cmocka_unit_test(who_is_known_is_not_indicted),
		cmocka_unit_test(groups_and_times_of_the_options),
		cmocka_unit_test(columns_that_are_not_there),
		cmocka_unit_test(hostile_values),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
