// SPDX-License-Identifier: BSD-2-Clause
/* What the verdict says of groups: disks by their models, and servers that look like two groups. */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/output.h"
#include "userspace/common/scratch.h"

/* ---- disks ----------------------------------------------------------------------------------- */

/* Of a model: disks that are compared, and their servers, which come one after the other. */
struct class_use {
	size_t disks, servers, last;
};

static void put_class(struct text *t, const struct disk_class *c, const struct class_use *u)
{
	char model[sizeof(c->model)];
	const char *octave =
		strrchr(c->key, '|'); /* of the size in bytes, where no model is known */
	int size = octave ? atoi(octave + 1) : -1;

	text_add(t, "%zu ", u->disks);
	if (*c->model)
		text_add(t, "of '%s'", output_clean(c->model, model, sizeof(model)));
	else if (size >= 0)
		text_add(t, "of %.3g to %.3g GB", ldexp(1e-9, size), ldexp(1e-9, size + 1));
	else
		text_put(t, "of which nothing is known");
	text_add(t, " in %zu server%s", u->servers, text_plural(u->servers));
}

/* Where there are disks of several models: each is compared with its own. */
static int models_note(const struct robust *r, struct verdict *a)
{
	enum { TOLD = 6 };
	struct scratch room SCRATCH_SCOPED = {0};
	struct class_use *use = scratch_array(&room, r->n_classes, sizeof(*use));
	struct text t TEXT_SCOPED = {0};
	size_t classes = 0;

	if (room.failed)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_nodes; i++)
		for (size_t k = 0; k < r->nodes[i].n_disks; k++) {
			struct class_use *u = &use[r->disks[r->nodes[i].disks[k]].class];

			u->servers += !u->disks || u->last != i;
			u->last = i;
			classes += !u->disks++;
		}
	if (classes < 2)
		return 0;
	text_add(&t, "disks of %zu models, each compared with its own: ", classes);
	for (size_t c = 0, n = 0; c < r->n_classes; c++) {
		if (!use[c].disks || n++ >= TOLD)
			continue;
		text_put(&t, n > 1 ? ", " : "");
		put_class(&t, &r->classes[c], &use[c]);
	}
	text_put_more(&t, classes, TOLD);
	return t.failed ? -ENOMEM : verdict_note_lines(a, text_of(&t));
}

/* ---- servers --------------------------------------------------------------------------------- */

/* Which servers are on which side; a server with disks on both is on neither, and the first that is so ends it: false. */
static bool sides_of(const struct panel *p, signed char *side)
{
	for (size_t m = 0; m < p->n; m++) {
		signed char own = over_time_slower(p->track.evidence, m) ? 1 : -1;
		size_t node = p->members[m].node;

		if (!p->track.at[m].tested)
			continue;
		if (side[node] && side[node] != own)
			return false;
		side[node] = own;
	}
	return true;
}

/* Latencies that fall apart (incidents.c): the widest. */
static int halves_note(const struct robust *r, struct verdict *a)
{
	struct scratch room SCRATCH_SCOPED = {0};
	signed char *side = scratch_array(&room, a->n_nodes, sizeof(*side));
	const struct panel *most = NULL;

	if (room.failed)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_sets; i++) {
		const struct panel *p = &r->sets[i].panel;

		if (p->o.row->kind == KIND_LATENCY && !p->o.hidden && p->track.group.halves &&
		    (!most || p->track.group.effect > most->track.group.effect))
			most = p;
	}
	if (!most || !sides_of(most, side))
		return 0;
	return verdict_note_groups(a, most->o.row->name, exp(most->track.group.effect), side,
				   false);
}

int groups_notes(const struct robust *r, struct verdict *a)
{
	return models_note(r, a) ?: halves_note(r, a);
}
