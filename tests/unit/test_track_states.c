// SPDX-License-Identifier: BSD-2-Clause
/* track/track.h: each arrow of the drawing, by incidents of servers; and invariants of random walks. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stat/rng.h"
#include "analyzer/track/internal.h"

enum { SERVERS = 3, INTERVAL_S = 4 };
#define T0 (1700000000 * NS_PER_S)

struct world {
	struct track *t;
	struct track_events *events;
	int64_t now_ns, onset_ns[SERVERS]; /* 0: it is quiet */
	enum ruled ruled;
	enum cause cause;
	struct heard {
		bool open;
		uint64_t id;
	} heard[SERVERS]; /* by events alone */
	char said[400];
	bool walking;
	bool stale; /* the interval itself is no worse than others */
};

static int rule(void *arg, int64_t onset_ns, struct incident *a, struct notice *m,
		enum ruled *ruled)
{
	struct world *w = arg;

	assert_true(onset_ns <= w->now_ns);
	a->cause = w->cause;
	m->kind = NOTICE_IMBALANCE;
	*ruled = w->ruled;
	return 0;
}

static enum signal_role role(void *arg, size_t signal)
{
	(void)arg;
	(void)signal;
	return ROLE_LOCAL;
}

static int hear(void *arg, const struct verdict *a, const struct track_event *e)
{
	static const char *const words[EVENT_KINDS] = {[EVENT_SUSPICIOUS] = "suspicious ",
						       [EVENT_CLEARED] = "cleared ",
						       [EVENT_OPENED] = "opened ",
						       [EVENT_CHANGED] = "changed ",
						       [EVENT_OVER] = "over ",
						       [EVENT_HELD] = "held ",
						       [EVENT_RESUMED] = "resumed ",
						       [EVENT_NOTICE] = "notice "};
	struct world *w = arg;
	bool begins = e->kind == EVENT_OPENED || e->kind == EVENT_SUSPICIOUS,
	     ends = e->kind == EVENT_OVER || e->kind == EVENT_CLEARED;

	if (!words[e->kind])
		return 0;
	if (!w->walking)
		strncat(w->said, words[e->kind], sizeof(w->said) - strlen(w->said) - 1);
	if (e->kind == EVENT_NOTICE)
		return 0;
	assert_true(e->node < a->n_nodes && e->id);
	/* no event without a transition; an id stays from the beginning to the end */
	assert_true(e->kind != EVENT_CHANGED || w->heard[e->node].open);
	assert_true(!ends || w->heard[e->node].open);
	/* what becomes an incident may be one that there was before */
	if (w->heard[e->node].open && e->kind != EVENT_OPENED)
		assert_true(e->id == w->heard[e->node].id);
	assert_true(e->incident < 0 || a->incidents[e->incident].id == e->id);
	w->heard[e->node] = (struct heard){begins || (w->heard[e->node].open && !ends), e->id};
	return 0;
}

static void begin(struct world *w)
{
	const struct track_rules rules = {.rule = rule,
					  .role = role,
					  .arg = w,
					  .again = 8,
					  .recent_ns = 120 * NS_PER_S,
					  .same_ns = TRACK_SAME_NS};

	*w = (struct world){.now_ns = T0, .cause = CAUSE_DISK_HOG};
	w->t = track_new(&rules);
	w->events = track_events_new();
	assert_true(w->t && w->events);
	for (int i = 0; i < SERVERS; i++) {
		char name[8];

		snprintf(name, sizeof(name), "s%d", i);
		assert_int_equal(track_server(w->t, name), 0);
	}
	assert_int_equal(track_subscribe(w->events, hear, w), 0);
}

static void end(struct world *w)
{
	track_free(w->t);
	track_events_free(w->events);
}

static struct verdict verdict_of(const struct world *w)
{
	struct verdict a = {.to_ns = w->now_ns, .n_nodes = SERVERS};

	a.nodes = calloc(SERVERS, sizeof(*a.nodes));
	a.judged = calloc(SERVERS, sizeof(*a.judged));
	assert_true(a.nodes && a.judged);
	for (int i = 0; i < SERVERS; i++) {
		snprintf(a.nodes[i], sizeof(a.nodes[i]), "s%d", i);
		a.judged[i] = true;
	}
	assert_int_equal(track_verdict(w->t, &a, INT64_MIN), 0);
	return a;
}

