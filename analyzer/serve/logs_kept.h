/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Logs of jobs as senders send them: DIR/logs/HOST/PATH, appended to. How much of a log is there is the size of its file, so that
 * after any failure nothing counts that is not there. Which log it is, its identity, is a row of DIR/logs.db. For one thread.
 *
 * Where a log of another identity comes for the same path (the sender's was rotated, or made anew), the old file is renamed
 * PATH.1, PATH.2 …, the first name that is free, with its identity. A log that comes under another name, for it was renamed, is the one that is
 * there: it is not taken twice, and gets that name with its next bytes.
 */
#ifndef LIMPET_SERVE_LOGS_KEPT_H
#define LIMPET_SERVE_LOGS_KEPT_H

#include <stddef.h>
#include <stdint.h>

#include "userspace/common/options.h"

enum { LOG_DEEP_MAX = 16 };

/* Of one host. */
struct logs_quota {
	uint64_t bytes; /* 0: 4 GiB */
	size_t files;	/* 0: 20,000 */
};

struct log_piece {
	const char *host, *path, *identity; /* that wire.h allows */
	uint64_t at;			    /* where the bytes begin */
	const void *bytes;
	size_t len; /* 0: how much is there? */
};

struct logs_kept;

/* 0 or -errno with the sentence. */
int logs_kept_new(struct logs_kept **k, const char *dir, const struct logs_quota *quota,
		  char why[WHY_LEN]);
void logs_kept_free(struct logs_kept *k); /* takes NULL */

/* NULL, or what is wrong with it. A path is relative, text, not too deep, and stays in its folder. */
const char *logs_kept_check(const char *path);

/*
 * Appends the bytes if the log ends where they begin. *size: how much of it there is now. 0 or -errno with the sentence:
 * -EINVAL not this path; -EDQUOT the host has its quota; others: not now (the disk is full).
 */
int logs_kept_take(struct logs_kept *k, const struct log_piece *p, uint64_t *size,
		   char why[WHY_LEN]);

#endif
