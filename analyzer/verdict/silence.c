// SPDX-License-Identifier: BSD-2-Clause
/* silence.h: what a silent server does to a verdict. */
#include "silence.h"

#include <errno.h>

#include "status.h"

int verdict_silent(struct verdict *a, size_t node, enum unjudged_why why)
{
	const struct unjudged u = {.node = node, .signal = SIGNAL_ALL, .why = why};

	if (!a->judged[node] || verdict_against(a, node, true))
		return 0;
	if (verdict_add_unjudged(a, &u))
		return -ENOMEM;
	a->judged[node] = false;
	for (size_t i = 0; i < a->n_parts; i++)
		if (a->parts[i].node == node && a->parts[i].judged) {
			a->parts[i].judged = false;
			a->parts[i].why = why;
		}
	return 0;
}
