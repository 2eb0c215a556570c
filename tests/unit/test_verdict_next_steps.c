// SPDX-License-Identifier: BSD-2-Clause
/* verdict/next_steps.h: commands for people, with names that no shell takes for something else. */
#include "unit.h"

#include <stdio.h>

#include "analyzer/verdict/next_steps.h"

struct scene {
	struct verdict a;
	char nodes[1][HOST_LEN];
	struct incident in;
};

static void scene(struct scene *s, enum cause cause, const char *server, const char *disk,
		  const char *culprit)
{
	*s = (struct scene){.a = {.n_nodes = 1}, .in = {.cause = cause}};
	s->a.nodes = s->nodes;
	snprintf(s->nodes[0], HOST_LEN, "%s", server);
	snprintf(s->in.detail.disk, sizeof(s->in.detail.disk), "%s", disk);
	snprintf(s->in.culprit.name, sizeof(s->in.culprit.name), "%s", culprit);
}

/* All that is told, a line each. */
static void told(struct scene *s, char *to, size_t size)
{
	const struct next_step *step;
	size_t n = next_steps(s->in.cause, &step), len = 0;

	*to = '\0';
	for (; n; n--, step++) {
		struct text t TEXT_SCOPED = {0};

		if (*next_step_command(&t, &s->a, &s->in, step))
			len += (size_t)snprintf(to + len, size - len, "%s\n", text_of(&t));
		assert_true(len < size);
	}
}

static void of_every_cause_there_is_something_and_no_braces_are_left(void **arg)
{
	char text[8192];
	struct scene s;

	(void)arg;
	for (int c = CAUSE_NONE + 1; c < CAUSE_COUNT; c++) {
		scene(&s, (enum cause)c, "oss1", "sda", "fio:77");
		told(&s, text, sizeof(text));
		assert_true(*text);
		assert_null(strpbrk(text, "{}"));
	}
}

static void names_are_put_in(void **arg)
{
	char text[8192];
	struct scene s;

	(void)arg;
	scene(&s, CAUSE_DISK_HOG, "oss1.example", "sda", "fio:77");
	told(&s, text, sizeof(text));
	assert_non_null(strstr(text, "ssh oss1.example ionice -c 3 -p 77\n"));
	scene(&s, CAUSE_DEVICE_SLOW, "oss1", "nvme0n1", "");
	told(&s, text, sizeof(text));
	assert_non_null(strstr(text, "ssh oss1 smartctl -x /dev/nvme0n1\n"));
	assert_non_null(strstr(text, "ceph device ls-by-host oss1\n"));
}

static void what_is_not_known_is_in_no_command(void **arg)
{
	char text[8192];
	struct scene s;

	(void)arg;
	scene(&s, CAUSE_DISK_HOG, "oss1", "", "fio");
	told(&s, text, sizeof(text));
	assert_null(strstr(text, "ionice"));
	assert_non_null(strstr(text, "pidstat"));
	scene(&s, CAUSE_DEVICE_SLOW, "oss1", "", "");
	told(&s, text, sizeof(text));
	assert_null(strstr(text, "smartctl"));
}

/* A column of a table may be called anything. */
static void a_hostile_name_is_in_no_command(void **arg)
{
	static const char *const names[] = {
		"a;reboot", "$(reboot)", "`reboot`", "a b", "-oProxyCommand=x", "a\nb", "a'b",
		"a|b",	    "a&b",	 "a>b",	     ""};
	char text[8192];
	struct scene s;

	(void)arg;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		scene(&s, CAUSE_DEVICE_SLOW, names[i], "sda", "");
		told(&s, text, sizeof(text));
		assert_null(strstr(text, "ssh"));
		assert_null(strstr(text, "reboot"));
		scene(&s, CAUSE_DEVICE_SLOW, "oss1", names[i], "");
		told(&s, text, sizeof(text));
		assert_null(strstr(text, "smartctl"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_every_cause_there_is_something_and_no_braces_are_left),
		cmocka_unit_test(names_are_put_in),
		cmocka_unit_test(what_is_not_known_is_in_no_command),
		cmocka_unit_test(a_hostile_name_is_in_no_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
