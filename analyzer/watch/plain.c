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
				time_json(c->event.at_ns), "change", event_words[c->event.kind],
				"server", words_or_null_json(c->server), "cause",
				words_or_null_json(c->cause), "text", text_of(&c->text));
	char *text = line_of_json(one, 0);
	size_t len = text ? strlen(text) : 0;

	if (text && value)
		printf("%.*s,\"%s\":%s}\n", (int)len - 1, text, key, value);
	else if (text)
		printf("%s\n", text);
	free(text);
	return text ? 0 : -ENOMEM;
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
	size_t i = 0, n = sizeof(of) / sizeof(*of);
	char *value;
	int err;

	while (i < n && of[i].number < 0)
		i++;
	if (i == n)
		return print_object(c, NULL, NULL);
	value = of[i].json(a, (size_t)of[i].number);
	err = value ? print_object(c, of[i].key, value) : -ENOMEM;
	free(value);
	return err;
}

int plain_line(const struct verdict *a, const struct change *c, bool json)
{
	char at[TIME_TEXT_LEN];
	int err = 0;

	if (json)
		err = print_json(a, c);
	else
		printf("%s %s %s\n", output_time(c->event.at_ns, at), event_words[c->event.kind],
		       text_of(&c->text));
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = -EIO;
	return err;
}
