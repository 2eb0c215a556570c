// SPDX-License-Identifier: BSD-2-Clause
/* darshan.h: each access, where Darshan traced them (DXT). */
#include <errno.h>
#include <string.h>

#include "darshan.h"
#include "userspace/common/array.h"

enum {
	TRACE_HEAD = 3 * 8 + 64 + 2 * 8, /* id, rank, shared, host, writes, reads */
	TRACE_HOST = 64,
};

/* Since those versions a segment names its thread, and one of MPI-IO has an offset. */
enum { THREAD_POSIX = 2, THREAD_MPIIO = 3, OFFSET_MPIIO = 2 };

struct trace {
	struct darshan_region *r;
	const struct layout_file *file;
	struct access a;
	size_t segment; /* bytes */
	bool wanted;
};

static void take_segment(struct darshan *k, struct trace *t, const unsigned char *at)
{
	struct layout_part parts[LAYOUT_PARTS_MAX];
	int64_t from = darshan_word(&k->f, at), len = darshan_word(&k->f, at + 8);
	double start = darshan_real(&k->f, at + 16), end = darshan_real(&k->f, at + 24);
	struct access *a = &t->a;
	size_t n;

	a->number++;
	if (!t->wanted || len <= 0)
		return;
	n = layout_parts(&k->y, t->file, from, len, parts);
	k->several += !n;
	for (size_t i = 0; i < n; i++) {
		a->part = n > 1 ? (unsigned int)i + 1 : 0;
		a->bytes = parts[i].bytes;
		a->ops = 1;
		a->from_s = start;
		a->to_s = n > 1 ? start + (end - start) * (double)a->bytes / (double)len : end;
		darshan_add(k, a, parts[i].server);
	}
}

/* `n` segments; false: they are not there. */
static bool take_segments(struct darshan *k, struct trace *t, bool write, int64_t n)
{
	unsigned char at[40];

	t->a.write = write;
	t->a.number = -1;
	for (int64_t i = 0; i < n; i++) {
		if (darshan_is_full(k) || !darshan_take(t->r, at, t->segment))
			return false;
		take_segment(k, t, at);
	}
	return true;
}

/* The traced reads and writes of one file by one process: 1, 0 there is none, -ENOMEM. */
static int take_trace(struct darshan *k, struct trace *t, enum darshan_module m)
{
	unsigned char head[TRACE_HEAD];
	const char *host = (const char *)head + 24;
	struct record_key key;

	if (!darshan_take(t->r, head, sizeof(head)))
		return 0;
	key.id = (uint64_t)darshan_word(&k->f, head);
	key.rank = darshan_word(&k->f, head + 8);
	key.host = log_node(k->l, piece(host, strnlen(host, TRACE_HOST)));
	if (m == DARSHAN_DXT_POSIX &&
	    (array_put(&k->traced, &k->n_traced, key) || array_put(&k->ranks, &k->n_ranks, key) ||
	     array_put(&k->posix.at, &k->posix.n, key.id)))
		return -ENOMEM;
	t->file = darshan_layout_of(&k->y, key.id);
	t->wanted =
		t->file && (m == DARSHAN_DXT_POSIX || (!darshan_ids_have(&k->posix, key.id) &&
						       !darshan_ids_have(&k->collective, key.id)));
	k->unknown += !t->file;
	t->a = (struct access){.file = key.id, .rank = key.rank, .host = key.host};
	t->a.cls = darshan_class(k, darshan_word(&k->f, head + 16) == -1 ? "trace shared" : "trace",
				 0);
	return take_segments(k, t, true, darshan_word(&k->f, head + 24 + TRACE_HOST)) &&
	       take_segments(k, t, false, darshan_word(&k->f, head + 32 + TRACE_HOST));
}

int darshan_traces(struct darshan *k, enum darshan_module m)
{
	const struct darshan_map *map = &k->f.module[m];
	uint32_t thread = m == DARSHAN_DXT_POSIX ? THREAD_POSIX : THREAD_MPIIO;
	struct trace t = {.segment = map->version >= thread ? 40 : 32};
	int got = 1;

	if (!map->len)
		darshan_tell_end(k, m, false);
	if (!map->len || (m == DARSHAN_DXT_MPIIO && map->version < OFFSET_MPIIO))
		return 0;
	if (map->version < 1 || map->version > thread) {
		log_note(k->l, "its records of %s are of version %u, which limpet does not know",
			 darshan_module_name(m), map->version);
		return 0;
	}
	t.r = darshan_region(&k->f, map);
	if (!t.r)
		return -ENOMEM;
	k->l->offset = map->at;
	while (got > 0 && !darshan_is_full(k))
		got = take_trace(k, &t, m);
	if (got >= 0)
		darshan_tell_end(k, m, darshan_cut(t.r));
	darshan_region_close(t.r);
	return got < 0 ? got : 0;
}
