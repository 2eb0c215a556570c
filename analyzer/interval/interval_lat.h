/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of this room share. */
#ifndef LIMPET_INTERVAL_LAT_H
#define LIMPET_INTERVAL_LAT_H

#include "interval.h"

/* The histograms of one second of the disk. 0 or -ENOMEM. */
int interval_add_lats(struct interval_disk *d, const struct second_row *row, double interval_s);

/* Two of one type, which begins with its name: adds what the one has to the other. */
typedef void (*interval_add_fn)(void *to, const void *from);
void interval_add_remote(void *to, const void *from);

#endif
