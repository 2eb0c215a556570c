// SPDX-License-Identifier: BSD-2-Clause
/* pair.h: a thread asks; the judge compares. */
#include "pair.h"

#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "userspace/common/json_make.h"
#include "userspace/common/threads.h"
#include "userspace/fetch/receiver.h"
#include "userspace/wire/exchange.h"

struct other {
	const struct receiver *r;
	struct fetch *fetch; /* the thread's */
	/* Under the lock. */
	json_t *limps; /* an array of names; NULL: nothing was said yet */
	bool can_judge;
	int64_t answered_ns; /* CLOCK_MONOTONIC */
	char why[WHY_LEN];   /* it does not answer */
	/* The judge's. */
	int64_t differs_ns; /* since then; 0: it does not */
};

struct serve_pair {
	struct receivers receivers;
	struct other others[RECEIVERS_MAX];
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool running, ends;
	volatile sig_atomic_t stop; /* of a request */
	char sentence[600];
};

/* ---- what is compared ---------------------------------------------------------------------------------- */

static bool limps(const struct incident *x)
{
	return x->open && x->suspicion == SUSPICION_NONE;
}

static json_t *limping(const struct verdict *a)
{
	json_t *all = json_array();

	for (size_t i = 0; all && i < a->n_incidents; i++)
		if (limps(&a->incidents[i]))
			all = append_json(all, words_json(verdict_node(a, a->incidents[i].node)));
	return all;
}

void pair_put(struct text *to, const struct verdict *a, bool can_judge)
{
	char *line = line_of_json(
		json_pack("{s:b, s:o}", "can_judge", can_judge, "limps", limping(a)), 0);

	if (line)
		text_put(to, line);
	else
		text_fail(to);
	free(line);
}

static bool has_name(const json_t *names, const char *name)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)names, i, one)
		if (json_is_string(one) && !strcmp(json_string_value(one), name))
			return true;
	return false;
}

/* The first name of `a` that is not among `b`. */
static const char *not_in(const json_t *a, const json_t *b)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)a, i, one)
		if (json_is_string(one) && !has_name(b, json_string_value(one)))
			return json_string_value(one);
	return NULL;
}

/* ---- the thread ---------------------------------------------------------------------------------------- */

/* NULL with `why`. */
static json_t *read_answer(int fd, long status, char why[WHY_LEN])
{
	char bytes[EXCHANGE_ANSWER_MAX + 1];
	ssize_t n = read(fd, bytes, sizeof(bytes) - 1);
	json_t *said;

	if (status == 401 || status == 403)
		snprintf(why, WHY_LEN,
			 "it does not trust us: 'limpet serve trust NAME' there, with the name we "
			 "are enrolled by");
	else if (status != 200)
		snprintf(why, WHY_LEN, "it answers with status %ld", status);
	if (status != 200)
		return NULL;
	said = n > 0 ? json_loadb(bytes, (size_t)n, 0, NULL) : NULL;
	if (json_is_array(json_object_get(said, "limps")) &&
	    json_is_boolean(json_object_get(said, "can_judge")))
		return said;
	json_decref(said);
	snprintf(why, WHY_LEN, "it does not answer as 'limpet serve' does");
	return NULL;
}

static void ask(struct serve_pair *p, struct other *o)
{
	char url[URL_MAX_LEN + 32], why[WHY_LEN] = "";
	json_t *said = NULL;
	long status = 0;
	int fd = -1;

	if (!o->fetch)
		o->fetch = receiver_fetch(o->r, &p->stop, why);
	snprintf(url, sizeof(url), "%s%s", o->r->url, EXCHANGE_PAIR);
	if (o->fetch)
		fd = fetch_get(o->fetch, url, EXCHANGE_ANSWER_MAX, &status, why);
	if (fd >= 0) {
		said = read_answer(fd, status, why);
		close(fd);
	}
	pthread_mutex_lock(&p->lock);
	snprintf(o->why, sizeof(o->why), "%s", said ? "" : why);
	if (said) {
		json_decref(o->limps);
		o->limps = json_incref(json_object_get(said, "limps"));
		o->can_judge = json_is_true(json_object_get(said, "can_judge"));
		o->answered_ns = clock_ns(CLOCK_MONOTONIC);
	}
	json_decref(said);
	pthread_mutex_unlock(&p->lock);
}

