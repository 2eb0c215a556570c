/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracker: the one state machine between residuals and events. Signals of entities go through it, incidents of
 * servers, and what is known of servers by events; track_next() has every arrow:
 *
 *            suspicious             indicts              nothing            forget
 *      QUIET ───────────► SUSPECT ───────────► INDICTED ───────────► OVER ───────────► QUIET
 *        ▲ │                │ │ ▲               ▲ │ ▲ ▲                │ │
 *        │ └─── indicts ────│─│─│───────────────┘ │ │ └── indicts ─────┘ └─ suspicious ─► SUSPECT
 *        └──── nothing ─────┘ │ │       no fault  │ │ indicts
 *                   no fault  │ └─ suspicious ┐   │ │
 *                             └────────────► EXCUSED ─── nothing ──► OVER
 *
 * No fault leads from any state to EXCUSED. An excused entity never leaves it: entity_turn()
 * passes it over. An incident leaves it by the drawn arrows. Once the rules have called a spell
 * an incident, it is not excused any more, because later intervals may show less; only when a
 * suspicion indicts, the rules are asked anew.
 *
 * entity_turn() moves entities, spell_rule() and spell_close() incidents, level_enter() and
 * level_end() servers; track_excuse(), track_group_look() and track_group_forget() do the rest.
 * Beside the state there are flags: held (too few events to judge it again), silenced (a silence
 * ended it), acknowledged (an operator knows), tested (at any length).
 */
#ifndef LIMPET_TRACK_H
#define LIMPET_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "analyzer/evidence/evidence.h"
#include "analyzer/verdict/finding_make.h"
#include "analyzer/verdict/status.h"
#include "userspace/common/clock.h"

enum track_state {
	TRACK_QUIET,	/* nothing, or what there was is forgotten */
	TRACK_SUSPECT,	/* strong evidence, that indicts nobody */
	TRACK_INDICTED, /* once it indicted, less evidence does not make it a suspicion again */
	TRACK_EXCUSED,	/* worse, and no fault */
	TRACK_OVER,
	TRACK_STATES
};

enum track_sign {
	SIGN_NOTHING,	 /* the evidence is gone */
	SIGN_SUSPICIOUS, /* there is evidence, too little to indict */
	SIGN_INDICTS,
	SIGN_NO_FAULT, /* the rules know a reason */
	SIGN_FORGET,   /* it was over long ago */
	TRACK_SIGNS
};

enum track_state track_next(enum track_state now, enum track_sign sign);

/* Whether what is worse has not ended. */
static inline bool track_state_open(enum track_state s)
{
	return s == TRACK_SUSPECT || s == TRACK_INDICTED || s == TRACK_EXCUSED;
}

/*
 * Signals of entities: one signal of one group of peers over time. What each interval shows goes to the test of
 * evidence, and its answer moves the state of each entity: since when, at which values, whether it is over. The same for
 * disks and servers of series files and for columns of tables. Times are of the interval's start and end.
 */

enum {
	TRACK_STEPS = 4,
	TRACK_BEGUN = 2, /* of these: what is less than their largest has not begun */
};

/* What one interval shows of one entity, besides its residual. */
struct track_values {
	double value, peers; /* compared: as the residual was made of them; NaN: it was not */
	unsigned int n_peers;
	bool alone; /* no peer had its load: not compared, or since it had less to do and is slower */
};

/*
 * One entity in one signal. An *excursion* is a time in which it is worse on the whole: c =
 * max(0, c + r - gate / 2) is above 0, r being the residual (Page's CUSUM). Trouble begins at
 * the excursion's start and was last seen at its highest point. An excursion also ends when the
 * test says that trouble is over. Trouble begins in an excursion only: without one, evidence
 * that the test still holds is old.
 */
