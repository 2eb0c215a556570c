// SPDX-License-Identifier: BSD-2-Clause
/* watch/alert.h: a program that is run, held back, and killed when it hangs. */
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "watch_util.h"

#include "analyzer/watch/alert.h"

static void write_program(const struct fixture *fx, const char *body, char path[300])
{
	FILE *f;

	snprintf(path, 300, "%s/program", fx->dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "#!/bin/sh\n%s\n", body);
	fclose(f);
	assert_int_equal(chmod(path, 0755), 0);
}

/* Until nothing runs any more; the time of the alert stands still. */
static void wait_for(struct alert *a, int64_t now_ns)
{
	for (int i = 0; i < 6000 && alert_count(a).running; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		alert_tick(a, now_ns);
	}
	assert_int_equal(alert_count(a).running, 0);
}

static char *text_in(const struct fixture *fx, const char *name)
{
	static char text[8192];
	char path[300];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", fx->dir, name);
	f = fopen(path, "r");
	n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	text[n] = 0;
	if (f)
		fclose(f);
	return text;
}

struct alerting {
	struct track_events *changes;
	struct alert *alert;
};

static int pass(void *arg, const struct verdict *a, const struct change *c)
{
	struct alerting *l = arg;

	return alert_change(l->alert, a, c);
}

/* Server `node` limps (or not) at this time, and everything due is run to its end. */
static void now(struct alerting *l, int seconds, size_t node, enum cause cause)
{
	struct verdict a = verdict_at(seconds);

	if (cause != CAUSE_NONE)
		indict(&a, node, cause, "")->last_ns = AT(seconds);
	assert_int_equal(levels(l->changes, &a, pass, l), 0);
	verdict_release(&a);
	alert_tick(l->alert, seconds * NS);
	wait_for(l->alert, seconds * NS);
}

static struct alerting alerting(const char *path, unsigned int interval)
{
	struct alerting l = {track_events_new(),
			     alert_new(&(struct alert_opts){
				     .program = path, .interval_s = interval, .quiet = true})};

	assert_true(l.changes && l.alert);
	return l;
}

static void alerting_end(struct alerting *l)
{
	alert_free(l->alert);
	track_events_free(l->changes);
}

/* A server that stops reporting, and that nobody can be judged any more. */
static void silence_and_judging_are_alerts(void **state)
{
	const struct fixture *fx = *state;
	struct alerting l;
	struct verdict a;
	char path[300];

	write_program(fx, "echo \"$1 $2 $3\" >>${0%/*}/said", path);
	l = alerting(path, 0);
	for (int i = 0; i < 5; i++) {
		a = verdict_at(100 + 100 * i);
		if (i == 1)
			notice(&a, NOTICE_SILENT, 1, "s2 stopped reporting", 200);
		if (i == 0 || i == 3)
			a.cannot.why = CANNOT_NO_INTERVAL;
		assert_int_equal(levels(l.changes, &a, pass, &l), 0);
		verdict_release(&a);
		alert_tick(l.alert, (100 + 100 * i) * NS);
		wait_for(l.alert, (100 + 100 * i) * NS);
	}
	assert_string_equal(text_in(fx, "said"), "opened s2 silent\n"
						 "over s2 silent\n"
						 "opened  cannot-judge\n"
						 "over  cannot-judge\n");
	alerting_end(&l);
}

static void unproven_or_not(struct alerting *l, int seconds, bool unproven)
{
	struct verdict a = verdict_at(seconds);
	struct unproven u = {
		.node = 2, .resource = RESOURCE_DISK, .signal = SIG_READ, .suspicious_from = 4.1};

	if (unproven)
		assert_int_equal(verdict_used(&a, &u), 0);
	assert_int_equal(levels(l->changes, &a, pass, l), 0);
	verdict_release(&a);
	alert_tick(l->alert, seconds * NS);
	wait_for(l->alert, seconds * NS);
}

