#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What people and programs ask of limpet serve: pages, /api/v1, events, metrics; of a recording that lies there.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# shellcheck source=tests/serve.sh
. "$(dirname "$0")/../serve.sh"

D=$T/state HOSTS=6
serve_needs
serve tests/data/disk-hog/series
U=http://$METRICS
get() { curl -s --max-time 10 "$@" -o "$T/body" -w '%{http_code} %{content_type}' && cat "$T/body" >"$T/out"; } # [OPTION…] URL: status and type; the body is in $T/out
status() { curl -s --max-time 10 -o "$T/out" -w '%{http_code}' "$@"; }
limps() { [ "$(metric 'limpet_indicted{server="oss-s3",cause="disk-hog"')" = 1 ]; }
within 30 limps || fail "it does not answer: $(cat "$T/serve.log")"

case_begin "oss-s3 is on the page, in the API and in the metrics, with one id"
id=$(curl -s "$U/api/v1/incidents" | jq -r '.incidents[0].id')
check_eq "$(get "$U/")" '200 text/html; charset=utf-8' 'the page' && grep -q '<h1>When last heard: <span>oss-s3</span> limps: disk-hog</h1>' "$T/out" &&
	grep -q "href=\"/incidents/$id\"" "$T/out" && grep -q '<a href="/#incidents">incidents</a>' "$T/out" &&
	grep -q '<section id="incidents">' "$T/out" &&
	check_eq "$(get "$U/incidents/$id")" '200 text/html; charset=utf-8' 'its page' && grep -q 'fio (pid 22069' "$T/out" && grep -q 'read device time' "$T/out" &&
	check_eq "$(curl -s "$U/api/v1/incidents/$id" | jq -r '"\(.server) \(.cause) \(.open) \(.events[0].change) \(.culprit.name)"')" 'oss-s3 disk-hog true opened fio' 'its object' &&
	if [ "$(metric 'limpet_indicted{server="oss-s3",cause="disk-hog"')" = 1 ]; then ok; else fail "metrics"; fi

case_begin "it does not say that anybody is well: nothing has come for days"
get "$U/" >"$T/status"
grep -q 'What is so now is not known: nothing was heard of any server since 2026-11-21T19:28:2' "$T/out" && grep -q '<b>oss-s1</b> not judged: nothing heard</a>' "$T/out" && ! grep -q '>well<\|class="tiles plain"\|[0-9] well' "$T/out" &&
	check_eq "$(curl -s "$U/api/v1/servers" | jq -r '[.servers[].status] | unique | join(" ")')" 'indicted not-judged' 'statuses' &&
	check_eq "$(curl -s "$U/api/v1/verdict" | jq -r '.can_judge')" false can_judge && ok

case_begin "the verdict is that of limpet diagnose"
"$L" diagnose --json tests/data/disk-hog/series 2>"$T/err" | jq -S '.incidents' >"$T/of-diagnose"
curl -s "$U/api/v1/verdict" | jq -S '.incidents' >"$T/of-api"
if cmp -s "$T/of-diagnose" "$T/of-api"; then ok; else fail "$(diff "$T/of-diagnose" "$T/of-api" | head -n 10)"; fi

case_begin "every path that openapi.json tells is answered, with the type it tells"
curl -s "$U/api/v1/openapi.json" >"$T/openapi"
jq -r '.paths | to_entries[] | select((.key | contains("events") | not) and .value.get) | "\(.key) \(.value.get.responses["200"].content | keys[0])"' "$T/openapi" >"$T/paths"
bad=''
while read -r path type; do
	path=${path/\{server\}/oss-s3} path=${path/\{id\}/$id} path=${path/\{query\}/QueryOutlier}
	[ "$path" != /api/v1/series ] || path+='?server=oss-s3&signal=read'
	[[ $(get -H "Accept: $type" "$U$path") == "200 $type"* ]] || bad+="$path: $(cat "$T/out") "
