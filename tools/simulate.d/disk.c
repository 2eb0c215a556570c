// SPDX-License-Identifier: BSD-2-Clause
/*
 * One second of a server's disk: reads and synchronous writes as the network of queues has them, the
 * page cache that is written back in bursts, and the stream that competes.
 */
#include <math.h>

#include "server.h"

#define WRITEBACK_S 2.5 /* dirty pages go to the disk at dirty / this a second, if it can */
#define BURST	    32	/* requests that writeback issues at once */
#define DEPTH	    32	/* requests in the device's queue, of writeback at most */
#define QUEUE_MAX   128 /* of anything: nr_requests */
#define HOG_DEPTH   8	/* requests the hog keeps under way */
#define HOG_KB	    512.0

/* The page cache: what came in, and what goes out. Returns kB written back, limited to what the disk
 * has left beside reads and synchronous writes. */
static double write_back(struct server *v, double in_kb, double disk_kb, double taken)
{
	double able, kb;

	able = disk_kb / (v->request_s * v->stretch) * fmax(0.2, 1 - taken);
	v->dirty_kb += in_kb;
	kb = fmin(v->dirty_kb, fmin(able, v->dirty_kb / WRITEBACK_S * ar1_factor(&v->writeback)));
	v->dirty_kb -= kb;
	return kb;
}

/* The competitor: it has the time that the file system leaves, at least its share. */
static void hog(const struct server *v, double own, float *total)
{
	double time = fmax(0, 1 - own), ops;

	ops = time / (HOG_KB / v->disk_kb_s + 0.3 * fmin(1, own) * v->seek_s);
	if (v->effect.seen_read > 0) {
		total[T_R] += (float)ops;
		total[T_RKB] += (float)(ops * HOG_KB);
		total[T_FOR_RKB] += (float)(ops * HOG_KB);
		total[T_RWAIT] += HOG_DEPTH;
		total[T_HOG] = (float)ops;
		total[T_HOG_WAIT] = HOG_DEPTH;
	} else if (v->effect.seen_write > 0) {
		total[T_W] += (float)ops;
		total[T_WKB] += (float)(ops * HOG_KB);
		total[T_FOR_WKB] += (float)(ops * HOG_KB);
		total[T_WWAIT] += HOG_DEPTH;
		total[T_HOG] = (float)ops;
		total[T_HOG_WAIT] = HOG_DEPTH;
	}
}

void server_disk(struct server *v, const struct moment *m, const struct visit *visit, float *total)
{
	const struct phase *p = m->mix;
	double rate = m->rounds * visit->ratio, n = v->per_visit;
	double reads = rate * p->read * (1 - p->hit) * n,
	       syncs = rate * (1 - p->read) * p->sync * n;
	double rho = fmin(0.999, rate * visit->demand[ST_DISK]),
	       service = v->request_s * v->stretch;
	double written, flushes = 0, own, all, wait, burst;

	/* A request to the server is n disk requests, which come together. */
	written = write_back(v, rate * (1 - p->read) * (1 - p->sync) * p->size_kb,
			     p->disk_kb > 0 ? p->disk_kb : 256, rho);
	if (p->disk_kb > 0)
		flushes = written / p->disk_kb;
	else if (written > 0)
		flushes = written / 256, service = fmax(service, 256 / v->disk_kb_s * v->stretch);
	all = fmin(0.99, rho + flushes * service);
	own = (reads + syncs + flushes) * v->request_s;
	/* Reads go before writeback, but wait for the request that is being served. */
	wait = service * fmin(QUEUE_MAX, (n + 1) / 2 + queue_length(rho) * n) +
	       fmin(1, flushes * service) * service / 2 + v->held_up_s;
	burst = service * fmin(DEPTH, (BURST + 1) / 2.0 / (1 - all)) + v->held_up_s;
	total[T_R] = (float)reads;
	total[T_W] = (float)(syncs + flushes);
	total[T_RKB] = (float)(reads * p->disk_kb);
	total[T_WKB] = (float)(syncs * p->disk_kb + written);
	total[T_RWAIT] = (float)(reads * wait);
	total[T_WWAIT] = (float)(syncs * wait + flushes * burst);
	total[T_BUSY] = (float)all;
	total[T_BACK] = (float)flushes;
	total[T_BACK_WAIT] = (float)(flushes * burst);
	total[T_SERVICE] = (float)service;
	total[T_SEEK] = (float)v->seek;
	total[T_SEEK_S] = (float)(v->seek_s * v->stretch);
	total[T_RHO] = (float)rho;
	total[T_RHO_ALL] = (float)all;
	total[T_BATCH] = (float)n;
	total[T_HELD] = (float)fmax(1, v->effect.held);
	total[T_DISK_KB] = (float)p->disk_kb;
	total[T_HIT] = (float)v->hit;
	total[T_HIT_S] = (float)v->hit_s;
	if (v->effect.disk_share > 0) {
		hog(v, own, total);
		if (v->effect.seen_read + v->effect.seen_write > 0)
			total[T_BUSY] = 1;
	}
}
