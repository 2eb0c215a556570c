#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The Debian packages: built from the tree, looked at by lintian, then installed, used, upgraded,
# removed and purged with this system's own dpkg, in a copy-on-write view of this system that is gone
# when the test ends. Nothing outside it is changed.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

[ "$(id -u)" = 0 ] || all_skip "needs root, to install packages (sudo make check)"
for need in dpkg dpkg-buildpackage dh lintian unshare setpriv; do
	command -v $need >/dev/null || all_skip "'$need' is not installed (tools/deps deb)"
done
# Once more, in a mount namespace of our own: what is mounted below goes with it.
if [ -z "${LIMPET_PACKAGE_TEST:-}" ]; then
	LIMPET_PACKAGE_TEST=1 unshare --mount --propagation private "$0"
	exit $?
fi

version=$(sed -n 's/^#define LIMPET_VERSION "\(.*\)"/\1/p' userspace/common/version.h)
debs=$T/debs

# ---- building ------------------------------------------------------------------------------------

case_begin "a build that fails says so, and where all of it is told"
mkdir -p "$T/broken/tools" "$T/broken/userspace/common"
cp -r tools/packaging tools/deps "$T/broken/tools"
cp userspace/common/version.h "$T/broken/userspace/common"
printf 'programs clean:\n\t@[ $@ = clean ] || { echo "broken on purpose"; false; }\n' >"$T/broken/Makefile"
"$T/broken/tools/packaging/build-deb" "$T/broken-debs" >"$T/out" 2>"$T/err"
check_eq $? 1 "status ($(cat "$T/err"))" && {
	if grep -q "broken on purpose" "$T/err" && grep -q "broken-debs/build.log'" "$T/err"; then
		ok
	else
		fail "$(cat "$T/err")"
	fi
}

case_begin "a tree without a version is refused"
echo >"$T/broken/userspace/common/version.h"
"$T/broken/tools/packaging/build-deb" "$T/broken-debs" >"$T/out" 2>"$T/err"
check_eq $? 1 status && check_eq "$(cat "$T/err")" \
	"build-deb: no LIMPET_VERSION in userspace/common/version.h" message && ok

# In make check without optimization, which takes half of the time; in make check-all as they are shipped.
[ "${LIMPET_TEST_ALL:-1}" = 1 ] || export DEB_BUILD_OPTIONS='parallel=2 noopt'
case_begin "the packages are built"
if ! tools/packaging/build-deb "$debs" >"$T/out" 2>"$T/err"; then
	fail "$(tail -n 20 "$T/err")"
	exit 1
fi
arch=$(dpkg --print-architecture)
probe_deb=$debs/limpet-probe_${version}_$arch.deb
push_deb=$debs/limpet-push_${version}_$arch.deb
analyzer_deb=$debs/limpet_${version}_$arch.deb
check_eq "$(ls "$probe_deb" "$push_deb" "$analyzer_deb" 2>&1)" "$probe_deb
$push_deb
$analyzer_deb" packages && ok

