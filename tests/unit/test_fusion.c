// SPDX-License-Identifier: BSD-2-Clause
/* Recordings of servers and logs of their jobs as one verdict: verdict/verdict_join.h, rules/fusion.h. */
#include "robust_verdicts.h"

#include "analyzer/rules/fusion.h"
#include "analyzer/verdict/sentences.h"
#include "analyzer/verdict/status.h"

static struct verdict machines, jobs;

enum { MANY = 9 }; /* no power of two */

static void a_server(struct verdict *v, const char *name, bool judged)
{
	size_t n = v->n_nodes;

	v->nodes = realloc(v->nodes, (n + 1) * sizeof(*v->nodes));
	v->judged = realloc(v->judged, (n + 1) * sizeof(*v->judged));
	assert_true(v->nodes && v->judged);
	snprintf(v->nodes[n], HOST_LEN, "%s", name);
	v->judged[n] = judged;
	v->n_nodes++;
}

static struct incident *against(struct verdict *v, size_t node, enum cause cause, int from, int to)
{
	struct incident *in = array_add(&v->incidents, &v->n_incidents);

	assert_non_null(in);
	*in = (struct incident){.node = node,
				.cause = cause,
				.confidence = 0.93,
				.onset_ns = AT(from),
				.decided_ns = AT(to),
				.last_ns = AT(to)};
	assert_non_null(array_add(&in->findings, &in->n_findings));
	in->findings[0] = (struct finding){.node = node, .score = 5, .needs = 4, .df = 20, .z = 5};
	return in;
}

static int two_sides(void **arg)
{
	struct verdict_signal *s;
	struct incident *in;

	(void)arg;
	machines = jobs = (struct verdict){0};
	for (int i = 0; i < 4; i++)
		a_server(&machines, (const char *[]){"n1", "n2", "n4", "n5"}[i], true);
	for (int i = 0; i < 4; i++)
		a_server(&jobs, (const char *[]){"n1", "n2", "n3", "n4"}[i], true);
	assert_int_equal(verdict_series_signals(&machines), 0);
	s = verdict_add_signal(&jobs);
	assert_non_null(s);
	snprintf(s->name, sizeof(s->name), "map duration");
	snprintf(s->unit, sizeof(s->unit), "s");
	in = against(&jobs, 1, CAUSE_SLOW, 0, 300); /* n2 */
	in->detail =
		(struct detail){.kind = DETAIL_STATE, .ratio = 1.9, .job = "job_7", .share = 0.23};
	return 0;
}

static int release_both(void **arg)
{
	(void)arg;
	verdict_release(&machines);
	verdict_release(&jobs);
	return 0;
}

static void one_trouble_is_one_incident(void **arg)
{
	const char *expected = "map duration 1.9 times that of its peers', in job_7, which waited "
			       "for it 23 % of its time";
	struct text text TEXT_SCOPED = {0};
	struct incident *in;

	(void)arg;
	against(&machines, 1, CAUSE_DISK_HOG, 100, 200);
	assert_int_equal(fusion(&machines, &jobs, NULL), 0);
	assert_int_equal(machines.n_incidents, 1);
	in = &machines.incidents[0];
	assert_string_equal(machines.nodes[in->node], "n2");
	assert_int_equal(in->cause, CAUSE_DISK_HOG);
	assert_int_equal(in->n_findings, 2);
	assert_int_equal(in->findings[1].signal, SIG_COUNT);
	assert_string_equal(sentence_impact(&text, &machines, in), expected);
	assert_true(in->impact.both_p > 0 && in->impact.both_p < 1e-6);
	assert_true(in->last_ns == AT(300));
}

/* At other times, or of other servers, they are two. */
static void what_is_apart_stays_apart(void **arg)
{
	(void)arg;
	against(&machines, 1, CAUSE_DISK_HOG, 1000, 2000);
	against(&machines, 2, CAUSE_PACKET_LOSS, 0, 300); /* n4 */
	assert_int_equal(fusion(&machines, &jobs, NULL), 0);
	assert_int_equal(machines.n_incidents, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct incident *in = &machines.incidents[i];

		if (in->cause == CAUSE_SLOW)
			assert_int_equal(in->guess.kind, GUESS_NOT_MACHINE);
		else
			assert_int_equal(in->impact.kind, IMPACT_NONE);
	}
}

