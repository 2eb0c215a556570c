#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Files that sites have already: each is read as it is, and the slow server in it is named. The recordings are of
# the real programs (tests/data/formats/README).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet

# names SERVER WORDS COMMAND…: status 3, that server and these words in what is printed.
names() {
	server=$1 words=$2
	shift 2
	"$@" --exit-code >"$T/out" 2>"$T/err"
	check_eq $? 3 "exit status of '$*' ($(cat "$T/err" "$T/out"))" || return
	if grep -q "^$server limps" "$T/out" && grep -q -- "$words" "$T/out"
	then ok; else fail "$(cat "$T/err" "$T/out")"; fi
}

refuses() { # WORDS COMMAND…
	words=$1
	shift
	"$@" >"$T/out" 2>"$T/err"
	check_eq $? 1 "exit status of '$*' ($(cat "$T/err"))" || return
	if grep -q -- "$words" "$T/err"; then ok; else fail "'$words' is not in: $(cat "$T/err")"; fi
}

# ---- dates and numbers ---------------------------------------------------------------------------
# table SEPARATOR COMMA DATE: five servers, the third three times as slow; minutes of 2026-11-21.
table() {
	awk -v sep="$1" -v comma="$2" -v date="$3" 'BEGIN {
		srand(4)
		print "time" sep "node" sep "await"
		for (t = 0; t < 600; t++)
			for (n = 1; n <= 5; n++) {
				h = 9 + int(t / 60)
				stamp = date
				sub("HH", sprintf("%02d", h), stamp)
				sub("hh", (h + 11) % 12 + 1, stamp)
				sub("MM", sprintf("%02d", t % 60), stamp)
				sub("AM", h < 12 ? "AM" : "PM", stamp)
				v = sprintf("%.3f", (8 + 4 * rand()) * (n == 3 ? 3 : 1))
				sub("[.]", comma, v)
				print stamp sep "oss" n sep v
			}
	}'
}
table , . "2026-11-21T HH:MM:00Z" | sed 's/T /T/' >"$T/iso.csv"
"$L" diagnose --explain "$T/iso.csv" >"$T/iso.txt"

case_begin "the slow one of five in dates that everybody reads"
names oss3 'slow: await' "$L" diagnose "$T/iso.csv"

n=0
for date in "21.11.2026 HH:MM" "21.11.26 HH:MM:00" "2026-11-21 HH:MM" "2026/11/21 HH:MM" "11/21/2026 hh:MM AM" "11/21/26, hh:MM:00 AM"; do
	n=$((n + 1))
	case_begin "'$date', semicolons and decimal commas: the same verdict, every word"
	table ';' , "$date" >"$T/date.csv"
	case $date in 21*) ;; *) sed -i '2s/,\([0-9]*\)$/,\10/' "$T/date.csv" ;; esac
	"$L" diagnose --explain "$T/date.csv" 2>"$T/err" | grep -v 'commas are read as decimal points' >"$T/date.txt"
	if [ -s "$T/date.txt" ] && cmp "$T/iso.txt" "$T/date.txt" >"$T/diff" 2>&1; then ok; else
		fail "$(cat "$T/err" "$T/diff"; diff "$T/iso.txt" "$T/date.txt" | head -n 20)"
	fi
done

case_begin "of 2/3/2026 nobody knows the month: refused, with what would do"
table , . "2/3/2026 HH:MM" >"$T/date.csv"
refuses "line 2: '2/3/2026 09:00': which is the month? write dates as 2026-11-21 19:26:00" "$L" diagnose "$T/date.csv"

# ---- sysstat -------------------------------------------------------------------------------------
D=tests/data/formats

case_begin "iostat -o JSON -x -t, packed with xz: the slow server is named, and the first report is left out"
names oss3 "iostat's first report is left out: without -y" "$L" diagnose $D/oss?.iostat.json.xz

case_begin "iostat -x -t for people, in German, packed with bzip2"
names oss3 'slow: r_await given r/s of vda' "$L" diagnose $D/oss?.iostat.txt.bz2

case_begin "sadf -d, packed with zstd"
names oss3 'slow: await given tps of vda' "$L" diagnose $D/oss?.sadf.txt.zst

