// SPDX-License-Identifier: BSD-2-Clause
/* plain.h: a line for each change. */
#include "plain.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/verdict_print.h"
#include "userspace/common/json_make.h"
#include "userspace/common/output.h"

/* The object's end, for what is JSON already. */
static int print_object(const struct change *c, const char *key, const char *value)
{
	json_t *one = json_pack("{s:i, s:o, s:s, s:o, s:o, s:s}", "schema", VERDICT_SCHEMA, "time",
				time_json(c->event.at_ns), "change", event_rows[c->event.kind].word,
				"server", words_or_null_json(c->server), "cause",
				words_or_null_json(c->cause), "text", text_of(&c->text));
	char *text = line_of_json(one, 0);

	if (!text)
		return -ENOMEM;
	printf("%.*s", (int)strlen(text) - 1, text);
	if (value)
		printf(",\"%s\":%s", key, value);
	printf("}\n");
	free(text);
	return 0;
}

static int print_json(const struct verdict *a, const struct change *c)
{
	const struct {
		const char *key;
		ssize_t number;
		char *(*json)(const struct verdict *a, size_t i);
	} of[] = {{"incident", c->event.incident, verdict_incident_json},
		  {"notice", c->event.notice, verdict_notice_json},
		  {"straggler", c->event.straggler, verdict_straggler_json}};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
		if (of[i].number >= 0) {
			char *value = of[i].json(a, (size_t)of[i].number);
			int err = value ? print_object(c, of[i].key, value) : -ENOMEM;

			free(value);
			return err;
		}
	return print_object(c, NULL, NULL);
}

int plain_line(const struct verdict *a, const struct change *c, bool json)
{
	char at[TIME_TEXT_LEN];
	int err = 0;

	if (json)
		err = print_json(a, c);
	else
		printf("%s %s %s\n", output_time(c->event.at_ns, at),
		       event_rows[c->event.kind].word, text_of(&c->text));
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = -EIO;
	return err;
}
