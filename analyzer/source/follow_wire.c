// SPDX-License-Identifier: BSD-2-Clause
/*
 * feed.h: frames as they come. Each second goes into the intervals of its host at once: those of a window that begins with
 * the next interval that is given.
 *
 * The time of a stream is the one that two of its hosts have reached, and of one host alone its own: a clock that is ahead
 * moves nobody else's seconds. It goes on with the clock only while the pipe is found empty: what waits there is
 * read before anything is said to be late, however long nobody read.
 *
 * A frame beyond the window is in doubt, and so is the first one: it is put aside. A second host that says much the same
 * time confirms it: intervals are given until the window has come there, and nothing is read meanwhile. A frame of another
 * host that is within the window contradicts it: it is dropped. If nobody else says anything for `grace`, by what is put
 * aside or by the clock, the earliest of what is put aside is believed. So what is held does not depend on how fast it comes.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "follow_files.h"
#include "source_hosts.h"
#include "userspace/common/sort.h"
#include "userspace/wire/wire.h"

#define STREAM_HOSTS 10000
/* Memory of all windows: 10,000 servers take a twelfth of it at a hop of 4 s, and 1,758 all of it at one of an hour. */
#define STREAM_ROOM ((size_t)1 << 30)
/* Memory of what was taken and is not given yet, and of what is known of hosts. */
#define STREAM_HELD ((size_t)1 << 30)
/* What is read before the rest of the program has its turn. */
#define STREAM_LOOK (8 << 20)
/* Frames in doubt. */
#define ASIDE_MAX 8
/* The loop looks once a second: of a longer time, at whose end there were frames, nobody knows how long they waited. */
#define LOOK_NS	   NS_PER_S
#define STREAM_CUT "the stream ends in the middle of a frame, which is left out"
/* Frames of another run of the probe for seconds that are there. */
#define OTHERS_FEW 5
/* Of a host before its first frame says it. */
#define FIRST_INTERVAL_MS 1000

/* Of the seconds that were taken. */
struct stream_time {
	int64_t newest_ns; /* what two hosts have reached, or the only one; INT64_MIN: none */
	int64_t idle_ns;   /* by the clock since then, while there was nothing to read */
	int64_t first_ns, second_ns; /* of the two hosts that are furthest; INT64_MIN: none */
	char first[HOST_LEN];	     /* the one of them that is first */
	/* The last host, since it is the only one that says anything: its time then, and the newest. */
	char alone[HOST_LEN];
	int64_t alone_ns, base_ns;
};

struct wire_stream {
	struct follow f;
	int fd;
	/* n_aside that have a frame in doubt, in the order in which they came, and the one that reads. */
	struct wire_decoder *decoder[ASIDE_MAX + 1];
	size_t n_aside;
	int64_t aside_ns;	    /* clock_ns when the first of them came */
	bool waits;		    /* the first of them is believed, and beyond the window still */
	unsigned char bytes[65536]; /* read: those from `at` to `n` are not looked at yet */
	size_t at, n;
	size_t looked;	    /* bytes since feed_now() */
	bool paused;	    /* nothing more is read until feed_now() */
	bool dry;	    /* for there was nothing to read */
	bool ended;	    /* there will be nothing any more */
	bool cut;	    /* within a frame */
	int64_t clock_ns;   /* of feed_now(), which f.now_ns is not */
	int64_t counted_ns; /* of it, in time.idle_ns, or not to be */
	struct stream_time time;
	size_t window;		  /* intervals */
	size_t room;		  /* of STREAM_ROOM */
	size_t held;		  /* of STREAM_HELD */
	uint64_t damaged;	  /* frames: of servers of which there is no other */
	uint64_t taken;		  /* frames */
	uint64_t too_much;	  /* frames: beyond STREAM_HELD */
	uint64_t left_out, ahead; /* frames: of servers that are too many, and of clocks that are */
	uint64_t too_often;	  /* frames: of servers whose seconds have no room */
};

/* ---- hosts ------------------------------------------------------------------------------------*/

static struct stretch window_of(const struct wire_stream *s)
{
	return (struct stretch){s->f.line.next_ns, s->f.line.interval_ns, s->window};
}

