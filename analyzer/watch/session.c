// SPDX-License-Identifier: BSD-2-Clause
/* session.h: the loop, once a second. */
#include "session.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asking.h"
#include "exposition.h"
#include "keys.h"
#include "plain.h"
#include "terminal.h"
#include "view.h"
#include "analyzer/methods/examine_sources.h"
#include "analyzer/output/colours.h"
#include "analyzer/output/verdict_print.h"
#include "analyzer/verdict/sentences.h"
#include "userspace/common/clock.h"

#define SAVE_EVERY (600 * NS_PER_S)
#define SHOW_EVERY (NS_PER_S / 2)
#define SAY_EVERY  (10 * NS_PER_S)
#define SAY_AGAIN  (600 * NS_PER_S)

struct session {
	const struct session_opts *o;
	struct watch *watch;	     /* NULL: --once */
	struct asking *asking;	     /* instead of a watch; NULL: nothing is asked */
	struct track_events *events; /* of --once and of what is asked; else they are the watch's */
	struct change_to words;
	struct alert *alert;	       /* NULL: none wanted */
	struct exposition *exposition; /* likewise */
	bool view;		       /* on a terminal */
	bool keys;		       /* and they may come */
	bool said;		       /* what ends it, on a screen of its own */
	struct view_lately lately;
	struct view_choice choice;
	struct keys sequence;
	int64_t saved_ns;	      /* CLOCK_MONOTONIC */
	char trouble[400], told[400]; /* at present; on standard error */
	char next[400];		      /* of a stream: not told yet, as another one was just now */
	int64_t told_ns;	      /* likewise; 0: never */
	int64_t shown_ns;	      /* CLOCK_MONOTONIC: of the last picture and exposition */
	int status; /* what the last verdict ends with, of --once and of a stream */
};

static volatile sig_atomic_t stopped, suspended, resized;

static void on_signal(int sig)
{
	if (sig == SIGTSTP)
		suspended = 1;
	else if (sig == SIGWINCH)
		resized = 1;
	else if (sig != SIGCHLD) /* that one only wakes us up */
		stopped = 1;
}

/* ---- what is shown ----------------------------------------------------------------------------------*/

static int on_change(void *arg, const struct verdict *a, const struct change *c)
{
	struct session *s = arg;

	/* Of what is all told at its end, what is so then. */
	int err = s->alert ? alert_change(s->alert, a, c) : 0;

	if (s->view)
		view_remember(&s->lately, c);
	/* its JSON is the verdict alone */
	bool silent = s->view || s->o->quiet || (s->o->once && s->o->json);

	return err || silent ? err : plain_line(a, c, s->o->json);
}

static int draw_screen(struct session *s)
{
	struct screen screen = {0};
	size_t rows, cols;

	terminal_size(&rows, &cols);
	if (screen_init(&screen, rows, cols)) {
		fail("out of memory");
		return -ENOMEM;
	}
	view_draw(&screen, s->watch, &s->lately, s->trouble, &s->choice, clock_ns(CLOCK_REALTIME));
	screen_write(&screen, colours_are_on(), stdout);
	screen_release(&screen);
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	/* who is told to end while a terminal is slow need not finish the picture */
	if (!stopped)
		return -EIO;
	clearerr(stdout);
	return 0;
}

static void suspend(void)
{
	suspended = 0;
	terminal_leave();
	raise(SIGSTOP);
	terminal_enter();
	resized = 1;
}

/* A line when there is another trouble, or the same still after ten minutes; what comes and goes each
 * second must not fill a log. */
