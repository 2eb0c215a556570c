// SPDX-License-Identifier: BSD-2-Clause
/* evaluate.h: verdicts made by hand held against labels: what is a hit, what an alarm, what neither. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/evaluate/evaluate.h"
#include "analyzer/verdict/verdict.h"

enum { NODES = 5, SECOND = 1000000000, START = 1000 };

/* A verdict on servers n0 … n4 over seconds 1000 to 1600, by the checklist; n5 was not judged. */
struct world {
	struct verdict v;
	char names[NODES + 1][HOST_LEN];
	struct finding findings[NODES][4];
	struct incident incidents[NODES];
	bool judged[NODES + 1];
	struct labelled label;
	const char *ill[2];
	struct evaluated e;
};

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	if (!w)
		return -1;
	for (int i = 0; i <= NODES; i++)
		snprintf(w->names[i], HOST_LEN, "n%d", i);
	memset(w->judged, true, NODES);
	w->v = (struct verdict){.checklist = true,
				.names_causes = true,
				.nodes = w->names,
				.n_nodes = NODES + 1,
				.judged = w->judged,
				.from_ns = (int64_t)START * SECOND,
				.to_ns = (int64_t)(START + 600) * SECOND,
				.incidents = w->incidents};
	w->label = (struct labelled){.file = "truth.csv",
				     .line = 2,
				     .source = (char *)"runs/1",
				     .cluster = "",
				     .workload = "",
				     .intensity = "",
				     .fault = "none",
				     .nodes = w->ill,
				     .from_ns = INT64_MIN,
				     .to_ns = INT64_MAX};
	*state = w;
	return 0;
}

static void forget(struct world *w)
{
	free(w->e.why);
	free(w->e.incidents);
	w->e = (struct evaluated){0};
}

static int tear_down(void **state)
{
	struct world *w = *state;

	forget(w);
	free(w);
	return 0;
}

/* The fault disk-busy on these servers from second 1200 to 1400. */
static void fault_on(struct world *w, const char *a, const char *b)
{
	w->label.fault = "disk-busy";
	w->label.known = truth_fault("disk-busy");
	w->ill[0] = a;
	w->ill[1] = b;
	w->label.n_nodes = b ? 2 : 1;
	w->label.from_ns = (int64_t)1200 * SECOND;
	w->label.to_ns = (int64_t)1400 * SECOND;
}

/* One more finding; of the same node as the one before, it is of the same incident. */
static void indict(struct world *w, size_t node, enum cause cause, int onset, int decided)
{
	struct verdict *v = &w->v;
	struct incident *in = v->n_incidents ? &v->incidents[v->n_incidents - 1] : NULL;

	if (!in || in->node != node) {
		in = &v->incidents[v->n_incidents];
		*in = (struct incident){
			.node = node, .cause = cause, .findings = w->findings[v->n_incidents]};
		v->n_incidents++;
	}
	in->findings[in->n_findings++] = (struct finding){.node = node,
							  .onset_ns = (int64_t)onset * SECOND,
							  .decided_ns = (int64_t)decided * SECOND};
}

/* What evaluate_run() says of the verdict. */
static int run(struct world *w, bool top)
{
	struct evaluate_how how = {.top = top, .causes = true};

	forget(w);
	return evaluate_run(&w->e, &w->label, &w->v, how);
}

static const struct outcome *judge(struct world *w, bool top)
{
	assert_int_equal(run(w, top), 0);
	return &w->e.outcome;
}

static void a_hit_and_how_long_it_took(void **state)
{
	struct world *w = *state;
	const struct outcome *o;

	fault_on(w, "n1", NULL);
	indict(w, 1, CAUSE_DISK_BUSY, 1190, 1300);
	indict(w, 1, CAUSE_DISK_BUSY, 1180, 1290); /* earlier, of another metric */
	indict(w, 1, CAUSE_DISK_BUSY, 1280, 1390);
	o = judge(w, false);
	assert_string_equal(evaluate_word(&w->e), "hit");
	assert_true(o->faulty == 1 && o->hit == 1 && o->named == 1 && o->missed == 0);
	assert_true(o->free == 4 && o->alarmed == 0 && o->untimely == 0 && o->misnamed == 0);
	assert_int_equal(o->not_judged, 1);
	assert_true(o->ttd_s == 90 && o->cause_known);
	assert_string_equal(w->e.incidents[0].node, "n1");
	assert_true(w->e.incidents[0].faulty && w->e.incidents[0].hit && !w->e.incidents[0].alarm);
	assert_true(w->e.incidents[0].after_s == 90);
}