case_begin "lintian has no errors and no warnings"
lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs \
	"$debs"/*.changes >"$T/lintian" 2>&1
check_eq $? 0 "status ($(cat "$T/lintian"))" && ok

# ---- a view of this system -----------------------------------------------------------------------

view=$T/view
root=$view/root
mkdir "$view"
mount -t tmpfs -o size=512m limpet-test "$view" || all_skip "cannot mount a tmpfs"
at_exit "umount -R -l '$view'"
mkdir "$view/upper" "$view/work" "$root"
mount -t overlay -o "lowerdir=/,upperdir=$view/upper,workdir=$view/work" limpet-test "$root" \
	2>"$T/err" || all_skip "cannot mount a view of this system: $(cat "$T/err")"
for folder in proc sys dev; do
	mount --rbind /$folder "$root/$folder"
done
# Without /run/systemd/system no daemon is started, whatever runs outside.
for folder in run tmp; do
	mount -t tmpfs limpet-test "$root/$folder"
done
if [ ! -x "$root/usr/bin/dpkg" ] || [ ! -e "$root/var/lib/dpkg/status" ]; then
	all_skip "/usr or /var is a file system of its own"
fi
# Each installation and removal would index all manuals of this system, which takes longer than dpkg itself. man finds
# a page without the index.
rm -f "$root/var/lib/man-db/auto-update"
mkdir "$root/tmp/debs"
cp "$probe_deb" "$push_deb" "$analyzer_deb" "$root/tmp/debs"

inside() { # COMMAND…
	chroot "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
		LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@" </dev/null
}

# What this system has of an installed limpet is no part of the test.
inside dpkg --purge limpet limpet-probe limpet-push >/dev/null 2>&1
rm -rf "$root/var/lib/limpet" "$root/etc/limpet" "$root/etc/default/limpet-probe" "$root/etc/default/limpet-push" \
	"$root/etc/default/limpet-progress" "$root/var/log/limpet"
find "$view/upper" -name '*limpet*' | sort >"$T/before"

# ---- installing ----------------------------------------------------------------------------------

# shellcheck disable=SC2016
state() { # PACKAGE
	inside dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null
}

case_begin "dpkg installs all, with the dependencies this system has for building"
inside sh -c "dpkg -i /tmp/debs/limpet*.deb" >"$T/out" 2>&1
check_eq $? 0 "status ($(tail -n 5 "$T/out"))" &&
	check_eq "$(state limpet) $(state limpet-probe) $(state limpet-push)" "installed installed installed" state && ok

case_begin "the files of limpet-probe"
check_eq "$(inside dpkg -L limpet-probe | while read -r f; do
	[ -d "$root$f" ] || echo "$f"; done | grep -v '^/usr/share/doc/\|^/usr/share/lintian/' | sort)" \
	"/etc/default/limpet-probe
/lib/systemd/system/limpet-probe.service
/usr/lib/sysusers.d/limpet-probe.conf
/usr/sbin/limpet-probe
/usr/share/bash-completion/completions/limpet-probe
/usr/share/fish/vendor_completions.d/limpet-probe.fish
/usr/share/man/man8/limpet-probe.8.gz
/usr/share/zsh/vendor-completions/_limpet-probe" files &&
	check_eq "$(inside stat -c '%a %U %G' /var/lib/limpet)" "750 limpet limpet" "/var/lib/limpet" &&
	check_eq "$(inside getent passwd limpet | cut -d : -f 1,6,7)" "limpet:/var/lib/limpet:/usr/sbin/nologin" \
		"user" && ok

case_begin "the files of limpet-push"
check_eq "$(inside dpkg -L limpet-push | while read -r f; do
	[ -d "$root$f" ] || echo "$f"; done | grep -v '^/usr/share/doc/\|^/usr/share/lintian/' | sort)" \
	"/etc/default/limpet-progress
/etc/default/limpet-push
/lib/systemd/system/limpet-progress.service
/lib/systemd/system/limpet-push.service
/usr/lib/sysusers.d/limpet-push.conf
/usr/sbin/limpet-push
/usr/share/bash-completion/completions/limpet-push
/usr/share/fish/vendor_completions.d/limpet-push.fish
/usr/share/man/man8/limpet-push.8.gz
/usr/share/zsh/vendor-completions/_limpet-push" files &&
	check_eq "$(inside stat -c '%a %U %G' /etc/limpet/receivers.d)" "700 limpet-push limpet-push" "/etc/limpet/receivers.d" &&
	check_eq "$(inside id -Gn limpet-push)" "limpet-push limpet" groups && ok

case_begin "the files of limpet"
check_eq "$(inside dpkg -L limpet | while read -r f; do
	[ -d "$root$f" ] || echo "$f"; done | grep -v ^/usr/share/doc/ | sort)" \
	"/etc/default/limpet-serve
/lib/systemd/system/limpet-serve.service
/usr/bin/limpet
/usr/lib/sysusers.d/limpet-serve.conf
/usr/share/bash-completion/completions/limpet
/usr/share/fish/vendor_completions.d/limpet.fish
/usr/share/man/man1/limpet-diagnose.1.gz
/usr/share/man/man1/limpet-evaluate.1.gz
/usr/share/man/man1/limpet-flow.1.gz
/usr/share/man/man1/limpet-report.1.gz
/usr/share/man/man1/limpet-serve.1.gz
/usr/share/man/man1/limpet-show.1.gz
/usr/share/man/man1/limpet-states.1.gz
/usr/share/man/man1/limpet-train.1.gz
/usr/share/man/man1/limpet-watch.1.gz
/usr/share/man/man1/limpet.1.gz
/usr/share/man/man5/limpet-inputs.5.gz
/usr/share/man/man5/limpet-json.5.gz
/usr/share/man/man7/limpet-stragglers.7.gz
/usr/share/zsh/vendor-completions/_limpet" files && ok

case_begin "what is installed is what is in the packages"
check_eq "$(inside dpkg --verify limpet limpet-probe limpet-push)" '' "differences" && ok

case_begin "the programs run from there"
check_eq "$(inside limpet-probe --version)" "limpet-probe $version" version &&
	check_eq "$(inside limpet-push --version)" "limpet-push $version" version &&
	check_eq "$(inside limpet --version)" "limpet $version" version && ok

case_begin "limpet-probe depends on no library of the analyzer's"
# shellcheck disable=SC2016
check_eq "$(inside dpkg-query -W -f '${Depends}' limpet-probe | grep -o openblas)" '' library && ok

case_begin "the manual is found and rendered"
if grep -rqs '^path-exclude.*/usr/share/man' /etc/dpkg/dpkg.cfg /etc/dpkg/dpkg.cfg.d; then
	skip "this system's dpkg leaves manuals out"
