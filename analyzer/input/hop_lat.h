/* SPDX-License-Identifier: BSD-2-Clause */
/* Between hop.c and hop_lat.c. */
#ifndef LIMPET_ROBUST_HOP_LAT_H
#define LIMPET_ROBUST_HOP_LAT_H

#include "hop.h"

/* The histograms of one second of the disk. 0 or -ENOMEM. */
int hop_add_lats(struct hop_disk *d, const struct second_row *row, double interval_s);

#endif
