// SPDX-License-Identifier: BSD-2-Clause
/* ELF files that say more than they have: how much is read of them. Good ones: tests/golden/symbols.sh. */
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "analyzer/symbols/elf_symbols.h"
#include "unit.h"

/* The file: its header, one segment, BYTES that sections may share, the sections' headers. */
#define BYTES_AT   4096
#define BYTES	   (1 << 20)
#define SHARED_LEN 60000
#define SHARING	   3000

/* Names of sections and functions, all in one. */
static const char names[] = "\0.comment\0main";
enum { NAME_COMMENT = 1, NAME_MAIN = 10 };

static unsigned char bytes[BYTES];
static Elf64_Shdr section[SHARING + 16];
static Elf64_Half n_sections;
static int fd = -1;
static Elf *elf;

static size_t add_section(uint32_t type, size_t offset, size_t size)
{
	section[n_sections] = (Elf64_Shdr){.sh_type = type,
					   .sh_offset = offset,
					   .sh_size = size,
					   .sh_addralign = 4,
					   .sh_name = NAME_COMMENT};
	return n_sections++;
}

/* One whose descriptor has `size` bytes. Where it ends. */
static size_t put_note(size_t at, uint32_t type, size_t size)
{
	Elf64_Nhdr n = {4, (Elf64_Word)size, type};

	memcpy(bytes + at, &n, sizeof(n));
	memcpy(bytes + at + sizeof(n), "GNU", 4);
	memset(bytes + at + sizeof(n) + 4, 0xab, size);
	return at + sizeof(n) + 4 + size;
}

static void put_function(size_t at)
{
	Elf64_Sym y[2] = {{0},
			  {.st_name = NAME_MAIN, .st_value = 0x1000, .st_size = 16, .st_shndx = 1}};

	y[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
	memcpy(bytes + at, y, sizeof(y));
}

/* The first sections: none; all names. */
static int setup(void **state)
{
	(void)state;
	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, names, sizeof(names));
	n_sections = 0;
	add_section(SHT_NULL, 0, 0);
	add_section(SHT_STRTAB, BYTES_AT, sizeof(names));
	elf_version(EV_CURRENT);
	return 0;
}

/* Of so many bytes, of which those at the end are holes; read into `s`, as files are. */
static void read_file(struct elf_symbols *s, off_t size)
{
	Elf64_Ehdr h = {.e_type = ET_DYN,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_ehsize = sizeof(h),
			.e_phoff = sizeof(h),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1,
			.e_shoff = BYTES_AT + BYTES,
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = n_sections,
			.e_shstrndx = 1};
	/* Of debugging symbols alone, so that the linker is asked for. */
	Elf64_Phdr p = {.p_type = PT_LOAD, .p_flags = PF_X, .p_memsz = 65536};

	memcpy(h.e_ident, ELFMAG, SELFMAG);
	h.e_ident[EI_CLASS] = ELFCLASS64;
	h.e_ident[EI_DATA] = BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
	h.e_ident[EI_VERSION] = EV_CURRENT;
	fd = memfd_create("elf", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &h, sizeof(h), 0), sizeof(h));
	assert_int_equal(pwrite(fd, &p, sizeof(p), sizeof(h)), sizeof(p));
	assert_int_equal(pwrite(fd, bytes, BYTES, BYTES_AT), BYTES);
	assert_int_equal(pwrite(fd, section, n_sections * sizeof(*section), BYTES_AT + BYTES),
			 n_sections * sizeof(*section));
	if (size)
		assert_int_equal(ftruncate(fd, size), 0);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	assert_non_null(elf);
	assert_int_equal(elf_symbols_read(s, elf), 0);
}

static void end_file(struct elf_symbols *s)
{
	elf_symbols_release(s);
	close(fd);
}

/* The most this process ever had. */
static size_t memory_kib(void)
{
	struct rusage u;

	assert_int_equal(getrusage(RUSAGE_SELF, &u), 0);
	return (size_t)u.ru_maxrss;
}

