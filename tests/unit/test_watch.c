// SPDX-License-Identifier: BSD-2-Clause
/* watch/changes.h: what is new from one verdict to the next. */
#include "watch_util.h"

struct heard {
	char text[4096];    /* "opened s3 disk-hog; " */
	struct change last; /* its text is in said */
	char said[1024];
};

static int hear(void *arg, const struct verdict *a, const struct change *c)
{
	struct heard *h = arg;
	size_t len = strlen(h->text);

	assert_int_equal(c->event.at_ns, a->to_ns);
	for (const char *p = text_of(&c->text); *p; p++)
		assert_true(*p >= ' ' && *p <= '~');
	snprintf(h->text + len, sizeof(h->text) - len, "%s%s%s%s%s; ",
		 event_rows[c->event.kind].word, *c->server ? " " : "", c->server,
		 *c->cause ? " " : "", c->cause);
	h->last = *c;
	snprintf(h->said, sizeof(h->said), "%s", text_of(&c->text));
	return 0;
}

/* Takes the verdict. */
static void expect(struct track_events *c, struct verdict a, const char *words, struct heard *h)
{
	*h->text = 0;
	assert_int_equal(levels(c, &a, hear, h), 0);
	assert_string_equal(h->text, words);
	verdict_release(&a);
}

static void a_verdict_from_its_beginning_to_its_end(void **state)
{
	struct track_events *c = track_events_new();
	struct verdict a = verdict_at(30);
	struct heard h;

	(void)state;
	a.cannot.why = CANNOT_NO_INTERVAL;
	expect(c, a, "cannot-judge; ", &h);
	assert_string_equal(h.said, "there is no data");
	expect(c, verdict_at(60), "judging; ", &h);
	assert_string_equal(h.said, "6 of 6 servers");
	expect(c, verdict_at(70), "", &h);
	a = verdict_at(90);
	indict(&a, 2, CAUSE_DEVICE_SLOW, "");
	expect(c, a, "opened s3 device-slow; ", &h);
	assert_true(h.last.event.open);
	assert_string_equal(
		h.said,
		"s3 limps: device-slow (since 2026-11-21T03:01:00Z; read latency of sdb "
		"31.20 ms, peers' median 4.10 ms: 7.60 x (z 21.0), 5 of 5 windows; 95 % sure)");
	/* the process becomes known; then only its number is another one */
	a = verdict_at(100);
	indict(&a, 2, CAUSE_DISK_HOG, "fio:12");
	expect(c, a, "changed s3 disk-hog; ", &h);
	a = verdict_at(110);
	indict(&a, 2, CAUSE_DISK_HOG, "fio:13");
	expect(c, a, "", &h);
	a = verdict_at(120);
	indict(&a, 2, CAUSE_DISK_HOG, "dd:14");
	expect(c, a, "changed s3 disk-hog; ", &h);
	/* nobody is known for a while: no news, and the same one again neither */
	a = verdict_at(130);
	indict(&a, 2, CAUSE_DISK_HOG, "");
	expect(c, a, "", &h);
	a = verdict_at(140);
	indict(&a, 2, CAUSE_DISK_HOG, "dd:15")->held = true;
	expect(c, a, "held s3 disk-hog; ", &h);
	a = verdict_at(150);
	indict(&a, 2, CAUSE_DISK_HOG, "dd:15");
	expect(c, a, "resumed s3 disk-hog; ", &h);
	a = verdict_at(160);
	indict(&a, 2, CAUSE_DISK_HOG, "dd:15")->open = false;
	expect(c, a, "over s3 disk-hog; ", &h);
	assert_false(h.last.event.open);
	a = verdict_at(170);
	indict(&a, 2, CAUSE_DISK_HOG, "dd:15")->open = false;
	expect(c, a, "", &h);
	a = verdict_at(180);
	indict(&a, 2, CAUSE_DISK_HOG, "dd:15");
	expect(c, a, "opened s3 disk-hog; ", &h);
	/* acquitted: its incident is gone */
	expect(c, verdict_at(190), "over s3; ", &h);
	track_events_free(c);
}