done <"$T/paths"
check_eq "$bad" '' 'what differs' && check_eq "$(wc -l <"$T/paths")" 26 'how many' &&
	check_eq "$(jq -c '[.paths[][].responses | has("default"), has("400"), .["503"].content["application/json"].schema["$ref"] == "#/components/schemas/refusal"] | unique' "$T/openapi")" '[true]' 'refusals' &&
	check_eq "$(jq -c '[.paths[].post | select(.) | .responses | keys] | unique' "$T/openapi")" '[["200","303","400","401","403","404","409","503","default"]]' 'what changes may come to' &&
	check_eq "$(jq -c '[.paths["/api/v1/series", "/api/v1/incidents/{id}", "/api/v1/incidents"].get.responses | has("404")]' "$T/openapi")" '[true,true,false]' 'where something may be missing' && ok

case_begin "openapi.json is OpenAPI 3.0 by its schema, and each reference of it leads somewhere"
SPEC=/usr/share/openapi-specification/schemas/v3.0/schema.json
if [ -e $SPEC ] && /usr/bin/python3 -c 'import jsonschema' 2>"$T/err"; then
	/usr/bin/python3 - $SPEC "$T/openapi" >"$T/out" 2>&1 <<-'END'
		import json, re, sys, jsonschema
		spec, told = (json.load(open(name)) for name in sys.argv[1:])
		for error in jsonschema.Draft4Validator(spec).iter_errors(told):
		    print(list(error.absolute_path), error.message[:200])
		for ref in set(re.findall(r'"\$ref": "#/components/schemas/(\w+)"', json.dumps(told))):
		    print(*(["no", ref] if ref not in told["components"]["schemas"] else []), end="")
		time = told["components"]["schemas"]["time"]
		for text, is_one in (time["example"], 1), ("2026-11-21", 1), ("-6h", 1), ("2026-11-21T20:05+01:00", 1), ("", 0), ("soon", 0), ("2026-11-31", 0):
		    if bool(re.match(time["pattern"], text)) != bool(is_one):
		        print("pattern:", text)
	END
	check_eq "$(cat "$T/out")" '' 'what differs' && check_eq "$(jq -r '[.. | objects | select(.name? == "at" or .name? == "before" or .name? == "from" or .name? == "to") | .schema["$ref"]] | "\(length) \(unique)"' "$T/openapi")" '4 ["#/components/schemas/time"]' 'times' && ok
else
	skip "needs openapi-specification and python3-jsonschema (tools/deps ci)"
fi

case_begin "lists are filtered and paged"
check_eq "$(curl -s "$U/api/v1/servers?status=indicted" | jq -c '[.total, [.servers[].server]]')" '[1,["oss-s3"]]' 'those that are indicted' &&
	check_eq "$(curl -s "$U/api/v1/servers?limit=2&offset=3" | jq -c '[.total, .offset, [.servers[].server]]')" '[6,3,["oss-s4","oss-s5"]]' 'a page' &&
	check_eq "$(curl -s "$U/api/v1/servers?server=oss%2Ds1" | jq -r '.total')" 1 'by a name that is encoded' &&
	check_eq "$(curl -s "$U/api/v1/groups" | jq -c '[.groups[] | [.group, (.servers | length)]]')" '[["1",6]]' 'groups' &&
	check_eq "$(curl -s "$U/api/v1/incidents?server=oss-s1" | jq -c .incidents)" '[]' 'of another server' &&
	check_eq "$(curl -s "$U/api/v1/incidents?open=0" | jq -c .incidents)" '[]' 'that are over' &&
	check_eq "$(curl -s "$U/api/v1/incidents?before=2026-11-01" | jq -c .incidents)" '[]' 'of before' &&
	check_eq "$(curl -s "$U/api/v1/servers?limit=%32" | jq -c '.servers | length')" 2 'by a number that is encoded' && ok

