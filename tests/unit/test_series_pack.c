// SPDX-License-Identifier: BSD-2-Clause
/* series.h: the packing of seconds into chunks, and the coding beneath it. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "series_util.h"

/* ---- columns of whole numbers --------------------------------------------------------------- */

static int64_t odd_number(int kind)
{
	uint64_t r = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();

	switch (kind % 6) {
	case 0: return (int64_t)(r % 3);
	case 1: return (int64_t)(r % 1000) + 1000000;
	case 2: return -(int64_t)(r % 100);
	case 3: return (int64_t)r;
	case 4: return r % 50 ? 0 : (int64_t)(r >> 3);
	default: return r % 2 ? INT64_MAX : INT64_MIN;
	}
}

static void columns_come_back(void **state)
{
	static const size_t sizes[] = {0, 1, 2, 3, 59, 60, 61, 255, 256};
	int64_t in[CODE_INTS_MAX], out[CODE_INTS_MAX];

	(void)state;
	srand(6);
	for (int round = 0; round < 3000; round++) {
		size_t n = sizes[round % 9];
		struct code_out o = {0};
		struct code_in from;

		for (size_t i = 0; i < n; i++)
			in[i] = (int64_t)((uint64_t)odd_number(round / 9) +
					  (round % 7 ? 0 : i * 1000)); /* with a slope */
		code_put_ints(&o, in, n);
		code_put_byte(&o, 0x5a); /* what follows is found */
		assert_false(o.failed);
		from = (struct code_in){.at = o.at, .end = o.at + o.len};
		code_get_ints(&from, out, n);
		assert_false(from.bad);
		assert_int_equal(code_get_byte(&from), 0x5a);
		assert_true(from.at == from.end);
		assert_memory_equal(in, out, n * sizeof(*in));
		/* Passed over, it ends where it ends. */
		from = (struct code_in){.at = o.at, .end = o.at + o.len};
		code_pass_ints(&from, n);
		assert_false(from.bad);
		assert_true(from.at + 1 == from.end);
		/* Cut short, it is noticed. */
		for (int pass = 0; pass < 2; pass++) {
			from = (struct code_in){.at = o.at, .end = o.at + o.len - 2};
			if (pass)
				code_pass_ints(&from, n);
			else
				code_get_ints(&from, out, n);
			assert_true(from.bad == (n > 0));
		}
		code_out_release(&o);
	}
}

static void garbage_is_no_column(void **state)
{
	unsigned char buf[64];
	int64_t x[CODE_INTS_MAX];
	int bad = 0;

	(void)state;
	srand(7);
	for (int round = 0; round < 20000; round++) {
		struct code_in in = {.at = buf, .end = buf + rand() % (int)sizeof(buf)}, pass = in;
		size_t n = 1 + (size_t)rand() % CODE_INTS_MAX;

		for (size_t i = 0; i < sizeof(buf); i++)
			buf[i] = (unsigned char)(rand() >> (rand() % 8));
		code_get_ints(&in, x, n);
		code_pass_ints(&pass, n);
		assert_true(in.at <= in.end);
		assert_true(pass.bad == in.bad && (in.bad || pass.at == in.at));
		bad += in.bad;
		in = (struct code_in){.at = buf, .end = buf + 20};
		code_get_unsigned(&in);
		assert_true(in.at <= in.end);
	}
	assert_true(bad > 5000);
}

/* ---- through the file ----------------------------------------------------------------------- */

static void any_number_of_seconds_comes_back(void **state)
{
	static const int sizes[] = {0, 1, 2, 29, 30, 59, 60, 61, 119, 120, 121, 300};
	struct fixture *fx = *state;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (int offset = 0; offset < 60; offset += 31) {
			struct series_reader *r;
			struct found found;

			write_seconds(fx, 0, sizes[i], T0 + offset);
			if (!sizes[i])
				continue;
			assert_int_equal(series_reader_new(&r, day_path(fx, T0)), 0);
			assert_int_equal(read_rows(r, ALL_HISTS, &found), 0);
			series_reader_free(r);
			assert_int_equal(found.wrong, 0);
			for (int f = 0; f < FAM_COUNT; f++)
				assert_int_equal(found.rows[f], sizes[i]);
			assert_true(query(day_path(fx, T0), "SELECT count(*) FROM chunk") <=
				    sizes[i] / 30 + 1);
			unlink(day_path(fx, T0));
		}
}

