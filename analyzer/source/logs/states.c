/* SPDX-License-Identifier: BSD-2-Clause */
/* States: their table of kinds, what is done once logs have been read, and what was odd about them. */
#include "states.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "userspace/common/sort.h"

#define STATE_KIND_ROW(NAME, WORD, ROLE, FLOOR, ...) \
	[STATE_##NAME] = {.word = (WORD), .role = STATE_##ROLE, .floor_s = (FLOOR)},
const struct state_row state_rows[STATE_KIND_COUNT] = {STATE_KINDS(STATE_KIND_ROW)};
const char *const outcome_words[OUTCOME_COUNT] = {"ok", "failed", "killed", "open"};

enum state_kind state_by_word(const char *word)
{
	return index_if(k, STATE_KIND_COUNT, !strcmp(state_rows[k].word, word));
}

/* ---- servers that have two names ------------------------------------------------------------------- */

void logs_renumber(struct states *s, const struct log_numbers *now)
{
	for (struct open_log *o = s->reading->logs; o; o = o->next) {
		o->log.node = log_renumbered(now->nodes, o->log.node);
		if (o->opened && o->log.source->renumber)
			o->log.source->renumber(&o->log, now);
	}
}

static void renumber(struct states *s, const uint32_t *now)
{
	for (size_t i = 0; i < s->n; i++) {
		s->at[i].node = log_renumbered(now, s->at[i].node);
		s->at[i].peer = log_renumbered(now, s->at[i].peer);
	}
	for (size_t i = 0; i < s->n_progress; i++)
		s->progress[i].node = log_renumbered(now, s->progress[i].node);
	for (size_t i = 0; i < s->n_error; i++)
		s->error[i].node = log_renumbered(now, s->error[i].node);
	for (size_t i = 0; i < s->reading->n_no_peer; i++)
		s->reading->no_peer[i].node = log_renumbered(now, s->reading->no_peer[i].node);
	for (size_t i = 0; i < s->reading->stems.n; i++)
		s->reading->stem[i].node = log_renumbered(now, s->reading->stem[i].node);
	logs_renumber(s, &(struct log_numbers){.nodes = now});
}

/* What open logs know so far takes the place of what they knew before. */
static void settle(struct states *s)
{
	struct reading *r = s->reading;

	keep_those(x, r->no_peer, &r->n_no_peer, !x->by);
	for (struct open_log *o = r->logs; o; o = o->next)
		if (o->opened && o->log.source->settle)
			o->log.source->settle(&o->log);
}

static int set_no_peer(struct states *s)
{
	const struct reading *r = s->reading;

	free(s->no_peer);
	s->no_peer = r->n_no_peer ? calloc(s->nodes.n, sizeof(*s->no_peer)) : NULL;
	if (r->n_no_peer && !s->no_peer)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_no_peer; i++)
		s->no_peer[r->no_peer[i].node] = true;
	return 0;
}

/* Addresses and short names that turned out to be a host's become that host. */
static int join_names(struct states *s)
{
	uint32_t *now = address_owners(s);
	struct names joined = {0}, had = s->nodes;
	bool any = false;
	int64_t n = now ? 0 : -1;

	for (size_t i = 0; i < had.n && n >= 0; i++) {
		any |= now[i] != i;
		n = names_add(&joined, had.at[now[i]]);
		now[i] = (uint32_t)n;
	}
	if (any && n >= 0) {
		renumber(s, now);
		s->nodes = joined;
		joined = had;
	}
	names_release(&joined);
	free(now);
	return n < 0 ? -ENOMEM : 0;
}

/* Whether a block is read or written from its own server, once it is known which names are one server. */
static int transfers_classes(struct states *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct state *x = &s->at[i];
		bool transfer = x->kind == STATE_READ || x->kind == STATE_WRITE ||
				x->kind == STATE_WRITE_REPLICATED;
		int64_t cls;

		if (!transfer || x->peer == STATE_NONE)
			continue;
		cls = names_add(&s->classes, x->node == x->peer ? "local" : "remote");
		if (cls < 0 && errno == ENOMEM)
			return -ENOMEM;
		x->cls = cls < 0 ? STATE_NONE : (uint32_t)cls;
	}
	return 0;
}

/* ---- order ----------------------------------------------------------------------------------------- */

