// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules about a disk: whose bytes, how much slower it is at requests of one size and load, which part of the latency, what
 * it looks like.
 */
#include "internal.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/sort.h"

/* ---- whose bytes -------------------------------------------------------------------------------- */

/*
 * Whose the bytes of a disk are. The kernel counts them where the probe was told the file system's control
 * groups. Where it was not, two things tell: what the disk moved and the file system's sockets did not is
 * nobody's demand; and the table of processes has the name of the one that moved it.
 */

enum origin origin_of(const struct scene_node *n)
{
	for (int before = 0; before < 2; before++) {
		const struct interval *h = before ? &n->before : &n->now;

		for (size_t i = 0; i < h->n_disks; i++)
			if (h->disks[i].acc[DA_FOREIGN_READ_KB].n > 0 ||
			    h->disks[i].acc[DA_FOREIGN_WRITE_KB].n > 0)
				return ORIGIN_COUNTED;
	}
	for (int before = 0; before < 2; before++) {
		const struct interval *h = before ? &n->before : &n->now;

		for (size_t i = 0; i < h->n_processes; i++)
			if (culprit_is_own(n, &h->processes[i]))
				return ORIGIN_NAMES;
	}
	return ORIGIN_UNKNOWN;
}

/* What a disk moved one way and was not counted as others', kB/s. */
static double uncounted_kb(const struct interval *h, const char *disk, bool write)
{
	return fmax(0, facts_or0(disk_rate(h, disk, write ? DA_WRITE_KB : DA_READ_KB)) -
			       disk_foreign_kb(h, disk, write));
}

/* What crossed_kb the network for it: what is read is sent, what is written was received. NaN: not measured. */
static double crossed_kb(const struct interval *h, bool write)
{
	return acc_mean(h->acc[write ? NA_FS_RX_KB : NA_FS_TX_KB]);
}

static double per_crossed(const struct interval *h, const void *arg)
{
	bool write = *(const bool *)arg;
	double net = crossed_kb(h, write);

	return net > 0 ? uncounted_kb(h, "", write) / net : NAN;
}

/* What was received before and is still to be written, as far as the peers wrote of theirs: kB/s of now. */
static double backlog_kb(const struct facts *f, const struct scene_node *n)
{
	bool write = true;
	double usual = facts_peers_at(f, true, per_crossed, &write);
	double due = usual * crossed_kb(&n->before, write) - uncounted_kb(&n->before, "", write);

	return due > 0 && n->now.seconds ? due * n->before.seconds / n->now.seconds : 0;
}

/* What a disk read beyond all that was sent, or wrote beyond all that was received, times what is usual
 * among the peers of the indicted; without counted bytes of others. kB/s; NaN: sockets were not measured. */
static double disk_uncrossed_kb(const struct facts *f, const struct scene_node *n, const char *disk,
				bool write)
{
	double all = uncounted_kb(&n->now, "", write), net = crossed_kb(&n->now, write), usual;

	if (isnan(net))
		return NAN;
	/* journals, parity and readahead make more of each byte, on all servers alike */
	usual = fmax(1, facts_or0(facts_peers(f, per_crossed, &write)));
	usual *= net;
	usual += write ? backlog_kb(f, n) : 0;
	return fmin(uncounted_kb(&n->now, disk, write), fmax(0, all - usual));
}

/* Whether so much of what was moved one way is more than a little beside the rest. */
static bool far_beyond(double rest, double all, bool write)
{
	return rest > signals[write ? SIG_FOREIGN_WRITE : SIG_FOREIGN_READ].floor &&
	       all >= HOT * (all - rest);
}

bool disk_beyond_demand(const struct facts *f)
{
	return any_of(write, 2,
		      far_beyond(disk_uncrossed_kb(f, f->me, "", write),
				 uncounted_kb(&f->me->now, "", write), write));
}

/* Whether there is so much that also no process of the file system moved: whose operations they are is not
 * known. */
static bool disk_unclaimed(const struct facts *f)
{
	enum origin how = origin_of(f->me);

	for (int write = 0; write < 2 && how != ORIGIN_COUNTED; write++) {
		double all = uncounted_kb(&f->me->now, "", write),
		       rest = disk_uncrossed_kb(f, f->me, "", write),
		       own = culprit_moved_kb(f->me, &f->me->now, write, OWN);

		if (far_beyond(fmin(rest, fmax(0, all - own)), all, write))
			return true;
	}
	return false;
}