/* Every number is taken out of one load of eight bytes but at the end, where bytes are few. */
static void columns_come_back_wherever_they_end(void **state)
{
	int64_t in[CODE_INTS_MAX], out[CODE_INTS_MAX];

	(void)state;
	srand(11);
	for (int bits = 0; bits < 64; bits++)
		for (size_t behind = 0; behind < 20; behind++) {
			struct code_out o = {0};
			struct code_in from;

			for (size_t i = 0; i < 60; i++) {
				in[i] = (int64_t)(((uint64_t)rand() << 33 ^ (uint64_t)rand()) >>
						  (63 - bits));
				if (i == 30 && bits % 3 == 0)
					in[i] = INT64_MIN; /* in full, and others behind it */
			}
			code_put_ints(&o, in, 60);
			for (size_t i = 0; i < behind; i++)
				code_put_byte(&o, 0xff);
			assert_false(o.failed);
			from = (struct code_in){.at = o.at, .end = o.at + o.len};
			code_get_ints(&from, out, 60);
			assert_false(from.bad);
			assert_true(from.at + behind == from.end);
			assert_memory_equal(in, out, 60 * sizeof(*in));
			code_out_release(&o);
		}
}

/* What the writer was given, for comparing. */
#define MANY 200
static struct second given[MANY];

struct compared {
	int seen[FAM_COUNT], wrong;
};

static int compare(void *arg, const struct series_time *t, const struct second_row *row)
{
	const struct second *s = &given[t->seq];
	const struct second_row *want = NULL;
	struct compared *c = arg;

	assert_true(t->seq < MANY);
	for (size_t i = 0; i < s->n_rows; i++)
		if (s->rows[i].family == row->family && !strcmp(s->rows[i].instance, row->instance))
			want = &s->rows[i];
	assert_non_null(want);
	c->seen[row->family]++;
	assert_true(t->wall_ns == s->wall_ns && t->mono_ns == s->mono_ns && t->lost == s->lost);
	assert_true(t->interval_s == s->interval_s ||
		    (isnan(t->interval_s) && isnan(s->interval_s)));
	for (int m = 0; m < M_COUNT; m++)
		if (!same_value(second_value(row, m),
				isfinite(second_value(want, m)) ? second_value(want, m) : NAN, m)) {
			if (!c->wrong)
				print_error("# second %d, %s: %.17g is not %.17g\n", (int)t->seq,
					    metrics[m].name, second_value(row, m),
					    second_value(want, m));
			c->wrong++;
		}
	c->wrong += !row->lat != !want->lat ||
		    (row->lat && memcmp(row->lat, want->lat, sizeof(*row->lat)));
	c->wrong += !row->dev != !want->dev ||
		    (row->dev && memcmp(row->dev, want->dev, sizeof(*row->dev)));
	c->wrong += !row->runq != !want->runq ||
		    (row->runq && memcmp(row->runq, want->runq, sizeof(*row->runq)));
	return 0;
}

/* Writes given[0..n), reads while half of it is plain, and once packed. */
static void both_ways(struct fixture *fx, int n, unsigned int interval_ms)
{
	struct series_writer_opts o = {.dir = fx->dir, .host = "s3", .interval_ms = interval_ms};
	struct series_writer *w;
	struct series_reader *r;
	int rows[FAM_COUNT] = {0};

	assert_int_equal(series_writer_new(&w, &o), 0);
	for (int i = 0; i < n; i++) {
		if (series_writer_append(w, &given[i]))
			fail_msg("%s", series_error());
		for (size_t k = 0; k < given[i].n_rows; k++)
			rows[given[i].rows[k].family]++;
	}
	for (int packed = 0; packed < 2; packed++) {
		struct compared c = {.wrong = 0};

		if (packed)
			series_writer_free(w);
		if (series_reader_new(&r, day_path(fx, T0)) ||
		    series_reader_rows(r, 0, INT64_MAX, SERIES_ALL, ALL_HISTS, compare, &c))
			fail_msg("%s", series_error());
		series_reader_free(r);
		assert_int_equal(c.wrong, 0);
		assert_memory_equal(c.seen, rows, sizeof(rows));
	}
	for (int i = 0; i < MANY; i++)
		second_release(&given[i]);
}

