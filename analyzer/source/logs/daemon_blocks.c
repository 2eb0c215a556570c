// SPDX-License-Identifier: BSD-2-Clause
/* daemon.h: what DataNodes say of blocks, and who sent what to whom (clienttrace). */
#include <string.h>

#include "daemon.h"
#include "hadoop_source.h"
#include "internal.h"
#include "log_words.h"
#include "userspace/common/clock.h"

/* "BP-…:blk_…" without the pool. */
static struct piece block_of(struct piece p)
{
	const char *colon = p.len > 3 && !memcmp(p.s, "BP-", 3) ? memrchr(p.s, ':', p.len) : NULL;

	return colon ? piece(colon + 1, (size_t)(p.s + p.len - colon - 1)) : p;
}

/* The server that logs, by its own address in the line; until it has said its name, the address. */
static uint32_t own_node(struct daemon *d, struct piece address)
{
	uint32_t node = d->l->node;

	if (node == STATE_NONE)
		return log_node(d->l, address);
	address = name_bare(address);
	if (node != d->own_node || !piece_is(address, d->own_address)) {
		log_address(d->l, address, piece_of(d->l->s->nodes.at[node]));
		d->own_node = node;
		snprintf(d->own_address, sizeof(d->own_address), "%.*s", (int)address.len,
			 address.len ? address.s : "");
	}
	return node;
}

/* "BLOCK@NODE", by the name that another log gave an address, as the block's other line may be there: its bytes; 0: the node is not known. */
static size_t write_name(const struct daemon *d, struct piece block, uint32_t node,
			 char name[LOG_ID_LEN])
{
	const struct log *l = d->l;
	const char *host = node == STATE_NONE ? "" : l->s->nodes.at[node];
	const char *said =
		l->node == STATE_NONE ? alias_find(&l->s->reading->said, piece_of(host)) : NULL;
	const struct piece parts[] = {block, {"@", 1}, piece_of(said ?: host)};

	return node == STATE_NONE ? 0 : daemon_name(name, parts, 3);
}

static uint32_t write_id(struct daemon *d, struct piece block, uint32_t node)
{
	char name[LOG_ID_LEN];

	return log_id(d->l, piece(name, write_name(d, block, node, name)));
}

/* ---- writes by their two lines ------------------------------------------------------------------------------ */

static void receiving(struct daemon *d, const struct piece *c, int which)
{
	struct states *s = d->l->s;
	struct piece block = block_of(c[0]);
	uint32_t node = own_node(d, c[2]), peer, id, out;
	char name[LOG_ID_LEN];
	size_t len = write_name(d, block, node, name);
	struct state *st;

	(void)which;
	names_soon(&s->items, block.s, block.len);
	names_soon(&s->ids, name, len);
	peer = log_node(d->l, c[1]);
	id = log_id(d->l, piece(name, len));
	out = log_item(d->l, block);
	st = state_begin(d->l, STATE_WRITE, id, node, d->time_ns);
	if (!st)
		return;
	st->peer = peer;
	st->out = out;
}

/* The write of a block by the DataNode that logs; NULL: it has not begun, or has ended. */
static const struct state *open_write(struct daemon *d, struct piece block)
{
	const struct state *st =
		state_find(d->l->s, STATE_WRITE, write_id(d, block_of(block), d->l->node));

	return st && st->outcome == OUTCOME_OPEN ? st : NULL;
}

/* Logged where no clienttrace line is: a hop of a pipeline. which: the capture of the size, if it has one. */
static void received(struct daemon *d, const struct piece *c, int which)
{
	const struct state *begun = open_write(d, c[0]);
	struct state was, *st;

	if (!begun)
		return;
	was = *begun;
	state_drop(d->l, STATE_WRITE, was.id);
	st = state_whole(d->l, STATE_WRITE_REPLICATED, was.id, true, was.node, was.start_ns,
			 d->time_ns, OUTCOME_OK);
	if (!st)
		return;
	st->peer = was.peer;
	st->out = was.out;
	st->bytes = which ? log_number(c[which]) : -1;
}

static void write_fails(struct daemon *d, const struct piece *c, int which)
{
	const struct state *st = open_write(d, c[0]);

	(void)which;
	if (st)
		state_end(d->l, STATE_WRITE, st->id, STATE_NONE, d->time_ns, OUTCOME_FAILED);
}

/* ---- clienttrace ------------------------------------------------------------------------------------------- */

