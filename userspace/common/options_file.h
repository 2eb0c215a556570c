/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file that options are in, as the service has it in /etc/default and systemd's EnvironmentFile= takes it:
 *
 *	# a comment
 *	LIMPET_PROBE_OPTIONS="--keep-days 30 --disk sdb"
 *
 * Words are separated by blanks; a value within quotes, or after a backslash, goes on in the next line. Other
 * variables are passed over; of two of this name the last one counts.
 */
#ifndef LIMPET_OPTIONS_FILE_H
#define LIMPET_OPTIONS_FILE_H

#include "options.h"

/*
 * The words that the variable `name` has in the file's text, which is cut up for it: into `words`, strings within the
 * text. -EINVAL: a line is neither a comment nor a variable, or a quote does not end; -ENOMEM.
 */
int options_file_words(const char *name, char *text, struct string_list *words);

/*
 * The same of the file at path; *text is for the caller to free after the words. 0, or an exit status after a message. A file
 * that is not there is as an empty one, and that is said, unless it is `needed`; *text is NULL then.
 */
int options_file_read(const char *path, const char *name, bool needed, char **text,
		      struct string_list *words);

/* A program's option that names such a file, and the variable of it. */
struct options_file {
	size_t field; /* of the struct that is parsed into: the path, a const char *; NULL: no file was named */
	const char *variable;
	bool needed; /* as above */
};

/* What was parsed, which strings of the struct are in. */
struct options_read {
	char **argv; /* the other words from argv[1] on */
	char *text;
};

/*
 * options_parse() of the command line and, behind it, of the file that it names, into a struct of `size` bytes that has its defaults.
 * Returns how many other words there are; -EINVAL, -EIO: the file cannot be read, -ECANCELED: help was asked for, and was given. After
 * any of them options_read_release() is needed, once nothing of the struct is in use.
 */
int options_and_file(const struct command *cmd, void *into, size_t size,
		     const struct options_file *f, int argc, char **argv, struct options_read *out);
void options_read_release(struct options_read *r);

#endif
