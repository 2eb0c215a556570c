/* SPDX-License-Identifier: BSD-2-Clause */
/* How lines of Hadoop's daemons begin: "YYYY-MM-DD HH:MM:SS,mmm", in local time. */
#ifndef LIMPET_HADOOP_STAMP_H
#define LIMPET_HADOOP_STAMP_H

#include "log_source.h"

/* Its time, ns since 1970, UTC; -1: the line does not begin so. */
int64_t hadoop_stamp(const struct log *l, const char *line, size_t len);

/* Whether one of the lines begins so. */
bool hadoop_stamped(const char *head, size_t n);

#endif
