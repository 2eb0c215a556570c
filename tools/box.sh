# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# For scripts that record the cluster in a box (testbed) with limpet-probe; sourced. The caller has
# set PROBE and TESTBED, and defines die MESSAGE.
# shellcheck disable=SC2153 # PROBE is one program, PROBES are the processes

# One line why this machine cannot do it; nothing if it can.
why_not() {
	[ "$(id -u)" = 0 ] || { echo "it needs root (eBPF, namespaces, loop devices): use sudo"; return; }
	[ -e /sys/kernel/btf/vmlinux ] || { echo "this kernel has no BTF (/sys/kernel/btf/vmlinux)"; return; }
	[ -x "$PROBE" ] || { echo "there is no '$PROBE': run make"; return; }
	"$PROBE" check >/dev/null 2>&1 || { echo "'limpet-probe check' reports that something is missing"; return; }
	unshare -n true 2>/dev/null || { echo "no network namespaces here"; return; }
	[ -e /dev/fuse ] || modprobe fuse 2>/dev/null || { echo "no FUSE here"; return; }
	losetup -f >/dev/null 2>&1 || { echo "no loop devices here"; return; }
}

# Names that tell nothing of which server is which; as many as are asked for, the same for a seed.
host_names() { # count [seed [prefix]]
	local names=(amber basalt cobalt dune ember flint garnet hazel indigo jasper kelp loam) i j name
	[ -z "${2:-}" ] || RANDOM=$2
	for ((i = ${#names[@]} - 1; i > 0; i--)); do
		j=$((RANDOM % (i + 1)))
		name=${names[i]} names[i]=${names[j]} names[j]=$name
	done
	[ "$1" -le ${#names[@]} ] || die "there are names for ${#names[@]} servers only"
	printf "${3:-oss-}%s\n" "${names[@]:0:$1}"
}

PROBES=()

# A probe for each server of the testbed. NAMES: lines of "SERVER HOST". A probe must not outlive a
# script that was killed. APART: each writes into a folder of its own. 1: not all of them run.
start_probes() { # FOLDER NAMES: the folder gets series/ and probe-HOST.log
	local server netns disk cgroup host
	PROBES=()
	while read -r server netns disk cgroup; do
		host=$(awk -v s="$server" '$1 == s { print $2 }' "$2")
		mkdir -p "$1/series${APART:+/$host}"
		setpriv --pdeathsig TERM "$PROBE" record -o "$1/series${APART:+/$host}" --host "$host" --disk "$disk" \
			--netns "$netns" --cgroup "$cgroup" >"$1/probe-$host.log" 2>&1 &
		PROBES+=($!)
	done < <("$TESTBED" servers)
	nap 3
	[ ${#PROBES[@]} -ge 5 ] && probes_alive
}

probes_alive() {
	local p
	for p in "${PROBES[@]}"; do
		kill -0 "$p" 2>/dev/null || return 1
	done
}

stop_probes() {
	[ ${#PROBES[@]} = 0 ] || kill "${PROBES[@]}" 2>/dev/null
	[ ${#PROBES[@]} = 0 ] || wait "${PROBES[@]}" 2>/dev/null
	PROBES=()
}

# Runs a command so that a signal to the script is acted on at once, not when the command is over.
act() { # command...
	"$@" &
	ACTING=$!
	wait $ACTING
	set -- $?
	ACTING=
	return "$1"
}
nap() { [ "$1" -le 0 ] || act sleep "$1"; } # seconds

# Ends what the script was at, the probes and the testbed, whatever there is of each. 1: not all of it.
end_all() { # LOG
	[ -z "${ACTING:-}" ] || { kill "$ACTING" && wait "$ACTING"; } 2>/dev/null
	ACTING=
	stop_probes
	"$TESTBED" down >>"$1" 2>&1
}
