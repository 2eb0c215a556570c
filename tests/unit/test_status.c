// SPDX-License-Identifier: BSD-2-Clause
/* verdict/status.h, verdict/verdict.h: what is known of each server, as a word, a reason, an exit status, and
 * how sure; verdicts by the test of evidence as text and JSON. */
#include "analyzer/verdict/sentences.h"
#include "robust_verdicts.h"
#include "userspace/common/options.h"

static struct finding evidence(size_t node)
{
	return (struct finding){.signal = SIG_WRITE,
				.node = node,
				.disk = "sdb",
				.value = 31,
				.peers = 10,
				.ratio = 3.1,
				.usual = 1,
				.score = 14.2,
				.needs = 5.8,
				.df = 40,
				.lower = 2.6,
				.spread = 1.06,
				.w1 = NAN,
				.p99 = NAN,
				.p99_peers = NAN,
				.n_peers = 5,
				.window_s = 80,
				.window_end_ns = AT(600),
				.onset_ns = AT(500),
				.decided_ns = AT(540),
				.last_ns = AT(600),
				.open = true};
}

static void suspect(struct verdict *a, size_t node, enum suspicion why)
{
	struct incident *in = indict(a, node, CAUSE_DEVICE_SLOW);
	struct finding e = evidence(node);

	in->suspicion = why;
	in->confidence = 0.6;
	e.score = 5.1;
	e.lower = 1.08;
	give(in, e);
}

static void use(struct verdict *a, size_t node, enum resource resource, size_t signal,
		const char *disk, double seen)
{
	struct unproven u = {
		.node = node, .resource = resource, .signal = signal, .suspicious_from = seen};

	snprintf(u.disk, sizeof(u.disk), "%s", disk);
	assert_int_equal(verdict_used(a, &u), 0);
}

/* The line that says that nobody is indicted names servers that fell silent, but no more than it has room for. */
static void check_silent(void)
{
	static const char *const says[] = {
		"no server is indicted: 5 are well, 1 could not be judged; oss-1 stopped reporting",
		"no server is indicted: 3 are well, 3 could not be judged; oss-1, oss-2, oss-3 "
		"stopped reporting",
		"no server is indicted: 2 are well, 4 could not be judged; oss-1, oss-2, oss-3, "
		"and 1 more stopped reporting"};
	struct text text TEXT_SCOPED = {0};

	for (size_t i = 0; i < sizeof(says) / sizeof(*says); i++) {
		struct verdict a = group();

		for (size_t k = 0; k < (i ? i + 2 : 1); k++) {
			add_unjudged(&a, k, SIGNAL_ALL, UNJUDGED_SILENT);
			a.judged[k] = false;
		}
		assert_string_equal(sentence_nobody(&text, &a, false), says[i]);
		assert_string_equal(verdict_word(&a), "partly-judged");
		assert_int_equal(verdict_exit(&a, true), EXIT_NO_JUDGEMENT);
		verdict_release(&a);
	}
}

