// SPDX-License-Identifier: BSD-2-Clause
/* rules.h: hogs of the network, loss and its side, lossy clients. */
#include "robust_scene.h"

static void network_hogs(void **state)
{
	(void)state;
	now(ME)->acc[NA_RX_KB] = rate(8600 + 16000);
	worse(SIG_FOREIGN_RX, 25, 60);
	worse(SIG_OOO, 4, 9);
	incident_of(CAUSE_NETWORK_HOG);
	says(detail_text(), "write: 15.6 MiB/s received");
	sure();

	set_up(NULL);
	now(ME)->acc[NA_TX_KB] = rate(10700 + 25000);
	worse(SIG_FOREIGN_TX, 25, 60);
	worse(SIG_RETRANS, 8, 20); /* of congestion at its own port */
	box.remotes[ME][0][0].retrans = box.remotes[ME][0][1].retrans = 600;
	worse(SIG_READ_DEVICE, 1.4, 5);
	incident_of(CAUSE_NETWORK_HOG);
	says(detail_text(), "read: 24.4 MiB/s sent");
}

/* A host that talks to this server only is nobody's client; its sockets look like the file system's. */
static void network_hog_is_named(void **state)
{
	static struct interval_remote with[3];
	struct interval *h = now(ME);

	(void)state;
	memcpy(with, h->remotes, REMOTES * sizeof(*with));
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < REMOTES; k++)
			now(i)->remotes[k].rx_kb = 4000 * SECONDS;
	with[2] = (struct interval_remote){
		.addr = "10.0.0.254", .data_in = 800000, .ooo = 4400, .rx_kb = 16000 * SECONDS};
	h->remotes = with;
	h->n_remotes = 3;
	with[0].ooo = 0.006 * with[0].data_in;
	h->acc[NA_RX_KB] = rate(8600 + 17000);
	h->acc[NA_FS_RX_KB] = rate(8000 + 16000);
	worse(SIG_FOREIGN_RX, 35, 70);
	worse(SIG_OOO, 8, 43);
	incident_of(CAUSE_NETWORK_HOG);
	sure();
	assert_string_equal(box.a.culprit.name, "10.0.0.254");
	assert_true(box.a.culprit.remote && fabs(box.a.culprit.share - 16.0 / 25.6) < 1e-9);
	says(detail_text(), "write: ");
}

/* A copy over the network beside a disk that is truly slow. */
static void copy_beside_a_slow_disk(void **state)
{
	(void)state;
	now(ME)->acc[NA_TX_KB] = rate(10700 + 2000);
	worse(SIG_FOREIGN_TX, 5, 20);
	slow_disk(5);
	worse(SIG_READ_DEVICE, 5, 25);
	incident_of(CAUSE_DEVICE_SLOW);
}

static void newcomer_is_a_guess(void **state)
{
	(void)state;
	now(ME)->acc[NA_RX_KB] = rate(8600 + 16000);
	worse(SIG_FOREIGN_RX, 25, 60);
	runs("iperf3:55", "/user.slice", 3, 0, 0);
	incident_of(CAUSE_NETWORK_HOG);
	says(guess_text(), "iperf3:55");
	assert_string_equal(box.a.culprit.name, "");
}

static void lossy(size_t node, size_t client, double retrans, double ooo)
{
	struct interval_remote *r = &box.remotes[node][0][client];

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
	incident_of(CAUSE_PACKET_LOSS);
	sure();
	says(detail_text(), "send side, to 2 of 2 hosts");
}

static void loss_on_the_receive_side(void **state)
{
	(void)state;
	lossy(ME, 0, 0.0009, 0.26); /* as measured under 5 % */
	lossy(ME, 1, 0.0002, 0.046);
	worse(SIG_OOO, 200, 90);
	worse(SIG_PURE_ACK, 2, 9);
	worse(SIG_RETRANS, 3, 5);
	incident_of(CAUSE_PACKET_LOSS);
	sure();
	says(detail_text(), "receive side, from 2 of 2 hosts");
}

static void loss_in_both_directions(void **state)
{
	(void)state;
	lossy(ME, 0, 0.05, 0.26);
	lossy(ME, 1, 0.05, 0.26);
	worse(SIG_OOO, 200, 90);
	worse(SIG_RETRANS, 40, 60);
	incident_of(CAUSE_PACKET_LOSS);
	says(detail_text(), "both directions");
	/* a few segments sent again beside much that is lost on the way in */
	lossy(ME, 0, 0.006, 0.26);
	lossy(ME, 1, 0.006, 0.26);
	incident_of(CAUSE_PACKET_LOSS);
	says(detail_text(), "receive side");
}