/* A window that ends as the fault begins has seen nothing of it; a second later it may have. */
static void too_early_is_an_alarm(void **state)
{
	struct world *w = *state;
	const struct outcome *o;

	fault_on(w, "n1", NULL);
	indict(w, 1, CAUSE_DISK_BUSY, 1000, 1200);
	o = judge(w, false);
	assert_string_equal(evaluate_word(&w->e), "miss+alarm");
	assert_true(o->hit == 0 && o->missed == 1 && o->untimely == 1 && o->alarmed == 0);
	assert_true(o->misnamed == 1 && isnan(o->ttd_s) && w->e.incidents[0].after_s == 0);
	w->findings[0][0].decided_ns += SECOND;
	o = judge(w, false);
	assert_string_equal(evaluate_word(&w->e), "hit");
	assert_true(o->hit == 1 && o->untimely == 0 && o->ttd_s == 1);
}

static void begun_after_the_fault_is_an_alarm(void **state)
{
	struct world *w = *state;

	fault_on(w, "n1", NULL);
	indict(w, 1, CAUSE_DISK_BUSY, 1400, 1500);
	judge(w, false);
	assert_string_equal(evaluate_word(&w->e), "miss+alarm");
	w->findings[0][0].onset_ns -= SECOND;
	judge(w, false);
	assert_string_equal(evaluate_word(&w->e), "hit");
}

static void an_alarm_and_then_a_hit_are_both(void **state)
{
	struct world *w = *state;
	const struct outcome *o;

	fault_on(w, "n1", NULL);
	indict(w, 1, CAUSE_DISK_BUSY, 1000, 1100);
	indict(w, 1, CAUSE_DISK_BUSY, 1200, 1300);
	o = judge(w, false);
	assert_string_equal(evaluate_word(&w->e), "hit+alarm");
	assert_true(o->hit == 1 && o->untimely == 1 && o->missed == 0 && o->ttd_s == 100);
	assert_true(w->e.incidents[0].after_s == 100);
}

static void two_faulty_servers_and_the_slower_verdict(void **state)
{
	struct world *w = *state;
	const struct outcome *o;

	fault_on(w, "n1", "n3");
	indict(w, 3, CAUSE_DISK_BUSY, 1200, 1350);
	o = judge(w, false);
	assert_string_equal(evaluate_word(&w->e), "miss");
	assert_true(o->faulty == 2 && o->hit == 1 && o->missed == 1 && o->free == 3);
	assert_true(isnan(o->ttd_s));
	indict(w, 1, CAUSE_NONE, 1200, 1300);
	o = judge(w, false);
	assert_string_equal(evaluate_word(&w->e), "hit");
	assert_true(o->hit == 2 && o->named == 1 && o->ttd_s == 150);
}

static void top_counts_the_first_alone(void **state)
{
	struct world *w = *state;
	const struct outcome *o;

	fault_on(w, "n1", NULL);
	indict(w, 4, CAUSE_NONE, 1200, 1300);
	indict(w, 1, CAUSE_DISK_BUSY, 1200, 1300);
	o = judge(w, false);
	assert_string_equal(evaluate_word(&w->e), "hit+alarm");
	assert_true(o->alarmed == 1 && o->misnamed == 0);
	o = judge(w, true);
	assert_string_equal(evaluate_word(&w->e), "miss+alarm");
	assert_true(o->alarmed == 1 && o->hit == 0 && w->e.n_incidents == 1);
}

static void without_a_fault_every_indictment_is_an_alarm(void **state)
{
	struct world *w = *state;
	const struct outcome *o = judge(w, false);

	assert_string_equal(evaluate_word(&w->e), "clean");
	assert_true(o->free == 5 && o->faulty == 0 && !o->cause_known);
	indict(w, 0, CAUSE_DISK_BUSY, 1010, 1110);
	o = judge(w, false);
	assert_string_equal(evaluate_word(&w->e), "alarm");
	assert_true(o->alarmed == 1 && o->misnamed == 1);
	assert_true(w->e.incidents[0].after_s == 110); /* from the start of the run */
}