elif ! command -v man >/dev/null; then
	skip "man is not installed (tools/deps deb)"
else
	check_eq "$(inside man -w limpet-probe limpet limpet-diagnose limpet-inputs)" "/usr/share/man/man8/limpet-probe.8.gz
/usr/share/man/man1/limpet.1.gz
/usr/share/man/man1/limpet-diagnose.1.gz
/usr/share/man/man5/limpet-inputs.5.gz" pages && check_eq \
		"$(inside man limpet-probe 2>/dev/null | grep -c '^CAPABILITIES$')" 1 heading && ok
fi

case_begin "bash-completion finds it by the name of the command"
if [ -e /usr/share/bash-completion/bash_completion ]; then
	# shellcheck disable=SC2016
	check_eq "$(inside bash -c '. /usr/share/bash-completion/bash_completion
		for program in limpet-probe limpet; do
			_completion_loader $program
			complete -p $program
			COMP_WORDS=($program "") COMP_CWORD=1
			_limpet
			echo ${COMPREPLY[*]}
		done' 2>&1)" "complete -F _limpet limpet-probe
$(inside limpet-probe --dump-options | cut -d ' ' -f 1 | uniq | tr '\n' ' ')help version --help --version
complete -F _limpet limpet
$(inside limpet --dump-options | cut -d ' ' -f 1 | uniq | tr '\n' ' ')help version --help --version" \
		"what it offers" && ok
else
	skip "bash-completion is not installed (tools/deps ci)"
fi

# ---- the service ---------------------------------------------------------------------------------

unit=/lib/systemd/system/limpet-probe.service
units="$unit /lib/systemd/system/limpet-push.service /lib/systemd/system/limpet-progress.service"

# All values of a setting of the unit, in one line.
setting() { sed -n "s/^$1=//p" "$root$unit" | tr '\n' ' ' | sed 's/ $//'; }

case_begin "systemd finds no fault with the units, and would start at boot those that need no word of the site"
if [ -x "$root/usr/bin/systemd-analyze" ]; then
	# shellcheck disable=SC2086
	check_eq "$(inside systemd-analyze verify $units 2>&1 | grep limpet-)" '' "complaints" &&
		check_eq "$(inside systemctl --root=/ is-enabled limpet-probe limpet-push limpet-progress 2>&1)" "enabled
