// SPDX-License-Identifier: BSD-2-Clause
/* What attempts that failed said: the line without its numbers, so that the same is told once. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "internal.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

/* Digits, and what makes numbers of hosts and ids, become one "#"; bytes that are not printable "?". */
static size_t clean(const char *s, size_t len, char to[STATE_ERROR_LEN])
{
	size_t n = 0;

	while (len && isspace((unsigned char)*s))
		s++, len--;
	for (size_t i = 0; i < len && s[i] != '\n' && s[i] != '\r' && n + 1 < STATE_ERROR_LEN;
	     i++) {
		unsigned char c = (unsigned char)s[i];

		if (isdigit(c) && n && to[n - 1] == '#')
			continue;
		to[n++] = isdigit(c) ? '#' : c == '\t' ? ' ' : c < ' ' || c > '~' ? '?' : (char)c;
	}
	while (n && to[n - 1] == ' ')
		n--;
	to[n] = 0;
	return n;
}

/* Of Hadoop 0.18 to 1.x, of 2 and 3, of 3.3 and later, and of Spark's driver. */
bool log_error_is_silence(struct piece said)
{
	static const char *const words[] = {" failed to report status for ", " Timed out after ",
					    " taskTimedOut: true", " taskStuck: true",
					    "heartbeat timed out after "};

	return said.len && any_of(i, sizeof(words) / sizeof(*words),
				  memmem(said.s, said.len, words[i], strlen(words[i])));
}

/* Of Hadoop 2 and 3, also where an administrator took the server out. */
bool log_error_is_loss(struct piece said)
{
	static const char *const words[] = {" on a *lost* node", " it ran on unusable node"};

	return said.len && any_of(i, sizeof(words) / sizeof(*words),
				  memmem(said.s, said.len, words[i], strlen(words[i])));
}

/* YARN's scheduler and masters, and Spark's driver. What a container says of its end (exit code 143, "Container killed on request") is not
 * here: its master has a container killed that hung, or failed, too. */
bool log_error_is_nobodys(struct piece said)
{
	static const char *const words[] = {
		"Executor killed by driver",
		"Executor decommission",
		"Finished decommissioning",
		" was preempted.",
		" exited because of a YARN event (e.g., ",
		" exited from explicit termination request",
		"Container preempted by scheduler",
		"Container released by application",
		/* for other work; by its resource manager; by its master; as its application had ended */
		"Exit status: -102.",
		"Exit status: -106.",
		"Exit status: -105.",
		"Exit status: -107.",
	};

	return said.len && any_of(i, sizeof(words) / sizeof(*words),
				  memmem(said.s, said.len, words[i], strlen(words[i])));
}

void log_error(struct log *l, uint32_t node, int64_t time_ns, struct piece said)
{
	struct states *st = l->s;
	char text[STATE_ERROR_LEN];
	size_t n = clean(said.s, said.len, text);
	struct state_error *e;
	int64_t name;

	if (!n || node == STATE_NONE || st->n_error == STATE_ERRORS_MAX || st->reading->err)
		return;
	st->errors.max = STATE_ERROR_TEXTS_MAX;
	name = names_add_n(&st->errors, text, n);
	if (name < 0 && errno != ENOMEM)
		return;
	e = name < 0 ? NULL : array_refill(&st->error, &st->n_error, &st->cap_error);
	if (!e) {
		reading_failed(st);
		return;
	}
	*e = (struct state_error){time_ns, node, (uint32_t)name};
}
