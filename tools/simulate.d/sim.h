/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The simulator's common ground: what a run is asked to be (struct setup), what one server does in
 * one second (a row of totals), and who computes it. tools/simulate.d/README.md has the equations and
 * the reason of every number.
 *
 * Units: seconds, kB (1024 bytes), requests, segments. All randomness comes from struct streams that
 * are seeded by (seed, purpose, server), so that a fault does not shift the noise of anything else.
 */
#ifndef LIMPET_SIM_H
#define LIMPET_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "habits.h"
#include "noise.h"

/* One server, one second: sums over that second, so that rates, means and Little's law follow. */
enum total {
	T_R, /* disk reads and writes completed */
	T_W,
	T_RKB, /* their bytes */
	T_WKB,
	T_RWAIT, /* seconds they spent waiting and served, added up */
	T_WWAIT,
	T_FOR_RKB, /* of the bytes, those of other programs than the file system */
	T_FOR_WKB,
	T_BUSY, /* share of the second with a request in flight */
	T_RXKB, /* interface, all programs */
	T_TXKB,
	T_RXPCK,
	T_TXPCK,
	T_FS_RXKB, /* payload of the file system's sockets */
	T_FS_TXKB,
	T_ISEG, /* their segments: in, out, with data in, with data out */
	T_OSEG,
	T_IDSEG,
	T_ODSEG,
	T_RETRANS,
	T_OOO,
	T_BACK, /* of the requests: writeback, and the seconds it took */
	T_BACK_WAIT,
	T_LOG, /* daemons' logs, written */
	T_LOG_WAIT,
	T_HOG, /* a competing program's of this server: reads or writes (T_FOR_RKB) */
	T_HOG_WAIT,
	T_SCAND, /* pages scanned by tasks that need memory; their stalls; pages swapped */
	T_STALLS,
	T_SWPIN,
	T_SWPOUT,
	T_CL_RETRANS, /* of the segments, what one client's lossy link makes: T_OOO, T_RETRANS… */
	T_CL_OOO,
	T_CL_ACKS,
	T_LNCWND, /* mean over the sockets that sent data; NAN: none did */
	T_SRTT,	  /* ms; NAN as above */
	T_ACTIVE, /* sockets that sent data */
	T_SOCKETS,
	T_USER, /* % of all processors */
	T_SYSTEM,
	T_IOWAIT,
	T_CSWCH,
	T_FAULTS, /* page faults */
	T_RUNQ,
	T_BLOCKED,
	T_PLIST,
	T_LDAVG,
	T_SERVICE, /* struct disk_now of latency.h */
	T_SEEK,
	T_SEEK_S,
	T_RHO,
	T_RHO_ALL, /* with writeback */
	T_BATCH,
	T_HELD,
	T_DISK_KB,   /* size of a request */
	T_CPU_TAKEN, /* share of the time in which no processor is free */
	T_CPU_WAIT,  /* seconds until one is, then */
	T_MEMORY,    /* share of the time in which some task stalls for memory */
	T_DIRTY,     /* kB */
	T_CL_SHARE,  /* of the traffic, that client's */
	T_HIT,	     /* share of disk requests that the array's cache answers, and its time */
	T_HIT_S,
	T_UNREAD, /* sockets with data that nobody has read for 5 s; NAN: not known */
	TOTALS
};

/* What a fault does to one server in one second (faults.c); all 0: nothing. */
struct effect {
	double disk_share; /* of the disk's time, taken even when the file system wants it all */
	double seen_read;  /* 1: the competing stream is this kernel's own, and reads */
	double seen_write; /* 1: it writes; neither: somebody else on the array */
	double rx_share;   /* of the interface's capacity, likewise */
	double tx_share;
	double rx_loss; /* probability that a segment is lost on its way in */
	double tx_loss;
	double cpu_share; /* of all processors */
	double hang;	  /* 1: a task turns for ever (hadoop); the server answers nothing (pfs) */
	double slow;	  /* factor on the disk's service times; 0: none */
	double held;	  /* factor by which the I/O scheduler slows it */
	double other;	  /* factor on service times of another model of disk, for good */
	double hot;	  /* factor on the server's share of the load */
	double memory;	  /* share of the time in which tasks stall for memory */
	double job;	  /* of disk_share, what a program of the server's own habit takes */
	double client_loss; /* probability that a segment of one client is lost, both ways */
};

struct fault;	 /* faults.c */
struct workload; /* workload.c, hadoop.c */
struct hadoop_logs;

