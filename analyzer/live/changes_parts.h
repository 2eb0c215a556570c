/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files behind changes.h share. */
#ifndef LIMPET_WATCH_CHANGES_PARTS_H
#define LIMPET_WATCH_CHANGES_PARTS_H

#include "changes.h"

/* One server's open incident as it was told last; status: STATUS_WELL is none. */
struct told {
	char server[HOST_LEN];
	enum status status;
	bool held, silent;
	int64_t onset_ns;
	enum cause cause;
	char who[INSTANCE_LEN];
};

struct told_notice {
	struct notice of; /* kind, server and host tell them apart */
	int64_t to_ns;
	bool there; /* in the verdict at hand */
};

/* A task that held up its job. */
struct told_task {
	char task[TASK_NAME_LEN];
	int64_t at_ns; /* in the last verdict that had it */
};

struct changes {
	bool any, cannot, unproven;
	size_t judged, servers; /* as told last */
	struct told *told;	/* by server, as the last verdict numbers them */
	size_t n_told;
	struct told_notice *notices; /* in the order of notice_compare() */
	size_t n_notices;
	struct told_task *tasks; /* by name */
	size_t n_tasks;
};

struct telling {
	const struct verdict *a;
	int (*fn)(void *arg, const struct verdict *a, const struct change *change);
	void *arg;
};

/* changes_tasks.c: tasks that hold up their job since lately. As changes_servers(). */
int changes_tasks(struct changes *c, const struct telling *t);

/* A change whose text is to be added; change_tell() makes it clean, tells it, and releases it. */
struct change change_begin(const struct verdict *a, enum change_kind kind, size_t node);
int change_tell(const struct telling *t, struct change *c);

/*
 * changes_servers.c: makes the numbers of servers those of this verdict: verdicts of logs name those that worked lately. Of one that is
 * in it no more what was told is over. 0, -ENOMEM, or what fn returned.
 */
int changes_servers(struct changes *c, const struct telling *t);

#endif
