#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make install and make uninstall, below a DESTDIR: which files, with which mode, and what stays.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

command -v make >/dev/null || all_skip "'make' is not installed"
root=$T/root

# The make that runs the tests must not decide what happens in this one.
run_make() { # TARGET [VARIABLE=VALUE…]
	env -u MAKEFLAGS -u MFLAGS -u DESTDIR -u prefix make --no-print-directory O="$O" "$@" \
		>"$T/make.out" 2>&1
}

# Files below the root with their modes, documents as one word.
placed() {
	find "$root" -type f -printf '%m %P\n' | sed 's|share/doc/limpet/.*|share/doc/limpet/…|' |
		sort -u
}

case_begin "install puts every file into its place"
run_make install DESTDIR="$root" prefix=/usr || echo "# $(cat "$T/make.out")"
check_eq "$(placed)" "644 etc/default/limpet-probe
644 etc/default/limpet-progress
644 etc/default/limpet-push
644 etc/default/limpet-serve
644 usr/lib/systemd/system/limpet-probe.service
644 usr/lib/systemd/system/limpet-progress.service
644 usr/lib/systemd/system/limpet-push.service
644 usr/lib/systemd/system/limpet-serve.service
644 usr/lib/sysusers.d/limpet-probe.conf
644 usr/lib/sysusers.d/limpet-push.conf
644 usr/lib/sysusers.d/limpet-serve.conf
644 usr/share/bash-completion/completions/limpet
644 usr/share/bash-completion/completions/limpet-probe
644 usr/share/bash-completion/completions/limpet-push
644 usr/share/doc/limpet/…
644 usr/share/fish/vendor_completions.d/limpet-probe.fish
644 usr/share/fish/vendor_completions.d/limpet-push.fish
644 usr/share/fish/vendor_completions.d/limpet.fish
644 usr/share/man/man1/limpet-diagnose.1
644 usr/share/man/man1/limpet-evaluate.1
644 usr/share/man/man1/limpet-flow.1
644 usr/share/man/man1/limpet-report.1
644 usr/share/man/man1/limpet-serve.1
644 usr/share/man/man1/limpet-show.1
644 usr/share/man/man1/limpet-states.1
644 usr/share/man/man1/limpet-train.1
644 usr/share/man/man1/limpet-watch.1
644 usr/share/man/man1/limpet.1
644 usr/share/man/man5/limpet-inputs.5
644 usr/share/man/man5/limpet-json.5
644 usr/share/man/man7/limpet-stragglers.7
644 usr/share/man/man8/limpet-probe.8
644 usr/share/man/man8/limpet-push.8
644 usr/share/zsh/site-functions/_limpet
644 usr/share/zsh/site-functions/_limpet-probe
644 usr/share/zsh/site-functions/_limpet-push
755 usr/bin/limpet
755 usr/sbin/limpet-probe
755 usr/sbin/limpet-push" files && check_eq "$(stat -c %a "$root/var/lib/limpet" "$root/etc/limpet/receivers.d" | tr '\n' ' ')" \
	"750 700 " "modes of /var/lib/limpet and /etc/limpet/receivers.d" && ok

case_begin "what was installed runs"
version=$(sed -n 's/^#define LIMPET_VERSION "\(.*\)"/\1/p' userspace/common/version.h)
check_eq "$("$root/usr/sbin/limpet-probe" --version)" "limpet-probe $version" version &&
	check_eq "$("$root/usr/sbin/limpet-push" --version)" "limpet-push $version" version &&
	check_eq "$("$root/usr/bin/limpet" --version)" "limpet $version" version && ok

case_begin "a second install keeps options that were set"
echo 'LIMPET_PROBE_OPTIONS="--disk sdb"' >"$root/etc/default/limpet-probe"
run_make install DESTDIR="$root" prefix=/usr || echo "# $(cat "$T/make.out")"
check_eq "$(cat "$root/etc/default/limpet-probe")" 'LIMPET_PROBE_OPTIONS="--disk sdb"' options && ok

case_begin "uninstall keeps options that were set, receivers, recordings and the log of progress, and says so"
: >"$root/var/lib/limpet/host-20261121.limpet"
: >"$root/etc/limpet/receivers.d/a.conf"
mkdir -p "$root/var/log/limpet"
: >"$root/var/log/limpet/progress.jsonl"
run_make uninstall DESTDIR="$root" prefix=/usr || echo "# $(cat "$T/make.out")"
check_eq "$(cd "$root" && find . -type f | sort | tr '\n' ' ')" \
	"./etc/default/limpet-probe ./etc/limpet/receivers.d/a.conf ./var/lib/limpet/host-20261121.limpet ./var/log/limpet/progress.jsonl " "files left" &&
	check_eq "$(grep -c stays "$T/make.out")" 4 "words about it" && ok
rm -r "$root"

case_begin "uninstall leaves nothing else"
run_make install DESTDIR="$root" prefix=/usr && run_make uninstall DESTDIR="$root" prefix=/usr ||
	echo "# $(cat "$T/make.out")"
check_eq "$(find "$root" -type f; find "$root" -name '*limpet*')" '' "files left" && ok
rm -r "$root"

case_begin "uninstall where nothing is installed"
run_make uninstall DESTDIR="$root" prefix=/usr
check_eq $? 0 "status ($(cat "$T/make.out"))" && ok

case_begin "another prefix and sysconfdir stand in the unit and in the manual"
run_make install DESTDIR="$root" prefix=/opt/limpet sysconfdir=/opt/limpet/etc ||
	echo "# $(cat "$T/make.out")"
unit=$root/opt/limpet/lib/systemd/system/limpet-probe.service
check_eq "$(grep -c '^ExecStart=/opt/limpet/sbin/limpet-probe record' "$unit")" 1 "ExecStart" &&
	check_eq "$(grep -c '^ExecStart=.* --options /opt/limpet/etc/default/limpet-probe$' "$unit")" 1 \
		"--options" &&
	check_eq "$(grep -hE '/usr/sbin|/etc/default|/etc/limpet' "${unit%/*}"/*.service \
		"$root"/opt/limpet/share/man/man?/* | grep -v opt)" '' "other paths" &&
	check_eq "$(grep -c '^ExecStart=/opt/limpet/sbin/limpet-push run --receivers /opt/limpet/etc/limpet/receivers.d --options /opt/limpet/etc/default/limpet-push$' \
		"${unit%/*}/limpet-push.service")" 1 "ExecStart of limpet-push" &&
	check_eq "$(grep -c '^ExecStart=/opt/limpet/sbin/limpet-push progress .* --options /opt/limpet/etc/default/limpet-progress$' \
		"${unit%/*}/limpet-progress.service")" 1 "ExecStart of limpet-progress" &&
	check_eq "$([ -e "$root/opt/limpet/etc/default/limpet-probe" ] && echo there)" there \
		"the options' file" && ok

case_begin "a folder that cannot be written is an error"
: >"$T/file"
run_make install DESTDIR="$T/file/root" prefix=/usr
check_eq $? 2 "status" && {
	if grep -q 'Not a directory' "$T/make.out"; then ok; else fail "$(cat "$T/make.out")"; fi
}
