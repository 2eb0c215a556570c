// SPDX-License-Identifier: BSD-2-Clause
/*
 * frame.h and the tables of source.h: lines of tables onto the frame's grid.
 *
 * With arguments it is no test but prints a grid, a line per cell that has a value, for
 * tests/numeric/table_reference.py:
 *
 *   test_frame_table TIME NODE INSTANCE COUNTERS INTERVAL FROM_NS TO_NS FILE…
 *
 * where "" is an option that is not given and COUNTERS are separated by blanks.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/source/frame/frame.h"
#include "userspace/common/options.h"

static char folder[64];
static char said[4096];

static int setup(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/limpet-grid.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static char *put(const char *name, const char *text)
{
	static char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	return path;
}

struct loaded {
	struct sources s;
	struct frame f;
};

static const struct frame_opts all = {.to_ns = INT64_MAX};

/* What it says on stderr goes to `said`. */
static int load(struct loaded *l, char *const *paths, size_t n, const struct table_opts *t,
		const struct frame_opts *o)
{
	char log[128];
	int old = dup(STDERR_FILENO), fd, err;
	ssize_t len;

	snprintf(log, sizeof(log), "%s/log", folder);
	fd = open(log, O_RDWR | O_CREAT | O_TRUNC, 0600);
	dup2(fd, STDERR_FILENO);
	*l = (struct loaded){0};
	err = sources_open(&l->s, paths, n, t, NULL);
	if (!err)
		err = frame_open(&l->f, &l->s, o);
	if (!err)
		err = frame_slice(&l->f, 0, l->f.n_times);
	dup2(old, STDERR_FILENO);
	close(old);
	len = pread(fd, said, sizeof(said) - 1, 0);
	said[len > 0 ? len : 0] = 0;
	close(fd);
	return err;
}

static int load_text(struct loaded *l, const char *text, const struct table_opts *t,
		     const struct frame_opts *o)
{
	char *path = put("x.csv", text);

	return load(l, &path, 1, t, o);
}

static void release(struct loaded *l)
{
	frame_release(&l->f);
	sources_release(&l->s);
}

static double at(const struct loaded *l, const char *metric, size_t node, size_t column)
{
	size_t m = frame_find(&l->f, metric);

	assert_true(m != SIZE_MAX && node < l->f.n_nodes);
	return frame_row(&l->f, m, node)[column - l->f.cells->at];
}

static const struct table_opts none;

static void nodes_in_order_and_gaps_are_nan(void **state)
{
	struct loaded l;

	(void)state;
	assert_int_equal(load_text(&l,
				   "time,node,y,x\n107,b,1,2\n105,a,3,4\n106,a,5,\n"
				   "107,a,7,8\n110,b,9,10\n111,b,9,11\n112,b,9,12\n",
				   &none, &all),
			 0);
	assert_true(l.s.tabular);
	assert_int_equal(l.f.n_nodes, 2);
	assert_string_equal(l.f.nodes[0], "a");
	assert_string_equal(l.f.nodes[1], "b");
	assert_int_equal(l.f.n_times, 8);
	assert_int_equal(l.f.interval_ms, 1000);
	assert_int_equal(l.f.first_ns, 105000000000);
	assert_string_equal(l.f.metrics[0].name, "y");
	assert_string_equal(l.f.metrics[1].name, "x");
	assert_int_equal(l.f.metrics[0].known, -1);
	assert_true(at(&l, "x", 0, 0) == 4 && isnan(at(&l, "x", 0, 1)) && at(&l, "x", 0, 2) == 8);
	assert_true(at(&l, "y", 0, 1) == 5 && isnan(at(&l, "x", 0, 5)));
	assert_true(isnan(at(&l, "x", 1, 0)) && at(&l, "x", 1, 2) == 2 && at(&l, "x", 1, 7) == 12);
	assert_int_equal(l.f.n_seen[0], 3);
	assert_int_equal(l.f.n_seen[1], 4);
	assert_int_equal(l.f.cells->there[1], 1); /* node a has y */
	release(&l);
}

/* Each slice is a view, and what is seen is counted once however slices overlap. */
static void slices_are_views(void **state)
{
	char text[4096], *p = text + sprintf(text, "time,node,x\n");
	struct loaded l;

	(void)state;
	for (int i = 0; i < 100; i++)
		p += sprintf(p, "%d,a,%d\n%d,b,%d\n", i, i, i, 1000 + i);
	assert_int_equal(load_text(&l, text, &none, &all), 0);
	assert_int_equal(l.f.n_seen[0], 100);
	for (size_t from = 0; from < 90; from += 7) {
		assert_int_equal(frame_slice(&l.f, from, from + 10), 0);
		for (size_t c = from; c < from + 10; c++)
			assert_true(at(&l, "x", 1, c) == 1000 + (double)c);
	}
	assert_int_equal(l.f.n_seen[0], 100);
	assert_int_equal(frame_common(&l.f, 84, 94, 2), 10);
	release(&l);
}