static void tell_trouble(struct session *s)
{
	const char *trouble = watch_trouble(s->watch);
	int64_t now = clock_ns(CLOCK_MONOTONIC), since = now - s->told_ns;
	bool too_soon = s->told_ns && since < SAY_EVERY && !s->watch->ended;

	snprintf(s->trouble, sizeof(s->trouble), "%s", trouble ? trouble : "");
	if (s->view)
		return;
	/* What is wrong with files is so still the next time, if it matters; what a stream lost is said once. */
	if (trouble && s->watch->stream && !*s->next && strcmp(trouble, s->told) != 0)
		snprintf(s->next, sizeof(s->next), "%s", trouble);
	trouble = *s->next ? s->next : trouble;
	if (!trouble || too_soon || (s->told_ns && since < SAY_AGAIN && !strcmp(trouble, s->told)))
		return;
	warn("%s", trouble);
	snprintf(s->told, sizeof(s->told), "%s", trouble);
	*s->next = '\0';
	s->told_ns = now;
}

/* ---- the loop ---------------------------------------------------------------------------------------*/

/* What cannot be written now may be the next time: watching goes on. */
static void save_sometimes(struct session *s)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!s->saved_ns)
		s->saved_ns = now;
	if (now - s->saved_ns < SAVE_EVERY)
		return;
	s->saved_ns = now;
	watch_save(s->watch);
}

static int expose(struct session *s, int64_t now_ns)
{
	struct exposed e = {.verdict = &s->watch->verdict,
			    .watch = s->watch,
			    .alerting = s->alert,
			    .trouble = *s->trouble,
			    .now_ns = now_ns};

	if (s->alert)
		e.alerts = alert_count(s->alert);
	return exposition_update(s->exposition, &e);
}

/* Of a stream there may be many steps in a second, and only some of them bring an interval. */
static bool is_shown(struct session *s, ssize_t n)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC);

	if (resized)
		s->shown_ns = resized = 0;
	if (!n && !s->watch->ended && s->shown_ns && now - s->shown_ns < SHOW_EVERY)
		return false;
	s->shown_ns = now;
	return true;
}

/* 0, or a negative errno: -EIO and what on_change() returned without a message. */
static int session_step(struct session *s, int64_t now_ns)
{
	ssize_t n;
	int err = 0;

	if (s->asking) {
		err = asking_step(s->asking, s->events, now_ns);
		if (s->alert)
			alert_tick(s->alert, clock_ns(CLOCK_MONOTONIC));
		return err;
	}
	n = watch_step(s->watch, now_ns);

	s->said = n < 0;
	if (n < 0)
		return (int)n;
	if (s->alert)
		alert_tick(s->alert, clock_ns(CLOCK_MONOTONIC));
	tell_trouble(s);
	save_sometimes(s);
	if (!is_shown(s, n))
		return 0;
	if (s->exposition)
		err = expose(s, now_ns);
	return s->view && !err ? draw_screen(s) : err;
}

/* What a key changes is shown at once. */
static void key_meant(struct session *s, int key)
{
	enum view_meant meant = view_key(&s->choice, s->watch, key);

	if (meant == VIEW_QUIT)
		stopped = 1;
	else if (meant == VIEW_CHANGED)
		s->shown_ns = 0;
}

/* Until the next second begins, frames, a key or a signal come; or after an escape that may be one, until it is. */
static void wait_for_more(struct session *s, const sigset_t *unblocked)
{
	bool escape = s->keys && keys_wait(&s->sequence);
	int64_t left = NS_PER_S - clock_ns(CLOCK_REALTIME) % NS_PER_S;
	struct timespec t = {.tv_nsec = escape		  ? KEYS_WAIT_MS * NS_PER_MS
					: left < NS_PER_S ? left
							  : NS_PER_S - 1};
	bool stream = s->watch && s->watch->stream;
	struct pollfd keys = {.fd = s->keys || stream ? STDIN_FILENO : -1, .events = POLLIN};
	int key;

	if (!ppoll(&keys, 1, &t, unblocked) && escape)
		key_meant(s, keys_waited(&s->sequence));
	while (s->keys && keys.revents && (key = terminal_key()) != -1) {
		if (key >= 0)
			key_meant(s, keys_take(&s->sequence, (unsigned char)key));
		if (key < -1 || (keys.revents & POLLHUP))
			s->keys = false;
	}
}

