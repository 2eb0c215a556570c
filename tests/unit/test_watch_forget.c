// SPDX-License-Identifier: BSD-2-Clause
/*
 * That something is forgotten is no news: an engine that forgets and one that does not tell the same
 * changes, interval by interval, and the same alerts.
 */
#include <unistd.h>

#include "robust_box.h"

#include "analyzer/watch/alert.h"
#include "analyzer/track/internal.h"

#define HOUR ((int64_t)3600 * 1000000000)

struct teller {
	struct track_events *changes;
	struct alert *alert;
	uint64_t opened, over, notices;
	char now[8192]; /* of one interval */
};

static int hear(void *arg, const struct verdict *a, const struct change *c)
{
	struct teller *t = arg;
	size_t len = strlen(t->now);

	snprintf(t->now + len, sizeof(t->now) - len, "%s %s %s %s\n",
		 event_rows[c->event.kind].word, c->server, c->cause, text_of(&c->text));
	t->opened += c->event.kind == EVENT_OPENED;
	t->over += c->event.kind == EVENT_OVER;
	t->notices += c->event.kind == EVENT_NOTICE || c->event.kind == EVENT_SILENT;
	return alert_change(t->alert, a, c);
}

struct pair {
	struct box b;
	struct teller all, less;
};

static struct teller teller_new(void)
{
	struct teller t = {track_events_new(),
			   alert_new(&(struct alert_opts){.program = "/bin/true", .quiet = true}),
			   0,
			   0,
			   0,
			   ""};

	assert_true(t.changes && t.alert);
	return t;
}

static void begin(struct pair *p, size_t n, int64_t keep_ns, const double *own)
{
	box_setup(&p->b, n, keep_ns, own);
	p->all = teller_new();
	p->less = teller_new();
}

static void finish(struct pair *p)
{
	track_events_free(p->all.changes);
	track_events_free(p->less.changes);
	alert_free(p->all.alert);
	alert_free(p->less.alert);
	box_done(&p->b);
}

static void tell(struct robust *r, struct teller *t)
{
	struct change_to to = {hear, t};
	struct verdict a;

	*t->now = 0;
	assert_int_equal(robust_verdict(r, &a), 0);
	assert_int_equal(track_subscribe(t->changes, change_event, &to), 0);
	assert_int_equal(track_events_tell(t->changes, &a), 0);
	track_unsubscribe(t->changes, &to);
	verdict_release(&a);
}

/* So long, in whole intervals. */
static void lasts(struct pair *p, int seconds)
{
	for (; seconds > 0; seconds -= BOX_S) {
		box_push(&p->b);
		tell(p->b.all, &p->all);
		tell(p->b.less, &p->less);
		assert_string_equal(p->all.now, p->less.now);
		assert_int_equal(alert_count(p->all.alert).waiting,
				 alert_count(p->less.alert).waiting);
		box_forget(&p->b);
	}
}

/* Each is told once when it begins and once when it is over. */
static void cases_come_and_go(void **state)
{
	struct pair p;

	(void)state;
	begin(&p, 6, 3 * HOUR, NULL);
	lasts(&p, 200);
	for (int i = 0; i < 12; i++) {
		p.b.like[i % 6] = i % 2 ? SLOW : FIO;
		lasts(&p, 100);
		p.b.like[i % 6] = HEALTHY;
		lasts(&p, 1300);
	}
	assert_int_equal(p.less.opened, 12);
	assert_int_equal(p.less.over, 12);
	assert_true(p.b.less->track->n_spells < 10);
	finish(&p);
}

/* Who did it when it was worst is told of the story all along, also when that was long ago. */
static void a_story_of_several_culprits(void **state)
{
	struct pair p;

	(void)state;
	begin(&p, 6, HOUR, NULL);
	lasts(&p, 200);
	for (int i = 0; i < 24; i++) {
		p.b.like[3] = i == 2 ? FIO : DD;
		lasts(&p, 100);
		p.b.like[3] = HEALTHY;
		lasts(&p, 300);
	}
	/* and one that never ends, beginning within the story */
	p.b.like[3] = DD;
	lasts(&p, 8000);
	assert_true(p.less.opened >= 20 && p.less.opened == p.less.over + 1);
	assert_int_equal(p.b.less->track->n_spells, 2);
	finish(&p);
}

/* Of a server with disks of another model it is not told, once it was indicted. When that is forgotten,
 * the disks are no news. */
static void other_disks_are_no_news(void **state)
{
	static const double own[BOX_NODES] = {1, 1, 1, 1, 1, 1.8, 1.8, 1.8};
	struct pair p;

	(void)state;
	begin(&p, 8, HOUR, own);
	for (size_t i = 0; i < 8; i++) {
		struct device_identity id = {.family = FAM_DISK,
					     .name = "sda",
					     .rotational = 1,
					     .size_bytes = -1,
					     .speed_mbps = -1};

		strcpy(id.model, own[i] > 1 ? "SLOW 2" : "FAST 1");
		assert_int_equal(robust_identity(p.b.all, i, &id), 0);
		assert_int_equal(robust_identity(p.b.less, i, &id), 0);
	}
	p.b.like[5] = SLOW;
	lasts(&p, 200);
	p.b.like[5] = HEALTHY;
	lasts(&p, 4000);
	assert_int_equal(p.b.less->track->n_spells, 0);
	assert_int_equal(p.less.opened, 1);
	assert_int_equal(p.less.notices, 2); /* of the others: the third one was indicted before */
	finish(&p);
}

/* What was told of notices does not pile up, and is told again when it comes again. */
static void remarks_are_told_again(void **state)
{
	struct pair p;

	(void)state;
	begin(&p, 6, HOUR, NULL);
	for (int i = 0; i < 3; i++) {
		lasts(&p, 200);
		p.b.like[1] = SILENT;
		lasts(&p, 110);
		p.b.like[1] = HEALTHY;
		lasts(&p, 4000);
		assert_int_equal(p.b.less->track->n_notices, 0);
		assert_int_equal(p.less.notices, i + 1);
	}
	finish(&p);
}

/* A silence of days: what was open before it is over with the first interval after it, told before it is
 * forgotten. */
static void what_ends_in_a_silence_is_told(void **state)
{
	struct pair p;

	(void)state;
	begin(&p, 6, HOUR, NULL);
	lasts(&p, 200);
	p.b.like[3] = SLOW;
	lasts(&p, 100);
	p.b.like[3] = HEALTHY;
	p.b.now += 48 * HOUR;
	lasts(&p, BOX_S);
	assert_non_null(strstr(p.less.now, "over s3 device-slow s3 limped"));
	assert_int_equal(p.b.less->track->n_spells, 0);
	lasts(&p, 200);
	finish(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases_come_and_go),
		cmocka_unit_test(a_story_of_several_culprits),
		cmocka_unit_test(other_disks_are_no_news),
		cmocka_unit_test(remarks_are_told_again),
		cmocka_unit_test(what_ends_in_a_silence_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