enabled
disabled" "is-enabled" && ok
else
	skip "systemd is not installed (tools/deps ci)"
fi

for of in $units; do
	case_begin "the exposure of ${of##*/} is under 2.0 to systemd-analyze security"
	if [ -x "$root/usr/bin/systemd-analyze" ]; then
		inside systemd-analyze security --offline=yes --threshold=19 --no-pager "$of" >"$T/out" 2>&1
		check_eq $? 0 "status ($(tail -n 1 "$T/out"))" && ok
	else
		skip "systemd is not installed (tools/deps ci)"
	fi
done

case_begin "limpet-progress without a master says where to name one, and is not tried again; named, the log is its group's to read"
progress_command=$(sed -n 's/^ExecStart=//p' "$root/lib/systemd/system/limpet-progress.service")
never_again=$(sed -n 's/^RestartPreventExitStatus=//p' "$root/lib/systemd/system/limpet-progress.service")
as_push() { # COMMAND…
	inside setpriv --reuid limpet-push --regid limpet-push --init-groups --bounding-set=-all --no-new-privs "$@"
}
# shellcheck disable=SC2086
as_push $progress_command >"$T/out" 2>"$T/err"
check_eq "$? $(grep -c 'no master is named.*/etc/default/limpet-progress' "$T/err")" "$never_again 1" "status, message ($(cat "$T/err"))" && {
	# As LogsDirectory= and UMask= have it. Nobody answers on port 1, which is said.
	echo 'LIMPET_PROGRESS_OPTIONS="--yarn http://127.0.0.1:1 --looks 1"' >"$root/etc/default/limpet-progress"
	inside install -d -m 750 -o limpet-push -g limpet-push /var/log/limpet
	# shellcheck disable=SC2086
	as_push sh -c 'umask 0027; exec "$@"' sh $progress_command >"$T/out" 2>"$T/err"
	check_eq "$? $(grep -c "cannot ask 'http://127.0.0.1:1'" "$T/err") $(inside stat -c '%a %U %G' /var/log/limpet/progress.jsonl)" \
		"0 1 640 limpet-push limpet-push" "status, message, mode of the log ($(cat "$T/err"))"
} && check_eq "$(as_push limpet-push check 2>&1 | grep -c '^logs  *limpet: /var/log/limpet: 1 log,')" 1 "logs that limpet-push sends" && ok

