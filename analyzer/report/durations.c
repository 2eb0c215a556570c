// SPDX-License-Identifier: BSD-2-Clause
/* How long the states of a server took, beside the peers': a chart of a report on job states. */
#include "page.h"

#include <math.h>

#include "analyzer/draw/chart.h"
#include "analyzer/output/words.h"
#include "userspace/common/sort.h"

const struct durations *report_durations_of(const struct verdict *a, size_t node, size_t signal)
{
	return find_if(i, a->durations, a->n_durations,
		       a->durations[i].node == node && a->durations[i].signal == signal);
}

void report_durations(FILE *to, const struct report *r, const struct durations *d)
{
	const struct verdict_signal *s = verdict_signal(r->a, d->signal);
	struct text heading TEXT_SCOPED = {0}, text TEXT_SCOPED = {0};
	char a[WORDS_LEN], b[WORDS_LEN], c[WORDS_LEN], e[WORDS_LEN];
	double end[DURATIONS_BUCKETS];

	for (size_t i = 0; i < DURATIONS_BUCKETS; i++)
		end[i] = exp2((double)(i + 1) / DURATIONS_STEPS - DURATIONS_BELOW);
	text_add(&heading, "%s: distribution", s->name);
	text_add(&text,
		 "share of its %zu states that took at most so many times as long as the usual one "
		 "of the same job, kind and size, logarithmic. Half of them within %s (peers %s); "
		 "99" TEXT_TIE "%% within %s (peers %s).",
		 d->n, words_ratio(d->own_half, a), words_ratio(d->peers_half, b),
		 words_ratio(d->own_most, c), words_ratio(d->peers_most, e));
	chart_latency(to, &(struct chart_latency){
				  .heading = text_of(&heading),
				  .caption = text_of(&text),
				  .key = {.name = verdict_node(r->a, d->node),
					  .peers = d->n_peers,
					  .median = "all their states"},
				  .n = DURATIONS_BUCKETS,
				  .end = end,
				  .own = d->own,
				  .peers = d->peers,
				  .low = d->low,
				  .high = d->high,
				  .own_half = d->own_half,
				  .own_most = d->own_most,
				  .peers_half = d->peers_half,
				  .peers_most = d->peers_most,
			  });
}
