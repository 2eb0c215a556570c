// SPDX-License-Identifier: BSD-2-Clause
/*
 * Processes: to which one a server's trouble is due, its control group, its share; and which of them do maintenance.
 */
#include "internal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "userspace/common/daemons.h"
#include "userspace/common/sort.h"

/* Write what others left in memory, or stand for many: they are nobody one could stop. */
static const char *const nobodies[] = {"(rest)",    "kworker/*",   "kswapd*",	  "jbd2/*",
				       "xfsaild/*", "ksoftirqd/*", "migration/*", "rcu_*",
				       "loop*",	    "nbd*"};

#define AMONG(list, name) name_among(list, sizeof(list) / sizeof(*(list)), name)

/* Of a path that was cut at its beginning, so many characters in common with the end of another are no
 * chance: a number of a container or a unit's name, not "slice". [D] */
#define COMMON_MIN 16

/* Whether the path of which `tail` is the end is `own` or below it: their common part begins with the
 * tail and ends with own. */
static bool tail_within(const char *tail, const char *own, size_t len)
{
	size_t n = strlen(tail);

	for (n = n < len ? n : len; n >= COMMON_MIN; n--)
		if (!memcmp(tail, own + len - n, n) && (!tail[n] || tail[n] == '/'))
			return true;
	return false;
}

enum place { INSIDE, OUTSIDE, NOWHERE };

/* Before the number of a process that was told. */
#define PID "pid:"

static bool is_told(const struct interval_process *p, const char *own)
{
	const char *colon = strrchr(p->name, ':');

	return colon && !strncmp(own, PID, sizeof(PID) - 1) &&
	       !strcmp(colon + 1, own + sizeof(PID) - 1);
}

/*
 * Whether control group `cg` is `own` or below it. NOWHERE: it does not tell whose a process is. Kernel
 * threads are in the root group whomever they serve; who is in `own` if that is the root group is all;
 * and a long path may have been cut ("...") where they differ.
 */
static enum place place_of(const char *cg, const char *own)
{
	size_t n = strlen(own);

	if (!strncmp(own, PID, sizeof(PID) - 1))
		return NOWHERE;
	while (n && own[n - 1] == '/')
		n--;
	if (!n || !cg[strspn(cg, "/")])
		return NOWHERE;
	if (!strncmp(cg, "...", 3))
		return tail_within(cg + 3, own, n) ? INSIDE : NOWHERE;
	return !strncmp(cg, own, n) && (!cg[n] || cg[n] == '/') ? INSIDE : OUTSIDE;
}

/* In any of the groups that are the file system's own, or in none; or one of its processes. */
static enum place place_among_own(const struct scene_node *n, const struct interval_process *p)
{
	enum place all = NOWHERE;

	for (size_t i = 0; i < n->n_own && all != INSIDE; i++) {
		enum place at = is_told(p, n->own_cgroups[i])
					? INSIDE
					: place_of(p->cgroup, n->own_cgroups[i]);

		all = at == NOWHERE ? all : at;
	}
	return all;
}

/* Whether a process in one of those groups is called like this. */
static bool has_namesake(const struct scene_node *n, const struct interval *h, const char *name)
{
	const char *colon = strrchr(name, ':');
	size_t len = colon ? (size_t)(colon - name) + 1 : strlen(name) + 1;

	return any_of(i, h->n_processes,
		      !strncmp(h->processes[i].name, name, len) &&
			      place_among_own(n, &h->processes[i]) == INSIDE);
}

/*
 * The group decides where it is known, so that a daemon of another file system is a culprit like any. One
 * that is called as the own ones are is of this file system although its group was not told: a second
 * brick, or a server beside this one on the same machine. [D]
 */
bool culprit_is_own(const struct scene_node *n, const struct interval_process *p)
{
	enum place at = place_among_own(n, p);

	if (at == INSIDE || (at == OUTSIDE && !daemon_known(p->name)))
		return at == INSIDE;
	return (at == NOWHERE && daemon_known(p->name)) || has_namesake(n, &n->now, p->name) ||
	       has_namesake(n, &n->before, p->name);
}

static const struct interval_process *process_before(const struct scene_node *n, const char *name)
{
	return find_if(i, n->before.processes, n->before.n_processes,
		       !strcmp(n->before.processes[i].name, name));
}

static double per_second(double sum, unsigned int seconds)
{
	return seconds && isfinite(sum) ? sum / seconds : 0;
}

