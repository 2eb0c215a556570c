// SPDX-License-Identifier: BSD-2-Clause
/* Sums up seconds into an interval: a table says which metric goes where, and what it is weighted by. */
#include "interval_lat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/sort.h"

#define VALUE_MAX    1e18 /* larger ones are damage, and their sums would overflow */
#define INTERVAL_MAX 1e6  /* s; likewise */
/* While an interval is summed up; a process that did little in the first seconds may be the largest. */
#define NAMES_MAX 1024

struct acc_row {
	int metric, weight; /* weight -1: the interval alone */
};

#define DISK_ROW(NAME, METRIC, WEIGHT) [DA_##NAME] = {METRIC, WEIGHT},
#define NODE_ROW(NAME, METRIC, WEIGHT) [NA_##NAME] = {METRIC, WEIGHT},
static const struct acc_row disk_rows[DISK_ACCS] = {DISK_ACC_ROWS(DISK_ROW)};
static const struct acc_row node_rows[NODE_ACCS] = {NODE_ACC_ROWS(NODE_ROW)};

/* What an interval keeps of a remote host or a process besides. */
static const int remote_metrics[] = {M_REM_ODSEG_S, M_REM_RETRANS_S,  M_REM_IDSEG_S,   M_REM_OOO_S,
				     M_REM_OSEG_S,  M_REM_TCP_RXKB_S, M_REM_TCP_TXKB_S};
static const int process_metrics[] = {M_P_CPU, M_P_RKB_S, M_P_WKB_S, M_P_CCWKB_S};

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

void interval_wanted(bool wanted[M_COUNT])
{
	memset(wanted, 0, M_COUNT * sizeof(*wanted));
	for (size_t i = 0; i < DISK_ACCS; i++)
		wanted[disk_rows[i].metric] = true;
	for (size_t i = 0; i < NODE_ACCS; i++)
		wanted[node_rows[i].metric] = true;
	for (size_t i = 0; i < COUNT(remote_metrics); i++)
		wanted[remote_metrics[i]] = true;
	for (size_t i = 0; i < COUNT(process_metrics); i++)
		wanted[process_metrics[i]] = true;
}

double acc_mean(struct acc a)
{
	return a.n > 0 ? a.sum / a.n : NAN;
}

/* ---- seconds and numbers ----------------------------------------------------------------------*/

static double interval_of(const struct series_time *t)
{
	return t->interval_s > 0 && t->interval_s < INTERVAL_MAX ? t->interval_s : 1;
}

void interval_second(struct interval *h, const struct series_time *t)
{
	struct interval_state *s = &h->state;
	unsigned int i = 0;

	s->covered_s += interval_of(t);
	h->seconds = s->covered_s < 1 ? 1 : (unsigned int)fmin(round(s->covered_s), 1e9);
	h->lost += t->lost;
	while (i < h->boots && h->boot[i] != t->boot)
		i++;
	if (i == h->boots && i < INTERVAL_BOOTS)
		h->boot[h->boots++] = t->boot;
}

/* The value of a metric that counts; NaN: there is none. */
static double value_of(struct interval *h, const struct second_row *row, int metric)
{
	double x = second_value(row, metric);

	if (x >= 0 && x <= VALUE_MAX)
		return x;
	h->damaged += !isnan(x);
	return NAN;
}

static void add_acc(struct interval *h, struct acc *to, const struct acc_row *r,
		    const struct second_row *row, double interval_s)
{
	double x = value_of(h, row, r->metric), w = interval_s;

	if (isnan(x))
		return;
	/* A weight that cannot be is counted where it is a value. */
	if (r->weight >= 0) {
		double weight = second_value(row, r->weight);

		w *= weight <= VALUE_MAX ? fmax(weight, 0) : 0;
	}
	if (!(w > 0))
		return;
	to->sum += w * x;
	to->n += w;
}

static void add_node(struct interval *h, const struct second_row *row, double interval_s)
{
	for (size_t i = 0; i < NODE_ACCS; i++)
		if (metrics[node_rows[i].metric].family == row->family)
			add_acc(h, &h->acc[i], &node_rows[i], row, interval_s);
}

/* Interfaces add up: each brings its sum, the first that was measured the seconds. */
static void add_net(struct interval *h, const struct series_time *t, const struct second_row *row,
		    double interval_s)
{
	struct interval_state *s = &h->state;

	if (s->wall_ns != t->wall_ns || s->boot != t->boot || s->seq != t->seq) {
		s->wall_ns = t->wall_ns;
		s->boot = t->boot;
		s->seq = t->seq;
		s->counted = 0;
	}
	for (unsigned int i = 0; i < NODE_ACCS; i++) {
		struct acc one = {0};

		if (metrics[node_rows[i].metric].family != FAM_NET)
			continue;
		add_acc(h, &one, &node_rows[i], row, interval_s);
		h->acc[i].sum += one.sum;
		if (one.n > 0 && !(s->counted & 1U << i)) {
			h->acc[i].n += one.n;
			s->counted |= 1U << i;
		}
	}
}

