// SPDX-License-Identifier: BSD-2-Clause
/*
 * Series files of a run, one server after the other. Counts are whole numbers and divided by the
 * measured interval, as the probe does it; a sweep that is a little late sees a little of the next
 * second, and one that is missing leaves its counts to the one after.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "userspace/common/options.h"
#include "userspace/series/series.h"
#include "rows.h"
#include "userspace/common/clock.h"

#define MEM_AVAILABLE_KB 1600000.0 /* of 2 GB, page cache included */
#define MEM_LEAST_KB	 40000.0
#define UNKNOWN_S	 5 /* in which a probe does not know since when nobody reads */

/* Counters of bytes that may have a unit. */
enum counter { READ_KB, WRITTEN_KB, RECEIVED_KB, SENT_KB, COUNTERS };

struct sheet {
	struct second second;
	double sum[TOTALS]; /* of the seconds since the last sweep that was written */
	unsigned int server, waiting;
	struct rng clock;
	double phase_s;
	double tick_s, unit_kb, left_kb[COUNTERS];
	bool unread;
	int64_t mono_ns;
};

/* What is a state and not a count: the last one stands. */
static bool is_state(int i)
{
	return i >= T_LNCWND && i != T_CSWCH && i != T_FAULTS;
}

void server_name(const struct setup *s, unsigned int i, char name[SERVER_NAME_LEN])
{
	int width = snprintf(NULL, 0, "%u", s->servers);

	if (i == s->servers)
		snprintf(name, SERVER_NAME_LEN, "mds");
	else
		snprintf(name, SERVER_NAME_LEN, "%s%0*u", s->hadoop ? "slave" : "io",
			 width < 2 ? 2 : width, i + 1);
}

static double counted(const struct sheet *s, double count)
{
	return round(fmax(0, count)) / s->second.interval_s;
}

static double kb(const struct sheet *s, double count)
{
	return round(fmax(0, count) * 1024) / (s->second.interval_s * 1024);
}

/* A mean over n things, NaN if there are none. */
static double mean_of(double sum, double n)
{
	return n > 0 ? sum / n : NAN;
}

/* Bytes, which a counter may show in whole units: what is no whole one is counted later. */
static double bytes(struct sheet *s, enum counter which, double count)
{
	double unit = s->unit_kb, all, whole;

	if (!(unit > 0))
		return kb(s, count);
	all = fmax(0, count) + s->left_kb[which];
	whole = floor(all / unit) * unit;
	s->left_kb[which] = all - whole;
	return kb(s, whole);
}

/* Single requests into the histograms. Of a clock that ticks the counter has what it showed, in *ms. */
static double put_times(const struct sheet *s, int op, double n, double wait_s, double *ms,
			struct rng *times, struct second_row *row)
{
	/* Times of less than the counter's millisecond are in the histograms all the same. */
	double sum_s = *ms > 0 ? *ms / 1e3 : wait_s,
	       device = flows_put(s->sum, op, n, &sum_s, s->tick_s, times, row);

	if (s->tick_s > 0 && n > 0)
		*ms = round(sum_s * 1e3);
	return device;
}