"$L" diagnose --explain $D/oss?.sadf.txt.zst >"$T/sadf.txt" 2>&1
for form in "sadf.json:sadf -j" "sar.txt:sar -p for people, in American English"; do
	case_begin "${form#*:}: the verdict of sadf -d, every word"
	"$L" diagnose --explain $D/oss?."${form%%:*}".bz2 2>&1 | sed '/^times of sar/,+1d' >"$T/other.txt"
	if [ -s "$T/other.txt" ] && cmp "$T/sadf.txt" "$T/other.txt" >"$T/diff" 2>&1; then ok; else
		fail "$(cat "$T/diff"; diff "$T/sadf.txt" "$T/other.txt" | head -n 20)"
	fi
done

case_begin "iostat without -t has no times: refused, with what would do"
bzip2 -dc $D/oss1.iostat.txt.bz2 | grep -v '^27.11' >"$T/no-time.txt"
refuses "line 3: there is no time above: 'iostat -t' prints it" "$L" diagnose "$T/no-time.txt"

case_begin "and so is its JSON"
xz -dc $D/oss1.iostat.json.xz | grep -v '"timestamp"' >"$T/no-time.json"
refuses "there is no timestamp: 'iostat -t' prints it" "$L" diagnose "$T/no-time.json"

# ---- Prometheus and Grafana ----------------------------------------------------------------------
case_begin "Prometheus's range of an expression: the file is called as the metric"
names oss3 'slow: await of vda' "$L" diagnose $D/await.json.zst

case_begin "of a counter its rate is compared"
names oss3 "'node_disk_read_time_seconds_total' is a counter" \
	"$L" diagnose --signal node_disk_read_time_seconds_total $D/read_time.json.zst

case_begin "the list alone, as promtool prints it: the same, every word"
zstd -dqc $D/await.json.zst | jq -c .data.result >"$T/await.json"
"$L" diagnose --explain $D/await.json.zst >"$T/range.txt" 2>&1
"$L" diagnose --explain "$T/await.json" >"$T/other.txt" 2>&1
if cmp "$T/range.txt" "$T/other.txt" >"$T/diff" 2>&1; then ok; else fail "$(cat "$T/diff" "$T/other.txt" | head)"; fi

case_begin "as objects of an array, with time, node, device and await: the same server"
jq -c '[.[] | .metric as $m | .values[] | {time: .[0], node: $m.instance, device: $m.device, await: (.[1] | tonumber)}]' \
	"$T/await.json" >"$T/array.json"
names oss3:9100 'slow: await of vda' "$L" diagnose "$T/array.json"

# As Grafana writes what a panel shows ("Series joined by time"), formatted or not.
python3 - "$T" <<'EOF'
import json
import sys
import time

T = sys.argv[1]
with open(T + "/await.json", encoding="utf-8") as f:
    series = {(s["metric"]["instance"], s["metric"]["device"]): {t: float(v) for t, v in s["values"]}
              for s in json.load(f)}
times = sorted(set().union(*series.values()))


def write(name, head, columns, stamp, cell):
    with open(f"{T}/{name}", "w", encoding="utf-8") as f:
        print(head, file=f)
        for t in times:
            print(stamp(t), *(cell(series[c][t]) if t in series[c] else "" for c in columns), sep=",", file=f)


vda = sorted(c for c in series if c[1] == "vda")
write("await-data-2026-11-27 23_50_31.csv", '"Time",' + ",".join(f'"{h}"' for h, _ in vda), vda,
      lambda t: time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(t)),
      lambda v: f"{v * 1e3:.1f} µs" if v < 6 else f"{v:.4f} ms" if v < 20 else f"{v / 1e3:.6f} s")
write("await-data-as-joinbyfield.csv", 'sep=,\n"Time",' + ",".join(
    f'"{{device=""{d}"", instance=""{h}"", job=""node""}}"' for h, d in sorted(series)), sorted(series),
      lambda t: t * 1000, str)
EOF

case_begin "Grafana's columns, with units in the cells: the file is called as the metric"
names oss3:9100 "each column is a server, the metric is 'await', as the file is called, in ms" \
	"$L" diagnose "$T/await-data-2026-11-27 23_50_31.csv"

