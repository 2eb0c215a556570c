// SPDX-License-Identifier: BSD-2-Clause
/* finding_make.h: the fields. */
#include "finding_make.h"

#include <math.h>
#include <stdio.h>

#include "userspace/common/clock.h"

static void by_evidence(struct finding *f, const struct finding_about *about,
			const struct evidence *e)
{
	if (!(about->ratio > 0))
		f->ratio = exp(e->effect);
	f->usual = exp(about->baseline);
	f->z = f->score = e->t;
	f->df = e->df;
	f->needs = e->needs;
	f->lower = exp(e->lower);
	f->spread = exp(e->spread);
	f->n_peers = (unsigned int)e->n_peers;
	f->window_s = s_of_ns(about->last_ns - about->onset_ns);
	f->window_end_ns = about->last_ns;
}

struct finding finding_make(const struct finding_about *about, const struct evidence *e)
{
	struct finding f = {.signal = about->signal,
			    .node = about->node,
			    .value = about->value,
			    .peers = about->peers,
			    .ratio = about->ratio > 0 ? about->ratio : about->value / about->peers,
			    .usual = NAN,
			    .z = about->score,
			    .spread = NAN,
			    .w1 = NAN,
			    .p99 = NAN,
			    .p99_peers = NAN,
			    .flagged = about->flagged,
			    .judged = about->judged,
			    .n_peers = about->n_peers,
			    .begun_ns = about->begun_ns ? about->begun_ns : about->onset_ns,
			    .onset_ns = about->onset_ns,
			    .decided_ns = about->decided_ns ? about->decided_ns : about->last_ns,
			    .last_ns = about->last_ns,
			    .chronic = about->chronic,
			    .open = about->open,
			    .held = about->held,
			    .symptom = about->symptom};

	if (about->disk)
		snprintf(f.disk, sizeof(f.disk), "%s", about->disk);
	if (e)
		by_evidence(&f, about, e);
	return f;
}
