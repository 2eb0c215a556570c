/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which rows of the three tables count, and which programs of the user beside them, for a service: people start, stop and load
 * them while jobs run. The judge takes the roster at each look; any thread lists and changes it. What was changed is in
 * DIR/jobs.db, and stays over a restart.
 *
 * No look waits for a program: it is asked in a thread of the roster's, at most every ROSTER_EVERY_S while tasks run. A good
 * answer counts until the next one or a failure, for ROSTER_KEEP_S but in one look at least, by the names of the tasks and
 * jobs in it. A program's life:
 *
 *                  roster_load(), roster_start(true)          roster_ask(): it is due
 *   none, stopped ──────────────────────────────────► started ───────────────────────► asked
 *            ▲                                         │   ▲                             │
 *            │                                         │   └─────── take_answer() ───────┤
 *            └─────────────────────────────────────────┴─────────────────────────────────┘
 *             note_trouble(): ROSTER_FAILS failures in a row; roster_start(false)
 *
 * roster_unload() removes a program from any state. Programs lie in one folder, which the administrator names when the service
 * starts: none from elsewhere can be loaded.
 */
#ifndef LIMPET_JOBS_ROSTER_H
#define LIMPET_JOBS_ROSTER_H

#include "programs.h"

enum { ROSTER_EVERY_S = 10, ROSTER_KEEP_S = 120, ROSTER_FAILS = 5, ROSTER_AFTER_LEN = 256 };

struct roster_row {
	enum program_ask ask;
	char word[32], what[96], after[ROSTER_AFTER_LEN]; /* after: "": it waits for none */
	bool program;					  /* else a row of limpet's own */
	bool running;					  /* it can be known while the job runs */
	bool started;
	uint64_t asked, failed; /* of a program, since the service started */
	double took_s;		/* its last run; NaN: there was none */
	char trouble[400];	/* why its last answer does not count; "" */
};

/* "symptom", "diagnoser", "decision"; and of several, as paths have them */
extern const char *const program_ask_words[PROGRAM_ASKS], *const program_ask_plurals[PROGRAM_ASKS];

struct roster;

/* programs: a folder; NULL: none can be loaded. 0 or -errno with the sentence; a program of before that cannot be run any more
 * is there, stopped, with its trouble. */
int roster_new(struct roster **r, const char *dir, const char *programs, char why[WHY_LEN]);
void roster_free(struct roster *r); /* takes NULL; waits for the program that is asked */

/* All rows, table by table, as they are now: made with malloc(). 0 or -ENOMEM. */
int roster_list(struct roster *r, struct roster_row **rows, size_t *n);

/* 0, or -errno with the sentence: -ENOENT there is none of this name, -EINVAL it makes no sense, -ENOSPC there are too many,
 * -EEXIST there is one already, -EIO it cannot be written down, and nothing has changed; to stop one works
 * even so, until the service starts again. */
int roster_start(struct roster *r, enum program_ask ask, const char *word, bool started,
		 char why[WHY_LEN]);
/* name: of a file of the folder; after: as of struct diagnoser, "": none. It is started. */
int roster_load(struct roster *r, enum program_ask ask, const char *name, const char *after,
		char why[WHY_LEN]);
int roster_unload(struct roster *r, enum program_ask ask, const char *word, char why[WHY_LEN]);

/* ---- the judge -------------------------------------------------------------------------------------------------- */

/* Whether rows or answers have changed since the last call: then a look finds something else, though logs say nothing new. */
bool roster_news(struct roster *r);
/* What counts in this look; table_rows_release() in any case. 0 or -ENOMEM. */
int roster_take(struct roster *r, struct table_rows *t);
/* Program i of these: its last answer goes into the look, and if it is due it is asked about it. 0 or -ENOMEM. */
int roster_ask(struct table_rows *t, size_t i, struct stragglers *g, size_t cause);

#endif
