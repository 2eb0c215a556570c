// SPDX-License-Identifier: BSD-2-Clause
/* What is known about one server, in the terms in which rules ask. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stat/stats.h"
#include "userspace/common/sort.h"

double facts_or0(double x)
{
	return isfinite(x) ? x : 0;
}

bool facts_is_peer(const struct facts *f, const struct scene_node *n)
{
	return n != f->me && n->group == f->me->group && !n->silent && n->now.seconds;
}

double facts_peers_some(const struct facts *f, bool before, size_t least, facts_number *of,
			const void *arg)
{
	double *x = calloc(f->s->n_nodes + 1, sizeof(*x)), m;
	size_t n = 0;

	if (!x)
		return NAN;
	for (size_t i = 0; i < f->s->n_nodes; i++) {
		const struct scene_node *node = &f->s->nodes[i];
		double v;

		if (!facts_is_peer(f, node) || (before && !node->before.seconds))
			continue;
		v = of(before ? &node->before : &node->now, arg);
		if (isfinite(v))
			x[n++] = v;
	}
	stats_sort(x, n);
	m = n >= least ? stats_sorted_median(x, n) : NAN;
	free(x);
	return m;
}

double facts_peers(const struct facts *f, facts_number *of, const void *arg)
{
	return facts_peers_at(f, false, of, arg);
}

double facts_peers_at(const struct facts *f, bool before, facts_number *of, const void *arg)
{
	return facts_peers_some(f, before, 1, of, arg);
}

static void note(const struct finding **at, const struct finding *e)
{
	if (!*at || (*at)->symptom > e->symptom ||
	    ((*at)->symptom == e->symptom && facts_or0((*at)->z) < facts_or0(e->z)))
		*at = e;
}

static bool foreign(const struct finding *e)
{
	return e->signal < SIG_COUNT && (FOR_DISK_HOG & ONE(e->signal));
}

/* Signals that agree indict with a latency only: a queue alone may be of more requests. */
static bool is_queue_alone(const struct finding *e)
{
	bool latency = e->signal != SIG_DISK_TOGETHER;

	for (size_t i = 0; i < FINDING_PARTS; i++)
		latency |= e->parts[i].ratio > 0 && e->parts[i].signal != SIG_QUEUE;
	return !latency;
}

/* Who is busy on a disk that only the system is on is in nobody's way, and nor is what becomes of it. */
static bool aside(const struct scene *s, const struct incident *a, const struct finding *e)
{
	if (signals[e->signal].level != LEVEL_DISK)
		return false;
	return any_of(i, a->n_findings,
		      foreign(&a->findings[i]) && !strcmp(a->findings[i].disk, e->disk)) &&
	       disk_unused(&s->nodes[a->node], e->disk);
}

static bool of_disk(const struct finding *e, const char *disk)
{
	return signals[e->signal].level != LEVEL_DISK || !strcmp(e->disk, disk);
}

/* Where nobody counts others' bytes: the disk on which they are most, or NULL. */
static const char *by_names(const struct facts *f, const struct finding *worst)
{
	const struct interval *h = &f->me->now;
	const char *found = NULL;
	double most = 0;

	if (origin_of(f->me) != ORIGIN_NAMES)
		return NULL;
	for (size_t i = 0; i < h->n_disks; i++) {
		const char *disk = h->disks[i].name;
		struct others o = disk_others(f, f->me, disk);
		double kb = o.read_kb + o.written_kb;

		/* of a disk and what lies on it the one in trouble */
		if (kb > most || (kb >= most && worst && !strcmp(worst->disk, disk)))
			if (kb > 0 && disk_others_up(f, disk)) {
				most = kb;
				found = disk;
			}
	}
	return found;
}

/* Of several disks in trouble the one that rules look at: a hog is looked for on the disk it is on,
 * whatever suffers most, unless that one is as quick as ever, or nothing is sure about it, and another is
 * not. A trickle beside the file system's own bytes is no hog, and chooses no disk. */
static void pick_disk(struct facts *f)
{
	const struct incident *a = f->a;
	const char *hogged = NULL, *trickle = NULL;
	const struct finding *worst = NULL;
	bool suffers = false, sure = false;

	for (size_t i = 0; i < a->n_findings; i++) {
		const struct finding *e = &a->findings[i];

		if (e->signal >= SIG_COUNT || aside(f->s, a, e) ||
		    signals[e->signal].level != LEVEL_DISK || signals[e->signal].role != ROLE_LOCAL)
			continue;
		if (!foreign(e))
			worst = worst ? worst : e;
		else if (disk_hogged(&f->me->now, e->disk))
			hogged = hogged ? hogged : e->disk;
		else
			trickle = trickle ? trickle : e->disk;
	}
	hogged = hogged ? hogged : by_names(f, worst);
	for (size_t i = 0; hogged && i < a->n_findings; i++) {
		const struct finding *e = &a->findings[i];

		if (strcmp(e->disk, hogged) != 0)
			continue;
		suffers |= signals[e->signal].kind == KIND_LATENCY || e->signal == SIG_QUEUE;
		sure |= !e->symptom;
	}
	f->disk = hogged ? hogged : worst ? worst->disk : trickle ? trickle : "";
	if (hogged && worst &&
	    ((!sure && !worst->symptom) || (!suffers && disk_await_ratio(f) < HOG_AWAIT)))
		f->disk = worst->disk;
}