/* Pairs "key: value, …" by name, as their order and number changed with versions. */
/* clang-format off */
#define TRACE_KEYS(X) \
	X(SRC, "src") X(DEST, "dest") X(BYTES, "bytes") X(OP, "op") X(CLIENT, "cliID") \
	X(REDUCE, "reduceID") X(BLOCK, "blockid") X(NS, "duration") X(NS_NEW, "duration(ns)") \
	X(MAPS, "maps")
/* clang-format on */
#define TRACE_KEY_ENUM(NAME, WORD) T_##NAME,
#define TRACE_WORD(NAME, WORD)	   LOG_WORD(WORD, T_##NAME),
enum trace_key { TRACE_KEYS(TRACE_KEY_ENUM) T_COUNT };
static const struct log_word trace_keys[] = {TRACE_KEYS(TRACE_WORD)};

static struct log_words trace_words;

void daemon_blocks_init(void)
{
	log_words_index(&trace_words, trace_keys, sizeof(trace_keys) / sizeof(*trace_keys));
}

static void take_pairs(struct piece text, struct piece at[T_COUNT])
{
	const char *s = text.s, *end = s + text.len, *stop;

	memset(at, 0, T_COUNT * sizeof(*at));
	for (; s < end; s = stop + 2) {
		const char *colon;
		int key;

		stop = daemon_find(s, end, ", ", 2) ?: end;
		colon = daemon_find(s, stop, ": ", 2);
		key = colon ? log_words_find(&trace_words, s, (size_t)(colon - s), T_COUNT)
			    : T_COUNT;
		if (key < T_COUNT)
			at[key] = piece(colon + 2, (size_t)(stop - colon - 2));
	}
}

/* The duration in ns; -1: it has none. The trunk of 2011 had it in ms, and a number of maps before. */
static int64_t duration_of(const struct piece at[T_COUNT])
{
	struct piece p = at[T_NS].s ? at[T_NS] : at[T_NS_NEW];
	int64_t n = log_number(p);

	if (n < 0 || !at[T_MAPS].s)
		return n;
	return n > INT64_MAX / NS_PER_MS ? -1 : n * NS_PER_MS;
}

/* What a trace says besides of its state; NULL: there is none. */
static void traced(struct state *st, const struct piece at[T_COUNT], struct state as)
{
	if (!st)
		return;
	st->bytes = log_number(at[T_BYTES]);
	st->peer = as.peer;
	st->job = as.job;
	st->in = as.in;
	st->out = as.out;
}

static void traced_read(struct daemon *d, const struct piece at[T_COUNT], uint32_t attempt,
			uint32_t job)
{
	struct piece block = block_of(at[T_BLOCK]);
	uint32_t node = own_node(d, at[T_SRC]);
	uint32_t peer = log_node(d->l, at[T_DEST]);
	uint32_t in = log_item(d->l, block), id;
	int64_t ns = duration_of(at);
	struct state *st;

	if (ns < 0 || node == STATE_NONE) /* 0.20.2 says when, not how long */
		return;
	id = DAEMON_ID(d, block, piece_of("@"), piece_of(d->l->s->nodes.at[node]), piece_of(">"),
		       at[T_DEST]);
	st = state_whole(d->l, STATE_READ, id, true, node, d->time_ns - ns, d->time_ns, OUTCOME_OK);
	traced(st, at, (struct state){.peer = peer, .job = job, .in = in, .out = attempt});
}

/* It ends what "Receiving" began; where that is not in the log, its own duration counts: in 1.2.1 that of a
 * pipeline's last DataNode is of the last packet only. */
static void traced_write(struct daemon *d, const struct piece at[T_COUNT], uint32_t attempt,
			 uint32_t job)
{
	struct piece block = block_of(at[T_BLOCK]);
	uint32_t node = own_node(d, at[T_DEST]);
	uint32_t peer = log_node(d->l, at[T_SRC]);
	uint32_t id = write_id(d, block, node), out = log_item(d->l, block);
	const struct state *begun = state_find(d->l->s, STATE_WRITE, id);
	int64_t ns = duration_of(at);
	struct state *st = NULL;

	if (begun && begun->outcome == OUTCOME_OPEN)
		st = state_end(d->l, STATE_WRITE, id, node, d->time_ns, OUTCOME_OK);
	else if (!begun && ns >= 0)
		st = state_whole(d->l, STATE_WRITE, id, true, node, d->time_ns - ns, d->time_ns,
				 OUTCOME_OK);
	traced(st, at, (struct state){.peer = peer, .job = job, .in = attempt, .out = out});
}

