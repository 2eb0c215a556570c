// SPDX-License-Identifier: BSD-2-Clause
/* Rules about a disk: whose bytes, which part of the latency, what it looks like. */
#include "rules_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

double disk_device_part(const struct facts *f, bool write)
{
	enum disk_acc whole = write ? DA_WRITE_AWAIT : DA_READ_AWAIT;
	enum disk_acc device = write ? DA_WRITE_DEVICE : DA_READ_DEVICE;
	double w = acc_mean(disk_acc(&f->me->now, f->disk, whole)) - usual(f, whole, false);
	double d = acc_mean(disk_acc(&f->me->now, f->disk, device)) - usual(f, device, false);

	if (!isfinite(w) || !isfinite(d) || w <= 0)
		return NAN;
	return fmin(1, fmax(0, d / w));
}

double disk_await_ratio(const struct facts *f)
{
	double worst = NAN;

	for (int write = 0; write < 2; write++) {
		enum disk_acc which = write ? DA_WRITE_AWAIT : DA_READ_AWAIT;
		struct acc a = disk_acc(&f->me->now, f->disk, which);
		double ratio = acc_mean(a) / usual(f, which, true);

		/* means over fewer than 30 requests say little */
		if (a.n >= 30 && isfinite(ratio))
			worst = fmax(worst, ratio);
	}
	return worst;
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

/* Means over fewer requests say little. */
#define REQUESTS_MIN 30

static double mean_of_enough(const struct interval *h, const void *arg)
{
	struct acc a = disk_acc(h, "", *(const enum disk_acc *)arg);

	return a.n >= REQUESTS_MIN ? acc_mean(a) : NAN;
}

bool disk_load_explains(const struct facts *f, double load, double ratio)
{
	double own = utilisation(&f->me->now, f->disk), peers = facts_peers(f, utilisation, "");
	double idle = fmax(1 - own, 1 - rule_bound.full);

	if (!(load >= rule_bound.hot))
		return false;
	/* near its limit a queue grows much faster than the load, at a disk that is as quick as any: as
	 * 1 / (1 - busy) does, that of an M/M/1 queue */
	return load >= ratio ||
	       (disk_service_ratio(f) < rule_bound.service && !(ratio > (1 - peers) / idle));
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
			s.explained &= disk_service_ratio(f) < rule_bound.service;
			continue;
		}
		s.checked = true;
		if (own - peers <= floor || own < rule_bound.hog_await * peers ||
		    (f->me->equal_load[write] > 0 &&
		     f->me->equal_load[write] < rule_bound.hog_await))
			continue;
		s.ratio = fmax(s.ratio, own / peers);
		s.explained &= disk_load_explains(f, facts_demand(f), own / peers);
	}
	return s;
}

/* Whether a latency was up from the first data on, for an hour or more: `before` is no better time then. */
static bool always_up(const struct facts *f)
{
	bool always = false;

	for (size_t s = 0; s < SIG_COUNT; s++)
		always |= f->of[s] && signals[s].kind == KIND_LATENCY && f->of[s]->chronic;
	return always;
}

double disk_service_ratio(const struct facts *f)
{
	double own = utilisation(&f->me->now, f->disk), peers = facts_peers(f, utilisation, "");
	double ratio = service(&f->me->now, f->disk) / facts_peers(f, service, ""), before, change;

	if (!(own > 0) || !(peers > 0) || (own >= rule_bound.busy && f->me->flash))
		return NAN;
	if (f->me->before.seconds < rule_bound.before_s)
		return ratio;
	before = service(&f->me->before, f->disk) / facts_peers_at(f, true, service, "");
	/* what is not known now is not what it was: fmin() and fmax() would take that for it */
	if (!isfinite(before) || isnan(ratio))
		return ratio;
	change = ratio / fmin(rule_bound.usual, fmax(1, before));
	return always_up(f) ? fmax(change, fmin(ratio, before)) : change;
}

