/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the parts of the rules: the facts about one server that rules look at, and who finds what. */
#ifndef LIMPET_ROBUST_RULES_PARTS_H
#define LIMPET_ROBUST_RULES_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/signal/talkers.h"
#include "analyzer/signal/value.h"
#include "rules.h"

/* Whether the loss at a server is its own (rules_link.c). */
enum link_verdict {
	LINK_CLEAN,   /* no connection of it is lossy, though there are enough to tell */
	LINK_UNKNOWN, /* what was said with which host is not known */
	LINK_NODE,    /* it is this server */
	LINK_ONLY,    /* its only connection that carries data */
	LINK_ONE,     /* one connection of several: either end */
	LINK_CLIENT,  /* a remote host that is lossy with most servers */
};
struct link_side {
	size_t lossy, carry; /* remote hosts; lossy clients are in neither */
	double rate,
		usual; /* lost or displaced per data segment with these; the least lossy quarter */
	size_t heard;  /* servers that have it from this one out of order: lost on the way out */
	enum link_verdict verdict;
	const char *remote; /* of LINK_ONE, LINK_ONLY, LINK_CLIENT */
};
struct links {
	struct link_side send, recv;
	struct link_side
		unheard; /* segments sent again per data segment received: what was lost on the
				   * way in where every request is one segment */
};
/* How a server's own bytes and others' are told apart on its disks. */
enum origin {
	ORIGIN_UNKNOWN,
	ORIGIN_NAMES, /* by the table of processes, in which one of the file system's is known (by a process
		       * or control group that was told, or by its name), and by what crossed the network */
	ORIGIN_COUNTED, /* the kernel counted others' */
};
struct others {
	enum origin how;
	double read_kb, written_kb; /* kB/s; 0 where it is not known */
};
/* What is known about the indicted when the rules are asked. */
struct facts {
	const struct scene *s;
	const struct scene_node *me;
	const struct incident *a;
	const struct finding
		*of[SIG_COUNT]; /* worse than the peers', the largest z; NULL: it is not */
	const struct finding *less[SIG_COUNT]; /* ROLE_LOAD: less than the peers' */
	const char
		*disk; /* that rules look at, of which all findings on disks above are; "" none */
	struct others others; /* on that disk */
	bool hogged;	      /* more than a trickle, and more than on its peers' disks */
	size_t n_peers;	      /* servers of its group that spoke, without itself */
	struct links links;
};

double facts_or0(double x); /* 0 for NaN */
/* A number of every other server of the group that spoke now; their median, or NaN. */
double facts_peers(const struct facts *f, double (*of)(const struct interval *h, const void *arg),
		   const void *arg);
const struct interval_disk *facts_disk(const struct interval *h,
				       const char *disk); /* NULL: not there */

/* Whether it is another one of the group of the indicted, and spoke. */
bool facts_is_peer(const struct facts *f, const struct scene_node *n);

/* rules_origin.c: whose the bytes of a disk ("": of all of them) are. */
enum origin origin_of(const struct scene_node *n);
struct others disk_others(const struct facts *f, const struct scene_node *n, const char *disk);
/* Where nobody counted them: whether others move more of the bytes of the indicted's disk than a trickle, and
 * more than on its peers, by as much as the signals of others' bytes ask for. */
bool disk_others_up(const struct facts *f, const char *disk);
/* What a disk read beyond all that was sent, or wrote beyond all that was received, times what is usual
 * among the peers of the indicted; without counted bytes of others. kB/s; NaN: sockets were not measured. */
double disk_uncrossed_kb(const struct facts *f, const struct scene_node *n, const char *disk,
			 bool write);
/* Whether the disks of the indicted did so much beyond it that it is no demand of clients. */
bool disk_beyond_demand(const struct facts *f);
/* Whether there is so much that also no process of the file system moved: whose operations they are is not
 * known. */
bool disk_unclaimed(const struct facts *f);

/* rules_disk.c: of a disk. */
/* Whether the file system has its data elsewhere: this disk saw less than a hundredth of its bytes on this
 * server, now and before. */
bool disk_unused(const struct scene_node *n, const char *disk);
/* Whether others' counted share of the disk's bytes is more than a trickle; also where bytes were not
 * measured. */
