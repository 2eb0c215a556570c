// SPDX-License-Identifier: BSD-2-Clause
/* silence.h: who is silent, and what that does to a verdict. */
#include "silence.h"

#include <errno.h>

#include "userspace/common/array.h"

bool silence_is_hole(size_t silent, size_t all)
{
	return 2 * silent > all;
}

static bool is_open(const struct verdict *a, size_t node)
{
	for (size_t i = 0; i < a->n_incidents; i++)
		if (a->incidents[i].node == node && a->incidents[i].open)
			return true;
	return false;
}

int verdict_silent(struct verdict *a, size_t node)
{
	struct unjudged *more;

	if (!a->judged[node] || is_open(a, node))
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
