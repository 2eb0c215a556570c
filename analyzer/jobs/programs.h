/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs of the user as rows of the three tables. A program reads one JSON object on standard input and writes one on
 * standard output. Its word is its file's name. It runs once for all jobs (program.h), bounded by PROGRAM_SECONDS,
 * PROGRAM_MEMORY and PROGRAM_OUT. If it fails, answers badly or is late, its answer is dropped and a note names it.
 *
 * In:  {"schema": 1, "ask": "symptom" | "diagnoser" | "decision",
 *       "tasks": [{"task", "job", "server", "kind", "class", "start_s", "seconds", "outcome", "progress", "bytes",
 *                  "records", "cpu_s", "memory_mib", "straggler", "takes_s", "usual_s", "causes": ["data-skew", …]}, …],
 *       "jobs": [{"job", "looked_at", "stragglers", "decision"}, …]}
 *       What is not known is null. "causes" are of diagnosers that ran before.
 * Out: symptom    {"stragglers": ["TASK", …], "jobs": {"JOB": "SENTENCE", …}}
 *      diagnoser  {"tasks": ["TASK", …], "what": "SENTENCE"}
 *      decision   {"jobs": {"JOB": "SENTENCE", …}}
 *      Each key may be missing; tasks and jobs that there are not are passed over, others count as bad. While jobs run, only
 *      tasks that run are taken.
 */
#ifndef LIMPET_STRAGGLERS_PROGRAMS_H
#define LIMPET_STRAGGLERS_PROGRAMS_H

#include "stragglers.h"

enum {
	PROGRAMS_MAX = 8, /* of all three sorts together */
	PROGRAM_SECONDS = 10,
	PROGRAM_OUT = 1 << 24,
	PROGRAM_OUT_LIVE = 1 << 20, /* while jobs run */
};
#define PROGRAM_MEMORY ((uint64_t)1 << 30)

struct user_program {
	char *path, *after; /* after: NULL: none */
	char word[32];
};

/* PROGRAM or PROGRAM,after=WORD[,WORD…]. 0, or negative errno after a message. */
int user_program(struct user_program *p, const char *text);
void user_program_release(struct user_program *p);

/* The three tables. */
enum program_ask { ASK_SYMPTOM, ASK_DIAGNOSER, ASK_DECISION, PROGRAM_ASKS };

/* What counts in a look: rows of the tables, and programs beside them. */
struct roster;
struct table_rows {
	bool stopped[PROGRAM_ASKS][TASK_CAUSES_MAX]; /* rows that do not */
	struct user_program
		program[PROGRAMS_MAX]; /* symptoms first, then diagnosers, then decisions */
	size_t n[PROGRAM_ASKS];
	struct roster
		*roster; /* asks them, and nobody waits; NULL: they are asked and waited for */
	uint64_t number[PROGRAMS_MAX];
};
void table_rows_release(struct table_rows *t);

/* All diagnosers: limpet's own, then programs, and in which order they run. 0; -ENOSPC: too many; -EINVAL: there is no such
 * order, and `bad` is the first that cannot run. */
struct diagnosers_all {
	const char *word[TASK_CAUSES_MAX], *after[TASK_CAUSES_MAX];
	size_t order[TASK_CAUSES_MAX], n, built_in, bad;
};
int diagnosers_all(const struct user_program *own, size_t n_own, struct diagnosers_all *all);

/* What a program is asked, of all tasks and jobs of the look, made with malloc(); NULL: out of memory. */
char *program_question(const struct stragglers *g, enum program_ask ask);
/* Takes what it answered; what is bad in it; NULL: nothing. cause: of a diagnoser. */
const char *program_answered(struct stragglers *g, const char *word, enum program_ask ask,
			     size_t cause, const char *text, size_t n);
/* Both, and waits for the program. 0, also where it answered badly, which becomes a note of the verdict; -ENOMEM. */
int program_ask(struct stragglers *g, const struct user_program *p, enum program_ask ask,
		size_t cause);

/* The same from an answer: what it says is bad in `why` (NULL: none). For tests and the fuzz target. */
const char *answer_symptom(struct stragglers *g, const char *word, const char *text, size_t n);
const char *answer_diagnoser(struct stragglers *g, size_t cause, const char *text, size_t n);
const char *answer_decision(struct stragglers *g, const char *word, const char *text, size_t n);

#endif
