// SPDX-License-Identifier: BSD-2-Clause
/* alert.h: programs run, waited for without waiting, and killed when they hang. */
#include "alert.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/verdict_print.h"
#include "userspace/common/output.h"
#include "userspace/common/times.h"
#include "userspace/common/options.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/program.h"
#include "userspace/common/sort.h"
#include "userspace/common/text_clean.h"

#define NEVER	   INT64_MIN
#define JSON_MAX   (96 << 10) /* the kernel takes 128 KiB in one variable */
#define DETAIL_MAX 1023	      /* of LIMPET_DETAIL: all variables together have a limit, too */
#define MINUTE_NS  (60 * NS_PER_S)

/* What is told of a server, and of all: whether it limps, or nothing can be judged; whether it is silent; whether the all-clear lacks something. */
enum about_kind { ABOUT_LIMPING, ABOUT_SILENCE, ABOUT_PROOF };

/* One of these: what is so, and what the program was told last. */
struct about {
	enum about_kind kind;
	bool open, told_open;
	int64_t held_ns; /* of ABOUT_PROOF: how long it has been open so far, while servers could be judged; -1: it is not */
	const char *cause, *told_cause; /* words of a table; NULL: none */
	const char *status;		/* of the server, likewise */
	char server[HOST_LEN], since[TIME_TEXT_LEN];
	struct text detail, line, body; /* line: the detail as mail has it */
	char *json;
	uint64_t incident, told_incident; /* 0: none */
	uint64_t acknowledged;		  /* the one that events tell, if it is; 0: it is not */
	int64_t told_ns;
};

struct alert {
	struct alert_opts o;
	char sendmail[PROGRAM_PATH_LEN];
	bool complained;
	struct about *about;
	size_t n;
	struct program children[ALERTS_RUNNING];
	bool mails[ALERTS_RUNNING];    /* the child is for mail */
	int64_t lately[ALERTS_MINUTE]; /* when the last ones were run, round and round */
	size_t next;
	struct alert_counts counts;
	int64_t ticked_ns;						    /* last; NEVER */
	bool judged;							    /* somebody was, once */
	bool (*silenced)(void *arg, const char *server, uint64_t incident); /* NULL: nobody is */
	void *silenced_arg;
};

/* 0 or -EINVAL after a message. */
static int check_programs(struct alert *a)
{
	char why[PROGRAM_WHY_LEN];

	if (a->o.program && program_check(a->o.program, why)) {
		fail("cannot run '%s': %s", a->o.program, why);
		return -EINVAL;
	}
	for (size_t i = 0; i < a->o.mail.to.n; i++)
		if (!mail_is_address(a->o.mail.to.at[i])) {
			fail("'%s' is no address for mail, as name@host", a->o.mail.to.at[i]);
			return -EINVAL;
		}
	if (a->o.mail.to.n && !program_find("sendmail", a->sendmail)) {
		fail("cannot send mail: no sendmail is in PATH (a package of Debian is "
		     "msmtp-mta)");
		return -EINVAL;
	}
	return 0;
}

struct alert *alert_new(const struct alert_opts *o)
{
	struct alert *a = calloc(1, sizeof(*a));

	if (!a) {
		fail("out of memory");
		return NULL;
	}
	a->o = *o;
	if (check_programs(a)) {
		alert_free(a);
		return NULL;
	}
	a->ticked_ns = NEVER;
	for (size_t i = 0; i < ALERTS_MINUTE; i++)
		a->lately[i] = NEVER;
	return a;
}

void alert_free(struct alert *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n; i++) {
		free(a->about[i].json);
		text_release(&a->about[i].detail);
		text_release(&a->about[i].line);
		text_release(&a->about[i].body);
	}
	free(a->about);
	free(a);
}

struct alert_counts alert_count(const struct alert *a)
{
	struct alert_counts c = a->counts;

	for (size_t i = 0; i < ALERTS_RUNNING; i++)
		c.running += a->children[i].pid > 0;
	for (size_t i = 0; i < a->n; i++)
		c.waiting += a->about[i].open != a->about[i].told_open &&
			     (a->about[i].kind != ABOUT_PROOF || !a->about[i].open);
	return c;
}

/* ---- what is so -------------------------------------------------------------------------------------*/

/* What is of all servers has no name. Servers are known by their names: their numbers change when others come. */
static struct about *about_server(struct alert *a, const char *server, enum about_kind kind)
{
	struct about *new;

	for (size_t i = 0; i < a->n; i++)
		if (a->about[i].kind == kind && !strcmp(a->about[i].server, server))
			return &a->about[i];
	new = array_add(&a->about, &a->n);
	if (!new)
		return NULL;
	*new = (struct about){.kind = kind, .held_ns = -1, .told_ns = NEVER};
	snprintf(new->server, sizeof(new->server), "%s", server);
	return new;
}