static void instances_may_come_and_go(void **state)
{
	char name[INSTANCE_LEN];

	srand(8);
	for (int i = 0; i < 150; i++) {
		struct second *s = &given[i];

		second_init(s);
		s->seq = (uint64_t)i;
		s->wall_ns = (T0 + 7 + i) * NS;
		s->mono_ns = (uint64_t)i * NS + (uint64_t)rand();
		s->late_ns = rand() % 2000 - 1000;
		s->interval_s = i % 5 ? 1 + rand() * 1e-12 : NAN;
		for (int k = rand() % 12; k--;) {
			struct second_row *row;
			int f = rand() % FAM_COUNT;
			int single = f == FAM_TCP || f == FAM_HOST;

			snprintf(name, sizeof(name), "%s%d", metric_family_names[f], k);
			row = second_add_row(s, f, single ? "" : name,
					     f == FAM_DISK   ? (unsigned int)rand() & 3
					     : f == FAM_HOST ? (unsigned int)rand() & 4
							     : 0);
			for (int m = 0; m < M_COUNT; m++)
				if ((int)metrics[m].family == f && rand() % 3)
					second_set(row, m, rand() % 5 ? rand() / 7. : rand() - 1e9);
			fill_hists(row, (uint64_t)rand() % 1000);
			for (size_t same = 0; same + 1 < s->n_rows; same++)
				if ((int)s->rows[same].family == f &&
				    !strcmp(s->rows[same].instance, row->instance)) {
					s->n_rows--; /* drawn twice */
					free(row->lat);
					free(row->dev);
					free(row->runq);
					memset(row, 0, sizeof(*row));
					break;
				}
		}
	}
	both_ways(*state, 150, 1000);
}

/* Not a number anywhere, then numbers that are hard. */
static void any_number_may_stand_anywhere(void **state)
{
	static const double hard[] = {NAN,
				      0,
				      -0.0,
				      1e-300,
				      -1e-300,
				      1e300,
				      -1e300,
				      INFINITY,
				      -INFINITY,
				      0.1,
				      -0.1,
				      1e15,
				      9007199254740993.0,
				      123456789.5,
				      65537,
				      65536.5,
				      5e-324,
				      1.7e308,
				      -3,
				      0.5};
	enum { HARD = sizeof(hard) / sizeof(*hard) };

	for (int i = 0; i < 130; i++) {
		struct second *s = &given[i];

		second_init(s);
		fill_second(s, (uint64_t)i, (T0 + i) * NS);
		s->interval_s = i % 7 == 3 ? 0 : i % 7 == 4 ? 1e9 : i % 7 == 5 ? 0.1 + 0.2 : 1;
		for (size_t k = 0; k < s->n_rows; k++)
			for (int m = 0; m < M_COUNT; m++)
				if (metrics[m].family == s->rows[k].family)
					second_set(&s->rows[k], m,
						   i < 61 ? NAN : hard[(i * 7 + m) % HARD]);
	}
	both_ways(*state, 130, 1000);
}

static void the_clock_may_step_back_and_forth(void **state)
{
	int64_t at = T0;

	srand(9);
	for (int i = 0; i < MANY; i++) {
		second_init(&given[i]);
		fill_second(&given[i], (uint64_t)i, at * NS + i);
		at += i % 37 == 36 ? -rand() % 100 : i % 11 ? 1 : 0;
	}
	both_ways(*state, MANY, 1000);
}

static void an_interval_of_ten_seconds_is_packed(void **state)
{
	struct fixture *fx = *state;

	for (int i = 0; i < 125; i++) {
		second_init(&given[i]);
		fill_second(&given[i], (uint64_t)i, (T0 + 10 * i) * NS);
		given[i].interval_s = 10.00001;
	}
	both_ways(fx, 125, 10000);
	assert_in_range(query(day_path(fx, T0), "SELECT count(*) FROM chunk"), 2, 5);
}