static void put_disk(struct sheet *s, struct second_row *row, struct rng *times)
{
	const double *x = s->sum;
	double dt = s->second.interval_s, r = round(x[T_R]), w = round(x[T_W]);
	/* Milliseconds are whole in the kernel's counters, and without requests there are none. */
	double rms = r > 0 ? round(x[T_RWAIT] * 1000 * r / x[T_R]) : 0,
	       wms = w > 0 ? round(x[T_WWAIT] * 1000 * w / x[T_W]) : 0;
	double rkb = r > 0 ? x[T_RKB] : 0, wkb = w > 0 ? x[T_WKB] : 0;

	second_set(row, M_R_DEV, put_times(s, OP_READ, r, x[T_RWAIT], &rms, times, row));
	second_set(row, M_W_DEV, put_times(s, OP_WRITE, w, x[T_WWAIT], &wms, times, row));
	second_set(row, M_R_S, r / dt);
	second_set(row, M_W_S, w / dt);
	second_set(row, M_D_S, second_set(row, M_F_S, 0));
	second_set(row, M_RKB_S, bytes(s, READ_KB, 4 * round(rkb / 4)));
	second_set(row, M_WKB_S, bytes(s, WRITTEN_KB, 4 * round(wkb / 4)));
	second_set(row, M_DKB_S, 0);
	second_set(row, M_FOREIGN_RKB_S,
		   fmin(second_value(row, M_RKB_S), kb(s, 4 * round(x[T_FOR_RKB] / 4))));
	second_set(row, M_FOREIGN_WKB_S,
		   fmin(second_value(row, M_WKB_S), kb(s, 4 * round(x[T_FOR_WKB] / 4))));
	second_set(row, M_IOPS, second_value(row, M_R_S) + second_value(row, M_W_S));
	second_set(row, M_RAREQ_SZ, mean_of(second_value(row, M_RKB_S), second_value(row, M_R_S)));
	second_set(row, M_WAREQ_SZ, mean_of(second_value(row, M_WKB_S), second_value(row, M_W_S)));
	second_set(row, M_AREQ_SZ,
		   mean_of(second_value(row, M_RKB_S) + second_value(row, M_WKB_S),
			   second_value(row, M_IOPS)));
	second_set(row, M_R_AWAIT, mean_of(rms, r));
	second_set(row, M_W_AWAIT, mean_of(wms, w));
	second_set(row, M_AWAIT, mean_of(rms + wms, r + w));
	second_set(row, M_AQU_SZ, (rms + wms) / 1000 / dt);
	second_set(row, M_UTIL, r + w > 0 ? fmin(100, round(1e5 * x[T_BUSY] / dt) / 1e3) : 0);
}

static void put_net(struct sheet *s, struct second_row *row)
{
	const double *x = s->sum;

	second_set(row, M_RXKB_S, bytes(s, RECEIVED_KB, x[T_RXKB]));
	second_set(row, M_TXKB_S, bytes(s, SENT_KB, x[T_TXKB]));
	second_set(row, M_RXPCK_S, counted(s, x[T_RXPCK]));
	second_set(row, M_TXPCK_S, counted(s, x[T_TXPCK]));
	second_set(row, M_RXERR_S,
		   second_set(row, M_TXERR_S,
			      second_set(row, M_RXDROP_S, second_set(row, M_TXDROP_S, 0))));
	second_set(row, M_IFUTIL,
		   fmin(100, 100 * fmax(second_value(row, M_RXKB_S), second_value(row, M_TXKB_S)) *
				     1024 * 8 / 1e9));
}

static void put_tcp(const struct sheet *s, struct second_row *row)
{
	const double *x = s->sum;

	second_set(row, M_CWND_LN, x[T_LNCWND]);
	second_set(row, M_SRTT, x[T_SRTT]);
	second_set(row, M_RETRANS_S, counted(s, x[T_RETRANS]));
	second_set(row, M_OOO_S, counted(s, x[T_OOO]));
	second_set(row, M_TCP_RXKB_S, kb(s, x[T_FS_RXKB]));
	second_set(row, M_TCP_TXKB_S, kb(s, x[T_FS_TXKB]));
	second_set(row, M_ISEG_S, counted(s, x[T_ISEG]));
	second_set(row, M_OSEG_S, counted(s, x[T_OSEG]));
	second_set(row, M_IDSEG_S, counted(s, x[T_IDSEG]));
	second_set(row, M_ODSEG_S, counted(s, x[T_ODSEG]));
	second_set(row, M_TCPSCK, round(x[T_SOCKETS]));
	second_set(row, M_TCP_ACTIVE, round(x[T_ACTIVE]));
	if (s->unread && s->mono_ns > NS_PER_DAY + (int64_t)UNKNOWN_S * NS_PER_S)
		second_set(row, M_TCP_UNREAD, round(x[T_UNREAD]));
}