static struct wire_decoder *reading(const struct wire_stream *s)
{
	return s->decoder[s->n_aside];
}

static int64_t window_end(const struct wire_stream *s)
{
	return s->f.line.next_ns + (int64_t)s->window * s->f.line.interval_ns;
}

/* Of one host. */
static size_t room_of(const struct wire_stream *s, unsigned int interval_ms)
{
	int64_t step_ns = interval_ms * NS_PER_MS;
	size_t slots = (size_t)((s->f.line.interval_ns + step_ns - 1) / step_ns);

	return s->window * (sizeof(struct interval) + slots * sizeof(struct second_owner));
}

/* Whether one more has room. */
static bool has_room(struct wire_stream *s, const char *name)
{
	struct follow *f = &s->f;

	if (f->n_hosts == STREAM_HOSTS) {
		s->left_out++;
		follow_say(f, "more than %d servers: '%s' is left out", STREAM_HOSTS, name);
		return false;
	}
	if (s->room + room_of(s, FIRST_INTERVAL_MS) <= STREAM_ROOM)
		return true;
	s->left_out++;
	follow_say(f,
		   "'%s' is left out: the intervals of %zu servers are all that can be kept (--hop "
		   "says how long they are)",
		   name, f->n_hosts);
	return false;
}

/* *host: NULL if there are too many. */
static int stream_host(struct wire_stream *s, const char *name, struct follow_host **host)
{
	struct follow *f = &s->f;
	struct stretch window = window_of(s);

	*host = follow_find_host(f, name);
	if (*host || !has_room(s, name))
		return 0;
	*host = follow_add_host(f, name, FIRST_INTERVAL_MS);
	if (!*host)
		return -ENOMEM;
	s->room += room_of(s, FIRST_INTERVAL_MS);
	return host_intervals_init(&(*host)->intervals, &window, FIRST_INTERVAL_MS);
}

static int move_windows(struct wire_stream *s)
{
	struct stretch window = window_of(s);
	int err = 0;

	for (size_t i = 0; i < s->f.n_hosts && !err; i++)
		if (s->f.host[i].intervals.of.from_ns != window.from_ns)
			err = host_intervals_move(&s->f.host[i].intervals, &window);
	return err;
}

/* ---- the time ---------------------------------------------------------------------------------*/

static int64_t stream_time(const struct wire_stream *s)
{
	const struct follow *f = &s->f;
	const struct stream_time *t = &s->time;
	int64_t now_ns = t->newest_ns + t->idle_ns;

	if (t->newest_ns == INT64_MIN)
		return f->o.from_ns > 0 ? f->o.from_ns : 0;
	/* Nobody is waited for any more. */
	if (s->ended && !s->n_aside) {
		now_ns = t->first_ns > t->newest_ns ? t->first_ns : t->newest_ns;
		return gather_floor(now_ns, f->line.interval_ns) + f->line.interval_ns +
		       f->grace_ns;
	}
	return now_ns < s->clock_ns ? now_ns : s->clock_ns;
}

/* The next interval is over: it is given before anything more is read, so that what counts as late does not depend on how
 * much came at once. */
static bool is_due(const struct wire_stream *s)
{
	const struct follow *f = &s->f;

	return f->line.next_ns != INT64_MIN &&
	       f->line.next_ns + f->line.interval_ns <= stream_time(s) - f->grace_ns;
}

static void set_newest(struct wire_stream *s, int64_t ns)
{
	if (ns <= s->time.newest_ns)
		return;
	s->time.newest_ns = ns;
	s->time.idle_ns = 0;
	s->counted_ns = s->clock_ns;
}

/* A host that is the only one left goes on from where all were: its clock may have been ahead of theirs. */
static void note_alone(struct wire_stream *s, const char *host, int64_t wall_ns)
{
	struct stream_time *t = &s->time;

	if (strcmp(t->alone, host) != 0) {
		snprintf(t->alone, sizeof(t->alone), "%s", host);
		t->alone_ns = wall_ns;
		t->base_ns = t->newest_ns;
	} else if (wall_ns - t->alone_ns > s->f.grace_ns) {
		set_newest(s, t->base_ns + (wall_ns - t->alone_ns));
	}
}

