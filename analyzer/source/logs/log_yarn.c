// SPDX-License-Identifier: BSD-2-Clause
/*
 * Logs of Hadoop 2 and 3 that grow while jobs run: of a job's master (AppMaster; TaskAttemptImpl, TaskAttemptListenerImpl,
 * JobImpl) and of the NodeManager of each server (ContainerImpl). Lines are known by their text, since the classes'
 * names differ between versions:
 *
 *	TaskAttempt: [ATTEMPT] using containerId: [CONTAINER on NM: [HOST:PORT]
 *	ATTEMPT TaskAttempt Transitioned from A to B
 *	ATTEMPT transitioned from state A to B, event type is E and nodeId=HOST:PORT
 *	Progress of TaskAttempt ATTEMPT is : F
 *	JOBJob Transitioned from A to B
 *	Container CONTAINER transitioned from A to B
 *	usage of ProcessTree PID for container-id CONTAINER: A MB of B GB physical memory used; … Cumulative-CPU-ms: N
 *
 * The last one is the ContainersMonitorImpl's, in 3.x of its logger's child "audit" at the level debug.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hadoop_source.h"
#include "userspace/common/array.h"

static bool begins(struct piece w, const char *text)
{
	return w.len >= strlen(text) && !memcmp(w.s, text, strlen(text));
}

/* What comes from `s` on until one of `ends`. */
static struct piece word_at(const char *s, const char *ends)
{
	return piece(s, strcspn(s, ends));
}

/* The word before `s`, which a blank may part from it. */
static struct piece word_before(const char *line, const char *s)
{
	const char *end = s > line && s[-1] == ' ' ? s - 1 : s, *from = end;

	while (from > line && from[-1] != ' ')
		from--;
	return piece(from, (size_t)(end - from));
}

/* "… A to B": what follows `s`. */
static bool two_states(const char *s, struct piece *from, struct piece *to)
{
	*from = word_at(s, " ");
	if (strncmp(from->s + from->len, " to ", 4))
		return false;
	*to = word_at(from->s + from->len + 4, " ,");
	return from->len && to->len;
}

static void called(struct log *l, const char *s, const char *end)
{
	struct piece class, text;

	if (hadoop_parts(s, end, &class, &text))
		hadoop_caller(l, class, text);
}

/* ---- the job's master -------------------------------------------------------------------------------- */

enum { ATTEMPTS_MAX = 1 << 20 }; /* of which the server is known before they begin */

struct master {
	struct names attempts;
	struct container_place {
		uint32_t node, container;
	} * at; /* of each */
};

