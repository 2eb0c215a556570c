// SPDX-License-Identifier: BSD-2-Clause
/* rules.h: slow devices, hogs of disks, maintenance, queueing; ratios by size. */
#include "robust_scene.h"

#include "analyzer/rules/internal.h"

static void foreign_reads(double kb)
{
	struct interval_disk *d = &now(ME)->disks[0];

	d->acc[DA_READ_KB].sum += kb * SECONDS;
	d->acc[DA_FOREIGN_READ_KB] = rate(kb);
	worse(SIG_FOREIGN_READ, 1 + kb / 1024, 50);
}

static void hog_that_starves_is_doubted(void **state)
{
	struct interval_disk *d = &now(ME)->disks[0];

	(void)state;
	foreign_reads(18000);
	d->acc[DA_READ_AWAIT] = d->acc[DA_WRITE_AWAIT] = mean(900, 5);
	incident_of(CAUSE_DISK_HOG);
	assert_true(box.a.confidence < 0.95);
}

/* A queue is held against what it was before these others came, and not against the peers' alone. */
static void queue_of_its_own_past(void **state)
{
	static const struct {
		double queue, before;
		bool up, hog;
	} cases[] = {
		{12, 3, true, true},   /* longer than the peers' and than it was */
		{12, 12, true, false}, /* as it was */
		{12, 11, true, false}, /* 8 % more than it was */
		{12, 3, false, true}, /* the peers differ too much to tell; it is four times what it was */
		{3.4, 3, false, false},
		{3, 1, false, false}, /* three times what it was, and as the peers' */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		set_up(NULL);
		foreign_reads(18000);
		now(ME)->disks[0].acc[DA_QUEUE] = rate(cases[i].queue);
		box.nodes[ME].before.disks[0].acc[DA_QUEUE] = rate(cases[i].before);
		if (cases[i].up)
			worse(SIG_QUEUE, 4, 20);
		if (cases[i].hog)
			incident_of(CAUSE_DISK_HOG);
		else
			noticed(NOTICE_FOREIGN_USE);
	}
	/* the others were there before: so was what they do to the queue */
	set_up(NULL);
	foreign_reads(18000);
	now(ME)->disks[0].acc[DA_QUEUE] = rate(12);
	box.nodes[ME].before.disks[0] = now(ME)->disks[0];
	worse(SIG_QUEUE, 4, 20);
	incident_of(CAUSE_DISK_HOG);
}

static void maintenance_names(void **state)
{
	(void)state;
	assert_non_null(rules_maintenance("md12_resync:5"));
	assert_non_null(rules_maintenance("e2fsck"));
	assert_non_null(rules_maintenance("glustershd:5"));
	assert_null(rules_maintenance("md_resync:5"));
	assert_null(rules_maintenance("mdx_raid1:5"));
	assert_null(rules_maintenance("mdadmin:5"));
	assert_null(rules_maintenance("fsckx:5"));
	assert_null(rules_maintenance("tar:5"));
	assert_null(rules_maintenance("rsync:5"));
	assert_null(rules_maintenance("fio:5"));
	assert_null(rules_maintenance(""));
	assert_null(rules_maintenance(":"));
}

static void slow_device_guesses(void **state)
{
	double *by = box.nodes[ME].size_ratio[OP_READ];

	(void)state;
	slow_disk(4);
	worse(SIG_READ_DEVICE, 4, 20);
	by[0] = 9;
	by[2] = 3;
	incident_of(CAUSE_DEVICE_SLOW);
	says(guess_text(), "busy elsewhere");
	by[0] = 2.5;
	by[2] = 4;
	incident_of(CAUSE_DEVICE_SLOW);
	says(guess_text(), "failing");
	by[0] = by[2] = 4;
	incident_of(CAUSE_DEVICE_SLOW);
	assert_string_equal(guess_text(), "");
	box.findings[0].p99 = 5000;
	box.findings[0].p99_peers = 200;
	incident_of(CAUSE_DEVICE_SLOW);
	says(guess_text(), "failing");
}

/* Ratios by size, from histograms: small requests wait as long as large ones. */
static void ratios_by_size(void **state)
{
	static uint32_t quick[1] = {100}, slow[1] = {100};
	static struct interval_lat lat[N][2];
	const struct interval *at[N];
	double ratio[LAT_OPS][LAT_SIZES];

	(void)state;
	for (size_t i = 0; i < N; i++) {
		for (size_t k = 0; k < 2; k++) {
			/* 1 and 8 ms at the peers, 16 ms at this one whatever the size */
			uint64_t ns = i == ME ? 16u << 20 : k ? 8u << 20 : 1u << 20;

			lat[i][k] = (struct interval_lat){
				.op = OP_READ,
				.size = k ? 2 : 0,
				.part = PART_DEVICE,
				.first = (uint16_t)bucket_of(ns >> LAT_SHIFT, LAT_SUB_BITS),
				.n = 1,
				.count = 100,
				.at = i == ME ? slow : quick};
		}
		now(i)->disks[0].lat = lat[i];
		now(i)->disks[0].n_lat = 2;
		at[i] = now(i);
	}
	assert_int_equal(rules_sizes(&box.scene, ME, "sda", at, 1, ratio), 0);
	assert_true(fabs(ratio[OP_READ][0] - 16) < 1e-9 && fabs(ratio[OP_READ][2] - 2) < 1e-9);
	assert_true(ratio[OP_READ][1] == 0 && ratio[OP_WRITE][0] == 0);
	/* too few events are no ratio, and a server that said nothing is no peer */
	slow[0] = 29;
	at[0] = at[1] = NULL;
	assert_int_equal(rules_sizes(&box.scene, ME, "sda", at, 1, ratio), 0);
	assert_true(ratio[OP_READ][0] == 0);
	slow[0] = 100;
	assert_int_equal(rules_sizes(&box.scene, ME, "sda", at, 1, ratio), 0);
	assert_true(fabs(ratio[OP_READ][0] - 16) < 1e-9);
	at[3] = at[4] = NULL;
	assert_int_equal(rules_sizes(&box.scene, ME, "sda", at, 1, ratio), 0);
	assert_true(ratio[OP_READ][0] == 0);
}

