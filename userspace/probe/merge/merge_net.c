// SPDX-License-Identifier: BSD-2-Clause
/* Network interfaces. */
#include <errno.h>
#include <string.h>

#include "internal.h"

static const struct netdev_counters *find(const struct reading *r, const char *name)
{
	for (size_t i = 0; i < r->n_netdevs; i++)
		if (!strcmp(r->netdev[i].name, name))
			return &r->netdev[i];
	return NULL;
}

/* As sar -n DEV: of the busier direction, the link being full duplex. */
static double utilisation(const struct merge *m, const char *name, const struct second_row *row)
{
	int64_t mbps = m->o.speed_mbps ? m->o.speed_mbps(m->o.speed_arg, name) : -1;

	if (mbps <= 0)
		return NAN;
	return fmax(second_value(row, M_RXKB_S), second_value(row, M_TXKB_S)) * 1024 * 8 /
	       ((double)mbps * 1e6) * 100;
}

int merge_add_netdevs(const struct merge *m, double dt, struct second *out)
{
	const struct reading *reading = &m->now->reading;

	for (size_t i = 0; i < reading->n_netdevs; i++) {
		const struct netdev_counters *a = &reading->netdev[i];
		const struct netdev_counters *b = find(&m->before->reading, a->name);
		struct second_row *row = second_add_row(out, FAM_NET, a->name, 0);

		if (!row)
			return -ENOMEM;
		/* A new interface, or one made again under the same name: no rate yet. */
		if (!b || a->rx_bytes < b->rx_bytes || a->tx_bytes < b->tx_bytes)
			continue;
		second_set(row, M_RXKB_S, rate(a->rx_bytes, b->rx_bytes, 1024, dt));
		second_set(row, M_TXKB_S, rate(a->tx_bytes, b->tx_bytes, 1024, dt));
		second_set(row, M_RXPCK_S, rate(a->rx_packets, b->rx_packets, 1, dt));
		second_set(row, M_TXPCK_S, rate(a->tx_packets, b->tx_packets, 1, dt));
		second_set(row, M_RXERR_S, rate(a->rx_errors, b->rx_errors, 1, dt));
		second_set(row, M_TXERR_S, rate(a->tx_errors, b->tx_errors, 1, dt));
		second_set(row, M_RXDROP_S, rate(a->rx_dropped, b->rx_dropped, 1, dt));
		second_set(row, M_TXDROP_S, rate(a->tx_dropped, b->tx_dropped, 1, dt));
		second_set(row, M_IFUTIL, utilisation(m, a->name, row));
	}
	return 0;
}
