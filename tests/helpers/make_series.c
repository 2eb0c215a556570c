// SPDX-License-Identifier: BSD-2-Clause
/*
 * make_series DIR [INTERVAL_MS] < CSV: series files from lines "second,node,metric,instance,value",
 * so that tests can make any input. Where tcp and remote have metrics of one name, "remote:NAME" is
 * the other; of the metric "stack", instance and value are a stack of that minute and its count, after the
 * seconds of its node before; of "user_stack" the instance is lines of one, with '|' between them. Besides:
 *
 *   draw:read, draw:write   of a disk, value "COUNT MEDIAN_MS [DEVICE_MS]": so many requests of 64 KiB whose times are drawn
 *                           around that median (ln: 0.4), in the histograms, with r/s, rkB/s, r_await, r_dev and what
 *                           they add to aqu-sz; DEVICE_MS 0: not measured; draw:runq: so many switches of that run-queue delay
 *   seed                    of all that is drawn from here on
 *   model                   of a disk: its model
 *   cgroup, own             of a process: its control group; of a node, with a path for instance: it is the file system's
 *
 * make_series --noise SECONDS,DISKS,REMOTES,PROCESSES DIR [INTERVAL_MS]: so many seconds of a busy
 * server "noise" that does not exist (tools/bench.d/series_noise.h), from 2026-11-21T00:00:00Z on. With
 * NOISE_ONLY in the environment nothing is written, for measuring what the noise alone takes. Lines of one node and second must follow each other; a second
 * that comes again later is written again, as after a clock that was set back. An empty value or
 * "nan" is NULL in the file. Lines that begin with '#' are passed over.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stat/rng.h"
#include "userspace/common/options.h"
#include "userspace/series/series.h"
#include "tools/bench.d/series_noise.h"

#define NODES 4096
#define OWNS  8

struct node {
	char name[HOST_LEN];
	double at; /* the second being gathered; NaN: none yet */
	struct second second;
	struct series_writer *writer;
	char *own[OWNS];
	size_t n_own;
};

static struct node nodes[NODES];
static size_t n_nodes;

static int flush(struct node *n)
{
	if (isnan(n->at))
		return 0;
	if (series_writer_append(n->writer, &n->second))
		return fail("%s", series_error());
	second_clear(&n->second);
	n->second.seq++;
	return 0;
}

static struct node *find(const char *name, const char *dir, unsigned int interval_ms)
{
	struct series_writer_opts o = {
		.dir = dir, .host = name, .interval_ms = interval_ms, .tool = "make_series"};
	static size_t last;

	if (last < n_nodes && !strcmp(nodes[last].name, name))
		return &nodes[last];
	for (last = 0; last < n_nodes; last++)
		if (!strcmp(nodes[last].name, name))
			return &nodes[last];
	if (n_nodes == NODES || strlen(name) >= HOST_LEN)
		return NULL;
	strcpy(nodes[last].name, name);
	nodes[last].at = NAN;
	second_init(&nodes[last].second);
	if (series_writer_new(&nodes[last].writer, &o)) {
		fail("%s", series_error());
		return NULL;
	}
	n_nodes++;
	return &nodes[last];
}

static struct second_row *find_row(struct node *n, enum metric_family family, const char *instance,
				   unsigned int hists)
{
	struct second *s = &n->second;

	for (size_t i = 0; i < s->n_rows; i++)
		if (s->rows[i].family == family && !strcmp(s->rows[i].instance, instance))
			return &s->rows[i];
	return second_add_row(s, family, instance, hists);
}

static int put(struct node *n, enum metric_id metric, const char *instance, double value)
{
	struct second_row *row = find_row(n, metrics[metric].family, instance, 0);

	if (!row)
		return fail("out of memory");
	second_set(row, metric, value);
	return 0;
}

static struct rng draws;

/* Around a median; the mean of what was drawn. */
static double draw(uint32_t *at, unsigned int count, double median_ms, unsigned int shift,
		   unsigned int sub_bits)
{
	double sum = 0;

	for (unsigned int i = 0; i < count; i++) {
		double ms = median_ms * exp(0.4 * rng_normal(&draws));

		at[bucket_of((uint64_t)(ms * 1e6) >> shift, sub_bits)]++;
		sum += ms;
	}
	return count ? sum / count : NAN;
}

