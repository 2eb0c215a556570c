/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the server's threads computed: samples of the processors' clock, counted by stack. A frame of user space
 * is a place in a file, which is known by its build id: the analyzer looks for its name. As text, lines of two
 * kinds, of which the first begin with a blank:
 *
 *    NUMBER BUILD-ID                  a file, its build id in hexadecimal
 *   program;FRAME;…;FRAME COUNT       a stack, the outermost frame first
 *
 * FRAME is "@NUMBER+OFFSET" of a file, hexadecimal, where a call returns to (of the innermost, where it is);
 * after those of user space the names of functions of the kernel; or a word in brackets: "[no build id]" for
 * one or more frames in no file that has one (compiled at run time, or not to be read just then), "[more files]"
 * for one or more in files that found no room, "[deeper]" at the outer end of what was cut there: before the
 * frames of user space, and before those of the kernel. Lines "[more stacks] COUNT" and "[lost samples] COUNT" are
 * those that found no room here or on the way.
 */
#ifndef LIMPET_USER_STACKS_H
#define LIMPET_USER_STACKS_H

#include "functions.h"

/* Different stacks a minute: 60 s of 49 Hz give at most 2,940 on a processor, of which most are met again. */
#define USER_STACKS_MOST 2048
/* Files with code that a server has: a daemon of Ceph has some 80. */
#define USER_FILES_MOST 512

struct user_stacks;

/* `walked`: frames of user space, and of the kernel, that the kernel walks at most (kernel.perf_event_max_stack).
 * NULL: no memory. */
struct user_stacks *user_stacks_new(size_t walked);
void user_stacks_free(struct user_stacks *u);

/* Counts one; `size` bytes of it are there. One that makes no sense is passed over. */
void user_stacks_add(struct user_stacks *u, struct functions *f, const struct cpu_sample *s,
		     size_t size);

/* What was counted since the last call, the caller's to free; NULL: nothing, or no memory. `lost` is how many
 * samples did not find their way here since the start. */
char *user_stacks_take(struct user_stacks *u, uint64_t lost);

#endif
