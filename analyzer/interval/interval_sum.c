// SPDX-License-Identifier: BSD-2-Clause
/* Adding intervals up, copying them, and taking their histograms away. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interval.h"

/* What is kept of a merged interval: the busiest talkers tell who it was, the rest only cost memory. */
enum { REMOTES_KEPT = 512, PROCESSES_KEPT = 128 };

static void *copy_of(const void *at, size_t n, size_t size)
{
	void *p = n ? malloc(n * size) : NULL;

	return p ? memcpy(p, at, n * size) : NULL;
}

static int copy_lats(struct interval_disk *to, const struct interval_disk *from)
{
	to->lat = calloc(from->n_lat + 1, sizeof(*to->lat));
	if (!to->lat)
		return -ENOMEM;
	for (to->n_lat = 0; to->n_lat < from->n_lat; to->n_lat++) {
		struct interval_lat *l = &to->lat[to->n_lat];

		*l = from->lat[to->n_lat];
		l->at = copy_of(from->lat[to->n_lat].at, l->n, sizeof(*l->at));
		if (l->n && !l->at)
			return -ENOMEM;
	}
	return 0;
}

int interval_copy(struct interval *to, const struct interval *from)
{
	int err = 0;

	*to = *from;
	to->n_disks = to->n_remotes = to->n_processes = 0;
	to->disks = calloc(from->n_disks + 1, sizeof(*to->disks));
	to->remotes = calloc(from->n_remotes + 1, sizeof(*to->remotes));
	to->processes = calloc(from->n_processes + 1, sizeof(*to->processes));
	if (!to->disks || !to->remotes || !to->processes)
		err = -ENOMEM;
	for (; !err && to->n_disks < from->n_disks; to->n_disks++) {
		to->disks[to->n_disks] = from->disks[to->n_disks];
		to->disks[to->n_disks].lat = NULL;
		to->disks[to->n_disks].n_lat = 0;
		err = copy_lats(&to->disks[to->n_disks], &from->disks[to->n_disks]);
	}
	if (!err && from->n_remotes)
		memcpy(to->remotes, from->remotes, from->n_remotes * sizeof(*to->remotes));
	if (!err && from->n_processes)
		memcpy(to->processes, from->processes, from->n_processes * sizeof(*to->processes));
	if (!err) {
		to->n_remotes = from->n_remotes;
		to->n_processes = from->n_processes;
	}
	if (err)
		interval_release(to);
	return err;
}

void interval_strip(struct interval *h)
{
	for (size_t i = 0; i < h->n_disks; i++) {
		for (size_t k = 0; k < h->disks[i].n_lat; k++)
			free(h->disks[i].lat[k].at);
		free(h->disks[i].lat);
		h->disks[i].lat = NULL;
		h->disks[i].n_lat = 0;
	}
}

static void add_accs(struct acc *to, const struct acc *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		to[i].sum += from[i].sum;
		to[i].n += from[i].n;
	}
}

/* Where a name is in an ascending array of things that begin with it, or is to be. */
static size_t place(const void *array, size_t n, size_t size, const char *name)
{
	const char *base = array;
	size_t at = 0, hi = n;

	while (at < hi) {
		size_t mid = (at + hi) / 2;

		if (strcmp(base + mid * size, name) < 0)
			at = mid + 1;
		else
			hi = mid;
	}
	return at;
}

/* The element of this name, or a new one, zeroed but for the name, while there are fewer than `most`.
 * NULL: there are not, or *err is -ENOMEM. */
static void *element(void *array, size_t *n, size_t size, const char *name, size_t most, int *err)
{
	char **base = array, *more;
	size_t i = place(*base, *n, size, name);

	if (i < *n && !strcmp(*base + i * size, name))
		return *base + i * size;
	if (*n >= most)
		return NULL;
	more = realloc(*base, (*n + 1) * size);
	if (!more) {
		*err = -ENOMEM;
		return NULL;
	}
	*base = more;
	more += i * size;
	memmove(more + size, more, (*n - i) * size);
	memset(more, 0, size);
	strcpy(more, name); /* of the same type */
	(*n)++;
	return more;
}