case_begin "a value that is no text, or too long, is not taken for one that was left out"
for value in '' %00 "$(printf 'x%.0s' $(seq 300))" "$(printf 'x%.0s' $(seq 3000))"; do
	echo "$(curl -s "$U/api/v1/servers?server=$value" | jq .total) $(curl -s "$U/api/v1/incidents?server=$value" | jq '.incidents | length')"
	for path in 'servers?limit' 'servers?offset' 'incidents?limit' 'incidents?open' 'incidents?before' 'summary?days' 'verdict?at' 'series?server=oss-s3&signal=read&to'; do status "$U/api/v1/$path=$value"; done
	echo
done >"$T/values"
check_eq "$(sort "$T/values" | uniq -c | sed 's/^ *//')" $'4 0 0\n4 400400400400400400400400' 'lists, numbers and times' && ok

case_begin "what makes no sense is refused with a sentence"
bad=''
while read -r wanted path; do
	is=$(status "$U$path")
	[ "$is" = "$wanted" ] && jq -e .error "$T/out" >"$T/jq" 2>&1 || bad+="$path: $is $(cat "$T/out") "
done <<-'END'
	400 /api/v1/servers?limit=x
	400 /api/v1/servers?limit=0
	400 /api/v1/servers?offset=99999999999999999999999999999999999999999999999999
	400 /api/v1/incidents?open=2
	400 /api/v1/incidents?before=yesterday-ish
	404 /api/v1/nothing
	404 /api/v1/servers/oss-s99
	404 /api/v1/servers/
	404 /api/v1/servers/oss-s3/more
	404 /api/v1/incidents/0000000000000000
	404 /servers/%00
	404 /servers/..%2f..%2fetc%2fpasswd
	404 /index.html
	400 /api/v1/series
	400 /api/v1/series?server=oss-s3
	404 /api/v1/series?server=oss-s9&signal=read
	404 /api/v1/series?server=oss-s3&signal=nothing
	400 /api/v1/series?server=oss-s3&signal=read&from=soon
	400 /api/v1/series?server=oss-s3&signal=read&from=2026-11-21T19:28:00Z&to=2026-11-21T19:28:00Z
	400 /api/v1/series?server=oss-s3&signal=read&from=@0&to=2262-04-11T00:00:00Z
	400 /api/v1/series?server=oss-s3&signal=read&from=@0
	400 /api/v1/verdict?at=@0
END
check_eq "$bad" '' 'what differs' &&
	check_eq "$(status -X DELETE "$U/api/v1/servers")" 405 'another method' &&
	for wanted in 'PUT servers' 'GET diagnose' 'HEAD diagnose' 'OPTIONS silences' 'DELETE symptoms' 'GET symptoms/x/stop' 'PUT silences/1/end' 'HEAD events'; do
		curl -s --max-time 10 --head -o "$T/out" -D - -X "${wanted% *}" "$U/api/v1/${wanted#* }" | tr -d '\r' | sed -n '1s/[^ ]* \([0-9]*\).*/\1/p; s/^Allow//p' | tr -d '\n'
		echo
	done >"$T/allowed" &&
	check_eq "$(uniq -c "$T/allowed" | sed 's/^ *//')" $'1 405: GET, HEAD\n2 405: POST\n2 405: GET, HEAD, POST\n2 405: POST\n1 405: GET' 'what is allowed' &&
	check_eq "$(status --request-target http://evil.example/api/v1/signals "$U/") $(status --request-target "$U/api/v1/signals" "$U/")" '421 200' 'by another name in the path, by ours' &&
	check_eq "$(status -H 'Host: evil.example' "$U/")" 421 'by another name' &&
	check_eq "$(status -H "Host: localhost:1" "$U/")" 200 'by a name of this host' && ok

