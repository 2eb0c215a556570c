// SPDX-License-Identifier: BSD-2-Clause
/* watch.h: from files that grow to verdicts and what is new in them. */
#include "watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unheard.h"
#include "analyzer/engine/states/examine_states.h"
#include "analyzer/rules/fusion.h"
#include "analyzer/jobs/roster.h"
#include "analyzer/options/analysis.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

#define BACK_S 600 /* unless it is asked for */

static int on_servers(void *arg, struct robust *r)
{
	struct watch *w = arg;
	size_t n = robust_nodes(r);

	if (array_extend(&w->heard_ns, w->n_heard, n) || array_extend(&w->here, w->n_heard, n))
		return -ENOMEM;
	for (; w->n_heard < n; w->n_heard++)
		w->heard_ns[w->n_heard] = INT64_MIN;
	return 0;
}

static int left_out(void *arg, const char *server, const char *path, const char *why)
{
	return verdict_left_out(arg, server, source_base(path), why);
}

static int note(void *arg, const char *line)
{
	return verdict_note_lines(arg, line);
}

/* ---- what jobs say ----------------------------------------------------------------------------------- */

/* Adds to the verdict what logs of jobs say, which is all of it without a recording; and of all of it the tasks that
 * hold up their job. */
static int judge_jobs(struct watch *w)
{
	const struct states *s = follow_logs_states(w->logs);
	/* what it costs, however busy the machine is */
	int64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct verdict jobs = {0};
	int err = s ? 0 : -ENOMEM;

	w->jobs.news = false;
	w->jobs.any |= s && s->n;
	if (err || !w->jobs.any)
		return err;
	w->jobs.states = s->n;
	w->jobs.open = s->counts.open;
	err = examine_states(w->o, s, &jobs);
	if (!err)
		err = track_steady(w->events, &jobs, !w->caught_up);
	if (!err && w->verdict.n_nodes) {
		err = fusion(&w->verdict, &jobs, &w->history);
	} else if (!err) {
		verdict_release(&w->verdict);
		w->verdict = jobs;
		jobs = (struct verdict){0};
	}
	verdict_release(&jobs);
	if (!err)
		err = stragglers_running(&w->verdict, s, w->o, w->roster);
	w->jobs.rest_ns = WATCH_JOBS_SHARE * (clock_ns(CLOCK_THREAD_CPUTIME_ID) - began);
	return err;
}

/* Whether a look at them is due. */
static bool jobs_due(const struct watch *w, int64_t now_ns)
{
	int64_t rest = w->jobs.rest_ns > WATCH_JOBS_NS ? w->jobs.rest_ns : WATCH_JOBS_NS;

	return (w->jobs.news || track_unsteady(w->events)) &&
	       now_ns - w->jobs.at_ns >= (w->jobs.at_ns ? rest : 0);
}

static int read_logs(struct watch *w, int64_t now_ns)
{
	bool news = false, behind = w->jobs.behind || !w->caught_up;
	int more;

	do {
		more = follow_logs_poll(w->logs, now_ns, &news);
		/* what lies back may be much: it is forgotten on the way */
		if (more > 0 && !follow_logs_states(w->logs))
			more = -ENOMEM;
		/* Of what comes while others' seconds do, however much it is when it is unpacked, a piece a step. */
	} while (more > 0 && !w->stream && !(w->stop && *w->stop));
	w->jobs.behind = behind && more > 0;
	if (news) {
		w->jobs.age_ns = 0;
		w->jobs.lay_there = behind;
	}
	w->jobs.news |= news || (w->roster && roster_news(w->roster));
	return more < 0 ? more : 0;
}

/* ---- the verdict ------------------------------------------------------------------------------------- */

/* Events are of the end of what was judged; until anything was, of now. What time it is in a stream its first data say. */
static int tell_events(struct watch *w)
{
	int64_t to_ns = w->verdict.to_ns;
	int err;

	if (!watch_told_all(w) || (!to_ns && w->stream && !w->ended))
		return 0;
	w->verdict.to_ns = to_ns ? to_ns : w->now_ns;
	err = track_events_tell(w->events, &w->verdict);
	w->verdict.to_ns = to_ns;
	return err;
}

