// SPDX-License-Identifier: BSD-2-Clause
/* Clients and processes of a second: who had which part of it. */
#include "rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CORES	      2
#define SHOWN_REMOTES 32 /* rows of their own; the others share one, as the probe's do */
#define UNEVEN	      0.1
#define LEAST_CPU     0.05 /* %: less is in the rest */
#define PORT	      24007

/* What a client is counted in; the totals that one lossy client has beyond its share. */
static const struct {
	enum metric_id of, all;
	int extra; /* an enum total, or -1 */
} counts[] = {
	{M_REM_TCP_RXKB_S, M_TCP_RXKB_S, -1},
	{M_REM_TCP_TXKB_S, M_TCP_TXKB_S, -1},
	{M_REM_ISEG_S, M_ISEG_S, -1},
	{M_REM_OSEG_S, M_OSEG_S, T_CL_ACKS},
	{M_REM_IDSEG_S, M_IDSEG_S, -1},
	{M_REM_ODSEG_S, M_ODSEG_S, T_CL_RETRANS},
	{M_REM_RETRANS_S, M_RETRANS_S, T_CL_RETRANS},
	{M_REM_OOO_S, M_OOO_S, T_CL_OOO},
};

static void remote_name(unsigned int client, char name[INSTANCE_LEN])
{
	if (client == SHOWN_REMOTES)
		snprintf(name, INSTANCE_LEN, "(other)");
	else
		snprintf(name, INSTANCE_LEN, "10.0.0.%u>%d", 101 + client, PORT);
}

/* Parts of the traffic of n clients, of which they have about the same; adds up to 1. Those that get no
 * row are one more. */
static void shares(const struct setup *s, struct rng *r, const double *x,
		   double part[SHOWN_REMOTES + 1])
{
	unsigned int n = s->clients < SHOWN_REMOTES ? s->clients : SHOWN_REMOTES,
		     lossy = fault_client(s);
	double sum = 0, others = s->clients - n;

	memset(part, 0, (SHOWN_REMOTES + 1) * sizeof(*part));
	for (unsigned int i = 0; i < n; i++)
		sum += part[i] = lognormal(r, UNEVEN * s->noise);
	part[SHOWN_REMOTES] = others;
	sum += others;
	if (lossy < n && x[T_CL_SHARE] > 0) {
		/* The others have the rest. */
		double rest = sum - part[lossy], scale = (1 - x[T_CL_SHARE]) / rest;

		part[lossy] = x[T_CL_SHARE] / scale;
		sum = 1 / scale;
	}
	for (unsigned int i = 0; i <= SHOWN_REMOTES; i++)
		part[i] /= sum;
}

/* Whole numbers that add up to the whole number of all. Where the first one begins is drawn: one segment that
 * was sent again is any client's, each as likely as its part is large. With a beginning at 0 a second's one
 * was always that of the client in the middle. */
static void put_counts(struct second_row *rows, unsigned int n, const double *part,
		       const struct second_row *tcp, double dt, unsigned int lossy, const double *x,
		       struct rng *r)
{
	for (size_t k = 0; k < sizeof(counts) / sizeof(*counts); k++) {
		double per = metrics[counts[k].of].per,
		       all = round(second_value(tcp, counts[k].all) * dt * per), extra = 0,
		       begin = rng_uniform(r), given = 0, to = 0;

		if (counts[k].extra >= 0 && lossy < n)
			extra = fmin(all, round(x[counts[k].extra]));
		for (unsigned int i = 0; i < n; i++) {
			double until;

			to += part[i];
			until = i + 1 < n ? floor(begin + (all - extra) * to) : all - extra;
			second_set(&rows[i], counts[k].of,
				   (until - given + (i == lossy ? extra : 0)) / (dt * per));
			given = until;
		}
	}
}

