// SPDX-License-Identifier: BSD-2-Clause
/* serve.h: what is started in which order, and the loop of the judge. */
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "incidents.h"
#include "ingest.h"
#include "keeper.h"
#include "kept.h"
#include "pair.h"
#include "relay.h"
#include "request_words.h"
#include "serve_metrics.h"
#include "trusted.h"
#include "analyzer/ask/alertmanager.h"
#include "analyzer/ask/front.h"
#include "analyzer/history/store.h"
#include "analyzer/jobs/roster.h"
#include "analyzer/watch/alert.h"
#include "analyzer/watch/exposition.h"
#include "analyzer/watch/plain.h"
#include "analyzer/watch/unheard.h"
#include "analyzer/watch/watch.h"
#include "userspace/common/notify.h"
#include "userspace/common/safe_open.h"

#define SAY_AGAIN (600 * NS_PER_S)
/* Between two lines of one kind. */
#define SAY_LEAST (60 * NS_PER_S)
/* After a start, when all that was held is judged, for what was told before. */
#define REBUILD_NS    (300 * NS_PER_S)
#define TRUSTED_EVERY (10 * NS_PER_S)
/* Without a new interval. */
#define POST_EVERY (2 * NS_PER_S)
/* For whoever scrapes. */
#define POST_LEAST NS_PER_S
/* Of the loop, which looks once a second. */
#define ALIVE_S	    60
#define DESCRIPTORS 65536

enum {
	TROUBLE_INPUT,
	TROUBLE_INCIDENTS,
	TROUBLE_KEEPER,
	TROUBLE_OUTPUT,
	TROUBLE_PAIR,
	TROUBLE_ALERTS,
	TROUBLE_HISTORY,
	TROUBLE_SILENCES,
	TROUBLES
};

struct service {
	const struct serve_opts *o;
	int lock_fd;
	struct incident_store *incidents;
	struct kept kept;
	struct keeper *keeper;
	struct relay *relay;
	struct ingest *ingest;
	struct watch *watch;
	struct alert *alert;	 /* NULL: none wanted */
	struct board *board;	 /* for those who ask */
	struct serve_pair *pair; /* NULL: there is none */
	struct pair_counts paired;
	struct alertmanagers *alertmanagers; /* likewise */
	struct alertmanager_counts alerted;
	struct history_store *history; /* likewise */
	struct silences *silences;     /* likewise */
	struct roster *roster;	       /* likewise */
	struct front_opts asked;
	struct front *front; /* likewise */
	struct change_to words;
	struct notify notify;
	struct string_list trusted; /* hosts whose logs are judged; each owned */
	int64_t looked_ns;	    /* CLOCK_MONOTONIC: for more of them */
	bool judging;		    /* not rebuilding any more */
	int64_t posted_ns;	    /* CLOCK_MONOTONIC */
	unsigned int wanted;	    /* formats of metrics */
	bool unwritten;		    /* a line could not be written */
	bool written;		    /* one could be, lately */
	int64_t started_ns;	    /* CLOCK_MONOTONIC */
	struct said_trouble {
		char text[400];
		int64_t at_ns; /* CLOCK_MONOTONIC */
	} said[TROUBLES];      /* on standard error; "": nothing is wrong */
};

static volatile sig_atomic_t stopped, hung_up;

static void on_signal(int sig)
{
	if (sig == SIGHUP)
		hung_up = 1;
	else if (sig != SIGCHLD)
		stopped = 1;
}

/* ---- SIGHUP -------------------------------------------------------------------------------------------- */

/* Once more what the file of --options says, and the site's own certificate. */
static void take_again(struct service *s)
{
	const struct serve_opts *now = s->o->again(s->o->again_arg);

	hung_up = 0;
	if (!now) {
		warn("the options stay as they were");
		return;
	}
	keeper_set_bounds(s->keeper, now->keep_days, now->keep_percent);
	if (s->history && history_store_keep(s->history, now->keep_days))
		warn("history.db is kept as long as before: out of memory");
	ingest_reload(s->ingest);
	front_reload(s->front);
	warn("recordings of %u days are kept, and of more while the disk is at most %u %% full",
	     now->keep_days, now->keep_percent);
}

/* ---- what is told -------------------------------------------------------------------------------------- */

