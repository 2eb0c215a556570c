// SPDX-License-Identifier: BSD-2-Clause
#include "store.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/map.h"
#include "userspace/common/sort.h"

/* Sets are asked for anew when there are other rows, or after so long. */
#define SETS_EVERY (60 * NS_PER_S)
#define HOUR_BYTES (STORE_BYTES / STORE_BLOCKS)

struct store_block {
	int64_t from_ns;
	bool whole; /* what was judged reaches back to its start */
	struct history h;
};

struct history_store {
	char *dir;
	struct blocks_db *db;	/* NULL: none */
	char cannot[WHY_LEN];	/* why it is none */
	pthread_mutex_t lock;	/* of all down to what is the judge's */
	struct store_block *at; /* the oldest first; the last one is under way */
	size_t n;
	char (*names)[HOST_LEN]; /* by the engine's number */
	size_t n_names;
	int64_t began_ns; /* of the first observation */
	/* The judge's. */
	int64_t sets_ns; /* CLOCK_MONOTONIC: when sets were asked for, of so many rows */
	size_t sets_rows;
	bool failed; /* out of memory */
	/* Of the thread that reads. */
	sqlite3 *reader;
};

struct history_store *history_store_new(const char *dir, unsigned int keep_days)
{
	struct history_store *s = calloc(1, sizeof(*s));

	if (s)
		s->dir = strdup(dir);
	if (!s || !s->dir) {
		free(s);
		return NULL;
	}
	pthread_mutex_init(&s->lock, NULL);
	s->began_ns = INT64_MIN;
	blocks_db_new(&s->db, dir, keep_days, s->cannot);
	return s;
}

/* ---- who is whose peer --------------------------------------------------------------------------------- */

static uint64_t row_hash(const struct history_store *s, const struct history_row *row)
{
	char name[HOST_LEN + INSTANCE_LEN];
	int len = snprintf(name, sizeof(name), "%s %s", s->names[row->node], row->disk);

	return map_hash(name, (size_t)len);
}

/* Under the lock. The engine's numbers of panels mean something in one run only: a set is called by the least hash of its members, so that
 * another block calls it the same, and no other set. */
static void name_sets(const struct history_store *s, struct history *h, const struct robust *r)
{
	size_t n = 0;
	uint64_t *least;

	history_sets(h, r);
	for (size_t i = 0; i < h->n_rows; i++)
		if (h->rows[i].set != SIZE_MAX && h->rows[i].set >= n)
			n = h->rows[i].set + 1;
	least = malloc((n + 1) * sizeof(*least));
	for (size_t k = 0; k < n && least; k++)
		least[k] = UINT64_MAX - 1;
	for (size_t i = 0; i < h->n_rows && least; i++)
		if (h->rows[i].set != SIZE_MAX && row_hash(s, &h->rows[i]) < least[h->rows[i].set])
			least[h->rows[i].set] = row_hash(s, &h->rows[i]);
	for (size_t i = 0; i < h->n_rows; i++)
		if (h->rows[i].set != SIZE_MAX)
			h->rows[i].set = least ? least[h->rows[i].set] : SIZE_MAX;
	free(least);
}

/* ---- a block is over ----------------------------------------------------------------------------------- */

/* A cell a minute. */
static int fold_block(const struct store_block *b, struct history *minutes)
{
	*minutes = (struct history){.most_columns = BLOCK_CELLS};
	history_begin(minutes, b->from_ns, BLOCK_CELL_NS);
	for (size_t i = 0; i < b->h.n_rows; i++) {
		const struct history_row *row = &b->h.rows[i];
		const struct history_entity k = {row->node, row->disk, row->signal};

		for (size_t c = 0; c < b->h.columns; c++) {
			int64_t end_ns = b->h.first_ns + (int64_t)(c + 1) * b->h.bin_ns;
			ssize_t to;

			if (!row->at[c].marks)
				continue;
			/* columns of another width than a divisor of the block's */
			end_ns = end_ns < b->from_ns + BLOCK_NS ? end_ns : b->from_ns + BLOCK_NS;
			to = history_put(minutes, &k, end_ns, row->at[c]);
			if (to < 0)
				return -ENOMEM;
			minutes->rows[to].set = row->set;
		}
	}
	return 0;
}

/* instead: of what is there of it. What is wrong with writing is said later. */
static int keep_block(struct history_store *s, const struct store_block *b, bool instead)
{
	struct history minutes;
	int err = fold_block(b, &minutes);

	for (size_t signal = 0; signal < SIG_COUNT && !err; signal++) {
		void *bytes;
		size_t len;

		err = block_pack(&minutes, s->names, signal, &bytes, &len);
		if (!err)
			blocks_db_put(s->db, signals[signal].word, b->from_ns, instead, bytes, len);
		err = err == -ENOENT || err == -E2BIG ? 0 : err;
	}
	history_release(&minutes);
	return err;
}