static void a_clock_that_keeps_stepping_back_is_told(void **state)
{
	struct fixture *fx = *state;
	struct series_writer *w = writer(fx, "s3");
	struct series_reader *r;
	struct found found;
	struct second s;
	uint64_t seq = 0;
	int err;

	second_init(&s);
	for (int back = 0; back < 66; back++)
		for (int i = 0; i < 2; i++) {
			fill_second(&s, seq++, (T0 + 10 * i - (back & 1)) * NS);
			assert_int_equal(series_writer_append(w, &s), 0);
		}
	series_writer_free(w);
	second_release(&s);
	assert_int_equal(series_reader_new(&r, day_path(fx, T0)), 0);
	err = read_rows(r, 0, &found);
	series_reader_free(r);
	assert_int_equal(err, -E2BIG);
	assert_non_null(strstr(series_error(), "set back"));
}

/* Packed in the middle of a minute by one that came after a killed writer, and nothing twice. */
static void what_a_killed_writer_left_is_packed_by_the_next(void **state)
{
	struct fixture *fx = *state;
	struct found found;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct series_writer *w = writer(fx, "s3");
		struct second s;

		second_init(&s);
		for (uint64_t i = 0; i < 100; i++) {
			fill_second(&s, i, (T0 + (int64_t)i) * NS);
			if (series_writer_append(w, &s))
				_exit(1);
		}
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(count_seconds(day_path(fx, T0)), 100);
	assert_true(query(day_path(fx, T0), "SELECT count(*) FROM chunk") > 30);
	write_seconds(fx, 100, 50, T0 + 100);
	assert_int_equal(read_file(day_path(fx, T0), &found), 0);
	assert_int_equal(found.rows[FAM_DISK], 150);
	assert_int_equal(found.wrong, 0);
	/* 60 and 40 of the killed one, 50 of the next: runs are not mixed. */
	assert_in_range(query(day_path(fx, T0), "SELECT count(*) FROM chunk"), 3, 4);
}

static int count_processes(void *arg, const struct series_time *t, const struct second_row *row)
{
	double *sum = arg;

	(void)t;
	sum[0] += second_value(row, M_P_CPU);
	sum[1] += !strcmp(row->instance, "(rest)");
	sum[2] += second_value(row, M_P_RKB_S);
	return 0;
}

static void processes_beyond_the_limit_are_the_rest(void **state)
{
	enum { EACH = 1000, SECONDS = 22 };
	struct fixture *fx = *state;
	struct series_writer *w = writer(fx, "s3");
	double sum[3] = {0}, want[2] = {0};
	struct device_identity id = {.family = FAM_PROCESS, .detail = "/system.slice"};
	struct series_reader *r;
	struct second s;

	second_init(&s);
	for (int i = 0; i < SECONDS; i++) {
		fill_second(&s, (uint64_t)i, (T0 + i) * NS);
		s.n_rows--; /* without its process */
		for (int k = 0; k < EACH; k++) {
			struct second_row *row;

			snprintf(id.name, sizeof(id.name), "sh:%d", i * EACH + k);
			assert_int_equal(series_writer_identity(w, &id), 0);
			row = second_add_row(&s, FAM_PROCESS, id.name, 0);
			second_set(row, M_P_CPU, (i * 31 + k) / INTERVAL_S / 1e7);
			if (k % 2)
				second_set(row, M_P_RKB_S, k / INTERVAL_S / 1024);
			want[0] += second_value(row, M_P_CPU);
			want[1] += k % 2 ? second_value(row, M_P_RKB_S) : 0;
			second_set(row, M_P_WKB_S, second_set(row, M_P_CCWKB_S, 0));
			if (!(k % 2))
				second_set(row, M_P_RKB_S, 0);
		}
		assert_int_equal(series_writer_append(w, &s), 0);
	}
	series_writer_free(w);
	second_release(&s);
	assert_int_equal(
		query(day_path(fx, T0), "SELECT count(*) FROM device WHERE family = 'process'"),
		SERIES_MAX_DEVICES + 1);
	assert_int_equal(query(day_path(fx, T0), "SELECT count(detail) FROM device"),
			 SERIES_MAX_DEVICES);
	assert_int_equal(series_reader_new(&r, day_path(fx, T0)), 0);
	assert_int_equal(
		series_reader_rows(r, 0, INT64_MAX, 1U << FAM_PROCESS, 0, count_processes, sum), 0);
	series_reader_free(r);
	assert_true(fabs(sum[0] - want[0]) <= 1e-8 * want[0]);
	assert_true(fabs(sum[2] - want[1]) <= 1e-8 * want[1]);
	assert_true(sum[1] == SECONDS - SERIES_MAX_DEVICES / EACH);
}