case_begin "Grafana's columns that are named by labels"
names oss3:9100 'slow: await of vda' "$L" diagnose "$T/await-data-as-joinbyfield.csv"

case_begin "any table with a column for each server: refused, and the option that would do is named"
sed '1s/"Time"/time/' "$T/await-data-2026-11-27 23_50_31.csv" >"$T/await.csv"
refuses "there is no column 'node'; name one with --node, or --node @file if there is none; @column if each column is" \
	"$L" diagnose "$T/await.csv"

case_begin "and with it, --node @column, the slow server is"
names oss3:9100 'slow: await' "$L" diagnose --node @column "$T/await.csv"

# ---- compressed ----------------------------------------------------------------------------------
zstd -dqc $D/oss1.sadf.txt.zst >"$T/plain"
for h in 2 3 4 5; do zstd -dqc $D/oss$h.sadf.txt.zst >"$T/plain.$h"; done
for packer in gzip xz bzip2 "zstd -q"; do
	case_begin "$packer, in two streams one after the other: the same"
	{ head -c 9000 "$T/plain" | $packer; tail -c +9001 "$T/plain" | $packer; } >"$T/packed"
	"$L" diagnose --explain "$T/packed" "$T"/plain.? >"$T/other.txt" 2>&1
	if cmp "$T/sadf.txt" "$T/other.txt" >"$T/diff" 2>&1; then ok; else fail "$(cat "$T/diff"; head "$T/other.txt")"; fi

	case_begin "$packer, cut off in the middle: refused"
	head -c 2500 "$T/packed" >"$T/cut"
	refuses "cut' line [0-9]*: the compressed file is cut off" "$L" diagnose "$T/cut"

	case_begin "$packer, twice: refused"
	xz -c "$T/packed" >"$T/twice"
	refuses "is compressed twice" "$L" diagnose "$T/twice"
done

case_begin "a bomb is refused long before its end"
yes '' | head -c 300000000 | zstd -q >"$T/bomb"
refuses "bomb' line [0-9]*: the compressed file cannot be read: it becomes many times as long as no measurements do" \
	"$L" diagnose "$T/bomb"

log=$(find tests/data/hadoop-hang/logs/history -name '*word+count.zst' | sort | head -n 1)
"$L" states --csv "$log" >"$T/states.csv" 2>&1
for packer in gzip xz bzip2; do
	case_begin "a log of jobs that $packer packed gives the states that it gives as it is"
	zstd -dqc "$log" | $packer >"$T/history" && "$L" states --csv "$T/history" >"$T/other.csv" 2>&1
	cut -d, -f1-14 "$T/states.csv" >"$T/a"
	cut -d, -f1-14 "$T/other.csv" >"$T/b"
	if [ "$(grep -c . "$T/a")" -gt 5 ] && cmp "$T/a" "$T/b" >"$T/diff" 2>&1; then ok; else
		fail "$(cat "$T/diff"; diff "$T/a" "$T/b" | head -n 10)"
	fi
done

case_begin "sadc's own file, packed and on standard input"
sadc=/usr/lib/sysstat/sadc
if [ ! -x $sadc ] || ! command -v sadf >/dev/null; then
	skip "there is no sadc and sadf (Debian: sysstat)"
elif ! (cd "$T" && $sadc 1 3 ./sa27 >/dev/null 2>"$T/err"); then
	skip "sadc does not run here: $(cat "$T/err")"
else
	"$L" diagnose "$T/sa27" >"$T/out" 2>&1
	xz -k "$T/sa27" && "$L" diagnose "$T/sa27.xz" >"$T/other.txt" 2>&1
	"$L" diagnose - <"$T/sa27" >"$T/piped.txt" 2>&1
	if grep -q 'fewer than 3 servers' "$T/out" && cmp "$T/out" "$T/other.txt" >"$T/diff" 2>&1 &&
		cmp "$T/out" "$T/piped.txt" >>"$T/diff" 2>&1
	then ok; else fail "$(cat "$T/out" "$T/other.txt" "$T/piped.txt")"; fi
fi