static void several_servers_at_once(void **state)
{
	struct track_events *c = track_events_new();
	struct verdict a = verdict_at(90);
	struct heard h;

	(void)state;
	indict(&a, 4, CAUSE_CPU_HOG, "");
	indict(&a, 1, CAUSE_DISK_HOG, "");
	expect(c, a, "judging; opened s5 cpu-hog; opened s2 disk-hog; ", &h);
	a = verdict_at(100);
	indict(&a, 1, CAUSE_DISK_HOG, "");
	indict(&a, 4, CAUSE_CPU_HOG, "")->open = false;
	indict(&a, 0, CAUSE_DISK_HOG, "");
	expect(c, a, "over s5 cpu-hog; opened s1 disk-hog; ", &h);
	/* an older incident of the same server does not hide the open one */
	a = verdict_at(110);
	indict(&a, 0, CAUSE_MEMORY_PRESSURE, "")->open = false;
	indict(&a, 0, CAUSE_DISK_HOG, "");
	indict(&a, 1, CAUSE_DISK_HOG, "");
	expect(c, a, "", &h);
	track_events_free(c);
}

/* Verdicts of logs have the servers that worked lately, in order of their names. */
static void servers_that_come_and_go(void **state)
{
	struct track_events *c = track_events_new();
	struct verdict a = verdict_at(90);
	struct heard h;

	(void)state;
	indict(&a, 2, CAUSE_SLOW, "");
	indict(&a, 5, CAUSE_SLOW, "");
	notice(&a, NOTICE_IMBALANCE, 3, "", 90);
	expect(c, a, "judging; opened s3 slow; opened s6 slow; notice s4 imbalance; ", &h);
	/* s1 is gone, and all others have another number */
	a = verdict_at(100);
	a.n_nodes--;
	memmove(a.nodes, a.nodes + 1, a.n_nodes * sizeof(*a.nodes));
	indict(&a, 1, CAUSE_SLOW, "");
	indict(&a, 4, CAUSE_SLOW, "");
	notice(&a, NOTICE_IMBALANCE, 2, "", 100);
	expect(c, a, "judging; ", &h);
	/* s1 is back, s6 is gone, which limped */
	a = verdict_at(110);
	a.n_nodes--;
	indict(&a, 2, CAUSE_SLOW, "");
	expect(c, a, "over s6; ", &h);
	track_events_free(c);
}

/* In the order that they had before they went. */
static void several_servers_go_at_once(void **state)
{
	struct track_events *c = track_events_new();
	struct verdict a = verdict_at(90);
	struct heard h;

	(void)state;
	indict(&a, 2, CAUSE_SLOW, "");
	indict(&a, 4, CAUSE_SLOW, "");
	expect(c, a, "judging; opened s3 slow; opened s5 slow; ", &h);
	a = verdict_at(100);
	for (int i = 0; i < SERVERS; i++)
		snprintf(a.nodes[i], sizeof(a.nodes[i]), "s%d", SERVERS - i);
	indict(&a, 1, CAUSE_SLOW, "");
	indict(&a, 3, CAUSE_SLOW, "");
	expect(c, a, "", &h);
	a = verdict_at(110);
	a.n_nodes = 2;
	expect(c, a, "judging; over s5; over s3; ", &h);
	track_events_free(c);
}

/* Both come with one verdict, of several intervals. */
static void one_is_over_and_another_open(void **state)
{
	struct track_events *c = track_events_new();
	struct verdict a = verdict_at(90);
	struct heard h;

	(void)state;
	indict(&a, 2, CAUSE_SLOW, "")->id = 7;
	expect(c, a, "judging; opened s3 slow; ", &h);
	a = verdict_at(100);
	indict(&a, 2, CAUSE_SLOW, "")->id = 7;
	a.incidents[0].open = false;
	indict(&a, 2, CAUSE_CPU_HOG, "")->id = 8;
	*h.text = 0;
	assert_int_equal(levels(c, &a, hear, &h), 0);
	assert_string_equal(h.text, "over s3 slow; opened s3 cpu-hog; ");
	assert_true(a.incidents[0].id == 7 && a.incidents[1].id == 8 && h.last.event.id == 8);
	verdict_release(&a);
	track_events_free(c);
}