/* The word and the exit status of a verdict are those of the worst that is known of any server. */
static void test_order(void **state)
{
	static const struct {
		int indicted, suspicious, unjudged, unproven, coded;
		const char *word, *nobody;
	} cases[] = {
		{0, 0, 0, 0, 0, "clean", "no server limps"},
		{0, 0, 0, 1, 6, "unproven",
		 "no server is seen to limp, but a disk that takes 2 x as long would not have been "
		 "seen: a ratio of 4.10 x was needed in read latency"},
		{0, 0, 1, 0, 4, "partly-judged",
		 "no server is indicted: 5 are well, 1 could not be judged"},
		{0, 0, 1, 2, 4, "partly-judged",
		 "no server is indicted: 2 are unproven, 3 are well, 1 could not be judged"},
		{0, 1, 0, 0, 5, "suspicious", "no server is indicted: 1 is suspicious, 5 are well"},
		{0, 1, 0, 5, 5, "suspicious",
		 "no server is indicted: 1 is suspicious, 5 are unproven"},
		{0, 2, 1, 0, 5, "suspicious",
		 "no server is indicted: 2 are suspicious, 3 are well, 1 could not be judged"},
		{1, 1, 1, 1, 3, "indicted", NULL},
		{1, 0, 0, 0, 3, "indicted", NULL},
		{0, 0, 6, 0, 4, "cannot-judge", "no server could be judged"},
	};
	struct text text TEXT_SCOPED = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct verdict a = group();
		int node = 0;

		for (int k = 0; k < cases[i].suspicious; k++)
			suspect(&a, (size_t)node++, SUSPICION_DATA);
		for (int k = 0; k < cases[i].indicted; k++)
			give(indict(&a, (size_t)node, CAUSE_SLOW), evidence((size_t)node)), node++;
		for (int k = 0; k < cases[i].unjudged; k++) {
			add_unjudged(&a, (size_t)node, SIGNAL_ALL, UNJUDGED_NO_DATA);
			a.judged[node++] = false;
		}
		for (int k = 0; k < cases[i].unproven; k++)
			use(&a, (size_t)node++, RESOURCE_DISK, SIG_READ, "sdb", 4.1);
		verdict_unproven_only(&a);
		assert_int_equal(verdict_exit(&a, true), cases[i].coded);
		assert_int_equal(verdict_exit(&a, false), EXIT_DONE);
		assert_string_equal(verdict_word(&a), cases[i].word);
		if (cases[i].nobody)
			assert_string_equal(sentence_nobody(&text, &a, false), cases[i].nobody);
		assert_int_equal(verdict_indicts(&a), cases[i].indicted);
		verdict_release(&a);
	}
	check_silent();
}

/* Of a resource the best signal counts, of a server every disk; what others found against it counts more. */
static void test_unproven(void **state)
{
	struct verdict a = group();
	struct text text TEXT_SCOPED = {0};
	const struct unproven *u;
	size_t n;

	(void)state;
	use(&a, 1, RESOURCE_DISK, SIG_WRITE, "sdb", 3);
	use(&a, 1, RESOURCE_DISK, SIG_READ, "sdb", 0);
	use(&a, 1, RESOURCE_DISK, SIG_READ, "sdb", 2.004); /* is printed as 2.00 */
	use(&a, 2, RESOURCE_DISK, SIG_READ, "sdc", 30.04);
	use(&a, 0, RESOURCE_NETWORK, SIG_RETRANS, "", INFINITY);
	use(&a, 2, RESOURCE_DISK, SIG_READ, "sdb", 1.5);
	use(&a, 2, RESOURCE_PROCESSORS, SIG_RUNQ, "", 2.5);
	use(&a, 3, RESOURCE_NETWORK, SIG_RETRANS, "", 0);
	use(&a, 0, RESOURCE_DISK, SIG_WRITE, "sdb", 2.01);
	use(&a, 4, RESOURCE_DISK, SIG_WRITE, "sdb", 9);
	use(&a, 5, RESOURCE_COLUMN, SIG_READ, "", 1.9);
	use(&a, 5, RESOURCE_COLUMN, SIG_WRITE, "", 2.2); /* each column is its own resource */
	verdict_unproven_only(&a);
	suspect(&a, 4, SUSPICION_DATA);
	assert_int_equal(verdict_status(&a, 0, false), STATUS_UNPROVEN);
	assert_int_equal(verdict_status(&a, 1, false), STATUS_WELL);
	assert_int_equal(verdict_status(&a, 4, false), STATUS_SUSPICIOUS);
	assert_int_equal(verdict_status(&a, 5, false), STATUS_UNPROVEN);
	u = verdict_unproven(&a, 2, &n);
	assert_true(n == 2 && u[0].resource == RESOURCE_DISK && !strcmp(u[0].disk, "sdc"));
	assert_null(verdict_unproven(&a, 1, &n));
	assert_string_equal(verdict_reason(&a, 2, false), "disk");
	assert_string_equal(verdict_reason(&a, 3, false), "network");
	assert_string_equal(
		sentence_status(&text, &a, 2, false),
		"a disk that takes 2 x as long would not have been seen: a ratio of 30.0 x "
		"was needed in read latency");
	assert_string_equal(
		sentence_status(&text, &a, 3, false),
		"a network that loses 2 x as much would not have been seen: segments sent "
		"again could be compared with too few peers under its load");
	assert_string_equal(
		sentence_status(&text, &a, 0, false),
		"a network that loses 2 x as much would not have been seen: a ratio of over a "
		"million x was needed in segments sent again");
	assert_string_equal(sentence_unproven_all(&text, &a, RESOURCE_DISK, false),
			    "disk of 2 of 6 servers: faults below 2.01 x to 30.0 x in read latency "
			    "would be missed");
	assert_string_equal(sentence_unproven_all(&text, &a, RESOURCE_TASKS, false), "");
	assert_string_equal(sentence_nobody(&text, &a, false),
			    "no server is indicted: 1 is suspicious, 4 are unproven, 1 is well");
	verdict_release(&a);
}

