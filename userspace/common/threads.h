/* SPDX-License-Identifier: BSD-2-Clause */
/* What the threads of all programs have in common. */
#ifndef LIMPET_THREADS_H
#define LIMPET_THREADS_H

#include <pthread.h>
#include <stdbool.h>

/* A thread that gets no signals: those are the main thread's. name: of at most 15 bytes, and stays the caller's. 0 or -errno. */
int thread_start(pthread_t *t, const char *name, void *(*fn)(void *arg), void *arg);

/* A condition whose time limits are of CLOCK_MONOTONIC, so that no jump of the clock makes anybody wait. */
void thread_cond_init(pthread_cond_t *c);

/* Waits for so many seconds, or until *ends is set under the lock and the condition, of thread_cond_init(), is signalled. Whether it
 * is set. */
bool thread_pause(pthread_mutex_t *lock, pthread_cond_t *c, unsigned int seconds, const bool *ends);

#endif
