// SPDX-License-Identifier: BSD-2-Clause
/* Shows the frame to the methods, slice by slice. */
#include "passes.h"

#include <errno.h>

#include "window_run.h"
#include "userspace/common/output.h"
#include "analyzer/methods/learn/windows.h"
#include "userspace/common/options.h"

size_t passes_slice_bytes = (size_t)256 << 20;

struct passes {
	struct frame *frame;
	const struct peers *peers;
	const struct method *const *chosen;
	const struct params *params;
	void *state[METHODS_MAX];
	unsigned int pass;
	struct passes_seen *seen;
};

/* Of the groups, whether any has data on NODES_MIN nodes in enough of [from, to). */
static bool any_group(const struct passes *p, size_t from, size_t to)
{
	for (size_t i = 0; i < p->peers->n; i++) {
		size_t common = frame_common(&p->peers->parts[i], from, to, NODES_MIN);

		if (windows_enough((unsigned int)common, (unsigned int)(to - from)))
			return true;
	}
	return false;
}

static void count_slice(struct passes *p, struct slice s)
{
	size_t window = p->params->window, shift = p->params->shift;
	struct slice windows = windows_of_slice(p->frame, p->params, s);

	for (size_t w = windows.from; w < windows.to; w++)
		p->seen->windows += any_group(p, w * shift, w * shift + window);
	for (size_t t = s.from; t < s.to; t++)
		p->seen->intervals += any_group(p, t, t + 1);
}

/* fn: what is done with one slice; 0 or -ENOMEM. */
static int each_slice(struct passes *p, int (*fn)(struct passes *p, struct slice s))
{
	struct frame *f = p->frame;
	size_t around = 0, tail, step, columns = frame_columns(f, passes_slice_bytes);
	int err = 0;

	for (size_t i = 0; p->chosen[i]; i++) {
		const struct method *m = p->chosen[i];
		size_t context = m->context ? m->context(p->params) : 0;

		around = context > around ? context : around;
	}
	tail = around > p->params->window ? around : p->params->window;
	/* at least as much that is new as is read again around it */
	step = columns > 2 * (around + tail) ? columns - around - tail : around + tail;
	for (size_t from = 0; from < f->n_times && !err; from += step) {
		struct slice s = {from, from + step < f->n_times ? from + step : f->n_times};

		err = frame_slice(f, from > around ? from - around : 0, s.to + tail);
		if (err)
			break;
		if (!p->pass)
			count_slice(p, s);
		err = fn(p, s);
		if (err == -ENOMEM)
			fail("out of memory");
	}
	output_progress_end();
	return err;
}

static int train_slice(struct passes *p, struct slice s)
{
	int err = 0;

	for (size_t i = 0; p->chosen[i] && !err; i++)
		if (p->pass < p->chosen[i]->passes)
			err = p->chosen[i]->train_slice(p->state[i], s, p->pass);
	return err;
}

int passes_train(struct frame *f, const struct peers *peers, const struct method *const *chosen,
		 struct model *m, struct passes_seen *seen)
{
	struct passes p = {f, peers, chosen, &m->params, {NULL}, 0, seen};
	unsigned int passes = 0;
	int err = 0;

	*seen = (struct passes_seen){0};
	for (size_t i = 0; chosen[i] && !err; i++) {
		p.state[i] = chosen[i]->train_new(chosen[i], peers, m);
		err = p.state[i] ? 0 : -ENOMEM;
		passes = chosen[i]->passes > passes ? chosen[i]->passes : passes;
	}
	if (err)
		fail("out of memory");
	for (; p.pass < passes && !err; p.pass++) {
		err = each_slice(&p, train_slice);
		for (size_t i = 0; chosen[i] && !err; i++)
			if (p.pass < chosen[i]->passes)
				err = chosen[i]->train_pass_end(p.state[i], p.pass);
	}
	for (size_t i = 0; chosen[i]; i++)
		chosen[i]->train_free(p.state[i]);
	return err;
}

static int judge_slice(struct passes *p, struct slice s)
{
	int err = 0;

	for (size_t i = 0; p->chosen[i] && !err; i++)
		err = p->chosen[i]->judge_slice(p->state[i], s);
	return err;
}

int passes_judge(struct frame *f, const struct peers *peers, const struct method *const *chosen,
		 const struct model *m, const size_t *index, struct judgement *j,
		 struct passes_seen *seen)
{
	struct passes p = {f, peers, chosen, &m->params, {NULL}, 0, seen};
	int err = 0;

	*seen = (struct passes_seen){0};
	for (size_t i = 0; chosen[i] && !err; i++) {
		p.state[i] = chosen[i]->judge_new(chosen[i], peers, m, index, j);
		err = p.state[i] ? 0 : -ENOMEM;
	}
	if (err)
		fail("out of memory");
	err = err ?: each_slice(&p, judge_slice);
	for (size_t i = 0; chosen[i]; i++) {
		if (!err && (err = chosen[i]->judge_end(p.state[i])))
			fail("out of memory");
		chosen[i]->judge_free(p.state[i]);
	}
	judgement_sort(j);
	return err;
}
