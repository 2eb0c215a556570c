// SPDX-License-Identifier: BSD-2-Clause
/* Reads labels: columns found by name, a run per line, checked for what does not fit together. */
#include "truth.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/source/tables/lines.h"
#include "userspace/common/options.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"
#include "userspace/common/text.h"
#include "userspace/common/times.h"

enum truth_column { SOURCE, MODEL, CLUSTER, WORKLOAD, FAULT, NODE, FROM, TO, INTENSITY, COLUMNS };

static const struct {
	const char *name;
	bool needed;
} columns[COLUMNS] = {
	[SOURCE] = {"source", true},	    [MODEL] = {"model", false},
	[CLUSTER] = {"cluster", false},	    [WORKLOAD] = {"workload", false},
	[FAULT] = {"fault", true},	    [NODE] = {"node", false},
	[FROM] = {"from", false},	    [TO] = {"to", false},
	[INTENSITY] = {"intensity", false},
};

/* A loop that never ends (HADOOP-1036) and a server that is stopped look alike from outside: "hung". A
 * disk that is busy for others and one that fails look alike from inside: one cause, and a guess. */
static const struct known_fault known[] = {
	{"disk-hog", {CAUSE_DISK_HOG, CAUSE_DISK_HOG}, DIRECTION_NONE, 0},
	{"disk-busy",
	 {CAUSE_DISK_BUSY, CAUSE_DEVICE_SLOW},
	 DIRECTION_NONE,
	 1U << GUESS_DEVICE_BUSY},
	{"slow-disk",
	 {CAUSE_DISK_BUSY, CAUSE_DEVICE_SLOW},
	 DIRECTION_NONE,
	 1U << GUESS_DEVICE_SLOW | 1U << GUESS_DEVICE_TAIL},
	{"device-slow", {CAUSE_DISK_BUSY, CAUSE_DEVICE_SLOW}, DIRECTION_NONE, 0},
	{"network-hog", {CAUSE_NETWORK_HOG, CAUSE_NETWORK_HOG}, DIRECTION_NONE, 0},
	{"write-network-hog", {CAUSE_NETWORK_HOG, CAUSE_NETWORK_HOG}, DIRECTION_NONE, 0},
	{"read-network-hog", {CAUSE_NETWORK_HOG, CAUSE_NETWORK_HOG}, DIRECTION_NONE, 0},
	{"write-net-hog", {CAUSE_NETWORK_HOG, CAUSE_NETWORK_HOG}, DIRECTION_NONE, 0},
	{"read-net-hog", {CAUSE_NETWORK_HOG, CAUSE_NETWORK_HOG}, DIRECTION_NONE, 0},
	{"packet-loss", {CAUSE_PACKET_LOSS, CAUSE_PACKET_LOSS}, DIRECTION_BOTH, 0},
	{"send-packet-loss", {CAUSE_PACKET_LOSS, CAUSE_PACKET_LOSS}, DIRECTION_SEND, 0},
	{"receive-packet-loss", {CAUSE_PACKET_LOSS, CAUSE_PACKET_LOSS}, DIRECTION_RECEIVE, 0},
	{"send-loss", {CAUSE_PACKET_LOSS, CAUSE_PACKET_LOSS}, DIRECTION_SEND, 0},
	{"recv-loss", {CAUSE_PACKET_LOSS, CAUSE_PACKET_LOSS}, DIRECTION_RECEIVE, 0},
	{"cpu-hog", {CAUSE_NONE, CAUSE_CPU_HOG}, DIRECTION_NONE, 0},
	{"mem-hog", {CAUSE_NONE, CAUSE_MEMORY_PRESSURE}, DIRECTION_NONE, 0},
	{"memory-pressure", {CAUSE_NONE, CAUSE_MEMORY_PRESSURE}, DIRECTION_NONE, 0},
	{"hang", {CAUSE_NONE, CAUSE_HUNG}, DIRECTION_NONE, 0},
	{"busy-lock", {CAUSE_NONE, CAUSE_BUSY_LOCK}, DIRECTION_NONE, 0},
	{"busy-code", {CAUSE_NONE, CAUSE_BUSY_CODE}, DIRECTION_NONE, 0},
	/* Of an engine's slave. */
	{"loss", {CAUSE_PACKET_LOSS, CAUSE_PACKET_LOSS}, DIRECTION_BOTH, 0},
	{"cut-off", {CAUSE_NONE, CAUSE_HUNG}, DIRECTION_NONE, 0},
	{"tracker-hang", {CAUSE_NONE, CAUSE_HUNG}, DIRECTION_NONE, 0},
	{"datanode-hang", {CAUSE_NONE, CAUSE_HUNG}, DIRECTION_NONE, 0},
	{"map-hang", {CAUSE_NONE, CAUSE_FAILING}, DIRECTION_NONE, 0},
	{"reduce-hang", {CAUSE_NONE, CAUSE_FAILING}, DIRECTION_NONE, 0},
	{"task-hang", {CAUSE_NONE, CAUSE_FAILING}, DIRECTION_NONE, 0},
	{"disk-full", {CAUSE_NONE, CAUSE_FAILING}, DIRECTION_NONE, 0},
	{"hung", {CAUSE_NONE, CAUSE_HUNG}, DIRECTION_NONE, 0},
	{"io-scheduler", {CAUSE_NONE, CAUSE_IO_SCHEDULER}, DIRECTION_NONE, 0},
};

