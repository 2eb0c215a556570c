// SPDX-License-Identifier: BSD-2-Clause
/* The end of an interval: what has too many names is cut down to the largest, and memory is given back. */
#include "interval_lat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/sort.h"

/* The rest of a family of things with names gets this one, a text in brackets as in the files. */
#define REST_PROCESS "(rest)"
#define REST_REMOTE  "(other)"

/* The size that the `keep` largest reach; those of exactly this size are kept as far as there is
 * room, *ties of them. NAN: no memory, keep the first. */
static double least_kept(const double *size, size_t n, size_t keep, size_t *ties)
{
	double *sorted = malloc(n * sizeof(*sorted)), least;

	*ties = keep;
	if (!sorted)
		return NAN;
	memcpy(sorted, size, n * sizeof(*sorted));
	sort(sorted, n, by_double);
	least = sorted[n - keep];
	for (size_t i = n; sorted[i - 1] > least; i--)
		(*ties)--;
	free(sorted);
	return least;
}

static bool is_kept(double size, double least, size_t *ties)
{
	if (size > least)
		return true;
	if (size < least || !*ties)
		return false;
	(*ties)--;
	return true;
}

/*
 * Things of one type, which begins with its name, ascending: those with the `most` - 1 largest sizes stay, and what the
 * others have is added up in `rest`, which comes among them. Takes `size`, NULL: no memory, all stay.
 */
static void cut_named(void *array, size_t *n, size_t one, double *size, size_t most, void *rest,
		      interval_add_fn add)
{
	char **base = array, *at = *base;
	size_t kept = 0, where, ties;
	double least;

	if (!size)
		return;
	least = least_kept(size, *n, most - 1, &ties);
	for (size_t i = 0; i < *n; i++) {
		if (is_kept(size[i], least, &ties))
			memmove(at + kept++ * one, at + i * one, one);
		else
			add(rest, at + i * one);
	}
	where = search_first(i, kept, strcmp(at + i * one, rest) < 0);
	memmove(at + (where + 1) * one, at + where * one, (kept - where) * one);
	memcpy(at + where * one, rest, one);
	*n = kept + 1;
	at = realloc(at, *n * one);
	*base = at ? at : *base;
	free(size);
}

/* ---- processes --------------------------------------------------------------------------------*/

/* Shares of all of the server's, so that neither processor time nor bytes go under. */
static double *process_sizes(const struct interval *h)
{
	double *size = malloc(h->n_processes * sizeof(*size)), cpu = 0, kb = 0;

	for (size_t i = 0; size && i < h->n_processes; i++) {
		const struct interval_process *p = &h->processes[i];

		cpu += p->cpu_s;
		kb += p->read_kb + fmax(p->written_kb, 0);
	}
	for (size_t i = 0; size && i < h->n_processes; i++) {
		const struct interval_process *p = &h->processes[i];

		size[i] = (cpu > 0 ? p->cpu_s / cpu : 0) +
			  (kb > 0 ? (p->read_kb + fmax(p->written_kb, 0)) / kb : 0);
		if (!strcmp(p->name, REST_PROCESS))
			size[i] = -1;
	}
	return size;
}

static void add_to_rest(void *to, const void *from)
{
	struct interval_process *rest = to;
	const struct interval_process *p = from;

	rest->cpu_s += p->cpu_s;
	rest->read_kb += p->read_kb;
	rest->written_kb += p->written_kb;
}

/* ---- remotes ----------------------------------------------------------------------------------*/

static double *remote_sizes(const struct interval *h)
{
	double *size = malloc(h->n_remotes * sizeof(*size));

	for (size_t i = 0; size && i < h->n_remotes; i++) {
		const struct interval_remote *r = &h->remotes[i];

		size[i] =
			strcmp(r->addr, REST_REMOTE) ? r->data_out + r->data_in + r->segs_out : -1;
	}
	return size;
}

/* ---- an interval ------------------------------------------------------------------------------------*/

void interval_finish(struct interval *h)
{
	struct interval_process processes = {.name = REST_PROCESS};
	struct interval_remote remotes = {.addr = REST_REMOTE};

	if (h->n_processes > INTERVAL_PROCESSES)
		cut_named(&h->processes, &h->n_processes, sizeof(processes), process_sizes(h),
			  INTERVAL_PROCESSES, &processes, add_to_rest);
	if (h->n_remotes > INTERVAL_REMOTES)
		cut_named(&h->remotes, &h->n_remotes, sizeof(remotes), remote_sizes(h),
			  INTERVAL_REMOTES, &remotes, interval_add_remote);
	/* What was written in seconds before may be cancelled in these. */
	for (size_t i = 0; i < h->n_processes; i++)
		h->processes[i].written_kb = fmax(h->processes[i].written_kb, 0);
}

void interval_free_lats(struct interval_disk *d)
{
	for (size_t i = 0; !d->pool && i < d->n_lat; i++)
		free(d->lat[i].at);
	free(d->pool);
	free(d->lat);
	d->pool = NULL;
	d->lat = NULL;
	d->n_lat = 0;
}

void interval_release(struct interval *h)
{
	interval_strip(h);
	free(h->disks);
	free(h->remotes);
	free(h->processes);
	*h = (struct interval){0};
}
