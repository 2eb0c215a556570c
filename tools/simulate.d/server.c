// SPDX-License-Identifier: BSD-2-Clause
/* One server: hardware, what a visit costs, processors. disk.c and net.c have the rest. */
#include "server.h"

#include <math.h>

#include "tcp.h"

#define DIRTY_LIMIT_KB 400000.0 /* a fifth of 2 GB */
#define REQUEST_CPU_S  60e-6
#define LOOKUP_CPU_S   150e-6
#define CORES	       2
#define WAKE_UPS       3
#define STALL_S	       4e-3  /* of a direct reclaim */
#define SLICE_S	       3e-3  /* base_slice_ns of two processors */
#define BURST_CPU_S    60e-6 /* that a thread of the file system runs */
#define CACHE_S	       1e-4
#define CACHE_KB_S     300000.0 /* SATA's 3 Gb/s */
#define PACES	       0.3	/* deviation of how quickly caches fill: what is asked for twice */
#define WORKERS	       16	/* requests that a server reads before it has answered one */
#define UNREAD_S       5.0	/* as the probe counts */

static void habits_init(struct server *v, const struct setup *s, unsigned int i)
{
	const struct habits *h = &s->habits;
	struct rng pace = stream(s->seed, FOR_HITS, ((uint64_t)1 << 33) + i);

	path_init(
		&v->wander, &h->wander,
		&(struct path_of){s->seed, FOR_WANDER, i, h->rack ? i / h->rack : i, h->shared, 1});
	path_init(&v->hits, &h->hits, &(struct path_of){s->seed, FOR_HITS, i, i, 0, 1});
	v->pace_s = h->warm_s * lognormal(&pace, PACES);
	v->full = h->warm_s > 0 ? 0 : 1;
}

void server_init(struct server *v, const struct setup *s, unsigned int i)
{
	struct rng hardware = stream(s->cluster_seed, FOR_HARDWARE, i);
	struct rng placement = stream(s->seed, FOR_PLACEMENT, i);
	double noise = s->noise;

	*v = (struct server){
		.disk_kb_s = DISK_KB_S * lognormal(&hardware, s->heterogeneity),
		/* Seeks differ less, as 4 to 6. */
		.seek_s = SEEK_S * lognormal(&hardware, 0.04 * (s->heterogeneity / 0.06)),
		.load = lognormal(&hardware, s->imbalance),
		.nic_kb_s = NIC_KB_S,
		.rng = stream(s->seed, FOR_NET, 2 * i + 1),
		.daemon = stream(s->seed, FOR_DAEMON, i),
		.lncwnd = log(10),
		.cron = 60 * rng_uniform(&hardware),
	};
	/* Inner tracks are slower: where this run's files lie. */
	v->disk_kb_s *= lognormal(&placement, 0.02);
	v->plist = 118 + floor(12 * rng_uniform(&hardware)) + floor(4 * rng_uniform(&placement));
	ar1_init(&v->disk, stream(s->seed, FOR_DISK, 4 * i), 0.95, 0.05 * noise);
	ar1_init(&v->moment, stream(s->seed, FOR_DISK, 4 * i + 1), 0.3, 0.08 * noise);
	spikes_init(&v->slow, stream(s->seed, FOR_DISK, 4 * i + 2), 0.004 * noise);
	ar1_init(&v->writeback, stream(s->seed, FOR_DISK, 4 * i + 3), 0.5, 0.2 * noise);
	ar1_init(&v->balance, stream(s->seed, FOR_LOAD, i), 0.6, noise);
	ar1_init(&v->net, stream(s->seed, FOR_NET, 2 * i), 0.8, 0.02 * noise);
	ar1_init(&v->cwnd, stream(s->seed, FOR_CWND, i), 0.7, 0.12 * noise);
	ar1_init(&v->host, stream(s->seed, FOR_HOST, i), 0.8, 0.08 * noise);
	habits_init(v, s, i);
}

/* The array's cache: what it answers takes its way through the interface, however slow the disk is, but
 * not past a scheduler or a competitor. */
static void cache_second(struct server *v, const struct habits *h, double kb)
{
	double slow = fmax(1, v->effect.slow) * fmax(1, v->effect.other);

	v->hit = v->hit_s = 0;
	if (!(h->cache > 0))
		return;
	v->hit = cache_hits(h->cache, path_next(&v->hits), v->full);
	if (v->pace_s > 0)
		v->full = cache_fills(v->full, v->pace_s, 1);
	v->hit_s = CACHE_S + kb / CACHE_KB_S;
	v->request_s = (1 - v->hit) * v->request_s + v->hit * v->hit_s / slow;
	v->hit_s *= v->stretch / slow;
}

