// SPDX-License-Identifier: BSD-2-Clause
/* internal.h: which attempts ran on a server at a time. */
#include <errno.h>

#include "internal.h"
#include "userspace/common/sort.h"

int flow_places(struct flow_places *p, struct scratch *room, const struct job_flow *f,
		enum flow_group_kind group)
{
	size_t n_nodes = f->s->nodes.n;

	p->at = scratch_array(room, f->n_tasks, sizeof(*p->at));
	p->first = scratch_array(room, n_nodes + 2, sizeof(*p->first));
	p->longest_ns = scratch_array(room, n_nodes, sizeof(*p->longest_ns));
	if (room->failed)
		return -ENOMEM;
	/* counted one to the right, so that filling moves each node's place to its end, the next one's begin */
	for (uint32_t t = 0; t < f->n_tasks; t++)
		if (f->tasks[t].group == group && f->tasks[t].done)
			p->first[flow_node(f, t) + 2]++;
	for (size_t i = 2; i < n_nodes + 2; i++)
		p->first[i] += p->first[i - 1];
	for (uint32_t t = 0; t < f->n_tasks; t++) {
		const struct flow_task *x = &f->tasks[t];
		uint32_t node = flow_node(f, t);

		if (x->group != group || !x->done)
			continue;
		p->at[p->first[node + 1]++] = t;
		if (x->end_ns - x->start_ns > p->longest_ns[node])
			p->longest_ns[node] = x->end_ns - x->start_ns;
	}
	return 0;
}

/* From the last that started before the span's end backwards. */
void flow_places_begin(struct flow_places *p, const struct job_flow *f, uint32_t node,
		       int64_t to_ns)
{
	const uint32_t *at = p->at + p->first[node];
	size_t n = p->first[node + 1] - p->first[node];

	p->next = p->first[node] + search_first(i, n, f->tasks[at[i]].start_ns <= to_ns);
}

uint32_t flow_places_next(struct flow_places *p, const struct job_flow *f, uint32_t node,
			  int64_t from_ns)
{
	while (p->next > p->first[node]) {
		const struct flow_task *t = &f->tasks[p->at[p->next - 1]];

		if (t->start_ns < from_ns - p->longest_ns[node])
			break;
		p->next--;
		if (t->end_ns >= from_ns)
			return p->at[p->next];
	}
	return STATE_NONE;
}
