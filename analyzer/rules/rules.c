// SPDX-License-Identifier: BSD-2-Clause
/* From findings to cause: the table of rules, first hit wins. */
#include "internal.h"

#include <math.h>
#include <stdio.h>

/* What is compared with here, and why. */

/* servers; below, the method itself is less sure */
#define FEW_SERVERS 5
/* less data than this, s: neither what is usual nor how long is known */
#define SHORT_S 90

/* ---- the table ------------------------------------------------------------------------------------ */

/*
 * First hit wins. The order, and why:
 * what others do here, which can be seen and does not come by chance (foreign bytes), before what is
 * only slow; what starves everything (memory, processors) before what it makes slow; disks, which are
 * this server's own, before connections, which have another end.
 */
static const struct rule {
	enum cause cause;
	enum why why;
	rule_holds *holds;
	rule_tell *tell;
} rules[] = {
	{CAUSE_BUSY_LOCK, WHY_CAUSE, rule_busy_lock, tell_busy_lock},
	{CAUSE_BUSY_CODE, WHY_CAUSE, rule_busy_code, tell_busy_code},
	{CAUSE_HUNG, WHY_CAUSE, rule_hung, tell_hung},
	{CAUSE_DISK_HOG, WHY_CAUSE, rule_disk_hog, tell_disk_hog},
	{CAUSE_NETWORK_HOG, WHY_FLOOD, rule_flood, tell_network_hog},
	{CAUSE_MEMORY_PRESSURE, WHY_SWAPPING, rule_swapping, tell_memory},
	{CAUSE_CPU_HOG, WHY_CPU_BUSY, rule_cpu_hog, tell_cpu_hog},
	{CAUSE_HUNG, WHY_UNREAD, rule_unread, tell_unread},
	{CAUSE_PACKET_LOSS, WHY_CAUSE, rule_loss_sure, tell_loss},
	{CAUSE_DEVICE_SLOW, WHY_CAUSE, rule_device_slow, tell_device_slow},
	{CAUSE_CPU_HOG, WHY_STARVED, rule_starved, tell_cpu_hog},
	{CAUSE_IO_SCHEDULER, WHY_CAUSE, rule_io_scheduler, tell_io_scheduler},
	{CAUSE_NETWORK_HOG, WHY_CAUSE, rule_network_hog, tell_network_hog},
	{CAUSE_PACKET_LOSS, WHY_CAUSE, rule_loss, tell_loss},
	{CAUSE_MEMORY_PRESSURE, WHY_CAUSE, rule_memory, tell_memory},
	{CAUSE_CPU_HOG, WHY_CAUSE, rule_cpu_queue, tell_cpu_hog},
};

static void notice(struct notice *r, enum notice_kind kind, const struct incident *a)
{
	*r = (struct notice){
		.kind = kind, .node = a->node, .from_ns = a->onset_ns, .to_ns = a->last_ns};
}

/* Whether it is maintenance that uses the disk or the processors: nobody's fault. */
static bool maintained(const struct facts *f, const struct incident *a, struct notice *r)
{
	const struct interval_process *p;
	double kb, all;

	if (a->cause != CAUSE_DISK_HOG && a->cause != CAUSE_DEVICE_SLOW &&
	    a->cause != CAUSE_CPU_HOG)
		return false;
	p = maintenance_process(f);
	if (!p || (*a->culprit.name && !rules_maintenance(a->culprit.name)))
		return false;
	all = disk_kb(&f->me->now, f->disk) * f->me->now.seconds;
	kb = facts_or0(p->read_kb) + facts_or0(p->written_kb);
	/* one that moves little is not what makes a disk slow that no other was found on */
	if (!*a->culprit.name && kb > 0 && kb < HOG_SHARE * all)
		return false;
	if (a->cause == CAUSE_DEVICE_SLOW && !(kb > 0) &&
	    !(maintenance_thread(p->name) && p->cpu_s > 0))
		return false;
	notice(r, NOTICE_MAINTENANCE, a);
	r->work = rules_maintenance(p->name);
	snprintf(r->process, sizeof(r->process), "%s", p->name);
	if (a->cause != CAUSE_CPU_HOG)
		snprintf(r->disk, sizeof(r->disk), "%s", f->disk);
	return true;
}

