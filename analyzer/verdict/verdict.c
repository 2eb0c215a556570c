// SPDX-License-Identifier: BSD-2-Clause
/* What all outputs of a verdict need: its end, its words, its first line. */
#include "verdict.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "sentences.h"
#include "status.h"
#include "userspace/common/output.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

#define NOTICE_WORD(NAME, WORD) WORD,
const char *const notice_words[NOTICE_KINDS] = {NOTICES(NOTICE_WORD)};

const char *const resource_words[RESOURCES] = {
	[RESOURCE_NONE] = "",		[RESOURCE_DISK] = "disk",
	[RESOURCE_NETWORK] = "network", [RESOURCE_PROCESSORS] = "processors",
	[RESOURCE_TASKS] = "tasks",	[RESOURCE_COLUMN] = "column",
};

#define FREE_LIST(list) free(a->list);

void verdict_release(struct verdict *a)
{
	for (size_t i = 0; i < a->n_incidents; i++)
		free(a->incidents[i].findings);
	for (size_t i = 0; i < a->n_notes; i++)
		free((char *)a->notes[i].text);
	free(a->nodes);
	free(a->judged);
	free(a->groups);
	free(a->group);
	VERDICT_LISTS(FREE_LIST)
	*a = (struct verdict){0};
}

/*
 * The shares that are right. Bounds were chosen on simulated runs of seeds of their own; what came of them on others is in
 * tools/evaluation/RESULTS.md, "How sure, and how often right". Of suspicions there were too few to know.
 */
double incident_confidence(const struct incident *x)
{
	const struct finding *e = x->n_findings ? x->findings : NULL;
	bool narrow = e && e->needs > 0 && e->score / e->needs < 1.5;

	return x->suspicion ? 0.8 : narrow || x->n_doubts ? 0.93 : 0.98;
}

int verdict_note(struct verdict *a, const struct note *note)
{
	char *text = note->text ? strdup(note->text) : NULL;
	struct note n = *note;

	n.text = text;
	if ((note->text && !text) || array_put(&a->notes, &a->n_notes, n)) {
		free(text);
		return -ENOMEM;
	}
	return 0;
}

int verdict_note_lines(struct verdict *a, const char *lines)
{
	int err = 0;

	for (const char *at = lines; at && *at && !err; at += *at == '\n') {
		size_t len = strcspn(at, "\n");
		char *line = strndup(at, len);

		err = line ? verdict_note(a, &(struct note){.kind = NOTE_READER, .text = line})
			   : -ENOMEM;
		free(line);
		at += len;
	}
	return err;
}

/* The finding of an incident's signal on one part; NULL: none. */
static const struct finding *part_finding(const struct incident *in, const char *disk)
{
	return find_if(k, in->findings, in->n_findings,
		       in->findings[k].signal == in->detail.signal && !in->findings[k].symptom &&
			       !strcmp(in->findings[k].disk, disk));
}

size_t verdict_all_parts(const struct verdict *a, const struct incident *in)
{
	enum { LEAST = 3, APART = 4 }; /* one after the other is each by itself */
	int64_t first = INT64_MAX, latest = INT64_MIN;
	size_t n = 0;

	for (size_t i = 0; i < a->n_parts && in->detail.kind == DETAIL_SIGNAL; i++) {
		const struct finding *e;

		if (a->parts[i].node != in->node)
			continue;
		e = part_finding(in, a->parts[i].disk);
		if (!e)
			return 0;
		first = e->onset_ns < first ? e->onset_ns : first;
		latest = e->onset_ns > latest ? e->onset_ns : latest;
		n++;
	}
	return n >= LEAST && latest - first <= (in->last_ns - first) / APART ? n : 0;
}

void verdict_put_side(struct text *t, const struct verdict *a, const signed char *side,
		      signed char which)
{
	enum { NAMED = 8 };
	char name[HOST_LEN];
	size_t n = 0;

	for (size_t i = 0; i < a->n_nodes; i++) {
		if (side[i] != which || n++ >= NAMED)
			continue;
		text_add(t, "%s%s", n > 1 ? ", " : "",
			 output_clean(a->nodes[i], name, sizeof(name)));
	}
	text_put_more(t, n, NAMED);
}

