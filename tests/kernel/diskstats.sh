# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC1087,SC2086,SC2154
# A disk's lines against /proc/diskstats, field by field; sourced after common.sh.

# The 17 fields (Documentation/admin-guide/iostats.rst): 1 r 2 rrqm 3 sectors 4 ms, 5-8 the same of
# writes, 9 in flight, 10 io_ticks, 11 time in queue, 12-15 of discards, 16 f 17 ms.
diskstats() { # DISK
	awk -v d="$1" '$3 == d { $1 = $2 = $3 = ""; print }' /proc/diskstats
}

# What the lines FROM+1… of a probe add up to, in the order of the fields; 9 is left out.
diskstats_seen() { # PROBE DISK [FROM]
	probe_jq "$1" "[.[${3:-0}:][] | .interval_s as \$t | .disk[\"$2\"] |
		def n(f): (f // 0);
		def total(rate): n(rate) * \$t;
		[total(.[\"r/s\"]), total(.[\"rrqm/s\"]), total(.[\"rkB/s\"]) * 2, n(.r_await) * total(.[\"r/s\"]),
		total(.[\"w/s\"]), total(.[\"wrqm/s\"]), total(.[\"wkB/s\"]) * 2, n(.w_await) * total(.[\"w/s\"]),
		0, total(.[\"%util\"]) * 10, total(.[\"aqu-sz\"]) * 1000,
		total(.[\"d/s\"]), total(.[\"drqm/s\"]), total(.[\"dkB/s\"]) * 2, n(.d_await) * total(.[\"d/s\"]),
		total(.[\"f/s\"]), n(.f_await) * total(.[\"f/s\"])]] | transpose | map(add) | join(\" \")"
}

# Fails the case unless counts are the same, and times are within the whole milliseconds that
# /proc/diskstats shows (2 ms for a sum; four sums in the time in queue). A second in which a disk
# was busy all the time shows at most 100 %, so of io_ticks up to 1 % may be missing.
diskstats_agree() { # PROBE DISK "BEFORE" "AFTER" [FROM]
	agree_seen=$(diskstats_seen "$1" "$2" "$5")
	agree_why=$(echo "$agree_seen $3 $4" | awk '
		function off(i, got, want, d) {
			d = got - want
			d = d < 0 ? -d : d
			if (i == 4 || i == 8 || i == 15 || i == 17) return d > 2 + 1e-6 * want
			if (i == 11) return d > 8 + 1e-6 * want
			if (i == 10) return got > want + 1.5 || got < want * 0.99 - 1.5
			return d > 0.01 + 1e-6 * want
		}
		NF != 51 { print "fields: " NF; exit }
		{
			split("r rrqm r-sectors r-ms w wrqm w-sectors w-ms - io_ticks in-queue-ms " \
				"d drqm d-sectors d-ms f f-ms", name)
			for (i = 1; i <= 17; i++)
				if (i != 9 && off(i, $i, $(34 + i) - $(17 + i)))
					print name[i] ": " $i ", kernel " $(34 + i) - $(17 + i) ";"
		}')
	[ -z "$agree_why" ] && return 0
	fail "$1: $agree_why"
	return 1
}
