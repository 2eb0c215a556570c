// SPDX-License-Identifier: BSD-2-Clause
/* What the listener for senders counts, as metrics. */
#include <stdio.h>
#include <string.h>

#include "ingest.h"

enum { SAMPLES = 4 };

static const struct {
	struct mt_family f;
	const char *label; /* "": there is one sample */
	struct {
		const char *value; /* of the label; NULL: no more samples */
		int what;	   /* enum listener_count; below 0 ~ of enum ingest_count */
	} samples[SAMPLES];
} families[] = {
	{{"limpet_serve_received_bytes", "bytes", MT_COUNTER, "Bodies of requests of senders."},
	 "",
	 {{"", COUNT_BYTES}}},
	{{"limpet_serve_connections_accepted", "", MT_COUNTER,
	  "Connections to the port for senders."},
	 "",
	 {{"", COUNT_ACCEPTED}}},
	{{"limpet_serve_connections", "", MT_GAUGE, "Connections to the port for senders, now."},
	 "",
	 {{"", COUNT_GUESTS}}},
	{{"limpet_serve_strangers", "", MT_GAUGE,
	  "Those of them of which nobody knows yet whose they are."},
	 "",
	 {{"", COUNT_STRANGERS}}},
	{{"limpet_serve_connections_ended", "", MT_COUNTER,
	  "Connections that limpet ended, and for what."},
	 "reason",
	 {{"late", COUNT_LATE}, {"excess", COUNT_EXCESS}, {"large", COUNT_LARGE}}},
	{{"limpet_serve_requests_broken", "", MT_COUNTER,
	  "Requests that never became whole, or were none."},
	 "",
	 {{"", COUNT_BROKEN}}},
	{{"limpet_serve_seconds", "", MT_COUNTER, "Seconds that came, and what became of them."},
	 "what",
	 {{"taken", ~SECONDS_TAKEN}, {"old", ~SECONDS_OLD}, {"ahead", ~SECONDS_AHEAD}}},
	{{"limpet_serve_series_parts", "", MT_COUNTER, "Parts of series files that came."},
	 "",
	 {{"", ~SERIES_PARTS}}},
	{{"limpet_serve_log_bytes", "bytes", MT_COUNTER, "Bytes of logs that are kept."},
	 "",
	 {{"", ~LOG_BYTES}}},
	{{"limpet_serve_logs_refused", "", MT_COUNTER, "Pieces of logs that were refused."},
	 "",
	 {{"", ~LOGS_REFUSED}}},
	{{"limpet_serve_senders", "", MT_GAUGE, "Senders that are enrolled."},
	 "",
	 {{"", ~SENDERS}}},
	{{"limpet_serve_senders_heard", "", MT_GAUGE,
	  "Senders that were heard in the last minute."},
	 "",
	 {{"", ~SENDERS_HEARD}}},
};

static const struct mt_family answers = {"limpet_serve_requests", "", MT_COUNTER,
					 "Requests of senders, by the status of the answer."};

static void put_answers(const struct ingest *i, struct metrics_text *t)
{
	char status[16];
	const char *labels[1][2] = {{"status", status}};
	int at = 0;

	mt_family(t, &answers);
	do {
		snprintf(status, sizeof(status), "%d", listener_statuses[at]);
		if (!listener_statuses[at])
			snprintf(status, sizeof(status), "other");
		mt_labels(t, "limpet_serve_requests_total", labels, 1);
		mt_u64(t, listener_counted(ingest_listener(i),
					   (enum listener_count)(COUNT_ANSWERS + at)));
	} while (listener_statuses[at++]);
}

void ingest_metrics(const struct ingest *i, struct metrics_text *t)
{
	for (size_t k = 0; k < sizeof(families) / sizeof(*families); k++) {
		const struct mt_family *f = &families[k].f;
		char name[64];

		mt_family(t, f);
		snprintf(name, sizeof(name), "%s%s", f->name, mt_suffix(f->type));
		for (int s = 0; s < SAMPLES && families[k].samples[s].value; s++) {
			const char *labels[1][2] = {
				{families[k].label, families[k].samples[s].value}};
			int what = families[k].samples[s].what;

			mt_labels(t, name, labels, *families[k].label ? 1 : 0);
			mt_u64(t, what < 0 ? ingest_counted(i, (enum ingest_count) ~what)
					   : listener_counted(ingest_listener(i),
							      (enum listener_count)what));
		}
	}
	put_answers(i, t);
}

static void family_dump(const struct mt_family *f, const char *label)
{
	printf("| `%s%s` | %s | %s | %s |\n", f->name, mt_suffix(f->type),
	       f->type == MT_COUNTER ? "counter" : "gauge", label, f->help);
}

void ingest_metrics_dump(void)
{
	for (size_t k = 0; k < sizeof(families) / sizeof(*families); k++)
		family_dump(&families[k].f, families[k].label);
	family_dump(&answers, "status");
}
