/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files behind follow_logs.h share. */
#ifndef LIMPET_FOLLOW_LOGS_PARTS_H
#define LIMPET_FOLLOW_LOGS_PARTS_H

#include <sys/types.h>

#include "follow_logs.h"

/* A log, of one file or of several one after the other. */
struct stream {
	struct log *log; /* NULL: it is not known yet, or closed */
	dev_t device;	 /* of the file that is read */
	ino_t inode;
	bool known;	      /* it is a log */
	bool closed;	      /* and was read to its end: it is opened again when it changes */
	bool dirty;	      /* one of its files is new or has changed */
	bool held;	      /* its reading goes on in the next poll */
	unsigned int missing; /* polls in which its file was not there */
	size_t files;
};

struct file {
	char *path;
	struct stream *of;
	bool folder;  /* Spark's rolled log */
	bool foreign; /* no log of jobs */
	bool fresh;   /* it was not there in the last look, or has changed since */
	dev_t device;
	ino_t inode;
	off_t size, checked; /* checked: so many bytes are no log yet */
	int64_t mtime_ns, changed_ns, due_ns;
	uint64_t looked; /* in which poll */
};

struct folder {
	char *path;
	int deep; /* folders below it */
	int64_t mtime_ns, scanned_ns, changed_ns, due_ns;
};

struct follow_logs {
	struct states states;
	struct folder *folder;
	size_t n_folders;
	struct file *file; /* in log_order(): those of one stream are side by side */
	size_t n_files;
	size_t n_logs;
	bool rescan; /* all folders: something was renamed while they were looked at */
	bool finished;
	int64_t now_ns;
	uint64_t looks;
	uint64_t away;	 /* states, until the last look: STATES_AWAY */
	int64_t away_ns; /* when that became more */
	char trouble[300];
};

/* follow_logs_files.c: what is there. 0 or -ENOMEM. */
int follow_logs_look(struct follow_logs *f);
int follow_logs_add(struct follow_logs *f, const char *path, bool folder);
int follow_logs_folder(struct follow_logs *f, const char *path, int deep);

#endif
