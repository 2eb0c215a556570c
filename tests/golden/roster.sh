#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# limpet serve: symptoms, diagnosers and decisions while jobs run: what each finds, what people start, stop, load and unload, and that no program
# of theirs costs more than its answer.
# waits: programs are asked every ten seconds, and ended after as many
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# shellcheck source=tests/serve.sh
. "$(dirname "$0")/../serve.sh"

# shellcheck disable=SC2034 # HOSTS is of serve.sh
D=$T/state HOSTS=5 G=$T/programs R=tests/data/progress/progress.jsonl
JOB=job_1795893497417_0003 TASK=attempt_1795893497417_0003_m_000011_0
serve_needs
U=http://$METRICS
mkdir "$T/logs" "$G"
head -n "$(($(grep -n '_0003_m_000011_0.*outcome' $R | cut -d: -f1) - 1))" $R >"$T/logs/progress.jsonl"

# The time of the logs goes on, so that there are looks.
mkfifo "$T/never"
(
	exec 9<>"$T/never"
	now=$(tail -n 1 "$T/logs/progress.jsonl" | jq .t)
	while ! read -rt 0.4 -u 9; do echo "{\"t\":$((now += 100))}" >>"$T/logs/progress.jsonl"; done
) &
at_exit "end_child $!"

api() { curl -s --max-time 10 "$U/api/v1/$1" | jq -c "$2"; } # PATH FILTER
is() { [ "$(api "$1" "$2")" = "$3" ]; }                       # PATH FILTER VALUE
row() { api "$1" "first(.$1[] | select(.name == \"$2\")) | $3"; } # TABLE NAME FILTER
row_is() { [ "$(row "$1" "$2" "$3")" = "$4" ]; }
job_is() { is verdict "first(.jobs[] | select(.job == \"$JOB\")) | $1" "$2"; } # FILTER VALUE
seen() { within 60 "$@" || { fail "not seen: $*: $(api verdict '.jobs[] | del(.causes)') $(tail -n 3 "$T/serve.log")" && return 1; }; }
# Status of a change; the answer is in $T/out. PATH [OPTION…]
change() {
	local path=$1
	shift
	curl -s --max-time 10 -o "$T/out" -w '%{http_code}' -X POST -H "Authorization: Bearer $(cat "$D/token")" "$@" "$U/api/v1/$path"
}
load() { # TABLE NAME [AFTER]
	change "$1" -H 'Content-Type: application/json' -d "$(jq -cn --arg p "$2" --arg a "${3-}" '{program: $p} + if $a == "" then {} else {after: $a} end')"
}
says() { jq -r '.error // "nothing"' "$T/out"; }
# What it was asked stands beside it, whole. NAME: what it does then is on standard input.
program() {
	# shellcheck disable=SC2016 # of the program
	{ printf '#!/bin/sh\ncat >"$0.part" && mv "$0.part" "$0.in"\n' && cat; } >"$G/$1" && chmod +x "$G/$1"
}

case_begin "a folder of programs that is none, or for nobody who could load them: a message and a status"
echo >"$T/file"
for option in "--programs $T/none" "--programs $T/file"; do
	# shellcheck disable=SC2086 # words
	"$L" serve --check --state "$T/check" --ingest "$INGEST" --listen "$METRICS" $option >"$T/out" 2>&1
	echo "$? $(grep -c "limpet: cannot use '$T/[a-z]*' for programs: " "$T/out")"
done >"$T/said"
"$L" serve --state "$T/check" --ingest "$INGEST" --programs "$G" >"$T/out" 2>&1
check_eq "$? $(grep -c -- '--listen' "$T/out")" "2 1" "without --listen ($(cat "$T/out"))" &&
	check_eq "$(cat "$T/said")" $'1 1\n1 1' "no folder ($(cat "$T/out"))" && ok

# ---- programs that do harm -----------------------------------------------------------------------------------