case_begin "a series is what limpet diagnose compared, and its peers' the lowest and the highest of theirs"
"$L" diagnose --json --explain tests/data/disk-hog/series 2>"$T/err" >"$T/explained"
at=$(jq -c '[.looks[] | select(.signal == "queue") | .from] | min' "$T/explained")
for server in oss-s3 oss-s5; do
	disk=$(jq -r --arg s $server 'first(.looks[] | select(.signal == "queue" and .server == $s) | .disk)' "$T/explained")
	jq -c --arg s $server --arg d "$disk" '[.looks[] | select(.signal == "queue" and .server == $s and .disk == $d and .judged) | [.to, (.value * 1000 | round), (.peers_median * 1000 | round)]] | sort' "$T/explained" >"$T/of-diagnose"
	curl -s "$U/api/v1/series?server=$server&signal=queue&disk=$disk&from=${at:1:20}&to=2026-11-21T19:28:28Z" >"$T/series"
	jq -c '[(.from | fromdateiso8601) as $from | .step_s as $step | range(.value | length) as $i | select(.value[$i] != null) | [($from + ($i + 1) * $step | todate), (.value[$i] * 1000 | round), (.peers[$i] * 1000 | round)]]' "$T/series" >"$T/of-api"
	if ! cmp -s "$T/of-diagnose" "$T/of-api"; then fail "$server: $(head -c 300 "$T/of-diagnose") $(head -c 300 "$T/of-api")"; break; fi
done
# That of oss-s3, which is indicted, is not in the band.
check_eq "$(jq -c '[.n_peers, (.value | map(select(. != null)) | length > 20), ([.low, .high] | transpose | map(select(.[0] != null and .[0] > .[1])) | length)]' "$T/series")" \
	'[4,true,0]' 'peers, points, and lows above highs' && ok

case_begin "where a point is of several intervals, the median of the peers lies among them"
for server in oss-s1 oss-s5; do
	curl -s "$U/api/v1/series?server=$server&signal=read&from=2026-11-21T07:00:00Z&to=2026-11-21T20:00:00Z" |
		jq -c '[.step_s > 60, ([.low, .peers, .high] | transpose | map(select(.[1] != null and .[0] != null)) | [length > 0, (map(select(.[1] < .[0] or .[1] > .[2])) | length)])]'
done >"$T/out"
check_eq "$(cat "$T/out")" $'[true,[true,0]]\n[true,[true,0]]' 'wide steps, points, and medians outside' && ok

case_begin "the charts of an incident and of a server are on their pages, and no style but the sheet's is needed"
get "$U/incidents/$id" >"$T/status"
check_eq "$(grep -c '<figure>' "$T/out")" 4 'charts of the incident' && grep -q '>onset 19:2' "$T/out" && ! grep -q 'style=' "$T/out" &&
	get "$U/servers/oss-s3" >"$T/status" && cp "$T/out" "$T/page-1h" && check_eq "$(grep -c '<figure>' "$T/out")" 4 'charts of the server' && ! grep -q 'style=' "$T/out" &&
	get "$U/servers/oss-s3?span=1d&signal=queue&disk=loop5" >"$T/status" && check_eq "$(grep -c '<figure>' "$T/out")" 1 'the one that was asked for' &&
	grep -q '<h3>queue of loop5</h3>' "$T/out" && grep -q 'aria-current="true" href="?span=1d&amp;signal=queue&amp;disk=loop5#charts">1 day' "$T/out" &&
	check_eq "$(grep -c '>19:2[0-9]' "$T/page-1h") $(grep -c '>18:' "$T/page-1h")" '4 0' 'charts of an hour begin with what is known' &&
	get "$U/servers/oss-s3?span=forever&signal=%22%3E%3Cb%3E&disk=%22%3E" >"$T/status" && ! grep -q '<b>["&]' "$T/out" && grep -q 'Nothing is known of it' "$T/out" && ok