/* A second was taken. */
static void note_time(struct wire_stream *s, const char *host, int64_t wall_ns)
{
	struct stream_time *t = &s->time;

	if (t->first_ns == INT64_MIN || !strcmp(t->first, host)) {
		t->first_ns = wall_ns > t->first_ns ? wall_ns : t->first_ns;
		snprintf(t->first, sizeof(t->first), "%s", host);
	} else if (wall_ns > t->first_ns) {
		t->second_ns = t->first_ns;
		t->first_ns = wall_ns;
		snprintf(t->first, sizeof(t->first), "%s", host);
	} else if (wall_ns > t->second_ns) {
		t->second_ns = wall_ns;
	}
	set_newest(s, t->second_ns == INT64_MIN ? t->first_ns : t->second_ns);
	note_alone(s, host, wall_ns);
}

/* All was read that there is. */
static void note_idle(struct wire_stream *s)
{
	int64_t went_ns = s->clock_ns - s->counted_ns;

	went_ns = s->looked && went_ns > LOOK_NS ? LOOK_NS : went_ns;
	s->time.idle_ns += went_ns > 0 ? went_ns : 0;
	s->counted_ns = s->clock_ns;
}

/* ---- frames -----------------------------------------------------------------------------------*/

/* Costs this second of this server, of which nothing is held for that. */
static void count_damaged(struct wire_stream *s, const struct wire_decoder *d)
{
	const char *name = wire_decoder_host(d);
	struct follow_host *h = follow_find_host(&s->f, name);

	follow_say(&s->f, "a frame of '%s' is damaged, and left out", name);
	if (h)
		h->damaged++;
	else
		s->damaged++;
}

static int refine(struct wire_stream *s, struct follow_host *h, unsigned int interval_ms)
{
	struct host_intervals *in = &h->intervals;
	size_t more = room_of(s, interval_ms) - room_of(s, h->interval_ms);
	int err = s->room + more > STREAM_ROOM ? -E2BIG : 0;

	err = err ?: host_intervals_refine(in, interval_ms);
	s->room += err ? 0 : more;
	if (!err)
		h->interval_ms = interval_ms;
	return err;
}

/* What is held of a host for a second. */
static size_t held_of(const struct follow_host *h, int64_t wall_ns)
{
	const struct host_intervals *in = &h->intervals;
	int64_t at = (wall_ns - in->of.from_ns) / in->of.interval_ns;

	return host_intervals_bytes_of(in, (size_t)at) + identities_bytes(&h->ids);
}

/* Two servers that say they are the same one. A few may be of a probe that was started anew. */
static void note_probe(struct wire_stream *s, struct follow_host *h, int64_t boot_ns, bool twice)
{
	if (!twice)
		h->boot_ns = boot_ns;
	else if (boot_ns != h->boot_ns && ++h->others > OTHERS_FEW)
		follow_say(&s->f,
			   "frames of two probes say they are of '%s': of each second the first "
			   "one counts",
			   h->name);
}

static int take_second(struct wire_stream *s, struct follow_host *h, struct wire_decoder *d)
{
	unsigned int interval_ms = wire_decoder_interval_ms(d);
	int64_t wall_ns = wire_decoder_wall_ns(d);
	size_t before;
	bool twice;
	int err = 0;

	if (s->held > STREAM_HELD) {
		s->too_much++;
		follow_say(&s->f, "frames hold more than can be kept: some are left out");
		return 0;
	}
	if (interval_ms < h->interval_ms)
		err = refine(s, h, interval_ms);
	if (err == -E2BIG) {
		s->too_often++;
		follow_say(&s->f, "'%s' has a sample in %u ms, which are too many", h->name,
			   interval_ms);
		return 0;
	}
	if (err)
		return err;
	before = held_of(h, wall_ns);
	err = host_intervals_take(&h->intervals, d, &h->ids, &twice);
	s->held += held_of(h, wall_ns) - before;
	if (!err) {
		s->f.feed.counts.duplicates += twice;
		s->taken++;
		note_probe(s, h, wire_decoder_time(d)->boot, twice);
		note_time(s, h->name, wall_ns);
	}
	return err;
}