/* One way, by what processes moved: no more than what did not cross the network, where that is measured. */
static double moved_by_names(const struct facts *f, const struct scene_node *n, const char *disk,
			     bool write)
{
	double theirs = culprit_moved_kb(n, &n->now, write, OTHERS),
	       rest = disk_uncrossed_kb(f, n, disk, write);

	return fmin(theirs, isnan(rest) ? uncounted_kb(&n->now, disk, write) : rest);
}

struct others disk_others(const struct facts *f, const struct scene_node *n, const char *disk)
{
	struct others o = {.how = origin_of(n)};

	if (o.how == ORIGIN_COUNTED) {
		o.read_kb = disk_foreign_kb(&n->now, disk, false);
		o.written_kb = disk_foreign_kb(&n->now, disk, true);
	} else if (o.how == ORIGIN_NAMES) {
		o.read_kb = moved_by_names(f, n, disk, false);
		o.written_kb = moved_by_names(f, n, disk, true);
	}
	return o;
}

/* The median over the peers of what others move on all their disks, kB/s. */
static struct others usual_others(const struct facts *f)
{
	double *read = calloc(2 * f->s->n_nodes + 1, sizeof(*read)), *written;
	struct others o = {.how = ORIGIN_NAMES};
	size_t n = 0;

	if (!read)
		return (struct others){.read_kb = INFINITY, .written_kb = INFINITY};
	written = read + f->s->n_nodes;
	for (size_t i = 0; i < f->s->n_nodes; i++) {
		struct others at;

		if (!facts_is_peer(f, &f->s->nodes[i]))
			continue;
		at = disk_others(f, &f->s->nodes[i], "");
		read[n] = at.read_kb;
		written[n++] = at.written_kb;
	}
	stats_sort(read, n);
	stats_sort(written, n);
	o.read_kb = facts_or0(stats_sorted_median(read, n));
	o.written_kb = facts_or0(stats_sorted_median(written, n));
	free(read);
	return o;
}

/* Whether a signal's value is that much more than another. One without a ratio of its own has that of a latency. */
static bool exceeds(enum signal s, double now, double than)
{
	const struct signal_row *row = &signals[s];

	return now - than > row->floor &&
	       (now + row->c) / (than + row->c) >= (row->ratio > 0 ? row->ratio : HOG_AWAIT);
}

/* Where nobody counted them: whether others move more of the bytes of the indicted's disk than a trickle, and
 * more than on its peers, by as much as the signals of others' bytes ask for. */
bool disk_others_up(const struct facts *f, const char *disk)
{
	struct others o = disk_others(f, f->me, disk), usual;

	if (o.how != ORIGIN_NAMES ||
	    o.read_kb + o.written_kb < HOG_SHARE * disk_kb(&f->me->now, disk))
		return false;
	usual = usual_others(f);
	return exceeds(SIG_FOREIGN_READ, o.read_kb, usual.read_kb) ||
	       exceeds(SIG_FOREIGN_WRITE, o.written_kb, usual.written_kb);
}

/* ---- at small and at large requests ------------------------------------------------------------- */

/* How much slower a disk is at small and at large requests, for the guess at why it is slow; and under the
 * same load, for what has more to do than its peers. */

/* A median or a mean of fewer requests is not worth comparing. */
#define REQUESTS_MIN 30

enum { ALL_LOADS = INT_MAX };

/* Adds up one operation and size class of a server's disk ("": of all) in its intervals, of a load cell or
 * of all loads. */
static uint64_t add_up(const struct interval *const *intervals, size_t n, const char *disk, int op,
		       int size, enum lat_part part, int cell, uint64_t at[LAT_BUCKETS])
{
	uint64_t events = 0;

	memset(at, 0, LAT_BUCKETS * sizeof(*at));
	for (size_t h = 0; h < n; h++)
		for (size_t d = 0; intervals[h] && d < intervals[h]->n_disks; d++) {
			const struct interval_disk *x = &intervals[h]->disks[d];

			if (*disk && strcmp(x->name, disk) != 0)
				continue;
			for (size_t k = 0; k < x->n_lat; k++) {
				const struct interval_lat *l = &x->lat[k];

				if (l->op != op || l->size != size || l->part != part ||
				    (cell != ALL_LOADS && l->cell != cell))
					continue;
				for (size_t b = 0; b < l->n && l->first + b < LAT_BUCKETS; b++) {
					at[l->first + b] += l->at[b];
					events += l->at[b];
				}
			}
		}
	return events;
}

