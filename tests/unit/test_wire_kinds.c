// SPDX-License-Identifier: BSD-2-Clause
/* wire.h: frames of copies and of lines of logs come back as they were, beside each other and beside seconds; what is newer is passed
 * over, what is damaged or cannot be right is refused. */
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

#define WALL (T0 * NS)
#define BOTH (1U << WIRE_COPY | 1U << WIRE_LINES)
#define ALL  (BOTH | 1U << WIRE_SECOND)

static const struct wire_lines some = {"jobs/app_1/container_2/stderr", "fd01.4711-9", 1ULL << 40,
				       "one\ntwo\0\xff\n", 10};

static struct wire_decoder *decoder(unsigned int kinds)
{
	struct wire_decoder *d;

	assert_int_equal(wire_decoder_new(&d), 0);
	if (kinds)
		wire_decoder_kinds(d, kinds);
	return d;
}

static struct text copy_frame(const void *part, size_t len)
{
	struct text t = {0};

	assert_int_equal(wire_put_copy("host.b", WALL, part, len, &t), 0);
	return t;
}

static struct text lines_frame(const struct wire_lines *l)
{
	struct text t = {0};

	assert_int_equal(wire_put_lines("a", WALL + 1, l, &t), 0);
	return t;
}

static struct text frame_of(enum wire_kind kind)
{
	struct wire_encoder *e;
	struct text t = {0};

	if (kind == WIRE_COPY)
		return copy_frame("part", 4);
	if (kind == WIRE_LINES)
		return lines_frame(&some);
	e = encoder("a", 0);
	add_frame(e, 3, T0, &t);
	wire_encoder_free(e);
	return t;
}

/* What a frame of any kind says of what is in it. */
static int says(struct wire_decoder *d)
{
	const struct wire_lines *l;
	const void *part;
	size_t len;

	switch (wire_decoder_kind(d)) {
	case WIRE_COPY: return wire_decoder_copy(d, &part, &len);
	case WIRE_LINES: return wire_decoder_lines(d, &l);
	default: return wire_decoder_unpack(d);
	}
}

static void check_frame(struct wire_decoder *d, enum wire_kind kind)
{
	const struct wire_lines *l = NULL;
	const void *part = NULL;
	size_t len = 0;

	assert_int_equal(wire_decoder_kind(d), kind);
	assert_int_equal(says(d), 0);
	/* Of another kind it says nothing. */
	assert_int_equal(wire_decoder_unpack(d), kind == WIRE_SECOND ? 0 : -EILSEQ);
	assert_int_equal(wire_decoder_copy(d, &part, &len), kind == WIRE_COPY ? 0 : -EILSEQ);
	assert_int_equal(wire_decoder_lines(d, &l), kind == WIRE_LINES ? 0 : -EILSEQ);
	if (kind == WIRE_COPY) {
		assert_string_equal(wire_decoder_host(d), "host.b");
		assert_int_equal(wire_decoder_wall_ns(d), WALL);
		assert_int_equal(len, 4);
		assert_memory_equal(part, "part", 4);
	} else if (kind == WIRE_LINES) {
		assert_int_equal(wire_decoder_wall_ns(d), WALL + 1);
		assert_string_equal(l->path, some.path);
		assert_string_equal(l->identity, some.identity);
		assert_true(l->offset == some.offset && l->len == some.len);
		assert_memory_equal(l->at, some.at, some.len);
	}
}

/* A stream of all kinds, one after the other: those that are wanted come, in whatever pieces. */
static void kinds_that_are_wanted_come(void **state)
{
	struct text stream TEXT_SCOPED = {0};
	const unsigned int masks[] = {
		0, 1U << WIRE_SECOND, 1U << WIRE_COPY, 1U << WIRE_LINES, BOTH, ALL, ~0U};

	(void)state;
	for (int i = 0; i < 20; i++) {
		struct text t = frame_of((enum wire_kind)(1 + i % 3));

		text_put_bytes(&stream, t.at, t.len);
		t.at[AT_KIND] = (char)(WIRE_KINDS + 12 * i);
		seal(&t);
		text_put_bytes(&stream, t.at, t.len);
		text_release(&t);
	}
	for (size_t m = 0; m < sizeof(masks) / sizeof(*masks); m++)
		for (size_t step = 1; step < stream.len; step = 5 * step + 2) {
			struct wire_decoder *d = decoder(masks[m]);
			unsigned int mask = masks[m] ? masks[m] : 1U << WIRE_SECOND;
			int next = 0;

			for (size_t at = 0, taken; at < stream.len; at += taken) {
				size_t n = step < stream.len - at ? step : stream.len - at;
				int got = wire_decoder_take(d, stream.at + at, n, &taken);

				assert_true(got >= 0);
				if (!got)
					continue;
				while (!(mask >> (1 + next % 3) & 1))
					next++;
				check_frame(d, (enum wire_kind)(1 + next++ % 3));
			}
			while (next < 20 && !(mask >> (1 + next % 3) & 1))
				next++;
			assert_int_equal(next, 20);
			assert_false(wire_decoder_midway(d));
			wire_decoder_free(d);
		}
}