/* Every disk busy for so many % of the time, and this one so many times as long, now and before. */
static void busy(double percent, double times, double times_before)
{
	for (size_t i = 0; i < N; i++) {
		double by = i == ME ? times : 1, before = i == ME ? times_before : 1;

		now(i)->disks[0].acc[DA_UTIL] = rate(percent * by);
		box.nodes[i].before.disks[0].acc[DA_UTIL] = rate(percent * before);
	}
}

/* A disk that all wait for has a long queue; only one that takes longer than it did is slow. */
static void busy_time_tells_slow_from_awaited(void **state)
{
	static const struct {
		double times, before;
		bool chronic, slow;
	} cases[] = {
		{1.1, 1, false, false},	  /* as quick as its peers */
		{1.5, 1, false, true},	  /* slower than it was */
		{1.5, 1.4, false, false}, /* as slow as it always was */
		{2, 1.4, false, true},	  /* slower still */
		{2.1, 2, false, true},	  /* what is usual ends at 1.5 */
		{1.5, 1.5, true, true},	  /* always slow, and found to be */
		{1.2, 1.5, true, false},  /* was slow, and is not now */
		{3, 1.1, true, true},	  /* a little slow always, and now a lot */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct finding *e;

		set_up(NULL);
		slow_disk(6);
		e = worse(SIG_READ_DEVICE, 6, 30);
		e->chronic = cases[i].chronic;
		busy(40, cases[i].times, cases[i].before);
		if (cases[i].slow)
			incident_of(CAUSE_DEVICE_SLOW);
		else
			noticed(NOTICE_BOTTLENECK);
	}
	/* too little is known of before */
	set_up(NULL);
	slow_disk(6);
	worse(SIG_READ, 6, 30);
	worse(SIG_READ_DEVICE, 6, 30);
	busy(40, 1.5, 1.4);
	box.nodes[ME].before.seconds = 29;
	incident_of(CAUSE_DEVICE_SLOW);
}

/* Most peers only write, which keeps their disks busy four times as long: they are no measure of how long a read takes. */
static void busy_time_of_other_work(void **state)
{
	static const double times[] = {1.1, 1.5};

	(void)state;
	for (size_t k = 0; k < sizeof(times) / sizeof(*times); k++) {
		set_up(NULL);
		slow_disk(6);
		worse(SIG_READ_DEVICE, 6, 30);
		busy(20, times[k], 1);
		for (size_t i = 0, alike = 0; i < N; i++) {
			struct acc *now_acc = now(i)->disks[0].acc;
			struct acc *before = box.nodes[i].before.disks[0].acc;

			now_acc[DA_READS] = before[DA_READS] = rate(100);
			now_acc[DA_WRITES] = before[DA_WRITES] = rate(0);
			if (i == ME || alike++ < 2)
				continue;
			now_acc[DA_READS] = before[DA_READS] = rate(0);
			now_acc[DA_WRITES] = before[DA_WRITES] = rate(100);
			now_acc[DA_UTIL] = before[DA_UTIL] = rate(80);
		}
		if (times[k] > 1.3)
			incident_of(CAUSE_DEVICE_SLOW);
		else
			noticed(NOTICE_BOTTLENECK);
	}
}

/* A latency is up at a disk that is busy so many times as long for an operation, now and before. */
static void asked_set_up(struct service_asked *asked, double times, double times_before)
{
	set_up(NULL);
	slow_disk(6);
	worse(SIG_READ_DEVICE, 6, 30);
	busy(20, times, times_before);
	*asked = rules_asked(&box.scene, ME, "sda");
	box.nodes[ME].asked = asked;
}

/* A bound that is crossed once in many times is crossed by chance; a disk that becomes slow while it is excused is found, the
 * sooner the slower it is. */
