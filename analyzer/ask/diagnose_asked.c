// SPDX-License-Identifier: BSD-2-Clause
/*
 * What is kept, judged once more: of a span, or as it was at a time, by `limpet diagnose` as a program of its own, at a low priority. One at
 * a time; whoever asks waits for its answer.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "internal.h"
#include "sent.h"
#include "userspace/common/clock.h"
#include "userspace/common/disk_thread.h"
#include "userspace/common/json_make.h"
#include "userspace/common/program.h"

#define DIAGNOSE_S 300
/* As the service itself judges again after a start. */
#define BACK_NS	  (6 * NS_PER_HOUR)
#define SPAN_MAX  (31 * NS_PER_DAY)
#define OUT_BYTES ((size_t)64 << 20)
#define LOOK_MS	  200

struct judged_again {
	struct front *f;
	struct listener_request r; /* http NULL: who asked is gone */
	int64_t from_ns, to_ns;
	char *out; /* what it said */
	size_t n;
	char why[PROGRAM_WHY_LEN]; /* "": it is well */
};

/* ---- in a thread --------------------------------------------------------------------------------------- */

static int start_program(struct program *p, const struct judged_again *d)
{
	const struct front_opts *o = d->f->o;
	const char *said[] = {"nice",	  "-n", "10",	   NULL,    "diagnose", "--json",
			      "--from",	  NULL, "--to",	   NULL,    "--hop",	NULL,
			      "--budget", NULL, "--peers", o->peers};
	size_t n = sizeof(said) / sizeof(*said) - (o->peers ? 0 : 2);
	char self[32], from[32], to[32], hop[32], budget[32];
	const char **arguments = calloc(n + o->n_sources + 2, sizeof(*arguments));
	const struct program_how how = {.path = "nice",
					.search = true,
					.from = true,
					.quiet = true,
					.arguments = (char *const *)arguments};
	int err;

	if (!arguments)
		return -ENOMEM;
	said[3] = self;
	said[7] = from;
	said[9] = to;
	said[11] = hop;
	said[13] = budget;
	memcpy(arguments, said, n * sizeof(*said));
	arguments[n] = o->dir;
	for (size_t i = 0; i < o->n_sources; i++)
		arguments[n + 1 + i] = o->sources[i];
	/* The file that runs, also where another has taken its name. */
	snprintf(self, sizeof(self), "/proc/%d/exe", (int)getpid());
	snprintf(from, sizeof(from), "@%lld", (long long)(d->from_ns / NS_PER_S));
	snprintf(to, sizeof(to), "@%lld", (long long)(d->to_ns / NS_PER_S));
	snprintf(hop, sizeof(hop), "%.17g", o->interval_s);
	snprintf(budget, sizeof(budget), "%.17g", o->budget);
	err = program_start(p, &how);
	free(arguments);
	return err;
}

/* Whether it goes on. */
static bool read_more(struct judged_again *d, int fd)
{
	char bytes[65536], *more;
	ssize_t n = read(fd, bytes, sizeof(bytes));

	if (n <= 0)
		return n < 0 && errno == EINTR;
	if (d->n + (size_t)n > OUT_BYTES) {
		snprintf(d->why, sizeof(d->why), "its answer is too long: ask for less");
		return false;
	}
	more = realloc(d->out, d->n + (size_t)n + 1);
	if (!more) {
		snprintf(d->why, sizeof(d->why), "out of memory");
		return false;
	}
	memcpy(more + d->n, bytes, (size_t)n);
	d->out = more;
	d->n += (size_t)n;
	return true;
}

static void read_program(struct judged_again *d, int fd)
{
	int64_t until_ns = clock_ns(CLOCK_MONOTONIC) + DIAGNOSE_S * NS_PER_S;
	struct pollfd answer = {.fd = fd, .events = POLLIN};
	bool more = true;

	while (more) {
		int ready = poll(&answer, 1, LOOK_MS);

		if (atomic_load(&d->f->ends))
			snprintf(d->why, sizeof(d->why), "the service ends");
		else if (clock_ns(CLOCK_MONOTONIC) > until_ns)
			snprintf(d->why, sizeof(d->why), "it took more than %d s: ask for less",
				 DIAGNOSE_S);
		more = !*d->why && (ready <= 0 || read_more(d, fd));
	}
}

