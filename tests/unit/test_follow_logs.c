// SPDX-License-Identifier: BSD-2-Clause
/* source/follow_logs.h, and what of source/logs is for it: rotated names, what is forgotten. */
#include "growing_logs.h"

#include "analyzer/source/follow_logs.h"

#define MINUTE (60 * NS_PER_S)

/* A folder with the log of a TaskTracker in it. */
struct box {
	char folder[64], log[200];
	struct follow_logs *f;
	int64_t now_ns;
};

static void begin(struct box *b)
{
	char *const paths[] = {b->folder};
	const struct log_opts none = {0};

	*b = (struct box){.folder = "/tmp/limpet-follow-XXXXXX", .now_ns = 1000 * NS_PER_S};
	assert_non_null(mkdtemp(b->folder));
	snprintf(b->log, sizeof(b->log), "%s/hadoop-u-tasktracker-s1.log", b->folder);
	b->f = follow_logs_new(paths, 1, &none);
	assert_non_null(b->f);
}

static void end(struct box *b)
{
	char command[200];

	follow_logs_free(b->f);
	snprintf(command, sizeof(command), "rm -r '%s'", b->folder);
	assert_int_equal(system(command), 0);
}

static void run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void run(const char *fmt, ...)
{
	char command[800];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	assert_int_equal(system(command), 0);
}

/* Map `number` of job `job` begins in that minute, and ends ten seconds later. */
static void map(const struct box *b, int job, int number, int minute)
{
	char line[400];
	int n;

	for (int i = 0; i < 2; i++) {
		n = snprintf(
			line, sizeof(line),
			"2026-11-23 %02d:%02d:%02d,000 INFO org.apache.hadoop.mapred.TaskTracker: "
			"%sattempt_20261123_%04d_m_%06d_0%s\n",
			minute / 60, minute % 60, 10 * i,
			i ? "Task " : "JVM with ID: j given task: ", job, number,
			i ? " is done." : "");
		growing_append(b->log, line, (size_t)n);
	}
}

/* The log that is written to is this server's. */
static void of_server(struct box *b, const char *name)
{
	snprintf(b->log, sizeof(b->log), "%s/hadoop-u-tasktracker-%s.log", b->folder, name);
}

static const struct states *look(struct box *b)
{
	bool news = false;
	const struct states *s;

	b->now_ns += MINUTE;
	assert_int_equal(follow_logs_poll(b->f, b->now_ns, &news), 0);
	s = follow_logs_states(b->f);
	assert_non_null(s);
	return s;
}

static void a_log_that_is_compressed_at_once_is_read_to_its_end(void **state)
{
	struct box b;

	(void)state;
	begin(&b);
	map(&b, 1, 0, 1);
	assert_int_equal(look(&b)->n, 1);
	map(&b, 1, 1, 2); /* which nobody saw */
	run("mv '%s' '%s.1' && gzip '%s.1'", b.log, b.log, b.log);
	map(&b, 1, 2, 3);
	/* what may still be written to is not touched at first */
	look(&b);
	assert_int_equal(look(&b)->n, 3);
	assert_int_equal(look(&b)->counts.lines, 6);
	end(&b);
}

static void a_log_that_is_gone_costs_what_was_not_read(void **state)
{
	struct box b;
	const struct states *s;

	(void)state;
	begin(&b);
	map(&b, 1, 0, 1);
	assert_int_equal(look(&b)->n, 1);
	run("rm '%s'", b.log);
	map(&b, 1, 1, 2);
	map(&b, 1, 2, 3);
	look(&b);
	s = look(&b);
	assert_int_equal(s->n, 3);
	assert_non_null(strstr(text_of(&s->notes), "lines may be missing"));
	end(&b);
}

static void logs_come_later_and_files_that_are_none_do_not_matter(void **state)
{
	struct box b;

	(void)state;
	begin(&b);
	run("head -c 200000 /dev/zero >'%s/zeros' && echo text >'%s/text'", b.folder, b.folder);
	assert_int_equal(look(&b)->n, 0);
	assert_int_equal(follow_logs_count(b.f), 0);
	run("mkdir '%s/below'", b.folder);
	snprintf(b.log, sizeof(b.log), "%s/below/hadoop-u-tasktracker-s1.log", b.folder);
	map(&b, 1, 0, 1);
	look(&b);
	assert_int_equal(look(&b)->n, 1);
	assert_int_equal(follow_logs_count(b.f), 1);
	end(&b);
}

