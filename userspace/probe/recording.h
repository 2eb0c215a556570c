/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording while it runs: record.c makes and ends it; reload.c changes what can be changed.
 */
#ifndef LIMPET_RECORDING_H
#define LIMPET_RECORDING_H

#include "userspace/common/notify.h"
#include "profiler.h"
#include "record_options.h"
#include "sampler.h"
#include "userspace/probe/merge/merge.h"
#include "userspace/probe/rights/rights.h"
#include "userspace/probe/sinks/sinks.h"

struct session {
	struct record_line line;
	struct record_request r;
	char **texts; /* of reloads, which strings of `r` are in */
	size_t n_texts;
	char host[HOST_LEN];
	struct selection sel;
	struct probe *probe;
	struct reader reader;
	struct gauges_reader gauges;
	struct netdevs netdevs;
	struct merge *merge;
	struct tasks *tasks;
	bool tasks_failed; /* and it was said */
	struct sampler *sampler;
	struct profiler *profiler; /* NULL: nothing is known of what threads wait for */
	struct sinks sinks;
	struct rights rights;
	struct notify notify;
	struct second second;
	char *missing;		/* second.missing */
	int stop_fd, hangup_fd; /* SIGINT and SIGTERM; SIGHUP */
	unsigned int written;
	uint64_t missed_events;
	int disks_in; /* seconds until new disks are looked for */
	bool disks_full, done;
	size_t disk_slots;	       /* there can be */
	struct disk coming[MAX_DISKS]; /* of a reload, to be handed to the sampler one by one */
	size_t n_coming;
};

/* Reads the file of --options again and does what it says now, or says why not. Without one: nothing. */
void reload(struct session *s);
void reload_release(struct session *s);

#endif