static void add_copy_of(struct text *t)
{
	struct text same = {0};

	text_put_bytes(&same, t->at, t->len);
	text_put_bytes(t, same.at, same.len);
	text_release(&same);
}

/* Cut anywhere it is not complete; a bit that flips ends the stream in the header, and costs the frame in the body. */
static void damage_is_found(void **state)
{
	(void)state;
	for (int kind = WIRE_COPY; kind < WIRE_KINDS; kind++) {
		struct text t = frame_of((enum wire_kind)kind);
		size_t body = body_at(t.at), first, taken;

		for (size_t cut = 0; cut < t.len; cut++) {
			struct wire_decoder *d = decoder(ALL);

			assert_int_equal(wire_decoder_take(d, t.at, cut, &taken), 0);
			assert_int_equal(says(d), -EILSEQ);
			wire_decoder_free(d);
		}
		/* Another one behind it, which comes all the same. */
		first = t.len;
		add_copy_of(&t);
		for (size_t bit = 0; bit < 8 * first; bit++) {
			struct wire_decoder *d = decoder(ALL);
			int got;

			t.at[bit / 8] ^= (char)(1 << bit % 8);
			got = wire_decoder_take(d, t.at, t.len, &taken);
			if (bit / 8 >= body) {
				assert_int_equal(got, -EILSEQ);
				assert_int_equal(taken, first);
				got = wire_decoder_take(d, t.at + taken, t.len - taken, &taken);
				assert_int_equal(got, 1);
				check_frame(d, (enum wire_kind)kind);
			} else {
				assert_true(got == -EBADMSG || got == -EPROTONOSUPPORT ||
					    got == -EMSGSIZE);
			}
			t.at[bit / 8] ^= (char)(1 << bit % 8);
			wire_decoder_free(d);
		}
		text_release(&t);
	}
}

/* The frame with other bytes behind its body, under right checksums: what it says. */
static int says_with(enum wire_kind kind, const char *bytes, size_t n)
{
	struct text t = frame_of(kind);
	struct wire_decoder *d = decoder(ALL);
	int err;

	text_put_bytes(&t, bytes, n);
	seal(&t);
	assert_int_equal(take_all(d, &t), 1);
	err = says(d);
	if (!err)
		check_frame(d, kind);
	wire_decoder_free(d);
	text_release(&t);
	return err;
}

#define SAYS_WITH(kind, bytes) says_with(kind, bytes, sizeof(bytes) - 1)

static void what_is_newer_is_passed_over(void **state)
{
	(void)state;
	for (int kind = WIRE_SECOND; kind < WIRE_KINDS; kind++) {
		struct text t = frame_of((enum wire_kind)kind);
		struct wire_decoder *d = decoder(ALL);

		assert_int_equal(SAYS_WITH((enum wire_kind)kind, ""), 0);
		assert_int_equal(SAYS_WITH((enum wire_kind)kind, "\x63\x05hello"), 0);
		assert_int_equal(SAYS_WITH((enum wire_kind)kind, "\xff\x7f\x01x\xff\x7f\x00"), 0);
		/* Longer than there is; a number that does not end. */
		assert_int_equal(SAYS_WITH((enum wire_kind)kind, "\x63\x05hell"), -EILSEQ);
		assert_int_equal(SAYS_WITH((enum wire_kind)kind, "\x80"), -EILSEQ);
		/* Flags. */
		t.at[AT_FLAGS] = 0x7f;
		seal(&t);
		assert_int_equal(take_all(d, &t), 1);
		check_frame(d, (enum wire_kind)kind);
		t.at[AT_VERSION] = WIRE_VERSION + 1;
		seal(&t);
		assert_int_equal(take_all(d, &t), -EPROTONOSUPPORT);
		assert_non_null(strstr(series_error(), "version 2"));
		wire_decoder_free(d);
		text_release(&t);
	}
}