int verdict_note_groups(struct verdict *a, const char *signal, double ratio,
			const signed char *side, bool lasting)
{
	enum { LEAST = 3 }; /* two that are slow are no group */
	struct text t TEXT_SCOPED = {0};
	size_t n[2] = {0};

	for (size_t i = 0; i < a->n_nodes; i++)
		if (side[i])
			n[side[i] > 0]++;
	if (n[0] < LEAST || n[1] < LEAST)
		return 0;
	text_put(&t, "two groups? ");
	verdict_put_side(&t, a, side, 1);
	text_add(&t, ": %s is %.3g x that of ", signal, ratio);
	verdict_put_side(&t, a, side, -1);
	text_add(&t, "%s; if they are of another kind, --peers compares each kind with itself",
		 lasting ? " or more from the first value to the last" : "");
	return t.failed ? -ENOMEM : verdict_note_lines(a, text_of(&t));
}

static int note_left_out(struct verdict *a, const char *host, const char *file, const char *why)
{
	struct note n = {.kind = NOTE_LEFT_OUT, .text = why};

	snprintf(n.host, sizeof(n.host), "%s", host);
	snprintf(n.file, sizeof(n.file), "%s", file);
	return verdict_note(a, &n);
}

bool verdict_lacks_source(const struct verdict *a)
{
	return any_of(i, a->n_notes, a->notes[i].kind == NOTE_LEFT_OUT && !*a->notes[i].host);
}

/* A server that was not there: the last one. 0 or -ENOMEM. */
static int add_server(struct verdict *a, const char *name)
{
	char(*nodes)[HOST_LEN] = realloc(a->nodes, (a->n_nodes + 1) * sizeof(*nodes));
	int32_t *group;
	bool *judged;

	if (!nodes)
		return -ENOMEM;
	a->nodes = nodes;
	group = a->n_groups ? realloc(a->group, (a->n_nodes + 1) * sizeof(*group)) : NULL;
	if (a->n_groups && !group)
		return -ENOMEM;
	if (group) {
		group[a->n_nodes] = -1;
		a->group = group;
	}
	judged = realloc(a->judged, (a->n_nodes + 1) * sizeof(*judged));
	if (!judged)
		return -ENOMEM;
	a->judged = judged;
	snprintf(nodes[a->n_nodes], HOST_LEN, "%s", name);
	judged[a->n_nodes++] = false;
	return 0;
}

static void reason(struct unjudged *u, const char *file, const char *why)
{
	u->why = UNJUDGED_LEFT_OUT;
	snprintf(u->file, sizeof(u->file), "%s", file);
	snprintf(u->error, sizeof(u->error), "%s", why);
}

int verdict_left_out(struct verdict *a, const char *server, const char *file, const char *why)
{
	struct unjudged new = {.signal = SIGNAL_ALL};

	while (new.node < a->n_nodes && strcmp(a->nodes[new.node], server) != 0)
		new.node++;
	/* of one of which there is more: why it was not judged, if it was not */
	for (size_t i = 0; i < a->n_unjudged && !verdict_against(a, new.node, false); i++)
		if (a->unjudged[i].node == new.node && a->unjudged[i].signal == SIGNAL_ALL) {
			reason(&a->unjudged[i], file, why);
			return 0;
		}
	if (new.node < a->n_nodes || !*server)
		return note_left_out(a, server, file, why);
	reason(&new, file, why);
	return add_server(a, server) ?: verdict_add_unjudged(a, &new);
}

static int part_compare(const struct part *a, const struct part *b)
{
	return ORDER(a->node, b->node) ?: strcmp(a->disk, b->disk);
}

int verdict_part(struct verdict *a, const struct part *p)
{
	size_t at = search_first(mid, a->n_parts, part_compare(&a->parts[mid], p) < 0);
	struct part *new;

	if (at < a->n_parts && !part_compare(&a->parts[at], p)) {
		a->parts[at].judged |= p->judged;
		return 0;
	}
	new = array_insert(&a->parts, &a->n_parts, at);
	if (!new)
		return -ENOMEM;
	*new = *p;
	return 0;
}

