// SPDX-License-Identifier: BSD-2-Clause
/* One file into the intervals of its host: each second once, with its devices and control groups. */
#include "gather_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/sort.h"
#include "userspace/wire/wire.h"

#define IDENTITIES_MAX 8192	 /* of one host */
#define SLOTS_MAX      (1 << 20) /* seconds of one interval */

int64_t stretch_end(const struct stretch *s)
{
	return s->from_ns + (int64_t)s->n * s->interval_ns;
}

bool stretch_has(const struct stretch *s, uint64_t seconds, int64_t first_ns, int64_t last_ns)
{
	return seconds && last_ns >= s->from_ns && first_ns < stretch_end(s);
}

int64_t gather_floor(int64_t ns, int64_t interval_ns)
{
	int64_t rest = ns % interval_ns;

	return ns - (rest < 0 ? rest + interval_ns : rest);
}

/* ---- identities -------------------------------------------------------------------------------*/

void identities_release(struct identities *l)
{
	for (size_t i = 0; i < l->n_own; i++)
		free(l->own[i]);
	free(l->at);
	*l = (struct identities){0};
}

size_t identities_bytes(const struct identities *l)
{
	/* An array has room for twice as many at most, and a path is a piece of memory of its own. */
	size_t n = 2 * l->n * sizeof(*l->at);

	for (size_t i = 0; i < l->n_own; i++)
		n += strlen(l->own[i]) + 32;
	return n;
}

static int identity_order(const struct device_identity *a, const struct device_identity *b)
{
	return a->family == b->family ? strcmp(a->name, b->name) : (int)a->family - (int)b->family;
}

/* What is said again is not new; a device that changed is. */
static int note_identity(struct identities *l, const struct device_identity *id)
{
	size_t lo = search_first(i, l->n, identity_order(&l->at[i].id, id) < 0);
	struct identity *at = lo < l->n ? &l->at[lo] : NULL;

	if (at && !identity_order(&at->id, id)) {
		/* zeroed before it was filled, so that its padding is alike too */
		if (!memcmp(&at->id, id, sizeof(*id)))
			return 0;
	} else {
		if (l->n == IDENTITIES_MAX)
			return 0;
		at = array_insert(&l->at, &l->n, lo);
		if (!at)
			return -ENOMEM;
	}
	at->id = *id;
	at->fresh = true;
	return 0;
}

/* Once each; beyond the most there may be in a file, what comes is passed over. */
static int note_own(void *arg, const char *cgroup)
{
	struct identities *l = arg;

	for (size_t i = 0; i < l->n_own; i++)
		if (!strcmp(l->own[i], cgroup))
			return 0;
	if (l->n_own == SERIES_MAX_CGROUPS)
		return 0;
	l->own[l->n_own] = strdup(cgroup);
	if (!l->own[l->n_own])
		return -ENOMEM;
	l->n_own++;
	return 0;
}

static int note_pid(void *arg, const char *pid)
{
	char own[32];

	snprintf(own, sizeof(own), "pid:%s", pid);
	return note_own(arg, own);
}

int identities_add(struct identities *l, struct feed *f, size_t server)
{
	struct feed_item item = {.kind = FEED_IDENTITY, .server = (uint32_t)server};
	int err = 0;

	for (size_t i = 0; i < l->n && !err; i++) {
		item.identity = &l->at[i].id;
		err = l->at[i].fresh ? feed_add(f, &item) : 0;
		l->at[i].fresh = false;
	}
	item.kind = FEED_OWN;
	for (; l->own_given < l->n_own && !err; l->own_given++) {
		item.own = l->own[l->own_given];
		err = feed_add(f, &item);
	}
	return err;
}

/* ---- the intervals of a host -----------------------------------------------------------------------*/

int host_intervals_init(struct host_intervals *h, const struct stretch *of,
			unsigned int interval_ms)
{
	*h = (struct host_intervals){.of = *of, .last_ns = INT64_MIN};
	h->step_ns = (int64_t)(interval_ms ? interval_ms : 1) * 1000000;
	h->slots = (size_t)((of->interval_ns + h->step_ns - 1) / h->step_ns);
	if (h->slots > SLOTS_MAX)
		return -E2BIG;
	h->at = calloc(of->n, sizeof(*h->at));
	h->owner = calloc(of->n * h->slots, sizeof(*h->owner));
	return h->at && h->owner ? 0 : -ENOMEM;
}

void host_intervals_release(struct host_intervals *h)
{
	for (size_t i = 0; h->at && i < h->of.n; i++)
		interval_release(&h->at[i]);
	free(h->at);
	free(h->owner);
	*h = (struct host_intervals){0};
}

