/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A panel: entities that are compared with each other in one signal. Who compares them (the engine of recordings, that of
 * tables) fills in what each of them showed in an interval; panel_push() makes evidence and states of it. What tracker
 * and verdict ask of a panel is asked here, whatever filled it.
 *
 * A signal is a row as in signals[]; a column of a table makes its own. Values are as they are compared: signal_shown()
 * of the row makes them values for people. Times are of the interval's start and end.
 */
#ifndef LIMPET_PANEL_H
#define LIMPET_PANEL_H

#include "analyzer/evidence/evidence.h"
#include "analyzer/signal/signal.h"
#include "analyzer/track/track.h"
#include "analyzer/verdict/verdict.h"

struct panel_member {
	size_t node;	  /* the server, as it is numbered in tracker and verdict */
	size_t number;	  /* of the entity, as the owner of the panel counts */
	const char *disk; /* "": the server itself; the owner's, and there as long as the panel */
};

struct panel_opts {
	const struct signal_row *row; /* the caller's, and there as long as the panel */
	size_t signal;		      /* its row in the verdict */
	bool hidden; /* its members are judged in other panels: it observes nothing, and no verdict has it */
	unsigned int
		least_alone; /* so many intervals without a peer at its load, and more than others: it is alone */
	bool whole; /* time says little: what a member was worst at counts, whenever that was */
	bool halves_unproven; /* a group that falls in two proves nothing of its members */
};

/* What a member of a whole was worst at; level NONE: at nothing. Once it indicted: the time of all that did. */
struct panel_worst {
	enum evidence_level level;
	struct finding e; /* the strongest */
	bool few;	  /* among too few peers */
	bool open;	  /* it indicts, or has since it did */
	size_t times;	  /* that it began to */
	int64_t onset_ns, decided_ns, last_ns;
	int64_t began_ns, there_ns; /* the last time; all before that together */
};

struct panel {
	struct panel_opts o;
	struct panel_member *members;
	size_t n;
	struct track_group track;  /* n entities */
	struct panel_worst *worst; /* n, of a whole; else NULL */
};

/* Evidence as this signal needs it. shortest: the binary logarithm of the intervals in the shortest window;
 * looks: signals that share the budget. */
struct evidence_params panel_params(const struct signal_row *row, double interval_s, double budget,
				    double looks, unsigned int shortest);

/* 0 or -ENOMEM; after that panel_release() is needed either way. */
int panel_init(struct panel *p, const struct panel_opts *o, const struct evidence_params *e);
void panel_release(struct panel *p);			       /* takes a zeroed one */
int panel_join(struct panel *p, const struct panel_member *m); /* 0 or -ENOMEM */

/* What each member showed in one interval: a workspace for many panels, one after the other. Zeroed at first. */
struct panel_values {
	struct residual *in;	    /* r NaN: it was not compared */
	struct track_values *shown; /* value, peers, n_peers, alone */
	double *d;		    /* ln: how much worse it is, for people; NaN: as the residual */
	double weight;		    /* of a residual: as over_time_push() */
	bool *small; /* an excess below the signal's floor: it counts as less than what indicts, and is in the
		      * yardstick */
	size_t cap;
};

/* Room for n members, of whom nothing is known yet. 0 or -ENOMEM. */
int panel_values_begin(struct panel_values *v, size_t n);
void panel_values_release(struct panel_values *v);

/* A member beside its peers in one interval, and how it stands then. */
struct observation {
	int64_t from_ns, to_ns;
	size_t node;
	const char *disk; /* "" of the server */
	size_t signal;
	double d;	     /* ln: how much worse than its peers at equal load */
	double value, peers; /* as they were compared */
	double z;	     /* d beside how far peers are apart in single intervals */
	double ratio;	     /* exp(d) */
	double spread;	     /* ln: how far peers are apart in single intervals */
	double score, needs; /* of the test, at the length that says most; NaN: not tested yet */
	bool worse; /* in this interval, by more than half of what indicts and than the floor */
	enum evidence_level level;
};
/* An error ends panel_push(). */
typedef int panel_observe_fn(void *arg, const struct panel *p, const struct observation *o);

/* The next interval. fn (may be NULL) is called for each member that was compared. 0, -ENOMEM, or what fn returned. */
int panel_push(struct panel *p, struct panel_values *v, int64_t from_ns, int64_t to_ns,
	       panel_observe_fn *fn, void *arg);

/* After the last interval: one look at all there is of a member. */
void panel_look(struct panel *p, size_t m, const struct track_look *x);

/* Observations for --explain, in the order in which they are made. Zeroed at first. */
struct panel_explained {
	struct explained_look *at;
	size_t n;
};
/* A panel_observe_fn; arg: a struct panel_explained. */
int panel_explain(void *arg, const struct panel *p, const struct observation *o);

/* ---- for the tracker ------------------------------------------------------------------------------ */

/* What there is to say of a member since its onset, with values for people. */
struct finding panel_finding(const struct panel *p, size_t m);
/* The same; of a whole, of what it was worst at. */
struct finding panel_worst(const struct panel *p, size_t m);
/* Of a whole: the share of the time from the onset on in which it was so. */
double panel_duty(const struct panel *p, size_t m);
/* Whether it is worse now, or, of a whole, was at any time. */
bool panel_in_trouble(const struct panel *p, size_t m);
/* Marks the servers whose members are in trouble by what may begin an incident; open: only where it goes on. */
void panel_mark(const struct panel *p, struct track *t, bool open);
/* Adds the findings of servers of which the tracker gathers them. stronger (may be NULL) is called for one whose evidence
 * was never as strong, and may fill in more. 0 or -ENOMEM. */
int panel_gather(const struct panel *p, struct track *t,
		 void (*stronger)(const void *arg, const struct panel *p, size_t member,
				  struct finding *e),
		 const void *arg);

/* ---- for the verdict ------------------------------------------------------------------------------ */

/* Whether it found no peer at its load, most of the time. */
bool panel_is_alone(const struct panel *p, size_t m);
/* Whether its signal was judged, what would have been seen in it by now, which resources were used. 0 or -ENOMEM. */
int panel_verdict(const struct panel *p, struct verdict *a);
/* Adds members that are alone, of servers that were judged otherwise. 0 or -ENOMEM. After the last panel the lines are
 * put in order by panel_unjudged_sort(). */
int panel_unjudged(const struct panel *p, struct verdict *a);
void panel_unjudged_sort(struct verdict *a);
/* After the incidents: members that were worse, of servers of which nothing is told. 0 or -ENOMEM. */
int panel_ruled_out(const struct panel *p, struct verdict *a);

#endif
