# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# For the tests of the cluster simulator; sourced after lib.sh.

[ -x "$O/simulate" ] || all_skip "$O/simulate is not built (make)"
B=1767571200 # where runs begin

run() { # NAME ARGUMENT…: a run's folder under $T, once
	name=$1
	shift
	[ -d "$T/$name" ] || "$O/simulate" "$@" "$T/$name" || echo "# simulate $*: status $?"
}
csv() { # NAME [FROM TO [OPTION…]]
	name=$1 from=${2:-0} to=${3:-86000}
	shift $(($# < 3 ? $# : 3))
	"$O/limpet" show --csv --from "@$((B + from))" --to "@$((B + to))" "$@" "$T/$name"
}
# Lines "node metric mean" of the metrics in $2. Only they are printed: all are a hundred times as much.
means() { # NAME METRICS FROM TO
	# shellcheck disable=SC2046,SC2086
	csv "$1" "$3" "$4" -f disk -f net -f tcp -f host $(printf -- '-m %s ' $2) | awk -F, -v names="$2" '
		NR == 1 { n = split(names, want, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ for (i = 1; i <= n; i++) { x = $(at[want[i]]); if (x != "" && x != "nan") {
			s[$2 " " want[i]] += x; c[$2 " " want[i]]++ } } }
		END { for (k in s) print k, s[k] / c[k] }'
}
