#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# Where no segment comes or goes for a minute the looks between walks are left out, which saves their wakeups:
# they count where nothing happened, and not where they could have found something.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel ip
loop_new 8M || all_skip "no loop device (modprobe loop)"
netns_pair || all_skip "no network namespaces here (CONFIG_NET_NS)"
helper_start server "$server" tcpbox serve 10.77.0.1 7000
mkfifo "$T/line"
ip netns exec "$client" "$O/tests/tcpbox" pull 10.77.0.1 7000 3 10.77.0.2 \
	<"$T/line" >"$T/pull.out" 2>&1 &
at_exit "end_child $!"
exec 8>"$T/line"
eventually grep -q ready "$T/pull.out"
probe_start p --disk "$loop" --netns "$server"
probe_wait p 2 || exit 1
looker=
for task in /proc/"$(probe_pid p)"/task/*; do
	[ "$(cat "$task/comm")" != limpet-tcp ] || looker=$task
done
wakeups() { awk '/^voluntary_ctxt/ { print $2 }' "$looker/status"; }
rests() {
	before=$(wakeups)
	probe_wait p $(($(probe_lines p) + 3)) && [ $(($(wakeups) - before)) -le 6 ]
}
# A minute of quiet, and then it rests; longer where looks come late.
tries=0
until rests || [ $((tries += 1)) = 60 ]; do :; done

before=$(wakeups) lines=$(probe_lines p)
probe_wait p $((lines + 6)) || exit 1
after=$(wakeups)
case_begin "three idle connections: the thread that looks wakes once a second"
# A second may begin before it is read here, and another end after.
passed=$(probe_jq p "[.[$lines:][].interval_s] | add | round")
if [ $((after - before)) -le $((passed + 2)) ]; then ok
else fail "$((after - before)) wakeups in $passed seconds"; fi
case_begin "it counts as ten looks, and the sockets are there"
# Not each of them: a busy machine may make a look seem dear, or late.
ten() { [ "$(probe_jq p "[.[$lines:][].tcp[\"tcp-looks\"] // 0] | max > 9.5")" = true ]; }
check_eq "$(probe_jq p "[.[$lines:][].tcp.tcpsck | values] | unique | map(tostring) | join(\" \")")" 3 "sockets" && {
	if eventually ten; then ok; else fail "$(probe_jq p "[.[$lines:][].tcp[\"tcp-looks\"]] | tostring")"; fi
}

lines=$(probe_lines p)
echo >&8
eventually grep -q done "$T/pull.out"
probe_settle p
case_begin "a segment on each: seen at work by a look, every segment counted"
check_eq "$(probe_jq p "[.[$lines:][].tcp[\"tcp-active\"] // 0] | max > 0")" true "active" &&
	check_eq "$(probe_sum p '.tcp["odseg/s"]' $lines)" 3 "segments" && ok
case_begin "the look that has found them is the only one of its second that counts"
# Its second may be longer, where a sweep was left out. Where it came after its sweep, those that follow it before
# the next are counted with it, and the second before has none.
check_eq "$(probe_jq p ".[$lines - 1:] | map({looks: ((.tcp[\"tcp-looks\"] // 0) * .interval_s - 10 * (.interval_s - 1)),
	any: ((.tcp[\"iseg/s\"] // 0) > 0)}) | (map(.any) | index(true)) as \$i |
	.[\$i].looks < 1.5 or (\$i > 0 and .[\$i - 1].looks < 0.5 and .[\$i].looks < 12)")" true "one look" && ok
[ $lib_failed = 0 ] ||
	probe_jq p ".[$lines - 1:][] | [.interval_s, .tcp[\"tcp-looks\", \"tcp-active\", \"iseg/s\"]] | tostring"