/* Of one size and load. Of all loads: the device's part where it is measured. NAN: too few requests. */
static double median_of(const struct interval *const *intervals, size_t n, const char *disk, int op,
			int size, int cell, uint64_t *events)
{
	uint64_t at[LAT_BUCKETS];

	*events = cell == ALL_LOADS
			  ? add_up(intervals, n, disk, op, size, PART_DEVICE, ALL_LOADS, at)
			  : 0;
	if (*events < REQUESTS_MIN)
		*events = add_up(intervals, n, disk, op, size, PART_WHOLE, cell, at);
	return *events < REQUESTS_MIN ? NAN : hist_quantile(at, 0, LAT_BUCKETS, LAT_SUB_BITS, 0.5);
}

/* To the peers' median; NAN where fewer than two had it. x: room for a value of each server. */
static double ratio_of(const struct scene *s, size_t me, const char *disk,
		       const struct interval *const *at, size_t n_intervals, int op, int size,
		       int cell, double *x, uint64_t *events)
{
	double own = median_of(at + me * n_intervals, n_intervals, disk, op, size, cell, events);
	uint64_t theirs;
	size_t n = 0;

	for (size_t i = 0; i < s->n_nodes && isfinite(own); i++) {
		if (i == me || s->nodes[i].group != s->nodes[me].group)
			continue;
		x[n] = median_of(at + i * n_intervals, n_intervals, "", op, size, cell, &theirs);
		n += isfinite(x[n]);
	}
	if (n < 2)
		return NAN;
	stats_sort(x, n);
	return own / stats_sorted_median(x, n);
}

int rules_sizes(const struct scene *s, size_t me, const char *disk,
		const struct interval *const *at, size_t n_intervals,
		double ratio[LAT_OPS][LAT_SIZES])
{
	double *x = calloc(s->n_nodes + 1, sizeof(*x));
	uint64_t events;

	if (!x)
		return -ENOMEM;
	for (int op = 0; op < LAT_OPS; op++)
		for (int size = 0; size < LAT_SIZES; size++)
			ratio[op][size] = facts_or0(ratio_of(s, me, disk, at, n_intervals, op, size,
							     ALL_LOADS, x, &events));
	free(x);
	return 0;
}

int rules_equal_load(const struct scene *s, size_t me, const char *disk,
		     const struct interval *const *at, size_t n_intervals, double ratio[LAT_OPS])
{
	double *x = calloc(s->n_nodes + 1, sizeof(*x));

	if (!x)
		return -ENOMEM;
	for (int op = 0; op < LAT_OPS; op++) {
		double sum = 0, weight = 0;

		for (int size = 0; size < LAT_SIZES; size++)
			for (int cell = CELL_MIN; cell <= CELL_MAX; cell++) {
				uint64_t events;
				double r = ratio_of(s, me, disk, at, n_intervals, op, size, cell, x,
						    &events);

				if (!(r > 0) || !isfinite(r))
					continue;
				sum += (double)events * log(r);
				weight += (double)events;
			}
		ratio[op] = weight > 0 ? exp(sum / weight) : 0;
	}
	free(x);
	return 0;
}

/* ---- latency, and how busy it is ---------------------------------------------------------------- */

/* What is compared with here, and why. */

/* the device's part of the excess latency from which on it is the device: the larger half */
#define DEVICE_PART 0.5
/* busy time per operation of a slow device is at least so many times its peers': disks of one model
 * differ by less, and in a system that waits for its slowest disk that little is enough for a long
 * queue there */
#define SERVICE_SLOW 1.3
/* work is alike up to so much difference in the share of reads, and up to so many times in size */
#define READS_ALIKE 0.25
#define SIZES_ALIKE 2
/* the most that is taken off for what it was before */
#define USUAL_MOST 1.5
/* of data from which on that is known, s */
#define BEFORE_S 30
/* the most that a disk is taken to be busy where its queue is reckoned with: at 1 it would have no end */
#define BUSY_MOST 0.99
/* share of the time from which on a disk is busy all the time */
#define ALWAYS_BUSY 0.97

