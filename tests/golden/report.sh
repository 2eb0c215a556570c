#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `limpet report` end to end: a page that stands alone, says what `limpet diagnose` says, is well formed,
# has no link to anywhere, and is written whole or not at all.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
[ -x "$O/simulate" ] || all_skip "$O/simulate is not built (make)"

"$O/simulate" pfs -w mixed --servers 6 --fault disk-busy --seconds 240 --fault-from 100 \
	--fault-seconds 140 --seed 3 "$T/bad" || echo "# simulate: status $?"
"$O/simulate" pfs -w mixed --servers 6 --seconds 120 --seed 3 "$T/good" || echo "# simulate: status $?"

# Well formed: every element that is opened is closed, in order; ids and attributes are not doubled; only
# elements and attributes that a page of this kind has; no address, no script, no event.
cat >"$T/check.py" <<'END'
import re, sys
from html.parser import HTMLParser

VOID = {"meta"}
TAGS = VOID | set("path html head title style body main header section figure figcaption div span p ul ol li "
                  "dl dt dd details summary table thead tbody tr th td small b h1 h2 h3 code svg desc rect line text g".split())
ATTRS = set("lang charset http-equiv content name class title role aria-hidden viewbox "
            "preserveaspectratio d shape-rendering stroke-width data-h width height x y x1 x2 y1 y2 dx dy text-anchor".split())
stack, wrong = [], []

class Check(HTMLParser):
    def handle_starttag(self, tag, attrs):
        names = [a for a, _ in attrs]
        if tag not in TAGS:
            wrong.append(f"element {tag}")
        if len(set(names)) < len(names) or set(names) - ATTRS:
            wrong.append(f"attributes of {tag}: {names}")
        for a, v in attrs:
            if a == "d" and not re.fullmatch(r"[MLHVhvz0-9. -]*", v):
                wrong.append(f"path {v[:40]}")
        if tag not in VOID:
            stack.append(tag)
    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            stack.pop()
    def handle_endtag(self, tag):
        if not stack or stack.pop() != tag:
            wrong.append(f"end of {tag}")

text = open(sys.argv[1], encoding="ascii").read()
Check().feed(text)
if stack:
    wrong.append(f"still open: {stack}")
for word in ("://", "url(", "@import", "<script", "href", "src=", "javascript", "nan", "inf%"):
    if word in text.lower():
        wrong.append(f"has {word}")
if "default-src 'none'" not in text:
    wrong.append("no policy")
print("\n".join(wrong))
sys.exit(bool(wrong))
END

# page STATUS OPTION…: writes $T/page.html; its form is right.
page() {
	want=$1
	shift
	rm -f "$T/page.html"
	"$L" report -o "$T/page.html" "$@" >"$T/out" 2>&1
	check_eq $? "$want" "exit status ($(cat "$T/out"))" || return 1
	[ -s "$T/page.html" ] || { fail "no page: $(cat "$T/out")"; return 1; }
	/usr/bin/python3 "$T/check.py" "$T/page.html" >"$T/form" && return 0
	fail "$(head -n 20 "$T/form")"
	return 1
}
has() { # WORDS…: all are in the page
	for w; do grep -qF -- "$w" "$T/page.html" || { fail "'$w' is not in the page"; return 1; }; done
}
has_not() {
	for w; do ! grep -qF -- "$w" "$T/page.html" || { fail "'$w' is in the page"; return 1; }; done
}

who=$("$L" diagnose --json "$T/bad" | jq -r '.incidents[0].server')
cause=$("$L" diagnose --json "$T/bad" | jq -r '.incidents[0].cause')

case_begin "the verdict is that of diagnose, with its findings, charts and distributions"
page 0 "$T/bad" && has "<h1><b>$who</b> limps: $cause</h1>" "Findings on $who" \
	"path class=\"band\"" ": distribution</h3>" "5 peers</span>" "onset " "All servers over time" \
	"What was looked at" && ok

case_begin "the same input gives the same page"
cp "$T/page.html" "$T/first.html"
page 0 "$T/bad" && if cmp "$T/first.html" "$T/page.html" >"$T/cmp"; then ok; else fail "$(cat "$T/cmp")"; fi

