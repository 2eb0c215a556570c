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

/* The buckets of all of a disk's histograms are one piece of memory. */
static int copy_lats(struct interval_disk *to, const struct interval_disk *from)
{
	size_t buckets = 0;

	if (!from->n_lat)
		return 0;
	for (size_t k = 0; k < from->n_lat; k++)
		buckets += from->lat[k].n;
	to->lat = copy_of(from->lat, from->n_lat, sizeof(*to->lat));
	to->pool = malloc((buckets + 1) * sizeof(*to->pool));
	if (!to->lat || !to->pool) {
		free(to->lat);
		free(to->pool);
		to->lat = NULL;
		to->pool = NULL;
		return -ENOMEM;
	}
	to->n_lat = from->n_lat;
	buckets = 0;
	for (size_t k = 0; k < to->n_lat; k++) {
		struct interval_lat *l = &to->lat[k];

		l->at = to->pool + buckets;
		memcpy(l->at, from->lat[k].at, l->n * sizeof(*l->at));
		buckets += l->n;
	}
	return 0;
}

int interval_copy(struct interval *to, const struct interval *from)
{
	int err = 0;

	*to = *from;
	to->n_disks = to->n_remotes = to->n_processes = 0;
	to->runq = from->runq ? copy_of(from->runq, RUNQ_BUCKETS, sizeof(*to->runq)) : NULL;
	to->disks = calloc(from->n_disks + 1, sizeof(*to->disks));
	to->remotes = calloc(from->n_remotes + 1, sizeof(*to->remotes));
	to->processes = calloc(from->n_processes + 1, sizeof(*to->processes));
	if (!to->disks || !to->remotes || !to->processes || !to->runq != !from->runq)
		err = -ENOMEM;
	for (; !err && to->n_disks < from->n_disks; to->n_disks++) {
		to->disks[to->n_disks] = from->disks[to->n_disks];
		to->disks[to->n_disks].lat = NULL;
		to->disks[to->n_disks].pool = NULL;
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
	free(h->runq);
	h->runq = NULL;
	h->n_runq = 0;
	for (size_t i = 0; i < h->n_disks; i++)
		interval_free_lats(&h->disks[i]);
}

static void add_accs(struct acc *to, const struct acc *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		to[i].sum += from[i].sum;
		to[i].n += from[i].n;
	}
}

/* Two of one type, which begins with its name. */
typedef void (*add_fn)(void *to, const void *from);

/* Adds what both have, and counts what only `from` has. */
static size_t add_common(char *at, size_t n, const char *from, size_t m, size_t size, add_fn add)
{
	size_t i = 0, fresh = 0;

	for (size_t k = 0; k < m; k++) {
		int c = 1;

		while (i < n && (c = strcmp(at + i * size, from + k * size)) < 0)
			i++;
		if (i < n && !c)
			add(at + i * size, from + k * size);
		else
			fresh++;
	}
	return fresh;
}

/* Ascending arrays of things that begin with a name, no name twice: *array += from. Of what is new only
 * the first are taken, while there are not more than `most`. 0 or -ENOMEM. */
static int merge_named(void *array, size_t *n, const void *from, size_t m, size_t size, size_t most,
		       add_fn add)
{
	char **base = array, *more;
	const char *x = from;
	size_t fresh = add_common(*base, *n, x, m, size, add), i = *n, k = m;
	size_t room = most > *n ? most - *n : 0, taken = fresh < room ? fresh : room;
	size_t skip = fresh - taken, end = *n + taken;

	if (!taken)
		return 0;
	more = realloc(*base, end * size);
	if (!more)
		return -ENOMEM;
	*base = more;
	*n = end;
	/* from the end, so that nothing is overwritten before it has moved */
	while (end > i) {
		int c = i ? strcmp(more + (i - 1) * size, x + (k - 1) * size) : -1;

		if (c > 0) {
			memcpy(more + --end * size, more + --i * size, size);
		} else if (!c) {
			k--;
		} else if (skip) {
			skip--;
			k--;
		} else {
			k--;
			end--;
			memset(more + end * size, 0, size);
			strcpy(more + end * size, x + k * size); /* of the same type */
			add(more + end * size, x + k * size);
		}
	}
	return 0;
}

static void add_disk(void *to, const void *from)
{
	add_accs(((struct interval_disk *)to)->acc, ((const struct interval_disk *)from)->acc,
		 DISK_ACCS);
}

static void add_remote(void *to, const void *from)
{
	struct interval_remote *r = to;
	const struct interval_remote *x = from;

	r->data_out += x->data_out;
	r->retrans += x->retrans;
	r->data_in += x->data_in;
	r->ooo += x->ooo;
	r->segs_out += x->segs_out;
	r->rx_kb += x->rx_kb;
	r->tx_kb += x->tx_kb;
}

static void add_process(void *to, const void *from)
{
	struct interval_process *p = to;
	const struct interval_process *x = from;

	if (*x->cgroup)
		memcpy(p->cgroup, x->cgroup, sizeof(p->cgroup));
	p->cpu_s += x->cpu_s;
	p->read_kb += x->read_kb;
	p->written_kb += x->written_kb;
}

int interval_merge(struct interval *into, const struct interval *from)
{
	int err = merge_named(&into->disks, &into->n_disks, from->disks, from->n_disks,
			      sizeof(*into->disks), INTERVAL_DISKS, add_disk);

	add_accs(into->acc, from->acc, NODE_ACCS);
	into->seconds += from->seconds;
	into->lost += from->lost;
	into->boots = from->boots > into->boots ? from->boots : into->boots;
	if (!err)
		err = merge_named(&into->remotes, &into->n_remotes, from->remotes, from->n_remotes,
				  sizeof(*into->remotes), REMOTES_KEPT, add_remote);
	if (!err)
		err = merge_named(&into->processes, &into->n_processes, from->processes,
				  from->n_processes, sizeof(*into->processes), PROCESSES_KEPT,
				  add_process);
	return err;
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
}

const struct interval_disk *interval_find_disk(const struct interval *h, const char *name)
{
	for (size_t i = 0; h && i < h->n_disks; i++)
		if (!strcmp(h->disks[i].name, name))
			return &h->disks[i];
	return NULL;
}