static double mean_of(const struct interval *h, const void *arg)
{
	return acc_mean(disk_acc(h, "", *(const enum disk_acc *)arg));
}

/* What this disk's mean latency is to be held against; NaN: nothing. */
static double usual(const struct facts *f, enum disk_acc which, bool worst)
{
	double peers = facts_peers(f, mean_of, &which);
	double before = acc_mean(disk_acc(&f->me->before, f->disk, which));

	return worst ? fmax(peers, before) : isfinite(peers) ? peers : before;
}

/* How much of the excess of whole latency over the peers' (before, where there are none) the device's
 * part makes up: 0 … 1; NaN: it is not known. */
static double disk_device_part(const struct facts *f, bool write)
{
	enum disk_acc whole = write ? DA_WRITE_AWAIT : DA_READ_AWAIT;
	enum disk_acc device = write ? DA_WRITE_DEVICE : DA_READ_DEVICE;
	double w = acc_mean(disk_acc(&f->me->now, f->disk, whole)) - usual(f, whole, false);
	double d = acc_mean(disk_acc(&f->me->now, f->disk, device)) - usual(f, device, false);

	if (!isfinite(w) || !isfinite(d) || w <= 0)
		return NAN;
	return fmin(1, fmax(0, d / w));
}

static double await_worst(const struct facts *f, bool before, bool *write)
{
	double worst = NAN;

	for (int i = 0; i < 2; i++) {
		enum disk_acc which = i ? DA_WRITE_AWAIT : DA_READ_AWAIT;
		struct acc a = disk_acc(&f->me->now, f->disk, which);
		double ratio = acc_mean(a) / usual(f, which, before);

		if (a.n < REQUESTS_MIN || !isfinite(ratio) || ratio <= worst)
			continue;
		worst = ratio;
		*write = i;
	}
	return worst;
}

double disk_await_ratio(const struct facts *f)
{
	bool write;

	return await_worst(f, true, &write);
}

double disk_await_worst(const struct facts *f, bool *write)
{
	return facts_or0(await_worst(f, false, write));
}

static double utilisation(const struct interval *h, const void *arg)
{
	return disk_rate(h, arg, DA_UTIL) / 100;
}

/* Seconds of a busy disk per operation. */
static double service(const struct interval *h, const void *arg)
{
	double ops = disk_ops(h, arg);

	return ops > 0 ? utilisation(h, arg) / ops : NAN;
}

/* What a disk is asked for: the share of reads among its operations, and their mean size, kB. */
struct work {
	double reads, kb;
};

static struct work work_of(const struct interval *h, const char *disk)
{
	double ops = disk_ops(h, disk);

	return (struct work){disk_rate(h, disk, DA_READS) / ops,
			     (disk_rate(h, disk, DA_READ_KB) + disk_rate(h, disk, DA_WRITE_KB)) /
				     ops};
}

/* The same of a peer whose disks do work like this; NaN: theirs is other work. */
static double service_alike(const struct interval *h, const void *arg)
{
	const struct work *own = arg, work = work_of(h, "");
	bool alike = fabs(work.reads - own->reads) <= READS_ALIKE &&
		     fabs(log(work.kb / own->kb)) <= log(SIZES_ALIKE);

	return alike ? service(h, "") : NAN;
}

/* Of two that do the same neither is the measure of the other. */
enum { ALIKE = 2 };

/* Of the disk beside its peers' median: of peers that do work like its own, where there are some. */
static double service_beside(const struct facts *f, bool before)
{
	const struct interval *own = before ? &f->me->before : &f->me->now;
	struct work work = work_of(own, f->disk);
	double peers = facts_peers_some(f, before, ALIKE, service_alike, &work);

	if (!isfinite(peers))
		peers = facts_peers_at(f, before, service, "");
	return service(own, f->disk) / peers;
}

static double mean_of_enough(const struct interval *h, const void *arg)
{
	struct acc a = disk_acc(h, "", *(const enum disk_acc *)arg);

	return a.n >= REQUESTS_MIN ? acc_mean(a) : NAN;
}

