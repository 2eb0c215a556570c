// SPDX-License-Identifier: BSD-2-Clause
/* JSON that is one document: arrays of objects, sysstat's; what is taken of it and what is refused, where. */
#include "table_util.h"

#include "userspace/common/text.h"

static void arrays_are_json_lines(void **state)
{
	static const char *const texts[] = {
		"[{\"time\":1,\"node\":\"a\",\"r\":5},{\"time\":2,\"node\":\"a\",\"r\":null,\"w\":"
		"7}]",
		"\xef\xbb\xbf [\n {\"time\": 1, \"node\": \"a\", \"metric\": \"r\", \"value\": "
		"5},\n"
		"{\"time\":2,\"node\":\"a\",\"metric\":\"r\",\"value\":\"-\"},\n"
		"{\"time\":2,\"node\":\"a\",\"metric\":\"w\",\"value\":7, \"x\":\"]\\\"}{[\"}]\n\n",
	};
	struct table t;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		ok(&t, texts[i], &none);
		value_is(&t, "a", "", "r", 1, 5);
		value_is(&t, "a", "", "w", 2, 7);
		assert_int_equal(t.n, 2);
		assert_int_equal(t.missing, 1);
		table_release(&t);
	}
	ok(&t, "[{\"time\":1,\"node\":\"a\",\"disk\":\"sda\",\"r\":5}]",
	   &(struct table_opts){.instance = "disk"});
	value_is(&t, "a", "sda", "r", 1, 5);
	table_release(&t);
}

static void arrays_that_do_not_fit(void **state)
{
	static const struct {
		const char *rest, *words;
	} bads[] = {
		{"", "the file ends in the middle of its JSON"},
		{", {\"time\":2, \"node\":\"a", "the file ends in the middle of its JSON"},
		{", 5]", "line 2: this is no JSON object"},
		{", [{}]]", "line 2: this is no JSON object"},
		{", \"x\"]", "line 2: this is no JSON object"},
		{"}", "a bracket closes that is not open"},
		{"] {", "another JSON document begins: there may be one a file"},
		{"] 5", "this is no JSON document"},
		{"]]", "this is no JSON document"},
		{", {\"time\":2,\"time\":3,\"node\":\"a\"}]", "line 2: this is no JSON object"},
		{", {\"time\":2 \"node\":\"a\"}]", "line 2: this is no JSON object"},
		{", {\"time\":2,\"node\":\"a\",\"r\":\"x\"}]", "what 'r' has here is no number"},
		{", {\"time\":2}]", "line 2: there is no key 'node'"},
	};
	struct table_opts rows = {.time = "@row", .interval_s = 1};

	(void)state;
	for (size_t i = 0; i < sizeof(bads) / sizeof(*bads); i++) {
		char text[256];

		snprintf(text, sizeof(text), "[{\"time\":1,\"node\":\"a\",\"r\":5}\n%s",
			 bads[i].rest);
		bad(text, &none, bads[i].words);
	}
	bad("[{}]", &rows, "--time @row");
	bad("{\"data\": [{\"time\":1,\"node\":\"a\",\"r\":5}]}", &none,
	    "as 'jq .data FILE' prints it");
	bad("{\n\"data\":\n[{\"time\":1,\"node\":\"a\",\"r\":5}]}", &none,
	    "as 'jq .data FILE' prints it");
	/* an object a line, though one of its keys has a list */
	bad("{\"data\":[{}],\"time\":1,\"node\":\"a\",\"r\":5}\n{\"time\":1}\n", &none,
	    "line 2: there is no key 'node'");
	assert_null(strstr(said, "jq"));
}