int unproven_compare(const struct unproven *a, const struct unproven *b)
{
	bool column = a->resource == RESOURCE_COLUMN;

	return ORDER(a->node, b->node) ?: ORDER(a->resource, b->resource)
		       ?: (column ? ORDER(a->signal, b->signal) : 0) ?: strcmp(a->disk, b->disk);
}

int verdict_used(struct verdict *a, const struct unproven *u)
{
	size_t at = search_first(mid, a->n_unproven, unproven_compare(&a->unproven[mid], u) < 0);
	bool there = at < a->n_unproven && !unproven_compare(&a->unproven[at], u);
	struct unproven *to =
		there ? &a->unproven[at] : array_insert(&a->unproven, &a->n_unproven, at);

	if (!to)
		return -ENOMEM;
	if (!there || (u->suspicious_from > 0 &&
		       (!(to->suspicious_from > 0) || u->suspicious_from < to->suspicious_from)))
		*to = *u;
	return 0;
}

void verdict_unproven_only(struct verdict *a)
{
	/* as it is printed: 2.00 */
	a->n_unproven = keep_if(i, a->unproven, a->n_unproven,
				!(a->unproven[i].suspicious_from > 0 &&
				  a->unproven[i].suspicious_from < PROVEN_RATIO + 0.005));
}

const char *verdict_node(const struct verdict *a, size_t node)
{
	return node < a->n_nodes ? a->nodes[node] : "?";
}

struct verdict_signal *verdict_add_signal(struct verdict *a)
{
	struct verdict_signal *s = array_add(&a->signals, &a->n_signals);

	if (s)
		*s = (struct verdict_signal){.method = "robust", .score = "z", .counts = "windows"};
	return s;
}

int verdict_add_notice(struct verdict *a, const struct notice *m)
{
	return array_put(&a->notices, &a->n_notices, *m);
}

int verdict_add_unjudged(struct verdict *a, const struct unjudged *u)
{
	return array_put(&a->unjudged, &a->n_unjudged, *u);
}

int verdict_add_ruled_out(struct verdict *a, const struct finding *e)
{
	return array_put(&a->ruled_out, &a->n_ruled_out, *e);
}

int verdict_list_servers(struct verdict *a, char *const *names, size_t n, const bool *there,
			 size_t *row)
{
	struct numbered_name *order = calloc(n + 1, sizeof(*order));

	a->nodes = calloc(n + 1, sizeof(*a->nodes));
	a->judged = calloc(n + 1, sizeof(*a->judged));
	if (!order || !a->nodes || !a->judged) {
		free(order);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		row[i] = SIZE_MAX;
		if (!there || there[i])
			order[a->n_nodes++] = (struct numbered_name){names[i], i};
	}
	sort(order, a->n_nodes, by_numbered_name);
	for (size_t i = 0; i < a->n_nodes; i++) {
		snprintf(a->nodes[i], sizeof(a->nodes[i]), "%s", order[i].name);
		row[order[i].number] = i;
	}
	free(order);
	return 0;
}

int verdict_set_groups(struct verdict *a, size_t n, const int32_t *group)
{
	a->groups = calloc(n + 1, sizeof(*a->groups));
	a->group = calloc(a->n_nodes + 1, sizeof(*a->group));
	if (!a->groups || !a->group)
		return -ENOMEM;
	a->n_groups = n;
	memcpy(a->group, group, a->n_nodes * sizeof(*group));
	for (size_t i = 0; i < n; i++)
		snprintf(a->groups[i], sizeof(a->groups[i]), "%zu", i + 1);
	return 0;
}

const char *verdict_group(const struct verdict *a, size_t node)
{
	if (!a->n_groups)
		return "1";
	return a->group[node] < 0 ? NULL : a->groups[a->group[node]];
}

void verdict_nobody_judged(struct verdict *a)
{
	if (verdict_judged(a) || a->cannot.why || a->n_incidents)
		return;
	a->cannot.why = a->n_unjudged ? CANNOT_UNJUDGED : CANNOT_NO_INTERVAL;
	if (a->n_unjudged)
		a->cannot.server = a->unjudged[0];
}

