// SPDX-License-Identifier: BSD-2-Clause
/*
 * Cases: from the first signal of a server that is odd until all are quiet again. While one is open its
 * findings are gathered, and the rules say what it is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "userspace/common/array.h"
#include "userspace/common/sort.h"

void case_free(struct node_case *c)
{
	if (!c)
		return;
	free(c->findings);
	free(c->incident.findings);
	free(c);
}

/*
 * A case can be open for long, a hot server's for days. What counts now is what is odd now, or was within
 * the intervals that are kept: it goes to the front, in order of weight. How many that are.
 */
static size_t current(const struct robust *r, struct node_case *c, int64_t to_ns)
{
	int64_t from = to_ns - RING_INTERVALS * interval_ns(r);
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct finding e = c->findings[i];

		if (!e.open && e.last_ns < from)
			continue;
		c->findings[i] = c->findings[n];
		c->findings[n++] = e;
	}
	sort(c->findings, n, finding_by_weight);
	return n;
}

/* Since when it is odd in something that may indict; else, in anything. */
static int64_t since(const struct node_case *c, size_t n)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < n; i++)
		if (!c->findings[i].symptom && signals[c->findings[i].signal].role == ROLE_LOCAL &&
		    c->findings[i].onset_ns < first)
			first = c->findings[i].onset_ns;
	return first < INT64_MAX ? first : c->onset_ns;
}

