// SPDX-License-Identifier: BSD-2-Clause
/*
 * Incidents: findings of one server that belong together. A spell begins with the first signal of a server that is in
 * trouble, and ends when all are quiet. The rules say what it is while it lasts; spells of one cause that are at most
 * two hours apart are one incident.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "analyzer/verdict/status.h"
#include "userspace/common/array.h"
#include "userspace/common/clock.h"
#include "userspace/common/sort.h"

struct track *track_new(const struct track_rules *rules)
{
	struct track *t = calloc(1, sizeof(*t));

	if (t)
		t->rules = *rules;
	return t;
}

static void spell_free(struct spell *c)
{
	free(c->findings);
	free(c->incident.findings);
	free(c);
}

void track_free(struct track *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_spells; i++)
		spell_free(t->spells[i]);
	free(t->spells);
	free(t->servers);
	free(t->notices);
	free(t);
}

int track_server(struct track *t, const char *name)
{
	struct track_server *new = array_refill(&t->servers, &t->n_servers, &t->cap_servers);

	if (!new)
		return -ENOMEM;
	snprintf(new->name, sizeof(new->name), "%s", name);
	return 0;
}

void track_acknowledge(struct track *t, size_t server)
{
	t->servers[server].acknowledged = true;
}

int64_t track_since(const struct track *t, size_t server)
{
	const struct spell *c = t->servers[server].open;

	return c && c->ruled_ns ? c->incident.onset_ns : INT64_MAX;
}

/* FNV-1a: the same in every run, and whoever computes it. */
uint64_t track_id(const char *server, int64_t onset_ns)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *server; server++)
		h = (h ^ (unsigned char)*server) * 0x100000001b3;
	for (int i = 0; i < 8; i++)
		h = (h ^ (uint64_t)(onset_ns >> 8 * i & 0xff)) * 0x100000001b3;
	return h ? h : 1;
}

/* ---- spells that are one incident ------------------------------------------------------------------ */

/* What a spell comes to; the findings are still the spell's. */
static struct incident spell_incident(const struct spell *c)
{
	struct incident x = c->incident;

	x.id = c->id;
	x.decided_ns = c->ruled_ns;
	x.last_ns = c->last_ns;
	x.open = track_state_open(c->state);
	x.held = x.open;
	for (size_t i = 0; i < x.n_findings; i++) {
		if (x.findings[i].symptom)
			continue;
		x.chronic |= x.findings[i].chronic;
		x.held &= x.findings[i].held;
	}
	return x;
}

/* 0: it is not later. Tables have times of any size. */
static uint64_t later_by(int64_t than, int64_t ns)
{
	return ns > than ? (uint64_t)ns - (uint64_t)than : 0;
}

/* Whether x is later, of the same server and cause, and soon enough. */
static bool is_again(const struct track *t, const struct incident *was, const struct incident *x)
{
	return was->node == x->node && was->cause == x->cause && !was->suspicion && !x->suspicion &&
	       later_by(was->last_ns, x->onset_ns) <= (uint64_t)t->rules.same_ns;
}

static double strength(const struct incident *x)
{
	return x->n_findings ? x->findings[0].z : 0;
}

/* The one of n findings that is of this signal and disk; `hint` is looked at first. NULL: there is none. */
static struct finding *finding_among(struct finding *at, size_t n, const struct finding *e,
				     size_t hint)
{
	for (size_t i = 0; i < n; i++) {
		struct finding *x = &at[(hint + i) % n];

		if (x->signal == e->signal && !strcmp(x->disk, e->disk))
			return x;
	}
	return NULL;
}

/* Adds what the other one shows and this one does not, behind its own. 0 or -ENOMEM. */
static int findings_unite(struct incident *to, const struct incident *other)
{
	struct finding *all =
		realloc(to->findings, (to->n_findings + other->n_findings + 1) * sizeof(*all));

	if (!all)
		return -ENOMEM;
	to->findings = all;
	for (size_t i = 0, n = to->n_findings; i < other->n_findings; i++)
		if (!finding_among(all, n, &other->findings[i], 0))
			all[to->n_findings++] = other->findings[i];
	return 0;
}

/* With findings of its own. 0 or -ENOMEM. */
static int incident_copy(struct incident *to, const struct incident *x)
{
	*to = *x;
	to->findings = NULL;
	to->n_findings = 0;
	return findings_unite(to, x);
}