bool disk_bottleneck(const struct facts *f)
{
	/* The time of an operation says nothing where many may be of others. */
	if (f->hogged || disk_unclaimed(f))
		return false;
	/* with the device's own time measured and not up, the wait is above it: another matter */
	return disk_service_ratio(f) < rule_bound.service;
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

enum guess_kind disk_guess(const struct facts *f)
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

/* ---- rules ------------------------------------------------------------------------------------------ */

bool disk_unused(const struct scene_node *n, const char *disk)
{
	return disk_own_kb(&n->now, disk) < 0.01 * disk_own_kb(&n->now, "") &&
	       disk_own_kb(&n->before, disk) <= 0.01 * disk_own_kb(&n->before, "");
}

bool disk_hogged(const struct interval *h, const char *disk)
{
	double all = disk_kb(h, disk),
	       foreign = disk_foreign_kb(h, disk, false) + disk_foreign_kb(h, disk, true);

	return !(all > 0) || foreign >= rule_bound.hog_share * all;
}

static double queue(const struct interval *h, const void *arg)
{
	return acc_mean(disk_acc(h, arg, DA_QUEUE));
}

/* Whether one queue is longer than another, as the signal has it. */
static bool longer(double now, double than)
{
	const struct signal_row *row = &signals[SIG_QUEUE];

	return now - than > row->floor && (now + row->c) / (than + row->c) >= rule_bound.hog_await;
}

static double others_before(const struct facts *f)
{
	const struct interval *h = &f->me->before;

	return f->others.how == ORIGIN_COUNTED
		       ? disk_foreign_kb(h, f->disk, false) + disk_foreign_kb(h, f->disk, true)
		       : culprit_others_kb(f->me, h, false) + culprit_others_kb(f->me, h, true);
}

/* A queue that is as long as it was before these others came is not what they made; one that is longer is
 * theirs, also where the peers' queues differ too much to tell. */
static bool queue_harmed(const struct facts *f)
{
	const struct scene_node *n = f->me;
	double now = queue(&n->now, f->disk), before = queue(&n->before, f->disk);

	if (n->before.seconds < rule_bound.before_s || isnan(before) || isnan(now))
		return facts_up(f, SIG_QUEUE);
	if (others_before(f) >= 0.5 * (f->others.read_kb + f->others.written_kb))
		return facts_up(f, SIG_QUEUE);
	return longer(now, before) &&
	       (facts_up(f, SIG_QUEUE) || longer(now, facts_peers(f, queue, "")));
}

void disk_busy(const struct facts *f, struct busy *b)
{
	*b = (struct busy){.now = 100 * utilisation(&f->me->now, f->disk),
			   .peers = 100 * facts_peers(f, utilisation, ""),
			   .before = NAN};
	if (f->me->before.seconds >= rule_bound.before_s)
		b->before = 100 * utilisation(&f->me->before, f->disk);
}

bool disk_harmed(const struct facts *f)
{
	double await = disk_await_ratio(f);

	return facts_device_up(f) || facts_whole_up(f) || queue_harmed(f) ||
	       await >= rule_bound.hog_await || !isfinite(await);
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
	if (!facts_device_up(f) && !facts_whole_up(f) && !isfinite(disk_await_ratio(f)))
		doubt(a, (struct doubt){.kind = DOUBT_FEW_REQUESTS});
}

bool rule_device_slow(const struct facts *f)
{
	double ratio, part = disk_device_part(f, facts_worst_is_write(f, &ratio));

	if (!facts_latency_indicted(f) || facts_hot(f) || disk_bottleneck(f))
		return false;
	return facts_device_up(f) ? !(part < rule_bound.device_part / 2)
				  : !(part < rule_bound.device_part);
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
	if (!facts_device_up(f) && !isfinite(disk_device_part(f, write)))
		doubt(a, (struct doubt){.kind = DOUBT_DEVICE_UNKNOWN});
}

bool rule_io_scheduler(const struct facts *f)
{
	double ratio, part = disk_device_part(f, facts_worst_is_write(f, &ratio));

	/* the other side of the cut; where the device is as quick as its peers but all wait for it, its
	 * queue is nobody's fault */
	return facts_latency_indicted(f) && !facts_hot(f) && !disk_bottleneck(f) &&
	       part < (facts_device_up(f) ? rule_bound.device_part / 2 : rule_bound.device_part);
}

bool rule_starved(const struct facts *f)
{
	return facts_up(f, SIG_RUNQ) && facts_latency_indicted(f);
}

void tell_io_scheduler(const struct facts *f, struct incident *a)
{
	double ratio;
	bool write = facts_worst_is_write(f, &ratio);

	a->detail = (struct detail){.kind = DETAIL_QUEUE,
				    .direction = write ? DIRECTION_WRITE : DIRECTION_READ};
	snprintf(a->detail.disk, sizeof(a->detail.disk), "%s", f->disk);
}
