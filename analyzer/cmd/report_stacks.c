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

/* By kind. */
struct stacks {
	struct stack_profile own[FLAMES], peers[FLAMES];
};

/* Another that limps is no peer. A file that cannot be read was said to be when it was judged. */
static int gather(const struct verdict *a, const struct sources *s, const struct incident *in,
		  struct symbols *symbols, struct stacks *st)
{
	const char *server = verdict_node(a, in->node);
	int64_t from_ns = in->onset_ns > MINUTE_NS ? in->onset_ns - MINUTE_NS + 1 : 0;
	int err = 0;

	for (size_t i = 0; err != -ENOMEM && i < s->n; i++) {
		const struct source_file *f = &s->at[i];
		bool is_own = !strcmp(f->host, server), other = false;
		struct stack_profile *to = is_own ? st->own : st->peers;
		struct series_reader *r = NULL;

		for (size_t k = 0; k < a->n_incidents; k++)
			other |= !strcmp(f->host, verdict_node(a, a->incidents[k].node));
		if ((other && !is_own) || f->first_ns > in->last_ns || f->last_ns < from_ns)
			continue;
		err = series_reader_new(&r, f->path);
		if (!err)
			err = show_stacks_read(r, from_ns, in->last_ns, symbols, &to[FLAMES_MET],
					       &to[FLAMES_COMPUTED], false);
		series_reader_free(r);
	}
	for (enum flames k = 0; k < FLAMES; k++) {
		stack_profile_sort(&st->own[k]);
		stack_profile_sort(&st->peers[k]);
	}
	return err == -ENOMEM ? err : 0;
}

/* What threads of one that limps were met in, and what they computed: counts of another kind, by themselves. */
static int add_sections(FILE *to, const struct verdict *a, const struct sources *s,
			const struct incident *in, struct symbols *symbols)
{
	struct stacks st = {0};
	int err = gather(a, s, in, symbols, &st);

	for (enum flames k = 0; k < FLAMES; k++) {
		if (!err && !ftell(to) && st.own[k].n && st.peers[k].n)
			svg_style(to);
		err = err ? err
			  : report_flames(to, k, verdict_node(a, in->node), &st.own[k],
					  &st.peers[k]);
		stack_profile_release(&st.own[k]);
		stack_profile_release(&st.peers[k]);
	}
	return err;
}

int report_stacks(const struct verdict *a, const struct sources *s, struct symbols *symbols,
		  char **sections)
{
	size_t len = 0;
	FILE *to = open_memstream(sections, &len);
	int err = to ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < a->n_incidents && i < REPORT_VERDICTS; i++)
		err = add_sections(to, a, s, &a->incidents[i], symbols);
	if (to && fclose(to))
		err = -ENOMEM;
	if (err || !len) {
		free(*sections);
		*sections = NULL;
	}
	return err;
}
