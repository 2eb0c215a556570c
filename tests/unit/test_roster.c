// SPDX-License-Identifier: BSD-2-Clause
/* jobs/roster.h: which rows of the tables count, what of that is written down, and programs that are asked while nobody waits. */
#include "states_jobs.h"

#include <errno.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "analyzer/jobs/roster.h"
#include "series_util.h"
#include "userspace/common/clock.h"

static struct analysis_opts opts;
static struct roster *roster;
static char why[WHY_LEN];
static char dir[300], programs[300]; /* of the service; of programs, where files may be run */

static int setup(void **state)
{
	struct fixture *fx;

	start_jobs(NULL);
	if (fixture_setup(state))
		return -1;
	fx = *state;
	snprintf(dir, sizeof(dir), "%s/state", fx->dir);
	snprintf(programs, sizeof(programs), "/tmp/limpet-programs-XXXXXX");
	return mkdir(dir, 0700) || !mkdtemp(programs) ? -1 : 0;
}

static int teardown(void **state)
{
	roster_free(roster);
	roster = NULL;
	end_jobs(NULL);
	remove_tree(programs);
	return fixture_teardown(state);
}

static void put(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void program(const char *name, const char *script)
{
	char path[400], text[1000];

	snprintf(path, sizeof(path), "%s/%s", programs, name);
	snprintf(text, sizeof(text), "#!/bin/sh\ncat >/dev/null\n%s\n", script);
	put(path, text, 0700);
}

static void start_with(const char *folder)
{
	roster_free(roster);
	if (roster_new(&roster, dir, folder, why))
		fail_msg("%s", why);
}

static void write_down(const char *text)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/jobs.db", dir);
	sql(path, text);
}

/* What stands in the list now; "": there is none of that name. */
static struct roster_row row(enum program_ask ask, const char *word)
{
	struct roster_row *all, found = {.word = ""};
	size_t n;

	assert_int_equal(roster_list(roster, &all, &n), 0);
	for (size_t i = 0; i < n; i++)
		if (all[i].ask == ask && !strcmp(all[i].word, word))
			found = all[i];
	free(all);
	return found;
}

static size_t rows_of(enum program_ask ask)
{
	struct roster_row *all;
	size_t n, found = 0;

	assert_int_equal(roster_list(roster, &all, &n), 0);
	for (size_t i = 0; i < n; i++)
		found += all[i].ask == ask;
	free(all);
	return found;
}

static void load(enum program_ask ask, const char *name, const char *after)
{
	if (roster_load(roster, ask, name, after, why))
		fail_msg("%s: %s", name, why);
}

static void refused(int err, int wanted, const char *sentence)
{
	assert_int_equal(err, wanted);
	if (!strstr(why, sentence))
		fail_msg("'%s' is not in '%s'", sentence, why);
}

