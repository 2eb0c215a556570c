// SPDX-License-Identifier: BSD-2-Clause
/* Lines of recorded stacks into folded ones. */
#include "user_frames.h"

#include "userspace/common/sort.h"
#include "userspace/common/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Files that a text may number: twice what a probe does. */
#define FILES_MOST 1024

struct binary {
	bool known;
	uint8_t build_id[BUILD_ID_LEN];
};

struct folding {
	struct binary *file; /* FILES_MOST */
	const struct user_names *names;
	struct text to;
};

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A number in [at, end): where it ends; NULL: there is none, or it is too long. */
static const char *read_number(const char *at, const char *end, unsigned int base, uint64_t *n)
{
	const char *from = at;

	for (*n = 0; at < end && digit(*at) >= 0 && digit(*at) < (int)base; at++)
		*n = *n * base + (uint64_t)digit(*at);
	return at == from || at - from > 16 ? NULL : at;
}

/* " NUMBER BUILD-ID" and, it may be, more behind a blank. */
static void read_binary(struct folding *g, const char *at, const char *end)
{
	struct binary f = {.known = true};
	uint64_t n;

	at = read_number(at + 1, end, 10, &n);
	if (!at || n >= FILES_MOST || end - at < 1 + 2 * BUILD_ID_LEN || *at++ != ' ')
		return;
	for (int i = 0; i < BUILD_ID_LEN; i++, at += 2) {
		int high = digit(at[0]), low = digit(at[1]);

		if (high < 0 || low < 0)
			return;
		f.build_id[i] = (uint8_t)(high << 4 | low);
	}
	if (at == end || *at == ' ')
		g->file[n] = f;
}

/* "@NUMBER+OFFSET"; false: it is no place in a file that is known. */
static bool read_place(struct folding *g, const char *at, const char *end, struct user_place *p)
{
	uint64_t n;

	if (at == end || *at != '@')
		return false;
	at = read_number(at + 1, end, 10, &n);
	if (!at || n >= FILES_MOST || !g->file[n].known || at == end || *at != '+')
		return false;
	at = read_number(at + 1, end, 16, &p->offset);
	memcpy(p->build_id, g->file[n].build_id, BUILD_ID_LEN);
	return at == end;
}

const char *user_place_text(const struct user_place *p, const char *file,
			    char text[USER_UNNAMED_LEN])
{
	if (file)
		snprintf(text, USER_UNNAMED_LEN, "%.100s+0x%llx", file,
			 (unsigned long long)p->offset);
	else
		snprintf(text, USER_UNNAMED_LEN, "%02x%02x%02x%02x+0x%llx", p->build_id[0],
			 p->build_id[1], p->build_id[2], p->build_id[3],
			 (unsigned long long)p->offset);
	return text;
}

/* Where programs and threads start: of glibc, musl, the dynamic linker, Go. */
static bool starts(const char *name)
{
	static const char *const words[] = {
		"_start",
		"__libc_start_main",
		"__libc_start_main_impl",
		"_start_c",
		"__libc_start_call_main",
		"libc_start_main_stage2",
		"clone",
		"clone3",
		"__clone",
		"__clone3",
		"start_thread",
		"start",
		"_dl_start",
		"_dl_start_user",
		"runtime.goexit",
		"runtime.mstart",
		"runtime.rt0_go",
		"runtime.goexit.abi0",
		"runtime.mstart.abi0",
		"runtime.rt0_go.abi0",
	};
	size_t len = strcspn(name, "@"); /* a version follows */

	return any_of(i, sizeof(words) / sizeof(*words),
		      strlen(words[i]) == len && !memcmp(words[i], name, len));
}

static void write_place(struct folding *g, const struct user_place *p, bool outermost)
{
	const char *name = g->names->function(g->names->arg, p);
	char text[USER_UNNAMED_LEN];

	if (name && outermost && !starts(name))
		text_put(&g->to, ";[starts nowhere]");
	if (!name)
		name = user_place_text(p, g->names->file(g->names->arg, p), text);
	text_add(&g->to, ";%s", name);
}

/* Whether frames of user space follow, which are those before the kernel's. */
static bool user_follows(const char *rest, const char *end)
{
	static const char *const others[] = {"@", "[no build id]", "[more files]"};

	return rest < end && any_of(i, sizeof(others) / sizeof(*others),
				    (size_t)(end - rest) > strlen(others[i]) &&
					    !memcmp(rest + 1, others[i], strlen(others[i])));
}

/* "program;FRAME;…;FRAME COUNT"; one without a frame is a word with its count. */
static void write_stack(struct folding *g, const char *at, const char *end)
{
	const char *count = memrchr(at, ' ', (size_t)(end - at)), *stop;
	bool outermost = true;
	struct user_place p;

	if (!count || count == at)
		return;
	stop = memchr(at, ';', (size_t)(count - at));
	stop = stop ? stop : count;
	if (*at != '[')
		text_add(&g->to, "%.*s;" USER_FRAMES_WORD, (int)(stop - at), at);
	else
		text_add(&g->to, USER_FRAMES_WORD ";%.*s", (int)(stop - at), at);
	while (stop < count) {
		at = stop + 1;
		stop = memchr(at, ';', (size_t)(count - at));
		stop = stop ? stop : count;
		if (!read_place(g, at, stop, &p)) {
			text_add(&g->to, ";%.*s", (int)(stop - at), at);
			outermost = false;
			continue;
		}
		p.inner = !user_follows(stop, count);
		write_place(g, &p, outermost);
		outermost = false;
	}
	text_add(&g->to, "%.*s\n", (int)(end - count), count);
}

char *user_frames_fold(const char *text, size_t len, const struct user_names *names)
{
	struct folding g = {.file = calloc(FILES_MOST, sizeof(*g.file)), .names = names};
	const char *end = text + len;

	while (g.file && text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		stop = stop ? stop : end;
		if (*text == ' ')
			read_binary(&g, text, stop);
		else if (stop > text)
			write_stack(&g, text, stop);
		text = stop + 1;
	}
	if (!g.file)
		text_fail(&g.to);
	free(g.file);
	return text_take(&g.to, NULL);
}
