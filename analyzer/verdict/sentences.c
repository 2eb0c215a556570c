// SPDX-License-Identifier: BSD-2-Clause
/* sentences.h: the only place where kinds and fields become text. */
#include "sentences.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "userspace/common/output.h"

/* Adds to what stands in buf. */
static void __attribute__((format(printf, 2, 3))) put(char buf[SENTENCE_LEN], const char *fmt, ...)
{
	size_t len = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf + len, SENTENCE_LEN - len, fmt, ap);
	va_end(ap);
}

static const char *s_of(size_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- details ------------------------------------------------------------------------------------------- */

static void put_foreign_io(char *buf, const struct detail *d)
{
	const char *verb = d->direction == DIRECTION_READ    ? "read"
			   : d->direction == DIRECTION_WRITE ? "write"
							     : "read and write";

	put(buf, "%s: others %s %.1f MiB/s of %.1f", d->disk, verb, d->kb_s / 1024,
	    d->of_kb_s / 1024);
}

/* What goes out was read, what comes in is written, as the papers call it. */
static void put_traffic(char *buf, const struct detail *d)
{
	if (d->direction == DIRECTION_BOTH)
		put(buf, "read and write: %.1f MiB/s received, and as much sent,", d->kb_s / 1024);
	else if (d->direction == DIRECTION_RECEIVE)
		put(buf, "write: %.1f MiB/s received", d->kb_s / 1024);
	else
		put(buf, "read: %.1f MiB/s sent", d->kb_s / 1024);
	put(buf, " outside the file system");
	if (!d->host_known)
		put(buf, "; the other host is not recorded");
}

static void put_loss(char *buf, const struct detail *d)
{
	const char *way = d->direction == DIRECTION_BOTH   ? "with"
			  : d->direction == DIRECTION_SEND ? "to"
							   : "from";

	put(buf, "%s",
	    d->direction == DIRECTION_BOTH   ? "both directions"
	    : d->direction == DIRECTION_SEND ? "send side"
					     : "receive side");
	if (d->hosts)
		put(buf, ", %s %zu of %zu host%s that carr%s data", way, d->lossy, d->hosts,
		    s_of(d->hosts), d->hosts == 1 ? "ies" : "y");
}

static void put_memory(char *buf, const struct detail *d)
{
	put(buf, "%s",
	    d->signal == SIG_SWAP	 ? "swapping"
	    : d->signal == SIG_MEM_STALL ? "tasks that want memory reclaim it themselves"
					 : "tasks wait for memory");
	if (isfinite(d->available_kb))
		put(buf, ", %.0f MiB available", d->available_kb / 1024);
}

/* in: whose other disks have the same; NULL: the first is enough. */
static void put_signal(char *buf, const struct verdict *a, const struct detail *d,
		       const struct incident *in)
{
	put(buf, "%s", verdict_signal(a, d->signal)->name);
	if (*d->given)
		put(buf, " given %s", d->given);
	if (*d->disk)
		put(buf, " of %s", d->disk);
	for (size_t i = 0; in && *d->disk && i < in->n_findings; i++) {
		const struct finding *e = &in->findings[i];

		if (*e->disk && !e->symptom && e->signal == d->signal &&
		    strcmp(e->disk, d->disk) != 0)
			put(buf, ", %s", e->disk);
	}
}

static void put_state(char *buf, const struct verdict *a, const struct detail *d)
{
	const struct verdict_signal *s = verdict_signal(a, d->signal);

	if (!*s->unit && !s->inverse)
		put(buf, "%zu %s of %zu", d->of_attempts, s->name, d->attempts);
	else
		put(buf, "%s %.1f times %s its peers'", s->name, d->ratio,
		    s->inverse ? "less than" : "that of");
	if (*d->job)
		put(buf, ", in %s", d->job);
	if (d->share >= 0.005)
		put(buf, ", which waited for it %.0f %% of its time", 100 * d->share);
}

static void put_threads(char *buf, const struct detail *d)
{
	put(buf, "threads of its server %s, %.0f %% of the time they are not idle",
	    d->signal == SIG_WAIT_LOCK ? "wait for a lock" : "compute", d->waits);
	if (isfinite(d->of_waits))
		put(buf, "; its peers' %.0f %%", d->of_waits);
}

static void put_detail(char *buf, const struct verdict *a, const struct detail *d,
		       const struct incident *in)
{
	const char *ops = d->direction == DIRECTION_WRITE ? "writes" : "reads";

	switch (d->kind) {
	case DETAIL_NONE: break;
	case DETAIL_FOREIGN_IO: put_foreign_io(buf, d); break;
	case DETAIL_LATENCY:
		put(buf, "%s, %s %.1f times its peers'", d->disk, ops, d->ratio);
		break;
	case DETAIL_QUEUE: put(buf, "%s, %s wait above the device", d->disk, ops); break;
	case DETAIL_TRAFFIC: put_traffic(buf, d); break;
	case DETAIL_LOSS: put_loss(buf, d); break;
	case DETAIL_PROCESSORS:
		put(buf, "processors%s", d->own ? ", by a process of the file system itself" : "");
		break;
	case DETAIL_MEMORY: put_memory(buf, d); break;
	case DETAIL_WORK:
		put(buf, "%.0f kB/s of work, where its peers do %.0f%s", d->kb_s, d->of_kb_s,
		    d->stuck ? ", and requests that never complete" : "");
		break;
	case DETAIL_UNREAD:
		put(buf, "%.1f connections with data that no process reads", d->connections);
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
	put_detail(buf, a, &in->detail, in);
	return buf;
}

const char *sentence_impact(const struct verdict *a, const struct incident *in,
			    char buf[SENTENCE_LEN])
{
	*buf = 0;
	if (in->impact.kind == IMPACT_NONE)
		put(buf, "their logs show none that takes longer there");
	else if (in->impact.kind == IMPACT_JOBS)
		put_detail(buf, a, &in->impact.detail, in);
	return buf;
}

/* ---- guesses and doubts --------------------------------------------------------------------------------- */

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
		put(buf, "process %s sends or receives it: it began at the same time", g->process);
	else if (text[g->kind])
		put(buf, "%s", text[g->kind]);
	return buf;
}

static void put_doubt(char *buf, const struct doubt *d)
{
	switch (d->kind) {
	case DOUBT_FEW_PEERS:
		put(buf, "only %.0f peer%s to compare with", d->n, s_of((size_t)d->n));
		break;
	case DOUBT_SHORT: put(buf, "only %.0f s of data", d->n); break;
	case DOUBT_STOLEN:
		put(buf, "other guests have its processors %.0f %% of the time", d->n);
		break;
	case DOUBT_HELD: put(buf, "since then too few events to judge"); break;
	case DOUBT_FEW_REQUESTS:
		put(buf, "too few requests of the file system's own to judge their latency");
		break;
	case DOUBT_DEVICE_UNKNOWN:
		put(buf, "the device's part of the latency is not measured");
		break;
	case DOUBT_ONE_HOST:
		put(buf, "only one host carries data: the loss may be at %s", d->host);
		break;
	case DOUBT_CONNECTIONS:
		put(buf, "connections are not told apart: the loss may be a client's");
		break;
	case DOUBT_PROCESSORS: put(buf, "its processors are no busier than its peers'"); break;
	}
}

const char *sentence_doubts(const struct incident *in, char buf[SENTENCE_LEN])
{
	*buf = 0;
	for (size_t i = 0; i < in->n_doubts; i++) {
		put(buf, "%s", i ? "; " : "");
		put_doubt(buf, &in->doubts[i]);
	}
	return buf;
}

/* ---- what is known of a server ----------------------------------------------------------------------------- */

static void put_suspicion(char *buf, const struct incident *in)
{
	const struct finding *e = in->n_findings ? in->findings : NULL;
	bool tested = e && e->needs > 0;

	switch (verdict_suspicion(in)) {
	case SUSPICION_DATA:
		put(buf, "too little data");
		if (tested)
			put(buf, " yet: the score is %.1f, and %.1f is needed", e->score, e->needs);
		break;
	case SUSPICION_PEERS:
		put(buf, "too few peers for a difference so small");
		if (e && e->n_peers)
			put(buf, ": %u", e->n_peers);
		break;
	case SUSPICION_EFFECT:
		put(buf, "it is sure, but too small a difference to be a fault");
		if (tested)
			put(buf, ": it may be only %.2f times", e->lower);
		break;
	case SUSPICION_NONE:
	case SUSPICIONS: break;
	}
}

/* Nobody is certain: 99 at most. */
const char *sentence_confidence(const struct incident *in, char buf[SENTENCE_LEN])
{
	*buf = 0;
	if (isfinite(in->confidence))
		put(buf, "%.0f %% sure", fmin(99, 100 * in->confidence));
	return buf;
}

const char *sentence_times(const struct incident *in, char buf[SENTENCE_LEN])
{
	char t[TIME_TEXT_LEN];

	*buf = 0;
	if (in->times < 2)
		return buf;
	put(buf, "%s: %zu times since %s", in->open ? "comes and goes" : "came and went", in->times,
	    output_time(in->onset_ns, t));
	if (in->duty > 0)
		put(buf, ", %.0f %% of the time", fmax(1, 100 * in->duty));
	return buf;
}

const char *sentence_suspicion(const struct incident *in, char buf[SENTENCE_LEN])
{
	*buf = 0;
	put_suspicion(buf, in);
	return buf;
}

const char *sentence_status(const struct verdict *a, size_t node, bool now, char buf[SENTENCE_LEN])
{
	const struct incident *in = verdict_against(a, node, now);
	const struct unjudged *u;

	*buf = 0;
	if (in && in->suspicious)
		return sentence_suspicion(in, buf);
	if (in || verdict_status(a, node, now) == STATUS_WELL)
		return buf;
	u = verdict_why_unjudged(a, node);
	if (u)
		return sentence_unjudged(u, buf);
	return sentence_cannot(&a->cannot, buf);
}

static size_t put_count(char *buf, const struct status_counts *n, enum status s, size_t before)
{
	if (n->of[s])
		put(buf, "%s%zu %s", before ? ", " : "", n->of[s],
		    n->of[s] == 1 ? status_table[s].one : status_table[s].all);
	return n->of[s];
}

const char *sentence_statuses(const struct verdict *a, bool now, char buf[SENTENCE_LEN])
{
	struct status_counts n = verdict_statuses(a, now);
	size_t told = 0;

	*buf = 0;
	for (size_t s = STATUSES; s-- > 0;)
		if (s != STATUS_UNJUDGED)
			told += put_count(buf, &n, (enum status)s, told);
	put_count(buf, &n, STATUS_UNJUDGED, told);
	return buf;
}

const char *sentence_not_judged(const struct verdict *a, char buf[SENTENCE_LEN])
{
	enum { NAMED = 3 };
	char why[SENTENCE_LEN];
	size_t n = 0;

	*buf = 0;
	for (size_t i = 0; i < a->n_nodes; i++) {
		if (verdict_status(a, i, true) != STATUS_UNJUDGED || n++ >= NAMED)
			continue;
		put(buf, "%s%s (%s)", n > 1 ? ", " : "", a->nodes[i],
		    sentence_status(a, i, true, why));
	}
	if (n > NAMED)
		put(buf, ", and %zu more", n - NAMED);
	return buf;
}

const char *sentence_nobody(const struct verdict *a, bool now, char buf[SENTENCE_LEN])
{
	struct status_counts n = verdict_statuses(a, now);
	char counts[SENTENCE_LEN];

	*buf = 0;
	if (!n.of[STATUS_WELL] && !n.of[STATUS_SUSPICIOUS])
		put(buf, "no server could be judged");
	else if (n.of[STATUS_WELL] == a->n_nodes)
		put(buf, "no server limps");
	else
		put(buf, "no server is indicted: %s", sentence_statuses(a, now, counts));
	return buf;
}

/* ---- not judged ------------------------------------------------------------------------------------------ */

const char *sentence_unjudged(const struct unjudged *u, char buf[SENTENCE_LEN])
{
	*buf = 0;
	switch (u->why) {
	case UNJUDGED_NO_GROUP: put(buf, "in no group of peers"); break;
	case UNJUDGED_NO_DATA: put(buf, "no data"); break;
	case UNJUDGED_TOO_FEW: put(buf, "too few events, or too few peers"); break;
	case UNJUDGED_NO_VALUE: put(buf, "no value of what is judged"); break;
	case UNJUDGED_FEW_SERVERS: put(buf, "fewer than 3 servers to compare"); break;
	case UNJUDGED_FEW_VALUES:
		put(buf, "at most %zu value%s in a window of %g s; %u are needed", u->n, s_of(u->n),
		    u->window_s, u->needed);
		break;
	case UNJUDGED_NO_LOGARITHM:
		put(buf, "zero has no logarithm, and there is little else: set --floor");
		break;
	case UNJUDGED_FEW_PEERS:
		put(buf, "too few peers with %u values at the same time and load", u->needed);
		break;
	case UNJUDGED_FEW_WINDOWS:
		put(buf, "judged in %zu window%s of %g s; %u are needed", u->n, s_of(u->n),
		    u->window_s, u->needed);
		break;
	case UNJUDGED_BLIND:
		put(buf, "blind: the threshold is %.2f", u->threshold);
		if (u->most > 0)
			put(buf, ", the largest possible value %.2f", u->most);
		break;
	case UNJUDGED_MODEL_ONLY: put(buf, "in the model but not in the data"); break;
	case UNJUDGED_SMALL_GROUP: put(buf, "its group has fewer than three servers"); break;
	case UNJUDGED_NOBODY: put(buf, "nobody could be judged"); break;
	case UNJUDGED_LITTLE: put(buf, "too little data in this time"); break;
	case UNJUDGED_UNTRAINED: put(buf, "no data in training"); break;
	case UNJUDGED_UNKNOWN: put(buf, "not in the model, and too little data or no peers"); break;
	case UNJUDGED_LOAD: put(buf, "no peer had a load like its own"); break;
	case UNJUDGED_HALVES:
		put(buf, "two halves of the servers differ, and it cannot be told which is slow");
		if (u->n)
			put(buf, ": %zu of them are slower", u->n);
		break;
	case UNJUDGED_FEW_LIKE:
		put(buf, "no state of it has four of the same job, kind and size on two others");
		break;
	case UNJUDGED_NONE_ENDED: put(buf, "nothing that jobs did there ended well"); break;
	case UNJUDGED_TASKS: put(buf, "this method names tasks, never servers"); break;
	case UNJUDGED_LEFT_OUT:
		if (*u->file)
			put(buf, "'%s' is left out: ", u->file);
		put(buf, "%s", u->error);
		break;
	case UNJUDGED_WHYS: break;
	}
	return buf;
}

static const char *have(size_t n)
{
	return n == 1 ? "has" : "have";
}

const char *sentence_cannot(const struct cannot *c, char buf[SENTENCE_LEN])
{
	*buf = 0;
	switch (c->why) {
	case CANNOT_NOT: break;
	case CANNOT_EMPTY_SOURCE: put(buf, "the source is empty"); break;
	case CANNOT_NOT_RECORDED:
		put(buf, "nothing was recorded of these metrics in this time");
		break;
	case CANNOT_NO_INTERVAL: put(buf, "there is no data"); break;
	case CANNOT_FEW_SERVERS:
		put(buf, "%u servers are needed, and %zu %s data", c->needed, c->n, have(c->n));
		break;
	case CANNOT_APART:
		put(buf,
		    "no %u servers of one group have data at the same time: their times do not "
		    "overlap, or their groups are smaller",
		    c->needed);
		break;
	case CANNOT_FEW_WINDOWS:
		put(buf,
		    "%u intervals of %g s are needed in which 3 servers have data, and there are "
		    "%zu",
		    c->needed, c->window_s, c->n);
		break;
	case CANNOT_SHORT:
		put(buf,
		    "%zu intervals in which 3 servers have data make %zu windows, and %u are "
		    "needed: record at least %zu intervals",
		    c->intervals, c->n, c->needed, c->intervals_needed);
		break;
	case CANNOT_NO_SIGNAL:
		put(buf, "no signal of any server had enough events and enough peers");
		break;
	case CANNOT_NO_METRIC:
		put(buf, "no metric had enough data on three servers; see 'limpet show'");
		break;
	case CANNOT_NO_PROGRESS: put(buf, "no log says how far a task was while it ran"); break;
	case CANNOT_NO_STATE: put(buf, "no log has a state that ended well in this time"); break;
	case CANNOT_NO_VALUE: put(buf, "the table has no value in this time"); break;
	case CANNOT_NO_NUMBER: put(buf, "the table has no number in any column of a metric"); break;
	case CANNOT_NO_DIRECTION:
		put(buf, "it is not known of any column whether more or less is worse: name one "
			 "with --signal");
		break;
	case CANNOT_UNJUDGED: return sentence_unjudged(&c->server, buf);
	}
	return buf;
}

/* ---- notices --------------------------------------------------------------------------------------------- */

static void put_client(char *buf, const struct notice *m, const char *server)
{
	if (*server)
		put(buf,
		    "packets are lost between %s and host %s, but not with most other hosts: "
		    "either end may lose them",
		    server, m->host);
	else
		put(buf,
		    "host %s loses packets with most servers (%zu of %zu, on the way %s it): no "
		    "server is to blame",
		    m->host, m->servers, m->of, m->direction == DIRECTION_SEND ? "to" : "from");
}

static void put_acknowledged(char *buf, const struct verdict *a, const struct notice *m,
			     const char *server)
{
	char text[SENTENCE_LEN] = "";

	put_detail(text, a, &m->detail, NULL);
	put(buf, "%s: acknowledged: %s%s%s%s", server, m->suspicious ? "suspicious: " : "",
	    cause_table[m->cause].word, *text ? ", " : "", text);
	if (m->ratio > 0)
		put(buf, ", %.2f times its peers'", m->ratio);
}

static void put_restart(char *buf, const struct notice *m, const char *server)
{
	char when[TIME_TEXT_LEN];

	if (m->servers)
		put(buf, "the probes of %zu servers were started anew", m->servers);
	else
		put(buf, "the probe of %s was started anew, at %s", server,
		    output_time(m->to_ns, when));
}

static void put_imbalance(char *buf, const struct verdict *a, const struct notice *m,
			  const char *server)
{
	put(buf, "%s has more to do than its peers (%.1f times, %s)", server, m->ratio,
	    verdict_signal(a, m->signal)->name);
	if (m->latency > 1)
		put(buf,
		    ", and a request takes %.1f times as long: no longer than in a queue under "
		    "that "
		    "load",
		    m->latency);
	else
		put(buf, ", and is as quick");
}

static void put_foreign_use(char *buf, const struct notice *m, const char *server)
{
	put(buf, "%s: others do %.0f %% of %s's bytes", server, m->share, m->disk);
	if (*m->process)
		put(buf, " (%s)", m->process);
	put(buf, ", and no request waits longer for it");
	if (!isfinite(m->busy.now))
		return;
	put(buf, "; it is %.0f %% busy", m->busy.now);
	if (isfinite(m->busy.before))
		put(buf, ", it was %.0f %%", m->busy.before);
	if (isfinite(m->busy.peers))
		put(buf, ", its peers are %.0f %%", m->busy.peers);
}

const char *sentence_notice(const struct verdict *a, const struct notice *m, char buf[SENTENCE_LEN])
{
	const char *server = m->node < a->n_nodes ? a->nodes[m->node] : "";

	*buf = 0;
	switch (m->kind) {
	case NOTICE_HOT: put_imbalance(buf, a, m, server); break;
	case NOTICE_IDLE:
		if (m->signal == SIG_IDLE)
			put(buf, "%s has far less to do than its peers", server);
		else
			put(buf, "%s has less to do than its peers (%s)", server,
			    verdict_signal(a, m->signal)->name);
		break;
	case NOTICE_BOTTLENECK:
		put(buf,
		    "the other servers wait for %s: requests queue at %s, which takes %.2f times "
		    "its peers' time for a request, as disks of one model differ",
		    server, m->disk, m->ratio);
		break;
	case NOTICE_HARDWARE:
		put(buf, "%s: disk %s (%s) has %.1f times the %s of disks of other models", server,
		    m->disk, *m->model ? m->model : "model unknown", m->ratio,
		    verdict_signal(a, m->signal)->name);
		break;
	case NOTICE_ROLE:
		put(buf,
		    "%s never did what its peers do: a server with another role, such as metadata, "
		    "needs a group of its own (--peers)",
		    server);
		break;
	case NOTICE_FLEET:
		put(buf,
		    "all servers slowed: %s at the same load is up to %.1f x what it was before",
		    verdict_signal(a, m->signal)->name, m->ratio);
		break;
	case NOTICE_STOLEN:
		put(buf,
		    "other guests take the processors of servers, on up to %zu of %zu for a fifth "
		    "of the time or more, most on %s (%.0f %%): faults are hard to see meanwhile",
		    m->servers, m->of, verdict_node(a, m->most), m->share);
		break;
	case NOTICE_MAINTENANCE:
		put(buf, "%s: %s (%s) uses %s", server, m->work, m->process,
		    *m->disk ? m->disk : "its processors");
		break;
	case NOTICE_FOREIGN: put_foreign_use(buf, m, server); break;
	case NOTICE_ORIGIN:
		put(buf,
		    "on %zu of %zu servers it cannot be told whether the file system or others use "
		    "the disks: a disk hog there would not be named (limpet-probe record --cgroup "
		    "or --pid)",
		    m->servers, m->of);
		break;
	case NOTICE_SKEW:
		put(buf,
		    "%s: in %s a %s there has %.1f times the bytes of the others, and takes %.1f "
		    "times as long: skewed data",
		    server, m->detail.job, m->work, m->ratio, m->latency);
		break;
	case NOTICE_REMOTE:
		put(buf,
		    "%zu of %zu tasks (%s) of %s read from other servers, and took %.1f times as "
		    "long as the rest",
		    m->servers, m->of, m->work, m->detail.job, m->ratio);
		break;
	case NOTICE_SLOTS:
		put(buf, "%s ran at most %zu tasks (%s) at a time, where its peers ran %zu", server,
		    m->servers, m->work, m->of);
		break;
	case NOTICE_CLIENT: put_client(buf, m, server); break;
	case NOTICE_SILENT: put(buf, "%s stopped reporting", server); break;
	case NOTICE_REBOOT: put_restart(buf, m, server); break;
	case NOTICE_ACKNOWLEDGED: put_acknowledged(buf, a, m, server); break;
	case NOTICE_KINDS: break;
	}
	return buf;
}

/* ---- notes ------------------------------------------------------------------------------------------------ */

const char *sentence_note(const struct note *n, char buf[SENTENCE_LEN])
{
	char from[TIME_TEXT_LEN], to[TIME_TEXT_LEN];

	*buf = 0;
	switch (n->kind) {
	case NOTE_READER: put(buf, "%s", n->text); break;
	case NOTE_CLOCK:
		put(buf,
		    "%s was recorded from %s to %s, most other servers were not: is its clock "
		    "right?",
		    n->host, output_time(n->from_ns, from), output_time(n->to_ns, to));
		break;
	case NOTE_LEFT_OUT:
		put(buf, "%s%s", n->host, *n->host ? ": " : "");
		if (*n->file || !*n->host)
			put(buf, "'%s' is left out: ", n->file);
		put(buf, "%s", n->text);
		break;
	case NOTE_COLUMNS:
		put(buf,
		    "not judged: columns %s: it is not known whether more or less of them is "
		    "worse (--signal judges one)",
		    n->text);
		break;
	case NOTE_REPEATED:
		put(buf, "values came again for the same server, metric and time: the last one "
			 "counts (disks of a server: --instance; files of servers of one name: "
			 "--node @file)");
		break;
	}
	return buf;
}

/* ---- constants ------------------------------------------------------------------------------------------- */

const char *sentence_verb(const struct incident *in)
{
	if (in->suspicious)
		return in->open ? "is suspicious" : "was suspicious";
	return in->open ? "limps" : "limped";
}

const char *sentence_share(enum share of)
{
	static const char *const text[SHARES] = {
		[SHARE_READ_WRITTEN] = "bytes read and written",
		[SHARE_WRITTEN_READ] = "bytes written and read",
		[SHARE_CPU] = "CPU time",
		[SHARE_RECEIVED] = "bytes received",
		[SHARE_SENT] = "bytes sent",
	};

	return text[of];
}

const char *sentence_why_not(const struct verdict *a, const struct finding *f)
{
	enum signal_role role = verdict_signal(a, f->signal)->role;

	if (role == ROLE_LOAD)
		return "demand, not a fault";
	if (f->symptom || role == ROLE_SYMPTOM)
		return "a symptom, which victims show as well";
	if (f->needs > 0 && f->score < f->needs)
		return "the evidence does not suffice";
	return "no rule finds a fault of this server in it";
}

const char *sentence_unseen(const struct verdict *a, size_t i)
{
	static const char *const text[UNSEEN_KINDS] = {
		[UNSEEN_DISKS] = "disks could not be judged: a slow disk would not be noticed",
		[UNSEEN_LOSS] =
			"lost segments could not be judged: packet loss would not be noticed",
	};

	for (size_t k = 0; k < UNSEEN_KINDS; k++)
		if (a->unseen[k] && !i--)
			return text[k];
	return NULL;
}
