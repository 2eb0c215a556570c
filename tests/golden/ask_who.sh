#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# waits: for verdicts
# Who may ask limpet serve what: users with passwords, over TLS where others reach it, a proxy's header, the token; and silences, which change
# something.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# shellcheck source=tests/serve.sh
. "$(dirname "$0")/../serve.sh"

D=$T/state HOSTS=6
serve_needs
command -v openssl >/dev/null || all_skip "needs openssl (tools/deps check)"
U=http://$METRICS
status() { curl -sk --max-time 10 -o "$T/out" -w '%{http_code}' "$@"; }
as() { # USER:PASSWORD URL: its status; whoever is told to come later does
	local is n=0
	until is=$(status -u "$1" "$2") && [ "$is" != 429 ] || [ $((n++)) = 20 ]; do sleep 0.5; done
	printf '%s' "$is"
}
hash() { openssl passwd -6 -salt "${2:-salt}" "$1"; }
printf '# people\n\nanna:%s\nbo:%s\n' "$(hash secret)" "$(hash other)" >"$T/users"
cat >"$T/alert" <<END
#!/bin/sh
echo "\$1 \$2 \$3" >>'$T/alerted'
END
chmod +x "$T/alert"
up() { [ "$(status "$U/healthz")" = 200 ] && [ "$(status -H "Authorization: Bearer $(cat "$D/token")" "$U/api/v1/verdict")" = 200 ]; }

case_begin "a file of users that cannot be right is refused, with the line"
bad=''
while IFS='|' read -r wanted text; do
	printf "$text" >"$T/bad"
	"$L" serve --check --state "$T/check" --ingest "$INGEST" --listen "$METRICS" --users "$T/bad" >"$T/out" 2>&1 && bad+="taken: $text; "
	grep -qF -- "$wanted" "$T/out" || bad+="$text: $(cat "$T/out"); "
done <<-END
	line 1: it is not NAME:HASH|anna\n
	line 2: its hash is none of crypt(5)|# \nanna:secret\n
	line 1: its hash is none of crypt(5)|anna:\$apr1\$salt\$Dr3W.sjMAo2YKDXTMWdSE1\n
	line 2: there is a line for this name already|anna:$(hash x)\nanna:$(hash y)\n
	has no user|# nobody\n
	line 1: 'token' is what programs are called|token:$(hash x)\n
	line 1: its name is not printable ASCII|an na:$(hash x)\n
END
check_eq "$bad" '' 'what differs' &&
	mkfifo "$T/fifo" && ! timeout 10 "$L" serve --check --state "$T/check" --ingest "$INGEST" --listen "$METRICS" --users "$T/fifo" >"$T/out" 2>&1 && grep -q 'cannot read' "$T/out" &&
	! "$L" serve --check --state "$T/check" --ingest "$INGEST" --listen "$METRICS" --users "$T/none" >"$T/out" 2>&1 && grep -q 'cannot read' "$T/out" && ok

case_begin "users have what they ask for by their passwords, programs by the token, and everybody metrics and health"
serve --users "$T/users" --alert "$T/alert" --alert-interval 0 tests/data/disk-hog/series
within 30 up || fail "it does not answer: $(cat "$T/serve.log")"
token=$(cat "$D/token")
check_eq "$(stat -c %a "$D/token")" 600 'mode of the token' &&
	check_eq "$(status "$U/") $(status "$U/api/v1/verdict") $(status "$U/metrics") $(status "$U/healthz")" '401 401 200 200' 'without a name' &&
	check_eq "$(curl -s -D - -o "$T/out" "$U/" | tr -d '\r' | sed -n 's/^WWW-Authenticate: //p')" 'Basic realm="limpet"' 'what a browser asks for' &&
	check_eq "$(as anna:secret "$U/") $(as bo:other "$U/api/v1/verdict")" '200 200' 'by passwords' &&
	check_eq "$(as anna:other "$U/") $(as nobody:secret "$U/") $(as :secret "$U/")" '401 401 401' 'by others' &&
	check_eq "$(status -H "Authorization: Bearer $token" "$U/") $(status -H "Authorization: Bearer x$token" "$U/") $(status -H 'Authorization: Bearer' "$U/")" '200 401 401' 'by the token' &&
	check_eq "$(status -H 'Authorization: Basic ////' "$U/") $(status -H 'Authorization: Basic YW5uYTpzZWNyZXQ' "$U/") $(status -H 'Authorization: Basic ' "$U/")" '401 401 401' 'what is no base64' && ok

