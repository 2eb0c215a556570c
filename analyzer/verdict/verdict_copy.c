// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "verdict.h"

/* Copies of its own of n elements; those of none are NULL. */
static int copy_list(void *list, size_t n, size_t size)
{
	void *from, *to = NULL;

	memcpy(&from, list, sizeof(from));
	if (n && from) {
		to = malloc(n * size);
		if (to)
			memcpy(to, from, n * size);
	}
	memcpy(list, &to, sizeof(to));
	return n && from && !to ? -ENOMEM : 0;
}

#define COPY_LIST(a, list, count) copy_list(&(a)->list, (a)->count, sizeof(*(a)->list))

#define COPY_OWN(list) err |= COPY_LIST(to, list, n_##list);

static int copy_findings(struct incident *x)
{
	return COPY_LIST(x, findings, n_findings);
}

static int copy_text(struct note *n)
{
	if (!n->text)
		return 0;
	n->text = strdup(n->text);
	return n->text ? 0 : -ENOMEM;
}

int verdict_copy(struct verdict *to, const struct verdict *from)
{
	int err = 0;

	*to = *from;
	to->n_looks = to->n_durations = 0;
	/* All, whatever fails: what is not copied is not the copy's to free. */
	err |= COPY_LIST(to, nodes, n_nodes);
	err |= COPY_LIST(to, judged, n_nodes);
	err |= COPY_LIST(to, groups, n_groups);
	err |= COPY_LIST(to, group, n_nodes);
	VERDICT_LISTS(COPY_OWN)
	for (size_t i = 0; to->incidents && i < to->n_incidents; i++)
		err |= copy_findings(&to->incidents[i]);
	for (size_t i = 0; to->notes && i < to->n_notes; i++)
		err |= copy_text(&to->notes[i]);
	if (!err)
		return 0;
	to->n_incidents = to->incidents ? to->n_incidents : 0;
	to->n_notes = to->notes ? to->n_notes : 0;
	verdict_release(to);
	return -ENOMEM;
}
