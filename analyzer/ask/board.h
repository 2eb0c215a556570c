/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the judge knows, for the thread that answers: one snapshot at a time, which nobody changes any more, and the last events.
 * The judge puts, the other gets; neither waits for the other.
 */
#ifndef LIMPET_ASK_BOARD_H
#define LIMPET_ASK_BOARD_H

#include <stdatomic.h>

#include "silences.h"
#include "analyzer/verdict/verdict.h"
#include "analyzer/watch/changes.h"
#include "userspace/common/clock.h"
#include "userspace/common/metrics_text.h"

/* So many events are known to those that come back. */
#define BOARD_EVENTS 1000
/* The judge puts one each two seconds. */
#define BOARD_HANGS_NS (60 * NS_PER_S)

struct snapshot {
	struct verdict verdict; /* without looks and durations */
	uint64_t number;
	int64_t made_ns;  /* CLOCK_REALTIME */
	int64_t until_ns; /* the end of what was judged; INT64_MIN: nothing was */
	bool rebuilding;  /* the service has just started: nothing is judged yet */
	bool can_judge;
	char trouble[400];
	char *metrics[FORMATS]; /* for scrapers; NULL: it was not wanted */
	size_t metrics_len[FORMATS];
	struct silence *silences; /* that are not over */
	size_t n_silences;
	atomic_uint users;
};

struct snapshot *snapshot_new(void);		    /* one user; NULL: out of memory */
struct snapshot *snapshot_take(struct snapshot *s); /* one user more */
void snapshot_done(struct snapshot *s);		    /* one user less; takes NULL */

struct board;

struct board *board_new(void);	  /* NULL: out of memory */
void board_free(struct board *b); /* takes NULL; nobody uses it any more */

/* Takes the snapshot. news: it gets the next number; else the last one's, for it says nothing new but metrics. */
void board_put(struct board *b, struct snapshot *s, bool news);
/* A text for scrapers is wanted of the next one, at once: the judge hears of it by the descriptor, and takes the wish, a bit for each format. */
void board_want(struct board *b, enum openmetrics_format format);
int board_wanted_fd(const struct board *b);
unsigned int board_wanted(struct board *b);
/* The newest, with one user more; NULL: there is none yet. */
struct snapshot *board_get(struct board *b);
/* Whether the judge has put nothing for BOARD_HANGS_NS: what stands still looks like what is right. Not before the first snapshot, when
 * what was kept is read again, however long that takes. */
bool board_hangs(struct board *b);

/* An event, as an object of JSON on one line; numbers go up by one from 1. 0 or -ENOMEM. */
int board_event(struct board *b, const char *json);
/* The event of this number, or of the first one after it that is there still, for the caller to free(); *number is made
 * that one's. NULL: there is none yet, or no memory. */
char *board_event_from(struct board *b, uint64_t *number);
/* The number of the newest; 0: there was none. */
uint64_t board_newest(struct board *b);
/* Readable when there is something new; the reader reads it away. */
int board_fd(const struct board *b);

#endif