static int add_remotes(const struct setup *s, unsigned int server, unsigned int t, const double *x,
		       struct second *sec)
{
	double part[SHOWN_REMOTES + 1];
	unsigned int shown = s->clients <= SHOWN_REMOTES ? s->clients : SHOWN_REMOTES + 1;
	unsigned int lossy = x[T_CL_SHARE] > 0 ? fault_client(s) : UINT32_MAX;
	size_t first = sec->n_rows;
	struct rng r = stream(s->seed, FOR_ROWS, (uint64_t)server << 32 | t);

	shares(s, &r, x, part);
	for (unsigned int i = 0; i < shown; i++) {
		struct second_row *row;
		char name[INSTANCE_LEN];

		remote_name(i, name);
		row = second_add_row(sec, FAM_REMOTE, name, 0);
		if (!row)
			return -ENOMEM;
		second_set(row, M_REM_TCPSCK, i == SHOWN_REMOTES ? s->clients - SHOWN_REMOTES : 1);
		second_set(
			row, M_REM_TCP_ACTIVE,
			round(second_value(row, M_REM_TCPSCK) * fmin(1, x[T_ACTIVE] / s->clients)));
		if (!isnan(second_value(&sec->rows[FAM_TCP], M_TCP_UNREAD)))
			second_set(row, M_REM_TCP_UNREAD,
				   round(second_value(row, M_REM_TCPSCK) *
					 fmin(1, x[T_UNREAD] / s->clients)));
		second_set(row, M_REM_CWND_LN, second_value(&sec->rows[FAM_TCP], M_CWND_LN));
		second_set(row, M_REM_SRTT, second_value(&sec->rows[FAM_TCP], M_SRTT));
	}
	put_counts(sec->rows + first, shown, part, &sec->rows[FAM_TCP], sec->interval_s, lossy, x,
		   &r);
	return 0;
}

/* ---- processes --------------------------------------------------------------------------------- */

enum who {
	DAEMON,
	DAEMON_HADOOP,
	JOURNAL,
	WRITER,
	HOG,
	JOB,
	SCRUB,
	COMPUTING,
	GREEDY,
	STREAM,
	REST
};

static const struct {
	const char *name, *cgroup;
} processes[] = {
	[DAEMON] = {"glusterfsd:1204", "/system.slice/glusterd.service"},
	[DAEMON_HADOOP] = {"java:1204", "/system.slice/hadoop.service"},
	[JOURNAL] = {"systemd-journal:311", "/system.slice/systemd-journald.service"},
	[WRITER] = {"kworker/u4:2:87", "/"},
	[HOG] = {"dd:4711", "/user.slice"},
	[JOB] = {"updatedb:2210", "/system.slice/plocate-updatedb.service"},
	[SCRUB] = {"md0_resync:333", "/"},
	[COMPUTING] = {"python3:4711", "/user.slice"},
	[GREEDY] = {"stress:4711", "/user.slice"},
	[STREAM] = {"iperf3:4711", "/user.slice"},
	[REST] = {"(rest)", ""},
};

static enum who daemon_of(const struct setup *s)
{
	return s->hadoop ? DAEMON_HADOOP : DAEMON;
}

const char *rows_own_cgroup(const struct setup *s)
{
	return processes[daemon_of(s)].cgroup;
}

static int add_process(struct second *sec, enum who who, double cpu, double read_kb,
		       double write_kb)
{
	struct second_row *row = second_add_row(sec, FAM_PROCESS, processes[who].name, 0);

	if (!row)
		return -ENOMEM;
	row->cgroup = processes[who].cgroup;
	/* %CPU is of one processor, as top's. */
	second_set(row, M_P_CPU, fmax(0, round(cpu * 1e7)) / 1e7);
	second_set(row, M_P_RKB_S, read_kb);
	second_set(row, M_P_WKB_S, write_kb);
	second_set(row, M_P_CCWKB_S, 0);
	return 0;
}

