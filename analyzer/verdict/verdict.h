/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verdict: what a method has to say, complete and ready to print: one model for all of them. The engine
 * makes findings and the rules name causes; the methods on frames conclude (methods/conclude.h); outputs,
 * report, watch and evaluation read it, and nobody computes anything afterwards. Strings are owned by the
 * verdict, but those that are pointers to const, which are constants.
 */
#ifndef LIMPET_VERDICT_H
#define LIMPET_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/signal/signal.h"
#include "cause.h"
#include "straggler.h"
#include "userspace/common/text.h"
#include "userspace/series/series.h"

/*
 * What servers were compared by: a signal of series files, a column of a table. Each verdict has a table of
 * its own; signals are told by their number in it, that is their row. Of series files the rows are those of
 * signals[], so that a row's number is its enum signal.
 */
struct verdict_signal {
	char name[64];	    /* in text: "read latency" */
	char word[64];	    /* in JSON: "read" */
	char unit[24];	    /* of values; "" where none is known */
	const char *method; /* that compared it */
	const char *score;  /* what a finding's z is: "z", "times its threshold" */
	const char *counts; /* what a finding counts: "windows", "seconds" */
	enum signal_role role;
	/* The resource whose all-clear this signal supports: if it were twice as bad, the signal would show it. */
	enum resource resource;
	double added;	      /* to both sides before the ratio; 0: nothing */
	double added_inverse; /* likewise, to 1 / both sides */
	bool inverse;	      /* less is worse: the ratio is that of the peers to it */
	double floor;	      /* an excess over the peers must be more; 0: any is enough */
	double linear;	      /* a chart is logarithmic above this only; 0: everywhere */
	/* Each entity has peers under its own load, so that only ratios compare, not values: latencies, columns
	 * of tables, job states. */
	bool relative;
	int decimals;
	bool judged;   /* some server was judged on it */
	bool optional; /* if no server was judged on it, texts do not list it as not judged */
	bool alike; /* judged, and in no window did servers differ by more than the floor (conclude.c) */
	bool aspect; /* of a row about all metrics together, and judged when that row is (conclude.c) */
	/* Counted by methods on frames, 0 elsewhere: servers judged; windows with enough servers; of these,
	 * windows in which all were alike; windows of training. */
	size_t servers, windows, windows_alike, windows_trained;
	/* The ratio from which on a fault would have been indicted by now. Recordings and tables: the largest
	 * over the entities (panel_verdict()); job states: the smallest over the looks (look_conclude()). 0:
	 * not known. */
	double indicts_from;
};

/* Of no signal in particular: what is not judged at all. */
#define SIGNAL_ALL SIZE_MAX

enum { FINDING_PARTS = 7 };

/* One signal of one server (of one of its disks) that was worse than its peers'. A line a person can
 * check by hand. Values in the signal's unit. */
struct finding {
	size_t signal; /* row of the verdict's signals */
	size_t node;
	char disk[INSTANCE_LEN]; /* "" of the server */
	/* Means from onset_ns to last_ns; of job states typical times, or counts; of a paper's method, in the
	 * window with the largest z. */
	double value, peers;
	double ratio; /* to the peers' median, own offset taken off */
	double usual; /* the own usual offset, as a ratio: 1 is none; NaN: not known */
	double z;     /* the score: what it is, the signal says */
	/*
	 * Set by finding_make() from struct evidence. needs 0: a paper's method made it, and score, df, lower and
	 * window_s say nothing. score is t with df degrees of freedom, and needs is what t must reach, both in
	 * the strongest window; z is then the same number as score. window_s, up to window_end_ns, is the time
	 * from the onset to the last bad interval; value, peers and ratio are means over it, and lower is the
	 * lower 95 % bound of ratio.
	 */
	double score, df, needs, lower;
	double window_s;
	int64_t window_end_ns;
	double spread; /* how close the peers are: exp(sigma), 1.05: within 5 %; NaN: not known */
	double w1;     /* exp(Wasserstein-1 of ln latency): average ratio; NaN: no histogram */
	double p99, p99_peers; /* NaN: no histogram */
	unsigned int flagged,
		judged; /* bad or odd ones, of all intervals (windows, seconds) from onset to last */
	unsigned int n_peers; /* 0: not known */
	int64_t begun_ns; /* since when it was worse, also by less than in the end: what was before is better */
	int64_t onset_ns, decided_ns,
		last_ns; /* start of the first bad interval or odd window; end of the one with
						* which there was evidence enough; end of the last bad one */
	bool chronic;	 /* from the first data on, for an hour or more */
	bool open;	 /* still so in the end */
	bool held;	 /* too few events since: the last verdict stands */
	bool symptom;	 /* supports, did not indict */
	/* Of signals that are judged together: these are up, the most first; ratio 0: no more. */
	struct finding_part {
		size_t signal;
		double ratio;
	} parts[FINDING_PARTS];
};

