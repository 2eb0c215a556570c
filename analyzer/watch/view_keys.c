// SPDX-License-Identifier: BSD-2-Clause
/* view.h: what each key does, and the lines that tell it. */
#include "view.h"

#include <stdio.h>
#include <string.h>

#include "keys.h"
#include "userspace/common/output.h"

/* Further than any list, and no overflow with pages on top. */
#define MOVE_ALL 1000000000L

enum { BACKSPACE = 8, CLEAR_LINE = 'U' - '@', DELETE = 127 };

static const char *const marks[] = {
	"* worse than its peers  + more demand than its peers  - not judged",
	"* worse  + more demand  - not judged",
};
static const char *const table_keys[] = {
	"arrows PgUp PgDn move  Enter opens  / finds  s sorts  ? keys  q quits",
	"Enter opens  / finds  s sorts  ? q quits",
	"Enter / s ? q",
};
static const char *const page_keys[] = {
	"arrows PgUp PgDn move  Esc Enter q go back  ? keys",
	"arrows move  q goes back  ? keys",
	"q goes back",
};
static const char *const typing_keys[] = {
	"  Enter keeps them  Esc lists all",
	"  Enter  Esc",
	"",
};
static const char *const part_keys[] = {
	"  Esc lists all  / finds others  ? keys  q quits",
	"  Esc lists all  ? q",
	"",
};
enum { LENGTHS = sizeof(table_keys) / sizeof(*table_keys) };

static const struct {
	const char *key, *does;
} help[] = {
	{"Up Down  k j", "the server before, the next one"},
	{"PgUp PgDn  b Space", "a page of servers"},
	{"Home End  g G", "the first server, the last one"},
	{"Enter", "the chosen server alone: why it limps, its signals, notices"},
	{"/", "list the servers with a part of a name, in capitals or not"},
	{"Esc", "list all servers again"},
	{"s", "order: odd first, by name, oldest trouble, oldest data"},
	{"?", "these keys"},
	{"q", "quit"},
	{"", ""},
	{"On a page:", ""},
	{"the same keys", "move through its lines"},
	{"Esc  Enter  q", "go back"},
	{"", ""},
	{"Marks of values:", ""},
	{"*", "worse than its peers"},
	{"+", "more demand than its peers, no fault"},
	{"-", "not judged"},
};

/* ---- keys -------------------------------------------------------------------------------------------*/

/* How many lines a key moves; 0: it does not. */
static long lines_of_key(int key, size_t page)
{
	switch (key) {
	case KEY_UP:
	case 'k': return -1;
	case KEY_DOWN:
	case 'j': return 1;
	case KEY_PAGE_UP:
	case 'b': return page ? -(long)page : -1;
	case KEY_PAGE_DOWN:
	case ' ': return page ? (long)page : 1;
	case KEY_HOME:
	case 'g': return -MOVE_ALL;
	case KEY_END:
	case 'G': return MOVE_ALL;
	}
	return 0;
}

static bool is_enter(int key)
{
	return key == '\n' || key == '\r';
}

static enum view_meant key_on_page(struct view_page *p, int key)
{
	long last = p->lines > p->fit ? (long)(p->lines - p->fit) : 0;
	long lines = lines_of_key(key, p->fit), top = (long)p->top + lines;

	if (is_enter(key) || key == KEY_ESCAPE || key == 'q' || key == 'Q')
		*p = (struct view_page){0};
	else if (lines)
		p->top = (size_t)(top < 0 ? 0 : top > last ? last : top);
	else
		return VIEW_NOTHING;
	return VIEW_CHANGED;
}

/* What is typed are bytes: a name may be in any encoding. */
static enum view_meant key_typed(struct view_choice *c, int key)
{
	size_t len = strlen(c->part);
	bool back = key == BACKSPACE || key == DELETE;

	if (is_enter(key) || key == KEY_ESCAPE || (back && !len)) {
		c->typing = false;
		if (!is_enter(key))
			*c->part = '\0';
	} else if (back) {
		c->part[len - 1] = '\0';
	} else if (key == CLEAR_LINE) {
		*c->part = '\0';
	} else if (key >= ' ' && key <= 255 && len + 1 < sizeof(c->part)) {
		c->part[len] = (char)key;
		c->part[len + 1] = '\0';
	} else {
		return VIEW_NOTHING;
	}
	return VIEW_CHANGED;
}