/* Clocks that jitter, and two that differ by almost half a step: each second in its own column. */
static void jitter_stays_in_its_column(void **state)
{
	static const double jitter[] = {0.02, 0.08, -0.07, 0.1, -0.1, 0.03};
	char text[16384], *p = text + sprintf(text, "time,node,x\n");
	struct loaded l;

	(void)state;
	for (int i = 0; i < 100; i++) {
		p += sprintf(p, "%.3f,a,%d\n", 100 + i + jitter[i % 6], i);
		p += sprintf(p, "%.3f,b,%d\n", 100.45 + i + jitter[i % 5], i);
	}
	assert_int_equal(load_text(&l, text, &none, &all), 0);
	assert_int_equal(l.f.interval_ms, 1000);
	assert_int_equal(l.f.n_times, 100);
	assert_int_equal(l.f.first_ns, 100000000000);
	for (size_t c = 0; c < 100; c++)
		assert_true(at(&l, "x", 0, c) == (double)c && at(&l, "x", 1, c) == (double)c);
	release(&l);
}

/* Clocks that wander through all of the second: the limit is where samples are rare on the whole, not
 * where there happens to be none. */
static void a_hole_is_no_limit(void **state)
{
	char *text = malloc(1 << 20), *p = text + sprintf(text, "time,node,x\n");
	struct table_opts t = {.interval_s = 1};
	struct loaded l;

	(void)state;
	for (int i = 0; i < 97 * 89; i++) {
		double phase = (i % 97 / 97.0 + i % 89 / 89.0) / 2 - 0.5; /* mostly near 0 */

		if (fabs(phase - 0.1) > 0.01)
			p += sprintf(p, "%.6f,a,1\n", 1000 + i + phase);
	}
	assert_int_equal(load_text(&l, text, &t, &all), 0);
	assert_in_range(l.f.cells->limit_ns % 1000000000, 400000000, 600000000);
	release(&l);
	free(text);
}

static void wider_columns_are_means(void **state)
{
	struct table_opts t = {.interval_s = 4};
	struct frame_opts o = {.from_ns = 100000000000, .to_ns = 108000000000};
	struct loaded l;

	(void)state;
	assert_int_equal(load_text(&l,
				   "time,node,x\n99,a,50\n100,a,1\n101,a,2\n102,a,3\n103,a,6\n"
				   "104,a,10\n105,a,\n106,a,20\n107,a,30\n108,a,50\n",
				   &t, &o),
			 0);
	assert_int_equal(l.f.interval_ms, 4000);
	/* half a second before 101: the fewest samples come at 101, 105… */
	assert_int_equal(l.f.n_times, 3);
	assert_true(at(&l, "x", 0, 0) == 1);
	assert_true(at(&l, "x", 0, 1) == (2 + 3 + 6 + 10) / 4.0);
	assert_true(at(&l, "x", 0, 2) == 25);
	release(&l);
}

#define INSTANCES                                                                     \
	"time,node,disk,tps,rkB/s,await,%util,temp,ops\n"                             \
	"1,a,sda,10,100,2,30,40,0\n1,a,sdb,30,200,6,20,50,0\n1,a,sdc,0,,99,90,60,0\n" \
	"2,a,sda,0,7,5,30,40,10\n2,a,sdb,0,8,5,20,50,20\n2,a,sdc,,9,3,,,30\n"

/* As frame.h says: sums, the maximum, await weighted by tps; others: the mean, counters the sum. */
static void instances_become_one(void **state)
{
	struct table_opts t = {.instance = "disk", .counters = {(const char *[]){"ops"}, 1}};
	struct loaded l;

	(void)state;
	assert_int_equal(load_text(&l, INSTANCES, &t, &all), 0);
	assert_true(at(&l, "tps", 0, 0) == 40);
	assert_true(at(&l, "rkB/s", 0, 0) == 300);
	assert_true(at(&l, "await", 0, 0) == (2 * 10 + 6 * 30) / 40.0);
	assert_true(at(&l, "%util", 0, 0) == 90);
	assert_true(at(&l, "temp", 0, 0) == 50);
	assert_true(isnan(at(&l, "ops", 0, 0)) && at(&l, "ops", 0, 1) == 60);
	/* no I/O: no await, but for the one whose rate was not measured, which counts once */
	assert_true(at(&l, "await", 0, 1) == 3);
	assert_true(at(&l, "%util", 0, 1) == 30);
	assert_int_equal(l.f.metrics[frame_find(&l.f, "await")].known, M_AWAIT);
	release(&l);
	/* the column's name says so by itself */
	t.instance = NULL;
	assert_int_equal(load_text(&l, INSTANCES, &t, &all), 0);
	assert_true(at(&l, "tps", 0, 0) == 40 && l.f.duplicates == 0);
	release(&l);
}