case_begin "who tries many passwords is told to come later, and who is known is not kept out"
seq 40 | xargs -P 20 -I'{}' curl -s --max-time 20 -o /dev/null -w '%{http_code}\n' -u 'anna:guess{}' "$U/" 2>"$T/err" | sort | uniq -c | awk '{ n[$2] = $1 } END { print (n[401] + n[429] == 40) " " (n[429] > 10) }' >"$T/tried"
check_eq "$(cat "$T/tried") $(status -u anna:secret "$U/")" '1 1 200' 'all are refused, most of them unseen; anna' && ok

case_begin "without a script a page is loaded anew, but none with a form to fill in"
curl -s -u anna:secret "$U/" >"$T/home"
curl -s -u anna:secret "$U/servers/oss-s1" >"$T/page"
check_eq "$(grep -c 'http-equiv="refresh"' "$T/home") $(grep -c 'http-equiv="refresh"' "$T/page") $(grep -c '<form' "$T/page")" '1 0 1' 'pages' && ok

case_begin "SIGHUP has the users read again, and what cannot be read changes nothing"
echo "cy:$(hash third)" >"$T/users"
kill -HUP "$SERVE"
cy() { [ "$(as cy:third "$U/")" = 200 ]; }
within 20 cy && check_eq "$(as anna:secret "$U/")" 401 'anna, who is gone' &&
	echo broken >"$T/users" && kill -HUP "$SERVE" && within 20 grep -q 'users stay as they were' "$T/serve.log" &&
	check_eq "$(as cy:third "$U/")" 200 'cy, who stays' && ok
echo "cy:$(hash third)" >"$T/users"

post() { curl -s --max-time 10 -o "$T/out" -w '%{http_code}' -X POST "$@"; }
B="Authorization: Bearer $token" J='Content-Type: application/json'
case_begin "a silence takes the token, or a form of a page; a password alone is not enough, and another site's page has neither"
word=$(curl -s -u cy:third "$U/servers/oss-s1" | grep -o 'name="form" value="[0-9a-f]*' | head -n 1 | sed 's/.*"//')
check_eq "$(post -u cy:third -d 'server=oss-s1&hours=1' "$U/api/v1/silences")" 403 'a password alone' &&
	check_eq "$(post -u cy:third -d "server=oss-s1&hours=1&form=${word/[0-9]/x}" "$U/api/v1/silences")" 403 'a wrong word' &&
	check_eq "$(post -u cy:third -H 'Origin: http://evil.example' -d "server=oss-s1&hours=1&form=$word" "$U/api/v1/silences")" 403 'of another origin' &&
	check_eq "$(post -u cy:third -H 'Sec-Fetch-Site: cross-site' -d "server=oss-s1&hours=1&form=$word" "$U/api/v1/silences")" 403 'of another site' &&
	check_eq "$(status -u cy:third -H 'Sec-Fetch-Site: cross-site' -H 'Sec-Fetch-Mode: no-cors' "$U/") $(status -u cy:third -H 'Sec-Fetch-Site: cross-site' -H 'Sec-Fetch-Mode: navigate' "$U/api/v1/verdict") $(status -u cy:third -H 'Sec-Fetch-Site: cross-site' -H 'Sec-Fetch-Mode: navigate' "$U/")" \
		'403 403 200' 'a picture of another site, the API from there, a link' &&
	check_eq "$(post -H "$B" -H 'Host: evil.example' -H "$J" -d '{"server": "oss-s1", "hours": 1}' "$U/api/v1/silences")" 421 'by another name' &&
	check_eq "$(curl -s -H "$B" "$U/api/v1/silences" | jq -c .silences)" '[]' 'nothing came of it' &&
	check_eq "$(post -u cy:third -H "Origin: $U" -d "server=oss-s1&hours=1&form=$word&page=/servers/oss-s1" "$U/api/v1/silences")" 303 'the form' &&
	check_eq "$(post -H "$B" -H "$J" -d '{"server": "all", "from": "2099-01-01", "until": "2099-01-02"}' "$U/api/v1/silences")" 400 'too far ahead' &&
	check_eq "$(curl -s -H "$B" "$U/api/v1/silences" | jq -c '[.silences[] | [.server, .who, .why]]')" '[["oss-s1","cy",null]]' 'what is there' &&
	curl -s -u cy:third "$U/servers/oss-s1" | grep -q 'No alerts of oss-s1 from .* says cy' && ok

