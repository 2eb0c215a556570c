// SPDX-License-Identifier: BSD-2-Clause
/*
 * The table of faults: FAST'10's six (slides, "Fault Types") and Ganesha's four (table 2). A fault is
 * a number in struct effect; what follows from it is the models' business.
 */
#include <string.h>

#include "sim.h"

#define E(field) offsetof(struct effect, field)

/* A share is what the competitor gets while the file system wants everything; it takes what is left
 * besides. 5 % of packets [R: FAST'10, netfilter]; 70 % of the processors and 50 % of packets [P:
 * Ganesha, table 2]; shares of one half [D]: two streams that a fair scheduler treats alike. */
const struct fault faults[] = {
	{"disk-hog", true, false, 0.5, 0.95, E(disk_share), E(seen_read),
	 "another program reads the server's disk"},
	{"disk-busy", true, false, 0.5, 0.95, E(disk_share), E(disk_share),
	 "somebody else works the array behind the server's disk"},
	{"write-network-hog", true, false, 0.5, 0.95, E(rx_share), E(rx_share),
	 "another host sends to the server"},
	{"read-network-hog", true, false, 0.5, 0.95, E(tx_share), E(tx_share),
	 "another program on the server sends"},
	{"receive-packet-loss", true, false, 0.05, 0.9, E(rx_loss), E(rx_loss),
	 "packets to the server are lost"},
	{"send-packet-loss", true, false, 0.05, 0.9, E(tx_loss), E(tx_loss),
	 "packets from the server are lost"},
	{"cpu-hog", false, true, 0.7, 0.95, E(cpu_share), E(cpu_share),
	 "another program takes the processors"},
	{"disk-hog", false, true, 0.5, 0.95, E(disk_share), E(seen_write),
	 "another program writes to the slave's disk"},
	{"packet-loss", false, true, 0.5, 0.9, E(rx_loss), E(tx_loss),
	 "packets of the slave are lost, both ways"},
	{"hang", false, true, 1, 1, E(hang), E(hang), "a task turns for ever (HADOOP-1036)"},
	{NULL, false, false, 0, 0, 0, 0, NULL},
};

const struct fault *fault_by_name(const char *name, bool hadoop)
{
	for (const struct fault *f = faults; f->name; f++)
		if ((hadoop ? f->hadoop : f->pfs) && !strcmp(f->name, name))
			return f;
	return NULL;
}

struct effect fault_effect(const struct setup *s, unsigned int server, unsigned int second)
{
	struct effect e = {0};
	double *flag;

	if (!s->fault || server != s->node || second < s->fault_from ||
	    second - s->fault_from >= s->fault_seconds)
		return e;
	/* packet-loss has the same intensity both ways; the other flags are 1. */
	flag = (double *)((char *)&e + s->fault->flag);
	*flag = s->fault->flag == E(tx_loss) ? s->intensity : 1;
	*(double *)((char *)&e + s->fault->field) = s->intensity;
	return e;
}
