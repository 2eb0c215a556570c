#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tools/matrix plans, goes on, counts what fails and cleans up. The cluster, the probe and the analyzer
# are stand-ins: what is tested is that no run is lost.
# shellcheck disable=SC2034 # lib.sh uses variables of ours
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

command -v flock >/dev/null || all_skip "no flock (Debian: util-linux)"
mkdir -p "$T/tools" "$T/out" "$T/bin"
cp -r tools/matrix tools/box.sh "$T/tools/" || exit 1

cat >"$T/tools/testbed" <<END
#!/bin/sh
if [ "\$1" = --fs ]; then fs=\$2; shift 2; fi
echo "\$* \$fs" >>"$T/did"
case \$1 in
version) echo "\$fs 1.2" ;;
faults) echo disk-hog slow-disk hang ;;
calms) echo imbalance scrub fleet ;;
loads) echo write read mixed random small ;;
status) [ -e "$T/up" ] || exit 3 ;;
up) [ ! -e "$T/no-up" ] && : >"$T/up" ;;
down) rm -f "$T/up" ;;
until) ;;
servers) for i in 1 2 3 4 5 6; do echo "s\$i lt-s\$i loop\$i /cgroup/s\$i"; done ;;
load) [ ! -e "$T/block" ] || exec /bin/sleep 600 ;;
*) ;;
esac
END
cat >"$T/out/limpet-probe" <<END
#!/bin/sh
[ "\$1" != check ] || exit 0
while [ \$# -gt 0 ]; do
	case \$1 in -o) dir=\$2 ;; --host) host=\$2 ;; esac
	shift
done
: >"\$dir/\$host.limpet"
echo \$\$ >>"$T/probes"
exec /bin/sleep 600
END
cat >"$T/out/limpet" <<END
#!/bin/sh
echo limpet 0
END
printf '#!/bin/sh\nexec /bin/sleep 0.1\n' >"$T/bin/sleep" # minutes become moments
chmod +x "$T/tools/testbed" "$T/out/limpet-probe" "$T/out/limpet" "$T/bin/sleep"
matrix() { O=$T/out PATH="$T/bin:$PATH" "$T/tools/matrix" "$@"; }

case_begin "a plan is the same for the same seed, and another for another"
matrix --plan --seed 4 --repeat 2 "$T/none" >"$T/a" 2>"$T/err"
matrix --plan --seed 4 --repeat 2 "$T/none" >"$T/b" 2>>"$T/err"
matrix --plan --seed 5 --repeat 2 "$T/none" >"$T/c" 2>>"$T/err"
if [ -s "$T/a" ] && cmp -s "$T/a" "$T/b" && ! cmp -s "$T/a" "$T/c" && [ ! -e "$T/none" ]
then ok; else fail "$(cat "$T/err"; diff "$T/a" "$T/b")"; fi

case_begin "as many fault-free and imbalance runs as faulty ones, under each load; training first"
count() { # KIND LOAD FAULT, '' any
	awk -v kind="$1" -v load="$2" -v fault="$3" '
		$2 == kind && $3 == load && (fault == "" ? $4 != "none" : $4 == fault) { n++ }
		END { print n + 0 }' "$T/a"
}
for load in write read random small; do
	echo "$(count run $load '') $(count run $load none) $(count calm $load imbalance) $(count calm $load scrub) $(count train $load none)"
done | sort -u >"$T/counts"
check_eq "$(cat "$T/counts")" "6 6 6 2 1" "faulty, fault-free, imbalance, scrub, training" &&
	check_eq "$(sed -n '3,6p' "$T/a" | cut -d ' ' -f 2 | sort -u)" train "the first four" && ok

case_begin "what is no plan, no option and no kind of fault is refused"
mkdir "$T/bad"
echo 'true' >"$T/bad/plan"
bad=
matrix --plan "$T/bad" >"$T/said" 2>&1 && bad="$bad plan"
matrix --plan --faults disk-hgo "$T/none" >"$T/said" 2>&1 && bad="$bad fault"
matrix --plan --faults "disk-hog:\$(id)" "$T/none" >"$T/said" 2>&1 && bad="$bad argument"
matrix --plan --repeat 0 "$T/none" >"$T/said" 2>&1 && bad="$bad repeat"
matrix --plan >"$T/said" 2>&1 && bad="$bad folder"
check_eq "$bad" '' "accepted" && ok

# Recording: the rest wants what the real one wants of a machine.
if [ "$(id -u)" != 0 ] || ! [ -e /sys/kernel/btf/vmlinux ] || ! [ -e /dev/fuse ] ||
	! losetup -f >/dev/null 2>&1 || ! unshare -n true 2>/dev/null; then
	case_begin "recording"
	skip "needs root, BTF, FUSE, loop devices and network namespaces (sudo make check-all)"
	exit 0