case_begin "a form of the first page silences all servers from a time on, as a browser writes times: of UTC, without a zone"
page=$(curl -s -u cy:third "$U/")
later=$(date -u -d '+2 days' +%Y-%m-%dT%H:%M)
check_eq "$(grep -c 'name="server" value="all"' <<<"$page") $(grep -c 'type="datetime-local" name="from"' <<<"$page")" '1 1' 'the form' &&
	check_eq "$(post -u cy:third -H "Origin: $U" -d "server=all&hours=8&from=${later/:/%3A}&why=&form=$word&page=/" "$U/api/v1/silences")" 303 'what it sends' &&
	check_eq "$(curl -s -H "$B" "$U/api/v1/silences" | jq -c '[.silences[] | select(.server == null) | [.from, (.until | fromdate) - (.from | fromdate)]]')" "[[\"$later:00Z\",28800]]" 'what is there' &&
	curl -s -u cy:third "$U/" | grep -q "No alerts of all servers from $later:00Z until" &&
	check_eq "$(post -u cy:third -H "Origin: $U" -d "server=all&hours=8&from=soon&form=$word&page=/" "$U/api/v1/silences")" 400 'what is no time' &&
	check_eq "$(post -H "$B" "$U/api/v1/silences/$(curl -s -H "$B" "$U/api/v1/silences" | jq '.silences[] | select(.server == null) | .number')/end")" 200 'its end' && ok

case_begin "a browser whose form is refused is shown a page with the reason and a way back; a program is told in JSON"
browser() { curl -s --max-time 10 -o "$T/out" -w '%{http_code} %{content_type}' -X POST -u cy:third -H 'Accept: text/html,application/xhtml+xml,*/*;q=0.8' "$@" "$U/api/v1/silences"; }
check_eq "$(browser -d "server=oss-s1&hours=0&form=$word&page=/servers/oss-s1")" '400 text/html; charset=utf-8' 'a form' &&
	check_eq "$(grep -c '<h1>That was not done</h1>' "$T/out") $(grep -c 'hours&#39; is a number' "$T/out") $(grep -c '<a href="/servers/oss-s1">Back' "$T/out") $(grep -c '<script' "$T/out")" '1 1 1 0' 'its page' &&
	check_eq "$(browser -d "server=oss-s1&hours=1&form=x&page=//evil.example/")" '403 text/html; charset=utf-8' 'without the word' &&
	check_eq "$(grep -c 'token of the service' "$T/out") $(grep -c '<a href="/">Back' "$T/out") $(grep -c evil "$T/out")" '1 1 0' 'a page elsewhere' &&
	check_eq "$(browser -d "server=no%3Ci%3E&hours=1&form=$word" --data-urlencode 'page=/"><script>alert(1)</script>')" '404 text/html; charset=utf-8' 'hostile words' &&
	check_eq "$(grep -c '<script\|<i>' "$T/out")" 0 'as HTML' &&
	check_eq "$(post -u cy:third -H 'Accept: */*' -d "server=oss-s1&hours=0&form=$word&page=/servers/oss-s1" "$U/api/v1/silences") $(jq -r '.error | length > 5' "$T/out")" '400 true' 'no browser' &&
	check_eq "$(browser -H "$J" -d '{"server": "oss-s1", "hours": 0}')" '403 application/json' 'JSON' && ok

case_begin "a page that cannot be shown is a page with the reason; the API and programs are told in JSON"
view() { curl -s --max-time 10 -o "$T/out" -w '%{http_code} %{content_type}' -H 'Accept: text/html,*/*;q=0.8' "$@"; }
bad=''
while IFS='|' read -r wanted path options; do
	read -r -a more <<<"$options"
	is=$(view "${more[@]}" "$U$path")
	[ "$is" = "$wanted" ] || bad+="$path $options: $is; "
	case $wanted in *html*) grep -q '<h1>This page cannot be shown</h1>' "$T/out" || bad+="$path: $(cat "$T/out")" ;; esac
