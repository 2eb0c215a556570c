# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# For tests/fuzz/run.sh and tests/fuzz/long.sh: which targets there are, and how one is run. By itself,
# `sh lib.sh WORD` prints the word where the targets can be built.

F=tests/fuzz
# shellcheck disable=SC2034
targets=$(for source in "$F"/fuzz_*.c; do basename "$source" .c | sed s/fuzz_//; done)

# Memory and time of one input are bounded; tables of a few bytes may be a grid of 128 MiB.
limits='-rss_limit_mb=512 -malloc_limit_mb=256 -timeout=10'

runs_of() { # TARGET: so many inputs in a short run; a series file or a verdict takes a hundred times as long
	case $1 in
	series) echo 500 ;;
	copy) echo 1000 ;;
	judge) echo 300 ;;
	unpack | table | log | wire) echo 4000 ;;
	jsonlog | offsets | truth) echo 8000 ;;
	*) echo 20000 ;;
	esac
}

max_len_of() {
	case $1 in
	series | copy) echo 65536 ;;
	judge) echo 256 ;;
	log) echo 16384 ;; # logs of Darshan have records of half a KiB
	symbols | wire) echo 16384 ;;
	*) echo 4096 ;;
	esac
}

fuzz() { # TARGET CORPUS OPTION…
	target=$1 corpus=$2
	shift 2
	[ ! -e "$F/$target.dict" ] || set -- -dict="$F/$target.dict" "$@"
	# What the target prints on standard output is the parser's.
	# shellcheck disable=SC2086
	ASAN_OPTIONS=malloc_context_size=5:quarantine_size_mb=16:detect_stack_use_after_return=1 \
		"$O/fuzz/fuzz_$target" $limits -max_len="$(max_len_of "$target")" \
		-close_fd_mask=1 -print_final_stats=1 "$@" "$corpus"
}

has_libfuzzer() { # FOLDER
	echo 'int LLVMFuzzerTestOneInput(const char *p, long n) { return p && n < 0; }' |
		"${CLANG:-clang}" -fsanitize=fuzzer,address,undefined -x c - -o "$1/has_libfuzzer" 2>/dev/null
}

case $0 in
*fuzz/lib.sh)
	folder=$(mktemp -d) && has_libfuzzer "$folder" && echo "$@"
	rm -rf "$folder"
	;;
esac