/* ---- things with names ------------------------------------------------------------------------*/

/* Of a thing that begins with its name, and another name; one that is the same but longer comes after. */
static int name_order(const char *at, const char *name, size_t len)
{
	return strncmp(at, name, len) ?: at[len] != 0;
}

/* Finds a name in an ascending array of things that begin with it, or makes room for it: zeroed. If
 * there are too many, what has no place goes to `rest` (NULL: there are not). NULL: out of memory. */
static void *named(void *array, size_t *n, size_t size, const char *name, size_t len,
		   const char *rest)
{
	char **base = array, *at;
	size_t lo = search_first(i, *n, name_order(*base + i * size, name, len) < 0);

	if (lo < *n && !name_order(*base + lo * size, name, len))
		return *base + lo * size;
	if (rest && *n >= NAMES_MAX)
		return named(array, n, size, rest, strlen(rest), NULL);
	at = array_open(*base, *n, *n + 1, lo, size);
	if (!at)
		return NULL;
	*base = at;
	at += lo * size;
	memcpy(at, name, len);
	(*n)++;
	return at;
}

static int add_remote(struct interval *h, const struct second_row *row, double interval_s)
{
	const char *end = strrchr(row->instance, '>'), *name = row->instance;
	size_t len = end ? (size_t)(end - name) : strlen(name);
	struct interval_remote *r;
	double *to[COUNT(remote_metrics)];

	r = named(&h->remotes, &h->n_remotes, sizeof(*r), name, len, "(other)");
	if (!r)
		return -ENOMEM;
	to[0] = &r->data_out, to[1] = &r->retrans, to[2] = &r->data_in, to[3] = &r->ooo;
	to[4] = &r->segs_out, to[5] = &r->rx_kb, to[6] = &r->tx_kb;
	for (size_t i = 0; i < COUNT(to); i++) {
		double x = value_of(h, row, remote_metrics[i]);

		*to[i] += isnan(x) ? 0 : x * interval_s;
	}
	return 0;
}

static int add_process(struct interval *h, const struct second_row *row, double interval_s)
{
	struct interval_process *p = named(&h->processes, &h->n_processes, sizeof(*p),
					   row->instance, strlen(row->instance), "(rest)");
	double x[COUNT(process_metrics)];

	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < COUNT(x); i++) {
		x[i] = value_of(h, row, process_metrics[i]);
		x[i] = isnan(x[i]) ? 0 : x[i] * interval_s;
	}
	p->cpu_s += x[0] / 100;
	p->read_kb += x[1];
	p->written_kb += x[2] - x[3];
	if (row->cgroup && *row->cgroup && strcmp(p->name, "(rest)"))
		strncpy(p->cgroup, row->cgroup, sizeof(p->cgroup) - 1);
	return 0;
}

static int add_disk(struct interval *h, const struct second_row *row, double interval_s)
{
	struct interval_disk *d = named(&h->disks, &h->n_disks, sizeof(*d), row->instance,
					strlen(row->instance), NULL);

	if (!d)
		return -ENOMEM;
	for (size_t i = 0; i < DISK_ACCS; i++)
		add_acc(h, &d->acc[i], &disk_rows[i], row, interval_s);
	return interval_add_lats(d, row, interval_s);
}

/* A bucket that is full stays so. */
static int add_runq(struct interval *h, const struct runq_hist *row)
{
	if (!h->runq)
		h->runq = calloc(RUNQ_BUCKETS, sizeof(*h->runq));
	if (!h->runq)
		return -ENOMEM;
	for (int b = 0; b < RUNQ_BUCKETS; b++) {
		uint32_t room = UINT32_MAX - h->runq[b];
		uint32_t n = row->n[b] < room ? row->n[b] : room;

		h->runq[b] += n;
		h->n_runq += n;
	}
	return 0;
}

/* ---- an interval ------------------------------------------------------------------------------------*/

int interval_add(struct interval *h, const struct series_time *t, const struct second_row *row)
{
	double interval_s = interval_of(t);

	switch (row->family) {
	case FAM_DISK: return add_disk(h, row, interval_s);
	case FAM_NET: add_net(h, t, row, interval_s); return 0;
	case FAM_REMOTE: return add_remote(h, row, interval_s);
	case FAM_PROCESS: return add_process(h, row, interval_s);
	default: break;
	}
	add_node(h, row, interval_s);
	return row->runq ? add_runq(h, row->runq) : 0;
}