/* The last of its tasks takes long. */
static void a_job_that_runs(void)
{
	run_tasks(STATE_MAP, 1, 36, 10, 0);
	add_state(STATE_MAP, 2, 1, 5, 60)->outcome = OUTCOME_OPEN;
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

static void limpets_own_are_in_the_order_of_their_tables(void **state)
{
	struct roster_row *all;
	size_t n, at = 0;

	(void)state;
	start_with(NULL);
	assert_int_equal(roster_list(roster, &all, &n), 0);
	for (const struct symptom *s = symptoms; s->word; s++, at++) {
		assert_int_equal(all[at].ask, ASK_SYMPTOM);
		assert_string_equal(all[at].word, s->word);
		assert_int_equal(all[at].running, s->running);
	}
	for (const struct diagnoser *d = diagnosers; d->word; d++, at++) {
		assert_int_equal(all[at].ask, ASK_DIAGNOSER);
		assert_string_equal(all[at].word, d->word);
		assert_string_equal(all[at].after, d->after ?: "");
	}
	for (const struct decision *d = decisions; d->word; d++, at++) {
		assert_int_equal(all[at].ask, ASK_DECISION);
		assert_string_equal(all[at].what, d->what);
	}
	assert_int_equal(at, n);
	for (size_t i = 0; i < n; i++)
		assert_true(all[i].started && !all[i].program && isnan(all[i].took_s) &&
			    !*all[i].trouble);
	free(all);
}

static void what_was_stopped_is_after_a_restart(void **state)
{
	(void)state;
	start_with(NULL);
	assert_int_equal(roster_start(roster, ASK_SYMPTOM, "idle-nodes", false, why), 0);
	assert_int_equal(roster_start(roster, ASK_DECISION, "cause", false, why), 0);
	assert_int_equal(roster_start(roster, ASK_DECISION, "cause", false, why), 0);
	assert_int_equal(roster_start(roster, ASK_DECISION, "place", false, why), 0);
	assert_int_equal(roster_start(roster, ASK_DECISION, "place", true, why), 0);
	refused(roster_start(roster, ASK_DECISION, "idle-nodes", false, why), -ENOENT,
		"no decision has this name");
	refused(roster_unload(roster, ASK_DECISION, "cause", why), -EINVAL, "limpet's own");
	start_with(programs);
	assert_false(row(ASK_SYMPTOM, "idle-nodes").started);
	assert_false(row(ASK_DECISION, "cause").started);
	assert_true(row(ASK_DECISION, "place").started);
	assert_true(row(ASK_DIAGNOSER, "node-limps").started);
}

static void names_of_files_of_the_folder_alone_are_programs(void **state)
{
	static const char *const names[] = {"",	    ".",   "..",  ".x",	      "/bin/cat", "../a",
					    "a/b",  "a b", "a,b", "a\nb",     "a\033b",	  "a?b",
					    "a%62", "a#b", "a+b", "\xc3\xa4", "none"};
	char longest[33];

	(void)state;
	memset(longest, 'x', 32);
	longest[32] = '\0';
	start_with(programs);
	program("a", "");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		refused(roster_load(roster, ASK_SYMPTOM, names[i], "", why), -EINVAL, "");
	program(longest, "");
	refused(roster_load(roster, ASK_SYMPTOM, longest, "", why), -EINVAL, "at most 31 bytes");
	longest[31] = '\0';
	program(longest, "");
	load(ASK_SYMPTOM, longest, "");
	assert_true(row(ASK_SYMPTOM, longest).program);
	load(ASK_SYMPTOM, "a", "");
	refused(roster_load(roster, ASK_SYMPTOM, "a", "", why), -EEXIST, "already");
	refused(roster_load(roster, ASK_DECISION, "a", "waited", why), -EINVAL, "only diagnosers");
	load(ASK_DECISION, "a", "");
}

static void a_program_that_is_gone_is_stopped_and_says_why(void **state)
{
	char path[400];

	(void)state;
	start_with(programs);
	program("a", "");
	program("b", "");
	load(ASK_DIAGNOSER, "a", "waited,data-skew");
	load(ASK_DIAGNOSER, "b", "a");
	snprintf(path, sizeof(path), "%s/a", programs);
	assert_int_equal(unlink(path), 0);
	start_with(programs);
	assert_false(row(ASK_DIAGNOSER, "a").started);
	assert_non_null(strstr(row(ASK_DIAGNOSER, "a").trouble, "No such file"));
	assert_true(row(ASK_DIAGNOSER, "b").started);
	refused(roster_start(roster, ASK_DIAGNOSER, "a", true, why), -EINVAL, "cannot be run");
	/* without the folder none of them is there, and nothing is forgotten */
	start_with(NULL);
	assert_false(row(ASK_DIAGNOSER, "b").started);
	assert_non_null(strstr(row(ASK_DIAGNOSER, "b").trouble, "--programs"));
	assert_string_equal(row(ASK_DIAGNOSER, "a").after, "waited,data-skew");
	assert_int_equal(roster_start(roster, ASK_DIAGNOSER, "a", false, why), 0);
	refused(roster_unload(roster, ASK_DIAGNOSER, "a", why), -EINVAL, "'b' runs after it");
	program("a", "");
	start_with(programs);
	assert_true(row(ASK_DIAGNOSER, "b").started);
	assert_string_equal(row(ASK_DIAGNOSER, "a").after, "waited,data-skew");
	assert_string_equal(row(ASK_DIAGNOSER, "a").trouble, "");
	assert_false(row(ASK_DIAGNOSER, "a").started);
	assert_int_equal(roster_start(roster, ASK_DIAGNOSER, "a", true, why), 0);
	assert_int_equal(roster_unload(roster, ASK_DIAGNOSER, "b", why), 0);
	assert_int_equal(roster_unload(roster, ASK_DIAGNOSER, "a", why), 0);
	start_with(programs);
	assert_string_equal(row(ASK_DIAGNOSER, "a").word, "");
}

/* ---- what is written down -------------------------------------------------------------------------------------- */

static void no_roster(const char *sentence)
{
	*why = '\0';
	assert_true(roster_new(&roster, dir, programs, why) < 0);
	assert_null(roster);
	if (!strstr(why, sentence))
		fail_msg("'%s' is not in '%s'", sentence, why);
}

static void what_is_no_database_is_said(void **state)
{
	struct fixture *fx = *state;
	char path[400];

	snprintf(path, sizeof(path), "%s/jobs.db", dir);
	put(path, "this is no database, and it is longer than nothing at all", 0600);
	no_roster("not a database");
	put(path, "", 0644);
	no_roster("mode 0600");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/dev/full", path), 0);
	no_roster("not a file of ours");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	no_roster("not a file of ours");
	assert_int_equal(rmdir(path), 0);
	start_with(NULL);
	roster_free(roster);
	roster = NULL;
	write_down("PRAGMA user_version = 99");
	no_roster("newer limpet");
	write_down("PRAGMA user_version = 1; DROP TABLE roster");
	no_roster("no such table");
	snprintf(path, sizeof(path), "%s/file", fx->dir);
	put(path, "", 0600);
	snprintf(dir, sizeof(dir), "%s/file", fx->dir);
	no_roster("file");
}

static void what_cannot_be_written_down_does_not_change(void **state)
{
	char path[400];
	sqlite3 *other;

	(void)state;
	start_with(programs);
	program("a", "");
	program("b", "");
	load(ASK_SYMPTOM, "b", "");
	snprintf(path, sizeof(path), "%s/jobs.db", dir);
	assert_int_equal(sqlite3_open(path, &other), 0);
	assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), 0);
	assert_int_equal(roster_start(roster, ASK_SYMPTOM, "straggler", false, why), 0);
	refused(roster_start(roster, ASK_SYMPTOM, "straggler", true, why), -EIO, "locked");
	refused(roster_load(roster, ASK_SYMPTOM, "a", "", why), -EIO, "locked");
	refused(roster_unload(roster, ASK_SYMPTOM, "b", why), -EIO, "locked");
	/* to stop one works even so */
	assert_false(row(ASK_SYMPTOM, "straggler").started);
	assert_string_equal(row(ASK_SYMPTOM, "a").word, "");
	assert_true(row(ASK_SYMPTOM, "b").started);
	sqlite3_close(other);
	load(ASK_SYMPTOM, "a", "");
	assert_int_equal(roster_unload(roster, ASK_SYMPTOM, "b", why), 0);
}