/* That a fault would not have been seen is told when it has been so for a day, and then its end; what was proven meanwhile begins anew. */
static void what_is_unproven_for_a_day(void **state)
{
	const int day = (int)(ALERT_UNPROVEN_NS / NS);
	const struct fixture *fx = *state;
	struct alerting l;
	char path[300];

	write_program(fx, "echo \"$1 $2 $3: $LIMPET_DETAIL\" >>${0%/*}/proof", path);
	l = alerting(path, 0);
	unproven_or_not(&l, 100, true);
	unproven_or_not(&l, 99 + day, true);
	unproven_or_not(&l, 110 + day - 10, false);
	unproven_or_not(&l, 110 + day, true);
	unproven_or_not(&l, 109 + 2 * day, true);
	assert_string_equal(text_in(fx, "proof"), "");
	assert_int_equal(alert_count(l.alert).waiting, 0);
	unproven_or_not(&l, 110 + 2 * day, true);
	unproven_or_not(&l, 120 + 2 * day, true);
	unproven_or_not(&l, 130 + 2 * day, false);
	assert_string_equal(text_in(fx, "proof"),
			    "opened  unproven: disk of 1 of 6 servers: faults below 4.10 x in "
			    "read latency would be missed\nover  unproven: no server is "
			    "unproven any more\n");
	/* Of another run it is known since when: what that told is not told again, but its end is; what it did not tell is, in time. */
	track_resume_unproven(l.changes);
	assert_int_equal(alert_resume_unproven(l.alert, AT(0), (day + 1) * NS, "so"), 0);
	unproven_or_not(&l, 140 + 2 * day, true);
	unproven_or_not(&l, 150 + 2 * day, false);
	track_resume_unproven(l.changes);
	assert_int_equal(alert_resume_unproven(l.alert, AT(0), (day - 20) * NS, "so"), 0);
	unproven_or_not(&l, 160 + 2 * day, true);
	unproven_or_not(&l, 169 + 2 * day, true);
	assert_int_equal(alert_count(l.alert).run, 3);
	unproven_or_not(&l, 180 + 2 * day, true);
	assert_int_equal(alert_count(l.alert).run, 4);
	alerting_end(&l);
}

/* It is told of what is so, not oftener than it may, and never of an end without a beginning. */
static void alerts_wait_for_their_interval(void **state)
{
	struct fixture *fx = *state;
	struct alerting l;
	char path[300];

	write_program(fx, "echo \"$1 $2 $3\" >>\"${0%/*}/log\"", path);
	l = alerting(path, 300);
	now(&l, 100, 2, CAUSE_DISK_HOG);
	assert_string_equal(text_in(fx, "log"), "opened s3 disk-hog\n");
	/* it comes and goes */
	now(&l, 110, 2, CAUSE_NONE);
	now(&l, 120, 2, CAUSE_DISK_HOG);
	now(&l, 130, 2, CAUSE_NONE);
	assert_int_equal(alert_count(l.alert).waiting, 1);
	now(&l, 399, 2, CAUSE_NONE);
	assert_string_equal(text_in(fx, "log"), "opened s3 disk-hog\n");
	now(&l, 400, 2, CAUSE_NONE);
	assert_string_equal(text_in(fx, "log"), "opened s3 disk-hog\nover s3 disk-hog\n");
	/* another server has an interval of its own; what came and went in it is not told */
	now(&l, 410, 3, CAUSE_CPU_HOG);
	now(&l, 420, 2, CAUSE_DISK_HOG);
	now(&l, 430, 2, CAUSE_NONE);
	now(&l, 900, 2, CAUSE_NONE);
	assert_string_equal(text_in(fx, "log"), "opened s3 disk-hog\nover s3 disk-hog\n"
						"opened s4 cpu-hog\nover s4 cpu-hog\n");
	/* for another cause */
	now(&l, 1300, 2, CAUSE_DEVICE_SLOW);
	now(&l, 1310, 2, CAUSE_DISK_HOG);
	now(&l, 1600, 2, CAUSE_DISK_HOG);
	assert_non_null(strstr(text_in(fx, "log"), "opened s3 device-slow\nopened s3 disk-hog\n"));
	assert_int_equal(alert_count(l.alert).run, 6);
	assert_int_equal(alert_count(l.alert).failed, 0);
	alerting_end(&l);
}

static bool is_acknowledged(void *arg, const char *server, uint64_t incident)
{
	(void)server;
	return incident && *(const uint64_t *)arg == incident;
}

/* Incidents of a server (0: none), the first over or not; and everything due is run to its end. */
static void two(struct alerting *l, int seconds, uint64_t first, bool over, uint64_t second,
		enum cause cause)
{
	struct verdict a = verdict_at(seconds);

	if (first) {
		indict(&a, 2, CAUSE_DISK_HOG, "")->id = first;
		a.incidents[0].open = !over;
	}
	if (second)
		indict(&a, 2, cause, "")->id = second;
	assert_int_equal(levels(l->changes, &a, pass, l), 0);
	assert_int_equal(alert_look(l->alert, &a), 0);
	verdict_release(&a);
	alert_tick(l->alert, seconds * NS);
	wait_for(l->alert, seconds * NS);
}