static int post_event(struct board *b, const struct verdict *a, const struct change *c)
{
	char *json = plain_json(a, c);
	int err = json ? board_event(b, json) : -ENOMEM;

	free(json);
	return err;
}

/* What is remembered is written after it: told twice, where the service is killed in between, rather than not. A line that cannot be
 * written costs nothing else. */
static int on_change(void *arg, const struct verdict *a, const struct change *c)
{
	struct service *s = arg;
	int err = s->alert ? alert_change(s->alert, a, c) : 0;

	if (!err)
		err = incidents_change(s->incidents, a, c);
	if (!err && s->front)
		err = post_event(s->board, a, c);
	if (!err)
		err = plain_line(a, c, s->o->json);
	s->written |= !err;
	if (err != -EIO)
		return err;
	s->unwritten = true;
	clearerr(stdout);
	return 0;
}

/* Once when it is another one, but not each minute anew, and again after ten minutes. */
static void tell_trouble(struct said_trouble *t, const char *trouble)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!trouble || !*trouble) {
		*t->text = '\0';
		return;
	}
	if (*t->text &&
	    now - t->at_ns <
		    (strncmp(t->text, trouble, sizeof(t->text) - 1) ? SAY_LEAST : SAY_AGAIN))
		return;
	warn("%s", trouble);
	snprintf(t->text, sizeof(t->text), "%s", trouble);
	t->at_ns = now;
}

static bool can_judge(const struct service *s)
{
	return exposed_can_judge(&(struct exposed){
		.verdict = &s->watch->verdict, .watch = s->watch, .rebuilding = !s->judging});
}

static void tell_troubles(struct service *s)
{
	struct keeper_counts kept;
	char not_told[400], not_kept[WHY_LEN];

	keeper_counts(s->keeper, &kept);
	tell_trouble(&s->said[TROUBLE_INPUT], watch_trouble(s->watch));
	tell_trouble(&s->said[TROUBLE_INCIDENTS], incidents_flush(s->incidents));
	tell_trouble(&s->said[TROUBLE_KEEPER], kept.trouble);
	tell_trouble(&s->said[TROUBLE_PAIR], s->judging ? pair_compare(s->pair, &s->watch->verdict,
								       can_judge(s), &s->paired)
							: NULL);
	alertmanagers_trouble(s->alertmanagers, &s->alerted, not_told);
	tell_trouble(&s->said[TROUBLE_ALERTS], not_told);
	tell_trouble(&s->said[TROUBLE_HISTORY],
		     s->history ? history_store_trouble(s->history, not_kept) : NULL);
	if (s->unwritten || s->written)
		tell_trouble(&s->said[TROUBLE_OUTPUT],
			     s->unwritten ? "events cannot be written to standard output" : NULL);
	s->unwritten = s->written = false;
}

static bool in_trouble(const struct service *s)
{
	bool any = false;

	for (int i = 0; i < TROUBLES; i++)
		any |= *s->said[i].text != '\0';
	return any;
}

/* All of them, as one line. */
static void put_troubles(const struct service *s, char *to, size_t size)
{
	size_t len = 0;

	*to = '\0';
	for (int i = 0; i < TROUBLES && len < size; i++)
		if (*s->said[i].text)
			len += (size_t)snprintf(to + len, size - len, "%s%s", len ? "; " : "",
						s->said[i].text);
}

/* ---- rebuilding ---------------------------------------------------------------------------------------- */

/* It is over when senders have brought what the last run had not kept, and that is judged as far as it was told. */
static void look_whether_rebuilt(struct service *s)
{
	struct relay_counts c;

	if (s->judging)
		return;
	relay_counts(s->relay, &c);
	s->judging = !c.holds && (watch_told_all(s->watch) ||
				  clock_ns(CLOCK_MONOTONIC) - s->started_ns > REBUILD_NS);
	if (!s->judging)
		return;
	unheard_kept(s->watch);
	if (c.expected)
		warn("judging: %zu of the %zu servers that were there are back", c.senders,
		     c.expected);
}

/* What was told last; a clock that was ahead then must not keep anybody silent now. */
static int64_t told_until(const struct service *s)
{
	int64_t told_ns = incidents_told_ns(s->incidents), now_ns = clock_ns(CLOCK_REALTIME);

	return told_ns < now_ns ? told_ns : now_ns;
}

static int follow_folder(void *arg, const char *folder)
{
	return watch_follow_logs(arg, folder);
}