static void count_ahead(struct wire_stream *s, const struct wire_decoder *d)
{
	s->ahead++;
	follow_say(&s->f, "the clock of '%s' is ahead: its seconds do not count",
		   wire_decoder_host(d));
}

static void count_late(struct follow *f, struct follow_host *h)
{
	uint64_t grace_s = (uint64_t)(f->grace_ns / NS_PER_S);

	f->feed.counts.duplicates++;
	/* Without their number, or a server that is always late would be said anew each time. */
	if (++h->late > grace_s)
		follow_say(f,
			   "frames of '%s' came more than %" PRIu64
			   " s late, and do not count: those of all servers are to come in order "
			   "of time",
			   h->name, grace_s);
}

/* A frame before the end of the window; it is unpacked. */
static int place_frame(struct wire_stream *s, struct wire_decoder *d)
{
	struct follow *f = &s->f;
	struct follow_host *h;
	int err = stream_host(s, wire_decoder_host(d), &h);

	if (err || !h)
		return err;
	if (wire_decoder_wall_ns(d) >= f->line.next_ns)
		return take_second(s, h, d);
	count_late(f, h);
	return 0;
}

/* ---- frames in doubt --------------------------------------------------------------------------*/

static int add_decoder(struct wire_stream *s)
{
	struct wire_decoder **d = &s->decoder[s->n_aside];
	bool wanted[M_COUNT];
	int err = *d ? 0 : wire_decoder_new(d);

	if (err)
		return err;
	interval_wanted(wanted);
	wire_decoder_want(*d, wanted);
	return 0;
}

/* The frame of the first decoder is dealt with: that one is the next that reads. */
static void take_aside(struct wire_stream *s)
{
	struct wire_decoder *d = s->decoder[0];

	memmove(s->decoder, s->decoder + 1, s->n_aside * sizeof(struct wire_decoder *));
	s->decoder[s->n_aside--] = d;
}

static void drop_aside(struct wire_stream *s)
{
	for (; s->n_aside; take_aside(s))
		count_ahead(s, s->decoder[0]);
}

/* What is within the window, or comes into it when the time is the newest; what is later is in doubt still. */
static int place_aside(struct wire_stream *s)
{
	int64_t reach_ns = s->time.newest_ns + follow_ahead_ns(&s->f);
	int err = 0;

	s->waits = false;
	while (!err && s->n_aside) {
		struct wire_decoder *d = s->decoder[0];
		int64_t wall_ns = wire_decoder_wall_ns(d);

		if (wall_ns >= window_end(s)) {
			s->waits = wall_ns <= reach_ns;
			s->aside_ns = s->clock_ns;
			break;
		}
		err = place_frame(s, d);
		take_aside(s);
		/* What it took to unpack is not held for each. */
		wire_decoder_free(s->decoder[s->n_aside + 1]);
		s->decoder[s->n_aside + 1] = NULL;
	}
	return err;
}

/* By time: who is ahead of the others must not be the first of whom anything is taken. */
static void sort_aside(struct wire_stream *s)
{
	for (size_t i = 1; i < s->n_aside; i++) {
		struct wire_decoder *d = s->decoder[i];
		size_t k = i;

		for (; k && wire_decoder_wall_ns(s->decoder[k - 1]) > wire_decoder_wall_ns(d); k--)
			s->decoder[k] = s->decoder[k - 1];
		s->decoder[k] = d;
	}
}

/* This is the time. */
static int believe(struct wire_stream *s, int64_t wall_ns)
{
	struct follow *f = &s->f;
	int64_t from_ns = wall_ns - f->grace_ns;

	if (f->line.next_ns == INT64_MIN) {
		/* A server whose frames come a little later may have begun a little earlier. */
		from_ns = from_ns < f->o.from_ns ? f->o.from_ns : from_ns;
		f->line.next_ns = gather_floor(from_ns < 0 ? 0 : from_ns, f->line.interval_ns);
	}
	set_newest(s, wall_ns);
	*s->time.alone = '\0';
	sort_aside(s);
	return place_aside(s);
}

