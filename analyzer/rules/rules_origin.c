// SPDX-License-Identifier: BSD-2-Clause
/*
 * Whose the bytes of a disk are. The kernel counts them where the probe was told the file system's control
 * groups. Where it was not, two things tell: what the disk moved and the file system's sockets did not is
 * nobody's demand; and the table of processes has the name of the one that moved it.
 */
#include "rules_parts.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/stat/stats.h"

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
static double moved(const struct interval *h, const char *disk, bool write)
{
	return fmax(0, facts_or0(disk_rate(h, disk, write ? DA_WRITE_KB : DA_READ_KB)) -
			       disk_foreign_kb(h, disk, write));
}

/* What crossed the network for it: what is read is sent, what is written was received. NaN: not measured. */
static double crossed(const struct interval *h, bool write)
{
	return acc_mean(h->acc[write ? NA_FS_RX_KB : NA_FS_TX_KB]);
}

static double per_crossed(const struct interval *h, const void *arg)
{
	bool write = *(const bool *)arg;
	double net = crossed(h, write);

	return net > 0 ? moved(h, "", write) / net : NAN;
}

/* What was received before and is still to be written, as far as the peers wrote of theirs: kB/s of now. */
static double backlog_kb(const struct facts *f, const struct scene_node *n)
{
	bool write = true;
	double usual = facts_peers_at(f, true, per_crossed, &write);
	double due = usual * crossed(&n->before, write) - moved(&n->before, "", write);

	return due > 0 && n->now.seconds ? due * n->before.seconds / n->now.seconds : 0;
}

double disk_uncrossed_kb(const struct facts *f, const struct scene_node *n, const char *disk,
			 bool write)
{
	double all = moved(&n->now, "", write), net = crossed(&n->now, write), usual;

	if (isnan(net))
		return NAN;
	/* journals, parity and readahead make more of each byte, on all servers alike */
	usual = fmax(1, facts_or0(facts_peers(f, per_crossed, &write)));
	usual *= net;
	usual += write ? backlog_kb(f, n) : 0;
	return fmin(moved(&n->now, disk, write), fmax(0, all - usual));
}

/* Whether so much of what was moved one way is more than a little beside the rest. */
static bool far_beyond(double rest, double all, bool write)
{
	return rest > signals[write ? SIG_FOREIGN_WRITE : SIG_FOREIGN_READ].floor &&
	       all >= rule_bound.hot * (all - rest);
}

bool disk_beyond_demand(const struct facts *f)
{
	for (int write = 0; write < 2; write++)
		if (far_beyond(disk_uncrossed_kb(f, f->me, "", write),
			       moved(&f->me->now, "", write), write))
			return true;
	return false;
}

bool disk_unclaimed(const struct facts *f)
{
	enum origin how = origin_of(f->me);

	for (int write = 0; write < 2 && how != ORIGIN_COUNTED; write++) {
		double all = moved(&f->me->now, "", write),
		       rest = disk_uncrossed_kb(f, f->me, "", write),
		       own = culprit_own_kb(f->me, &f->me->now, write);

		if (far_beyond(fmin(rest, fmax(0, all - own)), all, write))
			return true;
	}
	return false;
}

/* One way, by what processes moved: no more than what did not cross the network, where that is measured. */
static double by_names(const struct facts *f, const struct scene_node *n, const char *disk,
		       bool write)
{
	double theirs = culprit_others_kb(n, &n->now, write),
	       rest = disk_uncrossed_kb(f, n, disk, write);

	return fmin(theirs, isnan(rest) ? moved(&n->now, disk, write) : rest);
}

struct others disk_others(const struct facts *f, const struct scene_node *n, const char *disk)
{
	struct others o = {.how = origin_of(n)};

	if (o.how == ORIGIN_COUNTED) {
		o.read_kb = disk_foreign_kb(&n->now, disk, false);
		o.written_kb = disk_foreign_kb(&n->now, disk, true);
	} else if (o.how == ORIGIN_NAMES) {
		o.read_kb = by_names(f, n, disk, false);
		o.written_kb = by_names(f, n, disk, true);
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

/* As the signal that there is where they are counted. */
static bool up(enum signal s, double kb, double peers_kb)
{
	const struct signal_row *row = &signals[s];

	return kb - peers_kb > row->floor && (kb + row->c) / (peers_kb + row->c) >= row->ratio;
}

bool disk_others_up(const struct facts *f, const char *disk)
{
	struct others o = disk_others(f, f->me, disk), usual;

	if (o.how != ORIGIN_NAMES ||
	    o.read_kb + o.written_kb < rule_bound.hog_share * disk_kb(&f->me->now, disk))
		return false;
	usual = usual_others(f);
	return up(SIG_FOREIGN_READ, o.read_kb, usual.read_kb) ||
	       up(SIG_FOREIGN_WRITE, o.written_kb, usual.written_kb);
}