/* More demand for one server, another model of disk, all slowed, maintenance, a client that loses
 * packets, a disturbance that is soon over, fewer processors, data that lie on one server. */
static const char *const harmless[] = {"none",	       "imbalance", "hardware", "fleet", "scrub",
				       "lossy-client", "burst",	    "half-cpu", "skew"};

const struct known_fault *truth_fault(const char *name)
{
	return find_if(i, known, sizeof(known) / sizeof(*known), !strcmp(known[i].name, name));
}

bool truth_names(const struct known_fault *f, enum cause cause)
{
	return f && cause != CAUSE_NONE && any_of(v, VOCABULARIES, f->cause[v] == cause);
}

bool truth_harmless(const char *fault)
{
	return any_of(i, sizeof(harmless) / sizeof(*harmless), !strcmp(harmless[i], fault));
}

/* Where each column is, -1: nowhere. 0 or -EINVAL after a message. */
static int find_columns(const struct lines *l, const struct field *f, ssize_t n,
			ssize_t at[COLUMNS])
{
	for (int c = 0; c < COLUMNS; c++) {
		at[c] = -1;
		for (ssize_t i = 0; i < n; i++) {
			if (strcmp(f[i].s, columns[c].name))
				continue;
			if (at[c] >= 0)
				return lines_bad(l, "two columns are called '%s'", columns[c].name);
			at[c] = i;
		}
		if (columns[c].needed && at[c] < 0)
			return lines_bad(l, "no column is called '%s'", columns[c].name);
	}
	return 0;
}

/* `name`, seen from the folder of the truth file. NULL: no memory. */
static char *beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	char *joined;
	int folder = slash && *name != '/' ? (int)(slash + 1 - path) : 0;

	return asprintf(&joined, "%.*s%s", folder, path, name) < 0 ? NULL : joined;
}

/* The names in `text`, which is cut up. 0, -ENOMEM, or -EINVAL after a message. */
static int split_nodes(const struct lines *l, char *text, struct labelled *run)
{
	char *rest = NULL;
	size_t most = strlen(text) / 2 + 1;

	if (most > TRUTH_NODES_MAX)
		most = TRUTH_NODES_MAX;
	run->nodes = calloc(most, sizeof(*run->nodes));
	if (!run->nodes)
		return -ENOMEM;
	for (char *w = strtok_r(text, " \t\n", &rest); w; w = strtok_r(NULL, " \t\n", &rest)) {
		if (strlen(w) >= HOST_LEN)
			return lines_bad(l, "'%.20s…' is longer than any server's name", w);
		for (size_t i = 0; i < run->n_nodes; i++)
			if (!strcmp(run->nodes[i], w))
				return lines_bad(l, "'%s' is named twice", w);
		if (run->n_nodes == most)
			return lines_bad(l, "more than %d faulty servers", TRUTH_NODES_MAX);
		run->nodes[run->n_nodes++] = w;
	}
	return 0;
}

static int read_time(const struct lines *l, enum truth_column c, const char *text, int64_t *ns)
{
	char why[WHY_LEN];

	if (!*text || !time_said(text, NULL, ns, why))
		return 0;
	return lines_bad(l, "'%.40s' is no time for '%s': %s", text, columns[c].name, why);
}