/* What is left out stands in the verdict last, as its servers have no number in the engine. */
static int renew_verdict(struct watch *w)
{
	const struct feed_left_out to = {left_out, note, &w->verdict};
	int err;

	verdict_release(&w->verdict);
	err = robust_verdict(w->robust, &w->verdict);
	peers_labels(w->peers, w->verdict.groups, w->verdict.n_groups);
	if (!err)
		err = unheard_tell(w);
	if (!err)
		err = judge_jobs(w);
	if (!err)
		unheard_tell_logs(w);
	if (!err)
		err = tell_events(w);
	if (!err)
		err = feed_left_out(w->feed, &to);
	w->stale_verdict = false;
	return err;
}

/* Only what was told: a silence of days may have ended an incident in this very interval. */
static void forget_sometimes(struct watch *w)
{
	int64_t now = robust_now(w->robust);

	if (now - w->forgot_ns < WATCH_FORGET_NS)
		return;
	w->forgot_ns = now;
	robust_forget(w->robust, now - WATCH_KEEP_NS);
}

static int on_interval(void *arg, struct robust *r)
{
	struct watch *w = arg;
	int err;

	for (size_t i = 0; i < w->n_heard; i++) {
		w->here[i] = i < w->into.n && w->into.at[i];
		if (!w->here[i])
			continue;
		w->heard_ns[i] = robust_now(r);
		w->age_ns = 0;
	}
	w->intervals++;
	/* What lies back is history, which nobody is told; it is the same verdict at its end. Of a stream alone nothing does. */
	w->stale_verdict = (!w->caught_up && (!w->stream || w->received)) || w->jobs.any;
	err = w->stale_verdict ? 0 : renew_verdict(w);
	if (!err)
		forget_sometimes(w);
	return err;
}

/* Of a folder both, series files and logs; a file is one or the other. What stands for standard input is a series. */
struct followed {
	char **series, **logs; /* of the caller's paths */
	size_t n_series, n_logs;
};

static void followed_release(struct followed *f)
{
	free(f->series);
	free(f->logs);
}

/* stream: beside frames, files and folders are for their logs alone. 0, -ENOMEM, or -EINVAL after a message. */
static int sort_paths(struct followed *f, char *const *paths, size_t n_paths, bool stream)
{
	struct stat st;

	*f = (struct followed){.series = calloc(n_paths + 1, sizeof(*f->series)),
			       .logs = calloc(n_paths + 1, sizeof(*f->logs))};
	if (!f->series || !f->logs)
		return -ENOMEM;
	for (size_t i = 0; i < n_paths; i++) {
		bool folder = !stat(paths[i], &st) && S_ISDIR(st.st_mode);
		bool input = !strcmp(paths[i], WATCH_STREAM);
		bool log = !input && states_is_log(paths[i]);

		if (stream && !input && !folder && !log) {
			fail("'%s' is no log: beside frames ('-') only logs are watched", paths[i]);
			return -EINVAL;
		}
		if (folder || log)
			f->logs[f->n_logs++] = paths[i];
		if (!log)
			f->series[f->n_series++] = paths[i];
	}
	return 0;
}

static int follow_paths(struct watch *w, char *const *paths, size_t n_paths,
			const struct feed_opts *g)
{
	struct followed f;
	int err = sort_paths(&f, paths, n_paths, w->stream);

	if (!err)
		err = options_meant((f.n_series ? MEANT_SERIES : 0) |
				    (f.n_logs ? MEANT_GROWING_LOGS : 0));
	if (!err) {
		err = w->stream ? feed_of_frames(&w->feed, STDIN_FILENO, g)
				: feed_of_growing(&w->feed, f.series, f.n_series, g);
		w->logs = follow_logs_new(f.logs, f.n_logs, &w->o->logs);
		err = !err && w->logs ? 0 : -EINVAL; /* it said why */
	}
	followed_release(&f);
	return err;
}

static void on_observation(void *arg, const struct observation *o)
{
	struct watch *w = arg;

	looks_observe(&w->looks, o);
	if (w->observe)
		w->observe(w->observe_arg, w->robust, o);
}

