/* SPDX-License-Identifier: BSD-2-Clause */
/* What salsa found, as a verdict. */
#ifndef LIMPET_SALSA_TELL_H
#define LIMPET_SALSA_TELL_H

#include "analyzer/verdict/verdict.h"
#include "method_states.h"
#include "salsa.h"

/* v has the servers (method_states.h). 0 or -ENOMEM. */
int salsa_tell(struct verdict *v, const struct states *s, const struct salsa *r,
	       const struct state_nodes *nodes, const struct salsa_opts *o);

#endif
