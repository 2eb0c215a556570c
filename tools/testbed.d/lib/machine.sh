# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# What must be there before a testbed can be built, and what is built once: the disks' plugin.
#
# shellcheck disable=SC2015,SC2046,SC2086

check_number() { # name min max
	[[ ${!1} =~ ^[0-9]{1,7}$ ]] && [ "${!1}" -ge "$2" ] && [ "${!1}" -le "$3" ] ||
		misuse "$1='${!1}' is not a number from $2 to $3"
}

need_root() { [ "$(id -u)" = 0 ] || die "needs root (namespaces, mounts, cgroups): use sudo"; }

need_machine() {
	local c p missing='' packages='' table
	table="$(fs_needs) nbdkit:nbdkit nbdfuse:libnbd-bin fio:fio iperf3:iperf3 nft:nftables
		ethtool:ethtool ip:iproute2 tc:iproute2 badblocks:e2fsprogs losetup:mount
		nsenter:util-linux unshare:util-linux flock:util-linux setsid:util-linux"
	[ "$PLUGIN" -nt "$PLUGIN_SRC" ] || table+=' cc:gcc'
	for p in $table; do
		c=${p%:*}
		command -v "$c" >/dev/null || { missing+=" $c" packages+=" ${p#*:}"; }
	done
	if ! [ "$PLUGIN" -nt "$PLUGIN_SRC" ] && ! [ -e /usr/include/nbdkit-plugin.h ]; then
		missing+=' nbdkit-plugin.h' packages+=' nbdkit-plugin-dev libc6-dev'
	fi
	[ -z "$missing" ] ||
		die "missing:$missing; apt-get install --no-install-recommends$(printf ' %s' $packages |
			tr ' ' '\n' | sort -u | tr '\n' ' ')"
	[ -e /dev/fuse ] || modprobe fuse 2>/dev/null
	[ -e /dev/fuse ] || die "missing /dev/fuse (modprobe fuse)"
	[ -e /dev/loop-control ] || modprobe loop 2>/dev/null
	losetup -f >/dev/null || die "no free loop device (modprobe loop)"
	unshare -n true 2>/dev/null || die "cannot make a network namespace: is this an unprivileged container?"
}

build_shared() { # library source [-lLIBRARY...]
	[ "$1" -nt "$2" ] && return
	mkdir -p "${1%/*}" &&
		cc -O2 -Wall -Wextra -std=gnu11 -shared -fPIC -o "$1.$$" "$2" "${@:3}" &&
		mv "$1.$$" "$1" || { rm -f "$1.$$"; die "'$2' does not build"; }
}
build_plugin() { build_shared "$PLUGIN" "$PLUGIN_SRC"; }
