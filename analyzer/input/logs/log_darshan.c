// SPDX-License-Identifier: BSD-2-Clause
/*
 * Darshan's logs (3.1 to 3.5) as states of storage servers: reads and writes that one server did, by the counters of a
 * file that lies on one server, or by each access where Darshan traced them (DXT).
 *
 * What is not one server's is not charged to one. A file on several servers has one sum of times; a record of rank
 * -1 is the sum over all processes; an access over several servers took as long as the slowest of them, so that its
 * parts (ost-read-wide, by bytes) are told but indict nobody. Times of MPI-IO hold those of POSIX, and in collective calls
 * the wait for other processes: they count only for files that POSIX says nothing of, and without such calls.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "darshan_layout.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

enum {
	TRACE_HEAD = 3 * 8 + 64 + 2 * 8, /* id, rank, shared, host, writes, reads */
	TRACE_HOST = 64,
	WORDS_MAX = 69 + 17, /* of the longest record of counters, behind id and rank */
	EXE_LEN = 64,
	/* Parts of accesses that are looked at: more than there may be states, as one may be said twice. */
	WORK_MAX = 2 * LOG_STATES_MAX,
};

/* No job of a log runs longer: 3 years of seconds. */
static const double SECONDS_MAX = 1e8;

/* A record that has been read: what was traced is not counted again. */
struct record_key {
	uint64_t id;
	int64_t rank;
	uint32_t host; /* of states.nodes */
};

struct darshan {
	struct log *l;
	struct darshan_file f;
	struct darshan_layout y;
	uint32_t job;
	char exe[EXE_LEN];
	struct record_key *traced, *posix; /* by id and rank, once they are read */
	size_t n_traced, n_posix;
	struct record_key *ranks; /* by rank: where they ran */
	uint64_t *collective;	  /* files */
	size_t n_collective;
	uint64_t shared, several, unknown, made, work;
};

static int by_key(const void *a, const void *b)
{
	const struct record_key *x = a, *y = b;

	return ORDER(x->id, y->id) ?: ORDER(x->rank, y->rank);
}

static int by_rank(const void *a, const void *b)
{
	const struct record_key *x = a, *y = b;

	return ORDER(x->rank, y->rank) ?: ORDER(x->host, y->host);
}

static int by_word(const void *a, const void *b)
{
	return ORDER(*(const uint64_t *)a, *(const uint64_t *)b);
}

static int note_record(struct record_key **at, size_t *n, struct record_key k)
{
	struct record_key *new = array_add(at, n);

	if (!new)
		return -ENOMEM;
	*new = k;
	return 0;
}

/* ---- states -------------------------------------------------------------------------------------------- */

/* One read or write, or all of them of one file by one process. */
struct access {
	bool write;
	uint64_t file;
	int64_t rank;
	double from_s, to_s; /* since the job began */
	int64_t bytes, ops;
	uint32_t host, cls;
	long number;	   /* of a trace; -1: sums of counters */
	unsigned int part; /* of an access over several servers, from 1; 0: it is on one */
};

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