bool disk_load_explains(const struct facts *f, double load, double ratio)
{
	double own = utilisation(&f->me->now, f->disk), peers = facts_peers(f, utilisation, "");
	double idle = fmax(1 - own, 1 - BUSY_MOST);

	if (!(load >= HOT))
		return false;
	/* near its limit a queue grows much faster than the load, at a disk that is as quick as any: as
	 * 1 / (1 - busy) does, that of an M/M/1 queue */
	return load >= ratio ||
	       (disk_service_ratio(f) < SERVICE_SLOW && !(ratio > (1 - peers) / idle));
}

struct served disk_served(const struct facts *f, const char *disk)
{
	struct served s = {.explained = true, .ratio = 1};

	for (int write = 0; write < 2; write++) {
		enum disk_acc which = write ? DA_WRITE_AWAIT : DA_READ_AWAIT;
		const struct signal_row *row = &signals[write ? SIG_WRITE_AWAIT : SIG_READ_AWAIT];
		struct acc a = disk_acc(&f->me->now, disk, which);
		double peers = facts_peers(f, mean_of_enough, &which), own = acc_mean(a);
		double floor = f->me->flash ? row->floor_flash : row->floor;

		if (a.n < REQUESTS_MIN)
			continue;
		/* such requests as no peer does tell only how long the disk is busy with them */
		if (isnan(peers)) {
			s.explained &= disk_service_ratio(f) < SERVICE_SLOW;
			continue;
		}
		s.checked = true;
		if (own - peers <= floor || own < HOG_AWAIT * peers ||
		    (f->me->equal_load[write] > 0 && f->me->equal_load[write] < HOG_AWAIT))
			continue;
		s.ratio = fmax(s.ratio, own / peers);
		s.explained &= disk_load_explains(f, facts_demand(f), own / peers);
	}
	return s;
}

/* Whether a latency was up from the first data on, for an hour or more: `before` is no better time then. */
static bool always_up(const struct facts *f)
{
	return any_of(s, SIG_COUNT,
		      f->of[s] && signals[s].kind == KIND_LATENCY && f->of[s]->chronic);
}

/* What was asked of this disk before; NULL: nothing. */
static struct service_asked *asked_of(const struct facts *f)
{
	struct service_asked *a = f->me->asked;

	return a && *f->disk && !strcmp(a->disk, f->disk) ? a : NULL;
}

/* The ratio before the trouble; NaN: it is not known. */
static double service_before(const struct facts *f)
{
	const struct service_asked *a = asked_of(f);

	if (a && isfinite(a->before))
		return a->before;
	return f->me->before.seconds < BEFORE_S ? NAN : service_beside(f, true);
}

struct service_asked rules_asked(const struct scene *s, size_t me, const char *disk)
{
	const struct facts f = {.s = s, .me = &s->nodes[me], .disk = disk};
	struct service_asked a = {.before = service_before(&f)};

	snprintf(a.disk, sizeof(a.disk), "%s", disk);
	return a;
}

/* Now: busy time per operation of the disk against its peers' median: what the device itself takes longer,
 * without what the queue makes of it. Where that is known, what was so before is taken off, as own usual
 * offsets are (at most `usual`); trouble that was always there must have it before as well as now. NaN:
 * not measured, or it tells nothing: where all are busy all the time, or where a disk that does many
 * things at once is. */
static double service_now(const struct facts *f)
{
	double own = utilisation(&f->me->now, f->disk), peers = facts_peers(f, utilisation, "");
	double ratio = service_beside(f, false), before, change;

	if (!(own > 0) || !(peers > 0) || (own >= ALWAYS_BUSY && f->me->flash))
		return NAN;
	before = service_before(f);
	/* what is not known now is not what it was: fmin() and fmax() would take that for it */
	if (!isfinite(before) || isnan(ratio))
		return ratio;
	change = ratio / fmin(USUAL_MOST, fmax(1, before));
	return always_up(f) ? fmax(change, fmin(ratio, before)) : change;
}

/* So many times count: what begins while a disk is excused is found, the sooner the more it is. */
enum { ASKED = 30 };

void disk_ask(const struct facts *f)
{
	struct service_asked *a = asked_of(f);
	double now = log(service_now(f));

	if (!a || !(f->indicted & LATENCY) || !isfinite(now))
		return;
	a->n += a->n < ASKED;
	a->mean += (now - a->mean) / a->n;
}

