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
fetch() { PATH="$T/bin:$PATH" "$T/tools/testbed" --engine hadoop1 --cache "$T/cache" fetch >"$T/out" 2>&1; }

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