/* Beside one that is acknowledged and lasts, others come and go: each is told, and its end. */
static void others_beside_an_acknowledged_one(void **state)
{
	const struct fixture *fx = *state;
	uint64_t acknowledged = 7;
	struct alerting l;
	char path[300];

	write_program(fx, "echo \"$1 $2 $3\" >>\"${0%/*}/three\"", path);
	l = alerting(path, 0);
	alert_silence(l.alert, is_acknowledged, &acknowledged);
	two(&l, 100, 7, false, 0, CAUSE_NONE);
	two(&l, 110, 7, false, 8, CAUSE_DEVICE_SLOW);
	two(&l, 120, 7, false, 8, CAUSE_DEVICE_SLOW);
	two(&l, 130, 7, false, 0, CAUSE_NONE);
	two(&l, 140, 7, false, 0, CAUSE_NONE);
	/* that it is acknowledged ends, and it lasts */
	acknowledged = 0;
	two(&l, 142, 7, false, 0, CAUSE_NONE);
	two(&l, 144, 7, false, 0, CAUSE_NONE);
	acknowledged = 7;
	two(&l, 150, 7, false, 11, CAUSE_CPU_HOG);
	two(&l, 160, 7, false, 12, CAUSE_CPU_HOG);
	two(&l, 170, 7, true, 0, CAUSE_NONE);
	assert_string_equal(text_in(fx, "three"),
			    "opened s3 device-slow\nover s3 device-slow\nopened s3 disk-hog\n"
			    "opened s3 cpu-hog\n"
			    "over s3 disk-hog\n");
	alerting_end(&l);
}

/* Of two incidents of a server one is acknowledged: the other is told, whether it is there already or takes its place, and with the same cause, too. */
static void one_of_two_is_acknowledged(void **state)
{
	const struct fixture *fx = *state;
	uint64_t acknowledged = 0;
	struct alerting l;
	char path[300];

	write_program(fx, "echo \"$1 $2 $3\" >>\"${0%/*}/two\"", path);
	l = alerting(path, 0);
	alert_silence(l.alert, is_acknowledged, &acknowledged);
	two(&l, 100, 7, false, 8, CAUSE_DEVICE_SLOW);
	assert_string_equal(text_in(fx, "two"), "opened s3 disk-hog\n");
	acknowledged = 7;
	two(&l, 110, 7, false, 8, CAUSE_DEVICE_SLOW);
	two(&l, 120, 7, false, 8, CAUSE_DEVICE_SLOW);
	assert_string_equal(text_in(fx, "two"), "opened s3 disk-hog\nopened s3 device-slow\n");
	two(&l, 130, 7, true, 0, CAUSE_NONE);
	acknowledged = 9;
	two(&l, 140, 9, false, 0, CAUSE_NONE);
	assert_string_equal(text_in(fx, "two"), "opened s3 disk-hog\nopened s3 device-slow\n"
						"over s3 disk-hog\n");
	acknowledged = 0;
	two(&l, 150, 9, false, 0, CAUSE_NONE);
	acknowledged = 9;
	two(&l, 160, 9, true, 10, CAUSE_DISK_HOG);
	two(&l, 170, 9, true, 10, CAUSE_DISK_HOG);
	assert_string_equal(text_in(fx, "two"),
			    "opened s3 disk-hog\nopened s3 device-slow\nover s3 disk-hog\n"
			    "opened s3 disk-hog\nopened s3 disk-hog\n");
	alerting_end(&l);
}

/* Nobody is woken for a suspicion. */
static void a_suspicion_is_no_alert(void **state)
{
	struct fixture *fx = *state;
	struct verdict a = verdict_at(90);
	struct alerting l;
	char path[300];

	write_program(fx, "echo \"$1 $2\" >>\"${0%/*}/log\"", path);
	l = alerting(path, 0);
	indict(&a, 2, CAUSE_DISK_HOG, "")->suspicion = SUSPICION_PEERS;
	assert_int_equal(levels(l.changes, &a, pass, &l), 0);
	verdict_release(&a);
	alert_tick(l.alert, NS);
	assert_int_equal(alert_count(l.alert).run, 0);
	alerting_end(&l);
}

static void alerts_are_limited_in_all(void **state)
{
	struct fixture *fx = *state;
	struct alerting l;
	char path[300];

	write_program(fx, "echo \"$1 $2\" >>\"${0%/*}/log\"", path);
	l = alerting(path, 0);
	for (int i = 0; i < 2 * ALERTS_MINUTE; i++)
		now(&l, 100 + i % 60, 2, i % 2 ? CAUSE_NONE : CAUSE_DISK_HOG);
	assert_int_equal(alert_count(l.alert).run, ALERTS_MINUTE);
	now(&l, 1000, 2, CAUSE_DISK_HOG);
	assert_int_equal(alert_count(l.alert).run, ALERTS_MINUTE + 1);
	alerting_end(&l);
}

