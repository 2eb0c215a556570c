/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of an ELF file (elf(5)), for which libelf is asked. Files are foreign: what does not fit into its
 * file, or into the bounds below, is not there.
 */
#ifndef LIMPET_ELF_SYMBOLS_H
#define LIMPET_ELF_SYMBOLS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/record.h"

/* The largest binaries of Ceph have 300,000 functions. */
#define ELF_FUNCTIONS_MOST 4000000
#define ELF_SEGMENTS_MOST  64
/* Of the tables of symbols and of names in a file together, in bytes; those beyond it are not there. */
#define ELF_TABLE_MOST (512 << 20)

struct elf_function {
	uint64_t start, end; /* addresses as the file has them */
	uint32_t name;	     /* in the table of names */
	uint32_t global;     /* 0: of its own object file only */
};

/* A part of the file that is run. */
struct elf_segment {
	uint64_t offset, length, address;
};

/* How much is known of functions: none; those that others may call; all. */
enum elf_rank { ELF_NO_FUNCTIONS, ELF_DYNAMIC, ELF_ALL };

struct elf_symbols {
	Elf *elf; /* which names are read from */
	uint8_t build_id[BUILD_ID_LEN];
	bool has_build_id;
	enum elf_rank rank;
	struct elf_function *at; /* by start */
	size_t n;
	size_t names; /* section */
	struct elf_segment segment[ELF_SEGMENTS_MOST];
	size_t n_segments; /* 0 in a file of debugging symbols alone */
	/* Those of such a file, with the offsets that GNU ld gives; 0: another linker made it, and nobody
	 * knows. */
	struct elf_segment likely[ELF_SEGMENTS_MOST];
	size_t n_likely;
};

/* Only the build id; false: there is none. */
bool elf_build_id(Elf *elf, uint8_t id[BUILD_ID_LEN]);

/* Takes over `elf`, which is ended by elf_symbols_release(). 0, -ENOMEM, or -EINVAL: it is no ELF file. */
int elf_symbols_read(struct elf_symbols *s, Elf *elf);
void elf_symbols_release(struct elf_symbols *s);

/* The address of a place in the file, by segments; false: it is in none of them. */
bool elf_address(const struct elf_segment *at, size_t n, uint64_t offset, uint64_t *address);

/* The name of the function that an address is in, as the file has it; NULL: it is in none. */
const char *elf_function_at(const struct elf_symbols *s, uint64_t address);

#endif