/* Of what a process moves now, what it did not move before, per second. */
static void rise(const struct scene_node *n, const struct interval_process *p, double *read,
		 double *written, double *cpu)
{
	const struct interval_process *was = process_before(n, p->name);

	*read = per_second(p->read_kb, n->now.seconds);
	*written = per_second(p->written_kb, n->now.seconds);
	*cpu = per_second(p->cpu_s, n->now.seconds);
	if (was) {
		*read = fmax(0, *read - per_second(was->read_kb, n->before.seconds));
		*written = fmax(0, *written - per_second(was->written_kb, n->before.seconds));
		*cpu = fmax(0, *cpu - per_second(was->cpu_s, n->before.seconds));
	}
}

static void name_it(struct culprit *c, const struct interval_process *p)
{
	snprintf(c->name, sizeof(c->name), "%s", p->name);
	snprintf(c->cgroup, sizeof(c->cgroup), "%s", p->cgroup);
}

/*
 * How well a process explains the foreign bytes of the disk: what it moved in each direction, as far as
 * the disk saw so much. What it moved beyond went to other disks (or to caches), which is no proof, but
 * of two that explain as much the one with less beside it is likelier.
 */
static double explains(double read, double written, double foreign_read, double foreign_written)
{
	double of = fmin(read, foreign_read) + fmin(written, foreign_written);

	return of - 0.25 * (fmax(0, read - foreign_read) + fmax(0, written - foreign_written));
}

/* The least share of the foreign bytes that makes a process the one: below, many do it together. */
#define EXPLAINS_MIN 0.25

void culprit_disk(const struct facts *f, struct culprit *c)
{
	const struct scene_node *n = f->me;
	double fr = f->others.read_kb, fw = f->others.written_kb;
	double all = disk_kb(&n->now, f->disk), best = 0;

	*c = (struct culprit){.share = NAN};
	/* First by what rose with the trouble; then, for what was always so, by all. */
	for (int all_of_it = 0; all_of_it < 2 && !*c->name; all_of_it++)
		for (size_t i = 0; i < n->now.n_processes; i++) {
			const struct interval_process *p = &n->now.processes[i];
			double read = per_second(p->read_kb, n->now.seconds);
			double written = per_second(p->written_kb, n->now.seconds);
			double r = read, w = written, cpu, e;

			if (culprit_is_own(n, p) || AMONG(nobodies, p->name))
				continue;
			if (!all_of_it)
				rise(n, p, &r, &w, &cpu);
			e = explains(r, w, fr, fw);
			if (e <= best || e < EXPLAINS_MIN * (fr + fw))
				continue;
			best = e;
			name_it(c, p);
			if (all > 0)
				c->share = fmin(1, (fmin(read, fr) + fmin(written, fw)) / all);
		}
	c->of = fw > fr ? SHARE_WRITTEN_READ : SHARE_READ_WRITTEN;
}

/* What processes that are n's file system's moved in h, or those that are not, those aside that stand for
 * many. kB/s. */
double culprit_moved_kb(const struct scene_node *n, const struct interval *h, bool write,
			enum whose whose)
{
	double sum = 0;

	for (size_t i = 0; i < h->n_processes; i++) {
		const struct interval_process *p = &h->processes[i];

		if (culprit_is_own(n, p) == (whose == OWN) &&
		    (whose == OWN || !AMONG(nobodies, p->name)))
			sum += per_second(write ? p->written_kb : p->read_kb, h->seconds);
	}
	return sum;
}

void culprit_cpu(const struct facts *f, struct culprit *c, bool *own)
{
	const struct scene_node *n = f->me;
	double best = 0, total = 0;

	*c = (struct culprit){.share = NAN, .of = SHARE_CPU};
	*own = false;
	for (size_t i = 0; i < n->now.n_processes; i++) {
		const struct interval_process *p = &n->now.processes[i];
		double r, w, cpu;

		if (!isfinite(p->cpu_s))
			continue;
		total += p->cpu_s;
		if (AMONG(nobodies, p->name))
			continue;
		rise(n, p, &r, &w, &cpu);
		if (cpu <= best)
			continue;
		best = cpu;
		name_it(c, p);
		c->share = p->cpu_s;
		*own = culprit_is_own(n, p);
	}
	c->share = *c->name && total > 0 ? c->share / total : NAN;
}

/* From 1 % of a processor on: moving 10 MB/s over a network takes about so much. */
#define NEWCOMER_CPU 0.01