/* What is not of this world stays out of arguments and environment. */
static void alerts_are_clean(void **state)
{
	struct fixture *fx = *state;
	struct verdict a = verdict_at(90);
	struct alerting l;
	char path[300];

	write_program(fx,
		      "printf '%s|' \"$@\" \"$LIMPET_SERVER\" \"$LIMPET_CAUSE\" \"$LIMPET_SINCE\" "
		      "\"$LIMPET_CHANGE\" \"$LIMPET_STATUS\" >\"${0%/*}/log\"; printf '%s' "
		      "\"$LIMPET_JSON\" "
		      ">\"${0%/*}/json\"; printf '%s' \"$LIMPET_DETAIL\" >\"${0%/*}/detail\"; "
		      "tr '\\0' '\\n' </proc/$$/environ | grep -c ^LIMPET_SERVER= "
		      ">\"${0%/*}/names\"",
		      path);
	l = alerting(path, 0);
	setenv("LIMPET_SERVER", "of before", 1);
	snprintf(a.nodes[2], HOST_LEN, "$(reboot)\n\033[2J");
	indict(&a, 2, CAUSE_DISK_HOG, "`reboot`\n:1");
	assert_int_equal(levels(l.changes, &a, pass, &l), 0);
	verdict_release(&a);
	alert_tick(l.alert, NS);
	wait_for(l.alert, NS);
	assert_string_equal(text_in(fx, "log"),
			    "opened|$(reboot)??[2J|disk-hog|$(reboot)??[2J|disk-hog|"
			    "2026-11-21T03:01:00Z|opened|indicted|");
	assert_string_equal(text_in(fx, "names"), "1\n");
	assert_non_null(strstr(text_in(fx, "json"), "\"findings\":[{"));
	assert_non_null(strstr(text_in(fx, "detail"), "$(reboot)??[2J limps: disk-hog: `reboot`?"));
	unsetenv("LIMPET_SERVER");
	alerting_end(&l);
}

/* One that hangs is killed, with what it started, after its minute; others run meanwhile. */
static void a_program_that_hangs_is_killed(void **state)
{
	struct fixture *fx = *state;
	struct verdict a = verdict_at(90);
	struct alerting l;
	char path[300];

	write_program(fx, "[ \"$2\" = s3 ] || exit 3\nsleep 600 &\necho $! >\"${0%/*}/pid\"\nwait",
		      path);
	l = alerting(path, 0);
	indict(&a, 2, CAUSE_DISK_HOG, "");
	indict(&a, 3, CAUSE_DISK_HOG, "");
	assert_int_equal(levels(l.changes, &a, pass, &l), 0);
	verdict_release(&a);
	alert_tick(l.alert, NS);
	assert_int_equal(alert_count(l.alert).run, 2);
	for (int i = 0; i < 6000 && !(strlen(text_in(fx, "pid")) && alert_count(l.alert).failed);
	     i++) {
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		alert_tick(l.alert, NS + (ALERT_LIMIT_S - 1) * NS);
	}
	assert_int_equal(alert_count(l.alert).failed, 1);
	assert_int_equal(alert_count(l.alert).running, 1);
	wait_for(l.alert, NS + ALERT_LIMIT_S * NS);
	assert_int_equal(alert_count(l.alert).killed, 1);
	assert_int_equal(alert_count(l.alert).failed, 2);
	/* its child is gone, too, or about to be buried by whoever inherited it */
	for (int i = 0; i < 6000; i++) {
		char stat[64] = "", name[64];
		FILE *f;

		snprintf(name, sizeof(name), "/proc/%ld/stat", atol(text_in(fx, "pid")));
		f = fopen(name, "r");
		if (!f)
			break;
		if (fscanf(f, "%*d %*s %63s", stat) == 1 && *stat == 'Z')
			i = 6000;
		fclose(f);
		assert_true(i != 5999);
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	}
	alerting_end(&l);
}

/* Gone meanwhile: counted, and everything goes on. */
static void a_program_that_is_gone(void **state)
{
	struct fixture *fx = *state;
	struct alerting l;
	char path[300];

	write_program(fx, "exit 0", path);
	l = alerting(path, 0);
	unlink(path);
	now(&l, 100, 2, CAUSE_DISK_HOG);
	now(&l, 200, 2, CAUSE_NONE);
	for (int i = 0; i < 3000 && alert_count(l.alert).failed < 2; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		now(&l, 201, 2, CAUSE_NONE);
	}
	assert_int_equal(alert_count(l.alert).run, emulated() ? 2 : 0);
	assert_int_equal(alert_count(l.alert).failed, 2);
	alerting_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(silence_and_judging_are_alerts, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(what_is_unproven_for_a_day, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(alerts_wait_for_their_interval, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_suspicion_is_no_alert, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(alerts_are_limited_in_all, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(others_beside_an_acknowledged_one, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(one_of_two_is_acknowledged, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(alerts_are_clean, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(a_program_that_hangs_is_killed, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(a_program_that_is_gone, fixture_setup,
						fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
