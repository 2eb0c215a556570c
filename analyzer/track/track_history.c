// SPDX-License-Identifier: BSD-2-Clause
/* track.h: history, sums in steps of half a minute. */
#include <stdlib.h>

#include "track.h"
#include "userspace/common/array.h"

#define STEP_NS (30 * NS_PER_S)
enum { STEPS_MAX = 3 * 24 * 3600 / 30 };

struct step {
	float d, value, peers, n; /* sums over intervals */
	int32_t number;		  /* from first_ns on: places are used again after three days */
};

/* One signal of one server. */
struct track_past {
	struct step *at;
	size_t n;
	struct track_point last; /* of the newest interval, of several entities the worst */
	bool open;
};

/* The newest interval into its step. */
static void settle(struct track_history *h, struct track_past *p)
{
	int64_t step = (p->last.from_ns - h->first_ns) / STEP_NS, at = step % STEPS_MAX;
	struct step *to;

	if (!p->open)
		return;
	p->open = false;
	if (p->last.from_ns < h->first_ns || step > INT32_MAX)
		return;
	if (array_extend(&p->at, p->n, at + 1)) {
		h->failed = true;
		return;
	}
	p->n = (size_t)at + 1 > p->n ? (size_t)at + 1 : p->n;
	to = &p->at[at];
	if (to->number != step)
		*to = (struct step){.number = (int32_t)step};
	to->d += (float)p->last.d;
	to->value += (float)p->last.value;
	to->peers += (float)p->last.peers;
	to->n++;
}

void track_history_add(struct track_history *h, size_t server, size_t signal,
		       const struct track_point *x)
{
	size_t at = server * h->signals + signal;
	struct track_past *p;

	if (h->failed)
		return;
	if (array_extend(&h->at, h->n, at + 1)) {
		h->failed = true;
		return;
	}
	h->n = at + 1 > h->n ? at + 1 : h->n;
	h->first_ns = h->any ? h->first_ns : x->from_ns;
	h->any = true;
	p = &h->at[at];
	if (p->open && p->last.from_ns == x->from_ns && p->last.d >= x->d)
		return;
	if (p->open && p->last.from_ns != x->from_ns)
		settle(h, p);
	p->last = *x;
	p->open = true;
}

void track_history_release(struct track_history *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->at[i].at);
	free(h->at);
	*h = (struct track_history){0};
}

size_t track_history_servers(const struct track_history *h)
{
	return h->signals ? (h->n + h->signals - 1) / h->signals : 0;
}

int64_t track_history_step(const struct track_history *h, int64_t ns)
{
	return (ns - h->first_ns) / STEP_NS;
}

struct track_mean track_history(struct track_history *h, size_t server, size_t signal, int64_t from,
				int64_t to)
{
	struct track_mean m = {0};
	struct track_past *p;

	if (server * h->signals + signal >= h->n)
		return m;
	p = &h->at[server * h->signals + signal];
	settle(h, p);
	if (from < 0)
		from = 0;
	if (from < to - STEPS_MAX + 1)
		from = to - STEPS_MAX + 1;
	for (int64_t i = from; i <= to; i++) {
		const struct step *at = &p->at[i % STEPS_MAX];

		if ((size_t)(i % STEPS_MAX) >= p->n || at->number != i || !(at->n > 0))
			continue;
		m.from_ns = m.n > 0 ? m.from_ns : h->first_ns + i * STEP_NS;
		m.to_ns = h->first_ns + (i + 1) * STEP_NS;
		m.d += at->d;
		m.value += at->value;
		m.peers += at->peers;
		m.n += at->n;
	}
	if (m.n > 0) {
		m.d /= m.n;
		m.value /= m.n;
		m.peers /= m.n;
	}
	return m;
}
