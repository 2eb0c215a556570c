// SPDX-License-Identifier: BSD-2-Clause
/* `limpet-push run`: a sender for each receiver, until it is told to end. */
#include "push_commands.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include "sender.h"
#include "userspace/common/notify.h"

struct run {
	struct push_opts o;
	char host[HOST_LEN];
	struct receivers receivers;
	struct places places;
	struct sender *senders[RECEIVERS_MAX];
};

static int start_senders(struct run *r)
{
	for (size_t i = 0; i < r->receivers.n; i++) {
		const struct sender_opts o = {.dir = r->o.series,
					      .host = r->host,
					      .places = &r->places,
					      .receiver = &r->receivers.at[i],
					      .tells = !i};

		r->senders[i] = sender_start(&o);
		if (!r->senders[i])
			return EXIT_FAILED;
	}
	return 0;
}

/* All threads leave the signals to this one. */
static void wait_for_end(const sigset_t *ends)
{
	struct notify notify;
	int signal;

	notify_open(&notify, 1);
	notify_ready(&notify);
	while (sigwait(ends, &signal))
		;
	notify_stopping(&notify);
	notify_close(&notify);
}

static int run_senders(struct run *r)
{
	sigset_t ends;
	int status;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	signal(SIGPIPE, SIG_IGN);
	status = start_senders(r);
	if (!status)
		wait_for_end(&ends);
	for (size_t i = 0; i < r->receivers.n; i++)
		sender_stop(r->senders[i]);
	for (size_t i = 0; i < r->receivers.n; i++)
		sender_free(r->senders[i]);
	return status;
}

int cmd_run(int argc, char **argv)
{
	static const struct command cmd = {
		"run",	      "",      "send what is recorded and logged here to the receivers.",
		push_options, cmd_run, NULL};
	struct run r = {0};
	int status = push_opts_read(&r.o, &cmd, argc, argv);

	if (!status)
		status = push_host(r.o.host, r.host);
	if (!status && receivers_read(&r.receivers, r.o.receivers))
		status = EXIT_FAILED;
	if (!status && !r.receivers.n) {
		fail("there is no receiver in '%s': make one known with `limpet-push enroll LINE`, "
		     "where LINE is what `limpet serve enroll` prints at the receiver",
		     r.o.receivers);
		status = EXIT_FAILED;
	}
	if (!status && places_init(&r.places, &r.o.logs, !r.o.no_logs))
		status = EXIT_USAGE;
	if (!status) {
		status = run_senders(&r);
		places_release(&r.places);
	}
	push_opts_release(&r.o);
	return status == -ECANCELED ? EXIT_DONE : status;
}
