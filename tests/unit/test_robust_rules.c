// SPDX-License-Identifier: BSD-2-Clause
/* rules.h: a scene for each cause, and for all that must not be taken for one. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../analyzer/robust/rules.h"

enum { N = 6, REMOTES = 2, PROCESSES = 4, SECONDS = 60 };

/* Six servers with a disk each, two clients, and a few processes; s2 is the accused. */
static struct box {
	struct scene scene;
	struct scene_node nodes[N];
	struct hop_disk disks[N][2];
	struct hop_remote remotes[N][2][REMOTES];
	struct hop_process processes[N][2][PROCESSES];
	struct evidence evidence[8];
	struct accusation a;
	struct remark r;
} box;

static const char *const names[N] = {"s0", "s1", "s2", "s3", "s4", "s5"};
static const char *const clients[REMOTES] = {"10.0.0.101", "10.0.0.102"};
enum { ME = 2 };

static struct acc rate(double per_second)
{
	return (struct acc){per_second * SECONDS, SECONDS};
}

static struct acc mean(double value, double n)
{
	return (struct acc){value * n, n};
}

static void process(struct hop_process *p, const char *name, const char *cgroup, double cpu_s,
		    double read_kb, double written_kb)
{
	snprintf(p->name, sizeof(p->name), "%s", name);
	snprintf(p->cgroup, sizeof(p->cgroup), "%s", cgroup);
	p->cpu_s = cpu_s;
	p->read_kb = read_kb;
	p->written_kb = written_kb;
}

/* A server at work: 10 MB/s read and 8 MB/s written, all of it over the network. */
static void healthy(struct hop *h, struct hop_disk *d, struct hop_remote *r, struct hop_process *p)
{
	*h = (struct hop){.seconds = SECONDS,
			  .disks = d,
			  .n_disks = 1,
			  .remotes = r,
			  .n_remotes = REMOTES,
			  .processes = p,
			  .n_processes = 1};
	*d = (struct hop_disk){.name = "sda"};
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
	h->acc[NA_RETRANS] = h->acc[NA_OOO] = rate(0);
	h->acc[NA_BLOCKED] = rate(0.2);
	for (size_t k = 0; k < REMOTES; k++) {
		r[k] = (struct hop_remote){
			.data_out = 20000, .data_in = 18000, .segs_out = 24000, .retrans = 4};
		snprintf(r[k].addr, sizeof(r[k].addr), "%s", clients[k]);
	}
	process(p, "glusterfsd:100", "/fs/brick", 12, 10000 * SECONDS, 8000 * SECONDS);
}

static struct hop *now(size_t i)
{
	return &box.nodes[i].now;
}

static int set_up(void **state)
{
	(void)state;
	memset(&box, 0, sizeof(box));
	for (size_t i = 0; i < N; i++) {
		struct scene_node *n = &box.nodes[i];

		n->name = names[i];
		n->own_cgroup = "/sys/fs/cgroup/fs/brick";
		healthy(&n->now, &box.disks[i][0], box.remotes[i][0], box.processes[i][0]);
		healthy(&n->before, &box.disks[i][1], box.remotes[i][1], box.processes[i][1]);
	}
	box.scene = (struct scene){.nodes = box.nodes, .n_nodes = N, .hop_s = 10};
	box.a = (struct accusation){.node = ME, .evidence = box.evidence};
	return 0;
}

static struct evidence *worse(enum signal s, double ratio, double z)
{
	struct evidence *e = &box.evidence[box.a.n_evidence++];