/* A finding under what it needs, or of a suspicious server, does not indict; nor does a symptom. */
static void test_what_indicts(void **state)
{
	struct verdict a = group();
	struct finding e = evidence(1);

	(void)state;
	assert_true(verdict_finding_indicts(&a, &e, false));
	assert_false(verdict_finding_indicts(&a, &e, true));
	e.score = 5.7;
	assert_false(verdict_finding_indicts(&a, &e, false));
	e.needs = 0; /* by votes */
	assert_true(verdict_finding_indicts(&a, &e, false));
	e.signal = SIG_SRTT;
	assert_false(verdict_finding_indicts(&a, &e, false));
	e.signal = SIG_WRITE;
	e.symptom = true;
	assert_false(verdict_finding_indicts(&a, &e, false));
	verdict_release(&a);
}

/* What could not be judged at all is told with or without --exit-code. */
static void test_cannot(void **state)
{
	struct verdict a = group();
	struct text text TEXT_SCOPED = {0};

	(void)state;
	a.cannot = (struct cannot){.why = CANNOT_FEW_SERVERS, .n = 2, .needed = 3};
	assert_int_equal(verdict_exit(&a, false), EXIT_NO_JUDGEMENT);
	assert_int_equal(verdict_exit(&a, true), EXIT_NO_JUDGEMENT);
	assert_int_equal(verdict_status(&a, 0, false), STATUS_UNJUDGED);
	assert_string_equal(sentence_status(&text, &a, 0, false),
			    "3 servers are needed, and 2 have data");
	verdict_release(&a);
}

/* An indictment counts more than a suspicion of the same server, and what is over not now. */
static void test_of_one_server(void **state)
{
	struct verdict a = group();
	struct incident *in;

	(void)state;
	suspect(&a, 2, SUSPICION_PEERS);
	assert_int_equal(verdict_status(&a, 2, false), STATUS_SUSPICIOUS);
	in = indict(&a, 2, CAUSE_DISK_HOG);
	in->open = false;
	assert_int_equal(verdict_status(&a, 2, false), STATUS_INDICTED);
	assert_int_equal(verdict_status(&a, 2, true), STATUS_SUSPICIOUS);
	assert_int_equal(verdict_against(&a, 2, false)->cause, CAUSE_DISK_HOG);
	a.incidents[0].open = false;
	assert_int_equal(verdict_status(&a, 2, true), STATUS_WELL);
	/* the reason on no signal in particular says more than one on a signal */
	add_unjudged(&a, 4, SIG_READ, UNJUDGED_LOAD);
	add_unjudged(&a, 4, SIGNAL_ALL, UNJUDGED_HALVES);
	assert_int_equal(verdict_status(&a, 4, false), STATUS_WELL);
	a.judged[4] = false;
	assert_int_equal(verdict_status(&a, 4, false), STATUS_UNJUDGED);
	assert_int_equal(verdict_why_unjudged(&a, 4)->why, UNJUDGED_HALVES);
	assert_null(verdict_why_unjudged(&a, 1));
	assert_string_equal(verdict_reason(&a, 4, false), "two-halves");
	assert_string_equal(verdict_reason(&a, 2, false), "");
	assert_string_equal(verdict_reason(&a, 1, false), "");
	verdict_release(&a);
}