/* Hosts that the administrator trusts by now. */
static int look_for_trusted(struct service *s)
{
	s->looked_ns = clock_ns(CLOCK_MONOTONIC);
	return trusted_new(s->o->state, &s->trusted, follow_folder, s->watch);
}

static int rebuild(struct service *s)
{
	const struct watch_received in = {.fd = relay_fd(s->relay),
					  .series = s->kept.files,
					  .n_series = s->kept.n_files,
					  .from_ns = s->kept.from_ns,
					  .to_ns = s->kept.to_ns,
					  .sources = s->o->sources,
					  .n_sources = s->o->n_sources,
					  .told_ns = told_until(s),
					  .stop = &stopped,
					  .observe = s->history ? history_store_observe : NULL,
					  .observe_arg = s->history,
					  .roster = s->roster};
	int err;

	if (s->kept.n_hosts)
		warn("rebuilding: %.0f minutes of %zu servers are read again",
		     s_of_ns(s->kept.to_ns - s->kept.from_ns) / 60, s->kept.n_hosts);
	err = watch_of_received(&s->watch, &s->o->a, &in);
	if (!err)
		err = track_subscribe(s->watch->events, change_event, &s->words);
	if (!err)
		err = look_for_trusted(s);
	return err ? err : incidents_resume(s->incidents, s->watch->events, s->alert);
}

/* ---- silences ------------------------------------------------------------------------------------------ */

/* What somebody does not want to be told, as of now. Where it cannot be read it is as it was. */
static void look_for_silences(struct service *s, int64_t now_ns)
{
	char why[WHY_LEN];
	int err = s->silences ? silences_refresh(s->silences, now_ns, why) : 0;

	tell_trouble(&s->said[TROUBLE_SILENCES], err ? why : NULL);
}

static bool is_silenced(void *arg, const char *server, uint64_t incident)
{
	struct service *s = arg;
	size_t n;
	const struct silence *at = silences_known(s->silences, &n);

	return silence_of(at, n, server, incident, clock_ns(CLOCK_REALTIME));
}

static int copy_silences(const struct service *s, struct snapshot *to)
{
	const struct silence *at = NULL;

	if (s->silences)
		at = silences_known(s->silences, &to->n_silences);
	if (!to->n_silences)
		return 0;
	to->silences = malloc(to->n_silences * sizeof(*at));
	if (!to->silences)
		return -ENOMEM;
	memcpy(to->silences, at, to->n_silences * sizeof(*at));
	return 0;
}

/* ---- the loop ------------------------------------------------------------------------------------------ */

static void put_more(void *arg, struct metrics_text *t)
{
	serve_metrics(arg, t);
}

/* What is known now, for those who ask. */
static int post(struct service *s, int64_t now_ns, unsigned int formats, bool news)
{
	struct snapshot *new = snapshot_new();
	struct serve_parts parts = {s->ingest,	s->keeper, s->relay,
				    s->judging, s->paired, s->alerted};
	struct exposed e = {.verdict = &s->watch->verdict,
			    .watch = s->watch,
			    .alerting = s->alert,
			    .rebuilding = !s->judging,
			    .trouble = in_trouble(s),
			    .now_ns = now_ns,
			    .more = put_more,
			    .arg = &parts};
	int err = new ? verdict_copy(&new->verdict, e.verdict) : -ENOMEM;

	if (!err)
		err = copy_silences(s, new);
	if (s->alert)
		e.alerts = alert_count(s->alert);
	for (int f = 0; f < FORMATS && !err; f++) {
		if (!(formats & 1U << f))
			continue;
		new->metrics[f] =
			exposition_text(&e, (enum openmetrics_format)f, &new->metrics_len[f]);
		err = new->metrics[f] ? 0 : -ENOMEM;
	}
	if (err) {
		snapshot_done(new);
		return err;
	}
	new->made_ns = now_ns;
	new->until_ns = watch_until(s->watch);
	new->rebuilding = e.rebuilding;
	new->can_judge = exposed_can_judge(&e);
	put_troubles(s, new->trouble, sizeof(new->trouble));
	board_put(s->board, new, news);
	return 0;
}