double disk_service_ratio(const struct facts *f)
{
	const struct service_asked *a = asked_of(f);
	double now = service_now(f);

	return isfinite(now) && a && a->n ? exp(a->mean) : now;
}

/* Whether latency is up only because requests queue at the disk that all wait for, which is no slower
 * than disks of one model are. */
bool disk_bottleneck(const struct facts *f)
{
	/* The time of an operation says nothing where many may be of others. */
	if (f->hogged || disk_unclaimed(f))
		return false;
	/* with the device's own time measured and not up, the wait is above it: another matter */
	return disk_service_ratio(f) < SERVICE_SLOW;
}

/* A ratio this much larger for large requests than for small ones, or the reverse, is a slope. */
#define SLOPE 1.3

/*
 * Requests that wait behind somebody else's at the device wait as long whatever their own size: small
 * ones, which are quick by themselves, suffer by the larger ratio. A device that is slower itself (a
 * worn or throttled medium, a link that fell back) takes longer for every byte: large ones suffer as
 * much as small ones, or more. Retries make some requests take very long and leave the others alone: the
 * tail grows far more than the median.
 */
static enum guess_kind guess_by_size(const double *ratio)
{
	double small = 0, large = 0;

	for (int i = 0; i < LAT_SIZES; i++) {
		if (!(ratio[i] > 0) || !isfinite(ratio[i]))
			continue;
		if (small <= 0)
			small = ratio[i];
		else
			large = ratio[i];
	}
	if (small <= 0 || large <= 0)
		return GUESS_NONE;
	if (small >= SLOPE * large)
		return GUESS_DEVICE_BUSY;
	return large >= SLOPE * small ? GUESS_DEVICE_SLOW : GUESS_NONE;
}

/* Whether something else uses the device or the device itself is slow; GUESS_NONE if nothing tells. */
static enum guess_kind disk_guess(const struct facts *f)
{
	static const enum signal ops[] = {SIG_READ_DEVICE, SIG_WRITE_DEVICE, SIG_READ, SIG_WRITE};

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		const struct finding *e = f->of[ops[i]];
		bool write = ops[i] == SIG_WRITE || ops[i] == SIG_WRITE_DEVICE;
		enum guess_kind guess;

		if (!e)
			continue;
		if (isfinite(e->p99) && e->p99_peers > 0 && e->ratio > 0 &&
		    e->p99 / e->p99_peers >= 4 * e->ratio)
			return GUESS_DEVICE_TAIL;
		guess = guess_by_size(f->me->size_ratio[write]);
		if (guess != GUESS_NONE)
			return guess;
	}
	return GUESS_NONE;
}

/* ---- rules -------------------------------------------------------------------------------------- */

/* Whether the file system has its data elsewhere: this disk saw less than a hundredth of its bytes on this
 * server, now and before. */
bool disk_unused(const struct scene_node *n, const char *disk)
{
	return disk_own_kb(&n->now, disk) < 0.01 * disk_own_kb(&n->now, "") &&
	       disk_own_kb(&n->before, disk) <= 0.01 * disk_own_kb(&n->before, "");
}

/* Whether others' counted share of the disk's bytes is more than a trickle; also where bytes were not
 * measured. */
bool disk_hogged(const struct interval *h, const char *disk)
{
	double all = disk_kb(h, disk),
	       foreign = disk_foreign_kb(h, disk, false) + disk_foreign_kb(h, disk, true);

	return !(all > 0) || foreign >= HOG_SHARE * all;
}

static double queue(const struct interval *h, const void *arg)
{
	return acc_mean(disk_acc(h, arg, DA_QUEUE));
}

static double others_before(const struct facts *f)
{
	const struct interval *h = &f->me->before;

	return f->others.how == ORIGIN_COUNTED
		       ? disk_foreign_kb(h, f->disk, false) + disk_foreign_kb(h, f->disk, true)
		       : culprit_moved_kb(f->me, h, false, OTHERS) +
				 culprit_moved_kb(f->me, h, true, OTHERS);
}

/* A queue that is as long as it was before these others came is not what they made; one that is longer is
 * theirs, also where the peers' queues differ too much to tell. */