/* 180 MB, if each were copied. In a process of its own, which has no memory of others. */
static void check_sharing(uint32_t type, size_t size)
{
	int status;
	pid_t pid;

	for (int i = 0; i < SHARING; i++)
		section[add_section(type, BYTES_AT + 4096, size)].sh_link = 1;
	pid = fork();
	if (!pid) {
		size_t before = memory_kib();
		struct elf_symbols s;
		bool none;

		read_file(&s, 0);
		none = s.rank == ELF_NO_FUNCTIONS;
		end_file(&s);
		_exit(!none || memory_kib() - before >= 32 << 10);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_many_notes_over_the_same_bytes(void **state)
{
	(void)state;
	put_note(4096, NT_GNU_ABI_TAG, SHARED_LEN);
	check_sharing(SHT_NOTE, SHARED_LEN + 16);
}

static void test_many_comments_over_the_same_bytes(void **state)
{
	(void)state;
	memset(bytes + 4096, 'x', SHARED_LEN);
	check_sharing(SHT_PROGBITS, SHARED_LEN);
}

static void test_many_tables_over_the_same_bytes(void **state)
{
	(void)state;
	check_sharing(SHT_SYMTAB, SHARED_LEN);
}

static bool has_build_id_behind(size_t note, int notes)
{
	struct elf_symbols s;
	size_t end = put_note(4096, NT_GNU_ABI_TAG, note);
	bool has;

	put_note(end, NT_GNU_BUILD_ID, BUILD_ID_LEN);
	for (int i = 0; i < notes; i++)
		add_section(SHT_NOTE, BYTES_AT + 4096, end - 4096);
	add_section(SHT_NOTE, BYTES_AT + 4096, end - 4096 + 16 + BUILD_ID_LEN);
	read_file(&s, 0);
	has = s.has_build_id && s.build_id[BUILD_ID_LEN - 1] == 0xab;
	end_file(&s);
	return has;
}

static void test_a_build_id_in_a_note_of_usual_size(void **state)
{
	(void)state;
	assert_true(has_build_id_behind(SHARED_LEN, 1));
}

static void test_a_build_id_in_a_note_too_large(void **state)
{
	(void)state;
	assert_false(has_build_id_behind(66000, 0));
}

static void test_a_build_id_behind_too_many_notes(void **state)
{
	(void)state;
	assert_false(has_build_id_behind(SHARED_LEN, 20));
}

/* Whether the function of a file with a table of symbols and one of names is known by its name. */
static bool has_main(size_t names_section, off_t size)
{
	struct elf_symbols s;
	const char *name;
	bool has;

	put_function(4096);
	section[add_section(SHT_SYMTAB, BYTES_AT + 4096, 2 * sizeof(Elf64_Sym))].sh_link =
		(uint32_t)names_section;
	read_file(&s, size);
	assert_int_equal(s.rank != ELF_NO_FUNCTIONS, s.n > 0);
	name = elf_function_at(&s, 0x1004);
	has = name && !strcmp(name, "main");
	assert_true(has == (s.n == 1));
	end_file(&s);
	return has;
}

static void test_names_are_in_a_table_of_strings(void **state)
{
	size_t other;

	assert_true(has_main(1, 0));
	setup(state);
	assert_false(has_main(0, 0));
	setup(state);
	assert_false(has_main(0xffffffff, 0));
	setup(state);
	other = add_section(SHT_PROGBITS, BYTES_AT, sizeof(names));
	assert_false(has_main(other, 0));
}

static void test_names_and_symbols_share_a_bound(void **state)
{
	size_t large = add_section(SHT_STRTAB, BYTES_AT, (512 << 20) - 8);

	(void)state;
	/* All of it is there, for holes take no room. */
	assert_false(has_main(large, 600 << 20));
}

static void test_one_table_of_a_kind(void **state)
{
	(void)state;
	/* Without functions; what another has is not looked for. */
	section[add_section(SHT_SYMTAB, BYTES_AT + 8192, 2 * sizeof(Elf64_Sym))].sh_link = 1;
	assert_false(has_main(1, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_many_notes_over_the_same_bytes, setup),
		cmocka_unit_test_setup(test_many_comments_over_the_same_bytes, setup),
		cmocka_unit_test_setup(test_many_tables_over_the_same_bytes, setup),
		cmocka_unit_test_setup(test_a_build_id_in_a_note_of_usual_size, setup),
		cmocka_unit_test_setup(test_a_build_id_in_a_note_too_large, setup),
		cmocka_unit_test_setup(test_a_build_id_behind_too_many_notes, setup),
		cmocka_unit_test_setup(test_names_are_in_a_table_of_strings, setup),
		cmocka_unit_test_setup(test_names_and_symbols_share_a_bound, setup),
		cmocka_unit_test_setup(test_one_table_of_a_kind, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