void host_intervals_finish(struct host_intervals *h)
{
	for (size_t i = 0; i < h->of.n; i++)
		interval_finish(&h->at[i]);
}

size_t host_intervals_taken(const struct host_intervals *h, size_t i)
{
	return count_if(k, h->slots, h->owner[i * h->slots + k].file > 0);
}

int host_intervals_move(struct host_intervals *h, const struct stretch *to)
{
	size_t first = (size_t)((to->from_ns - h->of.from_ns) / h->of.interval_ns);
	size_t kept = first < h->of.n ? h->of.n - first : 0;
	struct interval *at = calloc(to->n, sizeof(*at));
	struct second_owner *owner = calloc(to->n * h->slots, sizeof(*owner));

	if (!at || !owner) {
		free(at);
		free(owner);
		return -ENOMEM;
	}
	kept = kept < to->n ? kept : to->n;
	if (kept) {
		memcpy(at, &h->at[first], kept * sizeof(*at));
		memset(&h->at[first], 0, kept * sizeof(*at));
		memcpy(owner, &h->owner[first * h->slots], kept * h->slots * sizeof(*owner));
	}
	for (size_t i = 0; i < h->of.n; i++)
		interval_release(&h->at[i]);
	free(h->at);
	free(h->owner);
	h->at = at;
	h->owner = owner;
	h->of = *to;
	return 0;
}

size_t host_intervals_bytes_of(const struct host_intervals *h, size_t i)
{
	const struct interval *p = &h->at[i];
	size_t n = p->runq ? RUNQ_BUCKETS * sizeof(*p->runq) : 0;

	n += p->n_remotes * sizeof(*p->remotes) + p->n_processes * sizeof(*p->processes);
	for (size_t d = 0; d < p->n_disks; d++) {
		n += sizeof(*p->disks) + p->disks[d].n_lat * sizeof(*p->disks[d].lat);
		for (size_t k = 0; k < p->disks[d].n_lat; k++)
			n += p->disks[d].lat[k].n * sizeof(uint32_t) + 16;
	}
	return n;
}

size_t host_intervals_bytes(const struct host_intervals *h)
{
	size_t n = h->of.n * (sizeof(*h->at) + h->slots * sizeof(*h->owner));

	for (size_t i = 0; i < h->of.n; i++)
		n += host_intervals_bytes_of(h, i);
	return n;
}

int host_intervals_refine(struct host_intervals *h, unsigned int interval_ms)
{
	struct host_intervals now;
	int err = host_intervals_init(&now, &h->of, interval_ms);

	if (err || now.slots <= h->slots) {
		host_intervals_release(&now);
		return err;
	}
	for (size_t i = 0; i < h->of.n; i++)
		for (size_t k = 0; k < h->slots; k++)
			now.owner[i * now.slots + (size_t)((int64_t)k * h->step_ns / now.step_ns)] =
				h->owner[i * h->slots + k];
	free(now.at);
	free(h->owner);
	h->owner = now.owner;
	h->slots = now.slots;
	h->step_ns = now.step_ns;
	return 0;
}

/* ---- a file -----------------------------------------------------------------------------------*/

struct filling {
	struct host_intervals *h;
	double nominal_s; /* of the file */
	/* The second and family whose rows come in. */
	bool open, mine;
	struct interval *interval;
	enum metric_family family;
	int64_t wall_ns, boot;
	uint64_t seq;
	uint64_t duplicates[FAM_COUNT];
};

/* Another second, or another family: whose is it? */
static void begin_second(struct filling *f, const struct series_time *t, enum metric_family family)
{
	struct host_intervals *h = f->h;
	int64_t interval = (t->wall_ns - h->of.from_ns) / h->of.interval_ns;
	int64_t from_ns = h->of.from_ns + interval * h->of.interval_ns;
	struct second_owner *o = &h->owner[(size_t)interval * h->slots +
					   (size_t)((t->wall_ns - from_ns) / h->step_ns)];

	f->open = true;
	f->wall_ns = t->wall_ns;
	f->seq = t->seq;
	f->boot = t->boot;
	f->family = family;
	f->interval = &h->at[interval];
	f->mine = !o->file || (o->file == h->files && o->boot == t->boot && o->seq == t->seq);
	if (!f->mine) {
		f->duplicates[family]++;
		return;
	}
	if (o->file)
		return;
	*o = (struct second_owner){t->boot, t->seq, h->files};
	f->interval->from_ns = from_ns;
	interval_second(f->interval, t);
	h->seconds++;
	if (t->wall_ns > h->last_ns)
		h->last_ns = t->wall_ns;
}

