// SPDX-License-Identifier: BSD-2-Clause
/* serve_metrics.h: a row a number. */
#include "serve_metrics.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t resident_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long long pages = 0;

	if (f && fscanf(f, "%*u %llu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double processor_seconds(void)
{
	struct rusage r;

	return getrusage(RUSAGE_SELF, &r) ? 0 : seconds_of(r.ru_utime) + seconds_of(r.ru_stime);
}

enum {
	REBUILDING,
	HELD,
	EXPECTED,
	WAITING,
	KEPT,
	KEPT_BYTES,
	UNKEPT,
	PARTS,
	ALERTED,
	UNALERTED,
	PAIR_ALL,
	PAIR_ANSWER,
	PAIR_AGREE,
	RESIDENT,
	PROCESSOR,
	SERVE_FAMILIES
};

static const struct mt_family families[SERVE_FAMILIES] = {
	[REBUILDING] = {"limpet_serve_rebuilding", "", MT_GAUGE,
			"Whether it has just started, and cannot judge yet."},
	[HELD] = {"limpet_serve_arrived_senders", "", MT_GAUGE,
		  "Of the senders that it waits for after a start, those that have come to the "
		  "present."},
	[EXPECTED] = {"limpet_serve_expected_senders", "", MT_GAUGE,
		      "Senders that it waits for after a start."},
	[WAITING] = {"limpet_serve_waiting_bytes", "bytes", MT_GAUGE,
		     "Frames that are not judged yet."},
	[KEPT] = {"limpet_serve_kept_parts", "", MT_COUNTER,
		  "Parts of recordings that were written."},
	[KEPT_BYTES] = {"limpet_serve_kept_bytes", "bytes", MT_COUNTER, "Their size."},
	[UNKEPT] = {"limpet_serve_unkept_parts", "", MT_COUNTER,
		    "Parts that could not be written; senders send them again."},
	[PARTS] = {"limpet_serve_waiting_parts", "", MT_GAUGE, "Parts that wait for the disk."},
	[ALERTED] = {"limpet_alertmanager_told", "", MT_COUNTER,
		     "Requests that an Alertmanager took."},
	[UNALERTED] = {"limpet_alertmanager_failed", "", MT_COUNTER,
		       "Requests that none answered, or that it refused."},
	[PAIR_ALL] = {"limpet_pair_receivers", "", MT_GAUGE,
		      "Other receivers of the same senders, which are asked what they say."},
	[PAIR_ANSWER] = {"limpet_pair_answering", "", MT_GAUGE, "Of them, those that answer."},
	[PAIR_AGREE] = {"limpet_pair_agreeing", "", MT_GAUGE,
			"Of them, those that say the same of which servers limp."},
	[RESIDENT] = {"limpet_serve_resident_memory_bytes", "bytes", MT_GAUGE,
		      "Memory of the service."},
	[PROCESSOR] = {"limpet_serve_processor_seconds", "seconds", MT_COUNTER,
		       "Processor time of the service."},
};

void serve_metrics(const struct serve_parts *p, struct metrics_text *t)
{
	struct keeper_counts kept;
	struct relay_counts relayed;

	keeper_counts(p->keeper, &kept);
	relay_counts(p->relay, &relayed);

	const double values[SERVE_FAMILIES] = {
		[REBUILDING] = !p->judging,
		[HELD] = (double)relayed.senders,
		[EXPECTED] = (double)relayed.expected,
		[WAITING] = (double)relayed.waiting,
		[KEPT] = (double)kept.parts,
		[KEPT_BYTES] = (double)kept.bytes,
		[UNKEPT] = (double)kept.failed,
		[PARTS] = (double)kept.waiting,
		[ALERTED] = (double)p->alerted.told,
		[UNALERTED] = (double)p->alerted.failed,
		[PAIR_ALL] = (double)p->pair.all,
		[PAIR_ANSWER] = (double)p->pair.answer,
		[PAIR_AGREE] = (double)p->pair.agree,
		[RESIDENT] = (double)resident_bytes(),
		[PROCESSOR] = processor_seconds(),
	};

	for (size_t i = 0; i < SERVE_FAMILIES; i++) {
		const struct mt_family *f = &families[i];

		mt_family(t, f);
		mt_sample(t, f->name, mt_suffix(f->type), "", "");
		mt_double(t, values[i], 15);
	}
	ingest_metrics(p->ingest, t);
}

void serve_metrics_dump(void)
{
	printf("\n## limpet serve\n\n| metric | type | labels | meaning |\n|---|---|---|---|\n");
	for (size_t i = 0; i < SERVE_FAMILIES; i++)
		printf("| `%s%s` | %s |  | %s |\n", families[i].name, mt_suffix(families[i].type),
		       families[i].type == MT_COUNTER ? "counter" : "gauge", families[i].help);
	ingest_metrics_dump();
}