void doubt(struct incident *a, struct doubt why)
{
	if (a->n_doubts < DOUBTS_MAX)
		a->doubts[a->n_doubts++] = why;
}

static void doubts(const struct facts *f, struct incident *a)
{
	double stolen = value_of_node(SIG_STEAL, &f->me->now, (struct lone){0});

	if (f->n_peers + 1 < FEW_SERVERS)
		doubt(a, (struct doubt){.kind = DOUBT_FEW_PEERS, .n = (double)f->n_peers});
	if (f->me->now.seconds + f->me->before.seconds < SHORT_S)
		doubt(a, (struct doubt){.kind = DOUBT_SHORT,
					.n = f->me->now.seconds + f->me->before.seconds});
	/* where more is taken than from its peers, that is what hogs its processors */
	if (stolen >= STOLEN_MIN && !(facts_up(f, SIG_STEAL) && a->cause == CAUSE_CPU_HOG))
		doubt(a, (struct doubt){.kind = DOUBT_STOLEN, .n = stolen});
	if (a->held)
		doubt(a, (struct doubt){.kind = DOUBT_HELD});
}

/* Others use a disk, and no request waits for them. */
static bool foreign_use(const struct facts *f, struct notice *r)
{
	double all = disk_kb(&f->me->now, f->disk);
	struct culprit c;

	if (!f->hogged || !(all > 0))
		return false;
	culprit_disk(f, &c);
	if (f->others.how != ORIGIN_COUNTED && !*c.name)
		return false;
	notice(r, NOTICE_FOREIGN_USE, f->a);
	if (rules_maintenance(c.name)) {
		r->kind = NOTICE_MAINTENANCE;
		r->work = rules_maintenance(c.name);
	}
	snprintf(r->process, sizeof(r->process), "%s", c.name);
	snprintf(r->disk, sizeof(r->disk), "%s", f->disk);
	r->share = fmin(100, 100 * (f->others.read_kb + f->others.written_kb) / all);
	disk_busy(f, &r->busy);
	return true;
}

static const enum signal demands[] = {SIG_DISK_OPS, SIG_DISK_KB, SIG_NET_RX, SIG_NET_TX};
enum { DEMANDS = sizeof(demands) / sizeof(*demands) };

/* More demand than its peers have is no fault, where the requests were looked at and take no longer than that
 * explains. What a disk did beyond what crossed the network is no demand. */
static bool imbalance(const struct facts *f, struct notice *r)
{
	struct served served = disk_served(f, f->disk);

	for (size_t i = 0; i < DEMANDS; i++) {
		const struct finding *e = f->of[demands[i]];

		if (!e || (signals[e->signal].level == LEVEL_DISK && !(facts_demand(f) > 0)))
			continue;
		if (!served.checked || !served.explained)
			return false;
		notice(r, NOTICE_IMBALANCE, f->a);
		r->signal = e->signal;
		r->ratio = e->ratio;
		r->latency = served.ratio;
		return true;
	}
	return false;
}

/* No rule holds: what is it then? */
static enum ruled no_fault(const struct facts *f, struct notice *r)
{
	const struct link_side *l = &f->links.send;