void history_store_free(struct history_store *s)
{
	if (!s)
		return;
	if (s->db && s->n)
		keep_block(s, &s->at[s->n - 1], false); /* it is not over */
	blocks_db_free(s->db);
	sqlite3_close(s->reader);
	for (size_t i = 0; i < s->n; i++)
		history_release(&s->at[i].h);
	free(s->at);
	free(s->names);
	free(s->dir);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static size_t bytes_of(const struct store_block *b)
{
	return b->h.n_rows * (sizeof(*b->h.rows) + b->h.room * sizeof(*b->h.rows->at));
}

/* Room for one more. */
static void drop_oldest(struct history_store *s)
{
	size_t bytes = 0, keep = 0;

	while (keep < s->n && keep < STORE_BLOCKS - 1 &&
	       (bytes += bytes_of(&s->at[s->n - 1 - keep])) <= STORE_BYTES - HOUR_BYTES)
		keep++;
	for (size_t i = 0; i < s->n - keep; i++)
		history_release(&s->at[i].h);
	if (keep)
		memmove(s->at, s->at + (s->n - keep), keep * sizeof(*s->at));
	s->n = keep;
}

static struct store_block *begin_block(struct history_store *s, const struct observation *o)
{
	int64_t from_ns = o->to_ns - 1, bin_ns = o->to_ns - o->from_ns;
	struct store_block *b;

	from_ns -= from_ns % BLOCK_NS;
	drop_oldest(s);
	b = array_add(&s->at, &s->n);
	if (!b)
		return NULL;
	s->sets_rows = 0;
	b->from_ns = from_ns;
	b->whole = s->began_ns <= from_ns;
	b->h.most_columns = (size_t)((BLOCK_NS + bin_ns - 1) / bin_ns);
	b->h.most_bytes = HOUR_BYTES;
	history_begin(&b->h, from_ns, bin_ns);
	return b;
}

/* ---- what is observed ---------------------------------------------------------------------------------- */

static int know_names(struct history_store *s, const struct robust *r)
{
	size_t n = robust_nodes(r);

	if (n <= s->n_names)
		return 0;
	if (array_extend(&s->names, s->n_names, n))
		return -ENOMEM;
	for (; s->n_names < n; s->n_names++)
		snprintf(s->names[s->n_names], HOST_LEN, "%s", robust_node_name(r, s->n_names));
	return 0;
}

/* The block that it is in; NULL: out of memory. Time may not go back. */
static struct store_block *block_of(struct history_store *s, const struct robust *r,
				    const struct observation *o)
{
	struct store_block *last = s->n ? &s->at[s->n - 1] : NULL;

	if (s->began_ns == INT64_MIN)
		s->began_ns = o->from_ns;
	if (last && o->to_ns <= last->from_ns + BLOCK_NS)
		return last;
	if (last && s->db) {
		name_sets(s, &last->h, r);
		if (keep_block(s, last, last->whole))
			return NULL;
	}
	return begin_block(s, o);
}

void history_store_observe(void *arg, const struct robust *r, const struct observation *o)
{
	struct history_store *s = arg;
	struct store_block *b;

	if (s->failed)
		return;
	pthread_mutex_lock(&s->lock);
	b = know_names(s, r) ? NULL : block_of(s, r, o);
	if (b)
		history_observe(&b->h, o);
	s->failed = !b || b->h.failed;
	pthread_mutex_unlock(&s->lock);
}

void history_store_step(struct history_store *s, const struct robust *r)
{
	int64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	struct store_block *last = s->n ? &s->at[s->n - 1] : NULL;

	if (!last || (last->h.n_rows == s->sets_rows && now_ns - s->sets_ns < SETS_EVERY))
		return;
	pthread_mutex_lock(&s->lock);
	name_sets(s, &last->h, r);
	pthread_mutex_unlock(&s->lock);
	s->sets_rows = last->h.n_rows;
	s->sets_ns = now_ns;
}

int history_store_keep(struct history_store *s, unsigned int keep_days)
{
	return s->db ? blocks_db_keep(s->db, keep_days) : 0;
}

const char *history_store_trouble(struct history_store *s, char why[WHY_LEN])
{
	if (s->failed)
		snprintf(why, WHY_LEN, "no history is kept any more: out of memory");
	else if (!s->db)
		snprintf(why, WHY_LEN, "no history is kept: %.200s", s->cannot);
	else
		return blocks_db_trouble(s->db, why);
	return why;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

struct store_reading {
	struct history_store *s;
	const struct history_asked *q;
	struct history *h;
	const char *word;	  /* of the signal in the database; NULL */
	int64_t read_ns, wide_ns; /* by wide blocks: read up to, to be read up to */
	size_t *by_name;	  /* numbers of the verdict's servers */
	bool every;		  /* signal is asked for */
	size_t signal;		  /* else the engine's; SIZE_MAX: it has none such */
	size_t of[SIG_COUNT];	  /* the verdict's; SIZE_MAX: it has none */
};

COMPARISON_WITH(by_server_name, size_t, struct verdict, strcmp(with->nodes[*a], with->nodes[*b]))

/* SIZE_MAX: it is not asked for. */
static size_t server_asked(const struct store_reading *t, const char *name)
{
	const struct verdict *a = t->q->a;
	size_t lo = 0, hi = a->n_nodes;

	if (t->q->server && strcmp(t->q->server, name) != 0)
		return SIZE_MAX;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		int c = strcmp(a->nodes[t->by_name[mid]], name);

		if (!c)
			return t->by_name[mid];
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return SIZE_MAX;
}

/* A cell that lies partly in the time is in it. */
static int put_read(const struct store_reading *t, const struct history_entity *k, size_t set,
		    int64_t begin_ns, int64_t end_ns, const struct history_cell *cell)
{
	ssize_t row;

	if (!cell->marks || end_ns <= t->h->first_ns || begin_ns >= t->q->to_ns)
		return 0;
	end_ns = end_ns < t->q->to_ns ? end_ns : t->q->to_ns;
	row = history_put(t->h, k, end_ns, *cell);
	if (row < 0)
		return -ENOMEM;
	if (set != SIZE_MAX)
		t->h->rows[row].set = set;
	return 0;
}

static int read_block(const struct store_reading *t, const struct store_block *b,
		      char (*names)[HOST_LEN])
{
	int err = 0;

	for (size_t i = 0; i < b->h.n_rows && !err; i++) {
		const struct history_row *row = &b->h.rows[i];
		struct history_entity k = {.disk = row->disk, .signal = t->of[row->signal]};

		if (k.signal == SIZE_MAX || (!t->every && row->signal != t->signal))
			continue;
		k.node = server_asked(t, names[row->node]);
		for (size_t c = 0; c < b->h.columns && !err && k.node != SIZE_MAX; c++) {
			int64_t begin_ns = b->h.first_ns + (int64_t)c * b->h.bin_ns;

			err = put_read(t, &k, row->set, begin_ns, begin_ns + b->h.bin_ns,
				       &row->at[c]);
		}
	}
	return err;
}

static int put_kept(const struct store_reading *t, int64_t from_ns, const struct block_row *row,
		    int64_t cell_ns, int64_t until_ns)
{
	const struct history_entity k = {
		.node = server_asked(t, row->server), .disk = row->disk, .signal = t->q->signal};
	int err = t->q->stop && atomic_load(t->q->stop) ? -ECANCELED : 0;

	for (size_t c = 0; c < BLOCK_CELLS && !err && k.node != SIZE_MAX; c++) {
		int64_t begin_ns = from_ns + (int64_t)c * cell_ns;

		if (begin_ns + cell_ns <= until_ns)
			err = put_read(t, &k, row->set, begin_ns, begin_ns + cell_ns, &row->at[c]);
	}
	return err;
}

static int read_minutes_row(void *arg, int64_t from_ns, const struct block_row *row)
{
	return put_kept(arg, from_ns, row, BLOCK_CELL_NS, INT64_MAX);
}

/* Of the blocks that begin in this time. */
static int read_minutes(struct store_reading *t, int64_t from_ns, int64_t to_ns)
{
	const struct block_span span = {t->word, false, from_ns, to_ns};

	if (from_ns >= to_ns)
		return 0;
	return blocks_db_read(&t->s->reader, t->s->dir, &span, read_minutes_row, t);
}

/* Before it are the minutes of what has no wide block. */
static int read_wide_row(void *arg, int64_t from_ns, const struct block_row *row)
{
	struct store_reading *t = arg;
	int64_t to_ns = from_ns + WIDE_NS < t->wide_ns ? from_ns + WIDE_NS : t->wide_ns;
	int err = 0;

	if (to_ns > t->read_ns) {
		err = read_minutes(t, t->read_ns, from_ns);
		t->read_ns = to_ns;
	}
	return err ? err : put_kept(t, from_ns, row, WIDE_CELL_NS, t->wide_ns);
}

/* Each column is of whole wide cells. That in which to_ns may lie is read by its minutes. */
static int read_wide(struct store_reading *t, int64_t to_ns)
{
	const struct block_span span = {t->word, true, t->h->first_ns - WIDE_NS, to_ns};
	int err;

	t->read_ns = t->h->first_ns;
	t->wide_ns = to_ns - to_ns % WIDE_CELL_NS;
	err = blocks_db_read(&t->s->reader, t->s->dir, &span, read_wide_row, t);
	return err ? err : read_minutes(t, t->read_ns, to_ns);
}

static int number_all(struct store_reading *t)
{
	const struct verdict *a = t->q->a;

	t->every = t->q->signal == SIZE_MAX;
	t->signal = SIZE_MAX;
	for (size_t s = 0; s < SIG_COUNT; s++) {
		t->of[s] = SIZE_MAX;
		for (size_t i = 0; i < a->n_signals && t->of[s] == SIZE_MAX; i++)
			if (!strcmp(a->signals[i].word, signals[s].word))
				t->of[s] = i;
		if (!t->every && t->of[s] == t->q->signal)
			t->signal = s;
	}
	t->by_name = malloc((a->n_nodes + 1) * sizeof(*t->by_name));
	if (!t->by_name)
		return -ENOMEM;
	for (size_t i = 0; i < a->n_nodes; i++)
		t->by_name[i] = i;
	sort_with(t->by_name, a->n_nodes, by_server_name, (void *)(uintptr_t)a);
	return 0;
}

/* Never more than there is room for in what draws them. */
static size_t columns_to(int64_t to_ns, int64_t first_ns, int64_t bin_ns)
{
	int64_t n = (to_ns - first_ns - 1) / bin_ns + 1;

	return n < HISTORY_COLUMNS ? (size_t)n : HISTORY_COLUMNS;
}

/* So many cells are a column that the columns are not too many. */
static int64_t column_ns(const struct history_asked *q, int64_t cell_ns)
{
	return cell_ns * (1 + (q->to_ns - q->from_ns) / cell_ns / (HISTORY_COLUMNS - 1));
}

static void begin_columns(struct history *h, const struct history_asked *q, int64_t bin_ns)
{
	int64_t first_ns = q->from_ns - q->from_ns % bin_ns;

	h->most_columns = columns_to(q->to_ns, first_ns, bin_ns);
	history_begin(h, first_ns, bin_ns);
}

/* Where what is in memory begins, and its widest cell. */
static int64_t memory_begins(const struct history_store *s, int64_t to_ns, int64_t *cell_ns)
{
	int64_t from_ns = INT64_MAX;

	*cell_ns = s->n ? 1 : BLOCK_CELL_NS;
	for (size_t i = 0; i < s->n; i++) {
		*cell_ns = s->at[i].h.bin_ns > *cell_ns ? s->at[i].h.bin_ns : *cell_ns;
		from_ns = s->at[i].from_ns < from_ns ? s->at[i].from_ns : from_ns;
	}
	/* Of a block that another run began, what that run kept is in the database. */
	from_ns = from_ns > s->began_ns ? from_ns : s->began_ns;
	return from_ns < to_ns ? from_ns : to_ns;
}

/* As wide as what there is; of what is kept, the widest cells that are not wider than a column. */
static int read_kept(struct store_reading *t, int64_t memory_ns, int64_t memory_cell_ns)
{
	const struct history_asked *q = t->q;
	const struct block_span span = {t->word, false, q->from_ns - BLOCK_NS, memory_ns};
	int64_t bin_ns = column_ns(q, BLOCK_CELL_NS);
	bool wide = bin_ns >= WIDE_CELL_NS;

	if (!t->word || !t->s->db || q->from_ns >= memory_ns ||
	    !blocks_db_has(&t->s->reader, t->s->dir, &span)) {
		begin_columns(t->h, q, column_ns(q, memory_cell_ns));
		return 0;
	}
	begin_columns(t->h, q, wide ? column_ns(q, WIDE_CELL_NS) : bin_ns);
	return wide ? read_wide(t, memory_ns)
		    : read_minutes(t, t->h->first_ns - BLOCK_NS, memory_ns);
}

int history_store_read(struct history_store *s, struct history *h, const struct history_asked *q)
{
	struct store_reading t = {.s = s, .q = q, .h = h};
	int64_t cell_ns, memory_ns;
	int err = number_all(&t);

	*h = (struct history){0};
	if (err)
		return err;
	pthread_mutex_lock(&s->lock);
	memory_ns = memory_begins(s, q->to_ns, &cell_ns);
	pthread_mutex_unlock(&s->lock);
	t.word = t.signal == SIZE_MAX ? NULL : signals[t.signal].word;
	/* A block that goes meanwhile is in the database then, and read at the next time. */
	err = read_kept(&t, memory_ns, cell_ns);
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->n && !err; i++)
		if (s->at[i].from_ns < q->to_ns && (t.every || t.word))
			err = read_block(&t, &s->at[i], s->names);
	pthread_mutex_unlock(&s->lock);
	free(t.by_name);
	h->columns = columns_to(q->to_ns, h->first_ns, h->bin_ns);
	h->columns = h->columns < h->room ? h->columns : h->room;
	history_worsts(h);
	return err;
}