struct setup {
	unsigned int clients, servers, seconds;
	bool hadoop, lustre; /* neither: pvfs, whose servers all do metadata too */
	bool mds; /* lustre: record the metadata server, which is no peer of the others */
	const struct workload *workload;
	const struct fault *fault; /* NULL: none */
	unsigned int node;	   /* the faulty server's number */
	double intensity;
	double heterogeneity; /* deviation of the logarithm of the disks' speed */
	double imbalance;     /* of the servers' lasting shares of the load */
	double noise;	      /* factor on the deviation of all that varies from second to second */
	unsigned int fault_from, fault_seconds;
	uint64_t seed, cluster_seed;
	double missing; /* probability that a second is not recorded */
	struct habits habits;
	struct duty duty;	 /* of the fault: when it is there */
	double day_s;		 /* of the first second, since midnight */
	unsigned int interval_s; /* a row has the sums of so many seconds */
	bool brief;		 /* no rows of clients and processes */
	unsigned int jobs, maps,
		reduces; /* hadoop: so many; of each job. 0: until the end; the job's own */
	bool histories;	 /* hadoop: of the logs, no daemon's */
	struct hadoop_logs *logs; /* hadoop: NULL: none are written */
};

/* All that are recorded. */
static inline unsigned int setup_nodes(const struct setup *s)
{
	return s->servers + (s->mds ? 1 : 0);
}

/* Rows of servers (with the metadata server) x seconds x TOTALS. */
struct run {
	unsigned int servers, seconds;
	float *v;
};

static inline float *run_at(const struct run *r, unsigned int server, unsigned int second)
{
	return r->v + ((size_t)server * r->seconds + second) * TOTALS;
}

/* pfs.c and hadoop.c: fill a run of the setup's size; hadoop's v may be NULL. 0 or -ENOMEM. */
int pfs_simulate(const struct setup *s, struct run *r);
int hadoop_simulate(const struct setup *s, struct run *r);

/* hadoop_logs.c: of what hadoop_simulate() does. NULL after a message; the folder need not be there. */
struct hadoop_logs *hadoop_logs_open(const struct setup *s, const char *dir, int64_t begin_ns);
/* 0, or -1 after a message: something could not be written. Takes NULL. */
int hadoop_logs_close(struct hadoop_logs *l);

/* faults.c */
struct fault {
	const char *name;
	bool pfs, hadoop;  /* in which clusters it exists */
	double intensity;  /* unless --intensity says so */
	double least, max; /* more than the least */
	size_t field;	   /* of struct effect: where the intensity goes */
	size_t flag;	   /* a field that becomes 1, or the same one */
	enum {
		AT_NODE,
		AT_ALL,
		AT_CLIENT,
		AT_ALWAYS
	} where;		   /* ALWAYS: its hardware, and of some more */
	bool harmless;		   /* nobody is to be indicted */
	unsigned int most_seconds; /* it lasts */
	const char *what;
};
extern const struct fault faults[]; /* ends with name NULL */
const struct fault *fault_by_name(const char *name, bool hadoop);
/* Whether it is this server's; a client's is no server's. */
bool fault_acts_on(const struct setup *s, unsigned int server);
unsigned int fault_end(const struct setup *s);	  /* the second after its last */
unsigned int fault_client(const struct setup *s); /* which one it is, where it is a client's */
struct effect fault_effect(const struct setup *s, unsigned int server, unsigned int second);
/* Since its last onset, s; a fault that comes and goes has several. */
unsigned int fault_since(const struct setup *s, unsigned int second);

/* hadoop.c; workload.h has the other's. NULL: not there. */
const struct workload *hadoop_workload(const char *name);
extern const char hadoop_workload_names[];

/* flows.c: the n reads or writes of a second, whose totals x are: their times, which add up to *sum_s, into
 * the row's histograms. Returns their mean time in the device in ms, NaN if n is 0. Times that are whole
 * multiples of tick_s (0: any) add up to what *sum_s is then. */
struct second_row;
double flows_put(const double *x, int op, double n, double *sum_s, double tick_s, struct rng *r,
		 struct second_row *row);
/* So many switches of processors into the host's histogram, and its two metrics. */
void runq_put(const double *x, double switches, struct rng *r, struct second_row *row);

/* writer.c: series files of a run into a folder. 0, or -1 after a message. */
struct writing {
	const char *dir;
	int64_t begin_ns;
	const struct setup *setup;
};
int write_run(const struct writing *w, const struct run *r);
/* The name of server number i, as in the files. */
enum { SERVER_NAME_LEN = 24 };
void server_name(const struct setup *s, unsigned int i, char name[SERVER_NAME_LEN]);

#endif
