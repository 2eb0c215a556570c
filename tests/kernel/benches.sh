#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# long: it belongs to benchmarks, which few people run
# The benchmarks of the probe still work: --smoke runs each section of them at its smallest, and a number stands where
# one belongs. What they measure is nobody's concern here.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/kernel/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/smoke.sh
. "$(dirname "$0")/../smoke.sh"
export PATH="$PATH:/usr/sbin:/sbin:/usr/lib/sysstat:/usr/lib/sa" # as bench-probe looks for sadc
need_kernel fio iperf3 bpftool losetup setpriv ip pgrep python3 curl ss sadc

for program in bench/hooks bench/load tests/tcpbox tests/taskbox tests/waitbox; do
	[ -x "$O/$program" ] || all_skip "'$O/$program' is not built (make all benches)"
done

case_begin "bench-probe: events, processor time, work, TCP"
smoke bench-probe && rows 1 '^  block_typed with --cgroup  ' && rows 1 '^  sched_typed +' &&
	rows 2 '^sadc +[0-9.]+ +[0-9.]+ *$' && rows 1 '^limpet-probe, all +[0-9.]+ +[0-9.]+ *$' &&
	rows 1 '^  limpet-http +[0-9.]+ *$' && rows 3 '^  nothing again +-?[0-9.]+ ' &&
	rows 2 '^(all sockets of the namespace|--pid SERVER) +[0-9.]+ *$' && ok

number='[0-9]+\.[0-9]+'
case_begin "bench-tcp: each way to look at connections"
smoke bench-tcp && rows 4 "^  .* $number ms/s +[1-9][0-9]* sockets," && ok

case_begin "bench-threads: threads that wait, and samples of what is computed"
smoke bench-threads && rows 6 "^  .* $number ms/s +[0-9.]+ looks a second," &&
	rows 2 "^    and the program that samples .* $number us each$" && ok

case_begin "bench-tasks: a look at all processes"
smoke bench-tasks && rows 1 "^ +100 +$number +$number( +[1-9][0-9]+){5}$" && ok

case_begin "bench-scrape: what a scrape costs"
smoke bench-scrape && rows 1 '^a scrape: [1-9][0-9]* us of CPU, [1-9][0-9]* bytes, [1-9][0-9]* series$' &&
	rows 1 '^nobody asks: [0-9]+ us of CPU a second$' && ok