/* ---- hostile bytes with a good checksum ------------------------------------------------------ */

/* The section of a chunk, inflated. */
static unsigned char *inflated(const struct code_out *o, size_t *len)
{
	struct code_in in = {.at = o->at, .end = o->at + o->len};
	uLongf n = (uLongf)code_get_unsigned(&in);
	unsigned char *at = malloc(n);

	assert_non_null(at);
	assert_int_equal(uncompress(at, &n, in.at, (uLong)(in.end - in.at)), Z_OK);
	*len = n;
	return at;
}

static void deflated(struct code_out *o, const unsigned char *at, size_t n)
{
	static unsigned char buf[1 << 20];
	uLongf len = sizeof(buf);

	assert_int_equal(compress2(buf, &len, at, n, 1), Z_OK);
	code_put_unsigned(o, n);
	code_put_bytes(o, buf, len);
	assert_false(o->failed);
}

static int unpack_all(struct grid *g, const struct series_metrics *m, const struct code_out *o)
{
	struct series_blob b[SECTIONS];
	size_t n = 0;
	int err;

	for (int s = 0; s < SECTIONS; s++)
		b[s] = (struct series_blob){o[s].at, o[s].len};
	err = series_unpack_head(g, &b[SEC_HEAD], 1, &n);
	assert_true(err || (n && n <= g->cap));
	for (int s = 0; !err && s < SECTIONS; s++)
		if (s != SEC_HEAD)
			err = series_unpack_section(g, m, s, &b[s], 1, 0, n, ALL_HISTS);
	return err;
}

static void hostile_chunks_end_in_an_error(void **state)
{
	struct series_metric_def def[M_COUNT + 1];
	struct series_metrics own;
	struct series_packed p;
	struct second s;
	struct grid g;
	int counts[2] = {0};

	(void)state;
	series_metrics_own(&own, def);
	second_init(&s);
	assert_int_equal(grid_init(&g, 60, 1 << 28), 0);
	g.boot = 17;
	for (uint64_t i = 0; i < 10; i++) {
		fill_second(&s, i, (T0 + (int64_t)i) * NS);
		assert_int_equal(grid_add(&g, &s), 0);
	}
	assert_int_equal(series_pack(&p, &g, &own, 1, 6), 0);
	grid_release(&g);
	second_release(&s);
	srand(10);
	for (int round = 0; round < 6000; round++) {
		int which = round % SECTIONS, err;
		struct code_out good = p.section[which], *o = &p.section[which];
		size_t len;
		unsigned char *at = inflated(o, &len);

		for (int flips = 1 + rand() % 3; flips--;)
			at[(size_t)rand() % len] = (unsigned char)rand();
		if (rand() % 8 == 0)
			len = 1 + (size_t)rand() % len;
		*o = (struct code_out){0};
		deflated(o, at, len);
		free(at);
		assert_int_equal(grid_init(&g, GRID_SECONDS_MAX, 1 << 24), 0);
		err = unpack_all(&g, &own, p.section);
		assert_true(!err || err == -EBADMSG || (err == -ENOMEM && g.full));
		assert_true(g.used <= g.limit);
		counts[err != 0]++;
		grid_release(&g);
		code_out_release(o);
		*o = good;
	}
	series_packed_release(&p);
	assert_true(counts[0] > 100 && counts[1] > 1000);
}

