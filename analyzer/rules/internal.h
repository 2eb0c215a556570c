/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the files of this room: the facts about one server that rules look at, and who finds what. */
#ifndef LIMPET_RULES_INTERNAL_H
#define LIMPET_RULES_INTERNAL_H

#include "analyzer/signal/talkers.h"
#include "analyzer/signal/value.h"
#include "rules.h"
#include "speaks.h"

/* Whether the loss at a server is its own (rules_net.c). */
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
	double rate;	     /* lost or displaced per data segment with these */
	size_t heard; /* servers that have it from this one out of order: lost on the way out */
	enum link_verdict verdict;
	const char *remote; /* of LINK_ONE, LINK_ONLY, LINK_CLIENT */
};
struct links {
	struct link_side send, recv;
	/* segments sent again per data segment received: what was lost on the way in where every request is one segment */
	struct link_side unheard;
};
/* How a server's own bytes and others' are told apart on its disks. */
enum origin {
	ORIGIN_UNKNOWN,
	/* by the table of processes, in which one of the file system's is known (by a process or control group that was told,
	 * or by its name), and by what crossed the network */
	ORIGIN_NAMES,
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
	/* worse than the peers', the largest z; NULL: it is not */
	const struct finding *of[SIG_COUNT];
	uint64_t up, indicted; /* these signals as sets; and those that are not only a symptom */
	const struct finding *less[SIG_COUNT]; /* ROLE_LOAD: less than the peers' */
	const char
		*disk; /* that rules look at, of which all findings on disks above are; "" none */
	struct others others; /* on that disk */
	bool hogged;	      /* more than a trickle, and more than on its peers' disks */
	size_t n_peers;	      /* servers of its group that spoke, without itself */
	struct links links;
};
/* That something is worse than the peers' at all is decided before any rule is asked, by the table of signals. */
/* foreign bytes below this share of the disk's are a trickle beside what slows it */
#define HOG_SHARE 0.1
/* latency that could not be judged among peers, but is so many times what it is to them or was before: the hog is felt */
#define HOG_AWAIT 1.3
/* demand so many times the peers' can make a healthy server slow */
#define HOT 1.5

/* ---- rules_facts.c ---- */
typedef double facts_number(const struct interval *h, const void *arg);
facts_number facts_own_kb; /* bytes of its disks that are its own, kB/s */

void facts_gather(struct facts *f, const struct scene *s, const struct incident *a);
double facts_or0(double x); /* 0 for NaN */
/* A number of every other server of the group that spoke now; their median, or NaN. */
double facts_peers(const struct facts *f, facts_number *of, const void *arg);
double facts_peers_at(const struct facts *f, bool before, facts_number *of, const void *arg);
double facts_peers_some(const struct facts *f, bool before, size_t least, facts_number *of,
			const void *arg);			       /* of so many at least */
bool facts_is_peer(const struct facts *f, const struct scene_node *n); /* of its group, and spoke */
bool facts_up(const struct facts *f, enum signal s);
bool facts_indicted(const struct facts *f, enum signal s); /* and not only as a symptom */
bool facts_hot(const struct facts *f); /* more demand than its peers' explains all the latency */
/* How many times the peers' demand of clients it has on its disks; 0: none that crossed the network. */
double facts_demand(const struct facts *f);
bool facts_more_traffic(const struct facts *f); /* the file system's, as much more */
/* Whether the latency that is up most is that of writes, and by which ratio. */
bool facts_worst_is_write(const struct facts *f, double *ratio);

/* ---- rules_disk.c: of a disk; "": of all ---- */
/* Latency of the requests of a server that has more to do than its peers. */
struct served {
	bool checked;	/* it was held against the peers', of which enough did such requests */
	bool explained; /* it is not worse, or no worse than the load makes it */
	double ratio;	/* the worst of reads and writes to the peers'; 1: none is worse */
};
struct served disk_served(const struct facts *f, const char *disk);
enum origin origin_of(const struct scene_node *n);
struct others disk_others(const struct facts *f, const struct scene_node *n, const char *disk);
bool disk_others_up(const struct facts *f, const char *disk);
bool disk_beyond_demand(const struct facts *f); /* so much that it is no demand of clients */
bool disk_unused(const struct scene_node *n, const char *disk);
bool disk_hogged(const struct interval *h, const char *disk);
/* %, of the time: now, its peers' median, and before; NaN: not known. */
void disk_busy(const struct facts *f, struct busy *b);
/* Whether so many times the peers' demand makes latency so many times theirs at a disk that is as quick. */
bool disk_load_explains(const struct facts *f, double load, double ratio);
/* Mean latency, the worse of reads and writes, against the larger of the peers' and its own before; NaN: not measured. */
double disk_await_ratio(const struct facts *f);
double disk_await_worst(const struct facts *f, bool *write); /* against the peers'; 0 */
void disk_ask(const struct facts *f); /* once each time the rules are asked, for: */
double disk_service_ratio(const struct facts *f);
bool disk_bottleneck(const struct facts *f);

/* ---- rules_culprit.c: who does it; a culprit without a name where nobody fits ---- */
bool culprit_is_own(const struct scene_node *n, const struct interval_process *p);
void culprit_disk(const struct facts *f, struct culprit *c);
enum whose { OTHERS, OWN };
double culprit_moved_kb(const struct scene_node *n, const struct interval *h, bool write,
			enum whose whose);
void culprit_cpu(const struct facts *f, struct culprit *c, bool *own);
/* A process that began to take CPU time together with the trouble: for a guess. NULL: none does. */
const struct interval_process *culprit_newcomer(const struct facts *f);
const struct interval_process *maintenance_process(const struct facts *f);
bool maintenance_thread(const char *process);

/* ---- rules_net.c: 0 or -ENOMEM ---- */
int links_judge(const struct scene *s, const struct scene_node *me, struct links *l);
/* The notice about a remote host that is lossy with most servers; false: there is none. */
bool links_client(const struct scene *s, const struct scene_node *me, const char *addr,
		  struct notice *r);
/* A notice for each such host. */
int links_clients(const struct scene *s, int (*fn)(void *arg, const struct notice *r), void *arg);

/* ---- the rules: whether one holds; what it says ---- */
/* rules.c: one more reason for less confidence. */
void doubt(struct incident *a, struct doubt why);

typedef bool rule_holds(const struct facts *f);
typedef void rule_tell(const struct facts *f, struct incident *a);

rule_holds rule_disk_hog, rule_device_slow, rule_io_scheduler, rule_starved;
rule_holds rule_hung, rule_unread, rule_busy_lock, rule_busy_code;
rule_holds rule_cpu_hog, rule_cpu_queue, rule_swapping, rule_memory;
rule_holds rule_flood, rule_network_hog, rule_loss_sure, rule_loss;
rule_tell tell_disk_hog, tell_device_slow, tell_io_scheduler;
rule_tell tell_hung, tell_unread, tell_busy_lock, tell_busy_code, tell_cpu_hog, tell_memory;
rule_tell tell_network_hog, tell_loss;

#endif
