// SPDX-License-Identifier: BSD-2-Clause
/* truth.h: labels as people and programs write them, and those that are refused. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/evaluate/truth.h"

static char dir[64], path[80];

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/limpet-truth.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/truth.csv", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static int read_bytes(struct truth *t, const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	return truth_read(t, path);
}

static int read_text(struct truth *t, const char *text)
{
	return read_bytes(t, text, strlen(text));
}

static void columns_by_name(void **state)
{
	struct truth t = {0};
	char expected[128];

	(void)state;
	assert_int_equal(read_text(&t, "node,seed,fault,to,from,workload,cluster,model,source\n"
				       "oss1 oss2,7,slow-disk,@1795230300.5,2026-11-21T03:00:00Z,"
				       "ddw,10/10,/m/model.json,runs/1\n"),
			 0);
	assert_int_equal(t.n, 1);
	snprintf(expected, sizeof(expected), "%s/runs/1", dir);
	assert_string_equal(t.at[0].source, expected);
	assert_string_equal(t.at[0].model, "/m/model.json");
	assert_string_equal(t.at[0].cluster, "10/10");
	assert_string_equal(t.at[0].workload, "ddw");
	assert_string_equal(t.at[0].fault, "slow-disk");
	assert_int_equal(t.at[0].known->cause[WORDS_CHECKLIST], CAUSE_DISK_BUSY);
	assert_int_equal(t.at[0].n_nodes, 2);
	assert_string_equal(t.at[0].nodes[0], "oss1");
	assert_string_equal(t.at[0].nodes[1], "oss2");
	assert_true(t.at[0].from_ns == 1795230000000000000);
	assert_true(t.at[0].to_ns == 1795230300500000000);
	assert_string_equal(t.at[0].file, path);
	assert_int_equal(t.at[0].line, 2);
	truth_release(&t);
}

static void what_is_left_out(void **state)
{
	struct truth t = {0};

	(void)state;
	assert_int_equal(read_text(&t, "source,fault\na,\nb,none"), 0);
	assert_int_equal(t.n, 2);
	for (size_t i = 0; i < t.n; i++) {
		const struct labelled *l = &t.at[i];

		assert_string_equal(l->fault, "none");
		assert_null(l->model);
		assert_null(l->known);
		assert_string_equal(l->cluster, "");
		assert_string_equal(l->workload, "");
		assert_int_equal(l->n_nodes, 0);
		assert_true(l->from_ns == INT64_MIN && l->to_ns == INT64_MAX);
	}
	truth_release(&t);
}

static void quotes_and_ends_of_lines(void **state)
{
	struct truth t = {0};

	(void)state;
	assert_int_equal(read_text(&t, "\xef\xbb\xbf\"source\",fault,node,workload\r\n"
				       "\r\n"
				       "\"/a,b\"\"c\",x,n,\"two\nlines\"\r\n"
				       "\n"
				       "/d,\"\",\"\",\r\n"),
			 0);
	assert_int_equal(t.n, 2);
	assert_string_equal(t.at[0].source, "/a,b\"c");
	assert_string_equal(t.at[0].workload, "two\nlines");
	assert_int_equal(t.at[0].line, 3);
	assert_string_equal(t.at[1].source, "/d");
	assert_string_equal(t.at[1].fault, "none");
	assert_int_equal(t.at[1].line, 6); /* the third record, after a field of two lines */
	truth_release(&t);
}

static void files_add_up(void **state)
{
	struct truth t = {0};

	(void)state;
	assert_int_equal(read_text(&t, "source,fault\na,\n"), 0);
	assert_int_equal(read_text(&t, "fault,source\n,b\n"), 0);
	assert_int_equal(t.n, 2);
	assert_string_equal(strrchr(t.at[0].source, '/'), "/a");
	assert_string_equal(strrchr(t.at[1].source, '/'), "/b");
	truth_release(&t);
}

