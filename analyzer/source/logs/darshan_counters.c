// SPDX-License-Identifier: BSD-2-Clause
/* darshan.h: files that lie on one server, by the sums that Darshan has of each. */
#include <errno.h>

#include "darshan.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

/* Of the longest record of counters, behind id and rank. */
enum { WORDS_MAX = 69 + 17 };

/* Where a record of counters has what, by module and version: numbers of counters and of times, which follow them. */
static const struct counters {
	enum darshan_module module;
	uint32_t version;
	uint8_t words, times;
	uint8_t reads, writes, bytes_read, bytes_written;
	uint8_t read_start, write_start, read_time, write_time;
	const char *layer;
} layouts[] = {
	{DARSHAN_POSIX, 3, 64, 17, 1, 2, 9, 10, 1, 2, 8, 9, "posix"},
	{DARSHAN_POSIX, 4, 69, 17, 3, 4, 14, 15, 1, 2, 8, 9, "posix"},
	{DARSHAN_STDIO, 1, 13, 15, 1, 2, 6, 5, 6, 5, 2, 1, "stdio"},
	{DARSHAN_STDIO, 2, 14, 15, 2, 3, 7, 6, 6, 5, 2, 1, "stdio"},
	{DARSHAN_MPIIO, 2, 51, 15, 2, 3, 14, 15, 1, 2, 6, 7, "mpiio"},
	{DARSHAN_MPIIO, 3, 51, 17, 2, 3, 14, 15, 1, 2, 8, 9, "mpiio"},
};

/* MPIIO_COLL_READS … MPIIO_NB_WRITES: calls that wait for other processes, or for nothing. */
enum { COLLECTIVE_FIRST = 4, COLLECTIVE_LAST = 9 };

static const struct counters *layout_of(struct darshan *k, enum darshan_module m)
{
	const struct darshan_map *map = &k->f.module[m];

	if (!map->len)
		return NULL;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].module == m && layouts[i].version == map->version)
			return &layouts[i];
	log_note(k->l, "its records of %s are of version %u, which limpet does not know",
		 darshan_module_name(m), map->version);
	return NULL;
}

struct record {
	uint64_t id;
	int64_t rank;
	int64_t word[WORDS_MAX];
	double time[WORDS_MAX];
};

static bool take_record(struct darshan *k, struct darshan_region *r, const struct counters *c,
			struct record *to)
{
	unsigned char at[8 * (2 + WORDS_MAX)];

	if (!darshan_take(r, at, 8 * ((size_t)2 + c->words + c->times)))
		return false;
	to->id = (uint64_t)darshan_word(&k->f, at);
	to->rank = darshan_word(&k->f, at + 8);
	for (size_t i = 0; i < c->words; i++)
		to->word[i] = darshan_word(&k->f, at + 8 * (2 + i));
	for (size_t i = 0; i < c->times; i++)
		to->time[i] = darshan_real(&k->f, at + 8 * (2 + c->words + i));
	return true;
}

static uint32_t host_of_rank(const struct darshan *k, int64_t rank)
{
	size_t at = search_first(i, k->n_ranks, k->ranks[i].rank < rank);

	return at < k->n_ranks && k->ranks[at].rank == rank ? k->ranks[at].host : STATE_NONE;
}

/* The reads or the writes of one record; its server is known. */
static void add_counted(struct darshan *k, const struct counters *c, const struct record *r,
			uint32_t server, bool write)
{
	int64_t bytes = r->word[write ? c->bytes_written : c->bytes_read];
	int64_t ops = r->word[write ? c->writes : c->reads];
	double from = r->time[write ? c->write_start : c->read_start];
	double took = r->time[write ? c->write_time : c->read_time];

	if (bytes <= 0 || ops <= 0 || !(took > 0))
		return;
	darshan_add(k,
		    &(struct access){.write = write,
				     .file = r->id,
				     .rank = r->rank,
				     .from_s = from,
				     .to_s = from + took,
				     .bytes = bytes,
				     .ops = ops,
				     .host = host_of_rank(k, r->rank),
				     .cls = darshan_class(k, c->layer, bytes / ops),
				     .number = -1},
		    server);
}

/* By any process. */
static bool is_traced(const struct darshan *k, uint64_t id)
{
	size_t at = search_first(i, k->n_traced, k->traced[i].id < id);

	return at < k->n_traced && k->traced[at].id == id;
}

static void take_counted(struct darshan *k, const struct counters *c, const struct record *r)
{
	const struct layout_file *file = darshan_layout_of(&k->y, r->id);
	uint32_t server;

	if (r->word[c->bytes_read] <= 0 && r->word[c->bytes_written] <= 0)
		return;
	if (c->module == DARSHAN_POSIX && darshan_is_traced(k, r->id, r->rank))
		return;
	if (!file) {
		k->unknown++;
		return;
	}
	if (r->rank < 0 && is_traced(k, r->id))
		return;
	server = layout_one_server(&k->y, file);
	k->several += server == STATE_NONE;
	k->shared += server != STATE_NONE && r->rank < 0;
	if (server == STATE_NONE || r->rank < 0)
		return;
	add_counted(k, c, r, server, false);
	add_counted(k, c, r, server, true);
}

static int note_collective(struct darshan *k, const struct record *r)
{
	for (int i = COLLECTIVE_FIRST; i <= COLLECTIVE_LAST; i++)
		if (r->word[i] > 0)
			return array_put(&k->collective.at, &k->collective.n, r->id);
	return 0;
}

int darshan_counters(struct darshan *k, enum darshan_module m, bool look)
{
	const struct counters *c = layout_of(k, m);
	struct darshan_region *r = c ? darshan_region(&k->f, &k->f.module[m]) : NULL;
	int err = c && !r ? -ENOMEM : 0;
	struct record to;

	k->l->offset = k->f.module[m].at;
	while (c && !err && !darshan_is_full(k) && take_record(k, r, c, &to)) {
		if (look)
			err = note_collective(k, &to);
		else if (m == DARSHAN_POSIX)
			err = array_put(&k->posix.at, &k->posix.n, to.id);
		if (!look && (m != DARSHAN_MPIIO || (!darshan_ids_have(&k->posix, to.id) &&
						     !darshan_ids_have(&k->collective, to.id))))
			take_counted(k, c, &to);
	}
	if (!err && !look)
		darshan_tell_end(k, m, r && darshan_cut(r));
	darshan_region_close(r);
	return err;
}