/* A recording's suspicion and a log's verdict: indicted, and that by the log. */
static void one_side_is_enough(void **arg)
{
	(void)arg;
	against(&machines, 1, CAUSE_CPU_HOG, 0, 300)->suspicion = SUSPICION_DATA;
	assert_int_equal(fusion(&machines, &jobs, NULL), 0);
	assert_int_equal(machines.n_incidents, 1);
	assert_int_equal(machines.incidents[0].suspicion, SUSPICION_NONE);
	assert_int_equal(machines.incidents[0].cause, CAUSE_CPU_HOG);
}

/* Neither is enough: suspicious. */
static void two_suspicions_are_no_verdict(void **arg)
{
	(void)arg;
	jobs.incidents[0].suspicion = SUSPICION_DATA;
	against(&machines, 1, CAUSE_CPU_HOG, 0, 300)->suspicion = SUSPICION_DATA;
	assert_int_equal(fusion(&machines, &jobs, NULL), 0);
	assert_int_equal(machines.n_incidents, 1);
	assert_int_equal(machines.incidents[0].suspicion, SUSPICION_DATA);
}

/* What hangs or fails is that, where the recording has no cause. */
static void no_cause_takes_the_jobs(void **arg)
{
	(void)arg;
	jobs.incidents[0].cause = CAUSE_HUNG;
	jobs.incidents[0].why = WHY_STUCK;
	against(&machines, 1, CAUSE_SLOW, 0, 300);
	assert_int_equal(fusion(&machines, &jobs, NULL), 0);
	assert_int_equal(machines.incidents[0].cause, CAUSE_HUNG);
}

static void servers_of_both_are_there_once(void **arg)
{
	struct unjudged *u;

	(void)arg;
	machines.judged[0] = false;
	u = array_add(&machines.unjudged, &machines.n_unjudged);
	assert_non_null(u);
	*u = (struct unjudged){.node = 0, .signal = SIGNAL_ALL, .why = UNJUDGED_NO_DATA};
	u = array_add(&jobs.unjudged, &jobs.n_unjudged);
	assert_non_null(u);
	*u = (struct unjudged){.node = 2, .signal = SIGNAL_ALL, .why = UNJUDGED_FEW_LIKE};
	jobs.judged[2] = false;
	assert_int_equal(fusion(&machines, &jobs, NULL), 0);
	assert_int_equal(machines.n_nodes, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(machines.nodes[i][1], '1' + (int)i);
		assert_int_equal(machines.judged[i], i != 2);
	}
	/* n1 was judged by its jobs; n3 by nobody. */
	assert_int_equal(machines.n_unjudged, 1);
	assert_int_equal(machines.unjudged[0].node, 2);
}

/* What its jobs did before it fell silent does not make a server well; what they have against it stands. */
static void silence_is_not_well(void **arg)
{
	(void)arg;
	for (size_t i = 0; i < 2; i++) { /* n1, n2 */
		struct unjudged *u = array_add(&machines.unjudged, &machines.n_unjudged);

		assert_non_null(u);
		*u = (struct unjudged){.node = i, .signal = SIGNAL_ALL, .why = UNJUDGED_SILENT};
		machines.judged[i] = false;
	}
	assert_int_equal(fusion(&machines, &jobs, NULL), 0);
	assert_int_equal(verdict_status(&machines, 0, false), STATUS_UNJUDGED);
	assert_string_equal(verdict_reason(&machines, 0, false), "silent");
	assert_int_equal(verdict_status(&machines, 1, false), STATUS_INDICTED);
	/* its recording was there to ask */
	assert_int_equal(machines.incidents[0].guess.kind, GUESS_NOT_MACHINE);
}

/* Nor does it where nothing comes of any server any more: what logs said before says nothing of now. */
static void what_is_not_heard_is_not_well(void **arg)
{
	(void)arg;
	for (size_t i = 0; i < machines.n_nodes; i++) {
		struct unjudged *u = array_add(&machines.unjudged, &machines.n_unjudged);

		assert_non_null(u);
		*u = (struct unjudged){.node = i, .signal = SIGNAL_ALL, .why = UNJUDGED_UNHEARD};
		machines.judged[i] = false;
	}
	machines.cannot.why = CANNOT_UNHEARD;
	assert_int_equal(fusion(&machines, &jobs, NULL), 0);
	assert_int_equal(machines.cannot.why, CANNOT_UNHEARD);
	assert_int_equal(verdict_status(&machines, 0, false), STATUS_UNJUDGED);
	assert_int_equal(verdict_status(&machines, 1, false), STATUS_INDICTED);
}