static int merge_disks(struct interval *into, const struct interval *from)
{
	int err = 0;

	for (size_t k = 0; k < from->n_disks && !err; k++) {
		struct interval_disk *to = element(&into->disks, &into->n_disks, sizeof(*to),
						   from->disks[k].name, INTERVAL_DISKS, &err);

		if (to)
			add_accs(to->acc, from->disks[k].acc, DISK_ACCS);
	}
	return err;
}

static int merge_remotes(struct interval *into, const struct interval *from)
{
	int err = 0;

	for (size_t k = 0; k < from->n_remotes && !err; k++) {
		const struct interval_remote *x = &from->remotes[k];
		struct interval_remote *to = element(&into->remotes, &into->n_remotes, sizeof(*to),
						     x->addr, REMOTES_KEPT, &err);

		if (!to)
			continue;
		to->data_out += x->data_out;
		to->retrans += x->retrans;
		to->data_in += x->data_in;
		to->ooo += x->ooo;
		to->segs_out += x->segs_out;
		to->rx_kb += x->rx_kb;
		to->tx_kb += x->tx_kb;
	}
	return err;
}

static int merge_processes(struct interval *into, const struct interval *from)
{
	int err = 0;

	for (size_t k = 0; k < from->n_processes && !err; k++) {
		const struct interval_process *x = &from->processes[k];
		struct interval_process *to = element(&into->processes, &into->n_processes,
						      sizeof(*to), x->name, PROCESSES_KEPT, &err);

		if (!to)
			continue;
		if (*x->cgroup)
			memcpy(to->cgroup, x->cgroup, sizeof(to->cgroup));
		to->cpu_s += x->cpu_s;
		to->read_kb += x->read_kb;
		to->written_kb += x->written_kb;
	}
	return err;
}

int interval_merge(struct interval *into, const struct interval *from)
{
	int err;

	add_accs(into->acc, from->acc, NODE_ACCS);
	into->seconds += from->seconds;
	into->lost += from->lost;
	into->boots = from->boots > into->boots ? from->boots : into->boots;
	for (size_t i = 0; i < RUNQ_BUCKETS; i++)
		into->runq[i] += from->runq[i];
	into->n_runq += from->n_runq;
	err = merge_disks(into, from);
	if (!err)
		err = merge_remotes(into, from);
	return err ? err : merge_processes(into, from);
}

static void scale_accs(struct acc *a, size_t n, double by)
{
	for (size_t i = 0; i < n; i++) {
		a[i].sum *= by;
		a[i].n *= by;
	}
}

/* Less than this, in all that is remembered, is a process that is gone. */
#define TRACE_CPU_S 0.05
#define TRACE_KB    64.0

/* What processes did before tells later who is new. */
static void scale_processes(struct interval *h, double by)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->n_processes; i++) {
		struct interval_process p = h->processes[i];

		p.cpu_s *= by;
		p.read_kb *= by;
		p.written_kb *= by;
		if (p.cpu_s >= TRACE_CPU_S || p.read_kb + p.written_kb >= TRACE_KB)
			h->processes[kept++] = p;
	}
	h->n_processes = kept;
}

/* Seconds or requests, likewise: a disk of which less is left was taken out. */
#define TRACE_N 0.01

/* Names of disks come and go, too. */
static void scale_disks(struct interval *h, double by)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->n_disks; i++) {
		struct interval_disk d = h->disks[i];
		bool left = false;

		scale_accs(d.acc, DISK_ACCS, by);
		for (size_t k = 0; k < DISK_ACCS; k++)
			left |= d.acc[k].n >= TRACE_N;
		if (left)
			h->disks[kept++] = d;
	}
	h->n_disks = kept;
}

void interval_scale(struct interval *h, double by)
{
	scale_accs(h->acc, NODE_ACCS, by);
	scale_disks(h, by);
	scale_processes(h, by);
	h->seconds = (unsigned int)lround(h->seconds * by);
	/* who talked is of the present */
	free(h->remotes);
	h->remotes = NULL;
	h->n_remotes = 0;
	memset(h->runq, 0, sizeof(h->runq));
	h->n_runq = 0;
}

const struct interval_disk *interval_find_disk(const struct interval *h, const char *name)
{
	for (size_t i = 0; h && i < h->n_disks; i++)
		if (!strcmp(h->disks[i].name, name))
			return &h->disks[i];
	return NULL;
}