static void put_host(const struct sheet *s, const struct second_row *disk, struct second_row *row,
		     struct rng *times)
{
	const double *x = s->sum, n = s->waiting;

	second_set(row, M_USER, x[T_USER] / n);
	second_set(row, M_NICE, second_set(row, M_STEAL, 0));
	second_set(row, M_SYSTEM, x[T_SYSTEM] / n);
	second_set(row, M_IOWAIT, x[T_IOWAIT] / n);
	second_set(row, M_IDLE,
		   fmax(0, 100 - second_value(row, M_USER) - second_value(row, M_SYSTEM) -
				   second_value(row, M_IOWAIT)));
	second_set(row, M_CSWCH_S, counted(s, x[T_CSWCH]));
	second_set(row, M_FAULT_S, counted(s, x[T_FAULTS]));
	second_set(row, M_RUNQ_SZ, round(x[T_RUNQ]));
	second_set(row, M_BLOCKED, round(x[T_BLOCKED]));
	second_set(row, M_PLIST_SZ, round(x[T_PLIST]));
	second_set(row, M_LDAVG_1, round(x[T_LDAVG] * 100) / 100);
	second_set(row, M_PGPGIN_S, second_value(disk, M_RKB_S));
	second_set(row, M_PGPGOUT_S, second_value(disk, M_WKB_S));
	second_set(row, M_BREAD_S, 2 * second_value(disk, M_RKB_S));
	second_set(row, M_BWRTN_S, 2 * second_value(disk, M_WKB_S));
	second_set(row, M_SCPU, 100 * x[T_CPU_TAKEN]);
	second_set(row, M_SMEM, 100 * x[T_MEMORY]);
	/* Some stall, and now and then all who want to run do. */
	second_set(row, M_FMEM, 100 * x[T_MEMORY] * x[T_MEMORY]);
	second_set(row, M_PGSCANK_S,
		   second_set(row, M_PGSTEAL_S, round(second_value(row, M_PGPGIN_S) / 4)));
	second_set(row, M_PGSCAND_S, counted(s, x[T_SCAND]));
	second_set(row, M_ALLOCSTALL_S, counted(s, x[T_STALLS]));
	second_set(row, M_PSWPIN_S, counted(s, x[T_SWPIN]));
	second_set(row, M_PSWPOUT_S, counted(s, x[T_SWPOUT]));
	second_set(row, M_KBDIRTY, round(x[T_DIRTY]));
	second_set(row, M_KBAVAIL,
		   round(fmax(MEM_LEAST_KB, MEM_AVAILABLE_KB * (1 - 4 * x[T_MEMORY]))));
	runq_put(x, x[T_CSWCH], times, row);
}

/* Adds what this server did in second t, as its own clock cuts it. */
static void gather(struct sheet *s, const struct run *r, unsigned int server, unsigned int t)
{
	const float *now = run_at(r, server, t), *next = t + 1 < r->seconds ? now + TOTALS : now;

	for (int i = 0; i < TOTALS; i++) {
		if (is_state(i))
			s->sum[i] = (double)now[i];
		else
			s->sum[i] +=
				(1 - s->phase_s) * (double)now[i] + s->phase_s * (double)next[i];
	}
	s->waiting++;
}

