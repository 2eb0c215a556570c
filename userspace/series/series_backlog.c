// SPDX-License-Identifier: BSD-2-Clause
/*
 * Seconds that could not be written, packed in memory until they can: a disk that is full or
 * failing is what limpet is there to witness.
 */
#include "series_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int series_backlog_for(int err)
{
	/* A full or failing disk; a folder that is away; somebody who holds the file locked. */
	return err == -ENOSPC || err == -EDQUOT || err == -EIO || err == -EROFS || err == -ENOENT ||
	       err == -EBUSY;
}

static void take_first(struct series_writer *w)
{
	struct series_kept *k = w->kept;

	w->kept = k->next;
	if (!w->kept)
		w->kept_end = &w->kept;
	w->n_kept--;
	w->kept_size -= k->size;
	series_packed_release(&k->packed);
	free(k);
}

void series_backlog_free(struct series_writer *w)
{
	while (w->kept)
		take_first(w);
}

static struct series_kept *pack(const struct second *s, int *err)
{
	struct series_metric_def def[M_COUNT + 1];
	struct series_kept *k = calloc(1, sizeof(*k));
	struct series_metrics own;
	struct grid g;

	series_metrics_own(&own, def);
	*err = k ? grid_init(&g, 1, WRITER_GRID_LIMIT) : -ENOMEM;
	if (!*err) {
		*err = grid_add(&g, s);
		if (!*err)
			*err = series_pack(&k->packed, &g, &own, 0, FOLD_LEVEL);
		grid_release(&g);
	}
	if (*err) {
		free(k);
		return NULL;
	}
	k->size = sizeof(*k);
	for (int i = 0; i < SECTIONS; i++) {
		struct code_out *o = &k->packed.section[i];
		unsigned char *at = realloc(o->at, o->len);

		o->at = at ? at : o->at;
		k->size += o->len;
	}
	return k;
}

int series_backlog_push(struct series_writer *w, const struct second *s)
{
	struct series_kept *k;
	int err;

	k = pack(s, &err);
	if (err == -EEXIST)
		return series_fail(err, "cannot write second %llu: it has two rows of one instance",
				   (unsigned long long)s->seq);
	if (!k)
		return series_no_memory();
	*w->kept_end = k;
	w->kept_end = &k->next;
	w->n_kept++;
	w->kept_size += k->size;
	for (; w->kept_size > w->kept_max && w->n_kept > 1; w->dropped++, w->dropped_new++)
		take_first(w);
	return 0;
}

static int unpack(struct grid *g, const struct series_kept *k)
{
	struct series_metric_def def[M_COUNT + 1];
	unsigned int hists = HIST_LAT | HIST_DEV | HIST_RUNQ;
	struct series_blob b[SECTIONS];
	struct series_metrics own;
	int err = grid_init(g, 1, WRITER_GRID_LIMIT);
	size_t n;

	series_metrics_own(&own, def);
	for (int i = 0; i < SECTIONS; i++)
		b[i] = (struct series_blob){k->packed.section[i].at, k->packed.section[i].len};
	if (!err)
		err = series_unpack_head(g, &b[SEC_HEAD], 0, &n);
	for (int i = 0; !err && i < SECTIONS; i++)
		if (i != SEC_HEAD && b[i].len)
			err = series_unpack_section(g, &own, i, &b[i], 0, 0, 1, hists);
	return err ? series_no_memory() : 0;
}

int series_backlog_drain(struct series_writer *w)
{
	int err = 0;

	while (!err && w->kept) {
		struct grid g = {0};

		err = unpack(&g, w->kept);
		if (!err) {
			g.time[0].lost += (int64_t)w->dropped_new;
			err = series_write_grid(w, &g);
		}
		grid_release(&g);
		if (!err) {
			w->dropped_new = 0;
			take_first(w);
		}
	}
	if (!series_backlog_for(err))
		return err;
	return SERIES_KEPT;
}
