// SPDX-License-Identifier: BSD-2-Clause
/* silence.h: what a silent server does to a verdict. */
#include "silence.h"

#include <errno.h>

#include "status.h"
#include "userspace/common/array.h"

int verdict_silent(struct verdict *a, size_t node)
{
	struct unjudged *more;

	if (!a->judged[node] || verdict_against(a, node, true))
		return 0;
	more = array_add(&a->unjudged, &a->n_unjudged);
	if (!more)
		return -ENOMEM;
	*more = (struct unjudged){.node = node, .signal = SIGNAL_ALL, .why = UNJUDGED_SILENT};
	a->judged[node] = false;
	for (size_t i = 0; i < a->n_parts; i++)
		if (a->parts[i].node == node && a->parts[i].judged) {
			a->parts[i].judged = false;
			a->parts[i].why = UNJUDGED_SILENT;
		}
	return 0;
}
