// SPDX-License-Identifier: BSD-2-Clause
/* darshan_layout.h: names of files, records of Lustre, and what --layout says. */
#include "darshan_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

enum {
	TEXT_MAX = 1 << 28,    /* bytes of all names: a million files of 256 bytes */
	SERVERS_MAX = 1 << 24, /* of all files' stripes */
	FILES_MAX = 1 << 22,   /* of names, and of files of Lustre: half of LOG_STATES_MAX */
	SPANS_MAX = 64,	       /* of one file; Lustre's usual ones have at most 6 */
};

/* ---- names ------------------------------------------------------------------------------------------------ */

COMPARISON(by_name_id, struct darshan_name, ORDER(a->id, b->id) ?: ORDER(a->at, b->at))

static bool are_enough(const struct darshan_layout *y)
{
	return y->n_text >= TEXT_MAX || y->n_names >= FILES_MAX;
}

/* One {id, path with its NUL}: 1, 0 there is none, -ENOMEM. */
static int take_name(struct darshan_layout *y, struct darshan_file *f, struct darshan_region *r)
{
	unsigned char id[8];
	struct darshan_name *name;

	if (are_enough(y) || !darshan_take(r, id, sizeof(id)))
		return 0;
	name = array_add(&y->name, &y->n_names);
	if (!name)
		return -ENOMEM;
	*name = (struct darshan_name){.id = (uint64_t)darshan_word(f, id), .at = y->n_text};
	for (size_t n = 0; n < DARSHAN_NAME_MAX; n++) {
		char *c = array_add(&y->text, &y->n_text);

		if (!c)
			return -ENOMEM;
		if (!darshan_take(r, c, 1))
			break;
		if (!*c)
			return 1;
	}
	/* it has no end: neither have those behind it a beginning */
	y->n_text = name->at;
	y->n_names--;
	return 0;
}

static int take_names(struct darshan_layout *y, struct log *l, struct darshan_file *f)
{
	struct darshan_region *r = darshan_region(f, &f->names);
	int got = r ? 1 : -ENOMEM;

	while (got > 0)
		got = take_name(y, f, r);
	if (!got && (f->names.dropped || darshan_cut(r) || are_enough(y)))
		log_note(l, "its names of files end in the middle, or are too many: they are read "
			    "up to there");
	darshan_region_close(r);
	sort(y->name, y->n_names, by_name_id);
	return got;
}

const char *darshan_name_of(const struct darshan_layout *y, uint64_t id)
{
	size_t at = search_first(i, y->n_names, y->name[i].id < id);

	return at < y->n_names && y->name[at].id == id ? y->text + y->name[at].at : NULL;
}

/* ---- records of Lustre ------------------------------------------------------------------------------------- */

/* Where the file system of a path is mounted, by the longest mount of that type; NULL: none that is known. */
static const char *mount_of(const struct darshan_file *f, const char *path)
{
	const char *best = NULL;
	size_t longest = 0;

	for (size_t i = 0; path && i < f->n_mounts; i++) {
		const struct darshan_mount *m = &f->mount[i];
		size_t n = strlen(m->path);

		if (n > longest && !strncmp(path, m->path, n) &&
		    (path[n] == '/' || m->path[n - 1] == '/') && !strcmp(m->type, "lustre")) {
			best = m->path;
			longest = n;
		}
	}
	return best;
}

static uint32_t target(struct log *l, const char *mount, int64_t ost)
{
	const char *base = mount ? strrchr(mount, '/') : NULL;
	char name[HOST_LEN];
	int n;

	if (ost < 0 || ost > UINT16_MAX)
		return STATE_NONE;
	n = snprintf(name, sizeof(name), "%s%sOST%04x", base ? base + 1 : "",
		     base && base[1] ? "-" : "", (unsigned int)ost);
	for (char *c = name; *c; c++)
		*c = *c == ':' ? '-' : *c;
	return n < (int)sizeof(name) ? log_node(l, piece_of(name)) : STATE_NONE;
}

