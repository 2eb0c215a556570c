/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages for people, of the front's thread: their frame, their parts and their routes. */
#ifndef LIMPET_ASK_PAGES_H
#define LIMPET_ASK_PAGES_H

#include "drawings.h"

/* pages.c. A page: begun (NULL: out of memory), and answered in any case. */
struct html_page {
	FILE *to;
	char *bytes;
	size_t len;
};
FILE *page_begin(struct html_page *p, const char *title);
void page_end(struct html_page *p, struct listener_request *r);
/* A page that says why a form of the page `back` was refused; false: out of memory, and it is not answered. */
bool page_refuse(struct listener_request *r, int status, const char *why, const char *back);
/* A page that says why a page is not shown; false: a program asked, or for no page (listener.h). */
bool page_show_refusal(void *arg, struct listener_request *r, int status, const char *why);
void put_nav(FILE *to, const struct snapshot *s);
/* A name as a part of a path; the text and </a> are the caller's. */
void put_link(FILE *to, const char *before, const char *path, const char *name);

/* Whether pages have forms: only for people who are known by name. */
bool front_has_forms(const struct front *f);
/* What each form has besides: the word of who asks, and the page to go back to. */
void put_form_word(FILE *to, const struct front *f, const struct listener_request *r);
/* silences_asked.c */
/* A form for one of a server ("all": of any), or of an incident (an id; NULL). */
void put_silence_form(FILE *to, const struct front *f, const struct listener_request *r,
		      const char *server, const char *incident);
/* Those of a server ("": of all; NULL: any) and an incident (0: of none), with a way to end them. */
void put_silences(FILE *to, const struct front *f, const struct listener_request *r,
		  const char *server, uint64_t incident);
/* page_charts.c: what drawings are drawn by; where no history is kept, nothing is written */
int draw_incident(const struct drawing *j, FILE *to);
int draw_server(const struct drawing *j, FILE *to);
/* Which signal of a server is asked for, and over which span. */
void read_span_asked(struct series_query *q, const struct snapshot *s,
		     const struct listener_request *r);
/* page_tiles.c: every server, by group of peers where there are groups */
void put_tiles(FILE *to, const struct verdict *a);
/* page_lanes.c: tasks of a job of the verdict over time, by server; nothing where there are none. */
void put_lanes(FILE *to, const struct verdict *a, size_t job);

/* Routes. */
void page_home(void *arg, struct listener_request *r);
void page_server(void *arg, struct listener_request *r);
void page_incident(void *arg, struct listener_request *r);
void page_style(void *arg, struct listener_request *r);
void page_script(void *arg, struct listener_request *r);
/* page_jobs.c; and how many jobs run, with a way there; nothing where there are none */
void put_jobs(FILE *to, const struct front *f, const struct verdict *a);
void page_jobs(void *arg, struct listener_request *r);
/* summary.c */
void page_summary(void *arg, struct listener_request *r);

#endif
