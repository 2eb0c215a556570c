// SPDX-License-Identifier: BSD-2-Clause
/* rules.h: hogs of the network, loss and its side, lossy clients. */
#include "robust_scene.h"

static void lossy(size_t node, size_t client, double retrans, double ooo)
{
	struct interval_remote *r = &box.remotes[node][0][client];

	r->retrans = retrans * r->data_out;
	r->ooo = ooo * r->data_in;
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
	/* unless arrivals out of order were not counted, and nobody knows from which host */
	for (size_t i = 0; i < N; i++) {
		now(i)->acc[NA_OOO] = (struct acc){0};
		now(i)->n_remotes = 0;
	}
	incident_of(CAUSE_PACKET_LOSS);
	says(detail_text(), "receive side");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULES_TEST(loss_of_requests),
		RULES_TEST(loss_of_answers),
		RULES_TEST(more_sent_again_than_received),
		RULES_TEST(answers_sent_again_are_no_loss),
		RULES_TEST(a_few_more_than_expected_are_chance),
		RULES_TEST(lossy_client_and_lossy_server),
		RULES_TEST(shared_congestion),
		RULES_TEST(acknowledgements_alone),
	};

	return cmocka_run_group_tests_name("robust rules: network", tests, NULL, NULL);
}