enum view_meant view_key(struct view_choice *c, const struct watch *w, int key)
{
	long lines = lines_of_key(key, c->fit);

	if (c->keys.open)
		return key_on_page(&c->keys, key == '?' ? 'q' : key);
	if (key == '?' && !c->typing) {
		c->keys.open = true;
		return VIEW_CHANGED;
	}
	if (c->server.open)
		return key_on_page(&c->server, key);
	if (lines && (!c->typing || key > 255)) {
		c->move += lines;
		return VIEW_CHANGED;
	}
	if (c->move)
		view_choose(c, w, false);
	if (c->typing)
		return key_typed(c, key);
	switch (key) {
	case 'q':
	case 'Q': return VIEW_QUIT;
	case 's':
		c->order = (c->order + 1) % view_n_orders;
		c->top = 0;
		return VIEW_CHANGED;
	case '/': c->typing = true; /* fallthrough */
	case KEY_ESCAPE: *c->part = '\0'; return VIEW_CHANGED;
	case '\n':
	case '\r': c->server.open = view_choose(c, w, true); return VIEW_CHANGED;
	}
	return VIEW_NOTHING;
}

/* ---- lines ------------------------------------------------------------------------------------------*/

/* The longest that fits. */
static const char *longest(const char *const *lines, size_t n, size_t cols)
{
	while (n > 1 && strlen(*lines) > cols) {
		lines++;
		n--;
	}
	return *lines;
}

static void draw_part(struct screen *s, size_t row, const struct watch *w,
		      const struct view_choice *c)
{
	char part[VIEW_NAME_LEN], count[64];
	size_t len, room;

	output_plain(c->part, part, sizeof(part));
	snprintf(count, sizeof(count), "%s  %zu of %zu servers", c->typing ? "_" : "", c->listed,
		 w->n_heard);
	len = strlen(part);
	/* of a long one its end, where it is typed */
	room = s->cols > strlen(count) + 1 ? s->cols - strlen(count) - 1 : 1;
	screen_put(s, row, 0, LOOK_BOLD, "/%s%s", part + (len > room ? len - room : 0), count);
	len = (len > room ? room : len) + 1 + strlen(count);
	screen_put(s, row, len, LOOK_DIM, "%s",
		   longest(c->typing ? typing_keys : part_keys, LENGTHS,
			   s->cols > len ? s->cols - len : 0));
}

static void draw_page_keys(struct screen *s, size_t row, const struct view_page *p)
{
	char at[96] = "";

	if (p->lines > p->fit)
		snprintf(at, sizeof(at), "%zu-%zu of %zu  ", p->top + 1, p->top + p->fit, p->lines);
	screen_put(s, row, 0, LOOK_DIM, "%s%s", at,
		   longest(page_keys, LENGTHS, s->cols > strlen(at) ? s->cols - strlen(at) : 0));
}

void view_last_line(struct screen *s, size_t row, const struct watch *w,
		    const struct view_choice *c)
{
	const char *keys = longest(table_keys, LENGTHS, s->cols);
	size_t room = s->cols > strlen(keys) + 2 ? s->cols - strlen(keys) - 2 : 0;

	if (w->stream)
		/* frames come where keys would */
		screen_put(s, row, 0, LOOK_DIM, "%s", longest(marks, 2, s->cols));
	else if (c->keys.open || c->server.open)
		draw_page_keys(s, row, c->keys.open ? &c->keys : &c->server);
	else if (c->typing || *c->part)
		draw_part(s, row, w, c);
	else if (strlen(longest(marks, 2, room)) <= room)
		screen_put(s, row, 0, LOOK_DIM, "%s  %s", longest(marks, 2, room), keys);
	else
		screen_put(s, row, 0, LOOK_DIM, "%s", keys);
}

void view_help(struct screen_roll *r)
{
	for (size_t i = 0; i < sizeof(help) / sizeof(*help); i++) {
		bool wide = !*help[i].does || r->s->cols >= 80;
		struct text t TEXT_SCOPED = {0};
		size_t line;

		if (!wide) {
			text_add(&t, "%s: %s", help[i].key, help[i].does);
			screen_roll(r, 4, LOOK_PLAIN, text_of(&t));
			continue;
		}
		line = screen_roll_line(r);
		screen_put(r->s, line, 0, LOOK_BOLD, "%s", help[i].key);
		screen_put(r->s, line, 20, LOOK_PLAIN, "%s", help[i].does);
	}
}
