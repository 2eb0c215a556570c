/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scenes for evidence.h, made from a few numbers each; tests/helpers/evidence_scenes.py reads this
 * table and makes the same, for other implementations. Entity 0 is the slow one, or the first
 * `slow` are.
 */
#ifndef LIMPET_EVIDENCE_SCENES_H
#define LIMPET_EVIDENCE_SCENES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/evidence/evidence.h"

struct scene {
	const char *name;
	size_t n;
	int pushes;
	unsigned int k_min;
	double noise, wander; /* ln: of an interval; of what lasts 20 intervals */
	int slow, from, to;   /* entities; pushes */
	double effect;	      /* ln */
	int period, on;	      /* the fault is there in the first `on` of `period` pushes */
	double gaps;	      /* share of values that are missing */
	int pause;	      /* of four times so many pushes the last fourth is missing for all */
	double extra, doubt;  /* of entity 0 */
	double offset;	      /* ln: thirds of the entities differ by this much, always */
	int late;	      /* the last entity is there from this push on */
};

static const struct scene scenes[] = {
	/* clang-format off */
	{.name = "quiet", .n = 12, .pushes = 500, .k_min = 4, .noise = 0.2, .wander = 0.05, .slow = 0, .from = 0, .to = 0, .effect = 0},
	{.name = "start", .n = 5, .pushes = 600, .k_min = 4, .noise = 0.2, .wander = 0.05, .slow = 1, .from = 0, .to = 600, .effect = 0.6},
	{.name = "later", .n = 5, .pushes = 500, .k_min = 2, .noise = 0.1, .wander = 0.02, .slow = 1, .from = 200, .to = 500, .effect = 0.5},
	{.name = "three", .n = 3, .pushes = 500, .k_min = 4, .noise = 0.15, .wander = 0.05, .slow = 1, .from = 150, .to = 500, .effect = 1.1},
	{.name = "ends", .n = 12, .pushes = 500, .k_min = 4, .noise = 0.2, .wander = 0.05, .slow = 1, .from = 100, .to = 170, .effect = 0.7},
	{.name = "comes-and-goes", .n = 12, .pushes = 600, .k_min = 4, .noise = 0.2, .wander = 0.05, .slow = 1, .from = 60, .to = 600, .effect = 0.9, .period = 30, .on = 10},
	{.name = "gaps", .n = 12, .pushes = 600, .k_min = 4, .noise = 0.3, .wander = 0.05, .slow = 1, .from = 0, .to = 600, .effect = 0.4, .gaps = 0.3, .pause = 25},
	{.name = "extra", .n = 6, .pushes = 600, .k_min = 4, .noise = 0.1, .wander = 0.02, .slow = 1, .from = 150, .to = 600, .effect = 0.5, .extra = 0.3},
	{.name = "doubt", .n = 6, .pushes = 600, .k_min = 4, .noise = 0.1, .wander = 0.02, .slow = 1, .from = 350, .to = 600, .effect = 1.3, .doubt = 0.3},
	{.name = "halves", .n = 6, .pushes = 400, .k_min = 4, .noise = 0.1, .wander = 0.03, .slow = 3, .from = 120, .to = 400, .effect = 0.6},
	{.name = "two-of-twelve", .n = 12, .pushes = 400, .k_min = 4, .noise = 0.1, .wander = 0.03, .slow = 2, .from = 120, .to = 400, .effect = 0.6},
	{.name = "offsets", .n = 8, .pushes = 700, .k_min = 4, .noise = 0.1, .wander = 0.02, .slow = 1, .from = 300, .to = 700, .effect = 0.5, .offset = 0.3},
	{.name = "late", .n = 6, .pushes = 500, .k_min = 4, .noise = 0.15, .wander = 0.05, .slow = 1, .from = 250, .to = 500, .effect = 0.6, .late = 200},
	/* clang-format on */
};

enum { SCENES = sizeof(scenes) / sizeof(*scenes), SCENE_INTERVAL_S = 120, SCENE_MOST = 12 };

/* Knuth's linear congruential generator of 64 bits. */
static inline double scene_uniform(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (double)(*state >> 11) * 0x1p-53;
}

/* Box and Muller's method, one of its two. */
static inline double scene_normal(uint64_t *state)
{
	double u = scene_uniform(state), v = scene_uniform(state);

	return sqrt(-2 * log(1 - u)) * cos(2 * M_PI * v);
}

/* One after another from push 0 on, with the same state (1 at first) and wander (0). */
static inline void scene_push(const struct scene *s, int w, uint64_t *state, double *wander,
			      struct residual *out)
{
	for (size_t i = 0; i < s->n; i++) {
		double z = scene_normal(state), step = scene_normal(state);
		double lost = scene_uniform(state), r;
		bool on = w >= s->from && w < s->to && (!s->period || w % s->period < s->on);

		wander[i] = 0.95 * wander[i] + sqrt(1 - 0.95 * 0.95) * step;
		out[i] = (struct residual){0};
		if (!i)
			out[i] = (struct residual){.extra = s->extra, .doubt = s->doubt};
		r = sqrt(s->noise * s->noise + out[i].extra) * z + s->wander * wander[i];
		r += s->offset * ((double)(i % 3) - 1) + out[i].doubt;
		if ((int)i < s->slow && on)
			r += s->effect;
		if (lost < s->gaps || (s->pause && w / s->pause % 4 == 3) ||
		    (i == s->n - 1 && w < s->late))
			r = NAN;
		out[i].r = r;
	}
}

#endif