/* n1, the faulty one, was not voted on: no miss of a judged server, but a miss of the run. */
static void a_faulty_server_not_judged_is_not_found(void **state)
{
	struct world *w = *state;
	const struct outcome *o;

	fault_on(w, "n1", NULL);
	w->judged[1] = false;
	o = judge(w, false);
	assert_string_equal(evaluate_word(&w->e), "miss");
	assert_true(o->faulty == 1 && o->missed == 0 && o->free == 4 && o->not_judged == 2);
}

static void what_could_not_be_judged(void **state)
{
	struct world *w = *state;
	const struct outcome *o;

	fault_on(w, "n1", NULL);
	w->v.cannot = (struct cannot){.why = CANNOT_FEW_SERVERS, .n = 2, .needed = 3};
	o = judge(w, false);
	assert_string_equal(evaluate_word(&w->e), "not-judged");
	assert_string_equal(w->e.why, "3 servers are needed, and 2 have data");
	assert_true(o->cannot && o->faulty == 1 && o->free == 0 && o->missed == 0);
	assert_int_equal(o->not_judged, NODES + 1);
	/* and with nothing in the time asked for */
	w->v.from_ns = w->v.to_ns = 0;
	o = judge(w, false);
	assert_true(o->cannot && o->cause_known);
	assert_int_equal(o->not_judged, NODES + 1);
}

static void causes_count_where_they_can_be_named(void **state)
{
	struct world *w = *state;

	fault_on(w, "n1", NULL);
	w->v.names_causes = false;
	assert_false(judge(w, false)->cause_known);
	w->v.names_causes = true;
	assert_true(judge(w, false)->cause_known);
	w->label.known = truth_fault("cpu-hog"); /* robust has a word for it, the checklist none */
	assert_false(judge(w, false)->cause_known);
	w->label.known = NULL;
	assert_false(judge(w, false)->cause_known);
}

static void labels_of_another_run_are_refused(void **state)
{
	struct world *w = *state;

	fault_on(w, "n9", NULL);
	assert_int_equal(run(w, false), -EINVAL);
	fault_on(w, "n5", NULL); /* not recorded, but the model knows it */
	judge(w, false);
	assert_string_equal(evaluate_word(&w->e), "miss");
	forget(w);
	w->label.to_ns = (int64_t)START * SECOND;
	assert_int_equal(run(w, false), -EINVAL);
	w->label.to_ns = INT64_MAX;
	w->label.from_ns = (int64_t)1600 * SECOND;
	assert_int_equal(run(w, false), -EINVAL);
	w->label.from_ns--;
	judge(w, false);
}

/* Whoever it is named with has no fault. */
static void what_is_no_fault_is_a_fault_free_run(void **state)
{
	struct world *w = *state;
	const struct outcome *o;

	fault_on(w, "n1", NULL);
	w->label.fault = "imbalance";
	w->label.known = NULL;
	w->label.n_nodes = 0;
	w->label.n_acting = 1;
	judge(w, false);
	assert_string_equal(evaluate_word(&w->e), "clean");
	indict(w, 1, CAUSE_DISK_BUSY, 1200, 1300);
	o = judge(w, false);
	assert_string_equal(evaluate_word(&w->e), "alarm");
	assert_true(o->faulty == 0 && o->alarmed == 1 && o->free == 5 && o->untimely == 0);
	assert_true(w->e.incidents[0].after_s == 100); /* from the onset of what is no fault */
	w->ill[0] = "client7";			       /* it acts on no server at all */
	judge(w, false);
}

static void a_run_that_failed_is_missed(void **state)
{
	struct world *w = *state;
	struct evaluate_how how = {.causes = true};
	const struct outcome *o = &w->e.outcome;

	fault_on(w, "n1", "n2");
	assert_int_equal(evaluate_failed(&w->e, &w->label, WORDS_CHECKLIST, how, "damaged"), 0);
	assert_string_equal(evaluate_word(&w->e), "failed");
	assert_string_equal(w->e.why, "damaged");
	assert_true(o->failed && o->cannot && o->cause_known && o->faulty == 2 && !o->hit);
	assert_true(isnan(o->ttd_s) && !o->directed);
	w->label.known = truth_fault("cpu-hog");
	evaluate_failed(&w->e, &w->label, WORDS_CHECKLIST, how, "damaged");
	assert_false(o->cause_known);
	evaluate_failed(&w->e, &w->label, WORDS_ROBUST, how, "damaged");
	assert_true(o->cause_known);
}

