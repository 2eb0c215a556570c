#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1091,SC2010,SC2034,SC2046,SC2086
# The same binary under other kernels, in virtual machines side by side: whether it attaches, and
# the tests of tests/vm/guest, which also do to a machine what nobody wants done to his own.
# KERNELS=6.12 runs one kernel only, KERNELS=sid the newest that Debian has,
# GUEST_TESTS=tests/vm/guest/clock.sh one test.
# long: machines whose processors are emulated
# alone: they take all processors
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
KERNELS=${KERNELS:-6.1 6.12}
GUEST_TESTS=${GUEST_TESTS:-tests/kernel/attach.sh tests/kernel/rights.sh tests/kernel/user_stacks.sh
	$(ls tests/vm/guest/*.sh | grep -vE '/(run|bracket)\.sh$')}

# The programs the tests say they need, and some that are better than busybox's. One that is not
# here is missing there, and the test that needs it says so.
PROGRAMS="date dd flock jq losetup setpriv sync $(sed -n 's/^need_kernel //p' $GUEST_TESTS)"
options=
for program in $(echo $PROGRAMS | tr ' ' '\n' | sort -u); do
	! command -v $program >/dev/null || options="$options -p $program"
done
for series in $KERNELS; do
	(
		# Each has a bound of its own, within that of tests/run.
		tools/vm $options -m veth -m nft_numgen -m tcp_diag -m nvme -d 64M -n 64M -t 2700 $series \
			/bin/sh tests/vm/guest/run.sh $GUEST_TESTS >"$T/$series" 2>"$T/$series.err"
		echo $? >"$T/$series.status"
	) &
done
wait

for series in $KERNELS; do
	case_begin "$series: the machine runs"
	status=$(cat "$T/$series.status")
	# Every case with the kernel's name before it.
	sed "s/^\(\(not \)\{0,1\}ok - \)/\1$series /; /^SKIP/d" "$T/$series"
	if [ "$status" -eq 77 ]; then
		skip "$(sed -n 's/^SKIP //p' "$T/$series" | tail -n 1)"
	elif [ "$status" -ne 0 ]; then
		sed 's/^/# /' "$T/$series.err"
		fail "the machine ended with status $status"
	elif grep -q '^ok' "$T/$series"; then
		ok
	else
		fail "no test was run in it"
	fi
	if grep -q '^not ok' "$T/$series"; then lib_failed=1; fi
done
