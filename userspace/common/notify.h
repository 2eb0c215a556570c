/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Telling systemd: that the service is ready, that it stops, and, where the unit has WatchdogSec=,
 * that it is alive. The protocol of sd_notify(3), which is one datagram a message, so that no library
 * is needed. Without systemd all of this does nothing.
 */
#ifndef LIMPET_NOTIFY_H
#define LIMPET_NOTIFY_H

#include <stdbool.h>

struct notify {
	int fd; /* -1: nobody listens */
	bool watched;
};

/*
 * Connects, which cannot be done any more once rights have ended, and takes the environment's
 * NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID away. `longest_s`: what may pass between two calls of
 * notify_alive() while all is well; a shorter watchdog is told to wait as long.
 */
void notify_open(struct notify *n, unsigned int longest_s);
void notify_close(struct notify *n);

void notify_ready(struct notify *n);
void notify_alive(struct notify *n);
void notify_stopping(struct notify *n);

#endif