static void events_of_one_interval_are_averaged(void **state)
{
	struct loaded l;

	(void)state;
	assert_int_equal(
		load_text(&l,
			  "time,node,state,duration\n1,a,write,2\n1,a,write,4\n1,a,read,1\n"
			  "2,a,write,8\n2,b,write,5\n1,b,write,1\n",
			  &none, &all),
		0);
	assert_true(at(&l, "write", 0, 0) == 3 && at(&l, "write", 0, 1) == 8);
	assert_true(at(&l, "read", 0, 0) == 1 && isnan(at(&l, "read", 0, 1)));
	assert_int_equal(l.f.duplicates, 0);
	release(&l);
}

static void metrics_asked_for(void **state)
{
	struct string_list asked = {(const char *[]){"await"}, 1}, no = {(const char *[]){"zz"}, 1};
	struct frame_opts o = all;
	bool wanted[M_COUNT] = {false};
	struct loaded l;

	(void)state;
	o.asked = &asked;
	o.wanted = wanted;
	assert_int_equal(load_text(&l, "time,node,x,await\n1,a,2,3\n", &none, &o), 0);
	assert_int_equal(l.f.n_metrics, 1);
	assert_true(l.f.metrics[0].asked && at(&l, "await", 0, 0) == 3);
	release(&l);
	o.asked = &no;
	assert_int_equal(load_text(&l, "time,node,x,await\n1,a,2,3\n", &none, &o), -EINVAL);
	assert_non_null(strstr(said, "the table has no metric 'zz'"));
	release(&l);
	/* of a table every column, whatever methods want; of sysstat's what they want */
	o.asked = NULL;
	wanted[M_TXKB_S] = true;
	assert_int_equal(load_text(&l, "time,node,x,await\n1,a,2,3\n", &none, &o), 0);
	assert_int_equal(l.f.n_metrics, 2);
	release(&l);
	assert_int_equal(load_text(&l,
				   "# hostname;interval;timestamp;IFACE;rxkB/s;txkB/s\n"
				   "a;1;1;e0;2;3\na;1;1;e1;2;4\n",
				   &none, &o),
			 0);
	assert_int_equal(l.f.n_metrics, 1);
	assert_true(at(&l, "txkB/s", 0, 0) == 7);
	release(&l);
}

static void what_does_not_fit_a_grid(void **state)
{
	struct frame_opts o = {.from_ns = 50, .to_ns = 60};
	struct table_opts t = {.interval_s = 0.001};
	char *text = malloc(1 << 20), *p = text;
	struct loaded l;

	(void)state;
	assert_int_equal(load_text(&l, "time,node,x\n2,a,2\n1,a,2\n3,a,2\n", &none, &o), -ENODATA);
	assert_non_null(strstr(said,
			       "no value of the table lies in the time asked for: it has values "
			       "from 1970-01-01T00:00:01Z to 1970-01-01T00:00:03Z"));
	release(&l);
	assert_int_equal(load_text(&l, "time,node,x\n1,a,\n", &none, &all), -ENODATA);
	release(&l);
	assert_int_equal(load_text(&l, "time,node,x\n1,a,2\n2,a,2\n3,a,2\n4,a,3\n40000000,bad,3\n",
				   &none, &all),
			 -E2BIG);
	assert_non_null(strstr(said, "('a') to 1971-04-08T23:06:40Z ('bad'): more than 400 days"));
	release(&l);
	assert_int_equal(
		load_text(&l, "time,node,x\n1,a,2\n2,a,2\n3,a,2\n34000000,a,3\n", &t, &all),
		-E2BIG);
	assert_non_null(strstr(said, "too much to hold at once"));
	release(&l);
	assert_int_equal(
		load_text(&l, "time,node,x\n1,a,2\n2,a,2\n3,a,2\n30000000,a,3\n", &none, &all),
		-E2BIG);
	assert_non_null(strstr(said, "4 values are spread over 30000000 intervals"));
	release(&l);
	p += sprintf(p, "time,node");
	for (int i = 0; i < FRAME_METRICS_MAX + 1; i++)
		p += sprintf(p, ",m%d", i);
	p += sprintf(p, "\n1,a");
	for (int i = 0; i < FRAME_METRICS_MAX + 1; i++)
		p += sprintf(p, ",1");
	assert_int_equal(load_text(&l, text, &none, &all), -E2BIG);
	assert_non_null(strstr(said, "1025 metrics are too many"));
	release(&l);
	free(text);
}