/* The later x goes into *to: the stronger one's findings stay, or x's if the cause is another one now; the other's are freed.
 * The id is that of x, which may be open. */
static void incident_join(struct incident *to, struct incident *x)
{
	struct incident was = *to;
	double there = was.duty * (double)(was.last_ns - was.onset_ns) +
		       x->duty * (double)(x->last_ns - x->onset_ns);
	size_t times = was.times + x->times;
	bool stronger = x->cause != to->cause || strength(x) > strength(to);

	if (stronger)
		*to = *x;
	free(stronger ? was.findings : x->findings);
	x->findings = NULL;
	to->id = x->id;
	to->onset_ns = was.onset_ns;
	to->decided_ns = was.decided_ns;
	to->last_ns = was.last_ns > x->last_ns ? was.last_ns : x->last_ns;
	to->times = times;
	to->duty = to->last_ns > to->onset_ns
			   ? fmin(1, there / (double)(to->last_ns - to->onset_ns))
			   : 1;
	to->open = x->open;
	to->held = x->held;
	to->chronic = was.chronic || x->chronic;
}

/* The id of the incident of which this spell is one more time; 0: of none. */
static uint64_t again_of(const struct track *t, const struct spell *c)
{
	for (size_t i = t->n_spells; i-- > 0;) {
		const struct spell *was = t->spells[i];
		struct incident x;

		if (was == c || was->server != c->server || !was->ruled_ns)
			continue;
		x = spell_incident(was);
		if (is_again(t, &x, &c->incident))
			return was->id;
	}
	return 0;
}

/* As first told. What is suspicious again may have begun when the incident before did, and is another one. */
static uint64_t new_id(const struct track *t, const struct spell *c)
{
	const char *server = t->servers[c->server].name;
	uint64_t id = track_id(server, c->incident.onset_ns);

	return any_of(i, t->n_spells, t->spells[i] != c && t->spells[i]->id == id)
		       ? track_id(server, c->decided_ns)
		       : id;
}

static uint64_t spell_id(const struct track *t, const struct spell *c)
{
	return again_of(t, c) ?: c->id ?: new_id(t, c);
}

/* ---- findings -------------------------------------------------------------------------------------- */

COMPARISON(by_weight, struct finding,
	   ORDER(a->symptom, b->symptom) ?: ORDER(b->z, a->z) ?: ORDER(a->signal, b->signal))

/* Of all that there was: what is worse now first. */
COMPARISON(by_open, struct finding,
	   ORDER(a->symptom, b->symptom) ?: ORDER(b->open, a->open) ?: by_weight(a, b))

/*
 * A spell can last long, a hot server's for days. What counts now is what is worse now, or was lately: it goes
 * to the front, in order of weight. Returns how many that are.
 */
static size_t current(const struct track *t, struct spell *c, int64_t to_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct finding e = c->findings[i];

		if (!e.open && !t->rules.whole &&
		    later_by(e.last_ns, to_ns) > (uint64_t)t->rules.recent_ns)
			continue;
		c->findings[i] = c->findings[n];
		c->findings[n++] = e;
	}
	sort(c->findings, n, t->rules.whole ? by_open : by_weight);
	return n;
}

/* Since when it is worse in something that may indict; else, in anything. */
static int64_t since(const struct track_rules *r, const struct spell *c, size_t n)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < n; i++)
		if (!c->findings[i].symptom &&
		    r->role(r->arg, c->findings[i].signal) == ROLE_LOCAL &&
		    c->findings[i].onset_ns < first)
			first = c->findings[i].onset_ns;
	return first < INT64_MAX ? first : c->onset_ns;
}

bool track_gathers(const struct track *t, size_t server)
{
	return t->servers[server].open;
}

struct finding *track_add(struct track *t, const struct finding *e, bool *stronger)
{
	struct spell *c = t->servers[e->node].open;
	struct finding *at = finding_among(c->findings, c->n, e, 0), now = *e;

	*stronger = !at || e->z > at->z;
	if (at) {
		now.w1 = at->w1;
		now.p99 = at->p99;
		now.p99_peers = at->p99_peers;
		memcpy(now.parts, at->parts, sizeof(now.parts));
	} else {
		at = array_refill(&c->findings, &c->n, &c->cap);
	}
	if (at)
		*at = now;
	return at;
}

/* ---- after each interval --------------------------------------------------------------------------- */