static struct about *about_of(struct alert *a, const struct change *c)
{
	static const enum about_kind kinds[EVENT_KINDS] = {[EVENT_SILENT] = ABOUT_SILENCE,
							   [EVENT_REPORTING] = ABOUT_SILENCE,
							   [EVENT_UNPROVEN] = ABOUT_PROOF,
							   [EVENT_PROVEN] = ABOUT_PROOF};

	return about_server(a, c->server, kinds[c->event.kind]);
}

int alert_resume(struct alert *a, const char *server, bool silence, const char *cause,
		 uint64_t incident)
{
	struct about *about = about_server(a, server, silence ? ABOUT_SILENCE : ABOUT_LIMPING);

	if (!about)
		return -ENOMEM;
	about->open = about->told_open = true;
	about->cause = about->told_cause = cause;
	about->incident = about->told_incident = incident;
	return 0;
}

int alert_resume_unproven(struct alert *a, int64_t at_ns, int64_t held_ns, const char *text)
{
	struct about *about = about_server(a, "", ABOUT_PROOF);

	if (!about)
		return -ENOMEM;
	about->open = true;
	about->told_open = held_ns >= ALERT_UNPROVEN_NS;
	about->held_ns = held_ns;
	output_time_utc(at_ns, about->since);
	text_put(&about->detail, text);
	text_put_plain(&about->line, text);
	about->cause = about->told_cause = event_rows[EVENT_UNPROVEN].word;
	return 0;
}

static bool is_open(struct alert *a, const struct change *c)
{
	a->judged |= c->event.kind == EVENT_JUDGING;
	/* at first there is never enough to judge by */
	if (c->event.kind == EVENT_CANNOT)
		return a->judged;
	return c->event.kind != EVENT_OVER && c->event.kind != EVENT_REPORTING &&
	       c->event.kind != EVENT_JUDGING && c->event.kind != EVENT_PROVEN;
}

/* For programs: in UTC, whatever is shown. */
static char *incident_json(const struct verdict *v, size_t incident)
{
	bool shown = time_here.shown;
	char *json;

	time_here.shown = false;
	json = verdict_incident_json(v, incident);
	time_here.shown = shown;
	return json;
}

int alert_change(struct alert *a, const struct verdict *now, const struct change *c)
{
	struct text seen TEXT_SCOPED = {0};
	char detail[DETAIL_MAX + 1];
	struct about *about;

	if (!event_rows[c->event.kind].alerts)
		return 0;
	about = about_of(a, c);
	if (!about)
		return -ENOMEM;
	about->open = is_open(a, c);
	about->incident = c->event.id;
	about->status = *c->server ? status_table[c->status].word : "";
	text_put_seen(&seen, text_of(&c->text));
	text_reset(&about->detail);
	text_put(&about->detail, text_fit(detail, sizeof(detail), text_of(&seen)));
	text_reset(&about->line);
	text_put_plain(&about->line, text_of(&c->text));
	/* words of tables, which stay */
	if (!*c->server)
		about->cause =
			event_rows[about->kind == ABOUT_PROOF ? EVENT_UNPROVEN : EVENT_CANNOT].word;
	else if (*c->cause)
		about->cause = c->cause;
	free(about->json);
	about->json = NULL;
	text_reset(&about->body);
	if (c->event.incident < 0) {
		if (about->open)
			output_time_utc(c->event.at_ns, about->since);
		return 0;
	}
	output_time_utc(now->incidents[c->event.incident].onset_ns, about->since);
	if (a->o.mail.to.n && about->open)
		mail_body(&about->body, now, &now->incidents[c->event.incident]);
	about->json = incident_json(now, (size_t)c->event.incident);
	return about->json ? 0 : -ENOMEM;
}

void alert_silence(struct alert *a, bool (*fn)(void *arg, const char *server, uint64_t incident),
		   void *arg)
{
	a->silenced = fn;
	a->silenced_arg = arg;
}

static bool is_silenced(const struct alert *a, const struct about *about, uint64_t incident)
{
	return a->silenced && a->silenced(a->silenced_arg, about->server, incident);
}

/* The same server and cause are told again where what was told is acknowledged, for this is another incident. */
static bool due(const struct alert *a, const struct about *about)
{
	if (about->open && is_silenced(a, about, about->incident))
		return false;
	if (about->open && about->kind == ABOUT_PROOF && about->held_ns < ALERT_UNPROVEN_NS)
		return false;
	return about->open != about->told_open ||
	       (about->open && (strcmp(about->cause ?: "", about->told_cause ?: "") != 0 ||
				is_silenced(a, about, about->told_incident)));
}