bool disk_hogged(const struct interval *h, const char *disk);
/* Whether its requests wait longer for what others do: it is slow, or its queue is longer than its peers'
 * and than it was before. */
bool disk_harmed(const struct facts *f);
/* Latency of the requests of a server that has more to do than its peers. */
struct served {
	bool checked;	/* it was held against the peers', of which enough did such requests */
	bool explained; /* it is not worse, or no worse than the load makes it */
	double ratio;	/* the worst of reads and writes to the peers'; 1: none is worse */
};
/* %, of the time: now, its peers' median, and before; NaN: not known. */
void disk_busy(const struct facts *f, struct busy *b);
/* Whether so many times the peers' demand makes latency so many times theirs at a disk that is as quick. */
bool disk_load_explains(const struct facts *f, double load, double ratio);
struct served disk_served(const struct facts *f, const char *disk);
/* How much of the excess of whole latency over the peers' (before, where there are none) the device's
 * part makes up: 0 … 1; NaN: it is not known. */
double disk_device_part(const struct facts *f, bool write);
/* Latency of the disk, mean, now against the peers' median now or, where larger, the own one before;
 * the worse of reads and writes. NaN: not measured. */
double disk_await_ratio(const struct facts *f);
/* Busy time per operation of the disk against its peers' median: what the device itself takes longer,
 * without what the queue makes of it. Where that is known, what was so before is taken off, as own usual
 * offsets are (at most `usual`); trouble that was always there must have it before as well as now. NaN:
 * not measured, or it tells nothing: where all are busy all the time, or where a disk that does many
 * things at once is. */
double disk_service_ratio(const struct facts *f);
/* Whether latency is up only because requests queue at the disk that all wait for, which is no slower
 * than disks of one model are. */
bool disk_bottleneck(const struct facts *f);
/* Whether something else uses the device or the device itself is slow; GUESS_NONE if nothing tells. */
enum guess_kind disk_guess(const struct facts *f);

/* rules_culprit.c: who does it. A culprit without a name where nobody fits. */
bool culprit_is_own(const struct scene_node *n, const struct interval_process *p);
void culprit_disk(const struct facts *f, struct culprit *c);
/* What processes that are n's file system's moved in h, and those that are not, those aside that stand for
 * many. kB/s. */
double culprit_own_kb(const struct scene_node *n, const struct interval *h, bool write);
double culprit_others_kb(const struct scene_node *n, const struct interval *h, bool write);
void culprit_cpu(const struct facts *f, struct culprit *c, bool *own);
/* A process that began to take CPU time together with the trouble: for a guess. NULL: none does. */
const struct interval_process *culprit_newcomer(const struct facts *f);

/* rules_maintenance.c: the process of this server that does maintenance and moves the most bytes (or
 * takes the most CPU time where bytes are not accounted), or NULL. */
const struct interval_process *maintenance_process(const struct facts *f);
/* Whether it is a thread of the kernel that is there only while it is at work, and whose bytes are nobody's:
 * a software RAID's (md0_raid1 is there always, and says nothing). */
bool maintenance_thread(const char *process);

/* Whether a remote host exchanges bytes with this server only: clients of a file system that is spread
 * over servers use all of them. Its traffic is others', whoever it is. */
bool links_lone(const struct scene *s, const struct scene_node *me,
		const struct interval_remote *r);

/* rules_link.c: 0 or -ENOMEM. */
int links_judge(const struct scene *s, const struct scene_node *me, struct links *l);
/* The notice about a remote host that is lossy with most servers; false: there is none. */
bool links_client(const struct scene *s, const struct scene_node *me, const char *addr,
		  struct notice *r);
/* A notice for each such host. */
int links_clients(const struct scene *s, int (*fn)(void *arg, const struct notice *r), void *arg);

/*
 * What the rules compare with, and why. Everything else is in the table of signals: that something is
 * worse than the peers' at all is decided before any rule is asked.
 */
