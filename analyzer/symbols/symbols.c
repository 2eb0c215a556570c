// SPDX-License-Identifier: BSD-2-Clause
/* Files by their build ids, and the names of places in them. */
#include "symbols.h"

#include <fcntl.h>
#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_symbols.h"
#include "userspace/common/array.h"
#include "userspace/common/options.h"
#include "userspace/common/sort.h"

#define DEBUG_FOLDER "/usr/lib/debug/.build-id"
/* Below the folders that are given: a build tree of Ceph has 60,000 files. */
#define FILES_MOST 200000
#define DEPTH_MOST 16
/* Open, with their functions in memory: a server has some hundred, two each; processes may have 1,024. */
#define LOADED_MOST 512
/* Build ids: those of 512 files, which a server's recording has at most in a minute, in 32 versions. */
#define SOUGHT_MOST 16384
#define NAME_LEN    256

struct found_binary {
	uint8_t build_id[BUILD_ID_LEN];
	char *path;
};

/* A file whose functions and segments are known, and the descriptor that names are read from. */
struct loaded_binary {
	struct elf_symbols elf;
	int fd;
};

/* A file that is looked for, by its build id. */
struct sought {
	uint8_t build_id[BUILD_ID_LEN];
	const struct elf_symbols *functions; /* of one file… */
	const struct elf_symbols *segments;  /* …and maybe another; NULL: there is none */
	char file[64];			     /* name of the latter */
};

struct symbols {
	struct found_binary *found; /* by build id */
	size_t n_found;
	struct sought *sought; /* by build id */
	size_t n_sought;
	struct loaded_binary **loaded;
	size_t n_loaded;
	bool said_loaded, said_sought; /* that there is no room for more */
	char name[NAME_LEN];
};

static int by_id(const void *a, const void *b)
{
	/* Both begin with it. */
	return memcmp(a, b, BUILD_ID_LEN);
}

/* ---- files ---- */

/* NULL: it is not there, no file, or no ELF file. */
static Elf *open_elf(const char *path, int *fd)
{
	struct stat st;
	Elf *elf = NULL;

	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0)
		return NULL;
	/* Nothing of it is mapped, for it may be cut short at any time. */
	if (!fstat(*fd, &st) && S_ISREG(st.st_mode) && elf_version(EV_CURRENT) != EV_NONE)
		elf = elf_begin(*fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		elf = NULL;
	}
	if (!elf)
		close(*fd);
	return elf;
}

static void note_file(struct symbols *s, const char *path)
{
	struct found_binary f, *new;
	Elf *elf;
	int fd;

	elf = open_elf(path, &fd);
	if (!elf)
		return;
	if (elf_build_id(elf, f.build_id)) {
		f.path = strdup(path);
		new = f.path ? array_add(&s->found, &s->n_found) : NULL;
		if (new)
			*new = f;
		else
			free(f.path);
	}
	elf_end(elf);
	close(fd);
}

static void look_through(struct symbols *s, const char *folder)
{
	char *const paths[] = {(char *)folder, NULL};
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	size_t files = 0;
	FTSENT *e;

	while (fts && (e = fts_read(fts))) {
		if (e->fts_info == FTS_D && e->fts_level >= DEPTH_MOST)
			fts_set(fts, e, FTS_SKIP);
		if ((e->fts_info == FTS_NS || e->fts_info == FTS_DNR || e->fts_info == FTS_ERR) &&
		    !e->fts_level)
			warn("cannot read '%s': %s", folder, strerror(e->fts_errno));
		if (e->fts_info != FTS_F)
			continue;
		if (files++ == FILES_MOST) {
			warn("'%s' has more than %d files: the rest is not looked at for names of "
			     "functions",
			     folder, FILES_MOST);
			break;
		}
		note_file(s, e->fts_path);
	}
	if (fts)
		fts_close(fts);
}

struct symbols *symbols_new(const char *const *folders, size_t n)
{
	struct symbols *s = calloc(1, sizeof(*s));

	for (size_t i = 0; s && i < n; i++)
		look_through(s, folders[i]);
	if (s)
		sort(s->found, s->n_found, by_id);
	return s;
}

static void release(struct loaded_binary *l)
{
	elf_symbols_release(&l->elf);
	close(l->fd);
	free(l);
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_found; i++)
		free(s->found[i].path);
	for (size_t i = 0; i < s->n_loaded; i++)
		release(s->loaded[i]);
	free(s->found);
	free(s->sought);
	free(s->loaded);
	free(s);
}

/* ---- a build id ---- */

