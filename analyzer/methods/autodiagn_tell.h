/* SPDX-License-Identifier: BSD-2-Clause */
/* What autodiagn found, as a verdict: jobs and stragglers; no server is judged. */
#ifndef LIMPET_AUTODIAGN_TELL_H
#define LIMPET_AUTODIAGN_TELL_H

#include "analyzer/verdict/verdict.h"
#include "autodiagn.h"
#include "method_states.h"

/* v has the servers (method_states.h). hardware: it is known. 0 or -ENOMEM. */
int autodiagn_tell(struct verdict *v, const struct states *s, const struct autodiagn *r,
		   const struct state_nodes *nodes, bool hardware);

#endif
