/* SPDX-License-Identifier: BSD-2-Clause */
/* The front, as its files see it and nobody else: front.c (thread and routes), who.c, sent.c, scrapes.c, diagnose_asked.c, api.c, incidents_asked.c, drawings.c,
 * series_asked.c, roster_asked.c, silences_asked.c, summary.c, streams.c; and pages.h, drawings.h. */
#ifndef LIMPET_ASK_INTERNAL_H
#define LIMPET_ASK_INTERNAL_H

#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/queue.h>

#include "front.h"
#include "analyzer/http/listener.h"
#include "analyzer/http/token.h"
#include "analyzer/http/users.h"

struct stream;
struct scraper;

struct front {
	const struct front_opts *o;
	struct board *board;
	struct http_hosts names;
	struct event_base *base;
	struct event *news, *pulse, *stop;
	int stop_fd;
	struct listener *listener;
	pthread_t thread;
	bool running;
	struct users *users;		    /* NULL: none are told of */
	struct tls *tls;		    /* NULL: plain */
	char token[EXCHANGE_TOKEN_LEN + 1]; /* of programs */
	atomic_bool reload;		    /* for other threads to set */
	struct silences *silences;
	sqlite3 *db;	      /* NULL: not opened yet */
	char run[24];	      /* of this process: what numbers of events are of */
	struct snapshot *now; /* that is answered by at present; NULL: there is none yet */
	json_t *object;	      /* of its verdict, made when it is asked for */
	json_t *tasks;	      /* likewise; the object has them not, as they are many */
	struct disk_thread *diagnoses;
	struct judged_again *diagnosis; /* that is made at present; NULL */
	struct event *diagnosed;
	int diagnosed_fd;
	atomic_bool ends;
	struct disk_thread *reader; /* of the history, alone */
	LIST_HEAD(, drawing) drawings;
	struct event *drawn;
	int drawn_fd;
	LIST_HEAD(, stream) streams;
	LIST_HEAD(, scraper) scrapes; /* that wait for a text */
};

/* The newest snapshot, until the next call; NULL, and it is answered: there is none yet. */
struct snapshot *front_now(struct front *f, struct listener_request *r);
/* Its verdict, and {"tasks": […], "states": […]}; NULL, and it is answered. */
json_t *front_object(struct front *f, struct listener_request *r);
json_t *front_tasks(struct front *f, struct listener_request *r);
/* DIR/incidents.db; NULL: there is none that can be read. */
sqlite3 *front_db(struct front *f);

/* who.c. Users and the token, anew; where that fails nothing has changed. 0 or -errno with the sentence. */
int who_load(struct front *f, char why[WHY_LEN]);
/* Who asks, where neither users nor a proxy are told of. */
#define WHO_HERE "this host"
int front_who(void *arg, struct listener_request *r, char name[LISTENER_NAME]);

/* A name of the query, decoded; "" where that is no text, or too long, so that it is not taken for left out. false: it is not there. */
bool front_query(const struct listener_request *r, const char *name, char *to, size_t size);
/* What stands behind a route's path, decoded; false: nothing, or more than a name. */
bool front_rest(const struct listener_request *r, char *to, size_t size);
/* A time of the query, which stays where there is none; false, and it is answered: it is none. */
bool front_time(struct listener_request *r, const char *name, int64_t *ns);
/* Answers; takes the reference. */
void front_json(struct listener_request *r, int status, json_t *object);

/* api.c; a route for everything that is a list in the verdict, and its tasks. */
enum { FILTERS_MAX = 5 };
struct api_list {
	const char *path, *key;		  /* of the verdict */
	const char *filters[FILTERS_MAX]; /* keys of its elements that a query may name */
	const char *what;
};
extern const struct api_list api_lists[];
/* What all answers begin with. */
json_t *api_head(const struct snapshot *s);
void api_verdict(void *arg, struct listener_request *r);
void api_of_list(void *arg, struct listener_request *r);
void api_server(void *arg, struct listener_request *r);
void api_openapi(void *arg, struct listener_request *r);
/* incidents_asked.c */
void api_incidents(void *arg, struct listener_request *r);
void api_incident(void *arg, struct listener_request *r);
/* The incident's object, with what the board knows better; NULL: there is none of this id. */
json_t *incident_of_id(struct front *f, const char *id, json_t *verdict);
/* silences_asked.c */
void api_silences(void *arg, struct listener_request *r);
void api_silence_add(void *arg, struct listener_request *r);
void api_silence_end(void *arg, struct listener_request *r);
/* diagnose_asked.c. 0 or -ENOMEM; stopped in any case. */
int diagnoses_start(struct front *f);
void diagnoses_stop(struct front *f);
void api_diagnose(void *arg, struct listener_request *r);
/* Whether that is what is asked for: then it is answered, or will be. */
bool verdict_asked_at(struct front *f, struct listener_request *r);
/* roster_asked.c */
void api_roster(void *arg, struct listener_request *r);
void api_roster_load(void *arg, struct listener_request *r);
void api_roster_change(void *arg, struct listener_request *r);
void api_queries(void *arg, struct listener_request *r);
/* scrapes.c */
void answer_metrics(void *arg, struct listener_request *r);
void scrapes_tell(struct front *f);
/* series_asked.c */
void api_series(void *arg, struct listener_request *r);
/* The number of a server, or of a signal by its word; n_nodes, n_signals: there is none such. */
size_t front_server(const struct verdict *a, const char *name);
size_t front_signal(const struct verdict *a, const char *word);
/* Of the verdict; NULL: it has none of this id. */
const struct incident *incident_known(const struct verdict *a, const char *id);
/* streams.c */
void api_events(void *arg, struct listener_request *r);
void streams_tell(struct front *f);
void streams_pulse(struct front *f);
/* summary.c */
void api_summary(void *arg, struct listener_request *r);

#endif
