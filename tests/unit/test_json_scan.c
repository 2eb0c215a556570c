// SPDX-License-Identifier: BSD-2-Clause
/* json_scan.h: what is asked for comes, the rest is passed over, mistakes are told. */
#include "unit.h"

#include <stdbool.h>
#include <stdio.h>

#include "userspace/common/json_scan.h"

static struct json_scan scan(const char *text)
{
	return json_scan(text, strlen(text));
}

static void members_in_any_order_and_depth(void **state)
{
	struct json_scan j = scan(" { \"skip\" : {\"a\":[1,{\"}\":\"]\\\"\"}]},\"n\":-12 , "
				  "\"in\":{\"s\":\"x\\ty\",\"t\":true},\"list\":[1,2,3]}\n");
	struct json_part key, s = {0};
	char text[8];
	int64_t n = 0, sum = 0, one;
	bool yes = false;

	(void)state;
	for (scan_enter(&j, '{'); scan_key(&j, &key);) {
		if (part_is(key, "n")) {
			assert_true(scan_int(&j, &n));
		} else if (part_is(key, "in")) {
			for (scan_enter(&j, '{'); scan_key(&j, &key);)
				if (part_is(key, "s"))
					assert_true(scan_string(&j, &s));
				else
					yes = scan_true(&j);
		} else if (part_is(key, "list")) {
			for (scan_enter(&j, '['); scan_element(&j); sum += one)
				assert_true(scan_int(&j, &one));
		} else {
			assert_true(part_is(key, "skip"));
			scan_skip(&j);
		}
	}
	assert_true(scan_end(&j));
	assert_int_equal(n, -12);
	assert_int_equal(sum, 6);
	assert_true(yes);
	assert_int_equal(part_text(s, text, sizeof(text)), 3);
	assert_string_equal(text, "x\ty");
}

static void another_type_is_absent(void **state)
{
	struct json_scan j =
		scan("[null, \"7\", 7.5, 99999999999999999999, {\"a\":1}, [], true, 8]");
	struct json_part s;
	int64_t n = 3;

	(void)state;
	scan_enter(&j, '[');
	for (int i = 0; i < 7; i++) {
		assert_true(scan_element(&j));
		assert_false(i == 6 ? scan_string(&j, &s) : scan_int(&j, &n));
	}
	assert_true(scan_element(&j) && !scan_enter(&j, '{'));
	assert_false(scan_element(&j));
	assert_true(scan_end(&j));
	assert_int_equal(n, 3);
}

static void whole_numbers_to_their_ends(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		int64_t n;
	} rows[] = {
		{"9223372036854775807", true, INT64_MAX},
		{"-9223372036854775808", true, INT64_MIN},
		{"9223372036854775808", false, 0},
		{"-9223372036854775809", false, 0},
		{"-0", true, 0},
		{"-", false, 0},
		{"1e3", false, 0},
		{"", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct json_scan j = scan(rows[i].text);
		int64_t n = 0;

		assert_int_equal(scan_int(&j, &n), rows[i].ok);
		assert_true(n == rows[i].n);
	}
}

/* Reads keys and values until it ends: whether it was JSON. */
static bool walk(const char *text, size_t len)
{
	struct json_scan j = json_scan(text, len);
	struct json_part key;

	for (scan_enter(&j, '{'); scan_key(&j, &key);)
		scan_skip(&j);
	return scan_end(&j);
}

static void every_cut_is_a_mistake(void **state)
{
	static const char text[] =
		"{\"a\":{\"b\":[1,\"\\\\\\\"\"]},\"c\":\"\\u00e9\",\"d\":-1.5e3,\"e\":null}";

	(void)state;
	assert_true(walk(text, sizeof(text) - 1));
	for (size_t len = 0; len < sizeof(text) - 1; len++)
		assert_false(walk(text, len));
	assert_false(walk("{\"a\":1}}", 8));
	assert_false(walk("{\"a\":1,}", 8));
	assert_false(walk("{\"a\" 1}", 7));
	assert_false(walk("{,\"a\":1}", 8));
	assert_false(walk("{\"a\":1 \"b\":2}", 13));
	assert_false(walk("{\"a\":}", 6));
	assert_false(walk("{\"a\":,\"b\":2}", 12));
}