static void disk_second(struct server *v, const struct habits *h, const struct phase *mix)
{
	double noise = ar1_factor(&v->disk) * ar1_factor(&v->moment) * spikes_factor(&v->slow);
	double wander = path_next(&v->wander) - wanders_variance(&h->wander) / 2;
	double share = v->effect.disk_share, seek = fmin(1, mix->seek + 0.5 * share);
	double own_kb = v->effect.seen_read + v->effect.seen_write > 0 ? 512 : 1024;

	v->per_visit = mix->disk_kb > 0 ? fmax(1, mix->size_kb / mix->disk_kb) : 0;
	if (v->wander.n)
		noise *= exp(wander);
	v->request_s = noise * (seek * v->seek_s + mix->disk_kb / v->disk_kb_s);
	v->seek = seek;
	v->stretch = 1 / (1 - share);
	if (v->effect.slow > 0)
		v->stretch *= v->effect.slow;
	if (v->effect.held > 0)
		v->stretch *= v->effect.held;
	if (v->effect.other > 0)
		v->stretch *= v->effect.other;
	cache_second(v, h, mix->disk_kb);
	v->held_up_s = share > 0 ? 0.5 * (v->seek_s + own_kb / v->disk_kb_s) : 0;
}

/* From half of the limit on writers are held back, at nine tenths to the disk's own pace: as
 * balance_dirty_pages() does. */
static double held_back(double dirty_kb)
{
	return fmin(1, fmax(0, (dirty_kb / DIRTY_LIMIT_KB - 0.5) / 0.4));
}

void server_demand(struct server *v, const struct habits *habits, const struct phase *mix,
		   struct visit *out)
{
	const struct effect *e = &v->effect;
	double write = 1 - mix->read, disk_s, in_kb = write * mix->size_kb,
	       out_kb = mix->read * mix->size_kb, net;
	double deviation = mix->imbalance * v->balance.x, rtt = RTT_S;

	disk_second(v, habits, mix);
	ar1_factor(&v->balance);
	net = ar1_factor(&v->net);
	disk_s = v->per_visit * v->request_s * v->stretch;
	*out = (struct visit){.ratio = v->load * exp(deviation), .delay_s = rtt};
	out->demand[ST_DISK] = (mix->read * (1 - mix->hit) + write * mix->sync) * disk_s;
	out->demand[ST_ADMIT] =
		write * (1 - mix->sync) * held_back(v->dirty_kb / (1 - e->memory)) * disk_s;
	out->demand[ST_RX] = net * (in_kb + 0.2) / (v->nic_kb_s * (1 - e->rx_share));
	out->demand[ST_TX] = net * (out_kb + 0.1) / (v->nic_kb_s * (1 - e->tx_share));
	out->demand[ST_CPU] = REQUEST_CPU_S;
	if (e->hot > 0)
		out->ratio *= e->hot;
	/* Three times per request somebody has to wake: who polls, who works, who answers. */
	if (e->cpu_share > 0) {
		out->demand[ST_CPU] /= 1 - e->cpu_share;
		out->delay_s += WAKE_UPS * e->cpu_share * SLICE_S / 2;
	}
	out->delay_s += WAKE_UPS * e->memory * STALL_S;
	/* Bulk data that is lost: the connection's rate falls. A small message that is lost has
	 * nothing behind it to betray that: a timeout. */
	out->channel_s =
		in_kb / tcp_rate_kb(e->rx_loss, rtt) + out_kb / tcp_rate_kb(e->tx_loss, rtt);
	out->delay_s += TCP_TIMEOUTS * TCP_RTO_S * (e->rx_loss + e->tx_loss);
}

/* Whoever hangs reads nothing: each client at work has asked it once more, until it gives up and closes. A
 * server whose workers all wait leaves in the sockets what they could not take, each for as long as it
 * takes them to come to it; what waits longer than it does on average is exponentially rare. */
double server_unread(const struct server *v, const struct moment *m, const struct visit *visit,
		     unsigned int since_s)
{
	double rate = m->rounds * visit->ratio, here = 0, left;

	if (v->effect.hang > 0)
		return since_s >= UNREAD_S && since_s < GIVE_UP_S ? m->working : 0;
	for (int k = 0; k < STATIONS; k++)
		here += queue_length(rate * visit->demand[k]);
	left = here - WORKERS;
	return left > 0 ? fmin(m->working, left) * exp(-UNREAD_S * rate / left) : 0;
}