/* Whoever is there because of the fault; a resync's reads are md's own and not accounted to a task. */
static int add_culprit(const struct setup *s, unsigned int server, unsigned int t,
		       const struct second *sec, struct second *to, double *cpu_left)
{
	const struct effect e = fault_effect(s, server, t);
	const struct second_row *disk = &sec->rows[FAM_DISK];
	double read = second_value(disk, M_FOREIGN_RKB_S),
	       write = second_value(disk, M_FOREIGN_WKB_S), cpu = 0;
	enum who who;

	if (e.job > 0 && e.disk_share <= e.job)
		who = JOB, cpu = read / 10000, write = 0;
	else if (e.seen_read > 0 && s->fault->harmless)
		who = SCRUB, cpu = fmin(8, read / 25000), read = write = 0;
	else if (e.seen_read > 0)
		who = HOG, cpu = read / 10000, write = 0;
	else if (e.seen_write > 0)
		who = HOG, cpu = write / 10000, read = 0;
	else if (e.cpu_share > 0)
		who = COMPUTING, cpu = e.cpu_share * *cpu_left, read = write = 0;
	else if (e.memory > 0)
		who = GREEDY, cpu = 0.3 * *cpu_left, read = write = 0;
	else if (e.rx_share + e.tx_share > 0)
		who = STREAM, cpu = 25, read = write = 0;
	else
		return 0;
	cpu = fmin(cpu, 0.95 * *cpu_left);
	*cpu_left -= cpu;
	return add_process(to, who, cpu, read, write);
}

static int add_processes(const struct setup *s, unsigned int server, unsigned int t,
			 const double *x, struct second *sec)
{
	const struct second_row *host = &sec->rows[FAM_HOST], *disk = &sec->rows[FAM_DISK],
				*tcp = &sec->rows[FAM_TCP];
	double cpu = (second_value(host, M_USER) + second_value(host, M_SYSTEM)) * CORES,
	       kworker = fmin(3, x[T_BACK] / 100);
	double own_kb = second_value(disk, M_RKB_S) - second_value(disk, M_FOREIGN_RKB_S);
	double logs_kb = x[T_LOG] > 0 ? second_value(disk, M_FOREIGN_WKB_S) : 0;
	/* A write is the daemon's when it dirties a page, whoever takes it to the disk. */
	double dirtied_kb =
		s->hadoop ? second_value(disk, M_WKB_S) - second_value(disk, M_FOREIGN_WKB_S)
			  : second_value(tcp, M_TCP_RXKB_S);
	int err = add_culprit(s, server, t, sec, sec, &cpu);

	/* Rows move when there are more of them: from here on what was read off them counts. */
	if (!err)
		err = add_process(sec, daemon_of(s), 0.8 * cpu, own_kb, dirtied_kb);
	if (!err && kworker >= LEAST_CPU)
		err = add_process(sec, WRITER, fmin(kworker, 0.1 * cpu), 0, 0);
	if (!err && logs_kb > 0)
		err = add_process(sec, JOURNAL, 0.05 * cpu, 0, logs_kb);
	return err ? err : add_process(sec, REST, 0.05 * cpu, 0, 0);
}

/* ---- both -------------------------------------------------------------------------------------- */

int rows_identify(const struct setup *s, struct series_writer *out)
{
	struct device_identity id = {
		.family = FAM_PROCESS, .rotational = -1, .size_bytes = -1, .speed_mbps = -1};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(processes) / sizeof(*processes); i++) {
		snprintf(id.name, sizeof(id.name), "%s", processes[i].name);
		snprintf(id.detail, sizeof(id.detail), "%s", processes[i].cgroup);
		err = series_writer_identity(out, &id);
	}
	id.family = FAM_REMOTE;
	*id.detail = '\0';
	for (unsigned int i = 0; !err && !s->hadoop && i <= SHOWN_REMOTES && i < s->clients; i++) {
		remote_name(i, id.name);
		err = series_writer_identity(out, &id);
	}
	return err;
}

int rows_add(const struct setup *s, unsigned int server, unsigned int t, const double *x,
	     struct second *sec)
{
	int err = s->hadoop ? 0 : add_remotes(s, server, t, x, sec);

	return err ? err : add_processes(s, server, t, x, sec);
}
