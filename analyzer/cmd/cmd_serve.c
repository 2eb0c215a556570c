// SPDX-License-Identifier: BSD-2-Clause
/* limpet serve: a service that receives what servers record, judges it while it comes, and keeps it. */
#include "commands.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/serve/serve.h"
#include "analyzer/source/tables/prometheus.h"
#include "userspace/common/options_file.h"
#include "userspace/common/output.h"

#define AT(field) offsetof(struct serve_opts, field)

struct serve_line {
	struct serve_opts o;
	unsigned int uses;
};

static const struct option_def options[] = {
	{0, "state", OPT_STRING, AT(state), "DIR",
	 "everything that is kept (/var/lib/limpet-serve)", 0, 0},
	{0, "ingest", OPT_STRING, AT(ingest), "ADDR:PORT",
	 "where limpet-push sends to, over TLS (" SERVE_INGEST ")", 0, 0},
	{0, "address", OPT_STRING, AT(address), "HOST:PORT",
	 "how senders reach it, for the line of 'enroll'", 0, 0},
	{0, "cert", OPT_STRING, AT(cert), "FILE",
	 "a certificate of the site's (default: one of its own)", 0, 0},
	{0, "key", OPT_STRING, AT(key), "FILE", "and its key", 0, 0},
	{0, "client-ca", OPT_STRING, AT(client_ca), "FILE",
	 "senders may have certificates of this authority, too", 0, 0},
	{0, "keep-days", OPT_UINT, AT(keep_days), "N", "keep recordings of so many days (14)", 2,
	 100000},
	{0, "keep-percent", OPT_UINT, AT(keep_percent), "N",
	 "remove the oldest day while the disk is fuller (80; 100: never)", 1, 100},
	ANALYSIS_PEERS(AT(a)),
	ANALYSIS_INTERVALS(AT(a)),
	{0, "alert", OPT_STRING, AT(alert), "PROGRAM",
	 "run it when a server begins to limp, and when it limps no more", 0, 0},
	{0, "alert-interval", OPT_UINT, AT(alert_interval_s), "SECONDS",
	 "at most once in so many seconds for one server (300)", 0, 86400},
	{0, "mail", OPT_LIST, AT(mail), "ADDRESS",
	 "send mail when a server begins to limp, and when it limps no more (repeatable)", 0, 0},
	{0, "alertmanager", OPT_LIST, AT(alertmanagers), "URL",
	 "tell this Alertmanager what limps (again for each of a cluster)", 0, 0},
	{0, "alert-jobs", OPT_FLAG, AT(alert_jobs), NULL,
	 "tell Alertmanagers of jobs with late tasks, too", 0, 0},
	{0, "site", OPT_STRING, AT(site), "NAME",
	 "alerts have this as label 'site', mails in their subject", 0, 0},
	{0, "url", OPT_STRING, AT(url), "URL",
	 "of the page, as others reach it: for links in alerts and mails", 0, 0},
	{0, "listen", OPT_STRING, AT(listen), "[ADDR:]PORT",
	 "a page, an API and metrics over HTTP (on 127.0.0.1)", 0, 0},
	{0, "allow-host", OPT_LIST, AT(hosts), "NAME",
	 "another host name for requests; .DOMAIN: all in it (repeatable)", 0, 0},
	{0, "users", OPT_STRING, AT(users), "FILE",
	 "pages and API are for these, by passwords; of other addresses than this host's over TLS",
	 0, 0},
	{0, "proxy-user", OPT_STRING, AT(proxy_user), "HEADER",
	 "and for whom a proxy on this host names in this header", 0, 0},
	{0, "programs", OPT_STRING, AT(programs), "DIR",
	 "programs of this folder may be loaded as symptoms, diagnosers and decisions", 0, 0},
	{'j', "json", OPT_FLAG, AT(json), NULL, "events as JSON objects, one a line", 0, 0},
	{0, "check", OPT_FLAG, AT(check), NULL, "say whether it could start like this, and end", 0,
	 0},
	{0, "options", OPT_STRING, AT(file), "FILE",
	 "more options are in this file, which SIGHUP has read again", 0, 0},
	{0, "uses", OPT_UINT, offsetof(struct serve_line, uses), "N",
	 "of enroll: so many hosts may use the line (1)", 1, 100000},
	ANALYSIS_LOCAL_TIME,
	{0},
};

static int line(const struct serve_line *l, const char *host)
{
	(void)host;
	return serve_line(&l->o, l->uses);
}
static int approve(const struct serve_line *l, const char *host)
{
	return serve_approve(&l->o, host);
}
static int trust(const struct serve_line *l, const char *host)
{
	return serve_trust(&l->o, host);
}
static int forget(const struct serve_line *l, const char *host)
{
	return serve_forget(&l->o, host);
}
static int senders(const struct serve_line *l, const char *host)
{
	(void)host;
	return serve_senders(&l->o);
}

/* What may follow. */
static const struct word_row {
	const char *word;
	bool host; /* the name of one follows */
	int (*run)(const struct serve_line *l, const char *host);
} words[] = {
	{"enroll", false, line},  {"approve", true, approve},  {"trust", true, trust},
	{"forget", true, forget}, {"senders", false, senders},
};

