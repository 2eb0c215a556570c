/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Command lines, for both programs: one typed table of options drives parsing, --help and error
 * messages; one table of subcommands drives dispatch. Numbers go through the strict parsers here.
 */
#ifndef LIMPET_OPTIONS_H
#define LIMPET_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_type {
	OPT_FLAG,   /* bool */
	OPT_STRING, /* const char *, into argv */
	OPT_LIST,   /* struct string_list: may be given again */
	OPT_UINT,   /* unsigned int within [min, max] */
	OPT_DOUBLE, /* double within [min, max] */
	OPT_SIZE, /* uint64_t bytes within [min, max]: a whole number, with K, M, G or T (1024s) */
	OPT_TIME, /* int64_t ns since the epoch, as times.h says */
	OPT_LOCAL, /* no target: times without a zone, and those that are shown, are local (times.h) */
};

struct string_list {
	const char **at;
	size_t n;
};

struct option_def {
	char letter; /* or 0 */
	const char *name;
	enum option_type type;
	size_t offset;	 /* of the target in the options struct */
	const char *arg; /* placeholder in --help; NULL for flags */
	const char *help;
	double min, max;
};

/* An option that does something only beside others. */
struct option_need {
	const char *option;
	const char *needs
		[3]; /* one of these is needed: "--option", or "-" among the words; ends with NULL */
};

struct command {
	const char *name;
	const char *args;    /* "[interval [count]]", for usage */
	const char *summary; /* NULL: --help is not to be asked for here, and is a wrong option */
	const struct option_def *options; /* ends with name NULL */
	int (*run)(int argc, char **argv);
	const struct option_need *needs; /* ends with option NULL; NULL: none */
};

enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_INDICTED = 3,
	EXIT_NO_JUDGEMENT = 4,
	EXIT_SUSPICIOUS = 5,
	EXIT_UNPROVEN = 6
};

/*
 * Parses argv[1..] into the struct at `into`, options and other words in any order; returns the
 * number of other words, moved to argv[1..]. On a bad option prints what is wrong and returns
 * -EINVAL; on --help prints it and returns -ECANCELED. A --from that is not before --to is bad, too,
 * and an option without those that it needs.
 */
int options_parse(const struct command *cmd, void *into, int argc, char **argv);

/* Whether the line that was parsed last has the option, with whatever value. */
bool option_given(const char *name);

/* Of the line that was parsed last: -EINVAL after a message if it has the option and one of the others (end with NULL). */
int options_exclude(const char *name, const char *const *others);

/*
 * The same, for a command that needs words: *n of them; where there is none, a message that `needed` is ("a LOG"). Returns
 * what the command ends with if there is no word (*n 0), or if it does nothing with them: EXIT_USAGE, after --help EXIT_DONE.
 */
int options_words(const struct command *cmd, void *into, int argc, char **argv, const char *needed,
		  size_t *n);

/* Whether the option has one value in both structs that were parsed into. */
bool option_is_same(const struct option_def *o, const void *a, const void *b);

/* Frees the lists in a struct that was parsed into. */
void options_release(const struct command *cmd, void *into);

void string_list_release(struct string_list *l);
bool string_list_has(const struct string_list *l, const char *s);
bool string_list_allows(const struct string_list *l, const char *s); /* an empty one: all */
size_t string_list_distinct(const struct string_list *l);	     /* how many, each once */

/*
 * Finds argv[1] in the table (ends with name NULL) and runs it; handles --help, version and --version; `help` and
 * `help COMMAND`, which show the man page PROGRAM or PROGRAM-COMMAND if man has it, else what --help prints; and
 * --dump-options, which --help does not tell: the tables for shell completion and for the tests of the man pages, a line
 * per option, blanks between its columns and "-" for what it has not:
 *
 *   COMMAND  -LETTER  --NAME  PLACEHOLDER  HELP…
 *
 * The help of --help is what the command does.
 *
 * A placeholder with bars ("text|json") is a list of the words that are allowed.
 */
int commands_dispatch(const char *program, const char *about, const struct command *table, int argc,
		      char **argv);

/* Room for a sentence that says why something failed, where a function has `char *why`. */
#define WHY_LEN 256

/* The name messages begin with; set by commands_dispatch(). */
extern const char *program_name;

/* Print "program: message" on stderr as one line, with '?' for what is not text (text_clean.h), so that
 * names may come from anywhere. fail() returns -EINVAL for convenience. */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The message that this thread said last, without the program's name. */
const char *said_last(void);

/* Strict: the whole string, in range. 0 or -EINVAL / -ERANGE. */
int parse_uint(const char *s, unsigned int min, unsigned int max, unsigned int *out);
int parse_double(const char *s, double min, double max, double *out);
int parse_size(const char *s, double min, double max, uint64_t *bytes);

#endif