/* ---- diagnosers in order, and how many there are ---------------------------------------------------------------- */

static void nothing_runs_after_itself_or_what_there_is_not(void **state)
{
	static const char *const bad[] = {"a", "none", "node-limps,none", ",", "a,node-limps"};
	char much[ROSTER_AFTER_LEN + 1];

	(void)state;
	start_with(programs);
	program("a", "");
	program("b", "");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		refused(roster_load(roster, ASK_DIAGNOSER, "a", bad[i], why), -EINVAL,
			"it runs after");
	memset(much, 'x', sizeof(much) - 1);
	much[sizeof(much) - 1] = '\0';
	refused(roster_load(roster, ASK_DIAGNOSER, "a", much, why), -EINVAL, "too many");
	load(ASK_DIAGNOSER, "a", "node-limps,data-skew");
	load(ASK_DIAGNOSER, "b", "a");
	refused(roster_unload(roster, ASK_DIAGNOSER, "a", why), -EINVAL, "'b' runs after it");
}

/* As another limpet may have left them. */
static void rows_of_before_that_do_not_fit_stop_nobody(void **state)
{
	struct table_rows t = {0};

	(void)state;
	start_with(programs);
	for (const char *name = "a\0b\0c\0d\0e\0"; *name; name += 2)
		program(name, "");
	write_down(
		"INSERT INTO roster VALUES ('diagnoser', 'a', 1, 'b', 1), ('diagnoser', 'b', 1, "
		"'a', "
		"1),"
		"('diagnoser', 'c', 1, 'gone', 1), ('diagnoser', 'd', 1, 'waited', 1), ('symptom', "
		"'e', 1, 'waited', 1),"
		"('diagnoser', 'none', 0, '', 0), ('rune', 'x', 1, '', 1), ('symptom', '../a', 1, "
		"'', "
		"1),"
		"('diagnoser', 'waited', 1, '', 0), ('decision', "
		"'a-name-of-far-more-bytes-than-a-name-may-have', 1, '', 1)");
	start_with(programs);
	for (const char *name = "a\0b\0c\0"; *name; name += 2) {
		assert_false(row(ASK_DIAGNOSER, name).started);
		assert_non_null(strstr(row(ASK_DIAGNOSER, name).trouble, "it runs after"));
		refused(roster_start(roster, ASK_DIAGNOSER, name, true, why), -EINVAL,
			"it runs after");
	}
	assert_true(row(ASK_DIAGNOSER, "d").started);
	assert_true(row(ASK_DIAGNOSER, "waited").started);
	assert_false(row(ASK_SYMPTOM, "e").started);
	assert_false(row(ASK_SYMPTOM, "../a").started);
	assert_int_equal(roster_take(roster, &t), 0);
	assert_int_equal(t.n[ASK_DIAGNOSER], 1);
	assert_string_equal(t.program[0].word, "d");
	table_rows_release(&t);
	/* and there are looks */
	a_job_that_runs();
	judge();
	assert_int_equal(stragglers_running(&verdict, &states, &opts, roster), 0);
	load(ASK_DIAGNOSER, "e", "d");
	assert_int_equal(roster_unload(roster, ASK_DIAGNOSER, "c", why), 0);
	load(ASK_DIAGNOSER, "c", "");
}

