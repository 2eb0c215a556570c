#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Those tests of tests/kernel under other kernels that ask most of a kernel.
# long: machines whose processors are emulated
# alone: they take all processors
cd "$(dirname "$0")/../.." || exit 1
GUEST_TESTS=${GUEST_TESTS:-$(printf 'tests/kernel/%s.sh ' cgroup disk sched tcp tcp_pid tcp_sums waits)}
export GUEST_TESTS
exec tests/vm/kernels.sh