	if (l->verdict != LINK_CLIENT && l->verdict != LINK_ONE)
		l = &f->links.recv;
	if (l->verdict != LINK_CLIENT && l->verdict != LINK_ONE)
		l = &f->links.unheard;
	if (f->up & FOR_PACKET_LOSS) {
		if (l->verdict == LINK_CLIENT && links_client(f->s, f->me, l->remote, r))
			return RULE_NOTICE;
		/* a port that has more to do may drop more, and a new client's most of all */
		if (l->verdict == LINK_ONE && !facts_more_traffic(f)) {
			size_t server = addresses_owner(f->s->addresses, f->me->group, l->remote);

			notice(r, NOTICE_CLIENT, f->a);
			snprintf(r->host, sizeof(r->host), "%s",
				 server < f->s->n_nodes ? f->s->nodes[server].name : l->remote);
			return RULE_NOTICE;
		}
	}
	if (foreign_use(f, r) || imbalance(f, r))
		return RULE_NOTICE;
	if ((f->indicted & LATENCY) && disk_bottleneck(f)) {
		notice(r, NOTICE_BOTTLENECK, f->a);
		r->ratio = disk_service_ratio(f);
		snprintf(r->disk, sizeof(r->disk), "%s", f->disk);
		return RULE_NOTICE;
	}
	if (facts_up(f, SIG_IDLE)) {
		notice(r, NOTICE_IDLE, f->a);
		r->signal = SIG_IDLE;
		return RULE_NOTICE;
	}
	for (size_t i = 0; i < DEMANDS; i++)
		if (f->less[demands[i]]) {
			notice(r, NOTICE_IDLE, f->a);
			r->signal = demands[i];
			return RULE_NOTICE;
		}
	return RULE_NOTHING;
}

enum ruled rules_apply(const struct scene *s, struct incident *a, struct notice *r)
{
	struct facts f;

	*r = (struct notice){.node = SIZE_MAX};
	if (a->node >= s->n_nodes)
		return RULE_NOTHING;
	facts_gather(&f, s, a);
	disk_ask(&f);
	a->cause = CAUSE_NONE;
	a->why = WHY_CAUSE;
	a->detail = (struct detail){0};
	a->guess = (struct guess){0};
	a->n_doubts = 0;
	a->culprit = (struct culprit){.share = NAN};
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules) && a->cause == CAUSE_NONE; i++)
		if (rules[i].holds(&f)) {
			a->cause = rules[i].cause;
			a->why = rules[i].why;
			rules[i].tell(&f, a);
		}
	if (a->cause == CAUSE_NONE)
		return no_fault(&f, r);
	if (maintained(&f, a, r))
		return RULE_NOTICE;
	doubts(&f, a);
	a->confidence = incident_confidence(a);
	return RULE_INCIDENT;
}

/* Where most are silent it is the recordings that have a hole, or the one that speaks has another clock. */
static bool mostly_silent(const struct scene *s, int32_t group)
{
	size_t silent = 0, all = 0;

	for (size_t i = 0; i < s->n_nodes; i++) {
		all += s->nodes[i].group == group;
		silent += s->nodes[i].group == group && s->nodes[i].silent;
	}
	return 2 * silent > all;
}

/* Servers whose disks are at work, and of which it cannot be told for whom. */
static int origins(const struct scene *s, int (*fn)(void *arg, const struct notice *r), void *arg)
{
	struct notice r = {.kind = NOTICE_ORIGIN, .node = SIZE_MAX};

	for (size_t i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->nodes[i];

		if (n->silent || !n->now.n_disks)
			continue;
		r.of++;
		r.servers += disk_kb(&n->now, "") > signals[SIG_DISK_KB].floor &&
			     origin_of(n) == ORIGIN_UNKNOWN;
	}
	return r.servers ? fn(arg, &r) : 0;
}

int rules_notices(const struct scene *s, int (*fn)(void *arg, const struct notice *r), void *arg)
{
	int err = links_clients(s, fn, arg) ?: origins(s, fn, arg);

	for (size_t i = 0; i < s->n_nodes && !err; i++) {
		struct notice r = {.kind = NOTICE_SILENT, .node = i};

		if (!s->nodes[i].silent || mostly_silent(s, s->nodes[i].group))
			continue;
		err = fn(arg, &r);
	}
	return err;
}