# Runs with what the service is allowed, as far as that can be had without systemd: its user, with the
# capabilities of the unit but those in $without as ambient ones, no new privileges, and /sys and all of
# / but /var read-only.
without=
# shellcheck disable=SC2016
service_like() { # COMMAND…
	capabilities=-all user=$(setting User)
	for capability in $(setting CapabilityBoundingSet); do
		[ "$capability" = "$without" ] || capabilities=$capabilities,+${capability#CAP_}
	done
	inside unshare --mount sh -c '
		mount -o bind,ro,remount /sys && mount --bind /var /var &&
			mount -o bind,ro,remount / || exit 125
		umask 0027
		capabilities=$1 user=$2
		shift 2
		exec setpriv --reuid "$user" --regid "$user" --clear-groups --bounding-set "$capabilities" \
			--inh-caps "$capabilities" --ambient-caps "$capabilities" --no-new-privs "$@"' sh \
		"$(echo "$capabilities" | tr '[:upper:]' '[:lower:]')" "$user" "$@"
}

kernel_cannot=
[ -e /sys/kernel/btf/vmlinux ] || kernel_cannot="this kernel has no BTF"
[ -n "$kernel_cannot" ] || inside limpet-probe check >"$T/check" 2>&1 ||
	kernel_cannot="limpet-probe check is not content here: $(grep -w NO "$T/check" | tr -s ' ' | head -n 2)"

case_begin "with the capabilities of the unit everything works that works for root"
if [ -n "$kernel_cannot" ]; then
	skip "$kernel_cannot"
else
	service_like limpet-probe check >"$T/service" 2>&1
	check_eq $? 0 "status ($(cat "$T/service"))" && check_eq \
		"$(awk '$2 == "NO" && $1 != "capability" { print }' "$T/service")" '' \
		"what does not work" && ok
fi

case_begin "without one of them something does not"
if [ -n "$kernel_cannot" ]; then
	skip "$kernel_cannot"
else
	wrong=
	for without in $(setting CapabilityBoundingSet); do
		service_like limpet-probe check >"$T/less" 2>&1
		grep -v ^capability "$T/less" | grep -qw NO || wrong="$wrong $without: $(cat "$T/less")"
	done
	without=
	check_eq "$wrong" '' "capabilities that nobody needs" && ok
fi

# The service's own command line, for two samples.
service_command=$(setting ExecStart)

case_begin "the service's command records, and limpet reads it"
if [ -n "$kernel_cannot" ]; then
	skip "$kernel_cannot"
else
	# shellcheck disable=SC2086
	service_like $service_command --host package-test 1 2 >"$T/out" 2>"$T/err"
	check_eq $? 0 "status ($(cat "$T/err"))" && check_eq \
		"$(inside sh -c 'limpet show --json -m cswch/s /var/lib/limpet' 2>&1 |
			grep -c '"node":"package-test".*"cswch/s":')" 2 "samples" &&
		check_eq "$(inside sh -c 'stat -c "%a %U %G" /var/lib/limpet/*.limpet')" \
			"640 limpet limpet" mode && ok
fi

# Nobody answers on port 1; that is all that is wrong.
case_begin "the user of limpet-push reads what the probe records, and nobody else the token"
if [ -n "$kernel_cannot" ]; then
	skip "$kernel_cannot"
else
	{
		service_like $service_command --host package-push 1 6 >"$T/out" 2>&1 &
		sleep 4
		printf 'url=https://127.0.0.1:1\ntoken=%043d\n' 0 >"$root/etc/limpet/receivers.d/a.conf"
		inside sh -c 'chmod 600 /etc/limpet/receivers.d/a.conf; chown limpet-push: /etc/limpet/receivers.d/a.conf'
		inside setpriv --reuid limpet-push --regid limpet-push --init-groups --bounding-set=-all --no-new-privs \
			limpet-push check --host package-push >"$T/pushed" 2>&1
		wait
	}
	check_eq "$(grep -c '1 file of this host.*the last minute is there' "$T/pushed") $(grep -c '127.0.0.1:1: .*onnect' "$T/pushed")" "1 1" \
		"what check says ($(cat "$T/pushed"))" &&
		check_eq "$(inside setpriv --reuid limpet --regid limpet --clear-groups --inh-caps=-all cat /etc/limpet/receivers.d/a.conf 2>&1 | grep -c url)" 0 \
			"lines that another user reads" && ok
fi

case_begin "it makes no system call that the unit forbids"
if [ -n "$kernel_cannot" ]; then
	skip "$kernel_cannot"
elif [ ! -x "$root/usr/bin/systemd-analyze" ] || ! command -v strace >/dev/null; then
	skip "systemd or strace is not installed (tools/deps ci)"