static void the_jobs_are_told_in_text_and_json(void **arg)
{
	char *text;

	(void)arg;
	against(&machines, 1, CAUSE_DISK_HOG, 100, 200);
	assert_int_equal(fusion(&machines, &jobs, NULL), 0);
	text = printed(as_text, &machines, false);
	check_lines(text);
	assert_non_null(strstr(text, "jobs: map duration 1.9 times"));
	free(text);
	text = printed(verdict_json, &machines, false);
	assert_non_null(strstr(text, "\"jobs\":\"map duration 1.9 times"));
	free(text);
}

/* The logs alone indict; the recording, which could not by itself, says why. */
static void the_recording_is_asked_for_the_cause(void **arg)
{
	struct track_history history = {0};
	struct incident *in;
	struct text text TEXT_SCOPED = {0};

	(void)arg;
	for (int i = 0; i < 10; i++)
		for (size_t n = 0; n < 4; n++)
			meanwhile_add(&history, n, SIG_WRITE_DEVICE,
				      &(struct track_point){AT(30 * i), n == 1 ? 2 : 0,
							    n == 1 ? 740 : 100, 100});
	assert_int_equal(fusion(&machines, &jobs, &history), 0);
	track_history_release(&history);
	assert_int_equal(machines.n_incidents, 1);
	in = &machines.incidents[0];
	assert_int_equal(in->cause, CAUSE_DEVICE_SLOW);
	assert_int_equal(in->guess.kind, GUESS_NONE);
	assert_int_equal(in->n_findings, 2);
	assert_int_equal(in->findings[1].signal, SIG_WRITE_DEVICE);
	assert_string_equal(sentence_detail(&text, &machines, &in->detail, in),
			    "write device time");
	assert_non_null(strstr(sentence_impact(&text, &machines, in), "map duration 1.9 times"));
}

/* What an engine made for exactly so many has no room for the other's. */
static void arrays_of_an_engine_grow(void **arg)
{
	struct incident *in = against(&machines, 1, CAUSE_DISK_HOG, 100, 200);

	(void)arg;
	machines.looks = calloc(MANY, sizeof(*machines.looks));
	free(in->findings);
	in->findings = calloc(MANY, sizeof(*in->findings));
	assert_true(machines.looks && in->findings);
	machines.n_looks = in->n_findings = MANY;
	for (size_t i = 0; i < MANY; i++) {
		struct explained_look *of_jobs = array_add(&jobs.looks, &jobs.n_looks);

		assert_non_null(of_jobs);
		of_jobs->from_ns = AT(1);
		in->findings[i] = (struct finding){.node = 1, .score = 5, .needs = 4, .df = 20};
	}
	assert_int_equal(fusion(&machines, &jobs, NULL), 0);
	assert_int_equal(machines.n_looks, 2 * MANY);
	assert_int_equal(machines.looks[MANY - 1].from_ns, 0);
	assert_int_equal(machines.looks[2 * MANY - 1].from_ns, AT(1));
	assert_int_equal(machines.incidents[0].n_findings, MANY + 1);
}

#define FUSION_TEST(f) cmocka_unit_test_setup_teardown(f, two_sides, release_both)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FUSION_TEST(one_trouble_is_one_incident),
		FUSION_TEST(what_is_apart_stays_apart),
		FUSION_TEST(one_side_is_enough),
		FUSION_TEST(two_suspicions_are_no_verdict),
		FUSION_TEST(no_cause_takes_the_jobs),
		FUSION_TEST(servers_of_both_are_there_once),
		FUSION_TEST(silence_is_not_well),
		FUSION_TEST(what_is_not_heard_is_not_well),
		FUSION_TEST(the_jobs_are_told_in_text_and_json),
		FUSION_TEST(arrays_of_an_engine_grow),
		FUSION_TEST(the_recording_is_asked_for_the_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
