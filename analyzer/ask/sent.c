// SPDX-License-Identifier: BSD-2-Clause
#include "sent.h"

#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"
#include "analyzer/draw/html.h"
#include "userspace/common/clock.h"
#include "userspace/common/times.h"

/* What a form has that a page of ours gave to this user. */
void form_word(const struct front *f, const char *user, char word[FORM_WORD + 1])
{
	unsigned char mac[32] = {0};

	HMAC(EVP_sha256(), f->token, EXCHANGE_TOKEN_LEN, (const unsigned char *)user, strlen(user),
	     mac, NULL);
	for (size_t i = 0; i < sizeof(mac); i++)
		snprintf(word + 2 * i, 3, "%02x", mac[i]);
}

bool front_has_forms(const struct front *f)
{
	return f->users || f->o->proxy_user;
}

void put_form_word(FILE *to, const struct front *f, const struct listener_request *r)
{
	char word[FORM_WORD + 1];

	form_word(f, r->caller, word);
	fprintf(to, "<input type=\"hidden\" name=\"form\" value=\"%s\">", word);
	html_enclose(to, "<input type=\"hidden\" name=\"page\" value=\"", r->path, "\">");
}

static bool is_of_our_origin(const struct listener_request *r)
{
	struct evkeyvalq *in = evhttp_request_get_input_headers(r->http);
	const char *origin = evhttp_find_header(in, "Origin"),
		   *site = evhttp_find_header(in, "Sec-Fetch-Site"),
		   *host = evhttp_find_header(in, "Host"), *of;

	if (site && strcmp(site, "same-origin") != 0)
		return false;
	of = origin ? strstr(origin, "://") : NULL;
	return !origin || (of && host && !strcasecmp(of + 3, host));
}

bool sent_read(struct sent *s, const struct listener_request *r)
{
	const char *type =
		evhttp_find_header(evhttp_request_get_input_headers(r->http), "Content-Type");
	char *text;
	bool well;

	*s = (struct sent){0};
	TAILQ_INIT(&s->form);
	if (type && !strncasecmp(type, "application/json", 16)) {
		s->object = json_loadb(r->body, r->len, JSON_REJECT_DUPLICATES, NULL);
		return json_is_object(s->object);
	}
	text = r->len ? strndup(r->body, r->len) : NULL;
	well = text && !evhttp_parse_query_str(text, &s->form);
	free(text);
	return well;
}

void sent_release(struct sent *s)
{
	evhttp_clear_headers(&s->form);
	json_decref(s->object);
}

/* "": it is not there. */
const char *sent_text(const struct sent *s, const char *key)
{
	const char *text = s->object ? json_string_value(json_object_get(s->object, key))
				     : evhttp_find_header(&s->form, key);

	return text ? text : "";
}

bool sent_has(const struct sent *s, const char *key)
{
	return s->object ? json_object_get(s->object, key) != NULL : *sent_text(s, key);
}

/* Whether the token was shown, and was right: front_who() calls nobody else so. */
static bool sent_by_token(const struct listener_request *r)
{
	return !strcmp(r->caller, USERS_NOBODY);
}

bool front_may_change(const struct front *f, struct listener_request *r, const struct sent *s)
{
	char word[FORM_WORD + 1];
	const char *is = sent_text(s, "form");
	bool unknown;

	if (sent_by_token(r))
		return true;
	form_word(f, r->caller, word);
	if (!is_of_our_origin(r)) {
		sent_refuse(r, s, 403, 0, "a page of another site asked for that");
		return false;
	}
	if (front_has_forms(f) && strlen(is) == FORM_WORD && !CRYPTO_memcmp(is, word, FORM_WORD))
		return true;
	/* A program of this host that has shown nothing yet. Bearer: for that no browser asks its reader. */
	unknown = !*is && !strcmp(r->caller, WHO_HERE);
	if (unknown)
		evhttp_add_header(evhttp_request_get_output_headers(r->http), "WWW-Authenticate",
				  "Bearer realm=\"limpet\"");
	sent_refuse(r, s, unknown ? 401 : 403, 0,
		    "that takes the token of the service (DIR/token), as 'Authorization: "
		    "Bearer TOKEN'");
	return false;
}

bool sent_time(const struct sent *s, const char *key, int64_t *ns, char why[WHY_LEN])
{
	const struct time_here here = {.now_ns = clock_ns(CLOCK_REALTIME)};

	if (!sent_has(s, key) || !time_said(sent_text(s, key), &here, ns, why))
		return true;
	snprintf(why, WHY_LEN, "'%s' is a time such as 2026-11-21T20:05:30Z", key);
	return false;
}

/* The page that the form was on, as far as that is one of ours. */
static const char *page_of(const struct sent *s)
{
	const char *page = sent_text(s, "page");
	bool ours = page[0] == '/' && page[1] != '/' && strlen(page) < 512;

	for (const char *c = page; *c; c++)
		ours &= *c > ' ' && *c < 127 && *c != '\\';
	return ours ? page : "/";
}

void sent_answer(struct listener_request *r, const struct sent *s, json_t *object)
{
	const char *headers[3] = {"Location", page_of(s)};
	struct text t = {0};

	if (*sent_text(s, "page"))
		listener_reply(r, 303, "text/plain; charset=utf-8", headers, &t);
	else
		front_json(r, 200, json_incref(object));
	json_decref(object);
}

bool front_is_browser(const struct listener_request *r)
{
	struct evkeyvalq *in = evhttp_request_get_input_headers(r->http);
	const char *accept = evhttp_find_header(in, "Accept");

	return accept && strstr(accept, "text/html");
}

void sent_refuse(struct listener_request *r, const struct sent *s, int status, unsigned int wait_ms,
		 const char *why)
{
	bool form = s && !s->object && !sent_by_token(r) && front_is_browser(r);

	if (!form || !page_refuse(r, status, why, page_of(s)))
		listener_refuse(r, status, wait_ms, "%s", why);
}
