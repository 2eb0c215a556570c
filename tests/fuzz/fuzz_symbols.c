// SPDX-License-Identifier: BSD-2-Clause
/* elf_symbols.h: functions of a file that somebody says is an ELF file. */
#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/symbols/elf_symbols.h"

static void look_up(const struct elf_symbols *s, uint64_t address)
{
	const char *name = elf_function_at(s, address);

	MUST(!name || (*name && strlen(name) < ELF_TABLE_MOST));
}

static void look_at(const struct elf_symbols *s)
{
	for (size_t i = 0; i < s->n; i++) {
		MUST(s->at[i].start < s->at[i].end && (!i || s->at[i - 1].start <= s->at[i].start));
		look_up(s, s->at[i].start);
		look_up(s, s->at[i].end - 1);
		look_up(s, s->at[i].end);
	}
	look_up(s, 0);
	look_up(s, ~0ULL);
	for (size_t i = 0; i < s->n_segments; i++) {
		uint64_t address;

		MUST(s->segment[i].length);
		if (elf_address(s->segment, s->n_segments, s->segment[i].offset, &address))
			look_up(s, address);
	}
}

/* From a file, as limpet reads it: libelf copies what it reads. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct elf_symbols s;
	uint8_t id[BUILD_ID_LEN];
	Elf *elf = NULL;

	elf_version(EV_CURRENT);
	if (fd >= 0 && write(fd, data, size) == (ssize_t)size)
		elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf) {
		if (!elf_symbols_read(&s, elf)) {
			MUST(s.has_build_id == elf_build_id(elf, id));
			MUST(s.n <= ELF_FUNCTIONS_MOST && s.n_segments <= ELF_SEGMENTS_MOST);
			MUST((s.rank != ELF_NO_FUNCTIONS) == (s.n > 0));
			look_at(&s);
		}
		elf_symbols_release(&s);
	}
	if (fd >= 0)
		close(fd);
	return 0;
}
