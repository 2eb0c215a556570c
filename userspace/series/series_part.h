/* SPDX-License-Identifier: BSD-2-Clause */
/* What the two ends of a copy share (series.h, "copying a file"): kinds of rows, and their bounds. */
#ifndef LIMPET_SERIES_PART_H
#define LIMPET_SERIES_PART_H

enum part_row {
	PART_META = 1,
	PART_BOOT,
	PART_METRIC,
	PART_DEVICE,
	PART_CHUNK,
	PART_STACKS,
	PART_FROM,
};

/* A part is no longer than PART_MAX. Rows of tables and stacks end once it is longer than PART_FULL: a chunk is at most the rest. */
#define PART_FULL (256 << 10)
#define PART_MAX  ((4 << 20) - (64 << 10))
#define PART_KEY  64  /* of meta, with the NUL */
#define PART_TEXT 256 /* of boot and device, with the NUL */
/* A text of meta, with the NUL; the lists of series.h are shorter. */
#define PART_VALUE (SERIES_MAX_CGROUPS * SERIES_CGROUP_LEN + 1)
/* Rows of meta that are not copied: what is packed the receiver knows, and how much its own reading takes (series_keeper.c). */
#define PART_OWN "'packed', 'kept'"

#endif
