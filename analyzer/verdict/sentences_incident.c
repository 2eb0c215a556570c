// SPDX-License-Identifier: BSD-2-Clause
/* sentences.h: of what is wrong with a server: details, doubts, how sure and when. */
#include "sentences_parts.h"

#include <math.h>
#include <string.h>

#include "userspace/common/output.h"

/* ---- details ------------------------------------------------------------------------------------------------- */

static void put_foreign_io(char *buf, const struct detail *d)
{
	const char *verb = d->direction == DIRECTION_READ    ? "read"
			   : d->direction == DIRECTION_WRITE ? "write"
							     : "read and write";

	sentence_add(buf, "%s: others %s %.1f MiB/s of %.1f", d->disk, verb, d->kb_s / 1024,
		     d->of_kb_s / 1024);
}

/* What goes out was read, what comes in is written, as the papers call it. */
static void put_traffic(char *buf, const struct detail *d)
{
	if (d->direction == DIRECTION_BOTH)
		sentence_add(buf, "read and write: %.1f MiB/s received, and as much sent,",
			     d->kb_s / 1024);
	else if (d->direction == DIRECTION_RECEIVE)
		sentence_add(buf, "write: %.1f MiB/s received", d->kb_s / 1024);
	else
		sentence_add(buf, "read: %.1f MiB/s sent", d->kb_s / 1024);
	sentence_add(buf, " outside the file system");
	if (!d->host_known)
		sentence_add(buf, "; the other host is not recorded");
}

static void put_loss(char *buf, const struct detail *d)
{
	const char *way = d->direction == DIRECTION_BOTH   ? "with"
			  : d->direction == DIRECTION_SEND ? "to"
							   : "from";

	sentence_add(buf, "%s",
		     d->direction == DIRECTION_BOTH   ? "both directions"
		     : d->direction == DIRECTION_SEND ? "send side"
						      : "receive side");
	if (d->hosts)
		sentence_add(buf, ", %s %zu of %zu host%s that carr%s data", way, d->lossy,
			     d->hosts, sentence_s(d->hosts), d->hosts == 1 ? "ies" : "y");
}

static void put_memory(char *buf, const struct detail *d)
{
	sentence_add(buf, "%s",
		     d->signal == SIG_SWAP	  ? "swapping"
		     : d->signal == SIG_MEM_STALL ? "tasks that want memory reclaim it themselves"
						  : "tasks wait for memory");
	if (isfinite(d->available_kb))
		sentence_add(buf, ", %.0f MiB available", d->available_kb / 1024);
}

/* in: whose other disks have the same; NULL: the first is enough. */
static void put_signal(char *buf, const struct verdict *a, const struct detail *d,
		       const struct incident *in)
{
	sentence_add(buf, "%s", verdict_signal(a, d->signal)->name);
	if (*d->given)
		sentence_add(buf, " given %s", d->given);
	if (*d->disk)
		sentence_add(buf, " of %s", d->disk);
	for (size_t i = 0; in && *d->disk && i < in->n_findings; i++) {
		const struct finding *e = &in->findings[i];

		if (*e->disk && !e->symptom && e->signal == d->signal &&
		    strcmp(e->disk, d->disk) != 0)
			sentence_add(buf, ", %s", e->disk);
	}
}

static void put_state(char *buf, const struct verdict *a, const struct detail *d)
{
	const struct verdict_signal *s = verdict_signal(a, d->signal);

	if (!*s->unit && !s->inverse)
		sentence_add(buf, "%zu %s of %zu", d->of_attempts, s->name, d->attempts);
	else
		sentence_add(buf, "%s %.1f times %s its peers'", s->name, d->ratio,
			     s->inverse ? "less than" : "that of");
	if (*d->error)
		sentence_add(buf, ", most often \"%s\"", d->error);
	if (*d->job)
		sentence_add(buf, ", in %s", d->job);
	if (d->share >= 0.005)
		sentence_add(buf, ", which waited for it %.0f %% of its time", 100 * d->share);
}

static void put_threads(char *buf, const struct detail *d)
{
	sentence_add(buf, "threads of its server %s, %.0f %% of the time they are not idle",
		     d->signal == SIG_WAIT_LOCK ? "wait for a lock" : "compute", d->waits);
	if (isfinite(d->of_waits))
		sentence_add(buf, "; its peers' %.0f %%", d->of_waits);
}

void sentence_add_detail(char *buf, const struct verdict *a, const struct detail *d,
			 const struct incident *in)
{
	const char *ops = d->direction == DIRECTION_WRITE ? "writes" : "reads";

	switch (d->kind) {
	case DETAIL_NONE: break;
	case DETAIL_FOREIGN_IO: put_foreign_io(buf, d); break;
	case DETAIL_LATENCY:
		sentence_add(buf, "%s, %s %.1f times its peers'", d->disk, ops, d->ratio);
		break;
	case DETAIL_QUEUE: sentence_add(buf, "%s, %s wait above the device", d->disk, ops); break;
	case DETAIL_TRAFFIC: put_traffic(buf, d); break;
	case DETAIL_LOSS: put_loss(buf, d); break;
	case DETAIL_PROCESSORS:
		sentence_add(buf, "processors%s",
			     d->own ? ", by a process of the file system itself" : "");
		break;
	case DETAIL_MEMORY: put_memory(buf, d); break;
	case DETAIL_WORK:
		sentence_add(buf, "%.0f kB/s of work, where its peers do %.0f%s", d->kb_s,
			     d->of_kb_s, d->stuck ? ", and requests that never complete" : "");
		break;
	case DETAIL_UNREAD:
		sentence_add(buf, "%.1f connections with data that no process reads",
			     d->connections);
		break;
	case DETAIL_THREADS: put_threads(buf, d); break;
	case DETAIL_SIGNAL: put_signal(buf, a, d, in); break;
	case DETAIL_STATE: put_state(buf, a, d); break;
	}
}

