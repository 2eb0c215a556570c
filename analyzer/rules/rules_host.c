// SPDX-License-Identifier: BSD-2-Clause
/* Rules about the server itself: hung, out of processors, out of memory. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is compared with here, and why. */

/* work below this share of the peers' is (nearly) none: what is left are heartbeats and metadata. A
 * slow server keeps up more than that. */
#define HUNG_SHARE 0.05
/* peers that move less than this themselves, kB/s, tell nothing */
#define HUNG_PEERS_KB 256
/* it did at least this share of the peers' work before: else it is a server that has less to do, and
 * no fault */
#define HUNG_BEFORE 0.3
/* connections that nobody reads, of those that were active before: not every client has to do with one
 * server at any moment */
#define HUNG_UNREAD 0.25
/* work below this share of its own before: the rest is what it did before it hung, in the interval in
 * which that was */
#define HUNG_QUIET 0.3

/* What a server does for the file system, kB/s: on its disks and over its sockets. */
static double work(const struct interval *h, const void *arg)
{
	(void)arg;
	return facts_or0(work_kb(h));
}

/* Requests that wait, and nothing that completes; or tasks that wait, where something did before: one
 * may wait for years for what has nothing to do with these disks. */
static bool stuck(const struct scene_node *n)
{
	const struct interval *h = &n->now;
	double queue = 0;

	for (size_t i = 0; i < h->n_disks; i++)
		queue += facts_or0(acc_mean(h->disks[i].acc[DA_QUEUE]));
	if (disk_ops(h, "") >= 0.1)
		return false;
	return queue >= 1 ||
	       (facts_or0(acc_mean(h->acc[NA_BLOCKED])) >= 1 && disk_ops(&n->before, "") >= 1);
}

static double ops(const struct interval *h, const void *arg)
{
	(void)arg;
	return disk_ops(h, "");
}

bool rule_hung(const struct facts *f)
{
	double peers = facts_peers_at(f, false, work, NULL),
	       was = facts_peers_at(f, true, work, NULL);
	double now = work(&f->me->now, NULL);

	if (f->me->silent || !f->me->now.seconds || (f->up & FOREIGN))
		return false;
	if (stuck(f->me) && facts_or0(facts_peers_at(f, false, ops, NULL)) >= 1)
		return true;
	if (!(peers >= HUNG_PEERS_KB) || now > HUNG_SHARE * peers)
		return false;
	return f->me->before.seconds && was > 0 && work(&f->me->before, NULL) >= HUNG_BEFORE * was;
}

void tell_hung(const struct facts *f, struct incident *a)
{
	a->detail = (struct detail){.kind = DETAIL_WORK,
				    .kb_s = work(&f->me->now, NULL),
				    .of_kb_s = facts_or0(facts_peers_at(f, false, work, NULL)),
				    .stuck = stuck(f->me)};
}

/*
 * Before clients give up they wait for the one that hangs, and have nothing to do elsewhere: its peers are
 * no busier than it is. Its processes read nothing any more; who only waits, for a lock, a disk or another
 * server, goes on reading, if it serves more than one. What nobody read before, while it did its work, is
 * no news.
 */
bool rule_unread(const struct facts *f)
{
	double unread = acc_mean(f->me->now.acc[NA_UNREAD]) -
			facts_or0(acc_mean(f->me->before.acc[NA_UNREAD])),
	       were = acc_mean(f->me->before.acc[NA_ACTIVE]), was = work(&f->me->before, NULL);

	return facts_indicted(f, SIG_UNREAD) && !f->me->silent && !(f->up & (FOREIGN | LATENCY)) &&
	       was >= HUNG_PEERS_KB && work(&f->me->now, NULL) <= HUNG_QUIET * was &&
	       unread >= HUNG_UNREAD * were;
}

void tell_unread(const struct facts *f, struct incident *a)
{
	a->detail = (struct detail){.kind = DETAIL_UNREAD,
				    .connections = acc_mean(f->me->now.acc[NA_UNREAD])};
}

/* ---- its own threads ---- */

/* It does little, and nothing but its own program can be why. */
static bool limps_itself(const struct facts *f)
{
	return (facts_indicted(f, SIG_IDLE) || facts_indicted(f, SIG_UNREAD)) && !f->me->silent &&
	       !(f->up & (FOREIGN | LATENCY | FOR_CPU_HOG)) &&
	       !(f->indicted & FOR_MEMORY_PRESSURE) && !stuck(f->me) &&
	       !facts_up(f, SIG_WAIT_DISK) && !facts_up(f, SIG_WAIT_MEM);
}

/* % of the time in which threads are not idle. */
static double share_of_awake(const struct interval *h, const void *arg)
{
	double awake = 100 - acc_mean(h->acc[NA_THR_IDLE]);

	return awake > 0 ? 100 * acc_mean(h->acc[*(const enum node_acc *)arg]) / awake : NAN;
}

static void tell_threads(const struct facts *f, struct incident *a, enum signal s, enum node_acc of)
{
	a->detail = (struct detail){.kind = DETAIL_THREADS,
				    .signal = s,
				    .waits = share_of_awake(&f->me->now, &of),
				    .of_waits = facts_peers(f, share_of_awake, &of)};
}

bool rule_busy_lock(const struct facts *f)
{
	return limps_itself(f) && facts_up(f, SIG_WAIT_LOCK);
}

void tell_busy_lock(const struct facts *f, struct incident *a)
{
	tell_threads(f, a, SIG_WAIT_LOCK, NA_THR_LOCK);
}

bool rule_busy_code(const struct facts *f)
{
	return limps_itself(f) && facts_up(f, SIG_ON_CPU);
}

void tell_busy_code(const struct facts *f, struct incident *a)
{
	tell_threads(f, a, SIG_ON_CPU, NA_THR_CPU);
}

/* ---- processors, memory ---- */

bool rule_cpu_hog(const struct facts *f)
{
	return facts_indicted(f, SIG_RUNQ) && facts_up(f, SIG_CPU);
}

bool rule_cpu_queue(const struct facts *f)
{
	return f->indicted & FOR_CPU_HOG;
}

void tell_cpu_hog(const struct facts *f, struct incident *a)
{
	bool own;

	culprit_cpu(f, &a->culprit, &own);
	a->detail = (struct detail){.kind = DETAIL_PROCESSORS, .own = own};
	if (facts_up(f, SIG_STEAL))
		a->guess.kind = GUESS_GUESTS;
	if (!facts_up(f, SIG_CPU))
		doubt(a, (struct doubt){.kind = DOUBT_PROCESSORS});
}

/* Swapping is disk work itself: it comes before the disk that it makes slow. */
bool rule_swapping(const struct facts *f)
{
	return facts_indicted(f, SIG_SWAP) &&
	       (facts_up(f, SIG_MEM_PRESSURE) || facts_up(f, SIG_MEM_STALL));
}

void tell_memory(const struct facts *f, struct incident *a)
{
	a->detail = (struct detail){.kind = DETAIL_MEMORY,
				    .signal = facts_up(f, SIG_SWAP)	   ? SIG_SWAP
					      : facts_up(f, SIG_MEM_STALL) ? SIG_MEM_STALL
									   : SIG_MEM_PRESSURE,
				    .available_kb = acc_mean(f->me->now.acc[NA_AVAILABLE_KB])};
}

bool rule_memory(const struct facts *f)
{
	return f->indicted & FOR_MEMORY_PRESSURE;
}