else
	# The sets of the unit, resolved as systemd does: the first list opens, "~" takes away.
	members() { # WORD…: names, sets within sets followed
		local word
		for word; do
			case $word in
			@*)
				# shellcheck disable=SC2046
				members $(inside systemd-analyze syscall-filter "$word" 2>/dev/null |
					sed -n '2,$s/^ *\([@a-z]\)/\1/p' | grep -v '^#')
				;;
			*) echo "$word" ;;
			esac
		done
	}
	: >"$T/allowed"
	while read -r list; do
		# shellcheck disable=SC2086
		case $list in
		'~'*) members ${list#\~} | sort -u | comm -23 "$T/allowed" - >"$T/next" ;;
		*) members $list | sort -u - "$T/allowed" >"$T/next" ;;
		esac
		mv "$T/next" "$T/allowed"
	done < <(sed -n 's/^SystemCallFilter=//p' "$root$unit")
	# shellcheck disable=SC2086
	service_like strace -f -qq -o /var/lib/limpet/calls $service_command --host package-calls 1 2 \
		>"$T/out" 2>&1
	status=$?
	sed -n 's/^[0-9]* *\([a-z0-9_]*\)(.*/\1/p' "$root/var/lib/limpet/calls" | sort -u >"$T/calls"
	check_eq $status 0 "status ($(cat "$T/out"))" &&
		check_eq "$(grep -cx 'bpf\|capset\|sched_setscheduler' "$T/calls")" 3 "calls known" &&
		check_eq "$(comm -23 "$T/calls" "$T/allowed" | grep -vx execve)" '' \
			"calls that would be refused" && ok
fi

# systemd itself runs the unit, see service_box.sh, in a cgroup of its own.
box=
box_run() {
	mkdir "$T/cgroup"
	mount -t cgroup2 limpet-test "$T/cgroup" && mkdir "$T/cgroup/limpet-test-$$" || return 77
	at_exit "find '$T/cgroup/limpet-test-$$' -depth -type d -exec rmdir {} \\; ; umount '$T/cgroup'"
	# shellcheck disable=SC2016
	sh -c 'echo $$ >"$1/cgroup.procs" || exit 77
		shift
		exec unshare --cgroup --net --mount --pid --fork --kill-child --propagation private "$@"' sh \
		"$T/cgroup/limpet-test-$$" bash "$(dirname "$0")/service_box.sh" "$root" \
		>"$T/box" 2>"$T/box.err" </dev/null
}
saw() { sed -n "s/^$1=//p" "$T/box"; } # NAME

if [ -n "$kernel_cannot" ]; then
	box=$kernel_cannot
elif [ ! -x "$root/lib/systemd/systemd" ]; then
	box="systemd is not installed (tools/deps ci)"
else
	box_run
	case $? in
	0) ;;
	77) box="$(tail -n 1 "$T/box") $(tail -n 1 "$T/box.err")" ;;
	*) echo "# the box broke: $(cat "$T/box" "$T/box.err")" ;;
	esac
fi

case_begin "systemd starts the service, sandboxed as the unit says, and it records"
if [ -n "$box" ]; then
	skip "$box"
else
	check_eq "$(saw start) $(saw records)" "0 0" "started, records ($(cat "$T/box"))" && ok
fi

case_begin "the sandboxed service answers over HTTP, and had nothing to complain of"
if [ -n "$box" ]; then
	skip "$box"
elif ! command -v ip >/dev/null; then
	skip "'ip' is not installed, to bring the box's loopback interface up"
else
	check_eq "$(saw scrape)" "HTTP/1.1 200 OK # EOF " "first and last line" &&
		check_eq "$(saw err)" '' "standard error" && ok
fi

case_begin "the running service has no capability, cannot get more, and writes in one folder"
if [ -n "$box" ]; then
	skip "$box"
else
	# CAP_SYS_NICE is 23, CAP_PERFMON 38, CAP_BPF 39.
	check_eq "$(saw capabilities)" "0000000000000000 " "capabilities of all threads" &&
		check_eq "$(saw CapBnd)" 000000c000800000 "bounding set" &&
		check_eq "$(saw NoNewPrivs) $(saw Seccomp)" "1 2" "no new privileges, seccomp" &&
		check_eq "$(saw user)" "limpet notify 10min" "user, type, watchdog" &&
		check_eq "$(saw writable)" "/var/lib/limpet " "folders that can be written" &&
		check_eq "$(saw realtime)" "(limpet-sweep)" "SCHED_FIFO threads" && ok
fi

case_begin "reload and stop succeed; a wrong option is not tried again and again"
if [ -n "$box" ]; then
	skip "$box"
else
	check_eq "$(saw reload)" 0 "reload" && check_eq "$(saw stop)" "0 success 0" "stop" &&
		check_eq "$(saw wrong)" "failed 2 0" "state, status and restarts" && ok