struct track_entity {
	struct evidence last; /* the test's word */
	struct evidence best; /* of the largest t beside what it needs, since the onset */
	double r;	      /* residual of the last interval; NaN: it was not compared */
	double usual;	      /* what is usual for it, ln; NaN: not known yet */
	double value, peers;  /* of the last interval that was compared, and how many peers */
	unsigned int n_peers;
	uint64_t judged;       /* intervals compared, ever */
	uint64_t alone;	       /* intervals in which no peer had its load */
	unsigned int unjudged; /* intervals since it was compared last */
	bool tested;	       /* at any length */
	bool at_once; /* by one look at all of it: the onset is the first interval, and not when it began */
	bool brief; /* that look would indict, had it more than a short time to go by */
	bool lone;  /* single values decide it: it indicts nobody (track_group_lone()) */
	/* ln: the smallest difference that would have been suspicious, at its best moment of the last ten minutes
	 * (least_keep()); NaN: none. And when that was. */
	double least;
	int64_t least_ns;
	/* The excursion: since when (0: none), and sums over it up to its last bad interval. */
	double cusum, highest;
	bool silenced; /* a silence has ended it: what the test holds from before does not count */
	bool ended;    /* the test has said so: what comes now is of no excursion before */
	int64_t since_ns, last_bad_ns;
	int64_t first_ns; /* it was compared from then on */
	struct excursion_sum {
		double value, peers;	      /* logarithms, or numbers as they are */
		unsigned int n, worse, alone; /* intervals; among them bad ones, and alone */
	} sum, bad, before;		      /* before: `bad` of the excursion before */
	/* Since when it is worse by 2, 4, 8, 16 times the gate, in each view. */
	struct track_step {
		double cusum;
		struct excursion_sum sum;
		int64_t since_ns; /* 0: it is not */
	} steps[2][TRACK_STEPS];
	/* Trouble: from the onset on, while the test says so. */
	enum track_state state;
	int64_t excursion_ns,
		begun_ns; /* since when it was worse at all, and clearly: onset_ns or before */
	int64_t onset_ns, decided_ns, last_ns; /* onset_ns 0: there was none, or it is forgotten */
};

/* A true ratio that is to be found passes although its estimate errs by 4 % (1.3: 1.25). */
#define GATE_PART (1.25 / 1.3)

struct track_opts {
	bool logarithmic; /* values are averaged as logarithms: geometric means */
	double gate;	  /* ln: the effect that indicts */
	double added;	  /* to value and peers before the ratio */
	double interval_s;
};

struct track_group {
	struct track_opts o;
	struct over_time *evidence;
	struct evidence_group group; /* what was said of all together last */
	struct track_entity *at;
	struct evidence *out;
	size_t n;
};

/* 0 or -ENOMEM; after that track_group_release() is needed either way. */
int track_group_init(struct track_group *f, const struct track_opts *o,
		     const struct evidence_params *p);
void track_group_release(struct track_group *f); /* takes a zeroed one */
/* After the last interval: states and group stay, evidence goes. */
void track_group_close(struct track_group *f);
/* More entities: the next push takes them in, all at once, or this does. 0 or -ENOMEM. */
int track_group_grow(struct track_group *f, size_t n);
int track_group_settle(struct track_group *f);

/* The next interval: of each entity its residual (weight: as over_time_push()) and what it showed. 0 or -ENOMEM. */
int track_group_push(struct track_group *f, const struct residual *in, double weight,
		     const struct track_values *shown, int64_t from_ns, int64_t to_ns);

/* One look at all there is of an entity, without regard to time. */
struct track_look {
	struct evidence evidence;
	double value, peers; /* its mean, and what it would be like its peers */
	int64_t from_ns, to_ns;
	bool brief; /* of a short time: it indicts nobody */
};

/* After the last interval: the look counts where it says more of entity i than time did. */
void track_group_look(struct track_group *f, size_t i, const struct track_look *x);

/* Single values among far better ones decide what is said of entity i: no more than a suspicion. */
static inline void track_group_lone(struct track_group *f, size_t i)
{
	f->at[i].lone = true;
}

/* Whether it is in trouble now, or was when it was compared last. */
static inline bool track_in_trouble(const struct track_entity *s)
{
	return track_state_open(s->state);
}

/* What the test says of its trouble now. */
static inline enum evidence_level track_level(const struct track_entity *s)
{
	return track_in_trouble(s) ? s->last.level : EVIDENCE_NONE;
}

