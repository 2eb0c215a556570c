/* SPDX-License-Identifier: BSD-2-Clause */
/* Between interval.c and interval_lat.c. */
#ifndef LIMPET_INTERVAL_LAT_H
#define LIMPET_INTERVAL_LAT_H

#include "interval.h"

/* The histograms of one second of the disk. 0 or -ENOMEM. */
int interval_add_lats(struct interval_disk *d, const struct second_row *row, double interval_s);

#endif
