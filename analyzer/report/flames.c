// SPDX-License-Identifier: BSD-2-Clause
/* A flame graph of a server minus its peers. */
#include "flames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/draw/html.h"
#include "analyzer/draw/lanes.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

struct flame_lines {
	struct flame_line *at;
	size_t n;
};

static double total(const struct stack_profile *p)
{
	double all = 0;

	for (size_t i = 0; i < p->n; i++)
		all += (double)p->at[i].count;
	return all;
}

/* Shares of what one or several servers have, without their names. */
static int add_profile(struct flame_lines *l, const struct stack_profile *p, bool own)
{
	double all = total(p);

	for (size_t i = 0; i < p->n; i++) {
		const char *frames = strchr(p->at[i].text, ';');
		struct flame_line *line = array_add(&l->at, &l->n);

		if (!line)
			return -ENOMEM;
		line->text = frames ? frames + 1 : p->at[i].text;
		*(own ? &line->own : &line->peers) = (double)p->at[i].count / all;
	}
	return 0;
}

/* By frames: what ends one comes before all that may stand in one. */
static int by_text(const void *a, const void *b)
{
	const char *x = ((const struct flame_line *)a)->text;
	const char *y = ((const struct flame_line *)b)->text;

	while (*x && *x == *y) {
		x++;
		y++;
	}
	return ORDER(*x == ';' ? 1 : *x, *y == ';' ? 1 : *y);
}

static void join_lines(struct flame_lines *l)
{
	size_t n = 0;

	sort(l->at, l->n, by_text);
	for (size_t i = 0; i < l->n; i++) {
		if (n && !strcmp(l->at[n - 1].text, l->at[i].text)) {
			l->at[n - 1].own += l->at[i].own;
			l->at[n - 1].peers += l->at[i].peers;
		} else {
			l->at[n++] = l->at[i];
		}
	}
	l->n = n;
}

static const struct {
	const char *before, *after, *note, *label;
} texts[] = {
	[FLAMES_MET] = {"What threads of ", " were met in more often than its peers'",
			"As wide as the share of looks beyond the peers'",
			"stacks of threads, beyond the peers'"},
	[FLAMES_COMPUTED] = {"What threads of ", " computed more than its peers'",
			     "As wide as the share of processor time beyond the peers'",
			     "stacks of processor time, beyond the peers'"},
};

int report_flames(FILE *to, enum flames kind, const char *server, const struct stack_profile *own,
		  const struct stack_profile *peers)
{
	struct flame_lines l = {0};
	struct svg d;
	int err;

	if (!own->n || !peers->n)
		return 0;
	err = add_profile(&l, own, true);
	err = err ? err : add_profile(&l, peers, false);
	if (!err) {
		join_lines(&l);
		fprintf(to, "<section>\n<h2>%s", texts[kind].before);
		html_text(to, server);
		fprintf(to,
			"%s</h2>\n<p class=\"note\">%s; the stronger the colour, the less of it "
			"have they.</p>\n",
			texts[kind].after, texts[kind].note);
		err = svg_begin(&d);
		flame(&d, l.at, l.n);
		err = svg_end(&d, to, texts[kind].label, false) ? -ENOMEM : err;
		fputs("</section>\n", to);
	}
	free(l.at);
	return err;
}