case_begin "which servers limped in the last days: of what is open until it was judged last"
days=$((($(date +%s) - $(date -d 2026-11-21T19:00:00Z +%s)) / 86400 + 2))
check_eq "$(curl -s "$U/api/v1/summary?days=$days" | jq -c '[.servers[] | [.server, .incidents, .limped_s, .open, .causes]]')" '[["oss-s3",1,84,true,["disk-hog"]]]' 'of all days' &&
	get "$U/summary?days=$days" >"$T/status" && grep -q '<h1>1 server limped</h1>' "$T/out" && grep -q '<rect ' "$T/out" && ! grep -q 'style=' "$T/out" &&
	grep -q "<a href=\"/incidents/$id\">from 2026-11-21T19:27:04Z</a>, 84" "$T/out" && grep -q 'class="ends"><small>2026-11-' "$T/out" && grep -q 'data-h="of the time">under 0.1 %<' "$T/out" && ! grep -q '<th></th>' "$T/out" &&
	check_eq "$(curl -s "$U/api/v1/summary?days=1" | jq -c '[.servers[] | [.server, .limped_s, .open]]')" '[["oss-s3",0,true]]' 'of the last day, in which nothing was judged: it is still so' &&
	get "$U/summary?days=1" >"$T/status" && grep -q '<h1>oss-s3 limped when last heard, on 2026-11-21</h1>' "$T/out" && grep -q 'Nothing could be judged in the last day' "$T/out" && ! grep -q '<rect ' "$T/out" &&
	check_eq "$(status "$U/summary?days=0") $(status "$U/summary?days=x") $(status "$U/api/v1/summary?days=367")" '400 400 400' 'days that make no sense' && ok

case_begin "of many incidents all are counted, and the page is no heavier than what can be seen of them"
incidents() { sqlite3 -cmd '.timeout 10000' "$D/incidents.db" "$1"; }
incidents "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000), at AS (SELECT i, ($(date +%s) - 7200 + i / 5.0) * 1000000000 AS t FROM n)
	INSERT INTO incident SELECT 'many' || i, iif(i > 11000, 'zz', 'aa'), 'disk', 0, 0, CAST(t AS INT), CAST(t AS INT), CAST(t AS INT), CAST(t AS INT), CAST(t + 100000000 AS INT), '', NULL FROM at"
check_eq "$(curl -s "$U/api/v1/summary?days=1" | jq -c '[.servers[] | [.server, .incidents, .limped_s]]')" '[["aa",11000,1100],["zz",1000,100],["oss-s3",1,0]]' 'of the last day' &&
	get "$U/summary?days=1" >"$T/status" && check_eq "$(grep -c '>12000 incidents in the last day;' "$T/out") $(($(grep -o '<rect ' "$T/out" | wc -l) < 100)) $(grep -c 'and 10995 before' "$T/out")" '1 1 1' 'the page' &&
	incidents "INSERT INTO incident SELECT 'many', 'zz', 'disk', 0, 0, t - 1000000000, t, t, t - 1000000000, t, '', NULL FROM (SELECT $(date +%s) * 1000000000 AS t)" &&
	get "$U/summary?days=365" >"$T/status" && check_eq "$(grep -o '<rect x="[0-9.]*%" width="[0-9.]*' "$T/out" | tr -dc '0-9. \n' | awk '$1 + $2 > 100.005 { n++ } END { print n + 0, (NR > 1) }')" '0 1' 'what is drawn beyond the strip, of the newest' && ok
incidents "DELETE FROM incident WHERE id = 'many'"

case_begin "of past incidents the page has the newest, and links to all that are older"
for skip in 0 20 40 11980 12000; do
	get "$U/?skip=$skip" >"$T/status"
	grep -o 'href="/incidents/[a-z0-9]*">[^<]*</a></td>' "$T/out" >"$T/skip-$skip"
	echo "$skip $(wc -l <"$T/skip-$skip") $(grep -o 'href="?skip=[0-9]*#incidents">[a-z]*' "$T/out" | sed 's/.*=\([0-9]*\).*>/\1 /' | tr '\n' ' ')"
