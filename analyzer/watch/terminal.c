// SPDX-License-Identifier: BSD-2-Clause
/* terminal.h: termios and a few ANSI escapes that every terminal of the last decades knows. */
#include "terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;
static bool inside, has_keys;

bool terminal_fits(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

void terminal_leave(void)
{
	if (!inside)
		return;
	inside = false;
	fputs("\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	if (has_keys)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

void terminal_enter(void)
{
	static bool registered;
	struct termios raw;

	if (inside)
		return;
	if (!registered)
		registered = !atexit(terminal_leave);
	inside = true;
	has_keys = isatty(STDIN_FILENO) && !tcgetattr(STDIN_FILENO, &before);
	if (has_keys) {
		raw = before;
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		raw.c_cc[VMIN] = 0;
		raw.c_cc[VTIME] = 0;
		tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	}
	fputs("\033[?1049h\033[?25l\033[2J", stdout);
	fflush(stdout);
}

void terminal_size(size_t *rows, size_t *cols)
{
	struct winsize w = {0};

	*rows = 24;
	*cols = 80;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || !w.ws_row || !w.ws_col)
		return;
	*rows = w.ws_row;
	*cols = w.ws_col;
}

int terminal_key(void)
{
	unsigned char key;
	ssize_t n;

	if (!has_keys)
		return -1;
	n = read(STDIN_FILENO, &key, 1);
	if (n == 1)
		return key;
	return n < 0 && errno != EINTR && errno != EAGAIN ? -2 : -1;
}