/* All but what is followed. NULL after a message. */
static struct watch *watch_make(const struct analysis_opts *o)
{
	const struct robust_params params = examine_params(o);
	struct watch *w = calloc(1, sizeof(*w));
	int err = -ENOMEM;

	if (!w)
		goto out;
	w->o = o;
	w->told_ns = INT64_MIN;
	err = o->peers ? peers_load(&w->peers, o->peers) : 0;
	if (err)
		goto out;
	w->robust = robust_new(&params);
	w->events = track_events_new();
	err = w->robust && w->events ? 0 : -ENOMEM;
	if (err)
		goto out;
	w->hooks = (struct examine_hooks){.ready = on_servers, .step = on_interval, .arg = w};
	w->into = (struct examine_feed){
		.robust = w->robust, .o = o, .hooks = &w->hooks, .peers = w->peers};
	robust_observe(w->robust, on_observation, w);
	robust_history(w->robust, &w->history);
out:
	if (err == -ENOMEM)
		fail("out of memory");
	if (!err)
		return w;
	watch_free(w);
	return NULL;
}

static int watch_made(struct watch **out, struct watch *w, int err)
{
	if (err == -ENOMEM)
		fail("out of memory");
	if (err)
		watch_free(w);
	*out = err ? NULL : w;
	return err;
}

int watch_new(struct watch **out, const struct analysis_opts *o, double back_s, char *const *paths,
	      size_t n_paths)
{
	struct feed_opts g = {.from_ns = o->from_ns,
			      .to_ns = INT64_MAX,
			      .interval_s = o->interval_s,
			      .threads = 1};
	struct watch *w = watch_make(o);

	*out = NULL;
	if (!w)
		return -EINVAL;
	for (size_t i = 0; i < n_paths; i++)
		w->stream |= !strcmp(paths[i], WATCH_STREAM);
	if (o->from_ns == INT64_MIN && !w->stream)
		g.from_ns = watch_begin(paths, n_paths, back_s < 0 ? BACK_S : back_s);
	return watch_made(out, w, follow_paths(w, paths, n_paths, &g));
}

/* ---- what is received -------------------------------------------------------------------------------- */

/* What was kept, at once. Nothing of it is no error. */
static int take_kept(struct watch *w, const struct watch_received *in)
{
	const struct feed_opts g = {.from_ns = in->from_ns,
				    .to_ns = in->to_ns,
				    .interval_s = w->o->interval_s,
				    .threads = w->o->threads};
	struct sources s = {0};
	struct feed *f = NULL;
	int err = in->n_series ? sources_open(&s, in->series, in->n_series, NULL, NULL) : -ENODATA;

	if (!err)
		err = sources_clocks(&s, in->from_ns, in->to_ns);
	if (!err)
		err = sources_verify(&s, in->from_ns, in->to_ns);
	if (!err && sources_drop_unreadable(&s) < 0)
		err = -ENODATA;
	if (!err)
		err = feed_of_series(&f, &s, &g) ?: examine_feed(&w->into, f);
	feed_free(f);
	sources_release(&s);
	w->into.ended = false;
	return err == -ENOMEM || err == -ECANCELED ? err : 0;
}

/* Frames and, if there are any, series files that grow. */
static int follow_received(struct watch *w, const struct watch_received *in,
			   const struct followed *beside, const struct feed_opts *g)
{
	struct feed *parts[2] = {NULL};
	int err = feed_of_frames(&parts[0], in->fd, g);

	if (!err && !beside->n_series) {
		w->feed = parts[0];
		return 0;
	}
	if (!err)
		err = feed_of_growing(&parts[1], beside->series, beside->n_series,
				      &(struct feed_opts){.from_ns = g->from_ns,
							  .to_ns = g->to_ns,
							  .interval_s = g->interval_s,
							  .threads = g->threads});
	if (!err)
		return feed_of_merged(&w->feed, parts, 2, g);
	feed_free(parts[0]);
	return err;
}

