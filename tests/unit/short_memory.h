/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls for memory that fail: of a test that the Makefile links with --wrap of these. `left`: how many succeed still; -1:
 * all. The one after them fails, and only it.
 */
#ifndef LIMPET_SHORT_MEMORY_H
#define LIMPET_SHORT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

static int left = -1;

static bool no_memory(void)
{
	return left >= 0 && left-- == 0;
}

#define WITHOUT_MEMORY(name, call, ...)                         \
	void *__real_##name(__VA_ARGS__);                       \
	void *__wrap_##name(__VA_ARGS__);                       \
	void *__wrap_##name(__VA_ARGS__)                        \
	{                                                       \
		return no_memory() ? NULL : __real_##name call; \
	}
WITHOUT_MEMORY(malloc, (size), size_t size)
WITHOUT_MEMORY(calloc, (n, size), size_t n, size_t size)
WITHOUT_MEMORY(realloc, (at, size), void *at, size_t size)

#endif
