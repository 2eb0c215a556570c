/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is drawn of the history, and then answered with: charts of pages, series. Reading it may take seconds, so a thread of its own does that,
 * one request after the other, while the front answers others. A request whose client is gone ends soon, also amid reading; so do all when
 * the front stops. 64 wait at most; a further one is refused.
 */
#ifndef LIMPET_ASK_DRAWINGS_H
#define LIMPET_ASK_DRAWINGS_H

#include "internal.h"

/* What is asked for, of a snapshot. */
struct series_query {
	size_t node;
	char signal[64], disk[INSTANCE_LEN]; /* "": none is asked for */
	bool of_disk;
	int64_t from_ns, to_ns;
	const struct span_row *span; /* of a page of a server */
	const struct incident *in;   /* of a page of an incident */
};

struct drawing {
	LIST_ENTRY(drawing) beside;
	struct front *f;
	struct listener_request r; /* the front's; http NULL: who asked is gone */
	struct snapshot *s; /* the one that it is of; f->now may be another when it is answered */
	struct series_query q;
	json_t *kept; /* the front's, of a page of an incident; NULL */
	/* In a thread of its own: 0 or -errno, and what is written. The snapshot and the query are all that it may use. NULL: nothing is read. */
	int (*draw)(const struct drawing *j, FILE *to);
	/* In the front's, unless who asked is gone. */
	void (*answer)(struct drawing *j);
	int err;
	char *bytes;
	size_t len;
	atomic_bool stop, drawn;
};

/* Of f->now: q, kept (which it takes), draw and answer of `what` are read. Refuses at once where too many wait. */
void drawing_begin(struct front *f, struct listener_request *r, const struct drawing *what);
int drawings_start(struct front *f); /* 0 or -ENOMEM; stopped in any case, after the listener */
void drawings_stop(struct front *f);

/* series_asked.c. While it is drawn, of the verdict of j: server and signal as in a struct history_asked. To be released in any case. 0; -ENOENT: no
 * history is kept; -ENOMEM; -ECANCELED; -EIO: it cannot be read now. */
int series_read(const struct drawing *j, struct history *h, const char *server, size_t signal,
		int64_t from_ns, int64_t to_ns);
/* The row of a server, of this disk or of the worst one; NULL: there is none. */
const struct history_row *series_row(const struct history *h, size_t node, const char *disk,
				     size_t signal);

#endif
