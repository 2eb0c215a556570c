/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Logs that Hadoop's daemons and tasks write while they run:
 *
 *	STAMP LEVEL [thread] class: text		(hadoop_source.h)
 *
 * What limpet knows of them is a table of patterns of the text, a row each. In a pattern * captures what
 * stands before the literal text that follows it, or the rest; it begins with literal text, unless a class is given.
 * Lines of other patterns are passed over: most of a daemon's log is nothing about states.
 */
#ifndef LIMPET_DAEMON_H
#define LIMPET_DAEMON_H

#include "log_source.h"

enum { CAPTURES = 6, FETCHERS = 64, LAUNCHED = 64 };

/* One log, and what its lines have in common. */
struct daemon {
	struct log *l;
	int64_t time_ns; /* of the line */
	/* Attempts that were launched last, and have not begun; STATE_NONE: none. More than any server has slots. */
	uint32_t launched[LAUNCHED];
	size_t n_launched;
	uint32_t attempt; /* whose task's log this is, of states.ids; STATE_NONE: a daemon's */
	int64_t merge_ns; /* begin of a merge in memory; INT64_MIN: there is none */
	int64_t fetched[FETCHERS + 1]; /* bytes by each fetcher since it took its server */
	/* The address that its server last said it has; what it was called then, of states.nodes. */
	char own_address[HOST_LEN];
	uint32_t own_node;
};

struct daemon_pattern {
	const char *text;
	void (*take)(struct daemon *d, const struct piece *c, int which);
	int which;	   /* for take */
	const char *class; /* end of the class's name; NULL: any */
};

/* Tables, which end with text NULL: of tasks (daemon_tasks.c), and of blocks and what is sent (daemon_blocks.c). */
extern const struct daemon_pattern daemon_tasks[], daemon_blocks[];

/* Whether it is as the pattern; fills c. */
bool daemon_match(const char *pattern, const char *text, size_t len, struct piece c[CAPTURES]);

/* The first place of `what`, at least one byte, in [text, end); NULL. Lines are short, and memmem() prepares much. */
const char *daemon_find(const char *text, const char *end, const char *what, size_t len);

/* Pieces put together: bytes of the name; one that fills it is too long for log_id(). */
size_t daemon_name(char name[LOG_ID_LEN], const struct piece *parts, size_t n);
/* Its number of states.ids; STATE_NONE as log_id(). */
uint32_t daemon_id(struct daemon *d, const struct piece *parts, size_t n);
#define DAEMON_ID(d, ...)                                   \
	daemon_id((d), (const struct piece[]){__VA_ARGS__}, \
		  sizeof((const struct piece[]){__VA_ARGS__}) / sizeof(struct piece))

/* Before the first log. */
void daemon_blocks_init(void);

/* "…attempt_T_N_m_K_A…" of a client's name: the attempt alone, or len 0. */
struct piece daemon_attempt(struct piece in);

#endif
