#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Darshan's logs: their states beside what Python reads of them, the verdict on them, and logs that are cut off.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

L=$O/limpet
HERE=$(dirname "$0")
D=tests/data/darshan

command -v python3 >/dev/null || all_skip "needs python3"

# same LOG [--libdarshan]: limpet's states are Python's
same() {
	"$L" states --csv "$1" >"$T/csv" 2>"$T/err" || { fail "$1: $(cat "$T/err")"; return 1; }
	python3 "$HERE/darshan_states.py" ${2:+"$2"} "$T/csv" "$1" >"$T/same" 2>&1 || { fail "$1: $(cat "$T/same")"; return 1; }
}

make_log() { # KIND FORM
	python3 "$HERE/darshan_write.py" "$1" "$T/$1.darshan" "$2"
}

cp $D/traced.darshan "$T/traced.darshan"
if command -v zstd >/dev/null; then
	zstd -dqc $D/slow-ost.darshan.zst >"$T/real.darshan"

	case_begin "a real log of counters has the states that Python finds, and 2,048 of them"
	same "$T/real.darshan" && check_eq "$(cat "$T/same")" "2048 states, 0 differ" states && ok
fi

case_begin "a real log of traces has the states that Python finds, and 59 of them"
same "$T/traced.darshan" && check_eq "$(cat "$T/same")" "59 states, 0 differ" states && ok

case_begin "each version, compression and order of bytes: the states that Python finds"
n=0
for form in 3.10-zlib-little 3.10-none-big 3.21-zlib-big 3.21-bzip2-little 3.21-none-little-threads 3.41-zlib-little \
	3.41-bzip2-big-threads 3.41-none-little; do
	make_log all $form && same "$T/all.darshan" && n=$((n + 1))
done
check_eq $n 8 "forms" && ok

case_begin "what is read of a log with a file of each sort"
make_log all 3.41-none-little && "$L" states --csv "$T/all.darshan" >"$T/csv" 2>"$T/err"
check_eq "$(awk -F, 'NR > 1 { n[$3]++ } END { for (s in n) print s, n[s] }' "$T/csv" | sort | tr '\n' ,)" \
	"ost-read 6,ost-read-wide 5,ost-write 23,ost-write-wide 9," "states" &&
	check_eq "$(grep -c . "$T/err")" 1 "remarks ($(cat "$T/err"))" &&
	check_eq "$(grep -c "8 of its records are of files on several servers" "$T/err")" 1 "files on several servers" && ok

if python3 -c 'import darshan' 2>/dev/null; then
	# PyDarshan is no package of Debian: where it is installed, it is asked
	case_begin "libdarshan-util reads the same"
	n=0
	for form in 3.10-zlib-little 3.21-zlib-big 3.41-none-little; do
		make_log all $form && same "$T/all.darshan" --libdarshan && n=$((n + 1))
	done
	for log in "$T/traced.darshan" "$T/real.darshan"; do same "$log" --libdarshan && n=$((n + 1)); done
	check_eq $n 5 "logs" && ok
fi

case_begin "of a real file system's 24 targets, the one that took 46 times as long limps, and nobody else"
"$L" diagnose --exit-code $D/slow-ost.darshan.zst >"$T/out" 2>&1
check_eq $? 3 status && check_eq "$(grep limps "$T/out" | cut -d' ' -f1,4-7)" "scratch1-OST000e ost-write duration 46.1 times" verdict &&
	check_eq "$(grep -c "1 is indicted, 23 are well" "$T/out")" 1 servers && ok

case_begin "by traces of files that are striped over all targets, the slow target limps, and nobody else"
make_log slow 3.41-zlib-little && "$L" diagnose --exit-code "$T/slow.darshan" >"$T/out" 2>&1
check_eq $? 3 status && check_eq "$(grep limps "$T/out" | cut -d' ' -f1)" scratch-OST0005 verdict &&
	check_eq "$(grep -c "1 is indicted, 7 are well" "$T/out")" 1 servers && ok

case_begin "nobody limps where none is slow"
make_log well 3.41-zlib-little && "$L" diagnose --exit-code "$T/well.darshan" >"$T/out" 2>&1
check_eq $? 0 "status ($(cat "$T/out"))" && ok

case_begin "--hosts joins targets to the servers that have them"
printf 'scratch-OST000%d oss-a\n' 0 1 >"$T/hosts"
printf 'scratch-OST000%d oss-b\n' 2 3 >>"$T/hosts"
check_eq "$("$L" states --csv --hosts "$T/hosts" "$T/well.darshan" | cut -d, -f2 | sort -u | tr '\n' ,)" \
	"node,oss-a,oss-b,scratch-OST0004,scratch-OST0005,scratch-OST0006,scratch-OST0007," servers && ok

