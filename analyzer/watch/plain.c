// SPDX-License-Identifier: BSD-2-Clause
/* plain.h: a line for each change. */
#include "plain.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/verdict_print.h"
#include "analyzer/output/verdict_tasks.h"
#include "userspace/common/json_make.h"
#include "userspace/common/output.h"

/* The object, with what is JSON already at its end. NULL: out of memory. */
static char *object_of(const struct change *c, const char *key, const char *value)
{
	json_t *one = json_pack("{s:i, s:o, s:s, s:o, s:o, s:s}", "schema", VERDICT_SCHEMA, "time",
				time_json(c->event.at_ns), "change", event_rows[c->event.kind].word,
				"server", words_or_null_json(c->server), "cause",
				words_or_null_json(c->cause), "text", text_of(&c->text));
	char *text = line_of_json(one, 0), *all = NULL;

	if (!text || !value)
		return text;
	if (asprintf(&all, "%.*s,\"%s\":%s}", (int)strlen(text) - 1, text, key, value) < 0)
		all = NULL;
	free(text);
	return all;
}

static char *job_json(const struct verdict *a, size_t i)
{
	return line_of_json(verdict_job_json(a, i), 0);
}

char *plain_json(const struct verdict *a, const struct change *c)
{
	const struct {
		const char *key;
		ssize_t number;
		char *(*json)(const struct verdict *a, size_t i);
	} of[] = {{"incident", c->event.incident, verdict_incident_json},
		  {"notice", c->event.notice, verdict_notice_json},
		  {"straggler", c->event.straggler, verdict_straggler_json},
		  {"job", c->event.job, job_json}};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
		if (of[i].number >= 0) {
			char *value = of[i].json(a, (size_t)of[i].number);
			char *text = value ? object_of(c, of[i].key, value) : NULL;

			free(value);
			return text;
		}
	return object_of(c, NULL, NULL);
}

static int print_json(const struct verdict *a, const struct change *c)
{
	char *text = plain_json(a, c);

	if (text)
		printf("%s\n", text);
	free(text);
	return text ? 0 : -ENOMEM;
}

int plain_line(const struct verdict *a, const struct change *c, bool json)
{
	const struct event_row *row = &event_rows[c->event.kind];
	struct text plain TEXT_SCOPED = {0};
	char at[TIME_TEXT_LEN];
	int err = 0;

	text_put_plain(&plain, text_of(&c->text));
	if (json)
		err = print_json(a, c);
	else
		printf("%s %s%s%s %s\n", output_time(c->event.at_ns, at), colour_begin(row->colour),
		       row->word, colour_end(row->colour), text_of(&plain));
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = -EIO;
	return err;
}
