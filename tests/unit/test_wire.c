// SPDX-License-Identifier: BSD-2-Clause
/* wire.h: frames come back as they were, in whatever pieces; damaged ones are refused, and cost what wire.h says. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "userspace/common/array.h"
#include "wire_util.h"

#define SECONDS 70

static struct wire_decoder *decoder(void)
{
	struct wire_decoder *d;

	assert_int_equal(wire_decoder_new(&d), 0);
	return d;
}

/* The frame that is complete is second seq of this host. */
static void check_frame(struct wire_decoder *d, const char *host, uint64_t seq)
{
	struct found found = {0};

	assert_string_equal(wire_decoder_host(d), host);
	assert_int_equal(wire_decoder_wall_ns(d), (T0 + (int64_t)seq) * NS);
	assert_int_equal(wire_decoder_unpack(d), 0);
	assert_int_equal(wire_decoder_time(d)->seq, seq);
	assert_int_equal(wire_decoder_time(d)->boot, T0 * NS);
	assert_int_equal(wire_decoder_interval_ms(d), 1000);
	assert_int_equal(wire_decoder_rows(d, ALL_HISTS, check_row, &found), 0);
	for (int f = 0; f < FAM_COUNT; f++)
		assert_int_equal(found.rows[f], 1);
	for (int h = 0; h < GRID_HISTS; h++)
		assert_int_equal(found.hists[h], 1);
	assert_int_equal(found.wrong, 0);
}

/* Frames of seconds 0, 1 … of two hosts in turn. */
static struct text two_hosts(int seconds)
{
	struct wire_encoder *a = encoder("a", 0), *b = encoder("host.b", 6);
	struct text t = {0};

	for (int i = 0; i < seconds; i++)
		add_frame(i % 2 ? b : a, (uint64_t)i, T0 + i, &t);
	wire_encoder_free(a);
	wire_encoder_free(b);
	return t;
}

static void check_next(struct wire_decoder *d, int *n)
{
	check_frame(d, *n % 2 ? "host.b" : "a", (uint64_t)*n);
	++*n;
}

static void seconds_come_back(void **state)
{
	struct text t = two_hosts(SECONDS);
	struct wire_decoder *d = decoder();
	size_t at = 0, taken;
	int n = 0;

	(void)state;
	while (at < t.len) {
		assert_int_equal(wire_decoder_take(d, t.at + at, t.len - at, &taken), 1);
		assert_false(wire_decoder_midway(d));
		check_next(d, &n);
		at += taken;
	}
	assert_int_equal(n, SECONDS);
	assert_int_equal(wire_decoder_take(d, NULL, 0, &taken), 0);
	wire_decoder_free(d);
	text_release(&t);
}

/* Bytes [from, to): counts the frames in *n. */
static void take_piece(struct wire_decoder *d, const struct text *t, size_t from, size_t to, int *n)
{
	while (from < to) {
		size_t taken;
		int got = wire_decoder_take(d, t->at + from, to - from, &taken);

		assert_true(got >= 0);
		from += taken;
		if (got)
			check_next(d, n);
		else
			assert_true(from == to);
	}
}

static void in_whatever_pieces(void **state)
{
	struct text t = two_hosts(3);

	(void)state;
	for (size_t cut = 0; cut <= t.len; cut++) {
		struct wire_decoder *d = decoder();
		int n = 0;

		take_piece(d, &t, 0, cut, &n);
		take_piece(d, &t, cut, t.len, &n);
		assert_int_equal(n, 3);
		wire_decoder_free(d);
	}
	for (size_t step = 1; step < 100; step = 2 * step + 1) {
		struct wire_decoder *d = decoder();
		int n = 0;

		for (size_t at = 0; at < t.len; at += step)
			take_piece(d, &t, at, at + step < t.len ? at + step : t.len, &n);
		assert_int_equal(n, 3);
		wire_decoder_free(d);
	}
	text_release(&t);
}

static void a_cut_frame_is_not_complete(void **state)
{
	struct text t = two_hosts(1);

	(void)state;
	for (size_t cut = 0; cut < t.len; cut++) {
		struct wire_decoder *d = decoder();
		size_t taken;

		assert_int_equal(wire_decoder_take(d, t.at, cut, &taken), 0);
		assert_int_equal(taken, cut);
		assert_int_equal(wire_decoder_midway(d), cut > 0);
		assert_int_equal(wire_decoder_unpack(d), -EILSEQ);
		wire_decoder_free(d);
	}
	text_release(&t);
}

