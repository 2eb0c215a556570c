// SPDX-License-Identifier: BSD-2-Clause
/* Build id, segments and functions of an ELF file. */
#include "elf_symbols.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/common/sort.h"

/* Sections that are looked at: a file with one for each function has tens of thousands. */
#define SECTIONS_MOST 100000
/* Functions that begin at one address, or within each other. */
#define NESTED_MOST 64
/* Of one note or comment, in bytes: a build id takes 36, a compiler's name some hundred. */
#define NOTE_MOST 65536
/* Of all of them in a file: hundreds of sections may be of the same bytes, and each is copied. */
#define NOTES_MOST (1 << 20)

/* Whether a section may be read, which takes its size from what is left: libelf keeps what it read until its end. */
static bool afford(const GElf_Shdr *h, size_t most, size_t *left)
{
	most = most < *left ? most : *left;
	if (h->sh_type == SHT_NOBITS || !h->sh_size || h->sh_size > most ||
	    (h->sh_flags & SHF_COMPRESSED))
		return false;
	*left -= h->sh_size;
	return true;
}

/* What a section holds, where it is within bounds; libelf sees that it is whole. */
static Elf_Data *data_of(Elf_Scn *scn, const GElf_Shdr *h, size_t most, size_t *left)
{
	return afford(h, most, left) ? elf_getdata(scn, NULL) : NULL;
}

/* Whether names may be read from a section: it has strings, of which elf_strptr() reads all. */
static bool names_fit(Elf *elf, size_t section, size_t *left)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	GElf_Shdr h;

	return scn && gelf_getshdr(scn, &h) && h.sh_type == SHT_STRTAB && afford(&h, *left, left);
}

/* ---- build id ---- */

static bool id_in(Elf_Data *d, uint8_t id[BUILD_ID_LEN])
{
	size_t at = 0, name, desc;
	GElf_Nhdr n;

	while (d && d->d_buf && (at = gelf_getnote(d, at, &n, &name, &desc)) > 0) {
		if (n.n_type != NT_GNU_BUILD_ID || n.n_namesz != sizeof("GNU") || !n.n_descsz ||
		    n.n_descsz > BUILD_ID_LEN ||
		    memcmp((const char *)d->d_buf + name, "GNU", sizeof("GNU")) != 0)
			continue;
		memset(id, 0, BUILD_ID_LEN);
		memcpy(id, (const char *)d->d_buf + desc, n.n_descsz);
		return true;
	}
	return false;
}

bool elf_build_id(Elf *elf, uint8_t id[BUILD_ID_LEN])
{
	Elf_Scn *scn = NULL;
	size_t seen = 0, headers = 0, left = NOTES_MOST;
	GElf_Shdr h;
	GElf_Phdr p;

	while ((scn = elf_nextscn(elf, scn)) && seen++ < SECTIONS_MOST)
		if (gelf_getshdr(scn, &h) && h.sh_type == SHT_NOTE &&
		    id_in(data_of(scn, &h, NOTE_MOST, &left), id))
			return true;
	if (elf_getphdrnum(elf, &headers))
		return false;
	for (size_t i = 0; i < headers && i < ELF_SEGMENTS_MOST; i++) {
		if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_NOTE ||
		    p.p_offset > INT64_MAX || p.p_filesz > NOTE_MOST)
			continue;
		if (id_in(elf_getdata_rawchunk(elf, (int64_t)p.p_offset, p.p_filesz,
					       p.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR),
			  id))
			return true;
	}
	return false;
}

/* ---- segments ---- */

/* Whether the linker left its name: GNU ld, which keeps offsets and addresses in step, does not. */
static bool other_linker(Elf *elf, size_t *left)
{
	static const char *const marks[] = {"LLD", "mold", "gold"};
	Elf_Scn *scn = NULL;
	size_t names, seen = 0, comments = NOTES_MOST;
	GElf_Shdr h;

	if (elf_getshdrstrndx(elf, &names) || !names_fit(elf, names, left))
		return true;
	while ((scn = elf_nextscn(elf, scn)) && seen++ < SECTIONS_MOST) {
		const char *name = gelf_getshdr(scn, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;
		Elf_Data *d;

		if (!name)
			continue;
		if (!strcmp(name, ".note.gnu.gold-version"))
			return true;
		d = !strcmp(name, ".comment") ? data_of(scn, &h, NOTE_MOST, &comments) : NULL;
		for (size_t i = 0; d && d->d_buf && i < sizeof(marks) / sizeof(*marks); i++)
			if (memmem(d->d_buf, d->d_size, marks[i], strlen(marks[i])))
				return true;
	}
	return false;
}

static void read_segments(struct elf_symbols *s, size_t *left)
{
	size_t headers = 0;
	uint64_t first = 0;
	bool any = false;
	GElf_Phdr p;

	if (elf_getphdrnum(s->elf, &headers))
		return;
	for (size_t i = 0; i < headers && i < ELF_SEGMENTS_MOST; i++) {
		if (!gelf_getphdr(s->elf, (int)i, &p) || p.p_type != PT_LOAD)
			continue;
		first = any ? first : p.p_vaddr;
		any = true;
		if (!(p.p_flags & PF_X) || p.p_vaddr < first)
			continue;
		if (p.p_filesz)
			s->segment[s->n_segments++] =
				(struct elf_segment){p.p_offset, p.p_filesz, p.p_vaddr};
		else
			s->likely[s->n_likely++] =
				(struct elf_segment){p.p_vaddr - first, p.p_memsz, p.p_vaddr};
	}
	if (s->n_likely && other_linker(s->elf, left))
		s->n_likely = 0;
}

bool elf_address(const struct elf_segment *at, size_t n, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < n; i++) {
		if (offset < at[i].offset || offset - at[i].offset >= at[i].length)
			continue;
		*address = at[i].address + (offset - at[i].offset);
		return true;
	}
	return false;
}

