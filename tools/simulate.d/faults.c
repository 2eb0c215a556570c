// SPDX-License-Identifier: BSD-2-Clause
/*
 * The table of faults: FAST'10's six (slides, "Fault Types"), Ganesha's four (table 2), those that the
 * papers have not, and what looks like a fault and is none. A fault is a number in struct effect; what
 * follows from it is the models' business.
 */
#include "sim.h"

#include <math.h>
#include <string.h>

#define E(field) offsetof(struct effect, field)
#define BURST_S	 20
#define FOREVER	 UINT32_MAX
#define ANOTHER	 0.15 /* chance that one more server has the other model of disk */

/* A share is what the competitor gets while the file system wants everything; it takes what is left
 * besides. 5 % of packets [R: FAST'10, netfilter]; 70 % of the processors and 50 % of packets [P:
 * Ganesha, table 2]; shares of one half [D]: two streams that a fair scheduler treats alike. A resync
 * of md gives way to others [D: a quarter]. A factor of 2 is what the word "limping" begins with. */
const struct fault faults[] = {
	{"disk-hog", true, false, 0.5, 0, 0.95, E(disk_share), E(seen_read), AT_NODE, false,
	 FOREVER, "another program reads the server's disk"},
	{"disk-busy", true, false, 0.5, 0, 0.95, E(disk_share), E(disk_share), AT_NODE, false,
	 FOREVER, "somebody else works the array behind the server's disk"},
	{"write-network-hog", true, false, 0.5, 0, 0.95, E(rx_share), E(rx_share), AT_NODE, false,
	 FOREVER, "another host sends to the server"},
	{"read-network-hog", true, false, 0.5, 0, 0.95, E(tx_share), E(tx_share), AT_NODE, false,
	 FOREVER, "another program on the server sends"},
	{"receive-packet-loss", true, false, 0.05, 0, 0.9, E(rx_loss), E(rx_loss), AT_NODE, false,
	 FOREVER, "packets to the server are lost"},
	{"send-packet-loss", true, false, 0.05, 0, 0.9, E(tx_loss), E(tx_loss), AT_NODE, false,
	 FOREVER, "packets from the server are lost"},
	{"slow-disk", true, false, 2, 1, 20, E(slow), E(slow), AT_NODE, false, FOREVER,
	 "the server's disk needs so many times as long"},
	{"io-scheduler", true, false, 3, 1, 20, E(held), E(held), AT_NODE, false, FOREVER,
	 "requests are held back before the disk gets them"},
	{"memory-pressure", true, false, 0.3, 0, 0.9, E(memory), E(memory), AT_NODE, false, FOREVER,
	 "another program takes the memory: tasks stall so much of the time"},
	{"hang", true, false, 1, 0, 1, E(hang), E(hang), AT_NODE, false, FOREVER,
	 "the server answers nothing any more"},
	{"imbalance", true, false, 2, 1, 20, E(hot), E(hot), AT_NODE, true, FOREVER,
	 "no fault: one server gets so many times its share of the load"},
	{"hardware", true, false, 1.75, 1, 20, E(other), E(other), AT_ALWAYS, true, FOREVER,
	 "no fault: some servers have another model of disk, so many times as slow"},
	{"fleet", true, false, 2, 1, 20, E(slow), E(slow), AT_ALL, true, FOREVER,
	 "no fault of one: all disks need so many times as long"},
	{"scrub", true, false, 0.25, 0, 0.95, E(disk_share), E(seen_read), AT_NODE, true, FOREVER,
	 "no fault: the server's array is read through (md0_resync)"},
	{"lossy-client", true, false, 0.05, 0, 0.9, E(client_loss), E(client_loss), AT_CLIENT, true,
	 FOREVER, "no fault of a server: packets of one client are lost, both ways"},
	{"burst", true, false, 4, 1, 20, E(slow), E(slow), AT_NODE, true, BURST_S,
	 "no lasting fault: the disk needs so many times as long for 20 s"},
	{"cpu-hog", true, true, 0.7, 0, 0.95, E(cpu_share), E(cpu_share), AT_NODE, false, FOREVER,
	 "another program takes the processors"},
	{"disk-hog", false, true, 0.5, 0, 0.95, E(disk_share), E(seen_write), AT_NODE, false,
	 FOREVER, "another program writes to the slave's disk"},
	{"packet-loss", false, true, 0.5, 0, 0.9, E(rx_loss), E(tx_loss), AT_NODE, false, FOREVER,
	 "packets of the slave are lost, both ways"},
	{"fleet", false, true, 0.85, 0, 0.95, E(cpu_share), E(cpu_share), AT_ALL, true, FOREVER,
	 "no fault of one: other programs take the processors of all slaves"},
	{"hang", false, true, 1, 0, 1, E(hang), E(hang), AT_NODE, false, FOREVER,
	 "a task turns for ever (HADOOP-1036)"},
	{0},
};