	assert_true(box.a.n_evidence <= sizeof(box.evidence) / sizeof(*box.evidence));
	*e = (struct evidence){.signal = s,
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

static void runs(const char *name, const char *cgroup, double cpu_s, double read_kb,
		 double written_kb)
{
	struct hop *h = now(ME);

	assert_true(h->n_processes < PROCESSES);
	process(&h->processes[h->n_processes++], name, cgroup, cpu_s, read_kb, written_kb);
}

static void accused_of(const char *cause)
{
	enum ruled ruled = rules_apply(&box.scene, &box.a, &box.r);
	bool known = false;

	assert_int_equal(ruled, RULE_ACCUSED);
	assert_string_equal(box.a.cause, cause);
	assert_non_null(box.a.why);
	assert_true(*box.a.detail);
	for (size_t i = 0; cause_names[i]; i++)
		known |= !strcmp(cause_names[i], cause);
	assert_true(known);
	assert_true((box.a.confidence == CONFIDENCE_LOW) == (*box.a.doubt != 0));
}

static void remarked(enum remark_kind kind)
{
	assert_int_equal(rules_apply(&box.scene, &box.a, &box.r), RULE_REMARK);
	assert_int_equal(box.r.kind, kind);
	assert_true(*box.r.text);
}

static void nothing(void)
{
	assert_int_equal(rules_apply(&box.scene, &box.a, &box.r), RULE_NOTHING);
}

static void says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' does not say '%s'", text, part);
}

static void sure(void)
{
	if (box.a.confidence != CONFIDENCE_HIGH)
		fail_msg("doubted: %s", box.a.doubt);
}

/* ---- disks ------------------------------------------------------------------------------------------ */

static void slow_disk(double times)
{
	struct hop_disk *d = &now(ME)->disks[0];

	d->acc[DA_READ_AWAIT].sum *= times;
	d->acc[DA_WRITE_AWAIT].sum *= times;
	d->acc[DA_READ_DEVICE].sum *= times;
	d->acc[DA_WRITE_DEVICE].sum *= times;
}

static void foreign_reads(double kb)
{
	struct hop_disk *d = &now(ME)->disks[0];

	d->acc[DA_READ_KB].sum += kb * SECONDS;
	d->acc[DA_FOREIGN_READ_KB] = rate(kb);
	worse(SIG_FOREIGN_READ, 1 + kb / 1024, 50);
}

static void hog_is_named(void **state)
{
	(void)state;
	slow_disk(6);
	worse(SIG_READ, 6, 30);
	worse(SIG_READ_DEVICE, 6, 30);
	foreign_reads(18000);
	runs("cron:7", "/system.slice/cron.service", 0.1, 20 * SECONDS, 0);
	runs("fio:1234", "/user.slice/hogs", 1, 18000 * SECONDS, 0);
	runs("(rest)", "", 1, 30000 * SECONDS, 0);
	accused_of("disk-hog");
	sure();
	assert_string_equal(box.a.culprit.name, "fio:1234");
	assert_string_equal(box.a.culprit.cgroup, "/user.slice/hogs");
	assert_true(fabs(box.a.culprit.share - 0.5) < 0.01);
	says(box.a.detail, "sda");
	says(box.a.detail, "read");
}

/* A process that was as busy before the trouble is not what began it. */
static void hog_began_with_the_trouble(void **state)
{
	struct hop *before = &box.nodes[ME].before;

	(void)state;
	slow_disk(6);
	worse(SIG_WRITE_DEVICE, 6, 30);
	foreign_reads(18000);
	runs("backup:5", "/backup", 1, 18000 * SECONDS, 0);
	process(&before->processes[before->n_processes++], "backup:5", "/backup", 1,
		18000 * SECONDS, 0);
	runs("fio:9", "/x", 1, 12000 * SECONDS, 0);
	accused_of("disk-hog");
	assert_string_equal(box.a.culprit.name, "fio:9");
}

static void hog_of_unknown_name(void **state)
{
	(void)state;
	slow_disk(6);
	worse(SIG_READ_DEVICE, 6, 30);
	foreign_reads(18000);
	runs("cron:7", "/system.slice", 0.1, 20 * SECONDS, 0);
	accused_of("disk-hog");
	assert_string_equal(box.a.culprit.name, "");
	assert_true(isnan(box.a.culprit.share));
}

static void hog_that_starves_is_doubted(void **state)
{
	struct hop_disk *d = &now(ME)->disks[0];

	(void)state;
	foreign_reads(18000);
	d->acc[DA_READ_AWAIT] = d->acc[DA_WRITE_AWAIT] = mean(900, 5);
	accused_of("disk-hog");
	assert_int_equal(box.a.confidence, CONFIDENCE_LOW);
}

/* Others' bytes that slow nobody. */
static void guest_that_harms_nobody(void **state)
{
	(void)state;
	foreign_reads(3000);
	nothing();
}

/* A trickle of others beside a slow device is not what makes it slow. */
static void trickle_is_no_hog(void **state)
{
	(void)state;
	slow_disk(4);
	worse(SIG_READ_DEVICE, 4, 20);
	foreign_reads(1100);
	accused_of("device-slow");
}

static void maintenance_is_remarked(void **state)
{
	static const char *const doers[] = {"md0_resync:77", "md127_raid6:4", "btrfs-scrub:3",
					    "z_scrub_int:8", "fsck.ext4:9",   "xfs_scrub:1"};

	(void)state;
	for (size_t i = 0; i < sizeof(doers) / sizeof(*doers); i++) {
		set_up(NULL);
		slow_disk(3);
		worse(SIG_READ, 3, 20);
		foreign_reads(18000);
		runs(doers[i], "/", 1, 18000 * SECONDS, 0);
		remarked(REMARK_MAINTENANCE);
		says(box.r.text, doers[i]);
	}
}

/* Somebody else reads while an idle thread of the RAID is there. */
static void hog_beside_maintenance(void **state)
{
	(void)state;
	slow_disk(3);
	worse(SIG_READ, 3, 20);
	foreign_reads(18000);
	runs("md0_raid6:77", "/", 0.1, 0, 0);
	runs("tar:5", "/backup", 1, 18000 * SECONDS, 0);
	accused_of("disk-hog");
	assert_string_equal(box.a.culprit.name, "tar:5");
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

static void slow_device(void **state)
{
	(void)state;
	slow_disk(4);
	worse(SIG_READ, 4, 20);
	worse(SIG_READ_DEVICE, 4.1, 21);
	worse(SIG_SRTT, 2, 9);
	accused_of("device-slow");
	sure();
	assert_string_equal(box.a.culprit.name, "");
	assert_string_equal(box.a.guess, "");
	says(box.a.detail, "sda, reads");
}

static void slow_device_guesses(void **state)
{
	double *by = box.nodes[ME].size_ratio[OP_READ];

	(void)state;
	slow_disk(4);
	worse(SIG_READ_DEVICE, 4, 20);
	by[0] = 9;
	by[2] = 3;
	accused_of("device-slow");
	says(box.a.guess, "busy elsewhere");
	by[0] = 2.5;
	by[2] = 4;
	accused_of("device-slow");
	says(box.a.guess, "failing");
	by[0] = by[2] = 4;
	accused_of("device-slow");
	assert_string_equal(box.a.guess, "");
	box.evidence[0].p99 = 5000;
	box.evidence[0].p99_peers = 200;
	accused_of("device-slow");
	says(box.a.guess, "failing");
}

static void whole_latency_without_a_device_part(void **state)
{
	(void)state;
	slow_disk(4);
	for (size_t i = 0; i < N; i++) {
		now(i)->disks[0].acc[DA_READ_DEVICE] = (struct acc){0};
		box.nodes[i].before.disks[0].acc[DA_READ_DEVICE] = (struct acc){0};
	}
	worse(SIG_READ, 4, 20);
	accused_of("device-slow");
	says(box.a.doubt, "not measured");
}

static void queueing_above_the_device(void **state)
{
	(void)state;
	now(ME)->disks[0].acc[DA_WRITE_AWAIT].sum *= 5;
	worse(SIG_WRITE, 5, 20);
	accused_of("io-scheduler");
	says(box.a.detail, "writes");
	/* ... and if tasks wait for a processor, it is that. */
	worse(SIG_RUNQ, 10, 30);
	accused_of("cpu-hog");
}

/* Ratios by size, from histograms: small requests wait as long as large ones. */
static void ratios_by_size(void **state)
{
	static uint32_t quick[1] = {100}, slow[1] = {100};
	static struct hop_lat lat[N][2];
	const struct hop *at[N];
	double ratio[LAT_OPS][LAT_SIZES];

	(void)state;
	for (size_t i = 0; i < N; i++) {
		for (size_t k = 0; k < 2; k++) {
			/* 1 and 8 ms at the peers, 16 ms at this one whatever the size */
			uint64_t ns = i == ME ? 16u << 20 : k ? 8u << 20 : 1u << 20;

			lat[i][k] = (struct hop_lat){
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

/* ---- network ---------------------------------------------------------------------------------------- */

static void network_hogs(void **state)
{
	(void)state;
	now(ME)->acc[NA_RX_KB] = rate(8600 + 16000);
	worse(SIG_FOREIGN_RX, 25, 60);
	worse(SIG_OOO, 4, 9);
	accused_of("network-hog");
	says(box.a.detail, "write: 15.6 MiB/s received");
	sure();

	set_up(NULL);
	now(ME)->acc[NA_TX_KB] = rate(10700 + 25000);
	worse(SIG_FOREIGN_TX, 25, 60);
	worse(SIG_RETRANS, 8, 20); /* of congestion at its own port */
	box.remotes[ME][0][0].retrans = box.remotes[ME][0][1].retrans = 600;
	worse(SIG_READ_DEVICE, 1.4, 5);
	accused_of("network-hog");
	says(box.a.detail, "read: 24.4 MiB/s sent");
}

/* A host that talks to this server only is nobody's client; its sockets look like the file system's. */
static void network_hog_is_named(void **state)
{
	static struct hop_remote with[3];
	struct hop *h = now(ME);

	(void)state;
	memcpy(with, h->remotes, REMOTES * sizeof(*with));
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < REMOTES; k++)
			now(i)->remotes[k].rx_kb = 4000 * SECONDS;
	with[2] = (struct hop_remote){
		.addr = "10.0.0.254", .data_in = 800000, .ooo = 4400, .rx_kb = 16000 * SECONDS};
	h->remotes = with;
	h->n_remotes = 3;
	with[0].ooo = 0.006 * with[0].data_in;
	h->acc[NA_RX_KB] = rate(8600 + 17000);
	h->acc[NA_FS_RX_KB] = rate(8000 + 16000);
	worse(SIG_FOREIGN_RX, 35, 70);
	worse(SIG_OOO, 8, 43);
	accused_of("network-hog");
	sure();
	assert_string_equal(box.a.culprit.name, "10.0.0.254");
	assert_true(box.a.culprit.remote && fabs(box.a.culprit.share - 16.0 / 25.6) < 1e-9);
	says(box.a.detail, "write: ");
}

/* A copy over the network beside a disk that is truly slow. */
static void copy_beside_a_slow_disk(void **state)
{
	(void)state;
	now(ME)->acc[NA_TX_KB] = rate(10700 + 2000);
	worse(SIG_FOREIGN_TX, 5, 20);
	slow_disk(5);
	worse(SIG_READ_DEVICE, 5, 25);
	accused_of("device-slow");
}

static void newcomer_is_a_guess(void **state)
{
	(void)state;
	now(ME)->acc[NA_RX_KB] = rate(8600 + 16000);
	worse(SIG_FOREIGN_RX, 25, 60);
	runs("iperf3:55", "/user.slice", 3, 0, 0);
	accused_of("network-hog");
	says(box.a.guess, "iperf3:55");
	assert_string_equal(box.a.culprit.name, "");
}

static void lossy(size_t node, size_t client, double retrans, double ooo)
{
	struct hop_remote *r = &box.remotes[node][0][client];

	r->retrans = retrans * r->data_out;
	r->ooo = ooo * r->data_in;
}

static void loss_on_the_send_side(void **state)
{
	(void)state;
	lossy(ME, 0, 0.05, 0);
	lossy(ME, 1, 0.05, 0);
	worse(SIG_RETRANS, 40, 60);
	worse(SIG_CWND, 6, 20);
	accused_of("packet-loss");
	sure();
	says(box.a.detail, "send side, to 2 of 2 hosts");
}

static void loss_on_the_receive_side(void **state)
{
	(void)state;
	lossy(ME, 0, 0.0009, 0.26); /* as measured under 5 % */
	lossy(ME, 1, 0.0002, 0.046);
	worse(SIG_OOO, 200, 90);
	worse(SIG_PURE_ACK, 2, 9);
	worse(SIG_RETRANS, 3, 5);
	accused_of("packet-loss");
	sure();
	says(box.a.detail, "receive side, from 2 of 2 hosts");
}

static void loss_in_both_directions(void **state)
{
	(void)state;
	lossy(ME, 0, 0.05, 0.26);
	lossy(ME, 1, 0.05, 0.26);
	worse(SIG_OOO, 200, 90);
	worse(SIG_RETRANS, 40, 60);
	accused_of("packet-loss");
	says(box.a.detail, "both directions");
	/* a few segments sent again beside much that is lost on the way in */
	lossy(ME, 0, 0.006, 0.26);
	lossy(ME, 1, 0.006, 0.26);
	accused_of("packet-loss");
	says(box.a.detail, "receive side");
}

/* Large loss beside a disk that is a little slow; and a slow disk beside a little loss. */
static void loss_and_disk(void **state)
{
	(void)state;
	slow_disk(1.5);
	worse(SIG_READ_DEVICE, 1.5, 8);
	lossy(ME, 0, 0.05, 0);
	lossy(ME, 1, 0.05, 0);
	worse(SIG_RETRANS, 40, 60);
	accused_of("packet-loss");
	slow_disk(4);
	box.evidence[0].ratio = 6;
	accused_of("device-slow");
}

static void one_client_only_is_doubted(void **state)
{
	(void)state;
	for (size_t i = 0; i < N; i++)
		now(i)->n_remotes = 1;
	lossy(ME, 0, 0.05, 0);
	worse(SIG_RETRANS, 40, 60);
	accused_of("packet-loss");
	assert_int_equal(box.a.confidence, CONFIDENCE_LOW);
	says(box.a.doubt, clients[0]);
}

static void one_link_of_several_is_of_either_end(void **state)
{
	(void)state;
	lossy(ME, 1, 0.05, 0);
	worse(SIG_RETRANS, 20, 40);
	remarked(REMARK_CLIENT);
	says(box.r.text, clients[1]);
	says(box.r.text, "s2");
}

static int count(void *arg, const struct remark *r)
{
	unsigned int *n = arg;

	assert_true(*r->text);
	n[r->kind]++;
	box.r = *r;
	return 0;
}

static void lossy_client_is_no_servers_fault(void **state)
{
	unsigned int n[REMARK_KINDS] = {0};

	(void)state;
	for (size_t i = 0; i < N; i++)
		lossy(i, 1, 0.001, 0.2);
	worse(SIG_OOO, 3, 6);
	remarked(REMARK_CLIENT);
	says(box.r.text, clients[1]);
	assert_int_equal(rules_remarks(&box.scene, count, n), 0);
	assert_int_equal(n[REMARK_CLIENT], 1);
	says(box.r.text, clients[1]);
	says(box.r.text, "6 of 6");
}

/* A lossy client and, besides, a server that loses with the others too. */
static void lossy_client_and_lossy_server(void **state)
{
	static struct hop_remote more[N][4];

	(void)state;
	for (size_t i = 0; i < N; i++) {
		for (size_t k = 0; k < 4; k++) {
			more[i][k] = box.remotes[i][0][k % 2];
			snprintf(more[i][k].addr, sizeof(more[i][k].addr), "10.0.0.%zu", k + 1);
			more[i][k].retrans = k == 0 || i == ME ? 1000 : 4;
		}
		now(i)->remotes = more[i];
		now(i)->n_remotes = 4;
	}
	worse(SIG_RETRANS, 3, 9);
	accused_of("packet-loss");
	says(box.a.detail, "to 3 of 3 hosts");
}

/* All connections of all servers lose: congestion that nobody stands out in. */
static void shared_congestion(void **state)
{
	(void)state;
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < REMOTES; k++)
			lossy(i, k, i == ME ? 0.04 : 0.02, 0);
	lossy(0, 0, 0, 0);
	worse(SIG_RETRANS, 2, 6);
	nothing();
}

static void acknowledgements_alone(void **state)
{
	(void)state;
	worse(SIG_PURE_ACK, 2, 9);
	nothing();
}

static void connections_not_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < N; i++)
		now(i)->n_remotes = 0;
	worse(SIG_RETRANS, 40, 60);
	accused_of("packet-loss");
	assert_int_equal(box.a.confidence, CONFIDENCE_LOW);
}

/* ---- processors, memory, hung ------------------------------------------------------------------------ */

static void cpu_hog(void **state)
{
	(void)state;
	worse(SIG_RUNQ, 20, 30);
	worse(SIG_CPU, 4, 12);
	worse(SIG_READ_DEVICE, 1.6, 6);
	runs("stress:9", "/user.slice", 100, 0, 0);
	accused_of("cpu-hog");
	sure();
	assert_string_equal(box.a.culprit.name, "stress:9");
	assert_true(fabs(box.a.culprit.share - 100.0 / 112) < 1e-9);
}

static void file_system_itself_takes_the_cpu(void **state)
{
	(void)state;
	worse(SIG_RUNQ, 20, 30);
	worse(SIG_CPU, 4, 12);
	box.processes[ME][0][0].cpu_s = 110;
	accused_of("cpu-hog");
	assert_string_equal(box.a.culprit.name, "glusterfsd:100");
	says(box.a.detail, "file system itself");
}

static void memory_pressure(void **state)
{
	(void)state;
	worse(SIG_MEM_STALL, 50, 40);
	accused_of("memory-pressure");
	/* Swapping makes the disk slow: not the reverse. */
	set_up(NULL);
	slow_disk(4);
	worse(SIG_READ_DEVICE, 4, 30);
	worse(SIG_SWAP, 50, 20);
	worse(SIG_MEM_PRESSURE, 9, 20);
	accused_of("memory-pressure");
}

static void idle_from(size_t node)
{
	struct hop *h = now(node);
	struct hop_disk *d = h->disks;

	d->acc[DA_READ_KB] = d->acc[DA_WRITE_KB] = d->acc[DA_READS] = d->acc[DA_WRITES] = rate(0);
	d->acc[DA_QUEUE] = rate(0);
	h->acc[NA_FS_RX_KB] = h->acc[NA_FS_TX_KB] = rate(2);
}

static void hung(void **state)
{
	(void)state;
	idle_from(ME);
	worse(SIG_IDLE, 20, 30);
	accused_of("hung");
	sure();
}

static void stuck_requests(void **state)
{
	(void)state;
	idle_from(ME);
	box.nodes[ME].before = (struct hop){0};
	now(ME)->disks[0].acc[DA_QUEUE] = rate(8);
	worse(SIG_IDLE, 20, 30);
	accused_of("hung");
	says(box.a.detail, "never complete");
}

/* It had little to do before too: a spare, a metadata server. */
static void idle_server(void **state)
{
	struct hop *before = &box.nodes[ME].before;

	(void)state;
	idle_from(ME);
	before->disks[0].acc[DA_READ_KB] = before->disks[0].acc[DA_WRITE_KB] = rate(10);
	before->acc[NA_FS_RX_KB] = before->acc[NA_FS_TX_KB] = rate(10);
	worse(SIG_IDLE, 20, 30);
	remarked(REMARK_IDLE);
}

/* Nobody has anything to do. */
static void all_idle(void **state)
{
	(void)state;
	for (size_t i = 0; i < N; i++)
		idle_from(i);
	now(ME)->acc[NA_FS_RX_KB] = now(ME)->acc[NA_FS_TX_KB] = rate(0);
	worse(SIG_IDLE, 4, 6);
	remarked(REMARK_IDLE);
}

/* ---- what is no fault --------------------------------------------------------------------------------- */

static void victims(void **state)
{
	(void)state;
	worse(SIG_SRTT, 4, 20);
	worse(SIG_CWND, 6, 30);
	worse(SIG_QUEUE, 2, 8);
	worse(SIG_CPU, 2, 8);
	nothing();
}

static void hot_server(void **state)
{
	(void)state;
	worse(SIG_DISK_OPS, 3, 20);
	worse(SIG_DISK_KB, 3, 20);
	worse(SIG_NET_TX, 3, 20);
	worse(SIG_QUEUE, 3, 8);
	remarked(REMARK_HOT);
	says(box.r.text, "3.0 times");
}

/* Latency that the larger load explains, and latency beyond it. */
static void hot_and_slower(void **state)
{
	struct evidence *e;

	(void)state;
	slow_disk(2);
	worse(SIG_DISK_OPS, 3, 20);
	worse(SIG_NET_TX, 3, 20);
	e = worse(SIG_READ_DEVICE, 2, 9);
	remarked(REMARK_HOT);
	e->ratio = 8;
	accused_of("device-slow");
	/* More work of the disk that did not come over the network is nobody's demand. */
	e->ratio = 2;
	box.evidence[1].signal = SIG_READ;
	accused_of("device-slow");
}

static void less_to_do(void **state)
{
	(void)state;
	worse(SIG_DISK_OPS, 0.3, 5);
	remarked(REMARK_IDLE);
}

static void no_evidence(void **state)
{
	(void)state;
	nothing();
	box.a.node = N;
	nothing();
}

static void no_cause_known(void **state)
{
	struct evidence *e;

	(void)state;
	e = worse(SIG_TABLE, 3, 9);
	strcpy(e->what, "latency");
	accused_of("slow");
	says(box.a.why, "no cause");
	says(box.a.detail, "latency");
}

static void doubts(void **state)
{
	(void)state;
	slow_disk(4);
	worse(SIG_READ_DEVICE, 4, 20);
	box.scene.n_nodes = 4;
	accused_of("device-slow");
	says(box.a.doubt, "3 peers");
	box.scene.n_nodes = N;
	box.a.held = true;
	accused_of("device-slow");
	says(box.a.doubt, "since");
	box.a.held = false;
	box.nodes[ME].before.seconds = 0;
	now(ME)->seconds = 40;
	accused_of("device-slow");
	says(box.a.doubt, "40 s");
	for (size_t i = 0; i < N; i++)
		box.nodes[i].group = i == ME;
	accused_of("device-slow");
	says(box.a.doubt, "0 peers");
}

static void silence_is_remarked(void **state)
{
	unsigned int n[REMARK_KINDS] = {0};

	(void)state;
	box.nodes[4].silent = true;
	assert_int_equal(rules_remarks(&box.scene, count, n), 0);
	assert_int_equal(n[REMARK_SILENT], 1);
	assert_int_equal(box.r.node, 4);
	says(box.r.text, "s4");
}

/* Numbers that were not measured are no evidence, and no crash. */
static void nothing_measured(void **state)
{
	(void)state;
	for (int s = 0; s < SIG_COUNT; s++) {
		set_up(NULL);
		for (size_t i = 0; i < N; i++) {
			memset(&box.nodes[i].now, 0, sizeof(struct hop));
			memset(&box.nodes[i].before, 0, sizeof(struct hop));
		}
		now(ME)->seconds = SECONDS;
		worse((enum signal)s, 5, 10)->w1 = NAN;
		if (rules_apply(&box.scene, &box.a, &box.r) == RULE_ACCUSED)
			assert_int_equal(box.a.confidence, CONFIDENCE_LOW);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup(name, set_up)
	const struct CMUnitTest tests[] = {
		T(hog_is_named),
		T(hog_began_with_the_trouble),
		T(hog_of_unknown_name),
		T(hog_that_starves_is_doubted),
		T(guest_that_harms_nobody),
		T(trickle_is_no_hog),
		T(maintenance_is_remarked),
		T(hog_beside_maintenance),
		T(maintenance_names),
		T(slow_device),
		T(slow_device_guesses),
		T(ratios_by_size),
		T(whole_latency_without_a_device_part),
		T(queueing_above_the_device),
		T(network_hogs),
		T(network_hog_is_named),
		T(copy_beside_a_slow_disk),
		T(newcomer_is_a_guess),
		T(loss_on_the_send_side),
		T(loss_on_the_receive_side),
		T(loss_in_both_directions),
		T(loss_and_disk),
		T(one_client_only_is_doubted),
		T(one_link_of_several_is_of_either_end),
		T(lossy_client_is_no_servers_fault),
		T(lossy_client_and_lossy_server),
		T(shared_congestion),
		T(acknowledgements_alone),
		T(connections_not_known),
		T(cpu_hog),
		T(file_system_itself_takes_the_cpu),
		T(memory_pressure),
		T(hung),
		T(stuck_requests),
		T(idle_server),
		T(all_idle),
		T(victims),
		T(hot_server),
		T(hot_and_slower),
		T(less_to_do),
		T(no_evidence),
		T(no_cause_known),
		T(doubts),
		T(silence_is_remarked),
		T(nothing_measured),
	};

	return cmocka_run_group_tests_name("robust rules", tests, NULL, NULL);
}
