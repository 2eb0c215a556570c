// SPDX-License-Identifier: BSD-2-Clause
/* The inner loops of kl.c (kl_loops.h) for the vector instructions there may be, and which work. */
#include "kl_lanes.h"

#define TILE_BYTES ((size_t)32 << 10) /* of blocks on the right: stay in the first-level cache */

/* SSE2, NEON, or whatever else the compiler has for two doubles. */
#define WIDTH 2
#define TARGET
#define OF(name) name##_plain
#include "kl_loops.h"

static bool always(void)
{
	return true;
}

#ifdef __x86_64__
#define WIDTH	 4
#define TARGET	 __attribute__((target("avx2,fma")))
#define OF(name) name##_avx2
#include "kl_loops.h"

#define WIDTH	 8
#define TARGET	 __attribute__((target("avx512f,avx512dq,fma")))
#define OF(name) name##_avx512
#include "kl_loops.h"

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}
#endif

const struct kl_kernel kl_kernels[] = {
#ifdef __x86_64__
	{"AVX-512", has_avx512, count_avx512, rows_avx512, over_avx512, most_avx512},
	{"AVX2", has_avx2, count_avx2, rows_avx2, over_avx2, most_avx2},
#endif
	{"plain", always, count_plain, rows_plain, over_plain, most_plain},
	{0},
};
