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

/* Windows that make a vote: fewer come by chance in the long time that the slow test looks at. */
enum { VOTES = 3 };

/* How latency was found to be up: at once, always, or both. */
static void found(const struct facts *f, bool *fast, bool *slow)
{
	*fast = *slow = false;
	for (size_t s = 0; s < SIG_COUNT; s++)
		if (f->of[s] && signals[s].kind == KIND_LATENCY) {
			*fast |= !f->of[s]->chronic || f->of[s]->flagged >= VOTES;
			*slow |= f->of[s]->chronic;
		}
}

double disk_service_ratio(const struct facts *f)
{
	double own = utilisation(&f->me->now, f->disk), peers = facts_peers(f, utilisation, "");
	double ratio = service(&f->me->now, f->disk) / facts_peers(f, service, ""), before, change;
	bool fast, slow;

	if (!(own > 0) || !(peers > 0) || (own >= rule_bound.busy && f->me->flash))
		return NAN;
	if (f->me->before.seconds < rule_bound.before_s)
		return ratio;
	before = service(&f->me->before, f->disk) / facts_peers_at(f, true, service, "");
	/* what is not known now is not what it was: fmin() and fmax() would take that for it */
	if (!isfinite(before) || isnan(ratio))
		return ratio;
	change = ratio / fmin(rule_bound.usual, fmax(1, before));
	found(f, &fast, &slow);
	return !slow ? change : fast ? fmax(change, fmin(ratio, before)) : fmin(ratio, before);
}

bool disk_bottleneck(const struct facts *f)
{
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

static bool hogged(const struct facts *f)
{
	return (facts_up(f, SIG_FOREIGN_READ) || facts_up(f, SIG_FOREIGN_WRITE)) &&
	       disk_hogged(&f->me->now, f->disk);
}

/* Foreign bytes that slow nobody are none of our business. */
bool rule_disk_hog(const struct facts *f)
{
	return hogged(f) &&
	       (facts_device_up(f) || facts_whole_up(f) || facts_up(f, SIG_QUEUE) ||
		disk_await_ratio(f) >= rule_bound.hog_await || !isfinite(disk_await_ratio(f)));
}

void tell_disk_hog(const struct facts *f, struct incident *a)
{
	double fr = disk_foreign_kb(&f->me->now, f->disk, false);
	double fw = disk_foreign_kb(&f->me->now, f->disk, true);

	culprit_disk(f, &a->culprit);
	a->detail = (struct detail){.kind = DETAIL_FOREIGN_IO,
				    .direction = fr >= 10 * fw	 ? DIRECTION_READ
						 : fw >= 10 * fr ? DIRECTION_WRITE
								 : DIRECTION_BOTH,
				    .kb_s = fr + fw,
				    .of_kb_s = disk_kb(&f->me->now, f->disk)};
	snprintf(a->detail.disk, sizeof(a->detail.disk), "%s", f->disk);
	if (!facts_device_up(f) && !facts_whole_up(f))
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
