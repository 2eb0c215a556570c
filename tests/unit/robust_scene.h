/* SPDX-License-Identifier: BSD-2-Clause */
/* A scene for the tests of the rules: six healthy servers, in which a test breaks one. */
#ifndef LIMPET_ROBUST_SCENE_H
#define LIMPET_ROBUST_SCENE_H

#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/rules/rules.h"
#include "analyzer/verdict/sentences.h"

enum { N = 6, REMOTES = 2, PROCESSES = 4, SECONDS = 60 };

/* Six servers with a disk each, two clients, and a few processes; s2 is the indicted. */
static struct box {
	struct scene scene;
	struct scene_node nodes[N];
	struct interval_disk
		disks[N][2][2]; /* of now and of before; the second is there after second_disk() */
	struct interval_remote remotes[N][2][REMOTES];
	struct interval_process processes[N][2][PROCESSES];
	struct finding findings[8];
	struct incident a;
	struct notice r;
} box;

static const char *const names[N] = {"s0", "s1", "s2", "s3", "s4", "s5"};
static const char *const clients[REMOTES] = {"10.0.0.101", "10.0.0.102"};
static const char *const own_cgroups[] = {"/fs/brick"};
enum { ME = 2 };

static inline struct acc rate(double per_second)
{
	return (struct acc){per_second * SECONDS, SECONDS};
}

static inline struct acc mean(double value, double n)
{
	return (struct acc){value * n, n};
}

static inline void process(struct interval_process *p, const char *name, const char *cgroup,
			   double cpu_s, double read_kb, double written_kb)
{
	snprintf(p->name, sizeof(p->name), "%s", name);
	snprintf(p->cgroup, sizeof(p->cgroup), "%s", cgroup);
	p->cpu_s = cpu_s;
	p->read_kb = read_kb;
	p->written_kb = written_kb;
}

/* A server at work: 10 MB/s read and 8 MB/s written, all of it over the network. */
static inline void healthy(struct interval *h, struct interval_disk *d, struct interval_remote *r,
			   struct interval_process *p)
{
	*h = (struct interval){.seconds = SECONDS,
			       .disks = d,
			       .n_disks = 1,
			       .remotes = r,
			       .n_remotes = REMOTES,
			       .processes = p,
			       .n_processes = 1};
	*d = (struct interval_disk){.name = "sda"};
	d->acc[DA_READS] = rate(22);
	d->acc[DA_WRITES] = rate(17);
	d->acc[DA_READ_KB] = rate(10000);
	d->acc[DA_WRITE_KB] = rate(8000);
	d->acc[DA_FOREIGN_READ_KB] = d->acc[DA_FOREIGN_WRITE_KB] = rate(0);
	d->acc[DA_READ_AWAIT] = mean(70, 22 * SECONDS);
	d->acc[DA_WRITE_AWAIT] = mean(100, 17 * SECONDS);
	d->acc[DA_READ_DEVICE] = mean(69, 22 * SECONDS);
	d->acc[DA_WRITE_DEVICE] = mean(99, 17 * SECONDS);
	d->acc[DA_QUEUE] = rate(3);
	h->acc[NA_FS_RX_KB] = rate(8000);
	h->acc[NA_FS_TX_KB] = rate(10000);
	h->acc[NA_RX_KB] = rate(8600);
	h->acc[NA_TX_KB] = rate(10700);
	/* whose headers are what the interfaces carry besides, of 66 bytes each */
	h->acc[NA_SEGS_IN] = rate(600 * 1024.0 / 66);
	h->acc[NA_SEGS_OUT] = rate(700 * 1024.0 / 66);
	h->acc[NA_RETRANS] = h->acc[NA_OOO] = rate(0);
	h->acc[NA_BLOCKED] = rate(0.2);
	for (size_t k = 0; k < REMOTES; k++) {
		r[k] = (struct interval_remote){
			.data_out = 20000, .data_in = 18000, .segs_out = 24000, .retrans = 4};
		snprintf(r[k].addr, sizeof(r[k].addr), "%s", clients[k]);
	}
	process(p, "glusterfsd:100", "/fs/brick", 12, 10000 * SECONDS, 8000 * SECONDS);
}

static inline struct interval *now(size_t i)
{
	return &box.nodes[i].now;
}

static inline int set_up(void **state)
{
	(void)state;
	memset(&box, 0, sizeof(box));
	for (size_t i = 0; i < N; i++) {
		struct scene_node *n = &box.nodes[i];

		n->name = names[i];
		n->own_cgroups = own_cgroups;
		n->n_own = 1;
		healthy(&n->now, box.disks[i][0], box.remotes[i][0], box.processes[i][0]);
		healthy(&n->before, box.disks[i][1], box.remotes[i][1], box.processes[i][1]);
	}
	box.scene = (struct scene){.nodes = box.nodes, .n_nodes = N};
	box.a = (struct incident){.node = ME, .findings = box.findings};
	return 0;
}