/* "ATTEMPT] using containerId: [CONTAINER on NM: [HOST:PORT]". 0 or -ENOMEM. */
static int placed(struct log *l, const char *s)
{
	struct piece id = word_at(s, "]"), host;
	struct master *m = l->own;
	const char *on = strstr(s, " on NM: [");
	size_t had = m->attempts.n;
	const char *in = strstr(s, "] using containerId: [");
	struct piece container;
	int64_t n;

	if (!on || !in || !id.len || id.len >= LOG_ID_LEN)
		return 0;
	host = word_at(on + 9, "]");
	container = word_at(in + 22, " ]");
	if (!container.len)
		return 0;
	if (array_extend(&m->at, had, had + 1))
		return -ENOMEM;
	n = names_add_n(&m->attempts, id.s, id.len);
	if (n < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	m->at[n].node = log_node(l, host);
	m->at[n].container = log_id(l, container);
	return 0;
}

static struct container_place container_of_attempt(const struct master *m, const struct log *l,
						   uint32_t id)
{
	int64_t n = id == STATE_NONE ? -1 : names_find(&m->attempts, l->s->ids.at[id]);

	return n < 0 ? (struct container_place){STATE_NONE, STATE_NONE} : m->at[n];
}

static const struct {
	const char *begins; /* of the state that it comes to */
	enum state_outcome outcome;
} ends[] = {
	/* SUCCESS_FINISHING_CONTAINER, SUCCESS_CONTAINER_CLEANUP, SUCCEEDED */
	{"SUCCE", OUTCOME_OK},
	{"FAIL", OUTCOME_FAILED},
	{"KILL", OUTCOME_KILLED},
};

/* It works while it is RUNNING or COMMIT_PENDING; SUCCEEDED it may still be thrown away. */
static void attempt_moves(struct log *l, struct piece id, struct piece from, struct piece to,
			  int64_t time_ns)
{
	struct hadoop_attempt a;

	if (!hadoop_attempt_named(l, &a, hadoop_kind_of(id), id))
		return;
	if (piece_is(to, "RUNNING")) {
		struct container_place at = container_of_attempt(l->own, l, a.id);

		a.node = at.node;
		a.container = at.container;
		a.start_ns = time_ns;
		hadoop_attempt(l, &a);
		return;
	}
	if (!piece_is(from, "RUNNING") && !piece_is(from, "COMMIT_PENDING") &&
	    !piece_is(from, "SUCCEEDED"))
		return;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (begins(to, ends[i].begins))
			a.outcome = ends[i].outcome;
	a.end_ns = time_ns;
	if (a.outcome != OUTCOME_OPEN && !(piece_is(from, "SUCCEEDED") && a.outcome == OUTCOME_OK))
		hadoop_attempt(l, &a);
}

/* "ATTEMPT is : F" */
static void progresses(struct log *l, const char *s, int64_t time_ns)
{
	struct piece id = word_at(s, " ");
	enum state_kind kind = hadoop_kind_of(id);
	const char *is_at = id.s + id.len;
	char *end;
	uint32_t number;
	float done;

	if (kind == STATE_KIND_COUNT || strncmp(is_at, " is : ", 6))
		return;
	done = strtof(is_at + 6, &end);
	number = log_id(l, id);
	if (end != is_at + 6 && done >= 0 && done <= 1)
		state_progress(l, kind, number, container_of_attempt(l->own, l, number).node, done,
			       time_ns);
}

static void job_moves(struct log *l, struct piece id, struct piece to, int64_t time_ns)
{
	uint32_t number = begins(id, "job_") ? log_job(l, id) : STATE_NONE;
	enum state_outcome outcome = hadoop_outcome(to);

	if (number == STATE_NONE)
		return;
	if (piece_is(to, "RUNNING"))
		l->s->job[number].launch_ns = time_ns;
	if (outcome != OUTCOME_OPEN) {
		l->s->job[number].finish_ns = time_ns;
		l->s->job[number].outcome = outcome;
	}
}

static int master_line(struct log *l, char *line, size_t len)
{
	int64_t time_ns;
	struct piece from, to;
	const char *p;

	size_t at = hadoop_stamp(line, len, &time_ns);

	if (!at)
		return 0; /* of a stack trace */
	called(l, line + at, line + len);
	time_ns = log_utc(l, time_ns);
	log_seen(l, time_ns);
	if ((p = strstr(line, " TaskAttempt Transitioned from ")) && two_states(p + 31, &from, &to))
		attempt_moves(l, word_before(line, p), from, to, time_ns);
	else if ((p = strstr(line, " transitioned from state ")) && two_states(p + 25, &from, &to))
		attempt_moves(l, word_before(line, p), from, to, time_ns);
	else if ((p = strstr(line, "Progress of TaskAttempt ")))
		progresses(l, p + 24, time_ns);
	else if ((p = strstr(line, "TaskAttempt: [")))
		return placed(l, p + 14);
	else if ((p = strstr(line, "Job Transitioned from ")) && two_states(p + 22, &from, &to))
		job_moves(l, word_before(line, p), to, time_ns);
	return 0;
}

static bool master_is(const char *head, size_t n)
{
	return hadoop_stamped(head, n) &&
	       memmem(head, n, "org.apache.hadoop.mapreduce.v2.app.", 35);
}

static int master_open(struct log *l)
{
	struct master *m = l->own;

	m->attempts.max = ATTEMPTS_MAX;
	return 0;
}

static void master_close(struct log *l)
{
	struct master *m = l->own;

	names_release(&m->attempts);
	free(m->at);
}

static void master_renumber(struct log *l, const struct log_numbers *now)
{
	struct master *m = l->own;

	for (size_t i = 0; i < m->attempts.n; i++)
		m->at[i] = (struct container_place){log_renumbered(now->nodes, m->at[i].node),
						    log_renumbered(now->ids, m->at[i].container)};
}

const struct log_source log_app_master = {
	.rank = LOG_RANK_DAEMON,
	.clock = CLOCK_OF_JOB,
	.local_time = true,
	.is = master_is,
	.own_size = sizeof(struct master),
	.open = master_open,
	.line = master_line,
	.close = master_close,
	.renumber = master_renumber,
};

/* ---- a server's NodeManager ---------------------------------------------------------------------------- */

/* container_[eEPOCH_]TIME_APPLICATION_ATTEMPT_NUMBER: of job_TIME_APPLICATION; the first one is its master's. */
static uint32_t job_of(struct log *l, struct piece id, bool *master)
{
	const char *s = id.s + 10, *end = id.s + id.len, *second;
	char job[64] = "job_";
	size_t n;

	if (s < end && *s == 'e')
		s = memchr(s, '_', (size_t)(end - s)) ?: end;
	s += s < end && *s == '_';
	second = memchr(s, '_', (size_t)(end - s));
	second = second ? memchr(second + 1, '_', (size_t)(end - second - 1)) : NULL;
	n = second ? (size_t)(second - s) : 0;
	*master = id.len > 7 && !memcmp(end - 7, "_000001", 7);
	if (!n || n >= sizeof(job) - 4)
		return STATE_NONE;
	memcpy(job + 4, s, n);
	return log_job(l, piece(job, n + 4));
}

/* What a container does, from the state that it comes to until it leaves it. Before 3.0 SCHEDULED was LOCALIZED. */
static const struct {
	const char *in;
	enum state_kind kind;
	const char *then; /* where that ended well; NULL: EXITED_WITH_SUCCESS */
} phases[] = {
	{"LOCALIZING", STATE_LOCALIZE, "LOCALIZED"},   {"LOCALIZING", STATE_LOCALIZE, "SCHEDULED"},
	{"SCHEDULED", STATE_QUEUE, "RUNNING"},	       {"LOCALIZED", STATE_QUEUE, "RUNNING"},
	{"RUNNING", STATE_RUN, "EXITED_WITH_SUCCESS"},
};

static void container_moves(struct log *l, struct piece id, struct piece from, struct piece to,
			    int64_t time_ns)
{
	uint32_t number = begins(id, "container_") ? log_id(l, id) : STATE_NONE;
	enum state_kind left = STATE_KIND_COUNT, entered = STATE_KIND_COUNT;
	bool failed =
		begins(to, "FAIL") || begins(to, "EXITED") || begins(to, "LOCALIZATION_FAILED");
	enum state_outcome outcome = failed ? OUTCOME_FAILED : OUTCOME_KILLED;
	struct state *x;
	bool master;

	if (number == STATE_NONE || l->node == STATE_NONE)
		return;
	for (size_t i = 0; i < sizeof(phases) / sizeof(*phases); i++) {
		if (piece_is(from, phases[i].in)) {
			left = phases[i].kind;
			outcome = piece_is(to, phases[i].then) ? OUTCOME_OK : outcome;
		}
		if (piece_is(to, phases[i].in))
			entered = phases[i].kind;
	}
	if (left != STATE_KIND_COUNT)
		state_end(l, left, number, l->node, time_ns, outcome);
	if (entered == STATE_KIND_COUNT)
		return;
	x = state_begin(l, entered, number, l->node, time_ns);
	if (!x)
		return;
	x->job = job_of(l, id, &master);
	if (master) /* the only ones with a class */
		x->cls = log_class(l, piece_of("master"));
}

#define MIB_MOST 1e9 /* more is no memory of a server */

/* "94.5 MB of 256 MB physical memory used": MiB; NaN: not known ("-1B"). */
static double mib_of(const char *s)
{
	static const struct {
		const char *unit;
		double mib;
	} units[] = {{" KB", 1. / 1024}, {" MB", 1}, {" GB", 1024}, {" TB", 1024. * 1024}};
	char *end;
	double n = strtod(s, &end);

	for (size_t i = 0; end != s && i < sizeof(units) / sizeof(*units); i++)
		if (!strncmp(end, units[i].unit, 3) && n > 0 && n * units[i].mib < MIB_MOST)
			return n * units[i].mib;
	return NAN;
}

/* "PID for container-id CONTAINER: …": of what it was last, memory at most. */
static void container_uses(struct log *l, const char *s)
{
	struct piece pid = word_at(s, " "), id;
	const char *for_at = pid.s + pid.len, *cpu;
	struct state *x;
	double mib;

	if (strncmp(for_at, " for container-id ", 18))
		return;
	id = word_at(for_at + 18, ": ");
	x = begins(id, "container_") ? state_find(l->s, STATE_RUN, log_id(l, id)) : NULL;
	if (!x || log_number(pid) <= 0 || log_number(pid) > INT32_MAX)
		return;
	x->pid = (uint32_t)log_number(pid);
	mib = id.s[id.len] == ':' ? mib_of(id.s + id.len + 1) : NAN;
	if (!(mib <= x->memory_mib))
		x->memory_mib = isnan(mib) ? x->memory_mib : (float)mib;
	cpu = strstr(s, " Cumulative-CPU-ms: ");
	if (cpu)
		hadoop_resources(x, log_number(word_at(cpu + 20, " ")), 0);
}

static int node_line(struct log *l, char *line, size_t len)
{
	int64_t time_ns;
	struct piece from, to, id;
	const char *p;

	size_t at = hadoop_stamp(line, len, &time_ns);

	if (!at) {
		hadoop_banner(l, line);
		return 0;
	}
	called(l, line + at, line + len);
	time_ns = log_utc(l, time_ns);
	log_seen(l, time_ns);
	if ((p = strstr(line, "Registered with ResourceManager as "))) {
		id = word_at(p + 35, ": ");
		log_node_is(l, id, (struct piece){0});
	} else if ((p = strstr(line, " transitioned from ")) && two_states(p + 19, &from, &to)) {
		container_moves(l, word_before(line, p), from, to, time_ns);
	} else if ((p = strstr(line, " usage of ProcessTree "))) {
		container_uses(l, p + 22);
	}
	return 0;
}

static bool node_is(const char *head, size_t n)
{
	return hadoop_stamped(head, n) &&
	       memmem(head, n, "org.apache.hadoop.yarn.server.nodemanager.", 42);
}

/* hadoop-USER-nodemanager-HOST.log: until the log itself says whose it is, and where it no longer does. */
static int node_open(struct log *l)
{
	const char *base = strrchr(l->path, '/'), *host;

	host = strstr(base ? base : l->path, "-nodemanager-");
	if (host) {
		const char *end = strstr(host + 13, ".log");

		if (end && end > host + 13)
			log_node_is(l, piece(host + 13, (size_t)(end - host - 13)),
				    (struct piece){0});
	}
	return 0;
}

const struct log_source log_node_manager = {
	.rank = LOG_RANK_DAEMON,
	.clock = CLOCK_OF_NODE,
	.local_time = true,
	.by_lines = true,
	.is = node_is,
	.open = node_open,
	.line = node_line,
};