fi

gone() { # PID
	tries=0
	while kill -0 "$1" 2>/dev/null && [ $tries -lt 300 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	! kill -0 "$1" 2>/dev/null
}
probes_left() { while read -r p; do kill -0 "$p" 2>/dev/null && echo "$p"; done <"$T/probes"; }

case_begin "told to stop in the middle of a run it ends, and takes probes and cluster with it"
: >"$T/block"
: >"$T/did"
O=$T/out PATH="$T/bin:$PATH" "$T/tools/matrix" --uncommitted --training 0 --workloads write \
	--faults slow-disk:20 --calms fleet --fault-seconds 30 "$T/m" >"$T/said" 2>&1 &
pid=$!
tries=0
until grep -q '^load write' "$T/did" || [ $tries -ge 300 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
kill -TERM $pid
if gone $pid; then
	check_eq "$([ -e "$T/up" ] && echo up)$(probes_left)" '' "left" &&
		check_eq "$(wc -l <"$T/m/truth.csv")" 1 "lines of the truth" && ok
else
	kill -KILL $pid
	fail "it goes on: $(cat "$T/said")"
fi
rm -f "$T/block"

case_begin "a run that fails counts, and after three in a row it stops"
: >"$T/no-up"
matrix "$T/m" >"$T/said" 2>&1
status=$?
check_eq $status 1 "exit status" && check_eq "$(grep -c '/failed,' "$T/m/truth.csv")" 3 "failed runs in the truth" &&
	check_eq "$(find "$T/m/runs" -maxdepth 1 -name '*.interrupted.1' | wc -l)" 1 "interrupted runs kept" && ok
rm -f "$T/no-up"

case_begin "run again it does what is left, and nothing twice"
before=$(cat "$T/m/runs/0001/row")
: >"$T/did"
matrix "$T/m" >"$T/said" 2>&1
status=$?
check_eq "$status $(grep -c '^up' "$T/did")" "0 1" "exit status, clusters built" &&
	check_eq "$(cat "$T/m/runs/0001/row")" "$before" "the first row" &&
	check_eq "$(wc -l <"$T/m/truth.csv")" 5 "lines of the truth" &&
	check_eq "$(find "$T/m/runs/0004/series" -name '*.limpet' | wc -l)" 6 "recordings of the last run" && ok

case_begin "options cannot change a plan that is there"
if matrix --seed 9 "$T/m" >"$T/said" 2>&1; then fail "accepted"; else ok; fi

case_begin "the truth names fault, server and time, or what was done that is no fault"
matrix --uncommitted --training 0 --workloads read --faults "slow-disk:20" --fault-free 0 --calms '' \
	--fault-seconds 30 "$T/n" >"$T/said" 2>&1
fault=$(grep -c '^runs/000./series,,box,read,slow-disk,oss-[a-z]*,@[0-9]*,@[0-9]*,20$' "$T/n/truth.csv")
hot=$(grep -c '^runs/000./series,,box,read,imbalance,oss-[a-z]*,@[0-9]*,@[0-9]*,$' "$T/n/truth.csv")
if [ "$fault $hot" = '1 1' ]; then ok; else fail "$(cat "$T/said" "$T/n/truth.csv")"; fi

case_begin "another file system is built, and told of in the plan and the truth"
: >"$T/did"
matrix --uncommitted --fs ceph --training 0 --workloads write --faults hang --fault-free 0 --imbalance 0 \
	--calms '' --fault-seconds 30 "$T/other" >"$T/said" 2>&1
check_eq "$(grep "^up" "$T/did")" "up ceph" "what was built" &&
	check_eq "$(grep -c ' fs ceph$' "$T/other/plan")" 1 "plan" && check_eq "$(grep -c '^ceph: 1.2$' "$T/other/host.txt")" 1 "host" &&
	check_eq "$(grep -c '^runs/0001/series,,box-ceph,write,hang,' "$T/other/truth.csv")" 1 "truth" && ok

case_begin "runs share a testbed, as many as are asked for, where the fault leaves nothing behind"
did() { grep -oE '^(up|renew|down)' "$T/did" | tr '\n' ' '; }
shared() { # FAULTS FOLDER
	: >"$T/did"
	matrix --uncommitted --training 0 --workloads write --faults "$1" --fault-free 0 --imbalance 0 --calms '' \
		--fault-seconds 30 --together 3 "$2" >"$T/said" 2>&1
}
shared "slow-disk:20 slow-disk:10 slow-disk slow-disk:5" "$T/mends"
check_eq "$(did)" "up renew renew down up down " "slow disks" &&
	check_eq "$(find "$T"/mends/runs/*/series -name '*.limpet' | wc -l)" 24 "recordings" &&
	{ shared "hang hang" "$T/hangs"; check_eq "$(did)" "up down up down " "stopped servers"; } && ok
