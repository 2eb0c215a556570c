/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of one cluster from two sides: recordings of its servers, which say what is wrong with a machine, and logs of its
 * jobs, which say what that costs. Of a server that both have something against at one time one incident is made:
 * the cause is the recording's, the impact the logs'. Of a server that only the logs indict the recording is asked what was
 * worse there meanwhile (meanwhile.h). Neither side alone is believed less for it: one of them indicts.
 */
#ifndef LIMPET_FUSION_H
#define LIMPET_FUSION_H

#include "analyzer/verdict/verdict.h"
#include "meanwhile.h"

/*
 * `machines` is of recordings, `jobs` of logs, which becomes empty. history: of the recordings, which names the cause where the
 * logs alone indict; NULL: not known. 0 or -ENOMEM (then both are to be released).
 */
int fusion(struct verdict *machines, struct verdict *jobs, struct track_history *history);

#endif