/* Every server has a disk sdb as well, as busy as sda. */
static inline void second_disk(void)
{
	for (size_t i = 0; i < N; i++)
		for (int b = 0; b < 2; b++) {
			struct interval *h = b ? &box.nodes[i].before : &box.nodes[i].now;

			h->disks[1] = h->disks[0];
			strcpy(h->disks[1].name, "sdb");
			h->n_disks = 2;
		}
}

static inline struct finding *worse(enum signal s, double ratio, double z)
{
	struct finding *e = &box.findings[box.a.n_findings++];

	assert_true(box.a.n_findings <= sizeof(box.findings) / sizeof(*box.findings));
	*e = (struct finding){.signal = s,
			      .node = ME,
			      .ratio = ratio,
			      .z = z,
			      .p99 = NAN,
			      .p99_peers = NAN,
			      .w1 = NAN,
			      .usual = 1};
	if (signals[s].level == LEVEL_DISK)
		strcpy(e->disk, "sda");
	e->symptom = signals[s].role == ROLE_SYMPTOM;
	return e;
}

static inline void runs(const char *name, const char *cgroup, double cpu_s, double read_kb,
			double written_kb)
{
	struct interval *h = now(ME);

	assert_true(h->n_processes < PROCESSES);
	process(&h->processes[h->n_processes++], name, cgroup, cpu_s, read_kb, written_kb);
}

/* Sentences, in static memory: the scene's names and signals as a verdict has them. */
static inline const struct verdict *scene_verdict(void)
{
	static char hosts[N][HOST_LEN];
	static struct verdict a = {.nodes = hosts, .n_nodes = N};

	if (!a.n_signals)
		assert_int_equal(verdict_series_signals(&a), 0);
	for (size_t i = 0; i < N; i++)
		snprintf(hosts[i], HOST_LEN, "%s", names[i]);
	return &a;
}

static inline const char *detail_text(void)
{
	static struct text text;

	text_reset(&text);
	return sentence_detail(&text, scene_verdict(), &box.a.detail, &box.a);
}

static inline const char *guess_text(void)
{
	static struct text text;

	text_reset(&text);
	return sentence_guess(&text, &box.a.guess);
}

static inline const char *doubts_text(void)
{
	static struct text text;

	text_reset(&text);
	return sentence_doubts(&text, &box.a);
}

static inline const char *notice_text(const struct notice *r)
{
	static struct text text;

	text_reset(&text);
	return sentence_notice(&text, scene_verdict(), r);
}

static inline void incident_of(enum cause cause)
{
	enum ruled ruled = rules_apply(&box.scene, &box.a, &box.r);

	assert_int_equal(ruled, RULE_INCIDENT);
	assert_int_equal(box.a.cause, cause);
	assert_true(*cause_why(box.a.cause, box.a.why));
	assert_true(*detail_text());
	/* those two are the checklist's */
	assert_true(cause != CAUSE_NONE && cause != CAUSE_DISK_BUSY);
	assert_true((box.a.confidence < 0.95) == (*doubts_text() != 0));
}

static inline void noticed(enum notice_kind kind)
{
	assert_int_equal(rules_apply(&box.scene, &box.a, &box.r), RULE_NOTICE);
	assert_int_equal(box.r.kind, kind);
	assert_true(*notice_text(&box.r));
}

static inline void nothing(void)
{
	assert_int_equal(rules_apply(&box.scene, &box.a, &box.r), RULE_NOTHING);
}

static inline void says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' does not say '%s'", text, part);
}

static inline void sure(void)
{
	if (box.a.confidence < 0.95)
		fail_msg("doubted: %s", doubts_text());
}

static inline void slow_disk(double times)
{
	struct interval_disk *d = &now(ME)->disks[0];

	d->acc[DA_READ_AWAIT].sum *= times;
	d->acc[DA_WRITE_AWAIT].sum *= times;
	d->acc[DA_READ_DEVICE].sum *= times;
	d->acc[DA_WRITE_DEVICE].sum *= times;
}

static inline int count(void *arg, const struct notice *r)
{
	unsigned int *n = arg;

	assert_true(*notice_text(r));
	n[r->kind]++;
	box.r = *r;
	return 0;
}

#define RULES_TEST(name) cmocka_unit_test_setup(name, set_up)

#endif
