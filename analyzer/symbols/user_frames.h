/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a recording has of stacks of user space (userspace/probe/profile/user_stacks.h says how), made into folded
 * stacks with names: "program;[processor time];outermost;…;innermost COUNT". Frames that nothing has a name for
 * stand as "FILE+0xOFFSET", where FILE is its name or the first digits of the build id. Where the outermost is a function that
 * no thread starts in, "[starts nowhere]" stands before it: what called it had no frame pointer, and is not known.
 */
#ifndef LIMPET_USER_FRAMES_H
#define LIMPET_USER_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/record.h"

/* Of the samples of the processors' clock, among looks at all threads, which are another kind of count. */
#define USER_FRAMES_WORD "[processor time]"

/* A place in a file. `inner`: the thread was there; else a call returns there. */
struct user_place {
	uint8_t build_id[BUILD_ID_LEN];
	uint64_t offset;
	int inner;
};

/* Where names are from, each valid until the next call; NULL: there is none. */
struct user_names {
	const char *(*function)(void *arg, const struct user_place *at);
	const char *(*file)(void *arg, const struct user_place *at);
	void *arg;
};

/* What stands for one without a function: the file, or digits of the build id, and the offset. */
#define USER_UNNAMED_LEN 128
const char *user_place_text(const struct user_place *at, const char *file,
			    char text[USER_UNNAMED_LEN]);

/* Lines, the caller's to free, of the text of a minute; what makes no sense in it is passed over. NULL: no
 * memory. */
char *user_frames_fold(const char *text, size_t len, const struct user_names *names);

#endif