static double host_daemons(struct server *v, unsigned int t, float *total)
{
	double at = fmod(t + 60 - v->cron, 60), forks = poisson(&v->daemon, 0.05), log_kb;

	/* Logs are written back every half minute; cron wakes once a minute. */
	if (fmod(at, 30) < 1) {
		log_kb = 40 + 120 * rng_exponential(&v->daemon);
		total[T_W] += (float)(2 + log_kb / 16);
		total[T_WKB] += (float)log_kb;
		total[T_FOR_WKB] += (float)log_kb;
		total[T_WWAIT] += (float)((2 + log_kb / 16) * (v->seek_s + v->held_up_s));
		total[T_LOG] = (float)(2 + log_kb / 16);
		total[T_LOG_WAIT] = (float)((2 + log_kb / 16) * (v->seek_s + v->held_up_s));
	}
	return forks + (at < 1 ? 2 : 0);
}

/* A task that wakes finds every processor taken, each of them independently, and waits for what runs there:
 * the file system's threads and the kernel's run for some tens of microseconds, a program that only
 * computes for a slice of the scheduler, of which half is left on average. */
static void run_queue(const struct server *v, double used, float *total)
{
	double hog = v->effect.cpu_share;

	total[T_CPU_TAKEN] = (float)fmax(hog, pow(fmin(1, used), CORES));
	total[T_CPU_WAIT] = (float)(hog > 0 ? SLICE_S / 2 : BURST_CPU_S);
}

/* What a program leaves that touches more memory than there is: tasks that need a page look for one
 * themselves. Per second in which somebody stalls all the time, 250 stalls of 4 ms, in each of which 64
 * pages are looked at and 16 go to compressed memory (zram: no disk sees them), of which a quarter is
 * wanted again soon. */
static void memory(const struct server *v, float *total)
{
	double stalls = v->effect.memory / STALL_S;

	total[T_MEMORY] = (float)v->effect.memory;
	total[T_DIRTY] = (float)v->dirty_kb;
	total[T_STALLS] = (float)stalls;
	total[T_SCAND] = (float)(64 * stalls);
	total[T_SWPOUT] = (float)(16 * stalls);
	total[T_SWPIN] = (float)(4 * stalls);
}

void server_host(struct server *v, const struct moment *m, const struct visit *visit, bool root,
		 unsigned int t, float *total)
{
	double forks = host_daemons(v, t, total), noise = ar1_factor(&v->host);
	double rate = m->rounds * visit->ratio, packets = total[T_RXPCK] + total[T_TXPCK];
	double cpu_s = rate * REQUEST_CPU_S + (root ? m->lookups * LOOKUP_CPU_S : 0);
	double disk_ops = total[T_R] + total[T_W], blocked, system, user, waits;

	/* Per packet 1.5 us, per disk request 20 us, per kB copied 0.4 us [D]. */
	system = (0.6 * cpu_s + 1.5e-6 * packets + 20e-6 * disk_ops +
		  0.4e-6 * (total[T_RXKB] + total[T_TXKB]) + 0.004) *
		 noise * 100 / CORES;
	user = (0.4 * cpu_s + 0.05 * forks + 0.006) * noise * 100 / CORES;
	system = fmin(system, 60);
	user = fmin(user, 39);
	blocked = fmin(m->clients, queue_length(fmin(0.95, rate * visit->demand[ST_DISK])));
	waits = (1 - exp(-blocked)) * 100 / CORES;
	memory(v, total);
	if (v->effect.memory > 0)
		system = fmin(60, system + 100 * v->effect.memory / 4);
	/* It takes its share of what nobody needs. */
	if (v->effect.cpu_share > 0)
		user += v->effect.cpu_share * (100 - user - system);
	run_queue(v, (user + system) / 100, total);
	total[T_USER] = (float)user;
	total[T_SYSTEM] = (float)system;
	total[T_IOWAIT] = (float)fmin(100 - user - system, waits * noise);
	total[T_CSWCH] = (float)((240 + packets / 6 + 4 * disk_ops + 6 * rate) * noise);
	total[T_FAULTS] = (float)((40 + 700 * forks) * noise);
	total[T_RUNQ] = (float)poisson(&v->daemon, 0.1 + (user + system) / 100 * CORES + forks);
	total[T_BLOCKED] = (float)poisson(&v->daemon, blocked);
	total[T_PLIST] = (float)(v->plist + forks);
	v->ldavg += (total[T_RUNQ] + total[T_BLOCKED] - v->ldavg) * (1 - exp(-1 / 60.0));
	total[T_LDAVG] = (float)v->ldavg;
}
