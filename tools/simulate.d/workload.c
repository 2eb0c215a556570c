// SPDX-License-Identifier: BSD-2-Clause
/* The table of workloads (FAST'10 slides, "Workloads"), and the clients that go through them. */
#include "workload.h"

#include <math.h>
#include <string.h>

/* name, seconds, window, size, read, hit, sync, disk size, seek, root, think, imbalance */
#define WRITES	   8, 256, 0, 0, 0, 512, 0.25, 0, 0, 0.02
#define READS(hit) 8, 256, 1, hit, 0, 256, 0.2, 0, 0, 0.02
#define FSYNC	   1, 256, 0, 0, 1, 512, 0.25, 0, 0, 0.02
#define PAUSE	   0, 256, 0, 0, 0, 256, 0, 0, 0, 0
#define SMALL	   1, 4, 0.5, 0.9, 0.25, 8, 0.5, 0.4, 0.001, 0.08

const struct workload workloads[] = {
	{"ddw", {{"write", 0, WRITES}}},
	{"ddr", {{"read", 0, READS(0.05)}}},
	{"iozonew",
	 {{"write", 80, WRITES},
	  {"fsync", 6, FSYNC},
	  {"close", 2, PAUSE},
	  {"rewrite", 70, WRITES},
	  {"fsync", 6, FSYNC},
	  {"remove", 4, PAUSE}}},
	{"iozoner",
	 {{"read", 90, READS(0.05)},
	  {"open", 3, PAUSE},
	  {"reread", 70, READS(0.4)},
	  {"open", 3, PAUSE}}},
	{"postmark",
	 {{"create", 60, 1, 4, 0.1, 0.9, 0.35, 8, 0.5, 0.6, 0.001, 0.08},
	  {"transactions", 400, SMALL},
	  {"delete", 40, 1, 1, 0.1, 0.9, 0.4, 8, 0.5, 0.7, 0.001, 0.08},
	  {"pause", 2, PAUSE}}},
	{"mixed",
	 {{"write", 50, WRITES},
	  {"small", 40, SMALL},
	  {"read", 50, READS(0.1)},
	  {"both", 40, 8, 128, 0.5, 0.1, 0, 256, 0.35, 0.02, 0, 0.03},
	  {"pause", 5, PAUSE}}},
	/* A third of what the disks can do: programs that compute between their requests. */
	{"light", {{"both", 0, 2, 256, 0.5, 0.3, 0, 256, 0.35, 0, 0.02, 0.03}}},
	{"idle", {{"idle", 0, PAUSE}}},
	{NULL, {{0}}},
};

const struct workload *workload_by_name(const char *name)
{
	for (const struct workload *w = workloads; w->name; w++)
		if (!strcmp(w->name, name))
			return w;
	return NULL;
}

/* Clients are started by hand or by mpirun: not at once. */
void client_init(struct client *c, struct rng rng)
{
	*c = (struct client){.rng = rng};
	c->starts = 1 + 2 * rng_uniform(&c->rng);
}

/* Each round of a phase takes a client up to some per cent more or less than the next client. */
static void next_phase(struct client *c, const struct workload *w)
{
	const struct phase *p = c->phase ? c->phase + 1 : w->phases;

	if (p == w->phases + PHASES_MAX || !p->name)
		p = w->phases;
	c->phase = p;
	c->left += p->seconds > 0 ? p->seconds * lognormal(&c->rng, 0.03) : INFINITY;
}

unsigned int clients_second(struct client *c, unsigned int n, const struct workload *w,
			    unsigned int t, struct phase *mix)
{
	unsigned int working = 0;

	*mix = (struct phase){.name = "mix"};
	for (unsigned int i = 0; i < n; i++) {
		const struct phase *p;

		if (t < c[i].starts)
			continue;
		while (!c[i].phase || c[i].left <= 0)
			next_phase(&c[i], w);
		c[i].left -= 1;
		p = c[i].phase;
		if (!(p->window > 0))
			continue;
		working++;
		mix->window += p->window;
		mix->size_kb += p->window * p->size_kb;
		mix->read += p->window * p->read;
		mix->hit += p->window * p->hit;
		mix->sync += p->window * p->sync;
		mix->disk_kb += p->window * p->disk_kb;
		mix->seek += p->window * p->seek;
		mix->root += p->window * p->root;
		mix->think_s += p->window * p->think_s;
		mix->imbalance += p->window * p->imbalance;
	}
	if (working)
		for (double *v = &mix->size_kb; v <= &mix->imbalance; v++)
			*v /= mix->window;
	return working;
}
