#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The page of jobs of limpet serve, and its list of tasks: of a job with more servers and tasks than are drawn, and with hostile names.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# shellcheck source=tests/serve.sh
. "$(dirname "$0")/../serve.sh"

# shellcheck disable=SC2034 # of serve()
D=$T/state HOSTS=48
serve_needs
U=http://$METRICS

# 48 servers, 100 tasks of 10 s each on five slots; and on 45 of the servers one more that began first and does not end.
awk 'BEGIN {
	t0 = 1795893800000
	printf "{\"limpet-progress\":1,\"of\":\"yarn\",\"from\":\"rm:8088\",\"t\":%.0f}\n", t0
	for (s = 1; s <= 45; s++)
		printf "{\"t\":%.0f,\"job\":\"job_1_1\",\"id\":\"attempt_1_1_m_9%05d_0\",\"kind\":\"map\",\"server\":\"s%d\",\"start\":%.0f,\"progress\":0}\n", t0, s, s, t0
	for (wave = 0; wave < 20; wave++)
		for (s = 1; s <= 48; s++)
			for (n = 0; n < 5; n++) {
				start = t0 + wave * 10000 + n * 100
				printf "{\"t\":%.0f,\"job\":\"job_1_1\",\"id\":\"attempt_1_1_m_%06d_0\",\"kind\":\"map\",\"server\":\"s%d\",\"start\":%.0f,\"progress\":1.0,\"end\":%.0f,\"outcome\":\"ok\"}\n", t0 + wave * 10000 + 12000, (wave * 48 + s) * 5 + n, s, start, start + 9000 + (s * 7 + n) % 5 * 200
			}
	for (i = 1; i <= 8; i++)
		printf "{\"t\":%.0f}\n", t0 + 203000 + i * 3000
}' >"$T/many.jsonl"
late() { [ "$(curl -s --max-time 10 "$U/api/v1/tasks?straggler=true" | jq .total)" = 45 ]; }

case_begin "of more tasks than are kept the late ones are, and how many are not is said"
serve "$T/many.jsonl"
if within 60 late; then
	check_eq "$(curl -s "$U/api/v1/tasks?limit=1" | jq -c '[.total, .left_out, (.tasks | length)]')" '[4000,845,1]' "kept, left out" &&
		check_eq "$(curl -s "$U/api/v1/tasks?outcome=open&server=s7" | jq -c '[.tasks[] | [.server, .straggler, .takes_s > 200, .usual_s < 12]]')" '[["s7",true,true,true]]' "that of s7" && ok
else
	fail "$(curl -s "$U/api/v1/jobs" | cut -c1-300) $(tail -n 3 "$T/serve.log")"
fi