static int draw_requests(struct node *n, int op, const char *disk, unsigned int count, double ms,
			 double device_ms)
{
	static const int rate[] = {M_R_S, M_W_S}, kb[] = {M_RKB_S, M_WKB_S};
	static const int await[] = {M_R_AWAIT, M_W_AWAIT}, dev[] = {M_R_DEV, M_W_DEV};
	struct second_row *row = find_row(n, FAM_DISK, disk, HIST_LAT | HIST_DEV);
	double per_s = count / n->second.interval_s, queue;

	if (!row || !row->lat || !row->dev)
		return fail("what is drawn of a disk comes before what else is said of it");
	second_set(row, rate[op], per_s);
	second_set(row, kb[op], 64 * per_s);
	second_set(row, await[op], draw(row->lat->n[op][1], count, ms, LAT_SHIFT, LAT_SUB_BITS));
	if (device_ms > 0)
		second_set(row, dev[op],
			   draw(row->dev->n[op][1], count, device_ms, LAT_SHIFT, LAT_SUB_BITS));
	queue = second_value(row, M_AQU_SZ);
	queue = isnan(queue) ? 0 : queue;
	second_set(row, M_AQU_SZ,
		   queue + per_s * (count ? second_value(row, await[op]) : 0) / 1000);
	return 0;
}

static int put_drawn(struct node *n, const char *what, const char *instance, const char *value)
{
	unsigned int count;
	double ms, device_ms;
	struct second_row *row;
	int fields = sscanf(value, "%u %lf %lf", &count, &ms, &device_ms);

	if (fields < 2 || count > 1000000 || ms <= 0)
		return fail("'%s' is not COUNT MEDIAN_MS [DEVICE_MS]", value);
	if (!strcmp(what, "read") || !strcmp(what, "write"))
		return draw_requests(n, *what == 'w', instance, count, ms,
				     fields > 2 ? device_ms : ms);
	row = strcmp(what, "runq") ? NULL : find_row(n, FAM_HOST, "", HIST_RUNQ);
	if (!row || !row->runq)
		return fail("cannot draw '%s': it is unknown, or its row is there without", what);
	second_set(row, M_CSWCH_S, count / n->second.interval_s);
	second_set(row, M_RUNQ_DELAY, draw(row->runq->n, count, ms, RUNQ_SHIFT, RUNQ_SUB_BITS));
	return 0;
}

/* What is known of a node and of what it has, and not of a second. */
static int put_known(struct node *n, const char *what, const char *instance, const char *value)
{
	struct device_identity id = {.family = strcmp(what, "model") ? FAM_PROCESS : FAM_DISK,
				     .rotational = -1,
				     .size_bytes = -1,
				     .speed_mbps = -1};
	int err;

	if (!strcmp(what, "own")) {
		if (n->n_own == OWNS || !(n->own[n->n_own] = strdup(instance)))
			return fail("cannot keep '%s'", instance);
		n->n_own++;
		err = series_writer_set_cgroups(n->writer, (const char *const *)n->own, n->n_own);
	} else {
		snprintf(id.name, sizeof(id.name), "%s", instance);
		series_copy_text(id.family == FAM_DISK ? id.model : id.detail,
				 id.family == FAM_DISK ? sizeof(id.model) : sizeof(id.detail),
				 value);
		if (id.family == FAM_DISK)
			id.rotational = 1;
		err = series_writer_identity(n->writer, &id);
	}
	return err ? fail("%s", series_error()) : 0;
}

/* Of one minute, behind the seconds before. */
static int put_stack(struct node *n, enum series_stacks kind, double second, const char *stack,
		     const char *count)
{
	int64_t at = (int64_t)llround(second * 1e3) * 1000000;
	char *line;
	int err;

	if (flush(n))
		return -1;
	n->at = NAN;
	if (asprintf(&line, "%s %s\n", stack, count) < 0)
		return fail("out of memory");
	for (char *c = line; kind == STACKS_USER && (c = strchr(c, '|'));)
		*c = '\n';
	err = series_writer_stacks(n->writer, kind, at, at + 60000000000LL, line);
	free(line);
	return err ? fail("%s", series_error()) : 0;
}

static int begin_second(struct node *n, double second, unsigned int interval_ms)
{
	if (flush(n))
		return -1;
	n->at = second;
	n->second.wall_ns = (int64_t)llround(second * 1e3) * 1000000;
	n->second.mono_ns += (uint64_t)interval_ms * 1000000;
	n->second.interval_s = interval_ms / 1000.0;
	return 0;
}