const struct interval_process *culprit_newcomer(const struct facts *f)
{
	const struct scene_node *n = f->me;
	const struct interval_process *found = NULL;
	double best = NEWCOMER_CPU;

	if (!n->before.seconds)
		return NULL;
	for (size_t i = 0; i < n->now.n_processes; i++) {
		const struct interval_process *p = &n->now.processes[i];
		double r, w, cpu;

		if (culprit_is_own(n, p) || daemon_known(p->name) || AMONG(nobodies, p->name))
			continue;
		rise(n, p, &r, &w, &cpu);
		if (cpu > best && !process_before(n, p->name)) {
			best = cpu;
			found = p;
		}
	}
	return found;
}

/* ---- maintenance -------------------------------------------------------------------------------- */

/* Maintenance by the names of those who do it: a rebuild or a scrub is wanted, and no fault. */

/*
 * '*' at the end: any rest; "md#_": a number. Names are those of the kernel's threads (cut to 15
 * characters, as the kernel cuts them) and of the programs. Backups are not here: whoever reads all of
 * a disk for another purpose than the disk's own health is a hog.
 */
static const struct {
	const char *name, *what;
} doers[] = {
	{"md#_resync", "a resync of a software RAID"},
	{"md#_reshape", "a reshape of a software RAID"},
	{"md#_recovery", "a rebuild of a software RAID"},
	{"mdadm", "work on a software RAID"},
	{"raid-check", "a check of a software RAID"},
	{"checkarray", "a check of a software RAID"},
	{"btrfs-scrub*", "a scrub of btrfs"},
	{"btrfs-balance", "a balance of btrfs"},
	{"z_scrub*", "a scrub of ZFS"},
	{"z_rebuild*", "a rebuild of ZFS"},
	{"txg_scrub*", "a scrub of ZFS"},
	{"dsl_scan*", "a scrub of ZFS"},
	{"zpool", "work on a ZFS pool"},
	{"z_trim*", "a trim of ZFS"},
	{"fstrim", "a trim"},
	{"xfs_scrub*", "a scrub of XFS"},
	{"xfs_fsr", "a defragmentation of XFS"},
	{"xfs_repair", "a repair of XFS"},
	{"e2fsck", "a check of ext4"},
	{"e2scrub*", "a scrub of ext4"},
	{"e4defrag", "a defragmentation of ext4"},
	{"fsck", "a check of a file system"},
	{"fsck.*", "a check of a file system"},
	{"badblocks", "a search for bad blocks"},
	{"smartctl", "a self-test of a disk"},
	{"glustershd", "a self-heal of GlusterFS"},
	{"glfsheal*", "a self-heal of GlusterFS"},
	{"bitd", "a scrub of GlusterFS"},
	{"lfsck*", "a check of Lustre"},
	{"OI_scrub*", "a scrub of Lustre"},
	{"scrub", "a scrub"},
	{"scrub_*", "a scrub"},
};

/* Of "name:number" the name counts. */
static bool is_called(const char *name, const char *pattern)
{
	const char *colon = strrchr(name, ':'), *end = colon ? colon : name + strlen(name);

	for (; *pattern; pattern++) {
		if (*pattern == '*')
			return true;
		if (*pattern == '#') {
			if (name == end || !isdigit((unsigned char)*name))
				return false;
			while (name < end && isdigit((unsigned char)*name))
				name++;
			continue;
		}
		if (name == end || *name++ != *pattern)
			return false;
	}
	return name == end;
}

const char *rules_maintenance(const char *process)
{
	for (size_t i = 0; i < sizeof(doers) / sizeof(*doers); i++)
		if (is_called(process, doers[i].name))
			return doers[i].what;
	return NULL;
}

/* Whether it is a thread of the kernel that is there only while it is at work, and whose bytes are nobody's:
 * a software RAID's (md0_raid1 is there always, and says nothing). */
bool maintenance_thread(const char *process)
{
	return is_called(process, "md#_re*");
}

/* The process of this server that does maintenance and moves the most bytes (or takes the most CPU time
 * where bytes are not accounted), or NULL. */
const struct interval_process *maintenance_process(const struct facts *f)
{
	const struct interval_process *best = NULL;

	for (size_t i = 0; i < f->me->now.n_processes; i++) {
		const struct interval_process *p = &f->me->now.processes[i];
		double kb = facts_or0(p->read_kb) + facts_or0(p->written_kb);
		double best_kb = best ? facts_or0(best->read_kb) + facts_or0(best->written_kb) : 0;

		if (!rules_maintenance(p->name))
			continue;
		if (!best || kb > best_kb || (kb == best_kb && p->cpu_s > best->cpu_s))
			best = p;
	}
	return best;
}
