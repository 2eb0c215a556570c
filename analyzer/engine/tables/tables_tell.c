// SPDX-License-Identifier: BSD-2-Clause
/* From what was found in the columns of a table to incidents, notices and notes. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables_internal.h"
#include "analyzer/verdict/sentences.h"
#include "userspace/common/sort.h"
#include "userspace/common/array.h"

static const char *given_name(const struct table_panel *p)
{
	if (p->loaded && p->column->given < 0)
		return "bytes";
	return p->column->given >= 0 ? p->t->metrics.at[p->column->given] : "";
}

int table_keep(struct job *j, const struct table_panel *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct table_found *v = &p->found[i];
		struct found *at;

		if (v->level == EVIDENCE_NONE)
			continue;
		at = array_refill(&j->found, &j->n_found, &j->cap_found);
		if (!at)
			return -ENOMEM;
		*at = (struct found){v->e,    given_name(p), v->level, v->times,
				     v->duty, v->peers + 1,  v->brief};
	}
	return 0;
}

/* ---- incidents ----------------------------------------------------------------------------- */

static int by_node_and_weight(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->e.node != y->e.node)
		return x->e.node < y->e.node ? -1 : 1;
	if (x->e.symptom != y->e.symptom)
		return x->e.symptom - y->e.symptom;
	if (x->level != y->level)
		return (int)y->level - (int)x->level;
	return (x->e.z < y->e.z) - (x->e.z > y->e.z);
}

static int by_weight(const void *a, const void *b)
{
	const struct incident *x = a, *y = b;

	if (!x->suspicious != !y->suspicious)
		return !y->suspicious - !x->suspicious;
	return (x->findings[0].z < y->findings[0].z) - (x->findings[0].z > y->findings[0].z);
}

static struct detail detail_of(const char *given, const struct incident *in)
{
	const struct finding *e = &in->findings[0];
	struct detail d = {.kind = DETAIL_SIGNAL, .signal = e->signal};

	snprintf(d.given, sizeof(d.given), "%s", given);
	snprintf(d.disk, sizeof(d.disk), "%s", e->disk);
	return d;
}

static int indict(const struct found *f, size_t n, struct incident *in)
{
	enum suspicion why = f->level == EVIDENCE_INDICTED ? SUSPICION_NONE
			     : f->brief			   ? SUSPICION_BRIEF
			     : f->peers < EVIDENCE_FEW	   ? SUSPICION_PEERS
							   : SUSPICION_DATA;

	*in = (struct incident){.node = f->e.node,
				.suspicious = why,
				.cause = CAUSE_SLOW,
				.why = f->e.chronic ? WHY_CHRONIC
				       : *f->given  ? WHY_EQUAL_LOAD
						    : WHY_PEERS,
				.onset_ns = f->e.onset_ns,
				.decided_ns = f->e.decided_ns,
				.last_ns = f->e.last_ns,
				.chronic = f->e.chronic,
				.open = f->e.open,
				.times = f->times,
				.duty = f->duty,
				.findings = calloc(n, sizeof(*in->findings)),
				.n_findings = n};
	if (!in->findings)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		in->findings[i] = f[i].e;
	if (f->peers < EVIDENCE_FEW)
		in->doubts[in->n_doubts++] =
			(struct doubt){.kind = DOUBT_FEW_PEERS, .n = (double)f->peers - 1};
	in->detail = detail_of(f->given, in);
	in->confidence = incident_confidence(in);
	return 0;
}

static int notice(struct job *j, const struct found *f)
{
	const struct notice m = {.kind = NOTICE_ACKNOWLEDGED,
				 .node = f->e.node,
				 .from_ns = f->e.onset_ns,
				 .to_ns = f->e.last_ns,
				 .suspicious = f->level != EVIDENCE_INDICTED,
				 .cause = CAUSE_SLOW,
				 .ratio = f->e.ratio,
				 .detail = {.kind = DETAIL_SIGNAL, .signal = f->e.signal}};

	return verdict_add_notice(j->a, &m);
}

/* Those of one node are together; what only supports indicts nobody. */
int table_indict(struct job *j)
{
	struct verdict *a = j->a;
	int err = 0;

	sort(j->found, j->n_found, by_node_and_weight);
	for (size_t i = 0, end; i < j->n_found && !err; i = end) {
		for (end = i; end < j->n_found && j->found[end].e.node == j->found[i].e.node; end++)
			;
		if (j->found[i].e.symptom) {
			for (size_t k = i; k < end && !err; k++)
				err = verdict_add_ruled_out(j->a, &j->found[k].e);
		} else if (string_list_has(&j->o->acknowledged, a->nodes[j->found[i].e.node])) {
			err = notice(j, &j->found[i]);
		} else {
			struct incident *at = array_add(&a->incidents, &a->n_incidents);

			err = at ? indict(&j->found[i], end - i, at) : -ENOMEM;
		}
	}
	sort(a->incidents, a->n_incidents, by_weight);
	return err;
}

/* What was met while the table was read, and what was not judged. */
int table_notes(struct job *j, char *columns)
{
	struct text lines TEXT_SCOPED = {0};
	int err;

	table_report(&lines, j->t);
	err = lines.failed ? -ENOMEM : verdict_note_lines(j->a, text_of(&lines));
	if (!err && columns)
		err = verdict_note(j->a, &(struct note){.kind = NOTE_COLUMNS, .text = columns});
	if (!err && j->t->duplicates)
		err = verdict_note(j->a, &(struct note){.kind = NOTE_REPEATED});
	j->a->duplicates = j->t->duplicates;
	j->a->damaged = j->t->damaged;
	return err;
}
