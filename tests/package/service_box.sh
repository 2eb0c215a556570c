# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2317
# Runs the installed service under systemd, in a box: process 1 of a process, mount, network and
# cgroup namespace of its own, with a view of the system that has the package as its root:
#
#   unshare --cgroup --net --mount --pid --fork --kill-child --propagation private \
#           bash service_box.sh ROOT
#
# systemd runs as a user manager, for that needs no machine of its own; as root it can set up the
# sandbox all the same. Only StateDirectory means another folder there, so /var/lib/limpet is made
# writable by hand. What was seen is printed as NAME=VALUE; status 77 with a reason: not possible.
set -u
root=$1

cannot() {
	echo "$*"
	exit 77
}

enter() {
	umount -R -l "$root/sys/fs/cgroup" 2>/dev/null
	mount -t cgroup2 limpet-test "$root/sys/fs/cgroup" || cannot "cannot mount cgroup2"
	mount -t proc proc "$root/proc" || cannot "cannot mount /proc"
	mkdir -p "$root/oldroot"
	cd "$root" || cannot "no '$root'"
	pivot_root . oldroot || cannot "cannot change the root"
	cd / || cannot "no '/'"
	umount -l /oldroot
	rmdir /oldroot
	mount --make-rshared /
}

# What the system's manager makes at boot and others rely on.
prepare() {
	# Not below /run/user, which the service does not see: the system's manager listens elsewhere too.
	export XDG_RUNTIME_DIR=/run/manager HOME=/run/home LC_ALL=C
	unset DBUS_SESSION_BUS_ADDRESS
	units=$HOME/.config/systemd/user
	mkdir -p /run/systemd/system /run/systemd/inaccessible/dir $XDG_RUNTIME_DIR \
		$units/limpet-probe.service.d
	(cd /run/systemd/inaccessible && touch reg && mkfifo fifo && mknod chr c 0 0 &&
		mknod blk b 0 0 && cp -a fifo sock)
	cp /lib/systemd/system/limpet-probe.service $units
	printf '[Service]\nReadWritePaths=/var/lib/limpet\nStandardError=file:/tmp/service.err\n' \
		>$units/limpet-probe.service.d/box.conf
}

eventually() { # COMMAND…
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 1200 ] || return 1
		sleep 0.1
	done
}

property() { systemctl --user show -p "$1" --value limpet-probe; }

# Recording: two samples are in the file.
records() {
	[ "$(limpet show --json -m cswch/s /var/lib/limpet 2>/dev/null |
		grep -c '"node":"service-test"')" -ge 2 ]
}

# What the service answers over HTTP ends as OpenMetrics and Prometheus' format have it, or not.
scrape() {
	exec 3<>/dev/tcp/127.0.0.1/9810 || return
	printf 'GET /metrics HTTP/1.0\r\nAccept: application/openmetrics-text\r\n\r\n' >&3
	cat <&3
	exec 3>&-
}

ended() { [ "$(property ActiveState)" = failed ]; }

enter
prepare
/lib/systemd/systemd --user --unit=basic.target >/tmp/systemd.log 2>&1 &
eventually test -S $XDG_RUNTIME_DIR/systemd/private ||
	cannot "systemd does not run in a box here: $(tail -n 1 /tmp/systemd.log)"

# As the system's manager has it, for services of all users.
chmod 755 $XDG_RUNTIME_DIR $XDG_RUNTIME_DIR/systemd
chmod 777 $XDG_RUNTIME_DIR/systemd/notify 2>/tmp/systemctl.err

ip link set lo up
# Process 1 stands for a server of a file system.
echo 'LIMPET_PROBE_OPTIONS="--host service-test --listen 9810 --pid 1"' >/etc/default/limpet-probe
systemctl --user start limpet-probe 2>>/tmp/systemctl.err
echo "start=$?"
eventually records
echo "records=$?"
echo "scrape=$(scrape 2>/dev/null | tr -d '\r' | sed -n '1p;$p' | tr '\n' ' ')"
pid=$(property MainPID)
if [ "$pid" -gt 0 ] && [ -d "/proc/$pid" ]; then
	awk '/^(NoNewPrivs|Seccomp|CapBnd):/{ sub(":", ""); print $1 "=" $2 }' "/proc/$pid/status"
	echo "capabilities=$(cat "/proc/$pid"/task/*/status | awk '/^Cap(Prm|Eff|Inh|Amb):/{ print $2 }' |
		sort -u | tr '\n' ' ')"
	echo "user=$(stat -c '%U' "/proc/$pid") $(property Type) $(property WatchdogUSec)"
	# Field 41: the scheduling policy, 1 is SCHED_FIFO. The names of threads have no blanks.
	echo "realtime=$(cat "/proc/$pid"/task/*/stat | awk '$41 == 1 { print $2 }')"
	# shellcheck disable=SC2016
	echo "writable=$(nsenter -t "$pid" -m sh -c '
		for f in /usr /etc /var/lib /var/lib/limpet /sys/kernel /proc/sys/kernel /home; do
			[ ! -w $f ] || echo $f
		done' | tr '\n' ' ')"
fi
systemctl --user reload limpet-probe 2>>/tmp/systemctl.err
echo "reload=$?"
eventually records
systemctl --user stop limpet-probe
echo "stop=$? $(property Result) $(property ExecMainStatus)"
sed 's/^/err=/' /tmp/service.err /tmp/systemctl.err 2>/dev/null

echo 'LIMPET_PROBE_OPTIONS="--no-such-option"' >/etc/default/limpet-probe
systemctl --user start limpet-probe 2>/dev/null
eventually ended
echo "wrong=$(property ActiveState) $(property ExecMainStatus) $(property NRestarts)"
exit 0
