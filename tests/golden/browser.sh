#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The pages of limpet serve in a real browser: axe, keyboard, widths, light, dark and paper, without scripts, and an incident that comes and goes.
# waits: for an incident to begin and to end
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# shellcheck source=tests/serve.sh
. "$(dirname "$0")/../serve.sh"

D=$T/state HOSTS=6
serve_needs
if ! command -v chromedriver >/dev/null || ! /usr/bin/python3 -c 'import selenium' 2>"$T/out"; then
	all_skip "chromium-driver and python3-selenium are not installed (tools/deps ci)"
fi
AXE=4.10.2 SUM=9ea2d2d6917da998122bdacfd3b473e31ead53f4b87146c716a12edf89158100
axe=$T/axe.min.js
there=$O/axe-$AXE.tgz
drive() { timeout 300 /usr/bin/python3 tests/golden/browser.py "$@" >"$T/seen" 2>"$T/err"; }

case_begin "no page has a serious finding of axe, nor is wider than its window, at 390 to 2560 pixels, light, dark, on paper"
[ -s "$there" ] || curl -sf --max-time 60 -o "$there" "https://registry.npmjs.org/axe-core/-/axe-core-$AXE.tgz" || rm -f "$there"
if [ ! -s "$there" ]; then
	skip "axe-core cannot be fetched from registry.npmjs.org"
elif [ "$(sha256sum <"$there" | cut -c1-64)" != "$SUM" ]; then
	rm "$there"
	fail "what was fetched is no axe-core $AXE"
else
	tar -xzOf "$there" package/axe.min.js >"$axe"
	late_tasks "$T/late.jsonl"
	serve --proxy-user X-Remote-User tests/data/disk-hog/series "$T/late.jsonl"
	id() { id=$(curl -s --max-time 5 -H 'X-Remote-User: anna' "http://$METRICS/api/v1/incidents" | jq -r '.incidents[0].id // empty') && [ -n "$id" ]; }
	within 90 id
	late() { curl -s --max-time 5 -H 'X-Remote-User: anna' "http://$METRICS/jobs" | grep -q '3 late tasks'; }
	within 90 late || echo "# no late tasks: $(tail -n 2 "$T/serve.log")"
	"$L" report -o "$T/report.html" tests/data/disk-hog/series 2>"$T/err"
	drive pages "http://$METRICS" "$axe" / "/incidents/$id" /servers/oss-s3 /servers/oss-s1 /summary /jobs "file://$T/report.html" || echo "# $(head -n 4 "$T/err")"
	kill -TERM "$SERVE"
	wait "$SERVE"
	check_eq "$(cat "$T/seen")" "63 looks, 1 to 45 by keyboard, 0 bad; without scripts: True" "what was seen" && ok
fi

case_begin "an incident comes onto the page and goes; what is selected stays, the change is spoken once, a page that is gone says so; nobody loads it anew"
# shellcheck disable=SC2034 # of serve()
D=$T/live
feed 400 100 1.6 75
within 20 recorded_all
serve "$T/recorded"
within 60 answers
drive live "http://$METRICS" 250 || echo "# $(head -n 4 "$T/err")"
check_eq "$(sed 's/ .*//' "$T/seen" | tr '\n' ' ')" "comes selected goes spoken gone kept " "what was seen ($(tail -n 2 "$T/seen" "$T/serve.log"))" && ok

case_begin "of 500 servers the one that limps is the first of its group, and no name is cut"
exec 3>&-
end_child "$SERVE"
T=$T/many HOSTS=500
D=$T/state
mkdir "$T"
printf 'first: s? s??\nsecond: s???\n' >"$T/peers"
feed 120 80 3
within 120 recorded_all || echo "# $(find "$T/recorded" -name '*.limpet' | wc -l) are recorded"
serve --peers "$T/peers" "$T/recorded"
# On a busy machine some have more to do to be proven than there was time for.
well() { curl -s --max-time 5 "http://$METRICS/api/v1/servers?status=well&limit=1" | jq -e '.total >= 50' >"$T/out" && indicts; }
within 120 well || echo "# $(tail -n 2 "$T/serve.log")"
drive many "http://$METRICS" "$axe" 's3 indicted' 50 || echo "# $(head -n 4 "$T/err")"
check_eq "$(cat "$T/seen")" "first 99 servers, second 401 servers " "what was seen" && ok
exec 3>&-
end_child "$SERVE" "$FEED"
closed() { ! compgen -G "$T/recorded/*-wal" >"$T/out"; }
within 30 closed || echo "# recordings are still written"
