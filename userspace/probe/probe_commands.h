/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The subcommands of limpet-probe and the selection options they share.
 */
#ifndef LIMPET_COMMANDS_H
#define LIMPET_COMMANDS_H

#include "userspace/common/options.h"
#include "userspace/probe/kernel/probe.h"

/* Places kept for disks that come: to the host, or to --disk with a reload. */
#define SPARE_DISKS 16
#define SPARE_NAMED 4
/* Disks without a row of their own, summed up as "(other)". */
#define MAX_OTHERS 4096

struct selection_opts {
	struct string_list disks, cgroups, netdevs, ports, pids;
	const char *netns, *attach, *source;
	bool no_sched, no_processes, no_profile, user_stacks;
};

/* clang-format off */
#define SELECTION_OPTIONS(type)                                                                    \
	{'d', "disk", OPT_LIST, offsetof(type, sel.disks), "DISK",                                 \
	 "watch this disk (again for more; default: every real one)", 0, 0},                       \
	{'n', "netns", OPT_STRING, offsetof(type, sel.netns), "NS",                                \
	 "network namespace, by name or path (default: ours)", 0, 0},                              \
	{0, "netdev", OPT_LIST, offsetof(type, sel.netdevs), "DEV",                                \
	 "count this interface (again for more; default: all but lo)", 0, 0},                      \
	{0, "port", OPT_LIST, offsetof(type, sel.ports), "PORT",                                   \
	 "only TCP sockets with this local port (again for more)", 0, 0},                          \
	{0, "pid", OPT_LIST, offsetof(type, sel.pids), "PID",                                      \
	 "only TCP sockets of this process (again for more): cheaper", 0, 0},                      \
	{0, "cgroup", OPT_LIST, offsetof(type, sel.cgroups), "PATH",                               \
	 "what is the file system's own: I/O; of v2, TCP sockets, too", 0, 0},                      \
	{0, "source", OPT_STRING, offsetof(type, sel.source), "auto|bpf|proc",                     \
	 "eBPF and kernel memory, or /proc and /sys alone", 0, 0},                                 \
	{0, "attach", OPT_STRING, offsetof(type, sel.attach), "auto|tp_btf|raw_tp",                \
	 "how to attach to tracepoints", 0, 0},                                                    \
	{0, "no-sched", OPT_FLAG, offsetof(type, sel.no_sched), NULL,                              \
	 "no run-queue delays: nothing runs at a context switch", 0, 0},                           \
	{0, "no-processes", OPT_FLAG, offsetof(type, sel.no_processes), NULL,                      \
	 "nothing about single processes", 0, 0},                                                  \
	{0, "no-profile", OPT_FLAG, offsetof(type, sel.no_profile), NULL,                          \
	 "nothing of what the threads of --pid or --cgroup wait for", 0, 0},                       \
	{0, "user-stacks", OPT_FLAG, offsetof(type, sel.user_stacks), NULL,                        \
	 "what those threads compute, 49 times a second: stacks of user space", 0, 0}
/* clang-format on */

/* The selection resolved: what the probe, the reader and the merge need, with its storage. */
struct selection {
	struct disk disks[MAX_DISKS];
	size_t n_disks;
	bool every_disk;	     /* none was named: those that come are watched as well */
	uint32_t others[MAX_OTHERS]; /* disks beyond, major << 20 | minor */
	size_t n_others;
	struct cgroup_ref cgroups[MAX_CGROUPS];
	size_t n_cgroups;
	uint16_t ports[MAX_PORTS];
	size_t n_ports;
	uint32_t pids[MAX_PIDS];
	size_t n_pids;
	struct netns netns;
	enum attach_mode attach;
	enum source_mode source;
	bool no_sched, no_processes, no_profile, user_stacks;
};

/* 0, or an exit status after a message. */
int selection_resolve(struct selection *s, const struct selection_opts *o);
/* Disks that came since, if every disk is watched: fills at most `max` and returns how many. */
size_t selection_new_disks(const struct selection *s, struct disk *found, size_t max);
/* Of an empty one: resolves these alone. 0, or an exit status after a message. */
int selection_resolve_disks(struct selection *s, const struct string_list *names);
int selection_resolve_cgroups(struct selection *s, const struct string_list *paths);
int selection_resolve_ports(struct selection *s, const struct string_list *ports);
int selection_resolve_pids(struct selection *s, const struct string_list *pids);
void selection_init(struct selection *s);
void selection_release(struct selection *s);
void selection_opts_release(struct selection_opts *o);
void selection_probe_opts(const struct selection *s, struct probe_opts *out);

extern const struct option_def record_options[], check_options[];
int cmd_record(int argc, char **argv);
int cmd_check(int argc, char **argv);

#endif