/* A minute of a server: so many data segments out and in with each of two clients, so many sent again at `again`
 * of them, a mean window. The peers send none again. */
static void asked(double out, double in, double again, double window)
{
	for (size_t i = 0; i < N; i++) {
		for (size_t k = 0; k < REMOTES; k++) {
			struct interval_remote *r = &box.remotes[i][0][k];

			r->data_out = out;
			r->data_in = in;
			r->retrans = i == ME ? again : 0;
		}
		now(i)->acc[NA_CWND_LN] = mean(log(i == ME ? window : 90), 100);
	}
}

/*
 * What real servers counted, one of six losing 5 % of what arrives or what it sends: requests of one segment,
 * answers of 46 and of one. Nothing arrives out of order.
 */
static void loss_of_requests(void **state)
{
	(void)state;
	asked(92000, 2000, 85, 83); /* 0.09 % of what is sent, 4.2 % of what is received */
	worse(SIG_RETRANS_IN, 10, 50);
	incident_of(CAUSE_PACKET_LOSS);
	sure();
	says(detail_text(), "receive side, from 2 of 2 hosts");

	set_up(NULL);
	asked(1950, 1930, 25, 76); /* as many either way, in windows as they were */
	worse(SIG_RETRANS, 13, 50);
	worse(SIG_RETRANS_IN, 4, 27);
	incident_of(CAUSE_PACKET_LOSS);
	says(detail_text(), "receive side, from 2 of 2 hosts");

	/* beside a disk that is a little slow, as its requests come in bursts */
	slow_disk(1.5);
	worse(SIG_READ_DEVICE, 1.5, 8);
	incident_of(CAUSE_PACKET_LOSS);
}

static void loss_of_answers(void **state)
{
	(void)state;
	asked(89000, 1830, 4270, 6); /* 4.8 %; 2.3 for each that was received */
	worse(SIG_RETRANS, 50, 80);
	worse(SIG_RETRANS_IN, 470, 120);
	incident_of(CAUSE_PACKET_LOSS);
	says(detail_text(), "send side, to 2 of 2 hosts");

	set_up(NULL);
	asked(2180, 2170, 100, 20);
	worse(SIG_RETRANS, 50, 80);
	worse(SIG_RETRANS_IN, 10, 50);
	incident_of(CAUSE_PACKET_LOSS);
	says(detail_text(), "send side, to 2 of 2 hosts");

	set_up(NULL);
	asked(110000, 2400, 107,
	      38); /* 0.1 %: TCP makes up for it, and requests come as often as ever */
	worse(SIG_RETRANS_IN, 10, 50);
	nothing();

	/* windows not measured: nothing says that it is the other side */
	set_up(NULL);
	asked(2180, 2170, 100, 20);
	for (size_t i = 0; i < N; i++)
		now(i)->acc[NA_CWND_LN] = (struct acc){0};
	worse(SIG_RETRANS, 50, 80);
	worse(SIG_RETRANS_IN, 10, 50);
	incident_of(CAUSE_PACKET_LOSS);
	says(detail_text(), "send side, to 2 of 2 hosts");
}

/* More is sent again than was received, in windows as large as the peers': no loss of requests. */
static void more_sent_again_than_received(void **state)
{
	(void)state;
	asked(90000, 1000, 2000, 90);
	worse(SIG_RETRANS, 20, 80);
	worse(SIG_RETRANS_IN, 400, 120);
	incident_of(CAUSE_PACKET_LOSS);
	says(detail_text(), "send side");
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
	incident_of(CAUSE_PACKET_LOSS);
	slow_disk(4);
	box.findings[0].ratio = 6;
	incident_of(CAUSE_DEVICE_SLOW);
}

static void one_client_only_is_doubted(void **state)
{
	(void)state;
	for (size_t i = 0; i < N; i++)
		now(i)->n_remotes = 1;
	lossy(ME, 0, 0.05, 0);
	worse(SIG_RETRANS, 40, 60);
	incident_of(CAUSE_PACKET_LOSS);
	assert_true(box.a.confidence < 0.95);
	says(doubts_text(), clients[0]);
}

