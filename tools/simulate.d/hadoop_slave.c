// SPDX-License-Identifier: BSD-2-Clause
/* One slave of the MapReduce cluster: hardware, and what a second's work looks like from outside. */
#include <math.h>

#include "hadoop.h"
#include "tcp.h"

#define DISK_KB_S  70000.0
#define REQUEST_KB 128.0
#define SEEK_S	   0.009
#define SLICE_S	   3e-3 /* of a task that only computes */

void slave_init(struct slave *v, const struct setup *s, unsigned int i)
{
	struct rng hardware = stream(s->cluster_seed, FOR_HARDWARE, i);

	*v = (struct slave){.disk_kb_s = DISK_KB_S * lognormal(&hardware, 0.06), .ldavg = 0.2};
	v->plist = 105 + floor(6 * rng_uniform(&hardware));
	v->rng = stream(s->seed, FOR_DAEMON, i);
	ar1_init(&v->disk, stream(s->seed, FOR_DISK, 4 * (uint64_t)i), 0.9, 0.06);
	ar1_init(&v->host, stream(s->seed, FOR_HOST, i), 0.7, 0.08);
	spikes_init(&v->slow, stream(s->seed, FOR_DISK, 4 * (uint64_t)i + 2), 0.004);
}

static void slave_disk(struct slave *v, float *total)
{
	double able = v->has[R_DISK] / 0.85,
	       flushed = fmin(v->dirty_kb, fmin(able, v->dirty_kb / 3));
	double own = (v->read_kb + flushed) / v->disk_kb_s, hog_kb, service = REQUEST_KB / able;
	double rho = fmin(0.97, (v->read_kb + flushed) / able);

	v->dirty_kb -= flushed;
	total[T_R] = (float)(v->read_kb / REQUEST_KB);
	total[T_W] = (float)(flushed / REQUEST_KB);
	total[T_RKB] = (float)v->read_kb;
	total[T_WKB] = (float)flushed;
	total[T_RWAIT] =
		(float)(total[T_R] * fmin(0.5, service * (1 + 4 * rho / (1 - rho)) + SEEK_S / 3));
	total[T_WWAIT] = (float)(total[T_W] * fmin(0.8, service * 16 / (1 - rho) + SEEK_S / 3));
	total[T_BUSY] = (float)rho;
	total[T_BACK] = (float)(flushed / REQUEST_KB);
	total[T_BACK_WAIT] = total[T_WWAIT];
	total[T_SERVICE] = (float)(service + SEEK_S / 3);
	total[T_SEEK] = (float)(1.0 / 3);
	total[T_SEEK_S] = (float)SEEK_S;
	total[T_RHO] = total[T_RHO_ALL] = (float)rho;
	total[T_BATCH] = total[T_HELD] = 1;
	total[T_DISK_KB] = (float)REQUEST_KB;
	if (v->effect.disk_share > 0) {
		hog_kb = fmax(v->effect.disk_share, 1 - own) * v->disk_kb_s * 0.9;
		total[T_W] += (float)(hog_kb / 512);
		total[T_WKB] += (float)hog_kb;
		total[T_FOR_WKB] += (float)hog_kb;
		total[T_WWAIT] += 32;
		total[T_HOG] = (float)(hog_kb / 512);
		total[T_HOG_WAIT] = 32;
		total[T_BUSY] = 1;
	}
}

static void slave_net(struct slave *v, float *total)
{
	const struct effect *e = &v->effect;
	double other = 3 * rng_exponential(&v->rng), in = v->rx_kb / TCP_SEGMENT_KB,
	       out = v->tx_kb / TCP_SEGMENT_KB;
	double again = out * (e->tx_loss + 1e-4) / (1 - e->tx_loss);
	double acks = tcp_acks(e->rx_loss, tcp_window(e->rx_loss, 45));

	total[T_FS_RXKB] = (float)v->rx_kb;
	total[T_FS_TXKB] = (float)v->tx_kb;
	total[T_IDSEG] = (float)in;
	total[T_ODSEG] = (float)(out + again);
	total[T_ISEG] = (float)(in + out / 2);
	total[T_OSEG] = (float)(out + again + in * acks);
	total[T_RETRANS] = (float)again;
	total[T_OOO] = (float)(in * e->rx_loss);
	total[T_RXPCK] = (float)(total[T_ISEG] + 3 * other);
	total[T_TXPCK] = (float)(total[T_OSEG] + 3 * other);
	total[T_RXKB] = (float)(v->rx_kb + TCP_HEADER_KB * total[T_ISEG] + other);
	total[T_TXKB] =
		(float)(v->tx_kb + TCP_SEGMENT_KB * again + TCP_HEADER_KB * total[T_OSEG] + other);
	total[T_LNCWND] = v->tx_kb > 1 ? (float)log(tcp_window(e->tx_loss + 1e-3, 60)) : NAN;
	total[T_SRTT] = v->tx_kb > 1 ? (float)(1000 * HADOOP_RTT_S) : NAN;
	total[T_ACTIVE] = v->tx_kb > 1 ? 4 : 0;
	total[T_SOCKETS] = 12;
}

static void slave_host(struct slave *v, float *total)
{
	double noise = ar1_factor(&v->host), forks = poisson(&v->rng, 0.1), running = 0, hog, cpu,
	       user;
	double ops = total[T_R] + total[T_W], packets = total[T_RXPCK] + total[T_TXPCK], wait;

	for (int k = 0; k < SLOTS; k++)
		running += v->tasks[k].running;
	hog = v->effect.cpu_share * CORES;
	cpu = v->cpu + 1e-6 * (total[T_RXKB] + total[T_TXKB]) + 20e-6 * ops + 2e-6 * packets;
	user = fmin(97, (0.85 * v->cpu + hog + 0.01 + 0.05 * forks) * noise * 100 / CORES);
	total[T_USER] = (float)user;
	total[T_CPU_TAKEN] = (float)fmax(v->effect.cpu_share, pow(fmin(1, cpu / CORES), CORES));
	total[T_CPU_WAIT] = (float)(SLICE_S / 2);
	total[T_SYSTEM] =
		(float)fmin(99 - user, (cpu - 0.85 * v->cpu + 0.01) * noise * 100 / CORES);
	wait = total[T_BUSY] * (running > 0 ? 0.5 * running / SLOTS : 0.1) * 100 * noise;
	if (v->effect.disk_share > 0)
		wait = fmax(wait, 100.0 / CORES);
	total[T_IOWAIT] = (float)fmin(100 - user - total[T_SYSTEM], wait);
	total[T_CSWCH] = (float)((300 + 4 * ops + packets / 5 + 200 * running) * noise);
	total[T_FAULTS] = (float)((60 + 900 * forks + 250 * v->cpu) * noise);
	total[T_RUNQ] = (float)poisson(&v->rng, 0.2 + v->cpu + hog + v->asked[R_CPU] - v->cpu);
	total[T_BLOCKED] = (float)poisson(&v->rng, total[T_BUSY] * running / 2);
	total[T_PLIST] = (float)(v->plist + 22 * running + forks + (hog > 0 ? 1 : 0));
	v->ldavg += (total[T_RUNQ] + total[T_BLOCKED] - v->ldavg) * (1 - exp(-1 / 60.0));
	total[T_LDAVG] = (float)v->ldavg;
}

void slave_totals(struct slave *v, float *total)
{
	slave_disk(v, total);
	slave_net(v, total);
	slave_host(v, total);
}