/* Written again it would be without that section: a file with one is refused. A message is not written again. */
static void a_section_that_is_not_known(void **state)
{
	struct series_metric_def def[M_COUNT + 1];
	struct series_metrics own;
	struct series_packed p;
	struct second s;
	struct grid g;

	(void)state;
	series_metrics_own(&own, def);
	second_init(&s);
	assert_int_equal(grid_init(&g, 60, 1 << 28), 0);
	g.boot = 17;
	fill_second(&s, 0, T0 * NS);
	assert_int_equal(grid_add(&g, &s), 0);
	assert_int_equal(series_pack(&p, &g, &own, 1, 6), 0);
	second_release(&s);
	for (int newer = 0; newer < 2; newer++) {
		struct code_out *o = &p.section[SEC_HEAD];
		size_t len;
		unsigned char *at = inflated(o, &len);

		/* id, number, boot, seconds; then the sections, in two bytes */
		assert_true(at[2] == 17 && at[3] == 1 && at[4] & 0x80 && !(at[5] & 0x80));
		at[5] |= (unsigned char)(1 << (SECTIONS - 7));
		o->len = 0;
		deflated(o, at, len);
		free(at);
		grid_release(&g);
		assert_int_equal(grid_init(&g, 60, 1 << 28), 0);
		g.newer = newer;
		assert_int_equal(unpack_all(&g, &own, p.section), newer ? 0 : -EBADMSG);
	}
	grid_release(&g);
	series_packed_release(&p);
}

/* A length that lies, and much that comes from little. */
static void bombs_are_small(void **state)
{
	struct series_metric_def def[M_COUNT + 1];
	static unsigned char zeros[SECTION_MAX];
	uLongf len = compressBound(sizeof(zeros));
	unsigned char *buf = malloc(len);
	struct code_out o = {0};
	struct series_metrics own;
	struct series_blob b;
	struct grid g;
	size_t n;

	(void)state;
	series_metrics_own(&own, def);
	assert_non_null(buf);
	assert_int_equal(grid_init(&g, 60, 1 << 20), 0);
	zeros[0] = 1; /* id */
	zeros[1] = SEC_HEAD;
	zeros[2] = 1, zeros[3] = 1, zeros[4] = 64;
	assert_int_equal(compress2(buf, &len, zeros, sizeof(zeros), 9), Z_OK);
	for (int lie = 0; lie < 4; lie++) {
		static const uint64_t lengths[] = {SECTION_MAX, SECTION_MAX + 1, UINT64_MAX, 100};

		o.len = 0;
		code_put_unsigned(&o, lengths[lie]);
		code_put_bytes(&o, buf, len);
		b = (struct series_blob){o.at, o.len};
		assert_int_equal(series_unpack_head(&g, &b, 1, &n), -EBADMSG);
		b.len = 12; /* and nothing behind it */
		assert_int_equal(series_unpack_head(&g, &b, 1, &n), -EBADMSG);
		b.len = 0;
		assert_int_equal(series_unpack_head(&g, &b, 1, &n), -EBADMSG);
	}
	/* Two million rows of no name. */
	memset(zeros + 2, 0, 3);
	zeros[1] = FAM_NET;
	zeros[2] = 0xff, zeros[3] = 0xff, zeros[4] = 0x7f;
	o.len = 0;
	deflated(&o, zeros, sizeof(zeros));
	b = (struct series_blob){o.at, o.len};
	assert_int_equal(series_unpack_section(&g, &own, FAM_NET, &b, 1, 0, 60, 0), -EBADMSG);
	assert_true(g.used <= g.limit);
	grid_release(&g);
	code_out_release(&o);
	free(buf);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_come_back),
		cmocka_unit_test(garbage_is_no_column),
		cmocka_unit_test(columns_come_back_wherever_they_end),
		CASE(any_number_of_seconds_comes_back),
		CASE(instances_may_come_and_go),
		CASE(any_number_may_stand_anywhere),
		CASE(the_clock_may_step_back_and_forth),
		CASE(an_interval_of_ten_seconds_is_packed),
		CASE(a_clock_that_keeps_stepping_back_is_told),
		CASE(a_section_that_is_not_known),
		CASE(what_a_killed_writer_left_is_packed_by_the_next),
		CASE(processes_beyond_the_limit_are_the_rest),
		cmocka_unit_test(hostile_chunks_end_in_an_error),
		cmocka_unit_test(bombs_are_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