/* What a culprit has a share of. */
enum share {
	SHARE_NONE,
	SHARE_READ_WRITTEN, /* bytes of the disk, most of them read */
	SHARE_WRITTEN_READ, /* most of them written */
	SHARE_CPU,
	SHARE_RECEIVED,
	SHARE_SENT,
	SHARES
};

/* Who does it: a process with its control group, or a remote host; share of the resource. */
struct culprit {
	char name[INSTANCE_LEN]; /* "fio:1234", "10.0.0.9"; "" unknown */
	char cgroup[128];
	double share; /* 0 … 1 of this; NaN: not known */
	enum share of;
	bool remote;
};

/* What is worse, as the rule saw it, and which fields of struct detail count. */
enum detail_kind {
	DETAIL_NONE,
	DETAIL_FOREIGN_IO, /* disk, direction, kb_s of of_kb_s */
	DETAIL_LATENCY,	   /* disk, direction (read or write), ratio */
	DETAIL_QUEUE,	   /* disk, direction: requests wait above the device */
	DETAIL_TRAFFIC,	   /* direction, kb_s outside the file system, host_known */
	DETAIL_LOSS,	   /* direction; lossy of hosts, 0 of 0: not known */
	DETAIL_PROCESSORS, /* own */
	DETAIL_MEMORY,	   /* signal; available_kb, NaN: not known */
	DETAIL_WORK,	   /* kb_s, where the peers do of_kb_s; stuck */
	DETAIL_UNREAD,	   /* connections */
	DETAIL_THREADS,	   /* signal, waits, of_waits */
	DETAIL_SIGNAL,	   /* signal, given, disk: what is worse, where no more is known */
	DETAIL_STATE,	   /* signal of job states, ratio, of_attempts of attempts; job and share */
};

struct detail {
	enum detail_kind kind;
	enum direction direction;
	char disk[INSTANCE_LEN]; /* "" */
	double kb_s, of_kb_s, ratio, connections, available_kb;
	double waits,
		of_waits; /* % of the time in which threads are not idle; of its peers, NaN: not known */
	size_t lossy, hosts; /* of those that carry data, and all that do */
	size_t signal;	     /* row of the verdict's signals */
	char given[64];	     /* the column of a table that it was judged given; "" */
	char job[64];	     /* of which the states are; "" of several */
	double share; /* of the job's time in which it waited for this server; NaN: not known */
	size_t of_attempts, attempts;
	char error[96];	 /* what failed attempts said most often; "" not known */
	bool host_known; /* the other end of the traffic is the culprit */
	bool own;	 /* a process of the file system itself */
	bool stuck;	 /* requests never complete */
};

/* What may be behind it, more exactly. */
enum guess_kind {
	GUESS_NONE,
	GUESS_DEVICE_BUSY, /* with I/O of others that is not seen */
	GUESS_DEVICE_SLOW, /* for every byte */
	GUESS_DEVICE_TAIL, /* for a few requests */
	GUESS_GUESTS,	   /* of the same machine */
	GUESS_PROCESS,	   /* began then */
	GUESS_UNITS,	   /* a thousand times, and nothing else, from the first value on */
	GUESS_NOT_MACHINE, /* its recording has nothing against it: configuration, JVM, a bug */
	GUESSES
};