case_begin "stacks of threads: what those of the server that limps were met in more often than its peers'"
cp -r "$T/bad" "$T/stacks"
# As series.h has it: the length, then a zlib stream of a number, 255 (what was computed: 254) and lines.
/usr/bin/python3 - "$who" "$T"/stacks/*.limpet <<'END'
import os, sqlite3, sys, zlib
def varint(n):
    return bytes([n & 127 | (128 if n > 127 else 0)]) + (varint(n >> 7) if n > 127 else b"")
for path in sys.argv[2:]:
    limps = os.path.basename(path).startswith(sys.argv[1] + "-")
    db = sqlite3.connect(path)
    end = db.execute("SELECT max(last_ns) FROM chunk").fetchone()[0] // 10**9 * 10**9
    met = b"srv;entry;<disk> %d\nsrv;entry;wait %d\n" % ((75, 25) if limps else (24, 76))
    user = b" 0 %s\nsrv;@0+10;@0+%d0;vfs_read 90\nsrv;@0+10 10\n" % (b"0a" * 20, 2 if limps else 3)
    for table, number, lines in ("stack", b"\xff", met), ("user_stack", b"\xfe", user):
        raw = varint(end - 10**9) + number + lines
        db.execute("CREATE TABLE %s(id INTEGER PRIMARY KEY, from_ns INTEGER NOT NULL, to_ns INTEGER NOT NULL, "
                   "folded BLOB NOT NULL)" % table)
        db.execute("INSERT INTO %s VALUES (NULL, ?, ?, ?)" % table,
                   (end - 10**9, end, varint(len(raw)) + zlib.compress(raw)))
    db.commit()
    db.close()
END
page 0 "$T/stacks" && has "What threads of $who were met in more often" \
	"&lt;disk&gt;: 75.0 % of all here, 24.0 % at the peers" && has_not "wait: " &&
	has "What threads of $who computed more than" "0a0a0a0a+0x20: 90.0 % of all here, 0.0 % at the peers" &&
	check_eq "$(grep -c "What threads of" "$T/page.html") $(grep -c "What threads of" "$T/first.html")" "2 0" "sections" && ok

case_begin "-o - is standard output"
"$L" report -o - "$T/bad" >"$T/stdout.html" 2>"$T/err"
check_eq $? 0 "exit status" && if cmp "$T/first.html" "$T/stdout.html" >"$T/cmp"; then ok; else fail "$(cat "$T/cmp")"; fi

case_begin "nobody indicted: it says so, and shows who came nearest"
page 0 --to 2026-01-05T00:01:00Z "$T/good" && has "<h1>No server is seen to limp</h1>" "Unproven: disk" "All servers over time" &&
	has_not "Findings on" "limps:" && ok

case_begin "too few servers: status 4, and a page that says so"
mkdir "$T/two" && cp "$(find "$T/good" -name '*.limpet' | sort | head -n 1)" "$T/two/"
page 4 "$T/two" && has "<h1>Cannot judge</h1>" "3 servers are needed" &&
	if grep -q '^limpet: cannot judge: ' "$T/out"; then ok; else fail "$(cat "$T/out")"; fi

case_begin "nothing in the time that was asked for: likewise"
page 4 --from 2031-01-01 "$T/good" && has "<h1>Cannot judge</h1>" && ok

case_begin "an acknowledged server is shown, not indicted"
page 0 --acknowledge "$who" "$T/bad" && has "Nobody is indicted for" "acknowledged" &&
	has_not "Findings on $who" && ok

# table SLOW: six servers, one of them with a name that is none for HTML.
table() {
	awk -v slow="$1" 'BEGIN {
		srand(5)
		print "time,node,load,lat"
		for (t = 0; t < 1200; t++)
			for (i = 1; i <= 6; i++) {
				load = 1e6 * 2 ^ (4 * rand())
				lat = 5 * sqrt(load / 1e6) * (0.9 + 0.2 * rand())
				printf "%d,%s,%.0f,%.3f\n", 1700000000 + t, i == 3 ? "<i>&oss3</i>" : "oss" i,
					load, lat * (i == 3 && t >= 600 ? slow : 1)
			}
	}'
}
table 3 >"$T/slow.csv"

case_begin "a table: the column over time, and a name that is HTML does no harm"
page 0 --signal lat --given load "$T/slow.csv" && has "&lt;i&gt;&amp;oss3&lt;/i&gt;</b> limps: slow" \
	"<h3>lat</h3>" "path class=\"band\"" && has_not "<i>" && ok

case_begin "with groups of peers a table has no band, which would be of others"
printf 'oss1 oss2 <i>&oss3</i> oss4 oss5 oss6\n' >"$T/peers"
page 0 --peers "$T/peers" --signal lat --given load "$T/slow.csv" &&
	has "limps: slow" "<h3>lat</h3>" && has_not "peers</span>" && ok

case_begin "two columns: each is drawn by itself"
awk -F, 'NR == 1 { print $0 ",r_await" } NR > 1 { print $0 "," $4 }' "$T/slow.csv" >"$T/both.csv"
page 0 -m lat -m r_await "$T/both.csv" && has "limps: slow" "All servers over time" "<h3>lat</h3>" "<h3>r_await</h3>" && ok

case_begin "without -o it is refused: status 2, and no other file is made"
limpet=$(readlink -f "$L")
(cd "$T/two" && "$limpet" report "$T/bad") >"$T/out" 2>&1
check_eq $? 2 "exit status" &&
	if grep -q "'-o FILE'" "$T/out" && [ "$(find "$T/two" -type f | wc -l)" = 1 ]; then ok; else fail "$(cat "$T/out")"; fi

case_begin "a page that cannot be written leaves the old one and a message"
mkdir "$T/dir.html"
"$L" report -o "$T/dir.html" "$T/good" >"$T/out" 2>&1
check_eq $? 1 "exit status" && check_eq "$(find "$T" -maxdepth 1 -name 'dir.html*' | wc -l)" 1 "files" &&
	if grep -q '^limpet: .*dir.html' "$T/out"; then ok; else fail "$(cat "$T/out")"; fi

case_begin "a log of a job: pictures of what it waited for, each bar with what it is"
awk 'BEGIN {
	print "Meta VERSION=\"1\" ."
	print "Job JOBID=\"job_1_1\" SUBMIT_TIME=\"1700000000000\" ."
	for (i = 0; i < 24; i++)
		printf "MapAttempt TASK_TYPE=\"MAP\" TASKID=\"task_1_1_m_%06d\" TASK_ATTEMPT_ID=\"attempt_1_1_m_%06d_0\"" \
			" TASK_STATUS=\"SUCCESS\" START_TIME=\"17000000%02d000\" FINISH_TIME=\"17000000%02d100\" HOSTNAME=\"/r/<i>%d\" .\n",
			i, i, i + 10, i + 11, i % 4
	print "Job JOBID=\"job_1_1\" FINISH_TIME=\"1700000040000\" JOB_STATUS=\"SUCCESS\" ."
}' >"$T/job"
page 0 "$T/job" && has "What a job waited for" "job_1_1, 40.0 s" "What each attempt did, and when" \
	"Attempts in each state over time" "Bytes into maps" &&
	check_eq "$(grep -o '<title>map of attempt_1_1_m_' "$T/page.html" | wc -l)" 48 "bars in two pictures" && ok

case_begin "a log that has too little to judge leaves recordings their charts, under their servers' names"
mkdir "$T/beside" && cp tests/data/disk-hog/series/* "$T/beside"
cat >"$T/beside/hadoop-nodemanager-aaa.log" <<END
2026-11-21 19:27:00,000 INFO org.apache.hadoop.yarn.server.nodemanager.NodeManager: STARTUP_MSG:   host = aaa/10.77.0.30
2026-11-21 19:27:06,500 INFO ContainerImpl: Container container_1_0001_01_000002 transitioned from SCHEDULED to RUNNING
END
names() { grep -oE '(<title>)?oss-s[0-9][^<]*' "$T/page.html"; }
page 0 tests/data/disk-hog/series && names >"$T/alone" && page 0 "$T/beside" && names >"$T/with" &&
	check_eq "$(diff "$T/alone" "$T/with" | head -n 4)" "" "names and charts" && ok

case_begin "a link of another user's is not followed, and root writes into no folder of all"
if [ "$(id -u)" != 0 ]; then
	skip "needs root"
else
	echo precious >"$T/precious"
	ln -s precious "$T/link.html"
	chown -h 65534 "$T/link.html"
	mkdir -m 777 "$T/all"
	"$L" report -o "$T/link.html" "$T/good" 2>"$T/err"
	one=$?
	"$L" report -o "$T/all/page.html" "$T/good" 2>>"$T/err"
	check_eq "$one $?" "1 1" "exit status" && check_eq "$(cat "$T/precious")" precious "the file" &&
		check_eq "$(ls -A "$T/all")" "" "files in the folder" &&
		if grep -q "'link.html' is a symbolic link of user 65534" "$T/err" &&
			grep -q "others may write into the folder" "$T/err"
		then ok; else fail "$(cat "$T/err")"; fi
fi