/* Excuses an entity for good: its server was indicted for this, and that incident is forgotten. */
void track_excuse(struct track_entity *s);
/* Nothing of the group is told any more: what is worse has ended. */
void track_group_silence(struct track_group *g, int64_t to_ns);
/* Forgets what ended before this time. */
void track_group_forget(struct track_group *g, int64_t before_ns);

/* Whether its strongest evidence had fewer than EVIDENCE_FEW entities, so that only a large effect may indict. */
static inline bool track_few(const struct track_entity *s)
{
	return s->best.n_peers + 1 < EVIDENCE_FEW;
}

/* What there is to say of it since its onset; about: signal, node, disk and symptom, the rest is filled in. Values
 * as they were compared. */
struct finding track_finding(const struct track_group *f, size_t i, struct finding_about about);

/* Means of value and peers over the excursion, up to its last bad interval; NaN: there is none. */
struct track_values track_means(const struct track_group *f, size_t i);

/*
 * Incidents of servers. A *spell* lasts from the first signal of a server in trouble until all
 * its signals are quiet. Spells of one server and cause that indict and are at most same_ns
 * apart are one incident. A spell gets its id when the rules first call it an incident: the id
 * of the incident that it continues, else a new one. The id stays when cause or onset change,
 * with one exception: a suspicion that turns into an indictment and continues an earlier
 * incident takes that incident's id. No two incidents of a verdict have the same id.
 *
 *   none ── track_open(): a signal is in trouble ──► open
 *   open ── spell_rule(): an incident ─────────────► told: suspicious or indicted, with an id
 *   open ── spell_rule(): a notice, or nothing ────► excused; asked again while evidence is fresh
 *   told ── spell_promote(): a suspicion indicts ──► told as indicted, once the rules say so anew
 *   any ─── spell_close(): all signals quiet ──────► over, and kept; a suspicion, or a spell of which the
 *                                                    rules said nothing, is dropped
 *
 * Each interval, in this order: track_begin(); track_mark() of every signal in trouble that may
 * begin an incident; track_open(); track_add() of the findings of servers of which
 * track_gathers(); track_update().
 */
struct track;

/* What comes every hour is one trouble, last night's is another. */
#define TRACK_SAME_NS (7200 * NS_PER_S)

struct track_rules {
	/* What the rules make of an incident since onset_ns, whose node, findings, times and suspicion are filled in: *a, *m or
	 * nothing, as *ruled says. They may put findings into another order, and say when it began and was decided. 0 or
	 * negative errno. */
	int (*rule)(void *arg, int64_t onset_ns, struct incident *a, struct notice *m,
		    enum ruled *ruled);
	void *arg;
	enum signal_role (*role)(void *arg, size_t signal);
	unsigned int again; /* intervals after which they are asked again */
	int64_t recent_ns;  /* findings that ended before count no more */
	bool whole;	    /* all findings of an incident are told, also those that ended before */
	int64_t same_ns;    /* between two spells of one incident, at most */
};

struct track *track_new(const struct track_rules *rules); /* NULL: out of memory */
void track_free(struct track *t);			  /* takes NULL */
int track_server(struct track *t, const char *name);	  /* the next one. 0 or -ENOMEM */
void track_acknowledge(struct track *t, size_t server);	  /* shown, not indicted */

/* One signal of a server in trouble. */
struct track_mark {
	int64_t onset_ns, last_ns;
	bool indicts;
	bool few;   /* too few peers for it to indict */
	bool brief; /* too short a time for it to indict */
	/* why it indicts nobody, however sure; SUSPICION_NONE: nothing keeps it */
	enum suspicion suspicion;
	bool fresh;   /* worse in this very interval */
	size_t times; /* it came, of what is told as a whole; else 0 */
	double duty;  /* and the share of the time in which it was there */
};

void track_begin(struct track *t);
void track_mark(struct track *t, size_t server, const struct track_mark *m);
int track_open(struct track *t); /* 0 or -ENOMEM */
bool track_gathers(const struct track *t, size_t server);
/* The finding, which replaces the one of its signal and disk, but for the distributions that one has (w1, p99). *stronger:
 * its evidence was never as strong. The tracker's until the next call; NULL: out of memory. */
