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

#include "userspace/common/options.h"

/*
 * The words of the file's text, which is cut up for it: into `words`, strings within the text. -EINVAL: a line is
 * neither a comment nor a variable, or a quote does not end; -ENOMEM.
 */
int options_file_words(char *text, struct string_list *words);

#endif