static void traced_shuffle(struct daemon *d, const struct piece at[T_COUNT], uint32_t attempt,
			   uint32_t job)
{
	uint32_t node = own_node(d, at[T_SRC]);
	uint32_t peer = log_node(d->l, at[T_DEST]), id, out;
	struct piece reduce = at[T_REDUCE], to = reduce.len ? reduce : at[T_DEST];
	struct piece from = at[T_CLIENT].len ? at[T_CLIENT] : at[T_SRC];
	int64_t ns = duration_of(at);
	struct state *st;

	if (ns < 0)
		return;
	out = log_item(d->l, reduce);
	if (reduce.len && job == STATE_NONE)
		job = hadoop_job_of(d->l, reduce);
	id = DAEMON_ID(d, from, piece_of(">"), to);
	st = state_whole(d->l, STATE_SHUFFLE, id, true, node, d->time_ns - ns, d->time_ns,
			 OUTCOME_OK);
	traced(st, at, (struct state){.peer = peer, .job = job, .in = attempt, .out = out});
}

static void trace(struct daemon *d, const struct piece *c, int which)
{
	static const struct {
		const char *op;
		void (*take)(struct daemon *d, const struct piece at[T_COUNT], uint32_t attempt,
			     uint32_t job);
	} ops[] = {
		{"HDFS_READ", traced_read},
		{"HDFS_WRITE", traced_write},
		{"MAPRED_SHUFFLE", traced_shuffle},
	};
	struct piece at[T_COUNT], whole = {c[0].s - strlen("src: "), c[0].len + strlen("src: ")};
	struct piece attempt;
	uint32_t item, job;

	(void)which;
	take_pairs(whole, at);
	if (!at[T_SRC].s || !at[T_DEST].s || !at[T_OP].s)
		return;
	attempt = at[T_CLIENT].s ? daemon_attempt(at[T_CLIENT]) : piece(whole.s, 0);
	names_soon(&d->l->s->items, attempt.s, attempt.len);
	job = hadoop_job_of(d->l, attempt);
	item = log_item(d->l, attempt);
	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (piece_is(at[T_OP], ops[i].op) &&
		    (at[T_BLOCK].s || ops[i].take == traced_shuffle))
			ops[i].take(d, at, item, job);
}

/* ---- what 3.x finds slow, above its threshold -------------------------------------------------------------------- */

static void slow(struct daemon *d, const struct piece *c, int which)
{
	static const char dns[] = "downstream DNs=[", volume[] = "volume=";
	int64_t ms = log_number(c[0]);
	const char *rest = c[1].s, *end = rest + c[1].len;
	const char *first = memmem(rest, c[1].len, dns, strlen(dns));
	const char *disk = memmem(rest, c[1].len, volume, strlen(volume));
	uint32_t peer = STATE_NONE, in = STATE_NONE, id;
	struct state *st;
	size_t len;

	if (ms < 0 || ms > d->time_ns / NS_PER_MS || d->l->node == STATE_NONE)
		return;
	if (first) {
		first += strlen(dns);
		peer = log_node(d->l, piece(first, strcspn(first, ",]")));
	}
	if (disk) {
		disk += strlen(volume);
		len = strcspn(disk, ", ");
		in = log_item(d->l,
			      piece(disk, (size_t)(end - disk) < len ? (size_t)(end - disk) : len));
	}
	id = DAEMON_ID(d, piece_of(state_rows[which].word), piece_of("@"),
		       piece_of(d->l->s->nodes.at[d->l->node]));
	st = state_whole(d->l, (enum state_kind)which, id, true, d->l->node,
			 d->time_ns - ms * NS_PER_MS, d->time_ns, OUTCOME_OK);
	if (!st)
		return;
	st->peer = peer;
	st->in = in;
}

const struct daemon_pattern daemon_blocks[] = {
	{"src: *", trace, 0, "clienttrace"},
	{"Receiving block * src: * dest: *", receiving, 0, "DataNode"},
	{"Receiving * src: * dest: *", receiving, 0, "DataNode"},
	{"Received block * of size * from *", received, 1, "DataNode"},
	{"Received block * src: * dest: * of size *", received, 3, "DataNode"},
	{"Received block * from *", received, 0, "DataNode"},
	{"Received * src: * dest: * size *", received, 3, "DataNode"},
	{"Received * size * from *", received, 1, "DataNode"},
	{"writeBlock * received exception *", write_fails, 0, "DataNode"},
	{"Slow BlockReceiver write packet to mirror took *ms*", slow, STATE_MIRROR_SLOW, NULL},
	{"Slow BlockReceiver write data to disk cost:*ms*", slow, STATE_DISK_SLOW, NULL},
	{"Slow flushOrSync took *ms*", slow, STATE_FLUSH_SLOW, NULL},
	{"Slow PacketResponder send ack to upstream took *ms*", slow, STATE_ACK_SLOW, NULL},
	{0},
};