static int believe_earliest(struct wire_stream *s)
{
	sort_aside(s);
	return believe(s, wire_decoder_wall_ns(s->decoder[0]));
}

/* The frame that was read last, and is the last that was put aside: what is known now? */
static int judge_aside(struct wire_stream *s)
{
	const struct wire_decoder *last = s->decoder[s->n_aside - 1];
	int64_t last_ns = wire_decoder_wall_ns(last), first_ns = last_ns;
	bool confirmed = false, gone_on = s->n_aside == ASIDE_MAX;

	for (size_t i = 0; i < s->n_aside - 1; i++) {
		int64_t wall_ns = wire_decoder_wall_ns(s->decoder[i]);
		int64_t apart_ns = last_ns - wall_ns;

		if (!strcmp(wire_decoder_host(s->decoder[i]), wire_decoder_host(last)))
			gone_on |= apart_ns > s->f.grace_ns;
		else if (llabs(apart_ns) <= follow_ahead_ns(&s->f))
			confirmed = true;
		else
			continue;
		if (wall_ns < first_ns)
			first_ns = wall_ns;
	}
	if (confirmed)
		return believe(s, first_ns);
	return gone_on ? believe_earliest(s) : 0;
}

/* A frame within the window was taken: by another host than those in doubt, it confirms or contradicts them. */
static int compare_aside(struct wire_stream *s, const struct wire_decoder *d)
{
	int64_t wall_ns = wire_decoder_wall_ns(d);

	sort_aside(s);
	if (!strcmp(wire_decoder_host(s->decoder[0]), wire_decoder_host(d)))
		return 0;
	if (wire_decoder_wall_ns(s->decoder[0]) - wall_ns <= follow_ahead_ns(&s->f))
		return believe(s, wall_ns);
	drop_aside(s);
	return 0;
}

/* The frame that the reading decoder has. */
static int take_frame(struct wire_stream *s)
{
	struct wire_decoder *d = reading(s);
	int64_t wall_ns = wire_decoder_wall_ns(d);
	int err;

	if (wall_ns < s->f.o.from_ns)
		return 0;
	if (wall_ns > s->clock_ns + follow_ahead_ns(&s->f) || wall_ns > SOURCE_LAST_NS) {
		count_ahead(s, d);
		return 0;
	}
	/* What is refused says nothing of the time either. */
	err = wire_decoder_unpack(d);
	if (err == -ENOMEM)
		return err;
	if (err) {
		count_damaged(s, d);
		return 0;
	}
	if (s->f.line.next_ns != INT64_MIN && wall_ns < window_end(s)) {
		uint64_t taken = s->taken;

		err = place_frame(s, d);
		return err || s->taken == taken || !s->n_aside ? err : compare_aside(s, d);
	}
	if (!s->n_aside)
		s->aside_ns = s->clock_ns;
	s->n_aside++;
	return add_decoder(s) ?: judge_aside(s);
}

/* ---- bytes ------------------------------------------------------------------------------------*/

/* Reads what is there, without waiting. */
static int read_bytes(struct wire_stream *s)
{
	struct pollfd p = {.fd = s->fd, .events = POLLIN};
	ssize_t n = -1;

	s->at = s->n = 0;
	errno = EAGAIN;
	if (s->looked < STREAM_LOOK && poll(&p, 1, 0) > 0)
		n = read(s->fd, s->bytes, sizeof(s->bytes));
	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		fail("cannot read frames: %s", strerror(errno));
		return -EIO;
	}
	s->paused = n < 0;
	s->dry = n < 0 && s->looked < STREAM_LOOK;
	s->n = n > 0 ? (size_t)n : 0;
	s->looked += s->n;
	if (n)
		return 0;
	s->ended = true;
	s->cut = wire_decoder_midway(reading(s));
	if (s->cut)
		follow_say(&s->f, STREAM_CUT);
	return 0;
}

