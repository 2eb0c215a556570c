// SPDX-License-Identifier: BSD-2-Clause
/* Reads the stacks of an incident's time. */
#include "report_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/draw/svg.h"
#include "analyzer/report/flames.h"
#include "analyzer/report/page.h"
#include "show_stacks.h"

/* Stacks are by the minute: what begins before the onset is read, too. */
#define MINUTE_NS (60 * NS_PER_S)

struct pair {
	struct stack_profile own, peers;
};

static void sort_pair(struct pair *p)
{
	stack_profile_sort(&p->own);
	stack_profile_sort(&p->peers);
}

static void release_pair(struct pair *p)
{
	stack_profile_release(&p->own);
	stack_profile_release(&p->peers);
}

/* Another that limps is no peer. A file that cannot be read was said to be when it was judged. */
static int gather(const struct verdict *a, const struct sources *s, const struct incident *in,
		  struct symbols *symbols, struct pair *met, struct pair *computed)
{
	const char *server = verdict_node(a, in->node);
	int64_t from_ns = in->onset_ns > MINUTE_NS ? in->onset_ns - MINUTE_NS + 1 : 0;
	int err = 0;

	for (size_t i = 0; err != -ENOMEM && i < s->n; i++) {
		const struct source_file *f = &s->at[i];
		bool is_own = !strcmp(f->host, server), other = false;
		struct series_reader *r = NULL;

		for (size_t k = 0; k < a->n_incidents; k++)
			other |= !strcmp(f->host, verdict_node(a, a->incidents[k].node));
		if ((other && !is_own) || f->first_ns > in->last_ns || f->last_ns < from_ns)
			continue;
		err = series_reader_new(&r, f->path);
		if (!err)
			err = show_stacks_read(r, from_ns, in->last_ns, symbols,
					       is_own ? &met->own : &met->peers,
					       is_own ? &computed->own : &computed->peers, false);
		series_reader_free(r);
	}
	sort_pair(met);
	sort_pair(computed);
	return err == -ENOMEM ? err : 0;
}

/* What threads of one that limps were met in, and what they computed: counts of another kind, by themselves. */
static int add_sections(FILE *to, const struct verdict *a, const struct sources *s,
			const struct incident *in, struct symbols *symbols)
{
	struct pair met = {0}, computed = {0};
	const char *server = verdict_node(a, in->node);
	int err = gather(a, s, in, symbols, &met, &computed);

	if (!err && !ftell(to) &&
	    ((met.own.n && met.peers.n) || (computed.own.n && computed.peers.n)))
		svg_style(to);
	err = err ? err : report_flames(to, FLAMES_MET, server, &met.own, &met.peers);
	err = err ? err
		  : report_flames(to, FLAMES_COMPUTED, server, &computed.own, &computed.peers);
	release_pair(&met);
	release_pair(&computed);
	return err;
}

int report_stacks(const struct verdict *a, const struct sources *s, struct symbols *symbols,
		  char **sections)
{
	size_t len = 0,
	       incidents = a->n_incidents < REPORT_VERDICTS ? a->n_incidents : REPORT_VERDICTS;
	FILE *to = open_memstream(sections, &len);
	int err = to ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < incidents; i++)
		err = add_sections(to, a, s, &a->incidents[i], symbols);
	if (to && fclose(to))
		err = -ENOMEM;
	if (err || !len) {
		free(*sections);
		*sections = NULL;
	}
	return err;
}
