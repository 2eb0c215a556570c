// SPDX-License-Identifier: BSD-2-Clause
/* analysis.h: for which sources an option has a meaning: a table. */
#include "analysis.h"

#include <errno.h>
#include <stddef.h>

#include "userspace/common/options.h"
#include "userspace/common/text.h"

#define NAMED_COLUMNS (MEANT_TABLES | MEANT_TABLES_FRAMES)
#define TABLES	      (NAMED_COLUMNS | MEANT_SYSSTAT | MEANT_PROMETHEUS)
#define LOGS	      (MEANT_LOGS | MEANT_GROWING_LOGS)

/* Options that are not here have a meaning for every source, or change no result (--threads). */
static const struct {
	const char *option;
	unsigned int of;
	const char *what; /* it is, and what does it instead */
} meanings[] = {
	{"time", NAMED_COLUMNS, "it names the column of times of other tables"},
	{"node", TABLES, "it is for tables, whose column of servers it names"},
	{"instance", NAMED_COLUMNS, "it names the column of disks of other tables"},
	{"counter", NAMED_COLUMNS | MEANT_SYSSTAT, "it is for tables, whose counters it names"},
	{"interval", TABLES,
	 "it is for tables; an interval of series files is as long as '--hop' says"},
	{"metric", TABLES | MEANT_SERIES_FRAMES,
	 "it is for tables, and for methods such as kl; this one judges all that was recorded"},
	{"signal", TABLES, "it is for tables; series files and logs have their own signals"},
	{"given", TABLES, "it is for tables; series files and logs have their own signals"},
	{"floor", TABLES, "it is for tables; series files and logs have their own floors"},
	{"hop", MEANT_SERIES | TABLES, "it is for series files and tables"},
	{"offsets", MEANT_SERIES, "it is for series files, of which usual offsets are learnt"},
	{"zone", LOGS, "it is for logs of jobs; '--local-time' is for times in options and text"},
	{"hosts", LOGS, "it is for logs of jobs"},
	{"layout", LOGS, "it is for logs of jobs"},
	{"symbols", MEANT_SERIES, "it is for series files, which have stacks"},
	{"from", ~MEANT_GROWING_LOGS,
	 "they are read from their beginning; with '--once' it is heeded"},
	{"token-file", MEANT_PROMETHEUS, "it is for a Prometheus"},
	{"ca-file", MEANT_PROMETHEUS, "it is for a Prometheus"},
	{"back", MEANT_SERIES | MEANT_PROMETHEUS,
	 "it is for series files, and counts from their newest second; '--once --from TIME' is "
	 "for all"},
};

static const char *const found_words[] = {"series files",	 "tables",	"logs of jobs",
					  "series files",	 "tables",	"logs that grow",
					  "tables of sysstat's", "a Prometheus"};

int options_meant(unsigned int found)
{
	struct text words TEXT_SCOPED = {0};

	for (size_t i = 0; found && i < sizeof(meanings) / sizeof(*meanings); i++) {
		if ((meanings[i].of & found) || !option_given(meanings[i].option))
			continue;
		for (size_t k = 0; k < sizeof(found_words) / sizeof(*found_words); k++)
			if (found & 1U << k)
				text_add(&words, "%s%s", words.len ? " and " : "", found_words[k]);
		return fail("'--%s' has no meaning for %s: %s", meanings[i].option, text_of(&words),
			    meanings[i].what);
	}
	return 0;
}