static bool queue_harmed(const struct facts *f)
{
	const struct scene_node *n = f->me;
	double now = queue(&n->now, f->disk), before = queue(&n->before, f->disk);

	if (n->before.seconds < BEFORE_S || isnan(before) || isnan(now))
		return facts_up(f, SIG_QUEUE);
	if (others_before(f) >= 0.5 * (f->others.read_kb + f->others.written_kb))
		return facts_up(f, SIG_QUEUE);
	return exceeds(SIG_QUEUE, now, before) &&
	       (facts_up(f, SIG_QUEUE) || exceeds(SIG_QUEUE, now, facts_peers(f, queue, "")));
}

void disk_busy(const struct facts *f, struct busy *b)
{
	*b = (struct busy){.now = 100 * utilisation(&f->me->now, f->disk),
			   .peers = 100 * facts_peers(f, utilisation, ""),
			   .before = NAN};
	if (f->me->before.seconds >= BEFORE_S)
		b->before = 100 * utilisation(&f->me->before, f->disk);
}

/* Whether its requests wait longer for what others do: it is slow, or its queue is longer than its peers'
 * and than it was before. */
static bool disk_harmed(const struct facts *f)
{
	double await = disk_await_ratio(f);

	return (f->up & LATENCY) || queue_harmed(f) || await >= HOG_AWAIT || !isfinite(await);
}

/* Foreign bytes that slow nobody are a notice. Where nobody counted them, they count with a name. */
bool rule_disk_hog(const struct facts *f)
{
	struct culprit c;

	if (!f->hogged || !disk_harmed(f))
		return false;
	culprit_disk(f, &c);
	return f->others.how == ORIGIN_COUNTED || *c.name;
}

void tell_disk_hog(const struct facts *f, struct incident *a)
{
	double fr = f->others.read_kb, fw = f->others.written_kb;

	culprit_disk(f, &a->culprit);
	a->detail = (struct detail){.kind = DETAIL_FOREIGN_IO,
				    .direction = fr >= 10 * fw	 ? DIRECTION_READ
						 : fw >= 10 * fr ? DIRECTION_WRITE
								 : DIRECTION_BOTH,
				    .kb_s = fr + fw,
				    .of_kb_s = disk_kb(&f->me->now, f->disk)};
	snprintf(a->detail.disk, sizeof(a->detail.disk), "%s", f->disk);
	if (!(f->up & LATENCY) && !isfinite(disk_await_ratio(f)))
		doubt(a, (struct doubt){.kind = DOUBT_FEW_REQUESTS});
}

/* Latency that neither more load nor a queue at the disk that all wait for explains. */
static bool is_slower(const struct facts *f)
{
	return (f->indicted & LATENCY) && !facts_hot(f) && !disk_bottleneck(f);
}

/* Whether most of it is spent above the device. Where the device's own time is up, half its part is enough. */
static bool is_above_device(const struct facts *f)
{
	double ratio, part = disk_device_part(f, facts_worst_is_write(f, &ratio));

	return part < (f->up & FOR_DEVICE_SLOW ? DEVICE_PART / 2 : DEVICE_PART);
}

bool rule_device_slow(const struct facts *f)
{
	return is_slower(f) && !is_above_device(f);
}

void tell_device_slow(const struct facts *f, struct incident *a)
{
	double ratio;
	bool write = facts_worst_is_write(f, &ratio);

	a->detail = (struct detail){.kind = DETAIL_LATENCY,
				    .direction = write ? DIRECTION_WRITE : DIRECTION_READ,
				    .ratio = ratio};
	snprintf(a->detail.disk, sizeof(a->detail.disk), "%s", f->disk);
	a->guess.kind = disk_guess(f);
	if (!(f->up & FOR_DEVICE_SLOW) && !isfinite(disk_device_part(f, write)))
		doubt(a, (struct doubt){.kind = DOUBT_DEVICE_UNKNOWN});
}

bool rule_io_scheduler(const struct facts *f)
{
	return is_slower(f) && is_above_device(f);
}

bool rule_starved(const struct facts *f)
{
	return facts_up(f, SIG_RUNQ) && (f->indicted & LATENCY);
}

void tell_io_scheduler(const struct facts *f, struct incident *a)
{
	double ratio;
	bool write = facts_worst_is_write(f, &ratio);

	a->detail = (struct detail){.kind = DETAIL_QUEUE,
				    .direction = write ? DIRECTION_WRITE : DIRECTION_READ};
	snprintf(a->detail.disk, sizeof(a->detail.disk), "%s", f->disk);
}