static int step(struct service *s)
{
	int64_t now_ns = clock_ns(CLOCK_REALTIME);
	ssize_t n = watch_step(s->watch, now_ns);
	unsigned int wanted;
	int64_t since_ns;
	bool news;

	if (n < 0)
		return n == -ECANCELED ? 0 : (int)n;
	look_for_silences(s, now_ns);
	if (s->alert && alert_look(s->alert, &s->watch->verdict))
		return -ENOMEM;
	if (s->alert)
		alert_tick(s->alert, clock_ns(CLOCK_MONOTONIC));
	look_whether_rebuilt(s);
	if (clock_ns(CLOCK_MONOTONIC) - s->looked_ns > TRUSTED_EVERY && look_for_trusted(s))
		return -ENOMEM;
	tell_troubles(s);
	notify_alive(&s->notify);
	if (s->history)
		history_store_step(s->history, s->watch->robust);
	s->wanted |= board_wanted(s->board);
	since_ns = clock_ns(CLOCK_MONOTONIC) - s->posted_ns;
	news = n || since_ns >= POST_EVERY;
	if (!news && (!s->wanted || since_ns < POST_LEAST))
		return 0;
	wanted = s->wanted;
	s->wanted = 0;
	s->posted_ns = clock_ns(CLOCK_MONOTONIC);
	return post(s, now_ns, wanted, news);
}

/* Signals are blocked from the look at the flag until we wait; frames wake us up, and then there is a moment for more of them; and whoever
 * wants metrics. */
static int loop(struct service *s, const sigset_t *blocked, const sigset_t *unblocked)
{
	struct pollfd news[] = {{.fd = relay_fd(s->relay), .events = POLLIN},
				{.fd = board_wanted_fd(s->board), .events = POLLIN}};
	const struct timespec second = {.tv_sec = 1}, moment = {.tv_nsec = NS_PER_S / 4};
	int err = 0;

	while (!stopped && !err) {
		if (hung_up)
			take_again(s);
		sigprocmask(SIG_SETMASK, unblocked, NULL);
		err = step(s);
		sigprocmask(SIG_SETMASK, blocked, NULL);
		if (!err && !stopped && !hung_up && ppoll(news, 2, &second, unblocked) > 0 &&
		    !stopped && !hung_up && !news[1].revents)
			ppoll(&news[1], 1, &moment, unblocked);
	}
	return err;
}

static void take_signals(sigset_t *blocked, sigset_t *unblocked)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};

	sigemptyset(blocked);
	for (size_t i = 0; i < sizeof(caught) / sizeof(*caught); i++) {
		struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

		sigaddset(blocked, caught[i]);
		sigaction(caught[i], &act, NULL);
	}
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, blocked, unblocked);
}

/* ---- what comes ---------------------------------------------------------------------------------------- */

static int on_seconds(void *arg, const char *host, int64_t first_ns, int64_t last_ns,
		      const void *bytes, size_t len, int64_t *live_ns, unsigned int *wait_ms)
{
	const struct service *s = arg;

	return relay_take(s->relay, host, first_ns, last_ns, bytes, len, live_ns, wait_ms);
}

/* What would be removed as soon as it is there: a server may keep more days than we do. */
static bool is_too_old(const struct service *s, int64_t day)
{
	int64_t today = clock_ns(CLOCK_REALTIME) / NS_PER_DAY;
	unsigned int keep_days = keeper_keep_days(s->keeper);

	return (keep_days && day <= today - (int64_t)keep_days) ||
	       day <= keeper_gone_day(s->keeper);
}

/* The sender hears that nothing is wanted of such a day. One that is to come is of a clock that is ahead. */
static int on_series(void *arg, const char *host, const char *file, int64_t origin_ns,
		     const void *part, size_t len, struct ingest_ticket *ticket)
{
	static const struct series_cursor all = {INT64_MAX / 2, INT64_MAX / 2, INT64_MAX / 2,
						 INT64_MAX / 2, INT64_MAX / 2, INT64_MAX / 2};
	const struct service *s = arg;
	int64_t day = series_file_day(file);

	if (day < 0)
		return series_fail(-EINVAL, "'%s' is the file of no day", file);
	if (day > clock_ns(CLOCK_REALTIME) / NS_PER_DAY + 1)
		return series_fail(
			-EINVAL, "'%s' is of a day that is to come, by the receiver's clock", file);
	if (is_too_old(s, day)) {
		ticket_back(ticket, 0, &all);
		return 0;
	}
	return keeper_take(s->keeper, host, file, origin_ns, part, len, ticket_back, ticket);
}