struct finding *track_add(struct track *t, const struct finding *e, bool *stronger);
/* The interval ended at to_ns. 0, -ENOMEM, or what the rules returned. */
int track_update(struct track *t, int64_t to_ns);

/* Adds a notice; one that is there only lasts longer. 0 or -ENOMEM. */
int track_notice(struct track *t, const struct notice *m);

/* The onset of what is told of a server and not over; INT64_MAX: nothing is. */
int64_t track_since(const struct track *t, size_t server);
uint64_t track_id(const char *server, int64_t onset_ns);

/* Adds incidents (none if the verdict cannot judge) and notices. An idleness since always_ns or before is a role. 0 or
 * -ENOMEM. */
int track_verdict(const struct track *t, struct verdict *a, int64_t always_ns);

/* Forgets incidents and notices that were over before this time; gone() is called for the server of each that indicted. */
void track_forget(struct track *t, int64_t before_ns, void (*gone)(void *arg, size_t server),
		  void *arg);

/*
 * Events: what stands against servers enters as levels, one verdict after the other: incidents
 * of recordings, of jobs, and of both joined. Each transition of a server goes to the
 * subscribers, and so do notices, tasks, and whether anything can be judged. A server is known
 * by its name: verdicts of logs have those that worked lately. What goes on has the id of its
 * first event, and gets it in the verdict too.
 *
 *               EVENT_SUSPICIOUS            EVENT_OPENED
 *   QUIET, OVER ───────────────► SUSPECT ──────────────► INDICTED ──┐ EVENT_CHANGED,
 *    ▲  ▲   │                       │                     ▲  │  ▲   │ EVENT_HELD,
 *    │  │   └──── EVENT_OPENED ─────│─────────────────────┘  │  └───┘ EVENT_RESUMED
 *    │  └─────── EVENT_CLEARED ─────┘                        │
 *    └────────── EVENT_OVER ─────────────────────────────────┘
 *
 * level_enter() makes the arrows to the right and the loop, level_end() those to the left,
 * levels_gone() both of these for a server that the verdict does not have any more. An indicted
 * server that is now only suspicious gets EVENT_OVER, then EVENT_SUSPICIOUS. EVENT_SILENT and
 * EVENT_REPORTING, EVENT_CANNOT and EVENT_JUDGING, EVENT_UNPROVEN and EVENT_PROVEN are three
 * pairs, each told when its flag changes; EVENT_JUDGING also when it is of another number of
 * servers.
 */
enum track_event_kind {
	EVENT_JUDGING,	  /* there is enough to judge by, now */
	EVENT_CANNOT,	  /* there is not */
	EVENT_UNPROVEN,	  /* of servers with nothing against them a fault would not be seen, now */
	EVENT_PROVEN,	  /* it would be, of all of them */
	EVENT_SUSPICIOUS, /* a server is suspicious: nobody is indicted */
	EVENT_CLEARED,	  /* it is no more, and was not indicted */
	EVENT_OPENED,	  /* a server limps */
	EVENT_CHANGED,	  /* still, but for another cause, or another process or host does it */
	EVENT_HELD,	  /* too few events to judge again: the verdict stands */
	EVENT_RESUMED,	  /* it is judged again, and still limps */
	EVENT_OVER,
	EVENT_SILENT,	 /* a server stopped reporting, while most of its peers do */
	EVENT_REPORTING, /* it reports again */
	EVENT_NOTICE,	 /* no fault of a server, or known */
	EVENT_STRAGGLER, /* a task that runs holds up its job */
	EVENT_DECISION,	 /* what holds up a job that runs is known, or is another thing */
	EVENT_KINDS
};

struct track_event {
	enum track_event_kind kind;
	int64_t at_ns;	    /* end of the last interval */
	size_t node;	    /* in the verdict; SIZE_MAX: of none in particular */
	const char *server; /* "" of none; as it came, until the subscriber returns */
	ssize_t incident, notice, straggler, job; /* number in the verdict, -1: none */
	uint64_t id; /* of the incident, from its first event to its last; 0: none */
	size_t more; /* so many stragglers more, which are not told */
	bool open;   /* of an incident: the server limps, or is suspicious */
};