done <<-END
	404 text/html; charset=utf-8|/servers/none|-u cy:third
	404 text/html; charset=utf-8|/none|-u cy:third
	404 text/html; charset=utf-8|/incidents/none|-u cy:third
	400 text/html; charset=utf-8|/summary?days=0|-u cy:third
	401 text/html; charset=utf-8|/jobs|
	421 text/html; charset=utf-8|/|-u cy:third -H Host:evil.example
	404 application/json|/api/v1/servers/none|-u cy:third
	401 application/json|/api/v1/verdict|
END
check_eq "$bad" '' 'what differs' &&
	check_eq "$(status -u cy:third "$U/servers/none") $(jq -r .error "$T/out")" '404 no such server' 'a program' && ok

case_begin "what makes no sense is refused, and changes nothing"
bad=''
while IFS='|' read -r wanted body; do
	is=$(post -H "$B" -H "$J" -d "$body" "$U/api/v1/silences")
	[ "$is" = "$wanted" ] && jq -e .error "$T/out" >"$T/jq" 2>&1 || bad+="$body: $is $(cat "$T/out") "
done <<-'END'
	400|
	400|[]
	400|{"server": "oss-s1"}
	400|{"server": "oss-s1", "hours": 0}
	400|{"server": "oss-s1", "hours": "many"}
	400|{"server": "oss-s1", "hours": 1, "until": "2099-01-01"}
	400|{"server": "oss-s1", "until": "2001-01-01"}
	400|{"server": "oss-s1", "until": "soon"}
	400|{"hours": 1}
	400|{"server": "oss-s1", "incident": "00", "hours": 1}
	404|{"server": "oss-s99", "hours": 1}
	404|{"incident": "0000000000000000", "hours": 1}
	400|{"server": "oss-s1", "hours": 1, "hours": 2}
END
long=$(printf 'x%.0s' $(seq 200))
check_eq "$bad" '' 'what differs' &&
	check_eq "$(post -H "$B" -H "$J" -d "{\"server\": \"oss-s1\", \"hours\": 1, \"why\": \"$long\"}" "$U/api/v1/silences")" 400 'a long why' &&
	check_eq "$(post -H "$B" "$U/api/v1/silences/99/end") $(post -H "$B" "$U/api/v1/silences/x/end") $(post -H "$B" "$U/api/v1/silences/1") $(post -H "$B" -d x "$U/api/v1/silences/00000000001/end/more")" '404 404 404 404' 'no such' &&
	check_eq "$(post -u cy:third "$U/api/v1/silences/1/end")" 403 'its end by a password alone' &&
	check_eq "$(head -c 70000 /dev/zero | tr '\0' x | post -H "$B" -H "$J" -H Expect: --data-binary @- "$U/api/v1/silences")" 413 'more than a body may have' &&
	check_eq "$(curl -s -H "$B" "$U/api/v1/silences" | jq '.silences | length')" 1 'what is there' && ok

case_begin "what begins in a silence is told at its end, if it is so still"
opened() { grep -q '^opened oss-s3 disk-hog' "$T/alerted" 2>>"$T/err"; }
id=$(curl -s -H "$B" "$U/api/v1/incidents" | jq -r '.incidents[0].id')
check_eq "$(post -H "$B" -H "$J" -d "{\"incident\": \"$id\", \"hours\": 1, \"why\": \"<b>a disk</b> is ordered\"}" "$U/api/v1/silences")" 200 'an acknowledgement'
number=$(jq .number "$T/out")
kill -TERM "$SERVE" && wait "$SERVE"
rm -rf "$D/incidents.db"* "$T/alerted" # as if nobody had been told
serve --users "$T/users" --alert "$T/alert" --alert-interval 0 tests/data/disk-hog/series
there() { [ "$(curl -s -H "$B" "$U/api/v1/incidents?open=1" | jq -r '.incidents[0].id')" = "$id" ]; }
within 60 there && sleep 3 && ! opened && curl -s -u cy:third "$U/incidents/$id" >"$T/page" &&
	grep -q '&lt;b&gt;a disk&lt;/b&gt; is ordered' "$T/page" && ! grep -q '<b>a disk' "$T/page" &&
	check_eq "$(cat "$D/token")" "$token" 'the token after a start' &&
	check_eq "$(post -H "$B" "$U/api/v1/silences/$number/end")" 200 'its end' &&
	if within 20 opened; then ok; else fail "not told after the end: $(cat "$T/alerted" "$T/serve.log")"; fi

