/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One signal of one group of peers over time: what each interval shows goes to the test of evidence, and what
 * comes back becomes how each stands: since when, at which values, whether it is over. The same for disks
 * and servers of series files and for columns of tables. Times are of the interval's start and end.
 */
#ifndef LIMPET_STANDING_H
#define LIMPET_STANDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/evidence/evidence.h"
#include "analyzer/verdict/finding_make.h"

/* What one interval shows of one entity, besides its residual. */
struct shown {
	double value, peers; /* compared: as the residual was made of them; NaN: it was not */
	unsigned int n_peers;
	bool alone; /* not compared, for no peer had its load */
};

/*
 * How one entity stands. What is worse on the whole is an excursion: c = max(0, c + r - half the gate), r the
 * residual, is above 0 from its start on (Page's CUSUM; a residual that is half of what indicts neither adds
 * nor takes away). Its start is when trouble began, once there is trouble, and its highest point is when trouble
 * was last seen. It also ends when the test says that trouble is over. Trouble begins in an excursion only: what
 * windows from before say while there is none has ended.
 */
struct standing {
	struct evidence last; /* the test's word */
	struct evidence best; /* of the largest t beside what it needs, since the onset */
	double r;	      /* residual of the last interval; NaN: it was not compared */
	double usual;	      /* what is usual for it, ln; NaN: not known yet */
	double value, peers;  /* of the last interval that was compared, and how many peers */
	unsigned int n_peers;
	uint64_t judged;       /* intervals compared, ever */
	uint64_t alone;	       /* intervals in which no peer had its load */
	unsigned int unjudged; /* intervals since it was compared last */
	bool tested;	       /* at any length */
	/* ln: the least difference that would have been suspicious within the last hour, and when; NaN: none. What
	 * was suspicious once is told, so that of a difference that lasted the best moment counts. */
	double least;
	int64_t least_ns;
	/* The excursion: since when (0: none), and sums over it up to its last bad interval. */
	double cusum, highest;
	bool silenced; /* a silence has ended it: what the test holds from before does not count */
	bool ended;    /* the test has said so: what comes now is of no excursion before */
	int64_t since_ns, last_bad_ns;
	int64_t first_ns; /* it was compared from then on */
	struct excursion_sum {
		double value, peers;   /* logarithms, or numbers as they are */
		unsigned int n, worse; /* intervals; bad ones among them */
	} sum, bad, before;	       /* before: `bad` of the excursion before */
	/* Trouble: from the onset on, while the test says so. */
	enum evidence_level level; /* now */
	enum evidence_level worst; /* since the onset; EVIDENCE_NONE: there was none */
	int64_t onset_ns, decided_ns, last_ns;
	bool excused; /* since before it was forgotten that its server was indicted */
};

/* A true ratio that is to be found passes although its estimate errs by 4 % (1.3: 1.25). */
#define GATE_PART (1.25 / 1.3)

struct follow_opts {
	bool logarithmic; /* values are averaged as logarithms: geometric means */
	double gate;	  /* ln: the effect that indicts */
	double added;	  /* to value and peers before the ratio */
	double interval_s;
};

struct follower {
	struct follow_opts o;
	struct over_time *evidence;
	struct evidence_group group; /* what was said of all together last */
	struct standing *at;
	struct evidence *out;
	size_t n, cap;
};

/* 0 or -ENOMEM; after that follower_release() is needed either way. */
int follower_init(struct follower *f, const struct follow_opts *o, const struct evidence_params *p);
void follower_release(struct follower *f); /* takes a zeroed one */
/* More entities: the next push takes them in, all at once, or this does. 0 or -ENOMEM. */
int follower_grow(struct follower *f, size_t n);
int follower_settle(struct follower *f);

/* The next interval: of each entity its residual and what it showed. 0 or -ENOMEM. */
int follower_push(struct follower *f, const struct residual *in, const struct shown *shown,
		  int64_t from_ns, int64_t to_ns);

/* Whether it is in trouble now, or was when it was compared last. */
static inline bool standing_odd(const struct standing *s)
{
	return s->level != EVIDENCE_NONE;
}

/* Whether fewer were compared than a small difference is indicted among, in what says most of its trouble. */
static inline bool standing_few(const struct standing *s)
{
	return s->best.n_peers + 1 < EVIDENCE_FEW;
}

/* What there is to say of it since its onset; about: signal, node, disk and symptom, the rest is filled in. Values
 * as they were compared. */
struct finding standing_finding(const struct follower *f, size_t i, struct finding_about about);

/* Means of value and peers over the excursion, up to its last bad interval; NaN: there is none. */
struct shown standing_means(const struct follower *f, size_t i);

#endif