/* One interval: each server is quiet (SIGN_NOTHING), suspicious, or indicts. */
static void interval(struct world *w, const enum track_sign signs[SERVERS])
{
	struct verdict a;

	w->now_ns += INTERVAL_S * NS_PER_S;
	track_begin(w->t);
	for (size_t i = 0; i < SERVERS; i++) {
		struct track_mark m = {.last_ns = w->now_ns,
				       .indicts = signs[i] == SIGN_INDICTS,
				       .fresh = !w->stale};

		if (signs[i] == SIGN_NOTHING)
			w->onset_ns[i] = 0;
		else if (!w->onset_ns[i])
			w->onset_ns[i] = w->now_ns - INTERVAL_S * NS_PER_S;
		m.onset_ns = w->onset_ns[i];
		if (m.onset_ns)
			track_mark(w->t, i, &m);
	}
	assert_int_equal(track_open(w->t), 0);
	for (size_t i = 0; i < SERVERS; i++) {
		struct finding_about about = {.signal = SIG_READ,
					      .node = i,
					      .value = 2,
					      .peers = 1,
					      .score = 9,
					      .onset_ns = w->onset_ns[i],
					      .last_ns = w->now_ns,
					      .open = true,
					      .held = w->stale};
		struct finding e = finding_make(&about, NULL);
		bool stronger;

		if (track_gathers(w->t, i) && w->onset_ns[i])
			assert_non_null(track_add(w->t, &e, &stronger));
	}
	assert_int_equal(track_update(w->t, w->now_ns), 0);
	a = verdict_of(w);
	assert_int_equal(track_events_tell(w->events, &a), 0);
	verdict_release(&a);
}

static void first(struct world *w, enum track_sign sign, int times)
{
	while (times--)
		interval(w, (const enum track_sign[SERVERS]){sign});
}

/* Since the last time. */
static void said(struct world *w, const char *words)
{
	assert_string_equal(w->said, words);
	*w->said = 0;
}

static void quiet_to_suspect(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	first(&w, SIGN_NOTHING, 2);
	said(&w, "");
	first(&w, SIGN_SUSPICIOUS, 3);
	said(&w, "suspicious ");
	assert_int_equal(w.t->spells[0]->state, TRACK_SUSPECT);
	end(&w);
}

/* Nothing is kept of it. */
static void suspect_to_quiet(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	first(&w, SIGN_SUSPICIOUS, 3);
	first(&w, SIGN_NOTHING, 2);
	said(&w, "suspicious cleared ");
	assert_int_equal(w.t->n_spells, 0);
	end(&w);
}

static void quiet_to_indicted(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	first(&w, SIGN_INDICTS, 1);
	said(&w, "opened ");
	/* less evidence is no suspicion again */
	first(&w, SIGN_SUSPICIOUS, 9);
	said(&w, "");
	assert_int_equal(w.t->spells[0]->state, TRACK_INDICTED);
	end(&w);
}

/* With the id that the suspicion had. */
static void suspect_to_indicted(void **state)
{
	struct world w;
	uint64_t id;

	(void)state;
	begin(&w);
	first(&w, SIGN_SUSPICIOUS, 3);
	id = w.heard[0].id;
	first(&w, SIGN_INDICTS, 3);
	said(&w, "suspicious opened ");
	assert_true(w.heard[0].id == id && id == track_id("s0", T0));
	end(&w);
}

static void indicted_to_over(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	first(&w, SIGN_INDICTS, 3);
	first(&w, SIGN_NOTHING, 3);
	said(&w, "opened over ");
	assert_int_equal(w.t->spells[0]->state, TRACK_OVER);
	end(&w);
}

/* Within two hours and of the same cause: the same incident, times + 1. */
static void over_to_indicted(void **state)
{
	struct verdict a;
	struct world w;
	uint64_t id;

	(void)state;
	begin(&w);
	first(&w, SIGN_INDICTS, 3);
	id = w.heard[0].id;
	first(&w, SIGN_NOTHING, 1700);
	first(&w, SIGN_INDICTS, 3);
	said(&w, "opened over opened ");
	assert_true(w.heard[0].id == id);
	a = verdict_of(&w);
	assert_int_equal(a.n_incidents, 1);
	assert_int_equal(a.incidents[0].times, 2);
	assert_true(a.incidents[0].id == id);
	verdict_release(&a);
	/* later, or for another cause, it is another one; also if the cause changes meanwhile */
	first(&w, SIGN_NOTHING, 10);
	w.cause = CAUSE_CPU_HOG;
	first(&w, SIGN_INDICTS, 3);
	assert_true(w.heard[0].id != id);
	id = w.heard[0].id;
	w.cause = CAUSE_DEVICE_SLOW;
	first(&w, SIGN_INDICTS, 10);
	said(&w, "over opened changed ");
	assert_true(w.heard[0].id == id);
	end(&w);
}

static void over_to_suspect(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	first(&w, SIGN_INDICTS, 3);
	first(&w, SIGN_NOTHING, 3);
	first(&w, SIGN_SUSPICIOUS, 3);
	first(&w, SIGN_NOTHING, 3);
	said(&w, "opened over suspicious cleared ");
	end(&w);
}

