// SPDX-License-Identifier: BSD-2-Clause
/* Stacks of user space: build ids and offsets into texts that are counted. */
#include "user_stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "members.h"
#include "stacks.h"
#include "userspace/common/text.h"

/* Of a text: "@511+", 16 digits and ';' of each frame of user space; names of the kernel's. */
#define TEXT_LEN (64 + USER_FRAMES * 24 + THREAD_FRAMES * (FUNCTION_LEN + 1))

struct user_stacks {
	struct stacks stacks;
	uint8_t file[USER_FILES_MOST][BUILD_ID_LEN];
	size_t n_files;
	size_t walked_user, walked_kernel; /* a stack of so many frames was cut */
	uint64_t lost;			   /* said so far */
	char text[TEXT_LEN];
};

struct user_stacks *user_stacks_new(size_t walked)
{
	struct user_stacks *u = calloc(1, sizeof(*u));

	if (!u || stacks_init(&u->stacks, USER_STACKS_MOST)) {
		free(u);
		return NULL;
	}
	u->walked_user = walked < USER_FRAMES ? walked : USER_FRAMES;
	u->walked_kernel = walked < THREAD_FRAMES ? walked : THREAD_FRAMES;
	return u;
}

void user_stacks_free(struct user_stacks *u)
{
	if (!u)
		return;
	stacks_release(&u->stacks);
	free(u);
}

/* -1: there is no room for it. */
static int number_of(struct user_stacks *u, const uint8_t id[BUILD_ID_LEN])
{
	size_t i = 0;

	while (i < u->n_files && memcmp(u->file[i], id, BUILD_ID_LEN) != 0)
		i++;
	if (i == USER_FILES_MOST)
		return -1;
	if (i == u->n_files)
		memcpy(u->file[u->n_files++], id, BUILD_ID_LEN);
	return (int)i;
}

/* The addresses of frames without a build id differ from process to process, and tell nothing; nor does how many
 * there are in a row, of which the text has one. */
static uint64_t hash_user(uint64_t h, const struct user_frame *at, size_t n)
{
	bool known = true;

	for (size_t i = 0; i < n; i++) {
		bool before = known;

		known = at[i].kind == USER_FRAME_IN_FILE;
		if (known) {
			h = map_hash_after(h, at[i].build_id, sizeof(at[i].build_id));
			h = map_hash_after(h, &at[i].offset, sizeof(at[i].offset));
		} else if (before) {
			h = map_hash_after(h, "?", 1);
		}
	}
	return h;
}

/* The outermost first; behind `end`, which is returned. */
static char *write_user(struct user_stacks *u, char *end, const struct user_frame *at, size_t n)
{
	const char *word = "", *before;

	for (size_t i = n; i-- > 0;) {
		bool in_file = at[i].kind == USER_FRAME_IN_FILE;
		int file = in_file ? number_of(u, at[i].build_id) : -1;

		before = word;
		word = file >= 0 ? "" : in_file ? ";[more files]" : ";[no build id]";
		if (file >= 0)
			end += sprintf(end, ";@%d+%llx", file, (unsigned long long)at[i].offset);
		else if (strcmp(word, before) != 0)
			end = stpcpy(end, word);
	}
	return end;
}

void user_stacks_add(struct user_stacks *u, struct functions *f, const struct cpu_sample *s,
		     size_t size)
{
	struct user_frame user[USER_FRAMES];
	uint64_t kernel[THREAD_FRAMES], hash;
	size_t user_bytes = s->n_user * sizeof(*user), kernel_bytes = s->n_kernel * sizeof(*kernel);
	const char *name[THREAD_FRAMES];
	bool cut = s->n_user >= u->walked_user;
	char comm[sizeof(s->comm)], *end = u->text;

	if (size < offsetof(struct cpu_sample, frames) || s->n_user > USER_FRAMES ||
	    s->n_kernel > THREAD_FRAMES ||
	    size - offsetof(struct cpu_sample, frames) < user_bytes + kernel_bytes)
		return;
	memcpy(comm, s->comm, sizeof(comm));
	clean_comm(comm);
	memcpy(user, s->frames, user_bytes);
	memcpy(kernel, s->frames + user_bytes, kernel_bytes);
	hash = map_hash(comm, strlen(comm));
	hash = map_hash_after(hash, cut ? "!" : ".", 1);
	hash = hash_user(hash, user, s->n_user);
	for (size_t i = 0; i < s->n_kernel; i++) {
		/* The innermost is where the thread is, the others where a call returns to. */
		const struct function *fn = function_at(f, kernel[i] + !i);

		name[i] = fn ? fn->name : "[unknown]";
		hash = map_hash_after(hash, name[i], strlen(name[i]));
	}
	/* One without room takes none of that of files. */
	if (stacks_count(&u->stacks, hash) || !stacks_room(&u->stacks))
		return;
	end = stpcpy(end, comm);
	if (cut)
		end = stpcpy(end, ";[deeper]");
	end = write_user(u, end, user, s->n_user);
	if (s->n_kernel >= u->walked_kernel)
		end = stpcpy(end, ";[deeper]");
	for (size_t i = s->n_kernel; i-- > 0;)
		end = stpcpy(stpcpy(end, ";"), name[i]);
	stacks_add(&u->stacks, hash, u->text);
}

char *user_stacks_take(struct user_stacks *u, uint64_t lost)
{
	char *folded = stacks_take(&u->stacks);
	struct text t = {0};

	for (size_t i = 0; folded && i < u->n_files; i++) {
		text_add(&t, " %zu ", i);
		for (size_t k = 0; k < BUILD_ID_LEN; k++)
			text_add(&t, "%02x", u->file[i][k]);
		text_put(&t, "\n");
	}
	if (folded)
		text_put(&t, folded);
	if (lost > u->lost)
		text_add(&t, "[lost samples] %llu\n", (unsigned long long)(lost - u->lost));
	u->lost = lost;
	free(folded);
	/* Numbers stand in texts: both are begun anew. */
	if (u->n_files > USER_FILES_MOST / 2) {
		stacks_forget(&u->stacks);
		u->n_files = 0;
	}
	return t.len || t.failed ? text_take(&t, NULL) : NULL;
}
