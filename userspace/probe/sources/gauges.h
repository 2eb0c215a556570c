/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is recorded but need not be of the very moment of a sweep: load average, memory, pressure.
 * Read by the thread that merges, so that the real-time one has less to do.
 */
#ifndef LIMPET_GAUGES_H
#define LIMPET_GAUGES_H

#include "procfile.h"

struct load {
	double ldavg_1, ldavg_5;
	uint64_t tasks;
};

struct memory_kb {
	__u64 free, available, dirty;
};

/* Time lost for want of a resource, us since boot: "some" task waited, "full": all did. */
enum pressure_kind { PRESSURE_CPU, PRESSURE_IO, PRESSURE_MEMORY, PRESSURES };

struct pressure {
	uint64_t some_us, full_us; /* UNKNOWN where the kernel has none */
};

struct gauges {
	uint64_t mono_ns; /* when they were read: pressure is a rate over their own time */
	bool load_ok, memory_ok;
	struct load load;
	struct memory_kb memory;
	struct pressure pressure[PRESSURES];
};

struct gauges_reader {
	int loadavg_fd, meminfo_fd, pressure_fd[PRESSURES];
	struct procfile_buf buf;
};

int gauges_open(struct gauges_reader *r); /* 0 or -ENOMEM; a file that is not there is no error */
void gauges_close(struct gauges_reader *r);
void gauges_read(struct gauges_reader *r, struct gauges *out);

#endif
