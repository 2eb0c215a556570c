// SPDX-License-Identifier: BSD-2-Clause
/* text_clean.h: what a terminal would take for orders is '?'; what people write stays. */
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "userspace/common/options.h"
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
	assert_string_equal(got, "limpet: cannot open 'a??[2Jb': ??\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_text_stays),
		cmocka_unit_test(a_message_is_one_line_of_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
