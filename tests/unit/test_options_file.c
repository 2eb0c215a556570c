// SPDX-License-Identifier: BSD-2-Clause
/* options_file.h: the words of the options' file, as systemd takes it. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "userspace/common/options_file.h"

/* The words with bars between them, or "wrong". */
static const char *words_of(const char *text)
{
	static char all[512], copy[512];
	struct string_list words = {0};
	size_t used = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	all[0] = '\0';
	if (options_file_words("LIMPET_PROBE_OPTIONS", copy, &words)) {
		string_list_release(&words);
		return "wrong";
	}
	for (size_t i = 0; i < words.n; i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", i ? "|" : "",
					 words.at[i]);
	string_list_release(&words);
	return all;
}

static void test_words(void **state)
{
	(void)state;
	assert_string_equal(words_of("LIMPET_PROBE_OPTIONS=\"--keep-days 30\"\n"),
			    "--keep-days|30");
	assert_string_equal(
		words_of("# a comment\n\n  ; another\nLIMPET_PROBE_OPTIONS=' -d  sdb\t'"),
		"-d|sdb");
	assert_string_equal(words_of("LIMPET_PROBE_OPTIONS=--disk sdb\n# end"), "--disk|sdb");
	assert_string_equal(words_of("LIMPET_PROBE_OPTIONS=\"\"\n"), "");
	assert_string_equal(words_of("LIMPET_PROBE_OPTIONS=\n"), "");
	assert_string_equal(words_of(""), "");
	assert_string_equal(words_of("# none"), "");
}

static void test_lines(void **state)
{
	(void)state;
	assert_string_equal(words_of("LIMPET_PROBE_OPTIONS=\"--disk sdb\n --disk sdc\"\n"),
			    "--disk|sdb|--disk|sdc");
	assert_string_equal(words_of("LIMPET_PROBE_OPTIONS=--disk \\\nsdb\nOTHER=1\n"),
			    "--disk|sdb");
	/* Another variable is nothing to us, and of two the last one counts. */
	assert_string_equal(words_of("LIMPET_DEBUG=1\nLIMPET_PROBE_OPTIONS=\"-d a\"\n"
				     "LIMPET_PROBE_OPTIONS=\"-d b\"\n"),
			    "-d|b");
	assert_string_equal(words_of("LIMPET_PROBE_OPTIONS=\"-d a\"\r\n"), "-d|a");
}

static void test_wrong(void **state)
{
	(void)state;
	assert_string_equal(words_of("--disk sdb\n"), "wrong");
	assert_string_equal(words_of("LIMPET_PROBE_OPTIONS=\"--disk sdb\n"), "wrong");
	assert_string_equal(words_of("LIMPET_PROBE_OPTIONS=\"-d a\" b\n"), "wrong");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