void facts_gather(struct facts *f, const struct scene *s, const struct incident *a)
{
	*f = (struct facts){.s = s, .me = &s->nodes[a->node], .a = a, .disk = ""};
	pick_disk(f);
	for (size_t i = 0; i < a->n_findings; i++) {
		const struct finding *e = &a->findings[i];

		if (e->signal >= SIG_COUNT || aside(s, a, e) || (*f->disk && !of_disk(e, f->disk)))
			continue;
		if (signals[e->signal].role == ROLE_LOAD && e->ratio < 1) {
			note(&f->less[e->signal], e);
			continue;
		}
		note(&f->of[e->signal], e);
		f->up |= ONE(e->signal);
		f->indicted |= e->symptom || is_queue_alone(e) ? 0 : ONE(e->signal);
	}
	f->others = disk_others(f, f->me, f->disk);
	f->hogged = f->others.how == ORIGIN_COUNTED
			    ? (f->up & FOR_DISK_HOG) && disk_hogged(&f->me->now, f->disk)
			    : disk_others_up(f, f->disk);
	for (size_t i = 0; i < s->n_nodes; i++)
		f->n_peers += facts_is_peer(f, &s->nodes[i]);
	if (links_judge(s, f->me, &f->links))
		f->links = (struct links){.send.verdict = LINK_UNKNOWN,
					  .recv.verdict = LINK_UNKNOWN,
					  .unheard.verdict = LINK_UNKNOWN};
}

const char *rules_disk(const struct scene *s, const struct incident *a)
{
	struct facts f = {.s = s, .me = &s->nodes[a->node], .a = a};

	pick_disk(&f);
	return f.disk;
}

bool facts_up(const struct facts *f, enum signal s)
{
	return f->up & ONE(s);
}

bool facts_indicted(const struct facts *f, enum signal s)
{
	return f->indicted & ONE(s);
}

/* Whether the latency that is up most is that of writes, and by which ratio; where none is by itself, the mean. */
bool facts_worst_is_write(const struct facts *f, double *ratio)
{
	static const enum signal of[] = {SIG_READ_DEVICE, SIG_WRITE_DEVICE, SIG_READ,
					 SIG_WRITE,	  SIG_READ_AWAIT,   SIG_WRITE_AWAIT};
	bool write = false, sure = f->indicted & LATENCY & ~ONE(SIG_DISK_TOGETHER);
	double z = -1;

	*ratio = fmax(1, disk_await_worst(f, &write));
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
		if (facts_up(f, of[i]) && (!sure || facts_indicted(f, of[i])) &&
		    facts_or0(f->of[of[i]]->z) > z) {
			z = facts_or0(f->of[of[i]]->z);
			write = i % 2;
			*ratio = fmax(1, facts_or0(f->of[of[i]]->ratio));
		}
	return write;
}

/* How much more of something this server has to do than its peers' median; 0: not measured. Raw, without
 * the constants and votes that are there that a trickle indicts nobody: this excuses. */
static double more(const struct facts *f, facts_number *of, const void *arg)
{
	double own = of(&f->me->now, arg), peers = facts_peers(f, of, arg);

	return own > 0 && peers > 0 ? own / peers : 0;
}

static double traffic(const struct interval *h, const void *arg)
{
	return acc_mean(h->acc[*(const enum node_acc *)arg]);
}

double facts_own_kb(const struct interval *h, const void *arg)
{
	(void)arg;
	return disk_own_kb(h, "");
}

static double own_ops(const struct interval *h, const void *arg)
{
	(void)arg;
	return disk_own_ops(h);
}

double facts_demand(const struct facts *f)
{
	static const enum node_acc rx = NA_FS_RX_KB, tx = NA_FS_TX_KB;
	double net = fmax(more(f, traffic, &rx), more(f, traffic, &tx));

	/* What a file system's server has to do comes over the network; work of its disks that does
	 * not is no demand (writes of others whose origin the kernel does not tell). */
	if ((net > 0 && net < HOT) || f->hogged || disk_beyond_demand(f))
		return 0;
	/* nor is work of which neither the way here nor the origin is known */
	if (!(net > 0) && f->others.how != ORIGIN_COUNTED)
		return 0;
	return fmax(more(f, facts_own_kb, NULL), more(f, own_ops, NULL));
}

bool facts_hot(const struct facts *f)
{
	double load = facts_demand(f), ratio;

	facts_worst_is_write(f, &ratio);
	return disk_load_explains(f, load, ratio);
}

bool facts_more_traffic(const struct facts *f)
{
	static const enum signal demand[] = {SIG_NET_RX, SIG_NET_TX};

	return any_of(i, sizeof(demand) / sizeof(*demand),
		      facts_up(f, demand[i]) && f->of[demand[i]]->ratio >= HOT);
}