static int pass_change(void *arg, const struct verdict *now, const struct change *c)
{
	return alert_change(arg, now, c);
}

/* After a start ids are not yet those of events: what was told is not there then. */
static bool is_there(const struct verdict *a, uint64_t id)
{
	return any_of(i, a->n_incidents, a->incidents[i].open && a->incidents[i].id == id);
}

/* Whether what events tell of the server is acknowledged, and no other incident of it is known. */
static bool is_told_no_other(const struct alert *a, const struct verdict *now, struct about *about)
{
	if (about->open && is_silenced(a, about, about->incident))
		about->acknowledged = about->incident;
	return about->acknowledged && is_there(now, about->acknowledged) &&
	       is_silenced(a, about, about->acknowledged) &&
	       !(about->open && is_there(now, about->incident) &&
		 !is_silenced(a, about, about->incident));
}

/* Whether it was acknowledged and is that no more, while nothing else of the server is known. */
static bool is_acknowledged_no_more(const struct alert *a, const struct verdict *now,
				    const struct about *about, uint64_t incident)
{
	return incident == about->acknowledged && !is_silenced(a, about, incident) &&
	       !(about->open && is_there(now, about->incident));
}

/* No event tells the end of one that stands beside one that is acknowledged. */
static void end_others(struct alert *a, const struct verdict *now)
{
	for (size_t i = 0; i < a->n; i++) {
		struct about *about = &a->about[i];

		if (!about->open || !about->acknowledged ||
		    about->incident == about->acknowledged || is_there(now, about->incident))
			continue;
		about->open = false;
		about->status = "";
		free(about->json);
		about->json = NULL;
		text_reset(&about->body);
		text_reset(&about->detail);
		text_add(&about->detail, "%s: what was told is over", about->server);
		text_reset(&about->line);
		text_put_plain(&about->line, text_of(&about->detail));
	}
}

int alert_look(struct alert *a, const struct verdict *now)
{
	const struct change_to to = {pass_change, a};
	int err = 0;

	for (size_t i = 0; i < now->n_incidents && !err; i++) {
		const struct incident *x = &now->incidents[i];
		struct about *about;
		char server[HOST_LEN];

		if (!x->open || x->suspicion || x->node >= now->n_nodes)
			continue;
		output_clean(now->nodes[x->node], server, sizeof(server));
		about = about_server(a, server, ABOUT_LIMPING);
		if (!about)
			return -ENOMEM;
		if ((is_told_no_other(a, now, about) && !is_silenced(a, about, x->id)) ||
		    is_acknowledged_no_more(a, now, about, x->id))
			err = change_event((void *)&to, now,
					   &(struct track_event){.kind = EVENT_OPENED,
								 .at_ns = now->to_ns,
								 .node = x->node,
								 .server = now->nodes[x->node],
								 .incident = (ssize_t)i,
								 .notice = -1,
								 .straggler = -1,
								 .job = -1,
								 .id = x->id,
								 .open = true});
	}
	end_others(a, now);
	return err;
}

/* ---- running ----------------------------------------------------------------------------------------*/

/* All failures after the first are in the counts only: a program that is gone would fill the log. */
static void complain(struct alert *a, const struct program *p, const char *why)
{
	a->counts.failed++;
	if (!a->complained)
		warn("cannot alert: '%s' %s (said once)",
		     a->mails[p - a->children] ? a->sendmail : a->o.program, why);
	a->complained = true;
}

enum { OWN_VARIABLES = 7 };

static int run_program(struct alert *a, const struct about *about, struct program *p,
		       int64_t now_ns)
{
	const char *word = about->open ? "opened" : "over", *cause = about->cause ?: "",
		   *json = about->json && strlen(about->json) < JSON_MAX ? about->json : "";
	char *argv[] = {(char *)a->o.program, (char *)word, (char *)about->server, (char *)cause,
			NULL};
	const struct {
		const char *name, *value;
	} set[OWN_VARIABLES] = {{"CHANGE", word},
				{"SERVER", about->server},
				{"CAUSE", cause},
				{"DETAIL", text_of(&about->detail)},
				{"SINCE", about->since},
				{"JSON", json},
				{"STATUS", about->status ?: ""}};
	char *own[OWN_VARIABLES + 1] = {0};
	const struct program_how how = {.path = a->o.program,
					.arguments = argv,
					.environment = own,
					.quiet = a->o.quiet,
					.seconds = ALERT_LIMIT_S,
					.now_ns = now_ns};
	int err = 0;

	for (size_t i = 0; i < OWN_VARIABLES && !err; i++)
		if (asprintf(&own[i], "LIMPET_%s=%s", set[i].name, set[i].value) < 0) {
			own[i] = NULL;
			err = -ENOMEM;
		}
	err = err ? err : program_start(p, &how);
	for (size_t i = 0; i < OWN_VARIABLES; i++)
		free(own[i]);
	return err;
}

