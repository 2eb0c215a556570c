#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# The wall clock is stepped while the probe records: a day and more forward, two and more back.
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel sqlite3 losetup
loop_new 8M || all_skip "no loop device (modprobe loop)"
STEP=93600 BACK=180000 # 26 and 50 hours: other days, so other files

reads() { # FROM TO: reads counted in these lines
	probe_sum steps ".disk.$loop[\"r/s\"]" "$1" "$2"
}
step_clock() { # SECONDS: returns when two seconds of the new time are in the lines
	date -s "@$(($(date +%s) + $1))" >/dev/null && probe_settle steps
}
when() { # a jq expression on the times of the lines
	probe_jq steps "[.[].time | sub(\"[.][0-9]*Z\"; \"Z\") | fromdate] | $1"
}

began=$(date +%s)
mkdir "$T/out"
probe_start steps --disk "$loop" -o "$T/out"
probe_wait steps 1
read_direct "$loop" 4096 5
probe_settle steps
one=$(probe_lines steps)
case_begin "the clock is set forward and back while it records"
step_clock $STEP || { fail; exit 1; }
read_direct "$loop" 4096 7
probe_settle steps
two=$(probe_lines steps)
step_clock -$BACK || { fail; exit 1; }
read_direct "$loop" 4096 11
probe_settle steps
probe_stop steps
lines=$(probe_lines steps)
check_eq "$status $(probe_messages steps)" "0 " "status, message" && ok

case_begin "no request is lost or counted twice on the way"
check_eq "$(reads 0 "$one") $(reads "$one" "$two") $(reads "$two" "$lines")" "5 7 11" "reads" && ok
case_begin "the seconds are in order, none left out"
check_eq "$(probe_jq steps '[.[].seq] | . == [range(.[0]; .[0] + length)]')" true "order" && ok
case_begin "no second is longer than the machine has been up, or shorter than nothing"
up=$(cut -d . -f 1 /proc/uptime)
check_eq "$(probe_jq steps "[.[].interval_s] | min > 0 and add <= $up + 1")" true "times" && ok
case_begin "the seconds carry the new time: forward, then back before the beginning"
check_eq "$(when "(.[$one - 1] < $began + $STEP) and (.[$two - 1] >= $began + $STEP) and
	(.[-1] < $began)")" true "$(when tojson) from $began" && ok
case_begin "no rate and no share goes beyond what is possible"
check_eq "$(probe_jq steps "[.[] | .system[\"%user\", \"%system\", \"%iowait\"],
	.disk.$loop[\"%util\"] | . == null or (. >= 0 and . <= 100.0001)] | all")" true "percents" &&
	check_eq "$(probe_jq steps "[.[] | .disk.$loop[\"r/s\"] * .interval_s <= 11.01] | all")" true \
		"reads" && ok
case_begin "the files have every second, whole, in the file of its day"
for file in "$T"/out/*.limpet; do
	day=$(basename "$file" .limpet)
	sqlite3 -separator ' ' "$file" "PRAGMA integrity_check; SELECT sum(seconds),
		strftime('%Y%m%d', min(first_ns) / 1000000000, 'unixepoch') = '${day##*-}',
		strftime('%Y%m%d', max(last_ns) / 1000000000, 'unixepoch') = '${day##*-}' FROM chunk"
done >"$T/files"
check_eq "$(ls "$T"/out/*.limpet | wc -l) $(awk '$1 == "ok" { whole++ }
	NF == 3 { n += $1; good += $2 && $3 } END { print whole, good, n }' "$T/files")" \
	"3 3 3 $lines" "files, whole ones, those of one day, seconds" && ok