/* An object of more than a MiB is refused before it is all in memory. */
static void an_object_has_a_limit(void **state)
{
	size_t len = TABLE_LINE_MAX + 100;
	static const char first[] = "[{\"time\":0,\"node\":\"a\",\"r\":4},";
	static const char last[] = "{\"time\":1,\"node\":\"a\",\"r\":5}]";
	char *text = malloc(len + 1);
	struct table t;

	(void)state;
	assert_non_null(text);
	memset(text, ' ', len);
	memcpy(text, "[{", 2);
	text[len] = '\0';
	bad(text, &none, "an object longer than 1048576 bytes");
	/* between objects there may be as much as there likes to be */
	memcpy(text, first, strlen(first));
	memcpy(text + len - 40, last, strlen(last));
	ok(&t, text, &none);
	value_is(&t, "a", "", "r", 1, 5);
	table_release(&t);
	free(text);
}

#define HOST(name, rest) "{\"sysstat\": {\"hosts\": [{\"nodename\": \"" name "\", " rest
#define END		 "]}]}}\n"

static void iostat(void **state)
{
	static const char report[] =
		"{\"timestamp\": \"11/27/26 00:00:0%d\", \"avg-cpu\": {\"user\": %d, "
		"\"nice\": 0.00}, \"disk\": [{\"disk_device\": \"sda\", "
		"\"r/s\": %d.50, \"rrqm\": 4, \"r_await\": 2, \"util\": 9}]}%s";
	struct text text TEXT_SCOPED = {0};
	struct table t;
	char *cut;

	(void)state;
	text_put(&text, HOST("a", "\"number-of-cpus\": 2, \"statistics\": ["));
	for (int i = 0; i < 3; i++)
		text_add(&text, report, i, 10 + i, 20 + i, i < 2 ? "," : END);
	ok(&t, text_of(&text), &none);
	assert_int_equal(t.n, 2 * 5);
	assert_int_equal(t.lines, 2);
	assert_true(t.sysstat && t.merge);
	value_is(&t, "a", "", "%user", 1795737601, 11);
	value_is(&t, "a", "sda", "r/s", 1795737602, 22.5);
	value_is(&t, "a", "sda", "%util", 1795737602, 9);
	assert_non_null(strstr(text_of(&t.notes), "iostat's first report"));
	assert_null(strstr(text_of(&t.notes), "not finished"));
	assert_non_null(strstr(text_of(&t.notes), "that name no zone are read as UTC"));
	table_release(&t);
	/* iostat was killed, or still writes: it puts out whole reports */
	cut = strdup(text_of(&text));
	assert_non_null(cut);
	cut[text.len - strlen(END)] = '\0';
	ok(&t, cut, &none);
	assert_int_equal(t.n, 2 * 5);
	assert_non_null(strstr(text_of(&t.notes), "the JSON is not finished (iostat was killed"));
	table_release(&t);
	cut[text.len - strlen(END) - 1] = '\0';
	bad(cut, &none, "the file ends in the middle of its JSON: it is cut off");
	free(cut);
}

