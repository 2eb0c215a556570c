/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The subcommands of limpet-probe and the selection options they share.
 */
#ifndef LIMPET_COMMANDS_H
#define LIMPET_COMMANDS_H

#include "options.h"
#include "probe.h"

struct selection_opts {
	struct string_list disks, cgroups, netdevs, ports;
	const char *netns, *attach;
};

#define SELECTION_OPTIONS(type)                                                          \
	{'d',	   "disk",                                                               \
	 OPT_LIST, offsetof(type, sel.disks),                                            \
	 "DISK",   "watch this disk (again for more; default: every real one)",          \
	 0,	   0},                                                                   \
		{'n',	     "netns",                                                    \
		 OPT_STRING, offsetof(type, sel.netns),                                  \
		 "NS",	     "network namespace, by name or path (default: ours)",       \
		 0,	     0},                                                         \
		{0,	   "netdev",                                                     \
		 OPT_LIST, offsetof(type, sel.netdevs),                                  \
		 "DEV",	   "count this interface (again for more; default: all but lo)", \
		 0,	   0},                                                           \
		{0,	   "port",                                                       \
		 OPT_LIST, offsetof(type, sel.ports),                                    \
		 "PORT",   "only TCP sockets with this local port (again for more)",     \
		 0,	   0},                                                           \
		{0,	   "cgroup",                                                     \
		 OPT_LIST, offsetof(type, sel.cgroups),                                  \
		 "PATH",   "what is the file system's own; other I/O counts as foreign", \
		 0,	   0},                                                           \
	{                                                                                \
		0, "attach", OPT_STRING, offsetof(type, sel.attach), "HOW",              \
			"auto, tp_btf or raw_tp: how to attach to tracepoints", 0, 0     \
	}

/* The selection resolved: what the probe, the reader and the merge need, with its storage. */
struct selection {
	struct disk disks[MAX_DISKS];
	size_t n_disks;
	struct cgroup_ref cgroups[MAX_CGROUPS];
	size_t n_cgroups;
	uint16_t ports[MAX_PORTS];
	size_t n_ports;
	struct netns netns;
	enum attach_mode attach;
};

/* 0, or an exit status after a message. */
int selection_resolve(struct selection *s, const struct selection_opts *o);
void selection_release(struct selection *s, struct selection_opts *o);
void selection_probe_opts(const struct selection *s, struct probe_opts *out);

extern const struct option_def record_options[], check_options[];
int cmd_record(int argc, char **argv);
int cmd_check(int argc, char **argv);

#endif
