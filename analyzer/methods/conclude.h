/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of a judgement: a verdict. Indictments of one server are gathered into an incident, with the
 * checklist's cause; who could not be judged is listed, with the reason; the parameters become facts.
 *
 * The rows of the verdict's signals are those of the coverage, a metric and a method each; a method that judges
 * all metrics together has a row for that, and one for each metric that tells a server from its peers most.
 */
#ifndef LIMPET_CONCLUDE_H
#define LIMPET_CONCLUDE_H

#include "analyzer/methods/model/model.h"
#include "analyzer/verdict/verdict.h"
#include "judgement.h"

struct method;

struct conclusion {
	const struct frame *frame;
	const struct model *model;
	struct judgement *judgement;	     /* its indictments are sorted */
	const struct method *const *methods; /* those chosen, ended by NULL */
	const struct table *table;	     /* whose notes the verdict takes over; NULL */
	struct cannot cannot;
};

/* The verdict is the caller's and needs nothing of these any more. 0 or -ENOMEM; it is empty then. */
int conclude(struct verdict *v, const struct conclusion *c);

/* One finding more of an incident, whose findings have room for it; its times are those of all of them. */
void conclude_finding(struct incident *in, struct finding e);

/* Why the frame, all of which was looked at, cannot be judged at all, or CANNOT_NOT: `common` of its
 * intervals and `n_useful` of its windows have data on enough servers of one group. */
struct cannot conclude_cannot(const struct frame *f, const struct params *p, size_t common,
			      size_t n_useful);

/* ---- parts of it, each 0 or -ENOMEM ------------------------------------------------------------ */

/* conclude_unjudged.c: the servers of frame and model, in this order, and who of them was not judged on what:
 * servers that had too few windows for a vote, and those that are blind for a metric. Of metrics those count on
 * which anybody was judged. Needs the signals. */
int conclude_servers(struct verdict *v, const struct conclusion *c);
/* conclude_facts.c: training, parameters, what chance makes of them. Needs the servers. */
int conclude_facts(struct verdict *v, const struct conclusion *c);

#endif
