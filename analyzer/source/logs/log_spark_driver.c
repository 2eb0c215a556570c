// SPDX-License-Identifier: BSD-2-Clause
/*
 * What Spark's driver logs while it runs, of a cluster of its own: which executors its master granted, on which servers, and when
 * each registered. An event log has those only that did; a server whose executor never came is in none of its events.
 *
 *	26/11/22 22:55:12 INFO StandaloneSchedulerBackend: Granted executor ID APP/6 on hostPort s4:7078 with 1 core(s), …
 *	26/11/22 22:55:21 INFO …: Registered executor NettyRpcEndpointRef(spark-client://Executor) (10.78.0.4:51066) with ID 6, …
 *	26/11/22 22:55:40 INFO …: Executor updated: APP/6 is now EXITED (Command exited with code 1)
 *
 * One that has not registered when the driver stops waited until then, and was killed. One that the driver killed before that, as it was
 * not needed any more, is left out: nobody knows whether it would have come.
 */
#include <string.h>

#include "daemon.h"
#include "hadoop_source.h"

struct driver {
	int64_t time_ns; /* of the line */
	char app[LOG_ID_LEN],
		before[LOG_ID_LEN]; /* the last that was granted any, and another one before */
	size_t first;		    /* state that may wait for its end, of states.at */
};

static void granted(struct log *l, struct driver *d, const struct piece *c)
{
	const char *slash = memchr(c[0].s, '/', c[0].len);
	size_t len = slash ? (size_t)(slash - c[0].s) : 0;
	uint32_t id = log_id(l, c[0]);
	struct state *x;

	if (!slash || len >= sizeof(d->app))
		return;
	if (strlen(d->app) != len || memcmp(d->app, c[0].s, len)) {
		memcpy(d->before, d->app, sizeof(d->before));
		memcpy(d->app, c[0].s, len);
		d->app[len] = 0;
	}
	x = state_begin(l, STATE_EXECUTOR, id, log_node(l, c[1]), d->time_ns);
	if (x)
		x->job = log_job(l, piece_of(d->app));
}

/* What has registered is not asked for again. */
static bool waits(const struct log *l, uint32_t id)
{
	const struct state *x = state_find(l->s, STATE_EXECUTOR, id);

	return x && x->outcome == OUTCOME_OPEN;
}

static void ended(struct log *l, const struct driver *d, uint32_t id, enum state_outcome outcome)
{
	if (waits(l, id))
		state_end(l, STATE_EXECUTOR, id, STATE_NONE, d->time_ns, outcome);
}

static uint32_t executor_of(struct log *l, const char *app, struct piece number)
{
	const struct piece parts[] = {piece_of(app), piece_of("/"), number};
	char id[LOG_ID_LEN];

	return log_id(l, piece(id, daemon_name(id, parts, 3)));
}

/* The line does not say of which application: of the last one, unless it has none of this number that waits. */
static void registered(struct log *l, struct driver *d, const struct piece *c)
{
	const char *comma = memchr(c[1].s, ',', c[1].len);
	struct piece number = piece(c[1].s, comma ? (size_t)(comma - c[1].s) : c[1].len);
	uint32_t id = executor_of(l, d->app, number);

	if (*d->before && !waits(l, id))
		id = executor_of(l, d->before, number);
	ended(l, d, id, OUTCOME_OK);
}

static void updated(struct log *l, struct driver *d, const struct piece *c)
{
	static const char *const words[] = {"EXITED", "FAILED", "LOST", "KILLED"};
	uint32_t id = log_id(l, c[0]);

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (c[1].len < strlen(words[i]) || memcmp(c[1].s, words[i], strlen(words[i])))
			continue;
		if (i < 3)
			ended(l, d, id, OUTCOME_FAILED);
		else if (waits(l, id))
			state_drop(l, STATE_EXECUTOR, id);
	}
}

static void stopped(struct log *l, struct driver *d, const struct piece *c)
{
	(void)c;
	for (size_t i = d->first; i < l->s->n; i++)
		if (l->s->at[i].kind == STATE_EXECUTOR && l->s->at[i].file == l->file)
			ended(l, d, l->s->at[i].id, OUTCOME_KILLED);
	d->first = l->s->n;
}

static const struct {
	const char *text;
	void (*take)(struct log *l, struct driver *d, const struct piece *c);
} patterns[] = {
	{"Granted executor ID * on hostPort * with ", granted},
	{"Registered executor * with ID *", registered},
	{"Executor updated: * is now *", updated},
	{"Shutting down all executors", stopped},
};

static int driver_line(struct log *l, char *line, size_t len)
{
	struct driver *d = l->own;
	struct piece c[CAPTURES];
	int64_t local;
	size_t at = hadoop_stamp(line, len, &local);
	const char *text = at ? memmem(line + at, len - at, ": ", 2) : NULL;

	if (!text)
		return 0;
	d->time_ns = log_utc(l, local);
	log_seen(l, d->time_ns);
	text += 2;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		if (daemon_match(patterns[i].text, text, (size_t)(line + len - text), c)) {
			patterns[i].take(l, d, c);
			break;
		}
	return 0;
}

static bool driver_is(const char *head, size_t n)
{
	static const char says[] = " SparkContext: Running Spark version ";

	return hadoop_stamped(head, n) && memmem(head, n, says, sizeof(says) - 1);
}

const struct log_source log_spark_driver = {
	.rank = LOG_RANK_DAEMON,
	.clock = CLOCK_OF_JOB,
	.local_time = true,
	.is = driver_is,
	.own_size = sizeof(struct driver),
	.line = driver_line,
};
