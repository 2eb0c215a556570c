// SPDX-License-Identifier: BSD-2-Clause
/* unpack.h: what the libraries of xz, zstd and bzip2 pack comes back, in pieces of any size; cut, damaged and endless files. */
#include "unit.h"

#include <bzlib.h>
#include <errno.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "analyzer/source/tables/unpack.h"

enum { TEXT = 200000, ROOM = TEXT * 2, XZ = 0, ZSTD = 1, BZIP2 = 2, PROGRAMS = 3 };

static char text[TEXT], back[ROOM];
static unsigned char packed[ROOM];
static size_t n_packed;

/* Adds a stream of text to what is packed. */
static void pack(int program, const char *from, size_t n)
{
	unsigned int room = (unsigned int)(ROOM - n_packed);
	size_t at = n_packed, got;

	switch (program) {
	case XZ:
		assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL,
							 (const uint8_t *)from, n, packed,
							 &n_packed, ROOM),
				 LZMA_OK);
		break;
	case ZSTD:
		got = ZSTD_compress(packed + at, ROOM - at, from, n, 3);
		assert_false(ZSTD_isError(got));
		n_packed += got;
		break;
	case BZIP2:
		assert_int_equal(BZ2_bzBuffToBuffCompress((char *)packed + at, &room, (char *)from,
							  (unsigned int)n, 1, 0, 0),
				 BZ_OK);
		n_packed += room;
		break;
	}
}

static int setup(void **state)
{
	unsigned int x = 1;

	(void)state;
	for (size_t i = 0; i < TEXT; i++) {
		x = x * 1103515245 + 12345;
		text[i] = "0123456789,oss\n"[(x >> 16) % 15];
	}
	return 0;
}

/* The first `n` packed bytes, given `step` at a time with so much room: what comes back, or negative errno. */
static long undo(size_t n, size_t step, size_t room, bool *between)
{
	struct unpack *u = unpack_new(packed, n, 1000);
	long all = 0, got = 0;

	assert_non_null(u);
	for (size_t at = 0; at < n && got >= 0; at += step) {
		const unsigned char *in = packed + at;
		size_t left = n - at < step ? n - at : step;

		while ((got = unpack(u, &in, &left, back + all, room)) > 0) {
			all += got;
			assert_true(all + (long)room <= ROOM);
		}
		assert_true(got < 0 || !left);
	}
	*between = unpack_between(u);
	unpack_free(u);
	return got < 0 ? got : all;
}

static void all_of_it_comes_back(void **state)
{
	static const size_t steps[] = {1, 7, 4096, ROOM};
	bool between;

	(void)state;
	for (int program = 0; program < PROGRAMS; program++) {
		n_packed = 0;
		pack(program, text, TEXT / 3);
		if (program == XZ) { /* padding: four zeros at a time */
			memset(packed + n_packed, 0, 8);
			n_packed += 8;
		}
		pack(program, text + TEXT / 3, TEXT - TEXT / 3);
		assert_string_equal(unpack_name(packed, n_packed),
				    ((const char *[]){"xz", "zstd", "bzip2"})[program]);
		for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
			memset(back, 0, sizeof(back));
			assert_int_equal(undo(n_packed, steps[i], 1000, &between), TEXT);
			assert_memory_equal(back, text, TEXT);
			assert_true(between);
		}
	}
}

static void what_is_cut_off_is_known(void **state)
{
	bool between;

	(void)state;
	for (int program = 0; program < PROGRAMS; program++) {
		n_packed = 0;
		pack(program, text, 500);
		for (size_t n = UNPACK_MAGIC; n < n_packed; n++) {
			long got = undo(n, 100, 1000, &between);

			assert_true(got >= 0 && got <= 500 && !between);
			assert_memory_equal(back, text, (size_t)got);
		}
	}
}

static void damage_is_no_text(void **state)
{
	bool between;

	(void)state;
	for (int program = 0; program < PROGRAMS; program++) {
		n_packed = 0;
		pack(program, text, 5000);
		memset(packed + n_packed / 2, 0xa5, 40);
		assert_true(undo(n_packed, 100, 1000, &between) < 0 || program == ZSTD);
		n_packed = 0;
		pack(program, text, 500);
		memcpy(packed + n_packed, "abcdefghijklmnop", 16); /* no second stream */
		assert_int_equal(undo(n_packed + 16, 100, 1000, &between), -EBADMSG);
	}
	assert_null(unpack_name((const unsigned char *)"BZhello,time,node", 17));
	assert_null(unpack_name((const unsigned char *)"BZh9", 4));
	assert_null(unpack_new((const unsigned char *)"time,node", 9, 0));
}

/* 300 MiB of empty lines in 10 KiB: where there is a limit it ends at 256 MiB. */
static void a_little_does_not_become_endless(void **state)
{
	enum { MIB = 1 << 20, MIBS = 300 };
	static char lines[MIB];
	ZSTD_CCtx *c = ZSTD_createCCtx();
	ZSTD_outBuffer out = {packed, ROOM, 0};
	size_t left = 1;

	(void)state;
	memset(lines, '\n', sizeof(lines));
	for (int i = 0; i < MIBS; i++) {
		ZSTD_inBuffer from = {lines, sizeof(lines), 0};

		left = ZSTD_compressStream2(c, &out, &from,
					    i < MIBS - 1 ? ZSTD_e_continue : ZSTD_e_end);
	}
	assert_int_equal(left, 0);
	ZSTD_freeCCtx(c);
	for (unsigned int times = 0; times <= 1000; times += 1000) {
		struct unpack *u = unpack_new(packed, out.pos, times);
		const unsigned char *in = packed;
		size_t n = out.pos;
		uint64_t all = 0;
		long got;

		while ((got = unpack(u, &in, &n, lines, sizeof(lines))) > 0)
			all += (uint64_t)got;
		assert_int_equal(got, times ? -EBADMSG : 0);
		assert_true(times ? all <= 256 * MIB && strstr(unpack_why(u), "many times as long")
				  : all == (uint64_t)MIBS * MIB);
		unpack_free(u);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it_comes_back),
		cmocka_unit_test(what_is_cut_off_is_known),
		cmocka_unit_test(damage_is_no_text),
		cmocka_unit_test(a_little_does_not_become_endless),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