static int by_weight(const void *a, const void *b, void *lasting)
{
	const struct incident *x = a, *y = b;
	double p = x->n_findings ? x->findings[0].z : 0, q = y->n_findings ? y->findings[0].z : 0;

	return ORDER(x->suspicion != SUSPICION_NONE, y->suspicion != SUSPICION_NONE)
		       ?: (*(const bool *)lasting ? ORDER(y->open, x->open) : 0)
		       ?: ORDER(q, p) ?: ORDER(x->node, y->node);
}

void verdict_incidents_sort(struct verdict *a, bool lasting)
{
	sort_with(a->incidents, a->n_incidents, by_weight, &lasting);
}

int verdict_add_fact(struct verdict *a, const char *group, const char *name, double number,
		     const char *text)
{
	struct fact f = {.number = number};

	snprintf(f.group, sizeof(f.group), "%s", group);
	snprintf(f.name, sizeof(f.name), "%s", name);
	snprintf(f.text, sizeof(f.text), "%s", text);
	return array_put(&a->facts, &a->n_facts, f);
}

int verdict_add_row(struct verdict *a, const struct signal_row *row)
{
	struct verdict_signal *s = verdict_add_signal(a);
	bool number = row->kind == KIND_NUMBER;

	if (!s)
		return -ENOMEM;
	snprintf(s->name, sizeof(s->name), "%s", row->name);
	snprintf(s->word, sizeof(s->word), "%s", row->word);
	snprintf(s->unit, sizeof(s->unit), "%s", row->unit);
	s->role = row->role;
	s->resource = row->resource;
	s->inverse = row->inverse;
	s->optional = row->optional;
	s->added = row->inverse ? row->inverse_c : row->c;
	s->added_inverse = row->inverse && number ? row->c : 0;
	s->floor = row->floor;
	if (number)
		s->linear = !row->inverse ? s->added : row->peers_min > 0 ? 4 * row->peers_min : 0;
	s->relative = !number;
	s->decimals = row->decimals;
	return 0;
}

int verdict_series_signals(struct verdict *a)
{
	int err = 0;

	for (size_t i = 0; i < SIG_COUNT && !err; i++)
		err = verdict_add_row(a, &signals[i]);
	return err;
}

void verdict_series_unseen(struct verdict *a)
{
	/* that would have shown it; SIG_COUNT ends them */
	static const enum signal sights[UNSEEN_KINDS][7] = {
		[UNSEEN_DISKS] = {SIG_READ, SIG_WRITE, SIG_READ_DEVICE, SIG_WRITE_DEVICE,
				  SIG_READ_AWAIT, SIG_WRITE_AWAIT, SIG_COUNT},
		[UNSEEN_LOSS] = {SIG_RETRANS, SIG_RETRANS_IN, SIG_OOO, SIG_COUNT},
	};

	for (size_t k = 0; k < UNSEEN_KINDS; k++) {
		const enum signal *s = sights[k];

		while (*s != SIG_COUNT && !a->signals[*s].judged)
			s++;
		a->unseen[k] = *s == SIG_COUNT && verdict_judged(a);
	}
}

const struct verdict_signal *verdict_signal(const struct verdict *a, size_t signal)
{
	static const struct verdict_signal none = {
		.name = "?", .word = "?", .method = "?", .score = "?", .counts = "windows"};

	return signal < a->n_signals ? &a->signals[signal] : &none;
}

size_t verdict_judged(const struct verdict *a)
{
	return a->judged ? count_if(i, a->n_nodes, verdict_was_judged(a, i)) : 0;
}

const struct notice *verdict_replacement(const struct verdict *a)
{
	if (verdict_indicts(a))
		return NULL;
	return find_if(i, a->notices, a->n_notices, a->notices[i].replaces);
}

enum { RESTARTS_MAX = 3 };

bool verdict_restarts(const struct verdict *a, int64_t since_ns, struct notice *all)
{
	size_t n = 0;

	*all = (struct notice){.kind = NOTICE_RESTART, .node = SIZE_MAX, .from_ns = INT64_MAX};
	for (size_t i = 0; i < a->n_notices; i++) {
		const struct notice *r = &a->notices[i];

		if (r->kind != NOTICE_RESTART || r->to_ns < since_ns)
			continue;
		n++;
		all->from_ns = r->from_ns < all->from_ns ? r->from_ns : all->from_ns;
		all->to_ns = r->to_ns > all->to_ns ? r->to_ns : all->to_ns;
	}
	all->servers = n;
	return n > RESTARTS_MAX;
}