typedef int track_fn(void *arg, const struct verdict *a, const struct track_event *e);

struct track_events;

struct track_events *track_events_new(void); /* NULL: out of memory */
void track_events_free(struct track_events *t);
/* fn is called with each event, and the verdict that it is new in; its error ends track_events_tell(). 0 or -ENOMEM. */
int track_subscribe(struct track_events *t, track_fn *fn, void *arg);
void track_unsubscribe(struct track_events *t, const void *arg);

/*
 * What another run told last, before the first verdict: an incident of this server is open, with this id. It goes on without
 * an event if the next verdict has it, and is over if that has not. 0 or -ENOMEM.
 */
struct track_open_incident {
	const char *server;
	uint64_t id;
	bool suspicious, silent; /* silent: nothing but that it stopped reporting */
	enum cause cause;
	const char *process; /* behind it, without its number; "": none */
};
int track_resume(struct track_events *t, const struct track_open_incident *x);
/* That something is unproven was told last, and not that it is no more. */
void track_resume_unproven(struct track_events *t);

/* Likewise: it told this of a task or a job, which is no news as long as it is not away for TRACK_AGAIN_NS. What is told first here counts: the newest. */
struct track_told {
	const char *name, *decided_by; /* decided_by: NULL: of a task */
	const char *subject;	       /* that the decision names; "" */
};
int track_resume_told(struct track_events *t, const struct track_told *x, int64_t now_ns);

/*
 * Tells what is in `a` and was not in the verdict before, in order: whether anything can be judged, what is over, what
 * began or changed, notices, tasks. A notice lasts as long as it is renewed; it is told again once it was away for
 * TRACK_AGAIN_NS. Notices that were away that long when they are first seen are not told; so are tasks, of which at most
 * TRACK_TASKS are told at once, and the rest counted; and decisions about jobs, where what decided or what it names is
 * not what was told last of the job: TRACK_TASKS at once, the others with the next verdicts. 0, -ENOMEM, or what a subscriber returned.
 */
#define TRACK_AGAIN_NS (600 * NS_PER_S)
enum {
	TRACK_TASKS = 10
}; /* a server that hangs has as many slots, about; more hide what else is told */
int track_events_tell(struct track_events *t, struct verdict *a);

/*
 * Hysteresis of jobs that are not over, whose verdict changes with every task that ends: a server is indicted if three of
 * the last five verdicts indicted it, so that no incident is opened and over within seconds. Of others an incident is made
 * suspicious. at_once: of this verdict as it is, for what lies back when watching begins. 0 or -ENOMEM.
 */
enum { VERDICTS_NEEDED = 3, VERDICTS_OF = 5 };
int track_steady(struct track_events *t, struct verdict *jobs, bool at_once);
/* Whether the next verdict may say something else of the same data. */
bool track_unsteady(const struct track_events *t);

/*
 * History: of each signal of a server the means of half minutes, of the last three days, for questions that come later.
 * Signals are numbered from 0 by its owner, which sets how many there are before it adds; all else is zeroed at first.
 */
struct track_history {
	size_t signals;
	int64_t first_ns;
	struct track_past *at; /* by server, then signal */
	size_t n;
	bool any, failed; /* no memory: there is nothing any more */
};

/* One interval. */
struct track_point {
	int64_t from_ns;
	double d;	     /* ln: worse than its peers by this; finite */
	double value, peers; /* as they are shown */
};

/* Means over n intervals. */
struct track_mean {
	double d, value, peers, n;
	int64_t from_ns, to_ns; /* in which there were some */
};

/* Of several entities of a server the worst counts. Intervals come in order. */
void track_history_add(struct track_history *h, size_t server, size_t signal,
		       const struct track_point *x);
void track_history_release(struct track_history *h);
size_t track_history_servers(const struct track_history *h);
int64_t track_history_step(const struct track_history *h,
			   int64_t ns); /* the half minute of a time */
/* From half minute to half minute, both included; n 0: there is nothing. */
struct track_mean track_history(struct track_history *h, size_t server, size_t signal, int64_t from,
				int64_t to);

#endif