/* What goes on where what was kept ends. */
static int go_on_from(struct watch *w, const struct watch_received *in, struct followed *beside)
{
	struct feed_opts g = {.from_ns = w->o->from_ns,
			      .to_ns = INT64_MAX,
			      .interval_s = w->o->interval_s,
			      .threads = 1,
			      .n_servers = robust_nodes(w->robust)};
	const char **servers = calloc(g.n_servers + 1, sizeof(*servers));
	int err = servers ? 0 : -ENOMEM;

	for (size_t i = 0; i < g.n_servers && !err; i++)
		servers[i] = robust_node_name(w->robust, i);
	g.servers = servers;
	if (g.n_servers)
		g.from_ns = robust_now(w->robust);
	if (!err)
		err = follow_received(w, in, beside, &g);
	free(servers);
	if (!err)
		w->logs = follow_logs_new(beside->logs, beside->n_logs, &w->o->logs);
	return err || w->logs ? err : -EINVAL;
}

int watch_of_received(struct watch **out, const struct analysis_opts *o,
		      const struct watch_received *in)
{
	struct watch *w = watch_make(o);
	struct followed beside = {0};
	int err;

	*out = NULL;
	if (!w)
		return -EINVAL;
	w->told_ns = in->told_ns;
	w->into.stop = w->stop = in->stop;
	w->observe = in->observe;
	w->observe_arg = in->observe_arg;
	w->roster = in->roster;
	err = sort_paths(&beside, in->sources, in->n_sources, false);
	if (!err)
		err = take_kept(w, in);
	w->stream = w->received = true;
	if (!err)
		err = go_on_from(w, in, &beside);
	followed_release(&beside);
	return watch_made(out, w, err);
}

int watch_follow_logs(struct watch *w, const char *folder)
{
	int err = follow_logs_also(w->logs, folder);

	if (err)
		fail("out of memory");
	return err;
}

bool watch_told_all(const struct watch *w)
{
	return w->told_ns == INT64_MIN || watch_until(w) >= w->told_ns;
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	feed_free(w->feed);
	free(w->into.at);
	follow_logs_free(w->logs);
	robust_free(w->robust);
	track_events_free(w->events);
	looks_release(&w->looks);
	track_history_release(&w->history);
	verdict_release(&w->verdict);
	peers_free(w->peers);
	free(w->heard_ns);
	free(w->here);
	free(w);
}

ssize_t watch_step(struct watch *w, int64_t now_ns)
{
	uint64_t before = w->intervals;
	struct feed_counts met;
	int err;

	w->into.stop = w->stop;
	unheard_step(w, now_ns);
	feed_now(w->feed, now_ns);
	err = examine_feed(&w->into, w->feed);
	if (err)
		return err;
	w->ended = w->into.ended;
	if (!w->caught_up)
		unheard_begin(w);
	err = read_logs(w, now_ns);
	if (!err && (w->ended || w->stale_verdict || (!w->caught_up && !w->intervals) ||
		     unheard_news(w) || jobs_due(w, now_ns))) {
		w->jobs.at_ns = now_ns;
		err = renew_verdict(w);
	}
	w->caught_up = true;
	feed_counts(w->feed, &met);
	w->verdict.lost = met.lost;
	w->verdict.duplicates = met.duplicates;
	w->verdict.damaged = met.damaged;
	if (err == -ENOMEM)
		fail("out of memory");
	return err ? err : (ssize_t)(w->intervals - before);
}

int64_t watch_until(const struct watch *w)
{
	int64_t at = robust_now(w->robust);

	return at != INT64_MIN || !w->jobs.any ? at : w->verdict.to_ns;
}

size_t watch_row(const struct watch *w, size_t server)
{
	const struct verdict *a = &w->verdict;
	const char *name = robust_node_name(w->robust, server);
	size_t i = server;

	if (i < a->n_nodes && !strcmp(a->nodes[i], name))
		return i;
	for (i = 0; i < a->n_nodes && strcmp(a->nodes[i], name) != 0;)
		i++;
	return i;
}

const char *watch_trouble(struct watch *w)
{
	const char *trouble = feed_trouble(w->feed);

	return trouble ? trouble : follow_logs_trouble(w->logs);
}

size_t watch_reporting(const struct watch *w)
{
	return count_if(i, w->n_heard, w->here[i]);
}

int watch_save(const struct watch *w)
{
	return w->o->offsets && w->n_heard ? offsets_save(w->robust, w->o->offsets) : 0;
}