/* Ten hours: what is kept is of the last one, and memory does not grow. */
static void what_was_over_an_hour_ago_is_forgotten(void **state)
{
	struct box b;
	const struct states *s;
	size_t kept = 0;

	(void)state;
	begin(&b);
	for (int hour = 0; hour < 10; hour++) {
		for (int i = 0; i < 60; i++)
			map(&b, hour + 1, i, 60 * hour + i);
		s = look(&b);
		assert_int_equal(s->n, hour ? 120 : 60); /* a job is kept as a whole */
		assert_int_equal(s->ids.n, s->n);
		assert_int_equal(s->jobs.n, hour ? 2 : 1);
		kept = s->items.n;
	}
	assert_true(kept <= 120);
	for (size_t i = 0; i < s->n; i++) {
		const struct state *x = &s->at[i];

		assert_int_equal(x->outcome, OUTCOME_OK);
		assert_string_equal(s->nodes.at[x->node], "s1");
		assert_int_equal(strncmp(s->ids.at[x->id] + strlen("attempt_"),
					 s->jobs.at[x->job] + strlen("job_"), 13),
				 0);
	}
	end(&b);
}

/* A server whose clock is three hours ahead forgets nothing of the others. */
static void what_one_server_says_is_not_how_late_it_is(void **state)
{
	struct box b;

	(void)state;
	begin(&b);
	map(&b, 1, 0, 1);
	map(&b, 2, 1, 181);
	of_server(&b, "s2");
	map(&b, 3, 2, 2);
	of_server(&b, "s3");
	map(&b, 4, 3, 3);
	look(&b);
	map(&b, 4, 4, 4);
	assert_int_equal(look(&b)->n, 5);
	/* of two it is believed */
	map(&b, 5, 5, 180);
	assert_int_equal(look(&b)->n, 2);
	end(&b);
}

/* A state that is open when others are forgotten ends as if none had been. */
static void what_is_open_ends_after_others_were_forgotten(void **state)
{
	const char
		*first = "2026-11-23 01:00:00,000 INFO org.apache.hadoop.mapred.TaskTracker: JVM "
			 "with ID: "
			 "j given task: attempt_20261123_0009_m_000007_0\n",
		*last = "2026-11-23 05:00:00,000 INFO org.apache.hadoop.mapred.TaskTracker: Task "
			"attempt_20261123_0009_m_000007_0 is done.\n";
	struct box b;
	const struct states *s;

	(void)state;
	begin(&b);
	map(&b, 1, 0, 59);
	growing_append(b.log, first, strlen(first));
	for (int i = 61; i < 290; i += 30) {
		map(&b, 2, i, i);
		look(&b);
	}
	growing_append(b.log, last, strlen(last));
	s = look(&b);
	for (size_t i = 0; i < s->n; i++) {
		if (strcmp(s->ids.at[s->at[i].id], "attempt_20261123_0009_m_000007_0") != 0)
			continue;
		assert_int_equal(s->at[i].outcome, OUTCOME_OK);
		assert_int_equal(s->at[i].end_ns - s->at[i].start_ns, 240 * MINUTE);
		end(&b);
		return;
	}
	fail_msg("it was forgotten");
}

static void begins(const struct box *b, int job, int number, int minute)
{
	char line[400];
	int n = snprintf(line, sizeof(line),
			 "2026-11-23 %02d:%02d:00,000 INFO org.apache.hadoop.mapred.TaskTracker: "
			 "JVM with ID: j given task: attempt_20261123_%04d_m_%06d_0\n",
			 minute / 60, minute % 60, job, number);

	growing_append(b->log, line, (size_t)n);
}

/* Seconds that the one open state has lasted. */
static long open_s(struct box *b)
{
	const struct states *s = look(b), *open = NULL;
	long age = -1;

	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].outcome == OUTCOME_OPEN) {
			assert_null(open);
			open = s;
			age = (long)((s->at[i].end_ns - s->at[i].start_ns) / NS_PER_S);
		}
	return age;
}

/* Its own log goes no further: the server may hang. */
static void what_is_open_lasts_as_long_as_logs_of_others_go_on(void **state)
{
	struct box b;

	(void)state;
	begin(&b);
	begins(&b, 1, 0, 1);
	assert_int_equal(open_s(&b), 0);
	of_server(&b, "s2");
	map(&b, 1, 1, 3);
	assert_int_equal(open_s(&b), 0); /* one alone may have a wrong clock */
	of_server(&b, "s3");
	map(&b, 1, 2, 4);
	assert_int_equal(open_s(&b), 130);
	map(&b, 1, 3, 300); /* hours ahead */
	assert_int_equal(open_s(&b), 130);
	of_server(&b, "s2");
	map(&b, 2, 0, 13);
	assert_int_equal(open_s(&b), 730);
	end(&b);
}