/* NULL: it is none, or there is no room or memory for it. */
static const struct elf_symbols *load(struct symbols *s, const char *path)
{
	struct loaded_binary *l = calloc(1, sizeof(*l)), **place = NULL;
	Elf *elf = l ? open_elf(path, &l->fd) : NULL;

	if (!elf) {
		free(l);
		return NULL;
	}
	l->elf.elf = elf;
	if (s->n_loaded == LOADED_MOST) {
		if (!s->said_loaded)
			warn("names of functions are read from %d files, and there are more: "
			     "functions of the rest have none",
			     LOADED_MOST);
		s->said_loaded = true;
	} else if (!elf_symbols_read(&l->elf, elf)) {
		place = array_add(&s->loaded, &s->n_loaded);
	}
	if (!place) {
		release(l);
		return NULL;
	}
	*place = l;
	return &l->elf;
}

/* One of the last that were loaded. */
static void unload(struct symbols *s, const struct elf_symbols *f)
{
	size_t i = s->n_loaded;

	while (i-- > 0 && &s->loaded[i]->elf != f)
		;
	release(s->loaded[i]);
	s->loaded[i] = s->loaded[--s->n_loaded];
}

/* Of a file of others: what would break a line or a terminal is not shown. */
static void clean(char *name, size_t size, const char *from)
{
	size_t n = 0;

	for (; from[n] && n < size - 1; n++)
		name[n] = from[n] == ';' ? ':' : from[n] > ' ' && from[n] < 127 ? from[n] : '?';
	name[n] = '\0';
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Takes of a file what is better than what there is. */
static void consider(struct symbols *s, struct sought *k, const char *path)
{
	const struct elf_symbols *f, *before = k->functions;

	if (k->segments && k->functions && k->functions->rank == ELF_ALL)
		return;
	f = load(s, path);
	if (!f)
		return;
	if (f->has_build_id && !memcmp(f->build_id, k->build_id, BUILD_ID_LEN)) {
		if (!k->segments && f->n_segments) {
			k->segments = f;
			clean(k->file, sizeof(k->file), base_of(path));
		}
		if (f->rank && (!k->functions || f->rank > k->functions->rank))
			k->functions = f;
	}
	if (k->segments != f && k->functions != f)
		unload(s, f);
	if (before && before != k->functions && before != k->segments)
		unload(s, before);
}

static void look_for(struct symbols *s, struct sought *k)
{
	const struct found_binary *f = search(k->build_id, s->found, s->n_found, by_id);
	char path[sizeof(DEBUG_FOLDER) + 2 * BUILD_ID_LEN + 16], *end;

	while (f && f > s->found && !by_id(f - 1, k->build_id))
		f--;
	for (; f && f < s->found + s->n_found && !by_id(f, k->build_id); f++)
		consider(s, k, f->path);
	end = path + sprintf(path, DEBUG_FOLDER "/%02x/", k->build_id[0]);
	for (int i = 1; i < BUILD_ID_LEN; i++)
		end += sprintf(end, "%02x", k->build_id[i]);
	strcpy(end, ".debug");
	consider(s, k, path);
}

/* NULL: no memory, or too many. */
static const struct sought *sought_of(struct symbols *s, const uint8_t id[BUILD_ID_LEN])
{
	size_t at = search_first(i, s->n_sought, by_id(&s->sought[i], id) < 0);
	struct sought new = {.functions = NULL}, *k;

	if (at < s->n_sought && !by_id(&s->sought[at], id))
		return &s->sought[at];
	if (s->n_sought == SOUGHT_MOST) {
		if (!s->said_sought)
			warn("there are more than %d build ids: functions of the rest have no "
			     "names",
			     SOUGHT_MOST);
		s->said_sought = true;
		return NULL;
	}
	memcpy(new.build_id, id, BUILD_ID_LEN);
	k = array_insert(&s->sought, &s->n_sought, at);
	if (!k)
		return NULL;
	look_for(s, &new);
	*k = new;
	return k;
}

/* ---- names ---- */

static bool address_of(const struct sought *k, uint64_t offset, uint64_t *address)
{
	if (k->segments)
		return elf_address(k->segments->segment, k->segments->n_segments, offset, address);
	return k->functions &&
	       elf_address(k->functions->likely, k->functions->n_likely, offset, address);
}

const char *symbols_function(void *symbols, const struct user_place *at)
{
	struct symbols *s = symbols;
	const struct sought *k = sought_of(s, at->build_id);
	const char *name = NULL;
	uint64_t address;

	/* A call may be the last of its function: what it returns to is another then. */
	if (k && k->functions && address_of(k, at->offset - !at->inner, &address))
		name = elf_function_at(k->functions, address);
	if (!name)
		return NULL;
	clean(s->name, sizeof(s->name), name);
	return s->name;
}

const char *symbols_file(void *symbols, const struct user_place *at)
{
	const struct sought *k = sought_of(symbols, at->build_id);

	return k && *k->file ? k->file : NULL;
}