static void *pair_run(void *arg)
{
	struct serve_pair *p = arg;

	do
		for (size_t i = 0; i < p->receivers.n && !p->stop; i++)
			ask(p, &p->others[i]);
	while (!thread_pause(&p->lock, &p->wake, PAIR_EVERY_S, &p->ends));
	return NULL;
}

/* ---- for the service ----------------------------------------------------------------------------------- */

int pair_start(struct serve_pair **out, const char *dir)
{
	struct serve_pair *p = calloc(1, sizeof(*p));
	char path[4200];
	int err = -ENOMEM;

	*out = NULL;
	if (!p) {
		fail("out of memory");
		return err;
	}
	pthread_mutex_init(&p->lock, NULL);
	thread_cond_init(&p->wake);
	snprintf(path, sizeof(path), "%s/pair", dir);
	err = receivers_read(&p->receivers, path) ? -EINVAL : 0;
	for (size_t i = 0; i < p->receivers.n; i++) {
		p->others[i].r = &p->receivers.at[i];
		p->others[i].answered_ns = clock_ns(CLOCK_MONOTONIC);
	}
	if (!err && p->receivers.n) {
		err = thread_start(&p->thread, "pair", pair_run, p);
		p->running = !err;
		if (err)
			fail("cannot start a thread: %s", strerror(-err));
	}
	if (p->running)
		*out = p;
	else
		pair_stop(p);
	return err;
}

void pair_stop(struct serve_pair *p)
{
	if (!p)
		return;
	p->stop = 1;
	pthread_mutex_lock(&p->lock);
	p->ends = true;
	pthread_cond_signal(&p->wake);
	pthread_mutex_unlock(&p->lock);
	if (p->running)
		pthread_join(p->thread, NULL);
	for (size_t i = 0; i < p->receivers.n; i++) {
		fetch_free(p->others[i].fetch);
		json_decref(p->others[i].limps);
	}
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* Whether it differs by now; `why` says how. */
static bool differs(const struct other *o, const json_t *ours, bool can_judge, char why[WHY_LEN])
{
	const char *name;

	*why = '\0';
	if (!o->limps)
		return false;
	if (o->can_judge != can_judge)
		snprintf(why, WHY_LEN,
			 o->can_judge ? "it can judge, and we cannot"
				      : "it cannot judge, and we can");
	else if ((name = not_in(o->limps, ours)))
		snprintf(why, WHY_LEN, "it says that %.100s limps, and we do not", name);
	else if ((name = not_in(ours, o->limps)))
		snprintf(why, WHY_LEN, "we say that %.100s limps, and it does not", name);
	return *why;
}

const char *pair_compare(struct serve_pair *p, const struct verdict *a, bool can_judge,
			 struct pair_counts *n)
{
	int64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	json_t *ours = p ? limping(a) : NULL;

	*n = (struct pair_counts){.all = p ? p->receivers.n : 0};
	if (!p)
		return NULL;
	*p->sentence = '\0';
	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < p->receivers.n && ours; i++) {
		struct other *o = &p->others[i];
		bool away = now_ns - o->answered_ns > PAIR_AWAY_NS;
		char why[WHY_LEN];

		if (away || !differs(o, ours, can_judge, why))
			o->differs_ns = 0;
		else if (!o->differs_ns)
			o->differs_ns = now_ns;
		n->answer += !away && o->limps;
		n->agree += !away && o->limps && !o->differs_ns;
		if (*p->sentence)
			continue;
		if (away)
			snprintf(p->sentence, sizeof(p->sentence),
				 "the receiver '%.200s' does not answer: %s", o->r->url, o->why);
		else if (o->differs_ns && now_ns - o->differs_ns > PAIR_DIFFERS_NS)
			snprintf(p->sentence, sizeof(p->sentence),
				 "the receiver '%.200s' does not agree: %s", o->r->url, why);
	}
	pthread_mutex_unlock(&p->lock);
	json_decref(ours);
	return *p->sentence ? p->sentence : NULL;
}