/* They have as long as any. */
static int wait_for_alerts(struct session *s)
{
	while (!stopped) {
		struct alert_counts n;

		alert_tick(s->alert, clock_ns(CLOCK_MONOTONIC));
		n = alert_count(s->alert);
		if (!n.running)
			break;
		ppoll(NULL, 0, &(struct timespec){.tv_nsec = NS_PER_S / 10}, NULL);
	}
	return 0;
}

static int last_verdict(void *arg, const struct verdict *a)
{
	struct session *s = arg;
	struct text why TEXT_SCOPED = {0};

	s->status = verdict_exit(a, s->o->exit_code || s->o->quiet);
	if (a->cannot.why)
		fail("cannot judge: %s", sentence_cannot(&why, &a->cannot));
	return s->o->json ? verdict_json(a, false) : 0;
}

/* The stream has ended, and so does the watch: with the verdict on all of it. */
static int end_stream(struct session *s)
{
	int err = last_verdict(s, &s->watch->verdict);

	if (!err && !s->o->json && !s->o->quiet)
		verdict_text(&s->watch->verdict, false);
	return err || !s->alert ? err : wait_for_alerts(s);
}

static int tell_once(void *arg, struct robust *r)
{
	struct session *s = arg;
	struct verdict a;
	int err = stopped ? -ECANCELED : robust_verdict(r, &a);

	if (err)
		return err;
	err = track_events_tell(s->events, &a);
	verdict_release(&a);
	return err;
}

/* What is there, through the same as `limpet diagnose`, so that both say the same of it; and what changed on the way.
 * With --json the verdict alone; the status is as of that, too. */
static int run_once(struct session *s, char *const *paths, size_t n_paths)
{
	bool told = !s->o->json || s->alert;
	struct examine_hooks hooks = {.step = told ? tell_once : NULL, .arg = s};
	struct analysis_opts a = s->o->a;
	struct verdict v;
	int err;

	s->events = track_events_new();
	err = s->events ? track_subscribe(s->events, change_event, &s->words) : -ENOMEM;
	if (a.from_ns == INT64_MIN && s->o->back_s >= 0)
		a.from_ns = watch_begin(paths, n_paths, s->o->back_s);
	if (!err)
		err = examine(&v, &a, paths, n_paths, &hooks);
	if (!err) {
		err = told ? track_events_tell(s->events, &v) : 0;
		err = err ? err : last_verdict(s, &v);
		verdict_release(&v);
	}
	track_events_free(s->events);
	if (err == -ENOMEM)
		fail("out of memory");
	if (!err && s->alert)
		err = wait_for_alerts(s);
	return err == -ECANCELED ? 0 : err;
}

static bool is_ended(const struct session *s)
{
	return s->watch && s->watch->ended;
}

/* Signals are blocked from the look at the flag until we wait. */
static int loop(struct session *s, const sigset_t *blocked, const sigset_t *unblocked)
{
	int err = 0;

	while (!stopped && !err && !is_ended(s)) {
		sigprocmask(SIG_SETMASK, unblocked, NULL);
		err = session_step(s, clock_ns(CLOCK_REALTIME));
		sigprocmask(SIG_SETMASK, blocked, NULL);
		if (!err && !stopped && !suspended && !is_ended(s))
			wait_for_more(s, unblocked);
		if (suspended)
			suspend();
	}
	return err == -ECANCELED ? 0 : err;
}