/* ---- functions ---- */

COMPARISON(by_start, struct elf_function, ORDER(a->start, b->start))

/* Of the table in a section, in the place of those before, if it has any; one without a size does not say where
 * it ends. */
static int read_functions(struct elf_symbols *s, Elf_Scn *scn, const GElf_Shdr *h,
			  enum elf_rank rank, size_t *left)
{
	Elf_Data *d = names_fit(s->elf, h->sh_link, left) ? data_of(scn, h, *left, left) : NULL;
	size_t entry = gelf_fsize(s->elf, ELF_T_SYM, 1, EV_CURRENT), n = 0;
	size_t all = d && d->d_buf && entry ? d->d_size / entry : 0;
	struct elf_function *at;
	GElf_Sym y;

	all = all < ELF_FUNCTIONS_MOST ? all : ELF_FUNCTIONS_MOST;
	at = malloc((all + 1) * sizeof(*at));
	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < all && gelf_getsym(d, (int)i, &y); i++) {
		int type = GELF_ST_TYPE(y.st_info);

		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || y.st_shndx == SHN_UNDEF ||
		    !y.st_size || y.st_value + y.st_size < y.st_value)
			continue;
		at[n++] = (struct elf_function){y.st_value, y.st_value + y.st_size, y.st_name,
						GELF_ST_BIND(y.st_info) != STB_LOCAL};
	}
	if (!n) {
		free(at);
		return 0;
	}
	free(s->at);
	s->at = realloc(at, n * sizeof(*at)); /* most of a table's symbols are no functions */
	if (!s->at)
		s->at = at;
	sort(s->at, n, by_start);
	s->n = n;
	s->names = h->sh_link;
	s->rank = rank;
	return 0;
}

int elf_symbols_read(struct elf_symbols *s, Elf *elf)
{
	Elf_Scn *scn = NULL;
	bool tried[ELF_ALL + 1] = {false}; /* a file has one table of a rank */
	size_t seen = 0, left = ELF_TABLE_MOST;
	GElf_Shdr h;
	int err = 0;

	memset(s, 0, sizeof(*s));
	s->elf = elf;
	if (elf_kind(elf) != ELF_K_ELF)
		return -EINVAL;
	s->has_build_id = elf_build_id(elf, s->build_id);
	read_segments(s, &left);
	while (!err && (scn = elf_nextscn(elf, scn)) && seen++ < SECTIONS_MOST) {
		GElf_Word type = gelf_getshdr(scn, &h) ? h.sh_type : SHT_NULL;
		enum elf_rank rank = type == SHT_SYMTAB	  ? ELF_ALL
				     : type == SHT_DYNSYM ? ELF_DYNAMIC
							  : ELF_NO_FUNCTIONS;

		if (rank > s->rank && !tried[rank])
			err = read_functions(s, scn, &h, rank, &left);
		tried[rank] = true;
	}
	return err;
}

void elf_symbols_release(struct elf_symbols *s)
{
	free(s->at);
	if (s->elf)
		elf_end(s->elf);
	memset(s, 0, sizeof(*s));
}

/* Of two names of one function the one to show: not of its object file only, with fewer '_' before it, short. */
static bool better(const char *a, uint32_t a_global, const char *b, uint32_t b_global)
{
	size_t bars = strspn(a, "_"), other = strspn(b, "_");

	if (a_global != b_global)
		return a_global > b_global;
	if (bars != other)
		return bars < other;
	return strlen(a) != strlen(b) ? strlen(a) < strlen(b) : strcmp(a, b) < 0;
}

const char *elf_function_at(const struct elf_symbols *s, uint64_t address)
{
	const struct elf_function *best = NULL;
	const char *name = NULL;
	size_t low = search_first(i, s->n, s->at[i].start <= address);

	/* The innermost: of those that reach so far, what begins last. */
	for (size_t steps = 0; low-- > 0 && steps < NESTED_MOST; steps++) {
		const struct elf_function *f = &s->at[low];
		const char *text;

		if (best && f->start != best->start)
			break;
		if (address >= f->end)
			continue;
		text = elf_strptr(s->elf, s->names, f->name);
		if (!text || !*text || (best && !better(text, f->global, name, best->global)))
			continue;
		best = f;
		name = text;
	}
	return name;
}