/* ---- verdicts of robust ---------------------------------------------------------------------------*/

/* A verdict of the world's servers: n1 is indicted by two signals and a symptom. */
struct verdict_world {
	struct world w;
	struct verdict a;
	struct finding findings[3];
	struct incident incidents[2];
};

static int set_up_verdict(void **state)
{
	struct verdict_world *aw = calloc(1, sizeof(*aw));
	void *plain = NULL;

	if (!aw || set_up(&plain))
		return -1;
	aw->w = *(struct world *)plain;
	free(plain);
	aw->w.label.nodes = aw->w.ill;
	for (int i = 0; i < 3; i++)
		aw->findings[i] = (struct finding){.node = 1,
						   .onset_ns = (int64_t)1210 * SECOND,
						   .decided_ns = (int64_t)(1260 - 10 * i) * SECOND,
						   .last_ns = (int64_t)1400 * SECOND};
	aw->findings[2].symptom = true; /* and earlier than the others */
	aw->incidents[0] = (struct incident){.node = 1,
					     .cause = CAUSE_DEVICE_SLOW,
					     .onset_ns = (int64_t)1210 * SECOND,
					     .decided_ns = (int64_t)1270 * SECOND,
					     .last_ns = (int64_t)1400 * SECOND,
					     .findings = aw->findings,
					     .n_findings = 3};
	aw->a = (struct verdict){.nodes = aw->w.names,
				 .n_nodes = NODES,
				 .names_causes = true,
				 .judged = aw->w.judged,
				 .from_ns = (int64_t)START * SECOND,
				 .to_ns = (int64_t)(START + 600) * SECOND,
				 .incidents = aw->incidents,
				 .n_incidents = 1};
	*state = aw;
	return 0;
}

static int tear_down_verdict(void **state)
{
	struct verdict_world *aw = *state;

	forget(&aw->w);
	free(aw);
	return 0;
}

static int run_verdict(struct verdict_world *aw)
{
	struct evaluate_how how = {.causes = true};

	forget(&aw->w);
	return evaluate_run(&aw->w.e, &aw->w.label, &aw->a, how);
}

static const struct outcome *judge_verdict(struct verdict_world *aw)
{
	assert_int_equal(run_verdict(aw), 0);
	return &aw->w.e.outcome;
}

static void an_verdict_of_the_right_server(void **state)
{
	struct verdict_world *aw = *state;
	const struct outcome *o;

	fault_on(&aw->w, "n1", NULL);
	o = judge_verdict(aw);
	assert_string_equal(evaluate_word(&aw->w.e), "hit");
	assert_true(o->hit == 1 && o->named == 1 && o->cause_known && o->free == 4);
	assert_true(o->ttd_s == 50); /* the earliest signal that indicted; the symptom did not */
	assert_int_equal(o->not_judged, 0);
	aw->incidents[0].n_findings = 0; /* nothing in detail */
	assert_true(judge_verdict(aw)->ttd_s == 70);
	aw->incidents[0].cause = CAUSE_SLOW;
	o = judge_verdict(aw);
	assert_true(o->hit == 1 && o->named == 0);
	aw->incidents[0].cause = CAUSE_DISK_BUSY; /* the checklist's word for it */
	assert_true(judge_verdict(aw)->named == 1);
	aw->w.judged[4] = false;
	o = judge_verdict(aw);
	assert_true(o->free == 3 && o->not_judged == 1);
}

static void an_verdict_that_could_not_judge(void **state)
{
	struct verdict_world *aw = *state;
	const struct outcome *o;

	fault_on(&aw->w, "n1", NULL);
	aw->a.cannot.why = CANNOT_EMPTY_SOURCE;
	o = judge_verdict(aw);
	assert_string_equal(evaluate_word(&aw->w.e), "not-judged");
	assert_string_equal(aw->w.e.why, "the source is empty");
	assert_true(o->cannot && o->not_judged == NODES && aw->w.e.n_incidents == 0);
	aw->a.n_nodes = 0; /* nothing at all: no label can be held against it */
	assert_true(judge_verdict(aw)->cannot);
}