static void take_signals(bool view, sigset_t *blocked, sigset_t *unblocked)
{
	/* Only what ends us may interrupt a write: an alert that is done must not cost a line. */
	static const struct {
		int signal, flags;
	} caught[] = {{SIGINT, 0},	     {SIGTERM, 0},
		      {SIGHUP, 0},	     {SIGWINCH, SA_RESTART},
		      {SIGCHLD, SA_RESTART}, {SIGTSTP, SA_RESTART}};
	/* where there is no screen to leave, the last one does what it always does */
	size_t n = sizeof(caught) / sizeof(*caught) - !view;

	sigemptyset(blocked);
	for (size_t i = 0; i < n; i++) {
		struct sigaction act = {.sa_handler = on_signal, .sa_flags = caught[i].flags};

		sigaddset(blocked, caught[i].signal);
		sigaction(caught[i].signal, &act, NULL);
	}
	sigprocmask(SIG_SETMASK, NULL, unblocked);
	for (size_t i = 0; i < n; i++)
		sigdelset(unblocked, caught[i].signal);
}

/* A folder may be empty still, but one that is not there is misspelt. */
static int check_paths(char *const *paths, size_t n)
{
	struct stat st;

	for (size_t i = 0; i < n; i++)
		if (strcmp(paths[i], WATCH_STREAM) != 0 && stat(paths[i], &st))
			return fail("cannot read '%s': %s", paths[i], strerror(errno));
	return 0;
}

static int open_asking(struct session *s, char *const *paths, size_t n_paths)
{
	s->view = s->keys = false;
	s->events = track_events_new();
	if (s->events && !track_subscribe(s->events, change_event, &s->words) &&
	    !asking_new(&s->asking, s->o, paths, n_paths, &stopped))
		return 0;
	fail("out of memory");
	return EXIT_FAILED;
}

/* 0, or an exit status after a message. */
static int open_all(struct session *s, char *const *paths, size_t n_paths)
{
	const struct session_opts *o = s->o;
	int asks = asking_is(paths, n_paths);
	bool usage;

	if (asks < 0)
		return EXIT_USAGE;
	if (!o->once && asks && o->listen) {
		fail("'--listen' is for recordings and logs: of a Prometheus nothing is served");
		return EXIT_USAGE;
	}
	if (!o->once && !asks && check_paths(paths, n_paths))
		return EXIT_FAILED;
	if (o->alert &&
	    !(s->alert = alert_new(&(struct alert_opts){
		      .program = o->alert, .interval_s = o->alert_interval_s, .quiet = s->view})))
		return EXIT_FAILED;
	if (o->listen && !(s->exposition = exposition_new(o->listen, &o->hosts, &usage)))
		return usage ? EXIT_USAGE : EXIT_FAILED;
	if (o->once)
		return 0;
	if (asks)
		return open_asking(s, paths, n_paths);
	if (watch_new(&s->watch, &o->a, o->back_s, paths, n_paths))
		return EXIT_FAILED;
	s->watch->stop = &stopped;
	return track_subscribe(s->watch->events, change_event, &s->words) ? EXIT_FAILED : 0;
}

int session_run(const struct session_opts *o, char *const *paths, size_t n_paths)
{
	struct session s = {.o = o, .words = {on_change, &s}};
	sigset_t blocked, unblocked;
	int err, status;

	s.view = s.keys = !o->plain && !o->json && !o->quiet && !o->once && terminal_fits();
	for (size_t i = 0; i < n_paths; i++)
		s.keys &= strcmp(paths[i], WATCH_STREAM) != 0;
	status = open_all(&s, paths, n_paths);
	if (status)
		goto out;
	take_signals(s.view, &blocked, &unblocked);
	if (s.view)
		terminal_enter();
	err = o->once ? run_once(&s, paths, n_paths) : loop(&s, &blocked, &unblocked);
	terminal_leave();
	/* That screen is gone, and what was said there with it. */
	if (err && s.view && s.said && isatty(STDERR_FILENO))
		fail("%s", said_last());
	if (!err && s.watch && s.watch->ended)
		err = end_stream(&s);
	if (err || (s.watch && watch_save(s.watch)))
		status = EXIT_FAILED;
	else
		status = s.status;
out:
	exposition_free(s.exposition);
	alert_free(s.alert);
	if (s.asking)
		track_events_free(s.events); /* run_once() has freed its own */
	asking_free(s.asking);
	watch_free(s.watch);
	return status;
}