static int run_sources(struct serve_line *l, int n, char **path)
{
	struct stat st;

	for (int i = 0; i < n; i++) {
		if (!stat(path[i], &st))
			continue;
		if (prometheus_is(path[i]))
			fail("'%s' is no source here: 'limpet watch' asks a Prometheus", path[i]);
		else
			fail("'%s' is none of enroll, approve HOST, trust HOST, forget HOST, "
			     "senders, and there is no file or folder of that name",
			     path[i]);
		return EXIT_USAGE;
	}
	l->o.sources = path;
	l->o.n_sources = (size_t)n;
	return serve_run(&l->o);
}

static int run_word(struct serve_line *l, int n, char **word)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(words[i].word, word[0]) != 0)
			continue;
		if (n == 1 + words[i].host)
			return words[i].run(l, words[i].host ? word[1] : NULL);
		fail(words[i].host ? "'%s' needs the name of one host" : "nothing may follow '%s'",
		     word[0]);
		return EXIT_USAGE;
	}
	return run_sources(l, n, word);
}

static const struct serve_line usual = {.o = {.a = ANALYSIS_DEFAULT,
					      .state = "/var/lib/limpet-serve",
					      .ingest = SERVE_INGEST,
					      .alert_interval_s = 300,
					      .keep_days = 14,
					      .keep_percent = 80},
					.uses = 1};

/* A command line, as it was given, and what it says now. */
struct serve_request {
	int argc;
	char **argv;
	struct serve_line line;
	struct options_read read;
	int n_words;
};

/* What the service began with, and what SIGHUP has read again. */
struct serve_requests {
	struct serve_request first, now;
};

/* As options_and_file(). */
static int read_request(struct serve_request *r, bool again)
{
	const struct options_file file = {AT(file), "LIMPET_SERVE_OPTIONS", again};
	int n;

	r->line = usual;
	r->line.o.a.from_ns = INT64_MIN;
	n = options_and_file(&cmd_serve, &r->line, sizeof(r->line), &file, r->argc, r->argv,
			     &r->read);
	r->n_words = n;
	if (n < 0 || floor(r->line.o.a.interval_s * 1000) == r->line.o.a.interval_s * 1000)
		return n;
	return fail("'--hop %g': whole milliseconds are needed", r->line.o.a.interval_s);
}

static void release_request(struct serve_request *r)
{
	options_release(&cmd_serve, &r->line);
	options_read_release(&r->read);
}

static bool has_same_words(const struct serve_request *a, const struct serve_request *b)
{
	bool same = a->n_words == b->n_words;

	for (int i = 1; same && i <= a->n_words; i++)
		same = !strcmp(a->read.argv[i], b->read.argv[i]);
	return same;
}

static void tell_refused(const struct serve_requests *r)
{
	static const char *const taken[] = {"keep-days", "keep-percent"};
	const struct serve_line *is = &r->first.line, *wanted = &r->now.line;

	for (const struct option_def *d = options; d->name; d++)
		if (strcmp(d->name, taken[0]) != 0 && strcmp(d->name, taken[1]) != 0 &&
		    !option_is_same(d, is, wanted))
			warn("'--%s' has changed in '%s': that takes a restart, and stays as it "
			     "was",
			     d->name, is->o.file);
	if (!has_same_words(&r->first, &r->now))
		warn("the sources have changed in '%s': that takes a restart, and they stay as "
		     "they were",
		     is->o.file);
}

static const struct serve_opts *read_again(void *arg)
{
	struct serve_requests *r = arg;

	release_request(&r->now);
	if (read_request(&r->now, true) < 0)
		return NULL;
	tell_refused(r);
	return &r->now.line.o;
}

static int run_serve(int argc, char **argv)
{
	struct serve_requests all = {{.argc = argc, .argv = argv}, {.argc = argc, .argv = argv}};
	struct serve_request *r = &all.first;
	int n = read_request(r, false), status = n == -EIO ? EXIT_FAILED : EXIT_USAGE;

	if (n == -ECANCELED) {
		status = EXIT_DONE;
	} else if (n >= 0) {
		r->line.o.again = read_again;
		r->line.o.again_arg = &all;
		status = serve_as_owner(&r->line.o);
		if (!status)
			status =
				n ? run_word(&r->line, n, r->read.argv + 1) : serve_run(&r->line.o);
	}
	release_request(&all.now);
	release_request(&all.first);
	return output_finish(status);
}

static const struct option_need needs[] = {
	{"alert-interval", {"--alert", "--mail"}},
	{"alert-jobs", {"--alertmanager"}},
	{"site", {"--alertmanager", "--mail"}},
	{"url", {"--alertmanager", "--mail"}},
	{"allow-host", {"--listen"}},
	{"users", {"--listen"}},
	{"proxy-user", {"--listen"}},
	{"programs", {"--listen"}},
	{"cert", {"--key"}},
	{"key", {"--cert"}},
	{0},
};

const struct command cmd_serve = {
	.name = "serve",
	.args = "[SOURCE… | enroll | approve HOST | trust HOST | forget HOST | senders]",
	.summary = "receives what servers record and job logs say, judges it as it comes, and "
		   "keeps it",
	.options = options,
	.run = run_serve,
	.needs = needs,
};