static int spell_open(struct track *t, size_t server, int64_t onset_ns)
{
	struct spell *c = calloc(1, sizeof(*c));

	if (!c || array_put(&t->spells, &t->n_spells, c)) {
		free(c);
		return -ENOMEM;
	}
	c->server = server;
	c->onset_ns = onset_ns;
	t->servers[server].open = c;
	return 0;
}

/* What was told keeps its numbers; whether it is still so is as it is now. */
static void spell_now(struct spell *c)
{
	for (size_t i = 0; i < c->incident.n_findings; i++) {
		struct finding *told = &c->incident.findings[i],
			       *now = finding_among(c->findings, c->n, told, i);

		told->open = now && now->open;
		told->held = now && now->open && now->held;
	}
}

/* The question that its findings were gathered for is settled. Nothing is told of what came to nothing. */
static void spell_close(struct track *t, struct spell *c)
{
	size_t i = t->n_spells;

	c->state = track_next(c->state, SIGN_NOTHING);
	t->servers[c->server].open = NULL;
	free(c->findings);
	c->findings = NULL;
	c->n = c->cap = 0;
	spell_now(c);
	if (c->state == TRACK_OVER && c->ruled != RULE_NOTHING)
		return;
	while (t->spells[--i] != c)
		;
	memmove(&t->spells[i], &t->spells[i + 1], (t->n_spells - i - 1) * sizeof(*t->spells));
	t->n_spells--;
	spell_free(c);
}

/* With its findings as they are now. */
static int spell_keep(struct spell *c, const struct incident *a)
{
	struct incident copy;

	if (incident_copy(&copy, a))
		return -ENOMEM;
	free(c->incident.findings);
	c->incident = copy;
	return 0;
}

static int spell_rule(struct track *t, struct spell *c, int64_t to_ns)
{
	const struct track_mark *mark = &t->servers[c->server].mark;
	size_t n = current(t, c, to_ns);
	int64_t onset = since(&t->rules, c, n);
	struct notice m = {.node = c->server, .from_ns = onset, .to_ns = to_ns};
	struct incident a = {
		.node = c->server,
		.suspicion = c->suspicion,
		.onset_ns = c->ruled_ns ? c->incident.onset_ns : onset,
		.decided_ns = c->ruled_ns ? c->ruled_ns : to_ns,
		.last_ns = c->last_ns,
		.findings = c->findings,
		.n_findings = n,
		.open = true,
		.times = mark->times ? mark->times : 1,
		.duty = mark->times ? mark->duty : 1,
	};
	enum ruled ruled;
	int err = t->rules.rule(t->rules.arg, onset, &a, &m, &ruled);

	/* what was told stays told: later intervals may show less of it */
	if (!err && ruled == RULE_INCIDENT)
		err = spell_keep(c, &a);
	if (err)
		return err;
	if (ruled == RULE_NOTICE)
		c->notice = m;
	if (ruled != RULE_INCIDENT && c->ruled_ns)
		return 0;
	c->ruled = ruled;
	c->state = track_next(c->state, ruled != RULE_INCIDENT ? SIGN_NO_FAULT
					: c->suspicion	       ? SIGN_SUSPICIOUS
							       : SIGN_INDICTS);
	if (ruled == RULE_INCIDENT && !c->ruled_ns) {
		c->id = spell_id(t, c);
		c->ruled_ns = a.decided_ns;
	}
	return 0;
}

/* A server that was suspicious and indicts now does so from now on. Whether that is so now, and the rules are to
 * be asked anew: what they said of a suspicion is told until then. */
static bool spell_promote(struct spell *c, const struct track_mark *mark, int64_t to_ns)
{
	enum suspicion was = c->suspicion;

	if (c->decided_ns && was == SUSPICION_NONE)
		return false;
	c->suspicion = mark->indicts	 ? SUSPICION_NONE
		       : mark->brief	 ? SUSPICION_BRIEF
		       : mark->suspicion ? mark->suspicion
		       : mark->few	 ? SUSPICION_PEERS
					 : SUSPICION_DATA;
	if (!c->decided_ns || c->suspicion == SUSPICION_NONE)
		c->decided_ns = to_ns;
	if (was != c->suspicion && c->ruled_ns)
		c->ruled_n = 0; /* ask the rules again */
	if (was == SUSPICION_NONE || c->suspicion != SUSPICION_NONE)
		return false;
	c->ruled_ns = 0;
	return true;
}

