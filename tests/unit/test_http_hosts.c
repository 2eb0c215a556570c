// SPDX-License-Identifier: BSD-2-Clause
/* http_hosts.h: requests that name somebody else are told from those that mean us. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "userspace/common/http_hosts.h"

static char conf[64];

static void resolv_conf(const char *text)
{
	FILE *f;
	int fd;

	strcpy(conf, "/tmp/limpet-test-resolv.XXXXXX");
	fd = mkstemp(conf);
	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	fputs(text, f);
	fclose(f);
}

static void all(const struct http_hosts *h, bool want, const char *const *headers)
{
	for (; *headers; headers++)
		if (http_hosts_has(h, *headers) != want)
			fail_msg("'%s' is %s", *headers, want ? "refused" : "taken");
}

static void addresses_and_own_names_are_us(void **state)
{
	static const char *const us[] = {
		"127.0.0.1",	     "127.0.0.1:9810", "192.0.2.7:80",	   "[::1]",
		"[::1]:9810",	     "[2001:db8::7]",  "localhost",	   "localhost:9810",
		"LocalHost.",	     "oss1",	       "OSS1:9810",	   "oss1.example.com",
		"oss1.Example.com.", "oss1.b.example", "oss1.c.example:1", NULL};
	static const char *const others[] = {"",
					     ":9810",
					     "evil.example",
					     "evil.example:9810",
					     "oss1.evil.example",
					     "xoss1",
					     "oss1x",
					     "oss2.example.com",
					     "example.com",
					     ".example.com",
					     "127.0.0.1.evil.example",
					     "localhost.evil.example",
					     "127.1",
					     "0x7f000001",
					     "2130706433",
					     "[::1",
					     "[::1]x",
					     "[evil.example]",
					     "[127.0.0.1]:1",
					     "::1",
					     "oss1:80:80",
					     "oss1:x",
					     "oss1 ",
					     ".",
					     "..",
					     "[]",
					     NULL};
	struct http_hosts h;
	char long_name[600];

	(void)state;
	resolv_conf("# none\nnameserver 192.0.2.1\nsearch example.com b.example.\n"
		    "domain\tc.example\nsearch\nsearchx evil.example\n");
	assert_int_equal(http_hosts_init(&h, "oss1", conf, NULL), 0);
	unlink(conf);
	all(&h, true, us);
	all(&h, false, others);
	assert_true(http_hosts_has(&h, NULL));
	memset(long_name, 'a', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = 0;
	assert_false(http_hosts_has(&h, long_name));
	http_hosts_release(&h);
}

static void a_host_name_with_its_domain_is_known_without(void **state)
{
	static const char *const us[] = {"oss1.example.com", "oss1", "localhost", NULL};
	static const char *const others[] = {"oss1.evil.example", "example.com", NULL};
	struct http_hosts h;

	(void)state;
	assert_int_equal(http_hosts_init(&h, "oss1.example.com", "/nosuch", NULL), 0);
	all(&h, true, us);
	all(&h, false, others);
	http_hosts_release(&h);
}

static void what_the_administrator_says_is_us(void **state)
{
	static const char *const us[] = {"metrics.example.com", "a.fleet.example",
					 "A.B.Fleet.Example:1", "localhost", NULL};
	static const char *const others[] = {"x.metrics.example.com",
					     "fleet.example",
					     ".fleet.example",
					     "xfleet.example",
					     "",
					     NULL};
	const char *given[] = {"metrics.example.com", ".fleet.example"};
	const struct string_list more = {given, 2};
	struct http_hosts h;

	(void)state;
	assert_int_equal(http_hosts_init(&h, "", "/nosuch", &more), 0);
	all(&h, true, us);
	all(&h, false, others);
	http_hosts_release(&h);
	assert_null(http_hosts_check("oss-1_x.example.com"));
	assert_null(http_hosts_check(".example.com"));
	for (const char *const *bad =
		     (const char *const[]){"", ".", "a:9810", "a/b", "*", "a b", NULL};
	     *bad; bad++)
		assert_non_null(http_hosts_check(*bad));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_and_own_names_are_us),
		cmocka_unit_test(a_host_name_with_its_domain_is_known_without),
		cmocka_unit_test(what_the_administrator_says_is_us),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
