// SPDX-License-Identifier: BSD-2-Clause
/* From findings of columns to cause: a table of rules, first hit wins. */
#include "rules_columns.h"

#include <stdio.h>
#include <string.h>

#include "speaks.h"
#include "userspace/common/sort.h"

#define READS  (ONE(SIG_READ_AWAIT) | ONE(SIG_READ_DEVICE))
#define WRITES (ONE(SIG_WRITE_AWAIT) | ONE(SIG_WRITE_DEVICE))
#define MEMORY FOR_MEMORY_PRESSURE
#define OTHER  ONE(SIG_COUNT)
#define ANY    UINT64_MAX

/* What is worse at another time is another trouble. Times are known within the column's own recent_ns, or by such a part of
 * the time in which the surest column was worse. */
enum { TIME_PARTS = 8 };

/*
 * Swapping is disk work: it comes before the disk that it makes slow. Which part of a disk's bytes is others' no
 * column says: beside them it may be these or the device. That requests wait is no cause: they do behind others, in the
 * kernel, and at a disk that has more to do. The device's own time is one.
 */
static const struct column_rule {
	uint64_t surest; /* a column of one of these is worse now, and the surest of all */
	uint64_t
		rests; /* one of these was worse at the same time, on this disk or the server: the cause rests on it */
	uint64_t along; /* one of these is worse now; 0: none need be */
	enum cause cause;
	enum why why; /* WHY_PEERS: as it was compared */
	enum direction direction;
} rules[] = {
	/* clang-format off */
	{READS | WRITES | MEMORY, ONE(SIG_SWAP), ONE(SIG_MEM_STALL), CAUSE_MEMORY_PRESSURE, WHY_SWAPPING, 0},
	{READS | WRITES | MEMORY, MEMORY, 0, CAUSE_MEMORY_PRESSURE, WHY_PEERS, 0},
	{READS | WRITES, READS | WRITES, FOR_DISK_HOG, CAUSE_SLOW, WHY_PEERS, 0},
	{READS, READS & FOR_DEVICE_SLOW, 0, CAUSE_DEVICE_SLOW, WHY_PEERS, DIRECTION_READ},
	{WRITES, WRITES & FOR_DEVICE_SLOW, 0, CAUSE_DEVICE_SLOW, WHY_PEERS, DIRECTION_WRITE},
	{FOR_CPU_HOG, FOR_CPU_HOG, 0, CAUSE_CPU_HOG, WHY_CAUSE, 0},
	/* clang-format on */
};

struct known {
	const struct rules_column *columns;
	const struct incident *a;
	int64_t newest_ns; /* the last bad interval of any that indicts */
};

static bool within(int64_t a_ns, int64_t b_ns, uint64_t most_ns)
{
	return (a_ns > b_ns ? (uint64_t)a_ns - (uint64_t)b_ns : (uint64_t)b_ns - (uint64_t)a_ns) <=
	       most_ns;
}

static uint64_t recent(const struct known *k, const struct finding *e)
{
	return (uint64_t)k->columns[e->signal].recent_ns;
}

static bool is_now(const struct known *k, const struct finding *e)
{
	return !e->symptom && within(k->newest_ns, e->last_ns, recent(k, e));
}

/* From the same time on, and to the same time. */
static bool is_together(const struct known *k, const struct finding *e,
			const struct finding *surest)
{
	uint64_t part = ((uint64_t)surest->last_ns - (uint64_t)surest->onset_ns) / TIME_PARTS,
		 most = part > recent(k, e) ? part : recent(k, e);

	return !e->symptom && within(e->onset_ns, surest->onset_ns, most) &&
	       within(e->last_ns, surest->last_ns, most);
}

/* Of which signals it is, a bit each; OTHER: of none, or not beyond what counts in that signal. */
static uint64_t signals_of(const struct known *k, const struct finding *e)
{
	const struct rules_column *c = &k->columns[e->signal];

	if (c->signal == SIG_COUNT || e->value - e->peers <= signals[c->signal].floor)
		return OTHER;
	return ONE(c->signal) | (c->both ? ONE(SIG_READ_AWAIT) : 0);
}

/* The surest that is worse now, of one of these signals. */
static const struct finding *find_now(const struct known *k, uint64_t of)
{
	const struct finding *at = k->a->findings;

	return find_if(i, at, k->a->n_findings, is_now(k, &at[i]) && (signals_of(k, &at[i]) & of));
}

static bool is_beside(const struct finding *e, const struct finding *other)
{
	return !*e->disk || !*other->disk || !strcmp(e->disk, other->disk);
}

/* The surest of these signals beside another finding, worse now or, with `together`, when that was. */
static const struct finding *find_beside(const struct known *k, uint64_t of,
					 const struct finding *other, bool together)
{
	for (size_t i = 0; i < k->a->n_findings; i++) {
		const struct finding *e = &k->a->findings[i];

		if ((together ? is_together(k, e, other) : is_now(k, e)) && is_beside(e, other) &&
		    (signals_of(k, e) & of))
			return e;
	}
	return NULL;
}

static const struct finding *holds(const struct known *k, const struct column_rule *r,
				   const struct finding *surest)
{
	const struct finding *e =
		signals_of(k, surest) & r->surest ? find_beside(k, r->rests, surest, true) : NULL;

	if (!e || (r->along && !find_beside(k, r->along, e, false)))
		return NULL;
	/* more load would look the same */
	return r->cause == CAUSE_DEVICE_SLOW && !k->columns[e->signal].at_rate ? NULL : e;
}

const struct finding *rules_columns(const struct rules_column *columns, struct incident *a)
{
	static const struct column_rule unknown = {.cause = CAUSE_SLOW, .why = WHY_PEERS};
	struct known k = {.columns = columns, .a = a, .newest_ns = INT64_MIN};
	const struct column_rule *r = &unknown;
	const struct finding *surest, *e = NULL;

	for (size_t i = 0; i < a->n_findings; i++)
		if (!a->findings[i].symptom && a->findings[i].last_ns > k.newest_ns)
			k.newest_ns = a->findings[i].last_ns;
	/* others' bytes are trouble for what else is worse only */
	surest = find_now(&k, ~FOR_DISK_HOG) ?: a->findings;
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules) && !e; i++) {
		e = holds(&k, &rules[i], surest);
		r = e ? &rules[i] : &unknown;
	}
	e = e ?: find_now(&k, ANY) ?: a->findings;
	a->cause = r->cause;
	a->why = r->why != WHY_PEERS	      ? r->why
		 : e->chronic		      ? WHY_CHRONIC
		 : columns[e->signal].at_load ? WHY_EQUAL_LOAD
					      : WHY_PEERS;
	a->detail = (struct detail){
		.kind = DETAIL_SIGNAL, .signal = e->signal, .direction = r->direction};
	snprintf(a->detail.disk, sizeof(a->detail.disk), "%s", e->disk);
	return e;
}