const struct fault *fault_by_name(const char *name, bool hadoop)
{
	for (const struct fault *f = faults; f->name; f++)
		if ((hadoop ? f->hadoop : f->pfs) && !strcmp(f->name, name))
			return f;
	return NULL;
}

bool fault_acts_on(const struct setup *s, unsigned int server)
{
	struct rng another;

	if (!s->fault || s->fault->where == AT_CLIENT)
		return false;
	if (s->fault->where == AT_ALL || server == s->node)
		return true;
	another = stream(s->cluster_seed, FOR_ANOTHER, server);
	return s->fault->where == AT_ALWAYS && rng_uniform(&another) < ANOTHER;
}

unsigned int fault_end(const struct setup *s)
{
	unsigned int most = s->fault ? s->fault->most_seconds : 0;

	return s->fault_from + (s->fault_seconds < most ? s->fault_seconds : most);
}

unsigned int fault_client(const struct setup *s)
{
	struct rng choice = stream(s->seed, FOR_CHOICE, 2);

	return (unsigned int)rng_below(&choice, s->clients);
}

unsigned int fault_since(const struct setup *s, unsigned int second)
{
	double since = second < s->fault_from ? 0 : second - s->fault_from;

	return (unsigned int)(s->duty.period_s > 0 ? fmod(since, s->duty.period_s) : since);
}

/* A program that reads the disk now and then, as each server has one at a time of its own. */
static double job_share(const struct setup *s, unsigned int server, unsigned int second)
{
	const struct duty *job = &s->habits.job;
	struct rng phase;

	if (!(job->period_s > 0) || server >= s->servers)
		return 0;
	phase = stream(s->seed, FOR_JOBS, server);
	return duty_on(job, second + rng_uniform(&phase) * job->period_s) ? s->habits.job_share : 0;
}

static struct effect of_fault(const struct setup *s, unsigned int server, unsigned int second)
{
	struct effect e = {0};
	double *flag;
	bool always = s->fault && s->fault->where == AT_ALWAYS;

	if (!s->fault || (!always && (second < s->fault_from || second >= fault_end(s) ||
				      !duty_on(&s->duty, second - s->fault_from))))
		return e;
	/* A client's trouble is met at every server. */
	if (s->fault->where != AT_CLIENT && !fault_acts_on(s, server))
		return e;
	/* packet-loss has the same intensity both ways; the other flags are 1. */
	flag = (double *)((char *)&e + s->fault->flag);
	*flag = s->fault->flag == E(tx_loss) ? s->intensity : 1;
	*(double *)((char *)&e + s->fault->field) = s->intensity;
	return e;
}

struct effect fault_effect(const struct setup *s, unsigned int server, unsigned int second)
{
	struct effect e = of_fault(s, server, second);

	e.job = job_share(s, server, second);
	if (e.job > 0 && e.disk_share > 0)
		e.disk_share = 1 - (1 - e.disk_share) * (1 - e.job);
	else if (e.job > 0)
		e.disk_share = e.job, e.seen_read = 1;
	return e;
}