static void there_are_eight_programs_at_most(void **state)
{
	char name[8];

	(void)state;
	start_with(programs);
	for (int i = 0; i < PROGRAMS_MAX + 1; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		program(name, "");
		if (i < PROGRAMS_MAX)
			load((enum program_ask)(i % PROGRAM_ASKS), name, "");
	}
	for (enum program_ask ask = 0; ask < PROGRAM_ASKS; ask++)
		refused(roster_load(roster, ask, name, "", why), -ENOSPC, "8 at most");
	assert_int_equal(roster_unload(roster, ASK_SYMPTOM, "p0", why), 0);
	load(ASK_DECISION, name, "");
	/* one more than there is room for, of before */
	write_down("INSERT INTO roster VALUES ('decision', 'p0', 1, '', 1)");
	start_with(programs);
	assert_false(row(ASK_DECISION, "p0").started);
	assert_non_null(strstr(row(ASK_DECISION, "p0").trouble, "8 at most"));
}

static void diagnosers_are_as_many_as_a_verdict_has_room_for(void **state)
{
	size_t own, most;
	char name[8];

	(void)state;
	start_with(programs);
	own = rows_of(ASK_DIAGNOSER);
	most = TASK_CAUSES_MAX - own < PROGRAMS_MAX ? TASK_CAUSES_MAX - own : PROGRAMS_MAX;
	for (size_t i = 0; i <= most; i++) {
		snprintf(name, sizeof(name), "p%zu", i);
		program(name, "");
		if (i < most)
			load(ASK_DIAGNOSER, name, "");
	}
	refused(roster_load(roster, ASK_DIAGNOSER, name, "", why), -ENOSPC, "too many");
	assert_int_equal(rows_of(ASK_DIAGNOSER), own + most);
}

/* ---- the judge --------------------------------------------------------------------------------------------------- */