/* Whether what a label says fits together. 0, or -EINVAL after a message. */
static int check_label(const struct lines *l, const struct labelled *run, const char *source)
{
	bool faulty = !truth_harmless(run->fault);
	const char *wrong = NULL;

	if (!*source)
		wrong = "no source";
	else if (faulty && !run->n_nodes)
		wrong = "a fault, but no node that has it";
	else if (!strcmp(run->fault, "none") && run->n_acting)
		wrong = "a node, but no fault";
	else if (run->from_ns >= run->to_ns)
		wrong = "the fault ends before it begins";
	return wrong ? lines_bad(l, "%s", wrong) : 0;
}

/* The fields that are columns, one after the other, in memory of the run's own; NULL: no memory. */
static char *keep_words(const struct field *f, const ssize_t at[COLUMNS], char *word[COLUMNS])
{
	size_t size = 1;
	char *words, *to;

	for (int c = 0; c < COLUMNS; c++)
		size += at[c] < 0 ? 0 : f[at[c]].len + 1;
	words = calloc(size, 1);
	to = words ? words + 1 : NULL;
	for (int c = 0; c < COLUMNS && words; c++) {
		word[c] = words; /* "" */
		if (at[c] < 0)
			continue;
		word[c] = memcpy(to, f[at[c]].s, f[at[c]].len + 1);
		to += f[at[c]].len + 1;
	}
	return words;
}

static int read_run(const struct lines *l, const struct field *f, const ssize_t at[COLUMNS],
		    struct labelled *run)
{
	char *word[COLUMNS];
	int err;

	run->words = keep_words(f, at, word);
	if (!run->words)
		return -ENOMEM;
	run->cluster = word[CLUSTER];
	run->workload = word[WORKLOAD];
	run->intensity = word[INTENSITY];
	run->fault = *word[FAULT] ? word[FAULT] : "none";
	run->known = truth_fault(run->fault);
	err = split_nodes(l, word[NODE], run);
	if (truth_harmless(run->fault)) {
		run->n_acting = run->n_nodes;
		run->n_nodes = 0;
	}
	err = err ?: read_time(l, FROM, word[FROM], &run->from_ns);
	err = err ?: read_time(l, TO, word[TO], &run->to_ns) ?: check_label(l, run, word[SOURCE]);
	if (err)
		return err;
	run->source = beside(run->file, word[SOURCE]);
	if (*word[MODEL])
		run->model = beside(run->file, word[MODEL]);
	return run->source && (run->model || !*word[MODEL]) ? 0 : -ENOMEM;
}

static void release_run(struct labelled *run)
{
	free(run->words);
	free(run->source);
	free(run->model);
	free(run->nodes);
}

static int read_runs(struct truth *t, const char *path, struct lines *l)
{
	struct field f[TRUTH_COLUMNS_MAX];
	ssize_t at[COLUMNS], width = lines_next(l, f, TRUTH_COLUMNS_MAX), n = width;
	int err = n < 0 ? (int)n : n ? find_columns(l, f, n, at) : 0;
	size_t before = t->n;

	while (!err && n > 0 && (n = lines_next(l, f, TRUTH_COLUMNS_MAX)) > 0) {
		struct labelled run = {
			.file = path, .line = l->line, .from_ns = INT64_MIN, .to_ns = INT64_MAX};

		if (n != width)
			return lines_bad(l, "%zd field%s, and %zd columns have names", n,
					 text_plural(n), width);
		if (t->n == TRUTH_RUNS_MAX)
			return lines_bad(l, "more than %d runs", TRUTH_RUNS_MAX);
		err = read_run(l, f, at, &run) ?: array_put(&t->at, &t->n, run);
		if (err)
			release_run(&run);
	}
	if (!err && n < 0)
		err = (int)n;
	if (!err && t->n == before)
		err = fail("'%s' lists no run", path);
	return err;
}

int truth_read(struct truth *t, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err, damaged;
	struct lines l;

	if (fd < 0) {
		err = -errno;
		fail("cannot open '%s': %s", path, strerror(-err));
		return err;
	}
	err = lines_open(&l, path, fd) ?: read_runs(t, path, &l);
	if (err == -ENOMEM)
		fail("out of memory");
	damaged = lines_close(&l);
	return err ?: damaged;
}

void truth_release(struct truth *t)
{
	for (size_t i = 0; i < t->n; i++)
		release_run(&t->at[i]);
	free(t->at);
	*t = (struct truth){0};
}
