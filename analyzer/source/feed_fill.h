/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the readers behind feed.h. A reader is a struct that begins with its struct feed. When its queue is empty, fill()
 * adds what comes next: a little, so that what a feed gives depends on nothing that lies behind it.
 */
#ifndef LIMPET_FEED_FILL_H
#define LIMPET_FEED_FILL_H

#include "feed.h"

struct feed_reader {
	/* Adds items, or none yet; after the last one END or NOT_YET, each time. 0 or negative errno, after a message but
	 * for -ENOMEM. */
	int (*fill)(struct feed *f);
	void (*release)(struct feed *f); /* all but *f */
	/* Each may be NULL. */
	void (*now)(struct feed *f, int64_t now_ns);
	const char *(*trouble)(const struct feed *f);
	int (*left_out)(const struct feed *f, const struct feed_left_out *to);
};

struct feed_queued {
	struct feed_item item;
	uint64_t times; /* of a TICK: one interval after the other */
};

struct feed {
	const struct feed_reader *reader;
	struct feed_counts counts;
	struct feed_queued *at;
	size_t head, n, cap;
	int err;
};

/* Each 0 or -ENOMEM. */
int feed_add(struct feed *f, const struct feed_item *item);
int feed_add_kind(struct feed *f, enum feed_kind kind); /* END, NOT_YET */
/* Server `number`, of a group that makes them `servers`. */
int feed_add_server(struct feed *f, size_t number, const char *name, size_t servers);

/* The end of a feed_of_…(), whose result it returns: *out is f; with an error f is freed (it may be NULL) and *out is NULL.
 * -ENOMEM gets its message. */
int feed_made(struct feed **out, struct feed *f, int err);

/*
 * The order of intervals, for files that lie there and files that grow: silence counts only between intervals that
 * some server has, and one of more than 1 h is one interval.
 */
struct feed_line {
	int64_t interval_ns, next_ns; /* next_ns: of the interval that is given next */
	uint64_t silent; /* intervals without any server, behind each other before next_ns */
	bool began;
};

/* 0, or -EINVAL after a message: intervals cannot be as long as that. */
int feed_line_init(struct feed_line *l, double interval_s);

/* Before the rows of an interval: gives the silence before it. 0 or -ENOMEM; so the others. */
int feed_end_silence(struct feed *f, struct feed_line *l);

/* A server's row of the next interval. */
int feed_add_row(struct feed *f, const struct feed_line *l, size_t server,
		 const struct interval *at);

/* The TICK after the rows; to the next interval. */
int feed_end_interval(struct feed *f, struct feed_line *l);

/* n intervals that no server has: they are given when a server has something later. */
void feed_silence(struct feed_line *l, uint64_t n);

#endif
