// SPDX-License-Identifier: BSD-2-Clause
/* account.h: hand-made accounts as text, line for line, and as JSON, read back. */
#include "unit.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../analyzer/robust/account.h"

enum { SERVERS = 6, WIDEST = 99 };
#define AT(seconds) (1763694000000000000LL + (seconds)*1000000000LL) /* 2025-11-21T03:00:00Z */

/* What fn prints on standard output; the caller frees it. */
static char *printed(int (*fn)(const struct account *, bool), const struct account *a, bool explain)
{
	FILE *file = tmpfile();
	int kept = dup(STDOUT_FILENO);
	char *text;
	long len;

	assert_non_null(file);
	fflush(stdout);
	assert_true(kept >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
	assert_int_equal(fn(a, explain), 0);
	fflush(stdout);
	assert_true(dup2(kept, STDOUT_FILENO) >= 0);
	close(kept);
	len = lseek(fileno(file), 0, SEEK_END);
	text = calloc(1, (size_t)len + 1);
	assert_non_null(text);
	assert_int_equal(pread(fileno(file), text, (size_t)len, 0), len);
	fclose(file);
	return text;
}

static int as_text(const struct account *a, bool explain)
{
	account_text(a, explain);
	return 0;
}

/* Every line is printable and narrow. */
static void check_lines(const char *text)
{
	size_t column = 0;

	for (; *text; text++) {
		column = *text == '\n' ? 0 : column + 1;
		if (column > WIDEST || (*text != '\n' && (*text < ' ' || *text > '~')))
			fail_msg("wide or unprintable: '%.120s'", text + 1 - column);
	}
}

static void check_text(const struct account *a, const char *expected)
{
	char *text = printed(as_text, a, false);

	check_lines(text);
	assert_string_equal(text, expected);
	free(text);
}

static json_t *read_back(const struct account *a, bool explain)
{
	char *text = printed(account_json, a, explain);
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fail_msg("not JSON: %s at line %d", error.text, error.line);
	free(text);
	return root;
}

/* oss-1 … oss-6, judged on reads and writes, ten minutes. All is freed with the account. */
static struct account group(void)
{
	struct account a = {.n_nodes = SERVERS,
			    .from_ns = AT(0),
			    .to_ns = AT(600),
			    .hop_s = 10,
			    .window_s = 30,
			    .n_windows = 58};

	a.nodes = calloc(SERVERS, sizeof(*a.nodes));
	a.judged = calloc(SERVERS, sizeof(*a.judged));
	assert_true(a.nodes && a.judged);
	for (int i = 0; i < SERVERS; i++) {
		snprintf(a.nodes[i], HOST_LEN, "oss-%d", i + 1);
		a.judged[i] = true;
	}
	a.signal_judged[SIG_READ] = a.signal_judged[SIG_WRITE] = true;
	return a;
}

static struct evidence latency(void)
{
	return (struct evidence){.signal = SIG_READ_DEVICE,
				 .node = 2,
				 .disk = "sdb",
				 .value = 31.4,
				 .peers = 9.8,
				 .ratio = 3.081,
				 .usual = 1.04,
				 .z = 18.55,
				 .spread = 1.0625,
				 .w1 = 3.31,
				 .p99 = 88,
				 .p99_peers = 21,
				 .flagged = 12,
				 .judged = 14,
				 .n_peers = 5,
				 .onset_ns = AT(130),
				 .decided_ns = AT(180),
				 .last_ns = AT(600),
				 .open = true};
}

static struct evidence foreign(void)
{
	return (struct evidence){.signal = SIG_FOREIGN_READ,
				 .node = 2,
				 .disk = "sdb",
				 .value = 31744,
				 .peers = 12,
				 .ratio = 31.63,
				 .usual = 1,
				 .z = 57,
				 .spread = 1.0625,
				 .w1 = NAN,
				 .p99 = NAN,
				 .p99_peers = NAN,
				 .flagged = 14,
				 .judged = 14,
				 .n_peers = 5,
				 .onset_ns = AT(120),
				 .decided_ns = AT(170),
				 .last_ns = AT(600),
				 .open = true};
}

static struct accusation *accuse(struct account *a, size_t node, const char *cause)
{
	struct accusation *in;

	a->accused = realloc(a->accused, (a->n_accused + 1) * sizeof(*a->accused));
	assert_non_null(a->accused);
	in = &a->accused[a->n_accused++];
	*in = (struct accusation){.node = node,
				  .cause = cause,
				  .culprit.share = NAN,
				  .confidence = CONFIDENCE_HIGH,
				  .open = true,
				  .onset_ns = AT(120),
				  .decided_ns = AT(170),
				  .last_ns = AT(600)};
	return in;
}

static void give(struct accusation *in, struct evidence e)
{
	in->evidence = realloc(in->evidence, (in->n_evidence + 1) * sizeof(e));
	assert_non_null(in->evidence);
	in->evidence[in->n_evidence++] = e;
}

static void remark(struct account *a, struct remark r)
{
	a->remarks = realloc(a->remarks, (a->n_remarks + 1) * sizeof(r));
	assert_non_null(a->remarks);
	a->remarks[a->n_remarks++] = r;
}

static void abstain(struct account *a, size_t node, enum signal s, const char *why)
{
	a->abstained = realloc(a->abstained, (a->n_abstained + 1) * sizeof(*a->abstained));
	assert_non_null(a->abstained);
	a->abstained[a->n_abstained] = (struct abstention){.node = node, .signal = s};
	snprintf(a->abstained[a->n_abstained++].why, 120, "%s", why);
}

/* oss-3 with a process that reads its disk. */
static struct account hogged(void)
{
	struct account a = group();
	struct accusation *in = accuse(&a, 2, "disk-hog");

	in->why = "others than the file system use the disk, and its device is slow";
	strcpy(in->detail, "sdb: others read 31.0 MiB/s of 36.9");
	in->culprit = (struct culprit){.name = "fio:1234",
				       .cgroup = "/user.slice",
				       .share = 0.84,
				       .of = "bytes read and written"};
	give(in, foreign());
	give(in, latency());
	return a;
}

static void test_culprit(void **state)
{
	struct account a = hogged();

	(void)state;
	check_text(&a,
		   "oss-3 limps: disk-hog: fio (pid 1234, /user.slice), 84 % of bytes read and "
		   "written; sdb: others\n"
		   "    read 31.0 MiB/s of 36.9\n"
		   "  high confidence; since 2025-11-21T03:02:00Z, indicted 50 s later; still so\n"
		   "  why: others than the file system use the disk, and its device is slow\n"
		   "  - others' reads of sdb: 31744 kB/s, peers' median 12 kB/s: 31.6 x with 1024 "
		   "kB/s added to both\n"
		   "      (z 57.0); 14 of 14 windows; 5 peers within 6 %\n"
		   "  - read device time of sdb: 31.40 ms, peers' median 9.80 ms: 3.08 x after its "
		   "own usual 1.04 x\n"
		   "      (z 18.6); 12 of 14 windows; 5 peers within 6 %; p99 88.00 ms, peers' "
		   "21.00 ms; on average\n"
		   "      3.31 x\n"
		   "\n"
		   "judged   2025-11-21T03:00:00Z to 2025-11-21T03:10:00Z, 6 servers, 58 windows "
		   "of 30 s\n"
		   "on       read latency, write latency\n");
	account_release(&a);
}

/* Low confidence, held, and a second server that has it all the time; evidence that only supports. */
static void test_doubts(void **state)
{
	struct account a = group();
	struct accusation *in = accuse(&a, 4, "packet-loss");
	struct evidence e = latency();

	(void)state;
	in->why = "out-of-order arrivals are up: segments are lost on the way to this server";
	strcpy(in->detail, "receive, from 3 of 3 hosts");
	strcpy(in->guess, "a cable or a port: the interface counts CRC errors");
	in->confidence = CONFIDENCE_LOW;
	strcpy(in->doubt, "4 servers only: the rule for few peers");
	in->held = true;
	in->last_ns = AT(400);
	e = (struct evidence){.signal = SIG_OOO,
			      .node = 4,
			      .value = 4.2,
			      .peers = 0.01,
			      .ratio = 39.1,
			      .usual = 1,
			      .z = 61.2,
			      .spread = 1.05,
			      .w1 = NAN,
			      .p99 = NAN,
			      .p99_peers = NAN,
			      .flagged = 5,
			      .judged = 7,
			      .n_peers = 3,
			      .held = true};
	give(in, e);
	e = (struct evidence){.signal = SIG_SRTT,
			      .node = 4,
			      .value = 1.5,
			      .peers = 0.6,
			      .ratio = 2.38,
			      .usual = 1,
			      .z = 14,
			      .spread = 1.064,
			      .w1 = NAN,
			      .p99 = NAN,
			      .p99_peers = NAN,
			      .flagged = 6,
			      .judged = 7,
			      .n_peers = 3,
			      .symptom = true};
	give(in, e);
	in = accuse(&a, 0, "device-slow");
	in->why = "the device is slow, and nobody but the file system uses it";
	in->chronic = true;
	in->open = false;
	in->last_ns = AT(580);
	in->onset_ns = AT(0);
	e = latency();
	e.node = 0;
	e.usual = 1;
	e.ratio = 1.22;
	e.z = 6.67;
	e.flagged = e.judged = 58;
	e.chronic = true;
	give(in, e);
	check_text(
		&a,
		"oss-5 limps: packet-loss: receive, from 3 of 3 hosts\n"
		"  low confidence (4 servers only: the rule for few peers); since "
		"2025-11-21T03:02:00Z, indicted\n"
		"    50 s later; held since 2025-11-21T03:06:40Z: too few events to judge again\n"
		"  why: out-of-order arrivals are up: segments are lost on the way to this server\n"
		"  a guess: a cable or a port: the interface counts CRC errors\n"
		"  - out-of-order arrivals: 4.20 %, peers' median 0.01 %: 39.1 x with 0.10 % added "
		"to both\n"
		"      (z 61.2); 5 of 7 windows; 3 peers within 5 %; held, too few events since\n"
		"  - round-trip time (a symptom only): 1.50 ms, peers' median 0.60 ms: 2.38 x with "
		"0.05 ms added\n"
		"      to both (z 14.0); 6 of 7 windows; 3 peers within 6 %\n"
		"\n"
		"oss-1 limped: device-slow\n"
		"  high confidence; chronic: so since 2025-11-21T03:00:00Z or before; over since\n"
		"    2025-11-21T03:09:40Z\n"
		"  why: the device is slow, and nobody but the file system uses it\n"
		"  - read device time of sdb: 31.40 ms, peers' median 9.80 ms: 1.22 x (z 6.7); "
		"over all 58\n"
		"      windows, 58 of them bad alone; 5 peers within 6 %; p99 88.00 ms, peers' "
		"21.00 ms; on\n"
		"      average 3.31 x\n"
		"\n"
		"judged   2025-11-21T03:00:00Z to 2025-11-21T03:10:00Z, 6 servers, 58 windows of "
		"30 s\n"
		"on       read latency, write latency\n");
	account_release(&a);
}

static void test_remarks(void **state)
{
	struct account a = group();

	(void)state;
	remark(&a, (struct remark){
			   .kind = REMARK_HOT,
			   .node = 1,
			   .text = "3.1 x its peers' demand on sdb, and its latency is like theirs",
			   .from_ns = AT(60),
			   .to_ns = AT(600)});
	remark(&a, (struct remark){
			   .kind = REMARK_SILENT, .node = 5, .text = "oss-6 stopped reporting"});
	a.judged[5] = false;
	abstain(&a, 5, SIG_COUNT, "no disk of the file system is known");
	abstain(&a, 3, SIG_WRITE, "under 30 writes in a window");
	abstain(&a, 4, SIG_READ, "under 30 events in a window");
	abstain(&a, 3, SIG_READ, "under 30 events in a window");
	abstain(&a, 3, SIG_READ_DEVICE, "under 30 events in a window");
	abstain(&a, 4, SIG_READ_DEVICE, "under 30 events in a window");
	abstain(&a, 4, SIG_SRTT, "under 30 events in a window"); /* of other servers: a line */
	abstain(&a, 1, SIG_SRTT, "under 30 events in a window");
	a.unknown_hardware = true;
	a.lost = 7;
	a.notes = strdup(
		"a first line\nand a second one of which there is so much to say that it does "
		"not fit into one line of under 100 columns\n");
	check_text(&a, "no server limps, of the 5 that could be judged\n"
		       "\n"
		       "nobody is indicted for:\n"
		       "  - oss-2: 3.1 x its peers' demand on sdb, and its latency is like theirs "
		       "(imbalance;\n"
		       "    2025-11-21T03:01:00Z to 2025-11-21T03:10:00Z)\n"
		       "  - oss-6 stopped reporting (silent)\n"
		       "\n"
		       "judged   2025-11-21T03:00:00Z to 2025-11-21T03:10:00Z, 5 of 6 servers, 58 "
		       "windows of 30 s\n"
		       "on       read latency, write latency\n"
		       "not judged: oss-6 (no disk of the file system is known)\n"
		       "not judged on read latency, read device time: oss-4, oss-5 (under 30 "
		       "events in a window)\n"
		       "not judged on write latency: oss-4 (under 30 writes in a window)\n"
		       "not judged on round-trip time: oss-2, oss-5 (under 30 events in a window)\n"
		       "models of disks are not recorded: all disks were taken for peers\n"
		       "7 records were lost by the probes\n"
		       "a first line\n"
		       "and a second one of which there is so much to say that it does not fit "
		       "into one line of under\n"
		       "  100 columns\n");
	account_release(&a);
}

/* A remark that is the verdict, and is not said twice. */
static void test_all_slow(void **state)
{
	struct account a = group();

	(void)state;
	remark(&a,
	       (struct remark){
		       .kind = REMARK_FLEET,
		       .node = SIZE_MAX,
		       .text = "all servers slowed: reads take 3.2 x their own median of before",
		       .from_ns = AT(60),
		       .to_ns = AT(600),
		       .replaces = true});
	assert_string_equal(account_verdict(&a), "all-slow");
	check_text(&a, "all servers slowed: reads take 3.2 x their own median of before\n"
		       "\n"
		       "judged   2025-11-21T03:00:00Z to 2025-11-21T03:10:00Z, 6 servers, 58 "
		       "windows of 30 s\n"
		       "on       read latency, write latency\n");
	accuse(&a, 1, "slow");
	assert_string_equal(account_verdict(&a), "indicted");
	assert_null(account_replacement(&a));
	account_release(&a);
}

static void test_nothing(void **state)
{
	struct account a = group();

	(void)state;
	assert_string_equal(account_verdict(&a), "clean");
	check_text(&a, "no server limps\n"
		       "\n"
		       "judged   2025-11-21T03:00:00Z to 2025-11-21T03:10:00Z, 6 servers, 58 "
		       "windows of 30 s\n"
		       "on       read latency, write latency\n");
	a.cannot = strdup("3 servers are needed, and there are 2");
	abstain(&a, 0, SIG_COUNT, "too few peers");
	assert_string_equal(account_verdict(&a), "cannot-judge");
	check_text(&a, "not judged: oss-1 (too few peers)\n");
	account_release(&a);
	check_text(&a, "no server could be judged\n"
		       "\n"
		       "judged   nothing\n");
	account_release(&a); /* takes a zeroed one */
}

/* Names are whatever a process calls itself. */
static void test_hostile(void **state)
{
	struct account a = hogged();
	struct culprit *c = &a.accused[0].culprit;
	struct evidence *e = &a.accused[0].evidence[0];
	char *text, line[HEADLINE_LEN];
	json_t *root;

	(void)state;
	strcpy(c->name, "\033[2J\"x\\\xff:y:77");
	memset(c->cgroup, 'c', sizeof(c->cgroup) - 1);
	memset(a.accused[0].detail, 'd', sizeof(a.accused[0].detail) - 1);
	memset(a.accused[0].guess, '\n', sizeof(a.accused[0].guess) - 1);
	memset(a.accused[0].doubt, '\xc3', sizeof(a.accused[0].doubt) - 1);
	a.accused[0].confidence = CONFIDENCE_LOW;
	strcpy(e->disk, "\t\xc3\x28");
	e->value = e->ratio = INFINITY;
	e->peers = 1e300;
	e->z = 1e200;
	e->flagged = UINT32_MAX;
	e->last_ns = INT64_MIN;
	e->usual = NAN;
	a.accused[0].node = 77; /* no such server */
	a.notes = strdup("\xf0\x28\x8c\n\n\033]0;x\007");
	assert_null(strpbrk(account_headline(&a, 0, line, sizeof(line)), "\"\\"));
	account_headline(&a, 0, line, 9); /* cut */
	assert_string_equal(line, "? limps:");
	for (int explain = 0; explain < 2; explain++) {
		text = printed(as_text, &a, explain);
		check_lines(text);
		assert_null(strchr(text, 033));
		assert_non_null(strstr(text, "(pid 77,"));
		free(text);
		root = read_back(&a, explain);
		json_decref(root);
	}
	account_release(&a);
}

static void explain_some(struct account *a)
{
	struct evidence e = foreign();

	a->ruled_out = calloc(3, sizeof(*a->ruled_out));
	a->looks = calloc(2, sizeof(*a->looks));
	assert_true(a->ruled_out && a->looks);
	e.signal = SIG_SRTT;
	*e.disk = 0;
	e.value = 1.5;
	e.peers = 0.6;
	a->ruled_out[a->n_ruled_out++] = e;
	e = latency();
	e.node = 5;
	e.flagged = 2;
	e.decided_ns = 0;
	a->ruled_out[a->n_ruled_out++] = e;
	e.signal = SIG_DISK_KB;
	e.value = 50000;
	e.peers = 16000;
	a->ruled_out[a->n_ruled_out++] = e;
	a->looks[a->n_looks++] = (struct explained_look){.from_ns = AT(0),
							 .to_ns = AT(30),
							 .node = 2,
							 .disk = "sdb",
							 .signal = SIG_READ,
							 .value = 31.4,
							 .peers = 9.8,
							 .d = 1.164,
							 .offset = 0.04,
							 .sigma = 0.0606,
							 .z = 18.55,
							 .ratio = 3.081,
							 .flagged = true,
							 .odd = true};
	a->looks[a->n_looks++] = (struct explained_look){.from_ns = AT(10),
							 .to_ns = AT(40),
							 .node = 3,
							 .signal = SIG_RUNQ,
							 .value = NAN,
							 .peers = NAN,
							 .d = NAN,
							 .offset = NAN,
							 .sigma = NAN,
							 .z = NAN,
							 .ratio = NAN};
}

static void test_explain(void **state)
{
	struct account a = group();
	char *text;

	(void)state;
	explain_some(&a);
	text = printed(as_text, &a, true);
	check_lines(text);
	assert_non_null(strstr(text, "\nworse than the peers, but ruled out:\n"
				     "  - oss-3: round-trip time 1.50 ms, peers' 0.60 ms, 31.6 x"));
	assert_non_null(strstr(text, ": a symptom only, also seen on victims\n"));
	assert_non_null(strstr(text, ": a burst, too short for the vote\n"));
	assert_non_null(strstr(text, ": demand, not a fault\n"));
	assert_non_null(strstr(text, "\nread latency                 read          may indict "));
	assert_non_null(strstr(text, "\n2025-11-21T03:00:00Z oss-3          sdb     read         "
				     "     31.4      9.8   3.081   18.55 odd\n"));
	assert_non_null(strstr(text, "\n2025-11-21T03:00:10Z oss-4          -       runq         "
				     "        -        -       -       -\n"));
	free(text);
	account_release(&a);
}

/* Most signals were judged; and one of which less is worse. */
static void test_signals(void **state)
{
	struct account a = group();
	struct evidence e = foreign();
	char *text;

	(void)state;
	e.signal = SIG_IDLE;
	*e.disk = 0;
	e.value = 100;
	e.peers = 50000;
	e.ratio = 45.4;
	give(accuse(&a, 2, "hung"), e);
	for (int i = 0; i < SIG_TABLE; i++)
		a.signal_judged[i] = i != SIG_QUEUE && i != SIG_STEAL;
	text = printed(as_text, &a, false);
	assert_non_null(strstr(text, " 45.4 x less"));
	assert_null(strstr(text, "added to both"));
	assert_non_null(strstr(text, "\non       all signals but queue, processors stolen\n"));
	free(text);
	a.signal_judged[SIG_QUEUE] = a.signal_judged[SIG_STEAL] = true;
	text = printed(as_text, &a, false);
	assert_non_null(strstr(text, "\non       all signals\n"));
	free(text);
	account_release(&a);
}

/* A group as large as they come: lists are cut, lines stay narrow, JSON has all. */
static void test_many(void **state)
{
	enum { MANY = 500 };
	struct account a = group();
	json_t *root;
	char *text;

	(void)state;
	a.n_nodes = MANY;
	a.nodes = realloc(a.nodes, MANY * sizeof(*a.nodes));
	a.judged = realloc(a.judged, MANY * sizeof(*a.judged));
	assert_true(a.nodes && a.judged);
	for (size_t i = 0; i < MANY; i++) {
		snprintf(a.nodes[i], HOST_LEN, "a-rather-long-name-of-a-server-%zu.example.org", i);
		a.judged[i] = i % 2;
		for (int s = 0; i % 2 == 0 && s < SIG_COUNT; s++)
			abstain(&a, i, (enum signal)s, i % 4 ? "too few events" : "no data");
	}
	text = printed(as_text, &a, false);
	check_lines(text);
	assert_non_null(strstr(text, "and 105 more"));
	free(text);
	root = read_back(&a, false);
	assert_int_equal(json_array_size(json_object_get(root, "not_judged")), a.n_abstained);
	json_decref(root);
	account_release(&a);
}

static void test_json(void **state)
{
	struct account a = hogged();
	json_t *root, *who, *e, *c;

	(void)state;
	a.notes = strdup("one\ntwo");
	abstain(&a, 3, SIG_WRITE, "under 30 events");
	abstain(&a, 4, SIG_COUNT, "silent");
	explain_some(&a);
	root = read_back(&a, true);
	assert_string_equal(json_string_value(json_object_get(root, "verdict")), "indicted");
	assert_int_equal(json_array_size(json_object_get(root, "notes")), 2);
	assert_int_equal(json_array_size(json_object_get(root, "ruled_out")), 3);
	who = json_array_get(json_object_get(root, "indicted"), 0);
	assert_string_equal(json_string_value(json_object_get(who, "node")), "oss-3");
	assert_string_equal(json_string_value(json_object_get(who, "cause")), "disk-hog");
	assert_string_equal(json_string_value(json_object_get(who, "from")),
			    "2025-11-21T03:02:00Z");
	assert_true(json_is_null(json_object_get(who, "guess")));
	c = json_object_get(who, "culprit");
	assert_int_equal(json_integer_value(json_object_get(c, "pid")), 1234);
	assert_true(json_real_value(json_object_get(c, "share")) == 0.84);
	e = json_array_get(json_object_get(who, "evidence"), 0);
	assert_string_equal(json_string_value(json_object_get(e, "metric")), "foreign-read");
	assert_true(json_real_value(json_object_get(e, "value")) == 31744);
	assert_true(json_is_null(json_object_get(e, "p99"))); /* NaN */
	e = json_array_get(json_object_get(root, "not_judged"), 1);
	assert_int_equal(json_array_size(json_object_get(e, "metrics")), 0);
	assert_true(json_is_false(json_object_get(e, "partly")));
	e = json_array_get(json_object_get(root, "explained"), 1);
	assert_true(json_is_null(json_object_get(e, "z")));
	assert_null(json_object_get(root, "why"));
	json_decref(root);
	root = read_back(&a, false);
	assert_null(json_object_get(root, "explained"));
	json_decref(root);
	account_release(&a);
}

static void test_process(void **state)
{
	static const struct {
		const char *name, *is;
		bool remote;
		long pid;
	} cases[] = {{"fio:1234", "fio", false, 1234},
		     {"a:b:7", "a:b", false, 7},
		     {"(rest)", "(rest)", false, -1},
		     {"x:", "x:", false, -1},
		     {"x:1y", "x:1y", false, -1},
		     {"x:99999999999", "x:99999999999", false, -1},
		     {"10.0.0.9:24007", "10.0.0.9:24007", true, -1},
		     {"", "", false, -1}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct culprit c = {.remote = cases[i].remote};
		char name[INSTANCE_LEN];

		strcpy(c.name, cases[i].name);
		assert_int_equal(account_process(&c, name), cases[i].pid);
		assert_string_equal(name, cases[i].is);
	}
}

/* The table of signals in the document is the program's. */
static void test_document(void **state)
{
	static const char *const roles[] = {"may indict", "supports", "demand"};
	FILE *file = fopen("analyzer/ROBUST.md", "r");
	char *text = NULL, row[512], flash[32];
	size_t size = 0;

	(void)state;
	if (!file)
		SKIP("analyzer/ROBUST.md is not below the current folder");
	assert_true(getdelim(&text, &size, 0, file) > 0);
	fclose(file);
	for (int i = 0; i < SIG_COUNT; i++) {
		const struct signal_row *s = &signals[i];

		snprintf(flash, sizeof(flash), " (flash %g)", s->floor_flash);
		snprintf(row, sizeof(row), "\n| `%s` | %s | %s | %s | %s | %g | %g%s | %g | %s |\n",
			 s->word, s->name, s->level == LEVEL_DISK ? "disk" : "server",
			 roles[s->role], *s->unit ? s->unit : "-",
			 s->kind == KIND_NUMBER ? s->c : 0, s->floor,
			 s->floor_flash > 0 ? flash : "", s->ratio > 0 ? s->ratio : 1.3, s->reason);
		if (!strstr(text, row))
			fail_msg("analyzer/ROBUST.md lacks this row:%s", row);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_culprit), cmocka_unit_test(test_doubts),
		cmocka_unit_test(test_remarks), cmocka_unit_test(test_all_slow),
		cmocka_unit_test(test_nothing), cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_explain), cmocka_unit_test(test_many),
		cmocka_unit_test(test_json),	cmocka_unit_test(test_process),
		cmocka_unit_test(test_signals), cmocka_unit_test(test_document),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