case_begin "where others reach it users are asked over TLS alone"
kill -TERM "$SERVE" && wait "$SERVE"
port=${METRICS##*:}
METRICS=0.0.0.0:$port
serve --users "$T/users" tests/data/disk-hog/series
S=https://127.0.0.1:$port
secure() { [ "$(as cy:third "$S/")" = 200 ]; }
within 30 secure &&
	check_eq "$(status "$S/") $(status "$S/metrics") $(status -u cy:third "$S/api/v1/verdict")" '401 200 200' 'over TLS' &&
	check_eq "$(status -u cy:third "http://127.0.0.1:$port/")" 000 'without' && ok

case_begin "a proxy on this host says who asks; without its header nobody does, and from elsewhere it says nothing"
kill -TERM "$SERVE" && wait "$SERVE"
serve --proxy-user X-Remote-User --allow-host limpet.example tests/data/disk-hog/series
U=http://127.0.0.1:$port
within 30 up
other=$(hostname -I 2>"$T/err" | tr ' ' '\n' | grep -m 1 '^[0-9]')
check_eq "$(status "$U/") $(status -H 'X-Remote-User: dora' "$U/") $(status -H 'X-Remote-User: a b' "$U/") $(status -H 'X-Remote-User: dora' -H 'Host: limpet.example' "$U/")" \
	'401 200 401 200' 'on this host' &&
	curl -s -H 'X-Remote-User: dora' "$U/servers/oss-s1" | grep -q 'name="form"' &&
	check_eq "$(status -H 'X-Remote-User: dora' -H 'Authorization: Bearer of-the-proxy' "$U/") $(post -H 'X-Remote-User: dora' -H 'Authorization: Bearer of-the-proxy' -H "$J" -d '{"server": "oss-s1", "hours": 1}' "$U/api/v1/silences") $(post -H 'X-Remote-User: dora' -H "$B" -H "$J" -d '{"server": "oss-s1", "hours": 1}' "$U/api/v1/silences")" \
		'200 403 200' 'a token that is none of ours, to see, to change; and ours' &&
	check_eq "${other:+$(status -H 'X-Remote-User: dora' "http://$other:$port/")}" "${other:+401}" 'from elsewhere' && ok

case_begin "what a proxy passes on as the body of a request is no request: who sends it would say who asks"
/usr/bin/python3 - "$port" >"$T/out" 2>&1 <<-'END'
	import socket, sys
	inner = b"GET /api/v1/servers HTTP/1.1\r\nHost: localhost\r\nX-Remote-User: dora\r\nConnection: close\r\n\r\n"
	length = str(len(inner)).encode()
	chunk = b"%x\r\n%s\r\n0\r\n\r\n" % (len(inner), inner)
	def told(method, header, body):
	    """The statuses of all answers. The first request makes it a connection of somebody who is known, which no refusal ends."""
	    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10)
	    s.settimeout(3)
	    known = b" /api/v1/servers HTTP/1.1\r\nHost: localhost\r\nX-Remote-User: bo\r\n"
	    s.sendall(b"GET" + known + b"\r\n" + method + known + header + b"\r\n\r\n" + body)
	    got = b""
	    try:
	        while more := s.recv(65536):
	            got += more
	    except (TimeoutError, ConnectionError):
	        pass
	    return [int(part[:3]) for part in got.split(b"HTTP/1.1 ")[1:]]
	said = b"Content-Length: " + length
	wanted = [(b"HEAD", said, inner, 400), (b"TRACE", said, inner, 400), (b"MAKE", said, inner, 400), (b"TRACE", b"Transfer-Encoding: chunked", chunk, 400),
	          (b"POST", b"Content-Length : " + length, inner, 400), (b"POST", b"Transfer-Encoding : chunked", chunk, 400),
	          (b"POST", b"Content-Length: +" + length, inner, 400), (b"GET", b"Host: evil.example", b"", 400),
	          (b"GET", said, inner, 200), (b"POST", said, inner, 405), (b"DELETE", said, inner, 405), (b"OPTIONS", said, inner, 405),
	          (b"POST", b"Transfer-Encoding: chunked", chunk, 405), (b"TRACE", b"Content-Length: 0", b"", 405)]
	for method, header, body, status in wanted:
	    statuses = told(method, header, body)
	    if statuses != [200, status]:
	        print(method, header, statuses)
END
check_eq "$(cat "$T/out")" '' 'what is answered otherwise' && ok