struct guess {
	enum guess_kind kind;
	char process[INSTANCE_LEN]; /* of GUESS_PROCESS */
};

/* Why confidence is lower than it could be. */
enum doubt_kind {
	DOUBT_FEW_PEERS, /* n */
	DOUBT_SHORT,	 /* n seconds */
	DOUBT_STOLEN,	 /* n % */
	DOUBT_HELD,
	DOUBT_FEW_REQUESTS,
	DOUBT_DEVICE_UNKNOWN,
	DOUBT_ONE_HOST, /* host */
	DOUBT_CONNECTIONS,
	DOUBT_PROCESSORS,
};

struct doubt {
	enum doubt_kind kind;
	double n;
	char host[INSTANCE_LEN];
};

enum { DOUBTS_MAX = 6 };

/* Why strong evidence indicts nobody. */
enum suspicion {
	SUSPICION_NONE,	  /* it indicts */
	SUSPICION_DATA,	  /* too little data so far: the score does not reach what is needed */
	SUSPICION_PEERS,  /* too few peers for so small a difference */
	SUSPICION_EFFECT, /* sure, but too small a difference to be a fault */
	SUSPICION_BRIEF,  /* sure, but of too little data to know that it lasts */
	SUSPICION_LONE, /* sure, but of single values: it hangs now and then, or waits for another server */
	SUSPICION_QUEUE, /* sure, but its disk is hardly longer at work for a request: the others may wait for it */
	SUSPICION_LOAD, /* sure, but no peer is as lightly loaded: its requests may be more work */
	SUSPICIONS
};

/* What jobs feel of a server that has other trouble, by their logs. */
enum impact_kind {
	IMPACT_UNKNOWN, /* no logs of its jobs, or too little in them */
	IMPACT_NONE,	/* they are as quick there as elsewhere */
	IMPACT_JOBS,	/* detail: DETAIL_STATE */
};

struct impact {
	enum impact_kind kind;
	struct detail detail;
	double both_p; /* chance of either evidence in a healthy server (Fisher's method); NaN: not known */
};

/* One server that limps, or is suspicious: then it is not indicted, and no output says that it is. */
struct incident {
	size_t node;
	uint64_t
		id; /* of server and onset as first told, kept ever after; 0: none, of batches of tables and logs */
	enum suspicion suspicion; /* whoever makes the incident says so; rules leave it as it is */
	enum cause cause;
	enum why why; /* the rule that held */
	struct detail detail;
	struct guess guess;
	struct culprit culprit;
	struct impact impact;
	double confidence; /* 0 … 1: incident_confidence(); NaN: not told */
	struct doubt doubts[DOUBTS_MAX];
	size_t n_doubts;
	bool held, chronic, open; /* not open: it is over */
	int64_t onset_ns, decided_ns, last_ns;
	/* Of one that comes and goes: how often it came (0 and 1: once), and the share of the time from onset_ns to
	 * its end, or of an open one to the verdict's, in which it was there (0 … 1). */
	size_t times;
	double duty;
	struct finding *findings; /* by z, then w1; the local ones first */
	size_t n_findings;
};

/* What was recognised and is no fault of a server; nobody is indicted for it. */
/* clang-format off */
#define NOTICES(X) \
	X(IMBALANCE, "imbalance") /* more demand, and latency checked: imbalance */ \
	X(IDLE, "idle") /* less demand than its peers */ \
	X(BOTTLENECK, "bottleneck") /* requests queue there, at a disk as quick as its peers */ \
	X(WAITS, "waits") /* times that it waits for another server are longer, its own part is not */ \
	X(HARDWARE, "hardware") /* lasting ratio between disk models */ \
	X(ROLE, "role") /* a server that does other work (metadata) */ \
	X(FLEET, "fleet") /* all servers slowed against their own history; of logs: detail DETAIL_STATE */ \
	X(STOLEN, "stolen") /* processors taken from servers by other guests of their hosts */ \
	X(MAINTENANCE, "maintenance") /* rebuild, scrub, … found by the process that does it */ \
	X(FOREIGN_USE, "foreign-use") /* others use a disk, and no request waits for them */ \
	X(ORIGIN, "origin") /* own and others' bytes cannot be told apart */ \
	X(SKEW, "skew") /* of job states: tasks there have larger inputs */ \
	X(REMOTE, "remote") /* likewise: tasks whose inputs are elsewhere */ \
	X(SLOTS, "slots") /* likewise: it runs fewer tasks at a time */ \
	X(CLIENT, "client") /* a remote host that is lossy to most servers */ \
	X(SILENT, "silent") /* a server stopped reporting */ \
	X(RESTART, "restart") /* a probe started anew */ \
	X(ACKNOWLEDGED, "acknowledged") /* indicted or suspicious, but the operator knows */
