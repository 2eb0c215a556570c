/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `limpet serve`: receiver, keeper and judge in one process, and what they have to say.
 *
 *   senders ──► listener, ingest (a thread) ──► relay (a thread) ──► watch: judged from memory, in the caller's thread ──► events
 *                  │ copies                                              ▲ after a start: what was kept
 *                  └────────► keeper (a thread) ──► DIR/series/HOST/ ────┘                  events ──► lines, alerts, metrics, incidents.db
 *                  └ logs ──► DIR/logs/HOST/ ──► followed by watch
 *
 * What is so now is a snapshot on the board (analyzer/ask/board.h), from which threads of their own answer those who ask: the front,
 * Alertmanagers, and another service of the same senders (pair.h).
 *
 * Sources are recordings and logs that lie here, and grow or do not: their servers are peers of those that send.
 *
 * DIR belongs to one service at a time (DIR/lock).
 */
#ifndef LIMPET_SERVE_H
#define LIMPET_SERVE_H

#include "analyzer/options/analysis.h"

/* Where it listens unless it is told. */
#define SERVE_INGEST "0.0.0.0:9811"

struct serve_opts {
	struct analysis_opts a;
	const char *state; /* DIR */
	char *const *
		sources; /* judged beside what is received: files and folders of recordings and logs */
	size_t n_sources;
	const char *ingest; /* ADDR:PORT */
	const char *
		address; /* by which senders reach it, for the line of enrolment; NULL: that of ingest, or this host's name */
	const char *cert, *key, *client_ca; /* files of the site's own; NULL: none */
	const char *listen;		    /* pages, the API, metrics */
	struct string_list hosts;
	const char *users; /* a file; NULL */
	const char *
		programs; /* a folder of symptoms, diagnosers and decisions that may be loaded; NULL */
	const char *proxy_user; /* a header; NULL */
	const char *alert;
	struct string_list mail;	  /* addresses */
	struct string_list alertmanagers; /* URLs */
	const char *site, *url;
	unsigned int alert_interval_s;
	unsigned int keep_days, keep_percent;
	bool json, check;
	bool alert_jobs;  /* Alertmanagers hear of late tasks, too */
	const char *file; /* of more options */
	/* At SIGHUP: the options anew, until the next call, after a message for each that takes a restart; NULL after a message. */
	const struct serve_opts *(*again)(void *arg);
	void *again_arg;
};

/* Root becomes the user that DIR belongs to, for good: what root makes there the service could not open. 0, or an exit status after a
 * message. First of all. */
int serve_as_owner(const struct serve_opts *o);

/* Exit statuses, after a message unless it is 0. */
int serve_run(const struct serve_opts *o);

/* The other words of the command, which tell a service that runs, or will: "enroll", "approve HOST", "trust HOST", "forget HOST", "senders". */
int serve_line(const struct serve_opts *o, unsigned int uses);
/* Writes down where it listens, for serve_line() of another process. */
void serve_remember_address(const struct serve_opts *o);
int serve_approve(const struct serve_opts *o, const char *host);
int serve_trust(const struct serve_opts *o, const char *host);
int serve_forget(const struct serve_opts *o, const char *host);
int serve_senders(const struct serve_opts *o);

#endif
