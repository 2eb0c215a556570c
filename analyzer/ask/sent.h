/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The body of a request that changes something, or costs much. Whoever sends it shows the service's token, as a program, or that a page of ours
 * sent the form: by a word that another site's page cannot read, and by what the browser says of its origin.
 */
#ifndef LIMPET_ASK_SENT_H
#define LIMPET_ASK_SENT_H

#include <event2/keyvalq_struct.h>
#include <jansson.h>

#include "analyzer/http/listener.h"

struct front;

/* A form, or an object of JSON. */
struct sent {
	struct evkeyvalq form;
	json_t *object;
};

/* false: it is neither. To be released in any case. */
bool sent_read(struct sent *s, const struct listener_request *r);
void sent_release(struct sent *s);
bool sent_has(const struct sent *s, const char *key);
/* "": it is not there, or no text. */
const char *sent_text(const struct sent *s, const char *key);
/* A time, which stays as it is where there is none; false, and why: it is none. */
bool sent_time(const struct sent *s, const char *key, int64_t *ns, char why[WHY_LEN]);

/* Whether they may; else it is answered. */
bool front_may_change(const struct front *f, struct listener_request *r, const struct sent *s);

/* Of what was changed: the object, which it takes, or back to the page that the form was on. */
void sent_answer(struct listener_request *r, const struct sent *s, json_t *object);

/* What was not changed, and why: as listener_refuse() does, or a page, with a way back, where a browser sent a form. NULL: nothing was sent. */
void sent_refuse(struct listener_request *r, const struct sent *s, int status, unsigned int wait_ms,
		 const char *why);

/* Whether the answer is shown to somebody. */
bool front_is_browser(const struct listener_request *r);

enum { FORM_WORD = 2 * 32 };
/* What a form has that a page of ours gave to this user. */
void form_word(const struct front *f, const char *user, char word[FORM_WORD + 1]);

#endif