static int on_pair(void *arg, const char *name, struct text *answer)
{
	const struct service *s = arg;
	struct snapshot *now;

	if (!trusted_is(s->o->state, name))
		return -EACCES;
	now = board_get(s->board);
	if (!now || now->rebuilding || board_hangs(s->board)) {
		snapshot_done(now);
		return -EAGAIN;
	}
	pair_put(answer, &now->verdict, now->can_judge);
	snapshot_done(now);
	return 0;
}

static int receive(struct service *s)
{
	const struct serve_opts *o = s->o;
	const struct ingest_opts in = {.dir = o->state,
				       .listen = o->ingest,
				       .tls = {o->cert, o->key, o->client_ca},
				       .seconds = on_seconds,
				       .series = on_series,
				       .pair = on_pair,
				       .arg = s};
	char why[WHY_LEN];
	int err = ingest_start(&s->ingest, &in, why);

	if (err)
		fail("%s", why);
	else if (!o->check && trusted_not(o->state))
		warn("logs of %zu servers are kept and not judged: 'limpet serve trust HOST' lets "
		     "those of a server speak of others",
		     trusted_not(o->state));
	if (!err && !o->check)
		serve_remember_address(o);
	if (err || o->check || ingest_counted(s->ingest, SENDERS))
		return err;
	if (o->n_sources && !o->client_ca)
		relay_let_go(s->relay);
	if (!o->n_sources)
		warn("no server is enrolled yet: 'limpet serve enroll' prints the line that "
		     "limpet-push "
		     "wants");
	return err;
}

/* As many descriptors as are allowed. */
static void raise_limit(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l))
		return;
	l.rlim_cur = l.rlim_max < DESCRIPTORS ? l.rlim_max : DESCRIPTORS;
	setrlimit(RLIMIT_NOFILE, &l);
}

/* ---- the start ----------------------------------------------------------------------------------------- */

