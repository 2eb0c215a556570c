#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# limpet diagnose on logs of jobs that say too little, or disagree: it says so, and names nobody for want of data.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
D=${LIMPET_TEST_DATA:-}
[ -n "$D" ] || all_skip "LIMPET_TEST_DATA is not set"
H=$D/hadoop-1.2.1/history
hit=$(echo "$H"/job_*_0003_*)

# said LOG…: the verdict in a word, and who is indicted; all of it in $T/out
said() {
	"$L" diagnose "$@" >"$T/out" 2>&1
	"$L" diagnose --json "$@" 2>/dev/null | jq -r '.verdict, (.incidents[] | select(.suspicious | not) | .server)' |
		tr '\n' ' '
}
tells() { # WORDS: they stand in what was said last
	if tr -s ' \n' '  ' <"$T/out" | grep -qF "$1"; then ok; else fail "'$1' is not in: $(cat "$T/out")"; fi
}

case_begin "one server alone is not judged"
grep -v 'Attempt .*\(tracker_s[2-5]\|HOSTNAME="/default-rack/s[2-5]\)' "$hit" >"$T/one"
check_eq "$(said "$T/one")" "cannot-judge " "verdict" && tells "fewer than 3 servers to compare"

case_begin "Spark in one process: 2801 tasks, and no server with a peer"
check_eq "$(said "$D"/spark-events/eventlog_v2_local-*)" "cannot-judge " "verdict" &&
	tells "cannot judge: fewer than 3 servers to compare"

case_begin "and so says watch"
"$L" watch --once "$D"/spark-events/eventlog_v2_local-* >"$T/out" 2>&1
tells "cannot-judge fewer than 3 servers to compare"

case_begin "two samples of each server are too few"
awk '/^ReduceAttempt/ { next }
	!/^MapAttempt/ { print; next }
	match($0, /attempt_[0-9]+_[0-9]+_m_[0-9]+/) { id = substr($0, RSTART, RLENGTH) }
	match($0, /tracker_s[0-9]/) { s = substr($0, RSTART, RLENGTH); if (!(id in seen) && ++n[s] <= 2) keep[id] = 1; seen[id] = 1 }
	keep[id]' "$hit" >"$T/two"
check_eq "$(said "$T/two")" "cannot-judge " "verdict" && tells "5 are needed"

case_begin "a job of which all attempts failed blames no server"
sed '/Attempt /s/TASK_STATUS="SUCCESS"/TASK_STATUS="FAILED"/' "$hit" >"$T/failed"
check_eq "$(said "$T/failed")" "cannot-judge " "verdict" && tells "nothing that jobs did there ended well"

case_begin "logs of two clusters: each is judged by itself"
mkdir "$T/mixed" && cp "$hit" "$D/hadoop-history/JobHistory.log" "$T/mixed"
check_eq "$(said "$T/mixed")" "indicted s3 " "verdict" && tells "the logs are of 2 clusters"

case_begin "daemons whose clock is seven hours ahead: the same verdict, and the clock is told"
mkdir "$T/clock" && cp "$H"/* "$D"/hadoop-1.2.1/slaves/* "$T/clock" && chmod -R u+w "$T/clock"
for k in datanode tasktracker; do
	gzip -dc "$T/clock/s2-$k.log.gz" | awk '/^2026-11-22 [0-9][0-9]:/ {
		h = substr($0, 12, 2) + 7
		$0 = sprintf("2026-11-%02d %02d%s", 22 + int(h / 24), h % 24, substr($0, 14)) } 1' >"$T/clock/s2-$k.log"
	rm "$T/clock/s2-$k.log.gz"
done
check_eq "$(said "$T/clock")" "indicted s3 " "verdict" && tells "'--zone s2=+07:00' joins them"

case_begin "all daemons seven hours ahead: that is their zone, which is applied, and said"
mkdir "$T/zone" && cp "$H"/* "$D"/hadoop-1.2.1/slaves/* "$T/zone" && chmod -R u+w "$T/zone"
mkdir "$T/utc" && cp "$T/zone"/* "$T/utc"
for f in "$T"/zone/s*.log.gz; do
	gzip -dc "$f" | awk '/^2026-11-22 [0-9][0-9]:/ {
		h = substr($0, 12, 2) + 7
		$0 = sprintf("2026-11-%02d %02d%s", 22 + int(h / 24), h % 24, substr($0, 14)) } 1' >"${f%.gz}"
	rm "$f"
done
check_eq "$(said "$T/zone")" "$(said "$T/utc")" "verdict" && said "$T/zone" >"$T/word" &&
	tells 'log times without a zone are read as +07:00: so those of '

case_begin "so that everything is as without a zone, but for that sentence and the paths"
for f in zone utc; do
	"$L" diagnose --json "$T/$f" 2>"$T/err" | jq -S 'del(.notes)' >"$T/$f.json"
done
if [ -s "$T/utc.json" ] && cmp "$T/utc.json" "$T/zone.json" >&2; then ok; else fail "they differ"; fi

case_begin "a zone that is given counts, whatever the logs say"
said --zone +00:00 "$T/zone" >"$T/word"
if grep -q 'are read as' "$T/out"; then fail "it was applied"; else tells "'--zone s2=+07:00' joins them"; fi

case_begin "where another server's logs end at another time its zone is not known: nothing is applied"
mkdir "$T/odd" && cp "$T/zone"/* "$T/odd" && rm "$T"/odd/s4-* && cp "$T"/utc/s4-datanode* "$T/odd"
said "$T/odd" >"$T/word"
if grep -q 'are read as' "$T/out"; then fail "it was applied"; else tells "'--zone s2=+07:00' joins them"; fi

case_begin "nor where the one that tells may have a clock that is an hour wrong: the others end a quarter of an hour from it"
mkdir "$T/wrong" && cp "$T/utc"/* "$T/wrong"
for f in "$T"/wrong/s*.log.gz; do
	case $f in
	*/s2-*) ahead=60 ;;
	*-tasktracker*) rm "$f" && continue ;;
	*) ahead=45 ;;
	esac
	gzip -dc "$f" | awk -v ahead=$ahead '/^2026-11-22 [0-9][0-9]:/ {
		m = substr($0, 12, 2) * 60 + substr($0, 15, 2) + ahead
		$0 = sprintf("2026-11-%02d %02d:%02d%s", 22 + int(m / 1440), int(m / 60) % 24, m % 60, substr($0, 17)) } 1' >"${f%.gz}"
	rm "$f"
done
said "$T/wrong" >"$T/word"
if grep -q 'are read as' "$T/out"; then fail "it was applied"; else tells "'--zone s2=+01:00' joins them"; fi
