// SPDX-License-Identifier: BSD-2-Clause
/* serve.h: what is told to a service that runs, or will: senders, in the database that both read. */
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "senders.h"
#include "serve.h"
#include "trusted.h"
#include "analyzer/http/tls.h"
#include "userspace/common/clock.h"
#include "userspace/common/output.h"

#define LINE_SECONDS 3600
#define SERVE_AT     "listens-at"

int serve_as_owner(const struct serve_opts *o)
{
	struct stat st;

	if (geteuid() || stat(o->state, &st) || !st.st_uid)
		return 0;
	if (!setgroups(0, NULL) && !setresgid(st.st_gid, st.st_gid, st.st_gid) &&
	    !setresuid(st.st_uid, st.st_uid, st.st_uid))
		return 0;
	fail("'%s' belongs to another user, who root could not become: %s", o->state,
	     strerror(errno));
	return EXIT_FAILED;
}

struct told_senders {
	sqlite3 *db;
	struct senders *senders;
	char why[WHY_LEN];
};

static int open_words(struct told_senders *w, const struct serve_opts *o)
{
	int err = senders_database(&w->db, o->state, w->why);

	return err ? err : senders_new(&w->senders, w->db, w->why);
}

static int close_words(struct told_senders *w, int err)
{
	if (err)
		fail("%s", w->why);
	senders_free(w->senders);
	sqlite3_close(w->db);
	return err ? EXIT_FAILED : EXIT_DONE;
}

/* Where the service listens, or did when it last ran; unless it is said. */
static const char *listens_at(const struct serve_opts *o, char *buf, size_t size)
{
	char path[4200];
	FILE *f;
	bool known;

	snprintf(path, sizeof(path), "%s/" SERVE_AT, o->state);
	f = option_given("ingest") ? NULL : fopen(path, "re");
	known = f && fgets(buf, (int)size, f) && strchr(buf, '\n');
	if (f)
		fclose(f);
	buf[known ? strcspn(buf, "\n") : 0] = 0;
	return known ? buf : o->ingest;
}

void serve_remember_address(const struct serve_opts *o)
{
	char path[4200], new[4200];
	bool well;
	FILE *f;

	snprintf(path, sizeof(path), "%s/" SERVE_AT, o->state);
	snprintf(new, sizeof(new), "%s/." SERVE_AT, o->state);
	f = fopen(new, "we");
	well = f && fprintf(f, "%s\n", o->ingest) >= 0;
	if (f && fclose(f))
		well = false;
	/* It is for 'enroll' without the same option. */
	if (!well || rename(new, path))
		warn("'limpet serve enroll' needs --ingest %s: '%s/" SERVE_AT
		     "' cannot be written: %s",
		     o->ingest, o->state, strerror(errno));
}

/* By which senders reach it: what was said, or this host's name with the port that it listens on. */
static void address_of(const struct serve_opts *o, char *to, size_t size)
{
	char host[HOST_LEN] = "localhost", told[300];
	const char *listen = listens_at(o, told, sizeof(told)), *port = strrchr(listen, ':');

	gethostname(host, sizeof(host) - 1);
	if (o->address)
		snprintf(to, size, "%s", o->address);
	else if (!port)
		snprintf(to, size, "%s:%s", host, listen);
	else if (!strncmp(listen, "0.0.0.0:", 8) || !strncmp(listen, "[::]:", 5))
		snprintf(to, size, "%s%s", host, port);
	else
		snprintf(to, size, "%s", listen);
}

int serve_line(const struct serve_opts *o, unsigned int uses)
{
	const struct tls_files files = {o->cert, o->key, NULL};
	char token[EXCHANGE_TOKEN_LEN + 1], address[300];
	struct told_senders w = {0};
	struct tls *tls = NULL;
	int err = open_words(&w, o);

	if (!err)
		err = tls_new(&tls, o->state, &files, w.why);
	if (!err)
		err = senders_line(w.senders, uses, LINE_SECONDS, token, w.why);
	address_of(o, address, sizeof(address));
	if (!err)
		printf("https://%s#%s.%s\n", address, tls_pin(tls), token);
	tls_free(tls);
	return close_words(&w, err);
}

int serve_approve(const struct serve_opts *o, const char *host)
{
	struct told_senders w = {0};
	int err = open_words(&w, o);

	return close_words(&w, err ? err : senders_approve(w.senders, host, w.why));
}

int serve_forget(const struct serve_opts *o, const char *host)
{
	struct told_senders w = {0};
	int err = open_words(&w, o);

	if (!err)
		err = senders_forget(w.senders, host, w.why);
	return close_words(&w, err ? err : trusted_remove(o->state, host, w.why));
}

int serve_trust(const struct serve_opts *o, const char *host)
{
	struct told_senders w = {0};
	int err = open_words(&w, o);
	bool known = false;
	const struct sender *at;
	size_t n = 0;

	at = err ? NULL : senders_all(w.senders, &n);
	for (size_t i = 0; i < n; i++)
		known |= !strcmp(at[i].host, host);
	if (!err && !known) {
		snprintf(w.why, sizeof(w.why), "no sender is called '%.100s'", host);
		err = -ENOENT;
	}
	return close_words(&w, err ? err : trusted_add(o->state, host, w.why));
}

int serve_senders(const struct serve_opts *o)
{
	char since[TIME_TEXT_LEN], heard[TIME_TEXT_LEN];
	struct told_senders w = {0};
	const struct sender *at = NULL;
	size_t n = 0;
	int err = open_words(&w, o);

	if (!err)
		at = senders_all(w.senders, &n);
	for (size_t i = 0; i < n; i++)
		printf("%-24s enrolled %s, heard %s%s%s%s\n", at[i].host,
		       output_time(at[i].since_ns, since),
		       at[i].heard_ns > 0 ? output_time(at[i].heard_ns, heard) : "never",
		       at[i].certificate ? ", by certificate" : "",
		       at[i].approved ? ", may be enrolled anew" : "",
		       trusted_is(o->state, at[i].host) ? ", its logs are judged" : "");
	return close_words(&w, err);
}
