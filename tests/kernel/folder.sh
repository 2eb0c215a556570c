#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC1087,SC1091,SC2086,SC2154
# The folder of -o: made where it is missing, refused where another user decides about it.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
. tests/kernel/common.sh
need_kernel losetup setpriv sqlite3
loop_new 8M || all_skip "no loop device"
chmod 755 "$T" # for another user to reach what is below
NOBODY="setpriv --reuid 65534 --regid 65534 --clear-groups"

refused() { # CASE WORDS FOLDER
	case_begin "$1"
	"$PROBE" record -o "$3" --host planted --source proc --disk "$loop" 1 1 >"$T/stdout" 2>"$T/stderr"
	check_eq "$? $(find "$T" -name 'planted-*' -newer "$T/began" | wc -l)" "1 0" \
		"status, files written ($(cat "$T/stderr"))" || return
	if grep -qF -- "$2" "$T/stderr" && grep -qF "'$3" "$T/stderr"; then ok; else fail "$(cat "$T/stderr")"; fi
}
touch "$T/began"

case_begin "a folder that is missing is made, and nobody else may look into it"
"$PROBE" record -o "$T/new/" --disk "$loop" 1 1 2>"$T/stderr"
check_eq "$? $(stat -c '%a %u' "$T/new") $(ls "$T"/new/*.limpet | wc -l)" "0 750 0 1" \
	"status, mode, owner, files ($(cat "$T/stderr"))" && ok

mkdir "$T/open" "$T/open/below" "$T/theirs" "$T/plain"
chmod 777 "$T/open"
chown 65534:65534 "$T/theirs"
refused "a folder that others may write to" "others may write" "$T/open"
refused "a folder in one that others may write to" "others may write" "$T/open/below"
refused "a folder that is not there in one that others may write to" "others may write" "$T/open/new"
refused "another user's folder" "belongs to user 65534" "$T/theirs"

mkdir -m 1777 "$T/sticky"
$NOBODY ln -s "$T/plain" "$T/sticky/link"
$NOBODY mkdir "$T/sticky/theirs"
refused "another user's link, to a folder of root's" "symbolic link of user 65534" "$T/sticky/link"
refused "another user's folder in a sticky one" "belongs to user 65534" "$T/sticky/theirs"
refused "the sticky folder itself" "others may write" "$T/sticky"
case_begin "a folder of root's in a sticky one is taken, and so is root's link to one"
"$PROBE" record -o "$T/sticky/own" --disk "$loop" 1 1 2>"$T/stderr"
first=$?
ln -s "$T/plain" "$T/own-link"
"$PROBE" record -o "$T/own-link" --disk "$loop" 1 1 2>>"$T/stderr"
check_eq "$first $? $(ls "$T"/plain/*.limpet "$T"/sticky/own/*.limpet | wc -l)" "0 0 2" \
	"statuses, files ($(cat "$T/stderr"))" && ok

# As in a home: whoever owns it could exchange the folder, which is then not written to.
mkdir "$T/home" "$T/home/rec"
chown 65534:65534 "$T/home"
case_begin "a folder of root's in another user's is taken where Landlock holds it; exchanged, it is left alone"
if [ "$("$PROBE" check --disk "$loop" | awk '$1 == "landlock" { print $2 }')" != yes ]; then
	skip "this kernel has no Landlock"
else
	probe_start home --disk "$loop" -o "$T/home/rec"
	probe_wait home 1
	$NOBODY sh -c 'cd "$1" && mv rec away && mkdir rec && chmod 777 rec' - "$T/home"
	wait "$(probe_pid home)"
	check_eq "$? $(ls -A "$T/home/rec") $(grep -c "cannot write in '$T/home/rec': Permission denied" \
		"$T/home.err")" "1  1" "status, files in the other, message ($(cat "$T/home.err"))" && ok
fi

# What somebody left in the folder while it was open to all.
today() { echo "$T/plain/planted-$(date -u +%Y%m%d).limpet"; }
file=$(today)
cp "$(ls "$T"/new/*.limpet)" "$file"
sqlite3 "$file" "UPDATE meta SET value = 'planted' WHERE key = 'host';
	CREATE TRIGGER t AFTER INSERT ON chunk BEGIN UPDATE meta SET value = 'ran' WHERE key = 'tool'; END"
chown 65534 "$file"
chmod 666 "$file"
case_begin "another user's file of today, with a trigger in it, is refused by its name and stays as it was"
before=$(cksum <"$file")
"$PROBE" record -o "$T/plain" --host planted --source proc --disk "$loop" 1 2 2>"$T/stderr"
if [ "$file" != "$(today)" ]; then
	skip "midnight came between"
else
	check_eq "$? $(cksum <"$file") $(ls "$file"?* 2>/dev/null)" "1 $before " "status, file, beside it" && {
		if grep -qF "'$file': it belongs to another user" "$T/stderr"; then ok; else fail "$(cat "$T/stderr")"; fi
	}
fi