static void busy_time_asked_again(void **state)
{
	static const struct {
		double times;
		unsigned int within; /* so many times that it is asked */
	} cases[] = {{1.4, 36}, {2, 10}, {4, 5}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct service_asked asked;
		unsigned int n = 0;

		asked_set_up(&asked, 1.1, 1);
		for (unsigned int k = 0; k < 100; k++)
			noticed(NOTICE_BOTTLENECK);
		assert_true(fabs(box.r.ratio - 1.1) < 1e-9);
		busy(20, 1.4, 1);
		noticed(NOTICE_BOTTLENECK);
		busy(20, 1.1, 1);
		noticed(NOTICE_BOTTLENECK);
		busy(20, cases[i].times, 1);
		while (rules_apply(&box.scene, &box.a, &box.r) != RULE_INCIDENT)
			assert_true(++n < cases[i].within);
		assert_int_equal(box.a.cause, CAUSE_DEVICE_SLOW);
	}
}

/* What it was before is kept from the first time: what came since, as long as it was excused, is the fault. */
static void busy_time_before_is_kept(void **state)
{
	struct service_asked asked;

	(void)state;
	asked_set_up(&asked, 1.1, 1);
	busy(20, 1.5, 1.4);
	incident_of(CAUSE_DEVICE_SLOW);
	/* of another disk nothing was asked */
	strcpy(asked.disk, "sdb");
	noticed(NOTICE_BOTTLENECK);
	/* it always was like this */
	asked_set_up(&asked, 1.5, 1.4);
	noticed(NOTICE_BOTTLENECK);
}

/* No operation ended now: not what it was before, but nothing, is known. */
static void busy_time_without_operations(void **state)
{
	struct facts f;

	(void)state;
	worse(SIG_READ_DEVICE, 6, 30)->chronic = true;
	busy(40, 1, 1);
	now(ME)->disks[0].acc[DA_READS] = now(ME)->disks[0].acc[DA_WRITES] = rate(0);
	facts_gather(&f, &box.scene, &box.a);
	assert_true(isnan(disk_service_ratio(&f)));
	assert_false(disk_bottleneck(&f));
}

/* Others read sda, which is as quick as ever; sdb is slow by itself. And the other way round: what sdb
 * suffers does not make a hog of who harms nobody on sda. */
static void hog_of_another_disk(void **state)
{
	(void)state;
	second_disk();
	foreign_reads(18000);
	strcpy(worse(SIG_READ, 6, 30)->disk, "sdb");
	strcpy(worse(SIG_READ_DEVICE, 6, 30)->disk, "sdb");
	for (size_t k = DA_READ_AWAIT; k <= DA_WRITE_DEVICE; k++)
		now(ME)->disks[1].acc[k].sum *= 6;
	incident_of(CAUSE_DEVICE_SLOW);
	says(detail_text(), "sdb");
	assert_string_equal(rules_disk(&box.scene, &box.a), "sdb");
}

static void hog_of_this_disk_beside_a_slow_one(void **state)
{
	(void)state;
	second_disk();
	slow_disk(4);
	foreign_reads(18000);
	worse(SIG_READ, 4, 20);
	strcpy(worse(SIG_READ_DEVICE, 6, 30)->disk, "sdb");
	incident_of(CAUSE_DISK_HOG);
	says(detail_text(), "sda");
	assert_string_equal(rules_disk(&box.scene, &box.a), "sda");
}

/* sdb is slow, and others are on sda a little, or for a moment: no reason to look away from sdb. */
static void trickle_on_another_disk(void **state)
{
	static const struct {
		double kb, await;
		bool symptom, queue;
	} cases[] = {
		{1200, 1, false, true},	    /* 6 %, and a queue */
		{1200, 1.35, false, false}, /* 6 %, and slower than it was */
		{4000, 1, true, true},	    /* more, but a burst that nothing was decided of */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		set_up(NULL);
		second_disk();
		slow_disk(cases[i].await);
		for (size_t k = DA_READ_AWAIT; k <= DA_WRITE_DEVICE; k++)
			now(ME)->disks[1].acc[k].sum *= 6;
		strcpy(worse(SIG_READ, 6, 30)->disk, "sdb");
		strcpy(worse(SIG_READ_DEVICE, 6, 30)->disk, "sdb");
		foreign_reads(cases[i].kb);
		box.findings[2].symptom = cases[i].symptom;
		if (cases[i].queue)
			worse(SIG_QUEUE, 1.5, 6);
		incident_of(CAUSE_DEVICE_SLOW);
		says(detail_text(), "sdb");
		assert_string_equal(rules_disk(&box.scene, &box.a), "sdb");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULES_TEST(hog_that_starves_is_doubted),
		RULES_TEST(queue_of_its_own_past),
		RULES_TEST(maintenance_names),
		RULES_TEST(slow_device_guesses),
		RULES_TEST(ratios_by_size),
		RULES_TEST(busy_time_tells_slow_from_awaited),
		RULES_TEST(busy_time_without_operations),
		RULES_TEST(busy_time_of_other_work),
		RULES_TEST(busy_time_asked_again),
		RULES_TEST(busy_time_before_is_kept),
		RULES_TEST(hog_of_another_disk),
		RULES_TEST(hog_of_this_disk_beside_a_slow_one),
		RULES_TEST(trickle_on_another_disk),
	};

	return cmocka_run_group_tests_name("robust rules: disks", tests, NULL, NULL);
}
