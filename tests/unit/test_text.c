// SPDX-License-Identifier: BSD-2-Clause
/* text.h: text that grows is what one long enough buffer would hold; paragraphs; memory that is not there. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stat/rng.h"
#include "userspace/common/options.h"
#include "userspace/common/output.h"
#include "userspace/common/text.h"

static void a_zeroed_text_is_empty(void **state)
{
	struct text t = {0};
	char *taken;
	size_t len = 1;

	(void)state;
	assert_string_equal(text_of(&t), "");
	assert_string_equal(text_from(&t, 7), "");
	text_reset(&t);
	taken = text_take(&t, &len);
	assert_string_equal(taken, "");
	assert_int_equal(len, 0);
	free(taken);
	assert_null(t.at);
	text_release(&t);
	text_release(&t);
}

/* Additions of all kinds beside one buffer that is large enough. */
static void it_is_what_was_added(void **state)
{
	static char whole[1 << 20], piece[5000];
	struct text t TEXT_SCOPED = {0};
	struct rng r;

	(void)state;
	rng_seed(&r, 7);
	for (int round = 0; round < 300; round++) {
		size_t n = 0, steps = rng_u64(&r) % 40;

		text_reset(&t);
		*whole = 0;
		for (size_t i = 0; i < steps; i++) {
			size_t len = rng_u64(&r) % (rng_u64(&r) % 8 ? 80 : sizeof(piece));
			size_t from = t.len;

			memset(piece, 'a' + (int)(rng_u64(&r) % 26), len);
			piece[len] = 0;
			switch (rng_u64(&r) % 4) {
			case 0:
				text_put(&t, piece);
				n += (size_t)sprintf(whole + n, "%s", piece);
				break;
			case 1:
				text_add(&t, "%s %zu %.3f", piece, i, 1.5);
				n += (size_t)sprintf(whole + n, "%s %zu %.3f", piece, i, 1.5);
				break;
			case 2:
				text_put_bytes(&t, piece, len / 2);
				n += (size_t)sprintf(whole + n, "%.*s", (int)len / 2, piece);
				break;
			default:
				text_enclose(&t, "(", piece, ")");
				if (len)
					n += (size_t)sprintf(whole + n, "(%s)", piece);
			}
			assert_string_equal(text_from(&t, from), whole + from);
			assert_int_equal(strlen(text_of(&t)), t.len);
		}
		assert_string_equal(text_of(&t), whole);
	}
	assert_false(t.failed);
}

static void words_of_it(void **state)
{
	struct text t TEXT_SCOPED = {0};

	(void)state;
	text_put_plain(&t, "3" TEXT_TIE "s \xc2\xa1\n\xc2\xa0");
	assert_string_equal(text_of(&t), "3 s <U+00A1><U+000A><U+00A0>");
	text_reset(&t);
	text_put_more(&t, 3, 3);
	text_put_more(&t, 5, 3);
	assert_string_equal(text_of(&t), ", and 2 more");
	assert_string_equal(text_plural(1), "");
	assert_string_equal(text_plural(0), "s");
}

/* ---- paragraphs ------------------------------------------------------------------------------------- */

static char *printed(const char *s, const char *label, size_t first, size_t hang)
{
	struct text t = {0};
	char *out = NULL;
	size_t len;
	FILE *to = open_memstream(&out, &len);

	text_put(&t, s);
	text_print(&t, to, label, first, hang);
	assert_null(t.at);
	fclose(to);
	return out;
}

/* What people see of the two pieces that are not printable. */
static char *shown_of(const char *s)
{
	char *out = NULL;
	size_t len;
	FILE *to = open_memstream(&out, &len);

	for (; *s; s++)
		if (*s == '\n')
			fputs("<U+000A>", to);
		else
			fputc(*s == '\xc2' ? '?' : *s, to);
	fclose(to);
	return out;
}