/* With its findings as they are now. */
static int keep_incident(struct node_case *c, const struct incident *a)
{
	struct finding *copy = malloc((a->n_findings + 1) * sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	memcpy(copy, a->findings, a->n_findings * sizeof(*copy));
	free(c->incident.findings);
	c->incident = *a;
	c->incident.findings = copy;
	return 0;
}

static int rule(struct robust *r, struct node_case *c, int64_t to_ns)
{
	struct scene s = {
		.n_nodes = r->n_nodes, .interval_s = r->p.interval_s, .addresses = r->addresses};
	struct notice m = {.node = c->node, .to_ns = to_ns};
	struct incident a;
	struct scene_node *nodes;
	enum ruled ruled;
	size_t n = current(r, c, to_ns);
	int64_t onset = since(c, n);
	int err = scene_of(r, onset, &nodes);

	if (err)
		return err;
	s.nodes = nodes;
	m.from_ns = onset;
	a = (struct incident){
		.node = c->node,
		.suspicious = c->suspicious,
		.onset_ns = c->indicted_ns ? c->incident.onset_ns : onset,
		.decided_ns = c->indicted_ns ? c->indicted_ns : to_ns,
		.last_ns = c->last_ns,
		.findings = c->findings,
		.n_findings = n,
		.open = true,
		.times = 1,
		.duty = 1,
	};
	err = scene_sizes(r, &a, nodes);
	if (err) {
		scene_free(nodes, r->n_nodes);
		return err;
	}
	ruled = rules_apply(&s, &a, &m);
	/* what was told stays told: later intervals may show less of it */
	if (ruled == RULE_INCIDENT) {
		err = keep_incident(c, &a);
		if (err) {
			scene_free(nodes, r->n_nodes);
			return err;
		}
	}
	if (ruled == RULE_NOTICE)
		c->notice = m;
	if (ruled == RULE_INCIDENT || !c->indicted_ns)
		c->ruled = ruled;
	if (c->ruled == RULE_INCIDENT && !c->indicted_ns)
		c->indicted_ns = to_ns;
	scene_free(nodes, r->n_nodes);
	return 0;
}

/* ---- after each interval ----------------------------------------------------------------------------*/

static int open_case(struct robust *r, size_t node, int64_t onset)
{
	struct node_case *c = calloc(1, sizeof(*c)),
			 **new = c ? array_add(&r->cases, &r->n_cases) : NULL;

	if (!new) {
		free(c);
		return -ENOMEM;
	}
	*new = c;
	c->node = node;
	c->onset_ns = onset;
	r->nodes[node].open = c;
	return 0;
}

/* The question its findings were gathered for is settled; and what came to nothing is not told. */
static void close_case(struct robust *r, struct node_case *c)
{
	size_t i = r->n_cases;

	c->closed = true;
	r->nodes[c->node].open = NULL;
	free(c->findings);
	c->findings = NULL;
	c->n = c->cap = 0;
	/* of a suspicion that came to nothing nothing is told */
	if ((c->indicted_ns && c->suspicious == SUSPICION_NONE) || c->ruled == RULE_NOTICE)
		return;
	while (r->cases[--i] != c)
		;
	memmove(&r->cases[i], &r->cases[i + 1], (r->n_cases - i - 1) * sizeof(*r->cases));
	r->n_cases--;
	case_free(c);
}

struct trouble {
	bool odd;      /* some signal that may open a case is suspicious, or indicts */
	bool indicts;  /* some does */
	bool few;      /* of the others, for want of peers */
	bool fresh;    /* one is worse in this interval */
	int64_t onset; /* the first of them began */
	int64_t last;
};

static void trouble_find(const struct robust *r, struct trouble *trouble)
{
	for (size_t i = 0; i < r->n_sets; i++) {
		const struct peerset *set = &r->sets[i];

		if (set->class == ANY_CLASS || signals[set->signal].role == ROLE_SYMPTOM)
			continue;
		for (size_t m = 0; m < set->n; m++) {
			const struct track_entity *st = &set->track.at[m];
			struct trouble *n = &trouble[member_node(r, set->signal, set->members[m])];

			if (!track_in_trouble(st))
				continue;
			if (!n->odd || st->onset_ns < n->onset)
				n->onset = st->onset_ns;
			n->last = st->last_ns > n->last ? st->last_ns : n->last;
			n->odd = true;
			n->indicts |= st->state == TRACK_INDICTED &&
				      signals[set->signal].role == ROLE_LOCAL;
			n->few |= track_few(st);
			n->fresh |= st->r >= set->track.o.gate / 2 && !st->unjudged;
		}
	}
}

static int gather_findings(struct robust *r)
{
	int err = 0;

	for (size_t i = 0; i < r->n_nodes; i++)
		for (size_t k = 0; r->nodes[i].open && k < r->nodes[i].open->n; k++)
			r->nodes[i].open->findings[k].open = false;
	for (size_t i = 0; i < r->n_sets && !err; i++) {
		const struct peerset *set = &r->sets[i];

		for (size_t m = 0; m < set->n && !err && set->class != ANY_CLASS; m++) {
			struct node_case *c =
				r->nodes[member_node(r, set->signal, set->members[m])].open;

			if (c && track_in_trouble(&set->track.at[m]))
				err = finding_note(r, c, set, m);
		}
	}
	return err;
}

static int on_notice(void *arg, const struct notice *m)
{
	return notice_add(arg, m);
}

/* The same notice again only lasts longer. */
int notice_add(struct robust *r, const struct notice *m)
{
	struct notice *more;

	for (size_t i = 0; i < r->n_notices; i++) {
		struct notice *was = &r->notices[i];
		int64_t from_ns = was->from_ns;

		if (notice_compare(was, m))
			continue;
		*was = *m;
		was->from_ns = from_ns;
		return 0;
	}
	more = array_add(&r->notices, &r->n_notices);
	if (!more)
		return -ENOMEM;
	*more = *m;
	return 0;
}

struct timed {
	struct robust *r;
	int64_t from_ns, to_ns;
};

static int on_timed_notice(void *arg, const struct notice *m)
{
	struct timed *t = arg;
	struct notice one = *m;

	one.from_ns = one.from_ns ? one.from_ns : t->from_ns;
	one.to_ns = t->to_ns;
	return on_notice(t->r, &one);
}

static int notices(struct robust *r, int64_t from_ns, int64_t to_ns)
{
	struct scene s = {
		.n_nodes = r->n_nodes, .interval_s = r->p.interval_s, .addresses = r->addresses};
	struct timed t = {r, from_ns, to_ns};
	struct scene_node *nodes;
	int err = scene_of(r, from_ns, &nodes);

	if (err)
		return err;
	s.nodes = nodes;
	err = rules_notices(&s, on_timed_notice, &t);
	scene_free(nodes, r->n_nodes);
	return err;
}

/* A server that was suspicious and is indicted now is so from now on. Whether that is so now, and the rules are to
 * be asked anew: what they said of a suspicion is told until then. */
static bool promote(struct node_case *c, const struct trouble *trouble, int64_t to_ns)
{
	enum suspicion was = c->suspicious;

	if (c->decided_ns && was == SUSPICION_NONE)
		return false;
	c->suspicious = trouble->indicts ? SUSPICION_NONE
			: trouble->few	 ? SUSPICION_PEERS
					 : SUSPICION_DATA;
	if (!c->decided_ns || c->suspicious == SUSPICION_NONE)
		c->decided_ns = to_ns;
	if (was != c->suspicious && c->indicted_ns)
		c->ruled_n = 0; /* ask the rules again */
	if (was == SUSPICION_NONE || c->suspicious != SUSPICION_NONE)
		return false;
	c->indicted_ns = 0;
	return true;
}

int cases_update(struct robust *r, int64_t to_ns)
{
	int64_t window_ns = (int64_t)r->p.window_intervals * interval_ns(r);
	struct trouble *trouble = calloc(r->n_nodes + 1, sizeof(*trouble));
	int err = trouble ? 0 : -ENOMEM;

	if (!err)
		trouble_find(r, trouble);
	for (size_t i = 0; i < r->n_nodes && !err; i++)
		if (trouble[i].odd && !r->nodes[i].open)
			err = open_case(r, i, trouble[i].onset);
	if (!err)
		err = gather_findings(r);
	for (size_t i = 0; i < r->n_nodes && !err; i++) {
		struct node_case *c = r->nodes[i].open;
		bool anew;

		if (!c)
			continue;
		c->last_ns = trouble[i].last > c->last_ns ? trouble[i].last : c->last_ns;
		anew = trouble[i].odd && promote(c, &trouble[i], to_ns);
		/* again when there is more to go by, and now and then: who does it may change */
		if (anew || (trouble[i].fresh &&
			     (c->n != c->ruled_n || ++c->ruled_ago >= r->p.window_intervals ||
			      c->ruled != RULE_INCIDENT))) {
			err = rule(r, c, to_ns);
			c->ruled_n = c->n;
			c->ruled_ago = 0;
		}
		if (!trouble[i].odd)
			close_case(r, c);
	}
	free(trouble);
	/* once per window that does not overlap */
	if (!err && r->n_intervals % r->p.window_intervals == 0)
		err = notices(r, to_ns - window_ns < r->first_ns ? r->first_ns : to_ns - window_ns,
			      to_ns);
	return err;
}
