// SPDX-License-Identifier: BSD-2-Clause
/* rules.h: own and others' bytes where nobody counted them; more to do, and whether it is served as quickly. */
#include "robust_scene.h"

#include "analyzer/rules/internal.h"

/* Recorded without --cgroup: nobody counted whose a request was. */
static void uncounted(void)
{
	for (size_t i = 0; i < N; i++) {
		box.nodes[i].n_own = 0;
		for (int b = 0; b < 2; b++)
			for (int k = DA_FOREIGN_READ_KB; k <= DA_FOREIGN_WRITE_KB; k++)
				box.disks[i][b][0].acc[k] = (struct acc){0};
	}
}

/* A server's disk reads so much, and sends so much of it. */
static void reads(size_t node, double kb, double sent_kb)
{
	box.disks[node][0][0].acc[DA_READ_KB] = rate(kb);
	box.disks[node][0][0].acc[DA_READS] = rate(22 * kb / 10000);
	now(node)->acc[NA_FS_TX_KB] = rate(sent_kb);
}

static void more_of_the_disk(double times)
{
	worse(SIG_DISK_KB, times, 20);
	worse(SIG_DISK_OPS, times, 20);
}

static void daemons_are(const char *name)
{
	for (size_t i = 0; i < N; i++)
		for (int b = 0; b < 2; b++)
			snprintf(box.processes[i][b][0].name, INSTANCE_LEN, "%s", name);
}

/* dd reads 20 MB/s of this disk; what clients are sent is less than before. */
static void hogged(double slow)
{
	set_up(NULL);
	uncounted();
	slow_disk(slow);
	reads(ME, 30000, 9000);
	more_of_the_disk(2.1);
	runs("dd:4711", "/user.slice", 1, 20000 * SECONDS, 0);
}

static void named_without_a_cgroup(void **state)
{
	(void)state;
	hogged(6);
	incident_of(CAUSE_DISK_HOG);
	sure();
	assert_string_equal(box.a.culprit.name, "dd:4711");
	assert_true(fabs(box.a.culprit.share - 20.0 / 38) < 0.01);
	says(detail_text(), "sda: other programs read 19.5 of 37.1 MiB/s");
	assert_string_equal(rules_disk(&box.scene, &box.a), "sda");
	/* what slows nobody */
	hogged(1);
	noticed(NOTICE_FOREIGN_USE);
	says(notice_text(&box.r), "others do 53 % of sda's bytes (dd:4711)");
	/* a daemon of no known name, that was told */
	hogged(6);
	daemons_are("brickd:100");
	for (size_t i = 0; i < N; i++) {
		static const char *const told[] = {"pid:100"};

		box.nodes[i].own_cgroups = told;
		box.nodes[i].n_own = 1;
	}
	incident_of(CAUSE_DISK_HOG);
	assert_string_equal(box.a.culprit.name, "dd:4711");
	/* no daemon is known: whose the bytes are cannot be told, and a disk that is slow is slow */
	hogged(6);
	daemons_are("brickd:100");
	worse(SIG_READ_DEVICE, 6, 30);
	incident_of(CAUSE_DEVICE_SLOW);
	hogged(6);
	daemons_are("brickd:100");
	nothing();
}

/* Writes, which a thread of the kernel does later. */
static void writers_are_named(void **state)
{
	(void)state;
	set_up(NULL);
	uncounted();
	slow_disk(4);
	box.disks[ME][0][0].acc[DA_WRITE_KB] = rate(18000);
	more_of_the_disk(1.6);
	runs("kworker/u8:1:9", "/", 1, 0, 17000 * SECONDS);
	runs("cp:12", "/user.slice", 1, 0, 10000 * SECONDS);
	incident_of(CAUSE_DISK_HOG);
	assert_string_equal(box.a.culprit.name, "cp:12");
	says(detail_text(), "other programs write 9.8");
}

