// SPDX-License-Identifier: BSD-2-Clause
/* Load average, memory and pressure, from /proc. */
#include "gauges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bpf/record.h"
#include "userspace/common/clock.h"

int gauges_open(struct gauges_reader *r)
{
	static const char *const pressure[PRESSURES] = {"cpu", "io", "memory"};
	char path[64];

	memset(r, 0, sizeof(*r));
	r->loadavg_fd = procfile_open("/proc/loadavg");
	r->meminfo_fd = procfile_open("/proc/meminfo");
	for (int i = 0; i < PRESSURES; i++) {
		snprintf(path, sizeof(path), "/proc/pressure/%s", pressure[i]);
		r->pressure_fd[i] = procfile_open(path);
	}
	return procfile_buf_init(&r->buf);
}

void gauges_close(struct gauges_reader *r)
{
	procfile_close(&r->loadavg_fd);
	procfile_close(&r->meminfo_fd);
	for (int i = 0; i < PRESSURES; i++)
		procfile_close(&r->pressure_fd[i]);
	procfile_buf_release(&r->buf);
}

static bool parse_loadavg(const char *text, struct load *l)
{
	const char *slash = text ? strchr(text, '/') : NULL;
	char *end, *end2;
	uint64_t tasks;

	if (!slash || procfile_numbers(slash + 1, &tasks, 1) != 1)
		return false;
	l->ldavg_1 = strtod(text, &end);
	l->ldavg_5 = strtod(end, &end2);
	l->tasks = tasks;
	return end != text && end2 != end;
}

static bool parse_meminfo(const char *text, struct memory_kb *m)
{
	return text && procfile_number(text, "MemFree:", &m->free) &&
	       procfile_number(text, "MemAvailable:", &m->available) &&
	       procfile_number(text, "Dirty:", &m->dirty);
}

static uint64_t pressure_total(const char *text, const char *key)
{
	const char *line = procfile_line(text, key), *total = line ? strstr(line, "total=") : NULL;
	uint64_t v;

	return total && procfile_numbers(total + 6, &v, 1) == 1 ? v : UNKNOWN;
}

void gauges_read(struct gauges_reader *r, struct gauges *out)
{
	out->mono_ns = (uint64_t)clock_ns(CLOCK_MONOTONIC);
	out->load_ok = parse_loadavg(procfile_read(&r->buf, r->loadavg_fd), &out->load);
	out->memory_ok = parse_meminfo(procfile_read(&r->buf, r->meminfo_fd), &out->memory);
	for (int i = 0; i < PRESSURES; i++) {
		const char *text = procfile_read(&r->buf, r->pressure_fd[i]);

		out->pressure[i].some_us = pressure_total(text, "some ");
		out->pressure[i].full_us = pressure_total(text, "full ");
	}
}
