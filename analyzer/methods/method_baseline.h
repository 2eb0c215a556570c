/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Baselines: what others use to find a slow server among its peers, each one formula on the means of
 * one window, without training. Here to be compared with, not to be relied on.
 */
#ifndef LIMPET_METHOD_BASELINE_H
#define LIMPET_METHOD_BASELINE_H

#include <stddef.h>

/*
 * The limit that a server with the mean `self` must pass, among `n` means, sorted ascending, its own
 * among them (n >= 3). floor: less does not count, in the metric's unit. spare: room for n.
 */
typedef double (*baseline_limit)(const double *sorted, size_t n, double self, double floor,
				 double *spare);

/* Twice the median of the others, and by more than the floor [D]: the rule of thumb. */
double baseline_ratio(const double *sorted, size_t n, double self, double floor, double *spare);

/*
 * HDFS's rule for slow datanodes and disks, org.apache.hadoop.hdfs.server.datanode.metrics.
 * OutlierDetector: max(floor, 3 median, median + 3 MAD), MAD = 1.4826 median |x - median|, medians
 * over all. HDFS's own floors, 5 ms for peers and 20 ms for disks, are for latency alone; here the
 * metric's own stands in for them [D].
 */
double baseline_hdfs(const double *sorted, size_t n, double self, double floor, double *spare);

/*
 * The score proposed for Ceph's manager (ceph/ceph pull request 69995, not merged in 2026): (x - median)
 * / MAD >= 10, MAD = median |x - median| but at least a floor of 1 ms, medians over all; here the
 * metric's floor, which is 1 ms of latency [D].
 */
double baseline_ceph(const double *sorted, size_t n, double self, double floor, double *spare);

/* How far over the limit: 1 is on it. At most 1e9, so that a limit of 0 can be ranked. */
double baseline_key(double value, double limit);

#endif