/* What is indicted was judged, whatever could not be judged of it: no output says both. */
static void test_indicted_was_judged(void **state)
{
	struct verdict a = group();
	char *text, *json;

	(void)state;
	give(indict(&a, 2, CAUSE_SLOW), evidence(2));
	for (size_t i = 2; i < 4; i++) {
		add_unjudged(&a, i, SIGNAL_ALL, UNJUDGED_HALVES);
		add_unjudged(&a, i, SIG_WRITE, UNJUDGED_LOAD);
		a.judged[i] = false;
	}
	assert_int_equal(verdict_judged(&a), 5);
	assert_false(verdict_tells_unjudged(&a, &a.unjudged[0]));
	assert_true(verdict_tells_unjudged(&a, &a.unjudged[1])); /* of one signal */
	assert_true(verdict_tells_unjudged(&a, &a.unjudged[2])); /* of another server */
	assert_int_equal(verdict_left_out(&a, "oss-3", "b.limpet", "it is empty"), 0);
	assert_int_equal(a.unjudged[0].why, UNJUDGED_HALVES);
	assert_int_equal(a.n_notes, 1); /* so that it is still said */
	text = printed(as_text, &a, false);
	assert_non_null(strstr(text, ", 5 of 6 servers"));
	assert_non_null(strstr(text, "not judged: oss-4 (two"));
	assert_non_null(strstr(text, "not judged on write latency: oss-3, oss-4 ("));
	json = printed(verdict_json, &a, false);
	assert_non_null(
		strstr(json, "\"not_judged\":[{\"server\":\"oss-3\",\"signals\":[\"write\"],"));
	free(text);
	free(json);
	verdict_release(&a);
}

static void test_reasons(void **state)
{
	static const struct {
		enum suspicion why;
		const char *text;
	} cases[] = {
		{SUSPICION_DATA, "too little data yet: evidence 5.1, 5.8 needed"},
		{SUSPICION_PEERS, "too few peers for a difference so small: 5"},
		{SUSPICION_EFFECT,
		 "it is sure, but too small a difference to be a fault: it may be only 1.08 times"},
		{SUSPICION_BRIEF, "too little data yet to know that it lasts"},
	};
	struct unjudged u = {.why = UNJUDGED_LOAD};
	struct verdict a;
	struct text text TEXT_SCOPED = {0};

	(void)state;
	for (int why = 0; why < UNJUDGED_WHYS; why++) { /* each has a sentence and a word */
		a = group();
		a.judged[3] = false;
		add_unjudged(&a, 3, SIGNAL_ALL, (enum unjudged_why)why);
		strcpy(a.unjudged[0].error, "it is empty");
		assert_true(*sentence_status(&text, &a, 3, false) && *verdict_reason(&a, 3, false));
		verdict_release(&a);
	}
	for (int why = CANNOT_NOT + 1; why <= CANNOT_UNJUDGED; why++)
		assert_true(*sentence_cannot(&text, &(struct cannot){.why = (enum cannot_why)why}));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		a = group();
		suspect(&a, 3, cases[i].why);
		assert_string_equal(sentence_status(&text, &a, 3, false), cases[i].text);
		assert_string_equal(sentence_status(&text, &a, 1, false), "");
		verdict_release(&a);
	}
	a = group();
	suspect(&a, 3, SUSPICION_DATA);
	a.incidents[0].findings[0].score = 8; /* more than is needed: it cannot be that */
	assert_string_equal(verdict_reason(&a, 3, false), "small-effect");
	assert_non_null(strstr(sentence_status(&text, &a, 3, false), "it may be only 1.08 times"));
	a.incidents[0].suspicion = SUSPICION_BRIEF; /* unless its maker knows that it is not */
	assert_string_equal(verdict_reason(&a, 3, false), "little-data");
	verdict_release(&a);
	assert_string_equal(sentence_unjudged(&text, &u), "no peer had a load like its own");
	u = (struct unjudged){.why = UNJUDGED_HALVES, .n = 3};
	assert_string_equal(
		sentence_unjudged(&text, &u),
		"two groups of the servers differ, and it cannot be told which is slow: "
		"3 of them are slower");
}

