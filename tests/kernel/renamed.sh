#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2154
# Kernels to come: whatever one field, variable or enumerator is called there, only the family of
# metrics that needs it is missing, and says so. What is renamed is the description (BTF) of this kernel.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel python3 unshare
loop_new 8M || all_skip "no loop device"

# Any group will do; v1 where the block controller is still there.
cgroup=$(awk '$3 == "cgroup" && $4 ~ /(^|,)blkio(,|$)/ { print $2; exit }' /proc/mounts)
cgroup=${cgroup:-$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)}
mkdir "$cgroup/limpet-test-$$" && at_exit "rmdir '$cgroup/limpet-test-$$'"

python3 tests/helpers/renamed.py "$T" "$PROBE" check --disk "$loop" --pid $$ \
	--cgroup "$cgroup/limpet-test-$$" || lib_failed=1