static void the_label_of_another_verdict_is_refused(void **state)
{
	struct verdict_world *aw = *state;

	fault_on(&aw->w, "n9", NULL);
	assert_int_equal(run_verdict(aw), -EINVAL);
	fault_on(&aw->w, "n1", NULL);
	aw->w.label.from_ns = (int64_t)1600 * SECOND;
	aw->w.label.to_ns = INT64_MAX;
	assert_int_equal(run_verdict(aw), -EINVAL);
}

static void the_side_of_loss(void **state)
{
	static const struct {
		enum direction direction;
		const char *fault;
		size_t right;
	} sides[] = {
		{DIRECTION_SEND, "send-loss", 1},    {DIRECTION_SEND, "recv-loss", 0},
		{DIRECTION_RECEIVE, "recv-loss", 1}, {DIRECTION_BOTH, "packet-loss", 1},
		{DIRECTION_BOTH, "recv-loss", 0},    {DIRECTION_NONE, "send-loss", 0},
	};
	struct verdict_world *aw = *state;
	const struct outcome *o;

	fault_on(&aw->w, "n1", NULL);
	aw->incidents[0].cause = CAUSE_PACKET_LOSS;
	for (size_t i = 0; i < sizeof(sides) / sizeof(*sides); i++) {
		aw->w.label.fault = sides[i].fault;
		aw->w.label.known = truth_fault(sides[i].fault);
		aw->incidents[0].detail.direction = sides[i].direction;
		o = judge_verdict(aw);
		assert_true(o->directed && o->hit == 1 && o->direction == sides[i].right);
	}
	/* the way of another cause's bytes says nothing of packets */
	aw->w.label.known = truth_fault("send-loss");
	aw->incidents[0].detail.direction = DIRECTION_SEND;
	aw->incidents[0].cause = CAUSE_NETWORK_HOG;
	judge_verdict(aw);
	assert_int_equal(aw->w.e.incidents[0].direction, DIRECTION_NONE);
	/* and disks have no sides */
	aw->w.label.known = truth_fault("disk-busy");
	assert_false(judge_verdict(aw)->directed);
}

static void a_guess_is_right_or_wrong_or_not_made(void **state)
{
	struct verdict_world *aw = *state;
	const struct outcome *o;

	fault_on(&aw->w, "n1", NULL);
	o = judge_verdict(aw);
	assert_true(o->guessed == 0 && o->guess == 0);
	aw->incidents[0].guess.kind = GUESS_DEVICE_BUSY;
	o = judge_verdict(aw);
	assert_true(o->guessed == 1 && o->guess == 1);
	assert_int_equal(aw->w.e.incidents[0].guess.kind, GUESS_DEVICE_BUSY);
	aw->w.label.known = truth_fault("slow-disk");
	o = judge_verdict(aw);
	assert_true(o->guessed == 1 && o->guess == 0 && o->named == 1);
}

/* Twice indicted is not twice found, nor two false alarms. */
static void a_server_incident_twice_counts_once(void **state)
{
	struct verdict_world *aw = *state;
	const struct outcome *o;

	fault_on(&aw->w, "n1", NULL);
	aw->incidents[1] = aw->incidents[0];
	aw->a.n_incidents = 2;
	o = judge_verdict(aw);
	assert_true(o->hit == 1 && o->named == 1 && o->missed == 0 && aw->w.e.n_incidents == 2);
	fault_on(&aw->w, "n2", NULL);
	o = judge_verdict(aw);
	assert_true(o->hit == 0 && o->alarmed == 1 && o->misnamed == 1 && o->missed == 1);
}

