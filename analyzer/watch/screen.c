// SPDX-License-Identifier: BSD-2-Clause
/* screen.h: text at places, cut at the edges. */
#include "screen.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/colours.h"
#include "userspace/common/text.h"

int screen_init(struct screen *s, size_t rows, size_t cols)
{
	s->rows = !rows ? 1 : rows > SCREEN_MAX ? SCREEN_MAX : rows;
	s->cols = !cols ? 1 : cols > SCREEN_MAX ? SCREEN_MAX : cols;
	s->text = malloc(s->rows * s->cols);
	s->look = calloc(s->rows, s->cols);
	if (!s->text || !s->look) {
		screen_release(s);
		return -ENOMEM;
	}
	memset(s->text, ' ', s->rows * s->cols);
	return 0;
}

void screen_release(struct screen *s)
{
	free(s->text);
	free(s->look);
	*s = (struct screen){0};
}

static void put_chars(struct screen *s, size_t row, size_t col, enum screen_look look,
		      const char *text, size_t len)
{
	if (row >= s->rows)
		return;
	for (size_t i = 0; i < len && col + i < s->cols; i++) {
		s->text[row * s->cols + col + i] = text_is_tie(text[i])		      ? ' '
						   : text[i] >= ' ' && text[i] <= '~' ? text[i]
										      : '?';
		s->look[row * s->cols + col + i] = (unsigned char)look;
	}
}

void screen_put(struct screen *s, size_t row, size_t col, enum screen_look look, const char *format,
		...)
{
	char text[SCREEN_MAX + 1];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put_chars(s, row, col, look, text, strlen(text));
}

void screen_bar(struct screen *s, size_t row, enum screen_look look, const char *text)
{
	if (row >= s->rows)
		return;
	memset(s->look + row * s->cols, (int)look, s->cols);
	put_chars(s, row, 0, look, text, strlen(text));
}

/* The row that shows a line; beyond any screen: none does. */
static size_t row_of_line(const struct screen_roll *r, size_t line)
{
	return line < r->top || line - r->top >= r->rows ? SIZE_MAX : r->row + line - r->top;
}

/* As text_print() has it: no blank before such a mark, and no line ends there. */
static bool is_closing(char c)
{
	return c && strchr(";:,)", c);
}

/* Adds at most `most` lines, and returns how many. */
static size_t roll_words(struct screen_roll *r, size_t most, size_t hang, enum screen_look look,
			 const char *text)
{
	size_t used = 0, col = 0, cols = r->s->cols;

	hang = 2 * hang < cols ? hang : 0;
	while (*(text += strspn(text, " "))) {
		size_t len = strcspn(text, " "), room = cols - hang;
		size_t gap = !is_closing(*text);
		size_t mark = is_closing(text[len + strspn(text + len, " ")]);

		/* A word longer than a line is cut into lines. */
		len = len > room ? room : len;
		if (col > (used ? hang : 0) && col + gap + len + mark > cols) {
			if (used + 1 == most) {
				col = col + 4 > cols ? (cols > 4 ? cols - 4 : 0) : col;
				put_chars(r->s, row_of_line(r, r->n), col, look, " ...", 4);
				break;
			}
			used++;
			r->n++;
			col = hang;
		} else if (col > (used ? hang : 0)) {
			put_chars(r->s, row_of_line(r, r->n), col, look, " ", gap);
			col += gap;
		}
		put_chars(r->s, row_of_line(r, r->n), col, look, text, len);
		col += len;
		text += len;
	}
	r->n++;
	return used + 1;
}

size_t screen_flow(struct screen *s, size_t row, size_t most, size_t hang, enum screen_look look,
		   const char *text)
{
	struct screen_roll r = {.s = s, .row = row};

	r.rows = row >= s->rows ? 0 : most > s->rows - row ? s->rows - row : most;
	return r.rows ? roll_words(&r, r.rows, hang, look, text) : 0;
}

void screen_roll(struct screen_roll *r, size_t hang, enum screen_look look, const char *text)
{
	roll_words(r, SIZE_MAX, hang, look, text);
}

size_t screen_roll_line(struct screen_roll *r)
{
	return row_of_line(r, r->n++);
}

/* ---- writing ----------------------------------------------------------------------------------------*/

static const struct {
	const char *colour, *plain;
	enum colour of; /* COLOUR_NONE: as `colour` says */
} escapes[LOOKS] = {
	[LOOK_PLAIN] = {"", ""},
	[LOOK_BOLD] = {"\033[1m", "\033[1m"},
	[LOOK_DIM] = {"\033[2m", ""},
	[LOOK_GOOD] = {NULL, "", COLOUR_GOOD},
	[LOOK_WARN] = {NULL, "", COLOUR_WARN},
	[LOOK_BAD] = {NULL, "\033[1m", COLOUR_BAD},
	[LOOK_BAR] = {"\033[7m", "\033[7m"},
};

static const char *escape_of(enum screen_look look, bool colour)
{
	return !colour		  ? escapes[look].plain
	       : escapes[look].of ? colour_codes[escapes[look].of]
				  : escapes[look].colour;
}

static void write_row(const struct screen *s, size_t row, bool colour, FILE *to)
{
	const char *text = s->text + row * s->cols;
	const unsigned char *look = s->look + row * s->cols;
	size_t end = s->cols;
	unsigned char now = LOOK_PLAIN;

	while (end && text[end - 1] == ' ' && look[end - 1] != LOOK_BAR)
		end--;
	for (size_t i = 0; i < end; i++) {
		const char *before = escape_of(now, colour), *escape = escape_of(look[i], colour);

		if (look[i] != now && strcmp(before, escape) != 0)
			fprintf(to, "%s%s", *before ? "\033[0m" : "", escape);
		now = look[i];
		putc(text[i], to);
	}
	if (*escape_of(now, colour))
		fputs("\033[0m", to);
	/* a full line has nothing behind it, and erasing there would take its last character */
	if (end < s->cols)
		fputs("\033[K", to);
}

void screen_write(const struct screen *s, bool colour, FILE *to)
{
	fputs("\033[H", to);
	for (size_t row = 0; row < s->rows; row++) {
		write_row(s, row, colour, to);
		if (row + 1 < s->rows)
			fputs("\r\n", to);
	}
}
