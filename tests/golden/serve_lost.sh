#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# hardship: ten minutes of kills, a disk that is full and one that is gone
# limpet serve, ended by SIGKILL again and again, with its store set back, a full disk and no disk: each minute is kept once, one incident is
# told once, and judging goes on meanwhile.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/serve.sh
. "$(dirname "$0")/../serve.sh"

D=$T/state HOSTS=12 KILLS=${KILLS:-100}
serve_needs
[ "$(id -u)" = 0 ] || all_skip "needs root, for a small file system"
mkdir "$D" && mount -t tmpfs -o size=24m,mode=750 limpet-test "$D" || all_skip "cannot mount a file system"
at_exit "umount -l '$D'"
feed 300 100 1.6
serve
within 20 answers && enrol_all || { case_begin "it answers"; fail "$(cat "$T/serve.log" "$T/enroll.log")"; exit 1; }
for ((h = 1; h <= HOSTS; h++)); do push "s$h"; done

case_begin "the fault is told before anything happens"
if within 60 judges && within 40 indicts; then ok; else fail "$(tail -n 5 "$T/events" "$T/serve.log")"; fi

case_begin "$KILLS times SIGKILL, at any moment: every minute is kept once"
for ((k = 0; k < KILLS; k++)); do
	sleep "$((RANDOM % 5)).$((RANDOM % 10))"
	killed
	serve
done
if within 20 answers && within 90 all_kept; then ok; else fail "$(tail -n 5 "$T/serve.log" "$T"/push-s1.log)"; fi

case_begin "the incident was told once, and stands"
within 90 judges && within 30 indicts
check_eq "$(opened | wc -l)" 1 "how often it was told" && if indicts; then ok; else fail "$(tail -n 3 "$T/events")"; fi

case_begin "a store that is set back, and files that are gone, become whole again"
killed
for h in 1 2 3 4; do
	sqlite3 "$D/series/s$h/"s$h-*.limpet "DELETE FROM chunk WHERE id > 60; UPDATE meta SET value = (SELECT max(id + seconds) - 1 FROM chunk) WHERE key = 'packed'"
done
rm -r "$D/series/s5"
rm -f "$D"/series/s6/s6-*-wal && yes damage | head -c 9000 >"$(echo "$D"/series/s6/s6-*.limpet)"
serve
if within 20 answers && within 120 all_kept; then
	check_eq "$(find "$D/series/s6" -name '*.damaged' | wc -l)" 1 "the damaged file that was moved aside" && ok
else
	fail "$(tail -n 5 "$T/serve.log" "$T"/push-s1.log)"
fi

case_begin "while its disk is full it says so, and judges"
within 90 judges
dd if=/dev/zero of="$D/full" bs=64k 2>/dev/null
says_full() { grep -qi 'full\|no space' "$T/serve.log"; }
if within 90 says_full && judges; then ok; else fail "$(tail -n 5 "$T/serve.log")"; fi

case_begin "once there is room, what was not kept comes again"
rm "$D/full"
if within 150 all_kept && judges; then ok; else fail "$(tail -n 5 "$T/serve.log" "$T"/push-s1.log)"; fi

case_begin "the folder gone altogether: it says so and judges; the next start begins anew, and all comes again"
umount -l "$D"
sleep 70
if judges && [ -s "$T/serve.log" ]; then ok; else fail "$(tail -n 5 "$T/serve.log")"; fi
killed
mount -t tmpfs -o size=24m,mode=750 limpet-test "$D"
serve
case_begin "on a new disk senders are strangers, and are told to be enrolled"
if within 20 answers && sleep 20 && grep -q 'enroll\|token' "$T/push-s1.log"; then
	rm -rf "$T/receivers" && mkdir "$T/receivers" && enrol_all && kill "${PUSH[@]}" && wait "${PUSH[@]}" 2>/dev/null
	for ((h = 1; h <= HOSTS; h++)); do push "s$h"; done
	if within 150 all_kept && within 60 judges; then ok; else fail "$(tail -n 5 "$T/serve.log" "$T"/push-s1.log)"; fi
else
	fail "$(tail -n 5 "$T/serve.log" "$T"/push-s1.log)"
fi