static void a_look_takes_what_is_started_in_order(void **state)
{
	static const char *const wanted[] = {"s1", "s2", "d1", "d2", "e2"};
	struct table_rows t = {0};

	(void)state;
	start_with(programs);
	for (const char *name = "e1\0e2\0d1\0d2\0s1\0s2\0"; *name; name += 3) {
		program(name, "");
		load(*name == 's'   ? ASK_SYMPTOM
		     : *name == 'd' ? ASK_DIAGNOSER
				    : ASK_DECISION,
		     name, "");
	}
	/* others may run after a diagnoser that is stopped */
	assert_int_equal(roster_start(roster, ASK_DIAGNOSER, "d1", false, why), 0);
	assert_int_equal(roster_start(roster, ASK_DECISION, "e1", false, why), 0);
	assert_int_equal(roster_start(roster, ASK_SYMPTOM, symptoms[1].word, false, why), 0);
	assert_int_equal(roster_start(roster, ASK_DIAGNOSER, diagnosers[2].word, false, why), 0);
	assert_int_equal(roster_start(roster, ASK_DECISION, decisions[0].word, false, why), 0);
	assert_int_equal(roster_take(roster, &t), 0);
	assert_int_equal(t.n[ASK_SYMPTOM], 2);
	assert_int_equal(t.n[ASK_DIAGNOSER], 2);
	assert_int_equal(t.n[ASK_DECISION], 1);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		assert_string_equal(t.program[i].word, wanted[i]);
		for (size_t k = 0; k < i; k++)
			assert_true(t.number[i] != t.number[k]);
	}
	for (size_t i = 0; i < TASK_CAUSES_MAX; i++) {
		assert_int_equal(t.stopped[ASK_SYMPTOM][i], i == 1);
		assert_int_equal(t.stopped[ASK_DIAGNOSER][i], i == 2);
		assert_int_equal(t.stopped[ASK_DECISION][i], i == 0);
	}
	table_rows_release(&t);
}

static void look(void)
{
	judge();
	assert_int_equal(stragglers_running(&verdict, &states, &opts, roster), 0);
	assert_int_equal(verdict.n_jobs, 1);
}

/* Looks until the row has it, for a minute. */
static bool looked_until(enum program_ask ask, const char *name, bool (*has)(struct roster_row r))
{
	for (int i = 0; i < 6000; i++) {
		look();
		if (has(row(ask, name)))
			return true;
		usleep(10000);
	}
	return false;
}

static bool was_heard(struct roster_row r)
{
	return r.took_s >= 0;
}

static bool has_trouble(struct roster_row r)
{
	return *r.trouble;
}

static void no_look_waits_and_what_is_answered_counts_in_the_next(void **state)
{
	struct roster_row r;

	(void)state;
	a_job_that_runs();
	start_with(programs);
	program("says", "sleep 1; echo '{\"jobs\": {\"job1\": \"it is well\"}}'");
	load(ASK_DECISION, "says", "");
	look();
	assert_string_equal(verdict.jobs[0].decided_by, "unknown");
	assert_int_equal(row(ASK_DECISION, "says").asked, 1);
	assert_true(looked_until(ASK_DECISION, "says", was_heard));
	look();
	assert_string_equal(verdict.jobs[0].decision, "it is well");
	assert_string_equal(verdict.jobs[0].decided_by, "says");
	r = row(ASK_DECISION, "says");
	assert_true(r.took_s >= 1 && !r.failed && !*r.trouble);
	/* stopped it says nothing, nor what it said before when it is started again */
	assert_int_equal(roster_start(roster, ASK_DECISION, "says", false, why), 0);
	look();
	assert_string_equal(verdict.jobs[0].decided_by, "unknown");
	assert_int_equal(roster_start(roster, ASK_DECISION, "says", true, why), 0);
	look();
	assert_string_equal(verdict.jobs[0].decided_by, "unknown");
}

static void what_is_stopped_of_limpets_own_finds_nothing(void **state)
{
	(void)state;
	a_job_that_runs();
	start_with(NULL);
	look();
	assert_int_equal(verdict.n_stragglers, 1);
	assert_true(verdict.jobs[0].known & 1);
	assert_int_equal(roster_start(roster, ASK_DIAGNOSER, diagnosers[0].word, false, why), 0);
	look();
	assert_int_equal(verdict.n_stragglers, 1);
	assert_false(verdict.jobs[0].known & 1);
	assert_int_equal(roster_start(roster, ASK_SYMPTOM, "straggler", false, why), 0);
	look();
	assert_int_equal(verdict.n_stragglers, 0);
	assert_string_equal(verdict.jobs[0].decision, "");
}

/* The first time it answers late and badly, then at once and well. */
#define BAD_FIRST \
	"if [ -e $0.asked ]; then echo '{}'; else touch $0.asked; sleep 2; echo nothing; fi"

static bool has_answered(struct roster_row r)
{
	return !isnan(r.took_s);
}

static void slow_answers_well(void)
{
	assert_true(looked_until(ASK_SYMPTOM, "slow", has_answered));
	look();
	assert_string_equal(row(ASK_SYMPTOM, "slow").trouble, "");
	assert_int_equal(row(ASK_SYMPTOM, "slow").failed, 0);
}