/* clang-format on */
#define NOTICE_ENUM(NAME, WORD) NOTICE_##NAME,
enum notice_kind { NOTICES(NOTICE_ENUM) NOTICE_KINDS };
extern const char *const resource_words[RESOURCES];  /* "disk", …; of RESOURCE_NONE "" */
extern const char *const notice_words[NOTICE_KINDS]; /* "imbalance", … */

/* %, of the time that a disk is busy; NaN: not known. */
struct busy {
	double now, peers, before;
};

/* Which fields count is a matter of the kind; the others are 0 and "". */
struct notice {
	enum notice_kind kind;
	size_t node;		 /* SIZE_MAX: of none in particular */
	char host[INSTANCE_LEN]; /* client: which is lossy */
	int64_t from_ns, to_ns;
	bool replaces; /* "all servers slowed" with nobody indicted: it is the verdict */
	size_t signal; /* row of the verdict's signals: imbalance, idle, hardware, fleet: that differs */
	bool suspicious; /* acknowledged: no more than that */
	double ratio; /* the same, bottleneck, acknowledged: to the peers', or before; skew: of bytes; remote: of time */
	double latency; /* imbalance: of its requests to the peers'; 1: no worse; skew: of its tasks; fleet of logs: of `signal`,
			 * which rose everywhere (SIGNAL_ALL: nothing known did) */
	char disk[INSTANCE_LEN]; /* bottleneck, hardware, maintenance, foreign use */
	char model[64];		 /* hardware: of the disk; "" unknown */
	char process
		[INSTANCE_LEN]; /* maintenance, foreign use: that does it; "" unknown; waits: the column of its own part */
	struct busy busy; /* foreign use: the disk */
	const char *
		work; /* maintenance: what it is; skew, remote, slots, fleet of logs: which tasks; of a table of constants */
	enum direction direction; /* client: on the way to it (send) or from it */
	size_t servers,
		of; /* stolen, client, origin: so many of all; restart: 0, or of how many; remote: tasks; slots: its, the peers'; fleet of logs */
	size_t most;	  /* waits: for whom; stolen: the server with the largest share, */
	double share;	  /* %: this one; foreign use: of the disk's bytes, others' */
	enum cause cause; /* acknowledged */
	struct detail detail;
};

/* By what notices are told apart: kind, server and host. What has these in common is one notice that lasts,
 * whatever its numbers. As strcmp(). */
int notice_compare(const struct notice *a, const struct notice *b);