# In a service of its own, for that takes a minute. The one that hangs is asked before the others, which wait for it.
program hangs <<END
trap '' TERM INT
echo \$\$ >>'$T/hung'
sleep 1000 &
echo \$! >>'$T/hung'
wait
sleep 1000
END
program fails <<'END'
exit 3
END
program large <<'END'
head -c 2097152 /dev/zero | tr '\0' x
END
program dies <<'END'
kill -9 $$
END
program text <<'END'
echo nothing
END
D2=$T/state2 M2=127.0.0.1:$(serve_port) I2=127.0.0.1:$(serve_port)
"$L" serve --state "$D2" --ingest "$I2" --listen "$M2" --json --programs "$G" "$T/logs" >"$T/events2" 2>"$T/serve2.log" &
SERVE2=$!
at_exit "end_child $SERVE2"
second() { D=$D2 METRICS=$M2 U=http://$M2 "$@"; }
: >"$T/hung"
serve --programs "$G" "$T/logs"

case_begin "programs that do harm are loaded like others"
within 30 second answers && within 60 second job_is .stragglers 1 &&
	check_eq "$(second load decisions hangs) $(second load symptoms fails) $(second load diagnosers large) $(second load diagnosers dies) $(second load decisions text)" '200 200 200 200 200' "answers" && ok

case_begin "no look waits for a program that hangs; it is ended, and nothing of it is left"
hung() { [ "$(wc -l <"$T/hung")" -ge 2 ]; }
judged() { second api decisions .until; }
alive() { grep -q '^State:.[^Z]' "/proc/$1/status" 2>>"$T/err"; }
# While one and the same runs the verdict's time goes on.
beside() {
	local pid
	pid=$(sed -n '1~2p' "$T/hung" | tail -n 1)
	[ "$pid" = "$last" ] || { last=$pid began=$(judged) && return 1; }
	[ "$(judged)" != "$began" ] && alive "$pid"
}
gone() { for pid in $(head -n 2 "$T/hung"); do ! alive "$pid" || return 1; done; }
last=''
if within 60 hung && within 60 beside; then
	if within 40 gone && within 20 second row_is decisions hangs '[.failed > 0, .took_s >= 10, .trouble, .found]' '[true,true,"ran for 10 s and was killed",[]]'; then
		check_eq "$(second change decisions/hangs/unload)" 200 "unloaded" && ok
	else
		fail "it runs still, or is not said: $(second row decisions hangs .)"
	fi
else
	fail "the looks stand still: $(second api decisions .until)"
fi

case_begin "each row tells what it finds of a job that runs, and each query of AutoDiagn is answered"
seen job_is '[.stragglers, .looked_at]' '[1,8]' &&
	check_eq "$(row symptoms straggler '[.found, .started, .program, .while_running]')" "[[{\"job\":\"$JOB\",\"stragglers\":1,\"tasks\":8}],true,false,true]" "the symptom" &&
	check_eq "$(api symptoms '[.symptoms[] | .name]')" '["straggler","idle-nodes","oversubscribed","disk-bound"]' "symptoms" &&
	check_eq "$(row diagnosers node-limps '[.found, .after]')" "[[{\"job\":\"$JOB\",\"stragglers\":0,\"of_stragglers\":1,\"tasks\":0,\"of_tasks\":8}],[\"node-failed\"]]" "a diagnoser" &&
	check_eq "$(row diagnosers data-skew .found) $(api diagnosers '.diagnosers | length')" '[] 9' "what nobody can know here, diagnosers" &&
	check_eq "$(api decisions '[.decisions[] | [.name, (.found | length)]]')" '[["server",0],["cause",0],["place",0],["unknown",1]]' "decisions" &&
	check_eq "$(api queries '[.queries[] | .query] | length')" 9 "queries" &&
	check_eq "$(api queries/QueryOutlier '[.query, [.found[] | [.task, .server, .running]]]')" "[\"QueryOutlier\",[[\"$TASK\",\"s3\",true]]]" "QueryOutlier" &&
	check_eq "$(api queries/RootcauseOutlier '[.found[] | [.job, .decided_by]]')" "[[\"$JOB\",\"unknown\"]]" "RootcauseOutlier" &&
	for query in $(api queries '.queries[].query' | tr -d '"'); do api queries/"$query" '[.query, (.found | type), (.not_known | type)]'; done >"$T/queries" &&
	check_eq "$(grep -c '^\["[A-Za-z]*","array","null"\]$' "$T/queries")" 5 "those that find, or find nothing" &&
	check_eq "$(grep '"null","string"' "$T/queries" | cut -d '"' -f 2 | tr '\n' ' ')" 'QueryResourceUtil QueryNonLocal QueryLessResource QueryOversubscribed ' "those that nothing here can answer" &&
	check_eq "$(curl -s -o "$T/out" -w '%{http_code}' "$U/api/v1/queries/QueryNothing")" 404 "another" && check_eq "$(says)" 'no query has this name: /api/v1/queries tells all' "what it says" && ok

case_begin "a decision is an event, is kept, and stands among those that were made"
made='[.made[] | select(.text | contains("'$JOB'")) | .decided_by]'
decided() { [ "$(of_kept "SELECT count(*) FROM event WHERE kind = 'decision' AND cause = 'unknown' AND text LIKE '%$JOB%'" 2>>"$T/err")" -ge 1 ]; }
seen is decisions "$made" '["unknown"]' && within 20 decided &&
	check_eq "$(jq -c 'select(.change == "decision") | [.cause, .server, .job.job, .job.decision, .job.decided_by, .job.subject]' "$T/events")" \
		"[\"unknown\",null,\"$JOB\",\"they have nothing in common that is known\",\"unknown\",null]" "the event" && ok

case_begin "what is stopped finds nothing from the next look on; started it is back"
check_eq "$(change symptoms/straggler/stop) $(jq -c . "$T/out")" '200 {"kind":"symptom","name":"straggler","state":"stopped"}' "answer" &&
	seen job_is '[.stragglers, .decision]' '[0,null]' && check_eq "$(row symptoms straggler '[.found, .started]') $(api queries/QueryOutlier .found)" '[[],false] null' "the row, QueryOutlier" &&
	check_eq "$(change symptoms/straggler/stop) $(change symptoms/straggler/start)" '200 200' "twice, and started" && seen job_is '[.stragglers, .decided_by]' '[1,"unknown"]' &&
	check_eq "$(change diagnosers/node-failed/stop) $(change decisions/unknown/stop)" '200 200' "of the other tables" &&
	seen job_is '[.causes["node-failed"], .causes["node-limps"].tasks, .decision]' '[null,0,null]' &&
	check_eq "$(row diagnosers node-failed .found) $(api queries/RootcauseOutlier .found)" '[] []' "their rows" && ok

# ---- programs ----------------------------------------------------------------------------------------------

program mine <<END
echo '{"tasks": ["$TASK", "nobody"], "what": "it is mine"}'
END
program sum <<END
echo '{"jobs": {"$JOB": "nothing to do", "no-job": "x"}}'
END
program odd <<END
echo '{"jobs": {"$JOB": "it is odd"}}'
END

case_begin "programs are rows like others: what they were asked is JSON, what they say stands in the verdict"
check_eq "$(load diagnosers mine node-limps,data-skew) $(jq -c . "$T/out") $(load decisions sum) $(load symptoms odd) $(load diagnosers odd mine)" \
	'200 {"kind":"diagnoser","name":"mine","state":"started"} 200 200 200' "answers" &&
	seen job_is '[.decision, .decided_by, .causes.mine.stragglers, .symptoms.odd]' '["nothing to do","sum",1,"it is odd"]' &&
	check_eq "$(row decisions sum '[.program, .started, .asked > 0, .failed, .trouble, .took_s < 10, .found[0].decision]')" '[true,true,true,0,null,true,"nothing to do"]' "the decision" &&
	check_eq "$(row diagnosers mine '[.after, .found[0].stragglers]') $(row symptoms odd .found[0].what)" '[["node-limps","data-skew"],1] "it is odd"' "the others" &&
	check_eq "$(api verdict '[.stragglers[] | .causes]')" '[["mine"]]' "the task's causes" &&
	check_eq "$(jq -c "[.schema, .ask, (.jobs[] | select(.job == \"$JOB\") | .stragglers), (.tasks | length > 7), (.tasks[] | select(.task == \"$TASK\") | .server, .straggler, .outcome)]" "$G/mine.in")" \
		'[1,"diagnoser",1,true,"s3",true,"open"]' "what it was asked" &&
	check_eq "$(jq -c .ask "$G/sum.in")" '"decision"' "what the decision was asked" && seen is decisions "$made | [first, last]" '["sum","unknown"]' && ok

case_begin "what others run after stays; what is unloaded says nothing any more"
check_eq "$(change diagnosers/mine/unload) $(says)" "400 'odd' runs after it" "what others run after" &&
	check_eq "$(change diagnosers/node-limps/unload) $(says)" "400 it is limpet's own: it can be stopped" "one of limpet's own" &&
	check_eq "$(change diagnosers/odd/unload) $(jq -r .state "$T/out") $(change diagnosers/mine/unload) $(change diagnosers/mine/unload) $(says)" \
		'200 unloaded 200 404 no diagnoser has this name' "unloaded, and again" &&
	seen job_is '[.causes | has("mine")]' '[false]' && check_eq "$(api verdict '[.stragglers[] | .causes]')" '[[]]' "the task's causes" && ok

case_begin "killed and started again: what was stopped is, what was loaded is; without the folder it is stopped and says so"
check_eq "$(load diagnosers mine node-limps)" 200 "one more"
killed
serve --proxy-user X-Remote-User "$T/logs"
within 30 answers
as() { curl -s --max-time 10 -H 'X-Remote-User: dora' -o "$T/out" -w '%{http_code}' "$@"; }
api() { curl -s --max-time 10 -H "Authorization: Bearer $(cat "$D/token")" "$U/api/v1/$1" | jq -c "$2"; }
seen row_is decisions unknown .started false && check_eq "$(row diagnosers node-failed .started) $(row symptoms straggler .started)" 'false true' "rows of limpet's own" &&
	check_eq "$(row decisions sum '[.started, .trouble]')" '[false,"the service was started without a folder of programs (--programs)"]' "a program" &&
	check_eq "$(grep -c "decision 'sum' is stopped: the service was started without" "$T/serve.log")" 1 "said once" &&
	check_eq "$(change decisions/sum/start) $(says)" "400 it cannot be run: its folder is not there any more" "started" &&
	check_eq "$(load symptoms mine) $(says)" "400 the service was started without a folder of programs (--programs)" "loaded" &&
	check_eq "$(change diagnosers/mine/stop) $(row diagnosers mine .after) $(change diagnosers/node-limps/stop) $(change diagnosers/node-limps/start)" '200 ["node-limps"] 200 200' "what it runs after is not forgotten" &&
	check_eq "$(api decisions "$made" | jq -c 'contains(["sum","unknown"])')" true "decisions of before" && ok

case_begin "who has no token changes by a form of a page, and by nothing less"
seen job_is .stragglers 1
word=$(curl -s --max-time 10 -H 'X-Remote-User: dora' "$U/servers/s3" | grep -o 'name="form" value="[0-9a-f]*' | head -n 1 | sed 's/.*"//')
check_eq "$(as -d 'form=' "$U/api/v1/symptoms/straggler/stop") $(as -d "form=x$word" "$U/api/v1/symptoms/straggler/stop") $(says)" \
	"403 403 that takes the token of the service (DIR/token), as 'Authorization: Bearer TOKEN'" "without" &&
	check_eq "$(as -H 'Sec-Fetch-Site: cross-site' -d "form=$word" "$U/api/v1/symptoms/straggler/stop") $(row symptoms straggler .started)" '403 true' "of another site" &&
	check_eq "$(as -d "form=$word" "$U/api/v1/symptoms/straggler/stop") $(row symptoms straggler .started)" '200 false' "the form" &&
	check_eq "$(as -d "form=$word&program=odd" "$U/api/v1/symptoms") $(says)" '400 the service was started without a folder of programs (--programs)' "a form that loads" && ok

case_begin "a browser is shown on a page why its form was refused, and the way back"
page() { as -H 'Accept: text/html' -d "form=$word&page=/jobs" "$U/api/v1/$1"; }
check_eq "$(page symptoms/no-such/stop) $(grep -c 'no symptom has this name' "$T/out") $(grep -c '<a href="/jobs">Back' "$T/out")" '404 1 1' "one that is not there" &&
	check_eq "$(page symptoms/straggler/unload) $(grep -c "limpet&#39;s own" "$T/out")" '400 1' "one that stays" && ok

case_begin "rows of jobs.db that there can be none of cost themselves alone"
killed
sqlite3 "$D/jobs.db" "INSERT INTO roster VALUES ('diagnoser', 'astray', 1, 'nowhere', 1), ('diagnoser', 'none-such', 0, '', 0), ('x', 'y', 1, '', 1), ('symptom', 'absent', 1, '', 1)"
cp "$G/mine" "$G/astray"
serve --programs "$G" "$T/logs"
within 30 answers
seen row_is diagnosers astray '[.started, .trouble]' "[false,\"it runs after 'nowhere', which is no diagnoser or runs after it\"]" &&
	check_eq "$(change diagnosers/astray/start) $(says)" "400 it runs after 'nowhere', which is no diagnoser or runs after it" "started" &&
	check_eq "$(row symptoms absent '[.started, .trouble]' | sed "s,$G,G,") $(row diagnosers mine .started) $(row decisions sum '[.started, .trouble]')" '[false,"'"'G/absent'"' cannot be run: No such file or directory"] false [true,null]' "the others" &&
	check_eq "$(change symptoms/straggler/start) $(change diagnosers/mine/start) $(change decisions/unknown/start)" '200 200 200' "started" &&
	seen job_is '[.stragglers, .decided_by, .causes.mine.stragglers]' '[1,"sum",1]' && check_eq "$(change diagnosers/astray/unload) $(change symptoms/absent/unload)" '200 200' "unloaded" && ok

# ---- what makes no sense ------------------------------------------------------------------------------------

long=$(printf 'x%.0s' $(seq 200))
echo text >"$G/plain"
mkdir "$G/folder"
ln -s folder "$G/link-to-folder"
ln -s nowhere "$G/link-to-nowhere"
for name in .hidden 'a,b' 'a b' $'a\tb' 'a?b' 'a%2Fb' 'a#b' 'a+b' "n$(printf 'x%.0s' $(seq 31))"; do cp "$G/odd" "$G/$name"; done

case_begin "names that are none of a program of the folder are refused, each with a sentence"
bad=''
while IFS='|' read -r wanted table name after; do
	is=$(load "$table" "$(printf '%b' "$name")" "$after")
	{ [ "$is" = 400 ] || { [ "$is" = 409 ] && [[ $wanted == *already* ]]; }; } && says | grep -qF -- "$wanted" || bad+="$table $name $after: $is $(says); "
done <<END
a program is named by its file|symptoms|../sum
a program is named by its file|symptoms|/bin/cat
a program is named by its file|symptoms|folder/x
a program is named by its file|symptoms|..
a program is named by its file|symptoms|.
a program is named by its file|symptoms|.hidden
a program is named by its file|symptoms|
a program is named by its file|symptoms|$long
a program is named by its file|symptoms|n$(printf 'x%.0s' $(seq 31))
a program's name is of ASCII letters, digits and|symptoms|a,b
a program's name is of ASCII letters, digits and|symptoms|a b
a program's name is of ASCII letters, digits and|symptoms|a\tb
a program's name is of ASCII letters, digits and|symptoms|a\001b
a program's name is of ASCII letters, digits and|symptoms|\303\244
a program's name is of ASCII letters, digits and|symptoms|a?b
a program's name is of ASCII letters, digits and|symptoms|a%2Fb
a program's name is of ASCII letters, digits and|symptoms|a#b
a program's name is of ASCII letters, digits and|symptoms|a+b
cannot be run: No such file|symptoms|absent
cannot be run: No such file|symptoms|link-to-nowhere
cannot be run: it is not executable|symptoms|plain
cannot be run: it is no file|symptoms|folder
cannot be run: it is no file|symptoms|link-to-folder
there is one of this name already|decisions|sum
there is one of this name already|diagnosers|mine|node-limps
runs after 'nothing'|diagnosers|odd|nothing
runs after 'odd'|diagnosers|odd|odd
runs after 'node-limps,nothing'|diagnosers|odd|node-limps,nothing
runs after too many|diagnosers|odd|$long$long
only diagnosers run after others|decisions|odd|node-limps
only diagnosers run after others|symptoms|mine|node-limps
END
check_eq "$bad" '' "what differs" && check_eq "$(api symptoms '[.symptoms[] | select(.program) | .name]')" '["odd"]' "programs that are there" && ok

case_begin "what is no request is refused, each with a sentence, and changes nothing"
bad=''
J='Content-Type: application/json'
asked() { # STATUS METHOD PATH [OPTION…]
	local is
	is=$(curl -s --max-time 10 -o "$T/out" -w '%{http_code}' -X "$2" "${@:4}" "$U/api/v1/$3")
	[ "$is" = "$1" ] && jq -e '.error | length > 5' "$T/out" >"$T/jq" 2>&1 || bad+="$2 $3: $is $(cat "$T/out"); "
}
before=$(api symptoms '[.symptoms[] | [.name, .started]]')
B="Authorization: Bearer $(cat "$D/token")"
asked 401 POST symptoms -H "$J" -d '{"program": "sum"}'
asked 401 POST symptoms -H "$J" -H 'Authorization: Bearer x' -d '{"program": "sum"}'
asked 401 POST symptoms/straggler/stop -d a=b
asked 403 POST symptoms/straggler/stop -d form=0000
for body in '' '[]' 'x' '{"program": "sum"' '"sum"' '{"program": "sum", "program": "odd"}' '{"program": "a\u0000b"}' '{"program": 7}' '{}' "{\"program\": $(printf '[%.0s' $(seq 5000))"; do
	asked 400 POST symptoms -H "$B" -H "$J" -d "$body"
	asked 400 POST decisions -H "$B" -d "$body"
done
asked 401 POST diagnosers/mine/stop -H "$J" -d '[]'
for verb in nothing start/ stop/x STOP '' ../x; do asked 404 POST "symptoms/straggler/$verb" --path-as-is -H "$B" -d x; done
for name in '' straggler nobody/stop node-limps/stop "$long/stop" %00/stop 'straggler%2Fstop' "straggler?x=/stop" ..%2fsymptoms/stop; do asked 404 POST "symptoms/$name" -H "$B" -d x; done
for path in symptoms diagnosers decisions symptoms/straggler/stop; do
	asked 405 DELETE $path -H "$B"
	asked 405 PUT $path -H "$B" -d x
done
asked 405 POST queries -H "$B" -d x
asked 405 POST queries/QueryOutlier -H "$B" -d x
asked 405 GET symptoms/straggler/stop -H "$B"
for name in queryoutlier QueryOutlier/ QueryOutlier/x "$long"; do asked 404 GET "queries/$name"; done
check_eq "$bad" '' "what differs" && check_eq "$(api symptoms '[.symptoms[] | [.name, .started]]')" "$before" "what is there" && ok

ln -s "$T/outside" "$G/linked"
cat >"$T/outside" <<END
#!/bin/sh
echo '{"jobs": {"$JOB": "from outside"}}'
END
chmod +x "$T/outside"

case_begin "there are eight programs at most, of all tables together"
check_eq "$(change diagnosers/mine/unload) $(change decisions/sum/unload) $(change symptoms/odd/unload)" '200 200 200' "unloaded" &&
	check_eq "$(load decisions linked) $(load symptoms odd) $(load diagnosers odd) $(load decisions odd) $(load decisions sum) $(load decisions mine) $(load diagnosers mine) $(load symptoms mine)" \
		'200 200 200 200 200 200 200 200' "eight" &&
	check_eq "$(load symptoms sum) $(says)" "409 there are too many programs: 8 at most, and diagnosers with limpet's own 16" "the ninth" &&
	for row in symptoms/odd diagnosers/odd decisions/odd decisions/sum decisions/mine diagnosers/mine; do change $row/unload; done >"$T/said" &&
	check_eq "$(cat "$T/said") $(api decisions '[.decisions[] | select(.program) | .name]')" '200200200200200200 ["linked"]' "unloaded" && ok

case_begin "a symbolic link of the folder's is what it leads to"
seen job_is '[.decision, .decided_by]' '["from outside","linked"]' && ok

case_begin "who fails five times in a row is stopped, which is said once, and says why"
bad=''
while IFS='|' read -r table name why; do
	within 90 second row_is "$table" "$name" '[.started, .failed, .found]' '[false,5,[]]' || bad+="$name: $(second row "$table" "$name" '[.started, .asked, .failed]'); "
	[[ $(second row "$table" "$name" .trouble) == *"$why"* ]] || bad+="$name: $(second row "$table" "$name" .trouble); "
	[ "$(grep -c "${table%s} '$name' is stopped: it failed 5 times in a row: .*$why" "$T/serve2.log")" = 1 ] || bad+="$name: $(grep "$name" "$T/serve2.log"); "
done <<END
symptoms|fails|ended with status 3
diagnosers|large|said more than 1048576 bytes and was killed
diagnosers|dies|was ended by signal 9
decisions|text|it answers badly: it is no JSON object
END
check_eq "$bad" '' "what differs" && check_eq "$(second api verdict '[.jobs[] | .stragglers]')" '[1]' "the others' answers" && ok

case_begin "one that was stopped can be started; a service that ends does not wait for those that are asked no more"
program text <<END
echo '{"jobs": {"$JOB": "mended"}}'
END
check_eq "$(second change decisions/text/start)" 200 "started" && seen second job_is '[.decision, .decided_by]' '["mended","text"]' &&
	check_eq "$(second row decisions text '[.trouble, .started]')" '[null,true]' "its trouble" &&
	for i in 1 2 3; do cp "$G/hangs" "$G/hangs$i"; done && : >"$T/hung" && check_eq "$(second load decisions hangs1) $(second load decisions hangs2) $(second load decisions hangs3)" '200 200 200' "three that hang" &&
	within 60 hung && within 60 second is decisions '[.decisions[] | select(.name[:5] == "hangs") | .asked > 0] | all' true && {
	begin=$SECONDS
	kill -TERM "$SERVE2"
	wait "$SERVE2"
	check_eq "$?" 0 "status"
} && if [ $((SECONDS - begin)) -lt 20 ]; then check_eq "$(grep -c 'Sanitizer\|runtime error' "$T/serve.log" "$T/serve2.log")" "$T/serve.log:0
$T/serve2.log:0" "complaints" && ok; else fail "it waited for $((SECONDS - begin)) s"; fi