/* The bytes that were read, frame by frame, until one waits or an interval is due. */
static int take_bytes(struct wire_stream *s)
{
	int err = 0;

	while (!err && !s->waits && s->at < s->n && !is_due(s)) {
		size_t taken;
		int got = wire_decoder_take(reading(s), s->bytes + s->at, s->n - s->at, &taken);

		s->at += taken;
		if (got > 0)
			err = take_frame(s);
		else if (got == -EILSEQ)
			count_damaged(s, reading(s));
		else if (got == -ENOMEM)
			err = got;
		else if (got < 0)
			err = -EPROTO;
	}
	if (err == -EPROTO)
		fail("cannot read frames: %s", series_error());
	return err;
}

/* ---- for the loop -----------------------------------------------------------------------------*/

/* Frames in doubt of which nobody says anything any more. */
static int end_doubt(struct wire_stream *s)
{
	bool long_ago = s->dry && s->clock_ns - s->aside_ns > s->f.grace_ns;

	return s->n_aside && !s->waits && (s->ended || long_ago) ? believe_earliest(s) : 0;
}

static int stream_look(struct follow *f)
{
	struct wire_stream *s = (struct wire_stream *)f;
	int err = f->line.next_ns == INT64_MIN ? 0 : move_windows(s);

	s->paused = s->dry = false;
	if (!err && s->waits)
		err = place_aside(s);
	while (!err && !s->waits && !s->ended && !s->paused && !is_due(s)) {
		err = take_bytes(s);
		if (!err && !s->waits && s->at == s->n && !is_due(s))
			err = read_bytes(s);
	}
	err = err ?: end_doubt(s);
	if (s->dry)
		note_idle(s);
	f->now_ns = stream_time(s);
	return err;
}

static int64_t stream_next(const struct follow *f, int64_t end_ns)
{
	const struct wire_stream *s = (const struct wire_stream *)f;
	int64_t next = end_ns;

	if (s->waits && wire_decoder_wall_ns(s->decoder[0]) < next)
		next = gather_floor(wire_decoder_wall_ns(s->decoder[0]), f->line.interval_ns);
	for (size_t i = 0; i < f->n_hosts; i++) {
		const struct host_intervals *h = &f->host[i].intervals;

		for (size_t k = 0; k < h->of.n; k++) {
			int64_t at = h->of.from_ns + (int64_t)k * h->of.interval_ns;

			if (at >= next)
				break;
			if (at >= f->line.next_ns && h->at[k].seconds)
				next = at;
		}
	}
	return next;
}

static int stream_read(struct follow *f, struct stretch *stretch)
{
	struct wire_stream *s = (struct wire_stream *)f;

	stretch->n = stretch->n < s->window ? stretch->n : s->window;
	return move_windows(s);
}

COMPARISON(by_name, struct follow_host, strcmp(a->name, b->name))

/* Servers are new when the first interval after their first second is given, all of them by name: so that their numbers do
 * not depend on how the stream came. */
static int number_servers(struct wire_stream *s)
{
	struct follow *f = &s->f;
	int err = 0;

	if (f->begun == f->n_hosts)
		return 0;
	sort(f->host + f->begun, f->n_hosts - f->begun, by_name);
	map_clear(&f->host_by_name);
	for (size_t i = 0; i < f->n_hosts && !err; i++)
		err = map_add(&f->host_by_name, map_hash(f->host[i].name, strlen(f->host[i].name)));
	return err ?: follow_servers(f);
}

static int stream_complete(struct follow *f, size_t i)
{
	struct wire_stream *s = (struct wire_stream *)f;

	for (size_t k = 0; k < f->n_hosts; k++) {
		s->held -= host_intervals_bytes_of(&f->host[k].intervals, i);
		interval_finish(&f->host[k].intervals.at[i]);
	}
	return number_servers(s);
}

static int stream_rest(struct follow *f)
{
	struct wire_stream *s = (struct wire_stream *)f;

	bool more = s->ended ? s->n_aside > 0 : !s->paused;

	if (s->waits)
		more = wire_decoder_wall_ns(s->decoder[0]) < window_end(s);
	if (more) {
		f->step = STEP_FILES;
		return 0;
	}
	return feed_add_kind(&f->feed, s->ended && !s->n_aside ? FEED_END : FEED_NOT_YET);
}

