// SPDX-License-Identifier: BSD-2-Clause
/* text_clean.h: what a terminal would take for orders is '?' or an escape; what people write stays. */
#include "unit.h"

#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "userspace/common/options.h"
#include "userspace/common/output.h"
#include "userspace/common/text.h"
#include "userspace/common/text_clean.h"

static const struct {
	const char *from, *to;
} cases[] = {
	{"", ""},
	{"oss-1.example", "oss-1.example"},
	{"Größe 東京 🐚", "Größe 東京 🐚"},
	{"\033]0;x\007\033[2J", "?]0;x??[2J"},
	{"a\nb\r\tc\177", "a?b??c?"},
	{"\xc2\x9b\x32J", "??2J"},		     /* C1: CSI */
	{"\x9b\x32J", "?2J"},			     /* the same in Latin-1 */
	{"\xe2\x80\xaegnp.exe", "???gnp.exe"},	     /* right to left override */
	{"\xe2\x81\xa6x\xe2\x80\xa8y", "???x???y"},  /* isolate, line separator */
	{"\xc0\x9b\xe0\x80\x9b", "?????"},	     /* overlong */
	{"\xed\xa0\x80\xf4\x90\x80\x80", "???????"}, /* surrogate, beyond Unicode */
	{"\xf0\x9f\x90", "???"},		     /* cut */
	{"\xff\xfe", "??"},
};

static void only_text_stays(void **state)
{
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		strcpy(text, cases[i].from);
		assert_string_equal(text_clean(text), cases[i].to);
	}
}

static const struct {
	const char *from, *page, *terminal;
} shown[] = {
	{"oss-1 <b>", "oss-1 <b>", "oss-1 <b>"},
	{"oss1\xe2\x80\x8b", "oss1<U+200B>", "oss1<U+200B>"},
	{"\xd0\xbess1", "\xd0\xbess1", "<U+043E>ss1"}, /* a Cyrillic o */
	{"Größe 東京 🐚", "Größe 東京 🐚", "Gr<U+00F6><U+00DF>e <U+6771><U+4EAC> <U+1F41A>"},
	{"oss1<U+200B>", "oss1<U+003C>U+200B>", "oss1<U+003C>U+200B>"}, /* as it is called */
	{"a\033[2J\xc2\x9b\n", "a<U+001B>[2J<U+009B><U+000A>", "a<U+001B>[2J<U+009B><U+000A>"},
	{"\xe2\x80\xaegnp", "<U+202E>gnp", "<U+202E>gnp"}, /* right to left override */
	{"a\xc2\xa0z\xe3\x80\x80", "a<U+00A0>z<U+3000>", "a<U+00A0>z<U+3000>"}, /* blanks */
	{"\xee\x80\x80\xf4\x8f\xbf\xbf", "<U+E000><U+10FFFF>",
	 "<U+E000><U+10FFFF>"}, /* private, none */
	{"\xff\xc3", "??", "??"},
	{"k\x9b-4", "k?-4", "k?-4"}, /* it goes on with nothing */
};

static void unseen_characters_are_escaped(void **state)
{
	char buf[128];

	(void)state;
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		struct text page TEXT_SCOPED = {0}, terminal TEXT_SCOPED = {0};

		text_put_seen(&page, shown[i].from);
		text_put_plain(&terminal, shown[i].from);
		assert_string_equal(text_of(&page), shown[i].page);
		assert_string_equal(text_of(&terminal), shown[i].terminal);
		assert_string_equal(output_plain(shown[i].from, buf, sizeof(buf)),
				    shown[i].terminal);
	}
	assert_string_equal(output_plain("oss1\xe2\x80\x8b", buf, 12), "oss1");
	assert_string_equal(output_plain("oss1\xe2\x80\x8b", buf, 13), "oss1<U+200B>");
}

/* U+0378 is assigned to nothing; only the C library knows. */
static void unassigned_characters_are_escaped(void **state)
{
	locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	struct text page TEXT_SCOPED = {0};

	(void)state;
	if (!unicode)
		skip();
	freelocale(unicode);
	text_put_seen(&page, "\xcd\xb8");
	assert_string_equal(text_of(&page), "<U+0378>");
}

/* Programs get text as it is. */
static void text_for_programs_stays(void **state)
{
	struct text t TEXT_SCOPED = {0};
	char buf[32];

	(void)state;
	text_put_clean(&t, "a" TEXT_TIE "b\xe2\x80\x8b\033\xff");
	assert_string_equal(text_of(&t), "a b\xe2\x80\x8b??");
	assert_string_equal(output_clean("\xc3\xb6, \"\\\033", buf, sizeof(buf)), "\xc3\xb6? ???");
}

static void a_cut_is_between_characters(void **state)
{
	char to[8];

	(void)state;
	assert_string_equal(text_fit(to, 8, "abcdefg"), "abcdefg");
	assert_string_equal(text_fit(to, 8, "abcdefgh"), "abcdefg");
	assert_string_equal(text_fit(to, 8, "abcdef\xc3\xb6"), "abcdef");
	assert_string_equal(text_fit(to, 8, "abcde\xc3\xb6g"), "abcde\xc3\xb6");
	assert_string_equal(text_fit(to, 8, "abcd\xf0\x9f\x90\x9a"), "abcd");
	assert_string_equal(text_fit(to, 8, "abc\xf0\x9f\x90\x9a"), "abc\xf0\x9f\x90\x9a");
	assert_string_equal(text_fit(to, 1, "\xc3\xb6"), "");
}

static void a_message_is_one_line_of_text(void **state)
{
	char got[128] = "";
	int ends[2], err = dup(2);

	(void)state;
	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], 2);
	warn("cannot open '%s': %s", "a\n\033[2Jb", "\xc2\x9b");
	dup2(err, 2);
	close(err);
	close(ends[1]);
	assert_true(read(ends[0], got, sizeof(got) - 1) > 0);
	close(ends[0]);
	assert_string_equal(got, "limpet: cannot open 'a<U+000A><U+001B>[2Jb': <U+009B>\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_text_stays),
		cmocka_unit_test(unseen_characters_are_escaped),
		cmocka_unit_test(unassigned_characters_are_escaped),
		cmocka_unit_test(text_for_programs_stays),
		cmocka_unit_test(a_cut_is_between_characters),
		cmocka_unit_test(a_message_is_one_line_of_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