case_begin "of more servers than are drawn those with late tasks are, each with its bar; what is not drawn is said"
curl -s "$U/jobs" >"$T/page"
check_eq "$(grep -c '<rect class="f6[" ]' "$T/page")" 41 "bars of late tasks, and the key" &&
	check_eq "$(grep -c '<rect class="f[1-7][" ]' "$T/page")" 1004 "all bars, and the keys" &&
	check_eq "$(awk '/class="soft">s[0-9]*</ { row = $0; sub(/.*class="soft">/, "", row); sub(/<.*/, "", row); n[row] = 0 } /<rect class="f/ && row { n[row]++ } END { for (r in n) least = !least || n[r] < least ? n[r] : least; print length(n), least }' "$T/page")" "40 25" "rows, and bars of each at least" &&
	check_eq "$(grep -o '<title>Tasks over time, by server: 1000 tasks of 40 servers; late: .*' "$T/page" | grep -o '1 on s[0-9]*' | wc -l)" 40 "what is said to whoever does not see them" &&
	check_eq "$(grep -c '8 more servers are not drawn; 5 of them have late tasks' "$T/page")" 1 "servers" &&
	check_eq "$(sed -n 's/.* \([0-9]*\) more tasks of these servers are not drawn.*/\1/p' "$T/page")" \
		"$(($(curl -s "$U/api/v1/tasks?limit=10000" | jq --argjson drawn "$(sed -n 's/^<text x="0.00%"[^>]*class="soft">\(s[0-9]*\)<.*/"\1"/p' "$T/page" | jq -s .)" '[.tasks[] | select(.server | IN($drawn[]))] | length') - 1000))" "tasks" &&
	check_eq "$(grep -c 'Of all jobs, 845 more tasks are not kept' "$T/page")" 1 "what is not known" && ok

case_begin "the home page says how many tasks are late, and what is stopped"
token="Authorization: Bearer $(cat "$D/token")"
curl -s -o "$T/out" -X POST -H "$token" -d x "$U/api/v1/symptoms/disk-bound/stop"
curl -s "$U/" >"$T/home"
check_eq "$(grep -c '<a href="/jobs">1 job runs, 45 late tasks</a>' "$T/home") $(grep -c 'Stopped: symptom disk-bound' "$T/home") $(curl -s "$U/jobs" | grep -c 'Stopped: symptom disk-bound')" "1 1 1" "what stands there" &&
	check_eq "$(grep -c "symptom 'disk-bound' was stopped by" "$T/serve.log")" 1 "what is said" && ok

# Three maps at a time on each of six servers, of 9.2 s in the median and 9.8 s on s3, whose fourth does not end; and reduces since second 30. The job
# waited 0.2 s for its first attempt, for three maps of s3 of 9.8 s, 0.2 s between each two of them, and since second 30 for the
# fourth: 29.4 and 80 s, of which 0.6 s three times and 70.8 s are more than elsewhere.
awk 'BEGIN {
	t0 = 1795893800000
	printf "{\"limpet-progress\":1,\"of\":\"yarn\",\"from\":\"rm:8088\",\"t\":%.0f}\n", t0
	for (wave = 0; wave < 6; wave++)
		for (s = 1; s <= 6; s++)
			for (n = 0; n < 3 && (s != 3 || wave < 4); n++) {
				start = t0 + wave * 10000 + n * 100
				takes = s == 3 ? 9800 : 9000 + (s * 7 + n) % 5 * 100
				printf "{\"t\":%.0f,\"job\":\"job_1_1\",\"id\":\"attempt_1_1_m_%06d_0\",\"kind\":\"map\",\"server\":\"s%d\",\"start\":%.0f,", start + takes, (wave * 6 + s) * 3 + n, s, start
				if (s == 3 && wave == 3)
					printf "\"progress\":0.4}\n"
				else
					printf "\"progress\":1.0,\"end\":%.0f,\"outcome\":\"ok\"}\n", start + takes
			}
	for (s = 1; s <= 3; s++)
		printf "{\"t\":%.0f,\"job\":\"job_1_1\",\"id\":\"attempt_1_1_r_%06d_0\",\"kind\":\"reduce\",\"server\":\"s%d\",\"start\":%.0f,\"progress\":0.2}\n", t0 + 30000, s, s, t0 + 30000
	for (i = 1; i <= 16; i++)
		printf "{\"t\":%.0f}\n", t0 + 62000 + i * 3000
}' >"$T/waits.jsonl"
waited() { [ "$(curl -s --max-time 10 "$U/api/v1/jobs" | jq '.jobs[0].waited_s')" = 110 ]; }

case_begin "what a job that runs waited for: by server, and how much of it is more than elsewhere"
killed
rm -rf "$D"
serve "$T/waits.jsonl"
within 60 waited
check_eq "$(curl -s "$U/api/v1/jobs" | jq -c '[.jobs[0].waited_for[] | [.server, .why, (.seconds * 1000 | round), (.lost_s * 1000 | round)]]')" \
	'[["s3","work",109400,72600],[null,"slot",400,0],[null,"start",200,0]]' "of 110 s" &&
	check_eq "$(curl -s "$U/api/v1/tasks?limit=1000" | jq -c '[.tasks[] | select(.waited_for) | .server + .began[17:19]]')" '["s320","s330","s340","s350"]' "for these tasks" && ok

case_begin "the page says it, and marks the tasks"
curl -s "$U/jobs" >"$T/page"
check_eq "$(sed -n 's/^<li>\(tasks on .*\)<\/li>/\1/p' "$T/page" | sed 's/&nbsp;/ /g')" "tasks on s3: 109 s (99 %), 73 s more than such tasks take elsewhere" "the sentence" &&
	check_eq "$(grep -c 'class="f6 path"' "$T/page") $(grep -c 'class="f1 path"' "$T/page") $(grep -c 'class="f2 path"' "$T/page")" "1 3 0" "the late one, and three that ended" &&
	check_eq "$(grep -c 'ended, 9.8 s; the job waited for it' "$T/page")" 3 "their titles" && ok

case_begin "names of jobs, tasks and servers are text on the page, whatever they are"
killed
rm -rf "$D"
sed -e 's/job_1_1/job_<script>alert(1)<\/script>\\"\&amp;/g; s/attempt_1_1_m_9/attempt_<b>\\"\x27_m_9/; s/"s7"/"s7<i>"/; s/"s8"/"s7\xe2\x80\x8b"/; s/"s9"/"größer"/; s/"s10"/"s10\\"}"/' "$T/many.jsonl" >"$T/hostile.jsonl"
serve "$T/hostile.jsonl"
within 60 late || echo "# $(curl -s "$U/api/v1/tasks?limit=3" | cut -c1-300)"
curl -s "$U/jobs" >"$T/page"
check_eq "$(grep -c '<script>alert\|<b>"\|<i>' "$T/page")" 0 "as HTML" && check_eq "$(grep -c '<h2>job_&lt;script&gt;alert(1)' "$T/page")" 1 "as text" && ok

case_begin "a name with a character that nobody sees has it escaped, and other letters are there"
check_eq "$(grep -c '>s7&lt;U+200B&gt;<' "$T/page") $(grep -c $'\u200b' "$T/page")" "1 0" "the escape" &&
	check_eq "$(grep -c '>größer<' "$T/page")" 1 "letters" && ok

case_begin "in metrics, events and JSON such names are a value each, and break nothing"
curl -s "$U/metrics" >"$T/metrics"
curl -sN --max-time 3 -H 'Last-Event-ID: x' "$U/api/v1/events" >"$T/stream"
check_eq "$(grep -c '^limpet_server_status{server="s10\\"}",status="[a-z-]*"} [01]$' "$T/metrics")" 5 "samples" &&
	check_eq "$(grep -c '^limpet_server_status{server="\(größer\|s7<U+200B>\)",' "$T/metrics")" 10 "letters, and what nobody sees" &&
	if command -v promtool >"$T/which"; then check_eq "$(promtool check metrics <"$T/metrics" 2>&1 | grep -v 'limpet_.* no help\|^$' | head -n 3)" "" "what promtool says"; fi &&
	check_eq "$(grep -vc '^\(id: [0-9a-f]*-[0-9]*\|event: [a-z]*\|retry: [0-9]*\|data: {.*}\|\)$' "$T/stream")" 0 "lines that are none of an event" &&
	check_eq "$(sed -n 's/^data: \({"schema.*\)/\1/p' "$T/stream" | jq -r 'select(.server == "s7<i>") | .straggler.job')" 'job_<script>alert(1)</script>"&amp;' "its event" &&
	check_eq "$(curl -s "$U/api/v1/servers/s10%22%7D" | jq -r .server)" 's10"}' "as JSON" && ok