/* Never an indictment: neither the word nor the line that indictments begin with. */
static void test_suspicious_text(void **state)
{
	struct verdict a = group();

	(void)state;
	suspect(&a, 2, SUSPICION_DATA);
	a.judged[5] = false;
	add_unjudged(&a, 5, SIGNAL_ALL, UNJUDGED_HALVES);
	check_text(
		&a,
		"no server is indicted: 1 is suspicious, 4 are well, 1 could not be judged\n"
		"\n"
		"oss-3 is suspicious: device-slow\n"
		"  not indicted: too little data yet: evidence 5.1, 5.8 needed; 60 % sure; since\n"
		"    2025-11-21T03:02:00Z, noticed 50 s later; still so\n"
		"  why: the device takes longer, without I/O of others through this server\n"
		"  - write latency of sdb: 31.0 ms, peers 10.0 ms (evidence 5.1, 5.8 needed)\n"
		"\n"
		"judged   2025-11-21T03:00:00Z to 2025-11-21T03:10:00Z, 5 of 6 servers, 58 "
		"windows of 30 s\n"
		"signals  read latency, write latency, segments sent again\n"
		"not judged: oss-6 (two groups of the servers differ, and it cannot be told "
		"which is slow: 7 of\n"
		"  them are slower)\n");
	verdict_release(&a);
}

/* Who is indicted comes first, whatever the order; one that comes and goes, and one that is over. */
static void test_comes_and_goes(void **state)
{
	struct verdict a = group();
	struct incident *in;
	struct finding e = evidence(4);

	(void)state;
	suspect(&a, 0, SUSPICION_PEERS);
	in = indict(&a, 4, CAUSE_DEVICE_SLOW);
	in->confidence = 0.9996;
	in->open = false;
	in->last_ns = AT(580);
	in->times = 5;
	in->duty = 0.334;
	e.symptom = true;
	e.window_end_ns = AT(300);
	e.usual = 1.2;
	e.signal = SIG_SRTT;
	e.spread = e.lower = NAN;
	*e.disk = 0;
	give(in, e);
	check_text(
		&a,
		"oss-5 limped: device-slow\n"
		"  99 % sure; since 2025-11-21T03:02:00Z, indicted 50 s later; over since "
		"2025-11-21T03:09:40Z;\n"
		"    came and went: 5 times since 2025-11-21T03:02:00Z, 33 % of the time\n"
		"  why: the device takes longer, without I/O of others through this server\n"
		"  - round-trip time (supports): 31.0 ms, peers 10.0 ms (evidence 14.2, 5.8 "
		"needed)\n"
		"\n"
		"oss-1 is suspicious: device-slow\n"
		"  not indicted: too few peers for a difference so small: 5; 60 % sure; since\n"
		"    2025-11-21T03:02:00Z, noticed 50 s later; still so\n"
		"  why: the device takes longer, without I/O of others through this server\n"
		"  - write latency of sdb: 31.0 ms, peers 10.0 ms (evidence 5.1, 5.8 needed)\n"
		"\n"
		"judged   2025-11-21T03:00:00Z to 2025-11-21T03:10:00Z, 6 servers, 58 windows of "
		"30 s\n"
		"servers  1 is indicted, 1 is suspicious, 4 are well\n"
		"signals  read latency, write latency, segments sent again\n");
	verdict_release(&a);
}