/* Each field once. */
static void fields_that_come_twice_are_refused(void **state)
{
	(void)state;
	assert_int_equal(SAYS_WITH(WIRE_COPY, "\x08\x01x"), -EILSEQ);
	assert_int_equal(SAYS_WITH(WIRE_LINES, "\x09\x01x"), -EILSEQ);
	assert_int_equal(SAYS_WITH(WIRE_LINES, "\x0a\x01x"), -EILSEQ);
	assert_int_equal(SAYS_WITH(WIRE_LINES, "\x0b\x01\x01"), -EILSEQ);
	assert_int_equal(SAYS_WITH(WIRE_LINES, "\x0c\x01x"), -EILSEQ);
}

/* A frame of lines with this body; path, identity and so on are the bytes' own. */
static int lines_of(const char *bytes, size_t n, struct wire_lines *out)
{
	struct text t = frame_of(WIRE_LINES);
	struct wire_decoder *d = decoder(ALL);
	const struct wire_lines *l;
	int err;

	t.len = body_at(t.at);
	text_put_bytes(&t, bytes, n);
	seal(&t);
	assert_int_equal(take_all(d, &t), 1);
	err = wire_decoder_lines(d, &l);
	if (!err)
		*out = (struct wire_lines){.offset = l->offset, .len = l->len};
	wire_decoder_free(d);
	text_release(&t);
	return err;
}

#define LINES_OF(bytes, out) lines_of(bytes, sizeof(bytes) - 1, out)

static void bodies_that_are_refused(void **state)
{
	struct text empty = frame_of(WIRE_COPY);
	struct wire_decoder *d = decoder(ALL);
	struct wire_lines l;

	(void)state;
	empty.len = body_at(empty.at);
	seal(&empty);
	assert_int_equal(take_all(d, &empty), 1);
	assert_int_equal(says(d), -EILSEQ);
	assert_non_null(strstr(series_error(), "'host.b'"));
	assert_int_equal(LINES_OF("", &l), -EILSEQ);
	assert_int_equal(LINES_OF("\x09\x01x", &l), -EILSEQ);
	assert_int_equal(LINES_OF("\x0a\x01x", &l), -EILSEQ);
	/* A question. */
	assert_int_equal(LINES_OF("\x09\x01x\x0a\x01y", &l), 0);
	assert_true(!l.offset && !l.len);
	assert_int_equal(LINES_OF("\x09\x01x\x0a\x01y\x0b\x01\x05", &l), 0);
	assert_true(l.offset == 5 && !l.len);
	/* Bytes that do not say where they stand, or beyond any file. */
	assert_int_equal(LINES_OF("\x09\x01x\x0a\x01y\x0c\x01z", &l), -EILSEQ);
	assert_int_equal(LINES_OF("\x09\x01x\x0a\x01y\x0b\x00\x0c\x01z", &l), -EILSEQ);
	assert_int_equal(LINES_OF("\x09\x01x\x0a\x01y\x0b\x02\x05\x05\x0c\x01z", &l), -EILSEQ);
	assert_int_equal(LINES_OF("\x09\x01x\x0a\x01y\x0b\x09\xfe\xff\xff\xff\xff\xff\xff\xff\x7f"
				  "\x0c\x01z",
				  &l),
			 0);
	assert_int_equal(LINES_OF("\x09\x01x\x0a\x01y\x0b\x09\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
				  "\x0c\x01z",
				  &l),
			 -EILSEQ);
	assert_int_equal(
		LINES_OF("\x09\x01x\x0a\x01y\x0b\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", &l),
		-EILSEQ);
	assert_int_equal(LINES_OF("\x09\x02x\0\x0a\x01y", &l), -EILSEQ);
	assert_int_equal(LINES_OF("\x09\x01x\x0a\x02y\0", &l), -EILSEQ);
	assert_int_equal(LINES_OF("\x09\x02..\x0a\x01y", &l), -EILSEQ);
	assert_int_equal(LINES_OF("\x09\x01x\x0a\x01/", &l), -EILSEQ);
	wire_decoder_free(d);
	text_release(&empty);
}

