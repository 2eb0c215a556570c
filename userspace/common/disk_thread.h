/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread for what may wait for a disk, so that the one that answers senders never does. Jobs are done one after the other. */
#ifndef LIMPET_DISK_THREAD_H
#define LIMPET_DISK_THREAD_H

#include <stddef.h>

struct disk_thread;

/* NULL: it could not be started. most_bytes: of jobs that wait. */
struct disk_thread *disk_thread_new(size_t most_bytes);

/* Does what waits, and ends. Takes NULL. */
void disk_thread_free(struct disk_thread *d);

/* From any thread. The function has to free its argument. 0; -EAGAIN: too much waits; -ENOMEM. */
int disk_thread_do(struct disk_thread *d, void (*fn)(void *arg), void *arg, size_t bytes);

#endif