/* Judged anew each time, from another onset: it is one incident, and has one id. */
static void incidents_of_jobs_keep_their_id(void **state)
{
	struct track_events *c = track_events_new();
	struct heard h = {.text = ""};
	uint64_t id = 0;

	(void)state;
	for (int i = 0; i < 5; i++) {
		struct verdict a = verdict_at(90 + 10 * i);

		indict(&a, 2, CAUSE_SLOW, "")->onset_ns = AT(40 + i);
		assert_int_equal(track_steady(c, &a, true), 0);
		id = id ? id : a.incidents[0].id;
		assert_true(a.incidents[0].id == id && id == track_id("s3", AT(40)));
		/* of a recording, which has another one: it is known by the first */
		if (i == 3)
			a.incidents[0].id++;
		assert_int_equal(levels(c, &a, hear, &h), 0);
		assert_true(a.incidents[0].id == id && h.last.event.id == id);
		verdict_release(&a);
	}
	assert_string_equal(h.text, "judging; opened s3 slow; ");
	track_events_free(c);
}

/* Bits of looks, the last one lowest: what is told of s3 then. */
static void three_of_five_looks_at_jobs_are_told(void **state)
{
	static const struct {
		bool indicted, told;
	} looks[] = {{true, false}, {false, false}, {true, false},  {true, true}, {true, true},
		     {false, true}, {false, true},  {false, false}, {true, false}};
	struct track_events *v = track_events_new();

	(void)state;
	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++) {
		struct verdict a = verdict_at(90);

		indict(&a, 2, CAUSE_SLOW, "")->suspicion =
			looks[i].indicted ? SUSPICION_NONE : SUSPICION_DATA;
		assert_int_equal(track_steady(v, &a, false), 0);
		assert_int_equal(a.incidents[0].suspicion, looks[i].told       ? SUSPICION_NONE
							   : looks[i].indicted ? SUSPICION_BRIEF
									       : SUSPICION_DATA);
		assert_true(track_unsteady(v));
		verdict_release(&a);
	}
	for (int i = 0; i < VERDICTS_OF; i++) {
		struct verdict a = verdict_at(100);

		assert_int_equal(track_steady(v, &a, false), 0);
		verdict_release(&a);
	}
	assert_false(track_unsteady(v));
	track_events_free(v);
}

static void what_lies_back_is_told_at_once(void **state)
{
	struct track_events *v = track_events_new();
	struct verdict a = verdict_at(90);

	(void)state;
	indict(&a, 2, CAUSE_SLOW, "");
	assert_int_equal(track_steady(v, &a, true), 0);
	assert_int_equal(a.incidents[0].suspicion, SUSPICION_NONE);
	assert_false(track_unsteady(v));
	verdict_release(&a);
	track_events_free(v);
}

static void remarks_are_told_once(void **state)
{
	struct track_events *c = track_events_new();
	struct verdict a = verdict_at(90);
	struct heard h;

	(void)state;
	notice(&a, NOTICE_IMBALANCE, 3, "", 90);
	expect(c, a, "judging; notice s4 imbalance; ", &h);
	assert_string_equal(
		h.said, "s4 has more to do than its peers (90.0 times, disk operations), and is as "
			"quick");
	/* other numbers, and longer; an old one of before we looked */
	a = verdict_at(700);
	notice(&a, NOTICE_IMBALANCE, 3, "", 600);
	notice(&a, NOTICE_SILENT, 1, "", 90);
	expect(c, a, "", &h);
	a = verdict_at(1300);
	notice(&a, NOTICE_IMBALANCE, 3, "", 1201);
	notice(&a, NOTICE_IMBALANCE, 4, "", 1300);
	expect(c, a, "notice s4 imbalance; notice s5 imbalance; ", &h);
	track_events_free(c);
}

/* It has a beginning and an end, however short it is, and calls for somebody. */
static void a_silence_is_told(void **state)
{
	struct track_events *c = track_events_new();
	struct verdict a = verdict_at(90);
	struct heard h;

	(void)state;
	expect(c, a, "judging; ", &h);
	for (int i = 0; i < 2; i++) {
		a = verdict_at(100 + 100 * i);
		notice(&a, NOTICE_SILENT, 1, "s2 stopped reporting", 100 + 100 * i);
		expect(c, a, "silent s2 silent; ", &h);
		assert_string_equal(h.said, "s2 stopped reporting");
		a = verdict_at(190 + 100 * i);
		notice(&a, NOTICE_SILENT, 1, "s2 stopped reporting", 100 + 100 * i);
		expect(c, a, "reporting s2 silent; ", &h);
	}
	track_events_free(c);
}

