/* SPDX-License-Identifier: BSD-2-Clause */
/* How lines of Hadoop's daemons begin: "YYYY-MM-DD HH:MM:SS,mmm ", in 0.18 also "yyMMdd HHmmss PID ", in local time. */
#ifndef LIMPET_HADOOP_STAMP_H
#define LIMPET_HADOOP_STAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the stamp with the blank behind it, its local time as if it were UTC in *ns; 0: the line does not begin so,
 * or with a day before 1970. */
size_t hadoop_stamp(const char *line, size_t len, int64_t *ns);

/* Whether one of the lines begins so. */
bool hadoop_stamped(const char *head, size_t n);

#endif