/* Of a job that nobody speaks of any more the master is gone. */
static void what_is_open_lasts_no_longer_than_its_job_may(void **state)
{
	struct box b;

	(void)state;
	begin(&b);
	begins(&b, 1, 0, 1);
	for (int i = 2; i < 5; i++) {
		char name[8];

		snprintf(name, sizeof(name), "s%d", i);
		of_server(&b, name);
		map(&b, 1, i, 3);
		map(&b, 2, i, 50);
	}
	look(&b);
	assert_int_equal(open_s(&b), 130 + 600);
	end(&b);
}

static void of_what_is_large_the_end_is_read(void **state)
{
	struct states s = {0};
	const char *path;
	struct box b;
	struct stat st;
	struct log *l;
	size_t open = 0;
	int err;

	(void)state;
	begin(&b);
	path = b.log;
	begins(&b, 1, 999999, 0);
	for (int i = 0; i < 6000; i++)
		map(&b, 1, i, i / 10);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size > 1 << 20);
	l = log_open(&s, path, &err);
	assert_non_null(l);
	assert_int_equal(log_late(l, (uint64_t)st.st_size, 1 << 18), 0);
	assert_int_equal(log_more(l), 0);
	assert_int_equal(log_close(l), 0);
	assert_int_equal(states_finish(&s), 0);
	assert_true(s.n > 1000 && s.n < 5000);
	assert_int_equal(s.counts.junk, 0);
	assert_non_null(strstr(text_of(&s.notes), "passed over"));
	for (size_t i = 0; i < s.n; i++) {
		open += s.at[i].outcome == OUTCOME_OPEN;
		assert_string_equal(s.nodes.at[s.at[i].node], "s1");
	}
	assert_int_equal(open, 0);
	assert_int_equal(s.at[s.n - 1].start_ns / NS_PER_S % 3600, 59 * 60);
	states_release(&s);
	end(&b);
}

static void rotated_files_of_long_ago_are_not_read_at_first(void **state)
{
	struct box b;

	(void)state;
	begin(&b);
	map(&b, 1, 0, 1);
	run("mv '%s' '%s.2' && touch -d '3 hours ago' '%s.2'", b.log, b.log, b.log);
	map(&b, 1, 1, 62);
	run("mv '%s' '%s.1' && touch -d '30 minutes ago' '%s.1'", b.log, b.log, b.log);
	map(&b, 1, 2, 90);
	assert_int_equal(look(&b)->n, 2);
	end(&b);
}

static void logs_of_tasks_lie_deep(void **state)
{
	struct box b;

	(void)state;
	begin(&b);
	run("mkdir -p '%s/logs/s1/userlogs/j/a'", b.folder);
	snprintf(b.log, sizeof(b.log), "%s/logs/s1/userlogs/j/a/hadoop-tasktracker-s1.log",
		 b.folder);
	map(&b, 1, 0, 1);
	assert_int_equal(look(&b)->n, 1);
	end(&b);
}

static void names_of_one_log_in_order(void **state)
{
	static const char *const order[] = {
		"a/app-20261123114102-0003",
		"a/app-20261123114103-0001.inprogress",
		"a/x.log.2026-11-22.gz",
		"a/x.log.2026-11-23-01",
		"a/x.log-20261124",
		"a/x.log.12.gz",
		"a/x.log.3",
		"a/x.log.1",
		"a/x.log",
	};
	enum { N = sizeof(order) / sizeof(*order) };

	(void)state;
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < N; k++) {
			int is = log_order(order[i], order[k]);

			assert_int_equal((is > 0) - (is < 0), (i > k) - (i < k));
			assert_int_equal(
				log_stem_len(order[i]) == log_stem_len(order[k]) &&
					!strncmp(order[i], order[k], log_stem_len(order[i])),
				i == k || (i > 1 && k > 1));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_log_that_is_compressed_at_once_is_read_to_its_end),
		cmocka_unit_test(a_log_that_is_gone_costs_what_was_not_read),
		cmocka_unit_test(logs_come_later_and_files_that_are_none_do_not_matter),
		cmocka_unit_test(what_was_over_an_hour_ago_is_forgotten),
		cmocka_unit_test(what_one_server_says_is_not_how_late_it_is),
		cmocka_unit_test(what_is_open_ends_after_others_were_forgotten),
		cmocka_unit_test(what_is_open_lasts_as_long_as_logs_of_others_go_on),
		cmocka_unit_test(what_is_open_lasts_no_longer_than_its_job_may),
		cmocka_unit_test(of_what_is_large_the_end_is_read),
		cmocka_unit_test(rotated_files_of_long_ago_are_not_read_at_first),
		cmocka_unit_test(logs_of_tasks_lie_deep),
		cmocka_unit_test(names_of_one_log_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