static void what_answers_badly_says_so_and_unloaded_meanwhile_is_forgotten(void **state)
{
	(void)state;
	a_job_that_runs();
	start_with(programs);
	program("bad", "echo nothing");
	program("slow", BAD_FIRST);
	load(ASK_SYMPTOM, "bad", "");
	assert_true(looked_until(ASK_SYMPTOM, "bad", has_trouble));
	assert_string_equal(row(ASK_SYMPTOM, "bad").trouble,
			    "it answers badly: it is no JSON object");
	assert_int_equal(row(ASK_SYMPTOM, "bad").failed, 1);
	assert_true(row(ASK_SYMPTOM, "bad").started);
	look();
	assert_int_equal(row(ASK_SYMPTOM, "bad").failed, 1);
	/* another one of that name: what the first says is not its answer */
	load(ASK_SYMPTOM, "slow", "");
	look();
	assert_int_equal(row(ASK_SYMPTOM, "slow").asked, 1);
	assert_int_equal(roster_unload(roster, ASK_SYMPTOM, "slow", why), 0);
	load(ASK_SYMPTOM, "slow", "");
	look();
	assert_int_equal(row(ASK_SYMPTOM, "slow").asked, 1);
	slow_answers_well();
}

/* What it is asked when it is stopped does not count when it is started again. */
static void what_is_stopped_while_it_is_asked_is_asked_anew(void **state)
{
	(void)state;
	a_job_that_runs();
	start_with(programs);
	program("slow", BAD_FIRST);
	load(ASK_SYMPTOM, "slow", "");
	look();
	assert_int_equal(row(ASK_SYMPTOM, "slow").asked, 1);
	assert_int_equal(roster_start(roster, ASK_SYMPTOM, "slow", false, why), 0);
	assert_int_equal(roster_start(roster, ASK_SYMPTOM, "slow", true, why), 0);
	look();
	assert_int_equal(row(ASK_SYMPTOM, "slow").asked, 2);
	slow_answers_well();
}

/* Who ends waits for the one that is asked, and not for those after it. */
static void who_ends_waits_for_one(void **state)
{
	char began_path[400];
	int64_t began;

	(void)state;
	a_job_that_runs();
	start_with(programs);
	for (const char *name = "a\0b\0c\0d\0e\0f\0"; *name; name += 2) {
		program(name, "echo >$0.began; sleep 6; echo '{}'");
		load(ASK_SYMPTOM, name, "");
	}
	look();
	snprintf(began_path, sizeof(began_path), "%s/a.began", programs);
	for (int i = 0; i < 6000 && access(began_path, F_OK); i++)
		usleep(10000);
	began = clock_ns(CLOCK_MONOTONIC);
	roster_free(roster);
	roster = NULL;
	assert_true(clock_ns(CLOCK_MONOTONIC) - began < 20 * NS_PER_S);
	snprintf(began_path, sizeof(began_path), "%s/b.began", programs);
	assert_int_equal(access(began_path, F_OK), -1);
}

#define ROSTER_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROSTER_TEST(limpets_own_are_in_the_order_of_their_tables),
		ROSTER_TEST(what_was_stopped_is_after_a_restart),
		ROSTER_TEST(names_of_files_of_the_folder_alone_are_programs),
		ROSTER_TEST(a_program_that_is_gone_is_stopped_and_says_why),
		ROSTER_TEST(what_is_no_database_is_said),
		ROSTER_TEST(what_cannot_be_written_down_does_not_change),
		ROSTER_TEST(nothing_runs_after_itself_or_what_there_is_not),
		ROSTER_TEST(rows_of_before_that_do_not_fit_stop_nobody),
		ROSTER_TEST(there_are_eight_programs_at_most),
		ROSTER_TEST(diagnosers_are_as_many_as_a_verdict_has_room_for),
		ROSTER_TEST(a_look_takes_what_is_started_in_order),
		ROSTER_TEST(no_look_waits_and_what_is_answered_counts_in_the_next),
		ROSTER_TEST(what_is_stopped_of_limpets_own_finds_nothing),
		ROSTER_TEST(what_answers_badly_says_so_and_unloaded_meanwhile_is_forgotten),
		ROSTER_TEST(what_is_stopped_while_it_is_asked_is_asked_anew),
		ROSTER_TEST(who_ends_waits_for_one),
	};

	opts = ANALYSIS_DEFAULT;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
