/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files behind flow_pictures.h share. */
#ifndef LIMPET_REPORT_FLOW_PARTS_DRAWN_H
#define LIMPET_REPORT_FLOW_PARTS_DRAWN_H

#include "analyzer/draw/lanes.h"
#include "flow_pictures.h"

/* One state of an attempt as it is drawn. Spark does not say when in a task it waited and wrote: it is drawn as if it
 * had waited first and written last. */
struct drawn {
	uint32_t state;
	uint8_t look;
	int64_t from_ns, to_ns;
};
enum { DRAWN_PARTS = 3 };

#define FLOW_LOOKS(X)                    \
	X(MAP, "f0", "map")              \
	X(WAIT, "f1", "shuffle-wait")    \
	X(SORT, "f2", "sort")            \
	X(REDUCER, "f3", "reducer")      \
	X(REDUCE, "f3", "reduce")        \
	X(SETUP, "f4", "setup, cleanup") \
	X(FETCH, "f1", "fetch-wait")     \
	X(TASK, "f5", "task")            \
	X(STORE, "f2", "shuffle-write")  \
	X(BAD, "f6", "failed, killed, lost")
#define FLOW_LOOK_ENUM(NAME, ...) LOOK_##NAME,
enum flow_look { FLOW_LOOKS(FLOW_LOOK_ENUM) LOOK_COUNT };
extern const struct svg_key flow_looks[LOOK_COUNT];

/* The parts of a task; how many. */
size_t flow_drawn(const struct job_flow *f, uint32_t task, struct drawn out[DRAWN_PARTS]);
bool flow_in_view(const struct job_flow *f, const struct flow_view *v, uint32_t task);
/* Adds to each of so many columns how much of it lies from column a to b, which may begin before the first. */
void flow_spread(float *columns, size_t n, double a, double b);
/* Only looks that are there. */
void flow_keys(struct svg *d, const bool seen[LOOK_COUNT]);

/* flow_swimlanes.c, flow_miros.c, flow_charts.c. 0 or -ENOMEM. */
int flow_draw_swimlanes(struct svg *d, const struct job_flow *f, const struct flow_view *v);
int flow_draw_miros(struct svg *d, const struct job_flow *f);
int flow_draw_rep(struct svg *d, const struct job_flow *f);
int flow_draw_area(struct svg *d, const struct job_flow *f, const struct flow_view *v);

#endif