/* Word by word, each copied. */
static char *naive(const char *s, const char *label, size_t first, size_t hang)
{
	char *out = NULL, *copy = shown_of(s), *save = NULL;
	size_t len, column = first;
	FILE *to = open_memstream(&out, &len);
	bool begun = false;

	fprintf(to, "%-*s", (int)first, label);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		bool glued = begun && strchr(";:,)", *w);

		if (begun && !glued && column + 1 + strlen(w) > 96) {
			fprintf(to, "\n%*s", (int)hang, "");
			column = hang;
			begun = false;
		}
		if (begun && !glued)
			column += (size_t)fprintf(to, " ");
		for (; *w; w++, column++) {
			if (column > 96) {
				fprintf(to, "\n%*s", (int)hang, "");
				column = hang;
			}
			fputc(*w == *TEXT_TIE ? ' ' : *w, to);
		}
		begun = true;
	}
	fputc('\n', to);
	fclose(to);
	free(copy);
	return out;
}

static void paragraphs_break_where_they_may(void **state)
{
	static const char *const pieces[] = {"a",  "of", "words", " ",	";",	       ",",
					     ")",  "(",	 ":",	  "  ", TEXT_TIE,      "\xc2",
					     "\n", "3",	 "s",	  " ",	"longer-word", " "};
	const size_t n = sizeof(pieces) / sizeof(*pieces);
	struct rng r;

	(void)state;
	rng_seed(&r, 11);
	for (int round = 0; round < 3000; round++) {
		size_t first = rng_u64(&r) % 14, hang = rng_u64(&r) % 14;
		size_t many = rng_u64(&r) % 200, blanks = rng_u64(&r) % 4;
		struct text t TEXT_SCOPED = {0};
		char *got, *want;

		for (size_t i = 0; i < many; i++) {
			const char *p = pieces[rng_u64(&r) % n];

			text_put(&t, blanks || *p != ' ' ? p : "x");
		}
		got = printed(text_of(&t), "label", first, hang);
		want = naive(text_of(&t), "label", first, hang);
		assert_string_equal(got, want);
		free(got);
		free(want);
	}
}

static void a_tie_holds(void **state)
{
	char text[128], *got;

	(void)state;
	memset(text, 'x', 93);
	strcpy(text + 93, " 3" TEXT_TIE "s");
	got = printed(text, "", 0, 2);
	assert_string_equal(got + 93, "\n  3 s\n");
	free(got);
	strcpy(text + 92, " 3" TEXT_TIE "s"); /* 96 columns, though more bytes */
	got = printed(text, "", 0, 2);
	assert_string_equal(got + 92, " 3 s\n");
	free(got);
}

/* ---- no memory -------------------------------------------------------------------------------------- */

static void what_lacks_is_remembered(void **state)
{
	struct text t = {0};
	size_t len = 1;

	(void)state;
	text_put(&t, "some");
	text_put_bytes(&t, "", SIZE_MAX - 1); /* not read: there is no such memory */
	assert_true(t.failed && text_lost());
	text_put(&t, "more");
	text_add(&t, "%s", "more");
	text_put_plain(&t, "more");
	assert_string_equal(text_of(&t),
			    "some"); /* still a string; nothing stands behind the gap */
	assert_int_equal(output_finish(EXIT_DONE), EXIT_FAILED);
	assert_string_equal(said_last(), "out of memory: the output lacks some of its text");
	assert_null(text_take(&t, &len));
	assert_int_equal(len, 0);
	assert_false(t.failed || text_lost()); /* who took it knows */
	assert_int_equal(output_finish(EXIT_DONE), EXIT_DONE);
	text_fail(&t);
	text_fail(&t);
	assert_null(text_take(&t, NULL));
	assert_false(text_lost());
	text_fail(&t);
	text_release(&t); /* nobody was told */
	assert_true(text_lost() && !t.failed);
	text_fail(&t);
	text_reset(&t);
	text_put(&t, "the next line");
	assert_string_equal(text_of(&t), "the next line");
	assert_true(text_lost() && !t.failed);
	text_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_zeroed_text_is_empty),
		cmocka_unit_test(it_is_what_was_added),
		cmocka_unit_test(words_of_it),
		cmocka_unit_test(paragraphs_break_where_they_may),
		cmocka_unit_test(a_tie_holds),
		cmocka_unit_test(what_lacks_is_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
