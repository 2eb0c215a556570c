// SPDX-License-Identifier: BSD-2-Clause
/* sentences.h: of what is wrong with a server: details, doubts, how sure and when. */

#include "sentences.h"

#include <math.h>
#include <string.h>

#include "userspace/common/output.h"

/* ---- details ------------------------------------------------------------------------------------------------- */

static void put_foreign_io(struct text *t, const struct detail *d)
{
	const char *verb = d->direction == DIRECTION_READ    ? "read"
			   : d->direction == DIRECTION_WRITE ? "write"
							     : "read and write";

	text_add(t, "%s: other programs %s %.1f of %.1f MiB/s", d->disk, verb, d->kb_s / 1024,
		 d->of_kb_s / 1024);
}

/* What goes out was read, what comes in is written, as the papers call it. */
static void put_traffic(struct text *t, const struct detail *d)
{
	if (d->direction == DIRECTION_BOTH)
		text_add(t, "read and write: %.1f MiB/s received, and as much sent,",
			 d->kb_s / 1024);
	else if (d->direction == DIRECTION_RECEIVE)
		text_add(t, "write: %.1f MiB/s received", d->kb_s / 1024);
	else
		text_add(t, "read: %.1f MiB/s sent", d->kb_s / 1024);
	text_put(t, " outside the file system");
	if (!d->host_known)
		text_put(t, "; the other host is not recorded");
}

static void put_loss(struct text *t, const struct detail *d)
{
	const char *way = d->direction == DIRECTION_BOTH   ? "with"
			  : d->direction == DIRECTION_SEND ? "to"
							   : "from";

	text_put(t, d->direction == DIRECTION_BOTH   ? "both directions"
		    : d->direction == DIRECTION_SEND ? "send side"
						     : "receive side");
	if (d->hosts)
		text_add(t, ", %s %zu of %zu host%s that carr%s data", way, d->lossy, d->hosts,
			 text_plural(d->hosts), d->hosts == 1 ? "ies" : "y");
}

static void put_memory(struct text *t, const struct detail *d)
{
	text_put(t, d->signal == SIG_SWAP	 ? "swapping"
		    : d->signal == SIG_MEM_STALL ? "tasks that want memory reclaim it themselves"
						 : "tasks wait for memory");
	if (isfinite(d->available_kb))
		text_add(t, ", %.0f MiB available", d->available_kb / 1024);
}

/* in: whose other disks have the same; NULL: the first is enough. */
static void put_signal(struct text *t, const struct verdict *a, const struct detail *d,
		       const struct incident *in)
{
	size_t all = in ? verdict_all_parts(a, in) : 0;

	text_put(t, verdict_signal(a, d->signal)->name);
	if (*d->given)
		text_add(t, " given %s", d->given);
	if (all) {
		text_add(t, " of all %zu of its %s", all,
			 verdict_signal(a, d->signal)->resource == RESOURCE_DISK ? "disks"
										 : "parts");
		return;
	}
	if (*d->disk)
		text_add(t, " of %s", d->disk);
	for (size_t i = 0; in && *d->disk && i < in->n_findings; i++) {
		const struct finding *e = &in->findings[i];

		if (*e->disk && !e->symptom && e->signal == d->signal &&
		    strcmp(e->disk, d->disk) != 0)
			text_add(t, ", %s", e->disk);
	}
}

static void put_state(struct text *t, const struct verdict *a, const struct detail *d)
{
	const struct verdict_signal *s = verdict_signal(a, d->signal);

	if (!*s->unit && !s->inverse)
		text_add(t, "%s, %zu of %zu", s->name, d->of_attempts, d->attempts);
	else
		text_add(t, "%s %.1f times %s its peers'", s->name, d->ratio,
			 s->inverse ? "less than" : "that of");
	if (*d->error)
		text_add(t, ", most often \"%s\"", d->error);
	if (*d->job)
		text_add(t, ", in %s", d->job);
	if (d->share >= 0.005)
		text_add(t, ", which waited for it %.0f %% of its time", 100 * d->share);
}

static void put_threads(struct text *t, const struct detail *d)
{
	text_add(t, "threads of its server %s, %.0f %% of the time they are not idle",
		 d->signal == SIG_WAIT_LOCK ? "wait for a lock" : "compute", d->waits);
	if (isfinite(d->of_waits))
		text_add(t, "; its peers' %.0f %%", d->of_waits);
}

const char *sentence_detail(struct text *t, const struct verdict *a, const struct detail *d,
			    const struct incident *in)
{
	size_t from = t->len;
	const char *ops = d->direction == DIRECTION_WRITE ? "writes" : "reads";

	switch (d->kind) {
	case DETAIL_NONE: break;
	case DETAIL_FOREIGN_IO: put_foreign_io(t, d); break;
	case DETAIL_LATENCY:
		text_add(t, "%s, %s %.1f times its peers'", d->disk, ops, d->ratio);
		break;
	case DETAIL_QUEUE: text_add(t, "%s, %s wait above the device", d->disk, ops); break;
	case DETAIL_TRAFFIC: put_traffic(t, d); break;
	case DETAIL_LOSS: put_loss(t, d); break;
	case DETAIL_PROCESSORS:
		text_add(t, "processors%s",
			 d->own ? ", by a process of the file system itself" : "");
		break;
	case DETAIL_MEMORY: put_memory(t, d); break;
	case DETAIL_WORK:
		text_add(t, "%.0f kB/s of work, where its peers do %.0f%s", d->kb_s, d->of_kb_s,
			 d->stuck ? ", and requests that never complete" : "");
		break;
	case DETAIL_UNREAD:
		text_add(t, "%.1f connections with data that no process reads", d->connections);
		break;
	case DETAIL_THREADS: put_threads(t, d); break;
	case DETAIL_SIGNAL: put_signal(t, a, d, in); break;
	case DETAIL_STATE: put_state(t, a, d); break;
	}
	return text_from(t, from);
}