static void gone(void *arg, size_t server)
{
	struct world *w = arg;

	/* over, before it is forgotten; in a walk another of this server may be open, and stays */
	assert_true(w->walking || !w->heard[server].open);
}

static void over_to_quiet(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	first(&w, SIGN_INDICTS, 3);
	first(&w, SIGN_NOTHING, 3);
	w.said[0] = 0;
	track_forget(w.t, INT64_MAX, gone, &w);
	assert_int_equal(w.t->n_spells, 0);
	first(&w, SIGN_NOTHING, 3);
	said(&w, "");
	end(&w);
}

/* Evidence enough, and the rules know a reason. */
static void suspect_to_excused(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	first(&w, SIGN_SUSPICIOUS, 3);
	w.ruled = RULE_NOTICE;
	first(&w, SIGN_INDICTS, 3);
	said(&w, "suspicious cleared notice ");
	assert_int_equal(w.t->spells[0]->state, TRACK_EXCUSED);
	end(&w);
}

static void excused_to_indicted(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	w.ruled = RULE_NOTHING;
	first(&w, SIGN_INDICTS, 3);
	said(&w, "");
	assert_int_equal(w.t->spells[0]->state, TRACK_EXCUSED);
	w.ruled = RULE_INCIDENT;
	first(&w, SIGN_INDICTS, 3);
	said(&w, "opened ");
	/* what was told stays told */
	w.ruled = RULE_NOTICE;
	first(&w, SIGN_INDICTS, 20);
	said(&w, "");
	end(&w);
}

static void excused_to_suspect(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	w.ruled = RULE_NOTICE;
	first(&w, SIGN_SUSPICIOUS, 3);
	w.ruled = RULE_INCIDENT;
	first(&w, SIGN_SUSPICIOUS, 3);
	said(&w, "notice suspicious ");
	end(&w);
}

/* Its notice stays until it is forgotten. */
static void excused_to_over(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	w.ruled = RULE_NOTICE;
	first(&w, SIGN_INDICTS, 3);
	first(&w, SIGN_NOTHING, 3);
	said(&w, "notice ");
	assert_int_equal(w.t->n_spells, 1);
	assert_int_equal(w.t->spells[0]->state, TRACK_OVER);
	w.ruled = RULE_NOTHING;
	first(&w, SIGN_INDICTS, 3);
	first(&w, SIGN_NOTHING, 3);
	assert_int_equal(w.t->n_spells, 1);
	end(&w);
}

/* Only signals of entities go from INDICTED to EXCUSED: of an incident what was told stays told. */
static void indicted_to_excused(void **state)
{
	struct track_entity st = {.state = TRACK_INDICTED};

	(void)state;
	track_excuse(&st);
	assert_int_equal(st.state, TRACK_EXCUSED);
	assert_true(track_in_trouble(&st));
}

/* The rules are asked at once, also where the interval itself is no worse than others. */
static void first_asked_at_once(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	w.stale = true;
	first(&w, SIGN_SUSPICIOUS, 1);
	said(&w, "suspicious ");
	first(&w, SIGN_INDICTS, 1);
	said(&w, "opened ");
	end(&w);
}

/* What was told keeps its numbers, but not that it is so: it may be held, and then over. */
static void findings_are_as_they_are_now(void **state)
{
	static const struct {
		enum track_sign sign;
		bool stale, open, held;
	} steps[] = {{SIGN_INDICTS, false, true, false},
		     {SIGN_INDICTS, true, true, true},
		     {SIGN_INDICTS, false, true, false},
		     {SIGN_NOTHING, false, false, false}};
	struct world w;

	(void)state;
	begin(&w);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct verdict a;

		w.stale = steps[i].stale;
		first(&w, steps[i].sign, 1);
		a = verdict_of(&w);
		assert_int_equal(a.n_incidents, 1);
		assert_int_equal(a.incidents[0].open, steps[i].open);
		assert_int_equal(a.incidents[0].held, steps[i].held);
		assert_int_equal(a.incidents[0].findings[0].open, steps[i].open);
		assert_int_equal(a.incidents[0].findings[0].held, steps[i].held);
		verdict_release(&a);
	}
	said(&w, "opened held resumed over ");
	end(&w);
}