const char *sentence_detail(const struct verdict *a, const struct incident *in,
			    char buf[SENTENCE_LEN])
{
	*buf = 0;
	sentence_add_detail(buf, a, &in->detail, in);
	return buf;
}

const char *sentence_impact(const struct verdict *a, const struct incident *in,
			    char buf[SENTENCE_LEN])
{
	*buf = 0;
	if (in->impact.kind == IMPACT_NONE)
		sentence_add(buf, "their logs show none that takes longer there");
	else if (in->impact.kind == IMPACT_JOBS)
		sentence_add_detail(buf, a, &in->impact.detail, in);
	return buf;
}

/* ---- guesses and doubts -------------------------------------------------------------------------------------- */

const char *sentence_guess(const struct guess *g, char buf[SENTENCE_LEN])
{
	static const char *const text[GUESSES] = {
		[GUESS_DEVICE_BUSY] = "the device is busy elsewhere: requests of all sizes wait "
				      "about as much longer",
		[GUESS_DEVICE_SLOW] =
			"the device is failing or throttled: it is slower for every byte",
		[GUESS_DEVICE_TAIL] = "the device is failing: a few requests take very much "
				      "longer than the rest",
		[GUESS_NOT_MACHINE] = "its disks, network and processors are as its peers': its "
				      "configuration, its JVM, or a bug",
		[GUESS_GUESTS] = "other guests of the same machine take its processors",
	};

	*buf = 0;
	if (g->kind == GUESS_PROCESS)
		sentence_add(buf, "process %s sends or receives it: it began at the same time",
			     g->process);
	else if (text[g->kind])
		sentence_add(buf, "%s", text[g->kind]);
	return buf;
}

static void put_doubt(char *buf, const struct doubt *d)
{
	switch (d->kind) {
	case DOUBT_FEW_PEERS:
		sentence_add(buf, "only %.0f peer%s to compare with", d->n,
			     sentence_s((size_t)d->n));
		break;
	case DOUBT_SHORT: sentence_add(buf, "only %.0f s of data", d->n); break;
	case DOUBT_STOLEN:
		sentence_add(buf, "other guests have its processors %.0f %% of the time", d->n);
		break;
	case DOUBT_HELD: sentence_add(buf, "since then too few events to judge"); break;
	case DOUBT_FEW_REQUESTS:
		sentence_add(buf,
			     "too few requests of the file system's own to judge their latency");
		break;
	case DOUBT_DEVICE_UNKNOWN:
		sentence_add(buf, "the device's part of the latency is not measured");
		break;
	case DOUBT_ONE_HOST:
		sentence_add(buf, "only one host carries data: the loss may be at %s", d->host);
		break;
	case DOUBT_CONNECTIONS:
		sentence_add(buf, "connections are not told apart: the loss may be a client's");
		break;
	case DOUBT_PROCESSORS:
		sentence_add(buf, "its processors are no busier than its peers'");
		break;
	}
}

const char *sentence_doubts(const struct incident *in, char buf[SENTENCE_LEN])
{
	*buf = 0;
	for (size_t i = 0; i < in->n_doubts; i++) {
		sentence_add(buf, "%s", i ? "; " : "");
		put_doubt(buf, &in->doubts[i]);
	}
	return buf;
}

/* ---- how sure, and when -------------------------------------------------------------------------------------- */

static void put_suspicion(char *buf, const struct incident *in)
{
	const struct finding *e = in->n_findings ? in->findings : NULL;
	bool tested = e && e->needs > 0;

	switch (verdict_suspicion(in)) {
	case SUSPICION_DATA:
		sentence_add(buf, "too little data");
		if (tested)
			sentence_add(buf, " yet: the score is %.1f, and %.1f is needed", e->score,
				     e->needs);
		break;
	case SUSPICION_PEERS:
		sentence_add(buf, "too few peers for a difference so small");
		if (e && e->n_peers)
			sentence_add(buf, ": %u", e->n_peers);
		break;
	case SUSPICION_EFFECT:
		sentence_add(buf, "it is sure, but too small a difference to be a fault");
		if (tested)
			sentence_add(buf, ": it may be only %.2f times", e->lower);
		break;
	case SUSPICION_BRIEF: sentence_add(buf, "too little data yet to know that it lasts"); break;
	case SUSPICION_NONE:
	case SUSPICIONS: break;
	}
}

/* Nobody is certain: 99 at most. */
const char *sentence_confidence(const struct incident *in, char buf[SENTENCE_LEN])
{
	*buf = 0;
	if (isfinite(in->confidence))
		sentence_add(buf, "%.0f %% sure", fmin(99, 100 * in->confidence));
	return buf;
}

const char *sentence_times(const struct incident *in, char buf[SENTENCE_LEN])
{
	char t[TIME_TEXT_LEN];

	*buf = 0;
	if (in->times < 2)
		return buf;
	sentence_add(buf, "%s: %zu times since %s", in->open ? "comes and goes" : "came and went",
		     in->times, output_time(in->onset_ns, t));
	if (in->duty > 0)
		sentence_add(buf, ", %.0f %% of the time", fmax(1, 100 * in->duty));
	return buf;
}

const char *sentence_suspicion(const struct incident *in, char buf[SENTENCE_LEN])
{
	*buf = 0;
	put_suspicion(buf, in);
	return buf;
}