/* What could not be judged. */
/* clang-format off */
#define UNJUDGED(X) \
	X(NO_GROUP, "no-group", "in no group of peers") \
	X(NO_DATA, "no-data", "no data") \
	X(TOO_FEW, "little-data", "too few events, or too few peers") \
	X(NO_VALUE, "no-data", "no value of what is judged") /* from here on, of tables */ \
	X(FEW_SERVERS, "few-peers", "fewer than 3 servers to compare") \
	X(FEW_VALUES, "little-data", NULL) /* at most n in a window of window_s; so many are needed */ \
	X(NO_LOGARITHM, "no-logarithm", "zero has no logarithm, and there is little else: set --floor") /* zero */ \
	X(NEGATIVE, "no-logarithm", "negative values have no logarithm, and there is little else") \
	X(HUGE, "no-logarithm", "values above 1e18 are taken for damage, and there is little else") \
	X(FEW_PEERS, "few-peers", NULL) /* with so many values as are needed */ \
	X(FEW_WINDOWS, "little-data", NULL) /* n of window_s; so many are needed */ \
	X(BLIND, "blind", NULL) /* a threshold that nothing can pass, of at most `most` (0: not known) */ \
	X(MODEL_ONLY, "no-data", "in the model but not in the data") /* from here on, of trained methods */ \
	X(SMALL_GROUP, "few-peers", "its group has fewer than three servers") \
	X(NOBODY, "nobody", "nobody could be judged") \
	X(LITTLE, "little-data", "too little data in this time") \
	X(UNTRAINED, "untrained", "no data in training") \
	X(UNKNOWN, "untrained", "not in the model, and too little data or no peers") \
	X(LOAD, "no-equal-load", "no peer had a load like its own") \
	X(HALVES, "two-halves", NULL) /* n of its group are slower than the rest, and which is slow cannot be told */ \
	X(SELDOM, "little-data", NULL) /* its values come every window_s, those of its peers every peers_s */ \
	X(FEW_LIKE, "few-like", "no state of it has four of the same job, kind and size on two others") \
	X(NONE_ENDED, "none-ended", "nothing that jobs did there ended well") \
	X(TASKS, "tasks-only", "this method names tasks, never servers") \
	X(LEFT_OUT, "left-out", NULL) /* its file is, or "" itself: error, what the reader said */ \
	X(SILENT, "silent", "stopped reporting") \
	X(UNHEARD, "unheard", "nothing of it has come for a minute or longer")
/* clang-format on */
#define UNJUDGED_ENUM(NAME, ...) UNJUDGED_##NAME,
enum unjudged_why { UNJUDGED(UNJUDGED_ENUM) UNJUDGED_WHYS };

struct unjudged {
	size_t node;
	size_t signal; /* row of the verdict's signals; SIGNAL_ALL: on none at all */
	enum unjudged_why why;
	size_t n;
	unsigned int needed;
	double window_s, peers_s;
	double threshold, most;
	char file[96], error[160];
};

/* By reason and its numbers: 0 for the same sentence. As strcmp(). */
int unjudged_compare(const struct unjudged *a, const struct unjudged *b);

/* A part of a server that has peers of its own: of tables with --instance. Judged on any column; else why not on
 * the first one. */
struct part {
	size_t node;
	char disk[INSTANCE_LEN]; /* the instance */
	bool judged;
	enum unjudged_why why;
};

/*
 * A resource that a server used: a disk, its network, its processors, its tasks, a column's
 * subject. If it could have been PROVEN_RATIO times as bad as the peers' without a suspicion, a
 * server that is otherwise well is unproven. verdict_used() collects them all,
 * verdict_unproven_only() drops the proven ones.
 */
struct unproven {
	size_t node;
	enum resource resource;
	size_t signal; /* row of the verdict's signals, which would have shown the least */
	char disk[INSTANCE_LEN]; /* "": of the server */
	/* The smallest ratio that would have been suspicious or indicted; 0: no ratio would. */
	double suspicious_from;
};
#define PROVEN_RATIO 2.0

/* A time in the middle without anything of a server; SIZE_MAX: of any (gaps.h). */
struct gap {
	size_t node;
	int64_t from_ns, to_ns;
};

/* Why nothing could be judged. */
enum cannot_why {
	CANNOT_NOT, /* it could */
	CANNOT_EMPTY_SOURCE,
	CANNOT_NOT_RECORDED, /* in the time asked for */
	CANNOT_NO_INTERVAL,
	CANNOT_FEW_SERVERS, /* n have data, so many are needed */
	CANNOT_APART,	    /* fewer than are needed at the same time, in one group */
	CANNOT_FEW_WINDOWS, /* n of window_s with enough servers, so many are needed */
	CANNOT_SHORT,	    /* intervals with enough servers make n windows; intervals_needed */
	CANNOT_NO_SIGNAL,   /* with enough events and peers */
	CANNOT_NO_METRIC,   /* with enough data */
	CANNOT_NO_PROGRESS, /* of job logs: of no task that ran */
	CANNOT_NO_STATE,    /* of job logs: none that is compared, in the time asked for */
	CANNOT_NO_VALUE,    /* from here on, of tables: none in the time asked for */
	CANNOT_NO_NUMBER,
	CANNOT_NO_DIRECTION, /* of no column it is known which way is worse */
	CANNOT_UNJUDGED,     /* no server was judged: the first one's reason */
	CANNOT_UNHEARD,	     /* live: nothing has come of any server since to_ns */
};

