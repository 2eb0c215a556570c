// SPDX-License-Identifier: BSD-2-Clause
/* A flame graph of a server minus its peers: what is drawn, how wide, in which order; and what is not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "analyzer/report/flames.h"

static char *text;

static void profile(struct stack_profile *p, const char *server, const char *folded)
{
	memset(p, 0, sizeof(*p));
	assert_int_equal(stack_profile_add(p, server, 1, 2, folded, strlen(folded)), 0);
	stack_profile_sort(p);
}

static const char *section(const char *own, const char *peers)
{
	struct stack_profile a, b;
	size_t len = 0;
	FILE *to;

	free(text);
	text = NULL;
	to = open_memstream(&text, &len);
	assert_non_null(to);
	profile(&a, "oss<1", own);
	profile(&b, "peer", peers);
	assert_int_equal(report_flames(to, FLAMES_MET, "oss<1", &a, &b), 0);
	fclose(to);
	stack_profile_release(&a);
	stack_profile_release(&b);
	return text;
}

/* Where a frame is drawn: "x% width%", by what it tells. */
static const char *bar(const char *page, const char *frame)
{
	static char found[64];
	char want[128];
	const char *title, *at;
	double x, width;

	snprintf(want, sizeof(want), "<title>%s:", frame);
	title = strstr(page, want);
	if (!title)
		return "";
	for (at = title; strncmp(at, "<rect", 5) != 0; at--)
		;
	assert_int_equal(sscanf(strstr(at, " x=\""), " x=\"%lf", &x), 1);
	assert_int_equal(sscanf(strstr(at, " width=\""), " width=\"%lf", &width), 1);
	snprintf(found, sizeof(found), "%.0f %.0f", x, width);
	return found;
}

static void test_only_what_is_more(void **state)
{
	const char *page;

	(void)state;
	/* Waiting for the disk: 75 % and 25 %; idle: 25 % and 75 %, which is less. */
	page = section("srv;entry;read;disk 75\nsrv;entry;epoll 25\n",
		       "srv;entry;read;disk 25\nsrv;entry;epoll 75\n");
	assert_string_equal(bar(page, "disk"), "0 100");
	assert_string_equal(bar(page, "read"), "0 100");
	assert_string_equal(bar(page, "epoll"), "");
	assert_non_null(strstr(page, "disk: 75.0 % of all here, 25.0 % at the peers"));
	assert_non_null(strstr(page, "What threads of oss&lt;1 were met in"));
}

static void test_widths_and_places(void **state)
{
	const char *page;

	(void)state;
	/* 30 % end in b, of which nothing is below; 60 % go on; 10 % are in b.x, which is another function. */
	page = section("p;b 30\np;b;c 60\np;b.x;c2 10\n", "q;z 1\n");
	assert_string_equal(bar(page, "p"), "0 100");
	assert_string_equal(bar(page, "b"), "0 90");
	assert_string_equal(bar(page, "c"), "30 60");
	assert_string_equal(bar(page, "b.x"), "90 10");
	assert_string_equal(bar(page, "c2"), "90 10");
	assert_string_equal(bar(page, "q"), "");
}

static void test_what_was_computed_is_said_to_be(void **state)
{
	struct stack_profile a, b;
	size_t len = 0;
	FILE *to;

	(void)state;
	free(text);
	to = open_memstream(&text, &len);
	assert_non_null(to);
	profile(&a, "s", "srv;[processor time];main;hot_a 9\nsrv;[processor time];main;b 1\n");
	profile(&b, "p", "srv;[processor time];main;b 1\n");
	assert_int_equal(report_flames(to, FLAMES_COMPUTED, "s", &a, &b), 0);
	fclose(to);
	assert_non_null(strstr(text, "What threads of s computed more than its peers"));
	assert_non_null(strstr(text, "hot_a: 90.0 % of all here, 0.0 % at the peers"));
	stack_profile_release(&a);
	stack_profile_release(&b);
}

static void test_nothing_to_show(void **state)
{
	(void)state;
	assert_string_equal(section("", "p;a 1\n"), "");
	assert_string_equal(section("p;a 1\n", ""), "");
	/* As their peers: no bar. */
	assert_null(strstr(section("p;a 7\n", "p;a 1\n"), "<rect"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_what_is_more),
		cmocka_unit_test(test_widths_and_places),
		cmocka_unit_test(test_what_was_computed_is_said_to_be),
		cmocka_unit_test(test_nothing_to_show),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