case_begin "what logs tell beside tasks is what 'limpet states' says, the newest first"
killed
rm -rf "$D"
H=tests/data/hadoop-hang/logs
serve "$H"
known() { [ "$(curl -s --max-time 10 "$U/api/v1/states?limit=1" | jq .total)" = 1000 ]; }
within 60 known
curl -s "$U/api/v1/states?limit=10000" | jq -c '.states[] | [.began, .server, .state, .id, .peer, .job, .outcome, .bytes]' >"$T/told"
"$L" states --json "$H" 2>"$T/err" | jq -c 'select(.state | IN("map", "reduce", "task") | not) | [.time, .node, .state, .id, .peer, .job, .outcome, .bytes]' | tail -n 1000 >"$T/known"
# Of one time they come in any order, and of the first time not all.
later() { sort "$1" | awk -F '"' 'NR == 1 { first = $2 } $2 > first'; }
check_eq "$(wc -l <"$T/told")" 1000 "how many" && check_eq "$(diff <(later "$T/known") <(later "$T/told") | head -n 3)" "" "what differs" &&
	check_eq "$(jq -r '.[0]' "$T/told" | sed 's/\(:..\)Z/\1.000Z/' | LC_ALL=C sort -rc 2>&1)" "" "their order" &&
	check_eq "$(curl -s "$U/api/v1/states?server=node-kelp&state=shuffle&limit=1" | jq -c '.states[0] | [.server, .state]')" '["node-kelp","shuffle"]' "filtered" && ok
killed

# 126 bytes and a letter of two: 127 have room.
long=$(printf '%0126d' 0)
case_begin "a long name of a job is cut between two characters"
sed "s/job_1_1/${long}ö_1/g" "$T/many.jsonl" >"$T/long.jsonl"
"$L" diagnose --method stragglers --json "$T/long.jsonl" >"$T/out" 2>"$T/err"
check_eq "$(jq -r '.jobs[0].job' "$T/out")" "$long" "its name ($(head -n 3 "$T/err"))" && ok