const char *sentence_impact(struct text *t, const struct verdict *a, const struct incident *in)
{
	size_t from = t->len;

	if (in->impact.kind == IMPACT_NONE)
		text_put(t, "their logs show none that takes longer there");
	else if (in->impact.kind == IMPACT_JOBS)
		sentence_detail(t, a, &in->impact.detail, in);
	return text_from(t, from);
}

/* ---- guesses and doubts -------------------------------------------------------------------------------------- */

const char *sentence_guess(struct text *t, const struct guess *g)
{
	size_t from = t->len;
	static const char *const text[GUESSES] = {
		[GUESS_DEVICE_BUSY] = "the device is busy elsewhere: requests of all sizes wait "
				      "about as much longer",
		[GUESS_DEVICE_SLOW] =
			"the device is failing or throttled: it is slower for every byte",
		[GUESS_DEVICE_TAIL] =
			"the device is failing: a few requests take very much longer than the rest",
		[GUESS_NOT_MACHINE] = "its disks, network and processors are as its peers': its "
				      "configuration, its JVM, or a bug",
		[GUESS_UNITS] = "a mix-up of units? From the first value on they are about a "
				"thousand (or a million) times its peers', and as steady",
		[GUESS_GUESTS] = "other guests of the same machine take its processors",
	};

	if (g->kind == GUESS_PROCESS)
		text_add(t, "process %s sends or receives it: it began at the same time",
			 g->process);
	else if (text[g->kind])
		text_put(t, text[g->kind]);
	return text_from(t, from);
}

static void put_doubt(struct text *t, const struct doubt *d)
{
	switch (d->kind) {
	case DOUBT_FEW_PEERS:
		text_add(t, "only %.0f peer%s to compare with", d->n, text_plural((size_t)d->n));
		break;
	case DOUBT_SHORT: text_add(t, "only %.0f s of data", d->n); break;
	case DOUBT_STOLEN:
		text_add(t, "other guests have its processors %.0f %% of the time", d->n);
		break;
	case DOUBT_HELD: text_put(t, "since then too few events to judge"); break;
	case DOUBT_FEW_REQUESTS:
		text_put(t, "too few requests of the file system's own to judge their latency");
		break;
	case DOUBT_DEVICE_UNKNOWN:
		text_put(t, "the device's part of the latency is not measured");
		break;
	case DOUBT_ONE_HOST:
		text_add(t, "only one host carries data: the loss may be at %s", d->host);
		break;
	case DOUBT_CONNECTIONS:
		text_put(t, "connections are not told apart: the loss may be a client's");
		break;
	case DOUBT_PROCESSORS: text_put(t, "its processors are no busier than its peers'"); break;
	}
}

const char *sentence_doubts(struct text *t, const struct incident *in)
{
	size_t from = t->len;

	for (size_t i = 0; i < in->n_doubts; i++) {
		text_put(t, i ? "; " : "");
		put_doubt(t, &in->doubts[i]);
	}
	return text_from(t, from);
}

/* ---- how sure, and when -------------------------------------------------------------------------------------- */

const char *sentence_suspicion(struct text *t, const struct incident *in)
{
	const struct finding *e = in->n_findings ? in->findings : NULL;
	bool tested = e && e->needs > 0;
	size_t from = t->len;

	switch (verdict_suspicion(in)) {
	case SUSPICION_DATA:
		text_put(t, "too little data");
		if (tested)
			text_add(t, " yet: evidence %.1f, %.1f needed", e->score, e->needs);
		break;
	case SUSPICION_PEERS:
		text_put(t, "too few peers for a difference so small");
		if (e && e->n_peers)
			text_add(t, ": %u", e->n_peers);
		break;
	case SUSPICION_EFFECT:
		text_put(t, "it is sure, but too small a difference to be a fault");
		if (tested)
			text_add(t, ": it may be only %.2f times", e->lower);
		break;
	case SUSPICION_BRIEF: text_put(t, "too little data yet to know that it lasts"); break;
	case SUSPICION_LONE:
		text_put(t, "single long durations among short ones decide it: it hangs now and "
			    "then, or waits for another server");
		break;
	case SUSPICION_LOAD:
		text_put(t, "no peer is as lightly loaded, so its values cannot be compared at "
			    "equal load: it is slow, or each of its requests is more work");
		break;
	case SUSPICION_QUEUE:
		text_put(t, "requests queue at its disk, which works hardly longer on each than "
			    "its peers' disks do: where all servers wait for each other, the "
			    "slowest of healthy disks has the queue");
		break;
	case SUSPICION_NONE:
	case SUSPICIONS: break;
	}
	return text_from(t, from);
}

/* Nobody is certain: 99 at most. */
const char *sentence_confidence(struct text *t, const struct incident *in)
{
	size_t from = t->len;

	if (isfinite(in->confidence))
		text_add(t, "%.0f %% sure", fmin(99, 100 * in->confidence));
	return text_from(t, from);
}

const char *sentence_times(struct text *t, const struct incident *in)
{
	size_t from = t->len;
	char since[TIME_TEXT_LEN];

	if (in->times < 2)
		return text_from(t, from);
	text_add(t, "%s: %zu times since %s", in->open ? "comes and goes" : "came and went",
		 in->times, output_time(in->onset_ns, since));
	if (in->duty > 0)
		text_add(t, ", %.0f %% of the time", fmax(1, 100 * in->duty));
	return text_from(t, from);
}
