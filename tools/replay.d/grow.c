// SPDX-License-Identifier: BSD-2-Clause
/*
 * grow DIR [--midnight SECONDS] [--pause|--drop|--lag HOST:AT:SECONDS]… -- FILE…
 *
 * Writes recordings into DIR a second at a time, with the probe's own writer: a file for each host and UTC day. First it prints
 * "HOSTS FIRST LAST", times in ns since the epoch. Then it reads a time from each line of standard input, writes all
 * seconds up to that time, and prints "ok". At the end of its input it closes the files.
 *
 * AT is counted from the first second of all files. --midnight moves all times, so
 * that a UTC day ends so many seconds after the first. --drop: those seconds of HOST are never
 * written. --pause: they are written when the pause is over, all at once. --lag: from AT on
 * each is written SECONDS later. HOST * is every host. Stacks are not
 * copied: no verdict depends on them.
 *
 * DIR -: frames (userspace/wire) of all hosts go to standard output instead, second by second, without being asked for.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/options.h"
#include "userspace/common/sort.h"
#include "userspace/series/series.h"
#include "userspace/wire/wire.h"

#define WINDOW_NS (60 * NS_PER_S) /* so much of a file is held at once */
#define RULES_MAX 64
#define PIDS_MAX  SERIES_MAX_PIDS

struct held_second {
	int64_t boot;
	struct second s;
};

/* A file that is read; its seconds of one window. */
struct stream {
	size_t host;
	struct series_reader *reader;
	int64_t next_ns, last_ns; /* of the next window, as recorded */
	struct held_second *at;
	size_t n, given, cursor;
};

/* A process's control group. */
struct grouped {
	char name[INSTANCE_LEN], cgroup[128];
};

struct host {
	char name[HOST_LEN];
	struct series_writer *writer;
	struct wire_encoder *encoder; /* of frames */
	struct grouped *grouped;
	size_t n_grouped;
	unsigned int interval_ms;
	int64_t boot;
	uint64_t seq, told_seq; /* of the file that is written, of the one that is read */
	char *cgroups[SERIES_MAX_CGROUPS], *missing;
	size_t n_cgroups, n_pids;
	uint32_t pids[PIDS_MAX];
};

enum rule_kind { RULE_PAUSE, RULE_DROP, RULE_LAG, RULE_KINDS };
static const char *const rule_options[RULE_KINDS] = {"--pause", "--drop", "--lag"};

struct rule {
	char host[HOST_LEN];
	double at_s, s;
	enum rule_kind kind;
	int64_t from_ns, to_ns;
};

struct grow {
	const char *dir;
	bool frames;
	double midnight_s; /* NaN: as recorded */
	int64_t shift_ns, first_ns;
	struct rule rules[RULES_MAX];
	size_t n_rules;
	struct host *hosts;
	struct stream *streams;
	size_t n_hosts, n_streams;
};

/* The writer asks the clock when its run began. During a replay this is the answer. */
static int64_t run_began_ns;