/* Hosts are told apart by addresses with colons, too. */
static void remarks_on_addresses(void **state)
{
	static const char *const host[] = {"2001:db8::101", "2001:db8::102", "2001:db8::101"};
	struct track_events *c = track_events_new();
	struct verdict a;
	struct heard h;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		a = verdict_at(100 + 10 * (int)i);
		for (size_t k = 0; k <= i; k++)
			notice(&a, NOTICE_CLIENT, SIZE_MAX, host[k], 90 + 10 * (int)i);
		expect(c, a,
		       i == 0	? "judging; notice client; "
		       : i == 1 ? "notice client; "
				: "",
		       &h);
	}
	track_events_free(c);
}

/* Who is not judged is told with the reason, and again when others are. */
static void who_is_not_judged_is_told(void **state)
{
	struct track_events *c = track_events_new();
	struct unjudged u[] = {{.node = 4, .signal = SIGNAL_ALL, .why = UNJUDGED_NO_DATA},
			       {.node = 1, .signal = SIGNAL_ALL, .why = UNJUDGED_LOAD}};
	struct verdict a;
	struct heard h;

	(void)state;
	for (int i = 0; i < 4; i++) {
		a = verdict_at(60 + 10 * i);
		a.unjudged = malloc(sizeof(u));
		assert_non_null(a.unjudged);
		memcpy(a.unjudged, u, sizeof(u));
		a.n_unjudged = 2;
		a.judged[4] = i == 3;
		a.judged[1] = i > 0;
		expect(c, a, i == 2 ? "" : "judging; ", &h);
		if (i == 0)
			assert_string_equal(h.said,
					    "4 of 6 servers; not judged: s2 (no peer had a load "
					    "like its own), s5 (no data)");
		if (i == 1)
			assert_string_equal(h.said, "5 of 6 servers; not judged: s5 (no data)");
		if (i == 3)
			assert_string_equal(h.said, "6 of 6 servers");
	}
	track_events_free(c);
}

/* That a fault would not be seen is told when it is so, and when it is so no more. */
static void what_is_unproven_is_told(void **state)
{
	struct track_events *c = track_events_new();
	struct unproven u = {
		.node = 2, .resource = RESOURCE_DISK, .signal = SIG_READ, .suspicious_from = 4.1};
	struct verdict a;
	struct heard h;

	(void)state;
	for (int i = 0; i < 4; i++) {
		a = verdict_at(60 + 10 * i);
		if (i < 2)
			assert_int_equal(verdict_used(&a, &u), 0);
		expect(c, a, i == 0 ? "judging; unproven; " : i == 2 ? "proven; " : "", &h);
		if (i == 0)
			assert_string_equal(h.said, "disk of 1 of 6 servers: faults below 4.10 x "
						    "in read latency would be missed");
	}
	track_events_free(c);
}

/* Suspicious, indicted, suspicious again, nothing: each is told once, and what it may be is no news before. */
static void a_suspicion_is_told(void **state)
{
	struct track_events *c = track_events_new();
	struct verdict a = verdict_at(60);
	struct heard h;

	(void)state;
	indict(&a, 2, CAUSE_DEVICE_SLOW, "")->suspicion = SUSPICION_DATA;
	expect(c, a, "judging; suspicious s3 device-slow; ", &h);
	assert_int_equal(h.last.status, STATUS_SUSPICIOUS);
	assert_true(strstr(h.said, "s3 is suspicious: device-slow (since ") != NULL);
	a = verdict_at(70);
	indict(&a, 2, CAUSE_DISK_HOG, "fio:3")->suspicion = SUSPICION_DATA;
	expect(c, a, "", &h);
	a = verdict_at(80);
	indict(&a, 2, CAUSE_DISK_HOG, "fio:3");
	expect(c, a, "opened s3 disk-hog; ", &h);
	assert_int_equal(h.last.status, STATUS_INDICTED);
	a = verdict_at(90);
	indict(&a, 2, CAUSE_DISK_HOG, "fio:3")->open = false;
	indict(&a, 2, CAUSE_DEVICE_SLOW, "")->suspicion = SUSPICION_PEERS;
	expect(c, a, "over s3 disk-hog; suspicious s3 device-slow; ", &h);
	a = verdict_at(100);
	indict(&a, 2, CAUSE_DEVICE_SLOW, "")->suspicion = SUSPICION_PEERS;
	a.incidents[0].open = false;
	expect(c, a, "cleared s3 device-slow; ", &h);
	assert_int_equal(h.last.status, STATUS_WELL);
	assert_true(strstr(h.said, "s3 was suspicious: ") != NULL);
	track_events_free(c);
}