struct cannot {
	enum cannot_why why;
	size_t n, intervals, intervals_needed;
	unsigned int needed;
	double window_s;
	int64_t from_ns, to_ns; /* of CANNOT_NO_VALUE: the first and the last one at any time */
	struct unjudged server;
};

/* For --explain: every look, in order of time. */
struct explained_look {
	int64_t from_ns, to_ns;
	size_t node;
	char disk[INSTANCE_LEN];
	size_t signal;
	double value, peers, d, sigma, z, ratio; /* NaN: not known */
	bool flagged, odd; /* bad alone (of methods that vote: odd); enough evidence to indict */
	double threshold;  /* of z; 0: there is none */
	double evidence, needs; /* of the test over time by then; needs 0 or NaN: there is none */
	unsigned int above;	/* peers further than it, or seconds low */
	bool unjudged;		/* there, but not to be judged */
};

/*
 * How long the states of one server took, beside the usual time of their like: shares of them that took at most so
 * many times as long. For --explain, of those something was found in.
 */
enum {
	DURATIONS_STEPS = 8, /* buckets of an octave */
	DURATIONS_BELOW = 4, /* octaves under the usual time, at which they begin */
	DURATIONS_BUCKETS = 12 * DURATIONS_STEPS,
	DURATIONS_MAX = 64,
};
struct durations {
	size_t node, signal;
	size_t n, n_peers;
	float own[DURATIONS_BUCKETS], peers[DURATIONS_BUCKETS]; /* all peers' states together */
	float low[DURATIONS_BUCKETS],
		high[DURATIONS_BUCKETS]; /* of the lowest and the highest peer */
	double own_half, own_most, peers_half,
		peers_most; /* the median, and what 99 % took at most */
};

/* What there is to say of training and parameters, for whoever reads it: of one group after the other. */
struct fact {
	char group[16], name[32]; /* name "": a sentence about those before it */
	double number;		  /* NaN: it is a text */
	char text[240];
};

/* What is to be known of the data, besides. */
enum note_kind {
	NOTE_READER,   /* text: a line of the reader of sources */
	NOTE_CLOCK,    /* host was recorded at another time than most, from_ns to to_ns */
	NOTE_LEFT_OUT, /* file ("": none in particular) of host ("": of none), text: why */
	NOTE_COLUMNS,  /* text: columns of which it is not known whether more or less is worse */
	NOTE_REPEATED, /* values of the same server, metric and time: the first one counts */
};

struct note {
	enum note_kind kind;
	char host[HOST_LEN], file[96];
	int64_t from_ns, to_ns;
	const char *text; /* NULL: none */
};

/* What would not have been noticed, since nothing that shows it could be judged on any server. */
enum unseen { UNSEEN_DISKS, UNSEEN_LOSS, UNSEEN_KINDS };