static void a_table_of_what_is_wanted(void **state)
{
	struct wanted {
		int64_t n, absent;
		struct json_part s, raw;
		bool yes;
	};
	static const struct json_field inside[] = {JSON_FIELD("yes", TRUE, struct wanted, yes),
						   JSON_FIELD("n", INT, struct wanted, n),
						   JSON_FIELDS_END};
	static const struct json_field table[] = {JSON_FIELD("s", STRING, struct wanted, s),
						  JSON_FIELD("raw", VALUE, struct wanted, raw),
						  JSON_FIELD("absent", INT, struct wanted, absent),
						  JSON_INSIDE("in", inside), JSON_FIELDS_END};
	struct wanted w = {.n = -1, .absent = -1};
	struct json_scan j = scan("{\"n\":3,\"s\":\"a\",\"x\":[{}],\"in\":{\"n\":7,\"yes\":true},"
				  "\"raw\":[1, 2],\"absent\":null}");

	(void)state;
	assert_true(scan_fields(&j, table, &w) && scan_end(&j));
	assert_true(w.n == 7 && w.absent == -1 && w.yes);
	assert_true(part_is(w.s, "a") && part_is(w.raw, "[1, 2]"));
	j = scan("[1]");
	assert_false(scan_fields(&j, table, &w));
}

static void texts_of_strings(void **state)
{
	static const struct {
		const char *escaped, *text; /* NULL: none */
	} rows[] = {
		{"", ""},
		{"\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t"},
		{"\\u00e9a\\u20AC\\\\", "\xc3\xa9"
					"a\xe2\x82\xac\\"},
		{"\\ud83d\\ude00", "\xf0\x9f\x98\x80"},
		{"\\ud83d", NULL},
		{"\\ude00", NULL},
		{"\\u00", NULL},
		{"\\u0000", NULL},
		{"\\x", NULL},
		{"\\", NULL},
		{"123456789012345", "123456789012345"},
		{"1234567890123456", NULL},
	};
	char buf[16];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct json_part v = {rows[i].escaped, strlen(rows[i].escaped)};
		size_t n = part_text(v, buf, sizeof(buf));

		assert_true(n == (rows[i].text ? strlen(rows[i].text) : SIZE_MAX));
		if (rows[i].text)
			assert_string_equal(buf, rows[i].text);
	}
}

/* Bytes of the value at the begin of a text of brackets, byte by byte; 0: it does not end. */
static size_t naive_nested(const char *text, size_t len)
{
	size_t depth = 0, i = 0;
	bool in_string = false;

	for (; i < len; i++) {
		if (in_string && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			in_string = !in_string;
		else if (!in_string && strchr("{[", text[i]))
			depth++;
		else if (!in_string && strchr("}]", text[i]) && !--depth)
			return i + 1;
	}
	return 0;
}

/* Words of eight bytes at once against byte by byte: quotes, escapes and brackets at all places of a word. */
static void nests_of_any_length(void **state)
{
	static const char bytes[] = "{{[[}}]]\"\"\\ab:,0;}\\", plain[] = "{[]}\"abcdefghijklm";
	uint64_t seed = 7;
	char text[300] = "";

	(void)state;
	for (int round = 0; round < 20000; round++) {
		const char *of = round % 2 ? plain : bytes;
		size_t len = 1 + (size_t)round % (sizeof(text) - 1), n, want;
		struct json_part v = {0};
		struct json_scan j;

		/* deeper than it comes out again, so that it takes more than one word */
		for (n = 0; n < len; n++) {
			seed = seed * 6364136223846793005U + 1442695040888963407U;
			text[n] = n < (size_t)round % 7 + 1 ? '{' : of[(seed >> 33) % strlen(of)];
		}
		want = naive_nested(text, len);
		j = json_scan(text, len);
		assert_int_equal(scan_value(&j, &v), want > 0);
		assert_int_equal(v.len, want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_in_any_order_and_depth),
		cmocka_unit_test(another_type_is_absent),
		cmocka_unit_test(whole_numbers_to_their_ends),
		cmocka_unit_test(every_cut_is_a_mistake),
		cmocka_unit_test(a_table_of_what_is_wanted),
		cmocka_unit_test(texts_of_strings),
		cmocka_unit_test(nests_of_any_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