static struct verdict with_tasks(int seconds, int n)
{
	struct verdict a = verdict_at(seconds);

	for (int i = 0; i < n; i++)
		straggle(&a, 2, 20 + i);
	return a;
}

static void tasks_are_told_once_the_worst_first(void **state)
{
	struct track_events *c = track_events_new();
	struct heard h;

	(void)state;
	expect(c, verdict_at(30), "judging; ", &h);
	expect(c, with_tasks(60, 2), "straggler s3 node-limps; straggler s3 node-limps; ", &h);
	assert_string_equal(h.said, "task1 on s3 runs for 20 s, others 5.0 s; its server limps");
	assert_int_equal(h.last.event.straggler, 0);
	expect(c, with_tasks(70, 2), "", &h);
	expect(c, verdict_at(80), "", &h);
	expect(c, with_tasks(90, 3), "straggler s3 node-limps; ", &h);
	/* away for long */
	expect(c, verdict_at(700), "", &h);
	expect(c, with_tasks(701, 1), "straggler s3 node-limps; ", &h);
	*h.text = 0;
	expect(c, verdict_at(1400), "", &h);
	struct verdict many = with_tasks(1401, 25);
	assert_int_equal(levels(c, &many, hear, &h), 0);
	verdict_release(&many);
	assert_string_equal(h.said, "15 more tasks hold up their job");
	assert_int_equal(h.last.event.straggler, -1);
	track_events_free(c);
}

/* What was told last of a job is no news, and what was told before that is. */
static void a_decision_that_comes_back_is_told(void **state)
{
	struct track_events *c = track_events_new();
	struct heard h;

	(void)state;
	expect(c, verdict_at(30), "judging; ", &h);
	expect(c, decided(60, "cause", "s1"), "decision cause; ", &h);
	expect(c, decided(70, "cause", "s1"), "", &h);
	expect(c, decided(80, "cause", "s2"), "decision cause; ", &h);
	expect(c, decided(90, "place", "s2"), "decision place; ", &h);
	expect(c, decided(100, "cause", "s1"), "decision cause; ", &h);
	expect(c, verdict_at(110), "", &h);
	expect(c, decided(120, "cause", "s1"), "", &h);
	expect(c, verdict_at(730), "", &h);
	expect(c, decided(740, "cause", "s1"), "decision cause; ", &h);
	track_events_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_are_told_once_the_worst_first),
		cmocka_unit_test(a_decision_that_comes_back_is_told),
		cmocka_unit_test(a_verdict_from_its_beginning_to_its_end),
		cmocka_unit_test(several_servers_at_once),
		cmocka_unit_test(servers_that_come_and_go),
		cmocka_unit_test(several_servers_go_at_once),
		cmocka_unit_test(incidents_of_jobs_keep_their_id),
		cmocka_unit_test(one_is_over_and_another_open),
		cmocka_unit_test(three_of_five_looks_at_jobs_are_told),
		cmocka_unit_test(what_lies_back_is_told_at_once),
		cmocka_unit_test(remarks_are_told_once),
		cmocka_unit_test(a_silence_is_told),
		cmocka_unit_test(a_suspicion_is_told),
		cmocka_unit_test(who_is_not_judged_is_told),
		cmocka_unit_test(remarks_on_addresses),
		cmocka_unit_test(what_is_unproven_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
