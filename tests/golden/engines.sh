#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The testbed's engines: what is known without starting one, and how their programs are fetched.
# shellcheck disable=SC2034 # lib.sh uses variables of ours
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# A testbed of its own, whose engine is of one file, and a Maven that does what $T/mvn-does says.
mkdir -p "$T/tools" "$T/bin" "$T/cache"
cp -r tools/testbed tools/testbed.d "$T/tools/" || exit 1
printf 'good\n' >"$T/good"
(cd "$T" && sha256sum good) >"$T/tools/testbed.d/engines/hadoop1.sums"
cat >"$T/bin/mvn" <<END
#!/bin/sh
echo called >>"$T/called"
for a; do case \$a in -DoutputDirectory=*) dir=\${a#*=} ;; esac; done
. "$T/mvn-does"
END
chmod +x "$T/bin/mvn"
fetch() { PATH="$T/bin:$PATH" "$T/tools/testbed" --engine "${1:-hadoop1}" --cache "$T/cache" fetch >"$T/out" 2>&1; }

case_begin "each engine has faults and loads of its own, and others are refused"
for e in tools/testbed.d/engines/*.sh; do
	e=$(basename "$e" .sh)
	tools/testbed --engine "$e" faults >"$T/faults" 2>&1 && grep -qw cpu-hog "$T/faults" &&
		tools/testbed --engine "$e" loads | grep -qw sort || fail "$e: $(cat "$T/faults")"
done
tools/testbed --engine mainframe faults >"$T/out" 2>&1
check_eq $? 2 "exit status" && check_eq "$(tools/testbed faults | grep -cw cpu-hog)" 0 "GlusterFS has a CPU hog" && ok

case_begin "where Maven cannot fetch, it says so, and what to do; nothing is kept"
echo 'echo "[ERROR] no route to host"; exit 1' >"$T/mvn-does"
fetch
check_eq $? 1 "exit status" && check_eq "$(grep -c 'no route to host' "$T/out")" 1 "Maven's reason" &&
	check_eq "$(grep -c 'set a mirror in' "$T/out")" 1 "advice" && check_eq "$(ls -d "$T/cache/hadoop1" 2>/dev/null)" '' "kept" && ok

case_begin "other bytes than those that are known are refused"
echo 'mkdir -p "$dir"; echo bad >"$dir/good"' >"$T/mvn-does"
fetch
check_eq $? 1 "exit status" && check_eq "$(grep -c 'is not what .*hadoop1.sums says' "$T/out")" 1 "message" &&
	check_eq "$(ls -d "$T/cache/hadoop1" 2>/dev/null)" '' "kept" && ok

case_begin "what was fetched once is not fetched again, unless it was changed"
echo 'mkdir -p "$dir"; echo good >"$dir/good"' >"$T/mvn-does"
: >"$T/called"
fetch && fetch && check_eq "$(wc -l <"$T/called")" 1 "calls of Maven" && echo other >"$T/cache/hadoop1/good" &&
	fetch && check_eq "$(wc -l <"$T/called") $(cat "$T/cache/hadoop1/good")" "2 good" "after a change" && ok

# A pip that does what $T/pip-does says, with the folder it is to fill in $dir, and its requirements in $wanted.
cat >"$T/bin/python3" <<END
#!/bin/sh
[ "\$1 \$2" = '-m pip' ] || exit 2
[ "\$3" != --version ] || { [ -e "$T/pip-does" ]; exit; }
echo "\$*" >>"$T/called"
while [ \$# -gt 0 ]; do case \$1 in --target) dir=\$2 ;; -r) wanted=\$2 ;; esac; shift; done
. "$T/pip-does"
END
chmod +x "$T/bin/python3"

case_begin "where pip is missing, or PyPI cannot be reached, Spark's fetch says so, and what to do; nothing is kept"
fetch spark
check_eq $? 1 "exit status without pip" && check_eq "$(grep -c 'missing: pip; apt-get install' "$T/out")" 1 "what to install" &&
	echo 'mkdir -p "$dir/pyspark"; echo "ERROR: no route to host"; exit 1' >"$T/pip-does"
fetch spark
check_eq $? 1 "exit status" && check_eq "$(grep -c 'no route to host' "$T/out")" 1 "pip's reason" &&
	check_eq "$(grep -c 'set an index in pip.conf' "$T/out")" 1 "advice" &&
	check_eq "$(find "$T/cache" -maxdepth 1 -name 'spark*' -type d)" '' "kept" && ok

case_begin "Spark is fetched once, and each package by its bytes"
echo 'cp "$wanted" "$dir.txt"; mkdir -p "$dir/pyspark/bin"; : >"$dir/pyspark/bin/spark-class"; chmod +x "$dir/pyspark/bin/spark-class"' >"$T/pip-does"
: >"$T/called"
fetch spark && fetch spark && check_eq "$(wc -l <"$T/called")" 1 "calls of pip" &&
	check_eq "$(grep -c -- --require-hashes "$T/called")" 1 "hashes are required" &&
	check_eq "$(grep -cE '^[a-z0-9]+==[0-9.]+ --hash=sha256:[0-9a-f]{64}$' "$T/cache/spark.new.txt") $(wc -l <"$T/cache/spark.new.txt")" \
		"2 2" "packages" && check_eq "$([ -x "$T/cache/spark/pyspark/bin/spark-class" ] && echo there)" there "spark-class" && ok

case_begin "other bytes than those that are known are refused by pip itself"
rm -rf "$T/cache" "$T/bin/python3"
mkdir -p "$T/index/pyspark-4.3.0" "$T/index/py4j-0.10.9.9"
for p in pyspark-4.3.0 py4j-0.10.9.9; do tar -czf "$T/index/$p.tar.gz" -C "$T/index" $p; done
if python3 -m pip --version >/dev/null 2>&1; then
	PIP_NO_INDEX=1 PIP_FIND_LINKS=$T/index fetch spark
	check_eq $? 1 "exit status" && check_eq "$(grep -c 'DO NOT MATCH THE HASHES' "$T/out")" 1 "$(cat "$T/out")" &&
		check_eq "$(ls -d "$T/cache/spark" 2>/dev/null)" '' "kept" && ok
else
	skip "no pip (tools/deps spark installs it)"
fi

case_begin "a load that is drained before its stream has begun does one pass of it"
mkdir -p "$T/load"
: >"$T/load/last"
STATE=$T bash -c '. tools/testbed.d/lib/load.sh; fs_pass() { echo "pass $*"; }; stream count c1 1' >"$T/out" 2>&1
check_eq "$(cat "$T/out")" "pass count c1 1" "passes" && ok