static void one_link_of_several_is_of_either_end(void **state)
{
	(void)state;
	lossy(ME, 1, 0.05, 0);
	worse(SIG_RETRANS, 20, 40);
	noticed(NOTICE_CLIENT);
	says(notice_text(&box.r), clients[1]);
	says(notice_text(&box.r), "s2");
}

static void lossy_client_is_no_servers_fault(void **state)
{
	unsigned int n[NOTICE_KINDS] = {0};

	(void)state;
	for (size_t i = 0; i < N; i++)
		lossy(i, 1, 0.001, 0.2);
	worse(SIG_OOO, 3, 6);
	noticed(NOTICE_CLIENT);
	says(notice_text(&box.r), clients[1]);
	assert_int_equal(rules_notices(&box.scene, count, n), 0);
	assert_int_equal(n[NOTICE_CLIENT], 1);
	says(notice_text(&box.r), clients[1]);
	says(notice_text(&box.r), "6 of 6");
}

/* One client writes: of 5300 answers of one segment 12 to 20 were sent again by each server, and none lost. The
 * other reads: 40 of 107000 segments. Measured at six servers of which one was slow. */
static void answers_sent_again_are_no_loss(void **state)
{
	static const double again[N] = {19, 17, 20, 19, 13, 19};
	unsigned int n[NOTICE_KINDS] = {0};

	(void)state;
	for (size_t i = 0; i < N; i++) {
		box.remotes[i][0][0].data_out = 5300;
		box.remotes[i][0][0].data_in = 124000;
		box.remotes[i][0][0].retrans = again[i];
		box.remotes[i][0][1].data_out = 107000;
		box.remotes[i][0][1].data_in = 4700;
		box.remotes[i][0][1].retrans = 40;
	}
	assert_int_equal(rules_notices(&box.scene, count, n), 0);
	assert_int_equal(n[NOTICE_CLIENT], 0);
	worse(SIG_RETRANS, 2.5, 6);
	nothing();
	/* twice as much on a busier machine: now it is more than chance, and still nothing anybody feels */
	for (size_t i = 0; i < N; i++)
		box.remotes[i][0][0].retrans = 2 * again[i];
	assert_int_equal(rules_notices(&box.scene, count, n), 0);
	assert_int_equal(n[NOTICE_CLIENT], 0);
	nothing();
}

/* 5 lost of 1000 are over the bound of 2, and what chance makes of it; 9 are not. */
static void a_few_more_than_expected_are_chance(void **state)
{
	(void)state;
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < REMOTES; k++) {
			box.remotes[i][0][k].data_out = 1000;
			box.remotes[i][0][k].retrans = 0;
		}
	box.remotes[ME][0][0].retrans = box.remotes[ME][0][1].retrans = 5;
	worse(SIG_RETRANS, 4, 6);
	nothing();
	box.remotes[ME][0][0].retrans = box.remotes[ME][0][1].retrans = 9;
	incident_of(CAUSE_PACKET_LOSS);
}

/* A lossy client and, besides, a server that loses with the others too. */
static void lossy_client_and_lossy_server(void **state)
{
	static struct interval_remote more[N][4];

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
	incident_of(CAUSE_PACKET_LOSS);
	says(detail_text(), "to 3 of 3 hosts");
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
	incident_of(CAUSE_PACKET_LOSS);
	assert_true(box.a.confidence < 0.95);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULES_TEST(network_hogs),
		RULES_TEST(network_hog_is_named),
		RULES_TEST(copy_beside_a_slow_disk),
		RULES_TEST(newcomer_is_a_guess),
		RULES_TEST(loss_on_the_send_side),
		RULES_TEST(loss_on_the_receive_side),
		RULES_TEST(loss_in_both_directions),
		RULES_TEST(loss_of_requests),
		RULES_TEST(loss_of_answers),
		RULES_TEST(more_sent_again_than_received),
		RULES_TEST(loss_and_disk),
		RULES_TEST(one_client_only_is_doubted),
		RULES_TEST(one_link_of_several_is_of_either_end),
		RULES_TEST(lossy_client_is_no_servers_fault),
		RULES_TEST(answers_sent_again_are_no_loss),
		RULES_TEST(a_few_more_than_expected_are_chance),
		RULES_TEST(lossy_client_and_lossy_server),
		RULES_TEST(shared_congestion),
		RULES_TEST(acknowledgements_alone),
		RULES_TEST(connections_not_known),
	};

	return cmocka_run_group_tests_name("robust rules: network", tests, NULL, NULL);
}