static int write_second(struct sheet *s, const struct writing *w, struct series_writer *out,
			unsigned int t)
{
	static const char *const names[] = {"sda", "eth0", "", ""};
	static const unsigned int hists[] = {HIST_LAT | HIST_DEV, 0, 0, HIST_RUNQ};
	/* Of every second anew: what a fault makes of one does not move the noise of the next. */
	struct rng times = stream(w->setup->seed, FOR_LATENCY, (uint64_t)s->server << 32 | t);
	struct second *sec = &s->second;
	int64_t late = (int64_t)(s->phase_s * NS_PER_S) +
		       (int64_t)(150e3 * rng_exponential(&s->clock)),
		mono = (int64_t)(t + 1) * NS_PER_S + late + NS_PER_DAY;

	second_clear(sec);
	sec->seq = t / w->setup->interval_s;
	sec->wall_ns = w->begin_ns + (int64_t)(t + 1 - w->setup->interval_s) * NS_PER_S;
	sec->late_ns = late;
	sec->interval_s = s->mono_ns ? s_of_ns(mono - s->mono_ns) : w->setup->interval_s;
	sec->mono_ns = (uint64_t)mono;
	s->mono_ns = mono;
	for (int f = FAM_DISK; f <= FAM_HOST; f++) {
		struct second_row *row =
			second_add_row(sec, (enum metric_family)f, names[f], hists[f]);

		if (!row)
			return fail("out of memory");
	}
	put_disk(s, &sec->rows[FAM_DISK], &times);
	put_net(s, &sec->rows[FAM_NET]);
	put_tcp(s, &sec->rows[FAM_TCP]);
	put_host(s, &sec->rows[FAM_DISK], &sec->rows[FAM_HOST], &times);
	if (!w->setup->brief && rows_add(w->setup, s->server, t, s->sum, sec))
		return fail("out of memory");
	memset(s->sum, 0, sizeof(s->sum));
	s->waiting = 0;
	return series_writer_append(out, sec) ? fail("%s", series_error()) : 0;
}

static int write_identity(const struct setup *s, unsigned int server, struct series_writer *out)
{
	bool other = s->fault && s->fault->where == AT_ALWAYS && fault_acts_on(s, server);
	struct device_identity disk = {.family = FAM_DISK,
				       .name = "sda",
				       .model = "simulated disk",
				       .rotational = 1,
				       .size_bytes = 500107862016,
				       .speed_mbps = -1},
			       net = {.family = FAM_NET,
				      .name = "eth0",
				      .driver = "simulated",
				      .rotational = -1,
				      .size_bytes = -1,
				      .speed_mbps = 1000};

	if (other)
		strcpy(disk.model, "simulated slower disk");
	return series_writer_identity(out, &disk) || series_writer_identity(out, &net) ||
			       rows_identify(s, out)
		       ? fail("%s", series_error())
		       : 0;
}

static int write_server(const struct writing *w, const struct run *r, unsigned int i)
{
	const struct setup *setup = w->setup;
	struct sheet s = {.server = i,
			  .clock = stream(setup->seed, FOR_CLOCK, i),
			  .tick_s = setup->habits.tick_s,
			  .unit_kb = setup->habits.unit_kb,
			  .unread = setup->habits.unread};
	char name[SERVER_NAME_LEN];
	const char *own = rows_own_cgroup(setup);
	struct series_writer_opts o = {.dir = w->dir,
				       .host = name,
				       .interval_ms = 1000 * setup->interval_s,
				       .tool = "limpet simulate",
				       .cgroups = &own,
				       .n_cgroups = 1};
	struct series_writer *out;
	int err;

	server_name(setup, i, name);
	if (series_writer_new(&out, &o))
		return fail("%s", series_error());
	second_init(&s.second);
	/* How far the clocks are apart under NTP: some milliseconds. */
	s.phase_s = fmin(0.2, 0.005 * rng_exponential(&s.clock));
	err = write_identity(setup, i, out);
	for (unsigned int t = 0; !err && t < r->seconds; t++) {
		gather(&s, r, i, t);
		if ((t + 1) % setup->interval_s)
			continue;
		/* The first one is never missing: an interval begins with it. */
		if (rng_uniform(&s.clock) >= setup->missing || t < setup->interval_s)
			err = write_second(&s, w, out, t);
	}
	if (series_writer_free(out) && !err)
		err = fail("%s", series_error());
	second_release(&s.second);
	return err;
}

int write_run(const struct writing *w, const struct run *r)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < r->servers; i++)
		err = write_server(w, r, i);
	return err;
}