/* What an operator knows of is one notice an incident, however often it comes; another cause is another incident. */
static void acknowledged(void **state)
{
	struct verdict a;
	struct world w;

	(void)state;
	begin(&w);
	track_acknowledge(w.t, 0);
	for (int times = 0; times < 3; times++) {
		first(&w, SIGN_INDICTS, 3);
		first(&w, SIGN_NOTHING, 300);
	}
	a = verdict_of(&w);
	assert_int_equal(a.n_incidents, 0);
	assert_int_equal(a.n_notices, 1);
	assert_int_equal(a.notices[0].kind, NOTICE_ACKNOWLEDGED);
	assert_int_equal(a.notices[0].cause, CAUSE_DISK_HOG);
	assert_true(a.notices[0].from_ns == T0 && !a.notices[0].suspicious);
	assert_true(a.notices[0].to_ns == T0 + (2 * 303 + 3) * INTERVAL_S * NS_PER_S);
	verdict_release(&a);
	w.cause = CAUSE_DEVICE_SLOW;
	interval(&w, (const enum track_sign[SERVERS]){SIGN_INDICTS, SIGN_INDICTS});
	a = verdict_of(&w);
	assert_int_equal(a.n_notices, 2);
	/* of nobody else */
	assert_int_equal(a.n_incidents, 1);
	assert_int_equal(a.incidents[0].node, 1);
	verdict_release(&a);
	end(&w);
}

/* Evidence that never went away quite has one onset: what is only suspicious when it comes again is not the incident that is over. */
static void suspicious_of_one_onset(void **state)
{
	struct verdict a;
	struct world w;

	(void)state;
	begin(&w);
	first(&w, SIGN_INDICTS, 3);
	first(&w, SIGN_NOTHING, 1);
	w.onset_ns[0] = T0;
	first(&w, SIGN_SUSPICIOUS, 3);
	said(&w, "opened over suspicious ");
	a = verdict_of(&w);
	assert_int_equal(a.n_incidents, 2);
	assert_true(!a.incidents[0].suspicion && !a.incidents[0].open);
	assert_true(a.incidents[1].suspicion && a.incidents[1].open);
	assert_true(a.incidents[0].id != a.incidents[1].id);
	verdict_release(&a);
	end(&w);
}

/* Time may begin at nought, as with rows for times. */
static void onset_at_nought(void **state)
{
	const struct track_mark m = {.onset_ns = 0, .last_ns = 1, .indicts = true, .fresh = true};
	struct verdict a;
	struct world w;

	(void)state;
	begin(&w);
	track_begin(w.t);
	track_mark(w.t, 2, &m);
	assert_int_equal(track_open(w.t), 0);
	assert_int_equal(track_update(w.t, 2), 0);
	a = verdict_of(&w);
	assert_int_equal(a.n_incidents, 1);
	assert_true(a.incidents[0].node == 2 && a.incidents[0].open);
	verdict_release(&a);
	end(&w);
}

static void ids_differ(const struct verdict *a)
{
	for (size_t i = 0; i < a->n_incidents; i++)
		for (size_t k = 0; k < i; k++)
			assert_true(a->incidents[i].id != a->incidents[k].id);
}

/* Events replayed are what is open; ids stay, and are no other's; what is forgotten was over. */
static void random_walks(void **state)
{
	static const enum cause causes[] = {CAUSE_DISK_HOG, CAUSE_CPU_HOG};

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		enum track_sign signs[SERVERS] = {SIGN_NOTHING};
		struct verdict a;
		struct world w;
		struct rng rng;

		begin(&w);
		w.walking = true;
		rng_seed(&rng, seed);
		for (int k = 0; k < 2000; k++) {
			for (int i = 0; i < SERVERS; i++)
				if (rng_uniform(&rng) < 0.1)
					signs[i] = (enum track_sign)(3 * rng_uniform(&rng));
			w.ruled = (enum ruled)(3 * rng_uniform(&rng) * rng_uniform(&rng));
			w.cause = causes[rng_uniform(&rng) < 0.2];
			interval(&w, signs);
			if (k % 300 == 299)
				track_forget(w.t, w.now_ns - 600 * NS_PER_S, gone, &w);
			a = verdict_of(&w);
			ids_differ(&a);
			for (size_t i = 0; i < SERVERS; i++)
				assert_int_equal(verdict_against(&a, i, true) != NULL,
						 w.heard[i].open);
			verdict_release(&a);
		}
		end(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quiet_to_suspect),
		cmocka_unit_test(suspect_to_quiet),
		cmocka_unit_test(quiet_to_indicted),
		cmocka_unit_test(suspect_to_indicted),
		cmocka_unit_test(indicted_to_over),
		cmocka_unit_test(over_to_indicted),
		cmocka_unit_test(over_to_suspect),
		cmocka_unit_test(over_to_quiet),
		cmocka_unit_test(suspect_to_excused),
		cmocka_unit_test(excused_to_indicted),
		cmocka_unit_test(excused_to_suspect),
		cmocka_unit_test(excused_to_over),
		cmocka_unit_test(indicted_to_excused),
		cmocka_unit_test(random_walks),
		cmocka_unit_test(first_asked_at_once),
		cmocka_unit_test(findings_are_as_they_are_now),
		cmocka_unit_test(acknowledged),
		cmocka_unit_test(suspicious_of_one_onset),
		cmocka_unit_test(onset_at_nought),
	};

	return cmocka_run_group_tests_name("track_states", tests, NULL, NULL);
}
