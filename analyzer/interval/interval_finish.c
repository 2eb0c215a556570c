// SPDX-License-Identifier: BSD-2-Clause
/* The end of an interval: what has too many names is cut down to the largest, and memory is given back. */
#include "interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/sort.h"

/* The rest of a family of things with names gets this one, a text in brackets as in the files. */
#define REST_PROCESS "(rest)"
#define REST_REMOTE  "(other)"

static int descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/* The size that the `keep` largest reach; those of exactly this size are kept as far as there is
 * room, *ties of them. NAN: no memory, keep the first. */
static double least_kept(const double *size, size_t n, size_t keep, size_t *ties)
{
	double *sorted = malloc(n * sizeof(*sorted)), least;

	*ties = keep;
	if (!sorted)
		return NAN;
	memcpy(sorted, size, n * sizeof(*sorted));
	sort(sorted, n, descending);
	least = sorted[keep - 1];
	for (size_t i = 0; i < keep && sorted[i] > least; i++)
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

/* `(` comes before what names begin with, as a rule; the order is kept in any case. */
static void put_process(struct interval *h, const struct interval_process *p)
{
	size_t at = 0;

	while (at < h->n_processes && strcmp(h->processes[at].name, p->name) < 0)
		at++;
	memmove(&h->processes[at + 1], &h->processes[at],
		(h->n_processes - at) * sizeof(*h->processes));
	h->processes[at] = *p;
	h->n_processes++;
}

static void cut_processes(struct interval *h)
{
	struct interval_process rest = {.name = REST_PROCESS}, *at;
	double *size = process_sizes(h), least;
	size_t n = 0, ties;

	if (!size)
		return;
	least = least_kept(size, h->n_processes, INTERVAL_PROCESSES - 1, &ties);
	for (size_t i = 0; i < h->n_processes; i++) {
		const struct interval_process *p = &h->processes[i];

		if (is_kept(size[i], least, &ties)) {
			h->processes[n++] = *p;
			continue;
		}
		rest.cpu_s += p->cpu_s;
		rest.read_kb += p->read_kb;
		rest.written_kb += p->written_kb;
	}
	h->n_processes = n;
	put_process(h, &rest);
	at = realloc(h->processes, INTERVAL_PROCESSES * sizeof(*at));
	h->processes = at ? at : h->processes;
	free(size);
}

/* ---- remotes ----------------------------------------------------------------------------------*/

static void put_remote(struct interval *h, const struct interval_remote *r)
{
	size_t at = 0;

	while (at < h->n_remotes && strcmp(h->remotes[at].addr, r->addr) < 0)
		at++;
	memmove(&h->remotes[at + 1], &h->remotes[at], (h->n_remotes - at) * sizeof(*h->remotes));
	h->remotes[at] = *r;
	h->n_remotes++;
}

static void add_rest(struct interval_remote *to, const struct interval_remote *r)
{
	to->data_out += r->data_out;
	to->retrans += r->retrans;
	to->data_in += r->data_in;
	to->ooo += r->ooo;
	to->segs_out += r->segs_out;
	to->rx_kb += r->rx_kb;
	to->tx_kb += r->tx_kb;
}

static void cut_remotes(struct interval *h)
{
	double *size = malloc(h->n_remotes * sizeof(*size)), least;
	struct interval_remote rest = {.addr = REST_REMOTE}, *at;
	size_t n = 0, ties;

	if (!size)
		return;
	for (size_t i = 0; i < h->n_remotes; i++) {
		const struct interval_remote *r = &h->remotes[i];

		size[i] =
			strcmp(r->addr, REST_REMOTE) ? r->data_out + r->data_in + r->segs_out : -1;
	}
	least = least_kept(size, h->n_remotes, INTERVAL_REMOTES - 1, &ties);
	for (size_t i = 0; i < h->n_remotes; i++) {
		if (is_kept(size[i], least, &ties))
			h->remotes[n++] = h->remotes[i];
		else
			add_rest(&rest, &h->remotes[i]);
	}
	h->n_remotes = n;
	put_remote(h, &rest);
	at = realloc(h->remotes, INTERVAL_REMOTES * sizeof(*at));
	h->remotes = at ? at : h->remotes;
	free(size);
}

/* ---- an interval ------------------------------------------------------------------------------------*/

void interval_finish(struct interval *h)
{
	if (h->n_processes > INTERVAL_PROCESSES)
		cut_processes(h);
	if (h->n_remotes > INTERVAL_REMOTES)
		cut_remotes(h);
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
