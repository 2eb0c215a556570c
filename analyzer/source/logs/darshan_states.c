// SPDX-License-Identifier: BSD-2-Clause
/* darshan.h: accesses as states, and which records have been read. */
#include "darshan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/sort.h"

/* Parts of accesses that are looked at: more than there may be states, as one may be said twice. */
enum { WORK_MAX = 2 * LOG_STATES_MAX };

/* No job of a log runs longer: 3 years of seconds. */
static const double SECONDS_MAX = 1e8;

static bool is_time(double s)
{
	return s >= 0 && s < SECONDS_MAX;
}

static void name_of(const struct darshan *k, const struct access *a, char *to, size_t size)
{
	int n = snprintf(to, size, "%lld.%lld.%016llx.%c", (long long)k->f.job, (long long)a->rank,
			 (unsigned long long)a->file, a->write ? 'w' : 'r');

	if (a->number >= 0)
		n += snprintf(to + n, size - (size_t)n, "%ld", a->number);
	if (a->part)
		snprintf(to + n, size - (size_t)n, "/%u", a->part);
}

void darshan_add(struct darshan *k, const struct access *a, uint32_t server)
{
	static const enum state_kind kinds[2][2] = {{STATE_OST_READ, STATE_OST_WRITE},
						    {STATE_OST_READ_WIDE, STATE_OST_WRITE_WIDE}};
	const char *path = darshan_name_of(&k->y, a->file);
	uint32_t item = path ? log_item(k->l, piece_of(path)) : STATE_NONE;
	char name[LOG_ID_LEN];
	struct state *st;

	k->work++;
	if (!is_time(a->from_s) || !is_time(a->to_s)) {
		k->l->s->counts.junk++;
		return;
	}
	name_of(k, a, name, sizeof(name));
	/* two programs of one job may have the same process and file at other times */
	st = state_whole(k->l, kinds[a->part > 0][a->write], log_id(k->l, piece_of(name)), true,
			 server, k->f.start_ns + (int64_t)(a->from_s * 1e9),
			 k->f.start_ns + (int64_t)(a->to_s * 1e9), OUTCOME_OK);
	if (!st)
		return;
	k->made++;
	st->bytes = a->bytes;
	st->records = a->ops;
	st->job = k->job;
	st->cls = a->cls;
	st->peer = a->host;
	st->in = a->write ? STATE_NONE : item;
	st->out = a->write ? item : STATE_NONE;
}

uint32_t darshan_class(struct darshan *k, const char *layer, int64_t size)
{
	static const char *const sizes[] = {"1",   "4",	   "16", "64", "256", "1K",  "4K",   "16K",
					    "64K", "256K", "1M", "4M", "16M", "64M", "256M", "1G"};
	char name[LOG_ID_LEN];
	size_t i = 0;

	for (; size >= 4 && i + 1 < sizeof(sizes) / sizeof(*sizes); size /= 4)
		i++;
	snprintf(name, sizeof(name), "%s %s%s%s", k->exe, layer, size ? " " : "",
		 size ? sizes[i] : "");
	return log_class(k->l, piece_of(name));
}

/* ---- records that have been read ------------------------------------------------------------------------- */

COMPARISON(by_key, struct record_key, ORDER(a->id, b->id) ?: ORDER(a->rank, b->rank))

COMPARISON(by_rank, struct record_key, ORDER(a->rank, b->rank) ?: ORDER(a->host, b->host))

COMPARISON(by_word, uint64_t, ORDER(*a, *b))

void darshan_traced_in_order(struct darshan *k)
{
	sort(k->ranks, k->n_ranks, by_rank);
	sort(k->traced, k->n_traced, by_key);
}

bool darshan_is_traced(const struct darshan *k, uint64_t id, int64_t rank)
{
	struct record_key key = {.id = id, .rank = rank};

	return search(&key, k->traced, k->n_traced, by_key);
}

void darshan_ids_sort(struct darshan_ids *ids)
{
	sort(ids->at, ids->n, by_word);
}

bool darshan_ids_have(const struct darshan_ids *ids, uint64_t id)
{
	return search(&id, ids->at, ids->n, by_word);
}

bool darshan_is_full(const struct darshan *k)
{
	return k->l->s->n >= LOG_STATES_MAX || k->work >= WORK_MAX;
}

void darshan_tell_end(struct darshan *k, enum darshan_module m, bool cut)
{
	if (k->f.module[m].dropped || cut)
		log_note(k->l,
			 "its records of %s are not all there: Darshan had no room for them, the "
			 "file is cut off or damaged, or they are more than are read",
			 darshan_module_name(m));
}
