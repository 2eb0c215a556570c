// SPDX-License-Identifier: BSD-2-Clause
/*
 * The listener for senders of `limpet serve`, with sinks that only note what comes:
 *
 *	ingest_box line DIR USES SECONDS     prints the pin and a token of enrolment
 *	ingest_box approve|forget DIR HOST
 *	ingest_box serve DIR ADDRESS:PORT [CLIENT-CA|- [STRANGERS]]
 *
 * Parts of series files are counted after half a second, by another thread; files of 2099 are damaged. `serve` answers each line of its input: "metrics": all of them, and "# EOF"; "cpu": its seconds of a processor and its resident
 * KiB; "taken": frames and bytes of seconds. It ends with its input.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "analyzer/serve/ingest.h"
#include "analyzer/serve/senders.h"
#include "userspace/common/clock.h"

#define HOSTS 64

struct box {
	struct {
		char host[HOST_LEN];
		int64_t live_ns;
	} hosts[HOSTS];
	size_t n;
	_Atomic uint64_t requests, bytes;
	_Atomic int64_t parts;
};

struct job {
	struct box *box;
	struct ingest_ticket *ticket;
	bool damaged;
	size_t len;
};

static int take_seconds(void *arg, const char *host, int64_t first_ns, int64_t last_ns,
			const void *bytes, size_t len, int64_t *live, unsigned int *wait_ms)
{
	struct box *b = arg;
	size_t i = 0;

	(void)bytes, (void)wait_ms;
	while (i < b->n && strcmp(b->hosts[i].host, host) != 0)
		i++;
	if (i == HOSTS)
		return -EAGAIN;
	if (i == b->n) {
		snprintf(b->hosts[b->n++].host, HOST_LEN, "%s", host);
		b->hosts[i].live_ns = clock_ns(CLOCK_REALTIME) - 600 * NS_PER_S;
	}
	if (len) {
		if (first_ns <= b->hosts[i].live_ns || last_ns < first_ns)
			abort();
		b->hosts[i].live_ns = last_ns;
		b->requests++;
		b->bytes += len;
	}
	*live = b->hosts[i].live_ns;
	return 0;
}

static void *keep(void *arg)
{
	struct job *j = arg;
	struct series_cursor now = {.device = 5};

	usleep(500000);
	if (j->len)
		j->box->parts++;
	now.kept = j->box->parts + 1;
	ticket_back(j->ticket, j->damaged ? series_fail(-EBADMSG, "damaged") : 0, &now);
	free(j);
	return NULL;
}

static int take_series(void *arg, const char *host, const char *file, int64_t origin,
		       const void *part, size_t len, struct ingest_ticket *ticket)
{
	struct job *j = malloc(sizeof(*j));
	pthread_t thread;

	(void)host, (void)origin, (void)part;
	*j = (struct job){arg, ticket, strstr(file, "-2099"), len};
	if (pthread_create(&thread, NULL, keep, j))
		abort();
	pthread_detach(thread);
	return 0;
}

static long resident_kib(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kib = -1;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "VmRSS:", 6))
			kib = strtol(line + 6, NULL, 10);
	if (f)
		fclose(f);
	return kib;
}

static void answer(const char *line, const struct ingest *i, const struct box *b)
{
	struct metrics_text t = {.format = FORMAT_OPENMETRICS};
	struct rusage used;
	char *text;
	size_t len;

	if (!strcmp(line, "metrics\n")) {
		ingest_metrics(i, &t);
		text = mt_end(&t, &len);
		fputs(text ? text : "", stdout);
		free(text);
	} else if (!strcmp(line, "cpu\n")) {
		getrusage(RUSAGE_SELF, &used);
		printf("%.3f %ld\n",
		       (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
			       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6,
		       resident_kib());
	} else {
		printf("%llu %llu\n", (unsigned long long)b->requests,
		       (unsigned long long)b->bytes);
	}
	fflush(stdout);
}

static int serve(const char *dir, const char *listen, const char *client_ca, const char *strangers)
{
	static struct box b;
	struct ingest_opts o = {
		.dir = dir,
		.listen = listen,
		.tls.client_ca = client_ca && strcmp(client_ca, "-") != 0 ? client_ca : NULL,
		.bounds.strangers = strangers ? strtoul(strangers, NULL, 10) : 0,
		.bounds.guests = strangers ? strtoul(strangers, NULL, 10) : 0,
		.logs = {.bytes = 1 << 20, .files = 20},
		.seconds = take_seconds,
		.series = take_series,
		.arg = &b,
	};
	char why[WHY_LEN], line[64];
	struct ingest *i;

	if (ingest_start(&i, &o, why))
		return fail("%s", why) ? EXIT_FAILED : EXIT_DONE;
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		answer(line, i, &b);
	ingest_stop(i);
	usleep(700000); /* tickets that are out come back */
	return EXIT_DONE;
}

static int change(const char *what, const char *dir, const char *host, unsigned int seconds)
{
	char why[WHY_LEN], token[EXCHANGE_TOKEN_LEN + 1];
	struct senders *s = NULL;
	struct tls *t = NULL;
	sqlite3 *db = NULL;
	int err = senders_database(&db, dir, why);

	if (!err)
		err = senders_new(&s, db, why);
	if (!err && !strcmp(what, "line")) {
		err = tls_new(&t, dir, &(struct tls_files){0}, why);
		if (!err)
			err = senders_line(s, (unsigned int)atoi(host), seconds, token, why);
		if (!err)
			printf("%s %s\n", tls_pin(t), token);
	} else if (!err) {
		err = !strcmp(what, "approve") ? senders_approve(s, host, why)
					       : senders_forget(s, host, why);
	}
	tls_free(t);
	senders_free(s);
	sqlite3_close(db);
	return err ? fail("%s", why), EXIT_FAILED : EXIT_DONE;
}

int main(int argc, char **argv)
{
	program_name = "ingest_box";
	if (argc >= 4 && !strcmp(argv[1], "serve"))
		return serve(argv[2], argv[3], argv[4], argc > 5 ? argv[5] : NULL);
	if (argc >= 4)
		return change(argv[1], argv[2], argv[3],
			      argc > 4 ? (unsigned int)atoi(argv[4]) : 0);
	return EXIT_USAGE;
}