static int run_sendmail(struct alert *a, const struct about *about, struct program *p,
			int64_t now_ns)
{
	const struct mail m = {text_of(&about->line), text_of(&about->body), about->incident,
			       clock_ns(CLOCK_REALTIME)};
	size_t n = a->o.mail.to.n;
	const char **argv = calloc(n + 4, sizeof(*argv));
	struct text t TEXT_SCOPED = {0};
	struct program_how how = {.path = a->sendmail,
				  .quiet = a->o.quiet,
				  .seconds = ALERT_LIMIT_S,
				  .now_ns = now_ns};
	int err = -ENOMEM;

	mail_message(&t, &a->o.mail, &m);
	if (argv && !t.failed) {
		argv[0] = "sendmail";
		argv[1] = "-i"; /* a line of one dot is no end */
		argv[2] = "--";
		memcpy(argv + 3, a->o.mail.to.at, n * sizeof(*argv));
		how.arguments = (char *const *)argv;
		how.said = text_of(&t);
		err = program_start(p, &how);
	}
	free(argv);
	return err;
}

static void reap(struct alert *a, struct program *p, int64_t now_ns)
{
	bool killed = p->killed;
	char why[PROGRAM_WHY_LEN];
	int err = program_poll(p, now_ns, why);

	a->counts.killed += p->killed && !killed;
	if (err == -ETIMEDOUT)
		complain(a, p, "ran for a minute and was killed");
	else if (err == -ECHILD)
		complain(a, p, why);
}

/* One for the program and one for mail, each if it is wanted; NULL: not both are free. */
static bool free_children(struct alert *a, struct program *of[2])
{
	size_t n = 0, wanted = (a->o.program ? 1 : 0) + (a->o.mail.to.n ? 1 : 0);

	for (size_t i = 0; i < ALERTS_RUNNING && n < wanted; i++)
		if (!a->children[i].pid)
			of[n++] = &a->children[i];
	return n == wanted;
}

static void start_one(struct alert *a, const struct about *about, struct program *p, bool mail,
		      int64_t now_ns)
{
	int err;

	a->mails[p - a->children] = mail;
	err = (mail ? run_sendmail : run_program)(a, about, p, now_ns);
	if (err)
		complain(a, p, strerror(-err));
	else
		a->counts.run++;
}

static void start(struct alert *a, struct about *about, struct program *of[2], int64_t now_ns)
{
	if (a->o.program)
		start_one(a, about, *of++, false, now_ns);
	if (a->o.mail.to.n)
		start_one(a, about, *of, true, now_ns);
	/* Also after a failure: it is not tried each second. */
	about->told_open = about->open;
	about->told_cause = about->cause;
	about->told_incident = about->incident;
	about->told_ns = now_ns;
	a->lately[a->next] = now_ns;
	a->next = (a->next + 1) % ALERTS_MINUTE;
}

static void hold(struct alert *a, int64_t now_ns)
{
	const int64_t passed_ns = a->ticked_ns == NEVER ? 0 : now_ns - a->ticked_ns;
	const bool cannot = !a->judged || any_of(i, a->n,
						 !*a->about[i].server && a->about[i].open &&
							 a->about[i].kind == ABOUT_LIMPING);

	a->ticked_ns = now_ns;
	for (size_t i = 0; i < a->n; i++)
		if (!a->about[i].open)
			a->about[i].held_ns = -1;
		else if (a->about[i].held_ns < 0)
			a->about[i].held_ns = 0;
		else if (!cannot)
			a->about[i].held_ns += passed_ns;
}

void alert_tick(struct alert *a, int64_t now_ns)
{
	hold(a, now_ns);
	for (size_t i = 0; i < ALERTS_RUNNING; i++)
		if (a->children[i].pid)
			reap(a, &a->children[i], now_ns);
	for (size_t i = 0; i < a->n; i++) {
		struct about *about = &a->about[i];
		struct program *of[2];
		int64_t oldest = a->lately[a->next];

		if (!due(a, about) || (about->told_ns != NEVER &&
				       now_ns - about->told_ns < a->o.interval_s * NS_PER_S))
			continue;
		if (!free_children(a, of) || (oldest != NEVER && now_ns - oldest < MINUTE_NS))
			return;
		start(a, about, of, now_ns);
	}
}