/* ---- the feed ---------------------------------------------------------------------------------*/

static void stream_now(struct feed *feed, int64_t now_ns)
{
	struct wire_stream *s = (struct wire_stream *)feed;

	follow_now(feed, now_ns);
	/* What went by before the last look is counted, or was not to be. */
	s->counted_ns = s->clock_ns ? s->clock_ns : s->f.now_ns;
	s->clock_ns = s->f.now_ns;
	s->f.now_ns = stream_time(s);
	s->looked = 0;
}

struct frames_left_out {
	uint64_t n;
	const char *why;
};

static int note_frames(const struct feed_left_out *to, const char *whose,
		       const struct frames_left_out *at, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		if (at[i].n)
			err = follow_note(to, "%" PRIu64 " frame%s%s left out: %s", at[i].n,
					  at[i].n == 1 ? "" : "s", whose, at[i].why);
	return err;
}

static int stream_left_out(const struct feed *feed, const struct feed_left_out *to)
{
	const struct wire_stream *s = (const struct wire_stream *)feed;
	const struct frames_left_out of_all[] = {
		{s->damaged, "damaged"},
		{s->ahead, "the clock they come from is ahead"},
		{s->too_much, "they hold more than can be kept"},
		{s->left_out, "there are too many servers"},
		{s->too_often, "their server has too many seconds"},
	};
	int err = 0;

	for (size_t i = 0; i < s->f.n_hosts && !err; i++) {
		const struct follow_host *h = &s->f.host[i];
		const struct frames_left_out of_one[] = {
			{h->damaged, "damaged"},
			{h->late, "too late"},
			{h->others, "another probe says it is this server, too"},
		};
		char whose[HOST_LEN + 16];

		snprintf(whose, sizeof(whose), " of '%s'", h->name);
		err = note_frames(to, whose, of_one, sizeof(of_one) / sizeof(*of_one));
	}
	err = err ?: note_frames(to, "", of_all, sizeof(of_all) / sizeof(*of_all));
	if (!err && s->cut)
		err = follow_note(to, STREAM_CUT);
	return err;
}

static void stream_release(struct feed *feed)
{
	struct wire_stream *s = (struct wire_stream *)feed;

	follow_release_hosts(&s->f);
	for (size_t i = 0; i <= ASIDE_MAX; i++)
		wire_decoder_free(s->decoder[i]);
}

/* What went before ended at from_ns, and these servers were in it. */
static int go_on(struct wire_stream *s)
{
	struct follow *f = &s->f;
	struct follow_host *host;
	int err = 0;

	if (f->o.n_servers)
		f->line.next_ns = gather_floor(f->o.from_ns, f->line.interval_ns);
	for (size_t i = 0; i < f->o.n_servers && !err; i++)
		err = stream_host(s, f->o.servers[i], &host);
	f->begun = f->n_hosts;
	return err;
}

int feed_of_frames(struct feed **out, int fd, const struct feed_opts *o)
{
	static const struct feed_reader reader = {.fill = follow_fill,
						  .release = stream_release,
						  .now = stream_now,
						  .trouble = follow_trouble,
						  .left_out = stream_left_out};
	static const struct follow_source source = {.look = stream_look,
						    .next = stream_next,
						    .read = stream_read,
						    .complete = stream_complete,
						    .rest = stream_rest,
						    .join = true};
	struct wire_stream *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return feed_made(out, NULL, -ENOMEM);
	s->f.feed.reader = &reader;
	s->fd = fd;
	s->time.newest_ns = s->time.first_ns = s->time.second_ns = INT64_MIN;
	err = follow_init(&s->f, &source, o);
	if (err)
		return feed_made(out, &s->f.feed, err);
	/* Two of `grace`, before the present and behind it, and what is not over. */
	s->window = (size_t)(2 * follow_ahead_ns(&s->f) / s->f.line.interval_ns) + 3;
	err = add_decoder(s) ?: go_on(s);
	return feed_made(out, &s->f.feed, err);
}