static int open_state(struct service *s)
{
	char why[SAFE_WHY_LEN];
	int dir = safe_make_folder(s->o->state, false, why), err = 0;

	if (dir < 0)
		return fail("cannot use '%s': %s", s->o->state, why);
	s->lock_fd = openat(dir, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
	if (s->lock_fd < 0)
		err = fail("cannot write in '%s': %s", s->o->state, strerror(errno));
	else if (flock(s->lock_fd, LOCK_EX | LOCK_NB))
		err = fail("another 'limpet serve' uses '%s'", s->o->state);
	else if (mkdirat(dir, "logs", 0750) && errno != EEXIST)
		err = fail("cannot make '%s/logs': %s", s->o->state, strerror(errno));
	close(dir);
	return err;
}

static int start_alerting(struct service *s)
{
	const struct alertmanager_opts o = {.urls = s->o->alertmanagers,
					    .site = s->o->site,
					    .page = s->o->url,
					    .jobs = s->o->alert_jobs,
					    .paired = s->pair,
					    .board = s->board};

	return alertmanagers_start(&s->alertmanagers, &o);
}

static int open_front(struct service *s)
{
	char why[WHY_LEN];
	int err;

	if (!s->o->listen)
		return 0;
	s->history = s->o->check ? NULL : history_store_new(s->o->state, s->o->keep_days);
	if (!s->history && !s->o->check)
		return fail("out of memory");
	/* Nobody is kept from judging by what cannot be silenced. */
	if (silences_open(&s->silences, s->o->state, why))
		warn("nothing can be silenced: %s", why);
	if (s->alert && s->silences)
		alert_silence(s->alert, is_silenced, s);
	s->asked = (struct front_opts){.listen = s->o->listen,
				       .names = &s->o->hosts,
				       .dir = s->o->state,
				       .board = s->board,
				       .history = s->history,
				       .roster = s->roster,
				       .users = s->o->users,
				       .proxy_user = s->o->proxy_user,
				       .tls = {s->o->cert, s->o->key, NULL},
				       .sources = s->o->sources,
				       .n_sources = s->o->n_sources,
				       .peers = s->o->a.peers,
				       .interval_s = s->o->a.interval_s,
				       .budget = s->o->a.budget};
	err = front_start(&s->front, &s->asked, why);
	if (err)
		fail("%s", why);
	return err;
}

static int check_programs(const char *dir)
{
	struct stat st;

	if (!dir || (!stat(dir, &st) && S_ISDIR(st.st_mode)))
		return 0;
	return fail("cannot use '%s' for programs: it is no folder that is there", dir);
}

/* Jobs are judged without it, too: by all that limpet has. */
static int open_roster(struct service *s)
{
	char why[WHY_LEN];
	int err = roster_new(&s->roster, s->o->state, s->o->programs, why);

	if (err == -ENOMEM)
		return fail("%s", why), err;
	if (err)
		warn("symptoms, diagnosers and decisions cannot be changed: %s", why);
	return 0;
}

static int start_alert(struct service *s)
{
	const struct alert_opts o = {.program = s->o->alert,
				     .mail = {s->o->mail, s->o->site, s->o->url},
				     .interval_s = s->o->alert_interval_s};

	if (!o.program && !o.mail.to.n)
		return 0;
	s->alert = alert_new(&o);
	return s->alert ? 0 : -EINVAL;
}

static int service_start(struct service *s)
{
	const struct serve_opts *o = s->o;
	/* Who only asks whether it could start removes nothing. */
	const struct keeper_opts keeper = {o->state, o->check ? 0 : o->keep_days,
					   o->check ? 100 : o->keep_percent};
	int err = check_programs(o->programs);

	if (!err && !o->check)
		err = incidents_open(&s->incidents, o->state);
	if (!err)
		err = kept_look(&s->kept, o->state, o->sources, o->n_sources,
				ns_of_s(o->a.interval_s));
	if (!err)
		err = relay_new(&s->relay, s->kept.to_ns, (const char *const *)s->kept.hosts,
				s->kept.n_hosts);
	if (!err)
		err = keeper_new(&s->keeper, &keeper);
	if (!err)
		err = start_alert(s);
	s->board = err ? NULL : board_new();
	if (!err && !s->board) {
		fail("out of memory");
		err = -ENOMEM;
	}
	if (!err && !o->check)
		err = pair_start(&s->pair, o->state);
	if (!err && !o->check)
		err = start_alerting(s);
	if (!err && !o->check)
		err = open_roster(s);
	return err ? err : open_front(s);
}

int serve_run(const struct serve_opts *o)
{
	struct service s = {.o = o, .lock_fd = -1, .words = {on_change, &s}};
	sigset_t blocked, unblocked;
	int err;

	s.started_ns = clock_ns(CLOCK_MONOTONIC);
	notify_open(&s.notify, ALIVE_S);
	raise_limit();
	err = open_state(&s);
	take_signals(&blocked, &unblocked);
	if (!err)
		err = service_start(&s);
	if (!err)
		err = receive(&s);
	if (!err && o->check)
		printf("it could start: %zu senders are enrolled, and %.1f hours of %zu servers "
		       "are kept\n",
		       (size_t)ingest_counted(s.ingest, SENDERS),
		       s.kept.n_hosts ? s_of_ns(s.kept.to_ns - s.kept.from_ns) / 3600 : 0.0,
		       s.kept.n_hosts);
	if (!err && !o->check) {
		sigprocmask(SIG_SETMASK, &unblocked, NULL);
		err = rebuild(&s);
		if (!err)
			notify_ready(&s.notify);
		err = err ? err : loop(&s, &blocked, &unblocked);
		notify_stopping(&s.notify);
	}
	/* The listener first: nothing comes any more. What was received is not judged further: the next start reads it again. */
	ingest_stop(s.ingest);
	relay_free(s.relay);
	keeper_free(s.keeper);
	if (s.watch && watch_save(s.watch))
		err = err ? err : -EIO;
	incidents_close(s.incidents);
	pair_stop(s.pair);
	alertmanagers_stop(s.alertmanagers);
	front_stop(s.front);
	silences_close(s.silences);
	history_store_free(s.history);
	board_free(s.board);
	alert_free(s.alert);
	watch_free(s.watch);
	roster_free(s.roster);
	kept_release(&s.kept);
	for (size_t i = 0; i < s.trusted.n; i++)
		free((char *)(uintptr_t)s.trusted.at[i]);
	string_list_release(&s.trusted);
	if (s.lock_fd >= 0)
		close(s.lock_fd);
	notify_close(&s.notify);
	return err && !(stopped && err == -ECANCELED) ? EXIT_FAILED : EXIT_DONE;
}
