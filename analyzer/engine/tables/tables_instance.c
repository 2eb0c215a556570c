// SPDX-License-Identifier: BSD-2-Clause
/* What is known of an instance of a table (--instance): it has peers of its own, and so a status. */
#include <stdio.h>

#include "tables_job.h"

int table_instance(struct job *j, const struct table_entity *e, bool judged, enum unjudged_why why)
{
	const char *name = j->t->instances.n ? j->t->instances.at[e->instance] : "";
	struct part p = {.node = e->node, .judged = judged, .why = why};

	if (!*name)
		return 0; /* that is the server itself */
	snprintf(p.disk, sizeof(p.disk), "%s", name);
	return verdict_part(j->a, &p);
}