case_begin "of a log that is cut off, what is there is read, and the cut is said"
make_log all 3.41-zlib-little && "$L" states --csv "$T/all.darshan" 2>/dev/null | cut -d, -f 1-16 | sort >"$T/whole"
size=$(wc -c <"$T/all.darshan") n=0
for cut in 30 1000 1350 1500 1800 2000 2200 2300 $((size - 1)); do
	head -c "$cut" "$T/all.darshan" >"$T/cut.darshan"
	"$L" states --csv "$T/cut.darshan" >"$T/csv" 2>"$T/err"
	status=$?
	# counters stand in for traces that are gone
	more=$(cut -d, -f 1-16 "$T/csv" | grep -v ' posix ' | sort | comm -23 - "$T/whole")
	[ $status -le 1 ] && grep -q "end in the middle\|not all there\|it ends" "$T/err" && [ -z "$more" ] && n=$((n + 1))
done
check_eq $n 9 "cuts" && ok

case_begin "a log that gives more bytes than are read is read as far as that, in 512 MB"
python3 - "$T/bomb.darshan" "$HERE" <<'END'
import sys, zlib
sys.path.insert(0, sys.argv[2])
import darshan_write as d

# Its names are a name and then zeros without an end: 4 GiB of them in 18 MB.
w = d.Writer("3.21-zlib-little")
d.job(w, False)
names = w.squeeze(w.names) + zlib.compress(bytes(1 << 26), 1) * 64
w.squeeze = lambda b, usual=w.squeeze: names if b == w.names else usual(b)
w.write(sys.argv[1])
END
limit="prlimit --as=536870912 --cpu=60"
case $O in *address*) limit= ;; esac
$limit "$L" states --csv "$T/bomb.darshan" >"$T/csv" 2>"$T/err"
status=$?
[ $status -le 1 ] && check_eq "$(grep -c "names of files" "$T/err")" 1 "remarks ($status: $(cat "$T/err"))" && ok

# The files of "all" as GlusterFS, OrangeFS and BeeGFS would have them.
{
	cat <<'END'
getfattr: Removing leading '/' from absolute path names
# file: tmp/outside
trusted.glusterfs.pathinfo="(<DISTRIBUTE:v-dht> <POSIX(/bricks/b1):gluster1:/bricks/b1/u/outside>)"
# file: scratch/u/mirrored
trusted.glusterfs.pathinfo="(<DISTRIBUTE:v-dht> (<REPLICATE:v-replicate-0> <POSIX(/b1):gluster1:/b1/u/mirrored> <POSIX(/b1):gluster2:/b1/u/mirrored>))"
# file: /scratch/u/wide
dist_name = simple_stripe
dist_params:
strip_size:1048576

Metadataserver: tcp://orange9:3334
Number of datafiles/servers = 3
Datafile 0 - tcp://orange1:3334, handle: 5223372036854744173 (487d2531626f846d.bstream)
Datafile 1 - tcp://orange2:3334, handle: 5223372036854744174 (487d2531626f846e.bstream)
Server 2 - tcp://orange3:3334, handle: 5223372036854744175 (487d2531626f846f.bstream)
# file: /scratch/u/thin
Entry type: file
EntryID: 0-5D285750-1
Metadata node: meta01 [ID: 1]
Stripe pattern details:
+ Type: RAID0
+ Chunksize: 64K
+ Number of storage targets: desired: 2; actual: 2
+ Storage targets:
  + 101 @ beegfs1 [ID: 1]
  + 201 @ beegfs2 [ID: 2]
# file: /scratch/u/far
+ Type: Buddy Mirror
+ Chunksize: 1M
+ Storage mirror buddy groups:
  + 1
END
} >"$T/layout"
python3 - "$T/other.darshan" "$HERE" <<'END'
import sys
sys.path.insert(0, sys.argv[2])
import darshan_write as d

w = d.Writer("3.41-zlib-little")
d.everything(w)
w.modules["LUSTRE"] = b""
w.write(sys.argv[1])
END

case_begin "--layout: accesses are charged to the servers that GlusterFS, OrangeFS and BeeGFS name"
"$L" states --csv --layout "$T/layout" "$T/other.darshan" >"$T/csv" 2>"$T/err"
check_eq "$(awk -F, 'NR > 1 { n[$2 " " $3]++ } END { for (s in n) print s, n[s] }' "$T/csv" | sort | tr '\n' ,)" \
	"beegfs1 ost-read-wide 1,beegfs1 ost-write-wide 1,beegfs2 ost-read-wide 1,beegfs2 ost-write-wide 1,\
gluster1 ost-read 1,gluster1 ost-write 4,orange1 ost-read-wide 1,orange1 ost-write 1,orange1 ost-write-wide 2,\
orange2 ost-read-wide 1,orange2 ost-write-wide 2,orange3 ost-read-wide 1,orange3 ost-write 1," "states" &&
	check_eq "$(awk -F, '$9 ~ /w2$/ && $2 ~ /^orange/ { print $2, $5 }' "$T/csv")" "orange3 1048576" "the sixth stripe" && ok

case_begin "without --layout it is said that nothing is known"
"$L" states --csv "$T/other.darshan" >"$T/csv" 2>"$T/err"
check_eq "$(grep -c "'--layout' says it" "$T/err")" 1 "remarks" && ok

case_begin "a file that says of no file where it lies is refused"
echo nothing >"$T/none"
"$L" states --csv --layout "$T/none" "$T/other.darshan" >"$T/csv" 2>"$T/err"
check_eq "$?: $(cat "$T/err")" "1: limpet: '$T/none' says of no file on which servers it lies" refusal && ok
