// SPDX-License-Identifier: BSD-2-Clause
/*
 * Cases: from the first signal of a server that is odd until all are quiet again. While one is open its
 * evidence is gathered, and the rules say what it is.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

void case_free(struct node_case *c)
{
	if (!c)
		return;
	free(c->evidence);
	free(c->accusation.evidence);
	free(c);
}

/* ---- evidence -------------------------------------------------------------------------------------*/

static int by_weight(const void *a, const void *b)
{
	const struct evidence *x = a, *y = b;

	if (x->symptom != y->symptom)
		return x->symptom - y->symptom;
	if (x->z != y->z)
		return x->z < y->z ? 1 : -1;
	return (int)x->signal - (int)y->signal;
}

static struct evidence *evidence_of(struct node_case *c, enum signal s, const char *disk)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->evidence[i].signal == s && !strcmp(c->evidence[i].disk, disk))
			return &c->evidence[i];
	if (c->n == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 8;
		struct evidence *more = realloc(c->evidence, cap * sizeof(*more));

		if (!more)
			return NULL;
		c->evidence = more;
		c->cap = cap;
	}
	c->evidence[c->n] = (struct evidence){.signal = s, .z = -INFINITY};
	return &c->evidence[c->n++];
}

static const struct {
	enum signal signal;
	int op;
	enum lat_part part;
} distributions[] = {
	{SIG_READ, OP_READ, PART_WHOLE},
	{SIG_WRITE, OP_WRITE, PART_WHOLE},
	{SIG_READ_DEVICE, OP_READ, PART_DEVICE},
	{SIG_WRITE_DEVICE, OP_WRITE, PART_DEVICE},
};

static double p99_ms(const uint64_t *at)
{
	return hist_quantile(at, 0, LAT_BUCKETS, LAT_SUB_BITS, 0.99) * (1 << LAT_SHIFT) / 1e6;
}

/* The tail and the distance of distributions against all peers together. */
static void put_distribution(const struct robust *r, const struct peerset *set, size_t m,
			     struct evidence *e)
{
	uint64_t own[LAT_BUCKETS], others[LAT_BUCKETS] = {0}, one[LAT_BUCKETS];
	size_t k = 0, n = sizeof(distributions) / sizeof(*distributions);

	while (k < n && distributions[k].signal != set->signal)
		k++;
	if (k == n ||
	    !value_histogram(r, set->members[m], distributions[k].op, distributions[k].part, own))
		return;
	for (size_t i = 0; i < set->n; i++) {
		if (i == m || !value_histogram(r, set->members[i], distributions[k].op,
					       distributions[k].part, one))
			continue;
		for (size_t b = 0; b < LAT_BUCKETS; b++)
			others[b] += one[b];
	}
	e->p99 = p99_ms(own);
	e->p99_peers = p99_ms(others);
	e->w1 = exp(compare_w1(own, others, LAT_BUCKETS, LAT_SUB_BITS));
}

/* One signal as it stands goes into its server's case. */
static int note(const struct robust *r, struct node_case *c, const struct peerset *set, size_t m)
{
	const struct standing *st = &set->standing[m];
	struct evidence *e = evidence_of(c, set->signal, st->worst.disk), was;

	if (!e)
		return -ENOMEM;
	was = *e;
	if (st->worst.z > was.z) {
		*e = st->worst;
		e->w1 = was.z > -INFINITY ? was.w1 : NAN;
		e->p99 = was.z > -INFINITY ? was.p99 : NAN;
		e->p99_peers = was.z > -INFINITY ? was.p99_peers : NAN;
		put_distribution(r, set, m, e);
	}
	e->flagged = st->flagged;
	e->judged = st->slow && st->last.slow_windows ? st->last.slow_windows : st->judged;
	e->onset_ns = was.onset_ns ? was.onset_ns : st->onset_ns;
	e->decided_ns = was.decided_ns ? was.decided_ns : st->decided_ns;
	e->last_ns = st->last_ns;
	e->chronic = st->slow || was.chronic;
	e->open = standing_odd(st);
	e->held = st->unjudged > 0;
	e->symptom = signals[set->signal].role == ROLE_SYMPTOM || !e->decided_ns;
	return 0;
}