struct verdict {
	char method[64]; /* "robust"; several: "kl,cwnd" */
	bool checklist;	 /* causes are the checklist's (methods/checklist.h), not those of rules/ */
	bool names_causes; /* it could have named one */
	char (*nodes)[HOST_LEN];
	size_t n_nodes;
	bool *judged; /* n_nodes: on any signal, so that it is well if there is nothing against it */
	char (*groups)[HOST_LEN]; /* of peers: their names, "1" and so on where they have none */
	size_t n_groups;	  /* 0: all servers are one */
	int32_t *group;		  /* n_nodes, if there are groups: which; negative: it is in none */
	struct verdict_signal *signals;
	size_t n_signals;
	int64_t from_ns, to_ns; /* of what was looked at */
	double interval_s, window_s;
	double notices_s; /* so often notices are looked for: what is so now was so within twice that */
	size_t n_windows;
	struct cannot cannot;
	struct incident *incidents; /* by z of their first finding, the largest first */
	size_t n_incidents;
	struct notice *notices;
	size_t n_notices;
	struct unjudged *unjudged;
	size_t n_unjudged;
	struct unproven *unproven; /* by server, resource and disk */
	size_t n_unproven;
	struct gap *gaps; /* by time */
	size_t n_gaps;
	struct part *parts; /* by server, then name */
	size_t n_parts;
	struct finding
		*ruled_out; /* worse, but not indicted: symptoms, demand, what no rule holds of */
	size_t n_ruled_out;
	struct explained_look *looks; /* with `explain` only */
	size_t n_looks;
	struct durations *durations; /* likewise, of job states */
	size_t n_durations;
	size_t kinds; /* groups that nobody listed: by what servers are and do; 0: none were told */
	bool kinds_doubtful; /* one of the groups is slower than another, and nothing says that it should be */
	bool unknown_hardware; /* no identities recorded: all disks were taken for peers */
	bool unseen[UNSEEN_KINDS];
	uint64_t lost, duplicates, damaged;
	struct task_cause task_causes[TASK_CAUSES_MAX];
	size_t n_task_causes;
	struct straggler *stragglers; /* by job, onset */
	size_t n_stragglers;
	struct straggling straggling;
	struct straggler_job *jobs; /* that were looked at for stragglers */
	size_t n_jobs;
	struct job_task *
		tasks; /* live: of those jobs, by job, server, start: late ones, then the newest, no more than JOB_TASKS_MAX */
	size_t n_tasks, tasks_left_out;
	struct job_state
		*states; /* live: what began last of all that is no task, the newest first */
	size_t n_states;
	struct note *notes;
	size_t n_notes;
	struct fact *facts;
	size_t n_facts;
};

void verdict_release(struct verdict *a); /* takes a zeroed one */
/* verdict_copy.c: a copy of its own, without looks and durations. 0 or -ENOMEM, and there is nothing in it. */
int verdict_copy(struct verdict *to, const struct verdict *from);

/* A new row, for the caller to fill; NULL: out of memory. Valid until the next call. */
struct verdict_signal *verdict_add_signal(struct verdict *a);
/* Adds one of facts; the number where there is no text. 0 or -ENOMEM. */
int verdict_add_fact(struct verdict *a, const char *group, const char *name, double number,
		     const char *text);
/* One more of these, copied. 0 or -ENOMEM. */
int verdict_add_notice(struct verdict *a, const struct notice *m);
int verdict_add_unjudged(struct verdict *a, const struct unjudged *u);
int verdict_add_ruled_out(struct verdict *a, const struct finding *e);
/* Adds the signal of this row. 0 or -ENOMEM. */
int verdict_add_row(struct verdict *a, const struct signal_row *row);
/* The rows of series files, in the order of enum signal. 0 or -ENOMEM. */
int verdict_series_signals(struct verdict *a);
/* The servers that are there (NULL: all) in order of their names, nobody judged yet; row: of each name its number, SIZE_MAX:
 * it is not there. 0 or -ENOMEM. */
int verdict_list_servers(struct verdict *a, char *const *names, size_t n, const bool *there,
			 size_t *row);
/* After its servers: which of n groups each is in. 0 or -ENOMEM. */
int verdict_set_groups(struct verdict *a, size_t n, const int32_t *group);
/* The name of the group of a server; NULL: it is in none. */
const char *verdict_group(const struct verdict *a, size_t node);
/* After all reasons: if nobody was judged, that is said, by the first one's reason. */
void verdict_nobody_judged(struct verdict *a);
/* Indictments before suspicions, then by the first finding; lasting: before that, what lasts before what is over. */
void verdict_incidents_sort(struct verdict *a, bool lasting);
/* What is known of one part on one column; what is known of it on several adds up. 0 or -ENOMEM. */
int verdict_part(struct verdict *a, const struct part *p);
/* A resource that was used, as one of its signals saw it: of several the best counts. 0 or -ENOMEM. */
int verdict_used(struct verdict *a, const struct unproven *u);
/* After the last of them: those that are proven go. */
void verdict_unproven_only(struct verdict *a);
/* By server, resource, disk, and of RESOURCE_COLUMN signal. As strcmp(). */
int unproven_compare(const struct unproven *a, const struct unproven *b);
/* Of series files, once it is known who was judged on what: fills `unseen`. Nothing where nobody was judged on
 * anything: that says it. */