static const char *string_of(json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static double number_of(json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static void test_json(void **state)
{
	struct verdict a = group();
	json_t *root, *in, *e, *servers, *unproven;

	(void)state;
	suspect(&a, 2, SUSPICION_DATA);
	a.incidents[0].times = 3;
	a.incidents[0].duty = 0.25;
	a.signals[SIG_WRITE].indicts_from = 1.6;
	a.judged[5] = false;
	add_unjudged(&a, 5, SIGNAL_ALL, UNJUDGED_LOAD);
	use(&a, 1, RESOURCE_DISK, SIG_READ, "sdb", 4.25);
	use(&a, 3, RESOURCE_NETWORK, SIG_RETRANS, "", 0);
	root = read_back(&a, false);
	assert_string_equal(string_of(root, "verdict"), "suspicious");
	servers = json_object_get(root, "servers");
	assert_int_equal(json_array_size(servers), SERVERS);
	assert_string_equal(string_of(json_array_get(servers, 0), "status"), "well");
	assert_true(json_is_null(json_object_get(json_array_get(servers, 0), "why")));
	assert_string_equal(string_of(json_array_get(servers, 2), "server"), "oss-3");
	assert_string_equal(string_of(json_array_get(servers, 2), "status"), "suspicious");
	assert_non_null(strstr(string_of(json_array_get(servers, 2), "why"), "too little data"));
	assert_string_equal(string_of(json_array_get(servers, 2), "reason"), "little-data");
	assert_string_equal(string_of(json_array_get(servers, 5), "reason"), "no-equal-load");
	assert_string_equal(string_of(json_array_get(servers, 5), "status"), "not-judged");
	assert_string_equal(string_of(json_array_get(servers, 5), "why"),
			    "no peer had a load like its own");
	assert_string_equal(string_of(json_array_get(servers, 1), "status"), "unproven");
	assert_string_equal(string_of(json_array_get(servers, 1), "reason"), "disk");
	assert_non_null(strstr(string_of(json_array_get(servers, 1), "why"), "ratio of 4.25 x"));
	unproven = json_object_get(root, "unproven");
	assert_int_equal(json_array_size(unproven), 2);
	e = json_array_get(unproven, 0);
	assert_string_equal(string_of(e, "server"), "oss-2");
	assert_string_equal(string_of(e, "resource"), "disk");
	assert_string_equal(string_of(e, "disk"), "sdb");
	assert_string_equal(string_of(e, "signal"), "read");
	assert_true(number_of(e, "seen") == 4.25);
	assert_true(json_is_null(json_object_get(json_array_get(unproven, 1), "seen")));
	in = json_array_get(json_object_get(root, "incidents"), 0);
	assert_true(json_is_true(json_object_get(in, "suspicious")));
	assert_true(json_is_false(
		json_object_get(json_array_get(json_object_get(in, "findings"), 0), "indicts")));
	assert_non_null(strstr(string_of(in, "suspicious_why"), "too little data"));
	assert_true(number_of(in, "confidence") == 0.6);
	assert_true(number_of(in, "times") == 3 && number_of(in, "duty") == 0.25);
	e = json_array_get(json_object_get(in, "findings"), 0);
	assert_true(number_of(e, "score") == 5.1 && number_of(e, "score_needed") == 5.8);
	assert_true(number_of(e, "ratio_at_least") == 1.08 && number_of(e, "window_s") == 80);
	assert_true(number_of(e, "degrees_of_freedom") == 40);
	assert_string_equal(string_of(e, "score_is"), "t");
	assert_string_equal(string_of(e, "window_end"), "2025-11-21T03:10:00Z");
	e = json_array_get(json_object_get(root, "signals"), SIG_WRITE);
	assert_true(number_of(e, "seen_ratio") == 1.6);
	assert_true(json_is_null(json_object_get(
		json_array_get(json_object_get(root, "signals"), SIG_READ), "seen_ratio")));
	json_decref(root);
	verdict_release(&a);
}

/* Parts of servers, by server and name; judged on one column is judged. */
static void test_parts(void **state)
{
	static const struct part told[] = {
		{.node = 2, .disk = "sdb", .why = UNJUDGED_LOAD},
		{.node = 1, .disk = "sdb", .judged = true},
		{.node = 2, .disk = "sda", .why = UNJUDGED_NO_VALUE},
		{.node = 2, .disk = "sda", .judged = true},
		{.node = 1, .disk = "sdb", .why = UNJUDGED_LOAD},
		{.node = 3, .disk = "sdb", .judged = true},
		{.node = 4, .disk = "sdb", .judged = true},
		{.node = 4, .disk = "sdc", .judged = true},
	};
	static const char *const expected[] = {"oss-2 sdb well",       "oss-3 sda well",
					       "oss-3 sdb not-judged", "oss-4 sdb suspicious",
					       "oss-5 sdb indicted",   "oss-5 sdc well"};
	struct verdict a = group();
	json_t *root, *parts;

	(void)state;
	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++)
		assert_int_equal(verdict_part(&a, &told[i]), 0);
	suspect(&a, 3, SUSPICION_PEERS);
	suspect(&a, 4, SUSPICION_PEERS);
	give(indict(&a, 4, CAUSE_SLOW), evidence(4));
	root = read_back(&a, false);
	parts = json_object_get(root, "parts");
	assert_int_equal(json_array_size(parts), 6);
	for (size_t i = 0; i < 6; i++) {
		json_t *p = json_array_get(parts, i);
		char text[64];

		snprintf(text, sizeof(text), "%s %s %s", string_of(p, "server"),
			 string_of(p, "disk"), string_of(p, "status"));
		assert_string_equal(text, expected[i]);
	}
	assert_string_equal(string_of(json_array_get(parts, 2), "reason"), "no-equal-load");
	assert_string_equal(string_of(json_array_get(parts, 3), "reason"), "few-peers");
	assert_true(json_is_null(json_object_get(json_array_get(parts, 4), "reason")));
	json_decref(root);
	verdict_release(&a);
}

static void test_seen(void **state)
{
	struct verdict a = group();
	char *text = printed(as_text, &a, true);

	(void)state;
	assert_null(strstr(text, "would have been seen"));
	free(text);
	a.signals[SIG_READ].indicts_from = 1.6;
	a.signals[SIG_RETRANS].indicts_from = 2.25;
	a.signals[SIG_SRTT].indicts_from = 9; /* nobody was judged on it */
	text = printed(as_text, &a, true);
	check_lines(text);
	assert_non_null(strstr(text, "\nwould have been seen by now, or more: read latency 1.60 x, "
				     "segments sent again 2.25 x\n"));
	free(text);
	verdict_release(&a);
}

/* Less with a doubt or a suspicion; the papers' methods tell none. */
static void test_confidence(void **state)
{
	struct verdict a = group();
	struct incident *in = indict(&a, 1, CAUSE_SLOW);
	double sure = incident_confidence(in);
	struct text text TEXT_SCOPED = {0};

	(void)state;
	assert_true(sure > 0.5 && sure < 1); /* without findings */
	give(in, evidence(1));
	assert_true(incident_confidence(in) == sure);
	in->findings[0].needs = in->findings[0].score;
	assert_true(incident_confidence(in) < sure);
	in->findings[0].needs = in->findings[0].score / 2;
	assert_true(incident_confidence(in) == sure);
	in->n_doubts = 2;
	assert_true(incident_confidence(in) < sure);
	in->n_doubts = 0;
	in->suspicion = SUSPICION_DATA;
	assert_true(incident_confidence(in) < sure);
	in->confidence = NAN;
	assert_string_equal(sentence_confidence(&text, in), "");
	verdict_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),	       cmocka_unit_test(test_unproven),
		cmocka_unit_test(test_what_indicts),   cmocka_unit_test(test_cannot),
		cmocka_unit_test(test_of_one_server),  cmocka_unit_test(test_indicted_was_judged),
		cmocka_unit_test(test_reasons),	       cmocka_unit_test(test_suspicious_text),
		cmocka_unit_test(test_comes_and_goes), cmocka_unit_test(test_json),
		cmocka_unit_test(test_parts),	       cmocka_unit_test(test_seen),
		cmocka_unit_test(test_confidence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