void track_begin(struct track *t)
{
	for (size_t i = 0; i < t->n_servers; i++) {
		t->servers[i].mark = (struct track_mark){0};
		t->servers[i].marked = false;
	}
}

void track_mark(struct track *t, size_t server, const struct track_mark *m)
{
	struct track_server *s = &t->servers[server];
	struct track_mark *n = &s->mark;

	if (!s->marked || m->onset_ns < n->onset_ns)
		n->onset_ns = m->onset_ns;
	s->marked = true;
	n->last_ns = m->last_ns > n->last_ns ? m->last_ns : n->last_ns;
	n->indicts |= m->indicts;
	n->few |= m->few;
	n->brief |= m->brief;
	n->suspicion = n->suspicion ? n->suspicion : m->suspicion;
	n->duty = m->times > n->times ? m->duty : n->duty;
	n->times = m->times > n->times ? m->times : n->times;
	n->fresh |= m->fresh;
}

int track_open(struct track *t)
{
	int err = 0;

	for (size_t i = 0; i < t->n_servers && !err; i++) {
		struct track_server *s = &t->servers[i];

		if (s->marked && !s->open)
			err = spell_open(t, i, s->mark.onset_ns);
		for (size_t k = 0; s->open && k < s->open->n; k++)
			s->open->findings[k].open = false;
	}
	return err;
}

int track_update(struct track *t, int64_t to_ns)
{
	int err = 0;

	for (size_t i = 0; i < t->n_servers && !err; i++) {
		const struct track_mark *mark = &t->servers[i].mark;
		bool marked = t->servers[i].marked;
		struct spell *c = t->servers[i].open;
		bool anew;

		if (!c)
			continue;
		c->last_ns = mark->last_ns > c->last_ns ? mark->last_ns : c->last_ns;
		anew = marked && spell_promote(c, mark, to_ns);
		/* again when there is more to go by, and now and then: who does it may change */
		if (anew || (marked && !c->ruled_n) ||
		    (mark->fresh && (c->n != c->ruled_n || ++c->ruled_ago >= t->rules.again ||
				     c->ruled != RULE_INCIDENT))) {
			err = spell_rule(t, c, to_ns);
			c->ruled_n = c->n;
			c->ruled_ago = 0;
		}
		spell_now(c);
		if (!marked)
			spell_close(t, c);
	}
	return err;
}

int track_notice(struct track *t, const struct notice *m)
{
	for (size_t i = 0; i < t->n_notices; i++) {
		struct notice *was = &t->notices[i];
		int64_t from_ns = was->from_ns;

		if (notice_compare(was, m))
			continue;
		*was = *m;
		was->from_ns = from_ns;
		return 0;
	}
	return array_put(&t->notices, &t->n_notices, *m);
}

/* ---- the verdict ----------------------------------------------------------------------------------- */

/* The one that x goes on with: as it was told, or of the same cause. */
static struct incident *same_incident(const struct track *t, struct verdict *a,
				      const struct incident *x)
{
	for (size_t i = a->n_incidents; i-- > 0;)
		if (a->incidents[i].id == x->id)
			return &a->incidents[i];
	for (size_t i = a->n_incidents; i-- > 0;)
		if (is_again(t, &a->incidents[i], x))
			return &a->incidents[i];
	return NULL;
}

static int copy_incident(const struct track *t, struct verdict *a, const struct spell *c)
{
	struct incident told = spell_incident(c), x, *same;
	int err = 0;

	if (incident_copy(&x, &told))
		return -ENOMEM;
	same = same_incident(t, a, &x);
	if (same) {
		/* whichever's stay */
		if (t->rules.whole && (findings_unite(same, &x) || findings_unite(&x, same)))
			err = -ENOMEM;
		incident_join(same, &x);
		return err;
	}
	err = array_put(&a->incidents, &a->n_incidents, x);
	if (err)
		free(x.findings);
	return err;
}

static int copy_spell(const struct track *t, struct verdict *a, const struct spell *c,
		      int64_t always_ns)
{
	struct notice m = c->notice;

	if (c->ruled_ns)
		return copy_incident(t, a, c);
	/* One that never did what the others do has another part to play, such as metadata [D]. */
	if (m.kind == NOTICE_IDLE && track_state_open(c->state) && c->onset_ns <= always_ns)
		m.kind = NOTICE_ROLE;
	return c->ruled == RULE_NOTICE ? verdict_add_notice(a, &m) : 0;
}