/* ---- scenes ---------------------------------------------------------------------------------------*/

static void scene_free(struct scene_node *nodes, size_t n)
{
	for (size_t i = 0; nodes && i < n; i++)
		hop_release(&nodes[i].now), hop_release(&nodes[i].before);
	free(nodes);
}

/* What every server did since `onset`, as far as the ring goes, and before. */
static int scene_of(const struct robust *r, int64_t onset, struct scene_node **out)
{
	struct scene_node *nodes = calloc(r->n_nodes + 1, sizeof(*nodes));
	unsigned int since = r->p.window_hops;
	int err = nodes ? 0 : -ENOMEM;

	/* a window that began before it has the healthy time in it, too */
	while (since > 1 && r->next_ns - (int64_t)since * hop_ns(r) < onset)
		since--;
	for (size_t i = 0; i < r->n_nodes && !err; i++) {
		const struct node *n = &r->nodes[i];

		nodes[i].name = n->name;
		nodes[i].group = n->group;
		for (size_t d = 0; d < n->n_disks; d++)
			nodes[i].flash |= r->disks[n->disks[d]].flash;
		nodes[i].silent = n->seen && node_seconds(r, i) == 0;
		err = hop_copy(&nodes[i].before, &n->before);
		for (unsigned int b = 0; b < RING_HOPS && !err; b++) {
			const struct hop *h = node_hop(r, i, b);
			bool now = h && (h->from_ns >= onset || b < since);

			if (h)
				err = hop_merge(now ? &nodes[i].now : &nodes[i].before, h);
		}
	}
	if (err) {
		scene_free(nodes, r->n_nodes);
		nodes = NULL;
	}
	*out = nodes;
	return err;
}

/* How its slowest disk fares at each size of request, in the window now held. */
static int sizes_of(const struct robust *r, const struct node_case *c, struct scene_node *nodes)
{
	const struct scene s = {.nodes = nodes, .n_nodes = r->n_nodes, .hop_s = r->p.hop_s};
	unsigned int w = r->p.window_hops;
	const struct hop **at = calloc(r->n_nodes * w + 1, sizeof(*at));
	const char *disk = NULL;
	int err = at ? 0 : -ENOMEM;

	for (size_t i = 0; i < c->n && !disk; i++)
		if (c->evidence[i].signal <= SIG_WRITE_AWAIT)
			disk = c->evidence[i].disk;
	for (size_t i = 0; i < r->n_nodes && !err; i++)
		for (unsigned int b = 0; b < w; b++)
			at[i * w + b] = node_hop(r, i, b);
	if (!err && disk)
		err = rules_sizes(&s, c->node, disk, at, w, nodes[c->node].size_ratio);
	free(at);
	return err;
}

/*
 * A case can be open for long, a hot server's for days. What counts now is what is odd now, or was within
 * the hops that are kept: it goes to the front, in order of weight. How many that are.
 */
static size_t current(const struct robust *r, struct node_case *c, int64_t to_ns)
{
	int64_t from = to_ns - RING_HOPS * hop_ns(r);
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct evidence e = c->evidence[i];

		if (!e.open && e.last_ns < from)
			continue;
		c->evidence[i] = c->evidence[n];
		c->evidence[n++] = e;
	}
	qsort(c->evidence, n, sizeof(*c->evidence), by_weight);
	return n;
}

/* Since when it is odd in something that may indict; else, in anything. */
static int64_t since(const struct node_case *c, size_t n)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < n; i++)
		if (!c->evidence[i].symptom && signals[c->evidence[i].signal].role == ROLE_LOCAL &&
		    c->evidence[i].onset_ns < first)
			first = c->evidence[i].onset_ns;
	return first < INT64_MAX ? first : c->onset_ns;
}