/* A header that is damaged ends the stream, and stays so. */
static void check_ended(struct wire_decoder *d, int err, const struct text *t)
{
	char *why = strdup(series_error());
	size_t taken;

	assert_true(err == -EBADMSG || err == -EPROTONOSUPPORT || err == -EMSGSIZE);
	assert_int_equal(wire_decoder_take(d, t->at, t->len, &taken), err);
	assert_int_equal(taken, 0);
	assert_string_equal(series_error(), why);
	free(why);
}

static void any_bit_that_flips_is_found(void **state)
{
	struct text t = two_hosts(2);
	size_t body = body_at(t.at), first;
	struct wire_decoder *d = decoder();

	(void)state;
	assert_int_equal(wire_decoder_take(d, t.at, t.len, &first), 1);
	wire_decoder_free(d);
	for (size_t bit = 0; bit < 8 * first; bit++) {
		size_t taken;
		int got, n = 1;

		d = decoder();
		t.at[bit / 8] ^= (char)(1 << bit % 8);
		got = wire_decoder_take(d, t.at, t.len, &taken);
		if (bit / 8 < body) {
			check_ended(d, got, &t);
		} else {
			assert_int_equal(got, -EILSEQ);
			assert_int_equal(taken, first);
			assert_string_equal(wire_decoder_host(d), "a");
			assert_int_equal(wire_decoder_wall_ns(d), T0 * NS);
			assert_false(wire_decoder_midway(d));
			take_piece(d, &t, taken, t.len, &n);
			assert_int_equal(n, 2);
		}
		t.at[bit / 8] ^= (char)(1 << bit % 8);
		wire_decoder_free(d);
	}
	text_release(&t);
}

/* ---- what is refused ---- */

static void refused(struct text *t, int err, const char *why)
{
	struct wire_decoder *d = decoder();

	assert_int_equal(take_all(d, t), err);
	if (!strstr(series_error(), why))
		fail_msg("'%s' is not in '%s'", why, series_error());
	wire_decoder_free(d);
}

static void headers_that_are_refused(void **state)
{
	struct text t = two_hosts(1), garbage TEXT_SCOPED = {0};

	(void)state;
	t.at[AT_VERSION] = 2;
	seal(&t);
	refused(&t, -EPROTONOSUPPORT, "version 2");
	t.at[AT_VERSION] = WIRE_VERSION;
	put_le(t.at + AT_TIME, UINT64_MAX, 8);
	seal(&t);
	refused(&t, -EBADMSG, "no valid time");
	put_le(t.at + AT_TIME, T0 * NS, 8);
	t.at[WIRE_FIXED] = '/';
	seal(&t);
	refused(&t, -EBADMSG, "no valid host");
	t.at[WIRE_FIXED] = 'a';
	/* Longer than any: refused before a byte of it comes. */
	put_le(t.at + AT_LENGTH, WIRE_BODY_MAX + 1, 4);
	put_le(t.at + body_at(t.at) - 4, wire_sum(t.at, body_at(t.at) - 4), 4);
	t.len = body_at(t.at);
	refused(&t, -EMSGSIZE, "a frame of 'a' has 4194305 bytes");
	t.at[AT_HOST_LEN] = HOST_LEN;
	refused(&t, -EBADMSG, "damaged");
	t.at[AT_HOST_LEN] = 0;
	refused(&t, -EBADMSG, "damaged");
	text_add(&garbage, "{\"host\":\"s3\"}");
	refused(&garbage, -EBADMSG, "no frames");
	text_release(&t);
}

/* Where a field stands in the body of a frame; past its number and length. */
static size_t field_at(const struct text *t, int field, size_t *len)
{
	size_t at = body_at(t->at);

	while (at < t->len) {
		int number = t->at[at++];
		unsigned int shift = 0;

		*len = 0;
		do
			*len |= (size_t)(t->at[at] & 0x7f) << shift;
		while (shift += 7, t->at[at++] & 0x80);
		if (number == field)
			return at;
		at += *len;
	}
	fail_msg("field %d is not there", field);
	return 0;
}

