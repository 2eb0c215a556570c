/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the service remembers of its judgements, in DIR/incidents.db (SQLite): incidents as they are by now, every event that was told,
 * and what stands against servers, so that a service that starts again goes on where the last one ended: with the same ids, and
 * nobody is told anything twice.
 *
 *   incident(id, server, cause, suspicious, open, onset_ns, decided_ns, last_ns, opened_ns, over_ns, headline, json)
 *                     id: 16 hexadecimal digits; opened_ns: of the data, when it was told first; over_ns: NULL while it is open;
 *                     json: as in the JSON of a verdict
 *   event(seq, at_ns, told_ns, kind, id, server, cause, text)
 *                     at_ns: of the data; told_ns: by the clock; kind: a word of event_rows
 *   level(server, silent, id, state, cause, process)
 *                     what is told of a server and not over: state "limps", "suspicious" or "silent"
 *
 * What cannot be written at present (a full disk, a lock) is kept in memory, INCIDENTS_KEPT events of it, and written later: nothing waits.
 */
#ifndef LIMPET_SERVE_INCIDENTS_H
#define LIMPET_SERVE_INCIDENTS_H

#include "analyzer/watch/alert.h"
#include "analyzer/watch/changes.h"

#define INCIDENTS_KEPT 1000
/* Events of so long stay; incidents that are over, too. */
#define INCIDENTS_DAYS 400

struct incident_store;

/* 0, or negative errno after a message. Begins the file, or goes on with it; one that is damaged is moved aside, which is said. */
int incidents_open(struct incident_store **i, const char *dir);
void incidents_close(struct incident_store *i); /* takes NULL; writes what is kept */

/* The newest event's time in the data, and what stands against servers since then; INT64_MIN: nothing was told yet. */
int64_t incidents_told_ns(const struct incident_store *i);
/* alert: NULL, or the program's; it was told. 0 or -ENOMEM. */
int incidents_resume(const struct incident_store *i, struct track_events *to, struct alert *alert);

/* An event, as a subscriber of changes has it. 0 or -ENOMEM. */
int incidents_change(struct incident_store *i, const struct verdict *a, const struct change *c);
/* Writes what is kept. Why it cannot be written, a sentence; NULL: all is. */
const char *incidents_flush(struct incident_store *i);

#endif