done >"$T/skips"
check_eq "$(sed 's/ *$//' "$T/skips")" $'0 20 20 older\n20 20 0 newer 40 older\n40 20 20 newer 60 older\n11980 20 11960 newer 12000 older\n12000 1 11980 newer' 'rows and links' &&
	check_eq "$(sort -u "$T/skip-0" "$T/skip-20" "$T/skip-40" "$T/skip-11980" "$T/skip-12000" | wc -l)" 81 'all are others' && ok
incidents "DELETE FROM incident WHERE id LIKE 'many%'"

case_begin "the verdict as it was at a time, and of a span, is that of limpet diagnose of what is kept"
bearer="Authorization: Bearer $(cat "$D/token")"
"$L" diagnose --json --from 2026-11-21T13:27:00Z --to 2026-11-21T19:27:00Z "$D" tests/data/disk-hog/series >"$T/of-diagnose" 2>"$T/err"
curl -s --max-time 60 "$U/api/v1/verdict?at=2026-11-21T19:27:00Z" >"$T/of-api"
check_eq "$(jq -c .incidents "$T/of-api")" '[]' 'before the fault' &&
	check_eq "$(jq -S . "$T/of-api" | cksum)" "$(jq -S . "$T/of-diagnose" | cksum)" 'at a time' &&
	"$L" diagnose --json --from 2026-11-21T19:26:00Z --to 2026-11-21T19:28:00Z "$D" tests/data/disk-hog/series >"$T/of-diagnose" 2>"$T/err" &&
	curl -s --max-time 60 -X POST -H "$bearer" -H 'Content-Type: application/json' -d '{"from": "2026-11-21T19:26:00Z", "to": "2026-11-21T19:28:00Z"}' "$U/api/v1/diagnose" >"$T/of-api" &&
	check_eq "$(jq -S . "$T/of-api" | cksum)" "$(jq -S . "$T/of-diagnose" | cksum)" 'of a span' && check_eq "$(jq -r '.servers | length' "$T/of-api")" 6 'servers' &&
	check_eq "$(curl -s --max-time 60 "$U/api/v1/verdict?at=2001-01-01" | jq -r .verdict)" cannot-judge 'a time without data' &&
	check_eq "$(status "$U/api/v1/verdict?at=soon") $(status -X POST -d 'from=2026-11-21' "$U/api/v1/diagnose") $(status -X POST -H "$bearer" -d 'from=2026-11-21' "$U/api/v1/diagnose") $(status -X POST -H "$bearer" -d 'to=2026-11-21' "$U/api/v1/diagnose")" \
		'400 401 200 400' 'what makes no sense, what nobody may, a form' &&
	check_eq "$(curl -s -D - -o "$T/out" -d 'from=2026-11-21' "$U/api/v1/diagnose" | tr -d '\r' | sed -n 's/^WWW-Authenticate: //p') $(status -d 'from=2026-11-21&form=0000' "$U/api/v1/diagnose")" 'Bearer realm="limpet" 403' 'what is asked for; a form of no page' && ok

case_begin "what to do next is told, with the names of this incident"
check_eq "$(curl -s "$U/api/v1/incidents/$id" | jq -r '.next[0] | "\(.system) \(.command)"')" 'null ssh oss-s3 ps -o pid,user,lstart,args -p 22069' 'in the API' &&
	get "$U/incidents/$id" >"$T/status" && grep -q '<code>ssh oss-s3 ionice -c 3 -p 22069</code>' "$T/out" && ok

case_begin "a page has one heading of its own, no column without a name, and commands stand before charts"
bad=''
for path in / /jobs "/incidents/$id" /servers/oss-s3 /servers/oss-s1; do
	get "$U$path" >"$T/status"
	[ "$(grep -o '<h1>' "$T/out" | wc -l) $(grep -c '<th></th>' "$T/out")" = '1 0' ] || bad+="$path "
