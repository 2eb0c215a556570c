#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The cluster simulator: each fault changes what it should and leaves alone what it should.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/golden/simulated.sh
. "$(dirname "$0")/simulated.sh"

# Faults: of io03 in the fault, against the median of the nine others (peers) or against itself
# before (before); "all": the peers' median in the fault against theirs before. LOW and HIGH bound the
# ratio; "big" is the value itself.
case_begin "each fault changes what it should and not what it should not"
cat >"$T/expected" <<-'END'
	ddw disk-hog rkB/s big 10000 90000
	ddw disk-hog wkB/s peers 0.95 1.05
	ddw disk-hog wkB/s all 0.1 0.83
	ddw disk-hog rxkB/s peers 0.97 1.03
	ddw disk-busy w_await peers 1.5 10
	ddw disk-busy w_await all 0.1 0.999
	ddw disk-busy wkB/s peers 0.95 1.05
	ddw disk-busy wkB/s all 0.1 0.83
	ddw disk-busy rkB/s big 0 0
	ddw disk-busy cwnd-ln peers 0.95 1.05
	ddw write-network-hog rxkB/s peers 1.5 4
	ddw write-network-hog txkB/s peers 1.5 4
	ddw write-network-hog wkB/s peers 0.95 1.05
	ddw write-network-hog w_await before 0.8 1.25
	ddr read-network-hog txkB/s peers 1.5 4
	ddr read-network-hog rxkB/s peers 1.5 4
	ddr read-network-hog cwnd-ln peers 0.5 0.95
	ddr read-network-hog rkB/s peers 0.95 1.05
	ddw receive-packet-loss txkB/s peers 1.8 3
	ddw receive-packet-loss rxkB/s peers 0.97 1.03
	ddw receive-packet-loss cwnd-ln peers 0.95 1.05
	ddw receive-packet-loss wkB/s peers 0.95 1.05
	ddw receive-packet-loss wkB/s all 0.1 0.83
	ddw receive-packet-loss ooo/s big 100 10000
	ddr send-packet-loss cwnd-ln peers 0.2 0.6
	ddr send-packet-loss retrans/s peers 10 100000
	ddr send-packet-loss rkB/s peers 0.95 1.05
	ddr send-packet-loss rkB/s all 0.1 0.83
	ddr disk-busy r_await peers 3 1000
	ddr disk-busy cwnd-ln peers 1.01 1.5
	ddr disk-busy rkB/s peers 0.95 1.05
	ddr slow-disk r_await peers 3 1000
	ddr slow-disk r_dev peers 1.7 1000
	ddr slow-disk rkB/s all 0.1 0.83
	ddr io-scheduler r_await peers 3 1000
	ddr io-scheduler r_dev peers 0.5 1.3
	ddr cpu-hog runq-delay peers 20 1000
	ddr cpu-hog r_dev peers 0.7 1.4
	ddr memory-pressure allocstall/s big 30 1000
	ddr memory-pressure %smem big 25 35
	ddr hang rkB/s big 0 0
	ddr hang rkB/s all 0.8 1.3
	ddr imbalance rkB/s peers 1.8 2.2
	ddr fleet rkB/s all 0.1 0.83
	ddr fleet r_dev peers 0.3 3
	ddr scrub foreign-rkB/s big 1000 90000
	ddr lossy-client retrans/s all 2 1000000
	ddr lossy-client retrans/s peers 0.6 1.6
	ddr burst r_dev peers 0.3 2
	light hardware r_dev peers 1.5 3
	idle disk-hog rkB/s big 10000 90000
	idle disk-busy rkB/s big 0 0
	idle send-packet-loss txkB/s before 0.5 2
	idle send-packet-loss cwnd-ln none 0 0
END
cut -d' ' -f1,2 "$T/expected" | sort -u >"$T/pairs"
all_metrics="r_dev foreign-rkB/s runq-delay allocstall/s %smem rkB/s wkB/s r_await w_await rxkB/s txkB/s cwnd-ln retrans/s ooo/s"
while read -r w f; do
	case $f in fleet | lossy-client) set -- ;; *) set -- -n io03 ;; esac
	run "$w-$f" pfs -w "$w" -f "$f" "$@" --seconds 300 --fault-from 130 --fault-seconds 160
	means "$w-$f" "$all_metrics" 30 130 | sed "s/^/$w $f before /"
	means "$w-$f" "$all_metrics" 165 285 | sed "s/^/$w $f during /"
done <"$T/pairs" >"$T/means"
sort -k1,5 -k6,6g "$T/means" | awk -v expected="$T/expected" '
	function median(key,  i, j, t, m) { m = n[key]
		for (i = 2; i <= m; i++) for (j = i; j > 1 && v[key, j] < v[key, j - 1]; j--) {
			t = v[key, j]; v[key, j] = v[key, j - 1]; v[key, j - 1] = t }
		return m % 2 ? v[key, (m + 1) / 2] : (v[key, m / 2] + v[key, m / 2 + 1]) / 2 }
	{ key = $1 " " $2 " " $3 " " $5; if ($4 == "io03") own[key] = $6; else v[key, ++n[key]] = $6 }
	END { while ((getline line <expected) > 0) { split(line, e, " ")
		d = e[1] " " e[2] " during " e[3]; b = e[1] " " e[2] " before " e[3]; count++
		if (e[4] == "none") { if (d in own) print line ": there is " own[d]; continue }
		if (e[4] == "all") { if (!n[d] || !n[b]) { print line ": no peers"; continue }
			x = median(d) / median(b) }
		else if (!(d in own)) { print line ": no value"; continue }
		else if (e[4] == "big") x = own[d]
		else if (e[4] == "before") x = own[d] / own[b]
		else { m = median(d); x = m > 0 ? own[d] / m : 1e9 }
		if (x < e[5] || x > e[6]) print line ": " x } if (count < 30) print "only " count }' >"$T/bad"
check_eq "$(cat "$T/bad")" "" "what is not as it should be" && ok