static void damage_is_missing(void **state)
{
	struct loaded l;

	(void)state;
	assert_int_equal(
		load_text(&l, "time,node,x\n1,a,inf\n2,a,1e19\n3,a,-1e300\n4,a,5\n", &none, &all),
		0);
	assert_int_equal(l.f.damaged, 3);
	assert_true(isnan(at(&l, "x", 0, 0)) && at(&l, "x", 0, l.f.n_times - 1) == 5);
	release(&l);
}

static void one_command_takes_one_kind(void **state)
{
	char one[256], two[256], *paths[] = {one, two}, *folder_path = folder;
	struct loaded l;

	(void)state;
	strcpy(one, put("t.csv", "time,node,x\n1,a,2\n"));
	strcpy(two, put("u.csv", "time,node,x\n1,b,2\n"));
	assert_int_equal(load(&l, paths, 2, &none, &all), 0);
	assert_int_equal(l.f.n_nodes, 2);
	release(&l);
	/* what is neither is left to the reader of series files */
	strcpy(two, put("v.limpet", "SQLite format 3"));
	truncate(two, 100);
	assert_int_equal(load(&l, paths, 2, &none, &all), 0);
	assert_non_null(strstr(said, "v.limpet': it is damaged"));
	assert_int_equal(l.f.n_nodes, 1);
	release(&l);
	unlink(two);
	/* a folder without series files: its tables, and nothing else */
	put("not-a-table.txt", "x");
	unlink(put("x.csv", ""));
	assert_int_equal(load(&l, &folder_path, 1, &none, &all), 0);
	assert_int_equal(l.f.n_nodes, 2);
	release(&l);
}

/* ---- for tests/numeric/table_reference.py ----------------------------------------------------- */

static int print_grid(int argc, char **argv)
{
	struct table_opts t = {0};
	struct frame_opts o = all;
	const char *counters[64], **own[] = {&t.time, &t.node, &t.instance};
	struct sources s = {0};
	struct frame f = {0};
	char *save = NULL;
	int err, k = 8;

	if (argc <= k)
		return 2;
	for (size_t i = 0; i < 3; i++)
		*own[i] = *argv[1 + i] ? argv[1 + i] : NULL;
	t.counters.at = counters;
	for (char *w = strtok_r(argv[4], " ", &save); w; w = strtok_r(NULL, " ", &save))
		counters[t.counters.n++] = w;
	t.interval_s = *argv[5] ? atof(argv[5]) : 0;
	if (*argv[6])
		o.from_ns = atoll(argv[6]);
	if (*argv[7])
		o.to_ns = atoll(argv[7]);
	err = sources_open(&s, argv + k, (size_t)(argc - k), &t, NULL);
	if (!err)
		err = frame_open(&f, &s, &o);
	if (!err)
		err = frame_slice(&f, 0, f.n_times);
	if (!err)
		printf("# %lld %u %zu %llu %llu %lld\n", (long long)f.first_ns, f.interval_ms,
		       f.n_times, (unsigned long long)f.duplicates,
		       (unsigned long long)s.table.resets, (long long)f.cells->limit_ns);
	for (size_t m = 0; m < f.n_metrics; m++)
		for (size_t i = 0; i < f.n_nodes; i++)
			for (size_t c = 0; c < f.n_times; c++)
				if (!isnan(frame_row(&f, m, i)[c]))
					printf("%s,%s,%zu,%.17g\n", f.metrics[m].name, f.nodes[i],
					       c, frame_row(&f, m, i)[c]);
	frame_release(&f);
	sources_release(&s);
	return err ? 1 : 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_in_order_and_gaps_are_nan),
		cmocka_unit_test(slices_are_views),
		cmocka_unit_test(jitter_stays_in_its_column),
		cmocka_unit_test(a_hole_is_no_limit),
		cmocka_unit_test(wider_columns_are_means),
		cmocka_unit_test(instances_become_one),
		cmocka_unit_test(events_of_one_interval_are_averaged),
		cmocka_unit_test(metrics_asked_for),
		cmocka_unit_test(what_does_not_fit_a_grid),
		cmocka_unit_test(damage_is_missing),
		cmocka_unit_test(one_command_takes_one_kind),
	};

	if (argc > 1)
		return print_grid(argc, argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
