/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How logs become states (states.h): the table of sources, and what a source is given and may call.
 *
 * A source is one file with a `const struct log_source`, declared below, and its row in log_source.c, where
 * the order decides which one a file belongs to. It is known by content, never by name. Logs are followed
 * as they grow, so a source takes its file in parts:
 *
 *	open (optional)   once, after `is` said yes
 *	line              each line as it comes, or
 *	part              bytes as they come, cut anywhere, or
 *	whole             the whole file, once (binary formats; at most LOG_WHOLE_MAX bytes)
 *	end (optional)    nothing follows: what is still incomplete
 *	close (optional)  frees what l->own points to; is always called after open
 *
 * Compression (gzip, xz, zstd, bzip2) is undone before; offsets are of the uncompressed bytes. A source never reads files
 * itself and prints nothing: what is odd is counted (l->s->counts) or noted (log_note). Every byte is
 * hostile: a line is at most LOG_LINE_MAX bytes and holds no NUL; names pass through log_name() and its like, which
 * refuse what is no text; numbers through log_number(). A source's own memory is bounded by constants.
 *
 * Errors of memory, and of bounds, stick to l->s: functions below then return NULL or STATE_NONE, and a
 * source goes on or returns as it likes; it is not called again. What is not as the format promises costs its
 * line or record: count it as junk and go on. Only a file that is nothing any more returns -EBADMSG,
 * after log_note(); what was read of it stays.
 *
 * Half events. A state has an identity: kind and id. state_begin() begins it, state_end() ends it,
 * state_whole() does both at once. The rules, for all sources:
 *   - begun twice: the later one counts (counts.starts_twice); the same begin again is nothing;
 *   - ended but never begun: dropped (counts.ends_alone); the same end again is nothing;
 *   - ended before it began: dropped (counts.negative);
 *   - more than a day ahead of the present, or longer than 30 days in which nothing else happened: taken out by
 *     states_finish() (counts.away);
 *   - begun and never ended: open, until the newest time of the logs (states_open.c; counts.open, by states_finish());
 *   - ended well, and then ended as failed or killed, also after a second begin: the output was lost. It keeps its duration, with `lost`;
 *   - said by two sources (a history and a daemon's log): that of the higher `rank` counts, and its fields
 *     are filled; the other one's half events are passed over. Of the same rank the rules above hold.
 */
#ifndef LIMPET_LOG_SOURCE_H
#define LIMPET_LOG_SOURCE_H

#include <string.h>

#include "states.h"

/* Bounds, so that no file costs more than this, whatever it holds. */
enum {
	LOG_HEAD = 1 << 16,	/* bytes that `is` sees at most */
	LOG_LINE_MAX = 1 << 24, /* Spark's longest lines (plans of queries) are some MiB */
	LOG_STATES_MAX = 1 << 23,
	LOG_IDS_MAX = 1 << 23, /* of states.ids and .items each; of other names TABLE_NAMES_MAX */
	LOG_ID_LEN = 256,      /* bytes of an id with its NUL; longer is refused */
	LOG_ITEM_LEN = 4096,   /* of an item: a path with offset and length */
	LOG_PROGRESS_MAX = 1 << 22,
	LOG_NOTES_MAX = 200, /* lines of notes; more are counted */
};
#define LOG_WHOLE_MAX ((size_t)1 << 30)

/* Of two sources that say the same state: what was written when the job was over, and a daemon while it ran. */
enum { LOG_RANK_DAEMON = 1, LOG_RANK_HISTORY = 2 };

struct log_source;

/* A log that is being read. */
struct log {
	struct states *s;
	const struct log_source *source;
	const char *path;
	uint32_t file; /* its number, of s->files */
	/* Of the line that is being read, or of the part: states take it as theirs. */
	uint64_t offset;
	uint64_t line_number; /* from 1 */
	/* Whose log it is, where it is one server's: set by the source with log_node_is(); STATE_NONE before. */
	uint32_t node;
	bool cut; /* the line has no end, as the file's last one may: its last name may be a part of one */
	void *own; /* of the source: own_size bytes */
};

/* What the numbers of names become; NULL: they stay. STATE_NONE stands for what was forgotten. */
struct log_numbers {
	const uint32_t *nodes, *jobs, *ids;
};
static inline uint32_t log_renumbered(const uint32_t *now, uint32_t number)
{
	return now && number != STATE_NONE ? now[number] : number;
}

struct log_source {
	uint8_t rank;	 /* LOG_RANK_ */
	uint8_t clock;	 /* enum state_clock of its states */
	bool local_time; /* its times have no zone: --zone is asked for */
	bool by_lines; /* a line needs none that was long before: of what is large the end will do */
	/* Whether a file that begins so is one of it. NUL-terminated, whole lines if the file has as many. */
	bool (*is)(const char *head, size_t n);
	size_t own_size; /* of what `own` points to, which is zeroed for open() and freed after close() */
	int (*open)(struct log *l);
	/* Without its end, NUL-terminated; may be written to. */
	int (*line)(struct log *l, char *line, size_t len);
	int (*part)(struct log *l, const char *bytes, size_t n);
	int (*whole)(struct log *l, const unsigned char *data, size_t n);
	int (*end)(struct log *l);
	void (*close)(struct log *l);
	/* (optional) by states_finish() while the log is open: what is only known of all that was read (log_no_peer()) */
	void (*settle)(struct log *l);
	/* (where `own` has numbers) numbers of names change. */
	void (*renumber)(struct log *l, const struct log_numbers *now);
};

/* The sources; log_source.c has their order. */
extern const struct log_source log_hadoop_history;
extern const struct log_source log_spark;
extern const struct log_source log_rumen;
extern const struct log_source log_jhist;
extern const struct log_source log_jhist_binary;
extern const struct log_source log_app_master;
extern const struct log_source log_node_manager;
extern const struct log_source log_spark_codec;
extern const struct log_source log_spark_driver;
extern const struct log_source log_hadoop_daemon;
extern const struct log_source log_darshan;
extern const struct log_source log_progress;

/* NULL: none knows it. */
const struct log_source *log_source_of(const char *head, size_t n);

/* A piece of a log's text, without a NUL behind it; where its len is 0, s may be NULL. */
struct piece {
	const char *s;
	size_t len;
};
static inline struct piece piece(const char *s, size_t len)
{
	return (struct piece){s, len};
}
static inline struct piece piece_of(const char *text)
{
	return piece(text, strlen(text));
}
static inline bool piece_is(struct piece p, const char *text)
{
	return p.len == strlen(text) && !memcmp(p.s, text, p.len);
}

/* ---- what a source calls -------------------------------------------------------------------------- */

/*
 * The number of a name, added if new. STATE_NONE where it is empty or no text (name_check()), too long, or one more
 * than there may be, which is counted and said.
 */
uint32_t log_id(struct log *l, struct piece name);   /* of s->ids */
uint32_t log_item(struct log *l, struct piece name); /* of s->items */
uint32_t log_class(struct log *l, struct piece name);
/* What an attempt that failed on a node said of it: its first line, of which what is too long is left out. */
void log_error(struct log *l, uint32_t node, int64_t time_ns, struct piece said);
/* Whether that says that it was given up because it said nothing for too long. */
bool log_error_is_silence(struct piece said);
/* Whether it says that an attempt was killed because its server was lost, or taken out. */
bool log_error_is_loss(struct piece said);
/* Whether it says that it was ended on purpose, for other work or as it was not needed: no fault of its server. */
bool log_error_is_nobodys(struct piece said);
uint32_t log_job(struct log *l, struct piece name); /* its s->job[] is there then */
/*
 * A server: host name or address, also "/rack/host", "host:port", "/address:port" and "tracker_host:…".
 * What --hosts knows is called as it says; 127.x.x.x and localhost are l->node.
 */
uint32_t log_node(struct log *l, struct piece name);
/* This log is of that server, which also has the address (empty: not said). */
void log_node_is(struct log *l, struct piece host, struct piece address);
/* The address, as in log_node(), is that host's: states_finish() joins both where all logs agree (log_addresses.c). */
void log_address(struct log *l, struct piece address, struct piece host);

/* A server that has no peers to be compared with (Spark's driver): states_finish() sets states.no_peer. By settle()
 * it is said anew each time. */
void log_no_peer(struct log *l, uint32_t node);

/* Digits only, at most 18; -1: no such number. */
int64_t log_number(struct piece digits);

/* Of logs in local time: wall clock, as if it were UTC, to UTC, by --zone. */
int64_t log_utc(const struct log *l, int64_t local_ns);
/* A time that the log says: up to there its open states last, at least. The functions below call it, too. */
void log_seen(struct log *l, int64_t time_ns);

/*
 * A state; what they return is for the fields besides (bytes, peer, job, cls …, which are "not said" in a
 * new one), until the next call of any function here. NULL: nothing to fill, see above; also where id or node is
 * STATE_NONE.
 */
struct state *state_begin(struct log *l, enum state_kind kind, uint32_t id, uint32_t node,
			  int64_t start_ns);
/* node STATE_NONE: as it began. */
struct state *state_end(struct log *l, enum state_kind kind, uint32_t id, uint32_t node,
			int64_t end_ns, enum state_outcome outcome);
/* `again`: an event that has no id of its own (a block is read again and again): the same id at another time
 * is another state, "ID#MILLISECONDS" of its end. Otherwise it is begin and end. */
struct state *state_whole(struct log *l, enum state_kind kind, uint32_t id, bool again,
			  uint32_t node, int64_t start_ns, int64_t end_ns,
			  enum state_outcome outcome);
/* The state as it is; NULL: there is none, as of STATE_NONE. */
struct state *state_find(struct states *s, enum state_kind kind, uint32_t id);
/* Takes one out again, as if it had never begun (what a log denies later). */
void state_drop(struct log *l, enum state_kind kind, uint32_t id);

/* How far it has come, 0 … 1, at that time. */
void state_progress(struct log *l, enum state_kind kind, uint32_t id, uint32_t node, float done,
		    int64_t time_ns);

/* A sentence about this log, without its name; names in it are cleaned when it is printed. */
void log_note(struct log *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- who reads logs ------------------------------------------------------------------------------- */

/* Zones are whole quarters of an hour apart. */
#define ZONE_QUARTER_NS (15 * 60 * NS_PER_S)

struct log_opts {
	/* "+HH:MM" of all, "NAME=+HH:MM" of one server; logs in local time */
	struct string_list zones;
	const char *hosts; /* file of names, as /etc/hosts: ADDRESS-OR-NAME NAME [NAME…]; NULL */
	struct string_list layouts; /* files that say where files lie: log_layout.h */
};
/* Options of every command that reads logs; `base` is the offset of a struct log_opts. */
#define LOG_OPTION(base, NAME, TYPE, FIELD, ARGUMENT, HELP)                                    \
	{                                                                                      \
		0, NAME, TYPE, (base) + offsetof(struct log_opts, FIELD), ARGUMENT, HELP, 0, 0 \
	}
#define LOG_OPTIONS(base)                                                                          \
	LOG_OPTION(                                                                                \
		base, "zone", OPT_LIST, zones, "[NAME=]+HH:MM",                                    \
		"zone of logs in local time, of all or of one server (repeatable); default: UTC"), \
		LOG_OPTION(                                                                        \
			base, "hosts", OPT_STRING, hosts, "FILE",                                  \
			"names of one server: a line each, the second word is what it is called"), \
		LOG_OPTION(base, "layout", OPT_LIST, layouts, "FILE",                              \
			   "on which servers files lie, as tools of file systems say it "          \
			   "(repeatable)")

/* Takes the options in; before the first log. 0, or -EINVAL, -EIO, -ENOMEM after a message. */
int states_options(struct states *s, const struct log_opts *o);

/* The present, which says of times that they are too far ahead of it (states_away.c); before the first log, and
 * then as it goes on. Where it is not told, no time is. */
void states_now(struct states *s, int64_t now_ns);

/* Whether it is a regular file (compressed or not), or the folder of a rolled log (log_bytes.h), that begins as a
 * log which some source knows. */
bool states_is_log(const char *path);

/* Bytes of a path without what rotation and compression add: ".gz", ".1", ".2026-11-22", ".2026-11-22-19",
 * "-20261122", ".inprogress". */
size_t log_stem_len(const char *path);
/* Paths in order: by stem, and of one the oldest first. */
int log_order(const char *x, const char *y);

/*
 * One whole log. 0, or negative errno after a message: -EINVAL no source knows it, -ENODATA it is empty,
 * -ENOMEM, or what reading gave; what was read before an error stays. A compressed file that is cut off
 * is read as far as it goes, and noted.
 */
int states_read(struct states *s, const char *path);

/*
 * After the last log, before states_finish(): whether all logs in local time are of one zone that is not the one they
 * were read in, *ns: how far it is ahead of UTC; then they are to be read again (states_in_zone() before the first). So
 * it is if no --zone was given and
 *	- three or more ends of states stand in a log in local time and in a jobs' history, which is in UTC, and the logs
 *	  say all of them by the same zone apart, within 2 minutes: -12 to +14 hours, whole or half ones, or one of the odd zones;
 *	- each other log in local time ends as one of those logs does, within 10 minutes: its server is in that zone, too.
 * Else nothing is known for sure, and a note says which zone would join them: a clock may be wrong, logs may be of other
 * days, or daemons have gone on for hours since.
 */
bool states_zone(const struct states *s, int64_t *ns);
/* As --zone of all, and a note that says so of `by`, which has been read: the first log that told. 0 or -ENOMEM. */
int states_in_zone(struct states *s, int64_t ns, const struct states *by);

/*
 * The same of a log that grows: log_open(), then log_more() as often as there may be more, log_close() at
 * its end (takes NULL; 0 or as states_read()). A file that holds nothing yet is known later. Files and their
 * states may be finished (states_finish()) in between.
 */
struct log *log_open(struct states *s, const char *path, int *err);
int log_more(struct log *l);
int log_close(struct log *l);

/*
 * Right after log_open(): of a plain file whose source takes it by_lines, and of which more than `most` bytes are
 * there, the begin is read, to know whose it is, and then the last so many: what lies between is passed over, and noted.
 * 0 or negative errno.
 */
int log_late(struct log *l, uint64_t size, uint64_t most);

/* As log_more(), but about so many bytes, which are taken from *most. 1: there may be more. */
int log_some(struct log *l, size_t *most);

/*
 * Between two looks: its file is closed, and memory is kept for the begin of a line only; the next look opens it
 * where it was. What is compressed stays as it is.
 */
void log_rest(struct log *l);
bool log_rests(const struct log *l);
/*
 * Logs are rotated: renamed, or copied and then cut off, and begun anew. log_in() says whether a file is the one
 * that was read, by its bytes before the present one; it may be longer, or compressed meanwhile. log_moved(): it
 * goes on there. log_next(): it was read to its end, and goes on in another file, from its begin; `joined`: so
 * does its last line, if it has no end: what is copied and cut off is cut anywhere, what is renamed between two
 * lines. 0 or negative errno.
 */
bool log_in(const struct log *l, const char *path);
int log_moved(struct log *l, const char *path);
int log_next(struct log *l, const char *path, bool joined);

/*
 * Puts states in order, ends open ones where the logs end, joins addresses with hosts: numbers of nodes
 * may change. May be called again when more was read. 0 or -ENOMEM.
 */
int states_finish(struct states *s);

/*
 * Right after states_finish(): jobs of which nothing is left that lasted until before_ns, and states of no job that
 * had ended then, with the names that only they had; of more states than `most` those that ended first. Memory is
 * bounded so by what happened lately, however long logs are followed. 0 or -ENOMEM, then all are as they were.
 */
int states_forget(struct states *s, int64_t before_ns, size_t most);

/* Adds counts and notes, a line each; nothing if there is nothing odd. */
void states_report(struct text *to, const struct states *s);

#endif