/* A record while it is read. */
struct lustre {
	struct darshan_layout *y;
	struct log *l;
	struct darshan_file *f;
	struct darshan_region *r;
};

/* Fills n words; false: they are not there. */
static bool words(struct lustre *u, int64_t *to, size_t n)
{
	unsigned char at[8 * 8];

	if (!darshan_take(u->r, at, 8 * n))
		return false;
	for (size_t i = 0; i < n; i++)
		to[i] = darshan_word(u->f, at + 8 * i);
	return true;
}

/* The servers of `stripes` stripes; 1, 0 cut off, -ENOMEM. */
static int take_servers(struct lustre *u, uint64_t id, int64_t stripes)
{
	const char *mount = mount_of(u->f, darshan_name_of(u->y, id));
	int64_t ost;

	for (int64_t i = 0; i < stripes; i++) {
		if (!words(u, &ost, 1))
			return 0;
		if (array_put(&u->y->server, &u->y->n_servers, target(u->l, mount, ost)))
			return -ENOMEM;
	}
	return 1;
}

static int begin_file(struct darshan_layout *y, uint64_t id)
{
	return array_put(&y->file, &y->n_files,
			 (struct layout_file){.id = id, .first = y->n_spans});
}

/* Of the file that was begun last. */
static struct layout_span *add_span(struct darshan_layout *y)
{
	struct layout_span *span = array_add(&y->span, &y->n_spans);

	if (span)
		y->file[y->n_files - 1].n++;
	return span;
}

/* {stripe size, count} of version 1 covers all of the file. */
static int take_plain(struct lustre *u, uint64_t id, int64_t size, int64_t count)
{
	struct layout_span *span;

	if (count < 0 || count > LAYOUT_STRIPES_MAX)
		return 0;
	span = begin_file(u->y, id) ? NULL : add_span(u->y);
	if (!span)
		return -ENOMEM;
	*span = (struct layout_span){0, INT64_MAX, size, u->y->n_servers, (uint32_t)count};
	return take_servers(u, id, count);
}

/* One component of version 2: size, count, pattern, flags, extent, mirror, the name of a pool. */
static int take_component(struct lustre *u, size_t *stripe, bool *unused)
{
	int64_t c[7];
	char pool[16];
	struct layout_span *span;

	if (!words(u, c, 7) || !darshan_take(u->r, pool, sizeof(pool)))
		return 0;
	*unused |= c[0] == -1;
	/* without stripes it is on a metadata target */
	if (*unused || c[1] < 0 || c[1] > LAYOUT_STRIPES_MAX)
		return 1;
	span = add_span(u->y);
	if (!span)
		return -ENOMEM;
	*span = (struct layout_span){.from = c[4],
				     .to = c[5] < 0 ? INT64_MAX : c[5],
				     .size = c[0],
				     .first = u->y->n_servers + *stripe,
				     .count = (uint32_t)c[1]};
	*stripe += span->count;
	return 1;
}

static int take_composite(struct lustre *u, uint64_t id, int64_t components, int64_t stripes)
{
	size_t stripe = 0, at;
	bool unused = false;
	int got = 1;

	if (components < 0 || components > SPANS_MAX || stripes < 0 ||
	    stripes > SPANS_MAX * LAYOUT_STRIPES_MAX)
		return 0;
	if (begin_file(u->y, id))
		return -ENOMEM;
	for (int64_t i = 0; i < components && got > 0; i++)
		got = take_component(u, &stripe, &unused);
	at = u->y->n_servers;
	if (got > 0)
		got = take_servers(u, id, stripes);
	/* components that claim more stripes than there are */
	while (got > 0 && u->y->n_servers < at + stripe)
		got = array_put(&u->y->server, &u->y->n_servers, STATE_NONE) ?: 1;
	return got;
}

static bool is_full(const struct darshan_layout *y)
{
	return y->n_servers >= SERVERS_MAX || y->n_files >= FILES_MAX;
}