int notice_compare(const struct notice *a, const struct notice *b)
{
	return ORDER(a->kind, b->kind) ?: ORDER(a->node, b->node) ?: strcmp(a->host, b->host);
}

int unjudged_compare(const struct unjudged *a, const struct unjudged *b)
{
	return ORDER(a->why, b->why) ?: ORDER(a->n, b->n) ?: ORDER(a->needed, b->needed)
		       ?: ORDER(a->window_s, b->window_s) ?: ORDER(a->peers_s, b->peers_s)
		       ?: ORDER(a->threshold, b->threshold)
		       ?: strcmp(a->file, b->file) ?: strcmp(a->error, b->error);
}

const char *verdict_word(const struct verdict *a)
{
	if (verdict_indicts(a))
		return "indicted";
	if (verdict_replacement(a) && !a->cannot.why)
		return "all-slow";
	if (a->n_incidents)
		return "suspicious";
	if (a->cannot.why || !verdict_judged(a))
		return "cannot-judge";
	if (verdict_judged(a) < a->n_nodes || verdict_lacks_source(a))
		return "partly-judged";
	return a->kinds_doubtful || verdict_statuses(a, false).of[STATUS_UNPROVEN] ? "unproven"
										   : "clean";
}

long verdict_process(const struct culprit *c, char name[INSTANCE_LEN])
{
	const char *colon = strrchr(c->name, ':');
	size_t len = strlen(c->name), digits = colon ? strlen(colon + 1) : 0;

	if (c->remote || !digits || digits > 10 || strspn(colon + 1, "0123456789") != digits)
		colon = NULL;
	if (colon)
		len = (size_t)(colon - c->name);
	snprintf(name, INSTANCE_LEN, "%.*s", (int)len, c->name);
	return colon ? strtol(colon + 1, NULL, 10) : -1;
}

/* "fio (pid 1234, /user.slice), 84 % of bytes read from sda"; nothing if nobody is known. */
static void put_culprit(struct text *t, const struct culprit *c)
{
	char name[INSTANCE_LEN], clean[INSTANCE_LEN], cgroup[sizeof(c->cgroup)];
	long pid = verdict_process(c, name);

	if (!*name)
		return;
	text_put(t, output_clean(name, clean, sizeof(clean)));
	output_clean(c->cgroup, cgroup, sizeof(cgroup));
	if (pid >= 0)
		text_add(t, " (pid %ld%s%s)", pid, *cgroup ? ", " : "", cgroup);
	else if (*cgroup)
		text_add(t, " (%s)", cgroup);
	if (isfinite(c->share) && c->of)
		text_add(t, ", %.0f %% of %s", 100 * c->share, sentence_share(c->of));
}

const char *verdict_particulars(struct text *t, const struct verdict *a, const struct incident *in)
{
	struct text said TEXT_SCOPED = {0};
	size_t from = t->len;

	put_culprit(&said, &in->culprit);
	if (*in->culprit.name && in->detail.kind != DETAIL_NONE)
		text_put(&said, "; ");
	sentence_detail(&said, a, &in->detail, in);
	/* details have commas, so output_clean() is not for them */
	text_put_clean(t, text_of(&said));
	return text_from(t, from);
}

const char *verdict_headline(struct text *t, const struct verdict *a, size_t i)
{
	const struct incident *in = &a->incidents[i];
	struct text more TEXT_SCOPED = {0};
	size_t from = t->len;
	char node[HOST_LEN];

	verdict_particulars(&more, a, in);
	text_add(t, "%s %s: %s%s%s", output_clean(verdict_node(a, in->node), node, sizeof(node)),
		 sentence_verb(in),
		 in->cause == CAUSE_NONE ? "no known cause" : cause_table[in->cause].word,
		 more.len ? ": " : "", text_of(&more));
	return text_from(t, from);
}

const char *verdict_counted(const struct verdict *a)
{
	bool one = a->n_windows == 1;

	if (a->window_s == a->interval_s)
		return one ? "interval" : "intervals";
	return one ? "window" : "windows";
}