/* With the evidence it rests on, as it is now. */
static int keep_accusation(struct node_case *c, const struct accusation *a)
{
	struct evidence *copy = malloc((a->n_evidence + 1) * sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	memcpy(copy, a->evidence, a->n_evidence * sizeof(*copy));
	free(c->accusation.evidence);
	c->accusation = *a;
	c->accusation.evidence = copy;
	return 0;
}

static int rule(struct robust *r, struct node_case *c, int64_t to_ns)
{
	struct scene s = {.n_nodes = r->n_nodes, .hop_s = r->p.hop_s};
	struct remark m = {.node = c->node, .to_ns = to_ns};
	struct accusation a;
	struct scene_node *nodes;
	enum ruled ruled;
	size_t n = current(r, c, to_ns);
	int64_t onset = since(c, n);
	int err = scene_of(r, onset, &nodes);

	if (err)
		return err;
	s.nodes = nodes;
	m.from_ns = onset;
	a = (struct accusation){
		.node = c->node,
		.onset_ns = c->accused_ns ? c->accusation.onset_ns : onset,
		.decided_ns = c->accused_ns ? c->accused_ns : to_ns,
		.last_ns = c->last_ns,
		.evidence = c->evidence,
		.n_evidence = n,
		.open = true,
	};
	err = sizes_of(r, c, nodes);
	if (err) {
		scene_free(nodes, r->n_nodes);
		return err;
	}
	ruled = rules_apply(&s, &a, &m);
	/* what was told stays told: later windows may show less of it */
	if (ruled == RULE_ACCUSED) {
		err = keep_accusation(c, &a);
		if (err) {
			scene_free(nodes, r->n_nodes);
			return err;
		}
	}
	if (ruled == RULE_REMARK)
		c->remark = m;
	if (ruled == RULE_ACCUSED || !c->accused_ns)
		c->ruled = ruled;
	if (c->ruled == RULE_ACCUSED && !c->accused_ns)
		c->accused_ns = to_ns;
	scene_free(nodes, r->n_nodes);
	return 0;
}

/* ---- after each window ----------------------------------------------------------------------------*/

static int open_case(struct robust *r, size_t node, int64_t onset)
{
	struct node_case **more = realloc(r->cases, (r->n_cases + 1) * sizeof(*more)),
			 *c = calloc(1, sizeof(*c));

	if (more)
		r->cases = more;
	if (!more || !c) {
		free(c);
		return -ENOMEM;
	}
	c->node = node;
	c->onset_ns = onset;
	r->cases[r->n_cases++] = c;
	r->nodes[node].open = c;
	return 0;
}

struct seen {
	bool odd;      /* some signal that may open a case is odd */
	bool fresh;    /* one was flagged in this window */
	int64_t onset; /* the first of them began */
	int64_t last;
};

static void see(const struct robust *r, struct seen *seen)
{
	for (size_t i = 0; i < r->n_sets; i++) {
		const struct peerset *set = &r->sets[i];

		if (set->class == ANY_CLASS || signals[set->signal].role == ROLE_SYMPTOM)
			continue;
		for (size_t m = 0; m < set->n; m++) {
			const struct standing *st = &set->standing[m];
			struct seen *n = &seen[member_node(r, set->signal, set->members[m])];

			if (!standing_odd(st))
				continue;
			if (!n->odd || st->onset_ns < n->onset)
				n->onset = st->onset_ns;
			n->last = st->last_ns > n->last ? st->last_ns : n->last;
			n->odd = true;
			n->fresh |= (st->last.flagged || st->slow) && !st->unjudged;
		}
	}
}

static int gather_evidence(struct robust *r)
{
	int err = 0;

	for (size_t i = 0; i < r->n_nodes; i++)
		for (size_t k = 0; r->nodes[i].open && k < r->nodes[i].open->n; k++)
			r->nodes[i].open->evidence[k].open = false;
	for (size_t i = 0; i < r->n_sets && !err; i++) {
		const struct peerset *set = &r->sets[i];

		for (size_t m = 0; m < set->n && !err && set->class != ANY_CLASS; m++) {
			struct node_case *c =
				r->nodes[member_node(r, set->signal, set->members[m])].open;

			if (c && set->standing[m].running)
				err = note(r, c, set, m);
		}
	}
	return err;
}

static int on_remark(void *arg, const struct remark *m)
{
	return remark_add(arg, m);
}

/* How much of it says what it is about: numbers come after. A colon or dot within a word is an address's. */
static size_t same_text(const char *text)
{
	size_t n = strcspn(text, ":,(");

	while (text[n] == ':' && text[n + 1] != ' ')
		n += 1 + strcspn(text + n + 1, ":,(");
	return n;
}

/* The same remark again only lasts longer. */
int remark_add(struct robust *r, const struct remark *m)
{
	struct remark *more;

	for (size_t i = 0; i < r->n_remarks; i++) {
		struct remark *was = &r->remarks[i];
		size_t len = same_text(was->text);

		if (was->kind != m->kind || was->node != m->node ||
		    strncmp(was->text, m->text, len) != 0)
			continue;
		memcpy(was->text, m->text, sizeof(was->text));
		was->to_ns = m->to_ns;
		return 0;
	}
	more = realloc(r->remarks, (r->n_remarks + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	r->remarks = more;
	more[r->n_remarks++] = *m;
	return 0;
}

struct timed {
	struct robust *r;
	int64_t from_ns, to_ns;
};

static int on_timed_remark(void *arg, const struct remark *m)
{
	struct timed *t = arg;
	struct remark one = *m;

	one.from_ns = one.from_ns ? one.from_ns : t->from_ns;
	one.to_ns = t->to_ns;
	return on_remark(t->r, &one);
}

static int remarks(struct robust *r, int64_t from_ns, int64_t to_ns)
{
	struct scene s = {.n_nodes = r->n_nodes, .hop_s = r->p.hop_s};
	struct timed t = {r, from_ns, to_ns};
	struct scene_node *nodes;
	int err = scene_of(r, from_ns, &nodes);

	if (err)
		return err;
	s.nodes = nodes;
	err = rules_remarks(&s, on_timed_remark, &t);
	scene_free(nodes, r->n_nodes);
	return err;
}

int cases_update(struct robust *r, int64_t from_ns, int64_t to_ns)
{
	struct seen *seen = calloc(r->n_nodes + 1, sizeof(*seen));
	int err = seen ? 0 : -ENOMEM;

	if (!err)
		see(r, seen);
	for (size_t i = 0; i < r->n_nodes && !err; i++)
		if (seen[i].odd && !r->nodes[i].open)
			err = open_case(r, i, seen[i].onset);
	if (!err)
		err = gather_evidence(r);
	for (size_t i = 0; i < r->n_nodes && !err; i++) {
		struct node_case *c = r->nodes[i].open;

		if (!c)
			continue;
		c->last_ns = seen[i].last > c->last_ns ? seen[i].last : c->last_ns;
		if (!c->decided_ns)
			c->decided_ns = to_ns;
		/* again when there is more to go by, and now and then: who does it may change */
		if (seen[i].fresh && (c->n != c->ruled_n || ++c->ruled_ago >= r->p.window_hops ||
				      c->ruled != RULE_ACCUSED)) {
			err = rule(r, c, to_ns);
			c->ruled_n = c->n;
			c->ruled_ago = 0;
		}
		if (seen[i].odd)
			continue;
		c->closed = true;
		r->nodes[i].open = NULL;
	}
	free(seen);
	/* once per window that does not overlap */
	if (!err && r->n_windows % r->p.window_hops == 0)
		err = remarks(r, from_ns, to_ns);
	return err;
}