fi

# ---- upgrade, remove, purge ----------------------------------------------------------------------

case_begin "an upgrade keeps options that were set, and gives recordings of root's to the user"
echo 'LIMPET_PROBE_OPTIONS="--disk sdb"' >"$root/etc/default/limpet-probe"
: >"$root/var/lib/limpet/older-20261120.limpet"
inside chown -R root:root /var/lib/limpet
inside sh -c 'dpkg -i /tmp/debs/limpet*.deb' >"$T/out" 2>&1
check_eq $? 0 "status ($(tail -n 5 "$T/out"))" &&
	check_eq "$(cat "$root/etc/default/limpet-probe")" 'LIMPET_PROBE_OPTIONS="--disk sdb"' \
		options && check_eq "$(inside sh -c 'stat -c %U /var/lib/limpet /var/lib/limpet/*' |
		sort -u)" limpet "owners" && ok

case_begin "an upgrade restarts what runs, also what the site started, and stops nothing for good"
# Words to systemd are written down instead.
mkdir -p "$root/run/systemd/system" "$root/usr/local/sbin"
for command in deb-systemd-invoke systemctl; do
	# shellcheck disable=SC2016
	printf '#!/bin/sh\necho "$*" >>/tmp/%s\n' $command >"$root/usr/local/sbin/$command"
	chmod 755 "$root/usr/local/sbin/$command"
done
inside sh -c 'dpkg -i /tmp/debs/limpet*.deb' >"$T/out" 2>&1
check_eq $? 0 "status ($(tail -n 5 "$T/out"))" && check_eq "$(sort "$root/tmp/deb-systemd-invoke")" "restart limpet-probe.service
restart limpet-push.service
try-restart limpet-progress.service
try-restart limpet-serve.service" "words to systemd" && ok
: >"$root/tmp/deb-systemd-invoke"

case_begin "remove keeps options and recordings, and nothing else"
: >"$root/var/lib/limpet/kept-20261121.limpet"
inside dpkg --remove limpet limpet-probe limpet-push >"$T/out" 2>&1
check_eq $? 0 "status ($(tail -n 5 "$T/out"))" &&
	check_eq "$(ls "$root/usr/sbin/limpet-probe" "$root/usr/sbin/limpet-push" "$root/usr/bin/limpet" "$root$unit" 2>/dev/null)" \
		'' "programs left" &&
	check_eq "$([ -e "$root/var/lib/limpet/kept-20261121.limpet" ] && echo kept)" kept recordings &&
	check_eq "$(cat "$root/etc/default/limpet-probe")" 'LIMPET_PROBE_OPTIONS="--disk sdb"' \
		options && check_eq "$(sort "$root/tmp/deb-systemd-invoke")" "stop limpet-probe.service
stop limpet-progress.service
stop limpet-push.service
stop limpet-serve.service" "words to systemd" && ok
rm -r "$root/run/systemd/system" "$root/usr/local/sbin/deb-systemd-invoke" "$root/usr/local/sbin/systemctl"

case_begin "purge leaves nothing"
inside dpkg --purge limpet limpet-probe limpet-push >"$T/out" 2>&1
status=$?
# A deleted file of the system below is a character device in the upper layer.
# What man renders for itself, its own daily job removes.
find "$view/upper" -path '*/var/cache/man' -prune -o -name '*limpet*' ! -type c -print | sort | comm -23 - "$T/before" >"$T/left"
check_eq $status 0 "status ($(tail -n 5 "$T/out"))" && check_eq "$(cat "$T/left")" '' "files left" &&
	check_eq "$(inside dpkg-query -W limpet limpet-probe limpet-push 2>/dev/null)" '' "packages known" &&
	check_eq "$(ls "$root/var/lib/limpet" "$root/etc/limpet" "$root/etc/default/limpet-probe" "$root/var/log/limpet" 2>/dev/null)" '' \
		"data left" && ok