COMPARISON(by_start, struct state,
	   ORDER(a->start_ns, b->start_ns) ?: ORDER(a->node, b->node) ?: ORDER(a->kind, b->kind)
		   ?: ORDER(a->id, b->id))

COMPARISON(by_time, struct state_progress,
	   ORDER(a->time_ns, b->time_ns) ?: ORDER(a->id, b->id) ?: ORDER(a->node, b->node))

/* Those that were dropped, and what ended well, began a second time and is open: the later one counts.
 * Whether there were any. */
static bool drop_dead(struct states *s)
{
	struct reading *r = s->reading;
	size_t kept = 0, had = s->n;

	for (size_t i = 0; i < s->n; i++)
		if (i < r->n_was && r->was[i] && s->at[i].kind != STATE_DEAD)
			s->at[r->was[i] - 1].kind = STATE_DEAD;
	free(r->was);
	r->was = NULL;
	r->n_was = 0;
	while (kept < s->n && s->at[kept].kind != STATE_DEAD)
		kept++;
	for (size_t i = kept; i < s->n; i++)
		if (s->at[i].kind != STATE_DEAD)
			s->at[kept++] = s->at[i];
	s->n = kept;
	return kept < had;
}

/* One log's states mostly are in order: whether they had to be put there. */
static bool put_in_order(struct states *s)
{
	size_t i = 1;

	while (i < s->n && by_start(&s->at[i - 1], &s->at[i]) <= 0)
		i++;
	if (i >= s->n)
		return false;
	sort(s->at, s->n, by_start);
	return true;
}

/* What is known of a container holds of the attempt in it, where nothing else says so; not of the tasks of a small job,
 * which its master runs by itself. */
static void fill_attempts(struct states *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct state *x = &s->at[i];
		const struct state *run = state_find(s, STATE_RUN, x->container);

		if (!run || run->node != x->node || run->cls != STATE_NONE)
			continue;
		x->pid = run->pid;
		if (isnan(x->cpu_s) || x->outcome == OUTCOME_OPEN)
			x->cpu_s = run->cpu_s;
		if (isnan(x->memory_mib) || x->outcome == OUTCOME_OPEN)
			x->memory_mib = run->memory_mib;
	}
}

int states_finish(struct states *s)
{
	struct reading *r = reading_of(s);
	int err = r ? join_names(s) : -ENOMEM;
	bool moved;

	if (!err)
		settle(s);
	err = err ? err : r->err ? r->err : set_no_peer(s);
	err = err ? err : transfers_classes(s);
	if (err)
		return err;
	err = states_away(s);
	if (err) {
		reading_failed(s);
		return err;
	}
	moved = drop_dead(s);
	err = states_open(s);
	if (!err)
		moved |= put_in_order(s);
	sort(s->progress, s->n_progress, by_time);
	if (!err && moved)
		err = pairs_again(s);
	if (err)
		reading_failed(s);
	else
		fill_attempts(s);
	return err;
}

void states_report(struct text *to, const struct states *s)
{
	const struct state_counts *c = &s->counts;
	const struct {
		uint64_t n;
		const char *what;
	} counts[] = {
		{c->junk, "lines or records are none that limpet knows, or are cut off"},
		{c->overlong, "lines are too long and were passed over"},
		{c->starts_twice, "states begin twice: the later begin counts"},
		{c->ends_alone, "states end without a begin: left out"},
		{c->negative, "states end before they begin: left out"},
		{c->away, STATES_AWAY},
		{c->open, "states have no end: they last at least as long as the logs say"},
		{c->names, "names are no text, too long or too many: their states are left out"},
		{c->notes, "more remarks on single logs are not shown"},
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (counts[i].n)
			text_add(to, "%llu %s\n", (unsigned long long)counts[i].n, counts[i].what);
	text_put(to, text_of(&s->notes));
	text_put(to, text_of(&s->nameless));
}

void states_release(struct states *s)
{
	struct names *const names[] = {&s->nodes, &s->jobs,  &s->ids,	&s->classes,
				       &s->items, &s->files, &s->errors};

	reading_release(s->reading); /* logs that are open say their last */
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		names_release(names[i]);
	free(s->at);
	free(s->job);
	free(s->progress);
	free(s->wait);
	free(s->error);
	free(s->no_peer);
	text_release(&s->notes);
	text_release(&s->nameless);
	*s = (struct states){0};
}
