// SPDX-License-Identifier: BSD-2-Clause
/* The FAST'10 checklist as two tables: metric to symptom, symptoms to cause. */
#include "checklist.h"

#include <stddef.h>

static const struct {
	enum metric_id metric;
	enum server_symptom symptom;
} symptoms_of[] = {
	{M_RKB_S, SYM_STORAGE_THROUGHPUT},
	{M_WKB_S, SYM_STORAGE_THROUGHPUT},
	{M_AWAIT, SYM_STORAGE_LATENCY},
	{M_R_AWAIT, SYM_STORAGE_LATENCY},
	{M_W_AWAIT, SYM_STORAGE_LATENCY},
	{M_RXKB_S, SYM_NET_RECEIVE},
	{M_TXKB_S, SYM_NET_TRANSMIT},
	{M_CWND_LN, SYM_CONGESTION},
	/* not the paper's, and nothing its methods look at: loss as the baselines see it [D] */
	{M_RETRANS_S, SYM_CONGESTION},
};

/*
 * Rule 3 has two rows: both directions diverge, or one does without congestion. Loss makes a
 * receiver acknowledge at once, so that transmit alone deviates; that must fall through to 4 [P].
 */
static const struct checklist_row rules[] = {
	{1, 0, SYM_STORAGE_THROUGHPUT, 0, CAUSE_DISK_HOG, WHY_STORAGE_THROUGHPUT},
	{2, 0, SYM_STORAGE_LATENCY, 0, CAUSE_DISK_BUSY, WHY_STORAGE_LATENCY},
	{3, SYM_NET_RECEIVE | SYM_NET_TRANSMIT, 0, 0, CAUSE_NETWORK_HOG, WHY_NET_BOTH},
	{3, 0, SYM_NET_RECEIVE | SYM_NET_TRANSMIT, SYM_CONGESTION, CAUSE_NETWORK_HOG, WHY_NET_CALM},
	{4, SYM_CONGESTION, 0, 0, CAUSE_PACKET_LOSS, WHY_CONGESTION},
	{5, 0, 0, 0, CAUSE_NONE, WHY_UNKNOWN},
};

unsigned int checklist_symptom(int metric)
{
	for (size_t i = 0; i < sizeof(symptoms_of) / sizeof(*symptoms_of); i++)
		if ((int)symptoms_of[i].metric == metric)
			return symptoms_of[i].symptom;
	return 0;
}

const struct checklist_row *checklist_rule(unsigned int symptoms)
{
	const struct checklist_row *r = rules;

	/* the last row holds for everything */
	while ((symptoms & r->all) != r->all || (r->any && !(symptoms & r->any)) ||
	       (symptoms & r->none))
		r++;
	return r;
}