/* The frame with these bytes at the end of its body: what wire_decoder_unpack() says. */
static int unpacked_with(const char *bytes, size_t n)
{
	struct text t = two_hosts(1);
	struct wire_decoder *d = decoder();
	int err;

	text_put_bytes(&t, bytes, n);
	seal(&t);
	assert_int_equal(take_all(d, &t), 1);
	err = wire_decoder_unpack(d);
	if (!err)
		check_frame(d, "a", 0);
	wire_decoder_free(d);
	text_release(&t);
	return err;
}

#define UNPACKED(bytes) unpacked_with(bytes, sizeof(bytes) - 1)

static void what_is_newer_is_passed_over(void **state)
{
	struct text t = two_hosts(2), other = two_hosts(1);
	struct wire_decoder *d = decoder();
	int n = 1;

	(void)state;
	/* Fields, flags, kinds, and bytes behind a device. */
	assert_int_equal(UNPACKED("\x63\x05hello"), 0);
	assert_int_equal(UNPACKED("\xff\x7f\x01x"), 0);
	assert_int_equal(UNPACKED("\x04\x0c\x00\x03sda\x00\x00\x00\x01\x00\x00\x00"), 0);
	assert_int_equal(UNPACKED("\x04\x0f\x00\x03sda\x00\x00\x00\x01\x00\x00\x00new"), 0);
	assert_int_equal(UNPACKED("\x04\x0c\x20\x03sda\x00\x00\x00\x01\x00\x00\x00"), 0);
	other.at[AT_FLAGS] = 0x40;
	seal(&other);
	assert_int_equal(take_all(d, &other), 1);
	check_frame(d, "a", 0);
	other.at[AT_KIND] = 9;
	seal(&other);
	assert_int_equal(take_all(d, &other), 0);
	assert_false(wire_decoder_midway(d));
	/* One of an unknown kind before one of ours. */
	text_put_bytes(&other, t.at + other.len, t.len - other.len);
	take_piece(d, &other, 0, other.len, &n);
	assert_int_equal(n, 2);
	wire_decoder_free(d);
	text_release(&other);
	text_release(&t);
}

static int count_value(void *arg, const struct series_time *t, const struct second_row *row)
{
	int *n = arg;

	(void)t;
	for (int m = 0; m < M_COUNT; m++)
		*n += !isnan(second_value(row, m));
	return 0;
}

static void a_metric_that_is_not_known_is_passed_over(void **state)
{
	struct text t = two_hosts(1);
	struct wire_decoder *d = decoder();
	int all = 0, but_one = 0;
	size_t len;

	(void)state;
	assert_int_equal(take_all(d, &t), 1);
	assert_int_equal(wire_decoder_unpack(d), 0);
	wire_decoder_rows(d, 0, count_value, &all);
	/* Its number in the table of the second, which begins with their number. */
	t.at[field_at(&t, FIELD_SECOND, &len) + (M_COUNT > 127 ? 2 : 1)] ^= 1;
	seal(&t);
	assert_int_equal(take_all(d, &t), 1);
	assert_int_equal(wire_decoder_unpack(d), 0);
	wire_decoder_rows(d, 0, count_value, &but_one);
	assert_int_equal(but_one, all - 1);
	wire_decoder_free(d);
	text_release(&t);
}