/* Of what it says is worse; 0: it says no more than the cause. */
static double ratio_told(const struct incident *x)
{
	for (size_t i = 0; i < x->n_findings && x->detail.kind == DETAIL_SIGNAL; i++)
		if (x->findings[i].signal == x->detail.signal &&
		    !strcmp(x->findings[i].disk, x->detail.disk))
			return x->findings[i].ratio;
	return 0;
}

/* The operator knows of it: it is shown, and indicts nobody. */
static int incident_notice(struct verdict *a, const struct incident *x)
{
	const struct notice m = {.kind = NOTICE_ACKNOWLEDGED,
				 .node = x->node,
				 .from_ns = x->onset_ns,
				 .to_ns = x->last_ns,
				 .suspicious = x->suspicion != SUSPICION_NONE,
				 .cause = x->cause,
				 .ratio = ratio_told(x),
				 .detail = x->detail};

	return verdict_add_notice(a, &m);
}

static int acknowledged(const struct track *t, struct verdict *a)
{
	size_t n = a->n_incidents;
	int err = 0;

	a->n_incidents = 0;
	for (size_t i = 0; i < n; i++) {
		struct incident x = a->incidents[i];

		if (!t->servers[x.node].acknowledged) {
			a->incidents[a->n_incidents++] = x;
			continue;
		}
		err = err ? err : incident_notice(a, &x);
		free(x.findings);
	}
	return err;
}

int track_verdict(const struct track *t, struct verdict *a, int64_t always_ns)
{
	int err = 0;

	for (size_t i = 0; i < t->n_spells && !err && !a->cannot.why; i++)
		err = copy_spell(t, a, t->spells[i], always_ns);
	err = err ? err : acknowledged(t, a);
	verdict_incidents_sort(a, true);
	for (size_t i = 0; i < t->n_notices && !err; i++) {
		err = verdict_add_notice(a, &t->notices[i]);
		if (!err && verdict_indicts(a))
			a->notices[a->n_notices - 1].replaces = false;
	}
	return err;
}

/* ---- forgetting ------------------------------------------------------------------------------------ */

static bool indicts(const struct track *t, const struct spell *c)
{
	return c->ruled_ns && !t->servers[c->server].acknowledged;
}

/* The spell after spells[i] that is of the same incident; NULL: the incident ended there. */
static struct spell *next_of(const struct track *t, size_t i)
{
	const struct spell *c = t->spells[i];
	struct incident was = spell_incident(c), x;

	for (size_t k = i + 1; k < t->n_spells && indicts(t, c); k++) {
		if (t->spells[k]->server != c->server || !t->spells[k]->ruled_ns)
			continue;
		x = spell_incident(t->spells[k]);
		if (x.id == was.id || is_again(t, &was, &x))
			return t->spells[k];
	}
	return NULL;
}

static bool is_over(const struct spell *c, int64_t before_ns)
{
	return c->state == TRACK_OVER && c->last_ns < before_ns;
}

/* Both are over, and of one incident: one spell is enough for it. */
static void spell_fold(struct spell *c, struct spell *into)
{
	struct incident a = spell_incident(c), b = spell_incident(into);

	incident_join(&a, &b);
	into->incident = a;
	into->id = a.id;
	into->ruled_ns = a.decided_ns;
	into->last_ns = a.last_ns;
	into->onset_ns = c->onset_ns;
	c->incident.findings = NULL; /* it is in `a`, or freed */
	spell_free(c);
}

void track_forget(struct track *t, int64_t before_ns, void (*gone)(void *arg, size_t server),
		  void *arg)
{
	size_t kept = 0;

	/* from left to right: what a spell is folded into comes later, and may be folded in turn */
	for (size_t i = 0; i < t->n_spells; i++) {
		struct spell *c = t->spells[i],
			     *next = is_over(c, before_ns) ? next_of(t, i) : NULL;

		if (!is_over(c, before_ns) || (next && !is_over(next, before_ns))) {
			t->spells[kept++] = c;
		} else if (next) {
			spell_fold(c, next);
		} else {
			if (indicts(t, c))
				gone(arg, c->server);
			spell_free(c);
		}
	}
	t->n_spells = kept;
	t->n_notices = keep_if(i, t->notices, t->n_notices, t->notices[i].to_ns >= before_ns);
}
