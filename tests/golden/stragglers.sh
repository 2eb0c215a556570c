#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# --method stragglers on recorded logs: tasks that hold up their job, why, and programs of the user's among the tables.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
D=tests/data/hadoop-hang/logs

diagnose() { "$L" diagnose --method stragglers "$@" "$D" 2>"$T/err"; }

# program NAME: what stands on standard input, executable
program() {
	cat >"$T/$1" && chmod +x "$T/$1"
}

case_begin "the server that hung explains what stayed on it, and its loss what was begun again"
diagnose --json >"$T/v.json"
check_eq "$(jq -r '.stragglers[] | select(.causes | index("node-failed")) | .server' "$T/v.json" | sort -u)" node-flint \
	"servers of what failed with its server" &&
	check_eq "$(jq -r '[.stragglers[] | select(.causes | index("restarted")) | select(.server != "node-flint")] | length' \
		"$T/v.json")" 3 "tasks begun again elsewhere" &&
	check_eq "$(jq -r '[.stragglers[] | select(.takes_s < 1.5 * .usual_s)] | length' "$T/v.json")" 0 "short ones" && ok

case_begin "a task's processor time and memory are those of its history"
check_eq "$("$L" states --json --id attempt_202611231140_0002_m_000000_0 "$D" 2>/dev/null |
	jq -c 'select(.state == "map") | [.program, .cpu_s, .memory_mib * 1048576]')" \
	'["word count",0.93,87433216]' "what it says" && ok

case_begin "the servers' verdict is that of robust"
"$L" diagnose --json "$D" >"$T/robust.json" 2>/dev/null
check_eq "$(jq -c '[.incidents, .verdict]' "$T/v.json" | cksum)" "$(jq -c '[.incidents, .verdict]' "$T/robust.json" | cksum)" \
	"incidents" && ok

case_begin "how much of straggling input bytes explain is said first, and is what another program computes from the states"
diagnose >"$T/text"
"$L" states --csv "$D" 2>"$T/err" | python3 tests/golden/stragglers_explained.py >"$T/explained.json"
check_eq "$(jq -c '.straggling | map_values(. * 1000 | round)' "$T/v.json")" "$(jq -c 'map_values(. * 1000 | round)' "$T/explained.json")" "in JSON" &&
	check_eq "$(jq '.beyond_s > 200 and .explained_s > 0 and .tasks > 200' "$T/explained.json")" true "there is some" &&
	check_eq "$(sed -n '/^tasks that/{n;p;}' "$T/text" | grep -c '^  input bytes explain at most 0 % of the 249 s by which')" 1 "first line" && ok

case_begin "causes that the logs do not tell: one line, after what was found"
diagnose >"$T/text"
check_eq "$(sed -n '/^tasks that/,/^$/p' "$T/text" | grep -c 'not known from these logs\|not recorded')" 1 "lines" &&
	check_eq "$(sed -n '/^most often/,/^$/p' "$T/text" | tail -n 2 | cut -c 1-26 | tr -d '\n')" 'not known from these logs:' "the last" && ok

case_begin "programs get what is known as JSON, in order, and their answers stand in the verdict"
program late <<'END'
#!/bin/sh
cat >"$0.in"
echo '{"stragglers": ["attempt_202611231140_0002_m_000000_0"], "jobs": {"job_202611231140_0002": "it was late"}}'
END
program mine <<'END'
#!/bin/sh
cat >"$0.in"
echo '{"tasks": ["attempt_202611231140_0002_m_000000_0"], "what": "it is mine"}'
END
program first <<'END'
#!/bin/sh
cat >/dev/null
echo '{"tasks": []}'
END
program sum <<'END'
#!/bin/sh
cat >/dev/null
echo '{"jobs": {"job_202611231140_0002": "nothing to do"}}'
END
diagnose --json --symptom "$T/late" --diagnoser "$T/mine,after=first,data-skew" --diagnoser "$T/first" \
	--decision "$T/sum" >"$T/v.json"
check_eq "$(cat "$T/err")" '' "messages" &&
	check_eq "$(jq -r '.jobs[1] | .job, .stragglers, .symptoms.late, .decision, .causes.mine.stragglers' "$T/v.json" | tr '\n' ,)" \
		"job_202611231140_0002,2,it was late,nothing to do,1," "what they said" &&
	check_eq "$(jq -r '.ask, (.tasks[0] | keys | length), (.tasks | length > 200)' "$T/mine.in" | tr '\n' ,)" \
		"diagnoser,17,true," "what one was asked" && ok

case_begin "a program that answers badly, or dies, costs its answer, and is named"
program bad <<'END'
#!/bin/sh
echo 'nothing'
END
program dies <<'END'
#!/bin/sh
kill -9 $$
END
diagnose --json --diagnoser "$T/bad" --decision "$T/dies" >"$T/v.json"
check_eq "$?" 0 "status" && check_eq "$(sed "s,$T,T,;s/^limpet: //" "$T/err")" \
	"'T/bad' answers badly: it is no JSON object: its answer is left out
'T/dies' was ended by signal 9: its answer is left out" "messages" &&
	check_eq "$(jq -r '.stragglers | length > 0' "$T/v.json")" true "the others' answers" && ok

refused() { # WORDS OPTION…
	words=$1
	shift
	case_begin "refused: $*"
	diagnose "$@" >"$T/out"
	check_eq "$? $(grep -c "$words" "$T/err")" "1 1" "status, message ($(cat "$T/err"))" && ok
}
refused 'No such file' --symptom "$T/nowhere"
refused 'not executable' --symptom "$T/v.json"
refused "runs after 'none'" --diagnoser "$T/mine,after=none"
refused "runs after 'mine'" --diagnoser "$T/mine,after=mine"