struct rule_bounds {
	double hung_share; /* work below this share of the peers' is (nearly) none: what is left are
			       * heartbeats and metadata. A slow server keeps up more than that. */
	double hung_peers_kb; /* peers that move less than this themselves, kB/s, tell nothing */
	double hung_before;   /* it did at least this share of the peers' work before: else it is a
			       * server that has less to do, and no fault */
	double hung_unread; /* connections that nobody reads, of those that were active before: not
			       * every client has to do with one server at any moment */
	double hung_quiet; /* work below this share of its own before: the rest is what it did before
			       * it hung, in the interval in which that was */
	double hog_share;  /* foreign bytes below this share of the disk's are a trickle beside what
			       * slows it */
	double hog_await; /* latency that could not be judged among peers, but is so many times what
			       * it is to them or was before: the hog is felt */
	double device_part; /* the device's part of the excess latency from which on it is the device:
			       * the larger half */
	double flood;  /* foreign network bytes of so many times the file system's own come before
			       * whatever is slow besides: they are no noise, latency can be */
	double demand; /* of traffic with a host that uses this server alone, the share that the file
			* system's own disk bytes grew by: it is a client's */
	double resent;	  /* with loss, foreign bytes below this share of the file system's are its
			       * own segments sent again and acknowledgements */
	double loss_sure; /* a share of lost segments at which throughput has fallen by more than any
			       * disk that is slow by less than the next: 1 % halves it within ms */
	double disk_sure;
	double hot;	  /* demand so many times the peers' can make a healthy server slow */
	double direction; /* of two directions the one that loses so many times more is the only one */
	double windows; /* congestion windows so many times smaller than the peers' are those of who loses
			 * what he sends: 2.5 times measured at 0.1 %, and 1.2 where as much was sent again
			 * because requests and acknowledgements were lost on the way in */
	double ooo_per_loss; /* segments that come out of order for each one lost: those of one
			       * congestion window under loss, 5 measured at 5 % */
	double service; /* busy time per operation of a slow device is at least so many times its
			 * peers': disks of one model differ by less, and in a system that waits for
			 * its slowest disk that little is enough for a long queue there */
	double usual;	/* the most that is taken off for what it was before */
	unsigned int before_s; /* of data from which on that is known, s */
	double full; /* the most that a disk is taken to be busy where its queue is reckoned with: at 1 it
		      * would have no end */
	double busy;   /* share of the time from which on a disk is busy all the time */
	double stolen; /* % of the time of its processors that other guests of its host had: what it
			* measures is late by about that much */
	double few;    /* servers; below, the method itself is less sure */
	unsigned int
		short_s; /* less data than this, s: neither what is usual nor how long is known */
};
extern const struct rule_bounds rule_bound;

bool facts_up(const struct facts *f, enum signal s);
bool facts_indicted(const struct facts *f, enum signal s); /* and not only as a symptom */
bool facts_device_up(const struct facts *f);
bool facts_whole_up(const struct facts *f);
bool facts_latency_indicted(const struct facts *f);
/* Whether more demand than its peers' explains all the latency. */
bool facts_hot(const struct facts *f);
/* How many times the peers' demand of clients it has on its disks; 0: none that crossed the network. */
double facts_demand(const struct facts *f);
/* Whether the file system's traffic with it is that much more than with its peers. */
bool facts_more_traffic(const struct facts *f);
/* Whether the latency that is up most is that of writes, and by which ratio. */
bool facts_worst_is_write(const struct facts *f, double *ratio);
/* As facts_peers(), of the intervals before the trouble if `before`. */
double facts_peers_at(const struct facts *f, bool before,
		      double (*of)(const struct interval *h, const void *arg), const void *arg);
void facts_gather(struct facts *f, const struct scene *s, const struct incident *a);

/* One more reason for less confidence. */
void doubt(struct incident *a, struct doubt why);

/* ---- the rules: whether one holds; what it says -------------------------------------------------- */

#define RULE(name) bool rule_##name(const struct facts *f)
#define TELL(name) void tell_##name(const struct facts *f, struct incident *a)
RULE(hung);
TELL(hung);
RULE(unread);
TELL(unread);
RULE(busy_lock);
TELL(busy_lock);
RULE(busy_code);
TELL(busy_code);
RULE(disk_hog);
TELL(disk_hog);
RULE(flood);
RULE(network_hog);
TELL(network_hog);
RULE(cpu_hog);
RULE(starved);
RULE(cpu_queue);
TELL(cpu_hog);
RULE(swapping);
RULE(memory);
TELL(memory);
RULE(loss_sure);
RULE(loss);
TELL(loss);
RULE(device_slow);
TELL(device_slow);
RULE(io_scheduler);
TELL(io_scheduler);
RULE(slow);
TELL(slow);

#endif