/* What is no hog, although somebody reads besides. */
static void demand_of_clients(void **state)
{
	(void)state;
	/* what the disk reads is sent: dd reads what is in memory, or another disk */
	hogged(1);
	reads(ME, 30000, 30000);
	noticed(NOTICE_IMBALANCE);
	says(notice_text(&box.r), "and is as quick");
	/* on all servers the same is at work */
	hogged(6);
	for (size_t i = 0; i < N; i++) {
		reads(i, 30000, 9000);
		if (i != ME)
			process(&now(i)->processes[now(i)->n_processes++], "dd:9", "/", 1,
				20000 * SECONDS, 0);
	}
	nothing();
	/* readahead: all read three times what they send, and this one has more to do */
	hogged(1);
	for (size_t i = 0; i < N; i++)
		reads(i, i == ME ? 54000 : 30000, i == ME ? 18000 : 10000);
	noticed(NOTICE_IMBALANCE);
	/* a cold cache: the daemon reads more than is sent, which no client asked for */
	hogged(6);
	now(ME)->n_processes = 1;
	box.processes[ME][0][0].read_kb = 30000 * SECONDS;
	nothing();
}

/* Requests are slower than the peers', and demand is up. */
static void no_excuse_without_a_check(void **state)
{
	enum { NOT = NOTICE_KINDS };
	static const struct {
		double sent; /* times the peers' bytes, of network and disk */
		double slow, equal, util;
		int notice;
		const char *says;
	} cases[] = {
		{2, 1, 0, 50, NOTICE_IMBALANCE, "and is as quick"},
		{2, 12.9, 0, 50, NOT, NULL}, /* half busy: that is no queue of its load */
		{2, 12.9, 1, 50, NOTICE_IMBALANCE, "and is as quick"}, /* at the same load it is */
		{2, 12.9, 12, 50, NOT, NULL},
		{2, 1.8, 0, NAN, NOTICE_IMBALANCE,
		 "1.8 times as long"}, /* less than it has more to do */
		{2, 12.9, 0, 98, NOTICE_IMBALANCE, "12.9 times as long"},
		{2, 60, 0, 98, NOT, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		set_up(NULL);
		slow_disk(cases[i].slow);
		reads(ME, 10000 * cases[i].sent, 10000 * cases[i].sent);
		box.disks[ME][0][0].acc[DA_WRITES] = rate(17 * cases[i].sent);
		box.nodes[ME].equal_load[OP_READ] = box.nodes[ME].equal_load[OP_WRITE] =
			cases[i].equal;
		for (size_t k = 0; k < N; k++)
			box.disks[k][0][0].acc[DA_UTIL] =
				isnan(cases[i].util) ? (struct acc){0}
						     : rate(k == ME ? cases[i].util : 49);
		more_of_the_disk(2);
		if (cases[i].notice == NOT) {
			nothing();
			continue;
		}
		noticed((enum notice_kind)cases[i].notice);
		says(notice_text(&box.r), cases[i].says);
	}
	/* too few requests to tell, or none of the peers' */
	set_up(NULL);
	more_of_the_disk(2);
	for (int k = DA_READ_AWAIT; k <= DA_WRITE_AWAIT; k++)
		box.disks[ME][0][0].acc[k] = mean(70, 29);
	nothing();
	/* nor without the way here, nor the origin */
	set_up(NULL);
	uncounted();
	for (size_t i = 0; i < N; i++)
		now(i)->acc[NA_FS_RX_KB] = now(i)->acc[NA_FS_TX_KB] = (struct acc){0};
	reads(ME, 20000, 0);
	now(ME)->acc[NA_FS_TX_KB] = (struct acc){0};
	more_of_the_disk(2);
	nothing();
}

static int only_origin(void *arg, const struct notice *r)
{
	(void)arg;
	if (r->kind == NOTICE_ORIGIN)
		box.r = *r;
	return 0;
}

static void said_where_it_cannot_be_told(void **state)
{
	unsigned int n[NOTICE_KINDS] = {0};

	(void)state;
	assert_int_equal(rules_notices(&box.scene, count, n), 0);
	assert_int_equal(n[NOTICE_ORIGIN], 0);
	/* by the names of daemons */
	uncounted();
	assert_int_equal(rules_notices(&box.scene, count, n), 0);
	assert_int_equal(n[NOTICE_ORIGIN], 0);
	for (size_t i = 0; i < 2; i++) {
		strcpy(box.processes[i][0][0].name, "brickd:1");
		strcpy(box.processes[i][1][0].name, "brickd:1");
	}
	/* one has nothing to do */
	strcpy(box.processes[4][0][0].name, "brickd:1");
	strcpy(box.processes[4][1][0].name, "brickd:1");
	box.disks[4][0][0].acc[DA_READ_KB] = box.disks[4][0][0].acc[DA_WRITE_KB] = rate(100);
	assert_int_equal(rules_notices(&box.scene, count, n), 0);
	assert_int_equal(n[NOTICE_ORIGIN], 1);
	says(notice_text(&box.r), "on 2 of 6 servers it cannot be told");
	/* and one says nothing */
	box.nodes[1].silent = true;
	assert_int_equal(rules_notices(&box.scene, only_origin, NULL), 0);
	says(notice_text(&box.r), "on 1 of 5 servers it cannot be told");
}

/* Medians at one load. */
static void ratios_under_the_same_load(void **state)
{
	static uint32_t many[1] = {100}, few[1] = {29};
	static struct interval_lat lat[N][2];
	const struct interval *at[N];
	double ratio[LAT_OPS];

	(void)state;
	for (size_t i = 0; i < N; i++) {
		for (int k = 0; k < 2; k++)
			/* at 10/s all take 8 ms; at 40/s 16, and this one 64 */
			lat[i][k] = (struct interval_lat){
				.op = OP_WRITE,
				.size = 1,
				.part = PART_WHOLE,
				.cell = (int8_t)load_cell(k ? 40 : 10),
				.first = (uint16_t)bucket_of((uint64_t)(!k	  ? 8
									: i == ME ? 64
										  : 16)
									     << 20 >>
								     LAT_SHIFT,
							     LAT_SUB_BITS),
				.n = 1,
				.count = 100,
				.at = many};
		now(i)->disks[0].lat = lat[i];
		now(i)->disks[0].n_lat = 2;
		at[i] = now(i);
	}
	assert_int_equal(rules_equal_load(&box.scene, ME, "sda", at, 1, ratio), 0);
	assert_true(ratio[OP_READ] == 0 && fabs(ratio[OP_WRITE] - 2) < 1e-9);
	/* of the one load it had too little */
	lat[ME][1].at = few;
	assert_int_equal(rules_equal_load(&box.scene, ME, "sda", at, 1, ratio), 0);
	assert_true(fabs(ratio[OP_WRITE] - 1) < 1e-9);
	lat[ME][1].at = many;
	/* the other only one peer had */
	for (size_t i = 0; i < N; i++)
		if (i != ME && i)
			lat[i][0].at = few;
	assert_int_equal(rules_equal_load(&box.scene, ME, "sda", at, 1, ratio), 0);
	assert_true(fabs(ratio[OP_WRITE] - 4) < 1e-9);
	/* all others say nothing */
	for (size_t i = 0; i < N; i++)
		at[i] = i == ME ? at[i] : NULL;
	assert_int_equal(rules_equal_load(&box.scene, ME, "sda", at, 1, ratio), 0);
	assert_true(ratio[OP_WRITE] == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULES_TEST(named_without_a_cgroup),
		RULES_TEST(writers_are_named),
		RULES_TEST(demand_of_clients),
		RULES_TEST(no_excuse_without_a_check),
		RULES_TEST(said_where_it_cannot_be_told),
		RULES_TEST(ratios_under_the_same_load),
	};

	return cmocka_run_group_tests_name("robust rules: whose bytes", tests, NULL, NULL);
}
