// SPDX-License-Identifier: BSD-2-Clause
/* Adding intervals up, copying them, and taking their histograms away. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "interval_lat.h"
#include "userspace/common/sort.h"

/* What is kept of a merged interval: the busiest talkers tell who it was, the rest only cost memory. */
enum { REMOTES_KEPT = 512, PROCESSES_KEPT = 128 };

static void *copy_of(const void *at, size_t n, size_t size)
{
	void *p = n ? malloc(n * size) : NULL;

	return p ? memcpy(p, at, n * size) : NULL;
}

/* The buckets of all of a disk's histograms are one piece of memory. `to` is as `from`, and then has its own. */
static int copy_lats(struct interval_disk *to, const struct interval_disk *from)
{
	size_t buckets = 0;

	if (!from->n_lat)
		return 0;
	for (size_t k = 0; k < from->n_lat; k++)
		buckets += from->lat[k].n;
	to->lat = copy_of(from->lat, from->n_lat, sizeof(*to->lat));
	to->pool = malloc((buckets + 1) * sizeof(*to->pool));
	to->n_lat = to->lat && to->pool ? from->n_lat : 0;
	buckets = 0;
	for (size_t k = 0; k < to->n_lat; k++) {
		struct interval_lat *l = &to->lat[k];

		l->at = memcpy(to->pool + buckets, l->at, l->n * sizeof(*l->at));
		buckets += l->n;
	}
	return to->n_lat ? 0 : -ENOMEM;
}

int interval_copy(struct interval *to, const struct interval *from)
{
	int err = 0;

	*to = *from;
	to->runq = copy_of(from->runq, from->runq ? RUNQ_BUCKETS : 0, sizeof(*to->runq));
	to->disks = copy_of(from->disks, from->n_disks, sizeof(*to->disks));
	to->remotes = copy_of(from->remotes, from->n_remotes, sizeof(*to->remotes));
	to->processes = copy_of(from->processes, from->n_processes, sizeof(*to->processes));
	if (!to->runq != !from->runq || !to->disks != !from->n_disks ||
	    !to->remotes != !from->n_remotes || !to->processes != !from->n_processes)
		err = -ENOMEM;
	/* those whose histograms are its own */
	for (to->n_disks = 0; !err && to->n_disks < from->n_disks; to->n_disks++)
		err = copy_lats(&to->disks[to->n_disks], &from->disks[to->n_disks]);
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

/* Ascending arrays of things that begin with a name, no name twice: *array += from. Of what is new only
 * the first are taken, while there are not more than `most`. 0 or -ENOMEM. */
static int merge_named(void *array, size_t *n, const void *from, size_t m, size_t size, size_t most,
		       interval_add_fn add)
{
	size_t room = *n + m < most ? *n + m : most, i = 0;
	char **base = array, *at = *base;

	if (room > *n) {
		at = realloc(at, room * size);
		if (!at)
			return -ENOMEM;
		*base = at;
	}
	for (const char *x = from; m; m--, x += size) {
		int c = 1;

		while (i < *n && (c = strcmp(at + i * size, x)) < 0)
			i++;
		if (i == *n || c) {
			if (*n >= most)
				continue;
			memmove(at + (i + 1) * size, at + i * size, (*n - i) * size);
			memset(at + i * size, 0, size);
			strcpy(at + i * size, x); /* of the same type */
			++*n;
		}
		add(at + i * size, x);
	}
	/* most names are there already */
	if (room > *n && *n && (at = realloc(at, *n * size)))
		*base = at;
	return 0;
}

static void add_disk(void *to, const void *from)
{
	add_accs(((struct interval_disk *)to)->acc, ((const struct interval_disk *)from)->acc,
		 DISK_ACCS);
}

void interval_add_remote(void *to, const void *from)
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
				  sizeof(*into->remotes), REMOTES_KEPT, interval_add_remote);
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
	return h ? find_if(i, h->disks, h->n_disks, !strcmp(h->disks[i].name, name)) : NULL;
}