static void bodies_that_are_refused(void **state)
{
	struct text t = two_hosts(1);
	struct wire_decoder *d = decoder();
	size_t len;

	(void)state;
	assert_int_equal(UNPACKED("\x02\x01\x05"), -EILSEQ); /* twice */
	assert_int_equal(UNPACKED("\x63\x05hell"), -EILSEQ); /* longer than there is */
	assert_int_equal(UNPACKED("\x63"), -EILSEQ);
	assert_int_equal(UNPACKED("\x63\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), -EILSEQ);
	assert_int_equal(UNPACKED("\x04\x03\x00\x01\x07"), -EILSEQ); /* a device without an end */
	assert_int_equal(UNPACKED("\x04\x0c\x00\x03s a\x00\x00\x00\x01\x00\x00\x00"), -EILSEQ);
	assert_int_equal(UNPACKED("\x04\x0c\x00\x03sda\x00\x00\x00\x06\x00\x00\x00"), -EILSEQ);
	/* Another time than the header's; nothing at all; an interval that is none. */
	put_le(t.at + AT_TIME, T0 * NS + 1, 8);
	seal(&t);
	assert_int_equal(take_all(d, &t), 1);
	assert_int_equal(wire_decoder_unpack(d), -EILSEQ);
	assert_non_null(strstr(series_error(), "'a'"));
	put_le(t.at + AT_TIME, T0 * NS, 8);
	t.at[field_at(&t, FIELD_INTERVAL, &len)] = 0;
	seal(&t);
	assert_int_equal(take_all(d, &t), 1);
	assert_int_equal(wire_decoder_unpack(d), -EILSEQ);
	t.len = body_at(t.at);
	seal(&t);
	assert_int_equal(take_all(d, &t), 1);
	assert_int_equal(wire_decoder_unpack(d), -EILSEQ);
	wire_decoder_free(d);
	text_release(&t);
}

/* ---- what stays from second to second ---- */

struct told {
	int devices, cgroups, pids, missing;
	char text[256];
};

static int on_device(void *arg, const struct device_identity *id)
{
	struct told *t = arg;

	t->devices++;
	snprintf(t->text + strlen(t->text), sizeof(t->text) - strlen(t->text),
		 "%d:%s:%s:%s:%d:%lld;", (int)id->family, id->name, id->model, id->detail,
		 id->rotational, (long long)id->size_bytes);
	return 0;
}

static int on_cgroup(void *arg, const char *path)
{
	assert_string_equal(path, "/fs/own");
	((struct told *)arg)->cgroups++;
	return 0;
}

static int on_pid(void *arg, const char *pid)
{
	assert_string_equal(pid, "4294967295");
	((struct told *)arg)->pids++;
	return 0;
}

static int on_missing(void *arg, const char *text)
{
	assert_int_equal(*text, 's');
	((struct told *)arg)->missing++;
	return 0;
}

/* What the frame of second i says besides. */
static struct told told_in(struct wire_encoder *e, int i, const char *missing)
{
	struct text t TEXT_SCOPED = {0};
	struct wire_decoder *d = decoder();
	struct told told = {0};
	struct second s;

	second_init(&s);
	fill_second(&s, (uint64_t)i, (T0 + i) * NS);
	s.missing = missing;
	for (size_t k = 0; k < s.n_rows; k++)
		if (s.rows[k].family == FAM_PROCESS)
			s.rows[k].cgroup = "/jobs/7";
	assert_int_equal(wire_encode(e, &s, 0, &t), 0);
	second_release(&s);
	assert_int_equal(take_all(d, &t), 1);
	assert_int_equal(wire_decoder_unpack(d), 0);
	assert_int_equal(wire_decoder_devices(d, on_device, &told), 0);
	assert_int_equal(wire_decoder_cgroups(d, on_cgroup, &told), 0);
	assert_int_equal(wire_decoder_pids(d, on_pid, &told), 0);
	assert_int_equal(wire_decoder_missing(d, on_missing, &told), 0);
	assert_true(!*wire_decoder_tool(d) == !told.pids);
	wire_decoder_free(d);
	return told;
}

static void what_is_known_of_a_host_is_said_now_and_then(void **state)
{
	struct device_identity sda = {.family = FAM_DISK,
				      .name = "sda",
				      .model = "A \xff disk",
				      .rotational = -1,
				      .size_bytes = INT64_MIN,
				      .speed_mbps = 1};
	const char *const cgroups[] = {"/fs/own"};
	const uint32_t pids[] = {UINT32_MAX};
	struct wire_encoder *e = encoder("a", 0);
	struct told t;

	(void)state;
	assert_int_equal(wire_encoder_identity(e, &sda), 0);
	assert_int_equal(wire_encoder_set_cgroups(e, cgroups, 1), 0);
	assert_int_equal(wire_encoder_set_pids(e, pids, 1), 0);
	t = told_in(e, 0, "s: one\ns: two\n");
	assert_true(t.cgroups == 1 && t.pids == 1 && t.missing == 2);
	assert_string_equal(t.text, "0:sda:A ? disk::-1:-9223372036854775808;"
				    "5:fio:1234::/jobs/7:-1:-1;");
	for (int i = 1; i < 60; i++) {
		t = told_in(e, i, "s: one\ns: two\n");
		assert_true(!t.cgroups && !t.pids && !t.missing && t.devices == 1);
	}
	t = told_in(e, 60, "s: one\ns: two\n");
	assert_true(t.cgroups == 1 && t.pids == 1 && t.missing == 2 && t.devices == 2);
	/* Whatever changes. */
	sda.rotational = 1;
	assert_int_equal(wire_encoder_identity(e, &sda), 0);
	t = told_in(e, 61, "s: one\ns: two\n");
	assert_non_null(strstr(t.text, "0:sda:A ? disk::1:"));
	assert_int_equal(told_in(e, 62, "s: one\ns: two\n").devices, 1);
	assert_int_equal(told_in(e, 63, "s: one\n").missing, 1);
	assert_int_equal(told_in(e, 64, NULL).cgroups, 1);
	assert_int_equal(wire_encoder_set_cgroups(e, NULL, 0), 0);
	t = told_in(e, 65, NULL);
	assert_true(!t.cgroups && t.pids == 1);
	wire_encoder_free(e);
}

/* ---- bounds ---- */

static void many_rows(struct second *s, int n)
{
	second_init(s);
	s->wall_ns = T0 * NS;
	s->interval_s = INTERVAL_S;
	for (int i = 0; i < n; i++) {
		char name[INSTANCE_LEN];
		struct second_row *row;

		snprintf(name, sizeof(name), "10.%d.%d.%d>24007", i >> 16, i >> 8 & 255, i & 255);
		row = second_add_row(s, FAM_REMOTE, name, 0);
		for (int m = metric_first[FAM_REMOTE]; m < metric_first[FAM_REMOTE + 1]; m++)
			second_set(row, m, 1e300 / (i + m));
	}
}

static void a_second_has_bounds(void **state)
{
	struct wire_encoder *e = encoder("a", 0);
	struct wire_decoder *d = decoder();
	struct text t = {0};
	struct second s;

	(void)state;
	many_rows(&s, 1024);
	s.lost = 3;
	assert_int_equal(wire_encode(e, &s, 4, &t), 0);
	assert_int_equal(take_all(d, &t), 1);
	assert_int_equal(wire_decoder_unpack(d), 0);
	assert_int_equal(wire_decoder_time(d)->lost, 7);
	second_release(&s);
	/* One that a reader would not believe, and one that is no frame. */
	text_reset(&t);
	many_rows(&s, 1025);
	assert_int_equal(wire_encode(e, &s, 0, &t), 0);
	assert_int_equal(take_all(d, &t), 1);
	assert_int_equal(wire_decoder_unpack(d), -EILSEQ);
	second_release(&s);
	text_reset(&t);
	many_rows(&s, 60000);
	assert_int_equal(wire_encode(e, &s, 0, &t), -E2BIG);
	assert_int_equal(t.len, 0);
	second_release(&s);
	many_rows(&s, 1);
	second_add_row(&s, FAM_REMOTE, "10.0.0.0>24007", 0);
	assert_int_equal(wire_encode(e, &s, 0, &t), -EEXIST);
	assert_int_equal(t.len, 0);
	second_release(&s);
	wire_encoder_free(e);
	wire_decoder_free(d);
	text_release(&t);
}

static void metrics_that_are_not_wanted(void **state)
{
	struct text t = two_hosts(1);
	struct wire_decoder *d = decoder();
	bool wanted[M_COUNT] = {false};
	int n = 0;

	(void)state;
	wanted[M_COUNT - 1] = wanted[0] = wanted[1] = true;
	wire_decoder_want(d, wanted);
	assert_int_equal(take_all(d, &t), 1);
	assert_int_equal(wire_decoder_unpack(d), 0);
	wire_decoder_rows(d, 0, count_value, &n);
	assert_true(n >= 1 && n <= 3);
	wire_decoder_free(d);
	text_release(&t);
}

static void a_host_that_is_none(void **state)
{
	struct wire_encoder_opts o = {.host = "a b", .tool = "test"};
	struct wire_encoder *e;

	(void)state;
	assert_int_equal(wire_encoder_new(&e, &o), -EINVAL);
	assert_null(e);
	wire_encoder_free(NULL);
	wire_decoder_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seconds_come_back),
		cmocka_unit_test(in_whatever_pieces),
		cmocka_unit_test(a_cut_frame_is_not_complete),
		cmocka_unit_test(any_bit_that_flips_is_found),
		cmocka_unit_test(headers_that_are_refused),
		cmocka_unit_test(what_is_newer_is_passed_over),
		cmocka_unit_test(a_metric_that_is_not_known_is_passed_over),
		cmocka_unit_test(bodies_that_are_refused),
		cmocka_unit_test(what_is_known_of_a_host_is_said_now_and_then),
		cmocka_unit_test(a_second_has_bounds),
		cmocka_unit_test(metrics_that_are_not_wanted),
		cmocka_unit_test(a_host_that_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