void verdict_series_unseen(struct verdict *a);
/* How likely it is that the server it names limps, 0 to 1: of incidents whose truth was known. By its first finding, if it
 * has one, and its doubts. */
double incident_confidence(const struct incident *x);
/* Adds a note, with a copy of its text. 0 or -ENOMEM. */
int verdict_note(struct verdict *a, const struct note *note);
/* Adds a NOTE_READER for each line; NULL: none. 0 or -ENOMEM. */
int verdict_note_lines(struct verdict *a, const char *lines);
/*
 * Adds a note that servers look like two groups, and how to say so; nothing where one side has fewer than three. side: of each
 * server -1 quicker, 1 slower, 0 neither. lasting: so it was from the first to the last. 0 or -ENOMEM.
 */
int verdict_note_groups(struct verdict *a, const char *signal, double ratio,
			const signed char *side, bool lasting);
/* Adds the names of the first of those servers that are of one side. */
void verdict_put_side(struct text *t, const struct verdict *a, const signed char *side,
		      signed char which);
/* Whether a source was left out whose servers are not known. */
bool verdict_lacks_source(const struct verdict *a);
/* Records that a file was left out, and why. If its server was not judged, this is the reason; else, or if `server` is
 * "", it becomes a note. file "": no file in particular. 0 or -ENOMEM. */
int verdict_left_out(struct verdict *a, const char *server, const char *file, const char *why);

/*
 * How many disks (parts) of its server an incident has, if they are three or more, and its signal is worse of each of them since one
 * time: it is the server then, not one of them. 0: not so.
 */
size_t verdict_all_parts(const struct verdict *a, const struct incident *in);

/* ---- for all outputs ------------------------------------------------------------------------- */

/* The server's name; "?" if there is none of this number. */
const char *verdict_node(const struct verdict *a, size_t node);
/* The row of this number; one without a name if there is none. */
const struct verdict_signal *verdict_signal(const struct verdict *a, size_t signal);
/* An upgrade starts every probe anew: of more than a few such notices from since_ns on *all is the one that
 * is told instead, to those who read. */
bool verdict_restarts(const struct verdict *a, int64_t since_ns, struct notice *all);
/* What n_windows counts: "windows", or "intervals" where a window is one. */
const char *verdict_counted(const struct verdict *a);
/* How many servers were judged on any signal (verdict_was_judged()). */
size_t verdict_judged(const struct verdict *a);
/* "indicted", "all-slow" (a notice replaces the verdict), "suspicious" (nobody is indicted), "partly-judged"
 * (of those that were none is more than unproven), "unproven" (all were judged, and one is that), "clean" (all were judged and are well) or "cannot-judge". */
const char *verdict_word(const struct verdict *a);
/* The notice that is the verdict, or NULL. */
const struct notice *verdict_replacement(const struct verdict *a);
/* "fio:1234" into name and pid; -1 and the whole name if there is no pid in it. */
long verdict_process(const struct culprit *c, char name[INSTANCE_LEN]);
/* One line about incidents[i], text: "oss-3 limps: disk-hog: fio (pid 1234, /user.slice),
 * 84 % of bytes read and written; sdb: other programs read 31.0 of 36.9 MiB/s"; "limped" if it is over; "is" and "was
 * suspicious" of one that indicts nobody. Adds it to a text and returns it, as sentences do (sentences.h). */
const char *verdict_headline(struct text *t, const struct verdict *a, size_t i);
/* What follows the cause there, culprit and detail: "fio (pid 1234 …", text, "" if there is
 * neither. */
const char *verdict_particulars(struct text *t, const struct verdict *a, const struct incident *in);

#endif