done
get "$U/incidents/$id" >"$T/status"
check_eq "$bad" '' 'pages' && check_eq "$(grep -o '<h2>[^<]*\|<figure>' "$T/out" | uniq -c | sed 's/^ *//; s/<[^>]*>//' | tr '\n' ' ')" '1 What to do next 1 Evidence 4  ' 'parts, and no other incidents' &&
	get "$U/servers/oss-s1" >"$T/status" && grep -q '<h1><span>oss-s1</span> could not be judged</h1>' "$T/out" &&
	get "$U/servers/oss-s3" >"$T/status" && grep -q '<h1><b>oss-s3</b> is indicted</h1>' "$T/out" && ok

case_begin "HEAD has the headers of GET and no body"
curl -s -I "$U/" | tr -d '\r' >"$T/head"
length=$(curl -s "$U/" | wc -c)
is=$(sed -n 's/^Content-Length: //p' "$T/head")
if [ "${is:-0}" -gt $((length - 20)) ] && grep -q "^Content-Security-Policy: default-src 'none'" "$T/head"; then ok; else fail "$length: $(cat "$T/head")"; fi

case_begin "a text that is HTML is text on the page"
sqlite3 "$D/incidents.db" "INSERT INTO incident VALUES ('00000000000000aa', 'oss-s1', 'x', 0, 0, 1, 1, 1, 1, 2, '<script>alert(1)</script> \"&', '{}')"
get "$U/" >"$T/status"
! grep -q '<script>alert' "$T/out" && grep -q '&lt;script&gt;alert(1)&lt;/script&gt;' "$T/out" &&
	get "$U/incidents/00000000000000aa" >"$T/status" && ! grep -q '<script>alert' "$T/out" &&
	check_eq "$(curl -s "$U/api/v1/incidents/00000000000000aa" | jq -r .text)" '<script>alert(1)</script> "&' 'in JSON' && ok

case_begin "events come as they were told, and go on after the last one that was seen"
curl -sN --max-time 3 -H 'Last-Event-ID: another-run-7' "$U/api/v1/events" >"$T/stream"
sed -n 's/^data: \({"schema.*\)/\1/p' "$T/stream" >"$T/of-stream"
if cmp -s "$T/of-stream" "$T/events"; then
	first=$(sed -n 's/^id: //p' "$T/stream" | head -n 1)
	curl -sN --max-time 3 -H "Last-Event-ID: $first" "$U/api/v1/events" | sed -n 's/^data: \({"schema.*\)/\1/p' >"$T/of-stream"
	check_eq "$(cat "$T/of-stream")" "$(tail -n +2 "$T/events")" 'events after the first' &&
		check_eq "$(curl -sN --max-time 3 "$U/api/v1/events" | grep -c '^id:')" 0 'events for who saw none' &&
		check_eq "$(for last in 999999 99999999999999999999999 -1 x ''; do curl -sN --max-time 2 -H "Last-Event-ID: ${first%-*}-$last" "$U/api/v1/events" | grep -c '^id:'; done | sort -u)" "$(wc -l <"$T/events")" 'all events for who saw one that there is not' && ok
else
	fail "$(diff "$T/of-stream" "$T/events")"
fi

case_begin "256 listen at once, each hears of a new verdict, and one more is told to come later"
/usr/bin/python3 - "${METRICS##*:}" >"$T/out" 2>&1 <<-'END'
	import socket, sys, time
	port = int(sys.argv[1])
	def listen():
	    s = socket.create_connection(("127.0.0.1", port), 10)
	    s.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
	    s.settimeout(20)
	    return s
	def heard(s, n):
	    got = b""
	    while got.count(b"event: verdict") < n:
	        more = s.recv(65536)
	        if not more:
	            return False
	        got += more
	    return True
	all = [listen() for _ in range(256)]
	time.sleep(1)
	print(sum(heard(s, 2) for s in all))
	late = listen()
	print(late.recv(4096).split()[1].decode())
	for s in all:
	    s.close()
	time.sleep(2)
	again = listen()
	print(heard(again, 1))
END
check_eq "$(tr '\n' ' ' <"$T/out")" '256 503 True ' 'what they hear' && ok