/* Cut after any byte, and sealed anew: refused, or a name that is one. */
static void bodies_that_are_cut(void **state)
{
	(void)state;
	for (int kind = WIRE_COPY; kind < WIRE_KINDS; kind++) {
		struct text whole = frame_of((enum wire_kind)kind);
		size_t body = body_at(whole.at);

		for (size_t len = body; len < whole.len; len++) {
			struct text t TEXT_SCOPED = {0};
			struct wire_decoder *d = decoder(ALL);
			const struct wire_lines *l;

			text_put_bytes(&t, whole.at, len);
			seal(&t);
			assert_int_equal(take_all(d, &t), 1);
			assert_true(!says(d) || strstr(series_error(), "though its checksum"));
			if (kind == WIRE_LINES && !wire_decoder_lines(d, &l))
				assert_true(wire_path_valid(l->path) &&
					    wire_identity_valid(l->identity) && !l->len);
			wire_decoder_free(d);
		}
		text_release(&whole);
	}
}

static int put_named(const char *path, const char *identity)
{
	const struct wire_lines l = {.path = path, .identity = identity};
	struct text t TEXT_SCOPED = {0};
	int err = wire_put_lines("a", WALL, &l, &t);

	assert_int_equal(t.len > 0, !err);
	return err;
}

static void names_of_logs(void **state)
{
	static const char *const good[] = {"x",	      "a/b",	"...",		 ".x",	"a b",
					   "..x/x..", "a/.b/c", "\xc3\xa9/\xff", "a\\b"};
	static const char *const bad[] = {"",	  "/",	  "/a",	  "a/",	   "a//b",
					  ".",	  "..",	  "./a",  "a/.",   "a/../b",
					  "../a", "a/..", "a\nb", "a\x7f", "\x1b[2J"};
	char path[WIRE_PATH_LEN + 1], identity[WIRE_IDENTITY_LEN + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_int_equal(put_named(good[i], "1"), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(put_named(bad[i], "1"), -EINVAL);
	memset(path, 'p', sizeof(path));
	memset(identity, 'i', sizeof(identity));
	path[WIRE_PATH_LEN - 1] = identity[WIRE_IDENTITY_LEN - 1] = '\0';
	assert_int_equal(put_named(path, identity), 0);
	path[WIRE_PATH_LEN - 1] = 'p';
	path[WIRE_PATH_LEN] = '\0';
	assert_int_equal(put_named(path, identity), -EINVAL);
	identity[WIRE_IDENTITY_LEN - 1] = 'i';
	identity[WIRE_IDENTITY_LEN] = '\0';
	assert_int_equal(put_named("x", identity), -EINVAL);
	assert_int_equal(put_named("x", ""), -EINVAL);
	assert_int_equal(put_named("x", "a/b"), -EINVAL);
	assert_int_equal(put_named("x", "a b"), -EINVAL);
}

static void bounds(void **state)
{
	struct text t = {0};
	struct wire_decoder *d = decoder(ALL);
	char *part = calloc(1, WIRE_BODY_MAX);
	struct wire_lines l = some;
	const void *at;
	size_t len;

	(void)state;
	assert_int_equal(wire_put_copy("a b", WALL, "x", 1, &t), -EINVAL);
	assert_int_equal(wire_put_copy("a", -1, "x", 1, &t), -EINVAL);
	assert_int_equal(wire_put_copy("a", 0, part, WIRE_BODY_MAX - 4, &t), -E2BIG);
	l.at = part;
	l.len = WIRE_BODY_MAX;
	assert_int_equal(wire_put_lines("a", 0, &l, &t), -E2BIG);
	l.len = 2;
	l.offset = INT64_MAX - 1;
	assert_int_equal(wire_put_lines("a", 0, &l, &t), -EINVAL);
	assert_int_equal(t.len, 0);
	/* The most there may be, of nothing, too. */
	assert_int_equal(wire_put_copy("a", 0, part, WIRE_BODY_MAX - 5, &t), 0);
	assert_int_equal(take_all(d, &t), 1);
	assert_int_equal(wire_decoder_copy(d, &at, &len), 0);
	assert_int_equal(len, WIRE_BODY_MAX - 5);
	assert_memory_equal(at, part, len);
	text_reset(&t);
	assert_int_equal(wire_put_copy("a", INT64_MAX, NULL, 0, &t), 0);
	assert_int_equal(take_all(d, &t), 1);
	assert_int_equal(wire_decoder_copy(d, &at, &len), 0);
	assert_int_equal(len, 0);
	free(part);
	wire_decoder_free(d);
	text_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_that_are_wanted_come),
		cmocka_unit_test(damage_is_found),
		cmocka_unit_test(what_is_newer_is_passed_over),
		cmocka_unit_test(fields_that_come_twice_are_refused),
		cmocka_unit_test(bodies_that_are_refused),
		cmocka_unit_test(bodies_that_are_cut),
		cmocka_unit_test(names_of_logs),
		cmocka_unit_test(bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