static void diagnose(void *arg)
{
	struct judged_again *d = arg;
	char ended[PROGRAM_WHY_LEN];
	struct program p = {0};
	int err = start_program(&p, d);

	if (err) {
		snprintf(d->why, sizeof(d->why), "it cannot be run: %s", strerror(-err));
	} else {
		read_program(d, p.from);
		if (*d->why)
			program_kill(&p);
		close(p.from);
		/* Where it cannot judge it says so in what it says, and by its status. */
		program_wait(&p, ended);
	}
	eventfd_write(d->f->diagnosed_fd, 1);
}

/* ---- in the front's ------------------------------------------------------------------------------------ */

static void diagnosis_gone(void *arg)
{
	((struct judged_again *)arg)->r.http = NULL;
}

static void diagnosis_free(struct judged_again *d)
{
	if (d)
		free(d->out);
	free(d);
}

static void answer_diagnosis(struct judged_again *d)
{
	json_t *said = *d->why || !d->out ? NULL : json_loadb(d->out, d->n, 0, NULL);

	if (json_is_object(said))
		front_json(&d->r, 200, json_incref(said));
	else
		listener_refuse(&d->r, 503, 0, "that time could not be judged: %s",
				*d->why ? d->why : "limpet diagnose says nothing of it");
	json_decref(said);
}

static void on_diagnosed(evutil_socket_t fd, short what, void *arg)
{
	struct front *f = arg;
	eventfd_t n;

	(void)what;
	if (eventfd_read(fd, &n) || !f->diagnosis)
		return;
	if (f->diagnosis->r.http)
		answer_diagnosis(f->diagnosis);
	diagnosis_free(f->diagnosis);
	f->diagnosis = NULL;
}

int diagnoses_start(struct front *f)
{
	f->diagnosed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	f->diagnosed = f->diagnosed_fd < 0 ? NULL
					   : event_new(f->base, f->diagnosed_fd,
						       EV_READ | EV_PERSIST, on_diagnosed, f);
	f->diagnoses = disk_thread_new(1);
	return f->diagnoses && f->diagnosed && !event_add(f->diagnosed, NULL) ? 0 : -ENOMEM;
}

void diagnoses_stop(struct front *f)
{
	atomic_store(&f->ends, true);
	disk_thread_free(f->diagnoses);
	diagnosis_free(f->diagnosis);
	if (f->diagnosed)
		event_free(f->diagnosed);
	if (f->diagnosed_fd >= 0)
		close(f->diagnosed_fd);
}

static void begin_diagnosis(struct front *f, struct listener_request *r, int64_t from_ns,
			    int64_t to_ns)
{
	struct judged_again *d;

	if (from_ns < 0 || from_ns >= to_ns || to_ns - from_ns > SPAN_MAX) {
		listener_refuse(r, 400, 0, "'from' is before 'to', and 31 days at most");
		return;
	}
	if (f->diagnosis) {
		listener_refuse(r, 503, 5000, "another time is judged at present");
		return;
	}
	d = calloc(1, sizeof(*d));
	if (!d) {
		listener_refuse(r, 503, 1000, "out of memory");
		return;
	}
	*d = (struct judged_again){.f = f, .r = *r, .from_ns = from_ns, .to_ns = to_ns};
	if (disk_thread_do(f->diagnoses, diagnose, d, 0)) {
		diagnosis_free(d);
		listener_refuse(r, 503, 1000, "out of memory");
		return;
	}
	f->diagnosis = d;
	listener_keep(r, diagnosis_gone, d);
}

bool verdict_asked_at(struct front *f, struct listener_request *r)
{
	int64_t at_ns = INT64_MIN;

	if (!front_time(r, "at", &at_ns))
		return true;
	if (at_ns == INT64_MIN)
		return false;
	begin_diagnosis(f, r, at_ns - BACK_NS, at_ns);
	return true;
}

void api_diagnose(void *arg, struct listener_request *r)
{
	struct front *f = arg;
	int64_t from_ns = INT64_MIN, to_ns = clock_ns(CLOCK_REALTIME);
	char why[WHY_LEN];
	struct sent s;

	if (!sent_read(&s, r))
		listener_refuse(r, 400, 0, "the body is neither an object of JSON nor a form");
	else if (!front_may_change(f, r, &s))
		; /* it is answered */
	else if (!sent_time(&s, "from", &from_ns, why) || !sent_time(&s, "to", &to_ns, why))
		listener_refuse(r, 400, 0, "%s", why);
	else if (from_ns == INT64_MIN)
		listener_refuse(r, 400, 0, "'from' is needed");
	else
		begin_diagnosis(f, r, from_ns, to_ns);
	sent_release(&s);
}
