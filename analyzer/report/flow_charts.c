// SPDX-License-Identifier: BSD-2-Clause
/* flow_pictures.h: bytes and seconds of groups of paths; attempts in each state over time. */
#include <errno.h>
#include <stdlib.h>

#include "flow_parts_drawn.h"
#include "userspace/common/clock.h"

enum { COLUMNS = 360 };

/* The seven edges. A transfer is there twice, to the shuffle and from it (job_flow.h): drawn once. */
static const struct svg_key stages[FLOW_STAGES] = {
	[FLOW_READ] = {"f7", "read"},
	[FLOW_MAP] = {"f0", "map"},
	[FLOW_MAP_OUTPUT] = {"f5", "shuffle"},
	[FLOW_SHUFFLE_WAIT] = {"f1", "shuffle-wait"},
	[FLOW_REDUCE_INPUT] = {"f3", "reducer"},
	[FLOW_REDUCER] = {"f2", "write"},
};

int flow_draw_rep(struct svg *d, const struct job_flow *f)
{
	struct stage_bars bars[FLOW_CLUSTERS];
	struct svg_key keys[FLOW_STAGES];
	size_t n = 0;

	if (!f->n_clusters) {
		svg_text(d, 0, SVG_SOFT, "There is no path from a map to a reduce.");
		return 0;
	}
	for (size_t i = 0; i < FLOW_STAGES; i++)
		if (stages[i].class)
			keys[n++] = stages[i];
	svg_keys(d, keys, n);
	d->y += 4;
	for (size_t c = 0; c < f->n_clusters; c++) {
		const struct flow_cluster *of = &f->clusters[c];

		bars[c] = (struct stage_bars){.bytes = of->bytes, .seconds = of->seconds};
		snprintf(bars[c].name, sizeof(bars[c].name), "group %zu: %.6g paths", c + 1,
			 of->paths);
	}
	stage_bars(d, bars, f->n_clusters, stages, FLOW_STAGES);
	if (f->pairs > (double)f->sampled)
		svg_text(d, 0, SVG_SOFT, "from %zu of %.6g pairs of map and reduce", f->sampled,
			 f->pairs);
	if (f->missing & (FLOW_NO_SHUFFLES | FLOW_NO_READS | FLOW_NO_WRITES))
		svg_text(d, 0, SVG_SOFT, "not in the logs:%s%s%s",
			 f->missing & FLOW_NO_READS ? " reads" : "",
			 f->missing & FLOW_NO_SHUFFLES ? " shuffles" : "",
			 f->missing & FLOW_NO_WRITES ? " writes" : "");
	return 0;
}

int flow_draw_area(struct svg *d, const struct job_flow *f, const struct flow_view *v)
{
	float *n = calloc((size_t)LOOK_COUNT * COLUMNS, sizeof(*n));
	double from = s_of_ns(v->from_ns - f->from_ns), to = s_of_ns(v->to_ns - f->from_ns);
	struct area_kind kinds[LOOK_COUNT];
	bool seen[LOOK_COUNT] = {0};
	size_t n_kinds = 0;

	if (!n)
		return -ENOMEM;
	for (uint32_t t = 0; t < f->n_tasks; t++) {
		struct drawn out[DRAWN_PARTS];
		size_t parts = flow_in_view(f, v, t) ? flow_drawn(f, t, out) : 0;

		for (size_t i = 0; i < parts; i++) {
			double a = (s_of_ns(out[i].from_ns - f->from_ns) - from) / (to - from);
			double b = (s_of_ns(out[i].to_ns - f->from_ns) - from) / (to - from);

			flow_spread(n + out[i].look * COLUMNS, COLUMNS, a * COLUMNS, b * COLUMNS);
			seen[out[i].look] = true;
		}
	}
	for (size_t k = 0; k < LOOK_COUNT; k++)
		if (seen[k])
			kinds[n_kinds++] = (struct area_kind){flow_looks[k].class,
							      flow_looks[k].words, n + k * COLUMNS};
	flow_keys(d, seen);
	area(d, &(struct area){.kinds = kinds,
			       .n_kinds = n_kinds,
			       .columns = COLUMNS,
			       .from_s = from,
			       .to_s = to});
	free(n);
	return 0;
}
