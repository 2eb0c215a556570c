/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was recorded, item after item, in order of time: one interface for whatever brings it. A batch is a feed that
 * reaches END; live is one that says NOT_YET.
 *
 *	while (!(err = feed_next(f, &item)) && item.kind != FEED_END && item.kind != FEED_NOT_YET)
 *		…
 *
 * A feed gives (SERVER | IDENTITY | OWN | ROW)* TICK, again and again, then END. NOT_YET may stand between any two
 * items of a feed that grows.
 *
 * SERVER     a server that is new: its number, from 0 on, and its name. New servers come in one group, before anything
 *            that uses their numbers; a number never changes.
 * IDENTITY   what is behind the name of a disk or an interface of a server. It may come again, changed.
 * OWN        a control group of the file system's own on a server, as its probe was told, or a process ("pid:1234"). Each
 *            comes once.
 * ROW        what one server did in one interval.
 * TICK       all rows that were known by to_ns have been given. After the rows of an interval, in order of
 *            server, comes its TICK. An interval in which no server reported is a TICK alone, if it lies between the first
 *            and the last interval with rows. A silence of more than 1 h is one TICK, that of its first interval. A
 *            growing feed gives these TICKs when the silence is over.
 * END        nothing comes any more, however often it is asked for.
 * NOT_YET    nothing more is complete by the time of feed_now(). Only a feed that grows says this.
 *
 * known_ns is the time at which an item could first be known: of a row the end of its interval. It
 * does not depend on when a feed gives the item: a feed that grows gives what a batch of the same files gives.
 */
#ifndef LIMPET_FEED_H
#define LIMPET_FEED_H

#include "analyzer/interval/interval.h"
#include "source.h"

enum feed_kind {
	FEED_SERVER,
	FEED_IDENTITY,
	FEED_OWN,
	FEED_ROW,
	FEED_TICK,
	FEED_END,
	FEED_NOT_YET
};

struct feed_item {
	enum feed_kind kind;
	uint32_t server; /* of SERVER, IDENTITY, OWN and ROW */
	/* Of ROW and TICK; [from, to). */
	int64_t from_ns, to_ns, known_ns;
	union {
		struct {
			const char *name;
			uint32_t servers; /* how many there are, with all of this group */
		} named;		  /* SERVER */
		const struct device_identity *identity;
		const char *own;
		const struct interval *interval; /* ROW; it has seconds */
	};
};

struct feed;

/*
 * The next item. Its pointers hold until the next call, intervals until the call after their TICK. 0, or a negative
 * errno after a message, which then comes with every call: -ENODATA if recordings have nothing in the time asked for;
 * without a message -EBADMSG if files are damaged: each has a `why` (sources_drop_unreadable()).
 */
int feed_next(struct feed *f, struct feed_item *item);
void feed_free(struct feed *f); /* takes NULL */

struct feed_opts {
	int64_t from_ns, to_ns; /* seconds in [from, to) */
	double interval_s;
	unsigned int threads;
	bool progress;
	/* Intervals read at once; 0: as memory allows. No result depends on it. */
	unsigned int stretch;
	/* Of frames: servers that are known already, in the order of their numbers; the feed does not give them again, and begins
	 * with the interval of from_ns. */
	const char *const *servers;
	size_t n_servers;
};

/* What was met on the way. */
struct feed_counts {
	uint64_t duplicates; /* seconds that came again (clock set back): not counted twice */
	uint64_t lost, damaged;
	uint64_t seconds;
};

/*
 * Series files that lie there: the intervals of [from, to), with memory for one stretch of them. Servers are numbered
 * by name. The sources stay the caller's. 0, or negative errno after a message: -ENODATA as above, -E2BIG, -EINVAL.
 */
int feed_of_series(struct feed **f, const struct sources *s, const struct feed_opts *o);

/*
 * Series files that grow: files or folders, which may be empty still; files that appear later are taken up (a new day,
 * a new server). Servers are numbered as they appear. An interval is complete when `grace` (5 s) has passed since its end
 * by the time of feed_now(), or all servers that reported in the interval before have gone beyond it. Seconds that come
 * later are dropped, and counted. A file that is locked, moved away or half written is no error but tried again. The
 * paths themselves stay the caller's. 0, or negative errno after a message.
 */
int feed_of_growing(struct feed **f, char *const *paths, size_t n_paths, const struct feed_opts *o);

/*
 * Frames (userspace/wire) as they come through fd, a pipe or a socket or a file, of one server or of many; fd stays the
 * caller's, and nothing waits for it: NOT_YET, until it can be read; END when it ends. As above, but:
 *   - The time is that of the stream: what two servers have reached (of one alone, what it has), and goes on with
 *     feed_now() while there is nothing to read. So what was recorded long ago is judged like what is recorded now, and
 *     one clock that is ahead costs its own seconds alone. An interval is complete when `grace` has passed since its end,
 *     never before. Frames of many servers are to be in order of time, to `grace`.
 *   - The same second twice: the first one counts, and the other is in `duplicates`; feed_trouble() says so if it is
 *     of another probe.
 *   - A frame whose body is damaged is left out; feed_trouble() says so, and feed_left_out() how many. One whose header is
 *     damaged, or that is of another version, ends it: -EPROTO, after a message.
 *   - Of more than 10,000 servers the others are left out (of fewer, if intervals are very long or very short: those of all take
 *     1 GiB at most), and so are frames while 1 GiB of what they say is held.
 * 0, or negative errno after a message.
 */
int feed_of_frames(struct feed **f, int fd, const struct feed_opts *o);

/*
 * Several of the two kinds above as one, of the same interval; they are its own from now on, also where it cannot be made. A server
 * that two of them have is one server: of an interval the first row counts. An interval waits until each of them has had the
 * time to give it (10 s since its end), but for one that has given nothing for a minute; what comes later is dropped, and
 * both are counted as duplicates. o: interval_s, from_ns and servers, as of those. 0 or -ENOMEM after a message.
 */
int feed_of_merged(struct feed **f, struct feed *const *parts, size_t n, const struct feed_opts *o);

/* The time, of a feed that grows: it looks at its files anew. Before the first call it says NOT_YET. */
void feed_now(struct feed *f, int64_t now_ns);

/* What is wrong with its files since feed_now(), a line; NULL: nothing is. */
const char *feed_trouble(const struct feed *f);

/* The files of a feed that grows which are left out at present (source.h), with the server, "" if that is not known; and
 * what is odd about those that are read, a line each. Each fn may end it: a negative return is returned. */
struct feed_left_out {
	int (*file)(void *arg, const char *server, const char *path, const char *why);
	int (*note)(void *arg, const char *line);
	void *arg;
};
int feed_left_out(const struct feed *f, const struct feed_left_out *to);

/* Since the feed began. Of a feed that grows `duplicates` are the seconds that were at or before what had been given
 * already, or came again, as far as their files were looked at: once an interval. */
void feed_counts(const struct feed *f, struct feed_counts *out);

#endif