static int add_line(char *line, const char *dir, unsigned int interval_ms)
{
	char *field[5], *rest = line, *end;
	double second, value = NAN;
	struct node *n;
	int metric;

	line[strcspn(line, "\r\n")] = 0;
	for (int i = 0; i < 5; i++) {
		field[i] = strsep(&rest, ",");
		if (!field[i])
			return fail("five fields are needed: second,node,metric,instance,value");
	}
	if (parse_double(field[0], 0, 9e9, &second))
		return fail("'%s' is not a second", field[0]);
	metric = strncmp(field[2], "remote:", 7) ? metric_by_name(field[2])
						 : metric_in_family(FAM_REMOTE, field[2] + 7);
	if (!strcmp(field[2], "stack") || !strcmp(field[2], "user_stack")) {
		n = find(field[1], dir, interval_ms);
		return n ? put_stack(n, *field[2] == 'u' ? STACKS_USER : STACKS_MET, second,
				     field[3], field[4])
			 : -1;
	}
	if (!strcmp(field[2], "seed")) {
		rng_seed(&draws, strtoull(field[4], NULL, 10));
		return 0;
	}
	n = find(field[1], dir, interval_ms);
	if (!n)
		return fail("cannot add the node '%s'", field[1]);
	if (!strcmp(field[2], "model") || !strcmp(field[2], "cgroup") || !strcmp(field[2], "own"))
		return put_known(n, field[2], field[3], field[4]);
	if (n->at != second && begin_second(n, second, interval_ms))
		return -1;
	if (!strncmp(field[2], "draw:", 5))
		return put_drawn(n, field[2] + 5, field[3], field[4]);
	if (metric < 0)
		return fail("'%s' is not a metric", field[2]);
	if (*field[4]) {
		value = strtod(field[4], &end);
		if (*end)
			return fail("'%s' is not a value", field[4]);
	}
	return put(n, (enum metric_id)metric, field[3], value);
}

static int make_noise(const char *words, const char *dir, unsigned int interval_ms)
{
	struct series_writer_opts o = {
		.dir = dir, .host = "noise", .interval_ms = interval_ms, .tool = "make_series"};
	struct series_writer *w = NULL;
	struct noise n;
	struct second s;
	int seconds, disks, remotes, processes, err = 0;
	char end;

	if (sscanf(words, "%d,%d,%d,%d%c", &seconds, &disks, &remotes, &processes, &end) != 4 ||
	    seconds < 0 || disks < 0 || remotes < 0 || processes < 0)
		return fail("'--noise %s' is not SECONDS,DISKS,REMOTES,PROCESSES", words);
	second_init(&s);
	noise_init(&n, disks, remotes, processes, interval_ms);
	if (series_writer_new(&w, &o))
		err = fail("%s", series_error());
	for (int i = 0; !err && i < seconds; i++) {
		if (noise_second(&n, &s, NOISE_BEGIN + (int64_t)i * interval_ms / 1000))
			err = fail("out of memory");
		/* Without a writer's cost: how long the noise alone takes. */
		else if (!getenv("NOISE_ONLY") && series_writer_append(w, &s))
			err = fail("%s", series_error());
	}
	if (series_writer_free(w) && !err)
		err = fail("%s", series_error());
	second_release(&s);
	return err;
}

int main(int argc, char **argv)
{
	unsigned int interval_ms = 1000;
	char *line = NULL;
	size_t room = 0;
	int err = 0;

	program_name = "make_series";
	if (argc > 3 && !strcmp(argv[1], "--noise")) {
		if (argc > 5 || (argc == 5 && parse_uint(argv[4], 1, 3600000, &interval_ms)))
			return EXIT_USAGE;
		return make_noise(argv[2], argv[3], interval_ms) ? EXIT_FAILED : EXIT_DONE;
	}
	if (argc < 2 || argc > 3 || (argc == 3 && parse_uint(argv[2], 1, 3600000, &interval_ms))) {
		fail("usage: make_series DIR [INTERVAL_MS] < CSV");
		return EXIT_USAGE;
	}
	rng_seed(&draws, 7);
	while (!err && getline(&line, &room, stdin) > 0)
		if (*line != '#' && *line != '\n')
			err = add_line(line, argv[1], interval_ms);
	free(line);
	for (size_t i = 0; i < n_nodes; i++) {
		if (!err)
			err = flush(&nodes[i]);
		if (series_writer_free(nodes[i].writer) && !err)
			err = fail("%s", series_error());
		second_release(&nodes[i].second);
		for (size_t k = 0; k < nodes[i].n_own; k++)
			free(nodes[i].own[k]);
	}
	return err ? EXIT_FAILED : EXIT_DONE;
}