static int on_row(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct series_time at = *t;
	struct filling *f = arg;

	/* Rates were divided by what the interval should have been, if it is not known. */
	if (!(at.interval_s > 0))
		at.interval_s = f->nominal_s;
	if (!f->open || f->wall_ns != t->wall_ns || f->seq != t->seq || f->boot != t->boot ||
	    f->family != row->family)
		begin_second(f, &at, row->family);
	return f->mine ? interval_add(f->interval, &at, row) : 0;
}

/* ---- what stands behind the names -------------------------------------------------------------*/

struct cgroup {
	char name[INSTANCE_LEN];
	size_t order; /* of the file: the last one of a name counts */
	char path[sizeof(((struct interval_process *)NULL)->cgroup)];
};

struct devices {
	struct identities *ids;
	struct cgroup *at;
	size_t n;
};

static int on_device(void *arg, const struct device_identity *id)
{
	struct devices *d = arg;
	struct cgroup *at;

	if (id->family == FAM_DISK || id->family == FAM_NET)
		return note_identity(d->ids, id);
	if (id->family != FAM_PROCESS || !*id->detail)
		return 0;
	at = array_add(&d->at, &d->n);
	if (!at)
		return -ENOMEM;
	memcpy(at->name, id->name, sizeof(at->name));
	snprintf(at->path, sizeof(at->path), "%s", id->detail);
	at->order = d->n - 1;
	return 0;
}

COMPARISON(by_name, struct cgroup, strcmp(a->name, b->name) ?: ORDER(a->order, b->order))

static const struct cgroup *find_cgroup(const struct devices *d, const char *name)
{
	size_t lo = search_first(mid, d->n, strcmp(d->at[mid].name, name) <= 0);

	return lo && !strcmp(d->at[lo - 1].name, name) ? &d->at[lo - 1] : NULL;
}

static void name_cgroups(struct interval *at, size_t n, struct devices *d)
{
	if (!d->n)
		return;
	sort(d->at, d->n, by_name);
	for (size_t i = 0; i < n; i++)
		for (size_t p = 0; p < at[i].n_processes; p++) {
			struct interval_process *to = &at[i].processes[p];
			const struct cgroup *from = find_cgroup(d, to->name);

			if (from && strcmp(to->name, "(rest)"))
				memcpy(to->cgroup, from->path, sizeof(to->cgroup));
		}
}

static uint64_t most_duplicates(const struct filling *f)
{
	uint64_t most = 0;

	for (int i = 0; i < FAM_COUNT; i++)
		most = f->duplicates[i] > most ? f->duplicates[i] : most;
	return most;
}

int host_intervals_read(struct host_intervals *h, const char *path, const struct feed_opts *o,
			struct identities *ids)
{
	int64_t from = h->of.from_ns, to = stretch_end(&h->of);
	struct devices d = {.ids = ids};
	struct filling f = {.h = h};
	struct series_reader *r = NULL;
	bool wanted[M_COUNT];
	int err;

	from = o->from_ns > from ? o->from_ns : from;
	to = o->to_ns < to ? o->to_ns : to;
	h->files++;
	err = series_reader_new(&r, path);
	if (!err) {
		interval_wanted(wanted);
		series_reader_want(r, wanted);
		f.nominal_s = series_reader_interval_ms(r) / 1000.0;
		err = series_reader_rows(r, from, to, SERIES_ALL, HIST_LAT | HIST_DEV | HIST_RUNQ,
					 on_row, &f);
	}
	err = err ?: series_reader_devices(r, on_device, &d);
	err = err ?: series_reader_cgroups(r, note_own, ids);
	err = err ?: series_reader_pids(r, note_pid, ids);
	if (!err)
		name_cgroups(h->at, h->of.n, &d);
	h->duplicates += most_duplicates(&f);
	series_reader_free(r);
	free(d.at);
	return err;
}

/* ---- a frame ----------------------------------------------------------------------------------*/

int host_intervals_take(struct host_intervals *h, struct wire_decoder *d, struct identities *ids,
			bool *twice)
{
	struct filling f = {.h = h, .nominal_s = wire_decoder_interval_ms(d) / 1000.0};
	struct devices of = {.ids = ids};
	int err;

	/* Each is a file of its own: so the same second never counts twice. */
	h->files++;
	err = wire_decoder_rows(d, HIST_LAT | HIST_DEV | HIST_RUNQ, on_row, &f);
	err = err ?: wire_decoder_devices(d, on_device, &of);
	err = err ?: wire_decoder_cgroups(d, note_own, ids) ?: wire_decoder_pids(d, note_pid, ids);
	if (!err && f.interval)
		name_cgroups(f.interval, 1, &of);
	*twice = most_duplicates(&f) > 0;
	h->duplicates += *twice;
	free(of.at);
	return err;
}
