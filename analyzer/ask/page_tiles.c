// SPDX-License-Identifier: BSD-2-Clause
/* pages.h: every server as a tile, the worst first; what is well is a name alone, so that of 500 servers the others are seen. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"
#include "analyzer/draw/html.h"
#include "analyzer/verdict/status.h"
#include "userspace/common/output.h"
#include "userspace/common/sort.h"

struct tile {
	size_t node;
	const char *name;
	int32_t group;		   /* -1: of none */
	enum status status, worst; /* its own; the worst of its group */
};

/* Groups by the worst of their servers, then by number; what is in none is last. */
COMPARISON(by_tile, struct tile,
	   ORDER(b->worst, a->worst) ?: ORDER((uint32_t)a->group, (uint32_t)b->group)
		   ?: ORDER(b->status, a->status) ?: strverscmp(a->name, b->name))

/* NULL: no memory. */
static struct tile *tiles_of(const struct verdict *a)
{
	enum status *worst = calloc(a->n_groups + 2, sizeof(*worst));
	struct tile *tiles = calloc(a->n_nodes + 1, sizeof(*tiles));

	for (size_t i = 0; worst && tiles && i < a->n_nodes; i++) {
		struct tile *t = &tiles[i];

		*t = (struct tile){.node = i,
				   .name = a->nodes[i],
				   .group = a->n_groups ? a->group[i] : 0,
				   .status = verdict_status(a, i, true)};
		if (t->status > worst[t->group + 1])
			worst[t->group + 1] = t->status;
	}
	for (size_t i = 0; worst && tiles && i < a->n_nodes; i++)
		tiles[i].worst = worst[tiles[i].group + 1];
	if (worst && tiles)
		sort(tiles, a->n_nodes, by_tile);
	else
		free(tiles), tiles = NULL;
	free(worst);
	return tiles;
}

/* The domain that all names end with, which tells none from another; "": there is none. */
static const char *common_domain(const struct verdict *a)
{
	const char *domain = a->n_nodes > 1 ? strchr(a->nodes[0], '.') : NULL;

	for (size_t i = 0; domain && i < a->n_nodes; i++) {
		const char *own = strchr(a->nodes[i], '.');

		if (!own || own == a->nodes[i] || strcmp(own, domain) != 0)
			domain = NULL;
	}
	return domain ?: "";
}

/* The API's word, unless it is none that people read. */
static const char *tile_reason(const struct verdict *a, const struct tile *t)
{
	const char *word = verdict_reason(a, t->node, true);

	return !strcmp(word, unjudged_table[UNJUDGED_UNHEARD].word)  ? "nothing heard"
	       : !strcmp(word, unjudged_table[UNJUDGED_NOBODY].word) ? "no server could be judged"
								     : word;
}

static void put_tile(FILE *to, const struct verdict *a, const struct tile *t, size_t cut)
{
	struct text before TEXT_SCOPED = {0};
	char name[HOST_LEN], clean[HOST_LEN];

	snprintf(name, sizeof(name), "%.*s", (int)(strlen(t->name) - cut), t->name);
	output_clean(name, clean, sizeof(clean));
	if (t->status != STATUS_WELL)
		text_add(&before, " class=\"%s\"", status_table[t->status].word);
	fputs("<li>", to);
	put_link(to, text_of(&before), "/servers/", t->name);
	if (t->status == STATUS_WELL) {
		html_text(to, clean);
	} else {
		html_enclose(to, "<b>", clean, "</b> ");
		html_text(to, t->status == STATUS_UNJUDGED ? "not judged"
							   : status_table[t->status].word);
		if (*tile_reason(a, t))
			html_enclose(to, ": ", tile_reason(a, t), "");
	}
	fputs("</a></li>\n", to);
}

/* Of one group: n tiles, what is well at their end. */
static void put_tiles_of(FILE *to, const struct verdict *a, const struct tile *tiles, size_t n,
			 size_t cut)
{
	size_t odd = index_if(i, n, tiles[i].status == STATUS_WELL);

	for (size_t i = 0; i < n; i++) {
		if (i == odd)
			fprintf(to, "<p class=\"note\">%zu well</p>\n<ul class=\"tiles plain\">\n",
				n - odd);
		else if (!i)
			fputs("<ul class=\"tiles\">\n", to);
		put_tile(to, a, &tiles[i], cut);
		if (i + 1 == odd || i + 1 == n)
			fputs("</ul>\n", to);
	}
}

static void put_group(FILE *to, const struct verdict *a, int32_t group, size_t n)
{
	fputs("<h3>", to);
	if (group < 0)
		fputs("In no group", to);
	else
		html_enclose(to, isdigit((unsigned char)*a->groups[group]) ? "Group " : "",
			     a->groups[group], "");
	fprintf(to, " <small>%zu server%s</small></h3>\n", n, text_plural(n));
}

void put_tiles(FILE *to, const struct verdict *a)
{
	struct tile *tiles = tiles_of(a);
	const char *domain = common_domain(a);

	fputs("<section id=\"servers\">\n<h2>Servers</h2>\n", to);
	if (*domain)
		html_enclose(to, "<p class=\"note\">Names without ", domain, "</p>\n");
	for (size_t i = 0, next; tiles && i < a->n_nodes; i = next) {
		next = run_end(m, i, a->n_nodes, tiles[m].group == tiles[i].group);
		if (a->n_groups)
			put_group(to, a, tiles[i].group, next - i);
		put_tiles_of(to, a, tiles + i, next - i, strlen(domain));
	}
	fputs("</section>\n", to);
	free(tiles);
}
