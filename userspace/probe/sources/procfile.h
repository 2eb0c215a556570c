/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading files of /proc again and again: through a descriptor that stays open, into one buffer that
 * grows; and finding numbers in them.
 */
#ifndef LIMPET_PROCFILE_H
#define LIMPET_PROCFILE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct procfile_buf {
	char *at;
	size_t size;
};

int procfile_buf_init(struct procfile_buf *b); /* 0 or -ENOMEM */
void procfile_buf_release(struct procfile_buf *b);

/* A descriptor, -1 if the file cannot be opened; closing takes that as well. */
int procfile_open(const char *path);
void procfile_close(int *fd);

/* The whole file, NUL-terminated, until the next call; NULL if it cannot be read. */
char *procfile_read(struct procfile_buf *b, int fd);

/* Reads up to n numbers; returns how many there were. */
int procfile_numbers(const char *s, uint64_t *v, int n);

/* What follows `key` at the beginning of a line; NULL if no line begins with it. */
const char *procfile_line(const char *text, const char *key);

/* The number there. */
bool procfile_number(const char *text, const char *key, __u64 *v);

#endif
