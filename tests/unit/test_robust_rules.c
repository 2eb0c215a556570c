// SPDX-License-Identifier: BSD-2-Clause
/* rules.h: processors, memory, servers that hang; all that must not be taken for a fault; doubts. */
#include "robust_scene.h"

static void idle_from(size_t node)
{
	struct interval *h = now(node);
	struct interval_disk *d = h->disks;

	d->acc[DA_READ_KB] = d->acc[DA_WRITE_KB] = d->acc[DA_READS] = d->acc[DA_WRITES] = rate(0);
	d->acc[DA_QUEUE] = rate(0);
	h->acc[NA_FS_RX_KB] = h->acc[NA_FS_TX_KB] = rate(2);
}

/* Threads of a server: 20, so many in a lock, so many on a processor, one for its disk. */
static void threads(size_t node, double lock, double cpu)
{
	struct interval *h = now(node);

	h->acc[NA_THREADS] = rate(20);
	h->acc[NA_THR_DISK] = mean(5, 20 * SECONDS);
	h->acc[NA_THR_LOCK] = mean(5 * lock, 20 * SECONDS);
	h->acc[NA_THR_CPU] = mean(5 * cpu, 20 * SECONDS);
	h->acc[NA_THR_IDLE] = mean(95 - 5 * lock - 5 * cpu, 20 * SECONDS);
}

static void limps_itself(double lock, double cpu)
{
	set_up(NULL);
	idle_from(ME);
	for (size_t i = 0; i < N; i++)
		threads(i, 1, 2);
	threads(ME, lock, cpu);
	worse(SIG_IDLE, 20, 30);
}

static void own_threads(void **state)
{
	(void)state;
	limps_itself(15, 0);
	worse(SIG_WAIT_LOCK, 12, 40);
	box.findings[box.a.n_findings - 1].symptom = true;
	incident_of(CAUSE_BUSY_LOCK);
	says(detail_text(), "wait for a lock, 94 % of the time they are not idle; its peers' 25 %");
	limps_itself(1, 9);
	worse(SIG_ON_CPU, 4, 40);
	box.findings[box.a.n_findings - 1].symptom = true;
	incident_of(CAUSE_BUSY_CODE);
	says(detail_text(), "compute, 82 % of the time they are not idle; its peers' 50 %");
	/* a lock that is held by who waits for the disk; one that harms nobody; nobody looked */
	limps_itself(15, 0);
	worse(SIG_WAIT_LOCK, 12, 40);
	worse(SIG_WAIT_DISK, 3, 40);
	incident_of(CAUSE_HUNG);
	set_up(NULL);
	threads(ME, 15, 0);
	worse(SIG_WAIT_LOCK, 12, 40);
	box.findings[box.a.n_findings - 1].symptom = true;
	nothing();
	limps_itself(15, 0);
	incident_of(CAUSE_HUNG);
}

/* All clients wait for ME: nobody has anything to do, and it was as busy as they were. */
static void all_wait(double unread, double active)
{
	set_up(NULL);
	for (size_t i = 0; i < N; i++)
		idle_from(i);
	now(ME)->acc[NA_UNREAD] = rate(unread);
	box.nodes[ME].before.acc[NA_ACTIVE] = rate(active);
	worse(SIG_UNREAD, 8, 40);
}

static void unread(void **state)
{
	struct interval *before = &box.nodes[ME].before;

	(void)state;
	all_wait(1.6, 2);
	incident_of(CAUSE_HUNG);
	says(detail_text(), "1.6 connections with data");
	sure();
	/* one of many; of one that still does its work; of one that had none */
	all_wait(1, 5);
	nothing();
	all_wait(1.6, 2);
	now(ME)->acc[NA_FS_TX_KB] = before->acc[NA_FS_TX_KB];
	now(ME)->acc[NA_FS_RX_KB] = before->acc[NA_FS_RX_KB];
	nothing();
	all_wait(1.6, 2);
	*before = *now(ME);
	before->acc[NA_ACTIVE] = rate(2);
	nothing();
	/* nobody read them before, while it did its work */
	all_wait(1.6, 2);
	before->acc[NA_UNREAD] = rate(1.6);
	nothing();
	/* not measured */
	all_wait(NAN, 2);
	nothing();
	/* a slow disk, in the end, too; and a server that swaps */
	all_wait(1.6, 2);
	slow_disk(6);
	worse(SIG_READ, 6, 30);
	worse(SIG_READ_DEVICE, 6, 30);
	incident_of(CAUSE_DEVICE_SLOW);
	all_wait(1.6, 2);
	worse(SIG_SWAP, 50, 20);
	worse(SIG_MEM_PRESSURE, 9, 20);
	incident_of(CAUSE_MEMORY_PRESSURE);
}

static void stuck_requests(void **state)
{
	(void)state;
	idle_from(ME);
	box.nodes[ME].before = (struct interval){0};
	now(ME)->disks[0].acc[DA_QUEUE] = rate(8);
	worse(SIG_IDLE, 20, 30);
	incident_of(CAUSE_HUNG);
	says(detail_text(), "never complete");
}

/* It had little to do before too: a spare, a metadata server. */
static void idle_server(void **state)
{
	struct interval *before = &box.nodes[ME].before;

	(void)state;
	idle_from(ME);
	before->disks[0].acc[DA_READ_KB] = before->disks[0].acc[DA_WRITE_KB] = rate(10);
	before->acc[NA_FS_RX_KB] = before->acc[NA_FS_TX_KB] = rate(10);
	worse(SIG_IDLE, 20, 30);
	noticed(NOTICE_IDLE);
}