static void every_cause(void **state)
{
	static const struct {
		const char *fault;
		enum cause checklist, robust;
		enum direction direction;
	} expected[] = {
		{"disk-hog", CAUSE_DISK_HOG, CAUSE_DISK_HOG, DIRECTION_NONE},
		{"disk-busy", CAUSE_DISK_BUSY, CAUSE_DEVICE_SLOW, DIRECTION_NONE},
		{"slow-disk", CAUSE_DISK_BUSY, CAUSE_DEVICE_SLOW, DIRECTION_NONE},
		{"device-slow", CAUSE_DISK_BUSY, CAUSE_DEVICE_SLOW, DIRECTION_NONE},
		{"write-network-hog", CAUSE_NETWORK_HOG, CAUSE_NETWORK_HOG, DIRECTION_NONE},
		{"read-network-hog", CAUSE_NETWORK_HOG, CAUSE_NETWORK_HOG, DIRECTION_NONE},
		{"write-net-hog", CAUSE_NETWORK_HOG, CAUSE_NETWORK_HOG, DIRECTION_NONE},
		{"read-net-hog", CAUSE_NETWORK_HOG, CAUSE_NETWORK_HOG, DIRECTION_NONE},
		{"network-hog", CAUSE_NETWORK_HOG, CAUSE_NETWORK_HOG, DIRECTION_NONE},
		{"send-packet-loss", CAUSE_PACKET_LOSS, CAUSE_PACKET_LOSS, DIRECTION_SEND},
		{"receive-packet-loss", CAUSE_PACKET_LOSS, CAUSE_PACKET_LOSS, DIRECTION_RECEIVE},
		{"send-loss", CAUSE_PACKET_LOSS, CAUSE_PACKET_LOSS, DIRECTION_SEND},
		{"recv-loss", CAUSE_PACKET_LOSS, CAUSE_PACKET_LOSS, DIRECTION_RECEIVE},
		{"packet-loss", CAUSE_PACKET_LOSS, CAUSE_PACKET_LOSS, DIRECTION_BOTH},
		{"cpu-hog", CAUSE_NONE, CAUSE_CPU_HOG, DIRECTION_NONE},
		{"mem-hog", CAUSE_NONE, CAUSE_MEMORY_PRESSURE, DIRECTION_NONE},
		{"memory-pressure", CAUSE_NONE, CAUSE_MEMORY_PRESSURE, DIRECTION_NONE},
		{"hang", CAUSE_NONE, CAUSE_HUNG, DIRECTION_NONE},
		{"hung", CAUSE_NONE, CAUSE_HUNG, DIRECTION_NONE},
		{"io-scheduler", CAUSE_NONE, CAUSE_IO_SCHEDULER, DIRECTION_NONE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		const struct known_fault *f = truth_fault(expected[i].fault);

		assert_non_null(f);
		assert_int_equal(f->cause[WORDS_CHECKLIST], expected[i].checklist);
		assert_int_equal(f->cause[WORDS_ROBUST], expected[i].robust);
		assert_int_equal(f->direction, expected[i].direction);
	}
	assert_null(truth_fault("none"));
	assert_null(truth_fault("burst"));
	assert_null(truth_fault(""));
}

/* Whichever vocabulary it is from. */
static void either_word_is_right(void **state)
{
	const struct known_fault *f = truth_fault("slow-disk");

	(void)state;
	assert_true(truth_names(f, CAUSE_DISK_BUSY) && truth_names(f, CAUSE_DEVICE_SLOW));
	assert_false(truth_names(f, CAUSE_DISK_HOG) || truth_names(f, CAUSE_NONE));
	assert_true(truth_names(truth_fault("hang"), CAUSE_HUNG));
	assert_false(truth_names(truth_fault("hang"), CAUSE_NONE));
	assert_false(truth_names(NULL, CAUSE_NONE));
}

/* Nobody is to be indicted, whoever is named; the word makes a group of its own. */
static void what_looks_like_a_fault_and_is_none(void **state)
{
	static const char *const words[] = {"imbalance", "hardware",	 "fleet",
					    "scrub",	 "lossy-client", "burst"};
	struct truth t = {0};

	(void)state;
	assert_int_equal(read_text(&t, "source,fault,node\n"
				       "a,imbalance,s1\n"
				       "a,hardware,s1 s2\n"
				       "a,fleet,\n"
				       "a,scrub,s1\n"
				       "a,lossy-client,\n"
				       "a,burst,s1\n"),
			 0);
	assert_int_equal(t.n, 6);
	for (size_t i = 0; i < t.n; i++) {
		assert_string_equal(t.at[i].fault, words[i]);
		assert_int_equal(t.at[i].n_nodes, 0);
		assert_null(t.at[i].known);
	}
	assert_int_equal(t.at[1].n_acting, 2);
	assert_string_equal(t.at[1].nodes[1], "s2");
	truth_release(&t);
}

/* Stands where standard error was and returns what came, in a static buffer. */
static const char *refused(const char *text, size_t len)
{
	static char said[4096];
	struct truth t = {0};
	FILE *to = tmpfile();
	int kept = dup(2), err;
	size_t n;

	assert_non_null(to);
	fflush(stderr);
	dup2(fileno(to), 2);
	err = read_bytes(&t, text, len);
	fflush(stderr);
	dup2(kept, 2);
	close(kept);
	rewind(to);
	n = fread(said, 1, sizeof(said) - 1, to);
	said[n] = 0;
	fclose(to);
	truth_release(&t);
	if (err != -EINVAL)
		fail_msg("%d and not -EINVAL for \"%s\"", err, text);
	return said;
}

static void refusals_name_file_and_line(void **state)
{
	static const struct {
		const char *text, *said;
	} bad[] = {
		{"", "' lists no run"},
		{"\n\r\n", "' lists no run"},
		{"source,fault\n", "' lists no run"},
		{"source\na\n", "' line 1: no column is called 'fault'"},
		{"fault\nnone\n", "' line 1: no column is called 'source'"},
		{"source,fault,fault\na,,\n", "' line 1: two columns are called 'fault'"},
		{"source,fault\na\n", "' line 2: 1 field, and 2 columns have names"},
		{"source,fault\na,,\n", "' line 2: 3 fields, and 2 columns have names"},
		{"source,fault\n,\n", "' line 2: no source"},
		{"source,fault\na,x\n", "' line 2: a fault, but no node that has it"},
		{"source,fault,node\na,x, \n", "' line 2: a fault, but no node that has it"},
		{"source,fault,node\na,,n\n", "' line 2: a node, but no fault"},
		{"source,fault,node\na,none,n\n", "' line 2: a node, but no fault"},
		{"source,fault,node\na,x,n m n\n", "' line 2: 'n' is named twice"},
		{"source,fault,node,from\na,x,n,noon\n", "' line 2: 'noon' is no time for 'from'"},
		{"source,fault,node,to\n\na,x,n,@-1\n", "' line 3: '@-1' is no time for 'to'"},
		{"source,fault,node,from,to\na,x,n,@5,@5\n",
		 "' line 2: the fault ends before it begins"},
		{"source,fault\n\n\"a\nb,\n", "' line 3: a quote is not closed"},
		{"source,fault\n\"a\"b,\n", "' line 2: text after a closing quote"},
	};
	char many[2000] = "source,fault";

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *said = refused(bad[i].text, strlen(bad[i].text));

		if (!strstr(said, bad[i].said) || !strstr(said, path))
			fail_msg("\"%s\" is refused with: %s", bad[i].text, said);
	}
	assert_non_null(strstr(refused("source,fault\na\0b,\n", 18), "NUL byte"));
	memset(many + 12, ',', 300);
	assert_non_null(strstr(refused(many, strlen(many)), "line 1: more than 256 fields"));
	memset(many, 0, sizeof(many));
	strcpy(many, "source,fault,node\na,x,");
	memset(many + strlen(many), 'n', 64);
	assert_non_null(strstr(refused(many, strlen(many)), "longer than any server's name"));
}

static void a_file_that_is_not_there(void **state)
{
	struct truth t = {0};

	(void)state;
	assert_int_equal(truth_read(&t, "/nonexistent/truth.csv"), -ENOENT);
	assert_int_equal(truth_read(&t, "/"), -EISDIR);
	truth_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_by_name),
		cmocka_unit_test(what_is_left_out),
		cmocka_unit_test(quotes_and_ends_of_lines),
		cmocka_unit_test(files_add_up),
		cmocka_unit_test(every_cause),
		cmocka_unit_test(either_word_is_right),
		cmocka_unit_test(what_looks_like_a_fault_and_is_none),
		cmocka_unit_test(refusals_name_file_and_line),
		cmocka_unit_test(a_file_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
