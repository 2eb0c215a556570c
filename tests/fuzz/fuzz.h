/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the fuzz targets share. A target is one file fuzz_NAME.c with LLVMFuzzerTestOneInput(), for
 * one parser of what comes from outside; it ends the process when the parser breaks a promise of
 * its header: MUST(). Its corpus is corpus/NAME, and what corpus/make-corpus adds; a file
 * NAME.dict beside it is libFuzzer's dictionary of it. tests/fuzz/run.sh runs them, shortly, and
 * `make fuzz` for longer.
 */
#ifndef LIMPET_FUZZ_H
#define LIMPET_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Of libFuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

/* A file in memory (or in $TMPDIR) that holds this: its path. There is one, so the next call
 * changes it. */
const char *fuzz_file(const void *data, size_t size);

/* What fail() and warn() were called with since fuzz_begin(): how often, and the last message. They
 * print nothing here. */
struct fuzz_said {
	unsigned int failures, warnings;
	char last[4096];
};
extern struct fuzz_said fuzz_said;
void fuzz_begin(void);

/* err is a negative errno, and somebody was told why, in one line. With FUZZ_TAKEN in the environment
 * no refusal is right: for the inputs of the corpus called good-…, from which others are made. */
void fuzz_check_refusal(int err);

void __attribute__((noreturn)) fuzz_broken(const char *file, int line, const char *what);
#define MUST(x) ((x) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #x))

#endif