static int take_record(struct lustre *u, uint32_t version)
{
	struct darshan_layout *y = u->y;
	int64_t head[7];
	size_t files = y->n_files, n = version == 1 ? 7 : 4;
	int got;

	if (is_full(y) || !words(u, head, n))
		return 0;
	got = version == 1 ? take_plain(u, (uint64_t)head[0], head[5], head[6])
			   : take_composite(u, (uint64_t)head[0], head[2], head[3]);
	if (!got) /* what is half there is none */
		y->n_files = files;
	return got;
}

COMPARISON(by_id, struct layout_file, ORDER(a->id, b->id) ?: ORDER(a->first, b->first))

#define LUSTRE_CUT \
	"its records of Lustre are not all there, or damaged: states of other files are left out"

static int take_lustre(struct darshan_layout *y, struct log *l, struct darshan_file *f)
{
	const struct darshan_map *map = &f->module[DARSHAN_LUSTRE];
	struct lustre u = {.y = y, .l = l, .f = f};
	int got = 1;

	if (!map->len && map->dropped)
		log_note(l, "%s", LUSTRE_CUT);
	if (!map->len)
		return 0;
	if (map->version < 1 || map->version > 2) {
		log_note(l, "its records of Lustre are of version %u, which limpet does not know",
			 map->version);
		return 0;
	}
	u.r = darshan_region(f, map);
	if (!u.r)
		return -ENOMEM;
	while (got > 0)
		got = take_record(&u, map->version);
	if (!got && (map->dropped || darshan_cut(u.r) || is_full(y)))
		log_note(l, "%s", LUSTRE_CUT);
	darshan_region_close(u.r);
	return got;
}

/* ---- --layout ---------------------------------------------------------------------------------------- */

/* A file that is not striped is one stripe; where several servers may do an access, none is known. */
static int add_listed(struct darshan_layout *y, struct log *l, uint64_t id,
		      const struct listed_file *from)
{
	const struct layouts *all = &l->s->reading->layouts;
	struct layout_span *span = begin_file(y, id) ? NULL : add_span(y);
	bool known =
		!from->unknown && (from->stripe || from->n == 1) && from->n <= LAYOUT_STRIPES_MAX;

	if (!span)
		return -ENOMEM;
	*span = (struct layout_span){.to = INT64_MAX,
				     .size = from->stripe ? from->stripe : LAYOUT_STRIPE_MAX,
				     .first = y->n_servers,
				     .count = known ? from->n : 1};
	for (uint32_t i = 0; i < span->count; i++) {
		const char *name = all->server.at[all->server_of[from->first + i]];

		if (array_put(&y->server, &y->n_servers,
			      known ? log_node(l, piece_of(name)) : STATE_NONE))
			return -ENOMEM;
	}
	return 0;
}

/* Of files that Lustre does not have, which are by id up to now. */
static int take_listed(struct darshan_layout *y, struct log *l)
{
	const struct layouts *all = &l->s->reading->layouts;
	size_t of_lustre = y->n_files;
	int err = 0;

	for (size_t i = 0; i < y->n_names && all->n_files && !is_full(y) && !err; i++) {
		const struct darshan_name *name = &y->name[i];
		const struct listed_file *from = layouts_find(all, y->text + name->at);
		size_t at = search_first(k, of_lustre, y->file[k].id < name->id);

		if (from && (at == of_lustre || y->file[at].id != name->id))
			err = add_listed(y, l, name->id, from);
	}
	sort(y->file, y->n_files, by_id);
	return err;
}

int darshan_layout_read(struct darshan_layout *y, struct log *l, struct darshan_file *f)
{
	int err = take_names(y, l, f) ?: take_lustre(y, l, f);

	sort(y->file, y->n_files, by_id);
	return err ?: take_listed(y, l);
}

void darshan_layout_release(struct darshan_layout *y)
{
	free(y->name);
	free(y->text);
	free(y->file);
	free(y->span);
	free(y->server);
	*y = (struct darshan_layout){0};
}
