// SPDX-License-Identifier: BSD-2-Clause
/* `limpet-push check`: what would be sent where, and whether each receiver answers. */
#include "push_commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "answer.h"
#include "copies.h"
#include "places.h"
#include "userspace/fetch/receiver.h"
#include "seconds.h"
#include "userspace/common/clock.h"
#include "userspace/common/output.h"

/* Whether something is new in the series files. 0, or EXIT_FAILED. */
static int check_series(const char *dir, const char *host)
{
	struct seconds *s = seconds_new(dir, host);
	struct text body TEXT_SCOPED = {0};
	int64_t now = clock_ns(CLOCK_REALTIME), last_ns = 0;
	uint64_t bytes = 0;
	size_t files = 0;
	int err =
		s ? copies_count(dir, host, &files, &bytes) : series_fail(-ENOMEM, "out of memory");
	int n = 0;

	if (!err)
		err = n = seconds_next(s, now - 60 * NS_PER_S, now, EXCHANGE_BODY, &body, &last_ns);
	seconds_free(s);
	printf("host      %s\n", host);
	if (err < 0) {
		printf("series    %s: %s\n", dir, series_error());
		return EXIT_FAILED;
	}
	printf("series    %s: %zu file%s of this host, %.1f MB; %s\n", dir, files,
	       text_plural(files), (double)bytes / 1e6,
	       n ? "the last minute is there" : "nothing is there of the last minute");
	if (!n)
		printf("          (does limpet-probe record? does --host have the name that it "
		       "has?)\n");
	return n ? 0 : EXIT_FAILED;
}

static void check_logs(struct places *p)
{
	pthread_mutex_lock(&p->lock);
	places_look(p);
	for (size_t i = 0; i < p->n; i++) {
		size_t n[LOG_LEFT_WAYS] = {0};
		int64_t bytes = 0;

		for (size_t k = 0; k < p->n_logs; k++) {
			const struct place_log *log = &p->logs[k];

			if (log->place != i)
				continue;
			n[log->left]++;
			bytes += log->left == LOG_SENT ? log->size : 0;
		}
		if (p->at[i].asked_for || n[LOG_SENT] + n[LOG_OLD] + n[LOG_LARGE] + n[LOG_NAMED])
			printf("logs      %s: %s: %zu log%s, %.1f MB; left out: %zu older than a "
			       "week, %zu too large, %zu with names that are no text\n",
			       p->at[i].name, p->at[i].path, n[LOG_SENT], text_plural(n[LOG_SENT]),
			       (double)bytes / 1e6, n[LOG_OLD], n[LOG_LARGE], n[LOG_NAMED]);
	}
	pthread_mutex_unlock(&p->lock);
}

/* Asks as a sender does at first. */
static int check_receiver(const struct receiver *r)
{
	char url[URL_MAX_LEN + 32], why[WHY_LEN];
	struct text answer TEXT_SCOPED = {0};
	struct fetch *f = receiver_fetch(r, NULL, why);
	struct answer a;
	long status = 0;
	int err;

	snprintf(url, sizeof(url), "%s%s", r->url, EXCHANGE_SECONDS);
	err = f ? fetch_post(f, url, NULL, 0, EXCHANGE_ANSWER_MAX, &answer, &status, why) : -EINVAL;
	fetch_free(f);
	if (!err && answer_read(&a, text_of(&answer), answer.len)) {
		snprintf(why, sizeof(why), "status %ld, and its answer is none of limpet serve",
			 status);
		err = -EBADMSG;
	} else if (!err && status != 200) {
		snprintf(why, sizeof(why), "status %ld%s%.150s", status, *a.error ? ": " : "",
			 a.error);
		err = -EPERM;
	}
	printf("receiver  %s: %s\n", r->url, err ? why : "answers, and takes what this host sends");
	return err ? EXIT_FAILED : 0;
}

int cmd_check(int argc, char **argv)
{
	static const struct command cmd = {
		"check",
		"",
		"tell what would be sent where, and whether each receiver answers.",
		push_options,
		cmd_check,
		NULL};
	struct receivers receivers = {0};
	struct push_opts o;
	struct places places;
	char host[HOST_LEN];
	int status = push_opts_read(&o, &cmd, argc, argv);

	if (!status)
		status = push_host(o.host, host);
	if (!status && receivers_read(&receivers, o.receivers))
		status = EXIT_FAILED;
	if (!status && places_init(&places, &o.logs, !o.no_logs))
		status = EXIT_USAGE;
	if (!status) {
		status = check_series(o.series, host);
		check_logs(&places);
		if (!receivers.n) {
			printf("receiver  none in '%s' (limpet-push enroll LINE)\n", o.receivers);
			status = EXIT_FAILED;
		}
		for (size_t i = 0; i < receivers.n; i++)
			status |= check_receiver(&receivers.at[i]);
		places_release(&places);
	}
	push_opts_release(&o);
	return output_finish(status == -ECANCELED ? EXIT_DONE : status);
}