case_begin "others than this host have metrics and health alone"
kill -TERM "$SERVE"
wait "$SERVE"
check_eq $? 0 "status at the end ($(tail -n 2 "$T/serve.log"))"
other=$(hostname -I 2>"$T/err" | tr ' ' '\n' | grep -m 1 '^[0-9]')
if [ -n "$other" ]; then
	port=${METRICS##*:}
	METRICS=0.0.0.0:$port
	serve tests/data/disk-hog/series
	METRICS=127.0.0.1:$port
	within 30 limps
	check_eq "$(status "http://$other:$port/") $(status "http://$other:$port/api/v1/verdict") $(status "http://$other:$port/metrics") $(status "http://$other:$port/healthz") $(status "$U/")" \
		'401 401 200 200 200' 'page, API, metrics, health; page on this host' && ok
else
	skip "this host has no other address"
fi

case_begin "an incident of the run before has its page still"
check_eq "$(get "$U/incidents/$id")" '200 text/html; charset=utf-8' 'its page' && ok

case_begin "after a start from which on nothing is heard, an incident lasts until it was heard of last, and no longer"
kill -TERM "$SERVE"
wait "$SERVE"
mkdir "$T/nothing"
serve "$T/nothing"
forgotten() { [ "$(curl -s "$U/api/v1/summary?days=$days" | jq -c .until)" = null ]; }
within 30 forgotten
check_eq "$(curl -s "$U/api/v1/summary?days=$days" | jq -c '[.servers[] | [.server, .limped_s, .open]]')" '[["oss-s3",84,true]]' 'for programs' &&
	get "$U/summary?days=$days" >"$T/status" && grep -q 'Nothing has been judged since the service started' "$T/out" && grep -q 'so when last heard' "$T/out" && ok

case_begin "and so where this run has heard nothing: its findings, no word that it is still so, and the page of its server"
kill -TERM "$SERVE"
wait "$SERVE"
mkdir "$T/empty"
serve "$T/empty"
empty() { [ "$(status "$U/api/v1/verdict")" = 200 ] && [ "$(jq '.servers | length' "$T/out")" = 0 ]; }
within 30 empty || echo "# $(head -c 300 "$T/out")"
check_eq "$(get "$U/incidents/$id")" '200 text/html; charset=utf-8' 'its page' &&
	check_eq "$(grep -c '<table class="findings">' "$T/out") $(grep -o '<td class="n" data-h="evidence">[0-9.]*' "$T/out" | sed 's/.*>//' | tr '\n' ' ')" '1 152.7 16.9 10.2 10.2 18.4 ' 'findings' &&
	grep -q '<dt>last seen</dt><dd>2026-11-21T19:28:28Z</dd>' "$T/out" &&
	check_eq "$(get "$U/servers/oss-s3")" '200 text/html; charset=utf-8' 'its server' && grep -q "href=\"/incidents/$id\"" "$T/out" && grep -q 'last seen <time>2026-11-21T19:28:28Z' "$T/out" && ! grep -q 'still so' "$T/out" &&
	check_eq "$(status "$U/servers/oss-s99")" 404 'a server that nobody has heard of' &&
	get "$U/" >"$T/status" && grep -q '<h1>Rebuilding: nothing is judged yet</h1>' "$T/out" && ! grep -q 'Of 0 servers\|When last heard' "$T/out" && ok

case_begin "a service that has never heard of a server says how one is to send"
kill -TERM "$SERVE"
wait "$SERVE"
D=$T/first
serve "$T/empty"
first() { [ "$(status "$U/api/v1/verdict")" = 200 ] && [ "$(jq .rebuilding "$T/out")" = false ]; }
within 30 first || echo "# $(head -c 300 "$T/out")"
get "$U/" >"$T/status" && grep -q '<h1>No server has sent data yet</h1>' "$T/out" && grep -q '<code>limpet serve enroll</code>' "$T/out" && ! grep -q 'Of 0 servers\|When last heard' "$T/out" && ok
