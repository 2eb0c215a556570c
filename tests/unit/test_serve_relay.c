// SPDX-License-Identifier: BSD-2-Clause
/* serve/relay.h: what senders bring after a start is given by time; later as it comes. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/serve/relay.h"
#include "wire_util.h"

/* What the judge reads within a second: "a1 b1 a2 …", hosts and seconds after `begin`. */
static void read_all(struct relay *r, int64_t begin, char *to, size_t size, int wait_ms)
{
	struct pollfd p = {.fd = relay_fd(r), .events = POLLIN};
	struct wire_decoder *d;
	size_t len = 0;

	*to = '\0';
	assert_int_equal(wire_decoder_new(&d), 0);
	while (poll(&p, 1, wait_ms) > 0) {
		char bytes[4096], *at = bytes;
		ssize_t n = read(p.fd, bytes, sizeof(bytes));

		assert_true(n > 0);
		while (n) {
			size_t taken;
			int got = wire_decoder_take(d, at, (size_t)n, &taken);

			assert_true(got >= 0);
			at += taken;
			n -= (ssize_t)taken;
			if (got)
				len += (size_t)snprintf(
					to + len, size - len, "%s%d ", wire_decoder_host(d),
					(int)(wire_decoder_wall_ns(d) / NS_PER_S - begin));
			assert_true(len < size);
		}
	}
	wire_decoder_free(d);
}

/* Seconds [from, to) after `begin` of a host, at once; what is wanted then, after `begin`. */
static int bring(struct relay *r, const char *host, int64_t begin, int from, int to)
{
	struct wire_encoder *e = encoder(host, 0);
	struct text t TEXT_SCOPED = {0};
	unsigned int wait_ms;
	int64_t live;

	for (int i = from; i < to; i++)
		add_frame(e, (uint64_t)i, begin + i, &t);
	wire_encoder_free(e);
	assert_int_equal(relay_take(r, host, (begin + from) * NS, (begin + to - 1) * NS,
				    text_of(&t), t.len, &live, &wait_ms),
			 0);
	assert_int_equal(wait_ms, 0);
	return (int)(live / NS - begin);
}

/* Both are waited for; the one brings all it has before the other comes. */
static void held_and_sorted(void **state)
{
	static const char *const expected[] = {"a", "b", "a"};
	int64_t begin = time(NULL) - 5;
	struct relay_counts c;
	struct relay *r;
	char got[512];

	(void)state;
	assert_int_equal(relay_new(&r, begin * NS, expected, 3), 0);
	assert_int_equal(bring(r, "a", begin, 0, 0), -1);
	assert_int_equal(bring(r, "a", begin, 0, 3), 2);
	assert_int_equal(bring(r, "c", begin, 1, 3), 2);
	read_all(r, begin, got, sizeof(got), 1200);
	assert_string_equal(got, "");
	relay_counts(r, &c);
	assert_true(c.holds && c.expected == 2 && c.waiting);
	bring(r, "a", begin, 3, 6);
	bring(r, "b", begin, 0, 6);
	read_all(r, begin, got, sizeof(got), 2500);
	assert_string_equal(got, "a0 b0 a1 c1 b1 a2 c2 b2 a3 b3 a4 b4 a5 b5 ");
	relay_counts(r, &c);
	assert_true(!c.holds && !c.waiting);
	/* From now on as it comes. */
	bring(r, "b", begin, 7, 8);
	bring(r, "a", begin, 6, 8);
	read_all(r, begin, got, sizeof(got), 500);
	assert_string_equal(got, "b7 a6 a7 ");
	/* A sender that was away does not bring what would be too late. */
	assert_true(bring(r, "d", begin, 0, 0) >= (int)(time(NULL) - begin) - 6);
	relay_free(r);
}

/* What is long ago is not wanted, whatever was kept. */
static void no_further_back(void **state)
{
	int64_t begin = time(NULL) - 5000;
	struct relay *r;

	(void)state;
	assert_int_equal(relay_new(&r, begin * NS, NULL, 0), 0);
	assert_in_range(bring(r, "a", begin, 0, 0), 4390, 4410);
	relay_free(r);
	assert_int_equal(relay_new(&r, INT64_MIN, NULL, 0), 0);
	assert_in_range(bring(r, "a", begin, 0, 0), 4390, 4410);
	relay_free(r);
}

/* How many pieces of so many bytes there is room for from a host. */
static size_t room_for(struct relay *r, const char *host, const char *bytes, size_t len)
{
	int64_t live, now = time(NULL);
	unsigned int wait_ms = 0;
	size_t n = 0;

	while (n < 100) {
		assert_int_equal(
			relay_take(r, host, now * NS, (now + 1) * NS, bytes, len, &live, &wait_ms),
			0);
		if (wait_ms)
			break;
		n++;
	}
	return n;
}

/* The judge does not read: senders are told to wait, each when it has its share, nothing blocks, and it ends. */
static void full(void **state)
{
	static const char *const expected[] = {"a"};
	size_t len = 4 << 20, all = 0;
	char *bytes = calloc(1, len);
	int64_t now = time(NULL);
	struct relay *r;

	(void)state;
	assert_int_equal(relay_new(&r, now * NS, expected, 1), 0);
	bring(r, "a", now, 0, 1);
	sleep(2);
	assert_int_equal(room_for(r, "b", bytes, len), RELAY_BYTES / RELAY_SHARE / len);
	for (int i = 0; i < 2 * RELAY_SHARE; i++) {
		char host[16];

		snprintf(host, sizeof(host), "c%d", i);
		all += room_for(r, host, bytes, len);
	}
	assert_int_equal(all + RELAY_BYTES / RELAY_SHARE / len, RELAY_BYTES / len);
	relay_free(r);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(held_and_sorted),
		cmocka_unit_test(no_further_back),
		cmocka_unit_test(full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
