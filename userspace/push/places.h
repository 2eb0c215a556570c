/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where logs of jobs lie on this host, and which there are: folders, with all below them, and single files. All senders share
 * one look at them, every ten seconds; files that have been silent for long are looked at once a minute.
 *
 * A log is known by its path, NAME/…, and its identity: device, inode and a sum of the first line, so that a log that was rotated or
 * replaced is another one of that path. Links are not followed, and what is no regular file is passed over.
 */
#ifndef LIMPET_PUSH_PLACES_H
#define LIMPET_PUSH_PLACES_H

#include <pthread.h>
#include <stdint.h>
#include <sys/stat.h>

#include "userspace/common/map.h"
#include "userspace/common/options.h"
#include "userspace/wire/wire.h"

/* Logs that are larger, and those that nobody wrote to for a week, are left out. */
#define PLACES_LOG_MAX ((int64_t)1 << 30)
#define PLACES_AGE_S   (7 * 86400)
#define PLACES_LOOK_S  10
#define PLACES_LOGS    20000
#define PLACES_MAX     64

struct place {
	char name[32];
	const char *path;
	bool asked_for; /* --logs, no default */
	bool told;	/* it cannot be read */
};

enum log_left { LOG_SENT, LOG_OLD, LOG_LARGE, LOG_NAMED, LOG_LEFT_WAYS };

struct place_log {
	char *path;	   /* NAME/… */
	const char *below; /* in it: behind the name; "" where the place is a file */
	size_t place;
	dev_t dev;
	ino_t ino;
	int64_t size, mtime_ns;
	char identity[WIRE_IDENTITY_LEN]; /* "": not known yet, the first line is not complete */
	unsigned int cuts;		  /* how often it was cut short and kept its first line */
	uint32_t version;		  /* another one with each identity */
	enum log_left left;
	bool there, packed;
};

/* lock: for everything but the places themselves. */
struct places {
	struct place at[PLACES_MAX];
	size_t n;
	pthread_mutex_t lock;
	struct place_log *logs;
	size_t n_logs, n_gone;
	struct map by_path;
	int64_t looked_ns; /* CLOCK_MONOTONIC; 0: never */
	uint32_t looks;	   /* that there were */
	uint32_t epoch;	   /* another one: numbers of logs mean others */
	size_t left[LOG_LEFT_WAYS];
	bool full; /* more logs than PLACES_LOGS */
	size_t told_left[LOG_LEFT_WAYS];
};

/* given: NAME=PATH each. defaults: those of file systems and engines that are where they usually are. 0, or -1 after a message. */
int places_init(struct places *p, const struct string_list *given, bool defaults);
void places_release(struct places *p);

/* Looks, if it is time; with the lock held. Says on standard error what is left out, once. */
void places_look(struct places *p);

/* Opens a log for reading; with the lock held. -ESTALE: it is another one by now, and has another version. */
int places_open(struct places *p, struct place_log *log);

/* The receiver has more of this log than there is: it was cut short, and is another one from now on. */
void places_was_cut(struct place_log *log);

#endif
