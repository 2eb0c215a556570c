// SPDX-License-Identifier: BSD-2-Clause
/* Method `ganesha`: its row in the table of methods. */
#include "ganesha_phases.h"
#include "analyzer/methods/learn/lwlr.h"

/* Table 1 of the paper, under sysstat's names [P]. */
static const enum metric_id ganesha_metrics[] = {
	M_USER,	  M_SYSTEM, M_IOWAIT,	M_CSWCH_S,   M_RUNQ_SZ, M_PLIST_SZ, M_LDAVG_1,
	M_RXKB_S, M_TXKB_S, M_PGPGIN_S, M_PGPGOUT_S, M_FAULT_S, M_BREAD_S,  M_BWRTN_S,
};

static unsigned int context(const struct params *p)
{
	(void)p;
	return LWLR_REACH;
}

static const char *const heeds[] = {"model", "slack", "weighted", NULL};

const struct method method_ganesha = {
	.name = "ganesha",
	.reads = READS_FRAMES,
	.heeds = heeds,
	.make = method_frames,
	.metrics = ganesha_metrics,
	.n_metrics = sizeof(ganesha_metrics) / sizeof(*ganesha_metrics),
	.context = context,
	.passes = GANESHA_PASSES,
	.train_new = ganesha_train_new,
	.train_slice = ganesha_train_slice,
	.train_pass_end = ganesha_train_pass_end,
	.train_free = ganesha_train_free,
	.judge_new = ganesha_judge_new,
	.judge_slice = ganesha_judge_slice,
	.judge_end = ganesha_judge_end,
	.judge_free = ganesha_judge_free,
};