/* Nobody has anything to do. */
static void all_idle(void **state)
{
	(void)state;
	for (size_t i = 0; i < N; i++)
		idle_from(i);
	now(ME)->acc[NA_FS_RX_KB] = now(ME)->acc[NA_FS_TX_KB] = rate(0);
	worse(SIG_IDLE, 4, 6);
	noticed(NOTICE_IDLE);
}

static void victims(void **state)
{
	(void)state;
	worse(SIG_SRTT, 4, 20);
	worse(SIG_CWND, 6, 30);
	worse(SIG_QUEUE, 2, 8);
	worse(SIG_CPU, 2, 8);
	nothing();
}

/* Latency that the larger load explains, and latency beyond it. */
static void hot_and_slower(void **state)
{
	struct interval_disk *d = box.disks[ME][0];
	struct finding *e;

	(void)state;
	slow_disk(2);
	worse(SIG_DISK_OPS, 3, 20);
	worse(SIG_NET_TX, 3, 20);
	d->acc[DA_READS] = rate(3 * 22);
	d->acc[DA_READ_KB] = rate(3 * 10000);
	now(ME)->acc[NA_FS_TX_KB] = rate(3 * 10000);
	e = worse(SIG_READ_DEVICE, 1.9, 9);
	noticed(NOTICE_IMBALANCE);
	e->ratio = 8;
	incident_of(CAUSE_DEVICE_SLOW);
	/* More work of the disk that did not come over the network is nobody's demand. */
	e->ratio = 1.9;
	now(ME)->acc[NA_FS_TX_KB] = rate(10000);
	incident_of(CAUSE_DEVICE_SLOW);
}

static void less_to_do(void **state)
{
	(void)state;
	worse(SIG_DISK_OPS, 0.3, 5);
	noticed(NOTICE_IDLE);
}

static void no_findings(void **state)
{
	(void)state;
	nothing();
	box.a.node = N;
	nothing();
}

static void doubts(void **state)
{
	(void)state;
	slow_disk(4);
	worse(SIG_READ_DEVICE, 4, 20);
	box.scene.n_nodes = 4;
	incident_of(CAUSE_DEVICE_SLOW);
	says(doubts_text(), "3 peers");
	box.scene.n_nodes = N;
	box.a.held = true;
	incident_of(CAUSE_DEVICE_SLOW);
	says(doubts_text(), "since");
	box.a.held = false;
	box.nodes[ME].before.seconds = 0;
	now(ME)->seconds = 40;
	incident_of(CAUSE_DEVICE_SLOW);
	says(doubts_text(), "40 s");
	for (size_t i = 0; i < N; i++)
		box.nodes[i].group = i == ME;
	incident_of(CAUSE_DEVICE_SLOW);
	says(doubts_text(), "0 peers");
}

/* Numbers that were not measured make no finding, and no crash. */
static void nothing_measured(void **state)
{
	(void)state;
	for (int s = 0; s < SIG_COUNT; s++) {
		set_up(NULL);
		for (size_t i = 0; i < N; i++) {
			memset(&box.nodes[i].now, 0, sizeof(struct interval));
			memset(&box.nodes[i].before, 0, sizeof(struct interval));
		}
		now(ME)->seconds = SECONDS;
		worse((enum signal)s, 5, 10)->w1 = NAN;
		if (rules_apply(&box.scene, &box.a, &box.r) == RULE_INCIDENT)
			assert_true(box.a.confidence < 0.95);
	}
}

/* Each signal that speaks for a cause does so alone; latency, by what of it the device takes. */
static void each_signal_has_its_cause(void **state)
{
	static const struct {
		enum signal signal;
		enum cause cause;
	} of[] = {{SIG_SWAP, CAUSE_MEMORY_PRESSURE},
		  {SIG_MEM_STALL, CAUSE_MEMORY_PRESSURE},
		  {SIG_MEM_PRESSURE, CAUSE_MEMORY_PRESSURE},
		  {SIG_RUNQ, CAUSE_CPU_HOG},
		  {SIG_READ_DEVICE, CAUSE_DEVICE_SLOW},
		  {SIG_WRITE_DEVICE, CAUSE_DEVICE_SLOW},
		  {SIG_READ, CAUSE_DEVICE_SLOW},
		  {SIG_WRITE, CAUSE_DEVICE_SLOW},
		  {SIG_READ_AWAIT, CAUSE_DEVICE_SLOW},
		  {SIG_WRITE_AWAIT, CAUSE_DEVICE_SLOW}};

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		struct interval_disk *d = &now(ME)->disks[0];

		set_up(NULL);
		slow_disk(6);
		worse(of[i].signal, 6, 30);
		incident_of(of[i].cause);
		if (of[i].cause != CAUSE_DEVICE_SLOW || of[i].signal == SIG_READ_DEVICE ||
		    of[i].signal == SIG_WRITE_DEVICE)
			continue;
		d->acc[DA_READ_DEVICE].sum /= 6;
		d->acc[DA_WRITE_DEVICE].sum /= 6;
		incident_of(CAUSE_IO_SCHEDULER);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULES_TEST(own_threads),      RULES_TEST(unread),
		RULES_TEST(stuck_requests),   RULES_TEST(idle_server),
		RULES_TEST(all_idle),	      RULES_TEST(victims),
		RULES_TEST(hot_and_slower),   RULES_TEST(less_to_do),
		RULES_TEST(no_findings),      RULES_TEST(doubts),
		RULES_TEST(nothing_measured), RULES_TEST(each_signal_has_its_cause),
	};

	return cmocka_run_group_tests_name("robust rules: hosts and no faults", tests, NULL, NULL);
}