/* Of processors all together, no loopback; a queue has two names in one version, the older one in others. */
static void sadf(void **state)
{
	static const char text[] = HOST(
		"a",
		"\"statistics\": [{\"timestamp\": {\"date\": \"2026-11-27\", \"time\": "
		"\"00:00:01\", "
		"\"utc\": 1}, \"cpu-load\": [{\"cpu\": \"all\", \"idle\": 98.5}, {\"cpu\": \"0\", "
		"\"idle\": 97}], \"io\": {\"tps\": 9, \"io-reads\": {\"bread\": 8}}, \"disk\": "
		"[{\"disk-device\": \"sda\", \"avgqu-sz\": 2, \"aqu-sz\": 1, \"util-percent\": "
		"50}, "
		"{\"disk-device\": \"sdb\", \"avgqu-sz\": 3}], \"network\": {\"net-dev\": "
		"[{\"iface\": \"lo\", \"rxkB\": 1}, {\"iface\": \"eth0\", \"rxkB\": 7}]}, \"psi\": "
		"{\"psi-io\": {\"some_avg\": 4}}}], \"restarts\": [{\"boot\": {\"date\": "
		"\"2026-11-27\", \"time\": \"00:00:00\"}}" END);
	struct table t;

	(void)state;
	ok(&t, text, &none);
	value_is(&t, "a", "", "%idle", 1795737601, 98.5);
	value_is(&t, "a", "", "tps", 1795737601, 9);
	value_is(&t, "a", "", "bread/s", 1795737601, 8);
	value_is(&t, "a", "sda", "aqu-sz", 1795737601, 1);
	value_is(&t, "a", "sda", "%util", 1795737601, 50);
	value_is(&t, "a", "sdb", "aqu-sz", 1795737601, 3);
	value_is(&t, "a", "eth0", "rxkB/s", 1795737601, 7);
	value_is(&t, "a", "", "%sio", 1795737601, 4);
	assert_int_equal(t.n, 8);
	assert_int_equal(t.restarts, 1);
	assert_int_equal(t.duplicates, 0);
	assert_null(strstr(text_of(&t.notes), "no zone"));
	table_release(&t);
	/* sadf -t and -T print the time of some place */
	ok(&t,
	   HOST("a", "\"statistics\": [{\"timestamp\": {\"date\": \"2026-11-27\", \"time\": "
		     "\"00:00:01\", \"utc\": 0}, \"io\": {\"tps\": 9}}" END),
	   &none);
	value_is(&t, "a", "", "tps", 1795737601, 9);
	assert_non_null(strstr(text_of(&t.notes), "that name no zone are read as UTC"));
	table_release(&t);
}

static void sysstat_that_does_not_fit(void **state)
{
	(void)state;
	bad(HOST("a", "\"statistics\": [{\"avg-cpu\": {\"user\": 1}}" END), &none,
	    "there is no timestamp: 'iostat -t' prints it");
	bad(HOST("a", "\"statistics\": [{\"timestamp\": {\"date\": \"2026-11-27\"}}" END), &none,
	    "'' is no time (S_TIME_FORMAT=ISO makes sysstat write");
	bad(HOST("a", "\"statistics\": [{\"timestamp\": \"02/03/26 00:00:00\"}" END), &none,
	    "which is the month?");
	bad(HOST("a", "\"statistics\": [{\"timestamp\": \"11/27/26 00:00:00\"},"
		      "{\"timestamp\": \"11/27/26 00:00:01\", \"disk\": [{\"disk_device\": "
		      "\"sda\", \"tps\": 5}]}" END),
	    &none, "there are no times of disks: 'iostat -x' prints them");
	bad(HOST("a", "\"statistics\": [{\"timestamp\": {\"date\": \"2026-11-27\", \"time\": "
		      "\"00:00:00\"}, \"disk\": [{\"disk-device\": 5}]}" END),
	    &none, "no name of a disk");
	bad(HOST("a", "\"statistics\": [{\"timestamp\": {\"date\": \"2026-11-27\", \"time\": "
		      "\"00:00:00\"}, \"queue\": {\"blocked\": \"5\"}}" END),
	    &none, "what 'blocked' has here is no number");
	bad(HOST("a", "\"statistics\": [{\"timestamp\": \"11/27/26 00:00:00\"}" END), &none,
	    "each run of iostat has one report");
	bad("{\"sysstat\": {\"hosts\": [{\"statistics\": [{}" END, &none,
	    "there is no name of a node");
	bad(HOST("", "\"statistics\": []}]}}"), &none, "there is no name of a node");
	bad(HOST("a", "\"x\": [[[[[[[[[[[[[[[[[[[[[[["), &none, "nested deeper than 16");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_are_json_lines),
		cmocka_unit_test(arrays_that_do_not_fit),
		cmocka_unit_test(an_object_has_a_limit),
		cmocka_unit_test(iostat),
		cmocka_unit_test(sadf),
		cmocka_unit_test(sysstat_that_does_not_fit),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
