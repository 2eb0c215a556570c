/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What senders bring (exchange.h), taken in by one thread: seconds and copies go to the caller's functions, logs to their folder.
 * No request is taken in part: first all of its frames are looked at, and if one is damaged or of another host, none is taken.
 */
#ifndef LIMPET_SERVE_INGEST_H
#define LIMPET_SERVE_INGEST_H

#include <stdint.h>

#include "logs_kept.h"
#include "tickets.h"
#include "analyzer/http/listener.h"
#include "analyzer/http/tls.h"
#include "userspace/common/metrics_text.h"
#include "userspace/series/series.h"

enum { INGEST_AHEAD_S = 60 }; /* seconds that are so far ahead of our clock are dropped */

/* These functions are called in the thread and must not wait. They return 0 or a negative errno: -EAGAIN not now. */

/*
 * Frames of seconds of a host, each newer than the one before, and all newer than *live was; first_ns and last_ns are the times
 * of the first and the last one. len 0: there are none, it only asks. *live: the newest second that is there now, or as far back as
 * seconds are wanted. *wait_ms is 0 before; the sender is told to wait so long.
 */
typedef int (*ingest_seconds_fn)(void *arg, const char *host, int64_t first_ns, int64_t last_ns,
				 const void *bytes, size_t len, int64_t *live,
				 unsigned int *wait_ms);

/*
 * A part of a series file of a host (series.h, "copying a file"), for as long as the function runs; len 0: there is none, it only asks.
 * file: HOST-YYYYMMDD.limpet. Where it returns 0, ticket_back(ticket, …) has to follow, from any thread, once.
 */
typedef int (*ingest_series_fn)(void *arg, const char *host, const char *file, int64_t origin_ns,
				const void *part, size_t len, struct ingest_ticket *ticket);

/* What another receiver asks for (pair.h), by its name. -EACCES: it is not trusted; -EAGAIN: nothing is known yet. */
typedef int (*ingest_pair_fn)(void *arg, const char *name, struct text *answer);

struct ingest_opts {
	const char *dir; /* holds serve.db, tls/ and logs/ */
	const char *listen;
	struct tls_files tls;
	struct listener_bounds bounds;
	struct logs_quota logs;
	ingest_seconds_fn seconds;
	ingest_series_fn series;
	ingest_pair_fn pair;
	void *arg;
};

struct ingest;

/* 0 or -errno with the sentence. */
int ingest_start(struct ingest **i, const struct ingest_opts *o, char why[WHY_LEN]);
/* From another thread; ends what is amid a request. Takes NULL. */
void ingest_stop(struct ingest *i);

/* From another thread: certificate and key of the site's own are read once more, within a second. */
void ingest_reload(struct ingest *i);

/* For other threads to read, too; beside those of its listener. */
enum ingest_count {
	SECONDS_TAKEN,
	SECONDS_OLD,   /* dropped: there already, or older than what is judged */
	SECONDS_AHEAD, /* dropped: INGEST_AHEAD_S */
	SERIES_PARTS,
	LOG_BYTES,
	LOGS_REFUSED, /* pieces */
	SENDERS,
	SENDERS_HEARD, /* in the last minute */
	INGEST_COUNTS
};
uint64_t ingest_counted(const struct ingest *i, enum ingest_count what);
const struct listener *ingest_listener(const struct ingest *i);

/* All of it as metrics. */
void ingest_metrics(const struct ingest *i, struct metrics_text *t);
/* Rows of a table of Markdown, on standard output. */
void ingest_metrics_dump(void);

#endif
