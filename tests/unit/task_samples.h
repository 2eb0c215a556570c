/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel side tells of a thread, for the tests of what is made of it. */
#ifndef LIMPET_TEST_TASK_SAMPLES_H
#define LIMPET_TEST_TASK_SAMPLES_H

#include "bpf/record.h"

#include <stdint.h>

#define MS 1000000ULL
#define S  1000000000ULL

static inline struct task_sample sample(uint32_t pid, uint32_t tid, uint64_t start_ns,
					uint64_t cpu_ns, uint64_t read, uint64_t written)
{
	struct task_sample s = {
		.pid = pid,
		.tid = tid,
		.start_ns = start_ns,
		.leader_start_ns = pid == tid ? start_ns : pid,
		.cpu_ns = cpu_ns,
		.read_bytes = read,
		.write_bytes = written,
		.comm = "work",
	};

	return s;
}

#endif