static void add(struct darshan *k, const struct access *a, uint32_t server)
{
	static const enum state_kind kinds[2][2] = {{STATE_OST_READ, STATE_OST_WRITE},
						    {STATE_OST_READ_WIDE, STATE_OST_WRITE_WIDE}};
	const char *path = darshan_name_of(&k->y, a->file);
	uint32_t item = path ? log_item(k->l, path, strlen(path)) : STATE_NONE;
	char name[LOG_ID_LEN];
	struct state *st;

	k->work++;
	if (!is_time(a->from_s) || !is_time(a->to_s)) {
		k->l->s->counts.junk++;
		return;
	}
	name_of(k, a, name, sizeof(name));
	/* two programs of one job may have the same process and file at other times */
	st = state_whole(k->l, kinds[a->part > 0][a->write], log_id(k->l, name, strlen(name)), true,
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

/* "ior posix 1M": program, layer, and the size of its accesses by powers of four, as small ones take longer a byte. */
static uint32_t class_of(struct darshan *k, const char *layer, int64_t size)
{
	static const char *const sizes[] = {"1",   "4",	   "16", "64", "256", "1K",  "4K",   "16K",
					    "64K", "256K", "1M", "4M", "16M", "64M", "256M", "1G"};
	char name[LOG_ID_LEN];
	size_t i = 0;

	for (; size >= 4 && i + 1 < sizeof(sizes) / sizeof(*sizes); size /= 4)
		i++;
	snprintf(name, sizeof(name), "%s %s%s%s", k->exe, layer, size ? " " : "",
		 size ? sizes[i] : "");
	return log_class(k->l, name, strlen(name));
}

/* ---- counters ------------------------------------------------------------------------------------------- */

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
	size_t at = search_first(i, k->n_traced, k->ranks[i].rank < rank);

	return at < k->n_traced && k->ranks[at].rank == rank ? k->ranks[at].host : STATE_NONE;
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
	add(k,
	    &(struct access){.write = write,
			     .file = r->id,
			     .rank = r->rank,
			     .from_s = from,
			     .to_s = from + took,
			     .bytes = bytes,
			     .ops = ops,
			     .host = host_of_rank(k, r->rank),
			     .cls = class_of(k, c->layer, bytes / ops),
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
	struct record_key key = {.id = r->id, .rank = r->rank};
	uint32_t server;

	if (r->word[c->bytes_read] <= 0 && r->word[c->bytes_written] <= 0)
		return;
	if (c->module == DARSHAN_POSIX && search(&key, k->traced, k->n_traced, by_key))
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

static bool is_posix(const struct darshan *k, uint64_t id)
{
	size_t at = search_first(i, k->n_posix, k->posix[i].id < id);

	return at < k->n_posix && k->posix[at].id == id;
}

static bool is_collective(const struct darshan *k, uint64_t id)
{
	return search(&id, k->collective, k->n_collective, by_word);
}

static int note_collective(struct darshan *k, const struct record *r)
{
	uint64_t *id;

	for (int i = COLLECTIVE_FIRST; i <= COLLECTIVE_LAST; i++) {
		if (r->word[i] <= 0)
			continue;
		id = array_add(&k->collective, &k->n_collective);
		if (!id)
			return -ENOMEM;
		*id = r->id;
		return 0;
	}
	return 0;
}

static bool is_full(const struct darshan *k)
{
	return k->l->s->n >= LOG_STATES_MAX || k->work >= WORK_MAX;
}

static void tell_end(struct darshan *k, enum darshan_module m, bool cut)
{
	if (k->f.module[m].dropped || cut)
		log_note(k->l,
			 "its records of %s are not all there: Darshan had no room for them, the "
			 "file "
			 "is cut off or damaged, or they are more than are read",
			 darshan_module_name(m));
}

/* All records of a module; `look` only notes the files with collective calls. */
static int counters(struct darshan *k, enum darshan_module m, bool look)
{
	const struct counters *c = layout_of(k, m);
	struct darshan_region *r = c ? darshan_region(&k->f, &k->f.module[m]) : NULL;
	struct record *to = c ? malloc(sizeof(*to)) : NULL;
	int err = c && (!r || !to) ? -ENOMEM : 0;

	k->l->offset = k->f.module[m].at;
	while (c && !err && !is_full(k) && take_record(k, r, c, to)) {
		if (look)
			err = note_collective(k, to);
		else if (m == DARSHAN_POSIX)
			err = note_record(&k->posix, &k->n_posix,
					  (struct record_key){.id = to->id, .rank = to->rank});
		if (!look &&
		    (m != DARSHAN_MPIIO || (!is_posix(k, to->id) && !is_collective(k, to->id))))
			take_counted(k, c, to);
	}
	if (!err && !look)
		tell_end(k, m, r && darshan_cut(r));
	darshan_region_close(r);
	free(to);
	return err;
}

/* ---- traces --------------------------------------------------------------------------------------------- */

/* Since those versions a segment names its thread, and one of MPI-IO has an offset. */
enum { THREAD_POSIX = 2, THREAD_MPIIO = 3, OFFSET_MPIIO = 2 };

struct trace {
	struct darshan_region *r;
	const struct layout_file *file;
	struct access a;
	size_t segment; /* bytes */
	bool wanted;
};

static void take_segment(struct darshan *k, struct trace *t, const unsigned char *at)
{
	struct layout_part parts[LAYOUT_PARTS_MAX];
	int64_t from = darshan_word(&k->f, at), len = darshan_word(&k->f, at + 8);
	double start = darshan_real(&k->f, at + 16), end = darshan_real(&k->f, at + 24);
	struct access *a = &t->a;
	size_t n;

	a->number++;
	if (!t->wanted || len <= 0)
		return;
	n = layout_parts(&k->y, t->file, from, len, parts);
	k->several += !n;
	for (size_t i = 0; i < n; i++) {
		a->part = n > 1 ? (unsigned int)i + 1 : 0;
		a->bytes = parts[i].bytes;
		a->ops = 1;
		a->from_s = start;
		a->to_s = n > 1 ? start + (end - start) * (double)a->bytes / (double)len : end;
		add(k, a, parts[i].server);
	}
}

/* `n` segments; false: they are not there. */
static bool take_segments(struct darshan *k, struct trace *t, bool write, int64_t n)
{
	unsigned char at[40];

	t->a.write = write;
	t->a.number = -1;
	for (int64_t i = 0; i < n; i++) {
		if (is_full(k) || !darshan_take(t->r, at, t->segment))
			return false;
		take_segment(k, t, at);
	}
	return true;
}

/* The traced reads and writes of one file by one process: 1, 0 there is none, -ENOMEM. */
static int take_trace(struct darshan *k, struct trace *t, enum darshan_module m)
{
	unsigned char head[TRACE_HEAD];
	const char *host = (const char *)head + 24;
	struct record_key key;

	if (!darshan_take(t->r, head, sizeof(head)))
		return 0;
	key.id = (uint64_t)darshan_word(&k->f, head);
	key.rank = darshan_word(&k->f, head + 8);
	key.host = log_node(k->l, host, strnlen(host, TRACE_HOST));
	if (m == DARSHAN_DXT_POSIX && note_record(&k->traced, &k->n_traced, key))
		return -ENOMEM;
	t->file = darshan_layout_of(&k->y, key.id);
	t->wanted = t->file &&
		    (m == DARSHAN_DXT_POSIX || (!is_posix(k, key.id) && !is_collective(k, key.id)));
	k->unknown += !t->file;
	t->a = (struct access){.file = key.id, .rank = key.rank, .host = key.host};
	t->a.cls = class_of(k, darshan_word(&k->f, head + 16) == -1 ? "trace shared" : "trace", 0);
	return take_segments(k, t, true, darshan_word(&k->f, head + 24 + TRACE_HOST)) &&
	       take_segments(k, t, false, darshan_word(&k->f, head + 32 + TRACE_HOST));
}

static int traces(struct darshan *k, enum darshan_module m)
{
	const struct darshan_map *map = &k->f.module[m];
	uint32_t thread = m == DARSHAN_DXT_POSIX ? THREAD_POSIX : THREAD_MPIIO;
	struct trace t = {.segment = map->version >= thread ? 40 : 32};
	int got = 1;

	if (!map->len)
		tell_end(k, m, false);
	if (!map->len || (m == DARSHAN_DXT_MPIIO && map->version < OFFSET_MPIIO))
		return 0;
	if (map->version < 1 || map->version > thread) {
		log_note(k->l, "its records of %s are of version %u, which limpet does not know",
			 darshan_module_name(m), map->version);
		return 0;
	}
	t.r = darshan_region(&k->f, map);
	if (!t.r)
		return -ENOMEM;
	k->l->offset = map->at;
	while (got > 0 && !is_full(k))
		got = take_trace(k, &t, m);
	if (got >= 0)
		tell_end(k, m, darshan_cut(t.r));
	darshan_region_close(t.r);
	return got < 0 ? got : 0;
}

/* Records by id, and where each process ran. */
static int traced_in_order(struct darshan *k)
{
	k->ranks = calloc(k->n_traced + 1, sizeof(*k->ranks));
	if (!k->ranks)
		return -ENOMEM;
	if (k->n_traced)
		memcpy(k->ranks, k->traced, k->n_traced * sizeof(*k->ranks));
	sort(k->ranks, k->n_traced, by_rank);
	sort(k->traced, k->n_traced, by_key);
	for (size_t i = 0; i < k->n_traced; i++)
		if (note_record(&k->posix, &k->n_posix, k->traced[i]))
			return -ENOMEM;
	return 0;
}

/* ---- the log --------------------------------------------------------------------------------------------- */

/* The program's name, without its folder and arguments. */
static void take_exe(struct darshan *k)
{
	const char *at = k->f.command, *end = at + strcspn(at, " "), *base = end;
	int n;

	while (base > at && base[-1] != '/')
		base--;
	n = (int)(end - base < EXE_LEN ? end - base : EXE_LEN - 1);
	snprintf(k->exe, sizeof(k->exe), "%.*s", n, base);
	if (!n || name_check(k->exe, strlen(k->exe), EXE_LEN - 1))
		strcpy(k->exe, "program");
}

static void take_job(struct darshan *k)
{
	struct log *l = k->l;
	char name[32];
	struct state_job *j;

	take_exe(k);
	snprintf(name, sizeof(name), "%lld", (long long)k->f.job);
	k->job = log_job(l, name, strlen(name));
	log_seen(l, k->f.end_ns);
	if (k->job == STATE_NONE)
		return;
	j = &l->s->job[k->job];
	/* a job may have run several programs, each with a log of its own */
	j->launch_ns = j->launch_ns && j->launch_ns < k->f.start_ns ? j->launch_ns : k->f.start_ns;
	j->submit_ns = j->launch_ns;
	j->finish_ns = j->finish_ns > k->f.end_ns ? j->finish_ns : k->f.end_ns;
	j->name = log_class(l, k->exe, strlen(k->exe));
	l->s->job[k->job].outcome = OUTCOME_OK;
}

static void tell(struct darshan *k)
{
	if (is_full(k))
		log_note(k->l, "it has more accesses than the %d that are read", LOG_STATES_MAX);
	if (k->several)
		log_note(k->l,
			 "%llu of its records are of files on several servers, or on servers that "
			 "it does not name: they do not say how long each took",
			 (unsigned long long)k->several);
	if (k->shared)
		log_note(k->l,
			 "%llu of its records are sums over processes that share a file: left out",
			 (unsigned long long)k->shared);
	if (k->unknown && !k->made)
		log_note(k->l,
			 "of none of its files that were read or written it is known on which "
			 "servers they lie: '--layout' says it where it is not Lustre that has "
			 "them");
}

static int read_all(struct darshan *k)
{
	int err = darshan_layout_read(&k->y, k->l, &k->f);

	err = err ? err : traces(k, DARSHAN_DXT_POSIX);
	err = err ? err : traced_in_order(k);
	err = err ? err : counters(k, DARSHAN_POSIX, false);
	err = err ? err : counters(k, DARSHAN_STDIO, false);
	sort(k->posix, k->n_posix, by_key);
	err = err ? err : counters(k, DARSHAN_MPIIO, true);
	sort(k->collective, k->n_collective, by_word);
	err = err ? err : traces(k, DARSHAN_DXT_MPIIO);
	return err ? err : counters(k, DARSHAN_MPIIO, false);
}

static int darshan_whole(struct log *l, const unsigned char *data, size_t n)
{
	struct darshan *k = calloc(1, sizeof(*k));
	const char *why;
	int err = -EBADMSG;

	if (!k)
		return -ENOMEM;
	k->l = l;
	why = darshan_open(&k->f, data, n);
	if (why)
		log_note(l, "%s", why);
	if (!why) {
		take_job(k);
		err = read_all(k);
		tell(k);
	}
	darshan_layout_release(&k->y);
	free(k->traced);
	free(k->posix);
	free(k->ranks);
	free(k->collective);
	free(k);
	return err;
}

static bool is_darshan(const char *head, size_t n)
{
	return darshan_is((const unsigned char *)head, n);
}

const struct log_source log_darshan = {
	.name = "Darshan's log",
	.rank = LOG_RANK_HISTORY,
	.clock = CLOCK_OF_JOB,
	.is = is_darshan,
	.whole = darshan_whole,
};