int clock_gettime(clockid_t clock, struct timespec *t)
{
	if (clock != CLOCK_REALTIME || !run_began_ns)
		return (int)syscall(SYS_clock_gettime, clock, t);
	*t = (struct timespec){run_began_ns / NS_PER_S, run_began_ns % NS_PER_S};
	return 0;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static int take_cgroup(void *arg, const char *path)
{
	struct host *h = arg;

	if (h->n_cgroups < SERIES_MAX_CGROUPS && (h->cgroups[h->n_cgroups] = strdup(path)))
		h->n_cgroups++;
	return 0;
}

static int take_pid(void *arg, const char *pid)
{
	struct host *h = arg;

	if (h->n_pids < PIDS_MAX)
		h->pids[h->n_pids++] = (uint32_t)strtoul(pid, NULL, 10);
	return 0;
}

static int take_missing(void *arg, const char *text)
{
	struct host *h = arg;
	char *old = h->missing;
	int n = asprintf(&h->missing, "%s%s%s", old ? old : "", old ? "\n" : "", text);

	free(old);
	return n < 0 ? -ENOMEM : 0;
}

static size_t host_number(struct grow *g, const char *name)
{
	size_t i = 0;

	while (i < g->n_hosts && strcmp(g->hosts[i].name, name))
		i++;
	if (i == g->n_hosts) {
		struct host *h = array_add(&g->hosts, &g->n_hosts);

		if (!h)
			return SIZE_MAX;
		snprintf(h->name, sizeof(h->name), "%s", name);
	}
	return i;
}

static int open_stream(struct grow *g, const char *path)
{
	struct series_reader *r;
	struct stream *s;
	struct host *h;
	uint64_t seconds = 0;
	size_t host;
	int err = series_reader_new(&r, path);

	if (err)
		return fail("%s", series_error());
	host = host_number(g, series_reader_host(r));
	s = host == SIZE_MAX ? NULL : array_add(&g->streams, &g->n_streams);
	if (!s) {
		series_reader_free(r);
		return fail("out of memory");
	}
	s->host = host;
	s->reader = r;
	h = &g->hosts[host];
	h->interval_ms = series_reader_interval_ms(r);
	if (!h->n_cgroups && !h->n_pids && !h->missing &&
	    (series_reader_cgroups(r, take_cgroup, h) || series_reader_pids(r, take_pid, h) ||
	     series_reader_missing(r, take_missing, h)))
		return fail("out of memory");
	if (series_reader_span(r, &seconds, &s->next_ns, &s->last_ns))
		return fail("%s", series_error());
	if (!seconds)
		s->last_ns = INT64_MIN;
	return 0;
}

static unsigned int hists_of(const struct second_row *row)
{
	return (row->lat ? HIST_LAT : 0) | (row->dev ? HIST_DEV : 0) | (row->runq ? HIST_RUNQ : 0);
}

static struct held_second *find_second(struct stream *s, const struct series_time *t)
{
	for (size_t i = 0; i < s->n; i++) {
		struct held_second *at = &s->at[(s->cursor + i) % s->n];

		if (at->s.wall_ns != t->wall_ns || at->s.seq != t->seq || at->boot != t->boot)
			continue;
		s->cursor = (size_t)(at - s->at);
		return at;
	}
	return NULL;
}

static int take_row(void *arg, const struct series_time *t, const struct second_row *row)
{
	struct stream *s = arg;
	struct held_second *at;
	struct second_row *to;

	if (!row) {
		at = array_add(&s->at, &s->n);
		if (!at)
			return -ENOMEM;
		second_init(&at->s);
		at->boot = t->boot;
		at->s.wall_ns = t->wall_ns;
		at->s.mono_ns = t->mono_ns;
		at->s.seq = t->seq;
		at->s.lost = t->lost;
		at->s.interval_s = t->interval_s;
		return 0;
	}
	at = find_second(s, t);
	to = at ? second_add_row(&at->s, row->family, row->instance, hists_of(row)) : NULL;
	if (!to)
		return -ENOMEM;
	memcpy(to->values, row->values, sizeof(to->values));
	if (row->lat)
		*to->lat = *row->lat;
	if (row->dev)
		*to->dev = *row->dev;
	if (row->runq)
		*to->runq = *row->runq;
	return 0;
}

static void forget_window(struct stream *s)
{
	for (size_t i = 0; i < s->n; i++)
		second_release(&s->at[i].s);
	free(s->at);
	s->at = NULL;
	s->n = s->given = s->cursor = 0;
}

/* *next: the next second of the file, NULL at its end. */
static int stream_next(struct stream *s, struct held_second **next)
{
	while (s->given == s->n && s->next_ns <= s->last_ns) {
		int64_t end_ns = s->next_ns + WINDOW_NS;

		forget_window(s);
		if (series_reader_rows(s->reader, s->next_ns, end_ns, SERIES_ALL | SERIES_SECONDS,
				       HIST_LAT | HIST_DEV | HIST_RUNQ, take_row, s))
			return fail("%s", series_error());
		s->next_ns = end_ns;
	}
	*next = s->given < s->n ? &s->at[s->given] : NULL;
	return 0;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static int take_identity(void *arg, const struct device_identity *id)
{
	return series_writer_identity(arg, id);
}

/* A run of the probe: what it was told, and the devices of all files of this host. */
static int begin_run(struct grow *g, size_t host, int64_t boot_ns)
{
	struct host *h = &g->hosts[host];
	struct series_writer_opts o = {.dir = g->dir,
				       .host = h->name,
				       .interval_ms = h->interval_ms,
				       .tool = "replay",
				       .cgroups = (const char *const *)h->cgroups,
				       .n_cgroups = h->n_cgroups,
				       .pids = h->pids,
				       .n_pids = h->n_pids};
	int err = series_writer_free(h->writer);

	h->writer = NULL;
	run_began_ns = boot_ns;
	if (!err)
		err = series_writer_new(&h->writer, &o);
	run_began_ns = 0;
	for (size_t i = 0; i < g->n_streams && !err; i++)
		if (g->streams[i].host == host)
			err = series_reader_devices(g->streams[i].reader, take_identity, h->writer);
	return err ? fail("%s", series_error()) : 0;
}

static int note_identity(void *arg, const struct device_identity *id)
{
	struct host *h = arg;
	struct grouped *at;

	if (id->family == FAM_DISK || id->family == FAM_NET)
		return wire_encoder_identity(h->encoder, id);
	if (id->family != FAM_PROCESS || !*id->detail)
		return 0;
	at = array_add(&h->grouped, &h->n_grouped);
	if (!at)
		return -ENOMEM;
	memcpy(at->name, id->name, sizeof(at->name));
	memcpy(at->cgroup, id->detail, sizeof(at->cgroup));
	return 0;
}

/* The same, of frames. */
static int begin_frames(struct grow *g, size_t host, int64_t boot_ns)
{
	struct host *h = &g->hosts[host];
	struct wire_encoder_opts o = {.host = h->name,
				      .interval_ms = h->interval_ms,
				      .tool = "replay",
				      .boot_ns = boot_ns};
	int err;

	wire_encoder_free(h->encoder);
	h->n_grouped = 0;
	err = wire_encoder_new(&h->encoder, &o);
	if (!err)
		err = wire_encoder_set_cgroups(h->encoder, (const char *const *)h->cgroups,
					       h->n_cgroups);
	if (!err)
		err = wire_encoder_set_pids(h->encoder, h->pids, h->n_pids);
	for (size_t i = 0; i < g->n_streams && !err; i++)
		if (g->streams[i].host == host)
			err = series_reader_devices(g->streams[i].reader, note_identity, h);
	return err ? fail("%s", series_error()) : 0;
}

static int write_frame(struct host *h, struct second *s)
{
	struct text frame TEXT_SCOPED = {0};

	for (size_t i = 0; i < s->n_rows; i++) {
		struct second_row *row = &s->rows[i];

		/* The last one of a name counts, as in the file. */
		for (size_t k = 0; row->family == FAM_PROCESS && k < h->n_grouped; k++)
			if (!strcmp(h->grouped[k].name, row->instance))
				row->cgroup = h->grouped[k].cgroup;
	}
	if (wire_encode(h->encoder, s, 0, &frame))
		return fail("%s", series_error());
	if (fwrite(text_of(&frame), frame.len, 1, stdout) != 1)
		return fail("cannot write: %s", strerror(errno));
	return 0;
}

static const struct rule *rule_of(const struct grow *g, const char *host, int64_t wall_ns)
{
	for (size_t i = 0; i < g->n_rules; i++) {
		const struct rule *r = &g->rules[i];

		if ((!strcmp(r->host, "*") || !strcmp(r->host, host)) && wall_ns >= r->from_ns &&
		    wall_ns < r->to_ns)
			return r;
	}
	return NULL;
}

static int64_t due_ns(const struct rule *r, int64_t wall_ns)
{
	if (r && r->kind == RULE_PAUSE)
		return r->to_ns;
	return r && r->kind == RULE_LAG ? wall_ns + ns_of_s(r->s) : wall_ns;
}

static int write_second(struct grow *g, size_t host, struct held_second *x)
{
	struct host *h = &g->hosts[host];
	uint64_t step;

	if ((!h->writer && !h->encoder) || x->boot != h->boot) {
		if (g->frames ? begin_frames(g, host, x->boot + g->shift_ns)
			      : begin_run(g, host, x->boot + g->shift_ns))
			return -1;
		h->boot = x->boot;
		h->told_seq = x->s.seq;
	}
	step = x->s.seq > h->told_seq ? x->s.seq - h->told_seq : 1;
	h->told_seq = x->s.seq;
	h->seq += step;
	x->s.seq = h->seq;
	x->s.wall_ns += g->shift_ns;
	x->s.missing = h->missing;
	if (g->frames)
		return write_frame(h, &x->s);
	if (series_writer_append(h->writer, &x->s))
		return fail("%s", series_error());
	return 0;
}

/* Of all files of one host the seconds that are due, in order of time. */
static int grow_host(struct grow *g, size_t host, int64_t now_ns)
{
	for (;;) {
		struct stream *first = NULL;
		struct held_second *at = NULL;
		const struct rule *r;

		for (size_t i = 0; i < g->n_streams; i++) {
			struct held_second *next = NULL;

			if (g->streams[i].host != host)
				continue;
			if (stream_next(&g->streams[i], &next))
				return -1;
			if (!next || (at && next->s.wall_ns >= at->s.wall_ns))
				continue;
			at = next;
			first = &g->streams[i];
		}
		r = at ? rule_of(g, g->hosts[host].name, at->s.wall_ns) : NULL;
		if (!at || due_ns(r, at->s.wall_ns) + g->shift_ns > now_ns)
			return 0;
		if (!(r && r->kind == RULE_DROP) && write_second(g, host, at))
			return -1;
		first->given++;
	}
}

static bool is_left(const struct grow *g)
{
	for (size_t i = 0; i < g->n_streams; i++)
		if (g->streams[i].given < g->streams[i].n ||
		    g->streams[i].next_ns <= g->streams[i].last_ns)
			return true;
	return false;
}

/* All hosts, a second at a time. */
static int stream_all(struct grow *g)
{
	int64_t now_ns = g->first_ns + g->shift_ns;
	int err = 0;

	for (; !err && is_left(g); now_ns += NS_PER_S)
		for (size_t i = 0; i < g->n_hosts && !err; i++)
			err = grow_host(g, i, now_ns);
	return err ? err : fflush(stdout);
}

/* ---- what is wanted -------------------------------------------------------------------------------------- */

static int take_rule(struct grow *g, const char *option, const char *words)
{
	struct rule *r = &g->rules[g->n_rules];
	int kind = 0;

	while (kind < RULE_KINDS && strcmp(option, rule_options[kind]))
		kind++;
	if (kind == RULE_KINDS)
		return fail("'%s' is no option", option);
	if (g->n_rules == RULES_MAX ||
	    sscanf(words, "%63[^:]:%lf:%lf", r->host, &r->at_s, &r->s) != 3)
		return fail("'%s' is not HOST:AT:SECONDS, of which %d can be", words, RULES_MAX);
	r->kind = (enum rule_kind)kind;
	g->n_rules++;
	return 0;
}

static int take_options(struct grow *g, int argc, char **argv, int *first_file)
{
	int i = 2;

	if (argc < 4)
		return fail("usage: grow DIR [--midnight S] [--pause|--drop|--lag HOST:AT:S]… -- "
			    "FILE…");
	g->dir = argv[1];
	g->frames = !strcmp(g->dir, "-");
	for (; i + 1 < argc && strcmp(argv[i], "--"); i += 2) {
		if (strcmp(argv[i], "--midnight")) {
			if (take_rule(g, argv[i], argv[i + 1]))
				return -1;
		} else if (parse_double(argv[i + 1], 0, 86400, &g->midnight_s)) {
			return fail("'%s' is no number of seconds", argv[i + 1]);
		}
	}
	*first_file = i + 1;
	return 0;
}

static int begin(struct grow *g, char **files, int n)
{
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;

	for (int i = 0; i < n; i++)
		if (open_stream(g, files[i]))
			return -1;
	for (size_t i = 0; i < g->n_streams; i++) {
		const struct stream *s = &g->streams[i];

		if (s->last_ns == INT64_MIN)
			continue;
		first_ns = s->next_ns < first_ns ? s->next_ns : first_ns;
		last_ns = s->last_ns > last_ns ? s->last_ns : last_ns;
	}
	if (last_ns == INT64_MIN)
		return fail("no second is in these files");
	for (size_t i = 0; i < g->n_rules; i++) {
		struct rule *r = &g->rules[i];

		r->from_ns = first_ns + ns_of_s(r->at_s);
		r->to_ns = r->kind == RULE_LAG ? INT64_MAX : r->from_ns + ns_of_s(r->s);
	}
	if (!isnan(g->midnight_s))
		g->shift_ns = NS_PER_DAY - (first_ns + ns_of_s(g->midnight_s)) % NS_PER_DAY;
	g->first_ns = first_ns;
	if (g->frames)
		return 0;
	printf("%zu %" PRId64 " %" PRId64 "\n", g->n_hosts, first_ns + g->shift_ns,
	       last_ns + g->shift_ns);
	return fflush(stdout);
}

static int end(struct grow *g)
{
	int err = 0;

	for (size_t i = 0; i < g->n_streams; i++) {
		forget_window(&g->streams[i]);
		series_reader_free(g->streams[i].reader);
	}
	for (size_t i = 0; i < g->n_hosts; i++) {
		struct host *h = &g->hosts[i];

		if (series_writer_free(h->writer))
			err = fail("%s", series_error());
		for (size_t k = 0; k < h->n_cgroups; k++)
			free(h->cgroups[k]);
		wire_encoder_free(h->encoder);
		free(h->grouped);
		free(h->missing);
	}
	free(g->streams);
	free(g->hosts);
	return err;
}

int main(int argc, char **argv)
{
	struct grow g = {.midnight_s = NAN};
	char line[64];
	int64_t now_ns;
	int first = argc, err;

	program_name = "grow";
	if (take_options(&g, argc, argv, &first))
		return EXIT_USAGE;
	err = begin(&g, argv + first, argc - first);
	if (!err && g.frames)
		err = stream_all(&g);
	while (!err && !g.frames && fgets(line, sizeof(line), stdin)) {
		now_ns = strtoll(line, NULL, 10);
		for (size_t i = 0; i < g.n_hosts && !err; i++)
			err = grow_host(&g, i, now_ns);
		if (!err)
			err = printf("ok\n") < 0 || fflush(stdout);
	}
	if (end(&g))
		err = -1;
	return err ? EXIT_FAILED : EXIT_DONE;
}