/* Who is only suspicious is no hit, and no false alarm either; the indictment after it counts. */
static void a_suspicion_is_neither_hit_nor_alarm(void **state)
{
	struct verdict_world *aw = *state;
	const struct outcome *o;

	fault_on(&aw->w, "n1", NULL);
	aw->incidents[1] = aw->incidents[0];
	aw->a.n_incidents = 2;
	aw->incidents[0].suspicion = SUSPICION_DATA;
	o = judge_verdict(aw);
	assert_true(o->hit == 1 && aw->w.e.n_incidents == 1);
	aw->incidents[1].suspicion = SUSPICION_PEERS;
	o = judge_verdict(aw);
	assert_true(o->hit == 0 && o->missed == 1 && aw->w.e.n_incidents == 0);
	fault_on(&aw->w, "n2", NULL);
	o = judge_verdict(aw);
	assert_true(o->alarmed == 0 && o->missed == 1);
}

/* At 1.3 one of four is found, at 1.5 three, from 2 on all. */
static void power_over_intensities(void **state)
{
	static const struct {
		const char *intensity;
		size_t found, of;
	} tried[] = {{"3", 4, 4}, {"1.3", 1, 4}, {"2", 4, 4}, {"1.5", 3, 4}};
	struct labelled label[16] = {{0}};
	struct evaluation all = {0};
	size_t n = 0;

	(void)state;
	all.runs = calloc(16, sizeof(*all.runs));
	assert_non_null(all.runs);
	for (size_t i = 0; i < sizeof(tried) / sizeof(*tried); i++)
		for (size_t k = 0; k < tried[i].of; k++, n++) {
			label[n] = (struct labelled){.cluster = "",
						     .workload = "",
						     .fault = "slow-disk",
						     .intensity = tried[i].intensity,
						     .n_nodes = 1};
			all.runs[n] = (struct evaluated){
				.label = &label[n],
				.outcome = {.faulty = 1, .hit = k < tried[i].found, .ttd_s = NAN}};
		}
	all.n_runs = n;
	assert_int_equal(evaluate_groups(&all), 0);
	assert_true(evaluate_power(&all, "slow-disk", 0.25) == 1.3);
	assert_true(evaluate_power(&all, "slow-disk", 0.5) == 1.5);
	assert_true(evaluate_power(&all, "slow-disk", 0.9) == 2);
	assert_true(isnan(evaluate_power(&all, "hang", 0.5)));
	evaluation_release(&all);
	/* one that is missed at the largest, and one without a number: it is not known from where on */
	all.runs = calloc(3, sizeof(*all.runs));
	assert_non_null(all.runs);
	all.n_runs = 3;
	label[1].intensity = "9";
	label[2].intensity = "10 %";
	for (size_t i = 0; i < 3; i++)
		all.runs[i] = (struct evaluated){
			.label = &label[i], .outcome = {.faulty = 1, .hit = i != 1, .ttd_s = NAN}};
	assert_int_equal(evaluate_groups(&all), 0);
	assert_true(isnan(evaluate_power(&all, "slow-disk", 0.5)));
	evaluation_release(&all);
}

#define OF_VERDICT(test) cmocka_unit_test_setup_teardown(test, set_up_verdict, tear_down_verdict)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_hit_and_how_long_it_took, set_up, tear_down),
		cmocka_unit_test_setup_teardown(too_early_is_an_alarm, set_up, tear_down),
		cmocka_unit_test_setup_teardown(begun_after_the_fault_is_an_alarm, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_alarm_and_then_a_hit_are_both, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(two_faulty_servers_and_the_slower_verdict, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(top_counts_the_first_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_a_fault_every_indictment_is_an_alarm,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_faulty_server_not_judged_is_not_found, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_could_not_be_judged, set_up, tear_down),
		cmocka_unit_test_setup_teardown(causes_count_where_they_can_be_named, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(labels_of_another_run_are_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_no_fault_is_a_fault_free_run, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_run_that_failed_is_missed, set_up, tear_down),
		OF_VERDICT(an_verdict_of_the_right_server),
		OF_VERDICT(an_verdict_that_could_not_judge),
		OF_VERDICT(the_label_of_another_verdict_is_refused),
		OF_VERDICT(the_side_of_loss),
		OF_VERDICT(a_guess_is_right_or_wrong_or_not_made),
		OF_VERDICT(a_server_incident_twice_counts_once),
		OF_VERDICT(a_suspicion_is_neither_hit_nor_alarm),
		cmocka_unit_test(power_over_intensities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
